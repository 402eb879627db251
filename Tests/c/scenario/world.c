/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world of one test: its context, its names, what the user's code does
 * when the library comes to it, and a clean end that finds every leak.
 */
#include "list.h"
#include "scenario.h"
#include "thing.h"
#include "watcher.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct world world;
struct report *report;

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text, sizeof report->text, format, arguments);
    va_end(arguments);
    fflush(NULL);
    _exit(1);
}

void refuse(enum obv_status status, const struct obv_error *error)
{
    if (!world.refusal && status == OBV_E_BUSY) {
        fail("refused: it is under way elsewhere, or has ended");
    }
    if (!world.refusal) {
        fail("refused with %s: %s", kind_of_status(status),
             error && error->message ? error->message
                                     : obv_status_text(status));
    }
    world.refusal->happened = true;
    world.refusal->status = status;
    world.refusal->position = error ? error->position : 0;
}

/* --- memory -------------------------------------------------------------- */

/* Counts, so that a context that keeps anything fails its test. Only one
   thread at a time runs (see scenario.h). */
static size_t blocks_out;

static void *allocate(void *context, size_t size)
{
    (void)context;
    blocks_out++;
    void *block = malloc(size);
    if (!block) {
        abort();
    }
    return memset(block, 0xA5, size);
}

static void give_back(void *context, void *block, size_t size)
{
    (void)context;
    blocks_out--;
    memset(block, 0x5A, size);
    free(block);
}

static const struct obv_allocator allocator = {allocate, give_back, NULL};

/* --- names --------------------------------------------------------------- */

void world_check_name(const char *name)
{
    if (!isupper((unsigned char)name[0])) {
        fail("a name begins with a capital letter: %s", name);
    }
    for (const char *at = name; *at != '\0'; at++) {
        if (!isalnum((unsigned char)*at) && *at != '_') {
            fail("a name has letters, digits and _: %s", name);
        }
    }
}

struct named_thing *world_named(const char *name)
{
    for (struct named_thing *named = world.things; named; named = named->next) {
        if (strcmp(named->name, name) == 0) {
            return named;
        }
    }
    fail("no object is called %s", name);
}

struct thing *world_thing(const char *name)
{
    struct named_thing *named = world_named(name);
    if (!named->thing) {
        fail("%s is dead", name);
    }
    return named->thing;
}

struct obv_class *world_find_class(const char *name)
{
    return strcmp(name, "Thing") == 0 ? world.thing_class
           : strcmp(name, "Sub") == 0 ? world.sub_class
                                      : NULL;
}

struct obv_class *world_class(const char *name)
{
    struct obv_class *cls = world_find_class(name);
    if (!cls) {
        fail("no class is called %s", name);
    }
    return cls;
}

struct named_loop *world_loop(const char *name)
{
    for (struct named_loop *loop = world.loops; loop; loop = loop->next) {
        if (strcmp(loop->name, name) == 0 && loop->loop) {
            return loop;
        }
    }
    fail("no loop is called %s", name);
}

struct observation *world_observation(const char *name)
{
    for (struct observation *observation = world.observations; observation;
         observation = observation->next) {
        if (strcmp(observation->name, name) == 0) {
            return observation;
        }
    }
    fail("no observation is called %s", name);
}

struct watcher *world_watcher(const struct observation *observation)
{
    if (!observation->observer) {
        fail("the token %s has no observer object", observation->name);
    }
    if (!observation->observer->watcher) {
        fail("the observer object of %s is dead", observation->name);
    }
    return observation->observer->watcher;
}

/* --- moments of the user's code ------------------------------------------ */

void world_thing_ends(struct named_thing *named)
{
    run_list(&named->on_deinit);
}

static struct told *told_append(struct told **list, const char *word)
{
    struct told *told = keep(sizeof *told);
    told->word = word;
    while (*list) {
        list = &(*list)->next;
    }
    return *list = told;
}

struct told *told_entry(struct told **list, const char *word)
{
    for (struct told *told = *list; told; told = told->next) {
        if (strcmp(told->word, word) == 0) {
            return told;
        }
    }
    return told_append(list, word);
}

