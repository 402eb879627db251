/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers of the program's own: arrays, dictionaries and sets, observed like
 * any object. The program keeps the elements as it likes, describes once where
 * they are to be found, and tells of each edit.
 *
 *     struct list { struct obv_container container; size_t count, room;
 *                   struct obv_object **items; };
 *
 *     static size_t list_count(const struct obv_container *list);
 *     static const void *list_at(const struct obv_container *list,
 *                                size_t position);
 *     static const struct obv_container_kind list_kind = {
 *         .size = sizeof list_kind, .name = "list",
 *         .instance_size = sizeof(struct list),
 *         .element = OBV_ELEMENT(object), .count = list_count, .at = list_at};
 *
 *     obv_container_class_create(NULL, &list_kind, &lists, &error);
 *     obv_container_init(&list->container, lists);
 *     list->items[list->count++] = item;            the program's edit
 *     const struct obv_container_edit told = {
 *         .position = list->count - 1, .inserted = 1};
 *     obv_container_edited(&list->container, &told, 1, &error);    its telling
 *
 * Elements are told apart in one of three ways, and paths can say of them:
 *
 *     where they stand   `at`             `#0` the position 0, also one that is
 *                                         not there yet; `4` what stands at 4
 *                                         when observing begins, wherever it
 *                                         moves to, until it leaves: that is
 *                                         called once and ends the path
 *     keys               `key`, `find`,   `name` the element of a key, in a
 *                        `next`           dictionary with text keys; `\count`
 *                        of
 *                                         the key "count"; in any dictionary
 *                                         obv_key_element(), in a compiled path
 *     hashes             `hash`,          `&12` the members with the hash 12
 *                        `member`, `next`
 *
 * and of each `count`, and `*`: every element, and the count. A path leads on
 * through elements that are observable objects: `list.#0.title`,
 * `words.steampunk.title`, `list.*.title`. An element that is not there is
 * unreachable, which is not NULL. With OBV_RECORDS a `*` at the end says that
 * the container changed, not by which element.
 *
 * Between its edit and the telling the program reads the new content, while
 * paths still go through what was told last. Several edits may be told
 * together, after the last of them and in their order: they are one change. Each
 * edit of a key or a member counts there: one that is told of twice has changed.
 *
 * Ownership: nothing here keeps an element. The program keeps each that is in
 * the container, and each that it has removed until it has told of that. A
 * constant container is held by its `retain` while something is followed in it,
 * so that it may be made for the library alone. The container itself is as any
 * object: `retain` and `release` as of a class table. Without them replacing a
 * container in the middle of a path is a change without any comparison.
 *
 * Threads: a container has one owner at a time, as a model has. It is read on
 * the thread of whoever edits it, replaces it on a path, or begins to observe
 * through it, and on that of a drain where an observation asks for OBV_NET and
 * compares by equality; the program sees to it that no other thread edits it
 * meanwhile. Stopping is for any thread.
 *
 * Cost: 24 bytes a container; one test an edit that nobody observes; for each
 * element that is observed a cell of 128 bytes beside its watchers. A cell is
 * found in O(log n) by its position, n the observed ones, and in O(1) expected
 * by a key or a hash. An edit looks at the cells of positions from the first on
 * that it touches, and at those of keys and hashes that it names; elements that
 * are followed (`4`) move in O(log n), however many there are. A `*` that leads
 * on through the elements costs some 110 bytes for each object, and O(log n)
 * for each that comes or goes.
 */
#ifndef OBSERVABLE_CONTAINER_H
#define OBSERVABLE_CONTAINER_H

#include <observable/object.h>
#include <observable/path.h>

OBV_BEGIN_DECLS

/** The first member of the program's struct. */
struct obv_container {
    struct obv_object object;
    /** The count that was told last. The library's. */
    size_t count;
    void *OBV_NULLABLE reserved;
};

/** A kind of keys: how the elements of a dictionary are told apart. A constant:
    equal keys of two dictionaries are the same key if their kinds are one
    address. Called with no lock held, but for kinds that have `named`. */
