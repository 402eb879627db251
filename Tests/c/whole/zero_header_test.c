/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that were never made: memory that is all zero, as calloc() gives it,
 * without obv_object_init(). Every call that takes an object answers
 * OBV_E_ARGUMENT, or what it answers where there is nothing; none crashes.
 * zero_header/check.sh holds the calls here against the headers.
 */
#include "witness_fixture.h"

#include <observable/component.h>
#include <observable/graph.h>
#include <observable/late.h>

enum color { RED, GREEN };

#define FIELD(kind_name, type) type of_##kind_name, shared_##kind_name;
struct thing {
    struct obv_object object;
    OBV_NUMBER_KINDS(FIELD)
    bool flag;
    enum color color;
    void *pointer;
    const char *text;
    struct thing *next;
    uint8_t bytes[3];
};

#define NUMBERS(kind_name, type) OF_##kind_name, SHARED_##kind_name,
enum {
    OBV_NUMBER_KINDS(NUMBERS) FLAG,
    COLOR,
    POINTER,
    TEXT,
    NEXT,
    BYTES,
    PROPERTIES
};

#define ACCESS(kind_name, type)                                                \
    OBV_PROPERTY(thing, of_##kind_name, kind_name, OF_##kind_name)             \
    OBV_PROPERTY_ANY_THREAD(thing, shared_##kind_name, kind_name,              \
                            SHARED_##kind_name)
OBV_NUMBER_KINDS(ACCESS)
OBV_PROPERTY(thing, flag, bool, FLAG)
OBV_PROPERTY(thing, color, enum, COLOR)
OBV_PROPERTY(thing, pointer, pointer, POINTER)
OBV_PROPERTY(thing, text, string, TEXT)
OBV_PROPERTY(thing, next, object_of(thing), NEXT)
OBV_PROPERTY(thing, bytes, bytes, BYTES)

struct zero_header_begins; /* for check.sh: what comes before is the headers' */

/* By index ---------------------------------------------------------------- */

TEST(FA_2_setters_and_getters_by_index_refuse_what_was_never_made)
{
    struct thing zero = {.flag = false};
    struct obv_object *object = &zero.object;
    const void *bytes;
    const char *text;
    void *pointer;
    bool flag;
    int64_t number;
    struct obv_object *next;
#define BY_INDEX(kind_name, type)                                              \
    type got_##kind_name;                                                      \
    CHECK_EQ(obv_set_##kind_name(object, OF_##kind_name, (type)1),             \
             OBV_E_ARGUMENT);                                                  \
    CHECK_EQ(obv_get_##kind_name(object, OF_##kind_name, &got_##kind_name),    \
             OBV_E_ARGUMENT);
    OBV_NUMBER_KINDS(BY_INDEX)
    CHECK_EQ(obv_set_bool(object, FLAG, true), OBV_E_ARGUMENT);
    CHECK_EQ(obv_get_bool(object, FLAG, &flag), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_enum(object, COLOR, GREEN), OBV_E_ARGUMENT);
    CHECK_EQ(obv_get_enum(object, COLOR, &number), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_pointer(object, POINTER, &zero), OBV_E_ARGUMENT);
    CHECK_EQ(obv_get_pointer(object, POINTER, &pointer), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_string(object, TEXT, "text"), OBV_E_ARGUMENT);
    CHECK_EQ(obv_get_string(object, TEXT, &text), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_object(object, NEXT, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_get_object(object, NEXT, &next), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_bytes(object, BYTES, "abc"), OBV_E_ARGUMENT);
    CHECK_EQ(obv_get_bytes(object, BYTES, &bytes), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_value(object, FLAG, OBV_KIND_bool, &flag), OBV_E_ARGUMENT);
    CHECK_EQ(obv_get_value(object, FLAG, OBV_KIND_bool, &flag), OBV_E_ARGUMENT);
}

/* Inline ------------------------------------------------------------------ */

static void set_everything(struct thing *zero)
{
#define SET(kind_name, type)                                                   \
    thing_set_of_##kind_name(zero, (type)1);                                   \
    thing_set_shared_##kind_name(zero, (type)1);
    OBV_NUMBER_KINDS(SET)
    thing_set_flag(zero, true);
    thing_set_color(zero, GREEN);
    thing_set_pointer(zero, zero);
    thing_set_next(zero, zero);
    thing_set_next(zero, NULL);
    thing_set_bytes(zero, "abc");
    CHECK_EQ(thing_set_text(zero, "text"), OBV_E_ARGUMENT);
}

static void expect_nothing(const struct thing *zero)
{
    static const struct thing nothing;
    CHECK(memcmp(zero, &nothing, sizeof nothing) == 0);
    CHECK_EQ(thing_of_i64(zero), 0);
    CHECK_EQ(thing_shared_i64(zero), 0);
    CHECK(!thing_text(zero) && !thing_next(zero) && !thing_flag(zero));
}

/* Told to the default context: there is no other. */
static size_t told_by_default(void)
{
    struct obv_counters counters;
    obv_context_counters(obv_context_default(), &counters);
    return counters.diagnostics;
}

TEST(FA_2_an_inline_setter_of_what_was_never_made_stores_nothing_and_says_so)
{
    struct thing zero;
    memset(&zero, 0, sizeof zero);
    size_t before = told_by_default();
    set_everything(&zero);
    expect_nothing(&zero);
    CHECK(told_by_default() > before);
}

TEST(FA_2_the_same_while_some_class_is_observed)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_observation *handle = NULL;
    struct thing zero;
    memset(&zero, 0, sizeof zero);
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    CHECK_EQ(obv_observe_class(fixture.item_class, "*", &probe.kind, &probe,
                               NULL, &handle, NULL),
             OBV_OK);
    set_everything(&zero);
    expect_nothing(&zero);
    end(handle);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* As a value -------------------------------------------------------------- */

static struct stage {
    struct fixture fixture;
    struct item *root;
    struct item zero;
    struct witness witness;
    struct obv_observation *handle;
} stage;

static void stage_begin(const char *path, uint32_t flags)
{
    memset(&stage, 0, sizeof stage);
    fixture_begin(&stage.fixture);
    stage.root = item_create(&stage.fixture);
    witness_init(&stage.witness, &stage.fixture);
    stage.handle =
        path ? witness(&stage.root->object, path, &stage.witness, flags) : NULL;
}

static void stage_end(void)
{
    end(stage.handle);
    CHECK(drain(&stage.fixture) >= 0);
    item_release(&stage.root->object);
    probe_release(&stage.witness);
    fixture_end(&stage.fixture);
}

static void expect_refused(const char *path, uint32_t flags)
{
    stage_begin(path, flags);
    struct item *other = item_create(&stage.fixture);
    CHECK_EQ(obv_set_object(&stage.root->object, ITEM_NEXT, &stage.zero.object),
             OBV_E_ARGUMENT);
    CHECK(!item_next(stage.root));
    CHECK_EQ(stage.fixture.diagnostics, 0);
    /* Refused as one that is at its end: nobody is there any more. */
    item_set_next(stage.root, other);
    item_set_next(stage.root, &stage.zero);
    CHECK(!item_next(stage.root));
    CHECK_EQ(stage.fixture.diagnostics, 1);
    CHECK_EQ(stage.fixture.last.kind, OBV_DIAGNOSTIC_HEADER);
    CHECK_TEXT(stage.fixture.last.path, "next");
    CHECK_EQ(other->references, 1);
    item_release(&other->object);
    stage_end();
}

TEST(FA_2_what_was_never_made_is_stored_in_no_property)
{
    expect_refused(NULL, 0);
    expect_refused("next", OBV_VALUES);
    expect_refused("next", OBV_VALUES | OBV_IMMEDIATE | OBV_PRIOR);
    expect_refused("next.small", OBV_VALUES);
    expect_refused("*.small", OBV_RECORDS);
}

static struct item
    *set_meanwhile[2]; /* the first one's next is set to the other */

static void sets_meanwhile(void *context,
                           const struct obv_diagnostic *diagnostic)
{
    (void)context;
    CHECK_EQ(diagnostic->kind, OBV_DIAGNOSTIC_HEADER);
    item_set_next(set_meanwhile[0], set_meanwhile[1]);
}

TEST(FA_2_the_hook_that_is_told_of_it_sets_the_same_property)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = sets_meanwhile};
    struct fixture fixture = {.item_table = item_table()};
    struct item zero;
    memset(&zero, 0, sizeof zero);
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &fixture.item_table,
                              &fixture.item_class, NULL),
             OBV_OK);
    struct item *root = item_create(&fixture), *first = item_create(&fixture),
                *second = item_create(&fixture);
    set_meanwhile[0] = root;
    set_meanwhile[1] = second;
    item_set_next(root, first);
    item_set_next(root, &zero);
    CHECK(!item_next(root));
    CHECK_EQ(first->references, 1);
    CHECK_EQ(second->references, 1);
    item_release(&first->object);
    item_release(&second->object);
    item_release(&root->object);
    CHECK_EQ(obv_context_destroy(fixture.context), OBV_OK);
}

