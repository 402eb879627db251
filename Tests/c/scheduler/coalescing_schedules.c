/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of the coalescing set: posters with an any-thread value
 * against a thread that drains and against each other; closes. Asserts: no
 * lost change, at most once a cycle, exactly one close.
 */
#include "coalescing_calls.h"
#include "scheduler.h"

static struct obv__coalescing_set set;
static bool any_thread;
static struct obv__coalescing_item item, other;
static uint64_t value, seen, called_in;
static int calls, closes;

static void setup(void)
{
    any_thread = true;
    obv__coalescing_init(&set, &any_thread);
    obv__item_init(&item, 7);
    obv__item_init(&other, 8);
    value = seen = called_in = 0;
    calls = closes = 0;
}

static void setup_pending(void)
{
    setup();
    coalescing_post(&set, &item);
}

static void drain(void)
{
    struct obv__coalescing_item *next;
    obv__coalescing_begin(&set);
    while ((next = coalescing_next(&set)) != NULL) {
        if (next == &item) {
            uint64_t cycle = obv__coalescing_cycle(&set);
            SCHEDULER_CHECK(called_in != cycle);
            called_in = cycle;
            calls++;
            seen = obv__load_seq_cst(&value);
        }
    }
    coalescing_end(&set);
}

static void set_value(uint64_t to)
{
    obv__exchange_seq_cst(&value, to);
    coalescing_post(&set, &item);
}

static void set_1(void)
{
    set_value(1);
}

static void set_2(void)
{
    set_value(2);
}

static void set_1_2(void)
{
    set_value(1);
    set_value(2);
}

/* The block of `other` changes `item`, which another thread may have posted. */
static void drain_and_want(void)
{
    struct obv__coalescing_item *next;
    bool wanted = false, called = false;
    coalescing_post_owner(&set, &other);
    obv__coalescing_begin(&set);
    while ((next = coalescing_next(&set)) != NULL) {
        if (next == &item) {
            SCHEDULER_CHECK(!called);
            called = true;
            seen = obv__load_seq_cst(&value);
        } else {
            wanted = coalescing_post_within(&set, &item) == COALESCING_POSTED;
        }
    }
    SCHEDULER_CHECK(called || !wanted);
    coalescing_end(&set);
}

static void close_it(void)
{
    if (obv__coalescing_close(&item)) {
        obv__store_relaxed(&closes, 1);
    }
}

static void post_only(void)
{
    coalescing_post(&set, &item);
}

static void check_last(void)
{
    SCHEDULER_CHECK(coalescing_check(&set));
    drain();
    SCHEDULER_CHECK(seen == value);
    SCHEDULER_CHECK(obv__coalescing_is_empty(&set));
    SCHEDULER_CHECK(obv__item_tag(&item) == 7);
}

static void check_closed(void)
{
    bool closed = obv__item_state(&item) == OBV__COALESCING_CLOSED;
    SCHEDULER_CHECK(closed == (closes == 1));
    SCHEDULER_CHECK(closed == obv__coalescing_is_empty(&set));
}

static void claim_and_withdraw(void)
{
    if (obv__coalescing_claim_with(&item, 0)) {
        SCHEDULER_POINT("claimed");
        obv__coalescing_withdraw(&item);
    }
}

static void check_not_stuck(void)
{
    drain();
    SCHEDULER_CHECK(obv__item_state(&item) == OBV__COALESCING_IDLE);
}

/* An embedder's mark: who reads an even cycle is seen by every later call. */
static uint64_t read_cycle;

static void set_1_unless_even(void)
{
    obv__exchange_seq_cst(&value, 1);
    read_cycle = obv__coalescing_cycle(&set);
}

static void check_mark(void)
{
    SCHEDULER_CHECK(read_cycle != 0 || calls == 0 || seen == 1);
}

int main(int argc, char **argv)
{
    static const struct scheduler_program programs[] = {
        {"post_drain", setup, {set_1, drain}, check_last, 4, false},
        {"pending_post_drain",
         setup_pending,
         {set_1, drain},
         check_last,
         4,
         false},
        {"two_posts_drain", setup, {set_1_2, drain}, check_last, 3, false},
        {"two_posters", setup, {set_1, set_2}, check_last, 4, false},
        {"two_posters_drain",
         setup,
         {set_1, set_2, drain},
         check_last,
         2,
         false},
        {"post_want", setup, {set_1, drain_and_want}, check_last, 3, false},
        {"withdraw_want",
         setup,
         {claim_and_withdraw, drain_and_want},
         check_not_stuck,
         3,
         false},
        {"even_cycle",
         setup_pending,
         {set_1_unless_even, drain},
         check_mark,
         4,
         false},
        {"two_closes", setup, {close_it, close_it}, check_closed, 4, false},
        {"post_close", setup, {post_only, close_it}, check_closed, 4, false},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        scheduler_run(&programs[i], argc, argv);
    }
    return 0;
}
