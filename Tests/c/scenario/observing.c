/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands about observing and stopping.
 *
 * `observe` with one path and nothing else to say goes through obv_observe(),
 * unless the test adds pairs later; everything else through
 * obv_observe_pairs().
 */
#include "scenario.h"

#include <observable/path.h>
#include "thing.h"
#include "watcher.h"

#include <stdlib.h>
#include <string.h>

/* The parsed words of an observing command. */
struct request {
    const char *name;
    bool token;
    struct words paths;
    /** NULL: every instance of a class is observed. */
    struct named_thing *root;
    struct obv_class *cls;
    struct obv_observe_options options;
    const struct observation *by, *block_of;
};

/* --- options ------------------------------------------------------------- */

/* The flag that an option of one word stands for; 0: there is none. */
static uint32_t flag_of(const char *option)
{
    static const struct {
        const char *option;
        uint32_t flag;
    } flags[] = {
        {"immediate", OBV_IMMEDIATE},
        {"defer", OBV_DEFER},
        {"once", OBV_ONCE},
        {"initial", OBV_INITIAL},
        {"any-element", OBV_ANY_ELEMENT},
        {"net", OBV_NET},
        {"values", OBV_VALUES},
        {"prior", OBV_PRIOR},
        {"records", OBV_RECORDS},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(flags[i].option, option) == 0) {
            return flags[i].flag;
        }
    }
    return 0;
}

static enum obv_compare comparison(const char *word)
{
    if (strcmp(word, "always") == 0) {
        return OBV_COMPARE_ALWAYS_DIFFERENT;
    }
    if (strcmp(word, "equal") == 0) {
        return OBV_COMPARE_EQUAL;
    }
    if (strcmp(word, "identity") == 0) {
        return OBV_COMPARE_IDENTITY;
    }
    fail("compare always, equal or identity: %s", word);
}

static bool takes_word(const struct request *request, const char *option)
{
    return (strcmp(option, "by") == 0 && !request->token) ||
           strcmp(option, "block") == 0 || strcmp(option, "loop") == 0 ||
           strcmp(option, "compare") == 0;
}

/* Answers the number of words that the option takes. */
static size_t read_option(struct request *request, struct words words)
{
    const char *option = words.word[0];
    uint32_t flag = flag_of(option);
    if (flag) {
        request->options.flags |= flag;
        return 1;
    }
    if (request->cls && strcmp(option, "token") == 0) {
        request->token = true;
        request->options.flags |= OBV_TOKEN;
        return 1;
    }
    if (!takes_word(request, option)) {
        fail("unknown option: %s", option);
    }
    if (words.count < 2) {
        fail("the option %s needs a word", option);
    }
    if (strcmp(option, "by") == 0) {
        request->by = world_observation(words.word[1]);
    } else if (strcmp(option, "block") == 0) {
        request->block_of = world_observation(words.word[1]);
    } else if (strcmp(option, "loop") == 0) {
        request->options.loop = world_loop(words.word[1])->loop;
    } else {
        request->options.compare = comparison(words.word[1]);
    }
    return 2;
}

static struct request read_request(struct words words, bool token,
                                   bool is_class)
{
    struct request request = {
        .name = words.word[0],
        .token = token,
        .options = {.size = sizeof request.options},
    };
    request.options.flags = token ? OBV_TOKEN : 0;
    world_check_name(request.name);
    request.cls = is_class ? world_class(words.word[1]) : NULL;
    if (!is_class) {
        world_thing(words.word[1]);
        request.root = world_named(words.word[1]);
    }
    request.paths = words_from(words, 2);
    for (size_t i = 0; i < request.paths.count; i++) {
        if (strcmp(request.paths.word[i], ":") != 0) {
            continue;
        }
        struct words options = words_from(request.paths, i + 1);
        request.paths.count = i;
        while (options.count > 0) {
            options = words_from(options, read_option(&request, options));
        }
    }
    if (is_class && request.paths.count != 1) {
        fail("class takes one path, not %zu", request.paths.count);
    }
    if (!is_class && scenario_mentions(world.scenario, "also", request.name)) {
        request.options.flags |= OBV_EXTENSIBLE;
    }
    return request;
}

/* --- beginning ----------------------------------------------------------- */

