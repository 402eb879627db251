/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What callgrind counts: each scenario runs a known number of operations
 * between two requests to callgrind, which writes one dump a scenario with the
 * scenario's name. scripts/bench-instructions runs it and does the sums;
 * without valgrind it checks the scenarios' sums and is otherwise silent.
 *
 *     valgrind --tool=callgrind --collect-atstart=no bench_instructions
 *
 * "loop" is the loop with a call of an empty function: to be subtracted from
 * every other. "floor" is the plain store that P1 is held against.
 */
#include "model.h"

#include <string.h>
#include <valgrind/callgrind.h>

/* What is counted of each scenario. */
#define OPERATIONS 10000
/* Sets between two drains in P3. */
#define BURST 100

/* What the running scenario uses. */
static struct user subject, other;
static struct tally seen;
static struct obv_loop *loop;
static struct obv_observation *handle;

static BENCH_SETTER void set_nothing(int32_t value)
{
    __asm__ volatile("" ::"r"(value));
}

static BENCH_SETTER void set_plain(int32_t value)
{
    *(volatile int32_t *)&subject.age = value;
}

static BENCH_SETTER void set_observable(int32_t value)
{
    user_set_age(&subject, value);
}

static BENCH_SETTER void set_and_drain(int32_t value)
{
    user_set_age(&subject, value);
    obv_loop_drain(loop);
}

static void set_burst(int32_t last)
{
    for (int32_t value = last - BURST + 1; value <= last; value++) {
        set_observable(value);
    }
}

static BENCH_SETTER void set_burst_and_drain(int32_t last)
{
    set_burst(last);
    obv_loop_drain(loop);
}

/* A handler that sets another object: a burst inside a block of the drain. */
static void burst_block(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    (void)observer;
    (void)call;
    set_burst(user_age((struct user *)(void *)root));
}

static const struct obv_handler_kind block_kind = {.changed = burst_block,
                                                   .label = "setter"};

static struct obv_observation *observe_other(void)
{
    struct obv_pair pair = {&other.object, "age"};
    struct obv_observe_options options = {.size = sizeof options, .loop = loop};
    struct obv_observation *made = NULL;
    BENCH_REQUIRE(
        obv_observe_pairs(&pair, 1, &block_kind, NULL, &options, &made, NULL));
    return made;
}

static BENCH_SETTER void set_burst_in_block(int32_t last)
{
    user_set_age(&other, last);
    obv_loop_drain(loop);
}

/** One scenario: what is observed how, and what one step is. */
struct scenario {
    const char *name;
    /** Performs the operations that end with `value`. */
    void (*step)(int32_t value);
    int32_t operations_per_step;
    /** What the observer watches; NULL: nobody observes. */
    const char *path;
    uint32_t flags;
    enum hooks hooks;
    bool bound, block;
};

static const struct scenario scenarios[] = {
    {"loop", set_nothing, 1, NULL, 0, HOOKS_NONE, false, false},
    {"floor", set_plain, 1, NULL, 0, HOOKS_NONE, false, false},
    {"P1a", set_observable, 1, NULL, 0, HOOKS_NONE, false, false},
    {"P1b", set_observable, 1, "size", OBV_IMMEDIATE, HOOKS_NONE, false, false},
    {"P2", set_observable, 1, "age", OBV_IMMEDIATE, HOOKS_NONE, false, false},
    {"P2h", set_observable, 1, "age", OBV_IMMEDIATE, HOOKS_EMPTY, false, false},
    {"P3", set_burst_and_drain, BURST, "age", 0, HOOKS_EMPTY, false, false},
    {"P3b2", set_burst_in_block, BURST, "age", 0, HOOKS_EMPTY, false, true},
    {"P4a", set_and_drain, 1, "age", 0, HOOKS_EMPTY, true, false},
    {"P4b", set_and_drain, 1, "age", 0, HOOKS_EMPTY, false, false},
    {"P4c", set_and_drain, 1, "age", 0, HOOKS_COUNTING, true, false},
    {"P4d", set_and_drain, 1, "age", 0, HOOKS_COUNTING, false, false},
};

static void run_steps(const struct scenario *scenario)
{
    void (*step)(int32_t) = scenario->step;
    int32_t by = scenario->operations_per_step;
    for (int32_t value = by; value <= OPERATIONS; value += by) {
        step(value);
    }
}

/** Counts the operations once the caches and lists have their shape. */
static void count(const struct scenario *scenario)
{
    run_steps(scenario);
    subject.age = 0;
    seen = (struct tally){0, 0, seen.held};
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
    run_steps(scenario);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(scenario->name);
}

/** Each step that observes "age" is one call, which sees its last value. */
static void check(const struct scenario *scenario)
{
    uint64_t calls = 0, sum = 0;
    if (scenario->path != NULL && strcmp(scenario->path, "age") == 0) {
        uint64_t by = (uint64_t)scenario->operations_per_step;
        calls = OPERATIONS / by;
        sum = by * calls * (calls + 1) / 2;
    }
    if (seen.calls != calls || seen.sum != sum) {
        fprintf(stderr, "%s: the checksum is wrong\n", scenario->name);
        exit(1);
    }
}

static void run(const struct scenario *scenario)
{
    struct obv_loop_options options = {.size = sizeof options,
                                       .bound = scenario->bound};
    struct obv_observation *block = NULL;
    BENCH_REQUIRE(obv_loop_create(NULL, &options, &loop));
    user_init(&subject, scenario->hooks);
    user_init(&other, HOOKS_NONE);
    seen = (struct tally){0, 0, 0};
    handle = NULL;
    if (scenario->path != NULL) {
        handle = user_observe(&subject, scenario->path, &seen, scenario->hooks,
                              loop, scenario->flags);
    }
    if (scenario->block) {
        block = observe_other();
    }
    count(scenario);
    check(scenario);
    user_stop(handle);
    user_stop(block);
    obv_object_deinit(&subject.object);
    obv_object_deinit(&other.object);
    obv_loop_destroy(loop);
}

int main(void)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        run(&scenarios[i]);
    }
    return 0;
}
