/* SPDX-License-Identifier: Apache-2.0 */
/* A program's own array is observed like any object: the program says once where
   its elements are, and tells of each edit. */
#include <observable/observable.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1. What stands in it: an ordinary model. */
struct song {
    struct obv_object object;
    const char *title;
    int64_t plays;
};
enum { SONG_PLAYS };
OBV_PROPERTY(song, plays, i64, SONG_PLAYS)
static const struct obv_property song_properties[] = {
    OBV_FIELD(song, plays, i64)};
static const struct obv_class_table song_table = {.size = sizeof song_table,
                                                  .name = "song",
                                                  .instance_size =
                                                      sizeof(struct song),
                                                  .properties = song_properties,
                                                  .property_count = 1};

/* 2. The array, as the program has it anyhow, and where its elements are. */
struct playlist {
    struct obv_container container;
    size_t count;
    struct song *songs[8];
};

static size_t playlist_count(const struct obv_container *container)
{
    return ((const struct playlist *)container)->count;
}

static const void *playlist_at(const struct obv_container *container,
                               size_t position)
{
    return &((const struct playlist *)container)->songs[position];
}

static const struct obv_container_kind playlist_kind = {
    .size = sizeof playlist_kind,
    .name = "playlist",
    .instance_size = sizeof(struct playlist),
    .element = OBV_ELEMENT(object),
    .count = playlist_count,
    .at = playlist_at};

/* 3. Each edit is made, then told. One that was not, or wrongly, is found by the
   next telling, which is refused: a mistake of the program. */
static void tell(struct playlist *list, const struct obv_container_edit *edit)
{
    if (obv_container_edited(&list->container, edit, 1, NULL) != OBV_OK) {
        abort();
    }
}

static void insert(struct playlist *list, size_t position, struct song *song)
{
    struct song **place = list->songs + position;
    const struct obv_container_edit told = {.position = position,
                                            .inserted = 1};
    memmove(place + 1, place, (list->count - position) * sizeof *place);
    *place = song;
    list->count++;
    tell(list, &told);
}

static void remove_at(struct playlist *list, size_t position)
{
    struct song **place = list->songs + position, *old = *place;
    const struct obv_container_edit told = {
        .position = position, .removed = 1, .old = &old};
    list->count--;
    memmove(place, place + 1, (list->count - position) * sizeof *place);
    tell(list, &told);
}

/* 4. Who looks at it. */
static void show_first(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    const struct playlist *list = (const struct playlist *)root;
    (void)observer;
    (void)call;
    printf("  first: %s\n", list->count ? list->songs[0]->title : "nothing");
}
static const struct obv_handler_kind first = {.changed = show_first};

static void show_plays(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    const struct playlist *list = (const struct playlist *)root;
    int64_t plays = 0;
    (void)observer;
    (void)call;
    for (size_t i = 0; i < list->count; i++) {
        plays += song_plays(list->songs[i]);
    }
    printf("  %d songs, played %d times\n", (int)list->count, (int)plays);
}
static const struct obv_handler_kind plays = {.changed = show_plays};

static void deliver(const char *what_has_happened)
{
    puts(what_has_happened);
    obv_loop_drain(obv_context_loop(NULL));
}

int main(void)
{
    struct obv_class *songs, *playlists;
    struct playlist list = {.count = 0};
    struct song blue = {.title = "Blue", .plays = 3};
    struct song green = {.title = "Green", .plays = 1};
    if (obv_class_create(NULL, &song_table, &songs, NULL) ||
        obv_container_class_create(NULL, &playlist_kind, &playlists, NULL)) {
        return 1;
    }
    obv_object_init(&blue.object, songs);
    obv_object_init(&green.object, songs);
    obv_container_init(&list.container, playlists);

    /* What stands at a position, whichever it is; a property of each. */
    if (obv_observe(&list.container.object, "#0", &first, NULL, NULL, NULL) ||
        obv_observe(&list.container.object, "*.plays", &plays, NULL, NULL,
                    NULL)) {
        return 1;
    }

    insert(&list, 0, &blue);
    deliver("a song comes");
    insert(&list, 1, &green);
    deliver("another one comes behind it");
    song_set_plays(&green, 2);
    deliver("the second is played");
    remove_at(&list, 0);
    deliver("the first goes");
    song_set_plays(&blue, 4);
    deliver("it is played elsewhere");

    obv_object_deinit(&list.container.object);
    obv_object_deinit(&blue.object);
    obv_object_deinit(&green.object);
}
