// SPDX-License-Identifier: Apache-2.0
/*
 * P13: `*.*` over 100,000 objects, one delayed observation.
 *
 *     P13a  set up, an object
 *     P13b  bytes of one: bench_bytes
 *     P13c  a leaf is set, drained, called; of an observation of one root
 *     P13d  tear down, an object
 *     P13e  as P13c, of the observation of all the roots
 *
 * Set-up and tear-down are timed once a round each, all objects at once.
 */
#include "harness.h"
#include "star.h"

namespace bench
{

namespace
{

/// Seconds that `work` takes.
template <class Work> double seconds(const Work &work)
{
    double start = now();
    work();
    return (now() - start - clock_cost()) / 1e9;
}

/// A leaf of what is set up is heard of once, and of what is torn down not.
void prove(benchmark::State &state, star &one)
{
    one.set(1);
    one.deliver();
    one.stop();
    one.set(2);
    one.deliver();
    expect(state, one, 1, 1, 2);
}

void set_up(benchmark::State &state)
{
    for (auto _ : state) {
        star one;
        state.SetIterationTime(seconds([&] { one.observe(); }) / star::objects);
        prove(state, one);
    }
}

void tear_down(benchmark::State &state)
{
    for (auto _ : state) {
        star one;
        one.observe();
        state.SetIterationTime(seconds([&] { one.stop(); }) / star::objects);
        one.observe();
        prove(state, one);
    }
}

__attribute__((noinline, aligned(64))) void deliver_each(star &one, int first)
{
    for (int value = first; value != first + batch; value++) {
        one.set(value);
        one.deliver();
    }
}

void set_leaf(benchmark::State &state, bool of_all)
{
    star one;
    of_all ? one.observe() : one.observe_one();
    int value = 1;
    while (state.KeepRunningBatch(batch)) {
        deliver_each(one, value);
        value += batch;
    }
    uint64_t count = static_cast<uint64_t>(value - 1);
    expect(state, one, count, sum_to(count), value - 1);
    one.stop();
}

void set_leaf_of_one(benchmark::State &state)
{
    set_leaf(state, false);
}

void set_leaf_of_all(benchmark::State &state)
{
    set_leaf(state, true);
}

/// Once a round: what Google Benchmark would take for too short is a time an
/// object, not the time that passes.
void add_once(const char *id, void (*run)(benchmark::State &))
{
    std::string name = std::string(id) + "/ours";
    benchmark::RegisterBenchmark(name.c_str(), run)
        ->UseManualTime()
        ->Iterations(1);
}

} // namespace

void add_p13()
{
    add_once("P13a", set_up);
    add("P13c", "ours", set_leaf_of_one);
    add_once("P13d", tear_down);
    add("P13e", "ours", set_leaf_of_all);
}

} // namespace bench