static struct observer *make_observer(void)
{
    struct observer *observer = keep(sizeof *observer);
    observer->watcher = watcher_create(world.watcher_class, observer);
    observer->held = true;
    observer->next = world.observers;
    world.observers = observer;
    return observer;
}

static void drop_observer(struct observer *observer)
{
    observer->held = false;
    watcher_release(observer->watcher);
}

static void check_free(const char *name)
{
    for (const struct observation *observation = world.observations;
         observation; observation = observation->next) {
        if (strcmp(observation->name, name) == 0 && observation->handle &&
            !obv_has_ended(observation->handle)) {
            fail("an observation is called %s already", name);
        }
    }
}

static void note_paths(struct observation *observation, struct words paths)
{
    size_t count = observation->path_count;
    const char **texts = keep((count + paths.count) * sizeof *texts);
    for (size_t i = 0; i < count + paths.count; i++) {
        texts[i] = i < count ? observation->paths[i]
                             : word_text(paths.word[i - count]);
    }
    observation->paths = texts;
    observation->path_count = count + paths.count;
}

/* An observation without paths (DR-6): the empty path stands for it. */
static void note_no_path(struct observation *observation)
{
    observation->paths = keep(sizeof *observation->paths);
    observation->paths[0] = "";
    observation->path_count = 1;
}

/* Whether another observation has this block and observer, so that a call could
   not be told from one of its calls. */
static bool is_ambiguous(const struct block *block, const void *identity)
{
    for (const struct observation *observation = world.observations;
         observation; observation = observation->next) {
        if (observation->block == block && observation->identity == identity) {
            return true;
        }
    }
    return false;
}

/* A block of the closure that can serve one observation more. */
static struct block *block_for(const struct observation *observation)
{
    struct block *block = observation->closure->blocks;
    while (block && ((block->kind.retain == NULL) != observation->token ||
                     is_ambiguous(block, observation->identity))) {
        block = block->next;
    }
    return block ? block
                 : block_create(observation->closure, observation->token,
                                observation->name);
}

static struct observation *make_observation(const struct request *request)
{
    struct observation *observation = keep(sizeof *observation);
    observation->name = request->name;
    observation->token = request->token;
    observation->immediate = request->options.flags & OBV_IMMEDIATE;
    observation->flags = request->options.flags;
    observation->first_root = request->root;
    if (request->paths.count > 0) {
        note_paths(observation, request->paths);
    } else {
        note_no_path(observation);
    }
    if (request->paths.count > 0) {
        const char *path = word_text(request->paths.word[0]);
        observation->first_path = path_has_star(path) ? NULL : path;
    }
    if (request->token) {
        observation->identity = observation;
    } else {
        observation->observer = request->by
                                    ? world_watcher(request->by)->observer
                                    : make_observer();
        observation->identity = observation->observer->watcher;
    }
    observation->closure = request->block_of
                               ? request->block_of->closure
                               : keep(sizeof *observation->closure);
    observation->block = block_for(observation);
    observation->block->references++;
    return observation;
}

static struct obv_pair *make_pairs(struct words paths, struct obv_object *root)
{
    struct obv_pair *pairs = keep((paths.count + 1) * sizeof *pairs);
    pairs[0].root = root;
    for (size_t i = 0; i < paths.count; i++) {
        pairs[i].root = root;
        pairs[i].path = word_text(paths.word[i]);
    }
    return pairs;
}

static enum obv_status begin(const struct request *request,
                             struct observation *observation,
                             struct obv_error *error)
{
    if (request->cls) {
        const char *path = word_text(request->paths.word[0]);
        return obv_observe_class(request->cls, path, &observation->block->kind,
                                 observation->identity, &request->options,
                                 &observation->handle, error);
    }
    struct obv_object *root = &request->root->thing->object;
    struct obv_pair *pairs = make_pairs(request->paths, root);
    size_t count = request->paths.count;
    if (count == 1 && !request->options.flags && !request->options.loop &&
        !request->options.compare) {
        return obv_observe(root, pairs[0].path, &observation->block->kind,
                           observation->identity, &observation->handle, error);
    }
    return obv_observe_pairs(pairs, count ? count : 1,
                             &observation->block->kind, observation->identity,
                             &request->options, &observation->handle, error);
}

static void undo(const struct request *request, struct observation *observation)
{
    block_release(observation->block);
    if (observation->observer && !request->by) {
        drop_observer(observation->observer);
    }
}

