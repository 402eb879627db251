/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionaries with keys of the program's own, which it compares and copies with
 * no lock held.
 */
#include "test.h"

#include <observable/component.h>
#include <observable/container.h>
#include <observable/observable.h>

#include <stdlib.h>
#include <string.h>

enum { TITLE, DICTIONARY, PROPERTIES };

struct pairs {
    struct obv_container container;
    uint64_t key;
    struct obv_object *value; /* of the only key, or NULL: there is none */
};

struct thing {
    struct obv_object object;
    int64_t title;
    struct pairs *dictionary;
};

static const struct obv_property thing_properties[] = {
    [TITLE] = OBV_FIELD(thing, title, i64),
    [DICTIONARY] = OBV_FIELD_OBJECT(thing, dictionary, NULL)};

static struct obv_context *context;
static struct thing root, a, b;
static struct pairs pairs, other;
static int calls, other_calls;

/* Keys --------------------------------------------------------------------- */

static uint64_t copies[256];
static size_t copies_made, copies_freed;
static void (*while_copying)(void);

static uint64_t hash_key(const struct obv_key_kind *kind, const void *key)
{
    (void)kind;
    return *(const uint64_t *)key;
}

static bool keys_are_equal(const struct obv_key_kind *kind, const void *x,
                           const void *y)
{
    (void)kind;
    return *(const uint64_t *)x == *(const uint64_t *)y;
}

static void *copy_key(const struct obv_key_kind *kind, const void *key)
{
    (void)kind;
    uint64_t *copy = &copies[copies_made++];
    void (*meanwhile)(void) = while_copying;
    *copy = *(const uint64_t *)key;
    while_copying = NULL;
    if (meanwhile) {
        meanwhile();
    }
    return copy;
}

static void free_key(const struct obv_key_kind *kind, void *copy)
{
    (void)kind;
    (void)copy;
    copies_freed++;
}

static const char *text_of_key(const struct obv_key_kind *kind,
                               const void *copy)
{
    (void)kind;
    return *(const uint64_t *)copy == 7 ? "7" : "other";
}

static const struct obv_key_kind numbers = {.size = sizeof numbers,
                                            .hash = hash_key,
                                            .equal = keys_are_equal,
                                            .copy = copy_key,
                                            .free = free_key,
                                            .text = text_of_key};

/* The container ----------------------------------------------------------- */

static const struct pairs *pairs_of(const struct obv_container *container)
{
    return (const struct pairs *)container;
}

static size_t count_pairs(const struct obv_container *container)
{
    return pairs_of(container)->value != NULL;
}

static const void *find_pair(const struct obv_container *container,
                             const void *key)
{
    const struct pairs *here = pairs_of(container);
    return here->value && here->key == *(const uint64_t *)key ? &here->value
                                                              : NULL;
}

static bool next_pair(const struct obv_container *container,
                      struct obv_container_cursor *cursor)
{
    const struct pairs *here = pairs_of(container);
    cursor->key = &here->key;
    cursor->element = &here->value;
    return cursor->index++ == 0 && here->value;
}

static const struct obv_container_kind pairs_kind = {
    .size = sizeof pairs_kind,
    .name = "pairs",
    .instance_size = sizeof(struct pairs),
    .element = OBV_ELEMENT(object),
    .count = count_pairs,
    .key = &numbers,
    .find = find_pair,
    .next = next_pair};

/* Around a test ----------------------------------------------------------- */

static void count_call(void *observer, struct obv_object *object,
                       const struct obv_call *call)
{
    (void)object;
    (void)call;
    ++*(int *)observer;
}

static const struct obv_handler_kind kind = {.changed = count_call};

