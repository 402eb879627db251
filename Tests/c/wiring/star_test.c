/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects behind a `*`: each is told of, let go of, and followed again.
 *
 * The random test goes by values alone: what an observation follows is read
 * before and after each step, and it is due where the two differ.
 */
#include "test.h"

#include <observable/observable.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LEAVES = 21, WIDTH = 14 };

struct leaf {
    struct obv_object object;
    int32_t i, j;
    struct leaf *child;
    int32_t k; /* of a `sub` */
};
enum { LEAF_I, LEAF_J, LEAF_CHILD, LEAF_COUNT };
OBV_PROPERTY(leaf, i, i32, LEAF_I)
OBV_PROPERTY(leaf, j, i32, LEAF_J)
OBV_PROPERTY(leaf, child, object, LEAF_CHILD)
OBV_PROPERTY(leaf, k, i32, LEAF_COUNT)

struct root {
    struct obv_object object;
    struct leaf *p[WIDTH];
};

static const struct obv_property leaf_properties[] = {
    OBV_FIELD(leaf, i, i32), OBV_FIELD(leaf, j, i32),
    OBV_FIELD_OBJECT(leaf, child, "leaf")};
static const struct obv_property sub_properties[] = {OBV_FIELD(leaf, k, i32)};

static struct obv_context *context;
static struct obv_class *leaf_class, *sub_class, *root_class, *array_class;
static struct leaf leaves[LEAVES];
static struct root roots[2];
static struct obv_array *list;

static bool is_sub(const struct leaf *leaf)
{
    return (leaf - leaves) % 3 == 2;
}

static void init_leaf(struct leaf *leaf)
{
    *leaf = (struct leaf){.i = 0};
    obv_object_init(&leaf->object, is_sub(leaf) ? sub_class : leaf_class);
}

static struct obv_class_table tables[3];
static size_t table_count;

static struct obv_class *make_class(const char *name, size_t size,
                                    const struct obv_property *properties,
                                    size_t count, struct obv_class *superclass)
{
    struct obv_class *made = NULL;
    struct obv_class_table *table = &tables[table_count++];
    *table = (struct obv_class_table){.size = sizeof *table,
                                      .name = name,
                                      .instance_size = size,
                                      .properties = properties,
                                      .property_count = count,
                                      .superclass = superclass};
    CHECK_EQ(obv_class_create(context, table, &made, NULL), OBV_OK);
    return made;
}

