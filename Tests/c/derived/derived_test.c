/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived collections: after each random edit of the source and each change of
 * an element all of them against what is made anew from the source, with a copy
 * beside each that is kept by the edits which are told.
 */
#include "collections/fixture.h"

#include <observable/derived.h>

#include <stdlib.h>

enum { MOST = 40, MANY = 700, ROOM = 1200, VIEWS = 16, NAMES = 4 };

static const struct obv_collection_kind song_arrays = {
    .size = sizeof song_arrays, .name = "songs", .element = OBV_KIND_object};
static const struct obv_collection_kind text_arrays = {
    .size = sizeof text_arrays, .name = "texts", .element = OBV_KIND_string};
static const struct obv_collection_kind song_sets = {
    .size = sizeof song_sets, .name = "sets", .element = OBV_KIND_object};
static const struct obv_collection_kind song_names = {
    .size = sizeof song_names, .name = "named", .element = OBV_KIND_object};
static const char *const names[NAMES] = {"a", "b", "c", "d"};

static struct obv_class *class_of_songs, *class_of_texts;
static struct obv_derived_class rows_of_songs, rows_of_texts, rows_of_numbers,
    groups_of_songs;
static struct obv_array *source;

static void make_class(struct obv_derived_class *cls, const char *name,
                       enum obv_kind element)
{
    *cls = (struct obv_derived_class){.allocator = test_allocator()};
    CHECK_EQ(obv_derived_class_create(context, cls, name, element, NULL),
             OBV_OK);
}

static void begin_songs(void)
{
    begin();
    CHECK_EQ(
        obv_array_class_create(context, &song_arrays, &class_of_songs, NULL),
        OBV_OK);
    CHECK_EQ(
        obv_array_class_create(context, &text_arrays, &class_of_texts, NULL),
        OBV_OK);
    make_class(&rows_of_songs, "rows of songs", OBV_KIND_object);
    make_class(&rows_of_texts, "rows of texts", OBV_KIND_string);
    make_class(&rows_of_numbers, "rows of numbers", OBV_KIND_pointer);
    groups_of_songs = (struct obv_derived_class){.allocator = test_allocator()};
    CHECK_EQ(obv_derived_groups_class_create(context, &groups_of_songs,
                                             "groups", NULL, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(class_of_songs, &source, NULL), OBV_OK);
    is_of_texts = false;
}

static size_t asked, mapped_out, mapped_made, mapped_of_keys;

static void finish_songs(void)
{
    obv_array_release(source);
    drain();
    for (size_t i = 1; i < POOL; i++) {
        CHECK_EQ(obv_observer_count(&songs[i].object, "plays"), 0);
    }
    CHECK_EQ(mapped_out, 0);
    finish();
}

static size_t below(size_t limit)
{
    return (size_t)random_below((int)limit);
}

/* Functions of kinds ------------------------------------------------------- */

static int edits_left;

static int64_t plays_at(const void *element)
{
    const struct song *song = *(struct song *const *)element;
    return song ? song->plays : -1;
}

static const struct obv_derived *read_rows;

/* What is read meanwhile is between two states, and no harm. */
static void edit_meanwhile(void)
{
    static size_t position;
    if (read_rows) {
        position = (position + 1) % 9;
        (void)obv_derived_at(read_rows, position);
    }
    if (edits_left > 0) {
        edits_left--;
        CHECK_EQ(obv_array_insert(source, 0, &songs[1 + edits_left % 6]),
                 OBV_OK);
        size_t count = obv_array_count(source);
        if (count != 0) { /* handlers may have removed all */
            CHECK_EQ(obv_array_move(source, 0, 1, count - 1), OBV_OK);
        }
        song_set_plays(&songs[1 + edits_left % 5], edits_left);
    }
}

static int64_t least = 2;

static bool is_odd(const void *element, void *argument)
{
    (void)argument;
    asked++;
    edit_meanwhile();
    return plays_at(element) % 2 != 0;
}

static bool is_played(const void *element, void *argument)
{
    (void)argument;
    return plays_at(element) >= least;
}

static int order = 1;

static int by_plays(const void *a, const void *b, void *argument)
{
    (void)argument;
    edit_meanwhile();
    return order * ((plays_at(a) > plays_at(b)) - (plays_at(a) < plays_at(b)));
}

/* A row of its own for each, as long as it stays. */
struct row {
    int64_t plays;
    const void *element;
};

static bool make_row(const void *key, const void *element, void **mapped,
                     void *argument)
{
    struct row *row;
    (void)argument;
    edit_meanwhile();
    if (plays_at(element) == 0) {
        return false;
    }
    row = malloc(sizeof *row);
    CHECK(row);
    row->plays = plays_at(element);
    row->element = *(void *const *)element;
    *mapped = row;
    mapped_out++;
    mapped_made++;
    mapped_of_keys += key != NULL;
    return true;
}

static void dispose_row(void *row, void *argument)
{
    (void)argument;
    free(row);
    mapped_out--;
}

static const void *name_of(const void *element, void *argument)
{
    int64_t plays = plays_at(element);
    (void)argument;
    edit_meanwhile();
    return plays > 0 ? names[plays % NAMES] : NULL;
}

/* Elements with a row may have no name, too. */
static const void *low_name_of(const void *element, void *argument)
{
    return plays_at(element) < 4 ? name_of(element, argument) : NULL;
}

static bool has_e(const void *element, void *argument)
{
    const char *text = *(const char *const *)element;
    (void)argument;
    return text && strchr(text, 'e');
}

static int by_text(const void *a, const void *b, void *argument)
{
    const char *text_a = *(const char *const *)a;
    const char *text_b = *(const char *const *)b;
    (void)argument;
    return strcmp(text_a ? text_a : "", text_b ? text_b : "");
}

static struct obv_container *as_container(const void *place, void *argument)
{
    (void)argument;
    return *(struct obv_container *const *)place;
}

static const char *const plays_path[] = {"plays"};

#define KIND        .size = sizeof(struct obv_derived_kind)
#define WHEN_PLAYED .paths = plays_path, .path_count = 1

static const struct obv_derived_kind all_of_it = {KIND};
static const struct obv_derived_kind odd = {KIND, .includes = is_odd,
                                            WHEN_PLAYED};
static const struct obv_derived_kind sorted = {KIND, .compare = by_plays,
                                               WHEN_PLAYED};
static const struct obv_derived_kind odd_sorted = {
    KIND, .includes = is_odd, .compare = by_plays, WHEN_PLAYED};
static const struct obv_derived_kind in_rows = {
    KIND, .map = make_row, .left = dispose_row, WHEN_PLAYED};
static const struct obv_derived_kind sorted_rows = {
    KIND, .map = make_row, .left = dispose_row, .compare = by_plays,
    WHEN_PLAYED};
static const struct obv_derived_kind distinct = {
    KIND, .key = name_of, .is_distinct = true, WHEN_PLAYED};
static const struct obv_derived_kind distinct_rows = {
    KIND,        .map = make_row,    .left = dispose_row, .key = low_name_of,
    WHEN_PLAYED, .is_distinct = true};
static const struct obv_derived_kind page = {KIND, .first = 2, .limit = 5};
static const struct obv_derived_kind grouped = {KIND, .key = name_of,
                                                WHEN_PLAYED};
static const struct obv_derived_kind grouped_sorted = {
    KIND, .key = name_of, .compare = by_plays, WHEN_PLAYED};
static const struct obv_derived_kind by_condition = {KIND,
                                                     .includes = is_played};
static const struct obv_derived_kind texts_with_e = {KIND, .includes = has_e};
static const struct obv_derived_kind texts_sorted = {KIND, .compare = by_text};
static const struct obv_derived_kind flattened = {KIND,
                                                  .container = as_container};

/* Views: something derived, and what is known of it ------------------------ */

struct view {
    struct obv_container *from;
    struct obv_derived *array;
    const struct obv_derived_kind *kind;
    /* Kept by the edits that are told. */
    const void *copy[ROOM];
    size_t count;
    int calls;
    struct obv_edit_list *list;
    size_t first, limit;
};

static struct view views[VIEWS];
static size_t view_count;

static const void *at(const struct obv_container *container, size_t i)
{
    const struct obv_container_kind *access =
        obv_container_kind_of(obv_object_class(&container->object));
    return *(const void *const *)access->at(container, i);
}

static size_t count_of(const struct obv_container *container)
{
    const struct obv_container_kind *access =
        obv_container_kind_of(obv_object_class(&container->object));
    return access->count(container);
}

static bool are_same(const void *a, const void *b)
{
    return a == b || (is_of_texts && a && b && strcmp(a, b) == 0);
}

/* A text that stays. */
static const void *kept(const void *element)
{
    size_t i = 1;
    if (!is_of_texts || !element) {
        return element;
    }
    while (strcmp(texts[i], element) != 0) {
        i++;
    }
    return texts[i];
}

static void follow_edit(struct view *view,
                        const struct obv_container_edit *edit)
{
    const void *was[ROOM];
    memcpy(was, view->copy, sizeof was);
    if (edit->moved == 0) {
        const void **place = &view->copy[edit->position];
        CHECK(edit->position + edit->removed <= view->count);
        for (size_t i = 0; i < edit->removed; i++) {
            CHECK(!view->array->list || /* it has ended */
                  are_same(place[i], ((void *const *)edit->old)[i]));
        }
        memmove(place + edit->inserted, place + edit->removed,
                (view->count - edit->position - edit->removed) * sizeof *place);
        for (size_t i = 0; i < edit->inserted; i++) {
            place[i] = kept(at(&view->array->container, edit->position + i));
        }
        view->count += edit->inserted - edit->removed;
    } else if (edit->order) {
        bool differs = false;
        CHECK(edit->position + edit->moved <= view->count);
        for (size_t i = 0; i < edit->moved; i++) {
            view->copy[edit->position + edit->order[i]] =
                was[edit->position + i];
            differs = differs || edit->order[i] != i;
        }
        CHECK(differs);
    } else {
        size_t to = 0;
        CHECK(edit->position != edit->to);
        for (size_t i = 0; i < view->count; i++) {
            bool moves =
                i >= edit->position && i < edit->position + edit->moved;
            view->copy[moves           ? edit->to + i - edit->position
                       : to < edit->to ? to
                                       : to + edit->moved] = was[i];
            to += !moves;
        }
    }
}

static void follow_told(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct view *view = observer;
    size_t count;
    const struct obv_container_edit *edits =
        obv_container_edits(&view->array->container, &count);
    (void)root;
    (void)call;
    view->calls++;
    CHECK(count != 0);
    for (size_t i = 0; i < count; i++) {
        follow_edit(view, &edits[i]);
    }
}

static struct obv_derived *derive(struct obv_container *from,
                                  const struct obv_derived_kind *kind,
                                  const struct obv_derived_class *cls)
{
    struct obv_derived *array;
    CHECK_EQ(obv_derived_create(from, kind, NULL, cls, &array, NULL), OBV_OK);
    return array;
}

static void watch(struct view *view)
{
    static const struct obv_handler_kind following = {.changed = follow_told};
    const struct obv_observe_options options = {
        .size = sizeof options,
        .flags = OBV_IMMEDIATE,
        .compare = OBV_COMPARE_ALWAYS_DIFFERENT};
    const struct obv_pair pair = {&view->array->container.object, "*"};
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &following, view, &options, NULL, NULL),
        OBV_OK);
    view->count = obv_derived_count(view->array);
    for (size_t i = 0; i < view->count; i++) {
        view->copy[i] = kept(obv_derived_at(view->array, i));
    }
}

