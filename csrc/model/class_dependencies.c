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
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    while (status == OBV_OK && made->count < count) {
        const char *text = texts ? texts[made->count] : NULL;
        struct obv_path **path = &made->paths[made->count];
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
    size_t size = cls->property_count * sizeof *cls->dependencies;
    for (uint32_t i = 0; i < cls->property_count && status == OBV_OK; i++) {
        if (!obv__property_declares(cls->properties[i])) {
            continue;
        }
        if (!cls->dependencies) {
            cls->dependencies =
                obv__context_allocate_zeroed(cls->context, size);
        }
        status = cls->dependencies ? compile_dependencies(cls, i, error)
                                   : obv__fail_as(error, OBV_E_MEMORY);
    }
    return status;
}

void obv__dependencies_free(struct obv_class *cls)
{
    for (uint32_t i = 0; cls->dependencies && i < cls->property_count; i++) {
        const struct obv__dependencies *made = &cls->dependencies[i];
        for (size_t j = 0; j < made->count; j++) {
            obv_path_destroy(made->paths[j]);
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
