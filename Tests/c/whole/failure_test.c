/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens when memory fails. Each public call that allocates is made
 * again and again, with its first, second, ... allocation failing, until it
 * succeeds. A set stores whatever happens.
 */
#include "contract_fixture.h"

/* What a call works on: made anew for each attempt. */
struct stage {
    struct fixture fixture;
    struct item *root, *middle, *leaf;
    struct probe probe, other;
    struct obv_observation *handle, *standing;
    struct obv_loop *loop;
    struct obv_class *cls;
    const char *text;
};

static void stage_begin(struct stage *stage)
{
    memset(stage, 0, sizeof *stage);
    fixture_begin(&stage->fixture);
    stage->root = item_create(&stage->fixture);
    stage->middle = item_create(&stage->fixture);
    stage->leaf = item_create(&stage->fixture);
    item_set_next(stage->root, stage->middle);
    item_set_next(stage->middle, stage->leaf);
    probe_init(&stage->probe, &stage->fixture);
    probe_init(&stage->other, &stage->fixture);
}

/* An observation that was there before the call, and can be extended. */
static void stage_observe(struct stage *stage)
{
    struct obv_pair pairs[] = {{&stage->root->object, "next.large"},
                               {&stage->root->object, "small"}};
    CHECK_EQ(obv_observe_pairs(pairs, 2, &stage->other.kind, &stage->other,
                               NULL, &stage->standing, NULL),
             OBV_OK);
}

