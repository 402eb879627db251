// SPDX-License-Identifier: Apache-2.0
/*
 * The frame of every timed bench: one CPU, a second thread, a timed loop whose
 * place in a cache line is known, and the checksum.
 *
 * Every scenario is a template over a peer: a class that owns a model and
 * whoever observes it. A peer has
 *
 *     name                 as the table prints it
 *     set(value)           one non-inlined setter, BENCH_SETTER
 *     get()                the value stored
 *     seen                 the tally of its observer
 *
 * and what the scenario asks for beside that. Not here: any number. Goals and
 * the table are scripts/bench's.
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include "model.h"

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

namespace bench
{

/// Sets between two looks at the clock.
constexpr int batch = 1000;
/// Sets between two deliveries in P3.
constexpr int burst = 100;

/// The graphs of P9.
enum class graph_shape { chain, wide, diamond };

/// What a peer's observer watches when the peer is made.
enum class watch { nothing, sibling, property };

/// Whether a peer can watch nothing or a sibling, which P1 asks of it.
template <class Peer> inline constexpr bool watches_any = true;

/// Settles on one CPU and starts the second thread.
void begin();
/// Runs what is registered; what main() returns.
int run(int argc, char **argv);

/// Runs `work` on the second thread, which otherwise sleeps, and waits for it.
/// Both threads share one CPU: no cache line travels.
void on_second_thread(const std::function<void()> &work);

/// Whether two threads can run at the same time.
bool has_two_cpus();
/// Runs `here` on this thread and `there` on one of another CPU, from the same
/// moment on. Answers how many nanoseconds the one that took longer took.
double side_by_side(const std::function<void()> &here,
                    const std::function<void()> &there);

/// Nanoseconds of a clock that all threads share.
double now();
/// What two calls of now() measure between them: to be subtracted.
double clock_cost();

/// Begins a loop `Place` quarters into a cache line.
template <int Place> inline void place()
{
    asm volatile(".p2align 6\n\t.rept %c0\n\tnop\n\t.endr" ::"i"(16 * Place));
}

/// The timed loop: sets the values first, first + 1, ...
template <int Place, class Peer>
__attribute__((noinline, aligned(64))) void sets(Peer &peer, int first)
{
    place<Place>();
    for (int value = first; value != first + batch; value++) {
        peer.set(value);
    }
}

/// 1 + 2 + ... + n: what an observer has seen that saw each value once.
constexpr uint64_t sum_to(uint64_t n)
{
    return n * (n + 1) / 2;
}

/// Fails the bench unless the observer saw exactly this.
template <class Peer>
void expect(benchmark::State &state, const Peer &peer, uint64_t calls,
            uint64_t sum, int last)
{
    if (peer.seen.calls != calls || peer.seen.sum != sum ||
        peer.get() != last) {
        state.SkipWithError("the checksum is wrong");
    }
}

/// Registers `run` as "id/peer" or "id/peer/place".
inline void add(const std::string &id, const std::string &peer,
                const std::function<void(benchmark::State &)> &run,
                int place = -1)
{
    std::string name = id + "/" + peer;
    if (place >= 0) {
        name += "/" + std::to_string(place);
    }
    benchmark::RegisterBenchmark(name.c_str(), run);
}

/* Each file registers its rows. */
void add_p1();
void add_p2();
void add_p3();
void add_p4();
void add_p5();
void add_p6();
void add_p7();
void add_p9();
void add_p10();
void add_p11();
void add_p12();
void add_p13();
void add_p15();
void add_p16();

} // namespace bench

#endif
