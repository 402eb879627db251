/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of collections share: a context, some songs that count their
 * references, and observations that count their calls.
 *
 * Elements are numbers in the tests: 0 is NULL, others are a song or a text of
 * a pool, by the kind of the collection. Two numbers are two songs; texts of 3
 * and 4 are equal.
 */
#ifndef OBV_COLLECTIONS_FIXTURE_H
#define OBV_COLLECTIONS_FIXTURE_H

#include "test.h"

#include <observable/observable.h>

#include <stdio.h>
#include <string.h>

enum { POOL = 7 };

struct song {
    struct obv_object object;
    size_t references;
    int64_t plays;
};

enum { SONG_PLAYS };
OBV_PROPERTY(song, plays, i64, SONG_PLAYS)

static struct obv_context *context;
static struct obv_class *song_class;
static struct song songs[POOL];
static const char *const texts[POOL] = {NULL,    "one",  "two", "equal",
                                        "equal", "five", "six"};
static bool is_of_texts;
/* NULL: diagnostics are lines on standard error. */
static void (*diagnose)(void *unused, const struct obv_diagnostic *diagnostic);

static struct song *song_of(struct obv_object *object)
{
    return (struct song *)object;
}

static bool retain_song(struct obv_object *object)
{
    bool is_alive = song_of(object)->references > 0;
    song_of(object)->references += is_alive;
    return is_alive;
}

static void release_song(struct obv_object *object)
{
    CHECK(song_of(object)->references > 0);
    song_of(object)->references--;
}

static inline void begin(void)
{
    static const struct obv_property properties[] = {
        OBV_FIELD(song, plays, i64)};
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "song",
                                                 .instance_size =
                                                     sizeof(struct song),
                                                 .properties = properties,
                                                 .property_count = 1,
                                                 .retain = retain_song,
                                                 .release = release_song};
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = diagnose};
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &table, &song_class, NULL), OBV_OK);
    for (size_t i = 1; i < POOL; i++) {
        songs[i] = (struct song){.references = 1, .plays = (int64_t)i / 2};
        obv_object_init(&songs[i].object, song_class);
    }
}

/* Everything has been let go of. */
static inline void finish(void)
{
    (void)obv_loop_drain(obv_context_loop(context));
    for (size_t i = 1; i < POOL; i++) {
        CHECK_EQ(songs[i].references, 1);
        CHECK_EQ(obv_object_deinit(&songs[i].object), OBV_OK);
    }
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

/* The element of a number. */
static inline const void *element(int number)
{
    return is_of_texts   ? (const void *)texts[number]
           : number == 0 ? NULL
                         : &songs[number];
}

static inline const void *const *elements_of(const int *numbers, size_t count)
{
    static const void *elements[256];
    CHECK(count <= sizeof elements / sizeof *elements);
    for (size_t i = 0; i < count; i++) {
        elements[i] = element(numbers[i]);
    }
    return elements;
}

/* Whether two numbers are equal elements. */
static inline bool are_equal(int a, int b)
{
    return a == b ||
           (is_of_texts && a != 0 && b != 0 && strcmp(texts[a], texts[b]) == 0);
}

/* Whether what a collection answers is the element of a number. */
static inline bool is_element(const void *have, int number)
{
    return is_of_texts && have && number != 0 ? strcmp(have, texts[number]) == 0
                                              : have == element(number);
}

static inline int random_below(int limit)
{
    return (int)(test_random() % (uint64_t)limit);
}

/* Observations ------------------------------------------------------------- */

static void count_call(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)root;
    (void)call;
    ++*(int *)observer;
}

static const struct obv_handler_kind counting = {.changed = count_call};

static inline void observe(struct obv_object *root, const char *path,
                           int *calls)
{
    CHECK_EQ(obv_observe(root, path, &counting, calls, NULL, NULL), OBV_OK);
}

static inline void observe_at_once(struct obv_object *root, const char *path,
                                   const struct obv_handler_kind *kind)
{
    const struct obv_pair pair = {root, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    CHECK_EQ(obv_observe_pairs(&pair, 1, kind, NULL, &options, NULL, NULL),
             OBV_OK);
}

static inline void drain(void)
{
    (void)obv_loop_drain(obv_context_loop(context));
}

#endif
