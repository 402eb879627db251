/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads over a container in the middle of a path: its
 * owner edits it, while another thread drains, observes it no more, stops and
 * collects, or lets it end by giving its holder up.
 *
 *     root.list -> array [leaf, ...]
 *
 * Owed by its check: no change is missed, everything is disposed of once, no cell
 * stays behind and nothing leaks.
 */
#include "scheduler.h"

#include "base/reclaim.h"

#include <observable/allocator.h>
#include <observable/observable.h>

#include <string.h>

enum { LIST, VALUE, ROOM = 4 };

struct array {
    struct obv_container container;
    uint64_t references;
    size_t count;
    struct obv_object *items[ROOM];
};

struct node {
    struct obv_object object;
    uint64_t references;
    struct array *list;
    int64_t value;
};

OBV_PROPERTY(node, value, i64, VALUE)

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
    struct obv_class *nodes, *arrays;
    struct node *root, *one, *two;
    struct array *list;
    struct obv_observation *handle;
    unsigned calls, disposed;
} world;

/* Objects ------------------------------------------------------------------ */

static bool take_reference(uint64_t *references)
{
    uint64_t seen = obv__load_relaxed(references);
    while (seen > 0 && !obv__cas_acq_rel(references, &seen, seen + 1)) {
    }
    return seen > 0;
}

static bool is_last(uint64_t *references)
{
    return obv__fetch_add_acq_rel(references, (uint64_t)-1) == 1;
}

static void *made(size_t size)
{
    const struct obv_allocator *from = scheduler_allocator();
    void *block = from->allocate(from->context, size);
    SCHEDULER_CHECK(block);
    memset(block, 0, size);
    return block;
}

static void unmade(void *block, size_t size)
{
    const struct obv_allocator *to = scheduler_allocator();
    to->free(to->context, block, size);
}

static bool array_retain(struct obv_object *object)
{
    return take_reference(&((struct array *)(void *)object)->references);
}

static void array_release(struct obv_object *object)
{
    struct array *array = (struct array *)(void *)object;
    if (is_last(&array->references)) {
        SCHEDULER_CHECK(obv_object_deinit(object) == OBV_OK);
        unmade(array, sizeof *array);
    }
}

static bool node_retain(struct obv_object *object)
{
    return take_reference(&((struct node *)(void *)object)->references);
}

/* A property of the kind `object` gives its reference back at the end. */
static void node_release(struct obv_object *object)
{
    struct node *node = (struct node *)(void *)object;
    if (is_last(&node->references)) {
        SCHEDULER_CHECK(obv_object_deinit(object) == OBV_OK);
        unmade(node, sizeof *node);
    }
}

static size_t array_count(const struct obv_container *container)
{
    return ((const struct array *)(const void *)container)->count;
}

static const void *array_at(const struct obv_container *container,
                            size_t position)
{
    return &((const struct array *)(const void *)container)->items[position];
}

static const struct obv_container_kind arrays = {.size = sizeof arrays,
                                                 .name = "array",
                                                 .instance_size =
                                                     sizeof(struct array),
                                                 .element = OBV_ELEMENT(object),
                                                 .count = array_count,
                                                 .at = array_at,
                                                 .retain = array_retain,
                                                 .release = array_release};

static const struct obv_property lines[] = {
    [LIST] = OBV_FIELD_OBJECT(node, list, NULL),
    [VALUE] = OBV_FIELD(node, value, i64)};
static const struct obv_class_table nodes = {.size = sizeof nodes,
                                             .name = "node",
                                             .instance_size =
                                                 sizeof(struct node),
                                             .properties = lines,
                                             .property_count = 2,
                                             .retain = node_retain,
                                             .release = node_release};

static struct node *make_node(int64_t value)
{
    struct node *node = made(sizeof *node);
    node->references = 1;
    node->value = value;
    obv_object_init(&node->object, world.nodes);
    return node;
}

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

static void edit(size_t position, size_t removed, struct node *inserted)
{
    struct array *list = world.list;
    struct obv_object *old[ROOM];
    const struct obv_container_edit told = {.position = position,
                                            .removed = removed,
                                            .inserted = inserted ? 1 : 0,
                                            .old = old};
    size_t rest = list->count - position - removed;
    memcpy(old, list->items + position, removed * sizeof *old);
    memmove(list->items + position + told.inserted,
            list->items + position + removed, rest * sizeof *old);
    if (inserted) {
        list->items[position] = &inserted->object;
    }
    list->count += told.inserted - removed;
    SCHEDULER_CHECK(obv_container_edited(&list->container, &told, 1, NULL) ==
                    OBV_OK);
}

static void insert(void)
{
    edit(0, 0, world.two);
}

