/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes: gathering, taking, handing over.
 */
#include "dispatch/notes.h"

#include "dispatch/loop.h"
#include "model/above.h"
#include "model/copy.h"
#include "model/path_node.h"
#include "path/path.h"

#include <observable/component.h>
#include <observable/trigger.h>

#include <string.h>

#define DEFAULT_LIMIT 16

/* Options ----------------------------------------------------------------- */

static bool compares(uint32_t compare, const void *equal)
{
    return compare != OBV_COMPARE_DECLARED || equal;
}

bool obv__notes_are_needed(const struct obv_observe_options *options)
{
    const uint32_t noting =
        OBV_ANY_ELEMENT | OBV_NET | OBV_VALUES | OBV_PRIOR | OBV_RECORDS;
    return (options->flags & noting) ||
           compares(options->compare, (const void *)(uintptr_t)options->equal);
}

struct obv__notes *obv__notes_create(struct obv_context *context,
                                     const struct obv_observe_options *options)
{
    struct obv__notes *notes = obv__context_allocate(context, sizeof *notes);
    if (!notes) {
        return NULL;
    }
    memset(notes, 0, sizeof *notes);
    notes->flags = options->flags;
    notes->compare = options->compare;
    notes->equal = options->equal;
    notes->equal_context = options->equal_context;
    notes->limit = SIZE_MAX;
    if (options->flags & OBV_RECORDS) {
        notes->limit =
            options->record_limit ? options->record_limit : DEFAULT_LIMIT;
    }
    obv__lock_init(&notes->lock);
    return notes;
}

void obv__notes_keep_path(struct obv__notes *notes, const struct obv_path *path)
{
    if ((notes->flags & OBV_VALUES) && !notes->path) {
        notes->path = obv__path_retain(path);
    }
}

void obv__notes_free(struct obv_context *context, struct obv__notes *notes)
{
    obv_path_destroy(notes->path);
    obv__context_free(context, notes, sizeof *notes);
}

static bool has_comparison(const struct obv__notes *notes)
{
    return notes->compare != OBV_COMPARE_DECLARED || notes->equal;
}

bool obv__notes_are_kept(const struct obv__notes *notes)
{
    return (notes->flags & (OBV_VALUES | OBV_RECORDS | OBV_NET)) != 0;
}

unsigned obv__notes_want_at_leaf(const struct obv__notes *notes)
{
    unsigned wants = obv__notes_are_kept(notes) ? OBV__WANTS_OLD : 0u;
    wants |= has_comparison(notes) ? OBV__WANTS_OLD | OBV__WANTS_SAME : 0u;
    wants |= notes->equal ? OBV__WANTS_CODE : 0u;
    return wants | (notes->flags & OBV_PRIOR ? OBV__WANTS_PRIOR : 0u);
}

unsigned obv__notes_want_above(const struct obv__notes *notes)
{
    return (notes->flags & OBV_PRIOR ? OBV__WANTS_PRIOR : 0u) |
           (notes->flags & OBV_ANY_ELEMENT ? OBV__WANTS_ANY_ELEMENT : 0u);
}

bool obv__notes_differ(const struct obv__notes *notes,
                       const struct obv_value *old, const struct obv_value *now)
{
    if (!obv_value_is_reachable(old) || !obv_value_is_reachable(now)) {
        return obv_value_is_reachable(old) != obv_value_is_reachable(now);
    }
    if (notes->equal) {
        return !notes->equal(notes->equal_context, old, now);
    }
    return notes->compare == OBV_COMPARE_ALWAYS_DIFFERENT ||
           !obv__values_equal(old, now, notes->compare);
}

/* Single notes ------------------------------------------------------------ */

static size_t note_size(size_t name_count)
{
    return sizeof(struct obv__note) + name_count * sizeof(uint32_t);
}

struct obv__note *obv__note_create(struct obv_context *context,
                                   struct obv__watcher *via,
                                   const uint32_t *names, size_t name_count)
{
    struct obv__note *note =
        obv__context_allocate(context, note_size(name_count));
    if (note) {
        memset(note, 0, sizeof *note);
        note->via = via;
        note->pair = ((struct obv__noting_member *)(void *)via)->pair;
        note->changes = 1;
        note->first_cause = note->last_cause = obv__cause_now();
        note->name_count = (uint32_t)name_count;
        for (size_t i = 0; i < name_count; i++) {
            note->names[i] = names[i];
        }
    }
    return note;
}

