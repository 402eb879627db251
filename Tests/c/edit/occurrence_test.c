/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are followed wherever they move, in containers of the program's
 * own: what a script cannot say of them.
 */
#if defined(__linux__)
#define _GNU_SOURCE /* NOLINT: for RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "test.h"

#include <observable/container.h>
#include <observable/observable.h>

#include <string.h>

enum { TITLE, LIST, NEXT, MADE, PROPERTIES, ROOM = 16 };

struct array {
    struct obv_container container;
    size_t count;
    struct obv_object *items[ROOM];
};

struct thing {
    struct obv_object object;
    size_t references;
    int64_t title;
    struct array *list;
    struct thing *next;
    bool made; /* only its place */
};

OBV_PROPERTY(thing, title, i64, TITLE)
OBV_PROPERTY(thing, next, object, NEXT)

/* What a binding's code does, once, after so many calls. */
static void (*in_child)(void);
static size_t calls_before;

/* The next one, which a binding's code answers. */
static struct obv_object *made_child(const struct obv_property *property,
                                     struct obv_object *object)
{
    struct thing *next = ((struct thing *)object)->next;
    void (*deed)(void) = in_child;
    (void)property;
    if (deed && calls_before-- == 0) {
        in_child = NULL;
        deed();
    }
    if (next) {
        next->references++;
        return &next->object;
    }
    return NULL;
}

static bool made_equal(const struct obv_property *property_a,
                       struct obv_object *one,
                       const struct obv_property *property_b,
                       struct obv_object *another)
{
    (void)property_a;
    (void)property_b;
    return ((struct thing *)one)->next == ((struct thing *)another)->next;
}

static const struct obv_value_kind made_kind = {
    .size = sizeof made_kind, .equal = made_equal, .child = made_child};
static const struct obv_property thing_properties[] = {
    [TITLE] = OBV_FIELD(thing, title, i64),
    [LIST] = OBV_FIELD_OBJECT(thing, list, NULL),
    [NEXT] = OBV_FIELD_OBJECT(thing, next, "thing"),
    [MADE] = {.name = "made",
              .kind = OBV_KIND_custom,
              .offset = offsetof(struct thing, made),
              .size = sizeof(bool),
              .custom = &made_kind}};

static struct obv_context *context;
static struct obv_class *arrays;
static struct thing root, a, b, c, d;
static struct array list, other;

/* The container ------------------------------------------------------------ */

static size_t array_count(const struct obv_container *container)
{
    return ((const struct array *)(const void *)container)->count;
}

static const void *array_at(const struct obv_container *container,
                            size_t position)
{
    const struct array *array = (const void *)container;
    CHECK(position < array->count);
    return &array->items[position];
}

/* What a comparison does, once. */
static void (*in_comparison)(void);

/* By title. */
static bool same_title(const void *one, const void *another)
{
    const struct thing *const *a_field = one, *const *b_field = another;
    void (*deed)(void) = in_comparison;
    in_comparison = NULL;
    if (deed) {
        deed();
    }
    return (*a_field)->title == (*b_field)->title;
}

static bool array_retain(struct obv_object *object)
{
    return object != NULL;
}

static void array_release(struct obv_object *object)
{
    (void)object;
}

static const struct obv_container_kind array_kind = {
    .size = sizeof array_kind,
    .name = "array",
    .instance_size = sizeof(struct array),
    .element = {.name = "element",
                .kind = OBV_KIND_object,
                .equal = same_title},
    .count = array_count,
    .at = array_at,
    .retain = array_retain,
    .release = array_release};

static enum obv_status tell(const struct obv_container_edit *edits,
                            size_t count)
{
    return obv_container_edited(&list.container, edits, count, NULL);
}

/* Sets the content, and tells that no edit has made it. */
static void hold(struct thing *const *things, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        list.items[i] = &things[i]->object;
    }
    list.count = count;
}

#define HOLD(...)                                                              \
    hold((struct thing *[]){__VA_ARGS__},                                      \
         sizeof((struct thing *[]){__VA_ARGS__}) / sizeof(struct thing *))

/* Around a test ------------------------------------------------------------ */

static bool thing_retain(struct obv_object *object)
{
    struct thing *thing = (struct thing *)object;
    return thing->references > 0 && ++thing->references;
}

static void thing_release(struct obv_object *object)
{
    --((struct thing *)object)->references;
}

static void make(struct thing *thing, struct obv_class *cls, int64_t title)
{
    *thing = (struct thing){.title = title, .references = 1};
    obv_object_init(&thing->object, cls);
}

/* `is_held`: things have retain and release. */
static void begin_with(bool is_held)
{
    const struct obv_class_table thing_table = {
        .size = sizeof thing_table,
        .name = "thing",
        .instance_size = sizeof(struct thing),
        .properties = thing_properties,
        .property_count = is_held ? PROPERTIES : MADE,
        .retain = is_held ? thing_retain : NULL,
        .release = is_held ? thing_release : NULL};
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    struct obv_class *things;
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &thing_table, &things, NULL), OBV_OK);
    CHECK_EQ(obv_container_class_create(context, &array_kind, &arrays, NULL),
             OBV_OK);
    make(&root, things, 0);
    make(&a, things, 1);
    make(&b, things, 2);
    make(&c, things, 3);
    make(&d, things, 4);
    list = other = (struct array){.count = 0};
    HOLD(&a, &b, &c);
    obv_container_init(&list.container, arrays);
    obv_container_init(&other.container, arrays);
    CHECK_EQ(obv_set_object(&root.object, LIST, &list.container.object),
             OBV_OK);
}

