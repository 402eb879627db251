/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads over objects behind a `*` that share a node: their
 * owner sets them, puts others in their places and ends them, while another
 * thread observes one of them alone, asks for more, or stops.
 *
 *     root.*.x, root.p = one, root.q = two; three stands nowhere yet
 *
 * Owed by its check: the observation of all has seen what was set last, once it
 * has been drained; who is observed is who stands there; all that was made is
 * given back.
 */
#include "scheduler.h"

#include "base/reclaim.h"

#include <observable/allocator.h>
#include <observable/observable.h>

#include <string.h>

struct leaf {
    struct obv_object object;
    int64_t x, y;
    struct leaf *next;
};
enum { LEAF_X, LEAF_Y, LEAF_NEXT };
OBV_PROPERTY(leaf, x, i64, LEAF_X)
OBV_PROPERTY(leaf, y, i64, LEAF_Y)
OBV_PROPERTY(leaf, next, object, LEAF_NEXT)

struct root {
    struct obv_object object;
    struct leaf *p, *q;
};
enum { ROOT_P, ROOT_Q };
OBV_PROPERTY(root, p, object, ROOT_P)
OBV_PROPERTY(root, q, object, ROOT_Q)

/* Leads to a `wide`, and then to a `narrow`. */
struct top {
    struct obv_object object;
    struct obv_object *a;
};

struct wide {
    struct obv_object object;
    struct leaf *p, *q, *r;
};

struct narrow {
    struct obv_object object;
    struct leaf *p;
};

struct scenario {
    const char *name;
    void (*deeds[3])(void);
    int preemptions;
};

static struct {
    const struct scenario *scenario;
    struct obv_context *context;
    struct root root;
    struct top top;
    struct wide wide;
    struct narrow narrow;
    struct leaf one, two, three;
    struct leaf *brief; /* stands in the place of one, and its memory goes */
    struct obv_observation *all, *own, *alone;
    int64_t seen; /* of all leaves, at the last call */
    unsigned calls;
    bool stopped, ended;
} world;

static const struct obv_property leaf_properties[] = {
    OBV_FIELD(leaf, x, i64), OBV_FIELD(leaf, y, i64),
    OBV_FIELD_OBJECT(leaf, next, "leaf")};
static const struct obv_property root_properties[] = {
    OBV_FIELD_OBJECT(root, p, "leaf"), OBV_FIELD_OBJECT(root, q, "leaf")};
static const struct obv_class_table leaf_table = {.size = sizeof leaf_table,
                                                  .name = "leaf",
                                                  .instance_size =
                                                      sizeof(struct leaf),
                                                  .properties = leaf_properties,
                                                  .property_count = 3};
static const struct obv_class_table root_table = {.size = sizeof root_table,
                                                  .name = "root",
                                                  .instance_size =
                                                      sizeof(struct root),
                                                  .properties = root_properties,
                                                  .property_count = 2};

static const struct obv_property top_properties[] = {OBV_FIELD(top, a, object)};
static const struct obv_property wide_properties[] = {
    OBV_FIELD_OBJECT(wide, p, "leaf"), OBV_FIELD_OBJECT(wide, q, "leaf"),
    OBV_FIELD_OBJECT(wide, r, "leaf")};
static const struct obv_class_table top_table = {.size = sizeof top_table,
                                                 .name = "top",
                                                 .instance_size =
                                                     sizeof(struct top),
                                                 .properties = top_properties,
                                                 .property_count = 1};
static const struct obv_class_table wide_table = {.size = sizeof wide_table,
                                                  .name = "wide",
                                                  .instance_size =
                                                      sizeof(struct wide),
                                                  .properties = wide_properties,
                                                  .property_count = 3};
static const struct obv_class_table narrow_table = {
    .size = sizeof narrow_table,
    .name = "narrow",
    .instance_size = sizeof(struct narrow),
    .properties = wide_properties,
    .property_count = 1};

