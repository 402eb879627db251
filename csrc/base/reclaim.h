/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Safe memory reclamation: when an unlinked block can be freed, when an object
 * may end and where a handler runs, while other threads may still be inside.
 * It is no allocator, and nothing here knows what a block is.
 *
 *   section   a reader is inside; what is retired meanwhile is kept for it
 *   hazard    a reader is inside the retain hook of one object
 *   running   a thread is inside one observation's handler
 *   graph     an owner is inside the graphs of computed properties
 *
 * The reader's side of all four is a plain store and a compiler barrier on a
 * record of its own thread; the slow side pays a membarrier and reads all
 * records. reclaim.c opens with the argument.
 *
 * Owed: a block that was unlinked before obv__retire() is freed after every
 * epoch section has been left that began before the unlinking; nothing here
 * waits for an epoch section; retiring cannot fail and allocates nothing.
 *
 * Not safe in signal handlers. In the child of fork() only the forking thread
 * is listed; what others protected stays protected by nobody.
 */
#ifndef OBV_RECLAIM_H
#define OBV_RECLAIM_H

#include "platform/atomic.h"
#include "platform/bsd.h"
#include "platform/compiler.h"
#include "platform/lock.h"
#include "platform/membarrier.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OBV__RUNNING_MAX 96

struct obv__edge;

/** Two values of a thread's `cursor`, while none of its functions records what
    it reads. Both point to NULL, and nobody writes there. */
extern struct obv__edge *const obv__no_edges[2] OBV__HIDDEN;

/** The cursor of a thread whose reads nothing on the thread receives. */
static inline struct obv__edge **obv__no_cursor(void)
{
    return (struct obv__edge **)(uintptr_t)&obv__no_edges[0];
}

/** The cursor of a thread whose reads a binding's reader receives
    (computed/reading.h), and of a new thread. */
static inline struct obv__edge **obv__reader_cursor(void)
{
    return (struct obv__edge **)(uintptr_t)&obv__no_edges[1];
}

/** How a thread shows what it does. */
enum obv__thread_mode {
    OBV__THREAD_NEW,   /* has no record yet */
    OBV__THREAD_PLAIN, /* plain stores, others use membarrier */
    OBV__THREAD_FENCED /* a full fence after each store */
};

/** One thread's record, allocated, and listed while it lives. Written by its
    own thread only, but for the links; read by any. */
struct obv__thread {
    /* The line of the hot path. 0 outside, else the global epoch at entry. */
    _Alignas(128) uint64_t epoch;
    uint32_t nested;         /* epoch sections inside the outermost, and
                                OBV__OWES; own thread */
    uint32_t running_nested; /* handlers inside the outermost one; may exceed
                                the array */
    const void *hazard;      /* whose retain hook we are inside, or NULL */
    uint32_t mode;           /* enum obv__thread_mode; own thread only */
    uint32_t usual;          /* OBV__USUAL_*; own thread only */
    void *slots[11]; /* other modules' own-thread fields, begin as NULL */
    /* Observations whose handler we are inside: [0] the outermost one or NULL,
       then as many as are nested. */
    const void *running[OBV__RUNNING_MAX];
    LIST_ENTRY(obv__thread) entry;         /* under the list's lock */
    void (*pay)(struct obv__thread *self); /* the work owed; own thread */
    void *owed;                            /* the input of `pay`; own thread */
    /* The domain to flush once the outermost epoch section has been left, or
       NULL; own thread. */
    struct obv__domain *flush;
    uint8_t child_said; /* OBV__CHILD_...; own thread */
    uint8_t in_graph;   /* it is inside the graphs, as an owner */
    /* Computed properties (computed/evaluation.c); own thread. `cursor` points
       to the link to the first edge of the last evaluation that the running
       function has not read again; or it is one of the two above. */
    bool batch_marks;    /* its batch has marked one or more */
    uint32_t pull_count; /* pulls that are under way, each within another, also
                            around handlers */
    struct obv__edge **cursor;
    bool is_reading;  /* it is counted in obv_detail_reading; own thread */
    bool is_ending;   /* the first round of its destructors; own thread */
    bool is_in_trace; /* it tells the trace (dispatch/trace.c); own thread */
    uint32_t changes; /* nested ones (edit/overlap.c); own thread */
};

