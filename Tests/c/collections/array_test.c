/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready-made arrays: each operation against a naive model, an array of numbers,
 * and what their observers are told.
 */
#include "collections/fixture.h"

#include <pthread.h>

static const struct obv_collection_kind kinds[] = {
    {.size = sizeof *kinds, .name = "songs", .element = OBV_KIND_object},
    {.size = sizeof *kinds, .name = "texts", .element = OBV_KIND_string}};

static struct obv_array *make_array(bool of_texts)
{
    struct obv_class *cls;
    struct obv_array *array;
    is_of_texts = of_texts;
    CHECK_EQ(obv_array_class_create(context, &kinds[of_texts], &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(cls, &array, NULL), OBV_OK);
    return array;
}

/* The naive model ---------------------------------------------------------- */

enum { ROOM = 200, WATCHED = 3, FOLLOWED = 4 };

/* An element, and which occurrence it is: it keeps its number where it moves.
   */
struct item {
    int element, occurrence;
};

static struct item model[ROOM];
static size_t model_count;
static int last_occurrence;

static void check_content(const struct obv_array *array)
{
    CHECK_EQ(obv_array_count(array), model_count);
    for (size_t i = 0; i < model_count; i++) {
        CHECK(is_element(obv_array_at(array, i), model[i].element));
    }
    CHECK(obv_array_at(array, model_count) == NULL);
}

/* An equal element at its place is the same occurrence. */
static void model_replace(size_t position, size_t removed, const int *come,
                          size_t inserted)
{
    struct item old[ROOM];
    size_t behind = model_count - position - removed;
    memcpy(old, model, sizeof old);
    for (size_t i = 0; i < inserted; i++) {
        const struct item *was = &old[position + i];
        bool stays = i < removed && are_equal(was->element, come[i]);
        model[position + i] =
            (struct item){come[i], stays ? was->occurrence : ++last_occurrence};
    }
    memcpy(model + position + inserted, old + position + removed,
           behind * sizeof *model);
    model_count = model_count - removed + inserted;
}

static void model_order(const size_t *order)
{
    struct item old[ROOM];
    memcpy(old, model, sizeof old);
    for (size_t i = 0; i < model_count; i++) {
        model[order[i]] = old[i];
    }
}

static void model_move(size_t position, size_t count, size_t to)
{
    size_t order[ROOM];
    for (size_t i = 0, at = 0; i < model_count; i++) {
        bool is_moved = i >= position && i < position + count;
        order[i] = is_moved ? to + i - position : at < to ? at : at + count;
        at += !is_moved;
    }
    model_order(order);
}

/* Operations --------------------------------------------------------------- */

static int compare_plays(const void *a, const void *b, void *argument)
{
    const struct song *x = *(struct song *const *)a;
    const struct song *y = *(struct song *const *)b;
    int64_t left = x ? x->plays : -1, right = y ? y->plays : -1;
    CHECK(argument == &model_count);
    return (left > right) - (left < right);
}

static int compare_texts(const void *a, const void *b, void *argument)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    CHECK(argument == &model_count);
    return strcmp(x ? x : "", y ? y : "");
}

static int compare_numbers(int a, int b)
{
    const void *x = element(a), *y = element(b);
    return is_of_texts ? compare_texts(&x, &y, &model_count)
                       : compare_plays(&x, &y, &model_count);
}

static void model_sort(void)
{
    for (size_t i = 1; i < model_count; i++) {
        struct item item = model[i];
        size_t at = i;
        for (;
             at > 0 && compare_numbers(model[at - 1].element, item.element) > 0;
             at--) {
            model[at] = model[at - 1];
        }
        model[at] = item;
    }
}

static size_t below(size_t limit)
{
    return (size_t)random_below((int)limit);
}

static void run_range(struct obv_array *array)
{
    int come[12];
    size_t position = below(model_count + 1);
    size_t removed = below(model_count - position + 1), inserted = below(12);
    inserted = model_count > 20 ? 0 : inserted;
    for (size_t i = 0; i < inserted; i++) {
        bool same = i < removed && below(2);
        come[i] = same ? model[position + i].element : random_below(POOL);
    }
    CHECK_EQ(obv_array_replace_range(array, position, removed,
                                     elements_of(come, inserted), inserted),
             OBV_OK);
    model_replace(position, removed, come, inserted);
}