void obv__note_destroy(struct obv_context *context, struct obv__note *note)
{
    obv__value_drop(context, &note->first);
    obv__value_drop(context, &note->last);
    obv__context_free(context, note->text, note->text_size);
    obv__context_free(context, note, note_size(note->name_count));
}

void obv__notes_destroy(struct obv_context *context, struct obv__note *first)
{
    while (first) {
        struct obv__note *next = first->next;
        obv__note_destroy(context, first);
        first = next;
    }
}

bool obv__note_is_like(const struct obv__note *a, const struct obv__note *b)
{
    return a->pair == b->pair && a->name_count == b->name_count &&
           memcmp(a->names, b->names, a->name_count * sizeof *a->names) == 0;
}

/* Texts ------------------------------------------------------------------- */

void obv__note_prepare(struct obv_context *context,
                       const struct obv__notes *notes, struct obv__note *note)
{
    if ((notes->flags & OBV_RECORDS) && !note->text &&
        !obv__above.write_texts(context, note)) {
        note->is_missing = true;
    }
}

/* Gathering --------------------------------------------------------------- */

static void exchange(struct obv_value *a, struct obv_value *b)
{
    struct obv_value moved = *a;
    *a = *b;
    *b = moved;
}

/* The core's own kinds: they compare without code of the program. */
static bool are_equal_scalars(const struct obv_value *a,
                              const struct obv_value *b)
{
    return a->kind == b->kind && a->kind != OBV_KIND_custom &&
           obv__values_equal(a, b, OBV_COMPARE_DECLARED);
}

/* Two sets of a property of any thread may be gathered in the other order: each
   knows what it has stored over. Whether `note` came first; if neither can be
   seen to follow the other, net is not to go by them. */
static bool came_first(struct obv__note *gathered, const struct obv__note *note)
{
    if (!note->is_any_thread || !gathered->has_values ||
        gathered->last_cause.thread == note->first_cause.thread ||
        are_equal_scalars(&gathered->last, &note->first)) {
        return false;
    }
    bool is_first = are_equal_scalars(&note->last, &gathered->first);
    gathered->is_unordered = gathered->is_unordered || !is_first;
    return is_first;
}

/* Adds what a note tells to an earlier one of the same endpoint; what is left
   in the note is to be dropped. */
static void add_to(struct obv__note *earlier, struct obv__note *note)
{
    if (came_first(earlier, note)) {
        exchange(&earlier->first, &note->first);
        earlier->first_cause = note->first_cause;
    } else {
        if (earlier->has_values) {
            exchange(&earlier->last, &note->last);
        }
        earlier->last_cause = note->last_cause;
    }
    earlier->changes += note->changes;
    earlier->is_touch = earlier->is_touch && note->is_touch;
    earlier->is_unordered = earlier->is_unordered || note->is_unordered;
    earlier->is_missing = earlier->is_missing || note->is_missing;
}

static struct obv__note **place_of_note(struct obv__note **list,
                                        const struct obv__note *note)
{
    while (*list && !obv__note_is_like(*list, note)) {
        list = &(*list)->next;
    }
    return list;
}

/* Whether a record has room for one more entry: the one of the next call, or
   what a batch adds. */
static bool has_room(const struct obv__notes *notes,
                     const struct obv__note *first)
{
    size_t count = 0;
    for (; first && count < notes->limit; first = first->next) {
        count += !first->is_counted;
    }
    return count < notes->limit;
}

enum gathered { ADDED, KEPT, PAST_LIMIT, REFUSED, TEXT_FIRST };

/* Past the limit only the endpoint is remembered, so that it is counted once. */
static enum gathered try_to_gather(struct obv__notes *notes,
                                   struct obv__note **list,
                                   struct obv__note *note)
{
    struct obv__note **place = place_of_note(list, note);
    if (notes->is_over || !obv__notes_are_kept(notes)) {
        return REFUSED;
    }
    if (note->is_touch) {
        notes->is_touched = true;
        if (*place || !(notes->flags & OBV_VALUES)) {
            return REFUSED;
        }
    }
    if (*place) {
        add_to(*place, note);
        return ADDED;
    }
    bool fits = has_room(notes, *list);
    if (fits && (notes->flags & OBV_RECORDS) && !note->text &&
        !note->is_missing) {
        return TEXT_FIRST;
    }
    note->next = NULL;
    note->is_counted = !fits || note->is_missing;
    note->has_values =
        !note->is_missing && (fits || (notes->flags & OBV_NET) != 0);
    *place = note;
    return note->has_values ? KEPT : PAST_LIMIT;
}