static void replace(void)
{
    edit(0, 1, world.two);
}

static void remove_and_insert(void)
{
    edit(0, 1, NULL);
    edit(0, 0, world.two);
}

static void drain(void)
{
    (void)obv_loop_drain(obv_context_loop(world.context));
}

static void stop(void)
{
    obv_stop(world.handle);
}

static void stop_and_collect(void)
{
    obv_stop(world.handle);
    obv_context_collect(world.context);
}

static void give_up(void)
{
    SCHEDULER_CHECK(obv_set_object(&world.root->object, LIST, NULL) == OBV_OK);
}

static void value_changes(void)
{
    node_set_value(world.one, 7);
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
        obv_class_create(world.context, &nodes, &world.nodes, NULL) == OBV_OK);
    SCHEDULER_CHECK(obv_container_class_create(world.context, &arrays,
                                               &world.arrays, NULL) == OBV_OK);
    world.root = make_node(0);
    world.one = make_node(1);
    world.two = make_node(2);
    world.list = made(sizeof *world.list);
    world.list->references = 1;
    world.list->items[0] = &world.one->object;
    world.list->count = 1;
    obv_container_init(&world.list->container, world.arrays);
    SCHEDULER_CHECK(obv_set_object(&world.root->object, LIST,
                                   &world.list->container.object) == OBV_OK);
    const struct obv_pair pair = {.root = &world.root->object,
                                  .path = scenario->path};
    SCHEDULER_CHECK(obv_observe_pairs(&pair, 1, &kind, NULL, &how,
                                      &world.handle, NULL) == OBV_OK);
    obv__thread_unlist(obv__thread_self());
}

static void perform(void)
{
    world.scenario->deeds[scheduler_self()]();
}

static bool is_done_by(void (*deed)(void))
{
    return world.scenario->deeds[0] == deed || world.scenario->deeds[1] == deed;
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(obv__reclaim_check());
    drain();
    bool follows = !obv_has_ended(world.handle);
    SCHEDULER_CHECK(!follows || (world.calls >= 1 && world.calls <= 2));
    if (follows && !is_done_by(give_up)) {
        world.calls = 0;
        node_set_value(world.two, 20);
        drain();
        SCHEDULER_CHECK(world.calls == 1); /* it is at the front */
        edit(0, 1, world.one);
        drain();
        SCHEDULER_CHECK(world.calls == 2);
    }
    obv_stop(world.handle);
    obv_release(world.handle);
    size_t observed = obv_observer_count(&world.list->container.object, "#0") +
                      obv_observer_count(&world.list->container.object, "*");
    SCHEDULER_CHECK(observed == 0);
    node_release(&world.root->object);
    array_release(&world.list->container.object);
    node_release(&world.one->object);
    node_release(&world.two->object);
    SCHEDULER_CHECK(world.disposed == 1);
    SCHEDULER_CHECK(obv_context_destroy(world.context) == OBV_OK);
    SCHEDULER_CHECK(scheduler_live_blocks() == 0);
}

#define EDITS(of, its_path, its_flags)                                         \
    {.name = of ": insert, drain",                                             \
     .deeds = {insert, drain},                                                 \
     .path = (its_path),                                                       \
     .flags = (its_flags),                                                     \
     .preemptions = 2},                                                        \
        {.name = of ": remove and insert, drain",                              \
         .deeds = {remove_and_insert, drain},                                  \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = 2},                                                    \
        {.name = of ": replace, stop",                                         \
         .deeds = {replace, stop},                                             \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = 2},                                                    \
        {.name = of ": insert, stop and collect",                              \
         .deeds = {insert, stop_and_collect},                                  \
         .path = (its_path),                                                   \
         .flags = (its_flags),                                                 \
         .preemptions = 2},                                                    \
        {.name = of ": value, stop and collect",                               \
         .deeds = {value_changes, stop_and_collect},                           \
         .path = (its_path),                                                   \
         .flags = (its_flags) | OBV_IMMEDIATE,                                 \
         .preemptions = 2},                                                    \
    {                                                                          \
        .name = of ": give up, stop", .deeds = {give_up, stop},                \
        .path = (its_path), .flags = (its_flags), .preemptions = 2             \
    }

static const struct scenario scenarios[] = {
    EDITS("position", "list.#0.value", 0),
    EDITS("values", "list.#0.value", OBV_VALUES),
    EDITS("star", "list.*.value", 0),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scheduler_program program = {scenarios[i].name,
                                                  setup,
                                                  {perform, perform},
                                                  check,
                                                  scenarios[i].preemptions};
        world.scenario = &scenarios[i];
        if (scheduler_is_asked(scenarios[i].name, argc, argv)) {
            scheduler_run(&program);
        }
    }
    return 0;
}
