/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W1 to W4: what is behind a path instance, and the path instances below it
 * hang there.
 */
#include "wiring/rewire_pass.h"

#include "model/container.h"
#include "model/foreign_entry.h"
#include "platform/pause_point.h"
#include "wiring/binding.h"
#include "wiring/path_report.h"
#include "wiring/up_to_date.h"

#include <string.h>

/* W4: moving the path instances below a path instance ---------------------- */

static bool is_known_here(const struct obv__rewire_pass *pass)
{
    return pass->fresh && obv__class_of(pass->fresh)->context ==
                              obv__path_instance_context(pass->instance);
}

/* Whether a component is no observable property of what is behind the path
   instance. Below nil it stays what it was. A value that is no object is an
   error only if the path as written leads there, which one with a `*` does
   not. */
static bool is_unknown_here(const struct obv__rewire_pass *pass,
                            const struct obv__path_node *node)
{
    return is_known_here(pass)
               ? obv__matcher_is_unknown(obv__path_node_element(node),
                                         obv__class_of(pass->fresh))
               : node->is_unknown || ((pass->said & OBV__CHILD_IS_VALUE) &&
                                      pass->child.key == 0);
}

/* A path node is in place: notes whether it is unknown there. */
static void note_unknown(struct obv__rewire_pass *pass,
                         struct obv__path_node *node)
{
    if (!obv__matcher_asks_binding(obv__path_node_element(node))) {
        return;
    }
    bool is_unknown = is_unknown_here(pass, node);
    if (is_unknown && !node->is_unknown && obv__path_node_is_followed(node)) {
        pass->unknown = node;
    }
    obv__store_relaxed(&node->is_unknown, is_unknown);
}

/* A path node's path instance (NULL: there is none) goes to where it is to
   hang. */
OBV__INLINE void move_path_instance(struct obv__rewire_pass *pass,
                                    struct obv__path_node *node,
                                    struct obv__path_instance *instance,
                                    const struct obv__aim *aim,
                                    bool out_of_memory)
{
    struct obv__moved *moved = &pass->moved[pass->count++];
    struct obv__watcher *binding = NULL;
    moved->old = instance ? instance->binding : NULL;
    if (!instance && (aim->target || out_of_memory)) {
        instance =
            obv__path_instance_make(pass->instance, node, pass->child.key);
    }
    if (OBV__UNLIKELY(pass->counts >= OBV__COUNTS_FROM_NIL) && instance &&
        aim->target && aim->target == obv__path_instance_container(instance)) {
        binding = instance->binding; /* it stays */
    } else if (instance && aim->target) {
        binding =
            obv__path_instance_bind_locked(instance, aim->target, aim->slot);
    } else if (instance) {
        obv__path_instance_unbind_locked(instance);
    }
    out_of_memory = out_of_memory || (aim->target && !binding);
    if (OBV__UNLIKELY(out_of_memory)) {
        obv__path_instance_add_unwired(pass->instance, node);
        pass->work->was_unwired = true;
        pass->is_missed = pass->is_missed || obv__path_node_is_followed(node);
    }
    moved->binding = binding;
    moved->was_unwired = out_of_memory;
    moved->is_lost = false;
    moved->is_read = moved->is_lent = false;
    moved->waits = OBV__WAITS_WITH_OBJECT;
    moved->left = NULL;
    moved->change = (struct obv__change){.node = node,
                                         .instance = instance,
                                         .before = pass->before,
                                         .now = aim->target,
                                         .slot = OBV__NO_SLOT};
}

/* Under the lock, and while the first path instance still hangs there: the end
   of `before` has to take it away first, so it has yet to wait for this hazard
   pointer. */
static void begin_with(struct obv__rewire_pass *pass,
                       const struct obv__path_instance *instance,
                       struct obv_object *before)
{
    pass->before = before;
    if (before) {
        obv__hazard_set(pass->work->thread,
                        obv__binding_keeper(instance->binding));
        pass->before_kept = OBV__KEPT_BY_HAZARD;
    }
}

/* A path node that is bound once: it has lost what it was bound to, or there is
   nothing to bind it to. */
OBV__NOINLINE static void resolve_bound_once(struct obv__rewire_pass *pass,
                                             struct obv__path_node *node,
                                             const struct obv_object *before,
                                             const struct obv__aim *aim)
{
    if (before && !aim->target && node->end == OBV__PATH_GOES_ON) {
        pass->moved[pass->count - 1].is_lost =
            obv__path_node_end_locked(node, pass->work);
    } else if (!before && aim->is_past_end) {
        obv__store_relaxed(&node->end, (uint8_t)OBV__PATH_PAST_END);
        pass->unknown = node;
        obv__path_node_rest_locked(obv__path_node_parent(node));
    }
}

