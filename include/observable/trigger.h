/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manual triggers: telling of a value that was written past its setter.
 *
 * A loop that sets a million times, or a library that knows nothing of this
 * one, writes into the field itself; a trigger then does, once, what the setter
 * would have done:
 *
 *     int32_t old = user->age;
 *     for (...) {
 *         user->age = ...;
 *     }
 *     obv_trigger(&user->object, USER_AGE, &old, NULL);
 *
 * A setter that is written by hand does the same in one place:
 *
 *     void user_set_age(struct user *self, int32_t age)
 *     {
 *         int32_t old = self->age;
 *         self->age = age < 0 ? 0 : age;
 *         obv_trigger(&self->object, USER_AGE, &old, NULL);
 *     }
 *
 * Behaviour
 *   - The value before is compared with the value that is stored, as the setter
 *     compares; equal ones are no change.
 *   - The wired object is let go, and compared with: for a path that leads on
 *     through the property the object that it hung at counts, whatever the
 *     caller names as the value before.
 *   - The value that is stored wins over one that the caller names as new; a
 *     different one is told to the diagnostics hook.
 *   - No value is read if nobody observes the property.
 *   - Between the write and its trigger, a path that is newly begun goes
 *     through either of the two objects.
 *
 * How a value is handed over: by the address of one as the field holds it.
 *
 *     bool, numbers, enum     const bool *, const int32_t *, ...
 *     pointer                 const void *const *
 *     string                  const char *const *
 *     object                  struct obv_object *const *
 *     bytes                   as many bytes as the field has
 *     custom                  what the binding's `equals` takes
 *
 * Ownership past the setter: the program does what the setter would have done.
 *
 *     string   The field gets a text from obv_string_copy(), which is then the
 *              property's; the one before is the program's, to be given back by
 *              obv_string_free().
 *     object   The field gets a reference that the program has taken, unless it
 *              is OBV_UNOWNED; the one before is the program's, to be released.
 *
 *     const char *old = user->name;
 *     if (obv_string_copy(user_class, "Ada", &user->name) == OBV_OK) {
 *         obv_trigger(&user->object, USER_NAME, &old, NULL);
 *         obv_string_free(user_class, old);
 *     }
 *
 * The value before is given back after the trigger: until it has returned,
 * handlers and comparisons may look at it. An object that ended earlier was
 * told of then; it counts as different.
 *
 * Threads: as a set of that property: its owner's, or any for OBV_ANY_THREAD
 * properties, whose field is written atomically; then other threads' sets may
 * come between the write and its trigger, and are told of by themselves.
 */
#ifndef OBSERVABLE_TRIGGER_H
#define OBSERVABLE_TRIGGER_H

#include <observable/object.h>

OBV_BEGIN_DECLS

/**
 * A property was written past its setter: compares, rewires, schedules, calls
 * immediate handlers.
 *
 * @param property  its index.
 * @param old       the value before, by its address as the field holds it;
 *                  borrowed for the call. NULL, for the proxy of a foreign object
 *                  alone: it is not known. Then this is a change, whatever is
 *                  stored, and the old value that is handed over is unreachable.
 * @param value     the value that the caller believes to be stored, likewise;
 *                  NULL: none is named.
 * @return OBV_OK, also if nothing was to do; OBV_E_ARGUMENT if object or `old`
 *         is null; OBV_E_ENDED after its end; OBV_E_UNKNOWN if the class has no
 *         such property.
 *
 * Threads:   as a set of the property.
 * Callbacks: as a set; the diagnostics hook if `value` differs.
 * Cost:      O(1) where nobody observes, or if the values are equal; else as a
 *            set. Paths that could not be wired for want of memory are handled
 *            as by a set (told, listed, tried again).
 */
OBV_API enum obv_status obv_trigger(struct obv_object *OBV_NULLABLE object,
                                    uint32_t property,
                                    const void *OBV_NULLABLE old,
                                    const void *OBV_NULLABLE value);

/**
 * The same for the property at the end of a path: walks from the root through
 * the values that are stored now. NULL on the way, or an object of another
 * context, is nothing to do.
 *
 * @param root   borrowed; not NULL, not ended.
 * @param path   borrowed text (<observable/path.h>), without `*`.
 * @param error  what was wrong, in words; may be NULL.
 * @return as obv_trigger(); OBV_E_SYNTAX with the byte's position; OBV_E_KIND
 *         for `*`, `#n`, `n` and `&h`; OBV_E_UNKNOWN if an object on the way
 *         lacks the next property, or if that can hold no object; OBV_E_MEMORY.
 *         On error nothing was done.
 *
 * Callbacks: also `retain` and `release` of the object that it ends at.
 * Cost:      also O(length of the path), and one temporary block.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_trigger_path(struct obv_object *OBV_NULLABLE root,
                 const char *OBV_NULLABLE path, const void *OBV_NULLABLE old,
                 const void *OBV_NULLABLE value,
                 struct obv_error *OBV_NULLABLE error);

OBV_END_DECLS

#endif
