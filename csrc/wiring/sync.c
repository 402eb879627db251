/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing what hangs below a way in line.
 *
 * Mostly one way hangs below, and goes from one object to another of the same
 * class; then a hop does W1 to W6 with nothing to keep. All else, and whatever a
 * hop finds otherwise than it should be, is done in rounds.
 */
#include "wiring/sync.h"

#include "model/node.h"
#include "model/value.h"
#include "platform/pause_point.h"
#include "wiring/binding.h"
#include "wiring/ends.h"
#include "wiring/matcher.h"
#include "wiring/path_report.h"

/* What memory was short for ------------------------------------------------- */

static void tell_short(const struct obv__step *step, struct obv__due *due)
{
    struct obv__change change = {.step = step,
                                 .slot = OBV__NO_SLOT,
                                 .is_unknown = true,
                                 .differs = true};
    obv__ends_look(due, &change, obv__moment());
    obv__ends_add(due, &change, obv__moment());
}

/* There is no way of a step, nor below it. */
OBV__NOINLINE static void tell_below(const struct obv__step *step,
                                     struct obv__due *due)
{
    struct obv__lock *lock = &step->paths->context->paths;
    struct obv__step *at = NULL;
    do {
        obv__lock_enter(lock);
        at = obv__step_next_below(step, at);
        obv__lock_leave(lock);
        if (at) {
            tell_short(at, due);
        }
    } while (at);
}

OBV__NOINLINE static uint32_t take_lacks(struct obv__way *way,
                                         struct obv__due *due, uint32_t of)
{
    struct obv__lock *lock = &obv__way_context(way)->paths;
    struct obv__step *at = NULL;
    obv__lock_enter(lock);
    uint32_t lacks = obv__way_take_lacks(way, of);
    obv__lock_leave(lock);
    bool is_all = (lacks & OBV__LACKS_WATCHER) != 0;
    if (is_all) {
        tell_short(way->step, due);
        tell_below(way->step, due);
    }
    do {
        obv__lock_enter(lock);
        at = obv__way_take_lacked(way, lacks, at);
        obv__lock_leave(lock);
        if (at && !is_all) {
            tell_short(at, due);
            tell_below(at, due);
        }
    } while (at);
    return lacks;
}

uint32_t obv__sync_lacked(struct obv__way *way, struct obv__due *due,
                          uint32_t of)
{
    return OBV__UNLIKELY(obv__way_lacks(way)) ? take_lacks(way, due, of) : 0;
}

/* Rounds -------------------------------------------------------------------- */

/* W7. */
static void sync_moved(const struct obv__round *round)
{
    for (size_t i = 0; i < round->count; i++) {
        const struct obv__moved *moved = &round->moved[i];
        if (moved->way) {
            obv__sync_below(moved->way, moved->binding, round->due,
                            round->all_changed || moved->was_short);
        } else if (round->all_changed || moved->was_short) {
            tell_below(moved->step, round->due);
        }
    }
}

bool obv__sync_round(struct obv__round *round,
                     const struct obv__watcher *binding)
{
    do {
        if (!obv__round_begin(round, binding)) {
            return false;
        }
        obv__round_look(round);
        sync_moved(round);
        obv__round_forget_idle(round);
    } while ((round->count != 0 && round->has_rest) || round->unknown);
    return true;
}

bool obv__sync_child(struct obv__way *way, const struct obv__watcher *binding,
                     struct obv__due *due, bool all_changed,
                     struct obv__child child)
{
    struct obv__round round;
    obv__round_init(&round, way, binding, due);
    round.all_changed = all_changed;
    round.child = child;
    bool here = obv__sync_round(&round, binding);
    if (here) {
        obv__round_let_go(&round);
    }
    return here;
}

/* Children ------------------------------------------------------------------ */

/* A key behind `key` by which there are ways that the container does not lead
   to; 0: none. */
static uint32_t next_stale_key(const struct obv__way *way,
                               const struct obv__children *children,
                               uint32_t key)
{
    struct obv__lock *lock = &obv__way_context(way)->paths;
    obv__lock_enter(lock);
    do {
        key = obv__way_next_key(way, key + 1);
    } while (key != 0 && obv__children_have(children, key));
    obv__lock_leave(lock);
    return key;
}

void obv__children_end(const struct obv__children *children,
                       struct obv__way *way, struct obv__due *due)
{
    if (OBV__UNLIKELY(children->is_short)) {
        struct obv__lock *lock = &obv__way_context(way)->paths;
        obv__lock_enter(lock);
        obv__way_lacks_watcher(way);
        obv__lock_leave(lock);
        due->was_short = due->is_unwatched = true;
        obv__report_short(way);
    }
}

