/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded edits: what has happened to the collection that an observation's first
 * path names, from one call to the next. Only observations whose edits are
 * expected anywhere in the test have an edit list; the collection that it records
 * is held, as by anybody who wants to know what has gone.
 */
#include "list.h"

#include <observable/edit_list.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- following ----------------------------------------------------------- */

/* What stands behind the first path, a `*` at its end aside; NULL: nothing. */
static struct list *present(const struct observation *observation)
{
    const char *path = observation->paths[0];
    size_t length = strlen(path);
    char *place = keep(length + 1);
    memcpy(place, path, length);
    if (length > 2 && strcmp(path + length - 2, ".*") == 0) {
        place[length - 2] = '\0';
    }
    struct value value;
    if (!observation->first_root || !observation->first_root->thing ||
        !path_read(observation->first_root, place, &value) ||
        value.kind == VALUE_NIL || value.kind == VALUE_UNREACHABLE) {
        return NULL;
    }
    if (!value.list || list_is_constant(value.list)) {
        fail("%s is no collection that is edited", path);
    }
    return value.list;
}

static void turn_to(struct observation *observation, struct list *list)
{
    struct obv_error error;
    if (list && !observation->edit_list &&
        obv_edit_list_create(obv_object_class(&list->container.object), NULL,
                             &observation->edit_list, &error)) {
        fail("no edit list: %s", error.message);
    }
    if (!observation->edit_list || list == observation->edited) {
        return;
    }
    if (obv_edit_list_turn_to(observation->edit_list,
                              list ? &list->container : NULL, &error)) {
        fail("the edit list cannot turn: %s", error.message);
    }
    if (list) {
        list_retain(list);
    }
    if (observation->edited) {
        list_release(observation->edited);
    }
    observation->edited = list;
}

void edits_begin(struct observation *observation)
{
    struct obv_edits edits = {.reserved = NULL};
    observation->has_edits = true;
    turn_to(observation, present(observation));
    if (observation->edit_list &&
        obv_edit_list_take(observation->edit_list, &edits, NULL)) {
        fail("the edits of %s cannot be read", observation->name);
    }
    obv_edits_deinit(&edits);
}

void edits_end(struct observation *observation)
{
    obv_edit_list_release(observation->edit_list);
    if (observation->edited) {
        list_release(observation->edited);
    }
    observation->edit_list = NULL;
    observation->edited = NULL;
}

/* --- what is handed over ------------------------------------------------- */

static void add_edit(struct observation *observation, const char *place,
                     struct value value)
{
    struct edited *edits = observation->edits;
    observation->edits =
        keep((observation->edit_count + 1) * sizeof *observation->edits);
    if (observation->edit_count != 0) {
        memcpy(observation->edits, edits,
               observation->edit_count * sizeof *edits);
    }
    observation->edits[observation->edit_count++] =
        (struct edited){place, value};
}

static const char *place_word(char sign, const char *place)
{
    char *word = keep(strlen(place) + 2);
    word[0] = sign;
    memcpy(word + 1, place, strlen(place));
    return word;
}

static void add_at(struct observation *observation, char sign, size_t position,
                   struct value value)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%zu", position);
    add_edit(observation, place_word(sign, number), value);
}

static void add_run(struct observation *observation,
                    const struct obv_edit_run *run)
{
    struct value now = {.kind = VALUE_NIL};
    if (observation->edited) {
        now = list_value(observation->edited);
    }
    for (size_t i = 0; i < run->count; i++) {
        if (run->before != OBV_NOWHERE) {
            add_at(observation, '-', run->before + i,
                   run->gone ? value_handed(&run->gone[i])
                             : now.items[run->now + i]);
        }
        if (run->now != OBV_NOWHERE) {
            add_at(observation, '+', run->now + i, now.items[run->now + i]);
        }
    }
}

/* What stands at a key now. */
static struct value value_at_key(const struct list *list, const char *key)
{
    struct value content = list_value((struct list *)(uintptr_t)list);
    for (size_t i = 0; i < content.item_count; i++) {
        if (strcmp(content.keys[i], key) == 0) {
            return content.items[i];
        }
    }
    return (struct value){.kind = VALUE_UNREACHABLE};
}

static void add_key(struct observation *observation,
                    const struct obv_key_edit *edit)
{
    const char *key = edit->key ? edit->key : "";
    if (edit->was_there) {
        add_edit(observation, place_word('-', key), value_handed(&edit->value));
    }
    if (edit->is_there) {
        add_edit(observation, place_word('+', key),
                 edit->key ? value_at_key(observation->edited, key)
                           : value_handed(&edit->value));
    }
}

void edits_note(struct observation *observation)
{
    struct obv_edits edits;
    if (!observation->has_edits) {
        return;
    }
    turn_to(observation, present(observation));
    observation->edit_count = 0;
    if (!observation->edit_list) {
        return;
    }
    if (obv_edit_list_take(observation->edit_list, &edits, NULL)) {
        fail("the edits of %s cannot be read", observation->name);
    }
    for (size_t i = 0; i < edits.run_count; i++) {
        add_run(observation, &edits.runs[i]);
    }
    for (size_t i = 0; i < edits.key_count; i++) {
        add_key(observation, &edits.keys[i]);
    }
    obv_edits_deinit(&edits);
}

/* --- the expectation ----------------------------------------------------- */

static bool is_noted(const struct observation *observation, const char *place,
                     const struct value *value)
{
    for (size_t i = 0; i < observation->edit_count; i++) {
        const struct edited *edit = &observation->edits[i];
        if (strcmp(edit->place, place) == 0 &&
            value_equal(&edit->value, value)) {
            return true;
        }
    }
    return false;
}

_Noreturn static void fail_with_edits(const struct observation *observation)
{
    char text[300] = "";
    for (size_t i = 0; i < observation->edit_count; i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, " %s %s",
                       observation->edits[i].place,
                       value_print(&observation->edits[i].value));
    }
    fail("the edits of %s are%s", observation->name, *text ? text : " none");
}

static void expect_edits(struct words arguments)
{
    const struct observation *observation = expect_called(arguments.word[0]);
    struct words edits = words_from(arguments, 1);
    if (edits.count % 2 != 0) {
        fail("an edit is a sign with its place, and a value");
    }
    bool good = edits.count / 2 == observation->edit_count;
    for (size_t i = 0; i < edits.count; i += 2) {
        const char *place = word_text(edits.word[i]);
        struct value value = value_parse(edits.word[i + 1]);
        if (*place != '-' && *place != '+') {
            fail("an edit is a sign with its place, and a value");
        }
        good = good && is_noted(observation, place, &value);
    }
    if (!good) {
        fail_with_edits(observation);
    }
}

const struct command edit_expectations[] = {
    {"edits", COMMAND_EXPECTS, expect_edits, 1, COMMAND_ANY_COUNT, 0},
    {NULL, COMMAND_ACTS, NULL, 0, 0, 0},
};
