/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things and observer objects: structs with counted references, as any user of
 * the library would write them.
 */
#include "real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

OBV_PROPERTY(real_thing, i, i64, I)
OBV_PROPERTY(real_thing, j, i16, J)
OBV_PROPERTY(real_thing, d, f32, D)
OBV_PROPERTY(real_thing, flag, bool, FLAG)
OBV_PROPERTY(real_thing, s, string, S)
OBV_PROPERTY(real_thing, t, string, T)
OBV_PROPERTY(real_thing, a, object, A)
OBV_PROPERTY(real_thing, b, object, B)
OBV_PROPERTY(real_thing, c, object, C)
OBV_PROPERTY(real_thing, w, object, W)
OBV_PROPERTY(real_thing, f, pointer, F)
OBV_PROPERTY(real_thing, list, object, L)
OBV_PROPERTY(real_thing, dict, object, DICT)
OBV_PROPERTY(real_thing, set, object, SET_OF_THINGS)
OBV_COMPUTED(real_thing, sum, i64, SUM)
OBV_COMPUTED(real_thing, twice, i64, TWICE)
OBV_COMPUTED(real_thing, label, string, LABEL)
OBV_COMPUTED(real_thing, deep, i64, DEEP)
OBV_COMPUTED(real_thing, pick, object, PICK)
OBV_COMPUTED(real_thing, tenfold, i64, TENFOLD)
OBV_COMPUTED(real_thing, over, i64, OVER)
OBV_COMPUTED(real_thing, far, object, FAR)
OBV_PROPERTY(real_thing, k, u32, K)

/* Computed ---------------------------------------------------------------- */

static struct real_thing *picked(const struct real_thing *thing)
{
    return real_thing_flag(thing) ? real_thing_b(thing) : real_thing_a(thing);
}

static int64_t deep_number(const struct real_thing *thing)
{
    const struct real_thing *b = real_thing_b(thing);
    const struct real_thing *c = b ? real_thing_c(b) : NULL;
    return c ? real_thing_i(c) : -1;
}

static int64_t number_of_computed(const struct real_thing *thing, int property)
{
    const struct real_thing *b;
    switch (property) {
    case SUM:
        return real_thing_i(thing) + real_thing_j(thing);
    case TWICE:
        return real_thing_sum(thing) * 2;
    case DEEP:
        return deep_number(thing);
    case TENFOLD:
        return real_thing_i(thing) * 10;
    default:
        b = real_thing_b(thing);
        return b ? real_thing_sum(b) : -1;
    }
}

static struct real_thing *computed_thing(const struct real_thing *thing,
                                         int property)
{
    if (property == PICK) {
        return picked(thing);
    }
    const struct real_thing *pick = real_thing_pick(thing);
    return pick ? real_thing_pick(pick) : NULL;
}

static enum obv_status computed_text(const struct real_thing *thing,
                                     const char **result)
{
    char text[100];
    const char *s = real_thing_s(thing);
    strcpy(text, s ? s : "");
    const char *t = real_thing_t(thing);
    strcat(text, t ? t : "");
    return obv_string_copy(real.thing_class, text, result);
}

static enum obv_status evaluate(struct obv_object *object,
                                const struct obv_property *line, void *result)
{
    struct real_thing *thing = (struct real_thing *)(void *)object;
    int property = element_of(line->name);
    thing->evaluations[property - SUM]++;
    if (property == LABEL) {
        return computed_text(thing, result);
    }
    if (holds_thing(property)) {
        struct real_thing *found = computed_thing(thing, property);
        if (found) {
            (void)thing_retain(found);
        }
        memcpy(result, &found, sizeof found);
    } else {
        int64_t number = number_of_computed(thing, property);
        memcpy(result, &number, sizeof number);
    }
    return OBV_OK;
}

static const struct obv_computed synthetic = {.size = sizeof synthetic,
                                              .evaluate = evaluate};
static const struct obv_computed lazy = {
    .size = sizeof lazy, .evaluate = evaluate, .flags = OBV_LAZY};

