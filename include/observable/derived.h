/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived collections: an array that follows a container by its edits, of which
 * it shows some elements, in an order of its own, or what becomes of each; or a
 * dictionary of such arrays. They are a library of their own, over the public
 * interface of the core: link `observable_derived` beside `observable`.
 *
 *     static bool is_good(const void *song, void *argument)
 *     {
 *         return song_rating(*(struct song *const *)song) > 3;
 *     }
 *     static int by_title(const void *a, const void *b, void *argument);
 *
 *     static const char *const paths[] = {"rating", "title"};
 *     static const struct obv_derived_kind best = {
 *         .size = sizeof best, .includes = is_good, .compare = by_title,
 *         .paths = paths, .path_count = 2};
 *
 *     obv_derived_create(&songs->container, &best, NULL, NULL, &rows, &error);
 *     obv_observe(&rows->container.object, "*", ...);
 *     obv_array_append(songs, song);              a good song: `*` is due
 *     song_set_rating(song, 1);                   and again: it has gone
 *     obv_derived_release(rows);
 *
 * A derived container is a container in every respect: it is observed, stands
 * in properties and paths, has edit lists, and is derived from again. Nobody
 * but its source edits it.
 *
 * Sources are containers of objects, strings or pointers. The values of a
 * dictionary and the members of a set stand in the order in which they came: a
 * value that is put at a key stands where the one before it stood.
 *
 * Behaviour (AR-10)
 *   - After any edits the content is what would be made anew from the source.
 *     Elements of equal rank stand in the source's order. A comparison that
 *     contradicts itself (NaN) leaves some order of the same elements.
 *   - It is up to date when the edit of the source returns, by an immediate
 *     observation: who had begun to observe the source immediately before is
 *     called before it is. With a `loop` it follows when that is drained.
 *   - One edit of the source is one edit here, or none if nothing changes. A
 *     move there is one here, so a path that follows an element (`4`) goes on.
 *   - The functions are asked once for an element that comes, and again when
 *     one of `paths` is called, or by obv_derivation_refresh(). An element that
 *     is replaced by itself, moved, or there again in a whole new content, has
 *     not left: nothing is asked, and what was made of it stays.
 *   - All elements that one set changes are one edit, made when the last of them
 *     has been told, before the set returns. If others have changed meanwhile
 *     and were not told yet, and stood in each other's way, all are sorted once
 *     more.
 *   - The content stays what it is if the source ends first.
 *   - If immediate handlers are nested too deep (OBV_DIAGNOSTIC_DEPTH), it
 *     follows by the loop of the source's context.
 *
 * On any failure (memory is short, an element cannot be held or observed)
 * nothing is changed, and the next edit, change or refresh reads everything
 * anew: obv_derivation_status() says so until then.
 *
 * Ownership: a derivation holds its source, and the elements that the source
 *            has. It ends with its last holder; no observation stays at the
 *            source or at an element.
 * Threads:   the source, its elements and what is derived have one owner.
 *            Retain and release are for any. Sets by another thread along
 *            `paths` need a `loop` that the owner drains.
 * Callbacks: with no lock held. They may edit the source, refresh, and let go
 *            of what is derived: that is done behind what is under way. They do
 *            not read what is derived by them, which is between two states.
 * Cost:      O(log n) for each element that an edit touches, and as many
 *            comparisons; an element read by its position O(log n). Some 135
 *            bytes an element of the source, 20 more where there is an order
 *            or a key, and 1 to 2 KB however few there are; an observation for each where
 *            there are paths. At most 2^32 - 1 elements.
 */
#ifndef OBSERVABLE_DERIVED_H
#define OBSERVABLE_DERIVED_H

#include <observable/allocator.h>
#include <observable/component.h>
#include <observable/container.h>
#include <observable/loop.h>
#include <observable/observe.h>

OBV_BEGIN_DECLS

/** The questions that obv_derivation_refresh() asks again. */
enum obv_derived_questions {
    OBV_DERIVED_CONDITION = 1, /* `includes` */
    OBV_DERIVED_TRANSFORM = 2, /* `map` */
    OBV_DERIVED_ORDER = 4,     /* `compare`, `key` */
    OBV_DERIVED_ALL = 7
};

/**
 * How something is derived. Kept by pointer: a constant, or alive until
 * `dispose`. Fields not needed are 0. Another condition, order or transform is
 * another state of `argument`, and a refresh.
 *
 * Elements are given as where they lie, as to obv_array_sort(): what is handed
 * over is the address of the pointer.
 */
