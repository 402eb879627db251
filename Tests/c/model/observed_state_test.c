/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OS-1 where a script cannot say it: classes with and without the hook, objects
 * that nothing holds, threads, failing memory, what it costs.
 */
#include "contract_fixture.h"

#include "model/node.h"

#include <stdio.h>

/* What the hook was told: each call as a property's name with a sign. */
static struct {
    char text[4000];
    /* Runs in the hook, if set. */
    void (*then)(struct item *item, uint32_t property, bool is_observed);
} told;

static void note_told(struct obv_object *object, uint32_t property,
                      bool is_observed)
{
    size_t length = strlen(told.text);
    snprintf(told.text + length, sizeof told.text - length, "%s%c%s",
             length ? " " : "", is_observed ? '+' : '-',
             obv_class_property_name(obv_object_class(object), property));
    if (told.then) {
        told.then((struct item *)object, property, is_observed);
    }
}

static const char *take_told(void)
{
    static char text[sizeof told.text];
    memcpy(text, told.text, sizeof text);
    told.text[0] = '\0';
    return text;
}

static void begin_with(struct fixture *fixture, struct obv_class_table *table)
{
    fixture_begin(fixture);
    CHECK_EQ(
        obv_class_create(fixture->context, table, &fixture->item_class, NULL),
        OBV_OK);
}

static struct obv_class_table aware_table(void)
{
    struct obv_class_table table = item_table();
    table.name = "aware";
    table.observed_changed = note_told;
    return table;
}

/* --- classes ------------------------------------------------------------- */

TEST(OS_1_a_class_without_the_hook_keeps_nothing_for_it)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &probe);
    CHECK(obv__node(&item->object) && !obv__more(obv__node(&item->object)));
    end(handle);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* Bytes for a first observation of an object. */
static size_t bytes_of_one(struct obv_class_table *table)
{
    struct fixture fixture;
    struct probe probe;
    begin_with(&fixture, table);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    size_t before = test_live_bytes();
    struct obv_observation *handle = observe(item, "large", &probe);
    size_t bytes = test_live_bytes() - before;
    end(handle);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
    return bytes;
}

TEST(OS_1_a_class_with_the_hook_keeps_two_bytes_a_property_and_114)
{
    struct obv_class_table aware = aware_table(), other = aware_table();
    other.observed_changed = NULL;
    CHECK_EQ(bytes_of_one(&aware) - bytes_of_one(&other), 114 + 2 * ITEM_COUNT);
}

TEST(OS_1_a_subclass_inherits_the_hook_or_has_its_own)
{
    static const struct obv_property own = {.name = "own",
                                            .kind = OBV_KIND_i32,
                                            .offset = sizeof(struct item),
                                            .size = 4};
    struct fixture fixture;
    struct probe probe;
    struct obv_class_table table = aware_table(), sub = item_table();
    begin_with(&fixture, &table);
    probe_init(&probe, &fixture);
    sub.name = "sub";
    sub.superclass = fixture.item_class;
    sub.instance_size = sizeof(struct item) + 8;
    sub.properties = &own;
    sub.property_count = 1;
    CHECK_EQ(obv_class_create(fixture.context, &sub, &fixture.item_class, NULL),
             OBV_OK);
    struct {
        struct item item;
        int32_t own[2];
    } object = {.item = {.references = 1}};
    obv_object_init(&object.item.object, fixture.item_class);
    end(observe(&object.item, "own", &probe));
    end(observe(&object.item, "shared", &probe));
    end(observe(&object.item, "*", &probe));
    CHECK_TEXT(take_told(), "+own -own +shared -shared +* -*");
    CHECK_EQ(obv_object_deinit(&object.item.object), OBV_OK);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(OS_1_a_property_has_its_name_by_index)
{
    struct fixture fixture;
    fixture_begin(&fixture);
    const struct obv_class *cls = fixture.item_class;
    CHECK_TEXT(obv_class_property_name(cls, ITEM_FLAG), "flag");
    CHECK_TEXT(obv_class_property_name(cls, ITEM_SHARED), "shared");
    CHECK_TEXT(obv_class_property_name(cls, OBV_EVERY_PROPERTY), "*");
    CHECK(!obv_class_property_name(cls, ITEM_COUNT));
    fixture_end(&fixture);
}

TEST(OS_1_all_that_turns_in_one_call_is_told)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_class_table table = aware_table();
    begin_with(&fixture, &table);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_object *root = &item->object;
    const struct obv_pair pairs[] = {
        {root, "shared"}, {root, "*"}, {root, "flag"}, {root, "next.large"}};
    struct obv_observation *handle;
    CHECK_EQ(
        obv_observe_pairs(pairs, 4, &probe.kind, &probe, NULL, &handle, NULL),
        OBV_OK);
    CHECK_TEXT(take_told(), "+flag +next +shared +*");
    end(handle);
    CHECK_TEXT(take_told(), "-flag -next -shared -*");
    item_release(root);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- objects that nothing holds ------------------------------------------ */

static void end_item(struct item *item, uint32_t property, bool is_observed)
{
    (void)property;
    (void)is_observed;
    CHECK_EQ(obv_object_deinit(&item->object), OBV_OK);
    memset(item, 0xA5, sizeof *item);
    free(item);
}

TEST(OS_1_an_object_without_hooks_may_end_in_its_call)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_class_table table = aware_table();
    table.retain = NULL;
    table.release = NULL;
    begin_with(&fixture, &table);
    probe_init(&probe, &fixture);
    struct item *root = item_create(&fixture);
    struct item *middle = item_create(&fixture);
    struct obv_observation *handle = observe(root, "next.large", &probe);
    struct obv_observation *other = observe(middle, "flag", &probe);
    item_set_next(root, middle);
    CHECK_TEXT(take_told(), "+next +flag +large");
    told.then = end_item;
    obv_stop(other); /* "-flag", and it has ended */
    told.then = NULL;
    root->next = NULL;
    obv_release(other);
    CHECK_TEXT(take_told(), "-flag");
    end(handle);
    CHECK_EQ(obv_object_deinit(&root->object), OBV_OK);
    free(root);
    CHECK(drain(&fixture) >= 0);
    probe_release(&probe);
    fixture_end(&fixture);
}