/* Whether what hangs where it is to hang is looked at all the same. */
static bool is_looked_at_anew(const struct obv__rewire_pass *pass,
                              const struct obv__path_node *node,
                              const struct obv_object *before)
{
    return pass->counts == OBV__COUNTS_ALL ||
           (OBV__UNLIKELY(pass->counts >= OBV__COUNTS_FROM_NIL) && before &&
            obv__rewire_pass_is_waited(pass, node));
}

/* A path node's path instance goes to where it is to hang, if it does not hang
   there. False: it is for the next pass, since it hung elsewhere than those of
   this one. */
static bool resolve_path_node(struct obv__rewire_pass *pass,
                              struct obv__path_node *node)
{
    struct obv__path_instance *instance =
        obv__path_instance_below(pass->instance, node, pass->child.key);
    const struct obv__aim aim =
        obv__aim_of_locked(node, instance, pass->fresh, true);
    struct obv_object *before =
        instance ? obv__path_instance_container(instance) : NULL;
    bool out_of_memory =
        aim.out_of_memory || (pass->said & OBV__CHILD_IS_SHORT);
    bool stays = before == aim.target && !out_of_memory &&
                 !is_looked_at_anew(pass, node, before);
    bool is_here = stays || pass->count == 0 || before == pass->before;
    if (is_here && !stays) {
        if (pass->count == 0) {
            begin_with(pass, instance, before);
        }
        move_path_instance(pass, node, instance, &aim, out_of_memory);
    } else if (stays && instance) {
        obv__path_instance_forget_if_idle(instance);
    }
    if (is_here && obv__matcher_is_bound_once(obv__path_node_element(node))) {
        resolve_bound_once(pass, node, before, &aim);
    } else if (is_here) {
        note_unknown(pass, node);
    }
    obv__place_leave_locked(aim.target);
    return is_here;
}

/* W4 for up to OBV__REWIRE_PASS_MAX path instances that hung at the same
   object, until a path node is found to be unknown. */
static void move_instances_locked(struct obv__rewire_pass *pass)
{
    size_t place = 0;
    struct obv__path_node *node =
        obv__path_node_first_child(pass->instance->node);
    while (node && (place < pass->done ||
                    (pass->count < OBV__REWIRE_PASS_MAX && !pass->unknown &&
                     resolve_path_node(pass, node)))) {
        place++;
        node = obv__path_node_next_sibling(node);
    }
    pass->done = place;
    pass->has_rest = node != NULL;
}

/* The path instance below the only path node, if it has only to go from one
   object to another of the same class, and nothing is to be told but that the
   leaves there differ. */
static struct obv__path_instance *
only_below_locked(const struct obv__rewire_pass *pass)
{
    struct obv__path_node *node =
        obv__path_node_first_child(pass->instance->node);
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
    const struct obv_class *cls = obv__class_of(pass->fresh);
    return before != pass->fresh &&
                   !obv__edit_touches(&pass->work->edit, before) &&
                   obv__class_of(before) == cls &&
                   (obv__class_is_plain(cls) ||
                    (!obv__class_runs_code(cls) &&
                     !obv__slot_is_computed(cls, binding->slot)))
               ? instance
               : NULL;
}

/* W4 of a plain pass; false: it is none. */
OBV__INLINE bool move_plainly_locked(struct obv__rewire_pass *pass)
{
    struct obv__path_instance *instance = only_below_locked(pass);
    if (instance) {
        const struct obv__aim aim = {.target = pass->fresh,
                                     .slot = instance->binding->slot};
        /* As in begin_with(). */
        pass->before = (struct obv_object *)instance->binding->place;
        obv__hazard_set(pass->work->thread, pass->before);
        move_path_instance(pass, instance->node, instance, &aim, false);
    }
    return instance != NULL;
}

/* W3 and W4 --------------------------------------------------------------- */

/* The first path node below that has to learn what it is on the fresh
   object. */
static struct obv__path_node *
first_to_learn(const struct obv__rewire_pass *pass)
{
    if (!is_known_here(pass)) {
        return NULL;
    }
    struct obv__path_node *node =
        obv__path_node_first_child(pass->instance->node);
    while (node && !obv__matcher_must_learn(obv__path_node_element(node),
                                            obv__class_of(pass->fresh))) {
        node = obv__path_node_next_sibling(node);
    }
    return node;
}

