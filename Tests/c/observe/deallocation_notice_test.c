/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deallocation notices: what scripts cannot say of LT-5. Paths and numbers, the
 * wake-up, kinds of every sort, ends in every order, threads.
 */
#include "contract_fixture.h"

#include <observable/detail.h>

/* A probe that is told, as well. */
struct subscriber {
    struct probe probe; /* first */
    size_t told, forgotten;
    uint64_t last;
    bool was_immediate;
    char path[64];
    void (*on_told)(struct subscriber *subscriber);
    void *context;
};

static struct fixture fixture;

static void hear(void *observer, const struct obv_deallocation_notice *notice)
{
    struct subscriber *subscriber = observer;
    CHECK(__atomic_load_n(&subscriber->probe.references, __ATOMIC_RELAXED) > 0);
    CHECK(notice->context == subscriber->context);
    CHECK(strlen(notice->path) < sizeof subscriber->path);
    (void)strcpy(subscriber->path, notice->path);
    subscriber->last = notice->identity;
    subscriber->was_immediate = notice->is_immediate;
    __atomic_add_fetch(&subscriber->told, 1, __ATOMIC_RELAXED);
    if (subscriber->on_told) {
        subscriber->on_told(subscriber);
    }
}

static void forget(void *observer, void *context)
{
    struct subscriber *subscriber = observer;
    CHECK(context == subscriber->context);
    CHECK_EQ(subscriber->probe.disposed, 1);
    __atomic_add_fetch(&subscriber->forgotten, 1, __ATOMIC_RELAXED);
}

static void subscriber_init(struct subscriber *subscriber)
{
    memset(subscriber, 0, sizeof *subscriber);
    probe_init(&subscriber->probe, &fixture);
    subscriber->probe.kind.root_did_deallocate = hear;
}

static void subscriber_init_plain(struct subscriber *subscriber)
{
    memset(subscriber, 0, sizeof *subscriber);
    probe_init_plain(&subscriber->probe);
    subscriber->probe.kind.root_did_deallocate = hear;
}

static void let_go_of(struct item *item)
{
    item_release(&item->object);
}

/* What is told ----------------------------------------------------------- */

TEST(LT_5_the_path_is_told_as_it_was_written)
{
    struct subscriber subscriber;
    fixture_begin(&fixture);
    subscriber_init(&subscriber);
    struct item *item = item_create(&fixture);
    const char *paths[] = {"large", "next.next.*", "\\large", "nowhere.at"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        obv_release(observe(item, paths[i], &subscriber.probe));
        struct item *root = item_create(&fixture);
        obv_release(observe(root, paths[i], &subscriber.probe));
        let_go_of(root);
        CHECK_EQ(drain(&fixture), 0);
        CHECK_EQ(subscriber.told, i + 1);
        CHECK_TEXT(subscriber.path, paths[i]);
    }
    let_go_of(item); /* all four once more */
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(subscriber.told, 8);
    item = item_create(&fixture);
    const struct obv_pair none = {&item->object, NULL};
    CHECK_EQ(obv_observe_pairs(&none, 1, &subscriber.probe.kind, &subscriber,
                               NULL, NULL, NULL),
             OBV_OK);
    let_go_of(item);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(subscriber.told, 9);
    CHECK_TEXT(subscriber.path, "");
    probe_release(&subscriber.probe);
    fixture_end(&fixture);
}

TEST(LT_5_an_identity_is_no_address)
{
    struct subscriber subscriber;
    struct item item; /* lies where the one before lay */
    uint64_t last = 0;
    fixture_begin(&fixture);
    subscriber_init(&subscriber);
    CHECK_EQ(obv_object_identity(NULL), 0);
    for (int i = 0; i < 3; i++) {
        memset(&item, 0, sizeof item);
        item.references = 1;
        obv_object_init(&item.object, fixture.item_class);
        uint64_t identity = i == 1 ? obv_object_identity(&item.object) : 0;
        obv_release(observe(&item, "large", &subscriber.probe));
        uint64_t later = obv_object_identity(&item.object);
        CHECK(later > last && (i != 1 || later == identity));
        CHECK_EQ(obv_object_deinit(&item.object), OBV_OK);
        CHECK_EQ(obv_object_identity(&item.object), 0);
        CHECK_EQ(drain(&fixture), 0);
        CHECK_EQ(subscriber.last, later);
        last = later;
    }
    probe_release(&subscriber.probe);
    fixture_end(&fixture);
}

