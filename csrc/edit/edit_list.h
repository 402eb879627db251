/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edit lists of a container: who records what has happened to it.
 */
#ifndef OBV_EDIT_LIST_H
#define OBV_EDIT_LIST_H

#include "model/container.h"

/* By the container's owner, no lock held. */

/** Records edits that have been made and are right, before anybody is told.
    Answers the lists that nobody has any more, for obv__edit_lists_free(). */
struct obv_edit_list *
obv__edit_lists_record(const struct obv__container_edits *edits);

/** Frees lists: their values are let go of, by the program's code. */
void obv__edit_lists_free(struct obv_edit_list *first);

/** Their container ends: answers them, for obv__edit_lists_free() once it has. */
struct obv_edit_list *obv__edit_lists_end(struct obv_container *container);

#endif