static void begin(void)
{
    begin_with(true);
}

static void finish(void)
{
    struct obv_object *const all[] = {&root.object,
                                      &list.container.object,
                                      &other.container.object,
                                      &a.object,
                                      &b.object,
                                      &c.object,
                                      &d.object};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK_EQ(obv_object_deinit(all[i]), OBV_OK);
    }
    obv_loop_drain(obv_context_loop(context));
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

static int64_t drained(void)
{
    return obv_loop_drain(obv_context_loop(context));
}

static void count_call(void *observer, struct obv_object *object,
                       const struct obv_call *call)
{
    (void)object;
    (void)call;
    ++*(int *)observer;
}

static const struct obv_handler_kind kind = {.changed = count_call};

static void observe(const char *path, int *calls)
{
    CHECK_EQ(obv_observe(&root.object, path, &kind, calls, NULL, NULL), OBV_OK);
}

/* Whether a change of a thing's title calls once; or not. */
static bool calls_for(struct thing *thing)
{
    thing_set_title(thing, thing->title + 10);
    int64_t calls = drained();
    CHECK(calls <= 1);
    return calls == 1;
}

/* Edits that cannot be ----------------------------------------------------- */

static const size_t repeated[] = {0, 0, 1}, outside[] = {0, 3, 1},
                    tail[] = {1, 2, 2}, right[] = {2, 0, 1};

static const struct obv_container_edit wrong[] = {
    {.position = 0, .moved = 4, .to = 0},
    {.position = 1, .moved = 3, .to = 0},
    {.position = 4, .moved = 1, .to = 0},
    {.position = 0, .moved = 1, .to = 3},
    {.position = 0, .moved = 3, .to = 1},
    {.position = 0, .moved = 1, .to = SIZE_MAX},
    {.position = SIZE_MAX, .moved = 2, .to = 0},
    {.position = 1, .moved = SIZE_MAX, .to = 0},
    {.position = 0, .moved = 1, .to = 1, .removed = 1, .inserted = 1},
    {.position = 0, .moved = 3, .order = right, .removed = 1, .inserted = 1},
    {.position = 0, .moved = 3, .order = repeated},
    {.position = 0, .moved = 3, .order = outside},
    {.position = 0, .moved = 3, .order = tail},
    {.position = 1, .moved = 3, .order = right},
    {.position = 3, .removed = 1, .inserted = 1},
    {.position = 1, .inserted = SIZE_MAX, .removed = SIZE_MAX},
    {.position = 1, .inserted = 1}};

static void check_wrong(void)
{
    const struct obv_container_edit good = {.moved = 1, .to = 2};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct obv_container_edit behind[] = {good, wrong[i]};
        CHECK_EQ(tell(&wrong[i], 1), OBV_E_ARGUMENT);
        CHECK_EQ(tell(behind, 2), OBV_E_ARGUMENT);
    }
}

TEST(CO_3_moves_and_orders_that_cannot_be_change_nothing)
{
    int calls = 0;
    begin();
    observe("list.0.title", &calls);
    observe("list.#1", &calls);
    observe("list.*", &calls);
    check_wrong();
    /* The same without memory to look an order through. */
    test_fail_allocation(1, true);
    check_wrong();
    CHECK(test_allocation_failed());
    const struct obv_container_edit turned = {.moved = 3, .order = right};
    HOLD(&b, &c, &a);
    CHECK_EQ(tell(&turned, 1), OBV_OK);
    test_fail_allocation(0, false);
    CHECK_EQ(drained(), 2);
    CHECK(calls_for(&a));
    finish();
}

