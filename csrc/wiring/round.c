/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W1 to W4: what is behind a way, and the ways below it hang there.
 */
#include "wiring/round.h"

#include "model/container.h"
#include "model/foreign_entry.h"
#include "model/node.h"
#include "platform/pause_point.h"
#include "wiring/binding.h"
#include "wiring/matcher.h"

#include <string.h>

/* Field by field: what has moved is written before it is read. */
void obv__round_init(struct obv__round *round, struct obv__way *way,
                     const struct obv__watcher *binding, struct obv__due *due)
{
    round->way = way;
    round->due = due;
    round->child =
        (struct obv__child){binding ? binding->slot : OBV__NO_SLOT, 0};
    round->fresh = round->before = NULL;
    round->fresh_held = round->before_held = round->awaits = false;
    round->fresh_tried = false;
    round->is_uncompared = round->is_short = round->is_value = false;
    round->edits = 0;
    round->unknown = NULL;
    round->unknown_is_missed = round->is_unwatched = false;
    round->all_changed = round->has_rest = false;
    round->reads = OBV__READS_STORED;
    round->expects_move = round->is_overtaken = false;
    round->is_trial = false;
    round->done = round->lacking = round->count = 0;
}

/* W4: moving the ways below a way ------------------------------------------ */

static bool is_known_here(const struct obv__round *round)
{
    return round->fresh &&
           obv__class_of(round->fresh)->context == obv__way_context(round->way);
}

/* Whether a step is a component that is no observable property of what is behind
   the way. Below nil it stays what it was. What is no object is an error only where
   the path as written leads there, which one with a `*` does not. */
static bool is_unknown_here(const struct obv__round *round,
                            const struct obv__step *step, bool was_unknown)
{
    const struct obv_element *element = obv__step_element(step);
    if (is_known_here(round)) {
        return obv__matcher_is_unknown(element, obv__class_of(round->fresh));
    }
    return was_unknown || (round->is_value && round->child.key == 0 &&
                           obv__matcher_asks_binding(element));
}

/* A way is where it belongs: notes that it is not short, and whether its step is
   unknown there (one of them a round is reported). */
static void settle_step(struct obv__round *round, struct obv__step *step,
                        struct obv__way *way)
{
    bool was_unknown = step->own.short_at == OBV__WAY_UNKNOWN;
    bool is_unknown = is_unknown_here(round, step, was_unknown);
    if (is_unknown && !was_unknown) {
        if (round->unknown) {
            return; /* in the next round */
        }
        round->unknown = step;
    }
    obv__way_set_short(step, way, is_unknown ? OBV__WAY_UNKNOWN : 0);
    if (way) {
        obv__way_forget_if_idle(way);
    }
}

/* Memory was short for it at an earlier edit: what has become of what lies below
   since then, nobody knows. */
static bool was_let_go(const struct obv__way *way)
{
    return way && way->short_at != 0 && way->short_at != OBV__WAY_UNKNOWN;
}

/* What could not be bound for want of memory is tried once an edit. */
static bool needs_move(struct obv__round *round, struct obv__step *step,
                       struct obv__way *way, const struct obv__aim *aim,
                       size_t place)
{
    struct obv_object *container = way ? obv__way_container(way) : NULL;
    bool is_short = round->is_short || aim->is_short;
    if (container == aim->target && !was_let_go(way) && !is_short) {
        settle_step(round, step, way);
        return false;
    }
    if (!way) {
        return place >= round->lacking && (aim->target || is_short);
    }
    if (OBV__UNLIKELY(is_short)) {
        return container || way->short_at != round->edits;
    }
    return !aim->target || aim->slot == OBV__NO_SLOT ||
           way->short_at != round->edits;
}

/* Takes a way away from where it hangs and to where it is to; false: no
   memory. */
static bool move_to_aim(struct obv__way *way, const struct obv__aim *aim)
{
    if (way && aim->target) {
        return obv__way_bind_locked(way, aim->target, aim->slot) != NULL;
    }
    if (way) {
        obv__way_unbind_locked(way);
    }
    return !aim->target;
}

/* A component that is no property of what it hangs at now, or of nobody knows what,
   is settled in the next round, when it hangs there. */
static bool is_to_settle(const struct obv__round *round,
                         const struct obv__step *step)
{
    return obv__matcher_asks_binding(obv__step_element(step)) &&
           (!is_known_here(round) || is_unknown_here(round, step, false));
}

