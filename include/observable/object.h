/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes and objects: how a C struct becomes observable.
 *
 * A struct gets one word, `struct obv_object`, as its FIRST member. A table
 * describes its properties by name, kind and offset; obv_class_create() checks
 * it once and gives the class. From then on the setters of OBV_PROPERTY()
 * store and tell; an object that nobody observes pays a load and two tests for
 * it, and 8 bytes.
 *
 *     enum { USER_AGE, USER_NAME, USER_ADDRESS };
 *     struct user {
 *         struct obv_object object;
 *         int32_t age;
 *         const char *name;
 *         struct address *address;
 *     };
 *     OBV_PROPERTY(user, age, i32, USER_AGE)          user_age, user_set_age
 *     OBV_PROPERTY(user, name, string, USER_NAME)
 *     OBV_PROPERTY(user, address, object, USER_ADDRESS)
 *
 *     static const struct obv_property user_properties[] = {
 *         [USER_AGE] = OBV_FIELD(user, age, i32),
 *         [USER_NAME] = OBV_FIELD(user, name, string),
 *         [USER_ADDRESS] = OBV_FIELD_OBJECT(user, address, "address"),
 *     };
 *
 *     static const struct obv_class_table user_table = {
 *         .size = sizeof user_table, .name = "user",
 *         .instance_size = sizeof(struct user),
 *         .properties = user_properties, .property_count = 3};
 *     obv_class_create(NULL, &user_table, &user_class, &error);
 *     obv_object_init(&user->object, user_class);
 *
 * A property's index is its place in the table; in a subclass the inherited
 * properties come first: its own table starts at 0, but the index that it gives
 * to OBV_PROPERTY() starts at their number. Property kinds and what a set does:
 *
 *     kind     field            the set                       a change is
 *     bool     bool             stores                        a != b
 *     i8 i16   int8_t ...       stores                        a != b
 *     i32 i64
 *     u8 u16   uint8_t ...      stores                        a != b
 *     u32 u64
 *     size     size_t           stores                        a != b
 *     f32 f64  float, double    stores                        a != b, but NaN
 *                                                             equals NaN
 *     enum     an enum, or any  stores                        a != b
 *              integer
 *     pointer  any pointer      stores                        a != b
 *     string   const char *     copies with the context's     strcmp, NULL is
 *                               allocator, frees the old      no empty string
 *     object   struct X *       retains the new, releases     another object
 *                               the old, unless OBV_UNOWNED
 *                               or their class has no
 *                               `retain`; one whose `retain`
 *                               says no is stored as NULL
 *     bytes    uint8_t [n], or  copies n bytes                memcmp
 *              a struct
 *     custom   a binding's own  is the binding's              its `equal`
 *
 * A kind that is not the field's does not compile (<observable/kind.h>).
 *
 * An object whose memory is all zero, without obv_object_init(), is none: calls
 * that take one answer OBV_E_ARGUMENT, or what they answer where there is
 * nothing; inline setters store nothing in it and tell the diagnostics of the
 * default context, but that of a string, which answers. Stored in a property it
 * counts as one that is at its end: NULL is stored, and told. A program that
 * writes an object into a field past the setters makes it first.
 *
 * Ownership of values: obv_object_deinit() frees strings and releases objects
 * (not the OBV_UNOWNED ones). An object whose class has no `retain` is
 * nobody's: the property is a plain pointer, and the program sets it to NULL,
 * or to another object, before the object ends.
 *
 * Threads: a property belongs to its owner, as a plain field would: one thread
 * at a time sets it, or the program guards it. Beside that, observing,
 * stopping and draining may go on on any thread. Properties declared with
 * OBV_PROPERTY_ANY_THREAD() and OBV_ANY_THREAD (bool, the numbers, enum,
 * pointer) may be set and read by any thread at any time: the set serves who
 * asks for no more than the call; paths through them, values, records and what
 * is computed of them see all sets since the last drain as one change, which the
 * drain of the observation's loop makes, on the owner's thread.
 *
 * Shutting down, in this order:
 *
 *     obv_stop()             observations; obv_stop_and_wait() where the
 *                            observer is no object
 *     obv_release()          the handles
 *     obv_object_deinit()    the objects, those that hold others first; or the
 *                            program's references to them are given back
 *     obv_loop_drain()       each loop: a call that is still scheduled holds
 *                            both its ends
 *     obv_loop_destroy()     the loops that the program has made
 *     obv_context_destroy()  the context that it has made, and with it the
 *                            classes; of the default one obv_context_collect()
 */