static struct obv_container *add_view(struct obv_container *from,
                                      const struct obv_derived_kind *kind,
                                      const struct obv_derived_class *cls)
{
    struct view *view = &views[view_count++];
    CHECK(view_count <= VIEWS);
    *view = (struct view){
        .from = from, .kind = kind, .first = kind->first, .limit = kind->limit};
    view->array = derive(from, kind, cls);
    watch(view);
    return &view->array->container;
}

static void end_views(void)
{
    while (view_count != 0) {
        obv_derived_release(views[--view_count].array);
    }
}

/* What is made anew: a plain filter, a stable sort by insertion. */
static size_t make_anew(const struct view *view, const void **made)
{
    const struct obv_derived_kind *kind = view->kind;
    size_t count = 0, all = count_of(view->from);
    for (size_t i = 0; i < all; i++) {
        const void *element = at(view->from, i);
        const void *key = kind->key ? kind->key(&element, NULL) : NULL;
        size_t place = count;
        bool is_known = false;
        for (size_t j = 0; j < count && kind->is_distinct; j++) {
            is_known = is_known || kind->key(&made[j], NULL) == key;
        }
        if ((kind->includes && !kind->includes(&element, NULL)) ||
            (kind->map && plays_at(&element) == 0) ||
            (kind->key && (!key || is_known)) ||
            (view->limit != 0 &&
             (i < view->first || i - view->first >= view->limit))) {
            continue;
        }
        while (kind->compare && place > 0 &&
               kind->compare(&element, &made[place - 1], NULL) < 0) {
            made[place] = made[place - 1];
            place--;
        }
        made[place] = element;
        count++;
    }
    return count;
}