/* Bits of `child_said`: why a binding's `child` has answered no object. They
   are set by obv_detail_report_...(). */
#define OBV__CHILD_IS_SHORT 1u
#define OBV__CHILD_IS_VALUE 2u

/* Bits of `usual`, one word that fast paths test when they begin: a thread is
   usual while OBV__USUAL_PLAIN alone is set. */
#define OBV__USUAL_PLAIN UINT32_C(1) /* `mode` is OBV__THREAD_PLAIN */
#define OBV__USUAL_NOT   UINT32_C(2) /* another module has said no */

/** A bit of `nested`: the thread owes work (`pay`, `flush`) when it leaves an
    epoch section. The bit shares the word so that a leave reads one word. */
#define OBV__OWES (UINT32_C(1) << 31)

/* The global epoch, from 1 on. It grows by one for each batch of retired blocks
   that begins to wait for readers; any thread. */
extern uint64_t obv__epoch OBV__HIDDEN;

#ifdef OBV_ATOMIC_HEADER

/* The tests' scheduler keeps `size` zeroed bytes for each of its threads, and
   says whether the running thread has just got them. */
void *scheduler_local(size_t size);
bool scheduler_local_is_new(void);

struct obv__thread *obv__thread_self(void);

static inline struct obv__thread *obv__thread_or_new(void)
{
    return obv__thread_self();
}

#else

/* All that the library keeps in thread-local storage: a library that is loaded
   by dlopen() finds little of it, and none that is aligned to a line. */
extern _Thread_local struct obv__thread *obv__thread_record OBV__HIDDEN;

struct obv__thread *obv__thread_begin(void) OBV__HIDDEN;

/** The calling thread's record. Threads that are NEW share one, a constant: it
    may be asked for its mode, for `usual` and for its cursor, no more. */
static inline struct obv__thread *obv__thread_or_new(void)
{
    return obv__thread_record;
}

/** The calling thread's record; never NULL. The first call of a thread
    allocates it, and ends the program with a message if there is no memory. */
static inline struct obv__thread *obv__thread_self(void)
{
    struct obv__thread *self = obv__thread_or_new();
    if (OBV__UNLIKELY(self->mode == OBV__THREAD_NEW)) {
        self = obv__thread_begin();
    }
    return self;
}

#endif

/** Adds the thread to the count obv_detail_reading, or takes it out. A thread's
    end takes it out as well. */
void obv__thread_set_reading(struct obv__thread *self, bool reads) OBV__HIDDEN;

/** Whether the thread is PLAIN, and no other module has said otherwise. */
static inline bool obv__thread_is_usual(const struct obv__thread *self)
{
    return self->usual == OBV__USUAL_PLAIN;
}

/** Makes the running thread unusual, so that it takes no fast path, or takes
    that back; for other modules (an open batch). */
static inline void obv__thread_set_unusual(struct obv__thread *self,
                                           bool unusual)
{
    uint32_t plain = self->usual & OBV__USUAL_PLAIN;
    self->usual = unusual ? plain | OBV__USUAL_NOT : plain;
}

/** Enters a record into the list, or takes it out. It must be outside of all
    epoch sections and handlers, without a hazard pointer. */
void obv__thread_list(struct obv__thread *record);
void obv__thread_unlist(struct obv__thread *record);

/** Whether there is a thread of which a test is true, under a lock. */
bool obv__threads_find(bool (*test)(struct obv__thread *thread,
                                    uintptr_t argument),
                       uintptr_t argument);

/** Forgets all records, and the epoch; only while no thread runs. */
void obv__reclaim_reset_for_tests(void);

/** A full fence for FENCED threads: between the store to the thread's record
    that announces what it begins and its next load of shared memory. */
void obv__thread_fence(void) OBV__HIDDEN;

/** The caller's knowledge of its own thread: a constant, so that it is not
    asked again. */
enum obv__thread_is {
    OBV__IS_ANY,
    OBV__IS_PLAIN,
    OBV__IS_OUTSIDE /* PLAIN, and what it enters is its outermost one */
};

