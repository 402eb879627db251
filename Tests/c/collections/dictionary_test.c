/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready-made dictionaries: each operation against a naive model, an array of
 * numbers by the number of their key, and what their observers are told.
 */
#include "collections/fixture.h"

enum { KEYS = 12, ABSENT = -1 };

/* The keys: texts, or numbers of the program's. */
static const char *const names[KEYS] = {"a", "b", "c", "d", "e",     "f",
                                        "g", "h", "i", "j", "count", ""};
static uint64_t numbers[KEYS];
static bool has_number_keys;

static uint64_t hash_number(const struct obv_key_kind *kind, const void *key)
{
    (void)kind;
    return *(const uint64_t *)key / 2; /* two and two collide */
}

static bool are_numbers_equal(const struct obv_key_kind *kind, const void *a,
                              const void *b)
{
    (void)kind;
    return *(const uint64_t *)a == *(const uint64_t *)b;
}

static void *copy_number(const struct obv_key_kind *kind, const void *key)
{
    (void)kind;
    const struct obv_allocator *allocator = test_allocator();
    uint64_t *copy = allocator->allocate(NULL, sizeof *copy);
    if (copy) {
        *copy = *(const uint64_t *)key;
    }
    return copy;
}

static void free_number(const struct obv_key_kind *kind, void *copy)
{
    (void)kind;
    test_allocator()->free(NULL, copy, sizeof(uint64_t));
}

static const char *print_number(const struct obv_key_kind *kind,
                                const void *copy)
{
    (void)kind;
    (void)copy;
    return "a number";
}

static void *number_named(const struct obv_key_kind *kind, const char *name)
{
    uint64_t number = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        number = strcmp(names[i], name) == 0 ? i : number;
    }
    return copy_number(kind, &number);
}

static const struct obv_key_kind number_keys = {.size = sizeof number_keys,
                                                .hash = hash_number,
                                                .equal = are_numbers_equal,
                                                .copy = copy_number,
                                                .free = free_number,
                                                .text = print_number,
                                                .named = number_named};

static const struct obv_collection_kind kinds[] = {
    {.size = sizeof *kinds, .name = "songs", .element = OBV_KIND_object},
    {.size = sizeof *kinds,
     .name = "texts",
     .element = OBV_KIND_string,
     .key = &number_keys}};

static const void *key(int number)
{
    return has_number_keys ? (const void *)&numbers[number] : names[number];
}

static int number_of_key(const void *key)
{
    int number = 0;
    while (number < KEYS &&
           (has_number_keys ? numbers[number] != *(const uint64_t *)key
                            : strcmp(names[number], key) != 0)) {
        number++;
    }
    CHECK(number < KEYS);
    return number;
}