/* Counts go round 2^64; what is told must not. */
TEST(CO_3_more_elements_than_there_can_be_are_refused)
{
    int calls = 0;
    begin();
    observe("list.0.title", &calls);
    observe("list.2", &calls);
    HOLD(&a, &b);
    const struct obv_container_edit round[] = {
        {.position = 0, .inserted = SIZE_MAX}};
    CHECK_EQ(tell(round, 1), OBV_E_ARGUMENT);
    const struct obv_container_edit there_and_back[] = {
        {.position = 0, .inserted = SIZE_MAX - 2}, /* as many as there can be */
        {.position = 1, .inserted = 1},
        {.position = 0, .removed = 1}};
    CHECK_EQ(tell(there_and_back, 3), OBV_E_ARGUMENT);
    CHECK_EQ(drained(), 0);
    const struct obv_container_edit removed = {.position = 2, .removed = 1};
    CHECK_EQ(tell(&removed, 1), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK(calls_for(&a));
    finish();
}

TEST(CO_4_an_edit_of_nothing_is_none)
{
    int calls = 0;
    begin();
    observe("list.0.title", &calls);
    observe("list.#0", &calls);
    observe("list.*", &calls);
    const struct obv_container_edit nothing[] = {
        {.position = 3},
        {.position = 1, .order = repeated}, /* of none */
        {.position = 0, .moved = 2, .to = 0},
        {.position = 0, .to = 7}};
    CHECK_EQ(tell(nothing, sizeof nothing / sizeof *nothing), OBV_OK);
    CHECK_EQ(tell(NULL, 0), OBV_OK);
    CHECK_EQ(drained(), 0);
    finish();
}

/* Several edits together --------------------------------------------------- */

/* a b c: taken out, put in, moved and turned, as one change. */
TEST(CO_2_edits_with_moves_and_orders_among_them_are_one_change)
{
    int first = 0, second = 0, third = 0, position = 0, count = 0;
    struct obv_object *const old_b[] = {&b.object};
    begin();
    observe("list.0.title", &first);
    observe("list.1.title", &second);
    observe("list.2.title", &third);
    observe("list.#0", &position);
    observe("list.count", &count);
    const struct obv_container_edit edits[] = {
        {.position = 0, .moved = 1, .to = 2},         /* b c a */
        {.position = 1, .inserted = 1},               /* b d c a */
        {.position = 1, .moved = 3, .order = right},  /* b c a d */
        {.position = 0, .removed = 1, .old = old_b},  /* c a d */
        {.position = 2, .removed = 1, .inserted = 1}, /* c a b */
        {.position = 0, .moved = 2, .to = 1},         /* b c a */
        {.position = 0, .moved = 3, .order = right}}; /* c a b */
    HOLD(&c, &a, &b);
    CHECK_EQ(tell(edits, sizeof edits / sizeof *edits), OBV_OK);
    CHECK_EQ(drained(), 2); /* b has gone, and the first differs */
    CHECK(second == 1 && position == 1);
    CHECK(calls_for(&a) && calls_for(&c) && !calls_for(&b));
    CHECK(first == 1 && third == 1 && count == 0);
    CHECK_EQ(obv_observer_count(&list.container.object, "0"), 1);
    CHECK_EQ(obv_observer_count(&list.container.object, "1"), 1);
    CHECK_EQ(obv_observer_count(&list.container.object, "2"), 0);
    finish();
}

/* The one that stands there in the end is not the one that stood there. */
TEST(AR_1_what_has_gone_and_comes_back_in_one_change_has_gone)
{
    int calls = 0;
    struct obv_object *const old[] = {&a.object};
    begin();
    observe("list.0.title", &calls);
    const struct obv_container_edit edits[] = {
        {.position = 0, .removed = 1, .old = old},
        {.position = 0, .inserted = 1}};
    CHECK_EQ(tell(edits, 2), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK(!calls_for(&a));
    finish();
}

TEST(AR_1_what_has_gone_unknown_counts_as_different)
{
    int calls = 0;
    begin();
    observe("list.0.title", &calls);
    observe("list.1", &calls);
    const struct obv_container_edit replaced = {.removed = 3, .inserted = 3};
    CHECK_EQ(tell(&replaced, 1), OBV_OK);
    CHECK_EQ(drained(), 2);
    CHECK(!calls_for(&a));
    finish();
}

/* Equal elements ----------------------------------------------------------- */

/* a, d and c have the same title. */
static void make_alike(void)
{
    a.title = c.title = d.title = 1;
}

TEST(AR_1_an_equal_element_in_its_place_is_followed_on)
{
    int end = 0, below = 0, identity = 0;
    struct obv_object *const old_a[] = {&a.object}, *const old_d[] = {
                                                        &d.object};
    const struct obv_observe_options by_identity = {
        .size = sizeof by_identity, .compare = OBV_COMPARE_IDENTITY};
    const struct obv_pair pair = {&root.object, "list.0"};
    begin();
    make_alike();
    observe("list.0", &end);
    observe("list.0.next", &below);
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &kind, &identity, &by_identity, NULL, NULL),
        OBV_OK);
    const struct obv_container_edit replaced = {
        .removed = 1, .inserted = 1, .old = old_a};
    HOLD(&d, &b, &c);
    CHECK_EQ(tell(&replaced, 1), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK(identity == 1 && end == 0 && below == 0);
    CHECK_EQ(obv_set_object(&a.object, NEXT, &b.object), OBV_OK);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_set_object(&d.object, NEXT, &b.object), OBV_OK);
    CHECK_EQ(drained(), 1);
    /* Replaced, moved, and replaced where it stands then. */
    const struct obv_container_edit edits[] = {
        {.position = 0, .removed = 1, .inserted = 1, .old = old_d},
        {.position = 0, .moved = 1, .to = 2},
        {.position = 2, .removed = 1, .inserted = 1, .old = old_a}};
    HOLD(&b, &c, &c);
    CHECK_EQ(tell(edits, 3), OBV_OK);
    CHECK_EQ(drained(), 2);
    CHECK(identity == 2 && end == 0 && below == 2);
    CHECK_EQ(obv_observer_count(&list.container.object, "2"), 3);
    const struct obv_container_edit gone = {.position = 2, .removed = 1};
    HOLD(&b, &c);
    CHECK_EQ(tell(&gone, 1), OBV_OK);
    CHECK_EQ(drained(), 3);
    finish();
}

