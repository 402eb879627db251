/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are told apart by where they stand (positions.c), and the edits
 * of such containers (position_edits.c).
 */
#ifndef OBV_POSITIONS_H
#define OBV_POSITIONS_H

#include "model/container.h"

/** Where the element at a position lies; NULL: there is none. */
const void *obv__element_at(const struct obv_container *container,
                            size_t position);

/** Where the element of a cell stands; SIZE_MAX: it has left. */
size_t obv__cell_position(const struct obv__cell *cell);

/** The first cell of a position from this one on, or NULL. */
struct obv__cell *obv__cell_from(const struct obv_container *container,
                                 size_t position);

/* What an edit does to the cells of occurrences; there are some. */

bool obv__has_occurrences(const struct obv_container *container);

/** Those that were removed have gone: their cells, by `next_gone`. Where
    something was inserted in the place of one, it stands there as before, until it
    turns out that it has left. */
struct obv__cell *
obv__occurrences_replace(struct obv_container *container,
                         const struct obv_container_edit *edit);

/** One of those, from `*at` behind the edit's position on, which is then where it
    stands; each once. NULL: there is none. */
struct obv__cell *
obv__occurrence_put_back(struct obv_container *container,
                         const struct obv_container_edit *edit, size_t *at);
void obv__occurrence_leaves(struct obv__cell *cell);

void obv__occurrences_move(struct obv_container *container,
                           const struct obv_container_edit *edit);
void obv__occurrences_permute(struct obv_container *container,
                              size_t (*to)(void *edit, size_t position),
                              const struct obv_container_edit *edit);

/* The answers about edits. */
/** Where the i-th element that an edit has removed lies; NULL: it is not known. */
const void *obv__removed_element(const struct obv__container_edits *edits,
                                 const struct obv_container_edit *edit,
                                 size_t i);

bool obv__position_edits_check(const struct obv__container_edits *edits,
                               size_t *count);
void obv__position_edits_begin(struct obv__container_edits *edits);
struct obv__cell *
obv__position_edits_next(const struct obv__container_edits *edits,
                         const struct obv__cell *cell);
bool obv__position_edits_change(const struct obv__container_edits *edits,
                                const struct obv__cell *cell, const void **old,
                                enum obv__edit_kind *kind);
bool obv__position_edits_were_equal(const struct obv__container_edits *edits,
                                    const struct obv_container *other);
bool obv__position_edits_change_all(const struct obv__container_edits *edits,
                                    enum obv__edit_kind *kind);

#endif
