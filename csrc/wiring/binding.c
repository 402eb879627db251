/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bindings: how a path instance hangs in a slot of its container, and lets go
 * of it.
 */
#include "wiring/binding.h"

#include "model/inbound.h"
#include "model/context.h"
#include "model/container.h"
#include "wiring/matcher.h"

/* The room for a path instance's first binding, or NULL: it has none. */
static struct obv__watcher *room_of(struct obv__path_instance *instance)
{
    return instance->node->is_beneath ? &obv__branch_of(instance)->first : NULL;
}

static void unhang_locked(struct obv__path_instance *instance,
                          struct obv__watcher *watcher)
{
    struct obv__lock *stripe = obv__lock_stripe((void *)watcher->place);
    obv__lock_enter(stripe);
    (void)obv__unlink_locked(watcher);
    obv__lock_leave(stripe);
    if (watcher != room_of(instance)) {
        obv__watcher_retire(obv__path_instance_context(instance), watcher);
    }
}

/* The pointer to the `life` of a path instance for one weak property, or the
   null pointer at the list's end. */
static struct obv__watcher **find_life(struct obv__path_instance *instance,
                                       uint32_t property)
{
    struct obv__watcher **place = &instance->life;
    while (*place && (*place)->serial != property) {
        place = &(*place)->with.next_member;
    }
    return place;
}

static void end_life_locked(struct obv__path_instance *instance,
                            struct obv__watcher **place)
{
    struct obv__watcher *life = *place;
    *place = life->with.next_member;
    unhang_locked(instance, life);
}

bool obv__path_instance_end_life_locked(struct obv__path_instance *instance,
                                        struct obv__watcher *life)
{
    struct obv__watcher **place = find_life(instance, life->serial);
    bool found = *place && *place == life;
    if (found) {
        end_life_locked(instance, place);
    }
    return found;
}

bool obv__path_node_end_locked(struct obv__path_node *node,
                               struct obv__work_list *work)
{
    /* Looks for a path node below that is over already: below a path node that
       is bound once there is one path only. */
    const struct obv__path_node *below = obv__path_node_first_child(node);
    while (below && below->end == OBV__PATH_GOES_ON) {
        below = obv__path_node_first_child(below);
    }
    obv__store_relaxed(&node->end,
                       below ? below->end : (uint8_t)OBV__PATH_ENDS);
    if (!below) {
        node->next_over = work->over;
        work->over = node;
    }
    obv__path_node_rest_locked(obv__path_node_parent(node));
    return !below;
}

void obv__path_node_rest_locked(struct obv__path_node *node)
{
    for (; node; node = obv__path_node_parent(node)) {
        const struct obv__path_node *below = obv__path_node_first_child(node);
        if (!below || node->in_trie.references != 0 || node->is_beneath) {
            return;
        }
        for (; below; below = obv__path_node_next_sibling(below)) {
            if (below->end == OBV__PATH_GOES_ON) {
                return;
            }
        }
        if (node->end == OBV__PATH_GOES_ON) {
            obv__store_relaxed(&node->end, (uint8_t)OBV__PATH_PAST_END);
        }
        obv__path_instance_unbind_locked(&node->own);
    }
}

/* The bits in a binding's type for the slot that it hangs in. */
OBV__INLINE unsigned slot_type(const struct obv_object *container,
                               uint32_t slot)
{
    const struct obv_class *cls = obv__class_of(container);
    if (!OBV__UNLIKELY(cls->flags & (OBV__AFAR | OBV_WEAK | OBV_ANY_THREAD))) {
        return OBV__BINDING;
    }
    uint32_t flags = obv__slot_flags(cls, slot);
    if (OBV__UNLIKELY(flags & OBV__AFAR) && obv__is_cell(container)) {
        return OBV__BINDING | OBV__AT_CELL;
    }
    /* A watcher of a weak property's object has to learn of the object's
       end. */
    return OBV__BINDING | (flags & OBV_WEAK ? OBV__AT_WEAK : 0u) |
           (flags & OBV_ANY_THREAD ? OBV__AT_ANY_THREAD : 0u);
}

