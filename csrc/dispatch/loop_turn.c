/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns: how the thread that is to drain a loop is woken. One word of a loop
 * with a hook or a descriptor says how far that has come; others do not ring,
 * and have no turns.
 *
 *     NOBODY     nothing is pending that was not told
 *     RINGING    a thread is waking: it looks, then writes to the descriptor
 *     RUNG       it has: the descriptor is readable, the hook was called, or
 *                is about to be
 *     DRAINED    a thread has the loop; the descriptor is not readable
 *
 * While it is RINGING or DRAINED others leave marks beside that: PUSHED, look
 * again; ASKED, wake in any case.
 *
 * W1. No lost wake-up. A poster into an empty set then changes the word by a
 *     read-modify-write, even to what it was. A thread that leaves NOBODY
 *     behind has taken the mark away first, then looked into the set, then made
 *     the change by a compare-exchange. The push's change comes, in the order
 *     of changes of this word, before the mark was taken away: then the look
 *     sees the push; or after it: then the compare-exchange fails, or has been
 *     made and the pusher finds NOBODY and rings by itself. A change that finds
 *     RUNG comes before the one that begins the drain's turn: the drain sees
 *     the push.
 *
 * W2. Not readable while a drain runs. Only who has made the word RINGING
 *     writes to the descriptor, and it is RUNG after that. The thread that
 *     takes the loop waits for that write, and clears what was RUNG.
 *
 * W3. Not readable after a drain that left nothing. While a thread rings no
 *     turn begins, so what it sees in the shared queue stays there until the
 *     word is RUNG. If a drain was there first and has taken the push, the
 *     ringer finds nothing and leaves NOBODY. Items outside of the shared queue
 *     (in a drain's own lists, a bound thread's) were put there by a thread
 *     that then rings, or marks, in any case.
 *
 * W4. The loop is free for whoever is woken: a drain gives the loop back, then
 *     ends its turn. Another thread may take the loop between the two; it waits
 *     for the end of our turn, which is our last look at the loop, or, if we
 *     wake, one that holds a reference. So it may even destroy it.
 *
 * W5. Signal handlers. obv_loop_wake() is atomic operations on this word and a
 *     write(), waits for nothing, and looks at no thread's record. It may have
 *     interrupted a thread anywhere above: what it finds is a state as any.
 */
#include "dispatch/loop.h"
#include "platform/exception.h"

#include "platform/lock.h"

/* The marks, beside the states of enum obv__turn_state. */
enum { STATE = 3, PUSHED = 4, ASKED = 8 };

/* Whether there is something that any thread has left here: a push, or a notice
   of a death or an inbound edit, which are pushes in every word of the above. */
static bool is_wanted(const struct obv_loop *loop)
{
    return !obv__queue_is_empty(&loop->set.shared) ||
           obv__loop_has_notices(loop) || obv__loop_inbound_count(loop) != 0;
}

/* RINGING is ours: tells, and makes it RUNG. */
static void tell_waiters(struct obv_loop *loop)
{
    /* Acquire, pairs with open_taken(): it is open. */
    if (obv__load_acquire(&loop->has_descriptor)) {
        obv__wake_signal(&loop->descriptor);
    }
    /* Marks that came meanwhile go: what they stand for has been told. */
    obv__exchange_acq_rel(&loop->turn, (uint32_t)OBV__TURN_RUNG);
    if (loop->wake) {
        OBV__NO_EXCEPTION_LEAVES();
        loop->wake(loop->wake_context);
    }
}

/* Takes PUSHED away, so that what comes later is seen by our next exchange;
   false if something has changed, which is in `*seen`. */
static bool unmark(struct obv_loop *loop, uint32_t *seen)
{
    uint32_t without = *seen & ~(uint32_t)PUSHED;
    /* Acquire, pairs with the exchange in leave_mark(): the look that follows
       sees the push that was marked (W1). */
    if (without != *seen && !obv__cas_acq_rel(&loop->turn, seen, without)) {
        return false;
    }
    *seen = without;
    return true;
}

/* Makes the word RINGING, or leaves the mark for the thread that has it;
   whether the caller is to ring. */
static bool leave_mark(struct obv_loop *loop, uint32_t with)
{
    /* Relaxed: the exchange finds out. */
    uint32_t seen = obv__load_relaxed(&loop->turn), next;
    do {
        next = seen == OBV__TURN_NOBODY ? OBV__TURN_RINGING | (with & ASKED)
               : seen == OBV__TURN_RUNG ? seen
                                        : seen | with;
        /* Acquire and release, also where nothing changes: pairs with
           unmark() and obv__loop_turn_begin() (W1). */
    } while (!obv__cas_acq_rel(&loop->turn, &seen, next));
    return seen == OBV__TURN_NOBODY;
}

/* Whether there is still something to ring for, beside what is `left`; if not,
   nobody has the loop again. The state that was `seen`, RINGING or DRAINED, is
   ours. */
static bool confirm_ring(struct obv_loop *loop, uint32_t seen, bool left)
{
    for (;;) {
        if (!unmark(loop, &seen)) {
            continue;
        }
        if (left || (seen & ASKED) || is_wanted(loop)) {
            return true;
        }
        /* Release: the next change of the word comes after our look. */
        if (obv__cas_acq_rel(&loop->turn, &seen, (uint32_t)OBV__TURN_NOBODY)) {
            return false;
        }
    }
}

void obv__loop_ring(struct obv_loop *loop)
{
    if (leave_mark(loop, ASKED)) {
        tell_waiters(loop);
    }
}

