/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declared dependencies.
 */
#include "computed/dependencies.h"

#include "computed/evaluation.h"
#include "computed/settling.h"
#include "dispatch/loop.h"
#include "model/class_dependencies.h"
#include "path/path.h"
#include "path/path_cache.h"
#include "wiring/claim.h"
#include "wiring/dependency.h"
#include "wiring/matcher.h"
#include "wiring/place.h"

#include <observable/component.h>
#include <observable/computed.h>

/* The list ----------------------------------------------------------------- */

static bool make_declared_list(struct obv__computed *computed)
{
    if (!computed->declared) {
        struct obv__declared *made =
            obv__context_allocate_zeroed(computed->context, sizeof *made);
        if (made) {
            made->sized.size = sizeof *made;
            obv__store_release(&computed->declared, made);
        }
    }
    return computed->declared != NULL;
}

/* Takes the list away, for who lets go of it: the end of the object may come on
   another thread than who checks the record, and looks at it still. */
static struct obv__declared *take_declared_list(struct obv__computed *computed)
{
    struct obv__declared *none = NULL;
    struct obv__declared *list =
        obv__exchange_acq_rel(&computed->declared, none);
    if (list) {
        obv__retire(&computed->context->retired, &list->sized.retired,
                    OBV__RETIRED_SIZED);
    }
    return list;
}

/* Nothing is declared, or is left of it. */
static void drop_declared_list(struct obv__computed *computed)
{
    (void)take_declared_list(computed);
    computed->declares = 0;
}

static void prepend_declared(struct obv__declared *list,
                             struct obv__declared_edge *declared)
{
    declared->edge.watcher.with.next_member =
        list->first ? &list->first->watcher : NULL;
    list->first = &declared->edge;
}

/* Takes out, and ends, those of a root (NULL: that has ended) by a path (NULL: by
   any). */
static void end_those(struct obv__computed *computed,
                      const struct obv_object *root,
                      const struct obv_path *path)
{
    struct obv__edge *edge = computed->declared->first, *last = NULL;
    while (edge) {
        struct obv__edge *next = obv__edge_next(edge);
        struct obv__declared_edge *declared = obv__declared_edge(edge);
        if (obv__dependency_root(declared) != root ||
            (path && !obv_path_equal(declared->path, path))) {
            last = edge;
        } else {
            if (last) {
                last->watcher.with.next_member = next ? &next->watcher : NULL;
            } else {
                computed->declared->first = next;
            }
            obv__dependency_end(computed->context, declared);
        }
        edge = next;
    }
}

static bool is_declared(const struct obv__computed *computed,
                        const struct obv_object *root,
                        const struct obv_path *path)
{
    struct obv__edge *edge = computed->declared->first;
    while (edge && (obv__dependency_root(obv__declared_edge(edge)) != root ||
                    !obv_path_equal(obv__declared_edge(edge)->path, path))) {
        edge = obv__edge_next(edge);
    }
    return edge != NULL;
}

/* Each once. */
static enum obv_status add_declared(struct obv__thread *self,
                                    struct obv__computed *computed,
                                    struct obv_object *root,
                                    const struct obv_path *path)
{
    struct obv__declared_edge *made = NULL;
    enum obv_status status =
        is_declared(computed, root, path)
            ? OBV_OK
            : obv__dependency_make(self, computed, root, path, &made);
    if (made) {
        prepend_declared(computed->declared, made);
    }
    return status;
}

/* Declaring ---------------------------------------------------------------- */

/* What the class says. */
static bool declare_all(struct obv__thread *self,
                        struct obv__computed *computed)
{
    struct obv_object *object = computed->object;
    struct obv__declared *list = computed->declared;
    const struct obv__dependencies *of_class =
        obv__property_declares(computed->property)
            ? &obv__class_of(object)->dependencies[computed->slot]
            : NULL;
    enum obv_status status = OBV_OK;
    while (of_class && list->made < of_class->count && status == OBV_OK) {
        status =
            add_declared(self, computed, object, of_class->paths[list->made]);
        list->made += status == OBV_OK;
    }
    if (of_class && status == OBV_OK && computed->property->computed->declare) {
        status =
            computed->property->computed->declare(object, computed->property);
    }
    return status == OBV_OK;
}

/* False: something could not be followed, again. */
static bool wire_again(struct obv__thread *self, struct obv__computed *computed)
{
    struct obv__edge *edge = computed->declared->first;
    bool good = true;
    for (; edge && good; edge = obv__edge_next(edge)) {
        good = obv__dependency_wire_again(self, obv__declared_edge(edge));
    }
    return good;
}

