/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads do in the world of core_world.h.
 */
#include "core_model.h"

#include "model/node.h"

int64_t core_fresh_value(void)
{
    return 10 * (scheduler_self() + 1);
}

static void set(int64_t value)
{
    core.sets++;
    core_lock();
    item_set_x(core_leaf(), value);
    core_unlock();
}

static void run_set(void)
{
    set(core_fresh_value());
}

static void run_set_twice(void)
{
    set(core_fresh_value());
    set(core_fresh_value() + 1);
}

/* To the value that was there at first, which may be there still. */
static void run_set_back(void)
{
    item_set_x(core_leaf(), 1);
}

/* Every thread to one value: only the first changes it. */
static void run_set_same(void)
{
    core.sets++;
    item_set_x(core_leaf(), 7);
}

/* To what the leaf has that may take its place: then these two are equal. */
static void run_set_alike(void)
{
    core.sets++;
    item_set_x(core_leaf(), 2);
}

/* To the value that is there, then b2 takes its place. */
static void run_set_equal_and_put(void)
{
    SCHEDULER_CHECK(obv_set_i64(&core.b1->b->object, ITEM_X, 1) == OBV_OK);
    item_set_b(core.a, core.b2);
}

/* b2's leaf is like the one before; then one that is what it may become. */
static void run_put_alike_twice(void)
{
    core.c2->x = 1;
    item_set_b(core.a, core.b2);
    item_set_b(core.b2, core.c3);
}

static void run_set_like_third(void)
{
    core.sets++;
    item_set_x(core.c2, 3);
}

static void run_set_new(void)
{
    item_set_x(core.b2, core_fresh_value());
}

void core_poke(struct item *item, int64_t value)
{
    int64_t old = item_x(item);
    obv__store_relaxed(&item->x, value);
    SCHEDULER_CHECK(obv_trigger(&item->object, ITEM_X, &old, NULL) == OBV_OK);
}

static void run_poke(void)
{
    core_poke(core_leaf(), core_fresh_value());
}

/* The first makes what a thread has in the library, which empties its buffer
   also where nothing else does. */
static void run_poke_twice(void)
{
    core_poke(core_leaf(), core_fresh_value());
    core_poke(core_leaf(), core_fresh_value() + 1);
}

static void run_poke_alike(void)
{
    core_poke(core_leaf(), 2);
}

static void run_poke_new(void)
{
    core_poke(core.b2, core_fresh_value());
}

/* The end of a batch that has set x schedules, whoever was called meanwhile. A
   record tells what stands: where others set x as well, one of theirs may have
   told the last set already, since `before` (TH-1). */
static void owe_a_call(unsigned before)
{
    bool is_told_by_others =
        (core.scenario->flags & OBV_RECORDS) && !core.scenario->alone;
    core.first->owed = 1 + (is_told_by_others ? before : core.first->all_calls);
}

static void run_batch(void)
{
    struct obv_batch batch;
    obv_batch_begin(&batch);
    set(core_fresh_value());
    scheduler_yield();
    unsigned before = core.first->all_calls;
    set(core_fresh_value() + 1);
    owe_a_call(before);
    obv_batch_end(&batch);
}

/* Its only set comes late: where nothing of it is put aside yet. */
static void run_batch_late(void)
{
    struct obv_batch batch;
    obv_batch_begin(&batch);
    scheduler_yield();
    unsigned before = core.first->all_calls;
    set(core_fresh_value());
    scheduler_yield();
    owe_a_call(before);
    obv_batch_end(&batch);
}

static void run_batch_and_stop(void)
{
    struct obv_batch batch;
    obv_batch_begin(&batch);
    set(core_fresh_value());
    obv_stop(core.first->handle);
    core.first->stopped = true;
    obv_batch_end(&batch);
}

static void run_put(void)
{
    item_set_b(core.a, core.b2);
}

static void run_put_nil(void)
{
    item_set_b(core.a, NULL);
}