/* Hangs the watcher that sees the end of what is behind the path instance. */
static void watch_locked(struct obv__rewire_pass *pass)
{
    struct obv__path_instance *instance = pass->instance;
    if (!instance->life && !obv__is_at_weak(instance->binding)) {
        return;
    }
    if (OBV__UNLIKELY(!obv__path_instance_move_life_locked(
            instance, pass->child.slot, pass->fresh))) {
        pass->is_missed = pass->work->was_unwired = true;
        pass->work->is_unwatched = true;
        if (!pass->is_trial) {
            obv__path_instance_set_unwired(instance, instance->unwired |
                                                         OBV__UNWIRED_WATCHER);
        }
    }
}

/* W4 of any other; false: again from W1, once `learner`, if there is one, has
   learned. */
static bool move_locked(struct obv__rewire_pass *pass,
                        struct obv__path_node **learner)
{
    *learner = first_to_learn(pass);
    if (*learner) {
        return false;
    }
    watch_locked(pass);
    move_instances_locked(pass);
    return true;
}

/* The slot of the invalid property that a path node comes to on the object
   there, or OBV__NO_SLOT. What hangs there already is its drain's to compute,
   unless it begins to be observed. */
static uint32_t slot_to_compute_locked(const struct obv__rewire_pass *pass,
                                       struct obv__path_node *node)
{
    const struct obv_element *element = obv__path_node_element(node);
    const struct obv__path_instance *instance =
        obv__path_instance_below(pass->instance, node, pass->child.key);
    bool stays = node != pass->begins && instance &&
                 obv__path_instance_container(instance) == pass->fresh;
    uint32_t slot = stays || obv__matcher_is_many(element)
                        ? OBV__NO_SLOT
                        : obv__slot_on(element, pass->fresh);
    return slot <= OBV__SLOT_LAST && !obv__slot_is_valid(pass->fresh, slot)
               ? slot
               : OBV__NO_SLOT;
}

/* What comes to an object is to be kept valid there (LL-5): its getters run
   before anything is moved, and no lock is held. The slot of the next one whose
   property is to be computed, each once; OBV__NO_SLOT: there is none. They come
   in the order of their addresses, so that others may come and go in between.
   The object is looked at under the lock alone: nobody holds it for us. */
static uint32_t next_to_compute_locked(struct obv__rewire_pass *pass)
{
    if (!is_known_here(pass) ||
        !OBV__UNLIKELY(obv__class_has_computed(obv__class_of(pass->fresh)))) {
        return OBV__NO_SLOT;
    }
    obv__store_relaxed(&pass->instance->node->paths->may_wait, true);
    const struct obv__path_node *next = NULL;
    uint32_t found = OBV__NO_SLOT;
    struct obv__path_node *node =
        obv__path_node_first_child(pass->instance->node);
    for (; node; node = obv__path_node_next_sibling(node)) {
        uint32_t slot = (uintptr_t)node > (uintptr_t)pass->last_computed &&
                                (!next || (uintptr_t)node < (uintptr_t)next)
                            ? slot_to_compute_locked(pass, node)
                            : OBV__NO_SLOT;
        if (slot != OBV__NO_SLOT) {
            next = node;
            found = slot;
        }
    }
    pass->last_computed = next ? next : pass->last_computed;
    return found;
}

/* Brings a property up to date whose object has a hazard pointer: by a reference from
   here on, since the function may be what lets the object go. */
OBV__NOINLINE static void compute_held(const struct obv__rewire_pass *pass,
                                       struct obv_object *object, uint32_t slot)
{
    const struct obv_class *cls = obv__class_of(object);
    bool held = obv__object_hold(object);
    obv__hazard_clear(pass->work->thread);
    if (held || !cls->retain) {
        obv__bring_up_to_date(object, slot, pass->work);
    }
    if (held) {
        cls->release(object);
    }
}

