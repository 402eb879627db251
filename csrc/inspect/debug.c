/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observations of an object, an entry each.
 *
 * First what stands behind the properties that lead on is read, with no lock
 * held, since that may run code of the program. Then the lists are gone through:
 * what is found is noted in a list of seen entries, under the paths lock where a
 * path leads through, which may allocate there. Then the caller is told, with no
 * lock held; each observation's handler kind is pinned while it is shown, and
 * one that has ended meanwhile is left out.
 *
 * Reads. An end of a path has its root only while the lock is held that the
 * root's end takes before it is over: the class of a root is read there, and
 * only then.
 */
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "model/container.h"
#include "model/class.h"
#include "model/node.h"
#include "observe/left.h"
#include "observe/observation.h"
#include "path/path.h"
#include "platform/exception.h"
#include "wiring/binding.h"
#include "wiring/matcher.h"
#include "model/path_node.h"

#include <observable/debug.h>

#include <string.h>

/* One observation that was seen; with the path's text behind it. */
struct seen {
    struct seen *next;
    size_t size;
    struct obv__watcher *observation;
    struct obv_observer_entry entry;
    char element[OBV__CELL_NAME]; /* of a container */
    char path[];
};

struct look {
    struct obv_context *context;
    struct obv_object *object;
    struct obv_class *cls;
    struct seen *first, **last;
    uint32_t slot;
    struct obv_object *place;     /* whose slot it is: the object, or a cell */
    char element[OBV__CELL_NAME]; /* the cell's name */
    /* The path node that hangs here, if paths lead through, and whether what
       hangs behind it is not what is stored. */
    const struct obv__path_node *at;
    bool is_stale;
    bool out_of_memory;
};

/* Noting ------------------------------------------------------------------ */

/* `place`: of the pair. */
static struct seen *note(struct look *look, struct obv__watcher *pair,
                         uintptr_t place)
{
    const struct obv_names *names = look->context->names;
    struct obv_observer_entry entry = {.index = OBV_EVERY_PROPERTY};
    struct obv__printable path;
    obv__fill_pair(&entry, pair, place, &path);
    size_t length = obv__printable_print(names, &path, NULL, 0);
    size_t size = sizeof(struct seen) + length + 1;
    struct seen *seen = obv__context_allocate_zeroed(look->context, size);
    if (!seen) {
        look->out_of_memory = true;
        return NULL;
    }
    seen->size = size;
    seen->observation = obv__observation(pair);
    seen->entry = entry;
    (void)obv__printable_print(names, &path, seen->path, length + 1);
    seen->entry.path = length != 0 ? seen->path : NULL;
    bool is_at_cell = look->place != look->object;
    if (!is_at_cell && look->slot <= OBV__SLOT_LAST) {
        seen->entry.index = look->slot;
    }
    if (is_at_cell && look->slot != OBV__SLOT_NONE) {
        memcpy(seen->element, look->element, sizeof seen->element);
        seen->entry.property = seen->element;
    } else if (look->slot != OBV__SLOT_NONE) {
        seen->entry.property =
            obv_class_property_name(look->cls, seen->entry.index);
    }
    *look->last = seen;
    look->last = &seen->next;
    return seen;
}

/* Paths that lead through the object -------------------------------------- */

/* The paths lock is held. */
static void note_whom(struct look *look, struct obv__watcher *leaf)
{
    uintptr_t place = obv__load_acquire(&leaf->place);
    if (!obv__has_state(leaf, OBV__LINKED) || !(place & OBV__PATH_NODE_TAG)) {
        return;
    }
    struct seen *seen = note(look, leaf, place);
    if (seen) {
        seen->entry.is_middle = obv__path_node_of(place) != look->at;
        seen->entry.is_stale = seen->entry.is_middle && look->is_stale;
    }
}

/* Whether a path instance below is stale: it hangs on another object than the
   stored value leads to. */
static bool hangs_elsewhere_locked(struct obv__path_instance *instance,
                                   struct obv_object *behind, uint64_t key)
{
    bool is_stale = false;
    for (struct obv__path_node *below =
             obv__path_node_first_child(instance->node);
         below && !is_stale; below = obv__path_node_next_sibling(below)) {
        struct obv__path_instance *at =
            obv__path_instance_below(instance, below, key);
        is_stale = obv__aim_of_locked(below, at, behind, false).target !=
                   (at ? obv__path_instance_container(at) : NULL);
    }
    return is_stale;
}

