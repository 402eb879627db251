/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits that a program sets: a drain's, which ends the cycle, and how deep
 * immediate handlers may nest.
 */
#include "contract_fixture.h"

/* --- a drain with a limit ------------------------------------------------ */

enum { WATCHERS = 4 };

/* Four observations: the first three of "large", the last of "small". Each
   writes its number behind the others when it is called. */
struct place {
    struct fixture fixture;
    struct obv_loop *loop;
    struct item *item;
    struct probe probes[WATCHERS];
    struct obv_observation *handles[WATCHERS];
    char called[32];
    /* What the probe of this number does. */
    void (*then[WATCHERS])(struct place *place);
};

static void write_down(struct probe *probe)
{
    struct place *place = probe->context;
    size_t number = (size_t)(probe - place->probes);
    size_t length = strlen(place->called);
    CHECK(length + 1 < sizeof place->called);
    place->called[length] = (char)('0' + number);
    if (place->then[number]) {
        place->then[number](place);
    }
}

static void place_begin(struct place *place, uint32_t flags_of_first,
                        bool bound)
{
    struct obv_loop_options options = {.size = sizeof options, .bound = bound};
    memset(place, 0, sizeof *place);
    fixture_begin(&place->fixture);
    CHECK_EQ(obv_loop_create(place->fixture.context, &options, &place->loop),
             OBV_OK);
    place->item = item_create(&place->fixture);
    for (int i = 0; i < WATCHERS; i++) {
        probe_init(&place->probes[i], &place->fixture);
        place->probes[i].context = place;
        place->probes[i].then = write_down;
        place->handles[i] = observe_with(place->item, i < 3 ? "large" : "small",
                                         &place->probes[i],
                                         i ? 0 : flags_of_first, place->loop);
    }
}

static void place_end(struct place *place)
{
    CHECK_EQ(obv_loop_pending(place->loop), 0);
    for (int i = 0; i < WATCHERS; i++) {
        end(place->handles[i]);
        probe_release(&place->probes[i]);
    }
    CHECK_EQ(obv_loop_destroy(place->loop), OBV_OK);
    item_release(&place->item->object);
    fixture_end(&place->fixture);
}

/* Drains with a limit, and says which were called in it. */
static void check_drain(struct place *place, size_t limit, const char *called)
{
    memset(place->called, 0, sizeof place->called);
    CHECK_EQ(obv_loop_drain_some(place->loop, limit), strlen(called));
    CHECK_TEXT(place->called, called);
}

static void *set_small_elsewhere(void *context)
{
    struct item *item = context;
    item_set_small(item, item_small(item) + 1);
    return NULL;
}

TEST(DR_14_what_a_limit_leaves_comes_first_whatever_is_scheduled_meanwhile)
{
    struct place place;
    place_begin(&place, 0, false);
    set_large(place.item);
    check_drain(&place, 1, "0");
    on_thread(set_small_elsewhere, place.item);
    on_thread(set_large, place.item); /* 1 and 2 wait already; 0 anew */
    CHECK_EQ(obv_loop_pending(place.loop), 4);
    check_drain(&place, 1, "1");
    check_drain(&place, 9, "230");
    place_end(&place);
}

TEST(DR_14_what_a_limit_leaves_on_a_bound_loop_comes_first)
{
    struct place place;
    place_begin(&place, 0, true);
    set_large(place.item);
    check_drain(&place, 2, "01");
    set_small_elsewhere(place.item); /* by its own thread */
    on_thread(set_large, place.item);
    check_drain(&place, 9, "2301");
    place_end(&place);
}

TEST(DR_14_a_limit_of_0_calls_nothing_and_keeps_the_order)
{
    struct place place;
    place_begin(&place, 0, false);
    check_drain(&place, 0, "");
    set_small_elsewhere(place.item);
    check_drain(&place, 0, "");
    set_large(place.item);
    check_drain(&place, 0, "");
    CHECK_EQ(obv_loop_pending(place.loop), 4);
    check_drain(&place, 9, "3012");
    place_end(&place);
}

static void change_large(struct place *place)
{
    set_large(place->item);
}

