/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A coalescing set: items that wait to be called, each at most once, in the
 * order in which they were posted. It is what a delivery loop does with
 * observations, without knowing what an observation is. It is not an event
 * queue: an item carries no payload, and how often it was posted is not
 * counted.
 *
 *     post(a) post(b) post(a) post(a)          a waits once, before b
 *     begin                                    a cycle begins
 *       take -> a      mark called: a is idle, "called in this cycle"
 *         post(b)      on another thread: b waits already
 *       take -> b      sees what was stored before every post of b so far
 *         post(a)      on another thread: a waits for the next cycle
 *       take -> NULL
 *     end                                      something is pending: a
 *
 * An item is 16 bytes of the embedder's memory, and posting allocates nothing.
 * It belongs to one set from its initialisation on. Its states:
 *
 *             post                       take, mark called
 *     idle ---------> pending --------------------------> idle
 *      |                 |  post within, waits outside     ^
 *      |                 `-----> wanted in this cycle -----'
 *      `-- close --> closed, for ever
 *
 * A post has two steps: a claim, which decides who posts, and a push. Between
 * the two the claimer may take references for the call to come, or withdraw. A
 * claim that is neither pushed nor withdrawn makes its item pending for ever.
 * Three ways to post:
 *
 *     any thread           claim, push: a compare-exchange and an exchange
 *     the thread that a set is bound to, outside its cycles
 *                          will_own, claim, push_owner: the compare-exchange
 *     the thread that runs the cycle, while it runs
 *                          claim_within, push_within: there an item that has
 *                          been called is told from one that has not
 *
 * Cycles. One thread at a time consumes: begin, take until NULL (or until a
 * limit is reached), end. A cycle may be nested in what the caller does with
 * an item; nested cycles belong to the outermost one. An item called in a cycle
 * is not called again before the next outermost one:
 *
 *     posted within the cycle    to an item not yet called: called in this one
 *                                to one called: kept for the next
 *     posted by another thread   waits for the next or for a nested one; but
 *                                is called in this one if it was pending in it,
 *                                or is posted within it as well
 *
 * Owed:
 *   - An item is called at most once in a cycle, and at least once after each
 *     post to one that is not closed: that call sees what the poster stored
 *     before it (see Values).
 *   - Items are called in the order of posting, as far as posts are ordered
 *     (by one thread or by the program's synchronisation). Items that a limit
 *     left come first in the next cycle, then those kept, then the rest; items
 *     posted within a cycle come behind what the cycle has taken.
 *   - A push that makes the set non-empty says so: wake the consumer.
 *   - Nothing waits for another thread but take and begin, which wait for a
 *     producer inside its push, a few instructions (base/queue.h).
 *
 * Values. If the values that posts tell of are guarded by the program (a lock,
 * one thread), nothing more is needed. Values that any thread reads and writes
 * at any time need three things, or a change between a post and a call is lost
 * on processors with store buffers (all of today's): the writer stores with
 * seq_cst order before it posts, the consumer reads with seq_cst order, and
 * `any_thread` of obv__coalescing_init() is true by then.
 *
 * Marks are an embedder's notes "all of these are pending", which go stale.
 *
 * Posts, closes and the cycle's number are for any thread; all else belongs to
 * the thread that consumes at that time. The path of every delivery is inline
 * here. The steps S1 to D6, and the arguments that comments name by number,
 * stand in coalescing_set.c.
 */
#ifndef OBV_COALESCING_SET_H
#define OBV_COALESCING_SET_H

#include "base/queue.h"

/** An item that can be posted; embedded in the caller's memory. It must stay
    valid while it is pending. */
struct obv__coalescing_item {
    struct obv__queue_node link;
    /** Bits 0-1 state, 2 and 3 PERHAPS and ASKS, 4-47 cycle of the last call,
        48-63 the embedder's tag. An item last called exactly 2^43 cycles ago
        (months at a million a second) is taken for called. */
    uint64_t word;
};

/** The state of an item. Bit 0 is set exactly while it is pending. */
enum obv__coalescing_state {
    OBV__COALESCING_IDLE = 0,
    OBV__COALESCING_PENDING = 1,
    /** Takes no more posts. */
    OBV__COALESCING_CLOSED = 2,
    /** Pending, and the running cycle's own thread has posted it as well. */
    OBV__COALESCING_WANTED = 3
};

enum { OBV__ITEM_CYCLE_SHIFT = 4, OBV__ITEM_TAG_SHIFT = 48 };

#define OBV__ITEM_STATE UINT64_C(3)
/* Only posts "perhaps" have come, so the embedder decides before the call
   whether to call the item. Set only while the item is pending. */
#define OBV__ITEM_PERHAPS UINT64_C(4)
/* The first post "perhaps" sets this bit for good: from then on the embedder
   calls the item on a slower path, which decides first. */
#define OBV__ITEM_ASKS  UINT64_C(8)
#define OBV__ITEM_TAG   (UINT64_C(0xFFFF) << OBV__ITEM_TAG_SHIFT)
#define OBV__ITEM_CYCLE (~(OBV__ITEM_TAG | UINT64_C(15)))

struct obv__coalescing_set {
    const bool *any_thread; /* the pointer is constant; see _init() */
    /* Read by any thread, written by the consumer. */
    uint64_t cycle;    /* odd while a cycle runs */
    uint32_t unshared; /* an item may wait where only the consumer looks */
    /* Written by any thread. */
    uint32_t marked; /* a mark may stand for an item that waits here */
    /* The consumer's own. */
    uint32_t depth; /* nested cycles that run */
    bool sift;      /* a wanted item may wait in `later` or `shared` */
    bool foreign;   /* `later` may have other threads' posts of this cycle */
    bool mixed;     /* `later` may have other threads' posts of any time */
    bool outside;   /* `current` may have posts from outside of cycles */
    /* Cycles in a row that began with nothing but what the one before had
       posted, up to the one numbered `within_at`. */
    uint32_t within;
    uint64_t within_at;
    struct obv__queue_chain current; /* this cycle's, or what a limit left */
    struct obv__queue_chain later;   /* for the next cycle or a nested one */
    struct obv__queue_chain owned;   /* posted by the owner, no cycle running */
    struct obv__queue shared;        /* posted by any thread */
};

/** Makes an empty set in the caller's memory; there is no deinit. `any_thread`
    outlives the set. While it is true, calls are ordered for values that any
    thread reads and writes (see Values), at some 5 ns each. The program stores
    true there, by a release and for good, before another thread can post an
    item for such a value: the push carries that store to
    obv__coalescing_mark_called() (argument 1). */
void obv__coalescing_init(struct obv__coalescing_set *set,
                          const bool *any_thread);

/* Items ------------------------------------------------------------------- */

static inline enum obv__coalescing_state obv__item_state_of(uint64_t word)
{
    return (enum obv__coalescing_state)(word & OBV__ITEM_STATE);
}

static inline uint64_t obv__item_with_state(uint64_t word,
                                            enum obv__coalescing_state state)
{
    return (word & ~OBV__ITEM_STATE) | (uint64_t)state;
}

static inline bool obv__item_is_pending(uint64_t word)
{
    return (word & 1) != 0;
}

/** Makes an item ready: idle, never called. The set keeps the tag as it is. */
static inline void obv__item_init(struct obv__coalescing_item *item,
                                  uint16_t tag)
{
    /* Relaxed: whoever shows the item to other threads orders this. */
    obv__store_relaxed(&item->word, (uint64_t)tag << OBV__ITEM_TAG_SHIFT);
}

static inline uint16_t obv__item_tag(const struct obv__coalescing_item *item)
{
    /* Relaxed: the tag is constant. */
    return (uint16_t)(obv__load_relaxed(&item->word) >> OBV__ITEM_TAG_SHIFT);
}

/** The item's word at this moment. Pending promises a call that begins after this
    load, under the conditions of Values; CLOSED is final. */
static inline uint64_t obv__item_word(const struct obv__coalescing_item *item)
{
    /* seq_cst (S4): pairs with D3. Without it an any-thread value could be
       stored after the call has read it while we still find the old claim. */
    return obv__load_seq_cst(&item->word);
}

/** Moves an idle item of which `word` was found to `state`, and sets `bits`
    with it; answers the word that was found last: idle if it was moved. */
static inline uint64_t obv__item_move_idle(struct obv__coalescing_item *item,
                                           uint64_t word,
                                           enum obv__coalescing_state state,
                                           uint64_t bits)
{
    /* Repeats only if the item was claimed and called in between (the consumer
       made progress): any other change makes it not idle. */
    while (obv__item_state_of(word) == OBV__COALESCING_IDLE) {
        /* seq_cst (S5): acquires D3, so that the link we write next is read no
           more; and where it fails, it is S4 again. */
        if (obv__cas_seq_cst(&item->word, &word,
                             obv__item_with_state(word, state) | bits)) {
            break;
        }
    }
    return word;
}

/** The state at this moment, as obv__item_word(). */
static inline enum obv__coalescing_state
obv__item_state(const struct obv__coalescing_item *item)
{
    return obv__item_state_of(obv__item_word(item));
}

/** Closes an item that is idle, so that no post gets in any more; whether it is
    closed now. Then the memory may be given back once no other thread can still
    reach the item to look at its state. Any thread; one compare-exchange. */
static inline bool obv__coalescing_close(struct obv__coalescing_item *item)
{
    return !obv__item_is_pending(obv__item_move_idle(
        item, obv__item_word(item), OBV__COALESCING_CLOSED, 0));
}

/* Posts ------------------------------------------------------------------- */

/** The first half of a post to an item that was found idle: whether it is the
    caller's to push or withdraw; else there is nothing to push. Any thread. */
OBV__INLINE bool obv__coalescing_claim_idle(struct obv__coalescing_item *item,
                                            uint64_t word)
{
    /* seq_cst (S5), as in obv__item_move_idle(). IDLE is 0. */
    return obv__cas_seq_cst(&item->word, &word,
                            word | OBV__COALESCING_PENDING) ||
           obv__item_state_of(obv__item_move_idle(
               item, word, OBV__COALESCING_PENDING, 0)) == OBV__COALESCING_IDLE;
}

/** The bits of a post "perhaps". */
#define OBV__ITEM_POST_PERHAPS (OBV__ITEM_PERHAPS | OBV__ITEM_ASKS)

/** Claims an item for a post: true if it is the caller's to push. `bits` 0
    makes its call certain; OBV__ITEM_POST_PERHAPS leaves it to the embedder to
    decide before the call, unless a pending post has made it certain. */
bool obv__coalescing_claim_with(struct obv__coalescing_item *item,
                                uint64_t bits);

/** Adds a post with `bits` to an item that was found pending, as
    obv__coalescing_claim_with(). False: the item is idle by now, and
    unchanged. */
bool obv__coalescing_confirm(struct obv__coalescing_item *item, uint64_t bits);

/** Sets OBV__ITEM_ASKS: from the next post of any kind on, the embedder decides
    before the call. */
void obv__coalescing_will_ask(struct obv__coalescing_item *item);

/** Takes a claim back; posts that met it meanwhile are lost with it. */
void obv__coalescing_withdraw(struct obv__coalescing_item *item);

/** The second half; whether the set was empty. */
static inline bool obv__coalescing_push(struct obv__coalescing_set *set,
                                        struct obv__coalescing_item *item)
{
    return obv__queue_push(&set->shared, &item->link);
}

/** Whether the consumer's own lists are empty. Threads: the consumer. */
static inline bool
obv__coalescing_own_is_empty(const struct obv__coalescing_set *set)
{
    return ((uintptr_t)set->current.first | (uintptr_t)set->later.first |
            (uintptr_t)set->owned.first) == 0;
}

/** Whether `item`, which the owner has just pushed to itself, is all that waits
    where only the consumer looks. */
static inline bool
obv__coalescing_own_is_only(const struct obv__coalescing_set *set,
                            const struct obv__coalescing_item *item)
{
    return ((uintptr_t)set->current.first | (uintptr_t)set->later.first) == 0 &&
           set->owned.first == &item->link;
}

/** Appends an item behind everything that is pending; the consumer's. It goes
    to the list `own`, or to the shared queue while that holds posts of other
    threads, which may have come first. Answers whether the set was empty. */
static inline bool
obv__coalescing_push_behind(struct obv__coalescing_set *set,
                            struct obv__queue_chain *own,
                            struct obv__coalescing_item *item)
{
    if (OBV__UNLIKELY(!obv__queue_is_empty_here(&set->shared))) {
        return obv__coalescing_push(set, item);
    }
    bool first = obv__coalescing_own_is_empty(set);
    obv__chain_append(own, &item->link);
    return first;
}

/** Sets `unshared` before the owner claims an item that it will push to its own
    list: walks that make marks look at that flag (argument 7). */
static inline void obv__coalescing_will_own(struct obv__coalescing_set *set)
{
    /* Relaxed, both: only the consumer writes it, and the claim that follows is
       the full fence of argument 7. */
    if (!obv__load_relaxed(&set->unshared)) {
        obv__store_relaxed(&set->unshared, 1);
    }
}

/** The second half of a post by the owner, which no cycle of this set runs on;
    whether the set was empty. The first half is obv__coalescing_will_own() and a
    claim. */
static inline bool obv__coalescing_push_owner(struct obv__coalescing_set *set,
                                              struct obv__coalescing_item *item)
{
    return obv__coalescing_push_behind(set, &set->owned, item);
}

/**
 * The first half of a post on the thread that runs the cycle, while it runs:
 * the item is to be called in this cycle; or in the next one, if it has been
 * called in this. `bits`: as in obv__coalescing_claim_with().
 *
 * An item that another thread has posted since the cycle began is called in
 * this cycle, too. One exception: if that thread is just between its two
 * steps, so that the item is not queued yet, it is called in the next.
 */
bool obv__coalescing_claim_within(struct obv__coalescing_set *set,
                                  struct obv__coalescing_item *item,
                                  uint64_t bits);

/** The second half, in the same outermost cycle. */
void obv__coalescing_push_within(struct obv__coalescing_set *set,
                                 struct obv__coalescing_item *item);

/* Marks ------------------------------------------------------------------- */

/** The cycle's number: it grows by one at each outermost begin and end, and is
    odd while a cycle runs. Any thread; even: what cycles before it did is seen. */
static inline uint64_t
obv__coalescing_cycle(const struct obv__coalescing_set *set)
{
    /* seq_cst, which is acquire for D6 in obv__coalescing_end_cycle(), and
       pairs with the exchange of D1 for any-thread values; a plain load on x86. */
    return obv__load_seq_cst(&set->cycle);
}

/**
 * Whether a mark may stand for an item of this set. To be asked after the cycle
 * was read as `cycle`, and then the item was found pending. If so,
 * obv__coalescing_forget_marks() will answer true to the consumer before D3 of
 * the item's call. Argument 7.
 *
 * @param own  this is the only thread that consumes.
 */
static inline bool obv__coalescing_begin_mark(struct obv__coalescing_set *set,
                                              uint64_t cycle, bool own)
{
    if (cycle & 1) {
        return false;
    }
    if (obv__load_seq_cst(&set->marked) == 0) {
        if (own) {
            /* Release, pairs with the load above on other threads: they see
               that the cycles before this are over. */
            obv__store_release(&set->marked, 1);
        } else {
            /* seq_cst: a fence between this and the two loads below. */
            obv__exchange_seq_cst(&set->marked, 1);
        }
    }
    /* seq_cst, both, in this order (argument 7). */
    return own || (obv__load_seq_cst(&set->unshared) == 0 &&
                   obv__coalescing_cycle(set) == cycle);
}

/** Whether a mark may stand for an item that was taken; asked between taking
    and D3, by the consumer, who makes all marks stale then. */
static inline bool obv__coalescing_forget_marks(struct obv__coalescing_set *set)
{
    /* Seq_cst: it stays behind the exchange that has taken the item, or behind
       the claim of this thread (argument 7); a plain load on x86. */
    if (obv__load_seq_cst(&set->marked) == 0) {
        return false;
    }
    /* Relaxed: what makes marks stale is a full fence and follows. */
    obv__store_relaxed(&set->marked, 0);
    return true;
}

/* Cycles ------------------------------------------------------------------ */

/** Whether nothing is pending; what other threads post meanwhile may be missed. */
static inline bool
obv__coalescing_is_empty(const struct obv__coalescing_set *set)
{
    return obv__coalescing_own_is_empty(set) &&
           obv__queue_is_empty(&set->shared);
}

/** A cheaper obv__coalescing_is_empty() for the consumer while no cycle runs:
    it reads a flag, not its lists, and may answer false for an empty set. */
static inline bool
obv__coalescing_is_idle(const struct obv__coalescing_set *set)
{
    /* Relaxed: our own. */
    return !obv__load_relaxed(&set->unshared) &&
           obv__queue_is_empty_here(&set->shared);
}

/** Moves the posts of other threads behind a list; whether there were any. */
static inline bool obv__coalescing_take_shared(struct obv__coalescing_set *set,
                                               struct obv__queue_chain *behind)
{
    struct obv__queue_chain taken;
    if (!obv__queue_take(&set->shared, &taken)) {
        return false;
    }
    obv__chain_join(behind, &taken);
    return true;
}

/** D1, while no cycle runs: the first half of obv__coalescing_begin(). */
static inline void obv__coalescing_begin_cycle(struct obv__coalescing_set *set)
{
    uint64_t odd = obv__load_relaxed(&set->cycle) + 1; /* our own */
    set->depth = 1;
    /* Relaxed: who needs the exchange has set it before a post that D2 gets;
       a value stored by nobody's post is not the set's to order. */
    if (OBV__UNLIKELY(obv__load_relaxed(set->any_thread))) {
        /* seq_cst (D1): pairs with a poster's seq_cst load of the number. */
        obv__exchange_seq_cst(&set->cycle, odd);
    } else {
        /* Release (D1), pairs with the acquire in obv__coalescing_cycle(). It
           stands before every D3, which releases it too. */
        obv__store_release(&set->cycle, odd);
    }
}

/** obv__coalescing_gather() where an earlier cycle has left or posted items. */
OBV__NOINLINE void obv__coalescing_gather_left(struct obv__coalescing_set *set);

/** The second half of obv__coalescing_begin(): moves everything that is pending
    into `current` (D2 among it). */
static inline void obv__coalescing_gather(struct obv__coalescing_set *set)
{
    if (OBV__UNLIKELY(set->current.first || set->later.first)) {
        obv__coalescing_gather_left(set);
        return;
    }
    /* Field by field: the copy of a struct whose parts have just been stored
       waits for them. */
    set->current.first = set->owned.first;
    set->current.last = set->owned.last;
    set->owned.first = NULL;
    set->outside = true;
    (void)obv__coalescing_take_shared(set, &set->current);
}

/** Begins a cycle, or one nested in the running one, and takes everything that
    is pending. */
void obv__coalescing_begin(struct obv__coalescing_set *set);

/** How many cycles in a row have begun with nothing but what the one before had
    posted, this one included. Threads: the consumer, inside a cycle. */
static inline uint32_t
obv__coalescing_within(const struct obv__coalescing_set *set)
{
    /* Relaxed: our own. */
    return set->within_at == obv__load_relaxed(&set->cycle) ? set->within : 0;
}

/** Sends what is wanted, of all that waits for the next cycle, into this one.
    Answers whether there was any (argument 5). */
bool obv__coalescing_sift(struct obv__coalescing_set *set);

/** Whether obv__coalescing_take() may find something; false is certain. */
static inline bool
obv__coalescing_may_have_next(const struct obv__coalescing_set *set)
{
    return set->current.first != NULL || set->sift;
}

/** Whether `item` was called in the cycle that runs. Threads: the consumer. */
static inline bool
obv__coalescing_called(const struct obv__coalescing_set *set,
                       const struct obv__coalescing_item *item)
{
    /* Both relaxed: only this thread writes them. */
    uint64_t cycle = obv__load_relaxed(&set->cycle) << OBV__ITEM_CYCLE_SHIFT;
    uint64_t word = obv__load_relaxed(&item->word);
    return ((word ^ cycle) & OBV__ITEM_CYCLE) == 0;
}

/** The item of a node that is its first member. */
static inline struct obv__coalescing_item *
obv__coalescing_item_of(struct obv__queue_node *node)
{
    return (struct obv__coalescing_item *)node;
}

/** The rest of obv__coalescing_take(): `node`, if not NULL, is to be put off. */
OBV__NOINLINE struct obv__coalescing_item *
obv__coalescing_take_on(struct obv__coalescing_set *set,
                        struct obv__queue_node *node);

/** Takes out the next item to call, or NULL: nothing is left for this cycle. It is
    out of the lists, and pending until obv__coalescing_mark_called(). */
static inline struct obv__coalescing_item *
obv__coalescing_take(struct obv__coalescing_set *set)
{
    struct obv__queue_node *node = obv__chain_next(&set->current);
    struct obv__coalescing_item *item = obv__coalescing_item_of(node);
    if (OBV__UNLIKELY(!node || obv__coalescing_called(set, item))) {
        return obv__coalescing_take_on(set, node);
    }
    return item;
}

/** obv__coalescing_gather() and the first obv__coalescing_take() of a cycle
    that has just begun: nothing was called in it. Mostly that item is the only
    one, so it is handed over without passing through `current`. NULL: nothing
    is pending, or everything that is pending is in `current`. */
OBV__INLINE struct obv__coalescing_item *
obv__coalescing_gather_first(struct obv__coalescing_set *set)
{
    struct obv__queue_chain all;
    all.first = set->owned.first;
    if (OBV__UNLIKELY(set->current.first || set->later.first ||
                      (all.first && !obv__queue_is_empty_here(&set->shared)))) {
        obv__coalescing_gather(set);
        return NULL;
    }
    if (all.first) {
        all.last = set->owned.last;
        set->owned.first = NULL;
    } else if (!obv__queue_take(&set->shared, &all)) {
        return NULL;
    }
    if (OBV__UNLIKELY(all.first != all.last)) {
        set->current.first = obv__queue_linked(all.first);
        set->current.last = all.last;
    }
    return obv__coalescing_item_of(all.first);
}

/** D3, the second half of a take: the item becomes idle, and counts as called
    in this cycle. If any thread may post, answers whether a post "perhaps" has
    come by now: the caller may have read the item's word before it. */
static inline bool
obv__coalescing_mark_called(struct obv__coalescing_set *set,
                            struct obv__coalescing_item *item)
{
    /* Relaxed, all three: the word of an item in our list is ours; so is the
       number; and the post of this item came after any_thread was set, if
       this item needs it (argument 1). */
    uint64_t cycle = obv__load_relaxed(&set->cycle) << OBV__ITEM_CYCLE_SHIFT;
    uint64_t kept =
        obv__load_relaxed(&item->word) & (OBV__ITEM_TAG | OBV__ITEM_ASKS);
    uint64_t word = kept | (cycle & OBV__ITEM_CYCLE) | OBV__COALESCING_IDLE;
    bool asked = false;
    if (OBV__UNLIKELY(obv__load_relaxed(set->any_thread))) {
        /* seq_cst (D3), pairs with S4 in obv__item_word(): the read of the
           value that follows must not be done before others see the item
           idle. */
        asked =
            (obv__exchange_seq_cst(&item->word, word) & OBV__ITEM_ASKS) != 0;
    } else {
        /* Release (D3), pairs with S5: the next poster writes the link that
           we have read. */
        obv__store_release(&item->word, word);
    }
    /* Keeps D4, and the embedder's look whether the item is still in use,
       behind D3; pairs with a membarrier on the other side. */
    obv__compiler_barrier();
    return asked;
}

/** In the place of D3: makes an item idle without a call, if only posts
    "perhaps" have come. False: its call is certain, so the item is to be marked
    as called. Threads: the consumer. */
bool obv__coalescing_leave_uncalled(struct obv__coalescing_item *item);

/** Ends the outermost cycle. Items not called stay pending, and the caller sees
    to it that another cycle comes. Answers whether nothing waits where only the
    consumer looks. */
static inline bool obv__coalescing_end_cycle(struct obv__coalescing_set *set)
{
    if (OBV__UNLIKELY(set->sift)) {
        /* A limit has ended the cycle: what it wanted comes first in the next. */
        (void)obv__coalescing_sift(set);
    }
    bool own_is_empty = obv__coalescing_own_is_empty(set);
    set->depth = 0;
    /* Release, pairs with the load in obv__coalescing_begin_mark(): who finds 0
       again finds this cycle's number, or a later one. */
    obv__store_release(&set->unshared, !own_is_empty);
    uint64_t even = obv__load_relaxed(&set->cycle) + 1; /* our own */
    /* Release (D6), pairs with the acquire in obv__coalescing_cycle(): who
       finds the cycle over finds all its items idle or still pending. */
    obv__store_release(&set->cycle, even);
    return own_is_empty;
}

/** The same, if nothing waits where only the consumer looks; else answers
    false, and the cycle goes on. */
OBV__INLINE bool
obv__coalescing_end_cycle_if_done(struct obv__coalescing_set *set)
{
    if (OBV__UNLIKELY(!obv__coalescing_own_is_empty(set) || set->sift)) {
        return false;
    }
    set->depth = 0;
    if (obv__load_relaxed(&set->unshared)) {
        obv__store_release(&set->unshared, 0); /* as above */
    }
    /* Release (D6), as above. */
    obv__store_release(&set->cycle, obv__load_relaxed(&set->cycle) + 1);
    return true;
}

/** Takes obv__coalescing_mark_called() back, where the embedder then found no
    reason to call the item: it counts as never called. Threads: the consumer,
    between two takes. */
void obv__coalescing_unmark_called(struct obv__coalescing_item *item);

/** Takes any pending item out, or NULL; after obv__coalescing_withdraw() its post
    is forgotten, and "called in this cycle" stays what it was. */
struct obv__coalescing_item *
obv__coalescing_take_any(struct obv__coalescing_set *set);

/** Ends a nested cycle, or the outermost one. */
static inline void obv__coalescing_end(struct obv__coalescing_set *set)
{
    if (set->depth > 1) {
        set->depth--;
    } else {
        (void)obv__coalescing_end_cycle(set);
    }
}

typedef bool obv__item_test(struct obv__coalescing_item *item);

/** Counts the pending items that `counts` accepts, by a walk; exact while no
    other thread posts. */
size_t obv__coalescing_pending(const struct obv__coalescing_set *set,
                               obv__item_test *counts);

#endif