static void check_view(struct view *view)
{
    const void *made[ROOM];
    size_t count = make_anew(view, made);
    CHECK_EQ(obv_derivation_status(view->array->derivation), OBV_OK);
    CHECK_EQ(obv_derived_count(view->array), count);
    CHECK_EQ(view->count, count);
    for (size_t i = 0; i < count; i++) {
        const void *shown = obv_derived_at(view->array, i);
        CHECK(are_same(view->copy[i], shown));
        if (view->kind->map) {
            const struct row *row = shown;
            CHECK(row->element == made[i]);
            CHECK_EQ(row->plays, plays_at(&made[i]));
        } else {
            CHECK(are_same(shown, made[i]));
        }
    }
    if (count != 0) {
        size_t some = below(count);
        size_t index = obv_derived_list_index(view->array->list, made[some]);
        CHECK(index <= some && are_same(made[index], made[some]));
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

/* So that the trees of an order have several levels. */
static void insert_many(struct obv_array *array)
{
    const void *come[MANY];
    for (size_t i = 0; i < MANY; i++) {
        come[i] = element(random_below(POOL));
    }
    CHECK_EQ(obv_array_replace_range(array, below(obv_array_count(array) + 1),
                                     0, come, MANY),
             OBV_OK);
}

static void edit_some(struct obv_array *array)
{
    const void *come[12];
    size_t all = obv_array_count(array), places[ROOM];
    size_t position = below(all + 1), count = below(all - position + 1);
    size_t inserted = all > MOST ? 0 : below(5);
    for (size_t i = 0; i < 12; i++) {
        come[i] = element(random_below(POOL));
    }
    switch (below(12)) {
    case 0:
        CHECK_EQ(obv_array_assign(array, come, below(12)), OBV_OK);
        break;
    case 1:
        CHECK_EQ(obv_array_reverse(array), OBV_OK);
        break;
    case 2:
        for (size_t i = 0; i < all; i++) {
            size_t j = below(i + 1);
            places[i] = places[j];
            places[j] = i;
        }
        CHECK_EQ(obv_array_permute(array, places), OBV_OK);
        break;
    case 3:
    case 4:
        CHECK_EQ(obv_array_move(array, position, count, below(all - count + 1)),
                 OBV_OK);
        break;
    case 5:
    case 6:
        count = count > 6 ? 6 : count;
        CHECK_EQ(
            obv_array_replace_range(array, position, count, come, inserted),
            OBV_OK);
        break;
    case 7:
        if (all != 0) {
            CHECK_EQ(obv_array_swap(array, below(all), below(all)), OBV_OK);
        }
        break;
    case 8: /* a reload of what is there, but for one */
        if (all > 1) {
            const void *again[ROOM];
            for (size_t i = 0; i < all; i++) {
                again[i] = kept(obv_array_at(array, i));
            }
            memmove(again + 1, again + 2, (all - 2) * sizeof *again);
            CHECK_EQ(obv_array_assign(array, again, all - 1), OBV_OK);
        }
        break;
    case 9:
        if (position < all) {
            CHECK_EQ(obv_array_replace(array, position,
                                       below(2) ? obv_array_at(array, position)
                                                : come[0]),
                     OBV_OK);
        }
        break;
    default:
        CHECK_EQ(position < all && all > 8
                     ? obv_array_remove(array, position)
                     : obv_array_insert(array, position, come[0]),
                 OBV_OK);
    }
}

static void play_some_song(void)
{
    song_set_plays(&songs[1 + below(POOL - 1)], random_below(6));
}

static void fill(const char *numbers)
{
    const void *elements[ROOM];
    for (size_t i = 0; numbers[i]; i++) {
        elements[i] = element(numbers[i] - '0');
    }
    CHECK_EQ(obv_array_assign(source, elements, strlen(numbers)), OBV_OK);
}

static void check_numbers(const struct obv_derived *array, const char *numbers)
{
    CHECK_EQ(obv_derived_count(array), strlen(numbers));
    for (size_t i = 0; numbers[i]; i++) {
        CHECK(is_element(obv_derived_at(array, i), numbers[i] - '0'));
    }
}

/* Random ------------------------------------------------------------------- */

TEST(AR_10_what_is_derived_is_what_is_made_anew)
{
    begin_songs();
    struct obv_container *from = &source->container;
    fill("123456123");
    struct obv_container *rows = add_view(from, &sorted, &rows_of_songs);
    add_view(rows, &odd, &rows_of_songs);
    add_view(rows, &page, &rows_of_songs);
    rows = add_view(from, &odd_sorted, &rows_of_songs);
    add_view(rows, &distinct, &rows_of_songs);
    add_view(from, &odd, &rows_of_songs);
    add_view(from, &in_rows, &rows_of_numbers);
    add_view(from, &sorted_rows, &rows_of_numbers);
    add_view(from, &all_of_it, &rows_of_songs);
    add_view(from, &distinct, &rows_of_songs);
    add_view(from, &distinct_rows, &rows_of_numbers);
    rows = add_view(from, &page, &rows_of_songs);
    add_view(rows, &sorted, &rows_of_songs);
    for (size_t i = 0; i < 8000; i++) {
        bool is_edit = below(3) != 0;
        if (is_edit) {
            edit_some(source);
        } else {
            play_some_song();
        }
        check_views(is_edit);
        if (i % 32 == 0) {
            CHECK_EQ(obv_derivation_refresh(
                         views[below(view_count)].array->derivation,
                         1 + (unsigned)below(7)),
                     OBV_OK);
            check_views(false);
        }
    }
    end_views();
    finish_songs();
}

TEST(AR_10_what_is_derived_of_many_is_what_is_made_anew)
{
    begin_songs();
    struct obv_container *from = &source->container;
    add_view(from, &sorted, &rows_of_songs);
    add_view(from, &odd_sorted, &rows_of_songs);
    add_view(from, &odd, &rows_of_songs);
    add_view(from, &distinct, &rows_of_songs);
    add_view(from, &page, &rows_of_songs);
    for (size_t i = 0; i < 60; i++) {
        if (obv_array_count(source) < MANY / 2) {
            insert_many(source);
        }
        for (size_t j = 0; j < 12; j++) {
            below(3) ? edit_some(source) : play_some_song();
        }
        check_views(false);
    }
    end_views();
    finish_songs();
}

TEST(AR_10_what_is_derived_of_texts_is_what_is_made_anew)
{
    begin_songs();
    obv_array_release(source);
    CHECK_EQ(obv_array_create(class_of_texts, &source, NULL), OBV_OK);
    is_of_texts = true;
    add_view(&source->container, &texts_with_e, &rows_of_texts);
    struct obv_container *rows =
        add_view(&source->container, &texts_sorted, &rows_of_texts);
    add_view(rows, &texts_with_e, &rows_of_texts);
    for (size_t i = 0; i < 4000; i++) {
        edit_some(source);
        check_views(true);
    }
    end_views();
    is_of_texts = false;
    finish_songs();
}

TEST(AR_10_functions_that_edit_the_source)
{
    begin_songs();
    struct obv_container *from = &source->container;
    fill("123456");
    add_view(from, &odd, &rows_of_songs);
    add_view(from, &odd_sorted, &rows_of_songs);
    add_view(from, &in_rows, &rows_of_numbers);
    add_view(from, &distinct, &rows_of_songs);
    for (size_t i = 0; i < 2000; i++) {
        read_rows = views[i / 4 % view_count].array;
        edits_left = (int)(i % 4);
        if (i % 3 == 0) {
            play_some_song();
        } else {
            edit_some(source);
        }
        edits_left = 0;
        read_rows = NULL;
        check_views(false);
    }
    end_views();
    finish_songs();
}

/* Of two that are equal each comes first. */
static int contradict(const void *a, const void *b, void *argument)
{
    (void)argument;
    return plays_at(a) < plays_at(b) ? -1 : 1;
}

/* All are put in at one place, in the last leaf of a node that is full. */
TEST(AR_10_many_by_a_comparison_that_contradicts_itself)
{
    enum { LOW = 996, HIGH = 28, COME = 16000 };
    static const struct obv_derived_kind kind = {KIND, .compare = contradict};
    static const void *elements[COME];
    begin_songs();
    for (size_t i = 0; i < COME; i++) {
        elements[i] = &songs[i < COME - LOW ? 2 : 1];
    }
    CHECK_EQ(obv_array_assign(source, &elements[COME - LOW - HIGH], LOW + HIGH),
             OBV_OK);
    struct obv_derived *rows =
        derive(&source->container, &kind, &rows_of_songs);
    for (size_t i = 0; i < COME; i++) {
        elements[i] = &songs[2];
    }
    CHECK_EQ(obv_array_replace_range(source, 0, 0, elements, COME), OBV_OK);
    CHECK_EQ(obv_derived_count(rows), LOW + HIGH + COME);
    for (size_t i = 0; i < LOW + HIGH + COME; i++) {
        CHECK(obv_derived_at(rows, i) == &songs[i < LOW ? 1 : 2]);
    }
    obv_derived_release(rows);
    finish_songs();
}

static bool make_row_of_a_song_that_changes(const void *key,
                                            const void *element, void **mapped,
                                            void *argument)
{
    bool is_made = make_row(key, element, mapped, argument);
    int64_t plays = plays_at(element);
    if (plays == 8 || plays == 10) {
        song_set_plays(*(struct song *const *)element, plays == 8 ? 9 : 0);
    }
    return is_made;
}

/* A row that is made again before it was shown, and one that is none then. */
TEST(AR_10_what_was_made_and_never_shown_is_disposed_of)
{
    static const struct obv_derived_kind kind = {
        KIND, .map = make_row_of_a_song_that_changes, .left = dispose_row,
        WHEN_PLAYED};
    begin_songs();
    fill("234");
    add_view(&source->container, &kind, &rows_of_numbers);
    for (int64_t plays = 8; plays <= 10; plays += 2) {
        song_set_plays(&songs[3], plays);
        check_views(false);
        CHECK_EQ(mapped_out, obv_derived_count(views[0].array));
    }
    end_views();
    finish_songs();
}

/* Groups ------------------------------------------------------------------- */

static struct view group_views[NAMES];
static int group_calls;

static void follow_group(const struct obv_derived *groups, size_t i,
                         const struct obv_derived_kind *kind)
{
    struct obv_derived *array = obv_derived_get(groups, names[i]);
    struct view *view = &group_views[i];
    const void *made[ROOM];
    size_t count = 0, all = obv_array_count(source);
    for (size_t j = 0; j < all; j++) {
        const void *song = obv_array_at(source, j);
        size_t place = count;
        if (name_of(&song, NULL) != names[i]) {
            continue;
        }
        while (kind->compare && place > 0 &&
               by_plays(&song, &made[place - 1], NULL) < 0) {
            made[place] = made[place - 1];
            place--;
        }
        made[place] = song;
        count++;
    }
    CHECK_EQ(array != NULL, count != 0);
    if (array != view->array) {
        if (view->array) {
            CHECK_EQ(obv_derived_count(view->array), 0);
            CHECK_EQ(view->count, 0);
        }
        obv_derived_release(view->array);
        *view = (struct view){.array = array};
        if (array) {
            obv_derived_retain(array);
            watch(view);
            CHECK_TEXT(obv_derived_key(array), names[i]);
        }
    }
    CHECK_EQ(view->count, count);
    CHECK_EQ(array ? obv_derived_count(array) : 0, count);
    for (size_t j = 0; j < count; j++) {
        CHECK(obv_derived_at(array, j) == made[j]);
        CHECK(view->copy[j] == made[j]);
    }
}

static void follow_groups(const struct obv_derived_kind *kind, bool are_many)
{
    struct obv_derived *groups, *listed;
    static const struct obv_handler_kind counting_at_once = {.changed =
                                                                 count_call};
    begin_songs();
    fill("123456");
    CHECK_EQ(obv_derived_group(&source->container, kind, NULL, &groups_of_songs,
                               &rows_of_songs, &groups, NULL),
             OBV_OK);
    listed = derive(&groups->container, &all_of_it, &rows_of_songs);
    const struct obv_pair pair = {&groups->container.object, "*"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &counting_at_once, &group_calls,
                               &options, NULL, NULL),
             OBV_OK);
    for (size_t i = 0; i < (are_many ? 100 : 3000); i++) {
        bool is_edit = below(3) != 0;
        if (are_many && obv_array_count(source) < MANY / 2) {
            insert_many(source);
        }
        group_calls = 0;
        is_edit ? edit_some(source) : play_some_song();
        CHECK(!is_edit || group_calls <= 1);
        size_t count = 0;
        for (size_t j = 0; j < NAMES; j++) {
            follow_group(groups, j, kind);
            count += group_views[j].array != NULL;
        }
        CHECK_EQ(obv_derived_count(groups), count);
        CHECK_EQ(obv_derived_count(listed), count);
    }
    obv_derived_release(listed);
    obv_derived_release(groups);
    for (size_t j = 0; j < NAMES; j++) {
        if (group_views[j].array) {
            CHECK_EQ(obv_derived_count(group_views[j].array), 0);
            CHECK_EQ(group_views[j].count, 0);
        }
        obv_derived_release(group_views[j].array);
    }
    finish_songs();
}

TEST(AR_10_groups_are_what_is_made_anew)
{
    follow_groups(&grouped, false);
}

TEST(AR_10_groups_with_an_order_are_what_is_made_anew)
{
    follow_groups(&grouped_sorted, false);
}

TEST(AR_10_groups_of_many_are_what_is_made_anew)
{
    follow_groups(&grouped_sorted, true);
}

/* Several sources ---------------------------------------------------------- */

enum { INNER = 4 };

static void check_flattened(const struct view *view, struct obv_array *outer)
{
    size_t count = 0;
    for (size_t i = 0; i < obv_array_count(outer); i++) {
        const struct obv_array *inner = obv_array_at(outer, i);
        for (size_t j = 0; inner && j < obv_array_count(inner); j++) {
            CHECK(view->copy[count] == obv_array_at(inner, j));
            CHECK(obv_derived_at(view->array, count) == view->copy[count]);
            count++;
        }
    }
    CHECK_EQ(view->count, count);
    CHECK_EQ(obv_derived_count(view->array), count);
}

TEST(AR_10_what_is_flattened_follows_all_of_its_sources)
{
    struct obv_array *outer, *inner[INNER];
    begin_songs();
    CHECK_EQ(obv_array_create(class_of_songs, &outer, NULL), OBV_OK);
    for (size_t i = 0; i < INNER; i++) {
        CHECK_EQ(obv_array_create(class_of_songs, &inner[i], NULL), OBV_OK);
    }
    struct view view = {.kind = &flattened};
    view.array = derive(&outer->container, &flattened, &rows_of_songs);
    watch(&view);
    add_view(&view.array->container, &sorted, &rows_of_songs);
    for (size_t i = 0; i < 4000; i++) {
        size_t count = obv_array_count(outer);
        if (below(5) != 0) {
            edit_some(inner[below(INNER)]);
        } else if (count > 4 || (count != 0 && below(2) == 0)) {
            CHECK_EQ(obv_array_remove(outer, below(count)), OBV_OK);
        } else if (count != 0 && below(2) == 0) {
            CHECK_EQ(obv_array_swap(outer, below(count), below(count)), OBV_OK);
        } else {
            CHECK_EQ(obv_array_insert(outer, below(count + 1),
                                      below(9) ? inner[below(INNER)] : NULL),
                     OBV_OK);
        }
        check_flattened(&view, outer);
        check_views(false);
    }
    end_views();
    obv_derived_release(view.array);
    for (size_t i = 0; i < INNER; i++) {
        CHECK_EQ(obv_observer_count(&inner[i]->container.object, "*"), 0);
        obv_array_release(inner[i]);
    }
    obv_array_release(outer);
    finish_songs();
}

/* Dictionaries and sets ---------------------------------------------------- */

TEST(AR_10_values_and_members_stand_as_they_came)
{
    struct obv_class *dictionaries, *sets;
    struct obv_dictionary *dictionary;
    struct obv_set *set;
    const void *expected[NAMES + 1], *members[POOL];
    const char *keys[NAMES + 1];
    size_t count = 0, member_count = 0;
    begin_songs();
    CHECK_EQ(
        obv_dictionary_class_create(context, &song_names, &dictionaries, NULL),
        OBV_OK);
    CHECK_EQ(obv_dictionary_create(dictionaries, &dictionary, NULL), OBV_OK);
    CHECK_EQ(obv_set_class_create(context, &song_sets, &sets, NULL), OBV_OK);
    CHECK_EQ(obv_set_create(sets, &set, NULL), OBV_OK);
    struct obv_derived *values =
        derive(&dictionary->container, &all_of_it, &rows_of_songs);
    struct obv_derived *rows =
        derive(&dictionary->container, &in_rows, &rows_of_numbers);
    struct obv_derived *listed =
        derive(&set->container, &all_of_it, &rows_of_songs);
    add_view(&values->container, &odd_sorted, &rows_of_songs);
    add_view(&listed->container, &odd_sorted, &rows_of_songs);
    for (size_t i = 0; i < 4000; i++) {
        size_t name = below(NAMES), found = 0;
        const void *song = &songs[1 + below(POOL - 1)];
        while (found < count && keys[found] != names[name]) {
            found++;
        }
        if (below(3) == 0) {
            CHECK_EQ(obv_dictionary_delete(dictionary, names[name]), OBV_OK);
            count -= found < count;
            for (size_t j = found; j < count; j++) {
                keys[j] = keys[j + 1];
                expected[j] = expected[j + 1];
            }
        } else {
            size_t made = mapped_made;
            bool is_same = found < count && expected[found] == song;
            CHECK_EQ(obv_dictionary_put(dictionary, names[name], song), OBV_OK);
            CHECK(!is_same || mapped_made == made);
            keys[found] = names[name];
            expected[found] = song;
            count += found == count;
        }
        found = 0;
        while (found < member_count && members[found] != song) {
            found++;
        }
        if (below(2) == 0) {
            CHECK_EQ(obv_set_add(set, song), OBV_OK);
            members[found] = song;
            member_count += found == member_count;
        } else {
            CHECK_EQ(obv_set_discard(set, song), OBV_OK);
            member_count -= found < member_count;
            for (size_t j = found; j < member_count; j++) {
                members[j] = members[j + 1];
            }
        }
        play_some_song();
        if (below(20) == 0) {
            CHECK_EQ(
                obv_derivation_refresh(values->derivation, OBV_DERIVED_ALL),
                OBV_OK);
        }
        CHECK_EQ(obv_derived_count(values), count);
        for (size_t j = 0; j < count; j++) {
            CHECK(obv_derived_at(values, j) == expected[j]);
        }
        CHECK_EQ(obv_derived_count(listed), member_count);
        for (size_t j = 0; j < member_count; j++) {
            CHECK(obv_derived_at(listed, j) == members[j]);
        }
        check_views(false);
    }
    end_views();
    obv_derived_release(rows);
    obv_derived_release(values);
    obv_derived_release(listed);
    CHECK_EQ(mapped_out, 0);
    CHECK_EQ(mapped_of_keys, mapped_made);
    obv_dictionary_release(dictionary);
    obv_set_release(set);
    finish_songs();
}

/* One thing at a time ------------------------------------------------------ */

TEST(AR_10_elements_of_equal_rank_stand_in_the_order_of_the_source)
{
    begin_songs(); /* by `plays`: 0 1 1 2 2 3 */
    fill("654321");
    struct obv_derived *rows =
        derive(&source->container, &sorted, &rows_of_songs);
    check_numbers(rows, "132546");
    CHECK_EQ(obv_array_reverse(source), OBV_OK);
    check_numbers(rows, "123456");
    song_set_plays(&songs[1], 2);
    check_numbers(rows, "231456");
    CHECK_EQ(obv_array_move(source, 4, 1, 0), OBV_OK);
    check_numbers(rows, "235146");
    obv_derived_release(rows);
    finish_songs();
}

TEST(AR_10_another_condition_edits_those_whose_answer_changes)
{
    int followed = 0, any = 0;
    begin_songs();
    fill("123456");
    least = 2;
    add_view(&source->container, &by_condition, &rows_of_songs);
    struct obv_derived *rows = views[0].array;
    check_numbers(rows, "456");
    observe(&rows->container.object, "0", &followed);
    observe(&rows->container.object, "*", &any);
    least = 1;
    CHECK_EQ(obv_derivation_refresh(rows->derivation, OBV_DERIVED_CONDITION),
             OBV_OK);
    check_numbers(rows, "23456");
    CHECK_EQ(views[0].calls, 1);
    CHECK_EQ(obv_derivation_refresh(rows->derivation, OBV_DERIVED_CONDITION),
             OBV_OK);
    CHECK_EQ(views[0].calls, 1);
    drain();
    CHECK_EQ(followed, 0);
    CHECK_EQ(any, 1);
    songs[4].plays = 0; /* of which nobody is told */
    CHECK_EQ(obv_derivation_refresh_element(rows->derivation, &songs[4]),
             OBV_OK);
    check_numbers(rows, "2356");
    CHECK_EQ(obv_derived_list_index(rows->list, &songs[5]), 2);
    CHECK_EQ(obv_derived_list_index(rows->list, &songs[4]), SIZE_MAX);
    least = 2;
    end_views();
    finish_songs();
}

TEST(AR_10_another_order_is_one_edit)
{
    begin_songs();
    fill("125346");
    add_view(&source->container, &sorted, &rows_of_songs);
    check_numbers(views[0].array, "123546");
    order = -1;
    CHECK_EQ(
        obv_derivation_refresh(views[0].array->derivation, OBV_DERIVED_ORDER),
        OBV_OK);
    check_numbers(views[0].array, "654231");
    order = 1;
    CHECK_EQ(views[0].calls, 1);
    end_views();
    finish_songs();
}

TEST(AR_10_another_part_by_position)
{
    begin_songs();
    fill("123456");
    struct obv_container *rows =
        add_view(&source->container, &page, &rows_of_songs);
    check_numbers(views[0].array, "3456");
    for (size_t i = 0; i < 300; i++) {
        views[0].first = below(8);
        views[0].limit = 1 + below(6);
        CHECK_EQ(obv_derivation_slice(views[0].array->derivation,
                                      views[0].first, views[0].limit),
                 OBV_OK);
        check_views(true);
        edit_some(source);
        check_views(true);
    }
    (void)rows;
    end_views();
    finish_songs();
}

/* Several change their ranks before the first of them is told. */
TEST(AR_10_one_set_that_changes_several_ranks)
{
    static const struct obv_derived_kind kind = {KIND, .compare = by_plays,
                                                 WHEN_PLAYED};
    begin_songs();
    fill("123456");
    add_view(&source->container, &kind, &rows_of_songs);
    for (size_t i = 0; i < 3000; i++) {
        bool is_changed[POOL] = {false};
        for (size_t j = 1 + below(5); j > 0; j--) {
            size_t song = 1 + below(POOL - 1);
            songs[song].plays = (int64_t)below(9);
            is_changed[song] = true;
        }
        for (size_t j = 1; j < POOL; j++) {
            int64_t other = -9;
            if (is_changed[j]) {
                CHECK_EQ(
                    obv_trigger(&songs[j].object, SONG_PLAYS, &other, NULL),
                    OBV_OK);
            }
        }
        check_views(false);
    }
    end_views();
    finish_songs();
}

TEST(AR_10_what_is_there_again_has_not_left)
{
    int followed = 0;
    const void *again[] = {&songs[6], &songs[5], &songs[4], &songs[3],
                           &songs[2]};
    begin_songs();
    fill("23456");
    add_view(&source->container, &in_rows, &rows_of_numbers);
    observe(&views[0].array->container.object, "2", &followed);
    size_t made = mapped_made;
    CHECK_EQ(obv_array_replace(source, 2, &songs[4]), OBV_OK);
    CHECK_EQ(views[0].calls, 0);
    CHECK_EQ(obv_array_assign(source, again, 5), OBV_OK);
    CHECK_EQ(obv_array_sort(source, by_plays, NULL), OBV_OK);
    CHECK_EQ(obv_array_assign(source, again, 4), OBV_OK);
    CHECK_EQ(mapped_made, made);
    check_views(false);
    drain();
    CHECK_EQ(followed, 0);
    end_views();
    finish_songs();
}

TEST(AR_10_each_element_that_comes_is_asked_about_once)
{
    begin_songs();
    fill("123456");
    asked = 0;
    struct obv_derived *rows = derive(&source->container, &odd, &rows_of_songs);
    CHECK_EQ(asked, 6);
    CHECK_EQ(obv_array_append(source, &songs[1]), OBV_OK);
    CHECK_EQ(asked, 7);
    CHECK_EQ(obv_array_move(source, 0, 3, 2), OBV_OK);
    CHECK_EQ(obv_array_remove(source, 6), OBV_OK);
    CHECK_EQ(asked, 7);
    song_set_plays(&songs[6], 4);
    CHECK_EQ(asked, 8);
    obv_derived_release(rows);
    song_set_plays(&songs[6], 5);
    CHECK_EQ(asked, 8);
    finish_songs();
}

/* Elements are observed only where there are paths. */
TEST(AR_10_without_paths_no_element_is_observed)
{
    begin_songs();
    fill("123456");
    struct obv_derived *rows =
        derive(&source->container, &by_condition, &rows_of_songs);
    CHECK_EQ(obv_observer_count(&songs[4].object, "plays"), 0);
    CHECK_EQ(obv_observer_count(&source->container.object, "*"), 1);
    obv_derived_release(rows);
    CHECK_EQ(obv_observer_count(&source->container.object, "*"), 0);
    finish_songs();
}

TEST(AR_10_a_comparison_that_contradicts_itself)
{
    static const struct obv_derived_kind kind = {KIND, .compare = by_plays,
                                                 WHEN_PLAYED};
    begin_songs();
    fill("123456123456");
    struct obv_derived *rows =
        derive(&source->container, &kind, &rows_of_songs);
    for (size_t i = 0; i < 2000; i++) {
        order = random_below(3) - 1;
        below(2) ? edit_some(source) : play_some_song();
        CHECK_EQ(obv_derived_count(rows), obv_array_count(source));
    }
    order = 1;
    obv_derived_release(rows);
    finish_songs();
}

struct track {
    struct obv_object object;
    struct obv_object *album;
    int64_t number;
};

enum { TRACKS = 12 };

static struct track tracks[TRACKS];
static size_t comparisons;

static int64_t rank_of(const void *element)
{
    const struct track *track = *(struct track *const *)element;
    return track->number * songs[1].plays % 13;
}

static int by_album(const void *a, const void *b, void *argument)
{
    (void)argument;
    comparisons++;
    return (rank_of(a) > rank_of(b)) - (rank_of(a) < rank_of(b));
}

static const char *const album_path[] = {"album.plays"};

/* The source has all tracks, of one album. */
static void begin_tracks(void)
{
    static const struct obv_property properties[] = {
        OBV_FIELD(track, album, object)};
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "track",
                                                 .instance_size =
                                                     sizeof(struct track),
                                                 .properties = properties,
                                                 .property_count = 1};
    struct obv_class *cls;
    begin_songs();
    CHECK_EQ(obv_class_create(context, &table, &cls, NULL), OBV_OK);
    for (size_t i = 0; i < TRACKS; i++) {
        tracks[i] =
            (struct track){.album = &songs[1].object, .number = (int64_t)i};
        songs[1].references++;
        obv_object_init(&tracks[i].object, cls);
        CHECK_EQ(obv_array_append(source, &tracks[i]), OBV_OK);
    }
}

