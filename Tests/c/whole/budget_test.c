/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FA-1, FA-2: a context whose memory is bounded. A random program goes on while
 * its allocator refuses what is past the budget: every set stores; a call that
 * is refused leaves everything as it was; who is not listed as unresolved is
 * told of the last value; what could not be wired is reported once, and is wired
 * again by the next change above it when there is memory.
 */
#include "contract_fixture.h"

enum { ROOTS = 6, SLOTS = 48, STEPS = 20000 };

static size_t budget, in_use, refusals;

static void *allocate(void *unused, size_t size)
{
    (void)unused;
    if (in_use + size > budget) {
        refusals++;
        return NULL;
    }
    in_use += size;
    return test_allocator()->allocate(NULL, size);
}

static void give_back(void *unused, void *block, size_t size)
{
    (void)unused;
    in_use -= size;
    test_allocator()->free(NULL, block, size);
}

static const struct obv_allocator bounded = {allocate, give_back, NULL};

/* One observation of one path; `seen` is what it was told last. */
struct watcher {
    struct probe probe;
    struct obv_observation *handle;
    struct item *root;
    unsigned depth;
    int64_t seen;
    bool was_unresolved;
};

static struct fixture fixture;
static struct item *roots[ROOTS];
static struct watcher watchers[SLOTS];
static size_t memory_reports;

static const char *const paths[] = {"large", "next.large", "next.next.large"};

static int64_t value_of(const struct watcher *watcher)
{
    const struct item *at = watcher->root;
    for (unsigned i = 0; at && i < watcher->depth; i++) {
        at = item_next(at);
    }
    return at ? item_large(at) : -1;
}

static void look(struct probe *probe)
{
    struct watcher *watcher = probe->context;
    watcher->seen = value_of(watcher);
}

static void note(void *unused, const struct obv_diagnostic *diagnostic)
{
    (void)unused;
    CHECK_EQ(diagnostic->kind, OBV_DIAGNOSTIC_MEMORY);
    memory_reports++;
}

static uint64_t draw(uint64_t below)
{
    return test_random() % below;
}

static struct item *chain(uint64_t levels)
{
    struct item *item = item_create(&fixture);
    item->large = (int64_t)draw(50);
    if (levels > 0) {
        item->next = chain(levels - 1); /* a first value, past the setter */
    }
    return item;
}

static bool is_unresolved(const struct watcher *watcher)
{
    return obv_unresolved_path(watcher->handle, 0, NULL, 0) >= 0;
}

/* Refused or made; what is refused leaves nothing. */
static void observe_some(struct watcher *watcher)
{
    struct obv_context *context = fixture.context;
    struct obv_counters before, after;
    watcher->root = roots[draw(ROOTS)];
    watcher->depth = (unsigned)draw(3);
    watcher->seen = value_of(watcher);
    watcher->was_unresolved = false;
    probe_init_plain(&watcher->probe);
    watcher->probe.then = look;
    watcher->probe.context = watcher;
    obv_context_counters(context, &before);
    enum obv_status status = obv_observe(
        &watcher->root->object, paths[watcher->depth], &watcher->probe.kind,
        &watcher->probe, &watcher->handle, NULL);
    obv_context_counters(context, &after);
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    CHECK_EQ(watcher->handle != NULL, status == OBV_OK);
    CHECK_EQ(after.observations - before.observations, status == OBV_OK);
}

static void stop(struct watcher *watcher)
{
    CHECK(obv_stop_and_wait(watcher->handle));
    obv_release(watcher->handle);
    watcher->handle = NULL;
}

static void set_some(struct item *root)
{
    struct item *at = root;
    for (uint64_t down = draw(3); down > 0 && item_next(at); down--) {
        at = item_next(at);
    }
    int64_t value = (int64_t)draw(1000);
    item_set_large(at, value);
    CHECK_EQ(item_large(at), value);
}

static void replace_some(struct item *root)
{
    struct item *parent = root;
    if (draw(2) && item_next(root)) {
        parent = item_next(root);
    }
    struct item *fresh = draw(5) ? chain(draw(2)) : NULL;
    item_set_next(parent, fresh);
    CHECK(item_next(parent) == fresh);
    if (fresh) {
        item_release(&fresh->object);
    }
}

static void check_watchers(void)
{
    while (drain(&fixture) > 0) {
    }
    for (size_t i = 0; i < SLOTS; i++) {
        struct watcher *watcher = &watchers[i];
        if (!watcher->handle) {
            continue;
        }
        bool unresolved = is_unresolved(watcher);
        CHECK(unresolved || watcher->seen == value_of(watcher));
        if (unresolved) { /* let go: nobody may be told from here on */
            CHECK(watcher->depth > 0);
            CHECK(memory_reports > 0);
        }
        watcher->was_unresolved = unresolved;
    }
}

