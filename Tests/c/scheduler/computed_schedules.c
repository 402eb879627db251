/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads, or three, over computed properties of one object
 * that any thread may use:
 *
 *     v = number + 1      w = v * 2      number, other: set by any thread
 *
 * A record is claimed by plain stores until a second thread comes, which revokes
 * that (claim.c): so a property is computed by the setup's thread first, or, in
 * `fresh`, by whoever comes first.
 *
 * Owed by its check: what is read is what some set has made of it; in the end each
 * property has its value, whoever observes has seen it, the next change is told, and
 * nothing leaks.
 */
#include "scheduler.h"

#include "base/reclaim.h"
#include "model/computed.h"

#include <observable/allocator.h>
#include <observable/observable.h>

#include <string.h>

enum { NUMBER, OTHER, V, W, PROPERTIES };

enum { PROBES = 2 };

struct node {
    struct obv_object object;
    int64_t number, other, v, w;
};

OBV_PROPERTY_ANY_THREAD(node, number, i64, NUMBER)
OBV_PROPERTY_ANY_THREAD(node, other, i64, OTHER)
OBV_COMPUTED(node, v, i64, V)
OBV_COMPUTED(node, w, i64, W)

struct scenario {
    const char *name;
    void (*deeds[SCHEDULER_THREADS_MAX])(void);
    const char *path; /* that is observed; NULL: none */
    bool is_later;    /* not before a deed begins to */
    uint32_t flags;   /* of the observation */
    bool is_fresh;    /* nothing was computed before */
    bool is_alone;    /* only one thread has marked before */
    bool invalidates; /* a handler, before it reads */
    bool changes;     /* so it does, but behind its read */
    bool sets_other;  /* behind its read, what both have read for nothing */
    bool turns;       /* immediate, by a deed */
    bool is_pending;  /* a set has made it due */
    bool is_back;     /* another has taken that back */
    bool is_fenced;   /* the system has no membarrier */
    bool reads_twice; /* `w` reads `v` before it reads it for its value */
    int preemptions;
    bool costly;
};

struct probe {
    struct obv_observation *handle;
    bool stopped;
    int64_t seen;
    unsigned calls;
};

static struct {
    const struct scenario *scenario;
    struct obv_context *context;
    struct obv_class *nodes;
    struct node *node;
    struct probe probes[PROBES];
    unsigned evaluations, disposed, begun;
} world;

/* Nodes -------------------------------------------------------------------- */

static void read_other(const struct node *node)
{
    if (world.scenario->sets_other) {
        (void)node_other(node);
    }
}

static enum obv_status make_v(struct obv_object *object,
                              const struct obv_property *property, void *result)
{
    int64_t value = node_number((struct node *)(void *)object) + 1;
    (void)property;
    read_other((struct node *)(void *)object);
    world.evaluations++;
    SCHEDULER_POINT("v: read");
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static enum obv_status make_w(struct obv_object *object,
                              const struct obv_property *property, void *result)
{
    const struct node *node = (struct node *)(void *)object;
    (void)property;
    if (world.scenario->reads_twice) {
        (void)node_v(node);
    }
    read_other(node);
    int64_t value = node_v(node) * 2;
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static const struct obv_computed computed_v = {.size = sizeof computed_v,
                                               .evaluate = make_v};
static const struct obv_computed computed_w = {.size = sizeof computed_w,
                                               .evaluate = make_w};

static const struct obv_property lines[] = {
    [NUMBER] = OBV_FIELD_WITH(node, number, i64, OBV_ANY_THREAD, NULL),
    [OTHER] = OBV_FIELD_WITH(node, other, i64, OBV_ANY_THREAD, NULL),
    [V] = OBV_FIELD_COMPUTED(node, v, i64, &computed_v),
    [W] = OBV_FIELD_COMPUTED(node, w, i64, &computed_w)};

static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "node",
                                             .instance_size =
                                                 sizeof(struct node),
                                             .properties = lines,
                                             .property_count = PROPERTIES};

/* Probes ------------------------------------------------------------------- */

static bool is_of_w(void)
{
    return world.scenario->path && world.scenario->path[0] == 'w';
}

static int64_t read_observed(void)
{
    return is_of_w() ? node_w(world.node) : node_v(world.node);
}

static void invalidate(void)
{
    SCHEDULER_CHECK(obv_invalidate(&world.node->object, V) == OBV_OK);
}

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    struct probe *probe = observer;
    (void)root;
    (void)call;
    probe->calls++;
    if (world.scenario->invalidates) {
        invalidate();
    }
    probe->seen = read_observed();
    if (world.scenario->changes) {
        invalidate();
    }
    if (world.scenario->sets_other) {
        node_set_other(world.node, node_other(world.node) + 1);
    }
}

