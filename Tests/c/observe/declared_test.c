/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KP-12: a text path that can lead nowhere by the declared types is accepted,
 * and told of as it begins to be observed, where that is asked for: in debug
 * builds from the beginning.
 */
#include "told_fixture.h"

#include <observable/component.h>

static struct item *root;

static void begin(void)
{
    told_begin();
    obv_check_paths(fixture.context, true);
    probe.kind.file = "declared.c";
    probe.kind.line = 12;
    root = item_create(&fixture);
}

static void finish(void)
{
    item_release(&root->object);
    fixture_end(&fixture);
}

/* Observes a path, which is accepted; `want` begins what is told of it. */
static void check_told(const char *path, const char *want)
{
    size_t before = fixture.diagnostics;
    char unresolved[8];
    struct obv_observation *handle = observe(root, path, &probe);
    CHECK_EQ(fixture.diagnostics, before + (want != NULL));
    if (fixture.diagnostics != before) {
        CHECK_EQ(fixture.last.kind, OBV_DIAGNOSTIC_DECLARED);
        CHECK(strncmp(told, want, strlen(want)) == 0);
        CHECK_TEXT(fixture.last.file, "declared.c");
        CHECK_EQ(fixture.last.line, 12);
    }
    CHECK_EQ(obv_unresolved_path(handle, 0, unresolved, sizeof unresolved), -1);
    end(handle);
}

static const char *const of_text =
    "the path can lead nowhere: property `text`, its element 2, holds no "
    "object";
static const char *const of_lack =
    "the path leads nowhere by the declared types: its element 2 is no "
    "property of the class that is declared there, nor of a subclass that is "
    "known";
static const char *const of_position =
    "the path can lead nowhere: its element 3 is no property, and an object "
    "has nothing else";

TEST(KP_12_what_can_lead_nowhere_is_told_by_debug_builds)
{
    begin();
    check_told("next.text.length", of_text);
    check_told("large.x", "the path can lead nowhere: property `large`, its "
                          "element 1, holds no object");
    check_told("pointer.x", "the path can lead nowhere: property `pointer`, "
                            "its element 1, holds no object");
    check_told("next.nobody", of_lack);
    check_told("next.nobody.large", of_lack);
    check_told("next.\\nobody", of_lack);
    check_told("next.next.#0", of_position);
    check_told("next.next.3.large", of_position);
    finish();
}

TEST(KP_12_what_may_lead_somewhere_is_not_told)
{
    begin();
    check_told("large", NULL);
    check_told("next", NULL);
    check_told("next.next.next.shared", NULL);
    check_told("next.\\text", NULL);
    check_told("*", NULL);
    check_told("next.*", NULL);
    /* Behind a `*` what is no object is passed over. */
    check_told("*.nobody", NULL);
    check_told("next.*.nobody.#3", NULL);
    finish();
}

/* The first element has a report of its own, in every build. */
TEST(KP_12_a_first_element_is_told_once)
{
    begin();
    struct obv_observation *handle = observe(root, "nobody.large", &probe);
    CHECK_EQ(fixture.diagnostics, 1);
    CHECK_EQ(fixture.last.kind, OBV_DIAGNOSTIC_UNRESOLVED);
    end(handle);
    finish();
}

/* "did you mean": the class, and the name that is the nearest. */
TEST(KP_12_reports_name_the_class_and_the_nearest_name)
{
    static const struct {
        const char *path, *tail;
    } wrong[] = {{"lareg", " (class `item`; did you mean `large`?)"},
                 {"txt", " (class `item`; did you mean `text`?)"},
                 {"nxet.large", " (class `item`; did you mean `next`?)"},
                 {"next.shard", " (class `item`; did you mean `shared`?)"},
                 {"next.larrge.x", " (class `item`; did you mean `large`?)"},
                 {"next.elsewhere", " (class `item`)"},
                 {"elsewhere", " (class `item`)"},
                 {"x", " (class `item`)"}};
    begin();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct obv_observation *handle = observe(root, wrong[i].path, &probe);
        size_t length = strlen(told), tail = strlen(wrong[i].tail);
        CHECK_EQ(fixture.diagnostics, i + 1);
        CHECK(length > tail);
        CHECK_TEXT(told + length - tail, wrong[i].tail);
        end(handle);
    }
    finish();
}

