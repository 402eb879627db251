/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observing: who is called for which change, and how it stops.
 *
 * An observation is one observer, one handler and any number of (root, path)
 * pairs. A path names what is followed from the root: `zipCode`,
 * `address.zipCode` (NULL on the way is fine, a replaced address is followed),
 * `*` for every property of one object (not of those below it: `address.*` is a
 * path of its own, and there is no wildcard for any depth). The handler is told
 * that something at the end of one of its paths has changed; it reads the
 * values itself.
 *
 *     delayed     (the normal kind) any number of changes, one call in the
 *                 next drain of the observation's loop
 *     immediate   called inside the set, once a change, after the value is
 *                 stored and everything is rewired
 *
 * Behaviour
 *   - Setting an equal value is no change. Replacing an object in the middle
 *     of a path is one only if what stands at the end differs; unreachable
 *     and NULL differ.
 *   - Five sets before a drain are one call, and it sees the last values.
 *   - Handlers run in the order in which they were scheduled; those that one
 *     change makes due, in the order in which they were registered.
 *   - Changes by a handler are delivered in the same cycle (that of
 *     <observable/loop.h>) to handlers not yet called in it. A handler that was
 *     called already is called in the next cycle. Only what an observation's
 *     own handler changes does not call that observation again: it is dropped
 *     and counted (obv_context_counters()), so that a handler may set what it
 *     observes. OBV_DEFER keeps that too; with OBV_ONCE all that a cycle's
 *     handlers change after the call is dropped.
 *   - An observation made after a change is not called for it. The same one
 *     made twice is two, and two calls.
 *   - Neither end is kept alive by an observation. From scheduling to the
 *     call both are held, by their `retain`.
 *
 * Lifetime of a handle: obv_observe() gives it if it is asked for, and it
 * stays valid, whatever ends, until obv_release(). Dropping interest in it
 * changes nothing: the observation goes on until it is stopped or an end dies.
 *
 * Threads: every function here may be called on any thread at any time, also
 * inside handlers, with objects that are alive for the call. A path is read
 * while it is begun, and on the thread of each set that replaces an object on
 * it: its objects belong to that thread then, or their properties are guarded.
 */
#ifndef OBSERVABLE_OBSERVE_H
#define OBSERVABLE_OBSERVE_H

#include <observable/value.h>

OBV_BEGIN_DECLS

struct obv_observation;
struct obv_handler_kind;

/** The notice to an observer that a root has died. Valid during the call. */
struct obv_deallocation_notice {
    /** The path, as it was written; of a compiled one its text. "": the
        observation had a root and no path. */
    const char *OBV_NONNULL path;
    /** Which object it was: what obv_object_identity() answered while it lived.
        No other object of the process has or will have this number, whatever
        address it gets. */
    uint64_t identity;
    /** The kind's `notice_context`. */
    void *OBV_NULLABLE context;
    /** It is told inside the end of the root, not by a loop. */
    bool is_immediate;
};

/** The arguments of a handler beside its two ends. Valid during the call. */
struct obv_call {
    /** The kind that the observation was made with: a handler whose kind is
        embedded in a struct of its own finds its context through it. */
    const struct obv_handler_kind *OBV_NONNULL kind;
    /** The observation, borrowed for the call; NULL for an immediate one that
        was made without a handle. */
    struct obv_observation *OBV_NULLABLE observation;
    /** With OBV_VALUES: what the path led to before the first change of this
        call, and after the last; either may be unreachable, as is one that is
        not known, or for which memory was short. Before the store
        (OBV_PRIOR) `now` is the value that is offered if the property set ends
        the path, else unreachable, which means not known yet. Of a call that no
        change has caused (OBV_INITIAL, obv_schedule(), obv_execute()) both are
        what the path leads to at the call, also after a stop. Borrowed for the
        call. NULL without OBV_VALUES. */
    const struct obv_value *OBV_NULLABLE old, *OBV_NULLABLE now;
    /** With OBV_VALUES: who made the last change, and when. NULL in a call that
        no change has caused. Borrowed for the call. */
    const struct obv_cause *OBV_NULLABLE cause;
    /** With OBV_RECORDS, else NULL. Without entries before the store
        (OBV_PRIOR) and in a call that no change has caused. Borrowed for the
        call. */
    const struct obv_record *OBV_NULLABLE record;
    /** With OBV_PRIOR: this is the call before the store. */
    bool is_prior;
};

