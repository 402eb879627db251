/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wiring: how paths follow replaced objects, on any thread, without running
 * anybody's code under a lock.
 *
 * To bring the path instances below a path instance in line with the object
 * behind its slot:
 *
 *   W1  note the path instance's edit number
 *   W2  read the object behind the slot, holding no lock; be done if the path
 *       instance hangs elsewhere by now. An object that a language binding
 *       reads (a custom property, a component) comes with a reference, given
 *       back after W7
 *   W3  enter the paths lock; if the number has moved, leave and begin at W1.
 *       If it is not known yet what a component below is on that object's
 *       class, leave as well, let it learn, and begin at W1
 *   W4  exchange bindings: the children's old ones are unlinked from the old
 *       object's slots, new ones are linked into the new object's
 *   W5  leave; raise the registration epoch
 *   W6  compare, for the leaves there, the old object and the new, holding no
 *       lock; what differs is due
 *   W7  the same for each child that moved and has children
 *
 * A rewire pass (rewire_pass.h) does W1 to W6 for some of the path nodes below
 * a path instance; rewire_subtree.c does it for all, and goes on with W7. Here
 * begins what an edit does, and the end of an object; in attach_path.c a path
 * that begins to be observed.
 *
 * An edit of a slot stores its value, then moves the number of each path
 * instance bound there, then does W1 to W7.
 *
 * Under a `*` there is an object behind each property. W1 to W7 are done for
 * one property at a time: for the one that an edit has set, else for each that
 * can hold an object, and then for those by which there are path instances
 * still.
 *
 * The wiring that is left is that of the value stored last. Let value V be
 * stored last, by edit E. E moves the number after its store; a thread that
 * passes W3 later with a number noted after that move has read V in W2. A
 * thread that noted an earlier number and has not passed W3 finds that it moved
 * and begins again; one that passed W3 earlier is overwritten by E, which
 * passes W3 after its own move. Each repetition is due to another edit that
 * made progress.
 *
 * No change below is lost while a child moves. A binding is linked (W4) before
 * the value behind it is read (W6, and W2 of W7). An edit stores its value,
 * then looks for watchers. Either it finds the binding, or the link came after
 * its look, and then W6 or W2 read its value. (For values that any thread may
 * set, both sides are full fences: the setter's exchange, and the registration
 * epoch.) A set of the old object's value that any thread may set may have
 * stored it, and look for watchers when W4 has taken the binding away: so such
 * an end counts as changed (EQ-2).
 *
 * The old object lives through W6. It is found under the lock, where its end
 * would have had to take the binding away first; a hazard pointer published
 * there, before the binding goes, makes its end wait until the comparison is
 * over. Comparison is the core's own and waits for nothing; but where a
 * language binding compares, whose code may do anything, the hazard pointer
 * covers only the `retain` of the old object. One that is at its end already
 * counts as different, and so does one that has no hooks. The new object is
 * then held by a reference as well.
 *
 * Where memory is short, a path instance is let go; what hangs below counts as
 * changed, and is reported. A path instance keeps what is `unwired` behind it:
 * a watcher, where nobody will see the end or the arrival of the object there;
 * and the path nodes below that could not be made or bound, or whose object
 * `child` had no memory for. That is forgotten, told as changed, and tried
 * again whenever all behind the path instance is brought in line. Under a `*`
 * an edit of one property does so for the others once nothing is unwired behind
 * its own.
 *
 * Only the object of the edit, and what its thread has reached from it, is read
 * in W2: where another thread has bound the path node to an object of its own,
 * that object may end under our eyes, and that thread does W1 to W7 for it. If
 * the object behind a weak property ends, the container is such an object, too:
 * it is read by a reference, or under a hazard pointer that is published while
 * it is found to be bound.
 *
 * Top down, each level linked before the next is read: an edit in the middle
 * meets either the old wiring or the new, and in both cases a number to move.
 */
#include "wiring/wiring.h"

#include "model/inbound.h"
#include "model/node.h"
#include "model/value.h"
#include "wiring/binding.h"
#include "wiring/leaves.h"
#include "wiring/matcher.h"
#include "wiring/paths.h"
#include "wiring/rewire_subtree.h"

/* Edits -------------------------------------------------------------------- */

