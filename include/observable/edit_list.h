/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edit lists: what has happened to a container since somebody looked. Edits are
 * recorded as they are told, never found by comparing; what has come and gone
 * again meanwhile is not among them. A look in the handler of an observation
 * tells of its cycle:
 *
 *     obv_edit_list_create(NULL, &songs->container, &view->list, &error);
 *     obv_observe(&songs->container.object, "*", &showing, view, NULL, &error);
 *
 *     static void show(void *observer, ...)                 showing.changed
 *     {
 *         struct view *view = observer;
 *         struct obv_edits edits;
 *         if (obv_edit_list_take(view->list, &edits, NULL) != OBV_OK) {
 *             reload(view);
 *             return;
 *         }
 *         for (size_t i = 0; i < edits.splice_count; i++) {
 *             const struct obv_splice *splice = &edits.splices[i];
 *             change_rows(view, splice->now, splice->removed,
 *                         splice->inserted);
 *         }
 *         obv_edits_deinit(&edits);
 *     }
 *
 * Positions are of two contents: `before` in that of the last look, `now` in
 * that of this one. Of an array there are splices and runs, which say the same.
 * Splices are what a view of rows wants: made from the first to the last, each
 * takes place at `now`; from the last to the first, at `before`. Runs tell who
 * has gone, who has come and who has moved: a splice removes those that have
 * moved as well, and inserts them again. Elements that were told as moved have
 * moved, however few moves would do; one that is back beside who stood beside it
 * may count as having stayed.
 *
 * Of a dictionary and a set there is what became of each key or member.
 *
 * An element that was replaced by an equal one has gone, and the other has
 * come.
 *
 * If the container of a property may be replaced, the handler turns the list to
 * the present one before it looks: the elements of the one before have gone
 * then, and those of this one have come. A program that wants to know what has
 * gone keeps the one before until then.
 *
 * Ownership: a list is its creator's, and does not keep the container. It keeps
 *            a copy of what has gone, as obv_value_at() makes it, from the edit
 *            on; the copy is the caller's once it is handed over. Both are
 *            given back before their context is destroyed.
 * Threads:   obv_edit_list_release() and obv_edits_deinit() are for any; all
 *            else as reading the container, by its owner.
 * Callbacks: at an edit, before anybody is told, `copy` and `retain` of what
 * has
 *            gone, and `hash`, `equal` and `copy` of keys. Their ends are
 *            called by obv_edits_deinit() and obv_edit_list_release(), and when
 *            a list that was given back meets an edit or its container's end.
 * Algorithm: the content as pieces, each of what was there in its order or of
 *            what has come since, in a balanced tree of positions.
 * Cost:      O(log p + removed) an edit, p the pieces: three more with each
 *            edit at most; of one that reorders O(p log p), and one more for
 *            each element that it moves. O(1) an edit of a key. A look: O(p log
 *            p + what it hands over). 56 bytes a piece, some 48 an element that
 *            has gone, some 100 a key.
 */
#ifndef OBSERVABLE_EDIT_LIST_H
#define OBSERVABLE_EDIT_LIST_H

#include <observable/container.h>
#include <observable/value.h>

OBV_BEGIN_DECLS

struct obv_edit_list;

/** No position: it was not there before, or is not now. */
#define OBV_NOWHERE SIZE_MAX

/** A difference of two contents: in the place of `removed` elements from
    `before` on there are `inserted` ones now, from `now` on. */
struct obv_splice {
    size_t before, now, removed, inserted;
};

/** `count` elements that stood one behind the other, or do: they have gone
    (`now` is OBV_NOWHERE), have come (`before` is), or have moved. */
struct obv_edit_run {
    size_t before, now, count;
    /** Of those that have gone, `count` of them; unreachable where it was not
        said what has gone, or it could not be kept. Else NULL. */
    const struct obv_value *OBV_NULLABLE gone;
};

/** The change of one key of a dictionary, or of one member of a set. */
struct obv_key_edit {
    /** As the kind of keys copies it; NULL of a set. */
    const void *OBV_NULLABLE key;
    /** Of a dictionary what stood there before; of a set the member. */
    struct obv_value value;
    bool was_there, is_there;
};

/** The edits that have happened, until obv_edits_deinit(). */
struct obv_edits {
    /** Of positions, in ascending order. */
    const struct obv_splice *OBV_NULLABLE splices;
    size_t splice_count;
    /** Those that have gone, by `before`; then the others, by `now`. */
    const struct obv_edit_run *OBV_NULLABLE runs;
    size_t run_count;
    /** Of keys and members, each once, in the order of their first edits. One
        that was not there and is not there now is none of them. */
    const struct obv_key_edit *OBV_NULLABLE keys;
    size_t key_count;
    /** The library's. */
    void *OBV_NULLABLE reserved;
};

/**
 * Begins to record, from the present content on.
 *
 * @param cls        of containers that are edited; NULL: that of `container`.
 * @param container  borrowed; of that class. NULL: none yet, see
 *                   obv_edit_list_turn_to().
 * @param list       receives the list.
 * @return OBV_E_ARGUMENT: `list` is null, or both others are, or it is a
 *         constant container, or none, or an edit of it has not been told;
 *         OBV_E_KIND: it is of another class; OBV_E_ENDED: it has;
 *         OBV_E_MEMORY.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_edit_list_create(struct obv_class *OBV_NULLABLE cls,
                     struct obv_container *OBV_NULLABLE container,
                     struct obv_edit_list *OBV_NULLABLE *OBV_NULLABLE list,
                     struct obv_error *OBV_NULLABLE error);

/**
 * Goes on with another container, or with none: the elements of the one before
 * have gone, and those of this one have come. The same again changes nothing.
 *
 * @param container  borrowed; of the class of the one before. NULL: none.
 * @return OBV_E_KIND: it is of another class; OBV_E_ARGUMENT: it is none,
 * `list`
 *         is null, or an edit of it or of the one before has not been told;
 *         OBV_E_ENDED: it has; OBV_E_MEMORY. After an error the list is as it
 *         was. If the one before has ended, the next look answers OBV_E_ENDED.
 *
 * Cost: as an edit that replaces every element.
 */
OBV_API enum obv_status
obv_edit_list_turn_to(struct obv_edit_list *OBV_NULLABLE list,
                      struct obv_container *OBV_NULLABLE container,
                      struct obv_error *OBV_NULLABLE error);

/**
 * Looks: hands over what has happened since the last time, and records anew.
 *
 * @param edits  receives what has happened, to be given back by
 *               obv_edits_deinit(); empty on error.
 * @return OBV_E_MEMORY: memory was short, now or at an edit, so nobody knows
 *         what has happened. A follower of the content reads it anew; the list
 *         goes on from there. OBV_E_ENDED: the same, since the container has
 *         ended. OBV_E_ARGUMENT: an argument is null.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_edit_list_take(struct obv_edit_list *OBV_NULLABLE list,
                   struct obv_edits *OBV_NULLABLE edits,
                   struct obv_error *OBV_NULLABLE error);

/** Gives back what was handed over. It is empty then, so this may be repeated.
    NULL is ignored. */
OBV_API void obv_edits_deinit(struct obv_edits *OBV_NULLABLE edits);

/** Ends a list. NULL is ignored. */
OBV_API void obv_edit_list_release(struct obv_edit_list *OBV_NULLABLE list);

OBV_END_DECLS

#endif