void obv__notes_gather(struct obv_context *context, struct obv__notes *notes,
                       struct obv__note **list, struct obv__note *note)
{
    enum gathered gathered;
    struct obv_value first = {.kind = OBV_KIND_unreachable};
    struct obv_value last = first;
    do {
        obv__lock_enter(&notes->lock);
        gathered = try_to_gather(notes, list ? list : &notes->first, note);
        if (gathered == PAST_LIMIT) {
            exchange(&note->first, &first);
            exchange(&note->last, &last);
        }
        obv__lock_leave(&notes->lock);
        if (gathered == TEXT_FIRST) {
            obv__note_prepare(context, notes, note);
        }
    } while (gathered == TEXT_FIRST);
    if (gathered == PAST_LIMIT) {
        obv__value_drop(context, &first);
        obv__value_drop(context, &last);
    } else if (gathered != KEPT) {
        obv__note_destroy(context, note);
    }
}

void obv__notes_miss(struct obv__notes *notes)
{
    obv__lock_enter(&notes->lock);
    notes->missed++;
    obv__lock_leave(&notes->lock);
}

size_t obv__notes_take_missed(struct obv__notes *notes)
{
    obv__lock_enter(&notes->lock);
    size_t missed = notes->missed;
    notes->missed = 0;
    obv__lock_leave(&notes->lock);
    return missed;
}

void obv__notes_by_hand(struct obv__notes *notes)
{
    obv__lock_enter(&notes->lock);
    notes->by_hand = true;
    obv__lock_leave(&notes->lock);
}

/* Taking ------------------------------------------------------------------ */

void obv__notes_take(struct obv__notes *notes, struct obv__taken *taken)
{
    obv__lock_enter(&notes->lock);
    taken->notes = notes->first;
    taken->missing = notes->missed;
    taken->by_hand = notes->by_hand;
    taken->is_touched = notes->is_touched;
    notes->first = NULL;
    notes->missed = 0;
    notes->by_hand = false;
    notes->is_touched = false;
    obv__lock_leave(&notes->lock);
}

/* Batches ----------------------------------------------------------------- */

/* Puts ripe notes behind the others, or to those of their endpoints; what is
   left over is to be destroyed. The lock is held. */
static struct obv__note *join_locked(struct obv__notes *notes,
                                     struct obv__note *first)
{
    struct obv__note *left = NULL;
    while (first) {
        struct obv__note *next = first->next;
        struct obv__note **place = place_of_note(&notes->first, first);
        if (*place) {
            add_to(*place, first);
            first->next = left;
            left = first;
        } else {
            first->next = NULL;
            first->is_counted =
                first->is_counted || !has_room(notes, notes->first);
            *place = first;
        }
        first = next;
    }
    return left;
}

void obv__notes_ripen(struct obv_context *context, struct obv__notes *notes,
                      struct obv__note **list, bool by_hand, bool is_touched)
{
    obv__lock_enter(&notes->lock);
    struct obv__note *left = join_locked(notes, *list);
    *list = NULL;
    notes->by_hand = notes->by_hand || by_hand;
    notes->is_touched = notes->is_touched || is_touched;
    obv__lock_leave(&notes->lock);
    obv__notes_destroy(context, left);
}

struct obv__note *obv__notes_take_list(struct obv__notes *notes,
                                       struct obv__note **list)
{
    obv__lock_enter(&notes->lock);
    struct obv__note *taken = *list;
    *list = NULL;
    obv__lock_leave(&notes->lock);
    return taken;
}

