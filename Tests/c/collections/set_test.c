/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready-made sets: each operation against a naive model, an array of truths by
 * the number of the element, and what their observers are told.
 */
#include "collections/fixture.h"

#include <inttypes.h>

/* Texts by their first letter: some collide. */
static uint64_t hash_letter(const struct obv_container *set,
                            const void *element)
{
    (void)set;
    return (uint64_t) * *(const char *const *)element / 2;
}

static const struct obv_collection_kind kinds[] = {
    {.size = sizeof *kinds, .name = "songs", .element = OBV_KIND_object},
    {.size = sizeof *kinds, .name = "texts", .element = OBV_KIND_string},
    {.size = sizeof *kinds,
     .name = "colliding",
     .element = OBV_KIND_string,
     .hash = hash_letter}};

enum { SONGS, TEXTS, COLLIDING, KINDS };

static struct obv_set *make_set(int kind)
{
    struct obv_class *cls;
    struct obv_set *set;
    is_of_texts = kind != SONGS;
    CHECK_EQ(obv_set_class_create(context, &kinds[kind], &cls, NULL), OBV_OK);
    CHECK_EQ(obv_set_create(cls, &set, NULL), OBV_OK);
    return set;
}

/* The naive model: of equal elements the first stands for all. ------------- */

static bool model[POOL];

static int member(int number)
{
    int first = 1;
    while (!are_equal(first, number)) {
        first++;
    }
    return first;
}

static size_t model_count(const bool *content)
{
    size_t count = 0;
    for (size_t i = 1; i < POOL; i++) {
        count += content[i];
    }
    return count;
}

static void check_content(const struct obv_set *set)
{
    bool met[POOL] = {false};
    struct obv_collection_cursor cursor = {NULL, NULL, NULL};
    CHECK_EQ(obv_set_count(set), model_count(model));
    for (int i = 1; i < POOL; i++) {
        CHECK_EQ(obv_set_contains(set, element(i)), model[member(i)]);
    }
    while (obv_set_next(set, &cursor)) {
        int i = 1;
        while (!is_element(cursor.element, i)) {
            i++;
        }
        CHECK(model[i] && !met[i]);
        met[i] = true;
    }
    CHECK_EQ(model_count(met), model_count(model));
}

/* What is told ------------------------------------------------------------- */

struct watch {
    int hashes[POOL], count, any;
};

static struct watch calls;

static void watch(struct obv_set *set)
{
    struct obv_object *root = &set->container.object;
    for (int i = 1; i < POOL; i++) {
        char path[24];
        CHECK(snprintf(path, sizeof path, "&%" PRIu64,
                       obv_set_hash(set, element(i))) > 0);
        observe(root, path, &calls.hashes[i]);
    }
    observe(root, "count", &calls.count);
    observe(root, "*", &calls.any);
}

static void check_calls(const struct obv_set *set, const bool *old)
{
    bool any = false;
    for (int i = 1; i < POOL; i++) {
        bool is_called = false;
        for (int j = 1; j < POOL; j++) {
            bool is_changed = old[j] != model[j];
            is_called =
                is_called || (is_changed && obv_set_hash(set, element(i)) ==
                                                obv_set_hash(set, element(j)));
            any = any || is_changed;
        }
        CHECK_EQ(calls.hashes[i], is_called);
    }
    CHECK_EQ(calls.any, any);
    CHECK_EQ(calls.count, model_count(old) != model_count(model));
    memset(&calls, 0, sizeof calls);
}

/* Operations --------------------------------------------------------------- */

typedef enum obv_status combination(struct obv_set *set, const void *elements,
                                    size_t count);

static combination *const combinations[] = {obv_set_union, obv_set_intersect,
                                            obv_set_subtract, obv_set_symmetric,
                                            obv_set_assign};

static bool is_in(size_t operation, bool in_set, bool in_other)
{
    switch (operation) {
    case 0:
        return in_set || in_other;
    case 1:
        return in_set && in_other;
    case 2:
        return in_set && !in_other;
    case 3:
        return in_set != in_other;
    default:
        return in_other;
    }
}

