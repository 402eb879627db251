/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The declared dependencies of a class's computed properties: the paths of
 * each, compiled once for all objects. They go with the class.
 */
#ifndef OBV_CLASS_DEPENDENCIES_H
#define OBV_CLASS_DEPENDENCIES_H

#include "model/class.h"

#include <observable/computed.h>
#include <observable/path.h>

/** The declared dependencies of one property; constant but for the last
    field. */
struct obv__dependencies {
    struct obv_path **paths;
    size_t count;
    bool was_told; /* that it reads something else; any thread */
};

/** Whether a property declares anything with its class. */
static inline bool obv__property_declares(const struct obv_property *property)
{
    return property->computed && (property->computed->dependency_count != 0 ||
                                  property->computed->declare);
}

/** Compiles the paths of a class that is being made. OBV_OK; OBV_E_SYNTAX,
    OBV_E_ARGUMENT, of a path that leads to its own property or is NULL;
    OBV_E_MEMORY, OBV_E_LIMIT. On error nothing is left of it. */
enum obv_status obv__dependencies_make(struct obv_class *cls,
                                       struct obv_error *error);

void obv__dependencies_free(struct obv_class *cls);

/** Whether a path is that of one property, by its interned name. */
bool obv__path_is_of_property(const struct obv_path *path, uint32_t name);

#endif
