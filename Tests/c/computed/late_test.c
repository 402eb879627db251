/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Late properties: a class is given them while it has objects, and they are
 * computed by what their reader brings along, or by the binding itself.
 */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include <observable/component.h>
#include <observable/late.h>
#include <observable/observable.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A binding ---------------------------------------------------------------- */

enum { NUMBER, OTHER, PROPERTIES };

struct item {
    struct obv_object object;
    size_t references;
    int64_t number;
    struct item *other;
};
OBV_PROPERTY(item, number, i64, NUMBER)
OBV_PROPERTY(item, other, object, OTHER)

static bool retain_item(struct obv_object *object)
{
    size_t *references = &((struct item *)object)->references;
    size_t seen = __atomic_load_n(references, __ATOMIC_RELAXED);
    while (seen > 0 &&
           !__atomic_compare_exchange_n(references, &seen, seen + 1, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return seen > 0;
}

static void release_item(struct obv_object *object)
{
    size_t *references = &((struct item *)object)->references;
    if (__atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL) == 0) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(object);
    }
}

static const struct obv_property properties[] = {
    [NUMBER] = OBV_FIELD(item, number, i64),
    [OTHER] = OBV_FIELD_OBJECT(item, other, "item"),
};
static const struct obv_class_table table = {
    .size = sizeof table,
    .name = "item",
    .instance_size = sizeof(struct item),
    .properties = properties,
    .property_count = PROPERTIES,
    .retain = retain_item,
    .release = release_item,
};

struct box {
    struct obv_boxed boxed;
    int64_t number;
    struct item *item;
};

static size_t live_boxes;

static void release_box(struct obv_boxed *box)
{
    struct box *own = (struct box *)box;
    if (own->item) {
        release_item(&own->item->object);
    }
    own->number = -1;
    free(own);
    __atomic_sub_fetch(&live_boxes, 1, __ATOMIC_RELAXED);
}

static bool equal_boxes(const struct obv_boxed *a, const struct obv_boxed *b,
                        enum obv_compare how)
{
    const struct box *left = (const struct box *)a;
    const struct box *right = (const struct box *)b;
    (void)how;
    return left->number == right->number && left->item == right->item;
}

static struct obv_boxed *box_new(int64_t number, struct item *item)
{
    struct box *box = calloc(1, sizeof *box);
    CHECK(box);
    *box = (struct box){{release_box, equal_boxes}, number, item};
    if (item) {
        CHECK(retain_item(&item->object));
    }
    __atomic_add_fetch(&live_boxes, 1, __ATOMIC_RELAXED);
    return &box->boxed;
}

/* Copies give way to other threads. */
static bool is_slow;

static struct obv_boxed *copy_box(const struct obv_property *property,
                                  const void *kept)
{
    const struct box *own = *(const struct box *const *)kept;
    (void)property;
    if (is_slow) {
        (void)sched_yield();
    }
    return box_new(own->number, own->item);
}

static struct obv_object *child_in_box(const struct obv_boxed *box)
{
    struct item *item = ((const struct box *)box)->item;
    return item && retain_item(&item->object) ? &item->object : NULL;
}

static const void *value_in_box(const struct obv_boxed *box)
{
    return &((const struct box *)box)->number;
}

/* How a property is computed: its reader brings one, or the binding has it. */
struct recipe {
    struct obv_boxed *(*make)(struct item *item);
    size_t evaluations;
};

static struct recipe *own_recipes[1024]; /* by the index */

static enum obv_status evaluate_late(struct obv_object *object,
                                     const struct obv_property *property,
                                     void *result)
{
    uint32_t index = property->offset - OBV_LATE_OFFSET;
    struct obv_late_offer *offer = obv_late_offered(object, index);
    struct recipe *recipe = offer ? offer->context : own_recipes[index];
    if (!recipe) {
        return OBV_E_UNKNOWN;
    }
    __atomic_add_fetch(&recipe->evaluations, 1, __ATOMIC_RELAXED);
    struct obv_boxed *box = recipe->make((struct item *)object);
    memcpy(result, &box, sizeof box);
    return OBV_OK;
}

static const struct obv_computed_kept box_kind = {copy_box, child_in_box,
                                                  value_in_box};
static const struct obv_computed computed = {
    .size = sizeof computed, .evaluate = evaluate_late, .kept = &box_kind};

/* The stage ---------------------------------------------------------------- */

static struct {
    struct obv_context *context;
    struct obv_class *cls;
} stage;

