/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Epoch reclamation, hazards and running handlers over one list of thread
 * records. This comment argues why the promises of reclaim.h hold.
 *
 * The asymmetric fence. A reader stores to its record (S), keeps the compiler
 * from moving what follows, and loads shared memory (L). The other side stores
 * to shared memory (U), calls obv__membarrier(), and loads the record (R). Each
 * thread passes a full fence somewhere during the membarrier. If S stands
 * before that fence in the reader, R sees S. Otherwise L stands behind it too,
 * and sees U. So R sees S or L sees U: never neither.
 *
 *   sections   S epoch     U the unlinking of a block    R every epoch
 *   hazards    S hazard    U "this object has ended"     R every hazard
 *   handlers   S running   U "this is stopped"           R every running
 *   graphs     S in_graph  U "somebody is alone"         R every in_graph
 *
 * A thread that is not in the list yet has its S behind the entering of the
 * list's lock. A thread that finds itself alone in the list, under that lock,
 * has its U before: it may do without the membarrier. FENCED threads fence
 * between S and L, the other side between U and R (obv__membarrier() is that
 * fence).
 *
 * Invariants:
 *
 *   R1  A record's epoch is 0, or a value that obv__epoch had when its thread
 *       entered its outermost epoch section. obv__epoch only grows.
 *   R2  `waiting` was unlinked before a membarrier that came before obv__epoch
 *       became `target` (0: that membarrier is still owed).
 *   R3  `waiting` is freed after a scan that found each record's epoch at 0 or
 *       at `target` or more. A reader found at 0 that enters later, or whose S
 *       was missed, sees the unlinking; one found at `target` or more read
 *       obv__epoch after R2's membarrier, so it sees it as well. Both have left
 *       all earlier epoch sections: R's acquire reads the release of a leave,
 *       or of a later enter.
 *   R4  Blocks move from `filling` to `waiting` only while `waiting` is empty,
 *       by the holder of `advancing`, so each block is freed once.
 *   R5  A record is in the list from its thread's first use to its end, and it
 *       is read under the list's lock only: it is never read once it is gone.
 *       If no destructor runs at its thread's end, it stays listed, at rest.
 *   R6  No lock of a domain is held where free_block is called, and `advancing`
 *       is only tried, so free_block may retire and flush.
 */
#define _GNU_SOURCE
#include "base/reclaim.h"

#include <observable/detail.h>

#ifndef OBV_ATOMIC_HEADER
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

enum { default_batch = 128, kind_mask = 15 };

/* On lines of their own: every enter reads the epoch, thread starts and scans
   write the list's lock. */
_Alignas(64) uint64_t obv__epoch = 1;

static struct {
    _Alignas(64) struct obv__lock lock; /* guards all */
    LIST_HEAD(, obv__thread) list;
    size_t count;
} threads;

uint8_t obv__graph_state;

static struct obv__lock alone; /* held by the writer inside the graphs */

uint32_t obv_detail_reading;

/* The list of records ----------------------------------------------------- */

void obv__thread_set_reading(struct obv__thread *self, bool reads)
{
    /* Relaxed: only this thread's own reads are for it. */
    obv__fetch_add_relaxed(&obv_detail_reading,
                           (uint32_t)reads - (uint32_t)self->is_reading);
    self->is_reading = reads;
}

struct obv__edge *const obv__no_edges[2];

void obv__thread_list(struct obv__thread *record)
{
    obv__lock_enter(&threads.lock);
    LIST_INSERT_HEAD(&threads.list, record, entry);
    threads.count++;
    record->mode =
        obv__membarrier_available() ? OBV__THREAD_PLAIN : OBV__THREAD_FENCED;
    record->usual = (record->usual & OBV__USUAL_NOT) |
                    (record->mode == OBV__THREAD_PLAIN ? OBV__USUAL_PLAIN : 0);
    if (record->mode == OBV__THREAD_FENCED) {
        obv__fetch_or_acq_rel(&obv__graph_state, (uint8_t)OBV__GRAPH_FENCED);
    }
    obv__lock_leave(&threads.lock);
}

void obv__thread_unlist(struct obv__thread *record)
{
    obv__lock_enter(&threads.lock);
    LIST_REMOVE(record, entry);
    threads.count--;
    obv__lock_leave(&threads.lock);
    obv__thread_set_reading(record, false);
}

