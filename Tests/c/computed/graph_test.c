/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graphs of computed properties beside a naive evaluator, which keeps a
 * version of each value and compares versions: the same values, the same calls,
 * and as many evaluations, which are the fewest there can be.
 *
 * Cells stand in an order and read those before them, some only if another one's
 * value says so. One that was set and was never evaluated reads nothing.
 */
#include "test.h"

#include <observable/observable.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 6, CELLS = 24, INPUTS = 4, STEPS = 400, ROUNDS = 150 };

enum { CELL_STORED, CELL_VALUE };

struct cell {
    struct obv_object object;
    int64_t stored, value;
    unsigned number;
};

OBV_PROPERTY(cell, stored, i64, CELL_STORED)
OBV_COMPUTED(cell, value, i64, CELL_VALUE)

/* What a cell reads: the first input says which of the others. */
struct formula {
    unsigned inputs[INPUTS]; /* below SOURCES: a source; else a cell */
    unsigned count;
    int64_t modulus; /* small, so that many values come out the same */
};

/* The evaluator's idea of a cell. */
struct naive {
    int64_t value;
    uint64_t version; /* of the value */
    bool has_value, is_valid, is_dirty;
    unsigned read[INPUTS];
    uint64_t read_versions[INPUTS];
    unsigned read_count;
    unsigned evaluations;
    /* Of who observes it. */
    bool is_observed, is_pending, is_sure;
    int64_t first;
    unsigned registered, pending_since; /* steps */
};

static struct {
    struct obv_context *context;
    struct obv_class *cls;
    struct cell sources[SOURCES], cells[CELLS];
    struct formula formulas[CELLS];
    struct naive naive[CELLS];
    int64_t stored[SOURCES];
    unsigned evaluations[CELLS];
    struct obv_observation *handles[CELLS];
    uint64_t calls[CELLS], expected[CELLS];
    unsigned step;
} graph;

static unsigned below(unsigned limit)
{
    return (unsigned)(test_random() % limit);
}

/* The library's side ------------------------------------------------------- */

static int64_t read_input(unsigned input)
{
    return input < SOURCES ? cell_stored(&graph.sources[input])
                           : cell_value(&graph.cells[input - SOURCES]);
}

static enum obv_status evaluate(struct obv_object *object,
                                const struct obv_property *property,
                                void *result)
{
    const struct cell *cell = (const struct cell *)object;
    const struct formula *formula = &graph.formulas[cell->number];
    int64_t first = read_input(formula->inputs[0]), value = first;
    (void)property;
    graph.evaluations[cell->number]++;
    for (unsigned i = 1; i < formula->count; i++) {
        if (first % 2 == 0 || i % 2 == 0) {
            value += read_input(formula->inputs[i]);
        }
    }
    value = value % formula->modulus;
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static const struct obv_computed computed = {.size = sizeof computed,
                                             .evaluate = evaluate};

static const struct obv_property properties[] = {
    [CELL_STORED] = OBV_FIELD(cell, stored, i64),
    [CELL_VALUE] = OBV_FIELD_COMPUTED(cell, value, i64, &computed),
};

static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "cell",
                                             .instance_size =
                                                 sizeof(struct cell),
                                             .properties = properties,
                                             .property_count = 2};

static void count_call(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)observer;
    (void)call;
    graph.calls[((struct cell *)root)->number]++;
}

static const struct obv_handler_kind kind = {.changed = count_call,
                                             .label = "cell"};

/* The naive side ----------------------------------------------------------- */

static void spoil(unsigned number);

static void become_pending(struct naive *cell)
{
    cell->is_pending = true;
    cell->pending_since = graph.step;
}

/* Whoever has read an input may have to be evaluated. */
static void spoil_readers(unsigned input, bool is_dirty)
{
    for (unsigned i = 0; i < CELLS; i++) {
        struct naive *reader = &graph.naive[i];
        bool reads = false;
        for (unsigned k = 0; k < reader->read_count; k++) {
            reads = reads || reader->read[k] == input;
        }
        if (reads) {
            reader->is_dirty = reader->is_dirty || is_dirty;
            spoil(i);
        }
    }
}

