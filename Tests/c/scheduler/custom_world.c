/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world of custom_world.h: what a binding answers, setup, check.
 */
#include "base/names.h"
#include "custom_world.h"

#include "threads_check.h"

#include "base/reclaim.h"

#include <observable/allocator.h>

#include <string.h>

struct custom_world world;

/* Things ------------------------------------------------------------------- */

static struct thing *thing_of(struct obv_object *object)
{
    return (struct thing *)(void *)object;
}

static bool take(uint64_t *references)
{
    uint64_t seen = obv__load_relaxed(references);
    while (seen > 0 && !obv__cas_acq_rel(references, &seen, seen + 1)) {
    }
    return seen > 0;
}

static bool drop(uint64_t *references)
{
    return obv__fetch_add_acq_rel(references, (uint64_t)-1) == 1;
}

static bool thing_retain(struct obv_object *object)
{
    return take(&thing_of(object)->references);
}

static void thing_release(struct obv_object *object)
{
    struct thing *thing = thing_of(object);
    if (thing && drop(&thing->references)) {
        const struct obv_allocator *to = scheduler_allocator();
        SCHEDULER_CHECK((world.scenario->by_word
                             ? obv_object_deinit_word(object->word)
                             : obv_object_deinit(object)) == OBV_OK);
        thing_release((struct obv_object *)(void *)thing->b);
        to->free(to->context, thing, sizeof *thing);
        world.things--;
    }
}

void thing_let_go(struct thing *thing)
{
    thing_release((struct obv_object *)(void *)thing);
}

struct thing *thing_make(unsigned type, int64_t x, struct thing *b)
{
    const struct obv_allocator *from = scheduler_allocator();
    struct thing *thing = from->allocate(from->context, sizeof *thing);
    SCHEDULER_CHECK(thing);
    memset(thing, 0, sizeof *thing);
    obv_object_init(&thing->object, world.classes[type]);
    thing->references = 1;
    thing->x = x;
    thing->b = b;
    world.things++;
    return thing;
}

/* The binding's answers ---------------------------------------------------- */

static bool x_equal(const struct obv_property *property_a, struct obv_object *a,
                    const struct obv_property *property_b, struct obv_object *b)
{
    (void)property_a;
    (void)property_b;
    SCHEDULER_CHECK(thing_of(a)->references > 0);
    SCHEDULER_CHECK(thing_of(b)->references > 0);
    SCHEDULER_POINT("equal");
    return obv__load_seq_cst(&thing_of(a)->x) ==
           obv__load_seq_cst(&thing_of(b)->x);
}

static struct obv_object *b_child(const struct obv_property *property,
                                  struct obv_object *object)
{
    struct thing *thing = thing_of(object);
    (void)property;
    if (scheduler_self() == 1 && thing != world.a &&
        world.scenario->depth > 1) {
        scheduler_yield(); /* where one preemption is all there is */
    }
    SCHEDULER_CHECK(thing->references > 0);
    obv__lock_enter(&thing->lock);
    struct thing *child = thing->b;
    SCHEDULER_CHECK(!child || take(&child->references));
    obv__lock_leave(&thing->lock);
    return (struct obv_object *)(void *)child;
}

static bool b_equals(const struct obv_property *property,
                     struct obv_object *object, const void *value)
{
    struct thing *thing = thing_of(object);
    (void)property;
    SCHEDULER_CHECK(thing->references > 0);
    obv__lock_enter(&thing->lock);
    bool equal = thing->b == *(struct thing *const *)value;
    obv__lock_leave(&thing->lock);
    return equal;
}

static const struct obv_value_kind x_kind = {.size = sizeof x_kind,
                                             .equal = x_equal};
static const struct obv_value_kind b_kind = {.size = sizeof b_kind,
                                             .equal = x_equal,
                                             .child = b_child,
                                             .equals = b_equals};

