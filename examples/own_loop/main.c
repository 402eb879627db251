/* SPDX-License-Identifier: Apache-2.0 */
/* A program with an event loop of its own: it polls the library's descriptor
   beside its own, which here is a pipe from a thermometer. */
#include <observable/observable.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

struct room {
    struct obv_object object;
    int32_t degrees;
};
#define ROOM(P) P(room, degrees, i32)
OBV_MODEL(room, ROOM)

static void show_degrees(void *observer, struct obv_object *root,
                         const struct obv_call *call)
{
    (void)observer;
    (void)call;
    printf("%d degrees\n", room_degrees((struct room *)root));
}
static const struct obv_handler_kind show = {.changed = show_degrees};

int main(void)
{
    struct obv_class *room_class;
    if (obv_class_create(NULL, &room_table, &room_class, NULL)) {
        return 1;
    }
    struct room room = {0};
    obv_object_init(&room.object, room_class);
    if (obv_observe(&room.object, "degrees", &show, NULL, NULL, NULL)) {
        return 1;
    }

    /* 1. The descriptor is readable while a call is pending. It belongs to the
          loop: it is polled, and neither read nor closed. */
    struct obv_loop *loop = obv_context_loop(NULL);
    int pending, thermometer[2];
    if (obv_loop_descriptor(loop, &pending) || pipe(thermometer)) {
        return 1;
    }

    /* 2. The thermometer sends a byte for each reading and hangs up. */
    const unsigned char readings[] = {18, 19, 19, 21};
    if (write(thermometer[1], readings, 4) != 4) {
        return 1;
    }
    close(thermometer[1]);

    /* 3. The program's loop: call what is pending, take what has come. */
    struct pollfd waiting[] = {{.fd = pending, .events = POLLIN},
                               {.fd = thermometer[0], .events = POLLIN}};
    unsigned char reading;
    while (poll(waiting, 2, -1) > 0) {
        if (waiting[0].revents) {
            obv_loop_drain(loop);
        }
        if (waiting[1].revents) {
            if (read(thermometer[0], &reading, 1) != 1) {
                break;
            }
            room_set_degrees(&room, reading);
        }
    }

    close(thermometer[0]);
    obv_object_deinit(&room.object);
}
