// SPDX-License-Identifier: Apache-2.0
/*
 * One CPU and a second thread: with a thread alone in its process, mutexes and
 * the library are both cheaper than in a real program.
 */
#include "harness.h"

#include <sched.h>
#include <semaphore.h>

#include <algorithm>
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
        work_ = &work;
        sem_post(&asked_);
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

/// The last CPU of those that are allowed: the first takes the interrupts.
void pin()
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}

} // namespace

void begin()
{
    pin();
    on_second_thread([] { (void)obv_context_default(); });
    benchmark::AddCustomContext("compiler", COMPILER);
}

void on_second_thread(const std::function<void()> &work)
{
    other().run(work);
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