#ifndef OBSERVABLE_OBJECT_H
#define OBSERVABLE_OBJECT_H

#include <observable/context.h>
#include <observable/detail.h>
#include <observable/field.h>

OBV_BEGIN_DECLS

struct obv_class;
struct obv_computed;
struct obv_property;

/** How values are compared. */
enum obv_compare {
    /** As the property's line says. */
    OBV_COMPARE_DECLARED = 0,
    /** Objects, pointers and a binding's references by identity, other values
        by their kind. */
    OBV_COMPARE_IDENTITY,
    /** By value: as the kind, or a binding's `==`, has it. Objects of C have no
        equality but identity; containers are equal if their elements are. */
    OBV_COMPARE_EQUAL,
    /** Always different: setting an equal value calls as well. */
    OBV_COMPARE_ALWAYS_DIFFERENT
};

/**
 * A value of a binding's that is handed over: the first member of what the
 * binding's `copy` allocates. It says itself how it is compared and given
 * back, on any thread, with no lock held.
 */
struct obv_boxed {
    void (*OBV_NONNULL release)(struct obv_boxed *OBV_NONNULL box);
    /** `how` is DECLARED, IDENTITY or EQUAL. The two may be of properties of
        two classes. */
    bool (*OBV_NONNULL equal)(const struct obv_boxed *OBV_NONNULL a,
                              const struct obv_boxed *OBV_NONNULL b,
                              enum obv_compare how);
};

/**
 * The answers of a binding for its own kinds of values. Called with no lock
 * held, on the thread of the change or of the call that begins to observe; the
 * objects are kept alive for the call. May call the library.
 */
struct obv_value_kind {
    /** sizeof(struct obv_value_kind). */
    size_t size;
    /** Whether two objects, each with a property of this kind and name, have
        equal values. The properties may be of two classes. */
    bool (*OBV_NONNULL equal)(const struct obv_property *OBV_NONNULL property_a,
                              struct obv_object *OBV_NONNULL a,
                              const struct obv_property *OBV_NONNULL property_b,
                              struct obv_object *OBV_NONNULL b);
    /** The observable object that the property holds, with a class
        (obv_object_adopt()) and a reference of its own, which the library gives
        back by its class's `release`; NULL: none. NULL itself: never any. */
    struct obv_object *OBV_NULLABLE (*OBV_NULLABLE child)(
        const struct obv_property *OBV_NONNULL property,
        struct obv_object *OBV_NONNULL object);
    /** The class that the property is declared to hold, for obv_validate();
        NULL: none that is known. NULL itself: never any. */
    struct obv_class *OBV_NULLABLE (*OBV_NULLABLE declared)(
        const struct obv_property *OBV_NONNULL property);
    /** Whether the property of an object equals a value that the binding has
        handed to obv_trigger(), or as the one before a change. NULL itself:
        never. */
    bool (*OBV_NULLABLE equals)(const struct obv_property *OBV_NONNULL property,
                                struct obv_object *OBV_NONNULL object,
                                const void *OBV_NONNULL value);
    /** A copy of the property's value, owned by the caller: of `value` if it is
        given (the value before a change, or the one that is offered), else of
        what the object stores, also inside obv_object_deinit(), so by a look at
        memory and no more. NULL: no memory. NULL itself: it cannot be handed
        over, and counts as unreachable. */
    struct obv_boxed *OBV_NULLABLE (*OBV_NULLABLE copy)(
        const struct obv_property *OBV_NONNULL property,
        struct obv_object *OBV_NONNULL object, const void *OBV_NULLABLE value);
    /** The value in a box of `copy`, as `copy` takes it: a change of a property
        that any thread may set is told from it. NULL itself, or no `copy`: each
        set of such a property counts as another value. */
    const void *OBV_NONNULL (*OBV_NULLABLE value_of)(
        const struct obv_boxed *OBV_NONNULL box);
    /** As `child`, of a value that the binding has handed to obv_trigger(), or
        as the one before a change. NULL itself: it cannot be told. */
    struct obv_object *OBV_NULLABLE (*OBV_NULLABLE child_of)(
        const struct obv_property *OBV_NONNULL property,
        const void *OBV_NONNULL value);
    /** Whether two values of the property's type are equal. Needed for the
        elements of a container (<observable/container.h>), which are read where
        they lie: of these nothing else is asked but `declared`, `copy` with a
        value, and `child_of`, whose object the element keeps. */
    bool (*OBV_NULLABLE same)(const struct obv_property *OBV_NONNULL property,
                              const void *OBV_NONNULL a,
                              const void *OBV_NONNULL b);
};

