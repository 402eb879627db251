/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observed paths of a root: how path nodes and leaves come and go.
 */
#include "wiring/paths.h"

#include "dispatch/delivery.h"
#include "dispatch/inbound_queue.h"
#include "dispatch/loop.h"
#include "path/path.h"
#include "wiring/binding.h"
#include "wiring/matcher.h"
#include "wiring/wiring.h"

#include <string.h>

/* Path nodes that come and go, under the paths lock ------------------------ */

/* Path nodes and leaves below the path instances of a path node have
   changed. */
static void mark_instances(struct obv__path_node *node)
{
    struct obv__path_instance *instance = obv__path_instance_next(node, NULL);
    for (; instance; instance = obv__path_instance_next(node, instance)) {
        obv__path_instance_mark_locked(instance);
    }
}

static void added(struct obv__paths *paths, struct obv__path_node *node)
{
    struct obv__path_node *parent = obv__path_node_parent(node);
    const struct obv_element *element = obv__path_node_element(node);
    node->paths = paths;
    obv__element_retain(element);
    node->own.node = node;
    node->own.parent = parent ? &parent->own : NULL;
    if (obv__matcher_asks_binding(element)) {
        obv__store_relaxed(&paths->has_components, true);
    }
    node->is_beneath =
        parent && (parent->is_beneath ||
                   obv__matcher_is_many(obv__path_node_element(parent)));
    if (parent) {
        mark_instances(parent);
    }
}

/* Path nodes go from the last one up, so the path instances of one have none
   below them. */
static void remove_node(struct obv__path_node *node)
{
    struct obv__paths *paths = node->paths;
    struct obv_context *context = paths->context;
    struct obv__path_node *parent = obv__path_node_parent(node);
    struct obv__path_instance *next,
        *instance = obv__path_instance_next(node, NULL);
    obv__trie_take(&paths->trie, &context->allocator, &node->in_trie);
    for (; instance; instance = next) {
        next = obv__path_instance_next(node, instance);
        obv__path_instance_unbind_locked(instance);
        obv__path_instance_forget_if_idle(instance);
    }
    if (parent) {
        mark_instances(parent);
    }
    obv__retire(&context->retired, &node->in_trie.retired,
                OBV__RETIRED_PATH_NODE);
}

/* Gives back one reference to a path node. If nobody needs the node, it goes,
   and so do those above it. */
static void release_node_locked(struct obv__path_node *node)
{
    node->in_trie.references--;
    while (node && obv__trie_node_is_idle(&node->in_trie)) {
        struct obv__path_node *parent = obv__path_node_parent(node);
        remove_node(node);
        node = parent;
    }
    obv__path_node_rest_locked(node);
}

void obv__path_node_release_locked(struct obv__path_node *node)
{
    if (obv__load_relaxed(&node->paths->root)) {
        release_node_locked(node);
    }
}

void obv__path_node_free(struct obv_context *context,
                         struct obv__retired *block)
{
    struct obv__path_node *node = (struct obv__path_node *)block;
    obv__element_release(obv__path_node_element(node));
    obv__context_free(context, node, sizeof *node);
}

void obv__paths_free(struct obv_context *context, struct obv__retired *block)
{
    obv__context_free(context, block, sizeof(struct obv__paths));
}

/* The paths of a root for one kind of followers, made if there are none; NULL:
   no memory. */
static struct obv__paths *paths_ensure(struct obv_object *root,
                                       enum obv__followers followers)
{
    struct obv_context *context = obv__class_of(root)->context;
    struct obv__more *more = obv__more_ensure(root);
    if (!more) {
        return NULL;
    }
    obv__lock_enter(&context->paths);
    struct obv__paths *paths = more->paths;
    while (paths && paths->followers != followers) {
        paths = paths->next;
    }
    if (!paths) {
        paths = obv__context_allocate_zeroed(context, sizeof *paths);
        if (paths) {
            paths->root = root;
            paths->context = context;
            paths->next = more->paths;
            paths->followers = (uint8_t)followers;
            /* Release: a thread that finds the paths sees all their fields. */
            obv__store_release(&more->paths, paths);
        }
    }
    obv__lock_leave(&context->paths);
    return paths;
}

/* One path ----------------------------------------------------------------- */