static void finish_tracks(void)
{
    CHECK_EQ(obv_array_assign(source, NULL, 0), OBV_OK);
    for (size_t i = 0; i < TRACKS; i++) {
        CHECK_EQ(obv_object_deinit(&tracks[i].object), OBV_OK);
    }
    finish_songs();
}

/* All of its elements are told one after the other, and sorted once. */
TEST(AR_10_one_set_that_changes_all_ranks_is_one_edit)
{
    static const struct obv_derived_kind kind = {
        KIND, .compare = by_album, .paths = album_path, .path_count = 1};
    begin_tracks();
    struct obv_container *rows =
        add_view(&source->container, &kind, &rows_of_songs);
    add_view(rows, &page, &rows_of_songs);
    for (int plays = 1; plays < 50; plays++) {
        comparisons = 0;
        song_set_plays(&songs[1], plays);
        CHECK(comparisons < 100);
        check_views(true);
    }
    end_views();
    finish_tracks();
}

static void nest_and_edit(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    int64_t plays = songs[1].plays;
    song_set_plays(&songs[1], plays + 1);
    if (songs[1].plays == plays + 1 && edits_left > 0) {
        edits_left = 0;
        song_set_plays(&songs[3], 0);
        CHECK_EQ(obv_array_append(source, &songs[5]), OBV_OK);
    }
}

