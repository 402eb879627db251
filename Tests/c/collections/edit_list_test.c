/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AR-9: edit lists against a naive model, which keeps the content before and the
 * content now, and numbers each element that has ever stood there.
 */
#include "collections/fixture.h"

#include <pthread.h>

/* Edits add while there are at most so many; and while one content is made of the
   other there is room for both. */
enum { MOST = 24, ROOM = 2 * (MOST + 8), ROUNDS = 4000, NAMES = 5 };

/* What stands somewhere: the element of a number, and when it came. */
struct standing {
    int number;
    uint64_t since;
    bool is_moved; /* was told as moved since the last look */
};

struct content {
    struct standing at[ROOM];
    size_t count;
};

static struct content before, now;
static uint64_t last_since;

static struct obv_array *make_array(bool with_texts)
{
    static const struct obv_collection_kind kinds[] = {
        {.size = sizeof *kinds, .name = "songs", .element = OBV_KIND_object},
        {.size = sizeof *kinds, .name = "texts", .element = OBV_KIND_string}};
    struct obv_class *cls;
    struct obv_array *array;
    is_of_texts = with_texts;
    before.count = now.count = 0;
    CHECK_EQ(obv_array_class_create(context, &kinds[with_texts], &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(cls, &array, NULL), OBV_OK);
    return array;
}

static struct obv_edit_list *make_list(struct obv_container *container)
{
    struct obv_edit_list *list;
    CHECK_EQ(obv_edit_list_create(NULL, container, &list, NULL), OBV_OK);
    return list;
}

static struct obv_dictionary *make_dictionary(void)
{
    static const struct obv_collection_kind kind = {
        .size = sizeof kind, .name = "named", .element = OBV_KIND_object};
    struct obv_class *cls;
    struct obv_dictionary *dictionary;
    is_of_texts = false;
    CHECK_EQ(obv_dictionary_class_create(context, &kind, &cls, NULL), OBV_OK);
    CHECK_EQ(obv_dictionary_create(cls, &dictionary, NULL), OBV_OK);
    return dictionary;
}

/* What the last look has handed over. */
static struct obv_edits edits;

static enum obv_status take(struct obv_edit_list *list)
{
    obv_edits_deinit(&edits);
    return obv_edit_list_take(list, &edits, NULL);
}

static void finish_edits(void)
{
    obv_edits_deinit(&edits);
    finish();
}

/* Edits of both ------------------------------------------------------------ */

static void model_replace(size_t position, size_t removed, const int *numbers,
                          size_t inserted)
{
    memmove(&now.at[position + inserted], &now.at[position + removed],
            (now.count - position - removed) * sizeof *now.at);
    for (size_t i = 0; i < inserted; i++) {
        now.at[position + i] =
            (struct standing){numbers[i], ++last_since, false};
    }
    now.count += inserted - removed;
}

static void model_permute(const size_t *order)
{
    const struct content was = now;
    for (size_t i = 0; i < was.count; i++) {
        now.at[order[i]] = was.at[i];
    }
}

static void look_from_now(void)
{
    for (size_t i = 0; i < now.count; i++) {
        now.at[i].is_moved = false;
    }
    before = now;
}

static void replace_some(struct obv_array *array)
{
    int numbers[6];
    size_t position = (size_t)random_below((int)now.count + 1);
    size_t removed = (size_t)random_below(4), inserted;
    removed = removed < now.count - position ? removed : now.count - position;
    inserted = now.count > MOST ? 0 : (size_t)random_below(4);
    for (size_t i = 0; i < inserted; i++) {
        numbers[i] = random_below(POOL);
    }
    if (obv_array_replace_range(array, position, removed,
                                elements_of(numbers, inserted),
                                inserted) == OBV_OK) {
        model_replace(position, removed, numbers, inserted);
    }
}

static void move_some(struct obv_array *array)
{
    size_t order[ROOM];
    size_t position = (size_t)random_below((int)now.count + 1);
    size_t count = (size_t)random_below((int)(now.count - position) + 1);
    size_t to = (size_t)random_below((int)(now.count - count) + 1);
    for (size_t i = 0; i < now.count; i++) {
        bool moves = i >= position && i < position + count;
        size_t without = i < position ? i : i - count;
        order[i] = moves          ? to + (i - position)
                   : without < to ? without
                                  : without + count;
    }
    if (obv_array_move(array, position, count, to) == OBV_OK) {
        for (size_t i = 0; i < count; i++) {
            now.at[position + i].is_moved = true;
        }
        model_permute(order);
    }
}

static void reorder(struct obv_array *array)
{
    size_t order[ROOM];
    for (size_t i = 0; i < now.count; i++) {
        size_t other = (size_t)random_below((int)i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    if (obv_array_permute(array, order) == OBV_OK) {
        for (size_t i = 0; i < now.count; i++) {
            now.at[i].is_moved = now.at[i].is_moved || order[i] != i;
        }
        model_permute(order);
    }
}

static void swap_two(struct obv_array *array)
{
    if (now.count != 0) {
        size_t a = (size_t)random_below((int)now.count);
        size_t b = (size_t)random_below((int)now.count);
        if (obv_array_swap(array, a, b) == OBV_OK) {
            now.at[a].is_moved = now.at[b].is_moved = true;
            const struct standing was = now.at[a];
            now.at[a] = now.at[b];
            now.at[b] = was;
        }
    }
}

static void edit_array(struct obv_array *array)
{
    switch (random_below(12)) {
    case 0:
        reorder(array);
        break;
    case 1:
        swap_two(array);
        break;
    case 2:
    case 3:
        move_some(array);
        break;
    case 4:
        if (random_below(8) == 0 && obv_array_clear(array) == OBV_OK) {
            now.count = 0;
        }
        break;
    default:
        replace_some(array);
    }
}

/* What is handed over ------------------------------------------------------ */

static size_t find(const struct content *content, uint64_t since)
{
    size_t i = 0;
    while (i < content->count && content->at[i].since != since) {
        i++;
    }
    return i < content->count ? i : OBV_NOWHERE;
}

static void check_gone(const struct obv_edit_run *run, bool *is_told)
{
    CHECK(run->gone && run->now == OBV_NOWHERE);
    for (size_t i = 0; i < run->count; i++) {
        const struct standing *was = &before.at[run->before + i];
        const struct obv_value *value = &run->gone[i];
        CHECK(run->before + i < before.count && !is_told[run->before + i]);
        is_told[run->before + i] = true;
        CHECK_EQ(find(&now, was->since), OBV_NOWHERE);
        CHECK(obv_value_is_reachable(value));
        CHECK(is_element(is_of_texts ? (const void *)value->as.string
                                     : value->as.object,
                         was->number));
    }
}

static void check_come_or_moved(const struct obv_edit_run *run, bool *is_told,
                                bool *was_told)
{
    CHECK(!run->gone);
    for (size_t i = 0; i < run->count; i++) {
        const struct standing *is = &now.at[run->now + i];
        size_t stood = find(&before, is->since);
        CHECK(run->now + i < now.count && !is_told[run->now + i]);
        is_told[run->now + i] = true;
        CHECK_EQ(stood,
                 run->before == OBV_NOWHERE ? run->before : run->before + i);
        if (stood != OBV_NOWHERE) {
            was_told[stood] = true;
        }
    }
}

/* Those that no run tells of stand in both, in one order; among the others of
   both are none that nobody has told as moved. */
static void check_stayed(const bool *was_told, const bool *is_told)
{
    size_t at = 0;
    for (size_t i = 0; i < before.count; i++) {
        size_t stands = find(&now, before.at[i].since);
        if (was_told[i]) {
            CHECK(stands == OBV_NOWHERE || now.at[stands].is_moved);
        } else {
            while (at < now.count && is_told[at]) {
                at++;
            }
            CHECK(at < now.count);
            CHECK_EQ(before.at[i].since, now.at[at].since);
            at++;
        }
    }
}

static void check_runs(const struct obv_edits *told)
{
    bool was_told[ROOM] = {false}, is_told[ROOM] = {false};
    size_t last = 0;
    bool all_gone = true;
    for (size_t i = 0; i < told->run_count; i++) {
        const struct obv_edit_run *run = &told->runs[i];
        size_t place = run->gone ? run->before : run->now;
        CHECK(run->count != 0);
        CHECK(all_gone || !run->gone);
        last = all_gone && !run->gone ? 0 : last;
        all_gone = run->gone;
        CHECK(place >= last);
        last = place + run->count;
        if (run->gone) {
            check_gone(run, was_told);
        } else {
            check_come_or_moved(run, is_told, was_told);
        }
    }
    for (size_t i = 0; i < now.count; i++) {
        CHECK(is_told[i] || find(&before, now.at[i].since) != OBV_NOWHERE);
    }
    check_stayed(was_told, is_told);
}

/* Made one after the other, each at `now`, they make the one of the other. */
static void check_splices(const struct obv_edits *told)
{
    struct content made = before;
    size_t further = 0; /* modulo 2^N */
    for (size_t i = 0; i < told->splice_count; i++) {
        const struct obv_splice *splice = &told->splices[i];
        CHECK(splice->removed != 0 || splice->inserted != 0);
        CHECK_EQ(splice->before + further, splice->now);
        CHECK(splice->now + splice->removed <= made.count);
        CHECK(splice->now + splice->inserted <= now.count);
        memmove(&made.at[splice->now + splice->inserted],
                &made.at[splice->now + splice->removed],
                (made.count - splice->now - splice->removed) * sizeof *made.at);
        for (size_t j = 0; j < splice->inserted; j++) {
            made.at[splice->now + j] = now.at[splice->now + j];
        }
        made.count += splice->inserted - splice->removed;
        further += splice->inserted - splice->removed;
    }
    CHECK_EQ(made.count, now.count);
    for (size_t i = 0; i < now.count; i++) {
        CHECK_EQ(made.at[i].since, now.at[i].since);
    }
}

static void check_edits(const struct obv_edits *told)
{
    check_splices(told);
    check_runs(told);
    CHECK_EQ(told->key_count, 0);
}

static void look(struct obv_edit_list *list)
{
    CHECK_EQ(take(list), OBV_OK);
    check_edits(&edits);
    look_from_now();
}

static void check_random_edits(bool with_texts)
{
    begin();
    struct obv_array *array = make_array(with_texts);
    struct obv_edit_list *list = make_list(&array->container);
    for (int round = 0; round < ROUNDS; round++) {
        for (int left = random_below(8); left > 0; left--) {
            edit_array(array);
        }
        look(list);
    }
    obv_edit_list_release(list);
    obv_array_release(array);
    finish_edits();
}

TEST(AR_9_what_is_handed_over_makes_the_old_content_the_new_one)
{
    check_random_edits(false);
}

TEST(AR_9_texts_that_have_gone_are_handed_over)
{
    check_random_edits(true);
}

/* Another container -------------------------------------------------------- */

/* The model's content is that of one of two arrays, or of none. */
static struct content contents[3];

static void model_turn(int from, int to)
{
    contents[from] = now;
    now = contents[to];
    for (size_t i = 0; i < now.count; i++) {
        now.at[i].since = ++last_since;
    }
}

TEST(AR_9_AR_6_a_list_that_turns_to_another_array_hands_over_both_contents)
{
    begin();
    struct obv_array *arrays[] = {make_array(false), NULL, NULL};
    CHECK_EQ(obv_array_copy(arrays[0], &arrays[1], NULL), OBV_OK);
    struct obv_edit_list *list = make_list(&arrays[0]->container);
    int at = 0;
    memset(contents, 0, sizeof contents);
    for (int round = 0; round < ROUNDS; round++) {
        for (int left = random_below(5); left > 0; left--) {
            if (random_below(6) == 0) {
                int to = random_below(3);
                CHECK_EQ(
                    obv_edit_list_turn_to(
                        list, arrays[to] ? &arrays[to]->container : NULL, NULL),
                    OBV_OK);
                if (to != at) {
                    model_turn(at, to);
                    at = to;
                }
            } else if (arrays[at]) {
                edit_array(arrays[at]);
            }
        }
        look(list);
    }
    obv_edit_list_release(list);
    obv_array_release(arrays[0]);
    obv_array_release(arrays[1]);
    finish_edits();
}

TEST(AR_9_what_stood_in_a_container_that_has_ended_is_not_known)
{
    begin();
    struct obv_array *array = make_array(false), *other;
    struct obv_error error;
    CHECK_EQ(obv_array_append(array, &songs[1]), OBV_OK);
    CHECK_EQ(obv_array_copy(array, &other, NULL), OBV_OK);
    struct obv_edit_list *list = make_list(&array->container);
    obv_array_release(array);
    CHECK_EQ(take(list), OBV_E_ENDED);
    CHECK_EQ(obv_edit_list_turn_to(list, &other->container, &error), OBV_OK);
    CHECK_EQ(take(list), OBV_E_ENDED);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(edits.run_count, 0);
    CHECK_EQ(obv_array_append(other, &songs[2]), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(edits.runs[0].now, 1);
    obv_edit_list_release(list);
    obv_array_release(other);
    finish_edits();
}

TEST(AR_9_a_list_of_no_container_yet_begins_with_nothing)
{
    begin();
    struct obv_array *array = make_array(false);
    struct obv_edit_list *list;
    CHECK_EQ(obv_array_append(array, &songs[1]), OBV_OK);
    CHECK_EQ(obv_edit_list_create(obv_object_class(&array->container.object),
                                  NULL, &list, NULL),
             OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(edits.run_count, 0);
    CHECK_EQ(obv_edit_list_turn_to(list, &array->container, NULL), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(edits.run_count, 1);
    CHECK_EQ(edits.runs[0].count, 1);
    CHECK_EQ(edits.splices[0].inserted, 1);
    obv_edit_list_release(list);
    obv_array_release(array);
    finish_edits();
}

TEST(AR_9_FA_1_a_list_turns_to_no_other_class_and_not_without_memory)
{
    begin();
    struct obv_dictionary *dictionary = make_dictionary();
    struct obv_array *array = make_array(false), *other;
    struct obv_edit_list *list = make_list(&array->container);
    struct obv_error error;
    CHECK_EQ(obv_array_copy(array, &other, NULL), OBV_OK);
    CHECK_EQ(obv_edit_list_turn_to(NULL, &other->container, &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_edit_list_turn_to(list, &dictionary->container, &error),
             OBV_E_KIND);
    test_fail_allocation(1, false);
    CHECK_EQ(obv_edit_list_turn_to(list, &other->container, &error),
             OBV_E_MEMORY);
    test_fail_allocation(0, false);
    edit_array(array);
    look(list);
    obv_edit_list_release(list);
    obv_array_release(array);
    obv_array_release(other);
    obv_dictionary_release(dictionary);
    finish_edits();
}

/* Other than by the ready-made types --------------------------------------- */

struct numbers {
    struct obv_container container;
    int64_t at[8];
    size_t count;
};

static size_t count_numbers(const struct obv_container *container)
{
    return ((const struct numbers *)(const void *)container)->count;
}

static const void *number_at(const struct obv_container *container,
                             size_t position)
{
    return &((const struct numbers *)(const void *)container)->at[position];
}

static const struct obv_container_kind numbers_kind = {
    .size = sizeof numbers_kind,
    .name = "numbers",
    .instance_size = sizeof(struct numbers),
    .element = OBV_ELEMENT(i64),
    .count = count_numbers,
    .at = number_at};

static void make_numbers(struct numbers *numbers)
{
    struct obv_class *cls;
    CHECK_EQ(obv_container_class_create(context, &numbers_kind, &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_container_init(&numbers->container, cls), OBV_OK);
}

TEST(AR_9_CO_1_edits_told_together_are_recorded_in_their_order)
{
    begin();
    struct numbers numbers = {.at = {10, 11, 12}, .count = 3};
    make_numbers(&numbers);
    struct obv_edit_list *list = make_list(&numbers.container);
    const int64_t gone = 11;
    const struct obv_container_edit told[] = {
        {.position = 0, .inserted = 2},              /* 8 9 10 11 12 */
        {.position = 3, .removed = 1, .old = &gone}, /* 8 9 10 12 */
        {.position = 0, .removed = 1},               /* 9 10 12 */
        {.position = 2, .moved = 1, .to = 0}};       /* 12 9 10 */
    memcpy(numbers.at, (int64_t[]){12, 9, 10}, 3 * sizeof *numbers.at);
    CHECK_EQ(obv_container_edited(&numbers.container, told, 4, NULL), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(edits.run_count, 3);
    CHECK_EQ(edits.runs[0].before, 1);
    CHECK_EQ(edits.runs[0].gone[0].as.i64, 11);
    bool first_moved = edits.runs[1].now == 0 && edits.runs[1].before == 2;
    CHECK(first_moved || edits.runs[2].before == 0);
    obv_edit_list_release(list);
    CHECK_EQ(obv_object_deinit(&numbers.container.object), OBV_OK);
    finish_edits();
}

TEST(AR_9_what_nobody_has_said_of_what_has_gone_is_unreachable)
{
    begin();
    struct numbers numbers = {.at = {10, 11}, .count = 2};
    make_numbers(&numbers);
    struct obv_edit_list *list = make_list(&numbers.container);
    numbers.count = 1;
    const struct obv_container_edit told = {.position = 1, .removed = 1};
    CHECK_EQ(obv_container_edited(&numbers.container, &told, 1, NULL), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(edits.run_count, 1);
    CHECK(!obv_value_is_reachable(edits.runs[0].gone));
    obv_edit_list_release(list);
    CHECK_EQ(obv_object_deinit(&numbers.container.object), OBV_OK);
    finish_edits();
}

/* Dictionaries and sets ---------------------------------------------------- */

static const char *const names[NAMES] = {"a", "b", "c", "d", "e"};

static int name_of(const void *key)
{
    int i = 0;
    while (strcmp(key, names[i]) != 0) {
        i++;
    }
    return i;
}

/* -1: there is none. */
static void check_key_edits(const struct obv_edits *told, const int *was,
                            const int *is)
{
    int left[NAMES];
    memcpy(left, was, sizeof left);
    for (size_t i = 0; i < told->key_count; i++) {
        const struct obv_key_edit *edit = &told->keys[i];
        int name = name_of(edit->key);
        CHECK_EQ(edit->was_there, was[name] != -1);
        CHECK_EQ(edit->is_there, is[name] != -1);
        CHECK(edit->was_there || edit->is_there);
        CHECK_EQ(obv_value_is_reachable(&edit->value), edit->was_there);
        if (edit->was_there) {
            CHECK(is_element(edit->value.as.object, was[name]));
        }
        CHECK(left[name] != -2);
        left[name] = -2;
    }
    for (int i = 0; i < NAMES; i++) {
        CHECK(left[i] == -2 || was[i] == is[i]);
    }
    CHECK_EQ(told->splice_count, 0);
    CHECK_EQ(told->run_count, 0);
}

TEST(AR_9_DI_2_of_each_key_there_is_what_stood_there_before)
{
    begin();
    struct obv_dictionary *dictionary = make_dictionary();
    struct obv_edit_list *list = make_list(&dictionary->container);
    int was[NAMES] = {-1, -1, -1, -1, -1}, is[NAMES] = {-1, -1, -1, -1, -1};
    for (int round = 0; round < ROUNDS; round++) {
        for (int count = random_below(6); count > 0; count--) {
            int name = random_below(NAMES), number = random_below(POOL);
            if (random_below(3) == 0) {
                (void)obv_dictionary_delete(dictionary, names[name]);
                is[name] = -1;
            } else {
                CHECK_EQ(obv_dictionary_put(dictionary, names[name],
                                            element(number)),
                         OBV_OK);
                is[name] = number;
            }
        }
        CHECK_EQ(take(list), OBV_OK);
        check_key_edits(&edits, was, is);
        memcpy(was, is, sizeof was);
    }
    obv_edit_list_release(list);
    obv_dictionary_release(dictionary);
    finish_edits();
}

TEST(AR_9_a_list_turns_from_one_dictionary_to_another)
{
    begin();
    struct obv_dictionary *one = make_dictionary(), *other;
    CHECK_EQ(obv_dictionary_copy(one, &other, NULL), OBV_OK);
    CHECK_EQ(obv_dictionary_put(one, "a", &songs[1]), OBV_OK);
    CHECK_EQ(obv_dictionary_put(one, "b", &songs[2]), OBV_OK);
    CHECK_EQ(obv_dictionary_put(other, "b", &songs[3]), OBV_OK);
    CHECK_EQ(obv_dictionary_put(other, "c", &songs[4]), OBV_OK);
    struct obv_edit_list *list = make_list(&one->container);
    CHECK_EQ(obv_edit_list_turn_to(list, &other->container, NULL), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    check_key_edits(&edits, (const int[]){1, 2, -1, -1, -1},
                    (const int[]){-1, 3, 4, -1, -1});
    obv_edit_list_release(list);
    obv_dictionary_release(one);
    obv_dictionary_release(other);
    finish_edits();
}

static struct obv_set *make_set(bool with_texts)
{
    static const struct obv_collection_kind kinds[] = {
        {.size = sizeof *kinds, .name = "song set", .element = OBV_KIND_object},
        {.size = sizeof *kinds, .name = "tags", .element = OBV_KIND_string}};
    struct obv_class *cls;
    struct obv_set *set;
    is_of_texts = with_texts;
    CHECK_EQ(obv_set_class_create(context, &kinds[with_texts], &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_set_create(cls, &set, NULL), OBV_OK);
    return set;
}

static void check_member_edits(const struct obv_edits *told, const bool *was,
                               const bool *is)
{
    size_t differ = 0;
    for (int i = 1; i < POOL; i++) {
        differ += was[i] != is[i];
    }
    CHECK_EQ(told->key_count, differ);
    for (size_t i = 0; i < told->key_count; i++) {
        const struct obv_key_edit *edit = &told->keys[i];
        const void *member = is_of_texts ? (const void *)edit->value.as.string
                                         : edit->value.as.object;
        int number = 1;
        while (!is_element(member, number)) {
            number++;
        }
        CHECK(!edit->key);
        CHECK_EQ(edit->was_there, was[number]);
        CHECK_EQ(edit->is_there, is[number]);
    }
}

static void check_random_set(bool with_texts)
{
    begin();
    struct obv_set *set = make_set(with_texts);
    struct obv_edit_list *list = make_list(&set->container);
    bool was[POOL] = {false}, is[POOL] = {false};
    for (int round = 0; round < ROUNDS; round++) {
        for (int count = random_below(6); count > 0; count--) {
            int number = 1 + random_below(POOL - 1);
            number = with_texts && number == 4 ? 3 : number; /* equal ones */
            if (is[number]) {
                CHECK_EQ(obv_set_discard(set, element(number)), OBV_OK);
            } else {
                CHECK_EQ(obv_set_add(set, element(number)), OBV_OK);
            }
            is[number] = !is[number];
        }
        CHECK_EQ(take(list), OBV_OK);
        check_member_edits(&edits, was, is);
        memcpy(was, is, sizeof was);
    }
    obv_edit_list_release(list);
    obv_set_release(set);
    finish_edits();
}

TEST(AR_9_SE_2_members_that_have_entered_or_left_are_handed_over)
{
    check_random_set(false);
    check_random_set(true);
}

/* Ends --------------------------------------------------------------------- */

TEST(AR_9_two_lists_of_one_container_know_nothing_of_each_other)
{
    begin();
    struct obv_array *array = make_array(false);
    struct obv_edit_list *often = make_list(&array->container);
    struct obv_edit_list *rarely = make_list(&array->container);
    for (int i = 0; i < 40; i++) {
        edit_array(array);
        CHECK_EQ(take(often), OBV_OK);
    }
    look(rarely);
    obv_edit_list_release(rarely);
    edit_array(array);
    obv_edit_list_release(often);
    obv_array_release(array);
    finish_edits();
}

static void *release_list(void *list)
{
    obv_edit_list_release(list);
    return NULL;
}

TEST(AR_9_what_was_handed_over_outlives_its_list_and_its_container)
{
    begin();
    struct obv_array *array = make_array(false);
    struct obv_edit_list *list = make_list(&array->container);
    CHECK_EQ(obv_array_append(array, &songs[1]), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(obv_array_clear(array), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    obv_edit_list_release(list);
    obv_array_release(array);
    CHECK(edits.runs[0].gone[0].as.object == &songs[1].object);
    CHECK_EQ(songs[1].references, 2);
    obv_edits_deinit(&edits);
    CHECK_EQ(songs[1].references, 1);
    obv_edits_deinit(&edits);
    obv_edits_deinit(NULL);
    finish_edits();
}

TEST(AR_9_TH_1_a_list_is_given_back_on_any_thread)
{
    begin();
    struct obv_array *array = make_array(false);
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        struct obv_edit_list *list = make_list(&array->container);
        edit_array(array);
        CHECK_EQ(pthread_create(&thread, NULL, release_list, list), 0);
        edit_array(array);
        edit_array(array);
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
    obv_array_release(array);
    finish_edits();
}

TEST(AR_9_a_list_that_was_given_back_goes_with_the_next_edit)
{
    begin();
    struct obv_array *array = make_array(false);
    struct obv_edit_list *list = make_list(&array->container);
    CHECK_EQ(obv_array_append(array, &songs[1]), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(obv_array_clear(array), OBV_OK);
    obv_edit_list_release(list);
    CHECK_EQ(songs[1].references, 2); /* it is kept still */
    CHECK_EQ(obv_array_append(array, NULL), OBV_OK);
    CHECK_EQ(songs[1].references, 1);
    obv_array_release(array);
    finish_edits();
}

TEST(AR_9_of_a_container_that_has_ended_nothing_is_handed_over)
{
    begin();
    struct obv_array *array = make_array(false);
    struct obv_edit_list *list = make_list(&array->container);
    CHECK_EQ(obv_array_append(array, &songs[1]), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(obv_array_clear(array), OBV_OK);
    obv_array_release(array);
    CHECK_EQ(take(list), OBV_E_ENDED);
    CHECK_EQ(edits.run_count, 0);
    obv_edit_list_release(list);
    finish_edits();
}

TEST(AR_9_FA_1_bad_arguments_make_no_list)
{
    begin();
    struct obv_array *array = make_array(false);
    struct obv_edit_list *list = NULL;
    struct obv_error error;
    CHECK_EQ(obv_edit_list_create(NULL, NULL, &list, &error), OBV_E_ARGUMENT);
    CHECK_EQ(obv_edit_list_create(NULL, &array->container, NULL, &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_edit_list_create(NULL,
                                  (struct obv_container *)(void *)&songs[1],
                                  &list, &error),
             OBV_E_ARGUMENT);
    CHECK_TEXT(error.message, "this is no container that is edited");
    CHECK_EQ(obv_edit_list_create(song_class, NULL, &list, &error),
             OBV_E_ARGUMENT);
    struct obv_dictionary *dictionary = make_dictionary();
    CHECK_EQ(obv_edit_list_create(obv_object_class(&array->container.object),
                                  &dictionary->container, &list, &error),
             OBV_E_KIND);
    obv_dictionary_release(dictionary);
    CHECK_EQ(obv_edit_list_take(NULL, &edits, &error), OBV_E_ARGUMENT);
    CHECK_EQ(edits.run_count, 0);
    CHECK(!list);
    list = make_list(&array->container);
    CHECK_EQ(obv_edit_list_take(list, NULL, &error), OBV_E_ARGUMENT);
    obv_edit_list_release(NULL);
    obv_edit_list_release(list);
    obv_array_release(array);
    finish_edits();
}

/* At the edges ------------------------------------------------------------- */

TEST(AR_9_of_no_container_after_one_that_has_ended_a_list_goes_on)
{
    begin();
    struct obv_array *array = make_array(false);
    struct obv_edit_list *list = make_list(&array->container);
    obv_array_release(array);
    CHECK_EQ(obv_edit_list_turn_to(list, NULL, NULL), OBV_OK);
    CHECK_EQ(take(list), OBV_E_ENDED);
    CHECK_EQ(take(list), OBV_OK);
    obv_edit_list_release(list);
    finish_edits();
}

TEST(AR_9_CO_2_a_list_takes_no_container_with_an_edit_untold)
{
    begin();
    struct numbers numbers = {.at = {10, 11}, .count = 2};
    struct obv_edit_list *list;
    struct obv_error error;
    make_numbers(&numbers);
    CHECK_EQ(obv_edit_list_create(obv_object_class(&numbers.container.object),
                                  NULL, &list, NULL),
             OBV_OK);
    numbers.count = 1;
    CHECK_EQ(obv_edit_list_turn_to(list, &numbers.container, &error),
             OBV_E_ARGUMENT);
    CHECK_TEXT(error.message, "an edit of the container has not been told");
    const struct obv_container_edit told = {.position = 1, .removed = 1};
    CHECK_EQ(obv_container_edited(&numbers.container, &told, 1, NULL), OBV_OK);
    CHECK_EQ(obv_edit_list_turn_to(list, &numbers.container, NULL), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(edits.splices[0].inserted, 1);
    numbers.count = 2;
    CHECK_EQ(obv_edit_list_turn_to(list, NULL, NULL), OBV_E_ARGUMENT);
    obv_edit_list_release(list);
    CHECK_EQ(obv_object_deinit(&numbers.container.object), OBV_OK);
    finish_edits();
}

TEST(AR_9_an_edit_of_nothing_at_a_key_is_none)
{
    begin();
    struct obv_dictionary *dictionary = make_dictionary();
    CHECK_EQ(obv_dictionary_put(dictionary, "a", &songs[1]), OBV_OK);
    struct obv_edit_list *list = make_list(&dictionary->container);
    const struct obv_container_edit nothing = {.key = "a"};
    CHECK_EQ(obv_container_edited(&dictionary->container, &nothing, 1, NULL),
             OBV_OK);
    CHECK_EQ(obv_dictionary_delete(dictionary, "a"), OBV_OK);
    CHECK_EQ(take(list), OBV_OK);
    CHECK_EQ(edits.key_count, 1);
    CHECK(edits.keys[0].was_there && !edits.keys[0].is_there);
    obv_edit_list_release(list);
    obv_dictionary_release(dictionary);
    finish_edits();
}

TEST(AR_9_lists_that_were_given_back_do_not_pile_up)
{
    begin();
    struct obv_array *array = make_array(false);
    obv_edit_list_release(make_list(&array->container));
    size_t blocks = test_live_blocks();
    for (int i = 0; i < 100; i++) {
        obv_edit_list_release(make_list(&array->container));
    }
    CHECK_EQ(test_live_blocks(), blocks);
    obv_array_release(array);
    finish_edits();
}

TEST(AR_9_a_list_is_of_the_containers_of_one_class)
{
    begin();
    struct obv_context *other_context;
    struct obv_class *cls;
    struct numbers numbers = {.count = 0}, others = {.count = 0};
    make_numbers(&numbers);
    CHECK_EQ(obv_context_create(NULL, &other_context), OBV_OK);
    CHECK_EQ(
        obv_container_class_create(other_context, &numbers_kind, &cls, NULL),
        OBV_OK);
    CHECK_EQ(obv_container_init(&others.container, cls), OBV_OK);
    struct obv_edit_list *list = make_list(&numbers.container);
    CHECK_EQ(obv_edit_list_turn_to(list, &others.container, NULL), OBV_E_KIND);
    obv_edit_list_release(list);
    CHECK_EQ(obv_object_deinit(&numbers.container.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&others.container.object), OBV_OK);
    CHECK_EQ(obv_context_destroy(other_context), OBV_OK);
    finish_edits();
}

/* Memory ------------------------------------------------------------------- */

/* A list whose memory is short anywhere says so at the look, and goes on. */
static void check_short_memory(bool with_texts, bool all)
{
    begin();
    struct obv_array *array = make_array(with_texts);
    struct obv_edit_list *list = make_list(&array->container);
    bool has_been_short = false;
    for (size_t nth = 1; nth <= 600; nth++) {
        test_fail_allocation(1 + nth % 60, all);
        for (int i = 0; i < 6; i++) {
            edit_array(array);
        }
        enum obv_status status = take(list);
        test_fail_allocation(0, false);
        if (status == OBV_OK) {
            check_edits(&edits);
        } else {
            CHECK_EQ(status, OBV_E_MEMORY);
            CHECK_EQ(edits.run_count, 0);
            has_been_short = true;
        }
        look_from_now();
    }
    CHECK(has_been_short);
    look(list);
    obv_edit_list_release(list);
    obv_array_release(array);
    finish_edits();
}

TEST(AR_9_FA_1_a_list_whose_memory_was_short_says_so)
{
    check_short_memory(false, false);
    check_short_memory(true, false);
    check_short_memory(true, true);
}

TEST(AR_9_FA_1_keys_whose_memory_was_short_are_told_of_as_such)
{
    begin();
    struct obv_dictionary *dictionary = make_dictionary();
    struct obv_edit_list *list = make_list(&dictionary->container);
    int refused = 0;
    for (size_t nth = 1; nth <= 40; nth++) {
        int number = 1 + (int)nth % 6;
        test_fail_allocation(nth, false);
        enum obv_status put =
            obv_dictionary_put(dictionary, "a", element(number));
        enum obv_status status = take(list);
        test_fail_allocation(0, false);
        if (status == OBV_OK) {
            CHECK_EQ(edits.key_count, put == OBV_OK);
        } else {
            CHECK_EQ(status, OBV_E_MEMORY);
            refused++;
        }
        (void)obv_dictionary_delete(dictionary, "a");
        CHECK_EQ(take(list), OBV_OK);
    }
    CHECK(refused > 1);
    obv_edit_list_release(list);
    obv_dictionary_release(dictionary);
    finish_edits();
}

TEST(AR_9_FA_1_a_list_that_there_is_no_memory_for_is_none)
{
    begin();
    struct obv_array *array = make_array(false);
    struct obv_edit_list *list = NULL;
    struct obv_error error;
    for (int refused = 0; refused < 3; refused++) {
        /* What is kept of the container, the list, its first piece; the first
           of them stays. */
        test_fail_allocation(refused == 0 ? 1 : (size_t)refused, false);
        enum obv_status status =
            obv_edit_list_create(NULL, &array->container, &list, &error);
        test_fail_allocation(0, false);
        CHECK_EQ(status, OBV_E_MEMORY);
        CHECK(!list);
    }
    obv_array_release(array);
    finish_edits();
}
