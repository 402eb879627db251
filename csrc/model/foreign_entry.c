/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of foreign objects: proxies by address, in a table under the lock
 * of the context's lists. A proxy that is found is retained under it, so one that
 * was taken out is retained no more (RE-5).
 */
#include "model/foreign_entry.h"

#include "model/node.h"
#include "model/value.h"

#include <string.h>

/* The registry ------------------------------------------------------------- */

struct obv__foreign *obv__entry_find_locked(const struct obv_context *context,
                                            const void *address)
{
    struct obv_hash_entry *at =
        obv__hash_table_find(&context->foreign, (uintptr_t)address);
    return at ? obv__proxy_of_entry(at) : NULL;
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

struct obv_object *obv__foreign_at(struct obv_context *context, void *address,
                                   bool *held)
{
    obv__lock_enter(&context->lists);
    struct obv__foreign *entry =
        address ? obv__entry_find_locked(context, address) : NULL;
    bool has_hooks = entry && entry->cls->table.retain;
    if (has_hooks) {
        *held = entry->cls->table.retain(&entry->object);
    }
    obv__lock_leave(&context->lists);
    return entry && (*held || !has_hooks) ? &entry->object : NULL;
}

struct obv_object *obv__foreign_child(struct obv_object *object,
                                      const struct obv_property *property,
                                      bool *held)
{
    uint64_t scalar;
    void *address;
    memcpy(&address, obv__property_stored(object, property, &scalar),
           sizeof address);
    return property->flags & OBV__AFAR_OBJECT
               ? address
               : obv__foreign_at(obv__class_of(object)->context, address, held);
}
