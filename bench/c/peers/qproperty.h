// SPDX-License-Identifier: Apache-2.0
/*
 * QProperty of Qt 6: a property that holds its observers in the caller's
 * memory. One thread, delivered at once, or at the end of an update group.
 */
#ifndef BENCH_PEERS_QPROPERTY_H
#define BENCH_PEERS_QPROPERTY_H

#include "harness.h"

#include <QProperty>

#include <list>
#include <optional>
#include <vector>

namespace bench
{

/// P1, P2, P5 and P6.
class qproperty
{
  public:
    static constexpr const char *name = "QProperty";

    explicit qproperty(watch what, int observers = 1)
    {
        QProperty<int> &one = what == watch::property ? age_ : size_;
        for (int i = 0; i < observers && what != watch::nothing; i++) {
            handlers_.emplace_back(one, see{this});
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

    void add()
    {
        added_.emplace(age_, see{this});
    }

    void remove()
    {
        added_.reset();
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
    std::list<QPropertyChangeHandler<see>> handlers_;
    std::optional<QPropertyChangeHandler<see>> added_;
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

/// P7: a property that is bound to the path, and a handler of it.
class qproperty_chain
{
  public:
    static constexpr const char *name = "Qt binding";

    qproperty_chain()
    {
        leaf_.setBinding([this] { return get(); });
        handler_.emplace(leaf_, see{this});
    }

    BENCH_SETTER void set_leaf(int value)
    {
        a_.value()->b.value()->c.setValue(value);
    }

    BENCH_SETTER void replace_b(int value)
    {
        a_.value()->b.setValue(&bs_[value & 1]);
    }

    BENCH_SETTER void replace_a(int value)
    {
        a_.setValue(&as_[value & 1]);
    }

    int get() const
    {
        return a_.value()->b.value()->c.value();
    }

    tally seen{};

  private:
    struct b {
        QProperty<int> c;
    };

    struct a {
        QProperty<struct b *> b;
    };

    struct see {
        qproperty_chain *self;

        void operator()() const
        {
            tally_add(&self->seen, self->leaf_.value());
        }
    };

    b first_b_{QProperty<int>(0)};
    b bs_[2] = {{QProperty<int>(2)}, {QProperty<int>(1)}};
    b below_[2] = {{QProperty<int>(2)}, {QProperty<int>(1)}};
    a first_a_{QProperty<b *>(&first_b_)};
    a as_[2] = {{QProperty<b *>(&below_[0])}, {QProperty<b *>(&below_[1])}};
    QProperty<a *> a_{&first_a_};
    QProperty<int> leaf_;
    std::optional<QPropertyChangeHandler<see>> handler_;
};

/// P9.
template <graph_shape Shape> class qproperty_graph
{
  public:
    qproperty_graph() : cells_(Shape == graph_shape::diamond ? 11 : 1000)
    {
        for (size_t i = 0; i < cells_.size(); i++) {
            bind(i);
        }
    }

    BENCH_SETTER void set(int value)
    {
        source_.setValue(value);
    }

    int get() const
    {
        int sum = 0;
        if (Shape != graph_shape::wide) {
            return cells_.back().value();
        }
        for (const QProperty<int> &cell : cells_) {
            sum += cell.value();
        }
        return sum;
    }

  private:
    void bind(size_t i)
    {
        if (Shape == graph_shape::diamond && i == 10) {
            cells_[i].setBinding([this] { return sum_of_ten() + 1; });
        } else if (Shape == graph_shape::chain && i > 0) {
            cells_[i].setBinding([this, i] { return cells_[i - 1] + 1; });
        } else {
            cells_[i].setBinding([this] { return source_ + 1; });
        }
    }

    int sum_of_ten() const
    {
        int sum = 0;
        for (size_t i = 0; i < 10; i++) {
            sum += cells_[i].value();
        }
        return sum;
    }

    QProperty<int> source_{0};
    std::vector<QProperty<int>> cells_;
};

/// P8: four properties; a handler is allocated as it is added.
struct qproperty_bytes {
    static constexpr const char *name = "QProperty";

    struct object {
        QProperty<int> age{0}, size{0}, weight{0}, height{0};
    };

    static object *make()
    {
        return new object;
    }

    static void observe(object *one, tally *seen)
    {
        auto see = [one, seen] { tally_add(seen, one->age.value()); };
        new QPropertyChangeHandler<decltype(see)>(one->age, see);
    }

    static void set(object *one, int value)
    {
        one->age.setValue(value);
    }
};

} // namespace bench

#endif
