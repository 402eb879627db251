/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a derived array knows of the elements of its source; and the objects
 * among them, each of which is observed once.
 */
#include "collections/derived.h"

#include "model/key.h"
#include "platform/exception.h"

#include <stddef.h>

/* Objects ------------------------------------------------------------------ */

static const struct obv_collection_kind kind_of_objects = {.element =
                                                               OBV_KIND_object};
static const struct obv_collection_class class_of_objects = {
    .kind = &kind_of_objects};

enum obv_status obv__derived_hold_object(struct obv_object *object)
{
    void *held;
    return obv__element_take(&class_of_objects, object, &held);
}

void obv__derived_let_go_of_object(struct obv_object *object)
{
    obv__element_let_go(&class_of_objects, object);
}

static struct obv_context *
context_of_derived(const struct obv_derivation *derivation)
{
    return derivation->owner->kind->context;
}

static struct obv__derived_object *
find_object(const struct obv_derivation *derivation,
            const struct obv_object *object)
{
    return (struct obv__derived_object *)(void *)obv__hash_table_find(
        &derivation->objects, (uint64_t)(uintptr_t)object);
}

static void object_changed(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    struct obv_derivation *derivation =
        ((struct obv_collection *)observer)->derivation;
    struct obv__derived_object *object = find_object(derivation, root);
    (void)call;
    if (object && !object->has_changed) {
        object->has_changed = true;
        object->next_changed = NULL;
        *derivation->last_changed = object;
        derivation->last_changed = &object->next_changed;
    }
    obv__derived_follow(derivation);
}

bool obv__derived_hold_observer(void *observer)
{
    return obv__collection_hold(observer);
}

void obv__derived_release_observer(void *observer)
{
    obv__collection_release(observer);
}

static enum obv_status observe_object(struct obv_derivation *derivation,
                                      struct obv__derived_object *object)
{
    static const struct obv_handler_kind kind = {
        .changed = object_changed,
        .retain = obv__derived_hold_observer,
        .release = obv__derived_release_observer,
        .label = "derived array",
        .flags = OBV_OBSERVER_IS_OBJECT};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    for (size_t i = 0; i < derivation->kind->path_count; i++) {
        derivation->pairs[i].root = object->object;
    }
    return obv_observe_pairs(derivation->pairs, derivation->kind->path_count,
                             &kind, derivation->owner, &options,
                             &object->observation, NULL);
}

struct obv__derived_object *
obv__derived_next_changed(struct obv_derivation *derivation)
{
    struct obv__derived_object *first = derivation->changed;
    if (first) {
        first->has_changed = false;
        derivation->changed = first->next_changed;
        if (!derivation->changed) {
            derivation->last_changed = &derivation->changed;
        }
    }
    return first;
}

size_t obv__derived_count_changed(const struct obv_derivation *derivation)
{
    size_t count = 0;
    const struct obv__derived_object *object = derivation->changed;
    for (; object; object = object->next_changed) {
        const struct obv__derived_entry *entry = object->entries;
        for (; entry; entry = entry->next_of_object) {
            count++;
        }
    }
    return count;
}

/* One that is in no table. */
static void end_object(struct obv_derivation *derivation,
                       struct obv__derived_object *object)
{
    obv_stop(object->observation);
    obv_release(object->observation);
    obv__derived_let_go_of_object(object->object);
    obv__context_free(context_of_derived(derivation), object, sizeof *object);
}

void obv__derived_end_unless_needed(struct obv_derivation *derivation,
                                    struct obv__derived_object *object)
{
    if (object->entries || object->has_changed) {
        return;
    }
    obv__hash_table_take(&derivation->objects,
                         &context_of_derived(derivation)->allocator,
                         &object->by_address);
    end_object(derivation, object);
}

void obv__derived_end_objects(struct obv_derivation *derivation)
{
    struct obv_hash_table *table = &derivation->objects;
    struct obv__derived_object *first = NULL;
    struct obv_hash_entry *link = obv__hash_table_next(table, NULL);
    for (; link; link = obv__hash_table_next(table, link)) {
        struct obv__derived_object *object = (void *)link;
        object->next_changed = first;
        first = object;
    }
    obv__hash_table_deinit(table, &context_of_derived(derivation)->allocator);
    while (first) {
        struct obv__derived_object *object = first;
        first = object->next_changed;
        end_object(derivation, object);
    }
}

/* Begins to observe an object; what has been done is ended as any. */
static enum obv_status begin_object(struct obv_derivation *derivation,
                                    struct obv_object *observed,
                                    struct obv__derived_object **begun)
{
    struct obv_context *context = context_of_derived(derivation);
    enum obv_status status = obv__derived_hold_object(observed);
    if (status != OBV_OK) {
        return status;
    }
    struct obv__derived_object *object =
        obv__context_allocate_zeroed(context, sizeof *object);
    if (!object) {
        obv__derived_let_go_of_object(observed);
        return OBV_E_MEMORY;
    }
    object->object = observed;
    obv__hash_table_add(&derivation->objects, &context->allocator,
                        &object->by_address, (uint64_t)(uintptr_t)observed);
    status = observe_object(derivation, object);
    if (status == OBV_OK) {
        *begun = object;
    } else {
        obv__derived_end_unless_needed(derivation, object);
    }
    return status;
}