static void release_item(struct item *item, uint32_t property, bool is_observed)
{
    (void)property;
    CHECK(!is_observed);
    item_release(&item->object);
    CHECK_EQ(item->references, 1); /* the library's, for this call */
}

TEST(OS_1_the_object_is_held_for_its_call)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_class_table table = aware_table();
    begin_with(&fixture, &table);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &probe);
    told.then = release_item;
    end(handle);
    told.then = NULL;
    CHECK_TEXT(take_told(), "+large -large");
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- an observer that is gone -------------------------------------------- */

static bool never_retain(void *observer)
{
    (void)observer;
    return false;
}

static void never_release(void *observer)
{
    (void)observer;
    CHECK(false);
}

static bool is_gone(void *observer)
{
    (void)observer;
    return true;
}

TEST(OS_1_who_finds_an_observer_gone_ends_and_tells)
{
    struct fixture fixture;
    struct obv_class_table table = aware_table();
    begin_with(&fixture, &table);
    const struct obv_handler_kind kind = {.changed = probe_changed,
                                          .retain = never_retain,
                                          .release = never_release,
                                          .gone = is_gone};
    struct item *root = item_create(&fixture), *middle = item_create(&fixture);
    item_set_next(root, middle);
    CHECK_EQ(obv_observe(&root->object, "large", &kind, root, NULL, NULL),
             OBV_OK);
    CHECK_TEXT(take_told(), "+large");
    item_set_large(root, 1);
    CHECK_TEXT(take_told(), "-large");
    CHECK_EQ(obv_observe(&root->object, "next.flag", &kind, root, NULL, NULL),
             OBV_OK);
    CHECK_TEXT(take_told(), "+flag +next");
    CHECK_EQ(obv_observer_count(&middle->object, "flag"), 0);
    CHECK_TEXT(take_told(), "-next -flag");
    item_release(&root->object);
    item_release(&middle->object);
    fixture_end(&fixture);
}

/* --- failing memory ------------------------------------------------------ */

/* Observes with the n-th allocation failing; whether one has. */
static bool observe_short(size_t n, const char *path, size_t *failures)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_class_table table = aware_table();
    struct obv_observation *handle = NULL;
    begin_with(&fixture, &table);
    probe_init(&probe, &fixture);
    struct item *root = item_create(&fixture), *middle = item_create(&fixture);
    item_set_next(root, middle);
    test_fail_allocation(n, false);
    enum obv_status status =
        obv_observe(&root->object, path, &probe.kind, &probe, &handle, NULL);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK_EQ(status, failed ? OBV_E_MEMORY : OBV_OK);
    CHECK_EQ(take_told()[0] != '\0', !failed);
    *failures += failed;
    end(handle);
    CHECK_EQ(take_told()[0] != '\0', !failed);
    item_release(&root->object);
    item_release(&middle->object);
    probe_release(&probe);
    fixture_end(&fixture);
    return failed;
}

TEST(OS_1_FA_2_a_call_that_fails_for_want_of_memory_tells_nothing)
{
    const char *const paths[] = {"large", "*", "next.shared", "next.large"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t failures = 0;
        for (size_t n = 1; observe_short(n, paths[i], &failures); n++) {
            CHECK(n < 1000);
        }
        CHECK(failures >= 3); /* node, its second part, the observation */
    }
}