TEST(MT_1_a_trigger_is_told_no_object_that_was_never_made)
{
    stage_begin("next", OBV_VALUES);
    const struct item *old = &stage.zero;
    CHECK_EQ(obv_trigger(&stage.root->object, ITEM_NEXT, &old, NULL), OBV_OK);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.old.kind, OBV_KIND_unreachable);
    stage_end();
}

/* Observing --------------------------------------------------------------- */

TEST(FA_2_what_was_never_made_is_no_root)
{
    stage_begin(NULL, 0);
    struct obv_object *zero = &stage.zero.object;
    const struct obv_handler_kind *kind = &stage.witness.probe.kind;
    const struct obv_pair pairs[] = {{&stage.root->object, "small"},
                                     {zero, "small"}};
    const struct obv_compiled_pair compiled[] = {{zero, NULL}};
    const struct obv_observe_options options = options_of(OBV_EXTENSIBLE);
    struct obv_observation *handle = NULL;
    struct obv_error error;
    CHECK_EQ(obv_observe(zero, "small", kind, &stage.witness, &handle, &error),
             OBV_E_ARGUMENT);
    CHECK(strstr(error.message, "obv_object_init"));
    CHECK_EQ(obv_observe_pairs(pairs, 2, kind, &stage.witness, NULL, &handle,
                               &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(error.index, 1);
    CHECK_EQ(obv_observe_compiled(compiled, 1, kind, &stage.witness, NULL,
                                  &handle, &error),
             OBV_E_ARGUMENT);
    CHECK(!handle);
    CHECK_EQ(obv_observe_pairs(pairs, 1, kind, &stage.witness, &options,
                               &stage.handle, NULL),
             OBV_OK);
    CHECK_EQ(obv_observe_also(stage.handle, pairs + 1, 1, &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_compiled_also(stage.handle, compiled, 1, &error),
             OBV_E_ARGUMENT);
    stage_end();
}

TEST(FA_2_what_was_never_made_is_no_observer)
{
    stage_begin(NULL, 0);
    struct probe zero;
    struct obv_observation *handle = NULL;
    struct obv_handler_kind kind = {.changed = probe_changed,
                                    .flags = OBV_OBSERVER_IS_OBJECT};
    memset(&zero, 0, sizeof zero);
    CHECK_EQ(
        obv_observe(&stage.root->object, "small", &kind, &zero, &handle, NULL),
        OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_class(stage.fixture.item_class, "small", &kind, &zero,
                               NULL, &handle, NULL),
             OBV_E_ARGUMENT);
    CHECK(!handle);
    CHECK_EQ(obv_stop_observer(&stage.root->object, &zero, NULL, 0, NULL),
             OBV_OK);
    stage_end();
}

static void never_each(void *context, const char *name)
{
    (void)context;
    (void)name;
    CHECK(false);
}

static void never_entry(void *context, const struct obv_observer_entry *entry)
{
    (void)context;
    (void)entry;
    CHECK(false);
}

static void never_edge(void *context, const struct obv_edge_entry *entry)
{
    (void)context;
    (void)entry;
    CHECK(false);
}

TEST(FA_2_nobody_stops_or_looks_at_what_was_never_made)
{
    stage_begin("small", 0);
    struct obv_object *zero = &stage.zero.object;
    const struct obv_handler_kind *kind = &stage.witness.probe.kind;
    const char *const path = "small";
    struct obv_names *names = obv_context_names(stage.fixture.context);
    struct obv_path *small;
    CHECK_EQ(obv_path_parse(names, path, strlen(path), &small, NULL), OBV_OK);
    const struct obv_path *const paths[] = {small};
    CHECK_EQ(obv_stop_observer(zero, &stage.witness, NULL, 0, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_observer(zero, &stage.witness, &path, 1, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_handler(zero, kind, &stage.witness), OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_observer_compiled(zero, &stage.witness, NULL, 0),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_observer_compiled(zero, &stage.witness, paths, 1),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_cut_off(zero, path, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_cut_off_compiled(zero, small, NULL), OBV_E_ARGUMENT);
    /* These compare the root with those that there are, and find none. */
    CHECK_EQ(obv_stop_path(stage.handle, zero, path, NULL), OBV_OK);
    obv_stop_compiled(stage.handle, zero, small);
    CHECK(!obv_has_ended(stage.handle));
    CHECK_EQ(obv_observer_count(zero, path), 0);
    CHECK_EQ(obv_observer_count(zero, "*"), 0);
    obv_observed_properties(zero, never_each, NULL);
    CHECK_EQ(obv_debug_each_observer(zero, never_entry, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_debug_show_all_observers(zero, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_debug_break_on_change(zero, path, NULL, NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_debug_each_edge(zero, 0, never_edge, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_graph_write(&zero, 1, OBV_GRAPH_TEXT, 0, NULL, NULL),
             OBV_E_ARGUMENT);
    obv_path_destroy(small);
    stage_end();
}

/* By path ----------------------------------------------------------------- */

TEST(FA_2_triggers_and_reads_of_what_was_never_made_are_refused)
{
    stage_begin("small", 0);
    struct obv_object *zero = &stage.zero.object;
    const int32_t old = 0;
    struct obv_place place;
    struct obv_path *small;
    struct obv_names *names = obv_context_names(stage.fixture.context);
    CHECK_EQ(obv_path_parse(names, "small", 5, &small, NULL), OBV_OK);
    CHECK_EQ(obv_trigger(zero, ITEM_SMALL, &old, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_trigger_path(zero, "small", &old, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_place_find(zero, small, &place, NULL), OBV_E_ARGUMENT);
    obv_place_leave(&place);
    struct obv_value value;
    CHECK_EQ(obv_value_at(zero, "small", &value, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_value_at_compiled(zero, small, &value, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_observed_value(stage.handle, zero, "small", &value, NULL),
             OBV_E_ARGUMENT);
    obv_path_destroy(small);
    stage_end();
}

static enum obv_component_place
resolve_nothing(const struct obv_component *component,
                struct obv_object *object, uint32_t *property)
{
    (void)component;
    (void)object;
    (void)property;
    CHECK(false);
    return OBV_COMPONENT_LACKING;
}

TEST(FA_2_nothing_of_what_was_never_made_is_computed)
{
    struct obv_object zero = {0};
    CHECK_EQ(obv_invalidate(&zero, 0), OBV_E_ARGUMENT);
    CHECK_EQ(obv_invalidate(NULL, 0), OBV_E_ARGUMENT);
    CHECK_EQ(obv_invalidate_all(&zero), OBV_E_ARGUMENT);
    CHECK_EQ(obv_validate_all(&zero), OBV_E_ARGUMENT);
    CHECK(!obv_is_valid(&zero, 0));
    CHECK(!obv_late_offered(&zero, 0));
    CHECK_EQ(obv_depend_no_more(&zero, 0, &zero, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_depend_no_more_compiled(&zero, 0, &zero, NULL, NULL),
             OBV_E_ARGUMENT);
}

TEST(LL_2_nothing_depends_on_what_was_never_made)
{
    stage_begin("next", 0);
    struct obv_object zero = {0}, *sound = &stage.root->object;
    struct obv_names *names = obv_context_names(stage.fixture.context);
    struct obv_path *path;
    CHECK_EQ(obv_path_parse(names, "next", 4, &path, NULL), OBV_OK);
    CHECK_EQ(obv_depend_on(&zero, 0, sound, "next", NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_depend_on(sound, 0, &zero, "next", NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_depend_on_compiled(&zero, 0, sound, path, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_depend_on_compiled(sound, 0, &zero, path, NULL),
             OBV_E_ARGUMENT);
    obv_path_destroy(path);
    stage_end();
}

static enum obv_status carry_nothing(struct obv_carrier *carrier,
                                     struct obv_carrying *carrying,
                                     bool is_reverse, struct obv_value *values,
                                     struct obv_object *root)
{
    (void)carrier;
    (void)carrying;
    (void)is_reverse;
    (void)values;
    (void)root;
    return OBV_OK;
}

static size_t carriers_disposed;

static void dispose_carrier(struct obv_carrier *carrier, bool is_made)
{
    (void)carrier;
    CHECK(!is_made);
    carriers_disposed++;
}

TEST(BI_1_nothing_is_bound_to_what_was_never_made)
{
    stage_begin("small", 0);
    struct obv_object zero = {0};
    struct obv_object *objects[] = {&zero, &stage.root->object};
    struct obv_carrier carrier = {.carry = carry_nothing,
                                  .dispose = dispose_carrier};
    struct obv_names *names = obv_context_names(stage.fixture.context);
    struct obv_path *path;
    struct obv_error error;
    struct obv_binder *binder = NULL;
    CHECK_EQ(obv_path_parse(names, "small", 5, &path, NULL), OBV_OK);
    for (size_t i = 0; i < 2; i++) {
        const struct obv_binder_end from = {objects[i], "small", NULL};
        const struct obv_binder_end to = {objects[1 - i], "small", NULL};
        const struct obv_compiled_end compiled[] = {
            {objects[i], path, NULL}, {objects[1 - i], path, NULL}};
        CHECK_EQ(obv_bind(&from, &to, NULL, &binder, &error), OBV_E_ARGUMENT);
        CHECK_EQ(error.index, i);
        CHECK_EQ(obv_bind_compiled(compiled, 1, &carrier, &binder, &error),
                 OBV_E_ARGUMENT);
        CHECK_EQ(error.index, i);
        CHECK(!binder);
    }
    CHECK_EQ(carriers_disposed, 2);
    obv_path_destroy(path);
    stage_end();
}

TEST(KP_12_a_component_is_not_asked_about_what_was_never_made)
{
    stage_begin(NULL, 0);
    const struct obv_component_kind kind = {.size = sizeof kind,
                                            .resolve = resolve_nothing};
    struct obv_component component = {.kind = &kind};
    struct obv_element element = obv_component_resolve(
        stage.fixture.context, &component, &stage.zero.object);
    CHECK_EQ(element.kind, OBV_ELEMENT_COMPONENT);
    stage_end();
}

/* Life -------------------------------------------------------------------- */

TEST(FA_2_what_was_never_made_has_no_class_and_no_end)
{
    struct obv_object zero = {0};
    CHECK(!obv_object_class(&zero));
    CHECK_EQ(obv_object_identity(&zero), 0);
    CHECK_EQ(obv_object_deinit(&zero), OBV_E_ARGUMENT);
    CHECK_EQ(obv_object_deinit(&zero), OBV_E_ARGUMENT);
    CHECK_EQ(obv_object_deinit_word(zero.word), OBV_E_ARGUMENT);
    obv_object_adopt(&zero, NULL);
    CHECK(!obv_foreign_address(&zero));
    CHECK_EQ(obv_foreign_unregister(&zero), OBV_E_ARGUMENT);
    CHECK_EQ(obv_foreign_trigger_all(&zero), OBV_E_ARGUMENT);
    CHECK_EQ(zero.word, 0);
}

TEST(LT_1_what_was_never_made_is_made_later)
{
    stage_begin(NULL, 0);
    struct item later;
    memset(&later, 0, sizeof later);
    item_set_small(&later, 1);
    CHECK_EQ(obv_object_deinit(&later.object), OBV_E_ARGUMENT);
    obv_object_init(&later.object, stage.fixture.item_class);
    CHECK(obv_object_class(&later.object) == stage.fixture.item_class);
    item_set_small(&later, 2);
    CHECK_EQ(item_small(&later), 2);
    CHECK_EQ(obv_object_deinit(&later.object), OBV_OK);
    stage_end();
}
