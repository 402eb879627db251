/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other threads do while an observation of several pairs is being made.
 * Where it fails in the end, nobody was called and nobody is waited for.
 *
 * An allocator lets the other thread in: the n-th allocation of the call that
 * begins to observe waits for its deed, for a while, since a lock may be held.
 */
#include "contract_fixture.h"

enum { PATIENCE = 20 };

static struct making {
    struct fixture fixture;
    struct item *root, *other;
    struct obv_observation *handle; /* of one that pairs are added to */
    void (*deed)(struct item *root);
    size_t n; /* allocations until the other thread is let in; 0: no more */
    bool fails;
    bool was_let_in, is_done_within, has_died;
    int begun, done;
    pthread_t thread;
} making;

/* The thread that begins to observe, while it does. */
static __thread bool is_maker;

static void *act(void *context)
{
    (void)context;
    await_flag(&making.begun);
    making.deed(making.root);
    raise_flag(&making.done);
    return NULL;
}

static void let_in(void)
{
    making.was_let_in = true;
    raise_flag(&making.begun);
    for (int i = 0; i < PATIENCE && !is_raised(&making.done); i++) {
        sleep_milliseconds(1);
    }
    making.is_done_within = is_raised(&making.done);
}

static void *allocate(void *context, size_t size)
{
    (void)context;
    if (is_maker && making.n != 0 && --making.n == 0) {
        let_in();
        if (making.fails) {
            return NULL;
        }
    }
    return test_allocator()->allocate(NULL, size);
}

static void give_back(void *context, void *memory, size_t size)
{
    test_allocator()->free(context, memory, size);
}

static void making_begin(void (*deed)(struct item *root), size_t n, bool fails)
{
    static const struct obv_allocator allocator = {allocate, give_back, NULL};
    memset(&making, 0, sizeof making);
    fixture_begin_with(&making.fixture, &allocator, 0);
    making.root = item_create(&making.fixture);
    making.other = item_create(&making.fixture);
    making.deed = deed;
    making.n = n;
    making.fails = fails;
    CHECK_EQ(pthread_create(&making.thread, NULL, act, NULL), 0);
}

/* The deed is done: in the call, or after it. */
static enum obv_status make(struct probe *probe, uint32_t flags,
                            struct obv_observation **handle)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    const struct obv_pair pairs[] = {{&making.root->object, "shared"},
                                     {&making.other->object, "shared"},
                                     {&making.other->object, "next.large"},
                                     {&making.other->object, "nowhere"}};
    is_maker = true;
    enum obv_status status = obv_observe_pairs(pairs, 4, &probe->kind, probe,
                                               &options, handle, NULL);
    is_maker = false;
    return status;
}

static void making_end(void)
{
    if (!making.was_let_in) {
        raise_flag(&making.begun);
    }
    CHECK_EQ(pthread_join(making.thread, NULL), 0);
}

static void set_shared(struct item *root)
{
    item_set_shared(root, 1);
}

static const uint32_t manners[] = {0, OBV_IMMEDIATE, OBV_RECORDS,
                                   OBV_RECORDS | OBV_IMMEDIATE, OBV_NET};

enum { MANNERS = sizeof manners / sizeof manners[0] };

/* Whether there was an n-th allocation. */
static bool try_to_fail(uint32_t flags, size_t n)
{
    struct probe probe;
    struct obv_observation *handle = NULL;
    making_begin(set_shared, n, true);
    probe_init_plain(&probe);
    enum obv_status status = make(&probe, flags, &handle);
    bool was_let_in = making.was_let_in;
    CHECK_EQ(status, was_let_in ? OBV_E_MEMORY : OBV_OK);
    if (was_let_in) {
        CHECK_EQ(probe.calls, 0);
        /* It is ours again, whatever the other thread does. */
        memset(&probe, 0xEE, sizeof probe);
    }
    making_end();
    CHECK_EQ(drain(&making.fixture), !was_let_in && !(flags & OBV_IMMEDIATE));
    if (!was_let_in) {
        CHECK_EQ(probe.calls, 1);
        CHECK(obv_stop_and_wait(handle));
        CHECK_EQ(probe.disposed, 1);
    }
    obv_release(handle);
    item_release(&making.root->object);
    item_release(&making.other->object);
    fixture_end(&making.fixture);
    return was_let_in;
}

TEST(FA_2_RE_4_a_call_that_fails_has_called_nobody_and_waits_for_nobody)
{
    for (size_t i = 0; i < MANNERS; i++) {
        size_t n = 1;
        while (try_to_fail(manners[i], n)) {
            n++;
        }
        CHECK(n > 4);
    }
}

