/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes: the checked form of a program's class table. Immutable once made, but
 * for what a class has learned, and its late properties (late.h).
 */
#ifndef OBV_CLASS_H
#define OBV_CLASS_H

#include "base/numbering.h"
#include "model/context.h"
#include "model/late.h"

#include <observable/object.h>

/** A property by its interned name. */
struct obv__named {
    uint32_t name;
    uint32_t index;
};

struct obv_component;
struct obv__class_subscription;
struct obv__container_class;
struct obv__dependencies;
struct obv__each;

/* The meaning of a component on a class: kept once the component's own words
   are taken. Pushed by any thread, freed with the class. */
struct obv__learned {
    struct obv__learned *next;
    const struct obv_component *component;
    uint32_t slot; /* as in the words; see matcher_component.c */
};

struct obv_class {
    struct obv_context *context;
    const struct obv_class_table *table; /* borrowed */
    struct obv_class *superclass;
    struct obv_class *next; /* in the context's list, under its lock */
    bool (*retain)(struct obv_object *);
    void (*release)(struct obv_object *);
    void (*observed_changed)(struct obv_object *, uint32_t, bool);
    uint32_t name;           /* interned */
    uint16_t number;         /* of the process-wide table */
    uint16_t property_count; /* inherited ones included */
    bool knows_objects; /* behind a node stands the address of its object */
    bool runs_code;     /* reading or comparing a value runs the program's */
    bool is_plain;      /* nor is any property computed, always different, or
                           elsewhere */
    bool is_foreign;    /* its objects are entries; foreign_entry.h */
    bool is_cell;       /* its objects are cells; container.h */
    bool allows_late;   /* it may be given late properties; late.h */
    bool has_computed;  /* any property of its table is computed */
    uint32_t flags;     /* that any of its properties has */
    struct obv__dependencies *dependencies; /* by index; NULL: none declares
                                               any */
    /* The place to read a property that lies elsewhere (OBV__AFAR): there, or
       `scalar`, into which it has been read; NULL: there is nothing. */
    const void *(*field)(const struct obv_object *object,
                         const struct obv_property *property, uint64_t *scalar);
    const struct obv__each *each; /* NULL: as a model has it */
    /* Of containers, and of their cells; NULL: of models. */
    const struct obv__container_class *container;
    /* By index; and after it, by name in ascending order of the names' ids. */
    const struct obv_property **properties;
    struct obv__named *by_name;
    uint32_t *names; /* interned, by index */
    /* A class with custom properties: index + 1 by offset; else NULL. */
    uint16_t *by_offset;
    uint32_t by_offset_count;
    struct obv__learned *learned; /* any thread reads and pushes */
    void *late; /* struct obv__late; NULL: there is none yet */
    /* Observations of all its instances; any thread walks it. */
    struct obv__class_subscription *subscriptions;
    /* The class that was there before it (obv_class_come_after()), or NULL. */
    struct obv_class *ahead;
    bool is_ahead;           /* is such a one */
    uint8_t has_told_number; /* of an accessor; any thread */
};

/* Every class of the process, by number. */
extern struct obv__numbering obv__classes OBV__HIDDEN;

/** The class with a number, which a class has. */
static inline struct obv_class *obv__class_by_number(uint16_t number)
{
    return obv__numbered(&obv__classes, number);
}

/** The index of the property with this interned name, or -1. */
int32_t obv__class_find(const struct obv_class *cls, uint32_t name);

/** Its late properties, or NULL. */
static inline const struct obv__late *obv__late_of(const struct obv_class *cls)
{
    /* Acquire, pairs with obv_class_add_late(): it is zeroed. */
    return obv__load_acquire(&cls->late);
}

/** The property of a slot; NULL: the slot is no property's. */
static inline const struct obv_property *
obv__property_in(const struct obv_class *cls, uint32_t slot)
{
    if (!OBV__UNLIKELY(slot >= cls->property_count)) {
        return cls->properties[slot];
    }
    const struct obv__late *late = obv__late_of(cls);
    uint32_t number = slot - cls->property_count;
    return number < obv__late_count(late)
               ? &obv__late_line(late, number)->property
               : NULL;
}

/** One more than the index of the property at an offset, in a binding's table;
    0: there is none. */
static inline uint32_t obv__class_index_at(const struct obv_class *cls,
                                           uint32_t offset)
{
    return offset < cls->by_offset_count ? cls->by_offset[offset] : 0;
}

/** The number of slots that are of properties by now: those of the table, and
    the late ones. */
static inline uint32_t obv__slots_by_now(const struct obv_class *cls)
{
    return cls->property_count + obv__late_count(obv__late_of(cls));
}

/** Whether each property of a class's objects is stored in them, and compared
    by its kind. */
static inline bool obv__class_is_plain(const struct obv_class *cls)
{
    return cls->is_plain;
}

/** Whether any property is computed by now. */
static inline bool obv__class_has_computed(const struct obv_class *cls)
{
    return OBV__UNLIKELY(!obv__class_is_plain(cls)) &&
           (cls->has_computed || obv__late_count(obv__late_of(cls)) != 0);
}

/** Whether any thread may set what stands in a slot. */
static inline bool obv__slot_is_any_thread(const struct obv_class *cls,
                                           uint32_t slot)
{
    const struct obv_property *property = obv__property_in(cls, slot);
    return property && (property->flags & OBV_ANY_THREAD);
}

/** Whether reading a value of its objects may run code of a binding. */
static inline bool obv__class_is_custom(const struct obv_class *cls)
{
    return cls->by_offset != NULL;
}

/** obv_class_create() with a complete table; `is_foreign`: its objects are
    entries of the registry (foreign_entry.h), whose fields lie elsewhere. */
enum obv_status obv__class_make(struct obv_context *context,
                                const struct obv_class_table *table,
                                bool is_foreign, struct obv_class **made,
                                struct obv_error *error);

/** Takes a class back that nobody has seen; its name is free again. */
void obv__class_unmake(struct obv_class *cls);

/** Returns OBV_E_LAYOUT, and fills in the error: of the property at a place of
    its table, or, if NULL, of the class as a whole. */
enum obv_status obv__bad_layout(struct obv_error *error, const char *class_name,
                                const struct obv_property *property,
                                size_t place, const char *message);

/** The class of this name in a context, or NULL. */
struct obv_class *obv__class_named(struct obv_context *context,
                                   const char *name);

/** Whether a class of the context that is below this one has a property of this
    name; OBV_NAME_NONE: no. */
bool obv__class_below_has(const struct obv_class *cls, uint32_t name);

/** The interned name of a property; OBV_NAME_NONE: no text finds it. */
static inline uint32_t obv__property_name(const struct obv_class *cls,
                                          uint32_t index)
{
    return index < cls->property_count
               ? cls->names[index]
               : obv__late_line(obv__late_of(cls), index - cls->property_count)
                     ->name;
}

/** Frees every class of a context that ends. */
void obv__classes_free(struct obv_context *context);

#endif
