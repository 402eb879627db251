/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classes Thing and Sub: tables, hooks, birth and end.
 *
 * Owed: an object ends in the order in which a user's destructor would do it:
 * first what the program wants to do with it, then the weak pointers to it,
 * then obv_object_deinit(), then its memory.
 */
#include "thing.h"

#include "list.h"
#include "scenario.h"

#include <stdlib.h>
#include <string.h>

/* What is computed --------------------------------------------------------- */

#define COMPUTED(name, index) COMPUTED_AS(name, index, 0)
#define COMPUTED_AS(name, index, how)                                          \
    static enum obv_status make_##name(struct obv_object *object,              \
                                       const struct obv_property *property,    \
                                       void *result);                          \
    static const struct obv_computed name = {                                  \
        .size = sizeof name, .evaluate = make_##name, .flags = (how)};         \
    static enum obv_status evaluate_##name(const struct thing *thing,          \
                                           void *result);                      \
    static enum obv_status make_##name(struct obv_object *object,              \
                                       const struct obv_property *property,    \
                                       void *result)                           \
    {                                                                          \
        struct thing *thing = (struct thing *)object;                          \
        (void)property;                                                        \
        thing->evaluations[index]++;                                           \
        return evaluate_##name(thing, result);                                 \
    }                                                                          \
    static enum obv_status evaluate_##name(const struct thing *thing,          \
                                           void *result)