/** Flags of a handler kind. */
enum obv_handler_flags {
    /** The observer is a `struct obv_object`: its observations end with it,
        at once, and stopping by observer cannot mistake another object at the
        same address for it. The `retain` of the handler kind keeps it during a
        call all the same, not that of its class. Observers of other types are
        stopped before their memory goes (obv_stop_and_wait()). */
    OBV_OBSERVER_IS_OBJECT = 1,
    /** The kind is made for the call that observes by it, whose `file` and
        `line` it has: an OBV_HERE() round that call says no other. For
        bindings. */
    OBV_KIND_IS_OF_CALL = 2
};

/**
 * A handler: a function, and what keeps its observer. Kept by pointer, so it
 * is a constant or lives until `dispose`. One kind may serve any number of
 * observations and observers.
 */
struct obv_handler_kind {
    /** The block. `root` is the root of the pair through which it was scheduled
        first; NULL only of obv_observe_class(), which says when. A C++
        exception must not leave it: that ends the program with a message. */
    void (*OBV_NONNULL changed)(void *OBV_NULLABLE observer,
                                struct obv_object *OBV_NULLABLE root,
                                const struct obv_call *OBV_NONNULL call);
    /** A try: keeps the observer alive and answers true, or false once its
        count is zero. Calls nothing of this library, waits for nothing.
        NULL: nothing keeps the observer; then stopping takes a scheduled call
        back. On any thread that changes, drains or stops: the count is atomic,
        unless one thread does all of that. */
    bool (*OBV_NULLABLE retain)(void *OBV_NULLABLE observer);
    /** Given with `retain`, or both are NULL. */
    void (*OBV_NULLABLE release)(void *OBV_NULLABLE observer);
    /** Given only for observers that may die without stopping first, with
        `retain`: whether this one has. Then its observations end at the next
        change that would call it, count or stop at its root. Calls nothing,
        waits for nothing. Until `dispose` the address belongs to nobody
        else. */
    bool (*OBV_NULLABLE gone)(void *OBV_NULLABLE observer);
    /** Called once an observation when it has ended and no call of it is
        scheduled or running any more: what the handler captured may go. On
        whichever thread was last with it, with no lock held. The observer may
        be gone: its address is handed over as a value. */
    void (*OBV_NULLABLE dispose)(const struct obv_handler_kind *OBV_NONNULL
                                     kind,
                                 void *OBV_NULLABLE observer);
    /** For diagnostics and debug output (<observable/debug.h>); a constant, or
        NULL. */
    const char *OBV_NULLABLE label;
    /** obv_handler_flags. */
    uint32_t flags;
    /** The place of its text, for diagnostics and debug output; a constant, or
        NULL and 0. */
    uint32_t line;
    const char *OBV_NULLABLE file;
    /**
     * Given by observers that want to know of it: a root of the observation has
     * died. Called once for each of its pairs with that root: of a delayed
     * observation by a drain of its loop, which the death wakes, in no promised
     * order with the drain's calls; else inside obv_object_deinit(), after that
     * has torn down and scheduled everything (at the depth limit by the loop).
     * It is nobody's call: not counted, not pending, in no batch; what it changes
     * is kept for the next cycle, not dropped.
     *
     * Not called for what was stopped before the death; once the observer is
     * gone, or a loop that had to tell; once obv_stop_and_wait() has returned,
     * nor after the obv_stop() of a token or of a kind without `retain`. Any
     * other stop that comes after the death takes nothing back.
     *
     * A root that dies in the call that observes it is told of by nobody.
     *
     * The observer is held during the call, by `retain`; until then by nobody.
     * If it is no observable object and `forget` is not given, `dispose` waits
     * for the notices that are under way.
     *
     * Cost: 176 bytes more an observation of one pair, and 80 each further pair,
     * from its begin on: the death needs no memory.
     */
    void (*OBV_NULLABLE root_did_deallocate)(
        void *OBV_NULLABLE observer,
        const struct obv_deallocation_notice *OBV_NONNULL notice);
    /** Handed to the last two functions. */
    void *OBV_NULLABLE notice_context;
    /** Called once an observation, after `dispose`, its last notice, and
        obv_release() of its handle: the observer's address and
        `notice_context` are not used any more. For kinds whose `dispose` is not
        to wait. As `dispose` otherwise. */
    void (*OBV_NULLABLE forget)(void *OBV_NULLABLE observer,
                                void *OBV_NULLABLE notice_context);
};

