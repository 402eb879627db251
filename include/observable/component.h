/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components: path elements that a language binding supplies. A typed key path
 * knows how to read what it names, but not always its name; a component stands
 * for such an element in a path (obv_path_make()) until an object shows which
 * property it reads.
 *
 * A component is either *plain*, the property itself, and then means what the
 * property's name would; or a *view* into its value (a field of a struct),
 * which only its `child`, `differs` and `changed` can read.
 *
 * Two paths with the same component share it by address, so a binding makes one
 * for each key path, and keeps it as long as the context lives. It belongs to
 * that context: before it serves another one, what is the library's is zeroed.
 *
 * It can be compared with a name (in obv_stop_path(), say) once some object has
 * shown what it is, to a path that was wired or to obv_component_resolve().
 */
#ifndef OBSERVABLE_COMPONENT_H
#define OBSERVABLE_COMPONENT_H

#include <observable/observe.h>
#include <observable/path.h>

OBV_BEGIN_DECLS

struct obv_component;

/** The part of an object that a component reads. */
enum obv_component_place {
    /** A property: its slot is watched. */
    OBV_COMPONENT_PROPERTY = 0,
    /** Something that never changes. */
    OBV_COMPONENT_CONSTANT = 1,
    /** Something that tells nobody when it changes: it is not followed, and
        what goes through it is listed as unresolved. */
    OBV_COMPONENT_UNKNOWN = 2,
    /** Nothing: an object of another kind than the component is of, met behind
        a `*`. It is not led through, and nothing is reported. */
    OBV_COMPONENT_LACKING = 3
};

/**
 * A binding's answers. Called with no lock held, on the thread of the change or
 * of the call that begins to observe; the objects are alive for the call. They
 * may call the library. If an object in the middle of a path is replaced and
 * one of the two cannot be held, its class having no `retain`, `differs` is not
 * asked: the replacement counts as a change.
 */
struct obv_component_kind {
    /** sizeof(struct obv_component_kind). */
    size_t size;
    /** The part of an object of this class that the component reads; asked once
        a class and component, or a few times. */
    enum obv_component_place (*OBV_NONNULL resolve)(
        const struct obv_component *OBV_NONNULL component,
        struct obv_object *OBV_NONNULL object, uint32_t *OBV_NONNULL property);
    /** As in struct obv_value_kind: with a class and a reference. Plain ones on
        a property are not asked. */
    struct obv_object *OBV_NULLABLE (*OBV_NONNULL child)(
        const struct obv_component *OBV_NONNULL component,
        struct obv_object *OBV_NONNULL object);
    /** Whether what it reads of two objects differs. Plain ones on a property
        are not asked. */
    bool (*OBV_NONNULL differs)(const struct obv_component *OBV_NONNULL
                                    component,
                                struct obv_object *OBV_NONNULL before,
                                struct obv_object *OBV_NONNULL after);
    /** A view: whether what it reads of the object differs from what it reads
        in `old`, the property's value before the change (obv_detail_changed_
        from()). `now`: the value that is told, where any thread may set the
        property; else NULL, and it is read there. */
    bool (*OBV_NULLABLE changed)(
        const struct obv_component *OBV_NONNULL component,
        struct obv_object *OBV_NONNULL object, const void *OBV_NONNULL old,
        const void *OBV_NULLABLE now);
    /** A view: whether it reads anything of the object, or ends on the way
        (NULL inside a value is as unreachable as no object). NULL: always. */
    bool (*OBV_NULLABLE reaches)(const struct obv_component *OBV_NONNULL
                                     component,
                                 struct obv_object *OBV_NONNULL object);
    /** A view: a copy of what it reads of the object, or in `value`, a value of
        the property, if that is given. `box` receives it, or NULL where the
        view reaches nothing. False: no memory. NULL itself: it cannot be handed
        over, and counts as unreachable. */
    bool (*OBV_NULLABLE copy)(const struct obv_component *OBV_NONNULL component,
                              struct obv_object *OBV_NONNULL object,
                              const void *OBV_NULLABLE value,
                              struct obv_boxed *OBV_NULLABLE *OBV_NONNULL box);
};

/** A component. The program fills in the first four fields and zeroes the rest,
    which is the library's. Kept by pointer as long as the context lives. */
struct obv_component {
    /** How it is printed as long as no name is known; a constant. */
    const char *OBV_NONNULL text;
    const struct obv_component_kind *OBV_NONNULL kind;
    void *OBV_NULLABLE context;
    /** It is the property itself. */
    bool plain;
    /* The library's: of a plain one the property's name; what it is on the
       classes that were met first. */
    uint32_t name;
    uint64_t known[4];
};

/** The element of a path that stands for a component. */
static inline struct obv_element
obv_component_element(const struct obv_component *OBV_NONNULL component)
{
    struct obv_element element = {OBV_ELEMENT_COMPONENT, 0,
                                  (uint64_t)(uintptr_t)component};
    return element;
}