void obv__reclaim_reset_for_tests(void)
{
    obv__lock_init(&threads.lock);
    LIST_INIT(&threads.list);
    threads.count = 0;
    obv__lock_init(&alone);
    obv__store_relaxed(&obv__graph_state, 0);
    obv__store_relaxed(&obv__epoch, 1);
}

/* Threads begin and end --------------------------------------------------- */

#ifdef OBV_ATOMIC_HEADER

struct obv__thread *obv__thread_self(void)
{
    struct obv__thread *self = scheduler_local(sizeof *self);
    if (scheduler_local_is_new()) {
        self->cursor = obv__no_cursor();
        obv__thread_list(self);
    }
    return self;
}

#else

/* Every new thread's: it says that it is NEW, and nobody writes to it. */
static const struct obv__thread no_thread = {
    .cursor = (struct obv__edge **)(uintptr_t)&obv__no_edges[1]};

_Thread_local struct obv__thread *obv__thread_record =
    (struct obv__thread *)(uintptr_t)&no_thread;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static bool key_made;

/* The key's destructor. It asks to be called once more, so that those of other
   keys in the first round find the record, by whose number a bound loop knows its
   thread (not under the thread sanitizer, whose own record may be gone by then).
   A destructor that uses the library after that makes a new record, for which the
   system calls this one again; in its last round it does not, and the record
   stays. */
static void end_thread(void *record)
{
    struct obv__thread *self = record;
#ifndef OBV__UNDER_TSAN
    if (!self->is_ending && pthread_setspecific(thread_key, self) == 0) {
        self->is_ending = true;
        return;
    }
#endif
    obv__thread_unlist(self);
    obv__thread_record = (struct obv__thread *)(uintptr_t)&no_thread;
    free(self);
}

/* Only the forking thread lives on in the child; the others' records are
   nobody's there. The lock may have been held by one of them. */
static void forked(void)
{
    struct obv__thread *at, *self = obv__thread_record;
    obv__lock_init(&threads.lock);
    LIST_FOREACH(at, &threads.list, entry)
    {
        if (at != self) {
            obv__thread_set_reading(at, false);
        }
    }
    LIST_INIT(&threads.list);
    threads.count = 0;
    if (self->mode != OBV__THREAD_NEW) {
        obv__thread_list(self);
    }
}

static void make_key(void)
{
    key_made = pthread_key_create(&thread_key, end_thread) == 0;
    pthread_atfork(NULL, NULL, forked);
}

struct obv__thread *obv__thread_begin(void)
{
    struct obv__thread *self =
        aligned_alloc(_Alignof(struct obv__thread), sizeof *self);
    if (!self) {
        /* As the C library does where a thread-local variable finds no memory:
           nothing that a thread does can be shown to others without a record. */
        fputs("observable: no memory for what the library keeps of a thread\n",
              stderr);
        abort();
    }
    memset(self, 0, sizeof *self);
    self->cursor = obv__no_cursor();
    obv__membarrier_setup();
    pthread_once(&once, make_key);
    if (key_made) {
        pthread_setspecific(thread_key, self);
    }
    obv__thread_list(self);
    obv__thread_record = self;
    return self;
}

#endif

void obv__thread_fence(void)
{
    /* S before L; pairs with the fence in obv__membarrier(). Without it the
       scan and our next load could miss each other's stores. */
    obv__full_fence();
}

void obv__epoch_pay_owed(struct obv__thread *self)
{
    void (*pay)(struct obv__thread *) = self->pay;
    self->pay = NULL;
    self->nested &= ~OBV__OWES;
    if (pay) {
        pay(self);
    }
    if (self->flush) {
        self->nested |= OBV__OWES;
    }
}

uint32_t obv__epoch_leave_owing(struct obv__thread *self)
{
    obv__epoch_pay_owed(self);
    struct obv__domain *domain = self->flush;
    if (self->nested == OBV__OWES && domain) {
        self->flush = NULL;
        self->nested = 0;
        /* Release, as where it is left. */
        obv__store_release(&self->epoch, 0);
        obv__domain_flush(domain);
    }
    return self->nested;
}

/* The other threads' part ------------------------------------------------- */

/* Makes what this thread stored visible to all who begin something from now on,
   and what they began visible to it. */
static bool settle(const struct obv__thread *self)
{
    obv__lock_enter(&threads.lock);
    bool is_only = LIST_FIRST(&threads.list) == self && threads.count == 1;
    obv__lock_leave(&threads.lock);
    return is_only || obv__membarrier();
}

