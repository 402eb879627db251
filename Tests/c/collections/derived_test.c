/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived arrays: after each random edit of the source all of them against what
 * a plain filter, map and sort of it would give, with a copy beside each that
 * is kept by the edits which are told; and then what no random edit does.
 */
#include "collections/fixture.h"

#include <pthread.h>
#include <stdlib.h>

static const struct obv_collection_kind song_arrays = {
    .size = sizeof song_arrays, .name = "songs", .element = OBV_KIND_object};
static const struct obv_collection_kind text_arrays = {
    .size = sizeof text_arrays, .name = "texts", .element = OBV_KIND_string};
static const struct obv_collection_kind number_arrays = {
    .size = sizeof number_arrays,
    .name = "numbers",
    .element = OBV_KIND_pointer};

static struct obv_class *class_of_songs, *class_of_texts, *class_of_numbers;
static struct obv_array *source;

static void make_classes(void)
{
    CHECK_EQ(
        obv_array_class_create(context, &song_arrays, &class_of_songs, NULL),
        OBV_OK);
    CHECK_EQ(
        obv_array_class_create(context, &text_arrays, &class_of_texts, NULL),
        OBV_OK);
    CHECK_EQ(obv_array_class_create(context, &number_arrays, &class_of_numbers,
                                    NULL),
             OBV_OK);
}

static struct obv_array *make_array(struct obv_class *cls)
{
    struct obv_array *array;
    CHECK_EQ(obv_array_create(cls, &array, NULL), OBV_OK);
    is_of_texts = cls == class_of_texts;
    return array;
}

static void begin_songs(void)
{
    begin();
    make_classes();
    source = make_array(class_of_songs);
}

static size_t below(size_t limit)
{
    return (size_t)random_below((int)limit);
}

/* Functions of kinds ------------------------------------------------------- */

static int64_t plays_at(const void *element)
{
    const struct song *song = *(struct song *const *)element;
    return song ? song->plays : -1;
}

static const char *text_at(const void *element)
{
    const char *text = *(const char *const *)element;
    return text ? text : "";
}

static size_t asked;

static bool is_odd(const void *element, void *argument)
{
    (void)argument;
    asked++;
    return plays_at(element) % 2 != 0;
}

static bool is_played(const void *element, void *argument)
{
    (void)argument;
    return plays_at(element) > 1;
}

static int by_plays(const void *a, const void *b, void *argument)
{
    (void)argument;
    return (plays_at(a) > plays_at(b)) - (plays_at(a) < plays_at(b));
}

static int by_text(const void *a, const void *b, void *argument)
{
    (void)argument;
    return strcmp(text_at(a), text_at(b));
}

static bool has_e(const void *element, void *argument)
{
    (void)argument;
    return strchr(text_at(element), 'e') != NULL;
}

static int texts_out; /* written, and not given back */

/* None of what was never played. */
static bool write_plays(const void *element, void **mapped, void *argument)
{
    char *text;
    (void)argument;
    if (plays_at(element) == 0) {
        return false;
    }
    text = malloc(24);
    CHECK(text && snprintf(text, 24, "%lld", (long long)plays_at(element)) > 0);
    *mapped = text;
    texts_out++;
    return true;
}

static void free_text(void *mapped, void *argument)
{
    (void)argument;
    free(mapped);
    texts_out--;
}

static bool number_of_plays(const void *element, void **mapped, void *argument)
{
    (void)argument;
    *mapped = (void *)(uintptr_t)(plays_at(element) + 1);
    return true;
}

static bool write_pair(const void *key, const void *element, void **mapped,
                       void *argument)
{
    char *text = malloc(24);
    (void)argument;
    CHECK(text && snprintf(text, 24, "%s%lld", (const char *)key,
                           (long long)plays_at(element)) > 0);
    *mapped = text;
    texts_out++;
    return true;
}

static const char *const plays_path[] = {"plays"};

#define DERIVED_KIND .size = sizeof(struct obv_derived_kind)
#define WHEN_PLAYED  .paths = plays_path, .path_count = 1

static const struct obv_derived_kind odd = {DERIVED_KIND, .includes = is_odd,
                                            WHEN_PLAYED};
static const struct obv_derived_kind sorted = {
    DERIVED_KIND, .compare = by_plays, WHEN_PLAYED};
static const struct obv_derived_kind odd_sorted = {
    DERIVED_KIND, .includes = is_odd, .compare = by_plays, WHEN_PLAYED};
static const struct obv_derived_kind written = {
    DERIVED_KIND, .map = write_plays, .give_back = free_text, WHEN_PLAYED};
static const struct obv_derived_kind played_written_sorted = {
    DERIVED_KIND,           .includes = is_played, .map = write_plays,
    .give_back = free_text, .compare = by_text,    WHEN_PLAYED};
static const struct obv_derived_kind with_keys = {
    DERIVED_KIND, .map_pair = write_pair, .give_back = free_text, WHEN_PLAYED};
static const struct obv_derived_kind numbered = {
    DERIVED_KIND, .map = number_of_plays, WHEN_PLAYED};
static const struct obv_derived_kind played = {
    DERIVED_KIND, .includes = is_played, WHEN_PLAYED};
static const struct obv_derived_kind all_of_it = {DERIVED_KIND};
static const struct obv_derived_kind texts_with_e = {DERIVED_KIND,
                                                     .includes = has_e};
static const struct obv_derived_kind texts_sorted = {DERIVED_KIND,
                                                     .compare = by_text};

static struct obv_array *derive(struct obv_array *from,
                                const struct obv_derived_kind *kind,
                                struct obv_class *cls)
{
    struct obv_array *array;
    CHECK_EQ(
        obv_derived_create(&from->container, kind, NULL, cls, &array, NULL),
        OBV_OK);
    return array;
}

/* Views: a derived array, and what is known of it -------------------------- */

enum { MOST = 48, ROOM = 4 * MOST, VIEWS = 9 };

struct view {
    struct obv_array *from, *array;
    const struct obv_derived_kind *kind;
    /* Kept by the edits that are told: the elements, as texts or as they are.
       */
    const void *copy[ROOM];
    size_t copy_count;
    int calls;
    struct obv_edit_list *list;
    const void *listed[ROOM]; /* the content at the last look */
    size_t listed_count;
};

static struct view views[VIEWS];
static size_t view_count;

static bool is_text_view(const struct view *view)
{
    return obv_object_class(&view->array->container.object) == class_of_texts;
}

/* The same element: texts are compared. */
static bool are_same(const struct view *view, const void *a, const void *b)
{
    return a == b || (is_text_view(view) && a && b && strcmp(a, b) == 0);
}

/* A text that stays: there are few. */
static const void *kept(const struct view *view, const void *element)
{
    static char known[64][24];
    size_t i = 0;
    if (!is_text_view(view) || !element) {
        return element;
    }
    while (known[i][0] && strcmp(known[i], element) != 0) {
        i++;
        CHECK(i < 64);
    }
    memcpy(known[i], element, strlen(element) + 1);
    return known[i];
}

static void replace_copy(struct view *view,
                         const struct obv_container_edit *edit)
{
    const void **at = &view->copy[edit->position];
    CHECK(edit->position + edit->removed <= view->copy_count);
    for (size_t i = 0; i < edit->removed; i++) {
        CHECK(edit->old &&
              are_same(view, at[i], ((void *const *)edit->old)[i]));
    }
    memmove(at + edit->inserted, at + edit->removed,
            (view->copy_count - edit->position - edit->removed) * sizeof *at);
    for (size_t i = 0; i < edit->inserted; i++) {
        at[i] = kept(view, obv_array_at(view->array, edit->position + i));
    }
    view->copy_count += edit->inserted - edit->removed;
}

static void move_copy(struct view *view, const struct obv_container_edit *edit)
{
    const void *was[ROOM];
    CHECK(edit->position + edit->moved <= view->copy_count);
    memcpy(was, view->copy, sizeof was);
    if (edit->order) {
        bool differs = false;
        for (size_t i = 0; i < edit->moved; i++) {
            view->copy[edit->position + edit->order[i]] =
                was[edit->position + i];
            differs = differs || edit->order[i] != i;
        }
        CHECK(differs);
    } else {
        size_t at = 0;
        CHECK(edit->to != edit->position);
        for (size_t i = 0; i < view->copy_count; i++) {
            bool moves =
                i >= edit->position && i < edit->position + edit->moved;
            size_t to = moves           ? edit->to + i - edit->position
                        : at < edit->to ? at
                                        : at + edit->moved;
            view->copy[to] = was[i];
            at += !moves;
        }
    }
}

static struct view *view_of(const struct obv_object *object)
{
    size_t i = 0;
    while (&views[i].array->container.object != object) {
        i++;
    }
    return &views[i];
}

/* Insertions are read where they stay, so those before a move or a removal
   would be wrong. */
static void follow_told(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct view *view = view_of(root);
    size_t count;
    const struct obv_container_edit *edits =
        obv_container_edits(&view->array->container, &count);
    (void)observer;
    (void)call;
    view->calls++;
    CHECK(count != 0);
    for (size_t i = 0; i < count; i++) {
        if (edits[i].moved != 0) {
            move_copy(view, &edits[i]);
        } else {
            replace_copy(view, &edits[i]);
        }
    }
}

static void check_equal_content(const struct view *view,
                                const void *const *copy, size_t count)
{
    CHECK_EQ(count, obv_array_count(view->array));
    for (size_t i = 0; i < count; i++) {
        CHECK(are_same(view, copy[i], obv_array_at(view->array, i)));
    }
}

/* What the edit list says, made from the first splice to the last. */
static void check_listed(struct view *view)
{
    struct obv_edits edits;
    CHECK_EQ(obv_edit_list_take(view->list, &edits, NULL), OBV_OK);
    for (size_t i = 0; i < edits.splice_count; i++) {
        const struct obv_splice *splice = &edits.splices[i];
        const void **at = &view->listed[splice->now];
        memmove(at + splice->inserted, at + splice->removed,
                (view->listed_count - splice->now - splice->removed) *
                    sizeof *at);
        for (size_t j = 0; j < splice->inserted; j++) {
            at[j] = kept(view, obv_array_at(view->array, splice->now + j));
        }
        view->listed_count += splice->inserted - splice->removed;
    }
    obv_edits_deinit(&edits);
    check_equal_content(view, view->listed, view->listed_count);
}

static struct obv_array *add_view(struct obv_array *from,
                                  const struct obv_derived_kind *kind,
                                  struct obv_class *cls)
{
    static const struct obv_handler_kind following = {.changed = follow_told};
    struct view *view = &views[view_count++];
    const struct obv_observe_options options = {
        .size = sizeof options,
        .flags = OBV_IMMEDIATE,
        .compare = OBV_COMPARE_ALWAYS_DIFFERENT};
    *view = (struct view){.from = from, .kind = kind};
    view->array = derive(from, kind, cls);
    const struct obv_pair pair = {&view->array->container.object, "*"};
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &following, NULL, &options, NULL, NULL),
        OBV_OK);
    CHECK_EQ(
        obv_edit_list_create(NULL, &view->array->container, &view->list, NULL),
        OBV_OK);
    for (size_t i = 0; i < obv_array_count(view->array); i++) {
        view->copy[view->copy_count++] = view->listed[view->listed_count++] =
            kept(view, obv_array_at(view->array, i));
    }
    return view->array;
}

