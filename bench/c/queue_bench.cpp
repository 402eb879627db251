// SPDX-License-Identifier: Apache-2.0
/*
 * The queue beside a mutex and a linked list: one node, and a hundred at once.
 * One thread does both ends, so no cache line travels.
 */
#include "harness.h"

#include <observable/queue.h>

#include <mutex>
#include <vector>

namespace bench
{

namespace
{

struct node {
    obv_queue_node link;
    node *next;
    uint64_t value;
};

/// Ours.
class queue
{
  public:
    static constexpr const char *name = "ours";

    queue()
    {
        BENCH_REQUIRE(obv_queue_create(nullptr, &queue_));
    }

    ~queue()
    {
        obv_queue_destroy(queue_);
    }

    void push(node *one)
    {
        obv_queue_push_mpsc(queue_, &one->link);
    }

    /// The sum of everything that is taken.
    uint64_t take()
    {
        obv_queue_chain chain;
        uint64_t sum = 0;
        obv_queue_take_mpsc(queue_, &chain);
        while (obv_queue_node *one = obv_queue_chain_next(&chain)) {
            sum += reinterpret_cast<node *>(one)->value;
        }
        return sum;
    }

  private:
    obv_queue *queue_ = nullptr;
};

/// The baseline.
class mutex_queue
{
  public:
    static constexpr const char *name = "mutex + list";

    void push(node *one)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        one->next = nullptr;
        *last_ = one;
        last_ = &one->next;
    }

    uint64_t take()
    {
        node *chain;
        {
            std::lock_guard<std::mutex> guard(mutex_);
            chain = first_;
            first_ = nullptr;
            last_ = &first_;
        }
        uint64_t sum = 0;
        for (; chain != nullptr; chain = chain->next) {
            sum += chain->value;
        }
        return sum;
    }

  private:
    std::mutex mutex_;
    node *first_ = nullptr;
    node **last_ = &first_;
};

template <class Queue, int Count> void push_and_take(benchmark::State &state)
{
    Queue queue;
    std::vector<node> nodes(Count);
    uint64_t sum = 0, turns = 0;
    for (int i = 0; i < Count; i++) {
        nodes[i].value = static_cast<uint64_t>(i) + 1;
    }
    while (state.KeepRunningBatch(Count)) {
        for (node &one : nodes) {
            queue.push(&one);
        }
        sum += queue.take();
        turns++;
    }
    if (sum != turns * sum_to(Count)) {
        state.SkipWithError("the checksum is wrong");
    }
}

template <class Queue> void add_rows()
{
    add("queue: push 1, take", Queue::name, push_and_take<Queue, 1>);
    add("queue: push 100, take; a node", Queue::name,
        push_and_take<Queue, 100>);
}

} // namespace

void add_queue()
{
    add_rows<queue>();
    add_rows<mutex_queue>();
}

} // namespace bench
