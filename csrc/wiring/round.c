/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W1 to W4: what is behind a path instance, and the path instances below it
 * hang there.
 */
#include "wiring/round.h"

#include "model/foreign_entry.h"
#include "platform/pause_point.h"
#include "wiring/binding.h"
#include "wiring/path_report.h"

#include <string.h>

/* W4: moving the path instances below a path instance ---------------------- */

static bool is_known_here(const struct obv__round *round)
{
    return round->fresh && obv__class_of(round->fresh)->context ==
                               obv__path_instance_context(round->instance);
}

/* Whether a component is no observable property of what is behind the path
   instance. Below nil it stays what it was. A value that is no object is an
   error only if the path as written leads there, which one with a `*` does
   not. */
static bool is_unknown_here(const struct obv__round *round,
                            const struct obv__path_node *node)
{
    return is_known_here(round)
               ? obv__matcher_is_unknown(obv__path_node_element(node),
                                         obv__class_of(round->fresh))
               : node->is_unknown || ((round->said & OBV__CHILD_IS_VALUE) &&
                                      round->child.key == 0);
}

/* A path node has been settled: notes whether it is unknown there. */
static void note_unknown(struct obv__round *round, struct obv__path_node *node)
{
    if (!obv__matcher_asks_binding(obv__path_node_element(node))) {
        return;
    }
    bool is_unknown = is_unknown_here(round, node);
    if (is_unknown && !node->is_unknown && obv__path_node_is_followed(node)) {
        round->unknown = node;
    }
    obv__store_relaxed(&node->is_unknown, is_unknown);
}

OBV__INLINE void move_path_instance(struct obv__round *round,
                                    struct obv__path_node *node,
                                    struct obv__path_instance *instance,
                                    const struct obv__aim *aim, bool is_short)
{
    struct obv__moved *moved = &round->moved[round->count++];
    struct obv__watcher *binding = NULL;
    if (!instance && (aim->target || is_short)) {
        instance =
            obv__path_instance_make(round->instance, node, round->child.key);
    }
    moved->old = instance ? instance->binding : NULL;
    if (instance && aim->target) {
        binding =
            obv__path_instance_bind_locked(instance, aim->target, aim->slot);
    } else if (instance) {
        obv__path_instance_unbind_locked(instance);
    }
    is_short = is_short || (aim->target && !binding);
    if (OBV__UNLIKELY(is_short)) {
        obv__path_instance_lacks_below(round->instance, node);
        round->due->was_short = true;
        round->is_missed = round->is_missed || obv__path_node_is_followed(node);
    }
    moved->binding = binding;
    moved->was_short = is_short;
    moved->change = (struct obv__change){.node = node,
                                         .instance = instance,
                                         .before = round->before,
                                         .now = aim->target,
                                         .slot = OBV__NO_SLOT};
}

/* Under the lock, and while the first path instance still hangs there: the end
   of `before` has to take it away first, so it has yet to wait for this hazard
   pointer. */
static void begin_with(struct obv__round *round,
                       const struct obv__path_node *node,
                       struct obv_object *before)
{
    round->before = before;
    if (before) {
        obv__hazard_set(
            round->due->thread,
            obv__matcher_keeper(obv__path_node_element(node), before));
        round->before_kept = OBV__KEPT_BY_HAZARD;
    } else if (round->fresh && round->fresh_kept == OBV__KEPT_NOT &&
               /* No thread that takes it away from where we have read it has
                  come past the lock: so it is there. */
               (obv__class_of(round->fresh)->flags & OBV_ANY_THREAD)) {
        obv__hazard_set(round->due->thread, round->fresh);
        round->fresh_kept = OBV__KEPT_BY_HAZARD;
    }
}

/* A path node's path instance goes to where it is to hang, if it does not hang
   there. False: it is for the next round, since it hung elsewhere than those of
   this one. */
static bool resolve_path_node(struct obv__round *round,
                              struct obv__path_node *node)
{
    struct obv__path_instance *instance =
        obv__path_instance_below(round->instance, node, round->child.key);
    const struct obv__aim aim =
        obv__aim_of_locked(node, instance, round->fresh, true);
    struct obv_object *before =
        instance ? obv__path_instance_container(instance) : NULL;
    bool is_short = aim.is_short || (round->said & OBV__CHILD_IS_SHORT);
    bool stays =
        before == aim.target && !is_short && round->counts != OBV__COUNTS_ALL;
    bool is_here = stays || round->count == 0 || before == round->before;
    if (is_here && !stays) {
        if (round->count == 0) {
            begin_with(round, node, before);
        }
        move_path_instance(round, node, instance, &aim, is_short);
    } else if (stays && instance) {
        obv__path_instance_forget_if_idle(instance);
    }
    if (is_here) {
        note_unknown(round, node);
    }
    obv__place_leave_locked(obv__path_node_element(node), aim.target);
    return is_here;
}

