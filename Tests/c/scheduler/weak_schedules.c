/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads over a weak property whose object dies on one of
 * them, while the object that has the property ends on the other, or is given
 * another one.
 *
 *     root.next -> middle.weak -> leaf
 *
 * Memory of what has ended goes at once but the leaf's, which what is weak may
 * still look at; a step in it afterwards fails the schedule.
 *
 * Owed by its check: no death is missed, everything is disposed of once and
 * nothing leaks.
 */
#include "scheduler.h"

#include "threads_check.h"

#include "base/reclaim.h"

#include <observable/allocator.h>
#include <observable/observable.h>

#include <string.h>

enum { NEXT, WEAK };

struct node {
    struct obv_object object;
    uint64_t references;
    struct node *next; /* with a reference */
    struct node *weak; /* without */
};

struct scenario {
    const char *name;
    void (*deeds[2])(void);
    const char *path;
    uint32_t flags; /* of the observation */
    int preemptions;
};

static struct {
    const struct scenario *scenario;
    struct obv_context *context;
    struct obv_class *nodes;
    struct node *root, *leaf; /* `leaf` is NULL once it has died */
    void *memory;             /* of the leaf */
    struct obv_observation *handle;
    unsigned calls, disposed;
} world;

/* Nodes -------------------------------------------------------------------- */

static struct node *node_of(struct obv_object *object)
{
    return (struct node *)(void *)object;
}

static bool node_retain(struct obv_object *object)
{
    uint64_t *references = &node_of(object)->references;
    uint64_t seen = obv__load_relaxed(references);
    while (seen > 0 && !obv__cas_acq_rel(references, &seen, seen + 1)) {
    }
    return seen > 0;
}

static void node_free(void *memory)
{
    const struct obv_allocator *to = scheduler_allocator();
    to->free(to->context, memory, sizeof(struct node));
}

static void let_go(struct node *node)
{
    if (node && obv__fetch_add_acq_rel(&node->references, (uint64_t)-1) == 1) {
        SCHEDULER_CHECK(obv_object_deinit(&node->object) == OBV_OK);
        let_go(node->next);
        if (node != world.memory) {
            node_free(node);
        }
    }
}

static void node_release(struct obv_object *object)
{
    let_go(node_of(object));
}

static struct node *make_node(struct node *next, struct node *weak)
{
    const struct obv_allocator *from = scheduler_allocator();
    struct node *node = from->allocate(from->context, sizeof *node);
    SCHEDULER_CHECK(node);
    memset(node, 0, sizeof *node);
    obv_object_init(&node->object, world.nodes);
    node->references = 1;
    node->next = next;
    node->weak = weak;
    return node;
}

/* The binding's answers ---------------------------------------------------- */

static struct node **field(const struct obv_property *property,
                           struct obv_object *object)
{
    /* A step in the object's memory. */
    (void)obv__load_relaxed(&node_of(object)->references);
    return property->offset == offsetof(struct node, next)
               ? &node_of(object)->next
               : &node_of(object)->weak;
}

static bool same(const struct obv_property *property_a, struct obv_object *a,
                 const struct obv_property *property_b, struct obv_object *b)
{
    return *field(property_a, a) == *field(property_b, b);
}

static struct obv_object *child(const struct obv_property *property,
                                struct obv_object *object)
{
    struct node *node = *field(property, object);
    return node && node_retain(&node->object) ? &node->object : NULL;
}

static void keep_box(struct obv_boxed *box)
{
    (void)box;
}

static bool boxes_equal(const struct obv_boxed *a, const struct obv_boxed *b,
                        enum obv_compare how)
{
    (void)how;
    return a == b;
}

static struct obv_boxed *copy(const struct obv_property *property,
                              struct obv_object *object, const void *value)
{
    static struct obv_boxed nobody = {.release = keep_box,
                                      .equal = boxes_equal};
    static struct obv_boxed somebody = {.release = keep_box,
                                        .equal = boxes_equal};
    struct node *const *there =
        value ? (struct node *const *)value : field(property, object);
    return *there ? &somebody : &nobody;
}

static const struct obv_value_kind reference = {
    .size = sizeof reference, .equal = same, .child = child, .copy = copy};
static const struct obv_property lines[] = {
    [NEXT] = {.name = "next",
              .kind = OBV_KIND_custom,
              .offset = (uint32_t)offsetof(struct node, next),
              .size = (uint32_t)sizeof(void *),
              .custom = &reference},
    [WEAK] = {.name = "weak",
              .kind = OBV_KIND_custom,
              .offset = (uint32_t)offsetof(struct node, weak),
              .size = (uint32_t)sizeof(void *),
              .flags = OBV_WEAK,
              .custom = &reference}};