/**
 * The element for a component as far as it is known: once a plain one's
 * property is, that property's name, else the component. Asks `resolve` about
 * `object`, if one is given and it is not known on its class yet.
 *
 * Threads: any.   Callbacks: `resolve`.
 */
OBV_API struct obv_element
obv_component_resolve(struct obv_context *OBV_NONNULL context,
                      struct obv_component *OBV_NONNULL component,
                      struct obv_object *OBV_NULLABLE object);

/** The end of a path: a property of an object. */
struct obv_place {
    /** NULL: it cannot be reached. */
    struct obv_object *OBV_NULLABLE object;
    /** Its index, and its line of the class's table. */
    uint32_t property;
    const struct obv_property *OBV_NULLABLE line;
    /** The library's. */
    bool held;
};

/**
 * Walks a compiled path as obv_trigger_path() does, whose errors these are: for
 * a binding, which has to know what the property holds before it hands
 * obv_trigger() a value. A component in the middle is read by its `child`,
 * whether it can be observed or not; at the end it is a plain one, whose
 * property is known or learned.
 *
 * @param path   not NULL, which is not looked at.
 * @param place  to be given back by obv_place_leave(), which keeps its object
 *               alive until then.
 *
 * Threads:   where the objects on the path may be read.
 * Callbacks: `child` and `resolve`; `retain` and `release`.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_place_find(struct obv_object *OBV_NULLABLE root,
               const struct obv_path *OBV_NONNULL path,
               struct obv_place *OBV_NONNULL place,
               struct obv_error *OBV_NULLABLE error);

/** Gives back what keeps the object of a place alive. A place that reached no
    object may be left as well. */
OBV_API void obv_place_leave(struct obv_place *OBV_NONNULL place);

/** obv_value_at() with a compiled path, which is not NULL, and neither is
    `value`. A component is read by its `child`, and at the end by its `copy`,
    whether it can be observed or not. */
OBV_API OBV_NODISCARD enum obv_status
obv_value_at_compiled(struct obv_object *OBV_NULLABLE root,
                      const struct obv_path *OBV_NONNULL path,
                      struct obv_value *OBV_NONNULL value,
                      struct obv_error *OBV_NULLABLE error);

/** One root and one compiled path from it. */
struct obv_compiled_pair {
    /** NULL: OBV_E_ARGUMENT. */
    struct obv_object *OBV_NULLABLE root;
    /** Of the names of the root's context (obv_context_names()), which may hold
        components. The observation keeps it if it needs it later; the caller
        gives its own back (obv_path_destroy()) when it likes. NULL: none, as in
        struct obv_pair. */
    const struct obv_path *OBV_NULLABLE path;
};

/** obv_observe_pairs() with compiled paths. */
OBV_API OBV_NODISCARD enum obv_status
obv_observe_compiled(const struct obv_compiled_pair *OBV_NULLABLE pairs,
                     size_t count,
                     const struct obv_handler_kind *OBV_NULLABLE kind,
                     void *OBV_NULLABLE observer,
                     const struct obv_observe_options *OBV_NULLABLE options,
                     struct obv_observation *OBV_NULLABLE *OBV_NULLABLE handle,
                     struct obv_error *OBV_NULLABLE error);

/** obv_observe_class() with a compiled path. */
OBV_API OBV_NODISCARD enum obv_status obv_observe_class_compiled(
    struct obv_class *OBV_NULLABLE cls,
    const struct obv_path *OBV_NULLABLE path,
    const struct obv_handler_kind *OBV_NULLABLE kind,
    void *OBV_NULLABLE observer,
    const struct obv_observe_options *OBV_NULLABLE options,
    struct obv_observation *OBV_NULLABLE *OBV_NULLABLE handle,
    struct obv_error *OBV_NULLABLE error);

/** obv_observe_also() with compiled paths. */
OBV_API OBV_NODISCARD enum obv_status
obv_observe_compiled_also(struct obv_observation *OBV_NONNULL handle,
                          const struct obv_compiled_pair *OBV_NULLABLE pairs,
                          size_t count, struct obv_error *OBV_NULLABLE error);

/** obv_depend_on() (<observable/computed.h>) with a compiled path. */
OBV_API OBV_NODISCARD enum obv_status
obv_depend_on_compiled(struct obv_object *OBV_NULLABLE object,
                       uint32_t property, struct obv_object *OBV_NULLABLE root,
                       const struct obv_path *OBV_NONNULL path,
                       struct obv_error *OBV_NULLABLE error);

/** obv_depend_no_more() with a compiled path; NULL: all from this root. */
OBV_API enum obv_status
obv_depend_no_more_compiled(struct obv_object *OBV_NULLABLE object,
                            uint32_t property,
                            struct obv_object *OBV_NULLABLE root,
                            const struct obv_path *OBV_NULLABLE path,
                            struct obv_error *OBV_NULLABLE error);

/** An end of a binder (<observable/binder.h>), with a compiled path. */
struct obv_compiled_end {
    struct obv_object *OBV_NONNULL object;
    /** As that of a struct obv_compiled_pair, and needed for the call alone;
        not NULL. */
    const struct obv_path *OBV_NONNULL path;
    struct obv_loop *OBV_NULLABLE loop;
};

