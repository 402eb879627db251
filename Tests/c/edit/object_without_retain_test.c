/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects without hooks, which nothing holds, that end in a handler of the set
 * that is under way (RE-2): the set looks at them no more.
 */
#include "contract_fixture.h"

static struct fixture fixture;
static struct obv_class *unretained;
/* What the next call ends; NULL: nothing. */
static struct item *mortal;

static struct item *unretained_create(void)
{
    struct item *item = calloc(1, sizeof *item);
    CHECK(item);
    obv_object_init(&item->object, unretained);
    return item;
}

static void unretained_end(struct item *item)
{
    CHECK_EQ(obv_object_deinit(&item->object), OBV_OK);
    memset(item, 0x5A, sizeof *item);
    free(item);
}

static void end_mortal(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)root;
    if (!call->is_prior) {
        ((struct probe *)observer)->calls++;
        struct item *item = mortal;
        mortal = NULL;
        unretained_end(item);
    }
}

static void begin(struct probe *probe)
{
    static struct obv_class_table table;
    fixture_begin(&fixture);
    table = item_table();
    table.name = "unretained";
    table.retain = NULL;
    table.release = NULL;
    CHECK_EQ(obv_class_create(fixture.context, &table, &unretained, NULL),
             OBV_OK);
    probe_init(probe, &fixture);
    probe->kind.changed = end_mortal;
}

static void finish(struct probe *probe)
{
    probe_release(probe);
    fixture_end(&fixture);
}

/* --- what is set --------------------------------------------------------- */

static const uint8_t zeros[6], ones[6] = {1, 1, 1, 1, 1, 1};

static void put_large(struct item *item, bool is_same)
{
    item_set_large(item, !is_same);
}

static void put_shared(struct item *item, bool is_same)
{
    item_set_shared(item, !is_same);
}

static void put_text(struct item *item, bool is_same)
{
    CHECK_EQ(item_set_text(item, is_same ? NULL : "text"), OBV_OK);
}

static void put_bytes(struct item *item, bool is_same)
{
    item_set_bytes(item, is_same ? zeros : ones);
}

static void put_next(struct item *item, bool is_same)
{
    item_set_next(item, is_same ? NULL : item);
}

static void trigger_shared(struct item *item, bool is_same)
{
    const int64_t old = item_shared(item);
    __atomic_store_n(&item->shared, !is_same, __ATOMIC_SEQ_CST);
    CHECK_EQ(obv_trigger(&item->object, ITEM_SHARED, &old, NULL), OBV_OK);
}

static const struct {
    const char *path;
    void (*set)(struct item *item, bool is_same);
} deeds[] = {{"large", put_large}, {"shared", put_shared},
             {"text", put_text},   {"bytes", put_bytes},
             {"next", put_next},   {"shared", trigger_shared},
             {"*", put_shared}};

enum { DEEDS = sizeof deeds / sizeof deeds[0] };

/* --- the root ------------------------------------------------------------ */

/* Two observe; who is called first ends the root for both. */
static void end_in_set(size_t deed, const struct obv_observe_options *options,
                       bool is_same)
{
    struct obv_observation *handles[2];
    struct probe probe;
    begin(&probe);
    struct item *item = mortal = unretained_create();
    const struct obv_pair pair = {&item->object, deeds[deed].path};
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(obv_observe_pairs(&pair, 1, &probe.kind, &probe, options,
                                   &handles[i], NULL),
                 OBV_OK);
    }
    deeds[deed].set(item, is_same);
    make_inbound_edits(&fixture);
    CHECK(!mortal);
    CHECK_EQ(probe.calls, 1);
    for (size_t i = 0; i < 2; i++) {
        CHECK(obv_has_ended(handles[i]));
        obv_release(handles[i]);
    }
    finish(&probe);
}

TEST(RE_2_a_root_without_hooks_ends_in_a_handler_of_its_own_set)
{
    static const uint32_t manners[] = {0, OBV_RECORDS, OBV_PRIOR, OBV_NET,
                                       OBV_ANY_ELEMENT};
    for (size_t i = 0; i < DEEDS * sizeof manners / sizeof manners[0]; i++) {
        struct obv_observe_options options = {.size = sizeof options,
                                              .flags = OBV_IMMEDIATE |
                                                       manners[i / DEEDS]};
        end_in_set(i % DEEDS, &options, false);
        options.compare = OBV_COMPARE_ALWAYS_DIFFERENT;
        end_in_set(i % DEEDS, &options, false);
        end_in_set(i % DEEDS, &options, true);
    }
}

/* Whether there was an n-th allocation, which is refused. What cannot follow the
   root is called without it. */
