/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of foreign objects: the proxy that is registered at an address,
 * and what stands in the fields of its object.
 */
#ifndef OBV_FOREIGN_ENTRY_H
#define OBV_FOREIGN_ENTRY_H

#include "model/class.h"
#include "model/value.h"

#include <observable/foreign.h>

/** A class of foreign objects, behind its class: what the library has made of
    the program's table. */
struct obv__foreign_class {
    struct obv_class_table table; /* must stand first */
    const struct obv_foreign_table *source;
    struct obv__owned_block owned; /* this block, by the context */
    struct obv_property lines[];
};

/** A proxy. */
struct obv__foreign {
    struct obv_object object;    /* must stand first */
    struct obv_hash_entry entry; /* by address */
    struct obv_context *context;
    const struct obv__foreign_class *cls;
    void *address;
    /* The registration is one, each reference of the library's another; any
       thread. */
    uint64_t references;
};

/** The proxy that an object of a foreign class is. */
static inline struct obv__foreign *
obv__foreign_entry(const struct obv_object *object)
{
    return (struct obv__foreign *)(uintptr_t)object;
}

/** The proxy of an entry of the context's table. */
static inline struct obv__foreign *
obv__proxy_of_entry(struct obv_hash_entry *entry)
{
    return OBV__STRUCT_OF(struct obv__foreign, entry, entry);
}

/** The proxy behind a foreign pointer, or NULL; `held`: with a reference. No
    lock held. */
struct obv_object *obv__foreign_child(struct obv_object *object,
                                      const struct obv_property *property,
                                      bool *held);

/** The proxy that is registered at an address. */
struct obv_object *obv__foreign_at(struct obv_context *context, void *address,
                                   bool *held);

/** The place where a property of a foreign object is to be read: its field, or
    `scalar`, into which the program has read it. */
const void *obv__foreign_field(const struct obv_object *object,
                               const struct obv_property *property,
                               uint64_t *scalar);

/** The proxy of an address in a context's table, or NULL; the lock of the lists is
    held. */
struct obv__foreign *obv__entry_find_locked(const struct obv_context *context,
                                            const void *address);

#endif
