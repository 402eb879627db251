/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands about objects, their properties, and loops.
 */
#include "scenario.h"
#include "thing.h"

#include <stdlib.h>
#include <string.h>

/* --- objects ------------------------------------------------------------- */

static void check_free(const char *name)
{
    world_check_name(name);
    for (struct named_thing *named = world.things; named; named = named->next) {
        if (strcmp(named->name, name) == 0 && named->thing) {
            fail("an object is called %s already", name);
        }
    }
}

static void make(const char *name, struct obv_class *cls)
{
    check_free(name);
    struct named_thing *named = keep(sizeof *named);
    named->name = name;
    named->held = true;
    named->thing = thing_create(cls, named);
    named->next = world.things;
    world.things = named;
}

/* The class at the end of the words: `: Sub`, whose colon may stand at the last
   name; Thing if there is none. */
static struct obv_class *take_class(struct words *words)
{
    if (words->count < 2) {
        return world.thing_class;
    }
    char *before = words->word[words->count - 2];
    size_t length = strlen(before);
    if (before[length - 1] != ':') {
        return world.thing_class;
    }
    struct obv_class *cls = world_class(words->word[words->count - 1]);
    words->count -= length == 1 ? 2 : 1;
    if (length > 1) {
        words->word[words->count - 1] =
            memcpy(keep(length), before, length - 1);
    }
    return cls;
}

/* Without names it means all collections. */
static void run_bare(struct words arguments)
{
    world.bare = arguments.count == 0 ? UINT32_MAX : 0;
    for (size_t i = 0; i < arguments.count; i++) {
        uint32_t property = thing_collection(arguments.word[i]);
        if (property == THING_COUNT) {
            fail("no collection is called %s", arguments.word[i]);
        }
        world.bare |= UINT32_C(1) << property;
    }
}

static void run_new(struct words arguments)
{
    struct obv_class *cls = take_class(&arguments);
    if (arguments.count == 0) {
        fail("new has no name");
    }
    for (size_t i = 0; i < arguments.count; i++) {
        make(arguments.word[i], cls);
    }
}

static void run_drop(struct words arguments)
{
    struct thing *thing = world_thing(arguments.word[0]);
    if (!thing->named->held) {
        fail("%s was dropped before", arguments.word[0]);
    }
    thing->named->held = false;
    thing_release(thing);
}

/* --- properties ---------------------------------------------------------- */

static void run_set(struct words arguments)
{
    struct value value = value_parse(arguments.word[1]);
    place_set(arguments.word[0], &value);
}

static void run_poke(struct words arguments)
{
    struct value value = value_parse(arguments.word[1]);
    place_poke(arguments.word[0], &value);
}

static void run_trigger(struct words arguments)
{
    struct value old = value_parse(arguments.word[2]);
    struct value now = {.kind = VALUE_NIL};
    bool names_new = arguments.count > 3;
    if (names_new) {
        now = value_parse(arguments.word[3]);
    }
    path_trigger(world_thing(arguments.word[0]), word_text(arguments.word[1]),
                 &old, names_new ? &now : NULL);
}

static void run_read(struct words arguments)
{
    place_read(arguments.word[0]);
}

static void run_validate(struct words arguments)
{
    struct obv_class *cls = world_class(arguments.word[0]);
    const char *path = word_text(arguments.word[1]);
    struct obv_error error = {.status = OBV_OK};
    enum obv_status status = obv_validate(cls, path, &error);
    if (status) {
        refuse(status, &error);
    }
}

/* --- loops --------------------------------------------------------------- */

static void check_loop_free(const char *name)
{
    world_check_name(name);
    for (struct named_loop *loop = world.loops; loop; loop = loop->next) {
        if (strcmp(loop->name, name) == 0 && loop->loop) {
            fail("a loop is called %s already", name);
        }
    }
}

static void run_loop(struct words arguments)
{
    check_loop_free(arguments.word[0]);
    struct named_loop *loop = keep(sizeof *loop);
    loop->name = arguments.word[0];
    enum obv_status status = obv_loop_create(world.context, NULL, &loop->loop);
    if (status) {
        fail("no loop could be made: %s", obv_status_name(status));
    }
    loop->next = world.loops;
    world.loops = loop;
}

static void run_endloop(struct words arguments)
{
    struct named_loop *loop = world_loop(arguments.word[0]);
    struct obv_loop *ended = loop->loop;
    loop->loop = NULL;
    enum obv_status status = obv_loop_destroy(ended);
    if (status) {
        loop->loop = ended;
        refuse(status, NULL);
    }
}

