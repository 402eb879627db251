/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Custom properties: values that a language binding keeps to itself, compared
 * and followed by its answers.
 */
#include "binding_fixture.h"

static struct binding binding;
static struct probe probe, other;

static void begin_with(uint32_t batch)
{
    binding_begin(&binding, batch);
    probe_init(&probe, &binding.fixture);
    probe_init(&other, &binding.fixture);
}

static void begin(void)
{
    begin_with(0);
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

/* Classes ------------------------------------------------------------------ */

static struct obv_class_table good_table(struct obv_property *line)
{
    *line = thing_properties[0][THING_VALUE];
    return (struct obv_class_table){.size = sizeof(struct obv_class_table),
                                    .name = "made",
                                    .instance_size = sizeof(struct thing),
                                    .properties = line,
                                    .property_count = 1,
                                    .retain = thing_retain,
                                    .release = thing_release};
}

static enum obv_status made(const struct obv_class_table *table)
{
    struct obv_class *cls;
    struct obv_error error;
    return obv_class_create(binding.fixture.context, table, &cls, &error);
}

TEST(custom_a_class_is_checked)
{
    struct obv_property line;
    struct obv_value_kind kind = value_kind;
    begin();
    struct obv_class_table table = good_table(&line);
    line.custom = NULL;
    CHECK_EQ(made(&table), OBV_E_LAYOUT);
    line.custom = &kind;
    kind.size--;
    CHECK_EQ(made(&table), OBV_E_LAYOUT);
    kind.size++;
    line.kind = OBV_KIND_i64;
    CHECK_EQ(made(&table), OBV_E_LAYOUT);
    line.kind = OBV_KIND_custom;
    line.flags = OBV_UNOWNED;
    CHECK_EQ(made(&table), OBV_E_LAYOUT);
    line.flags = OBV_ANY_THREAD;
    line.kind = (enum obv_kind)(OBV_KIND_custom + 1);
    CHECK_EQ(made(&table), OBV_E_LAYOUT);
    line.kind = OBV_KIND_custom;
    table.retain = NULL;
    table.release = NULL;
    CHECK_EQ(made(&table), OBV_E_LAYOUT);
    table.retain = thing_retain;
    table.release = thing_release;
    table.instance_size = (1u << 20) + 1;
    CHECK_EQ(made(&table), OBV_E_LAYOUT);
    table.instance_size--;
    CHECK_EQ(made(&table), OBV_OK);
    finish();
}

TEST(custom_a_subclass_of_a_custom_class_is_custom)
{
    static struct obv_class_table table = {.size = sizeof table,
                                           .name = "sub",
                                           .instance_size =
                                               sizeof(struct thing) + 8};
    struct obv_class *sub;
    uint32_t property = 99;
    begin();
    table.superclass = thing_classes[0];
    CHECK_EQ(obv_class_create(binding.fixture.context, &table, &sub, NULL),
             OBV_OK);
    struct thing *thing = thing_create(0);
    thing_classes[0] = sub;
    end(watch(thing, "value", &probe));
    struct obv_observation *handle = watch(thing, "spot", &probe);
    CHECK_EQ(obv_detail_look(&thing->object, offsetof(struct thing, spot),
                             &property),
             OBV_DETAIL_LOOK_WATCHED);
    CHECK_EQ(property, THING_SPOT);
    end(handle);
    drop(thing);
    finish();
}

/* Adopting ----------------------------------------------------------------- */

TEST(custom_an_object_is_adopted_once)
{
    begin();
    struct thing *thing = thing_create(1);
    CHECK_EQ(thing->object.word, OBV_DETAIL_NO_NODE);
    obv_object_adopt(&thing->object, thing_classes[1]);
    obv_object_adopt(&thing->object, thing_classes[2]);
    CHECK(obv_object_class(&thing->object) == thing_classes[1]);
    struct obv_observation *handle = watch(thing, "value", &probe);
    obv_object_adopt(&thing->object, thing_classes[2]);
    CHECK(obv_object_class(&thing->object) == thing_classes[1]);
    end(handle);
    drop(thing);
    finish();
}

TEST(custom_an_object_that_was_never_adopted_may_end_and_cannot_be_observed)
{
    struct obv_error error;
    uint32_t property;
    begin();
    struct thing *thing = thing_create(0);
    CHECK_EQ(
        obv_observe(&thing->object, "value", &probe.kind, &probe, NULL, &error),
        OBV_E_ARGUMENT);
    CHECK_EQ(obv_detail_look(&thing->object, offsetof(struct thing, value),
                             &property),
             0);
    struct thing *root = thing_create(0);
    CHECK_EQ(obv_observe(met(root), "value", &probe.kind, thing, NULL, &error),
             OBV_E_ARGUMENT); /* nor observe */
    drop(root);
    obv_detail_changed_from(&thing->object, 0, NULL);
    thing_set_value(thing, 1);
    CHECK_EQ(obv_object_deinit(&thing->object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&thing->object), OBV_E_ENDED);
    obv_object_adopt(&thing->object, thing_classes[0]);
    CHECK_EQ(
        obv_observe(&thing->object, "value", &probe.kind, &probe, NULL, &error),
        OBV_E_ENDED);
    thing->object.word = OBV_DETAIL_NO_NODE;
    drop(thing);
    finish();
}

/* A language that moves the header word out before an object ends. */
TEST(LT_1_an_object_ends_by_the_value_of_its_word)
{
    begin();
    for (unsigned type = 0; type < THING_CLASSES; type++) {
        obv_class_know_objects(thing_classes[type]);
    }
    CHECK_EQ(obv_object_deinit_word(OBV_DETAIL_NO_NODE), OBV_OK);
    struct thing *thing = thing_create(0), *next = thing_create(1);
    (void)met(thing);
    CHECK_EQ(obv_object_deinit_word(thing->object.word), OBV_OK);
    thing_set_next(thing, next);
    struct obv_observation *handle = watch(thing, "next.value", &probe);
    CHECK_EQ(obv_object_deinit_word(thing->object.word), OBV_OK);
    CHECK(obv_has_ended(handle));
    CHECK_EQ(probe.disposed, 1);
    CHECK_EQ(obv_observer_count(&next->object, "value"), 0);
    obv_release(handle);
    thing->object.word = OBV_DETAIL_NO_NODE;
    drop(thing);
    drop(next);
    finish();
}

/* Paths -------------------------------------------------------------------- */

TEST(KP_2_custom_children_attach_when_they_come)
{
    begin();
    struct thing *root = thing_create(0), *middle = thing_create(1);
    struct obv_observation *handle = watch(root, "next.next.value", &probe);
    thing_set_next(root, middle);
    CHECK_EQ(drained(), 0); /* EQ-4 */
    struct thing *leaf = thing_create(2);
    thing_set_next(middle, leaf);
    CHECK_EQ(drained(), 1); /* EQ-3 */
    thing_set_value(leaf, 7);
    CHECK_EQ(drained(), 1);
    CHECK(obv_object_class(&leaf->object) == thing_classes[2]);
    CHECK_EQ(obv_observer_count(&leaf->object, "value"), 1);
    thing_set_next(root, NULL);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_observer_count(&leaf->object, "value"), 0);
    thing_set_value(leaf, 8);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(leaf->references, 2);
    end(handle);
    drop(root);
    drop(leaf);
    drop(middle);
    finish();
}

