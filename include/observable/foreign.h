/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign objects: those that cannot embed a header word, because their struct
 * is another library's. They are registered by their address and observed
 * through a *proxy*, an observable object that the library owns; who changes
 * them tells of it by a trigger.
 *
 *     static const struct obv_property window_properties[] = {
 *         OBV_FIELD(window, title, string), OBV_FIELD(window, width, i32)};
 *     static const struct obv_foreign_table window_table = {
 *         .size = sizeof window_table, .name = "window",
 *         .properties = window_properties, .property_count = 2};
 *
 *     obv_foreign_class_create(NULL, &window_table, &window_class, &error);
 *     obv_foreign_register(window_class, window, &foreign, &error);
 *     obv_foreign_observe(foreign, "title", &kind, cell, &handle, &error);
 *     window_rename(window, "Ada");               the library's own function
 *     obv_foreign_trigger(foreign, WINDOW_TITLE, NULL, NULL);
 *     obv_foreign_unregister(foreign);            before its memory goes
 *
 * The lines of the table are those of <observable/object.h>, with the offsets
 * of the foreign struct, which has no header word. Where fields cannot be read
 * by an offset, the table's `read` reads them.
 *
 * In the middle of a path: a model's property that holds the address is a
 * `pointer` with the flag OBV_FOREIGN,
 *
 *     OBV_FIELD_WITH(user, window, pointer, OBV_FOREIGN, "window")
 *
 * and a path `window.title` leads on to the object that is registered at that
 * address. So register an object before a property that is followed gets its
 * address. A path that finds nobody registered leads nowhere until the property
 * is set again, or triggered. Unregistering lets the paths through the object go,
 * and is a change for them. Without the flag the property ends a path like any
 * other: replacing the object is seen, changes inside it are not.
 *
 * Generations: an address says nothing once its object has gone, since another
 * may lie there. A `struct obv_foreign` names one registration for ever; once
 * that has ended it is refused (OBV_E_ENDED), whatever lies at the address. A
 * pointer property has no generation: it leads to whoever is registered at its
 * address now, so the program clears it when the object goes, as any pointer.
 *
 * What holds what: nothing here keeps a foreign object alive, but as the table's
 * `retain` and `release` say, as those of a class of models. Without them an
 * object that is unregistered takes its scheduled calls with it.
 *
 * Threads: every function here may be called on any thread at any time, with
 * addresses whose objects live for the call. A foreign object is read where a
 * model would be: on the thread of the change, of the trigger, or of the call
 * that begins to observe. Unregistering changes the paths through the object, as
 * a set of the property that holds its address would.
 *
 * Cost: 88 bytes a registered object and O(log n) a look-up, n the registered
 * ones of the context; nothing in any setter.
 */
#ifndef OBSERVABLE_FOREIGN_H
#define OBSERVABLE_FOREIGN_H

#include <observable/observe.h>
#include <observable/trigger.h>

OBV_BEGIN_DECLS

/** A class of foreign objects. Borrowed for as long as its context lives. */
struct obv_foreign_table {
    /** sizeof(struct obv_foreign_table). */
    size_t size;
    /** Unique among the classes of the context. */
    const char *OBV_NONNULL name;
    /** Fields of the foreign struct, from its first byte. Not custom ones;
        `flags` 0, OBV_ANY_THREAD, OBV_ALWAYS_DIFFERENT or OBV_FOREIGN. */
    const struct obv_property *OBV_NULLABLE properties;
    size_t property_count;
    /**
     * Reads a property where its offset says nothing (which is then free for
     * the program's use): stores at `value` what the field would hold, at most
     * 8 bytes; a text is borrowed until the next change of the object. NULL:
     * all lie at their offsets.
     *
     * With no lock held, on the thread that reads; must not set anything. As
     * for a property's `equal`: where the class has no `retain`, replacing one
     * of its objects in the middle of a path is a change without comparison.
     */
    void (*OBV_NULLABLE read)(const void *OBV_NONNULL address,
                              const struct obv_property *OBV_NONNULL property,
                              void *OBV_NONNULL value);
    /** What keeps an object alive for a scheduled call: as in struct
        obv_class_table, with the object's address. Both or none. */
    bool (*OBV_NULLABLE retain)(void *OBV_NONNULL address);
    void (*OBV_NULLABLE release)(void *OBV_NONNULL address);
    /** As in struct obv_class_table, with the object's address. */
    void (*OBV_NULLABLE observed_changed)(void *OBV_NONNULL address,
                                          uint32_t property, bool is_observed);
};

/** One registration of one foreign object. To be copied as a value; zeroed, it
    names none. Not used after its context has ended. */
struct obv_foreign {
    struct obv_context *OBV_NULLABLE context;
    void *OBV_NULLABLE address;
    /** Never that of another registration in the context; from 1. */
    uint64_t generation;
};

