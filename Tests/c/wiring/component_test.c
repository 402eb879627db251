/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components: elements of paths that a language binding supplies, and compiled
 * paths.
 */
#include "base/names.h"
#include "binding_fixture.h"

#include <observable/debug.h>

#include <stdio.h>

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

static size_t diagnostics(void)
{
    return binding.fixture.diagnostics;
}

static void check_reported(size_t count, const char *path)
{
    CHECK_EQ(diagnostics(), count);
    CHECK_EQ(binding.fixture.last.kind, OBV_DIAGNOSTIC_UNRESOLVED);
    (void)path;
}

/* Plain components --------------------------------------------------------- */

TEST(KP_19_a_plain_component_means_what_its_name_does)
{
    begin();
    struct thing *root = thing_create(0);
    struct obv_observation *typed =
        watch_compiled(root, PATH(&binding, &c_value), &probe, 0);
    struct obv_observation *text = watch(root, "value", &other);
    CHECK_EQ(asked.resolve, 1);
    CHECK_EQ(obv_observer_count(&root->object, "value"), 2);
    thing_set_value(root, 1);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(obv_stop_path(typed, &root->object, "value", NULL), OBV_OK);
    CHECK(obv_has_ended(typed));
    struct obv_path *path = PATH(&binding, &c_value);
    obv_stop_compiled(text, NULL, path);
    CHECK(obv_has_ended(text));
    obv_stop_compiled(NULL, NULL, path);
    obv_path_destroy(path);
    obv_release(typed);
    obv_release(text);
    drop(root);
    finish();
}

/* Registered while the middle is nil; an object shows the name. */
TEST(KP_2_a_component_is_resolved_when_an_object_arrives)
{
    begin();
    struct thing *root = thing_create(0), *middle = thing_create(1);
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_next, &c_value), &probe, 0);
    CHECK_EQ(asked.resolve, 1);
    CHECK_EQ(c_value.name, 0);
    CHECK_EQ(obv_stop_path(handle, NULL, "next.value", NULL), OBV_OK);
    CHECK(!obv_has_ended(handle)); /* not known yet */
    thing_set_next(root, middle);
    CHECK_EQ(asked.resolve, 2);
    CHECK_EQ(drained(), 1);
    thing_set_value(middle, 4);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_observer_count(&middle->object, "value"), 1);
    /* KP-16: the same path by text is no second one. */
    CHECK_EQ(obv_stop_path(handle, NULL, "next.value", NULL), OBV_OK);
    CHECK(obv_has_ended(handle));
    obv_release(handle);
    drop(middle);
    drop(root);
    finish();
}

TEST(KP_16_the_same_path_by_text_and_by_components_is_one)
{
    begin();
    struct thing *root = thing_create(0), *middle = thing_create(1);
    thing_set_next(root, middle);
    struct obv_observation *handle = watch_compiled(
        root, PATH(&binding, &c_next, &c_value), &probe, OBV_EXTENSIBLE);
    size_t blocks = test_live_blocks();
    const struct obv_pair pair = {&root->object, "next.value"};
    CHECK_EQ(obv_observe_also(handle, &pair, 1, NULL), OBV_OK);
    struct obv_path *path = PATH(&binding, &c_next, &c_value);
    const struct obv_compiled_pair typed = {&root->object, path};
    CHECK_EQ(obv_observe_compiled_also(handle, &typed, 1, NULL), OBV_OK);
    obv_path_destroy(path);
    obv_context_collect(
        binding.fixture.context); /* the text's path, used lately */
    CHECK_EQ(test_live_blocks(), blocks);
    CHECK_EQ(obv_stop_path(handle, NULL, "next.value", NULL), OBV_OK);
    CHECK(obv_has_ended(handle));
    obv_release(handle);
    drop(middle);
    drop(root);
    finish();
}

TEST(KP_19_stopping_by_observer_and_compiled_paths)
{
    begin();
    struct thing *root = thing_create(0), *middle = thing_create(1);
    thing_set_next(root, middle);
    struct obv_observation *one = watch(root, "next.value", &probe);
    struct obv_observation *two = watch(root, "value", &probe);
    struct obv_observation *three = watch(root, "next.value", &other);
    struct obv_observation *four =
        watch_compiled(root, PATH(&binding, &c_held), &probe, 0);
    /* What a component is must be known to compare it with a name. */
    struct obv_context *context = binding.fixture.context;
    (void)obv_component_resolve(context, &c_next, &root->object);
    (void)obv_component_resolve(context, &c_value, &middle->object);
    struct obv_path *paths[] = {PATH(&binding, &c_next, &c_value),
                                PATH(&binding, &c_held)};
    const struct obv_path *const *list = (const struct obv_path *const *)paths;
    CHECK_EQ(obv_stop_observer_compiled(NULL, &probe, list, 2), OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_observer_compiled(&root->object, &probe, NULL, 2),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_observer_compiled(&root->object, &probe, list, 2),
             OBV_OK);
    CHECK(obv_has_ended(one) && !obv_has_ended(two) && !obv_has_ended(three));
    CHECK(obv_has_ended(four));
    CHECK_EQ(obv_stop_observer_compiled(&root->object, &probe, NULL, 0),
             OBV_OK);
    CHECK(obv_has_ended(two) && !obv_has_ended(three));
    obv_path_destroy(paths[0]);
    obv_path_destroy(paths[1]);
    end(one);
    end(two);
    end(three);
    end(four);
    drop(middle);
    drop(root);
    finish();
}