static void ignore(void *unused, const struct obv_diagnostic *diagnostic)
{
    (void)unused;
    (void)diagnostic;
}

TEST(AR_10_behind_the_depth_limit_it_follows_by_the_loop)
{
    static const struct obv_handler_kind nesting = {.changed = nest_and_edit};
    diagnose = ignore;
    begin_songs();
    fill("23456");
    add_view(&source->container, &sorted, &rows_of_songs);
    observe_at_once(&songs[1].object, "plays", &nesting);
    edits_left = 1;
    song_set_plays(&songs[1], 100);
    CHECK_EQ(edits_left, 0);
    CHECK_EQ(obv_derived_count(views[0].array), 5);
    drain();
    check_numbers(views[0].array, "324556");
    check_views(false);
    end_views();
    CHECK_EQ(obv_stop_handler(&songs[1].object, &nesting, NULL), OBV_OK);
    finish_songs();
}

/* Following by a loop: one pass for whatever has happened. */
TEST(AR_10_it_follows_by_a_loop)
{
    struct obv_derived_kind kind = odd_sorted;
    begin_songs();
    kind.loop = obv_context_loop(context);
    fill("123456");
    struct view *view = &views[0];
    add_view(&source->container, &kind, &rows_of_songs);
    for (size_t i = 0; i < 500; i++) {
        for (size_t j = below(4); j > 0; j--) {
            below(2) ? edit_some(source) : play_some_song();
        }
        CHECK_EQ(view->calls, 0);
        drain();
        check_views(false);
    }
    end_views();
    finish_songs();
}