static void spoil(unsigned number)
{
    struct naive *cell = &graph.naive[number];
    if (!cell->is_valid) {
        return;
    }
    cell->is_valid = false;
    if (cell->is_observed && !cell->is_pending) {
        become_pending(cell);
        cell->first = cell->value;
    }
    spoil_readers(number + SOURCES, false);
}

static int64_t naive_read(unsigned number);

static int64_t naive_input(struct naive *cell, unsigned input)
{
    int64_t value =
        input < SOURCES ? graph.stored[input] : naive_read(input - SOURCES);
    bool is_new = true;
    for (unsigned k = 0; k < cell->read_count; k++) {
        is_new = is_new && cell->read[k] != input;
    }
    if (is_new) {
        cell->read[cell->read_count] = input;
        cell->read_versions[cell->read_count++] =
            input < SOURCES ? 0 : graph.naive[input - SOURCES].version;
    }
    return value;
}

static void naive_evaluate(unsigned number)
{
    struct naive *cell = &graph.naive[number];
    const struct formula *formula = &graph.formulas[number];
    cell->read_count = 0;
    cell->evaluations++;
    int64_t first = naive_input(cell, formula->inputs[0]), value = first;
    for (unsigned i = 1; i < formula->count; i++) {
        if (first % 2 == 0 || i % 2 == 0) {
            value += naive_input(cell, formula->inputs[i]);
        }
    }
    value = value % formula->modulus;
    cell->version += !cell->has_value || value != cell->value;
    cell->value = value;
    cell->has_value = true;
}

/* Whether something that a cell has read is known to have another value. */
static bool has_moved(const struct naive *cell)
{
    bool moved = false;
    for (unsigned k = 0; k < cell->read_count; k++) {
        moved = moved || (cell->read[k] >= SOURCES &&
                          graph.naive[cell->read[k] - SOURCES].version !=
                              cell->read_versions[k]);
    }
    return moved;
}

static int64_t naive_read(unsigned number)
{
    struct naive *cell = &graph.naive[number];
    if (cell->is_valid) {
        return cell->value;
    }
    bool must = !cell->has_value || cell->is_dirty || has_moved(cell);
    for (unsigned k = 0; !must && k < cell->read_count; k++) {
        if (cell->read[k] >= SOURCES) {
            (void)naive_read(cell->read[k] - SOURCES);
            must = has_moved(cell);
        }
    }
    if (must) {
        naive_evaluate(number);
    }
    cell->is_valid = true;
    cell->is_dirty = false;
    return cell->value;
}

static void naive_set(unsigned number, int64_t value)
{
    struct naive *cell = &graph.naive[number];
    bool differs = !cell->has_value || value != cell->value;
    bool tells = value != cell->value;
    cell->has_value = true;
    cell->is_valid = true;
    cell->is_dirty = false;
    if (differs) {
        cell->version++;
    }
    cell->value = value;
    /* What it has read counts from here on. */
    for (unsigned k = 0; k < cell->read_count; k++) {
        cell->read_versions[k] =
            cell->read[k] < SOURCES
                ? 0
                : graph.naive[cell->read[k] - SOURCES].version;
    }
    if (tells) {
        spoil_readers(number + SOURCES, true);
        if (cell->is_observed) {
            if (!cell->is_pending) {
                become_pending(cell);
            }
            cell->is_sure = true;
        }
    }
}

/* The one that is called next (DR-4), or CELLS: by the change that made it due,
   then by registration. */
static unsigned next_pending(void)
{
    unsigned next = CELLS;
    for (unsigned i = 0; i < CELLS; i++) {
        const struct naive *cell = &graph.naive[i];
        const struct naive *best = next < CELLS ? &graph.naive[next] : NULL;
        if (cell->is_pending &&
            (!best || cell->pending_since < best->pending_since ||
             (cell->pending_since == best->pending_since &&
              cell->registered < best->registered))) {
            next = i;
        }
    }
    return next;
}

static void naive_drain(void)
{
    unsigned next;
    while ((next = next_pending()) < CELLS) {
        struct naive *cell = &graph.naive[next];
        (void)naive_read(next);
        graph.expected[next] += cell->is_sure || cell->value != cell->first;
        cell->is_pending = cell->is_sure = false;
    }
}

/* Steps -------------------------------------------------------------------- */

