/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of declared dependencies: the sources of a record that were read
 * for what is declared are compared with those that its function has read.
 */
#include "computed/dependency_check.h"

#include "computed/dependencies.h"
#include "model/class_dependencies.h"
#include "path/path.h"

#include <stdio.h>

void obv_check_dependencies(struct obv_context *context, bool is_checked)
{
    context = obv__context_or_default(context);
    if (context) {
        obv__store_relaxed(&context->checks_dependencies, is_checked);
    }
}

static void tell_difference(const struct obv__computed *computed,
                            const char *text, const char *what)
{
    struct obv_class *cls = obv__class_of(computed->object);
    char path[320];
    (void)snprintf(path, sizeof path, "%s: %s", computed->property->name, what);
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_DEPENDENCY, .text = text, .path = path};
    if (!obv__exchange_acq_rel(&cls->dependencies[computed->slot].was_told,
                               true)) {
        obv__diagnose(cls->context, &diagnostic);
    }
}

/* The object and the `slot` that an edge leads to. */
static struct obv_object *object_of(const struct obv__edge *edge,
                                    uint32_t *slot)
{
    const struct obv__computed *source = obv__edge_record(edge);
    if (source) {
        *slot = source->slot;
        return source->object;
    }
    return obv__source_object(obv__edge_source(edge), slot);
}

/* Whether two edges lead to one place, or `b` to a place that includes that of
   `a`. A read of a container may mean any of its content. */
static bool is_same_place(const struct obv__edge *a, const struct obv__edge *b)
{
    uint32_t slot_a, slot_b;
    const struct obv_object *object = object_of(a, &slot_a);
    return object && object == object_of(b, &slot_b) &&
           (slot_a == slot_b || slot_b == OBV__SLOT_EVERY ||
            obv__class_of(object)->container);
}

static bool is_own(const struct obv__edge *edge)
{
    return edge->source != 0 && !(edge->source & OBV__SOURCE_DECLARED);
}

/* Whether the place of an edge was read by the function (`own`), or else for a
   declaration. */
static bool was_read(const struct obv__computed *computed,
                     const struct obv__edge *edge, bool own)
{
    const struct obv__edge *at = computed->sources;
    while (at && (at->source == 0 || is_own(at) != own ||
                  !(own ? is_same_place(at, edge) : is_same_place(edge, at)))) {
        at = at->next;
    }
    return at != NULL;
}

/* The name of the first read that no declared path leads through or to; or
   NULL. A lazy property is not asked: only what it declares is a dependency. */
static const char *find_undeclared(const struct obv__computed *computed)
{
    const struct obv__edge *edge =
        obv__flags(computed) & OBV__LAZY ? NULL : computed->sources;
    for (; edge; edge = edge->next) {
        uint32_t slot;
        const struct obv_object *object =
            is_own(edge) ? object_of(edge, &slot) : NULL;
        if (object && slot != OBV__SLOT_NONE &&
            !was_read(computed, edge, false)) {
            const struct obv_class *cls = obv__class_of(object);
            return slot > OBV__SLOT_LAST || cls->container
                       ? cls->table->name
                       : obv__property_in(cls, slot)->name;
        }
    }
    return NULL;
}

/* Whether the function has read what is at the end of a path. */
static bool was_end_read(const struct obv__computed *computed, uintptr_t source)
{
    const struct obv__edge *of_end = computed->sources;
    while (of_end && obv__edge_source(of_end) != source) {
        of_end = of_end->next;
    }
    return !of_end || was_read(computed, of_end, true);
}

bool obv__dependencies_are_checked(const struct obv__computed *computed)
{
    const struct obv_class *cls = obv__class_of(computed->object);
    return (obv__flags(computed) & OBV__DECLARES) &&
           obv__load_relaxed(&cls->context->checks_dependencies) &&
           obv__property_declares(computed->property) &&
           !obv__load_relaxed(&cls->dependencies[computed->slot].was_told);
}

void obv__dependency_check(const struct obv__computed *computed)
{
    const struct obv__declared *list =
        computed->more ? computed->more->declared : NULL;
    if (!list || !obv__dependencies_are_checked(computed)) {
        return;
    }
    const char *undeclared = find_undeclared(computed);
    if (undeclared) {
        tell_difference(computed,
                        "a computed property reads what it does not declare",
                        undeclared);
        return;
    }
    const struct obv__dependency *at = list->first;
    while (at && (at->end == 0 || was_end_read(computed, at->end))) {
        at = at->next;
    }
    if (at) {
        char unread[256];
        (void)obv__path_print(at->path, unread, sizeof unread);
        tell_difference(computed,
                        "a computed property does not read what it declares",
                        unread);
    }
}
