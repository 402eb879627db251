/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties by name: reading and writing them as the scripts spell it, one at
 * a time or along a path. Everything goes through the getters and setters that
 * OBV_PROPERTY() made, or, asked for, through those by index.
 */
#include "list.h"
#include "scenario.h"
#include "thing.h"

#include <stdlib.h>
#include <string.h>

struct property {
    const char *name;
    uint32_t index;
    enum value_kind kind;
    /** The only class that has it; NULL: each has. */
    struct obv_class **cls;
    void (*set)(struct thing *thing, const struct value *value);
    void (*get)(const struct thing *thing, struct value *value);
    void (*poke)(struct thing *thing, const struct value *value);
};

static struct thing *object_of(const struct value *value)
{
    return value->kind == VALUE_OBJECT ? value->object->thing : NULL;
}

static const char *text_of(const struct value *value)
{
    return value->kind == VALUE_TEXT ? value->text : NULL;
}

static struct sub *as_sub(const struct thing *thing)
{
    return (struct sub *)thing;
}

static void check_stored(enum obv_status status)
{
    if (status) {
        fail("the setter answered %s", obv_status_name(status));
    }
}

#define SCALAR(type, self, field, member)                                      \
    static void set_##field(struct thing *thing, const struct value *value)    \
    {                                                                          \
        type##_set_##field(self, value->member);                               \
    }                                                                          \
    static void get_##field(const struct thing *thing, struct value *value)    \
    {                                                                          \
        value->member = type##_##field(self);                                  \
    }                                                                          \
    static void poke_##field(struct thing *thing, const struct value *value)   \
    {                                                                          \
        (self)->field = value->member;                                         \
    }

/* Writes a text past the setter, so that the program copies and frees it
   itself. */
static void poke_text(struct thing *thing, const char **field,
                      const struct value *value)
{
    const struct obv_class *cls = obv_object_class(&thing->object);
    const char *old = *field;
    check_stored(obv_string_copy(cls, text_of(value), field));
    obv_string_free(cls, old);
}

