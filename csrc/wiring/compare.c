/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the leaves of a path node that has moved differ: each is compared once,
 * between the container before and the one now.
 */
#include "model/container.h"
#include "wiring/invalidation.h"
#include "wiring/compare.h"

/* If only one of two containers has the element: whether it stands for anything
   there. One that could not be held is not asked. */
static bool reaches_one(const struct obv__level *level,
                        const struct obv__moved *moved)
{
    const struct obv__change *change = &moved->change;
    const struct obv_element *element = obv__path_node_element(change->node);
    struct obv_object *only = change->now ? change->now : change->before;
    const struct obv__watcher *binding =
        change->now ? moved->binding : moved->old;
    bool is_held = change->now ? level->holds_fresh : moved->holds_before;
    if (OBV__UNLIKELY(binding && (binding->type & OBV__AT_CELL))) {
        return (!is_held && !change->now) || obv__cell_is_filled(only);
    }
    return !is_held || !obv__matcher_is_view(element) ||
           obv__view_reaches(element, only);
}

/* Whether the values on both objects differ, both of which are there. `edited`: what
   was stored over in the one before, or NULL. Of an end that any thread may set
   nobody knows which value was told last: it counts as another (EQ-2). */
static bool values_differ(const struct obv__moved *moved,
                          const struct obv__edited *edited)
{
    const struct obv__change *change = &moved->change;
    const struct obv_element *element = obv__path_node_element(change->node);
    if (OBV__UNLIKELY((moved->old->type | moved->binding->type) &
                      OBV__AT_ANY_THREAD)) {
        return true;
    }
    return obv__matcher_differs(element, change->before, moved->old->slot,
                                change->now, moved->binding->slot, edited);
}

static bool one_differs(const struct obv__level *level,
                        const struct obv__moved *moved,
                        const struct obv__edited *edited)
{
    const struct obv__change *change = &moved->change;
    if (change->before && change->now) {
        return values_differ(moved, edited);
    }
    return change->before != change->now &&
           (edited ? edited->old != &obv__missing : reaches_one(level, moved));
}

/* Delayed leaves at a computed property that the path has left wait for an answer
   (LL-5): they have it here. They compare with the value that was kept for them,
   but those that have come when another stood there already. */
OBV__NOINLINE static void compare_waited(struct obv__moved *moved,
                                         const struct obv__edited *edited)
{
    struct obv__change *change = &moved->change;
    struct obv__waited *waited = &moved->waited;
    uint32_t slot = moved->old->slot;
    struct obv__computed *left =
        slot <= OBV__SLOT_LAST ? obv__computed_of(change->before, slot) : NULL;
    if (!left || obv__first_state(left) == 0) {
        return;
    }
    moved->left = left;
    if (obv__first_state(left) == OBV__FIRST_IS_NOW ||
        obv__computed_has_come_later(left, moved->old)) {
        return;
    }
    moved->waits = obv__computed_waits(left, NULL);
    if (edited) {
        return; /* what the edit has stored over is known with that */
    }
    *waited = (struct obv__waited){.edited = {change->before, slot, NULL},
                                   .differs = true};
    change->waited = waited;
    if (obv__first_state(left) == OBV__FIRST_KEPT) {
        waited->edited.old = obv__first_borrow(left, &waited->is_lent);
    }
    if (waited->edited.old) {
        waited->differs = !change->now || values_differ(moved, &waited->edited);
    }
}

/* They wait further up. */
OBV__NOINLINE static void compare_below_waited(const struct obv__level *level,
                                               struct obv__moved *moved)
{
    bool is_unknown = level->counts == OBV__COUNTS_FROM_UNKNOWN;
    moved->waited = (struct obv__waited){
        .differs =
            is_unknown || (moved->change.now && reaches_one(level, moved)),
        .is_from_nil = true,
        .is_lent = moved->waited.is_lent,
        .is_unknown = is_unknown};
    moved->change.waited = &moved->waited;
}

void obv__compare_moved(const struct obv__level *level,
                        struct obv__moved *moved)
{
    struct obv__change *change = &moved->change;
    const struct obv_element *element = obv__path_node_element(change->node);
    const struct obv__edit *edit = &level->work->edit;
    const struct obv__edited *edited = NULL;
    if (OBV__UNLIKELY(change->before &&
                      obv__edit_touches(edit, change->before))) {
        edited = obv__stored_over(edit, change->before,
                                  obv__slot_on(element, change->before));
        change->edited = edited ? *edited : change->edited;
    }
    if (!moved->is_comparable) {
        change->is_unknown = change->differs = true;
        return;
    }
    change->differs = one_differs(level, moved, edited);
    if (moved->old &&
        OBV__UNLIKELY(obv__class_has_computed(obv__class_of(change->before)))) {
        compare_waited(moved, edited);
    }
    if (OBV__UNLIKELY(obv__level_is_waited(level, change->node))) {
        compare_below_waited(level, moved);
    }
}

void obv__compared(const struct obv__level *level, struct obv__moved *moved)
{
    struct obv__computed *left = moved->left;
    union obv__raw kept;
    if (!OBV__UNLIKELY(left != NULL)) {
        return;
    }
    obv__first_return(left, moved->waited.is_lent);
    obv__first_left(level->work, left);
    if (obv__first_state(left) <= OBV__FIRST_IS_NOW &&
        obv__first_take(left, &kept)) {
        obv__work_list_keep_replaced(level->work, left->property, &kept);
    }
}