TEST(EQ_2_custom_ends_are_compared_by_their_equal)
{
    begin();
    struct thing *root = thing_create(0);
    struct thing *one = thing_create(0), *same = thing_create(1),
                 *differs = thing_create(1);
    one->value = same->value = 5;
    differs->value = 6;
    thing_set_next(root, one);
    struct obv_observation *handle = watch(root, "next.value", &probe);
    thing_set_next(root, same);
    CHECK_EQ(asked.equal, 1);
    CHECK_EQ(drained(), 0);
    thing_set_next(root, differs);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(asked.equal, 2);
    CHECK_EQ(one->references, 1);
    CHECK_EQ(same->references, 1);
    CHECK_EQ(differs->references, 2);
    end(handle);
    drop(one);
    drop(same);
    drop(differs);
    drop(root);
    finish();
}

TEST(KP_4_custom_what_leads_to_the_same_child_is_left_alone)
{
    begin();
    struct thing *root = thing_create(0), *leaf = thing_create(0);
    struct thing *one = thing_create(0), *two = thing_create(0);
    thing_set_next(one, leaf);
    thing_set_next(two, leaf);
    thing_set_next(root, one);
    struct obv_observation *handle = watch(root, "next.next.value", &probe);
    thing_set_next(root, two);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_observer_count(&leaf->object, "value"), 1);
    CHECK_EQ(leaf->references, 3);
    thing_set_value(leaf, 1);
    CHECK_EQ(drained(), 1);
    end(handle);
    drop(root);
    drop(one);
    drop(two);
    drop(leaf);
    finish();
}

TEST(WC_6_custom_every_property_is_compared)
{
    begin();
    struct thing *root = thing_create(0);
    struct thing *one = thing_create(0), *two = thing_create(1);
    thing_set_next(root, one);
    struct obv_observation *handle = watch(root, "next.*", &probe);
    thing_set_next(root, two);
    CHECK_EQ(drained(), 1); /* any thread may set some of them (EQ-2) */
    two->spot.y = 1;
    thing_set_next(root, one);
    CHECK_EQ(drained(), 1);
    thing_set_shared(one, 3);
    CHECK_EQ(drained(), 1);
    end(handle);
    drop(root);
    drop(one);
    drop(two);
    finish();
}