static void edit_in_front(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    if (edits_left > 0) {
        edits_left--;
        edit_some(source);
    }
}

/* It is called for the inner edit first, and finds both. */
TEST(AR_10_a_handler_that_is_called_before_edits_the_source)
{
    static const struct obv_handler_kind editing = {.changed = edit_in_front};
    begin_songs();
    fill("123456");
    observe_at_once(&source->container.object, "*", &editing);
    add_view(add_view(&source->container, &all_of_it, &rows_of_songs), &page,
             &rows_of_songs);
    add_view(&source->container, &distinct, &rows_of_songs);
    observe_at_once(&source->container.object, "*", &editing);
    for (size_t i = 0; i < 1000; i++) {
        int edits = random_below(4);
        const void *song = &songs[1 + below(6)];
        edits_left = edits;
        CHECK_EQ(obv_array_insert(source, 0, song), OBV_OK);
        edits_left = 0;
        edit_some(source);
        check_views(false);
    }
    end_views();
    finish_songs();
}

static void edit_behind(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    const struct obv_derived *rows = observer;
    (void)root;
    (void)call;
    if (obv_derived_count(rows) > 2) {
        CHECK_EQ(obv_array_remove(source, 0), OBV_OK);
    }
}

TEST(AR_10_a_handler_of_what_is_derived_edits_the_source)
{
    static const struct obv_handler_kind editing = {.changed = edit_behind};
    begin_songs();
    add_view(&source->container, &all_of_it, &rows_of_songs);
    struct obv_derived *rows = views[0].array;
    const struct obv_pair pair = {&rows->container.object, "count"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &editing, rows, &options, NULL, NULL),
             OBV_OK);
    fill("123456");
    check_numbers(rows, "56");
    check_views(false);
    end_views();
    finish_songs();
}