static void stop_and_release(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

static void stage_end(struct stage *stage)
{
    stop_and_release(stage->handle);
    stop_and_release(stage->standing);
    CHECK(drain(&stage->fixture) >= 0);
    item_release(&stage->root->object);
    item_release(&stage->middle->object);
    item_release(&stage->leaf->object);
    probe_release(&stage->probe);
    probe_release(&stage->other);
    fixture_end(&stage->fixture);
}

/* Everything about the stage that can be counted from outside. */
struct picture {
    struct obv_counters counters;
    size_t observers[4];
    size_t probe_references, other_references, disposed;
};

static struct picture picture_of(struct stage *stage)
{
    struct picture picture;
    memset(&picture, 0, sizeof picture);
    picture.counters = counters_of(&stage->fixture);
    picture.observers[0] = obv_observer_count(&stage->root->object, "next");
    picture.observers[1] = obv_observer_count(&stage->middle->object, "next");
    picture.observers[2] = obv_observer_count(&stage->middle->object, "large");
    picture.observers[3] = obv_observer_count(&stage->root->object, "*");
    picture.probe_references = stage->probe.references;
    picture.other_references = stage->other.references;
    picture.disposed = stage->probe.disposed + stage->other.disposed;
    return picture;
}

/* --- the calls ----------------------------------------------------------- */

static enum obv_status call_observe(struct stage *stage, const char *path)
{
    return obv_observe(&stage->root->object, path, &stage->probe.kind,
                       &stage->probe, &stage->handle, NULL);
}

static enum obv_status observe_property(struct stage *stage)
{
    return call_observe(stage, "large");
}

static enum obv_status observe_far_property(struct stage *stage)
{
    return call_observe(stage, "shared"); /* in a page of slots */
}

static enum obv_status observe_deep_path(struct stage *stage)
{
    return call_observe(stage, "next.next.text");
}

static enum obv_status observe_escaped_path(struct stage *stage)
{
    return call_observe(stage, "\\next.\\large");
}

static enum obv_status observe_every_property(struct stage *stage)
{
    return call_observe(stage, "*");
}

static enum obv_status observe_unknown_property(struct stage *stage)
{
    return call_observe(stage, "a_name_that_nobody_has.next");
}

static enum obv_status call_pairs(struct stage *stage, uint32_t flags,
                                  struct obv_loop *loop)
{
    struct obv_pair pairs[] = {
        {&stage->root->object, "next.next.large"},
        {&stage->middle->object, "next.shared"},
        {&stage->leaf->object, "*"},
        {&stage->leaf->object, "unknown_here"},
    };
    struct obv_observe_options options = {
        .size = sizeof options, .loop = loop, .flags = flags};
    return obv_observe_pairs(pairs, 4, &stage->probe.kind, &stage->probe,
                             &options, &stage->handle, NULL);
}

static enum obv_status observe_pairs(struct stage *stage)
{
    return call_pairs(stage, 0, NULL);
}

static enum obv_status observe_pairs_at_once(struct stage *stage)
{
    return call_pairs(stage, OBV_IMMEDIATE, NULL);
}

static enum obv_status observe_pairs_as_token(struct stage *stage)
{
    return call_pairs(stage, OBV_TOKEN | OBV_EXTENSIBLE, NULL);
}

static enum obv_status observe_nothing(struct stage *stage)
{
    struct obv_pair pair = {&stage->root->object, NULL};
    return obv_observe_pairs(&pair, 1, &stage->probe.kind, &stage->probe, NULL,
                             &stage->handle, NULL);
}

static enum obv_status observe_more(struct stage *stage)
{
    struct obv_pair pairs[] = {{&stage->leaf->object, "text"},
                               {&stage->root->object, "next.next.small"},
                               {&stage->root->object, "no_such_property"}};
    return obv_observe_also(stage->standing, pairs, 3, NULL);
}

static enum obv_status stop_path(struct stage *stage)
{
    return obv_stop_path(stage->standing, NULL, "next.\\large", NULL);
}

static enum obv_status stop_observer(struct stage *stage)
{
    const char *const paths[] = {"next.large", "sm\\all", "unheard_of"};
    return obv_stop_observer(&stage->root->object, &stage->other, paths, 3,
                             NULL);
}

static enum obv_status validate(struct stage *stage)
{
    return obv_validate(stage->fixture.item_class, "ne\\xt.next.te\\xt", NULL);
}

static enum obv_status make_class(struct stage *stage)
{
    static struct obv_class_table table;
    table = item_table();
    table.name = "another";
    return obv_class_create(stage->fixture.context, &table, &stage->cls, NULL);
}

static enum obv_status make_subclass(struct stage *stage)
{
    static const struct obv_property own = {.name = "own",
                                            .kind = OBV_KIND_i32,
                                            .offset =
                                                (uint32_t)sizeof(struct item),
                                            .size = 4};
    static struct obv_class_table table;
    table = item_table();
    table.name = "derived";
    table.instance_size = sizeof(struct item) + 8;
    table.superclass = stage->fixture.item_class;
    table.properties = &own;
    table.property_count = 1;
    return obv_class_create(stage->fixture.context, &table, &stage->cls, NULL);
}

static enum obv_status make_loop(struct stage *stage)
{
    return obv_loop_create(stage->fixture.context, NULL, &stage->loop);
}

static enum obv_status copy_string(struct stage *stage)
{
    struct item *root = stage->root;
    enum obv_status status =
        obv_string_copy(stage->fixture.item_class, "a copy", &stage->text);
    if (status == OBV_OK) {
        root->text = stage->text; /* freed by the object's end */
    }
    return status;
}

static enum obv_status set_string(struct stage *stage)
{
    return item_set_text(stage->root, "a longer text");
}

static enum obv_status set_string_by_index(struct stage *stage)
{
    return obv_set_string(&stage->root->object, ITEM_TEXT, "a longer text");
}

static const struct {
    const char *name;
    enum obv_status (*call)(struct stage *stage);
} calls[] = {
    {"obv_observe: property", observe_property},
    {"obv_observe: far property", observe_far_property},
    {"obv_observe: deep path", observe_deep_path},
    {"obv_observe: escaped path", observe_escaped_path},
    {"obv_observe: *", observe_every_property},
    {"obv_observe: unknown", observe_unknown_property},
    {"obv_observe_pairs", observe_pairs},
    {"obv_observe_pairs: immediate", observe_pairs_at_once},
    {"obv_observe_pairs: token", observe_pairs_as_token},
    {"obv_observe_pairs: no path", observe_nothing},
    {"obv_observe_also", observe_more},
    {"obv_stop_path", stop_path},
    {"obv_stop_observer", stop_observer},
    {"obv_validate", validate},
    {"obv_class_create", make_class},
    {"obv_class_create: subclass", make_subclass},
    {"obv_loop_create", make_loop},
    {"obv_string_copy", copy_string},
    {"a string's setter", set_string},
    {"obv_set_string", set_string_by_index},
};

/* One attempt with the n-th allocation failing; whether any has failed. */
static bool attempt(size_t which, size_t n)
{
    struct stage stage;
    stage_begin(&stage);
    stage_observe(&stage);
    struct picture before = picture_of(&stage), after;
    size_t blocks = test_live_blocks();
    test_fail_allocation(n, false);
    enum obv_status status = calls[which].call(&stage);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(status == OBV_OK || (failed && status == OBV_E_MEMORY));
    if (status == OBV_E_MEMORY) {
        after = picture_of(&stage);
        CHECK(memcmp(&before, &after, sizeof after) == 0);
        CHECK(test_live_blocks() >= blocks); /* memory may wait for readers */
        CHECK(!stage.handle && !stage.loop && !stage.cls && !stage.text);
        CHECK_TEXT(item_text(stage.root), NULL);
        CHECK_EQ(calls[which].call(&stage), OBV_OK);
    }
    if (stage.loop) {
        CHECK_EQ(obv_loop_destroy(stage.loop), OBV_OK);
    }
    stage_end(&stage);
    return failed;
}

TEST(FA_2_every_public_call_survives_each_failing_allocation)
{
    size_t failures = 0;
    for (size_t which = 0; which < sizeof calls / sizeof *calls; which++) {
        for (size_t n = 1; attempt(which, n); n++) {
            failures++;
            CHECK(n < 1000); /* one that never succeeds */
        }
    }
    CHECK(failures > sizeof calls / sizeof *calls);
}

TEST(FA_2_a_context_survives_each_failing_allocation)
{
    for (size_t n = 1;; n++) {
        struct obv_context *context = NULL;
        struct obv_context_options options = {.size = sizeof options,
                                              .allocator = test_allocator()};
        test_fail_allocation(n, false);
        enum obv_status status = obv_context_create(&options, &context);
        bool failed = test_allocation_failed();
        test_fail_allocation(0, false);
        if (!failed) {
            CHECK_EQ(status, OBV_OK);
            CHECK_EQ(obv_context_destroy(context), OBV_OK);
            break;
        }
        CHECK_EQ(status, OBV_E_MEMORY);
        CHECK(!context);
        CHECK_EQ(test_live_blocks(), 0);
    }
}

TEST(FA_2_out_of_memory_is_not_the_answer_not_found)
{
    struct stage stage;
    struct obv_error error = {.status = OBV_OK};
    stage_begin(&stage);
    stage_observe(&stage);
    test_fail_allocation(1, true);
    CHECK_EQ(
        obv_validate(stage.fixture.item_class, "nowhere.to_be_found", &error),
        OBV_E_MEMORY);
    CHECK_EQ(obv_stop_path(stage.standing, NULL, "next.small", &error),
             OBV_E_MEMORY);
    CHECK_EQ(error.status, OBV_E_MEMORY);
    CHECK(error.message != NULL);
    test_fail_allocation(0, false);
    stage_end(&stage);
}

/* --- calls that cannot fail ---------------------------------------------- */

TEST(FA_2_delivery_and_stopping_need_no_memory)
{
    struct stage stage;
    stage_begin(&stage);
    stage_observe(&stage);
    CHECK_EQ(observe_deep_path(&stage), OBV_OK);
    test_fail_allocation(1, true);
    item_set_large(stage.middle, 1);
    item_set_small(stage.root, 1);
    obv_schedule(stage.handle);
    CHECK_EQ(drain(&stage.fixture), 2);
    CHECK(obv_execute(stage.handle));
    CHECK_EQ(stage.probe.calls, 2);
    CHECK_EQ(stage.other.calls, 1);
    CHECK_EQ(
        obv_stop_observer(&stage.root->object, &stage.probe, NULL, 0, NULL),
        OBV_OK);
    CHECK(obv_has_ended(stage.handle));
    obv_stop_handler(&stage.root->object, &stage.other.kind, NULL);
    CHECK(obv_has_ended(stage.standing));
    CHECK_EQ(stage.probe.disposed + stage.other.disposed, 2);
    test_fail_allocation(0, false);
    stage_end(&stage);
}

TEST(FA_2_an_objects_end_needs_no_memory)
{
    struct stage stage;
    stage_begin(&stage);
    CHECK_EQ(observe_pairs(&stage), OBV_OK);
    stage_observe(&stage);
    test_fail_allocation(1, true);
    item_set_next(stage.middle, NULL);
    item_release(&stage.leaf->object);
    item_set_next(stage.root, NULL);
    item_release(&stage.middle->object);
    item_release(&stage.root->object);
    CHECK(drain(&stage.fixture) >= 0);
    CHECK(obv_has_ended(stage.handle) && obv_has_ended(stage.standing));
    obv_release(stage.handle);
    obv_release(stage.standing);
    probe_release(&stage.probe);
    probe_release(&stage.other);
    test_fail_allocation(0, false);
    fixture_end(&stage.fixture);
}

/* --- a set always stores ------------------------------------------------- */

TEST(FA_1_a_set_stores_when_the_path_cannot_be_wired)
{
    struct stage stage;
    char text[16];
    stage_begin(&stage);
    struct item *fresh = item_create(&stage.fixture);
    item_set_large(fresh, 7);
    CHECK_EQ(call_observe(&stage, "next.large"), OBV_OK);
    test_fail_allocation(1, true);
    item_set_next(stage.root, fresh);
    test_fail_allocation(0, false);
    CHECK(item_next(stage.root) == fresh);
    CHECK_EQ(obv_observer_count(&stage.middle->object, "large"), 0);
    CHECK_EQ(obv_observer_count(&fresh->object, "large"), 0);
    CHECK_EQ(drain(&stage.fixture), 1); /* it counts as changed */
    CHECK_EQ(stage.fixture.diagnostics, 1);
    CHECK_EQ(stage.fixture.last.kind, OBV_DIAGNOSTIC_MEMORY);
    CHECK_EQ(obv_unresolved_path(stage.handle, 0, text, sizeof text), 10);
    CHECK_TEXT(text, "next.large");
    item_set_large(fresh, 8);
    CHECK_EQ(drain(&stage.fixture), 0);
    item_set_next(stage.root, stage.middle); /* the next change above it */
    item_set_next(stage.root, fresh);
    CHECK_EQ(obv_unresolved_path(stage.handle, 0, NULL, 0), -1);
    CHECK_EQ(obv_observer_count(&fresh->object, "large"), 1);
    CHECK_EQ(drain(&stage.fixture), 1);
    item_set_large(fresh, 9);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.fixture.diagnostics, 1);
    item_release(&fresh->object);
    stage_end(&stage);
}