/* What the observation of all stands for: a different number for each state. */
static int64_t sum(void)
{
    const struct leaf *p = world.root.p, *q = world.root.q;
    return (p ? 1 + p->x : 0) + 1000 * (q ? 1 + q->x : 0);
}

static void called(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    (void)root;
    (void)call;
    if (observer) {
        world.seen = sum();
        world.calls++;
    }
}

static const struct obv_handler_kind kind = {.changed = called};

static struct obv_observation *observe(struct obv_object *object,
                                       const char *path, uint32_t flags,
                                       void *observer)
{
    struct obv_observation *handle = NULL;
    const struct obv_pair pair = {object, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    SCHEDULER_CHECK(obv_observe_pairs(&pair, 1, &kind, observer, &options,
                                      &handle, NULL) == OBV_OK);
    return handle;
}

static void drain(void)
{
    (void)obv_loop_drain(obv_context_loop(world.context));
}

static void put_three_and_free_brief(void);

static bool is_brief(void)
{
    return world.scenario->deeds[0] == put_three_and_free_brief;
}

static struct leaf *make_brief(struct obv_class *leaves)
{
    const struct obv_allocator *memory = scheduler_allocator();
    struct leaf *made = memory->allocate(memory->context, sizeof *made);
    *made = (struct leaf){.x = 0};
    obv_object_init(&made->object, leaves);
    return made;
}

static void set_top(struct obv_object *object)
{
    SCHEDULER_CHECK(obv_set_object(&world.top.object, 0, object) == OBV_OK);
}

static void narrow_down(void);

/* top.a.*.x, with three children, of which `narrow` has the first. */
static void setup_top(void)
{
    struct obv_class *tops, *wides, *narrows;
    struct obv_context *context = world.context;
    SCHEDULER_CHECK(obv_class_create(context, &top_table, &tops, NULL) ==
                    OBV_OK);
    SCHEDULER_CHECK(obv_class_create(context, &wide_table, &wides, NULL) ==
                    OBV_OK);
    SCHEDULER_CHECK(obv_class_create(context, &narrow_table, &narrows, NULL) ==
                    OBV_OK);
    obv_object_init(&world.top.object, tops);
    obv_object_init(&world.wide.object, wides);
    obv_object_init(&world.narrow.object, narrows);
    world.wide.p = world.narrow.p = &world.one;
    world.wide.q = &world.two;
    world.wide.r = &world.three;
    set_top(&world.wide.object);
    world.alone = observe(&world.top.object, "a.*.x", 0, NULL);
}

static bool has_top(void)
{
    return world.scenario->deeds[0] == narrow_down;
}

static void setup(void)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator =
                                                    scheduler_allocator(),
                                                .reclaim_batch = 4};
    struct obv_class *leaves, *roots;
    const struct scenario *scenario = world.scenario;
    memset(&world, 0, sizeof world);
    world.scenario = scenario;
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &world.context) == OBV_OK);
    SCHEDULER_CHECK(
        obv_class_create(world.context, &leaf_table, &leaves, NULL) == OBV_OK);
    SCHEDULER_CHECK(
        obv_class_create(world.context, &root_table, &roots, NULL) == OBV_OK);
    obv_object_init(&world.one.object, leaves);
    obv_object_init(&world.two.object, leaves);
    obv_object_init(&world.three.object, leaves);
    obv_object_init(&world.root.object, roots);
    world.brief = is_brief() ? make_brief(leaves) : NULL;
    root_set_p(&world.root, is_brief() ? world.brief : &world.one);
    root_set_q(&world.root, &world.two);
    if (has_top()) {
        setup_top();
    } else if (world.scenario->deeds[2]) {
        world.alone = observe(&world.one.object, "y", 0, NULL);
    } else {
        world.all = observe(&world.root.object, "*.x", 0, &world);
    }
    world.seen = sum();
    obv__thread_unlist(obv__thread_self());
}

/* Deeds -------------------------------------------------------------------- */

static void set_one(void)
{
    leaf_set_x(&world.one, 5);
}

