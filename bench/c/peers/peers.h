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

#endif