/* An element that no object has stops nothing, of whatever kind the pair is. */
TEST(KP_1_stopping_by_an_element_that_no_object_has)
{
    begin();
    struct thing *root = thing_create(0);
    struct obv_observation *handle = watch(root, "value", &probe);
    CHECK_EQ(obv_stop_path(handle, NULL, "#0", NULL), OBV_OK);
    CHECK_EQ(obv_stop_path(handle, NULL, "3", NULL), OBV_OK);
    CHECK_EQ(obv_stop_path(handle, NULL, "&9", NULL), OBV_OK);
    CHECK(!obv_has_ended(handle));
    end(handle);
    drop(root);
    finish();
}

/* By name also on classes that were never shown to the component. */
TEST(KP_19_a_component_is_its_name_on_every_class)
{
    begin();
    struct thing *shown = thing_create(0);
    struct obv_context *context = binding.fixture.context;
    struct obv_element element = obv_component_resolve(context, &c_value, NULL);
    CHECK_EQ(element.kind, OBV_ELEMENT_COMPONENT);
    CHECK_EQ(asked.resolve, 0);
    element = obv_component_resolve(context, &c_value, &shown->object);
    CHECK_EQ(element.kind, OBV_ELEMENT_COMPONENT); /* it has no class yet */
    element = obv_component_resolve(context, &c_value, met(shown));
    CHECK_EQ(element.kind, OBV_ELEMENT_NAME);
    CHECK_EQ(element.number, 0);
    CHECK_EQ(element.name,
             obv__names_find(obv_context_names(context), "value", 5));
    (void)obv_component_resolve(context, &c_value, &shown->object);
    CHECK_EQ(asked.resolve, 1);
    struct obv_path *path = PATH(&binding, &c_value);
    for (unsigned i = 1; i < THING_CLASSES;
         i++) { /* wherever it stands there */
        struct thing *other_thing = thing_create(i);
        struct obv_observation *handle = watch(other_thing, "value", &probe);
        obv_stop_compiled(handle, &other_thing->object, path);
        CHECK(obv_has_ended(handle));
        obv_release(handle);
        drop(other_thing);
    }
    obv_path_destroy(path);
    CHECK_EQ(asked.resolve, 1);
    element = obv_component_resolve(context, &c_x, &shown->object);
    CHECK_EQ(element.kind, OBV_ELEMENT_COMPONENT); /* a view has no name */
    drop(shown);
    finish();
}

/* Of two classes one may override what it reads, with what cannot be observed:
   it is nowhere known by the other's name. */
TEST(KP_19_a_component_has_a_name_on_each_class)
{
    begin();
    struct thing *even = thing_create(0), *odd = thing_create(1);
    struct obv_context *context = binding.fixture.context;
    for (int i = 0; i < 2; i++) {
        struct obv_element element =
            obv_component_resolve(context, &c_odd, met(odd));
        CHECK_EQ(element.kind, OBV_ELEMENT_NAME);
        element = obv_component_resolve(context, &c_odd, met(even));
        CHECK_EQ(element.kind, OBV_ELEMENT_COMPONENT);
    }
    drop(odd);
    drop(even);
    finish();
}

/* More classes than a component remembers itself; none is asked twice. */
TEST(KP_3_a_component_on_many_classes)
{
    begin();
    struct thing *root = thing_create(0), *middles[THING_CLASSES];
    struct obv_observation *handle = watch_compiled(
        root, PATH(&binding, &c_next, &c_value), &probe, OBV_IMMEDIATE);
    for (unsigned i = 0; i < THING_CLASSES; i++) {
        middles[i] = thing_create(i);
        middles[i]->value = i % 3;
    }
    thing_set_next(root, middles[0]);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < THING_CLASSES; i++) {
            struct thing *next = middles[(i * 5 + round) % THING_CLASSES];
            size_t due = probe.calls + (root->next->value != next->value);
            thing_set_next(root, next);
            CHECK_EQ(probe.calls, due); /* EQ-2 on every class */
            thing_set_value(next, next->value);
            CHECK_EQ(probe.calls, due);
            CHECK_EQ(obv_observer_count(&next->object, "value"), 1);
        }
    }
    CHECK_EQ(asked.resolve, THING_CLASSES + 1);
    end(handle);
    for (unsigned i = 0; i < THING_CLASSES; i++) {
        drop(middles[i]);
    }
    drop(root);
    finish();
}

