/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W5 and W6: whether the leaves of the path nodes that have moved differ.
 */
#include "wiring/rewire_pass.h"

#include "model/container.h"
#include "wiring/binding.h"
#include "wiring/invalidation.h"
#include "wiring/path_report.h"

/* Comparing ---------------------------------------------------------------- */

/* Whether what a path node held on `before` was in the very slot that is edited
   (in a cyclic graph), and so is stored over. */
static const struct obv__edited *
stored_over(const struct obv__rewire_pass *pass,
            const struct obv_element *element)
{
    const struct obv__edit *edit = &pass->work->edit;
    return pass->before && obv__edit_touches(edit, pass->before)
               ? obv__stored_over(edit, pass->before,
                                  obv__slot_on(element, pass->before))
               : NULL;
}

/* If only one of two containers has the element: whether it stands for anything
   there. An object that nothing holds is not even looked at, but the container
   of a cell is, which this thread has reached, as W2 of W7 will. */
static bool reaches_one(const struct obv__rewire_pass *pass,
                        const struct obv_element *element,
                        const struct obv__moved *moved)
{
    const struct obv__matcher *matcher = obv__matcher(element);
    struct obv_object *now = moved->change.now;
    struct obv_object *only = now ? now : pass->before;
    const struct obv__watcher *binding = now ? moved->binding : moved->old;
    enum obv__kept kept = now ? pass->fresh_kept : pass->before_kept;
    bool held = kept == OBV__KEPT_BY_REFERENCE;
    if (OBV__UNLIKELY(binding && (binding->type & OBV__AT_CELL))) {
        return (!held && !now) || obv__cell_is_filled(only);
    }
    return !matcher->reaches || !held || matcher->reaches(element, only);
}

/* Whether any thread may set an end. Which value was told last is not known then, so
   it counts as another (EQ-2); who compares for himself knows. */
static bool is_of_any_thread(const struct obv__moved *moved)
{
    return OBV__UNLIKELY((moved->old->type | moved->binding->type) &
                         OBV__AT_ANY_THREAD);
}

/* Whether the values on both objects differ, both of which are there. `edited`: what
   was stored over in the one before, or NULL. */
static bool values_differ(const struct obv__moved *moved,
                          const struct obv__edited *edited)
{
    const struct obv__change *change = &moved->change;
    const struct obv_element *element = obv__path_node_element(change->node);
    return obv__matcher(element)->differs
               ? obv__matcher(element)->differs(element, change->before,
                                                change->now, edited)
               : obv__slots_differ(change->before, moved->old->slot,
                                   change->now, moved->binding->slot, edited);
}

/* The computed property that a path leaves, if somebody waits for an answer there;
   or NULL. */
static struct obv__computed *awaited_before(const struct obv__moved *moved)
{
    uint32_t slot = moved->old ? moved->old->slot : OBV__NO_SLOT;
    struct obv__computed *computed =
        slot <= OBV__SLOT_LAST ? obv__computed_of(moved->change.before, slot)
                               : NULL;
    return computed && obv__first_state(computed) != 0 ? computed : NULL;
}

/* The same, and with what they wait: below nil was nothing, wherever a read has
   moved that since. Who has come when another value stood there already has not
   waited. */
static void find_awaited(struct obv__moved *moved)
{
    struct obv__computed *left = moved->left = awaited_before(moved);
    if (OBV__UNLIKELY(left != NULL) &&
        obv__first_state(left) != OBV__FIRST_IS_NOW &&
        !obv__computed_has_come_later(left, moved->old)) {
        moved->is_read = true;
        moved->waits = obv__computed_waits(left, NULL);
    }
}