TEST(KP_12_custom_declared_classes_are_asked_by_validate)
{
    begin();
    CHECK_EQ(obv_validate(thing_classes[0], "next.next.value", NULL), OBV_OK);
    CHECK_EQ(obv_validate(thing_classes[0], "next.nothing", NULL),
             OBV_E_UNKNOWN);
    CHECK_EQ(obv_validate(thing_classes[0], "link.value", NULL), OBV_E_UNKNOWN);
    CHECK_EQ(obv_validate(thing_classes[0], "value.value", NULL),
             OBV_E_UNKNOWN);
    finish();
}

/* A chain that ends: each lets go of the next. */
TEST(LT_6_custom_a_chain_that_ends_is_let_go)
{
    begin();
    struct thing *root = thing_create(0), *at = root;
    for (int i = 0; i < 20; i++) {
        struct thing *next = thing_create((unsigned)i % THING_CLASSES);
        thing_set_next(at, next);
        drop(next);
        at = next;
    }
    struct obv_observation *handle =
        watch(root, "next.next.next.next.next.next.value", &probe);
    struct thing *second = keep(root->next);
    thing_set_next(root, NULL);
    CHECK_EQ(drained(), 1);
    drop(second);
    CHECK_EQ(things, 1);
    end(handle);
    drop(root);
    finish();
}

/* Answers that re-enter ---------------------------------------------------- */

static struct thing *scene[4]; /* root, one, two, spare */
static struct obv_observation *handles[2];

static void scene_begin(void)
{
    begin_with(1);
    for (unsigned i = 0; i < 4; i++) {
        scene[i] = thing_create(i);
        scene[i]->value = i;
    }
    thing_set_next(scene[0], scene[1]);
    handles[0] = watch(scene[0], "next.value", &probe);
    handles[1] = watch(scene[0], "next.next.value", &other);
}

static void scene_end(void)
{
    for (int i = 0; i < 2; i++) {
        end(handles[i]);
    }
    for (int i = 0; i < 4; i++) {
        drop(scene[i]);
    }
    finish();
}

static void replace_again(void)
{
    thing_set_next(scene[0], scene[3]);
}

/* What compares replaces: the last one stored is wired. */
TEST(RE_5_custom_an_equal_that_replaces)
{
    scene_begin();
    asked.then = replace_again;
    thing_set_next(scene[0], scene[2]);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_observer_count(&scene[1]->object, "value"), 0);
    CHECK_EQ(obv_observer_count(&scene[2]->object, "value"), 0);
    CHECK_EQ(obv_observer_count(&scene[3]->object, "value"), 1);
    CHECK_EQ(obv_observer_count(&scene[3]->object, "next"), 1);
    thing_set_value(scene[3], 9);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe.calls, 2);
    scene_end();
}

static void end_old(void)
{
    /* The root's reference is gone already; ours is the last. */
    drop(scene[1]);
    scene[1] = NULL;
}

static void release_in_equal(void)
{
    struct thing *old = scene[1];
    size_t before = old->references;
    end_old();
    CHECK_EQ(old->references, before - 1);
    CHECK(old->references >= 1); /* the library holds what is compared */
}

/* The setter keeps no reference: only the library's is left in `equal`. */
TEST(G18_custom_what_is_compared_is_held)
{
    scene_begin();
    uint32_t property;
    struct thing *root = scene[0];
    CHECK(obv_detail_look(&root->object, offsetof(struct thing, next),
                          &property) &
          OBV_DETAIL_LOOK_SLOW_PATH);
    root->next = keep(scene[2]);
    drop(scene[1]); /* what the property held */
    asked.then = release_in_equal;
    obv_detail_changed_from(&root->object, property, NULL);
    CHECK(asked.then == NULL);
    CHECK_EQ(things, 3);
    CHECK_EQ(drained(), 1);
    scene_end();
}

static void stop_all(void)
{
    obv_stop(handles[0]);
    obv_stop(handles[1]);
}

TEST(RE_5_custom_an_equal_that_stops)
{
    scene_begin();
    asked.then = stop_all;
    thing_set_next(scene[0], scene[2]);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(probe.disposed, 1);
    CHECK_EQ(other.disposed, 1);
    CHECK_EQ(obv_observer_count(&scene[2]->object, "value"), 0);
    CHECK_EQ(obv_observer_count(&scene[0]->object, "next"), 0);
    scene_end();
}

