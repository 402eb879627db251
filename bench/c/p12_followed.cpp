// SPDX-License-Identifier: Apache-2.0
/*
 * P12: an array of 1,000,000 objects, 10,000 of which are followed (`n.age`). One
 * is inserted at the front, and removed again; told, where anybody observes.
 *
 *     P12a  10,000 observations
 *     P12b  100 observations: it grows with their logarithm
 *
 * The floor is what the array itself does: the move of a million pointers. No
 * peer follows elements without walking along them.
 */
#include "harness.h"

#include <string>
#include <vector>

namespace bench
{

namespace
{

class followed
{
  public:
    static constexpr size_t objects = 1000000, users = 1000;

    explicit followed(size_t count) : users_(users)
    {
        for (user &one : users_) {
            user_init(&one, HOOKS_NONE);
        }
        list_.items.reserve(objects + 1);
        for (size_t i = 0; i < objects; i++) {
            list_.items.push_back(&users_[i % users].object);
        }
        BENCH_REQUIRE(obv_container_init(&list_.container, list_class()));
        for (size_t i = 0; i < count; i++) {
            observe(objects / count * i);
        }
    }

    ~followed()
    {
        for (obv_observation *handle : handles_) {
            user_stop(handle);
        }
        obv_object_deinit(&list_.container.object);
        for (user &one : users_) {
            obv_object_deinit(&one.object);
        }
    }

    followed(const followed &) = delete;
    followed &operator=(const followed &) = delete;

    __attribute__((noinline)) void insert_at_front()
    {
        obv_object *first = list_.items[objects / 2];
        list_.items.insert(list_.items.begin(), first);
        obv_container_edit edit{};
        edit.inserted = 1;
        tell(edit);
    }

    __attribute__((noinline)) void remove_from_front()
    {
        obv_object *gone = list_.items.front();
        list_.items.erase(list_.items.begin());
        obv_container_edit edit{};
        edit.removed = 1;
        edit.old = &gone;
        tell(edit);
    }

    /// Sets the age of one that is followed; its observation has seen it.
    BENCH_SETTER void set(int value)
    {
        user_set_age(&users_[0], value);
    }

    int get() const
    {
        return user_age(&users_[0]);
    }

    tally seen{};
    uint64_t of_first_user = 0; // so many follow it

  private:
    struct list {
        obv_container container;
        std::vector<obv_object *> items;
    };

    static size_t count_of(const obv_container *container)
    {
        return reinterpret_cast<const list *>(container)->items.size();
    }

    static const void *at(const obv_container *container, size_t position)
    {
        return &reinterpret_cast<const list *>(container)->items[position];
    }

    static obv_class *list_class()
    {
        static obv_class *made = [] {
            static obv_container_kind kind{};
            kind.size = sizeof kind;
            kind.name = "list of users";
            kind.instance_size = sizeof(list);
            kind.element.kind = OBV_KIND_object;
            kind.count = count_of;
            kind.at = at;
            obv_class *one;
            BENCH_REQUIRE(
                obv_container_class_create(nullptr, &kind, &one, nullptr));
            return one;
        }();
        return made;
    }

    static void see(void *observer, obv_object *, const obv_call *)
    {
        followed *self = static_cast<followed *>(observer);
        tally_add(&self->seen, self->get());
    }

    static const obv_handler_kind &kind()
    {
        static const obv_handler_kind made = [] {
            obv_handler_kind one{};
            one.changed = see;
            one.label = "followed";
            return one;
        }();
        return made;
    }

    void observe(size_t position)
    {
        std::string path = std::to_string(position) + ".age";
        obv_pair pair{&list_.container.object, path.c_str()};
        obv_observe_options options{};
        options.size = sizeof options;
        options.flags = OBV_IMMEDIATE;
        obv_observation *handle;
        BENCH_REQUIRE(obv_observe_pairs(&pair, 1, &kind(), this, &options,
                                        &handle, nullptr));
        handles_.push_back(handle);
        of_first_user += position % users == 0;
    }

    void tell(const obv_container_edit &edit)
    {
        BENCH_REQUIRE(obv_container_edited(&list_.container, &edit, 1, nullptr));
    }

    std::vector<user> users_;
    list list_;
    std::vector<obv_observation *> handles_;
};

/// Nobody is called for a move, and then who follows the user that is set.
template <size_t Count> void move_all(benchmark::State &state)
{
    followed one(Count);
    for (auto _ : state) {
        one.insert_at_front();
        one.remove_from_front();
    }
    uint64_t moved = one.seen.calls;
    one.set(1);
    if (moved != 0 || one.seen.calls != one.of_first_user) {
        state.SkipWithError("the checksum is wrong");
    }
}

void move_alone(benchmark::State &state)
{
    std::vector<void *> items(followed::objects);
    items.reserve(followed::objects + 1);
    for (auto _ : state) {
        items.insert(items.begin(), items[1]);
        benchmark::DoNotOptimize(items.data());
        items.erase(items.begin());
        benchmark::DoNotOptimize(items.data());
    }
}

} // namespace

void add_p12()
{
    add("P12a", "ours", move_all<10000>);
    add("P12b", "ours", move_all<100>);
    add("P12a", "floor", move_alone);
    add("P12b", "floor", move_alone);
}

} // namespace bench
