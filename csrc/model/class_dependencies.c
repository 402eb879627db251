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

static enum obv_status compile_dependency(const struct obv_class *cls,
                                          uint32_t index, size_t which,
                                          struct obv_path **path,
                                          struct obv_error *error)
{
    const char *text =
        cls->properties[index]->computed->dependencies
            ? cls->properties[index]->computed->dependencies[which]
            : NULL;
    if (!text) {
        return obv__fail(error, OBV_E_ARGUMENT, "a declared path is NULL");
    }
    enum obv_status status =
        obv_path_parse(cls->context->names, text, strlen(text), path, error);
    if (status == OBV_OK &&
        obv__path_is_of_property(*path, obv__property_name(cls, index))) {
        obv_path_destroy(*path);
        status = obv__fail(error, OBV_E_ARGUMENT,
                           "a computed property depends on itself");
    }
    return status;
}

static enum obv_status compile_dependencies(const struct obv_class *cls,
                                            uint32_t index,
                                            struct obv_error *error)
{
    const struct obv_property *property = cls->properties[index];
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
        status = compile_dependency(cls, index, made->count,
                                    &made->paths[made->count], error);
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
                                   : obv__fail(error, OBV_E_MEMORY,
                                               obv_status_text(OBV_E_MEMORY));
    }
    return status;
}

static void free_dependencies_of(const struct obv_class *cls, uint32_t index)
{
    const struct obv__dependencies *made = &cls->dependencies[index];
    for (size_t i = 0; i < made->count; i++) {
        obv_path_destroy(made->paths[i]);
    }
    if (made->paths) {
        obv__context_free(cls->context, made->paths,
                          cls->properties[index]->computed->dependency_count *
                              sizeof *made->paths);
    }
}

void obv__dependencies_free(struct obv_class *cls)
{
    if (!cls->dependencies) {
        return;
    }
    for (uint32_t i = 0; i < cls->property_count; i++) {
        free_dependencies_of(cls, i);
    }
    obv__context_free(cls->context, cls->dependencies,
                      cls->property_count * sizeof *cls->dependencies);
    cls->dependencies = NULL;
}
