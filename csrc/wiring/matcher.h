/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matchers: what a path element means on a container.
 *
 * A matcher is a compiled path element's kind. It answers three questions, so
 * that edits, scheduling and calls know no kind of element from another. Only
 * the code that names the path instances beneath a `*`, or writes a path as
 * text, knows `*` and components.
 *
 *     slot     which slot of this container do I hold
 *     child    what object stands behind it, for the element after me
 *     differs  do two containers have different things at my end
 *
 * A view, which stands for a part of a slot's value, answers a fourth:
 *
 *     changed  does this edit of my slot concern me
 *
 * A new element or container is one file with these answers and one line of
 * the table in matcher.c.
 */
#ifndef OBV_MATCHER_H
#define OBV_MATCHER_H

#include "model/class.h"
#include "model/container.h"
#include "model/each.h"
#include "model/slot.h"

#include <observable/path.h>
#include <observable/value.h>

struct obv__matcher {
    /** The slot of an object of this class that the element holds;
        OBV__SLOT_ELEMENT: it is one of the elements of a container, and hangs at
        its cell; OBV__NO_SLOT: the class does not have it. */
    uint32_t (*slot)(const struct obv_element *element,
                     const struct obv_class *cls);
    /** Whether it follows what it was bound to first, and ends with that. */
    bool is_bound_once;
    /** The object behind a slot, or NULL; `held`: with a reference. Of `*` the
        slot is one of the properties. NULL itself: obv__slot_child(). */
    struct obv_object *(*child)(const struct obv_element *element,
                                struct obv_object *container, uint32_t slot,
                                bool *held);
    /** Whether it leads to several objects: then these answer (each.h). */
    const struct obv__each *(*each)(const struct obv_class *cls);
    /** Whether what the element stands for differs between two containers that
        both have it; NULL itself: their slots say it. May run code of a binding
        if the first one's class runs code or obv__matcher_asks_binding(): then
        no lock is held, no hazard pointer is published, and both are held by
        references. `edited`: what was stored over in `before`, if that is the
        object of the edit. */
    bool (*differs)(const struct obv_element *element,
                    struct obv_object *before, struct obv_object *after,
                    const struct obv__edited *edited);
    /** A copy of what the element stands for on a container that has it; of `*`
        by one of the properties. `value`: a value of the slot's property to
        read instead of what is stored. As obv__value_copy(), and NULL itself:
        obv__slot_copy(). */
    bool (*copy)(const struct obv_element *element, struct obv_context *context,
                 struct obv_object *container, uint32_t slot, const void *value,
                 struct obv_value *copy);
    /** Whether an edit of its slot that left `old` behind changes what the
        element stands for. `now`: what it has stored; NULL: it is there. NULL
        itself: each does. */
    bool (*changed)(const struct obv_element *element,
                    struct obv_object *container, const void *old,
                    const void *now);
    /** Whether the element stands for anything on a container that has it. NULL
        itself: always. As `differs`, it may run code of a binding. */
    bool (*reaches)(const struct obv_element *element,
                    struct obv_object *container);
    /** Checks the declared types for obv_validate(): the class behind the
        element, left alone for "no object that is declared"; false: unknown.
        NULL itself: that is so of every class. */
    bool (*declared)(const struct obv_element *element,
                     const struct obv_class *cls, struct obv_class **behind);
};

/** The children behind an element on one container, one after the other. */
struct obv__children {
    const struct obv__each *each; /* NULL: of one */
    struct obv_object *container; /* NULL: there is none */
    enum obv__which which;
    bool is_begun;
    bool out_of_memory; /* there was no memory for some */
    struct obv__child child;
};

/** The children behind an element that hangs in `slot` of an object (NULL and
    OBV__NO_SLOT: it hangs nowhere). */
struct obv__children obv__children_of(const struct obv_element *element,
                                      struct obv_object *container,
                                      uint32_t slot, enum obv__which which);

/** Whether there is a child of this key. */
bool obv__children_have(const struct obv__children *children, uint32_t key);

/** Goes on to the next child; the only one of a name is one whether it hangs
    somewhere or not. */
bool obv__children_next(struct obv__children *children);

/** The child in one slot of an object of a class. */
struct obv__child obv__child_in(const struct obv_element *element,
                                const struct obv_class *cls, uint32_t slot);

/** Whether what a property's slot holds concerns an element that leads to
    several: everything that is stored where others follow; else the objects whose end
    is a change (WC-6: no more is read, and nothing computed). */
static inline bool obv__must_follow(const struct obv_class *cls, uint32_t slot,
                                    bool leads_on)
{
    const struct obv_property *property = obv__property_in(cls, slot);
    return !(property && property->computed) &&
           obv__slot_may_hold_object(cls, slot) &&
           (leads_on || (obv__slot_flags(cls, slot) & OBV_WEAK));
}

/** Whether an element is one property of a model, by its name. */
static inline bool obv__matcher_is_name(const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_NAME ||
           element->kind == OBV_ELEMENT_COUNT;
}