/** Flags of a property. */
enum obv_property_flags {
    /** Object: neither retained nor released; the program clears it before
        the object ends. */
    OBV_UNOWNED = 1,
    /** Any thread may set and read it (bool, the numbers, enum, pointer,
        custom). */
    OBV_ANY_THREAD = 2,
    /** Custom: the object that it holds may end while it is there; that is a
        change. Its `child` answers NULL from then on. */
    OBV_WEAK = 4,
    /** Setting an equal value is a change as well. */
    OBV_ALWAYS_DIFFERENT = 8,
    /** Pointer: paths lead on through it to the foreign object that is
        registered at this address (<observable/foreign.h>). `type` may name
        its class. */
    OBV_FOREIGN = 16,
    /** Enum: the field's type has no values below 0. OBV_FIELD() and its
        relatives see that by themselves. */
    OBV_UNSIGNED = 32
};

/** One line of a class table. Borrowed for as long as the class lives. */
struct obv_property {
    /** Not empty; unique in the class and its superclasses. */
    const char *OBV_NONNULL name;
    enum obv_kind kind;
    /** Bytes from the start of the struct, and of the field. */
    uint32_t offset, size;
    /** obv_property_flags. */
    uint32_t flags;
    /** Object, or OBV_FOREIGN: the name of the class that the field is declared
        to hold, for obv_validate(); NULL: any. */
    const char *OBV_NULLABLE type;
    /** Custom: how it is compared and followed, kept by pointer; else NULL. */
    const struct obv_value_kind *OBV_NULLABLE custom;
    /** Whether two values, each given by the address of a field, are equal;
        NULL: as the kind has it. Not for custom ones. Called with no lock held
        on the thread of the change; must not set anything. It needs objects
        that can be held: where a class has such a function on a property and no
        `retain`, replacing one of its objects in the middle of a path is a
        change without any comparison. Other classes without `retain` are
        compared as ever. */
    bool (*OBV_NULLABLE equal)(const void *OBV_NONNULL a,
                               const void *OBV_NONNULL b);
    /** How it is computed (<observable/computed.h>); NULL: it is stored. */
    const struct obv_computed *OBV_NULLABLE computed;
};

/** A line of a class table: the field `field` of `struct struct_tag`. A
    `kind_name` is one of obv_kind without its prefix: `i32`, `object`. */