static int in_between;

static void observe_first(void)
{
    observe("list.0.title", &in_between);
}

static void observe_second(void)
{
    observe("list.1.title", &in_between);
}

/* A comparison sets nothing, but it may begin to observe. */
TEST(AR_1_a_comparison_may_observe_what_it_compares)
{
    int calls = 0;
    struct obv_object *const old[] = {&a.object};
    begin();
    make_alike();
    observe("list.0.title", &calls);
    const struct obv_container_edit edits[] = {
        {.removed = 1, .inserted = 1, .old = old},
        {.position = 0, .inserted = 1},
        {.position = 0, .removed = 1, .old = old}};
    HOLD(&d, &b, &c);
    in_comparison = observe_first;
    CHECK_EQ(tell(edits, 1), OBV_OK);
    (void)drained();
    in_between = 0;
    HOLD(&b, &d, &b, &c);
    CHECK_EQ(tell(edits + 1, 1), OBV_OK);
    HOLD(&d, &b, &c);
    CHECK_EQ(tell(edits + 2, 1), OBV_OK);
    CHECK_EQ(drained(), 0);
    thing_set_title(&d, 20);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(in_between, 1);
    finish();
}

TEST(AR_1_a_comparison_may_observe_what_the_next_edit_removes)
{
    int calls = 0;
    struct obv_object *const old[] = {&a.object}, *const old_b[] = {&b.object};
    begin();
    make_alike();
    in_between = 0;
    observe("list.0.title", &calls);
    observe("list.1.title", &calls);
    const struct obv_container_edit edits[] = {
        {.removed = 1, .inserted = 1, .old = old},
        {.position = 1, .removed = 1, .old = old_b}};
    HOLD(&d, &c);
    in_comparison = observe_second;
    CHECK_EQ(tell(edits, 2), OBV_OK);
    (void)drained();
    CHECK_EQ(in_between, 1);
    /* Nothing has stayed behind that would look for it later. */
    CHECK_EQ(obv_object_deinit(&list.container.object), OBV_OK);
    memset(&list, 0x5a, sizeof list);
    obv_stop_observer(&root.object, &in_between, NULL, 0, NULL);
    obv_stop_observer(&root.object, &calls, NULL, 0, NULL);
    root.list = NULL;
    list = (struct array){.count = 0};
    obv_container_init(&list.container, arrays);
    finish();
}

static void stop_all(void)
{
    CHECK_EQ(obv_stop_handler(&root.object, &kind, NULL), OBV_OK);
}

/* Where it hung is gone, and must not be looked at: under sanitizers. */
TEST(ST_5_a_comparison_may_stop_what_it_compares)
{
    static const char *const paths[] = {"list.0.title", "list.#0.title",
                                        "list.*.title"};
    struct obv_object *const old[] = {&a.object};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int calls = 0;
        begin();
        make_alike();
        observe(paths[i], &calls);
        observe(paths[i], &calls);
        const struct obv_container_edit replaced = {
            .removed = 1, .inserted = 1, .old = old};
        HOLD(&d, &b, &c);
        in_comparison = stop_all;
        CHECK_EQ(tell(&replaced, 1), OBV_OK);
        CHECK(!in_comparison);
        CHECK_EQ(drained(), 0);
        CHECK_EQ(obv_observer_count(&root.object, "list"), 0);
        finish();
    }
}

static int stopped;

static void stop_one(void)
{
    CHECK_EQ(obv_stop_handler(&root.object, &kind, &stopped), OBV_OK);
}

TEST(ST_5_a_comparison_may_stop_what_turns_out_to_leave)
{
    int calls = 0;
    struct obv_object *const old[] = {&a.object};
    begin();
    stopped = 0;
    observe("list.0.title", &stopped);
    observe("list.2.title", &calls);
    const struct obv_container_edit edits[] = {
        {.removed = 1, .inserted = 1, .old = old},
        {.position = 2, .removed = 1}};
    HOLD(&d, &b, &c);
    in_comparison = stop_one;
    CHECK_EQ(tell(edits, 1), OBV_OK);
    CHECK_EQ(drained(), 0);
    HOLD(&d, &b);
    CHECK_EQ(tell(edits + 1, 1), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK(stopped == 0 && calls == 1);
    finish();
}

/* What is followed, read --------------------------------------------------- */

static struct obv_observation *following(struct obv_object *object,
                                         const char *path, uint32_t flags,
                                         int *calls)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    const struct obv_pair pair = {object, path};
    struct obv_observation *handle;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, calls, &options, &handle, NULL),
             OBV_OK);
    return handle;
}

static int64_t title_at(const struct obv_observation *handle, const char *path)
{
    struct obv_value value;
    CHECK_EQ(obv_observed_value(handle, &root.object, path, &value, NULL),
             OBV_OK);
    int64_t title = obv_value_is_reachable(&value) ? value.as.i64 : -1;
    obv_value_deinit(context, &value);
    return title;
}