static void observe_more(void)
{
    end(watch(scene[0], "next.value", &other));
    end(watch(scene[0], "next.next.next.value", &other));
    end(watch(scene[3], "next.value", &other));
    (void)drained();
}

TEST(RE_5_custom_an_equal_that_observes_and_drains)
{
    scene_begin();
    asked.then = observe_more;
    thing_set_next(scene[0], scene[2]);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe.calls, 1);
    scene_end();
}

static void end_root(void)
{
    drop(scene[0]);
    scene[0] = NULL;
}

/* The setter's caller keeps the object alive; its other references go. */
TEST(RE_5_custom_an_equal_that_ends_the_root)
{
    scene_begin();
    struct thing *root = keep(scene[0]);
    asked.then = end_root;
    thing_set_next(root, scene[2]);
    CHECK_EQ(drained(), 1);
    drop(root);
    CHECK_EQ(obv_observer_count(&scene[2]->object, "value"), 0);
    CHECK(obv_has_ended(handles[0]));
    scene_end();
}

static int left;

static void replace_while_read(void)
{
    if (left > 0 && left-- > 0) {
        thing_set_next(scene[0], scene[left % 2 == 0 ? 2 : 3]);
    }
}

/* `child` replaces what it is about to read: W2 begins again, to an end. */
TEST(RE_5_custom_a_child_that_replaces)
{
    scene_begin();
    left = 5;
    asked.in_child = replace_while_read;
    thing_set_next(scene[0], scene[2]);
    asked.in_child = NULL;
    CHECK_EQ(left, 0);
    struct thing *now = scene[0]->next;
    for (int i = 1; i < 4; i++) {
        CHECK_EQ(obv_observer_count(&scene[i]->object, "value"),
                 scene[i] == now);
    }
    CHECK_EQ(drained(), 1);
    scene_end();
}

static int reads_left;

static void put_above(void)
{
    if (reads_left > 0 && --reads_left == 0) {
        thing_set_next(scene[0], scene[3]);
    }
}

/* While a path is begun to be observed, what it has reached is replaced above
   and has no other owner: it is held until it has been read. */
TEST(G21_custom_what_observing_has_reached_is_held)
{
    for (int at = 1; at <= 3; at++) {
        scene_begin();
        struct thing *middle = scene[1];
        thing_set_next(middle, scene[2]);
        scene[1] = NULL;
        drop(middle); /* the root's alone */
        reads_left = at;
        asked.in_child = put_above;
        struct obv_observation *handle =
            watch(scene[0], "next.next.next.value", &probe);
        asked.in_child = NULL;
        CHECK_EQ(reads_left, 0);
        CHECK_EQ(things, 3);
        CHECK_EQ(obv_observer_count(&scene[2]->object, "next"), 0);
        CHECK_EQ(obv_observer_count(&scene[3]->object, "next"), 2);
        thing_set_next(scene[3], scene[2]);
        CHECK_EQ(obv_observer_count(&scene[2]->object, "next"), 1);
        (void)drained();
        end(handle);
        scene_end();
    }
}

/* A plain property of C leads to objects whose values a binding compares: what
   `equal` replaces there stays readable until it has returned. */
struct holder {
    struct obv_object object;
    struct thing *b;
};
OBV_PROPERTY(holder, b, object, 0)

static struct holder holder;

static void replace_plain(void)
{
    holder_set_b(&holder, NULL);
}

TEST(RE_5_custom_values_below_a_plain_property)
{
    static const struct obv_property line =
        OBV_FIELD_OBJECT(holder, b, "thing0");
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "holder",
                                                 .instance_size =
                                                     sizeof(struct holder),
                                                 .properties = &line,
                                                 .property_count = 1};
    struct obv_class *cls;
    begin_with(1);
    CHECK_EQ(obv_class_create(binding.fixture.context, &table, &cls, NULL),
             OBV_OK);
    obv_object_init(&holder.object, cls);
    struct thing *one = thing_create(0), *two = thing_create(0);
    one->value = 1;
    (void)met(one);
    (void)met(two);
    holder_set_b(&holder, one);
    drop(one);
    const struct obv_pair pairs[] = {{&holder.object, "b.value"},
                                     {&holder.object, "b.*"},
                                     {&holder.object, "b.next.value"}};
    struct obv_observation *handle;
    CHECK_EQ(
        obv_observe_pairs(pairs, 3, &probe.kind, &probe, NULL, &handle, NULL),
        OBV_OK);
    asked.then = replace_plain;
    holder_set_b(&holder, two);
    CHECK(!holder.b);
    CHECK_EQ(two->references, 1);
    drop(two);
    CHECK_EQ(things, 0);
    CHECK_EQ(drained(), 1);
    end(handle);
    CHECK_EQ(obv_object_deinit(&holder.object), OBV_OK);
    finish();
}