static void observe(struct words arguments, bool token, bool is_class)
{
    struct obv_error error = {.status = OBV_OK};
    struct request request = read_request(arguments, token, is_class);
    check_free(request.name);
    struct observation *observation = make_observation(&request);
    /* In the list before it begins: calls may come at once. */
    observation->next = world.observations;
    world.observations = observation;
    if (scenario_mentions(world.scenario, "edits", observation->name)) {
        edits_begin(observation);
    }
    enum obv_status status = begin(&request, observation, &error);
    if (status) {
        edits_end(observation);
        world.observations = observation->next;
        undo(&request, observation);
        refuse(status, &error);
    }
}

static void run_observe(struct words arguments)
{
    observe(arguments, false, false);
}

static void run_class(struct words arguments)
{
    observe(arguments, false, true);
}

static void run_token(struct words arguments)
{
    observe(arguments, true, false);
}

/* Its handle; the test fails if it was given back. */
static struct obv_observation *given(const struct observation *observation)
{
    if (!observation->handle) {
        fail("%s is not held any more", observation->name);
    }
    return observation->handle;
}

/* Where no options may follow the paths. */
static void check_no_options(const char *command, struct words paths)
{
    for (size_t i = 0; i < paths.count; i++) {
        if (strcmp(paths.word[i], ":") == 0) {
            fail("%s takes no options", command);
        }
    }
}

static void run_also(struct words arguments)
{
    struct obv_error error = {.status = OBV_OK};
    struct observation *observation = world_observation(arguments.word[0]);
    struct thing *root = world_thing(arguments.word[1]);
    struct words paths = words_from(arguments, 2);
    check_no_options("also", paths);
    enum obv_status status =
        obv_observe_also(given(observation), make_pairs(paths, &root->object),
                         paths.count, &error);
    if (status) {
        refuse(status, &error);
        return;
    }
    note_paths(observation, paths);
}

/* --- stopping ------------------------------------------------------------ */

/* Whether they are paths; the first that is none is refused. */
static bool are_paths(struct words paths)
{
    bool good = true;
    for (size_t i = 0; i < paths.count && good; i++) {
        const char *text = word_text(paths.word[i]);
        struct obv_path *path = NULL;
        struct obv_error error = {.status = OBV_OK};
        enum obv_status status =
            obv_path_parse(obv_context_names(world.context), text, strlen(text),
                           &path, &error);
        obv_path_destroy(path);
        good = status == OBV_OK;
        if (!good) {
            refuse(status, &error);
        }
    }
    return good;
}

/* Stops all of the paths, or none of them. */
static void stop_paths(struct observation *observation, struct words paths)
{
    if (!are_paths(paths)) {
        return;
    }
    for (size_t i = 0; i < paths.count; i++) {
        struct obv_error error = {.status = OBV_OK};
        enum obv_status status = obv_stop_path(
            observation->handle, NULL, word_text(paths.word[i]), &error);
        if (status) {
            refuse(status, &error);
        }
    }
}

static void stop_by_observer(const struct observation *observation,
                             struct words words)
{
    struct obv_class *cls = world_find_class(words.word[0]);
    struct thing *root = cls ? NULL : world_thing(words.word[0]);
    struct words paths = words_from(words, 1);
    const char **texts = keep((paths.count + 1) * sizeof *texts);
    for (size_t i = 0; i < paths.count; i++) {
        texts[i] = word_text(paths.word[i]);
    }
    struct obv_error error = {.status = OBV_OK};
    const struct watcher *watcher = world_watcher(observation);
    enum obv_status status =
        cls ? obv_stop_class_observer(cls, watcher, texts, paths.count, &error)
            : obv_stop_observer(&root->object, watcher, texts, paths.count,
                                &error);
    if (status) {
        refuse(status, &error);
    }
}

static void run_stop(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    struct words rest = words_from(arguments, 1);
    check_no_options("stop", rest);
    if (rest.count == 0) {
        obv_stop(observation->handle);
    } else if (strcmp(rest.word[0], "path") == 0 && rest.count >= 2) {
        stop_paths(observation, words_from(rest, 1));
    } else if (strcmp(rest.word[0], "by") == 0 && rest.count >= 2) {
        stop_by_observer(observation, words_from(rest, 1));
    } else {
        fail("stop O, stop O path PATH or stop O by X: %s", rest.word[0]);
    }
}

