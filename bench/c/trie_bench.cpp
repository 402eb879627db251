// SPDX-License-Identifier: Apache-2.0
/*
 * The trie beside a std::map from the path's elements to a count: a path is
 * added and released, or looked for, while others are there.
 */
#include "harness.h"

#include <observable/trie.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace bench
{

namespace
{

using path = std::array<obv_element, 3>;

/// The path a.b.x with x the `number`-th name: all share a prefix of two.
path nth_path(uint32_t number)
{
    return {{{OBV_ELEMENT_NAME, 1, 0},
             {OBV_ELEMENT_NAME, 2, 0},
             {OBV_ELEMENT_NAME, 3 + number, 0}}};
}

/// Ours.
class trie
{
  public:
    static constexpr const char *name = "ours";
    using place = obv_trie_node *;

    trie()
    {
        BENCH_REQUIRE(obv_trie_create(nullptr, &trie_));
    }

    ~trie()
    {
        obv_trie_destroy(trie_);
    }

    place insert(const path &which)
    {
        place leaf = nullptr;
        BENCH_REQUIRE(obv_trie_add(trie_, which.data(), which.size(), &leaf));
        return leaf;
    }

    void release(place leaf)
    {
        obv_trie_release(trie_, leaf);
    }

    bool has(const path &which) const
    {
        return obv_trie_find(trie_, which.data(), which.size()) != nullptr;
    }

  private:
    obv_trie *trie_ = nullptr;
};

/// The baseline.
class path_map
{
    struct before {
        bool operator()(const path &a, const path &b) const
        {
            return std::lexicographical_compare(
                a.begin(), a.end(), b.begin(), b.end(),
                [](const obv_element &x, const obv_element &y) {
                    return std::tie(x.kind, x.name, x.number) <
                           std::tie(y.kind, y.name, y.number);
                });
        }
    };
    using map = std::map<path, int, before>;

  public:
    static constexpr const char *name = "std::map";
    using place = map::iterator;

    place insert(const path &which)
    {
        place found = map_.try_emplace(which, 0).first;
        found->second++;
        return found;
    }

    void release(place found)
    {
        if (--found->second == 0) {
            map_.erase(found);
        }
    }

    bool has(const path &which) const
    {
        return map_.find(which) != map_.end();
    }

  private:
    map map_;
};

template <class Trie> void fill(Trie &trie, uint32_t others)
{
    for (uint32_t i = 0; i < others; i++) {
        trie.insert(nth_path(i));
    }
}

template <class Trie, uint32_t Others>
void insert_and_release(benchmark::State &state)
{
    Trie trie;
    path which = nth_path(Others);
    fill(trie, Others);
    for (auto _ : state) {
        trie.release(trie.insert(which));
    }
    if (trie.has(which)) {
        state.SkipWithError("the checksum is wrong");
    }
}

template <class Trie, uint32_t Others> void find(benchmark::State &state)
{
    Trie trie;
    path there = nth_path(Others / 2), absent = nth_path(Others);
    int found = 0;
    int64_t turns = 0;
    fill(trie, Others);
    while (state.KeepRunningBatch(2)) {
        found += trie.has(there) - trie.has(absent);
        turns++;
    }
    if (found != turns) {
        state.SkipWithError("the checksum is wrong");
    }
}

template <class Trie> void add_rows()
{
    add("trie: add, release; 0 others", Trie::name,
        insert_and_release<Trie, 0>);
    add("trie: add, release; 100 others", Trie::name,
        insert_and_release<Trie, 100>);
    add("trie: find among 100", Trie::name, find<Trie, 100>);
}

} // namespace

void add_trie()
{
    add_rows<trie>();
    add_rows<path_map>();
}

} // namespace bench
