/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that come to their end: the registration epoch and the serial numbers
 * in it, the cycle of a loop, numbers of loops, indices of properties. Each is
 * put shortly before it begins anew, or all of it is used up.
 */
#include "contract_fixture.h"

#include "dispatch/loop.h"
#include "model/node.h"

#include <stdio.h>

/* --- the registration epoch ----------------------------------------------- */

enum { WATCHERS = 5 };

static struct probe probes[WATCHERS];
static size_t order[WATCHERS], called;

static void write_down(struct probe *probe)
{
    CHECK(called < WATCHERS);
    order[called++] = (size_t)(probe - probes);
}

/* One change makes all due, whenever they came: in the order of that. */
static void check_order(const struct fixture *fixture, struct item *root)
{
    called = 0;
    item_set_large(item_next(root), item_large(item_next(root)) + 1);
    (void)drain(fixture);
    CHECK_EQ(called, WATCHERS);
    size_t last[2] = {0, 0}; /* delayed, immediate */
    for (size_t i = 0; i < called; i++) {
        CHECK(last[order[i] % 2] <= order[i]);
        last[order[i] % 2] = order[i];
    }
}

/* Registrations, rewirings and drains while the number passes its end. */
static void pass(uint64_t epoch)
{
    struct fixture fixture;
    struct obv_observation *handles[WATCHERS];
    fixture_begin(&fixture);
    struct item *root = item_create(&fixture);
    struct item *middles[2] = {item_create(&fixture), item_create(&fixture)};
    item_set_next(root, middles[0]);
    __atomic_store_n(&obv_detail_registration_epoch, epoch, __ATOMIC_SEQ_CST);
    for (size_t i = 0; i < WATCHERS; i++) {
        probe_init(&probes[i], &fixture);
        probes[i].then = write_down;
        handles[i] = observe_with(root, "next.large", &probes[i],
                                  i % 2 ? OBV_IMMEDIATE : 0, NULL);
        called = 0;
        CHECK_EQ(drain(&fixture), 0); /* it is not called for what was */
    }
    for (int round = 0; round < 8; round++) {
        check_order(&fixture, root);
        called = 0;
        middles[(round + 1) % 2]->large = item_large(item_next(root));
        item_set_next(root, middles[(round + 1) % 2]);
        CHECK_EQ(drain(&fixture), 0); /* equal ends */
        CHECK_EQ(called, 0);
    }
    for (size_t i = 0; i < WATCHERS; i++) {
        end(handles[i]);
        probe_release(&probes[i]);
    }
    item_release(&root->object);
    item_release(&middles[0]->object);
    item_release(&middles[1]->object);
    fixture_end(&fixture);
}

TEST(DR_4_DR_7_registrations_are_in_order_past_two_to_the_32)
{
    for (uint64_t before = 1; before <= WATCHERS + 1; before++) {
        pass(((UINT64_C(1) << 32) - before) << 32 | 1);
        pass(((UINT64_C(1) << 31) - before) << 32 | 1);
    }
}

TEST(KP_3_DR_4_rewirings_and_drains_past_two_to_the_32)
{
    for (uint64_t before = 1; before <= 12; before++) {
        pass(UINT64_C(9) << 32 | ((UINT64_C(1) << 32) - before));
        pass(UINT64_MAX - before);
    }
}

/* --- cycles --------------------------------------------------------------- */

static void set_in_handler(struct probe *probe)
{
    struct item *item = probe->context;
    item_set_large(item, item_large(item) + 1); /* dropped: it is called now */
}

TEST(DR_2_DR_3_a_loop_drains_past_the_last_number_of_a_cycle)
{
    struct fixture fixture;
    struct probe first, second;
    fixture_begin(&fixture);
    struct obv_loop *loop = obv_context_loop(fixture.context);
    struct item *item = item_create(&fixture);
    probe_init(&first, &fixture);
    probe_init(&second, &fixture);
    first.then = set_in_handler;
    first.context = item;
    struct obv_observation *handles[] = {observe(item, "large", &first),
                                         observe(item, "*", &second)};
    for (unsigned bits = 45; bits <= 47; bits++) {
        obv__store_relaxed(&loop->set.cycle, (UINT64_C(1) << bits) - 6);
        first.calls = second.calls = 0;
        for (size_t i = 1; i <= 8; i++) {
            item_set_large(item, (int64_t)(100 * i));
            CHECK_EQ(obv_loop_drain(loop), 2);
            CHECK_EQ(first.calls, i);
            CHECK_EQ(second.calls, i);
            CHECK_EQ(obv_loop_drain(loop), 0);
        }
    }
    end(handles[0]);
    end(handles[1]);
    item_release(&item->object);
    probe_release(&first);
    probe_release(&second);
    fixture_end(&fixture);
}