static void move_first_to_the_end(void)
{
    const struct obv_container_edit moved = {.moved = 1, .to = 2};
    HOLD(&b, &c, &a);
    CHECK_EQ(tell(&moved, 1), OBV_OK);
}

TEST(AR_1_what_is_followed_is_read)
{
    int calls = 0;
    struct obv_value value;
    begin();
    struct obv_observation *handle =
        following(&root.object, "list.0.title", OBV_EXTENSIBLE, &calls);
    struct obv_observation *end =
        following(&root.object, "list.0", OBV_IMMEDIATE, &calls);
    struct obv_observation *plain = following(&root.object, "title", 0, &calls);
    struct obv_observation *position =
        following(&root.object, "list.#0.title", 0, &calls);
    move_first_to_the_end();
    CHECK_EQ(title_at(handle, "list.0.title"), 1);
    CHECK_EQ(title_at(position, "list.#0.title"), 2);
    CHECK_EQ(title_at(plain, "title"), 0);
    CHECK_EQ(obv_observed_value(end, &root.object, "list.0", &value, NULL),
             OBV_OK);
    CHECK(value.as.object == &a.object);
    obv_value_deinit(context, &value);
    CHECK_EQ(obv_value_at(&root.object, "list.0.title", &value, NULL), OBV_OK);
    CHECK_EQ(value.as.i64, 2);
    obv_value_deinit(context, &value);
    struct obv_observation *const all[] = {handle, end, plain, position};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        obv_stop(all[i]);
        obv_release(all[i]);
    }
    finish();
}

TEST(AR_1_what_is_not_followed_is_not_read)
{
    int calls = 0;
    struct obv_error error;
    const struct obv_value untouched = {.kind = OBV_KIND_i32, .as.i32 = 77};
    struct obv_value value = untouched;
    begin();
    struct obv_observation *handle =
        following(&root.object, "list.0.title", 0, &calls);
    const struct {
        const struct obv_observation *handle;
        struct obv_object *root;
        const char *path;
        struct obv_value *value;
        enum obv_status status;
    } wrong_reads[] = {
        {NULL, &root.object, "list.0.title", &value, OBV_E_ARGUMENT},
        {handle, NULL, "list.0.title", &value, OBV_E_ARGUMENT},
        {handle, &root.object, NULL, &value, OBV_E_ARGUMENT},
        {handle, &root.object, "list.0.title", NULL, OBV_E_ARGUMENT},
        {handle, &root.object, "list..title", &value, OBV_E_SYNTAX},
        {handle, &root.object, "list.1.title", &value, OBV_E_ENDED},
        {handle, &root.object, "list.#0.title", &value, OBV_E_ENDED},
        {handle, &root.object, "list.0", &value, OBV_E_ENDED},
        {handle, &root.object, "nobody.has.this", &value, OBV_E_ENDED},
        {handle, &a.object, "list.0.title", &value, OBV_E_ENDED}};
    for (size_t i = 0; i < sizeof wrong_reads / sizeof *wrong_reads; i++) {
        CHECK_EQ(obv_observed_value(wrong_reads[i].handle, wrong_reads[i].root,
                                    wrong_reads[i].path, wrong_reads[i].value,
                                    &error),
                 wrong_reads[i].status);
        CHECK(memcmp(&value, &untouched, sizeof value) == 0);
        CHECK(error.status == wrong_reads[i].status);
    }
    obv_stop(handle);
    CHECK_EQ(obv_observed_value(handle, &root.object, "list.0.title", &value,
                                &error),
             OBV_E_ENDED);
    CHECK(memcmp(&value, &untouched, sizeof value) == 0);
    obv_release(handle);
    finish();
}

/* A text is copied. */
TEST(FA_2_what_cannot_be_copied_is_not_read)
{
    static const struct obv_container_kind text_kind = {
        .size = sizeof text_kind,
        .name = "texts",
        .instance_size = sizeof(struct array),
        .element = OBV_ELEMENT(string),
        .count = array_count,
        .at = array_at};
    static struct array texts;
    int calls = 0;
    struct obv_class *cls;
    struct obv_value value = {.kind = OBV_KIND_i32, .as.i32 = 77};
    begin();
    CHECK_EQ(obv_container_class_create(context, &text_kind, &cls, NULL),
             OBV_OK);
    texts = (struct array){.count = 1};
    texts.items[0] = (struct obv_object *)(uintptr_t) "a text that is copied";
    obv_container_init(&texts.container, cls);
    struct obv_observation *handle =
        following(&texts.container.object, "0", 0, &calls);
    test_fail_allocation(1, true);
    CHECK_EQ(
        obv_observed_value(handle, &texts.container.object, "0", &value, NULL),
        OBV_E_MEMORY);
    test_fail_allocation(0, false);
    CHECK_EQ(value.as.i32, 77);
    CHECK_EQ(
        obv_observed_value(handle, &texts.container.object, "0", &value, NULL),
        OBV_OK);
    CHECK_TEXT(value.as.string, "a text that is copied");
    obv_value_deinit(context, &value);
    obv_stop(handle);
    obv_release(handle);
    CHECK_EQ(obv_object_deinit(&texts.container.object), OBV_OK);
    finish();
}

