/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An edit list has two owners: the program, until it gives the list back, on
 * whatever thread; and the container, until it ends, or meets with an edit a list
 * that the program has given back. The last one frees it.
 */
#include "edit/edit_list.h"

#include "edit/key_edits.h"
#include "edit/pieces.h"
#include "edit/told_edits.h"
#include "model/copy.h"
#include "wiring/place.h"

struct obv_edit_list {
    uint32_t references; /* any thread */
    /* By the container's owner. */
    bool has_ended;         /* the container has, with what stood in it */
    enum obv_status broken; /* why nobody knows what has happened, or OBV_OK */
    struct obv_container *container;       /* NULL: none */
    struct obv_edit_list *next;            /* of the container */
    struct obv_class *cls;                 /* constant */
    struct obv_context *context;           /* constant */
    const struct obv_container_kind *kind; /* constant */
    /* One of the two. */
    struct obv__pieces pieces;
    struct obv__key_edits keys;
};

static bool has_positions(const struct obv_edit_list *list)
{
    return list->kind->at != NULL;
}

/* Ends --------------------------------------------------------------------- */

static void free_list(struct obv_edit_list *list)
{
    struct obv_context *context = list->context;
    if (has_positions(list)) {
        obv__pieces_deinit(context, &list->pieces);
    } else {
        obv__key_edits_begin(context, &list->keys);
    }
    obv__context_free(context, list, sizeof *list);
}

void obv_edit_list_release(struct obv_edit_list *list)
{
    /* Acquire and release: who frees it sees what the other has written. */
    if (list && obv__fetch_add_acq_rel(&list->references, (uint32_t)-1) == 1) {
        free_list(list);
    }
}

void obv__edit_lists_free(struct obv_edit_list *first)
{
    while (first) {
        struct obv_edit_list *next = first->next;
        obv_edit_list_release(first);
        first = next;
    }
}

struct obv_edit_list *obv__edit_lists_end(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    struct obv_edit_list *first = elements ? elements->edit_lists : NULL;
    for (struct obv_edit_list *at = first; at; at = at->next) {
        at->container = NULL;
        at->has_ended = true;
    }
    if (elements) {
        elements->edit_lists = NULL;
    }
    return first;
}

/* Those of a container that the program has given back. */
static struct obv_edit_list *take_given_back(struct obv__elements *elements)
{
    struct obv_edit_list **place = elements ? &elements->edit_lists : NULL;
    struct obv_edit_list *given_back = NULL;
    while (place && *place) {
        struct obv_edit_list *list = *place;
        /* Acquire, pairs with the release: we shall be the last. */
        if (obv__load_acquire(&list->references) == 1) {
            *place = list->next;
            list->next = given_back;
            given_back = list;
        } else {
            place = &list->next;
        }
    }
    return given_back;
}

/* Recording ---------------------------------------------------------------- */

static void record_in(struct obv_edit_list *list,
                      const struct obv__container_edits *edits)
{
    if (list->broken == OBV_OK) {
        bool good = has_positions(list)
                        ? obv__pieces_record(&list->pieces, edits)
                        : obv__key_edits_record(&list->keys, edits);
        list->broken = good ? OBV_OK : OBV_E_MEMORY;
    }
}

struct obv_edit_list *
obv__edit_lists_record(const struct obv__container_edits *edits)
{
    struct obv__elements *elements = obv__elements_of(edits->container);
    struct obv_edit_list *given_back = take_given_back(elements);
    struct obv_edit_list *list = elements ? elements->edit_lists : NULL;
    for (; list; list = list->next) {
        record_in(list, edits);
    }
    return given_back;
}

/* Creation ----------------------------------------------------------------- */

/* A list of no container yet. */
static struct obv_edit_list *make_list(struct obv_class *cls)
{
    struct obv_edit_list *list =
        obv__context_allocate_zeroed(cls->context, sizeof *list);
    if (!list) {
        return NULL;
    }
    list->references = 1;
    list->cls = cls;
    list->context = cls->context;
    list->kind = cls->container->kind;
    if (!has_positions(list)) {
        obv__key_edits_init(&list->keys);
    } else if (!obv__pieces_init(list->context, &list->pieces)) {
        obv__context_free(list->context, list, sizeof *list);
        list = NULL;
    }
    return list;
}

static struct obv__elements *ensure_elements(struct obv_container *container)
{
    struct obv__lock *lock = &obv__container_context(container)->paths;
    obv__lock_enter(lock);
    struct obv__elements *elements = obv__elements_ensure(container);
    obv__lock_leave(lock);
    return elements;
}

/* From the content that the container has now. */
static void begin_anew(struct obv_edit_list *list)
{
    list->broken = OBV_OK;
    if (has_positions(list)) {
        obv__pieces_begin(list->context, &list->pieces,
                          list->container ? list->container->count : 0);
    } else {
        obv__key_edits_begin(list->context, &list->keys);
    }
}

/* Whether a list can be of such containers: they are edited. */
static enum obv_status check_class(const struct obv_class *cls,
                                   struct obv_error *error)
{
    return cls->container && !cls->is_cell && !obv__class_is_constant(cls)
               ? OBV_OK
               : obv__fail(error, OBV_E_ARGUMENT,
                           "this is no container that is edited");
}