static void run_assign(struct obv_array *array)
{
    int come[16];
    size_t inserted = below(16);
    for (size_t i = 0; i < inserted; i++) {
        bool same = i < model_count && below(2);
        come[i] = same ? model[i].element : random_below(POOL);
    }
    CHECK_EQ(obv_array_assign(array, elements_of(come, inserted), inserted),
             OBV_OK);
    model_replace(0, model_count, come, inserted);
}

static void run_one(struct obv_array *array)
{
    int come = random_below(POOL);
    size_t position = below(model_count + 1);
    switch (random_below(position < model_count ? 4 : 2)) {
    case 0:
        CHECK_EQ(obv_array_append(array, element(come)), OBV_OK);
        model_replace(model_count, 0, &come, 1);
        break;
    case 1:
        CHECK_EQ(obv_array_insert(array, position, element(come)), OBV_OK);
        model_replace(position, 0, &come, 1);
        break;
    case 2:
        CHECK_EQ(obv_array_remove(array, position), OBV_OK);
        model_replace(position, 1, NULL, 0);
        break;
    default:
        CHECK_EQ(obv_array_replace(array, position, element(come)), OBV_OK);
        model_replace(position, 1, &come, 1);
        break;
    }
}

static void run_move(struct obv_array *array)
{
    size_t position = below(model_count + 1);
    size_t count = below(model_count - position + 1);
    size_t to = below(model_count - count + 1);
    CHECK_EQ(obv_array_move(array, position, count, to), OBV_OK);
    model_move(position, count, to);
}

