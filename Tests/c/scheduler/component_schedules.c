/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads over the rest of what the core has for language
 * bindings: plain components, paths of them and places; triggers by path where
 * the middle is replaced; objects that get their class late; setters of a class
 * that is observed; ends by the header word; recorded reads. custom_world.h says
 * what is checked.
 */
#include "base/names.h"
#include "custom_world.h"

#include <string.h>

/* Plain components --------------------------------------------------------- */

static struct obv_component part_b, part_x;
static struct obv_path *path; /* of the two, compiled once */

static enum obv_component_place resolve(const struct obv_component *component,
                                        struct obv_object *object,
                                        uint32_t *property)
{
    (void)object;
    SCHEDULER_POINT("resolve");
    *property = component == &part_b ? B : X;
    return OBV_COMPONENT_PROPERTY;
}

/* They are plain: nobody asks. */
static struct obv_object *no_child(const struct obv_component *component,
                                   struct obv_object *object)
{
    (void)component;
    (void)object;
    SCHEDULER_CHECK(false);
    return NULL;
}

static bool no_difference(const struct obv_component *component,
                          struct obv_object *before, struct obv_object *after)
{
    (void)component;
    SCHEDULER_CHECK(before == after && false);
    return false;
}

static const struct obv_component_kind part_kind = {.size = sizeof part_kind,
                                                    .resolve = resolve,
                                                    .child = no_child,
                                                    .differs = no_difference};

static void make_path(void)
{
    const struct obv_element elements[] = {obv_component_element(&part_b),
                                           obv_component_element(&part_x)};
    const struct obv_element *from = &elements[world.scenario->depth == 0];
    part_b = (struct obv_component){
        .text = "part b", .kind = &part_kind, .plain = true};
    part_x = (struct obv_component){
        .text = "part x", .kind = &part_kind, .plain = true};
    SCHEDULER_CHECK(obv_path_make(obv_context_names(world.context), from,
                                  world.scenario->depth + 1, &path,
                                  NULL) == OBV_OK);
}

static void forget_path(void)
{
    obv_path_destroy(path);
}

static void begin_by_path(struct probe *probe)
{
    const struct obv_compiled_pair pair = {&world.a->object, path};
    probe->root = world.a;
    SCHEDULER_CHECK(obv_observe_compiled(&pair, 1, &probe->kind, probe, NULL,
                                         &probe->handle, NULL) == OBV_OK);
    custom_has_begun(probe, world.a, 1);
}

/* Nobody has shown what the components are. */
static void begin_unlearned(void)
{
    make_path();
    custom_begin_path(&world.probes[0]);
}

static void begin_learned(void)
{
    make_path();
    begin_by_path(&world.probes[0]);
}

static bool is_x(struct obv_element element)
{
    uint32_t x = obv__names_find(obv_context_names(world.context), "x", 1);
    return element.kind == OBV_ELEMENT_NAME && element.name == x;
}

/* Who knows it of a class knows its name, as stops by text ask for it. */
static void teach(void)
{
    SCHEDULER_CHECK(
        is_x(obv_component_resolve(world.context, &part_x, &world.a->object)));
    SCHEDULER_CHECK(is_x(obv_component_resolve(world.context, &part_x, NULL)));
}

/* What is known once stays known. */
static void ask(void)
{
    struct obv_element first =
        obv_component_resolve(world.context, &part_x, NULL);
    struct obv_element then =
        obv_component_resolve(world.context, &part_x, NULL);
    SCHEDULER_CHECK(is_x(first) || first.kind == OBV_ELEMENT_COMPONENT);
    SCHEDULER_CHECK(is_x(then) || !is_x(first));
}

static void observe(void)
{
    begin_by_path(&world.probes[1 + scheduler_self()]);
}

static void stop_named(void)
{
    world.probes[0].stopped = true;
    SCHEDULER_CHECK(obv_stop_path(world.probes[0].handle, NULL, "b.x", NULL) ==
                    OBV_OK);
}