static const struct obv_property properties[] = {
    [I] = OBV_FIELD(real_thing, i, i64),
    [J] = OBV_FIELD(real_thing, j, i16),
    [D] = OBV_FIELD(real_thing, d, f32),
    [FLAG] = OBV_FIELD(real_thing, flag, bool),
    [S] = OBV_FIELD(real_thing, s, string),
    [T] = OBV_FIELD(real_thing, t, string),
    [A] = OBV_FIELD_OBJECT(real_thing, a, "Thing"),
    [B] = OBV_FIELD_OBJECT(real_thing, b, "Thing"),
    [C] = OBV_FIELD_OBJECT(real_thing, c, "Thing"),
    [W] = OBV_FIELD_WITH(real_thing, w, object, OBV_UNOWNED, "Thing"),
    [CLAMPED] = OBV_FIELD(real_thing, clamped, enum),
    [F] = OBV_FIELD_WITH(real_thing, f, pointer, OBV_FOREIGN, "Foreign"),
    [L] = OBV_FIELD_OBJECT(real_thing, list, NULL),
    [DICT] = OBV_FIELD_OBJECT(real_thing, dict, NULL),
    [SET_OF_THINGS] = OBV_FIELD_OBJECT(real_thing, set, NULL),
    [SUM] = OBV_FIELD_COMPUTED(real_thing, sum, i64, &synthetic),
    [TWICE] = OBV_FIELD_COMPUTED(real_thing, twice, i64, &synthetic),
    [LABEL] = OBV_FIELD_COMPUTED(real_thing, label, string, &synthetic),
    [DEEP] = OBV_FIELD_COMPUTED(real_thing, deep, i64, &synthetic),
    [PICK] = OBV_FIELD_COMPUTED(real_thing, pick, object, &synthetic),
    [TENFOLD] = OBV_FIELD_COMPUTED(real_thing, tenfold, i64, &lazy),
    [OVER] = OBV_FIELD_COMPUTED(real_thing, over, i64, &synthetic),
    [FAR] = OBV_FIELD_COMPUTED(real_thing, far, object, &synthetic),
    [K] = OBV_FIELD(real_thing, k, u32),
};

/* Ends -------------------------------------------------------------------- */

bool thing_retain(struct real_thing *thing)
{
    thing->references += thing->references > 0;
    return thing->references > 0;
}

static void clear_weak_references_to(const struct real_thing *thing)
{
    for (int t = THINGS; t-- > 0;) {
        if (real.thing[t] && real.thing[t]->w == thing) {
            real_set(real.thing[t], W, NIL);
        }
    }
}

void thing_release(struct real_thing *thing)
{
    if (--thing->references > 0) {
        return;
    }
    int number = thing->number;
    run_real_listed(&real.on_deinit[number]);
    clear_weak_references_to(thing);
    real.thing[number] = NULL;
    EXPECT_EQ("obv_object_deinit", obv_object_deinit(&thing->object), OBV_OK);
    for (size_t i = 0; i < ROOM_OF_ANY; i++) {
        if (thing->items[i]) {
            thing_release(thing->items[i]);
        }
    }
    free(thing);
}

bool observer_retain(void *object)
{
    struct real_observer *observer = object;
    observer->references += observer->references > 0;
    return observer->references > 0;
}

void observer_release(void *object)
{
    struct real_observer *observer = object;
    if (--observer->references > 0) {
        return;
    }
    run_real_listed(&real.on_drop[observer->number]);
    real.observer[observer->number] = NULL;
    EXPECT_EQ("obv_object_deinit", obv_object_deinit(&observer->object),
              OBV_OK);
    free(observer);
}

/* Classes ----------------------------------------------------------------- */

static bool thing_hook(struct obv_object *object)
{
    return thing_retain((struct real_thing *)object);
}

static void thing_release_hook(struct obv_object *object)
{
    thing_release((struct real_thing *)object);
}

static void told_hook(struct obv_object *object, uint32_t property,
                      bool is_observed)
{
    int number = ((struct real_thing *)object)->number;
    uint64_t bit = UINT64_C(1)
                   << (property == OBV_EVERY_PROPERTY ? STAR : property);
    if ((real.told[number] & bit ? true : false) == is_observed) {
        differ("%s is told twice that it is %sobserved", thing_name(number),
               is_observed ? "" : "not ");
    }
    real.told[number] ^= bit;
}

static struct real_thing *content_of(const struct obv_container *container)
{
    return (struct real_thing *)(uintptr_t)container;
}

static size_t count_of_content(const struct obv_container *container)
{
    return content_of(container)->used;
}

static const void *list_at(const struct obv_container *list, size_t position)
{
    return &content_of(list)->items[position];
}

