/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bindings: how a way hangs in a slot of its container, and lets go of it.
 */
#include "binding.h"

#include "context.h"
#include "foreign.h"
#include "matcher.h"

static void unhang_locked(struct obv__way *way, struct obv__watcher *watcher)
{
    struct obv__lock *stripe = obv__lock_stripe((void *)watcher->place);
    obv__lock_enter(stripe);
    obv__unlink_locked(watcher);
    obv__lock_leave(stripe);
    obv__watcher_retire(obv__way_context(way), watcher);
}

OBV__NOINLINE static void end_life(struct obv__way *way,
                                   struct obv__watcher *life)
{
    struct obv_object *at = (struct obv_object *)life->place;
    /* Its end would have had to take the watcher away first. */
    bool is_seat = obv__is_seat(at);
    way->life = NULL;
    unhang_locked(way, life);
    if (is_seat) {
        obv__foreign_leave(obv__foreign_entry(at));
    }
}

void obv__way_end_life_locked(struct obv__way *way)
{
    struct obv__watcher *life = way->life;
    if (life) {
        end_life(way, life);
    }
}

void obv__way_unbind_locked(struct obv__way *way)
{
    struct obv__watcher *binding = way->binding;
    obv__way_end_life_locked(way);
    if (!binding) {
        return;
    }
    /* Release: who reads NULL does not look for it. Its memory waits. */
    obv__store_release(&way->binding, NULL);
    unhang_locked(way, binding);
    obv__way_moves_on(way);
}

/* Whether a slot is that of a property whose object may end while it is there:
   who watches it has to learn of that end. */
static bool is_weak_slot(const struct obv_object *container, uint32_t slot)
{
    return slot <= OBV__SLOT_LAST &&
           (obv__class_of(container)->properties[slot]->flags &
            (OBV_WEAK | OBV_FOREIGN));
}

/* Whether an edit of the slot has to come to obv__rewire(), with the value that
   it stores over. */
static bool needs_care(const struct obv__step *step)
{
    return obv__step_first_child(step) ||
           obv__matcher_is_view(obv__step_element(step)) ||
           obv__step_wants(step,
                           OBV__WANTS_OLD | OBV__WANTS_SAME | OBV__WANTS_PRIOR);
}

void obv__way_mark_locked(struct obv__way *way)
{
    if (way->binding && needs_care(way->step)) {
        struct obv__lock *stripe =
            obv__lock_stripe((void *)way->binding->place);
        obv__lock_enter(stripe);
        obv__mark_middle_locked(way->binding);
        obv__lock_leave(stripe);
    }
    obv__way_moves_on(way);
}

/* A binding for a way that is to hang in the slot of `container`, where all is
   ready for it; NULL: no memory. */
struct obv__watcher *obv__binding_make(struct obv__way *way,
                                       struct obv_object *container,
                                       uint32_t slot)
{
    struct obv_context *context = obv__way_context(way);
    struct obv__watcher *binding = obv__watcher_allocate(
        context, sizeof *binding,
        OBV__BINDING | (is_weak_slot(container, slot) ? OBV__AT_WEAK : 0u));
    if (!binding) {
        return NULL;
    }
    if (!obv__list_prepare(container, slot)) {
        obv__context_free(context, binding, sizeof *binding);
        return NULL;
    }
    binding->of = way;
    return binding;
}

/* The number is still to move. */
static void hang_locked(struct obv__way *way, struct obv__watcher *binding,
                        struct obv_object *container, uint32_t slot)
{
    struct obv__lock *stripe = obv__lock_stripe(container);
    obv__lock_enter(stripe);
    obv__link_locked(container, slot, binding);
    if (needs_care(way->step) || obv__is_at_weak(binding)) {
        obv__mark_middle_locked(binding);
    }
    obv__lock_leave(stripe);
    /* Release: obv__way_container() sees its place. */
    obv__store_release(&way->binding, binding);
}

