/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a block is handed: old and new value, and records. Both belong to the
 * call, so they are copied here; the expectations below look at the copies of
 * the last call.
 *
 * Owed: a call hands over what its observation asked for and nothing else.
 */
#include "scenario.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- copying ------------------------------------------------------------- */

static const char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(keep(size), text, size);
}

/* A pair that is there already adds none: so a pair's path stands at its
   number or behind it. */
static bool is_written(const struct observation *observation,
                       const struct obv_record_entry *entry)
{
    for (size_t i = entry->index; i < observation->path_count; i++) {
        if (strcmp(observation->paths[i], entry->path) == 0) {
            return true;
        }
    }
    return false;
}

static void check_entry(const struct observation *observation,
                        const struct obv_record_entry *entry)
{
    if (!is_written(observation, entry)) {
        fail("%s has no pair %" PRIu32 " that is written %s", observation->name,
             entry->index, entry->path);
    }
    if (strpbrk(entry->path, "*\\") == NULL &&
        strcmp(entry->path, entry->way) != 0) {
        fail("the way of %s is %s", entry->path, entry->way);
    }
    if (entry->changes == 0) {
        fail("an entry of %s has no change", entry->way);
    }
}

static void copy_record(struct observation *observation,
                        const struct obv_record *record)
{
    struct handed *handed = &observation->handed;
    handed->has_record = true;
    handed->count = record->count;
    handed->missing = record->missing;
    handed->entries = keep(record->count * sizeof *handed->entries);
    for (size_t i = 0; i < record->count; i++) {
        const struct obv_record_entry *entry = &record->entries[i];
        check_entry(observation, entry);
        handed->entries[i] = (struct handed_entry){
            .path = copy_text(entry->path),
            .way = copy_text(entry->way),
            .first = value_handed(&entry->first),
            .last = value_handed(&entry->last),
            .changes = entry->changes,
        };
    }
}

/* --- what was asked for -------------------------------------------------- */

static void check_asked(const struct observation *observation,
                        const struct obv_call *call)
{
    bool has_values = call->old != NULL;
    uint32_t flags = observation->flags;
    if (has_values != (call->now != NULL)) {
        fail("%s is handed one value of two", observation->name);
    }
    if (has_values != ((flags & OBV_VALUES) != 0)) {
        fail("%s is %shanded values", observation->name,
             has_values ? "" : "not ");
    }
    if ((call->record != NULL) != ((flags & OBV_RECORDS) != 0)) {
        fail("%s is %shanded a record", observation->name,
             call->record ? "" : "not ");
    }
    if (call->is_prior && !(flags & OBV_PRIOR)) {
        fail("%s is called before the store", observation->name);
    }
    if (observation->handle && call->observation != observation->handle) {
        fail("%s is called with another's handle", observation->name);
    }
}

void note_handed(struct observation *observation, const struct obv_call *call)
{
    check_asked(observation, call);
    observation->handed = (struct handed){.has_values = call->old != NULL};
    if (call->old) {
        observation->handed.old = value_handed(call->old);
        observation->handed.now = value_handed(call->now);
    }
    if (call->record) {
        copy_record(observation, call->record);
    }
}

/* --- expectations -------------------------------------------------------- */

static const struct handed *values_of(const char *name)
{
    const struct handed *handed = &expect_called(name)->handed;
    if (!handed->has_values) {
        fail("the last call of %s was handed no values", name);
    }
    return handed;
}

static void expect_old(struct words arguments)
{
    expect_value("the old value", &values_of(arguments.word[0])->old,
                 arguments.word[1]);
}

static void expect_now(struct words arguments)
{
    expect_value("the new value", &values_of(arguments.word[0])->now,
                 arguments.word[1]);
}

static const struct handed *record_of(const char *name)
{
    const struct handed *handed = &expect_called(name)->handed;
    if (!handed->has_record) {
        fail("the last call of %s was handed no record", name);
    }
    return handed;
}

static bool is_entry(const struct handed_entry *entry, struct words words)
{
    struct value first = value_parse(words.word[0]);
    struct value last = value_parse(words.word[1]);
    return value_equal(&entry->first, &first) &&
           value_equal(&entry->last, &last) &&
           entry->changes == strtoull(words.word[2], NULL, 10);
}

/* Under a `*`, and with several roots, one path may have several entries: one
   of them is as expected. */
static void expect_record(struct words arguments)
{
    const struct handed *handed = record_of(arguments.word[0]);
    const char *path = word_text(arguments.word[1]);
    const struct handed_entry *seen = NULL;
    if (!word_is_number(arguments.word[4])) {
        fail("this is no number: %s", arguments.word[4]);
    }
    for (size_t i = 0; i < handed->count; i++) {
        const struct handed_entry *entry = &handed->entries[i];
        if (strcmp(entry->way, path) != 0 && strcmp(entry->path, path) != 0) {
            continue;
        }
        if (is_entry(entry, words_from(arguments, 2))) {
            return;
        }
        seen = entry;
    }
    if (!seen) {
        fail("the record has no entry of %s", path);
    }
    fail("the record has %s from %s to %s, %" PRIu64 " changes", seen->way,
         value_print(&seen->first), value_print(&seen->last), seen->changes);
}

static void expect_records(struct words arguments)
{
    expect_number("the number of entries", record_of(arguments.word[0])->count,
                  arguments.word[1]);
}

static void expect_truncated(struct words arguments)
{
    expect_number("what is missing", record_of(arguments.word[0])->missing,
                  arguments.word[1]);
}

const struct command handed_expectations[] = {
    {"old", COMMAND_EXPECTS, expect_old, 2, 2, 0},
    {"now", COMMAND_EXPECTS, expect_now, 2, 2, 0},
    {"record", COMMAND_EXPECTS, expect_record, 5, 5, 0},
    {"records", COMMAND_EXPECTS, expect_records, 2, 2, 0},
    {"truncated", COMMAND_EXPECTS, expect_truncated, 2, 2, 0},
    {NULL, COMMAND_ACTS, NULL, 0, 0, 0},
};
