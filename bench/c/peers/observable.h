// SPDX-License-Identifier: Apache-2.0
/*
 * Ours: one user, or a chain of three objects, observed by the public interface
 * only.
 */
#ifndef BENCH_PEERS_OBSERVABLE_H
#define BENCH_PEERS_OBSERVABLE_H

#include "chain.h"
#include "graph.h"
#include "harness.h"

#include <numeric>
#include <vector>

namespace bench
{

/// P1, P2, P5 and P6: immediate observers, or none.
template <hooks Hooks = HOOKS_NONE> class observable
{
  public:
    static constexpr const char *name = "ours";

    explicit observable(watch what, int observers = 1)
    {
        user_init(&user_, Hooks);
        for (int i = 0; i < observers && what != watch::nothing; i++) {
            handles_.push_back(
                observe(what == watch::property ? "age" : "size"));
        }
    }

    ~observable()
    {
        for (obv_observation *handle : handles_) {
            user_stop(handle);
        }
        obv_object_deinit(&user_.object);
    }

    BENCH_SETTER void set(int value)
    {
        user_set_age(&user_, value);
    }

    int get() const
    {
        return user_age(&user_);
    }

    void add()
    {
        added_ = observe("age");
    }

    void remove()
    {
        user_stop(added_);
    }

    tally seen{};

  private:
    obv_observation *observe(const char *path)
    {
        return user_observe(&user_, path, &seen, Hooks, nullptr, OBV_IMMEDIATE);
    }

    user user_;
    std::vector<obv_observation *> handles_;
    obv_observation *added_ = nullptr;
};

/// Which loop a delayed observer waits in.
enum class loop_kind { context, bound, unbound };

/// P3 and P4: a delayed observer.
template <loop_kind Loop, hooks Hooks = HOOKS_EMPTY> class observable_delayed
{
  public:
    static constexpr const char *name = "ours";

    observable_delayed()
    {
        user_init(&user_, Hooks);
        make_loop();
        handle_ = user_observe(&user_, "age", &seen, Hooks, loop_, 0);
    }

    ~observable_delayed()
    {
        user_stop(handle_);
        if (Loop != loop_kind::context) {
            obv_loop_destroy(loop_);
        }
        obv_object_deinit(&user_.object);
    }

    BENCH_SETTER void set(int value)
    {
        user_set_age(&user_, value);
    }

    int get() const
    {
        return user_age(&user_);
    }

    void begin()
    {
    }

    void deliver()
    {
        obv_loop_drain(loop_);
    }

    obv_loop *loop() const
    {
        return loop_;
    }

    tally seen{};

  private:
    void make_loop()
    {
        if (Loop == loop_kind::context) {
            loop_ = obv_context_loop(obv_context_default());
            return;
        }
        obv_loop_options options{};
        options.size = sizeof options;
        options.bound = Loop == loop_kind::bound;
        BENCH_REQUIRE(obv_loop_create(nullptr, &options, &loop_));
    }

    user user_;
    obv_loop *loop_ = nullptr;
    obv_observation *handle_ = nullptr;
};

/// P9.
template <graph_shape Shape, size_t Count = 1000> class observable_graph
{
  public:
    observable_graph()
    {
        const bool is_diamond = Shape == graph_shape::diamond;
        graph_source_init(&source_);
        cells_.resize(is_diamond ? 11 : Count);
        for (size_t i = 0; i < cells_.size(); i++) {
            const bool is_last = is_diamond && i == 10;
            const bool is_linked = Shape == graph_shape::chain && i > 0;
            graph_cell_init(&cells_[i], &source_,
                            is_last     ? &cells_[0]
                            : is_linked ? &cells_[i - 1]
                                        : nullptr,
                            is_last ? 10 : is_linked);
            (void)graph_cell_value(&cells_[i]);
        }
    }

    ~observable_graph()
    {
        for (size_t i = cells_.size(); i-- > 0;) {
            obv_object_deinit(&cells_[i].object);
        }
        obv_object_deinit(&source_.object);
    }

    BENCH_SETTER void set(int value)
    {
        graph_source_set_value(&source_, value);
    }

    int get() const
    {
        int sum = 0;
        if (Shape != graph_shape::wide) {
            return graph_cell_value(&cells_.back());
        }
        for (const graph_cell &cell : cells_) {
            sum += graph_cell_value(&cell);
        }
        return sum;
    }

  private:
    graph_source source_;
    std::vector<graph_cell> cells_;
};

/// P9e, P9f: a source above each column; below it a cell as large, and then those
/// that read the one above them and the one to its left.
class observable_sheet
{
  public:
    static constexpr size_t columns = 1000, rows = 100;

