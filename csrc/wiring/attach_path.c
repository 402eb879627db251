/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches a path that begins to be observed: wires it from the root on.
 */
#include "wiring/attach_path.h"

#include "model/container.h"
#include "model/node.h"
#include "platform/pause_point.h"
#include "model/value.h"
#include "wiring/binding.h"
#include "wiring/matcher.h"
#include "wiring/rewire_subtree.h"

/* Binds the first path node of a path to the root itself. */
static bool bind_first(struct obv__path_instance *first,
                       struct obv_object *root)
{
    const struct obv_element *element = obv__path_node_element(first->node);
    if (obv__matcher_must_learn(element, obv__class_of(root))) {
        obv__matcher_learn(element, root);
    }
    obv__lock_paths(first->node);
    if (obv__class_has_computed(obv__class_of(root))) {
        obv__store_relaxed(&first->node->paths->may_wait, true);
    }
    const struct obv__aim aim =
        obv__aim_of_locked(first->node, first, root, true);
    bool good = first->binding ||
                (aim.target ? obv__path_instance_bind_locked(first, aim.target,
                                                             aim.slot) != NULL
                            : !aim.out_of_memory);
    obv__place_leave_locked(aim.target);
    if (aim.is_past_end) {
        obv__store_relaxed(&first->node->end, (uint8_t)OBV__PATH_PAST_END);
    }
    obv__unlock_paths(first->node);
    obv__advance_registration_epoch();
    return good;
}

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

/* The binding of a path instance if it hangs at `container`, else NULL. */
static struct obv__watcher *
binding_at(const struct obv__path_instance *instance,
           const struct obv_object *container)
{
    struct obv__watcher *binding = obv__load_acquire(&instance->binding);
    return binding && container && obv__binding_keeper(binding) == container
               ? binding
               : NULL;
}

/* A path that begins to be observed: its path nodes from the root on. */
struct path {
    struct obv__path_node *nodes[OBV_PATH_COUNT_MAX];
    size_t count;
    struct obv__work_list *work;
};

static void attach_at(const struct path *path, size_t at,
                      struct obv__path_instance *instance,
                      struct obv_object *container);

static struct obv__path_instance *
find_below(struct obv__path_instance *instance, struct obv__path_node *node,
           uint32_t key)
{
    obv__lock_paths(instance->node);
    struct obv__path_instance *found =
        obv__path_instance_below(instance, node, key);
    obv__unlock_paths(instance->node);
    return found;
}

/* W1 to W7 for one child, and on from there, while it is held. */
static void attach_by(const struct path *path, size_t at,
                      struct obv__path_instance *instance,
                      const struct obv__watcher *binding,
                      struct obv__child child, bool is_trial)
{
    struct obv__rewire_pass pass = {
        .instance = instance,
        .binding = binding,
        .work = path->work,
        .child = child,
        .is_trial = is_trial,
        .begins = at + 1 < path->count ? path->nodes[at + 1] : NULL};
    const struct obv__work_list *work = path->work;
    const struct obv_object *at_object = obv__binding_place(binding);
    if (OBV__UNLIKELY(obv__edited_at(&work->edit, at_object, child.slot) !=
                      NULL) &&
        obv__leads_back(work, obv__path_node_element(instance->node))) {
        pass.reads = OBV__READS_BEFORE;
    }
    if (!obv__rewire_run(&pass)) {
        return;
    }
    if (at + 1 < path->count && pass.fresh) {
        struct obv__path_instance *below =
            find_below(instance, path->nodes[at + 1], child.key);
        if (below) {
            attach_at(path, at + 1, below, pass.fresh);
        }
    }
    obv__rewire_pass_let_go(&pass);
}

/* Children that nobody is told of yet -------------------------------------- */

/* So many are bound in one stay in the lock. */
#define AT_ONCE 64

/* The children behind a `*` below which nobody observes yet, and the path node
   that hangs at them from now on, an end. */
