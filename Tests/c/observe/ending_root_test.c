/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges of the contract that need a certain order of ends, stops and failures;
 * each of these once went, or could easily go, wrong. Useful under the address
 * sanitizer above all.
 */
#include "contract_fixture.h"

/* A class of objects that nothing keeps alive, on the heap, so that a sanitizer
   sees who looks at a dead one. */
struct bare {
    struct obv_object object;
    int32_t value;
};
OBV_PROPERTY(bare, value, i32, 0)

static const struct obv_property bare_properties[] = {
    OBV_FIELD(bare, value, i32)};

static const struct obv_class_table bare_table = {.size = sizeof bare_table,
                                                  .name = "bare",
                                                  .instance_size =
                                                      sizeof(struct bare),
                                                  .properties = bare_properties,
                                                  .property_count = 1};

static struct bare *bare_create(const struct fixture *fixture)
{
    static struct obv_class *cls;
    struct bare *bare = calloc(1, sizeof *bare);
    CHECK(bare);
    if (!cls) {
        CHECK_EQ(obv_class_create(fixture->context, &bare_table, &cls, NULL),
                 OBV_OK);
    }
    obv_object_init(&bare->object, cls);
    return bare;
}

static void bare_end(struct bare *bare)
{
    CHECK_EQ(obv_object_deinit(&bare->object), OBV_OK);
    free(bare);
}

static void end_item(struct item *item)
{
    item_release(&item->object);
}

static void end_probe(struct probe *probe)
{
    probe_release(probe);
}

TEST(LT_2_a_root_without_hooks_takes_a_stopped_pending_call_with_it)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_observation *handle;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct bare *root = bare_create(&fixture);
    CHECK_EQ(
        obv_observe(&root->object, "value", &probe.kind, &probe, &handle, NULL),
        OBV_OK);
    bare_set_value(root, 1);
    end(handle);
    bare_end(root);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.calls, 0);
    CHECK_EQ(probe.disposed, 1);
    end_probe(&probe);
    fixture_end(&fixture);
}

TEST(LT_2_a_root_without_hooks_takes_a_stopped_groups_pending_call_with_it)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_observation *handle;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct bare *one = bare_create(&fixture), *other = bare_create(&fixture);
    const struct obv_pair pairs[] = {{&one->object, "value"},
                                     {&other->object, "value"}};
    CHECK_EQ(
        obv_observe_pairs(pairs, 2, &probe.kind, &probe, NULL, &handle, NULL),
        OBV_OK);
    bare_set_value(one, 1);
    end(handle);
    bare_end(one);
    bare_end(other);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.calls, 0);
    CHECK_EQ(probe.disposed, 1);
    end_probe(&probe);
    fixture_end(&fixture);
}

/* The call was for an object that nothing held; another has come to its place. */
TEST(LT_2_a_root_at_the_address_of_another_is_held_as_itself)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_observation *handle;
    struct obv_class *cls;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    CHECK_EQ(obv_class_create(fixture.context, &bare_table, &cls, NULL),
             OBV_OK);
    struct item *other = item_create(&fixture), *item = calloc(1, sizeof *item);
    CHECK(item);
    struct bare *bare = (struct bare *)(void *)item;
    obv_object_init(&bare->object, cls);
    const struct obv_pair pairs[] = {{&bare->object, "value"},
                                     {&other->object, "small"}};
    CHECK_EQ(
        obv_observe_pairs(pairs, 2, &probe.kind, &probe, NULL, &handle, NULL),
        OBV_OK);
    bare_set_value(bare, 1);
    CHECK_EQ(obv_object_deinit(&bare->object), OBV_OK);
    memset(item, 0, sizeof *item);
    item->references = 1;
    obv_object_init(&item->object, fixture.item_class);
    const struct obv_pair here = {&item->object, "small"};
    CHECK_EQ(obv_observe_also(handle, &here, 1, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(item->references, 1);
    CHECK_EQ(other->references, 1);
    end(handle);
    end_item(item);
    end_item(other);
    end_probe(&probe);
    fixture_end(&fixture);
}

TEST(ST_3_stopping_a_path_after_the_end_looks_at_no_dead_root)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *root = item_create(&fixture);
    struct obv_observation *handle = observe(root, "small", &probe);
    obv_stop(handle);
    end_item(root);
    CHECK_EQ(obv_stop_path(handle, NULL, "small", NULL), OBV_OK);
    obv_schedule(handle);
    CHECK(!obv_execute(handle));
    CHECK_EQ(obv_unresolved_path(handle, 0, NULL, 0), -1);
    obv_release(handle);
    end_probe(&probe);
    fixture_end(&fixture);
}