/* W4 for up to OBV__ROUND path instances that hung at the same object, until a
   path node is found to be unknown. */
static void move_instances_locked(struct obv__round *round)
{
    size_t place = 0;
    struct obv__path_node *node =
        obv__path_node_first_child(round->instance->node);
    while (node && (place < round->done ||
                    (round->count < OBV__ROUND && !round->unknown &&
                     resolve_path_node(round, node)))) {
        place++;
        node = obv__path_node_next_sibling(node);
    }
    round->done = place;
    round->has_rest = node != NULL;
}

/* The path instance below the only path node, if it has only to go from one
   object to another of the same class, and nothing is to be told but that the
   leaves there differ. */
static struct obv__path_instance *
only_below_locked(const struct obv__round *round)
{
    struct obv__path_node *node =
        obv__path_node_first_child(round->instance->node);
    if (!node || obv__path_node_next_sibling(node) || node->is_beneath ||
        !obv__matcher_is_name(obv__path_node_element(node)) ||
        obv__path_node_wants(node, OBV__WANTS_OLD | OBV__WANTS_CODE)) {
        return NULL;
    }
    struct obv__path_instance *instance = &node->own;
    const struct obv__watcher *binding = instance->binding;
    if (!binding || (binding->type & (OBV__AT_WEAK | OBV__AT_ANY_THREAD))) {
        return NULL;
    }
    const struct obv_object *before = (const struct obv_object *)binding->place;
    const struct obv_class *cls = obv__class_of(round->fresh);
    return before != round->fresh &&
                   !obv__edit_touches(&round->due->edit, before) &&
                   obv__class_of(before) == cls && !obv__class_runs_code(cls)
               ? instance
               : NULL;
}

/* W4 of a plain round; false: it is none. */
OBV__INLINE bool move_plainly_locked(struct obv__round *round)
{
    struct obv__path_instance *instance = only_below_locked(round);
    if (instance) {
        const struct obv__aim aim = {round->fresh, instance->binding->slot,
                                     false};
        /* As in begin_with(). */
        round->before = (struct obv_object *)instance->binding->place;
        obv__hazard_set(round->due->thread, round->before);
        move_path_instance(round, instance->node, instance, &aim, false);
    }
    return instance != NULL;
}

/* W3 and W4 --------------------------------------------------------------- */

/* The first path node below that has to learn what it is on the fresh
   object. */
static struct obv__path_node *first_to_learn(const struct obv__round *round)
{
    if (!is_known_here(round)) {
        return NULL;
    }
    struct obv__path_node *node =
        obv__path_node_first_child(round->instance->node);
    while (node && !obv__matcher_must_learn(obv__path_node_element(node),
                                            obv__class_of(round->fresh))) {
        node = obv__path_node_next_sibling(node);
    }
    return node;
}

/* Whether a path instance below hangs where it is to, although the edit has put
   another object there: an edit that came before or after this one has moved
   it, or was undone before it could. */
OBV__NOINLINE static bool is_overtaken_locked(const struct obv__round *round)
{
    bool found = false;
    struct obv__path_node *node =
        obv__path_node_first_child(round->instance->node);
    for (; node && !found; node = obv__path_node_next_sibling(node)) {
        struct obv__path_instance *instance =
            obv__path_instance_below(round->instance, node, round->child.key);
        struct obv_object *container =
            instance ? obv__path_instance_container(instance) : NULL;
        found =
            container &&
            container ==
                obv__aim_of_locked(node, instance, round->fresh, false).target;
    }
    return found;
}

static bool awaits(const struct obv__round *round)
{
    return round->awaited.entry || round->awaited.is_short;
}

/* Hangs the watcher that sees the end of what is behind the path instance, or
   somebody come where nobody is; false: somebody has come before. */
static bool watch_locked(struct obv__round *round)
{
    struct obv__path_instance *instance = round->instance;
    uint32_t slot = round->child.slot;
    bool is_awaited = awaits(round);
    if (!is_awaited && !instance->life && !obv__is_at_weak(instance->binding)) {
        return true;
    }
    bool is_seen =
        !round->awaited.is_short &&
        obv__path_instance_move_life_locked(
            instance, slot,
            is_awaited ? &round->awaited.entry->object : round->fresh);
    if (OBV__UNLIKELY(!is_seen)) {
        round->is_missed = round->due->was_short = true;
        round->due->is_unwatched = true;
        if (!round->is_trial) {
            obv__path_instance_set_lacks(instance,
                                         instance->lacks | OBV__LACKS_WATCHER);
        }
    }
    return !is_awaited || !is_seen ||
           obv__path_instance_has_life_locked(instance, slot);
}

