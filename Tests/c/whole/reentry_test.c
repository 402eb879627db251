/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RE-5: no library lock is held while any user code runs. Every kind of hook
 * tries to take every path back in; one that meets a held lock never returns,
 * and the frame's alarm ends the test.
 */
#include "contract_fixture.h"

#include <stdio.h>

/* --- re-entrancy --------------------------------------------------------- */

/* What take_everything() works on, and what has called it. */
static struct {
    struct fixture fixture;
    struct item *root, *middle;
    bool inside;
    int classes;
    /* Kept to the end: a kind lives until `dispose`. */
    struct probe probes[64];
    int handlers, disposals, diagnostics, wakes, releases, turns;
} lively;

static void count_name(void *count, const char *name)
{
    *(int *)count += name[0] != '\0';
}

static void make_another_class(void)
{
    static char names[64][12];
    static struct obv_class_table tables[64];
    struct obv_class *cls;
    int n = lively.classes++;
    CHECK(n < 64);
    snprintf(names[n], sizeof names[n], "class%d", n);
    tables[n] = item_table();
    tables[n].name = names[n];
    CHECK_EQ(obv_class_create(lively.fixture.context, &tables[n], &cls, NULL),
             OBV_OK);
}

static void make_another_loop(void)
{
    struct obv_loop *loop;
    int descriptor;
    CHECK_EQ(obv_loop_create(lively.fixture.context, NULL, &loop), OBV_OK);
    CHECK_EQ(obv_loop_descriptor(loop, &descriptor), OBV_OK);
    CHECK_EQ(obv_loop_pending(loop), 0);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
}

/* Takes every path into the library that takes a lock, on the very objects,
   properties and paths that the hook was called for. */
static void take_everything(int *count)
{
    if (lively.inside) {
        return;
    }
    lively.inside = true;
    ++*count;
    struct probe *probe = &lively.probes[lively.classes];
    int names = 0;
    struct item *root = lively.root;
    struct obv_pair more = {&root->object, "large"};
    probe_init_plain(probe);
    struct obv_observation *handle = observe_with(
        root, "next.next.large", probe, OBV_EXTENSIBLE | OBV_TOKEN, NULL);
    CHECK_EQ(obv_observe_also(handle, &more, 1, NULL), OBV_OK);
    CHECK(obv_observer_count(&root->object, "next") >= 1);
    obv_observed_properties(&root->object, count_name, &names);
    CHECK(names >= 2);
    CHECK_EQ(obv_validate(lively.fixture.item_class, "next.large", NULL),
             OBV_OK);
    CHECK_EQ(obv_unresolved_path(handle, 0, NULL, 0), -1);
    item_set_next(root, NULL); /* lets go of the path, and takes it up */
    item_set_next(root, lively.middle);
    item_set_large(root, item_large(root) + 1);
    obv_schedule(handle);
    CHECK_EQ(obv_stop_path(handle, &root->object, "large", NULL), OBV_OK);
    CHECK_EQ(obv_stop_observer(&root->object, probe, NULL, 0, NULL), OBV_OK);
    obv_stop_handler(&root->object, &probe->kind, NULL);
    end(handle);
    make_another_class();
    make_another_loop();
    struct item *item = item_create(&lively.fixture);
    obv_release(observe(item, "next.large", probe));
    item_release(&item->object);
    lively.inside = false;
}

static void lively_release(struct obv_object *object)
{
    if (object == &lively.middle->object) {
        take_everything(&lively.releases);
    }
    item_release(object);
}

static void lively_observed(struct obv_object *object, uint32_t property,
                            bool is_observed)
{
    (void)object;
    (void)property;
    (void)is_observed;
    take_everything(&lively.turns);
}

static void lively_handler(struct probe *probe)
{
    (void)probe;
    take_everything(&lively.handlers);
}

static void lively_dispose(const struct obv_handler_kind *kind, void *observer)
{
    probe_dispose(kind, observer);
    take_everything(&lively.disposals);
}

static void lively_diagnose(void *context,
                            const struct obv_diagnostic *diagnostic)
{
    (void)context;
    (void)diagnostic;
    take_everything(&lively.diagnostics);
}

static void lively_wake(void *context)
{
    (void)context;
    take_everything(&lively.wakes);
}

/* `observed`: also where the objects are told of being observed. */
static void lively_begin_with(bool observed)
{
    struct obv_context_options options = {
        .size = sizeof options,
        .allocator = test_allocator(),
        .diagnose = lively_diagnose,
    };
    struct fixture *fixture = &lively.fixture;
    fixture->item_table = item_table();
    fixture->item_table.release = lively_release;
    fixture->item_table.observed_changed = observed ? lively_observed : NULL;
    lively.inside = true; /* until all of it is there */
    CHECK_EQ(obv_context_create(&options, &fixture->context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture->context, &fixture->item_table,
                              &fixture->item_class, NULL),
             OBV_OK);
    lively.root = item_create(fixture);
    lively.middle = item_create(fixture);
    item_set_next(lively.root, lively.middle);
    lively.inside = false;
}

static void lively_begin(void)
{
    lively_begin_with(false);
}

static void lively_end(void)
{
    lively.inside = true;
    CHECK(drain(&lively.fixture) >= 0);
    item_release(&lively.root->object);
    item_release(&lively.middle->object);
    fixture_end(&lively.fixture);
}

static void lively_probe(struct probe *probe)
{
    probe_init_plain(probe);
    probe->kind.dispose = lively_dispose;
    probe->then = lively_handler;
}

