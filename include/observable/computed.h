/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties: the value is what a function of the program makes of
 * other properties. It is computed when it is first read, kept, and computed
 * anew when it is read after something it depends on has changed.
 *
 *     struct user {
 *         struct obv_object object;
 *         const char *first, *last;
 *         const char *full;                   the last value that was computed
 *     };
 *     OBV_PROPERTY(user, first, string, USER_FIRST)
 *     OBV_PROPERTY(user, last, string, USER_LAST)
 *     OBV_COMPUTED(user, full, string, USER_FULL)    (user_full, user_set_full)
 *
 *     static enum obv_status make_full(struct obv_object *object,
 *                                      const struct obv_property *property,
 *                                      void *result)
 *     {
 *         const struct user *user = (const struct user *)object;
 *         char text[100];
 *         snprintf(text, sizeof text, "%s %s", user_first(user),
 *                  user_last(user));
 *         return obv_string_copy(obv_object_class(object), text,
 *                                (const char **)result);
 *     }
 *     static const struct obv_computed full = {
 *         .size = sizeof full, .evaluate = make_full};
 *
 *     [USER_FULL] = OBV_FIELD_COMPUTED(user, full, string, &full),
 *
 * Dependencies are what `evaluate` reads through accessors and getters
 * (user_first(), obv_get_string(), obv_value_at()): a look at a field itself is
 * not seen. Of a container it is the content; of a dictionary that is read by a
 * key, or a set that is asked for a member, that element alone. They are found
 * anew at each evaluation, so they may come and go, and they keep nothing
 * alive. An object that ends counts as a change of what was read of it. With
 * OBV_LAZY nothing that is read is a dependency: such a property is computed
 * once, and anew after obv_invalidate().
 *
 * Dependencies can be declared as well, as paths: for what the function reads
 * by other ways, for OBV_LAZY, and for a property that is set before it was
 * ever computed. A class declares those of each object, rooted at the object;
 * obv_depend_on() declares one at any other object.
 *
 *     static const char *const of_total[] = {"rate", "items.*.price"};
 *     static const struct obv_computed total = {
 *         .size = sizeof total, .evaluate = make_total,
 *         .dependencies = of_total, .dependency_count = 2};
 *
 * The library reads such a path before each evaluation, and where the property
 * is set, as the function would: each property that it passes counts as read,
 * an element as the content of its container, `*` as all. So the property
 * becomes invalid also where a middle is replaced by one with an equal end; and
 * a position in an array is read anew each time. They hold beside what the
 * function reads, from the time on when the property is first computed or set,
 * to the end of either object. They hold no object, are in no count, and no
 * stop ends them. A change of the property itself, to which a `*` leads too, is
 * none to it; of other computed ones under a `*` it counts that they become
 * invalid.
 *
 * obv_untracked() reads without depending.
 *
 * obv_check_dependencies() tells where what is declared is not what is read.
 *
 * A change of a dependency computes nothing: it marks what depends on it, and
 * what depends on that. The next read computes each marked property at most
 * once, and not at all if on looking none of its dependencies has another value
 * than before. A stored property that was set counts as changed, also if it was
 * set back.
 *
 * Observed by name, as the end of a path or in the middle, such a property is
 * kept valid: it is computed when it begins to be observed, and by the drain
 * that is about to deliver it (for an immediate observation at the end of each
 * change). The observation is scheduled as soon as the property is invalid, and
 * called if the value then differs from the last one before. Under `*` it is
 * never computed: that it has become invalid is the change.
 *
 * With OBV_EAGER the end of each change computes it, whoever observes it: from
 * its first read on (or set, of what it declares), for until then nobody knows
 * what it depends on.
 *
 * A computed property can be set: it has this value then until it is invalid
 * again.
 *
 * A cycle (a property that needs itself, by way of others) is reported
 * (OBV_DIAGNOSTIC_CYCLE) with the names of the properties in it, if they are
 * not more than 32; each of them answers OBV_E_CYCLE. An error of a function
 * (any but OBV_E_MEMORY, OBV_E_ENDED, OBV_E_CYCLE and OBV_E_UNKNOWN, which are
 * tried again) stands for the value until something that was read changes, and
 * is handed on to what reads it: that has failed as well. Of what fails
 * observers are told nothing before it has a value again.
 *
 * The first read of a long chain calls a function within a function for each of
 * its properties: read such a chain from its beginning. Once each was computed,
 * they are brought up to date one after the other, without recursion.
 *
 * The last value is kept until another takes its place, also while the property
 * is invalid: a string, a reference to an object. A function that answers an
 * object which refers to this one keeps both alive.
 *
 * Threads: as a field, reads included: the property belongs to the owner of its
 * object, and to read it, begin to observe it, set or invalidate it is an
 * access as a write, for it may compute, and keeps the value. Objects that a
 * computed property joins by what it reads have one owner at a time: a thread,
 * an actor, a lock. It is computed on the thread of that call, of the owner's
 * change where an immediate observation or OBV_EAGER asks for it, or of the
 * drain. A property that any thread may set computes nothing on the setter's
 * thread: the owner's next read sees the value, and the next drain tells of it.
 * To stop an observation is free of this.
 *
 * Cost: a record from the first read or set on, and one for each dependency
 * (their sizes: "Layouts" in csrc/README.md); a read of a valid one is a look
 * at the record.
 */
