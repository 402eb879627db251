/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived arrays: arrays that follow another collection by its edits, filtered,
 * mapped, sorted, or all three; and groups, a dictionary of such arrays.
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
 *     obv_array_release(rows);
 *
 * What is derived is an `obv_array` in every respect but one: nobody but its
 * source edits it; every other edit answers OBV_E_DERIVED. It is read and
 * observed, stands in properties and paths, has edit lists and is derived from
 * again. obv_array_copy() makes one of it that the program edits.
 *
 * The source is a container of objects, strings or pointers: an `obv_array`, a
 * derived one, an `obv_dictionary`, an `obv_set`, or one of the program's own.
 * The values of a dictionary and the members of a set stand in the order in
 * which their keys, or they, came: a value that is put at a key stands where
 * the one before it stood, and a key that comes back comes last.
 *
 * Behaviour
 *   - It is up to date when the edit of its source returns. It observes that
 *     immediately: who had begun to do so before is called before it is. Where
 *     immediate handlers are nested too deep (OBV_DIAGNOSTIC_DEPTH) it is at
 *     the next edit.
 *   - One edit of the source is one edit here, or none if nothing changes; what
 *     a handler in between edits as well is part of it. What moves there moves
 *     here, so a path that follows an element (`4`) goes on following it. In a
 *     sorted array nothing moves for that.
 *   - The functions of the kind are asked once for an element that comes, for
 *     each of its places; and again when one of `paths` is called, or by
 *     obv_derived_refresh(). An element that is included still stays; one whose
 *     rank changes moves; one that is mapped again is replaced.
 *   - Elements that compare as equal stand as they came.
 *   - An element that is replaced by itself at its place, or at its key, has
 *     not left: it is not asked about again. Of a source that tells of that and
 *     of a move as one edit it has.
 *   - Where the source ends first (a container of the program's that nobody
 *     holds) the array stays what it is: OBV_E_ENDED of obv_derived_status().
 *
 * Memory that is short leaves the array as it was: nothing of it is half done.
 * It is told to the diagnostics hook (OBV_DIAGNOSTIC_DERIVED), once, and by
 * obv_derived_status(). The next edit of the source makes up for it, a change
 * of one of the `paths`, or obv_derived_refresh(). If the edit itself was
 * missed, the whole content is read anew, as by obv_array_assign(): who follows
 * an element that is at its position again goes on. An element that cannot be
 * held or observed has the same effect: its status is the one that is told.
 *
 * Ownership: the array holds its source and is counted as any; the last release
 *            ends it. It holds what it shows, and the objects that it observes.
 *            An element that cannot be held (an object whose class has no
 *            `retain`, a pointer that the program maps out of a container of
 *            its own) does not end before the edit that removes it has
 *            returned, nor inside the functions of the kind.
 * Threads:   the source, its elements and the array have one owner, as any
 *            containers that paths connect. retain and release are for any.
 *            `paths` are observed immediately: what another thread sets there
 *            (OBV_ANY_THREAD), or what is computed of it, edits the array on
 *            that thread, which nothing reports. Name a property that the owner
 *            sets, in a delayed handler of the other.
 * Callbacks: the functions of the kind run with no lock held, while the array
 *            is what it was before. They may edit the source, observe, and let
 *            go of the array: what they do to the source is done here when they
 *            have returned, as an edit of its own.
 * Algorithm: the elements of the source in a treap by position whose nodes know
 *            how many below them are shown; those that are shown, where there
 *            is a comparison, in a second one by rank. What has happened comes
 *            from an edit list (<observable/edit_list.h>).
 * Cost:      O(log n) for each element that an edit touches, and as many
 *            comparisons; moving the pointers behind it in the array; and the
 *            edit list's. Several that move at once in an array that is not
 *            sorted: O(what lies between them). 96 bytes an element of the
 *            source, 48 more where there is a comparison, 48 for its key; where
 *            there are paths an observation and 56 for each object.
 */
#ifndef OBSERVABLE_DERIVED_H
#define OBSERVABLE_DERIVED_H

#include <observable/array.h>
#include <observable/dictionary.h>

OBV_BEGIN_DECLS

/**
 * How an array is derived, or groups are. Kept by pointer: a constant, or alive
 * until `dispose`. What is not needed is 0: with none of the functions it shows
 * all, as they are.
 *
 * Elements are given as where they lie, as to obv_array_sort(): what is handed
 * over is the address of the pointer. NULL elements are asked about like
 * others.
 */
struct obv_derived_kind {
    /** sizeof(struct obv_derived_kind). */
    size_t size;
    /** Whether an element is shown. NULL: each is. */
    bool (*OBV_NULLABLE includes)(const void *OBV_NONNULL element,
                                  void *OBV_NULLABLE argument);
    /** What is shown of an element that is included: written to `mapped`, which
        is NULL before. The array takes it as any element: it copies a text, and
        holds an object. False: nothing is. NULL: the elements themselves. */
    bool (*OBV_NULLABLE map)(const void *OBV_NONNULL element,
                             void *OBV_NULLABLE *OBV_NONNULL mapped,
                             void *OBV_NULLABLE argument);
    /** Of a dictionary, in place of `map`: it is given the key as well. */
    bool (*OBV_NULLABLE map_pair)(const void *OBV_NONNULL key,
                                  const void *OBV_NONNULL element,
                                  void *OBV_NULLABLE *OBV_NONNULL mapped,
                                  void *OBV_NULLABLE argument);
    /** Called with each answer of these but NULL once the array has taken it:
        what has been made for it is given back. */
    void (*OBV_NULLABLE give_back)(void *OBV_NONNULL mapped,
                                   void *OBV_NULLABLE argument);
    /** Of obv_derived_group(), else NULL: in which group an element belongs
        that is included: a key, as obv_dictionary_put() is given one, to be
        read until the next call. NULL: in none. */
    const void *
    OBV_NULLABLE (*OBV_NULLABLE key)(const void *OBV_NONNULL element,
                                     void *OBV_NULLABLE argument);
    /** In which order what is shown stands: a number below, at or above 0. If
        it contradicts itself, it is some order of the same elements. NULL: that
        of the source. */
    int (*OBV_NULLABLE compare)(const void *OBV_NONNULL a,
                                const void *OBV_NONNULL b,
                                void *OBV_NULLABLE argument);
    /** Paths from an element, which is an object, to what the functions read:
        when one of them is called they are asked again. A constant, as its
        texts. */
    const char *OBV_NONNULL const *OBV_NULLABLE paths;
    size_t path_count;
    /** Called once the array has ended: the kind and `argument` are not used
        any more. On the thread of the last release, with no lock held. Not of
        one whose creation has failed. */
    void (*OBV_NULLABLE dispose)(const struct obv_derived_kind *OBV_NONNULL
                                     kind,
                                 void *OBV_NULLABLE argument);
    /** For diagnostics; a constant, or NULL. */
    const char *OBV_NULLABLE label;
};