/* The end of a path -------------------------------------------------------- */

static void remove_first(void)
{
    struct obv_object *const old[] = {list.items[0]};
    const struct obv_container_edit removed = {.removed = 1, .old = old};
    memmove(list.items, list.items + 1, --list.count * sizeof *old);
    CHECK_EQ(tell(&removed, 1), OBV_OK);
}

#if defined(__linux__) && defined(SYS_membarrier)

/* The membarriers that the library has asked for: its calls come here. */
static size_t membarriers;

long syscall(long number, ...)
{
    long (*next)(long, ...) = NULL;
    *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    va_list arguments;
    long given[6];
    va_start(arguments, number);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        given[i] = va_arg(arguments, long);
    }
    va_end(arguments);
    membarriers += number == SYS_membarrier;
    if (!next) {
        errno = ENOSYS;
        return -1;
    }
    return next(number, given[0], given[1], given[2], given[3], given[4],
                given[5]);
}

static size_t membarriers_of_a_removal(void)
{
    size_t before = membarriers;
    remove_first();
    return membarriers - before;
}

/* It is a system call, and interrupts the threads that run. */
TEST(AR_1_the_end_of_a_path_costs_one_membarrier)
{
    int calls = 0, calls_at_once = 0;
    begin();
    observe("list.0.title", &calls);
    CHECK(membarriers_of_a_removal() <= 1);
    CHECK_EQ(drained(), 1);
    obv_release(
        following(&root.object, "list.0.title", OBV_IMMEDIATE, &calls_at_once));
    CHECK(membarriers_of_a_removal() <= 1);
    CHECK_EQ(calls, 1);
    CHECK_EQ(calls_at_once, 1);
    finish();
}

#endif

/* Nothing keeps its root or its observer: the call is taken back. */
TEST(ST_4_a_stop_takes_back_the_last_call_of_what_nothing_holds)
{
    int calls = 0;
    begin_with(false);
    struct obv_observation *handle =
        following(&root.object, "list.0.title", 0, &calls);
    remove_first();
    CHECK(!obv_has_ended(handle));
    obv_stop(handle);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(calls, 0);
    obv_release(handle);
    observe("list.0.title", &calls);
    remove_first();
    CHECK_EQ(obv_stop_observer(&root.object, &calls, NULL, 0, NULL), OBV_OK);
    CHECK_EQ(drained(), 0);
    observe("list.0.title", &calls);
    remove_first();
    CHECK_EQ(drained(), 1);
    CHECK_EQ(calls, 1);
    finish();
}

TEST(LT_2_the_root_ends_before_the_last_call)
{
    int calls = 0;
    begin_with(false);
    observe("list.0.title", &calls);
    remove_first();
    CHECK_EQ(obv_object_deinit(&root.object), OBV_OK);
    CHECK_EQ(drained(), 0);
    make(&root, obv_object_class(&a.object), 0);
    finish();
}

/* Code of the program runs as a path is attached, once it has been checked. */
TEST(AR_2_an_element_that_leaves_meanwhile_is_past_the_end)
{
    int calls = 0;
    struct obv_error error;
    begin();
    a.next = &d;
    calls_before = 1;
    in_child = remove_first;
    CHECK_EQ(obv_observe(&root.object, "list.0.made.title", &kind, &calls, NULL,
                         &error),
             OBV_E_PAST_END);
    CHECK(!in_child && error.status == OBV_E_PAST_END);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_observer_count(&root.object, "list"), 0);
    CHECK(!calls_for(&d));
    finish();
}

static void remove_second(void)
{
    struct obv_object *const old[] = {list.items[1]};
    const struct obv_container_edit removed = {
        .position = 1, .removed = 1, .old = old};
    CHECK_EQ(list.count, 3);
    list.items[1] = list.items[2];
    list.count = 2;
    CHECK_EQ(tell(&removed, 1), OBV_OK);
}

/* It runs as an edit is told, too, and may be one. */
TEST(AR_1_an_edit_inside_the_telling_of_another_one)
{
    int first = 0, second = 0, third = 0, last = 0;
    struct obv_object *const old[] = {&a.object, &b.object};
    begin();
    make_alike();
    d.next = a.next = &c;
    b.title = 1;
    observe("list.0.made.title", &first);
    observe("list.1.title", &second);
    observe("list.2.title", &third);
    observe("list.#2", &last);
    const struct obv_container_edit replaced = {
        .removed = 2, .inserted = 2, .old = old};
    HOLD(&d, &a, &c);
    calls_before = 0;
    in_child = remove_second;
    CHECK_EQ(tell(&replaced, 1), OBV_OK);
    CHECK(!in_child);
    (void)drained();
    CHECK(first == 0 && second == 1 && third == 0 && last == 1);
    CHECK_EQ(obv_observer_count(&list.container.object, "0"), 1);
    CHECK_EQ(obv_observer_count(&list.container.object, "1"), 1);
    CHECK(!calls_for(&a));
    /* Nothing has stayed behind that would look for it later. */
    CHECK_EQ(obv_object_deinit(&list.container.object), OBV_OK);
    CHECK_EQ(drained(), 3);
    CHECK_EQ(obv_observer_count(&a.object, "title"), 0);
    memset(&list, 0x5a, sizeof list);
    CHECK_EQ(obv_stop_observer(&root.object, &second, NULL, 0, NULL), OBV_OK);
    root.list = NULL;
    list = (struct array){.count = 0};
    obv_container_init(&list.container, arrays);
    finish();
}

