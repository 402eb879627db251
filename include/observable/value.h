/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that are handed over: what a path leads to (obv_value_at()); to a call
 * the old and the new one (OBV_VALUES), and records of what it has coalesced
 * (OBV_RECORDS).
 *
 *     struct obv_value zip;
 *     if (obv_value_at(&user.object, "address.zipCode", &zip, NULL) == OBV_OK) {
 *         if (obv_value_is_reachable(&zip)) {
 *             show(zip.as.string);
 *         }
 *         obv_value_deinit(NULL, &zip);
 *     }
 *
 * They are copies. That of obv_value_at() is the caller's; those of a call are
 * made on the thread of the change, and belong to the call. Strings and bytes
 * are copied, objects retained if their class has `retain`. Without it an
 * object is its address alone (`is_held` is false), and may have ended by the
 * time of a delayed call: the program keeps its memory until the call, or
 * compares the address and does not follow it, in comparisons of its own as
 * well. The library itself reads nothing there. A handler that keeps a value
 * copies it.
 *
 * An observation that asks for none of this pays nothing for it. For the others
 * a change copies the value, and allocates an entry where it is the first of
 * its path in a cycle (<observable/loop.h>).
 */
#ifndef OBSERVABLE_VALUE_H
#define OBSERVABLE_VALUE_H

#include <observable/object.h>

OBV_BEGIN_DECLS

struct obv_observation;

#define OBV_DETAIL_NUMBER_MEMBER(kind_name, type) type kind_name;

/** A value of a property, or "unreachable". */
struct obv_value {
    /** Its kind; OBV_KIND_unreachable: there is none. */
    enum obv_kind kind;
    /** Of an object: a reference of the value's own keeps it. False: it is an
        address alone, or NULL. */
    bool is_held;
    /** The property that it was read of; NULL if unreachable, or if it is a
        part of a property's value (a binding's view). */
    const struct obv_property *OBV_NULLABLE property;
    /** By `kind`. */
    union {
        bool boolean;
        /* i8 to i64, u8 to u64, size, f32 and f64: a number by its kind */
        OBV_NUMBER_KINDS(OBV_DETAIL_NUMBER_MEMBER)
        /* of an enum, whatever its type */
        int64_t enumeration;
        void *OBV_NULLABLE pointer;
        const char *OBV_NULLABLE string;
        struct obv_object *OBV_NULLABLE object;
        /* `property->size` of them */
        const void *OBV_NULLABLE bytes;
        struct obv_boxed *OBV_NULLABLE custom;
    } as;
};

/** Whether there is a value. */
static inline bool
obv_value_is_reachable(const struct obv_value *OBV_NONNULL value)
{
    return value->kind != OBV_KIND_unreachable;
}

/**
 * Whether two values are equal: as their property has it, two unreachable ones
 * are, one of the two never is.
 *
 * Threads: any.   Callbacks: a property's `equal`, a binding's.
 */
OBV_API bool obv_value_equal(const struct obv_value *OBV_NONNULL a,
                             const struct obv_value *OBV_NONNULL b);

/**
 * Reads what a path leads to now: through the values that are stored, from an
 * object. Nothing is observed, wired or counted, and nobody is told
 * (`observed_changed`): who loads a value only while it is observed does not
 * load it for this.
 *
 * The value is what a handler that is told values (OBV_VALUES) would be handed
 * as the new one. It is unreachable if something on the way is NULL or at its
 * end, or an object there has no such property, and for custom kinds without
 * `copy`; NULL at the path's end is a value.
 *
 * @param root   borrowed; not NULL, not ended.
 * @param path   borrowed text (<observable/path.h>), without `*`.
 * @param value  receives a copy, the caller's, to be given back by
 *               obv_value_deinit().
 * @param error  what was wrong, in words; may be NULL.
 * @return OBV_OK; OBV_E_SYNTAX with the byte's position; OBV_E_UNKNOWN if the
 *         root's class has no such first property; OBV_E_KIND for `*`, and for
 *         `#n`, `n` and `&h` of an object that is there; OBV_E_ARGUMENT if
 *         something is NULL, or the root has no class; OBV_E_ENDED;
 *         OBV_E_MEMORY. On error nothing was done, and `value` is untouched.
 *
 * Threads:   where the objects on the way belong to the caller, as for reading
 *            their fields. Properties that any thread may set are read at once.
 * Callbacks: `retain` and `release` of the objects on the way; of bindings
 *            `child` and `copy`, of foreign classes `read`.
 * Cost:      O(length of the path) and one temporary block; one more for a
 *            string, bytes or a binding's value.
 */
OBV_API OBV_NODISCARD enum obv_status obv_value_at(
    struct obv_object *OBV_NULLABLE root, const char *OBV_NULLABLE path,
    struct obv_value *OBV_NULLABLE value, struct obv_error *OBV_NULLABLE error);

/**
 * Reads what a path of an observation leads to now, as it is followed: of `n`
 * the element that it follows, wherever that stands, where obv_value_at() reads
 * what stands at n. Else as obv_value_at().
 *
 * @param handle  borrowed; in a handler that of the call will do.
 * @param path    as it was given to the observation, from `root`.
 * @return as obv_value_at(); OBV_E_ENDED: the observation does not follow this
 *         path, or no more.
 */
OBV_API OBV_NODISCARD enum obv_status obv_observed_value(
    const struct obv_observation *OBV_NULLABLE handle,
    struct obv_object *OBV_NULLABLE root, const char *OBV_NULLABLE path,
    struct obv_value *OBV_NULLABLE value, struct obv_error *OBV_NULLABLE error);

