/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The declared dependencies of a class.
 */
#include "model/class_dependencies.h"

#include <string.h>

bool obv__path_is_of_property(const struct obv_path *path, uint32_t name)
{
    const struct obv_element *first = obv_path_elements(path);
    return obv_path_count(path) == 1 && first->kind <= OBV_ELEMENT_COUNT &&
           first->name == name;
}

static enum obv_status compile_dependencies(const struct obv_class *cls,
                                            uint32_t index,
                                            struct obv_error *error)
{
    const struct obv_property *property = cls->properties[index];
    const char *const *texts = property->computed->dependencies;
    struct obv__dependencies *made = &cls->dependencies[index];
    size_t count = property->computed->dependency_count;
    enum obv_status status = OBV_OK;
    if (count == 0) {
        return OBV_OK;
    }
    made->paths =
        obv__context_allocate(cls->context, count * sizeof *made->paths);
    if (!made->paths) {
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    }
    while (status == OBV_OK && made->count < count) {
        struct obv_path **path = &made->paths[made->count];
        const char *text = texts ? texts[made->count] : NULL;
        status =
            text ? obv_path_parse(cls->context->names, text, strlen(text), path,
                                  error)
                 : obv__fail(error, OBV_E_ARGUMENT, "a declared path is NULL");
        if (status == OBV_OK &&
            obv__path_is_of_property(*path, obv__property_name(cls, index))) {
            obv_path_destroy(*path);
            status = obv__fail(error, OBV_E_ARGUMENT,
                               "a computed property depends on itself");
        }
        made->count += status == OBV_OK;
    }
    if (status != OBV_OK && error) {
        error->index = made->count;
        error->class_name = cls->table->name;
        error->property = property->name;
    }
    return status;
}

enum obv_status obv__dependencies_make(struct obv_class *cls,
                                       struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    uint32_t first = 0;
    while (first < cls->property_count &&
           !obv__property_declares(cls->properties[first])) {
        first++;
    }
    if (first == cls->property_count) {
        return OBV_OK;
    }
    cls->dependencies = obv__context_allocate_zeroed(
        cls->context, cls->property_count * sizeof *cls->dependencies);
    if (!cls->dependencies) {
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    }
    for (uint32_t i = first; i < cls->property_count && status == OBV_OK; i++) {
        if (obv__property_declares(cls->properties[i])) {
            status = compile_dependencies(cls, i, error);
        }
    }
    if (status != OBV_OK) {
        obv__dependencies_free(cls);
    }
    return status;
}

void obv__dependencies_free(struct obv_class *cls)
{
    if (!cls->dependencies) {
        return;
    }
    for (uint32_t i = 0; i < cls->property_count; i++) {
        const struct obv__dependencies *made = &cls->dependencies[i];
        for (size_t at = 0; at < made->count; at++) {
            obv_path_destroy(made->paths[at]);
        }
        if (made->paths) {
            obv__context_free(cls->context, made->paths,
                              cls->properties[i]->computed->dependency_count *
                                  sizeof *made->paths);
        }
    }
    obv__context_free(cls->context, cls->dependencies,
                      cls->property_count * sizeof *cls->dependencies);
    cls->dependencies = NULL;
}