#ifndef OBSERVABLE_COMPUTED_H
#define OBSERVABLE_COMPUTED_H

#include <observable/object.h>

OBV_BEGIN_DECLS

/** Flags of a computed property. */
enum obv_computed_flags {
    /** Its reads are no dependencies: it is invalidated by hand, and by what is
        declared. */
    OBV_LAZY = 1,
    /** Once it was computed, it is again at the end of each change that makes
        it invalid, as if an immediate observation followed it. */
    OBV_EAGER = 2,
    /** Of a binding: a value is a word of eight bytes, compared as such, and no
        box (obv_detail_kept_values). */
    OBV_DETAIL_WORD = 4,
    /** With that: the word is a double, compared as a number. */
    OBV_DETAIL_DOUBLE = 8
};

/** How a property is computed: kept by pointer as long as the class lives. */
struct obv_computed {
    /** sizeof(struct obv_computed). */
    size_t size;
    /**
     * Computes the value into `result`, which has room for the property's
     * field: a number, pointer or bytes as the field has them; a string made by
     * obv_string_copy() or an object with a reference, which the property takes
     * over. `result` is zeroed before.
     *
     * May call anything. If it sets its own property, that value wins over the
     * one it answers, and it is reported (OBV_DIAGNOSTIC_SET_IN_GETTER), once
     * an evaluation. If it ends its own object (obv_object_deinit(), of a class
     * without `retain`), the value that it answers is let go of, and its reader
     * is answered OBV_E_ENDED; the memory of the object stays until then.
     *
     * @return OBV_OK; or why there is no value: then the last one stands, the
     *         property stays invalid, and who has read it is answered this.
     *
     * Threads: the owner's.
     */
    enum obv_status (*OBV_NONNULL evaluate)(
        struct obv_object *OBV_NONNULL object,
        const struct obv_property *OBV_NONNULL property,
        void *OBV_NONNULL result);
    /** obv_computed_flags. */
    uint32_t flags;
    /** Of a binding, whose values lie in the records; else NULL. */
    const struct obv_computed_kept *OBV_NULLABLE kept;
    /** Declared dependencies: `dependency_count` paths, rooted at the object,
        kept as long as the class lives; NULL: none. */
    const char *OBV_NONNULL const *OBV_NULLABLE dependencies;
    size_t dependency_count;
    /** Declares those of one object with obv_depend_on(), which the class does
        not know, before the property is first computed or set, and again until
        it answers OBV_OK (OBV_E_MEMORY: the property stays invalid). NULL:
        there are none. For bindings. */
    enum obv_status (*OBV_NULLABLE declare)(
        struct obv_object *OBV_NONNULL object,
        const struct obv_property *OBV_NONNULL property);
};