void world_thing_told(struct named_thing *named, const char *property,
                      bool is_observed)
{
    size_t size = strlen(property) + 2;
    char *word = keep(size);
    if (world.over) {
        return;
    }
    snprintf(word, size, "%c%s", is_observed ? '+' : '-', property);
    told_append(&named->told, word);
    run_list(&told_entry(&named->awaited, word)->on_told);
}

void world_watcher_ends(struct observer *observer)
{
    run_list(&observer->on_drop);
}

static bool has_path(const struct observation *observation, const char *path)
{
    bool found = false;
    for (size_t i = 0; !found && i < observation->path_count; i++) {
        found = strcmp(observation->paths[i], path) == 0;
    }
    return found;
}

void world_watcher_told(struct observer *observer,
                        const struct obv_deallocation_notice *notice)
{
    bool is_its_own = false;
    if (world.over) {
        return;
    }
    for (struct observation *observation = world.observations; observation;
         observation = observation->next) {
        is_its_own = is_its_own || (observation->observer == observer &&
                                    has_path(observation, notice->path));
    }
    if (!is_its_own || notice->identity == 0) {
        fail("an observer was told of a path that is not its own: %s",
             notice->path);
    }
    observer->told++;
    world.depth++; /* what it calls, no drain calls */
    run_list(&observer->on_told);
    world.depth--;
}

static struct observation *observation_of(const struct block *block,
                                          const void *identity)
{
    for (struct observation *observation = world.observations; observation;
         observation = observation->next) {
        if (observation->block == block && observation->identity == identity) {
            return observation;
        }
    }
    fail("a block was called with an observer that is not its own");
}

static void note_order(struct observation *observation)
{
    if (world.order_count == world.order_room) {
        world.order_room = 2 * world.order_room + 16;
        struct observation **order =
            keep(world.order_room * sizeof(struct observation *));
        for (size_t i = 0; i < world.order_count; i++) {
            order[i] = world.order[i];
        }
        world.order = order;
    }
    world.order[world.order_count++] = observation;
}

/* Notes what kind of call this is: by hand, immediate, or by a drain. A block
   that was turned immediate may be called by a drain once more. */
static void note_call(struct observation *observation)
{
    observation->calls++;
    if (world.executing == observation) {
        world.executing = NULL;
    } else if (world.drain && world.drain->depth == world.depth) {
        world.drain->called++;
        note_order(observation);
    } else if (!observation->immediate) {
        fail("the delayed block of %s was called outside a drain",
             observation->name);
    }
}

/* The value at the first path of an observation. */
static void note_read(struct observation *observation, struct named_thing *root,
                      const struct obv_call *call)
{
    const char *path = observation->first_path;
    struct obv_value value = {.kind = OBV_KIND_unreachable};
    if (!path_follows(path)) {
        path_read(root, path, &observation->saw);
        return;
    }
    observation->saw = (struct value){.kind = VALUE_UNREACHABLE};
    if (!root->thing) {
        return;
    }
    enum obv_status status = obv_observed_value(
        call->observation, &root->thing->object, path, &value, NULL);
    if (status && status != OBV_E_ENDED) {
        fail("%s cannot be read: %s", path, obv_status_name(status));
    }
    observation->saw = value_handed(&value);
    obv_value_deinit(world.context, &value);
}

void world_block_called(struct block *block, void *identity,
                        struct named_thing *root, const struct obv_call *call)
{
    if (world.over) {
        return;
    }
    struct observation *observation = observation_of(block, identity);
    note_call(observation);
    observation->root = root;
    /* Of a class: the instance that it is called for, which may be none. */
    struct named_thing *first =
        observation->first_root ? observation->first_root : root;
    if (observation->first_path && first) {
        note_read(observation, first, call);
    }
    note_handed(observation, call);
    edits_note(observation);
    run_list(&observation->on_call);
}

static void diagnose(void *context, const struct obv_diagnostic *diagnostic)
{
    (void)context;
    /* Told by debug builds alone: a script cannot know. */
    if (diagnostic->kind == OBV_DIAGNOSTIC_DECLARED) {
        world.debug_reports++;
        return;
    }
    world.reports++;
    world.depth_reports += diagnostic->kind == OBV_DIAGNOSTIC_DEPTH;
}