/* The last ones find who was there before pending. */
static void set_shared_often(struct item *root)
{
    for (int64_t value = 1; value < 5; value++) {
        item_set_shared(root, value);
    }
}

/* --- where it does not fail ---------------------------------------------- */

/* Whether there was an n-th allocation. Changes that come while pairs are
   registered are no part of what is told of the next, and do not hide it. */
static bool try_to_make(uint32_t flags, size_t n)
{
    struct probe probe, earlier;
    struct obv_observation *handle = NULL;
    making_begin(set_shared_often, n, false);
    probe_init(&probe, &making.fixture);
    probe_init(&earlier, &making.fixture);
    struct obv_observation *pending = observe(making.root, "shared", &earlier);
    CHECK_EQ(make(&probe, flags, &handle), OBV_OK);
    bool was_let_in = making.was_let_in;
    making_end();
    size_t calls = probe.calls;
    item_set_shared(making.root, 5);
    CHECK_EQ(drain(&making.fixture), flags & OBV_IMMEDIATE ? 1 : 2);
    CHECK_EQ(probe.calls, flags & OBV_IMMEDIATE ? calls + 1 : 1);
    end(handle);
    end(pending);
    probe_release(&probe);
    probe_release(&earlier);
    item_release(&making.root->object);
    item_release(&making.other->object);
    fixture_end(&making.fixture);
    return was_let_in;
}

TEST(DR_7_EQ_7_a_change_while_pairs_are_registered_is_no_part_of_a_later_one)
{
    for (size_t i = 0; i < MANNERS; i++) {
        size_t n = 1;
        while (try_to_make(manners[i], n)) {
            n++;
        }
        CHECK(n > 4);
    }
}

/* --- deaths -------------------------------------------------------------- */

struct subscriber {
    struct probe probe; /* first */
    size_t told, forgotten;
};

static void hear(void *observer, const struct obv_deallocation_notice *notice)
{
    struct subscriber *subscriber = observer;
    CHECK_TEXT(notice->path, "shared");
    CHECK_EQ(subscriber->forgotten, 0);
    __atomic_add_fetch(&subscriber->told, 1, __ATOMIC_RELAXED);
}

/* Not before its pair is there: until then the call needs it. */
static void die(struct item *root)
{
    if (obv_observer_count(&root->object, "shared") == 1) {
        CHECK_EQ(obv_object_deinit(&root->object), OBV_OK);
        making.has_died = true;
    }
}

static size_t deaths;

static void let_items_go(void)
{
    if (making.has_died) {
        free(making.root);
        deaths++;
    } else {
        item_release(&making.root->object);
    }
    item_release(&making.other->object);
}

/* Whether there was an n-th allocation. */
static bool try_with_a_death(uint32_t flags, size_t n, bool fails)
{
    struct subscriber subscriber = {.told = 0};
    struct obv_observation *handle = NULL;
    making_begin(die, n, fails);
    probe_init_plain(&subscriber.probe);
    subscriber.probe.kind.root_did_deallocate = hear;
    enum obv_status status = make(&subscriber.probe, flags, &handle);
    bool was_let_in = making.was_let_in;
    if (was_let_in && fails) {
        CHECK_EQ(status, OBV_E_MEMORY);
        CHECK_EQ(subscriber.told, 0);
        memset(&subscriber, 0xEE, sizeof subscriber);
    }
    making_end();
    CHECK_EQ(drain(&making.fixture), 0);
    if (!was_let_in || !fails) {
        CHECK_EQ(status, OBV_OK);
        CHECK(subscriber.told <= making.has_died);
        CHECK(obv_stop_and_wait(handle));
        CHECK_EQ(subscriber.probe.disposed, 1);
    }
    obv_release(handle);
    let_items_go();
    fixture_end(&making.fixture);
    return was_let_in;
}

TEST(LT_5_FA_2_a_root_that_dies_while_others_are_registered_harms_nobody)
{
    for (size_t i = 0; i < 4; i++) {
        size_t n = 1;
        deaths = 0;
        while (try_with_a_death(i & 1 ? OBV_IMMEDIATE : 0, n, i >= 2)) {
            n++;
        }
        CHECK(deaths > 4);
    }
}

/* --- pairs that are added ------------------------------------------------ */

static void forget(void *observer, void *context)
{
    (void)context;
    ((struct subscriber *)observer)->forgotten++;
}

static void stop_and_die(struct item *root)
{
    if (obv_observer_count(&root->object, "shared") == 1) {
        obv_stop(making.handle);
    }
    die(root);
}