static char shown_path[64];

static void keep_path(void *count, const struct obv_observer_entry *entry)
{
    ++*(size_t *)count;
    (void)snprintf(shown_path, sizeof shown_path, "%s", entry->path);
}

/* What is handed values keeps its path's text where that was written. */
TEST(DB_1_a_component_is_shown_by_its_name_once_that_is_known)
{
    static const uint32_t flags[] = {0, OBV_VALUES, OBV_RECORDS};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        size_t count = 0;
        begin();
        struct thing *root = thing_create(0), *middle = thing_create(1);
        struct obv_observation *handle = watch_compiled(
            root, PATH(&binding, &c_next, &c_value), &probe, flags[i]);
        CHECK_EQ(obv_debug_each_observer(&root->object, keep_path, &count),
                 OBV_OK);
        CHECK(strcmp(shown_path, "next.value") != 0);
        thing_set_next(root, middle);
        CHECK_EQ(obv_debug_each_observer(&root->object, keep_path, &count),
                 OBV_OK);
        CHECK_TEXT(shown_path, "next.value");
        CHECK_EQ(count, 2);
        (void)drained();
        end(handle);
        drop(middle);
        drop(root);
        finish();
    }
}

/* A path that leads nowhere has components behind the one that does so. */
TEST(KP_12_an_unresolved_path_is_listed_by_names_once_they_are_known)
{
    char path[64];
    size_t count = 0;
    begin();
    struct thing *root = thing_create(0);
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_unknown, &c_value), &probe, 0);
    CHECK(obv_unresolved_path(handle, 0, path, sizeof path) > 0);
    CHECK(strstr(path, ".value") == NULL);
    (void)obv_component_resolve(binding.fixture.context, &c_value,
                                &root->object);
    CHECK(obv_unresolved_path(handle, 0, path, sizeof path) > 0);
    CHECK(strstr(path, ".value") != NULL);
    CHECK_EQ(obv_debug_each_observer(&root->object, keep_path, &count), OBV_OK);
    CHECK_TEXT(shown_path, path);
    end(handle);
    drop(root);
    finish();
}

static char told_path[512];

static void hear_death(void *observer,
                       const struct obv_deallocation_notice *notice)
{
    (void)observer;
    (void)snprintf(told_path, sizeof told_path, "%s", notice->path);
}

static void check_told(const char *path)
{
    told_path[0] = '\0';
    CHECK_EQ(drained(), 0);
    CHECK_TEXT(told_path, path);
}

/* What it is called when it is told. */
TEST(LT_5_a_death_is_told_by_the_names_that_are_known)
{
    begin();
    probe.kind.root_did_deallocate = hear_death;
    struct thing *root = thing_create(0), *middle = thing_create(1);
    obv_release(
        watch_compiled(root, PATH(&binding, &c_next, &c_value), &probe, 0));
    drop(root);
    (void)obv_component_resolve(binding.fixture.context, &c_value, met(middle));
    check_told("next.value");
    drop(middle);
    finish();
}

/* Longer than what fits on the stack; cut where memory is short. */
TEST(LT_5_FA_2_a_death_is_told_by_a_long_path_and_by_a_part_of_it)
{
    enum { NEXTS = 80 };
    struct obv_component *path[NEXTS];
    char text[NEXTS * 5] = "";
    for (size_t i = 0; i < NEXTS; i++) {
        path[i] = &c_next;
        (void)strcat(text, i == 0 ? "next" : ".next");
    }
    for (int is_short = 0; is_short < 2; is_short++) {
        begin();
        probe.kind.root_did_deallocate = hear_death;
        struct thing *root = thing_create(0);
        obv_release(
            watch_compiled(root, path_of(&binding, path, NEXTS), &probe, 0));
        drop(root);
        text[is_short ? 255 : NEXTS * 5 - 1] = '\0';
        test_fail_allocation((size_t)is_short, true);
        check_told(text);
        test_fail_allocation(0, false);
        finish();
    }
}

/* Views -------------------------------------------------------------------- */

