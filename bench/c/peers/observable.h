// SPDX-License-Identifier: Apache-2.0
/*
 * Ours: one user, observed by the public interface only.
 */
#ifndef BENCH_PEERS_OBSERVABLE_H
#define BENCH_PEERS_OBSERVABLE_H

#include "harness.h"

namespace bench
{

/// P1 and P2: an immediate observer, or none.
template <hooks Hooks = HOOKS_NONE> class observable
{
  public:
    static constexpr const char *name = "ours";

    explicit observable(watch what)
    {
        user_init(&user_, Hooks);
        if (what != watch::nothing) {
            handle_ =
                user_observe(&user_, what == watch::property ? "age" : "size",
                             &seen, Hooks, nullptr, OBV_IMMEDIATE);
        }
    }

    ~observable()
    {
        user_stop(handle_);
        obv_object_deinit(&user_.object);
    }

    BENCH_SETTER void set(int value)
    {
        user_set_age(&user_, value);
    }

    int get() const
    {
        return user_age(&user_);
    }

    tally seen{};

  private:
    user user_;
    obv_observation *handle_ = nullptr;
};

/// Which loop a delayed observer waits in.
enum class loop_kind { context, bound, unbound };

/// P3 and P4: a delayed observer.
template <loop_kind Loop, hooks Hooks = HOOKS_EMPTY> class observable_delayed
{
  public:
    static constexpr const char *name = "ours";

    observable_delayed()
    {
        user_init(&user_, Hooks);
        make_loop();
        handle_ = user_observe(&user_, "age", &seen, Hooks, loop_, 0);
    }

    ~observable_delayed()
    {
        user_stop(handle_);
        if (Loop != loop_kind::context) {
            obv_loop_destroy(loop_);
        }
        obv_object_deinit(&user_.object);
    }

    BENCH_SETTER void set(int value)
    {
        user_set_age(&user_, value);
    }

    int get() const
    {
        return user_age(&user_);
    }

    void begin()
    {
    }

    void deliver()
    {
        obv_loop_drain(loop_);
    }

    obv_loop *loop() const
    {
        return loop_;
    }

    tally seen{};

  private:
    void make_loop()
    {
        if (Loop == loop_kind::context) {
            loop_ = obv_context_loop(obv_context_default());
            return;
        }
        obv_loop_options options{};
        options.size = sizeof options;
        options.bound = Loop == loop_kind::bound;
        BENCH_REQUIRE(obv_loop_create(nullptr, &options, &loop_));
    }

    user user_;
    obv_loop *loop_ = nullptr;
    obv_observation *handle_ = nullptr;
};

} // namespace bench

#endif
