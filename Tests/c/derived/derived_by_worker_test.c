/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker sets a property of any thread, another is computed of it, and an array is
 * sorted by that (the outsider's program): the array is its owner's, who sees each
 * element once, whenever he looks.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <observable/derived.h>
#include <observable/observable.h>

#include <pthread.h>
#include <string.h>

enum { HOSTS = 24, WORKERS = 2, SETS = 100000 };
enum { HOST_RAW, HOST_HEALTH, HOST_COUNT };

struct host {
    struct obv_object object;
    int64_t raw, health;
    size_t seen; /* in the last look */
};

OBV_PROPERTY_ANY_THREAD(host, raw, i64, HOST_RAW)
OBV_COMPUTED(host, health, i64, HOST_HEALTH)

static struct host hosts[HOSTS];
static pthread_t owner;
static size_t at_work;
static size_t compared;

/* Everything of the program's but a plain immediate observer. */
static void check_owner(void)
{
    CHECK(pthread_equal(owner, pthread_self()));
}

static enum obv_status evaluate(struct obv_object *object,
                                const struct obv_property *property,
                                void *value)
{
    int64_t health = host_raw((struct host *)object) * 7 % 101;
    (void)property;
    check_owner();
    memcpy(value, &health, sizeof health);
    return OBV_OK;
}

static const struct obv_computed health = {.size = sizeof health,
                                           .evaluate = evaluate};
static const struct obv_property properties[HOST_COUNT] = {
    [HOST_RAW] = OBV_FIELD_WITH(host, raw, i64, OBV_ANY_THREAD, NULL),
    [HOST_HEALTH] = OBV_FIELD_COMPUTED(host, health, i64, &health)};

static int by_health(const void *a, const void *b, void *argument)
{
    int64_t left = host_health(*(struct host *const *)a);
    int64_t right = host_health(*(struct host *const *)b);
    (void)argument;
    check_owner();
    compared++;
    return left < right ? -1 : left > right;
}

static const char *const paths[] = {"health"};
static const struct obv_derived_kind kind = {.size = sizeof kind,
                                             .compare = by_health,
                                             .paths = paths,
                                             .path_count = 1,
                                             .label = "by health"};

static void *work(void *seed)
{
    uint64_t random = (uint64_t)(uintptr_t)seed;
    for (size_t i = 0; i < SETS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        host_set_raw(&hosts[(random >> 33) % HOSTS],
                     (int64_t)((random >> 40) % 1000));
    }
    __atomic_sub_fetch(&at_work, 1, __ATOMIC_RELEASE);
    return NULL;
}

static size_t count_seen(const struct obv_derived *array)
{
    size_t count = obv_derived_count(array);
    for (size_t i = 0; i < HOSTS; i++) {
        hosts[i].seen = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct host *host = obv_derived_at(array, i);
        CHECK_EQ(host->seen++, 0);
    }
    return count;
}

static void edited(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    (void)root;
    (void)call;
    check_owner();
    ++*(size_t *)observer;
}

TEST(TH_1_a_worker_edits_no_derived_array)
{
    static const struct obv_handler_kind told = {.changed = edited};
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    const struct obv_class_table table = {.size = sizeof table,
                                          .name = "host",
                                          .instance_size = sizeof(struct host),
                                          .properties = properties,
                                          .property_count = HOST_COUNT};
    static const struct obv_collection_kind arrays = {
        .size = sizeof arrays, .name = "hosts", .element = OBV_KIND_object};
    struct obv_context *context;
    struct obv_class *cls, *array_cls;
    struct obv_array *all;
    struct obv_derived_class sorted_class = {.allocator = test_allocator()};
    struct obv_derived *sorted;
    struct obv_observation *handle;
    pthread_t workers[WORKERS];
    size_t calls = 0;
    owner = pthread_self();
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &table, &cls, NULL), OBV_OK);
    CHECK_EQ(obv_array_class_create(context, &arrays, &array_cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(array_cls, &all, NULL), OBV_OK);
    for (size_t i = 0; i < HOSTS; i++) {
        obv_object_init(&hosts[i].object, cls);
        CHECK_EQ(obv_array_append(all, &hosts[i]), OBV_OK);
    }
    CHECK_EQ(obv_derived_class_create(context, &sorted_class, "sorted",
                                      OBV_KIND_object, NULL),
             OBV_OK);
    CHECK_EQ(obv_derived_create(&all->container, &kind, NULL, &sorted_class,
                                &sorted, NULL),
             OBV_OK);
    CHECK_EQ(obv_observe(&sorted->container.object, "*", &told, &calls, &handle,
                         NULL),
             OBV_OK);
    at_work = WORKERS;
    for (size_t i = 0; i < WORKERS; i++) {
        CHECK_EQ(pthread_create(&workers[i], NULL, work, (void *)(i + 1)), 0);
    }
    for (size_t i = 0; __atomic_load_n(&at_work, __ATOMIC_ACQUIRE) > 0; i++) {
        CHECK_EQ(count_seen(sorted), HOSTS);
        if (i % 3 == 0) {
            (void)host_health(&hosts[i % HOSTS]);
        }
        CHECK(obv_loop_drain(obv_context_loop(context)) >= 0);
    }
    for (size_t i = 0; i < WORKERS; i++) {
        CHECK_EQ(pthread_join(workers[i], NULL), 0);
    }
    while (obv_loop_pending(obv_context_loop(context)) != 0) {
        CHECK(obv_loop_drain(obv_context_loop(context)) >= 0);
    }
    CHECK_EQ(count_seen(sorted), HOSTS);
    for (size_t i = 1; i < HOSTS; i++) {
        const struct host *before = obv_derived_at(sorted, i - 1);
        const struct host *at = obv_derived_at(sorted, i);
        CHECK(host_raw(before) * 7 % 101 <= host_raw(at) * 7 % 101);
    }
    CHECK(calls > 0 && compared > HOSTS);
    CHECK_EQ(obv_derivation_status(sorted->derivation), OBV_OK);
    obv_stop(handle);
    obv_release(handle);
    obv_derived_release(sorted);
    obv_array_release(all);
    for (size_t i = 0; i < HOSTS; i++) {
        CHECK_EQ(obv_object_deinit(&hosts[i].object), OBV_OK);
    }
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}
