/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classes of graph.h, and a function for each.
 */
#include "graph.h"

#include <string.h>

static enum obv_status after_source(struct obv_object *object,
                                    const struct obv_property *property,
                                    void *result)
{
    const struct graph_cell *cell = (const struct graph_cell *)object;
    int32_t value = graph_source_value(cell->source) + 1;
    (void)property;
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static enum obv_status after_cell(struct obv_object *object,
                                  const struct obv_property *property,
                                  void *result)
{
    const struct graph_cell *cell = (const struct graph_cell *)object;
    int32_t value = graph_cell_value(cell->inputs) + 1;
    (void)property;
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static enum obv_status after_cells(struct obv_object *object,
                                   const struct obv_property *property,
                                   void *result)
{
    const struct graph_cell *cell = (const struct graph_cell *)object;
    int32_t value = 1;
    (void)property;
    for (size_t i = 0; i < cell->input_count; i++) {
        value += graph_cell_value(&cell->inputs[i]);
    }
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static enum obv_status after_two(struct obv_object *object,
                                 const struct obv_property *property,
                                 void *result)
{
    const struct graph_cell *cell = (const struct graph_cell *)object;
    int32_t value = (graph_cell_value(&cell->inputs[0]) +
                     graph_cell_value(&cell->inputs[1])) &
                    0xffffff;
    (void)property;
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

/* Every order is one of steps that no count of the bench is a multiple of. */
static int32_t sum_in_steps(const struct graph_reader *reader)
{
    static const uint32_t steps[] = {1, 7919, 3, 4409, 17, 9973, 7, 6121};
    uint32_t step = steps[reader->turn % 8], at = 0;
    int32_t sum = 0;
    for (uint32_t i = 0; i < reader->count; i++) {
        sum += graph_source_value(&reader->sources[at]);
        at = (at + step) % reader->count;
    }
    return sum;
}

static enum obv_status in_another_order(struct obv_object *object,
                                        const struct obv_property *property,
                                        void *result)
{
    struct graph_reader *reader = (struct graph_reader *)object;
    int32_t sum = sum_in_steps(reader) + sum_in_steps(reader);
    (void)property;
    reader->turn++;
    memcpy(result, &sum, sizeof sum);
    return OBV_OK;
}

#define COMPUTED(function)                                                     \
    {                                                                          \
        .size = sizeof(struct obv_computed), .evaluate = (function)            \
    }
static const struct obv_computed from_source = COMPUTED(after_source),
                                 from_cell = COMPUTED(after_cell),
                                 from_cells = COMPUTED(after_cells),
                                 from_two = COMPUTED(after_two),
                                 from_sources = COMPUTED(in_another_order);

static const struct obv_property source_properties[] = {
    OBV_FIELD(graph_source, value, i32)};
static const struct obv_property cell_properties[][1] = {
    {OBV_FIELD_COMPUTED(graph_cell, value, i32, &from_source)},
    {OBV_FIELD_COMPUTED(graph_cell, value, i32, &from_cell)},
    {OBV_FIELD_COMPUTED(graph_cell, value, i32, &from_cells)},
    {OBV_FIELD_COMPUTED(graph_cell, value, i32, &from_two)}};

static const struct obv_property reader_properties[] = {
    OBV_FIELD_COMPUTED(graph_reader, value, i32, &from_sources)};

static const struct obv_class_table source_table = {
    .size = sizeof source_table,
    .name = "graph source",
    .instance_size = sizeof(struct graph_source),
    .properties = source_properties,
    .property_count = 1};
#define CELL_TABLE(text, line)                                                 \
    {                                                                          \
        .size = sizeof(struct obv_class_table), .name = (text),                \
        .instance_size = sizeof(struct graph_cell), .properties = (line),      \
        .property_count = 1                                                    \
    }
static const struct obv_class_table cell_tables[] = {
    CELL_TABLE("graph cell of the source", cell_properties[0]),
    CELL_TABLE("graph cell of a cell", cell_properties[1]),
    CELL_TABLE("graph cell of cells", cell_properties[2]),
    CELL_TABLE("graph cell of two", cell_properties[3])};

static const struct obv_class_table reader_table = {
    .size = sizeof reader_table,
    .name = "graph reader",
    .instance_size = sizeof(struct graph_reader),
    .properties = reader_properties,
    .property_count = 1};

static struct obv_class *made(const struct obv_class_table *table,
                              struct obv_class **cls)
{
    if (*cls == NULL) {
        BENCH_REQUIRE(obv_class_create(NULL, table, cls, NULL));
    }
    return *cls;
}

void graph_source_init(struct graph_source *source)
{
    static struct obv_class *cls;
    source->value = 0;
    obv_object_init(&source->object, made(&source_table, &cls));
}

static void init_cell(struct graph_cell *cell,
                      const struct graph_source *source,
                      const struct graph_cell *inputs, size_t input_count,
                      size_t kind)
{
    static struct obv_class *classes[4];
    cell->value = 0;
    cell->source = source;
    cell->inputs = inputs;
    cell->input_count = input_count;
    obv_object_init(&cell->object, made(&cell_tables[kind], &classes[kind]));
}

void graph_cell_init(struct graph_cell *cell, const struct graph_source *source,
                     const struct graph_cell *inputs, size_t input_count)
{
    init_cell(cell, source, inputs, input_count,
              input_count < 2 ? input_count : 2);
}

void graph_sheet_cell_init(struct graph_cell *cell,
                           const struct graph_source *source,
                           const struct graph_cell *inputs)
{
    init_cell(cell, source, inputs, inputs ? 2 : 0, inputs ? 3 : 0);
}

void graph_reader_init(struct graph_reader *reader,
                       const struct graph_source *sources, uint32_t count)
{
    static struct obv_class *cls;
    reader->value = 0;
    reader->sources = sources;
    reader->count = count;
    reader->turn = 0;
    obv_object_init(&reader->object, made(&reader_table, &cls));
}
