/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers of the program's own: an array of objects that this file keeps, and
 * tells of, through the public interface alone.
 */
#include "test.h"

#include <observable/container.h>
#include <observable/observable.h>

#include <string.h>

enum { TITLE, LIST, NEXT, PROPERTIES };

struct array {
    struct obv_container container;
    size_t references, count;
    struct obv_object *items[16];
};

struct thing {
    struct obv_object object;
    size_t references;
    int64_t title;
    struct array *list;
    struct thing *next;
};

OBV_PROPERTY(thing, title, i64, TITLE)
OBV_PROPERTY(thing, next, object, NEXT)
static const struct obv_property thing_properties[] = {
    [TITLE] = OBV_FIELD(thing, title, i64),
    [LIST] = OBV_FIELD_OBJECT(thing, list, NULL),
    [NEXT] = OBV_FIELD_OBJECT(thing, next, "thing")};

static struct obv_context *context;
static struct obv_class *thing_class, *array_class;

/* The container ----------------------------------------------------------- */

static struct array *array_of(const struct obv_container *container)
{
    return (struct array *)(uintptr_t)container;
}

/* The program may ask the library in its answers: no lock is held. */
static struct obv_object *asked_about;

static void ask(void)
{
    if (asked_about) {
        (void)obv_observer_count(asked_about, "list");
    }
}

static size_t array_count(const struct obv_container *container)
{
    ask();
    return array_of(container)->count;
}

static const void *array_at(const struct obv_container *container,
                            size_t position)
{
    ask();
    return &array_of(container)->items[position];
}

static bool array_retain(struct obv_object *object)
{
    struct array *array = (struct array *)object;
    return array->references > 0 && ++array->references;
}

static void array_release(struct obv_object *object)
{
    --((struct array *)object)->references;
}

static const struct obv_container_kind array_kind = {
    .size = sizeof array_kind,
    .name = "array",
    .instance_size = sizeof(struct array),
    .element = OBV_ELEMENT(object),
    .count = array_count,
    .at = array_at,
    .retain = array_retain,
    .release = array_release};

static enum obv_status edit(struct array *array, size_t position,
                            size_t removed, struct obv_object *const *inserted,
                            size_t count)
{
    struct obv_object *old[16];
    const struct obv_container_edit told = {.position = position,
                                            .removed = removed,
                                            .inserted = count,
                                            .old = old};
    size_t rest = array->count - position - removed;
    memcpy(old, array->items + position, removed * sizeof *old);
    memmove(array->items + position + count, array->items + position + removed,
            rest * sizeof *old);
    if (count != 0) {
        memcpy(array->items + position, inserted, count * sizeof *old);
    }
    array->count += count - removed;
    return obv_container_edited(&array->container, &told, 1, NULL);
}

static void insert(struct array *array, size_t position, struct thing *thing)
{
    struct obv_object *object = (struct obv_object *)thing;
    CHECK_EQ(edit(array, position, 0, &object, 1), OBV_OK);
}

static void take_out(struct array *array, size_t position)
{
    CHECK_EQ(edit(array, position, 1, NULL, 0), OBV_OK);
}

/* Around a test ----------------------------------------------------------- */

static bool thing_retain(struct obv_object *object)
{
    struct thing *thing = (struct thing *)object;
    return thing->references > 0 && ++thing->references;
}

static void thing_release(struct obv_object *object)
{
    --((struct thing *)object)->references;
}

static void count_call(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)root;
    (void)call;
    ++*(int *)observer;
}

static const struct obv_handler_kind kind = {.changed = count_call};

static struct thing root, a, b, c;
static struct array list, other;

static void make(struct thing *thing, int64_t title)
{
    *thing = (struct thing){.title = title, .references = 1};
    obv_object_init(&thing->object, thing_class);
}

static void begin(void)
{
    static const struct obv_class_table thing_table = {
        .size = sizeof thing_table,
        .name = "thing",
        .instance_size = sizeof(struct thing),
        .properties = thing_properties,
        .property_count = PROPERTIES,
        .retain = thing_retain,
        .release = thing_release};
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &thing_table, &thing_class, NULL),
             OBV_OK);
    CHECK_EQ(
        obv_container_class_create(context, &array_kind, &array_class, NULL),
        OBV_OK);
    make(&root, 0);
    make(&a, 1);
    make(&b, 2);
    make(&c, 3);
    list = other = (struct array){.references = 1};
    obv_container_init(&list.container, array_class);
    obv_container_init(&other.container, array_class);
    CHECK_EQ(obv_set_object(&root.object, LIST, &list.container.object),
             OBV_OK);
}