struct obv_derived_kind {
    /** sizeof(struct obv_derived_kind). */
    size_t size;
    /** For diagnostics; a constant, or NULL. */
    const char *OBV_NULLABLE label;
    /** Whether an element is shown. NULL: each is. */
    bool (*OBV_NULLABLE includes)(const void *OBV_NONNULL element,
                                  void *OBV_NULLABLE argument);
    /** Makes what is shown of an element that is included: written to `mapped`,
        which is what was shown of it before, or NULL, and the derivation's
        until `left`. `mapped` may be left as it is. False: nothing is shown.
        `key` is that of a dictionary's element, else NULL. NULL: the elements
        themselves. */
    bool (*OBV_NULLABLE map)(const void *OBV_NULLABLE key,
                             const void *OBV_NONNULL element,
                             void *OBV_NULLABLE *OBV_NONNULL mapped,
                             void *OBV_NULLABLE argument);
    /** Called when what was shown has left, and everybody has been told: a row
        is disposed of. At the end of the derivation for all that are left. */
    void (*OBV_NULLABLE left)(void *OBV_NULLABLE shown,
                              void *OBV_NULLABLE argument);
    /** In which order: a number below, at or above 0. It is given elements of
        the source. NULL: that of the source. */
    int (*OBV_NULLABLE compare)(const void *OBV_NONNULL a,
                                const void *OBV_NONNULL b,
                                void *OBV_NULLABLE argument);
    /** In which group an element belongs, a key of `keys` to be read until the
        next call; NULL: in none. Of groups, and of distinct elements: of those
        with one key the first is shown. */
    const void *
    OBV_NULLABLE (*OBV_NULLABLE key)(const void *OBV_NONNULL element,
                                     void *OBV_NULLABLE argument);
    /** NULL: C strings, &obv_text_keys. */
    const struct obv_key_kind *OBV_NULLABLE keys;
    bool is_distinct; /* without `compare` */
    /** The source's elements are containers of positions, or have one: what is
        derived is of the elements of all of these, one behind the other
        (flattened, joined), which the other functions are given. Borrowed; NULL:
        it has none. Asked of all, by where they lie, after each edit of the
        source. */
    struct obv_container *
    OBV_NULLABLE (*OBV_NULLABLE container)(const void *OBV_NONNULL place,
                                           void *OBV_NULLABLE argument);
    /** Paths from an element, which is an object, to what the functions read:
        when one of them is called they are asked again. A constant. Or compiled
        ones, as many, which the caller keeps. */
    const char *OBV_NONNULL const *OBV_NULLABLE paths;
    const struct obv_path *OBV_NONNULL const *OBV_NULLABLE compiled;
    size_t path_count;
    /** Follows when this loop is drained; NULL: inside each change. */
    struct obv_loop *OBV_NULLABLE loop;
    /** A part by position: not more than `limit` elements, from `first` on; 0
        and 0: all. obv_derivation_slice() says another one. With none of the
        functions. */
    size_t first, limit;
    /** The derivation has ended: the kind and `argument` are not used any more.
        Not of one whose creation has failed. */
    void (*OBV_NULLABLE dispose)(const struct obv_derived_kind *OBV_NONNULL
                                     kind,
                                 void *OBV_NULLABLE argument);
};

/* Derivations: for language bindings, which keep what is shown themselves --- */

/** The follower of a source. */
struct obv_derivation;

/** The shown elements, in their order: all of them, or one group. */
struct obv_derived_list;

/**
 * How a binding handles elements, which are opaque here, and what is told of
 * edits. A constant. `bound` is what it was given with.
 */
struct obv_derived_binding {
    /** sizeof(struct obv_derived_binding). */
    size_t size;
    /** Takes what lies somewhere in the source, as a pointer that stands for
        it; false: it cannot. And lets go of it. */
    bool (*OBV_NONNULL take)(const void *OBV_NONNULL place,
                             void *OBV_NULLABLE *OBV_NONNULL element,
                             void *OBV_NULLABLE bound);
    /** The same of a member of a set, as a value. */
    bool (*OBV_NONNULL take_value)(const struct obv_value *OBV_NONNULL value,
                                   void *OBV_NULLABLE *OBV_NONNULL element,
                                   void *OBV_NULLABLE bound);
    void (*OBV_NONNULL let_go)(void *OBV_NULLABLE element,
                               void *OBV_NULLABLE bound);
    /** Whether two are one element, and a hash of it. */
    bool (*OBV_NONNULL same)(const void *OBV_NULLABLE a,
                             const void *OBV_NULLABLE b,
                             void *OBV_NULLABLE bound);
    uint64_t (*OBV_NONNULL hash)(const void *OBV_NULLABLE element,
                                 void *OBV_NULLABLE bound);
    /** The object that `paths` begin at; NULL: it has none. */
    struct obv_object *
    OBV_NULLABLE (*OBV_NONNULL object)(const void *OBV_NULLABLE element,
                                       void *OBV_NULLABLE bound);
    /** A group begins, or ends: what stands for it, NULL if there is no
        memory. */
    void *OBV_NULLABLE (*OBV_NULLABLE begin_group)(
        struct obv_derived_list *OBV_NONNULL list, const void *OBV_NONNULL key,
        void *OBV_NULLABLE bound);
    void (*OBV_NULLABLE end_group)(void *OBV_NONNULL group,
                                   void *OBV_NULLABLE bound);
    /** A list was edited: to be made and told. Elements that have gone lie at
        `old`; those that have come are read by obv_derived_list_at(). `group`
        is what stands for it, or NULL. With groups it is called for the
        dictionary too, whose list is NULL: `old` is the address of what stood
        for the group. */
    void (*OBV_NONNULL edited)(
        struct obv_derived_list *OBV_NULLABLE list, void *OBV_NULLABLE group,
        const struct obv_container_edit *OBV_NONNULL edits, size_t count,
        void *OBV_NULLABLE bound);
    /** The derivation has ended: `bound` is not used any more. Not of one whose
        creation has failed. */
    void (*OBV_NULLABLE ended)(void *OBV_NULLABLE bound);
    /** The source of blocks; NULL: the C library. */
    const struct obv_allocator *OBV_NULLABLE allocator;
};

