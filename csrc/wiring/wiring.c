/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wiring: how paths follow replaced objects. One function, relink_level(), does
 * it for edits, for paths that begin and for objects that end.
 *
 * To bring what hangs below a path instance in line with what is behind its slot
 * (relink_child()):
 *
 *   W1  read the object there, with no lock held, and make it ready: components
 *      learn what they are on it, computed properties that paths come to are
 *      computed (LL-5). If code of the program has run, read again
 *   W2  in the paths lock: if the path instance hangs elsewhere by now, be done.
 *      Each path instance below that hangs where it is to hang stays (KP-4); the
 *      others are unbound, and bound to the object's slots
 *   W3  out of the lock: raise the registration epoch, then compare, for the
 *      leaves there, the containers before and now; what differs is due
 *   W4  the same below each that has moved
 *
 * The lock is taken anew for each path node that moves. Outside of it come the
 * comparison and all that is below, then the next path node. Plain ends are
 * compared in the lock: only the owner stores there (relink_plainly()).
 *
 * All this runs on the thread of the objects' owner, so no other thread moves
 * path instances here. Another thread may take away: the end of an object in
 * the middle takes its bindings, a stop takes path nodes. Therefore W2 asks
 * whether the binding still hangs, and objects that are looked at later are
 * held. The container before is taken in the lock: its end would have to take
 * its binding away first. An object that is at its end already counts as
 * different.
 *
 * The program's code runs while the lock is not held, and may set what leads
 * here. Then that edit has relinked all below, and W2 finds another binding, or
 * W1 another object.
 *
 * No change below is lost meanwhile. A binding is linked (W2) before the value
 * behind it is read (W3, and W1 of the level below). An edit stores before it
 * looks for watchers: either it finds the binding, or the binding was linked
 * after that look, and then the value that the edit has stored is read here.
 *
 * If memory is short for a path, it is let go from there on, its leaves are
 * due, and it is reported (FA-1).
 */
#include "model/above.h"
#include "model/container.h"
#include "model/foreign_entry.h"
#include "model/computed.h"
#include "model/inbound.h"
#include "wiring/binding.h"
#include "wiring/invalidation.h"
#include "wiring/leaves.h"
#include "wiring/paths.h"
#include "wiring/wiring.h"

#include <string.h>

/* A relink: its paths, and its reason. */
struct relink {
    struct obv__work_list *work;
    struct obv__paths *paths;
    /* The end of the one path to relink along; NULL: all that is below. */
    struct obv__path_node *way;
    bool begins;                  /* for a path that begins to be observed */
    struct obv_object *dying;     /* the object that ends; or NULL */
    const struct obv__left *left; /* elements that are left; or NULL */
};

/* The relinking behind one child of a path instance: the path nodes below go to
   the object that is there now. */
struct level {
    struct obv__work_list *work;
    struct obv__path_instance *instance; /* NULL: above the first path nodes */
    const struct obv__watcher *binding;  /* by which it hangs; NULL: nowhere */
    struct obv__child child;             /* what leads to the object */
    enum obv__waits waits;    /* how delayed leaves wait for a record above */
    uint8_t said;             /* OBV__CHILD_..., by obv__matcher_child() */
    bool holds_fresh;         /* `fresh` is held by a reference */
    struct obv_object *fresh; /* behind the slot */
};

/* A path node whose path instance has moved. */
struct moved {
    struct obv__change change;    /* of the leaves there */
    struct obv__watcher *binding; /* its path instance's new one; or NULL */
    struct obv__watcher *old;     /* the one before, or NULL */
    struct obv__computed *left;   /* the record before, if leaves waited */
    struct obv__waited waited;    /* `change` may point to it */
    struct obv__left element;     /* likewise */
    enum obv__waits waits;        /* as in `level`, for the level below */
    bool is_moved;                /* it has */
    bool holds_before;            /* the container before, by a reference */
    bool is_missed;               /* memory was short: its leaves are due */
    bool is_lost;                 /* its path is over: its leaves are due */
};

/* W1: reading --------------------------------------------------------------- */

bool obv__leads_back(const struct obv__work_list *work,
                     const struct obv_element *element)
{
    const struct obv__edited *at = &work->edit.at;
    const struct obv_property *property =
        obv__property_at(at->object, at->slot);
    return at->old && obv__may_hold_object(property) &&
           (!property->custom || property->custom->child_of) &&
           !obv__matcher_is_view(element);
}

/* Computes a property, unless the edit is that of its own computation: if its
   function has made it invalid again by a set, it is not computed once more. */
static void compute(struct obv__work_list *work, struct obv_object *object,
                    uint32_t slot)
{
    const struct obv__edit *edit = &work->edit;
    if (!OBV__UNLIKELY(!obv__slot_is_valid(object, slot)) ||
        (obv__edit_is_of_computed(edit) && edit->at.object == object &&
         edit->at.slot == slot)) {
        return;
    }
    bool held;
    if (obv__object_hold_or_go_on(object, &held)) {
        obv__above.bring_up_to_date(object, slot, work);
        /* Memory was short: changes of what it depends on would not be told. */
        work->was_unwired |=
            obv__slot_is_computed(obv__class_of(object), slot) &&
            obv__computed_is_short(obv__computed_of(object, slot));
    }
    obv__object_let_go(object, held);
}

