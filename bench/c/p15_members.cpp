// SPDX-License-Identifier: Apache-2.0
/*
 * P15: a set of 1,000,000 members, 10,000 of which are observed by their hashes
 * (`&h`). One that nobody observes enters, and leaves again; told.
 *
 *     P15a  10,000 observations
 *     P15b  100 observations: it does not grow with them
 *     P15c  one that is observed enters and leaves, and is told of
 *
 * The floor is what the set itself does, without being observed: a hash table
 * with room, of the program's own.
 */
#include "harness.h"

#include <string>
#include <vector>

namespace bench
{

namespace
{

/// Members are numbers from 1 on, in open addressing; 0: nobody.
class numbers
{
  public:
    explicit numbers(size_t count) : slots_(4 * count)
    {
        for (uint64_t i = 1; i <= count; i++) {
            insert(i);
        }
    }

    static uint64_t hash(uint64_t member)
    {
        return member * UINT64_C(0x9e3779b97f4a7c15);
    }

    const uint64_t *find(uint64_t hash_of) const
    {
        size_t at = place(hash_of);
        while (slots_[at] != 0 && hash(slots_[at]) != hash_of) {
            at = (at + 1) % slots_.size();
        }
        return slots_[at] == 0 ? nullptr : &slots_[at];
    }

    void insert(uint64_t member)
    {
        size_t at = place(hash(member));
        while (slots_[at] != 0) {
            at = (at + 1) % slots_.size();
        }
        slots_[at] = member;
        count_++;
    }

    /// The last of its run, which is what the benches take out.
    void remove(uint64_t member)
    {
        *const_cast<uint64_t *>(find(hash(member))) = 0;
        count_--;
    }

    size_t count() const
    {
        return count_;
    }

    const uint64_t *from(size_t *index) const
    {
        while (*index < slots_.size() && slots_[*index] == 0) {
            (*index)++;
        }
        return *index < slots_.size() ? &slots_[(*index)++] : nullptr;
    }

  private:
    size_t place(uint64_t hash_of) const
    {
        return static_cast<size_t>(hash_of >> 20) % slots_.size();
    }

    std::vector<uint64_t> slots_;
    size_t count_ = 0;
};

class observed_set
{
  public:
    static constexpr size_t members = 1000000;

    explicit observed_set(size_t count) : set_{{}, numbers(members)}
    {
        BENCH_REQUIRE(obv_container_init(&set_.container, set_class()));
        for (size_t i = 1; i <= count; i++) {
            observe(members + 1 + i);
        }
    }

    ~observed_set()
    {
        for (obv_observation *handle : handles_) {
            user_stop(handle);
        }
        obv_object_deinit(&set_.container.object);
    }

    observed_set(const observed_set &) = delete;
    observed_set &operator=(const observed_set &) = delete;

    __attribute__((noinline)) void insert(uint64_t member)
    {
        set_.values.insert(member);
        obv_container_edit edit{};
        edit.inserted = 1;
        edit.key = &member;
        tell(edit);
    }

    __attribute__((noinline)) void remove(uint64_t member)
    {
        set_.values.remove(member);
        obv_container_edit edit{};
        edit.removed = 1;
        edit.key = &member;
        tell(edit);
    }

    tally seen{};

  private:
    struct set {
        obv_container container;
        numbers values;
    };

    static const set &of(const obv_container *container)
    {
        return *reinterpret_cast<const set *>(container);
    }

    static size_t count_of(const obv_container *container)
    {
        return of(container).values.count();
    }

    static uint64_t hash_of(const obv_container *, const void *element)
    {
        return numbers::hash(*static_cast<const uint64_t *>(element));
    }

    static const void *member(const obv_container *container, uint64_t hash,
                              size_t index)
    {
        return index == 0 ? of(container).values.find(hash) : nullptr;
    }

    static bool next(const obv_container *container,
                     obv_container_cursor *cursor)
    {
        cursor->element = of(container).values.from(&cursor->index);
        return cursor->element != nullptr;
    }

    static obv_class *set_class()
    {
        static obv_class *made = [] {
            static obv_container_kind kind{};
            kind.size = sizeof kind;
            kind.name = "set of numbers";
            kind.instance_size = sizeof(set);
            kind.element.kind = OBV_KIND_i64;
            kind.count = count_of;
            kind.hash = hash_of;
            kind.member = member;
            kind.next = next;
            obv_class *one;
            BENCH_REQUIRE(
                obv_container_class_create(nullptr, &kind, &one, nullptr));
            return one;
        }();
        return made;
    }

    static void see(void *observer, obv_object *, const obv_call *)
    {
        tally_add(&static_cast<observed_set *>(observer)->seen, 1);
    }

    static const obv_handler_kind &kind()
    {
        static const obv_handler_kind made = [] {
            obv_handler_kind one{};
            one.changed = see;
            one.label = "member";
            return one;
        }();
        return made;
    }

    void observe(uint64_t member)
    {
        std::string path = "&" + std::to_string(numbers::hash(member));
        obv_pair pair{&set_.container.object, path.c_str()};
        obv_observe_options options{};
        options.size = sizeof options;
        options.flags = OBV_IMMEDIATE;
        obv_observation *handle;
        BENCH_REQUIRE(obv_observe_pairs(&pair, 1, &kind(), this, &options,
                                        &handle, nullptr));
        handles_.push_back(handle);
    }

    void tell(const obv_container_edit &edit)
    {
        BENCH_REQUIRE(obv_container_edited(&set_.container, &edit, 1, nullptr));
    }

    set set_;
    std::vector<obv_observation *> handles_;
};

/// `Offset` 1: a member that nobody observes; 2: the first that is.
template <size_t Count, size_t Offset> void come_and_go(benchmark::State &state)
{
    observed_set one(Count);
    uint64_t calls = 0;
    while (state.KeepRunningBatch(batch)) {
        for (int i = 0; i < batch; i++) {
            one.insert(observed_set::members + Offset);
            one.remove(observed_set::members + Offset);
        }
        calls += Offset == 2 ? 2 * batch : 0;
    }
    if (one.seen.calls != calls) {
        state.SkipWithError("the checksum is wrong");
    }
}

void plain(benchmark::State &state)
{
    numbers values(observed_set::members);
    while (state.KeepRunningBatch(batch)) {
        for (int i = 0; i < batch; i++) {
            values.insert(observed_set::members + 1);
            benchmark::DoNotOptimize(&values);
            values.remove(observed_set::members + 1);
            benchmark::DoNotOptimize(&values);
        }
    }
}

} // namespace

void add_p15()
{
    add("P15a", "ours", come_and_go<10000, 1>);
    add("P15b", "ours", come_and_go<100, 1>);
    add("P15c", "ours", come_and_go<10000, 2>);
    add("P15a", "floor", plain);
    add("P15b", "floor", plain);
    add("P15c", "floor", plain);
}

} // namespace bench