static const struct obv_container_kind list_kind = {
    .size = sizeof list_kind,
    .name = "List",
    .instance_size = sizeof(struct real_thing),
    .element = OBV_ELEMENT(object),
    .count = count_of_content,
    .at = list_at,
    .retain = thing_hook,
    .release = thing_release_hook};

static const void *value_at_key(const struct obv_container *dictionary, int k)
{
    const struct real_thing *own = content_of(dictionary);
    return own->has_key[k] ? &own->items[k] : NULL;
}

static const void *value_of_key(const struct obv_container *dictionary,
                                const void *key)
{
    int k = 0;
    while (k < KEYS && strcmp(key_text(KEY + k), key) != 0) {
        k++;
    }
    return k < KEYS ? value_at_key(dictionary, k) : NULL;
}

static bool next_key(const struct obv_container *dictionary,
                     struct obv_container_cursor *cursor)
{
    do {
        if (cursor->index == KEYS) {
            return false;
        }
        int k = (int)cursor->index++;
        cursor->key = key_text(KEY + k);
        cursor->element = value_at_key(dictionary, k);
    } while (!cursor->element);
    return true;
}

static val number_of(const void *element)
{
    const struct real_thing *thing = *(const struct real_thing *const *)element;
    return thing ? thing->number : NIL;
}

static bool elements_are_twins(const void *a, const void *b)
{
    return are_twins(number_of(a), number_of(b));
}

static const struct obv_container_kind dictionary_kind = {
    .size = sizeof dictionary_kind,
    .name = "Dictionary",
    .instance_size = sizeof(struct real_thing),
    .element = {.name = "element",
                .kind = OBV_KIND_object,
                .equal = elements_are_twins},
    .count = count_of_content,
    .key = &obv_text_keys,
    .find = value_of_key,
    .next = next_key,
    .retain = thing_hook,
    .release = thing_release_hook};

static uint64_t hash_of_number(int number)
{
    return strtoull(property_names[hash_of[number]] + 1, NULL, 10);
}

static uint64_t hash_of_member(const struct obv_container *set,
                               const void *element)
{
    (void)set;
    return hash_of_number(number_of(element));
}

static const void *member_of_hash(const struct obv_container *set,
                                  uint64_t hash, size_t index)
{
    const struct real_thing *own = content_of(set);
    for (size_t i = 0; i < own->used; i++) {
        if (hash_of_number(own->items[i]->number) == hash && index-- == 0) {
            return &own->items[i];
        }
    }
    return NULL;
}

static bool next_member(const struct obv_container *set,
                        struct obv_container_cursor *cursor)
{
    const struct real_thing *own = content_of(set);
    cursor->element = &own->items[cursor->index];
    return cursor->index++ < own->used;
}

static const struct obv_container_kind set_kind = {
    .size = sizeof set_kind,
    .name = "Set",
    .instance_size = sizeof(struct real_thing),
    .element = OBV_ELEMENT(object),
    .count = count_of_content,
    .hash = hash_of_member,
    .member = member_of_hash,
    .next = next_member,
    .retain = thing_hook,
    .release = thing_release_hook};

static bool observer_hook(struct obv_object *object)
{
    return observer_retain(object);
}

static void observer_release_hook(struct obv_object *object)
{
    observer_release(object);
}

static void make_container_classes(void)
{
    EXPECT_EQ("a class",
              obv_container_class_create(real.context, &list_kind,
                                         &real.list_class, NULL),
              OBV_OK);
    EXPECT_EQ("a class",
              obv_container_class_create(real.context, &dictionary_kind,
                                         &real.dictionary_class, NULL),
              OBV_OK);
    EXPECT_EQ("a class",
              obv_container_class_create(real.context, &set_kind,
                                         &real.set_class, NULL),
              OBV_OK);
}