static bool leads_below(const struct obv__path_instance *instance)
{
    obv__lock_paths(instance->node);
    bool leads = obv__path_node_first_child(instance->node) != NULL;
    obv__unlock_paths(instance->node);
    return leads;
}

static struct obv_object *behind(const struct relink *relink,
                                 struct level *level)
{
    struct obv__work_list *work = level->work;
    const struct obv__edited *at = &work->edit.at;
    const struct obv_element *element =
        obv__path_node_element(level->instance->node);
    uint32_t slot = level->child.slot;
    struct obv_object *container = level->binding && slot != OBV__NO_SLOT
                                       ? obv__binding_place(level->binding)
                                       : NULL;
    if (!container) {
        return NULL;
    }
    if (OBV__UNLIKELY(relink->begins) &&
        obv__edited_at(&work->edit, container, slot) &&
        obv__leads_back(work, element)) {
        /* The former content of the slot. */
        const struct obv_property *property = obv__property_at(container, slot);
        void *address;
        if (property->kind != OBV_KIND_pointer) {
            return obv__value_object(property, at->old, &level->holds_fresh);
        }
        memcpy(&address, at->old, sizeof address);
        return obv__foreign_at(work->context, address, &level->holds_fresh);
    }
    /* If nothing leads on from it, its observers' drain computes it. */
    if (level->child.key == 0 &&
        OBV__UNLIKELY(!obv__slot_is_valid(container, slot)) &&
        leads_below(level->instance)) {
        compute(work, container, slot);
    }
    /* Acquire, as in obv__path_instance_container(). */
    return obv__load_acquire(&level->instance->binding) == level->binding
               ? obv__matcher_child(element, container, level->child,
                                    &level->holds_fresh, &level->said)
               : NULL;
}

static void let_fresh_go(struct level *level)
{
    if (level->holds_fresh) {
        if (OBV__UNLIKELY(obv__is_constant(level->fresh))) {
            /* Before that, its hook is told of the path that hangs there
               now. */
            obv__epoch_pay(level->work->thread);
        }
        obv__class_of(level->fresh)->release(level->fresh);
        level->holds_fresh = false;
    }
}

static bool is_known_here(const struct level *level,
                          const struct obv__path_node *node)
{
    return level->fresh &&
           obv__class_of(level->fresh)->context == node->paths->context;
}

/* W1: making it ready ------------------------------------------------------- */

/* The first path node to place at this level: of the path that begins (`way`)
   the only one, else the first child; NULL: none. */
static struct obv__path_node *first_node(const struct relink *relink,
                                         const struct level *level)
{
    size_t depth =
        level->instance ? obv__path_instance_depth(level->instance) + 1 : 1;
    struct obv__path_node *node = relink->way;
    if (!node) {
        return obv__path_node_first_child(level->instance->node);
    }
    while (node && node->in_trie.depth > depth) {
        node = obv__path_node_parent(node);
    }
    return node && node->in_trie.depth == depth ? node : NULL;
}

/* Makes the fresh object ready for a path node (NULL: the first): the component
   learns its class, the computed property there is computed. Answers whether
   the program's code may have run. */
OBV__NOINLINE static bool make_ready(const struct relink *relink,
                                     const struct level *level,
                                     struct obv__path_node *node)
{
    const struct obv_class *cls = obv__class_of(level->fresh);
    struct obv__lock *lock = &relink->paths->context->paths;
    obv__lock_enter(lock);
    node = node ? node : first_node(relink, level);
    if (node && obv__class_has_computed(cls)) {
        obv__store_relaxed(&relink->paths->may_wait, true);
    }
    const struct obv_element *element =
        node ? obv__path_node_element(node) : NULL;
    bool is_here = node && is_known_here(level, node);
    bool learns = is_here && obv__matcher_must_learn(element, cls);
    bool comes = is_here && level->instance && !obv__matcher_is_many(element);
    /* Whether a computed property there is computed now. If the path instance
       hangs there already, and no path begins, the drain of its leaves computes
       it. */
    bool must = learns;
    if (comes && !learns) {
        const struct obv__path_instance *instance =
            obv__path_instance_below(level->instance, node, level->child.key);
        must = relink->way || !instance ||
               obv__path_instance_container(instance) != level->fresh;
    }
    obv__lock_leave(lock);
    if (learns) {
        obv__matcher_learn(element, level->fresh);
    }
    uint32_t slot =
        must && comes ? obv__slot_on(element, level->fresh) : OBV__NO_SLOT;
    if (slot <= OBV__SLOT_LAST) {
        compute(level->work, level->fresh, slot);
    }
    return must;
}

