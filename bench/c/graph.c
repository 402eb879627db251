/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classes and the function of graph.h.
 */
#include "graph.h"

#include <string.h>

static enum obv_status evaluate_cell(struct obv_object *object,
                                     const struct obv_property *property,
                                     void *result)
{
    const struct graph_cell *cell = (const struct graph_cell *)object;
    int32_t value = 1;
    (void)property;
    if (cell->input_count == 0) {
        value += graph_source_value(cell->source);
    }
    for (size_t i = 0; i < cell->input_count; i++) {
        value += graph_cell_value(&cell->inputs[i]);
    }
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static const struct obv_computed computed = {.size = sizeof computed,
                                             .evaluate = evaluate_cell};

static const struct obv_property source_properties[] = {
    OBV_FIELD(graph_source, value, i32)};
static const struct obv_property cell_properties[] = {
    OBV_FIELD_COMPUTED(graph_cell, value, i32, &computed)};

static const struct obv_class_table source_table = {
    .size = sizeof source_table,
    .name = "graph source",
    .instance_size = sizeof(struct graph_source),
    .properties = source_properties,
    .property_count = 1};
static const struct obv_class_table cell_table = {.size = sizeof cell_table,
                                                  .name = "graph cell",
                                                  .instance_size =
                                                      sizeof(struct graph_cell),
                                                  .properties = cell_properties,
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

void graph_cell_init(struct graph_cell *cell, const struct graph_source *source,
                     const struct graph_cell *inputs, size_t input_count)
{
    static struct obv_class *cls;
    cell->value = 0;
    cell->source = source;
    cell->inputs = inputs;
    cell->input_count = input_count;
    obv_object_init(&cell->object, made(&cell_table, &cls));
}