/*
 * For bindings: a computed property of kind custom keeps its value in its
 * record, and lies nowhere in the object. The value is a box (struct
 * obv_boxed), which `evaluate` writes by pointer, or a word (OBV_DETAIL_WORD).
 * The property's line has `custom` as below, and an offset of its own, as if
 * the value lay there: behind the last byte of the instances, whose size is
 * given so that it fits. `kept` below is where a box's pointer or a word is.
 */

/** The functions of such values, called with no lock held. */
struct obv_computed_kept {
    /** A box with the value, for who is handed it; NULL: no memory. */
    struct obv_boxed *OBV_NULLABLE (*OBV_NONNULL copy)(
        const struct obv_property *OBV_NONNULL property,
        const void *OBV_NONNULL kept);
    /** The observable object that a box's value is, with a class and a
        reference, as in struct obv_value_kind; NULL itself: never any. */
    struct obv_object *
    OBV_NULLABLE (*OBV_NULLABLE child)(const struct obv_boxed *OBV_NONNULL box);
    /** The address of a box's value, for the views of it
        (<observable/component.h>), which are given that. */
    const void *
    OBV_NONNULL (*OBV_NONNULL value)(const struct obv_boxed *OBV_NONNULL box);
};

/** The `custom` of such a property: of values, and of those that may be
    objects. */
extern OBV_API const struct obv_value_kind obv_detail_kept_values;
extern OBV_API const struct obv_value_kind obv_detail_kept_objects;

/** The value of such a property, brought up to date, borrowed until it is
    another; whoever computes is told that it is read. NULL: it cannot be
    computed, and `status` says why. */
OBV_API const void *OBV_NULLABLE
obv_detail_kept_value(struct obv_object *OBV_NONNULL object, uint32_t property,
                      enum obv_status *OBV_NONNULL status);

/** The same of the property at an offset, where its record is at hand: nobody
    records what this thread reads, or it is the next read of last time. NULL
    with OBV_OK: it is not, and nothing was done. */
OBV_API const void *OBV_NULLABLE
obv_detail_kept_value_at(struct obv_object *OBV_NONNULL object, uint32_t offset,
                         enum obv_status *OBV_NONNULL status);

/** A box with the last valid value, whatever has become invalid since, for the
    caller; NULL: there is none, or no memory. */
OBV_API struct obv_boxed *OBV_NULLABLE
obv_detail_copy_last(struct obv_object *OBV_NONNULL object, uint32_t property);

/** That value, borrowed until it is another; NULL: there is none. */
OBV_API const void *OBV_NULLABLE
obv_detail_last(const struct obv_object *OBV_NONNULL object, uint32_t property);

/** Makes a computed property invalid and tells nobody, for who reads it at
    once: so that its function runs. */
OBV_API void obv_detail_forget(struct obv_object *OBV_NONNULL object,
                               uint32_t property);

/** The value that was computed stands, though its function has set what it had
    read. Whether something else has changed that since, by handlers which the
    function has set off: then the property is invalid still. */
OBV_API bool obv_detail_stand(struct obv_object *OBV_NONNULL object,
                              uint32_t property);

/** Sets such a property; a box is given away. */
OBV_API void obv_detail_set_kept(struct obv_object *OBV_NONNULL object,
                                 uint32_t property,
                                 const void *OBV_NONNULL kept);

/** A line of a class table: the field `field` of `struct struct_tag`, which
    holds the last value, with its struct obv_computed. Not for custom kinds. */
