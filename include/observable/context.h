/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts: what belongs together. A context has an allocator, interned
 * names, classes, delivery loops and a diagnostics hook. Objects of two
 * contexts never meet in a path: one that is set into an object of another
 * context is not followed. Programs that need only one use the default.
 *
 * Threads: every function here may be called on any thread at any time, but
 * for obv_context_destroy(), whose text says what must be over by then.
 */
#ifndef OBSERVABLE_CONTEXT_H
#define OBSERVABLE_CONTEXT_H

#include <observable/allocator.h>
#include <observable/status.h>

OBV_BEGIN_DECLS

struct obv_context;
struct obv_loop;
struct obv_names;
struct obv_object;

/** The subject of a diagnostic. */
enum obv_diagnostic_kind {
    /** A path whose first element the root's class does not have. */
    OBV_DIAGNOSTIC_UNRESOLVED = 1,
    /** A path could not be wired for want of memory; it is wired again at the
        next change above it. Of a computed property: what it depends on could
        not be recorded, so it stays invalid until it can. */
    OBV_DIAGNOSTIC_MEMORY = 2,
    /** A loop was destroyed with calls scheduled; they are counted. */
    OBV_DIAGNOSTIC_LOOP_DESTROYED = 3,
    /** Immediate handlers are nested as deep as the context allows
        (immediate_depth): values are stored, but no further immediate handler
        is called on this thread until the outermost has returned. Or handlers
        set what a computed property has read whenever it is computed for them:
        it stays invalid until the next change. */
    OBV_DIAGNOSTIC_DEPTH = 4,
    /** A manual trigger named another new value than the one that is stored,
        which wins. `path` is the property. */
    OBV_DIAGNOSTIC_TRIGGER = 5,
    /** Two threads have changed objects at the same time that are joined by an
        observed path, or one object. Told by debug builds of the library alone
        (OBV_CHECK_OVERLAP), once for a pair of properties, on the thread that
        came second. `path` names both: "street, address". */
    OBV_DIAGNOSTIC_OVERLAP = 6,
    /** The handlers of a loop call each other without end: in 1,000 cycles in a
        row every call was due to handlers of the cycle before. Told once, until
        a cycle is otherwise; the drains go on, one cycle after the other.
        `text` names those that were called last, the rest of the diagnostic is
        about the last of them. */
    OBV_DIAGNOSTIC_ENDLESS = 7,
    /** A path can lead nowhere by the declared types: a property on the
        way holds no object, say; or only if a subclass has a property that the
        declared class lacks, which the text says. The path is observed all the
        same. Told by debug builds of the library (OBV_CHECK_PATHS), and where
        obv_check_paths() asks for it, once for each path that begins to be
        observed; obv_validate() asks for one. */
    OBV_DIAGNOSTIC_DECLARED = 8,
    /** An object whose header obv_object_init() has never made was set, and
        nothing is stored; then the default context is told. Or it was to be
        stored in a property, which is NULL now; `path` is the property. */
    OBV_DIAGNOSTIC_HEADER = 9,
    /** Computed properties (<observable/computed.h>) need each other in a ring:
        none of them has a value. `path` names them: "ping, pong". */
    OBV_DIAGNOSTIC_CYCLE = 11,
    /** The function that computes a property has set it: that value stands.
        `path` is the property. */
    OBV_DIAGNOSTIC_SET_IN_GETTER = 12,
    /** A computed property reads something that it does not declare, or does not
        read what it declares: what obv_check_dependencies() asks for. `path` is
        the property, and behind `: ` what differs. */
    OBV_DIAGNOSTIC_DEPENDENCY = 13,
    /** A binder (<observable/binder.h>) has stored nothing: its function has
        failed, or the property is of another kind; or a ring of binders makes
        different values of one set, or corrects one without end. `text` says
        which. */
    OBV_DIAGNOSTIC_BINDER = 14,
    /** The library was used as it must not be: an object that has been observed
        was initialised again; an accessor has the number of another property; a
        batch was left open; a token was begun without a handle; an edit of a
        container was not told. `text` says which, and of which class. Told by
        debug builds of the library (OBV_CHECK_MISUSE); of accessors by programs
        that are compiled without NDEBUG. */
    OBV_DIAGNOSTIC_MISUSE = 15,
    /** obv_context_destroy() has refused, since something is left: `text` says
        how much. Debug builds of the library (OBV_CHECK_MISUSE) then name what
        it is, one by one, 16 at most: the class in `text`, and path, label,
        file and line. obv_debug_each_left() names all. */
    OBV_DIAGNOSTIC_LEFT = 16
};

/** One diagnostic. Everything in it is borrowed for the time of the call. */
struct obv_diagnostic {
    enum obv_diagnostic_kind kind;
    /** A sentence in English. */
    const char *OBV_NONNULL text;
    /** The path as it was written; of a trigger, the property; of an overlap,
        both properties; or NULL. */
    const char *OBV_NULLABLE path;
    /** The label of the handler kind of the observation that it is about, or of
        the first of several; NULL: it has none, or it is about none. */
    const char *OBV_NULLABLE label;
    /** The place where that observation was begun, as debug output says it
        (<observable/debug.h>): OBV_HERE() round the call, or OBV_KIND_HERE in
        its kind; a constant, or NULL and 0. */
    const char *OBV_NULLABLE file;
    uint32_t line;
};

