// SPDX-License-Identifier: Apache-2.0
/*
 * P6: one immediate observer is added and removed.
 *
 *     P6a  nobody else observes
 *     P6b  100 others observe the same property
 *
 * The floor is one malloc and free.
 */
#include "peers/peers.h"

namespace bench
{

namespace
{

/// The timed loop.
template <class Peer>
__attribute__((noinline, aligned(64))) void add_and_remove(Peer &peer)
{
    for (int i = 0; i < batch; i++) {
        peer.add();
        peer.remove();
    }
}

/// Then a set with it and one without: who was added is called, who was
/// removed is not.
template <class Peer, int Others> void changed(benchmark::State &state)
{
    Peer peer(watch::property, Others);
    while (state.KeepRunningBatch(batch)) {
        add_and_remove(peer);
    }
    peer.add();
    peer.set(1);
    peer.remove();
    peer.set(2);
    expect(state, peer, 2 * Others + 1, 3 * Others + 1, 2);
}

void allocation(benchmark::State &state)
{
    while (state.KeepRunningBatch(batch)) {
        for (int i = 0; i < batch; i++) {
            void *block = malloc(64);
            benchmark::DoNotOptimize(block);
            free(block);
        }
    }
}

template <class Peer> void add_peer()
{
    add("P6a", Peer::name, changed<Peer, 0>);
    add("P6b", Peer::name, changed<Peer, 100>);
}

} // namespace

void add_p6()
{
    add_peer<observable<>>();
    add("P6a", "floor", allocation);
    add("P6b", "floor", allocation);
    each_library([](auto one) { add_peer<typename decltype(one)::type>(); });
}

} // namespace bench
