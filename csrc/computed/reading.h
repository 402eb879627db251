/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receivers of a thread's reads, for the core.
 */
#ifndef OBV_READING_H
#define OBV_READING_H

#include "dispatch/pull.h"

/** The receiver of the reads of every thread that has no other. */
extern struct obv_detail_reader *obv__reader_of_all OBV__HIDDEN;

/** The receiver of a thread's reads, which may be new; NULL: none. */
static inline struct obv_detail_reader *
obv__reader(const struct obv__thread *self)
{
    struct obv_detail_reader *reader = self->cursor == obv__reader_cursor()
                                           ? self->slots[OBV__THREAD_READER]
                                           : NULL;
    return reader ? reader : obv__load_acquire(&obv__reader_of_all);
}

#endif