/* W4 of any other; false: again from W1, once `learner`, if there is one, has
   learned. */
static bool move_locked(struct obv__round *round,
                        struct obv__path_node **learner)
{
    *learner = first_to_learn(round);
    if (*learner) {
        return false;
    }
    if (OBV__UNLIKELY(round->counts == OBV__COUNTS_OVERTAKEN)) {
        round->counts = is_overtaken_locked(round) ? OBV__COUNTS_ALL
                                                   : OBV__COUNTS_DIFFERENT;
    }
    if (!watch_locked(round)) {
        return false;
    }
    move_instances_locked(round);
    return true;
}

/* W3 and W4; false: again from W1, or it is not plain. */
OBV__INLINE bool commit_round(struct obv__round *round, bool is_plain)
{
    struct obv__path_node *learner = NULL;
    round->count = 0;
    round->before = NULL;
    round->before_kept = OBV__KEPT_NOT;
    round->unknown = NULL;
    round->has_rest = round->is_missed = false;
    obv__lock_paths(round->instance->node);
    obv__pause_point("wiring: entered");
    bool is_current =
        obv__load_seq_cst(&round->instance->edits) == round->edits;
    bool good = is_current && (is_plain ? move_plainly_locked(round)
                                        : move_locked(round, &learner));
    obv__unlock_paths(round->instance->node);
    if (!is_current) {
        round->done = 0;
    }
    if (OBV__UNLIKELY(learner != NULL)) {
        obv__matcher_learn(obv__path_node_element(learner), round->fresh);
    }
    return good;
}

/* W2 ------------------------------------------------------------------------ */

/* The object that is registered at an address, or comes there. */
static struct obv_object *behind_address(struct obv__round *round,
                                         void *address, bool *held)
{
    return obv__foreign_at(obv__path_instance_context(round->instance), address,
                           held, &round->awaited);
}

/* A hazard pointer to the container, while it cannot have ended: its end would
   have to take the binding away first. */
static bool guard_container(const struct obv__round *round)
{
    obv__lock_paths(round->instance->node);
    bool here = round->instance->binding == round->binding;
    if (here) {
        obv__hazard_set(
            round->due->thread,
            obv__matcher_keeper(obv__path_node_element(round->instance->node),
                                (struct obv_object *)round->binding->place));
    }
    obv__unlock_paths(round->instance->node);
    return here;
}

/* The object behind a foreign pointer whose container nobody holds for us. If
   the container is bound no more, nothing is read: the number has moved. */
static struct obv_object *behind_guarded(struct obv__round *round, bool *held)
{
    void *address = NULL;
    if (guard_container(round)) {
        struct obv_object *container =
            (struct obv_object *)round->binding->place;
        address = obv__foreign_address(
            container, obv__property_at(container, round->child.slot));
        obv__hazard_clear(round->due->thread);
    }
    return behind_address(round, address, held);
}

/* The object that the slot of the edit held before. */
static struct obv_object *behind_old(struct obv__round *round, bool *held)
{
    const struct obv__edited *at = &round->due->edit.at;
    const struct obv_property *property =
        obv__property_at(at->object, at->slot);
    if (property->custom) {
        struct obv_object *child =
            property->custom->child_of(property, at->old);
        *held = child != NULL;
        return child;
    }
    void *address;
    memcpy(&address, at->old, sizeof address);
    return property->kind == OBV_KIND_object
               ? address
               : behind_address(round, address, held);
}

/* The object behind the slot that a path instance hangs in, or NULL. */
static struct obv_object *behind(struct obv__round *round, bool *held)
{
    const struct obv_element *element =
        obv__path_node_element(round->instance->node);
    uint32_t slot = round->child.slot;
    if (!round->binding || slot == OBV__NO_SLOT) {
        return NULL;
    }
    if (OBV__UNLIKELY(round->reads != OBV__READS_STORED)) {
        return round->reads == OBV__READS_GUARDED ? behind_guarded(round, held)
                                                  : behind_old(round, held);
    }
    struct obv_object *container = obv__binding_place(round->binding);
    if (!container) {
        return NULL;
    }
    if (OBV__UNLIKELY(obv__is_at_weak(round->binding)) &&
        !obv__matcher_is_view(element) &&
        (obv__slot_flags(obv__class_of(container), slot) & OBV_FOREIGN)) {
        return obv__foreign_child(container, obv__property_at(container, slot),
                                  held, &round->awaited);
    }
    return obv__matcher(element)->child(element, container, slot, held);
}

/* A report (OBV__CHILD_...) is of the `child` that runs innermost, whose code
   may bring path instances in line itself, before it says so and after. */
