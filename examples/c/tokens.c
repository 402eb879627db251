/* SPDX-License-Identifier: Apache-2.0 */
/* How it stops: stopping a token takes back a call that is already scheduled.
   `dispose` says when what the handler uses may go. */
#include <observable/observable.h>
#include <stdio.h>
#include <stdlib.h>

struct door {
    struct obv_object object;
    bool open;
};
OBV_PROPERTY(door, open, bool, 0)

static const struct obv_property properties[] = {OBV_FIELD(door, open, bool)};
static const struct obv_class_table table = {
    sizeof table, "door", sizeof(struct door), NULL, properties, 1, 0, 0};

/* A handler with a context of its own: the kind is embedded in it. */
struct bell {
    struct obv_handler_kind kind;
    int *rings;
    bool *gone;
};

static void ring(void *observer, struct obv_object *root,
                 const struct obv_call *call)
{
    const struct bell *bell = (const struct bell *)call->kind;
    (void)observer;
    ++*bell->rings;
    puts(door_open((struct door *)root) ? "open" : "closed");
}

static void free_bell(const struct obv_handler_kind *kind, void *observer)
{
    struct bell *bell = (struct bell *)(uintptr_t)kind;
    (void)observer;
    *bell->gone = true;
    free(bell);
}

int main(void)
{
    struct obv_class *cls;
    struct obv_observation *token;
    struct door door = {0};
    struct obv_loop *loop = obv_context_loop(obv_context_default());
    int rings = 0;
    bool gone = false;
    struct bell *bell = malloc(sizeof *bell);
    if (!bell || obv_class_create(NULL, &table, &cls, NULL) != OBV_OK) {
        return 1;
    }
    *bell = (struct bell){
        .kind = {.changed = ring, .dispose = free_bell, .label = "bell"},
        .rings = &rings,
        .gone = &gone};
    obv_object_init(&door.object, cls);

    const struct obv_pair pair = {&door.object, "open"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_TOKEN};
    if (obv_observe_pairs(&pair, 1, &bell->kind, NULL, &options, &token,
                          NULL) != OBV_OK) {
        return 1;
    }
    door_set_open(&door, true);
    obv_loop_drain(loop); /* rings */
    door_set_open(&door, false);
    obv_stop(token);
    obv_loop_drain(loop); /* taken back: does not ring */
    bool ended = obv_has_ended(token);
    obv_release(token);
    obv_object_deinit(&door.object);
    return rings == 1 && gone && ended ? 0 : 1;
}
