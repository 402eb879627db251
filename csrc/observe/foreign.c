/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign objects: registering, and the calls for a registration.
 *
 * A proxy of a class with `retain` ends with the last of its lives: the
 * registration is one, each reference of the library's another, and these hold
 * the foreign object as well. So where its destructor unregisters it, it ends
 * there and then. Without `retain` the registration is its only life.
 */
#include "observe/foreign.h"

#include "dispatch/loop.h"
#include "edit/trigger.h"
#include "model/node.h"
#include "model/value.h"

#include <string.h>

/* A life less; the last one ends the proxy. */
static void live_no_more(struct obv__foreign *entry)
{
    /* Acq_rel: the last one sees what the others did. */
    if (obv__fetch_add_acq_rel(&entry->lives, (uint64_t)-1) == 1) {
        obv__foreign_deinit(&entry->object);
        obv__foreign_leave(entry);
    }
}

/* A life more, unless the last has gone. */
static bool live_on(struct obv__foreign *entry)
{
    uint64_t lives = obv__load_acquire(&entry->lives);
    while (lives != 0 && !obv__cas_acq_rel(&entry->lives, &lives, lives + 1)) {
    }
    return lives != 0;
}

/* Classes ----------------------------------------------------------------- */

static bool retain_proxy(struct obv_object *object)
{
    struct obv__foreign *entry = obv__foreign_entry(object);
    if (!live_on(entry)) {
        return false;
    }
    if (entry->cls->source->retain(entry->address)) {
        return true;
    }
    live_no_more(entry);
    return false;
}

/* The foreign object goes last: with the last life its fields are looked at. */
static void release_proxy(struct obv_object *object)
{
    struct obv__foreign *entry = obv__foreign_entry(object);
    void *address = entry->address;
    void (*release)(void *) = entry->cls->source->release;
    live_no_more(entry);
    release(address);
}

static void tell_proxy(struct obv_object *object, uint32_t property,
                       bool is_observed)
{
    const struct obv__foreign *entry = obv__foreign_entry(object);
    entry->cls->source->observed_changed(entry->address, property, is_observed);
}

static size_t class_size(size_t property_count)
{
    return sizeof(struct obv__foreign_class) +
           property_count * sizeof(struct obv_property);
}

/* Makes a line what the core is to read. */
static void turn_line(struct obv_property *line)
{
    line->flags |= OBV__AFAR;
    if (line->kind == OBV_KIND_object) {
        /* Nothing here holds it: it is compared and handed over by address. */
        line->kind = OBV_KIND_pointer;
        line->flags |= OBV__AFAR_OBJECT | OBV_FOREIGN;
    }
}

static const char *wrong_with_line(const struct obv_foreign_table *table,
                                   const struct obv_property *line)
{
    const uint32_t known =
        OBV_ANY_THREAD | OBV_ALWAYS_DIFFERENT | OBV_FOREIGN | OBV_UNSIGNED;
    if (line->kind == OBV_KIND_custom || (line->flags & ~known)) {
        return "a foreign property is custom, or has a flag that is not for it";
    }
    if (table->read && line->size > sizeof(uint64_t)) {
        return "a property that the program reads has more than 8 bytes";
    }
    return NULL;
}

static enum obv_status check_foreign(const struct obv_foreign_table *table,
                                     struct obv_error *error)
{
    const struct obv_property *line = table->properties;
    for (size_t i = 0; i < table->property_count; i++, line++) {
        const char *wrong = wrong_with_line(table, line);
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
        turn_line(line);
        if (source->read) {
            /* A property that the program reads lies nowhere. */
            line->offset = (uint32_t)(i * sizeof(uint64_t));
        }
        size_t line_end = (size_t)line->offset + line->size;
        end = line_end > end ? line_end : end;
    }
    made->next = NULL;
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
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
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
    status =
        made ? obv__class_make(context, &made->table, true, cls, error)
             : obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    if (status != OBV_OK) {
        obv__context_free(context, made, class_size(table->property_count));
        return status;
    }
    /* Before its first object. */
    (*cls)->runs_code = (*cls)->runs_code || table->read;
    (*cls)->field = obv__foreign_field;
    obv__lock_enter(&context->lists);
    made->next = context->foreign.classes;
    context->foreign.classes = made;
    obv__lock_leave(&context->lists);
    return OBV_OK;
}