static void read_fresh(struct obv__round *round)
{
    struct obv__thread *thread = round->due->thread;
    uint8_t outer_said = thread->child_said;
    bool held = false;
    thread->child_said = 0;
    round->fresh = behind(round, &held);
    round->fresh_kept = held ? OBV__KEPT_BY_REFERENCE : OBV__KEPT_NOT;
    round->said = round->fresh ? 0 : thread->child_said;
    thread->child_said = outer_said;
}

/* W2 of a plain round, of a property that holds objects of the core's own kind;
   false: it is none, or leads nowhere. */
OBV__INLINE bool read_plainly(struct obv__round *round)
{
    const struct obv__watcher *binding = round->binding;
    const struct obv_object *container = obv__binding_place(binding);
    const struct obv_property *property =
        container ? obv__property_at(container, binding->slot) : NULL;
    if (!property || property->kind != OBV_KIND_object || property->custom) {
        return false;
    }
    round->fresh = *(struct obv_object *const *)obv__field(container, property);
    return round->fresh != NULL;
}

void obv__round_let_go(struct obv__round *round)
{
    if (round->fresh_kept == OBV__KEPT_BY_REFERENCE) {
        obv__class_of(round->fresh)->release(round->fresh);
        round->fresh_kept = OBV__KEPT_NOT;
    }
    if (OBV__UNLIKELY(awaits(round))) {
        if (round->awaited.entry) {
            obv__foreign_leave(round->awaited.entry);
        }
        round->awaited = (struct obv__awaited){NULL, false};
    }
}

/* W1 to W4 ------------------------------------------------------------------ */

/* `is_plain` is constant: then false says that it is not. */
OBV__INLINE bool begin_round(struct obv__round *round, bool is_plain)
{
    bool good;
    do {
        if (!is_plain) {
            obv__round_let_go(round);
        }
        /* Seq_cst: W1, before the reads of W2. */
        round->edits = obv__load_seq_cst(&round->instance->edits);
        obv__pause_point("wiring: noted");
        /* Acquire, as in obv__path_instance_container(). */
        if (obv__load_acquire(&round->instance->binding) != round->binding) {
            return false;
        }
        if (!is_plain) {
            read_fresh(round);
        } else if (!read_plainly(round)) {
            return false;
        }
        obv__pause_point("wiring: read");
        good = commit_round(round, is_plain);
    } while (!good && !is_plain);
    obv__pause_point("wiring: committed");
    return good;
}

bool obv__round_begin(struct obv__round *round)
{
    return begin_round(round, false);
}

/* W6 of a plain round. An observation that has come meanwhile and wants more
   may be told that all has changed. */
OBV__INLINE void look_plainly(const struct obv__round *round)
{
    struct obv__moved *moved = round->moved;
    struct obv__change *change = &moved->change;
    uint64_t since = obv__registration_epoch();
    const struct obv_property *property =
        obv__property_at(round->fresh, moved->old->slot);
    change->is_unknown =
        moved->was_short || obv__path_node_wants(change->node, OBV__WANTS_CODE);
    change->differs =
        change->is_unknown ||
        !obv__property_equal(round->before, property, round->fresh, property);
    obv__leaves_look(round->due, change, since);
    obv__hazard_clear(round->due->thread);
    obv__leaves_add(round->due, change, since);
}

/* False: it is not plain, and nothing is done. */
OBV__INLINE bool go_plainly(struct obv__round *round)
{
    if (!obv__matcher_is_name(obv__path_node_element(round->instance->node)) ||
        obv__is_at_weak(round->binding) || !begin_round(round, true)) {
        return false;
    }
    obv__advance_registration_epoch();
    look_plainly(round);
    if (OBV__UNLIKELY(round->is_missed)) {
        obv__report_path(round->instance->node, OBV_DIAGNOSTIC_MEMORY);
    }
    return true;
}

enum obv__counts obv__rounds_plainly(struct obv__path_instance **instance,
                                     const struct obv__watcher **binding,
                                     struct obv__due *due)
{
    struct obv__moved moved;
    struct obv__round round = {.instance = *instance,
                               .binding = *binding,
                               .due = due,
                               .moved = &moved};
    while (round.binding && !obv__is_leaf(round.binding) &&
           go_plainly(&round)) {
        round.instance = moved.change.instance;
        round.binding = moved.binding;
    }
    *instance = round.instance;
    *binding = round.binding;
    return round.binding ? OBV__COUNTS_DIFFERENT : OBV__COUNTS_ALL;
}

void obv__round_forget_idle(const struct obv__round *round)
{
    if (!round->instance->node->is_beneath && round->child.key == 0) {
        return;
    }
    obv__lock_paths(round->instance->node);
    for (size_t i = 0; i < round->count; i++) {
        if (round->moved[i].change.instance) {
            obv__path_instance_forget_if_idle(round->moved[i].change.instance);
        }
    }
    obv__unlock_paths(round->instance->node);
}