static void ignore(void *context, const struct obv_diagnostic *diagnostic)
{
    (void)context;
    (void)diagnostic;
}

static void stage_begin(void)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = ignore};
    memset(own_recipes, 0, sizeof own_recipes);
    CHECK_EQ(obv_context_create(&options, &stage.context), OBV_OK);
    CHECK_EQ(obv_class_create(stage.context, &table, &stage.cls, NULL), OBV_OK);
    obv_class_allow_late(stage.cls);
}

static void stage_end(void)
{
    CHECK_EQ(obv_context_destroy(stage.context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
    CHECK_EQ(live_boxes, 0);
}

static struct item *item_new(void)
{
    struct item *item = calloc(1, sizeof *item);
    CHECK(item);
    item->references = 1;
    obv_object_init(&item->object, stage.cls);
    return item;
}

static enum obv_status add(const char *name, uint64_t number, bool is_named,
                           uint32_t *index)
{
    const struct obv_late_key key = {name, NULL, number};
    const struct obv_property line = {.name = name,
                                      .kind = OBV_KIND_custom,
                                      .custom = &obv_detail_kept_objects,
                                      .computed = &computed};
    return obv_class_add_late(stage.cls, &key, &line, is_named, index);
}

static uint32_t added(const char *name, uint64_t number, bool is_named)
{
    uint32_t index = 0;
    CHECK_EQ(add(name, number, is_named, &index), OBV_OK);
    return index;
}

/* A read by who knows how it is computed. */
static int64_t value_by(struct item *item, uint32_t index,
                        struct recipe *recipe)
{
    struct obv_late_offer offer = {
        .object = &item->object, .property = index, .context = recipe};
    enum obv_status status;
    obv_late_offer_begin(&offer);
    struct box *const *kept =
        obv_detail_kept_value(&item->object, index, &status);
    obv_late_offer_end(&offer);
    CHECK(kept);
    return (*kept)->number;
}

static struct obv_boxed *twice_the_number(struct item *item)
{
    return box_new(2 * item_number(item), NULL);
}

static struct obv_boxed *number_of_other(struct item *item)
{
    struct item *other = item_other(item);
    return box_new(other ? item_number(other) : -1, other);
}

static void count_call(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)root;
    (void)call;
    ++*(size_t *)observer;
}

static const struct obv_handler_kind counting = {.changed = count_call,
                                                 .label = "counting"};

static struct obv_observation *watch(struct item *item, const char *path,
                                     size_t *calls)
{
    struct obv_observation *handle;
    CHECK_EQ(obv_observe(&item->object, path, &counting, calls, &handle, NULL),
             OBV_OK);
    return handle;
}

static void unwatch(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

static void drain(void)
{
    (void)obv_loop_drain(obv_context_loop(stage.context));
}

/* -------------------------------------------------------------------------- */

TEST(LL_2_a_late_property_of_an_object_that_is_observed)
{
    stage_begin();
    struct item *item = item_new();
    struct recipe recipe = {.make = twice_the_number};
    size_t calls = 0, called = 0;
    struct obv_observation *early = watch(item, "number", &calls);
    item_set_number(item, 2);
    uint32_t twice = added("twice", 7, true);
    CHECK_EQ(twice, PROPERTIES);
    CHECK_EQ(added("twice", 7, true), twice);
    CHECK(obv_property_is_computed(stage.cls, twice));
    CHECK(!obv_is_valid(&item->object, twice));
    CHECK_EQ(value_by(item, twice, &recipe), 4);
    CHECK_EQ(value_by(item, twice, &recipe), 4);
    CHECK_EQ(recipe.evaluations, 1);
    CHECK(obv_is_valid(&item->object, twice));
    own_recipes[twice] = &recipe;
    struct obv_observation *late = watch(item, "twice", &called);
    item_set_number(item, 3);
    CHECK(!obv_is_valid(&item->object, twice));
    drain();
    CHECK(calls == 1 && called == 1 && recipe.evaluations == 2);
    CHECK_EQ(obv_invalidate(&item->object, twice), OBV_OK);
    drain();
    CHECK(called == 1 && recipe.evaluations == 3);
    unwatch(late);
    unwatch(early);
    release_item(&item->object);
    stage_end();
}

TEST(KP_7_a_late_property_in_the_middle_of_a_path)
{
    stage_begin();
    struct item *item = item_new(), *other = item_new();
    struct recipe recipe = {.make = number_of_other};
    size_t calls = 0;
    uint32_t beyond = added("beyond", 1, true);
    own_recipes[beyond] = &recipe;
    struct obv_observation *handle = watch(item, "beyond.number", &calls);
    item_set_other(item, other);
    drain();
    CHECK_EQ(calls, 1);
    item_set_number(other, 5);
    drain();
    CHECK_EQ(calls, 2);
    item_set_other(item, NULL);
    drain();
    CHECK_EQ(calls, 3);
    item_set_number(other, 6);
    drain();
    CHECK_EQ(calls, 3);
    unwatch(handle);
    release_item(&other->object);
    release_item(&item->object);
    stage_end();
}

TEST(WC_6_a_late_property_under_a_star)
{
    stage_begin();
    struct item *item = item_new(), *other = item_new();
    struct recipe recipe = {.make = number_of_other};
    size_t ends = 0, middles = 0;
    uint32_t beyond = added("beyond", 1, true);
    item_set_other(item, other);
    struct obv_observation *end = watch(item, "*", &ends);
    struct obv_observation *middle = watch(item, "*.number", &middles);
    CHECK_EQ(value_by(item, beyond, &recipe), 0);
    drain();
    CHECK_EQ(ends, 0);
    CHECK_EQ(middles, 0);      /* no path leads on through what is computed */
    item_set_number(other, 4); /* makes it invalid */
    drain();
    CHECK_EQ(ends, 1);
    CHECK_EQ(middles, 1);
    CHECK_EQ(recipe.evaluations, 1);
    unwatch(end);
    unwatch(middle);
    release_item(&other->object);
    release_item(&item->object);
    stage_end();
}

TEST(LT_1_the_end_of_an_object_ends_what_hangs_at_its_late_properties)
{
    stage_begin();
    struct item *item = item_new(), *owner = item_new();
    struct recipe recipe = {.make = twice_the_number};
    struct recipe beyond_recipe = {.make = number_of_other};
    size_t calls = 0, beyond_calls = 0;
    uint32_t twice = added("twice", 1, true), beyond = added("beyond", 2, true);
    own_recipes[twice] = &recipe;
    own_recipes[beyond] = &beyond_recipe;
    item_set_other(owner, item);
    struct obv_observation *handle = watch(item, "twice", &calls);
    struct obv_observation *through =
        watch(owner, "beyond.twice", &beyond_calls);
    item_set_other(owner, NULL);
    drain();
    CHECK_EQ(beyond_calls, 1);
    release_item(&item->object);
    CHECK(obv_has_ended(handle));
    CHECK(!obv_has_ended(through));
    obv_release(handle);
    unwatch(through);
    release_item(&owner->object);
    stage_end();
}

/* A view of a late property: its number's tens. */
static uint32_t viewed;

static enum obv_component_place
resolve_view(const struct obv_component *component, struct obv_object *object,
             uint32_t *property)
{
    (void)component;
    (void)object;
    *property = viewed;
    return OBV_COMPONENT_PROPERTY;
}

static struct obv_object *child_of_view(const struct obv_component *component,
                                        struct obv_object *object)
{
    (void)component;
    (void)object;
    return NULL;
}

static bool views_differ(const struct obv_component *component,
                         struct obv_object *before, struct obv_object *after)
{
    (void)component;
    return before != after;
}

static bool view_changed(const struct obv_component *component,
                         struct obv_object *object, const void *old,
                         const void *now)
{
    struct obv_boxed *box = obv_detail_copy_last(object, viewed);
    int64_t number = ((const struct box *)box)->number;
    (void)component;
    (void)now;
    box->release(box);
    return *(const int64_t *)old / 10 != number / 10;
}

TEST(KP_18_a_view_of_a_late_property_reads_what_is_in_its_box)
{
    static const struct obv_component_kind kind = {.size = sizeof kind,
                                                   .resolve = resolve_view,
                                                   .child = child_of_view,
                                                   .differs = views_differ,
                                                   .changed = view_changed};
    struct obv_component component = {.text = "tens", .kind = &kind};
    struct recipe recipe = {.make = twice_the_number};
    size_t calls = 0;
    struct obv_observation *handle;
    struct obv_path *path;
    stage_begin();
    struct item *item = item_new();
    viewed = added("twice", 1, false);
    own_recipes[viewed] = &recipe;
    struct obv_element element = obv_component_element(&component);
    CHECK_EQ(obv_path_make(obv_context_names(stage.context), &element, 1, &path,
                           NULL),
             OBV_OK);
    const struct obv_compiled_pair pair = {&item->object, path};
    CHECK_EQ(
        obv_observe_compiled(&pair, 1, &counting, &calls, NULL, &handle, NULL),
        OBV_OK);
    for (int64_t i = 0; i < 20; i++) {
        item_set_number(item, i);
        drain();
    }
    CHECK_EQ(calls, 3);
    unwatch(handle);
    obv_path_destroy(path);
    release_item(&item->object);
    stage_end();
}

/* The last value of what another thread computes ---------------------------- */

/* Of a context in which other threads may compute. */
struct shared {
    struct obv_object object;
    int64_t number;
};
static const struct obv_property shared_properties[] = {
    OBV_FIELD_WITH(shared, number, i64, OBV_ANY_THREAD, NULL)};
static const struct obv_class_table shared_table = {
    .size = sizeof shared_table,
    .name = "shared",
    .instance_size = sizeof(struct shared),
    .properties = shared_properties,
    .property_count = 1,
};

static struct {
    struct item *item;
    uint32_t property;
    bool blocks, ends;
    bool is_inside; /* the function; it returns once that is taken back */
    int64_t made;
} computing;

static struct obv_boxed *count_up(struct item *item)
{
    (void)item;
    if (computing.blocks) {
        __atomic_store_n(&computing.is_inside, true, __ATOMIC_RELEASE);
        while (__atomic_load_n(&computing.is_inside, __ATOMIC_ACQUIRE)) {
            (void)sched_yield();
        }
    }
    return box_new(++computing.made, NULL);
}

static int64_t last_number(void)
{
    struct obv_boxed *box =
        obv_detail_copy_last(&computing.item->object, computing.property);
    int64_t number = box ? ((struct box *)box)->number : 0;
    if (box) {
        box->release(box);
    }
    return number;
}

static struct recipe counts_up = {.make = count_up};

static void begin_computing(void)
{
    struct obv_class *shared;
    stage_begin();
    CHECK_EQ(obv_class_create(stage.context, &shared_table, &shared, NULL),
             OBV_OK);
    computing.item = item_new();
    computing.property = added("counter", 1, false);
    computing.blocks = computing.ends = false;
    computing.made = 0;
    own_recipes[computing.property] = &counts_up;
}

static void end_computing(void)
{
    release_item(&computing.item->object);
    stage_end();
}

static void compute_once(void)
{
    struct item *item = computing.item;
    CHECK_EQ(obv_invalidate(&item->object, computing.property), OBV_OK);
    (void)value_by(item, computing.property, &counts_up);
}

TEST(LL_12_the_last_value_is_copied)
{
    begin_computing();
    struct obv_object *object = &computing.item->object;
    CHECK(!obv_detail_last(object, computing.property));
    CHECK_EQ(last_number(), 0);
    compute_once();
    CHECK(obv_detail_last(object, computing.property));
    CHECK_EQ(last_number(), 1);
    end_computing();
}

TEST(LL_3_a_late_property_is_forgotten_and_not_set)
{
    stage_begin();
    struct item *item = item_new();
    struct recipe recipe = {.make = twice_the_number};
    size_t calls = 0;
    uint32_t twice = added("twice", 1, false);
    obv_detail_forget(&item->object, twice);
    struct obv_observation *handle = watch(item, "*", &calls);
    CHECK_EQ(value_by(item, twice, &recipe), 0);
    obv_detail_forget(&item->object, twice);
    CHECK(!obv_is_valid(&item->object, twice));
    CHECK_EQ(value_by(item, twice, &recipe), 0);
    CHECK_EQ(recipe.evaluations, 2);
    struct obv_boxed *seven = box_new(7, NULL);
    obv_detail_set_kept(&item->object, twice, &seven);
    CHECK_EQ(value_by(item, twice, &recipe), 0);
    drain();
    CHECK_EQ(calls, 0);
    item_set_number(item, 1);
    CHECK_EQ(value_by(item, twice, &recipe), 2);
    unwatch(handle);
    drain();
    release_item(&item->object);
    stage_end();
}

/* Reads a late property that only its reader can compute. */
static uint32_t inner_index;
static struct recipe inner_recipe = {.make = number_of_other};

static struct obv_boxed *inner_and_one(struct item *item)
{
    return box_new(value_by(item, inner_index, &inner_recipe) + 1, NULL);
}

TEST(LL_3_who_cannot_be_computed_is_computed_by_its_reader)
{
    stage_begin();
    struct item *item = item_new(), *other = item_new();
    struct recipe outer_recipe = {.make = inner_and_one};
    size_t calls = 0;
    inner_recipe.evaluations = 0;
    inner_index = added("inner", 1, false);
    uint32_t outer = added("outer", 2, true);
    own_recipes[outer] = &outer_recipe;
    item_set_other(item, other);
    struct obv_observation *handle = watch(item, "outer", &calls);
    CHECK(outer_recipe.evaluations == 1 && inner_recipe.evaluations == 1);
    for (int64_t i = 1; i < 5; i++) {
        item_set_number(other, i);
        drain();
        CHECK_EQ(calls, (size_t)i);
        CHECK_EQ(value_by(item, outer, &outer_recipe), i + 1);
        CHECK_EQ(inner_recipe.evaluations, (size_t)i + 1);
        CHECK_EQ(outer_recipe.evaluations, (size_t)i + 1);
    }
    /* By itself it has no value, and says so. */
    item_set_number(other, 9);
    CHECK_EQ(obv_validate_all(&item->object), OBV_E_UNKNOWN);
    CHECK_EQ(value_by(item, inner_index, &inner_recipe), 9);
    drain();
    CHECK_EQ(calls, 5);
    unwatch(handle);
    /* What is offered for the one is not for the other that is checked. */
    own_recipes[outer] = NULL;
    size_t before = inner_recipe.evaluations;
    item_set_number(other, 20);
    CHECK_EQ(value_by(item, outer, &outer_recipe), 21);
    CHECK_EQ(inner_recipe.evaluations, before + 1);
    release_item(&other->object);
    release_item(&item->object);
    stage_end();
}

TEST(KP_7_late_properties_are_found_by_key_and_by_name)
{
    stage_begin();
    uint32_t named = added("a", 1, true), unnamed = added("b", 1, false);
    uint32_t second = added("b", 2, false), found;
    struct obv_late_key key = {"b", NULL, 2};
    CHECK(obv_class_find_late(stage.cls, &key, &found));
    CHECK_EQ(found, second);
    key.detail = "getter";
    CHECK(!obv_class_find_late(stage.cls, &key, &found));
    key = (struct obv_late_key){"b", NULL, 3};
    CHECK(!obv_class_find_late(stage.cls, &key, &found));
    CHECK_EQ(obv_class_property(stage.cls, "a", &found), OBV_OK);
    CHECK_EQ(found, named);
    CHECK_EQ(obv_class_property(stage.cls, "b", &found), OBV_E_UNKNOWN);
    CHECK(strcmp(obv_class_property_name(stage.cls, unnamed), "b") == 0);
    CHECK(!obv_class_property_name(stage.cls, second + 1));
    CHECK_EQ(obv_class_property_at(stage.cls, OBV_LATE_OFFSET + second, &found),
             OBV_OK);
    CHECK_EQ(found, second);
    CHECK_EQ(
        obv_class_property_at(stage.cls, OBV_LATE_OFFSET + second + 1, &found),
        OBV_E_UNKNOWN);
    CHECK_EQ(obv_class_line(stage.cls, second)->offset,
             OBV_LATE_OFFSET + second);
    CHECK(!obv_class_line(stage.cls, second + 1));
    CHECK_EQ(obv_class_line(stage.cls, NUMBER)->offset,
             offsetof(struct item, number));
    stage_end();
}

TEST(KP_7_a_class_is_asked_whether_it_may_have_late_properties)
{
    static const struct obv_class_table below = {
        .size = sizeof below,
        .name = "below",
        .instance_size = sizeof(struct item),
    };
    struct obv_class *cls;
    uint32_t index;
    const struct obv_late_key key = {"a", NULL, 1};
    struct obv_property line = {.name = "a",
                                .kind = OBV_KIND_custom,
                                .custom = &obv_detail_kept_values,
                                .computed = &computed};
    stage_begin();
    CHECK_EQ(obv_class_create(stage.context, &below, &cls, NULL), OBV_OK);
    CHECK_EQ(obv_class_add_late(cls, &key, &line, true, &index),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_class_add_late(NULL, &key, &line, true, &index),
             OBV_E_ARGUMENT);
    line.computed = NULL;
    CHECK_EQ(obv_class_add_late(stage.cls, &key, &line, true, &index),
             OBV_E_ARGUMENT);
    line = properties[NUMBER];
    CHECK_EQ(obv_class_add_late(stage.cls, &key, &line, true, &index),
             OBV_E_ARGUMENT);
    stage_end();
}

TEST(KP_19_a_late_property_gets_its_name_later)
{
    struct recipe recipe = {.make = twice_the_number};
    uint32_t index, found, other;
    size_t calls = 0;
    stage_begin();
    struct item *item = item_new();
    index = added("late", 1, false);
    other = added("other", 1, true);
    CHECK_EQ(obv_class_property(stage.cls, "twice", &found), OBV_E_UNKNOWN);
    CHECK_EQ(obv_class_name_late(stage.cls, index, "twice"), OBV_OK);
    CHECK_EQ(obv_class_property(stage.cls, "twice", &found), OBV_OK);
    CHECK_EQ(found, index);
    CHECK_TEXT(obv_class_property_name(stage.cls, index), "twice");
    own_recipes[index] = &recipe;
    struct obv_observation *handle = watch(item, "twice", &calls);
    item_set_number(item, 2);
    CHECK_EQ(obv_loop_drain(obv_context_loop(stage.context)), 1);
    CHECK_EQ(calls, 1);
    unwatch(handle);
    CHECK_EQ(obv_class_name_late(stage.cls, index, "again"), OBV_E_ARGUMENT);
    CHECK_EQ(obv_class_name_late(stage.cls, other + 1, "again"),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_class_name_late(stage.cls, added("third", 1, false), "other"),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_class_name_late(stage.cls, 0, "again"), OBV_E_ARGUMENT);
    CHECK_EQ(obv_class_name_late(stage.cls, index, NULL), OBV_E_ARGUMENT);
    release_item(&item->object);
    stage_end();
}

enum { MOST = OBV_LATE_MAX };

TEST(LL_2_as_many_late_properties_as_there_is_room_for)
{
    struct recipe recipe = {.make = twice_the_number};
    uint32_t index = 0;
    stage_begin();
    struct item *item = item_new();
    for (uint32_t i = 0; i < MOST; i++) {
        CHECK_EQ(added("late", i, false), PROPERTIES + i);
        own_recipes[PROPERTIES + i] = &recipe;
    }
    CHECK_EQ(add("late", MOST, false, &index), OBV_E_LIMIT);
    CHECK_EQ(added("late", MOST - 1, false), PROPERTIES + MOST - 1);
    for (uint32_t i = 0; i < MOST; i += 7) {
        CHECK_EQ(value_by(item, PROPERTIES + i, &recipe), 0);
    }
    item_set_number(item, 1);
    size_t before = recipe.evaluations;
    CHECK_EQ(obv_validate_all(&item->object), OBV_OK);
    CHECK_EQ(recipe.evaluations, before + MOST);
    CHECK_EQ(obv_invalidate_all(&item->object), OBV_OK);
    CHECK(!obv_is_valid(&item->object, PROPERTIES + MOST - 1));
    release_item(&item->object);
    stage_end();
}

TEST(FA_1_a_late_property_that_memory_is_short_for)
{
    struct recipe recipe = {.make = twice_the_number};
    uint32_t index;
    for (size_t nth = 1; nth < 12; nth++) {
        stage_begin();
        struct item *item = item_new();
        enum obv_status status = OBV_OK;
        test_fail_allocation(nth, true);
        enum obv_status made = add("late", 1, true, &index);
        if (made == OBV_OK) {
            struct obv_late_offer offer = {&item->object, index, &recipe, NULL};
            obv_late_offer_begin(&offer);
            const void *kept =
                obv_detail_kept_value(&item->object, index, &status);
            obv_late_offer_end(&offer);
            CHECK(kept ? status == OBV_OK : status == OBV_E_MEMORY);
        } else {
            CHECK_EQ(made, OBV_E_MEMORY);
        }
        test_fail_allocation(0, false);
        CHECK_EQ(value_by(item, added("late", 1, true), &recipe), 0);
        release_item(&item->object);
        stage_end();
    }
}

/* Threads ------------------------------------------------------------------ */

enum { KEYS = 60 };

static void *add_all(void *indexes)
{
    uint32_t *at = indexes;
    struct recipe recipe = {.make = twice_the_number};
    struct item *item = item_new();
    for (uint32_t i = 0; i < KEYS; i++) {
        at[i] = added("late", i, false);
        CHECK_EQ(value_by(item, at[i], &recipe), 0);
    }
    release_item(&item->object);
    return NULL;
}

TEST(TH_1_two_threads_add_the_same_late_properties)
{
    uint32_t indexes[2][KEYS];
    pthread_t threads[2];
    stage_begin();
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, add_all, indexes[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    for (size_t i = 0; i < KEYS; i++) {
        CHECK_EQ(indexes[0][i], indexes[1][i]);
    }
    stage_end();
}