static bool concerns(const struct obv__path_node *node,
                     const struct obv__work_list *work)
{
    const struct obv_element *element = obv__path_node_element(node);
    const struct obv__edit *edit = &work->edit;
    return !obv__edit_is_equal(edit) &&
           (!obv__matcher_is_view(element) ||
            obv__matcher(element)->changed(
                element, edit->at.object, edit->at.old,
                edit->is_inbound
                    ? obv__told_last(edit->at.object, edit->at.slot)
                    : NULL));
}

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

/* The drain has found that something is where nil was, or another thread something
   else: tells those who wait below. */
OBV__NOINLINE static void tell_below_nil(struct obv__path_instance *instance,
                                         const struct obv__watcher *binding,
                                         struct obv__work_list *work)
{
    const struct obv__computed *computed =
        obv__computed_of(work->edit.at.object, work->edit.at.slot);
    enum obv__counts counts =
        computed ? obv__counts_of_waiting(obv__computed_waits(computed, NULL))
                 : OBV__COUNTS_DIFFERENT;
    if (!obv__is_leaf(binding) && counts != OBV__COUNTS_DIFFERENT) {
        obv__rewire_below(instance, binding, work, counts);
    }
}

/* Brings in line what is behind the slot that is edited. */
static void rewire_edited(struct obv__path_instance *instance,
                          const struct obv__watcher *binding,
                          struct obv__work_list *work)
{
    const struct obv_element *element = obv__path_node_element(instance->node);
    if (obv__is_leaf(binding)) {
        return;
    }
    if (!obv__matcher_is_many(element)) {
        obv__rewire_below(instance, binding, work, OBV__COUNTS_DIFFERENT);
        return;
    }
    const struct obv_class *cls = obv__class_of(work->edit.at.object);
    uint32_t slot = work->edit.at.slot;
    if (cls->each) {
        obv__rewire_touched(instance, binding, work);
    } else if (obv__must_follow(cls, slot, true) &&
               obv__rewire_child(instance, binding, work, OBV__COUNTS_DIFFERENT,
                                 obv__child_in(element, cls, slot))) {
        obv__rewire_still_unwired(instance, binding, work);
    }
}

void obv_detail_report_value(void)
{
    obv__thread_self()->child_said |= OBV__CHILD_IS_VALUE;
}

void obv_detail_report_no_memory(void)
{
    obv__thread_self()->child_said |= OBV__CHILD_IS_SHORT;
}

/* A path instance has lost what its path node was bound to, once for all: what
   hung below it has been let go of. */
OBV__NOINLINE static void end_bound_once(struct obv__path_instance *instance,
                                         struct obv__work_list *work)
{
    struct obv__path_node *node = instance->node;
    obv__lock_paths(node);
    bool is_lost =
        node->end == OBV__PATH_GOES_ON && obv__path_node_end_locked(node, work);
    obv__path_instance_unbind_locked(instance);
    obv__unlock_paths(node);
    if (is_lost) {
        obv__leaves_add_over(node, work);
    }
}

void obv__rewire(struct obv__watcher *binding, struct obv__work_list *work,
                 uint64_t since)
{
    struct obv__path_instance *instance = binding->of;
    bool concerned = concerns(instance->node, work);
    bool is_of_computed = obv__edit_is_of_computed(&work->edit);
    /* Who is told of all has been told that it has become invalid (WC-6). */
    bool is_told = !is_of_computed || !obv__path_node_is_any(instance->node);
    /* A watcher that comes after this look came since `since`. */
    if (is_told && obv__first(&instance->node->leaves)) {
        add_edited(instance, work, concerned, since);
    }
    if (obv__edit_leads_on(&work->edit)) {
        obv__path_instance_advance(instance);
        rewire_edited(instance, binding, work);
    } else if (work->edit.kind == OBV__EDIT_SETTLED) {
        tell_below_nil(instance, binding, work);
    } else {
        return;
    }
    if (concerned && is_told) {
        obv__leaves_add_any(instance->node, work, since);
    }
    if (OBV__UNLIKELY(work->edit.kind == OBV__EDIT_LEAVES)) {
        end_bound_once(instance, work);
    }
    obv__paths_sweep(work->context, OBV__SWEEP);
}

/* Ends --------------------------------------------------------------------- */

/* A path instance whose second watcher has seen the end of the object that a weak
   property held. */
struct lost {
    struct obv__path_instance *instance;
    struct obv__child child;      /* that led to the object */
    struct obv_object *container; /* which holds it no more */
};

