/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that immediate handlers leave until all that a change calls have returned.
 */
#include "contract_fixture.h"

static struct obv_completion completion;
static size_t calls, completed, calls_before, refused;
static struct item *alone; /* set by the first of several, if there is one */

static void complete(struct obv_completion *self)
{
    CHECK(self == &completion);
    completed++;
    calls_before = calls;
}

static void leave(void *observer, struct obv_object *root,
                  const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    calls++;
    refused += !obv_complete_later(&completion);
    if (alone && calls == 1) {
        item_set_large(alone, 7);
        CHECK_EQ(calls, 2);
        CHECK_EQ(refused, 1); /* who is called alone is behind nobody */
    }
}

static void observe_now(struct item *root, const char *path)
{
    static const struct obv_handler_kind leaving = {.changed = leave};
    const struct obv_pair pair = {&root->object, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &leaving, NULL, &options, NULL, NULL),
             OBV_OK);
}

static void follow_one_from_three(bool sets_another)
{
    struct fixture fixture;
    struct item *roots[3];
    fixture_begin(&fixture);
    completion = (struct obv_completion){.complete = complete};
    calls = completed = calls_before = refused = 0;
    struct item *end = item_create(&fixture), *other = item_create(&fixture);
    alone = sets_another ? other : NULL;
    observe_now(other, "large");
    for (size_t i = 0; i < 3; i++) {
        roots[i] = item_create(&fixture);
        item_set_next(roots[i], end);
        observe_now(roots[i], "next.large");
    }
    item_set_large(end, 1);
    CHECK_EQ(calls, sets_another ? 4 : 3);
    CHECK_EQ(completed, 1);
    CHECK_EQ(calls_before, calls);
    alone = NULL;
    item_set_large(end, 2);
    CHECK_EQ(completed, 2);
    CHECK_EQ(calls_before, calls);
    for (size_t i = 0; i < 3; i++) {
        item_release(&roots[i]->object);
    }
    item_release(&other->object);
    item_release(&end->object);
    fixture_end(&fixture);
}

TEST(IM_1_work_that_is_left_is_done_once_behind_all_calls)
{
    follow_one_from_three(false);
}

TEST(IM_1_work_of_another_change_is_not_left_behind_it)
{
    follow_one_from_three(true);
}

TEST(IM_1_outside_of_handlers_no_work_is_left)
{
    completion = (struct obv_completion){.complete = complete};
    CHECK(!obv_complete_later(&completion));
}
