/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An edit: what has happened to which place. Setters and triggers, which store,
 * fill it in; code that compares with what was there before asks it.
 */
#ifndef OBV_EDITED_H
#define OBV_EDITED_H

#include "model/watcher.h"

struct obv__container_edits;

/** A place, and the value that an edit has stored over there. */
struct obv__edited {
    struct obv_object *object;
    uint32_t slot;
    const void *old; /* NULL: it is not known */
};

enum obv__edit_kind {
    OBV__EDIT_SET,    /* another value, as far as the setter can tell */
    OBV__EDIT_LEAVES, /* nothing: the occurrence that stood there has left */
    OBV__EDIT_EQUAL,  /* an equal value */
    OBV__EDIT_ALIKE,  /* another object, which counts as equal */
    /* Of a computed property (wiring/invalidation.h). */
    OBV__EDIT_INVALID,  /* it was valid: `*` watchers are told */
    OBV__EDIT_COMPUTED, /* it was computed, and is another value: paths
                           follow, and immediate observations are told */
    OBV__EDIT_SETTLED /* it is another than at the last call: observations that
                           wait for the answer are told */
};

struct obv__edit {
    struct obv__edited at; /* its object is NULL: there is no edit */
    enum obv__edit_kind kind;
    bool is_prior;   /* it is yet to come */
    bool is_plain;   /* tells only observations that ask for just the call */
    bool is_inbound; /* tells all others: the former have been told */
    bool is_batchs;  /* settled: it may have changes of a batch that is open */
    struct obv__container_edits *places; /* told together; else NULL */
};

/** The value that edits of a container, told together, have stored over in one
    of its places: in a cell, or in the container itself. With no lock held;
    NULL: nothing. To be read until the next call: it lies in `at`. */
const struct obv__edited *
obv__container_stored_over(struct obv__container_edits *edits,
                           struct obv_object *object);

/** Whether an equal value was stored: only observations that asked for that are
    told. */
static inline bool obv__edit_is_equal(const struct obv__edit *edit)
{
    return edit->kind == OBV__EDIT_EQUAL || edit->kind == OBV__EDIT_ALIKE;
}

/** Whether a computed property has got another value, or is found to have. */
static inline bool obv__edit_is_of_computed(const struct obv__edit *edit)
{
    return edit->kind > OBV__EDIT_INVALID;
}

/** The place that the edit has stored over in a slot of an object
    (OBV__SLOT_EVERY: in any of its slots); NULL: nothing. */
static inline const struct obv__edited *
obv__edited_at(const struct obv__edit *edit, const struct obv_object *object,
               uint32_t slot)
{
    return object && object == edit->at.object &&
                   (slot == edit->at.slot || slot == OBV__SLOT_EVERY)
               ? &edit->at
               : NULL;
}

/** The same of every place of the edit, with no lock held. */
static inline const struct obv__edited *
obv__stored_over(const struct obv__edit *edit, struct obv_object *object,
                 uint32_t slot)
{
    return OBV__UNLIKELY(edit->places) && object
               ? obv__container_stored_over(edit->places, object)
               : obv__edited_at(edit, object, slot);
}

/** Whether anything in an object may have been stored over. */
static inline bool obv__edit_touches(const struct obv__edit *edit,
                                     const struct obv_object *object)
{
    return edit->places || obv__edited_at(edit, object, OBV__SLOT_EVERY);
}

#endif
