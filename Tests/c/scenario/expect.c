/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expectations: each compares one answer with what the script says, and
 * fails the test with both. They change nothing.
 */
#include "scenario.h"
#include "thing.h"
#include "watcher.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number(const char *word)
{
    if (!word_is_number(word)) {
        fail("this is no number: %s", word);
    }
    return strtoull(word, NULL, 10);
}

void expect_number(const char *what, uint64_t have, const char *want)
{
    if (have != number(want)) {
        fail("%s is %" PRIu64 ", not %s", what, have, want);
    }
}

void expect_value(const char *what, const struct value *have, const char *word)
{
    struct value want = value_parse(word);
    if (!value_equal(have, &want)) {
        fail("%s is %s, not %s", what, value_print(have), word);
    }
}

/* --- sets of words, written in brackets ---------------------------------- */

struct set {
    const char **word;
    size_t count, room;
};

static void set_add(struct set *set, const char *word)
{
    if (set->count == set->room) {
        set->room = 2 * set->room + 8;
        const char **words = keep(set->room * sizeof *words);
        for (size_t i = 0; i < set->count; i++) {
            words[i] = set->word[i];
        }
        set->word = words;
    }
    set->word[set->count++] = word;
}

/* `[a b "c d"]` or `[]`. */
static struct set set_parse(struct words words)
{
    struct set set = {NULL, 0, 0};
    const char *first = words.word[0];
    size_t length = strlen(first);
    if (words.count != 1 || first[0] != '[' || first[length - 1] != ']') {
        fail("this is written in brackets: %s", first);
    }
    const char *end = first + length - 1;
    for (const char *at = first + 1; at < end;) {
        const char *next = word_behind(at, end);
        if (next > at) {
            size_t size = (size_t)(next - at);
            set_add(&set, word_text(memcpy(keep(size + 1), at, size)));
        }
        at = next + 1;
    }
    return set;
}

/* As a script has it: what a space would part stands in quotes. */
static const char *word_print(const char *word)
{
    if (word[0] != '\0' && strpbrk(word, " \t\"") == NULL) {
        return word;
    }
    char *text = keep(2 * strlen(word) + 3), *to = text;
    *to++ = '"';
    for (; *word != '\0'; word++) {
        if (*word == '"' || *word == '\\') {
            *to++ = '\\';
        }
        *to++ = *word;
    }
    *to = '"';
    return text;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *set_print(const struct set *set)
{
    size_t size = 3;
    for (size_t i = 0; i < set->count; i++) {
        size += strlen(word_print(set->word[i])) + 1;
    }
    char *text = keep(size);
    strcat(text, "[");
    for (size_t i = 0; i < set->count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, word_print(set->word[i]));
    }
    return strcat(text, "]");
}

static void expect_set(const char *what, struct set *have, struct set want)
{
    if (have->count > 0) {
        qsort(have->word, have->count, sizeof *have->word, compare_words);
    }
    if (want.count > 0) {
        qsort(want.word, want.count, sizeof *want.word, compare_words);
    }
    const char *had = set_print(have), *wanted = set_print(&want);
    if (strcmp(had, wanted) != 0) {
        fail("%s is %s, not %s", what, had, wanted);
    }
}

/* --- calls --------------------------------------------------------------- */

static void expect_calls(struct words arguments)
{
    if (arguments.count % 2 != 0) {
        fail("calls takes names and numbers");
    }
    for (size_t i = 0; i < arguments.count; i += 2) {
        const char *name = arguments.word[i];
        expect_number(name, world_observation(name)->calls,
                      arguments.word[i + 1]);
    }
}

static void expect_order(struct words arguments)
{
    struct set have = {NULL, 0, 0};
    struct set want = {(const char **)arguments.word, arguments.count, 0};
    for (size_t i = 0; i < world.order_count; i++) {
        set_add(&have, world.order[i]->name);
    }
    for (size_t i = 0; i < want.count; i++) {
        world_observation(want.word[i]);
    }
    const char *had = set_print(&have), *wanted = set_print(&want);
    if (strcmp(had, wanted) != 0) {
        fail("the order is %s, not %s", had, wanted);
    }
}

struct observation *expect_called(const char *name)
{
    struct observation *observation = world_observation(name);
    if (observation->calls == 0) {
        fail("%s has not been called", name);
    }
    return observation;
}

static void expect_saw(struct words arguments)
{
    struct observation *observation = expect_called(arguments.word[0]);
    if (!observation->first_path) {
        fail("%s has no first path that can be read", observation->name);
    }
    expect_value("what it saw", &observation->saw, arguments.word[1]);
}