TEST(KP_18_a_view_is_called_for_its_own_part)
{
    uint32_t property;
    begin();
    struct thing *root = thing_create(0);
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_x), &probe, 0);
    CHECK_EQ(
        obv_detail_look(&root->object, offsetof(struct thing, spot), &property),
        OBV_DETAIL_LOOK_WATCHED | OBV_DETAIL_LOOK_SLOW_PATH);
    thing_set_spot(root, 0, 5);
    CHECK_EQ(asked.changed, 1);
    CHECK_EQ(drained(), 0);
    thing_set_spot(root, 1, 5);
    CHECK_EQ(drained(), 1);
    /* Without an old value it counts as changed. */
    obv_detail_changed_from(&root->object, property, NULL);
    CHECK_EQ(asked.changed, 2);
    CHECK_EQ(drained(), 1);
    obv_detail_changed(&root->object, property);
    CHECK_EQ(drained(), 1);
    /* Somebody who watches the whole beside it is called for each. */
    struct obv_observation *whole = watch(root, "spot", &other);
    thing_set_spot(root, 1, 6);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(other.calls, 1);
    end(handle);
    CHECK_EQ(
        obv_detail_look(&root->object, offsetof(struct thing, spot), &property),
        OBV_DETAIL_LOOK_WATCHED);
    end(whole);
    drop(root);
    finish();
}

/* The first change of an instance is found by its trigger, as later ones are. */
TEST(OS_3_KP_18_a_view_of_a_class_is_called_for_its_own_part)
{
    begin();
    struct thing *one = thing_create(0), *two = thing_create(0);
    struct obv_path *path = PATH(&binding, &c_x);
    struct obv_observation *handle;
    const struct spot before = {0, 0, NULL};
    CHECK_EQ(obv_observe_class_compiled(thing_classes[0], path, &probe.kind,
                                        &probe, NULL, &handle, NULL),
             OBV_OK);
    obv_path_destroy(path);
    one->spot.y = 5;
    CHECK_EQ(obv_trigger(met(one), THING_SPOT, &before, NULL), OBV_OK);
    CHECK_EQ(drained(), 0);
    two->spot.x = 5;
    CHECK_EQ(obv_trigger(met(two), THING_SPOT, &before, NULL), OBV_OK);
    CHECK_EQ(drained(), 1);
    end(handle);
    drop(one);
    drop(two);
    finish();
}

TEST(KP_18_a_view_at_the_end_of_a_path)
{
    begin();
    struct thing *root = thing_create(0);
    struct thing *one = thing_create(0), *two = thing_create(1);
    one->spot.x = two->spot.x = 3;
    two->spot.y = 1;
    thing_set_next(root, one);
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_next, &c_x), &probe, 0);
    thing_set_next(root, two);
    CHECK_EQ(asked.differs, 1);
    CHECK_EQ(drained(), 0);
    thing_set_spot(two, 3, 2);
    CHECK_EQ(drained(), 0);
    thing_set_spot(two, 4, 2);
    CHECK_EQ(drained(), 1);
    thing_set_next(root, one);
    CHECK_EQ(drained(), 1);
    end(handle);
    drop(root);
    drop(one);
    drop(two);
    finish();
}

TEST(KP_18_a_view_in_the_middle_leads_on)
{
    begin();
    struct thing *root = thing_create(0), *held = thing_create(1);
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_held, &c_value), &probe, 0);
    thing_set_held(root, held);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_observer_count(&held->object, "value"), 1);
    thing_set_spot(root, 9, 9); /* another field: the same child */
    CHECK_EQ(drained(), 0);
    thing_set_value(held, 1);
    CHECK_EQ(drained(), 1);
    thing_set_held(root, NULL);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(held->references, 1);
    end(handle);
    drop(root);
    drop(held);
    finish();
}

/* A constant is bound to no slot; what it leads to is. */
TEST(KP_7_a_constant_in_the_middle)
{
    begin();
    struct thing *root = thing_create(0), *held = thing_create(1);
    struct thing *one = thing_create(2), *same = thing_create(3),
                 *differs = thing_create(3);
    root->spot.held = held;
    one->spot.held = keep(held);
    same->spot.held = keep(held);
    differs->constant = 1;
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_constant, &c_value), &probe, 0);
    struct obv_observation *ending =
        watch_compiled(root, PATH(&binding, &c_next, &c_constant), &other, 0);
    check_unresolved(handle, NULL);
    thing_set_value(held, 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_observer_count(&root->object, "*"), 0);
    thing_set_next(root, one);
    CHECK_EQ(drained(), 1);
    thing_set_next(root, same);
    CHECK_EQ(drained(), 0);
    thing_set_next(root, differs);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(other.calls, 2);
    CHECK_EQ(diagnostics(), 0);
    end(handle);
    end(ending);
    drop(root);
    drop(one);
    drop(same);
    drop(differs);
    finish();
}

/* Unknown ------------------------------------------------------------------ */