static struct {
    const struct subscriber *subscriber[16];
    uint64_t identity[16];
    size_t count;
} heard;

static void note_order(struct subscriber *subscriber)
{
    heard.subscriber[heard.count] = subscriber;
    heard.identity[heard.count++] = subscriber->last;
}

/* How often a subscriber was told of one death. */
static size_t times_heard(const struct subscriber *subscriber,
                          uint64_t identity)
{
    size_t times = 0;
    for (size_t i = 0; i < heard.count; i++) {
        times +=
            heard.subscriber[i] == subscriber && heard.identity[i] == identity;
    }
    return times;
}

TEST(LT_5_each_death_is_told_once_an_observation)
{
    struct subscriber subscribers[3];
    struct item *items[2];
    uint64_t identities[2];
    fixture_begin(&fixture);
    for (size_t i = 0; i < 3; i++) {
        subscriber_init(&subscribers[i]);
        subscribers[i].on_told = note_order;
    }
    for (size_t i = 0; i < 2; i++) {
        items[i] = item_create(&fixture);
        obv_release(observe(items[i], "next.large", &subscribers[2].probe));
        obv_release(observe(items[i], "*", &subscribers[0].probe));
        obv_release(observe(items[i], "large", &subscribers[1].probe));
        identities[i] = obv_object_identity(&items[i]->object);
    }
    let_go_of(items[1]);
    let_go_of(items[0]);
    heard.count = 0;
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(heard.count, 6);
    for (size_t i = 0; i < 6; i++) {
        CHECK_EQ(times_heard(&subscribers[i % 3], identities[i / 3]), 1);
    }
    for (size_t i = 0; i < 3; i++) {
        probe_release(&subscribers[i].probe);
    }
    fixture_end(&fixture);
}

/* Who is told ------------------------------------------------------------ */