#define STRING(field)                                                          \
    static void set_##field(struct thing *thing, const struct value *value)    \
    {                                                                          \
        check_stored(thing_set_##field(thing, text_of(value)));                \
    }                                                                          \
    static void get_##field(const struct thing *thing, struct value *value)    \
    {                                                                          \
        value->text = thing_##field(thing);                                    \
    }                                                                          \
    static void poke_##field(struct thing *thing, const struct value *value)   \
    {                                                                          \
        poke_text(thing, &thing->field, value);                                \
    }

#define OBJECT(field)                                                          \
    static void set_##field(struct thing *thing, const struct value *value)    \
    {                                                                          \
        thing_set_##field(thing, object_of(value));                            \
    }                                                                          \
    static void get_##field(const struct thing *thing, struct value *value)    \
    {                                                                          \
        struct thing *other = thing_##field(thing);                            \
        value->object = other ? other->named : NULL;                           \
    }

/* Writes an object past the setter, so that the program counts references
   itself. */
#define POKE_COUNTED(field)                                                    \
    static void poke_##field(struct thing *thing, const struct value *value)   \
    {                                                                          \
        struct thing *old = thing->field;                                      \
        thing->field = object_of(value);                                       \
        if (thing->field) {                                                    \
            thing_retain(thing->field);                                        \
        }                                                                      \
        if (old) {                                                             \
            thing_release(old);                                                \
        }                                                                      \
    }

SCALAR(thing, thing, i, integer)
SCALAR(thing, thing, j, integer)
SCALAR(thing, thing, d, real)
SCALAR(thing, thing, flag, truth)
STRING(s)
STRING(t)
OBJECT(a)
POKE_COUNTED(a)
OBJECT(b)
POKE_COUNTED(b)
OBJECT(c)
POKE_COUNTED(c)
OBJECT(w)
SCALAR(sub, as_sub(thing), k, integer)
SCALAR(thing, thing, sum, integer)
SCALAR(thing, thing, twice, integer)
STRING(label)
SCALAR(thing, thing, deep, integer)
OBJECT(pick)
SCALAR(thing, thing, tenfold, integer)
SCALAR(sub, as_sub(thing), ping, integer)
SCALAR(sub, as_sub(thing), pong, integer)

static void poke_w(struct thing *thing, const struct value *value)
{
    thing->w = object_of(value);
}

static void set_clamped(struct thing *thing, const struct value *value)
{
    thing_set_clamped(thing, value->integer);
}

static void get_clamped(const struct thing *thing, struct value *value)
{
    value->integer = thing_clamped(thing);
}

static void poke_clamped(struct thing *thing, const struct value *value)
{
    thing->clamped = value->integer;
}

static bool is_of_texts(uint32_t index)
{
    return index == THING_STRINGS || index == THING_WORDS ||
           index == THING_TAGS;
}

/* Made of the content, or shared. */
static struct list *list_for(const struct value *value, uint32_t index)
{
    struct value content = *value;
    if (value->kind == VALUE_NIL || value->list) {
        return value->list;
    }
    content.is_constant = index == THING_PLAIN;
    return list_create(is_of_texts(index), &content);
}

/* Any container, or nil. */
static void set_list(struct thing *thing, uint32_t index,
                     const struct value *value)
{
    struct list *list = list_for(value, index);
    check_stored(obv_set_object(&thing->object, index,
                                list ? &list->container.object : NULL));
    if (list && !value->list) {
        list_release(list);
    }
}

static struct value get_list(const struct thing *thing, uint32_t index)
{
    struct obv_object *list = NULL;
    check_stored(obv_get_object(&thing->object, index, &list));
    return list ? list_value((struct list *)list)
                : (struct value){.kind = VALUE_NIL};
}

/* Of `any`: a Thing as well. */
static void set_any(struct thing *thing, const struct value *value)
{
    struct thing *other = object_of(value);
    if (other) {
        check_stored(obv_set_object(&thing->object, THING_ANY, &other->object));
    } else {
        set_list(thing, THING_ANY, value);
    }
}

static struct value get_any(const struct thing *thing)
{
    if (!thing->any || list_is_one(thing->any)) {
        return get_list(thing, THING_ANY);
    }
    return (struct value){.kind = VALUE_OBJECT,
                          .object = ((struct thing *)thing->any)->named};
}

static const struct property properties[] = {
    {"i", THING_I, VALUE_INT, NULL, set_i, get_i, poke_i},
    {"j", THING_J, VALUE_INT, NULL, set_j, get_j, poke_j},
    {"d", THING_D, VALUE_FLOAT, NULL, set_d, get_d, poke_d},
    {"flag", THING_FLAG, VALUE_BOOL, NULL, set_flag, get_flag, poke_flag},
    {"s", THING_S, VALUE_TEXT, NULL, set_s, get_s, poke_s},
    {"t", THING_T, VALUE_TEXT, NULL, set_t, get_t, poke_t},
    {"a", THING_A, VALUE_OBJECT, NULL, set_a, get_a, poke_a},
    {"b", THING_B, VALUE_OBJECT, NULL, set_b, get_b, poke_b},
    {"c", THING_C, VALUE_OBJECT, NULL, set_c, get_c, poke_c},
    {"w", THING_W, VALUE_OBJECT, NULL, set_w, get_w, poke_w},
    {"clamped", THING_CLAMPED, VALUE_INT, NULL, set_clamped, get_clamped,
     poke_clamped},
    {"any", THING_ANY, VALUE_ANY, NULL, set_any, NULL, NULL},
    {"sum", THING_SUM, VALUE_INT, NULL, set_sum, get_sum, poke_sum},
    {"twice", THING_TWICE, VALUE_INT, NULL, set_twice, get_twice, poke_twice},
    {"label", THING_LABEL, VALUE_TEXT, NULL, set_label, get_label, poke_label},
    {"deep", THING_DEEP, VALUE_INT, NULL, set_deep, get_deep, poke_deep},
    {"pick", THING_PICK, VALUE_OBJECT, NULL, set_pick, get_pick, NULL},
    {"tenfold", THING_TENFOLD, VALUE_INT, NULL, set_tenfold, get_tenfold,
     poke_tenfold},
    {"copied", THING_COPIED, VALUE_LIST, NULL, NULL, NULL, NULL},
    {"k", SUB_K, VALUE_INT, &world.sub_class, set_k, get_k, poke_k},
    {"ping", SUB_PING, VALUE_INT, &world.sub_class, set_ping, get_ping,
     poke_ping},
    {"pong", SUB_PONG, VALUE_INT, &world.sub_class, set_pong, get_pong,
     poke_pong},
    {"list", THING_LIST, VALUE_LIST, NULL, NULL, NULL, NULL},
    {"strings", THING_STRINGS, VALUE_LIST, NULL, NULL, NULL, NULL},
    {"dict", THING_DICT, VALUE_DICTIONARY, NULL, NULL, NULL, NULL},
    {"words", THING_WORDS, VALUE_DICTIONARY, NULL, NULL, NULL, NULL},
    {"set", THING_SET, VALUE_SET, NULL, NULL, NULL, NULL},
    {"tags", THING_TAGS, VALUE_SET, NULL, NULL, NULL, NULL},
    {"plain", THING_PLAIN, VALUE_LIST, NULL, NULL, NULL, NULL},
};

/* Whether a class has a property of this name. */
static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        if (strcmp(properties[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Of a list: `#3`, or its count; of a set `&3`. */
static bool is_element(const char *name)
{
    return ((name[0] == '#' || name[0] == '&') && word_is_number(name + 1)) ||
           strcmp(name, "count") == 0;
}

void name_check_known(const char *name)
{
    if (strcmp(name, "*") != 0 && !is_element(name) && !is_known(name)) {
        fail("no class has a property %s", name);
    }
}

/* NULL if the object's class has none of this name. */
static const struct property *find(const struct thing *thing, const char *name)
{
    size_t count = sizeof properties / sizeof *properties;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(properties[i].name, name) == 0 &&
            (!properties[i].cls ||
             *properties[i].cls == obv_object_class(&thing->object))) {
            return &properties[i];
        }
    }
    return NULL;
}

/* --- by index ------------------------------------------------------------ */

static struct obv_object *header_of(struct thing *thing)
{
    return thing ? &thing->object : NULL;
}

static void set_by_index(struct thing *thing, const struct property *property,
                         const struct value *value)
{
    struct obv_object *object = &thing->object;
    uint32_t index = property->index;
    enum obv_status status = OBV_E_KIND;
    if (property->kind == VALUE_INT) {
        bool clamps = index == THING_CLAMPED;
        status =
            obv_set_i64(object, index,
                        clamps ? thing_clamp(value->integer) : value->integer);
    } else if (property->kind == VALUE_FLOAT) {
        status = obv_set_f64(object, index, value->real);
    } else if (property->kind == VALUE_BOOL) {
        status = obv_set_bool(object, index, value->truth);
    } else if (property->kind == VALUE_TEXT) {
        status = obv_set_string(object, index, text_of(value));
    } else if (property->kind == VALUE_OBJECT) {
        status = obv_set_object(object, index, header_of(object_of(value)));
    }
    check_stored(status);
}

static void get_by_index(const struct thing *thing,
                         const struct property *property, struct value *value)
{
    const struct obv_object *object = &thing->object;
    struct obv_object *other = NULL;
    enum obv_status status = OBV_E_KIND;
    if (property->kind == VALUE_INT) {
        status = obv_get_i64(object, property->index, &value->integer);
    } else if (property->kind == VALUE_FLOAT) {
        status = obv_get_f64(object, property->index, &value->real);
    } else if (property->kind == VALUE_BOOL) {
        status = obv_get_bool(object, property->index, &value->truth);
    } else if (property->kind == VALUE_TEXT) {
        status = obv_get_string(object, property->index, &value->text);
    } else if (property->kind == VALUE_OBJECT) {
        status = obv_get_object(object, property->index, &other);
        value->object = other ? ((struct thing *)other)->named : NULL;
    }
    check_stored(status);
}

/* --- one property -------------------------------------------------------- */

/* A computed property may have no value: then the script's read is refused. */
static bool has_value(const struct thing *thing,
                      const struct property *property)
{
    const struct obv_object *object = &thing->object;
    union {
        int64_t integer;
        const char *text;
        struct obv_object *object;
    } value;
    enum obv_status status =
        !obv_property_is_computed(obv_object_class(object), property->index)
            ? OBV_OK
        : property->kind == VALUE_INT
            ? obv_get_i64(object, property->index, &value.integer)
        : property->kind == VALUE_TEXT
            ? obv_get_string(object, property->index, &value.text)
            : obv_get_object(object, property->index, &value.object);
    struct obv_error error = {.status = status};
    if (status) {
        refuse(status, &error);
    }
    return status == OBV_OK;
}

static struct value read_property(const struct thing *thing,
                                  const struct property *property)
{
    struct value value = {.kind = property->kind};
    if (!has_value(thing, property)) {
        return (struct value){.kind = VALUE_NIL};
    }
    if (property->kind == VALUE_ANY) {
        return get_any(thing);
    }
    if (property->kind >= VALUE_LIST) {
        return get_list(thing, property->index);
    }
    if (world.by_index) {
        get_by_index(thing, property, &value);
    } else {
        property->get(thing, &value);
    }
    if (value.kind == VALUE_TEXT && value.text) {
        size_t size = strlen(value.text) + 1;
        value.text = memcpy(keep(size), value.text, size);
    } else if (value.kind == VALUE_TEXT ||
               (value.kind == VALUE_OBJECT && !value.object)) {
        value.kind = VALUE_NIL;
    }
    return value;
}

/* The value in the property's own kind; the test fails if it has none. */
static struct value converted(const struct property *property,
                              const struct value *value)
{
    struct value result = *value;
    bool can_be_nil =
        property->kind == VALUE_TEXT || property->kind >= VALUE_OBJECT;
    if (property->kind == VALUE_SET && value->kind == VALUE_LIST &&
        !value->list) {
        result.kind = VALUE_SET; /* written in brackets as well */
        return result;
    }
    if (property->kind == VALUE_FLOAT && value->kind == VALUE_INT) {
        result.kind = VALUE_FLOAT;
        result.real = (double)value->integer;
    } else if (value->kind != property->kind &&
               !(can_be_nil && value->kind == VALUE_NIL) &&
               !(property->kind == VALUE_ANY && value->kind >= VALUE_OBJECT)) {
        fail("%s cannot hold %s", property->name, value_print(value));
    }
    if (result.kind == VALUE_OBJECT && !result.object->thing) {
        fail("%s is dead", result.object->name);
    }
    return result;
}

/* --- paths --------------------------------------------------------------- */

/* The next element of a path without its escapes, or NULL at its end. */
static char *next_element(const char **path)
{
    if (!*path) {
        return NULL;
    }
    const char *from = *path;
    char *element = keep(strlen(from) + 1), *to = element;
    while (*from != '\0' && *from != '.') {
        if (*from == '\\' && from[1] != '\0') {
            from++;
        }
        *to++ = *from++;
    }
    *path = *from == '.' ? from + 1 : NULL;
    return element;
}

void element_check_known(const struct obv_object *object, const char *name)
{
    const struct list *list =
        list_is_one(object) ? (const struct list *)object : NULL;
    if (!list || (!list_is_dictionary(list) && !word_is_number(name))) {
        name_check_known(name);
    }
}

/* A number stands behind a list, and any key behind a dictionary. */
void path_check_known(const char *path)
{
    const char *before = "";
    for (char *element; (element = next_element(&path)); before = element) {
        bool is_in_list = strcmp(before, "list") == 0 ||
                          strcmp(before, "strings") == 0 ||
                          strcmp(before, "plain") == 0;
        bool is_key = strcmp(before, "dict") == 0 ||
                      strcmp(before, "words") == 0 ||
                      strcmp(before, "any") == 0;
        if (!is_key && !(is_in_list && word_is_number(element))) {
            name_check_known(element);
        }
    }
}

static struct value element_of(const struct value *value, const char *element,
                               bool is_plain)
{
    size_t position = SIZE_MAX;
    if (is_plain && strcmp(element, "count") == 0) {
        return (struct value){.kind = VALUE_INT,
                              .integer = (int64_t)value->item_count};
    }
    if (value->kind == VALUE_SET) {
        for (size_t i = value->item_count; i-- > 0;) {
            bool is_it = element[0] == '&' && strtoull(element + 1, NULL, 10) ==
                                                  list_hash(&value->items[i]);
            position = is_it ? i : position;
        }
    } else if (value->kind == VALUE_DICTIONARY) {
        for (size_t i = 0; i < value->item_count; i++) {
            position = strcmp(value->keys[i], element) == 0 ? i : position;
        }
    } else if (element[0] == '#' || word_is_number(element)) {
        position = strtoull(element + (element[0] == '#'), NULL, 10);
    }
    return position < value->item_count
               ? value->items[position]
               : (struct value){.kind = VALUE_UNREACHABLE};
}

/* From an object to what its property holds, or from a list to an element;
   `is_plain`: without any escape. */
static void follow(struct value *value, const char *element, bool is_plain)
{
    if (value->kind >= VALUE_LIST) {
        *value = element_of(value, element, is_plain);
        return;
    }
    const struct thing *thing = object_of(value);
    const struct property *property = thing ? find(thing, element) : NULL;
    *value = property ? read_property(thing, property)
                      : (struct value){.kind = VALUE_UNREACHABLE};
}

/* Whether the next element of a path, if there is one, has no escape. */
static bool next_is_plain(const char *path)
{
    while (path && *path != '\0' && *path != '.' && *path != '\\') {
        path++;
    }
    return !path || *path != '\\';
}

bool path_read(struct named_thing *root, const char *path, struct value *value)
{
    *value = (struct value){.kind = VALUE_OBJECT, .object = root};
    bool is_plain = next_is_plain(path);
    for (char *element; (element = next_element(&path));
         is_plain = next_is_plain(path)) {
        if (is_plain && strcmp(element, "*") == 0) {
            return false;
        }
        follow(value, element, is_plain);
    }
    return true;
}

bool path_has_star(const char *path)
{
    bool found = false, is_plain = next_is_plain(path);
    for (char *element; !found && (element = next_element(&path));
         is_plain = next_is_plain(path)) {
        found = is_plain && strcmp(element, "*") == 0;
    }
    return found;
}

bool path_follows(const char *path)
{
    bool found = false;
    for (char *element; !found && (element = next_element(&path));) {
        found = word_is_number(element);
    }
    return found;
}

/* The root of `X.b.i`; `path` becomes the rest. */
static struct named_thing *place_root(const char *place, const char **path)
{
    *path = place;
    const char *name = next_element(path);
    if (!*path) {
        fail("a place is an object and a path, as X.b.i: %s", place);
    }
    world_thing(name);
    return world_named(name);
}

struct value place_read(const char *place)
{
    const char *path;
    struct named_thing *root = place_root(place, &path);
    struct value value;
    path_check_known(path);
    if (!path_read(root, path, &value)) {
        fail("a place has no *: %s", place);
    }
    return value;
}

struct obv_object *object_at(const char *place)
{
    if (!strchr(place, '.')) {
        return &world_thing(place)->object;
    }
    struct value value = place_read(place);
    if (value.kind < VALUE_OBJECT) {
        fail("no object stands at %s", place);
    }
    return value.kind >= VALUE_LIST ? &value.list->container.object
                                    : &value.object->thing->object;
}

/* The object and the property that a place ends at. */
static struct thing *place_target(const char *place,
                                  const struct property **property)
{
    const char *path;
    struct named_thing *root = place_root(place, &path);
    struct value value = {.kind = VALUE_OBJECT, .object = root};
    const char *name = next_element(&path);
    for (char *next; (next = next_element(&path)); name = next) {
        follow(&value, name, true);
    }
    struct thing *target = object_of(&value);
    if (!target) {
        fail("nothing stands at %s", place);
    }
    *property = find(target, name);
    if (!*property) {
        fail("%s has no property %s", target->named->name, name);
    }
    return target;
}

void place_set(const char *place, const struct value *value)
{
    const struct property *property;
    struct thing *target = place_target(place, &property);
    struct value own = converted(property, value);
    if (property->kind == VALUE_ANY) {
        set_any(target, &own);
    } else if (property->kind >= VALUE_LIST) {
        set_list(target, property->index, &own);
    } else if (world.by_index) {
        set_by_index(target, property, &own);
    } else {
        property->set(target, &own);
    }
}

void place_invalidate(const char *place)
{
    const struct property *property;
    struct thing *target = place_target(place, &property);
    check_stored(obv_invalidate(&target->object, property->index));
}

uint64_t place_evaluations(const char *place)
{
    const struct property *property;
    struct thing *target = place_target(place, &property);
    if (!obv_property_is_computed(obv_object_class(&target->object),
                                  property->index)) {
        fail("%s is not computed", property->name);
    }
    return target->evaluations[property->index];
}

void thing_each_computed(struct thing *thing, bool is_valid,
                         void (*each)(void *context, const char *name),
                         void *context)
{
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const struct property *property = find(thing, properties[i].name);
        if (property &&
            obv_property_is_computed(obv_object_class(&thing->object),
                                     property->index) &&
            obv_is_valid(&thing->object, property->index) == is_valid) {
            each(context, property->name);
        }
    }
}

void place_poke(const char *place, const struct value *value)
{
    const struct property *property;
    struct thing *target = place_target(place, &property);
    struct value own = converted(property, value);
    if (!property->poke) {
        fail("a list is not written past its setter");
    }
    property->poke(target, &own);
}

/* --- triggers ------------------------------------------------------------ */

/* What a property of the value's kind has in its field. */
union field {
    int64_t integer;
    double real;
    bool truth;
    const char *text;
    struct obv_object *object;
};

static const void *field_of(const struct property *property,
                            const struct value *value, union field *field)
{
    struct value own = property ? converted(property, value) : *value;
    switch (property ? property->kind : own.kind) {
    case VALUE_INT:
        field->integer = own.integer;
        break;
    case VALUE_FLOAT:
        field->real = own.real;
        break;
    case VALUE_BOOL:
        field->truth = own.truth;
        break;
    case VALUE_TEXT:
        field->text = text_of(&own);
        break;
    default:
        field->object =
            own.list ? &own.list->container.object : header_of(object_of(&own));
        break;
    }
    return field;
}

/* The property that a path ends with, by its name; NULL: there is none. */
static const struct property *last_of(const char *path)
{
    char *element, *last = NULL;
    while ((element = next_element(&path))) {
        last = element;
    }
    size_t count = sizeof properties / sizeof *properties;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(properties[i].name, last) == 0) {
            return &properties[i];
        }
    }
    return NULL;
}

void path_trigger(struct thing *root, const char *path, const struct value *old,
                  const struct value *now)
{
    union field before, after;
    struct obv_error error = {.status = OBV_OK};
    const struct property *property = last_of(path);
    const void *old_field = field_of(property, old, &before);
    const void *new_field = now ? field_of(property, now, &after) : NULL;
    const struct property *own = find(root, path);
    enum obv_status status =
        world.by_index && own
            ? obv_trigger(&root->object, own->index, old_field, new_field)
            : obv_trigger_path(&root->object, path, old_field, new_field,
                               &error);
    if (status) {
        refuse(status, &error);
    }
}
