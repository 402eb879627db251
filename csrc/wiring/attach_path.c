/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches a path that begins to be observed: wires it from the root on.
 */
#include "wiring/attach_path.h"

#include "model/container.h"
#include "model/node.h"
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
