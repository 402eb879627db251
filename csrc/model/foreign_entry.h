/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of foreign objects, by address: who is registered there, who
 * waits there, and what stands in their fields.
 *
 * Two kinds of entries stand in it: a *proxy* at an address that is registered,
 * and a *waiting entry* at one that is not, but that a path waits for. A path
 * instance behind a foreign pointer hangs its second watcher (`life`) at
 * whichever is there, so that the end of either brings it in line: registering
 * ends the waiting entry, unregistering ends the proxy. So one that finds a
 * proxy which it cannot hold waits at that.
 */
#ifndef OBV_FOREIGN_ENTRY_H
#define OBV_FOREIGN_ENTRY_H

#include "model/class.h"
#include "model/value.h"
#include "platform/bsd.h"

#include <observable/foreign.h>

/** A class of foreign objects, behind its class: what the library has made of
    the program's table. */
struct obv__foreign_class {
    struct obv_class_table table; /* must stand first */
    const struct obv_foreign_table *source;
    struct obv__foreign_class *next; /* in the context's list, under `lists` */
    struct obv_property lines[];
};

/** An entry: a proxy or a waiting entry. */
struct obv__foreign {
    struct obv_object object; /* must stand first */
    RB_ENTRY(obv__foreign) entry;
    struct obv_context *context;
    const struct obv__foreign_class *cls; /* NULL: a waiting entry */
    void *address;
    uint64_t generation;
    /* The number of those who need the memory; any thread. Of what is listed,
       raised from 0 under the lock only. */
    uint64_t holds;
    /* Of a proxy, who keeps it from its end: the registration, and each
       reference that the library has; any thread. */
    uint64_t lives;
    bool is_listed; /* in the tree; under the registry's lock */
};

/** The entry of an object of a foreign class. */
static inline struct obv__foreign *
obv__foreign_entry(const struct obv_object *object)
{
    return (struct obv__foreign *)(uintptr_t)object;
}

static inline bool obv__entry_is_waiting(const struct obv__foreign *entry)
{
    return entry->cls == NULL;
}

/** Whether an object, which has not ended, is a waiting entry. */
bool obv__is_waiting_entry(const struct obv_object *object);

/** Makes a context ready for paths that lead to foreign objects; false: no
    memory. May be repeated. */
bool obv__foreign_begin(struct obv_context *context);

/** The proxy behind a foreign pointer, or NULL; `held`: with a reference.
    `awaited`, if given, is filled in where nobody is registered. Both are empty
    before. No lock held. */
struct obv_object *obv__foreign_child(struct obv_object *object,
                                      const struct obv_property *property,
                                      bool *held, struct obv__awaited *awaited);

/** The same in two steps: what a foreign pointer holds; who is registered
    there. */
void *obv__foreign_address(struct obv_object *object,
                           const struct obv_property *property);
struct obv_object *obv__foreign_at(struct obv_context *context, void *address,
                                   bool *held, struct obv__awaited *awaited);

/** Where a property of a foreign object is to be read: in its field, or in
    `scalar`, into which the program has read it. */
const void *obv__foreign_field(const struct obv_object *object,
                               const struct obv_property *property,
                               uint64_t *scalar);

/** Holds the memory of an entry, which somebody holds already. */
void obv__foreign_stay(struct obv__foreign *entry);

/** Gives that back. The last one ends a waiting entry. The paths lock may be
    held. */
void obv__foreign_leave(struct obv__foreign *entry);

/* The tree; its lock is held. */
struct obv__foreign *obv__entry_find_locked(struct obv__foreigners *all,
                                            const void *address);
void obv__entry_insert_locked(struct obv__foreigners *all,
                              struct obv__foreign *entry);
void obv__entry_remove_locked(struct obv__foreigners *all,
                              struct obv__foreign *entry);

/** A new entry with one hold and one life, not listed; NULL: no memory. */
struct obv__foreign *obv__entry_make(struct obv_class *cls, void *address);

/** Frees one that was never listed. */
void obv__entry_free(struct obv__foreign *entry);

#endif
