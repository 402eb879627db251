/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Change records: what an observation has asked to be told beside the fact that
 * something changed. Old and new values, records, net, a comparison of its own,
 * a call before the store: an observation with any of these options is a group
 * that keeps change records, and all its pairs hang at path nodes, also those
 * of one element.
 *
 * A *change record* is what became of one endpoint: of a pair, and under `*` of
 * one path instance. An edit makes one for each endpoint that it changes
 * (work_list.h). An immediate observation gets those of its edit; a delayed one
 * gathers them here, one an endpoint, until its call takes them.
 *
 * Gathering comes before scheduling, and taking after the observation is idle:
 * so a change that finds the observation still pending, and therefore schedules
 * nothing, has its change records taken by that call.
 *
 * Change records have a lock of their own; values are copied and dropped
 * outside.
 */
#ifndef OBV_CHANGE_RECORDS_H
#define OBV_CHANGE_RECORDS_H

#include "model/context.h"
#include "model/watcher.h"

#include <observable/value.h>

/** The change of one endpoint. */
struct obv__change_record {
    struct obv__change_record *next;
    struct obv__watcher *via; /* the pair; while an edit has the change
                                 record */
    uint32_t pair;            /* its number */
    uint32_t serial;          /* the pair's: one that was taken back has had the
                                 number too */
    /* Memory was short for the value, or it is not known what it was. */
    bool misses_first, misses_last;
    bool is_touch;  /* another element has changed, this endpoint has not */
    bool is_moved;  /* the path leads to another object */
    bool is_unsure; /* what it was is not known, as of an object that has died:
                        net does not go by it */
    bool is_from_nil; /* it was unreachable before this cycle's changes, and
                           has been reached untold */
    bool is_open; /* the last value was yet to be computed: the call reads it */
    uint64_t changes;
    struct obv_value first, last;
    struct obv_cause first_cause, last_cause;
    /* For a record: the path and the way, each with a NUL; or NULL. */
    char *text;
    size_t text_size;
    /* The elements in the place of each `*`, by a number that no other has; and
       the same as they are told, behind them. */
    uint32_t name_count;
    struct obv_record_element *elements;
    uint64_t names[];
};

/** Stamps of what was gathered; 0: there was none. */
struct obv__last_stamps {
    uint64_t greatest;
    uint64_t given; /* of the last change, as its set has it */
    uint64_t moved; /* of an end of a binder: since when its path leads to this
                       object, or is followed; of others 0 */
};

struct obv__change_records {
    /* Constant. */
    uint32_t flags; /* obv_observe_flags */
    enum obv_compare compare;
    bool (*equal)(void *context, const struct obv_value *old,
                  const struct obv_value *now);
    void *equal_context;
    size_t limit;          /* of the entries that a call is told */
    struct obv_path *path; /* with OBV_VALUES: its only one, from its pair on;
                              a reference */
    /* Under the group's lock. */
    uint32_t next_pair;
    /* Under `lock`, as what a batch has gathered (struct obv__aside). */
    struct obv__change_record *first; /* what the next call takes */
    size_t missed;                    /* notes that there was no memory for */
    bool by_hand;                     /* a call was scheduled by hand */
    bool is_over; /* the observation has ended: nothing is gathered */
    struct obv__last_stamps last;
    struct obv__lock lock;
};

/** Whether a change record has not got all that it is to tell. */
static inline bool
obv__change_record_misses(const struct obv__change_record *record)
{
    return record->misses_first || record->misses_last;
}

/** The values that a call is told beside its two ends. */
struct obv__told {
    const struct obv_value *old, *now;
    const struct obv_cause *cause;
    const struct obv_record *record; /* NULL, or the next, or a constant */
    struct obv_record own;
    struct obv_record_entry *entries; /* its own, and how many have room */
    size_t room;
    bool is_prior;
};

/** The notes that a call takes with it. */
struct obv__taken {
    struct obv__change_record *records;
    size_t missing;
    bool by_hand;
};

/** Whether options need change records. */
static inline bool
obv__change_records_are_needed(const struct obv_observe_options *options)
{
    const uint32_t recording =
        OBV_ANY_ELEMENT | OBV_NET | OBV_VALUES | OBV_PRIOR | OBV_RECORDS;
    return (options->flags & recording) || options->equal ||
           options->compare != OBV_COMPARE_DECLARED;
}

/** Change records as the options say; NULL: no memory. */
struct obv__change_records *
obv__change_records_create(struct obv_context *context,
                           const struct obv_observe_options *options);

/** Called by the reclaim, with the group's memory. */
void obv__change_records_free(struct obv_context *context,
                              struct obv__change_records *records);

/** The wants of the observation at its leaf's path node, and at the path nodes
    above that: enum obv__wants. */
unsigned
obv__change_records_want_at_leaf(const struct obv__change_records *records);
unsigned
obv__change_records_want_above(const struct obv__change_records *records);

/** Whether change records are kept for the call: values, records or net. */
bool obv__change_records_are_kept(const struct obv__change_records *records);

/** Whether an endpoint counts as changed, by the comparison in force. Runs code
    of the program: no lock held. */
bool obv__change_records_differ(const struct obv__change_records *records,
                                const struct obv_value *old,
                                const struct obv_value *now);

/** A change record with values that are yet to be copied; NULL: no memory.
    `stamp`: of the change; 0: it has none yet, and receives the next one. */
