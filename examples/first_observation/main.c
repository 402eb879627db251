/* SPDX-License-Identifier: Apache-2.0 */
/* A music player shows what is playing: two tracks are set, one call comes. */
#include <observable/observable.h>
#include <stdio.h>

/* 1. A model: a struct that begins with a header word, and a list of its
      properties. OBV_MODEL makes player_track(), player_set_track() and
      player_table. */
struct player {
    struct obv_object object;
    const char *track;
};
#define PLAYER(P) P(player, track, string)
OBV_MODEL(player, PLAYER)

/* 2. An observer: any pointer, and the function that is called with it. */
static void show_track(void *title, struct obv_object *root,
                       const struct obv_call *call)
{
    const struct player *player = (struct player *)root;
    (void)call;
    printf("  %s: %s\n", (char *)title, player_track(player));
}
static const struct obv_handler_kind show = {.changed = show_track};

int main(void)
{
    /* 3. The class, which is made once, and an object of it. */
    struct obv_class *player_class;
    if (obv_class_create(NULL, &player_table, &player_class, NULL)) {
        return 1;
    }
    struct player player = {0};
    obv_object_init(&player.object, player_class);

    /* 4. Observe. */
    struct obv_error error;
    if (obv_observe(&player.object, "track", &show, "now playing", NULL,
                    &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }

    /* 5. Change. Nobody is called yet. */
    player_set_track(&player, "So What");
    player_set_track(&player, "Blue in Green");
    puts("two tracks were set");

    /* 6. Let the loop deliver: one call, which sees the last value. */
    obv_loop_drain(obv_context_loop(NULL));

    /* 7. Setting an equal value is no change. */
    player_set_track(&player, "Blue in Green");
    puts("the same track was set");
    obv_loop_drain(obv_context_loop(NULL));

    /* 8. The object's end is the observation's end. */
    obv_object_deinit(&player.object);
}
