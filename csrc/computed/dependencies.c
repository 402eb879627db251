/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declared dependencies: the list of a record, and the walk along its paths.
 */
#include "computed/dependencies.h"

#include "computed/evaluation.h"
#include "dispatch/loop.h"
#include "computed/reading.h"
#include "model/class_dependencies.h"
#include "path/path.h"
#include "path/path_cache.h"
#include "wiring/matcher.h"
#include "computed/place.h"

#include <observable/component.h>
#include <observable/computed.h>

/* The list ----------------------------------------------------------------- */

static struct obv__declared *declared_of(const struct obv__computed *computed)
{
    return computed->more ? computed->more->declared : NULL;
}

static struct obv__declared *make_declared(struct obv__computed *computed)
{
    struct obv__computed_more *more = obv__computed_more(computed);
    if (more && !more->declared) {
        more->declared = obv__context_allocate_zeroed(
            obv__computed_context(computed), sizeof *more->declared);
    }
    return more ? more->declared : NULL;
}

static bool has_lost_root(const struct obv__dependency *dependency)
{
    return dependency->life.reader &&
           obv__load_relaxed(&dependency->life.source) == 0;
}

static void free_dependency(struct obv__computed *computed,
                            struct obv__dependency *dependency)
{
    if (dependency->life.reader) {
        /* Alone: edges of other owners may hang at the same root. And an end of
           the root that is about to take this edge away is through then. */
        obv__graph_enter_alone(obv__thread_self());
        obv__edge_unhang(&dependency->life);
        obv__graph_leave_alone();
    }
    obv_path_destroy(dependency->path);
    obv__context_free(obv__computed_context(computed), dependency,
                      sizeof *dependency);
}

/* Takes away the dependencies on a path of `root` (NULL: on any path of it);
   `root` NULL: those whose root has ended. Answers whether there were any. */
static bool end_those(struct obv__computed *computed,
                      const struct obv_object *root,
                      const struct obv_path *path)
{
    struct obv__declared *list = declared_of(computed);
    struct obv__dependency **place = &list->first;
    bool any = false;
    while (*place) {
        struct obv__dependency *at = *place;
        bool is_meant = root ? !has_lost_root(at) && at->root == root &&
                                   (!path || obv_path_equal(at->path, path))
                             : has_lost_root(at);
        if (is_meant) {
            *place = at->next;
            free_dependency(computed, at);
            any = true;
        } else {
            place = &at->next;
        }
    }
    return any;
}

static bool is_declared(const struct obv__declared *list,
                        const struct obv_object *root,
                        const struct obv_path *path)
{
    const struct obv__dependency *at = list->first;
    while (at && (has_lost_root(at) || at->root != root ||
                  !obv_path_equal(at->path, path))) {
        at = at->next;
    }
    return at != NULL;
}

static void report_nowhere(const struct obv_object *root,
                           const struct obv_path *path)
{
    char text[256];
    (void)obv__path_print(path, text, sizeof text);
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_UNRESOLVED,
        .text = "a computed property depends on what is no observable property",
        .path = text};
    obv__diagnose(obv__class_of(root)->context, &diagnostic);
}

/* The slot that an element holds on an object. */
static uint32_t slot_of_element(const struct obv_element *element,
                                struct obv_object *object)
{
    if (obv__matcher_must_learn(element, obv__class_of(object))) {
        obv__matcher_learn(element, object);
    }
    return obv__slot_on(element, object);
}

/* Follows the end of a root that is another object: it is a change, and ends
   the dependency. False: that could not be. */
static bool follow_root(struct obv__thread *self,
                        struct obv__computed *computed,
                        struct obv__dependency *made)
{
    if (made->root == computed->object) {
        return true;
    }
    obv__epoch_enter(self);
    const struct obv__source source =
        obv__source_enter(self, made->root, OBV__SLOT_NONE, NULL);
    if (source.address != 0) {
        made->life.reader = computed;
        obv__edge_hang(&made->life, &source);
    }
    obv__graph_leave_as(self, source.is_alone);
    obv__epoch_leave(self);
    return source.address != 0;
}