/* b2 is a's alone then, and ends. Between the two puts the other thread goes
   on, at no preemption's price. */
static void run_put_twice(void)
{
    item_set_b(core.a, core.b2);
    core_item_release(&core.b2->object);
    scheduler_yield();
    item_set_b(core.a, NULL);
    core.b2 = NULL;
}

/* What the first put retires is freed by the second, on which no end waits. */
static void run_put_back(void)
{
    item_set_b(core.a, core.b2);
    item_set_b(core.a, core.b1);
}

/* x of a middle, with no path: nobody's concern but two deeds'. */
static struct probe *watch(struct item *item)
{
    struct probe *probe = core.later[scheduler_self()];
    const struct obv_pair pair = {&item->object, "x"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .loop = probe->loop};
    SCHEDULER_CHECK(obv_observe_pairs(&pair, 1, &probe->kind, probe, &options,
                                      &probe->handle, NULL) == OBV_OK);
    probe->begun = probe->stopped = true;
    return probe;
}

/* Behind the path, which has come there: a stop at b1 is not meant. */
static void run_put_and_watch_there(void)
{
    run_put();
    const struct probe *probe = watch(core.b2);
    scheduler_yield();
    SCHEDULER_CHECK(!obv_has_ended(probe->handle));
    obv_stop(probe->handle);
}

static void run_stop_watching_before(void)
{
    const struct probe *other = core.later[1 - scheduler_self()];
    SCHEDULER_CHECK(obv_stop_observer(&core.b1->object, other, NULL, 0, NULL) ==
                    OBV_OK);
}

/* Behind the path, which may go: the stop is for all that. */
static void run_watch_before_and_stop(void)
{
    const struct probe *probe = watch(core.b1);
    SCHEDULER_CHECK(obv_stop_observer(&core.b1->object, probe, NULL, 0, NULL) ==
                    OBV_OK);
    SCHEDULER_CHECK(obv_has_ended(probe->handle));
}

static void run_put_below(void)
{
    item_set_b(core.b1, core.c3);
}

static void run_observe(void)
{
    core_begin(core.later[scheduler_self()], core.scenario->flags);
}

static void run_observe_records(void)
{
    core_begin(core.later[scheduler_self()],
               core.scenario->flags | OBV_RECORDS);
}

/* Two pairs of nobody's concern but run_stop_other()'s. */
static void run_observe_two(void)
{
    struct probe *probe = core.later[scheduler_self()];
    const struct obv_pair pairs[] = {{&core.a->object, "b"},
                                     {&core.a->object, "b.b"}};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .loop = probe->loop,
                                                .flags = core.scenario->flags};
    SCHEDULER_CHECK(obv_observe_pairs(pairs, 2, &probe->kind, probe, &options,
                                      &probe->handle, NULL) == OBV_OK);
    probe->begun = probe->stopped = true;
}

static void run_also_two(void)
{
    const struct obv_pair pairs[] = {{&core.a->object, "b"},
                                     {&core.a->object, "b.b"}};
    enum obv_status status =
        obv_observe_also(core.first->handle, pairs, 2, NULL);
    SCHEDULER_CHECK(status == OBV_OK || status == OBV_E_ENDED);
}

static void run_stop_other(void)
{
    const struct probe *other = core.later[1 - scheduler_self()];
    SCHEDULER_CHECK(obv_stop_observer(&core.a->object, other, NULL, 0, NULL) ==
                    OBV_OK);
}

static void run_stop(void)
{
    obv_stop(core.first->handle);
    core.first->stopped = true;
}

static void run_stop_and_wait(void)
{
    SCHEDULER_CHECK(obv_stop_and_wait(core.first->handle));
    SCHEDULER_CHECK(core.first->running == 0);
    core.first->stopped = core.first->waited = true;
}

/* Nobody is called any more, whoever else stops it. */
static void run_stop_wait_and_set(void)
{
    run_stop_and_wait();
    set(core_fresh_value());
}

