/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TH-1, its last sentence: debug builds tell of two changes of joined objects
 * that overlap in time on two threads. A change is held where the program is
 * asked to compare; another thread makes its own meanwhile. Where the library
 * is built without the check, nothing may be told.
 */
#include "contract_fixture.h"

#include "edit/overlap.h"

enum { NODE_LEVEL, NODE_HEIGHT, NODE_NEXT, NODE_SHARED, NODE_COUNT };

struct node {
    struct obv_object object;
    size_t references;
    int64_t level; /* compared by a function */
    int64_t height;
    struct node *next;
    int64_t shared;
};

OBV_PROPERTY(node, level, i64, NODE_LEVEL)
OBV_PROPERTY(node, height, i64, NODE_HEIGHT)
OBV_PROPERTY(node, next, object, NODE_NEXT)
OBV_PROPERTY_ANY_THREAD(node, shared, i64, NODE_SHARED)

/* What happens on another thread in the next comparison, and the setter's own
   thread waits for. */
static struct {
    void *(*then)(void *);
    void *context;
} meanwhile;

static bool levels_equal(const void *a, const void *b)
{
    void *(*then)(void *) = meanwhile.then;
    meanwhile.then = NULL;
    if (then) {
        on_thread(then, meanwhile.context);
    }
    return *(const int64_t *)a == *(const int64_t *)b;
}

static bool node_retain(struct obv_object *object)
{
    return references_try(&((struct node *)object)->references);
}

static void node_release(struct obv_object *object)
{
    if (references_drop(&((struct node *)object)->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(object);
    }
}

static struct obv_property properties[] = {
    [NODE_LEVEL] = OBV_FIELD(node, level, i64),
    [NODE_HEIGHT] = OBV_FIELD(node, height, i64),
    [NODE_NEXT] = OBV_FIELD_OBJECT(node, next, "node"),
    [NODE_SHARED] = OBV_FIELD_WITH(node, shared, i64, OBV_ANY_THREAD, NULL),
};

static const struct obv_class_table node_table = {.size = sizeof node_table,
                                                  .name = "node",
                                                  .instance_size =
                                                      sizeof(struct node),
                                                  .properties = properties,
                                                  .property_count = NODE_COUNT,
                                                  .retain = node_retain,
                                                  .release = node_release};

/* root.next.level is observed, and root.next.shared; root leads to `before`, and
   `fresh` is put there. */
static struct world {
    struct obv_context *context;
    struct obv_class *cls;
    struct node *root, *before, *fresh, *apart;
    struct probe probe;
    struct obv_observation *handles[4];
    size_t told;
    char path[64];
} world;

static void note(void *unused, const struct obv_diagnostic *diagnostic)
{
    (void)unused;
    CHECK_EQ(diagnostic->kind, OBV_DIAGNOSTIC_OVERLAP);
    CHECK(strlen(diagnostic->path) < sizeof world.path);
    memcpy(world.path, diagnostic->path, strlen(diagnostic->path) + 1);
    world.told++;
}

static struct node *node_create(void)
{
    struct node *node = calloc(1, sizeof *node);
    CHECK(node);
    node->references = 1;
    obv_object_init(&node->object, world.cls);
    return node;
}

static void follow(size_t which, struct node *root, const char *path,
                   uint32_t flags)
{
    const struct obv_pair pair = {&root->object, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &world.probe.kind, &world.probe,
                               &options, &world.handles[which], NULL),
             OBV_OK);
}

static void begin(uint32_t flags)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = note};
    memset(&world, 0, sizeof world);
    properties[NODE_LEVEL].equal = levels_equal;
    CHECK_EQ(obv_context_create(&options, &world.context), OBV_OK);
    CHECK_EQ(obv_class_create(world.context, &node_table, &world.cls, NULL),
             OBV_OK);
    world.root = node_create();
    world.before = node_create();
    world.fresh = node_create();
    world.apart = node_create();
    node_set_next(world.root, world.before);
    probe_init_plain(&world.probe);
    follow(0, world.root, "next.level", flags);
    follow(1, world.root, "next.shared", flags);
    follow(2, world.apart, "level", flags);
}