static void make_graph(void)
{
    memset(graph.formulas, 0, sizeof graph.formulas);
    for (unsigned i = 0; i < SOURCES; i++) {
        graph.sources[i].stored = 0;
        obv_object_init(&graph.sources[i].object, graph.cls);
    }
    for (unsigned i = 0; i < CELLS; i++) {
        struct formula *formula = &graph.formulas[i];
        formula->count = 1 + below(INPUTS);
        formula->modulus = 2 + below(5);
        for (unsigned k = 0; k < formula->count; k++) {
            formula->inputs[k] = below(SOURCES + i);
        }
        graph.cells[i].value = 0;
        graph.cells[i].number = i;
        obv_object_init(&graph.cells[i].object, graph.cls);
    }
}

static void set_source(void)
{
    unsigned source = below(SOURCES);
    int64_t value = below(4);
    if (value != graph.stored[source]) {
        graph.stored[source] = value;
        spoil_readers(source, true);
    }
    cell_set_stored(&graph.sources[source], value);
}

static void invalidate(void)
{
    unsigned number = below(CELLS);
    graph.naive[number].is_dirty = graph.naive[number].has_value;
    spoil(number);
    CHECK_EQ(obv_invalidate(&graph.cells[number].object, CELL_VALUE), OBV_OK);
}

static void set_cell(void)
{
    unsigned number = below(CELLS);
    int64_t value = below(4);
    naive_set(number, value);
    cell_set_value(&graph.cells[number], value);
}

static void read_cell(void)
{
    unsigned number = below(CELLS);
    CHECK_EQ(cell_value(&graph.cells[number]), naive_read(number));
}

static void watch_or_not(void)
{
    unsigned number = below(CELLS);
    struct naive *cell = &graph.naive[number];
    if (graph.handles[number]) {
        obv_stop(graph.handles[number]);
        obv_release(graph.handles[number]);
        graph.handles[number] = NULL;
        cell->is_observed = cell->is_pending = cell->is_sure = false;
        return;
    }
    (void)naive_read(number);
    cell->is_observed = true;
    cell->registered = graph.step;
    CHECK_EQ(obv_observe(&graph.cells[number].object, "value", &kind, NULL,
                         &graph.handles[number], NULL),
             OBV_OK);
}

static void drain(void)
{
    naive_drain();
    (void)obv_loop_drain(obv_context_loop(graph.context));
}

static void compare(void)
{
    for (unsigned i = 0; i < CELLS; i++) {
        CHECK_EQ(graph.evaluations[i], graph.naive[i].evaluations);
        CHECK_EQ(graph.calls[i], graph.expected[i]);
        CHECK_EQ(obv_is_valid(&graph.cells[i].object, CELL_VALUE),
                 graph.naive[i].is_valid);
    }
}

static void end_graph(void)
{
    for (unsigned i = CELLS; i-- > 0;) {
        if (graph.handles[i]) {
            obv_stop(graph.handles[i]);
            obv_release(graph.handles[i]);
        }
    }
    (void)obv_loop_drain(obv_context_loop(graph.context));
    for (unsigned i = CELLS; i-- > 0;) {
        CHECK_EQ(obv_object_deinit(&graph.cells[i].object), OBV_OK);
    }
    for (unsigned i = 0; i < SOURCES; i++) {
        CHECK_EQ(obv_object_deinit(&graph.sources[i].object), OBV_OK);
    }
}

static void run_round(void)
{
    static void (*const steps[])(void) = {set_source, set_source,   set_source,
                                          invalidate, set_cell,     read_cell,
                                          read_cell,  watch_or_not, drain};
    memset(&graph, 0, sizeof graph);
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    CHECK_EQ(obv_context_create(&options, &graph.context), OBV_OK);
    CHECK_EQ(obv_class_create(graph.context, &table, &graph.cls, NULL), OBV_OK);
    make_graph();
    for (graph.step = 1; graph.step <= STEPS; graph.step++) {
        steps[below(sizeof steps / sizeof *steps)]();
        compare();
    }
    end_graph();
    CHECK_EQ(obv_context_destroy(graph.context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

TEST(LL_3_LL_5_random_graphs_do_what_a_naive_evaluator_does)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        run_round();
    }
}