TEST(RE_5_immediate_handlers_may_call_every_function_that_takes_a_lock)
{
    struct probe probe;
    lively_begin();
    lively_probe(&probe);
    struct obv_observation *handle =
        observe_with(lively.root, "next.large", &probe, OBV_IMMEDIATE, NULL);
    item_set_large(lively.middle, 1);
    CHECK_EQ(lively.handlers, 1);
    item_set_next(lively.root, NULL);
    CHECK_EQ(lively.handlers, 2);
    lively.inside = true;
    end(handle);
    lively_end();
}

TEST(RE_5_delayed_handlers_may_call_every_function_that_takes_a_lock)
{
    struct probe probe;
    lively_begin();
    lively_probe(&probe);
    struct obv_observation *handle = observe(lively.root, "next.large", &probe);
    item_set_large(lively.middle, 1);
    CHECK_EQ(drain(&lively.fixture), 1);
    CHECK_EQ(lively.handlers, 1);
    CHECK(obv_execute(handle));
    CHECK_EQ(lively.handlers, 2);
    lively.inside = true;
    end(handle);
    lively_end();
}

TEST(RE_5_dispose_hooks_may_call_every_function_that_takes_a_lock)
{
    struct probe probe;
    lively_begin();
    lively_probe(&probe);
    end(observe(lively.root, "next.large", &probe));
    CHECK_EQ(lively.disposals, 1);
    struct obv_observation *handle = observe(lively.root, "next.large", &probe);
    CHECK_EQ(obv_stop_path(handle, NULL, "next.large", NULL), OBV_OK);
    CHECK_EQ(lively.disposals, 2);
    obv_release(handle);
    obv_release(observe(lively.root, "large", &probe));
    CHECK_EQ(obv_stop_observer(&lively.root->object, &probe, NULL, 0, NULL),
             OBV_OK);
    CHECK_EQ(lively.disposals, 3);
    obv_release(observe(lively.root, "next", &probe));
    obv_stop_handler(&lively.root->object, &probe.kind, NULL);
    CHECK_EQ(lively.disposals, 4);
    struct item *item = item_create(&lively.fixture);
    obv_release(observe(item, "next.large", &probe));
    item_release(&item->object);
    CHECK_EQ(lively.disposals, 5);
    lively_end();
}

TEST(RE_5_the_diagnostics_hook_may_call_every_function_that_takes_a_lock)
{
    struct probe probe;
    lively_begin();
    lively_probe(&probe);
    struct obv_observation *handle = observe(lively.root, "nope", &probe);
    CHECK_EQ(lively.diagnostics, 1);
    lively.inside = true;
    end(handle);
    lively_end();
}

TEST(RE_5_release_hooks_may_call_every_function_that_takes_a_lock)
{
    struct probe probe;
    lively_begin();
    lively_probe(&probe);
    struct obv_observation *handle = observe(lively.root, "next.large", &probe);
    item_set_next(lively.root, NULL);
    CHECK(lively.releases >= 1);
    int before = lively.releases;
    item_set_next(lively.root, lively.middle);
    struct obv_observation *other = observe(lively.middle, "large", &probe);
    item_set_large(lively.middle, 1);
    lively.handlers = 0;
    CHECK(drain(&lively.fixture) >= 1); /* lets go of what was pending */
    CHECK(lively.releases > before);
    lively.inside = true;
    end(handle);
    end(other);
    lively_end();
}

/* Whether the hook has been called since this was asked last. */
static bool has_turned(void)
{
    static int before;
    bool has = lively.turns > before;
    before = lively.turns;
    return has;
}

TEST(RE_5_hooks_of_being_observed_may_call_every_function_that_takes_a_lock)
{
    struct probe probe;
    struct obv_pair more = {NULL, "flag"};
    lively_begin_with(true);
    probe_init_plain(&probe);
    struct obv_observation *handle =
        observe_with(lively.root, "next.large", &probe, OBV_EXTENSIBLE, NULL);
    CHECK(has_turned());
    item_set_next(lively.root, NULL); /* the hook puts it back */
    CHECK(has_turned());
    more.root = &lively.middle->object;
    CHECK_EQ(obv_observe_also(handle, &more, 1, NULL), OBV_OK);
    CHECK(has_turned());
    CHECK_EQ(obv_stop_path(handle, NULL, "flag", NULL), OBV_OK);
    CHECK(has_turned());
    CHECK_EQ(obv_stop_observer(&lively.root->object, &probe, NULL, 0, NULL),
             OBV_OK);
    CHECK(has_turned());
    obv_release(handle);
    struct item *item = item_create(&lively.fixture);
    item_set_next(item, lively.middle);
    obv_release(observe(item, "next.large", &probe));
    CHECK(has_turned());
    item_release(&item->object); /* the middle is told */
    CHECK(has_turned());
    lively_end();
}

TEST(RE_5_the_wake_hook_may_call_every_function_that_takes_a_lock)
{
    struct probe probe;
    struct obv_loop *loop;
    struct obv_loop_options options = {.size = sizeof options,
                                       .wake = lively_wake};
    lively_begin();
    lively_probe(&probe);
    CHECK_EQ(obv_loop_create(lively.fixture.context, &options, &loop), OBV_OK);
    struct obv_observation *handle =
        observe_with(lively.root, "next.large", &probe, 0, loop);
    item_set_large(lively.middle, 1);
    CHECK_EQ(lively.wakes, 1);
    lively.inside = true;
    CHECK_EQ(obv_loop_drain(loop), 1);
    end(handle);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    lively_end();
}