/**
 * Makes a class of foreign objects from its table, which is kept by pointer.
 *
 * @param context  NULL: the default one.
 * @return as obv_class_create(); OBV_E_LAYOUT also for a custom or unowned
 *         property, and with `read` for one of more than 8 bytes.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_foreign_class_create(struct obv_context *OBV_NULLABLE context,
                         const struct obv_foreign_table *OBV_NONNULL table,
                         struct obv_class *OBV_NULLABLE *OBV_NONNULL cls,
                         struct obv_error *OBV_NULLABLE error);

/**
 * Registers an object by its address.
 *
 * @param cls      of obv_foreign_class_create().
 * @param address  not NULL; its object lives until obv_foreign_unregister().
 * @param foreign  receives the registration; zeroed on failure.
 * @return OBV_OK; OBV_E_MEMORY; OBV_E_IN_USE if an object is registered there
 *         in this context; OBV_E_ARGUMENT if something is NULL or `cls` is a
 *         class of models. On failure nothing has changed.
 *
 * Callbacks: none.
 * Cost:      O(log n).
 */
OBV_API OBV_NODISCARD enum obv_status
obv_foreign_register(struct obv_class *OBV_NULLABLE cls,
                     void *OBV_NULLABLE address,
                     struct obv_foreign *OBV_NULLABLE foreign,
                     struct obv_error *OBV_NULLABLE error);

/**
 * Ends a registration: what was observed at the object ends, paths through it
 * let go of what lies below. Comes before the object's memory goes: where
 * others have no obv_object_deinit(), this is it.
 *
 * With `retain` and `release` a call that holds the object may still be
 * scheduled: it comes, and its observation ends with it; no trigger reaches it
 * meanwhile.
 *
 * @return OBV_OK; OBV_E_ENDED if it has ended before: nothing happens.
 *
 * Threads:   any one, as obv_object_deinit(). Returns only when no other thread
 *            is inside `retain` of this object.
 * Callbacks: as obv_object_deinit().
 */
OBV_API enum obv_status obv_foreign_unregister(struct obv_foreign foreign);

/** The registration of an address, or a zeroed one. `context` NULL: the default
    one. Cost: O(log n). */
OBV_API struct obv_foreign
obv_foreign_find(struct obv_context *OBV_NULLABLE context,
                 const void *OBV_NULLABLE address);

/** Whether a registration has not ended. Another thread may end it at any
    time. */
OBV_API bool obv_foreign_is_registered(struct obv_foreign foreign);

/**
 * The proxy of a registration: an object for every call of this library that
 * takes one, as a root or an observer, but for the setters: these answer
 * OBV_E_KIND.
 *
 * @return the proxy, to be given back by obv_foreign_let_go(); NULL: the
 *         registration has ended. One that ends meanwhile keeps its memory, and
 *         is refused as an object that has ended is.
 */
OBV_API struct obv_object *OBV_NULLABLE
obv_foreign_hold(struct obv_foreign foreign);

/** Gives a proxy back. NULL is ignored. */
OBV_API void obv_foreign_let_go(struct obv_object *OBV_NULLABLE proxy);

/** The foreign object of a proxy, as a handler receives it for its root; NULL:
    it is no proxy. Valid while the proxy is. */
OBV_API void *OBV_NULLABLE
obv_foreign_address(const struct obv_object *OBV_NONNULL proxy);

/** The registration of a proxy; zeroed: it is none. */
OBV_API struct obv_foreign
obv_foreign_of(const struct obv_object *OBV_NONNULL proxy);

/** obv_observe() from the proxy of a registration; OBV_E_ENDED if that has
    ended. */
OBV_API OBV_NODISCARD enum obv_status
obv_foreign_observe(struct obv_foreign foreign, const char *OBV_NULLABLE path,
                    const struct obv_handler_kind *OBV_NULLABLE kind,
                    void *OBV_NULLABLE observer,
                    struct obv_observation *OBV_NULLABLE *OBV_NULLABLE handle,
                    struct obv_error *OBV_NULLABLE error);

/**
 * A property of a foreign object was changed: obv_trigger() past the object's
 * own functions, which know nothing of this library.
 *
 * @param old    the value before, by its address; NULL: it is not known. Then
 *               this is a change, whatever is stored; who is handed values gets
 *               unreachable for the old one (a record counts it as missing).
 * @param value  as in obv_trigger().
 * @return as obv_trigger(); OBV_E_ENDED if the registration has ended.
 */
OBV_API enum obv_status obv_foreign_trigger(struct obv_foreign foreign,
                                            uint32_t property,
                                            const void *OBV_NULLABLE old,
                                            const void *OBV_NULLABLE value);

/** The same by the property's name. */
OBV_API enum obv_status obv_foreign_trigger_named(
    struct obv_foreign foreign, const char *OBV_NULLABLE property,
    const void *OBV_NULLABLE old, const void *OBV_NULLABLE value);

/** Anything of a foreign object may have changed: every property that is
    observed counts as changed. Cost: O(properties) beside the changes. */
OBV_API enum obv_status obv_foreign_trigger_all(struct obv_foreign foreign);

OBV_END_DECLS

#endif