/* A set that comes after it is not told (G14). */
static void run_stop_and_set(void)
{
    unsigned self = (unsigned)scheduler_self();
    run_stop();
    SCHEDULER_CHECK(obv_has_ended(core.first->handle));
    unsigned calls = core.first->calls[self];
    run_set();
    SCHEDULER_CHECK(core.first->calls[self] == calls);
}

static void run_stop_and_release(void)
{
    obv_stop(core.first->handle);
    core.first->stopped = true;
    obv_release(core.first->handle);
    core.first->handle = NULL;
}

/* Its memory goes at once, unless somebody still looks at it. */
static void run_stop_and_collect(void)
{
    run_stop_and_release();
    obv_context_collect(core.context);
}

/* Of x of a, any time after it, at no preemption's price: what hangs there
   belongs to an observation that is not done. */
static void run_stop_and_look(void)
{
    struct obv__thread *self = obv__thread_self();
    run_stop_and_release();
    scheduler_yield();
    obv__epoch_enter(self);
    struct obv_detail_node *node = obv__node(&core.a->object);
    const uintptr_t *head = node ? obv__list(node, ITEM_X) : NULL;
    for (struct obv__watcher *at = head ? obv__first(head) : NULL; at;
         at = obv__next(at)) {
        bool is_done = obv__has_state(obv__observation(at), OBV__DONE);
        SCHEDULER_CHECK(!is_done || !obv__has_state(at, OBV__LINKED));
    }
    obv__epoch_leave(self);
}

static void run_drain(void)
{
    (void)obv_loop_drain(core.loop);
}

static void run_drain_twice(void)
{
    run_drain();
    run_drain();
}

static void run_drain_second(void)
{
    (void)obv_loop_drain(core.second_loop);
}

static void run_set_and_drain(void)
{
    run_set();
    run_drain();
}

/* The batch is open while the loop is drained, so what it has put aside comes
   into the loop after that. */
static void run_batch_and_drain(void)
{
    struct obv_batch batch;
    obv_batch_begin(&batch);
    run_set();
    run_drain();
    obv_batch_end(&batch);
    run_drain();
}

static void run_end(void)
{
}

static void run_end_observer(void)
{
    core.first->stopped = true;
    core_probe_release(core.first);
}

static void run_make_immediate(void)
{
    core.first->immediate = true;
    obv_make_immediate(core.first->handle);
}

/* From then on it is called inside the set. */
static void run_make_immediate_and_set(void)
{
    unsigned self = (unsigned)scheduler_self();
    run_make_immediate();
    unsigned calls = core.first->calls[self];
    run_set();
    SCHEDULER_CHECK(core.first->calls[self] == calls + 1);
}

static void run_stop_path(void)
{
    SCHEDULER_CHECK(
        obv_stop_path(core.first->handle, NULL, core_path(), NULL) == OBV_OK);
    core.first->stopped = true;
}

static void run_stop_observer(void)
{
    const char *const paths[] = {core_path()};
    SCHEDULER_CHECK(obv_stop_observer(&core.a->object, core.first, paths, 1,
                                      NULL) == OBV_OK);
    core.first->stopped = true;
}

static void run_stop_handler(void)
{
    SCHEDULER_CHECK(obv_stop_handler(&core.a->object, &core.first->kind,
                                     core.first) == OBV_OK);
    core.first->stopped = true;
}

static void run_schedule(void)
{
    obv_schedule(core.first->handle);
}

static void run_execute(void)
{
    core.executing[scheduler_self()] = true;
    (void)obv_execute(core.first->handle);
    core.executing[scheduler_self()] = false;
}

static void note_name(void *names, const char *name)
{
    SCHEDULER_CHECK(name[0] == 'x' || name[0] == 'b' || name[0] == '*');
    ++*(size_t *)names;
}

/* Nothing that is asked may be wrong at any moment: there are two properties,
   and at most five observations. */
