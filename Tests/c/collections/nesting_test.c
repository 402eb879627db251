/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collections in collections, edited at random, also by handlers that are being
 * told of an edit: nothing is lost, let go of twice or read after its end, and
 * who observes is told of the last value.
 */
#include "collections/fixture.h"

#include <inttypes.h>

enum { INNER = 4, SEEN = 11 };

static const struct obv_collection_kind list_kind = {
    .size = sizeof list_kind, .name = "songs", .element = OBV_KIND_object};
static const struct obv_collection_kind outer_kind = {.size = sizeof outer_kind,
                                                      .name = "lists",
                                                      .element =
                                                          OBV_KIND_object,
                                                      .type = "songs"};

static const struct obv_collection_kind row_kind = {
    .size = sizeof row_kind, .name = "row", .element = OBV_KIND_object};
static const struct obv_collection_kind group_kind = {
    .size = sizeof group_kind, .name = "group", .element = OBV_KIND_object};

static struct obv_array *inner[INNER];
static struct obv_dictionary *outer;
static struct obv_array *row;
static struct obv_set *group;
static int depth;

static const char *const names[INNER] = {"a", "b", "c", "d"};

static void edit_inner(void)
{
    struct obv_array *list = inner[random_below(INNER)];
    int count = (int)obv_array_count(list);
    int at = random_below(count + 1), number = 1 + random_below(POOL - 1);
    switch (random_below(count > 8 ? 8 : 6)) {
    case 0:
        (void)obv_array_remove(list, (size_t)at); /* perhaps past the end */
        break;
    case 1:
        (void)obv_array_replace(list, (size_t)at, &songs[number]);
        break;
    case 2:
        (void)obv_array_swap(list, (size_t)at, 0);
        break;
    case 3:
        CHECK_EQ(obv_array_reverse(list), OBV_OK);
        break;
    case 6:
    case 7:
        CHECK_EQ(obv_array_clear(list), OBV_OK);
        break;
    default:
        CHECK_EQ(obv_array_insert(list, (size_t)at, &songs[number]), OBV_OK);
        break;
    }
}

static void edit_outer(void)
{
    const char *name = names[random_below(INNER)];
    switch (random_below(4)) {
    case 0:
        CHECK_EQ(obv_dictionary_delete(outer, name), OBV_OK);
        break;
    case 1:
        CHECK_EQ(
            obv_dictionary_assign(outer, names, inner, (size_t)random_below(5)),
            OBV_OK);
        break;
    default:
        CHECK_EQ(obv_dictionary_put(outer, name, inner[random_below(INNER)]),
                 OBV_OK);
        break;
    }
}

static void edit_row(void)
{
    size_t count = obv_array_count(row);
    size_t at = (size_t)random_below((int)count + 1);
    switch (random_below(count > 5 ? 9 : 7)) {
    case 0:
        CHECK_EQ(obv_array_assign(row, inner, (size_t)random_below(5)), OBV_OK);
        break;
    case 1:
        CHECK_EQ(obv_array_reverse(row), OBV_OK);
        break;
    case 2:
        (void)obv_array_swap(row, 0, at);
        break;
    case 3:
        CHECK_EQ(obv_array_move(row, at, count - at, 0), OBV_OK);
        break;
    case 4:
    case 7:
    case 8:
        (void)obv_array_remove(row, at);
        break;
    default:
        CHECK_EQ(obv_array_insert(row, at, inner[random_below(INNER)]), OBV_OK);
        break;
    }
}

static void edit_group(void)
{
    struct obv_array *some[2] = {inner[random_below(INNER)],
                                 inner[random_below(INNER)]};
    switch (random_below(4)) {
    case 0:
        CHECK_EQ(obv_set_symmetric(group, some, 2), OBV_OK);
        break;
    case 1:
        CHECK_EQ(obv_set_assign(group, some, 2), OBV_OK);
        break;
    case 2:
        CHECK_EQ(obv_set_discard(group, some[0]), OBV_OK);
        break;
    default:
        CHECK_EQ(obv_set_add(group, some[0]), OBV_OK);
        break;
    }
}

static void edit_any(void)
{
    switch (random_below(6)) {
    case 0:
        edit_outer();
        break;
    case 2:
        edit_row();
        break;
    case 3:
        edit_group();
        break;
    case 1:
        song_set_plays(&songs[1 + random_below(POOL - 1)], random_below(3));
        break;
    default:
        edit_inner();
        break;
    }
}

static void edit_at_times(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    if (depth < 3 && random_below(4) == 0) {
        depth++;
        edit_any();
        depth--;
    }
}

static const struct obv_handler_kind editing = {.changed = edit_at_times};

/* What the ends of paths are; -1: unreachable. */
static int64_t plays_at(const char *name, size_t position)
{
    const struct obv_array *list = obv_dictionary_get(outer, name);
    const struct song *song = list ? obv_array_at(list, position) : NULL;
    return song ? song_plays(song) : -1;
}