static void end_views(void)
{
    CHECK_EQ(texts_out, 0);
    while (view_count != 0) {
        struct view *view = &views[--view_count];
        obv_edit_list_release(view->list);
        obv_array_release(view->array);
    }
}

/* What a plain filter and map gives, in the order of the source. */
static size_t expect(const struct view *view, const void **expected)
{
    const struct obv_derived_kind *kind = view->kind;
    size_t count = 0;
    for (size_t i = 0; i < obv_array_count(view->from); i++) {
        const void *element = obv_array_at(view->from, i);
        void *mapped = NULL;
        if (kind->includes && !kind->includes(&element, NULL)) {
            continue;
        }
        if (kind->map && !kind->map(&element, &mapped, NULL)) {
            continue;
        }
        expected[count++] = kept(view, kind->map ? mapped : element);
        if (kind->give_back) {
            kind->give_back(mapped, NULL);
        }
    }
    return count;
}

static size_t occurrences_in(const struct view *view, const void *const *all,
                             size_t count, const void *element)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += are_same(view, all[i], element);
    }
    return found;
}

/* Of a sorted one: the same elements, and none is out of order. */
static void check_sorted(const struct view *view, const void *const *expected,
                         size_t count)
{
    const struct obv_array *array = view->array;
    for (size_t i = 0; i < count; i++) {
        const void *element = obv_array_at(array, i);
        CHECK_EQ(occurrences_in(view, expected, count, element),
                 occurrences_in(view, (const void *const *)array->elements,
                                count, element));
        CHECK(i == 0 || view->kind->compare(&array->elements[i - 1],
                                            &array->elements[i], NULL) <= 0);
    }
}

static void check_view(struct view *view)
{
    const void *expected[ROOM];
    size_t count = expect(view, expected);
    CHECK_EQ(obv_derived_status(&view->array->container), OBV_OK);
    CHECK_EQ(obv_array_count(view->array), count);
    if (view->kind->compare) {
        check_sorted(view, expected, count);
    } else {
        check_equal_content(view, expected, count);
    }
    check_equal_content(view, view->copy, view->copy_count);
    if (view->list && below(3) == 0) {
        check_listed(view);
    }
}

/* Each edit of the source has been one at most. */
static void check_views(bool is_one_edit)
{
    for (size_t i = 0; i < view_count; i++) {
        check_view(&views[i]);
        CHECK(!is_one_edit || views[i].calls <= 1);
        views[i].calls = 0;
    }
}

/* Edits -------------------------------------------------------------------- */

static void edit_range(struct obv_array *array)
{
    int come[12];
    size_t before = obv_array_count(array);
    size_t position = below(before + 1);
    size_t removed = below(before - position + 1);
    size_t inserted = before > MOST ? 0 : below(12);
    removed = removed < 8 || below(4) == 0 ? removed : below(4);
    for (size_t i = 0; i < inserted; i++) {
        come[i] = random_below(POOL);
    }
    CHECK_EQ(obv_array_replace_range(array, position, removed,
                                     elements_of(come, inserted), inserted),
             OBV_OK);
}

static void edit_one(struct obv_array *array)
{
    const void *come = element(random_below(POOL));
    size_t position = below(obv_array_count(array) + 1);
    bool is_there = position < obv_array_count(array);
    switch (below(is_there ? 5 : 2)) {
    case 0:
        CHECK_EQ(obv_array_append(array, come), OBV_OK);
        break;
    case 1:
        CHECK_EQ(obv_array_insert(array, position, come), OBV_OK);
        break;
    case 2:
        CHECK_EQ(obv_array_remove(array, position), OBV_OK);
        break;
    case 3:
        come = obv_array_at(array, position);
        CHECK_EQ(obv_array_replace(array, position, come), OBV_OK);
        break;
    default:
        CHECK_EQ(obv_array_replace(array, position, come), OBV_OK);
        break;
    }
}

static void edit_places(struct obv_array *array)
{
    size_t all = obv_array_count(array), order[ROOM];
    size_t position = below(all + 1), count = below(all - position + 1);
    if (below(2) == 0) {
        CHECK_EQ(obv_array_move(array, position, count, below(all - count + 1)),
                 OBV_OK);
    } else if (all != 0 && below(2) == 0) {
        CHECK_EQ(obv_array_swap(array, below(all), below(all)), OBV_OK);
    } else {
        for (size_t i = 0; i < all; i++) {
            size_t at = below(i + 1);
            order[i] = order[at];
            order[at] = i;
        }
        CHECK_EQ(obv_array_permute(array, order), OBV_OK);
    }
}

static void edit_all(struct obv_array *array)
{
    int come[16];
    size_t inserted = below(16);
    for (size_t i = 0; i < inserted; i++) {
        come[i] = random_below(POOL);
    }
    switch (below(8)) {
    case 0:
        CHECK_EQ(obv_array_clear(array), OBV_OK);
        break;
    case 1:
    case 2:
        CHECK_EQ(obv_array_sort(array, is_of_texts ? by_text : by_plays, NULL),
                 OBV_OK);
        break;
    case 3:
    case 4:
        CHECK_EQ(obv_array_reverse(array), OBV_OK);
        break;
    default:
        CHECK_EQ(obv_array_assign(array, elements_of(come, inserted), inserted),
                 OBV_OK);
        break;
    }
}

static void edit_somehow(struct obv_array *array)
{
    switch (below(12)) {
    case 0:
        edit_all(array);
        break;
    case 1:
    case 2:
    case 3:
        edit_places(array);
        break;
    case 4:
    case 5:
    case 6:
        edit_range(array);
        break;
    default:
        edit_one(array);
        break;
    }
}

static void play_some_song(void)
{
    song_set_plays(&songs[1 + below(POOL - 1)], random_below(6));
}

TEST(AR_10_arrays_of_objects_follow_random_edits)
{
    begin_songs();
    for (size_t i = 0; i < 6; i++) {
        edit_range(source);
    }
    struct obv_array *in_order = add_view(source, &sorted, NULL);
    struct obv_array *both = add_view(source, &odd_sorted, NULL);
    add_view(source, &odd, class_of_songs);
    add_view(source, &written, class_of_texts);
    add_view(source, &played_written_sorted, class_of_texts);
    add_view(source, &all_of_it, NULL);
    add_view(in_order, &played, NULL);
    add_view(both, &numbered, class_of_numbers);
    for (size_t i = 0; i < 6000; i++) {
        bool is_edit = below(3) != 0;
        if (is_edit) {
            edit_somehow(source);
        } else {
            play_some_song();
        }
        /* Of one object in two ways, what is behind the other is told twice. */
        check_views(is_edit);
        if (i % 64 == 0) {
            CHECK_EQ(
                obv_derived_refresh(&views[below(view_count)].array->container),
                OBV_OK);
            check_views(false);
        }
    }
    end_views();
    obv_array_release(source);
    finish();
}

TEST(AR_10_arrays_of_texts_follow_random_edits)
{
    begin();
    make_classes();
    source = make_array(class_of_texts);
    add_view(source, &texts_with_e, NULL);
    add_view(add_view(source, &texts_sorted, NULL), &texts_with_e, NULL);
    add_view(source, &all_of_it, NULL);
    for (size_t i = 0; i < 4000; i++) {
        edit_somehow(source);
        check_views(true);
        if (i % 64 == 0) {
            CHECK_EQ(
                obv_derived_refresh(&views[below(view_count)].array->container),
                OBV_OK);
            check_views(true);
        }
    }
    end_views();
    obv_array_release(source);
    finish();
}

/* Who follows an element --------------------------------------------------- */

enum { FOLLOWERS = 6 };

struct follower {
    struct view *view;
    const void *element; /* NULL: it follows none */
    int calls;
};

static struct follower followers[FOLLOWERS];

static bool is_shown(const struct view *view, const void *element)
{
    return occurrences_in(view, (const void *const *)view->array->elements,
                          obv_array_count(view->array), element) != 0;
}

static void follow_somebody(struct follower *follower)
{
    struct view *view = &views[below(view_count)];
    size_t count = obv_array_count(view->array);
    if (!follower->element && count != 0) {
        char path[24];
        size_t position = below(count);
        *follower =
            (struct follower){view, obv_array_at(view->array, position), 0};
        CHECK(snprintf(path, sizeof path, "%zu", position) > 0);
        observe(&view->array->container.object, path, &follower->calls);
    }
}

static void check_followers(void)
{
    for (size_t i = 0; i < FOLLOWERS; i++) {
        struct follower *follower = &followers[i];
        if (follower->element) {
            bool left = !is_shown(follower->view, follower->element);
            CHECK_EQ(follower->calls, left);
            follower->element = left ? NULL : follower->element;
        }
        follow_somebody(follower);
    }
}

/* Each song stands there once at most. */
static void edit_without_twins(struct obv_array *array)
{
    struct song *song = &songs[1 + below(POOL - 1)];
    size_t count = obv_array_count(array), at = 0;
    while (at < count && obv_array_at(array, at) != song) {
        at++;
    }
    switch (below(6)) {
    case 0:
        CHECK_EQ(at < count ? obv_array_remove(array, at)
                            : obv_array_insert(array, below(count + 1), song),
                 OBV_OK);
        break;
    case 1:
        if (at < count) {
            CHECK_EQ(obv_array_replace(array, at, song), OBV_OK);
        }
        break;
    case 2:
        CHECK_EQ(obv_array_reverse(array), OBV_OK);
        break;
    default:
        edit_places(array);
        break;
    }
}

TEST(AR_10_who_follows_an_element_goes_where_it_goes)
{
    begin_songs();
    add_view(add_view(source, &sorted, NULL), &odd, NULL);
    add_view(source, &odd, NULL);
    add_view(source, &odd_sorted, NULL);
    add_view(source, &all_of_it, NULL);
    for (size_t i = 0; i < 4000; i++) {
        if (below(4) == 0) {
            play_some_song();
        } else {
            edit_without_twins(source);
        }
        drain();
        check_views(false);
        check_followers();
    }
    memset(followers, 0, sizeof followers);
    end_views();
    obv_array_release(source);
    finish();
}

/* One thing at a time ------------------------------------------------------ */

static void fill(struct obv_array *array, const int *numbers, size_t count)
{
    CHECK_EQ(obv_array_assign(array, elements_of(numbers, count), count),
             OBV_OK);
}