/** In a designated initialiser of a handler kind, in C or from C++20 on: where
    it stands. In C++ behind `flags` and before `root_did_deallocate`. */
#define OBV_KIND_HERE .line = __LINE__, .file = __FILE__

/** Flags of an observation. */
enum obv_observe_flags {
    /** Called inside the set instead of by a drain. */
    OBV_IMMEDIATE = 1,
    /** A change that the observation's own handler makes is kept for the next
        cycle as well, instead of being dropped. An immediate observation that
        has a handle and is no token, and is not called because handlers are
        nested too deep, is scheduled instead. */
    OBV_DEFER = 2,
    /** A token: stopping takes a call back that is already scheduled; after
        obv_stop() has returned the handler is not entered again. Implies
        OBV_DEFER. */
    OBV_TOKEN = 4,
    /** More pairs may be added later (obv_observe_also()). Implied by any
        number of pairs but one. */
    OBV_EXTENSIBLE = 8,
    /** Scheduled at once, as by obv_schedule(); of an immediate observation:
        called at once, before the call that begins it returns. Its root is
        that of the first pair. */
    OBV_INITIAL = 16,
    /** The handler is called when any element of a path changes, whatever
        stands at the end: any slot that an element holds, also one that leads
        nowhere under a `*`. */
    OBV_ANY_ELEMENT = 32,
    /** A delayed call does not come if every endpoint was, after the last
        change that made it due, what it was before the first. A call scheduled
        by hand does. Nothing for an immediate observation, nor with
        OBV_COMPARE_ALWAYS_DIFFERENT. */
    OBV_NET = 64,
    /** Old and new value are handed over. For one path of one root, without `*`
        (the same again is no second one); others have records. */
    OBV_VALUES = 128,
    /** With OBV_IMMEDIATE: a call of its own before the store of a property on
        the path, when the value that is offered to it differs from the one that
        is there. The call after the store comes only if what the path leads to
        differs: one before need not be followed by one after. A computed
        property that is computed anew is no store: what it will be is not
        known before. */
    OBV_PRIOR = 256,
    /** A record is handed over of what the call has coalesced. */
    OBV_RECORDS = 512,
    /** At most one call for all that happens in a cycle: whatever its handlers
        change after the call is dropped. Contradicts OBV_DEFER. */
    OBV_ONCE = 1024
};

/** How an observation is made. Zero everything but `size` for the defaults. */
struct obv_observe_options {
    /** sizeof(struct obv_observe_options). */
    size_t size;
    /** The loop that runs delayed handlers; NULL: that of the root's context.
        Of an immediate observation: where obv_schedule() delivers it. */
    struct obv_loop *OBV_NULLABLE loop;
    /** obv_observe_flags. */
    uint32_t flags;
    /** How the ends of its paths are compared, over what the property says. */
    enum obv_compare compare;
    /** Given with OBV_COMPARE_DECLARED: whether two values that can both be
        reached are equal. Called with no lock held, on the thread of the
        change, or with OBV_NET of the drain. Neither it nor a property's own
        `equal` sets anything: a set inside may be told before the one that it
        is inside of. An object in the middle of a path whose class has no
        `retain` is not compared when it is replaced: that is a change. */
    bool (*OBV_NULLABLE equal)(void *OBV_NULLABLE context,
                               const struct obv_value *OBV_NONNULL old,
                               const struct obv_value *OBV_NONNULL now);
    void *OBV_NULLABLE equal_context;
    /** With OBV_RECORDS: so many entries at most; 0: 16. */
    uint32_t record_limit;
};

