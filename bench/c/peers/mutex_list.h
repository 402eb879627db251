// SPDX-License-Identifier: Apache-2.0
/*
 * The plain baseline of P4: a mutex, a pending flag, a linked list and a call
 * through a pointer. Safe from any thread as long as nobody stops observing.
 * `Counting`: it holds both ends from scheduling to the call by atomic counts.
 */
#ifndef BENCH_PEERS_MUTEX_LIST_H
#define BENCH_PEERS_MUTEX_LIST_H

#include "harness.h"

#include <atomic>
#include <mutex>

namespace bench
{

template <bool Counting> class mutex_list
{
  public:
    static constexpr const char *name = "mutex + list";

    BENCH_SETTER void set(int value)
    {
        if (value == age_) {
            return;
        }
        age_ = value;
        std::lock_guard<std::mutex> guard(mutex_);
        if (!watcher_.pending) {
            watcher_.pending = true;
            watcher_.next = first_;
            first_ = &watcher_;
            hold(1);
        }
    }

    void deliver()
    {
        while (watcher *next = take()) {
            called_(this, next);
            hold(-1);
        }
    }

    int get() const
    {
        return age_;
    }

    tally seen{};

  private:
    struct watcher {
        bool pending;
        watcher *next;
    };

    void hold(int by)
    {
        if (Counting) {
            held_object_.fetch_add(by, std::memory_order_acq_rel);
            held_observer_.fetch_add(by, std::memory_order_acq_rel);
        }
    }

    __attribute__((noinline)) watcher *take()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        watcher *taken = first_;
        if (taken != nullptr) {
            first_ = taken->next;
            taken->pending = false;
        }
        return taken;
    }

    static void see(mutex_list *self, watcher *)
    {
        tally_add(&self->seen, self->age_);
    }

    std::mutex mutex_;
    watcher *first_ = nullptr;
    watcher watcher_ = {false, nullptr};
    std::atomic<int> held_object_{0}, held_observer_{0};
    int age_ = 0;
    void (*volatile called_)(mutex_list *, watcher *) = see;
};

} // namespace bench

#endif