static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "node",
                                             .instance_size =
                                                 sizeof(struct node),
                                             .properties = lines,
                                             .property_count = 2,
                                             .retain = node_retain,
                                             .release = node_release};

/* Deeds -------------------------------------------------------------------- */

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    world.calls++;
}

static void disposed(const struct obv_handler_kind *kind, void *observer)
{
    (void)kind;
    (void)observer;
    world.disposed++;
}

static const struct obv_handler_kind kind = {.changed = changed,
                                             .dispose = disposed};

static void leaf_dies(void)
{
    struct node *leaf = world.leaf;
    world.leaf = NULL;
    let_go(leaf);
}

/* The middle ends with it. */
static void root_dies(void)
{
    struct node *root = world.root;
    world.root = NULL;
    let_go(root);
}

static void put(struct node *next)
{
    uint32_t property;
    struct node *old = world.root->next;
    world.root->next = next;
    if (obv_detail_look(&world.root->object,
                        (uint32_t)offsetof(struct node, next), &property) &
        OBV_DETAIL_LOOK_WATCHED) {
        obv_detail_changed_from(&world.root->object, property, &old);
    }
    let_go(old);
}

static void put_another(void)
{
    put(make_node(NULL, NULL));
}

static void take_away(void)
{
    put(NULL);
}

static void stop(void)
{
    obv_stop(world.handle);
}

/* The world ---------------------------------------------------------------- */

static void setup(void)
{
    const struct scenario *scenario = world.scenario;
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator =
                                                    scheduler_allocator(),
                                                .reclaim_batch = 4};
    const struct obv_observe_options how = {.size = sizeof how,
                                            .flags = scenario->flags};
    memset(&world, 0, sizeof world);
    world.scenario = scenario;
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &world.context) == OBV_OK);
    SCHEDULER_CHECK(
        obv_class_create(world.context, &table, &world.nodes, NULL) == OBV_OK);
    world.leaf = make_node(NULL, NULL);
    world.memory = world.leaf;
    world.root = make_node(make_node(NULL, world.leaf), NULL);
    const struct obv_pair pair = {.root = &world.root->object,
                                  .path = scenario->path};
    SCHEDULER_CHECK(obv_observe_pairs(&pair, 1, &kind, NULL, &how,
                                      &world.handle, NULL) == OBV_OK);
    obv__thread_unlist(obv__thread_self());
}

static unsigned drained(void)
{
    world.calls = 0;
    (void)obv_loop_drain(obv_context_loop(world.context));
    return world.calls;
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(threads_are_right());
    unsigned calls = drained();
    if (!obv_has_ended(world.handle)) {
        SCHEDULER_CHECK(calls == 1);
        /* It follows still. */
        struct node *leaf = make_node(NULL, NULL);
        put(make_node(NULL, leaf));
        SCHEDULER_CHECK(drained() == 1);
        world.memory = leaf;
        let_go(leaf);
        SCHEDULER_CHECK(drained() == 1);
        node_free(leaf);
    }
    obv_stop(world.handle);
    obv_release(world.handle);
    if (world.root) {
        root_dies();
    }
    SCHEDULER_CHECK(world.disposed == 1);
    SCHEDULER_CHECK(obv_context_destroy(world.context) == OBV_OK);
    SCHEDULER_CHECK(scheduler_live_blocks() == 1); /* the leaf's */
}

#define DEATHS(of, its_path, its_flags)                                        \
    {.name = of ": leaf dies, root dies",                                      \
     .deeds = {leaf_dies, root_dies},                                          \
     .path = (its_path),                                                       \
     .flags = (its_flags),                                                     \
     .preemptions = 2},                                                        \
        {.name = of ": leaf dies, put another",                                \
         .deeds = {leaf_dies, put_another},                                    \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = 2},                                                    \
        {.name = of ": leaf dies, take away",                                  \
         .deeds = {leaf_dies, take_away},                                      \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = 2},                                                    \
    {                                                                          \
        .name = of ": leaf dies, stop", .deeds = {leaf_dies, stop},            \
        .path = (its_path), .flags = (its_flags), .preemptions = 2             \
    }

static const struct scenario scenarios[] = {
    DEATHS("fact", "next.weak", 0),
    DEATHS("values", "next.weak", OBV_VALUES),
    DEATHS("below", "next.weak.weak", 0),
    DEATHS("star", "next.*", OBV_RECORDS),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *scenario = &scenarios[i];
        const struct scheduler_program program = {
            .name = scenario->name,
            .setup = setup,
            .threads = {scenario->deeds[0], scenario->deeds[1]},
            .check = check,
            .preemptions = scenario->preemptions};
        world.scenario = scenario;
        scheduler_run(&program, argc, argv);
    }
    return 0;
}