struct filling {
    struct obv__path_instance *any;
    const struct obv__watcher *binding; /* where it hangs */
    struct obv__path_node *end;
    struct obv__children children;
    uint64_t edits; /* of `any`, before these were read */
    size_t count;
    struct {
        struct obv_object *object;
        uint32_t key;
    } read[AT_ONCE];
};

/* Nobody is to be told of a child that comes, none hangs there, and nothing but
   an end is to hang there. */
static bool may_fill_locked(const struct filling *filling)
{
    const struct obv__path_instance *any = filling->any;
    const struct obv__path_node *end = filling->end;
    const struct obv_element *element = obv__path_node_element(end);
    const unsigned watched = OBV__AT_WEAK | OBV__AT_ANY_THREAD;
    return any->binding == filling->binding &&
           !(any->binding->type & watched) &&
           !obv__path_instance_has_unwired(any) &&
           obv__path_node_first_child(any->node) == end &&
           !obv__path_node_next_sibling(end) &&
           !obv__path_node_first_child(end) && !obv__first(&end->leaves) &&
           (obv__matcher_is_name(element) || obv__path_node_is_any(end));
}

/* W1 and W2, for as many as there is room for. False: one is more than a plain
   object that the container owns. */
static bool read_some(struct filling *filling)
{
    /* Seq_cst: before the reads, as everywhere. */
    filling->edits = obv__load_seq_cst(&filling->any->edits);
    obv__pause_point("wiring: noted");
    bool good = true;
    for (filling->count = 0; good && filling->count < AT_ONCE &&
                             obv__children_next(&filling->children);) {
        bool held;
        struct obv_object *object = obv__matcher_read(
            obv__path_node_element(filling->any->node),
            filling->children.container, filling->children.child.slot, &held);
        const struct obv_class *cls = object ? obv__class_of(object) : NULL;
        good = !held && (!cls || (obv__class_is_plain(cls) && cls->flags == 0));
        if (held) {
            cls->release(object);
        } else if (cls) {
            filling->read[filling->count].object = object;
            filling->read[filling->count++].key = filling->children.child.key;
        }
    }
    return good && !filling->children.out_of_memory;
}

static bool bind_child_locked(const struct filling *filling, size_t at)
{
    const struct obv__aim aim =
        obv__aim_of_locked(filling->end, NULL, filling->read[at].object, true);
    struct obv__path_instance *instance =
        aim.target ? obv__path_instance_make(filling->any, filling->end,
                                             filling->read[at].key)
                   : NULL;
    bool good = !aim.out_of_memory;
    if (instance && !instance->binding) {
        good = obv__path_instance_bind_locked(instance, aim.target, aim.slot);
        if (!good) {
            obv__path_instance_forget_if_idle(instance);
        }
    } else if (aim.target) {
        good = instance && obv__path_instance_container(instance) == aim.target;
    }
    obv__place_leave_locked(aim.target);
    return good;
}

/* W3 and W4 of those that were read. */
static bool bind_some(const struct filling *filling)
{
    obv__lock_paths(filling->end);
    obv__pause_point("wiring: entered");
    bool good = obv__load_seq_cst(&filling->any->edits) == filling->edits &&
                may_fill_locked(filling);
    for (size_t i = 0; good && i < filling->count; i++) {
        good = bind_child_locked(filling, i);
    }
    obv__unlock_paths(filling->end);
    return good;
}

/* W1 to W4 of all children behind a `*` by which an end begins to be observed, many
   at a time. False: each is to be brought in line by itself. */
static bool fill_children(struct obv__path_instance *any,
                          const struct obv__watcher *binding,
                          struct obv__path_node *end)
{
    struct filling filling = {.any = any, .binding = binding, .end = end};
    obv__lock_paths(end);
    bool good = may_fill_locked(&filling);
    obv__unlock_paths(end);
    if (good) {
        filling.children = obv__children_of(obv__path_node_element(any->node),
                                            obv__binding_place(binding),
                                            binding->slot, OBV__WHICH_LEAD_ON);
        do {
            good = read_some(&filling) && bind_some(&filling);
        } while (good && filling.count == AT_ONCE);
        obv__advance_registration_epoch();
    }
    return good;
}