/* Adds a dependency, unless it is declared already. */
static enum obv_status add_declared(struct obv__thread *self,
                                    struct obv__computed *computed,
                                    struct obv_object *root,
                                    const struct obv_path *path)
{
    struct obv__declared *list = declared_of(computed);
    if (is_declared(list, root, path)) {
        return OBV_OK;
    }
    if (slot_of_element(obv_path_elements(path), root) == OBV__NO_SLOT) {
        report_nowhere(root, path);
        return OBV_OK;
    }
    struct obv__dependency *made = obv__context_allocate_zeroed(
        obv__computed_context(computed), sizeof *made);
    if (!made) {
        return OBV_E_MEMORY;
    }
    made->root = root;
    made->path = obv__path_retain(path);
    if (!follow_root(self, computed, made)) {
        free_dependency(computed, made);
        return OBV_E_MEMORY;
    }
    made->next = list->first;
    list->first = made;
    return OBV_OK;
}

/* The binding declares object by object, and nothing for this one: the record
   becomes one without declarations. */
static void declare_nothing(struct obv__thread *self,
                            struct obv__computed *computed)
{
    struct obv__declared *list = declared_of(computed);
    computed->more->declared = NULL;
    obv__context_free(obv__computed_context(computed), list, sizeof *list);
    obv__flags_change(self, computed, OBV__DECLARES, 0);
}

/* Adds what the class declares. `declare` may take a declaration back, which
   comes here again: `is_made` is set before, so nothing is added twice. */
static bool declare_all(struct obv__thread *self,
                        struct obv__computed *computed)
{
    struct obv_object *object = computed->object;
    struct obv__declared *list = make_declared(computed);
    const struct obv__dependencies *of_class =
        obv__property_declares(computed->property)
            ? &obv__class_of(object)->dependencies[computed->slot]
            : NULL;
    enum obv_status status = list ? OBV_OK : OBV_E_MEMORY;
    if (!list || list->is_made) {
        return list != NULL;
    }
    list->is_made = true;
    while (of_class && list->made < of_class->count && status == OBV_OK) {
        status =
            add_declared(self, computed, object, of_class->paths[list->made]);
        list->made += status == OBV_OK;
    }
    if (of_class && status == OBV_OK && computed->property->computed->declare) {
        struct obv_detail_hidden hidden;
        list->is_declaring = true;
        obv_detail_untracked_begin(&hidden);
        status =
            computed->property->computed->declare(object, computed->property);
        obv_detail_untracked_end(&hidden);
        list->is_declaring = false;
    }
    list->is_made = status == OBV_OK;
    if (list->is_made && !list->first) {
        declare_nothing(self, computed);
    }
    return status == OBV_OK;
}

/* Reading ------------------------------------------------------------------ */

/* A walk along a path. */
struct walk_of_path {
    struct obv__thread *self;
    struct obv__computed *computed;
    struct obv__dependency *dependency;
    const struct obv_element *elements;
    size_t count;
};

static void set_short(struct obv__thread *self, struct obv__computed *computed)
{
    obv__flags_change(self, computed, 0, OBV__SHORT);
}

/* One read of the walk. */
static void read_step(const struct walk_of_path *walk, size_t at,
                      struct obv_object *object, uint32_t slot)
{
    uintptr_t source = obv__record_read(walk->self, object, slot);
    if (at + 1 == walk->count) {
        walk->dependency->end = source;
    }
}

static void read_from(const struct walk_of_path *walk, size_t at,
                      struct obv_object *container);

/* Walks on to the object behind a slot, if there are more elements. */
static void read_beyond(const struct walk_of_path *walk, size_t at,
                        struct obv_object *container, struct obv__child child)
{
    bool held = false;
    uint8_t said;
    if (at + 1 == walk->count) {
        return;
    }
    struct obv_object *object =
        obv__matcher_child(&walk->elements[at], container, child, &held, &said);
    if (said & OBV__CHILD_IS_SHORT) {
        set_short(walk->self, walk->computed);
    }
    if (object &&
        obv__class_of(object)->context == obv__class_of(container)->context) {
        read_from(walk, at + 1, object);
    }
    obv__object_let_go(object, held);
}

/* Computed properties take no part under a wildcard (WC-6). */
static void read_each(const struct walk_of_path *walk, size_t at,
                      struct obv_object *container)
{
    read_step(walk, at, container, OBV__SLOT_EVERY);
    struct obv__children children = obv__children_of(
        &walk->elements[at], container, OBV__SLOT_EVERY, OBV__WHICH_LEAD_ON);
    while (at + 1 < walk->count && obv__children_next(&children)) {
        if (!obv__slot_is_computed(obv__class_of(container),
                                   children.child.slot)) {
            read_beyond(walk, at, container, children.child);
        }
    }
    if (children.out_of_memory) {
        set_short(walk->self, walk->computed);
    }
}