struct obv_key_kind {
    /** sizeof(struct obv_key_kind). */
    size_t size;
    /** Equal keys have equal hashes, of which all bits count. */
    uint64_t (*OBV_NONNULL hash)(const struct obv_key_kind *OBV_NONNULL kind,
                                 const void *OBV_NONNULL key);
    bool (*OBV_NONNULL equal)(const struct obv_key_kind *OBV_NONNULL kind,
                              const void *OBV_NONNULL a,
                              const void *OBV_NONNULL b);
    /** A copy of a key, NULL if there is no memory; and its end. Both, but of
        obv_text_keys. */
    void *OBV_NULLABLE (*OBV_NULLABLE copy)(
        const struct obv_key_kind *OBV_NONNULL kind,
        const void *OBV_NONNULL key);
    void (*OBV_NULLABLE free)(const struct obv_key_kind *OBV_NONNULL kind,
                              void *OBV_NONNULL copy);
    /** The text of a copy, for people; to be read until that is freed. */
    const char *OBV_NONNULL (*OBV_NULLABLE text)(
        const struct obv_key_kind *OBV_NONNULL kind,
        const void *OBV_NONNULL copy);
    /** The key that an element of a path names, as a copy; NULL: no memory.
        With it paths can name keys; then the functions of this kind are called
        with locks held as well, and call nothing of the library. */
    void *OBV_NULLABLE (*OBV_NULLABLE named)(
        const struct obv_key_kind *OBV_NONNULL kind,
        const char *OBV_NONNULL name);
};

/** Keys that are C strings: those that a path can name. */
extern OBV_API const struct obv_key_kind obv_text_keys;

/** A key that a compiled path can have: of a kind whose keys no text names.
    Counted; equal ones of a context that are held at one time are one. */
struct obv_key;

/**
 * Takes a key.
 *
 * @param context  NULL: the default one, which is that of the paths.
 * @param kind     a constant; has `copy`, and no `named`.
 * @param key      not kept; a copy is.
 * @param taken    receives the key, to be given back by obv_key_release();
 * paths
 *                 that were made with it keep it themselves.
 * @return OBV_E_ARGUMENT: an argument is null, or keys of this kind are named
 * by
 *         texts; OBV_E_MEMORY, also of 2^31 keys at once.
 *
 * Threads:   any.
 * Callbacks: the kind's, with no lock held.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_key_take(struct obv_context *OBV_NULLABLE context,
             const struct obv_key_kind *OBV_NONNULL kind,
             const void *OBV_NONNULL key,
             struct obv_key *OBV_NULLABLE *OBV_NONNULL taken);

/** The value of a key, of its kind, which `kind` receives: to be read as long
    as the key is held. Threads: any. */
OBV_API const void *OBV_NONNULL
obv_key_value(const struct obv_key *OBV_NONNULL key,
              const struct obv_key_kind *OBV_NULLABLE *OBV_NONNULL kind);

/** Gives a key back. NULL is ignored. Threads: any. Callbacks: the kind's
    `free`, with no lock held. */
OBV_API void obv_key_release(struct obv_key *OBV_NULLABLE key);

/** The element of a path that stands for the value of a key (obv_path_make()). */
static inline struct obv_element
obv_key_element(const struct obv_key *OBV_NONNULL key)
{
    struct obv_element element = {OBV_ELEMENT_KEY, 0, (uint64_t)(uintptr_t)key};
    return element;
}

/** The position of a walk over the elements of a dictionary. */
struct obv_container_cursor {
    /** The container's own; 0 and NULL in the first call. */
    size_t index;
    void *OBV_NULLABLE state;
    /** Receive the key, if there are any, and where the element lies. */
    const void *OBV_NULLABLE key;
    const void *OBV_NULLABLE element;
};

/** A class of containers. Borrowed for as long as its context lives. */
struct obv_container_kind {
    /** sizeof(struct obv_container_kind). */
    size_t size;
    /** Unique among the classes of the context. */
    const char *OBV_NONNULL name;
    /** sizeof the program's struct. */
    size_t instance_size;
    /** Its elements: kind and size (0: the kind's own), and as for a property
        `flags` (0, OBV_ALWAYS_DIFFERENT or OBV_UNSIGNED), `type` and `equal`.
        Custom ones have `same`; none is foreign. Its name and offset are not
        read. */
    struct obv_property element;
    /** How many elements there are now. With no lock held; sets nothing. */
    size_t (*OBV_NONNULL count)(
        const struct obv_container *OBV_NONNULL container);
    /** The address of an element, as of a field of its kind: to be read until
        the container's next edit. With no lock held; sets nothing. NULL:
        elements have no positions, but keys. */
    const void *OBV_NONNULL (*OBV_NULLABLE at)(
        const struct obv_container *OBV_NONNULL container, size_t position);
    /** As in struct obv_class_table; both or none. */
    bool (*OBV_NULLABLE retain)(struct obv_object *OBV_NONNULL object);
    void (*OBV_NULLABLE release)(struct obv_object *OBV_NONNULL object);
    /** They stand for values: none is ever edited, another takes its place. So
        an element that is followed (`4`) is kept when the other has the same
        one there, and is lost else. They are no roots. */
    bool is_constant;

