/* SPDX-License-Identifier: Apache-2.0 */
/* The program's own event loop: it polls the library's descriptor beside its
   own, which here is a pipe that says what to set. */
#include <observable/observable.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

struct counter {
    struct obv_object object;
    int32_t value;
};
OBV_PROPERTY(counter, value, i32, 0)

static const struct obv_property properties[] = {
    OBV_FIELD(counter, value, i32)};
static const struct obv_class_table table = {
    sizeof table, "counter", sizeof(struct counter), NULL, properties, 1, 0, 0};

static void value_changed(void *last, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)call;
    *(int32_t *)last = counter_value((struct counter *)root);
    printf("value: %d\n", (int)*(int32_t *)last);
}
static const struct obv_handler_kind kind = {.changed = value_changed};

int main(void)
{
    struct obv_class *cls;
    struct counter counter = {0};
    struct obv_loop *loop = obv_context_loop(obv_context_default());
    int32_t last = 0;
    int in_and_out[2], descriptor;
    if (obv_class_create(NULL, &table, &cls, NULL) != OBV_OK ||
        obv_loop_descriptor(loop, &descriptor) != OBV_OK ||
        pipe(in_and_out) != 0) {
        return 1;
    }
    obv_object_init(&counter.object, cls);
    if (obv_observe(&counter.object, "value", &kind, &last, NULL, NULL) !=
            OBV_OK ||
        write(in_and_out[1], "\3\4\5", 3) != 3) {
        return 1;
    }

    struct pollfd waiting[] = {{.fd = in_and_out[0], .events = POLLIN},
                               {.fd = descriptor, .events = POLLIN}};
    int drains = 0;
    while (last != 5 && poll(waiting, 2, 1000) > 0) {
        unsigned char byte;
        if ((waiting[0].revents & POLLIN) &&
            read(in_and_out[0], &byte, 1) == 1) {
            counter_set_value(&counter, byte);
        }
        if (waiting[1].revents & POLLIN) {
            obv_loop_drain(loop);
            drains++;
        }
    }
    /* Nothing is pending: the descriptor must be silent. */
    bool silent = poll(&waiting[1], 1, 0) == 0;
    obv_object_deinit(&counter.object);
    close(in_and_out[0]);
    close(in_and_out[1]);
    return last == 5 && drains > 0 && silent ? 0 : 1;
}