/* `node`: the one that comes next; NULL: the first. */
static void read_ready(const struct relink *relink, struct level *level,
                       struct obv__path_node *node)
{
    struct obv_object *ready = NULL;
    bool again;
    do {
        if (level->instance) {
            let_fresh_go(level);
            level->said = 0;
            level->fresh = behind(relink, level);
        }
        again = level->fresh && level->fresh != ready &&
                OBV__UNLIKELY(
                    obv__load_relaxed(&relink->paths->has_components) ||
                    obv__class_has_computed(obv__class_of(level->fresh))) &&
                make_ready(relink, level, node);
        ready = level->fresh;
    } while (again && level->instance);
}

/* W2: moving ---------------------------------------------------------------- */

/* Notes whether a path node that is in place is unknown: its component is no
   observable property of what is behind the path instance. Below nil it stays
   what it was. A value that is no object is an error as well, but not behind a
   `*` (a key). Answers whether somebody is to be told. */
static bool note_unknown_locked(const struct level *level,
                                struct obv__path_node *node)
{
    bool is_unknown =
        is_known_here(level, node)
            ? obv__component_is_unknown(obv__path_node_element(node),
                                        obv__class_of(level->fresh))
            : node->is_unknown || ((level->said & OBV__CHILD_IS_VALUE) &&
                                   level->child.key == 0);
    bool is_new = is_unknown && !node->is_unknown;
    obv__store_relaxed(&node->is_unknown, is_unknown);
    return is_new && obv__path_node_is_followed(node);
}

/* A path node that is bound once (an occurrence): notes that it has lost what
   it was bound to, or that there is nothing to bind it to. Answers whether to
   tell of the latter. */
OBV__NOINLINE static bool resolve_bound_once(const struct level *level,
                                             struct obv__path_node *node,
                                             struct moved *moved,
                                             bool was_bound,
                                             const struct obv__aim *aim)
{
    if (was_bound && !aim->target && node->end == OBV__PATH_GOES_ON) {
        moved->is_lost = obv__path_node_end_locked(node, level->work);
    } else if (!was_bound && aim->is_past_end) {
        obv__store_relaxed(&node->end, (uint8_t)OBV__PATH_PAST_END);
        obv__path_node_rest_locked(obv__path_node_parent(node));
        return level->instance != NULL;
    }
    return false;
}

/* Moves a path instance to `aim`. The container before lives while its binding
   hangs, since its end would have to take that away first; from then on a
   hazard pointer keeps it. */
static void move_instance(const struct level *level,
                          struct obv__path_node *node,
                          struct obv__path_instance *instance,
                          const struct obv__aim *aim, struct obv_object *before,
                          struct moved *moved)
{
    struct obv__watcher *binding = NULL;
    moved->old = instance ? instance->binding : NULL;
    if (moved->old) {
        obv__hazard_set(level->work->thread, obv__binding_keeper(moved->old));
    }
    if (!instance && aim->target) {
        instance =
            obv__path_instance_make(level->instance, node, level->child.key);
    }
    if (instance && aim->target && aim->target == before) {
        binding = instance->binding; /* it stays, and is looked at */
    } else if (instance) {
        binding =
            obv__path_instance_bind_locked(instance, aim->target, aim->slot);
        if (!binding) {
            obv__path_instance_unbind_locked(instance);
        }
    }
    moved->is_moved = true;
    moved->binding = binding;
    moved->is_missed |= aim->target && !binding;
    moved->change = (struct obv__change){.node = node,
                                         .instance = instance,
                                         .before = before,
                                         .now = binding ? aim->target : NULL,
                                         .slot = OBV__NO_SLOT};
}

/* Whether delayed leaves at a path node, or below it, wait for a computed
   property above. Behind a `*` or an occurrence none wait: each move is
   told. */
static bool is_waited(const struct level *level,
                      const struct obv__path_node *node)
{
    const struct obv_element *element = obv__path_node_element(node);
    return OBV__UNLIKELY(level->waits == OBV__WAITS_WITH_NIL ||
                         level->waits == OBV__WAITS_UNKNOWN) &&
           !obv__matcher_is_many(element) &&
           !obv__matcher_is_bound_once(element);
}

/* W2 of a path node: its path instance goes to where it is to hang, unless it
   hangs there. Answers whether to tell somebody that the path node is unknown
   there. */
static bool place_locked(const struct level *level, struct obv__path_node *node,
                         struct moved *moved)
{
    const struct obv_element *element = obv__path_node_element(node);
    struct obv__path_instance *instance =
        level->instance
            ? obv__path_instance_below(level->instance, node, level->child.key)
            : &node->own;
    const struct obv__aim aim =
        obv__aim_of_locked(node, instance, level->fresh, true);
    struct obv_object *before =
        instance ? obv__path_instance_container(instance) : NULL;
    bool is_told = false;
    moved->is_missed = aim.out_of_memory || (level->said & OBV__CHILD_IS_SHORT);
    if (before != aim.target || moved->is_missed ||
        (before && is_waited(level, node))) {
        move_instance(level, node, instance, &aim, before, moved);
    } else if (instance) {
        moved->change.instance = instance;
        moved->binding = instance->binding;
        obv__path_instance_forget_if_idle(instance);
    }
    if (obv__matcher_is_bound_once(element)) {
        is_told = resolve_bound_once(level, node, moved, before != NULL, &aim);
    } else if (obv__matcher_asks_binding(element) && level->instance) {
        is_told = note_unknown_locked(level, node);
    }
    if (aim.target && OBV__UNLIKELY(obv__is_cell(aim.target))) {
        obv__cell_drop_if_idle_locked(obv__cell(aim.target));
    }
    return is_told;
}