    /* Of a dictionary, in place of `at`: all three. ------------------------ */

    /** The kind of its keys: the address of a constant. */
    const struct obv_key_kind *OBV_NULLABLE key;
    /** The address of a key's element, as `at`; NULL: there is none. */
    const void *OBV_NULLABLE (*OBV_NULLABLE find)(
        const struct obv_container *OBV_NONNULL container,
        const void *OBV_NONNULL key);
    /** Of a set as well: goes on to the next element, in whatever order, which
        stays the same while nothing is edited; false: that was the last. As
        `at`. */
    bool (*OBV_NULLABLE next)(const struct obv_container *OBV_NONNULL container,
                              struct obv_container_cursor *OBV_NONNULL cursor);

    /* Of a set, in place of `at`: both, and `next`. ------------------------ */

    /** The hash of an element, which lies as a field of its kind would. Equal
        elements have equal hashes; all bits count. As `at`. */
    uint64_t (*OBV_NULLABLE hash)(const struct obv_container *OBV_NONNULL
                                      container,
                                  const void *OBV_NONNULL element);
    /** The address of a member with a hash, `index` from 0 on; NULL: there are
        no more. As `at`. */
    const void *OBV_NULLABLE (*OBV_NULLABLE member)(
        const struct obv_container *OBV_NONNULL container, uint64_t hash,
        size_t index);
};

/** The `element` of a kind, by the kind's name: OBV_ELEMENT(object). Not for
    `enum` and `bytes`, which have no size of their own. */
#define OBV_ELEMENT(kind_name)                                                 \
    {                                                                          \
        "element", OBV_KIND_##kind_name, 0, 0, 0, NULL, NULL, NULL, NULL       \
    }

/**
 * Makes a class of containers.
 *
 * @param context  NULL: the default one.
 * @return OBV_E_ARGUMENT: a field of the kind is null or wrong; OBV_E_LAYOUT:
 * the
 *         struct is smaller than struct obv_container, or `element` is none;
 *         OBV_E_MEMORY; OBV_E_LIMIT; as obv_class_create() for the name.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_container_class_create(struct obv_context *OBV_NULLABLE context,
                           const struct obv_container_kind *OBV_NONNULL kind,
                           struct obv_class *OBV_NULLABLE *OBV_NONNULL cls,
                           struct obv_error *OBV_NULLABLE error);

/** The kind that a class of containers was made from, by the pointer that was
    given; NULL: the class is none of containers, or is NULL. */
OBV_API const struct obv_container_kind *OBV_NULLABLE
obv_container_kind_of(const struct obv_class *OBV_NULLABLE cls);

/**
 * Says that containers may come whose class is made when the first of them is
 * met (a binding's): paths are looked through for what no container can have,
 * from now on. Threads: any.
 *
 * @param context  NULL: the default one.
 */
OBV_API void obv_container_expect(struct obv_context *OBV_NULLABLE context);

/**
 * Makes a container observable, with the elements that it has. It ends by
 * obv_object_deinit() of its `object`.
 *
 * @return OBV_E_ARGUMENT: an argument is null, or the class is none of
 * containers.
 */
OBV_API enum obv_status
obv_container_init(struct obv_container *OBV_NONNULL container,
                   struct obv_class *OBV_NONNULL cls);

/**
 * One edit. Elements have gone and come, or have moved: one or the other.
 *
 *     insert      .position = i, .inserted = n
 *     remove      .position = i, .removed = n
 *     replace     .position = i, .removed = n, .inserted = m
 *     assign      .removed = the count before, .inserted = the count now
 *     move        .position = i, .moved = n, .to = j
 *     swap, sort, reverse, shuffle
 *                 .position = i, .moved = n, .order = where each stands now
 *
 * and of a dictionary
 *
 *     put         .key = k, .inserted = 1; of a key that was there .removed =
 *     1,
 *                 .old = &the element before
 *     delete      .key = k, .removed = 1, .old = &it
 *
 * and of a set
 *
 *     enter       .key = &member, .inserted = 1
 *     leave       .key = &member, .removed = 1
 */