/* --- begin and end ------------------------------------------------------- */

void world_begin(const struct scenario *scenario, bool by_index)
{
    struct obv_context_options options = {
        .size = sizeof options,
        .allocator = &allocator,
        .diagnose = diagnose,
    };
    world.scenario = scenario;
    world.by_index = by_index;
    enum obv_status status = obv_context_create(&options, &world.context);
    if (status == OBV_OK) {
        status = thing_make_classes(world.context);
    }
    if (status == OBV_OK) {
        status = list_make_classes(world.context);
    }
    if (status == OBV_OK) {
        status = watcher_make_class(world.context, &world.watcher_class);
    }
    if (status != OBV_OK) {
        fail("the world cannot begin: %s", obv_status_name(status));
    }
}

static void end_observations(void)
{
    for (struct observation *observation = world.observations; observation;
         observation = observation->next) {
        obv_stop(observation->handle);
        obv_release(observation->handle);
        observation->handle = NULL;
        edits_end(observation);
    }
    for (struct observer *observer = world.observers; observer;
         observer = observer->next) {
        if (observer->held) {
            observer->held = false;
            watcher_release(observer->watcher);
        }
    }
}

/* Lets go of what an object refers to: breaks every cycle. */
static void end_references(struct thing *thing)
{
    thing_set_a(thing, NULL);
    thing_set_b(thing, NULL);
    thing_set_c(thing, NULL);
    thing_set_w(thing, NULL);
    thing_set_pick(thing, NULL);
    (void)obv_set_object(&thing->object, THING_LIST, NULL);
    (void)obv_set_object(&thing->object, THING_DICT, NULL);
    (void)obv_set_object(&thing->object, THING_SET, NULL);
    (void)obv_set_object(&thing->object, THING_PLAIN, NULL);
    (void)obv_set_object(&thing->object, THING_ANY, NULL);
}

static void end_things(void)
{
    for (struct named_thing *named = world.things; named; named = named->next) {
        struct thing *thing = named->thing;
        if (thing) {
            thing_retain(thing);
            end_references(thing);
            thing_release(thing);
        }
        if (named->held) {
            named->held = false;
            thing_release(named->thing);
        }
    }
}

static void drain_all(void)
{
    ptrdiff_t called = obv_loop_drain(obv_context_loop(world.context));
    for (struct named_loop *loop = world.loops; loop; loop = loop->next) {
        called += loop->loop ? obv_loop_drain(loop->loop) : 0;
    }
    if (called > 0) {
        drain_all(); /* what nothing changes any more ends after one round */
    }
}

static void end_loops(void)
{
    for (struct named_loop *loop = world.loops; loop; loop = loop->next) {
        if (loop->loop && obv_loop_destroy(loop->loop) != OBV_OK) {
            fail("at the end: the loop %s could not be destroyed", loop->name);
        }
        loop->loop = NULL;
    }
}

static void check_nothing_left(void)
{
    if (world.things_alive > 0) {
        fail("at the end: %zu objects are still held", world.things_alive);
    }
    if (world.lists_alive > 0) {
        fail("at the end: %zu lists are still held", world.lists_alive);
    }
    if (world.watchers_alive > 0) {
        fail("at the end: %zu observer objects are still held",
             world.watchers_alive);
    }
    if (world.blocks_alive > 0) {
        fail("at the end: %zu blocks are still held", world.blocks_alive);
    }
}

void world_end(void)
{
    world.over = true;
    if (world.batch_depth > 0) {
        fail("a batch is open");
    }
    end_observations();
    drain_all();
    end_things();
    drain_all();
    check_nothing_left();
    end_loops();
    enum obv_status status = obv_context_destroy(world.context);
    if (status != OBV_OK) {
        fail("at the end: the context answers %s", obv_status_name(status));
    }
    if (blocks_out > 0) {
        fail("at the end: %zu blocks of memory were not given back",
             blocks_out);
    }
}
