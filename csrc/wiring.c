/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wiring: how paths follow replaced objects, on any thread, without running
 * anybody's code under a lock.
 *
 * To bring the ways below a way in line with the object behind its slot:
 *
 *   W1  note the way's edit number
 *   W2  read the object behind the slot, holding no lock; be done if the way
 *       hangs elsewhere by now. What a language binding reads (a custom
 *       property, a component) comes with a reference, given back after W7
 *   W3  enter the paths lock; if the number has moved, leave and begin at W1.
 *       If it is not known yet what a component below is on that object's
 *       class, leave as well, let it learn, and begin at W1
 *   W4  exchange bindings: the children's old ones are unlinked from the old
 *       object's slots, new ones are linked into the new object's
 *   W5  leave; raise the moment
 *   W6  compare what ends there in the old object and in the new, holding no
 *       lock; what differs is due
 *   W7  the same for each child that moved and has children
 *
 * Mostly one way hangs below, and goes from one object to another of the same
 * class; then a hop does W1 to W6 with nothing to keep. All else, and whatever a
 * hop finds otherwise than it should be, is done in rounds.
 *
 * An edit of a slot stores its value, then moves the number of each way bound
 * there, then does W1 to W7.
 *
 * Under a `*` there is an object behind each property. W1 to W7 are done for one
 * property at a time: for the one that an edit has set, else for each that can
 * hold an object, and then for those by which there are ways still.
 *
 * The wiring that is left is that of the value stored last. Let value V be
 * stored last, by edit E. E moves the number after its store; whoever passes W3
 * later with a number noted after that move has read V in W2. Whoever noted an
 * earlier number and has not passed W3 finds that it moved and begins again;
 * whoever passed W3 earlier is overwritten by E, which passes W3 after its own
 * move. Each repetition is due to another edit that made progress.
 *
 * No change below is lost while a child moves. A binding is linked (W4) before
 * the value behind it is read (W6, and W2 of W7). An edit stores its value,
 * then looks for watchers. Either it finds the binding, or the link came after
 * its look, and then W6 or W2 read its value. (For values that any thread may
 * set, both sides are full fences: the setter's exchange, and the moment.) A set
 * of the old object's value that any thread may set may have stored it, and look
 * for watchers when W4 has taken the binding away: so that value counts as it was
 * told last, and as changed where it is not what is stored (known.h).
 *
 * The old object lives through W6. It is found under the lock, where its end
 * would have had to take the binding away first; a try published there, before
 * the binding goes, makes its end wait until the comparison is over. Comparison
 * is the core's own and waits for nothing; but where a language binding
 * compares, whose code may do anything, the try covers only the `retain` of the
 * old object. One that is at its end already counts as different, and so does
 * one that has no hooks. The new object is then held by a reference as well.
 *
 * Where a foreign pointer leads to nobody yet, the way waits at a seat, whose end
 * says that somebody has come (foreign.h). Behind one that ended before W4 nothing
 * can be hung: then W1 again finds who has come.
 *
 * Only the object of the edit, and what its thread has reached from it, is read
 * in W2: where another thread has bound the step to an object of its own, that
 * object may end under our eyes, and that thread does W1 to W7 for it. Where what
 * a weak property or a foreign pointer leads to ends, or comes, the container is
 * such an object, too: it is read by a reference, or under a try that is published
 * while it is found to be bound.
 *
 * Top down, each level linked before the next is read: an edit in the middle
 * meets either the old wiring or the new, and in both cases a number to move.
 */
#include "wiring.h"

#include "binding.h"
#include "delivery.h"
#include "ends.h"
#include "foreign.h"
#include "known.h"
#include "matcher.h"
#include "platform/pause_point.h"
#include "value.h"

/* Moving the ways below a way ---------------------------------------------- */

/* As many ways as are moved in one stay in the lock. */
#define ROUND 8

struct moved {
    struct obv__step *step;
    struct obv__way *way;         /* NULL: there was no memory for it */
    struct obv__watcher *binding; /* its new one */
    struct obv__watcher *old;     /* what it had before, or NULL */
    struct obv__aim aim;          /* of before it moved */
    uint64_t known;               /* the value there, as it was told */
    bool was_short;               /* could not be bound: counts as changed */
    bool is_missed;               /* and somebody follows it */
};

struct round {
    struct obv__way *way;
    struct obv__due *due;
    uint32_t slot; /* what leads to the object: of a `*`, a property */
    uint32_t name; /* of that property; 0 but under a `*` */
    struct obv_object *fresh;    /* behind the slot, at W2 */
    struct obv__awaited awaited; /* where nobody is, but may come */
    struct obv_object *before;   /* where the ways of this round hung */
    bool fresh_held;             /* with a reference */
    bool awaits;                 /* `awaited` says something */
    bool before_held;            /* with a reference */
    bool fresh_tried;            /* protected by a try, until it is known */
    bool is_uncompared;          /* a binding would, but nothing holds them */
    bool has_no_room;            /* there was no memory for a way */
    uint64_t edits;
    struct obv__step *unknown; /* found to be no observable property */
    bool unknown_is_missed;    /* and somebody follows it */
    bool is_unwatched;         /* memory was short for the watcher of its end */
    bool all_changed;  /* memory was short above: each step counts, in order */
    bool guards;       /* the container may be at its end */
    bool expects_move; /* an edit of any thread's: what hung here has to go */
    bool is_overtaken; /* and does not: another thread has moved it */
    bool has_rest;     /* not all steps have been settled */
    size_t done;       /* so many of them */
    size_t count;
    struct moved moved[ROUND];
};

static void note_end(void *found, struct obv__watcher *end)
{
    (void)end;
    *(bool *)found = true;
}

static bool is_followed(const struct obv__step *step)
{
    bool found = false;
    obv__ends_below_locked(step, note_end, &found);
    return found;
}

static bool is_known_here(const struct round *round)
{
    return round->fresh &&
           obv__class_of(round->fresh)->context == obv__way_context(round->way);
}

/* A way is where it belongs: notes that it is not short, and whether its step is
   a component that is no observable property there (one of them a round is
   reported). Below nil it stays what it was. */
static void settle_step(struct round *round, struct obv__step *step,
                        struct obv__way *way)
{
    bool was_unknown = step->own.short_at == OBV__WAY_UNKNOWN;
    bool is_unknown = is_known_here(round)
                          ? obv__matcher_is_unknown(obv__step_element(step),
                                                    obv__class_of(round->fresh))
                          : was_unknown;
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
static bool needs_move(struct round *round, struct obv__step *step,
                       struct obv__way *way, const struct obv__aim *aim)
{
    struct obv_object *container = way ? obv__way_container(way) : NULL;
    if (container == aim->target && !was_let_go(way)) {
        settle_step(round, step, way);
        return false;
    }
    if (!way) {
        return !round->has_no_room;
    }
    return !aim->target || aim->slot == OBV__NO_SLOT ||
           way->short_at != round->edits;
}

/* Takes a way away from where it hangs and to where it is to; false: no
   memory. */
static bool move_to_aim(struct obv__way *way, const struct obv__aim *aim)
{
    if (way && way->binding && aim->target) {
        return obv__way_rebind_locked(way, aim->target, aim->slot);
    }
    if (way) {
        obv__way_unbind_locked(way);
    }
    return !aim->target ||
           (way && obv__way_bind_locked(way, aim->target, aim->slot));
}

static void move_way(struct round *round, struct obv__step *step,
                     struct obv__way *way, const struct obv__aim *aim)
{
    struct moved *moved = &round->moved[round->count++];
    if (!way && aim->target) {
        way = obv__way_make(round->way, step, round->name);
        round->has_no_room = round->has_no_room || !way;
    }
    bool was_gone = was_let_go(way);
    moved->old = way ? way->binding : NULL;
    bool good = move_to_aim(way, aim);
    obv__way_set_short(step, way, good ? 0 : round->edits);
    moved->step = step;
    moved->way = way;
    moved->binding = way ? way->binding : NULL;
    moved->aim = *aim;
    moved->was_short = !good || was_gone;
    round->due->was_short = round->due->was_short || !good;
    moved->is_missed = !good && is_followed(step);
    /* What a component is there is settled when it hangs there. */
    round->has_rest =
        round->has_rest || obv__matcher_asks_binding(obv__step_element(step));
}

/* Whether a step, the `place`-th below, has no part in this round. */
static bool is_passed(struct round *round, struct obv__step *step,
                      struct obv__way *way, const struct obv__aim *aim,
                      size_t place)
{
    return round->all_changed ? place < round->done
                              : !needs_move(round, step, way, aim);
}

/* Under the lock, and while the first way still hangs there: the end of
   `before` has to take it away first, so it has yet to wait for this try. */
static void begin_with(struct round *round, struct obv_object *before)
{
    round->before = before;
    if (before) {
        obv__try_begin(round->due->thread, before);
    } else if (round->fresh && !round->fresh_held &&
               /* Nobody who takes it away from where we have read it has come
                  past the lock: so it is there. */
               obv__class_of(round->fresh)->has_any_thread) {
        obv__try_begin(round->due->thread, round->fresh);
        round->fresh_tried = true;
    }
}

/* The first step below that has to learn what it is on the fresh object. */
static struct obv__step *first_to_learn(const struct round *round)
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

/* W4 for up to ROUND ways that hung at the same object. */
static void move_ways_locked(struct round *round)
{
    size_t place = 0;
    struct obv__step *step = obv__step_first_child(round->way->step);
    for (; step && round->count < ROUND; step = obv__step_next_sibling(step)) {
        struct obv__way *way = obv__way_below(round->way, step, round->name);
        const struct obv__aim aim = obv__aim_of_locked(step, way, round->fresh);
        if (is_passed(round, step, way, &aim, place++)) {
            continue;
        }
        struct obv_object *before = way ? obv__way_container(way) : NULL;
        if (round->count == 0) {
            begin_with(round, before);
        }
        if (before == round->before) {
            move_way(round, step, way, &aim);
        } else {
            round->has_rest = true;
            if (round->all_changed) {
                break;
            }
        }
    }
    round->has_rest = round->has_rest || step;
}

/* Whether a way below hangs where it is to, although the edit has put another
   object there: an edit that came before or after this one has moved it, or was
   undone before it could. */
OBV__NOINLINE static bool is_overtaken_locked(const struct round *round)
{
    bool found = false;
    struct obv__step *step = obv__step_first_child(round->way->step);
    for (; step && !found; step = obv__step_next_sibling(step)) {
        struct obv__way *way = obv__way_below(round->way, step, round->name);
        struct obv_object *container = way ? obv__way_container(way) : NULL;
        found = container &&
                container == obv__aim_of_locked(step, way, round->fresh).target;
    }
    return found;
}

/* Hangs the watcher that sees somebody come where nobody is; false: somebody has
   come before. */
OBV__NOINLINE static bool await_locked(struct round *round)
{
    round->is_unwatched =
        round->awaited.is_short ||
        !obv__way_move_life_locked(round->way, round->slot,
                                   &round->awaited.entry->object);
    return round->is_unwatched ||
           obv__way_has_life_locked(round->way, round->slot);
}

/* W3 and W4. Answers whether the number had not moved; if `learner` is set, W4
   is still to do. */
static bool commit(struct round *round, struct obv__step **learner)
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
        round->done = 0;
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
            !obv__way_move_life_locked(round->way, round->slot, round->fresh);
    }
    move_ways_locked(round);
    round->done += round->count;
    round->unknown_is_missed = round->unknown && is_followed(round->unknown);
    obv__lock_leave(lock);
    return true;
}