static void move_way(struct obv__round *round, struct obv__step *step,
                     struct obv__way *way, const struct obv__aim *aim,
                     size_t place)
{
    struct obv__moved *moved = &round->moved[round->count++];
    if (!way && (aim->target || aim->is_short || round->is_short)) {
        way = obv__way_make(round->way, step, round->child.key);
    }
    bool was_gone = was_let_go(way);
    moved->old = way ? way->binding : NULL;
    bool good = move_to_aim(way, aim) && !round->is_short && !aim->is_short;
    if (OBV__UNLIKELY(!good && !way)) {
        obv__way_lacks_below(round->way, step);
        round->lacking = place + 1;
    } else {
        obv__way_set_short(step, way, good ? 0 : round->edits);
    }
    moved->step = step;
    moved->way = way;
    moved->binding = way ? way->binding : NULL;
    moved->aim = *aim;
    moved->was_short = !good || was_gone;
    round->due->was_short = round->due->was_short || !good;
    moved->is_missed = !good && obv__step_is_followed(step);
    round->has_rest = round->has_rest || is_to_settle(round, step);
}

/* Whether a step, the `place`-th below, has no part in this round. */
static bool is_passed(struct obv__round *round, struct obv__step *step,
                      struct obv__way *way, const struct obv__aim *aim,
                      size_t place)
{
    return round->all_changed ? place < round->done
                              : !needs_move(round, step, way, aim, place);
}

/* Under the lock, and while the first way still hangs there: the end of
   `before` has to take it away first, so it has yet to wait for this try. */
static void begin_with(struct obv__round *round, const struct obv__step *step,
                       struct obv_object *before)
{
    round->before = before;
    if (before) {
        obv__try_begin(round->due->thread,
                       obv__matcher_keeper(obv__step_element(step), before));
    } else if (round->fresh && !round->fresh_held &&
               /* Nobody who takes it away from where we have read it has come
                  past the lock: so it is there. */
               (obv__class_of(round->fresh)->flags & OBV_ANY_THREAD)) {
        obv__try_begin(round->due->thread, round->fresh);
        round->fresh_tried = true;
    }
}

/* W3 and W4 --------------------------------------------------------------- */

/* The first step below that has to learn what it is on the fresh object. */
static struct obv__step *first_to_learn(const struct obv__round *round)
{
    if (!is_known_here(round)) {
        return NULL;
    }
    struct obv__step *step = obv__step_first_child(round->way->step);
    while (step && !obv__matcher_must_learn(obv__step_element(step),
                                            obv__class_of(round->fresh))) {
        step = obv__step_next_sibling(step);
    }
    return step;
}

/* Moves a way that hung where the others of this round did; false: no further
   step is to be looked at in it. */
static bool move_here(struct obv__round *round, struct obv__step *step,
                      struct obv__way *way, const struct obv__aim *aim,
                      size_t place)
{
    struct obv_object *before = way ? obv__way_container(way) : NULL;
    if (round->count == 0) {
        begin_with(round, step, before);
    }
    if (before == round->before) {
        move_way(round, step, way, aim, place);
        return true;
    }
    round->has_rest = true;
    return !round->all_changed;
}

/* W4 for up to OBV__ROUND ways that hung at the same object. */
static void move_ways_locked(struct obv__round *round)
{
    size_t place = 0;
    struct obv__step *step = obv__step_first_child(round->way->step);
    for (; step && round->count < OBV__ROUND;
         step = obv__step_next_sibling(step)) {
        struct obv__way *way =
            obv__way_below(round->way, step, round->child.key);
        const struct obv__aim aim =
            obv__aim_of_locked(step, way, round->fresh, true);
        size_t here = place++;
        bool goes_on = is_passed(round, step, way, &aim, here) ||
                       move_here(round, step, way, &aim, here);
        obv__place_leave_locked(obv__step_element(step), aim.target);
        if (!goes_on) {
            break;
        }
    }
    round->has_rest = round->has_rest || step;
}

/* Whether a way below hangs where it is to, although the edit has put another
   object there: an edit that came before or after this one has moved it, or was
   undone before it could. */
OBV__NOINLINE static bool is_overtaken_locked(const struct obv__round *round)
{
    bool found = false;
    struct obv__step *step = obv__step_first_child(round->way->step);
    for (; step && !found; step = obv__step_next_sibling(step)) {
        struct obv__way *way =
            obv__way_below(round->way, step, round->child.key);
        struct obv_object *container = way ? obv__way_container(way) : NULL;
        found = container &&
                container ==
                    obv__aim_of_locked(step, way, round->fresh, false).target;
    }
    return found;
}

