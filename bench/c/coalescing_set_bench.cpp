// SPDX-License-Identifier: Apache-2.0
/*
 * The coalescing set beside a mutex, a pending flag and a list: one post a
 * cycle, and a hundred posts of one item a cycle.
 */
#include "harness.h"

#include <observable/coalescing_set.h>

#include <mutex>

namespace bench
{

namespace
{

/// Ours; `Owner`: posted on the thread that the set is bound to.
template <bool Owner> class coalescing
{
  public:
    static constexpr const char *name = Owner ? "ours, owner" : "ours";

    coalescing()
    {
        BENCH_REQUIRE(obv_coalescing_create(nullptr, nullptr, &set_));
        obv_coalescing_item_init(&item_, 0);
    }

    ~coalescing()
    {
        obv_coalescing_destroy(set_);
    }

    void post()
    {
        if (Owner) {
            obv_coalescing_post_owner(set_, &item_);
        } else {
            obv_coalescing_post(set_, &item_);
        }
    }

    /// How many items were called.
    uint64_t consume()
    {
        uint64_t count = 0;
        obv_coalescing_begin(set_);
        while (obv_coalescing_next(set_) != nullptr) {
            count++;
        }
        obv_coalescing_end(set_);
        return count;
    }

  private:
    obv_coalescing_set *set_ = nullptr;
    obv_coalescing_item item_;
};

/// The baseline.
class mutex_set
{
  public:
    static constexpr const char *name = "mutex + list";

    void post()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        if (!item_.pending) {
            item_.pending = true;
            item_.next = first_;
            first_ = &item_;
        }
    }

    uint64_t consume()
    {
        uint64_t count = 0;
        while (take() != nullptr) {
            count++;
        }
        return count;
    }

  private:
    struct item {
        bool pending;
        item *next;
    };

    item *take()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        item *taken = first_;
        if (taken != nullptr) {
            first_ = taken->next;
            taken->pending = false;
        }
        return taken;
    }

    std::mutex mutex_;
    item item_ = {false, nullptr};
    item *first_ = nullptr;
};

template <class Set, int Posts> void post_and_consume(benchmark::State &state)
{
    Set set;
    uint64_t called = 0, turns = 0;
    while (state.KeepRunningBatch(Posts)) {
        for (int i = 0; i < Posts; i++) {
            set.post();
        }
        called += set.consume();
        turns++;
    }
    if (called != turns) {
        state.SkipWithError("the checksum is wrong");
    }
}

template <class Set> void add_rows()
{
    add("set: post 1, consume", Set::name, post_and_consume<Set, 1>);
    add("set: post 100 times; a post", Set::name, post_and_consume<Set, 100>);
}

} // namespace

void add_coalescing_set()
{
    add_rows<coalescing<false>>();
    add_rows<coalescing<true>>();
    add_rows<mutex_set>();
}

} // namespace bench
