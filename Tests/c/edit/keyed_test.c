/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionaries with keys of the program's own, which it compares and copies with
 * no lock held.
 */
#include "test.h"

#include <observable/container.h>
#include <observable/observable.h>

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

/* Keys ---------------------------------------------------------------------- */

static uint64_t copies[4];
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

static const struct obv_key_kind numbers = {.size = sizeof numbers,
                                            .hash = hash_key,
                                            .equal = keys_are_equal,
                                            .copy = copy_key,
                                            .free = free_key};

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
    CHECK_EQ(calls, 0);
    finish();
}

TEST(DI_2_edits_of_one_key_that_are_told_together_are_one)
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
