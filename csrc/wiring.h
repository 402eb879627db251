/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wiring: paths of more than one element, bound to live objects.
 *
 * Each root has a trie of its observed paths, merged by shared prefix. A trie
 * node's payload is a *step*: one followed element. A step hangs as a BINDING
 * in the slot that its element holds on its container, the object that the
 * steps above it lead to now; what ends at it hangs in its list of ends.
 *
 *     root.address.zipCode, root.address.street
 *
 *     paths of root           root's node            the address's node
 *       step address   --->     slot address
 *         step zipCode ---------------------->         slot zipCode
 *           ends: observation 1
 *         step street  ---------------------->         slot street
 *           ends: observation 2
 *
 * A path of one element needs none of this: its observation hangs in the
 * root's slot itself.
 */
#ifndef OBV_WIRING_H
#define OBV_WIRING_H

#include "due.h"
#include "node.h"

#include <observable/trie.h>

/** The observed paths of one root. */
struct obv__paths {
    struct obv__retired retired; /* lent to the reclaim at the end */
    struct obv_trie *trie;       /* under the paths lock */
    struct obv_object *root;     /* NULL once it has ended; any thread */
    struct obv_context *context; /* constant */
};

/** The payload of a trie node: one followed element. */
struct obv__step {
    struct obv__retired retired;  /* lent to the reclaim at the end */
    uintptr_t ends;               /* list, under the paths lock */
    struct obv__watcher *binding; /* under the paths lock; any thread reads */
    /* Where the slot is a weak property's: hangs at the object behind it, to
       learn of its end. Under the paths lock. */
    struct obv__watcher *life;
    struct obv__paths *paths; /* constant */
    /* Moves on with each edit of the slot it is bound to and each change of
       the binding or of the steps below; any thread. */
    uint64_t edits;
    /* `edits` of the parent when memory was short; OBV__STEP_UNKNOWN: a
       component that is no observable property there; 0: neither. Under the
       paths lock; any thread reads. */
    uint64_t short_at;
};

#define OBV__STEP_UNKNOWN UINT64_MAX

#define OBV__STEP_TAG ((uintptr_t)1)

/** The step of a place that is one. */
static inline struct obv__step *obv__step_of(uintptr_t place)
{
    return (struct obv__step *)(place & ~OBV__STEP_TAG);
}

/** The root of a pair, or NULL if it has ended. In a section. */
static inline struct obv_object *obv__root(const struct obv__watcher *via)
{
    /* Acquire, pairs with the end of the root and with obv__unwire_locked(). */
    uintptr_t place = obv__load_acquire(&via->place);
    if (!(place & OBV__STEP_TAG)) {
        return (struct obv_object *)place;
    }
    return obv__load_acquire(&obv__step_of(place)->paths->root);
}

/**
 * Wires a path of two or more elements and lets `end` hang at its end. What
 * happened to change on the way is added to `due`. No lock held.
 *
 * @return OBV_OK or OBV_E_MEMORY: nothing is left of it.
 */
enum obv_status obv__wire(struct obv_object *root,
                          const struct obv_element *elements, size_t count,
                          struct obv__watcher *end, struct obv__due *due);

/** Takes an end away that hangs at a step, with the steps that nobody needs
    any more, and clears LINKED. Paths lock held. The pair's place becomes its
    root. */
void obv__unwire_locked(struct obv__watcher *end);

/** An edit of the slot that this binding hangs in: adds what ends at it, and
    rewires below it. No lock held. */
void obv__rewire(struct obv__watcher *binding, struct obv__due *due,
                 uint64_t since);

/** The object that a binding hangs at ends: lets go of it. No lock held. */
void obv__let_go(struct obv__watcher *binding, struct obv_object *object,
                 struct obv__due *due);

/** The root of these paths ends: they all end; calls `tell` for each pair,
    with no lock held. */
void obv__paths_end(struct obv__paths *paths,
                    void (*tell)(void *context, struct obv__watcher *end),
                    void *context);

/** The elements of the path to a step, written from the last backwards; answers
    their number. */
size_t obv__step_elements(const struct obv__step *step,
                          struct obv_element elements[OBV_PATH_COUNT_MAX]);

/** Whether an element is a weak property of an object: then a path that ends
    with it is wired, so that the end of the object there is seen (LT-6). */
bool obv__is_weak_end(const struct obv_object *root,
                      const struct obv_element *element);

/** Whether memory was short on the way to a step. */
bool obv__step_is_short(const struct obv__step *step);

/** Whether something on the way to a step is no observable property. */
bool obv__step_is_unknown(const struct obv__step *step);

/** Calls `each` for every end of these paths. Paths lock held. */
void obv__each_end_locked(const struct obv__paths *paths,
                          void (*each)(void *context, struct obv__watcher *end),
                          void *context);

/** Calls `each` for the ends at this step and below it. Paths lock held. */
void obv__ends_below_locked(const struct obv__step *step,
                            void (*each)(void *context,
                                         struct obv__watcher *end),
                            void *context);

/* Called by the reclaim. */
void obv__step_free(struct obv_context *context, struct obv__retired *block);
void obv__paths_free(struct obv_context *context, struct obv__retired *block);

#endif