/* Whether the path of a binding at a cell may lead through the cell's container
   further up as well. Then one edit may touch both places, the upper one
   first. */
static bool crosses(const struct obv__watcher *binding)
{
    const struct obv__path_instance *instance = binding->of;
    bool is_met = false;
    while ((binding->type & OBV__AT_CELL) && !is_met &&
           (instance = instance->parent) != NULL) {
        const struct obv__watcher *above = instance->binding;
        is_met = above && ((above->type & OBV__AT_CELL) ||
                           above->slot == OBV__SLOT_EVERY);
    }
    return is_met;
}

/* Whether a computed property leads to a path instance: its delayed leaves are told
   by a drain alone where they wait for that (obv__waits_above()). */
static bool is_below_computed(const struct obv__path_instance *instance)
{
    bool is_below = false;
    while ((instance = instance->parent) != NULL && !is_below) {
        const struct obv__watcher *above = instance->binding;
        is_below =
            above && obv__slot_is_computed(
                         obv__class_of((const struct obv_object *)above->place),
                         above->slot);
    }
    return is_below;
}

/* Whether an edit of the slot has to come to obv__rewire(), with the value that
   it stores over. */
static bool needs_slow_path(const struct obv__watcher *binding)
{
    const struct obv__path_instance *instance = binding->of;
    const struct obv__path_node *node = instance->node;
    return obv__path_node_first_child(node) ||
           obv__path_node_wants(node, OBV__WANTS_OLD | OBV__WANTS_SAME |
                                          OBV__WANTS_PRIOR) ||
           crosses(binding) ||
           obv__matcher_is_view(obv__path_node_element(node)) ||
           obv__matcher_is_bound_once(obv__path_node_element(node));
}

void obv__path_instance_mark_locked(struct obv__path_instance *instance)
{
    if (instance->binding && needs_slow_path(instance->binding)) {
        struct obv__lock *stripe =
            obv__lock_stripe((void *)instance->binding->place);
        obv__lock_enter(stripe);
        obv__mark_middle_locked(instance->binding);
        obv__lock_leave(stripe);
    }
}

/* Makes a binding for a path instance, and prepares the slot of `container`
   that it is to hang in. NULL: no memory. `room`: memory for the binding; or
   NULL. */
OBV__INLINE struct obv__watcher *
make_binding(struct obv__path_instance *instance, struct obv__watcher *room,
             struct obv_object *container, uint32_t slot)
{
    struct obv_context *context = obv__path_instance_context(instance);
    unsigned type = slot_type(container, slot) |
                    (instance->node->paths->followers != OBV__OBSERVATIONS
                         ? OBV__AT_INNER_PATHS
                         : 0u);
    struct obv__watcher *binding =
        room ? room : obv__watcher_allocate(context, sizeof *binding, type);
    if (!binding) {
        return NULL;
    }
    binding->type = (uint8_t)type;
    if (!obv__list_prepare(container, obv__class_of(container), slot) ||
        ((type & OBV__AT_ANY_THREAD) &&
         !obv__inbound_prepare(container, slot))) {
        if (!room) {
            obv__context_free(context, binding, sizeof *binding);
        }
        return NULL;
    }
    binding->of = instance;
    return binding;
}

