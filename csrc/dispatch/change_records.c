/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Change records: gathering, taking, handing over.
 */
#include "dispatch/change_records.h"

#include "dispatch/loop.h"
#include "model/above.h"
#include "model/copy.h"
#include "model/key.h"
#include "model/node.h"
#include "model/path_node.h"
#include "path/path.h"

#include <string.h>

#define DEFAULT_LIMIT 16

/* Options ----------------------------------------------------------------- */

/* Observations that are told of causes. */
uint32_t obv__stamps_told;

static bool is_told_stamps(const struct obv__change_records *records)
{
    return (records->flags & (OBV_VALUES | OBV_RECORDS)) != 0;
}

struct obv__change_records *
obv__change_records_create(struct obv_context *context,
                           const struct obv_observe_options *options)
{
    struct obv__change_records *records =
        obv__context_allocate(context, sizeof *records);
    if (!records) {
        return NULL;
    }
    memset(records, 0, sizeof *records);
    records->flags = options->flags;
    records->compare = options->compare;
    records->equal = options->equal;
    records->equal_context = options->equal_context;
    records->limit = SIZE_MAX;
    if (options->flags & OBV_RECORDS) {
        records->limit =
            options->record_limit ? options->record_limit : DEFAULT_LIMIT;
    }
    obv__fetch_add_relaxed(&obv__stamps_told,
                           (uint32_t)is_told_stamps(records));
    return records;
}

void obv__change_records_keep_path(struct obv__change_records *records,
                                   const struct obv_path *path)
{
    if ((records->flags & OBV_VALUES) && !records->path) {
        records->path = obv__path_retain(path);
    }
}

void obv__change_records_free(struct obv_context *context,
                              struct obv__change_records *records)
{
    obv_path_destroy(records->path);
    obv__fetch_add_relaxed(&obv__stamps_told,
                           -(uint32_t)is_told_stamps(records));
    obv__context_free(context, records, sizeof *records);
}

static bool has_comparison(const struct obv__change_records *records)
{
    return records->compare != OBV_COMPARE_DECLARED || records->equal;
}

bool obv__change_records_are_kept(const struct obv__change_records *records)
{
    return (records->flags & (OBV_VALUES | OBV_RECORDS | OBV_NET)) != 0;
}

unsigned
obv__change_records_want_at_leaf(const struct obv__change_records *records)
{
    unsigned wants =
        obv__change_records_are_kept(records) ? OBV__WANTS_OLD : 0u;
    wants |= has_comparison(records) ? OBV__WANTS_OLD | OBV__WANTS_SAME : 0u;
    wants |= records->equal ? OBV__WANTS_CODE : 0u;
    return wants | (records->flags & OBV_PRIOR ? OBV__WANTS_PRIOR : 0u);
}

unsigned
obv__change_records_want_above(const struct obv__change_records *records)
{
    return (records->flags & OBV_PRIOR ? OBV__WANTS_PRIOR : 0u) |
           (records->flags & OBV_ANY_ELEMENT ? OBV__WANTS_ANY_ELEMENT : 0u);
}

bool obv__change_records_differ(const struct obv__change_records *records,
                                const struct obv_value *old,
                                const struct obv_value *now)
{
    bool is_reachable = obv_value_is_reachable(old);
    if (!is_reachable || !obv_value_is_reachable(now)) {
        return is_reachable != obv_value_is_reachable(now);
    }
    if (records->equal) {
        return !records->equal(records->equal_context, old, now);
    }
    return records->compare == OBV_COMPARE_ALWAYS_DIFFERENT ||
           !obv__values_equal(old, now, records->compare);
}

/* Causes ------------------------------------------------------------------ */

/* The stamp of the last change. Any thread. */
static uint64_t last_stamp;

/* As many corrections go one behind the other; then there is room for those of
   obv__change_records_later(). */
#define STAMPS_BEHIND 1000

uint64_t obv__stamp_next(void)
{
    return obv__fetch_add_seq_cst(&last_stamp, OBV__STAMP_STEP) +
           OBV__STAMP_STEP;
}