/* --- numbers of loops ----------------------------------------------------- */

TEST(DR_10_more_loops_than_there_are_numbers_one_after_the_other)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    probe_init(&probe, &fixture);
    for (size_t i = 1; i <= 70000; i++) {
        struct obv_loop *loop;
        CHECK_EQ(obv_loop_create(fixture.context, NULL, &loop), OBV_OK);
        struct obv_observation *handle =
            observe_with(item, "large", &probe, 0, loop);
        item_set_large(item, (int64_t)i);
        CHECK_EQ(obv_loop_drain(loop), 1);
        end(handle);
        CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    }
    CHECK_EQ(probe.calls, 70000);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- properties ----------------------------------------------------------- */

enum { MANY = 65000 };

struct wide {
    struct obv_object object;
    size_t references;
    int32_t values[MANY];
};

static bool wide_retain(struct obv_object *object)
{
    return references_try(&((struct wide *)object)->references);
}

static void wide_release(struct obv_object *object)
{
    if (references_drop(&((struct wide *)object)->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(object);
    }
}

static void make_properties(struct obv_property *properties, char (*names)[8])
{
    for (uint32_t i = 0; i <= MANY; i++) {
        snprintf(names[i], sizeof names[i], "p%u", (unsigned)i);
        properties[i] = (struct obv_property){
            .name = names[i],
            .kind = OBV_KIND_i32,
            .offset = (uint32_t)(offsetof(struct wide, values) + 4 * i),
            .size = 4};
    }
}

TEST(PK_1_WC_1_a_class_of_as_many_properties_as_it_may_have)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_class *cls = NULL;
    struct obv_property *properties = calloc(MANY + 1, sizeof *properties);
    char(*names)[8] = calloc(MANY + 1, sizeof *names);
    CHECK(properties && names);
    make_properties(properties, names);
    static struct obv_class_table table;
    table = (struct obv_class_table){.size = sizeof table,
                                     .name = "wide",
                                     .instance_size = sizeof(struct wide) + 8,
                                     .properties = properties,
                                     .property_count = MANY + 1,
                                     .retain = wide_retain,
                                     .release = wide_release};
    fixture_begin(&fixture);
    CHECK_EQ(obv_class_create(fixture.context, &table, &cls, NULL),
             OBV_E_LIMIT);
    table.property_count = MANY;
    CHECK_EQ(obv_class_create(fixture.context, &table, &cls, NULL), OBV_OK);
    struct wide *wide = calloc(1, sizeof *wide + 8);
    CHECK(wide);
    wide->references = 1;
    obv_object_init(&wide->object, cls);
    probe_init(&probe, &fixture);
    struct obv_observation *handles[2] = {NULL, NULL};
    CHECK_EQ(obv_observe(&wide->object, names[MANY - 1], &probe.kind, &probe,
                         &handles[0], NULL),
             OBV_OK);
    CHECK_EQ(obv_set_i32(&wide->object, MANY - 1, 1), OBV_OK);
    CHECK_EQ(obv_set_i32(&wide->object, MANY - 2, 1), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(
        obv_observe(&wide->object, "*", &probe.kind, &probe, &handles[1], NULL),
        OBV_OK);
    CHECK_EQ(obv_set_i32(&wide->object, MANY - 2, 2), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_set_i32(&wide->object, MANY - 1, 2), OBV_OK);
    CHECK_EQ(drain(&fixture), 2);
    end(handles[0]);
    end(handles[1]);
    wide_release(&wide->object);
    probe_release(&probe);
    fixture_end(&fixture);
    free(properties);
    free(names);
}