static void set_one_twice(void)
{
    leaf_set_x(&world.one, 5);
    scheduler_yield();
    leaf_set_x(&world.one, 6);
}

static void set_and_drain(void)
{
    leaf_set_x(&world.one, 5);
    drain();
    leaf_set_x(&world.one, 6);
}

/* Nothing has changed, and nobody is called. */
static void trigger_one_for_nothing(void)
{
    int64_t old = world.one.x;
    SCHEDULER_CHECK(obv_trigger(&world.one.object, LEAF_X, &old, NULL) ==
                    OBV_OK);
}

/* Who observes behind it observes three. */
static void lead_on(void)
{
    leaf_set_next(&world.one, &world.three);
}

static void put_three(void)
{
    root_set_p(&world.root, &world.three);
}

/* Past the setter, so that others may come before it is told. */
static void poke_three(void)
{
    struct obv_object *old = &world.root.p->object;
    world.root.p = &world.three;
    scheduler_yield();
    SCHEDULER_CHECK(obv_trigger(&world.root.object, ROOT_P, &old, NULL) ==
                    OBV_OK);
}

static void put_three_and_set(void)
{
    root_set_p(&world.root, &world.three);
    leaf_set_x(&world.three, 7);
    leaf_set_x(&world.one, 5);
}

static void put_nil_and_back(void)
{
    root_set_p(&world.root, NULL);
    root_set_p(&world.root, &world.one);
    leaf_set_x(&world.one, 5);
}

static void narrow_down(void)
{
    set_top(&world.narrow.object);
}

static void end_two(void)
{
    root_set_q(&world.root, NULL);
    SCHEDULER_CHECK(obv_object_deinit(&world.two.object) == OBV_OK);
    world.ended = true;
}

static void put_three_and_free_brief(void)
{
    const struct obv_allocator *memory = scheduler_allocator();
    root_set_p(&world.root, &world.three);
    SCHEDULER_CHECK(obv_object_deinit(&world.brief->object) == OBV_OK);
    memory->free(memory->context, world.brief, sizeof *world.brief);
}

static void observe_one(void)
{
    world.own = observe(&world.one.object, "y", 0, NULL);
}

/* In the place of the observation that the other programs begin with. */
static void observe_all(void)
{
    world.all = observe(&world.root.object, "*.x", 0, &world);
}

static bool has_third(void)
{
    return world.scenario->deeds[2] != NULL;
}

static void end_root(void)
{
    SCHEDULER_CHECK(obv_object_deinit(&world.root.object) == OBV_OK);
    leaf_set_x(&world.one, 5);
}

static void observe_behind_one(void)
{
    world.own = observe(&world.one.object, "next.x", 0, NULL);
}

static void observe_behind_all(void)
{
    world.own = observe(&world.root.object, "*.next.x", 0, NULL);
}

static void observe_records(void)
{
    world.own = observe(&world.root.object, "*.x", OBV_NET, NULL);
}

static void observe_more(void)
{
    world.own = observe(&world.root.object, "*.y", 0, NULL);
}

static void identify_two(void)
{
    SCHEDULER_CHECK(obv_object_identity(&world.two.object) != 0);
}

static void stop_all(void)
{
    obv_stop(world.all);
    world.stopped = true;
}

/* ------------------------------------------------------------------------------ */

static bool stands_there(const struct leaf *leaf)
{
    return world.root.p == leaf || world.root.q == leaf;
}

static void check_counts(struct leaf *leaf)
{
    bool is_all = !world.stopped && stands_there(leaf);
    bool is_net = world.scenario->deeds[1] == observe_records;
    if (leaf != &world.two || !world.ended) {
        SCHEDULER_CHECK((int64_t)obv_observer_count(&leaf->object, "x") ==
                        is_all + (is_net && stands_there(leaf)) +
                            (leaf == world.one.next));
    }
}

static size_t count_of(struct leaf *leaf)
{
    return obv_observer_count(&leaf->object, "x");
}

