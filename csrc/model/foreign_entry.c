/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of foreign objects: entries by address, in a tree under a lock.
 *
 * An entry's memory goes with its last hold. A listed one has a hold that only
 * leaving the list gives back (a proxy's), or leaves the list with its last one
 * (a waiting entry). Holds are counted under the lock, so whoever finds an
 * entry in the tree finds it whole.
 *
 * Finding and unregistering. A thread that finds a proxy publishes a hazard
 * pointer to it before it leaves the lock, then takes a reference. The thread
 * that unregisters takes the entry out under the lock, then waits for hazard
 * pointers: so either the finder does not find it, or its `retain` has returned
 * before the foreign memory goes.
 *
 * Waiting. A path instance that finds nobody at an address waits at a waiting
 * entry: made outside the lock, entered if nobody was faster. Where the proxy
 * that is there cannot be held, its object being at its end, the path instance
 * waits at the proxy, whose end is near. The thread that registers takes the
 * waiting entry out of the tree in the same stay in the lock that enters the
 * proxy, then ends it, and its end brings the paths that wait there in line. A
 * path instance that has found an entry but hangs its watcher there too late
 * sees under the stripe that it is ending, and looks again (wiring.c): then it
 * finds who is there now.
 */
#include "model/foreign_entry.h"

#include "model/node.h"
#include "model/value.h"

#include <string.h>

/* The tree ---------------------------------------------------------------- */

RB_HEAD(obv__foreign_tree, obv__foreign);

static int compare_addresses(const struct obv__foreign *a,
                             const struct obv__foreign *b)
{
    uintptr_t left = (uintptr_t)a->address, right = (uintptr_t)b->address;
    return (left > right) - (left < right);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(obv__foreign_tree, obv__foreign, entry, compare_addresses,
                     __attribute__((unused)) static)

static struct obv__foreign_tree *tree_of(struct obv__foreigners *all)
{
    return (struct obv__foreign_tree *)(void *)&all->first;
}

struct obv__foreign *obv__entry_find_locked(struct obv__foreigners *all,
                                            const void *address)
{
    struct obv__foreign like = {.address = (void *)(uintptr_t)address};
    return RB_FIND(obv__foreign_tree, tree_of(all), &like);
}

void obv__entry_insert_locked(struct obv__foreigners *all,
                              struct obv__foreign *entry)
{
    entry->is_listed = true;
    RB_INSERT(obv__foreign_tree, tree_of(all), entry);
}

void obv__entry_remove_locked(struct obv__foreigners *all,
                              struct obv__foreign *entry)
{
    entry->is_listed = false;
    RB_REMOVE(obv__foreign_tree, tree_of(all), entry);
}

/* Entries ----------------------------------------------------------------- */

bool obv__is_waiting_entry(const struct obv_object *object)
{
    const struct obv_class *cls = obv__class_of(object);
    /* Acquire, pairs with obv__foreign_begin(). */
    return cls->is_foreign &&
           cls == obv__load_acquire(&cls->context->foreign.waiting_class);
}

struct obv__foreign *obv__entry_make(struct obv_class *cls, void *address)
{
    struct obv__foreign *entry =
        obv__context_allocate(cls->context, sizeof *entry);
    if (!entry) {
        return NULL;
    }
    memset(entry, 0, sizeof *entry);
    entry->context = cls->context;
    entry->address = address;
    entry->holds = 1;
    entry->lives = 1;
    obv_object_init(&entry->object, cls);
    return entry;
}

void obv__entry_free(struct obv__foreign *entry)
{
    obv__context_free(entry->context, entry, sizeof *entry);
}

/* A waiting entry at which nobody waits any more, and nobody can come to. */
static void end_waiting_entry(struct obv__foreign *waiting)
{
    struct obv_detail_node *node = obv__node(&waiting->object);
    if (!obv__object_has_ended(&waiting->object)) {
        (void)obv__object_end(&waiting->object);
        if (node) {
            /* Acquire, pairs with obv__foreign_begin(). */
            obv__node_retire(
                obv__load_acquire(&waiting->context->foreign.waiting_class),
                node);
        }
    }
}

void obv__foreign_stay(struct obv__foreign *entry)
{
    struct obv__lock *lock = &entry->context->foreign.lock;
    obv__lock_enter(lock);
    entry->holds++;
    obv__lock_leave(lock);
}

void obv__foreign_leave(struct obv__foreign *entry)
{
    struct obv__foreigners *all = &entry->context->foreign;
    obv__lock_enter(&all->lock);
    bool last = --entry->holds == 0;
    if (last && entry->is_listed) {
        obv__entry_remove_locked(all, entry);
    }
    obv__lock_leave(&all->lock);
    if (last) {
        if (obv__entry_is_waiting(entry)) {
            end_waiting_entry(entry);
        }
        obv__entry_free(entry);
    }
}

/* Waiting entries --------------------------------------------------------- */

static const struct obv_class_table waiting_table = {
    .size = sizeof waiting_table,
    .name = "(unregistered)",
    .instance_size = sizeof(struct obv__foreign)};

bool obv__foreign_begin(struct obv_context *context)
{
    struct obv_class *waiting_class = NULL;
    /* Acquire, pairs with the exchange below: the class is whole. */
    if (obv__load_acquire(&context->foreign.waiting_class)) {
        return true;
    }
    if (obv__class_make(context, &waiting_table, true, &waiting_class, NULL) !=
        OBV_OK) {
        /* Two threads that meet: the context has one class of this name. */
        waiting_class = obv__class_named(context, waiting_table.name);
    }
    struct obv_class *none = NULL;
    /* Release publishes it. */
    return waiting_class && (obv__cas_acq_rel(&context->foreign.waiting_class,
                                              &none, waiting_class) ||
                             none);
}

/* Reading ----------------------------------------------------------------- */

const void *obv__foreign_field(const struct obv_object *object,
                               const struct obv_property *property,
                               uint64_t *scalar)
{
    const struct obv__foreign *entry = obv__foreign_entry(object);
    const struct obv__foreign_class *cls = entry->cls;
    if (!cls->source->read) {
        return (const char *)entry->address + property->offset;
    }
    *scalar = 0;
    cls->source->read(entry->address,
                      &cls->source->properties[property - cls->lines], scalar);
    return scalar;
}

/* The entry at an address: a proxy, with a reference if it can have one; or,
   with a hold, where somebody is awaited: a waiting entry, or a proxy that is
   at its end. An awaited entry has its node: its end takes out the paths that
   wait there. */
struct found {
    struct obv__foreign *proxy, *awaited;
    bool held, out_of_memory;
};

static struct found look_up(struct obv_context *context, const void *address)
{
    struct obv__foreigners *all = &context->foreign;
    struct obv__thread *self = obv__thread_self();
    struct found found = {NULL, NULL, false, false};
    obv__lock_enter(&all->lock);
    struct obv__foreign *entry = obv__entry_find_locked(all, address);
    bool is_waiting_entry = entry && obv__entry_is_waiting(entry);
    bool has_hooks = entry && !is_waiting_entry && entry->cls->table.retain;
    if (is_waiting_entry || has_hooks) {
        entry->holds++;
        found.awaited = entry;
    } else {
        found.proxy = entry;
    }
    if (has_hooks) {
        obv__hazard_set(self, &entry->object);
    }
    obv__lock_leave(&all->lock);
    if (has_hooks) {
        found.held = entry->cls->table.retain(&entry->object);
        /* Under the hazard pointer: who unregisters it has not ended it. */
        found.out_of_memory =
            !found.held && !obv__list_prepare(&entry->object, OBV__SLOT_NONE);
        obv__hazard_clear(self);
    }
    if (found.held || found.out_of_memory) {
        obv__foreign_leave(entry); /* if it was held, its life holds it */
        found.proxy = found.held ? entry : NULL;
        found.awaited = NULL;
    }
    return found;
}

/* A waiting entry for an address; NULL: no memory. */
static struct obv__foreign *make_waiting_entry(struct obv_context *context,
                                               void *address)
{
    /* Acquire, pairs with obv__foreign_begin(). */
    struct obv_class *cls = obv__load_acquire(&context->foreign.waiting_class);
    struct obv__foreign *waiting = obv__entry_make(cls, address);
    if (waiting && !obv__list_prepare(&waiting->object, OBV__SLOT_NONE)) {
        end_waiting_entry(waiting);
        obv__entry_free(waiting);
        return NULL;
    }
    return waiting;
}

/* Enters a waiting entry; false: somebody is there, look again. */
static bool enter_waiting_entry(struct obv__foreigners *all,
                                struct obv__foreign *made)
{
    obv__lock_enter(&all->lock);
    bool good = !obv__entry_find_locked(all, made->address);
    if (good) {
        obv__entry_insert_locked(all, made);
    }
    obv__lock_leave(&all->lock);
    return good;
}

/* The proxy at an address, or where somebody is awaited; neither: no memory. */
static struct found look_or_wait(struct obv_context *context, void *address)
{
    struct found found = look_up(context, address);
    while (!found.proxy && !found.awaited && !found.out_of_memory) {
        struct obv__foreign *made = make_waiting_entry(context, address);
        if (made && enter_waiting_entry(&context->foreign, made)) {
            found.awaited = made;
        } else if (made) {
            obv__foreign_leave(made);
            found = look_up(context, address);
        } else {
            found.out_of_memory = true;
        }
    }
    return found;
}

struct obv_object *obv__foreign_child(struct obv_object *object,
                                      const struct obv_property *property,
                                      bool *held, struct obv__awaited *awaited)
{
    void *address = obv__foreign_address(object, property);
    if (property->flags & OBV__AFAR_OBJECT) {
        return address;
    }
    return obv__foreign_at(obv__class_of(object)->context, address, held,
                           awaited);
}

void *obv__foreign_address(struct obv_object *object,
                           const struct obv_property *property)
{
    uint64_t scalar;
    void *address;
    memcpy(&address, obv__property_stored(object, property, &scalar),
           sizeof address);
    return address;
}

struct obv_object *obv__foreign_at(struct obv_context *context, void *address,
                                   bool *held, struct obv__awaited *awaited)
{
    struct found found;
    if (!address) {
        return NULL;
    }
    if (awaited) {
        found = look_or_wait(context, address);
        awaited->entry = found.awaited;
        awaited->out_of_memory = found.out_of_memory;
    } else {
        found = look_up(context, address);
        if (found.awaited) {
            obv__foreign_leave(found.awaited);
        }
    }
    *held = found.held;
    return found.proxy ? &found.proxy->object : NULL;
}
