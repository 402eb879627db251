// SPDX-License-Identifier: Apache-2.0
/*
 * QProperty of Qt 6: a property that holds its observers in the caller's
 * memory. One thread, delivered at once, or at the end of an update group.
 */
#ifndef BENCH_PEERS_QPROPERTY_H
#define BENCH_PEERS_QPROPERTY_H

#include "harness.h"

#include <QProperty>

#include <optional>

namespace bench
{

/// P1 and P2.
class qproperty
{
  public:
    static constexpr const char *name = "QProperty";

    explicit qproperty(watch what)
    {
        if (what != watch::nothing) {
            QProperty<int> &one = what == watch::property ? age_ : size_;
            handler_.emplace(one, see{this});
        }
    }

    BENCH_SETTER void set(int value)
    {
        age_.setValue(value);
    }

    int get() const
    {
        return age_.value();
    }

    tally seen{};

  private:
    struct see {
        qproperty *self;

        void operator()() const
        {
            tally_add(&self->seen, self->age_.value());
        }
    };

    QProperty<int> age_{0}, size_{0};
    std::optional<QPropertyChangeHandler<see>> handler_;
};

/// P3.
class qproperty_group : public qproperty
{
  public:
    qproperty_group() : qproperty(watch::property)
    {
    }

    void begin()
    {
        Qt::beginPropertyUpdateGroup();
    }

    void deliver()
    {
        Qt::endPropertyUpdateGroup();
    }
};

} // namespace bench

#endif