TEST(DR_14_a_limit_ends_the_cycle_so_that_what_was_called_may_be_again)
{
    struct place place;
    place_begin(&place, 0, false);
    place.then[3] = change_large;
    set_large(place.item);
    set_small_elsewhere(place.item);
    check_drain(&place, 3, "012");
    check_drain(&place, 2, "30"); /* 3 changes what the last cycle called */
    CHECK_EQ(counters_of(&place.fixture).dropped, 0);
    check_drain(&place, 9, "12");
    place.then[3] = NULL;
    place_end(&place);
}

TEST(DR_14_in_a_limited_cycle_too_once_drops_what_comes_after_the_call)
{
    struct place place;
    place_begin(&place, OBV_ONCE, false);
    place.then[1] = change_large; /* 0 and 1 were called, 2 is pending */
    set_large(place.item);
    check_drain(&place, 2, "01");
    CHECK_EQ(counters_of(&place.fixture).dropped, 2);
    check_drain(&place, 9, "2");
    place.then[1] = NULL;
    place_end(&place);
}

static void change_both(struct place *place)
{
    set_large(place->item);
    set_small_elsewhere(place->item);
}

TEST(DR_14_what_is_kept_for_the_next_cycle_comes_behind_what_a_limit_leaves)
{
    struct place place;
    place_begin(&place, OBV_DEFER, false);
    place.then[1] = change_both; /* 0 is kept; 3 joins this cycle, behind 2 */
    set_large(place.item);
    check_drain(&place, 2, "01");
    place.then[1] = NULL;
    CHECK_EQ(obv_loop_pending(place.loop), 3);
    check_drain(&place, 9, "230");
    place_end(&place);
}

static void drain_one_nested(struct place *place)
{
    place->then[0] = NULL;
    CHECK_EQ(obv_loop_drain_some(place->loop, 0), 0);
    CHECK_EQ(obv_loop_drain_some(place->loop, 1), 1);
    CHECK_TEXT(place->called, "01");
}

TEST(DR_14_a_limited_drain_inside_a_handler_leaves_the_rest_to_the_outer)
{
    struct place place;
    place_begin(&place, 0, false);
    place.then[0] = drain_one_nested;
    set_large(place.item);
    set_small_elsewhere(place.item);
    CHECK_EQ(obv_loop_drain(place.loop), 3); /* without the nested one */
    CHECK_TEXT(place.called, "0123");
    place_end(&place);
}

static void drain_all_nested(struct place *place)
{
    on_thread(set_large, place->item); /* 0 is being called: it waits */
    CHECK_EQ(obv_loop_drain(place->loop), 3);
}

TEST(DR_14_nested_drains_do_not_count_for_the_limit)
{
    struct place place;
    place_begin(&place, 0, false);
    place.then[0] = drain_all_nested;
    set_large(place.item);
    set_small_elsewhere(place.item);
    CHECK_EQ(obv_loop_drain_some(place.loop, 1), 1);
    CHECK_TEXT(place.called, "0123");
    place.then[0] = NULL;
    check_drain(&place, 1, "0");
    place_end(&place);
}

static void wish_for_anothers(struct place *place)
{
    on_thread(set_small_elsewhere, place->item);
    set_small_elsewhere(place->item); /* this cycle wants it too */
}

TEST(DR_14_what_a_limit_leaves_comes_before_what_other_threads_scheduled)
{
    struct place place;
    place_begin(&place, 0, false);
    place.then[0] = wish_for_anothers;
    set_large(place.item);
    check_drain(&place, 1, "0");
    place.then[0] = NULL;
    check_drain(&place, 9, "123");
    place_end(&place);
}

/* --- the depth of immediate handlers -------------------------------------- */

struct nesting {
    struct fixture fixture;
    struct item *item;
    struct probe probe;
    struct obv_observation *handle;
    size_t depth, deepest;
    char text[160];
};

static void keep_text(void *context, const struct obv_diagnostic *diagnostic)
{
    struct nesting *nesting = context;
    CHECK_EQ(diagnostic->kind, OBV_DIAGNOSTIC_DEPTH);
    CHECK(strlen(diagnostic->text) < sizeof nesting->text);
    strcpy(nesting->text, diagnostic->text);
    nesting->fixture.diagnostics++;
}