struct obv_carrying;

/** Whether the end is to be set: not if it was set since the values were, or the
    binder is over. Asked at most once, last of all before the store, since code
    of the program may have set the end, or ended the binder. If so, what this
    thread sets from here on, until `carry` returns, counts as set when the
    values were; not what handlers set meanwhile. */
OBV_API bool obv_carry_decide(struct obv_carrying *OBV_NONNULL carrying);

/** The end was set, and its own code has made another value of that. This
    counts as set right behind what was carried, and is carried back. From
    inside of `carry`, behind the store. */
OBV_API void obv_carry_corrected(struct obv_carrying *OBV_NONNULL carrying);

/** The carrier of a binder's values. Its memory is the program's, until
    `dispose`. */
struct obv_carrier {
    /**
     * Sets an end to what values become: makes that, finds where it belongs,
     * and does what obv_carry_decide() says.
     *
     * @param values  of the other end, or of each source; of the binder, and
     *                until code of the program runs, which may have others
     *                carried in their place.
     * @param root    the object of the end, held.
     * @return OBV_OK; anything else is told (OBV_DIAGNOSTIC_BINDER).
     */
    enum obv_status (*OBV_NONNULL carry)(
        struct obv_carrier *OBV_NONNULL carrier,
        struct obv_carrying *OBV_NONNULL carrying, bool is_reverse,
        struct obv_value *OBV_NONNULL values,
        struct obv_object *OBV_NONNULL root);
    /** The binder has ended, and `carry` runs nowhere any more. `is_made`: it
        has begun; false: obv_bind_compiled() has failed. */
    void (*OBV_NONNULL dispose)(struct obv_carrier *OBV_NONNULL carrier,
                                bool is_made);
    bool is_two_way;
    /** The target's loop sets it for the first time as well, and not the call
        that begins the binder. */
    bool begins_on_loop;
    /** As those of struct obv_handler_kind. */
    const char *OBV_NULLABLE label;
    const char *OBV_NULLABLE file;
    uint32_t line;
};

struct obv_binder;

/**
 * obv_bind() with compiled paths, and with several sources: their last values
 * are carried together, at most once a turn of the target's loop, and the
 * binder is over when one of them has ended. Values carried together count as
 * set when the newest of them was.
 *
 * Of the ends nothing is checked but what obv_observe_compiled() checks. The
 * carrier is given away, on error as well.
 *
 * @param ends   the sources, and behind them the target.
 * @param count  of the sources, at least 1; of several none is set: OBV_E_ARGUMENT with
 *               `is_two_way`.
 * @param error  in `index`: which source, or `count` for the target.
 *
 * Cost: an observation each source.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_bind_compiled(const struct obv_compiled_end *OBV_NONNULL ends, size_t count,
                  struct obv_carrier *OBV_NONNULL carrier,
                  struct obv_binder *OBV_NULLABLE *OBV_NONNULL binder,
                  struct obv_error *OBV_NULLABLE error);

/** The answer that obv_bind_compiled() would give, but for want of memory.
    Nobody is told, and the carrier is not given away: for who begins several
    binders or none. */
OBV_API OBV_NODISCARD enum obv_status
obv_bind_check_compiled(const struct obv_compiled_end *OBV_NONNULL ends,
                        size_t count,
                        const struct obv_carrier *OBV_NONNULL carrier,
                        struct obv_error *OBV_NULLABLE error);

/** obv_cut_off() with a compiled path; NULL: all. OBV_OK, or OBV_E_ARGUMENT for
    a NULL object. */
OBV_API enum obv_status
obv_cut_off_compiled(struct obv_object *OBV_NULLABLE object,
                     const struct obv_path *OBV_NULLABLE path,
                     const struct obv_object *OBV_NULLABLE source);

/** obv_stop_path() with a compiled path; cannot fail. */
OBV_API void obv_stop_compiled(struct obv_observation *OBV_NULLABLE handle,
                               const struct obv_object *OBV_NULLABLE root,
                               const struct obv_path *OBV_NONNULL path);

/** obv_stop_observer() with compiled paths. OBV_OK, or OBV_E_ARGUMENT for a
    NULL root. */
OBV_API enum obv_status obv_stop_observer_compiled(
    struct obv_object *OBV_NULLABLE root, const void *OBV_NULLABLE observer,
    const struct obv_path *OBV_NONNULL const *OBV_NULLABLE paths, size_t count);

/** obv_stop_class_observer() with compiled paths. OBV_OK, or OBV_E_ARGUMENT for
    a NULL class. */
OBV_API enum obv_status obv_stop_class_observer_compiled(
    struct obv_class *OBV_NULLABLE cls, const void *OBV_NULLABLE observer,
    const struct obv_path *OBV_NONNULL const *OBV_NULLABLE paths, size_t count);

OBV_END_DECLS

#endif
