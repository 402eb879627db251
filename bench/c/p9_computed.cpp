// SPDX-License-Identifier: Apache-2.0
/*
 * P9: computed properties, each one more than what it reads. The source is set,
 * and what is at the end is read; per computed property.
 *
 *     P9a  a chain of 1,000
 *     P9b  1,000 that read the source, each of which is read
 *     P9c  10 that read the source, and one that reads the 10
 *     P9d  one that reads 10,000 sources, in another order each time, all of
 *     them
 *          and all of them again; per read
 *     P9e  a sheet of 100,000 cells in 100 rows, each of which reads two above
 *          it: the first source is set, and the lowest row is read; per cell
 *          that is computed
 *     P9f  the same, all 1,000 sources set
 *     P9g  a chain of a million
 *
 * Qt's bindings are evaluated as the source is set: of P9c it evaluates the
 * last for each of the ten, 20 functions in the place of 11. The floor is P2's.
 */
#include "peers/peers.h"

namespace bench
{

namespace
{

constexpr int many = 1000, few = 10;

/// Sets and reads; the answer tells the value that was set.
template <class Graph, int Offset, int Factor, int Nodes, int Rounds>
void compute(benchmark::State &state)
{
    Graph graph;
    int value = 1;
    bool good = true;
    while (state.KeepRunningBatch(Nodes * Rounds)) {
        for (int i = 0; i < Rounds; i++) {
            graph.set(value);
            good = good && graph.get() == Factor * value + Offset;
            value = value % 1000 + 1;
        }
    }
    if (!good) {
        state.SkipWithError("the checksum is wrong");
    }
}

void read_in_another_order(benchmark::State &state)
{
    observable_reader graph;
    int value = 1;
    bool good = true;
    while (state.KeepRunningBatch(2 * observable_reader::sources)) {
        graph.set(value);
        good = good && graph.get() == 2 * value;
        value = value % 1000 + 1;
    }
    if (!good) {
        state.SkipWithError("the checksum is wrong");
    }
}

/// Sets the first sources of the sheet, by which so many cells are computed.
template <size_t Sources, int Nodes> void recalculate(benchmark::State &state)
{
    observable_sheet sheet;
    int value = 1;
    int64_t last = 0;
    while (state.KeepRunningBatch(Nodes)) {
        sheet.set(value, Sources);
        last = sheet.get();
        value = value % 1000 + 1;
    }
    if (last != sheet.expected()) {
        state.SkipWithError("the checksum is wrong");
    }
}

template <graph_shape Shape> using thousand_cells = observable_graph<Shape>;

template <template <graph_shape> class Graph> void add_graphs(const char *name)
{
    add("P9a", name, compute<Graph<graph_shape::chain>, many, 1, many, 1>);
    add("P9b", name, compute<Graph<graph_shape::wide>, many, many, many, 1>);
    add("P9c", name,
        compute<Graph<graph_shape::diamond>, few + 1, few, few + 1, 100>);
}

} // namespace

void add_p9()
{
    constexpr int rows = observable_sheet::rows,
                  columns = observable_sheet::columns, million = 1000000;
    add_graphs<thousand_cells>("ours");
    add("P9d", "ours", read_in_another_order);
    add("P9e", "ours", recalculate<1, rows *(rows + 1) / 2>);
    add("P9f", "ours", recalculate<columns, rows * columns>);
    add("P9g", "ours",
        compute<observable_graph<graph_shape::chain, million>, million, 1,
                million, 1>);
#ifdef BENCH_QT
    add_graphs<qproperty_graph>("Qt binding");
#endif
}

} // namespace bench
