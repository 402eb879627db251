/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluation: a computed property is brought up to date. The reads of last time
 * are checked first, from the far end on and without recursion; its function
 * runs only if something there has another value. Its reads become the edges of
 * the next time.
 */
#ifndef OBV_EVALUATION_H
#define OBV_EVALUATION_H

#include "dispatch/work_list.h"
#include "model/computed.h"

/** Brings a computed property up to date: its status. No lock held. */
enum obv_status obv__compute(struct obv_object *object, uint32_t slot);

/** Brings a record up to date: its status. Consequences join `work`, if that is
    not NULL and no other pull is around. */
enum obv_status obv__pull(struct obv__thread *self,
                          struct obv__computed *computed,
                          struct obv__work_list *work);

/** The function that runs on this thread has read a slot. Answers what was read,
    as in an edge; 0: that is no dependency. */
uintptr_t obv__record_read(struct obv__thread *self, struct obv_object *object,
                           uint32_t slot);

/** A record has read a source that is up to date: if any thread may set
    something that the source depends on (FOREIGN), so it is of the reader. */
void obv__follow_foreign(struct obv__thread *self, struct obv__computed *reader,
                         const struct obv__computed *source);

/** The library begins to read for a record, beside the record's function, from
    the first source on; and ends. */
void obv__reading_begin(struct obv__thread *self,
                        struct obv__computed *computed);
void obv__reading_end(struct obv__thread *self, struct obv__computed *computed);

/** All declared sources were read: takes away those that follow at the cursor,
    which are declared no more. */
void obv__forget_declared(struct obv__thread *self);

/** Takes away what the function of a record has read itself. */
void obv__forget_own(struct obv__thread *self, struct obv__computed *computed);

/** Takes away what the running function has read last time and not this time:
    all sources from the cursor on. */
void obv__forget_unread(struct obv__thread *self);

/** As `bring_up_to_date` of model/above.h. */
void obv__bring_path_up_to_date(struct obv_object *object, uint32_t slot,
                                struct obv__work_list *work);

/** Observers that waited for a value have their answer: an observer told from
    here on compares with the value that is stored now. */
void obv__first_answered(struct obv__thread *self,
                         struct obv__computed *computed);

/** An object is at its end: its records let go of their sources, and the
    readers of these records are marked. In an epoch section. */
void obv__computed_end(const struct obv_class *cls,
                       struct obv_detail_node *node, struct obv__marks *marks);

/** Lets go of the values that the records of an ended object keep. */
void obv__computed_values_end(const struct obv_class *cls,
                              struct obv_detail_node *node);

/** The running function has read the source at the cursor: passes it. */
void obv__read_next(struct obv__thread *self);

#endif