static enum obv_status hang_leaf(struct obv__path_node *last,
                                 struct obv__watcher *leaf)
{
    const struct obv__change_records *records = obv__change_records_of(leaf);
    unsigned wants = records ? obv__change_records_want_at_leaf(records) : 0;
    struct obv__lock *lock = &last->paths->context->paths;
    obv__lock_enter(lock);
    bool alive = obv__load_acquire(&last->paths->root) != NULL;
    if (alive) {
        leaf->serial =
            (uint32_t)(obv__registration_epoch() >> obv__serial_shift(leaf));
        obv__store_release(&leaf->place, (uintptr_t)last | OBV__PATH_NODE_TAG);
        obv__list_append(&last->leaves, 0, leaf);
    }
    if (alive && records) {
        if (wants & (OBV__WANTS_SAME | OBV__WANTS_PRIOR)) {
            /* Relaxed: the registration epoch is raised after it, as for the
               binding's own bits. */
            obv__store_relaxed(&obv__somebody_wants, true);
        }
        obv__path_node_want(last, wants);
        mark_instances(last);
        for (struct obv__path_node *above = obv__path_node_parent(last); above;
             above = obv__path_node_parent(above)) {
            obv__path_node_want(above, obv__change_records_want_above(records));
        }
    }
    obv__lock_leave(lock);
    obv__count_registration();
    if (OBV__UNLIKELY(obv__load_relaxed(&last->paths->context->any_thread)) &&
        alive) {
        /* Once more, after the registration was counted: an inbound edit which
           passes the leaf over has then read its value before. */
        obv__lock_enter(lock);
        mark_instances(last);
        obv__lock_leave(lock);
    }
    return alive ? OBV_OK : OBV_E_ENDED;
}

static enum obv_status add_locked(struct obv__paths *paths,
                                  const struct obv_path *path,
                                  struct obv__path_node **last)
{
    const struct obv_element *elements = path->elements;
    size_t count = path->count;
    struct obv_element numbered[OBV_PATH_COUNT_MAX];
    struct obv__trie_node *node, *made;
    if (!obv__load_relaxed(&paths->root)) {
        return OBV_E_ENDED;
    }
    if (obv__path_is_bound_once(path)) {
        memcpy(numbered, elements, count * sizeof *elements);
        elements = numbered;
        /* An element that is bound once has a path node of its own for each
           registration: it gets a number that no other has there. */
        for (size_t i = 0; i < count; i++) {
            while (obv__matcher_is_bound_once(&numbered[i]) &&
                   (numbered[i].name == 0 ||
                    obv__trie_find(&paths->trie, numbered, i + 1))) {
                numbered[i].name = ++paths->context->bound_once;
            }
        }
    }
    enum obv_status status = obv__trie_add(
        &paths->trie, &paths->context->allocator, sizeof(struct obv__path_node),
        elements, count, &node, &made);
    if (status == OBV_OK) {
        *last = obv__path_node_at(node);
        for (; made; made = made->first_child) {
            added(paths, obv__path_node_at(made));
        }
        /* Nodes that rested hang again if a further path leads through them. */
        for (struct obv__path_node *at = *last; at;
             at = obv__path_node_parent(at)) {
            if (!obv__matcher_is_bound_once(obv__path_node_element(at))) {
                obv__store_relaxed(&at->end, (uint8_t)OBV__PATH_GOES_ON);
            }
        }
    }
    return status;
}