TEST(OS_1_FA_1_an_object_is_told_when_it_is_wired_at_last)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_class_table table = aware_table();
    begin_with(&fixture, &table);
    probe_init(&probe, &fixture);
    struct item *root = item_create(&fixture), *middle = item_create(&fixture);
    struct obv_observation *handle = observe(root, "next.large", &probe);
    CHECK_TEXT(take_told(), "+next");
    /* The node is there, and not its second part. */
    test_fail_allocation(2, false);
    item_set_next(root, middle);
    CHECK(test_allocation_failed());
    test_fail_allocation(0, false);
    CHECK_TEXT(take_told(), "");
    item_set_next(root, NULL);
    item_set_next(root, middle);
    CHECK_TEXT(take_told(), "+large");
    end(handle);
    CHECK(drain(&fixture) >= 0);
    item_release(&root->object);
    item_release(&middle->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- threads ------------------------------------------------------------- */

static struct {
    struct item *item;
    struct probe *probe;
    int telling, may_return;
} meeting;

static void *observe_flag(void *unused)
{
    (void)unused;
    await_flag(&meeting.telling);
    struct obv_observation *handle =
        observe(meeting.item, "flag", meeting.probe);
    /* It is being told elsewhere: this thread does not wait for that. */
    CHECK(!strstr(told.text, "flag"));
    raise_flag(&meeting.may_return);
    return handle;
}

static void wait_for_another(struct item *item, uint32_t property,
                             bool is_observed)
{
    (void)item;
    if (property == ITEM_LARGE && is_observed) {
        raise_flag(&meeting.telling);
        await_flag(&meeting.may_return);
    }
}

TEST(OS_1_who_is_telling_tells_what_another_thread_has_begun)
{
    struct fixture fixture;
    struct probe probe;
    pthread_t thread;
    void *other;
    struct obv_class_table table = aware_table();
    begin_with(&fixture, &table);
    probe_init(&probe, &fixture);
    meeting.item = item_create(&fixture);
    meeting.probe = &probe;
    CHECK_EQ(pthread_create(&thread, NULL, observe_flag, NULL), 0);
    told.then = wait_for_another;
    struct obv_observation *handle = observe(meeting.item, "large", &probe);
    CHECK_TEXT(take_told(), "+large +flag");
    told.then = NULL;
    CHECK_EQ(pthread_join(thread, &other), 0);
    end(handle);
    end(other);
    item_release(&meeting.item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* Many at once: each call must differ from the one before, none may overlap. */
static struct {
    struct fixture fixture;
    struct item *root, *middle, *other;
} crowd;

/* Of each of the two objects that are told; written by the one that tells. */
static struct last_told {
    int inside;
    bool is_observed[2];
    unsigned calls;
} last_told[2];

static void tell_of_crowd(struct obv_object *object, uint32_t property,
                          bool is_observed)
{
    if (object == &crowd.root->object) {
        return;
    }
    struct last_told *last = &last_told[object == &crowd.other->object];
    bool *seen = &last->is_observed[property == ITEM_FLAG];
    CHECK_EQ(__atomic_exchange_n(&last->inside, 1, __ATOMIC_ACQ_REL), 0);
    CHECK(property == ITEM_FLAG || property == ITEM_LARGE);
    CHECK(*seen != is_observed);
    *seen = is_observed;
    last->calls++;
    CHECK_EQ(__atomic_exchange_n(&last->inside, 0, __ATOMIC_ACQ_REL), 1);
}

enum { ROUNDS = 3000 };

static void *come_and_go(void *context)
{
    struct probe *probe = context;
    for (int i = 0; i < ROUNDS; i++) {
        end(observe(crowd.middle, i % 2 ? "flag" : "large", probe));
    }
    return NULL;
}

/* The root is this thread's. */
static void *replace(void *context)
{
    struct probe *probe = context;
    for (int i = 0; i < ROUNDS; i++) {
        struct obv_observation *handle =
            observe(crowd.root, "next.large", probe);
        item_set_next(crowd.root, i % 2 ? crowd.middle : crowd.other);
        end(handle);
    }
    return NULL;
}

static void check_last(struct item *item, const struct last_told *last)
{
    CHECK_EQ(last->is_observed[0],
             obv_observer_count(&item->object, "large") != 0);
    CHECK_EQ(last->is_observed[1],
             obv_observer_count(&item->object, "flag") != 0);
}

TEST(OS_1_calls_alternate_and_the_last_is_true_whatever_threads_do)
{
    struct obv_class_table table = aware_table();
    struct probe probes[3]; /* until the last drain: some are pending */
    pthread_t threads[3];
    table.observed_changed = tell_of_crowd;
    begin_with(&crowd.fixture, &table);
    crowd.root = item_create(&crowd.fixture);
    crowd.middle = item_create(&crowd.fixture);
    crowd.other = item_create(&crowd.fixture);
    for (int i = 0; i < 3; i++) {
        probe_init_plain(&probes[i]);
        CHECK_EQ(pthread_create(&threads[i], NULL, i ? come_and_go : replace,
                                &probes[i]),
                 0);
    }
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    struct obv_observation *handle =
        observe(crowd.root, "next.large", &probes[0]);
    check_last(crowd.middle, &last_told[0]);
    check_last(crowd.other, &last_told[1]);
    CHECK(last_told[0].is_observed[0] && last_told[0].calls >= ROUNDS);
    end(handle);
    check_last(crowd.middle, &last_told[0]);
    CHECK(!last_told[0].is_observed[0] && !last_told[0].is_observed[1]);
    CHECK(drain(&crowd.fixture) >= 0);
    item_release(&crowd.root->object);
    item_release(&crowd.middle->object);
    item_release(&crowd.other->object);
    fixture_end(&crowd.fixture);
}