static const struct obv_property properties[PROPERTIES] = {
    [X] = {.name = "x",
           .kind = OBV_KIND_custom,
           .offset = offsetof(struct thing, x),
           .size = sizeof(int64_t),
           .flags = OBV_ANY_THREAD,
           .custom = &x_kind},
    [B] = {.name = "b",
           .kind = OBV_KIND_custom,
           .offset = offsetof(struct thing, b),
           .size = sizeof(struct thing *),
           .flags = OBV_ANY_THREAD,
           .custom = &b_kind},
};

static enum obv_component_place resolve(const struct obv_component *component,
                                        struct obv_object *object,
                                        uint32_t *property)
{
    (void)component;
    SCHEDULER_CHECK(thing_of(object)->references > 0);
    *property = X;
    return OBV_COMPONENT_PROPERTY;
}

static struct obv_object *no_child(const struct obv_component *component,
                                   struct obv_object *object)
{
    (void)component;
    (void)object;
    return NULL;
}

static bool differs(const struct obv_component *component,
                    struct obv_object *before, struct obv_object *after)
{
    (void)component;
    return !x_equal(&properties[X], before, &properties[X], after);
}

static const struct obv_component_kind component_kind = {
    .size = sizeof component_kind,
    .resolve = resolve,
    .child = no_child,
    .differs = differs};

/* Setters, by offset ------------------------------------------------------- */

void thing_set_x(struct thing *thing, int64_t value)
{
    uint32_t property;
    int64_t old = obv__exchange_seq_cst(&thing->x, value);
    const struct obv_detail_set set = {.old = &old};
    if (old != value &&
        (obv_detail_look(&thing->object, offsetof(struct thing, x), &property) &
         OBV_DETAIL_LOOK_WATCHED)) {
        obv_detail_was_set(&thing->object, property, &set);
    }
}

/* The same by the filter, of an owner's thread. */
void thing_set_x_filtered(struct thing *thing, int64_t value)
{
    uintptr_t word = obv__load_acquire(&thing->object.word);
    struct obv_detail_node *node =
        (struct obv_detail_node *)(word & ~OBV_DETAIL_HAS_SLOTS);
    if (!(word & OBV_DETAIL_NO_NODE) &&
        !(obv__load_relaxed(&node->flags) &
          obv_detail_filter_bit(offsetof(struct thing, x)))) {
        thing->x = value;
    } else {
        thing_set_x(thing, value);
    }
}

/* Gives the reference over. */
void thing_put(struct thing *thing, struct thing *b)
{
    uint32_t property;
    obv__lock_enter(&thing->lock);
    struct thing *old = thing->b;
    thing->b = b;
    thing->puts++;
    obv__lock_leave(&thing->lock);
    if (obv_detail_look(&thing->object, offsetof(struct thing, b), &property) &
        OBV_DETAIL_LOOK_WATCHED) {
        obv_detail_changed_from(&thing->object, property, &old);
    }
    thing_let_go(old);
}

/* Observers ---------------------------------------------------------------- */

/* What stands at the end of a probe's path, read without a step. */
static int64_t value_now(const struct probe *probe)
{
    const struct thing *at = probe->root;
    for (unsigned i = 0; at && i < probe->depth; i++) {
        at = at->b;
    }
    return at ? at->x : -1;
}

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    struct probe *probe = observer;
    SCHEDULER_CHECK(call->kind == &probe->kind && probe->disposed == 0);
    SCHEDULER_CHECK(probe->references > 0);
    SCHEDULER_CHECK(root == &probe->root->object);
    SCHEDULER_POINT("handler");
    probe->seen = value_now(probe);
}

static bool probe_retain(void *observer)
{
    return take(&((struct probe *)observer)->references);
}

static void probe_release(void *observer)
{
    (void)drop(&((struct probe *)observer)->references);
}

static bool gone(void *observer)
{
    struct probe *probe = observer;
    SCHEDULER_CHECK(probe->disposed == 0);
    SCHEDULER_POINT("gone");
    SCHEDULER_CHECK(probe->disposed == 0);
    return obv__load_acquire(&probe->references) == 0;
}

static void dispose(const struct obv_handler_kind *kind, void *observer)
{
    struct probe *probe = observer;
    SCHEDULER_CHECK(kind == &probe->kind && probe->disposed == 0);
    probe->disposed++;
}