/* Epoch critical sections ------------------------------------------------- */

/**
 * Enters an epoch critical section (everywhere else: an epoch section); they
 * nest. A block that is unlinked from here on stays readable until the matching
 * obv__epoch_leave().
 *
 * Cost: two plain stores, one counter; 4 ns more where membarrier is refused.
 */
OBV__INLINE void obv__section_enter_as(struct obv__thread *self,
                                       enum obv__thread_is is)
{
    /* Relaxed: only we write it. The outermost epoch section leaves the counter
       alone: a word that each enter and leave read and wrote would make every
       epoch section wait for the one before it. */
    if (is != OBV__IS_OUTSIDE && obv__load_relaxed(&self->epoch) != 0) {
        self->nested++;
        return;
    }
    /* Acquire, pairs with the increment in begin_wait_locked(): who enters with
       an epoch sees all that was unlinked before that epoch began. Without it
       we could claim an epoch and still find a block of an older one. */
    uint64_t now = obv__load_acquire(&obv__epoch);
    /* Release, pairs with the scan in is_before(): a later epoch there means
       that our epoch sections before this one are over. */
    obv__store_release(&self->epoch, now);
    /* The loads that follow stay behind the store; pairs with the membarrier
       in begin_wait_locked(). Without it the scan could miss us inside. */
    obv__compiler_barrier();
    if (is == OBV__IS_ANY && OBV__UNLIKELY(self->mode != OBV__THREAD_PLAIN)) {
        obv__thread_fence();
    }
}

static inline void obv__epoch_enter(struct obv__thread *self)
{
    obv__section_enter_as(self, OBV__IS_ANY);
}

/** Has the next leave of an epoch section call `pay` first, still inside. */
static inline void obv__epoch_owe(struct obv__thread *self,
                                  void (*pay)(struct obv__thread *self))
{
    self->pay = pay;
    self->nested |= OBV__OWES;
}

/** Calls `pay` now, inside an epoch section; a flush stays owed. */
void obv__epoch_pay_owed(struct obv__thread *self) OBV__HIDDEN;

/** The same for a thread that leaves an epoch section. If it is the outermost,
    leaves it and then flushes what was owed. Answers `nested`. */
uint32_t obv__epoch_leave_owing(struct obv__thread *self) OBV__HIDDEN;

/** Calls `pay` now, if it is owed, without leaving the epoch section. */
static inline void obv__epoch_pay(struct obv__thread *self)
{
    if (OBV__UNLIKELY(self->nested >= OBV__OWES)) {
        obv__epoch_pay_owed(self);
    }
}

/* Whether another epoch section is around the one that is left. */
static inline bool obv__epoch_is_nested(struct obv__thread *self)
{
    uint32_t nested = self->nested;
    if (nested == 0) {
        return false;
    }
    if (OBV__UNLIKELY(nested >= OBV__OWES)) {
        nested = obv__epoch_leave_owing(self);
    }
    if (nested != 0) {
        self->nested = nested - 1;
        return true;
    }
    return false;
}

/** Leaves an epoch section. The thread pays what it owes first, so no lock is
    held and no hazard pointer is set where an epoch section is left. */
OBV__INLINE void obv__section_leave_as(struct obv__thread *self,
                                       enum obv__thread_is is)
{
    if (is == OBV__IS_OUTSIDE) {
        /* A handler or a hook that begins or ends an observation meanwhile is
           in epoch sections of its own, and has left them. */
        if (OBV__UNLIKELY(self->nested >= OBV__OWES)) {
            (void)obv__epoch_leave_owing(self);
        }
    } else if (obv__epoch_is_nested(self)) {
        return;
    }
    /* Release, pairs with the scan in is_before(): our last look at a block
       happens before it is freed. */
    obv__store_release(&self->epoch, 0);
}

static inline void obv__epoch_leave(struct obv__thread *self)
{
    obv__section_leave_as(self, OBV__IS_ANY);
}

/** Whether the thread is in no epoch section and no handler. */
static inline bool obv__thread_is_idle(const struct obv__thread *self)
{
    /* Relaxed, both: only we write them. */
    return ((uintptr_t)obv__load_relaxed(&self->running[0]) |
            (uintptr_t)obv__load_relaxed(&self->epoch)) == 0;
}

