// SPDX-License-Identifier: Apache-2.0
/*
 * P8: bytes asked of malloc, for an object with four ints that nobody observes,
 * for its first observer and for a second. A program with a malloc of its own,
 * which counts; prints `id<TAB>variant<TAB>bytes`.
 *
 *     P8a         the object
 *     P8b, P8c    immediate observers
 *     P8d, P8e    delayed ones
 *     P13b        `*.*` over 100,000 objects, an object
 *
 * Each is the mean over `objects`, so that what an allocator takes by the page
 * shows as what it is.
 */
#include "peers/peers.h"
#include "star.h"

#include <CountedMemory.h>

#include <vector>

namespace bench
{

namespace
{

constexpr size_t objects = 10000;
/// Made before: what there is once, is there then.
constexpr size_t first = 100;

struct bytes {
    double object, first, second;
};

/// The mean of what `work` takes for each object but the first hundred.
template <class Object, class Work>
double mean(std::vector<Object *> &all, const Work &work)
{
    int64_t before = counted_bytes();
    for (size_t i = first; i < first + objects; i++) {
        work(all[i]);
    }
    return static_cast<double>(counted_bytes() - before) / objects;
}

/// A library: `make`, `observe` and `set` of its `object`; `deliver` calls
/// those who wait.
template <class Library> bytes measure(void (*deliver)() = nullptr)
{
    using object = typename Library::object;
    std::vector<object *> all(first + objects);
    tally seen{};
    for (size_t i = 0; i < first; i++) {
        all[i] = Library::make();
        Library::observe(all[i], &seen);
        Library::observe(all[i], &seen);
    }
    bytes of{};
    of.object = mean(all, [](object *&one) { one = Library::make(); });
    auto observe = [&](object *one) { Library::observe(one, &seen); };
    of.first = mean(all, observe);
    of.second = mean(all, observe);
    for (object *one : all) {
        Library::set(one, 1);
    }
    if (deliver != nullptr) {
        deliver();
    }
    if (seen.calls != 2 * all.size() || seen.sum != seen.calls) {
        fprintf(stderr, "P8: %s: the checksum is wrong\n", Library::name);
        exit(1);
    }
    return of;
}

void print(const char *id, const char *name, double of)
{
    printf("%s\t%s\t%.2f\n", id, name, of);
}

// --- Ours --------------------------------------------------------------------

struct four_ints {
    obv_object object;
    int32_t age, size, weight, height;
};

OBV_PROPERTY(four_ints, age, i32, 0)

const obv_property properties[] = {
    OBV_FIELD(four_ints, age, i32),
    OBV_FIELD(four_ints, size, i32),
    OBV_FIELD(four_ints, weight, i32),
    OBV_FIELD(four_ints, height, i32),
};

obv_class *four_ints_class()
{
    static obv_class_table table{};
    static obv_class *const made = [] {
        table.size = sizeof table;
        table.name = "four ints";
        table.instance_size = sizeof(four_ints);
        table.properties = properties;
        table.property_count = sizeof properties / sizeof *properties;
        obv_class *cls = nullptr;
        BENCH_REQUIRE(obv_class_create(nullptr, &table, &cls, nullptr));
        return cls;
    }();
    return made;
}

void see(void *observer, obv_object *root, const obv_call *)
{
    four_ints *one = reinterpret_cast<four_ints *>(root);
    tally_add(static_cast<tally *>(observer), four_ints_age(one));
}

/// Nobody asks for a handle: the observation goes with its root.
template <uint32_t Flags> struct observable_bytes {
    static constexpr const char *name = "ours";
    using object = four_ints;

    static object *make()
    {
        object *one = new four_ints{};
        obv_object_init(&one->object, four_ints_class());
        return one;
    }

    static void observe(object *one, tally *seen)
    {
        static const obv_handler_kind kind = [] {
            obv_handler_kind made{};
            made.changed = see;
            made.label = "bytes";
            return made;
        }();
        obv_pair pair = {&one->object, "age"};
        obv_observe_options options = {sizeof options, nullptr, Flags};
        BENCH_REQUIRE(obv_observe_pairs(&pair, 1, &kind, seen, &options,
                                        nullptr, nullptr));
    }

    static void set(object *one, int value)
    {
        four_ints_set_age(one, value);
    }
};

void deliver()
{
    obv_loop_drain(obv_context_loop(obv_context_default()));
}

// --- All ---------------------------------------------------------------------

struct plain {
    int age, size, weight, height;
};

void print_floor()
{
    std::vector<plain *> all(first + objects);
    print("P8a", "floor", mean(all, [](plain *&one) { one = new plain{}; }));
}

void print_ours()
{
    bytes immediate = measure<observable_bytes<OBV_IMMEDIATE>>();
    bytes delayed = measure<observable_bytes<0>>(deliver);
    print("P8a", "ours", immediate.object);
    print("P8b", "ours", immediate.first);
    print("P8c", "ours", immediate.second);
    print("P8d", "ours", delayed.first);
    print("P8e", "ours", delayed.second);
}

/// The objects, and what their classes keep, are there before.
void print_star()
{
    star all;
    int64_t before = counted_bytes();
    all.observe();
    double taken = static_cast<double>(counted_bytes() - before);
    all.set(1);
    all.deliver();
    all.stop();
    if (all.seen.calls != 1 || all.seen.sum != 1) {
        fprintf(stderr, "P13: the checksum is wrong\n");
        exit(1);
    }
    print("P13b", "ours", taken / star::objects);
}

template <class Library> void print_peer()
{
    bytes of = measure<Library>();
    print("P8a", Library::name, of.object);
    print("P8b", Library::name, of.first);
    print("P8c", Library::name, of.second);
}

} // namespace

} // namespace bench

int main()
{
    using namespace bench;
    print_floor();
    print_ours();
    print_star();
#ifdef BENCH_SIGCXX
    print_peer<sigcxx_bytes>();
#endif
#ifdef BENCH_BOOST
    print_peer<boost_signals2_bytes>();
#endif
#ifdef BENCH_GOBJECT
    print_peer<gobject_bytes>();
#endif
#ifdef BENCH_QT
    print_peer<qproperty_bytes>();
#endif
    return 0;
}