static void run_ask(void)
{
    struct obv_counters counters;
    size_t names = 0;
    SCHEDULER_CHECK(obv_observer_count(&core.a->object, "x") <= 5);
    SCHEDULER_CHECK(obv_observer_count(&core.a->object, "b") <= 5);
    obv_observed_properties(&core.a->object, note_name, &names);
    SCHEDULER_CHECK(names <= 3);
    SCHEDULER_CHECK(obv_unresolved_path(core.first->handle, 0, NULL, 0) == -1);
    bool has_ended = obv_has_ended(core.first->handle);
    SCHEDULER_CHECK(has_ended || !core.first->waited);
    SCHEDULER_CHECK(!has_ended || obv_has_ended(core.first->handle));
    (void)obv_loop_pending(core.loop);
    obv_context_counters(core.context, &counters);
    SCHEDULER_CHECK(counters.observations <= 5);
}

static void run_drain_some(void)
{
    (void)obv_loop_drain_some(core.loop, 1);
}

static void run_make_loop(void)
{
    struct obv_loop *loop;
    SCHEDULER_CHECK(obv_loop_create(core.context, NULL, &loop) == OBV_OK);
    SCHEDULER_CHECK(obv_loop_drain(loop) == 0);
    SCHEDULER_CHECK(obv_loop_destroy(loop) == OBV_OK);
}

static void run_also(void)
{
    const struct obv_pair pair = {&core.a->object, "b"};
    enum obv_status status =
        obv_observe_also(core.first->handle, &pair, 1, NULL);
    SCHEDULER_CHECK(status == OBV_OK || status == OBV_E_ENDED);
}

static void run_collect(void)
{
    obv_context_collect(core.context);
}

/* What it has already, as long as it has it. */
static void run_also_same(void)
{
    const struct obv_pair pair = {&core.a->object, core_path()};
    enum obv_status status =
        obv_observe_also(core.first->handle, &pair, 1, NULL);
    SCHEDULER_CHECK(status == OBV_OK || status == OBV_E_ENDED ||
                    status == OBV_E_OPTIONS);
}

/* The pair's memory goes at once, unless somebody still looks at it. */
static void run_stop_path_and_collect(void)
{
    run_stop_path();
    run_collect();
}

const struct deed deed_stop_path = {"stop_path", run_stop_path, 0};
const struct deed deed_stop_observer = {"stop_observer", run_stop_observer,
                                        HOLDS_A};
const struct deed deed_stop_handler = {"stop_handler", run_stop_handler,
                                       HOLDS_A};
const struct deed deed_schedule = {"schedule", run_schedule, 0};
const struct deed deed_execute = {"execute", run_execute, 0};
const struct deed deed_ask = {"ask", run_ask, HOLDS_A};
const struct deed deed_drain_some = {"drain_some", run_drain_some, 0};
const struct deed deed_make_loop = {"make_loop", run_make_loop, 0};
const struct deed deed_also = {"also", run_also, HOLDS_A};
const struct deed deed_collect = {"collect", run_collect, 0};
const struct deed deed_also_same = {"also_same", run_also_same, HOLDS_A};
const struct deed deed_stop_path_and_collect = {"stop_path_and_collect",
                                                run_stop_path_and_collect, 0};
const struct deed deed_set = {"set", run_set, HOLDS_LEAF};
const struct deed deed_set_twice = {"set_twice", run_set_twice, HOLDS_LEAF};
const struct deed deed_set_back = {"set_back", run_set_back, HOLDS_LEAF};
const struct deed deed_make_immediate = {"make_immediate", run_make_immediate,
                                         0};
const struct deed deed_make_immediate_and_set = {
    "make_immediate_and_set", run_make_immediate_and_set, HOLDS_LEAF};
const struct deed deed_set_same = {"set_same", run_set_same, HOLDS_LEAF};
const struct deed deed_set_equal_and_put = {"set_equal_and_put",
                                            run_set_equal_and_put,
                                            HOLDS_A | HOLDS_B1 | HOLDS_LEAF};