static void check_numbers(const struct obv_array *array, const char *numbers)
{
    CHECK_EQ(obv_array_count(array), strlen(numbers));
    for (size_t i = 0; numbers[i]; i++) {
        CHECK(is_element(obv_array_at(array, i), numbers[i] - '0'));
    }
}

/* By `plays`: 0 1 1 2 2 3. */
static const int all_songs[] = {1, 2, 3, 4, 5, 6};

TEST(AR_10_equal_elements_stand_as_they_came)
{
    begin_songs();
    const int reversed[] = {6, 5, 4, 3, 2, 1};
    fill(source, reversed, 6);
    struct obv_array *rows = derive(source, &sorted, NULL);
    check_numbers(rows, "132546");
    CHECK_EQ(obv_array_reverse(source), OBV_OK);
    check_numbers(rows, "132546");
    song_set_plays(&songs[1], 2); /* it came last of these */
    check_numbers(rows, "325416");
    song_set_plays(&songs[5], 0);
    song_set_plays(&songs[5], 2); /* and has kept its place */
    check_numbers(rows, "325416");
    CHECK_EQ(obv_array_remove(source, 4), OBV_OK); /* 5 */
    CHECK_EQ(obv_array_insert(source, 0, &songs[5]), OBV_OK);
    check_numbers(rows, "324156");
    obv_array_release(rows);
    obv_array_release(source);
    finish();
}

TEST(AR_10_all_places_of_an_element_move_at_once)
{
    begin_songs();
    const int twice[] = {1, 4, 1, 6, 1};
    fill(source, twice, 5);
    struct obv_array *rows = add_view(source, &sorted, NULL);
    check_numbers(rows, "11146");
    song_set_plays(&songs[1], 7);
    check_numbers(rows, "46111");
    CHECK_EQ(views[0].calls, 1);
    song_set_plays(&songs[1], 2);
    check_numbers(rows, "14116"); /* in the order of coming, among equals */
    check_views(false);
    end_views();
    obv_array_release(source);
    finish();
}

TEST(AR_10_each_element_that_comes_is_asked_about_once)
{
    begin_songs();
    fill(source, all_songs, 6);
    asked = 0;
    struct obv_array *rows = derive(source, &odd, NULL);
    CHECK_EQ(asked, 6);
    CHECK_EQ(obv_array_append(source, &songs[1]), OBV_OK);
    CHECK_EQ(asked, 7);
    CHECK_EQ(obv_array_move(source, 0, 3, 2), OBV_OK);
    CHECK_EQ(obv_array_remove(source, 6), OBV_OK);
    CHECK_EQ(asked, 7);
    song_set_plays(&songs[6], 4);
    CHECK_EQ(asked, 8);
    obv_array_release(rows);
    song_set_plays(&songs[6], 5);
    CHECK_EQ(asked, 8);
    obv_array_release(source);
    finish();
}

TEST(AR_10_a_derived_array_is_edited_by_its_source_alone)
{
    begin_songs();
    fill(source, all_songs, 6);
    struct obv_array *rows = derive(source, &all_of_it, NULL), *copy;
    const size_t order[] = {1, 0, 2, 3, 4, 5};
    CHECK_EQ(obv_array_append(rows, &songs[1]), OBV_E_DERIVED);
    CHECK_EQ(obv_array_insert(rows, 0, &songs[1]), OBV_E_DERIVED);
    CHECK_EQ(obv_array_remove(rows, 0), OBV_E_DERIVED);
    CHECK_EQ(obv_array_replace(rows, 0, &songs[2]), OBV_E_DERIVED);
    CHECK_EQ(obv_array_clear(rows), OBV_E_DERIVED);
    CHECK_EQ(obv_array_move(rows, 0, 1, 2), OBV_E_DERIVED);
    CHECK_EQ(obv_array_swap(rows, 0, 1), OBV_E_DERIVED);
    CHECK_EQ(obv_array_reverse(rows), OBV_E_DERIVED);
    CHECK_EQ(obv_array_sort(rows, by_plays, NULL), OBV_E_DERIVED);
    CHECK_EQ(obv_array_permute(rows, order), OBV_E_DERIVED);
    CHECK_EQ(obv_array_reserve(rows, 100), OBV_E_DERIVED);
    check_numbers(rows, "123456");
    CHECK_EQ(obv_array_copy(rows, &copy, NULL), OBV_OK);
    CHECK_EQ(obv_array_remove(copy, 0), OBV_OK);
    check_numbers(copy, "23456");
    CHECK(obv_derived_source(&rows->container) == &source->container);
    CHECK(!obv_derived_source(&copy->container) && !obv_derived_source(NULL));
    CHECK_EQ(obv_derived_status(&copy->container), OBV_E_ARGUMENT);
    CHECK_EQ(obv_derived_status(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_derived_refresh(&copy->container), OBV_E_ARGUMENT);
    obv_array_release(copy);
    obv_array_release(rows);
    obv_array_release(source);
    finish();
}

static void refuse(enum obv_status status, struct obv_container *from,
                   const struct obv_derived_kind *kind, struct obv_class *cls)
{
    struct obv_error error = {.status = OBV_OK};
    struct obv_array *array = NULL;
    CHECK_EQ(obv_derived_create(from, kind, NULL, cls, &array, &error), status);
    CHECK_EQ(error.status, status);
    CHECK(error.message && !array);
}

TEST(AR_10_what_cannot_be_derived_is_refused)
{
    static const char *const bad_paths[] = {"plays", "a..b"};
    static const struct obv_derived_kind no_size = {.includes = is_odd};
    static const struct obv_derived_kind no_paths = {DERIVED_KIND,
                                                     .path_count = 1};
    static const struct obv_derived_kind bad = {
        DERIVED_KIND, .paths = bad_paths, .path_count = 2};
    static const struct obv_collection_kind named = {
        .size = sizeof named, .name = "named", .element = OBV_KIND_object};
    static const struct obv_derived_kind two_maps = {
        DERIVED_KIND, .map = write_plays, .map_pair = write_pair};
    struct obv_class *dictionaries;
    struct obv_dictionary *dictionary;
    struct obv_error error;
    struct obv_array *array = NULL;
    begin_songs();
    struct obv_container *from = &source->container;
    CHECK_EQ(obv_dictionary_class_create(context, &named, &dictionaries, NULL),
             OBV_OK);
    CHECK_EQ(obv_dictionary_create(dictionaries, &dictionary, NULL), OBV_OK);
    refuse(OBV_E_ARGUMENT, NULL, &odd, NULL);
    refuse(OBV_E_ARGUMENT, from, NULL, NULL);
    refuse(OBV_E_ARGUMENT, from, &no_size, NULL);
    refuse(OBV_E_ARGUMENT, from, &no_paths, NULL);
    refuse(OBV_E_ARGUMENT, from, &odd, song_class);
    refuse(OBV_E_ARGUMENT, (struct obv_container *)(void *)&songs[1], &odd,
           class_of_songs);
    refuse(OBV_E_ARGUMENT, &dictionary->container, &odd, NULL);
    refuse(OBV_E_KIND, &dictionary->container, &odd, class_of_texts);
    refuse(OBV_E_KIND, from, &with_keys, class_of_texts);
    refuse(OBV_E_ARGUMENT, &dictionary->container, &two_maps, class_of_texts);
    refuse(OBV_E_KIND, from, &odd, class_of_texts);
    refuse(OBV_E_SYNTAX, from, &bad, NULL);
    CHECK_EQ(obv_derived_create(from, &bad, NULL, NULL, &array, &error),
             OBV_E_SYNTAX);
    CHECK_EQ(error.index, 1);
    CHECK_EQ(error.position, 2);
    obv_dictionary_release(dictionary);
    obv_array_release(source);
    source = make_array(class_of_texts);
    refuse(OBV_E_KIND, &source->container, &odd, NULL); /* paths from texts */
    obv_array_release(source);
    is_of_texts = false;
    finish();
}

/* Ends --------------------------------------------------------------------- */

static size_t disposed;

static void note_dispose(const struct obv_derived_kind *kind, void *argument)
{
    CHECK(kind->dispose == note_dispose && argument == &disposed);
    disposed++;
}

static const struct obv_derived_kind with_dispose = {
    DERIVED_KIND, .includes = is_odd, .dispose = note_dispose, WHEN_PLAYED};

TEST(AR_10_it_holds_its_source_and_ends_with_its_last_owner)
{
    struct obv_array *rows, *rest;
    begin_songs();
    fill(source, all_songs, 6);
    CHECK_EQ(obv_derived_create(&source->container, &with_dispose, &disposed,
                                NULL, &rows, NULL),
             OBV_OK);
    rest = derive(rows, &sorted, NULL);
    obv_array_release(source);
    obv_array_release(rows);
    CHECK_EQ(disposed, 0);
    song_set_plays(&songs[1], 5); /* all of them are there still */
    check_numbers(rest, "2361");
    obv_array_release(rest);
    CHECK_EQ(disposed, 1);
    finish();
}

static struct obv_array *own_rows;

static bool release_own_rows(const void *element, void *argument)
{
    (void)argument;
    if (own_rows) {
        obv_array_release(own_rows);
        own_rows = NULL;
    }
    return plays_at(element) % 2 != 0;
}

TEST(LT_a_derived_array_is_released_while_it_asks)
{
    static const struct obv_derived_kind releasing = {
        DERIVED_KIND, .includes = release_own_rows, .dispose = note_dispose,
        WHEN_PLAYED};
    struct obv_array *rows;
    begin_songs();
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(obv_derived_create(&source->container, &releasing, &disposed,
                                    NULL, &rows, NULL),
                 OBV_OK);
        if (i == 1) {
            CHECK_EQ(obv_array_append(source, &songs[2]), OBV_OK);
        }
        own_rows = rows;
        if (i == 0) {
            CHECK_EQ(obv_array_append(source, &songs[1]), OBV_OK);
        } else {
            song_set_plays(&songs[2], 8);
        }
        CHECK(!own_rows);
        CHECK_EQ(disposed, i + 1);
    }
    obv_array_release(source);
    finish();
}

/* Code of the program in between ------------------------------------------- */

static int edits_left;

static void edit_source_meanwhile(void)
{
    if (edits_left > 0) {
        edits_left--;
        CHECK_EQ(obv_array_insert(source, 0, &songs[1 + edits_left % 6]),
                 OBV_OK);
        CHECK_EQ(obv_array_move(source, 0, 1, obv_array_count(source) - 1),
                 OBV_OK);
        if (edits_left % 2) {
            CHECK_EQ(obv_array_remove(source, 0), OBV_OK);
        }
        song_set_plays(&songs[1 + edits_left % 5], edits_left);
    }
}

static bool include_and_edit(const void *element, void *argument)
{
    edit_source_meanwhile();
    return is_odd(element, argument);
}

static bool map_and_edit(const void *element, void **mapped, void *argument)
{
    edit_source_meanwhile();
    return number_of_plays(element, mapped, argument);
}

static int compare_and_edit(const void *a, const void *b, void *argument)
{
    edit_source_meanwhile();
    return by_plays(a, b, argument);
}

