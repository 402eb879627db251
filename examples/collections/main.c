/* SPDX-License-Identifier: Apache-2.0 */
/* Ready-made arrays, dictionaries and sets: each operation is one change, and the
   collection tells of it by itself. */
#include <observable/observable.h>
#include <stdio.h>
#include <string.h>

/* 1. What stands in an array: an ordinary model. */
struct song {
    struct obv_object object;
    const char *title;
    int64_t plays;
};
#define SONG(P)                                                                \
    P(song, title, string)                                                     \
    P(song, plays, i64)
OBV_MODEL(song, SONG)

/* 2. What the elements are is said once, in a constant. */
static const struct obv_collection_kind song_list = {
    .size = sizeof song_list, .name = "song list", .element = OBV_KIND_object};
static const struct obv_collection_kind words = {
    .size = sizeof words, .name = "words", .element = OBV_KIND_string};
static const struct obv_collection_kind tags = {
    .size = sizeof tags, .name = "tags", .element = OBV_KIND_string};

/* 3. Who looks at them. */
static void show_first(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    const struct obv_array *list = (const struct obv_array *)root;
    const struct song *song = obv_array_at(list, 0);
    (void)observer;
    (void)call;
    printf("  first: %s\n", song ? song_title(song) : "nothing");
}
static const struct obv_handler_kind first = {.changed = show_first};

static void show_plays(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    const struct obv_array *list = (const struct obv_array *)root;
    int64_t plays = 0;
    (void)observer;
    (void)call;
    for (size_t i = 0; i < obv_array_count(list); i++) {
        plays += song_plays(obv_array_at(list, i));
    }
    printf("  %d songs, played %d times\n", (int)obv_array_count(list),
           (int)plays);
}
static const struct obv_handler_kind plays = {.changed = show_plays};

static void show_word(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    const struct obv_dictionary *dictionary =
        (const struct obv_dictionary *)root;
    const char *word = obv_dictionary_get(dictionary, "steampunk");
    (void)observer;
    (void)call;
    printf("  steampunk: %s\n", word ? word : "unknown");
}
static const struct obv_handler_kind word = {.changed = show_word};

static void show_tags(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    const struct obv_set *set = (const struct obv_set *)root;
    (void)observer;
    (void)call;
    printf("  %d tags%s\n", (int)obv_set_count(set),
           obv_set_contains(set, "new") ? ", one of them new" : "");
}
static const struct obv_handler_kind changed_tags = {.changed = show_tags};

static void deliver(const char *what_has_happened)
{
    puts(what_has_happened);
    obv_loop_drain(obv_context_loop(NULL));
}

static int by_title(const void *a, const void *b, void *argument)
{
    const struct song *x = *(struct song *const *)a;
    const struct song *y = *(struct song *const *)b;
    (void)argument;
    return strcmp(song_title(x), song_title(y));
}

static bool play(void)
{
    struct obv_class *cls;
    struct obv_array *list;
    struct song blue = {.plays = 3}, green = {.plays = 1}, red = {.plays = 5};
    if (obv_class_create(NULL, &song_table, &cls, NULL)) {
        return false;
    }
    obv_object_init(&blue.object, cls);
    obv_object_init(&green.object, cls);
    obv_object_init(&red.object, cls);
    song_set_title(&blue, "Blue");
    song_set_title(&green, "Green");
    song_set_title(&red, "Red");
    if (obv_array_class_create(NULL, &song_list, &cls, NULL) ||
        obv_array_create(cls, &list, NULL) ||
        obv_observe(&list->container.object, "#0.title", &first, NULL, NULL,
                    NULL) ||
        obv_observe(&list->container.object, "*.plays", &plays, NULL, NULL,
                    NULL)) {
        return false;
    }

    struct song *const all[] = {&red, &green, &blue};
    obv_array_assign(list, all, 3);
    deliver("three songs come at once");
    obv_array_sort(list, by_title, NULL);
    deliver("they are sorted");
    song_set_plays(&green, 2);
    deliver("one of them is played");
    obv_array_move(list, 2, 1, 0);
    deliver("the last becomes the first");
    obv_array_remove(list, 0);
    deliver("it goes");

    obv_array_release(list); /* before the songs: nobody holds these */
    obv_object_deinit(&blue.object);
    obv_object_deinit(&green.object);
    obv_object_deinit(&red.object);
    return true;
}

static bool look_up(void)
{
    struct obv_class *cls;
    struct obv_dictionary *dictionary;
    const char *const both[] = {"steampunk", "cyberpunk"};
    const char *const meanings[] = {"brass", "chrome"};
    if (obv_dictionary_class_create(NULL, &words, &cls, NULL) ||
        obv_dictionary_create(cls, &dictionary, NULL) ||
        obv_observe(&dictionary->container.object, "steampunk", &word, NULL,
                    NULL, NULL)) {
        return false;
    }
    obv_dictionary_merge(dictionary, both, meanings, 2);
    deliver("two words come");
    obv_dictionary_put(dictionary, "cyberpunk", "neon");
    deliver("the other one changes");
    obv_dictionary_delete(dictionary, "steampunk");
    deliver("it goes");
    obv_dictionary_release(dictionary);
    return true;
}

static bool tag(void)
{
    struct obv_class *cls;
    struct obv_set *set;
    const char *const some[] = {"new", "old", "blue"};
    if (obv_set_class_create(NULL, &tags, &cls, NULL) ||
        obv_set_create(cls, &set, NULL) ||
        obv_observe(&set->container.object, "*", &changed_tags, NULL, NULL,
                    NULL)) {
        return false;
    }
    obv_set_union(set, some, 3);
    deliver("three tags come");
    obv_set_add(set, "new");
    deliver("one comes again");
    obv_set_subtract(set, some, 2);
    deliver("two go");
    obv_set_release(set);
    return true;
}

int main(void)
{
    return play() && look_up() && tag() ? 0 : 1;
}