void obv__foreign_classes_free(struct obv_context *context)
{
    while (context->foreign.classes) {
        struct obv__foreign_class *first = context->foreign.classes;
        context->foreign.classes = first->next;
        obv__context_free(context, first,
                          class_size(first->table.property_count));
    }
}

/* Registering ------------------------------------------------------------- */

static struct obv_foreign registration_of(const struct obv__foreign *proxy)
{
    return (struct obv_foreign){proxy->context, proxy->address,
                                proxy->generation};
}

/* Enters a proxy; false: there is one already. */
static bool enter_proxy(struct obv__foreigners *all, struct obv__foreign *proxy)
{
    obv__lock_enter(&all->lock);
    bool good = !obv__entry_find_locked(all, proxy->address);
    if (good) {
        proxy->generation = ++all->generation;
        obv__entry_insert_locked(all, proxy);
    }
    obv__lock_leave(&all->lock);
    return good;
}

enum obv_status obv_foreign_register(struct obv_class *cls, void *address,
                                     struct obv_foreign *foreign,
                                     struct obv_error *error)
{
    if (foreign) {
        memset(foreign, 0, sizeof *foreign);
    }
    if (!cls || !address || !foreign || !cls->is_foreign) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "class, address or result is null, or the class is "
                         "not one of foreign objects");
    }
    struct obv__foreign *proxy = obv__entry_make(cls, address);
    if (!proxy) {
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    }
    proxy->cls = (const struct obv__foreign_class *)(const void *)cls->table;
    if (!enter_proxy(&cls->context->foreign, proxy)) {
        obv__entry_free(proxy);
        return obv__fail(error, OBV_E_IN_USE,
                         "an object is registered at this address");
    }
    *foreign = registration_of(proxy);
    return OBV_OK;
}

/* The listed proxy of a registration, or NULL. */
static struct obv__foreign *listed_locked(struct obv__foreigners *all,
                                          struct obv_foreign foreign)
{
    struct obv__foreign *entry = obv__entry_find_locked(all, foreign.address);
    return entry && entry->generation == foreign.generation ? entry : NULL;
}

void obv__foreign_end(struct obv_context *context)
{
    struct obv__foreign *entry;
    while ((entry = context->foreign.first) != NULL) {
        obv__entry_remove_locked(&context->foreign, entry);
        live_no_more(entry);
    }
}

/* Registrations ----------------------------------------------------------- */

struct obv_foreign obv_foreign_find(struct obv_context *context,
                                    const void *address)
{
    struct obv_foreign foreign = {NULL, NULL, 0};
    context = obv__context_or_default(context);
    if (!context || !address) {
        return foreign;
    }
    obv__lock_enter(&context->foreign.lock);
    const struct obv__foreign *entry =
        obv__entry_find_locked(&context->foreign, address);
    if (entry) {
        foreign = registration_of(entry);
    }
    obv__lock_leave(&context->foreign.lock);
    return foreign;
}

struct obv_object *obv_foreign_hold(struct obv_foreign foreign)
{
    if (!foreign.context) {
        return NULL;
    }
    struct obv__foreigners *all = &foreign.context->foreign;
    obv__lock_enter(&all->lock);
    struct obv__foreign *entry = listed_locked(all, foreign);
    if (entry) {
        entry->holds++;
    }
    obv__lock_leave(&all->lock);
    return entry ? &entry->object : NULL;
}

void obv_foreign_let_go(struct obv_object *proxy)
{
    if (proxy && obv__word(proxy) != 0) {
        obv__foreign_leave(obv__foreign_entry(proxy));
    }
}

bool obv_foreign_is_registered(struct obv_foreign foreign)
{
    struct obv_object *proxy = obv_foreign_hold(foreign);
    obv_foreign_let_go(proxy);
    return proxy != NULL;
}

struct obv_foreign obv_foreign_of(const struct obv_object *proxy)
{
    const struct obv_class *cls = obv__class_or_null(proxy);
    if (!cls || !cls->is_foreign) {
        return (struct obv_foreign){NULL, NULL, 0};
    }
    return registration_of(obv__foreign_entry(proxy));
}

void *obv_foreign_address(const struct obv_object *proxy)
{
    return obv_foreign_of(proxy).address;
}

/* Calls for a registration ------------------------------------------------ */

/* A call for the proxy of a registration, which it keeps from its end by other
   threads; its memory in any case. The program keeps the object itself. */
struct foreign_call {
    struct foreign_call *outer; /* of the thread */
    struct obv__foreign *entry;
    bool has_life;
};