bool obv__threads_find(bool (*test)(struct obv__thread *thread,
                                    uintptr_t argument),
                       uintptr_t argument)
{
    obv__lock_enter(&threads.lock);
    struct obv__thread *at = LIST_FIRST(&threads.list);
    while (at && !test(at, argument)) {
        at = LIST_NEXT(at, entry);
    }
    bool found = at != NULL;
    obv__lock_leave(&threads.lock);
    return found;
}

static bool is_before(struct obv__thread *thread, uintptr_t target)
{
    /* Acquire, pairs with obv__epoch_leave() and with the next enter: the
       reader's last look happens before the free. */
    uint64_t epoch = obv__load_acquire(&thread->epoch);
    return epoch != 0 && epoch < *(const uint64_t *)target;
}

static bool is_another_that_tries(struct obv__thread *thread, uintptr_t object)
{
    /* Acquire, pairs with obv__hazard_clear(): the hook's work happens before
       what our caller does to the object. */
    return thread != obv__thread_or_new() &&
           (uintptr_t)obv__load_acquire(&thread->hazard) == object;
}

/* Waits until the test is true of no other thread. The wait ends: a thread that
   is inside waits for nothing but locks, and a thread that enters from now on
   sees what the caller has stored, and leaves at once. */
static void wait_for_others(bool (*test)(struct obv__thread *thread,
                                         uintptr_t argument),
                            uintptr_t argument)
{
    unsigned round = 0;
    while (obv__threads_find(test, argument)) {
        obv__backoff(&round);
    }
}

bool obv__wait_for_hazards(const void *object)
{
    bool sure = settle(obv__thread_self());
    wait_for_others(is_another_that_tries, (uintptr_t)object);
    return sure;
}

void obv__graph_enter_slowly(struct obv__thread *self)
{
    unsigned round = 0;
    /* Acquire, as in obv__graph_enter(). */
    while (obv__thread_fence(),
           obv__load_acquire(&obv__graph_state) & OBV__GRAPH_IS_TAKEN) {
        obv__graph_leave(self);
        obv__backoff(&round);
        /* Release, as in obv__graph_enter(). */
        obv__store_release(&self->in_graph, 1);
    }
}

void obv__graph_set_told(bool is_told)
{
    if (is_told) {
        obv__fetch_or_acq_rel(&obv__graph_state, (uint8_t)OBV__GRAPH_TOLD);
    } else {
        obv__fetch_and_acq_rel(&obv__graph_state, (uint8_t)~OBV__GRAPH_TOLD);
    }
}

static bool is_another_in_graph(struct obv__thread *thread, uintptr_t self)
{
    /* Acquire, pairs with obv__graph_leave(). */
    return (uintptr_t)thread != self && obv__load_acquire(&thread->in_graph);
}

void obv__graph_enter_alone(struct obv__thread *self)
{
    obv__lock_enter(&alone);
    obv__fetch_or_acq_rel(&obv__graph_state, (uint8_t)OBV__GRAPH_IS_TAKEN);
    if (!settle(self)) {
        obv__fetch_or_acq_rel(&obv__graph_state, (uint8_t)OBV__GRAPH_FENCED);
        obv__thread_fence();
    }
    wait_for_others(is_another_in_graph, (uintptr_t)self);
}

void obv__graph_leave_alone(void)
{
    /* Release, pairs with obv__graph_enter(). */
    obv__fetch_and_acq_rel(&obv__graph_state, (uint8_t)~OBV__GRAPH_IS_TAKEN);
    obv__lock_leave(&alone);
}

void obv__running_push_nested(struct obv__thread *self, const void *observation)
{
    uint32_t index = obv__load_relaxed(&self->running_nested) + 1;
    if (index < OBV__RUNNING_MAX) {
        /* Release, as for the outermost one. */
        obv__store_release(&self->running[index], observation);
    }
    /* Release, pairs with the load in is_running_on(): without it a scan could
       count this entry and read the one before it. */
    obv__store_release(&self->running_nested, index);
}

/* `wanted`: an observation, and OBV__PIN_TAG if pinned ones count. */
static bool is_running_on(struct obv__thread *thread, uintptr_t wanted)
{
    uintptr_t bits = wanted & OBV__PIN_TAG;
    /* Acquire, pairs with push and pop: a count covers entries as new. */
    uint32_t nested = obv__load_acquire(&thread->running_nested);
    for (uint32_t i = 0; i <= nested && i < OBV__RUNNING_MAX; i++) {
        /* Acquire, pairs with the store that took an ended handler's place. */
        uintptr_t entry = (uintptr_t)obv__load_acquire(&thread->running[i]);
        if ((entry & ~bits) == (wanted & ~bits)) {
            return true;
        }
    }
    return nested >= OBV__RUNNING_MAX;
}