static bool end_while_short(size_t deed, size_t n)
{
    struct obv_observation *whole, *own;
    struct probe probe, other;
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    begin(&probe);
    probe_init(&other, &fixture);
    struct item *item = mortal = unretained_create();
    const struct obv_pair pair = {&item->object, deeds[deed].path};
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options, &own, NULL),
        OBV_OK);
    CHECK_EQ(obv_observe_class(unretained, deeds[deed].path, &other.kind,
                               &other, NULL, &whole, NULL),
             OBV_OK);
    test_fail_allocation(n, false);
    deeds[deed].set(item, false);
    bool was_short = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(!mortal);
    (void)drain(&fixture);
    end(whole);
    obv_release(own);
    probe_release(&other);
    finish(&probe);
    return was_short;
}

TEST(RE_2_FA_2_OS_3_nobody_looks_at_a_root_that_went_while_memory_was_short)
{
    for (size_t deed = 0; deed < DEEDS; deed++) {
        size_t n = 1;
        /* A string's copy is refused, and nothing set. */
        while (deeds[deed].set != put_text && end_while_short(deed, n)) {
            n++;
        }
        CHECK(n > 2 || deeds[deed].set == put_text);
    }
}

/* Frees what can be freed, as a program may at any time. */
static void release_and_collect(struct obv_object *object)
{
    item_release(object);
    obv_context_collect(fixture.context);
    obv_context_collect(fixture.context);
}

/* The same of a root whose set lets go of an object: between the handlers and
   the last look. */
static bool end_and_collect_while_short(struct obv_class *collecting, size_t n)
{
    struct obv_observation *whole, *own;
    struct probe probe, other;
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    probe_init(&probe, &fixture);
    probe.kind.changed = end_mortal;
    probe_init(&other, &fixture);
    struct item *root = mortal = unretained_create();
    struct item *next = item_create(&fixture);
    obv_object_init(&next->object, collecting);
    root->next = next; /* the reference is the root's */
    const struct obv_pair pair = {&root->object, "next"};
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options, &own, NULL),
        OBV_OK);
    CHECK_EQ(obv_observe_class(unretained, "next", &other.kind, &other, NULL,
                               &whole, NULL),
             OBV_OK);
    test_fail_allocation(n, false);
    item_set_next(root, NULL);
    bool was_short = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(!mortal);
    (void)drain(&fixture);
    end(whole);
    obv_release(own);
    probe_release(&probe);
    probe_release(&other);
    return was_short;
}

TEST(RE_2_FA_2_OS_3_what_a_set_lets_go_of_may_collect_while_memory_is_short)
{
    static struct obv_class_table table;
    struct obv_class *collecting;
    struct probe probe;
    begin(&probe);
    table = item_table();
    table.name = "collecting";
    table.release = release_and_collect;
    CHECK_EQ(obv_class_create(fixture.context, &table, &collecting, NULL),
             OBV_OK);
    size_t n = 1;
    while (end_and_collect_while_short(collecting, n)) {
        n++;
    }
    CHECK(n > 2);
    finish(&probe);
}

/* --- what it has held ---------------------------------------------------- */

TEST(RE_2_what_a_set_has_replaced_without_hooks_ends_in_a_handler)
{
    static const char *const paths[] = {"next", "next.large", "next.*"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct obv_observation *handle;
        struct probe probe;
        begin(&probe);
        struct item *root = item_create(&fixture);
        item_set_next(root, mortal = unretained_create());
        const struct obv_pair pair = {&root->object, paths[i]};
        CHECK_EQ(obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options,
                                   &handle, NULL),
                 OBV_OK);
        item_set_next(root, NULL);
        CHECK_EQ(probe.calls, 1);
        end(handle);
        item_release(&root->object);
        finish(&probe);
    }
}

/* --- a call that is to come ---------------------------------------------- */

/* Sets its root again, so that it is to be called once more; stops, and ends the
   root. */
static void set_again_and_end(void *observer, struct obv_object *root,
                              const struct obv_call *call)
{
    (void)call;
    ((struct probe *)observer)->calls++;
    struct item *item = mortal;
    mortal = NULL;
    item_set_large(item, 2);
    CHECK_EQ(obv_stop_observer(root, observer, NULL, 0, NULL), OBV_OK);
    unretained_end(item);
}

TEST(RE_2_ST_4_a_call_that_is_taken_back_looks_at_no_root_that_went)
{
    struct obv_observe_options options = {.size = sizeof options,
                                          .flags = OBV_DEFER};
    struct obv_observation *handle;
    struct probe probe;
    begin(&probe);
    probe.kind.changed = set_again_and_end;
    struct item *item = mortal = unretained_create();
    const struct obv_pair pair = {&item->object, "large"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options, &handle,
                               NULL),
             OBV_OK);
    item_set_large(item, 1);
    CHECK(drain(&fixture) >= 0);
    CHECK(drain(&fixture) >= 0);
    CHECK(!mortal);
    CHECK_EQ(probe.calls, 1);
    obv_release(handle);
    finish(&probe);
}
