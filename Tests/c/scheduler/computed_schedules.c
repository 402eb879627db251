/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of an owner of computed properties and a thread that ends one of
 * the objects (LT-6):
 *
 *     source.v = source.number + 1, other.v likewise
 *     middle.v = source.v + other.v
 *     top.v    = 2 * middle.v, as long as middle is there, else -1
 *
 * or, in `stored`, top.v = middle.number + other.number, else other.number - 1;
 * in `shared`, middle.v and other.v are source.number, which is read by one
 * of them first.
 * `top` reads `middle` as a weak reference does. The owner sets, reads and drains.
 * In `two_ends` a third thread ends `extra`, which has read what `middle` has.
 *
 * In `two_owners` the other thread ends nothing: it owns `extra`, and both read
 * what any thread may set:
 *
 *     top.v   = source.shared, or 7 once top.number is set
 *     extra.v = the same of its own
 *
 * Owed by its check: what is read is right, who observes has seen the last value,
 * the next change is told, and nothing leaks.
 */
#include "scheduler.h"

#include "threads_check.h"

#include "base/reclaim.h"
#include "model/computed.h"

#include <observable/allocator.h>
#include <observable/observable.h>

#include <string.h>

enum { NUMBER, V, SHARED, PROPERTIES };

struct node {
    struct obv_object object;
    int64_t references, number, v, shared;
};

OBV_PROPERTY(node, number, i64, NUMBER)
OBV_COMPUTED(node, v, i64, V)
OBV_PROPERTY_ANY_THREAD(node, shared, i64, SHARED)

struct scenario {
    const char *name;
    void (*owner)(void);
    void (*another)(void); /* NULL: it ends `middle` */
    bool is_observed, is_stored, is_shared, is_fenced, two_ends, two_owners,
        is_set;
    int preemptions;
    bool costly;
};

static struct {
    const struct scenario *scenario;
    struct obv_context *context;
    struct obv_class *nodes;
    struct obv_loop *loop;
    struct node *source, *other, *middle, *top, *extra;
    struct obv__lock weak; /* guards `middle` */
    struct obv_observation *handle;
    int64_t seen;
    unsigned calls;
} world;

/* Nodes -------------------------------------------------------------------- */

static bool retain(struct obv_object *object)
{
    int64_t *references = &((struct node *)(void *)object)->references;
    int64_t seen = obv__load_relaxed(references);
    while (seen > 0 && !obv__cas_acq_rel(references, &seen, seen + 1)) {
    }
    return seen > 0;
}

static void release(struct obv_object *object)
{
    int64_t *references = &((struct node *)(void *)object)->references;
    if (obv__fetch_add_seq_cst(references, -1) == 1) {
        SCHEDULER_CHECK(obv_object_deinit(object) == OBV_OK);
        scheduler_allocator()->free(scheduler_allocator()->context, object,
                                    sizeof(struct node));
    }
}

static struct node *living_middle(void)
{
    obv__lock_enter(&world.weak);
    struct node *middle = world.middle;
    if (middle && !retain(&middle->object)) {
        middle = NULL;
    }
    obv__lock_leave(&world.weak);
    return middle;
}

static int64_t value_of_top(void)
{
    struct node *middle = living_middle();
    int64_t value = -1;
    if (middle) {
        value = world.scenario->is_stored ? node_number(middle)
                                          : 2 * node_v(middle);
        release(&middle->object);
    }
    return value + (world.scenario->is_stored ? node_number(world.other) : 0);
}

static enum obv_status make_v(struct obv_object *object,
                              const struct obv_property *property, void *result)
{
    struct node *node = (struct node *)(void *)object;
    int64_t value;
    (void)property;
    if (world.scenario->two_owners) {
        value = node_number(node) != 0 ? 7 : node_shared(world.source);
    } else if (node == world.top) {
        value = value_of_top();
    } else if (world.scenario->is_shared) {
        value = node_number(world.source);
    } else if (node == world.source || node == world.other) {
        value = node_number(node) + 1;
    } else {
        value = node_v(world.source) + node_v(world.other);
    }
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static const struct obv_computed computed_v = {.size = sizeof computed_v,
                                               .evaluate = make_v};

static const struct obv_property lines[] = {
    [NUMBER] = OBV_FIELD(node, number, i64),
    [V] = OBV_FIELD_COMPUTED(node, v, i64, &computed_v),
    [SHARED] = OBV_FIELD_WITH(node, shared, i64, OBV_ANY_THREAD, NULL)};

static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "node",
                                             .instance_size =
                                                 sizeof(struct node),
                                             .properties = lines,
                                             .property_count = PROPERTIES,
                                             .retain = retain,
                                             .release = release};