static void finish(void)
{
    struct obv_object *const all[] = {&root.object,
                                      &list.container.object,
                                      &other.container.object,
                                      &a.object,
                                      &b.object,
                                      &c.object};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK_EQ(obv_object_deinit(all[i]), OBV_OK);
    }
    obv_loop_drain(obv_context_loop(context));
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}

static int64_t drained(void)
{
    return obv_loop_drain(obv_context_loop(context));
}

static void observe(struct obv_object *object, const char *path, int *calls)
{
    CHECK_EQ(obv_observe(object, path, &kind, calls, NULL, NULL), OBV_OK);
}

/* Positions --------------------------------------------------------------- */

TEST(AR_3_a_position_is_followed_past_the_end)
{
    int first = 0, second = 0, count = 0;
    begin();
    observe(&list.container.object, "#0", &first);
    observe(&list.container.object, "#1", &second);
    observe(&list.container.object, "count", &count);
    insert(&list, 0, &a);
    CHECK_EQ(drained(), 2);
    insert(&list, 0, &b); /* b a */
    CHECK_EQ(drained(), 3);
    CHECK_EQ(first, 2);
    CHECK_EQ(second, 1);
    CHECK_EQ(count, 2);
    struct obv_object *same = &b.object;
    CHECK_EQ(edit(&list, 0, 1, &same, 1), OBV_OK);
    CHECK_EQ(drained(), 0);
    take_out(&list, 1);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(second, 2);
    finish();
}

TEST(AR_3_a_path_goes_on_through_a_position)
{
    int calls = 0;
    begin();
    insert(&list, 0, &a);
    observe(&root.object, "list.#0.title", &calls);
    thing_set_title(&a, 7);
    CHECK_EQ(drained(), 1);
    insert(&list, 0, &b);
    CHECK_EQ(drained(), 1);
    thing_set_title(&a, 8);
    CHECK_EQ(drained(), 0);
    thing_set_title(&b, 9);
    CHECK_EQ(drained(), 1);
    take_out(&list, 0);
    CHECK_EQ(drained(), 1);
    thing_set_title(&a, 1);
    CHECK_EQ(drained(), 1);
    take_out(&list, 0);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(calls, 6);
    finish();
}

TEST(AR_6_another_container_is_compared_by_position)
{
    int position = 0, title = 0, count = 0;
    begin();
    insert(&list, 0, &a);
    insert(&other, 0, &a);
    insert(&other, 1, &b);
    observe(&root.object, "list.#0", &position);
    observe(&root.object, "list.#0.title", &title);
    observe(&root.object, "list.count", &count);
    CHECK_EQ(obv_set_object(&root.object, LIST, &other.container.object),
             OBV_OK);
    CHECK_EQ(drained(), 1); /* the count */
    CHECK_EQ(count, 1);
    take_out(&other, 0);
    CHECK_EQ(drained(), 3);
    CHECK_EQ(obv_set_object(&root.object, LIST, NULL), OBV_OK);
    CHECK_EQ(drained(), 3);
    thing_set_title(&b, 77);
    CHECK_EQ(drained(), 0);
    finish();
}

/* Every element ----------------------------------------------------------- */

TEST(WC_3_a_star_at_the_end_is_the_content)
{
    int calls = 0, through = 0;
    begin();
    observe(&list.container.object, "*", &calls);
    observe(&root.object, "list.*", &through);
    insert(&list, 0, &a);
    insert(&list, 1, &b);
    CHECK_EQ(drained(), 2);
    struct obv_object *same[] = {&a.object, &b.object};
    CHECK_EQ(edit(&list, 0, 2, same, 2), OBV_OK);
    CHECK_EQ(drained(), 0);
    struct obv_object *turned[] = {&b.object, &a.object};
    CHECK_EQ(edit(&list, 0, 2, turned, 2), OBV_OK);
    CHECK_EQ(drained(), 2);
    insert(&other, 0, &b);
    insert(&other, 1, &a);
    CHECK_EQ(obv_set_object(&root.object, LIST, &other.container.object),
             OBV_OK);
    CHECK_EQ(drained(), 0);
    take_out(&other, 0);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(through, 3);
    finish();
}