/* As far as this thread reaches: each object is held, if it came with a
   reference, until the one behind it is read. Where another thread has bound a
   way to an object of its own, that thread goes on. */
static void attach_at(const struct path *path, size_t at,
                      struct obv__path_instance *instance,
                      struct obv_object *container)
{
    const struct obv__watcher *binding = binding_at(instance, container);
    if (!binding || (at + 1 == path->count && !obv__is_at_weak(binding))) {
        return; /* nothing hangs behind the end */
    }
    if (at + 2 == path->count && obv__path_node_is_any(instance->node) &&
        !obv__edit_touches(&path->work->edit, obv__binding_place(binding)) &&
        fill_children(instance, binding, path->nodes[at + 1])) {
        return;
    }
    /* At the end of a path what hangs below is not looked at. */
    uint32_t was_unwired = obv__rewire_unwired(
        instance, path->work,
        at + 1 < path->count ? UINT32_MAX : OBV__UNWIRED_WATCHER);
    bool is_trial = !(was_unwired & OBV__UNWIRED_WATCHER);
    struct obv__children children = obv__children_of(
        obv__path_node_element(instance->node), obv__binding_place(binding),
        binding->slot,
        at + 1 < path->count ? OBV__WHICH_LEAD_ON : OBV__WHICH_END);
    while (obv__children_next(&children)) {
        attach_by(path, at, instance, binding, children.child, is_trial);
    }
    if (children.out_of_memory && is_trial) {
        path->work->is_unwatched = true; /* the observing fails: no trace */
    } else {
        obv__children_end(&children, instance, path->work);
    }
}

/* Whether a path instance of a path node hangs in a computed property that memory
   was too short for. */
static bool is_short_locked(struct obv__path_node *node)
{
    struct obv__path_instance *instance = obv__path_instance_next(node, NULL);
    bool is_short = false;
    for (; instance && !is_short;
         instance = obv__path_instance_next(node, instance)) {
        const struct obv__watcher *binding = instance->binding;
        const struct obv_object *object =
            binding ? obv__binding_place(binding) : NULL;
        is_short =
            object && binding->slot <= OBV__SLOT_LAST &&
            obv__slot_is_computed(obv__class_of(object), binding->slot) &&
            obv__computed_is_short(obv__computed_of(object, binding->slot));
    }
    return is_short;
}

/* The same of a path, whose computed properties were brought up to date as it was
   wired. */
static bool is_short_on_way(const struct path *path)
{
    const struct obv__path_node *leaf = path->nodes[path->count - 1];
    bool is_short = false;
    obv__lock_paths(leaf);
    size_t count = leaf->paths->may_wait ? path->count : 0;
    for (size_t i = 0; i < count && !is_short; i++) {
        is_short = is_short_locked(path->nodes[i]);
    }
    obv__unlock_paths(leaf);
    return is_short;
}

bool obv__attach_path(struct obv__path_node *leaf, struct obv_object *root,
                      struct obv__work_list *work)
{
    struct path path = {.work = work};
    struct obv__path_node *node = leaf;
    path.count = leaf->in_trie.depth;
    for (size_t i = path.count; i-- > 0; node = obv__path_node_parent(node)) {
        path.nodes[i] = node;
    }
    struct obv__path_instance *first = &path.nodes[0]->own;
    if (!bind_first(first, root)) {
        return false;
    }
    work->was_unwired = work->is_unwatched = false;
    attach_at(&path, 0, first, root);
    /* Beneath a `*` a path node does not tell of each of its path instances. */
    return !(leaf->is_beneath && work->was_unwired) && !work->is_unwatched &&
           !obv__path_node_is_unwired(leaf) && !is_short_on_way(&path);
}