static void change_again(struct probe *probe)
{
    struct nesting *nesting = probe->context;
    nesting->depth++;
    if (nesting->deepest < nesting->depth) {
        nesting->deepest = nesting->depth;
    }
    set_large(nesting->item);
    set_large(nesting->item);
    nesting->depth--;
}

static void nesting_begin(struct nesting *nesting, uint32_t depth)
{
    memset(nesting, 0, sizeof *nesting);
    struct fixture *fixture = &nesting->fixture;
    fixture_begin(fixture);
    CHECK_EQ(obv_context_destroy(fixture->context), OBV_OK);
    struct obv_context_options options = {
        .size = sizeof options,
        .allocator = test_allocator(),
        .diagnose = keep_text,
        .diagnose_context = nesting,
        .immediate_depth = depth,
    };
    CHECK_EQ(obv_context_create(&options, &fixture->context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture->context, &fixture->item_table,
                              &fixture->item_class, NULL),
             OBV_OK);
    CHECK_EQ(obv_class_create(fixture->context, &fixture->probe_table,
                              &fixture->probe_class, NULL),
             OBV_OK);
    nesting->item = item_create(fixture);
    probe_init(&nesting->probe, fixture);
    nesting->probe.context = nesting;
    nesting->probe.then = change_again;
    nesting->handle = observe_with(nesting->item, "large", &nesting->probe,
                                   OBV_IMMEDIATE, NULL);
}

static void nesting_end(struct nesting *nesting)
{
    end(nesting->handle);
    item_release(&nesting->item->object);
    probe_release(&nesting->probe);
    fixture_end(&nesting->fixture);
}

static void check_depth(uint32_t option, size_t deepest, const char *number)
{
    struct nesting nesting;
    nesting_begin(&nesting, option);
    for (size_t round = 1; round <= 2; round++) {
        int64_t before = item_large(nesting.item);
        set_large(nesting.item);
        CHECK_EQ(nesting.deepest, deepest);
        /* Two changes each; every value was stored. */
        CHECK_EQ(nesting.probe.calls, round * deepest);
        CHECK_EQ(item_large(nesting.item) - before, 2 * (int64_t)deepest + 1);
        CHECK_EQ(nesting.fixture.diagnostics, round);
        CHECK(strstr(nesting.text, number));
    }
    nesting_end(&nesting);
}

TEST(IM_4_immediate_handlers_nest_as_deep_as_the_context_allows)
{
    check_depth(0, 64, " 64 ");
    check_depth(1, 1, " 1 ");
    check_depth(7, 7, " 7 ");
    check_depth(OBV_IMMEDIATE_DEPTH_MAX, 80, " 80 ");
}

TEST(IM_4_a_depth_past_the_maximum_is_refused)
{
    struct obv_context *context = NULL;
    struct obv_context_options options = {
        .size = sizeof options, .immediate_depth = OBV_IMMEDIATE_DEPTH_MAX + 1};
    CHECK_EQ(obv_context_create(&options, &context), OBV_E_ARGUMENT);
    CHECK(!context);
}

/* A chain of observations, each called by the handler of the one before. A call
   by hand takes two of the 96 places of a thread. */
enum { CHAIN = 48 };

static void call_next(struct probe *probe);

struct chain {
    struct nesting nesting;
    struct obv_observation *handles[CHAIN];
    struct probe probes[CHAIN];
    size_t reached;
    void (*last)(struct chain *chain); /* inside the innermost handler */
    struct obv_loop *loop;
    size_t told;
};

static void chain_begin(struct chain *chain, void (*last)(struct chain *chain))
{
    memset(chain, 0, sizeof *chain);
    nesting_begin(&chain->nesting, 0);
    chain->nesting.probe.then = NULL;
    chain->last = last;
    for (int i = 0; i < CHAIN; i++) {
        probe_init(&chain->probes[i], &chain->nesting.fixture);
        chain->probes[i].context = chain;
        chain->probes[i].then = call_next;
        chain->handles[i] =
            observe(chain->nesting.item, "small", &chain->probes[i]);
    }
}

static void chain_end(struct chain *chain)
{
    for (int i = 0; i < CHAIN; i++) {
        end(chain->handles[i]);
        probe_release(&chain->probes[i]);
    }
    nesting_end(&chain->nesting);
}

