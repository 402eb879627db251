/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign objects: registering.
 *
 * A proxy ends with the last of its references. The registration is one. If its
 * class has `retain`, each reference of the library's is another, and holds the
 * foreign object as well: so if its destructor unregisters it, the proxy ends
 * there and then.
 */
#include "observe/foreign.h"

#include "dispatch/loop.h"
#include "edit/edit.h"
#include "model/node.h"
#include "model/value.h"
#include "platform/exception.h"

/* The last one ends the proxy. */
static void drop_proxy(struct obv__foreign *entry)
{
    /* Acq_rel: the last one sees what the others did. */
    if (obv__fetch_add_acq_rel(&entry->references, (uint64_t)-1) == 1) {
        (void)obv_object_deinit(&entry->object);
        obv__context_free(entry->context, entry, sizeof *entry);
    }
}

/* Classes ----------------------------------------------------------------- */

static bool retain_proxy(struct obv_object *object)
{
    struct obv__foreign *entry = obv__foreign_entry(object);
    uint64_t seen = obv__load_acquire(&entry->references);
    while (seen != 0 &&
           !obv__cas_acq_rel(&entry->references, &seen, seen + 1)) {
    }
    if (seen == 0 || entry->cls->source->retain(entry->address)) {
        return seen != 0;
    }
    drop_proxy(entry);
    return false;
}

/* The foreign object goes last: at the proxy's end its fields are looked at. */
static void release_proxy(struct obv_object *object)
{
    struct obv__foreign *entry = obv__foreign_entry(object);
    void *address = entry->address;
    void (*release)(void *) = entry->cls->source->release;
    drop_proxy(entry);
    release(address);
}

static void tell_proxy(struct obv_object *object, uint32_t property,
                       bool is_observed)
{
    const struct obv__foreign *entry = obv__foreign_entry(object);
    OBV__NO_EXCEPTION_LEAVES();
    entry->cls->source->observed_changed(entry->address, property, is_observed);
}

static size_t class_size(size_t property_count)
{
    return sizeof(struct obv__foreign_class) +
           property_count * sizeof(struct obv_property);
}

static enum obv_status check_foreign(const struct obv_foreign_table *table,
                                     struct obv_error *error)
{
    const uint32_t known =
        OBV_ANY_THREAD | OBV_ALWAYS_DIFFERENT | OBV_FOREIGN | OBV_UNSIGNED;
    const struct obv_property *line = table->properties;
    for (size_t i = 0; i < table->property_count; i++, line++) {
        const char *wrong =
            line->kind == OBV_KIND_custom || (line->flags & ~known)
                ? "a foreign property is custom, or has a flag that is not for "
                  "it"
            : table->read && line->size > sizeof(uint64_t)
                ? "a property that the program reads has more than 8 bytes"
                : NULL;
        if (wrong) {
            return obv__bad_layout(error, table->name, line, i, wrong);
        }
    }
    return (table->retain == NULL) != (table->release == NULL)
               ? obv__bad_layout(error, table->name, NULL, 0,
                                 "retain and release come together")
               : OBV_OK;
}

static struct obv__foreign_class *
allocate_foreign_class(struct obv_context *context,
                       const struct obv_foreign_table *source)
{
    struct obv__foreign_class *made =
        obv__context_allocate(context, class_size(source->property_count));
    if (!made) {
        return NULL;
    }
    size_t end = sizeof(struct obv_object);
    for (size_t i = 0; i < source->property_count; i++) {
        struct obv_property *line = &made->lines[i];
        *line = source->properties[i];
        line->flags |= OBV__AFAR;
        if (line->kind == OBV_KIND_object) {
            /* Nothing here holds it: it is compared and handed over by
               address. */
            line->kind = OBV_KIND_pointer;
            line->flags |= OBV__AFAR_OBJECT | OBV_FOREIGN;
        }
        if (source->read) {
            /* A property that the program reads lies nowhere. */
            line->offset = (uint32_t)(i * sizeof(uint64_t));
        }
        size_t line_end = (size_t)line->offset + line->size;
        end = line_end > end ? line_end : end;
    }
    made->source = source;
    made->table = (struct obv_class_table){
        .size = sizeof made->table,
        .name = source->name,
        .instance_size = end,
        .properties = made->lines,
        .property_count = source->property_count,
        .retain = source->retain ? retain_proxy : NULL,
        .release = source->retain ? release_proxy : NULL,
        .observed_changed = source->observed_changed ? tell_proxy : NULL};
    return made;
}

