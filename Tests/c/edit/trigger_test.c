/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manual triggers, where a script cannot say it: kinds of values, errors, what
 * is told, who owns what, short memory, bindings, threads.
 */
#include "binding_fixture.h"

static struct binding binding;
static struct probe probe, other;

static void begin(void)
{
    binding_begin(&binding, 1);
    probe_init(&probe, &binding.fixture);
    probe_init(&other, &binding.fixture);
}

static void finish(void)
{
    probe_release(&probe);
    probe_release(&other);
    binding_end(&binding);
}

static ptrdiff_t drained(void)
{
    return drain(&binding.fixture);
}

/* An item whose every property is observed. */
static struct item *observed_item(void)
{
    struct item *item = item_create(&binding.fixture);
    obv_release(observe(item, "*", &probe));
    return item;
}

/* Kinds -------------------------------------------------------------------- */

/* A trigger of a field that holds `stored`: nothing with the same value before,
   a call with another one. */
static void check_kind(struct item *item, uint32_t property, const void *stored,
                       const void *another)
{
    CHECK_EQ(obv_trigger(&item->object, property, stored, stored), OBV_OK);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_trigger(&item->object, property, another, stored), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(binding.fixture.diagnostics, 0);
    CHECK_EQ(obv_trigger(&item->object, property, another, another), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(binding.fixture.diagnostics, 1);
    binding.fixture.diagnostics = 0;
}

TEST(MT_1_each_kind_is_handed_over_by_its_address)
{
    begin();
    struct item *item = observed_item(), *next = item_create(&binding.fixture);
    item->flag = true;
    item->small = -7;
    item->large = INT64_MIN;
    item->real = 2.5;
    item->pointer = item;
    item->next = next;
    memcpy(item->bytes, "abcdef", 6);
    __atomic_store_n(&item->shared, 9, __ATOMIC_SEQ_CST);
    CHECK_EQ(obv_string_copy(binding.fixture.item_class, "text", &item->text),
             OBV_OK);
    const char text[] = "text";
    check_kind(item, ITEM_FLAG, &(bool){true}, &(bool){false});
    check_kind(item, ITEM_SMALL, &(int32_t){-7}, &(int32_t){7});
    check_kind(item, ITEM_LARGE, &(int64_t){INT64_MIN}, &(int64_t){0});
    check_kind(item, ITEM_REAL, &(double){2.5}, &(double){-2.5});
    check_kind(item, ITEM_POINTER, &(const void *){item},
               &(const void *){NULL});
    check_kind(item, ITEM_TEXT, &(const char *){text}, &(const char *){"no"});
    check_kind(item, ITEM_TEXT, &(const char *){text}, &(const char *){NULL});
    check_kind(item, ITEM_NEXT, &(struct obv_object *){&next->object},
               &(struct obv_object *){NULL});
    check_kind(item, ITEM_BYTES, "abcdef", "abcdeF");
    check_kind(item, ITEM_SHARED, &(int64_t){9}, &(int64_t){8});
    item_release(&item->object);
    finish();
}

TEST(MT_1_not_a_number_is_no_change)
{
    begin();
    struct item *item = observed_item();
    const double nan = (double)__builtin_nanf("");
    item->real = nan;
    CHECK_EQ(obv_trigger(&item->object, ITEM_REAL, &nan, NULL), OBV_OK);
    CHECK_EQ(drained(), 0);
    item->real = -0.0;
    CHECK_EQ(obv_trigger(&item->object, ITEM_REAL, &(double){0.0}, NULL),
             OBV_OK);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_trigger(&item->object, ITEM_REAL, &nan, NULL), OBV_OK);
    CHECK_EQ(drained(), 1);
    item_release(&item->object);
    finish();
}

TEST(MT_1_a_different_new_value_is_told_with_its_property)
{
    begin();
    struct item *item = observed_item();
    item->small = 3;
    CHECK_EQ(
        obv_trigger(&item->object, ITEM_SMALL, &(int32_t){0}, &(int32_t){4}),
        OBV_OK);
    CHECK_EQ(binding.fixture.diagnostics, 1);
    CHECK_EQ(binding.fixture.last.kind, OBV_DIAGNOSTIC_TRIGGER);
    CHECK_TEXT(binding.fixture.last.path, "small");
    CHECK(binding.fixture.last.label == NULL);
    CHECK_EQ(counters_of(&binding.fixture).diagnostics, 1);
    CHECK_EQ(drained(), 1); /* the stored one won */
    item_release(&item->object);
    finish();
}