bool obv__notes_call_for(const struct obv__notes *notes,
                         const struct obv__taken *taken)
{
    bool changed = taken->by_hand || taken->missing != 0 ||
                   (taken->is_touched && !(notes->flags & OBV_NET));
    if (!obv__notes_are_kept(notes)) {
        return true;
    }
    for (const struct obv__note *at = taken->notes; at && !changed;
         at = at->next) {
        changed = !(notes->flags & OBV_NET) || !at->has_values ||
                  at->is_missing || at->is_unordered ||
                  obv__notes_differ(notes, &at->first, &at->last);
    }
    return changed;
}

void obv__notes_forget(struct obv_context *context, struct obv__notes *notes)
{
    struct obv__taken taken;
    obv__notes_take(notes, &taken);
    obv__notes_destroy(context, taken.notes);
}

void obv__notes_end(struct obv_context *context, struct obv__notes *notes)
{
    obv__lock_enter(&notes->lock);
    notes->is_over = true;
    obv__lock_leave(&notes->lock);
    obv__notes_forget(context, notes);
}

/* Telling ----------------------------------------------------------------- */

static struct obv_record_entry entry_of(const struct obv__note *note)
{
    return (struct obv_record_entry){.index = note->pair,
                                     .path = note->text,
                                     .way = note->text + strlen(note->text) + 1,
                                     .first = note->first,
                                     .last = note->last,
                                     .changes = note->changes,
                                     .first_cause = note->first_cause,
                                     .last_cause = note->last_cause};
}

/* Fills the entries that there is memory for; the others are missing. */
static void fill_record(struct obv__taken *taken,
                        struct obv_record_entry *entries, size_t room,
                        struct obv_record *record)
{
    *record = (struct obv_record){entries, 0, taken->missing};
    for (const struct obv__note *at = taken->notes; at; at = at->next) {
        if (at->is_touch || at->changes == 0) {
            continue;
        }
        if (at->is_counted || at->is_missing || !at->text ||
            record->count == room) {
            record->missing++;
        } else {
            entries[record->count++] = entry_of(at);
        }
    }
}

static size_t count_notes(const struct obv__note *first)
{
    size_t count = 0;
    for (; first; first = first->next) {
        count++;
    }
    return count;
}

#define NEAR_ENTRIES 4

void obv__notes_tell(struct obv_context *context,
                     const struct obv__notes *notes, struct obv__taken *taken,
                     bool is_prior, obv__tell *tell, void *argument)
{
    static const struct obv_value unreachable = {.kind = OBV_KIND_unreachable};
    struct obv__told told = {.is_prior = is_prior};
    struct obv_record_entry near[NEAR_ENTRIES], *entries = near;
    struct obv_record record;
    size_t room = NEAR_ENTRIES, count = count_notes(taken->notes);
    if (notes->flags & OBV_RECORDS) {
        if (count > room) {
            entries = obv__context_allocate(context, count * sizeof *entries);
            room = entries ? count : 0;
        }
        room = room < notes->limit ? room : notes->limit;
        fill_record(taken, entries, room, &record);
        told.record = &record;
    }
    if (notes->flags & OBV_VALUES) {
        told.old = taken->notes ? &taken->notes->first : &unreachable;
        told.now = taken->notes ? &taken->notes->last : &unreachable;
    }
    tell(argument, &told);
    if (entries != near) {
        obv__context_free(context, entries, count * sizeof *entries);
    }
}

void obv__notes_tell_present(uint32_t flags, const struct obv_path *path,
                             struct obv_object *root, struct obv_value *present,
                             obv__tell *tell, void *argument)
{
    static const struct obv_record empty = {.count = 0};
    struct obv__told told = {.record = flags & OBV_RECORDS ? &empty : NULL};
    *present = (struct obv_value){.kind = OBV_KIND_unreachable};
    if (flags & OBV_VALUES) {
        /* Unreachable where it cannot be read. */
        if (path && root &&
            obv__above.read(root, path, present, NULL) != OBV_OK) {
            present->kind = OBV_KIND_unreachable;
        }
        told.old = told.now = present;
    }
    tell(argument, &told);
}

/* Causes ------------------------------------------------------------------ */

struct obv_cause obv__cause_now(void)
{
    struct obv__thread *self = obv__thread_self();
    const struct obv_source *source = obv__source_of(self);
    return (struct obv_cause){.thread = obv__thread_number(self),
                              .file = source ? source->file : NULL,
                              .line = source ? source->line : 0};
}

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
