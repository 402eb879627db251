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
 *     obv_foreign_register(window_class, window, &proxy, &error);
 *     obv_observe(proxy, "title", &kind, cell, &handle, &error);
 *     window_rename(window, "Ada");               the library's own function
 *     obv_trigger(proxy, WINDOW_TITLE, NULL, NULL);
 *     obv_foreign_unregister(proxy);              before its memory goes
 *
 * A proxy is an object for every call of this library that takes one, as a root
 * or an observer, but for the setters: these answer OBV_E_KIND. A handler gets
 * it for its root. It is there from its registration until it is unregistered,
 * and not to be used after that; with `retain` a call that is scheduled keeps
 * it until then.
 *
 * The lines of the table are those of <observable/object.h>, with the offsets
 * of the foreign struct, which has no header word. Fields that cannot be read
 * by an offset are read by the table's `read`.
 *
 * In the middle of a path: a model's property that holds the address is a
 * `pointer` with the flag OBV_FOREIGN,
 *
 *     OBV_FIELD_WITH(user, window, pointer, OBV_FOREIGN, "window")
 *
 * and a path `window.title` leads on to the object that is registered at that
 * address. So register an object before a property that is followed gets its
 * address. A path that finds nobody registered leads nowhere until the property
 * is set again, or triggered. Unregistering lets the paths through the object
 * go, and is a change for them. Without the flag the property ends a path like
 * any other: replacing the object is seen, changes inside it are not.
 *
 * Ownership: nothing here keeps a foreign object alive, but as the table's
 * `retain` and `release` say, as those of a class of models. Without them an
 * object that is unregistered takes its scheduled calls with it.
 *
 * Threads: registering, unregistering and finding are for any thread. A proxy
 * has an owner, as a model has (<observable/object.h>): a foreign object is
 * read where a model would be, on the thread of the change, of the trigger, or
 * of the call that begins to observe.
 *
 * Cost: 72 bytes a registered object and O(log n) a look-up, n the registered
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
    /** They keep an object alive for a scheduled call: as in struct
        obv_class_table, with the object's address. Both or none. */
    bool (*OBV_NULLABLE retain)(void *OBV_NONNULL address);
    void (*OBV_NULLABLE release)(void *OBV_NONNULL address);
    /** As in struct obv_class_table, with the object's address. */
    void (*OBV_NULLABLE observed_changed)(void *OBV_NONNULL address,
                                          uint32_t property, bool is_observed);
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
 * @param proxy    receives the proxy, which is the library's.
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
                     struct obv_object *OBV_NULLABLE *OBV_NULLABLE proxy,
                     struct obv_error *OBV_NULLABLE error);

/**
 * Ends a registration: what was observed at the object ends, paths through it
 * let go of what lies below. Comes before the object's memory goes: where
 * others have no obv_object_deinit(), this is it. The proxy is not to be used
 * after that.
 *
 * With `retain` and `release` a call that holds the object may still be
 * scheduled: it comes, and its observation ends with it. Until then this may be
 * called again, which answers OBV_E_ENDED.
 *
 * @return OBV_OK; OBV_E_ARGUMENT: it is no proxy.
 *
 * Threads:   any one, as obv_object_deinit(). Returns only when no other thread
 *            is inside `retain` of this object.
 * Callbacks: as obv_object_deinit().
 */
OBV_API enum obv_status
obv_foreign_unregister(struct obv_object *OBV_NULLABLE proxy);

/** The proxy that is registered at an address, or NULL: what a destructor of the
    other library asks that knows its object alone. `context` NULL: the default
    one. Cost: O(log n). */
OBV_API struct obv_object *OBV_NULLABLE obv_foreign_find(
    struct obv_context *OBV_NULLABLE context, const void *OBV_NULLABLE address);

/** The foreign object of a proxy; NULL: it is none. */
OBV_API void *OBV_NULLABLE
obv_foreign_address(const struct obv_object *OBV_NULLABLE proxy);

/** Anything of a foreign object may have changed: every property that is
    observed counts as changed. OBV_E_ARGUMENT: it is no proxy. Cost:
    O(properties) beside the changes. */
OBV_API enum obv_status
obv_foreign_trigger_all(struct obv_object *OBV_NULLABLE proxy);

OBV_END_DECLS

#endif