/* While it asks, the array is what it was; what is edited meanwhile follows. */
TEST(RE_the_functions_of_a_kind_edit_the_source)
{
    static const struct obv_derived_kind kinds[] = {
        {DERIVED_KIND, .includes = include_and_edit, WHEN_PLAYED},
        {DERIVED_KIND, .map = map_and_edit, WHEN_PLAYED},
        {DERIVED_KIND, .compare = compare_and_edit, WHEN_PLAYED}};
    begin_songs();
    fill(source, all_songs, 6);
    for (size_t i = 0; i < 3; i++) {
        edits_left = 3;
        add_view(source, &kinds[i], i == 1 ? class_of_numbers : NULL);
        CHECK_EQ(edits_left, 0);
        check_views(false);
    }
    for (size_t i = 0; i < 60; i++) {
        edits_left = (int)(i % 5);
        if (i % 3 == 0) {
            play_some_song();
        } else if (i % 3 == 1) {
            edit_somehow(source);
        } else {
            CHECK_EQ(
                obv_derived_refresh(&views[i % view_count].array->container),
                OBV_OK);
        }
        edits_left = 0;
        check_views(false);
    }
    end_views();
    obv_array_release(source);
    finish();
}

static int refreshes_left;

static bool include_and_refresh(const void *element, void *argument)
{
    if (refreshes_left > 0) {
        refreshes_left--;
        CHECK_EQ(obv_derived_refresh(&views[0].array->container), OBV_OK);
    }
    return is_odd(element, argument);
}

TEST(RE_the_functions_of_a_kind_ask_for_a_refresh)
{
    static const struct obv_derived_kind kind = {
        DERIVED_KIND, .includes = include_and_refresh};
    begin_songs();
    fill(source, all_songs, 6);
    add_view(source, &kind, NULL);
    refreshes_left = 2;
    asked = 0;
    CHECK_EQ(obv_array_append(source, &songs[2]), OBV_OK);
    CHECK_EQ(asked, 1 + 7 + 7);
    check_views(false);
    end_views();
    obv_array_release(source);
    finish();
}

static void edit_in_front(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    if (edits_left > 0) {
        edits_left--;
        edit_somehow(source);
    }
}

/* It is called for the inner edit first, and finds both. */
TEST(RE_a_handler_that_is_called_before_edits_the_source)
{
    static const struct obv_handler_kind editing = {.changed = edit_in_front};
    begin_songs();
    fill(source, all_songs, 6);
    observe_at_once(&source->container.object, "*", &editing);
    add_view(add_view(source, &sorted, NULL), &odd, NULL);
    add_view(source, &odd, NULL);
    observe_at_once(&source->container.object, "*", &editing);
    for (size_t i = 0; i < 500; i++) {
        edits_left = (int)below(4);
        edit_somehow(source);
        edits_left = 0;
        check_views(false);
    }
    end_views();
    obv_array_release(source);
    finish();
}

static void edit_behind(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    const struct obv_array *rows = observer;
    (void)root;
    (void)call;
    if (obv_array_count(rows) > 2) {
        CHECK_EQ(obv_array_remove(source, 0), OBV_OK);
    }
}

TEST(RE_a_handler_of_a_derived_array_edits_the_source)
{
    static const struct obv_handler_kind editing = {.changed = edit_behind};
    begin_songs();
    struct obv_array *rows = add_view(source, &all_of_it, NULL);
    const struct obv_pair pair = {&rows->container.object, "count"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &editing, rows, &options, NULL, NULL),
             OBV_OK);
    fill(source, all_songs, 6);
    check_numbers(rows, "56");
    check_views(false);
    end_views();
    obv_array_release(source);
    finish();
}

/* Asking again ------------------------------------------------------------- */

static bool has_plays(const void *element, void *argument)
{
    return plays_at(element) >= *(const int64_t *)argument;
}

TEST(AR_10_all_are_asked_about_again_on_request)
{
    static const struct obv_derived_kind kind = {
        DERIVED_KIND, .includes = has_plays, .compare = by_plays};
    int64_t least = 2;
    int followed = 0, any = 0;
    struct obv_array *rows;
    begin_songs();
    fill(source, all_songs, 6);
    CHECK_EQ(obv_derived_create(&source->container, &kind, &least, NULL, &rows,
                                NULL),
             OBV_OK);
    check_numbers(rows, "456");
    observe(&rows->container.object, "2", &followed);
    observe(&rows->container.object, "*", &any);
    least = 1;
    songs[5].plays = 0; /* of which nobody is told */
    CHECK_EQ(obv_derived_refresh(&rows->container), OBV_OK);
    check_numbers(rows, "2346");
    CHECK_EQ(obv_derived_refresh(&rows->container), OBV_OK);
    drain();
    CHECK_EQ(followed, 0);
    CHECK_EQ(any, 1);
    songs[6].plays = 1;
    CHECK_EQ(obv_derived_refresh(&rows->container), OBV_OK);
    check_numbers(rows, "2364");
    drain();
    CHECK_EQ(followed, 0);
    obv_array_release(rows);
    obv_array_release(source);
    finish();
}

/* Containers of the program's own ------------------------------------------ */

struct list {
    struct obv_container container;
    size_t count;
    void *items[ROOM];
};

static size_t count_list(const struct obv_container *list)
{
    return ((const struct list *)(const void *)list)->count;
}

static const void *at_in_list(const struct obv_container *list, size_t position)
{
    return &((const struct list *)(const void *)list)->items[position];
}

static struct obv_class *class_of_lists(enum obv_kind element)
{
    static struct obv_container_kind kinds[16];
    static char names[16][8];
    static size_t used;
    struct obv_container_kind *kind = &kinds[used];
    struct obv_class *cls;
    CHECK(snprintf(names[used], 8, "list%zu", used) > 0);
    *kind = (struct obv_container_kind){
        .size = sizeof *kind,
        .name = names[used++],
        .instance_size = sizeof(struct list),
        .element = {.name = "element", .kind = element},
        .count = count_list,
        .at = at_in_list};
    CHECK_EQ(obv_container_class_create(context, kind, &cls, NULL), OBV_OK);
    return cls;
}

static void add_to_list(struct list *list, const void *item)
{
    const struct obv_container_edit told = {.position = list->count,
                                            .inserted = 1};
    list->items[list->count++] = (void *)(uintptr_t)item;
    CHECK_EQ(obv_container_edited(&list->container, &told, 1, NULL), OBV_OK);
}

TEST(AR_10_a_container_of_the_programs_own_is_derived_from)
{
    static struct list list;
    struct obv_array *rows, *written_rows;
    begin_songs();
    CHECK_EQ(
        obv_container_init(&list.container, class_of_lists(OBV_KIND_object)),
        OBV_OK);
    add_to_list(&list, &songs[2]);
    refuse(OBV_E_ARGUMENT, &list.container, &odd, NULL);
    CHECK_EQ(obv_derived_create(&list.container, &odd, NULL, class_of_songs,
                                &rows, NULL),
             OBV_OK);
    CHECK_EQ(obv_derived_create(&list.container, &written, NULL, class_of_texts,
                                &written_rows, NULL),
             OBV_OK);
    add_to_list(&list, &songs[3]);
    add_to_list(&list, &songs[4]);
    check_numbers(rows, "23");
    CHECK_TEXT(obv_array_at(written_rows, 2), "2");
    /* Several edits are one, whatever stood there in between. */
    const struct obv_container_edit several[] = {
        {.position = 0, .inserted = 2},
        {.position = 3, .moved = 1, .to = 0},
        {.position = 4, .removed = 1}};
    void *const now[] = {&songs[3], &songs[6], &songs[1], &songs[2]};
    memcpy(list.items, now, sizeof now);
    list.count = 4;
    CHECK_EQ(obv_derived_refresh(&rows->container),
             OBV_E_ARGUMENT); /* it is not told */
    CHECK_EQ(obv_container_edited(&list.container, several, 3, NULL), OBV_OK);
    check_numbers(rows, "362");
    CHECK_EQ(obv_derived_refresh(&rows->container), OBV_OK);
    /* Nobody holds it. */
    CHECK_EQ(obv_object_deinit(&list.container.object), OBV_OK);
    memset(&list, 0x5A, sizeof list);
    CHECK_EQ(obv_derived_status(&rows->container), OBV_E_ENDED);
    CHECK_EQ(obv_derived_refresh(&rows->container), OBV_E_ENDED);
    song_set_plays(&songs[6], 4);
    check_numbers(rows, "32");
    obv_array_release(rows);
    obv_array_release(written_rows);
    obv_array_release(source);
    finish();
}

static bool number_of_letters(const void *element, void **mapped,
                              void *argument)
{
    (void)argument;
    *mapped = (void *)(uintptr_t)strlen(text_at(element));
    return true;
}

TEST(AR_10_elements_of_every_kind_are_mapped)
{
    static const struct obv_derived_kind letters = {DERIVED_KIND,
                                                    .map = number_of_letters};
    static struct list list, numbers;
    struct obv_array *rows;
    begin_songs();
    CHECK_EQ(
        obv_container_init(&list.container, class_of_lists(OBV_KIND_string)),
        OBV_OK);
    CHECK_EQ(
        obv_container_init(&numbers.container, class_of_lists(OBV_KIND_i64)),
        OBV_OK);
    refuse(OBV_E_KIND, &numbers.container, &letters, class_of_numbers);
    CHECK_EQ(obv_derived_create(&list.container, &letters, NULL,
                                class_of_numbers, &rows, NULL),
             OBV_OK);
    add_to_list(&list, "three");
    CHECK_EQ((uintptr_t)obv_array_at(rows, 0), 5);
    obv_array_release(rows);
    CHECK_EQ(obv_object_deinit(&list.container.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&numbers.container.object), OBV_OK);
    obv_array_release(source);
    finish();
}

/* Told late ---------------------------------------------------------------- */

static void append_at_once(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    (void)root;
    (void)call;
    CHECK_EQ(obv_array_append(source, observer), OBV_OK);
}

/* The array is told of 10 after 8 has come, which it has put in by what is 10
   already. */
static void bring_in_late(void)
{
    static const struct obv_handler_kind appending = {.changed =
                                                          append_at_once};
    static const int three[] = {1, 2, 3};
    begin_songs();
    fill(source, three, 3);
    const int64_t plays[] = {0, 1, 5, 7, 8};
    for (size_t i = 1; i < 5; i++) {
        song_set_plays(&songs[i], plays[i]);
    }
    const struct obv_pair pair = {&songs[2].object, "plays"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &appending, &songs[4], &options, NULL,
                               NULL),
             OBV_OK);
    struct obv_array *rows = add_view(source, &sorted, NULL);
    song_set_plays(&songs[2], 10);
    check_numbers(rows, "1342");
    check_views(false);
    end_views();
    obv_array_release(source);
    finish();
}