static void begin(void)
{
    static const char *const names[WIDTH] = {"p0",  "p1",  "p2",  "p3", "p4",
                                             "p5",  "p6",  "p7",  "p8", "p9",
                                             "p10", "p11", "p12", "p13"};
    static struct obv_property root_properties[WIDTH];
    static const struct obv_collection_kind objects = {
        .size = sizeof objects, .name = "leaves", .element = OBV_KIND_object};
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    for (size_t n = 0; n < WIDTH; n++) {
        root_properties[n] = (struct obv_property){
            .name = names[n],
            .kind = OBV_KIND_object,
            .offset = (uint32_t)(offsetof(struct root, p) +
                                 n * sizeof(struct leaf *)),
            .size = sizeof(struct leaf *)};
    }
    table_count = 0;
    leaf_class = make_class("leaf", sizeof(struct leaf), leaf_properties,
                            LEAF_COUNT, NULL);
    sub_class =
        make_class("sub", sizeof(struct leaf), sub_properties, 1, leaf_class);
    root_class =
        make_class("root", sizeof(struct root), root_properties, WIDTH, NULL);
    CHECK_EQ(obv_array_class_create(context, &objects, &array_class, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(array_class, &list, NULL), OBV_OK);
    for (size_t n = 0; n < LEAVES; n++) {
        init_leaf(&leaves[n]);
    }
    for (size_t n = 0; n < 2; n++) {
        roots[n] = (struct root){.p = {NULL}};
        obv_object_init(&roots[n].object, root_class);
    }
}

static void finish(void)
{
    (void)obv_loop_drain(obv_context_loop(context));
    for (size_t n = 0; n < 2; n++) {
        CHECK_EQ(obv_object_deinit(&roots[n].object), OBV_OK);
    }
    obv_array_release(list);
    for (size_t n = 0; n < LEAVES; n++) {
        CHECK_EQ(obv_object_deinit(&leaves[n].object), OBV_OK);
    }
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

static void set_child(struct root *root, size_t slot, struct leaf *leaf)
{
    obv_set_object(&root->object, (uint32_t)slot, leaf ? &leaf->object : NULL);
}

static void fill(struct root *root)
{
    for (size_t n = 0; n < WIDTH; n++) {
        set_child(root, n, &leaves[n]);
    }
}

static void count(void *observer, struct obv_object *root,
                  const struct obv_call *call)
{
    (void)root;
    (void)call;
    ++*(int *)observer;
}

static const struct obv_handler_kind kind = {.changed = count};

static enum obv_status observe(struct obv_object *root, const char *path,
                               uint32_t flags, int *calls,
                               struct obv_observation **handle)
{
    const struct obv_pair pair = {root, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    return obv_observe_pairs(&pair, 1, &kind, calls, &options, handle, NULL);
}

static void drain(void)
{
    (void)obv_loop_drain(obv_context_loop(context));
}

static int calls_of_drain(int *calls)
{
    int before = *calls;
    drain();
    return *calls - before;
}

/* One at a time ------------------------------------------------------------ */

TEST(WC_2_each_child_is_told_of)
{
    int calls = 0;
    begin();
    fill(&roots[0]);
    CHECK_EQ(observe(&roots[0].object, "*.i", 0, &calls, NULL), OBV_OK);
    for (size_t n = 0; n < LEAVES; n++) {
        leaf_set_i(&leaves[n], 5);
        CHECK_EQ(calls_of_drain(&calls), n < WIDTH);
        leaf_set_j(&leaves[n], 5);
        CHECK_EQ(calls_of_drain(&calls), 0);
        CHECK_EQ(obv_observer_count(&leaves[n].object, "i"), n < WIDTH);
        CHECK_EQ(obv_observer_count(&leaves[n].object, "j"), 0);
    }
    finish();
}

TEST(KP_3_a_child_is_let_go_of)
{
    int calls = 0;
    begin();
    fill(&roots[0]);
    CHECK_EQ(observe(&roots[0].object, "*.i", 0, &calls, NULL), OBV_OK);
    set_child(&roots[0], 2, &leaves[18]);
    CHECK_EQ(calls_of_drain(&calls), 0); /* both are 0 */
    leaf_set_i(&leaves[2], 1);
    CHECK_EQ(calls_of_drain(&calls), 0);
    leaf_set_i(&leaves[18], 1);
    CHECK_EQ(calls_of_drain(&calls), 1);
    set_child(&roots[0], 2, NULL);
    CHECK_EQ(calls_of_drain(&calls), 1);
    CHECK_EQ(obv_observer_count(&leaves[18].object, "i"), 0);
    finish();
}

TEST(LT_6_a_child_ends)
{
    int calls = 0;
    begin();
    fill(&roots[0]);
    CHECK_EQ(observe(&roots[0].object, "*.i", 0, &calls, NULL), OBV_OK);
    CHECK_EQ(obv_object_deinit(&leaves[1].object), OBV_OK);
    roots[0].p[1] = NULL;
    CHECK_EQ(calls_of_drain(&calls), 1);
    init_leaf(&leaves[1]);
    leaf_set_i(&leaves[1], 4); /* another object at its address */
    CHECK_EQ(calls_of_drain(&calls), 0);
    set_child(&roots[0], 1, &leaves[1]);
    CHECK_EQ(calls_of_drain(&calls), 1);
    finish();
}

TEST(DR_13_a_child_is_recorded_for_one_observation_of_two)
{
    int calls = 0, others = 0;
    struct obv_observation *handle;
    begin();
    fill(&roots[0]);
    CHECK_EQ(observe(&roots[0].object, "*.i", 0, &calls, NULL), OBV_OK);
    CHECK_EQ(observe(&roots[0].object, "*.i", OBV_NET, &others, &handle),
             OBV_OK);
    leaf_set_i(&leaves[3], 1);
    leaf_set_i(&leaves[3], 0);
    drain();
    CHECK_EQ(calls, 1);
    CHECK_EQ(others, 0);
    leaf_set_i(&leaves[4], 1);
    drain();
    CHECK_EQ(calls, 2);
    CHECK_EQ(others, 1);
    obv_stop(handle);
    obv_release(handle);
    finish();
}

static void note_entry(void *entries, const struct obv_observer_entry *entry)
{
    *(int *)entries += 1 + 100 * entry->is_stale;
}

TEST(DB_2_a_child_is_wired_as_it_is_stored)
{
    int calls = 0, entries = 0;
    begin();
    fill(&roots[0]);
    CHECK_EQ(observe(&roots[0].object, "*.i", 0, &calls, NULL), OBV_OK);
    CHECK_EQ(obv_debug_each_observer(&leaves[1].object, note_entry, &entries),
             OBV_OK);
    CHECK_EQ(entries, 1);
    CHECK_EQ(obv_debug_each_observer(&roots[0].object, note_entry, &entries),
             OBV_OK);
    CHECK_EQ(entries, 2);
    CHECK_EQ(observe(&leaves[0].object, "j", 0, &calls, NULL), OBV_OK);
    roots[0].p[1] = &leaves[17];
    CHECK_EQ(obv_debug_each_observer(&roots[0].object, note_entry, &entries),
             OBV_OK);
    CHECK_EQ(entries, 103);
    roots[0].p[1] = &leaves[1];
    finish();
}

/* Short memory ------------------------------------------------------------- */

/* What is done to a child, where memory may be short. */
static enum obv_status deed(int number, struct leaf *child, int *calls)
{
    switch (number) {
    case 0:
        return observe(&child->object, "j", 0, calls, NULL);
    case 1:
        return observe(&child->object, "child.i", 0, calls, NULL);
    case 2:
        return observe(&roots[0].object, "*.i", OBV_NET, calls, NULL);
    case 3:
        return observe(&roots[0].object, "*.child.i", 0, calls, NULL);
    case 4:
        return observe(&roots[0].object, "*.j", 0, calls, NULL);
    case 5:
        return observe(&roots[1].object, "*.j", 0, calls, NULL);
    default:
        return obv_object_identity(&child->object) != 0 ? OBV_OK : OBV_E_MEMORY;
    }
}

TEST(FA_2_a_child_is_told_of_as_before)
{
    for (int number = 0; number < 7; number++) {
        enum obv_status status = OBV_E_MEMORY;
        for (size_t n = 1; status != OBV_OK; n++) {
            int calls = 0, others = 0, third = 0;
            begin();
            fill(&roots[0]);
            roots[1].p[0] = &leaves[3];
            CHECK_EQ(observe(&roots[0].object, "*.i", 0, &calls, NULL), OBV_OK);
            CHECK_EQ(
                observe(&roots[0].object, "*.*", OBV_IMMEDIATE, &third, NULL),
                OBV_OK);
            test_fail_allocation(n, false);
            status = deed(number, &leaves[3], &others);
            bool failed = test_allocation_failed();
            test_fail_allocation(0, false);
            CHECK(status == OBV_E_MEMORY ? failed : status == OBV_OK);
            for (size_t at = 0; at < WIDTH; at++) {
                leaf_set_i(&leaves[at], 1);
                CHECK_EQ(calls_of_drain(&calls), 1);
                CHECK_EQ(obv_observer_count(&leaves[at].object, "i"),
                         2 + (status == OBV_OK && number == 2));
                CHECK_EQ(third, (int)at + 1);
            }
            int before = others;
            leaf_set_j(&leaves[3], 1);
            drain();
            CHECK_EQ(others - before,
                     status == OBV_OK &&
                         (number == 0 || number == 4 || number == 5));
            roots[1].p[0] = NULL;
            finish();
        }
    }
}

TEST(FA_1_a_child_that_comes_or_goes_without_memory_is_followed_again)
{
    for (size_t n = 1; n < 40; n++) {
        int calls = 0;
        begin();
        CHECK_EQ(observe(&roots[0].object, "*.i", 0, &calls, NULL), OBV_OK);
        leaf_set_i(&leaves[1], 1);
        test_fail_allocation(n, true);
        set_child(&roots[0], 0, &leaves[0]);
        set_child(&roots[0], 1, &leaves[1]);
        set_child(&roots[0], 0, &leaves[1]);
        set_child(&roots[0], 0, &leaves[2]);
        set_child(&roots[0], 1, NULL);
        test_fail_allocation(0, false);
        CHECK_EQ(calls_of_drain(&calls), 1);
        set_child(&roots[0], 1, &leaves[3]); /* all is tried again */
        drain();
        for (size_t at = 0; at < LEAVES; at++) {
            leaf_set_i(&leaves[at], 7);
            CHECK_EQ(calls_of_drain(&calls), at == 2 || at == 3);
        }
        finish();
    }
}

static struct leaf *brief;

/* Ends the child that is being set, whose memory goes. */
static void end_brief(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    struct leaf *ended = brief;
    count(observer, root, call);
    test_fail_allocation(0, false);
    if (ended) {
        brief = NULL;
        set_child(&roots[0], 1, NULL);
        CHECK_EQ(obv_object_deinit(&ended->object), OBV_OK);
        memset(ended, 0x5a, sizeof *ended);
        free(ended);
    }
}

/* Who observes its class could not follow it, and has nothing to follow any
   more. */
TEST(OS_3_a_child_that_cannot_be_followed_ends_while_it_is_set)
{
    static const struct obv_handler_kind ends = {.changed = end_brief};
    const struct obv_observe_options immediate = {.size = sizeof immediate,
                                                  .flags = OBV_IMMEDIATE};
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        int calls = 0, of_class = 0;
        struct obv_observation *handle;
        begin();
        brief = malloc(sizeof *brief);
        *brief = (struct leaf){.i = 0};
        obv_object_init(&brief->object, leaf_class);
        set_child(&roots[0], 1, brief);
        const struct obv_pair pair = {&roots[0].object, "*.j"};
        CHECK_EQ(
            obv_observe_pairs(&pair, 1, &ends, &calls, &immediate, NULL, NULL),
            OBV_OK);
        CHECK_EQ(obv_observe_class(leaf_class, "j", &kind, &of_class, NULL,
                                   &handle, NULL),
                 OBV_OK);
        const int32_t old = 0;
        struct leaf *leaf = brief;
        test_fail_allocation(1, true);
        if (by_hand) {
            leaf->j = 1;
            CHECK_EQ(obv_trigger(&leaf->object, LEAF_J, &old, NULL), OBV_OK);
        } else {
            leaf_set_j(leaf, 1);
        }
        CHECK_EQ(calls, 2);
        drain();
        CHECK(of_class <= 1); /* any may have changed */
        obv_stop(handle);
        obv_release(handle);
        finish();
    }
}

struct top {
    struct obv_object object;
    struct root *a;
};
OBV_PROPERTY(top, a, object, 0)

/* What is above the children cannot be wired: all below it counts as changed. */
TEST(FA_1_children_of_what_cannot_be_followed_are_let_go_of)
{
    static const struct obv_property properties[] = {
        OBV_FIELD_OBJECT(top, a, "root")};
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "top",
                                                 .instance_size =
                                                     sizeof(struct top),
                                                 .properties = properties,
                                                 .property_count = 1};
    for (size_t n = 1; n < 40; n++) {
        struct top top = {.a = NULL};
        struct obv_class *cls;
        int calls = 0;
        begin();
        fill(&roots[0]);
        CHECK_EQ(obv_class_create(context, &table, &cls, NULL), OBV_OK);
        obv_object_init(&top.object, cls);
        top_set_a(&top, &roots[0]);
        CHECK_EQ(observe(&top.object, "a.*.i", 0, &calls, NULL), OBV_OK);
        test_fail_allocation(n % 20, n < 20);
        top_set_a(&top, &roots[1]);
        test_fail_allocation(0, false);
        CHECK_EQ(calls_of_drain(&calls), 1);
        for (size_t at = 0; at < LEAVES; at++) {
            leaf_set_i(&leaves[at], 3);
            CHECK_EQ(calls_of_drain(&calls), 0);
            CHECK_EQ(obv_observer_count(&leaves[at].object, "i"), 0);
        }
        top_set_a(&top, &roots[0]);
        drain();
        for (size_t at = 0; at < LEAVES; at++) {
            leaf_set_i(&leaves[at], 4);
            CHECK_EQ(calls_of_drain(&calls), at < WIDTH);
        }
        obv_object_deinit(&top.object);
        finish();
    }
}

/* At random ---------------------------------------------------------------- */

enum { WATCHES = 8, ENDS = 4 * LEAVES };

#define NOWHERE INT64_MIN

enum path { ANY_I, ANY_J, ANY_K, ANY_ANY, ANY_CHILD_I, P1_I, OWN_I, PATHS };
static const char *const paths[PATHS] = {"*.i",       "*.j",  "*.k", "*.*",
                                         "*.child.i", "p1.i", "i"};

struct watch {
    struct obv_observation *handle; /* NULL: there is none */
    enum path path;
    size_t where; /* a root, the list (2), or a leaf */
    uint32_t flags;
    int calls, expected;
    bool due;
    int64_t ends[ENDS];
};

static struct watch watches[WATCHES];

static struct obv_object *object_at(enum path path, size_t where)
{
    return path == OWN_I ? &leaves[where].object
           : where == 2  ? &list->container.object
                         : &roots[where].object;
}

static int64_t k_of(const struct leaf *leaf)
{
    return is_sub(leaf) ? leaf->k : NOWHERE;
}

static int64_t number_of(const struct leaf *leaf)
{
    return leaf ? leaf - leaves : -1;
}

/* What a path stands for below one child. */
static void read_ends(enum path path, const struct leaf *child, int64_t *ends)
{
    ends[0] = !child                ? NOWHERE
              : path == ANY_J       ? child->j
              : path == ANY_K       ? k_of(child)
              : path != ANY_CHILD_I ? child->i
              : child->child        ? child->child->i
                                    : NOWHERE;
    if (path == ANY_ANY && child) {
        ends[1] = child->j;
        ends[2] = number_of(child->child);
        ends[3] = k_of(child);
    }
}

/* The children of a list are told apart by who they are. */
static void read_all(const struct watch *watch, int64_t *ends)
{
    for (size_t n = 0; n < ENDS; n++) {
        ends[n] = NOWHERE;
    }
    if (watch->path == OWN_I || watch->path == P1_I) {
        read_ends(watch->path,
                  watch->path == OWN_I ? &leaves[watch->where]
                                       : roots[watch->where].p[1],
                  ends);
    } else if (watch->where == 2) {
        for (size_t n = 0; n < list->count; n++) {
            const struct leaf *leaf = list->elements[n];
            read_ends(watch->path, leaf, &ends[4 * number_of(leaf)]);
        }
    } else {
        for (size_t n = 0; n < WIDTH; n++) {
            read_ends(watch->path, roots[watch->where].p[n], &ends[4 * n]);
        }
    }
}

static void before_step(void)
{
    for (struct watch *w = watches; w < watches + WATCHES; w++) {
        if (w->handle) {
            read_all(w, w->ends);
        }
    }
}

static void after_step(void)
{
    for (struct watch *w = watches; w < watches + WATCHES; w++) {
        int64_t ends[ENDS];
        if (!w->handle) {
            continue;
        }
        read_all(w, ends);
        bool differs = memcmp(ends, w->ends, sizeof ends) != 0;
        w->expected += differs && (w->flags & OBV_IMMEDIATE);
        w->due = w->due || (differs && !(w->flags & OBV_IMMEDIATE));
        if (w->flags & OBV_IMMEDIATE) {
            CHECK_EQ(w->calls, w->expected);
        }
    }
}

static void check_drain(void)
{
    drain();
    for (struct watch *w = watches; w < watches + WATCHES; w++) {
        w->expected += w->due;
        w->due = false;
        CHECK_EQ(w->calls, w->expected);
    }
}

/* Whether a path of a watch ends at `i` of a leaf. */
static bool ends_at(const struct watch *watch, const struct leaf *leaf)
{
    bool found = false;
    if (watch->path == OWN_I) {
        return &leaves[watch->where] == leaf;
    }
    size_t width = watch->where == 2 ? list->count : WIDTH;
    for (size_t n = 0; n < width; n++) {
        const struct leaf *child =
            watch->where == 2 ? list->elements[n] : roots[watch->where].p[n];
        bool is_end = watch->path == ANY_I || watch->path == ANY_ANY ||
                      (watch->path == P1_I && n == 1);
        found = found || (child == leaf && is_end) ||
                (child && watch->path == ANY_CHILD_I && child->child == leaf);
    }
    return found;
}

static void check_counts(void)
{
    for (const struct leaf *leaf = leaves; leaf < leaves + LEAVES; leaf++) {
        size_t expected = 0;
        for (struct watch *w = watches; w < watches + WATCHES; w++) {
            expected += w->handle && ends_at(w, leaf);
        }
        CHECK_EQ(obv_observer_count(
                     (struct obv_object *)(uintptr_t)&leaf->object, "i"),
                 expected);
    }
}

static size_t below(size_t limit)
{
    return (size_t)(test_random() % limit);
}

static struct leaf *some_leaf(void)
{
    return &leaves[below(LEAVES)];
}

static void end_watch(struct watch *watch)
{
    if (watch->handle) {
        check_drain();
        obv_stop(watch->handle);
        obv_release(watch->handle);
    }
    *watch = (struct watch){.handle = NULL};
}

static void begin_watch(struct watch *watch)
{
    static const uint32_t flags[] = {0, 0, OBV_IMMEDIATE, OBV_RECORDS};
    end_watch(watch);
    watch->path = (enum path)below(PATHS);
    watch->where = watch->path == OWN_I  ? below(LEAVES)
                   : watch->path == P1_I ? below(2)
                                         : below(3);
    watch->flags = flags[below(4)];
    CHECK_EQ(observe(object_at(watch->path, watch->where), paths[watch->path],
                     watch->flags, &watch->calls, &watch->handle),
             OBV_OK);
}

static void edit_list(void)
{
    size_t at = below(list->count + 1);
    if (at < list->count && below(2) == 0) {
        CHECK_EQ(obv_array_remove(list, at), OBV_OK);
    } else if (at < list->count && below(3) == 0) {
        CHECK_EQ(obv_array_replace(list, at, some_leaf()), OBV_OK);
    } else if (list->count < WIDTH) {
        CHECK_EQ(obv_array_insert(list, at, some_leaf()), OBV_OK);
    } else {
        CHECK_EQ(obv_array_clear(list), OBV_OK);
    }
}

/* The program clears what leads to an object that ends. */
static void forget(const struct leaf *leaf)
{
    for (size_t n = 0; n < 2 * WIDTH; n++) {
        struct leaf **place = &roots[n / WIDTH].p[n % WIDTH];
        *place = *place == leaf ? NULL : *place;
    }
    for (size_t n = 0; n < LEAVES; n++) {
        leaves[n].child = leaves[n].child == leaf ? NULL : leaves[n].child;
    }
}

/* A leaf that stands nowhere in a list, where nothing can be cleared behind its
   back. */
static void end_leaf(struct leaf *leaf)
{
    bool is_listed = false, is_shown = false;
    for (size_t n = 0; n < list->count; n++) {
        is_listed = is_listed || list->elements[n] == leaf;
    }
    for (size_t n = 0; n < LEAVES; n++) {
        is_shown = is_shown || leaves[n].child == leaf;
    }
    if (is_listed || is_shown) {
        return;
    }
    for (struct watch *w = watches; w < watches + WATCHES; w++) {
        if (w->path == OWN_I && &leaves[w->where] == leaf) {
            end_watch(w);
        }
    }
    before_step();
    CHECK_EQ(obv_object_deinit(&leaf->object), OBV_OK);
    forget(leaf);
    after_step();
    init_leaf(leaf);
}

static void step(void)
{
    struct leaf *leaf = some_leaf();
    struct root *root = &roots[below(2)];
    size_t which = below(16);
    if (which == 0) {
        begin_watch(&watches[below(WATCHES)]);
    } else if (which == 1) {
        end_watch(&watches[below(WATCHES)]);
    } else if (which == 2) {
        check_drain();
    } else if (which == 3) {
        end_leaf(leaf);
    } else if (which == 4 && below(8) == 0) {
        (void)obv_object_identity(&leaf->object);
    } else {
        before_step();
        if (which < 7) {
            leaf_set_i(leaf, (int32_t)below(3));
        } else if (which < 8) {
            leaf_set_j(leaf, (int32_t)below(3));
        } else if (which < 9) {
            leaf_set_child(leaf, below(2) ? some_leaf() : NULL);
        } else if (which < 10) {
            if (is_sub(leaf)) {
                leaf_set_k(leaf, (int32_t)below(3));
            }
        } else if (which < 13) {
            set_child(root, below(WIDTH), below(3) ? leaf : NULL);
        } else {
            edit_list();
        }
        after_step();
    }
    check_counts();
}

TEST(WC_2_random_steps_are_told_by_values)
{
    for (size_t program = 0; program < 400; program++) {
        begin();
        memset(watches, 0, sizeof watches);
        for (size_t n = 0; n < 60; n++) {
            step();
        }
        for (struct watch *w = watches; w < watches + WATCHES; w++) {
            end_watch(w);
        }
        finish();
    }
}

/* On two threads ----------------------------------------------------------- */

static void *observe_and_stop(void *unused)
{
    int calls = 0;
    (void)unused;
    for (size_t n = 0; n < 300; n++) {
        struct obv_observation *own, *star;
        CHECK_EQ(observe(&leaves[n % WIDTH].object, "j", 0, &calls, &own),
                 OBV_OK);
        CHECK_EQ(
            observe(&roots[0].object, n % 3 ? "*.j" : "*.*", 0, &calls, &star),
            OBV_OK);
        obv_stop(own);
        obv_stop(star);
        obv_release(own);
        obv_release(star);
    }
    return NULL;
}

/* The owner sets what another thread begins and stops to observe. */
TEST(TH_1_children_are_set_while_others_observe_them)
{
    int calls = 0;
    for (size_t round = 0; round < 20; round++) {
        pthread_t thread;
        begin();
        fill(&roots[0]);
        CHECK_EQ(observe(&roots[0].object, "*.i", OBV_IMMEDIATE, &calls, NULL),
                 OBV_OK);
        calls = 0;
        CHECK_EQ(pthread_create(&thread, NULL, observe_and_stop, NULL), 0);
        for (int32_t n = 1; n <= 600; n++) {
            leaf_set_i(&leaves[n % WIDTH], n);
        }
        CHECK_EQ(calls, 600);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        finish();
    }
}

static void *observe_in_turns(void *which)
{
    static const char *const ends[] = {"*.i", "*.i", "*.child.i"};
    static const uint32_t flags[] = {0, OBV_NET, 0};
    const size_t *first = which;
    int calls = 0;
    for (size_t n = *first; n < *first + 2000; n++) {
        struct obv_observation *handle;
        CHECK_EQ(observe(&roots[0].object, ends[n % 3], flags[n % 3], &calls,
                         &handle),
                 OBV_OK);
        obv_stop(handle);
        obv_release(handle);
    }
    return NULL;
}

/* A plain one, one that wants records, and one that goes on. */
TEST(TH_1_two_threads_begin_to_observe_the_same_children)
{
    static size_t first[2] = {0, 1};
    pthread_t threads[2];
    begin();
    fill(&roots[0]);
    for (size_t n = 0; n < 2; n++) {
        CHECK_EQ(pthread_create(&threads[n], NULL, observe_in_turns, &first[n]),
                 0);
    }
    for (size_t n = 0; n < 2; n++) {
        CHECK_EQ(pthread_join(threads[n], NULL), 0);
    }
    CHECK_EQ(obv_observer_count(&leaves[0].object, "i"), 0);
    finish();
}
