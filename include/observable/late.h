/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Late properties: for bindings whose language shows a computed property only
 * when it is read, or named in a path, while its class has objects already.
 *
 * A late property is a computed one whose value is a box (obv_detail_kept_
 * values), takes no room in the object, and cannot be set. It is of one class,
 * and of none below that. Its index comes after those of the class's table, and
 * stays; its line says an offset of its own, OBV_LATE_OFFSET and the index,
 * which stands for it wherever the library takes the offset of a property of
 * this kind. It is found by a key; and by its name, in text paths as well, if
 * it was added so. Observers of the state of an object (`observed_changed`) are
 * not told of it.
 *
 * Its `evaluate` may answer OBV_E_UNKNOWN where the binding has no way to
 * compute it without its reader. A property that has read it then is computed
 * itself, and reads it.
 */
#ifndef OBSERVABLE_LATE_H
#define OBSERVABLE_LATE_H

#include <observable/object.h>

OBV_BEGIN_DECLS

/** The offset of the late property of an index is as much more. */
#define OBV_LATE_OFFSET 0x80000000u

/**
 * Lets a class have late properties.
 *
 * Threads: the one that has made the class, before its first object.
 */
OBV_API void obv_class_allow_late(struct obv_class *OBV_NONNULL cls);

/** A class has room for so many. */
#define OBV_LATE_MAX 504

/** The key that tells late properties of a class apart, with all its fields. */
struct obv_late_key {
    /** Constants; such as the file, and the function in it (NULL: none). */
    const char *OBV_NONNULL text;
    const char *OBV_NULLABLE detail;
    uint64_t number;
};

/** The index of the late property with this key; false: there is none.
    Threads: any, without a lock. Cost: O(late properties of the class). */
OBV_API bool obv_class_find_late(const struct obv_class *OBV_NONNULL cls,
                                 const struct obv_late_key *OBV_NONNULL key,
                                 uint32_t *OBV_NONNULL index);

/**
 * Adds a late property, or finds the one that has this key.
 *
 * @param key       copied; its texts are borrowed as long as the class lives.
 * @param line      copied, its offset and size are the library's. Custom, with
 *                  a `computed` that has a `box` and declares no dependencies
 *                  (obv_depend_on() does); all that it points to is borrowed
 *                  as long as the class lives.
 * @param is_named  it is found by its name too: then no other property of the
 *                  class has that.
 * @param index     receives the index.
 *
 * @return OBV_OK; OBV_E_MEMORY; OBV_E_LIMIT: the class has OBV_LATE_MAX of
 *         them; OBV_E_ARGUMENT: the class allows none, or the line is of
 *         another kind.
 *
 * Threads: any.   Callbacks: none.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_class_add_late(struct obv_class *OBV_NULLABLE cls,
                   const struct obv_late_key *OBV_NULLABLE key,
                   const struct obv_property *OBV_NULLABLE line, bool is_named,
                   uint32_t *OBV_NULLABLE index);

/**
 * Gives a late property that was added without one the name by which it is found.
 *
 * @param name  borrowed as long as the class lives.
 * @return OBV_OK; OBV_E_MEMORY; OBV_E_ARGUMENT: it is no late property of
 *         exactly this class, or has one, or another late property has this. The
 *         caller sees to it that no declared property has it.
 *
 * Threads: any.   Callbacks: none.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_class_name_late(struct obv_class *OBV_NULLABLE cls, uint32_t index,
                    const char *OBV_NULLABLE name);

/**
 * An offer by a binding's reader, so that `evaluate` may find it: how this
 * property of this object is computed. Lies on the stack of the reader.
 */
struct obv_late_offer {
    struct obv_object *OBV_NONNULL object;
    uint32_t property;
    void *OBV_NULLABLE context;
    /** The library's. */
    struct obv_late_offer *OBV_NULLABLE outer;
};

/** Offers it on this thread until obv_late_offer_end(), which is called in the
    opposite order. */
OBV_API void obv_late_offer_begin(struct obv_late_offer *OBV_NONNULL offer);
OBV_API void obv_late_offer_end(struct obv_late_offer *OBV_NONNULL offer);

/** The innermost offer of this thread, if it is for this property; NULL: it is
    for another, or there is none. */
OBV_API struct obv_late_offer *OBV_NULLABLE obv_late_offered(
    const struct obv_object *OBV_NONNULL object, uint32_t property);

OBV_END_DECLS

#endif