/* Hangs a way into the slot of `container`; false: no memory. */
bool obv__way_bind_locked(struct obv__way *way, struct obv_object *container,
                          uint32_t slot)
{
    struct obv__watcher *binding = obv__binding_make(way, container, slot);
    if (binding) {
        hang_locked(way, binding, container, slot);
        obv__way_moves_on(way);
    }
    return binding != NULL;
}

/* The number moves once, behind the new binding: who has noted it before begins
   again at W3, who notes it later finds in W2 that the way hangs here. A way
   behind which nothing hangs is not brought in line, so nobody notes it. */
void obv__way_exchange_locked(struct obv__way *way, struct obv__watcher *old,
                              struct obv__watcher *binding,
                              struct obv_object *container, uint32_t slot)
{
    bool middle = obv__has_state(old, OBV__MIDDLE);
    /* Release: who reads NULL does not look for it. Its memory waits. */
    obv__store_release(&way->binding, NULL);
    unhang_locked(way, old);
    hang_locked(way, binding, container, slot);
    if (middle || obv__has_state(binding, OBV__MIDDLE)) {
        obv__way_moves_on(way);
    }
}

/* obv__way_bind_locked() for a way that hangs elsewhere: which it does no more in either
   case. */
bool obv__way_rebind_locked(struct obv__way *way, struct obv_object *container,
                            uint32_t slot)
{
    struct obv__watcher *old = way->binding;
    struct obv__watcher *binding = obv__binding_make(way, container, slot);
    if (!binding) {
        obv__way_unbind_locked(way);
        return false;
    }
    obv__way_end_life_locked(way);
    obv__way_exchange_locked(way, old, binding, container, slot);
    return true;
}

/* Of a way at a weak property: hangs its second watcher at the object that is
   there now; false: no memory, so its end will not be seen. */
bool obv__way_move_life_locked(struct obv__way *way, struct obv_object *fresh)
{
    struct obv_context *context = obv__way_context(way);
    const struct obv__watcher *binding = way->binding;
    struct obv_object *target = obv__is_at_weak(binding) && fresh &&
                                        obv__class_of(fresh)->context == context
                                    ? fresh
                                    : NULL;
    if (way->life && way->life->place == (uintptr_t)target) {
        return true;
    }
    obv__way_end_life_locked(way);
    if (!target) {
        return true;
    }
    struct obv__watcher *life = obv__watcher_allocate(
        context, sizeof(struct obv__watcher), OBV__BINDING);
    if (!life || !obv__list_prepare(target, OBV__SLOT_NONE)) {
        obv__context_free(context, life, sizeof *life);
        return obv__object_has_ended(target);
    }
    life->of = way;
    struct obv__lock *stripe = obv__lock_stripe(target);
    obv__lock_enter(stripe);
    bool alive = !obv__object_is_ending(target);
    if (alive) {
        obv__link_locked(target, OBV__SLOT_NONE, life);
        way->life = life;
        if (obv__is_seat(target)) {
            obv__foreign_stay(obv__foreign_entry(target));
        }
    }
    obv__lock_leave(stripe);
    if (!alive) {
        obv__context_free(context, life, sizeof *life);
    }
    return true;
}

/* Where a step's way (NULL: there is none yet) is to hang if its parent's leads
   to `fresh`. Objects of one class have an element in one slot. */
struct obv__aim obv__aim_of_locked(const struct obv__step *step,
                                   const struct obv__way *way,
                                   struct obv_object *fresh)
{
    const struct obv__watcher *binding = way ? way->binding : NULL;
    const struct obv_class *cls = fresh ? obv__class_of(fresh) : NULL;
    struct obv__aim aim = {.slot = OBV__NO_SLOT, .slot_now = OBV__NO_SLOT};
    if (binding) {
        aim.slot_now = binding->slot;
    }
    if (!cls || cls->context != step->paths->context) {
        return aim;
    }
    /* The end of what it hangs at would have to take the binding away first. */
    bool alike =
        binding &&
        cls == obv__class_of((const struct obv_object *)binding->place);
    aim.slot =
        alike ? binding->slot : obv__slot_on(obv__step_element(step), fresh);
    aim.target = aim.slot == OBV__NO_SLOT ? NULL : fresh;
    return aim;
}