enum obv_status obv_foreign_class_create(struct obv_context *context,
                                         const struct obv_foreign_table *table,
                                         struct obv_class **cls,
                                         struct obv_error *error)
{
    context = obv__context_or_default(context);
    if (!context) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    if (!table || !cls || table->size != sizeof *table || !table->name ||
        (table->property_count != 0 && !table->properties)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "the table is null or incomplete");
    }
    enum obv_status status = check_foreign(table, error);
    if (status != OBV_OK) {
        return status;
    }
    struct obv__foreign_class *made = allocate_foreign_class(context, table);
    status = made ? obv__class_make(context, &made->table, true, cls, error)
                  : obv__fail_as(error, OBV_E_MEMORY);
    if (status != OBV_OK) {
        obv__context_free(context, made, class_size(table->property_count));
        return status;
    }
    /* Before its first object. */
    (*cls)->runs_code = (*cls)->runs_code || table->read;
    (*cls)->field = obv__foreign_field;
    obv__context_own(context, &made->owned, made,
                     class_size(table->property_count));
    return OBV_OK;
}

/* Registering ------------------------------------------------------------- */

enum obv_status obv_foreign_register(struct obv_class *cls, void *address,
                                     struct obv_object **proxy,
                                     struct obv_error *error)
{
    if (!cls || !address || !proxy || !cls->is_foreign) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "class, address or result is null, or the class is "
                         "not one of foreign objects");
    }
    struct obv_context *context = cls->context;
    struct obv__foreign *made =
        obv__context_allocate_zeroed(context, sizeof *made);
    if (!made) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    made->context = context;
    made->cls = (const struct obv__foreign_class *)(const void *)cls->table;
    made->address = address;
    made->references = 1;
    obv_object_init(&made->object, cls);
    obv__lock_enter(&context->lists);
    bool is_free = !obv__entry_find_locked(context, address);
    if (is_free) {
        obv__hash_table_add(&context->foreign, &context->allocator,
                            &made->entry, (uintptr_t)address);
    }
    obv__lock_leave(&context->lists);
    if (!is_free) {
        obv__context_free(context, made, sizeof *made);
        return obv__fail(error, OBV_E_IN_USE,
                         "an object is registered at this address");
    }
    *proxy = &made->object;
    return OBV_OK;
}

enum obv_status obv_foreign_unregister(struct obv_object *proxy)
{
    const struct obv_class *cls = obv__class_or_null(proxy);
    if (!cls || !cls->is_foreign) {
        return OBV_E_ARGUMENT;
    }
    struct obv__foreign *entry = obv__foreign_entry(proxy);
    struct obv_context *context = entry->context;
    obv__lock_enter(&context->lists);
    bool is_listed = obv__entry_find_locked(context, entry->address) == entry;
    if (is_listed) {
        obv__hash_table_take(&context->foreign, &context->allocator,
                             &entry->entry);
    }
    obv__lock_leave(&context->lists);
    if (!is_listed) {
        return OBV_E_ENDED;
    }
    drop_proxy(entry);
    return OBV_OK;
}

void obv__foreign_end(struct obv_context *context)
{
    struct obv_hash_table *all = &context->foreign;
    struct obv_hash_entry *at;
    while ((at = obv__hash_table_next(all, NULL)) != NULL) {
        obv__hash_table_take(all, &context->allocator, at);
        drop_proxy(obv__proxy_of_entry(at));
    }
    obv__hash_table_deinit(all, &context->allocator);
}

/* Finding ----------------------------------------------------------------- */

struct obv_object *obv_foreign_find(struct obv_context *context,
                                    const void *address)
{
    context = obv__context_or_default(context);
    if (!context || !address) {
        return NULL;
    }
    obv__lock_enter(&context->lists);
    struct obv__foreign *entry = obv__entry_find_locked(context, address);
    obv__lock_leave(&context->lists);
    return entry ? &entry->object : NULL;
}

void *obv_foreign_address(const struct obv_object *proxy)
{
    const struct obv_class *cls = obv__class_or_null(proxy);
    return cls && cls->is_foreign ? obv__foreign_entry(proxy)->address : NULL;
}

/* Triggers ---------------------------------------------------------------- */

enum obv_status obv_foreign_trigger_all(struct obv_object *proxy)
{
    const struct obv_class *cls = obv__class_or_null(proxy);
    if (!cls || !cls->is_foreign) {
        return OBV_E_ARGUMENT;
    }
    /* A handler may end it, and with it its memory. */
    struct obv_context *context = cls->context;
    const void *address = obv_foreign_address(proxy);
    size_t count = cls->property_count;
    for (uint32_t i = 0;
         i < count && obv_foreign_find(context, address) == proxy; i++) {
        (void)obv_trigger(proxy, i, NULL, NULL);
    }
    return OBV_OK;
}