/* Retired blocks ---------------------------------------------------------- */

/** A word of the retired block itself, by which its domain links it. No reader
    looks at this word. Blocks are aligned to 16 bytes, since the low 4 bits of
    the link carry the block's kind. */
struct obv__retired {
    struct obv__retired *next;
};

typedef void obv__free_block(void *context, struct obv__retired *block,
                             unsigned kind);

/** The blocks that one owner has retired; its fields belong to reclaim.c. */
struct obv__domain {
    struct obv__lock lock;        /* guards `filling` and `count` */
    struct obv__lock advancing;   /* guards `waiting` and `target` */
    uint32_t batch;               /* retired between attempts; constant */
    struct obv__retired *filling; /* retired since the last attempt */
    size_t count;                 /* blocks in filling */
    struct obv__retired *waiting; /* until all readers pass `target` */
    uint64_t target;              /* an epoch; 0: the membarrier has failed */
    obv__free_block *free_block;  /* constant */
    void *context;                /* its first argument; constant */
};

/**
 * Makes `domain` ready.
 *
 * @param free_block  called once for each block, on any thread that retires,
 *                    flushes or deinits, holding no lock of the domain; it may
 *                    retire.
 * @param batch       blocks between two attempts to free; 0: 128.
 */
void obv__domain_init(struct obv__domain *domain, obv__free_block *free_block,
                      void *context, unsigned batch);

/** Frees all that is left: the caller vouches that no thread is inside an epoch
    section that can reach a block of this domain, and that none retires. */
void obv__domain_deinit(struct obv__domain *domain);

/**
 * Hands over a block that is unlinked: no thread that enters an epoch section
 * from now on can find it. Called once for a block, inside an epoch section or
 * outside.
 *
 * @param kind  0..15, given back to free_block.
 *
 * Threads:   any. Callbacks: free_block, once a batch, for older blocks.
 * Cost:      a spin lock; once a batch a membarrier and a look at all threads.
 */
void obv__retire(struct obv__domain *domain, struct obv__retired *block,
                 unsigned kind);

/**
 * Frees the blocks that can be freed now; never waits. Inside an epoch section
 * it is safe: blocks that the section protects stay. While another thread
 * flushes the domain, it does nothing.
 */
void obv__domain_flush(struct obv__domain *domain);

/** Flushes outside of all epoch sections: now, or when the thread has left its
    outermost one. */
void obv__domain_flush_outside(struct obv__domain *domain);

/* Hazard pointers: the end of objects ------------------------------------- */

/**
 * Says that this thread is about to call the retain hook of `object`. The
 * caller then looks whether the object has ended (and does not call if so),
 * calls the hook, and calls obv__hazard_clear(). A thread has one at a time.
 *
 * The thread that ends the object marks the end, then calls
 * obv__wait_for_hazards(): one of the two sees the other.
 */
OBV__INLINE void obv__try_begin_as(struct obv__thread *self, const void *object,
                                   enum obv__thread_is is)
{
    /* Release: a scan that reads this knows that our earlier hazard pointer is
       cleared. */
    obv__store_release(&self->hazard, object);
    /* The look at the object's end stays behind the store; pairs with the
       membarrier in obv__wait_for_hazards(). Without it we could find the
       object living while its end does not find us. */
    obv__compiler_barrier();
    if (is == OBV__IS_ANY && OBV__UNLIKELY(self->mode != OBV__THREAD_PLAIN)) {
        obv__thread_fence();
    }
}

static inline void obv__hazard_set(struct obv__thread *self, const void *object)
{
    obv__try_begin_as(self, object, OBV__IS_ANY);
}

static inline void obv__hazard_clear(struct obv__thread *self)
{
    /* Release, pairs with the scan in obv__wait_for_hazards(): the hook has
       returned before the object's memory goes. */
    obv__store_release(&self->hazard, NULL);
}

/**
 * Returns when no other thread has a hazard pointer to `object` that it set
 * before its end was marked. The hooks it waits for wait for nothing. Its own
 * thread's hazard pointer is left out.
 *
 * @return false if the membarrier failed: hazard pointers that could be seen
 *         are cleared, but one may have been missed.
 *
 * Cost: nothing but a lock while one thread is listed, else a membarrier.
 */