TEST(LT_5_who_does_not_ask_is_not_told_and_pays_nothing)
{
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    obv_release(observe(item, "large", &probe));
    let_go_of(item);
    CHECK(!obv_loop_prepare(obv_context_loop(fixture.context)));
    CHECK_EQ(drain(&fixture), 0);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(LT_5_an_object_that_observes_is_disposed_of_at_once)
{
    struct subscriber subscriber;
    fixture_begin(&fixture);
    subscriber_init(&subscriber);
    struct item *item = item_create(&fixture);
    obv_release(observe(item, "large", &subscriber.probe));
    let_go_of(item);
    CHECK_EQ(subscriber.probe.disposed, 1); /* LT-9 */
    subscriber.probe.kind.label = NULL;     /* the kind may be gone */
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(counters_of(&fixture).observations, 0);
    CHECK_EQ(subscriber.told, 1);
    CHECK_EQ(counters_of(&fixture).called, 0);
    probe_release(&subscriber.probe);
    fixture_end(&fixture);
}

TEST(LT_5_others_are_disposed_of_when_they_were_told)
{
    struct subscriber subscriber;
    fixture_begin(&fixture);
    subscriber_init_plain(&subscriber);
    struct item *item = item_create(&fixture);
    obv_release(observe(item, "large", &subscriber.probe));
    let_go_of(item);
    CHECK_EQ(subscriber.probe.disposed, 0); /* until then its memory is asked
                                               for */
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(subscriber.told, 1);
    CHECK_EQ(subscriber.probe.disposed, 1);
    fixture_end(&fixture);
}

TEST(LT_5_what_is_forgotten_late_is_disposed_of_at_once)
{
    for (int with_handle = 0; with_handle < 2; with_handle++) {
        struct subscriber subscriber;
        fixture_begin(&fixture);
        subscriber_init_plain(&subscriber);
        subscriber.probe.kind.forget = forget;
        subscriber.probe.kind.notice_context = subscriber.context = &fixture;
        struct item *items[] = {item_create(&fixture), item_create(&fixture)};
        const struct obv_pair pairs[] = {{&items[0]->object, "large"},
                                         {&items[1]->object, "*"}};
        struct obv_observation *handle = NULL;
        CHECK_EQ(obv_observe_pairs(pairs, 2, &subscriber.probe.kind,
                                   &subscriber, NULL,
                                   with_handle ? &handle : NULL, NULL),
                 OBV_OK);
        let_go_of(items[0]);
        let_go_of(items[1]);
        CHECK_EQ(subscriber.probe.disposed, 1);
        CHECK_EQ(subscriber.forgotten, 0);
        CHECK_EQ(drain(&fixture), 0);
        CHECK_EQ(subscriber.told, 2);
        obv_release(handle);
        CHECK_EQ(subscriber.forgotten, 1);
        /* And without a notice. */
        struct item *item = item_create(&fixture);
        subscriber.probe.disposed = 0;
        end(observe(item, "large", &subscriber.probe));
        CHECK_EQ(subscriber.forgotten, 2);
        /* And where nothing has begun. */
        CHECK_EQ(obv_observe(&item->object, "..", &subscriber.probe.kind,
                             &subscriber, NULL, NULL),
                 OBV_E_SYNTAX);
        CHECK_EQ(subscriber.forgotten, 2);
        let_go_of(item);
        fixture_end(&fixture);
    }
}

static struct obv_observation *of_two(struct subscriber *subscriber,
                                      struct item *items[2], uint32_t flags)
{
    const struct obv_pair pairs[] = {{&items[0]->object, "large"},
                                     {&items[1]->object, "large"}};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    struct obv_observation *handle = NULL;
    CHECK_EQ(obv_observe_pairs(pairs, 2, &subscriber->probe.kind, subscriber,
                               &options, &handle, NULL),
             OBV_OK);
    return handle;
}

/* One of two roots has died, then it is stopped. */
static size_t told_after_a_stop(bool plain, uint32_t flags, bool and_wait)
{
    struct subscriber subscriber;
    fixture_begin(&fixture);
    if (plain) {
        subscriber_init_plain(&subscriber);
    } else {
        subscriber_init(&subscriber);
    }
    struct item *items[] = {item_create(&fixture), item_create(&fixture)};
    struct obv_observation *handle = of_two(&subscriber, items, flags);
    let_go_of(items[0]);
    if (and_wait) {
        CHECK(obv_stop_and_wait(handle));
    } else {
        obv_stop(handle);
    }
    bool is_taken_back = plain || flags || and_wait;
    CHECK_EQ(subscriber.probe.disposed, is_taken_back || !plain);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(subscriber.probe.disposed, 1);
    obv_release(handle);
    let_go_of(items[1]);
    if (!plain) {
        probe_release(&subscriber.probe);
    }
    fixture_end(&fixture);
    return subscriber.told;
}

TEST(LT_5_a_stop_takes_back_what_nothing_holds)
{
    CHECK_EQ(told_after_a_stop(false, 0, false), 1);
    CHECK_EQ(told_after_a_stop(false, 0, true), 0);
    CHECK_EQ(told_after_a_stop(true, 0, false), 0);
    CHECK_EQ(told_after_a_stop(true, 0, true), 0);
    CHECK_EQ(told_after_a_stop(false, OBV_TOKEN, false), 0);
}

TEST(LT_5_a_stop_after_the_last_death_takes_back_as_well)
{
    struct subscriber subscriber;
    fixture_begin(&fixture);
    subscriber_init_plain(&subscriber);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &subscriber.probe);
    let_go_of(item);
    CHECK(obv_has_ended(handle));
    CHECK_EQ(subscriber.probe.disposed, 0);
    CHECK(obv_stop_and_wait(handle));
    CHECK_EQ(subscriber.probe.disposed, 1); /* and so its memory may go */
    memset(&subscriber, 0, sizeof subscriber);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(subscriber.told, 0);
    obv_release(handle);
    fixture_end(&fixture);
}