/* This one, if there is no room before the stamp of the next set. */
static uint64_t stamp_behind(uint64_t stamp, uint64_t own)
{
    uint64_t next = (stamp / OBV__STAMP_ROOM + 1) * OBV__STAMP_ROOM;
    return next % OBV__STAMP_STEP == 0
               ? stamp
               : next + own / OBV__STAMP_STEP % OBV__STAMP_ROOM;
}

uint64_t obv__stamp_behind(uint64_t stamp, uint64_t own)
{
    return stamp % OBV__STAMP_STEP < STAMPS_BEHIND * OBV__STAMP_ROOM
               ? stamp_behind(stamp, own)
               : 0;
}

bool obv__stamp_is_of_later_set(uint64_t stamp, uint64_t than)
{
    return stamp / OBV__STAMP_STEP > than / OBV__STAMP_STEP;
}

/* The stamp of a set: the one that is carried on (obv_stamp_begin()), but not
   for sets by handlers that run meanwhile; else a new one. */
static uint64_t take_stamp(const struct obv__thread *self)
{
    const struct obv_stamp *carried = self->slots[OBV__THREAD_STAMP];
    bool is_carried = carried && carried->number != 0 &&
                      carried->depth == obv__running_depth(self);
    return is_carried ? carried->number : obv__stamp_next();
}

uint64_t obv__stamp_of_change(uint64_t *stamp)
{
    *stamp = *stamp ? *stamp : take_stamp(obv__thread_self());
    return *stamp;
}

static struct obv_cause cause_now(uint64_t *stamp)
{
    struct obv__thread *self = obv__thread_self();
    const struct obv_source *source = obv__source_of(self);
    return (struct obv_cause){.stamp = obv__stamp_of_change(stamp),
                              .thread = obv__thread_number(self),
                              .file = source ? source->file : NULL,
                              .line = source ? source->line : 0};
}

/* Single change records --------------------------------------------------- */

static size_t change_record_size(size_t name_count)
{
    return sizeof(struct obv__change_record) +
           name_count * (sizeof(uint64_t) + sizeof(struct obv_record_element));
}

/* The element that a number stands for, without the object; a key by a
   reference. */
static struct obv_record_element element_by_number(struct obv_context *context,
                                                   uint64_t number)
{
    struct obv_record_element element = {.name = NULL};
    if (number > OBV__OBJECT_NUMBERS) {
        element.identity = number - OBV__OBJECT_NUMBERS;
    } else if (number > OBV__KEY_NUMBERS) {
        struct obv_key *key = obv__key_retain_number(context, number);
        element.key = key;
        element.name = key ? obv__key_text(key) : NULL;
    } else {
        element.name = obv_names_text(context->names, (uint32_t)number, NULL);
    }
    return element;
}

struct obv__change_record *
obv__change_record_create(struct obv_context *context, struct obv__watcher *via,
                          const uint64_t *names, size_t name_count,
                          uint64_t *stamp)
{
    struct obv__change_record *record =
        obv__context_allocate(context, change_record_size(name_count));
    if (record) {
        memset(record, 0, sizeof *record);
        record->via = via;
        record->pair = ((struct obv__recording_member *)(void *)via)->pair;
        record->serial = via->serial;
        record->changes = 1;
        record->first_cause = record->last_cause = cause_now(stamp);
        record->name_count = (uint32_t)name_count;
        record->elements = (void *)&record->names[name_count];
        for (size_t i = 0; i < name_count; i++) {
            record->names[i] = names[i];
            record->elements[i] = element_by_number(context, names[i]);
        }
    }
    return record;
}

void obv__change_record_destroy(struct obv_context *context,
                                struct obv__change_record *record)
{
    obv__value_drop(context, &record->first);
    obv__value_drop(context, &record->last);
    obv__context_free(context, record->text, record->text_size);
    for (size_t i = 0; i < record->name_count; i++) {
        const struct obv_record_element *element = &record->elements[i];
        if (element->object) {
            obv__class_of(element->object)->release(element->object);
        }
        obv_key_release((struct obv_key *)(uintptr_t)element->key);
    }
    obv__context_free(context, record, change_record_size(record->name_count));
}