static bool is_running_on_another(struct obv__thread *thread, uintptr_t wanted)
{
    return thread != obv__thread_or_new() && is_running_on(thread, wanted);
}

static enum obv__where where_is(uintptr_t wanted)
{
    struct obv__thread *self = obv__thread_self();
    unsigned where = is_running_on(self, wanted) ? OBV__HERE : OBV__NOWHERE;
    if (!settle(self) || obv__threads_find(is_running_on_another, wanted)) {
        where |= OBV__ELSEWHERE;
    }
    return (enum obv__where)where;
}

enum obv__where obv__running_where(const void *observation)
{
    return where_is((uintptr_t)observation | OBV__PIN_TAG);
}

enum obv__where obv__called_where(const void *observation)
{
    return where_is((uintptr_t)observation);
}

/* Domains ----------------------------------------------------------------- */

void obv__domain_init(struct obv__domain *domain, obv__free_block *free_block,
                      void *context, unsigned batch)
{
    *domain = (struct obv__domain){.batch = batch ? batch : default_batch,
                                   .free_block = free_block,
                                   .context = context};
}

static void free_all(struct obv__domain *domain, struct obv__retired *block)
{
    while (block) {
        uintptr_t link = (uintptr_t)block->next;
        domain->free_block(domain->context, block, link & kind_mask);
        block = (struct obv__retired *)(link & ~(uintptr_t)kind_mask);
    }
}

static struct obv__retired *take_filling(struct obv__domain *domain)
{
    obv__lock_enter(&domain->lock);
    struct obv__retired *list = domain->filling;
    domain->filling = NULL;
    domain->count = 0;
    obv__lock_leave(&domain->lock);
    return list;
}

/* The waiting list if all readers have passed its epoch. R3. */
static struct obv__retired *take_waiting_locked(struct obv__domain *domain)
{
    if (!domain->waiting || !domain->target ||
        obv__threads_find(is_before, (uintptr_t)&domain->target)) {
        return NULL;
    }
    struct obv__retired *list = domain->waiting;
    domain->waiting = NULL;
    return list;
}

/* Gives the waiting list its epoch. R2. */
static void begin_wait_locked(struct obv__domain *domain)
{
    if (!domain->waiting) {
        domain->waiting = take_filling(domain);
        domain->target = 0;
    }
    if (domain->waiting && !domain->target && settle(obv__thread_self())) {
        /* Release, pairs with the load in obv__epoch_enter(): who enters with
           the new epoch sees the unlinking of all that waits for it. */
        domain->target = obv__fetch_add_acq_rel(&obv__epoch, 1) + 1;
    }
}

/* One attempt: frees the waiting list if it can, makes the filled list the
   waiting one, and frees that as well if no reader is inside. */
void obv__domain_flush(struct obv__domain *domain)
{
    /* Another thread is at it: what we retired is left to the next batch. */
    if (!obv__lock_try(&domain->advancing)) {
        return;
    }
    struct obv__retired *first = take_waiting_locked(domain);
    begin_wait_locked(domain);
    struct obv__retired *second = take_waiting_locked(domain);
    obv__lock_leave(&domain->advancing);
    free_all(domain, first);
    free_all(domain, second);
}

void obv__retire(struct obv__domain *domain, struct obv__retired *block,
                 unsigned kind)
{
    obv__lock_enter(&domain->lock);
    block->next = (struct obv__retired *)((uintptr_t)domain->filling | kind);
    domain->filling = block;
    /* A reader that stays inside makes the list grow; look again after as many
       more, not at every block. */
    bool look = ++domain->count % domain->batch == 0;
    obv__lock_leave(&domain->lock);
    if (look) {
        obv__domain_flush(domain);
    }
}

void obv__domain_flush_outside(struct obv__domain *domain)
{
    struct obv__thread *self = obv__thread_self();
    /* Relaxed: only we write it. */
    if (obv__load_relaxed(&self->epoch) == 0) {
        obv__domain_flush(domain);
    } else {
        self->flush = domain;
        self->nested |= OBV__OWES;
    }
}

void obv__domain_deinit(struct obv__domain *domain)
{
    struct obv__retired *list = domain->waiting;
    domain->waiting = NULL;
    /* free_block may retire; each round frees what the last one brought. */
    do {
        free_all(domain, list);
        list = take_filling(domain);
    } while (list);
}