TEST(KP_12_an_unknown_component_at_the_root_is_listed_and_reported)
{
    begin();
    struct thing *root = thing_create(0);
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_unknown, &c_value), &probe, 0);
    check_reported(1, "unknown.?value");
    check_unresolved(handle, "unknown.?value");
    struct obv_path *path = PATH(&binding, &c_unknown, &c_value);
    obv_stop_compiled(handle, &root->object, path);
    CHECK(obv_has_ended(handle));
    obv_path_destroy(path);
    obv_release(handle);
    drop(root);
    finish();
}

/* Below the root: reported once an observation, listed while it is so. */
TEST(KP_12_an_unknown_component_below_is_listed_and_reported)
{
    begin();
    struct thing *root = thing_create(0);
    struct thing *even = thing_create(0), *odd = thing_create(1);
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_next, &c_odd), &probe, 0);
    check_unresolved(handle, NULL);
    thing_set_next(root, even);
    check_reported(1, "next.odd");
    check_unresolved(handle, "next.odd");
    CHECK_EQ(drained(), 0);
    thing_set_next(root, NULL);
    check_unresolved(handle, "next.odd");
    thing_set_next(root, even);
    CHECK_EQ(diagnostics(), 1);
    struct obv_observation *second =
        watch_compiled(root, PATH(&binding, &c_next, &c_odd), &other, 0);
    CHECK_EQ(diagnostics(), 2);
    check_unresolved(second, "next.odd");
    thing_set_next(root, odd);
    CHECK_EQ(drained(), 2);
    check_unresolved(handle, NULL);
    check_unresolved(second, NULL);
    thing_set_value(odd, 1);
    CHECK_EQ(drained(), 2);
    end(handle);
    end(second);
    drop(root);
    drop(even);
    drop(odd);
    finish();
}

TEST(KP_12_a_component_behind_what_is_no_object_is_listed_and_reported)
{
    begin();
    struct thing *root = thing_create(0), *one = thing_create(1),
                 *two = thing_create(2);
    struct obv_observation *handle =
        watch_compiled(root, PATH(&binding, &c_next, &c_value), &probe, 0);
    struct obv_observation *text = watch(root, "next.value", &other);
    check_unresolved(handle, NULL); /* below nil */
    asked.child_is_value = true;
    thing_set_next(root, one);
    check_reported(1, "next.?value");
    check_unresolved(handle, "next.?value");
    check_unresolved(text, NULL);
    thing_set_value(one, 7);
    CHECK_EQ(drained(), 0);
    asked.child_is_value = false;
    thing_set_next(root, two);
    CHECK_EQ(drained(), 2);
    check_unresolved(handle, NULL);
    thing_set_value(two, 7);
    CHECK_EQ(drained(), 2);
    asked.child_is_value = true;
    thing_set_next(root, one);
    CHECK_EQ(drained(), 2);
    check_unresolved(handle, "next.value");
    check_unresolved(text, NULL);
    asked.child_is_value = false;
    end(handle);
    end(text);
    drop(root);
    drop(one);
    drop(two);
    finish();
}

TEST(KP_12_several_unknown_components_are_each_reported)
{
    begin();
    struct thing *root = thing_create(0), *even = thing_create(0);
    struct obv_path *paths[] = {PATH(&binding, &c_next, &c_odd),
                                PATH(&binding, &c_next, &c_unknown),
                                PATH(&binding, &c_next, &c_value)};
    const struct obv_compiled_pair pairs[] = {
        {met(root), paths[0]}, {met(root), paths[1]}, {met(root), paths[2]}};
    struct obv_observation *handle;
    char text[32];
    CHECK_EQ(obv_observe_compiled(pairs, 3, &probe.kind, &probe, NULL, &handle,
                                  NULL),
             OBV_OK);
    thing_set_next(root, even);
    CHECK_EQ(diagnostics(), 2);
    CHECK_EQ(obv_unresolved_path(handle, 0, text, sizeof text), 8);
    CHECK_TEXT(text, "next.odd");
    CHECK_EQ(obv_unresolved_path(handle, 1, text, sizeof text), 12);
    CHECK_TEXT(text, "next.unknown");
    CHECK_EQ(obv_unresolved_path(handle, 2, text, sizeof text), -1);
    CHECK_EQ(drained(), 1);
    end(handle);
    for (int i = 0; i < 3; i++) {
        obv_path_destroy(paths[i]);
    }
    drop(root);
    drop(even);
    finish();
}

/* Errors ------------------------------------------------------------------- */