static struct node *make_node(void)
{
    struct node *made = scheduler_allocator()->allocate(
        scheduler_allocator()->context, sizeof *made);
    memset(made, 0, sizeof *made);
    made->references = 1;
    obv_object_init(&made->object, world.nodes);
    return made;
}

/* The observer ------------------------------------------------------------- */

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    world.calls++;
    world.seen = node_v(world.top);
}

static const struct obv_handler_kind kind = {.changed = changed};

/* Deeds -------------------------------------------------------------------- */

static void end_middle(void)
{
    obv__lock_enter(&world.weak);
    struct node *middle = world.middle;
    world.middle = NULL;
    obv__lock_leave(&world.weak);
    release(&middle->object);
}

static void end_extra(void)
{
    release(&world.extra->object);
}

static void drain(void)
{
    (void)obv_loop_drain(world.loop);
}

/* What `top` is with `middle`, and without. */
static int64_t expected(bool is_there)
{
    int64_t source = world.source->number, other = world.other->number;
    return world.scenario->is_stored   ? other - !is_there
           : !is_there                 ? -1
           : world.scenario->is_shared ? 2 * source
                                       : 2 * (source + other + 2);
}

static void read_top(void)
{
    int64_t value = node_v(world.top);
    SCHEDULER_CHECK(value == expected(true) || value == expected(false));
}

static void set(void)
{
    node_set_number(world.other, 1);
}

/* Hangs where `middle` does, and hears of the next change. */
static void read_other(void)
{
    SCHEDULER_CHECK(node_v(world.other) == 0);
    node_set_number(world.source, 1);
    SCHEDULER_CHECK(node_v(world.other) == 1);
}

static void set_and_read(void)
{
    set();
    read_top();
}

static void set_and_drain(void)
{
    set();
    drain();
}

static void set_read_and_drain(void)
{
    set_and_read();
    drain();
}

static void begin_to_observe(void)
{
    SCHEDULER_CHECK(obv_observe(&world.top->object, "v", &kind, &world,
                                &world.handle, NULL) == OBV_OK);
}

static void observe_again(void)
{
    obv_stop(world.handle);
    obv_release(world.handle);
    begin_to_observe();
    world.seen = node_v(world.top);
}

/* Of two owners: each computes with what any thread may set. */
static void read_shared_and_drain(void)
{
    int64_t value = node_v(world.top);
    SCHEDULER_CHECK(value == 0 || value == 1);
    drain();
}

static void set_shared_and_read(void)
{
    SCHEDULER_CHECK(node_v(world.extra) == 0);
    node_set_shared(world.source, 1);
    SCHEDULER_CHECK(node_v(world.extra) == 1);
}

static void read_set(void)
{
    SCHEDULER_CHECK(node_v(world.extra) == 1);
}

/* It has read it, and does not any more. */
static void read_no_more(struct node *node)
{
    node_set_number(node, 1);
    SCHEDULER_CHECK(node_v(node) == 7);
}

static void top_reads_no_more(void)
{
    read_no_more(world.top);
}

static void extra_reads_no_more(void)
{
    read_no_more(world.extra);
}

/* A world ------------------------------------------------------------------ */

static void setup(void)
{
    const struct scenario *scenario = world.scenario;
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator =
                                                    scheduler_allocator(),
                                                .reclaim_batch = 4};
    memset(&world, 0, sizeof world);
    world.scenario = scenario;
    if (scenario->is_fenced) {
        scheduler_refuse_membarrier();
    }
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &world.context) == OBV_OK);
    world.loop = obv_context_loop(world.context);
    SCHEDULER_CHECK(
        obv_class_create(world.context, &table, &world.nodes, NULL) == OBV_OK);
    world.source = make_node();
    world.other = make_node();
    world.middle = make_node();
    world.top = make_node();
    world.extra = make_node();
    if (scenario->is_observed) {
        begin_to_observe();
    }
    if (scenario->is_set) {
        SCHEDULER_CHECK(node_v(world.top) == node_v(world.extra));
        node_set_shared(world.source, 1);
    } else if (!scenario->two_owners) {
        world.seen = node_v(world.top);
        SCHEDULER_CHECK(world.seen == expected(true));
        SCHEDULER_CHECK(node_v(world.extra) != -1);
    }
    obv__thread_unlist(obv__thread_self());
}