/* Memory ------------------------------------------------------------------- */

static bool observed(void)
{
    struct obv_error error;
    enum obv_status status =
        obv_observe(met(scene[3]), "next.next.value", &probe.kind, &probe,
                    &handles[0], &error);
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    return status == OBV_OK;
}

TEST(FA_2_custom_observing_without_memory)
{
    bool good = false;
    for (size_t n = 1; !good; n++) {
        begin();
        for (unsigned i = 0; i < 4; i++) {
            scene[i] = thing_create(i);
        }
        thing_set_next(scene[3], scene[2]);
        thing_set_next(scene[2], scene[1]);
        test_fail_allocation(n, false);
        handles[0] = NULL;
        bool is_begun = observed();
        good = !test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(is_begun || !good);
        CHECK_EQ(obv_observer_count(&scene[1]->object, "value"), is_begun);
        CHECK_EQ(scene[2]->references, 2);
        CHECK_EQ(scene[1]->references, 2);
        end(handles[0]);
        for (int i = 0; i < 4; i++) {
            drop(scene[i]);
        }
        finish();
    }
}

TEST(FA_1_custom_replacing_without_memory)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        scene_begin();
        thing_set_next(scene[2], scene[3]);
        test_fail_allocation(n, false);
        thing_set_next(scene[0], scene[2]);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(scene[0]->next == scene[2]);
        CHECK_EQ(drained(), 2); /* both ends differ, or count as different */
        thing_set_next(scene[0], scene[1]);
        thing_set_next(scene[0], scene[2]);
        (void)drained();
        check_unresolved(handles[0], NULL);
        CHECK_EQ(obv_observer_count(&scene[3]->object, "value"), 1);
        thing_set_value(scene[3], 77);
        CHECK_EQ(drained(), 1);
        scene_end();
    }
}

TEST(FA_1_custom_an_object_without_memory_for_its_class_is_let_go)
{
    scene_begin();
    asked.child_is_short = true;
    thing_set_next(scene[0], scene[2]); /* cannot be followed */
    CHECK_EQ(drained(), 2);
    check_unresolved(handles[0], "next.value");
    check_unresolved(handles[1], "next.next.value");
    CHECK_EQ(obv_observer_count(&scene[1]->object, "next"), 0);
    thing_set_value(scene[0], 5);
    CHECK_EQ(drained(), 0);
    asked.child_is_short = false;
    thing_set_next(scene[2], scene[3]); /* nobody is there to see it */
    CHECK_EQ(drained(), 0);
    thing_set_next(scene[0], scene[1]); /* found again: may be another */
    (void)drained();
    check_unresolved(handles[0], NULL);
    thing_set_next(scene[0], scene[2]);
    (void)drained();
    thing_set_value(scene[3], 77);
    CHECK_EQ(drained(), 1);
    scene_end();
}

TEST(FA_2_custom_an_object_without_memory_for_its_class_is_not_observed_through)
{
    begin();
    for (unsigned i = 0; i < 4; i++) {
        scene[i] = thing_create(i);
    }
    thing_set_next(scene[3], scene[2]);
    thing_set_next(scene[2], scene[1]);
    asked.child_is_short = true;
    handles[0] = NULL;
    CHECK(!observed());
    asked.child_is_short = false;
    CHECK(observed());
    end(handles[0]);
    for (int i = 0; i < 4; i++) {
        drop(scene[i]);
    }
    finish();
}

/* Memory that is short beneath a star -------------------------------------- */

/* A root and an object that is to come, and one path to it. */
static struct thing *above, *beneath;

static bool is_listed(struct obv_observation *handle)
{
    char buffer[64];
    return obv_unresolved_path(handle, 0, buffer, sizeof buffer) >= 0;
}

static struct obv_observation *star_begin(const char *path)
{
    begin();
    above = thing_create(0);
    beneath = thing_create(1);
    met(beneath);
    return watch(above, path, &probe);
}

static void star_end(struct obv_observation *handle)
{
    end(handle);
    drop(above);
    drop(beneath);
    finish();
}

static bool set_with_failing(size_t n, struct thing *next)
{
    test_fail_allocation(n, false);
    thing_set_next(above, next);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    return failed;
}

/* What is behind a probe's path counts as followed if its change is told. */
static bool is_followed(void)
{
    (void)drained();
    size_t before = probe.calls;
    thing_set_value(beneath, beneath->value + 1);
    (void)drained();
    return probe.calls != before;
}