bool obv__wait_for_hazards(const void *object);

/* The graphs of computed properties --------------------------------------- */

/*
 * A reader-writer lock over all graphs. Its readers are the owners of graphs
 * (TH-1): each changes its own alone, so owners do not exclude each other. A
 * writer is alone, since it touches what may be another owner's: the end of an
 * object, which comes on any thread; an inbound edit; the hanging or taking
 * away of an edge at a property that any thread may set. The lock is not
 * recursive. Of a program's code only a `retain` and an allocator are called
 * inside (RE-5).
 */

/* Bits of obv__graph_state. 0: owners simply enter. */
#define OBV__GRAPH_IS_TAKEN 1u /* a writer is inside, or about to be */
#define OBV__GRAPH_FENCED   2u /* owners fence when they enter */
#define OBV__GRAPH_TOLD     4u /* a trace is told of evaluations */

extern uint8_t obv__graph_state OBV__HIDDEN;

/** The rest of obv__graph_enter() where the state is not 0: fences, and waits
    while a writer is inside. */
void obv__graph_enter_slowly(struct obv__thread *self) OBV__HIDDEN;

/** Says whether a trace is told of evaluations from now on. */
void obv__graph_set_told(bool is_told);

/** An owner enters, or leaves. Answers whether the state is 0: if not, a trace
    may want to be told of evaluations. */
static inline bool obv__graph_enter(struct obv__thread *self)
{
    /* Release: a scan that reads this knows that we have left before. */
    obv__store_release(&self->in_graph, 1);
    /* The load stays behind the store; pairs with the membarrier in
       obv__graph_enter_alone(). Without it an owner and a writer could be
       inside together. */
    obv__compiler_barrier();
    /* Acquire, pairs with obv__graph_leave_alone(): we see what was done. */
    if (OBV__UNLIKELY(obv__load_acquire(&obv__graph_state))) {
        obv__graph_enter_slowly(self);
        return false;
    }
    return true;
}

static inline void obv__graph_leave(struct obv__thread *self)
{
    /* Release, pairs with the scan in obv__graph_enter_alone(). */
    obv__store_release(&self->in_graph, 0);
}

/**
 * A writer enters, once nobody else is inside, or leaves. The wait ends, since
 * threads inside wait for nothing but locks. If the membarrier fails, an owner
 * may have been missed this once: all owners fence from then on.
 *
 * Cost: as obv__wait_for_hazards().
 */
void obv__graph_enter_alone(struct obv__thread *self);
void obv__graph_leave_alone(void);

/** Alone, or as an owner. */
static inline void obv__graph_enter_as(struct obv__thread *self, bool is_alone)
{
    if (OBV__UNLIKELY(is_alone)) {
        obv__graph_enter_alone(self);
    } else {
        (void)obv__graph_enter(self);
    }
}

static inline void obv__graph_leave_as(struct obv__thread *self, bool is_alone)
{
    if (OBV__UNLIKELY(is_alone)) {
        obv__graph_leave_alone();
    } else {
        obv__graph_leave(self);
    }
}

/* Handlers that run ------------------------------------------------------- */

/* The bit of an entry that keeps an observation without calling it. */
#define OBV__PIN_TAG ((uintptr_t)1)

/** The number of a thread's entries: the handlers that it is inside, and the
    observations that it has pinned. */
static inline uint32_t obv__running_depth(const struct obv__thread *self)
{
    /* Relaxed: only its own thread writes, and only that one asks. */
    return obv__load_relaxed(&self->running_nested) +
           (obv__load_relaxed(&self->running[0]) != NULL);
}

/** The outermost entry, a handler's or a pin; NULL: there is none. It stays the
    same while others are nested inside it. */
static inline const void *obv__running_outermost(const struct obv__thread *self)
{
    /* Relaxed, as above. */
    return obv__load_relaxed(&self->running[0]);
}

/** The observation whose handler this thread is inside, the innermost; NULL:
    none, or it is too deep to be known. */
