/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes an observation graph whose names would break each of its texts, in the
 * format that the argument names: `text`, `dot` or `json`.
 */
#include <observable/graph.h>
#include <observable/observable.h>

#include <stdio.h>
#include <string.h>

#define HOSTILE                                                                \
    "\"]; evil [label=\\ <b>&amp;</b></script>{|}\n\t\033[2J\x80\xff"

struct thing {
    struct obv_object object;
    int64_t count;
    struct thing *next;
};

OBV_PROPERTY(thing, count, i64, 0)
OBV_PROPERTY(thing, next, object, 1)

static void ignore(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
}

static const struct obv_handler_kind hostile = {.changed = ignore,
                                                .label = HOSTILE
                                                "\xe2\x80\xae"
                                                "desrever\xf0\x9f\x90\x8c",
                                                .file = "a\\\"\n.c",
                                                .line = 7};

static void write_out(void *context, const char *text, size_t length)
{
    (void)context;
    (void)fwrite(text, 1, length, stdout);
}

int main(int count, char **arguments)
{
    const struct obv_property properties[] = {
        OBV_FIELD(thing, count, i64), OBV_FIELD_OBJECT(thing, next, "thing")};
    const struct obv_class_table table = {.size = sizeof table,
                                          .name = "thing" HOSTILE,
                                          .instance_size = sizeof(struct thing),
                                          .properties = properties,
                                          .property_count = 2};
    const char *format = count == 2 ? arguments[1] : "text";
    struct obv_context *context;
    struct obv_class *cls;
    struct thing first = {.count = 1}, second = {.count = 2};
    struct obv_observation *handles[2];
    if (obv_context_create(NULL, &context) != OBV_OK ||
        obv_class_create(context, &table, &cls, NULL) != OBV_OK) {
        return 2;
    }
    obv_object_init(&first.object, cls);
    obv_object_init(&second.object, cls);
    thing_set_next(&first, &second);
    if (obv_observe(&first.object, "next.*", &hostile, &first, &handles[0],
                    NULL) != OBV_OK ||
        obv_observe(&second.object, "nothing\\.of\\ it", &hostile, &first,
                    &handles[1], NULL) != OBV_OK) {
        return 2;
    }
    struct obv_object *roots[] = {&first.object};
    enum obv_status status =
        obv_graph_write(roots, 1,
                        strcmp(format, "dot") == 0    ? OBV_GRAPH_DOT
                        : strcmp(format, "json") == 0 ? OBV_GRAPH_JSON
                                                      : OBV_GRAPH_TEXT,
                        0, write_out, NULL);
    for (size_t i = 0; i < 2; i++) {
        obv_stop(handles[i]);
        obv_release(handles[i]);
    }
    (void)obv_object_deinit(&first.object);
    (void)obv_object_deinit(&second.object);
    return status == OBV_OK && obv_context_destroy(context) == OBV_OK ? 0 : 1;
}