/** One root and one path from it. */
struct obv_pair {
    /** NULL: OBV_E_ARGUMENT. */
    struct obv_object *OBV_NULLABLE root;
    /** NULL: none; then the observation is called by obv_schedule() and
        obv_execute() only, and ends with its root. */
    const char *OBV_NULLABLE path;
};

/**
 * Observes `path` from `root`: one delayed observation on the loop of the
 * root's context. With options, or several paths: obv_observe_pairs(). The same
 * call again makes a second observation.
 *
 * A first element that the class does not have is accepted and never called:
 * it is told to the diagnostics hook and listed by obv_unresolved_path(). A
 * later one is followed where the object there has it. `*` may stand anywhere,
 * and several times: `b.*.t` follows each object that a property of b holds,
 * and passes over what holds none. `#n`, `n` and `&h` mean nothing on objects:
 * OBV_E_KIND.
 *
 * @param root      borrowed; not NULL, not ended.
 * @param path      borrowed text; its grammar is in <observable/path.h>.
 * @param kind      kept by pointer until `dispose`.
 * @param observer  handed to the handler, NULL too; see OBV_OBSERVER_IS_OBJECT.
 * @param handle    receives a handle to be given back with obv_release();
 *                  NULL: none is made.
 * @param error     what was wrong, in words; may be NULL.
 * @return OBV_OK; OBV_E_SYNTAX with the byte's position; OBV_E_KIND;
 *         OBV_E_MEMORY; OBV_E_ENDED if an end has ended; OBV_E_OPTIONS if the
 *         observer is an object of another context; OBV_E_ARGUMENT if root,
 *         path, kind or its `changed` is NULL, or only one of `retain` and
 *         `release`. On error nothing changed and `dispose` is not called.
 *
 * Callbacks: `retain` and `release` of the objects on the path, and their
 *            `observed_changed`; the diagnostics hook.
 * Cost:      O(elements), under a `*` O(objects reached); the second
 *            observation of a path shares its wiring, and a text that was
 *            observed lately is not parsed again, from whatever root.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_observe(struct obv_object *OBV_NULLABLE root, const char *OBV_NULLABLE path,
            const struct obv_handler_kind *OBV_NULLABLE kind,
            void *OBV_NULLABLE observer,
            struct obv_observation *OBV_NULLABLE *OBV_NULLABLE handle,
            struct obv_error *OBV_NULLABLE error);

/**
 * Observes any number of pairs with one handler: one call a drain, whatever
 * number of its paths changed.
 *
 * @param pairs    borrowed. At least one, whose root gives the context; a
 *                 path may be NULL in a first pair that stands alone.
 * @param options  NULL: the defaults.
 * @param handle   receives a handle; NULL: none is made.
 * @param error    what was wrong, in words; may be NULL.
 * @return as obv_observe(); `error->index` says which pair. OBV_E_OPTIONS also
 *         for unknown flags, if roots or loop are of two contexts, and for
 *         options that contradict each other: OBV_PRIOR without OBV_IMMEDIATE,
 *         OBV_ONCE with OBV_DEFER, OBV_VALUES with different pairs or a `*`,
 *         two comparisons. All pairs are registered or none: nobody is called
 *         for one of them before all are, so a call that fails has called
 *         nobody, and waits for no handler.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_observe_pairs(const struct obv_pair *OBV_NULLABLE pairs, size_t count,
                  const struct obv_handler_kind *OBV_NULLABLE kind,
                  void *OBV_NULLABLE observer,
                  const struct obv_observe_options *OBV_NULLABLE options,
                  struct obv_observation *OBV_NULLABLE *OBV_NULLABLE handle,
                  struct obv_error *OBV_NULLABLE error);

/**
 * Adds pairs to an observation; a pair that it has already changes nothing. If
 * what computes one of them, or another thread, changes the end of another
 * meanwhile, the handler is called for it, also if this call fails.
 *
 * @param error  what was wrong, in words; may be NULL.
 * @return as obv_observe_pairs(); OBV_E_OPTIONS if it was made without
 *         OBV_EXTENSIBLE, or with OBV_VALUES and has not each of the pairs
 *         already; OBV_E_ENDED.
 *
 * Cost: O(pairs that the observation has already) for each.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_observe_also(struct obv_observation *OBV_NONNULL handle,
                 const struct obv_pair *OBV_NULLABLE pairs, size_t count,
                 struct obv_error *OBV_NULLABLE error);

/**
 * Stops an observation: all its pairs. May be repeated; NULL is ignored.
 *
 * A delayed call that is already scheduled still comes, once, if it holds both
 * ends (the kind and the class of the root whose change scheduled it have
 * `retain`) and the observation is no token; else it is taken back. A call that
 * runs on another thread may still be running.
 *
 * Callbacks: `dispose`, unless a call is running or still to come: then after
 *            it, or the next drain, where a call is taken back;
 *            `observed_changed` of the objects on the paths.
 * Cost:      O(pairs); one membarrier if a call is scheduled, or if the kind
 *            has `dispose` and other threads use the library.
 */