TEST(compiled_pairs_are_checked)
{
    struct obv_error error;
    struct obv_observation *handle = NULL;
    begin();
    struct thing *root = thing_create(0);
    struct obv_path *path = PATH(&binding, &c_value);
    struct obv_compiled_pair pair = {met(root), path};
    const struct obv_compiled_pair none = {&root->object, NULL};
    const struct obv_compiled_pair rootless[] = {pair, {NULL, path}};
    const struct obv_compiled_pair half[] = {pair, none};
    CHECK_EQ(
        obv_observe_compiled(NULL, 1, &probe.kind, &probe, NULL, NULL, &error),
        OBV_E_ARGUMENT);
    CHECK_EQ(
        obv_observe_compiled(&pair, 0, &probe.kind, &probe, NULL, NULL, &error),
        OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_compiled(&pair, 1, NULL, &probe, NULL, NULL, &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_compiled(rootless, 2, &probe.kind, &probe, NULL, NULL,
                                  &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(error.index, 1);
    CHECK_EQ(
        obv_observe_compiled(half, 2, &probe.kind, &probe, NULL, NULL, &error),
        OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_compiled(&none, 1, &probe.kind, &probe, NULL, &handle,
                                  &error),
             OBV_OK);
    CHECK_EQ(obv_observe_compiled_also(handle, &pair, 1, &error),
             OBV_E_OPTIONS);
    end(handle);
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_EXTENSIBLE};
    CHECK_EQ(obv_observe_compiled(&none, 1, &probe.kind, &probe, &options,
                                  &handle, &error),
             OBV_OK);
    CHECK_EQ(obv_observe_compiled_also(handle, &pair, 1, &error), OBV_OK);
    CHECK_EQ(obv_observe_compiled_also(handle, &none, 1, &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_compiled_also(handle, NULL, 1, &error),
             OBV_E_ARGUMENT);
    end(handle);
    CHECK_EQ(obv_observe_compiled(&pair, 1, &probe.kind, &probe, NULL, &handle,
                                  &error),
             OBV_OK);
    CHECK_EQ(obv_observe_compiled_also(handle, &pair, 1, &error),
             OBV_E_OPTIONS);
    end(handle);
    /* An element that objects do not have. */
    struct obv_element position = {OBV_ELEMENT_POSITION, 0, 1};
    struct obv_path *wrong;
    CHECK_EQ(obv_path_make(obv_context_names(binding.fixture.context),
                           &position, 1, &wrong, NULL),
             OBV_OK);
    pair.path = wrong;
    CHECK_EQ(
        obv_observe_compiled(&pair, 1, &probe.kind, &probe, NULL, NULL, &error),
        OBV_E_KIND);
    obv_path_destroy(wrong);
    /* A component is an address. */
    struct obv_element nobody = {OBV_ELEMENT_COMPONENT, 0, 0};
    CHECK_EQ(obv_path_make(obv_context_names(binding.fixture.context), &nobody,
                           1, &wrong, NULL),
             OBV_E_ARGUMENT);
    obv_path_destroy(path);
    drop(root);
    finish();
}

/* Answers that re-enter ---------------------------------------------------- */

static struct thing *scene[3];
static struct obv_observation *handles[2];

static void scene_begin(void)
{
    begin();
    for (unsigned i = 0; i < 3; i++) {
        scene[i] = thing_create(i);
        scene[i]->spot.x = (int32_t)i;
    }
    thing_set_next(scene[0], scene[1]);
    handles[0] =
        watch_compiled(scene[0], PATH(&binding, &c_next, &c_x), &probe, 0);
    handles[1] = watch_compiled(
        scene[0], PATH(&binding, &c_next, &c_next, &c_value), &other, 0);
}

static void scene_end(void)
{
    end(handles[0]);
    end(handles[1]);
    for (int i = 0; i < 3; i++) {
        drop(scene[i]);
    }
    finish();
}

static void replace_in_resolve(void)
{
    asked.in_resolve = NULL;
    thing_set_next(scene[0], NULL);
}

TEST(RE_5_a_resolve_that_replaces)
{
    scene_begin();
    asked.in_resolve = replace_in_resolve;
    thing_set_next(scene[0], scene[2]);
    CHECK(!asked.in_resolve);
    CHECK(!scene[0]->next);
    CHECK_EQ(scene[2]->references, 1);
    CHECK_EQ(obv_observer_count(&scene[1]->object, "spot"), 0);
    CHECK_EQ(obv_observer_count(&scene[2]->object, "spot"), 0);
    CHECK_EQ(drained(), 1);
    scene_end();
}

static void nest_tries(void)
{
    /* Each of these sets hazard pointers of its own, and ends objects. */
    struct obv_observation *more =
        watch_compiled(scene[0], PATH(&binding, &c_next, &c_x), &other, 0);
    obv_schedule(more);
    (void)drained();
    end(more);
    thing_set_spot(scene[2], 9, 9);
    thing_set_next(scene[1], scene[2]);
    thing_set_next(scene[1], NULL);
}

TEST(RE_5_a_view_that_nests_tries_while_it_compares)
{
    scene_begin();
    asked.then = nest_tries;
    thing_set_next(scene[0], scene[2]);
    CHECK(!asked.then);
    CHECK(drained() <= 2);
    CHECK_EQ(obv_observer_count(&scene[2]->object, "spot"), 1);
    CHECK_EQ(scene[1]->references, 1);
    CHECK_EQ(scene[2]->references, 2);
    scene_end();
}

static void stop_in_changed(void)
{
    obv_stop(handles[0]);
}

TEST(RE_5_a_view_that_stops_itself)
{
    scene_begin();
    asked.then = stop_in_changed;
    thing_set_spot(scene[1], 77, 0);
    CHECK(!asked.then);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(probe.disposed, 1);
    CHECK_EQ(obv_observer_count(&scene[1]->object, "spot"), 0);
    scene_end();
}

/* Classes of C, without hooks or with them: a component's answers about them
   are asked under no hazard pointer. */
struct plain {
    struct obv_object object;
    struct plain *b;
    int64_t x;
};
OBV_PROPERTY(plain, b, object, 0)

static size_t plain_differs_asked;

static enum obv_component_place
plain_resolve(const struct obv_component *component, struct obv_object *object,
              uint32_t *property)
{
    (void)component;
    (void)object;
    *property = 1;
    return OBV_COMPONENT_PROPERTY;
}

static struct obv_object *plain_child(const struct obv_component *component,
                                      struct obv_object *object)
{
    (void)component;
    (void)object;
    return NULL;
}

static bool plain_differs(const struct obv_component *component,
                          struct obv_object *before, struct obv_object *after)
{
    (void)component;
    plain_differs_asked++;
    return ((struct plain *)before)->x / 10 != ((struct plain *)after)->x / 10;
}

static void observe_plain(const struct obv_class_table *table, bool is_asked)
{
    static const struct obv_component_kind kind = {.size = sizeof kind,
                                                   .resolve = plain_resolve,
                                                   .child = plain_child,
                                                   .differs = plain_differs};
    struct obv_component tens = {.text = "tens", .kind = &kind};
    struct obv_class *cls;
    struct plain root = {.x = 0}, one = {.x = 11}, same = {.x = 12};
    begin();
    plain_differs_asked = 0;
    CHECK_EQ(obv_class_create(binding.fixture.context, table, &cls, NULL),
             OBV_OK);
    obv_object_init(&root.object, cls);
    obv_object_init(&one.object, cls);
    obv_object_init(&same.object, cls);
    plain_set_b(&root, &one);
    const struct obv_element elements[] = {
        {OBV_ELEMENT_NAME,
         obv__names_find(obv_context_names(binding.fixture.context), "b", 1),
         0},
        obv_component_element(&tens)};
    struct obv_path *path;
    CHECK_EQ(obv_path_make(obv_context_names(binding.fixture.context), elements,
                           2, &path, NULL),
             OBV_OK);
    const struct obv_compiled_pair pair = {&root.object, path};
    CHECK_EQ(
        obv_observe_compiled(&pair, 1, &probe.kind, &probe, NULL, NULL, NULL),
        OBV_OK);
    obv_path_destroy(path);
    plain_set_b(&root, &same);
    CHECK_EQ(plain_differs_asked, is_asked);
    CHECK_EQ(drained(), !is_asked);
    plain_set_b(&root, NULL);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_object_deinit(&root.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&one.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&same.object), OBV_OK);
    finish();
}

static const struct obv_property plain_properties[] = {
    OBV_FIELD_OBJECT(plain, b, "plain"), OBV_FIELD(plain, x, i64)};

TEST(component_objects_that_nothing_holds_are_not_compared)
{
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "plain",
                                                 .instance_size =
                                                     sizeof(struct plain),
                                                 .properties = plain_properties,
                                                 .property_count = 2};
    observe_plain(&table, false);
}

static bool retain_plain(struct obv_object *object)
{
    (void)object;
    return true;
}

static void release_plain(struct obv_object *object)
{
    (void)object;
}

TEST(component_objects_of_a_class_of_C_are_compared_by_it)
{
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "plain",
                                                 .instance_size =
                                                     sizeof(struct plain),
                                                 .properties = plain_properties,
                                                 .property_count = 2,
                                                 .retain = retain_plain,
                                                 .release = release_plain};
    observe_plain(&table, true);
}