    observable_sheet() : sources_(columns), cells_(columns * rows)
    {
        for (graph_source &source : sources_) {
            graph_source_init(&source);
        }
        for (size_t i = 0; i < cells_.size(); i++) {
            const bool reads_two = i >= columns && i % columns != 0;
            const graph_cell *above =
                i < columns ? nullptr : &cells_[i - columns];
            if (i >= columns && !reads_two) {
                graph_cell_init(&cells_[i], nullptr, above, 1);
            } else {
                graph_sheet_cell_init(&cells_[i], &sources_[i % columns],
                                      reads_two ? above - 1 : nullptr);
            }
        }
        (void)get();
    }

    ~observable_sheet()
    {
        for (size_t i = cells_.size(); i-- > 0;) {
            obv_object_deinit(&cells_[i].object);
        }
        for (graph_source &source : sources_) {
            obv_object_deinit(&source.object);
        }
    }

    void set(int value, size_t sources)
    {
        for (size_t i = 0; i < sources; i++) {
            graph_source_set_value(&sources_[i], value);
        }
    }

    /// The sum of the lowest row.
    int64_t get() const
    {
        int64_t sum = 0;
        for (size_t i = cells_.size() - columns; i < cells_.size(); i++) {
            sum += graph_cell_value(&cells_[i]);
        }
        return sum;
    }

    /// The same, computed without the library.
    int64_t expected() const
    {
        std::vector<int32_t> row(columns);
        for (size_t i = 0; i < columns; i++) {
            row[i] = graph_source_value(&sources_[i]) + 1;
        }
        for (size_t r = 1; r < rows; r++) {
            for (size_t i = columns; i-- > 1;) {
                row[i] = (row[i - 1] + row[i]) & 0xffffff;
            }
            row[0]++;
        }
        return std::accumulate(row.begin(), row.end(), int64_t{0});
    }

  private:
    std::vector<graph_source> sources_;
    std::vector<graph_cell> cells_;
};

/// P9d.
class observable_reader
{
  public:
    static constexpr uint32_t sources = 10000;

    observable_reader() : sources_(sources)
    {
        for (graph_source &source : sources_) {
            graph_source_init(&source);
        }
        graph_reader_init(&reader_, sources_.data(), sources);
    }

    ~observable_reader()
    {
        obv_object_deinit(&reader_.object);
        for (graph_source &source : sources_) {
            obv_object_deinit(&source.object);
        }
    }

    BENCH_SETTER void set(int value)
    {
        graph_source_set_value(&sources_.front(), value);
    }

    int get() const
    {
        return graph_reader_value(&reader_);
    }

  private:
    std::vector<graph_source> sources_;
    graph_reader reader_;
};

/// P7.
class observable_chain
{
  public:
    static constexpr const char *name = "ours";

    observable_chain()
    {
        chain_init(&chain_, &seen);
    }

    ~observable_chain()
    {
        chain_deinit(&chain_);
    }

    BENCH_SETTER void set_leaf(int value)
    {
        chain_set_leaf(&chain_, value);
    }

    BENCH_SETTER void replace_b(int value)
    {
        chain_replace_b(&chain_, value);
    }

    BENCH_SETTER void replace_a(int value)
    {
        chain_replace_a(&chain_, value);
    }

    int get() const
    {
        return chain_leaf(&chain_);
    }

    tally seen{};

  private:
    chain chain_;
};

} // namespace bench

#endif