static void call_next(struct probe *probe)
{
    struct chain *chain = probe->context;
    size_t next = (size_t)(probe - chain->probes) + 1;
    if (next < CHAIN) {
        CHECK(obv_execute(chain->handles[next]));
    } else {
        chain->reached++;
        chain->last(chain);
    }
}

static void change_twice(struct chain *chain)
{
    set_large(chain->nesting.item);
    set_large(chain->nesting.item);
}

TEST(IM_4_where_no_handler_can_be_entered_it_is_told_and_is_over_afterwards)
{
    static struct chain chain;
    chain_begin(&chain, change_twice);
    CHECK(obv_execute(chain.handles[1]));
    CHECK_EQ(chain.reached, 1);
    CHECK_EQ(chain.nesting.probe.calls, 2);
    CHECK_EQ(chain.nesting.fixture.diagnostics, 0);
    CHECK(obv_execute(chain.handles[0]));
    CHECK_EQ(chain.reached, 2);
    CHECK_EQ(chain.nesting.probe.calls, 2);
    CHECK_EQ(chain.nesting.fixture.diagnostics, 1);
    CHECK(strstr(chain.nesting.text, " 96 "));
    set_large(chain.nesting.item);
    CHECK_EQ(chain.nesting.probe.calls, 3);
    chain_end(&chain);
}

static void count_death(void *observer,
                        const struct obv_deallocation_notice *notice)
{
    (void)notice;
    ((struct chain *)((struct probe *)observer)->context)->told++;
}

static void drain_the_other(struct chain *chain)
{
    CHECK_EQ(obv_loop_drain(chain->loop), 0);
}

TEST(IM_4_LT_5_where_no_handler_can_be_entered_no_death_is_told)
{
    static struct chain chain;
    struct probe probe;
    chain_begin(&chain, drain_the_other);
    struct obv_context *context = chain.nesting.fixture.context;
    CHECK_EQ(obv_loop_create(context, NULL, &chain.loop), OBV_OK);
    probe_init(&probe, &chain.nesting.fixture);
    probe.context = &chain;
    probe.kind.root_did_deallocate = count_death;
    for (size_t round = 0; round < 2; round++) {
        struct item *item = item_create(&chain.nesting.fixture);
        struct obv_observation *handle =
            observe_with(item, "large", &probe, 0, chain.loop);
        item_release(&item->object);
        CHECK(obv_execute(chain.handles[1 - round])); /* the last is too deep */
        CHECK_EQ(chain.reached, round + 1);
        CHECK_EQ(chain.told, 1);
        obv_release(handle);
    }
    CHECK_EQ(obv_loop_drain(chain.loop), 0);
    CHECK_EQ(chain.told, 2);
    CHECK_EQ(obv_loop_destroy(chain.loop), OBV_OK);
    probe_release(&probe);
    chain_end(&chain);
}

/* What dies as the outermost call lets go of its ends is not in it. */

static size_t told_at_once;

static void note_death(void *observer,
                       const struct obv_deallocation_notice *notice)
{
    (void)observer;
    told_at_once += notice->is_immediate;
}

static void let_go_behind_the_limit(struct probe *probe)
{
    struct nesting *nesting = probe->context;
    nesting->depth++;
    set_large(nesting->item);
    if (--nesting->depth == 0) {
        item_release(&nesting->item->object);
    }
}

TEST(IM_4_LT_5_who_dies_as_the_outermost_call_returns_is_told_of_at_once)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    struct nesting nesting;
    nesting_begin(&nesting, 0);
    end(nesting.handle);
    struct item *other = item_create(&nesting.fixture);
    struct item *item = nesting.item;
    const struct obv_pair pairs[] = {{&item->object, "large"},
                                     {&other->object, "large"}};
    nesting.probe.then = let_go_behind_the_limit;
    nesting.probe.kind.root_did_deallocate = note_death;
    told_at_once = 0;
    CHECK_EQ(obv_observe_pairs(pairs, 2, &nesting.probe.kind, &nesting.probe,
                               &options, &nesting.handle, NULL),
             OBV_OK);
    set_large(item);
    CHECK_EQ(nesting.probe.calls, 64);
    CHECK_EQ(told_at_once, 1);
    nesting.item = other;
    nesting_end(&nesting);
}
