// SPDX-License-Identifier: Apache-2.0
/*
 * P16: what is derived of an array of 100,000 objects.
 *
 *     P16a  sorted by age: one age is set
 *     P16b  the same: one is appended, and removed again
 *     P16c  filtered by age: another condition, which a quarter answers otherwise;
 *           an element
 *
 * The floor of P16c asks each element. Qt's peer is a QSortFilterProxyModel, GTK's
 * are a GtkSortListModel and a GtkFilterListModel.
 */
#include "harness.h"

#include <observable/array.h>
#include <observable/derived.h>

#include <vector>

#ifdef BENCH_QT
#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#endif
#ifdef BENCH_GTK
#include "peers/gtk_lists.h"
#endif

namespace bench
{

namespace
{

constexpr size_t elements = 100000;

/// Ages in some order.
int age_of(uint64_t number)
{
    return static_cast<int>(number * 2654435761u % elements);
}

/// Another one for each round over all of them.
int next_age_of(uint64_t number)
{
    return age_of(number * 7 + number / elements);
}

struct condition {
    int least;

    static bool includes(const void *element, void *self)
    {
        const user *one = *static_cast<user *const *>(element);
        return user_age(one) >= static_cast<condition *>(self)->least;
    }
};

int by_age(const void *a, const void *b, void *)
{
    int left = user_age(*static_cast<user *const *>(a));
    int right = user_age(*static_cast<user *const *>(b));
    return (left > right) - (left < right);
}

class derived
{
  public:
    explicit derived(bool is_sorted) : users_(elements + 1)
    {
        static const char *const paths[] = {"age"};
        static obv_derived_kind sorted{}, filtered{};
        sorted.size = filtered.size = sizeof sorted;
        sorted.compare = by_age;
        sorted.paths = paths;
        sorted.path_count = 1;
        filtered.includes = condition::includes;
        std::vector<void *> all;
        for (user &one : users_) {
            user_init(&one, HOOKS_NONE);
            user_set_age(&one, age_of(all.size()));
            all.push_back(&one);
        }
        BENCH_REQUIRE(obv_array_create(array_class(), &array_, nullptr));
        BENCH_REQUIRE(obv_array_assign(array_, all.data(), elements));
        BENCH_REQUIRE(obv_derived_create(
            &array_->container, is_sorted ? &sorted : &filtered, &condition_,
            rows_class(), &rows_, nullptr));
    }

    ~derived()
    {
        obv_derived_release(rows_);
        obv_array_release(array_);
        for (user &one : users_) {
            obv_object_deinit(&one.object);
        }
    }

    derived(const derived &) = delete;
    derived &operator=(const derived &) = delete;

    void set(uint64_t number)
    {
        user_set_age(&users_[number % elements], next_age_of(number));
    }

    void append_and_remove()
    {
        BENCH_REQUIRE(obv_array_append(array_, &users_[elements]));
        BENCH_REQUIRE(obv_array_remove(array_, elements));
    }

    size_t ask(int least)
    {
        condition_.least = least;
        BENCH_REQUIRE(
            obv_derivation_refresh(rows_->derivation, OBV_DERIVED_CONDITION));
        return obv_derived_count(rows_);
    }

    size_t count() const
    {
        return obv_derived_count(rows_);
    }

  private:
    static obv_class *array_class()
    {
        static obv_class *made = [] {
            static obv_collection_kind kind{};
            kind.size = sizeof kind;
            kind.name = "array of users";
            kind.element = OBV_KIND_object;
            obv_class *one;
            BENCH_REQUIRE(
                obv_array_class_create(nullptr, &kind, &one, nullptr));
            return one;
        }();
        return made;
    }

    static obv_derived_class *rows_class()
    {
        static obv_derived_class *made = [] {
            static obv_derived_class one{};
            BENCH_REQUIRE(obv_derived_class_create(
                nullptr, &one, "rows of users", OBV_KIND_object, nullptr));
            return &one;
        }();
        return made;
    }

    std::vector<user> users_;
    condition condition_{0};
    obv_array *array_;
    obv_derived *rows_;
};

/// A vector of numbers that is asked.
class plain
{
  public:
    explicit plain(bool) : ages_(elements)
    {
        for (size_t i = 0; i < elements; i++) {
            ages_[i] = age_of(i);
        }
    }