#define OBV_FIELD_COMPUTED(struct_tag, field, kind_name, computed)             \
    OBV_DETAIL_FIELD(struct_tag, field, OBV_KIND_##kind_name,                  \
                     OBV_DETAIL_OR(OBV_DETAIL_FORM_##kind_name, obv_scalar),   \
                     obv_detail_type_##kind_name, #kind_name, 0, NULL,         \
                     (computed))

/**
 * Defines the inline accessors `TAG_FIELD()` and `TAG_set_FIELD()` for a
 * computed property, as OBV_PROPERTY() does. The getter answers the last value,
 * or zero, if it cannot be computed; obv_get_i64() and the like say why.
 */
#define OBV_COMPUTED(struct_tag, field, kind_name, index)                      \
    OBV_DETAIL_CHECKED(OBV_DETAIL_COMPUTED_, struct_tag, field,                \
                       OBV_DETAIL_OR(OBV_DETAIL_FORM_##kind_name, obv_scalar), \
                       obv_detail_type_##kind_name, #kind_name,                \
                       obv_detail_change_##kind_name, index)

/**
 * Makes a computed property invalid: its next read computes it. Of any other
 * property nothing. It may be invalid already.
 *
 * @return OBV_OK; OBV_E_ARGUMENT for an object that is NULL or was never made;
 *         OBV_E_ENDED; OBV_E_UNKNOWN if the class has no such property.
 *
 * Threads:   as a set of the property.
 * Callbacks: as those of a set.
 * Cost:      O(what depends on it and is valid).
 */
OBV_API enum obv_status obv_invalidate(struct obv_object *OBV_NULLABLE object,
                                       uint32_t property);

/** The same of every computed property of the object. OBV_E_ARGUMENT for one
    that is NULL or was never made; OBV_E_ENDED. */
OBV_API enum obv_status
obv_invalidate_all(struct obv_object *OBV_NULLABLE object);

/** Computes every computed property of the object that is invalid, as a read of
    each does. The answer of one does not keep the others from it.
    @return the first status that is not OBV_OK; OBV_E_ARGUMENT for an object
    that is NULL or was never made; OBV_E_ENDED. Threads: as a read of each. */
OBV_API enum obv_status
obv_validate_all(struct obv_object *OBV_NULLABLE object);

/**
 * Declares that a computed property of an object depends on a path from any
 * object: what changes there makes the property invalid, as what its class has
 * declared does. Its present value stays valid. Declared already, it is
 * declared once.
 *
 * @param root  need not be the object. Not held: with its end, which is a
 *              change, the dependency is over.
 * @param path  as of an observation. One whose first element the root's class
 *              does not have is told (OBV_DIAGNOSTIC_UNRESOLVED), and never
 *              followed.
 * @return OBV_OK; OBV_E_ARGUMENT for an object that is NULL or was never made,
 *         a path that is the property itself, or two contexts; OBV_E_ENDED;
 *         OBV_E_UNKNOWN: the property is not computed; OBV_E_SYNTAX,
 *         OBV_E_UNKNOWN, OBV_E_PAST_END as of an observation; OBV_E_MEMORY,
 *         OBV_E_LIMIT. On error nothing is declared.
 *
 * Threads:   as a set of the property.
 * Cost:      that of reading what is declared; later, at each evaluation.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_depend_on(struct obv_object *OBV_NULLABLE object, uint32_t property,
              struct obv_object *OBV_NULLABLE root,
              const char *OBV_NONNULL path,
              struct obv_error *OBV_NULLABLE error);

/**
 * Takes that back, also where the class has declared it (`root` being the
 * object then), before the first read or set as well. Nothing happens if it is
 * not declared. A valid property stays valid: it depends on the reads of its
 * function, and on the other paths.
 *
 * @param path  NULL: all from this root.
 * @return as above; of paths OBV_E_SYNTAX alone. On error nothing is taken
 * back.
 *
 * Threads:   as a set of the property.
 * Cost:      O(what is declared); where that was to come yet, of declaring it.
 */
OBV_API enum obv_status
obv_depend_no_more(struct obv_object *OBV_NULLABLE object, uint32_t property,
                   struct obv_object *OBV_NULLABLE root,
                   const char *OBV_NULLABLE path,
                   struct obv_error *OBV_NULLABLE error);

/**
 * From now on, or no more: each time the function of a property with declared
 * dependencies returns, what it has read through accessors and getters is
 * compared with what its class declares for it. OBV_DIAGNOSTIC_DEPENDENCY tells
 * the first difference, once a property of a class: something was read that no
 * declared path leads through or to, or nothing was read at the end of a
 * declared path that leads somewhere. For tests and debug builds: it makes
 * evaluations slow.
 *
 * @param context  NULL: the default one.
 */
OBV_API void obv_check_dependencies(struct obv_context *OBV_NULLABLE context,
                                    bool is_checked);

/** Whether a property is computed. */
static inline bool
obv_property_is_computed(const struct obv_class *OBV_NONNULL cls,
                         uint32_t property)
{
    const struct obv_property *line = obv_class_line(cls, property);
    return line && line->computed;
}

/** Whether a property has a value that no read would compute anew: every stored
    one, and a computed one that is valid. Properties that may depend on one
    that any thread has set count as invalid until looked at. Threads: as a
    read. */
OBV_API bool obv_is_valid(struct obv_object *OBV_NULLABLE object,
                          uint32_t property);

/** Brings a computed property up to date, and tells whoever computes that it is
    read: for the accessors. */
OBV_API void obv_detail_compute(struct obv_object *OBV_NONNULL object,
                                uint32_t property);

#define OBV_DETAIL_COMPUTED_GETTER(type, field, index, answer)                 \
    OBV_DETAIL_ACCESSOR answer type##_##field(                                 \
        const struct type *OBV_NONNULL self)                                   \
    {                                                                          \
        obv_detail_compute(OBV_DETAIL_OBJECT(self), (index));                  \
        return self->field;                                                    \
    }

#define OBV_DETAIL_COMPUTED_obv_scalar(type, field, change, index)             \
    OBV_DETAIL_COMPUTED_GETTER(type, field, index,                             \
                               OBV_DETAIL_TYPE(type, field))                   \
    OBV_DETAIL_ACCESSOR void type##_set_##field(                               \
        struct type *OBV_NONNULL self, OBV_DETAIL_TYPE(type, field) value)     \
    {                                                                          \
        change(OBV_DETAIL_HEADER(self), (index), value);                       \
    }
#define OBV_DETAIL_COMPUTED_obv_pointer(type, field, change, index)            \
    OBV_DETAIL_COMPUTED_obv_scalar(type, field, change, index)
#define OBV_DETAIL_COMPUTED_obv_enum(type, field, change, index)               \
    OBV_DETAIL_COMPUTED_obv_scalar(type, field, OBV_DETAIL_CHANGE_ENUM, index)
#define OBV_DETAIL_COMPUTED_obv_object(type, field, change, index)             \
    OBV_DETAIL_COMPUTED_GETTER(type, field, index,                             \
                               OBV_DETAIL_TYPE(type, field))                   \
    OBV_DETAIL_SETTER_object(type, field, index)
#define OBV_DETAIL_COMPUTED_obv_object_of(type, field, change, index)          \
    OBV_DETAIL_COMPUTED_obv_object(type, field, change, index)
#define OBV_DETAIL_COMPUTED_obv_string(type, field, change, index)             \
    OBV_DETAIL_COMPUTED_GETTER(type, field, index, const char *OBV_NULLABLE)   \
    OBV_DETAIL_SETTER_string(type, field, index)
#define OBV_DETAIL_COMPUTED_obv_bytes(type, field, change, index)              \
    OBV_DETAIL_ACCESSOR const void *OBV_NONNULL type##_##field(                \
        const struct type *OBV_NONNULL self)                                   \
    {                                                                          \
        obv_detail_compute(OBV_DETAIL_OBJECT(self), (index));                  \
        return &self->field;                                                   \
    }                                                                          \
    OBV_DETAIL_SETTER_bytes(type, field, index)

/** Calls `body`; what it reads is no dependency of the property whose function
    it is called by, if it is by one, nor told to a binding. No exception of C++
    may leave it: reads of the thread would not be told any more. */
static inline void
obv_untracked(void (*OBV_NONNULL body)(void *OBV_NULLABLE context),
              void *OBV_NULLABLE context)
{
    struct obv_detail_hidden hidden;
    obv_detail_untracked_begin(&hidden);
    body(context);
    obv_detail_untracked_end(&hidden);
}

OBV_END_DECLS

#endif