/**
 * Makes an array that follows a container, with one reference.
 *
 * @param source    held by `retain` of its class; its edits are told.
 * @param argument  handed to the functions of the kind.
 * @param cls       a class of arrays, of the source's context; the elements of
 *                  the source are what its elements are, unless they are
 *                  mapped. NULL: that of the source, if it is an `obv_array`.
 * @param array     receives the array, with all that is in the source.
 * @return OBV_E_ARGUMENT: an argument is null, `size` is wrong, the class is
 *         none of arrays, or there is an edit of the source that has not been
 *         told; OBV_E_KIND: the elements of the source are none of objects,
 *         strings and pointers, or not those of `cls`, or there are paths and
 *         they are no objects, or `map_pair` and no keys; OBV_E_SYNTAX of a
 *         path, `index` says which; OBV_E_OPTIONS: another context;
 *         OBV_E_ENDED; OBV_E_MEMORY; as obv_observe_pairs() for an element.
 *
 * Callbacks: those of the kind, for each element; and of obv_observe_pairs().
 * Cost:      O(n log n), and as many comparisons.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_derived_create(struct obv_container *OBV_NONNULL source,
                   const struct obv_derived_kind *OBV_NONNULL kind,
                   void *OBV_NULLABLE argument,
                   struct obv_class *OBV_NULLABLE cls,
                   struct obv_array *OBV_NULLABLE *OBV_NONNULL array,
                   struct obv_error *OBV_NULLABLE error);

/**
 * Makes a dictionary that follows a container: of each key an array of the
 * elements that have it, in the order of the source, or of `compare`.
 *
 *     static const struct obv_derived_kind by_genre = {
 *         .size = sizeof by_genre, .key = genre_of,
 *         .paths = genre, .path_count = 1};
 *
 *     obv_derived_group(&songs->container, &by_genre, NULL, shelves, NULL,
 *                       &shelf, &error);
 *     obv_observe(&shelf->container.object, "blues.count", ...);
 *
 * All that is said of derived arrays holds of it, and of its arrays. A key
 * without elements is not there; one that comes back has another array. An
 * element whose key changes goes from the one to the other: each array is told
 * of its edit, then the dictionary, if keys have come or gone. It is the
 * dictionary that is refreshed and asked for its status, by its container. Once
 * it has ended an array that somebody still holds stays what it is.
 *
 * @param cls        a class of dictionaries of objects, of the source's
 *                   context; `key` answers a key of its kind.
 * @param array_cls  the class of the arrays: as `cls` of obv_derived_create().
 * @return as obv_derived_create().
 *
 * Cost: as of a sorted array, where nothing is compared O(log n) look-ups for
 *       each comparison, n the elements of the source; 8 bytes more an element,
 *       some 250 a group with its array.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_derived_group(struct obv_container *OBV_NONNULL source,
                  const struct obv_derived_kind *OBV_NONNULL kind,
                  void *OBV_NULLABLE argument,
                  struct obv_class *OBV_NULLABLE cls,
                  struct obv_class *OBV_NULLABLE array_cls,
                  struct obv_dictionary *OBV_NULLABLE *OBV_NONNULL dictionary,
                  struct obv_error *OBV_NULLABLE error);

/** What an array or a dictionary is derived from, borrowed; NULL: nothing, or
    NULL was given. */
OBV_API struct obv_container *OBV_NULLABLE
obv_derived_source(const struct obv_container *OBV_NULLABLE derived);

/** Whether a derived array is what its source says: OBV_OK; OBV_E_MEMORY, or
    another reason why an edit could not be followed; OBV_E_ENDED: its source
    has, and it stays what it is. OBV_E_ARGUMENT: it is not derived. */
OBV_API enum obv_status
obv_derived_status(const struct obv_container *OBV_NULLABLE derived);

/**
 * Asks about every element again, where the functions of the kind read more
 * than `paths` say (a text to search for, in `argument`); and makes up for what
 * could not be done. It is one edit: what is still included stays, or moves.
 *
 * Inside the functions of the kind it is done when they have returned.
 *
 * @return OBV_E_MEMORY and others as obv_derived_status(): then the array is as
 *         it was. OBV_E_ARGUMENT also: an edit of the source has not been told.
 *
 * Callbacks: the functions of the kind; handlers of the array's observations.
 * Cost:      O(n), and O(m log m) comparisons, m those that are shown.
 */
OBV_API enum obv_status
obv_derived_refresh(struct obv_container *OBV_NULLABLE derived);

OBV_END_DECLS

#endif