TEST(WC_3_a_star_in_the_middle_follows_every_element)
{
    int calls = 0;
    begin();
    insert(&list, 0, &a);
    observe(&root.object, "list.*.title", &calls);
    thing_set_title(&a, 10);
    CHECK_EQ(drained(), 1);
    insert(&list, 0, &b);
    CHECK_EQ(drained(), 1);
    insert(&list, 2, &a);
    CHECK_EQ(drained(), 0); /* it stands there already */
    thing_set_title(&b, 20);
    CHECK_EQ(drained(), 1);
    take_out(&list, 1);
    CHECK_EQ(drained(), 0);
    thing_set_title(&a, 11);
    CHECK_EQ(drained(), 1);
    take_out(&list, 1);
    CHECK_EQ(drained(), 1);
    thing_set_title(&a, 12);
    CHECK_EQ(drained(), 0);
    struct obv_object *turned[] = {&a.object, &b.object};
    CHECK_EQ(edit(&list, 0, 1, turned, 2), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_set_object(&root.object, LIST, &other.container.object),
             OBV_OK);
    CHECK_EQ(drained(), 1);
    thing_set_title(&b, 21);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(calls, 7);
    finish();
}

/* It hangs if the library asks under the lock that the count takes. */
TEST(CO_1_a_container_is_asked_with_no_lock_held)
{
    int calls = 0;
    begin();
    insert(&list, 0, &a);
    asked_about = &root.object;
    observe(&root.object, "list.#0.title", &calls);
    observe(&root.object, "list.*.title", &calls);
    observe(&root.object, "list.*", &calls);
    insert(&list, 0, &b);
    struct obv_object *object = &c.object;
    const struct obv_container_edit unknown = {.removed = 1, .inserted = 1};
    list.items[0] = object;
    CHECK_EQ(obv_container_edited(&list.container, &unknown, 1, NULL), OBV_OK);
    CHECK_EQ(drained(), 3);
    thing_set_title(&c, 9);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(obv_set_object(&root.object, LIST, &other.container.object),
             OBV_OK);
    CHECK_EQ(drained(), 3);
    asked_about = NULL;
    finish();
}

/* Ends, lists and errors --------------------------------------------------- */

TEST(LT_2_a_container_that_ends_is_unreachable)
{
    int calls = 0;
    begin();
    insert(&list, 0, &a);
    observe(&root.object, "list.#0.title", &calls);
    observe(&root.object, "list.*.title", &calls);
    CHECK_EQ(obv_set_object(&root.object, LIST, NULL), OBV_OK);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(obv_object_deinit(&list.container.object), OBV_OK);
    thing_set_title(&a, 5);
    CHECK_EQ(drained(), 0);
    list = (struct array){.references = 1};
    obv_container_init(&list.container, array_class);
    finish();
}

TEST(LT_4_a_container_that_is_observed_ends)
{
    int calls = 0;
    begin();
    insert(&list, 0, &a);
    observe(&list.container.object, "#0.title", &calls);
    observe(&list.container.object, "#3", &calls);
    observe(&list.container.object, "*.title", &calls);
    CHECK_EQ(obv_set_object(&root.object, LIST, NULL), OBV_OK);
    CHECK_EQ(obv_object_deinit(&list.container.object), OBV_OK);
    thing_set_title(&a, 5);
    CHECK_EQ(drained(), 0);
    struct obv_container_edit none = {.position = 0};
    CHECK_EQ(obv_container_edited(&list.container, &none, 1, NULL),
             OBV_E_ENDED);
    list = (struct array){.references = 1};
    obv_container_init(&list.container, array_class);
    finish();
}

static char listed[128];

static void list_name(void *unused, const char *name)
{
    (void)unused;
    strncat(listed, name, sizeof listed - strlen(listed) - 1);
    strncat(listed, " ", sizeof listed - strlen(listed) - 1);
}

