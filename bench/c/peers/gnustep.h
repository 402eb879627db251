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
/// One more observes "age" or "size".
void bench_gnustep_observe(void *pair, bool age);
/// The last of those who observe "age" ends.
void bench_gnustep_remove(void *pair);
void bench_gnustep_set_age(void *pair, int value);
int bench_gnustep_age(void *pair);

/// The objects of P7 and their observer, which counts into `seen`.
void *bench_gnustep_chain_create(struct tally *seen);
void bench_gnustep_chain_destroy(void *chain);
void bench_gnustep_set_leaf(void *chain, int value);
void bench_gnustep_replace_b(void *chain, int value);
void bench_gnustep_replace_a(void *chain, int value);
int bench_gnustep_leaf(void *chain);
}

namespace bench
{

/// P1, P2, P5 and P6.
class gnustep
{
  public:
    static constexpr const char *name = "GNUstep KVO";

    explicit gnustep(watch what, int observers = 1)
        : pair_(bench_gnustep_create(&seen))
    {
        for (int i = 0; i < observers && what != watch::nothing; i++) {
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

    void add()
    {
        bench_gnustep_observe(pair_, true);
    }

    void remove()
    {
        bench_gnustep_remove(pair_);
    }

    tally seen{};

  private:
    void *pair_;
};

/// P7: the runtime follows the key path.
class gnustep_chain
{
  public:
    static constexpr const char *name = "GNUstep KVO";

    gnustep_chain() : chain_(bench_gnustep_chain_create(&seen))
    {
    }

    ~gnustep_chain()
    {
        bench_gnustep_chain_destroy(chain_);
    }

    void set_leaf(int value)
    {
        bench_gnustep_set_leaf(chain_, value);
    }

    void replace_b(int value)
    {
        bench_gnustep_replace_b(chain_, value);
    }

    void replace_a(int value)
    {
        bench_gnustep_replace_a(chain_, value);
    }

    int get() const
    {
        return bench_gnustep_leaf(chain_);
    }

    tally seen{};

  private:
    void *chain_;
};

} // namespace bench

#endif