/* What it is compared with first is random. */
TEST(AR_10_what_comes_by_a_value_not_told_yet_stands_right)
{
    for (size_t i = 0; i < 40; i++) {
        bring_in_late();
    }
}

static bool take_it_away(const void *element, void *argument)
{
    (void)argument;
    if (edits_left > 0) {
        edits_left--;
        song_set_plays(&songs[3], 9);
        CHECK_EQ(obv_array_remove(source, 2), OBV_OK);
    }
    return plays_at(element) % 2 != 0;
}

TEST(RE_an_element_changes_and_leaves_while_it_asks)
{
    static const struct obv_derived_kind taking = {
        DERIVED_KIND, .includes = take_it_away, WHEN_PLAYED};
    begin_songs();
    fill(source, all_songs, 6);
    add_view(source, &taking, NULL);
    edits_left = 1;
    song_set_plays(&songs[6], 5);
    check_views(false);
    CHECK_EQ(obv_observer_count(&songs[3].object, "plays"), 0);
    CHECK_EQ(obv_observer_count(&songs[6].object, "plays"), 1);
    end_views();
    CHECK_EQ(obv_observer_count(&songs[6].object, "plays"), 0);
    obv_array_release(source);
    finish();
}

/* Pointers ----------------------------------------------------------------- */

static int held[4];

static bool hold_number(void *element)
{
    ++*(int *)element;
    return true;
}

static void let_go_of_number(void *element)
{
    --*(int *)element;
}

static const struct obv_collection_kind counted = {.size = sizeof counted,
                                                   .name = "counted",
                                                   .element = OBV_KIND_pointer,
                                                   .retain = hold_number,
                                                   .release = let_go_of_number};

static bool is_not_second(const void *element, void *argument)
{
    (void)argument;
    asked++;
    return *(int *const *)element != &held[1];
}

static bool as_it_is(const void *element, void **mapped, void *argument)
{
    (void)argument;
    asked++;
    *mapped = *(void *const *)element;
    return true;
}

TEST(AR_10_pointers_are_held_by_what_shows_them)
{
    static const struct obv_derived_kind filtered = {DERIVED_KIND,
                                                     .includes = is_not_second};
    static const struct obv_derived_kind mapped = {DERIVED_KIND,
                                                   .map = as_it_is};
    struct obv_class *cls;
    begin_songs();
    obv_array_release(source);
    CHECK_EQ(obv_array_class_create(context, &counted, &cls, NULL), OBV_OK);
    source = make_array(cls);
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQ(obv_array_append(source, i == 3 ? NULL : &held[i]), OBV_OK);
    }
    struct obv_array *rows = derive(source, &filtered, NULL);
    struct obv_array *copies = derive(source, &mapped, cls);
    CHECK_EQ(obv_array_count(rows), 3);
    CHECK_EQ(held[0], 3);
    CHECK_EQ(held[1], 2);
    asked = 0;
    CHECK_EQ(obv_array_replace(source, 0, &held[0]), OBV_OK); /* it stays */
    CHECK_EQ(asked, 1); /* what is mapped may be another one there */
    CHECK_EQ(obv_array_remove(source, 0), OBV_OK);
    CHECK_EQ(held[0], 0);
    CHECK_EQ(obv_array_at(copies, 0) == &held[1], 1);
    obv_array_release(rows);
    obv_array_release(copies);
    obv_array_release(source);
    CHECK_EQ(held[1] + held[2], 0);
    finish();
}

/* What cannot be held ------------------------------------------------------ */

static size_t reports;

static void count_reports(void *unused, const struct obv_diagnostic *diagnostic)
{
    (void)unused;
    CHECK(diagnostic->kind == OBV_DIAGNOSTIC_DERIVED ||
          diagnostic->kind == OBV_DIAGNOSTIC_MEMORY);
    reports += diagnostic->kind == OBV_DIAGNOSTIC_DERIVED;
}

TEST(AR_10_an_element_that_has_ended_cannot_be_followed)
{
    static const struct obv_derived_kind kind = {
        DERIVED_KIND, .includes = is_odd, WHEN_PLAYED, .label = "odd ones"};
    static struct list list;
    struct obv_array *rows = NULL;
    diagnose = count_reports;
    begin_songs();
    CHECK_EQ(
        obv_container_init(&list.container, class_of_lists(OBV_KIND_object)),
        OBV_OK);
    songs[2].references = 0;
    add_to_list(&list, &songs[3]);
    add_to_list(&list, &songs[2]);
    refuse(OBV_E_ENDED, &list.container, &kind, class_of_songs);
    songs[2].references = 1;
    CHECK_EQ(obv_derived_create(&list.container, &kind, NULL, class_of_songs,
                                &rows, NULL),
             OBV_OK);
    songs[6].references = 0;
    add_to_list(&list, &songs[6]);
    CHECK_EQ(obv_derived_status(&rows->container), OBV_E_ENDED);
    add_to_list(&list, &songs[1]);
    CHECK_EQ(obv_derived_refresh(&rows->container), OBV_E_ENDED);
    check_numbers(rows, "32");
    CHECK_EQ(reports, 1);
    songs[6].references = 1;
    song_set_plays(&songs[2], 5); /* it reads its source anew */
    CHECK_EQ(obv_derived_status(&rows->container), OBV_OK);
    check_numbers(rows, "326");
    obv_array_release(rows);
    CHECK_EQ(obv_object_deinit(&list.container.object), OBV_OK);
    obv_array_release(source);
    finish();
}

/* Dictionaries and sets ---------------------------------------------------- */

enum { NAMES = 9 };

static const char *const names[NAMES] = {"a", "b", "c", "d", "e",
                                         "f", "g", "h", "i"};
static const struct obv_collection_kind named_songs = {
    .size = sizeof named_songs, .name = "named", .element = OBV_KIND_object};
static const struct obv_collection_kind song_sets = {
    .size = sizeof song_sets, .name = "song sets", .element = OBV_KIND_object};
static const struct obv_collection_kind text_sets = {
    .size = sizeof text_sets, .name = "text sets", .element = OBV_KIND_string};

static struct obv_dictionary *make_dictionary(void)
{
    struct obv_class *cls;
    struct obv_dictionary *dictionary;
    CHECK_EQ(obv_dictionary_class_create(context, &named_songs, &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_dictionary_create(cls, &dictionary, NULL), OBV_OK);
    return dictionary;
}

static struct obv_set *make_set(const struct obv_collection_kind *kind)
{
    struct obv_class *cls;
    struct obv_set *set;
    CHECK_EQ(obv_set_class_create(context, kind, &cls, NULL), OBV_OK);
    CHECK_EQ(obv_set_create(cls, &set, NULL), OBV_OK);
    return set;
}

static void edit_dictionary(struct obv_dictionary *dictionary)
{
    const void *keys[4], *elements[4];
    size_t count = below(5);
    for (size_t i = 0; i < count; i++) {
        keys[i] = names[below(NAMES)];
        elements[i] = element(random_below(POOL));
    }
    switch (below(10)) {
    case 0:
        CHECK_EQ(obv_dictionary_assign(dictionary, keys, elements, count),
                 OBV_OK);
        break;
    case 1:
    case 2:
        CHECK_EQ(obv_dictionary_merge(dictionary, keys, elements, count),
                 OBV_OK);
        break;
    case 3:
    case 4:
    case 5:
        CHECK_EQ(obv_dictionary_delete(dictionary, names[below(NAMES)]),
                 OBV_OK);
        break;
    case 6:
        CHECK(below(4) != 0 || obv_dictionary_clear(dictionary) == OBV_OK);
        break;
    default:
        CHECK_EQ(obv_dictionary_put(dictionary, names[below(NAMES)],
                                    element(random_below(POOL))),
                 OBV_OK);
    }
}

/* What has stood there stands in the order in which it stood, then what has
   come. Of texts that begin with their keys, or of any others. */
struct standing {
    char keys[ROOM];
    size_t count;
};

static bool has_key(const struct standing *all, char key)
{
    return memchr(all->keys, key, all->count) != NULL;
}

static void check_standing(const struct standing *before,
                           const struct standing *now)
{
    size_t at = 0;
    for (size_t i = 0; i < before->count; i++) {
        if (has_key(now, before->keys[i])) {
            CHECK(now->keys[at++] == before->keys[i]);
        }
    }
    for (; at < now->count; at++) {
        CHECK(!has_key(before, now->keys[at]));
    }
}

static void check_pairs(const struct obv_dictionary *dictionary,
                        const struct obv_array *rows, struct standing *standing)
{
    struct standing now = {.count = obv_array_count(rows)};
    CHECK_EQ(now.count, obv_dictionary_count(dictionary));
    for (size_t i = 0; i < now.count; i++) {
        const char *row = obv_array_at(rows, i);
        const char key[] = {row[0], 0};
        const void *song = obv_dictionary_get(dictionary, key);
        CHECK(obv_dictionary_has(dictionary, key));
        CHECK_EQ(strtoll(row + 1, NULL, 10), plays_at(&song));
        now.keys[i] = row[0];
    }
    check_standing(standing, &now);
    *standing = now;
}

TEST(AR_10_the_values_of_a_dictionary_stand_as_their_keys_came)
{
    struct obv_array *rows, *values, *best;
    struct standing standing = {.count = 0};
    begin_songs();
    struct obv_dictionary *dictionary = make_dictionary();
    struct obv_container *from = &dictionary->container;
    edit_dictionary(dictionary);
    CHECK_EQ(
        obv_derived_create(from, &with_keys, NULL, class_of_texts, &rows, NULL),
        OBV_OK);
    CHECK_EQ(obv_derived_create(from, &all_of_it, NULL, class_of_songs, &values,
                                NULL),
             OBV_OK);
    CHECK_EQ(obv_derived_create(from, &odd_sorted, NULL, class_of_songs, &best,
                                NULL),
             OBV_OK);
    add_view(values, &odd_sorted, NULL);
    add_view(best, &all_of_it, NULL);
    for (size_t i = 0; i < 3000; i++) {
        if (below(4) == 0) {
            play_some_song();
        } else {
            edit_dictionary(dictionary);
        }
        if (below(30) == 0) {
            CHECK_EQ(obv_derived_refresh(&rows->container), OBV_OK);
        }
        check_pairs(dictionary, rows, &standing);
        CHECK_EQ(obv_array_count(values), standing.count);
        check_views(false);
        CHECK_EQ(obv_array_count(best), obv_array_count(views[0].array));
        check_sorted(&views[0], (const void *const *)best->elements,
                     obv_array_count(best));
    }
    end_views();
    obv_array_release(best);
    obv_array_release(values);
    obv_array_release(rows);
    CHECK_EQ(texts_out, 0);
    obv_dictionary_release(dictionary);
    obv_array_release(source);
    finish();
}

static void edit_set(struct obv_set *set)
{
    const void *some[4];
    size_t count = below(5);
    for (size_t i = 0; i < count; i++) {
        some[i] = element(1 + random_below(POOL - 1));
    }
    const void *one = element(1 + random_below(POOL - 1));
    switch (below(8)) {
    case 0:
        CHECK_EQ(obv_set_assign(set, some, count), OBV_OK);
        break;
    case 1:
        CHECK_EQ(obv_set_symmetric(set, some, count), OBV_OK);
        break;
    case 2:
        CHECK_EQ(obv_set_union(set, some, count), OBV_OK);
        break;
    case 3:
    case 4:
        CHECK_EQ(obv_set_discard(set, one), OBV_OK);
        break;
    default:
        CHECK_EQ(obv_set_add(set, one), OBV_OK);
    }
}

/* A member as a letter: equal texts are one. */
static char letter_of(const void *member)
{
    int number = 1;
    while (!is_element(member, number)) {
        number++;
    }
    return (char)('a' + number);
}

static void check_members(const struct obv_set *set,
                          const struct obv_array *rows,
                          struct standing *standing)
{
    struct standing now = {.count = obv_array_count(rows)};
    CHECK_EQ(now.count, obv_set_count(set));
    for (size_t i = 0; i < now.count; i++) {
        CHECK(obv_set_contains(set, obv_array_at(rows, i)));
        now.keys[i] = letter_of(obv_array_at(rows, i));
    }
    check_standing(standing, &now);
    *standing = now;
}

static void follow_a_set(const struct obv_collection_kind *kind,
                         struct obv_class *cls)
{
    struct standing standing = {.count = 0};
    struct obv_array *rows, *best;
    struct obv_set *set = make_set(kind);
    is_of_texts = cls == class_of_texts;
    edit_set(set);
    CHECK_EQ(
        obv_derived_create(&set->container, &all_of_it, NULL, cls, &rows, NULL),
        OBV_OK);
    CHECK_EQ(obv_derived_create(&set->container,
                                is_of_texts ? &texts_sorted : &odd_sorted, NULL,
                                cls, &best, NULL),
             OBV_OK);
    add_view(rows, is_of_texts ? &texts_sorted : &odd_sorted, NULL);
    for (size_t i = 0; i < 2000; i++) {
        if (below(4) == 0) {
            play_some_song();
        } else {
            edit_set(set);
        }
        if (below(30) == 0) {
            CHECK_EQ(obv_derived_refresh(&best->container), OBV_OK);
        }
        check_members(set, rows, &standing);
        check_views(false);
        CHECK_EQ(obv_array_count(best), obv_array_count(views[0].array));
        check_sorted(&views[0], (const void *const *)best->elements,
                     obv_array_count(best));
    }
    end_views();
    obv_array_release(best);
    obv_array_release(rows);
    obv_set_release(set);
}

TEST(AR_10_the_members_of_a_set_stand_as_they_came)
{
    begin_songs();
    follow_a_set(&song_sets, class_of_songs);
    follow_a_set(&text_sets, class_of_texts);
    is_of_texts = false;
    obv_array_release(source);
    finish();
}

TEST(AR_10_a_value_stands_where_the_one_before_it_stood)
{
    struct obv_array *rows;
    int followed = 0, replaced = 0, any = 0;
    begin_songs();
    struct obv_dictionary *dictionary = make_dictionary();
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQ(obv_dictionary_put(dictionary, names[i], &songs[i + 1]),
                 OBV_OK);
    }
    CHECK_EQ(obv_derived_create(&dictionary->container, &all_of_it, NULL,
                                class_of_songs, &rows, NULL),
             OBV_OK);
    const void *const keys[] = {"x", "b", "y", "a"};
    const void *const elements[] = {&songs[1], &songs[2], &songs[3], &songs[4]};
    CHECK_EQ(obv_dictionary_assign(dictionary, keys, elements, 0), OBV_OK);
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQ(obv_dictionary_put(dictionary, keys[i], elements[i]), OBV_OK);
    }
    check_numbers(rows, "1234");
    observe(&rows->container.object, "3", &followed);
    observe(&rows->container.object, "1", &replaced);
    observe(&rows->container.object, "*", &any);
    CHECK_EQ(obv_dictionary_put(dictionary, "b", &songs[6]), OBV_OK);
    CHECK_EQ(obv_dictionary_put(dictionary, "a", &songs[4]), OBV_OK);
    CHECK_EQ(obv_dictionary_delete(dictionary, "x"), OBV_OK);
    CHECK_EQ(obv_dictionary_put(dictionary, "x", &songs[1]), OBV_OK);
    check_numbers(rows, "6341");
    drain();
    CHECK_EQ(followed, 0);
    CHECK_EQ(replaced, 1);
    CHECK_EQ(any, 1);
    obv_array_release(rows);
    obv_dictionary_release(dictionary);
    obv_array_release(source);
    finish();
}