/* The proxy, or NULL: the registration has ended. */
static struct obv_object *enter(struct foreign_call *call,
                                struct obv_foreign foreign)
{
    if (!foreign.context) {
        return NULL;
    }
    struct obv__foreigners *all = &foreign.context->foreign;
    obv__lock_enter(&all->lock);
    struct obv__foreign *entry = listed_locked(all, foreign);
    /* The registration's own life is given back after it is taken out. */
    bool alive = entry && live_on(entry);
    if (alive) {
        entry->holds++;
    }
    obv__lock_leave(&all->lock);
    if (!alive) {
        return NULL;
    }
    void **innermost = &obv__thread_self()->slots[OBV__THREAD_FOREIGN];
    *call = (struct foreign_call){*innermost, entry, true};
    *innermost = call;
    return &entry->object;
}

static void leave(const struct foreign_call *call)
{
    obv__thread_self()->slots[OBV__THREAD_FOREIGN] = call->outer;
    if (call->has_life) {
        live_no_more(call->entry);
    }
    obv__foreign_leave(call->entry);
}

/* A handler of such a call ends the registration: the proxy ends there and then,
   as the object's memory may go. */
static void let_own_calls_go(struct obv__foreign *entry)
{
    struct foreign_call *call = obv__thread_self()->slots[OBV__THREAD_FOREIGN];
    for (; call; call = call->outer) {
        if (call->entry == entry && call->has_life) {
            call->has_life = false;
            live_no_more(entry);
        }
    }
}

enum obv_status obv_foreign_unregister(struct obv_foreign foreign)
{
    if (!foreign.context) {
        return OBV_E_ENDED;
    }
    struct obv__foreigners *all = &foreign.context->foreign;
    obv__lock_enter(&all->lock);
    struct obv__foreign *entry = listed_locked(all, foreign);
    if (entry) {
        obv__entry_remove_locked(all, entry);
    }
    obv__lock_leave(&all->lock);
    if (!entry) {
        return OBV_E_ENDED;
    }
    (void)obv__wait_for_hazards(&entry->object);
    let_own_calls_go(entry);
    live_no_more(entry);
    return OBV_OK;
}

enum obv_status
obv_foreign_observe(struct obv_foreign foreign, const char *path,
                    const struct obv_handler_kind *kind, void *observer,
                    struct obv_observation **handle, struct obv_error *error)
{
    struct foreign_call call;
    struct obv_object *proxy = enter(&call, foreign);
    if (!proxy) {
        return obv__fail(error, OBV_E_ENDED, "the registration has ended");
    }
    enum obv_status status =
        obv_observe(proxy, path, kind, observer, handle, error);
    leave(&call);
    return status;
}

/* Triggers ---------------------------------------------------------------- */

static enum obv_status trigger_held(struct obv_object *proxy, uint32_t property,
                                    const void *old, const void *value)
{
    if (obv__object_has_ended(proxy)) {
        return OBV_E_ENDED;
    }
    if (property >= obv__class_of(proxy)->property_count) {
        return OBV_E_UNKNOWN;
    }
    obv__trigger(proxy, property, old, value);
    return OBV_OK;
}

enum obv_status obv_foreign_trigger(struct obv_foreign foreign,
                                    uint32_t property, const void *old,
                                    const void *value)
{
    struct foreign_call call;
    struct obv_object *proxy = enter(&call, foreign);
    if (!proxy) {
        return OBV_E_ENDED;
    }
    enum obv_status status = trigger_held(proxy, property, old, value);
    leave(&call);
    return status;
}

enum obv_status obv_foreign_trigger_named(struct obv_foreign foreign,
                                          const char *property, const void *old,
                                          const void *value)
{
    struct foreign_call call;
    struct obv_object *proxy = enter(&call, foreign);
    uint32_t index;
    if (!proxy) {
        return OBV_E_ENDED;
    }
    enum obv_status status =
        property ? obv_class_property(obv__class_of(proxy), property, &index)
                 : OBV_E_ARGUMENT;
    if (status == OBV_OK) {
        status = trigger_held(proxy, index, old, value);
    }
    leave(&call);
    return status;
}

enum obv_status obv_foreign_trigger_all(struct obv_foreign foreign)
{
    uint32_t index = 0;
    enum obv_status status;
    do {
        status = obv_foreign_trigger(foreign, index++, NULL, NULL);
    } while (status == OBV_OK);
    /* A registration that has ended meanwhile was told of as far as it could
       be. */
    return index > 1 || status == OBV_E_UNKNOWN ? OBV_OK : status;
}