/**
 * Begins to follow a container. Nothing is told of what is there to begin with,
 * but for each group.
 *
 * @param source      held by `retain` of its class, if it has one.
 * @param derivation  receives it, with one reference.
 * @return OBV_E_ARGUMENT: an argument is null, a size is wrong, the kind
 *         contradicts itself, or an edit of the source has not been told;
 *         OBV_E_KIND: the source is none of positions, keys or hashes;
 *         OBV_E_ENDED; OBV_E_MEMORY; as obv_observe_pairs() for an element.
 *
 * Cost: O(n log n), and as many comparisons where there is an order.
 */
OBV_API OBV_NODISCARD enum obv_status obv_derivation_create(
    struct obv_container *OBV_NONNULL source,
    const struct obv_derived_kind *OBV_NONNULL kind,
    const struct obv_derived_binding *OBV_NONNULL binding,
    void *OBV_NULLABLE argument, void *OBV_NULLABLE bound,
    struct obv_derivation *OBV_NULLABLE *OBV_NONNULL derivation,
    struct obv_error *OBV_NULLABLE error);

/** Ends a derivation: nothing is edited or asked any more. Threads: any, while
    the owner does nothing with it. Callbacks: `left`, `let_go`, `end_group`,
    `dispose`; from inside a function of the kind behind it. NULL is ignored. */
OBV_API void obv_derivation_end(struct obv_derivation *OBV_NULLABLE derivation);

/** All that is shown; of groups NULL. */
OBV_API struct obv_derived_list *OBV_NULLABLE
obv_derivation_list(struct obv_derivation *OBV_NONNULL derivation);
OBV_API size_t
obv_derived_list_count(const struct obv_derived_list *OBV_NONNULL list);
/** The address of what is shown at a position. Cost: O(log n). */
OBV_API void *OBV_NULLABLE const *OBV_NONNULL obv_derived_list_at(
    const struct obv_derived_list *OBV_NONNULL list, size_t position);
/** The first position at which a list shows an element of the source, or what
    was made of it; SIZE_MAX: none. Cost: as obv_derivation_refresh_element(). */
OBV_API size_t
obv_derived_list_index(const struct obv_derived_list *OBV_NONNULL list,
                       const void *OBV_NULLABLE element);
/** The pointer that stands for the group of a key; NULL: there is none. */
OBV_API void *OBV_NULLABLE obv_derivation_group(
    struct obv_derivation *OBV_NONNULL derivation, const void *OBV_NONNULL key);

/**
 * Asks about every element again, and makes up for what could not be done. It
 * is one edit; what answers the same is none.
 *
 * @param questions  obv_derived_questions.
 * @return obv_derivation_status().
 *
 * Cost: O(n), with OBV_DERIVED_ORDER O(n log n) comparisons.
 */
OBV_API enum obv_status
obv_derivation_refresh(struct obv_derivation *OBV_NULLABLE derivation,
                       unsigned questions);
/** The same for one element, wherever it stands. Cost: O(log n); of a source
    with keys O(n). */
OBV_API enum obv_status
obv_derivation_refresh_element(struct obv_derivation *OBV_NULLABLE derivation,
                               const void *OBV_NULLABLE element);
/** Shows another part by position. OBV_E_ARGUMENT: it shows none. */
OBV_API enum obv_status
obv_derivation_slice(struct obv_derivation *OBV_NULLABLE derivation,
                     size_t first, size_t limit);
/** OBV_OK; or why the last edit could not be followed; OBV_E_ENDED: the source
    has. */
