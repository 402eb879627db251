// SPDX-License-Identifier: Apache-2.0
/*
 * P11: an array of 1,000 elements, one of which is appended and removed again;
 * one observer, who is told where.
 *
 *     P11a  told at once, each time: it asks which edits it is told of
 *     P11c  told by a drain after a hundred times of that: it looks into its edit
 *           list
 *     P11d  nobody observes
 *
 * The floor of all is a vector that is edited and calls a function; P11d's
 * calls nobody.
 */
#include "harness.h"

#include <observable/edit_list.h>

#include <vector>

#ifdef BENCH_GOBJECT
#include <gio/gio.h>
#endif

namespace bench
{

namespace
{

constexpr size_t elements = 1000;

enum class told { nobody, at_once, by_drain };

class observed_array
{
  public:
    explicit observed_array(told how)
    {
        BENCH_REQUIRE(obv_array_create(array_class(), &array_, nullptr));
        BENCH_REQUIRE(obv_array_reserve(array_, elements + 1));
        for (size_t i = 0; i < elements; i++) {
            append();
        }
        if (how == told::nobody) {
            return;
        }
        if (how == told::by_drain) {
            BENCH_REQUIRE(obv_edit_list_create(nullptr, &array_->container,
                                               &list_, nullptr));
        }
        obv_pair pair{&array_->container.object, "*"};
        obv_observe_options options{};
        options.size = sizeof options;
        options.flags = how == told::at_once ? OBV_IMMEDIATE : 0;
        BENCH_REQUIRE(obv_observe_pairs(&pair, 1, kind(how), this, &options,
                                        &handle_, nullptr));
    }

    ~observed_array()
    {
        if (handle_) {
            user_stop(handle_);
        }
        obv_edit_list_release(list_);
        obv_array_release(array_);
    }

    observed_array(const observed_array &) = delete;
    observed_array &operator=(const observed_array &) = delete;

    void append()
    {
        BENCH_REQUIRE(obv_array_append(array_, this));
    }

    void remove_last()
    {
        BENCH_REQUIRE(obv_array_remove(array_, elements));
    }

    void drain()
    {
        obv_loop_drain(obv_context_loop(obv_context_default()));
    }

    tally seen{}; // the positions

  private:
    static obv_class *array_class()
    {
        static obv_class *made = [] {
            static obv_collection_kind kind{};
            kind.size = sizeof kind;
            kind.name = "array of pointers";
            kind.element = OBV_KIND_pointer;
            obv_class *one;
            BENCH_REQUIRE(
                obv_array_class_create(nullptr, &kind, &one, nullptr));
            return one;
        }();
        return made;
    }

    static void see_edits(void *observer, obv_object *, const obv_call *)
    {
        observed_array *self = static_cast<observed_array *>(observer);
        size_t count;
        const obv_container_edit *edits =
            obv_container_edits(&self->array_->container, &count);
        for (size_t i = 0; i < count; i++) {
            tally_add(&self->seen, static_cast<int>(edits[i].position));
        }
    }

    static void see_list(void *observer, obv_object *, const obv_call *)
    {
        observed_array *self = static_cast<observed_array *>(observer);
        obv_edits edits;
        BENCH_REQUIRE(obv_edit_list_take(self->list_, &edits, nullptr));
        for (size_t i = 0; i < edits.splice_count; i++) {
            tally_add(&self->seen, static_cast<int>(edits.splices[i].now));
        }
        obv_edits_deinit(&edits);
    }

    static const obv_handler_kind *kind(told how)
    {
        static const obv_handler_kind at_once = made_of(see_edits);
        static const obv_handler_kind by_drain = made_of(see_list);
        return how == told::at_once ? &at_once : &by_drain;
    }

    static obv_handler_kind made_of(decltype(obv_handler_kind::changed) changed)
    {
        obv_handler_kind one{};
        one.changed = changed;
        one.label = "rows";
        return one;
    }

    obv_array *array_;
    obv_edit_list *list_ = nullptr;
    obv_observation *handle_ = nullptr;
};

/// A vector, and a function that is told where.
class plain_array
{
  public:
    explicit plain_array(told how) : tell_(how == told::nobody ? nullptr : see)
    {
        items_.assign(elements, this);
        items_.reserve(elements + 1);
    }

    void append()
    {
        items_.push_back(this);
        tell();
    }

    void remove_last()
    {
        items_.pop_back();
        tell();
    }

    void drain()
    {
    }

    tally seen{};

  private:
    __attribute__((noinline)) static void see(plain_array *self, size_t at)
    {
        tally_add(&self->seen, static_cast<int>(at));
    }

    void tell()
    {
        benchmark::DoNotOptimize(items_.data());
        benchmark::DoNotOptimize(tell_);
        if (tell_) {
            tell_(this, elements);
        }
    }

    std::vector<void *> items_;
    void (*tell_)(plain_array *self, size_t at);
};

#ifdef BENCH_GOBJECT
/// GListStore, which tells of each edit where it was made.
class list_store
{
  public:
    explicit list_store(told how) : store_(g_list_store_new(G_TYPE_OBJECT))
    {
        item_ = static_cast<GObject *>(g_object_new(G_TYPE_OBJECT, nullptr));
        for (size_t i = 0; i < elements; i++) {
            append();
        }
        if (how != told::nobody) {
            g_signal_connect(store_, "items-changed", G_CALLBACK(see), this);
        }
    }

    ~list_store()
    {
        g_object_unref(store_);
        g_object_unref(item_);
    }

    list_store(const list_store &) = delete;
    list_store &operator=(const list_store &) = delete;

    void append()
    {
        g_list_store_append(store_, item_);
    }

    void remove_last()
    {
        g_list_store_remove(store_, elements);
    }

    void drain()
    {
    }

    tally seen{};

  private:
    static void see(GListModel *, guint position, guint, guint, gpointer self)
    {
        tally_add(&static_cast<list_store *>(self)->seen,
                  static_cast<int>(position));
    }

    GListStore *store_;
    GObject *item_;
};
#endif

/// `Pairs`: so many between two drains; of what is told at once each is one.
template <class Array, told How, size_t Pairs>
void append_and_remove(benchmark::State &state)
{
    Array array(How);
    uint64_t pairs = 0;
    while (state.KeepRunningBatch(batch)) {
        for (int i = 0; i < batch; i++) {
            array.append();
            if (++pairs % Pairs == 0) {
                array.drain();
            }
            array.remove_last();
        }
    }
    array.drain();
    bool is_told = How != told::nobody;
    bool is_each = How == told::at_once;
    if ((array.seen.calls != 0) != is_told ||
        (is_each && array.seen.sum != 2 * pairs * elements)) {
        state.SkipWithError("the checksum is wrong");
    }
}

} // namespace

void add_p11()
{
    add("P11a", "ours", append_and_remove<observed_array, told::at_once, 1>);
    add("P11a", "floor", append_and_remove<plain_array, told::at_once, 1>);
    add("P11c", "ours", append_and_remove<observed_array, told::by_drain, 100>);
    add("P11d", "ours", append_and_remove<observed_array, told::nobody, 1>);
    add("P11d", "floor", append_and_remove<plain_array, told::nobody, 1>);
#ifdef BENCH_GOBJECT
    add("P11a", "GListStore", append_and_remove<list_store, told::at_once, 1>);
    add("P11d", "GListStore", append_and_remove<list_store, told::nobody, 1>);
#endif
}

} // namespace bench