/* Memory ------------------------------------------------------------------- */

/* `act` with its first, second, ... allocation failing, until none fails. */
static void without_memory(void (*act)(void), void (*check)(bool failed))
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        scene_begin();
        test_fail_allocation(n, false);
        act();
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        check(failed);
        scene_end();
    }
}

static struct obv_path *made_path;
static struct obv_observation *made;

static void act_observe(void)
{
    const struct obv_compiled_pair pairs[] = {{met(scene[2]), made_path},
                                              {met(scene[1]), made_path}};
    enum obv_status status =
        obv_observe_compiled(pairs, 2, &probe.kind, &probe, NULL, &made, NULL);
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    CHECK((status == OBV_OK) == (made != NULL));
}

static void check_observed(bool failed)
{
    CHECK(made || failed);
    CHECK_EQ(obv_observer_count(&scene[2]->object, "link"), made != NULL);
    end(made);
    made = NULL;
    CHECK_EQ(scene[2]->references, 1);
}

static void prepare_paths(void)
{
    /* Of no context: none of its names, so it serves every attempt. */
    static struct obv_names *names;
    struct obv_element elements[] = {obv_component_element(&c_link),
                                     obv_component_element(&c_held),
                                     obv_component_element(&c_value)};
    CHECK_EQ(obv__names_create(NULL, &names), OBV_OK);
    CHECK_EQ(obv_path_make(names, elements, 3, &made_path, NULL), OBV_OK);
}