void obv__change_records_destroy(struct obv_context *context,
                                 struct obv__change_record *first)
{
    while (first) {
        struct obv__change_record *next = first->next;
        obv__change_record_destroy(context, first);
        first = next;
    }
}

bool obv__change_record_is_like(const struct obv__change_record *a,
                                const struct obv__change_record *b)
{
    return a->pair == b->pair && a->serial == b->serial &&
           a->name_count == b->name_count &&
           memcmp(a->names, b->names, a->name_count * sizeof *a->names) == 0;
}

/* Gathering --------------------------------------------------------------- */

static void exchange(struct obv_value *a, struct obv_value *b)
{
    struct obv_value moved = *a;
    *a = *b;
    *b = moved;
}

void obv__change_record_join(struct obv__change_record *earlier,
                             struct obv__change_record *record)
{
    /* One of the present has no change of its own: the value before the first one
       is another where that was computed meanwhile. */
    if (earlier->changes == 0 ||
        (record->is_from_nil && obv_value_is_reachable(&earlier->last))) {
        exchange(&earlier->first, &record->first);
        earlier->misses_first = record->misses_first;
    }
    exchange(&earlier->last, &record->last);
    if (record->last_cause.stamp > earlier->last_cause.stamp) {
        earlier->last_cause = record->last_cause;
    }
    earlier->changes += record->changes;
    earlier->is_open = record->is_open;
    earlier->is_touch = earlier->is_touch && record->is_touch;
    earlier->is_unsure = earlier->is_unsure || record->is_unsure;
    earlier->misses_last = earlier->misses_last || record->misses_last;
}

struct obv__change_record **
obv__change_record_place(struct obv__change_record **list,
                         const struct obv__change_record *record)
{
    while (*list && !obv__change_record_is_like(*list, record)) {
        list = &(*list)->next;
    }
    return list;
}

uint64_t obv__change_records_later(struct obv__change_records *records,
                                   uint64_t stamp)
{
    const struct obv__last_stamps last = obv__change_records_last(records);
    uint64_t newest = last.greatest > last.moved ? last.greatest : last.moved;
    bool is_older =
        stamp <= last.moved || obv__stamp_is_of_later_set(last.greatest, stamp);
    return last.moved != 0 && is_older ? stamp_behind(newest, stamp) : stamp;
}

/* The first cause has the stamp of the set itself, the last one the stamp that
   all observations are told (settle_stamps(), work_list.c). */
static void note_stamp(struct obv__last_stamps *last,
                       const struct obv__change_record *record)
{
    uint64_t stamp = record->last_cause.stamp;
    uint64_t given = record->first_cause.stamp;
    if (record->is_moved && last->moved != 0) {
        last->moved = stamp;
    }
    last->given = record->is_moved || given == last->moved ? stamp : given;
    last->greatest = stamp > last->greatest ? stamp : last->greatest;
}

/* Joins a change record with that of the same endpoint, or appends it. Returns
   the record that is left over, to be destroyed, or NULL. The lock is held. */
static struct obv__change_record *
gather_locked(struct obv__change_records *records,
              struct obv__change_record **list,
              struct obv__change_record *record, bool is_noted)
{
    struct obv__change_record **place = obv__change_record_place(list, record);
    record->next = NULL;
    if (records->is_over || !obv__change_records_are_kept(records)) {
        return record;
    }
    if (!is_noted) {
        note_stamp(&records->last, record);
    }
    struct obv__change_record *left = *place ? record : NULL;
    if (*place && record->is_touch == (*place)->is_touch) {
        obv__change_record_join(*place, record);
    } else if (*place && !record->is_touch) {
        /* An endpoint that was only touched changes for the first time. */
        left = *place;
        *place = left->next;
        while (*place) {
            place = &(*place)->next;
        }
        *place = record;
    } else if (!*place) {
        *place = record;
    }
    return left;
}