void make_classes(void)
{
    static struct obv_class_table thing, sub, observer;
    thing = (struct obv_class_table){.size = sizeof thing,
                                     .name = "Thing",
                                     .instance_size = sizeof(struct real_thing),
                                     .properties = properties,
                                     .property_count = K,
                                     .retain = thing_hook,
                                     .release = thing_release_hook,
                                     .observed_changed =
                                         real.tells ? told_hook : NULL};
    EXPECT_EQ("a class",
              obv_class_create(real.context, &thing, &real.thing_class, NULL),
              OBV_OK);
    sub = thing;
    sub.name = "Sub";
    sub.superclass = real.thing_class;
    sub.properties = properties + K;
    sub.property_count = 1;
    EXPECT_EQ("a class",
              obv_class_create(real.context, &sub, &real.sub_class, NULL),
              OBV_OK);
    make_container_classes();
    observer = thing;
    observer.name = "Observer";
    observer.instance_size = sizeof(struct real_observer);
    observer.properties = NULL;
    observer.property_count = 0;
    observer.observed_changed = NULL;
    observer.retain = observer_hook;
    observer.release = observer_release_hook;
    EXPECT_EQ(
        "a class",
        obv_class_create(real.context, &observer, &real.observer_class, NULL),
        OBV_OK);
}

void make_thing(int number, enum verb verb)
{
    struct real_thing *thing = calloc(1, sizeof *thing);
    if (!thing) {
        abort();
    }
    thing->references = 1;
    thing->number = number;
    real.thing[number] = thing;
    real.held[number] = true;
    real.on_deinit[number].count = 0;
    real.told[number] = 0;
    struct obv_class *container = verb == NEW_LIST ? real.list_class
                                  : verb == NEW_DICTIONARY
                                      ? real.dictionary_class
                                  : verb == NEW_SET ? real.set_class
                                                    : NULL;
    if (container) {
        EXPECT_EQ("a container",
                  obv_container_init(&thing->container, container), OBV_OK);
    } else {
        obv_object_init(&thing->object,
                        verb == NEW_SUB ? real.sub_class : real.thing_class);
    }
}

void make_real_observer(int number)
{
    struct real_observer *observer = calloc(1, sizeof *observer);
    if (!observer) {
        abort();
    }
    observer->references = 1;
    observer->number = number;
    real.observer[number] = observer;
    real.observer_held[number] = true;
    real.on_drop[number].count = 0;
    obv_object_init(&observer->object, real.observer_class);
}

/* Properties -------------------------------------------------------------- */

static struct real_thing *thing_at(val value)
{
    return value < 0 || value >= THINGS ? NULL : real.thing[value];
}

static void set_inline(struct real_thing *thing, int property, val value)
{
    switch (property) {
    case I:
        real_thing_set_i(thing, value);
        break;
    case J:
        real_thing_set_j(thing, (int16_t)value);
        break;
    case D:
        real_thing_set_d(thing, (float)double_at(value));
        break;
    case FLAG:
        real_thing_set_flag(thing, value);
        break;
    case S:
        EXPECT_EQ("a set", real_thing_set_s(thing, text_at(value)), OBV_OK);
        break;
    case T:
        EXPECT_EQ("a set", real_thing_set_t(thing, text_at(value)), OBV_OK);
        break;
    case A:
        real_thing_set_a(thing, thing_at(value));
        break;
    case B:
        real_thing_set_b(thing, thing_at(value));
        break;
    case C:
        real_thing_set_c(thing, thing_at(value));
        break;
    case W:
        real_thing_set_w(thing, thing_at(value));
        break;
    case F:
        real_thing_set_f(thing, foreign_at(value));
        break;
    case L:
        real_thing_set_list(thing, thing_at(value));
        break;
    case DICT:
        real_thing_set_dict(thing, thing_at(value));
        break;
    case SET_OF_THINGS:
        real_thing_set_set(thing, thing_at(value));
        break;
    case SUM:
        real_thing_set_sum(thing, value);
        break;
    case TWICE:
        real_thing_set_twice(thing, value);
        break;
    case LABEL:
        EXPECT_EQ("a set", real_thing_set_label(thing, text_at(value)), OBV_OK);
        break;
    case DEEP:
        real_thing_set_deep(thing, value);
        break;
    case PICK:
        real_thing_set_pick(thing, thing_at(value));
        break;
    case TENFOLD:
        real_thing_set_tenfold(thing, value);
        break;
    case OVER:
        real_thing_set_over(thing, value);
        break;
    case FAR:
        real_thing_set_far(thing, thing_at(value));
        break;
    default:
        real_thing_set_k(thing, (uint32_t)value);
        break;
    }
}