struct obv__watcher *
obv__path_instance_bind_locked(struct obv__path_instance *instance,
                               struct obv_object *container, uint32_t slot)
{
    struct obv__watcher *room = room_of(instance), *old = instance->binding;
    struct obv_object *place = old ? (struct obv_object *)old->place : NULL;
    struct obv__watcher *binding =
        container ? make_binding(instance, room && !room->of ? room : NULL,
                                 container, slot)
                  : NULL;
    if (container && !binding) {
        return NULL;
    }
    while (instance->life) {
        end_life_locked(instance, &instance->life);
    }
    if (old) {
        /* Release: a thread that reads NULL does not look for the old binding.
           The memory of that waits for the epochs. */
        obv__store_release(&instance->binding, NULL);
        unhang_locked(instance, old);
    }
    if (binding) {
        struct obv__lock *stripe = obv__lock_stripe(container);
        obv__lock_enter(stripe);
        /* For a binding in the list of `*`, node.c sets the slow-path bit of
           the weak slots alone. */
        if (needs_slow_path(binding) ||
            (obv__is_at_weak(binding) && slot != OBV__SLOT_EVERY)) {
            obv__fetch_or_acq_rel(&binding->state, OBV__MIDDLE | OBV__SLOW);
        } else if (OBV__UNLIKELY(
                       obv__load_relaxed(&instance->node->paths->may_wait)) &&
                   is_below_computed(instance)) {
            obv__fetch_or_acq_rel(&binding->state, OBV__SLOW);
        }
        obv__link_locked(container, obv__node(container),
                         obv__class_of(container), slot, binding);
        obv__lock_leave(stripe);
        /* Release: obv__path_instance_container() sees its place. */
        obv__store_release(&instance->binding, binding);
    }
    if (old && (old->type & OBV__AT_CELL)) {
        /* The new binding may hang at the same cell, which is not idle then. */
        obv__cell_drop_if_idle_locked(obv__cell(place));
    }
    return binding;
}

bool obv__path_instance_move_life_locked(struct obv__path_instance *instance,
                                         uint32_t property,
                                         struct obv_object *fresh)
{
    const struct obv__watcher *binding = instance->binding;
    /* The container lives: its end would have to take the binding away
       first. */
    bool is_weak =
        obv__is_at_weak(binding) && property <= OBV__SLOT_LAST &&
        obv__slot_is_weak(
            obv__class_of((const struct obv_object *)binding->place), property);
    struct obv_object *target = is_weak && fresh &&
                                        obv__class_of(fresh)->context ==
                                            obv__path_instance_context(instance)
                                    ? fresh
                                    : NULL;
    struct obv__watcher **place = find_life(instance, property);
    if (*place && (*place)->place == (uintptr_t)target) {
        return true;
    }
    if (*place) {
        end_life_locked(instance, place);
    }
    if (!target) {
        return true;
    }
    struct obv__watcher *life =
        make_binding(instance, NULL, target, OBV__SLOT_NONE);
    if (!life) {
        return obv__object_has_ended(target);
    }
    if (obv__hang(target, OBV__SLOT_NONE, life) != OBV_OK) {
        obv__context_free(obv__path_instance_context(instance), life,
                          sizeof *life);
        return true;
    }
    life->serial = property;
    life->with.next_member = instance->life;
    instance->life = life;
    return true;
}

/* The place for a path node's path instance (NULL: there is none yet) if its
   parent's leads to `fresh`. Objects of one class have an element in one
   slot. */
struct obv__aim obv__aim_of_locked(const struct obv__path_node *node,
                                   const struct obv__path_instance *instance,
                                   struct obv_object *fresh, bool make)
{
    const struct obv__watcher *binding = instance ? instance->binding : NULL;
    const struct obv_class *cls = fresh ? obv__class_of(fresh) : NULL;
    struct obv__aim aim = {.slot = OBV__NO_SLOT};
    if (!cls || cls->context != node->paths->context ||
        node->end != OBV__PATH_GOES_ON) {
        return aim;
    }
    /* The end of what it hangs at would have to take the binding away first. */
    bool alike =
        binding &&
        cls == obv__class_of((const struct obv_object *)binding->place);
    aim.slot = alike ? binding->slot
                     : obv__slot_on(obv__path_node_element(node), fresh);
    return aim.slot == OBV__NO_SLOT
               ? aim
               : obv__matcher_place(
                     obv__path_node_element(node), fresh, aim.slot,
                     binding ? (struct obv_object *)binding->place : NULL,
                     make);
}