static enum obv_status find_or_begin_object(struct obv_derivation *derivation,
                                            struct obv__derived_entry *entry,
                                            struct obv_object *observed)
{
    struct obv__derived_object *object = find_object(derivation, observed);
    enum obv_status status =
        object ? OBV_OK : begin_object(derivation, observed, &object);
    if (status == OBV_OK) {
        entry->object = object;
        entry->next_of_object = object->entries;
        object->entries = entry;
    }
    return status;
}

static void leave_object(struct obv_derivation *derivation,
                         struct obv__derived_entry *entry)
{
    struct obv__derived_object *object = entry->object;
    struct obv__derived_entry **place = &object->entries;
    while (*place != entry) {
        place = &(*place)->next_of_object;
    }
    *place = entry->next_of_object;
    obv__derived_end_unless_needed(derivation, object);
}

/* Entries ------------------------------------------------------------------ */

static size_t entry_size(const struct obv_derivation *derivation)
{
    return derivation->kind->key ? sizeof(struct obv__derived_entry)
           : derivation->kind->compare
               ? offsetof(struct obv__derived_entry, group)
               : offsetof(struct obv__derived_entry, rank);
}

enum obv_status obv__derived_enter(struct obv_derivation *derivation,
                                   struct obv__derived_change *change)
{
    struct obv__derived_entry *entry = obv__context_allocate_zeroed(
        context_of_derived(derivation), entry_size(derivation));
    if (!entry) {
        return OBV_E_MEMORY;
    }
    change->entry = entry;
    entry->serial = ++derivation->last_serial;
    return change->input && derivation->kind->path_count != 0
               ? find_or_begin_object(derivation, entry, change->input)
               : OBV_OK;
}

void obv__derived_leave(struct obv_derivation *derivation,
                        struct obv__derived_entry *entry)
{
    if (entry->object) {
        leave_object(derivation, entry);
    }
    if (entry->key) {
        obv__derived_forget_key(derivation, entry->key);
    }
    obv__context_free(context_of_derived(derivation), entry,
                      entry_size(derivation));
}

/* Asking ------------------------------------------------------------------- */

enum obv_status obv__derived_hold(struct obv_derivation *derivation,
                                  struct obv__derived_change *change,
                                  const void *element)
{
    enum obv_status status =
        obv__element_take(derivation->input, element, &change->input);
    change->has_input = status == OBV_OK;
    return status;
}

enum obv_status obv__derived_read(struct obv_derivation *derivation,
                                  struct obv__derived_change *change,
                                  size_t position)
{
    return obv__derived_hold(
        derivation, change,
        change->key ? obv__derived_at_key(derivation, change->key)
                    : obv__derived_source_at(derivation, position));
}

static enum obv_status map_input(struct obv_derivation *derivation,
                                 struct obv__derived_change *change)
{
    const struct obv_derived_kind *kind = derivation->kind;
    enum obv_status status = OBV_OK;
    void *mapped = NULL;
    OBV__NO_EXCEPTION_LEAVES();
    change->is_shown =
        kind->map_pair
            ? kind->map_pair(change->key->key->value, &change->input, &mapped,
                             derivation->argument)
            : kind->map(&change->input, &mapped, derivation->argument);
    if (change->is_shown) {
        status =
            obv__element_take(derivation->output, mapped, &change->element);
        change->has_element = status == OBV_OK;
        if (kind->give_back && mapped) {
            kind->give_back(mapped, derivation->argument);
        }
    }
    return status;
}

static enum obv_status ask_what_is_shown(struct obv_derivation *derivation,
                                         struct obv__derived_change *change)
{
    const struct obv_derived_kind *kind = derivation->kind;
    change->is_shown =
        !kind->includes || kind->includes(&change->input, derivation->argument);
    if (!change->is_shown) {
        return OBV_OK;
    }
    if (obv__derived_maps(derivation)) {
        return map_input(derivation, change);
    }
    change->element = change->input;
    change->has_element = true;
    change->has_input = false;
    return OBV_OK;
}

/* What is in no group is not shown. */
enum obv_status obv__derived_ask(struct obv_derivation *derivation,
                                 struct obv__derived_change *change)
{
    const struct obv_derived_kind *kind = derivation->kind;
    const void *element = change->input; /* which may be given away */
    enum obv_status status = ask_what_is_shown(derivation, change);
    if (status == OBV_OK && change->is_shown && kind->key) {
        const void *key = kind->key(&element, derivation->argument);
        status = key ? obv__derived_find_group(derivation, key, &change->group)
                     : OBV_OK;
        change->is_shown = change->group != NULL;
    }
    return status;
}

void obv__derived_forget(const struct obv_derivation *derivation,
                         struct obv__derived_change *change)
{
    if (change->has_input) {
        obv__element_let_go(derivation->input, change->input);
    }
    if (change->has_element) {
        obv__element_let_go(derivation->output, change->element);
    }
}