/* Those who wait have their answer here. */
OBV__NOINLINE static void compare_waited(struct obv__moved *moved)
{
    struct obv__computed *left = moved->left;
    struct obv__change *change = &moved->change;
    struct obv__waited *waited = &moved->waited;
    waited->edited =
        (struct obv__edited){change->before, moved->old->slot, NULL};
    waited->differs = true;
    waited->is_from_nil = false;
    change->waited = waited;
    const void *first =
        moved->is_read && obv__first_state(left) == OBV__FIRST_KEPT
            ? obv__first_borrow(left, &moved->is_lent)
            : NULL;
    if (first) {
        waited->edited.old = first;
        waited->differs = !change->now || values_differ(moved, &waited->edited);
    }
}

/* What was stored over by the edit itself is known with that. */
static void look_at_awaited(struct obv__moved *moved,
                            const struct obv__edited *edited)
{
    find_awaited(moved);
    if (OBV__UNLIKELY(moved->left && !edited) && moved->is_read) {
        compare_waited(moved);
    }
}

/* What was kept there is of no use where nobody waits any more. It is taken, and
   let go of when `before` is not held by a hazard pointer. */
OBV__NOINLINE static void leave_waited(const struct obv__rewire_pass *pass,
                                       struct obv__moved *moved)
{
    struct obv__computed *left = moved->left;
    obv__first_return(left, moved->is_lent);
    moved->is_lent = false;
    obv__first_left(pass->work, left);
    moved->kept_by = NULL;
    if (obv__first_state(left) <= OBV__FIRST_IS_NOW &&
        obv__first_take(left, &moved->kept)) {
        moved->kept_by = left->property;
    }
}

/* Runs code of the program. */
static void let_kept_go(struct obv__rewire_pass *pass)
{
    for (size_t i = 0; i < pass->count; i++) {
        struct obv__moved *moved = &pass->moved[i];
        if (OBV__UNLIKELY(moved->left != NULL) && moved->kept_by) {
            obv__raw_drop(pass->work->context, moved->kept_by, &moved->kept);
        }
    }
}

/* Those who wait do so further up. */
OBV__NOINLINE static void
compare_below_waited(const struct obv__rewire_pass *pass,
                     struct obv__moved *moved)
{
    struct obv__change *change = &moved->change;
    const struct obv_element *element = obv__path_node_element(change->node);
    moved->waited = (struct obv__waited){
        .differs = pass->counts == OBV__COUNTS_FROM_UNKNOWN ||
                   (change->now && reaches_one(pass, element, moved)),
        .is_from_nil = true,
        .is_unknown = pass->counts == OBV__COUNTS_FROM_UNKNOWN};
    change->waited = &moved->waited;
}

/* W6 for one path node: whether its leaves differ. */
static void compare_leaf(const struct obv__rewire_pass *pass,
                         struct obv__moved *moved, bool is_comparable)
{
    struct obv__change *change = &moved->change;
    const struct obv_element *element = obv__path_node_element(change->node);
    const struct obv__edited *edited = stored_over(pass, element);
    if (edited) {
        change->edited = *edited;
    }
    if (moved->was_unwired || pass->counts == OBV__COUNTS_ALL ||
        !is_comparable) {
        change->is_unknown = change->differs = true;
    } else if (!change->before || !change->now) {
        change->differs = change->before != change->now &&
                          (edited ? edited->old != &obv__missing
                                  : reaches_one(pass, element, moved));
        if (change->before) {
            look_at_awaited(moved, edited);
        }
    } else if (is_of_any_thread(moved)) {
        change->differs = true;
    } else {
        change->differs = values_differ(moved, edited);
        look_at_awaited(moved, edited);
    }
    if (OBV__UNLIKELY(obv__rewire_pass_is_waited(pass, change->node)) &&
        !change->is_unknown) {
        compare_below_waited(pass, moved);
    }
}

/* Holding what is compared ------------------------------------------------- */