void obv__loop_wake(struct obv_loop *loop)
{
    if (!obv__loop_rings(loop) || obv__loop_has_ended(loop)) {
        return;
    }
    if (loop->owner != 0 && obv__loop_is_bound_to(loop, obv__thread_self())) {
        /* The item stands in the owner's own list, which only this thread
           drains. */
        obv__loop_ring(loop);
    } else if (leave_mark(loop, PUSHED) &&
               confirm_ring(loop, OBV__TURN_RINGING, false)) {
        tell_waiters(loop);
    }
}

void obv_loop_wake(struct obv_loop *loop)
{
    if (loop && obv__loop_rings(loop) && !obv__loop_has_ended(loop)) {
        obv__loop_ring(loop);
    }
}

/* Turns ------------------------------------------------------------------- */

void obv__loop_turn_begin(struct obv_loop *loop)
{
    unsigned round = 0;
    /* Relaxed: the exchange finds out. */
    uint32_t found = obv__load_relaxed(&loop->turn);
    for (;;) {
        if ((found & STATE) == OBV__TURN_RINGING ||
            (found & STATE) == OBV__TURN_DRAINED) {
            /* Waits for one write() of that thread (W2), or for the end of a
               turn whose loop has been given back (W4). */
            obv__backoff(&round);
            found = obv__load_relaxed(&loop->turn);
        } else if (obv__cas_acq_rel(&loop->turn, &found,
                                    (uint32_t)OBV__TURN_DRAINED)) {
            /* Acquire, pairs with leave_mark(): pushes before it (W1). */
            break;
        }
    }
    loop->was_rung = found == OBV__TURN_RUNG;
    if (loop->was_rung && obv__load_acquire(&loop->has_descriptor)) {
        obv__wake_clear(&loop->descriptor);
    }
}

void obv__loop_turn_end(struct obv_loop *loop, bool left)
{
    if (confirm_ring(loop, obv__load_relaxed(&loop->turn), left)) {
        (void)obv_loop_retain(loop); /* W4 */
        obv__exchange_acq_rel(&loop->turn,
                              (uint32_t)(OBV__TURN_RINGING | ASKED));
        tell_waiters(loop);
        obv_loop_release(loop);
    }
}

void obv__loop_turn_forget(struct obv_loop *loop)
{
    obv__exchange_acq_rel(&loop->turn, (uint32_t)OBV__TURN_NOBODY);
}

/* Descriptor, prepare, check ---------------------------------------------- */

/* The loop is taken. */
static enum obv_status open_taken(struct obv_loop *loop)
{
    bool rang = obv__loop_rings(loop);
    if (obv__loop_has_ended(loop)) {
        return OBV_E_ENDED;
    }
    /* Asked again: another thread may have been here. */
    if (obv__load_relaxed(&loop->has_descriptor)) {
        return OBV_OK;
    }
    if (!rang) {
        /* Its first turn, which has begun already. */
        obv__exchange_acq_rel(&loop->turn, (uint32_t)OBV__TURN_DRAINED);
    }
    if (!obv__wake_open(&loop->descriptor)) {
        if (!rang) {
            obv__loop_turn_forget(loop);
        }
        return OBV_E_SYSTEM;
    }
    /* Release, pairs with tell_waiters(). */
    obv__store_release(&loop->has_descriptor, 1);
    /* Seq_cst, both, and in this order: our look when we give the loop back
       comes after it, for every thread; and before anybody can take the loop
       for one that does not ring. */
    obv__exchange_seq_cst(&loop->rings, 1);
    obv__exchange_seq_cst(&loop->special, 1);
    return OBV_OK;
}

static enum obv_status open_now(struct obv_loop *loop, struct obv__thread *self)
{
    if (loop->owner != 0 && !obv__loop_is_bound_to(loop, self)) {
        return OBV_E_THREAD;
    }
    enum obv__loop_taken taken = obv__loop_take(loop, self);
    if (taken == OBV__BUSY) {
        return OBV_E_BUSY;
    }
    enum obv_status status = open_taken(loop);
    if (taken == OBV__TAKEN && loop->was_rung) {
        /* This turn was no drain: the wake-up that it has cleared is made
           again. */
        (void)leave_mark(loop, ASKED);
    }
    if (taken == OBV__TAKEN) {
        obv__loop_give_back(loop);
    }
    return status;
}

enum obv_status obv_loop_descriptor(struct obv_loop *loop, int *descriptor)
{
    if (!loop || !descriptor) {
        return OBV_E_ARGUMENT;
    }
    if (!obv__load_acquire(&loop->has_descriptor)) {
        enum obv_status status = open_now(loop, obv__thread_self());
        if (status != OBV_OK) {
            return status;
        }
    }
    *descriptor = loop->descriptor.read_fd;
    return OBV_OK;
}

/* Looks without taking the loop. */
bool obv_loop_prepare(struct obv_loop *loop)
{
    struct obv__thread *self = obv__thread_self();
    if (!loop || obv__loop_has_ended(loop) ||
        (loop->owner != 0 && !obv__loop_is_bound_to(loop, self)) ||
        obv__loop_is_drained_elsewhere(loop, self)) {
        return false;
    }
    /* Acquire, pairs with leave_mark(): what was pushed before is seen. */
    uint32_t seen = obv__load_acquire(&loop->turn);
    bool is_rung = (seen & ASKED) || seen == OBV__TURN_RUNG;
    if (is_rung || obv__loop_is_drained_by(loop, self)) {
        return is_rung || !obv__coalescing_is_empty(&loop->set) ||
               obv__loop_has_notices(loop);
    }
    /* Relaxed: the own lists of a loop that rings have been told of. */
    return is_wanted(loop) ||
           (!obv__loop_rings(loop) && obv__load_relaxed(&loop->set.unshared));
}
