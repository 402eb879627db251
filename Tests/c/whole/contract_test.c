/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of the contract that no scenario script can say: kinds of properties
 * and of observers that the scripts do not have, limits, addresses used anew.
 */
#include "contract_fixture.h"

/* --- property kinds ------------------------------------------------------ */

TEST(PK_1_every_kind_is_told_by_its_accessors)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture), *other = item_create(&fixture);
    uint8_t zeros[6] = {0}, bytes[6] = {1, 2, 3, 4, 5, 6};
    struct obv_observation *handle =
        observe_with(item, "*", &probe, OBV_IMMEDIATE, NULL);
#define TOLD(set, calls_then)                                                  \
    do {                                                                       \
        (void)(set);                                                           \
        CHECK_EQ(probe.calls, (calls_then));                                   \
    } while (0)
    TOLD((item_set_flag(item, true), 0), 1);
    TOLD((item_set_flag(item, true), 0), 1);
    TOLD((item_set_small(item, INT32_MIN), 0), 2);
    TOLD((item_set_small(item, INT32_MIN), 0), 2);
    TOLD((item_set_large(item, INT64_MAX), 0), 3);
    TOLD((item_set_large(item, INT64_MAX), 0), 3);
    TOLD((item_set_real(item, 0.5), 0), 4);
    TOLD((item_set_real(item, 0.5), 0), 4);
    TOLD((item_set_pointer(item, &fixture), 0), 5);
    TOLD((item_set_pointer(item, &fixture), 0), 5);
    TOLD(item_set_text(item, "text"), 6);
    TOLD(item_set_text(item, "text"), 6);
    TOLD((item_set_next(item, other), 0), 7);
    TOLD((item_set_next(item, other), 0), 7);
    TOLD((item_set_bytes(item, bytes), 0), 8);
    TOLD((item_set_bytes(item, bytes), 0), 8);
    TOLD((item_set_bytes(item, zeros), 0), 9);
    TOLD((item_set_shared(item, 1), 0), 10);
    TOLD((item_set_shared(item, 1), 0), 10);