#define OBV_FIELD(struct_tag, field, kind_name)                                \
    OBV_DETAIL_FIELD(struct_tag, field, OBV_KIND_##kind_name,                  \
                     OBV_DETAIL_OR(OBV_DETAIL_FORM_##kind_name, obv_scalar),   \
                     obv_detail_type_##kind_name, #kind_name, 0, NULL, NULL)
/** An object property that holds objects of the class that is named
    `class_name`, a text. */
#define OBV_FIELD_OBJECT(struct_tag, field, class_name)                        \
    OBV_FIELD_WITH(struct_tag, field, object, 0, class_name)
/** The same with flags and, of an object, the declared class's name or NULL. */
#define OBV_FIELD_WITH(struct_tag, field, kind_name, flags, class_name)        \
    OBV_DETAIL_FIELD(struct_tag, field, OBV_KIND_##kind_name,                  \
                     OBV_DETAIL_OR(OBV_DETAIL_FORM_##kind_name, obv_scalar),   \
                     obv_detail_type_##kind_name, #kind_name, flags,           \
                     class_name, NULL)

#define OBV_DETAIL_FIELD(struct_tag, field_name, kind_number, form, type,      \
                         kind_text, flag_bits, class_name, computed_by)        \
    {                                                                          \
#field_name, kind_number,                                              \
            (uint32_t)offsetof(struct struct_tag, field_name),                 \
            OBV_DETAIL_SIZE(struct_tag, field_name, form, type, kind_text),    \
            (flag_bits) |                                                      \
                OBV_DETAIL_FLAGS(struct_tag, field_name, kind_number),         \
            (class_name), NULL, NULL, (computed_by)                            \
    }

/**
 * A class: its name, its struct, its properties and what keeps its objects
 * alive. The table is borrowed for as long as the class lives.
 *
 * `retain` is a try: it answers false once the object's count is zero. It
 * calls nothing of this library and waits for nothing. `release` may run the
 * last deinitialisation, on the thread that releases. If both are NULL they are
 * the superclass's. Without them nothing keeps the object alive for a scheduled
 * call: an object that ends takes its scheduled calls with it, and it must not
 * be ended on one thread while a handler that received it runs on another.
 *
 * Threads: both are called on any thread that observes, stops, sets, drains or
 *          ends objects: the count is atomic, unless one thread does all that.
 */
struct obv_class_table {
    /** sizeof(struct obv_class_table). */
    size_t size;
    /** Unique in the context. */
    const char *OBV_NONNULL name;
    /** sizeof the struct, in bytes. */
    size_t instance_size;
    /** Of the same context, or NULL. Its struct is the first member. */
    struct obv_class *OBV_NULLABLE superclass;
    /** The class's own properties; those of its superclass come before them.
        NULL if it has none. */
    const struct obv_property *OBV_NULLABLE properties;
    size_t property_count;
    /** A try: takes a reference and answers true, or answers false once the
        count is zero. */
    bool (*OBV_NULLABLE retain)(struct obv_object *OBV_NONNULL object);
    /** Gives a reference back. */
    void (*OBV_NULLABLE release)(struct obv_object *OBV_NONNULL object);
    /**
     * Called when a property of an object goes from unobserved to observed, and
     * back; NULL: the superclass's, and then of nobody. For objects that load
     * on demand, or listen to a source only while somebody listens to them.
     *
     * A property is observed while a path of an observation hangs at it: its
     * end, or its middle, wherever that is rooted; so an object is also told
     * when it is put into an observed path and taken out. `property` is the
     * index, or OBV_EVERY_PROPERTY for `*`, which is told as one (nothing is
     * told of the properties that it stands for): who wants to know whether
     * anybody looks at a property counts both, its own index and that one.
     *
     * A dependency is no observation: where `health` is computed of `load`, and
     * `health` is observed, `health` is told and `load` is not, whether the
     * function reads it or it is declared. A source that `load` comes from is
     * opened for either index; if the computed property is another object's, by
     * an observation of `load` that the program begins and stops with it.
     *
     * Not told: a second observer, and the last but one; observations without a
     * path and unresolved paths; an object that is ending (its observers end
     * untold, so what it has opened it closes before obv_object_deinit()).
     *
     * Calls for one property alternate, beginning with true, and the last is
     * the truth; what is true and false again before it is told may be left
     * out. Calls for different properties that one operation causes come in no
     * promised order. Calls for one object never overlap on two threads.
     *
     * Threads:   one that began or ended an observation, or replaced an object
     *            in the middle of a path, before that call of the library
     *            returns. If two threads do so at once, one of them tells both,
     *            so the other may return before the call.
     * Callbacks: called with no lock held, after what the change made due is
     *            scheduled and before its immediate handlers run; before the
     *            first call of an OBV_INITIAL observation; before the handle
     *            is handed out. It may call anything: observe and stop on the
     *            same object too, which is told when it has returned. The
     *            object is held by the class's `retain` meanwhile; without
     *            that, it must not be ended on one thread while another begins
     *            or ends an observation of it. It may end in the call.
     * Cost:      114 bytes and 2 a property, once the object is observed; a lock
     *            a call. A class without the hook pays nothing.
     */
    void (*OBV_NULLABLE observed_changed)(struct obv_object *OBV_NONNULL object,
                                          uint32_t property, bool is_observed);
};

/** In place of a property's index: all of them, as `*` says it. */
#define OBV_EVERY_PROPERTY UINT32_MAX

/**
 * Makes a class from its table, which is kept by pointer: a constant, or
 * memory that outlives the context; not a variable of a function.
 *
 * @param context  NULL: the default one.
 * @param table    borrowed until the context ends, with all it points to.
 * @param cls      receives the class; it lives as long as its context.
 * @return OBV_OK; OBV_E_MEMORY; OBV_E_ARGUMENT; OBV_E_LIMIT past 65,533
 *         classes in the process or 65,000 properties in a class;
 *         OBV_E_LAYOUT if fields overlap each other, the header word or the
 *         struct's end, are misaligned or of a size that is not their kind's,
 *         if a name is empty or used twice, if flags do not fit the kind, or
 *         if only one of `retain` and `release` is given: `error` names the
 *         class, and the property if it is one.
 *
 *         A class with custom properties needs `retain` and `release`, and at
 *         most 2^20 bytes an instance.
 *
 * Threads: any.   Cost: O(properties log properties), once.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_class_create(struct obv_context *OBV_NULLABLE context,
                 const struct obv_class_table *OBV_NONNULL table,
                 struct obv_class *OBV_NULLABLE *OBV_NONNULL cls,
                 struct obv_error *OBV_NULLABLE error);

/** The table that a class was made from, by the pointer that was given. */
OBV_API const struct obv_class_table *OBV_NONNULL
obv_class_table_of(const struct obv_class *OBV_NONNULL cls);

/** The name of a class, borrowed. */
static inline const char *OBV_NONNULL
obv_class_name(const struct obv_class *OBV_NONNULL cls)
{
    return obv_class_table_of(cls)->name;
}

/**
 * The index of a property by its name, inherited ones included.
 *
 * @return OBV_OK; OBV_E_UNKNOWN; OBV_E_ARGUMENT if something is null.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_class_property(const struct obv_class *OBV_NONNULL cls,
                   const char *OBV_NONNULL name, uint32_t *OBV_NONNULL index);

/** The line of a property in its class's table, late ones included; NULL: the
    class has none of this index. Threads: any. */
OBV_API const struct obv_property *OBV_NULLABLE
obv_class_line(const struct obv_class *OBV_NULLABLE cls, uint32_t index);

/**
 * The name of the property with an index, borrowed; "*" for
 * OBV_EVERY_PROPERTY.
 *
 * @return NULL if the class has no such property.
 */
static inline const char *OBV_NULLABLE
obv_class_property_name(const struct obv_class *OBV_NONNULL cls, uint32_t index)
{
    const struct obv_property *property = obv_class_line(cls, index);
    return index == OBV_EVERY_PROPERTY ? "*" : property ? property->name : NULL;
}

/**
 * The index of the property at an offset of a class with custom properties.
 *
 * @return OBV_OK; OBV_E_UNKNOWN; OBV_E_ARGUMENT if something is null.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_class_property_at(const struct obv_class *OBV_NONNULL cls, uint32_t offset,
                      uint32_t *OBV_NONNULL index);

/**
 * Makes the header word of a new object; the fields hold their first values
 * already (strings from obv_string_copy(), objects retained).
 *
 * Comes before the first set.
 *
 * Threads: the one that makes the object.   Cost: one store; cannot fail.
 */
OBV_API void obv_object_init(struct obv_object *OBV_NONNULL object,
                             struct obv_class *OBV_NONNULL cls);

/**
 * The same for an object that was made without a class, its word being
 * OBV_DETAIL_NO_NODE: bindings give a class when an object first meets the
 * library. Two threads that race keep the first. Until then it can neither be
 * observed nor observe (OBV_E_ARGUMENT); it may end.
 *
 * Threads: any.   Cost: O(1); cannot fail.
 */
OBV_API void obv_object_adopt(struct obv_object *OBV_NONNULL object,
                              struct obv_class *OBV_NONNULL cls);

/**
 * For a binding whose objects end by their header word alone, wherever the
 * language has moved it: from now on the nodes of this class's objects know
 * where their object is. 8 bytes a node.
 *
 * Threads: the one that has made the class, before its first object.
 */
OBV_API void obv_class_know_objects(struct obv_class *OBV_NONNULL cls);

/**
 * For a binding that cannot describe a class before it has met an object of it:
 * a class without properties and objects stands for it until then, so that its
 * instances can be observed (obv_observe_class()). Observations of `ahead` are
 * observations of `cls`.
 *
 * Threads: the one that has made the class, before anybody else knows of it.
 */
OBV_API void obv_class_make_ahead(struct obv_class *OBV_NONNULL ahead);
OBV_API void obv_class_come_after(struct obv_class *OBV_NONNULL cls,
                                  struct obv_class *OBV_NULLABLE ahead);

/** obv_object_deinit() of an object of such a class, by the value of its
    header word; the word itself is where it was. OBV_OK too if the object has
    no node; OBV_E_ARGUMENT for 0. */
OBV_API enum obv_status obv_object_deinit_word(uintptr_t word);

/**
 * A number that tells an object from every other of the process, also from one
 * that will lie at its address: what a deallocation notice names a dead root
 * by. The same at each call; 0 for an object that has no class, or has ended,
 * and where memory is short.
 *
 * Threads: any, while the object is alive; also before obv_object_deinit().
 * Cost:    the first call gives the object its node; later ones are two loads.
 */
OBV_API uint64_t obv_object_identity(struct obv_object *OBV_NULLABLE object);

/**
 * Ends an object: its observations end, paths that run through it let go of
 * what lies below, observations that it made as an observer end, strings are
 * freed, objects released. Call it when nobody can reach the object any more,
 * before its memory goes. Its fields that hold strings and objects are NULL
 * behind it, those of classes without `retain` too: who owns such a child
 * fetches it before.
 *
 * Calls scheduled for it: with `retain` and `release` there can be none, since
 * a scheduled call holds it; without them such calls are taken back.
 *
 * @return OBV_OK; OBV_E_ENDED if it was ended already: then nothing happens;
 *         OBV_E_ARGUMENT for NULL and for one that was never made.
 *
 * Threads:   any one. Returns only when no other thread is inside the `retain`
 *            of this object.
 * After it nothing but obv_object_init() may be done with the object.
 *
 * Callbacks: `dispose` of observations that end with it; immediate handlers of
 *            observations rooted elsewhere whose path ran through it;
 *            `observed_changed` of other objects on these paths and on its own;
 *            `root_did_deallocate` of immediate observations rooted here;
 *            `release` of its property values.
 * Cost:      O(observers of it and of what lies below).
 */
OBV_API enum obv_status
obv_object_deinit(struct obv_object *OBV_NONNULL object);

/** The class of an object. In C also NULL: of one that was never made. */
OBV_API struct obv_class *OBV_NONNULL
obv_object_class(const struct obv_object *OBV_NONNULL object);

/**
 * Copies a string for a first value of a string property, with the allocator
 * of the class's context. NULL gives NULL.
 *
 * @return OBV_OK; OBV_E_MEMORY.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_string_copy(const struct obv_class *OBV_NONNULL cls,
                const char *OBV_NULLABLE text,
                const char *OBV_NULLABLE *OBV_NONNULL copy);

/** Gives back a text that was copied for a property and is in none any more:
    one that was taken out of the field past the setter. NULL is ignored. */
OBV_API void obv_string_free(const struct obv_class *OBV_NONNULL cls,
                             const char *OBV_NULLABLE text);

/*
 * Setters and getters by index: the slower forms, checked.
 *
 * OBV_OK; OBV_E_ARGUMENT for an object that is null or was never made, and for
 * one as the value of obv_set_object(); OBV_E_ENDED after its end;
 * OBV_E_UNKNOWN if the class has no such property; OBV_E_KIND if it is of
 * another kind; obv_set_string() alone may answer OBV_E_MEMORY, and then
 * the old string stands. Every other set stores, always. NULL is a value of
 * pointers, strings and objects. Getters borrow strings and objects: valid
 * until the next set.
 *
 * Threads:   the owner of the object; any for OBV_ANY_THREAD properties.
 * Callbacks: immediate handlers; `retain` and `release` of objects; `retain`
 *            of what is scheduled; `observed_changed` of objects that come
 *            into an observed path, or leave it.
 * Cost:      O(1) where nobody observes or everything is scheduled already;
 *            else O(observers of the property and what hangs below it).
 */
#define OBV_DETAIL_BY_INDEX(kind_name, type)                                   \
    static inline enum obv_status obv_set_##kind_name(                         \
        struct obv_object *OBV_NONNULL object, uint32_t property, type value)  \
    {                                                                          \
        return obv_set_value(object, property, OBV_KIND_##kind_name, &value);  \
    }                                                                          \
    static inline enum obv_status obv_get_##kind_name(                         \
        const struct obv_object *OBV_NONNULL object, uint32_t property,        \
        type *OBV_NONNULL value)                                               \
    {                                                                          \
        return obv_get_value(object, property, OBV_KIND_##kind_name, value);   \
    }

/** By a kind that is known at run time alone. `value` points to the value: of an
    enum an int64_t, whatever its type, of a string, an object or a pointer that
    pointer; of bytes to as many of them as the field has. */
OBV_API enum obv_status obv_set_value(struct obv_object *OBV_NONNULL object,
                                      uint32_t property, enum obv_kind kind,
                                      const void *OBV_NONNULL value);
/** The same; of bytes `value` receives a pointer to them. */
OBV_API enum obv_status
obv_get_value(const struct obv_object *OBV_NONNULL object, uint32_t property,
              enum obv_kind kind, void *OBV_NONNULL value);

OBV_SCALAR_KINDS(OBV_DETAIL_BY_INDEX)

/** An enumeration, whatever its type: as a number. OBV_E_ARGUMENT too for one
    that the field cannot hold. */
static inline enum obv_status
obv_set_enum(struct obv_object *OBV_NONNULL object, uint32_t property,
             int64_t value)
{
    return obv_set_value(object, property, OBV_KIND_enum, &value);
}
static inline enum obv_status
obv_get_enum(const struct obv_object *OBV_NONNULL object, uint32_t property,
             int64_t *OBV_NONNULL value)
{
    return obv_get_value(object, property, OBV_KIND_enum, value);
}
static inline enum obv_status
obv_set_pointer(struct obv_object *OBV_NONNULL object, uint32_t property,
                const void *OBV_NULLABLE value)
{
    return obv_set_value(object, property, OBV_KIND_pointer, &value);
}
static inline enum obv_status
obv_get_pointer(const struct obv_object *OBV_NONNULL object, uint32_t property,
                void *OBV_NULLABLE *OBV_NONNULL value)
{
    return obv_get_value(object, property, OBV_KIND_pointer, (void *)value);
}
static inline enum obv_status
obv_set_string(struct obv_object *OBV_NONNULL object, uint32_t property,
               const char *OBV_NULLABLE value)
{
    return obv_set_value(object, property, OBV_KIND_string, &value);
}
static inline enum obv_status
obv_get_string(const struct obv_object *OBV_NONNULL object, uint32_t property,
               const char *OBV_NULLABLE *OBV_NONNULL value)
{
    return obv_get_value(object, property, OBV_KIND_string, (void *)value);
}
static inline enum obv_status
obv_set_object(struct obv_object *OBV_NONNULL object, uint32_t property,
               struct obv_object *OBV_NULLABLE value)
{
    return obv_set_value(object, property, OBV_KIND_object, (void *)&value);
}
static inline enum obv_status
obv_get_object(const struct obv_object *OBV_NONNULL object, uint32_t property,
               struct obv_object *OBV_NULLABLE *OBV_NONNULL value)
{
    return obv_get_value(object, property, OBV_KIND_object, (void *)value);
}
/** `value` points to as many bytes as the field has. */
static inline enum obv_status
obv_set_bytes(struct obv_object *OBV_NONNULL object, uint32_t property,
              const void *OBV_NONNULL value)
{
    return obv_set_value(object, property, OBV_KIND_bytes, value);
}
static inline enum obv_status
obv_get_bytes(const struct obv_object *OBV_NONNULL object, uint32_t property,
              const void *OBV_NULLABLE *OBV_NONNULL value)
{
    return obv_get_value(object, property, OBV_KIND_bytes, (void *)value);
}

/**
 * Defines the inline accessors `TAG_FIELD()` and `TAG_set_FIELD()` for the
 * property `field` of `struct TAG`, which is number `index` of its class. The
 * fast way: the offset and the index are constants. They take and answer what
 * the field holds: of `struct X *x` a `struct X *`. The setter of a string
 * answers OBV_OK or OBV_E_MEMORY, the others nothing; bytes are read and set by
 * pointer. As in OBV_FIELD(), an object's `kind_name` is `object`.
 */
#define OBV_PROPERTY(struct_tag, field, kind_name, index)                      \
    OBV_DETAIL_CHECKED(OBV_DETAIL_PROPERTY_, struct_tag, field,                \
                       OBV_DETAIL_OR(OBV_DETAIL_FORM_##kind_name, obv_scalar), \
                       obv_detail_type_##kind_name, #kind_name,                \
                       obv_detail_change_##kind_name, index)

/** The same for a property that is declared with OBV_ANY_THREAD. It is read by
    its accessor only: reading the field itself is a data race. */
#define OBV_PROPERTY_ANY_THREAD(struct_tag, field, kind_name, index)           \
    OBV_DETAIL_CHECKED(OBV_DETAIL_ANY_THREAD_, struct_tag, field,              \
                       OBV_DETAIL_OR(OBV_DETAIL_FORM_##kind_name, obv_scalar), \
                       obv_detail_type_##kind_name, #kind_name,                \
                       obv_detail_change_##kind_name, index)

#define OBV_DETAIL_CHECKED(accessors, struct_tag, field, form, type,           \
                           kind_text, change, index)                           \
    OBV_DETAIL_CHECK(struct_tag, field, form, type, kind_text)                 \
    OBV_DETAIL_BY_FORM(accessors, form)(struct_tag, field, change, index)

/**
 * Everything that a struct needs, from one list of its properties:
 *
 *     struct user {
 *         struct obv_object object;
 *         const char *name;
 *         struct address *address;
 *     };
 *     #define USER(P) \
 *         P(user, name, string) \
 *         P(user, address, object_of(address))
 *     OBV_MODEL(user, USER)
 *
 * defines the accessors `user_name()`, `user_set_name()`, `user_address()`,
 * `user_set_address()`, the properties' numbers `user_property_name`,
 * `user_property_address`, how many they are, `user_properties_count`, the lines
 * `user_properties` and the class table `user_table`: no property is called
 * `table`, `properties` or `properties_count`. A kind is one of
 * obv_kind without its prefix (`object` too), or `object_of(TAG)`: an object
 * that is declared to be of the class "TAG", by which obv_validate() goes; the
 * field is a `struct TAG *`, or a `struct obv_object *`. The
 * class itself is called "user" and has no superclass, its properties no flags.
 * It has no `retain` either. An `address` whose class is made like this is a
 * plain pointer: the program sets it to NULL, or to another one, before that
 * address ends.
 *
 * In a program of several files OBV_ACCESSORS stands in a header and OBV_TABLE
 * in one of them. For `retain`, `release` or `observed_changed` OBV_PROPERTIES
 * takes the place of OBV_TABLE; for flags, a superclass or an `equal` write
 * lines of OBV_PROPERTY() and OBV_FIELD().
 */
#define OBV_MODEL(struct_tag, LIST)                                            \
    OBV_ACCESSORS(struct_tag, LIST)                                            \
    OBV_TABLE(struct_tag, LIST)

/** The accessors and the numbers of a list of properties, and how many they
    are: `TAG_properties_count`. */
#define OBV_ACCESSORS(struct_tag, LIST)                                        \
    enum { LIST(OBV_DETAIL_NUMBER) struct_tag##_properties_count };            \
    LIST(OBV_DETAIL_ACCESS)

/**
 * The lines of a list of properties, `TAG_properties`: for a class table that
 * the program writes by itself, without a superclass.
 *
 *     OBV_ACCESSORS(user, USER)
 *     OBV_PROPERTIES(user, USER)
 *     static const struct obv_class_table user_table = {
 *         .size = sizeof user_table, .name = "user",
 *         .instance_size = sizeof(struct user),
 *         .properties = user_properties,
 *         .property_count = user_properties_count,
 *         .retain = user_retain, .release = user_release};
 */
#define OBV_PROPERTIES(struct_tag, LIST)                                       \
    static const struct obv_property struct_tag##_properties[] = {             \
        LIST(OBV_DETAIL_LINE)};

/** The class table of a list of properties, with its lines (OBV_PROPERTIES). */
#define OBV_TABLE(struct_tag, LIST)                                            \
    OBV_PROPERTIES(struct_tag, LIST)                                           \
    static const struct obv_class_table struct_tag##_table = {                 \
        sizeof(struct obv_class_table),                                        \
        #struct_tag,                                                           \
        sizeof(struct struct_tag),                                             \
        NULL,                                                                  \
        struct_tag##_properties,                                               \
        sizeof struct_tag##_properties / sizeof *struct_tag##_properties,      \
        NULL,                                                                  \
        NULL,                                                                  \
        NULL};

#define OBV_DETAIL_NUMBER(struct_tag, field, kind_name)                        \
    struct_tag##_property_##field,
#define OBV_DETAIL_ACCESS(struct_tag, field, kind_name)                        \
    OBV_DETAIL_CHECKED(OBV_DETAIL_PROPERTY_, struct_tag, field,                \
                       OBV_DETAIL_OR(OBV_DETAIL_FORM_##kind_name, obv_scalar), \
                       obv_detail_type_##kind_name, #kind_name,                \
                       obv_detail_change_##kind_name,                          \
                       struct_tag##_property_##field)
#define OBV_DETAIL_LINE(struct_tag, field, kind_name)                          \
    OBV_DETAIL_FIELD(struct_tag, field, OBV_KIND_##kind_name,                  \
                     OBV_DETAIL_OR(OBV_DETAIL_FORM_##kind_name, obv_scalar),   \
                     obv_detail_type_##kind_name, #kind_name, 0,               \
                     OBV_DETAIL_OR(OBV_DETAIL_CLASS_##kind_name, NULL), NULL),

/* `object_of(TAG)`: what is pasted to it is a macro, and leaves the kind. */
#define OBV_KIND_object_of(tag)         OBV_KIND_object
#define OBV_DETAIL_CLASS_object_of(tag) ~, #tag

OBV_END_DECLS

#endif