static void disposed(const struct obv_handler_kind *kind, void *observer)
{
    (void)kind;
    (void)observer;
    world.disposed++;
}

static const struct obv_handler_kind kind = {.changed = changed,
                                             .dispose = disposed};

/* What it is handed counts as seen: whatever comes behind that is told. */
static void begin(struct probe *probe)
{
    const struct obv_observe_options how = {.size = sizeof how,
                                            .flags = world.scenario->flags};
    const struct obv_pair pair = {.root = &world.node->object,
                                  .path = world.scenario->path};
    SCHEDULER_CHECK(obv_observe_pairs(&pair, 1, &kind, probe, &how,
                                      &probe->handle, NULL) == OBV_OK);
    world.begun++;
}

/* Deeds -------------------------------------------------------------------- */

/* Of every number that is ever stored. */
static void check_value(int64_t v)
{
    SCHEDULER_CHECK((v >= 1 && v <= 3) || v == 11);
}

static void set_1(void)
{
    node_set_number(world.node, 1);
}

static void set_2(void)
{
    node_set_number(world.node, 2);
}

static void set_there_and_back(void)
{
    node_set_number(world.node, 10);
    node_set_number(world.node, 0);
}

static void read_v(void)
{
    check_value(node_v(world.node));
}

/* Each read may be of another set, but none of one before the last. */
static void read_v_twice(void)
{
    read_v();
    read_v();
}

static void read_w(void)
{
    int64_t w = node_w(world.node);
    SCHEDULER_CHECK(w % 2 == 0);
    check_value(w / 2);
}

static void set_2_and_read(void)
{
    set_2();
    read_v();
}

static void set_2_read_and_set_1(void)
{
    set_2_and_read();
    set_1();
}

static void set_2_then_1(void)
{
    set_2();
    set_1();
}

static void read_own_set(void)
{
    node_set_number(world.node, 2);
    SCHEDULER_CHECK(node_v(world.node) == 3);
}

static void drain_once(void)
{
    (void)obv_loop_drain(obv_context_loop(world.context));
}

static void in_a_batch(void (*deed)(void))
{
    struct obv_batch batch;
    obv_batch_begin(&batch);
    deed();
    obv_batch_end(&batch);
}

static void set_1_in_a_batch(void)
{
    in_a_batch(set_1);
}

static void set_2_in_a_batch(void)
{
    in_a_batch(set_2);
}

static void drain_in_a_batch(void)
{
    in_a_batch(drain_once);
}

static void stop(void)
{
    world.probes[0].stopped = true;
    obv_stop(world.probes[0].handle);
}

static void observe(void)
{
    begin(&world.probes[1]);
    world.probes[1].seen = read_observed();
}

static void observe_and_set_back(void)
{
    observe();
    node_set_number(world.node, 0);
}

static void turn_immediate(void)
{
    obv_make_immediate(world.probes[0].handle);
}

static void set_1_and_read(void)
{
    set_1();
    read_v();
}

static void observe_set_1_and_drain(void)
{
    observe();
    set_1();
    drain_once();
}

static void observe_set_1_drain_and_set_1(void)
{
    observe_set_1_and_drain();
    set_1();
}

static void set_v(void)
{
    node_set_v(world.node, 11);
}

/* The world ---------------------------------------------------------------- */