/* The record is claimed by this thread, and its object kept. */
static bool declare_claimed(struct obv__thread *self,
                            struct obv__computed *computed)
{
    if (!make_declared_list(computed)) {
        return false;
    }
    struct obv__declared *list = computed->declared;
    end_those(computed, NULL, NULL);
    if (!list->is_made) {
        /* What this calls may take back what it declares, and does not begin anew. */
        list->is_made = true;
        bool is_made = declare_all(self, computed);
        list = computed->declared;
        if (!list) {
            return is_made;
        }
        list->is_made = is_made;
    }
    list->is_short = !list->is_made || !wire_again(self, computed);
    if (list->is_made && !list->first) {
        drop_declared_list(computed);
        return true;
    }
    return !list->is_short;
}

bool obv__declare(struct obv__thread *self, struct obv__computed *computed)
{
    /* Who evaluates it has done so, or does. */
    bool good = true;
    if (obv__claim(self, computed)) {
        obv__epoch_enter(self);
        good = declare_claimed(self, computed);
        obv__give_back(self, computed);
        obv__epoch_leave(self);
    }
    return good;
}

/* Before it is evaluated --------------------------------------------------- */

/* The first look of a check. Without all that was declared it is to be evaluated,
   and stays invalid. */
static void begin_declared(struct obv__thread *self,
                           struct obv__computed *computed)
{
    bool held;
    struct obv_object *object = obv__computed_hold(self, computed, &held);
    if (object && !declare_claimed(self, computed)) {
        obv__store_release(&computed->is_dirty, (uint8_t)1);
    } else if (!object && !computed->declared) {
        /* It is at its end: nobody is to be told of what it depends on. */
        computed->declares = 0;
    }
    if (held) {
        obv__class_of(object)->release(object);
    }
    struct obv__declared *list = obv__load_acquire(&computed->declared);
    if (list) {
        list->number = obv__settling_number();
    }
}

/* The next one behind a leaf. What another thread evaluates, or this one further
   out, has to be read. */
static struct obv__computed *claim_behind(struct obv__thread *self,
                                          struct obv__computed *computed,
                                          struct obv__declared *list,
                                          const struct obv__watcher *leaf)
{
    struct obv__computed *found;
    bool is_left = false, is_short = false;
    while ((found = obv__settling_find(self, computed, list->number, leaf,
                                       &is_left, &is_short)) != NULL) {
        if (obv__claim(self, found)) {
            return found;
        }
        is_left = true;
    }
    list->is_short = list->is_short || is_short;
    if (is_left || is_short) {
        obv__store_release(&computed->is_dirty, (uint8_t)1);
    }
    return NULL;
}

struct obv__computed *obv__declared_claim(struct obv__thread *self,
                                          struct obv__computed *computed)
{
    struct obv__declared *list = obv__load_acquire(&computed->declared);
    if (!list || list->number == 0) {
        begin_declared(self, computed);
        list = obv__load_acquire(&computed->declared);
    }
    struct obv__edge *edge = list ? list->first : NULL;
    struct obv__computed *found = NULL;
    for (; edge && !found; edge = obv__edge_next(edge)) {
        found = obv__load_acquire(&edge->watcher.place)
                    ? claim_behind(self, computed, list, &edge->watcher)
                    : NULL;
    }
    return found;
}

/* Ends --------------------------------------------------------------------- */

static void end_declared(struct obv_context *context,
                         struct obv__computed *computed)
{
    struct obv__declared *list = take_declared_list(computed);
    while (list && list->first) {
        struct obv__edge *first = list->first;
        list->first = obv__edge_next(first);
        obv__dependency_end(context, obv__declared_edge(first));
    }
}

void obv__declared_end(struct obv_class *cls, struct obv_detail_node *node)
{
    obv__each_computed(cls, node, end_declared);
}

/* By a program ------------------------------------------------------------- */

/* A record is this thread's, which may evaluate it already. */
struct taking {
    struct obv__thread *self;
    struct obv__computed *computed;
    bool is_claimed;
};

static enum obv_status take_record(struct taking *taking,
                                   struct obv_object *object, uint32_t property)
{
    taking->self = obv__thread_self();
    obv__epoch_enter(taking->self);
    taking->computed = obv__computed_make(object, property);
    if (!taking->computed) {
        return obv__object_is_ending(object) ? OBV_E_ENDED : OBV_E_MEMORY;
    }
    taking->is_claimed = obv__claim(taking->self, taking->computed);
    return taking->is_claimed ||
                   obv__computed_is_of(taking->computed,
                                       obv__thread_number(taking->self))
               ? OBV_OK
               : OBV_E_BUSY;
}

static void leave_record(const struct taking *taking)
{
    if (taking->computed && taking->is_claimed) {
        obv__give_back(taking->self, taking->computed);
    }
    obv__epoch_leave(taking->self);
}