const struct deed deed_put_alike_twice = {
    "put_alike_twice", run_put_alike_twice, HOLDS_A | HOLDS_B2};
const struct deed deed_set_like_third = {"set_like_third", run_set_like_third,
                                         HOLDS_C2};
const struct deed deed_set_alike = {"set_alike", run_set_alike, HOLDS_LEAF};
const struct deed deed_set_new = {"set_new", run_set_new, HOLDS_B2};
const struct deed deed_poke = {"poke", run_poke, HOLDS_LEAF};
const struct deed deed_poke_twice = {"poke_twice", run_poke_twice, HOLDS_LEAF};
const struct deed deed_poke_alike = {"poke_alike", run_poke_alike, HOLDS_LEAF};
const struct deed deed_poke_new = {"poke_new", run_poke_new, HOLDS_B2};
const struct deed deed_batch = {"batch", run_batch, HOLDS_LEAF};
const struct deed deed_batch_late = {"batch_late", run_batch_late, HOLDS_LEAF};
const struct deed deed_batch_and_stop = {"batch_and_stop", run_batch_and_stop,
                                         HOLDS_LEAF};
const struct deed deed_put = {"put", run_put, HOLDS_A};
const struct deed deed_put_nil = {"put_nil", run_put_nil, HOLDS_A};
const struct deed deed_put_twice = {"put_twice", run_put_twice, HOLDS_A};
const struct deed deed_put_back = {"put_back", run_put_back,
                                   HOLDS_A | HOLDS_B1};
const struct deed deed_put_and_watch_there = {"put_and_watch_there",
                                              run_put_and_watch_there, HOLDS_A};
const struct deed deed_stop_watching_before = {
    "stop_watching_before", run_stop_watching_before, HOLDS_B1};
const struct deed deed_watch_before_and_stop = {
    "watch_before_and_stop", run_watch_before_and_stop, HOLDS_B1};
const struct deed deed_put_below = {"put_below", run_put_below, HOLDS_B1};
/* Reads along objects that another thread replaces: the program keeps them. */
const struct deed deed_observe_kept = {"observe_kept", run_observe,
                                       HOLDS_A | HOLDS_B1 | HOLDS_LEAF};
const struct deed deed_stop_wait_and_set = {"stop_wait_and_set",
                                            run_stop_wait_and_set, HOLDS_LEAF};
const struct deed deed_observe_two = {"observe_two", run_observe_two, HOLDS_A};
const struct deed deed_also_two = {"also_two", run_also_two, HOLDS_A};
const struct deed deed_stop_other = {"stop_other", run_stop_other, HOLDS_A};
const struct deed deed_observe = {"observe", run_observe, HOLDS_A};
const struct deed deed_observe_records = {"observe_records",
                                          run_observe_records, HOLDS_A};
const struct deed deed_stop = {"stop", run_stop, 0};
const struct deed deed_stop_and_wait = {"stop_and_wait", run_stop_and_wait, 0};
const struct deed deed_stop_and_release = {"stop_and_release",
                                           run_stop_and_release, 0};
const struct deed deed_stop_and_collect = {"stop_and_collect",
                                           run_stop_and_collect, 0};
const struct deed deed_stop_and_set = {"stop_and_set", run_stop_and_set,
                                       HOLDS_LEAF};
const struct deed deed_stop_and_look = {"stop_and_look", run_stop_and_look, 0};
const struct deed deed_drain = {"drain", run_drain, 0};
const struct deed deed_drain_twice = {"drain_twice", run_drain_twice, 0};
const struct deed deed_drain_second = {"drain_second", run_drain_second, 0};
const struct deed deed_set_and_drain = {"set_and_drain", run_set_and_drain,
                                        HOLDS_LEAF};
const struct deed deed_batch_and_drain = {"batch_and_drain",
                                          run_batch_and_drain, HOLDS_LEAF};
const struct deed deed_end = {"end", run_end, HOLDS_A};
const struct deed deed_end_observer = {"end_observer", run_end_observer, 0};
