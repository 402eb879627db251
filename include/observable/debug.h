/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at what observes an object: who, through which path, from which line
 * of the program.
 *
 *     obv_debug_show_all_observers(&address->object, NULL, NULL);
 *
 *     address 0x55d0c2
 *       zipCode
 *         address.zipCode from user 0x55d0a0, observer cell 0x7ffd10 "zip",
 *         delayed on loop 0x55d010, pending (cell.c:31)
 *
 * with one line an entry. The text is made from what obv_debug_each_observer()
 * tells, which is for programs and tools.
 *
 * From which line: a handler kind may say where it is written (`file` and
 * `line` of struct obv_handler_kind, OBV_KIND_HERE), which costs nothing. Which
 * call began an observation is known if a source line is in force there
 * (OBV_HERE(), <observable/value.h>), and then that line is told:
 *
 *     OBV_HERE(status = obv_observe(&user->object, "name", &kind, cell,
 *                                   &handle, &error));
 *
 * Such an observation is as large as one of several paths: 64 bytes more.
 *
 * Threads: the object belongs to the caller, who may read its properties.
 * Others may observe, stop, set and drain meanwhile: what is told was so at
 * some moment of the call, each entry for itself. No lock is held while code of
 * the program runs.
 */
#ifndef OBSERVABLE_DEBUG_H
#define OBSERVABLE_DEBUG_H

#include <observable/observe.h>

OBV_BEGIN_DECLS

/** One observation at one property of an object, as the end or in the middle of
    one of its paths. Borrowed for the call; objects are told by their
    addresses alone, and may have gone. */
struct obv_observer_entry {
    /** The property of the object that it holds, "*" for all of them; NULL: an
        observation that is rooted here and holds nothing, since it has no path
        or one whose first property the class lacks. */
    const char *OBV_NULLABLE property;
    /** Its index; OBV_EVERY_PROPERTY also for NULL. */
    uint32_t index;
    /** The whole path, from its root; NULL: none. */
    const char *OBV_NULLABLE path;
    /** The root of the path, and its class. */
    const void *OBV_NULLABLE root;
    const char *OBV_NULLABLE root_class;
    /** The observer; its class if it is an observable object, else NULL. */
    const void *OBV_NULLABLE observer;
    const char *OBV_NULLABLE observer_class;
    /** The handler kind, and its label; NULL: it has none. */
    const struct obv_handler_kind *OBV_NONNULL kind;
    const char *OBV_NULLABLE label;
    /** The place where it was begun, or else that of its kind; NULL and 0: not
        known. */
    const char *OBV_NULLABLE file;
    uint32_t line;
    /** The loop that delivers it; NULL: it is called only inside changes. Its
        address is told: it may have ended. */
    const struct obv_loop *OBV_NULLABLE loop;
    /** The property is in the middle of the path: the path leads on from
        here. */
    bool is_middle;
    /** Called inside the change. */
    bool is_immediate;
    /** Ends with its handle (OBV_TOKEN). */
    bool is_token;
    /** A call is scheduled. */
    bool is_pending;
    /** The path leads nowhere: the class lacks its first property. */
    bool is_unresolved;
    /** The object wired behind this property is not the one stored now: it was
        written past its setter without a trigger, or memory was short. */
    bool is_stale;
    /** It has ended: its handle was not given back (obv_release()), or its last
        call has not come. Then it has no path, no root and no observer, and
        `kind` is empty. Of obv_debug_each_left() alone. */
    bool is_over;
};

/**
 * Calls `each` for everything that observes an object: the properties in the
 * order of the class, then `*`, then what holds no property; at one property in
 * the order in which it hangs there.
 *
 * @return OBV_OK; OBV_E_ARGUMENT if the object is null or has no class, or
 *         `each` is null; OBV_E_ENDED after its end; OBV_E_MEMORY, and
 *         OBV_E_LIMIT inside 96 nested handlers: then nothing was told.
 *
 * Callbacks: `each`, with no lock held; it may call anything, but must not end
 *            the object. Before it `child` of bindings, `retain` and `release`.
 * Cost:      O(observations of the object and through it), some 200 bytes for
 *            each until the call returns.
 */
OBV_API enum obv_status
obv_debug_each_observer(struct obv_object *OBV_NULLABLE object,
                        void (*OBV_NULLABLE each)(
                            void *OBV_NULLABLE context,
                            const struct obv_observer_entry *OBV_NONNULL entry),
                        void *OBV_NULLABLE context);

/**
 * Calls `each` for every observation of a context that has begun and has not
 * gone: once for each of its pairs, or once if it has none. Of a class-level
 * observation it tells path and class, and no root. They are those that
 * obv_context_destroy() waits for and struct obv_counters counts, in no promised
 * order; `property` is NULL.
 *
 * @param context  NULL: the default one.
 * @return OBV_OK; OBV_E_UNKNOWN in a library that was built without
 *         OBV_CHECK_MISUSE, which knows their number alone; OBV_E_ARGUMENT if
 *         `each` is NULL; OBV_E_MEMORY: some were left out; OBV_E_LIMIT inside
 *         96 nested handlers.
 *
 * Threads:   any; others may observe, stop, set and drain meanwhile.
 * Callbacks: `each`, with no lock held.
 * Cost:      O(observations of the process).
 */
OBV_API enum obv_status
obv_debug_each_left(struct obv_context *OBV_NULLABLE context,
                    void (*OBV_NULLABLE each)(
                        void *OBV_NULLABLE argument,
                        const struct obv_observer_entry *OBV_NONNULL entry),
                    void *OBV_NULLABLE argument);

/**
 * obv_debug_each_observer() as text for people, a line an entry. Names and
 * labels are escaped as vis(3) does, so that none of them can drive a terminal
 * or forge a line. An entry whose wiring does not match the stored value says
 * so in capitals.
 *
 * @param write  receives the text in pieces; NULL: it goes to standard error.
 * @return as obv_debug_each_observer().
 */
OBV_API enum obv_status obv_debug_show_all_observers(
    struct obv_object *OBV_NULLABLE object,
    void (*OBV_NULLABLE write)(void *OBV_NULLABLE context,
                               const char *OBV_NONNULL text, size_t length),
    void *OBV_NULLABLE context);

OBV_END_DECLS

#endif
