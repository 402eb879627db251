// SPDX-License-Identifier: Apache-2.0
/*
 * P1: set an int property that nobody observes.
 *
 *     P1a  nobody observes the object
 *     P1b  somebody observes another property of it
 *
 * Each at four places of the calling loop in its cache line; the row is the
 * median over them.
 */
#include "peers/peers.h"

namespace bench
{

namespace
{

template <class Peer, watch What, int Place>
void unobserved_set(benchmark::State &state)
{
    Peer peer(What);
    int value = 1;
    while (state.KeepRunningBatch(batch)) {
        sets<Place>(peer, value);
        value += batch;
    }
    expect(state, peer, 0, 0, value - 1);
}

template <class Peer, watch What> void add_places(const char *id)
{
    add(id, Peer::name, unobserved_set<Peer, What, 0>, 0);
    add(id, Peer::name, unobserved_set<Peer, What, 1>, 1);
    add(id, Peer::name, unobserved_set<Peer, What, 2>, 2);
    add(id, Peer::name, unobserved_set<Peer, What, 3>, 3);
}

template <class Peer> void add_peer()
{
    if constexpr (watches_any<Peer>) {
        add_places<Peer, watch::nothing>("P1a");
        add_places<Peer, watch::sibling>("P1b");
    }
}

} // namespace

void add_p1()
{
    add_peer<observable<>>();
    add_peer<floor_store>();
    each_library([](auto one) { add_peer<typename decltype(one)::type>(); });
}

} // namespace bench