OBV_API void obv_stop(struct obv_observation *OBV_NULLABLE handle);

/**
 * Stops as a token does (a scheduled call is taken back) and waits until no
 * call of this observation runs on another thread. Comes before the memory of
 * an observer that is no observable object goes.
 *
 * @return true when no call runs; false at once inside any handler of this
 *         thread, where waiting could never end: then the memory may go in
 *         `dispose`. NULL: true.
 */
OBV_API bool obv_stop_and_wait(struct obv_observation *OBV_NULLABLE handle);

/** Gives a handle back. The observation goes on. NULL is ignored. The handle
    is not to be used after this call. */
OBV_API void obv_release(struct obv_observation *OBV_NULLABLE handle);

/**
 * Ends single pairs of an observation. Pairs that it does not have are
 * ignored; with its last pair the observation ends.
 *
 * @param root   NULL: the pairs with this path of any root.
 * @param error  what was wrong, in words; may be NULL.
 * @return OBV_OK, also for a NULL handle; OBV_E_SYNTAX; OBV_E_MEMORY;
 *         OBV_E_ARGUMENT for a NULL path: then nothing was stopped.
 */
OBV_API enum obv_status
obv_stop_path(struct obv_observation *OBV_NULLABLE handle,
              const struct obv_object *OBV_NULLABLE root,
              const char *OBV_NULLABLE path,
              struct obv_error *OBV_NULLABLE error);

/**
 * Ends every pair with this root (and one of these paths, if any are given)
 * of every observation of `observer`.
 *
 * @param paths  `count` texts; NULL and 0: all paths.
 * @param error  what was wrong, in words; may be NULL.
 * @return as obv_stop_path(); OBV_E_ARGUMENT also for a NULL root.
 *
 * Cost: O(observations of and through the root); by paths of several elements
 *       also O(pairs) of each.
 */
OBV_API enum obv_status
obv_stop_observer(struct obv_object *OBV_NULLABLE root,
                  const void *OBV_NULLABLE observer,
                  const char *OBV_NONNULL const *OBV_NULLABLE paths,
                  size_t count, struct obv_error *OBV_NULLABLE error);

/** Ends every pair with this root of every observation with this handler kind;
    `observer` NULL: of any observer, else of this one. OBV_OK, or
    OBV_E_ARGUMENT for a NULL root or kind. */
OBV_API enum obv_status
obv_stop_handler(struct obv_object *OBV_NULLABLE root,
                 const struct obv_handler_kind *OBV_NULLABLE kind,
                 const void *OBV_NULLABLE observer);

