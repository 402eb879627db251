/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of declared dependencies: of the sources of a record those come
 * first that were read for what is declared; a mark says which of them the
 * function has read as well.
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

/* The place that a source is of; `slot`: which one. */
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

/* Who reads the content of a container may mean any of it. */
static bool is_same_place(const struct obv__edge *a, const struct obv__edge *b)
{
    uint32_t slot_a, slot_b;
    const struct obv_object *object = object_of(a, &slot_a);
    return object && object == object_of(b, &slot_b) &&
           (slot_a == slot_b || slot_b == OBV__SLOT_EVERY ||
            obv__class_of(object)->container);
}

/* The first read that no declared path leads through or to; or NULL. */
static const char *find_undeclared(const struct obv__computed *computed,
                                   const struct obv__edge *end)
{
    for (const struct obv__edge *edge = end; edge; edge = edge->next) {
        const struct obv__edge *at = computed->sources;
        uint32_t slot;
        const struct obv_object *object =
            edge->source ? object_of(edge, &slot) : NULL;
        while (at != end && !is_same_place(edge, at)) {
            at = at->next;
        }
        if (object && slot != OBV__SLOT_NONE && at == end) {
            const struct obv_class *cls = obv__class_of(object);
            return slot > OBV__SLOT_LAST || cls->container
                       ? cls->table->name
                       : obv__property_in(cls, slot)->name;
        }
    }
    return NULL;
}

/* Whether the function has read what is at the end of a path. */
static bool was_end_read(const struct obv__computed *computed,
                         const struct obv__edge *end, uintptr_t source)
{
    const struct obv__edge *of_end = computed->sources;
    while (of_end && obv__edge_source(of_end) != source) {
        of_end = of_end->next;
    }
    bool found = !of_end || (of_end->source & OBV__SOURCE_TWICE);
    const struct obv__edge *edge = computed->sources;
    bool is_declared = edge != end;
    for (; edge && !found; edge = edge->next) {
        is_declared = is_declared && edge != end;
        found = (!is_declared || (edge->source & OBV__SOURCE_TWICE)) &&
                edge->source && is_same_place(edge, of_end);
    }
    return found;
}

void obv__dependency_check(struct obv__thread *self,
                           const struct obv__computed *computed,
                           enum obv_status status)
{
    const struct obv_class *cls = obv__class_of(computed->object);
    const struct obv__declared *list =
        computed->more ? computed->more->declared : NULL;
    (void)self;
    if (status != OBV_OK || !list ||
        !obv__load_relaxed(&cls->context->checks_dependencies) ||
        !obv__property_declares(computed->property) ||
        obv__load_relaxed(&cls->dependencies[computed->slot].was_told)) {
        return;
    }
    const struct obv__edge *end =
        list->last ? list->last->next : computed->sources;
    const char *undeclared = find_undeclared(computed, end);
    if (undeclared) {
        tell_difference(computed,
                        "a computed property reads what it does not declare",
                        undeclared);
        return;
    }
    const struct obv__dependency *at = list->first;
    while (at && (at->end == 0 || was_end_read(computed, end, at->end))) {
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
