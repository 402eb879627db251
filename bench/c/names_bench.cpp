// SPDX-License-Identifier: Apache-2.0
/*
 * The table of names beside a mutex and a std::unordered_map: a name that is
 * there already is interned, among a thousand. The table finds it without a
 * lock; the map's hash is not keyed.
 */
#include "harness.h"

#include <observable/names.h>

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace bench
{

namespace
{

constexpr int names_count = 1000;

/// Ours.
class names
{
  public:
    static constexpr const char *name = "ours";

    names()
    {
        BENCH_REQUIRE(obv_names_create(nullptr, &names_));
    }

    ~names()
    {
        obv_names_destroy(names_);
    }

    uint32_t intern(const std::string &text)
    {
        uint32_t id = 0;
        BENCH_REQUIRE(obv_names_intern(names_, text.data(), text.size(), &id));
        return id;
    }

  private:
    obv_names *names_ = nullptr;
};

/// The baseline.
class locked_map
{
  public:
    static constexpr const char *name = "mutex + unordered_map";

    uint32_t intern(const std::string &text)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        uint32_t next = static_cast<uint32_t>(map_.size()) + 1;
        return map_.try_emplace(text, next).first->second;
    }

  private:
    std::mutex mutex_;
    std::unordered_map<std::string, uint32_t> map_;
};

template <class Names> void intern(benchmark::State &state)
{
    Names names;
    std::vector<std::string> texts;
    uint64_t sum = 0, turns = 0;
    for (int i = 0; i < names_count; i++) {
        texts.push_back("property" + std::to_string(i));
        (void)names.intern(texts.back());
    }
    while (state.KeepRunningBatch(names_count)) {
        for (const std::string &text : texts) {
            sum += names.intern(text);
        }
        turns++;
    }
    if (sum != turns * sum_to(names_count)) {
        state.SkipWithError("the checksum is wrong");
    }
}

} // namespace

void add_names()
{
    add("names: intern one of 1,000", names::name, intern<names>);
    add("names: intern one of 1,000", locked_map::name, intern<locked_map>);
}

} // namespace bench