static void finish(void)
{
    CHECK(obv_loop_drain(obv_context_loop(world.context)) >= 0);
    for (int i = 0; i < 4; i++) {
        CHECK(obv_stop_and_wait(world.handles[i]));
        obv_release(world.handles[i]);
    }
    node_release(&world.root->object);
    node_release(&world.before->object);
    node_release(&world.fresh->object);
    node_release(&world.apart->object);
    CHECK_EQ(obv_context_destroy(world.context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

/* Replaces the middle while another thread does `what`. */
static void put(struct node *middle, void *(*what)(void *), void *context)
{
    meanwhile.context = context;
    meanwhile.then = what;
    node_set_next(world.root, middle);
    CHECK(!meanwhile.then);
}

static void *raise_level(void *node)
{
    node_set_level(node, node_level(node) + 1);
    return NULL;
}

static void *raise_height(void *node)
{
    node_set_height(node, node_height(node) + 1);
    return NULL;
}

static void *raise_shared(void *node)
{
    node_set_shared(node, node_shared(node) + 1);
    return NULL;
}

static size_t told_if_checked(size_t count)
{
    return obv__overlap_is_checked() ? count : 0;
}

TEST(TH_1_two_changes_of_joined_objects_at_once_are_told_once)
{
    begin(0);
    put(world.fresh, raise_level, world.fresh);
    CHECK_EQ(world.told, told_if_checked(1));
    if (world.told != 0) {
        CHECK_TEXT(world.path, "level, next");
    }
    put(world.before, raise_level, world.before);
    CHECK_EQ(world.told, told_if_checked(1));
    CHECK(obv_loop_drain(obv_context_loop(world.context)) >= 1);
    CHECK_EQ(node_level(world.fresh), 1); /* told or not, it is stored */
    finish();
}

TEST(TH_1_two_changes_of_one_object_at_once_are_told)
{
    begin(0);
    follow(3, world.root, "level", 0);
    put(world.fresh, raise_level, world.root);
    CHECK_EQ(world.told, told_if_checked(1));
    finish();
}

TEST(TH_1_each_two_properties_are_told_of)
{
    begin(0);
    follow(3, world.root, "next.height", 0);
    put(world.fresh, raise_level, world.fresh);
    CHECK_EQ(world.told, told_if_checked(1));
    /* The path to it has not moved yet. */
    put(world.before, raise_height, world.fresh);
    CHECK_EQ(world.told, told_if_checked(2));
    if (world.told != 0) {
        CHECK_TEXT(world.path, "height, next");
    }
    finish();
}

TEST(TH_1_changes_of_objects_that_no_path_joins_may_overlap)
{
    begin(0);
    put(world.fresh, raise_level, world.apart);
    put(world.before, raise_level, world.fresh); /* it has left the path */
    CHECK_EQ(world.told, 0);
    finish();
}

TEST(TH_1_values_of_any_thread_may_be_set_during_a_change)
{
    begin(0);
    put(world.fresh, raise_shared, world.fresh);
    put(world.before, raise_shared, world.before);
    CHECK_EQ(world.told, 0);
    finish();
}

/* Handlers run when the change is over: they may hand the objects on. */
static void let_another_change(struct probe *probe)
{
    probe->then = NULL;
    on_thread(raise_level, world.fresh);
}

TEST(TH_1_a_handler_may_wait_for_another_threads_change)
{
    begin(OBV_IMMEDIATE);
    world.probe.then = let_another_change;
    world.fresh->level = 5;
    node_set_next(world.root, world.fresh);
    CHECK_EQ(node_level(world.fresh), 6);
    CHECK(!world.probe.then);
    CHECK_EQ(world.told, 0);
    finish();
}

/* One after the other, on whatever threads, is what an owner may do. */
TEST(TH_1_changes_that_follow_each_other_are_not_told)
{
    begin(0);
    for (int i = 0; i < 20; i++) {
        on_thread(raise_level, i % 2 ? world.root : world.before);
        node_set_level(world.before, node_level(world.before) + 1);
        node_set_next(world.root, i % 2 ? world.before : world.fresh);
    }
    CHECK_EQ(world.told, 0);
    finish();
}