TEST(LT_5_an_observer_that_ends_takes_its_notices_along)
{
    struct subscriber subscriber;
    fixture_begin(&fixture);
    subscriber_init(&subscriber);
    struct item *item = item_create(&fixture);
    obv_release(observe(item, "large", &subscriber.probe));
    obv_release(observe(item, "*", &subscriber.probe));
    let_go_of(item);
    probe_release(&subscriber.probe);
    memset(&subscriber, 0xAA, sizeof subscriber); /* nobody looks at it any
                                                     more */
    CHECK_EQ(drain(&fixture), 0);
    fixture_end(&fixture);
}

TEST(LT_5_a_context_ends_with_notices_under_way)
{
    struct subscriber subscriber;
    fixture_begin(&fixture);
    subscriber_init(&subscriber);
    struct item *item = item_create(&fixture);
    obv_release(observe(item, "large", &subscriber.probe));
    let_go_of(item);
    probe_release(&subscriber.probe);
    fixture_end(&fixture);
    CHECK_EQ(subscriber.told, 0);
}

/* When ------------------------------------------------------------------- */

static size_t woken;

static void wake(void *context)
{
    (void)context;
    woken++;
}

static bool is_readable(int descriptor)
{
    struct pollfd poll_for = {.fd = descriptor, .events = POLLIN};
    return poll(&poll_for, 1, 0) == 1;
}

TEST(LT_5_a_death_wakes_the_loop_and_a_drain_silences_it)
{
    for (int bound = 0; bound < 2; bound++) {
        struct subscriber subscriber;
        int descriptor;
        fixture_begin(&fixture);
        subscriber_init(&subscriber);
        const struct obv_loop_options options = {
            .size = sizeof options, .bound = bound, .wake = wake};
        struct obv_loop *loop;
        CHECK_EQ(obv_loop_create(fixture.context, &options, &loop), OBV_OK);
        CHECK_EQ(obv_loop_descriptor(loop, &descriptor), OBV_OK);
        woken = 0;
        for (size_t i = 1; i < 3; i++) {
            struct item *item = item_create(&fixture);
            obv_release(
                observe_with(item, "large", &subscriber.probe, 0, loop));
            obv_release(observe_with(item, "*", &subscriber.probe, 0, loop));
            CHECK(!is_readable(descriptor));
            CHECK(!obv_loop_prepare(loop));
            let_go_of(item);
            CHECK_EQ(woken, i);
            CHECK(is_readable(descriptor));
            CHECK(obv_loop_prepare(loop));
            CHECK_EQ(obv_loop_pending(loop), 0);
            CHECK_EQ(obv_loop_drain(loop), 0);
            CHECK_EQ(subscriber.told, 2 * i);
            CHECK(!is_readable(descriptor));
            CHECK(!obv_loop_prepare(loop));
        }
        CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
        probe_release(&subscriber.probe);
        fixture_end(&fixture);
    }
}

TEST(LT_5_a_descriptor_that_is_opened_late_is_readable)
{
    struct subscriber subscriber;
    int descriptor;
    fixture_begin(&fixture);
    subscriber_init(&subscriber);
    struct obv_loop *loop = obv_context_loop(fixture.context);
    struct item *item = item_create(&fixture);
    obv_release(observe(item, "large", &subscriber.probe));
    let_go_of(item);
    CHECK(obv_loop_prepare(loop));
    CHECK_EQ(obv_loop_descriptor(loop, &descriptor), OBV_OK);
    CHECK(is_readable(descriptor));
    CHECK_EQ(obv_loop_drain_some(loop, 0), 0); /* a notice is no block */
    CHECK(!is_readable(descriptor));
    CHECK_EQ(subscriber.told, 1);
    probe_release(&subscriber.probe);
    fixture_end(&fixture);
}

static struct {
    struct item *items[500];
    size_t next, count;
} falling;

static void drop_the_next(struct subscriber *subscriber)
{
    (void)subscriber;
    if (falling.next < falling.count) {
        let_go_of(falling.items[falling.next++]);
    }
}