TEST(FA_1_a_set_stores_whichever_allocation_fails)
{
    for (size_t n = 1;; n++) {
        struct stage stage;
        stage_begin(&stage);
        struct item *fresh = item_create(&stage.fixture);
        struct item *deeper = item_create(&stage.fixture);
        item_set_next(fresh, deeper);
        item_set_text(deeper, "x");
        CHECK_EQ(observe_deep_path(&stage), OBV_OK);
        test_fail_allocation(n, false);
        item_set_next(stage.root, fresh);
        bool failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(item_next(stage.root) == fresh);
        CHECK_EQ(obv_observer_count(&stage.leaf->object, "text"), 0);
        CHECK_EQ(drain(&stage.fixture), 1);
        CHECK(failed || obv_observer_count(&deeper->object, "text") == 1);
        item_set_next(stage.root, stage.middle);
        CHECK_EQ(obv_observer_count(&stage.leaf->object, "text"), 1);
        CHECK_EQ(obv_observer_count(&deeper->object, "text"), 0);
        CHECK_EQ(obv_unresolved_path(stage.handle, 0, NULL, 0), -1);
        CHECK_EQ(drain(&stage.fixture), 1);
        item_release(&fresh->object);
        item_release(&deeper->object);
        stage_end(&stage);
        if (!failed) {
            break;
        }
    }
}

TEST(FA_1_many_that_are_due_are_all_delivered_without_memory)
{
    enum { MANY = 200 };
    static struct probe probes[MANY];
    struct obv_observation *handles[MANY];
    struct stage stage;
    stage_begin(&stage);
    for (size_t i = 0; i < MANY; i++) {
        struct obv_pair pair = {&stage.root->object, "next.large"};
        struct obv_observe_options options = {
            .size = sizeof options, .flags = i % 2 ? OBV_IMMEDIATE : 0};
        probe_init(&probes[i], &stage.fixture);
        CHECK_EQ(obv_observe_pairs(&pair, 1, &probes[i].kind, &probes[i],
                                   &options, &handles[i], NULL),
                 OBV_OK);
    }
    test_fail_allocation(1, true);
    item_set_large(stage.middle, 1);
    item_set_next(stage.root, NULL);
    CHECK_EQ(drain(&stage.fixture), MANY / 2);
    test_fail_allocation(0, false);
    for (size_t i = 0; i < MANY; i++) {
        CHECK_EQ(probes[i].calls, i % 2 ? 2 : 1);
        stop_and_release(handles[i]);
        probe_release(&probes[i]);
    }
    stage_end(&stage);
}