/**
 * Observes `path` from every instance of a class, those of its subclasses
 * included, present and to come: one call a cycle for each changed instance,
 * which is its root. Nothing is stored in an instance before it changes; it has
 * then what an observation of its own needs (some 300 bytes and its node),
 * until it ends or this observation does.
 *
 *   - An instance is followed from its first change of a property that begins
 *     the path. So the end of a longer path, `b.i`, is followed below a `b` that
 *     is set from now on, and not below one that is there already; of `*.i`,
 *     from the first set of any property, below all that is there then. The
 *     object in a weak property that was there before is not seen to end.
 *   - The path is looked up on each instance: a property that only a subclass
 *     has is observed in the subclass's instances. It is listed by
 *     obv_unresolved_path() all the same, and told to the diagnostics hook.
 *   - It is known to no count and no `observed_changed` of an instance. Lists
 *     of <observable/debug.h> have it once the instance has changed, as an
 *     observation like any other. It is not stopped by obv_stop_observer() of
 *     one. No instance's end is told (`root_did_deallocate`).
 *   - `root` is NULL in a call that is for no instance: by obv_schedule(),
 *     obv_execute() and OBV_INITIAL; and when there was no memory to follow an
 *     instance that changed: then any may have changed, and the call comes once
 *     (old and new value are unreachable in these, the record is empty; there
 *     is no call before the store).
 *   - If one instance's calls would be dropped, another's are not: each is
 *     pending for itself, and has its own old values and its own record.
 *
 * Every set in the process looks for more while any class-level observation
 * exists: it costs what a set of an observed object costs.
 *
 * @param cls      its context is the observation's.
 * @param path     borrowed text, as for obv_observe(); may not be NULL.
 * @param options  NULL: the defaults. All of them but OBV_EXTENSIBLE, which is
 *                 refused: one path is followed.
 * @param handle   receives a handle; NULL: none is made, and it ends with its
 *                 observer or by obv_stop_class_observer() alone.
 * @return as obv_observe_pairs(); OBV_E_ARGUMENT for a NULL class or path.
 *
 * Callbacks: those of a set that meets an instance: `retain` and `release` of
 *            the objects on the path.
 * Threads:   an instance is met on the thread of its change.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_observe_class(struct obv_class *OBV_NULLABLE cls,
                  const char *OBV_NULLABLE path,
                  const struct obv_handler_kind *OBV_NULLABLE kind,
                  void *OBV_NULLABLE observer,
                  const struct obv_observe_options *OBV_NULLABLE options,
                  struct obv_observation *OBV_NULLABLE *OBV_NULLABLE handle,
                  struct obv_error *OBV_NULLABLE error);

/**
 * Ends every class-level observation of `observer` that was begun with this
 * class (and one of these paths, if any are given). Those of its superclasses
 * and subclasses go on.
 *
 * @param paths  `count` texts; NULL and 0: all paths.
 * @return as obv_stop_observer(); OBV_E_ARGUMENT for a NULL class.
 *
 * Cost: O(class-level observations of the class, and the instances that they
 *       follow).
 */
OBV_API enum obv_status
obv_stop_class_observer(struct obv_class *OBV_NULLABLE cls,
                        const void *OBV_NULLABLE observer,
                        const char *OBV_NONNULL const *OBV_NULLABLE paths,
                        size_t count, struct obv_error *OBV_NULLABLE error);

/** Ends every class-level observation of this class with this handler kind;
    `observer` NULL: of any observer, else of this one. OBV_OK, or
    OBV_E_ARGUMENT for a NULL class or kind. */
OBV_API enum obv_status
obv_stop_class_handler(struct obv_class *OBV_NULLABLE cls,
                       const struct obv_handler_kind *OBV_NULLABLE kind,
                       const void *OBV_NULLABLE observer);

/** Schedules an observation by hand; coalesces with changes. Never dropped in a
    drain: one that was called in it comes in the next. Nothing after the end,
    or without a living root; NULL is ignored. */
OBV_API void obv_schedule(struct obv_observation *OBV_NULLABLE handle);

/**
 * Calls the handler now, on this thread; changes nothing that is scheduled. It
 * is handed what there is: struct obv_call.
 *
 * @return whether it could: false after the end, while it is being called,
 *         on a bound loop's foreign thread, on a thread other than the
 *         draining one while its loop drains, if an end cannot be held,
 *         inside 96 nested handlers, and for NULL.
 */