/* Groups ------------------------------------------------------------------- */

enum { GROUPS = 3 };

/* Of songs that were never played there is none. */
static const void *group_of(const void *element, void *argument)
{
    int64_t plays = plays_at(element);
    (void)argument;
    edit_source_meanwhile();
    return plays > 0 ? names[plays % GROUPS] : NULL;
}

static const struct obv_derived_kind grouped = {DERIVED_KIND, .key = group_of,
                                                WHEN_PLAYED};
static const struct obv_derived_kind grouped_sorted = {
    DERIVED_KIND, .key = group_of, .compare = by_plays, WHEN_PLAYED};
static const struct obv_derived_kind grouped_written = {
    DERIVED_KIND,    .includes = is_played,  .map = write_plays,
    .key = group_of, .give_back = free_text, WHEN_PLAYED};

/* A dictionary of groups; of each its array, and one that is derived from that:
   so it is what the array was told of. */
struct shelf {
    struct obv_dictionary *groups;
    struct obv_class *cls;
    const struct obv_derived_kind *kind;
    struct obv_array *copies[GROUPS], *list;
    int calls;
};

static struct obv_class *class_of_shelves;

static void begin_shelf(struct shelf *shelf,
                        const struct obv_derived_kind *kind,
                        struct obv_class *cls)
{
    static const struct obv_handler_kind at_once = {.changed = count_call};
    const struct obv_observe_options options = {
        .size = sizeof options,
        .flags = OBV_IMMEDIATE,
        .compare = OBV_COMPARE_ALWAYS_DIFFERENT};
    *shelf = (struct shelf){.kind = kind, .cls = cls};
    CHECK_EQ(obv_derived_group(&source->container, kind, NULL, class_of_shelves,
                               cls, &shelf->groups, NULL),
             OBV_OK);
    const struct obv_pair pair = {&shelf->groups->container.object, "*"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &at_once, &shelf->calls, &options,
                               NULL, NULL),
             OBV_OK);
    CHECK_EQ(obv_derived_create(&shelf->groups->container, &all_of_it, NULL,
                                class_of_songs, &shelf->list, NULL),
             OBV_OK);
}

static void end_shelf(struct shelf *shelf)
{
    for (size_t i = 0; i < GROUPS; i++) {
        obv_array_release(shelf->copies[i]);
    }
    obv_array_release(shelf->list);
    obv_dictionary_release(shelf->groups);
    CHECK_EQ(texts_out, 0);
}

static bool is_in_group(const struct shelf *shelf, const void *element,
                        size_t group)
{
    const void *key = group_of(&element, NULL);
    bool is_included =
        !shelf->kind->includes || shelf->kind->includes(&element, NULL);
    return is_included && key && strcmp(key, names[group]) == 0;
}

static size_t expect_group(const struct view *view, const struct shelf *shelf,
                           size_t group, const void **expected)
{
    size_t count = 0;
    for (size_t i = 0; i < obv_array_count(source); i++) {
        const void *element = obv_array_at(source, i);
        void *mapped = NULL;
        if (!is_in_group(shelf, element, group)) {
            continue;
        }
        if (shelf->kind->map) {
            CHECK(shelf->kind->map(&element, &mapped, NULL));
            expected[count++] = kept(view, mapped);
            shelf->kind->give_back(mapped, NULL);
        } else {
            expected[count++] = element;
        }
    }
    return count;
}

static void check_group(struct shelf *shelf, size_t group)
{
    const void *expected[ROOM];
    struct obv_array *array = obv_dictionary_get(shelf->groups, names[group]);
    struct obv_array *copy = shelf->copies[group];
    if (copy && obv_derived_source(&copy->container) !=
                    (array ? &array->container : NULL)) {
        CHECK_EQ(obv_array_count(copy), 0); /* another one stands there */
        obv_array_release(copy);
        copy = NULL;
    }
    if (array) {
        copy = copy ? copy : derive(array, &all_of_it, NULL);
        const struct view view = {.array = array, .kind = shelf->kind};
        size_t count = expect_group(&view, shelf, group, expected);
        CHECK(count != 0);
        CHECK_EQ(obv_array_count(array), count);
        if (shelf->kind->compare) {
            check_sorted(&view, expected, count);
        } else {
            check_equal_content(&view, expected, count);
        }
        check_equal_content(&view, (const void *const *)copy->elements,
                            obv_array_count(copy));
    } else {
        const struct view view = {.array = shelf->list};
        CHECK_EQ(expect_group(&view, shelf, group, expected), 0);
    }
    shelf->copies[group] = copy;
}

static void check_shelf(struct shelf *shelf, bool is_one_edit)
{
    CHECK_EQ(obv_derived_status(&shelf->groups->container), OBV_OK);
    for (size_t i = 0; i < GROUPS; i++) {
        check_group(shelf, i);
    }
    CHECK_EQ(obv_array_count(shelf->list), obv_dictionary_count(shelf->groups));
    CHECK(!is_one_edit || shelf->calls <= 1);
    shelf->calls = 0;
}

static void begin_shelves(void)
{
    begin_songs();
    CHECK_EQ(obv_dictionary_class_create(context, &named_songs,
                                         &class_of_shelves, NULL),
             OBV_OK);
}

static void group_at_random(const struct obv_derived_kind *kind, bool of_texts)
{
    struct shelf shelf;
    begin_shelves();
    edit_range(source);
    begin_shelf(&shelf, kind, of_texts ? class_of_texts : NULL);
    for (size_t i = 0; i < 3000; i++) {
        bool is_edit = below(3) != 0;
        if (is_edit) {
            edit_somehow(source);
        } else {
            play_some_song();
        }
        if (below(40) == 0) {
            CHECK_EQ(obv_derived_refresh(&shelf.groups->container), OBV_OK);
        }
        check_shelf(&shelf, is_edit);
    }
    end_shelf(&shelf);
    obv_array_release(source);
    finish();
}

TEST(AR_10_groups_follow_random_edits)
{
    group_at_random(&grouped, false);
}

TEST(AR_10_sorted_groups_follow_random_edits)
{
    group_at_random(&grouped_sorted, false);
}

TEST(AR_10_mapped_groups_follow_random_edits)
{
    group_at_random(&grouped_written, true);
}