void custom_has_begun(struct probe *probe, struct thing *root, unsigned depth)
{
    probe->root = root;
    probe->depth = depth;
    SCHEDULER_POINT("observed");
    probe->seen = value_now(probe);
    probe->begun = true;
}

void custom_begin(struct probe *probe, struct thing *root, unsigned depth,
                  const char *text)
{
    const struct obv_pair pair = {&root->object, text};
    probe->root = root;
    SCHEDULER_CHECK(obv_observe_pairs(&pair, 1, &probe->kind, probe, NULL,
                                      &probe->handle, NULL) == OBV_OK);
    custom_has_begun(probe, root, depth);
}

void custom_begin_path(struct probe *probe)
{
    static const char *const paths[] = {"x", "b.x", "b.b.x"};
    custom_begin(probe, world.a, world.scenario->depth,
                 paths[world.scenario->depth]);
}

/* b, then the component for x. */
static void begin_component(struct probe *probe, struct thing *root)
{
    struct obv_names *names = obv_context_names(world.context);
    const struct obv_element elements[] = {
        {OBV_ELEMENT_NAME, obv__names_find(names, "b", 1), 0},
        obv_component_element(&world.component)};
    struct obv_path *path;
    SCHEDULER_CHECK(obv_path_make(names, elements, 2, &path, NULL) == OBV_OK);
    const struct obv_compiled_pair pair = {&root->object, path};
    SCHEDULER_CHECK(obv_observe_compiled(&pair, 1, &probe->kind, probe, NULL,
                                         &probe->handle, NULL) == OBV_OK);
    obv_path_destroy(path);
    probe->root = root;
    probe->depth = 1;
    probe->seen = value_now(probe);
    probe->begun = true;
}

/* Setup -------------------------------------------------------------------- */

static void make_classes(void)
{
    static struct obv_class_table tables[CLASSES];
    static const char *const names[CLASSES] = {"k0", "k1", "k2",
                                               "k3", "k4", "k5"};
    for (unsigned i = 0; i < CLASSES; i++) {
        tables[i] =
            (struct obv_class_table){.size = sizeof tables[i],
                                     .name = names[i],
                                     .instance_size = sizeof(struct thing),
                                     .properties = properties,
                                     .property_count = PROPERTIES,
                                     .retain = thing_retain,
                                     .release = thing_release};
        SCHEDULER_CHECK(obv_class_create(world.context, &tables[i],
                                         &world.classes[i], NULL) == OBV_OK);
        if (world.scenario->by_word) {
            obv_class_know_objects(world.classes[i]);
        }
    }
}

static void make_probes(void)
{
    for (unsigned i = 0; i < 4; i++) {
        struct probe *probe = &world.probes[i];
        probe->references = 1;
        probe->kind = (struct obv_handler_kind){.changed = changed,
                                                .retain = probe_retain,
                                                .release = probe_release,
                                                .dispose = dispose};
    }
    if (world.scenario->mortal) {
        world.probes[0].kind.gone = gone;
    }
}

static void setup(void)
{
    const struct scenario *scenario = world.scenario;
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator =
                                                    scheduler_allocator(),
                                                .reclaim_batch = 1};
    memset(&world, 0, sizeof world);
    world.scenario = scenario;
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &world.context) == OBV_OK);
    world.loop = obv_context_loop(world.context);
    make_classes();
    make_probes();
    /* Its own words are taken already, by classes that are none. */
    world.component =
        (struct obv_component){.text = "x", .kind = &component_kind};
    memset(world.component.known, 0xff, sizeof world.component.known);
    bool below = scenario->depth > 1;
    world.b1 = thing_make(0, 1, below ? thing_make(0, 1, NULL) : NULL);
    world.b2 = thing_make(1, 2, below ? thing_make(0, 2, NULL) : NULL);
    world.b3 = thing_make(0, 2, NULL);
    world.b4 = thing_make(5, 4, NULL);
    world.a = thing_make(0, 1, world.b1);
    world.z = thing_make(0, 1, NULL);
    world.b1->references += scenario->keeps ? 1 : 0;
    if (scenario->begin) {
        scenario->begin();
    } else if (scenario->component) {
        begin_component(&world.probes[0], world.a);
        begin_component(&world.probes[3], world.z);
    } else {
        custom_begin_path(&world.probes[0]);
    }
    if (scenario->every) {
        custom_begin(&world.probes[1], world.a, 0, "*");
    }
    if (scenario->gone) {
        world.probes[0].references = 0;
        world.probes[0].stopped = true;
    }
    if (scenario->pending) {
        obv_schedule(world.probes[0].handle);
    }
    obv__thread_unlist(obv__thread_self());
}