#undef TOLD
    CHECK(item_flag(item) && item_small(item) == INT32_MIN);
    CHECK(item_large(item) == INT64_MAX && item_shared(item) == 1);
    CHECK(item_pointer(item) == (void *)&fixture && item_next(item) == other);
    CHECK_TEXT(item_text(item), "text");
    CHECK(memcmp(item_bytes(item), zeros, sizeof zeros) == 0);
    end(handle);
    item_release(&item->object);
    item_release(&other->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(PK_1_every_kind_is_told_by_the_setters_by_index)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_object *object = &item->object, *next = NULL;
    struct obv_observation *handle =
        observe_with(item, "*", &probe, OBV_IMMEDIATE, NULL);
    uint8_t bytes[6] = {1};
    for (int round = 0; round < 2; round++) { /* the second changes nothing */
        CHECK_EQ(obv_set_bool(object, ITEM_FLAG, true), OBV_OK);
        CHECK_EQ(obv_set_i32(object, ITEM_SMALL, -1), OBV_OK);
        CHECK_EQ(obv_set_i64(object, ITEM_LARGE, -2), OBV_OK);
        CHECK_EQ(obv_set_f64(object, ITEM_REAL, -3.5), OBV_OK);
        CHECK_EQ(obv_set_pointer(object, ITEM_POINTER, bytes), OBV_OK);
        CHECK_EQ(obv_set_string(object, ITEM_TEXT, "x"), OBV_OK);
        CHECK_EQ(obv_set_object(object, ITEM_NEXT, object), OBV_OK);
        CHECK_EQ(obv_set_bytes(object, ITEM_BYTES, bytes), OBV_OK);
        CHECK_EQ(obv_set_i64(object, ITEM_SHARED, 4), OBV_OK);
        CHECK_EQ(probe.calls, 9);
    }
    bool flag = false;
    int32_t small = 0;
    int64_t large = 0, shared = 0;
    double real = 0;
    void *pointer = NULL;
    const char *text = NULL;
    const void *content = NULL;
    CHECK(obv_get_bool(object, ITEM_FLAG, &flag) == OBV_OK && flag);
    CHECK(obv_get_i32(object, ITEM_SMALL, &small) == OBV_OK && small == -1);
    CHECK(obv_get_i64(object, ITEM_LARGE, &large) == OBV_OK && large == -2);
    CHECK(obv_get_i64(object, ITEM_SHARED, &shared) == OBV_OK && shared == 4);
    CHECK_EQ(obv_get_f64(object, ITEM_REAL, &real), OBV_OK);
    CHECK_EQ((int64_t)(real * 2), -7);
    CHECK_EQ(obv_get_pointer(object, ITEM_POINTER, &pointer), OBV_OK);
    CHECK(pointer == bytes);
    CHECK_EQ(obv_get_string(object, ITEM_TEXT, &text), OBV_OK);
    CHECK_TEXT(text, "x");
    CHECK(obv_get_object(object, ITEM_NEXT, &next) == OBV_OK && next == object);
    CHECK_EQ(obv_get_bytes(object, ITEM_BYTES, &content), OBV_OK);
    CHECK(memcmp(content, bytes, sizeof bytes) == 0);
    item_set_next(item, NULL);
    end(handle);
    item_release(object);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(PK_1_setters_by_index_refuse_what_is_not_there)
{
    struct fixture fixture;
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    int64_t large = 7;
    CHECK_EQ(obv_set_i64(&item->object, ITEM_COUNT, 1), OBV_E_UNKNOWN);
    CHECK_EQ(obv_set_i64(&item->object, UINT32_MAX, 1), OBV_E_UNKNOWN);
    CHECK_EQ(obv_set_i64(&item->object, ITEM_SMALL, 1), OBV_E_KIND);
    CHECK_EQ(obv_set_string(&item->object, ITEM_NEXT, "x"), OBV_E_KIND);
    CHECK_EQ(obv_get_i64(&item->object, ITEM_FLAG, &large), OBV_E_KIND);
    CHECK_EQ(obv_get_i64(&item->object, ITEM_COUNT, &large), OBV_E_UNKNOWN);
    CHECK_EQ(large, 7);
    CHECK_EQ(item_small(item), 0);
    item_release(&item->object);
    fixture_end(&fixture);
}

/* --- key paths ----------------------------------------------------------- */

TEST(KP_1_a_path_has_255_elements_and_65535_bytes_at_most)
{
    enum { LENGTH = 65535 };
    static char text[LENGTH + 2];
    struct fixture fixture;
    struct probe probe;
    struct obv_error error;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    for (size_t i = 0; i < 256; i++) {
        memcpy(text + 5 * i, "next.", 5);
    }
    text[5 * 256 - 1] = '\0';
    CHECK_EQ(
        obv_observe(&item->object, text, &probe.kind, &probe, NULL, &error),
        OBV_E_SYNTAX);
    CHECK_EQ(error.position, 5 * 255 - 1);
    text[5 * 255 - 1] = '\0';
    end(observe(item, text, &probe));
    memset(text, 'x', sizeof text - 1);
    CHECK_EQ(
        obv_observe(&item->object, text, &probe.kind, &probe, NULL, &error),
        OBV_E_SYNTAX);
    CHECK_EQ(error.position, LENGTH);
    text[LENGTH] = '\0';
    end(observe(item, text, &probe)); /* unknown, but a path */
    CHECK_EQ(fixture.diagnostics, 1);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

static void note_path(void *context, const struct obv_diagnostic *diagnostic)
{
    CHECK_EQ(diagnostic->kind, OBV_DIAGNOSTIC_UNRESOLVED);
    CHECK_TEXT(diagnostic->path, "nope.next");
    CHECK_TEXT(diagnostic->label, "probe");
    CHECK(diagnostic->text[0] != '\0');
    ++*(int *)context;
}

TEST(KP_12_the_hook_is_told_path_and_label_once)
{
    struct fixture fixture;
    struct probe probe;
    int told = 0;
    struct obv_context_options options = {
        .size = sizeof options,
        .allocator = test_allocator(),
        .diagnose = note_path,
        .diagnose_context = &told,
    };
    fixture.item_table = item_table();
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &fixture.item_table,
                              &fixture.item_class, NULL),
             OBV_OK);
    probe_init_plain(&probe);
    probe.kind.label = "probe";
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "nope.next", &probe);
    char text[5];
    CHECK_EQ(told, 1);
    CHECK_EQ(obv_unresolved_path(handle, 0, text, sizeof text), 9);
    CHECK_TEXT(text, "nope");
    CHECK_EQ(obv_unresolved_path(handle, 0, NULL, 0), 9);
    CHECK_EQ(obv_unresolved_path(handle, 1, text, sizeof text), -1);
    item_set_large(item, 1);
    CHECK_EQ(drain(&fixture), 0);
    end(handle);
    CHECK_EQ(told, 1);
    CHECK_EQ(probe.disposed, 1);
    item_release(&item->object);
    fixture_end(&fixture);
}

/* --- lifetimes without hooks --------------------------------------------- */

/* A class whose objects nobody can keep alive. */
static struct obv_class *make_unretained_class(const struct fixture *fixture)
{
    static struct obv_class_table table;
    struct obv_class *cls = NULL;
    table = item_table();
    table.name = "unretained";
    table.retain = NULL;
    table.release = NULL;
    CHECK_EQ(obv_class_create(fixture->context, &table, &cls, NULL), OBV_OK);
    return cls;
}