/* W3: comparing ------------------------------------------------------------- */

/* Only one of the two containers, before and now, is there: whether the element
   stands for anything on it. A container that could not be held is not
   asked. */
static bool reaches_one(const struct level *level, const struct moved *moved)
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

/* Whether the values on the two containers, both of which are there, differ.
   `edited`: the value stored over in the one before, or NULL. If any thread may
   set the end, nobody knows which value was told last: they count as different
   (EQ-2). */
static bool values_differ(const struct moved *moved,
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

/* The path has left a computed property for whose answer delayed leaves wait
   (LL-5). They get it here, compared with the value that the record has kept
   for them. A binding that came after that value was stored over does not
   wait. */
OBV__NOINLINE static void compare_waited(struct moved *moved,
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
        return; /* compare_moved() has compared with what was stored over */
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

/* Whether the leaves of a path node that has moved differ: each is compared once,
   between the container before and the one now. */
static void compare_moved(const struct level *level, struct moved *moved,
                          bool is_comparable)
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
    if (!is_comparable) {
        change->is_unknown = change->differs = true;
        return;
    }
    change->differs =
        change->before && change->now   ? values_differ(moved, edited)
        : edited                        ? edited->old != &obv__missing
        : change->before || change->now ? reaches_one(level, moved)
                                        : false;
    if (moved->old &&
        OBV__UNLIKELY(obv__class_has_computed(obv__class_of(change->before)))) {
        compare_waited(moved, edited);
    }
    if (OBV__UNLIKELY(is_waited(level, change->node))) {
        bool is_unknown = level->waits == OBV__WAITS_UNKNOWN;
        moved->waited = (struct obv__waited){
            .differs = is_unknown || (change->now && reaches_one(level, moved)),
            .is_from_nil = true,
            .is_lent = moved->waited.is_lent,
            .is_unknown = is_unknown};
        change->waited = &moved->waited;
    }
}

/* The leaves of a path node that has moved were looked at, so those that waited
   for the record before have their answer. */
OBV__NOINLINE static void answered(const struct level *level,
                                   const struct moved *moved)
{
    struct obv__computed *left = moved->left;
    union obv__raw kept;
    obv__first_return(left, moved->waited.is_lent);
    obv__first_left(level->work, left);
    if (obv__first_state(left) <= OBV__FIRST_IS_NOW &&
        obv__first_take(left, &kept)) {
        obv__work_list_keep_replaced(level->work, left->property, &kept);
    }
}

/* A path node that is bound once has lost what it was bound to: its path
   instance is unbound. Answers whether the path is over by that. */
OBV__NOINLINE static bool lose_bound(struct obv__path_instance *instance,
                                     struct obv__work_list *work)
{
    struct obv__path_node *node = instance->node;
    obv__lock_paths(node);
    bool is_lost =
        node->end == OBV__PATH_GOES_ON && obv__path_node_end_locked(node, work);
    obv__path_instance_unbind_locked(instance);
    obv__unlock_paths(node);
    return is_lost;
}

static bool runs_code(const struct obv_object *object)
{
    return object && obv__class_of(object)->runs_code;
}

/* Holds an element that leaves its container: change records below name it. */
OBV__NOINLINE static void hold_left(const struct relink *relink,
                                    struct moved *moved)
{
    struct obv__change *change = &moved->change;
    if (change->before && change->instance &&
        change->instance->key > OBV__OBJECT_NUMBERS) {
        struct obv_object *object = &obv__container(change->before)->object;
        if (obv__object_hold(object)) {
            moved->element =
                (struct obv__left){change->instance, object, relink->left};
            change->left = &moved->element;
        }
    }
}

/* W3. Objects that the program's code compares are held by references: a hazard
   pointer is not enough, since that code may come to set another one, and may
   replace the objects. Objects that nothing can hold are not compared. The
   comparison is made while `before` is held; leaves are added when it is
   not. */
static void look_at_moved(const struct relink *relink, struct level *level,
                          struct moved *moved)
{
    struct obv__change *change = &moved->change;
    struct obv_object *before = change->before;
    const struct obv_element *element = obv__path_node_element(change->node);
    uint64_t since = OBV__UNLIKELY(level->work->edit.kind == OBV__EDIT_SETTLED)
                         ? level->work->since
                         : obv__registration_epoch();
    bool is_comparable = true;
    change->left = relink->left;
    if (OBV__UNLIKELY(obv__stamps_are_told())) {
        hold_left(relink, moved);
    }
    /* An object at its end is this thread's until its end returns (LT-6). */
    if (before && before != relink->dying &&
        (runs_code(before) || runs_code(level->fresh) ||
         obv__matcher_asks_binding(element) ||
         obv__path_node_wants(change->node, OBV__WANTS_CODE))) {
        moved->holds_before = obv__object_hold(before);
        obv__hazard_clear(level->work->thread);
        if (level->fresh && !level->holds_fresh) {
            level->holds_fresh = obv__object_hold(level->fresh);
        }
        is_comparable =
            moved->holds_before && (!level->fresh || level->holds_fresh);
    }
    if (!moved->is_missed && level->waits != OBV__WAITS_IS_DUE) {
        compare_moved(level, moved, is_comparable);
        if (is_waited(level, change->node)) {
            moved->waits = level->waits;
        }
        if (change->differs && obv__matcher_is_bound_once(element) && before &&
            change->now && before != change->now) {
            /* The path goes over from one constant container to another. */
            moved->is_lost = lose_bound(change->instance, level->work);
            moved->binding = NULL;
            change->now = NULL;
        }
        obv__leaves_look(level->work, change, since);
        if (OBV__UNLIKELY(moved->left != NULL)) {
            answered(level, moved);
        }
    } else {
        moved->waits = OBV__WAITS_IS_DUE;
    }
    if (moved->holds_before) {
        obv__class_of(before)->release(before);
    } else if (before) {
        obv__hazard_clear(level->work->thread);
    }
    obv__leaves_add(level->work, change, since);
}

/* Memory was short behind a path instance: reports that, unless a path begins,
   for then the begin fails. `is_all`: its leaves below are added; else they
   were. */
OBV__NOINLINE static void tell_short(const struct relink *relink,
                                     const struct obv__path_instance *instance,
                                     bool is_all)
{
    relink->work->was_unwired = true;
    if (relink->way) {
        return;
    }
    if (is_all) {
        obv__leaves_add_below(instance->node, relink->work,
                              obv__registration_epoch(), OBV__BELOW_LOST);
    }
    obv__lock_paths(instance->node);
    bool is_followed = obv__path_node_is_followed(instance->node);
    obv__unlock_paths(instance->node);
    if (is_followed) {
        obv__report_path(instance->node, OBV_DIAGNOSTIC_MEMORY);
    }
}

/* W4: below ----------------------------------------------------------------- */

static void relink_below(const struct relink *relink,
                         struct obv__path_instance *instance,
                         const struct obv__watcher *binding,
                         enum obv__waits waits);

static void relink_moved(const struct relink *relink, const struct level *level,
                         const struct moved *moved)
{
    struct relink all = *relink;
    all.way = NULL;
    all.left = moved->change.left;
    struct obv__path_instance *instance = moved->change.instance;
    if (OBV__UNLIKELY(moved->is_missed) && !relink->way) {
        obv__leaves_add_below(moved->change.node, level->work,
                              obv__registration_epoch(), OBV__BELOW_LOST);
    }
    if (instance) {
        relink_below(&all, instance, moved->binding, moved->waits);
    }
    if (OBV__UNLIKELY(moved->is_lost)) {
        obv__leaves_add_below(moved->change.node, level->work,
                              obv__registration_epoch(), OBV__BELOW_OVER);
    }
    if (instance && !moved->binding && instance->node->is_beneath) {
        obv__lock_paths(instance->node);
        obv__path_instance_forget_if_idle(instance);
        obv__unlock_paths(instance->node);
    }
    if (OBV__UNLIKELY(moved->element.object != NULL)) {
        obv__class_of(moved->element.object)->release(moved->element.object);
    }
}

/* W1 to W4 behind one child of a path instance. False: the path instance hangs
   elsewhere by now. */
static bool relink_level(const struct relink *relink, struct level *level)
{
    struct obv__path_instance *above = level->instance;
    struct obv__path_node *next = NULL;
    bool is_here, is_short = false, is_unwatched = false;
    do {
        struct moved moved = {.is_moved = false};
        struct obv__path_node *at = next;
        read_ready(relink, level, at);
        obv__lock_enter(&relink->paths->context->paths);
        is_here = (!above || above->binding == level->binding) &&
                  (!at || obv__load_relaxed(&at->paths->root));
        if (is_here && !at && above &&
            (above->life || obv__is_at_weak(above->binding))) {
            is_unwatched = !obv__path_instance_move_life_locked(
                above, level->child.slot, level->fresh);
        }
        struct obv__path_node *node = !is_here ? NULL
                                      : at     ? at
                                               : first_node(relink, level);
        bool is_unknown = node && place_locked(level, node, &moved);
        next = node && !relink->way ? obv__path_node_next_sibling(node) : NULL;
        if (next) {
            next->in_trie.references++;
        }
        if (at) {
            obv__path_node_release_locked(at);
        }
        /* Noted before the lock is left: afterwards an edit may have tried
           again, or the path instance may be gone. */
        bool is_short_here = moved.is_missed || (is_unwatched && !at);
        if (OBV__UNLIKELY(is_short_here) && !relink->way) {
            obv__path_instance_set_short(above, true);
        }
        is_short |= is_short_here;
        obv__lock_leave(&relink->paths->context->paths);
        if (moved.is_moved) {
            obv__advance_registration_epoch();
            look_at_moved(relink, level, &moved);
        }
        if (OBV__UNLIKELY(is_unknown)) {
            obv__report_path(node, OBV_DIAGNOSTIC_UNRESOLVED);
        }
        if (moved.is_moved) {
            relink_moved(relink, level, &moved);
        } else if (relink->way && moved.binding) {
            /* The path that begins leads on through what hung there already. */
            relink_below(relink, moved.change.instance, moved.binding,
                         OBV__WAITS_WITH_OBJECT);
        }
    } while (next);
    if (OBV__UNLIKELY(is_short)) {
        tell_short(relink, above, is_unwatched);
    }
    let_fresh_go(level);
    return is_here;
}

/* Below one child of a path instance. */
static bool relink_child(const struct relink *relink,
                         struct obv__path_instance *instance,
                         const struct obv__watcher *binding,
                         enum obv__waits waits, struct obv__child child)
{
    struct level level = {.work = relink->work,
                          .instance = instance,
                          .binding = binding,
                          .child = child,
                          .waits = waits};
    return relink_level(relink, &level);
}

/* Each of several children. False: the path instance hangs elsewhere by now. */
static bool relink_children(const struct relink *relink,
                            struct obv__path_instance *instance,
                            const struct obv__watcher *binding,
                            enum obv__waits waits,
                            struct obv__children *children)
{
    bool is_here = true;
    while (is_here && obv__children_next(children)) {
        is_here =
            relink_child(relink, instance, binding, waits, children->child);
    }
    if (OBV__UNLIKELY(children->out_of_memory)) {
        obv__lock_paths(instance->node);
        obv__path_instance_set_short(instance, !relink->way);
        obv__unlock_paths(instance->node);
        tell_short(relink, instance, true);
    }
    return is_here;
}

/* All children of a path instance, then the stale ones: keys by which there are
   path instances, and by which the container leads nowhere any more. */
static void relink_many(const struct relink *relink,
                        struct obv__path_instance *instance,
                        const struct obv__watcher *binding,
                        enum obv__waits waits)
{
    struct obv__children children = obv__children_of(
        obv__path_node_element(instance->node),
        binding ? obv__binding_place(binding) : NULL, OBV__NO_SLOT,
        leads_below(instance) ? OBV__WHICH_LEAD_ON : OBV__WHICH_END);
    struct obv__child stale = {OBV__NO_SLOT, 0};
    bool is_here = relink_children(relink, instance, binding, waits, &children);
    while (is_here && !relink->way) {
        obv__lock_paths(instance->node);
        do {
            stale.key = obv__path_instance_next_key(instance, stale.key + 1);
        } while (stale.key != 0 && obv__children_have(&children, stale.key));
        obv__unlock_paths(instance->node);
        is_here = stale.key != 0 &&
                  relink_child(relink, instance, binding, waits, stale);
    }
}

/* Whether a binding hangs at a strong property that is of one thread. */
static bool is_usual(const struct obv__watcher *binding)
{
    return (binding->type & ~OBV__AT_INNER_PATHS) == OBV__BINDING;
}

/* W1 to W3 of the plain case: the only path node below is a name, both objects
   are of one class, which runs none of the program's code, and the leaves ask
   for no more than whether they differ. Answers the binding below. NULL: it is
   another case, or memory was short, and relink_child() is to do it. */
static const struct obv__watcher *
relink_plainly(const struct relink *relink, struct obv__path_instance *instance,
               const struct obv__watcher *binding)
{
    struct obv__work_list *work = relink->work;
    const struct obv_object *container = obv__binding_place(binding);
    const struct obv_property *property =
        container && is_usual(binding)
            ? obv__property_at(container, binding->slot)
            : NULL;
    if (!property || property->kind != OBV_KIND_object || property->custom ||
        property->computed) {
        return NULL;
    }
    struct obv_object *fresh =
        *(struct obv_object *const *)obv__field(container, property);
    const struct obv_class *cls = fresh ? obv__class_of(fresh) : NULL;
    if (!fresh || !obv__class_is_plain(cls)) {
        return NULL;
    }
    obv__lock_enter(&relink->paths->context->paths);
    struct obv__path_node *node = obv__path_node_first_child(instance->node);
    struct obv__watcher *old = node ? node->own.binding : NULL;
    struct obv_object *before = old ? (struct obv_object *)old->place : NULL;
    bool is_plain =
        instance->binding == binding && !relink->paths->may_wait && before &&
        is_usual(old) && before != fresh &&
        !obv__path_node_next_sibling(node) &&
        obv__matcher_is_name(obv__path_node_element(node)) &&
        !obv__path_node_wants(node, OBV__WANTS_OLD | OBV__WANTS_CODE) &&
        obv__class_of(before) == cls && !obv__edit_touches(&work->edit, before);
    bool differs = false;
    binding = NULL;
    if (is_plain) {
        uint32_t slot = old->slot;
        property = obv__property_in(cls, slot);
        differs = obv__first(&node->leaves) &&
                  !obv__value_equal(property, obv__field(before, property),
                                    obv__field(fresh, property));
        /* The old binding moves, unless its slow-path bit is out of date: a
           stop has ended all that was below it. */
        bool is_as_new =
            obv__path_node_first_child(node) || !obv__has_state(old, OBV__SLOW);
        binding = is_as_new && obv__watcher_move(old, cls, fresh)
                      ? old
                      : obv__path_instance_bind_locked(&node->own, fresh, slot);
    }
    obv__lock_leave(&relink->paths->context->paths);
    if (!binding) {
        return NULL;
    }
    obv__advance_registration_epoch();
    if (differs) {
        obv__work_list_add_list(work, &node->leaves, obv__registration_epoch());
    }
    return binding;
}

/* Tries again behind a path instance for which memory was short. Nobody knows
   what it led to last, so its leaves are due without a comparison. */
OBV__NOINLINE static enum obv__waits
try_again(const struct relink *relink, struct obv__path_instance *instance,
          const struct obv__watcher *binding)
{
    struct relink all = *relink;
    all.way = NULL;
    obv__lock_paths(instance->node);
    obv__path_instance_set_short(instance, false);
    obv__unlock_paths(instance->node);
    obv__leaves_add_below(instance->node, relink->work,
                          obv__registration_epoch(), OBV__BELOW_LOST);
    if (relink->way) {
        relink_below(&all, instance, binding, OBV__WAITS_IS_DUE);
    }
    return OBV__WAITS_IS_DUE;
}

static void relink_below(const struct relink *relink,
                         struct obv__path_instance *instance,
                         const struct obv__watcher *binding,
                         enum obv__waits waits)
{
    const struct obv__watcher *below = binding;
    do {
        binding = below ? below : binding;
        instance = binding ? binding->of : instance;
        if (OBV__UNLIKELY(obv__load_relaxed(&instance->is_short))) {
            waits = try_again(relink, instance, binding);
        }
        if (obv__is_leaf(binding)) {
            return; /* nothing hangs behind the end */
        }
        below = binding && waits == OBV__WAITS_WITH_OBJECT && !relink->way
                    ? relink_plainly(relink, instance, binding)
                    : NULL;
    } while (below);
    if (obv__matcher_is_many(obv__path_node_element(instance->node))) {
        relink_many(relink, instance, binding, waits);
    } else {
        const struct obv__child only = {binding ? binding->slot : OBV__NO_SLOT,
                                        0};
        (void)relink_child(relink, instance, binding, waits, only);
    }
}

/* Paths that begin --------------------------------------------------------- */

bool obv__attach_path(struct obv__path_node *leaf, struct obv_object *root,
                      struct obv__work_list *work)
{
    const struct relink relink = {
        .work = work, .paths = leaf->paths, .way = leaf, .begins = true};
    struct level level = {.work = work,
                          .child = {OBV__NO_SLOT, 0},
                          .waits = OBV__WAITS_WITH_OBJECT,
                          .fresh = root};
    work->was_unwired = false;
    (void)relink_level(&relink, &level);
    return !work->was_unwired;
}

/* Edits -------------------------------------------------------------------- */

/* The leaves at the slot that is edited. */
static void add_edited(struct obv__path_instance *instance,
                       struct obv__work_list *work, bool concerned,
                       uint64_t since)
{
    struct obv__change change = {
        .node = instance->node,
        .instance = instance,
        .before = work->edit.at.object,
        .now = work->edit.at.object,
        .slot = OBV__NO_SLOT,
        .edited = work->edit.at,
        .is_told =
            work->edit.is_inbound &&
            !obv__matcher_is_view(obv__path_node_element(instance->node)),
        .differs = concerned};
    if (obv__path_node_is_any(instance->node) &&
        !obv__class_of(change.now)->each) {
        change.slot = work->edit.at.slot;
    }
    obv__leaves_look(work, &change, since);
    obv__leaves_add(work, &change, since);
}

/* Brings in line what is behind the slot that is edited. */
static void relink_edited(const struct relink *relink,
                          struct obv__path_instance *instance,
                          const struct obv__watcher *binding,
                          enum obv__waits waits)
{
    const struct obv_element *element = obv__path_node_element(instance->node);
    const struct obv__edited *at = &relink->work->edit.at;
    if (!obv__matcher_is_many(element) ||
        OBV__UNLIKELY(obv__load_relaxed(&instance->is_short))) {
        relink_below(relink, instance, binding, waits);
        return;
    }
    const struct obv_class *cls = obv__class_of(at->object);
    if (obv__is_leaf(binding)) {
        return;
    }
    if (cls->each) {
        struct obv__children touched = obv__children_of(
            element, at->object, OBV__NO_SLOT, OBV__WHICH_TOUCHED);
        (void)relink_children(relink, instance, binding, waits, &touched);
    } else if (obv__must_follow(cls, at->slot, true)) {
        (void)relink_child(relink, instance, binding, waits,
                           obv__child_in(element, cls, at->slot));
    }
}

/* A path node that is bound once has lost its element, and all below was
   relinked: ends it. */
static void end_bound_once(struct obv__path_instance *instance,
                           struct obv__work_list *work)
{
    if (lose_bound(instance, work)) {
        obv__leaves_add_below(instance->node, work, obv__registration_epoch(),
                              OBV__BELOW_OVER);
    }
}

void obv__rewire(struct obv__watcher *binding, struct obv__work_list *work,
                 uint64_t since)
{
    struct obv__path_instance *instance = binding->of;
    const struct relink relink = {.work = work, .paths = instance->node->paths};
    const struct obv_element *element = obv__path_node_element(instance->node);
    const struct obv__edited *at = &work->edit.at;
    union obv__told_value told;
    bool concerned =
        !obv__edit_is_equal(&work->edit) &&
        (!obv__matcher_is_view(element) ||
         obv__view_is_changed(element, at->object, at->old,
                              work->edit.is_inbound
                                  ? obv__told_last(at->object, at->slot, &told)
                                  : NULL));
    bool is_settled = work->edit.kind == OBV__EDIT_SETTLED;
    enum obv__waits waits = OBV__WAITS_WITH_OBJECT;
    if (OBV__UNLIKELY(is_settled)) {
        /* A drain has settled the property. Leaves below have waited with nil,
           or with a value that is not known: they are told of what is there
           now. */
        const struct obv__computed *computed =
            obv__computed_of(at->object, at->slot);
        waits = computed ? obv__computed_waits(computed, NULL) : waits;
    }
    /* A leaf of `*` was told when the property became invalid (WC-6). */
    bool is_told = !obv__edit_is_of_computed(&work->edit) ||
                   !obv__path_node_is_any(instance->node);
    /* A leaf that is linked after this look has come since `since`. */
    if (is_told && obv__first(&instance->node->leaves)) {
        add_edited(instance, work, concerned, since);
    }
    if (work->edit.kind == OBV__EDIT_EQUAL) {
        return;
    }
    if (!is_settled || waits != OBV__WAITS_WITH_OBJECT) {
        relink_edited(&relink, instance, binding, waits);
    }
    if (concerned && is_told) {
        obv__leaves_add_any(instance->node, work, since);
    }
    if (OBV__UNLIKELY(work->edit.kind == OBV__EDIT_LEAVES)) {
        end_bound_once(instance, work);
    }
}

/* Ends --------------------------------------------------------------------- */

/* The object that a weak property held is at its end: its leaves are due
   without a comparison, since such an object is not looked at (LT-7).
   `container` and `child` led there. A container that cannot be held tells at
   its own end. */
static void tell_of_death(struct obv__path_instance *instance,
                          struct obv_object *container, struct obv__child child,
                          struct obv__work_list *work)
{
    struct obv__change change = {.node = instance->node,
                                 .instance = instance,
                                 .before = container,
                                 .now = container,
                                 .slot = child.key ? child.slot : OBV__NO_SLOT,
                                 .is_lost = true,
                                 .differs = true};
    obv__leaves_look(work, &change, obv__registration_epoch());
    obv__leaves_add(work, &change, obv__registration_epoch());
    obv__leaves_add_any(change.node, work, obv__registration_epoch());
}

/* The container of a path instance is at its end. Values are still copied from
   its fields, but a view is not: it would have to ask the object. */
static void let_go_bound(struct obv__path_instance *instance,
                         struct obv_object *object, struct obv__work_list *work)
{
    const struct obv_element *element = obv__path_node_element(instance->node);
    const struct relink relink = {
        .work = work, .paths = instance->node->paths, .dying = object};
    struct obv__change change = {.node = instance->node,
                                 .instance = instance,
                                 .before = object,
                                 .slot = OBV__NO_SLOT,
                                 .is_unknown = obv__matcher_is_view(element),
                                 .differs = true};
    obv__leaves_look(work, &change, obv__registration_epoch());
    obv__leaves_add(work, &change, obv__registration_epoch());
    relink_below(&relink, instance, NULL, OBV__WAITS_WITH_OBJECT);
    if (obv__matcher_is_bound_once(element)) {
        end_bound_once(instance, work);
    }
    obv__lock_paths(instance->node);
    obv__path_instance_forget_if_idle(instance);
    obv__unlock_paths(instance->node);
}

void obv__let_go(struct obv__watcher *binding, struct obv_object *object,
                 struct obv__work_list *work)
{
    struct obv__path_instance *instance = binding->of;
    struct obv_object *container = NULL;
    struct obv__child child = {OBV__NO_SLOT, 0};
    bool is_held = false;
    obv__lock_paths(instance->node);
    bool here = binding->place == (uintptr_t)object;
    bool bound = here && instance->binding == binding;
    uint32_t slot = binding->serial;
    if (bound) {
        obv__path_instance_unbind_locked(instance);
    } else if (here && obv__path_instance_end_life_locked(instance, binding)) {
        /* `binding` is a `life`, at the object behind a weak property. */
        container = obv__path_instance_container(instance);
        child = obv__child_in(obv__path_node_element(instance->node),
                              obv__class_of(container), slot);
        is_held = obv__object_hold(container);
    }
    obv__unlock_paths(instance->node);
    if (bound) {
        let_go_bound(instance, object, work);
    } else if (container && (is_held || !obv__class_of(container)->retain)) {
        tell_of_death(instance, container, child, work);
    }
    obv__object_let_go(container, is_held);
}
