/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the Swift overlay calls of the Swift runtime, and what the core calls of
 * it: only functions that the runtime exports as part of its stable binary
 * interface. They are called from C, since Swift has no name for them, nor for a
 * variable of each thread.
 */
#ifndef OBSERVABLE_RUNTIME_H
#define OBSERVABLE_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include <observable/observable.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/* Weak references to native objects, without a side table ------------------ */

/** Keeps the memory of a native Swift object, not its content. */
void obv_swift_unowned_retain(void *object);
void obv_swift_unowned_release(void *object);

/** Adds a strong reference unless the object is being deallocated, or was; its
    memory is there. The signature of `retain` in struct obv_handler_kind. */
bool obv_swift_try_retain(void *_Nullable object);
void obv_swift_release(void *_Nullable object);

/** Whether the last strong reference is gone. Of `gone` in the same. */
bool obv_swift_is_gone(void *_Nullable object);

/* Models ------------------------------------------------------------------- */

/** Bytes from a Swift object to its header word, where the base class has it:
    behind the object's own two words. */
enum { OBV_SWIFT_MODEL_HEADER = 2 * sizeof(void *) };

/** The hooks of classes below the base class. */
bool obv_swift_retain_model(struct obv_object *object);
void obv_swift_release_model(struct obv_object *object);

/** The hooks of classes that declare their header themselves: the class's table
    is a struct obv_swift_class. */
bool obv_swift_retain_host(struct obv_object *object);
void obv_swift_release_host(struct obv_object *object);

/** A class table with the place of the header word. */
struct obv_swift_class {
    struct obv_class_table table; /* first */
    uintptr_t header;             /* bytes from the object to its header word */
    bool is_deallocation_aware;   /* its objects are told of deaths of roots */
};

/** Bytes from an object to its header word, by its class: one below the base
    class (the table of a collection is the core's), or a struct
    obv_swift_class. */
static inline uintptr_t
obv_swift_header_offset(const struct obv_class_table *table)
{
    return table->retain == obv_swift_retain_model
               ? OBV_SWIFT_MODEL_HEADER
               : ((const struct obv_swift_class *)(const void *)table)->header;
}

/** Whether an object has met the library, and so has a class. */
static inline bool obv_swift_has_class(const struct obv_object *object)
{
    return __atomic_load_n(&object->word, __ATOMIC_RELAXED) !=
           OBV_DETAIL_NO_NODE;
}

/** Whether somebody has begun to observe an object, ever. Any thread. */
static inline bool obv_swift_may_be_watched(const struct obv_object *object)
{
    return (__atomic_load_n(&object->word, __ATOMIC_RELAXED) &
            OBV_DETAIL_NO_NODE) == 0;
}

/** Handler kinds whose observer is an observable object, by its header. */
bool obv_swift_try_retain_observer(void *_Nullable observer);
void obv_swift_release_observer(void *_Nullable observer);

/* Exclusive access --------------------------------------------------------- */

/** A modification of a stored property through its address, known to the
    runtime: one that overlaps another stops the program, as it would for a
    plain property. */
struct obv_swift_access {
    void *_Nullable words[3];
};
void obv_swift_begin_access(struct obv_swift_access *access, void *field,
                            bool modifies);
void obv_swift_end_access(struct obv_swift_access *access);

/* Isolation ---------------------------------------------------------------- */

/** Whether the caller runs on a serial executor, given by its two words. */
bool obv_swift_is_current_executor(uintptr_t identity,
                                   uintptr_t implementation);

/* Computed properties ------------------------------------------------------- */

/** `evaluate` of a struct obv_computed whose values are words: calls the closure
    that lies in the object at the property's offset, by its two words, with the
    object, the property's name and `result`; nothing is retained for that. The
    object lives until it returns, and the closure if its function does not
    assign the wrapper itself. */
enum obv_status obv_swift_evaluate(struct obv_object *header,
                                   const struct obv_property *property,
                                   void *result);

/* Threads ------------------------------------------------------------------ */

/** A mark that a thread leaves for itself: Swift has no variables of a thread.
    Taken: whether there was one, and from now on there is none. */
void obv_swift_leave_mark(void);
bool obv_swift_take_mark(void);

/* Fields ------------------------------------------------------------------- */

/** A stored property of a class, from its field metadata. */
struct obv_swift_field {
    const char *_Nullable name; /* "" without reflection names */
    void (*_Nullable free_name)(const char *_Nullable name);
    bool is_strong;
    bool is_variable;
    const void *_Nullable type; /* its metadata */
    intptr_t offset;
};

/** The number of stored properties, inherited ones included; those of classes
    without reflection metadata are missing. */
intptr_t obv_swift_field_count(const void *type);

/** The `index`-th; obv_swift_field_free() gives its name back. */
struct obv_swift_field obv_swift_field_at(const void *type, intptr_t index);
void obv_swift_field_free(struct obv_swift_field *field);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
