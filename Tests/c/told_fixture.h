/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract fixture of tests that look at the words of a diagnostic.
 */
#ifndef OBV_TOLD_FIXTURE_H
#define OBV_TOLD_FIXTURE_H

#include "contract_fixture.h"

static struct fixture fixture;
static struct probe probe;
static char told[256];

static void keep_text(void *context, const struct obv_diagnostic *diagnostic)
{
    fixture_diagnose(context, diagnostic);
    CHECK(strlen(diagnostic->text) < sizeof told);
    strcpy(told, diagnostic->text);
}

static void told_begin(void)
{
    struct obv_context_options options = {.size = sizeof options,
                                          .allocator = test_allocator(),
                                          .diagnose = keep_text,
                                          .diagnose_context = &fixture};
    memset(&fixture, 0, sizeof fixture);
    fixture.item_table = item_table();
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &fixture.item_table,
                              &fixture.item_class, NULL),
             OBV_OK);
    probe_init_plain(&probe);
}

#endif