enum obv_status obv__wire(struct obv_object *root, const struct obv_path *path,
                          struct obv__watcher *leaf,
                          struct obv__work_list *work)
{
    /* Before paths_ensure(): if `*` comes first, the root's node has no
       slots. */
    bool good = path->elements->kind != OBV_ELEMENT_ANY ||
                obv__list_prepare(root, obv__class_of(root), OBV__SLOT_EVERY);
    struct obv__paths *paths =
        good ? paths_ensure(root, obv__is_instance(obv__observation(leaf))
                                      ? OBV__CLASS_SUBSCRIPTIONS
                                      : OBV__OBSERVATIONS)
             : NULL;
    if (!paths) {
        return OBV_E_MEMORY;
    }
    struct obv__lock *lock = &paths->context->paths;
    struct obv__path_node *node;
    obv__lock_enter(lock);
    enum obv_status status = add_locked(paths, path, &node);
    /* The drain of the leaf's loop makes the inbound edits of these objects. */
    uint32_t loop = obv__inbound_loop_of(leaf);
    if (loop != 0 && paths->loop != loop &&
        !obv__loop_lives(paths->loop, paths->context)) {
        obv__store_relaxed(&paths->loop, loop);
    }
    obv__lock_leave(lock);
    if (status != OBV_OK) {
        return status;
    }
    status = !obv__attach_path(node, root, work) ? OBV_E_MEMORY
             /* Code of the program has taken the element out (AR-2). */
             : obv__path_node_furthest_end(node) >= OBV__PATH_ENDS
                 ? OBV_E_PAST_END
                 : hang_leaf(node, leaf);
    if (status != OBV_OK) {
        obv__lock_enter(lock);
        obv__path_node_release_locked(node);
        obv__lock_leave(lock);
    } else if (obv__path_node_is_unknown(node)) {
        obv__report_path(node, OBV_DIAGNOSTIC_UNRESOLVED);
    }
    return status;
}

const struct obv_class *obv__unwire_locked(struct obv__watcher *leaf)
{
    struct obv__path_node *node = obv__path_node_of(leaf->place);
    struct obv_object *root = obv__load_acquire(&node->paths->root);
    obv__list_remove(&node->leaves, leaf);
    /* LINKED is cleared after the leaf is out of the list, since a thread that
       finds it cleared may retire the leaf; and before `place` names another
       lock. */
    obv__fetch_and_seq_cst(&leaf->state, (uint8_t)~OBV__LINKED);
    /* Release: a thread that reads the root here leaves the path node alone. */
    obv__store_release(&leaf->place, (uintptr_t)root);
    release_node_locked(node);
    return root ? obv__class_of(root) : NULL;
}

void obv__paths_end(struct obv__paths *paths, obv__end_visitor *will_end,
                    obv__end_visitor *did_end, void *context)
{
    struct obv__lock *lock = &paths->context->paths;
    struct obv__watcher *leaf;
    /* Release, pairs with obv__root(): nobody begins to hold the root now. */
    obv__store_release(&paths->root, NULL);
    obv__lock_enter(lock);
    while ((leaf = obv__next_leaf_locked(paths, NULL, NULL)) != NULL) {
        obv__lock_leave(lock);
        will_end(context, leaf);
        obv__lock_enter(lock);
        /* Unless another thread has taken it away. Relaxed: written under the
           lock. */
        bool is_taken =
            (obv__load_relaxed(&leaf->place) & OBV__PATH_NODE_TAG) != 0;
        if (is_taken) {
            (void)obv__unwire_locked(leaf);
        }
        obv__lock_leave(lock);
        if (is_taken) {
            did_end(context, leaf);
        }
        obv__lock_enter(lock);
    }
    /* Children before their parents. */
    struct obv__trie_node *node;
    while ((node = paths->trie.first) != NULL) {
        while (node->first_child) {
            node = node->first_child;
        }
        remove_node(obv__path_node_at(node));
    }
    obv__lock_leave(lock);
    obv__retire(&paths->context->retired, &paths->retired, OBV__RETIRED_PATHS);
}

/* Paths that cannot be followed -------------------------------------------- */

/* Not inlined: the text would take stack at each level of a path. */
OBV__NOINLINE void obv__report_path(const struct obv__path_node *node,
                                    enum obv_diagnostic_kind kind)
{
    struct obv_context *context = node->paths->context;
    struct obv__thread *self = obv__thread_self();
    struct obv_element elements[OBV_PATH_COUNT_MAX];
    char text[256];
    size_t count = obv__path_node_elements(node, elements);
    (void)obv_path_print(context->names, elements, count, text, sizeof text);
    obv__lock_enter(&context->paths);
    struct obv__watcher *first = obv__next_leaf_locked(NULL, node, NULL);
    first = first ? obv__observation(first) : NULL;
    obv__lock_leave(&context->paths);
    obv__diagnose_of(
        self, context, first,
        (struct obv_diagnostic){
            .kind = kind,
            .text = kind == OBV_DIAGNOSTIC_MEMORY
                        ? "a path could not be followed for want of memory"
                        : "a key path leads through what is no observable "
                          "property",
            .path = text});
}