    __attribute__((noinline)) size_t ask(int least)
    {
        size_t count = 0;
        for (int age : ages_) {
            count += age >= least;
        }
        return count;
    }

  private:
    std::vector<int> ages_;
};

#ifdef BENCH_QT
class qt_ages : public QAbstractListModel
{
  public:
    qt_ages() : ages_(elements)
    {
        for (size_t i = 0; i < elements; i++) {
            ages_[i] = age_of(i);
        }
    }

    int rowCount(const QModelIndex &) const override
    {
        return static_cast<int>(ages_.size());
    }

    QVariant data(const QModelIndex &index, int) const override
    {
        return age(index.row());
    }

    int age(int row) const
    {
        return ages_[static_cast<size_t>(row)];
    }

    void set(int row, int value)
    {
        ages_[static_cast<size_t>(row)] = value;
        Q_EMIT dataChanged(index(row), index(row));
    }

    void append()
    {
        int row = static_cast<int>(ages_.size());
        beginInsertRows({}, row, row);
        ages_.push_back(0);
        endInsertRows();
    }

    void remove_last()
    {
        int row = static_cast<int>(ages_.size()) - 1;
        beginRemoveRows({}, row, row);
        ages_.pop_back();
        endRemoveRows();
    }

  private:
    std::vector<int> ages_;
};

class qt_proxy : public QSortFilterProxyModel
{
  public:
    explicit qt_proxy(bool is_sorted)
    {
        setSourceModel(&ages_);
        if (is_sorted) {
            sort(0);
        }
    }

    void set(uint64_t number)
    {
        ages_.set(static_cast<int>(number % elements), next_age_of(number));
    }

    void append_and_remove()
    {
        ages_.append();
        ages_.remove_last();
    }

    size_t ask(int least)
    {
        least_ = least;
        invalidateFilter();
        return count();
    }

    size_t count() const
    {
        return static_cast<size_t>(rowCount());
    }

  protected:
    bool filterAcceptsRow(int row, const QModelIndex &) const override
    {
        return ages_.age(row) >= least_;
    }

    bool lessThan(const QModelIndex &a, const QModelIndex &b) const override
    {
        return ages_.age(a.row()) < ages_.age(b.row());
    }

  private:
    qt_ages ages_;
    int least_ = 0;
};
#endif

#ifdef BENCH_GTK
class gtk_peer : public gtk_lists
{
  public:
    explicit gtk_peer(bool is_sorted) : gtk_lists(is_sorted, elements, age_of)
    {
    }

    void set(uint64_t number)
    {
        gtk_lists::set(static_cast<guint>(number % elements),
                       next_age_of(number));
    }
};
#endif

void check(benchmark::State &state, bool is_right)
{
    if (!is_right) {
        state.SkipWithError("the checksum is wrong");
    }
}

template <class Peer> void rank_change(benchmark::State &state)
{
    Peer peer(true);
    uint64_t number = 1;
    for (auto _ : state) {
        peer.set(number++);
    }
    check(state, peer.count() == elements);
}

template <class Peer> void append_and_remove(benchmark::State &state)
{
    Peer peer(true);
    for (auto _ : state) {
        peer.append_and_remove();
    }
    check(state, peer.count() == elements);
}

template <class Peer> void another_condition(benchmark::State &state)
{
    constexpr int quarter = static_cast<int>(elements / 4);
    Peer peer(false);
    bool is_other = false, is_right = true;
    while (state.KeepRunningBatch(elements)) {
        is_other = !is_other;
        size_t count = peer.ask(is_other ? quarter : 2 * quarter);
        is_right = is_right && count > elements / 4 && count < elements;
    }
    check(state, is_right);
}

} // namespace

void add_p16()
{
    add("P16a", "ours", rank_change<derived>);
    add("P16b", "ours", append_and_remove<derived>);
    add("P16c", "ours", another_condition<derived>);
    add("P16c", "floor", another_condition<plain>);
#ifdef BENCH_QT
    add("P16a", "Qt", rank_change<qt_proxy>);
    add("P16b", "Qt", append_and_remove<qt_proxy>);
    add("P16c", "Qt", another_condition<qt_proxy>);
#endif
#ifdef BENCH_GTK
    add("P16a", "GTK", rank_change<gtk_peer>);
    add("P16b", "GTK", append_and_remove<gtk_peer>);
    add("P16c", "GTK", another_condition<gtk_peer>);
#endif
}

} // namespace bench
