/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of declared dependencies.
 */
#include "computed/dependency_check.h"

#include "computed/dependencies.h"
#include "model/class_dependencies.h"
#include "model/container.h"
#include "path/path.h"
#include "wiring/dependency.h"

#include <observable/computed.h>

#include <stdio.h>

void obv_check_dependencies(struct obv_context *context, bool is_checked)
{
    context = obv__context_or_default(context);
    if (context) {
        obv__store_relaxed(&context->checks_dependencies, is_checked);
    }
}

static struct obv_class *class_of_record(const struct obv__computed *computed)
{
    return obv__class_of(computed->object);
}

bool obv__dependency_check_begin(struct obv__computed *computed)
{
    const struct obv_class *cls = class_of_record(computed);
    /* Relaxed, both: a late look only begins a later evaluation with it. */
    bool is_checked =
        computed->declares && computed->declared &&
        obv__load_relaxed(&cls->context->checks_dependencies) &&
        obv__property_declares(computed->property) &&
        !obv__load_relaxed(&cls->dependencies[computed->slot].was_told);
    struct obv__edge *edge = is_checked ? computed->declared->first : NULL;
    for (; edge; edge = obv__edge_next(edge)) {
        obv__declared_edge(edge)->was_read = false;
    }
    return is_checked;
}

/* Reads -------------------------------------------------------------------- */

/* A look for declared paths that lead through, or to, what is read. */
struct read_look {
    const struct obv__computed *computed;
    const struct obv__path_node *at; /* what hangs there */
    bool found;
};

static void look_at_read_leaf(void *context, struct obv__watcher *leaf)
{
    struct read_look *look = context;
    if (leaf->of == look->computed) {
        struct obv__declared_edge *declared =
            obv__declared_edge((struct obv__edge *)(void *)leaf);
        look->found = true;
        declared->was_read =
            declared->was_read ||
            obv__path_node_of(obv__load_relaxed(&leaf->place)) == look->at;
    }
}

static void look_at_read_list(struct read_look *look, const uintptr_t *head)
{
    for (struct obv__watcher *w = head ? obv__first(head) : NULL; w;
         w = obv__next(w)) {
        const struct obv__path_instance *instance =
            obv__is_binding(w) ? w->of : NULL;
        if (instance && obv__paths_are_dependencies(instance->node->paths)) {
            look->at = instance->node;
            obv__lock_paths(look->at);
            obv__leaves_below_locked(look->at, look_at_read_leaf, look);
            obv__unlock_paths(look->at);
        }
    }
}

/* What hangs in an object that is, or stands for, what is read. */
static void look_at_read_object(struct read_look *look,
                                struct obv_object *object, uint32_t slot)
{
    struct obv_detail_node *node = obv__node(object);
    if (node) {
        look_at_read_list(look, obv__list(node, OBV__SLOT_EVERY));
        look_at_read_list(look, slot <= OBV__SLOT_LAST ? obv__list(node, slot)
                                                       : NULL);
    }
}

/* Who reads the content of a container may mean any of it. */
static void look_at_read_elements(struct read_look *look,
                                  struct obv_object *container)
{
    struct obv__cell *cell = obv__cell_next(container, NULL);
    look_at_read_object(look, container, 0);
    for (; cell; cell = obv__cell_next(container, cell)) {
        look_at_read_object(look, &cell->object, 0);
    }
}

const char *obv__dependency_check_read(const struct obv__computed *computed,
                                       struct obv_object *object, uint32_t slot)
{
    struct read_look look = {.computed = computed};
    const struct obv_class *cls = obv__class_of(object);
    if (slot == OBV__SLOT_NONE) {
        return NULL;
    }
    if (cls->container) {
        look_at_read_elements(&look, object);
    } else {
        look_at_read_object(&look, object, slot);
    }
    return look.found ? NULL
           : slot > OBV__SLOT_LAST || cls->container
               ? cls->table->name
               : obv__property_at(object, slot)->name;
}

/* Differences -------------------------------------------------------------- */

/* Whether the end of a path that was not read is anywhere. */
static bool is_unread(const struct obv__declared_edge *declared)
{
    uintptr_t place = obv__load_acquire(&declared->edge.watcher.place);
    bool leads = false;
    if (place == 0 || declared->was_read) {
        return false;
    }
    struct obv__path_node *node = obv__path_node_of(place);
    obv__lock_paths(node);
    for (struct obv__path_instance *instance =
             obv__path_instance_next(node, NULL);
         instance && !leads;
         instance = obv__path_instance_next(node, instance)) {
        leads = instance->binding != NULL;
    }
    obv__unlock_paths(node);
    return leads;
}

static void tell_difference(const struct obv__computed *computed,
                            const char *text, const char *what)
{
    struct obv_class *cls = class_of_record(computed);
    char path[320];
    (void)snprintf(path, sizeof path, "%s: %s", computed->property->name, what);
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_DEPENDENCY, .text = text, .path = path};
    if (!obv__exchange_acq_rel(&cls->dependencies[computed->slot].was_told,
                               true)) {
        obv__diagnose(cls->context, &diagnostic);
    }
}

void obv__dependency_check_end(const struct obv__computed *computed,
                               const char *undeclared)
{
    const struct obv__declared *list = computed->declared;
    /* None: the function has taken back all that was declared. */
    struct obv__edge *edge = list ? list->first : NULL;
    char unread[256];
    if (undeclared) {
        tell_difference(computed,
                        "a computed property reads what it does not declare",
                        undeclared);
        return;
    }
    while (edge && !is_unread(obv__declared_edge(edge))) {
        edge = obv__edge_next(edge);
    }
    if (edge) {
        (void)obv__path_print(obv__declared_edge(edge)->path, unread,
                              sizeof unread);
        tell_difference(computed,
                        "a computed property does not read what it declares",
                        unread);
    }
}