bool obv__change_records_are_open(struct obv__change_records *records,
                                  const struct obv__watcher *pair)
{
    uint32_t number =
        ((const struct obv__recording_member *)(const void *)pair)->pair;
    obv__lock_enter(&records->lock);
    const struct obv__change_record *at = records->first;
    while (at && !(at->is_open && at->name_count == 0 && at->pair == number &&
                   at->serial == pair->serial)) {
        at = at->next;
    }
    obv__lock_leave(&records->lock);
    return at != NULL;
}

void obv__change_records_gather(struct obv_context *context,
                                struct obv__change_records *records,
                                struct obv__change_record **list,
                                struct obv__change_record *first, bool is_noted)
{
    struct obv__change_record *left = NULL, *next;
    obv__lock_enter(&records->lock);
    for (; first; first = next) {
        next = first->next;
        struct obv__change_record *dropped = gather_locked(
            records, list ? list : &records->first, first, is_noted);
        if (dropped) {
            dropped->next = left;
            left = dropped;
        }
    }
    obv__lock_leave(&records->lock);
    obv__change_records_destroy(context, left);
}

void obv__change_records_miss(struct obv__change_records *records)
{
    obv__lock_enter(&records->lock);
    records->missed++;
    records->last.greatest = records->last.given = obv__stamp_next();
    obv__lock_leave(&records->lock);
}

size_t obv__change_records_take_missed(struct obv__change_records *records)
{
    obv__lock_enter(&records->lock);
    size_t missed = records->missed;
    records->missed = 0;
    obv__lock_leave(&records->lock);
    return missed;
}

void obv__change_records_by_hand(struct obv__change_records *records)
{
    obv__lock_enter(&records->lock);
    records->by_hand = true;
    obv__lock_leave(&records->lock);
}

struct obv__last_stamps
obv__change_records_last(struct obv__change_records *records)
{
    obv__lock_enter(&records->lock);
    struct obv__last_stamps last = records->last;
    obv__lock_leave(&records->lock);
    return last;
}

void obv__change_records_begin_at(struct obv__change_records *records,
                                  uint64_t stamp)
{
    obv__lock_enter(&records->lock);
    records->last.moved = stamp;
    obv__lock_leave(&records->lock);
}

/* Taking ------------------------------------------------------------------ */

void obv__change_records_take(struct obv__change_records *records,
                              struct obv__taken *taken)
{
    obv__lock_enter(&records->lock);
    taken->records = records->first;
    taken->missing = records->missed;
    taken->by_hand = records->by_hand;
    records->first = NULL;
    records->missed = 0;
    records->by_hand = false;
    obv__lock_leave(&records->lock);
}

bool obv__change_records_call_for(const struct obv__change_records *records,
                                  const struct obv__taken *taken)
{
    bool changed = taken->by_hand || taken->missing != 0;
    if (!obv__change_records_are_kept(records)) {
        return true;
    }
    for (const struct obv__change_record *at = taken->records; at && !changed;
         at = at->next) {
        changed = !(records->flags & OBV_NET) ||
                  obv__change_record_misses(at) || at->is_unsure ||
                  obv__change_records_differ(records, &at->first, &at->last);
    }
    return changed;
}

void obv__change_records_forget(struct obv_context *context,
                                struct obv__change_records *records)
{
    struct obv__taken taken;
    obv__change_records_take(records, &taken);
    obv__change_records_destroy(context, taken.records);
}

void obv__change_records_end(struct obv_context *context,
                             struct obv__change_records *records)
{
    obv__lock_enter(&records->lock);
    records->is_over = true;
    obv__lock_leave(&records->lock);
    obv__change_records_forget(context, records);
}

/* Telling ----------------------------------------------------------------- */

static struct obv_record_entry entry_of(const struct obv__change_record *record)
{
    return (struct obv_record_entry){.index = record->pair,
                                     .path = record->text,
                                     .way = record->text +
                                            strlen(record->text) + 1,
                                     .first = record->first,
                                     .elements = record->elements,
                                     .element_count = record->name_count,
                                     .last = record->last,
                                     .changes = record->changes,
                                     .first_cause = record->first_cause,
                                     .last_cause = record->last_cause};
}

