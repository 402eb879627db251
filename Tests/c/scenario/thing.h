/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thing and its subclass Sub: observable structs with counted references, as
 * any user of the library would write them.
 */
#ifndef OBV_SCENARIO_THING_H
#define OBV_SCENARIO_THING_H

#include "count.h"

#include <observable/observable.h>

struct named_thing;

/** The properties, in the order of declaration. */
enum {
    THING_I,
    THING_J,
    THING_D,
    THING_FLAG,
    THING_S,
    THING_T,
    THING_A,
    THING_B,
    THING_C,
    THING_W,
    THING_LIST,
    THING_STRINGS,
    THING_DICT,
    THING_WORDS,
    THING_SET,
    THING_TAGS,
    THING_PLAIN,
    THING_SUM,
    THING_TWICE,
    THING_LABEL,
    THING_DEEP,
    THING_PICK,
    THING_TENFOLD,
    THING_COPIED,
    THING_CLAMPED,
    THING_ANY,
    THING_COUNT,
    SUB_K = THING_COUNT,
    SUB_PING,
    SUB_PONG,
    SUB_COUNT
};

struct thing {
    struct obv_object object;
    struct count count;
    /** Its name in the script. */
    struct named_thing *named;
    int64_t i, j;
    double d;
    bool flag;
    const char *s, *t;
    struct thing *a, *b, *c;
    /** Weak: cleared by the end of the object that it names. */
    struct thing *w;
    struct list *list, *strings, *dict, *words, *set, *tags;
    /** A constant list, which is replaced as a whole. */
    struct list *plain;
    /** Computed: the last values. */
    int64_t sum, twice;
    const char *label;
    int64_t deep;
    struct thing *pick;
    int64_t tenfold;
    struct list *copied;
    int64_t clamped;
    /** A Thing, or a list or a dictionary of them. */
    struct obv_object *any;
    /** How often each property was computed. */
    uint64_t evaluations[SUB_COUNT];
};

struct sub {
    struct thing thing;
    int64_t k, ping, pong;
};

OBV_PROPERTY(thing, i, i64, THING_I)
OBV_PROPERTY(thing, j, i64, THING_J)
OBV_PROPERTY(thing, d, f64, THING_D)
OBV_PROPERTY(thing, flag, bool, THING_FLAG)
OBV_PROPERTY(thing, s, string, THING_S)
OBV_PROPERTY(thing, t, string, THING_T)
OBV_PROPERTY(thing, a, object, THING_A)
OBV_PROPERTY(thing, b, object, THING_B)
OBV_PROPERTY(thing, c, object, THING_C)
OBV_PROPERTY(thing, w, object, THING_W)
OBV_COMPUTED(thing, sum, i64, THING_SUM)
OBV_COMPUTED(thing, twice, i64, THING_TWICE)
OBV_COMPUTED(thing, label, string, THING_LABEL)
OBV_COMPUTED(thing, deep, i64, THING_DEEP)
OBV_COMPUTED(thing, pick, object, THING_PICK)
OBV_COMPUTED(thing, tenfold, i64, THING_TENFOLD)
OBV_COMPUTED(thing, copied, object, THING_COPIED)
OBV_PROPERTY(thing, strings, object, THING_STRINGS)
OBV_PROPERTY(sub, k, i64, SUB_K)
OBV_COMPUTED(sub, ping, i64, SUB_PING)
OBV_COMPUTED(sub, pong, i64, SUB_PONG)

/** Makes the classes; that of Sub is made of Thing's. */
enum obv_status thing_make_classes(struct obv_context *context);

/** A new object of one of the classes, with one reference. */
struct thing *thing_create(struct obv_class *cls, struct named_thing *named);
/** The property with this name that holds a collection; THING_COUNT: none. */
uint32_t thing_collection(const char *name);
/** A reference more; the object must be alive. */
void thing_retain(struct thing *thing);
void thing_release(struct thing *thing);

/** What `clamped` makes of a value: keeps 0 to 100. */
int64_t thing_clamp(int64_t value);

/** Accessors written by hand, as users may write them: the setter triggers. */
int64_t thing_clamped(const struct thing *thing);
void thing_set_clamped(struct thing *thing, int64_t value);

#endif