struct obv__change_record *
obv__change_record_create(struct obv_context *context, struct obv__watcher *via,
                          const uint64_t *names, size_t name_count,
                          uint64_t *stamp);
void obv__change_record_destroy(struct obv_context *context,
                                struct obv__change_record *record);

/** Keeps the path that an observation which is told values follows. */
void obv__change_records_keep_path(struct obv__change_records *records,
                                   const struct obv_path *path);

void obv__change_records_destroy(struct obv_context *context,
                                 struct obv__change_record *first);

/** Whether two change records are of one endpoint. */
bool obv__change_record_is_like(const struct obv__change_record *a,
                                const struct obv__change_record *b);

/** The place in a list of the change record of the same endpoint; the list's end:
    there is none. */
struct obv__change_record **
obv__change_record_place(struct obv__change_record **list,
                         const struct obv__change_record *record);

/** Adds what a change record tells to an earlier one of the same endpoint; what
    is left in it is to be dropped. */
void obv__change_record_join(struct obv__change_record *earlier,
                             struct obv__change_record *record);

/** Whether the last value of a pair's endpoint was yet to be computed. */
bool obv__change_records_are_open(struct obv__change_records *records,
                                  const struct obv__watcher *pair);

/** Gathers change records, which are given away: in the `list` of a batch, or,
    if that is NULL, for the next call. `is_noted`: they come from a batch that
    ends. No lock held. */
void obv__change_records_gather(struct obv_context *context,
                                struct obv__change_records *records,
                                struct obv__change_record **list,
                                struct obv__change_record *first,
                                bool is_noted);

/** Counts a change record that there was no memory for. */
void obv__change_records_miss(struct obv__change_records *records);

/** How many were missed since the last call: an immediate call, whose change
    records its edit has, tells them. */
size_t obv__change_records_take_missed(struct obv__change_records *records);

/** Notes that the next call is by hand. */
void obv__change_records_by_hand(struct obv__change_records *records);

/** Takes the change records of a call; the observation is idle. */
void obv__change_records_take(struct obv__change_records *records,
                              struct obv__taken *taken);

/** Drops what was gathered: the call is not to come. */
void obv__change_records_forget(struct obv_context *context,
                                struct obv__change_records *records);

/** Whether there is anything to call for: something that differs, or a hand.
    Runs code of the program. */
bool obv__change_records_call_for(const struct obv__change_records *records,
                                  const struct obv__taken *taken);

/** Ends the gathering: the observation has ended and is not called any more. */
void obv__change_records_end(struct obv_context *context,
                             struct obv__change_records *records);

/** Fills in what a call is told, from what it has taken; ended by the other. */
void obv__told_begin(struct obv_context *context,
                     const struct obv__change_records *records,
                     const struct obv__taken *taken, struct obv__told *told);
void obv__told_end(struct obv_context *context, struct obv__told *told);

/** The contents of a call by hand: an empty record, and the present value at
    the end of the path as old and new value. The copy in `present` is the
    caller's to drop. `root` NULL: a class-level observation, without an
    instance. In an epoch section, no lock held. */
struct obv__told obv__told_of_present(struct obv__watcher *observation,
                                      uint32_t flags,
                                      const struct obv_path *path,
                                      struct obv_object *root,
                                      struct obv_value *present);

/** The next stamp. */
uint64_t obv__stamp_next(void);

/** The distance of two stamps of sets. In between lie those of changes that are
    carried on, one behind the other, and each has so much room: two that are
    behind the same one are told apart by their own sets. */
#define OBV__STAMP_STEP ((uint64_t)1 << 18)
#define OBV__STAMP_ROOM ((uint64_t)1 << 6)

/** A stamp right behind this one, earlier than that of any other set: for a set
    of the stamp `own` that carries this one's change on. 0: there were too many
    of them. */
uint64_t obv__stamp_behind(uint64_t stamp, uint64_t own);

/** Whether a stamp is of a later set than another one, and not of what the
    carrying of that has led to. */
bool obv__stamp_is_of_later_set(uint64_t stamp, uint64_t than);

/** How many observations there are that are told stamps. Any thread. */
extern uint32_t obv__stamps_told OBV__HIDDEN;

/** Whether any observation is told the stamp of a change, which may be the
    stamp of what the change makes invalid. */
static inline bool obv__stamps_are_told(void)
{
    /* Relaxed: an observation that begins takes older changes as of that
       moment. */
    return OBV__UNLIKELY(obv__load_relaxed(&obv__stamps_told) != 0);
}

/** The stamp of a change of this thread: `*stamp`, which is given now if it is
    0. */
uint64_t obv__stamp_of_change(uint64_t *stamp);

/** Writes the path as it was written, and the way; without memory, neither. In
    an epoch section, no lock held. */
void obv__change_record_write_texts(struct obv_context *context,
                                    struct obv__change_record *record);

struct obv__last_stamps
obv__change_records_last(struct obv__change_records *records);

/** The stamp that a change is told with. Of a change at an end of a binder it is
    right behind all that was told, if the value was set before the path led
    there, by the very set that moved the path, or before what stands there.
    Else `stamp`. */
uint64_t obv__change_records_later(struct obv__change_records *records,
                                   uint64_t stamp);

/** Makes the observation an end of a binder, whose value is as new as
    `stamp`. */
void obv__change_records_begin_at(struct obv__change_records *records,
                                  uint64_t stamp);

#endif
