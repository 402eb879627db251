// SPDX-License-Identifier: Apache-2.0
/*
 * P3: 100 sets of one property, one delayed observer, one delivery; per set.
 *
 *     P3    on the thread that drains
 *     P3b1  the sets on a thread that is not the bound loop's
 *     P3b2  the sets inside a handler of the drain
 */
#include "peers/peers.h"

namespace bench
{

namespace
{

/// One burst of sets, the values first, first + 1, ...
template <class Peer>
__attribute__((noinline, aligned(64))) void set_burst(Peer &peer, int first)
{
    for (int value = first; value != first + burst; value++) {
        peer.set(value);
    }
}

/// What an observer has seen that saw the last value of each burst.
template <class Peer>
void expect_last_values(benchmark::State &state, const Peer &peer, int last)
{
    uint64_t bursts = static_cast<uint64_t>(last) / burst;
    expect(state, peer, bursts, burst * sum_to(bursts), last);
}

template <class Peer> void coalesced(benchmark::State &state)
{
    Peer peer;
    int value = 1;
    while (state.KeepRunningBatch(burst)) {
        peer.begin();
        set_burst(peer, value);
        peer.deliver();
        value += burst;
    }
    expect_last_values(state, peer, value - 1);
}

/// Times the sets here and the drains there; what lies between them, the
/// change of threads, is nobody's work.
void from_another_thread(benchmark::State &state)
{
    using peer_type = observable_delayed<loop_kind::bound>;
    peer_type *peer = nullptr;
    on_second_thread([&] { peer = new peer_type; });
    double drain = 0;
    const std::function<void()> deliver = [&] {
        double start = now();
        peer->deliver();
        drain = now() - start;
    };
    int value = 1;
    while (state.KeepRunningBatch(burst)) {
        double start = now();
        set_burst(*peer, value);
        double time = now() - start;
        on_second_thread(deliver);
        value += burst;
        time += drain - 2 * clock_cost();
        state.SetIterationTime(time / 1e9);
    }
    expect_last_values(state, *peer, value - 1);
    on_second_thread([&] { delete peer; });
}

using inner_peer = observable_delayed<loop_kind::context>;

/// An observer whose handler sets a burst of another object's property.
struct setter_block {
    inner_peer *peer;
    int value;
};

void set_burst_in_block(void *observer, obv_object *, const obv_call *)
{
    setter_block *block = static_cast<setter_block *>(observer);
    set_burst(*block->peer, block->value);
    block->value += burst;
}

/// Observes the trigger of the bursts.
obv_observation *observe_with_block(user *trigger, setter_block *block,
                                    obv_loop *loop)
{
    static const obv_handler_kind kind = [] {
        obv_handler_kind made{};
        made.changed = set_burst_in_block;
        made.label = "setter";
        return made;
    }();
    obv_pair pair = {&trigger->object, "age"};
    obv_observe_options options = {sizeof options, loop, 0};
    obv_observation *handle = nullptr;
    BENCH_REQUIRE(
        obv_observe_pairs(&pair, 1, &kind, block, &options, &handle, nullptr));
    return handle;
}

void inside_a_handler(benchmark::State &state)
{
    inner_peer peer;
    setter_block block = {&peer, 1};
    user trigger;
    user_init(&trigger, HOOKS_NONE);
    obv_observation *handle = observe_with_block(&trigger, &block, peer.loop());
    int turn = 1;
    while (state.KeepRunningBatch(burst)) {
        user_set_age(&trigger, turn++);
        peer.deliver();
    }
    expect_last_values(state, peer, block.value - 1);
    user_stop(handle);
    obv_object_deinit(&trigger.object);
}

template <class Peer> void add_peer()
{
    add("P3", Peer::name, coalesced<Peer>);
}

} // namespace

void add_p3()
{
    add_peer<observable_delayed<loop_kind::context>>();
    add_peer<floor_burst>();
#ifdef BENCH_QT
    add_peer<qproperty_group>();
#endif
#ifdef BENCH_GOBJECT
    add_peer<gobject_frozen>();
#endif
    benchmark::RegisterBenchmark("P3b1/ours", from_another_thread)
        ->UseManualTime();
    add("P3b1", floor_burst::name, coalesced<floor_burst>);
    add("P3b2", "ours", inside_a_handler);
    add("P3b2", floor_burst::name, coalesced<floor_burst>);
}

} // namespace bench