/* W3 and W4; false: again from W1, or it is not plain. */
OBV__INLINE bool commit_round(struct obv__rewire_pass *pass, bool is_plain)
{
    struct obv__path_node *learner = NULL;
    pass->count = 0;
    pass->before = NULL;
    pass->before_kept = OBV__KEPT_NOT;
    pass->unknown = NULL;
    pass->has_rest = pass->is_missed = false;
    obv__lock_paths(pass->instance->node);
    obv__pause_point("wiring: entered");
    bool is_current = obv__load_seq_cst(&pass->instance->edits) == pass->edits;
    uint32_t invalid =
        is_current && !is_plain ? next_to_compute_locked(pass) : OBV__NO_SLOT;
    bool good =
        is_current && invalid == OBV__NO_SLOT &&
        (is_plain ? move_plainly_locked(pass) : move_locked(pass, &learner));
    if (OBV__UNLIKELY(invalid != OBV__NO_SLOT)) {
        obv__hazard_set(pass->work->thread, pass->fresh);
    }
    obv__unlock_paths(pass->instance->node);
    if (OBV__UNLIKELY(invalid != OBV__NO_SLOT)) {
        compute_held(pass, pass->fresh, invalid);
    }
    if (!is_current) {
        pass->done = 0;
    }
    if (OBV__UNLIKELY(learner != NULL)) {
        obv__matcher_learn(obv__path_node_element(learner), pass->fresh);
    }
    return good;
}

/* W2 ----------------------------------------------------------------------- */

/* A hazard pointer to the container, while it cannot have ended: its end would
   have to take the binding away first. */
static bool guard_container(const struct obv__rewire_pass *pass)
{
    obv__lock_paths(pass->instance->node);
    bool here = pass->instance->binding == pass->binding;
    if (here) {
        obv__hazard_set(pass->work->thread, obv__binding_keeper(pass->binding));
    }
    obv__unlock_paths(pass->instance->node);
    return here;
}

/* The object that the slot of the edit held before. */
static struct obv_object *behind_old(struct obv__rewire_pass *pass, bool *held)
{
    const struct obv__edited *at = &pass->work->edit.at;
    const struct obv_property *property =
        obv__property_at(at->object, at->slot);
    if (property->kind != OBV_KIND_pointer) {
        return obv__value_object(property, at->old, held);
    }
    void *address;
    memcpy(&address, at->old, sizeof address);
    return obv__foreign_at(obv__path_instance_context(pass->instance), address,
                           held);
}

/* Whether the edit says that the property was computed: one that has become invalid
   already, by what its function has set, is not computed once more. */
static bool is_just_computed(const struct obv__rewire_pass *pass,
                             const struct obv_object *container)
{
    const struct obv__edit *edit = &pass->work->edit;
    return obv__edit_is_of_computed(edit) && edit->at.object == container &&
           edit->at.slot == pass->child.slot;
}

/* False: the path instance hangs elsewhere by now, and the container may have
   gone. */
OBV__INLINE bool compute_in_container(const struct obv__rewire_pass *pass,
                                      struct obv_object *container,
                                      uint32_t slot)
{
    if (!OBV__UNLIKELY(!obv__slot_is_valid(container, slot))) {
        return true;
    }
    if (guard_container(pass)) {
        compute_held(pass, container, slot);
    }
    /* Acquire, as in obv__path_instance_container(). */
    return obv__load_acquire(&pass->instance->binding) == pass->binding;
}

/* The object behind the slot that a path instance hangs in, or NULL. */
static struct obv_object *behind(struct obv__rewire_pass *pass, bool *held)
{
    const struct obv_element *element =
        obv__path_node_element(pass->instance->node);
    uint32_t slot = pass->child.slot;
    if (!pass->binding || slot == OBV__NO_SLOT) {
        return NULL;
    }
    if (OBV__UNLIKELY(pass->reads != OBV__READS_STORED)) {
        return behind_old(pass, held);
    }
    struct obv_object *container = obv__binding_place(pass->binding);
    if (!container) {
        return NULL;
    }
    if (pass->child.key == 0 && !is_just_computed(pass, container) &&
        !compute_in_container(pass, container, slot)) {
        return NULL;
    }
    return obv__matcher_read(element, container, slot, held);
}

/* A report (OBV__CHILD_...) is of the `child` that runs innermost, whose code
   may bring path instances in line itself, before it says so and after. */
static void read_fresh(struct obv__rewire_pass *pass)
{
    struct obv__thread *thread = pass->work->thread;
    uint8_t outer_said = thread->child_said;
    bool held = false;
    thread->child_said = 0;
    pass->fresh = behind(pass, &held);
    pass->fresh_kept = held ? OBV__KEPT_BY_REFERENCE : OBV__KEPT_NOT;
    pass->said = pass->fresh ? 0 : thread->child_said;
    thread->child_said = outer_said;
}

/* W2 of a plain pass, of a property that holds objects of the core's own kind;
   false: it is none, or leads nowhere. */
OBV__INLINE bool read_plainly(struct obv__rewire_pass *pass)
{
    const struct obv__watcher *binding = pass->binding;
    const struct obv_object *container = obv__binding_place(binding);
    const struct obv_property *property =
        container ? obv__property_at(container, binding->slot) : NULL;
    if (!property || property->kind != OBV_KIND_object || property->custom ||
        property->computed) {
        return false;
    }
    pass->fresh = *(struct obv_object *const *)obv__field(container, property);
    return pass->fresh != NULL;
}