/* Each death's notice drops the next one. */
static void told_of_each_other(uint32_t flags, size_t count)
{
    struct subscriber subscriber;
    fixture_begin(&fixture);
    subscriber_init(&subscriber);
    subscriber.on_told = drop_the_next;
    falling.count = count;
    falling.next = 0;
    for (size_t i = 0; i < count; i++) {
        falling.items[i] = item_create(&fixture);
        obv_release(observe_with(falling.items[i], "large", &subscriber.probe,
                                 flags, NULL));
    }
    drop_the_next(&subscriber);
    CHECK_EQ(subscriber.told, flags ? (count < 64 ? count : 64) : 0);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(subscriber.told, count);
    CHECK_EQ(fixture.diagnostics, 0);
    probe_release(&subscriber.probe);
    fixture_end(&fixture);
}

TEST(LT_5_what_dies_of_a_notice_is_told_before_the_drain_returns)
{
    told_of_each_other(0, 500);
}

TEST(LT_5_immediate_notices_nest_as_deep_as_handlers)
{
    told_of_each_other(OBV_IMMEDIATE, 60);
    told_of_each_other(OBV_IMMEDIATE, 500); /* the rest by the loop */
}

static void tell_by_loop(struct subscriber *subscriber)
{
    if (subscriber->was_immediate) {
        obv_detail_tell_by_loop(
            (const struct obv_deallocation_notice *)subscriber->probe.context);
    }
}

static void hear_elsewhere(void *observer,
                           const struct obv_deallocation_notice *notice)
{
    struct subscriber *subscriber = observer;
    subscriber->probe.context = (void *)(uintptr_t)notice;
    hear(observer, notice);
}

TEST(LT_5_an_immediate_notice_can_ask_for_the_loop)
{
    struct subscriber subscriber;
    fixture_begin(&fixture);
    subscriber_init(&subscriber);
    subscriber.probe.kind.root_did_deallocate = hear_elsewhere;
    subscriber.on_told = tell_by_loop;
    struct item *item = item_create(&fixture);
    obv_release(
        observe_with(item, "large", &subscriber.probe, OBV_IMMEDIATE, NULL));
    let_go_of(item);
    CHECK_EQ(subscriber.told, 1);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(subscriber.told, 2);
    CHECK(!subscriber.was_immediate);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(subscriber.told, 2);
    probe_release(&subscriber.probe);
    fixture_end(&fixture);
}

static void destroy_loop(struct subscriber *subscriber)
{
    CHECK_EQ(obv_loop_destroy(subscriber->probe.context), OBV_OK);
}

TEST(LT_5_a_notice_may_destroy_the_loop_that_tells_it)
{
    struct subscriber subscriber;
    struct obv_loop *loop;
    fixture_begin(&fixture);
    subscriber_init(&subscriber);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &loop), OBV_OK);
    subscriber.probe.context = loop;
    subscriber.on_told = destroy_loop;
    struct item *item = item_create(&fixture);
    obv_release(observe_with(item, "large", &subscriber.probe, 0, loop));
    obv_release(observe_with(item, "*", &subscriber.probe, 0, loop));
    let_go_of(item);
    CHECK_EQ(obv_loop_drain(loop), 0);
    CHECK_EQ(subscriber.told, 1); /* the other is dropped */
    CHECK_EQ(counters_of(&fixture).dropped, 0);
    probe_release(&subscriber.probe);
    fixture_end(&fixture);
}

/* No memory -------------------------------------------------------------- */

TEST(FA_2_a_death_needs_no_memory_for_its_notices)
{
    struct subscriber subscribers[2];
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    for (size_t i = 0; i < 2; i++) {
        subscriber_init(&subscribers[i]);
        obv_release(observe_with(item, "large", &subscribers[i].probe,
                                 i ? OBV_IMMEDIATE : 0, NULL));
        obv_release(observe_with(item, "next.large", &subscribers[i].probe,
                                 i ? OBV_IMMEDIATE : 0, NULL));
    }
    test_fail_allocation(1, true);
    let_go_of(item);
    CHECK_EQ(subscribers[1].told, 2);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(subscribers[0].told, 2);
    CHECK(!test_allocation_failed());
    test_fail_allocation(0, false);
    probe_release(&subscribers[0].probe);
    probe_release(&subscribers[1].probe);
    fixture_end(&fixture);
}

