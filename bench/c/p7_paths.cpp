// SPDX-License-Identifier: Apache-2.0
/*
 * P7: the path a.b.c, one immediate observer, which reads the leaf and counts.
 *
 *     P7a  set the leaf
 *     P7b  replace b
 *     P7c  replace a
 *
 * Two objects take turns where one is replaced; their leaves differ, so each
 * replacement is a change. The floor is P2's.
 */
#include "peers/peers.h"

namespace bench
{

namespace
{

/// The timed loop.
template <class Chain, void (Chain::*Change)(int)>
__attribute__((noinline, aligned(64))) void changes(Chain &chain, int first)
{
    for (int value = first; value != first + batch; value++) {
        (chain.*Change)(value);
    }
}

/// Runs the changes; answers the last value.
template <class Chain, void (Chain::*Change)(int)>
int follow(benchmark::State &state, Chain &chain)
{
    int value = 1;
    while (state.KeepRunningBatch(batch)) {
        changes<Chain, Change>(chain, value);
        value += batch;
    }
    return value - 1;
}

template <class Chain> void set_leaf(benchmark::State &state)
{
    Chain chain;
    int last = follow<Chain, &Chain::set_leaf>(state, chain);
    uint64_t count = static_cast<uint64_t>(last);
    expect(state, chain, count, sum_to(count), last);
}

/// The leaves are 1 and 2 in turns; a batch is even.
template <class Chain, void (Chain::*Change)(int)>
void replace(benchmark::State &state)
{
    Chain chain;
    int last = follow<Chain, Change>(state, chain);
    uint64_t count = static_cast<uint64_t>(last);
    expect(state, chain, count, count / 2 * 3, chain_turn(last));
}

template <class Chain> void add_peer()
{
    add("P7a", Chain::name, set_leaf<Chain>);
    add("P7b", Chain::name, replace<Chain, &Chain::replace_b>);
    add("P7c", Chain::name, replace<Chain, &Chain::replace_a>);
}

} // namespace

void add_p7()
{
    add_peer<observable_chain>();
#ifdef BENCH_QT
    add_peer<qproperty_chain>();
#endif
#ifdef BENCH_GNUSTEP
    add_peer<gnustep_chain>();
#endif
}

} // namespace bench