/* Comparing ---------------------------------------------------------------- */

/* Whether what a step held on `before` was in the very slot that is edited (in a
   cyclic graph), and so is stored over. */
static bool hung_at_the_edit(const struct round *round,
                             const struct obv_element *element,
                             struct obv__edited *edited)
{
    const struct obv__due *due = round->due;
    if (!round->before || round->before != due->edited) {
        return false;
    }
    uint32_t slot = obv__slot_on(element, round->before);
    *edited = (struct obv__edited){due->slot, due->old};
    return slot == due->slot || slot == OBV__SLOT_EVERY;
}

/* Where only one of two containers has the element: whether it stands for
   anything there. What nothing holds is not asked. */
static bool reaches_one(const struct round *round,
                        const struct obv_element *element,
                        struct obv_object *now)
{
    const struct obv__matcher *matcher = obv__matcher(element);
    bool held = now ? round->fresh_held : round->before_held;
    return !matcher->reaches || !held ||
           matcher->reaches(element, now ? now : round->before);
}

/* What any thread may set counts before as it was told, not as it is found, and
   now as it is known from here on: of scalars what is known is compared. Answers
   whether it was. `room` is for the old value, which is that of the change. */
static bool compare_as_known(const struct moved *moved, uint64_t *room,
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
    change->edited = (struct obv__edited){old->slot, was};
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
static void compare_end(const struct round *round, struct moved *moved,
                        struct obv__change *change)
{
    const struct obv_element *element = obv__step_element(moved->step);
    *change = (struct obv__change){.slot = OBV__NO_SLOT,
                                   .step = moved->step,
                                   .way = moved->way,
                                   .before = round->before,
                                   .now = moved->aim.target};
    change->is_edited = hung_at_the_edit(round, element, &change->edited);
    if (moved->was_short || round->all_changed || round->is_uncompared) {
        change->is_unknown = change->differs = true;
    } else if (!change->before || !change->now) {
        change->differs = change->before != change->now &&
                          reaches_one(round, element, change->now);
    } else if (compare_as_known(moved, &moved->known, change)) {
        return;
    } else if (obv__matcher_is_name(element)) {
        change->differs = obv__slots_differ(
            change->before, moved->aim.slot_now, change->now, moved->aim.slot,
            change->is_edited ? &change->edited : NULL);
    } else {
        change->differs = obv__matcher(element)->differs(
            element, change->before, change->now,
            change->is_edited ? &change->edited : NULL);
    }
}

/* W5 to W7 ----------------------------------------------------------------- */

static void sync_below(struct obv__way *way, const struct obv__watcher *binding,
                       struct obv__due *due, bool all_changed);

static void first_end(void *found, struct obv__watcher *end)
{
    struct obv__watcher **first = found;
    *first = *first ? *first : obv__observation(end);
}

/* Tells of a step, with the label of the first that follows it. Its text does
   not stand on the stack at each level of a path. */
OBV__NOINLINE static void report_step(const struct obv__step *step,
                                      enum obv_diagnostic_kind kind,
                                      const char *message)
{
    struct obv_context *context = step->paths->context;
    struct obv__thread *self = obv__thread_self();
    struct obv_element elements[OBV_PATH_COUNT_MAX];
    struct obv__watcher *first = NULL;
    char text[256];
    size_t count = obv__step_elements(step, elements);
    (void)obv_path_print(context->names, elements, count, text, sizeof text);
    obv__lock_enter(&context->paths);
    obv__ends_below_locked(step, first_end, &first);
    obv__lock_leave(&context->paths);
    if (obv__running_is_full(self)) {
        first = NULL; /* it could not be pinned */
    }
    bool alive = first && obv__pin(self, first);
    obv__diagnose(context, kind, message, text,
                  alive ? first->with.kind->label : NULL);
    if (first) {
        obv__unpin(self, context, first);
    }
}

void obv__report_unknown(const struct obv__step *step)
{
    report_step(step, OBV_DIAGNOSTIC_UNRESOLVED,
                "a key path leads through what is no observable property");
}

static void report_short(const struct obv__way *way)
{
    report_step(way->step, OBV_DIAGNOSTIC_MEMORY,
                "a path could not be followed for want of memory");
}

static bool hold_object(struct obv_object *object)
{
    const struct obv_class *cls = obv__class_of(object);
    return cls->retain && cls->retain(object);
}

/* Whether looking at what ends in this round runs code of the program. */
static bool runs_code(const struct round *round)
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
static void hold_both(struct round *round)
{
    round->before_held = round->is_uncompared = false;
    if (!round->before || !runs_code(round)) {
        return;
    }
    round->before_held = hold_object(round->before);
    obv__try_end(round->due->thread);
    if (round->fresh && !round->fresh_held) {
        round->fresh_held = hold_object(round->fresh);
    }
    round->is_uncompared =
        !round->before_held || (round->fresh && !round->fresh_held);
}

static void let_before_go(const struct round *round)
{
    if (round->before_held) {
        obv__class_of(round->before)->release(round->before);
    } else if (round->before && !round->is_uncompared) {
        obv__try_end(round->due->thread);
    }
}

static bool moved_to_any_thread(const struct round *round)
{
    bool found = false;
    for (size_t i = 0; i < round->count && !found; i++) {
        const struct obv__watcher *binding = round->moved[i].binding;
        found = binding && obv__is_at_any_thread(binding);
    }
    return found;
}

static void end_fresh_try(struct round *round)
{
    if (round->fresh_tried) {
        round->fresh_tried = false;
        obv__try_end(round->due->thread);
    }
}

/* What any thread may set is known from now on in the new object. Where that has
   not come with a reference, and nothing hung elsewhere before, it may be another
   thread's: then a try is published. */
static void note_fresh(struct round *round)
{
    if (!moved_to_any_thread(round)) {
        end_fresh_try(round);
        return;
    }
    const struct obv_class *cls = obv__class_of(round->fresh);
    bool runs_code = obv__class_runs_code(cls) && !round->fresh_held;
    bool held = runs_code && hold_object(round->fresh);
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

/* The ways of this round that have come to nothing. */
static void forget_idle(const struct round *round)
{
    struct obv__lock *lock = &obv__way_context(round->way)->paths;
    if (!round->way->step->is_beneath && round->name == 0) {
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

/* W6: what differs is noted while `before` is held, and due when it is not. */
static void look_at_moved(struct round *round)
{
    struct obv__change changes[ROUND];
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

static void finish_round(struct round *round)
{
    bool is_missed = false;
    if (round->count != 0) {
        obv__moment_moves_on();
        look_at_moved(round);
    }
    for (size_t i = 0; i < round->count; i++) {
        is_missed = is_missed || round->moved[i].is_missed;
    }
    if (is_missed || round->is_unwatched) {
        report_short(round->way);
    }
    if (round->unknown_is_missed) {
        obv__report_unknown(round->unknown);
    }
    for (size_t i = 0; i < round->count; i++) {
        const struct moved *moved = &round->moved[i];
        if (moved->way) {
            sync_below(moved->way, moved->binding, round->due,
                       round->all_changed || moved->was_short);
        }
    }
    forget_idle(round);
}

/* W1 to W7 ----------------------------------------------------------------- */

static bool is_foreign(const struct obv_property *property)
{
    return property->flags & OBV_FOREIGN;
}

static bool leads_to_foreign(const struct obv_element *element,
                             const struct obv_object *container, uint32_t slot)
{
    return slot <= OBV__SLOT_LAST && !obv__matcher_is_view(element) &&
           is_foreign(obv__class_of(container)->properties[slot]);
}

/* The same of a property that leads to foreign objects. */
OBV__NOINLINE static struct obv_object *
behind_foreign(struct round *round, struct obv_object *container)
{
    const struct obv_property *property =
        obv__class_of(container)->properties[round->slot];
    struct obv_object *child = obv__foreign_child(
        container, property, &round->fresh_held, &round->awaited);
    round->awaits = round->awaited.entry || round->awaited.is_short;
    return child;
}

/* A try of the container, while it cannot have ended: its end would have to take
   the binding away first. */
static bool guard_container(const struct round *round,
                            const struct obv__watcher *binding)
{
    struct obv__lock *lock = &obv__way_context(round->way)->paths;
    obv__lock_enter(lock);
    bool here = round->way->binding == binding;
    if (here) {
        obv__try_begin(round->due->thread, (const void *)binding->place);
    }
    obv__lock_leave(lock);
    return here;
}

/* What a foreign pointer leads to whose container nobody holds for us. Of one that
   is bound no more nothing is read: the number has moved. */
OBV__NOINLINE static struct obv_object *
behind_guarded(struct round *round, const struct obv__watcher *binding)
{
    void *address = NULL;
    if (guard_container(round, binding)) {
        struct obv_object *container = (struct obv_object *)binding->place;
        address = obv__foreign_address(
            container, obv__class_of(container)->properties[round->slot]);
        obv__try_end(round->due->thread);
    }
    struct obv_object *child =
        obv__foreign_at(obv__way_context(round->way), address,
                        &round->fresh_held, &round->awaited);
    round->awaits = round->awaited.entry || round->awaited.is_short;
    return child;
}

/* The object behind the slot that a way hangs in by `binding`, or NULL. */
static struct obv_object *behind(struct round *round,
                                 const struct obv__watcher *binding)
{
    const struct obv_element *element = obv__step_element(round->way->step);
    bool *held = &round->fresh_held;
    *held = false;
    if (!binding || round->slot == OBV__NO_SLOT) {
        return NULL;
    }
    if (OBV__UNLIKELY(round->guards)) {
        return behind_guarded(round, binding);
    }
    struct obv_object *container =
        (struct obv_object *)obv__load_acquire(&binding->place);
    if (!container) {
        return NULL;
    }
    if (OBV__UNLIKELY(obv__is_at_weak(binding)) &&
        leads_to_foreign(element, container, round->slot)) {
        return behind_foreign(round, container);
    }
    return obv__matcher_is_name(element)
               ? obv__child(container,
                            obv__class_of(container)->properties[round->slot],
                            held)
               : obv__matcher(element)->child(element, container, round->slot,
                                              held);
}

OBV__NOINLINE static void await_no_more(struct round *round)
{
    if (round->awaited.entry) {
        obv__foreign_leave(round->awaited.entry);
    }
    round->awaits = false;
}

/* Gives back what behind() holds. */
static void let_fresh_go(struct round *round)
{
    if (round->fresh_held) {
        obv__class_of(round->fresh)->release(round->fresh);
        round->fresh_held = false;
    }
    if (OBV__UNLIKELY(round->awaits)) {
        await_no_more(round);
    }
}

/* W1 to W4. Answers false once another thread has bound the way elsewhere:
   that thread brings in line what is below, and its object need not live for
   us. */
static bool begin_round(struct round *round, const struct obv__watcher *binding)
{
    struct obv__step *learner;
    for (;;) {
        let_fresh_go(round);
        /* Seq_cst: W1, before the reads of W2. */
        round->edits = obv__load_seq_cst(&round->way->edits);
        obv__pause_point("wiring: noted");
        /* Acquire, as in obv__way_container(). */
        if (obv__load_acquire(&round->way->binding) != binding) {
            return false;
        }
        round->fresh = behind(round, binding);
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

/* Answers false as begin_round() does; else what is behind the way is still
   held. */
static bool sync_round(struct round *round, const struct obv__watcher *binding)
{
    do {
        if (!begin_round(round, binding)) {
            return false;
        }
        finish_round(round);
    } while ((round->count != 0 && round->has_rest) || round->unknown);
    return true;
}

/* Field by field: what has moved is written before it is read. */
static void round_init(struct round *round, struct obv__way *way,
                       const struct obv__watcher *binding, struct obv__due *due)
{
    round->way = way;
    round->due = due;
    round->slot = binding ? binding->slot : OBV__NO_SLOT;
    round->name = 0;
    round->fresh = round->before = NULL;
    round->fresh_held = round->before_held = round->awaits = false;
    round->fresh_tried = false;
    round->is_uncompared = round->has_no_room = false;
    round->edits = 0;
    round->unknown = NULL;
    round->unknown_is_missed = round->is_unwatched = false;
    round->all_changed = round->has_rest = false;
    round->guards = round->expects_move = round->is_overtaken = false;
    round->done = round->count = 0;
}

/* Under a `*`, for what one property leads to; `slot` may be NO_SLOT. */
static bool sync_property(struct obv__way *way,
                          const struct obv__watcher *binding,
                          struct obv__due *due, bool all_changed, uint32_t slot,
                          uint32_t name)
{
    struct round round;
    round_init(&round, way, binding, due);
    round.all_changed = all_changed;
    round.slot = slot;
    round.name = name;
    bool here = sync_round(&round, binding);
    if (here) {
        let_fresh_go(&round);
    }
    return here;
}

/* Whether a class has an object property of this name. */
static bool leads_on_by(const struct obv_class *cls, uint32_t name)
{
    int32_t found = cls ? obv__class_find(cls, name) : -1;
    return found >= 0 && obv__may_hold_object(cls->properties[found]);
}

/* A name behind `name` by which there are ways that the container does not lead
   to; 0: none. */
static uint32_t next_stale_name(const struct obv__way *way,
                                const struct obv_class *cls, uint32_t name)
{
    struct obv__lock *lock = &obv__way_context(way)->paths;
    obv__lock_enter(lock);
    do {
        name = obv__way_next_name(way, name + 1);
    } while (name != 0 && leads_on_by(cls, name));
    obv__lock_leave(lock);
    return name;
}

/* Whether what a property holds concerns a `*`: everything where steps hang below
   it; else the objects whose end is a change (WC-6: no more is read). */
static bool must_follow(const struct obv_property *property, bool leads_on)
{
    return obv__may_hold_object(property) &&
           (leads_on || (property->flags & OBV_WEAK));
}

static bool leads_on(const struct obv__way *way)
{
    struct obv__lock *lock = &obv__way_context(way)->paths;
    obv__lock_enter(lock);
    bool leads = obv__step_first_child(way->step) != NULL;
    obv__lock_leave(lock);
    return leads;
}

/* The same of the one that is edited. Nobody waits at an address for nothing. */
static bool follows(const struct obv__way *way,
                    const struct obv_property *property)
{
    return must_follow(property, !is_foreign(property) || leads_on(way));
}

static void sync_every_property(struct obv__way *way,
                                const struct obv__watcher *binding,
                                struct obv__due *due, bool all_changed)
{
    const struct obv_object *container =
        binding ? (const struct obv_object *)obv__load_acquire(&binding->place)
                : NULL;
    const struct obv_class *cls = container ? obv__class_of(container) : NULL;
    bool all = leads_on(way);
    bool here = true;
    for (uint32_t i = 0; here && cls && i < cls->property_count; i++) {
        if (must_follow(cls->properties[i], all)) {
            here = sync_property(way, binding, due, all_changed, i,
                                 obv__property_name(cls, i));
        }
    }
    /* Each once: what another thread has taken from where it hung is there until
       that thread forgets it, and is not waited for. */
    uint32_t name = 0;
    while (here && (name = next_stale_name(way, cls, name)) != 0) {
        here =
            sync_property(way, binding, due, all_changed, OBV__NO_SLOT, name);
    }
}

/* Whether nothing hangs below a binding and nobody has to see the end of what is
   behind it. Who hangs something there later brings it in line. */
static bool is_leaf(const struct obv__watcher *binding)
{
    return binding && !obv__has_state(binding, OBV__MIDDLE) &&
           !obv__is_at_weak(binding);
}

/* The frequent way --------------------------------------------------------- */

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
    return before != hop->fresh && before != hop->due->edited &&
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
    hop->is_missed = is_followed(step);
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
        report_short(hop->way);
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

static void sync_below(struct obv__way *way, const struct obv__watcher *binding,
                       struct obv__due *due, bool all_changed)
{
    struct hop hop = {.way = way, .binding = binding, .due = due};
    while (!all_changed && !is_leaf(hop.binding) && hop_below(&hop)) {
        way = hop.way;
        binding = hop.binding;
        all_changed = !binding;
    }
    if (is_leaf(binding)) {
        return;
    }
    if (obv__step_is_any(way->step)) {
        sync_every_property(way, binding, due, all_changed);
        return;
    }
    struct round round;
    round_init(&round, way, binding, due);
    round.all_changed = all_changed;
    if (sync_round(&round, binding)) {
        let_fresh_go(&round);
    }
}

/* Edits -------------------------------------------------------------------- */

static bool concerns(const struct obv__step *step, const struct obv__due *due)
{
    const struct obv_element *element = obv__step_element(step);
    return !due->is_same &&
           (!obv__matcher_is_view(element) ||
            obv__matcher(element)->changed(element, due->edited, due->old));
}

/* What ends at the slot that is edited. */
static void add_edited(const struct obv__watcher *binding, struct obv__due *due,
                       bool concerned, uint64_t since)
{
    struct obv__way *way = binding->of;
    struct obv__change change = {.step = way->step,
                                 .way = way,
                                 .before = due->edited,
                                 .now = due->edited,
                                 .slot = OBV__NO_SLOT,
                                 .edited = {due->slot, due->old},
                                 .is_edited = true,
                                 .differs = concerned};
    if (obv__step_is_any(way->step)) {
        change.slot = due->slot;
    }
    obv__ends_look(due, &change, since);
    obv__ends_add(due, &change, since);
}

/* Whether a set of a property that any thread may set has put another object
   there, as far as the binding can tell. Of a trigger what is wired counts. */
static bool has_put_another(const struct obv__step *step,
                            const struct obv__due *due,
                            const struct obv_property *property)
{
    return (property->flags & OBV_ANY_THREAD) && !due->is_by_hand &&
           !obv__matcher_is_view(obv__step_element(step)) &&
           obv__may_hold_object(property) &&
           obv__property_has_left(due->edited, property, due->old);
}

/* What hangs below may have been called for an object that another thread's edit
   has put there in between, and which it has never hung at: then all below
   counts as changed. */
OBV__NOINLINE static void sync_any_thread(struct obv__way *way,
                                          const struct obv__watcher *binding,
                                          struct obv__due *due,
                                          const struct obv_class *cls)
{
    struct round round;
    round_init(&round, way, binding, due);
    round.slot = due->slot;
    round.name =
        obv__step_is_any(way->step) ? obv__property_name(cls, due->slot) : 0;
    round.expects_move = true;
    bool here = sync_round(&round, binding);
    if (here && round.is_overtaken) {
        round.all_changed = true;
        round.done = 0;
        here = sync_round(&round, binding);
    }
    if (here) {
        let_fresh_go(&round);
    }
}

/* Brings in line what is behind the slot that is edited. */
static void sync_edited(struct obv__way *way,
                        const struct obv__watcher *binding,
                        struct obv__due *due)
{
    const struct obv_class *cls = obv__class_of(due->edited);
    if (OBV__UNLIKELY(
            obv__is_at_any_thread(binding) && !is_leaf(binding) &&
            has_put_another(way->step, due, cls->properties[due->slot]))) {
        sync_any_thread(way, binding, due, cls);
    } else if (!obv__step_is_any(way->step)) {
        sync_below(way, binding, due, false);
    } else if (!is_leaf(binding) && follows(way, cls->properties[due->slot])) {
        (void)sync_property(way, binding, due, false, due->slot,
                            obv__property_name(cls, due->slot));
    }
}

void obv__rewire(struct obv__watcher *binding, struct obv__due *due,
                 uint64_t since)
{
    struct obv__way *way = binding->of;
    bool concerned = concerns(way->step, due);
    add_edited(binding, due, concerned, since);
    if (due->is_same) {
        return;
    }
    obv__way_moves_on(way);
    sync_edited(way, binding, due);
    if (concerned) {
        obv__ends_add_any(way->step, due, since);
    }
}

/* A way whose second watcher has seen an end. */
struct lost {
    struct obv__way *way;
    const struct obv__watcher *binding;
    struct obv_object *container; /* NULL: is at its end as well */
    uint32_t slot;                /* what led to the object there */
    uint32_t name;                /* of that property; 0 but under a `*` */
    bool is_held;                 /* the container, with a reference */
};

/* The container may be at its end on another thread. */
static void find_lost_locked(struct lost *lost, struct obv__way *way,
                             uint32_t slot, struct obv__thread *self)
{
    *lost = (struct lost){.way = way, .binding = way->binding, .slot = slot};
    lost->container = obv__way_container(way);
    lost->name = obv__step_is_any(way->step)
                     ? obv__property_name(obv__class_of(lost->container), slot)
                     : 0;
    obv__try_begin(self, lost->container);
}

/* By a reference: code of the program is to look at it. Where its class has none,
   the program orders such ends. One that refuses tells at its own end. */
static void hold_container(struct lost *lost, struct obv__thread *self)
{
    bool has_hooks = obv__class_of(lost->container)->retain;
    lost->is_held = hold_object(lost->container);
    obv__try_end(self);
    if (has_hooks && !lost->is_held) {
        lost->container = NULL;
    }
}

static void let_container_go(const struct lost *lost)
{
    if (lost->is_held) {
        obv__class_of(lost->container)->release(lost->container);
    }
}

/* The address of a foreign object is what it was: only what is behind it
   differs. */
OBV__NOINLINE static void look_again(struct lost *lost, struct obv__due *due)
{
    struct round round;
    hold_container(lost, due->thread);
    if (!lost->container) {
        return;
    }
    obv__way_moves_on(lost->way);
    round_init(&round, lost->way, lost->binding, due);
    round.slot = lost->slot;
    round.name = lost->name;
    round.guards = !lost->is_held;
    if (sync_round(&round, lost->binding)) {
        let_fresh_go(&round);
    }
    let_container_go(lost);
}

/* What a weak property held has died. Nobody is asked about an object that is at
   its end (LT-7). */
OBV__NOINLINE static void tell_of_death(struct lost *lost, struct obv__due *due)
{
    hold_container(lost, due->thread);
    if (!lost->container) {
        return;
    }
    struct obv__change change = {.step = lost->way->step,
                                 .way = lost->way,
                                 .before = lost->container,
                                 .now = lost->container,
                                 .slot = lost->name != 0 ? lost->slot
                                                         : OBV__NO_SLOT,
                                 .is_lost = true,
                                 .differs = true};
    obv__ends_look(due, &change, obv__moment());
    let_container_go(lost);
    obv__ends_add(due, &change, obv__moment());
    obv__ends_add_any(lost->way->step, due, obv__moment());
}

/* The container of a way is at its end. */
static void let_go_bound(struct obv__way *way, struct obv_object *object,
                         struct obv__due *due)
{
    struct obv__lock *lock = &obv__way_context(way)->paths;
    /* Its values are copied from where they lie; a view would be asked. */
    struct obv__change change = {
        .step = way->step,
        .way = way,
        .before = object,
        .slot = OBV__NO_SLOT,
        .is_unknown = obv__matcher_is_view(obv__step_element(way->step)),
        .differs = true};
    obv__ends_look(due, &change, obv__moment());
    obv__ends_add(due, &change, obv__moment());
    sync_below(way, NULL, due, false);
    obv__lock_enter(lock);
    obv__way_forget_if_idle(way);
    obv__lock_leave(lock);
}

void obv__let_go(struct obv__watcher *binding, struct obv_object *object,
                 struct obv__due *due)
{
    struct obv__way *way = binding->of;
    struct obv__lock *lock = &obv__way_context(way)->paths;
    struct lost lost;
    obv__lock_enter(lock);
    bool here = binding->place == (uintptr_t)object;
    bool bound = here && way->binding == binding;
    uint32_t slot = binding->serial;
    /* What is behind its slot. */
    bool is_lost = here && !bound && obv__way_end_life_locked(way, binding);
    if (is_lost) {
        find_lost_locked(&lost, way, slot, due->thread);
    }
    if (bound) {
        obv__way_unbind_locked(way);
    }
    obv__lock_leave(lock);
    if (bound) {
        let_go_bound(way, object, due);
    } else if (is_lost && obv__class_of(object)->is_foreign) {
        look_again(&lost, due);
    } else if (is_lost) {
        tell_of_death(&lost, due);
    }
}

/* Beginning to observe ------------------------------------------------------ */

/* Binds the first step of a path to the root itself. */
static bool bind_first(struct obv__way *first, struct obv_object *root)
{
    const struct obv_element *element = obv__step_element(first->step);
    struct obv__lock *lock = &obv__way_context(first)->paths;
    if (obv__matcher_must_learn(element, obv__class_of(root))) {
        obv__matcher_learn(element, root);
    }
    obv__lock_enter(lock);
    uint32_t slot = obv__slot_on(element, root);
    bool good = first->binding || slot == OBV__NO_SLOT ||
                obv__way_bind_locked(first, root, slot);
    obv__lock_leave(lock);
    obv__moment_moves_on();
    return good;
}

/* The binding of a way if it hangs at `container`, else NULL. */
static struct obv__watcher *binding_at(const struct obv__way *way,
                                       const struct obv_object *container)
{
    struct obv__watcher *binding = obv__load_acquire(&way->binding);
    return binding && container &&
                   obv__load_acquire(&binding->place) == (uintptr_t)container
               ? binding
               : NULL;
}

/* A path that begins to be observed: its steps from the root on. */
struct chain {
    struct obv__step *steps[OBV_PATH_COUNT_MAX];
    size_t count;
    bool was_short; /* tries again what had no memory */
    struct obv__due *due;
};

static void sync_chain_at(const struct chain *chain, size_t at,
                          struct obv__way *way, struct obv_object *container);

static struct obv__way *find_below(struct obv__way *way, struct obv__step *step,
                                   uint32_t name)
{
    struct obv__lock *lock = &obv__way_context(way)->paths;
    obv__lock_enter(lock);
    struct obv__way *found = obv__way_below(way, step, name);
    obv__lock_leave(lock);
    return found;
}

/* W1 to W7 for what one slot leads to, and on from there, while it is held. */
static void sync_chain_by(const struct chain *chain, size_t at,
                          struct obv__way *way,
                          const struct obv__watcher *binding, uint32_t slot,
                          uint32_t name)
{
    struct round round;
    round_init(&round, way, binding, chain->due);
    round.slot = slot;
    round.name = name;
    if (!sync_round(&round, binding)) {
        return;
    }
    if (at + 1 < chain->count && round.fresh) {
        struct obv__way *below = find_below(way, chain->steps[at + 1], name);
        if (below) {
            sync_chain_at(chain, at + 1, below, round.fresh);
        }
    }
    let_fresh_go(&round);
}

/* As far as this thread reaches: each object is held, if it came with a
   reference, until the one behind it is read. Where another thread has bound a
   way to an object of its own, that thread goes on. */
static void sync_chain_at(const struct chain *chain, size_t at,
                          struct obv__way *way, struct obv_object *container)
{
    const struct obv__watcher *binding = binding_at(way, container);
    if (!binding || (at + 1 == chain->count && !obv__is_at_weak(binding))) {
        return; /* nothing hangs behind the end */
    }
    if (chain->was_short) {
        obv__way_moves_on(way);
    }
    if (!obv__step_is_any(way->step)) {
        sync_chain_by(chain, at, way, binding, binding->slot, 0);
        return;
    }
    const struct obv_class *cls = obv__class_of(container);
    for (uint32_t i = 0; i < cls->property_count; i++) {
        if (must_follow(cls->properties[i], at + 1 < chain->count)) {
            sync_chain_by(chain, at, way, binding, i,
                          obv__property_name(cls, i));
        }
    }
}

bool obv__sync_chain(struct obv__step *leaf, struct obv_object *root,
                     struct obv__due *due)
{
    struct chain chain = {.due = due, .was_short = obv__step_is_short(leaf)};
    struct obv__step *step = leaf;
    chain.count = obv_trie_node_depth(obv__step_node(leaf));
    for (size_t i = chain.count; i-- > 0; step = obv__step_parent(step)) {
        chain.steps[i] = step;
    }
    struct obv__way *first = &chain.steps[0]->own;
    if (!bind_first(first, root)) {
        return false;
    }
    due->was_short = false;
    sync_chain_at(&chain, 0, first, root);
    /* Beneath a `*` a step does not tell of each of its ways. */
    return !(leaf->is_beneath && due->was_short) && !obv__step_is_short(leaf);
}