TEST(AR_10_who_follows_an_element_of_a_group_goes_where_it_goes)
{
    static const int five[] = {1, 2, 4, 5, 3};
    int followed = 0, others = 0;
    struct shelf shelf;
    begin_shelves();
    for (size_t i = 1; i < 6; i++) {
        song_set_plays(&songs[i], 1);
    }
    fill(source, five, 5);
    begin_shelf(&shelf, &grouped, NULL);
    struct obv_array *array = obv_dictionary_get(shelf.groups, "b");
    check_numbers(array, "12453");
    observe(&array->container.object, "3", &followed);
    observe(&array->container.object, "2", &others);
    CHECK_EQ(obv_array_reverse(source), OBV_OK);
    check_numbers(array, "35421");
    CHECK_EQ(obv_array_move(source, 1, 2, 3), OBV_OK);
    check_numbers(array, "32154");
    CHECK_EQ(obv_array_swap(source, 0, 3), OBV_OK);
    check_numbers(array, "52134");
    song_set_plays(&songs[4], 2);
    check_numbers(array, "5213");
    check_numbers(obv_dictionary_get(shelf.groups, "c"), "4");
    drain();
    CHECK_EQ(followed, 0);
    CHECK_EQ(others, 1);
    end_shelf(&shelf);
    obv_array_release(source);
    finish();
}

static void exchange_two_groups(void)
{
    struct shelf shelf;
    begin_shelves();
    fill(source, all_songs, 6);
    begin_shelf(&shelf, &grouped, NULL);
    check_numbers(obv_dictionary_get(shelf.groups, "b"), "23");
    check_numbers(obv_dictionary_get(shelf.groups, "c"), "45");
    check_shelf(&shelf, false);
    songs[2].plays = songs[3].plays = 2; /* of which nobody is told */
    songs[4].plays = songs[5].plays = 1;
    CHECK_EQ(obv_derived_refresh(&shelf.groups->container), OBV_OK);
    check_numbers(obv_dictionary_get(shelf.groups, "b"), "45");
    check_numbers(obv_dictionary_get(shelf.groups, "c"), "23");
    check_shelf(&shelf, true);
    CHECK_EQ(obv_array_remove(source, 3), OBV_OK);
    check_shelf(&shelf, true);
    end_shelf(&shelf);
    obv_array_release(source);
    finish();
}

/* The shape of trees is random. */
TEST(AR_10_elements_of_two_groups_change_places_at_once)
{
    for (size_t i = 0; i < 40; i++) {
        exchange_two_groups();
    }
}

TEST(AR_10_groups_are_edited_by_their_source_alone)
{
    struct shelf shelf;
    begin_shelves();
    fill(source, all_songs, 6);
    begin_shelf(&shelf, &grouped, NULL);
    const void *const keys[] = {"b"}, *const elements[] = {source};
    struct obv_array *array = obv_dictionary_get(shelf.groups, "b"), *copy;
    CHECK_EQ(obv_dictionary_put(shelf.groups, "b", source), OBV_E_DERIVED);
    CHECK_EQ(obv_dictionary_delete(shelf.groups, "b"), OBV_E_DERIVED);
    CHECK_EQ(obv_dictionary_merge(shelf.groups, keys, elements, 1),
             OBV_E_DERIVED);
    CHECK_EQ(obv_dictionary_assign(shelf.groups, keys, elements, 1),
             OBV_E_DERIVED);
    CHECK_EQ(obv_dictionary_clear(shelf.groups), OBV_E_DERIVED);
    CHECK_EQ(obv_array_append(array, &songs[1]), OBV_E_DERIVED);
    CHECK_EQ(obv_derived_status(&array->container), OBV_E_ARGUMENT);
    CHECK(!obv_derived_source(&array->container));
    check_numbers(array, "23");
    obv_array_retain(array);
    end_shelf(&shelf);
    CHECK_EQ(obv_array_append(source, &songs[2]), OBV_OK);
    check_numbers(array, "23"); /* it stays what it is */
    CHECK_EQ(obv_array_remove(array, 0), OBV_E_DERIVED);
    CHECK_EQ(obv_array_copy(array, &copy, NULL), OBV_OK);
    CHECK_EQ(obv_array_remove(copy, 0), OBV_OK);
    obv_array_release(copy);
    obv_array_release(array);
    obv_array_release(source);
    finish();
}

static void refuse_groups(enum obv_status status,
                          const struct obv_derived_kind *kind,
                          struct obv_class *cls, struct obv_class *arrays)
{
    struct obv_error error = {.status = OBV_OK};
    struct obv_dictionary *dictionary = NULL;
    CHECK_EQ(obv_derived_group(&source->container, kind, NULL, cls, arrays,
                               &dictionary, &error),
             status);
    CHECK_EQ(error.status, status);
    CHECK(error.message && !dictionary);
}

TEST(AR_10_what_cannot_be_grouped_is_refused)
{
    static const struct obv_collection_kind texts_by_name = {
        .size = sizeof texts_by_name,
        .name = "texts by name",
        .element = OBV_KIND_string};
    struct obv_class *of_texts;
    begin_shelves();
    CHECK_EQ(
        obv_dictionary_class_create(context, &texts_by_name, &of_texts, NULL),
        OBV_OK);
    refuse(OBV_E_ARGUMENT, &source->container, &grouped, NULL);
    refuse_groups(OBV_E_ARGUMENT, &odd, class_of_shelves, NULL);
    refuse_groups(OBV_E_ARGUMENT, &grouped, NULL, NULL);
    refuse_groups(OBV_E_ARGUMENT, &grouped, class_of_songs, NULL);
    refuse_groups(OBV_E_ARGUMENT, &grouped, class_of_shelves, song_class);
    refuse_groups(OBV_E_KIND, &grouped, of_texts, NULL);
    refuse_groups(OBV_E_KIND, &grouped, class_of_shelves, class_of_texts);
    obv_array_release(source);
    finish();
}

TEST(RE_the_key_of_a_group_edits_the_source)
{
    struct shelf shelf;
    begin_shelves();
    fill(source, all_songs, 6);
    edits_left = 3;
    begin_shelf(&shelf, &grouped, NULL);
    check_shelf(&shelf, false);
    for (size_t i = 0; i < 60; i++) {
        edits_left = (int)(i % 5);
        if (i % 2 == 0) {
            play_some_song();
        } else {
            edit_somehow(source);
        }
        edits_left = 0;
        check_shelf(&shelf, false);
    }
    end_shelf(&shelf);
    obv_array_release(source);
    finish();
}

/* Keys of the program's: numbers. */
static uint64_t hash_of_number(const struct obv_key_kind *kind, const void *key)
{
    (void)kind;
    return (uint64_t)(*(const int *)key % 2); /* many have the same */
}

static bool are_equal_numbers(const struct obv_key_kind *kind, const void *a,
                              const void *b)
{
    (void)kind;
    return *(const int *)a == *(const int *)b;
}

static void *copy_number(const struct obv_key_kind *kind, const void *key)
{
    int *copy = malloc(sizeof *copy);
    (void)kind;
    CHECK(copy);
    *copy = *(const int *)key;
    return copy;
}

static void free_number(const struct obv_key_kind *kind, void *copy)
{
    (void)kind;
    free(copy);
}

static const struct obv_key_kind number_keys = {.size = sizeof number_keys,
                                                .hash = hash_of_number,
                                                .equal = are_equal_numbers,
                                                .copy = copy_number,
                                                .free = free_number};

static bool sum_of_pair(const void *key, const void *element, void **mapped,
                        void *argument)
{
    *mapped = (void *)(uintptr_t)(100 * *(const int *)key + plays_at(element));
    (void)argument;
    return true;
}

TEST(AR_10_keys_of_every_kind_are_followed)
{
    static const struct obv_collection_kind kind = {.size = sizeof kind,
                                                    .name = "numbered",
                                                    .element = OBV_KIND_object,
                                                    .key = &number_keys};
    static const struct obv_derived_kind sums = {
        DERIVED_KIND, .map_pair = sum_of_pair, WHEN_PLAYED};
    struct obv_class *cls;
    struct obv_dictionary *dictionary;
    struct obv_array *rows;
    begin_songs();
    CHECK_EQ(obv_dictionary_class_create(context, &kind, &cls, NULL), OBV_OK);
    CHECK_EQ(obv_dictionary_create(cls, &dictionary, NULL), OBV_OK);
    CHECK_EQ(obv_derived_create(&dictionary->container, &sums, NULL,
                                class_of_numbers, &rows, NULL),
             OBV_OK);
    for (int key = 1; key < 6; key++) {
        CHECK_EQ(obv_dictionary_put(dictionary, &key, &songs[key]), OBV_OK);
    }
    const int second = 2, third = 3;
    CHECK_EQ(obv_dictionary_delete(dictionary, &third), OBV_OK);
    CHECK_EQ(obv_dictionary_put(dictionary, &second, &songs[6]), OBV_OK);
    song_set_plays(&songs[4], 9);
    const uintptr_t expected[] = {100, 203, 409, 502};
    CHECK_EQ(obv_array_count(rows), 4);
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQ((uintptr_t)obv_array_at(rows, i), expected[i]);
    }
    obv_array_release(rows);
    obv_dictionary_release(dictionary);
    obv_array_release(source);
    finish();
}

/* Threads ------------------------------------------------------------------ */

static void *release_rows(void *rows)
{
    obv_array_release(rows);
    return NULL;
}

