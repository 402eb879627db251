// SPDX-License-Identifier: Apache-2.0
/*
 * The floor: what the scenario's work costs with no library at all.
 */
#ifndef BENCH_PEERS_FLOOR_H
#define BENCH_PEERS_FLOOR_H

#include "harness.h"

#include <vector>

namespace bench
{

/// A plain field and its tally.
class floor_field
{
  public:
    static constexpr const char *name = "floor";

    int get() const
    {
        return age_;
    }

    tally seen{};

  protected:
    static void see(floor_field *self)
    {
        tally_add(&self->seen, self->age_);
    }

    int age_ = 0;
    /// A pointer that the compiler cannot see through.
    void (*volatile called_)(floor_field *) = see;
};

/// P1: a store that is not inlined.
class floor_store : public floor_field
{
  public:
    explicit floor_store(watch)
    {
    }

    BENCH_SETTER void set(int value)
    {
        age_ = value;
    }
};

/// P2: a store and a call through a pointer.
class floor_call : public floor_field
{
  public:
    explicit floor_call(watch)
    {
    }

    BENCH_SETTER void set(int value)
    {
        age_ = value;
        called_(this);
    }
};

/// P5: a store and a walk of pointers to functions.
class floor_walk : public floor_field
{
  public:
    floor_walk(watch, int observers) : all_(static_cast<size_t>(observers), see)
    {
    }

    BENCH_SETTER void set(int value)
    {
        age_ = value;
        for (void (*called)(floor_field *) : all_) {
            called(this);
        }
    }

  private:
    std::vector<void (*)(floor_field *)> all_;
};

/// P3: a store; one call at the end of a burst.
class floor_burst : public floor_field
{
  public:
    BENCH_SETTER void set(int value)
    {
        age_ = value;
    }

    void begin()
    {
    }

    void deliver()
    {
        called_(this);
    }
};

/// P4: a store and an exchange; P2's call is added by the report.
class floor_exchange : public floor_field
{
  public:
    explicit floor_exchange(watch)
    {
    }

    BENCH_SETTER void set(int value)
    {
        age_ = value;
        (void)__atomic_exchange_n(&tail_, this, __ATOMIC_SEQ_CST);
    }

  private:
    void *tail_ = nullptr;
};

} // namespace bench

#endif