TEST(LT_2_an_object_without_hooks_takes_its_pending_calls_with_it)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item unretained;
    memset(&unretained, 0, sizeof unretained);
    obv_object_init(&unretained.object, make_unretained_class(&fixture));
    struct obv_observation *handle = observe(&unretained, "large", &probe);
    item_set_large(&unretained, 1);
    CHECK_EQ(obv_loop_pending(obv_context_loop(fixture.context)), 1);
    CHECK_EQ(obv_object_deinit(&unretained.object), OBV_OK);
    memset(&unretained, 0x5A, sizeof unretained);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.calls, 0);
    CHECK_EQ(probe.disposed, 1);
    CHECK(obv_has_ended(handle));
    obv_release(handle);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(LT_2_deinit_may_be_repeated_and_says_so)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item unretained;
    memset(&unretained, 0, sizeof unretained);
    obv_object_init(&unretained.object, make_unretained_class(&fixture));
    CHECK_EQ(obv_object_deinit(&unretained.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&unretained.object), OBV_E_ENDED);
    CHECK_EQ(obv_observe(&unretained.object, "large", &probe.kind, &probe, NULL,
                         NULL),
             OBV_E_ENDED);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(ST_4_without_hooks_stopping_takes_the_scheduled_call_back)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init_plain(&probe);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &probe);
    item_set_large(item, 1);
    obv_stop(handle);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.calls, 0);
    CHECK_EQ(probe.disposed, 1);
    obv_release(handle);
    item_release(&item->object);
    fixture_end(&fixture);
}

/* A group of an item that can be held, and of an unretained one. */
struct both {
    struct fixture fixture;
    struct probe probe;
    struct item *item, unretained;
    struct obv_observation *handle;
};

static void both_begin(struct both *both)
{
    fixture_begin(&both->fixture);
    probe_init(&both->probe, &both->fixture);
    both->item = item_create(&both->fixture);
    memset(&both->unretained, 0, sizeof both->unretained);
    obv_object_init(&both->unretained.object,
                    make_unretained_class(&both->fixture));
    both->handle =
        observe_with(both->item, "large", &both->probe, OBV_EXTENSIBLE, NULL);
}

static enum obv_status both_add(struct both *both)
{
    const struct obv_pair pair = {&both->unretained.object, "large"};
    return obv_observe_also(both->handle, &pair, 1, NULL);
}

/* Stopped now: how often the handler is called after that. */
static ptrdiff_t both_end(struct both *both)
{
    obv_stop(both->handle);
    CHECK_EQ(both->probe.disposed, 0);
    ptrdiff_t calls = drain(&both->fixture);
    CHECK_EQ(both->probe.disposed, 1);
    obv_release(both->handle);
    CHECK_EQ(obv_object_deinit(&both->unretained.object), OBV_OK);
    item_release(&both->item->object);
    probe_release(&both->probe);
    fixture_end(&both->fixture);
    return calls;
}

TEST(ST_4_what_can_be_held_is_called_after_a_stop_whatever_else_is_observed)
{
    struct both both;
    both_begin(&both);
    CHECK_EQ(both_add(&both), OBV_OK);
    item_set_large(both.item, 1);
    CHECK_EQ(both_end(&both), 1);
    both_begin(&both);
    CHECK_EQ(both_add(&both), OBV_OK);
    CHECK_EQ(obv_stop_path(both.handle, &both.unretained.object, "large", NULL),
             OBV_OK);
    item_set_large(both.item, 1);
    CHECK_EQ(both_end(&both), 1);
}

TEST(ST_4_what_cannot_be_held_is_taken_back_by_a_stop_of_its_group)
{
    struct both both;
    both_begin(&both);
    CHECK_EQ(both_add(&both), OBV_OK);
    item_set_large(&both.unretained, 1);
    CHECK_EQ(both_end(&both), 0);
    both_begin(&both);
    CHECK_EQ(both_add(&both), OBV_OK);
    item_set_large(&both.unretained, 1);
    CHECK_EQ(obv_stop_path(both.handle, &both.unretained.object, "large", NULL),
             OBV_OK);
    CHECK_EQ(both_end(&both), 0);
}

/* A group of two unretained items, the second by two paths, pending for that
   one. */
struct unretained_two {
    struct fixture fixture;
    struct probe probe;
    struct item items[2];
    struct obv_observation *handle;
};