static void stop_by_path(void)
{
    world.probes[0].stopped = true;
    obv_stop_compiled(world.probes[0].handle, &world.a->object, path);
}

static void stop_observer(void)
{
    const struct obv_path *const paths[] = {path};
    world.probes[0].stopped = true;
    SCHEDULER_CHECK(obv_stop_observer_compiled(&world.a->object,
                                               &world.probes[0], paths,
                                               1) == OBV_OK);
}

static void drain(void)
{
    (void)obv_loop_drain(world.loop);
}

/* Places, and triggers by path --------------------------------------------- */

/* The place keeps what it leads to, though that is replaced meanwhile. */
static void find_and_set(void)
{
    struct obv_place place;
    SCHEDULER_CHECK(obv_place_find(&world.a->object, path, &place, NULL) ==
                    OBV_OK);
    struct thing *thing = (struct thing *)(void *)place.object;
    SCHEDULER_POINT("placed");
    if (thing) {
        SCHEDULER_CHECK(place.property == X && thing->references > 0);
        thing_set_x(thing, 20 + scheduler_self());
    }
    obv_place_leave(&place);
}

static void put_b2(void)
{
    thing_put(world.a, world.b2);
    world.b2 = NULL;
}

/* b2 ends by the second; between the two the other thread goes on, at no
   preemption's price. */
static void put_twice(void)
{
    put_b2();
    scheduler_yield();
    thing_put(world.a, NULL);
}

/* Past the setter. */
static struct thing *store_b(struct thing *thing, struct thing *b)
{
    obv__lock_enter(&thing->lock);
    struct thing *old = thing->b;
    thing->b = b;
    thing->puts++;
    obv__lock_leave(&thing->lock);
    return old;
}

static void poke_b(void)
{
    struct thing *old = store_b(world.a, world.b3);
    world.b3 = NULL;
    SCHEDULER_POINT("stored");
    SCHEDULER_CHECK(obv_trigger_path(&world.a->object, "b", &old, NULL, NULL) ==
                    OBV_OK);
    thing_let_go(old);
}

/* Of what this thread holds; the path may lead elsewhere by then. */
static void poke_below(void)
{
    struct thing *old = store_b(world.b1, world.b3);
    world.b3 = NULL;
    SCHEDULER_POINT("stored");
    SCHEDULER_CHECK(
        obv_trigger_path(&world.a->object, "b.b", &old, NULL, NULL) == OBV_OK);
    thing_let_go(old);
    thing_let_go(world.b1);
}

/* An object that gets its class late -------------------------------------- */

static struct thing *bare;
static struct obv_class *adopted[2];

static void begin_bare(void)
{
    bare = thing_make(0, 1, NULL);
    bare->object.word = OBV_DETAIL_NO_NODE;
    adopted[0] = adopted[1] = NULL;
}

static void adopt(void)
{
    int self = scheduler_self();
    obv_object_adopt(&bare->object, world.classes[self]);
    adopted[self] = obv_object_class(&bare->object);
    custom_begin(&world.probes[1 + self], bare, 0, "x");
    thing_set_x(bare, 30 + self);
}

static void check_bare(void)
{
    struct obv_class *cls = obv_object_class(&bare->object);
    SCHEDULER_CHECK(cls == world.classes[0] || cls == world.classes[1]);
    SCHEDULER_CHECK(adopted[0] == cls && adopted[1] == cls);
    SCHEDULER_CHECK(obv_observer_count(&bare->object, "x") == 2);
    thing_let_go(bare);
}

/* A class that is observed ------------------------------------------------- */

static void begin_class(struct probe *probe)
{
    probe->root = world.a;
    SCHEDULER_CHECK(obv_observe_class_compiled(world.classes[0], path,
                                               &probe->kind, probe, NULL,
                                               &probe->handle, NULL) == OBV_OK);
    custom_has_begun(probe, world.a, 0);
}

