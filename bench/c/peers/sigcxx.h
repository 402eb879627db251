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

/// P1, P2, P5 and P6.
class sigcxx
{
  public:
    static constexpr const char *name = "libsigc++";

    explicit sigcxx(watch what, int observers = 1)
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
        age_changed_.emit(value);
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
    using changed = sigc::signal<void, int>;

    sigc::connection connect(changed &one)
    {
        return one.connect(sigc::mem_fun(*this, &sigcxx::see));
    }

    void see(int value)
    {
        tally_add(&seen, value);
    }

    int age_ = 0;
    changed age_changed_, size_changed_;
    sigc::connection added_;
};

/// P8.
struct sigcxx_bytes {
    static constexpr const char *name = "libsigc++";

    struct object {
        int age = 0, size = 0, weight = 0, height = 0;
        sigc::signal<void, int> age_changed, size_changed, weight_changed,
            height_changed;
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
        one->age_changed.emit(value);
    }
};

} // namespace bench

#endif