static void unretained_two_begin(struct unretained_two *two)
{
    fixture_begin(&two->fixture);
    probe_init(&two->probe, &two->fixture);
    struct obv_class *cls = make_unretained_class(&two->fixture);
    memset(two->items, 0, sizeof two->items);
    obv_object_init(&two->items[0].object, cls);
    obv_object_init(&two->items[1].object, cls);
    const struct obv_pair pairs[] = {{&two->items[0].object, "large"},
                                     {&two->items[1].object, "large"},
                                     {&two->items[1].object, "next.large"}};
    const struct obv_observe_options with = {.size = sizeof with,
                                             .flags = OBV_EXTENSIBLE};
    CHECK_EQ(obv_observe_pairs(pairs, 3, &two->probe.kind, &two->probe, &with,
                               &two->handle, NULL),
             OBV_OK);
    item_set_large(&two->items[1], 1);
}

static void unretained_two_end(struct unretained_two *two)
{
    CHECK_EQ(drain(&two->fixture), 1);
    CHECK(two->probe.root == &two->items[1].object);
    obv_stop(two->handle);
    obv_release(two->handle);
    CHECK_EQ(obv_object_deinit(&two->items[0].object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&two->items[1].object), OBV_OK);
    probe_release(&two->probe);
    fixture_end(&two->fixture);
}

TEST(LT_2_a_call_is_for_its_root_while_any_path_of_that_is_observed)
{
    static const char *const paths[] = {"large", "next.large"};
    for (int i = 0; i < 2; i++) {
        struct unretained_two two;
        unretained_two_begin(&two);
        CHECK_EQ(
            obv_stop_path(two.handle, &two.items[1].object, paths[i], NULL),
            OBV_OK);
        unretained_two_end(&two);
    }
}

TEST(FA_2_LT_2_a_call_is_for_its_root_after_a_pair_that_fails)
{
    enum obv_status status = OBV_E_MEMORY;
    for (size_t n = 1; status != OBV_OK; n++) {
        struct unretained_two two;
        unretained_two_begin(&two);
        const struct obv_pair pairs[] = {{&two.items[1].object, "shared"},
                                         {&two.items[0].object, "shared"}};
        test_fail_allocation(n, false);
        status = obv_observe_also(two.handle, pairs, 2, NULL);
        test_fail_allocation(0, false);
        unretained_two_end(&two);
    }
}

TEST(FA_2_ST_4_without_memory_for_a_pair_a_scheduled_call_comes_as_before)
{
    enum obv_status status = OBV_E_MEMORY;
    for (size_t n = 1; status != OBV_OK; n++) {
        struct both both;
        both_begin(&both);
        test_fail_allocation(n, false);
        status = both_add(&both);
        test_fail_allocation(0, false);
        CHECK(status == OBV_OK || status == OBV_E_MEMORY);
        item_set_large(both.item, 1);
        CHECK_EQ(both_end(&both), 1);
    }
}

TEST(ST_4_stop_and_wait_takes_the_scheduled_call_back)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &probe);
    item_set_large(item, 1);
    CHECK(obv_stop_and_wait(handle));
    CHECK(obv_stop_and_wait(handle));
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.calls, 0);
    obv_release(handle);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* How an item's observations are stopped by who does not hold it. */
static void stop_unheld(bool by_handler)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_observation *handles[] = {
        observe_with(item, "large", &probe, OBV_TOKEN, NULL),
        observe_with(item, "next.large", &probe, OBV_TOKEN, NULL),
        observe_with(item, "*", &probe, 0, NULL)};
    obv_schedule(handles[0]);
    item_release(&item->object); /* it lives as long as the call is pending */
    CHECK_EQ(by_handler
                 ? obv_stop_handler(&item->object, &probe.kind, NULL)
                 : obv_stop_observer(&item->object, &probe, NULL, 0, NULL),
             OBV_OK);
    for (int i = 0; i < 3; i++) {
        CHECK(obv_has_ended(handles[i]));
        obv_release(handles[i]);
    }
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.disposed, 3);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(ST_3_a_stop_at_a_root_that_only_a_call_holds_which_it_takes_back)
{
    stop_unheld(true);
    stop_unheld(false);
}

TEST(ST_6_an_observer_at_a_dead_ones_address_is_another)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    probe_init(&probe, &fixture);
    struct obv_observation *first = observe(item, "large", &probe);
    struct obv_observation *other = observe(item, "next.large", &probe);
    probe_release(&probe); /* dies; the same memory is used anew */
    CHECK(obv_has_ended(first) && obv_has_ended(other));
    CHECK_EQ(probe.disposed, 2);
    probe_init(&probe, &fixture);
    struct obv_observation *second = observe(item, "large", &probe);
    CHECK_EQ(obv_observer_count(&item->object, "large"), 1);
    CHECK_EQ(obv_observer_count(&item->object, "next"), 0);
    item_set_large(item, 1);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_stop_observer(&item->object, &probe, NULL, 0, NULL), OBV_OK);
    CHECK(obv_has_ended(second));
    CHECK_EQ(probe.disposed, 1);
    obv_release(first);
    obv_release(other);
    obv_release(second);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}
