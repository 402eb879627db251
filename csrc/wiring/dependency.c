/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declared dependencies.
 */
#include "wiring/dependency.h"

#include "dispatch/work_list.h"
#include "path/path.h"
#include "wiring/matcher.h"
#include "wiring/paths.h"

/* Whether a path leads anywhere from a root. */
static bool begins_there(struct obv_object *root, const struct obv_path *path)
{
    const struct obv_element *first = obv_path_elements(path);
    const struct obv_class *cls = obv__class_of(root);
    if (obv__matcher_must_learn(first, cls)) {
        obv__matcher_learn(first, root);
    }
    return obv__slot_on(first, root) != OBV__NO_SLOT;
}

static void report_nowhere(const struct obv_object *root,
                           const struct obv_path *path)
{
    char text[256];
    (void)obv__path_print(path, text, sizeof text);
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_UNRESOLVED,
        .text = "a computed property depends on what is no observable property",
        .path = text};
    obv__diagnose(obv__class_of(root)->context, &diagnostic);
}

static enum obv_status wire_dependency(struct obv__thread *self,
                                       struct obv_object *root,
                                       const struct obv_path *path,
                                       struct obv__watcher *leaf)
{
    struct obv__work_list work;
    obv__work_list_init(&work, self, obv__class_of(root)->context);
    enum obv_status status = obv__wire(root, obv_path_elements(path),
                                       obv_path_count(path), leaf, &work);
    obv__work_list_deliver(&work);
    return status;
}

enum obv_status obv__dependency_make(struct obv__thread *self,
                                     struct obv__computed *reader,
                                     struct obv_object *root,
                                     const struct obv_path *path,
                                     struct obv__declared_edge **made)
{
    struct obv_context *context = obv__class_of(root)->context;
    enum obv_status status = OBV_E_PAST_END;
    *made = NULL;
    if (begins_there(root, path)) {
        struct obv__watcher *leaf = obv__watcher_allocate(
            context, sizeof(struct obv__declared_edge),
            OBV__BINDING | OBV__IS_EDGE | OBV__IS_DECLARED);
        if (!leaf) {
            return OBV_E_MEMORY;
        }
        leaf->of = reader;
        struct obv__declared_edge *declared =
            obv__declared_edge((struct obv__edge *)(void *)leaf);
        declared->path = obv__path_retain(path);
        status = wire_dependency(self, root, path, leaf);
        if (status == OBV_OK) {
            *made = declared;
        } else {
            obv_path_destroy(declared->path);
            obv__context_free(context, declared, sizeof *declared);
        }
    }
    if (status == OBV_E_PAST_END) {
        report_nowhere(root, path);
        status = OBV_OK;
    }
    return status;
}

/* As every leaf: the root's end may take it out at the same time. */
static void unlink_dependency(struct obv__watcher *leaf)
{
    uintptr_t place = obv__load_acquire(&leaf->place);
    if (place == 0) {
        return;
    }
    const struct obv__path_node *node = obv__path_node_of(place);
    obv__lock_paths(node);
    /* Relaxed: written under the lock. */
    if (obv__load_relaxed(&leaf->place) == place) {
        obv__unwire_locked(leaf);
        obv__store_release(&leaf->place, (uintptr_t)0);
    }
    obv__unlock_paths(node);
}

void obv__dependency_end(struct obv_context *context,
                         struct obv__declared_edge *declared)
{
    unlink_dependency(&declared->edge.watcher);
    obv_path_destroy(declared->path);
    obv__watcher_retire(context, &declared->edge.watcher);
}

/* Nobody keeps the root, which may end on another thread. */
static struct obv_object *
hold_root_of(struct obv__thread *self,
             const struct obv__declared_edge *declared, bool *held)
{
    struct obv_object *root = obv__dependency_root(declared);
    bool lives = root != NULL;
    *held = false;
    if (lives) {
        obv__hazard_set(self, root);
        lives = obv__dependency_root(declared) == root;
        *held = lives && obv__object_hold(root);
        lives = *held || (lives && !obv__class_of(root)->retain);
        obv__hazard_clear(self);
    }
    return lives ? root : NULL;
}

bool obv__dependency_wire_again(struct obv__thread *self,
                                const struct obv__declared_edge *declared)
{
    uintptr_t place = obv__load_acquire(&declared->edge.watcher.place);
    struct obv__declared_edge *made = NULL;
    bool good = true, held;
    if (place == 0 || !obv__path_node_is_unwired(obv__path_node_of(place))) {
        return true;
    }
    struct obv_object *root = hold_root_of(self, declared, &held);
    if (root) {
        /* A second leaf brings the whole path in line, for the first as well. */
        good = obv__dependency_make(self, declared->edge.watcher.of, root,
                                    declared->path, &made) != OBV_E_MEMORY;
    }
    if (made) {
        obv__dependency_end(obv__class_of(root)->context, made);
    }
    if (held) {
        obv__class_of(root)->release(root);
    }
    return good;
}
