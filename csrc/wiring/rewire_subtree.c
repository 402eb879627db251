/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing what hangs below a path instance in line, in rewire passes.
 */
#include "wiring/rewire_subtree.h"

#include "model/node.h"
#include "model/value.h"
#include "wiring/binding.h"
#include "wiring/leaves.h"
#include "wiring/matcher.h"
#include "wiring/path_report.h"

/* What is unwired, for want of memory -------------------------------------- */

static void tell_unwired(const struct obv__path_node *node,
                         struct obv__work_list *work)
{
    struct obv__change change = {.node = node,
                                 .slot = OBV__NO_SLOT,
                                 .is_unknown = true,
                                 .differs = true};
    obv__leaves_look(work, &change, obv__registration_epoch());
    obv__leaves_add(work, &change, obv__registration_epoch());
}

/* The leaves below a path node count as changed; `instance`: where something
   was unwired, `unwired` these. */
OBV__NOINLINE static void tell_below(const struct obv__path_node *node,
                                     const struct obv__path_instance *instance,
                                     uint32_t unwired,
                                     struct obv__work_list *work)
{
    struct obv__path_node *at = NULL;
    do {
        obv__lock_paths(node);
        at = obv__path_node_next_below(node, at);
        bool is_told = at && (!instance || obv__path_instance_was_unwired(
                                               instance, at, unwired));
        obv__unlock_paths(node);
        if (is_told) {
            tell_unwired(at, work);
        }
    } while (at);
}

OBV__NOINLINE static uint32_t take_unwired(struct obv__path_instance *instance,
                                           struct obv__work_list *work,
                                           uint32_t of)
{
    obv__lock_paths(instance->node);
    uint32_t unwired = instance->unwired & of;
    obv__path_instance_set_unwired(instance, instance->unwired & ~of);
    obv__unlock_paths(instance->node);
    if (unwired & OBV__UNWIRED_WATCHER) {
        tell_unwired(instance->node, work);
    }
    tell_below(instance->node, instance, unwired, work);
    obv__lock_paths(instance->node);
    obv__path_instance_clear_unwired(instance, unwired);
    obv__unlock_paths(instance->node);
    return unwired;
}

uint32_t obv__rewire_unwired(struct obv__path_instance *instance,
                             struct obv__work_list *work, uint32_t of)
{
    return OBV__UNLIKELY(obv__path_instance_has_unwired(instance))
               ? take_unwired(instance, work, of)
               : 0;
}

/* Rewire passes ------------------------------------------------------------ */

/* How what is below a path node that has moved counts. */
static enum obv__counts counts_below(const struct obv__rewire_pass *pass,
                                     const struct obv__moved *moved)
{
    if (pass->counts == OBV__COUNTS_ALL || moved->was_unwired) {
        return OBV__COUNTS_ALL;
    }
    if (OBV__UNLIKELY(obv__rewire_pass_is_waited(pass, moved->change.node))) {
        return pass->counts;
    }
    return obv__counts_of_waiting(moved->waits);
}

/* W7. */
static void rewire_moved(const struct obv__rewire_pass *pass)
{
    for (size_t i = 0; i < pass->count; i++) {
        const struct obv__moved *moved = &pass->moved[i];
        enum obv__counts counts = counts_below(pass, moved);
        if (moved->change.instance) {
            obv__rewire_below(moved->change.instance, moved->binding,
                              pass->work, counts);
        } else if (counts == OBV__COUNTS_ALL) {
            tell_below(moved->change.node, NULL, 0, pass->work);
        }
        if (OBV__UNLIKELY(moved->is_lost)) {
            obv__leaves_add_over(moved->change.node, pass->work);
        }
    }
}

bool obv__rewire_run(struct obv__rewire_pass *pass)
{
    struct obv__moved moved[OBV__REWIRE_PASS_MAX];
    pass->moved = moved;
    do {
        if (!obv__rewire_pass_begin(pass)) {
            return false;
        }
        obv__rewire_pass_look(pass);
        rewire_moved(pass);
        obv__rewire_pass_forget_idle(pass);
    } while (pass->has_rest);
    return true;
}

bool obv__rewire_child(struct obv__path_instance *instance,
                       const struct obv__watcher *binding,
                       struct obv__work_list *work, enum obv__counts counts,
                       struct obv__child child)
{
    struct obv__rewire_pass pass = {.instance = instance,
                                    .binding = binding,
                                    .work = work,
                                    .child = child,
                                    .counts = counts};
    bool here = obv__rewire_run(&pass);
    obv__rewire_pass_let_go(&pass);
    return here;
}

/* Children ----------------------------------------------------------------- */

/* A key behind `key` by which there are path instances that the container does
   not lead to; 0: none. */