TEST(FA_1_custom_beneath_a_star_an_object_without_memory_is_listed)
{
    struct obv_observation *handle = star_begin("*.value");
    asked.child_is_short = true;
    thing_set_next(above, beneath);
    asked.child_is_short = false;
    CHECK_EQ(drained(), 1);
    CHECK_EQ(binding.fixture.diagnostics, 1);
    check_unresolved(handle, "*.value");
    CHECK(!is_followed());
    thing_set_next(above, NULL); /* nobody knows what it was last */
    CHECK_EQ(drained(), 1);
    check_unresolved(handle, NULL);
    thing_set_next(above, beneath);
    CHECK_EQ(drained(), 1);
    CHECK(is_followed());
    star_end(handle);
}

TEST(FA_2_custom_beneath_a_star_an_object_without_memory_is_not_observed)
{
    struct obv_observation *handle = star_begin("spot"), *second = NULL;
    thing_set_next(above, beneath);
    asked.child_is_short = true;
    CHECK_EQ(obv_observe(&above->object, "*.value", &probe.kind, &probe,
                         &second, NULL),
             OBV_E_MEMORY);
    asked.child_is_short = false;
    CHECK(!second);
    second = watch(above, "*.value", &probe);
    CHECK(is_followed());
    end(second);
    star_end(handle);
}

TEST(FA_1_custom_what_had_no_room_and_is_gone_is_short_no_more)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct obv_observation *handle = star_begin("*.value"), *second = NULL;
        failed = set_with_failing(n, beneath);
        CHECK_EQ(drained(), 1);
        CHECK_EQ(is_listed(handle), !is_followed());
        (void)drained();
        thing_set_next(above, NULL);
        CHECK_EQ(drained(), 1);
        CHECK(!is_listed(handle));
        second = watch(above, "*.value", &other);
        CHECK_EQ(drained(), 0);
        end(second);
        star_end(handle);
    }
}

TEST(FA_1_custom_what_had_no_room_is_found_by_who_observes_it_next)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct obv_observation *handle = star_begin("*.value"), *second;
        failed = set_with_failing(n, beneath);
        second = watch(above, "*.value", &other);
        CHECK(!is_listed(handle));
        CHECK(is_followed());
        end(second);
        star_end(handle);
    }
}

TEST(FA_1_custom_what_had_no_room_is_listed_until_it_is_wired)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct obv_observation *handle = star_begin("*.value");
        struct thing *second = thing_create(1);
        met(second);
        failed = set_with_failing(n, beneath);
        thing_set_link(above, second); /* here is room */
        (void)drained();
        CHECK_EQ(is_listed(handle), !is_followed());
        thing_set_next(above, NULL);
        thing_set_next(above, beneath);
        CHECK(!is_listed(handle));
        CHECK(is_followed());
        drop(second);
        star_end(handle);
    }
}

/* Where the object that leads there goes. */
TEST(FA_1_custom_what_had_no_room_is_forgotten_with_what_leads_there)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct obv_observation *handle = star_begin("next.*.value");
        struct thing *middle = thing_create(2);
        thing_set_next(middle, beneath);
        failed = set_with_failing(n, middle);
        CHECK_EQ(drained(), 1);
        CHECK_EQ(is_listed(handle), !is_followed());
        (void)drained();
        thing_set_next(above, NULL);
        CHECK_EQ(drained(), 1);
        CHECK(!is_listed(handle));
        drop(middle);
        star_end(handle);
    }
}

static void check_both(size_t n, bool all)
{
    struct obv_observation *first = star_begin("*.value");
    struct obv_observation *second = watch(above, "*.spot", &other);
    test_fail_allocation(n, all);
    thing_set_next(above, beneath);
    test_fail_allocation(0, false);
    (void)drained();
    CHECK_EQ(probe.calls, 1);
    CHECK_EQ(other.calls, 1);
    /* With one that had no room goes the other. */
    CHECK(is_followed() || is_listed(first));
    thing_set_spot(beneath, 7, 7);
    (void)drained();
    CHECK(other.calls != 1 || is_listed(second));
    CHECK_EQ(binding.fixture.diagnostics,
             is_listed(first) || is_listed(second));
    end(second);
    star_end(first);
}

TEST(FA_1_custom_nothing_is_passed_over_behind_what_had_no_room)
{
    for (size_t n = 1; n < 14; n++) {
        check_both(n, false);
        check_both(n, true);
    }
}

TEST(FA_1_custom_what_ends_far_below_what_had_no_room_is_told)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct obv_observation *handle = star_begin("*.next.next.value");
        struct thing *middle = thing_create(2), *first = thing_create(1);
        thing_set_next(middle, beneath);
        thing_set_next(first, middle);
        failed = set_with_failing(n, first);
        CHECK_EQ(drained(), 1);
        CHECK_EQ(is_listed(handle), !is_followed());
        (void)drained();
        thing_set_next(above, NULL);
        CHECK_EQ(drained(), 1);
        CHECK(!is_listed(handle));
        drop(first);
        drop(middle);
        star_end(handle);
    }
}