static void setup(void)
{
    const struct scenario *scenario = world.scenario;
    const struct obv_allocator *from = scheduler_allocator();
    const struct obv_context_options options = {
        .size = sizeof options, .allocator = from, .reclaim_batch = 4};
    memset(&world, 0, sizeof world);
    world.scenario = scenario;
    if (scenario->is_fenced) {
        scheduler_refuse_membarrier();
    }
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &world.context) == OBV_OK);
    if (!scenario->is_alone) {
        obv__store_relaxed(&world.context->marker, OBV__MANY_MARKERS);
    }
    SCHEDULER_CHECK(
        obv_class_create(world.context, &table, &world.nodes, NULL) == OBV_OK);
    world.node = from->allocate(from->context, sizeof *world.node);
    SCHEDULER_CHECK(world.node);
    memset(world.node, 0, sizeof *world.node);
    obv_object_init(&world.node->object, world.nodes);
    if (!scenario->is_fresh) {
        SCHEDULER_CHECK(node_w(world.node) == 2);
    }
    if (scenario->path && !scenario->is_later) {
        begin(&world.probes[0]);
        world.probes[0].seen = read_observed();
    }
    if (scenario->is_pending) {
        node_set_number(world.node, 1);
    }
    if (scenario->is_back) {
        node_set_number(world.node, 0);
    }
    obv__thread_unlist(obv__thread_self());
}

static void drain_all(void)
{
    for (int i = 0; i < 3; i++) {
        drain_once();
    }
}

static bool has_seen(const struct probe *probe, int64_t v)
{
    return !probe->handle || probe->stopped ||
           probe->seen == (is_of_w() ? 2 * v : v);
}

static void check_seen(int64_t v)
{
    SCHEDULER_CHECK(has_seen(&world.probes[0], v));
    SCHEDULER_CHECK(has_seen(&world.probes[1], v));
}

/* Whether `v` was set: then it has no number's value. */
static bool is_set(void)
{
    bool is = false;
    for (int t = 0; t < SCHEDULER_THREADS_MAX; t++) {
        is = is || world.scenario->deeds[t] == set_v;
    }
    return is;
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(obv__reclaim_check());
    drain_all();
    int64_t v = node_v(world.node);
    SCHEDULER_CHECK(v == node_number(world.node) + 1 || (is_set() && v == 11));
    SCHEDULER_CHECK(node_w(world.node) == 2 * v);
    check_seen(v);
    /* It follows still. */
    node_set_number(world.node, 20);
    drain_all();
    SCHEDULER_CHECK(node_v(world.node) == 21);
    SCHEDULER_CHECK(node_w(world.node) == 42);
    check_seen(21);
    /* There and back is no call, nor is anything left to compare with. But a
       handler's own change may have hidden one of another thread. */
    unsigned calls = world.probes[0].calls;
    node_set_number(world.node, 21);
    node_set_number(world.node, 20);
    drain_all();
    SCHEDULER_CHECK(world.scenario->flags & OBV_IMMEDIATE ||
                    world.scenario->turns || world.scenario->changes ||
                    world.scenario->sets_other ||
                    world.probes[0].calls == calls);
    for (int p = 0; p < PROBES; p++) {
        obv_stop(world.probes[p].handle);
        obv_release(world.probes[p].handle);
    }
    drain_all();
    SCHEDULER_CHECK(world.disposed == world.begun);
    SCHEDULER_CHECK(obv_object_deinit(&world.node->object) == OBV_OK);
    scheduler_allocator()->free(scheduler_allocator()->context, world.node,
                                sizeof *world.node);
    SCHEDULER_CHECK(obv_context_destroy(world.context) == OBV_OK);
    SCHEDULER_CHECK(scheduler_live_blocks() == 0);
}

#define OBSERVED(of, its_path, its_flags, its_preemptions)                     \
    {.name = of ": set, drain",                                                \
     .deeds = {set_1, drain_once},                                             \
     .path = (its_path),                                                       \
     .flags = (its_flags),                                                     \
     .preemptions = 2},                                                        \
        {.name = of ": set there and back, drain",                             \
         .deeds = {set_there_and_back, drain_once},                            \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = 2},                                                    \
        {.name = of ": set, read",                                             \
         .deeds = {set_1, read_w},                                             \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = 2},                                                    \
        {.name = of ": set, set",                                              \
         .deeds = {set_1, set_2},                                              \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = 2},                                                    \
        {.name = of ": set, stop",                                             \
         .deeds = {set_1, stop},                                               \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = 2},                                                    \
        {.name = of ": set, observe",                                          \
         .deeds = {set_1, observe},                                            \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = (its_preemptions)},                                    \
    {                                                                          \
        .name = of ": pending, set, drain", .deeds = {set_2, drain_once},      \
        .path = (its_path), .flags = (its_flags), .is_pending = true,          \
        .preemptions = 2                                                       \
    }

