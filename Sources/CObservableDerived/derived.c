/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived arrays and dictionaries for C: containers that read a derivation.
 */
#include "derivation.h"

#include <string.h>

/* Elements ----------------------------------------------------------------- */

/* Of a class without `retain` an object is nobody's. */
static bool hold_object(struct obv_object *object, bool is_held)
{
    const struct obv_class *cls = obv_object_class(object);
    if (!cls) {
        return false;
    }
    const struct obv_class_table *table = obv_class_table_of(cls);
    while (!table->retain && table->superclass) {
        table = obv_class_table_of(table->superclass);
    }
    if (!is_held && table->release) {
        table->release(object);
    }
    return !is_held || !table->retain || table->retain(object);
}

static bool take_pointer(const struct obv_derived *derived, const void *pointer,
                         void **element)
{
    *element = (void *)(uintptr_t)pointer;
    if (pointer && derived->taken == OBV_KIND_object) {
        return hold_object(*element, true);
    }
    if (pointer && derived->taken == OBV_KIND_string) {
        size_t size = strlen(pointer) + 1;
        *element = allocate(&derived->kind->binding, 1, size);
        return *element && memcpy(*element, pointer, size);
    }
    return true;
}

static bool take_place(const void *place, void **element, void *bound)
{
    return take_pointer(bound, *(const void *const *)place, element);
}

static bool take_value(const struct obv_value *value, void **element,
                       void *bound)
{
    const struct obv_derived *derived = bound;
    const void *pointer = derived->taken == OBV_KIND_object ? value->as.object
                          : derived->taken == OBV_KIND_string
                              ? (const void *)value->as.string
                              : value->as.pointer;
    return take_pointer(derived, pointer, element);
}

static void let_go(void *element, void *bound)
{
    const struct obv_derived *derived = bound;
    if (element && derived->taken == OBV_KIND_object) {
        (void)hold_object(element, false);
    } else if (element && derived->taken == OBV_KIND_string) {
        release_block(&derived->kind->binding, element, strlen(element) + 1);
    }
}

static bool are_same(const void *a, const void *b, void *bound)
{
    const struct obv_derived *derived = bound;
    return a == b ||
           (a && b && derived->taken == OBV_KIND_string && strcmp(a, b) == 0);
}

static uint64_t hash_element(const void *element, void *bound)
{
    const struct obv_derived *derived = bound;
    return element && derived->taken == OBV_KIND_string
               ? obv_text_keys.hash(&obv_text_keys, element)
               : (uint64_t)(uintptr_t)element >> 3;
}

static struct obv_object *object_of(const void *element, void *bound)
{
    (void)bound;
    return (struct obv_object *)(uintptr_t)element;
}

/* Instances ---------------------------------------------------------------- */

/* Atomic: a count that any thread may change. */
static _Atomic size_t *references_of(struct obv_derived *derived)
{
    return (_Atomic size_t *)(void *)&derived->references;
}

static bool retain_derived(struct obv_object *object)
{
    _Atomic size_t *references =
        references_of((struct obv_derived *)(void *)object);
    size_t count = atomic_load(references);
    while (count != 0 &&
           !atomic_compare_exchange_weak(references, &count, count + 1)) {
    }
    return count != 0;
}

static void free_derived(void *bound)
{
    struct obv_derived *derived = bound;
    release_block(&derived->kind->binding, derived, sizeof *derived);
}

static void release_derived(struct obv_object *object)
{
    struct obv_derived *derived = (struct obv_derived *)(void *)object;
    if (atomic_fetch_sub(references_of(derived), 1) != 1) {
        return;
    }
    (void)obv_object_deinit(object);
    if (derived->derivation) {
        obv_derivation_end(derived->derivation);
    } else {
        free_derived(derived);
    }
}