static void begin(void)
{
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "thing",
                                                 .instance_size =
                                                     sizeof(struct thing),
                                                 .properties = thing_properties,
                                                 .property_count = PROPERTIES};
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    struct obv_class *things, *dictionaries;
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &table, &things, NULL), OBV_OK);
    CHECK_EQ(
        obv_container_class_create(context, &pairs_kind, &dictionaries, NULL),
        OBV_OK);
    obv_object_init(&root.object, things);
    obv_object_init(&a.object, things);
    obv_object_init(&b.object, things);
    pairs.key = other.key = 7;
    pairs.value = &a.object;
    other.value = &b.object;
    CHECK_EQ(obv_container_init(&pairs.container, dictionaries), OBV_OK);
    CHECK_EQ(obv_container_init(&other.container, dictionaries), OBV_OK);
    CHECK_EQ(obv_set_object(&root.object, DICTIONARY, &pairs.container.object),
             OBV_OK);
}

static void finish(void)
{
    struct obv_object *const all[] = {&root.object, &pairs.container.object,
                                      &other.container.object, &a.object,
                                      &b.object};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK_EQ(obv_object_deinit(all[i]), OBV_OK);
    }
    obv_loop_drain(obv_context_loop(context));
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(copies_freed, copies_made);
    CHECK_EQ(test_live_blocks(), 0);
}

static void observe(struct obv_object *object, const char *path, int *counted)
{
    CHECK_EQ(obv_observe(object, path, &kind, counted, NULL, NULL), OBV_OK);
}

/* ------------------------------------------------------------------------- */

TEST(DI_2_a_key_that_is_not_there_is_taken_away)
{
    const uint64_t absent = 8;
    const struct obv_container_edit edit = {.key = &absent};
    begin();
    observe(&root.object, "dictionary.*", &calls);
    CHECK_EQ(obv_container_edited(&pairs.container, &edit, 1, NULL), OBV_OK);
    obv_loop_drain(obv_context_loop(context));
    CHECK_EQ(calls, 0);
    finish();
}

static void observe_other(void)
{
    observe(&other.container.object, "*.title", &other_calls);
}

/* The same key is made twice at once: one of them is the key of both. */
TEST(EQ_8_a_key_that_is_made_meanwhile_is_the_same_key)
{
    begin();
    while_copying = observe_other;
    observe(&root.object, "dictionary.*.title", &calls);
    CHECK_EQ(copies_made, 2);
    CHECK_EQ(copies_freed, 1);
    CHECK_EQ(obv_set_object(&root.object, DICTIONARY, &other.container.object),
             OBV_OK);
    obv_loop_drain(obv_context_loop(context));
    CHECK_EQ(calls, 0);
    finish();
}

static void tell_both(const struct obv_container_edit edits[2])
{
    begin();
    calls = 0;
    observe(&root.object, "dictionary.*", &calls);
    CHECK_EQ(obv_container_edited(&pairs.container, edits, 2, NULL), OBV_OK);
    obv_loop_drain(obv_context_loop(context));
    CHECK_EQ(calls, 1);
    finish();
}

TEST(EQ_7_there_and_back_of_one_key_told_together_is_a_change)
{
    const struct obv_object *first = &a.object, *second = &b.object;
    const struct obv_container_edit away_and_back[] = {
        {.key = &pairs.key, .removed = 1, .old = &first},
        {.key = &pairs.key, .inserted = 1}};
    const struct obv_container_edit there_and_back[] = {
        {.key = &pairs.key, .removed = 1, .inserted = 1, .old = &first},
        {.key = &pairs.key, .removed = 1, .inserted = 1, .old = &second}};
    tell_both(away_and_back);
    tell_both(there_and_back);
}

/* Keys in compiled paths (DI-3) -------------------------------------------- */

static uint32_t name_of(const char *text)
{
    uint32_t name;
    CHECK_EQ(
        obv_names_intern(obv_context_names(context), text, strlen(text), &name),
        OBV_OK);
    return name;
}

static struct obv_key *key_of(const struct obv_key_kind *of, uint64_t number)
{
    struct obv_key *key = NULL;
    CHECK_EQ(obv_key_take(context, of, &number, &key), OBV_OK);
    return key;
}

/* `dictionary`, a key and, if it is not NULL, a name. The path keeps the key. */
static struct obv_path *path_by(struct obv_key *key, const char *next)
{
    struct obv_path *path = NULL;
    const struct obv_element elements[] = {
        {OBV_ELEMENT_NAME, name_of("dictionary"), 0},
        obv_key_element(key),
        {OBV_ELEMENT_NAME, next ? name_of(next) : 0, 0}};
    CHECK_EQ(obv_path_make(obv_context_names(context), elements, next ? 3 : 2,
                           &path, NULL),
             OBV_OK);
    obv_key_release(key);
    return path;
}