static bool leads_on(const struct obv__way *way)
{
    struct obv__lock *lock = &obv__way_context(way)->paths;
    obv__lock_enter(lock);
    bool leads = obv__step_first_child(way->step) != NULL;
    obv__lock_leave(lock);
    return leads;
}

bool obv__must_follow_edited(const struct obv__way *way,
                             const struct obv_property *property)
{
    return obv__must_follow(property, !obv__is_foreign_pointer(property) ||
                                          leads_on(way));
}

static void sync_many(struct obv__way *way, const struct obv__watcher *binding,
                      struct obv__due *due, bool all_changed)
{
    struct obv_object *container =
        binding ? (struct obv_object *)obv__load_acquire(&binding->place)
                : NULL;
    struct obv__children children = obv__children_of(
        obv__step_element(way->step), container, OBV__NO_SLOT, leads_on(way));
    bool here = true;
    if (OBV__UNLIKELY(all_changed)) {
        /* Ways that nobody had room for are not found. */
        tell_below(way->step, due);
    }
    while (here && obv__children_next(&children)) {
        here = obv__sync_child(way, binding, due, all_changed, children.child);
    }
    obv__children_end(&children, way, due);
    /* Each once: what another thread has taken from where it hung is there until
       that thread forgets it, and is not waited for. */
    struct obv__child stale = {OBV__NO_SLOT, 0};
    while (here &&
           (stale.key = next_stale_key(way, &children, stale.key)) != 0) {
        here = obv__sync_child(way, binding, due, all_changed, stale);
    }
}

/* Whether memory was short for a way of a step below. */
static bool is_short_below(const struct obv__way *way)
{
    struct obv__lock *lock = &obv__way_context(way)->paths;
    bool is_short = false;
    obv__lock_enter(lock);
    for (const struct obv__step *step = obv__step_first_child(way->step);
         step && !is_short; step = obv__step_next_sibling(step)) {
        is_short = step->short_ways != 0;
    }
    obv__lock_leave(lock);
    return is_short;
}

void obv__sync_touched(struct obv__way *way, const struct obv__watcher *binding,
                       struct obv__due *due)
{
    struct obv__children children = obv__children_of(
        obv__step_element(way->step), due->edit.at.object, OBV__NO_SLOT, true);
    bool here = true;
    children.is_of_edit = true;
    while (here && obv__children_next(&children)) {
        here = obv__sync_child(way, binding, due, false, children.child);
    }
    obv__children_end(&children, way, due);
    if (here && OBV__UNLIKELY(is_short_below(way)) && !due->was_short) {
        sync_many(way, binding, due, false);
    } else if (here) {
        obv__sync_lacking(way, binding, due);
    }
}

bool obv__is_leaf(const struct obv__watcher *binding)
{
    return binding && !obv__has_state(binding, OBV__MIDDLE) &&
           !obv__is_at_weak(binding);
}

/* The frequent way ---------------------------------------------------------- */

/* A way that is brought in line with what is behind it, and the one below it. */
struct hop {
    struct obv__way *way;
    const struct obv__watcher *binding;
    struct obv__due *due;
    struct obv_object *before, *fresh; /* where the one below hung, and hangs */
    struct obv__way *below;
    struct obv__watcher *below_binding; /* NULL: memory was short for it */
    uint32_t slot;                      /* of both objects */
    bool is_missed; /* memory was short, and somebody follows it */
};

/* W2, of a property that holds objects of the core's own kind, or NULL. */
static struct obv_object *read_plainly(const struct hop *hop)
{
    const struct obv__watcher *binding = hop->binding;
    /* Acquire, as in obv__way_container(). */
    const struct obv_object *container =
        (const struct obv_object *)obv__load_acquire(&binding->place);
    if (obv__load_acquire(&hop->way->binding) != binding || !container) {
        return NULL;
    }
    const struct obv_property *property =
        obv__class_of(container)->properties[binding->slot];
    return property->kind == OBV_KIND_object && !property->custom
               ? *(struct obv_object *const *)obv__field(container, property)
               : NULL;
}

/* The only step below, if its way has only to go from one object to another of
   the same class, and nothing is to be told but that what ends there differs. */
static struct obv__way *only_below_locked(const struct hop *hop)
{
    const struct obv__step *step = obv__step_first_child(hop->way->step);
    if (!step || obv__step_next_sibling(step) || step->is_beneath ||
        !obv__matcher_is_name(obv__step_element(step)) ||
        obv__step_wants(step, OBV__WANTS_OLD | OBV__WANTS_CODE)) {
        return NULL;
    }
    struct obv__way *way = (struct obv__way *)(uintptr_t)&step->own;
    const struct obv__watcher *binding = way->binding;
    if (!binding || way->short_at != 0 ||
        (binding->type & (OBV__AT_WEAK | OBV__AT_ANY_THREAD))) {
        return NULL;
    }
    const struct obv_object *before = (const struct obv_object *)binding->place;
    const struct obv_class *cls = obv__class_of(hop->fresh);
    return before != hop->fresh &&
                   !obv__edit_touches(&hop->due->edit, before) &&
                   obv__class_of(before) == cls && !obv__class_runs_code(cls)
               ? way
               : NULL;
}

