// SPDX-License-Identifier: Apache-2.0
/*
 * Boost.Signals2: a signal for each property, emitted by the setter. Safe from
 * any thread, delivered at once.
 */
#ifndef BENCH_PEERS_BOOST_SIGNALS2_H
#define BENCH_PEERS_BOOST_SIGNALS2_H

#include "harness.h"

#include <boost/signals2.hpp>

namespace bench
{

class boost_signals2
{
  public:
    static constexpr const char *name = "Boost.Signals2";

    explicit boost_signals2(watch what)
    {
        auto slot = [this](int value) { tally_add(&seen, value); };
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
        age_changed_(value);
    }

    int get() const
    {
        return age_;
    }

    tally seen{};

  private:
    int age_ = 0;
    boost::signals2::signal<void(int)> age_changed_, size_changed_;
};

} // namespace bench

#endif