static struct obv_derived *new_derived(const struct obv_derived_class *cls)
{
    struct obv_derived *derived = allocate(&cls->binding, 1, sizeof *derived);
    if (derived) {
        memset(derived, 0, sizeof *derived);
        derived->kind = cls;
        derived->references = 1;
    }
    return derived;
}

void obv_derived_retain(struct obv_derived *derived)
{
    if (derived) {
        (void)retain_derived(&derived->container.object);
    }
}

void obv_derived_release(struct obv_derived *derived)
{
    if (derived) {
        release_derived(&derived->container.object);
    }
}

/* Answers to the core ------------------------------------------------------ */

static const struct obv_derived *
derived_of(const struct obv_container *container)
{
    return (const struct obv_derived *)(const void *)container;
}

static size_t count_elements(const struct obv_container *container)
{
    const struct obv_derived *derived = derived_of(container);
    return derived->list ? obv_derived_list_count(derived->list) : 0;
}

static const void *element_at(const struct obv_container *container,
                              size_t position)
{
    return obv_derived_list_at(derived_of(container)->list, position);
}

static bool next_pair(const struct obv_container *container,
                      struct obv_container_cursor *cursor)
{
    struct order_item *item =
        cursor->state ? order_beside(cursor->state, 1)
                      : order_first(&derived_of(container)->derivation->listed);
    cursor->state = item;
    if (item) {
        cursor->key = list_of_item(item)->key;
        cursor->element = &list_of_item(item)->group;
    }
    return item != NULL;
}

static size_t count_groups(const struct obv_container *container)
{
    return derived_of(container)->derivation->listed.size.count;
}

static const void *find_pair(const struct obv_container *container,
                             const void *key)
{
    const struct obv_derived_list *list =
        find_group(derived_of(container)->derivation, key);
    return list && list->is_listed ? &list->group : NULL;
}

/* Telling of a derivation's edits ------------------------------------------ */

static void edited(struct obv_derived_list *list, void *group,
                   const struct obv_container_edit *edits, size_t count,
                   void *bound)
{
    struct obv_derived *derived = group ? group : bound;
    (void)list;
    (void)!obv_container_edited(&derived->container, edits, count, NULL);
}

static void *begin_group(struct obv_derived_list *list, const void *key,
                         void *bound)
{
    const struct obv_derived *dictionary = bound;
    struct obv_derived *array = new_derived(dictionary->groups);
    (void)key;
    if (array) {
        array->list = list;
        (void)obv_container_init(&array->container, dictionary->groups->cls);
    }
    return array;
}

/* A holder of it still has an empty one. */
static void end_group_array(void *group, void *bound)
{
    struct obv_derived *array = group;
    const struct obv_container_edit all = {.removed = array->container.count};
    (void)bound;
    array->list = NULL;
    if (all.removed != 0) {
        (void)!obv_container_edited(&array->container, &all, 1, NULL);
    }
    obv_derived_release(array);
}

/* Creation ----------------------------------------------------------------- */

static enum obv_status make_class(struct obv_context *context,
                                  struct obv_derived_class *cls,
                                  const char *name, struct obv_error *error)
{
    cls->access.size = sizeof cls->access;
    cls->access.name = name;
    cls->access.instance_size = sizeof(struct obv_derived);
    cls->access.retain = retain_derived;
    cls->access.release = release_derived;
    cls->binding = (struct obv_derived_binding){.size = sizeof cls->binding,
                                                .take = take_place,
                                                .take_value = take_value,
                                                .let_go = let_go,
                                                .same = are_same,
                                                .hash = hash_element,
                                                .object = object_of,
                                                .begin_group = begin_group,
                                                .end_group = end_group_array,
                                                .edited = edited,
                                                .ended = free_derived,
                                                .allocator = cls->allocator};
    return obv_container_class_create(context, &cls->access, &cls->cls, error);
}