/* Reads a property, up to date. If its function runs, or if it waits in a walk
   for this record, it is read as it stands. */
static void read_property(const struct walk_of_path *walk, size_t at,
                          struct obv_object *object, uint32_t slot)
{
    struct obv__computed *source;
    read_step(walk, at, object, slot);
    source = obv__computed_of(object, slot);
    if (source && !(obv__flags(source) & (OBV__RUNS | OBV__CHECKS)) &&
        !obv__computed_is_valid(source)) {
        (void)obv__pull(walk->self, source, NULL);
        obv__follow_foreign(walk->self, walk->computed, source);
    }
}

static void read_from(const struct walk_of_path *walk, size_t at,
                      struct obv_object *container)
{
    const struct obv_element *element = &walk->elements[at];
    if (obv__matcher_misfits(element, obv__class_of(container)) ||
        (obv__flags(walk->computed) & OBV__ENDED)) {
        return;
    }
    if (obv__matcher_is_many(element)) {
        read_each(walk, at, container);
        return;
    }
    uint32_t slot = slot_of_element(element, container);
    if (slot == OBV__SLOT_ELEMENT) {
        read_step(walk, at, container, OBV__SLOT_EVERY);
    } else if (slot <= OBV__SLOT_LAST) {
        read_property(walk, at, container, slot);
    } else {
        return;
    }
    read_beyond(walk, at, container, (struct obv__child){slot, 0});
}

/* The root of a dependency, held, if references do that; NULL: it has ended, or
   is about to. Asked inside the graph: an end on another thread takes `life`
   away there before the memory goes. A `retain` may be called inside. */
static struct obv_object *hold_root(struct obv__thread *self,
                                    const struct obv__dependency *dependency,
                                    bool *held)
{
    *held = false;
    obv__graph_enter(self);
    bool lives = !has_lost_root(dependency) &&
                 obv__object_hold_or_go_on(dependency->root, held);
    obv__graph_leave(self);
    return lives ? dependency->root : NULL;
}

/* Walks all declared paths, the last declared first: each place that a path
   passes becomes a source of the record. */
static void read_all(struct obv__thread *self, struct obv__computed *computed)
{
    struct obv__declared *list = declared_of(computed);
    struct obv__dependency *at = list ? list->first : NULL;
    obv__flags_change(self, computed, 0, OBV__READS_DECLARED);
    while (at && !(obv__flags(computed) & OBV__ENDED)) {
        const struct walk_of_path walk = {self, computed, at,
                                          obv_path_elements(at->path),
                                          obv_path_count(at->path)};
        bool held;
        struct obv_object *root = hold_root(self, at, &held);
        at->end = 0;
        if (root) {
            read_from(&walk, 0, root);
        }
        obv__object_let_go(root, held);
        at = at->next;
    }
    obv__flags_change(self, computed, OBV__READS_DECLARED, 0);
}

void obv__declared_read(struct obv__thread *self,
                        struct obv__computed *computed)
{
    if (!declare_all(self, computed)) {
        set_short(self, computed);
        return;
    }
    struct obv__declared *list = declared_of(computed);
    if (list) {
        list->is_changed = false;
        (void)end_those(computed, NULL, NULL);
        read_all(self, computed);
    }
    obv__forget_declared(self);
}

void obv__declared_run(struct obv__thread *self, struct obv__computed *computed)
{
    const struct obv__declared *list = declared_of(computed);
    if (obv__flags(computed) & OBV__LAZY) {
        obv__forget_own(self, computed);
    }
    if (list && list->is_changed) {
        obv__reading_begin(self, computed);
        obv__declared_read(self, computed);
    }
}

void obv__declared_read_for_set(struct obv__thread *self,
                                struct obv__computed *computed)
{
    struct obv__evaluating suspended;
    struct obv__pull pull = {.outer = NULL};
    bool has_value = obv__computed_has_value(computed);
    uint32_t stood = obv__flags(computed) & OBV__STANDS;
    if (obv__flags(computed) & OBV__RUNS) {
        return; /* the evaluation under way has read it */
    }
    obv__epoch_enter(self);
    obv__evaluating_suspend(self, &suspended);
    /* STANDS: if a source reads this property, in a ring, the property is not
       computed, since its own sources are being walked. */
    obv__flags_change(self, computed, 0, OBV__STANDS);
    self->slots[OBV__THREAD_COMPUTES] = &pull;
    self->pull_count++;
    obv__recording_begin(self);
    obv__reading_begin(self, computed);
    obv__declared_read(self, computed);
    if (!has_value || (obv__flags(computed) & OBV__LAZY)) {
        obv__forget_unread(self);
    }
    obv__reading_end(self, computed);
    obv__flags_change(self, computed, OBV__STANDS & ~stood, 0);
    self->pull_count--;
    self->slots[OBV__THREAD_COMPUTES] = NULL;
    obv__evaluating_resume(self, &suspended);
    obv__epoch_leave(self);
}

