/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments that are null where they must not be: an answer, never a crash.
 */
#include "test.h"

#include <observable/observable.h>

struct thing {
    struct obv_object object;
    int32_t number;
};

static const struct obv_property properties[] = {OBV_FIELD(thing, number, i32)};
static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "thing",
                                             .instance_size =
                                                 sizeof(struct thing),
                                             .properties = properties,
                                             .property_count = 1};

static void ignore(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
}

static const struct obv_handler_kind kind = {.changed = ignore};

TEST(null_contexts_classes_and_loops_are_answered)
{
    struct obv_class *cls;
    struct obv_loop *loop;
    uint32_t index;
    int descriptor;
    CHECK_EQ(obv_context_create(NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_context_destroy(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_class_create(NULL, NULL, &cls, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_class_create(NULL, &table, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_class_property(NULL, "number", &index), OBV_E_ARGUMENT);
    CHECK_EQ(obv_validate(NULL, "number", NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_loop_create(NULL, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_loop_destroy(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_loop_drain(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_loop_pending(NULL), 0);
    CHECK_EQ(obv_loop_descriptor(NULL, &descriptor), OBV_E_ARGUMENT);
    CHECK_EQ(obv_loop_create(NULL, NULL, &loop), OBV_OK);
    CHECK_EQ(obv_loop_descriptor(loop, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
}

TEST(null_objects_are_answered)
{
    int32_t value;
    CHECK_EQ(obv_object_deinit(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_i32(NULL, 0, 1), OBV_E_ARGUMENT);
    CHECK_EQ(obv_get_i32(NULL, 0, &value), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_string(NULL, 0, "text"), OBV_E_ARGUMENT);
    CHECK_EQ(obv_set_object(NULL, 0, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_observer_count(NULL, "number"), 0);
    obv_observed_properties(NULL, NULL, NULL);
}

TEST(null_roots_paths_and_kinds_are_answered)
{
    struct obv_class *cls;
    struct thing thing = {.number = 0};
    const struct obv_handler_kind empty = {.label = "empty"};
    const struct obv_pair no_root = {NULL, "number"};
    struct obv_error error;
    CHECK_EQ(obv_class_create(NULL, &table, &cls, NULL), OBV_OK);
    obv_object_init(&thing.object, cls);
    CHECK_EQ(obv_observe(NULL, "number", &kind, NULL, NULL, &error),
             OBV_E_ARGUMENT);
    CHECK(error.message != NULL);
    CHECK_EQ(obv_observe(&thing.object, NULL, &kind, NULL, NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe(&thing.object, "number", NULL, NULL, NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe(&thing.object, "number", &empty, NULL, NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_pairs(NULL, 1, &kind, NULL, NULL, NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_pairs(&no_root, 1, &kind, NULL, NULL, NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_observer(NULL, &thing, NULL, 0, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_handler(NULL, &kind, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_handler(&thing.object, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_object_deinit(&thing.object), OBV_OK);
}

TEST(null_handles_are_no_ops)
{
    obv_stop(NULL);
    obv_release(NULL);
    obv_schedule(NULL);
    CHECK(!obv_execute(NULL));
    CHECK(obv_has_ended(NULL));
    CHECK(obv_stop_and_wait(NULL));
    CHECK_EQ(obv_unresolved_path(NULL, 0, NULL, 0), -1);
    CHECK_EQ(obv_stop_path(NULL, NULL, "number", NULL), OBV_OK);
}