TEST(FA_2_beginning_to_be_told_survives_each_failing_allocation)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct subscriber subscriber;
        fixture_begin(&fixture);
        subscriber_init(&subscriber);
        subscriber.probe.kind.forget = forget;
        struct item *items[] = {item_create(&fixture), item_create(&fixture)};
        const struct obv_pair pairs[] = {{&items[0]->object, "next.large"},
                                         {&items[1]->object, "nowhere"}};
        test_fail_allocation(n, false);
        enum obv_status status = obv_observe_pairs(
            pairs, 2, &subscriber.probe.kind, &subscriber, NULL, NULL, NULL);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(status, failed ? OBV_E_MEMORY : OBV_OK);
        let_go_of(items[0]);
        let_go_of(items[1]);
        CHECK_EQ(drain(&fixture), 0);
        CHECK_EQ(subscriber.told, failed ? 0 : 2);
        CHECK_EQ(subscriber.probe.disposed, !failed);
        CHECK_EQ(subscriber.forgotten, !failed);
        probe_release(&subscriber.probe);
        fixture_end(&fixture);
    }
}

TEST(FA_2_an_identity_without_memory_is_none)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        fixture_begin(&fixture);
        struct item *item = item_create(&fixture);
        test_fail_allocation(n, false);
        uint64_t identity = obv_object_identity(&item->object);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK((identity == 0) == failed);
        CHECK(obv_object_identity(&item->object) != 0);
        let_go_of(item);
        fixture_end(&fixture);
    }
}

/* Ends in every order ---------------------------------------------------- */

enum { HANDLE, TOKEN, ROOT, MIDDLE, OBSERVER, LOOP, PARTS };

struct parts {
    struct subscriber subscriber;
    struct probe token_probe;
    struct obv_observation *handle, *token;
    struct item *root, *middle;
    struct obv_loop *loop;
};

static void end_part(struct parts *parts, unsigned part)
{
    switch (part) {
    case HANDLE:
        end(parts->handle);
        break;
    case TOKEN:
        end(parts->token);
        break;
    case ROOT:
        let_go_of(parts->root);
        break;
    case MIDDLE:
        let_go_of(parts->middle);
        break;
    case OBSERVER:
        probe_release(&parts->subscriber.probe);
        break;
    default:
        CHECK_EQ(obv_loop_destroy(parts->loop), OBV_OK);
        break;
    }
}

/* The parts of a program go in an order; `pending`: a call is scheduled then;
   `drains`: the loop is drained in between, as long as it is there. */
static void end_in_order(const unsigned order[PARTS], bool pending, bool drains,
                         uint32_t flags)
{
    struct parts parts;
    bool has_loop = true, is_told = true, has_died = false;
    fixture_begin(&fixture);
    subscriber_init(&parts.subscriber);
    probe_init_plain(&parts.token_probe);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &parts.loop), OBV_OK);
    parts.root = item_create(&fixture);
    parts.middle = item_create(&fixture);
    item_set_next(parts.root, parts.middle);
    parts.handle = observe_with(parts.root, "next.large",
                                &parts.subscriber.probe, flags, parts.loop);
    parts.token = observe_with(parts.root, "large", &parts.token_probe,
                               OBV_TOKEN, parts.loop);
    if (pending) {
        item_set_large(parts.middle, 5);
        item_set_large(parts.root, 5);
    }
    for (size_t i = 0; i < PARTS; i++) {
        /* Who has to be there still when the root dies. */
        is_told = is_told &&
                  (has_died || (order[i] != HANDLE && order[i] != OBSERVER));
        has_died = has_died || order[i] == ROOT;
        end_part(&parts, order[i]);
        has_loop = has_loop && order[i] != LOOP;
        if (drains && has_loop) {
            CHECK(obv_loop_drain(parts.loop) >= 0);
        }
    }
    if (flags & OBV_IMMEDIATE && !pending) {
        CHECK_EQ(parts.subscriber.told, is_told);
    }
    CHECK(parts.subscriber.told <= 1);
    CHECK_EQ(parts.subscriber.probe.disposed, 1);
    CHECK_EQ(parts.token_probe.disposed, 1);
    CHECK_EQ(parts.subscriber.probe.references, 0);
    fixture_end(&fixture);
}

