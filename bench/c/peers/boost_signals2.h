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

/// P1, P2, P5 and P6.
class boost_signals2
{
  public:
    static constexpr const char *name = "Boost.Signals2";

    explicit boost_signals2(watch what, int observers = 1)
    {
        for (int i = 0; i < observers && what != watch::nothing; i++) {
            connect(what == watch::property ? age_changed_ : size_changed_);
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

    void add()
    {
        added_ = connect(age_changed_);
    }

    void remove()
    {
        added_.disconnect();
    }

    tally seen{};

  private:
    using changed = boost::signals2::signal<void(int)>;

    boost::signals2::connection connect(changed &one)
    {
        return one.connect([this](int value) { tally_add(&seen, value); });
    }

    int age_ = 0;
    changed age_changed_, size_changed_;
    boost::signals2::connection added_;
};

/// P8.
struct boost_signals2_bytes {
    static constexpr const char *name = "Boost.Signals2";

    struct object {
        int age = 0, size = 0, weight = 0, height = 0;
        boost::signals2::signal<void(int)> age_changed, size_changed,
            weight_changed, height_changed;
    };

    static object *make()
    {
        return new object;
    }

    static void observe(object *one, tally *seen)
    {
        one->age_changed.connect([seen](int value) { tally_add(seen, value); });
    }

    static void set(object *one, int value)
    {
        one->age = value;
        one->age_changed(value);
    }
};

} // namespace bench

#endif