TEST(OS_2_elements_are_counted_and_listed)
{
    int calls = 0;
    begin();
    struct obv_observation *handle;
    CHECK_EQ(obv_observe(&root.object, "list.#1", &kind, &calls, &handle, NULL),
             OBV_OK);
    observe(&list.container.object, "count", &calls);
    observe(&list.container.object, "#7.title", &calls);
    CHECK_EQ((int64_t)obv_observer_count(&list.container.object, "#1"), 1);
    CHECK_EQ((int64_t)obv_observer_count(&list.container.object, "#2"), 0);
    CHECK_EQ((int64_t)obv_observer_count(&list.container.object, "count"), 1);
    obv_observed_properties(&list.container.object, list_name, NULL);
    CHECK_TEXT(listed, "count #1 #7 ");
    obv_stop(handle);
    obv_release(handle);
    listed[0] = '\0';
    obv_observed_properties(&list.container.object, list_name, NULL);
    CHECK_TEXT(listed, "count #7 ");
    finish();
}

static void list_entry(void *unused, const struct obv_observer_entry *entry)
{
    list_name(unused, entry->property);
    list_name(unused, entry->path);
}

TEST(DB_1_who_observes_an_element_is_told)
{
    int calls = 0;
    begin();
    struct obv_observation *handle;
    CHECK_EQ(obv_observe(&root.object, "list.#1", &kind, &calls, &handle, NULL),
             OBV_OK);
    observe(&list.container.object, "#7.title", &calls);
    listed[0] = '\0';
    CHECK_EQ(obv_debug_each_observer(&list.container.object, list_entry, NULL),
             OBV_OK);
    CHECK_TEXT(listed, "#1 list.#1 #7 #7.title ");
    obv_stop(handle);
    obv_release(handle);
    finish();
}

TEST(KP_20_what_a_container_cannot_have_is_an_error)
{
    struct obv_error error;
    int calls = 0;
    begin();
    static const char *const wrong[] = {"title", "&1", "list.nope",
                                        "list.#0.#1"};
    insert(&list, 0, &a);
    CHECK_EQ(obv_observe(&list.container.object, wrong[0], &kind, &calls, NULL,
                         &error),
             OBV_E_KIND);
    CHECK_EQ(obv_observe(&list.container.object, wrong[1], &kind, &calls, NULL,
                         &error),
             OBV_E_KIND);
    CHECK_EQ(obv_observe(&root.object, wrong[2], &kind, &calls, NULL, &error),
             OBV_E_KIND);
    CHECK_EQ(obv_observe(&root.object, wrong[3], &kind, &calls, NULL, &error),
             OBV_E_KIND);
    CHECK_EQ(obv_observe(&root.object, "#0", &kind, &calls, NULL, &error),
             OBV_E_KIND);
    CHECK_EQ(
        obv_observe_class(array_class, "#0", &kind, &calls, NULL, NULL, &error),
        OBV_E_KIND);
    finish();
}

