/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers that call each other without end: what is reported of them, and when.
 */
#include "contract_fixture.h"

#include <stdio.h>

static struct fixture fixture;
static struct item *item;
static struct probe first, second;
static struct obv_observation *handles[2];
static size_t reports;
static bool changes_too; /* the hook */
static char text[2048], label[64];
static uint32_t line;

static void keep_report(void *context, const struct obv_diagnostic *diagnostic)
{
    (void)context;
    CHECK_EQ(diagnostic->kind, OBV_DIAGNOSTIC_ENDLESS);
    reports++;
    (void)snprintf(text, sizeof text, "%s", diagnostic->text);
    (void)snprintf(label, sizeof label, "%s",
                   diagnostic->label ? diagnostic->label : "(none)");
    line = diagnostic->line;
    if (changes_too) {
        item_set_real(item, item_real(item) + 1.0);
    }
}

/* Each sets what the other observes, and the values never settle. */
static void set_own(struct probe *probe)
{
    (void)probe;
    item_set_small(item, item_small(item) + 1);
}

static void set_other(struct probe *probe)
{
    (void)probe;
    item_set_large(item, item_large(item) + 1);
}

static void begin(void)
{
    struct obv_context_options options = {.size = sizeof options,
                                          .allocator = test_allocator(),
                                          .diagnose = keep_report};
    memset(&fixture, 0, sizeof fixture);
    fixture.item_table = item_table();
    fixture.probe_table =
        (struct obv_class_table){.size = sizeof fixture.probe_table,
                                 .name = "probe",
                                 .instance_size = sizeof(struct probe),
                                 .retain = probe_object_retain,
                                 .release = probe_object_release};
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &fixture.item_table,
                              &fixture.item_class, NULL),
             OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &fixture.probe_table,
                              &fixture.probe_class, NULL),
             OBV_OK);
    item = item_create(&fixture);
    probe_init(&first, &fixture);
    probe_init(&second, &fixture);
    first.then = set_own;
    first.kind.label = "first";
    first.kind.file = "cell.c";
    first.kind.line = 12;
    second.then = set_other;
    second.kind.label = "second\n";
    handles[0] = observe(item, "large", &first);
    handles[1] = observe(item, "small", &second);
    reports = 0;
}

static void finish(void)
{
    first.then = second.then = NULL;
    (void)drain(&fixture);
    end(handles[0]);
    end(handles[1]);
    probe_release(&first);
    probe_release(&second);
    item_release(&item->object);
    fixture_end(&fixture);
}

TEST(DR_15_the_report_names_those_that_were_called_last)
{
    begin();
    item_set_large(item, 1);
    for (int i = 0; i < 1000; i++) {
        CHECK_EQ(drain(&fixture), 2);
    }
    CHECK_EQ(reports, 0);
    CHECK_EQ(drain(&fixture), 2);
    CHECK_EQ(reports, 1);
    CHECK(strstr(text, " first (cell.c:12)"));
    CHECK(strstr(text, " second\\n"));
    CHECK_TEXT(label, "second\n");
    CHECK_EQ(line, 0);
    finish();
}

TEST(DR_15_a_drain_with_a_limit_is_a_cycle_as_well)
{
    struct obv_loop *loop;
    begin();
    loop = obv_context_loop(fixture.context);
    item_set_large(item, 1);
    CHECK_EQ(obv_loop_drain_some(loop, 1), 1);
    for (int i = 0; i < 999; i++) {
        CHECK_EQ(obv_loop_drain_some(loop, 1), 1);
    }
    CHECK_EQ(reports, 0);
    CHECK_EQ(obv_loop_drain_some(loop, 1), 1);
    CHECK_EQ(reports, 1);
    finish();
}

/* What the hook changes is a change like any other: it is kept. */
TEST(DR_15_the_hook_may_change_what_is_observed)
{
    struct probe third;
    begin();
    probe_init(&third, &fixture);
    struct obv_observation *handle = observe(item, "real", &third);
    changes_too = true;
    item_set_large(item, 1);
    for (int i = 0; i < 1001; i++) {
        CHECK_EQ(drain(&fixture), 2);
    }
    CHECK_EQ(reports, 1);
    CHECK_EQ(third.calls, 0);
    CHECK_EQ(drain(&fixture), 3);
    CHECK_EQ(third.calls, 1);
    changes_too = false;
    end(handle);
    probe_release(&third);
    finish();
}

TEST(DR_15_many_calls_are_named_as_far_as_there_is_room)
{
    struct probe more[40];
    struct obv_observation *of_more[40];
    begin();
    for (int i = 0; i < 40; i++) {
        probe_init(&more[i], &fixture);
        more[i].kind.label = "a label of some length, that fills the text";
        of_more[i] = observe(item, "small", &more[i]);
    }
    item_set_large(item, 1);
    for (int i = 0; i < 1001; i++) {
        CHECK_EQ(drain(&fixture), 42);
    }
    CHECK_EQ(reports, 1);
    CHECK(strlen(text) < sizeof text - 1);
    for (int i = 0; i < 40; i++) {
        end(of_more[i]);
        probe_release(&more[i]);
    }
    finish();
}