static void expect_root(struct words arguments)
{
    struct observation *observation = expect_called(arguments.word[0]);
    struct named_thing *wanted = strcmp(arguments.word[1], "none") == 0
                                     ? NULL
                                     : world_named(arguments.word[1]);
    if (observation->root != wanted) {
        fail("the root is %s, not %s",
             observation->root ? observation->root->name : "none",
             arguments.word[1]);
    }
}

/* --- the library's answers ----------------------------------------------- */

static struct obv_counters counters(void)
{
    struct obv_counters counters;
    obv_context_counters(world.context, &counters);
    return counters;
}

static void expect_reports(struct words arguments)
{
    expect_number("the number of reports", world.reports, arguments.word[0]);
    uint64_t told = world.reports + world.debug_reports;
    if (counters().diagnostics != told) {
        fail("%" PRIu64 " diagnostics were counted, %" PRIu64 " told",
             counters().diagnostics, told);
    }
}

static void expect_dropped(struct words arguments)
{
    expect_number("the number of dropped changes", counters().dropped,
                  arguments.word[0]);
}

static void expect_pending(struct words arguments)
{
    size_t pending = obv_loop_pending(obv_context_loop(world.context));
    for (struct named_loop *loop = world.loops; loop; loop = loop->next) {
        pending += loop->loop ? obv_loop_pending(loop->loop) : 0;
    }
    expect_number("the number of pending ones", pending, arguments.word[0]);
}

static void expect_value_of(struct words arguments)
{
    struct value have = place_read(arguments.word[0]);
    expect_value(arguments.word[0], &have, arguments.word[1]);
}

/* Without a value it is to be refused. */
static void expect_leads(struct words arguments)
{
    struct thing *thing = world_thing(arguments.word[0]);
    const char *path = word_text(arguments.word[1]);
    struct obv_error error = {.status = OBV_OK};
    struct obv_value at;
    enum obv_status status = obv_value_at(&thing->object, path, &at, &error);
    if (status) {
        refuse(status, &error);
        return;
    }
    struct value have = value_handed(&at);
    obv_value_deinit(world.context, &at);
    if (arguments.count > 2) {
        expect_value(path, &have, arguments.word[2]);
    } else if (!world.refusal) {
        fail("%s is %s: leads takes a value", path, value_print(&have));
    }
}

static void expect_count(struct words arguments)
{
    struct obv_object *object = object_at(arguments.word[0]);
    const char *property = word_text(arguments.word[1]);
    element_check_known(object, property);
    expect_number("the number of observers",
                  obv_observer_count(object, property), arguments.word[2]);
}

static void each_observed(void *set, const char *name)
{
    size_t size = strlen(name) + 1;
    set_add(set, memcpy(keep(size), name, size));
}

static void expect_observed(struct words arguments)
{
    struct set have = {NULL, 0, 0};
    struct set want = set_parse(words_from(arguments, 1));
    struct obv_object *object = object_at(arguments.word[0]);
    for (size_t i = 0; i < want.count; i++) {
        element_check_known(object, want.word[i]);
    }
    obv_observed_properties(object, each_observed, &have);
    expect_set("what is observed", &have, want);
}

void state_check_known(const char *word)
{
    if (word[0] != '+' && word[0] != '-') {
        fail("this is +PROPERTY or -PROPERTY, not %s", word);
    }
    name_check_known(word + 1);
}

/* Sorts what an object was told by property, since the order is promised only
   for each property (OS-1). */
static const char *by_property(struct set *told)
{
    for (size_t i = 1; i < told->count; i++) {
        const char *word = told->word[i];
        size_t at = i;
        for (; at > 0 && strcmp(told->word[at - 1] + 1, word + 1) > 0; at--) {
            told->word[at] = told->word[at - 1];
        }
        told->word[at] = word;
    }
    return set_print(told);
}

static void expect_state(struct words arguments)
{
    const struct named_thing *named = world_named(arguments.word[0]);
    struct set have = {NULL, 0, 0};
    struct set want = set_parse(words_from(arguments, 1));
    for (size_t i = 0; i < want.count; i++) {
        state_check_known(want.word[i]);
    }
    for (const struct told *told = named->told; told; told = told->next) {
        set_add(&have, told->word);
    }
    const char *had = set_print(&have), *wanted = set_print(&want);
    if (strcmp(by_property(&have), by_property(&want)) != 0) {
        fail("%s was told %s, not %s", named->name, had, wanted);
    }
}

static void expect_unresolved(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    struct set have = {NULL, 0, 0};
    struct set want = set_parse(words_from(arguments, 1));
    for (size_t i = 0; observation->handle; i++) {
        ptrdiff_t length = obv_unresolved_path(observation->handle, i, NULL, 0);
        if (length < 0) {
            break;
        }
        char *path = keep((size_t)length + 1);
        obv_unresolved_path(observation->handle, i, path, (size_t)length + 1);
        set_add(&have, path);
    }
    expect_set("what is unresolved", &have, want);
}