/* In any build: only while it is asked for. */
TEST(KP_12_a_context_is_asked_to_look)
{
    begin();
    obv_check_paths(fixture.context, false);
    struct obv_observation *handle = observe(root, "next.nobody", &probe);
    CHECK_EQ(fixture.diagnostics, 0);
    end(handle);
    obv_check_paths(fixture.context, true);
    check_told("next.nobody", of_lack);
    finish();
}

struct sub {
    struct item item;
    int32_t extra;
    struct obv_object *anything;
};
enum { SUB_EXTRA = ITEM_COUNT, SUB_ANYTHING };
static const struct obv_property sub_properties[] = {
    OBV_FIELD(sub, extra, i32), OBV_FIELD(sub, anything, object)};

/* From the registration epoch at which the class is there. */
TEST(KP_11_a_property_of_a_known_subclass_is_not_told)
{
    begin();
    check_told("next.extra", of_lack);
    struct obv_class_table table = {.size = sizeof table,
                                    .name = "sub",
                                    .instance_size = sizeof(struct sub),
                                    .superclass = fixture.item_class,
                                    .properties = sub_properties,
                                    .property_count = 2};
    struct obv_class *subs;
    CHECK_EQ(obv_class_create(fixture.context, &table, &subs, NULL), OBV_OK);
    check_told("next.extra", NULL);
    check_told("next.extra.nobody", NULL);
    check_told("next.other", of_lack);
    /* A property that is declared to hold any object. */
    struct sub own;
    memset(&own, 0, sizeof own);
    own.item.references = 2;
    obv_object_init(&own.item.object, subs);
    struct item *before = root;
    root = &own.item;
    check_told("anything.nobody.3", NULL);
    check_told("extra.x", "the path can lead nowhere: property `extra`, its "
                          "element 1, holds no object");
    root = before;
    CHECK_EQ(obv_object_deinit(&own.item.object), OBV_OK);
    finish();
}

TEST(KP_12_every_call_that_observes_tells)
{
    struct obv_observation *handle;
    begin();
    struct obv_pair pairs[] = {{&root->object, "next.text.length"},
                               {&root->object, "large"},
                               {&root->object, "next.nobody"}};
    CHECK_EQ(
        obv_observe_pairs(pairs, 3, &probe.kind, &probe, NULL, &handle, NULL),
        OBV_OK);
    CHECK_EQ(fixture.diagnostics, 2);
    CHECK_EQ(obv_observe_also(handle, pairs, 1, NULL), OBV_OK);
    CHECK_EQ(fixture.diagnostics, 3);
    end(handle);
    CHECK_EQ(obv_observe_class(fixture.item_class, "next.nobody", &probe.kind,
                               &probe, NULL, &handle, NULL),
             OBV_OK);
    CHECK_EQ(fixture.diagnostics, 4);
    end(handle);
    /* A call that is refused tells nobody. */
    pairs[1].path = "a..b";
    CHECK_EQ(
        obv_observe_pairs(pairs, 3, &probe.kind, &probe, NULL, &handle, NULL),
        OBV_E_SYNTAX);
    CHECK_EQ(fixture.diagnostics, 4);
    /* A compiled path is one like others. */
    struct obv_path *path;
    CHECK_EQ(obv_path_parse(obv_context_names(fixture.context), "next.nobody",
                            11, &path, NULL),
             OBV_OK);
    const struct obv_compiled_pair compiled = {&root->object, path};
    CHECK_EQ(obv_observe_compiled(&compiled, 1, &probe.kind, &probe, NULL,
                                  &handle, NULL),
             OBV_OK);
    CHECK_EQ(fixture.diagnostics, 5);
    obv_path_destroy(path);
    end(handle);
    finish();
}