static int refreshes_left;

static bool include_and_refresh(const void *element, void *argument)
{
    if (refreshes_left > 0) {
        refreshes_left--;
        CHECK_EQ(obv_derivation_refresh(views[0].array->derivation,
                                        OBV_DERIVED_CONDITION),
                 OBV_OK);
    }
    return is_odd(element, argument);
}

TEST(AR_10_a_function_asks_for_a_refresh)
{
    static const struct obv_derived_kind kind = {KIND, .includes =
                                                           include_and_refresh};
    begin_songs();
    fill("123456");
    add_view(&source->container, &kind, &rows_of_songs);
    refreshes_left = 2;
    asked = 0;
    CHECK_EQ(obv_array_append(source, &songs[2]), OBV_OK);
    CHECK_EQ(asked, 1 + 7 + 7);
    check_views(false);
    end_views();
    finish_songs();
}

static void show_another_part(void *observer, struct obv_object *root,
                              const struct obv_call *call)
{
    struct view *view = observer;
    (void)root;
    (void)call;
    if (view->first != 1) {
        view->first = 1;
        view->limit = 3;
        CHECK_EQ(obv_derivation_slice(view->array->derivation, 1, 3), OBV_OK);
    }
}

TEST(AR_10_a_handler_shows_another_part)
{
    static const struct obv_handler_kind showing = {.changed =
                                                        show_another_part};
    begin_songs();
    fill("123456");
    add_view(&source->container, &page, &rows_of_songs);
    const struct obv_pair pair = {&views[0].array->container.object, "*"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &showing, &views[0], &options, NULL, NULL),
        OBV_OK);
    CHECK_EQ(obv_array_remove(source, 0), OBV_OK);
    check_numbers(views[0].array, "345");
    check_views(false);
    end_views();
    finish_songs();
}

/* Ends --------------------------------------------------------------------- */

static size_t disposed;

static void note_dispose(const struct obv_derived_kind *kind, void *argument)
{
    CHECK(kind->dispose == note_dispose && argument == &disposed);
    disposed++;
}

TEST(AR_10_it_holds_its_source_and_ends_with_its_last_holder)
{
    static const struct obv_derived_kind kind = {
        KIND, .includes = is_odd, .dispose = note_dispose, WHEN_PLAYED};
    struct obv_derived *rows, *rest;
    begin_songs();
    fill("123456");
    CHECK_EQ(obv_derived_create(&source->container, &kind, &disposed,
                                &rows_of_songs, &rows, NULL),
             OBV_OK);
    rest = derive(&rows->container, &sorted, &rows_of_songs);
    obv_array_release(source);
    source = NULL;
    obv_derived_release(rows);
    CHECK_EQ(disposed, 0);
    song_set_plays(&songs[1], 5); /* all of them are there still */
    check_numbers(rest, "2361");
    obv_derived_release(rest);
    CHECK_EQ(disposed, 1);
    finish_songs();
}

static struct obv_derived *own_rows;

static bool release_own_rows(const void *element, void *argument)
{
    (void)argument;
    obv_derived_release(own_rows);
    own_rows = NULL;
    return plays_at(element) % 2 != 0;
}

TEST(LT_it_is_released_while_it_asks)
{
    static const struct obv_derived_kind kind = {
        KIND, .includes = release_own_rows, .dispose = note_dispose,
        WHEN_PLAYED};
    begin_songs();
    for (size_t i = 0; i < 2; i++) {
        struct obv_derived *rows;
        CHECK_EQ(obv_derived_create(&source->container, &kind, &disposed,
                                    &rows_of_songs, &rows, NULL),
                 OBV_OK);
        CHECK_EQ(obv_array_append(source, &songs[2]), OBV_OK);
        own_rows = rows;
        if (i == 0) {
            CHECK_EQ(obv_array_append(source, &songs[1]), OBV_OK);
        } else {
            song_set_plays(&songs[2], 8);
        }
        CHECK(!own_rows);
        CHECK_EQ(disposed, i + 1);
    }
    finish_songs();
}

static int release_later(const void *a, const void *b, void *argument)
{
    obv_derived_release(own_rows);
    own_rows = NULL;
    return by_album(a, b, argument);
}

/* One set is told to both, and the comparison of one ends the other. */
TEST(LT_it_is_released_before_it_follows)
{
    static const struct obv_derived_kind first = {
        KIND, .compare = release_later, .paths = album_path, .path_count = 1};
    static const struct obv_derived_kind later = {
        KIND, .compare = by_album, .paths = album_path, .path_count = 1};
    begin_tracks();
    struct obv_derived *rows =
        derive(&source->container, &first, &rows_of_songs);
    own_rows = derive(&source->container, &later, &rows_of_songs);
    song_set_plays(&songs[1], 7);
    CHECK(!own_rows);
    obv_derived_release(rows);
    finish_tracks();
}

TEST(AR_10_an_element_is_held_by_what_its_class_inherits)
{
    static struct song single;
    struct obv_class_table table = {.size = sizeof table,
                                    .name = "single",
                                    .instance_size = sizeof(struct song)};
    struct obv_class *cls;
    begin_songs();
    table.superclass = song_class;
    CHECK_EQ(obv_class_create(context, &table, &cls, NULL), OBV_OK);
    single = (struct song){.references = 1};
    obv_object_init(&single.object, cls);
    CHECK_EQ(obv_array_append(source, &single), OBV_OK);
    size_t references = single.references;
    struct obv_derived *rows =
        derive(&source->container, &all_of_it, &rows_of_songs);
    CHECK_EQ(single.references, references + 1);
    obv_derived_release(rows);
    CHECK_EQ(single.references, references);
    CHECK_EQ(obv_array_remove(source, 0), OBV_OK);
    CHECK_EQ(obv_object_deinit(&single.object), OBV_OK);
    finish_songs();
}

struct list {
    struct obv_container container;
    size_t count;
    void *items[8];
};

static size_t count_list(const struct obv_container *list)
{
    return ((const struct list *)(const void *)list)->count;
}

static const void *at_in_list(const struct obv_container *list, size_t position)
{
    return &((const struct list *)(const void *)list)->items[position];
}