static enum obv_status observe_by(struct obv_path *path,
                                  struct obv_observation **handle,
                                  struct obv_error *error)
{
    const struct obv_compiled_pair pair = {&root.object, path};
    const struct obv_observe_options options = {.size = sizeof options};
    enum obv_status status =
        obv_observe_compiled(&pair, 1, &kind, &calls, &options, handle, error);
    obv_path_destroy(path);
    return status;
}

static void put(struct pairs *in, struct obv_object *value)
{
    const struct obv_object *old = in->value;
    in->value = value;
    const struct obv_container_edit edit = {.key = &in->key,
                                            .removed = old != NULL,
                                            .inserted = value != NULL,
                                            .old = &old};
    CHECK_EQ(obv_container_edited(&in->container, &edit, 1, NULL), OBV_OK);
}

static int drained(void)
{
    calls = 0;
    obv_loop_drain(obv_context_loop(context));
    return calls;
}

TEST(DI_3_a_key_of_any_kind_stands_in_a_compiled_path)
{
    begin();
    CHECK_EQ(observe_by(path_by(key_of(&numbers, 7), "title"), NULL, NULL),
             OBV_OK);
    CHECK_EQ(observe_by(path_by(key_of(&numbers, 8), NULL), NULL, NULL),
             OBV_OK);
    CHECK_EQ(obv_set_i64(&a.object, TITLE, 1), OBV_OK);
    CHECK_EQ(drained(), 1);
    put(&pairs, &b.object);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_set_i64(&a.object, TITLE, 2), OBV_OK);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_set_i64(&b.object, TITLE, 1), OBV_OK);
    CHECK_EQ(drained(), 1);
    put(&pairs, NULL);
    CHECK_EQ(drained(), 1);
    /* The same key of another dictionary. Nobody holds the two, so that nothing
       is compared. */
    CHECK_EQ(obv_set_object(&root.object, DICTIONARY, &other.container.object),
             OBV_OK);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(obv_set_i64(&b.object, TITLE, 2), OBV_OK);
    CHECK_EQ(drained(), 1);
    finish();
}

/* What stands there now is what stood there before the first. */
TEST(DI_2_several_edits_of_a_key_are_compared_once)
{
    const struct obv_object *first = &a.object;
    const struct obv_container_edit edits[] = {
        {.key = &pairs.key, .removed = 1, .old = &first},
        {.key = &pairs.key, .inserted = 1}};
    begin();
    CHECK_EQ(observe_by(path_by(key_of(&numbers, 7), NULL), NULL, NULL),
             OBV_OK);
    CHECK_EQ(obv_container_edited(&pairs.container, edits, 2, NULL), OBV_OK);
    CHECK_EQ(drained(), 0);
    finish();
}

TEST(DI_1_a_key_of_any_kind_need_not_be_there)
{
    begin();
    pairs.key = 8;
    CHECK_EQ(observe_by(path_by(key_of(&numbers, 7), NULL), NULL, NULL),
             OBV_OK);
    put(&pairs, NULL);
    CHECK_EQ(drained(), 0);
    pairs.key = 7;
    put(&pairs, &a.object);
    CHECK_EQ(drained(), 1);
    put(&pairs, &a.object);
    CHECK_EQ(drained(), 0);
    finish();
}

/* A path that is made anew is the same, whoever holds the key. */
TEST(KP_16_paths_by_equal_keys_are_one)
{
    struct obv_observation *handle = NULL;
    begin();
    struct obv_key *seven = key_of(&numbers, 7);
    CHECK(key_of(&numbers, 7) == seven);
    obv_key_release(seven);
    CHECK_EQ(observe_by(path_by(seven, NULL), &handle, NULL), OBV_OK);
    CHECK(key_of(&numbers, 7) == seven);
    struct obv_path *again = path_by(seven, NULL);
    char text[32];
    CHECK_EQ(obv_path_print(obv_context_names(context),
                            obv_path_elements(again), 2, text, sizeof text),
             strlen("dictionary.\\7"));
    CHECK_TEXT(text, "dictionary.\\7");
    obv_stop_compiled(handle, &root.object, again);
    obv_path_destroy(again);
    put(&pairs, &b.object);
    CHECK_EQ(drained(), 0);
    obv_release(handle);
    finish();
}

