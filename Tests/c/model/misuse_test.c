/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuses that would be silent: debug builds tell each, with the class it is
 * about. Where the library is built without the check, nothing is told.
 */
#include "told_fixture.h"

#include "model/misuse.h"

#include <observable/observable.h>

/* Two numbers are exchanged: the accessors compile, and are those of the other
   line. */
struct host {
    struct obv_object object;
    int64_t load;
    int64_t limit;
    int64_t shared;
    const char *name;
    const char *place;
};
enum { HOST_LOAD, HOST_LIMIT, HOST_SHARED, HOST_NAME, HOST_PLACE, HOST_COUNT };

static const struct obv_property host_properties[HOST_COUNT] = {
    [HOST_LOAD] = OBV_FIELD(host, load, i64),
    [HOST_LIMIT] = OBV_FIELD(host, limit, i64),
    [HOST_SHARED] = OBV_FIELD_WITH(host, shared, i64, OBV_ANY_THREAD, NULL),
    [HOST_NAME] = OBV_FIELD(host, name, string),
    [HOST_PLACE] = OBV_FIELD(host, place, string)};

OBV_PROPERTY(host, load, i64, HOST_LIMIT)
OBV_PROPERTY(host, limit, i64, HOST_LIMIT)
OBV_PROPERTY_ANY_THREAD(host, shared, i64, HOST_LOAD)
OBV_PROPERTY(host, name, string, HOST_PLACE)

/* So many have been told, the last with this class and these words. */
static void check_told(size_t count, const char *words, const char *cls)
{
    if (!obv__misuse_is_checked()) {
        CHECK_EQ(fixture.diagnostics, 0);
        return;
    }
    CHECK_EQ(fixture.diagnostics, count);
    CHECK_EQ(fixture.last.kind, OBV_DIAGNOSTIC_MISUSE);
    CHECK(strstr(told, words) != NULL);
    CHECK(strstr(told, cls) != NULL);
}

TEST(DB_6_an_object_that_is_observed_is_initialised_again)
{
    told_begin();
    struct item *item = item_create(&fixture);
    obv_object_init(&item->object, fixture.item_class);
    CHECK_EQ(fixture.diagnostics, 0);
    struct obv_observation *handle = observe(item, "large", &probe);
    obv_stop(handle);
    obv_release(handle);
    uintptr_t word = item->object.word;
    obv_object_init(&item->object, fixture.item_class);
    check_told(1, "obv_object_init()", "class `item`");
    obv_object_init(&item->object, fixture.item_class);
    check_told(1, "obv_object_init()", "class `item`");
    /* What it had is not lost here, so that nothing is left behind. */
    item->object.word = word;
    item_release(&item->object);
    /* Another object in its memory. */
    item = item_create(&fixture);
    CHECK_EQ(fixture.diagnostics, obv__misuse_is_checked() ? 1 : 0);
    item_release(&item->object);
    fixture_end(&fixture);
}

static void observe_host(struct host *host, const char *path)
{
    CHECK_EQ(obv_observe(&host->object, path, &probe.kind, &probe, NULL, NULL),
             OBV_OK);
}

/* Of an object that is observed, whatever property is: an observer that is
   never called is found as well. */
TEST(DB_6_an_accessor_has_the_number_of_another_property)
{
    const struct obv_class_table table = {.size = sizeof table,
                                          .name = "host",
                                          .instance_size = sizeof(struct host),
                                          .properties = host_properties,
                                          .property_count = HOST_COUNT};
    for (int i = 0; i < 4; i++) {
        struct host host = {.load = 0};
        struct obv_class *cls;
        told_begin();
        CHECK_EQ(obv_class_create(fixture.context, &table, &cls, NULL), OBV_OK);
        obv_object_init(&host.object, cls);
        host_set_load(&host, 1);
        CHECK_EQ(fixture.diagnostics, 0);
        observe_host(&host, "limit");
        host_set_limit(&host, 1);
        CHECK_EQ(fixture.diagnostics, 0);
        for (int again = 0; again < 2; again++) {
            if (i == 0) {
                host_set_load(&host, 2 + again);
            } else if (i == 1) {
                host_set_shared(&host, 2 + again);
            } else if (i == 2) {
                CHECK_EQ(host_set_name(&host, NULL), OBV_OK);
            } else {
                break;
            }
        }
        if (i < 3) {
            CHECK_EQ(fixture.diagnostics, 1);
            CHECK_EQ(fixture.last.kind, OBV_DIAGNOSTIC_MISUSE);
            CHECK(strstr(told, "class `host`") != NULL);
        } else {
            CHECK_EQ(fixture.diagnostics, 0);
        }
        (void)drain(&fixture);
        obv_object_deinit(&host.object);
        fixture_end(&fixture);
    }
}

TEST(DB_6_a_batch_is_left_open)
{
    struct obv_batch batch;
    told_begin();
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &probe);
    obv_batch_begin(&batch);
    item_set_large(item, 1);
    for (int i = 0; i < 99; i++) {
        CHECK_EQ(drain(&fixture), 0);
    }
    CHECK_EQ(fixture.diagnostics, 0);
    for (int i = 0; i < 200; i++) {
        CHECK_EQ(drain(&fixture), 0);
    }
    check_told(1, "obv_batch_end()", "");
    obv_batch_end(&batch);
    CHECK_EQ(drain(&fixture), 1);
    for (int i = 0; i < 200; i++) {
        CHECK_EQ(drain(&fixture), 0);
    }
    check_told(1, "obv_batch_end()", "");
    end(handle);
    item_release(&item->object);
    fixture_end(&fixture);
}

TEST(DB_6_a_token_has_no_handle)
{
    told_begin();
    struct item *item = item_create(&fixture);
    const struct obv_pair pair = {&item->object, "large"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_TOKEN};
    struct obv_observation *handle;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options, &handle,
                               NULL),
             OBV_OK);
    CHECK_EQ(fixture.diagnostics, 0);
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options, NULL, NULL),
        OBV_OK);
    check_told(1, "OBV_TOKEN", "class `item`");
    end(handle);
    item_release(&item->object);
    fixture_end(&fixture);
}

struct numbers {
    struct obv_container container; /* the first */
    size_t count;
    int64_t items[4];
};

static size_t numbers_count(const struct obv_container *container)
{
    return ((const struct numbers *)(const void *)container)->count;
}

static const void *numbers_at(const struct obv_container *container,
                              size_t position)
{
    return &((const struct numbers *)(const void *)container)->items[position];
}

static const struct obv_container_kind numbers_kind = {
    .size = sizeof numbers_kind,
    .name = "numbers",
    .instance_size = sizeof(struct numbers),
    .element = OBV_ELEMENT(i64),
    .count = numbers_count,
    .at = numbers_at};

TEST(DB_6_an_edit_was_not_told)
{
    struct numbers numbers = {.count = 0};
    const struct obv_container_edit one = {.inserted = 1};
    struct obv_class *cls;
    struct obv_error error;
    told_begin();
    CHECK_EQ(
        obv_container_class_create(fixture.context, &numbers_kind, &cls, NULL),
        OBV_OK);
    obv_container_init(&numbers.container, cls);
    numbers.count = 1;
    CHECK_EQ(obv_container_edited(&numbers.container, &one, 1, &error), OBV_OK);
    numbers.count = 2; /* not told */
    numbers.count = 3;
    CHECK_EQ(obv_container_edited(&numbers.container, &one, 1, &error),
             OBV_E_ARGUMENT);
    check_told(1, "an edit was not told", "class `numbers`");
    obv_object_deinit(&numbers.container.object);
    fixture_end(&fixture);
}
