/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matchers: what a path element means on a container.
 *
 * Edits, scheduling and calls do not tell the kinds of elements apart: they ask
 * here, and each kind has its answers.
 *
 *     slot     which slot of this container does it hold
 *     read     what object stands behind it, for the element after it
 *     differs  do two containers have different things at its end
 *     copy     the value at its end
 *
 * A view, which stands for a part of a slot's value (matcher_component.c),
 * answers two more: does an edit of its slot concern it, and does it stand for
 * anything.
 */
#ifndef OBV_MATCHER_H
#define OBV_MATCHER_H

#include "model/class.h"
#include "model/children.h"
#include "model/slot.h"
#include "path/path.h"

#include <observable/component.h>
#include <observable/value.h>

/** The slot of an object of this class that the element holds;
    OBV__SLOT_ELEMENT: it is one of the elements of a container, and hangs at
    its cell; OBV__NO_SLOT: the class does not have it. */
uint32_t obv__slot_on_class(const struct obv_element *element,
                            const struct obv_class *cls);

/** The same of an object's class. */
static inline uint32_t obv__slot_on(const struct obv_element *element,
                                    const struct obv_object *container)
{
    return obv__slot_on_class(element, obv__class_of(container));
}

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
bool obv__children_have(const struct obv__children *children, uint64_t key);

/** Goes on to the next child. An element that leads to one object has one
    child, even if it hangs nowhere. */
bool obv__children_next(struct obv__children *children);

/** The child in one slot of an object of a class. */
struct obv__child obv__child_in(const struct obv_element *element,
                                const struct obv_class *cls, uint32_t slot);

/** Whether a `*` follows the object in a property's slot: if the path
    `leads_on`, every object that is stored; else those of weak properties
    alone, whose end is a change. Computed properties are never read (WC-6). */
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

/** The object of a child behind an element, or NULL; `held`: with a reference.
    `said`: why the `child` of a language binding has answered none
    (OBV__CHILD_...). If the code of an outer `child` has come here, what that
    one has said is kept apart. */
struct obv_object *obv__matcher_child(const struct obv_element *element,
                                      struct obv_object *container,
                                      struct obv__child of, bool *held,
                                      uint8_t *said);

/** Whether no object of a class can have an element of this kind. */
bool obv__matcher_misfits(const struct obv_element *element,
                          const struct obv_class *cls);

/** OBV_E_KIND, in words: of an element that no object of a class has. */
enum obv_status obv__fail_misfit(const struct obv_class *cls,
                                 struct obv_error *error);

/** Whether what the element stands for differs between two containers that both
    have it, in these slots. May run code of a binding if the first one's class runs
    code or obv__matcher_asks_binding(): then no lock is held, and both are held by
    references. `edited`: what was stored over in `before`, if that is the
    object of the edit. */
bool obv__matcher_differs(const struct obv_element *element,
                          struct obv_object *before, uint32_t slot_before,
                          struct obv_object *after, uint32_t slot_after,
                          const struct obv__edited *edited);

/** A copy of what an element stands for on a container that has it in `slot`; of `*`
    by one of the properties. `value`: a value of the slot's property to read
    instead of what is stored. As obv__value_copy(). */
bool obv__matcher_copy(const struct obv_element *element,
                       struct obv_context *context,
                       struct obv_object *container, uint32_t slot,
                       const void *value, struct obv_value *copy);

/** Checks the declared types: the class behind the element of a class, left alone
    for "no object that is declared"; false: the class does not have it. */
bool obv__matcher_declared(const struct obv_element *element,
                           const struct obv_class *cls,
                           struct obv_class **behind);

/** Whether an element leads to several objects. */
static inline bool obv__matcher_is_many(const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_ANY ||
           element->kind == OBV_ELEMENT_MEMBER;
}

/** The place where an element hangs that holds `slot` of a container: there;
    or, of one of the elements of a container (OBV__SLOT_ELEMENT), at its cell.
    `at`: where it hangs now, or NULL. The paths lock is held. */
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

/** Whether an element follows what it was bound to first, and ends with that. */
static inline bool obv__matcher_is_bound_once(const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_OCCURRENCE;
}

/** Whether any element of a path does. */
static inline bool obv__path_is_bound_once(const struct obv_path *path)
{
    return (path->kinds >> OBV_ELEMENT_OCCURRENCE) & 1;
}

/** The component of an element that is one. */
static inline struct obv_component *
obv__component_in(const struct obv_element *element)
{
    return (struct obv_component *)(uintptr_t)element->number;
}

/* Of components alone: the questions of the same names; and whether one was
   found to be no observable property of this class. */
uint32_t obv__component_slot(const struct obv_element *element,
                             const struct obv_class *cls);
struct obv_object *obv__component_read(const struct obv_element *element,
                                       struct obv_object *container,
                                       uint32_t slot, bool *held);
bool obv__component_differs(const struct obv_element *element,
                            struct obv_object *before, uint32_t slot_before,
                            struct obv_object *after, uint32_t slot_after,
                            const struct obv__edited *edited);
bool obv__component_copy(const struct obv_element *element,
                         struct obv_context *context,
                         struct obv_object *container, uint32_t slot,
                         const void *value, struct obv_value *copy);
bool obv__component_must_learn(const struct obv_element *element,
                               const struct obv_class *cls);
bool obv__component_is_unknown(const struct obv_element *element,
                               const struct obv_class *cls);

/** Whether an edit of its slot that left `old` behind changes what a view stands
    for. `now`: the value after the edit; NULL: the one on the container. */
bool obv__view_is_changed(const struct obv_element *element,
                          struct obv_object *container, const void *old,
                          const void *now);

/** Whether a view stands for anything on a container that has it. As
    obv__matcher_differs(), it may run code of a binding. */
bool obv__view_reaches(const struct obv_element *element,
                       struct obv_object *container);

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

/** Whether an element is a view: edits of its slot are compared for it. */
static inline bool obv__matcher_is_view(const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_COMPONENT &&
           !obv__component_in(element)->plain;
}

/** Whether `differs` may ask a binding, whatever the classes are. */
static inline bool obv__matcher_asks_binding(const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_COMPONENT;
}

#endif
