/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running commands: the look-up in the tables, lists of commands that wait for
 * a moment, and the commands that hold another one.
 */
#include "scenario.h"
#include "watcher.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* NULL if there is none. */
static const struct command *find(const char *word)
{
    const struct command *const tables[] = {
        action_commands,  list_commands,       observing_commands,
        expectations,     handed_expectations, edit_expectations,
        nesting_commands,
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct command *command = tables[i]; command->word;
             command++) {
            if (strcmp(command->word, word) == 0) {
                return command;
            }
        }
    }
    return NULL;
}

/* The command that the words begin with; the test fails if they are none. */
static const struct command *checked(struct words words)
{
    if (words.count == 0) {
        fail("a command is missing");
    }
    const struct command *command = find(words.word[0]);
    if (!command) {
        fail("unknown command: %s", words.word[0]);
    }
    size_t count = words.count - 1;
    if (count < command->least || count > command->most) {
        fail("%s does not take %zu arguments", words.word[0], count);
    }
    return command;
}

/* The nested command of one whose word stands in front. */
static struct words nested(struct words words, const struct command *command)
{
    return words_from(words, command->nests);
}

static void check_all(struct words words)
{
    for (const struct command *command = checked(words); command->nests > 0;
         command = checked(words)) {
        words = nested(words, command);
    }
}

void run_command(struct words words)
{
    unsigned outer = report->line;
    report->line = words.line;
    const struct command *command = checked(words);
    struct words arguments = words_from(words, 1);
    char **word = keep((arguments.count + 1) * sizeof *word);
    for (size_t i = 0; i < arguments.count; i++) {
        word[i] = command->nests == 0
                      ? (char *)(uintptr_t)word_with_hashes(arguments.word[i])
                      : arguments.word[i];
    }
    arguments.word = word;
    world.depth++;
    command->run(arguments);
    world.depth--;
    report->line = outer;
}

/* Fails the test if a nested command would open or end a batch: a batch is no
   single command. */
static void run_nested(struct words words)
{
    const char *word = checked(words)->word;
    if (strcmp(word, "batch") == 0) {
        fail("a batch stands in a list of commands");
    }
    if (strcmp(word, "end") == 0) {
        fail("there is no batch to end");
    }
    run_command(words);
}

void list_add(struct command_list *list, struct words words)
{
    check_all(words);
    if (list->count == list->room) {
        list->room = 2 * list->room + 4;
        struct words *commands = keep(list->room * sizeof *commands);
        for (size_t i = 0; i < list->count; i++) {
            commands[i] = list->commands[i];
        }
        list->commands = commands;
    }
    list->commands[list->count++] = words;
}

/* Runs a list of commands. Commands added meanwhile wait for the next run,
   removed ones do not run any more. A batch that the list opens must end in
   it. */
void run_list(struct command_list *list)
{
    size_t count = list->count, outer = world.batch_base;
    unsigned line = report->line, last = line;
    world.batch_base = world.batch_depth;
    for (size_t i = 0; i < count && i < list->count && !world.over; i++) {
        last = list->commands[i].line;
        run_command(list->commands[i]);
    }
    if (world.batch_depth != world.batch_base) {
        report->line = last;
        fail("a batch is open");
    }
    report->line = line;
    world.batch_base = outer;
}

/* --- what a test says ---------------------------------------------------- */

static bool expects(struct words words)
{
    const struct command *command = words.count ? find(words.word[0]) : NULL;
    if (!command) {
        return false;
    }
    if (command->nests > 0 && words.count > command->nests) {
        return strcmp(command->word, "fails") == 0 ||
               expects(nested(words, command));
    }
    bool counts = strcmp(command->word, "drain") == 0 && words.count > 1 &&
                  word_is_number(words.word[words.count - 1]);
    return counts || command->sort == COMMAND_EXPECTS;
}

bool scenario_expects(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->line_count; i++) {
        if (expects(scenario->lines[i])) {
            return true;
        }
    }
    return false;
}

static bool mentions(struct words words, const char *first, const char *second)
{
    for (size_t i = 1; i < words.count; i++) {
        if (strcmp(words.word[i - 1], first) == 0 &&
            strcmp(words.word[i], second) == 0) {
            return true;
        }
    }
    return false;
}

bool scenario_mentions(const struct scenario *scenario, const char *first,
                       const char *second)
{
    for (size_t i = 0; i < scenario->line_count; i++) {
        if (mentions(scenario->lines[i], first, second)) {
            return true;
        }
    }
    return false;
}

/* --- commands that hold another ------------------------------------------ */

static void run_on(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    list_add(&observation->on_call, words_from(arguments, 1));
}

static void run_ondeinit(struct words arguments)
{
    world_thing(arguments.word[0]);
    list_add(&world_named(arguments.word[0])->on_deinit,
             words_from(arguments, 1));
}

static void run_onstate(struct words arguments)
{
    world_thing(arguments.word[0]);
    struct named_thing *named = world_named(arguments.word[0]);
    const char *word = arguments.word[1];
    state_check_known(word);
    list_add(&told_entry(&named->awaited, word)->on_told,
             words_from(arguments, 2));
}