static void set_by_index(struct real_thing *thing, int property, val value)
{
    struct obv_object *object = &thing->object;
    uint32_t index = (uint32_t)property;
    struct real_thing *other;
    switch (kind_of(property)) {
    case INT:
        if (property == J) {
            obv_set_i16(object, index, (int16_t)value);
        } else if (property == K) {
            obv_set_u32(object, index, (uint32_t)value);
        } else {
            obv_set_i64(object, index, value);
        }
        break;
    case DOUBLE:
        obv_set_f32(object, index, (float)double_at(value));
        break;
    case BOOL:
        obv_set_bool(object, index, value);
        break;
    case TEXT:
        EXPECT_EQ("a set", obv_set_string(object, index, text_at(value)),
                  OBV_OK);
        break;
    case OBJECT:
        other = thing_at(value);
        obv_set_object(object, index, other ? &other->object : NULL);
        break;
    case ADDRESS:
        obv_set_pointer(object, index, foreign_at(value));
        break;
    }
}

void real_set(struct real_thing *thing, int property, val value)
{
    if (property == CLAMPED) {
        int old = thing->clamped;
        thing->clamped = value < CLAMP_LEAST      ? CLAMP_LEAST
                         : value > CLAMP_GREATEST ? CLAMP_GREATEST
                                                  : value;
        EXPECT_EQ("a trigger", obv_trigger(&thing->object, CLAMPED, &old, NULL),
                  OBV_OK);
    } else if (real.by_index) {
        set_by_index(thing, property, value);
    } else {
        set_inline(thing, property, value);
    }
}

static const char **text_field(struct real_thing *thing, int property)
{
    return property == S   ? &thing->s
           : property == T ? &thing->t
                           : &thing->label;
}

static struct real_thing **thing_field(struct real_thing *thing, int property)
{
    return property == A               ? &thing->a
           : property == B             ? &thing->b
           : property == C             ? &thing->c
           : property == L             ? &thing->list
           : property == DICT          ? &thing->dict
           : property == SET_OF_THINGS ? &thing->set
           : property == PICK          ? &thing->pick
           : property == FAR           ? &thing->far
                                       : &thing->w;
}

static val int_of(const struct real_thing *thing, int property)
{
    return property == I         ? (val)thing->i
           : property == J       ? thing->j
           : property == CLAMPED ? (val)thing->clamped
           : property == SUM     ? (val)thing->sum
           : property == TWICE   ? (val)thing->twice
           : property == DEEP    ? (val)thing->deep
           : property == TENFOLD ? (val)thing->tenfold
           : property == OVER    ? (val)thing->over
                                 : (val)thing->k;
}

static void poke_int(struct real_thing *thing, int property, val value)
{
    switch (property) {
    case I:
        thing->i = value;
        break;
    case J:
        thing->j = (int16_t)value;
        break;
    case CLAMPED:
        thing->clamped = value;
        break;
    default:
        thing->k = (uint32_t)value;
        break;
    }
}

val real_get(const struct real_thing *of, int property)
{
    struct real_thing *thing = (struct real_thing *)(uintptr_t)of;
    const char *text;
    const struct real_thing *other;
    if (property == COUNT) {
        return (val)thing->used;
    }
    if (is_position(property)) {
        size_t at = (size_t)(property - FIRST);
        return at < thing->used ? thing->items[at]->number : UNREACHABLE;
    }
    if (is_key(property)) {
        size_t k = (size_t)(property - KEY);
        other = thing->items[k];
        return !thing->has_key[k] ? UNREACHABLE : other ? other->number : NIL;
    }
    switch (kind_of(property)) {
    case INT:
        return int_of(thing, property);
    case DOUBLE:
        return double_value((double)thing->d);
    case BOOL:
        return thing->flag;
    case TEXT:
        text = *text_field(thing, property);
        return text ? text_value(text) : NIL;
    case OBJECT:
        other = *thing_field(thing, property);
        return other ? other->number : NIL;
    case ADDRESS:
        return address_of(thing->f);
    }
    return ANY;
}

/* As a program reads it. */
val real_read(struct real_thing *thing, int property)
{
    struct obv_object *object = &thing->object, *other = NULL;
    uint32_t index = (uint32_t)property;
    const char *text = NULL;
    int64_t number = 0;
    if (!is_computed(property)) {
        return real_get(thing, property);
    }
    switch (kind_of(property)) {
    case TEXT:
        EXPECT_EQ("a read", obv_get_string(object, index, &text), OBV_OK);
        return text ? text_value(text) : NIL;
    case OBJECT:
        EXPECT_EQ("a read", obv_get_object(object, index, &other), OBV_OK);
        return other ? ((struct real_thing *)(void *)other)->number : NIL;
    default:
        EXPECT_EQ("a read", obv_get_i64(object, index, &number), OBV_OK);
        return (val)number;
    }
}