TEST(TH_a_derived_array_is_released_by_another_thread)
{
    begin_songs();
    fill(source, all_songs, 6);
    for (size_t i = 0; i < 20; i++) {
        struct obv_array *rows = derive(source, &odd_sorted, NULL);
        pthread_t thread;
        obv_array_retain(rows);
        CHECK_EQ(pthread_create(&thread, NULL, release_rows, rows), 0);
        play_some_song(); /* meanwhile */
        edit_one(source);
        obv_array_release(rows);
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
    obv_array_release(source);
    finish();
}

/* Short memory ------------------------------------------------------------- */

static const struct obv_derived_kind *const short_kinds[] = {
    &odd, &sorted, &odd_sorted, &written, &played_written_sorted, &all_of_it};

static struct obv_class *short_class(size_t kind)
{
    return short_kinds[kind]->map ? class_of_texts : class_of_songs;
}

static void begin_short(size_t kind)
{
    diagnose = count_reports;
    reports = 0;
    begin_songs();
    const int several[] = {1, 2, 3, 4, 5, 6, 3, 0, 2};
    fill(source, several, 9);
    (void)kind;
}

/* False: no allocation was left to fail. */
static bool begin_without_memory(size_t kind, size_t n, bool all)
{
    struct obv_error error = {.status = OBV_OK};
    struct obv_array *array = NULL;
    begin_short(kind);
    test_fail_allocation(n, all);
    enum obv_status status =
        obv_derived_create(&source->container, short_kinds[kind], NULL,
                           short_class(kind), &array, &error);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(status == OBV_OK ||
          (status == OBV_E_MEMORY && !array && error.status == OBV_E_MEMORY));
    CHECK(failed || status == OBV_OK);
    CHECK_EQ(texts_out, 0);
    obv_array_release(array);
    obv_array_release(source);
    finish();
    return failed;
}

TEST(FA_2_deriving_without_memory_leaves_everything_as_it_was)
{
    for (size_t kind = 0; kind < 6; kind++) {
        for (size_t n = 1; begin_without_memory(kind, n, false); n++) {
        }
        for (size_t n = 1; begin_without_memory(kind, n, true); n++) {
        }
    }
}

enum { SHORT_EDITS = 13 };

static enum obv_status edit_by_number(struct view *view, size_t edit)
{
    static const int come[] = {5, 4, 3, 6, 2, 1, 5};
    const size_t order[] = {8, 7, 1, 0, 2, 3, 6, 5, 4};
    const void *const *elements = elements_of(come, 7);
    switch (edit) {
    case 0:
        return obv_array_append(source, &songs[3]);
    case 1:
        return obv_array_insert(source, 2, &songs[6]);
    case 2:
        return obv_array_remove(source, 2);
    case 3:
        return obv_array_replace(source, 1, &songs[6]);
    case 4:
        return obv_array_replace_range(source, 2, 3, elements, 7);
    case 5:
        return obv_array_assign(source, elements, 6);
    case 6:
        return obv_array_clear(source);
    case 7:
        return obv_array_move(source, 1, 3, 5);
    case 8:
        return obv_array_swap(source, 0, 5);
    case 9:
        return obv_array_reverse(source);
    case 10:
        return obv_array_permute(source, order);
    case 11:
        song_set_plays(&songs[3], 4);
        return OBV_OK;
    default:
        songs[2].plays = 7;
        return obv_derived_refresh(&view->array->container);
    }
}

static void recover(struct view *view, size_t way)
{
    switch (way % 3) {
    case 0:
        CHECK_EQ(obv_derived_refresh(&view->array->container), OBV_OK);
        break;
    case 1:
        CHECK_EQ(obv_array_append(source, &songs[6]), OBV_OK);
        break;
    default:
        if (view->kind->path_count != 0 && obv_array_count(source) > 2) {
            song_set_plays((struct song *)obv_array_at(source, 0), 9);
        } else {
            CHECK_EQ(obv_array_append(source, &songs[1]), OBV_OK);
        }
        break;
    }
}

/* An edit that has been made is followed, or nothing of it is. */
static bool edit_without_memory(size_t kind, size_t edit, size_t n, bool all)
{
    const void *before[ROOM];
    begin_short(kind);
    add_view(source, short_kinds[kind], short_class(kind));
    struct view *view = &views[0];
    size_t count = view->copy_count;
    memcpy(before, view->copy, sizeof before);
    obv_edit_list_release(view->list); /* it would be short of memory as well */
    view->list = NULL;
    if (edit + 1 == SHORT_EDITS && view->kind->path_count == 0) {
        edit = 0; /* nobody would be told of the other elements */
    }
    test_fail_allocation(n, all);
    (void)edit_by_number(view, edit);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    enum obv_status status = obv_derived_status(&view->array->container);
    CHECK(status == OBV_OK || (failed && status == OBV_E_MEMORY));
    CHECK_EQ(reports, status != OBV_OK);
    if (status == OBV_OK) {
        check_view(view);
    } else {
        check_equal_content(view, before, count);
        recover(view, n);
        CHECK_EQ(reports, status != OBV_OK);
    }
    check_view(view);
    play_some_song();
    CHECK_EQ(obv_array_append(source, &songs[5]), OBV_OK);
    check_view(view);
    end_views();
    obv_array_release(source);
    finish();
    return failed;
}

TEST(FA_1_what_could_not_be_followed_is_made_up_for)
{
    for (size_t kind = 0; kind < 6; kind++) {
        for (size_t edit = 0; edit < SHORT_EDITS; edit++) {
            for (size_t n = 1; edit_without_memory(kind, edit, n, false); n++) {
            }
            for (size_t n = 1; edit_without_memory(kind, edit, n, true); n++) {
            }
        }
    }
}

static void edit_keys_by_number(struct obv_dictionary *dictionary, size_t edit)
{
    static const char *const keys[] = {"b", "g", "a", "h", "c", "i"};
    const void *const elements[] = {&songs[5], &songs[1], &songs[3],
                                    &songs[2], &songs[6], NULL};
    switch (edit) {
    case 0:
        (void)obv_dictionary_put(dictionary, "b", &songs[6]);
        break;
    case 1:
        (void)obv_dictionary_put(dictionary, "g", &songs[1]);
        break;
    case 2:
        (void)obv_dictionary_delete(dictionary, "b");
        break;
    case 3:
        (void)obv_dictionary_merge(dictionary, keys, elements, 6);
        break;
    case 4:
        (void)obv_dictionary_assign(dictionary, keys, elements, 6);
        break;
    default:
        (void)obv_dictionary_clear(dictionary);
    }
}

static bool edit_keys_without_memory(size_t edit, size_t n, bool all)
{
    struct standing before = {.count = 0}, standing;
    struct obv_array *rows = NULL;
    diagnose = count_reports;
    reports = 0;
    begin_songs();
    struct obv_dictionary *dictionary = make_dictionary();
    for (size_t i = 0; i < 5; i++) {
        CHECK_EQ(obv_dictionary_put(dictionary, names[i], &songs[i + 1]),
                 OBV_OK);
    }
    if (edit == 6) {
        test_fail_allocation(n, all);
    }
    enum obv_status status = obv_derived_create(
        &dictionary->container, &with_keys, NULL, class_of_texts, &rows, NULL);
    if (edit != 6) {
        CHECK_EQ(status, OBV_OK);
        check_pairs(dictionary, rows, &before);
        test_fail_allocation(n, all);
        edit_keys_by_number(dictionary, edit);
    }
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    if (rows) {
        standing = before;
        if (obv_derived_status(&rows->container) != OBV_OK) {
            CHECK_EQ(obv_derived_status(&rows->container), OBV_E_MEMORY);
            CHECK_EQ(reports, 1);
            CHECK_EQ(obv_array_count(rows), before.count);
            if (n % 2) {
                CHECK_EQ(obv_derived_refresh(&rows->container), OBV_OK);
            } else {
                CHECK_EQ(obv_dictionary_put(dictionary, "c", NULL), OBV_OK);
            }
        }
        check_pairs(dictionary, rows, &standing);
        CHECK_EQ(obv_dictionary_put(dictionary, "h", &songs[3]), OBV_OK);
        CHECK_EQ(obv_dictionary_delete(dictionary, "a"), OBV_OK);
        check_pairs(dictionary, rows, &standing);
    } else {
        CHECK(failed && status == OBV_E_MEMORY);
    }
    obv_array_release(rows);
    CHECK_EQ(texts_out, 0);
    obv_dictionary_release(dictionary);
    obv_array_release(source);
    finish();
    return failed;
}

TEST(FA_1_what_became_of_keys_is_made_up_for)
{
    for (size_t edit = 0; edit < 7; edit++) {
        for (size_t n = 1; edit_keys_without_memory(edit, n, false); n++) {
        }
        for (size_t n = 1; edit_keys_without_memory(edit, n, true); n++) {
        }
    }
}

static bool group_without_memory(const struct obv_derived_kind *kind,
                                 size_t edit, size_t n, bool all)
{
    const void *before[GROUPS][ROOM];
    size_t counts[GROUPS] = {0};
    struct shelf shelf = {.kind = kind};
    begin_short(0);
    struct obv_class *cls = kind->map ? class_of_texts : NULL;
    CHECK_EQ(obv_dictionary_class_create(context, &named_songs,
                                         &class_of_shelves, NULL),
             OBV_OK);
    bool begins = edit == SHORT_EDITS;
    if (begins) {
        struct obv_dictionary *groups = NULL;
        test_fail_allocation(n, all);
        enum obv_status status =
            obv_derived_group(&source->container, kind, NULL, class_of_shelves,
                              cls, &groups, NULL);
        bool failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(status == OBV_OK ? groups != NULL
                               : failed && status == OBV_E_MEMORY && !groups);
        obv_dictionary_release(groups);
        obv_array_release(source);
        finish();
        return failed;
    }
    begin_shelf(&shelf, kind, cls);
    check_shelf(&shelf, false);
    for (size_t i = 0; i < GROUPS; i++) {
        obv_array_release(shelf.copies[i]); /* would be short as well */
        shelf.copies[i] = NULL;
        struct obv_array *array = obv_dictionary_get(shelf.groups, names[i]);
        const struct view view = {.array = array};
        for (size_t j = 0; array && j < obv_array_count(array); j++) {
            before[i][counts[i]++] = kept(&view, obv_array_at(array, j));
        }
    }
    obv_array_release(shelf.list);
    shelf.list = NULL;
    test_fail_allocation(n, all);
    if (edit + 1 == SHORT_EDITS) {
        songs[2].plays = 7;
        (void)obv_derived_refresh(&shelf.groups->container);
    } else {
        (void)edit_by_number(NULL, edit);
    }
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    enum obv_status status = obv_derived_status(&shelf.groups->container);
    CHECK(status == OBV_OK || (failed && status == OBV_E_MEMORY));
    CHECK_EQ(reports, status != OBV_OK);
    for (size_t i = 0; status != OBV_OK && i < GROUPS; i++) {
        struct obv_array *array = obv_dictionary_get(shelf.groups, names[i]);
        const struct view view = {.array = array};
        CHECK_EQ(array ? obv_array_count(array) : 0, counts[i]);
        if (array) {
            check_equal_content(&view, before[i], counts[i]);
        }
    }
    if (status != OBV_OK && n % 2) {
        CHECK_EQ(obv_derived_refresh(&shelf.groups->container), OBV_OK);
    } else if (status != OBV_OK) {
        CHECK_EQ(obv_array_append(source, &songs[4]), OBV_OK);
    }
    CHECK_EQ(obv_derived_create(&shelf.groups->container, &all_of_it, NULL,
                                class_of_songs, &shelf.list, NULL),
             OBV_OK);
    check_shelf(&shelf, false);
    play_some_song();
    CHECK_EQ(obv_array_append(source, &songs[6]), OBV_OK);
    check_shelf(&shelf, false);
    end_shelf(&shelf);
    obv_array_release(source);
    finish();
    return failed;
}

static void group_short(const struct obv_derived_kind *kind)
{
    for (size_t edit = 0; edit <= SHORT_EDITS; edit++) {
        for (size_t n = 1; group_without_memory(kind, edit, n, false); n++) {
        }
        for (size_t n = 1; group_without_memory(kind, edit, n, true); n++) {
        }
    }
}

TEST(FA_1_what_became_of_groups_is_made_up_for)
{
    group_short(&grouped);
    group_short(&grouped_sorted);
    group_short(&grouped_written);
}