TEST(FA_1_what_lies_below_an_unwired_element_counts_as_changed)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *root = item_create(&fixture), *middle = item_create(&fixture),
                *last = item_create(&fixture);
    struct obv_observation *handle =
        observe(root, "next.next.next.small", &probe);
    item_set_next(middle, last);
    item_set_next(last, middle);
    item_set_small(middle, 5);
    test_fail_allocation(1, true);
    item_set_next(root, middle);
    test_fail_allocation(0, false);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(probe.calls, 1);
    char text[64];
    CHECK(obv_unresolved_path(handle, 0, text, sizeof text) > 0);
    CHECK_TEXT(text, "next.next.next.small");
    item_set_next(root, NULL);
    item_set_next(root, middle);
    drain(&fixture);
    CHECK_EQ(obv_unresolved_path(handle, 0, NULL, 0), -1);
    item_set_next(last, NULL);
    end(handle);
    end_item(root);
    end_item(middle);
    end_item(last);
    drain(&fixture);
    end_probe(&probe);
    fixture_end(&fixture);
}

TEST(EQ_2_an_endpoint_in_the_edited_slot_itself_is_compared_with_what_it_was)
{
    struct fixture fixture;
    struct probe probe, every;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    probe_init(&every, &fixture);
    struct item *root = item_create(&fixture), *other = item_create(&fixture);
    item_set_next(root, root);
    item_set_next(other, other);
    struct obv_observation *two = observe(root, "next.next", &probe);
    struct obv_observation *any = observe(root, "next.*", &every);
    item_set_next(root, other);
    /* It was `root`, and is `other`. */
    drain(&fixture);
    CHECK_EQ(probe.calls, 1);
    CHECK_EQ(every.calls, 1);
    item_set_next(other, NULL);
    item_set_next(root, NULL);
    end(two);
    end(any);
    drain(&fixture);
    end_item(root);
    end_item(other);
    end_probe(&probe);
    end_probe(&every);
    fixture_end(&fixture);
}

static void end_bare_root(struct probe *probe)
{
    bare_end(probe->context);
}

static void destroys_its_root(uint32_t flags, bool group, bool by_hand)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_observation *handle;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct bare *root = bare_create(&fixture);
    struct obv_pair pair = {&root->object, "value"};
    struct obv_observe_options options = {
        .size = sizeof options,
        .flags = flags | (group ? (uint32_t)OBV_EXTENSIBLE : 0)};
    probe.then = end_bare_root;
    probe.context = root;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options, &handle,
                               NULL),
             OBV_OK);
    if (by_hand) {
        CHECK(obv_execute(handle));
    } else {
        bare_set_value(root, 1);
    }
    drain(&fixture);
    CHECK_EQ(probe.calls, 1);
    CHECK(obv_has_ended(handle));
    obv_release(handle);
    CHECK_EQ(probe.disposed, 1);
    end_probe(&probe);
    fixture_end(&fixture);
}

TEST(RE_2_a_root_without_hooks_may_go_in_its_own_handler)
{
    destroys_its_root(0, false, false);
}

TEST(RE_2_a_root_without_hooks_may_go_in_its_own_immediate_handler)
{
    destroys_its_root(OBV_IMMEDIATE, false, false);
}

TEST(RE_2_a_root_without_hooks_may_go_in_its_groups_handler)
{
    destroys_its_root(0, true, false);
}

TEST(RE_2_a_root_without_hooks_may_go_in_its_groups_immediate_handler)
{
    destroys_its_root(OBV_IMMEDIATE, true, false);
}

TEST(RE_2_a_root_without_hooks_may_go_in_a_handler_called_by_hand)
{
    destroys_its_root(0, false, true);
}

TEST(FA_2_KP_12_an_unresolved_path_is_listed_whichever_allocation_fails)
{
    struct fixture fixture;
    struct probe probe;
    char text[8] = "";
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *root = item_create(&fixture);
    enum obv_status status = OBV_E_MEMORY;
    size_t ended = 0;
    for (size_t n = 1; status != OBV_OK || test_allocation_failed(); n++) {
        struct obv_observation *handle = NULL;
        test_fail_allocation(n, false);
        status = obv_observe(&root->object, "zz", &probe.kind, &probe, &handle,
                             NULL);
        if (status == OBV_OK) {
            CHECK_EQ(obv_unresolved_path(handle, 0, text, sizeof text), 2);
            CHECK_TEXT(text, "zz");
            end(handle);
            ended++;
        }
    }
    test_fail_allocation(0, false);
    CHECK_EQ(probe.disposed, ended);
    end_item(root);
    end_probe(&probe);
    fixture_end(&fixture);
}

TEST(ST_3_at_a_root_that_has_ended_there_is_nothing_to_stop)
{
    struct fixture fixture;
    struct probe probe;
    const char *paths[] = {"value", NULL, "..."};
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct bare *root = bare_create(&fixture);
    CHECK_EQ(obv_object_deinit(&root->object), OBV_OK);
    for (size_t count = 0; count <= 3; count++) {
        CHECK_EQ(obv_stop_observer(&root->object, &probe, paths, count, NULL),
                 OBV_OK);
    }
    CHECK_EQ(obv_stop_handler(&root->object, &probe.kind, NULL), OBV_OK);
    free(root);
    end_probe(&probe);
    fixture_end(&fixture);
}
