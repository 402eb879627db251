/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of collections, references, elements.
 */
#include "collection.h"

#include "model/owned.h"

#include <stddef.h>
#include <string.h>

/* Classes ------------------------------------------------------------------ */

static bool is_good_kind(const struct obv_collection_kind *kind)
{
    return kind && kind->size == sizeof *kind &&
           (kind->element == OBV_KIND_object ||
            kind->element == OBV_KIND_string ||
            kind->element == OBV_KIND_pointer) &&
           !kind->retain == !kind->release &&
           (!kind->retain || kind->element == OBV_KIND_pointer);
}

enum obv_status
obv__collection_class_make(enum obv_collection_type type,
                           struct obv_context *context,
                           const struct obv_collection_kind *kind,
                           const struct obv_container_kind *access,
                           struct obv_class **cls, struct obv_error *error)
{
    context = obv__context_or_default(context);
    if (!is_good_kind(kind) || !cls) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "an argument or a field of the kind is null or wrong");
    }
    struct obv_collection_class *made =
        context ? obv__context_allocate_zeroed(context, sizeof *made) : NULL;
    if (!made) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    made->container = *access;
    made->container.size = sizeof made->container;
    made->container.name = kind->name;
    made->container.element.name = "element";
    made->container.element.kind = kind->element;
    made->container.element.type = kind->type;
    made->container.element.equal = kind->equal;
    made->container.retain = obv__collection_hold;
    made->container.release = obv__collection_release;
    made->kind = kind;
    made->keeps_as_is = kind->element == OBV_KIND_pointer && !kind->retain;
    made->context = context;
    made->type = type;
    enum obv_status status =
        obv_container_class_create(context, &made->container, cls, error);
    if (status != OBV_OK) {
        obv__context_free(context, made, sizeof *made);
        return status;
    }
    made->cls = *cls;
    obv__context_own(context, &made->owned, made, sizeof *made);
    return OBV_OK;
}

/* Collections -------------------------------------------------------------- */

/* Of pointers to structs, which are all represented alike. */
static void give_collection(struct obv_collection *made, void *receiver)
{
    memcpy(receiver, &made, sizeof made);
}

/* NULL: no memory. */
static struct obv_collection *
make_collection(const struct obv_collection_class *kind)
{
    struct obv_collection *made = obv__context_allocate_zeroed(
        kind->context, kind->container.instance_size);
    if (made) {
        made->kind = kind;
        made->references = 1;
        (void)obv_container_init(&made->container, kind->cls);
    }
    return made;
}

enum obv_status obv_collection_create(enum obv_collection_type type,
                                      struct obv_class *cls, void *collection,
                                      struct obv_error *error)
{
    const struct obv_container_kind *container = obv_container_kind_of(cls);
    const struct obv_collection_class *kind =
        container && container->retain == obv__collection_hold
            ? (const struct obv_collection_class *)(const void *)container
            : NULL;
    if (!kind || kind->type != type || !collection) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "an argument is null, or the class is of others");
    }
    struct obv_collection *made = make_collection(kind);
    if (made) {
        give_collection(made, collection);
    }
    return obv__fail_as(error, made ? OBV_OK : OBV_E_MEMORY);
}

enum obv_status obv_collection_copy(const struct obv_collection *from,
                                    void *copy, struct obv_error *error)
{
    if (!from || !copy) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    struct obv_collection *made = make_collection(from->kind);
    enum obv_status status = !made ? OBV_E_MEMORY
                             : from->kind->type == OBV_COLLECTION_ARRAY
                                 ? obv__array_fill(from, made)
                                 : obv__keyed_fill(from, made);
    if (status == OBV_OK) {
        give_collection(made, copy);
    } else {
        obv_collection_release(made);
    }
    return obv__fail_as(error, status);
}

void obv_collection_retain(struct obv_collection *collection)
{
    if (collection) {
        (void)obv__collection_hold(&collection->container.object);
    }
}

void obv_collection_release(struct obv_collection *collection)
{
    if (collection) {
        obv__collection_release(&collection->container.object);
    }
}

bool obv__collection_hold(struct obv_object *object)
{
    struct obv_collection *collection = (struct obv_collection *)(void *)object;
    /* Relaxed: whoever tries holds the address by other means, and takes no data
       from the count; the exchange orders more than it would have to. */
    size_t seen = obv__load_relaxed(&collection->references);
    while (seen > 0) { /* repeats only if another thread has moved the count */
        if (obv__cas_acq_rel(&collection->references, &seen, seen + 1)) {
            return true;
        }
    }
    return false;
}

void obv__collection_release(struct obv_object *object)
{
    struct obv_collection *collection = (struct obv_collection *)(void *)object;
    /* Release orders what this owner did before the end, acquire shows it to
       the one that ends; they pair with each other. Without them the last owner
       could free what is still written. */
    if (obv__fetch_add_acq_rel(&collection->references, (size_t)-1) != 1) {
        return;
    }
    const struct obv_collection_class *kind = collection->kind;
    (void)obv_object_deinit(object);
    if (kind->type == OBV_COLLECTION_ARRAY) {
        obv__array_let_go(collection);
    } else {
        obv__keyed_let_go(collection);
    }
    obv__context_free(kind->context, collection, kind->container.instance_size);
}

void *obv__collection_memory(const struct obv_collection *collection,
                             size_t count, size_t size)
{
    return count <= PTRDIFF_MAX / size
               ? obv__context_allocate(collection->kind->context, count * size)
               : NULL;
}

void obv__collection_free(const struct obv_collection_class *cls, void *block,
                          size_t size)
{
    obv__context_free(cls->context, block, size);
}

const struct obv_allocator *
obv__collection_allocator(const struct obv_collection *collection)
{
    return &collection->kind->context->allocator;
}

/* Elements ----------------------------------------------------------------- */

static enum obv_status hold_element(struct obv_object *object)
{
    const struct obv_class *cls = obv__class_or_null(object);
    if (!cls) {
        return OBV_E_ARGUMENT;
    }
    bool is_there =
        cls->retain ? cls->retain(object) : !obv__object_has_ended(object);
    return is_there ? OBV_OK : OBV_E_ENDED;
}

enum obv_status obv__element_take(const struct obv_collection_class *cls,
                                  const void *element, void **taken)
{
    const struct obv_collection_kind *kind = cls->kind;
    enum obv_status status = OBV_OK;
    *taken = (void *)(uintptr_t)element;
    if (!element) {
        return OBV_OK;
    }
    if (kind->element == OBV_KIND_object) {
        return hold_element(*taken);
    }
    if (kind->element == OBV_KIND_string) {
        const char *copy = NULL;
        status = obv_string_copy(cls->cls, element, &copy);
        *taken = (void *)(uintptr_t)copy;
        return status;
    }
    return !kind->retain || kind->retain(*taken) ? OBV_OK : OBV_E_ENDED;
}

void obv__element_let_go(const struct obv_collection_class *cls, void *element)
{
    const struct obv_collection_kind *kind = cls->kind;
    if (!element) {
        return;
    }
    if (kind->element == OBV_KIND_string) {
        obv_string_free(cls->cls, element);
    } else if (kind->element == OBV_KIND_pointer) {
        if (kind->release) {
            kind->release(element);
        }
    } else {
        obv__object_release(element);
    }
}