/* Fills the entries that there is room for; the others are missing. */
static void fill_record(const struct obv__taken *taken, struct obv__told *told)
{
    struct obv_record *record = &told->own;
    *record = (struct obv_record){told->entries, 0, taken->missing};
    for (const struct obv__change_record *at = taken->records; at;
         at = at->next) {
        if (at->is_touch || at->changes == 0) {
            continue;
        }
        if (obv__change_record_misses(at) || !at->text ||
            record->count == told->room) {
            record->missing++;
        } else {
            told->entries[record->count++] = entry_of(at);
        }
    }
    told->record = record;
}

/* Old and new value at the end of the path. Behind a hash there may be two
   change records: one member has left, and another has come. */
static void set_values(const struct obv__change_record *first,
                       struct obv__told *told)
{
    static const struct obv_value unreachable = {.kind = OBV_KIND_unreachable};
    told->old = told->now = &unreachable;
    for (; first; first = first->next) {
        if (!obv_value_is_reachable(told->old)) {
            told->old = &first->first;
        }
        if (obv_value_is_reachable(&first->last)) {
            told->now = &first->last;
        }
        if (!first->misses_last &&
            (!told->cause || told->cause->stamp < first->last_cause.stamp)) {
            told->cause = &first->last_cause;
        }
    }
}

void obv__told_begin(struct obv_context *context,
                     const struct obv__change_records *records,
                     const struct obv__taken *taken, struct obv__told *told)
{
    *told = (struct obv__told){.record = NULL};
    if (records->flags & OBV_RECORDS) {
        size_t count = 0;
        for (const struct obv__change_record *at = taken->records;
             at && count < records->limit; at = at->next) {
            count++;
        }
        told->entries =
            count != 0
                ? obv__context_allocate(context, count * sizeof *told->entries)
                : NULL;
        told->room = told->entries ? count : 0;
        fill_record(taken, told);
    }
    if (records->flags & OBV_VALUES) {
        set_values(taken->records, told);
    }
}

void obv__told_end(struct obv_context *context, struct obv__told *told)
{
    obv__context_free(context, told->entries,
                      told->room * sizeof *told->entries);
}

struct obv__told obv__told_of_present(struct obv__watcher *observation,
                                      uint32_t flags,
                                      const struct obv_path *path,
                                      struct obv_object *root,
                                      struct obv_value *present)
{
    static const struct obv_record empty = {.count = 0};
    struct obv__told told = {.record = flags & OBV_RECORDS ? &empty : NULL};
    *present = (struct obv_value){.kind = OBV_KIND_unreachable};
    if (flags & OBV_VALUES) {
        /* Unreachable where it cannot be read. */
        if (path && root &&
            obv__above.read(observation, root, path, present) != OBV_OK) {
            present->kind = OBV_KIND_unreachable;
        }
        told.old = told.now = present;
    }
    return told;
}

/* A thread's word of its changes ------------------------------------------ */

uint64_t obv_thread_number(void)
{
    return obv__thread_number(obv__thread_self());
}

void obv_source_begin(struct obv_source *source, const char *file,
                      uint32_t line)
{
    struct obv__thread *self = obv__thread_self();
    *source = (struct obv_source){file, line, self->slots[OBV__THREAD_SOURCE]};
    self->slots[OBV__THREAD_SOURCE] = source;
}

void obv_source_end(struct obv_source *source)
{
    obv__thread_self()->slots[OBV__THREAD_SOURCE] = source->outer;
}

void obv_stamp_begin(struct obv_stamp *stamp, uint64_t number)
{
    struct obv__thread *self = obv__thread_self();
    *stamp = (struct obv_stamp){number, obv__running_depth(self),
                                self->slots[OBV__THREAD_STAMP]};
    self->slots[OBV__THREAD_STAMP] = stamp;
}

void obv_stamp_end(struct obv_stamp *stamp)
{
    obv__thread_self()->slots[OBV__THREAD_STAMP] = stamp->outer;
}