OBV_API enum obv_status
obv_derivation_status(const struct obv_derivation *OBV_NULLABLE derivation);

/* Arrays and dictionaries, for C -------------------------------------------- */

struct obv_derived_class;

/** A derived array, or a dictionary of groups. The fields are the library's,
    but `container` and `derivation`. */
struct obv_derived {
    struct obv_container container;
    struct obv_derivation *OBV_NULLABLE derivation; /* of a group: NULL */
    struct obv_derived_list *OBV_NULLABLE list;     /* of a dictionary: NULL */
    const struct obv_derived_class *OBV_NONNULL kind;
    const struct obv_derived_class *OBV_NULLABLE groups;
    enum obv_kind taken;
    size_t references; /* any thread, atomic */
};

/** A class of what is derived, in the program's memory until its context
    ends. */
struct obv_derived_class {
    /** The allocator of instances, that of the context. NULL: the C library. */
    const struct obv_allocator *OBV_NULLABLE allocator;
    /* The library's. */
    struct obv_container_kind access;
    struct obv_derived_binding binding;
    struct obv_class *OBV_NULLABLE cls;
};

/**
 * Makes a class of derived arrays.
 *
 * @param cls        zeroed; `allocator` may be given.
 * @param name       unique among the classes of the context.
 * @param element    what is shown: OBV_KIND_object, OBV_KIND_string or
 *                   OBV_KIND_pointer.
 * @return as obv_container_class_create().
 */
OBV_API OBV_NODISCARD enum obv_status
obv_derived_class_create(struct obv_context *OBV_NULLABLE context,
                         struct obv_derived_class *OBV_NONNULL cls,
                         const char *OBV_NONNULL name, enum obv_kind element,
                         struct obv_error *OBV_NULLABLE error);
/** Makes a class of dictionaries of derived arrays: for obv_derived_group().
    `keys` as in struct obv_derived_kind. */
OBV_API OBV_NODISCARD enum obv_status
obv_derived_groups_class_create(struct obv_context *OBV_NULLABLE context,
                                struct obv_derived_class *OBV_NONNULL cls,
                                const char *OBV_NONNULL name,
                                const struct obv_key_kind *OBV_NULLABLE keys,
                                struct obv_error *OBV_NULLABLE error);

/**
 * Makes an array that follows a container, with one reference.
 *
 * @param cls    of obv_derived_class_create().
 * @param array  receives the array, with all that is in the source.
 * @return as obv_derivation_create(); OBV_E_KIND also: the elements of the
 *         source are none of objects, strings and pointers, or not of the
 *         class's kind, unless they are mapped; or there are paths, and they
 *         are no objects.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_derived_create(struct obv_container *OBV_NONNULL source,
                   const struct obv_derived_kind *OBV_NONNULL kind,
                   void *OBV_NULLABLE argument,
                   const struct obv_derived_class *OBV_NONNULL cls,
                   struct obv_derived *OBV_NULLABLE *OBV_NONNULL array,
                   struct obv_error *OBV_NULLABLE error);

/**
 * Makes a dictionary that follows a container: of each key an array of the
 * elements that have it, in the order of the source, or of `compare`. A key
 * without elements is not there; one that comes back has another array. An
 * array that somebody holds longer than the dictionary is empty then.
 *
 * @param cls        of obv_derived_groups_class_create().
 * @param array_cls  of its arrays.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_derived_group(struct obv_container *OBV_NONNULL source,
                  const struct obv_derived_kind *OBV_NONNULL kind,
                  void *OBV_NULLABLE argument,
                  const struct obv_derived_class *OBV_NONNULL cls,
                  const struct obv_derived_class *OBV_NONNULL array_cls,
                  struct obv_derived *OBV_NULLABLE *OBV_NONNULL dictionary,
                  struct obv_error *OBV_NULLABLE error);

/** One reference more; one less: the last ends it. NULL is ignored. */
OBV_API void obv_derived_retain(struct obv_derived *OBV_NULLABLE derived);
OBV_API void obv_derived_release(struct obv_derived *OBV_NULLABLE derived);

/** How many elements, or keys, there are. */
OBV_API size_t obv_derived_count(const struct obv_derived *OBV_NONNULL derived);
/** The element at a position, borrowed; NULL past the end. */
OBV_API void *OBV_NULLABLE
obv_derived_at(const struct obv_derived *OBV_NONNULL array, size_t position);
/** Of the array of a group its key; else NULL. */
OBV_API const void *OBV_NULLABLE
obv_derived_key(const struct obv_derived *OBV_NONNULL array);
/** The array of a key, borrowed, or NULL. */
OBV_API struct obv_derived *OBV_NULLABLE
obv_derived_get(const struct obv_derived *OBV_NONNULL dictionary,
                const void *OBV_NONNULL key);

OBV_END_DECLS

#endif
