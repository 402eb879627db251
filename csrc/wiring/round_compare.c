/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W5 and W6: whether what ends at the steps that have moved differs.
 */
#include "wiring/round.h"

#include "model/container.h"
#include "model/node.h"
#include "wiring/ends.h"
#include "wiring/known.h"
#include "wiring/matcher.h"
#include "wiring/path_report.h"

/* Comparing ----------------------------------------------------------------- */

/* Whether what a step held on `before` was in the very slot that is edited (in a
   cyclic graph), and so is stored over. */
static const struct obv__edited *stored_over(const struct obv__round *round,
                                             const struct obv_element *element)
{
    const struct obv__edit *edit = &round->due->edit;
    return round->before && obv__edit_touches(edit, round->before)
               ? obv__stored_over(edit, round->before,
                                  obv__slot_on(element, round->before))
               : NULL;
}

/* Where only one of two containers has the element: whether it stands for
   anything there. What nothing holds is not asked, but the container of a cell,
   which this thread has reached, as W2 of W7 will. */
static bool reaches_one(const struct obv__round *round,
                        const struct obv_element *element,
                        struct obv_object *now)
{
    const struct obv__matcher *matcher = obv__matcher(element);
    bool held = now ? round->fresh_held || obv__matcher_is_placed(element)
                    : round->before_held;
    return !matcher->reaches || !held ||
           matcher->reaches(element, now ? now : round->before);
}

/* What any thread may set counts before as it was told, not as it is found, and
   now as it is known from here on: of scalars what is known is compared. Answers
   whether it was. `room` is for the old value, which is that of the change. */
static bool compare_as_known(const struct obv__moved *moved, uint64_t *room,
                             struct obv__change *change)
{
    const struct obv__watcher *old = moved->old, *fresh = moved->binding;
    uint64_t now;
    if (!old || !obv__is_at_any_thread(old) || !fresh ||
        !obv__is_at_any_thread(fresh) || !obv__has_state(fresh, OBV__KNOWN) ||
        change->is_edited ||
        obv__matcher_is_view(obv__step_element(change->step))) {
        return false;
    }
    const void *was = obv__known_value(old, change->before, room);
    const void *is = obv__known_value(fresh, change->now, &now);
    if (!was || !is) {
        return false;
    }
    const struct obv_property *property_was =
        obv__class_of(change->before)->properties[old->slot];
    const struct obv_property *property_is =
        obv__class_of(change->now)->properties[fresh->slot];
    change->edited = (struct obv__edited){change->before, old->slot, was};
    change->is_edited = true;
    change->differs =
        !obv__properties_alike(property_was, property_is) ||
        ((property_was->flags | property_is->flags) & OBV_ALWAYS_DIFFERENT) ||
        !obv__value_equal(property_was, was, is);
    return true;
}

/* Once what ends there has been looked at: where a set has not told of the old
   value, since it has not looked for watchers yet, that counts as another. */
static void look_for_untold(struct obv__due *due,
                            const struct obv__watcher *old,
                            struct obv__change *change, uint64_t since)
{
    if (!change->is_unknown && old && change->before && change->now &&
        obv__is_at_any_thread(old) &&
        !obv__known_is_stored(old, change->before)) {
        obv__ends_look_again(due, change, since);
    }
}

/* W6 for one step: whether what ends at it differs. */
static void compare_end(const struct obv__round *round,
                        struct obv__moved *moved, struct obv__change *change)
{
    const struct obv_element *element = obv__step_element(moved->step);
    *change = (struct obv__change){.slot = OBV__NO_SLOT,
                                   .step = moved->step,
                                   .way = moved->way,
                                   .before = round->before,
                                   .now = moved->aim.target};
    const struct obv__edited *edited = stored_over(round, element);
    change->is_edited = edited != NULL;
    if (edited) {
        change->edited = *edited;
    }
    if (moved->was_short || round->all_changed || round->is_uncompared) {
        change->is_unknown = change->differs = true;
    } else if (!change->before || !change->now) {
        change->differs = change->before != change->now &&
                          (edited ? edited->old != &obv__missing
                                  : reaches_one(round, element, change->now));
    } else if (compare_as_known(moved, &moved->known, change)) {
        return;
    } else if (obv__matcher_is_name(element)) {
        change->differs =
            obv__slots_differ(change->before, moved->aim.slot_now, change->now,
                              moved->aim.slot, edited);
    } else {
        change->differs = obv__matcher(element)->differs(
            element, change->before, change->now, edited);
    }
}