/* Immediate blocks, too, are called at the depth of a drain: by its
   evaluations, or by the drain itself, if they were pending when they became
   immediate. The library's answer counts only the latter, which come last. */
static void drop_immediate(struct drain_frame *frame, size_t answer)
{
    size_t kept = frame->begin;
    for (size_t i = frame->begin; i < world.order_count; i++) {
        if (frame->called > answer && world.order[i]->immediate) {
            frame->called--;
        } else {
            world.order[kept++] = world.order[i];
        }
    }
    world.order_count = kept;
}

/* Drains, and compares what the drain answers with the calls that came. */
static ptrdiff_t drain(struct obv_loop *loop)
{
    if (!world.drain) {
        world.order_count = 0;
    }
    struct drain_frame frame = {
        .begin = world.order_count, .depth = world.depth, .outer = world.drain};
    world.drain = &frame;
    ptrdiff_t answer = obv_loop_drain(loop);
    world.drain = frame.outer;
    if (answer >= 0) {
        drop_immediate(&frame, (size_t)answer);
    }
    if (answer >= 0 && (size_t)answer != frame.called) {
        fail("the drain answers %td, but called %zu blocks", answer,
             frame.called);
    }
    return answer;
}

static void run_drain(struct words arguments)
{
    struct obv_loop *loop = obv_context_loop(world.context);
    if (arguments.count > 0 && !word_is_number(arguments.word[0])) {
        loop = world_loop(arguments.word[0])->loop;
        arguments = words_from(arguments, 1);
    }
    if (arguments.count > 1 ||
        (arguments.count == 1 && !word_is_number(arguments.word[0]))) {
        fail("drain takes a loop and a number");
    }
    ptrdiff_t answer = drain(loop);
    if (answer < 0) {
        refuse((enum obv_status)answer, NULL);
    } else if (arguments.count == 1 &&
               (size_t)answer != strtoul(arguments.word[0], NULL, 10)) {
        fail("%td blocks were called, not %s", answer, arguments.word[0]);
    }
}

static void run_batch(struct words arguments)
{
    (void)arguments;
    if (world.batch_depth == BATCHES) {
        fail("batches nest %d deep at most", BATCHES);
    }
    obv_batch_begin(&world.batches[world.batch_depth++]);
}

static void run_end(struct words arguments)
{
    (void)arguments;
    if (world.batch_depth == world.batch_base) {
        fail("there is no batch to end");
    }
    /* Its memory is in use until it returns: what ends in it may begin another
       one. */
    obv_batch_end(&world.batches[world.batch_depth - 1]);
    world.batch_depth--;
}

/* --- computed properties ------------------------------------------------- */

static void run_invalidate(struct words arguments)
{
    for (size_t i = 0; i < arguments.count; i++) {
        place_invalidate(arguments.word[i]);
    }
}

static void check_done(enum obv_status status)
{
    struct obv_error error = {.status = status};
    if (status) {
        refuse(status, &error);
    }
}

static void run_invalidateall(struct words arguments)
{
    check_done(obv_invalidate_all(&world_thing(arguments.word[0])->object));
}

static void run_force(struct words arguments)
{
    check_done(obv_validate_all(&world_thing(arguments.word[0])->object));
}

const struct command action_commands[] = {
    {"bare", COMMAND_ACTS, run_bare, 0, COMMAND_ANY_COUNT, 0},
    {"new", COMMAND_ACTS, run_new, 1, COMMAND_ANY_COUNT, 0},
    {"drop", COMMAND_ACTS, run_drop, 1, 1, 0},
    {"set", COMMAND_ACTS, run_set, 2, 2, 0},
    {"poke", COMMAND_ACTS, run_poke, 2, 2, 0},
    {"trigger", COMMAND_ACTS, run_trigger, 3, 4, 0},
    {"read", COMMAND_ACTS, run_read, 1, 1, 0},
    {"validate", COMMAND_EXPECTS, run_validate, 2, 2, 0},
    {"loop", COMMAND_ACTS, run_loop, 1, 1, 0},
    {"endloop", COMMAND_ACTS, run_endloop, 1, 1, 0},
    {"drain", COMMAND_ACTS, run_drain, 0, 2, 0},
    {"batch", COMMAND_ACTS, run_batch, 0, 0, 0},
    {"end", COMMAND_ACTS, run_end, 0, 0, 0},
    {"invalidate", COMMAND_ACTS, run_invalidate, 1, COMMAND_ANY_COUNT, 0},
    {"invalidateall", COMMAND_ACTS, run_invalidateall, 1, 1, 0},
    {"force", COMMAND_ACTS, run_force, 1, 1, 0},
    {NULL, COMMAND_ACTS, NULL, 0, 0, 0},
};