static inline const void *obv__running_innermost(const struct obv__thread *self)
{
    uint32_t depth = obv__running_depth(self);
    const void *entry = NULL;
    if (depth > OBV__RUNNING_MAX) {
        return NULL;
    }
    do {
        /* Relaxed, as above. */
        entry = depth != 0 ? obv__load_relaxed(&self->running[--depth]) : NULL;
    } while ((uintptr_t)entry & OBV__PIN_TAG);
    return entry;
}

/** Whether this thread has entered an observation. */
static inline bool obv__running_has(const struct obv__thread *self,
                                    const void *observation)
{
    uint32_t depth = obv__running_depth(self);
    bool found = false;
    for (uint32_t i = 0; i < depth && i < OBV__RUNNING_MAX && !found; i++) {
        /* Relaxed, as above. */
        found = obv__load_relaxed(&self->running[i]) == observation;
    }
    return found;
}

/** Whether the array of entries is full: a nested handler more would be
    counted, but not found. */
static inline bool obv__running_is_full(const struct obv__thread *self)
{
    return obv__running_depth(self) >= OBV__RUNNING_MAX;
}

/** The part of obv__running_push() for a handler inside another. */
void obv__running_push_nested(struct obv__thread *self,
                              const void *observation) OBV__HIDDEN;

/** Enters `observation`'s handler: the caller then looks whether it has been
    stopped (and does not call if so), calls, and pops. Not NULL. */
OBV__INLINE void obv__running_push_as(struct obv__thread *self,
                                      const void *observation,
                                      enum obv__thread_is is)
{
    /* Relaxed: only we write it. */
    if (is != OBV__IS_OUTSIDE &&
        OBV__UNLIKELY(obv__load_relaxed(&self->running[0]) != NULL)) {
        obv__running_push_nested(self, observation);
    } else {
        /* Release, pairs with the load in is_running_on(): who finds another in
           an ended handler's place sees what that handler did. */
        obv__store_release(&self->running[0], observation);
    }
    /* The look whether it is stopped stays behind the store; pairs with the
       membarrier in obv__running_where(). Without it a stop could miss us,
       and we the stop. */
    obv__compiler_barrier();
    if (is == OBV__IS_ANY && OBV__UNLIKELY(self->mode != OBV__THREAD_PLAIN)) {
        obv__thread_fence();
    }
}

static inline void obv__running_push(struct obv__thread *self,
                                     const void *observation)
{
    obv__running_push_as(self, observation, OBV__IS_ANY);
}

OBV__INLINE void obv__running_pop_as(struct obv__thread *self,
                                     enum obv__thread_is is)
{
    /* Release, both: pairs with the loads in is_running_on(): what the handler did
       is seen by who finds it gone. Relaxed load: only we write. */
    uint32_t nested =
        is == OBV__IS_OUTSIDE ? 0 : obv__load_relaxed(&self->running_nested);
    if (OBV__UNLIKELY(nested != 0)) {
        obv__store_release(&self->running_nested, nested - 1);
    } else {
        obv__store_release(&self->running[0], NULL);
    }
}

static inline void obv__running_pop(struct obv__thread *self)
{
    obv__running_pop_as(self, OBV__IS_ANY);
}

/** The place where a handler runs; HERE and ELSEWHERE may both be set. */
enum obv__where {
    OBV__NOWHERE = 0,
    OBV__HERE = 1,     /* this thread is inside it */
    OBV__ELSEWHERE = 2 /* another thread is */
};

/**
 * The place where `observation`'s handler is. A thread that pushes it later,
 * and so is not found, sees what was stored before (that it is stopped).
 *
 * Conservative: a thread nested deeper than OBV__RUNNING_MAX and a membarrier
 * that fails count as running it.
 *
 * Cost: nothing but a lock while one thread is listed, else a membarrier.
 */
enum obv__where obv__running_where(const void *observation);

/** An observation as an entry that keeps it, without being a call of its
    handler: obv__running_where() finds it, obv__called_where() does not. */
#define OBV__PINNED(observation)                                               \
    ((const void *)((uintptr_t)(observation) | OBV__PIN_TAG))

/** The same question for calls alone. */
enum obv__where obv__called_where(const void *observation);

#endif
