/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What P9 computes: cells that depend on one source, in one of three shapes.
 * C11 and C++17, as model.h.
 */
#ifndef BENCH_GRAPH_H
#define BENCH_GRAPH_H

#include "model.h"

#include <stddef.h>

/** Cells that one object has: a cell is one more than what it reads. */
struct graph_cell {
    struct obv_object object;
    int32_t value;
    /** What it reads: the source, if it reads no other cells. */
    const struct graph_source *source;
    const struct graph_cell *inputs;
    size_t input_count;
};

struct graph_source {
    struct obv_object object;
    int32_t value;
};

/** What reads many sources, each twice, and in another order each time. */
struct graph_reader {
    struct obv_object object;
    int32_t value;
    const struct graph_source *sources;
    uint32_t count;
    uint32_t turn; /* how often it was computed */
};

OBV_PROPERTY(graph_source, value, i32, 0)
OBV_COMPUTED(graph_cell, value, i32, 0)
OBV_COMPUTED(graph_reader, value, i32, 0)

OBV_BEGIN_DECLS

/** Makes objects, whose classes have no hooks. What a cell reads is known to
    its function, as to one of Qt's: there is a class for cells that read the
    source, one cell, and several. */
void graph_source_init(struct graph_source *source);
void graph_cell_init(struct graph_cell *cell, const struct graph_source *source,
                     const struct graph_cell *inputs, size_t input_count);
/** A cell of a sheet: as much as its source; or, of two cells, the sum without
    the highest bits. */
void graph_sheet_cell_init(struct graph_cell *cell,
                           const struct graph_source *source,
                           const struct graph_cell *inputs);
void graph_reader_init(struct graph_reader *reader,
                       const struct graph_source *sources, uint32_t count);

OBV_END_DECLS

#endif