static int64_t count_at(const char *name)
{
    const struct obv_array *list = obv_dictionary_get(outer, name);
    return list ? (int64_t)obv_array_count(list) : -1;
}

/* Behind a `*` an object counts once, however often it stands there. */
static int64_t sum_of_all(void)
{
    struct obv_collection_cursor cursor = {NULL, NULL, NULL};
    int64_t sum = 0;
    while (obv_dictionary_next(outer, &cursor)) {
        bool met[POOL] = {false};
        for (size_t i = 0; i < obv_array_count(cursor.element); i++) {
            const struct song *song = obv_array_at(cursor.element, i);
            sum += met[song - songs] ? 0 : song_plays(song);
            met[song - songs] = true;
        }
    }
    return sum;
}

/* Of an array in the row, or of one that is not there. */
static int64_t plays_in_row(size_t at, size_t position)
{
    const struct obv_array *list = obv_array_at(row, at);
    const struct song *song = list ? obv_array_at(list, position) : NULL;
    return song ? song_plays(song) : -1;
}

static int64_t count_in_group(void)
{
    struct obv_collection_cursor cursor = {NULL, NULL, NULL};
    int64_t sum = 0;
    while (obv_set_next(group, &cursor)) {
        sum += (int64_t)obv_array_count(cursor.element);
    }
    return sum;
}

static int64_t read_seen(size_t i)
{
    switch (i) {
    case 6:
        return plays_in_row(0, 0);
    case 7:
        return plays_in_row(1, 1);
    case 8:
        return obv_array_at(row, 0)
                   ? (int64_t)obv_array_count(obv_array_at(row, 0))
                   : -1;
    case 9:
        return count_in_group();
    case 10:
        return obv_set_contains(group, inner[0])
                   ? (int64_t)obv_array_count(inner[0])
                   : -1;
    case 0:
        return plays_at("a", 0);
    case 1:
        return plays_at("b", 2);
    case 2:
        return count_at("a");
    case 3:
        return count_at("c");
    case 4:
        return (int64_t)obv_dictionary_count(outer);
    default:
        return sum_of_all();
    }
}

static char hash_path[40];
static const char *const paths[SEEN] = {
    "a.#0.plays",  "b.#2.plays",  "a.count",  "c.count", "count",  "*.*.plays",
    "#0.#0.plays", "#1.#1.plays", "#0.count", "*.count", hash_path};

/* Where the i-th path begins. */
static struct obv_object *root_of(size_t i)
{
    return i < 6   ? &outer->container.object
           : i < 9 ? &row->container.object
                   : &group->container.object;
}

static int64_t seen[SEEN];

static void note_seen(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    int64_t *at = observer;
    (void)root;
    (void)call;
    *at = read_seen((size_t)(at - seen));
}

static const struct obv_handler_kind noting = {.changed = note_seen};

TEST(TH_2_collections_in_collections_are_seen_as_they_are_at_last)
{
    static const char *const immediate[SEEN] = {
        "*.*.plays", "a.#1", "b.count", "*", "count",     "c.*",
        "*.*.plays", "*",    "#1.*",    "*", "*.#0.plays"};
    struct obv_class *lists, *dictionaries, *arrays, *sets;
    begin();
    CHECK_EQ(obv_array_class_create(context, &list_kind, &lists, NULL), OBV_OK);
    CHECK_EQ(
        obv_dictionary_class_create(context, &outer_kind, &dictionaries, NULL),
        OBV_OK);
    CHECK_EQ(obv_array_class_create(context, &row_kind, &arrays, NULL), OBV_OK);
    CHECK_EQ(obv_set_class_create(context, &group_kind, &sets, NULL), OBV_OK);
    CHECK_EQ(obv_dictionary_create(dictionaries, &outer, NULL), OBV_OK);
    CHECK_EQ(obv_array_create(arrays, &row, NULL), OBV_OK);
    CHECK_EQ(obv_set_create(sets, &group, NULL), OBV_OK);
    for (size_t i = 0; i < INNER; i++) {
        CHECK_EQ(obv_array_create(lists, &inner[i], NULL), OBV_OK);
    }
    CHECK(snprintf(hash_path, sizeof hash_path, "&%" PRIu64 ".count",
                   obv_set_hash(group, inner[0])) > 0);
    for (size_t i = 0; i < SEEN; i++) {
        CHECK_EQ(
            obv_observe(root_of(i), paths[i], &noting, &seen[i], NULL, NULL),
            OBV_OK);
        observe_at_once(root_of(i), immediate[i], &editing);
        seen[i] = read_seen(i);
    }
    for (size_t i = 0; i < 20000; i++) {
        edit_any();
        drain();
        for (size_t k = 0; k < SEEN; k++) {
            CHECK_EQ(seen[k], read_seen(k));
        }
    }
    obv_dictionary_release(outer);
    obv_array_release(row);
    obv_set_release(group);
    for (size_t i = 0; i < INNER; i++) {
        obv_array_release(inner[i]);
    }
    finish();
}