TEST(AR_10_a_source_that_ends_first)
{
    static const struct obv_container_kind kind = {
        .size = sizeof kind,
        .name = "list",
        .instance_size = sizeof(struct list),
        .element = OBV_ELEMENT(object),
        .count = count_list,
        .at = at_in_list};
    static struct list list;
    struct obv_class *cls;
    begin_songs();
    CHECK_EQ(obv_container_class_create(context, &kind, &cls, NULL), OBV_OK);
    list.items[list.count++] = &songs[2];
    list.items[list.count++] = &songs[3];
    CHECK_EQ(obv_container_init(&list.container, cls), OBV_OK);
    struct obv_derived *rows = derive(&list.container, &odd, &rows_of_songs);
    check_numbers(rows, "23");
    CHECK_EQ(obv_object_deinit(&list.container.object), OBV_OK);
    memset(&list, 0x5A, sizeof list);
    CHECK_EQ(obv_derivation_status(rows->derivation), OBV_E_ENDED);
    song_set_plays(&songs[2], 4);
    check_numbers(rows, "3");
    CHECK_EQ(obv_derivation_refresh(rows->derivation, OBV_DERIVED_ALL),
             OBV_E_ENDED);
    obv_derived_release(rows);
    finish_songs();
}

TEST(AR_10_what_cannot_be_derived_is_refused)
{
    static const struct obv_derived_kind no_size = {.includes = is_odd};
    static const struct obv_derived_kind no_paths = {KIND, .path_count = 1};
    static const struct obv_derived_kind part = {KIND, .includes = is_odd,
                                                 .limit = 3};
    static const struct obv_derived_kind no_key = {KIND, .is_distinct = true};
    static const char *const bad_paths[] = {"a..b"};
    static const struct obv_derived_kind bad = {KIND, .paths = bad_paths,
                                                .path_count = 1};
    struct obv_derived *rows = NULL;
    struct obv_error error;
    begin_songs();
    fill("1");
    struct obv_container *from = &source->container;
    const struct {
        enum obv_status status;
        const struct obv_derived_kind *kind;
        const struct obv_derived_class *cls;
    } cases[] = {{OBV_E_ARGUMENT, NULL, &rows_of_songs},
                 {OBV_E_ARGUMENT, &odd, NULL},
                 {OBV_E_ARGUMENT, &no_size, &rows_of_songs},
                 {OBV_E_ARGUMENT, &no_paths, &rows_of_songs},
                 {OBV_E_ARGUMENT, &part, &rows_of_songs},
                 {OBV_E_ARGUMENT, &no_key, &rows_of_songs},
                 {OBV_E_ARGUMENT, &grouped, &rows_of_songs},
                 {OBV_E_SYNTAX, &bad, &rows_of_songs},
                 {OBV_E_KIND, &odd, &rows_of_texts}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_EQ(obv_derived_create(from, cases[i].kind, NULL, cases[i].cls,
                                    &rows, &error),
                 cases[i].status);
        CHECK(!rows);
    }
    finish_songs();
}

/* Memory ------------------------------------------------------------------- */

static size_t check_nothing_half(const struct obv_derived_kind *kind,
                                 const struct obv_derived_class *cls)
{
    size_t failures = 0;
    begin_songs();
    for (size_t n = 1; n < 60; n++) {
        struct obv_derived *made = NULL;
        fill("123456");
        test_fail_allocation(n, false);
        enum obv_status status = obv_derived_create(&source->container, kind,
                                                    NULL, cls, &made, NULL);
        bool has_failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(status == OBV_OK, made != NULL);
        CHECK(made || has_failed);
        failures += made == NULL;
        obv_derived_release(made);
        CHECK_EQ(mapped_out, 0);
        CHECK_EQ(obv_observer_count(&songs[3].object, "plays"), 0);
    }
    add_view(&source->container, kind, cls);
    for (size_t i = 0; i < 3000; i++) {
        test_fail_allocation(1 + below(24), below(3) == 0);
        bool is_edit = below(2) != 0;
        if (is_edit) {
            const void *come[3] = {&songs[1 + below(6)], &songs[1 + below(6)],
                                   NULL};
            size_t count = obv_array_count(source);
            (void)(below(2) ? obv_array_replace_range(source, below(count + 1),
                                                      0, come, 2)
                            : obv_array_assign(source, come, below(3)));
        } else {
            play_some_song();
        }
        test_fail_allocation(0, false);
        if (obv_derivation_status(views[0].array->derivation) != OBV_OK) {
            failures++;
            CHECK_EQ(obv_derivation_refresh(views[0].array->derivation,
                                            OBV_DERIVED_ALL),
                     OBV_OK);
        }
        if (below(4) == 0) {
            fill("162534");
        }
        check_views(false);
    }
    end_views();
    finish_songs();
    return failures;
}

TEST(AR_10_without_memory_all_is_read_anew)
{
    diagnose = NULL;
    CHECK(check_nothing_half(&odd_sorted, &rows_of_songs) > 50);
    CHECK(check_nothing_half(&in_rows, &rows_of_numbers) > 50);
    CHECK(check_nothing_half(&distinct, &rows_of_songs) > 50);
}

/* What a language binding does: elements are opaque, what is shown is kept by
   the edits. ---------------------------------------------------------------- */

static size_t taken;

static bool take(const void *place, void **element, void *bound)
{
    (void)bound;
    *element = *(void *const *)place;
    taken++;
    return true;
}

static bool take_no_value(const struct obv_value *value, void **element,
                          void *bound)
{
    (void)value;
    (void)element;
    (void)bound;
    return false;
}

static void let_go(void *element, void *bound)
{
    (void)element;
    (void)bound;
    taken--;
}

static bool are_identical(const void *a, const void *b, void *bound)
{
    (void)bound;
    return a == b;
}

static uint64_t hash_address(const void *element, void *bound)
{
    (void)bound;
    return (uint64_t)(uintptr_t)element;
}

static struct obv_object *as_object(const void *element, void *bound)
{
    (void)bound;
    return (struct obv_object *)(uintptr_t)element;
}

static void count_edits(struct obv_derived_list *list, void *group,
                        const struct obv_container_edit *edits, size_t count,
                        void *bound)
{
    (void)list;
    CHECK(!group);
    for (size_t i = 0; i < count; i++) {
        *(size_t *)bound += edits[i].inserted - edits[i].removed;
    }
}

TEST(AR_10_a_binding_keeps_what_is_shown)
{
    const struct obv_derived_binding binding = {.size = sizeof binding,
                                                .take = take,
                                                .take_value = take_no_value,
                                                .let_go = let_go,
                                                .same = are_identical,
                                                .hash = hash_address,
                                                .object = as_object,
                                                .edited = count_edits,
                                                .allocator = test_allocator()};
    struct obv_derivation *derivation = NULL;
    size_t shown = 0;
    begin_songs();
    fill("123456");
    for (size_t n = 1; !derivation; n++) {
        test_fail_allocation(n, false);
        enum obv_status status =
            obv_derivation_create(&source->container, &odd_sorted, &binding,
                                  NULL, &shown, &derivation, NULL);
        test_fail_allocation(0, false);
        CHECK_EQ(status, derivation ? OBV_OK : OBV_E_MEMORY);
        CHECK_EQ(taken, derivation ? 6 : 0);
    }
    const struct obv_derived_list *list = obv_derivation_list(derivation);
    shown = obv_derived_list_count(list);
    for (size_t i = 0; i < 500; i++) {
        below(3) ? edit_some(source) : play_some_song();
        CHECK_EQ(shown, obv_derived_list_count(list));
        CHECK_EQ(taken, obv_array_count(source));
    }
    obv_derivation_end(derivation);
    CHECK_EQ(taken, 0);
    finish_songs();
}
