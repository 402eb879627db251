// SPDX-License-Identifier: Apache-2.0
/*
 * Every peer that was found when the benches were configured. A missing one
 * has no rows; scripts/bench names it.
 */
#ifndef BENCH_PEERS_PEERS_H
#define BENCH_PEERS_PEERS_H

#include "peers/floor.h"
#include "peers/mutex_list.h"
#include "peers/observable.h"

#ifdef BENCH_SIGCXX
#include "peers/sigcxx.h"
#endif
#ifdef BENCH_BOOST
#include "peers/boost_signals2.h"
#endif
#ifdef BENCH_GOBJECT
#include "peers/gobject.h"
#endif
#ifdef BENCH_QT
#include "peers/qproperty.h"
#include "peers/qt_signal.h"
#endif
#ifdef BENCH_GNUSTEP
#include "peers/gnustep.h"
#endif

namespace bench
{

/// A peer as an argument.
template <class Peer> struct peer_type {
    using type = Peer;
};

/// Calls `add` with each library that has a property or a signal for one: the
/// variants of P1, P2, P5 and P6 beside ours and the floor.
template <class Add> void each_library([[maybe_unused]] Add add)
{
#ifdef BENCH_SIGCXX
    add(peer_type<sigcxx>());
#endif
#ifdef BENCH_BOOST
    add(peer_type<boost_signals2>());
#endif
#ifdef BENCH_GOBJECT
    add(peer_type<gobject>());
#endif
#ifdef BENCH_QT
    add(peer_type<qproperty>());
    add(peer_type<qt_signal>());
#endif
#ifdef BENCH_GNUSTEP
    add(peer_type<gnustep>());
#endif
}

} // namespace bench

#endif