TEST(AR_3_an_edit_inside_the_telling_of_another_one)
{
    int first = 0, last = 0;
    struct obv_object *const old[] = {&a.object};
    begin();
    make_alike();
    d.next = a.next = &c;
    observe("list.#0.made.title", &first);
    observe("list.#2", &last);
    const struct obv_container_edit replaced = {
        .removed = 1, .inserted = 1, .old = old};
    HOLD(&d, &b, &c);
    calls_before = 0;
    in_child = remove_second;
    CHECK_EQ(tell(&replaced, 1), OBV_OK);
    CHECK(!in_child);
    CHECK_EQ(drained(), 1);
    CHECK(first == 0 && last == 1);
    finish();
}

TEST(AR_1_an_ended_path_can_be_followed_anew)
{
    int calls = 0;
    begin();
    struct obv_observation *handle =
        following(&root.object, "list.0.title", OBV_EXTENSIBLE, &calls);
    remove_first();
    /* Its call is still to come. */
    const struct obv_pair again = {&root.object, "list.0.title"};
    CHECK_EQ(obv_observe_also(handle, &again, 1, NULL), OBV_OK);
    CHECK_EQ(title_at(handle, "list.0.title"), 2);
    CHECK_EQ(drained(), 1);
    CHECK(calls_for(&b));
    CHECK(!calls_for(&a));
    CHECK_EQ(title_at(handle, "list.0.title"), b.title);
    obv_stop(handle);
    obv_release(handle);
    finish();
}

/* Where the call does not come, the path ends all the same. */
TEST(AR_1_a_path_ends_with_its_loop)
{
    int calls = 0;
    struct obv_loop *loop;
    struct obv_observation *handle;
    const struct obv_pair pairs[] = {{&root.object, "list.0.title"},
                                     {&root.object, "title"}};
    begin();
    CHECK_EQ(obv_loop_create(context, NULL, &loop), OBV_OK);
    const struct obv_observe_options options = {.size = sizeof options,
                                                .loop = loop};
    CHECK_EQ(
        obv_observe_pairs(pairs, 2, &kind, &calls, &options, &handle, NULL),
        OBV_OK);
    remove_first();
    CHECK_EQ(obv_observer_count(&root.object, "list"), 0);
    CHECK_EQ(title_at(handle, "list.0.title"), -1);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    struct obv_value value;
    CHECK(obv_observed_value(handle, &root.object, "list.0.title", &value,
                             NULL) != OBV_OK);
    CHECK_EQ(obv_observer_count(&root.object, "title"), 1);
    obv_stop(handle);
    obv_release(handle);
    finish();
}

/* Any thread --------------------------------------------------------------- */

struct holder {
    struct obv_object object;
    struct array *held;
};

static bool held_equal(const struct obv_property *property_a,
                       struct obv_object *one,
                       const struct obv_property *property_b,
                       struct obv_object *another)
{
    (void)property_a;
    (void)property_b;
    return ((struct holder *)one)->held == ((struct holder *)another)->held;
}

static bool held_equals(const struct obv_property *property,
                        struct obv_object *object, const void *value)
{
    (void)property;
    return ((struct holder *)object)->held == *(struct array *const *)value;
}

static struct obv_object *held_child(const struct obv_property *property,
                                     struct obv_object *object)
{
    struct array *held = ((struct holder *)object)->held;
    (void)property;
    return held ? &held->container.object : NULL;
}

static const struct obv_value_kind held_kind = {.size = sizeof held_kind,
                                                .equal = held_equal,
                                                .equals = held_equals,
                                                .child = held_child};
static const struct obv_property held_property = {
    .name = "held",
    .kind = OBV_KIND_custom,
    .offset = offsetof(struct holder, held),
    .size = sizeof(struct array *),
    .flags = OBV_ANY_THREAD,
    .custom = &held_kind};
static const struct obv_class_table holder_table = {
    .size = sizeof holder_table,
    .name = "holder",
    .instance_size = sizeof(struct holder),
    .properties = &held_property,
    .property_count = 1,
    .retain = array_retain,
    .release = array_release};

/* Two threads put another container there and the first one back; who has put it
   back tells first. What hangs there hangs there already. */