/** The matcher of an element. */
const struct obv__matcher *obv__matcher(const struct obv_element *element);

/** The object behind a slot of an element, as the answer `child`. */
struct obv_object *obv__matcher_read(const struct obv_element *element,
                                     struct obv_object *container,
                                     uint32_t slot, bool *held);

/** The same outside of the wiring. `out_of_memory`: there is an
    object, but no memory for it (obv_detail_report_no_memory()); a `child`
    further out, whose code has come here, is not the one that says so. */
struct obv_object *obv__matcher_child(const struct obv_element *element,
                                      struct obv_object *container,
                                      uint32_t slot, bool *held,
                                      bool *out_of_memory);

/** Whether no object of a class can have an element of this kind. */
bool obv__matcher_misfits(const struct obv_element *element,
                          const struct obv_class *cls);

/** OBV_E_KIND, in words: of an element that no object of a class has. */
enum obv_status obv__fail_misfit(const struct obv_class *cls,
                                 struct obv_error *error);

/** A copy of what an element stands for on a container that has it in `slot`, as
    the answer `copy`. */
bool obv__matcher_copy(const struct obv_element *element,
                       struct obv_context *context,
                       struct obv_object *container, uint32_t slot,
                       const void *value, struct obv_value *copy);

/** Makes an element that of a property's name. */
void obv__element_by_name(struct obv_context *context,
                          struct obv_element *element, uint32_t name);

/** Whether an element leads to several objects. */
static inline bool obv__matcher_is_many(const struct obv_element *element)
{
    return !obv__matcher_is_name(element) &&
           obv__matcher(element)->each != NULL;
}

/** Where an element hangs that holds `slot` of a container: there; or, of one of
    the elements of a container (OBV__SLOT_ELEMENT), at its cell. `at`: where it
    hangs now, or NULL. The paths lock is held. */
static inline struct obv__aim
obv__matcher_place(const struct obv_element *element,
                   struct obv_object *container, uint32_t slot,
                   struct obv_object *at, bool make)
{
    return OBV__UNLIKELY(slot == OBV__SLOT_ELEMENT)
               ? obv__elements_kind(container)->place(
                     element, obv__container(container), at, make)
               : (struct obv__aim){.target = container, .slot = slot};
}

/** The slot that an element holds on a class of containers or their cells; of
    any other OBV__NO_SLOT. */
uint32_t obv__slot_of_element(const struct obv_element *element,
                              const struct obv_class *cls);

/** Whether an element ends with what it was bound to first. */
static inline bool obv__matcher_is_bound_once(const struct obv_element *element)
{
    return OBV__UNLIKELY(element->kind > OBV_ELEMENT_COUNT) &&
           obv__matcher(element)->is_bound_once;
}

/** Whether any of some elements does. */
static inline bool
obv__elements_are_bound_once(const struct obv_element *elements, size_t count)
{
    size_t i = 0;
    while (i < count && !obv__matcher_is_bound_once(&elements[i])) {
        i++;
    }
    return i < count;
}

static inline bool obv__path_is_bound_once(const struct obv_path *path)
{
    return obv__elements_are_bound_once(obv_path_elements(path),
                                        obv_path_count(path));
}

/** The slot that an element holds on an object, or OBV__NO_SLOT. */
uint32_t obv__slot_on(const struct obv_element *element,
                      const struct obv_object *container);

/* Of components alone: the questions of the same names below. */
bool obv__component_must_learn(const struct obv_element *element,
                               const struct obv_class *cls);
bool obv__component_is_unknown(const struct obv_element *element,
                               const struct obv_class *cls);
bool obv__component_is_view(const struct obv_element *element);

/** Whether an element has to learn first what it is on this class of objects:
    obv__matcher_learn(), with no lock held. */
static inline bool obv__matcher_must_learn(const struct obv_element *element,
                                           const struct obv_class *cls)
{
    return element->kind == OBV_ELEMENT_COMPONENT &&
           obv__component_must_learn(element, cls);
}

/** Asks a component's binding what it is on the object's class. */
void obv__matcher_learn(const struct obv_element *element,
                        struct obv_object *object);

/** Whether the element was found to be no observable property of this class. */
static inline bool obv__matcher_is_unknown(const struct obv_element *element,
                                           const struct obv_class *cls)
{
    return element->kind == OBV_ELEMENT_COMPONENT &&
           obv__component_is_unknown(element, cls);
}

/** Whether edits of its slot are compared for it (`changed`). */
static inline bool obv__matcher_is_view(const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_COMPONENT &&
           obv__component_is_view(element);
}

/** Whether `differs` may ask a binding, whatever the classes are. */
static inline bool obv__matcher_asks_binding(const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_COMPONENT;
}

/** The name of the property that the element is, as far as it is known, or
    OBV_NAME_NONE. */
uint32_t obv__matcher_name_of(const struct obv_element *element);

#endif