/* Errors ------------------------------------------------------------------- */

TEST(MT_1_a_wrong_trigger_is_answered)
{
    begin();
    struct item *item = observed_item();
    struct thing *unmet = thing_create(0);
    const int32_t old = 1;
    CHECK_EQ(obv_trigger(NULL, 0, &old, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_trigger(&item->object, ITEM_SMALL, NULL, &old),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_trigger(&item->object, ITEM_COUNT, &old, NULL), OBV_E_UNKNOWN);
    CHECK_EQ(obv_trigger(&item->object, UINT32_MAX, &old, NULL), OBV_E_UNKNOWN);
    CHECK_EQ(obv_trigger(&unmet->object, 0, &old, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(drained(), 0);
    item_retain(&item->object);
    CHECK_EQ(obv_object_deinit(&item->object), OBV_OK);
    CHECK_EQ(obv_trigger(&item->object, ITEM_SMALL, &old, NULL), OBV_E_ENDED);
    CHECK_EQ(obv_trigger_path(&item->object, "small", &old, NULL, NULL),
             OBV_E_ENDED);
    free(item);
    drop(unmet);
    finish();
}

static void check_refused(struct item *root, const char *path,
                          enum obv_status status, size_t position)
{
    struct obv_error error = {.status = OBV_OK};
    const int32_t old = 1;
    CHECK_EQ(
        obv_trigger_path(root ? &root->object : NULL, path, &old, &old, &error),
        status);
    CHECK_EQ(error.status, status);
    CHECK_EQ(error.position, position);
    CHECK(error.message != NULL);
    CHECK_EQ(
        obv_trigger_path(root ? &root->object : NULL, path, &old, NULL, NULL),
        status);
}

TEST(MT_2_a_wrong_path_is_answered)
{
    begin();
    struct item *item = observed_item(), *next = item_create(&binding.fixture);
    struct obv_error error;
    item_set_next(item, next);
    (void)drained();
    check_refused(NULL, "small", OBV_E_ARGUMENT, 0);
    check_refused(item, NULL, OBV_E_ARGUMENT, 0);
    check_refused(item, "", OBV_E_SYNTAX, 0);
    check_refused(item, "next..small", OBV_E_SYNTAX, 5);
    check_refused(item, "*", OBV_E_KIND, 0);
    check_refused(item, "next.*.small", OBV_E_KIND, 0);
    check_refused(item, "next.#0", OBV_E_KIND, 0);
    check_refused(item, "nobody", OBV_E_UNKNOWN, 0);
    check_refused(item, "next.nobody", OBV_E_UNKNOWN, 0);
    check_refused(item, "small.next", OBV_E_UNKNOWN, 0);
    CHECK_EQ(obv_trigger_path(&item->object, "small", NULL, NULL, &error),
             OBV_E_ARGUMENT);
    test_fail_allocation(1, true);
    check_refused(item, "small", OBV_E_MEMORY, 0);
    test_fail_allocation(0, false);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(binding.fixture.diagnostics, 0);
    item_release(&item->object);
    item_release(&next->object);
    finish();
}

TEST(MT_2_an_object_of_another_context_is_nothing_to_do)
{
    struct fixture elsewhere;
    struct probe there;
    begin();
    fixture_begin_with(&elsewhere, NULL, 0);
    probe_init(&there, &elsewhere);
    struct item *item = observed_item(), *foreign = item_create(&elsewhere);
    item_set_next(item, foreign);
    obv_release(observe(foreign, "small", &there));
    (void)drained();
    CHECK_EQ(obv_trigger_path(&item->object, "next.small", &(int32_t){1}, NULL,
                              NULL),
             OBV_OK);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(drain(&elsewhere), 0);
    CHECK_EQ(foreign->references, 2);
    item_release(&item->object);
    item_release(&foreign->object);
    probe_release(&there);
    CHECK_EQ(obv_context_destroy(elsewhere.context), OBV_OK);
    finish();
}

/* Ownership ---------------------------------------------------------------- */

static void check_old_text(struct probe *called)
{
    CHECK_TEXT(called->context, "old"); /* it is the program's still */
}

TEST(MT_1_texts_and_objects_past_the_setter_are_the_programs)
{
    begin();
    struct item *item = item_create(&binding.fixture);
    struct item *first = item_create(&binding.fixture);
    struct item *second = item_create(&binding.fixture);
    const struct obv_class *cls = binding.fixture.item_class;
    CHECK_EQ(item_set_text(item, "old"), OBV_OK);
    item_set_next(item, first);
    obv_release(observe_with(item, "text", &probe, OBV_IMMEDIATE, NULL));
    obv_release(observe(item, "next.small", &other));

    const char *old = item->text;
    CHECK_EQ(obv_string_copy(cls, "new", &item->text), OBV_OK);
    probe.then = check_old_text;
    probe.context = (void *)(uintptr_t)old;
    CHECK_EQ(obv_trigger(&item->object, ITEM_TEXT, &old, NULL), OBV_OK);
    obv_string_free(cls, old);
    obv_string_free(cls, NULL);
    CHECK_EQ(probe.calls, 1);
    probe.then = NULL;
    CHECK_EQ(item_set_text(item, "newer"), OBV_OK);

    struct item *before = item->next;
    second->small = 1;
    item_retain(&second->object);
    item->next = second;
    CHECK_EQ(obv_trigger(&item->object, ITEM_NEXT, &before, NULL), OBV_OK);
    CHECK_EQ(second->references, 2);
    CHECK_EQ(first->references, 2);
    item_release(&before->object);
    CHECK_EQ(drained(), 1);
    item_set_next(item, NULL);
    CHECK_EQ(second->references, 1);
    item_release(&item->object);
    item_release(&first->object);
    item_release(&second->object);
    finish();
}

/* Accessors by hand -------------------------------------------------------- */

static void set_small_by_hand(struct item *item, int32_t value)
{
    int32_t old = item->small;
    item->small = value < 0 ? 0 : value;
    CHECK_EQ(obv_trigger(&item->object, ITEM_SMALL, &old, NULL), OBV_OK);
}

TEST(MT_3_a_setter_by_hand_over_plain_storage_triggers_itself)
{
    begin();
    struct item *item = item_create(&binding.fixture);
    obv_release(observe(item, "small", &probe));
    obv_release(observe_with(item, "small", &other, OBV_IMMEDIATE, NULL));
    set_small_by_hand(item, -4);
    CHECK_EQ(other.calls, 0);
    set_small_by_hand(item, 4);
    CHECK_EQ(other.calls, 1);
    set_small_by_hand(item, 4);
    CHECK_EQ(other.calls, 1);
    CHECK_EQ(drained(), 1);
    item_release(&item->object);
    finish();
}

/* Memory ------------------------------------------------------------------- */

/* Each allocation of the rewiring fails once, and all of them. */
static bool rewire_without_memory(size_t n, bool all)
{
    begin();
    struct item *item = item_create(&binding.fixture);
    struct item *first = item_create(&binding.fixture);
    struct item *second = item_create(&binding.fixture);
    struct obv_observation *handle;
    item_set_next(item, first);
    handle = observe(item, "next.small", &probe);
    item_retain(&second->object);
    item->next = second;
    test_fail_allocation(n, all);
    CHECK_EQ(
        obv_trigger(&item->object, ITEM_NEXT, &(struct item *){first}, NULL),
        OBV_OK);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    item_release(&first->object);
    /* It may have been tried once more. */
    bool is_short = obv_unresolved_path(handle, 0, NULL, 0) >= 0;
    CHECK(failed || !is_short);
    CHECK(is_short || !all || !failed);
    CHECK_EQ(drained(), is_short); /* not compared: counts as changed */
    CHECK_EQ(binding.fixture.diagnostics, is_short);
    check_unresolved(handle, is_short ? "next.small" : NULL);
    CHECK_EQ(obv_observer_count(&first->object, "small"), 0);
    /* The next change above wires it. */
    CHECK_EQ(
        obv_trigger(&item->object, ITEM_NEXT, &(struct item *){first}, NULL),
        OBV_OK);
    check_unresolved(handle, NULL);
    CHECK_EQ(obv_observer_count(&second->object, "small"), 1);
    (void)drained();
    item_set_small(second, 7);
    CHECK_EQ(drained(), 1);
    end(handle);
    item_release(&item->object);
    item_release(&first->object);
    item_release(&second->object);
    finish();
    return failed;
}

TEST(FA_1_a_trigger_without_memory_is_as_a_set_without)
{
    size_t n = 1;
    while (rewire_without_memory(n, false)) {
        n++;
    }
    CHECK(n > 1);
    CHECK(rewire_without_memory(1, true));
}

/* Bindings ----------------------------------------------------------------- */

static uint32_t index_of(const struct thing *thing, const char *name)
{
    uint32_t index;
    CHECK_EQ(obv_class_property(obv_object_class(&thing->object), name, &index),
             OBV_OK);
    return index;
}

TEST(MT_1_a_custom_value_is_compared_by_its_binding)
{
    begin();
    struct thing *root = thing_create(0);
    struct obv_observation *handle = watch(root, "value", &probe);
    uint32_t value = index_of(root, "value");
    root->value = 5;
    CHECK_EQ(obv_trigger(&root->object, value, &(int64_t){5}, NULL), OBV_OK);
    CHECK_EQ(asked.equals, 1);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_trigger(&root->object, value, &(int64_t){0}, &(int64_t){6}),
             OBV_OK);
    CHECK_EQ(asked.equals, 3);
    CHECK_EQ(binding.fixture.diagnostics, 1);
    CHECK_EQ(drained(), 1);
    end(handle);
    drop(root);
    finish();
}

TEST(MT_1_where_nobody_observes_nothing_is_asked)
{
    begin();
    struct thing *root = thing_create(0);
    struct obv_observation *handle = watch(root, "shared", &probe);
    uint32_t value = index_of(root, "value");
    CHECK_EQ(obv_trigger(&root->object, value, &(int64_t){5}, &(int64_t){6}),
             OBV_OK);
    CHECK_EQ(asked.equals, 0);
    CHECK_EQ(binding.fixture.diagnostics, 0);
    end(handle);
    CHECK_EQ(obv_trigger(&root->object, index_of(root, "shared"), &(int64_t){5},
                         NULL),
             OBV_OK);
    CHECK_EQ(asked.equals, 0);
    drop(root);
    finish();
}

TEST(MT_1_a_kind_that_cannot_compare_differs)
{
    begin();
    struct thing *root = thing_create(0);
    struct obv_observation *handle = watch(root, "spot", &probe);
    CHECK_EQ(
        obv_trigger(&root->object, index_of(root, "spot"), &root->spot, NULL),
        OBV_OK);
    CHECK_EQ(drained(), 1);
    end(handle);
    drop(root);
    finish();
}

TEST(MT_1_a_view_is_compared_with_the_value_that_is_named)
{
    begin();
    struct thing *root = thing_create(0);
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_x), &probe, 0);
    struct spot old = root->spot;
    root->spot.y = 3;
    CHECK_EQ(obv_trigger(&root->object, index_of(root, "spot"), &old, NULL),
             OBV_OK);
    CHECK_EQ(drained(), 0); /* x is the same */
    root->spot.x = 3;
    CHECK_EQ(obv_trigger(&root->object, index_of(root, "spot"), &old, NULL),
             OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(asked.changed, 2);
    end(handle);
    drop(root);
    finish();
}

/* Places ------------------------------------------------------------------- */

static struct thing *root_thing, *leaf_thing;

static void places_begin(void)
{
    begin();
    root_thing = thing_create(0);
    leaf_thing = thing_create(1);
    root_thing->next = keep(leaf_thing);
    root_thing->spot.held = keep(leaf_thing);
}

static void places_end(void)
{
    drop(root_thing);
    drop(leaf_thing);
    finish();
}

/* Destroys the path. */
static void check_place(struct obv_path *path, enum obv_status status,
                        struct thing *thing)
{
    struct obv_place place;
    CHECK_EQ(obv_place_find(met(root_thing), path, &place, NULL), status);
    CHECK(place.object == (thing ? &thing->object : NULL));
    if (thing) {
        CHECK_EQ(place.property, index_of(thing, "value"));
        CHECK_TEXT(place.line->name, "value");
        CHECK_EQ(leaf_thing->references, thing == leaf_thing ? 4 : 3);
    }
    obv_place_leave(&place);
    obv_place_leave(&place);
    CHECK_EQ(leaf_thing->references, 3);
    obv_path_destroy(path);
}

TEST(MT_2_a_place_is_found_through_components)
{
    places_begin();
    check_place(PATH(&binding, &c_value), OBV_OK, root_thing);
    check_place(PATH(&binding, &c_next, &c_value), OBV_OK, leaf_thing);
    check_place(PATH(&binding, &c_held, &c_value), OBV_OK, leaf_thing);
    check_place(PATH(&binding, &c_unknown, &c_value), OBV_OK, leaf_thing);
    check_place(PATH(&binding, &c_constant, &c_value), OBV_OK, leaf_thing);
    check_place(PATH(&binding, &c_link, &c_value), OBV_OK, NULL);
    places_end();
}

TEST(MT_2_a_place_is_one_whole_property)
{
    places_begin();
    check_place(PATH(&binding, &c_x), OBV_E_KIND, NULL);
    check_place(PATH(&binding, &c_next, &c_x), OBV_E_KIND, NULL);
    check_place(PATH(&binding, &c_next, NULL), OBV_E_KIND, NULL);
    check_place(PATH(&binding, &c_unknown), OBV_E_UNKNOWN, NULL);
    check_place(PATH(&binding, &c_next, &c_unknown), OBV_E_UNKNOWN, NULL);
    check_place(PATH(&binding, &c_value, &c_value), OBV_E_UNKNOWN, NULL);
    places_end();
}

static void let_leaf_go(void)
{
    drop(root_thing->next);
    root_thing->next = NULL;
    drop(root_thing->spot.held);
    root_thing->spot.held = NULL;
    drop(leaf_thing);
}

/* Code of the binding runs in the comparison. */
TEST(MT_2_the_container_lives_until_the_trigger_has_returned)
{
    places_begin();
    CHECK_EQ(
        obv_observe(met(leaf_thing), "value", &probe.kind, &probe, NULL, NULL),
        OBV_OK);
    asked.then = let_leaf_go;
    CHECK_EQ(obv_trigger_path(met(root_thing), "next.value", &(int64_t){5},
                              NULL, NULL),
             OBV_OK);
    CHECK(asked.then == NULL);
    CHECK_EQ(things, 2); /* the pending call holds it now */
    CHECK_EQ(drained(), 1);
    CHECK_EQ(things, 1);
    drop(root_thing);
    finish();
}

static void drop_the_next(void *root, const struct obv_diagnostic *diagnostic)
{
    CHECK_EQ(diagnostic->kind, OBV_DIAGNOSTIC_TRIGGER);
    item_set_next(*(struct item **)root, NULL);
}

TEST(MT_2_the_container_lives_though_the_diagnostics_hook_drops_it)
{
    struct item *root = NULL;
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = drop_the_next,
                                                .diagnose_context = &root};
    struct fixture fixture = {.item_table = item_table()};
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &fixture.item_table,
                              &fixture.item_class, NULL),
             OBV_OK);
    root = item_create(&fixture);
    struct item *next = item_create(&fixture);
    probe_init_plain(&probe);
    item_set_next(root, next);
    obv_release(observe_with(next, "small", &probe, OBV_IMMEDIATE, NULL));
    item_release(&next->object);
    CHECK_EQ(obv_trigger_path(&root->object, "next.small", &(int32_t){1},
                              &(int32_t){2}, NULL),
             OBV_OK);
    CHECK(root->next == NULL);
    CHECK_EQ(probe.calls, 1);
    CHECK_EQ(probe.disposed, 1); /* it ended when the trigger returned */
    item_release(&root->object);
    CHECK_EQ(obv_context_destroy(fixture.context), OBV_OK);
}