TEST(CO_3_an_edit_that_cannot_be_is_refused)
{
    int calls = 0;
    begin();
    insert(&list, 0, &a);
    observe(&list.container.object, "*", &calls);
    static const struct obv_container_edit wrong[] = {
        {.position = 2, .inserted = 1},
        {.position = 0, .removed = 2, .inserted = 2},
        {.position = 0, .removed = 0, .inserted = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_EQ(obv_container_edited(&list.container, &wrong[i], 1, NULL),
                 OBV_E_ARGUMENT);
    }
    CHECK_EQ(obv_container_edited(NULL, wrong, 1, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_container_init(&other.container, thing_class), OBV_E_ARGUMENT);
    CHECK_EQ(obv_container_edited((struct obv_container *)(void *)&a, wrong, 1,
                                  NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_container_edited(&list.container, NULL, 1, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(drained(), 0);
    take_out(&list, 0);
    CHECK_EQ(drained(), 1);
    finish();
}

/* Another comparison ------------------------------------------------------- */

/* By title. */
static bool same_title(const void *one, const void *another)
{
    const struct thing *const *a_field = one, *const *b_field = another;
    return (*a_field)->title == (*b_field)->title;
}

static const struct obv_container_kind alike_kind = {
    .size = sizeof alike_kind,
    .name = "alike",
    .instance_size = sizeof(struct array),
    .element = {.name = "element",
                .kind = OBV_KIND_object,
                .equal = same_title},
    .count = array_count,
    .at = array_at,
    .retain = array_retain,
    .release = array_release};

/* a and b have the same title; paths lead through the one that is there. */
TEST(AR_3_deeper_paths_move_on_to_an_object_that_is_equal)
{
    struct obv_class *alike_class;
    static struct array alike;
    int position = 0, below = 0, each = 0, all = 0, other_one = 0;
    const struct obv_observe_options by_identity = {
        .size = sizeof by_identity, .compare = OBV_COMPARE_IDENTITY};
    struct obv_object *const second = &b.object;
    begin();
    CHECK_EQ(
        obv_container_class_create(context, &alike_kind, &alike_class, NULL),
        OBV_OK);
    alike = (struct array){.references = 1};
    obv_container_init(&alike.container, alike_class);
    b.title = 1;
    insert(&alike, 0, &a);
    struct obv_object *object = &alike.container.object;
    observe(object, "#0", &position);
    observe(object, "#0.next", &below);
    observe(object, "*.next", &each);
    observe(object, "*", &all);
    const struct obv_pair pair = {object, "#0"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, &other_one, &by_identity, NULL,
                               NULL),
             OBV_OK);
    CHECK_EQ(edit(&alike, 0, 1, &second, 1), OBV_OK);
    CHECK_EQ(drained(), 2); /* a has gone and b has come, for `*.next` */
    CHECK_EQ(other_one, 1);
    CHECK_EQ(obv_set_object(&a.object, NEXT, &c.object), OBV_OK);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_set_object(&b.object, NEXT, &c.object), OBV_OK);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(below, 1);
    CHECK_EQ(each, 2);
    CHECK_EQ(position + all, 0);
    CHECK_EQ(obv_object_deinit(object), OBV_OK);
    finish();
}

TEST(FA_1_a_class_that_could_not_be_made_leaves_its_name_free)
{
    struct obv_class *made = NULL;
    size_t failures = 0;
    uint32_t name;
    begin();
    /* So that each allocation is one of the classes. */
    for (int i = 0; i < 2; i++) {
        const char *text = i == 0 ? "alike" : "element of alike";
        CHECK_EQ(obv_names_intern(obv_context_names(context), text,
                                  strlen(text), &name),
                 OBV_OK);
    }
    for (size_t n = 1; !made; n++) {
        test_fail_allocation(n, false);
        enum obv_status status =
            obv_container_class_create(context, &alike_kind, &made, NULL);
        test_fail_allocation(0, false);
        failures += status != OBV_OK;
        CHECK_EQ(status, made ? OBV_OK : OBV_E_MEMORY);
    }
    CHECK(failures >= 3);
    finish();
}

/* Records and reads -------------------------------------------------------- */

TEST(EQ_10_a_missing_element_is_unreachable_and_not_nil)
{
    struct obv_value value;
    begin();
    insert(&list, 0, NULL);
    CHECK_EQ(obv_value_at(&root.object, "list.#0", &value, NULL), OBV_OK);
    CHECK(obv_value_is_reachable(&value));
    CHECK(value.as.object == NULL);
    obv_value_deinit(context, &value);
    CHECK_EQ(obv_value_at(&root.object, "list.#1", &value, NULL), OBV_OK);
    CHECK(!obv_value_is_reachable(&value));
    obv_value_deinit(context, &value);
    CHECK_EQ(obv_value_at(&root.object, "list.count", &value, NULL), OBV_OK);
    CHECK_EQ((int64_t)value.as.size, 1);
    obv_value_deinit(context, &value);
    insert(&list, 1, &a);
    CHECK_EQ(obv_value_at(&root.object, "list.#1.title", &value, NULL), OBV_OK);
    CHECK_EQ(value.as.i64, 1);
    obv_value_deinit(context, &value);
    finish();
}

static struct obv_object *handed[2];
static bool was_reachable[2];

static void keep_values(void *observer, struct obv_object *object,
                        const struct obv_call *call)
{
    (void)object;
    ++*(int *)observer;
    was_reachable[0] = obv_value_is_reachable(call->old);
    was_reachable[1] = obv_value_is_reachable(call->now);
    handed[0] = was_reachable[0] ? call->old->as.object : NULL;
    handed[1] = was_reachable[1] ? call->now->as.object : NULL;
}

TEST(OB_2_the_old_and_the_new_element_are_handed_over)
{
    static const struct obv_handler_kind with_values = {.changed = keep_values};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_VALUES};
    const struct obv_pair pair = {&root.object, "list.#0"};
    int calls = 0;
    begin();
    struct obv_pair pairs[] = {pair};
    CHECK_EQ(
        obv_observe_pairs(pairs, 1, &with_values, &calls, &options, NULL, NULL),
        OBV_OK);
    insert(&list, 0, &a);
    CHECK_EQ(drained(), 1);
    CHECK(!was_reachable[0] && handed[1] == &a.object);
    insert(&list, 0, &b);
    insert(&list, 0, &c);
    CHECK_EQ(drained(), 1);
    CHECK(handed[0] == &a.object && handed[1] == &c.object);
    CHECK_EQ(edit(&list, 0, 3, NULL, 0), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK(handed[0] == &c.object && !was_reachable[1]);
    finish();
}

/* Memory ------------------------------------------------------------------- */

static void edit_all_away(void)
{
    CHECK_EQ(edit(&list, 0, list.count, NULL, 0), OBV_OK);
}

/* A scene in which each allocation fails once: what is followed in the end is
   what is there, or it was said that it is not. */
TEST(FA_1_a_container_is_followed_again_once_there_is_memory)
{
    static const char *const paths[] = {"list.#0.title", "list.*.title",
                                        "list.#2", "list.*"};
    for (size_t path = 0; path < sizeof paths / sizeof *paths; path++) {
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            int calls = 0;
            begin();
            insert(&list, 0, &a);
            test_fail_allocation(n, false);
            enum obv_status status = obv_observe(&root.object, paths[path],
                                                 &kind, &calls, NULL, NULL);
            insert(&list, 0, &b);
            insert(&list, 0, &c);
            failed = test_allocation_failed();
            test_fail_allocation(0, false);
            (void)drained();
            CHECK(status == OBV_OK || status == OBV_E_MEMORY);
            /* An edit of the place tries again, under a `*` any; from then on
               all is told. */
            take_out(&list, 2);
            if (path == 0) {
                take_out(&list, 0);
                insert(&list, 0, &c);
            }
            insert(&list, 2, &a);
            (void)drained();
            bool follows = status == OBV_OK;
            thing_set_title(&c, 30);
            CHECK_EQ(drained(), follows && strstr(paths[path], "title"));
            edit_all_away();
            CHECK_EQ(drained(), follows);
            insert(&list, 0, &a);
            insert(&list, 1, &b);
            insert(&list, 2, &c);
            CHECK_EQ(drained(), follows);
            finish();
        }
    }
}

/* What is being told ------------------------------------------------------- */

struct asked {
    size_t positions[4], counts[4], calls;
    struct array *edits; /* at its first call; or NULL */
};

static void ask_edits(void *observer, struct obv_object *object,
                      const struct obv_call *call)
{
    struct asked *asked = observer;
    size_t count;
    const struct obv_container_edit *edits =
        obv_container_edits((struct obv_container *)(void *)object, &count);
    (void)call;
    CHECK(asked->calls < 4);
    asked->positions[asked->calls] = edits ? edits->position : SIZE_MAX;
    asked->counts[asked->calls++] = count;
    if (asked->edits && asked->calls == 1) {
        insert(asked->edits, 0, &c);
        /* The edit that it was called for is the innermost again. */
        CHECK(obv_container_edits((struct obv_container *)(void *)object,
                                  &count) == edits);
        CHECK_EQ(count, asked->counts[0]);
    }
}

static const struct obv_handler_kind asking = {.changed = ask_edits};

static void observe_as(struct obv_object *object, const char *path,
                       const struct obv_handler_kind *how, void *observer,
                       uint32_t flags)
{
    const struct obv_pair pair = {object, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    CHECK_EQ(obv_observe_pairs(&pair, 1, how, observer, &options, NULL, NULL),
             OBV_OK);
}

static void observe_asking(struct array *array, struct asked *asked,
                           uint32_t flags)
{
    observe_as(&array->container.object, "*", &asking, asked, flags);
}

static void check_asked(const struct asked *asked, size_t call, size_t position,
                        size_t count)
{
    CHECK(call < asked->calls);
    CHECK_EQ(asked->positions[call], position);
    CHECK_EQ(asked->counts[call], count);
}

static void check_none_is_told(const struct array *array)
{
    size_t count = 7;
    CHECK(!obv_container_edits(&array->container, &count));
    CHECK_EQ(count, 0);
}

TEST(CO_1_an_immediate_handler_asks_which_edits_it_is_told_of)
{
    struct asked now = {.calls = 0}, later = {.calls = 0};
    begin();
    observe_asking(&list, &now, OBV_IMMEDIATE);
    observe_asking(&list, &later, 0);
    insert(&list, 0, &a);
    insert(&list, 1, &b);
    take_out(&list, 0);
    check_asked(&now, 0, 0, 1);
    check_asked(&now, 1, 1, 1);
    check_asked(&now, 2, 0, 1);
    check_none_is_told(&list);
    CHECK_EQ(drained(), 1);
    check_asked(&later, 0, SIZE_MAX, 0);
    finish();
}

TEST(CO_1_a_handler_that_edits_is_told_of_the_edit_inside)
{
    struct asked outer = {.edits = &list}, inner = {.edits = &other};
    struct asked last = {.calls = 0};
    begin();
    observe_asking(&list, &outer, OBV_IMMEDIATE);
    observe_asking(&list, &inner, OBV_IMMEDIATE);
    observe_asking(&other, &last, OBV_IMMEDIATE);
    insert(&other, 0, &a);
    last.calls = 0;
    struct obv_object *two[] = {&a.object, &b.object};
    CHECK_EQ(edit(&list, 0, 0, two, 2), OBV_OK);
    CHECK_EQ(list.count, 3);
    CHECK_EQ(outer.calls, 2);
    CHECK_EQ(inner.calls, 2);
    CHECK_EQ(last.calls, 1);
    check_none_is_told(&list);
    check_none_is_told(&other);
    finish();
}

static struct obv_object *called_with;

static void keep_root(void *observer, struct obv_object *object,
                      const struct obv_call *call)
{
    (void)call;
    called_with = object;
    ++*(int *)observer;
}

TEST(WC_3_a_star_is_called_at_once_with_its_own_root)
{
    static const struct obv_handler_kind keeping = {.changed = keep_root};
    int calls = 0;
    begin();
    observe_as(&root.object, "list.*", &keeping, &calls, OBV_IMMEDIATE);
    insert(&list, 0, &a);
    CHECK_EQ(calls, 1);
    CHECK(called_with == &root.object);
    take_out(&list, 0);
    CHECK_EQ(calls, 2);
    finish();
}

TEST(LT_6_who_is_led_through_a_container_is_told_of_its_end)
{
    int title = 0, first = 0, every = 0;
    begin();
    insert(&list, 0, &a);
    observe(&root.object, "list.#0.title", &title);
    observe(&root.object, "list.#0", &first);
    observe(&root.object, "list.*.title", &every);
    CHECK_EQ(obv_object_deinit(&list.container.object), OBV_OK);
    CHECK_EQ(drained(), 3);
    CHECK(title == 1 && first == 1 && every == 1);
    root.list = NULL;
    list = (struct array){.references = 1};
    obv_container_init(&list.container, array_class);
    finish();
}

TEST(CO_1_who_observes_all_is_told_beside_who_observes_an_element)
{
    int first = 0, all = 0, count = 0;
    begin();
    insert(&list, 0, &a);
    observe(&list.container.object, "#0", &first);
    observe(&list.container.object, "*", &all);
    observe(&list.container.object, "count", &count);
    insert(&list, 1, &b);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(first, 0);
    CHECK_EQ(all, 1);
    CHECK_EQ(count, 1);
    struct obv_object *other_one = &c.object;
    CHECK_EQ(edit(&list, 1, 1, &other_one, 1), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(all, 2);
    finish();
}