/* What is wired within a `child` ------------------------------------------- */

static struct thing *within, *within_next;
static void (*within_does)(void);

/* Once, and what it asks has no memory. */
static void do_within(void)
{
    asked.in_child = NULL;
    asked.child_is_short = true;
    within_does();
    asked.child_is_short = false;
}

static void set_within(void)
{
    thing_set_next(within, NULL);
    thing_set_next(within, within_next);
}

static void trigger_within(void)
{
    CHECK_EQ(obv_trigger_path(&within->object, "next.value", &(int64_t){-1},
                              NULL, NULL),
             OBV_E_MEMORY);
}

static void check_outer(const char *path, void (*does)(void))
{
    struct obv_observation *handle = star_begin("next.value"), *inner;
    within = thing_create(0);
    within_next = thing_create(1);
    inner = watch(within, path, &other);
    if (does == trigger_within) {
        thing_set_next(within, within_next);
        (void)drained();
    }
    within_does = does;
    asked.in_child = do_within;
    thing_set_next(above, beneath);
    CHECK(!is_listed(handle));
    CHECK_EQ(is_listed(inner), does == set_within);
    CHECK(is_followed());
    asked.in_child = do_within;
    thing_set_next(above, NULL); /* is what it answers, and not for memory */
    CHECK(!asked.in_child);
    CHECK(!is_listed(handle));
    end(inner);
    drop(within);
    drop(within_next);
    star_end(handle);
}

TEST(RE_5_custom_a_set_within_a_child_does_not_make_that_one_short)
{
    check_outer("next.value", set_within);
    check_outer("*.value", set_within);
}

TEST(RE_5_custom_a_trigger_within_a_child_does_not_make_that_one_short)
{
    check_outer("spot", trigger_within);
}

static struct thing *let_go_of;

/* What it lets go of, once it has said that memory is short, changes a path. */
static struct obv_object *short_child(const struct obv_property *property,
                                      struct obv_object *object)
{
    (void)property;
    if (!thing_of(object)->next || !let_go_of) {
        return handed_over(thing_of(object)->next);
    }
    struct thing *gone = let_go_of;
    obv_detail_report_no_memory();
    let_go_of = NULL;
    thing_set_next(gone, NULL);
    return NULL;
}

TEST(RE_5_custom_a_short_child_stays_so_whatever_it_lets_go_of)
{
    static struct obv_value_kind own;
    static struct obv_property line;
    static struct obv_class_table table;
    struct obv_class *cls;
    struct obv_observation *inner, *handle = star_begin("spot"), *second;
    own = next_kind;
    own.child = short_child;
    table = good_table(&line);
    line = (struct obv_property)THING_FIELD(next, 0, own);
    CHECK_EQ(obv_class_create(binding.fixture.context, &table, &cls, NULL),
             OBV_OK);
    struct thing *odd = thing_create(0), *gone = thing_create(0);
    obv_object_adopt(&odd->object, cls);
    CHECK_EQ(obv_observe(&odd->object, "next.value", &probe.kind, &probe,
                         &second, NULL),
             OBV_OK);
    thing_set_next(gone, beneath);
    inner = watch(gone, "next.value", &other);
    let_go_of = gone;
    thing_set_next(odd, beneath);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(probe.calls, 1);
    CHECK_EQ(binding.fixture.diagnostics, 1);
    check_unresolved(second, "next.value");
    end(inner);
    end(second);
    drop(odd);
    drop(gone);
    star_end(handle);
}

/* Threads ------------------------------------------------------------------ */

enum { WRITERS = 2, ROUNDS = 3000, MIDDLES = 4 };

static struct thing *shared_root;
static int stopping;
/* The owner of what the paths join: whoever begins to observe, or drains (TH-1). */
static pthread_mutex_t owner = PTHREAD_MUTEX_INITIALIZER;

static struct thing *make_middle(unsigned type, int64_t value)
{
    struct thing *leaf = thing_create(type);
    struct thing *middle = thing_create(type + 1);
    leaf->shared = value;
    thing_set_link(middle, leaf);
    drop(leaf);
    return middle;
}

/* Replaces the middle, of any thread, with objects that die by it. */
static void *replace_links(void *context)
{
    uint64_t seed = (uintptr_t)context;
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 6364136223846793005u + 1;
        struct thing *middle =
            make_middle((unsigned)(seed >> 40) % 7, (int64_t)(seed >> 50));
        thing_set_link(shared_root, middle);
        thing_set_shared(middle, i);
        drop(middle);
    }
    return NULL;
}

