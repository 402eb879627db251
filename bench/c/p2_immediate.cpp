// SPDX-License-Identifier: Apache-2.0
/*
 * P2: set an int property; one immediate observer is called, reads the value
 * and counts.
 *
 *     P2   nothing holds the ends during the call, as in most peers
 *     P2h  both ends have hooks, which do nothing: no goal, for the difference
 */
#include "peers/peers.h"

namespace bench
{

namespace
{

template <class Peer> void immediate(benchmark::State &state)
{
    Peer peer(watch::property);
    int value = 1;
    while (state.KeepRunningBatch(batch)) {
        sets<0>(peer, value);
        value += batch;
    }
    uint64_t count = static_cast<uint64_t>(value - 1);
    expect(state, peer, count, sum_to(count), value - 1);
}

template <class Peer> void add_peer(const char *id = "P2")
{
    add(id, Peer::name, immediate<Peer>);
}

} // namespace

void add_p2()
{
    add_peer<observable<>>();
    add_peer<floor_call>();
    add_peer<observable<HOOKS_EMPTY>>("P2h");
    add_peer<floor_call>("P2h");
    each_library([](auto one) { add_peer<typename decltype(one)::type>(); });
}

} // namespace bench