static void run_several(struct obv_set *set)
{
    int elements[20];
    bool other[POOL] = {false};
    size_t operation = (size_t)random_below(5), count = 0;
    for (int rest = random_below(12); rest > 0; rest--) {
        elements[count] = 1 + random_below(POOL - 1);
        other[member(elements[count++])] = true;
    }
    CHECK_EQ(combinations[operation](set, elements_of(elements, count), count),
             OBV_OK);
    for (size_t i = 1; i < POOL; i++) {
        model[i] = is_in(operation, model[i], other[i]);
    }
}

static void run_any(struct obv_set *set)
{
    int number = 1 + random_below(POOL - 1);
    switch (random_below(8)) {
    case 0:
    case 1:
        run_several(set);
        break;
    case 2:
        if (random_below(3) == 0) {
            CHECK_EQ(obv_set_clear(set), OBV_OK);
            memset(model, 0, sizeof model);
        }
        break;
    case 3:
    case 4:
        CHECK_EQ(obv_set_discard(set, element(number)), OBV_OK);
        model[member(number)] = false;
        break;
    default:
        CHECK_EQ(obv_set_add(set, element(number)), OBV_OK);
        model[member(number)] = true;
        break;
    }
}

static void run_random(int kind)
{
    begin();
    struct obv_set *set = make_set(kind);
    watch(set);
    for (size_t i = 0; i < 6000; i++) {
        bool old[POOL];
        memcpy(old, model, sizeof old);
        run_any(set);
        check_content(set);
        drain();
        check_calls(set, old);
    }
    obv_set_release(set);
    finish();
}

TEST(SE_3_random_edits_of_objects_are_told_exactly)
{
    run_random(SONGS);
}

TEST(SE_3_random_edits_of_texts_are_told_exactly)
{
    run_random(TEXTS);
}

TEST(SE_2_random_edits_of_members_that_collide_are_told_exactly)
{
    run_random(COLLIDING);
}

TEST(SE_1_members_are_found_by_their_hash)
{
    const int numbers[] = {1, 2, 3, 5, 6};
    begin();
    struct obv_set *set = make_set(COLLIDING);
    CHECK_EQ(obv_set_assign(set, elements_of(numbers, 5), 5), OBV_OK);
    size_t found = 0;
    uint64_t hash = obv_set_hash(set, "six");
    for (const char *text; (text = obv_set_member(set, hash, found)); found++) {
        CHECK_EQ(obv_set_hash(set, text), hash);
    }
    CHECK_EQ(found, 1);
    hash = obv_set_hash(set, "equal");
    CHECK_TEXT(obv_set_member(set, hash, 0), "equal");
    hash = obv_set_hash(set, "never");
    CHECK_EQ(obv_set_hash(set, "one"), hash); /* n and o */
    CHECK_TEXT(obv_set_member(set, hash, 0), "one");
    CHECK(obv_set_member(set, hash, 1) == NULL);
    obv_set_release(set);
    finish();
}

/* What cannot be ----------------------------------------------------------- */

static bool are_same(const void *a, const void *b)
{
    return a == b;
}

