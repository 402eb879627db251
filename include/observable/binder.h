/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders: what one property is set to, another is set to as well, or to what a
 * function makes of it; one way or both.
 *
 *     const struct obv_binder_end model = {&user.object, "address.city"};
 *     const struct obv_binder_end view = {&label.object, "text"};
 *     struct obv_binder *binder;
 *     if (obv_bind(&model, &view, NULL, &binder, NULL) == OBV_OK) {
 *         …
 *         obv_unbind(binder);
 *     }
 *
 * The present value of the source is carried over as the binder begins, and
 * from then on what it is set to, at most once a turn of the target's loop.
 * Neither end is kept alive; the binder is over when either has ended, behind
 * what the source was set to before.
 *
 * Binders in both directions, in chains and in rings settle, on one thread or
 * on several, by *stamps* (struct obv_cause): a binder stores only what was set
 * later than what its target holds, and what it stores counts as set when its
 * source was; a computed property is as new as the newest of what has made it
 * invalid. So a set goes round a ring once, and of several sets the last one
 * stays, everywhere. A set of an equal value is a set. If the functions in a
 * ring give a property a second value from one set, the first stays.
 *
 * A value that an end's own code makes of a binder's, say an immediate observer
 * that sets it again, is a newer set, and is carried back: all ends agree on
 * it. If a binding corrects within its setter (obv_carry_corrected()), a set
 * anywhere later than that value stays all the same; corrections that never
 * settle are reported (OBV_DIAGNOSTIC_BINDER), and the values of that moment
 * stay. Those of immediate observers are told as handlers without end.
 *
 * A function may set anything, either end as well: what it has set an end to is
 * later than what it was called for. If there was no memory for a value, that
 * is reported, and the next one is carried.
 *
 * Each end belongs to whoever drains its loop: the source is read where it is
 * set, the target is set by a drain of its own loop.
 *
 * Binders are observations beside others: of a drain's handlers one that reads
 * what several binders set, or one behind another, may be called when some have
 * carried and others not. It is called again then. A binder carries as itself:
 * the file and line of OBV_HERE() are not those of the set that it carries.
 */
#ifndef OBSERVABLE_BINDER_H
#define OBSERVABLE_BINDER_H

#include <observable/loop.h>
#include <observable/observe.h>
#include <observable/value.h>

OBV_BEGIN_DECLS

struct obv_binder;

/** A property: an object, and a path from it. */
struct obv_binder_end {
    /** Borrowed; not kept. */
    struct obv_object *OBV_NULLABLE object;
    /** Text (<observable/path.h>), without `*`, `#n`, `n` and `&h`. */
    const char *OBV_NULLABLE path;
    /** The loop that its owner drains; NULL: that of the object's context. Of a
        source that is not set it is not asked for. */
    struct obv_loop *OBV_NULLABLE loop;
};

/**
 * Makes of a value what is to be stored at the other end.
 *
 * @param value  what the path leads to; unreachable where it leads nowhere.
 *               Borrowed for the call.
 * @param made   unreachable as the call begins, and then nothing is stored. A
 *               string or bytes are copied from where this points to; an object
 *               is retained by the property that owns it.
 * @return OBV_OK; anything else is told (OBV_DIAGNOSTIC_BINDER), and nothing is
 *         stored. The binder goes on.
 *
 * Threads: that of the drain of the loop of the end that is to be set.
 */
typedef enum obv_status obv_transform(void *OBV_NULLABLE context,
                                      const struct obv_value *OBV_NONNULL value,
                                      struct obv_value *OBV_NONNULL made);

/** How ends are bound. Zero everything but `size` for the defaults. */
struct obv_binder_options {
    /** sizeof(struct obv_binder_options). */
    size_t size;
    /** The source is set to the target's values as well. */
    bool is_two_way;
    /** From source to target, and back; NULL: as it is. An unreachable value is
        then no value to store. */
    obv_transform *OBV_NULLABLE transform;
    obv_transform *OBV_NULLABLE reverse;
    /** Handed to both. */
    void *OBV_NULLABLE context;
    /** Called once the binder has ended and none of its functions runs any
        more. On whichever thread was last with it. */
    void (*OBV_NULLABLE dispose)(void *OBV_NULLABLE context);
    /** As those of struct obv_handler_kind. */
    const char *OBV_NULLABLE label;
    const char *OBV_NULLABLE file;
    uint32_t line;
};

/**
 * Binds two properties.
 *
 * @param options  NULL: the defaults.
 * @param binder   receives the binder, to be given back by obv_unbind().
 * @param error    what was wrong, in words, and in `index` at which end (0: the
 *                 source); may be NULL.
 * @return OBV_OK; OBV_E_ARGUMENT if something is NULL, or both ends are one;
 *         else as obv_observe_pairs(): OBV_E_SYNTAX, OBV_E_KIND, OBV_E_OPTIONS
 *         (a `*`, a loop of another context), OBV_E_ENDED, OBV_E_MEMORY. On
 *         error nothing changed and `dispose` is not called.
 *
 * A path that leads nowhere stores nothing: once the target's path leads
 * somewhere again, or somewhere else, the last value is stored there; of a
 * two-way binder the end that has come last is carried to the other, as every
 * change is. A property of another kind than the value stores nothing, and that
 * is told.
 *
 * Threads:   the source's, which is read at once; the target is set at once
 *            where its loop can be drained here, else by its loop.
 * Callbacks: those of a set of the target; `transform`.
 * Cost:      two observations, and a third until the first value is carried.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_bind(const struct obv_binder_end *OBV_NULLABLE source,
         const struct obv_binder_end *OBV_NULLABLE target,
         const struct obv_binder_options *OBV_NULLABLE options,
         struct obv_binder *OBV_NULLABLE *OBV_NULLABLE binder,
         struct obv_error *OBV_NULLABLE error);

/** Ends a binder, and gives it back; also inside of its functions, where nothing
    is stored then. A value set and not carried over yet stays where it is. NULL
    is ignored. On another thread one of its functions may be running still.
    Threads: any. */
OBV_API void obv_unbind(struct obv_binder *OBV_NULLABLE binder);

/** Whether it has ended: one of its ends has, or it was cut off. */
OBV_API bool obv_binder_has_ended(const struct obv_binder *OBV_NONNULL binder);

/**
 * Ends the binders that set a property of an object: as target, or as either end
 * of one that goes both ways. They are to be given back all the same.
 *
 * @param object  borrowed.
 * @param path    of the end at the object, however it is spelled; NULL: any.
 * @param source  the object at another end; borrowed; NULL: any.
 * @param error   what was wrong, in words; may be NULL.
 * @return OBV_OK, also where there is none; OBV_E_ARGUMENT for a NULL object;
 *         OBV_E_SYNTAX; OBV_E_MEMORY: then nothing has ended.
 *
 * Threads:   any. On another thread a binder's function may be running still.
 * Callbacks: those of obv_unbind().
 * Cost:      as obv_stop_observer().
 */
OBV_API enum obv_status
obv_cut_off(struct obv_object *OBV_NULLABLE object,
            const char *OBV_NULLABLE path,
            const struct obv_object *OBV_NULLABLE source,
            struct obv_error *OBV_NULLABLE error);

OBV_END_DECLS

#endif
