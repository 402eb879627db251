/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads over a container in the middle of a path: its
 * owner edits it, while another thread drains, observes it no more, stops and
 * collects, or lets it end by giving its holder up.
 *
 *     root.list -> array [leaf, ...]
 *
 * Owed by its check: no change is missed, everything is disposed of once, no cell
 * stays behind and nothing leaks. A path that ends with its element has had its
 * call, which saw what the edit has made, and is gone after it.
 */
#include "scheduler.h"

#include "threads_check.h"

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
    /* Of elements that are followed: there are two, and the first of them has
       gone in `before`. */
    const char *second; /* path, of the root or, `is_apart`, of another one */
    void (*before)(void);
    bool is_loose; /* the roots have no retain and release */
    bool is_apart;
};

static struct {
    const struct scenario *scenario;
    struct obv_context *context;
    struct obv_class *nodes, *loose_nodes, *arrays;
    struct node *root, *other, *one, *two;
    struct array *list, *other_list;
    struct obv_observation *handle;
    unsigned calls, disposed;
    size_t saw;             /* of both lists, at the last call */
    enum obv_status joined; /* of the deed that adds a pair */
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

static const struct obv_class_table loose_nodes = {.size = sizeof loose_nodes,
                                                   .name = "loose",
                                                   .instance_size =
                                                       sizeof(struct node),
                                                   .properties = lines,
                                                   .property_count = 2};

static struct node *make_node(struct obv_class *cls, int64_t value)
{
    struct node *node = made(sizeof *node);
    node->references = 1;
    node->value = value;
    obv_object_init(&node->object, cls);
    return node;
}

static struct array *make_array(struct node *const *items, size_t count)
{
    struct array *array = made(sizeof *array);
    array->references = 1;
    for (size_t i = 0; i < count; i++) {
        array->items[i] = &items[i]->object;
    }
    array->count = count;
    obv_container_init(&array->container, world.arrays);
    return array;
}

static struct node *make_root(struct array *list)
{
    struct node *root = make_node(
        world.scenario->is_loose ? world.loose_nodes : world.nodes, 0);
    SCHEDULER_CHECK(
        obv_set_object(&root->object, LIST, &list->container.object) == OBV_OK);
    return root;
}

/* Deeds -------------------------------------------------------------------- */

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    world.calls++;
    world.saw = world.list->count + world.other_list->count;
}

static void disposed(const struct obv_handler_kind *kind, void *observer)
{
    (void)kind;
    (void)observer;
    world.disposed++;
}

static const struct obv_handler_kind kind = {.changed = changed,
                                             .dispose = disposed};

