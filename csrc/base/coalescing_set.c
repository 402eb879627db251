/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items, states and cycles. The queue between threads is queue.c's; what an
 * item means is its embedder's. The inline functions of the header are argued
 * for here as well.
 *
 * The steps, named as in the arguments below:
 *
 *     S1  a poster stores the value; any-thread values: seq_cst
 *     S4  it loads the item's word; pending: done     obv__item_word()
 *     S5  it claims: compare-exchange idle -> pending obv__item_move_idle()
 *     S6  it pushes: one exchange                     queue.h
 *     D1  the cycle's number becomes odd              ..._begin_cycle()
 *     D2  the shared queue is taken: one exchange     queue.h
 *     D3  one store: called = cycle, state = idle     ..._mark_called()
 *     D4  the caller reads the value
 *     D6  the cycle's number becomes even             ..._end_cycle()
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
 *    taken in this sequence. An append to `later` or `owned` is made only while
 *    the shared queue is empty (one load); else it goes to the shared queue. A
 *    post that happened before such an append, on any thread, is visible to
 *    that load, so it is not overtaken; one that happens after it goes behind
 *    it, since the shared queue is taken last. Posts of the cycle's own thread
 *    that are to be called in the cycle go to `current`; but while other
 *    threads' posts of this cycle wait in `later` or in the shared queue,
 *    behind them in `later`, marked as wanted (5): a nested cycle calls them in
 *    this order, and the cycle itself finds what it wanted by the sift.
 *
 * 5. Wanted (DR-3's corner). The cycle's thread posts an item that another
 *    thread has posted since D2: it waits in `later` or in the shared queue.
 *    It is marked, those two are looked through, and `sift` is set, so that
 *    they are once more when `current` runs empty: wanted items not called in
 *    this cycle go to current, the others to later, in their order. A mark that
 *    was too late for its sift (the item was claimed, and not yet pushed)
 *    stays: a mark is only leave to be called in the cycle that finds it.
 *
 * 6. A number that is read even (acquire, D6) tells that all calls of earlier
 *    cycles are over; and an item found pending then is called in a cycle that
 *    was not yet visible: D1 stands in the place of D3 in argument 1, seq_cst
 *    where D3 is. An embedder's "all are pending" marks may rest on this; it
 *    is why D1 comes before D2 and before every D3.
 *
 * 7. Marks that cost the consumer nothing while there are none. A mark says:
 *    item X is pending, and the consumer makes every mark stale before D3 of X.
 *    A walk that wants one reads the cycle's number, even; finds X pending;
 *    stores `marked`; then finds `unshared` 0, and the number as it was. The
 *    consumer looks at `marked` between taking X and D3 of X. To show: it finds
 *    it set, or has made marks stale since it was set; else there is no mark.
 *    Let a look of X's cycle come before the store of `marked`; all that is
 *    named here is seq_cst or beside a full fence, so there is one order. The
 *    first item of that cycle came from the shared queue or from a list of the
 *    consumer's own. If from the queue, an exchange (D2) stands between D1 and
 *    the look, so the number is not what it was any more. If from a list, then
 *    `unshared` was set before D1: by the owner, with a full fence behind it
 *    (the claim, or an exchange), or by an earlier cycle, before its D6. A walk
 *    that still does not find it set finds it cleared again, and with it the
 *    number of the cycle that has cleared it, which is not what it was either.
 *    A walk that finds `marked` set already takes part in that earlier store of
 *    it. The consumer clears it, then makes marks stale; so what an embedder's
 *    marks compare with is to be read before all of this. The only thread that
 *    ever consumes needs none of it: it stores `marked` while no cycle runs,
 *    and looks at it in its next one.
 */
#include "base/coalescing_set.h"

void obv__coalescing_init(struct obv__coalescing_set *set,
                          const bool *any_thread)
{
    const struct obv__queue_chain none = {NULL, NULL};
    /* Relaxed: whoever shows the set to other threads orders this. */
    obv__store_relaxed(&set->cycle, 0);
    obv__store_relaxed(&set->unshared, 0);
    obv__store_relaxed(&set->marked, 0);
    set->any_thread = any_thread;
    set->depth = 0;
    set->sift = set->foreign = set->mixed = set->outside = false;
    set->within = 0;
    set->within_at = 0;
    set->current = none;
    set->later = none;
    set->owned = none;
    obv__queue_init(&set->shared);
}

/* Posts ------------------------------------------------------------------- */

void obv__coalescing_withdraw(struct obv__coalescing_item *item)
{
    /* Relaxed: while we hold the claim, only the state can change, to wanted,
       and that mark goes with the claim. */
    uint64_t word = obv__load_relaxed(&item->word);
    /* Release, pairs with S5: what we did under the claim is seen by the
       next one that claims. */
    obv__store_release(
        &item->word,
        obv__item_with_state(word & ~OBV__ITEM_PERHAPS, OBV__COALESCING_IDLE));
}

/* Moves items that wait for the next cycle into `current`, in the order of
   posting (DR-4), unless they were called in this cycle: the wanted ones, or
   all of them for a nested cycle. Answers whether `current` has any. */
static bool look_through_waiting(struct obv__coalescing_set *set, bool all)
{
    struct obv__queue_chain waiting = set->later;
    bool mixed = waiting.first && set->mixed;
    set->later.first = NULL;
    set->foreign = false;
    set->mixed = obv__coalescing_take_shared(set, &waiting) || mixed;
    set->outside = (set->current.first && set->outside) || set->mixed;
    set->within_at = set->mixed ? 0 : set->within_at;
    struct obv__queue_node *node;
    while ((node = obv__chain_next(&waiting)) != NULL) {
        struct obv__coalescing_item *item = obv__coalescing_item_of(node);
        /* Relaxed: only we mark, and the item is ours. */
        uint64_t word = obv__load_relaxed(&item->word);
        bool called = obv__coalescing_called(set, item);
        bool now = !called &&
                   (all || obv__item_state_of(word) == OBV__COALESCING_WANTED);
        set->foreign = set->foreign || (!now && !called);
        obv__chain_append(now ? &set->current : &set->later, node);
    }
    return set->current.first != NULL;
}

bool obv__coalescing_sift(struct obv__coalescing_set *set)
{
    set->sift = false;
    return look_through_waiting(set, false);
}

/* Marks an item that another thread has posted as wanted in this cycle, so that
   it is called in this cycle (argument 5). */
static void want(struct obv__coalescing_set *set,
                 struct obv__coalescing_item *item)
{
    /* Relaxed: the caller has just found it pending (S4). */
    uint64_t word = obv__load_relaxed(&item->word);
    /* A compare-exchange: its claimer may be about to withdraw, and a store
       would make the item pending for ever, in no list. */
    do {
        if (obv__item_state_of(word) != OBV__COALESCING_PENDING) {
            return;
        }
    } while (
        !obv__cas_acq_rel(&item->word, &word,
                          obv__item_with_state(word, OBV__COALESCING_WANTED)));
    /* A post by another thread that is wanted by this comes before what the
       consumer posts next (DR-4). If it is not there yet, a later look finds
       it. */
    if (set->foreign || !obv__queue_is_empty(&set->shared)) {
        (void)obv__coalescing_sift(set);
    }
    set->sift = true;
}

bool obv__coalescing_claim_with(struct obv__coalescing_item *item,
                                uint64_t bits)
{
    uint64_t word;
    do {
        word = obv__item_move_idle(item, obv__item_word(item),
                                   OBV__COALESCING_PENDING, bits);
    } while (obv__item_is_pending(word) &&
             !obv__coalescing_confirm(item, bits));
    return obv__item_state_of(word) == OBV__COALESCING_IDLE;
}

bool obv__coalescing_confirm(struct obv__coalescing_item *item, uint64_t bits)
{
    uint64_t word = obv__item_word(item);
    while (obv__item_is_pending(word)) {
        uint64_t next =
            bits ? word | OBV__ITEM_ASKS : word & ~OBV__ITEM_PERHAPS;
        /* Seq_cst: where it fails, it is S4 again. */
        if (next == word || obv__cas_seq_cst(&item->word, &word, next)) {
            return true;
        }
    }
    return obv__item_state_of(word) != OBV__COALESCING_IDLE;
}

void obv__coalescing_will_ask(struct obv__coalescing_item *item)
{
    uint64_t word = obv__load_relaxed(&item->word);
    while (!(word & OBV__ITEM_ASKS) &&
           !obv__cas_seq_cst(&item->word, &word, word | OBV__ITEM_ASKS)) {
    }
}

bool obv__coalescing_leave_uncalled(struct obv__coalescing_item *item)
{
    /* Relaxed: what is tried below decides. */
    uint64_t word = obv__load_relaxed(&item->word);
    while (obv__item_is_pending(word) && (word & OBV__ITEM_PERHAPS)) {
        uint64_t idle = (word & (OBV__ITEM_TAG | OBV__ITEM_ASKS)) |
                        (uint64_t)OBV__COALESCING_IDLE;
        /* Seq_cst, as D3: the look at what is stale follows. */
        if (obv__cas_seq_cst(&item->word, &word, idle)) {
            return true;
        }
    }
    return false;
}

bool obv__coalescing_claim_within(struct obv__coalescing_set *set,
                                  struct obv__coalescing_item *item,
                                  uint64_t bits)
{
    if (obv__coalescing_called(set, item)) {
        return obv__coalescing_claim_with(item, bits);
    }
    uint64_t word = obv__item_move_idle(item, obv__item_word(item),
                                        OBV__COALESCING_WANTED, bits);
    if (obv__item_is_pending(word)) {
        (void)obv__coalescing_confirm(item, bits);
        want(set, item);
    }
    return obv__item_state_of(word) == OBV__COALESCING_IDLE;
}

void obv__coalescing_push_within(struct obv__coalescing_set *set,
                                 struct obv__coalescing_item *item)
{
    if (obv__coalescing_called(set, item)) {
        (void)obv__coalescing_push_behind(set, &set->later, item);
    } else if (set->foreign || !obv__queue_is_empty_here(&set->shared)) {
        /* Other threads' posts came before it, and a nested cycle calls them
           first (DR-4): it waits behind them, wanted. */
        (void)obv__coalescing_take_shared(set, &set->later);
        obv__chain_append(&set->later, &item->link);
        set->sift = set->foreign = set->mixed = true;
    } else {
        set->outside = set->outside && set->current.first != NULL;
        obv__chain_append(&set->current, &item->link);
    }
}

/* Cycles ------------------------------------------------------------------ */

void obv__coalescing_gather_left(struct obv__coalescing_set *set)
{
    uint64_t cycle = obv__load_relaxed(&set->cycle); /* our own */
    bool outside = (set->current.first && set->outside) ||
                   (set->later.first && set->mixed) || set->owned.first;
    obv__chain_join(&set->current, &set->later);
    obv__chain_join(&set->current, &set->owned);
    outside = obv__coalescing_take_shared(set, &set->current) || outside;
    set->foreign = set->mixed = false;
    set->outside = outside;
    if (outside) {
        set->within_at = 0;
    } else {
        set->within = set->within_at + 2 == cycle ? set->within + 1 : 1;
        set->within_at = cycle;
    }
}

void obv__coalescing_begin(struct obv__coalescing_set *set)
{
    if (set->depth != 0) {
        set->depth++;
        (void)look_through_waiting(set, true);
        return;
    }
    obv__coalescing_begin_cycle(set);
    obv__coalescing_gather(set);
}

void obv__coalescing_unmark_called(struct obv__coalescing_item *item)
{
    uint64_t word = obv__load_acquire(&item->word);
    /* A post may meanwhile make it pending: its state stays as it is. */
    while (!obv__cas_acq_rel(&item->word, &word, word & ~OBV__ITEM_CYCLE)) {
    }
}

struct obv__coalescing_item *
obv__coalescing_take_on(struct obv__coalescing_set *set,
                        struct obv__queue_node *node)
{
    for (;;) {
        if (node) {
            /* Another thread's post, taken by a nested cycle: for the next. */
            obv__chain_append(&set->later, node);
        } else if (set->depth == 0 || !set->sift ||
                   !obv__coalescing_sift(set)) {
            return NULL;
        }
        node = obv__chain_next(&set->current);
        if (node &&
            !obv__coalescing_called(set, obv__coalescing_item_of(node))) {
            return obv__coalescing_item_of(node);
        }
    }
}

struct obv__coalescing_item *
obv__coalescing_take_any(struct obv__coalescing_set *set)
{
    obv__chain_join(&set->current, &set->later);
    obv__chain_join(&set->current, &set->owned);
    obv__coalescing_take_shared(set, &set->current);
    struct obv__queue_node *node = obv__chain_next(&set->current);
    return node ? obv__coalescing_item_of(node) : NULL;
}

/* Counts the items of a list up to `last`, or up to a link that its producer
   has not stored yet. */
static size_t count_pending(struct obv__queue_node *node,
                            const struct obv__queue_node *last,
                            obv__item_test *counts)
{
    size_t count = 0;
    while (node) {
        count += counts(obv__coalescing_item_of(node));
        /* Acquire, pairs with the link of a push. */
        node = node == last ? NULL : obv__load_acquire(&node->next);
    }
    return count;
}

size_t obv__coalescing_pending(const struct obv__coalescing_set *set,
                               obv__item_test *counts)
{
    /* Acquire, as above. */
    struct obv__queue_node *shared = obv__load_acquire(&set->shared.stub->next);
    return count_pending(set->current.first, set->current.last, counts) +
           count_pending(set->later.first, set->later.last, counts) +
           count_pending(set->owned.first, set->owned.last, counts) +
           count_pending(shared, NULL, counts);
}