TEST(LT_1_a_key_in_a_path_is_freed_with_the_last_who_observes_it)
{
    struct obv_observation *handle = NULL;
    begin();
    CHECK_EQ(observe_by(path_by(key_of(&numbers, 7), "title"), &handle, NULL),
             OBV_OK);
    struct obv_key *held = key_of(&numbers, 7);
    obv_stop(handle);
    obv_release(handle);
    obv_context_collect(context);
    CHECK(copies_freed < copies_made);
    obv_key_release(held);
    CHECK_EQ(copies_freed, copies_made);
    CHECK_EQ(observe_by(path_by(key_of(&numbers, 7), NULL), &handle, NULL),
             OBV_OK);
    obv_stop(handle);
    obv_release(handle);
    CHECK(copies_freed < copies_made);
    obv_context_collect(context);
    CHECK_EQ(copies_freed, copies_made);
    finish();
}

static const struct obv_key_kind others = {.size = sizeof others,
                                           .hash = hash_key,
                                           .equal = keys_are_equal,
                                           .copy = copy_key,
                                           .free = free_key};

TEST(KP_20_a_key_of_another_kind_is_refused)
{
    struct obv_error error;
    begin();
    CHECK_EQ(observe_by(path_by(key_of(&others, 7), NULL), NULL, &error),
             OBV_E_KIND);
    CHECK_TEXT(error.message,
               "this dictionary has keys and a count, and nothing else");
    struct obv_path *path = NULL;
    struct obv_key *key = key_of(&numbers, 7);
    const struct obv_element element = obv_key_element(key);
    CHECK_EQ(
        obv_path_make(obv_context_names(context), &element, 1, &path, NULL),
        OBV_OK);
    obv_key_release(key);
    CHECK_EQ(observe_by(path, NULL, &error), OBV_E_KIND);
    finish();
}

TEST(CO_1_a_key_for_paths_is_one_that_no_text_names)
{
    const struct obv_element none = {OBV_ELEMENT_KEY, 0, 0};
    struct obv_key_kind named = others;
    struct obv_path *path = NULL;
    struct obv_key *key = NULL;
    begin();
    named.named = (void *(*)(const struct obv_key_kind *, const char *))abort;
    CHECK_EQ(obv_key_take(context, &obv_text_keys, "a", &key), OBV_E_ARGUMENT);
    CHECK_EQ(obv_key_take(context, &named, &pairs.key, &key), OBV_E_ARGUMENT);
    CHECK_EQ(obv_key_take(context, &numbers, NULL, &key), OBV_E_ARGUMENT);
    CHECK_EQ(obv_path_make(obv_context_names(context), &none, 1, &path, NULL),
             OBV_E_ARGUMENT);
    obv_key_release(NULL);
    finish();
}

TEST(FA_1_a_key_in_a_path_needs_memory)
{
    bool has_failed = true;
    begin();
    for (size_t n = 1; has_failed; n++) {
        struct obv_observation *handle = NULL;
        struct obv_path *path = path_by(key_of(&numbers, 7), "title");
        test_fail_allocation(n, false);
        enum obv_status status = observe_by(path, &handle, NULL);
        has_failed = test_allocation_failed();
        test_fail_allocation(0, false);
        if (status == OBV_OK) {
            obv_stop(handle);
            obv_release(handle);
        }
    }
    for (size_t n = 1; n < 3; n++) {
        struct obv_key *key = NULL;
        test_fail_allocation(n, false);
        CHECK_EQ(obv_key_take(context, &numbers, &(uint64_t){99}, &key),
                 n == 1 ? OBV_E_MEMORY : OBV_OK);
        test_fail_allocation(0, false);
        obv_key_release(key);
    }
    finish();
}