/**
 * Gives back a value of obv_value_at(), not one that a call was handed: frees
 * what was copied, releases what is held. It is unreachable then, so this may
 * be repeated.
 *
 * @param context  that of the root; NULL: the default one.
 * @param value    NULL is ignored.
 *
 * Threads:   any, also after the root has ended.
 * Callbacks: `release` of the object that it is, or of a binding's value.
 */
OBV_API void obv_value_deinit(struct obv_context *OBV_NULLABLE context,
                              struct obv_value *OBV_NULLABLE value);

/** The maker of a change, and its time. */
struct obv_cause {
    /** Counts up over the process: of two changes the one with the larger stamp
        was made later. All that one set changes has one stamp; what is set
        between obv_stamp_begin() and its end has that of what it is carried
        from; what is computed has that of the newest change that has made it
        invalid. */
    uint64_t stamp;
    /** obv_thread_number() there. */
    uint64_t thread;
    /** The source line, where it is known (OBV_HERE(), obv_source_begin());
        else NULL and 0. */
    const char *OBV_NULLABLE file;
    uint32_t line;
};

struct obv_key;

/** The element in the place of a `*` on the way to an endpoint: a property of a
    model, a key of a dictionary, or an object, whatever its position. */
struct obv_record_element {
    /** The name of the property, the text of the key; NULL: it is an object. */
    const char *OBV_NULLABLE name;
    /** The key: obv_key_value(), obv_key_element(); else NULL. */
    const struct obv_key *OBV_NULLABLE key;
    /** The object, kept by a reference of the record's own. NULL: it is none,
        its class has no `retain`, it is a constant container, which stands for
        a value, or it has gone: it was at its end when the change was
        noted. */
    struct obv_object *OBV_NULLABLE object;
    /** The answer of obv_object_identity(), also if the object has gone:
        whoever has the elements finds it by that. 0: it is no object. */
    uint64_t identity;
};

/** The change of one endpoint. */
struct obv_record_entry {
    /** Which of the observation's pairs: 0 for the first that it was made with,
        and on through those of obv_observe_also(). */
    uint32_t index;
    /** Its path as it was written. */
    const char *OBV_NONNULL path;
    /** The way that was taken: the same, with the name of the property or the
        text of the key in the place of each `*`. A `*` that stands for objects
        stays, so changes of several have the same way, and other `elements`. */
    const char *OBV_NONNULL way;
    /** The elements in the place of each `*`, and of each `&h` that stands for
        several members of a set, in the order of the path. None where memory
        was short for the path. */
    const struct obv_record_element *OBV_NULLABLE elements;
    size_t element_count;
    /** Before the first change, and after the last; either may be
        unreachable. */
    struct obv_value first, last;
    /** How many changes they are. */
    uint64_t changes;
    struct obv_cause first_cause, last_cause;
};

/** The changes that one call has coalesced: an entry for each path that
    changed, and under a `*` for each way through it, in the order of their
    first changes; those of one change in no promised order. Empty in a call
    before the store (OBV_PRIOR), and in one that no change has caused. */
struct obv_record {
    const struct obv_record_entry *OBV_NULLABLE entries;
    size_t count;
    /** Endpoints that changed and have no entry: past the limit, or memory was
        short. 0: the record is whole. */
    size_t missing;
};

/** The number of the calling thread: never another's in this process. */
OBV_API uint64_t obv_thread_number(void);

/** A source line that stands for what this thread changes, and the one before
    it. Made by obv_source_begin(). */
struct obv_source {
    const char *OBV_NULLABLE file;
    uint32_t line;
    struct obv_source *OBV_NULLABLE outer;
};

/** From here to the matching end, what this thread changes has this line as its
    cause. `source` is the caller's memory, `file` a constant. */
OBV_API void obv_source_begin(struct obv_source *OBV_NONNULL source,
                              const char *OBV_NONNULL file, uint32_t line);
OBV_API void obv_source_end(struct obv_source *OBV_NONNULL source);

/** A stamp that stands for what this thread changes, and the one before it.
    Made by obv_stamp_begin(). */
struct obv_stamp {
    uint64_t number;
    uint32_t depth; /* of the handlers that run */
    struct obv_stamp *OBV_NULLABLE outer;
};

/** From here to the matching end, what this thread changes was set when the
    change of this stamp was (struct obv_cause): it carries that on to another
    property, as binders do (<observable/binder.h>). `stamp` is the caller's
    memory. Changes that setters make beside it are that as well; changes by a
    handler that runs meanwhile, or behind a `number` of 0, are not. At an end of
    a binder such a change counts as made right after what its path led to last,
    and after what was told there last. */
OBV_API void obv_stamp_begin(struct obv_stamp *OBV_NONNULL stamp,
                             uint64_t number);
OBV_API void obv_stamp_end(struct obv_stamp *OBV_NONNULL stamp);

/** Makes a change with the line that it stands in as its cause:
    `OBV_HERE(user_set_age(user, 42));`. A statement, without a value: where the
    setter's status is wanted, call it between obv_source_begin() and
    obv_source_end(). */
#define OBV_HERE(change)                                                       \
    do {                                                                       \
        struct obv_source obv_here;                                            \
        obv_source_begin(&obv_here, __FILE__, __LINE__);                       \
        change;                                                                \
        obv_source_end(&obv_here);                                             \
    } while (0)

OBV_END_DECLS

#endif