/** The greatest immediate_depth. A thread tells 96 running handlers apart; the
    rest is for drains and obv_execute() inside immediate handlers. */
#define OBV_IMMEDIATE_DEPTH_MAX 80

/**
 * How a context is made. Zero everything but `size` for the defaults.
 */
struct obv_context_options {
    /** sizeof(struct obv_context_options): how the library knows what the
        caller was compiled with. */
    size_t size;
    /** The source of every byte of the context; NULL: the C library. */
    const struct obv_allocator *OBV_NULLABLE allocator;
    /** Told what went wrong without an answer; NULL: one line on standard
        error. Called on the thread that found it, with no lock held; it may
        call the library. */
    void (*OBV_NULLABLE diagnose)(void *OBV_NULLABLE context,
                                  const struct obv_diagnostic *OBV_NONNULL
                                      diagnostic);
    void *OBV_NULLABLE diagnose_context;
    /** Retired blocks that are collected before the memory of any is given
        back; 0: 128. Small numbers serve tests. */
    uint32_t reclaim_batch;
    /** Immediate handlers inside immediate handlers that a thread enters; then
        OBV_DIAGNOSTIC_DEPTH. 0: 64; at most OBV_IMMEDIATE_DEPTH_MAX. A thread
        counts the handlers of all contexts. */
    uint32_t immediate_depth;
};

/**
 * Makes a context, with one manual loop in it (obv_context_loop()).
 *
 * @param options  borrowed; NULL for the defaults.
 * @param context  receives the context.
 * @return OBV_OK; OBV_E_MEMORY; OBV_E_ARGUMENT if `context` is NULL or the
 *         options have no size, or an immediate_depth past its maximum.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_context_create(const struct obv_context_options *OBV_NULLABLE options,
                   struct obv_context *OBV_NULLABLE *OBV_NONNULL context);

/**
 * Ends a context with its classes, names and loops.
 *
 * Every object of its classes must have been deinitialised, every handle
 * released, and no thread may be inside a call that concerns it. An observation
 * that was stopped counts until its scheduled call has come: drain first. The
 * context's loops go with it; for threads that the library has made for them it
 * waits. The whole order stands in <observable/object.h>.
 *
 * Objects are not counted: one that is left has lost its class, cannot even be
 * deinitialised any more, and what it has of the context's memory is leaked.
 *
 * @return OBV_OK; OBV_E_IN_USE while observations or handles are left, which
 *         OBV_DIAGNOSTIC_LEFT tells of, and with such threads inside any
 *         handler or on one of them: then nothing was done. OBV_E_ARGUMENT for
 *         NULL and for the default context, which lives as long as the process.
 */
OBV_API enum obv_status
obv_context_destroy(struct obv_context *OBV_NULLABLE context);

/**
 * The default context: made at the first call, with the C library's
 * allocator, never destroyed.
 *
 * @return the context; NULL only if memory for it could not be had.
 */
OBV_API struct obv_context *OBV_NULLABLE obv_context_default(void);

/**
 * The context's own loop: manual, unbound, where delayed handlers run unless
 * an observation names another. It can have a descriptor, but no hook (`wake`),
 * no thread and no owner. To use a loop of obv_loop_create() that has one of
 * these, name it in each observation, each end of a binder and each class-level
 * observation. Lives as long as its context.
 *
 * @param context  NULL: the default one.
 * @return the loop; NULL only if there is no default context for want of
 *         memory, and then draining it answers OBV_E_ARGUMENT.
 */
OBV_API struct obv_loop *OBV_NULLABLE
obv_context_loop(struct obv_context *OBV_NULLABLE context);

/**
 * Gives back the memory that waits: of observations and objects that have
 * ended, whose blocks another thread might still have looked at, and the paths
 * of texts that were observed lately. The library does so by itself, a batch at
 * a time, and keeps at most 128 such paths; a program may before it rests, or
 * before it is asked for leaks. All of it goes if no other thread is inside a
 * call.
 *
 * @param context  NULL: the default one.
 *
 * Threads: any, in handlers too. Never waits.
 * Cost:    a membarrier, a look at all threads, and the freeing.
 */
OBV_API void obv_context_collect(struct obv_context *OBV_NULLABLE context);

/** The names of a context: those of its classes' properties and of the paths
    that are observed in it (<observable/names.h>). Owned by the context. */
OBV_API struct obv_names *OBV_NONNULL
obv_context_names(struct obv_context *OBV_NONNULL context);

/** The counts of a context since it was made. */
struct obv_counters {
    /** Delayed handlers called by drains. */
    uint64_t called;
    /** Changes that a drain has dropped (what a handler changes for itself, or
        OBV_ONCE leaves out), and calls that were scheduled on, or came due for,
        a destroyed loop. */
    uint64_t dropped;
    /** Diagnostics told. */
    uint64_t diagnostics;
    /** Observations that are registered, or whose handle has not been given
        back. */
    uint64_t observations;
};

/** Reads the counters; each is exact once all threads are at rest. */
OBV_API void obv_context_counters(const struct obv_context *OBV_NONNULL context,
                                  struct obv_counters *OBV_NONNULL counters);

OBV_END_DECLS

#endif
