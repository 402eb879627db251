// SPDX-License-Identifier: Apache-2.0
/*
 * libsigc++: a signal for each property, emitted by the setter. One thread,
 * delivered at once.
 */
#ifndef BENCH_PEERS_SIGCXX_H
#define BENCH_PEERS_SIGCXX_H

#include "harness.h"

#include <sigc++/sigc++.h>

namespace bench
{

class sigcxx
{
  public:
    static constexpr const char *name = "libsigc++";

    explicit sigcxx(watch what)
    {
        auto slot = sigc::mem_fun(*this, &sigcxx::see);
        if (what == watch::property) {
            age_changed_.connect(slot);
        } else if (what == watch::sibling) {
            size_changed_.connect(slot);
        }
    }

    BENCH_SETTER void set(int value)
    {
        if (value == age_) {
            return;
        }
        age_ = value;
        age_changed_.emit(value);
    }

    int get() const
    {
        return age_;
    }

    tally seen{};

  private:
    void see(int value)
    {
        tally_add(&seen, value);
    }

    int age_ = 0;
    sigc::signal<void, int> age_changed_, size_changed_;
};

} // namespace bench

#endif
