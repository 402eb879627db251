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
#include "chain.h"
#include "graph.h"

#include <string.h>
#include <valgrind/callgrind.h>

/* What is counted of each scenario: as many as what a step of any has goes into. */
#define OPERATIONS 11000
/* Sets between two drains in P3. */
#define BURST 100

/* The most observers that a scenario has. */
#define OBSERVERS 100
/* Computed properties of P9, of the diamond fewer. An operation is one of them: its
   part of a set of the source and a read of the result. */
#define CELLS         1000
#define DIAMOND_CELLS 11

/* What the running scenario uses. */
static struct user subject, other;
static struct chain chain;
static struct graph_source source;
static struct graph_cell cells[CELLS];
static struct tally seen;
static struct obv_loop *loop;
static struct obv_observation *handles[OBSERVERS];

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

static BENCH_SETTER void add_and_remove(int32_t value)
{
    (void)value;
    user_stop(
        user_observe(&subject, "age", &seen, HOOKS_NONE, NULL, OBV_IMMEDIATE));
}

static BENCH_SETTER void set_leaf(int32_t value)
{
    chain_set_leaf(&chain, value);
}

static BENCH_SETTER void replace_b(int32_t value)
{
    chain_replace_b(&chain, value);
}

static BENCH_SETTER void replace_a(int32_t value)
{
    chain_replace_a(&chain, value);
}

/* What the graph comes to, which is one more for each cell on the way. */
static void count_result(int32_t result, int32_t cells_on_the_way)
{
    seen.calls++;
    seen.sum += (uint64_t)(result - cells_on_the_way);
}

static BENCH_SETTER void compute_chain(int32_t value)
{
    graph_source_set_value(&source, value);
    count_result(graph_cell_value(&cells[CELLS - 1]), CELLS);
}

static BENCH_SETTER void compute_wide(int32_t value)
{
    int32_t last = 0;
    graph_source_set_value(&source, value);
    for (int i = 0; i < CELLS; i++) {
        last = graph_cell_value(&cells[i]);
    }
    count_result(last, 1);
}

static BENCH_SETTER void compute_diamond(int32_t value)
{
    const int32_t width = DIAMOND_CELLS - 1;
    graph_source_set_value(&source, value);
    int32_t sum = graph_cell_value(&cells[width]) - 1;
    count_result(sum / width, 1);
}

/** One scenario: what is observed how, and what one step is. */
struct scenario {
    const char *name;
    /** Performs the operations that end with `value`. */
    void (*step)(int32_t value);
    int32_t operations_per_step;
    /** How many observe. */
    int observers;
    /** What they watch; NULL: the leaf of the chain, which is one's. */
    const char *path;
    uint32_t flags;
    enum hooks hooks;
    bool bound, block;
};

/* How it is observed; P7 observes by itself, and P9 is read. */
#define NOBODY    0, "age", 0, HOOKS_NONE, false, false
#define CHAIN     1, NULL, OBV_IMMEDIATE, HOOKS_NONE, false, false
#define READ      1, NULL, 0, HOOKS_NONE, false, false
#define IMMEDIATE OBV_IMMEDIATE, HOOKS_NONE, false, false

static const struct scenario scenarios[] = {
    {"loop", set_nothing, 1, NOBODY},
    {"floor", set_plain, 1, NOBODY},
    {"P1a", set_observable, 1, NOBODY},
    {"P1b", set_observable, 1, 1, "size", IMMEDIATE},
    {"P2", set_observable, 1, 1, "age", IMMEDIATE},
    {"P2h", set_observable, 1, 1, "age", OBV_IMMEDIATE, HOOKS_EMPTY, false,
     false},
    {"P3", set_burst_and_drain, BURST, 1, "age", 0, HOOKS_EMPTY, false, false},
    {"P3b2", set_burst_in_block, BURST, 1, "age", 0, HOOKS_EMPTY, false, true},
    {"P4a", set_and_drain, 1, 1, "age", 0, HOOKS_EMPTY, true, false},
    {"P4b", set_and_drain, 1, 1, "age", 0, HOOKS_EMPTY, false, false},
    {"P4c", set_and_drain, 1, 1, "age", 0, HOOKS_COUNTING, true, false},
    {"P4d", set_and_drain, 1, 1, "age", 0, HOOKS_COUNTING, false, false},
    {"P5a", set_observable, 1, 10, "age", IMMEDIATE},
    {"P5b", set_observable, 1, 100, "age", IMMEDIATE},
    {"P6a", add_and_remove, 1, NOBODY},
    {"P6b", add_and_remove, 1, 100, "age", IMMEDIATE},
    {"P7a", set_leaf, 1, CHAIN},
    {"P7b", replace_b, 1, CHAIN},
    {"P7c", replace_a, 1, CHAIN},
    {"P9a", compute_chain, CELLS, READ},
    {"P9b", compute_wide, CELLS, READ},
    {"P9c", compute_diamond, DIAMOND_CELLS, READ},
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

/** Each step that observes is one call of each, which sees its last value. */
static void check(const struct scenario *scenario)
{
    uint64_t by = (uint64_t)scenario->operations_per_step;
    uint64_t calls = OPERATIONS / by, sum = by * calls * (calls + 1) / 2;
    if (scenario->step == replace_b || scenario->step == replace_a) {
        sum = calls / 2 * 3;
    }
    uint64_t observers = (uint64_t)scenario->observers;
    if (scenario->step == add_and_remove ||
        (scenario->path != NULL && strcmp(scenario->path, "age") != 0)) {
        observers = 0;
    }
    if (seen.calls != calls * observers || seen.sum != sum * observers) {
        fprintf(stderr, "%s: the checksum is wrong\n", scenario->name);
        exit(1);
    }
}

/* Cells that nobody reads cost nothing. */
static void make_cells(const struct scenario *scenario)
{
    graph_source_init(&source);
    for (int i = 0; i < CELLS; i++) {
        bool is_linked = i > 0 && scenario->step == compute_chain;
        bool is_sum =
            i == DIAMOND_CELLS - 1 && scenario->step == compute_diamond;
        graph_cell_init(&cells[i], &source, is_linked ? &cells[i - 1] : cells,
                        is_linked ? 1
                        : is_sum  ? DIAMOND_CELLS - 1
                                  : 0);
    }
}

static void end_cells(void)
{
    for (int i = 0; i < CELLS; i++) {
        obv_object_deinit(&cells[i].object);
    }
    obv_object_deinit(&source.object);
}

static void observe(const struct scenario *scenario)
{
    for (int i = 0; i < scenario->observers && scenario->path != NULL; i++) {
        handles[i] = user_observe(&subject, scenario->path, &seen,
                                  scenario->hooks, loop, scenario->flags);
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
    chain_init(&chain, &seen);
    make_cells(scenario);
    seen = (struct tally){0, 0, 0};
    observe(scenario);
    if (scenario->block) {
        block = observe_other();
    }
    count(scenario);
    check(scenario);
    for (int i = 0; i < OBSERVERS; i++) {
        user_stop(handles[i]);
        handles[i] = NULL;
    }
    user_stop(block);
    obv_object_deinit(&subject.object);
    obv_object_deinit(&other.object);
    chain_deinit(&chain);
    end_cells();
    obv_loop_destroy(loop);
}

int main(void)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        run(&scenarios[i]);
    }
    return 0;
}