enum obv_status obv_derived_class_create(struct obv_context *context,
                                         struct obv_derived_class *cls,
                                         const char *name,
                                         enum obv_kind element,
                                         struct obv_error *error)
{
    cls->access.element =
        (struct obv_property){.name = "element", .kind = element};
    cls->access.count = count_elements;
    cls->access.at = element_at;
    return make_class(context, cls, name, error);
}

enum obv_status obv_derived_groups_class_create(struct obv_context *context,
                                                struct obv_derived_class *cls,
                                                const char *name,
                                                const struct obv_key_kind *keys,
                                                struct obv_error *error)
{
    cls->access.element = (struct obv_property)OBV_ELEMENT(object);
    cls->access.count = count_groups;
    cls->access.find = find_pair;
    cls->access.next = next_pair;
    cls->access.key = keys ? keys : &obv_text_keys;
    return make_class(context, cls, name, error);
}

static enum obv_status
create(struct obv_container *source, const struct obv_derived_kind *kind,
       void *argument, const struct obv_derived_class *cls,
       const struct obv_derived_class *groups, struct obv_derived **made,
       struct obv_error *error)
{
    if (!source || !kind || !cls || !made ||
        (groups != NULL) != (kind->key != NULL && !kind->is_distinct)) {
        return OBV_E_ARGUMENT;
    }
    const struct obv_container_kind *access =
        obv_container_kind_of(obv_object_class(&source->object));
    const struct obv_derived_class *shown = groups ? groups : cls;
    enum obv_kind taken = kind->container ? shown->access.element.kind
                          : access        ? access->element.kind
                                          : OBV_KIND_unreachable;
    bool is_other = kind->map ? kind->container != NULL
                              : shown->access.element.kind != taken;
    *made = NULL;
    if ((taken != OBV_KIND_object && taken != OBV_KIND_string &&
         taken != OBV_KIND_pointer) ||
        is_other || (kind->path_count != 0 && taken != OBV_KIND_object)) {
        return OBV_E_KIND;
    }
    struct obv_derived *derived = new_derived(cls);
    if (!derived) {
        return OBV_E_MEMORY;
    }
    derived->taken = taken;
    derived->groups = groups;
    enum obv_status status =
        obv_derivation_create(source, kind, &cls->binding, argument, derived,
                              &derived->derivation, error);
    if (status == OBV_OK) {
        derived->list = obv_derivation_list(derived->derivation);
        (void)obv_container_init(&derived->container, cls->cls);
        *made = derived;
    } else {
        free_derived(derived);
    }
    return status;
}

enum obv_status obv_derived_create(struct obv_container *source,
                                   const struct obv_derived_kind *kind,
                                   void *argument,
                                   const struct obv_derived_class *cls,
                                   struct obv_derived **array,
                                   struct obv_error *error)
{
    return create(source, kind, argument, cls, NULL, array, error);
}

enum obv_status obv_derived_group(struct obv_container *source,
                                  const struct obv_derived_kind *kind,
                                  void *argument,
                                  const struct obv_derived_class *cls,
                                  const struct obv_derived_class *array_cls,
                                  struct obv_derived **dictionary,
                                  struct obv_error *error)
{
    return create(source, kind, argument, cls, array_cls, dictionary, error);
}

/* Reading ------------------------------------------------------------------ */

size_t obv_derived_count(const struct obv_derived *derived)
{
    obv_container_tell_read(&derived->container);
    return derived->kind->access.count(&derived->container);
}

void *obv_derived_at(const struct obv_derived *array, size_t position)
{
    obv_container_tell_read(&array->container);
    return array->list ? *obv_derived_list_at(array->list, position) : NULL;
}

const void *obv_derived_key(const struct obv_derived *array)
{
    return array->list ? array->list->key : NULL;
}

struct obv_derived *obv_derived_get(const struct obv_derived *dictionary,
                                    const void *key)
{
    obv_container_tell_read(&dictionary->container);
    return obv_derivation_group(dictionary->derivation, key);
}