/* As move_way() has it. */
static void is_short_locked(struct hop *hop, uint64_t edits)
{
    struct obv__step *step = hop->below->step;
    obv__way_unbind_locked(hop->below);
    obv__way_set_short(step, hop->below, edits);
    hop->due->was_short = true;
    hop->is_missed = obv__step_is_followed(step);
}

/* W4; false: it is the rounds' to do, and nothing is done. */
static bool hop_locked(struct hop *hop, uint64_t edits)
{
    struct obv__way *below = only_below_locked(hop);
    if (!below) {
        return false;
    }
    struct obv__watcher *old = below->binding;
    hop->before = (struct obv_object *)old->place;
    hop->slot = old->slot;
    hop->below = below;
    hop->is_missed = false;
    /* As in begin_with(). */
    obv__try_begin(hop->due->thread, hop->before);
    hop->below_binding = obv__way_exchange_locked(below, hop->fresh, hop->slot);
    if (!hop->below_binding) {
        is_short_locked(hop, edits);
    }
    return true;
}

/* W3 to W5. */
static bool hop_on(struct hop *hop, uint64_t edits)
{
    struct obv__lock *lock = &obv__way_context(hop->way)->paths;
    obv__lock_enter(lock);
    obv__pause_point("wiring: entered");
    bool good =
        obv__load_seq_cst(&hop->way->edits) == edits && hop_locked(hop, edits);
    obv__lock_leave(lock);
    if (good) {
        obv__pause_point("wiring: committed");
        obv__moment_moves_on();
    }
    return good;
}

/* W6. Who has come meanwhile and wants more may be told that all has changed. */
static void look_at_hop(const struct hop *hop)
{
    const struct obv__step *step = hop->below->step;
    uint64_t since = obv__moment();
    const struct obv_property *property =
        obv__class_of(hop->fresh)->properties[hop->slot];
    struct obv__change change = {.step = step,
                                 .way = hop->below,
                                 .before = hop->before,
                                 .now = hop->fresh,
                                 .slot = OBV__NO_SLOT};
    change.is_unknown =
        !hop->below_binding || obv__step_wants(step, OBV__WANTS_CODE);
    change.differs =
        change.is_unknown ||
        !obv__property_equal(hop->before, property, hop->fresh, property);
    obv__ends_look(hop->due, &change, since);
    obv__try_end(hop->due->thread);
    obv__ends_add(hop->due, &change, since);
    if (hop->is_missed) {
        obv__report_short(hop->way);
    }
}

/* W1 to W6 for one way and the only one below it, which is in `hop` afterwards
   (if memory was short, without a binding); false: it is the rounds' to do. */
static bool hop_below(struct hop *hop)
{
    if (!hop->binding || obv__is_at_weak(hop->binding) ||
        !obv__matcher_is_name(obv__step_element(hop->way->step))) {
        return false;
    }
    /* Seq_cst: W1, before the reads of W2. */
    uint64_t edits = obv__load_seq_cst(&hop->way->edits);
    obv__pause_point("wiring: noted");
    hop->fresh = read_plainly(hop);
    obv__pause_point("wiring: read");
    if (!hop->fresh || !hop_on(hop, edits)) {
        return false;
    }
    look_at_hop(hop);
    hop->way = hop->below;
    hop->binding = hop->below_binding;
    return true;
}

/* Both ---------------------------------------------------------------------- */

void obv__sync_below(struct obv__way *way, const struct obv__watcher *binding,
                     struct obv__due *due, bool all_changed)
{
    struct hop hop = {.way = way, .binding = binding, .due = due};
    while (!all_changed && !obv__is_leaf(hop.binding) && hop_below(&hop)) {
        way = hop.way;
        binding = hop.binding;
        all_changed = !binding;
    }
    if (obv__is_leaf(binding)) {
        return;
    }
    (void)obv__sync_lacked(way, due, UINT32_MAX);
    if (obv__matcher_is_many(obv__step_element(way->step))) {
        sync_many(way, binding, due, all_changed);
    } else {
        const struct obv__child only = {binding ? binding->slot : OBV__NO_SLOT,
                                        0};
        (void)obv__sync_child(way, binding, due, all_changed, only);
    }
}

void obv__sync_lacking(struct obv__way *way, const struct obv__watcher *binding,
                       struct obv__due *due)
{
    if (OBV__UNLIKELY(obv__way_lacks(way)) && !due->was_short) {
        obv__sync_below(way, binding, due, false);
    }
}