/* The container may be at its end on another thread. */
static void find_lost_locked(struct lost *lost,
                             struct obv__path_instance *instance, uint32_t slot,
                             struct obv__thread *self)
{
    lost->instance = instance;
    lost->container = obv__path_instance_container(instance);
    lost->child = obv__child_in(obv__path_node_element(instance->node),
                                obv__class_of(lost->container), slot);
    obv__hazard_set(self, lost->container);
}

/* Nobody is asked about an object that is at its end (LT-7). The container is
   held by a reference, since its program may compare. Where its class has no
   hooks, the program orders such ends; a container that refuses tells at its own
   end. */
static void tell_of_death(const struct lost *lost, struct obv__work_list *work)
{
    const struct obv_class *cls = obv__class_of(lost->container);
    bool is_held = obv__object_hold(lost->container);
    obv__hazard_clear(work->thread);
    if (!is_held && cls->retain) {
        return;
    }
    struct obv__change change = {.node = lost->instance->node,
                                 .instance = lost->instance,
                                 .before = lost->container,
                                 .now = lost->container,
                                 .slot = lost->child.key ? lost->child.slot
                                                         : OBV__NO_SLOT,
                                 .is_lost = true,
                                 .differs = true};
    obv__leaves_look(work, &change, obv__registration_epoch());
    obv__leaves_add(work, &change, obv__registration_epoch());
    obv__leaves_add_any(change.node, work, obv__registration_epoch());
    if (is_held) {
        cls->release(lost->container);
    }
}

/* A path instance below that hangs at the object as well, in a cyclic graph;
   NULL: none does. */
static struct obv__path_instance *
instance_below_at_locked(struct obv__path_instance *instance,
                         const struct obv_object *object)
{
    struct obv__path_instance *found = NULL;
    uint32_t key = 0;
    do {
        struct obv__path_node *node =
            obv__path_node_first_child(instance->node);
        for (; node && !found; node = obv__path_node_next_sibling(node)) {
            struct obv__path_instance *below =
                obv__path_instance_below(instance, node, key);
            found = below && obv__path_instance_container(below) == object
                        ? below
                        : NULL;
        }
        key = found ? 0 : obv__path_instance_next_key(instance, key + 1);
    } while (key != 0);
    return found;
}

static void let_go_bound(struct obv__path_instance *instance,
                         struct obv_object *object,
                         struct obv__work_list *work);

/* Before all below is let go of: the leaves there are told while its values lie
   where they lay. */
static void let_go_below(struct obv__path_instance *instance,
                         struct obv_object *object, struct obv__work_list *work)
{
    struct obv__path_instance *below;
    do {
        obv__lock_paths(instance->node);
        below = instance_below_at_locked(instance, object);
        if (below) {
            obv__path_instance_unbind_locked(below);
        }
        obv__unlock_paths(instance->node);
        if (below) {
            let_go_bound(below, object, work);
        }
    } while (below);
}

/* The container of a path instance is at its end. */
static void let_go_bound(struct obv__path_instance *instance,
                         struct obv_object *object, struct obv__work_list *work)
{
    /* Its values are copied from where they lie; a view would be asked. */
    struct obv__change change = {.node = instance->node,
                                 .instance = instance,
                                 .before = object,
                                 .slot = OBV__NO_SLOT,
                                 .is_unknown = obv__matcher_is_view(
                                     obv__path_node_element(instance->node)),
                                 .differs = true};
    obv__leaves_look(work, &change, obv__registration_epoch());
    obv__leaves_add(work, &change, obv__registration_epoch());
    if (obv__path_node_first_child(instance->node)) {
        let_go_below(instance, object, work);
    }
    obv__rewire_below(instance, NULL, work, OBV__COUNTS_DIFFERENT);
    if (obv__matcher_is_bound_once(obv__path_node_element(instance->node))) {
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
    struct lost lost;
    obv__lock_paths(instance->node);
    bool here = binding->place == (uintptr_t)object;
    bool bound = here && instance->binding == binding;
    uint32_t slot = binding->serial;
    /* The watcher of what is behind its slot. */
    bool is_lost =
        here && !bound && obv__path_instance_end_life_locked(instance, binding);
    if (is_lost) {
        find_lost_locked(&lost, instance, slot, work->thread);
    }
    if (bound) {
        obv__path_instance_unbind_locked(instance);
    }
    obv__unlock_paths(instance->node);
    if (bound) {
        let_go_bound(instance, object, work);
    } else if (is_lost) {
        tell_of_death(&lost, work);
    }
}