TEST(FA_2_compiled_pairs_without_memory)
{
    prepare_paths();
    without_memory(act_observe, check_observed);
    obv_path_destroy(made_path);
}

static void act_unknown(void)
{
    const struct obv_element elements[] = {obv_component_element(&c_unknown),
                                           obv_component_element(&c_value)};
    struct obv_path *path = NULL;
    enum obv_status status = obv_path_make(
        obv_context_names(binding.fixture.context), elements, 2, &path, NULL);
    if (status == OBV_OK) {
        const struct obv_compiled_pair pair = {&scene[0]->object, path};
        status = obv_observe_compiled(&pair, 1, &probe.kind, &probe, NULL,
                                      &made, NULL);
    }
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    obv_path_destroy(path);
}

static void check_unknown(bool failed)
{
    CHECK(made || failed);
    if (made) {
        check_unresolved(made, "unknown.?value");
    }
    CHECK_EQ(diagnostics(), made != NULL);
    end(made);
    made = NULL;
}

TEST(FA_2_unknown_components_without_memory)
{
    without_memory(act_unknown, check_unknown);
}

/* The sixth class and later ones take memory to be remembered. */
static void act_learn(void)
{
    for (unsigned i = 0; i < THING_CLASSES; i++) {
        struct thing *middle = thing_create(i);
        middle->spot.x = 100;
        thing_set_next(scene[0], middle);
        CHECK_EQ(scene[0]->next, middle);
        drop(middle);
    }
}

static void check_learnt(bool failed)
{
    (void)failed;
    CHECK(drained() >= 1);
    thing_set_next(scene[0], scene[1]);
    CHECK_EQ(obv_observer_count(&scene[1]->object, "spot"), 1);
    (void)drained();
    thing_set_spot(scene[1], 500, 0);
    CHECK_EQ(drained(), 1);
    check_unresolved(handles[0], NULL);
}

TEST(FA_1_learning_without_memory)
{
    without_memory(act_learn, check_learnt);
}

/* Threads ------------------------------------------------------------------ */

enum { ROUNDS = 4000 };

static struct thing *roots[2];

static void *replace_middles(void *context)
{
    struct thing *root = context;
    uint64_t seed = (uintptr_t)context;
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        struct thing *middle = thing_create((seed >> 40) % THING_CLASSES);
        thing_set_next(root, middle);
        thing_set_value(middle, i + 1);
        drop(middle);
        if (i % 8 == 0) {
            (void)drained();
        }
        /* What was stored last is wired, whatever the other thread learns. */
        CHECK_EQ(obv_observer_count(&middle->object, "value"), 1);
    }
    return NULL;
}

/* Two owners, one component, eight classes: each thread teaches it what the
   other has not met. */
TEST(TH_1_components_learn_on_two_threads)
{
    pthread_t threads[2];
    begin();
    for (int i = 0; i < 2; i++) {
        roots[i] = thing_create(0);
        obv_release(watch_compiled(roots[i], PATH(&binding, &c_next, &c_value),
                                   i == 0 ? &probe : &other, 0));
    }
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, replace_middles, roots[i]),
                 0);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    (void)drained();
    for (int i = 0; i < 2; i++) {
        thing_set_value(roots[i]->next, -1);
        CHECK_EQ(drained(), 1);
    }
    drop(roots[0]);
    drop(roots[1]);
    CHECK_EQ(probe.disposed + other.disposed, 2);
    finish();
}