/* Whether there was an n-th allocation. */
static bool try_to_add(void (*deed)(struct item *root), size_t n, bool fails)
{
    struct subscriber subscriber = {.told = 0};
    making_begin(deed, n, fails);
    struct item *first = item_create(&making.fixture);
    probe_init_plain(&subscriber.probe);
    subscriber.probe.kind.root_did_deallocate = hear;
    subscriber.probe.kind.forget = forget;
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_EXTENSIBLE};
    const struct obv_pair began = {&first->object, "large"};
    CHECK_EQ(obv_observe_pairs(&began, 1, &subscriber.probe.kind, &subscriber,
                               &options, &making.handle, NULL),
             OBV_OK);
    const struct obv_pair more[] = {{&making.root->object, "shared"},
                                    {&making.other->object, "next.large"},
                                    {&making.other->object, "nowhere"}};
    is_maker = true;
    (void)!obv_observe_also(making.handle, more, 3, NULL);
    is_maker = false;
    bool was_let_in = making.was_let_in;
    making_end();
    CHECK_EQ(drain(&making.fixture), 0);
    CHECK(subscriber.told <= making.has_died);
    CHECK(obv_stop_and_wait(making.handle));
    CHECK_EQ(subscriber.probe.disposed, 1);
    obv_release(making.handle);
    CHECK_EQ(subscriber.forgotten, 1);
    let_items_go();
    item_release(&first->object);
    fixture_end(&making.fixture);
    return was_let_in;
}

TEST(LT_5_FA_2_a_root_that_dies_while_others_are_added_harms_nobody)
{
    for (size_t i = 0; i < 4; i++) {
        size_t n = 1;
        deaths = 0;
        while (try_to_add(i & 1 ? stop_and_die : die, n, i >= 2)) {
            n++;
        }
        CHECK(deaths > 2);
    }
}

/* --- numbers of pairs ------------------------------------------------------ */

struct numbers {
    struct probe probe; /* first */
    size_t entries, wrong;
    uint32_t indices[3];
};

/* Each entry is of one set, in the order of these. */
static void note_numbers(void *observer, struct obv_object *root,
                         const struct obv_call *call)
{
    struct numbers *numbers = observer;
    (void)root;
    numbers->entries = call->record->count;
    for (size_t i = 0; i < call->record->count && i < 3; i++) {
        const struct obv_record_entry *entry = &call->record->entries[i];
        numbers->indices[i] = entry->index;
        numbers->wrong += entry->changes != 1;
    }
}

/* A pair of the observation that is being added to. */
static void add_small(struct item *root)
{
    const struct obv_pair pair = {&root->object, "small"};
    CHECK_EQ(obv_observe_also(making.handle, &pair, 1, NULL), OBV_OK);
}

/* Whether there was an n-th allocation. */
static bool try_to_number(size_t n)
{
    struct numbers numbers = {.entries = 0};
    making_begin(add_small, n, true);
    probe_init_plain(&numbers.probe);
    numbers.probe.kind.changed = note_numbers;
    const struct obv_observe_options options = {
        .size = sizeof options, .flags = OBV_EXTENSIBLE | OBV_RECORDS};
    const struct obv_pair began = {&making.other->object, "large"};
    CHECK_EQ(obv_observe_pairs(&began, 1, &numbers.probe.kind, &numbers,
                               &options, &making.handle, NULL),
             OBV_OK);
    const struct obv_pair added[] = {{&making.root->object, "shared"},
                                     {&making.other->object, "next.large"}};
    is_maker = true;
    enum obv_status status = obv_observe_also(making.handle, added, 2, NULL);
    is_maker = false;
    bool was_let_in = making.was_let_in;
    CHECK_EQ(status, was_let_in ? OBV_E_MEMORY : OBV_OK);
    making_end();
    const struct obv_pair last = {&making.other->object, "flag"};
    CHECK_EQ(obv_observe_also(making.handle, &last, 1, NULL), OBV_OK);
    item_set_large(making.other, 1);
    item_set_small(making.root, 2);
    item_set_flag(making.other, true);
    CHECK_EQ(drain(&making.fixture), 1);
    CHECK_EQ(numbers.entries, 3);
    CHECK_EQ(numbers.wrong, 0);
    CHECK_EQ(numbers.indices[0], 0);
    CHECK(numbers.indices[1] > 0 && numbers.indices[2] > numbers.indices[1]);
    CHECK(obv_stop_and_wait(making.handle));
    obv_release(making.handle);
    item_release(&making.root->object);
    item_release(&making.other->object);
    fixture_end(&making.fixture);
    return was_let_in;
}

TEST(DR_13_FA_2_a_pair_that_comes_while_others_go_has_its_own_number)
{
    size_t n = 1;
    while (try_to_number(n)) {
        n++;
    }
    CHECK(n > 4);
}
