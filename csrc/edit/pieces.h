/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edits of a container of positions since somebody looked. The content is kept
 * as pieces, each of what was there before in its order, or of what has come
 * since; a piece is as long as the next one is far away:
 *
 *     before   a b c d e f g            pieces   0: from 0
 *     now      a b x y e f d            pieces   0: from 0   2: has come
 *                                                4: from 4   6: from 3
 *     gone     c, from 2
 */
#ifndef OBV_PIECES_H
#define OBV_PIECES_H

#include "model/container.h"

#include <observable/edit_list.h>

/** An element that has gone, and where it stood before. */
struct obv__gone {
    size_t before;
    struct obv_value value;
};

struct obv__pieces {
    struct obv__index_map map;
    struct obv__piece *spare; /* so that there is always one to begin with */
    size_t before, now;       /* the counts */
    struct obv__gone *gone;
    size_t gone_count, gone_room;
};

/** Of no content yet. False: no memory. */
bool obv__pieces_init(struct obv_context *context, struct obv__pieces *pieces);
void obv__pieces_deinit(struct obv_context *context,
                        struct obv__pieces *pieces);

/** Records edits that have been made and are right. False: no memory; then they
    are good for nothing but obv__pieces_begin(). */
bool obv__pieces_record(struct obv__pieces *pieces,
                        const struct obv__container_edits *edits);

/** Hands over what has happened. False: no memory; then nothing was. */
bool obv__pieces_tell(struct obv_context *context, struct obv__pieces *pieces,
                      struct obv_edits *edits);

/** Begins anew, with a content of so many. */
void obv__pieces_begin(struct obv_context *context, struct obv__pieces *pieces,
                       size_t count);

#endif