OBV_API bool obv_execute(struct obv_observation *OBV_NULLABLE handle);

/** Turns an observation immediate: from the next change on it is called inside
    the set. A call that is scheduled then still comes with the next drain,
    after newer immediate ones, with the values and the record that it had
    gathered. May be repeated; nothing after the end; NULL is ignored. */
OBV_API void obv_make_immediate(struct obv_observation *OBV_NULLABLE handle);

/** Work that an immediate handler leaves for later, in memory of the program's
    that stays until it is done. */
struct obv_completion {
    void (*OBV_NONNULL complete)(struct obv_completion *OBV_NONNULL self);
    /* The library's. */
    struct obv_completion *OBV_NULLABLE next;
    void *OBV_NULLABLE reserved;
};

/**
 * Leaves work, inside an immediate handler, until all that its change calls have
 * returned: it is done once, before the set returns. So a follower of ten
 * thousand objects that one set makes due works once.
 *
 * @param completion  zeroed but for `complete`. Left once more by the same change
 *                    it is done once.
 * @return false: nothing is left, for no other is called by this change, or a
 *         change around it has left the same: the handler does it itself.
 *
 * Threads: that of the handler.
 */
OBV_API OBV_NODISCARD bool
obv_complete_later(struct obv_completion *OBV_NONNULL completion);

/** Whether the observation has ended: stopped, or an end is gone. An observer
    that may be gone without having stopped is asked (`gone`), and its
    observation ends with this. */
OBV_API bool obv_has_ended(const struct obv_observation *OBV_NONNULL handle);

/**
 * The paths of an observation that lead nowhere because the class has no such
 * property, as written, or because memory was short: the
 * `index`-th.
 *
 * @param buffer  receives at most `size` bytes with a NUL; as snprintf(), NULL
 *                if `size` is 0.
 * @return the length of the text, or -1 if there is no such entry.
 */
OBV_API ptrdiff_t
obv_unresolved_path(const struct obv_observation *OBV_NONNULL handle,
                    size_t index, char *OBV_NULLABLE buffer, size_t size);

/**
 * From here on paths are looked at by the declared types as they begin to
 * be observed, and what can lead nowhere is told (OBV_DIAGNOSTIC_DECLARED); or
 * that no more. Debug builds of the library (OBV_CHECK_PATHS) begin with it.
 *
 * @param context  NULL: the default one.
 *
 * Threads: any.   Cost: a look at each element of a path that begins.
 */
OBV_API void obv_check_paths(struct obv_context *OBV_NULLABLE context,
                             bool is_checked);

/**
 * Checks a path by the declared types, from objects of class `cls`: the check
 * that fails. A property that is declared without a class ends what can
 * be known.
 *
 * @param error  what was wrong, in words; may be NULL.
 * @return OBV_OK; OBV_E_SYNTAX; OBV_E_UNKNOWN; OBV_E_KIND; OBV_E_MEMORY;
 *         OBV_E_ARGUMENT for a NULL class or path.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_validate(const struct obv_class *OBV_NONNULL cls,
             const char *OBV_NULLABLE path,
             struct obv_error *OBV_NULLABLE error);

/**
 * The observations that hold a property of this object, each once: by its name
 * (those by `*` included), or for "*" those by `*`; of a container also an
 * element, "#0". As an end or as the middle of a path. 0 for an unknown name.
 */
OBV_API size_t obv_observer_count(struct obv_object *OBV_NONNULL object,
                                  const char *OBV_NONNULL property);

/** Calls `each` with the name of every observed property of the object, "*" as
    one name, in the order of the table. Outside locks. */
OBV_API void
obv_observed_properties(struct obv_object *OBV_NONNULL object,
                        void (*OBV_NONNULL each)(void *OBV_NULLABLE context,
                                                 const char *OBV_NONNULL name),
                        void *OBV_NULLABLE context);

OBV_END_DECLS

#endif