/* --- lifetimes ----------------------------------------------------------- */

static void expect_alive(struct words arguments)
{
    if (!world_named(arguments.word[0])->thing) {
        fail("%s is dead", arguments.word[0]);
    }
}

static void expect_dead(struct words arguments)
{
    if (world_named(arguments.word[0])->thing) {
        fail("%s is alive", arguments.word[0]);
    }
}

/* Whether the last word is the first or the second of two. */
static bool is_first(struct words arguments, const char *first,
                     const char *second)
{
    const char *word = arguments.word[arguments.count - 1];
    if (strcmp(word, first) != 0 && strcmp(word, second) != 0) {
        fail("this is %s or %s, not %s", first, second, word);
    }
    return strcmp(word, first) == 0;
}

static void expect_observer(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    bool alive = is_first(arguments, "alive", "dead");
    if (!observation->observer) {
        fail("the token %s has no observer object", observation->name);
    }
    if ((observation->observer->watcher != NULL) != alive) {
        fail("the observer object of %s is %s", observation->name,
             alive ? "dead" : "alive");
    }
}

static void expect_block(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    bool held = is_first(arguments, "held", "released");
    if ((observation->closure->blocks != NULL) != held) {
        fail("the block of %s is %s", observation->name,
             held ? "released" : "held");
    }
}

static void expect_told(struct words arguments)
{
    const struct observation *observation =
        world_observation(arguments.word[0]);
    if (!observation->observer) {
        fail("the token %s has no observer object", observation->name);
    }
    expect_number(observation->name, observation->observer->told,
                  arguments.word[1]);
}

/* --- computed properties ------------------------------------------------- */

static void expect_evals(struct words arguments)
{
    expect_number("the number of evaluations",
                  place_evaluations(arguments.word[0]), arguments.word[1]);
}

static void expect_computed(struct words arguments, bool is_valid)
{
    struct set have = {NULL, 0, 0};
    struct set want = set_parse(words_from(arguments, 1));
    for (size_t i = 0; i < want.count; i++) {
        name_check_known(want.word[i]);
    }
    thing_each_computed(world_thing(arguments.word[0]), is_valid, each_observed,
                        &have);
    expect_set(is_valid ? "what is valid" : "what is invalid", &have, want);
}

static void expect_valid(struct words arguments)
{
    expect_computed(arguments, true);
}

static void expect_invalid(struct words arguments)
{
    expect_computed(arguments, false);
}

const struct command expectations[] = {
    {"calls", COMMAND_EXPECTS, expect_calls, 2, COMMAND_ANY_COUNT, 0},
    {"order", COMMAND_EXPECTS, expect_order, 0, COMMAND_ANY_COUNT, 0},
    {"saw", COMMAND_EXPECTS, expect_saw, 2, 2, 0},
    {"root", COMMAND_EXPECTS, expect_root, 2, 2, 0},
    {"reports", COMMAND_EXPECTS, expect_reports, 1, 1, 0},
    {"value", COMMAND_EXPECTS, expect_value_of, 2, 2, 0},
    {"leads", COMMAND_EXPECTS, expect_leads, 2, 3, 0},
    {"count", COMMAND_EXPECTS, expect_count, 3, 3, 0},
    {"observed", COMMAND_EXPECTS, expect_observed, 2, 2, 0},
    {"state", COMMAND_EXPECTS, expect_state, 2, 2, 0},
    {"unresolved", COMMAND_EXPECTS, expect_unresolved, 2, 2, 0},
    {"alive", COMMAND_EXPECTS, expect_alive, 1, 1, 0},
    {"dead", COMMAND_EXPECTS, expect_dead, 1, 1, 0},
    {"observer", COMMAND_EXPECTS, expect_observer, 2, 2, 0},
    {"block", COMMAND_EXPECTS, expect_block, 2, 2, 0},
    {"told", COMMAND_EXPECTS, expect_told, 2, 2, 0},
    {"pending", COMMAND_EXPECTS, expect_pending, 1, 1, 0},
    {"dropped", COMMAND_EXPECTS, expect_dropped, 1, 1, 0},
    {"evals", COMMAND_EXPECTS, expect_evals, 2, 2, 0},
    {"valid", COMMAND_EXPECTS, expect_valid, 2, 2, 0},
    {"invalid", COMMAND_EXPECTS, expect_invalid, 2, 2, 0},
    {NULL, COMMAND_ACTS, NULL, 0, 0, 0},
};