void real_poke(struct real_thing *thing, int property, val value)
{
    struct real_thing **field, *old;
    const char **text, *before;
    switch (kind_of(property)) {
    case INT:
        poke_int(thing, property, value);
        break;
    case DOUBLE:
        thing->d = (float)double_at(value);
        break;
    case BOOL:
        thing->flag = value;
        break;
    case TEXT:
        text = text_field(thing, property);
        before = *text;
        EXPECT_EQ("a copy",
                  obv_string_copy(real.thing_class, text_at(value), text),
                  OBV_OK);
        obv_string_free(real.thing_class, before);
        break;
    case OBJECT:
        field = thing_field(thing, property);
        old = *field;
        *field = thing_at(value);
        if (property != W && *field) {
            (void)thing_retain(*field);
        }
        if (property != W && old) {
            thing_release(old);
        }
        break;
    case ADDRESS:
        thing->f = foreign_at(value);
        break;
    }
}

/* A value by its address, as a trigger takes it. */
union any {
    int64_t integer;
    int16_t shorter;
    uint32_t positive;
    int clamped;
    float number;
    bool truth;
    const char *text;
    struct obv_object *object;
    void *pointer;
};

static union any any_of(int property, val value)
{
    union any any = {.integer = 0};
    switch (kind_of(property)) {
    case INT:
        switch (property) {
        case I:
            any.integer = value;
            break;
        case J:
            any.shorter = (int16_t)value;
            break;
        case CLAMPED:
            any.clamped = value;
            break;
        default:
            any.positive = (uint32_t)value;
            break;
        }
        break;
    case DOUBLE:
        any.number = (float)double_at(value);
        break;
    case BOOL:
        any.truth = value;
        break;
    case TEXT:
        any.text = text_at(value);
        break;
    case OBJECT:
        any.object = thing_at(value) ? &thing_at(value)->object : NULL;
        break;
    case ADDRESS:
        any.pointer = foreign_at(value);
        break;
    }
    return any;
}

void real_trigger(const struct program *program, const struct command *command,
                  struct real_thing *root)
{
    int property = command->place[command->places - 1];
    union any old = any_of(property, command->value);
    union any now = any_of(property, command->now);
    const void *named = command->names_new ? &now : NULL;
    enum obv_status status;
    (void)program;
    if (command->places == 1 && real.by_index) {
        status = obv_trigger(&root->object, (uint32_t)property, &old, named);
    } else {
        char text[TEXT_OF_PATH];
        struct path path = {.length = command->places};
        memcpy(path.element, command->place, (size_t)command->places);
        status = obv_trigger_path(&root->object, path_text(&path, text), &old,
                                  named, NULL);
    }
    EXPECT_EQ("a trigger", status, OBV_OK);
}

/* Lists ------------------------------------------------------------------- */

/* Of the program's own making; what it has removed it keeps until it has told. */
struct told_edit {
    struct real_thing *removed[ROOM];
    size_t order[ROOM];
};

static void take_out(struct real_thing *list, size_t at, size_t count)
{
    struct real_thing **place = list->items + at;
    list->used -= count;
    memmove(place, place + count, (list->used - at) * sizeof *place);
    memset(list->items + list->used, 0, count * sizeof *place);
}

static void put_in(struct real_thing *list, size_t at, size_t count,
                   struct real_thing *const *items)
{
    struct real_thing **place = list->items + at;
    memmove(place + count, place, (list->used - at) * sizeof *place);
    memcpy(place, items, count * sizeof *place);
    list->used += count;
}

static struct obv_container_edit splice(struct real_thing *list,
                                        const struct list_edit *edit,
                                        struct told_edit *told)
{
    size_t at = (size_t)edit->at, removed = (size_t)edit->removed;
    struct real_thing *items[ROOM];
    memcpy(told->removed, list->items + at, removed * sizeof *items);
    take_out(list, at, removed);
    for (int i = 0; i < edit->inserted; i++) {
        items[i] = thing_at(edit->item[i]);
        (void)thing_retain(items[i]);
    }
    put_in(list, at, (size_t)edit->inserted, items);
    return (struct obv_container_edit){.position = at,
                                       .removed = removed,
                                       .inserted = (size_t)edit->inserted,
                                       .old = told->removed};
}