TEST(AR_1_a_container_that_is_put_back_is_followed_on)
{
    static const char *const paths[] = {"held.0.title", "held.#0.title"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        static struct holder holder;
        struct obv_class *cls;
        struct array *second = &other;
        uint32_t property;
        int calls = 0;
        begin();
        CHECK_EQ(obv_class_create(context, &holder_table, &cls, NULL), OBV_OK);
        holder = (struct holder){.held = &list};
        obv_object_init(&holder.object, cls);
        CHECK_EQ(
            obv_observe(&holder.object, paths[i], &kind, &calls, NULL, NULL),
            OBV_OK);
        CHECK(obv_detail_look(&holder.object, offsetof(struct holder, held),
                              &property) &
              OBV_DETAIL_LOOK_WATCHED);
        obv_detail_changed_from(&holder.object, property, &second);
        (void)drained();
        CHECK(calls_for(&a));
        remove_first();
        CHECK_EQ(drained(), 1);
        CHECK_EQ(calls_for(&b), paths[i][5] == '#');
        CHECK_EQ(obv_object_deinit(&holder.object), OBV_OK);
        finish();
    }
}

/* Memory ------------------------------------------------------------------- */

/* A scene in which each allocation fails once: who could observe is called for
   all that concerns the element, whatever is short meanwhile. */
static bool fails_once(size_t n, const char *path, uint32_t flags)
{
    int calls = 0;
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    const struct obv_pair pair = {&root.object, path};
    begin();
    test_fail_allocation(n, false);
    enum obv_status status =
        obv_observe_pairs(&pair, 1, &kind, &calls, &options, NULL, NULL);
    move_first_to_the_end(); /* b c a */
    thing_set_title(&a, 11);
    (void)drained();
    CHECK(status == OBV_E_MEMORY || calls == (strstr(path, "title") != NULL));
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    CHECK(status == OBV_OK || test_allocation_failed());
    const size_t turned[] = {1, 2, 0};
    const struct obv_container_edit order = {.moved = 3, .order = turned};
    HOLD(&a, &b, &c);
    CHECK_EQ(tell(&order, 1), OBV_OK);
    thing_set_title(&b, 12);
    CHECK_EQ(drained(), 0);
    calls = 0;
    remove_first();
    (void)drained();
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK_EQ(calls, status == OBV_OK);
    CHECK_EQ(obv_observer_count(&root.object, "list"), 0);
    thing_set_title(&a, 13);
    CHECK_EQ(drained(), 0);
    finish();
    return failed;
}

TEST(FA_1_an_element_is_followed_whatever_memory_is_short_for)
{
    static const char *const paths[] = {"list.0.title", "list.0",
                                        "list.0.next.title"};
    static const uint32_t flags[] = {0, OBV_VALUES, OBV_RECORDS, OBV_IMMEDIATE,
                                     OBV_IMMEDIATE | OBV_VALUES};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        for (size_t n = 1; fails_once(n, paths[0], flags[i]); n++) {
        }
        for (size_t n = 1; fails_once(n, paths[1], flags[i]); n++) {
        }
    }
}

/* It is bound when the container comes. If there is no memory for it then, it
   follows nothing yet, and has not ended: the next change above it binds it. */
TEST(FA_1_an_element_is_bound_once_there_is_memory)
{
    bool failed = true;
    size_t late = 0, ended = 0;
    for (size_t n = 1; failed; n++) {
        int calls = 0;
        begin();
        observe("next.list.1.title", &calls);
        a.list = &list;
        test_fail_allocation(n, false);
        CHECK_EQ(obv_set_object(&root.object, NEXT, &a.object), OBV_OK);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(drained(), 1);
        bool follows = calls_for(&b);
        CHECK_EQ(obv_set_object(&root.object, NEXT, NULL), OBV_OK);
        CHECK(drained() == 1 || !follows);
        bool has_ended = obv_observer_count(&root.object, "next") == 0;
        CHECK(has_ended || !follows);
        CHECK_EQ(obv_set_object(&root.object, NEXT, &a.object), OBV_OK);
        CHECK_EQ(drained(), !has_ended);
        CHECK_EQ(calls_for(&b), !has_ended);
        late += !has_ended;
        ended += has_ended && !follows; /* what is behind it was short */
        finish();
    }
    CHECK(late >= 3 && ended >= 1);
}

/* A path that is over is not called because memory was short for another one of
   the same list. */
TEST(FA_1_memory_that_is_short_calls_for_no_path_that_is_over)
{
    bool failed = true;
    size_t short_of = 0;
    for (size_t n = 1; failed; n++) {
        int calls = 0, others = 0;
        begin();
        const struct obv_pair pairs[] = {{&root.object, "next"},
                                         {&root.object, "list.5"}};
        CHECK_EQ(obv_set_object(&root.object, LIST, NULL), OBV_OK);
        CHECK_EQ(obv_observe_pairs(pairs, 2, &kind, &calls, NULL, NULL, NULL),
                 OBV_OK);
        CHECK_EQ(obv_set_object(&root.object, LIST, &list.container.object),
                 OBV_OK);
        (void)drained();
        test_fail_allocation(n, false);
        enum obv_status status =
            obv_observe(&root.object, "list.#2", &kind, &others, NULL, NULL);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        if (status != OBV_OK) {
            CHECK_EQ(status, OBV_E_MEMORY);
            short_of++;
            observe("list.#2", &others);
        }
        CHECK_EQ(drained(), 0);
        remove_first();
        CHECK_EQ(drained(), 1);
        CHECK_EQ(others, 1);
        finish();
    }
    CHECK(short_of >= 3);
}