void obv__rewire_pass_let_go(struct obv__rewire_pass *pass)
{
    if (pass->fresh_kept == OBV__KEPT_BY_REFERENCE) {
        if (OBV__UNLIKELY(obv__is_constant(pass->fresh))) {
            /* What hangs there holds it first. */
            obv__epoch_pay(pass->work->thread);
        }
        obv__class_of(pass->fresh)->release(pass->fresh);
        pass->fresh_kept = OBV__KEPT_NOT;
    }
}

/* W1 to W4 ----------------------------------------------------------------- */

/* `is_plain` is constant: then false says that it is not. */
OBV__INLINE bool begin_round(struct obv__rewire_pass *pass, bool is_plain)
{
    bool good;
    do {
        if (!is_plain) {
            obv__rewire_pass_let_go(pass);
        }
        /* Seq_cst: W1, before the reads of W2. */
        uint64_t edits = obv__load_seq_cst(&pass->instance->edits);
        if (!is_plain && edits != pass->edits) {
            pass->last_computed = NULL;
        }
        pass->edits = edits;
        obv__pause_point("wiring: noted");
        /* Acquire, as in obv__path_instance_container(). */
        if (obv__load_acquire(&pass->instance->binding) != pass->binding) {
            return false;
        }
        if (!is_plain) {
            read_fresh(pass);
        } else if (!read_plainly(pass)) {
            return false;
        }
        obv__pause_point("wiring: read");
        good = commit_round(pass, is_plain);
    } while (!good && !is_plain);
    obv__pause_point("wiring: committed");
    return good;
}

bool obv__rewire_pass_begin(struct obv__rewire_pass *pass)
{
    return begin_round(pass, false);
}

/* W6 of a plain pass. An observation that has come meanwhile and wants more may
   be told that all has changed. */
OBV__INLINE void look_plainly(const struct obv__rewire_pass *pass)
{
    struct obv__moved *moved = pass->moved;
    struct obv__change *change = &moved->change;
    uint64_t since = obv__registration_epoch();
    const struct obv_property *property =
        obv__property_at(pass->fresh, moved->old->slot);
    change->is_unknown = moved->was_unwired ||
                         obv__path_node_wants(change->node, OBV__WANTS_CODE);
    change->differs =
        change->is_unknown ||
        !obv__property_equal(pass->before, property, pass->fresh, property);
    obv__leaves_look(pass->work, change, since);
    obv__hazard_clear(pass->work->thread);
    obv__leaves_add(pass->work, change, since);
}

/* False: it is not plain, and nothing is done. */
OBV__INLINE bool go_plainly(struct obv__rewire_pass *pass)
{
    if (!obv__matcher_is_name(obv__path_node_element(pass->instance->node)) ||
        (pass->binding->type & (OBV__AT_WEAK | OBV__AT_CELL)) ||
        !begin_round(pass, true)) {
        return false;
    }
    obv__advance_registration_epoch();
    look_plainly(pass);
    if (OBV__UNLIKELY(pass->is_missed)) {
        obv__report_path(pass->instance->node, OBV_DIAGNOSTIC_MEMORY);
    }
    return true;
}

enum obv__counts
obv__rewire_passes_plainly(struct obv__path_instance **instance,
                           const struct obv__watcher **binding,
                           struct obv__work_list *work)
{
    struct obv__moved moved;
    struct obv__rewire_pass pass = {.instance = *instance,
                                    .binding = *binding,
                                    .work = work,
                                    .moved = &moved};
    while (pass.binding && !obv__is_leaf(pass.binding) && go_plainly(&pass)) {
        pass.instance = moved.change.instance;
        pass.binding = moved.binding;
    }
    *instance = pass.instance;
    *binding = pass.binding;
    return pass.binding ? OBV__COUNTS_DIFFERENT : OBV__COUNTS_ALL;
}

void obv__rewire_pass_forget_idle(const struct obv__rewire_pass *pass)
{
    if (!pass->instance->node->is_beneath && pass->child.key == 0) {
        return;
    }
    obv__lock_paths(pass->instance->node);
    for (size_t i = 0; i < pass->count; i++) {
        if (pass->moved[i].change.instance) {
            obv__path_instance_forget_if_idle(pass->moved[i].change.instance);
        }
    }
    obv__unlock_paths(pass->instance->node);
}