static enum obv_status answer(void *result, int64_t value)
{
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

COMPUTED(sum, THING_SUM)
{
    return answer(result, thing_i(thing) + thing_j(thing));
}

COMPUTED(twice, THING_TWICE)
{
    return answer(result, thing_sum(thing) * 2);
}

COMPUTED(label, THING_LABEL)
{
    const char *s = thing_s(thing), *t = thing_t(thing);
    size_t length = s ? strlen(s) : 0;
    char *text = malloc(length + (t ? strlen(t) : 0) + 1);
    if (!text) {
        return OBV_E_MEMORY;
    }
    memcpy(text, s ? s : "", length + 1);
    memcpy(text + length, t ? t : "", (t ? strlen(t) : 0) + 1);
    enum obv_status status =
        obv_string_copy(obv_object_class(&thing->object), text, result);
    free(text);
    return status;
}

COMPUTED(deep, THING_DEEP)
{
    const struct thing *b = thing_b(thing);
    const struct thing *c = b ? thing_c(b) : NULL;
    return answer(result, c ? thing_i(c) : -1);
}

COMPUTED(pick, THING_PICK)
{
    struct thing *picked = thing_flag(thing) ? thing_b(thing) : thing_a(thing);
    if (picked) {
        thing_retain(picked);
    }
    memcpy(result, &picked, sizeof picked);
    return OBV_OK;
}

/* Nothing invalidates it by itself. */
COMPUTED_AS(tenfold, THING_TENFOLD, OBV_LAZY)
{
    return answer(result, thing_i(thing) * 10);
}

COMPUTED(copied, THING_COPIED)
{
    struct list *strings = thing_strings(thing);
    struct list *copy = strings ? list_copy(strings) : NULL;
    memcpy(result, &copy, sizeof copy);
    return OBV_OK;
}

COMPUTED(ping, SUB_PING)
{
    int64_t pong;
    enum obv_status status = obv_get_i64(&thing->object, SUB_PONG, &pong);
    return status == OBV_OK ? answer(result, pong + 1) : status;
}

COMPUTED(pong, SUB_PONG)
{
    return answer(result, sub_ping((const struct sub *)thing) + 1);
}

static const struct obv_property thing_properties[] = {
    [THING_I] = OBV_FIELD(thing, i, i64),
    [THING_J] = OBV_FIELD(thing, j, i64),
    [THING_D] = OBV_FIELD(thing, d, f64),
    [THING_FLAG] = OBV_FIELD(thing, flag, bool),
    [THING_S] = OBV_FIELD(thing, s, string),
    [THING_T] = OBV_FIELD(thing, t, string),
    [THING_A] = OBV_FIELD_OBJECT(thing, a, "Thing"),
    [THING_B] = OBV_FIELD_OBJECT(thing, b, "Thing"),
    [THING_C] = OBV_FIELD_OBJECT(thing, c, "Thing"),
    [THING_W] = OBV_FIELD_WITH(thing, w, object, OBV_UNOWNED, "Thing"),
    [THING_LIST] = OBV_FIELD_OBJECT(thing, list, "list of things"),
    [THING_STRINGS] = OBV_FIELD_OBJECT(thing, strings, "list of texts"),
    [THING_DICT] = OBV_FIELD_OBJECT(thing, dict, "dictionary of things"),
    [THING_WORDS] = OBV_FIELD_OBJECT(thing, words, "dictionary of texts"),
    [THING_SET] = OBV_FIELD_OBJECT(thing, set, "set of things"),
    [THING_TAGS] = OBV_FIELD_OBJECT(thing, tags, "set of texts"),
    [THING_PLAIN] = OBV_FIELD_OBJECT(thing, plain, "constant list of things"),
    [THING_SUM] = OBV_FIELD_COMPUTED(thing, sum, i64, &sum),
    [THING_TWICE] = OBV_FIELD_COMPUTED(thing, twice, i64, &twice),
    [THING_LABEL] = OBV_FIELD_COMPUTED(thing, label, string, &label),
    [THING_DEEP] = OBV_FIELD_COMPUTED(thing, deep, i64, &deep),
    [THING_PICK] = OBV_FIELD_COMPUTED(thing, pick, object, &pick),
    [THING_TENFOLD] = OBV_FIELD_COMPUTED(thing, tenfold, i64, &tenfold),
    [THING_COPIED] = OBV_FIELD_COMPUTED(thing, copied, object, &copied),
    [THING_CLAMPED] = OBV_FIELD(thing, clamped, i64),
    [THING_ANY] = OBV_FIELD_OBJECT(thing, any, NULL),
};

static const struct obv_property sub_properties[] = {
    OBV_FIELD(sub, k, i64),
    OBV_FIELD_COMPUTED(sub, ping, i64, &ping),
    OBV_FIELD_COMPUTED(sub, pong, i64, &pong),
};

static bool retain_hook(struct obv_object *object)
{
    return count_try(&((struct thing *)object)->count);
}

static void release_hook(struct obv_object *object)
{
    thing_release((struct thing *)object);
}

static void observed_hook(struct obv_object *object, uint32_t property,
                          bool is_observed)
{
    struct thing *thing = (struct thing *)object;
    /* The test fails if it is at its end; the library holds it meanwhile. */
    thing_retain(thing);
    thing_release(thing);
    world_thing_told(
        thing->named,
        obv_class_property_name(obv_object_class(object), property),
        is_observed);
}

/* The library borrows the tables for as long as the classes live. */
static struct obv_class_table thing_table = {
    .size = sizeof thing_table,
    .name = "Thing",
    .instance_size = sizeof(struct thing),
    .properties = thing_properties,
    .property_count = THING_COUNT,
    .retain = retain_hook,
    .release = release_hook,
    .observed_changed = observed_hook,
};

static struct obv_class_table sub_table = {
    .size = sizeof sub_table,
    .name = "Sub",
    .instance_size = sizeof(struct sub),
    .properties = sub_properties,
    .property_count = SUB_COUNT - THING_COUNT,
    .retain = retain_hook,
    .release = release_hook,
};

enum obv_status thing_make_classes(struct obv_context *context)
{
    enum obv_status status =
        obv_class_create(context, &thing_table, &world.thing_class, NULL);
    sub_table.superclass = world.thing_class;
    return status
               ? status
               : obv_class_create(context, &sub_table, &world.sub_class, NULL);
}

static size_t size_of(const struct obv_class *cls)
{
    return cls == world.sub_class ? sizeof(struct sub) : sizeof(struct thing);
}

static const struct {
    uint32_t property;
    bool is_of_texts;
    enum value_kind kind;
} collections[] = {{THING_LIST, false, VALUE_LIST},
                   {THING_STRINGS, true, VALUE_LIST},
                   {THING_DICT, false, VALUE_DICTIONARY},
                   {THING_WORDS, true, VALUE_DICTIONARY},
                   {THING_SET, false, VALUE_SET},
                   {THING_TAGS, true, VALUE_SET},
                   {THING_PLAIN, false, VALUE_LIST}};

enum { COLLECTIONS = sizeof collections / sizeof *collections };

uint32_t thing_collection(const char *name)
{
    for (size_t i = 0; i < COLLECTIONS; i++) {
        uint32_t property = collections[i].property;
        if (strcmp(thing_properties[property].name, name) == 0) {
            return property;
        }
    }
    return THING_COUNT;
}

/* Empty at the start: what an initialiser stores tells nobody. */
static void give_collections(struct thing *thing)
{
    for (size_t i = 0; i < COLLECTIONS; i++) {
        uint32_t property = collections[i].property;
        const struct value empty = {.kind = collections[i].kind,
                                    .is_constant = property == THING_PLAIN};
        if (!(world.bare >> property & 1)) {
            struct list *list = list_create(collections[i].is_of_texts, &empty);
            memcpy((char *)thing + thing_properties[property].offset, &list,
                   sizeof list);
        }
    }
}

struct thing *thing_create(struct obv_class *cls, struct named_thing *named)
{
    struct thing *thing = calloc(1, size_of(cls));
    if (!thing) {
        abort();
    }
    thing->named = named;
    count_init(&thing->count);
    obv_object_init(&thing->object, cls);
    give_collections(thing);
    world.things_alive++;
    return thing;
}

static void clear_weak_pointers_to(const struct thing *dying)
{
    for (struct named_thing *named = world.things; named; named = named->next) {
        if (named->thing && named->thing->w == dying) {
            thing_set_w(named->thing, NULL);
        }
    }
}

static void thing_destroy(struct thing *thing)
{
    world.depth++; /* what it calls, no drain calls */
    world_thing_ends(thing->named);
    clear_weak_pointers_to(thing);
    thing->named->thing = NULL;
    obv_object_deinit(&thing->object);
    free(thing);
    world.things_alive--;
    world.depth--;
}

void thing_retain(struct thing *thing)
{
    if (!count_try(&thing->count)) {
        fail("%s is being deinitialised", thing->named->name);
    }
}

void thing_release(struct thing *thing)
{
    if (count_drop(&thing->count)) {
        thing_destroy(thing);
    }
}

int64_t thing_clamp(int64_t value)
{
    return value < 0 ? 0 : value > 100 ? 100 : value;
}

int64_t thing_clamped(const struct thing *thing)
{
    return thing->clamped;
}

void thing_set_clamped(struct thing *thing, int64_t value)
{
    (void)obv_set_i64(&thing->object, THING_CLAMPED, thing_clamp(value));
}