static void run_stopblock(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    struct obv_class *cls = world_find_class(arguments.word[1]);
    struct thing *root = cls ? NULL : world_thing(arguments.word[1]);
    struct block *block = observation->closure->blocks;
    while (block) {
        struct block *next = block->next;
        if (cls) {
            obv_stop_class_handler(cls, &block->kind, NULL);
        } else {
            obv_stop_handler(&root->object, &block->kind, NULL);
        }
        block = next;
    }
}

static void run_stopall(struct words arguments)
{
    const struct observation *of = world_observation(arguments.word[0]);
    if (!of->observer) {
        fail("the token %s has no observer object", of->name);
    }
    for (struct observation *observation = world.observations; observation;
         observation = observation->next) {
        if (observation->observer == of->observer) {
            obv_stop(observation->handle);
        }
    }
}

static void run_cancel(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    struct obv_observation *handle = observation->handle;
    if (!observation->token || !handle) {
        fail("%s is no token that is still held", observation->name);
    }
    observation->handle = NULL;
    obv_stop(handle);
    obv_release(handle);
}

static void run_cancelwait(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    bool wanted = strcmp(arguments.word[1], "true") == 0;
    if (!observation->token || !observation->handle) {
        fail("%s is no token that is still held", observation->name);
    }
    if (!wanted && strcmp(arguments.word[1], "false") != 0) {
        fail("cancelwait returns true or false");
    }
    if (obv_stop_and_wait(observation->handle) != wanted) {
        fail("it did not return %s", arguments.word[1]);
    }
}

static void run_dropobserver(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    world_watcher(observation);
    if (!observation->observer->held) {
        fail("the observer object of %s was dropped before", observation->name);
    }
    drop_observer(observation->observer);
}

/* --- by hand ------------------------------------------------------------- */

static void run_off(struct words arguments)
{
    world_observation(arguments.word[0])->on_call.count = 0;
}

static void run_schedule(struct words arguments)
{
    obv_schedule(world_observation(arguments.word[0])->handle);
}

static void run_immediate(struct words arguments)
{
    struct observation *observation = world_observation(arguments.word[0]);
    observation->immediate = true;
    obv_make_immediate(given(observation));
}

static void run_execute(struct words arguments)
{
    struct observation *outer = world.executing;
    struct observation *observation = world_observation(arguments.word[0]);
    world.executing = observation;
    bool could = obv_execute(given(observation));
    bool called = world.executing != observation;
    world.executing = outer;
    if (could != called) {
        fail("execute answers %s, but the block was %scalled",
             could ? "true" : "false", called ? "" : "not ");
    }
    if (!could) {
        refuse(OBV_E_BUSY, NULL);
    }
}

const struct command observing_commands[] = {
    {"observe", COMMAND_ACTS, run_observe, 2, COMMAND_ANY_COUNT, 0},
    {"typed", COMMAND_ACTS, run_observe, 2, COMMAND_ANY_COUNT, 0},
    {"token", COMMAND_ACTS, run_token, 2, COMMAND_ANY_COUNT, 0},
    {"class", COMMAND_ACTS, run_class, 3, COMMAND_ANY_COUNT, 0},
    {"also", COMMAND_ACTS, run_also, 3, COMMAND_ANY_COUNT, 0},
    {"off", COMMAND_ACTS, run_off, 1, 1, 0},
    {"stop", COMMAND_ACTS, run_stop, 1, COMMAND_ANY_COUNT, 0},
    {"stopblock", COMMAND_ACTS, run_stopblock, 2, 2, 0},
    {"stopall", COMMAND_ACTS, run_stopall, 1, 1, 0},
    {"cancel", COMMAND_ACTS, run_cancel, 1, 1, 0},
    {"dropobserver", COMMAND_ACTS, run_dropobserver, 1, 1, 0},
    {"schedule", COMMAND_ACTS, run_schedule, 1, 1, 0},
    {"immediate", COMMAND_ACTS, run_immediate, 1, 1, 0},
    {"execute", COMMAND_ACTS, run_execute, 1, 1, 0},
    {"cancelwait", COMMAND_EXPECTS, run_cancelwait, 2, 2, 0},
    {NULL, COMMAND_ACTS, NULL, 0, 0, 0},
};