static void edit_of(struct array *list, size_t position, size_t removed,
                    struct node *inserted)
{
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

static void edit(size_t position, size_t removed, struct node *inserted)
{
    edit_of(world.list, position, removed, inserted);
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

static void remove_first(void)
{
    edit(0, 1, NULL);
}

static void remove_elsewhere(void)
{
    edit_of(world.other_list, 0, 1, NULL);
}

static void remove_in_a_batch(void)
{
    struct obv_batch batch;
    obv_batch_begin(&batch);
    remove_first();
    obv_batch_end(&batch);
}

static void move_and_remove(void)
{
    const struct obv_container_edit told = {.moved = 1, .to = 1};
    struct array *list = world.list;
    struct obv_object *first = list->items[0];
    list->items[0] = list->items[1];
    list->items[1] = first;
    SCHEDULER_CHECK(obv_container_edited(&list->container, &told, 1, NULL) ==
                    OBV_OK);
    edit(1, 1, NULL);
}

static void join(void)
{
    const struct obv_pair pair = {&world.other->object, "list.0.value"};
    world.joined = obv_observe_also(world.handle, &pair, 1, NULL);
    SCHEDULER_CHECK(world.joined == OBV_OK || world.joined == OBV_E_ENDED);
}

static void drain(void)
{
    (void)obv_loop_drain(obv_context_loop(world.context));
}

static void remove_and_drain(void)
{
    remove_first();
    drain();
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
    SCHEDULER_CHECK(obv_class_create(world.context, &loose_nodes,
                                     &world.loose_nodes, NULL) == OBV_OK);
    world.one = make_node(world.nodes, 1);
    world.two = make_node(world.nodes, 2);
    struct node *const both[] = {world.one, world.two};
    world.list = make_array(both, scenario->second ? 2 : 1);
    world.other_list = make_array(both, 2);
    world.root = make_root(world.list);
    world.other = make_root(world.other_list);
    const struct obv_pair pairs[] = {
        {&world.root->object, scenario->path},
        {scenario->is_apart ? &world.other->object : &world.root->object,
         scenario->second}};
    SCHEDULER_CHECK(obv_observe_pairs(pairs, scenario->second ? 2 : 1, &kind,
                                      NULL, &how, &world.handle,
                                      NULL) == OBV_OK);
    if (scenario->before) {
        scenario->before();
    }
    obv__thread_unlist(obv__thread_self());
}

static bool is_done_by(void (*deed)(void))
{
    return world.scenario->deeds[0] == deed || world.scenario->deeds[1] == deed;
}

static void check_position(void)
{
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
}

/* What the path followed has left. */
static void check_occurrence(void)
{
    bool is_stopped = is_done_by(stop) || is_done_by(stop_and_collect);
    SCHEDULER_CHECK(is_stopped ||
                    world.saw == world.list->count + world.other_list->count);
    SCHEDULER_CHECK(world.calls <= 3);
    SCHEDULER_CHECK(obv_observer_count(&world.root->object, "list") == 0);
    if (is_done_by(join) && world.joined == OBV_OK) {
        SCHEDULER_CHECK(!obv_has_ended(world.handle));
        remove_elsewhere();
        drain();
    }
    SCHEDULER_CHECK(obv_has_ended(world.handle));
}

static void let_root_go(struct node *root)
{
    if (world.scenario->is_loose) {
        SCHEDULER_CHECK(obv_object_deinit(&root->object) == OBV_OK);
        unmade(root, sizeof *root);
    } else {
        node_release(&root->object);
    }
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(threads_are_right());
    drain();
    if (strchr(world.scenario->path, '#') ||
        strchr(world.scenario->path, '*')) {
        check_position();
    } else {
        check_occurrence();
    }
    obv_stop(world.handle);
    obv_release(world.handle);
    size_t observed = obv_observer_count(&world.list->container.object, "#0") +
                      obv_observer_count(&world.list->container.object, "0") +
                      obv_observer_count(&world.list->container.object, "*");
    SCHEDULER_CHECK(observed == 0);
    let_root_go(world.root);
    let_root_go(world.other);
    array_release(&world.list->container.object);
    array_release(&world.other_list->container.object);
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
    {.name = "occurrence: remove, drain",
     .deeds = {remove_first, drain},
     .path = "list.0.value",
     .preemptions = 2},
    {.name = "occurrence: remove, stop and collect",
     .deeds = {remove_first, stop_and_collect},
     .path = "list.0.value",
     .preemptions = 2},
    {.name = "occurrence: replace, stop and collect",
     .deeds = {replace, stop_and_collect},
     .path = "list.0.value",
     .preemptions = 2},
    {.name = "occurrence: move and remove, stop and collect",
     .deeds = {move_and_remove, stop_and_collect},
     .path = "list.0.value",
     .second = "list.0",
     .preemptions = 1},
    {.name = "occurrence: remove, join",
     .deeds = {remove_first, join},
     .path = "list.0.value",
     .flags = OBV_EXTENSIBLE,
     .preemptions = 2},
    {.name = "occurrence: give up, stop",
     .deeds = {give_up, stop},
     .path = "list.0.value",
     .preemptions = 2},
    {.name = "occurrences: remove, drain",
     .deeds = {remove_first, drain},
     .path = "list.0.value",
     .second = "list.1.value",
     .before = remove_first,
     .preemptions = 1},
    {.name = "occurrences: remove, drain; loose",
     .deeds = {remove_first, drain},
     .path = "list.0.value",
     .second = "list.1.value",
     .before = remove_first,
     .is_loose = true,
     .preemptions = 1},
    {.name = "occurrences: remove in a batch, drain; loose",
     .deeds = {remove_in_a_batch, drain},
     .path = "list.0.value",
     .second = "list.1.value",
     .before = remove_first,
     .is_loose = true,
     .preemptions = 2},
    {.name = "occurrences apart: remove and drain, remove; loose",
     .deeds = {remove_and_drain, remove_elsewhere},
     .path = "list.0.value",
     .second = "list.0.value",
     .is_loose = true,
     .is_apart = true,
     .preemptions = 1},
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