static void run_order(struct obv_array *array)
{
    size_t order[ROOM];
    for (size_t i = 0; i < model_count; i++) {
        size_t at = below(i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    CHECK_EQ(obv_array_permute(array, order), OBV_OK);
    model_order(order);
}

static void run_swap(struct obv_array *array)
{
    if (model_count != 0) {
        size_t a = below(model_count), b = below(model_count);
        struct item item = model[a];
        CHECK_EQ(obv_array_swap(array, a, b), OBV_OK);
        model[a] = model[b];
        model[b] = item;
    }
}

static void run_reverse(struct obv_array *array)
{
    size_t order[ROOM];
    for (size_t i = 0; i < model_count; i++) {
        order[i] = model_count - 1 - i;
    }
    CHECK_EQ(obv_array_reverse(array), OBV_OK);
    model_order(order);
}

static void run_any(struct obv_array *array)
{
    switch (random_below(20)) {
    case 0:
        run_assign(array);
        break;
    case 1:
        CHECK_EQ(obv_array_sort(array,
                                is_of_texts ? compare_texts : compare_plays,
                                &model_count),
                 OBV_OK);
        model_sort();
        break;
    case 2:
        run_reverse(array);
        break;
    case 3:
        run_order(array);
        break;
    case 4:
        if (below(5) == 0) {
            CHECK_EQ(obv_array_clear(array), OBV_OK);
            model_replace(0, model_count, NULL, 0);
        }
        break;
    case 5:
    case 6:
    case 7:
        run_range(array);
        break;
    case 8:
    case 9:
        run_move(array);
        break;
    case 10:
    case 11:
        run_swap(array);
        break;
    default:
        run_one(array);
        break;
    }
}

/* What is told ------------------------------------------------------------- */

struct watch {
    int positions[WATCHED], count, any, deeper;
    int followed[FOLLOWED];
};

static struct watch calls;

/* What a follower followed when it began; 0: nobody. */
static int occurrences[FOLLOWED];

static void begin_following(struct obv_array *array)
{
    for (size_t i = 0; i < FOLLOWED; i++) {
        if (occurrences[i] == 0 && model_count != 0) {
            char path[24];
            size_t position = below(model_count);
            CHECK(snprintf(path, sizeof path, "%zu", position) > 0);
            observe(&array->container.object, path, &calls.followed[i]);
            occurrences[i] = model[position].occurrence;
        }
    }
}

static bool has_occurrence(int occurrence)
{
    bool found = false;
    for (size_t i = 0; i < model_count; i++) {
        found = found || model[i].occurrence == occurrence;
    }
    return found;
}

/* Beside the handlers' own calls: of one operation each is called once at
   most. */
static void check_calls(const struct item *old, size_t old_count)
{
    bool differs = old_count != model_count;
    for (size_t i = 0; !differs && i < model_count; i++) {
        differs = !are_equal(old[i].element, model[i].element);
    }
    for (size_t i = 0; i < WATCHED; i++) {
        bool was = i < old_count, is = i < model_count;
        bool moved =
            was != is || (was && !are_equal(old[i].element, model[i].element));
        CHECK_EQ(calls.positions[i], moved);
    }
    CHECK_EQ(calls.count, old_count != model_count);
    CHECK_EQ(calls.any, differs);
    for (size_t i = 0; i < FOLLOWED; i++) {
        bool left = occurrences[i] != 0 && !has_occurrence(occurrences[i]);
        CHECK_EQ(calls.followed[i], left);
        occurrences[i] = left ? 0 : occurrences[i];
    }
    memset(&calls, 0, sizeof calls);
}

static void watch(struct obv_array *array)
{
    struct obv_object *root = &array->container.object;
    observe(root, "#0", &calls.positions[0]);
    observe(root, "#1", &calls.positions[1]);
    observe(root, "#2", &calls.positions[2]);
    observe(root, "count", &calls.count);
    observe(root, "*", &calls.any);
    if (!is_of_texts) {
        observe(root, "*.plays", &calls.deeper);
        observe(root, "#1.plays", &calls.deeper);
    }
}

static void play_some_song(const struct obv_array *array)
{
    int number = 1 + random_below(POOL - 1);
    int expected = 0;
    for (size_t i = 0; i < model_count; i++) {
        expected += model[i].element == number && expected == 0;
    }
    expected += model_count > 1 && model[1].element == number;
    song_set_plays(&songs[number], song_plays(&songs[number]) == 7 ? 3 : 7);
    drain();
    CHECK_EQ(calls.deeper, is_of_texts ? 0 : expected);
    check_content(array);
    memset(&calls, 0, sizeof calls);
}

static void run_random(bool of_texts)
{
    begin();
    struct obv_array *array = make_array(of_texts);
    watch(array);
    for (size_t i = 0; i < 4000; i++) {
        struct item old[ROOM];
        size_t old_count = model_count;
        memcpy(old, model, sizeof old);
        begin_following(array);
        run_any(array);
        check_content(array);
        drain();
        check_calls(old, old_count);
        play_some_song(array);
    }
    obv_array_release(array);
    finish();
}

TEST(AR_5_random_edits_of_objects_are_told_exactly)
{
    run_random(false);
}

TEST(AR_5_random_edits_of_texts_are_told_exactly)
{
    run_random(true);
}

/* What cannot be ----------------------------------------------------------- */

static const int five[] = {1, 2, 3, 5, 6};

static void fill(struct obv_array *array)
{
    CHECK_EQ(obv_array_assign(array, elements_of(five, 5), 5), OBV_OK);
    model_count = 0;
    model_replace(0, 0, five, 5);
    drain();
    memset(&calls, 0, sizeof calls);
}

TEST(AR_8_a_failing_mutation_leaves_observers_untouched)
{
    const size_t too_far[] = {0, 1, 2, 3, 5}, twice[] = {0, 1, 1, 3, 4};
    begin();
    struct obv_array *array = make_array(false);
    fill(array);
    watch(array);
    CHECK_EQ(obv_array_insert(array, 6, &songs[1]), OBV_E_PAST_END);
    CHECK_EQ(obv_array_remove(array, 5), OBV_E_PAST_END);
    CHECK_EQ(obv_array_replace(array, 5, &songs[1]), OBV_E_PAST_END);
    CHECK_EQ(obv_array_replace_range(array, 3, 3, NULL, 0), OBV_E_PAST_END);
    CHECK_EQ(obv_array_replace_range(array, SIZE_MAX, 2, NULL, 0),
             OBV_E_PAST_END);
    CHECK_EQ(obv_array_move(array, 4, 2, 0), OBV_E_PAST_END);
    CHECK_EQ(obv_array_move(array, 0, 2, 4), OBV_E_PAST_END);
    CHECK_EQ(obv_array_move(array, 6, 0, 0), OBV_E_PAST_END);
    CHECK_EQ(obv_array_swap(array, 0, 5), OBV_E_PAST_END);
    CHECK_EQ(obv_array_permute(array, too_far), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_permute(array, twice), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_replace_range(array, 0, 0, NULL, 1), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_replace_range(array, 0, 0, five, SIZE_MAX),
             OBV_E_MEMORY);
    CHECK_EQ(obv_array_reserve(array, SIZE_MAX), OBV_E_MEMORY);
    drain();
    check_content(array);
    check_calls(model, model_count);
    obv_array_release(array);
    finish();
}

TEST(LT_an_element_that_is_at_its_end_is_refused)
{
    const int numbers[] = {1, 2, 3};
    struct song never = {.references = 1};
    begin();
    struct obv_array *array = make_array(false);
    fill(array);
    songs[2].references--; /* the array has the last */
    CHECK_EQ(obv_array_clear(array), OBV_OK);
    CHECK_EQ(songs[2].references, 0);
    model_count = 0;
    CHECK_EQ(obv_array_append(array, &songs[2]), OBV_E_ENDED);
    CHECK_EQ(obv_array_assign(array, elements_of(numbers, 3), 3), OBV_E_ENDED);
    CHECK_EQ(obv_array_append(array, &never), OBV_E_ARGUMENT);
    check_content(array);
    songs[2].references = 1;
    obv_array_release(array);
    finish();
}

TEST(null_arrays_are_answered)
{
    struct obv_class *cls;
    struct obv_array *array;
    static const struct obv_collection_kind wrong[] = {
        {.size = 1, .name = "a", .element = OBV_KIND_object},
        {.size = sizeof *wrong, .name = "a", .element = OBV_KIND_i64},
        {.size = sizeof *wrong, .element = OBV_KIND_object}};
    begin();
    array = make_array(false);
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(obv_array_class_create(context, &wrong[i], &cls, NULL),
                 OBV_E_ARGUMENT);
    }
    CHECK_EQ(obv_array_class_create(context, NULL, &cls, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_class_create(context, &kinds[0], NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_create(NULL, &array, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_create(song_class, &array, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_create(obv_object_class(&array->container.object), NULL,
                              NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_append(NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_insert(NULL, 0, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_remove(NULL, 0), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_replace(NULL, 0, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_assign(NULL, NULL, 0), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_clear(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_move(NULL, 0, 0, 0), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_swap(NULL, 0, 0), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_reverse(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_permute(NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_sort(array, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_reserve(NULL, 0), OBV_E_ARGUMENT);
    CHECK_EQ(obv_array_permute(array, NULL), OBV_OK);
    obv_array_retain(NULL);
    obv_array_release(NULL);
    obv_array_release(array);
    finish();
}

/* Failed allocations ------------------------------------------------------- */

static enum obv_status fail_append(struct obv_array *array)
{
    return obv_array_append(array, element(1));
}

static enum obv_status fail_range(struct obv_array *array)
{
    const int come[] = {1, 2, 3, 5, 6, 1};
    return obv_array_replace_range(array, 1, 2, elements_of(come, 6), 6);
}

static enum obv_status fail_assign(struct obv_array *array)
{
    const int come[] = {6, 5, 3, 2, 1, 6};
    return obv_array_assign(array, elements_of(come, 6), 6);
}

static enum obv_status fail_sort(struct obv_array *array)
{
    return obv_array_sort(array, is_of_texts ? compare_texts : compare_plays,
                          &model_count);
}

static enum obv_status fail_permute(struct obv_array *array)
{
    const size_t order[] = {4, 3, 2, 1, 0};
    return obv_array_permute(array, order);
}

static enum obv_status fail_move(struct obv_array *array)
{
    return obv_array_move(array, 0, 2, 3);
}

static enum obv_status fail_swap(struct obv_array *array)
{
    return obv_array_swap(array, 0, 4);
}

static enum obv_status fail_remove(struct obv_array *array)
{
    return obv_array_remove(array, 2);
}

/* The n-th allocation fails, for each n until none does. */
static void run_failing(enum obv_status (*operation)(struct obv_array *array),
                        bool may_fail)
{
    for (int round = 0; round < 2; round++) {
        begin();
        struct obv_array *array = make_array(round == 1);
        watch(array);
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            fill(array);
            test_fail_allocation(n, false);
            enum obv_status status = operation(array);
            failed = test_allocation_failed();
            test_fail_allocation(0, false);
            CHECK(status == OBV_OK || (may_fail && status == OBV_E_MEMORY));
            drain();
            if (status == OBV_E_MEMORY) {
                check_content(array);
                check_calls(model, model_count);
            }
        }
        obv_array_release(array);
        finish();
    }
}

TEST(FA_1_appending_without_memory_changes_nothing)
{
    run_failing(fail_append, true);
}

TEST(FA_1_replacing_without_memory_changes_nothing)
{
    run_failing(fail_range, true);
}

TEST(FA_1_assigning_without_memory_changes_nothing)
{
    run_failing(fail_assign, true);
}

TEST(FA_1_sorting_without_memory_changes_nothing)
{
    run_failing(fail_sort, true);
}

TEST(FA_1_permuting_without_memory_changes_nothing)
{
    run_failing(fail_permute, true);
}

TEST(FA_1_reversing_without_memory_changes_nothing)
{
    run_failing(obv_array_reverse, true);
}

TEST(FA_1_removing_moving_exchanging_and_clearing_need_no_memory)
{
    run_failing(fail_remove, false);
    run_failing(fail_move, false);
    run_failing(fail_swap, false);
    run_failing(obv_array_clear, false);
}

TEST(FA_1_a_class_and_an_array_without_memory_are_none)
{
    begin();
    struct obv_class *cls = NULL;
    struct obv_array *array = NULL;
    enum obv_status status = OBV_E_MEMORY;
    for (size_t n = 1; status == OBV_E_MEMORY; n++) {
        test_fail_allocation(n, false);
        status = obv_array_class_create(context, &kinds[0], &cls, NULL);
    }
    CHECK_EQ(status, OBV_OK);
    test_fail_allocation(1, false);
    CHECK_EQ(obv_array_create(cls, &array, NULL), OBV_E_MEMORY);
    test_fail_allocation(0, false);
    CHECK(array == NULL);
    finish();
}

TEST(FA_1_a_collection_of_any_type_without_memory_is_none)
{
    begin();
    struct obv_class *cls = NULL;
    struct obv_collection *array = NULL, *copy = NULL;
    CHECK_EQ(obv_array_class_create(context, &kinds[0], &cls, NULL), OBV_OK);
    CHECK_EQ(obv_collection_create(OBV_COLLECTION_SET, cls, &array, NULL),
             OBV_E_ARGUMENT);
    test_fail_allocation(1, false);
    CHECK_EQ(obv_collection_create(OBV_COLLECTION_ARRAY, cls, &array, NULL),
             OBV_E_MEMORY);
    CHECK_EQ(obv_collection_create(OBV_COLLECTION_ARRAY, cls, &array, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_assign((struct obv_array *)(void *)array,
                              elements_of(five, 2), 2),
             OBV_OK);
    enum obv_status status = OBV_E_MEMORY;
    for (size_t n = 1; status == OBV_E_MEMORY; n++) {
        CHECK(copy == NULL);
        test_fail_allocation(n, false);
        status = obv_collection_copy(array, &copy, NULL);
    }
    test_fail_allocation(0, false);
    CHECK_EQ(status, OBV_OK);
    CHECK_EQ(obv_array_count((struct obv_array *)(void *)copy), 2);
    obv_collection_release(copy);
    obv_collection_release(array);
    finish();
}

/* Handlers and ends -------------------------------------------------------- */

static struct obv_array *edited;
static int nested;

static void edit_again(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    if (nested++ == 0) {
        CHECK_EQ(obv_array_reverse(edited), OBV_OK);
        CHECK_EQ(obv_array_clear(edited), OBV_OK);
        CHECK_EQ(obv_array_assign(edited, elements_of(five, 2), 2), OBV_OK);
    }
}

static const struct obv_handler_kind editing = {.changed = edit_again};

TEST(RE_a_handler_edits_the_array_that_it_is_told_of)
{
    static const int come[] = {5, 5, 5, 5, 5, 5};
    for (size_t i = 0; i < 3; i++) {
        begin();
        edited = make_array(i == 2);
        fill(edited);
        nested = 0;
        observe_at_once(&edited->container.object, i == 1 ? "#0" : "*",
                        &editing);
        CHECK_EQ(obv_array_assign(edited, elements_of(come, 6), 6), OBV_OK);
        CHECK_EQ(obv_array_count(edited), 2);
        CHECK(is_element(obv_array_at(edited, 1), 2));
        obv_array_release(edited);
        finish();
    }
}

static void release_array(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    obv_array_release(edited);
    edited = NULL;
}

static const struct obv_handler_kind releasing = {.changed = release_array};

TEST(LT_a_handler_gives_the_last_reference_back)
{
    begin();
    edited = make_array(false);
    fill(edited);
    observe_at_once(&edited->container.object, "count", &releasing);
    CHECK_EQ(obv_array_remove(edited, 1), OBV_OK);
    CHECK(edited == NULL);
    finish();
}

/* What an edit has removed is given back when it has been told. */
static int held, let_go;
static bool hold_pointer(void *pointer)
{
    held += pointer != NULL;
    return true;
}

static void let_go_of_pointer(void *pointer)
{
    (void)pointer;
    let_go++;
    if (edited && let_go == 1) {
        CHECK_EQ(obv_array_append(edited, &let_go), OBV_OK);
    }
}

static void check_not_let_go(void *observer, struct obv_object *root,
                             const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    CHECK(let_go == 0 || nested > 0);
    nested++;
}

static const struct obv_handler_kind checking = {.changed = check_not_let_go};

TEST(LT_what_is_removed_is_let_go_once_it_has_been_told)
{
    static const struct obv_collection_kind pointers = {
        .size = sizeof pointers,
        .name = "pointers",
        .element = OBV_KIND_pointer,
        .retain = hold_pointer,
        .release = let_go_of_pointer};
    struct obv_class *cls;
    int number = 0;
    begin();
    CHECK_EQ(obv_array_class_create(context, &pointers, &cls, NULL), OBV_OK);
    CHECK_EQ(obv_array_create(cls, &edited, NULL), OBV_OK);
    CHECK_EQ(obv_array_append(edited, &number), OBV_OK);
    CHECK_EQ(obv_array_append(edited, NULL), OBV_OK);
    observe_at_once(&edited->container.object, "*", &checking);
    CHECK_EQ(obv_array_clear(edited), OBV_OK);
    CHECK_EQ(obv_array_count(edited), 1); /* it came from the release */
    CHECK_EQ(nested, 2);
    obv_array_release(edited);
    edited = NULL;
    CHECK_EQ(held, 2);
    CHECK_EQ(let_go, 2);
    finish();
}

TEST(AR_5_elements_of_the_array_itself_are_inserted)
{
    begin();
    struct obv_array *array = make_array(true);
    fill(array);
    for (size_t i = 0; i < 4; i++) {
        size_t count = obv_array_count(array);
        CHECK_EQ(obv_array_replace_range(array, 1, 0, obv_array_elements(array),
                                         count),
                 OBV_OK);
        CHECK_EQ(obv_array_count(array), 2 * count);
    }
    CHECK(is_element(obv_array_at(array, 1), five[0]));
    obv_array_release(array);
    finish();
}

TEST(AR_5_an_array_with_room_allocates_nothing)
{
    begin();
    struct obv_array *array = make_array(false);
    CHECK_EQ(obv_array_reserve(array, 100), OBV_OK);
    size_t allocations = test_allocations();
    for (size_t i = 0; i < 100; i++) {
        CHECK_EQ(obv_array_append(array, &songs[1 + i % 6]), OBV_OK);
    }
    CHECK_EQ(test_allocations(), allocations);
    obv_array_release(array);
    finish();
}

/* As a property: retained by it, compared by its elements. */
struct library {
    struct obv_object object;
    struct obv_array *list;
};

TEST(CO_1_an_array_stands_behind_a_property)
{
    static const struct obv_property properties[] = {
        OBV_FIELD_OBJECT(library, list, "songs")};
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "library",
                                                 .instance_size =
                                                     sizeof(struct library),
                                                 .properties = properties,
                                                 .property_count = 1};
    struct library library = {.list = NULL};
    struct obv_class *cls;
    struct obv_array *other;
    int first = 0, count = 0;
    begin();
    CHECK_EQ(obv_class_create(context, &table, &cls, NULL), OBV_OK);
    obv_object_init(&library.object, cls);
    struct obv_array *array = make_array(false);
    CHECK_EQ(obv_array_create(obv_object_class(&array->container.object),
                              &other, NULL),
             OBV_OK);
    fill(array);
    fill(other);
    observe(&library.object, "list.#0.plays", &first);
    observe(&library.object, "list.count", &count);
    CHECK_EQ(obv_set_object(&library.object, 0, &array->container.object),
             OBV_OK);
    obv_array_release(array);
    drain();
    CHECK(first == 1 && count == 1);
    CHECK_EQ(obv_set_object(&library.object, 0, &other->container.object),
             OBV_OK);
    drain();
    CHECK(first == 1 && count == 1);
    CHECK_EQ(obv_array_remove(other, 0), OBV_OK);
    drain();
    CHECK(first == 2 && count == 2);
    song_set_plays(&songs[2], 40);
    drain();
    CHECK_EQ(first, 3);
    CHECK_EQ(obv_object_deinit(&library.object), OBV_OK);
    obv_array_release(other);
    finish();
}

TEST(CP_3_a_copy_has_equal_elements_and_no_observations)
{
    for (int round = 0; round < 2; round++) {
        begin();
        struct obv_array *array = make_array(round == 1), *copy = NULL;
        fill(array);
        watch(array);
        enum obv_status status = OBV_E_MEMORY;
        for (size_t n = 1; status == OBV_E_MEMORY; n++) {
            size_t blocks = test_live_blocks();
            test_fail_allocation(n, false);
            status = obv_array_copy(array, &copy, NULL);
            test_fail_allocation(0, false);
            CHECK(status == OBV_OK || test_live_blocks() == blocks);
        }
        CHECK_EQ(status, OBV_OK);
        check_content(copy);
        obv_array_release(array);
        memset(&calls, 0, sizeof calls);
        CHECK_EQ(obv_array_clear(copy), OBV_OK);
        drain();
        CHECK_EQ(calls.any, 0);
        obv_array_release(copy);
        CHECK_EQ(obv_array_copy(NULL, &copy, NULL), OBV_E_ARGUMENT);
        finish();
    }
}

/* Threads ------------------------------------------------------------------ */

enum { ROUNDS = 20000, STOPPED = 50 };

static struct obv_observation *handles[STOPPED];

static void count_entries(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)root;
    *(size_t *)observer = call->record->count;
}

static const struct obv_handler_kind counting_entries = {.changed =
                                                             count_entries};

TEST(ST_6_another_object_at_the_address_of_a_dead_one_is_another)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_RECORDS};
    size_t entries = 0;
    begin();
    struct obv_array *array = make_array(false);
    const struct obv_pair pair = {&array->container.object, "*.plays"};
    CHECK_EQ(obv_array_append(array, &songs[1]), OBV_OK);
    CHECK_EQ(obv_observe_pairs(&pair, 1, &counting_entries, &entries, &options,
                               NULL, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_remove(array, 0), OBV_OK);
    CHECK_EQ(obv_object_deinit(&songs[1].object), OBV_OK);
    obv_object_init(&songs[1].object, song_class);
    CHECK_EQ(obv_array_append(array, &songs[1]), OBV_OK);
    drain();
    CHECK_EQ(entries, 2);
    obv_array_release(array);
    finish();
}

TEST(WC_3_elements_of_another_context_are_not_led_through)
{
    static const struct obv_property properties[] = {
        OBV_FIELD(song, plays, i64)};
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "stranger",
                                                 .instance_size =
                                                     sizeof(struct song),
                                                 .properties = properties,
                                                 .property_count = 1};
    struct obv_context *other;
    struct obv_class *strangers;
    struct song stranger;
    int told = 0;
    begin();
    CHECK_EQ(obv_context_create(NULL, &other), OBV_OK);
    CHECK_EQ(obv_class_create(other, &table, &strangers, NULL), OBV_OK);
    obv_object_init(&stranger.object, strangers);
    struct obv_array *array = make_array(false);
    observe(&array->container.object, "*.plays", &told);
    CHECK_EQ(obv_array_append(array, &stranger), OBV_OK);
    song_set_plays(&stranger, 1);
    drain();
    CHECK_EQ(told, 0);
    CHECK_EQ(obv_array_remove(array, 0), OBV_OK);
    CHECK_EQ(obv_object_deinit(&stranger.object), OBV_OK);
    CHECK_EQ(obv_context_destroy(other), OBV_OK);
    obv_array_release(array);
    finish();
}

static void *hold_and_stop(void *array)
{
    for (size_t i = 0; i < ROUNDS; i++) {
        obv_array_retain(array);
        obv_array_release(array);
        if (i % (ROUNDS / STOPPED) == 0) {
            obv_stop(handles[i / (ROUNDS / STOPPED)]);
        }
    }
    obv_array_release(array);
    return NULL;
}

TEST(TH_1_an_array_is_held_and_observations_stopped_while_it_is_edited)
{
    pthread_t thread;
    int count = 0;
    begin();
    struct obv_array *array = make_array(false);
    fill(array);
    for (size_t i = 0; i < STOPPED; i++) {
        CHECK_EQ(obv_observe(&array->container.object, i % 2 ? "#0" : "count",
                             &counting, &count, &handles[i], NULL),
                 OBV_OK);
    }
    obv_array_retain(array);
    CHECK_EQ(pthread_create(&thread, NULL, hold_and_stop, array), 0);
    for (size_t i = 0; i < ROUNDS; i++) {
        (model_count > 20 ? run_assign : run_one)(array);
        drain();
    }
    check_content(array);
    obv_array_release(array);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    for (size_t i = 0; i < STOPPED; i++) {
        obv_release(handles[i]);
    }
    finish();
}

/* Sorting ------------------------------------------------------------------ */

static struct obv_array *sorted;
static size_t comparisons;

/* Every edit of the array that it sorts, each refused. */
static int edit_and_compare(const void *a, const void *b, void *argument)
{
    static const size_t order[POOL] = {0, 1, 2, 3, 4};
    comparisons++;
    CHECK_EQ(obv_array_append(sorted, element(1)), OBV_E_IN_USE);
    CHECK_EQ(obv_array_remove(sorted, 0), OBV_E_IN_USE);
    CHECK_EQ(obv_array_replace(sorted, 0, element(6)), OBV_E_IN_USE);
    CHECK_EQ(obv_array_clear(sorted), OBV_E_IN_USE);
    CHECK_EQ(obv_array_move(sorted, 0, 1, 1), OBV_E_IN_USE);
    CHECK_EQ(obv_array_swap(sorted, 0, 1), OBV_E_IN_USE);
    CHECK_EQ(obv_array_reverse(sorted), OBV_E_IN_USE);
    CHECK_EQ(obv_array_permute(sorted, order), OBV_E_IN_USE);
    CHECK_EQ(obv_array_reserve(sorted, 1000), OBV_E_IN_USE);
    CHECK_EQ(obv_array_sort(sorted, edit_and_compare, NULL), OBV_E_IN_USE);
    return compare_plays(a, b, argument);
}

TEST(CP_2_an_edit_of_the_array_that_is_sorted_is_refused)
{
    static const int before[] = {6, 3, 5, 1, 2};
    begin();
    sorted = make_array(false);
    CHECK_EQ(obv_array_assign(sorted, elements_of(before, 5), 5), OBV_OK);
    CHECK_EQ(obv_array_sort(sorted, edit_and_compare, &model_count), OBV_OK);
    CHECK(comparisons >= 4);
    for (size_t i = 1; i < 5; i++) {
        const struct song *first = obv_array_at(sorted, i - 1),
                          *second = obv_array_at(sorted, i);
        CHECK(first->plays <= second->plays);
    }
    CHECK_EQ(obv_array_append(sorted, element(4)), OBV_OK);
    obv_array_release(sorted);
    finish();
}