/* Whether looking at the leaves of this pass runs code of the program. */
static bool runs_code(const struct obv__rewire_pass *pass)
{
    bool runs =
        obv__class_runs_code(obv__class_of(pass->before)) ||
        (pass->fresh && obv__class_runs_code(obv__class_of(pass->fresh)));
    for (size_t i = 0; !runs && i < pass->count; i++) {
        const struct obv__path_node *node = pass->moved[i].change.node;
        runs = obv__matcher_asks_binding(obv__path_node_element(node)) ||
               obv__path_node_wants(node, OBV__WANTS_CODE);
    }
    return runs;
}

/* Objects that code of the program looks at are held by references, not by a
   hazard pointer: it may set one of its own, and replace what it compares.
   Objects that nothing can hold are not compared: false. */
static bool hold_both(struct obv__rewire_pass *pass)
{
    if (!pass->before || !runs_code(pass)) {
        return true;
    }
    bool held = obv__object_hold(pass->before);
    obv__hazard_clear(pass->work->thread);
    pass->before_kept = held ? OBV__KEPT_BY_REFERENCE : OBV__KEPT_NOT;
    if (pass->fresh && pass->fresh_kept == OBV__KEPT_NOT &&
        obv__object_hold(pass->fresh)) {
        pass->fresh_kept = OBV__KEPT_BY_REFERENCE;
    }
    return held && (!pass->fresh || pass->fresh_kept != OBV__KEPT_NOT);
}

static void let_before_go(const struct obv__rewire_pass *pass)
{
    if (pass->before_kept == OBV__KEPT_BY_REFERENCE) {
        obv__class_of(pass->before)->release(pass->before);
    } else if (pass->before_kept == OBV__KEPT_BY_HAZARD) {
        obv__hazard_clear(pass->work->thread);
    }
}

/* W5 and W6 ---------------------------------------------------------------- */

/* An occurrence that differs is lost if it has gone over from one constant container
   to another. */
OBV__NOINLINE static void lose_if_gone_over(const struct obv__rewire_pass *pass,
                                            struct obv__moved *moved)
{
    struct obv__change *change = &moved->change;
    struct obv__path_node *node =
        (struct obv__path_node *)(uintptr_t)change->node;
    if (change->before && change->now && change->before != change->now) {
        obv__lock_paths(node);
        if (node->end == OBV__PATH_GOES_ON) {
            moved->is_lost = obv__path_node_end_locked(node, pass->work);
        }
        obv__path_instance_unbind_locked(change->instance);
        obv__unlock_paths(node);
        moved->binding = NULL;
        change->now = NULL;
    }
}

/* W6: what differs is noted while `before` is held, and due when it is not. */
static void look_at_moved(struct obv__rewire_pass *pass)
{
    bool is_comparable = hold_both(pass);
    uint64_t since = obv__registration_epoch();
    for (size_t i = 0; i < pass->count; i++) {
        struct obv__moved *moved = &pass->moved[i];
        compare_leaf(pass, moved, is_comparable);
        if (moved->change.differs &&
            obv__matcher_is_bound_once(
                obv__path_node_element(moved->change.node))) {
            lose_if_gone_over(pass, moved);
        }
        obv__leaves_look(pass->work, &moved->change, since);
        if (OBV__UNLIKELY(moved->left != NULL)) {
            leave_waited(pass, moved);
        }
    }
    let_before_go(pass);
    let_kept_go(pass);
    for (size_t i = 0; i < pass->count; i++) {
        obv__leaves_add(pass->work, &pass->moved[i].change, since);
    }
}

void obv__rewire_pass_look(struct obv__rewire_pass *pass)
{
    if (pass->count != 0) {
        obv__advance_registration_epoch();
        look_at_moved(pass);
    }
    if (OBV__UNLIKELY(pass->is_missed)) {
        obv__report_path(pass->instance->node, OBV_DIAGNOSTIC_MEMORY);
    }
    if (OBV__UNLIKELY(pass->unknown != NULL)) {
        obv__report_path(pass->unknown, OBV_DIAGNOSTIC_UNRESOLVED);
    }
}