static uint32_t next_stale_key(struct obv__path_instance *instance,
                               const struct obv__children *children,
                               uint32_t key)
{
    obv__lock_paths(instance->node);
    do {
        key = obv__path_instance_next_key(instance, key + 1);
    } while (key != 0 && obv__children_have(children, key));
    obv__unlock_paths(instance->node);
    return key;
}

void obv__children_end(const struct obv__children *children,
                       struct obv__path_instance *instance,
                       struct obv__work_list *work)
{
    if (OBV__UNLIKELY(children->out_of_memory)) {
        obv__lock_paths(instance->node);
        obv__path_instance_set_unwired(instance, instance->unwired |
                                                     OBV__UNWIRED_WATCHER);
        obv__unlock_paths(instance->node);
        work->was_unwired = work->is_unwatched = true;
        tell_below(instance->node, NULL, 0, work);
        obv__report_path(instance->node, OBV_DIAGNOSTIC_MEMORY);
    }
}

static bool leads_on(const struct obv__path_instance *instance)
{
    obv__lock_paths(instance->node);
    bool leads = obv__path_node_first_child(instance->node) != NULL;
    obv__unlock_paths(instance->node);
    return leads;
}

/* False: the path instance hangs elsewhere by now. */
static bool sync_children(struct obv__children *children,
                          struct obv__path_instance *instance,
                          const struct obv__watcher *binding,
                          struct obv__work_list *work, enum obv__counts counts)
{
    bool here = true;
    while (here && obv__children_next(children)) {
        here =
            obv__rewire_child(instance, binding, work, counts, children->child);
    }
    obv__children_end(children, instance, work);
    return here;
}

static void rewire_many(struct obv__path_instance *instance,
                        const struct obv__watcher *binding,
                        struct obv__work_list *work, enum obv__counts counts)
{
    struct obv_object *container = binding ? obv__binding_place(binding) : NULL;
    struct obv__children children = obv__children_of(
        obv__path_node_element(instance->node), container, OBV__NO_SLOT,
        leads_on(instance) ? OBV__WHICH_LEAD_ON : OBV__WHICH_END);
    struct obv__child stale = {OBV__NO_SLOT, 0};
    if (OBV__UNLIKELY(counts == OBV__COUNTS_ALL)) {
        /* Path instances that nobody had room for are not found. */
        tell_below(instance->node, NULL, 0, work);
    }
    bool here = sync_children(&children, instance, binding, work, counts);
    /* Each once: what another thread has taken from where it hung is there until
       that thread forgets it, and is not waited for. */
    while (here &&
           (stale.key = next_stale_key(instance, &children, stale.key)) != 0) {
        here = obv__rewire_child(instance, binding, work, counts, stale);
    }
}

void obv__rewire_touched(struct obv__path_instance *instance,
                         const struct obv__watcher *binding,
                         struct obv__work_list *work)
{
    struct obv__children children = obv__children_of(
        obv__path_node_element(instance->node), work->edit.at.object,
        OBV__NO_SLOT, OBV__WHICH_TOUCHED);
    if (sync_children(&children, instance, binding, work,
                      OBV__COUNTS_DIFFERENT)) {
        obv__rewire_still_unwired(instance, binding, work);
    }
}

/* All ---------------------------------------------------------------------- */

OBV__NOINLINE static void sync_in_rounds(struct obv__path_instance *instance,
                                         const struct obv__watcher *binding,
                                         struct obv__work_list *work,
                                         enum obv__counts counts)
{
    (void)obv__rewire_unwired(instance, work, UINT32_MAX);
    if (obv__matcher_is_many(obv__path_node_element(instance->node))) {
        rewire_many(instance, binding, work, counts);
    } else {
        const struct obv__child only = {binding ? binding->slot : OBV__NO_SLOT,
                                        0};
        (void)obv__rewire_child(instance, binding, work, counts, only);
    }
}

void obv__rewire_below(struct obv__path_instance *instance,
                       const struct obv__watcher *binding,
                       struct obv__work_list *work, enum obv__counts counts)
{
    if (binding && counts == OBV__COUNTS_DIFFERENT) {
        counts = obv__rewire_passes_plainly(&instance, &binding, work);
    }
    if (!obv__is_leaf(binding)) {
        sync_in_rounds(instance, binding, work, counts);
    }
}

void obv__rewire_still_unwired(struct obv__path_instance *instance,
                               const struct obv__watcher *binding,
                               struct obv__work_list *work)
{
    if (OBV__UNLIKELY(obv__path_instance_has_unwired(instance)) &&
        !work->was_unwired) {
        obv__rewire_below(instance, binding, work, OBV__COUNTS_DIFFERENT);
    }
}