static void step(void)
{
    struct watcher *watcher = &watchers[draw(SLOTS)];
    switch (draw(6)) {
    case 0:
    case 1:
        if (watcher->handle) {
            stop(watcher);
        } else {
            observe_some(watcher);
        }
        break;
    case 2:
        replace_some(roots[draw(ROOTS)]);
        break;
    case 3:
        obv_context_collect(fixture.context);
        break;
    default:
        set_some(roots[draw(ROOTS)]);
        break;
    }
}

/* With memory, the next change above brings everything in line. */
static void recover(void)
{
    budget = SIZE_MAX;
    size_t reports = memory_reports;
    for (int i = 0; i < ROOTS; i++) {
        struct item *fresh = chain(1);
        item_set_next(roots[i], fresh);
        item_release(&fresh->object);
    }
    check_watchers();
    CHECK_EQ(memory_reports, reports);
    for (size_t i = 0; i < SLOTS; i++) {
        CHECK(!watchers[i].handle || !is_unresolved(&watchers[i]));
    }
}

static void run(size_t spare)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = &bounded,
                                                .diagnose = note,
                                                .reclaim_batch = 4};
    budget = SIZE_MAX;
    fixture.item_table = item_table();
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &fixture.item_table,
                              &fixture.item_class, NULL),
             OBV_OK);
    for (int i = 0; i < ROOTS; i++) {
        roots[i] = chain(2);
    }
    budget = in_use + spare;
    for (int i = 0; i < STEPS; i++) {
        step();
        if (i % 4 == 0) {
            check_watchers();
        }
        if (i % 4000 == 3999) {
            recover();
            budget = in_use + spare / 4;
        }
    }
    CHECK(refusals > 100);
    recover();
    for (size_t i = 0; i < SLOTS; i++) {
        if (watchers[i].handle) {
            stop(&watchers[i]);
        }
    }
    CHECK(drain(&fixture) >= 0);
    for (int i = 0; i < ROOTS; i++) {
        item_release(&roots[i]->object);
    }
    fixture_end(&fixture);
    CHECK_EQ(in_use, 0);
}

TEST(FA_1_FA_2_a_program_goes_on_with_little_memory)
{
    run(4096);
    CHECK(memory_reports > 0);
}

TEST(FA_1_FA_2_a_program_goes_on_with_hardly_any_memory)
{
    run(600);
}

/* One report for a set that leaves several paths unwired, none for a set that
   finds them so. */
TEST(FA_1_what_stays_unwired_is_reported_once)
{
    const struct obv_context_options options = {
        .size = sizeof options, .allocator = &bounded, .diagnose = note};
    struct probe probe;
    struct obv_observation *handle;
    budget = SIZE_MAX;
    fixture.item_table = item_table();
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &fixture.item_table,
                              &fixture.item_class, NULL),
             OBV_OK);
    struct item *root = chain(2), *fresh = chain(1);
    probe_init_plain(&probe);
    handle = observe(root, "next.next.large", &probe);
    budget = in_use;
    item_set_next(root, fresh);
    CHECK_EQ(memory_reports, 1);
    item_set_large(fresh, 900);
    item_set_large(item_next(fresh), 901);
    CHECK_EQ(memory_reports, 1);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(drain(&fixture), 0);
    budget = SIZE_MAX;
    end(handle);
    CHECK(drain(&fixture) >= 0);
    item_release(&root->object);
    item_release(&fresh->object);
    fixture_end(&fixture);
}

/* What becomes of it unwatched is not seen; so with the wiring comes a call, also
   where it leads nowhere by then, and by whatever brings it in line. */
static void wired_again(bool by_observing)
{
    const struct obv_context_options options = {
        .size = sizeof options, .allocator = &bounded, .diagnose = note};
    struct probe probe, other;
    struct obv_observation *handle, *second = NULL;
    budget = SIZE_MAX;
    fixture.item_table = item_table();
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &fixture.item_table,
                              &fixture.item_class, NULL),
             OBV_OK);
    struct item *root = chain(2), *fresh = chain(1);
    probe_init_plain(&probe);
    probe_init_plain(&other);
    handle = observe(root, "next.next.large", &probe);
    budget = in_use;
    item_set_next(root, fresh);
    CHECK_EQ(drain(&fixture), 1);
    item_set_next(fresh, NULL);
    CHECK_EQ(drain(&fixture), 0);
    budget = SIZE_MAX;
    if (by_observing) {
        second = observe(root, "next.next.large", &other);
    } else {
        item_set_next(root, NULL);
    }
    CHECK_EQ(obv_unresolved_path(handle, 0, NULL, 0), -1);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(probe.calls, 2);
    CHECK_EQ(other.calls, 0);
    end(handle);
    end(second);
    CHECK(drain(&fixture) >= 0);
    item_release(&root->object);
    item_release(&fresh->object);
    fixture_end(&fixture);
}

TEST(FA_1_what_is_wired_again_by_a_change_is_told)
{
    wired_again(false);
}

TEST(FA_1_what_is_wired_again_by_observing_is_told)
{
    wired_again(true);
}