/* Check -------------------------------------------------------------------- */

static bool is_told(const struct probe *probe)
{
    return !probe->begun || probe->stopped || probe->seen == value_now(probe);
}

static void check_probe(struct probe *probe)
{
    if (world.scenario->gone && probe == &world.probes[0]) {
        (void)obv_observer_count(&world.a->object, "x");
        SCHEDULER_CHECK(probe->disposed == 1);
    }
    if (probe->handle) {
        obv_stop(probe->handle);
        obv_release(probe->handle);
    }
    SCHEDULER_CHECK(probe->disposed == probe->begun);
    SCHEDULER_CHECK(probe->references ==
                    !(world.scenario->gone && probe == &world.probes[0]));
}

/* Those that observe the same path of the same root. */
static size_t count_like(const struct probe *probe)
{
    size_t found = 0;
    for (unsigned i = 0; i < 4; i++) {
        const struct probe *other = &world.probes[i];
        found += other->begun && !other->stopped &&
                 other->root == probe->root && other->depth == probe->depth;
    }
    return found;
}

/* The wiring is that of the values stored last: what stands there is watched,
   and what was put away has ended. */
static void check_wired(const struct probe *probe)
{
    struct thing *end = probe->root;
    for (unsigned i = 0; end && i < probe->depth; i++) {
        end = end->b;
    }
    if (end) {
        SCHEDULER_CHECK(obv_observer_count(&end->object, "x") ==
                        count_like(probe));
        SCHEDULER_CHECK(end->references == 1);
        thing_set_x(end, 77);
        (void)obv_loop_drain(world.loop);
        SCHEDULER_CHECK(probe->stopped || probe->seen == 77);
    }
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(threads_are_right());
    (void)obv_loop_drain(world.loop);
    for (unsigned i = 0; i < 4; i++) {
        SCHEDULER_CHECK(is_told(&world.probes[i]));
    }
    if (world.scenario->depth > 0) {
        check_wired(&world.probes[0]);
    }
    if (world.scenario->component) {
        check_wired(&world.probes[3]);
    }
    if (world.scenario->every) {
        thing_set_x_filtered(world.a, 99);
        (void)obv_loop_drain(world.loop);
        SCHEDULER_CHECK(world.probes[1].seen == 99);
    }
    if (world.scenario->check) {
        world.scenario->check();
    }
    for (unsigned i = 0; i < 4; i++) {
        check_probe(&world.probes[i]);
    }
    thing_let_go(world.a);
    thing_let_go(world.z);
    thing_let_go(world.b2);
    thing_let_go(world.b3);
    thing_let_go(world.b4);
    SCHEDULER_CHECK(world.things == 0);
    SCHEDULER_CHECK(obv_context_destroy(world.context) == OBV_OK);
    SCHEDULER_CHECK(scheduler_live_blocks() == 0);
}

void custom_run(const struct scenario *scenarios, size_t count, int argc,
                char **argv)
{
    for (size_t i = 0; i < count; i++) {
        const struct scenario *scenario = &scenarios[i];
        const struct scheduler_program program = {
            .name = scenario->name,
            .setup = setup,
            .threads = {scenario->deeds[0], scenario->deeds[1],
                        scenario->deeds[2]},
            .check = check,
            .preemptions = scenario->preemptions,
            .costly = scenario->costly};
        world.scenario = scenario;
        scheduler_run(&program, argc, argv);
    }
}
