/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Swift runtime, called from C.
 */
#include "ObservableRuntime.h"

#include <stddef.h>

#if defined(__APPLE__)
#include <objc/message.h>
#include <objc/runtime.h>
#endif

#define SWIFT_CC __attribute__((swiftcall))

extern void *swift_retain(void *object);
extern void swift_release(void *object);
extern void *swift_tryRetain(void *object);
extern void *swift_unownedRetain(void *object);
extern void swift_unownedRelease(void *object);
extern bool swift_isDeallocating(void *object);
extern void swift_beginAccess(void *field, void *buffer, uintptr_t flags,
                              void *counter);
extern void swift_endAccess(void *buffer);

struct mirror_field {
    const char *name;
    void (*free_name)(const char *);
    bool is_strong;
    bool is_variable;
};

extern SWIFT_CC intptr_t swift_reflectionMirror_recursiveCount(const void *);
extern SWIFT_CC intptr_t
swift_reflectionMirror_recursiveChildOffset(const void *, intptr_t);
extern SWIFT_CC const void *
swift_reflectionMirror_recursiveChildMetadata(const void *, intptr_t,
                                              struct mirror_field *);
extern SWIFT_CC bool swift_task_isCurrentExecutorWithFlags(
    uintptr_t identity, uintptr_t implementation, uintptr_t flags);

void obv_swift_unowned_retain(void *object)
{
    (void)swift_unownedRetain(object);
}

void obv_swift_unowned_release(void *object)
{
    swift_unownedRelease(object);
}

bool obv_swift_try_retain(void *object)
{
    return swift_tryRetain(object) != NULL;
}

void obv_swift_release(void *object)
{
    swift_release(object);
}

bool obv_swift_is_gone(void *object)
{
    return swift_isDeallocating(object);
}

/* Models ------------------------------------------------------------------- */

static void *model_of(struct obv_object *object)
{
    return (char *)object - OBV_SWIFT_MODEL_HEADER;
}

/* A class that declares its header itself may be one of Objective-C, which
   counts in its own way. That branch was never run: no test has an Apple
   platform. */
#if defined(__APPLE__)
extern void swift_unknownObjectRelease(void *object);

/* What a weak reference sends while its object's memory is there; native
   objects answer it too. */
static bool try_retain_any(void *object)
{
    bool (*send)(void *, SEL) = (bool (*)(void *, SEL))objc_msgSend;
    return send(object, sel_registerName("retainWeakReference"));
}

static void release_any(void *object)
{
    swift_unknownObjectRelease(object);
}
#else
static bool try_retain_any(void *object)
{
    return swift_tryRetain(object) != NULL;
}

static void release_any(void *object)
{
    swift_release(object);
}
#endif

static void *host_of(struct obv_object *object)
{
    const struct obv_swift_class *table =
        (const struct obv_swift_class *)(const void *)obv_class_table_of(
            obv_object_class(object));
    return (char *)object - table->header;
}

/* A closure of Swift: its function, and what that has captured. */
struct closure {
    SWIFT_CC void (*function)(const void *object, const char *name, void *value,
                              __attribute__((swift_context))
                              const void *context);
    const void *context;
};

enum obv_status obv_swift_evaluate(struct obv_object *header,
                                   const struct obv_property *property,
                                   void *result)
{
    const char *object =
        (const char *)header -
        obv_swift_header_offset(obv_class_table_of(obv_object_class(header)));
    const struct closure *closure =
        (const struct closure *)(const void *)(object + property->offset);
    closure->function(object, property->name, result, closure->context);
    return OBV_OK;
}

bool obv_swift_retain_model(struct obv_object *object)
{
    return swift_tryRetain(model_of(object)) != NULL;
}

void obv_swift_release_model(struct obv_object *object)
{
    swift_release(model_of(object));
}

bool obv_swift_retain_host(struct obv_object *object)
{
    return try_retain_any(host_of(object));
}

void obv_swift_release_host(struct obv_object *object)
{
    release_any(host_of(object));
}

bool obv_swift_try_retain_observer(void *observer)
{
    return obv_swift_retain_host(observer);
}

void obv_swift_release_observer(void *observer)
{
    obv_swift_release_host(observer);
}

/* Exclusive access --------------------------------------------------------- */

#define ACCESS_READ     ((uintptr_t)0)
#define ACCESS_MODIFY   ((uintptr_t)1)
#define ACCESS_TRACKING ((uintptr_t)0x20)

void obv_swift_begin_access(struct obv_swift_access *access, void *field,
                            bool modifies)
{
    swift_beginAccess(
        field, access,
        (modifies ? ACCESS_MODIFY : ACCESS_READ) | ACCESS_TRACKING, NULL);
}

void obv_swift_end_access(struct obv_swift_access *access)
{
    swift_endAccess(access);
}

/* Isolation ---------------------------------------------------------------- */

bool obv_swift_is_current_executor(uintptr_t identity, uintptr_t implementation)
{
    return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}

static _Thread_local bool mark;

void obv_swift_leave_mark(void)
{
    mark = true;
}

bool obv_swift_take_mark(void)
{
    bool was_left = mark;
    mark = false;
    return was_left;
}

/* Fields ------------------------------------------------------------------- */

intptr_t obv_swift_field_count(const void *type)
{
    return swift_reflectionMirror_recursiveCount(type);
}

struct obv_swift_field obv_swift_field_at(const void *type, intptr_t index)
{
    struct mirror_field mirror = {0};
    struct obv_swift_field field;
    field.type =
        swift_reflectionMirror_recursiveChildMetadata(type, index, &mirror);
    field.offset = swift_reflectionMirror_recursiveChildOffset(type, index);
    field.name = mirror.name;
    field.free_name = mirror.free_name;
    field.is_strong = mirror.is_strong;
    field.is_variable = mirror.is_variable;
    return field;
}

void obv_swift_field_free(struct obv_swift_field *field)
{
    if (field->free_name) {
        field->free_name(field->name);
    }
    field->name = NULL;
}