static struct obv_container_edit move(struct real_thing *list,
                                      const struct list_edit *edit)
{
    size_t at = (size_t)edit->at, moved = (size_t)edit->moved;
    struct real_thing *items[ROOM];
    memcpy(items, list->items + at, moved * sizeof *items);
    take_out(list, at, moved);
    put_in(list, (size_t)edit->to, moved, items);
    return (struct obv_container_edit){
        .position = at, .moved = moved, .to = (size_t)edit->to};
}

static struct obv_container_edit reorder(struct real_thing *list,
                                         const struct list_edit *edit,
                                         struct told_edit *told)
{
    size_t at = (size_t)edit->at, moved = (size_t)edit->moved;
    struct real_thing *items[ROOM];
    memcpy(items, list->items + at, moved * sizeof *items);
    for (size_t i = 0; i < moved; i++) {
        told->order[i] = (size_t)edit->item[i];
        list->items[at + told->order[i]] = items[i];
    }
    return (struct obv_container_edit){
        .position = at, .moved = moved, .order = told->order};
}

/* Dictionaries ------------------------------------------------------------ */

static struct obv_container_edit edit_key(struct real_thing *dictionary,
                                          const struct list_edit *edit,
                                          struct told_edit *told)
{
    size_t k = (size_t)edit->at;
    bool was = dictionary->has_key[k], is = edit->kind == PUT;
    told->removed[0] = dictionary->items[k];
    dictionary->has_key[k] = is;
    dictionary->items[k] = is ? thing_at(edit->item[0]) : NULL;
    dictionary->used = dictionary->used + is - was;
    if (dictionary->items[k]) {
        (void)thing_retain(dictionary->items[k]);
    }
    return (struct obv_container_edit){.key = key_text(KEY + edit->at),
                                       .removed = was,
                                       .inserted = is,
                                       .old = was ? told->removed : NULL};
}

/* Sets -------------------------------------------------------------------- */

static size_t place_of(const struct real_thing *set,
                       const struct real_thing *member)
{
    size_t i = 0;
    while (i < set->used && set->items[i] != member) {
        i++;
    }
    return i;
}

/* What is so already is nothing to tell. */
static struct obv_container_edit edit_member(struct real_thing *set,
                                             const struct list_edit *edit,
                                             struct told_edit *told)
{
    struct real_thing *member = thing_at(edit->item[0]);
    size_t i = place_of(set, member);
    bool was = i < set->used, enters = edit->kind == ENTER;
    struct obv_container_edit nothing = {.key = NULL};
    told->removed[0] = member;
    if (was == enters) {
        return nothing;
    }
    if (enters) {
        (void)thing_retain(member);
        put_in(set, set->used, 1, &member);
    } else {
        take_out(set, i, 1);
    }
    return (struct obv_container_edit){
        .key = told->removed, .removed = was, .inserted = enters};
}

/* Containers -------------------------------------------------------------- */

static struct obv_container_edit make_edit(struct real_thing *container,
                                           const struct list_edit *edit,
                                           struct told_edit *told)
{
    switch ((enum edit_kind)edit->kind) {
    case SPLICE:
        return splice(container, edit, told);
    case MOVE:
        return move(container, edit);
    case ORDER:
        return reorder(container, edit, told);
    case PUT:
    case DELETE:
        return edit_key(container, edit, told);
    default:
        return edit_member(container, edit, told);
    }
}

void real_edit(struct real_thing *container, const struct command *command)
{
    struct told_edit told[EDITS];
    struct obv_container_edit edits[EDITS];
    size_t count = 0;
    bool is_set = obv_object_class(&container->object) == real.set_class;
    (void)thing_retain(container);
    for (int e = 0; e < command->edits; e++) {
        edits[count] = make_edit(container, &command->edit[e], &told[count]);
        count += !is_set || edits[count].key;
    }
    EXPECT_EQ("an edit",
              obv_container_edited(&container->container, edits, count, NULL),
              OBV_OK);
    for (size_t e = 0; e < count; e++) {
        for (size_t i = 0; i < edits[e].removed; i++) {
            if (told[e].removed[i]) {
                thing_release(told[e].removed[i]);
            }
        }
    }
    thing_release(container);
}