static void run_ondrop(struct words arguments)
{
    struct watcher *watcher =
        world_watcher(world_observation(arguments.word[0]));
    list_add(&watcher->observer->on_drop, words_from(arguments, 1));
}

static void run_ontold(struct words arguments)
{
    struct watcher *watcher =
        world_watcher(world_observation(arguments.word[0]));
    list_add(&watcher->observer->on_told, words_from(arguments, 1));
}

static void *thread_main(void *words)
{
    run_nested(*(struct words *)words);
    return NULL;
}

static void run_thread(struct words arguments)
{
    pthread_t thread;
    check_all(arguments);
    if (pthread_create(&thread, NULL, thread_main, &arguments) != 0 ||
        pthread_join(thread, NULL) != 0) {
        fail("no thread could be had");
    }
}

static void run_times(struct words arguments)
{
    if (!word_is_number(arguments.word[0])) {
        fail("this is no number: %s", arguments.word[0]);
    }
    for (unsigned long left = strtoul(arguments.word[0], NULL, 10); left > 0;
         left--) {
        run_nested(words_from(arguments, 1));
    }
}

/* --- fails --------------------------------------------------------------- */

/* `syntax@N` is the only kind that has a place. */
static size_t length_of_kind(const char *kind)
{
    size_t length = strlen("syntax");
    bool has_place = strncmp(kind, "syntax@", length + 1) == 0 &&
                     word_is_number(kind + length + 1);
    return has_place ? length : strlen(kind);
}

static const struct {
    const char *kind;
    enum obv_status status;
} kinds[] = {
    {"syntax", OBV_E_SYNTAX},     {"unknown", OBV_E_UNKNOWN},
    {"past-end", OBV_E_PAST_END}, {"options", OBV_E_OPTIONS},
    {"kind", OBV_E_KIND},         {"refused", OBV_E_BUSY},
    {"cycle", OBV_E_CYCLE},
};

const char *kind_of_status(enum obv_status status)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].status == status) {
            return kinds[i].kind;
        }
    }
    return obv_status_name(status);
}

static enum obv_status status_of_kind(const char *kind)
{
    size_t length = length_of_kind(kind);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].kind) == length &&
            memcmp(kinds[i].kind, kind, length) == 0) {
            return kinds[i].status;
        }
    }
    fail("unknown or not built kind of error: %s", kind);
}

static void check_refusal(const struct refusal *refusal, const char *kind,
                          enum obv_status status)
{
    const char *place = kind + length_of_kind(kind);
    if (!refusal->happened) {
        fail("it was not refused");
    }
    if (refusal->status != status) {
        fail("refused with %s, not %s", kind_of_status(refusal->status),
             kind_of_status(status));
    }
    if (place[0] == '@' && refusal->position != strtoul(place + 1, NULL, 10)) {
        fail("refused at byte %zu, not %s", refusal->position, place + 1);
    }
}

/* Nothing is refused at the depth limit: it is reported. */
static void run_fails_depth(struct words command)
{
    uint64_t before = world.depth_reports;
    run_nested(command);
    if (world.depth_reports == before) {
        fail("the depth limit was not reported");
    }
}

static void run_fails(struct words arguments)
{
    if (strcmp(arguments.word[0], "depth") == 0) {
        run_fails_depth(words_from(arguments, 1));
        return;
    }
    enum obv_status status = status_of_kind(arguments.word[0]);
    struct refusal *outer = world.refusal, refusal = {false, OBV_OK, 0};
    struct obv_counters before, after;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    obv_context_counters(world.context, &before);
    world.refusal = &refusal;
    run_nested(words_from(arguments, 1));
    world.refusal = outer;
    obv_context_counters(world.context, &after);
    check_refusal(&refusal, arguments.word[0], status);
    if (status == OBV_E_CYCLE) {
        after.diagnostics = before.diagnostics; /* it is reported as well */
    }
    if (memcmp(&before, &after, sizeof before) != 0) {
        fail("it was refused, and yet it changed something");
    }
}

const struct command nesting_commands[] = {
    {"on", COMMAND_ACTS, run_on, 2, COMMAND_ANY_COUNT, 2},
    {"ondeinit", COMMAND_ACTS, run_ondeinit, 2, COMMAND_ANY_COUNT, 2},
    {"onstate", COMMAND_ACTS, run_onstate, 3, COMMAND_ANY_COUNT, 3},
    {"ondrop", COMMAND_ACTS, run_ondrop, 2, COMMAND_ANY_COUNT, 2},
    {"ontold", COMMAND_ACTS, run_ontold, 2, COMMAND_ANY_COUNT, 2},
    {"thread", COMMAND_ACTS, run_thread, 1, COMMAND_ANY_COUNT, 1},
    {"times", COMMAND_ACTS, run_times, 2, COMMAND_ANY_COUNT, 2},
    {"fails", COMMAND_ACTS, run_fails, 2, COMMAND_ANY_COUNT, 2},
    {NULL, COMMAND_ACTS, NULL, 0, 0, 0},
};