static void check_top(void)
{
    SCHEDULER_CHECK(count_of(&world.one) == 1);
    SCHEDULER_CHECK(count_of(&world.two) == 0);
    SCHEDULER_CHECK(count_of(&world.three) == 0);
    (void)obv_object_deinit(&world.top.object);
    (void)obv_object_deinit(&world.wide.object);
    (void)obv_object_deinit(&world.narrow.object);
}

/* Nobody observes all of them. */
static void check_alone(void)
{
    SCHEDULER_CHECK(count_of(&world.one) == 0);
    SCHEDULER_CHECK(count_of(&world.two) == 0);
}

static void check_root(void)
{
    SCHEDULER_CHECK(world.stopped || has_third() || world.seen == sum());
    check_counts(&world.one);
    check_counts(&world.two);
    check_counts(&world.three);
    unsigned calls = world.calls;
    int64_t before = world.root.p->x;
    leaf_set_x(world.root.p, before + 20);
    drain();
    SCHEDULER_CHECK(world.calls == calls + !world.stopped);
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(obv__reclaim_check());
    drain();
    if (has_top()) {
        check_top();
    } else if (world.scenario->deeds[0] == end_root) {
        check_alone();
    } else {
        check_root();
    }
    obv_release(world.all);
    obv_release(world.own);
    obv_release(world.alone);
    (void)obv_object_deinit(&world.root.object);
    (void)obv_object_deinit(&world.one.object);
    (void)obv_object_deinit(&world.two.object);
    (void)obv_object_deinit(&world.three.object);
    SCHEDULER_CHECK(obv_context_destroy(world.context) == OBV_OK);
}

static const struct scenario scenarios[] = {
    {"set, observe", {set_one, observe_one}, 3},
    {"set twice, observe", {set_one_twice, observe_one}, 3},
    {"set and drain, observe", {set_and_drain, observe_one}, 3},
    {"set, observe with records", {set_one, observe_records}, 3},
    {"set, observe more", {set_one, observe_more}, 3},
    {"set, identify another", {set_one, identify_two}, 3},
    {"set, stop", {set_one, stop_all}, 3},
    {"trigger for nothing, stop", {trigger_one_for_nothing, stop_all}, 3},
    {"trigger for nothing, observe", {trigger_one_for_nothing, observe_one}, 3},
    {"lead on, observe behind one", {lead_on, observe_behind_one}, 2},
    {"lead on, observe behind all", {lead_on, observe_behind_all}, 2},
    {"put, observe", {put_three, observe_one}, 3},
    {"put and set, observe", {put_three_and_set, observe_one}, 3},
    {"put and set, observe with records",
     {put_three_and_set, observe_records},
     2},
    {"put and back, observe", {put_nil_and_back, observe_one}, 3},
    {"put and set, stop", {put_three_and_set, stop_all}, 3},
    {"narrow down, observe", {narrow_down, observe_one}, 2},
    {"poke, observe, observe more", {poke_three, observe_all, observe_more}, 1},
    {"put and free, observe more", {put_three_and_free_brief, observe_more}, 2},
    {"put and free, observe with records",
     {put_three_and_free_brief, observe_records},
     2},
    {"end root, observe", {end_root, observe_one}, 3},
    {"end root, identify another", {end_root, identify_two}, 3},
    {"end root, stop", {end_root, stop_all}, 2},
    {"end, observe with records", {end_two, observe_records}, 2},
    {"end, observe more", {end_two, observe_more}, 3},
    {"end, stop", {end_two, stop_all}, 3},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *scenario = &scenarios[i];
        const struct scheduler_program program = {
            .name = scenario->name,
            .setup = setup,
            .threads = {scenario->deeds[0], scenario->deeds[1],
                        scenario->deeds[2]},
            .check = check,
            .preemptions = scenario->preemptions};
        world.scenario = scenario;
        scheduler_run(&program, argc, argv);
    }
    return 0;
}