static void *observe_links(void *context)
{
    struct probe *mine = context;
    while (!is_raised(&stopping)) {
        CHECK_EQ(pthread_mutex_lock(&owner), 0);
        struct obv_observation *handle =
            watch(shared_root,
                  test_random() % 2 ? "link.link.shared" : "link.*", mine);
        (void)obv_observer_count(met(shared_root), "link");
        CHECK_EQ(pthread_mutex_unlock(&owner), 0);
        end(handle);
    }
    return NULL;
}

static void *drain_on(void *context)
{
    (void)context;
    while (!is_raised(&stopping)) {
        CHECK_EQ(pthread_mutex_lock(&owner), 0);
        (void)drained();
        CHECK_EQ(pthread_mutex_unlock(&owner), 0);
    }
    return NULL;
}

/* TH-1: sets of any-thread custom properties need no order of the program's: here
   the middle of a path is replaced and dies on two threads, while a third begins to
   observe through it, and another drains. */
TEST(TH_1_custom_children_of_any_thread_under_replacement)
{
    pthread_t writers[WRITERS], watcher, drainer;
    begin();
    shared_root = thing_create(0);
    struct thing *first = make_middle(0, 1);
    thing_set_link(shared_root, first);
    drop(first);
    struct obv_observation *handle =
        watch(shared_root, "link.link.shared", &probe);
    CHECK_EQ(pthread_create(&watcher, NULL, observe_links, &other), 0);
    CHECK_EQ(pthread_create(&drainer, NULL, drain_on, NULL), 0);
    for (uintptr_t i = 0; i < WRITERS; i++) {
        CHECK_EQ(
            pthread_create(&writers[i], NULL, replace_links, (void *)(i + 1)),
            0);
    }
    for (int i = 0; i < WRITERS; i++) {
        CHECK_EQ(pthread_join(writers[i], NULL), 0);
    }
    raise_flag(&stopping);
    CHECK_EQ(pthread_join(watcher, NULL), 0);
    CHECK_EQ(pthread_join(drainer, NULL), 0);
    (void)drained();
    /* The wiring that is left is that of what was stored last. */
    struct thing *middle = shared_root->link;
    CHECK_EQ(obv_observer_count(&middle->object, "link"), 1);
    CHECK_EQ(obv_observer_count(&middle->link->object, "shared"), 1);
    CHECK_EQ(middle->references, 1);
    CHECK_EQ(things, 3);
    size_t calls = probe.calls;
    thing_set_shared(middle->link, -5);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe.calls, calls + 1);
    end(handle);
    drop(shared_root);
    finish();
}

/* What was wired is compared with, whatever a trigger calls the old value. */
TEST(MT_1_KP_4_a_trigger_that_names_an_older_object_calls_nobody)
{
    begin();
    struct thing *root = thing_create(0), *a = thing_create(0),
                 *b = thing_create(0);
    thing_set_link(root, a);
    struct obv_observation *handle = watch(root, "link.value", &probe);
    struct thing *older = a;
    thing_set_link(root, b);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_trigger(&root->object, THING_LINK, &older, NULL), OBV_OK);
    CHECK_EQ(drained(), 0);
    thing_set_link(root, b);
    CHECK_EQ(drained(), 0);
    end(handle);
    drop(root);
    drop(a);
    drop(b);
    finish();
}

static struct thing *first_link;

static void *put_first_link_back(void *context)
{
    thing_set_link(context, first_link);
    return NULL;
}

/* Another thread puts the old object back before the set has looked for who
   follows it: the drain finds what it knew. */
TEST(TH_1_IM_1_a_middle_that_comes_back_between_two_drains_is_no_change)
{
    begin();
    struct thing *root = thing_create(0), *now = thing_create(0);
    uint32_t property;
    first_link = thing_create(0);
    thing_set_value(now, 2);
    thing_set_link(root, first_link);
    struct obv_observation *handle = watch(root, "link.value", &probe);
    obv_make_immediate(handle);
    lock_link(root);
    struct thing *old = root->link;
    root->link = keep(now);
    root->links++;
    unlock_link(root);
    on_thread(put_first_link_back, root);
    const struct obv_detail_set set = {.old = &old};
    CHECK(obv_detail_look(&root->object, (uint32_t)offsetof(struct thing, link),
                          &property) &
          OBV_DETAIL_LOOK_WATCHED);
    obv_detail_was_set(&root->object, property, &set);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(probe.calls, 0);
    CHECK_EQ(obv_observer_count(&first_link->object, "value"), 1);
    CHECK_EQ(obv_observer_count(&now->object, "value"), 0);
    drop(old);
    end(handle);
    drop(root);
    drop(now);
    drop(first_link);
    finish();
}