static struct obv_dictionary *make_dictionary(bool of_texts)
{
    struct obv_class *cls;
    struct obv_dictionary *dictionary;
    is_of_texts = has_number_keys = of_texts;
    for (uint64_t i = 0; i < KEYS; i++) {
        numbers[i] = i;
    }
    CHECK_EQ(obv_dictionary_class_create(context, &kinds[of_texts], &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_dictionary_create(cls, &dictionary, NULL), OBV_OK);
    return dictionary;
}

/* The naive model ---------------------------------------------------------- */

static int model[KEYS];

static size_t model_count(const int *content)
{
    size_t count = 0;
    for (size_t i = 0; i < KEYS; i++) {
        count += content[i] != ABSENT;
    }
    return count;
}

static void model_clear(void)
{
    for (size_t i = 0; i < KEYS; i++) {
        model[i] = ABSENT;
    }
}

static void check_content(const struct obv_dictionary *dictionary)
{
    bool met[KEYS] = {false};
    struct obv_collection_cursor cursor = {NULL, NULL, NULL};
    CHECK_EQ(obv_dictionary_count(dictionary), model_count(model));
    for (int i = 0; i < KEYS; i++) {
        bool is_in = model[i] != ABSENT;
        CHECK_EQ(obv_dictionary_has(dictionary, key(i)), is_in);
        CHECK(is_element(obv_dictionary_get(dictionary, key(i)),
                         is_in ? model[i] : 0));
    }
    while (obv_dictionary_next(dictionary, &cursor)) {
        int i = number_of_key(cursor.key);
        CHECK(model[i] != ABSENT && !met[i]);
        CHECK(is_element(cursor.element, model[i]));
        met[i] = true;
    }
    for (size_t i = 0; i < KEYS; i++) {
        CHECK_EQ(met[i], model[i] != ABSENT);
    }
}

/* What is told ------------------------------------------------------------- */

struct watch {
    int keys[KEYS], count, any, deeper[KEYS];
};

static struct watch calls;

static void watch(struct obv_dictionary *dictionary)
{
    struct obv_object *root = &dictionary->container.object;
    char path[24];
    for (size_t i = 0; i < KEYS - 2; i++) {
        observe(root, names[i], &calls.keys[i]);
    }
    observe(root, "\\count", &calls.keys[KEYS - 2]);
    observe(root, "count", &calls.count);
    observe(root, "*", &calls.any);
    for (size_t i = 0; !is_of_texts && i < KEYS - 2; i++) {
        CHECK(snprintf(path, sizeof path, "%s.plays", names[i]) > 0);
        observe(root, path, &calls.deeper[i]);
    }
}

static bool differ(int a, int b)
{
    return (a == ABSENT) != (b == ABSENT) || (a != ABSENT && !are_equal(a, b));
}

/* The plays of the song of a key; -1: there is none. */
static int64_t plays_of(int number)
{
    return number == ABSENT || number == 0 ? -1 : songs[number].plays;
}

static void check_calls(const int *old)
{
    bool any = false;
    for (size_t i = 0; i < KEYS; i++) {
        bool is_changed = differ(old[i], model[i]);
        any = any || is_changed;
        CHECK_EQ(calls.keys[i], is_changed && i != KEYS - 1);
        CHECK_EQ(calls.deeper[i], !is_of_texts && i < KEYS - 2 &&
                                      plays_of(old[i]) != plays_of(model[i]));
    }
    CHECK_EQ(calls.any, any);
    CHECK_EQ(calls.count, model_count(old) != model_count(model));
    memset(&calls, 0, sizeof calls);
}

/* Operations --------------------------------------------------------------- */

static void run_several(struct obv_dictionary *dictionary)
{
    const void *keys[20];
    int elements[20];
    size_t count = (size_t)random_below(20);
    bool is_all = random_below(2);
    for (size_t i = 0; i < count; i++) {
        int number = random_below(KEYS);
        keys[i] = key(number);
        elements[i] = random_below(2) && model[number] != ABSENT
                          ? model[number]
                          : random_below(POOL);
    }
    CHECK_EQ((is_all ? obv_dictionary_assign : obv_dictionary_merge)(
                 dictionary, keys, elements_of(elements, count), count),
             OBV_OK);
    if (is_all) {
        model_clear();
    }
    for (size_t i = 0; i < count; i++) {
        model[number_of_key(keys[i])] = elements[i];
    }
}

static void run_any(struct obv_dictionary *dictionary)
{
    int number = random_below(KEYS), come = random_below(POOL);
    switch (random_below(10)) {
    case 0:
        run_several(dictionary);
        break;
    case 1:
        if (random_below(5) == 0) {
            CHECK_EQ(obv_dictionary_clear(dictionary), OBV_OK);
            model_clear();
        }
        break;
    case 2:
    case 3:
    case 4:
        CHECK_EQ(obv_dictionary_delete(dictionary, key(number)), OBV_OK);
        model[number] = ABSENT;
        break;
    default:
        CHECK_EQ(obv_dictionary_put(dictionary, key(number), element(come)),
                 OBV_OK);
        model[number] = come;
        break;
    }
}

static void run_random(bool of_texts)
{
    begin();
    struct obv_dictionary *dictionary = make_dictionary(of_texts);
    model_clear();
    watch(dictionary);
    for (size_t i = 0; i < 6000; i++) {
        int old[KEYS];
        memcpy(old, model, sizeof old);
        run_any(dictionary);
        check_content(dictionary);
        drain();
        check_calls(old);
    }
    obv_dictionary_release(dictionary);
    finish();
}

TEST(DI_1_random_edits_of_objects_by_texts_are_told_exactly)
{
    run_random(false);
}

TEST(DI_3_random_edits_of_texts_by_numbers_are_told_exactly)
{
    run_random(true);
}

/* What cannot be ----------------------------------------------------------- */

TEST(null_dictionaries_are_answered)
{
    const void *const keys[] = {"a", NULL};
    const void *const two[] = {&songs[1], &songs[2]};
    struct obv_dictionary *dictionary;
    begin();
    dictionary = make_dictionary(false);
    model_clear();
    CHECK_EQ(obv_dictionary_put(NULL, "a", NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_dictionary_put(dictionary, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_dictionary_delete(NULL, "a"), OBV_E_ARGUMENT);
    CHECK_EQ(obv_dictionary_delete(dictionary, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_dictionary_delete(dictionary, "a"), OBV_OK);
    CHECK_EQ(obv_dictionary_clear(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_dictionary_merge(dictionary, keys, two, 2), OBV_E_ARGUMENT);
    CHECK_EQ(obv_dictionary_merge(dictionary, NULL, NULL, 1), OBV_E_ARGUMENT);
    CHECK_EQ(obv_dictionary_assign(dictionary, keys, NULL, 1), OBV_E_ARGUMENT);
    CHECK(obv_dictionary_get(NULL, "a") == NULL);
    CHECK(!obv_dictionary_has(dictionary, NULL));
    check_content(dictionary);
    obv_dictionary_retain(NULL);
    obv_dictionary_release(NULL);
    obv_dictionary_release(dictionary);
    finish();
}

static void fill(struct obv_dictionary *dictionary)
{
    static const int elements[] = {1, 2, 3, 5, 6, 1};
    const void *keys[6];
    model_clear();
    for (int i = 0; i < 6; i++) {
        keys[i] = key(i);
        model[i] = elements[i];
    }
    CHECK_EQ(
        obv_dictionary_assign(dictionary, keys, elements_of(elements, 6), 6),
        OBV_OK);
    drain();
    memset(&calls, 0, sizeof calls);
}

TEST(DI_2_an_element_that_is_at_its_end_is_refused)
{
    const int elements[] = {1, 3, 2, 5};
    begin();
    struct obv_dictionary *dictionary = make_dictionary(false);
    fill(dictionary);
    watch(dictionary);
    CHECK_EQ(obv_dictionary_delete(dictionary, "b"), OBV_OK);
    model[1] = ABSENT;
    drain();
    memset(&calls, 0, sizeof calls);
    songs[2].references = 0;
    const void *const keys[] = {"a", "x", "b", "c"};
    CHECK_EQ(
        obv_dictionary_merge(dictionary, keys, elements_of(elements, 4), 4),
        OBV_E_ENDED);
    CHECK_EQ(obv_dictionary_put(dictionary, "a", &songs[2]), OBV_E_ENDED);
    songs[2].references = 1;
    drain();
    check_content(dictionary);
    check_calls(model);
    CHECK_EQ(obv_dictionary_put(dictionary, "a", &songs[6]), OBV_OK);
    model[0] = 6;
    check_content(dictionary);
    obv_dictionary_release(dictionary);
    finish();
}

/* Failed allocations ------------------------------------------------------- */

static enum obv_status fail_put(struct obv_dictionary *dictionary)
{
    return obv_dictionary_put(dictionary, key(8), element(3));
}

static enum obv_status fail_put_again(struct obv_dictionary *dictionary)
{
    return obv_dictionary_put(dictionary, key(2), element(5));
}

static enum obv_status fail_assign(struct obv_dictionary *dictionary)
{
    const int elements[] = {1, 2, 6, 3, 5, 1};
    const void *const keys[] = {key(1), key(2), key(7), key(8), key(2), key(9)};
    return obv_dictionary_assign(dictionary, keys, elements_of(elements, 6), 6);
}

static enum obv_status fail_delete(struct obv_dictionary *dictionary)
{
    return obv_dictionary_delete(dictionary, key(2));
}

/* The n-th allocation fails, for each n until none does. */
static void
run_failing(enum obv_status (*operation)(struct obv_dictionary *dictionary),
            bool may_fail)
{
    for (int round = 0; round < 2; round++) {
        begin();
        struct obv_dictionary *dictionary = make_dictionary(round == 1);
        watch(dictionary);
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            fill(dictionary);
            test_fail_allocation(n, false);
            enum obv_status status = operation(dictionary);
            failed = test_allocation_failed();
            test_fail_allocation(0, false);
            CHECK(status == OBV_OK || (may_fail && status == OBV_E_MEMORY));
            drain();
            if (status == OBV_E_MEMORY) {
                check_content(dictionary);
                check_calls(model);
            }
        }
        obv_dictionary_release(dictionary);
        finish();
    }
}

TEST(FA_1_putting_without_memory_changes_nothing)
{
    run_failing(fail_put, true);
    run_failing(fail_put_again, true);
}

TEST(FA_1_assigning_without_memory_changes_nothing)
{
    run_failing(fail_assign, true);
}

TEST(FA_1_clearing_without_memory_changes_nothing)
{
    run_failing(obv_dictionary_clear, true);
}

TEST(FA_1_deleting_needs_no_memory)
{
    run_failing(fail_delete, false);
}

/* Handlers ----------------------------------------------------------------- */

static struct obv_dictionary *edited;
static int nested;

static void edit_again(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    if (nested++ == 0) {
        CHECK_EQ(obv_dictionary_clear(edited), OBV_OK);
        CHECK_EQ(obv_dictionary_put(edited, key(3), element(5)), OBV_OK);
    }
}

static const struct obv_handler_kind editing = {.changed = edit_again};

TEST(RE_a_handler_edits_the_dictionary_that_it_is_told_of)
{
    static enum obv_status (*const operations[])(
        struct obv_dictionary * dictionary) = {fail_put, fail_put_again,
                                               fail_assign, fail_delete};
    for (size_t i = 0; i < 8; i++) {
        begin();
        edited = make_dictionary(i % 2);
        fill(edited);
        nested = 0;
        observe_at_once(&edited->container.object, "*", &editing);
        CHECK_EQ(operations[i / 2](edited), OBV_OK);
        CHECK(nested > 1);
        CHECK_EQ(obv_dictionary_count(edited), 1);
        CHECK(is_element(obv_dictionary_get(edited, key(3)), 5));
        obv_dictionary_release(edited);
        finish();
    }
}

TEST(DI_2_a_key_of_the_dictionary_itself_is_deleted)
{
    struct obv_collection_cursor cursor = {NULL, NULL, NULL};
    begin();
    struct obv_dictionary *dictionary = make_dictionary(false);
    fill(dictionary);
    watch(dictionary);
    while (obv_dictionary_next(dictionary, &cursor)) {
        CHECK_EQ(obv_dictionary_delete(dictionary, cursor.key), OBV_OK);
        cursor = (struct obv_collection_cursor){NULL, NULL, NULL};
    }
    CHECK_EQ(obv_dictionary_count(dictionary), 0);
    obv_dictionary_release(dictionary);
    finish();
}

TEST(CP_3_a_copy_has_equal_elements_and_no_observations)
{
    for (int round = 0; round < 2; round++) {
        begin();
        struct obv_dictionary *dictionary = make_dictionary(round == 1),
                              *copy = NULL;
        fill(dictionary);
        watch(dictionary);
        enum obv_status status = OBV_E_MEMORY;
        for (size_t n = 1; status == OBV_E_MEMORY; n++) {
            size_t blocks = test_live_blocks();
            test_fail_allocation(n, false);
            status = obv_dictionary_copy(dictionary, &copy, NULL);
            test_fail_allocation(0, false);
            CHECK(status == OBV_OK || test_live_blocks() == blocks);
        }
        CHECK_EQ(status, OBV_OK);
        check_content(copy);
        obv_dictionary_release(dictionary);
        memset(&calls, 0, sizeof calls);
        CHECK_EQ(obv_dictionary_clear(copy), OBV_OK);
        drain();
        CHECK_EQ(calls.any, 0);
        obv_dictionary_release(copy);
        CHECK_EQ(obv_dictionary_copy(NULL, &copy, NULL), OBV_E_ARGUMENT);
        finish();
    }
}

/* What is computed --------------------------------------------------------- */

struct reader {
    struct obv_object object;
    const struct obv_dictionary *dictionary;
    int64_t sum;
};

enum { READER_SUM };

static int evaluations;

static enum obv_status make_sum(struct obv_object *object,
                                const struct obv_property *property,
                                void *result)
{
    const struct reader *reader = (const struct reader *)(void *)object;
    struct obv_collection_cursor cursor = {NULL, NULL, NULL};
    int64_t sum = 0;
    (void)property;
    evaluations++;
    while (obv_dictionary_next(reader->dictionary, &cursor)) {
        sum += *(const char *)cursor.element;
    }
    memcpy(result, &sum, sizeof sum);
    return OBV_OK;
}

OBV_COMPUTED(reader, sum, i64, READER_SUM)

TEST(EQ_1_LL_2_an_equal_text_leaves_what_has_read_the_dictionary_valid)
{
    static const struct obv_computed sum = {.size = sizeof sum,
                                            .evaluate = make_sum};
    static const struct obv_property properties[] = {
        OBV_FIELD_COMPUTED(reader, sum, i64, &sum)};
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "reader",
                                                 .instance_size =
                                                     sizeof(struct reader),
                                                 .properties = properties,
                                                 .property_count = 1};
    for (int with_keys = 0; with_keys < 2; with_keys++) {
        struct obv_class *cls;
        begin();
        CHECK_EQ(obv_class_create(context, &table, &cls, NULL), OBV_OK);
        struct obv_dictionary *dictionary = make_dictionary(true);
        struct reader reader = {.dictionary = dictionary};
        obv_object_init(&reader.object, cls);
        fill(dictionary);
        CHECK_EQ(obv_dictionary_put(dictionary, key(1), element(3)), OBV_OK);
        if (with_keys) {
            watch(dictionary);
        }
        evaluations = 0;
        int64_t before = reader_sum(&reader);
        CHECK_EQ(obv_dictionary_put(dictionary, key(1), element(4)), OBV_OK);
        CHECK_EQ(reader_sum(&reader), before);
        CHECK_EQ(evaluations, 1);
        CHECK_EQ(obv_dictionary_put(dictionary, key(1), element(5)), OBV_OK);
        CHECK(reader_sum(&reader) != before);
        CHECK_EQ(evaluations, 2);
        CHECK_EQ(obv_object_deinit(&reader.object), OBV_OK);
        obv_dictionary_release(dictionary);
        finish();
    }
}