/* Hangs the watcher that sees somebody come where nobody is; false: somebody has
   come before. */
OBV__NOINLINE static bool await_locked(struct obv__round *round)
{
    round->is_unwatched =
        round->awaited.is_short ||
        !obv__way_move_life_locked(round->way, round->child.slot,
                                   &round->awaited.entry->object);
    return round->is_unwatched ||
           obv__way_has_life_locked(round->way, round->child.slot);
}

/* W3 and W4. Answers whether the number had not moved; if `learner` is set, W4
   is still to do. */
static bool commit(struct obv__round *round, struct obv__step **learner)
{
    struct obv__lock *lock = &obv__way_context(round->way)->paths;
    round->count = 0;
    round->before = NULL;
    round->unknown = NULL;
    round->has_rest = false;
    *learner = NULL;
    obv__lock_enter(lock);
    obv__pause_point("wiring: entered");
    if (obv__load_seq_cst(&round->way->edits) != round->edits) {
        round->done = round->lacking = 0;
        obv__lock_leave(lock);
        return false;
    }
    *learner = first_to_learn(round);
    if (*learner) {
        obv__lock_leave(lock);
        return true;
    }
    if (OBV__UNLIKELY(round->expects_move)) {
        round->is_overtaken = is_overtaken_locked(round);
        round->expects_move = false;
    }
    if (OBV__UNLIKELY(round->awaits)) {
        if (!await_locked(round)) {
            obv__lock_leave(lock);
            return false;
        }
    } else {
        round->is_unwatched =
            (round->way->life || obv__is_at_weak(round->way->binding)) &&
            !obv__way_move_life_locked(round->way, round->child.slot,
                                       round->fresh);
    }
    if (OBV__UNLIKELY(round->is_unwatched) && !round->is_trial) {
        obv__way_lacks_watcher(round->way);
    }
    move_ways_locked(round);
    round->done += round->count;
    round->unknown_is_missed =
        round->unknown && obv__step_is_followed(round->unknown);
    obv__lock_leave(lock);
    return true;
}

/* W2 ------------------------------------------------------------------------ */

static bool is_foreign_slot(const struct obv_element *element,
                            const struct obv_object *container, uint32_t slot)
{
    return !obv__matcher_is_view(element) &&
           (obv__slot_flags(obv__class_of(container), slot) & OBV_FOREIGN);
}

/* The same of a property that leads to foreign objects. */
OBV__NOINLINE static struct obv_object *
behind_foreign(struct obv__round *round, struct obv_object *container)
{
    struct obv_object *child = obv__foreign_child(
        container, obv__property_at(container, round->child.slot),
        &round->fresh_held, &round->awaited);
    round->awaits = round->awaited.entry || round->awaited.is_short;
    return child;
}

/* A try of the container, while it cannot have ended: its end would have to take
   the binding away first. */
static bool guard_container(const struct obv__round *round,
                            const struct obv__watcher *binding)
{
    struct obv__lock *lock = &obv__way_context(round->way)->paths;
    obv__lock_enter(lock);
    bool here = round->way->binding == binding;
    if (here) {
        obv__try_begin(
            round->due->thread,
            obv__matcher_keeper(obv__step_element(round->way->step),
                                (struct obv_object *)binding->place));
    }
    obv__lock_leave(lock);
    return here;
}

/* What a foreign pointer leads to whose container nobody holds for us. Of one that
   is bound no more nothing is read: the number has moved. */
static struct obv_object *behind_guarded(struct obv__round *round,
                                         const struct obv__watcher *binding)
{
    void *address = NULL;
    if (guard_container(round, binding)) {
        struct obv_object *container = (struct obv_object *)binding->place;
        address = obv__foreign_address(
            container, obv__property_at(container, round->child.slot));
        obv__try_end(round->due->thread);
    }
    struct obv_object *child =
        obv__foreign_at(obv__way_context(round->way), address,
                        &round->fresh_held, &round->awaited);
    round->awaits = round->awaited.entry || round->awaited.is_short;
    return child;
}