/* Holding what is compared -------------------------------------------------- */

/* Whether looking at what ends in this round runs code of the program. */
static bool runs_code(const struct obv__round *round)
{
    bool runs =
        obv__class_runs_code(obv__class_of(round->before)) ||
        (round->fresh && obv__class_runs_code(obv__class_of(round->fresh)));
    for (size_t i = 0; !runs && i < round->count; i++) {
        const struct obv__step *step = round->moved[i].step;
        runs = obv__matcher_asks_binding(obv__step_element(step)) ||
               obv__step_wants(step, OBV__WANTS_CODE);
    }
    return runs;
}

/* What code of the program looks at is held by references, not by a try: it may
   begin tries of its own, and replace what it compares. What nothing can hold
   is not compared. */
static void hold_both(struct obv__round *round)
{
    round->before_held = round->is_uncompared = false;
    if (!round->before || !runs_code(round)) {
        return;
    }
    round->before_held = obv__object_hold(round->before);
    obv__try_end(round->due->thread);
    if (round->fresh && !round->fresh_held) {
        round->fresh_held = obv__object_hold(round->fresh);
    }
    round->is_uncompared =
        !round->before_held || (round->fresh && !round->fresh_held);
}

static void let_before_go(const struct obv__round *round)
{
    if (round->before_held) {
        obv__class_of(round->before)->release(round->before);
    } else if (round->before && !round->is_uncompared) {
        obv__try_end(round->due->thread);
    }
}

static bool moved_to_any_thread(const struct obv__round *round)
{
    bool found = false;
    for (size_t i = 0; i < round->count && !found; i++) {
        const struct obv__watcher *binding = round->moved[i].binding;
        found = binding && obv__is_at_any_thread(binding);
    }
    return found;
}

static void end_fresh_try(struct obv__round *round)
{
    if (round->fresh_tried) {
        round->fresh_tried = false;
        obv__try_end(round->due->thread);
    }
}

/* What any thread may set is known from now on in the new object. Where that has
   not come with a reference, and nothing hung elsewhere before, it may be another
   thread's: then a try is published. */
static void note_fresh(struct obv__round *round)
{
    if (!moved_to_any_thread(round)) {
        end_fresh_try(round);
        return;
    }
    const struct obv_class *cls = obv__class_of(round->fresh);
    bool runs_code = obv__class_runs_code(cls) && !round->fresh_held;
    bool held = runs_code && obv__object_hold(round->fresh);
    if (runs_code) {
        end_fresh_try(round);
    }
    for (size_t i = 0; (held || !runs_code) && i < round->count; i++) {
        struct obv__watcher *binding = round->moved[i].binding;
        if (binding && obv__is_at_any_thread(binding)) {
            obv__known_note(binding, round->fresh);
        }
    }
    end_fresh_try(round);
    if (held) {
        cls->release(round->fresh);
    }
}

/* W5 and W6 ----------------------------------------------------------------- */

/* W6: what differs is noted while `before` is held, and due when it is not. */
static void look_at_moved(struct obv__round *round)
{
    struct obv__change changes[OBV__ROUND];
    hold_both(round);
    note_fresh(round);
    uint64_t since = obv__moment();
    for (size_t i = 0; i < round->count; i++) {
        compare_end(round, &round->moved[i], &changes[i]);
        obv__ends_look(round->due, &changes[i], since);
        look_for_untold(round->due, round->moved[i].old, &changes[i], since);
    }
    let_before_go(round);
    for (size_t i = 0; i < round->count; i++) {
        obv__ends_add(round->due, &changes[i], since);
    }
}

void obv__round_look(struct obv__round *round)
{
    bool is_missed = round->is_unwatched;
    if (round->is_unwatched) {
        round->due->is_unwatched = round->due->was_short = true;
    }
    if (round->count != 0) {
        obv__moment_moves_on();
        look_at_moved(round);
    }
    for (size_t i = 0; i < round->count; i++) {
        is_missed = is_missed || round->moved[i].is_missed;
    }
    if (is_missed) {
        obv__report_short(round->way);
    }
    if (round->unknown_is_missed) {
        obv__report_unknown(round->unknown);
    }
}