/* Reads behind each child: under a `*` each property that can hold objects. */
static bool leads_elsewhere(const struct look *look,
                            const struct obv__watcher *binding)
{
    struct obv__path_instance *instance = binding->of;
    const struct obv_element *element = obv__path_node_element(instance->node);
    struct obv__children children = obv__children_of(
        element, look->place, binding->slot, OBV__WHICH_LEAD_ON);
    bool is_stale = false;
    while (!is_stale && obv__children_next(&children)) {
        bool is_held = false;
        uint8_t said;
        struct obv_object *behind =
            children.child.slot == OBV__NO_SLOT
                ? NULL
                : obv__matcher_child(element, look->place, children.child,
                                     &is_held, &said);
        obv__lock_enter(&look->context->paths);
        is_stale = instance->binding == binding &&
                   hangs_elsewhere_locked(instance, behind, children.child.key);
        obv__lock_leave(&look->context->paths);
        obv__object_let_go(behind, is_held);
    }
    return is_stale;
}

static void look_at_path(struct look *look, const struct obv__watcher *binding)
{
    struct obv__path_instance *instance = binding->of;
    look->at = instance->node;
    look->is_stale =
        obv__has_state(binding, OBV__MIDDLE) && leads_elsewhere(look, binding);
    obv__lock_enter(&look->context->paths);
    struct obv__watcher *leaf = NULL;
    while (instance->binding == binding &&
           obv__binding_place(binding) == look->place &&
           (leaf = obv__next_leaf_locked(NULL, instance->node, leaf)) != NULL) {
        note_whom(look, leaf);
    }
    obv__lock_leave(&look->context->paths);
}

static void look_at_list(void *context, uint32_t slot, uintptr_t *head)
{
    struct look *look = context;
    look->slot = slot;
    for (struct obv__watcher *w = obv__first(head); w;
         w = obv__next_at(look->place, w)) {
        if (!obv__is_binding(w)) {
            if (obv__has_state(w, OBV__LINKED)) {
                (void)note(look, w, obv__load_acquire(&w->place));
            }
        } else if (look->slot != OBV__SLOT_NONE) {
            look_at_path(look, w);
        }
    }
}

static void look_at_places(struct look *look)
{
    look->place = look->object;
    while (look->place) {
        struct obv_detail_node *node = obv__node(look->place);
        if (node && obv__is_cell(look->place)) {
            /* Here, since a container's lock is the paths lock. */
            obv__elements_kind(look->object)
                ->print(obv__cell(look->place), look->element,
                        sizeof look->element);
        }
        if (node) {
            obv__each_list(node, look_at_list, look);
        }
        look->place = obv__place_behind(look->object, look->place);
    }
}

/* Telling ----------------------------------------------------------------- */

enum obv_status obv_debug_each_observer(
    struct obv_object *object,
    void (*each)(void *context, const struct obv_observer_entry *entry),
    void *context)
{
    struct obv__thread *self = obv__thread_self();
    if (!object || !each) {
        return OBV_E_ARGUMENT;
    }
    if (obv__object_is_ending(object)) {
        return OBV_E_ENDED;
    }
    if (obv__running_is_full(self)) {
        return OBV_E_LIMIT; /* no handler kind could be pinned */
    }
    struct obv_class *cls = obv__class_or_null(object);
    if (!cls) {
        return OBV_E_ARGUMENT;
    }
    struct look look = {.context = cls->context, .object = object, .cls = cls};
    look.last = &look.first;
    obv__epoch_enter(self);
    look_at_places(&look);
    while (look.first) {
        struct seen *seen = look.first;
        look.first = seen->next;
        if (!look.out_of_memory) {
            if (obv__pin(self, seen->observation)) {
                obv__fill_entry(&seen->entry, seen->observation);
                OBV__NO_EXCEPTION_LEAVES();
                each(context, &seen->entry);
            }
            obv__unpin(self, look.context, seen->observation);
        }
        obv__context_free(look.context, seen, seen->size);
    }
    obv__epoch_leave(self);
    return look.out_of_memory ? OBV_E_MEMORY : OBV_OK;
}