static void check_two_owners(void)
{
    int64_t shared = world.source->shared;
    drain();
    SCHEDULER_CHECK(node_v(world.top) == (world.top->number ? 7 : shared));
    SCHEDULER_CHECK(node_v(world.extra) == (world.extra->number ? 7 : shared));
    node_set_shared(world.source, 2);
    SCHEDULER_CHECK(node_v(world.top) == (world.top->number ? 7 : 2));
    SCHEDULER_CHECK(node_v(world.extra) == (world.extra->number ? 7 : 2));
    end_middle();
}

static void check_end(void)
{
    drain();
    SCHEDULER_CHECK(node_v(world.top) == expected(false));
    if (world.scenario->is_observed) {
        drain();
        SCHEDULER_CHECK(world.seen == expected(false));
        /* The next change is told. */
        unsigned calls = world.calls;
        world.middle = make_node();
        SCHEDULER_CHECK(obv_invalidate(&world.top->object, V) == OBV_OK);
        drain();
        SCHEDULER_CHECK(world.calls == calls + 1);
        SCHEDULER_CHECK(world.seen == expected(true));
        end_middle();
        obv_stop(world.handle);
        obv_release(world.handle);
    }
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(threads_are_right());
    if (world.scenario->two_owners) {
        check_two_owners();
    } else {
        check_end();
    }
    drain();
    if (!world.scenario->two_ends) {
        end_extra();
    }
    release(&world.top->object);
    release(&world.source->object);
    release(&world.other->object);
    SCHEDULER_CHECK(obv_context_destroy(world.context) == OBV_OK);
    SCHEDULER_CHECK(scheduler_live_blocks() == 0);
}

static const struct scenario scenarios[] = {
    {.name = "set", .owner = set, .preemptions = 3},
    {.name = "read", .owner = read_top, .preemptions = 3},
    {.name = "set and read", .owner = set_and_read, .preemptions = 2},
    {.name = "stored: read",
     .owner = read_top,
     .is_stored = true,
     .preemptions = 3},
    {.name = "stored: set and read",
     .owner = set_and_read,
     .is_stored = true,
     .preemptions = 2},
    {.name = "shared: read another",
     .owner = read_other,
     .is_shared = true,
     .preemptions = 3},
    {.name = "observed: drain",
     .owner = drain,
     .is_observed = true,
     .preemptions = 2},
    {.name = "observed: set and drain",
     .owner = set_and_drain,
     .is_observed = true,
     .preemptions = 2},
    {.name = "observed: set, read and drain",
     .owner = set_read_and_drain,
     .is_observed = true,
     .preemptions = 2,
     .costly = true},
    {.name = "observed: begin again",
     .owner = observe_again,
     .is_observed = true,
     .preemptions = 2},
    {.name = "fenced: set and read",
     .owner = set_and_read,
     .is_fenced = true,
     .preemptions = 2},
    {.name = "two ends: set and read",
     .owner = set_and_read,
     .two_ends = true,
     .preemptions = 1},
    {.name = "two owners: read and drain, set and read",
     .owner = read_shared_and_drain,
     .another = set_shared_and_read,
     .two_owners = true,
     .preemptions = 1},
    {.name = "two owners: drain, read",
     .owner = drain,
     .another = read_set,
     .two_owners = true,
     .is_set = true,
     .preemptions = 2},
    {.name = "two owners: read no more",
     .owner = top_reads_no_more,
     .another = extra_reads_no_more,
     .two_owners = true,
     .is_set = true,
     .preemptions = 1},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *scenario = &scenarios[i];
        const struct scheduler_program program = {
            .name = scenario->name,
            .setup = setup,
            .threads = {scenario->owner,
                        scenario->another ? scenario->another : end_middle,
                        scenario->two_ends ? end_extra : NULL},
            .check = check,
            .preemptions = scenario->preemptions,
            .costly = scenario->costly};
        world.scenario = scenario;
        scheduler_run(&program, argc, argv);
    }
    return 0;
}