static size_t permute(unsigned order[PARTS], size_t from,
                      void (*each)(const unsigned order[PARTS]))
{
    size_t count = 0;
    if (from == PARTS) {
        each(order);
        return 1;
    }
    for (size_t i = from; i < PARTS; i++) {
        unsigned kept = order[from];
        order[from] = order[i];
        order[i] = kept;
        count += permute(order, from + 1, each);
        order[i] = order[from];
        order[from] = kept;
    }
    return count;
}

static void end_in_each_way(const unsigned order[PARTS])
{
    for (unsigned way = 0; way < 8; way++) {
        end_in_order(order, way & 1, way & 2, way & 4 ? OBV_IMMEDIATE : 0);
    }
}

TEST(LT_1_all_parts_of_a_program_end_in_every_order)
{
    unsigned order[PARTS] = {HANDLE, TOKEN, ROOT, MIDDLE, OBSERVER, LOOP};
    CHECK_EQ(permute(order, 0, end_in_each_way), 720);
}

/* Threads ---------------------------------------------------------------- */

enum { DEATHS = 2000 };

static struct {
    struct item *root[DEATHS];
    struct subscriber subscribers[DEATHS];
    struct obv_observation *handles[DEATHS];
    int over;
} stress;

static void *drop_roots(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < DEATHS; i++) {
        let_go_of(stress.root[i]);
    }
    return NULL;
}

static void *drop_observers(void *unused)
{
    (void)unused;
    for (size_t i = 0; i < DEATHS; i += 3) {
        probe_release(&stress.subscribers[i].probe);
    }
    return NULL;
}

static void *stop_some(void *unused)
{
    (void)unused;
    for (size_t i = 1; i < DEATHS; i += 3) {
        if (i % 2 == 0) {
            CHECK(obv_stop_and_wait(stress.handles[i]));
            size_t told =
                __atomic_load_n(&stress.subscribers[i].told, __ATOMIC_RELAXED);
            CHECK(told <= 1);
            /* From here on it is told of nothing. */
            __atomic_store_n(&stress.subscribers[i].told, 100,
                             __ATOMIC_RELAXED);
        } else {
            obv_stop(stress.handles[i]);
        }
    }
    return NULL;
}

static void *drain_all(void *unused)
{
    (void)unused;
    while (!is_raised(&stress.over)) {
        (void)drain(&fixture);
    }
    return NULL;
}

TEST(LT_5_roots_and_observers_die_on_all_threads)
{
    pthread_t threads[4];
    void *(*const deeds[])(void *) = {drain_all, drop_roots, drop_observers,
                                      stop_some};
    fixture_begin(&fixture);
    for (size_t i = 0; i < DEATHS; i++) {
        struct subscriber *subscriber = &stress.subscribers[i];
        subscriber_init(subscriber);
        stress.root[i] = item_create(&fixture);
        stress.handles[i] =
            observe_with(stress.root[i], i % 5 ? "large" : "next.large",
                         &subscriber->probe, i % 4 ? 0 : OBV_IMMEDIATE, NULL);
    }
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, deeds[i], NULL), 0);
    }
    for (size_t i = 1; i < 4; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    raise_flag(&stress.over);
    CHECK_EQ(pthread_join(threads[0], NULL), 0);
    CHECK_EQ(drain(&fixture), 0);
    for (size_t i = 0; i < DEATHS; i++) {
        struct subscriber *subscriber = &stress.subscribers[i];
        CHECK(i % 3 != 2 || subscriber->told == 1);
        CHECK(subscriber->told <= 1 || subscriber->told == 100);
        CHECK_EQ(subscriber->probe.disposed, 1);
        obv_release(stress.handles[i]);
        if (i % 3 != 0) {
            probe_release(&subscriber->probe);
        }
    }
    fixture_end(&fixture);
}