/* What was told is not what is there. */
static enum obv_status check_told(const struct obv_container *container,
                                  struct obv_error *error)
{
    return obv__container_kind(container)->count(container) == container->count
               ? OBV_OK
               : obv__fail(error, OBV_E_ARGUMENT,
                           "an edit of the container has not been told");
}

/* And whether this one is of a class, if one is asked for. */
static enum obv_status check_container(struct obv_container *container,
                                       const struct obv_class *cls,
                                       struct obv_error *error)
{
    enum obv_status status = obv__check_object(&container->object, error);
    if (status == OBV_OK) {
        status = check_class(obv__class_of(&container->object), error);
    }
    if (status == OBV_OK && cls && obv__class_of(&container->object) != cls) {
        status = obv__fail(error, OBV_E_KIND, "it is of another class");
    }
    return status == OBV_OK ? check_told(container, error) : status;
}

static void enter_list(struct obv_edit_list *list,
                       struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    struct obv_edit_list *given_back = take_given_back(elements);
    /* Relaxed: the program has a reference as well. */
    (void)obv__fetch_add_relaxed(&list->references, 1);
    list->container = container;
    list->next = elements->edit_lists;
    elements->edit_lists = list;
    obv__edit_lists_free(given_back);
}

enum obv_status obv_edit_list_create(struct obv_class *cls,
                                     struct obv_container *container,
                                     struct obv_edit_list **list,
                                     struct obv_error *error)
{
    if (!list || (!cls && !container)) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    enum obv_status status = cls ? check_class(cls, error) : OBV_OK;
    if (status == OBV_OK && container) {
        status = check_container(container, cls, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    if (container) {
        cls = obv__class_of(&container->object);
    }
    struct obv_edit_list *made =
        !container || ensure_elements(container) ? make_list(cls) : NULL;
    if (!made) {
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    }
    if (container) {
        enter_list(made, container);
    }
    begin_anew(made);
    *list = made;
    return OBV_OK;
}

/* Another container -------------------------------------------------------- */

/* As if its elements went one by one, or came: by edits of it. */
static void record_each(struct obv_edit_list *list,
                        struct obv_container *container, bool goes)
{
    struct obv_container_edit edit = {.removed = goes, .inserted = !goes};
    struct obv_container_cursor cursor = {.index = 0};
    const struct obv__container_edits edits = {
        .container = container,
        .kind = list->kind,
        .element = &obv__class_of(&container->object)->container->element,
        .edits = &edit,
        .count = 1};
    while (obv__elements_kind(&container->object)->next(container, &cursor)) {
        edit.old = goes ? cursor.element : NULL;
        edit.key = list->kind->hash ? cursor.element : cursor.key;
        record_in(list, &edits);
    }
}

static void leave_container(struct obv_edit_list *list)
{
    struct obv_container *container = list->container;
    if (list->has_ended) {
        list->has_ended = false;
        list->broken = OBV_E_ENDED;
    }
    if (container) {
        struct obv_edit_list **place = &obv__elements_of(container)->edit_lists;
        while (*place != list) {
            place = &(*place)->next;
        }
        *place = list->next;
        list->container = NULL;
        record_each(list, container, true);
        obv_edit_list_release(list); /* not the last: the program's */
    }
}

enum obv_status obv_edit_list_turn_to(struct obv_edit_list *list,
                                      struct obv_container *container,
                                      struct obv_error *error)
{
    if (!list) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    enum obv_status status =
        container ? check_container(container, list->cls, error) : OBV_OK;
    if (status == OBV_OK && list->container) {
        status = check_told(list->container, error);
    }
    if (status != OBV_OK ||
        (container == list->container && !list->has_ended)) {
        return status;
    }
    if (container && !ensure_elements(container)) {
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    }
    leave_container(list);
    if (container) {
        record_each(list, container, false);
        enter_list(list, container);
    }
    return OBV_OK;
}

/* Looking ------------------------------------------------------------------ */

void obv_edits_deinit(struct obv_edits *edits)
{
    struct obv__told_edits *told = edits ? edits->reserved : NULL;
    if (told) {
        *edits = (struct obv_edits){.reserved = NULL};
        for (size_t i = 0; i < told->value_count; i++) {
            obv__value_drop(told->context, &told->values[i]);
        }
        obv__recorded_keys_free(told->context, told->keys);
        obv__context_free(told->context, told, told->size);
    }
}

static bool tell_list(struct obv_edit_list *list, struct obv_edits *edits)
{
    return has_positions(list)
               ? obv__pieces_tell(list->context, &list->pieces, edits)
               : obv__key_edits_tell(list->context, &list->keys, edits);
}

enum obv_status obv_edit_list_take(struct obv_edit_list *list,
                                   struct obv_edits *edits,
                                   struct obv_error *error)
{
    if (edits) {
        *edits = (struct obv_edits){.splice_count = 0};
    }
    if (!list || !edits) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    enum obv_status status = list->has_ended ? OBV_E_ENDED : list->broken;
    if (status == OBV_OK && !tell_list(list, edits)) {
        status = OBV_E_MEMORY;
    }
    begin_anew(list);
    return status == OBV_OK ? OBV_OK
                            : obv__fail(error, status, obv_status_text(status));
}