TEST(null_sets_are_answered)
{
    static const struct obv_collection_kind without_hash = {
        .size = sizeof without_hash,
        .name = "without hash",
        .element = OBV_KIND_pointer,
        .equal = are_same};
    const void *const some[] = {&songs[1], NULL};
    struct obv_class *cls;
    begin();
    struct obv_set *set = make_set(SONGS);
    CHECK_EQ(obv_set_class_create(context, &without_hash, &cls, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_class_create(context, NULL, &cls, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_create(NULL, &set, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_add(NULL, &songs[1]), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_add(set, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_discard(set, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_clear(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_union(set, some, 2), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_union(set, NULL, 1), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_combine(set, &some[0], 1, 8), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_count(set), 0);
    CHECK(obv_set_find(NULL, &songs[1]) == NULL);
    CHECK(obv_set_find(set, NULL) == NULL);
    CHECK(obv_set_member(NULL, 1, 0) == NULL);
    obv_set_retain(NULL);
    obv_set_release(NULL);
    obv_set_release(set);
    finish();
}

/* Failed allocations ------------------------------------------------------- */

static const int many[] = {1, 2, 3, 5, 6, 6, 1};

static enum obv_status fail_add(struct obv_set *set)
{
    return obv_set_add(set, element(6));
}

static enum obv_status fail_union(struct obv_set *set)
{
    return obv_set_union(set, elements_of(many + 2, 5), 5);
}

static enum obv_status fail_symmetric(struct obv_set *set)
{
    return obv_set_symmetric(set, elements_of(many, 7), 7);
}

static enum obv_status fail_assign(struct obv_set *set)
{
    return obv_set_assign(set, elements_of(many + 3, 4), 4);
}

static enum obv_status fail_discard(struct obv_set *set)
{
    return obv_set_discard(set, element(2));
}

static void fill(struct obv_set *set)
{
    CHECK_EQ(obv_set_assign(set, elements_of(many, 3), 3), OBV_OK);
    memset(model, 0, sizeof model);
    for (size_t i = 0; i < 3; i++) {
        model[many[i]] = true;
    }
    drain();
    memset(&calls, 0, sizeof calls);
}

/* The n-th allocation fails, for each n until none does. */
static void run_failing(enum obv_status (*operation)(struct obv_set *set),
                        bool may_fail)
{
    for (int kind = 0; kind < KINDS; kind++) {
        begin();
        struct obv_set *set = make_set(kind);
        watch(set);
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            fill(set);
            test_fail_allocation(n, false);
            enum obv_status status = operation(set);
            failed = test_allocation_failed();
            test_fail_allocation(0, false);
            CHECK(status == OBV_OK || (may_fail && status == OBV_E_MEMORY));
            drain();
            if (status == OBV_E_MEMORY) {
                check_content(set);
                check_calls(set, model);
            }
        }
        obv_set_release(set);
        finish();
    }
}

TEST(FA_1_adding_without_memory_changes_nothing)
{
    run_failing(fail_add, true);
    run_failing(fail_union, true);
}

TEST(FA_1_combining_without_memory_changes_nothing)
{
    run_failing(fail_symmetric, true);
    run_failing(fail_assign, true);
}

TEST(FA_1_discarding_needs_no_memory)
{
    run_failing(fail_discard, false);
    run_failing(obv_set_clear, false);
}

/* Handlers ----------------------------------------------------------------- */

static struct obv_set *edited;
static int nested;

static void edit_again(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    if (nested++ == 0) {
        CHECK_EQ(obv_set_clear(edited), OBV_OK);
        CHECK_EQ(obv_set_add(edited, element(5)), OBV_OK);
    }
}

static const struct obv_handler_kind editing = {.changed = edit_again};

TEST(RE_a_handler_edits_the_set_that_it_is_told_of)
{
    static enum obv_status (*const operations[])(struct obv_set * set) = {
        fail_add, fail_union, fail_symmetric, fail_assign, fail_discard};
    for (size_t i = 0; i < 10; i++) {
        begin();
        edited = make_set(i % 2 ? SONGS : COLLIDING);
        fill(edited);
        nested = 0;
        observe_at_once(&edited->container.object, "*", &editing);
        CHECK_EQ(operations[i / 2](edited), OBV_OK);
        CHECK(nested > 1);
        CHECK_EQ(obv_set_count(edited), 1);
        CHECK(obv_set_contains(edited, element(5)));
        obv_set_release(edited);
        finish();
    }
}

TEST(CP_3_a_copy_has_equal_elements_and_no_observations)
{
    for (int round = 0; round < 2; round++) {
        begin();
        struct obv_set *set = make_set(round), *copy = NULL;
        fill(set);
        watch(set);
        enum obv_status status = OBV_E_MEMORY;
        for (size_t n = 1; status == OBV_E_MEMORY; n++) {
            size_t blocks = test_live_blocks();
            test_fail_allocation(n, false);
            status = obv_set_copy(set, &copy, NULL);
            test_fail_allocation(0, false);
            CHECK(status == OBV_OK || test_live_blocks() == blocks);
        }
        CHECK_EQ(status, OBV_OK);
        check_content(copy);
        obv_set_release(set);
        memset(&calls, 0, sizeof calls);
        CHECK_EQ(obv_set_clear(copy), OBV_OK);
        drain();
        CHECK_EQ(calls.any, 0);
        obv_set_release(copy);
        CHECK_EQ(obv_set_copy(NULL, &copy, NULL), OBV_E_ARGUMENT);
        CHECK_EQ(obv_set_combine(NULL, NULL, 0, OBV_SET_NEW_ENTER),
                 OBV_E_ARGUMENT);
        finish();
    }
}

/* Values behind a hash ----------------------------------------------------- */

static uint64_t one_hash(const struct obv_container *set, const void *element)
{
    (void)set;
    (void)element;
    return 7;
}

struct values {
    int64_t old, now;
};

static void note_values(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    (void)root;
    *(struct values *)observer = (struct values){
        obv_value_is_reachable(call->old) ? call->old->as.i64 : -1,
        obv_value_is_reachable(call->now) ? call->now->as.i64 : -1};
}

static const struct obv_handler_kind noting_values = {.changed = note_values};

static struct obv_set *make_set_of_one_hash(void)
{
    static const struct obv_collection_kind kind = {.size = sizeof kind,
                                                    .name = "one hash",
                                                    .element = OBV_KIND_object,
                                                    .hash = one_hash};
    struct obv_class *cls;
    struct obv_set *set;
    CHECK_EQ(obv_set_class_create(context, &kind, &cls, NULL), OBV_OK);
    CHECK_EQ(obv_set_create(cls, &set, NULL), OBV_OK);
    return set;
}

TEST(OB_2_behind_a_hash_one_member_leaves_and_another_comes)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_VALUES};
    struct values values = {0, 0};
    begin();
    struct obv_set *set = make_set_of_one_hash();
    song_set_plays(&songs[1], 10);
    song_set_plays(&songs[2], 20);
    CHECK_EQ(obv_set_add(set, &songs[1]), OBV_OK);
    const struct obv_pair pair = {&set->container.object, "&7.plays"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &noting_values, &values, &options,
                               NULL, NULL),
             OBV_OK);
    CHECK_EQ(obv_set_discard(set, &songs[1]), OBV_OK);
    CHECK_EQ(obv_set_add(set, &songs[2]), OBV_OK);
    song_set_plays(&songs[2], 21);
    drain();
    CHECK(values.old == 10 && values.now == 21);
    void *both[] = {&songs[1], &songs[2]};
    CHECK_EQ(obv_set_symmetric(set, both, 2), OBV_OK);
    drain();
    CHECK(values.old == 21 && values.now == 10);
    CHECK_EQ(obv_set_discard(set, &songs[1]), OBV_OK);
    drain();
    CHECK(values.old == 10 && values.now == -1);
    obv_set_release(set);
    finish();
}

/* Told of the set's own container: what is there is as it was. */
static void replace_by_itself(struct obv_set *set, int member)
{
    const void *element = &songs[member];
    const struct obv_container_edit edit = {
        .key = &element, .removed = 1, .inserted = 1};
    CHECK_EQ(obv_container_edited(&set->container, &edit, 1, NULL), OBV_OK);
}

TEST(SE_2_one_of_several_is_replaced_by_itself)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .compare = OBV_COMPARE_EQUAL};
    int calls_of_all = 0;
    begin();
    struct obv_set *set = make_set_of_one_hash();
    CHECK_EQ(obv_set_add(set, &songs[1]), OBV_OK);
    CHECK_EQ(obv_set_add(set, &songs[2]), OBV_OK);
    const struct obv_pair pair = {&set->container.object, "&7"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &counting, &calls_of_all, &options,
                               NULL, NULL),
             OBV_OK);
    replace_by_itself(set, 1);
    replace_by_itself(set, 2);
    drain();
    CHECK_EQ(calls_of_all, 0);
    CHECK_EQ(obv_set_discard(set, &songs[1]), OBV_OK);
    drain();
    CHECK_EQ(calls_of_all, 1);
    obv_set_release(set);
    finish();
}
