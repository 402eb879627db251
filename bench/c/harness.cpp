// SPDX-License-Identifier: Apache-2.0
/*
 * One CPU and a second thread: with a thread alone in its process, mutexes and
 * the library are both cheaper than in a real program.
 */
#include "harness.h"

#include <sched.h>
#include <semaphore.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

namespace bench
{

namespace
{

/// A thread that sleeps until it is given something to do.
class second_thread
{
  public:
    second_thread()
    {
        sem_init(&asked_, 0, 0);
        sem_init(&done_, 0, 0);
        thread_ = std::thread([this] { serve(); });
    }

    ~second_thread()
    {
        work_ = nullptr;
        sem_post(&asked_);
        thread_.join();
    }

    void run(const std::function<void()> &work)
    {
        begin(work);
        end();
    }

    /// `work` lives until end().
    void begin(const std::function<void()> &work)
    {
        work_ = &work;
        sem_post(&asked_);
    }

    void end()
    {
        while (sem_wait(&done_) != 0) {
        }
    }

  private:
    void serve()
    {
        for (;;) {
            while (sem_wait(&asked_) != 0) {
            }
            if (work_ == nullptr) {
                return;
            }
            (*work_)();
            sem_post(&done_);
        }
    }

    sem_t asked_, done_;
    const std::function<void()> *work_ = nullptr;
    std::thread thread_;
};

second_thread &other()
{
    static second_thread thread;
    return thread;
}

/// The last CPUs of those that are allowed, -1: there is none. The first takes
/// the interrupts.
struct chosen {
    int last = -1, other = -1;
};

const chosen &cpus()
{
    static const chosen found = [] {
        chosen made;
        cpu_set_t allowed;
        if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
            for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
                if (CPU_ISSET(cpu, &allowed)) {
                    made.other = made.last;
                    made.last = cpu;
                }
            }
        }
        return made;
    }();
    return found;
}

/// Keeps this thread on one CPU.
void pin(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    if (cpu >= 0) {
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
}

/// What took how long, from the moment on at which both threads are there.
double time_from_meeting(std::atomic<int> &here,
                         const std::function<void()> &work)
{
    here.fetch_sub(1);
    while (here.load() != 0) {
    }
    double start = now();
    work();
    return now() - start;
}

/// A thread on another CPU, which otherwise sleeps.
second_thread &beside()
{
    static second_thread thread;
    static const bool pinned = [] {
        thread.run([] { pin(cpus().other); });
        return true;
    }();
    (void)pinned;
    return thread;
}

} // namespace

void begin()
{
    pin(cpus().last);
    on_second_thread([] { (void)obv_context_default(); });
    benchmark::AddCustomContext("compiler", COMPILER);
}

void on_second_thread(const std::function<void()> &work)
{
    other().run(work);
}

bool has_two_cpus()
{
    return cpus().other >= 0;
}

double side_by_side(const std::function<void()> &here,
                    const std::function<void()> &there)
{
    std::atomic<int> missing{2};
    double ours = 0, theirs = 0;
    const std::function<void()> beside_us = [&] {
        theirs = time_from_meeting(missing, there);
    };
    beside().begin(beside_us);
    ours = time_from_meeting(missing, here);
    beside().end();
    return std::max(ours, theirs);
}

double now()
{
    auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::nano>(time).count();
}

double clock_cost()
{
    static const double cost = [] {
        double best = 1e9;
        for (int i = 0; i < 10000; i++) {
            double start = now();
            best = std::min(best, now() - start);
        }
        return best;
    }();
    return cost;
}

int run(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

} // namespace bench