struct obv_container_edit {
    /** `removed` elements from `position` on have gone, and `inserted` ones
        stand there now. An element that has gone and come back to its place, by
        the kind's comparison, has not gone. */
    size_t position, removed, inserted;
    /** The elements that have gone, one after the other, as fields of their
        kind; NULL: they are not known, and count as different. */
    const void *OBV_NULLABLE old;
    /** `moved` elements from `position` on stand elsewhere now: from `to` on,
        counted without them; */
    size_t moved, to;
    /** or each where this says, counted from `position`: a permutation of 0 to
        `moved` - 1. */
    const size_t *OBV_NULLABLE order;
    /** Of a dictionary: the key. Of a set: where the member lies, or lay. */
    const void *OBV_NULLABLE key;
};

/**
 * Tells of edits that have been made, in their order: they are one change.
 * Observations of a position whose element differs are due, and so on.
 *
 * @return OBV_E_ARGUMENT: an edit goes past the end, is two edits in one or an
 *         order that is none, or the count is not what the edits make of the
 *         one that was told last; then nothing was told, and no later edit is
 *         told until it is: look at this (OBV_DIAGNOSTIC_MISUSE).
 *         OBV_E_ENDED: the container has.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_container_edited(struct obv_container *OBV_NONNULL container,
                     const struct obv_container_edit *OBV_NONNULL edits,
                     size_t count, struct obv_error *OBV_NULLABLE error);

/**
 * The edits that are being told of a container, for a handler that is called
 * meanwhile (OBV_IMMEDIATE): those that obv_container_edited() was given on
 * this thread and has not returned from, the innermost. Each counts from what
 * those before it have left, while the container is as all of them have left
 * it: elements that have come are read behind the last.
 *
 * A handler that edits the container is behind the edit that it was called for:
 * who is called after it is told of the second edit first. A program that keeps
 * a copy in step has an edit list (<observable/edit_list.h>), which also keeps
 * what happens between delayed calls.
 *
 * @param count  receives how many.
 * @return borrowed, until the handler returns or edits the container; NULL, and
 *         0: none is told, as in every delayed call.
 *
 * Cost: O(1) but for edits of other containers around it.
 */
OBV_API const struct obv_container_edit *OBV_NULLABLE
obv_container_edits(const struct obv_container *OBV_NONNULL container,
                    size_t *OBV_NONNULL count);

OBV_API void
obv_detail_read_content(const struct obv_container *OBV_NONNULL container);

OBV_API void
obv_detail_read_key(const struct obv_container *OBV_NONNULL container,
                    const void *OBV_NONNULL key);
OBV_API void
obv_detail_read_hash(const struct obv_container *OBV_NONNULL container,
                     uint64_t hash);

/**
 * The content of a container is read: to be called by its getters. A property
 * that is computed right now (<observable/computed.h>) depends on it from here
 * on, and is invalid after each edit of it that leaves other elements than
 * equal ones. The ready-made collections do this by themselves.
 *
 * Threads: any.   Cost: one load, where nothing is computed; a call more for
 *          the first read behind that.
 */
static inline void
obv_container_tell_read(const struct obv_container *OBV_NONNULL container)
{
    if (OBV_DETAIL_LOAD_RELAXED(&obv_detail_reading) != 0) {
        obv_detail_read_content(container);
    }
}

/**
 * The same of the element of one key, there or not: a property that is computed
 * depends on that alone. Of the members of a set with one hash. Other receivers
 * of reads are told of the content.
 *
 * Cost: as above; where it is computed a look-up, and for the first read of a key
 *       a cell, which goes when nothing has read it for a while.
 */
static inline void
obv_container_tell_read_key(const struct obv_container *OBV_NONNULL container,
                            const void *OBV_NONNULL key)
{
    if (OBV_DETAIL_LOAD_RELAXED(&obv_detail_reading) != 0) {
        obv_detail_read_key(container, key);
    }
}

static inline void
obv_container_tell_read_hash(const struct obv_container *OBV_NONNULL container,
                             uint64_t hash)
{
    if (OBV_DETAIL_LOAD_RELAXED(&obv_detail_reading) != 0) {
        obv_detail_read_hash(container, hash);
    }
}

OBV_END_DECLS

#endif