#define PENDING(of, its_path)                                                  \
    {.name = of ": pending, drain, read",                                      \
     .deeds = {drain_once, read_w},                                            \
     .path = (its_path),                                                       \
     .is_pending = true,                                                       \
     .preemptions = 2},                                                        \
        {.name = of ": pending, drain, stop",                                  \
         .deeds = {drain_once, stop},                                          \
         .path = (its_path),                                                   \
         .is_pending = true,                                                   \
         .preemptions = 2},                                                    \
        {.name = of ": pending, read, stop",                                   \
         .deeds = {read_w, stop},                                              \
         .path = (its_path),                                                   \
         .is_pending = true,                                                   \
         .preemptions = 2},                                                    \
    {                                                                          \
        .name = of ": pending, drain, observe",                                \
        .deeds = {drain_once, observe}, .path = (its_path),                    \
        .is_pending = true, .preemptions = 2                                   \
    }

static const struct scenario scenarios[] = {
    {.name = "read: set, read", .deeds = {set_1, read_v}, .preemptions = 3},
    {.name = "read: set, read twice",
     .deeds = {set_1, read_v_twice},
     .preemptions = 2},
    {.name = "read: set, read w", .deeds = {set_1, read_w}, .preemptions = 3},
    {.name = "read: read, read",
     .deeds = {read_w, read_w},
     .is_pending = true,
     .preemptions = 2},
    {.name = "read: read own set, read",
     .deeds = {read_own_set, read_w},
     .preemptions = 2},
    {.name = "read: invalidate, read w",
     .deeds = {invalidate, read_w},
     .preemptions = 3},
    {.name = "read: set v, read w", .deeds = {set_v, read_w}, .preemptions = 2},
    {.name = "read: set, read, read",
     .deeds = {set_1, read_v, read_w},
     .preemptions = 2,
     .costly = true},
    {.name = "fresh: read, read",
     .deeds = {read_w, read_w},
     .is_fresh = true,
     .preemptions = 2},
    {.name = "fresh: set, read",
     .deeds = {set_1, read_w},
     .is_fresh = true,
     .preemptions = 3},
    {.name = "fresh: read own set, read twice",
     .deeds = {read_own_set, read_v_twice},
     .is_fresh = true,
     .preemptions = 2},
    {.name = "fenced: set, read w",
     .deeds = {set_1, read_w},
     .is_fenced = true,
     .preemptions = 2},
    {.name = "fenced: set, drain",
     .deeds = {set_1, drain_once},
     .path = "v",
     .is_fenced = true,
     .preemptions = 2},
    OBSERVED("v", "v", 0, 3),
    OBSERVED("w", "w", 0, 2),
    OBSERVED("immediate", "v", OBV_IMMEDIATE, 2),
    PENDING("v", "v"),
    PENDING("w", "w"),
    {.name = "v: invalidate, drain",
     .deeds = {invalidate, drain_once},
     .path = "v",
     .preemptions = 2},
    {.name = "v: there and back, drain, set and read",
     .deeds = {drain_once, set_2_and_read},
     .path = "v",
     .is_pending = true,
     .is_back = true,
     .preemptions = 2},
    {.name = "v: pending, drain, set, read and set back",
     .deeds = {drain_once, set_2_read_and_set_1},
     .path = "v",
     .is_pending = true,
     .preemptions = 2},
    {.name = "v: turn immediate, set and read",
     .deeds = {turn_immediate, set_1_and_read},
     .path = "v",
     .turns = true,
     .preemptions = 2},
    {.name = "v: pending, turn immediate, drain",
     .deeds = {turn_immediate, drain_once},
     .path = "v",
     .turns = true,
     .is_pending = true,
     .preemptions = 2},
    {.name = "later: set, observe v",
     .deeds = {set_1, observe},
     .path = "v",
     .is_later = true,
     .preemptions = 2},
    {.name = "later: set, observe w",
     .deeds = {set_1, observe},
     .path = "w",
     .is_later = true,
     .preemptions = 2},
    {.name = "later: set, observe v at once",
     .deeds = {set_1, observe},
     .path = "v",
     .flags = OBV_IMMEDIATE,
     .is_later = true,
     .preemptions = 2},
    {.name = "alone: observe, set, drain, set, read and set back",
     .deeds = {observe_set_1_and_drain, set_2_read_and_set_1},
     .path = "v",
     .is_later = true,
     .is_fresh = true,
     .is_alone = true,
     .preemptions = 2,
     .costly = true},
    {.name = "alone: observe, set, drain and invalidate, set and set back",
     .deeds = {observe_set_1_and_drain, set_2_then_1},
     .path = "v",
     .flags = OBV_DEFER,
     .is_later = true,
     .is_fresh = true,
     .is_alone = true,
     .invalidates = true,
     .preemptions = 2},
    {.name = "alone: observe w, set, drain and invalidate, set, set",
     .deeds = {observe_set_1_drain_and_set_1, set_2},
     .path = "w",
     .flags = OBV_DEFER,
     .is_later = true,
     .is_fresh = true,
     .is_alone = true,
     .invalidates = true,
     .preemptions = 2},
    {.name = "v: pending, drain and change, set",
     .deeds = {drain_once, set_2},
     .path = "v",
     .changes = true,
     .is_pending = true,
     .preemptions = 2},
    {.name = "w: pending, drain and change, set",
     .deeds = {drain_once, set_2},
     .path = "w",
     .changes = true,
     .is_pending = true,
     .preemptions = 2},
    {.name = "w: pending, drain and change, set, read",
     .deeds = {drain_once, set_2, read_v},
     .path = "w",
     .changes = true,
     .is_pending = true,
     .preemptions = 2,
     .costly = true},
    {.name = "w: pending, drain and change, set, set",
     .deeds = {drain_once, set_2, set_1},
     .path = "w",
     .changes = true,
     .is_pending = true,
     .preemptions = 2,
     .costly = true},
    {.name = "v: pending, drain and change in a batch, set",
     .deeds = {drain_in_a_batch, set_2},
     .path = "v",
     .changes = true,
     .is_pending = true,
     .preemptions = 2},
    {.name = "w: pending, drain and set other, set",
     .deeds = {drain_once, set_2},
     .path = "w",
     .sets_other = true,
     .is_pending = true,
     .preemptions = 2},
    {.name = "w: pending, drain and set other, set in a batch",
     .deeds = {drain_once, set_2_in_a_batch},
     .path = "w",
     .sets_other = true,
     .is_pending = true,
     .preemptions = 2},
    {.name = "w: pending, drain and change, set in a batch, drain",
     .deeds = {drain_once, set_2_in_a_batch, drain_once},
     .path = "w",
     .changes = true,
     .is_pending = true,
     .preemptions = 2,
     .costly = true},
    {.name = "w: pending, drain and change in a batch, set in a batch",
     .deeds = {drain_in_a_batch, set_2_in_a_batch},
     .path = "w",
     .changes = true,
     .is_pending = true,
     .preemptions = 2},
    {.name = "w: set in a batch, set",
     .deeds = {set_1_in_a_batch, set_2},
     .path = "w",
     .preemptions = 2},
    {.name = "w: set in a batch, set, drain",
     .deeds = {set_1_in_a_batch, set_2, drain_once},
     .path = "w",
     .preemptions = 2,
     .costly = true},
    {.name = "w: set in a batch, set in a batch",
     .deeds = {set_1_in_a_batch, set_1_in_a_batch},
     .path = "w",
     .preemptions = 2},
    {.name = "alone: observe, set, drain and change, set",
     .deeds = {observe_set_1_and_drain, set_2},
     .path = "v",
     .is_later = true,
     .is_alone = true,
     .changes = true,
     .preemptions = 2},
    {.name = "later: read, observe and set back",
     .deeds = {read_v, observe_and_set_back},
     .path = "v",
     .is_later = true,
     .is_pending = true,
     .preemptions = 2},
    {.name = "v: pending, drain, read, set there and back",
     .deeds = {drain_once, read_v, set_2_then_1},
     .path = "v",
     .is_pending = true,
     .preemptions = 2,
     .costly = true},
    {.name = "w: set, drain, read",
     .deeds = {set_1, drain_once, read_w},
     .path = "w",
     .preemptions = 2,
     .costly = true},
    {.name = "w: pending, drain, read w twice, read v",
     .deeds = {drain_once, read_w, read_v},
     .path = "w",
     .is_pending = true,
     .reads_twice = true,
     .preemptions = 2,
     .costly = true},
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
            .preemptions = scenario->preemptions,
            .costly = scenario->costly};
        world.scenario = scenario;
        scheduler_run(&program, argc, argv);
    }
    return 0;
}