static enum obv_status check_both(const struct obv_object *object,
                                  uint32_t property,
                                  const struct obv_object *root,
                                  struct obv_error *error)
{
    enum obv_status status = obv__check_object(object, error);
    if (status == OBV_OK) {
        status = obv__check_object(root, error);
    }
    if (status == OBV_OK &&
        !obv__slot_is_computed(obv__class_of(object), property)) {
        status = obv__fail(error, OBV_E_UNKNOWN,
                           "the class has no such computed property");
    }
    if (status == OBV_OK &&
        obv__class_of(object)->context != obv__class_of(root)->context) {
        status =
            obv__fail(error, OBV_E_ARGUMENT, "the objects are of two contexts");
    }
    return status;
}

static enum obv_status depend(struct obv_object *object, uint32_t property,
                              struct obv_object *root,
                              const struct obv_path *path,
                              struct obv_error *error)
{
    struct taking taking = {0};
    enum obv_status status =
        object == root &&
                obv__path_is_of_property(
                    path, obv__property_name(obv__class_of(object), property))
            ? obv__fail(error, OBV_E_ARGUMENT,
                        "a computed property depends on itself")
            : obv__check_elements(root, obv_path_elements(path),
                                  obv_path_count(path), error);
    if (status != OBV_OK) {
        return status;
    }
    status = take_record(&taking, object, property);
    if (status == OBV_OK && !make_declared_list(taking.computed)) {
        status = OBV_E_MEMORY;
    }
    if (status == OBV_OK) {
        taking.computed->declares = 1;
        status = add_declared(taking.self, taking.computed, root, path);
    }
    leave_record(&taking);
    return status == OBV_OK ? OBV_OK
                            : obv__fail(error, status, obv_status_text(status));
}

enum obv_status obv_depend_on(struct obv_object *object, uint32_t property,
                              struct obv_object *root, const char *text,
                              struct obv_error *error)
{
    struct obv_path *path;
    enum obv_status status = check_both(object, property, root, error);
    if (status == OBV_OK) {
        status = obv__path_cache_parse(&obv__class_of(root)->context->recent,
                                       text, &path, error);
    }
    if (status == OBV_OK) {
        status = depend(object, property, root, path, error);
        obv_path_destroy(path);
    }
    return status;
}

enum obv_status obv_depend_on_compiled(struct obv_object *object,
                                       uint32_t property,
                                       struct obv_object *root,
                                       const struct obv_path *compiled,
                                       struct obv_error *error)
{
    struct obv_path *path;
    enum obv_status status = check_both(object, property, root, error);
    if (status == OBV_OK) {
        status = obv__path_share(obv__class_of(root)->context->names, compiled,
                                 &path, error);
    }
    if (status == OBV_OK) {
        status = depend(object, property, root, path, error);
        obv_path_destroy(path);
    }
    return status;
}

static enum obv_status forget_declared(struct obv_object *object,
                                       uint32_t property,
                                       const struct obv_object *root,
                                       const struct obv_path *path,
                                       struct obv_error *error)
{
    const struct obv_class *cls = obv__class_of(object);
    struct taking taking = {0};
    if (!obv__computed_of(object, property) &&
        !obv__property_declares(obv__property_in(cls, property))) {
        return OBV_OK;
    }
    enum obv_status status = take_record(&taking, object, property);
    /* What the class says comes first: else it would come again. */
    if (status == OBV_OK && taking.computed->declares &&
        !declare_claimed(taking.self, taking.computed)) {
        status = OBV_E_MEMORY;
    }
    if (status == OBV_OK && taking.computed->declared) {
        end_those(taking.computed, root, path);
    }
    leave_record(&taking);
    return status == OBV_OK ? OBV_OK
                            : obv__fail(error, status, obv_status_text(status));
}

enum obv_status obv_depend_no_more(struct obv_object *object, uint32_t property,
                                   struct obv_object *root, const char *text,
                                   struct obv_error *error)
{
    struct obv_path *path = NULL;
    enum obv_status status = check_both(object, property, root, error);
    if (status == OBV_OK && text) {
        status = obv__path_cache_find(&obv__class_of(root)->context->recent,
                                      text, &path, error);
    }
    if (status == OBV_OK) {
        status = forget_declared(object, property, root, path, error);
    }
    obv_path_destroy(path);
    return status;
}

enum obv_status obv_depend_no_more_compiled(struct obv_object *object,
                                            uint32_t property,
                                            struct obv_object *root,
                                            const struct obv_path *path,
                                            struct obv_error *error)
{
    enum obv_status status = check_both(object, property, root, error);
    return status == OBV_OK
               ? forget_declared(object, property, root, path, error)
               : status;
}