static void begin_first_class(void)
{
    make_path();
    begin_class(&world.probes[0]);
}

static void observe_class(void)
{
    begin_class(&world.probes[2]);
}

/* The setter of a binding: who observes the class meets the object before the
   store, or else after it. */
static void set_first(int64_t value)
{
    struct obv_object *object = &world.a->object;
    uint32_t offset = offsetof(struct thing, x), property, look;
    if (obv_detail_may_observe(obv__load_acquire(&object->word)) &&
        (obv_detail_look_first(object, offset, &property) &
         OBV_DETAIL_LOOK_FIRST)) {
        (void)obv_detail_attach(object, property, false);
    }
    int64_t old = obv__exchange_seq_cst(&world.a->x, value);
    if (!obv_detail_may_observe_after_store(obv__load_seq_cst(&object->word))) {
        return;
    }
    look = obv_detail_look_first(object, offset, &property);
    const struct obv_detail_set set = {.old = &old, .is_same = old == value};
    if (look & OBV_DETAIL_LOOK_FIRST) {
        obv_detail_was_set(object, property, &set);
    } else if (look & OBV_DETAIL_LOOK_WATCHED) {
        obv_detail_was_set(object, property, &set);
    }
}

static void set_of_class(void)
{
    set_first(40 + scheduler_self());
}

static void stop_class(void)
{
    const struct obv_path *const paths[] = {path};
    world.probes[0].stopped = true;
    SCHEDULER_CHECK(obv_stop_class_observer_compiled(world.classes[0],
                                                     &world.probes[0], paths,
                                                     1) == OBV_OK);
}

/* Nobody counts who observes a class: one more set reaches them all. */
static void check_class(void)
{
    set_first(99);
    (void)obv_loop_drain(world.loop);
    for (unsigned i = 0; i < 4; i++) {
        SCHEDULER_CHECK(!world.probes[i].begun || world.probes[i].stopped ||
                        world.probes[i].seen == 99);
    }
    forget_path();
}

/* Reads -------------------------------------------------------------------- */

struct reads {
    struct obv_detail_reader reader; /* first: the reader is its address */
    int thread, count;
};

static void note_read(struct obv_detail_reader *reader,
                      struct obv_object *object, uint32_t offset,
                      const void *what)
{
    struct reads *reads = (struct reads *)(void *)reader;
    SCHEDULER_CHECK(object == &world.a->object && !what);
    SCHEDULER_CHECK(offset == offsetof(struct thing, x));
    SCHEDULER_CHECK(reads->thread == scheduler_self());
    reads->count++;
}

static void get_x(void)
{
    if (obv_detail_is_reading()) {
        obv_detail_read(&world.a->object, offsetof(struct thing, x), NULL);
    }
}

/* Each is told of the reads of its own thread, while it is the inner one. */
static void read(void)
{
    struct reads outer = {{.read = note_read}, scheduler_self(), 0};
    struct reads inner = outer;
    get_x();
    obv_detail_reads_begin(&outer.reader);
    get_x();
    obv_detail_reads_begin(&inner.reader);
    get_x();
    obv_detail_reads_end(&inner.reader);
    get_x();
    obv_detail_reads_end(&outer.reader);
    get_x();
    SCHEDULER_CHECK(outer.count == 2 && inner.count == 1);
}

static void check_reads(void)
{
    SCHEDULER_CHECK(obv_detail_reading == 0);
}

/* Scenarios ---------------------------------------------------------------- */

#define UNLEARNED                                                              \
    .depth = 1, .begin = begin_unlearned, .check = forget_path, .preemptions = 2
#define LEARNED                                                                \
    .depth = 1, .begin = begin_learned, .check = forget_path, .preemptions = 2
#define CLASS .begin = begin_first_class, .check = check_class, .preemptions = 2