/* Ends --------------------------------------------------------------------- */

static void end_declared(void *context, struct obv__computed *computed)
{
    struct obv__declared *list = declared_of(computed);
    if (list) {
        computed->more->declared = NULL;
        obv__graph_enter_alone(context);
        for (struct obv__dependency *at = list->first; at; at = at->next) {
            if (at->life.reader) {
                obv__edge_unhang(&at->life);
                at->life.reader = NULL;
            }
        }
        obv__graph_leave_alone();
        while (list->first) {
            struct obv__dependency *first = list->first;
            list->first = first->next;
            free_dependency(computed, first);
        }
        obv__context_free(obv__computed_context(computed), list, sizeof *list);
    }
}

void obv__declared_end(const struct obv_class *cls,
                       struct obv_detail_node *node)
{
    obv__each_computed(cls, node, end_declared, obv__thread_self());
}

/* By a program ------------------------------------------------------------- */

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

static enum obv_status find_record(struct obv_object *object, uint32_t property,
                                   struct obv__computed **computed)
{
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    *computed = obv__computed_make(object, property);
    obv__epoch_leave(self);
    return *computed                       ? OBV_OK
           : obv__object_is_ending(object) ? OBV_E_ENDED
                                           : OBV_E_MEMORY;
}

/* A dependency was declared: a valid value stays valid, and depends on it
   now. */
static enum obv_status follow_declared(struct obv__computed *computed)
{
    struct obv__thread *self = obv__thread_self();
    if (declared_of(computed)->is_declaring) {
        return OBV_OK; /* obv__declared_read() reads it next */
    }
    if (obv__computes(self) == computed) {
        read_all(self, computed);
    } else if (obv__computed_is_valid(computed)) {
        obv__declared_read_for_set(self, computed);
    }
    if (obv__flags(computed) & OBV__SHORT) {
        obv__flags_change(self, computed, OBV__SHORT, 0);
        return OBV_E_MEMORY;
    }
    return OBV_OK;
}

static enum obv_status depend(struct obv_object *object, uint32_t property,
                              struct obv_object *root,
                              const struct obv_path *path,
                              struct obv_error *error)
{
    struct obv__computed *computed = NULL;
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
    status = find_record(object, property, &computed);
    if (status == OBV_OK && !make_declared(computed)) {
        status = OBV_E_MEMORY;
    }
    if (status == OBV_OK) {
        bool is_new = !is_declared(declared_of(computed), root, path);
        status = add_declared(obv__thread_self(), computed, root, path);
        obv__flags_change(obv__thread_self(), computed, 0, OBV__DECLARES);
        if (status == OBV_OK && is_new) {
            status = follow_declared(computed);
        }
        if (status != OBV_OK && is_new) {
            (void)end_those(computed, root, path);
        }
    }
    return obv__fail_as(error, status);
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
    struct obv__thread *self = obv__thread_self();
    struct obv__computed *computed = NULL;
    if (!obv__computed_of(object, property) &&
        !obv__property_declares(obv__property_in(cls, property))) {
        return OBV_OK;
    }
    enum obv_status status = find_record(object, property, &computed);
    /* The class's declarations are added first, else one that is taken back
       here would come with them later. */
    if (status == OBV_OK && (obv__flags(computed) & OBV__DECLARES) &&
        !declare_all(self, computed)) {
        status = OBV_E_MEMORY;
    }
    if (status == OBV_OK && declared_of(computed) &&
        end_those(computed, root, path)) {
        declared_of(computed)->is_changed = true;
        if (!(obv__flags(computed) & OBV__DIRTY)) {
            obv__declared_read_for_set(self, computed);
            if (obv__flags(computed) & OBV__SHORT) {
                /* Memory was short: it misses changes of what is still
                   declared. */
                obv__flags_change(self, computed, 0, OBV__DIRTY);
                obv__bring_path_up_to_date(object, property, NULL);
            }
        }
    }
    return obv__fail_as(error, status);
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
