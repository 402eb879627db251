// SPDX-License-Identifier: Apache-2.0
/*
 * P4: set, schedule, drain, call: one delayed observer, safe from any thread.
 *
 *     P4a  on the thread of a bound loop           hooks that do nothing
 *     P4b  by the way that any other thread takes  hooks that do nothing
 *     P4c  as P4a                                  hooks that count atomically
 *     P4d  as P4b                                  hooks that count atomically
 */
#include "peers/peers.h"

namespace bench
{

namespace
{

/// The timed loop: each value is set and delivered.
template <class Peer>
__attribute__((noinline, aligned(64))) void deliver_each(Peer &peer, int first)
{
    for (int value = first; value != first + batch; value++) {
        peer.set(value);
        peer.deliver();
    }
}

template <class Peer> void schedule_drain(benchmark::State &state)
{
    Peer peer;
    int value = 1;
    while (state.KeepRunningBatch(batch)) {
        deliver_each(peer, value);
        value += batch;
    }
    uint64_t count = static_cast<uint64_t>(value - 1);
    expect(state, peer, count, sum_to(count), value - 1);
}

template <class Peer> void add_peer(const char *id)
{
    add(id, Peer::name, schedule_drain<Peer>);
}

/// Half of the floor; the other half is P2's.
void exchange(benchmark::State &state)
{
    floor_exchange peer(watch::nothing);
    int value = 1;
    while (state.KeepRunningBatch(batch)) {
        sets<0>(peer, value);
        value += batch;
    }
    expect(state, peer, 0, 0, value - 1);
}

/// A row: ours, and the baseline that does the same.
template <class Ours, bool Counting> void add_row(const char *id)
{
    add_peer<Ours>(id);
    add_peer<mutex_list<Counting>>(id);
}

/// What frameworks offer for it; they hold neither end.
void add_frameworks(const char *id)
{
    (void)id;
#ifdef BENCH_GOBJECT
    add_peer<glib_idle>(id);
#endif
#ifdef BENCH_QT
    add_peer<qt_queued>(id);
#endif
}

} // namespace

void add_p4()
{
    add_row<observable_delayed<loop_kind::bound>, false>("P4a");
    add_row<observable_delayed<loop_kind::unbound>, false>("P4b");
    add_row<observable_delayed<loop_kind::bound, HOOKS_COUNTING>, true>("P4c");
    add_row<observable_delayed<loop_kind::unbound, HOOKS_COUNTING>, true>(
        "P4d");
    add("exchange", floor_exchange::name, exchange);
    add_frameworks("P4a");
    add_frameworks("P4b");
}

} // namespace bench
