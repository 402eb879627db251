// SPDX-License-Identifier: Apache-2.0
/*
 * P5: set an int property with many immediate observers; each is called, reads
 * the value and counts.
 *
 *     P5a  10
 *     P5b  100
 *
 * The floor is a walk of so many pointers to functions.
 */
#include "peers/peers.h"

namespace bench
{

namespace
{

template <class Peer, int Observers> void many(benchmark::State &state)
{
    Peer peer(watch::property, Observers);
    int value = 1;
    while (state.KeepRunningBatch(batch)) {
        sets<0>(peer, value);
        value += batch;
    }
    uint64_t count = static_cast<uint64_t>(value - 1);
    expect(state, peer, Observers * count, Observers * sum_to(count),
           value - 1);
}

template <class Peer> void add_peer()
{
    add("P5a", Peer::name, many<Peer, 10>);
    add("P5b", Peer::name, many<Peer, 100>);
}

} // namespace

void add_p5()
{
    add_peer<observable<>>();
    add_peer<floor_walk>();
    each_library([](auto one) { add_peer<typename decltype(one)::type>(); });
}

} // namespace bench