/* Threads ------------------------------------------------------------------ */

enum { SETS = 20000, WATCHES = 400 };

static struct item *shared_item;
static int64_t last_seen;

static void note_shared(struct probe *called)
{
    struct item *item = (struct item *)called->root;
    __atomic_store_n(&last_seen, item_shared(item), __ATOMIC_SEQ_CST);
}

static void *poke_and_trigger(void *nothing)
{
    for (int64_t i = 1; i <= SETS; i++) {
        int64_t old =
            __atomic_exchange_n(&shared_item->shared, i, __ATOMIC_RELAXED);
        CHECK_EQ(obv_trigger(&shared_item->object, ITEM_SHARED, &old, NULL),
                 OBV_OK);
    }
    return nothing;
}

/* Observers come and go; whoever observes at the end has seen the last value,
   when beginning or by a call. */
TEST(MT_1_an_any_thread_property_is_triggered_on_any_thread)
{
    pthread_t writer;
    begin();
    shared_item = item_create(&binding.fixture);
    probe.then = note_shared;
    CHECK_EQ(pthread_create(&writer, NULL, poke_and_trigger, NULL), 0);
    struct obv_observation *handle = NULL;
    for (int i = 0; i < WATCHES; i++) {
        end(handle);
        handle = observe(shared_item, "shared", &probe);
        note_shared(&(struct probe){.root = &shared_item->object});
        (void)drained();
    }
    CHECK_EQ(pthread_join(writer, NULL), 0);
    (void)drained();
    CHECK_EQ(__atomic_load_n(&last_seen, __ATOMIC_SEQ_CST), SETS);
    end(handle);
    item_release(&shared_item->object);
    finish();
}
