/* SPDX-License-Identifier: Apache-2.0 */
/* A bell rings when the door moves, until its token is stopped. Stopping it
   takes back even a call that is already scheduled. */
#include <observable/observable.h>
#include <stdio.h>
#include <stdlib.h>

struct door {
    struct obv_object object;
    bool isOpen;
};
#define DOOR(P) P(door, isOpen, bool)
OBV_MODEL(door, DOOR)

/* 1. The bell is the observer. `dispose` is called once, when the handler will
      not be called any more: what it uses may go. */
struct bell {
    int rings;
};
static void ring_bell(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    struct bell *bell = observer;
    (void)root;
    (void)call;
    printf("  ding (%d)\n", ++bell->rings);
}
static void free_bell(const struct obv_handler_kind *kind, void *observer)
{
    (void)kind;
    puts("  the bell is gone");
    free(observer);
}
static const struct obv_handler_kind ring = {.changed = ring_bell,
                                             .dispose = free_bell};

int main(void)
{
    struct obv_class *door_class;
    struct bell *bell = calloc(1, sizeof *bell);
    if (!bell || obv_class_create(NULL, &door_table, &door_class, NULL)) {
        return 1;
    }
    struct door door = {0};
    obv_object_init(&door.object, door_class);

    /* 2. Observe, and keep the handle: with OBV_TOKEN it is a token. */
    const struct obv_pair pair = {&door.object, "isOpen"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_TOKEN};
    struct obv_observation *token;
    if (obv_observe_pairs(&pair, 1, &ring, bell, &options, &token, NULL)) {
        return 1;
    }
    door_set_isOpen(&door, true);
    puts("the door opens");
    obv_loop_drain(obv_context_loop(NULL));

    /* 3. Stop while a call is scheduled: it does not come, and what it would
          have used goes at once. */
    door_set_isOpen(&door, false);
    puts("the door closes, and the bell is stopped before it rings");
    obv_stop(token);
    obv_release(token);
    obv_loop_drain(obv_context_loop(NULL));
    obv_object_deinit(&door.object);

    /* 4. Memory of what has ended is given back many blocks at a time. Give
          back the rest, or a leak checker would find it here. */
    obv_context_collect(NULL);
}
