/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observed-state callbacks: objects hear that they are observed.
 *
 * A property of which the hook was told something else than what is true is owed
 * a callback. The thread that turns one of an object which nobody has taken,
 * holding the object's stripe, takes the object: it puts it on its own list,
 * which makes the thread's epoch section owe a payment (reclaim.h). To pay is,
 * for each object of the list:
 *
 *   N1  enter the stripe; be done with the object if it ends. Publish a hazard
 *       pointer, leave, hold the object by its class's hook, clear it
 *   N2  enter the stripe; find the first property that is not what the hook was
 *       told last, and note that it has been told. If there is none give the
 *       object free. Leave
 *   N3  call the hook with it, holding nothing but the object; go on at N2
 *
 * One tells. An object that is taken is on one thread's list, or told by that
 * thread. Another one that turns a property only notes it: either it holds the
 * stripe before the teller finds nothing, and is told by it; or after that, and
 * takes the object itself. So calls for an object do not overlap, and
 * each is made of what is true when it is decided. The hook that observes or
 * stops at its own object is such another one.
 *
 * The last is true. A property that differs from what was told lies from `first`
 * to `end`. An object is given free when there is none.
 *
 * The object lives in N1: its end marks it under the stripe first and waits for
 * hazard pointers after that, so the one that we publish before we leave is
 * waited for. Node and `more` are there until the epoch section is left, since
 * the object was taken in it. An object that has begun to end stays taken:
 * nobody looks for it again.
 */
#include "model/observed_state.h"

#include "model/inbound.h"
#include "platform/exception.h"

size_t obv__observed_state_size(size_t property_count)
{
    return sizeof(struct obv__observed_state) +
           (property_count + 1) * sizeof(struct obv__turn);
}

void obv__observed_state_init(struct obv__more *more, struct obv_object *object,
                              const struct obv_detail_node *node)
{
    struct obv__observed_state *state =
        (struct obv__observed_state *)(void *)more;
    state->object = object;
    state->node = node;
    state->count = node->slot_count;
    state->first = UINT32_MAX;
}

void obv__observed_state_free(struct obv_context *context,
                              struct obv__retired *block)
{
    const struct obv__observed_state *state =
        (struct obv__observed_state *)(void *)block;
    obv__late_slots_free(context, state->more.late);
    obv__inbounds_free(context, state->more.inbound);
    obv__context_free(context, block, obv__observed_state_size(state->count));
}

/* Differences, under the stripe -------------------------------------------- */

/* Takes the first place whose state is not what was told; false: there is
   none. */
static bool take_turn(struct obv__observed_state *state, uint32_t *place)
{
    while (state->first < state->end) {
        *place = state->first++;
        struct obv__turn *turn = &state->turns[*place];
        if (turn->is_told != turn->is_observed) {
            turn->is_told = turn->is_observed;
            return true;
        }
    }
    state->first = UINT32_MAX;
    state->end = 0;
    return false;
}

/* Telling ------------------------------------------------------------------ */

static bool observed_state_is_over(const struct obv__observed_state *state)
{
    return obv__node_is_ending(state->node);
}

/* Holds the object, if it is not at its end (N1). */
static bool hold_told(struct obv__thread *self,
                      const struct obv__observed_state *state,
                      const struct obv_class *cls)
{
    struct obv__lock *stripe = obv__lock_stripe(state->object);
    obv__lock_enter(stripe);
    bool good = !observed_state_is_over(state);
    if (good) {
        obv__hazard_set(self, state->object);
    }
    obv__lock_leave(stripe);
    if (good) {
        good = !cls->retain || cls->retain(state->object);
        obv__hazard_clear(self);
    }
    return good;
}

/* Takes the next difference (N2). An object without `retain` may have ended in
   its hook. */
static bool next_turn(struct obv__observed_state *state, uint32_t *place,
                      bool *is_observed)
{
    struct obv__lock *stripe = obv__lock_stripe(state->object);
    obv__lock_enter(stripe);
    bool found = !observed_state_is_over(state) && take_turn(state, place);
    if (found) {
        *is_observed = state->turns[*place].is_observed;
    } else {
        state->is_taken = false;
    }
    obv__lock_leave(stripe);
    return found;
}

static void tell_object(struct obv__thread *self,
                        struct obv__observed_state *state)
{
    const struct obv_class *cls =
        obv__class_by_number(state->node->class_number);
    struct obv_object *object = state->object;
    uint32_t place;
    bool is_observed;
    if (!hold_told(self, state, cls)) {
        return;
    }
    while (next_turn(state, &place, &is_observed)) {
        OBV__NO_EXCEPTION_LEAVES();
        cls->observed_changed(
            object, place < cls->property_count ? place : OBV_EVERY_PROPERTY,
            is_observed);
    }
    if (cls->release) {
        cls->release(object);
    }
}

/* A hook's own calls of the library pay as well: each object is off the list
   before it is told. */
static void pay(struct obv__thread *self)
{
    struct obv__observed_state *state;
    while ((state = self->owed) != NULL) {
        self->owed = state->next;
        tell_object(self, state);
    }
}

void obv__observed_state_queue_locked(const struct obv_detail_node *node,
                                      uint32_t slot, bool is_observed)
{
    struct obv__observed_state *state =
        (struct obv__observed_state *)(void *)obv__more(node);
    uint32_t place = slot == OBV__SLOT_EVERY ? node->slot_count : slot;
    if (observed_state_is_over(state)) {
        return; /* N1 would find it so as well */
    }
    state->turns[place].is_observed = is_observed;
    state->first = place < state->first ? place : state->first;
    state->end = place < state->end ? state->end : place + 1;
    if (!state->is_taken) {
        struct obv__thread *self = obv__thread_self();
        state->is_taken = true;
        state->next = self->owed;
        self->owed = state;
        obv__epoch_owe(self, pay);
    }
}