/* What the slot of the edit held before. */
static struct obv_object *behind_old(struct obv__round *round)
{
    const struct obv__edited *at = &round->due->edit.at;
    const struct obv_property *property =
        obv__property_at(at->object, at->slot);
    if (property->custom) {
        struct obv_object *child =
            property->custom->child_of(property, at->old);
        round->fresh_held = child != NULL;
        return child;
    }
    void *address;
    memcpy(&address, at->old, sizeof address);
    if (property->kind == OBV_KIND_object) {
        return address;
    }
    struct obv_object *child =
        obv__foreign_at(obv__way_context(round->way), address,
                        &round->fresh_held, &round->awaited);
    round->awaits = round->awaited.entry || round->awaited.is_short;
    return child;
}

/* What is not read where it is stored. */
OBV__NOINLINE static struct obv_object *
behind_specially(struct obv__round *round, const struct obv__watcher *binding)
{
    return round->reads == OBV__READS_GUARDED ? behind_guarded(round, binding)
                                              : behind_old(round);
}

/* The object behind the slot that a way hangs in by `binding`, or NULL. */
static struct obv_object *behind(struct obv__round *round,
                                 const struct obv__watcher *binding)
{
    const struct obv_element *element = obv__step_element(round->way->step);
    bool *held = &round->fresh_held;
    *held = false;
    if (!binding || round->child.slot == OBV__NO_SLOT) {
        return NULL;
    }
    if (OBV__UNLIKELY(round->reads != OBV__READS_STORED)) {
        return behind_specially(round, binding);
    }
    struct obv_object *container =
        (struct obv_object *)obv__load_acquire(&binding->place);
    if (!container) {
        return NULL;
    }
    if (OBV__UNLIKELY(obv__is_at_weak(binding)) &&
        is_foreign_slot(element, container, round->child.slot)) {
        return behind_foreign(round, container);
    }
    return obv__matcher_is_name(element)
               ? obv__slot_child(container, round->child.slot, held)
               : obv__matcher(element)->child(element, container,
                                              round->child.slot, held);
}

OBV__NOINLINE static void await_no_more(struct obv__round *round)
{
    if (round->awaited.entry) {
        obv__foreign_leave(round->awaited.entry);
    }
    round->awaits = false;
}

void obv__round_let_go(struct obv__round *round)
{
    if (round->fresh_held) {
        obv__class_of(round->fresh)->release(round->fresh);
        round->fresh_held = false;
    }
    if (OBV__UNLIKELY(round->awaits)) {
        await_no_more(round);
    }
}

/* What is said of memory (obv_detail_child_is_short()) is of the `child` that runs
   innermost, whose code may bring ways in line itself, before it says so and
   after. */
static void read_child(struct obv__round *round,
                       const struct obv__watcher *binding)
{
    struct obv__thread *thread = round->due->thread;
    bool outer_is_short = thread->child_is_short;
    thread->child_is_short = false;
    round->fresh = behind(round, binding);
    round->is_short = thread->child_is_short && !round->fresh;
    thread->child_is_short = outer_is_short;
}

/* As well what is said of a value. */
static void read_fresh(struct obv__round *round,
                       const struct obv__watcher *binding)
{
    struct obv__thread *thread = round->due->thread;
    bool outer_is_value = thread->child_is_value;
    thread->child_is_value = false;
    read_child(round, binding);
    round->is_value = thread->child_is_value && !round->fresh;
    thread->child_is_value = outer_is_value;
}

/* W1 to W4 ------------------------------------------------------------------ */

bool obv__round_begin(struct obv__round *round,
                      const struct obv__watcher *binding)
{
    struct obv__step *learner;
    for (;;) {
        obv__round_let_go(round);
        /* Seq_cst: W1, before the reads of W2. */
        round->edits = obv__load_seq_cst(&round->way->edits);
        obv__pause_point("wiring: noted");
        /* Acquire, as in obv__way_container(). */
        if (obv__load_acquire(&round->way->binding) != binding) {
            return false;
        }
        read_fresh(round, binding);
        obv__pause_point("wiring: read");
        if (commit(round, &learner) && !learner) {
            obv__pause_point("wiring: committed");
            return true;
        }
        if (learner) {
            obv__matcher_learn(obv__step_element(learner), round->fresh);
        }
    }
}

void obv__round_forget_idle(const struct obv__round *round)
{
    struct obv__lock *lock = &obv__way_context(round->way)->paths;
    if (!round->way->step->is_beneath && round->child.key == 0) {
        return;
    }
    obv__lock_enter(lock);
    for (size_t i = 0; i < round->count; i++) {
        if (round->moved[i].way) {
            obv__way_forget_if_idle(round->moved[i].way);
        }
    }
    obv__lock_leave(lock);
}
