// SPDX-License-Identifier: Apache-2.0
/*
 * P10: two threads on two CPUs set at the same time, each a property that one
 * immediate observer of its own watches; a set of the one, while the other goes
 * on.
 *
 *     P10a   two objects
 *     P10b   one object, the properties on cache lines of their own
 *     P10c   one object, the properties side by side
 *
 * The floor is the left thread alone, ours: two threads do twice as much in the
 * same time if a set costs no more beside another.
 */
#include "peers/peers.h"

#include <memory>

namespace bench
{

namespace
{

/// Sets of each thread between two meetings.
constexpr int stretch = 20000;

/// Two ints that lie side by side, or each on a cache line of its own.
enum class lie { apart, together };

template <lie How> struct alignas(64) two {
    struct alignas(How == lie::apart ? 64 : alignof(int32_t)) line {
        int32_t value = 0;
    };
    line left, right;
};

/// Each end of a pair: a setter and a tally that nobody else writes.
enum side { LEFT, RIGHT };

struct alignas(64) own_tally {
    tally seen{};
};

/// P10a: two of a peer's objects.
template <class Peer> class two_objects
{
  public:
    static constexpr const char *name = Peer::name;

    template <side Side> void set(int value)
    {
        peers_[Side].peer.set(value);
    }

    const tally &seen(side of) const
    {
        return peers_[of].peer.seen;
    }

  private:
    struct alignas(64) one {
        Peer peer{watch::property};
    };
    one peers_[2];
};

/// P10b and P10c, ours.
template <lie How> struct place {
    obv_object object;
    two<How> ints;
};

template <lie How> class one_object
{
  public:
    static constexpr const char *name = "ours";

    one_object()
    {
        obv_object_init(&place_.object, class_of());
        handles_[LEFT] = observe("left", see<LEFT>);
        handles_[RIGHT] = observe("right", see<RIGHT>);
    }

    ~one_object()
    {
        user_stop(handles_[LEFT]);
        user_stop(handles_[RIGHT]);
        obv_object_deinit(&place_.object);
    }

    template <side Side> BENCH_SETTER void set(int value)
    {
        obv_set_i32(&place_.object, Side, value);
    }

    const tally &seen(side of) const
    {
        return tallies_[of].seen;
    }

  private:
    static obv_class *class_of()
    {
        static const obv_property properties[] = {
            line("left", offsetof(place<How>, ints.left)),
            line("right", offsetof(place<How>, ints.right))};
        static obv_class_table table{};
        static obv_class *made = nullptr;
        if (made == nullptr) {
            table.size = sizeof table;
            table.name = How == lie::apart ? "apart" : "together";
            table.instance_size = sizeof(place<How>);
            table.properties = properties;
            table.property_count = 2;
            BENCH_REQUIRE(obv_class_create(nullptr, &table, &made, nullptr));
        }
        return made;
    }

    static obv_property line(const char *name, size_t offset)
    {
        obv_property made{};
        made.name = name;
        made.kind = OBV_KIND_i32;
        made.offset = static_cast<uint32_t>(offset);
        made.size = sizeof(int32_t);
        return made;
    }

    template <side Side>
    static void see(void *observer, obv_object *, const obv_call *)
    {
        one_object *self = static_cast<one_object *>(observer);
        const two<How> &ints = self->place_.ints;
        tally_add(&self->tallies_[Side].seen,
                  Side == LEFT ? ints.left.value : ints.right.value);
    }

    obv_observation *observe(const char *path,
                             void (*changed)(void *, obv_object *,
                                             const obv_call *))
    {
        obv_handler_kind &kind = kinds_[path[0] == 'l' ? LEFT : RIGHT];
        kind.changed = changed;
        obv_pair pair = {&place_.object, path};
        obv_observe_options options{};
        options.size = sizeof options;
        options.flags = OBV_IMMEDIATE;
        obv_observation *handle = nullptr;
        BENCH_REQUIRE(obv_observe_pairs(&pair, 1, &kind, this, &options,
                                        &handle, nullptr));
        return handle;
    }

    alignas(64) place<How> place_{};
    own_tally tallies_[2];
    obv_handler_kind kinds_[2]{};
    obv_observation *handles_[2];
};

#ifdef BENCH_BOOST
template <lie How> class one_object_boost
{
  public:
    static constexpr const char *name = boost_signals2::name;

    one_object_boost()
    {
        signals_[LEFT].changed.connect(
            [this](int value) { tally_add(&tallies_[LEFT].seen, value); });
        signals_[RIGHT].changed.connect(
            [this](int value) { tally_add(&tallies_[RIGHT].seen, value); });
    }

    template <side Side> BENCH_SETTER void set(int value)
    {
        int32_t &stored = Side == LEFT ? ints_.left.value : ints_.right.value;
        if (value != stored) {
            stored = value;
            signals_[Side].changed(value);
        }
    }

    const tally &seen(side of) const
    {
        return tallies_[of].seen;
    }

  private:
    struct alignas(64) one {
        boost::signals2::signal<void(int)> changed;
    };

    two<How> ints_;
    one signals_[2];
    own_tally tallies_[2];
};
#endif

template <side Side, class Pair>
__attribute__((noinline, aligned(64))) void stretch_of(Pair &pair, int first)
{
    for (int value = first; value != first + stretch; value++) {
        pair.template set<Side>(value);
    }
}

template <class Pair>
void check(benchmark::State &state, const Pair &pair, side of, int count)
{
    const tally &seen = pair.seen(of);
    uint64_t sets = static_cast<uint64_t>(count);
    if (seen.calls != sets || seen.sum != sum_to(sets)) {
        state.SkipWithError("the checksum is wrong");
    }
}

template <class Pair> void at_once(benchmark::State &state)
{
    auto pair = std::make_unique<Pair>();
    int value = 1;
    while (state.KeepRunningBatch(stretch)) {
        double time = side_by_side([&] { stretch_of<LEFT>(*pair, value); },
                                   [&] { stretch_of<RIGHT>(*pair, value); });
        state.SetIterationTime(time / 1e9);
        value += stretch;
    }
    check(state, *pair, LEFT, value - 1);
    check(state, *pair, RIGHT, value - 1);
}

template <class Pair> void alone(benchmark::State &state)
{
    auto pair = std::make_unique<Pair>();
    int value = 1;
    while (state.KeepRunningBatch(stretch)) {
        double time =
            side_by_side([&] { stretch_of<LEFT>(*pair, value); }, [] {});
        state.SetIterationTime(time / 1e9);
        value += stretch;
    }
    check(state, *pair, LEFT, value - 1);
}

template <class Pair> void add_pair(const std::string &id)
{
    benchmark::RegisterBenchmark((id + "/" + Pair::name).c_str(), at_once<Pair>)
        ->UseManualTime();
}

template <class Pair> void add_floor(const std::string &id)
{
    benchmark::RegisterBenchmark((id + "/floor").c_str(), alone<Pair>)
        ->UseManualTime();
}

template <class Pair> void add_ours(const std::string &id)
{
    add_pair<Pair>(id);
    add_floor<Pair>(id);
}

} // namespace

void add_p10()
{
    if (!has_two_cpus()) {
        return;
    }
    add_ours<two_objects<observable<>>>("P10a");
    add_ours<one_object<lie::apart>>("P10b");
    add_ours<one_object<lie::together>>("P10c");
#ifdef BENCH_BOOST
    add_pair<two_objects<boost_signals2>>("P10a");
    add_pair<one_object_boost<lie::apart>>("P10b");
    add_pair<one_object_boost<lie::together>>("P10c");
#endif
#ifdef BENCH_GOBJECT
    add_pair<two_objects<gobject>>("P10a");
#endif
}

} // namespace bench
