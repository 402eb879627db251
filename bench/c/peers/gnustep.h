// SPDX-License-Identifier: Apache-2.0
/*
 * GNUstep's key-value observing: a setter that the runtime replaces once the
 * object is observed. Delivered at once.
 */
#ifndef BENCH_PEERS_GNUSTEP_H
#define BENCH_PEERS_GNUSTEP_H

#include "harness.h"

extern "C" {
/// A user and its observer, which counts into `seen`.
void *bench_gnustep_create(struct tally *seen);
void bench_gnustep_destroy(void *pair);
/// Observes "age" or "size".
void bench_gnustep_observe(void *pair, bool age);
void bench_gnustep_set_age(void *pair, int value);
int bench_gnustep_age(void *pair);
}

namespace bench
{

/// P1 and P2.
class gnustep
{
  public:
    static constexpr const char *name = "GNUstep KVO";

    explicit gnustep(watch what) : pair_(bench_gnustep_create(&seen))
    {
        if (what != watch::nothing) {
            bench_gnustep_observe(pair_, what == watch::property);
        }
    }

    ~gnustep()
    {
        bench_gnustep_destroy(pair_);
    }

    void set(int value)
    {
        bench_gnustep_set_age(pair_, value);
    }

    int get() const
    {
        return bench_gnustep_age(pair_);
    }

    tally seen{};

  private:
    void *pair_;
};

} // namespace bench

#endif