static const struct scenario scenarios[] = {
    {.name = "learn: teach, teach", .deeds = {teach, teach}, UNLEARNED},
    {.name = "learn: teach, ask", .deeds = {teach, ask}, UNLEARNED},
    {.name = "learn: teach, observe", .deeds = {teach, observe}, UNLEARNED},
    {.name = "learn: ask, observe", .deeds = {ask, observe}, UNLEARNED},
    {.name = "learn: observe, observe", .deeds = {observe, observe}, UNLEARNED},
    {.name = "learn: put, observe", .deeds = {put_b2, observe}, UNLEARNED},
    {.name = "learn: teach, find_and_set",
     .deeds = {teach, find_and_set},
     UNLEARNED},
    {.name = "learn: put, find_and_set",
     .deeds = {put_b2, find_and_set},
     UNLEARNED},
    {.name = "path: put, observe", .deeds = {put_b2, observe}, LEARNED},
    {.name = "path: put, stop_named",
     .deeds = {put_b2, stop_named},
     LEARNED,
     .costly = true},
    {.name = "path: put, stop_by_path",
     .deeds = {put_b2, stop_by_path},
     LEARNED,
     .costly = true},
    {.name = "path: put, stop_observer",
     .deeds = {put_b2, stop_observer},
     LEARNED,
     .costly = true},
    {.name = "path: observe, stop_by_path",
     .deeds = {observe, stop_by_path},
     LEARNED},
    {.name = "path: stop_by_path, stop_named",
     .deeds = {stop_by_path, stop_named},
     LEARNED},
    {.name = "place: put_twice, find_and_set",
     .deeds = {put_twice, find_and_set},
     LEARNED,
     .costly = true},
    {.name = "place: drain, find_and_set",
     .deeds = {drain, find_and_set},
     LEARNED,
     .pending = true},
    {.name = "place: stop_by_path, find_and_set",
     .deeds = {stop_by_path, find_and_set},
     LEARNED},
    {.name = "poke: put, poke_b",
     .deeds = {put_b2, poke_b},
     LEARNED,
     .costly = true},
    {.name = "poke: put_twice, poke_b",
     .deeds = {put_twice, poke_b},
     LEARNED,
     .costly = true},
    {.name = "poke: observe, poke_b", .deeds = {observe, poke_b}, LEARNED},
    {.name = "poke: stop_by_path, poke_b",
     .deeds = {stop_by_path, poke_b},
     LEARNED},
    {.name = "poke: drain, poke_b", .deeds = {drain, poke_b}, LEARNED},
    {.name = "poke: find_and_set, poke_b",
     .deeds = {find_and_set, poke_b},
     LEARNED},
    {.name = "word: put_twice, poke_b",
     .deeds = {put_twice, poke_b},
     LEARNED,
     .by_word = true,
     .costly = true},
    {.name = "poke: put_twice, poke_below",
     .deeds = {put_twice, poke_below},
     .depth = 2,
     .keeps = true,
     .preemptions = 2,
     .costly = true},
    {.name = "bare: adopt, adopt",
     .deeds = {adopt, adopt},
     .begin = begin_bare,
     .check = check_bare,
     .preemptions = 2},
    {.name = "class: set, set",
     .deeds = {set_of_class, set_of_class},
     CLASS,
     .costly = true},
    {.name = "class: set, observe",
     .deeds = {set_of_class, observe_class},
     CLASS},
    {.name = "class: set, stop", .deeds = {set_of_class, stop_class}, CLASS},
    {.name = "class: set, drain", .deeds = {set_of_class, drain}, CLASS},
    {.name = "class: observe, stop",
     .deeds = {observe_class, stop_class},
     CLASS},
    {.name = "reads: read, read",
     .deeds = {read, read},
     .check = check_reads,
     .preemptions = 2},
};

int main(int argc, char **argv)
{
    custom_run(scenarios, sizeof scenarios / sizeof *scenarios, argc, argv);
    return 0;
}
