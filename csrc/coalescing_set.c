/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items, states and cycles of observable/coalescing_set.h. The queue between
 * threads is queue.c's; what an item means is its embedder's.
 *
 * The steps, named as in the arguments below:
 *
 *     S1  a poster stores the value; any-thread values: seq_cst
 *     S4  it loads the item's word; pending: done     claim()
 *     S5  it claims: compare-exchange idle -> pending claim()
 *     S6  it pushes: one exchange                     queue.c
 *     D1  the cycle's number becomes odd              obv_coalescing_begin()
 *     D2  the shared queue is taken: one exchange     queue.c
 *     D3  one store: called = cycle, state = idle     ..._mark_called()
 *     D4  the caller reads the value
 *     D6  the cycle's number becomes even             obv_coalescing_end()
 *
 * 1. No lost change. Let a post find the item pending in S4 (or S5), by some
 *    claim; the call of that claim does D3, then D4. To show: D4 sees S1.
 *    Values that the program guards: its own order puts S1 before D4 or D4
 *    before S1. If D4 were first, then D3, D4, S1, S4 would happen in that
 *    order, and S4 would have to see D3's idle. So S1 came first. No fence is
 *    needed, only that D3 stands before D4 in the program.
 *    Any-thread values: S1, S4, S5, D3 and D4 are seq_cst. S4 found the state
 *    before D3, so it precedes D3 in the single order; S1 precedes S4, D3
 *    precedes D4; so D4 sees S1. If D3 were a plain store, D4 could be done
 *    while D3 is still in the store buffer, and S1 and S4 between the two.
 *    The poster of such a value was shown its item after `any_thread` was set,
 *    and D3 looks at it after it got that item, so D3 does see it set.
 *
 * 2. No item twice in a list. Only the one that wins the compare-exchange of
 *    S5 pushes it, and it stays pending until it is out of its list (D3 comes
 *    after chain_next() has read its link). So `link` has one writer at a time.
 *    While an item is pending its word is written by its claimer (withdraw),
 *    before the push, and by the consumer: D3, and pending -> wanted, which
 *    is a compare-exchange since the claimer might withdraw meanwhile.
 *
 * 3. At most once a cycle. `called` is written by D3 only and read by the
 *    consumer; an item popped with called == cycle is put off, and one posted
 *    within the cycle is dropped or put off. Posts of other threads go to the
 *    shared queue, which a cycle takes at its begin; later takes (nested
 *    cycles, the sift) pass through the same test. The number is odd in every
 *    cycle, so 0, an item never called, is never taken for one called.
 *
 * 4. Order. Everything pending stands in current, later, owned, shared, and is
 *    taken in this sequence. An append to `later` or `owned` is made only
 *    while the shared queue is empty (one load); else it goes to the shared
 *    queue. A post that happened before such an append, on any thread, is
 *    visible to that load, so it is not overtaken; one that happens after it
 *    goes behind it, since the shared queue is taken last.
 *
 * 5. Wanted (DR-3's corner). The cycle's thread posts an item that another
 *    thread has posted since D2: it waits in `later` or in the shared queue.
 *    It is marked, and `sift` is set; when `current` runs empty, those two are
 *    looked through once: wanted items not called in this cycle go to current,
 *    the others to later, in their order. A mark that was too late for its
 *    sift (the item was claimed, and not yet pushed) stays: a mark is only
 *    leave to be called in the cycle that finds it.
 *
 * 6. A number that is read even (acquire, D6) tells that all calls of earlier
 *    cycles are over; and an item found pending then is called in a cycle that
 *    was not yet visible: D1 stands in the place of D3 in argument 1, seq_cst
 *    where D3 is. This is what an embedder's "all are pending" marks rest on,
 *    and why D1 comes before D2 and before every D3.
 */
#include "coalescing_set.h"

#include "memory.h"
#include "platform/lock.h"

struct owned_set {
    struct obv_coalescing_set set;
    struct obv_allocator allocator;
};

void obv__coalescing_init(struct obv_coalescing_set *set,
                          void (*begun)(void *context), void *begun_context)
{
    const struct obv_queue_chain none = {NULL, NULL};
    /* Relaxed: whoever shows the set to other threads orders this. */
    obv__store_relaxed(&set->cycle, 0);
    obv__store_relaxed(&set->any_thread, 0);
    set->depth = 0;
    set->sift = false;
    set->begun = begun;
    set->begun_context = begun_context;
    set->current = none;
    set->later = none;
    set->owned = none;
    obv__queue_init(&set->shared);
}

enum obv_status
obv_coalescing_create(const struct obv_allocator *allocator,
                      const struct obv_coalescing_options *options,
                      struct obv_coalescing_set **set)
{
    static const struct obv_coalescing_options defaults = {.size =
                                                               sizeof defaults};
    const struct obv_coalescing_options *with = options ? options : &defaults;
    if (!set || with->size != sizeof *with) {
        return OBV_E_ARGUMENT;
    }
    struct obv_allocator given;
    obv__allocator_init(&given, allocator);
    struct owned_set *owned = obv__allocate(&given, sizeof *owned);
    if (!owned) {
        return OBV_E_MEMORY;
    }
    owned->allocator = given;
    obv__coalescing_init(&owned->set, with->begun, with->begun_context);
    *set = &owned->set;
    return OBV_OK;
}

void obv_coalescing_destroy(struct obv_coalescing_set *set)
{
    if (!set) {
        return;
    }
    struct owned_set *owned = (struct owned_set *)set;
    struct obv_allocator allocator = owned->allocator;
    obv__free(&allocator, owned, sizeof *owned);
}

void obv_coalescing_allow_any_thread(struct obv_coalescing_set *set)
{
    /* Release; the caller shows items to posters after this, and their push is
       what carries it to obv__coalescing_mark_called() (argument 1). */
    obv__store_release(&set->any_thread, 1);
}

/* Items ------------------------------------------------------------------- */

static enum obv_coalescing_state state_of(uint64_t word)
{
    return (enum obv_coalescing_state)(word & OBV__ITEM_STATE);
}

static uint64_t with_state(uint64_t word, enum obv_coalescing_state state)
{
    return (word & ~OBV__ITEM_STATE) | (uint64_t)state;
}

static bool is_pending(uint64_t word)
{
    return (word & 1) != 0;
}

static struct obv_coalescing_item *item_of(struct obv_queue_node *node)
{
    return (struct obv_coalescing_item *)node; /* its first member */
}

void obv_coalescing_item_init(struct obv_coalescing_item *item, uint16_t tag)
{
    /* Relaxed: whoever shows the item to other threads orders this. */
    obv__store_relaxed(&item->word, (uint64_t)tag << OBV__ITEM_TAG_SHIFT);
}

uint16_t obv_coalescing_item_tag(const struct obv_coalescing_item *item)
{
    /* Relaxed: the tag is constant. */
    return (uint16_t)(obv__load_relaxed(&item->word) >> OBV__ITEM_TAG_SHIFT);
}

enum obv_coalescing_state
obv_coalescing_item_state(const struct obv_coalescing_item *item)
{
    /* seq_cst: S4 of argument 1, for callers that look before they post. */
    return state_of(obv__load_seq_cst(&item->word));
}

/* Moves an idle item to `state`; answers the word that was found: idle if it
   was moved. */
static uint64_t move_idle(struct obv_coalescing_item *item,
                          enum obv_coalescing_state state)
{
    /* seq_cst (S4): pairs with D3. Without it an any-thread value could be
       stored after the call has read it while we still find the old claim. */
    uint64_t word = obv__load_seq_cst(&item->word);
    /* Repeats only if the item was claimed and called in between (the consumer
       made progress): any other change makes it not idle. */
    while (state_of(word) == OBV_COALESCING_IDLE) {
        /* seq_cst (S5): acquires D3, so that the link we write next is read no
           more; and where it fails, it is S4 again. */
        if (obv__cas_seq_cst(&item->word, &word, with_state(word, state))) {
            break;
        }
    }
    return word;
}

enum obv_coalescing_close
obv_coalescing_item_close(struct obv_coalescing_item *item)
{
    uint64_t found = move_idle(item, OBV_COALESCING_CLOSED);
    if (is_pending(found)) {
        return OBV_CLOSE_PENDING;
    }
    return state_of(found) == OBV_COALESCING_IDLE ? OBV_CLOSED
                                                  : OBV_CLOSED_ALREADY;
}

static enum obv_coalescing_post claim(struct obv_coalescing_item *item,
                                      enum obv_coalescing_state state)
{
    uint64_t found = move_idle(item, state);
    if (is_pending(found)) {
        return OBV_POST_PENDING;
    }
    return state_of(found) == OBV_COALESCING_IDLE ? OBV_POSTED
                                                  : OBV_POST_CLOSED;
}

/* Posts ------------------------------------------------------------------- */

enum obv_coalescing_post obv__coalescing_claim(struct obv_coalescing_item *item)
{
    return claim(item, OBV_COALESCING_PENDING);
}

void obv__coalescing_withdraw(struct obv_coalescing_item *item)
{
    /* Relaxed: while we hold the claim, only the state can change, to wanted,
       and that mark goes with the claim. */
    uint64_t word = obv__load_relaxed(&item->word);
    /* Release, pairs with S5: what we did under the claim is seen by the
       next one that claims. */
    obv__store_release(&item->word, with_state(word, OBV_COALESCING_IDLE));
}

enum obv_coalescing_post obv__coalescing_push(struct obv_coalescing_set *set,
                                              struct obv_coalescing_item *item)
{
    bool first = obv_queue_push_mpsc(&set->shared, &item->link);
    return first ? OBV_POSTED_FIRST : OBV_POSTED;
}

/* Behind everything that is pending, for a thread that consumes: a list of its
   own, unless other threads' posts, which may have come before, are queued. */
static enum obv_coalescing_post push_behind(struct obv_coalescing_set *set,
                                            struct obv_queue_chain *own,
                                            struct obv_coalescing_item *item)
{
    if (!obv_queue_is_empty(&set->shared)) {
        return obv__coalescing_push(set, item);
    }
    bool first = !set->current.first && !set->later.first && !set->owned.first;
    obv__chain_append(own, &item->link);
    return first ? OBV_POSTED_FIRST : OBV_POSTED;
}

enum obv_coalescing_post
obv__coalescing_push_owner(struct obv_coalescing_set *set,
                           struct obv_coalescing_item *item)
{
    return push_behind(set, &set->owned, item);
}

bool obv__coalescing_called(const struct obv_coalescing_set *set,
                            const struct obv_coalescing_item *item)
{
    /* Both relaxed: only this thread writes them. */
    uint64_t cycle = obv__load_relaxed(&set->cycle) << OBV__ITEM_CYCLE_SHIFT;
    uint64_t word = obv__load_relaxed(&item->word);
    return ((word ^ cycle) & OBV__ITEM_CYCLE) == 0;
}

/* Other threads' posts of this cycle: to be called in it (argument 5). */
static enum obv_coalescing_post want(struct obv_coalescing_set *set,
                                     struct obv_coalescing_item *item)
{
    /* Relaxed: the caller has just found it pending (S4). */
    uint64_t word = obv__load_relaxed(&item->word);
    if (state_of(word) != OBV_COALESCING_PENDING) {
        return OBV_POST_PENDING;
    }
    /* A compare-exchange: its claimer may be about to withdraw, and a store
       would make the item pending for ever, in no list. */
    obv__cas_acq_rel(&item->word, &word,
                     with_state(word, OBV_COALESCING_WANTED));
    set->sift = true;
    return OBV_POST_PENDING;
}

enum obv_coalescing_post
obv__coalescing_claim_within(struct obv_coalescing_set *set,
                             struct obv_coalescing_item *item, bool keep)
{
    if (!obv__coalescing_called(set, item)) {
        enum obv_coalescing_post answer = claim(item, OBV_COALESCING_WANTED);
        return answer == OBV_POST_PENDING ? want(set, item) : answer;
    }
    if (keep) {
        return claim(item, OBV_COALESCING_PENDING);
    }
    /* seq_cst (S4), as in move_idle(). */
    uint64_t word = obv__load_seq_cst(&item->word);
    if (is_pending(word)) {
        return OBV_POST_PENDING;
    }
    return state_of(word) == OBV_COALESCING_IDLE ? OBV_POST_DROPPED
                                                 : OBV_POST_CLOSED;
}

enum obv_coalescing_post
obv__coalescing_push_within(struct obv_coalescing_set *set,
                            struct obv_coalescing_item *item)
{
    if (obv__coalescing_called(set, item)) {
        push_behind(set, &set->later, item);
    } else {
        obv__chain_append(&set->current, &item->link);
    }
    return OBV_POSTED;
}

enum obv_coalescing_post obv_coalescing_post(struct obv_coalescing_set *set,
                                             struct obv_coalescing_item *item)
{
    enum obv_coalescing_post answer = obv__coalescing_claim(item);
    return answer == OBV_POSTED ? obv__coalescing_push(set, item) : answer;
}

enum obv_coalescing_post
obv_coalescing_post_owner(struct obv_coalescing_set *set,
                          struct obv_coalescing_item *item)
{
    enum obv_coalescing_post answer = obv__coalescing_claim(item);
    return answer == OBV_POSTED ? obv__coalescing_push_owner(set, item)
                                : answer;
}

enum obv_coalescing_post
obv_coalescing_post_within(struct obv_coalescing_set *set,
                           struct obv_coalescing_item *item, bool keep)
{
    enum obv_coalescing_post answer =
        obv__coalescing_claim_within(set, item, keep);
    return answer == OBV_POSTED ? obv__coalescing_push_within(set, item)
                                : answer;
}

/* Cycles ------------------------------------------------------------------ */

static void take_shared(struct obv_coalescing_set *set,
                        struct obv_queue_chain *behind)
{
    struct obv_queue_chain taken;
    if (obv_queue_take_mpsc(&set->shared, &taken)) {
        obv__chain_join(behind, &taken);
    }
}

/* D1. */
static void begin_outermost(struct obv_coalescing_set *set)
{
    uint64_t odd = obv__load_relaxed(&set->cycle) + 1; /* our own */
    /* Relaxed: who needs the exchange has set it before a post that D2 gets;
       a value stored by nobody's post is not the set's to order. */
    if (obv__load_relaxed(&set->any_thread)) {
        /* seq_cst (D1): pairs with a poster's seq_cst load of the number. */
        obv__exchange_seq_cst(&set->cycle, odd);
    } else {
        /* Release (D1), pairs with the acquire in obv_coalescing_cycle(). It
           stands before every D3, which releases it too. */
        obv__store_release(&set->cycle, odd);
    }
    if (set->begun) {
        set->begun(set->begun_context);
    }
}

void obv_coalescing_begin(struct obv_coalescing_set *set)
{
    if (set->depth++ == 0) {
        begin_outermost(set);
    }
    obv__chain_join(&set->current, &set->later);
    obv__chain_join(&set->current, &set->owned);
    take_shared(set, &set->current);
}

void obv__coalescing_mark_called(struct obv_coalescing_set *set,
                                 struct obv_coalescing_item *item)
{
    /* Relaxed, all three: the word of an item in our list is ours; so is the
       number; and the post of this item came after any_thread was set, if
       this item needs it (argument 1). */
    uint64_t cycle = obv__load_relaxed(&set->cycle) << OBV__ITEM_CYCLE_SHIFT;
    uint64_t tag = obv__load_relaxed(&item->word) & OBV__ITEM_TAG;
    uint64_t word = tag | (cycle & OBV__ITEM_CYCLE) | OBV_COALESCING_IDLE;
    if (obv__load_relaxed(&set->any_thread)) {
        /* seq_cst (D3), pairs with S4 in move_idle(): the read of the value
           that follows must not be done before others see the item idle. */
        obv__exchange_seq_cst(&item->word, word);
    } else {
        /* Release (D3), pairs with S5: the next poster writes the link that
           we have read. */
        obv__store_release(&item->word, word);
    }
    /* Keeps D4, and the embedder's look whether the item is still in use,
       behind D3; pairs with a membarrier on the other side. */
    obv__compiler_barrier();
}

void obv__coalescing_unmark_called(struct obv_coalescing_set *set,
                                   struct obv_coalescing_item *item)
{
    uint64_t word = obv__load_acquire(&item->word);
    uint64_t before = obv__load_relaxed(&set->cycle) - 2;
    uint64_t cycle = (before << OBV__ITEM_CYCLE_SHIFT) & OBV__ITEM_CYCLE;
    /* A post may meanwhile make it pending: its state stays as it is. */
    while (!obv__cas_acq_rel(&item->word, &word,
                             (word & ~OBV__ITEM_CYCLE) | cycle)) {
    }
}

/* Sends what is wanted, of all that waits for the next cycle, into this one.
   Answers whether there was any (argument 5). */
static bool sift(struct obv_coalescing_set *set)
{
    struct obv_queue_chain all = set->later;
    set->later.first = NULL;
    set->sift = false;
    take_shared(set, &all);
    struct obv_queue_node *node;
    while ((node = obv_queue_chain_next(&all)) != NULL) {
        struct obv_coalescing_item *item = item_of(node);
        /* Relaxed: only we mark, and the item is ours. */
        uint64_t word = obv__load_relaxed(&item->word);
        bool now = state_of(word) == OBV_COALESCING_WANTED &&
                   !obv__coalescing_called(set, item);
        obv__chain_append(now ? &set->current : &set->later, node);
    }
    return set->current.first != NULL;
}

struct obv_coalescing_item *obv__coalescing_take(struct obv_coalescing_set *set)
{
    for (;;) {
        struct obv_queue_node *node = obv_queue_chain_next(&set->current);
        if (!node) {
            if (set->depth == 0 || !set->sift || !sift(set)) {
                return NULL;
            }
            continue;
        }
        struct obv_coalescing_item *item = item_of(node);
        if (!obv__coalescing_called(set, item)) {
            return item;
        }
        /* Another thread's post, taken by a nested cycle: for the next. */
        obv__chain_append(&set->later, node);
    }
}

struct obv_coalescing_item *obv_coalescing_next(struct obv_coalescing_set *set)
{
    struct obv_coalescing_item *item = obv__coalescing_take(set);
    if (item) {
        obv__coalescing_mark_called(set, item);
    }
    return item;
}

bool obv_coalescing_end(struct obv_coalescing_set *set)
{
    if (--set->depth == 0) {
        set->sift = false;
        uint64_t even = obv__load_relaxed(&set->cycle) + 1; /* our own */
        /* Release (D6), pairs with the acquire in obv_coalescing_cycle(): who
           finds the cycle over finds all its items idle or still pending. */
        obv__store_release(&set->cycle, even);
    }
    return !obv_coalescing_is_empty(set);
}

struct obv_coalescing_item *
obv__coalescing_take_any(struct obv_coalescing_set *set)
{
    obv__chain_join(&set->current, &set->later);
    obv__chain_join(&set->current, &set->owned);
    take_shared(set, &set->current);
    struct obv_queue_node *node = obv_queue_chain_next(&set->current);
    return node ? item_of(node) : NULL;
}

struct obv_coalescing_item *obv_coalescing_drop(struct obv_coalescing_set *set)
{
    struct obv_coalescing_item *item = obv__coalescing_take_any(set);
    if (item) {
        obv__coalescing_withdraw(item);
    }
    return item;
}

/* Questions --------------------------------------------------------------- */

uint64_t obv_coalescing_cycle(const struct obv_coalescing_set *set)
{
    /* seq_cst, which is acquire for D6 in obv_coalescing_end(), and pairs with
       the exchange of D1 for any-thread values; a plain load on x86. */
    return obv__load_seq_cst(&set->cycle);
}

bool obv_coalescing_in_cycle(const struct obv_coalescing_set *set)
{
    return (obv_coalescing_cycle(set) & 1) != 0;
}

bool obv_coalescing_is_empty(const struct obv_coalescing_set *set)
{
    return !set->current.first && !set->later.first && !set->owned.first &&
           obv_queue_is_empty(&set->shared);
}

size_t obv_coalescing_pending(const struct obv_coalescing_set *set)
{
    return obv__chain_count(&set->current) + obv__chain_count(&set->later) +
           obv__chain_count(&set->owned) + obv__queue_count(&set->shared);
}

/* Whether everything in a chain is pending. */
static bool chain_is_pending(struct obv_queue_chain chain)
{
    struct obv_queue_node *node;
    while ((node = obv_queue_chain_next(&chain)) != NULL) {
        /* Relaxed: ours while it is pending. */
        if (!is_pending(obv__load_relaxed(&item_of(node)->word))) {
            return false;
        }
    }
    return true;
}

bool obv__coalescing_check(const struct obv_coalescing_set *set)
{
    bool odd = (obv__load_relaxed(&set->cycle) & 1) != 0; /* our own */
    struct obv_queue_chain shared = {obv__load_acquire(&set->shared.stub->next),
                                     obv__load_acquire(&set->shared.tail)};
    return odd == (set->depth != 0) && obv__queue_check(&set->shared) &&
           chain_is_pending(set->current) && chain_is_pending(set->later) &&
           chain_is_pending(set->owned) && chain_is_pending(shared);
}
