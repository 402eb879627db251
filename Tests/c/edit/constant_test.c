/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant containers that stand for values of a binding: they are made when the
 * library asks for them, and nobody holds them but the library, while it follows
 * something there.
 */
#include "test.h"

#include <observable/container.h>
#include <observable/observable.h>

#include <stdlib.h>
#include <string.h>

struct thing {
    struct obv_object object;
    int64_t title;
};

enum { ROOM = 2 };

/* A value: so many things, from the first on. */
struct poll {
    struct obv_object object;
    int64_t answers;
};

/* What stands for it. */
struct answers {
    struct obv_container container;
    int64_t count;
    size_t references;
};

static struct obv_context *context;
static struct obv_class *answers_class;
static struct thing things[ROOM];
static const struct obv_object *first_thing = &things[0].object;
static const struct obv_object *second_thing = &things[1].object;
static struct poll poll;
static struct answers *of_value[ROOM + 1]; /* those that there are */

/* The containers ----------------------------------------------------------- */

static struct answers *answers_of(const struct obv_object *object)
{
    return (struct answers *)(uintptr_t)object;
}

static bool retain_answers(struct obv_object *object)
{
    return answers_of(object)->references++ != 0;
}

static void release_answers(struct obv_object *object)
{
    struct answers *answers = answers_of(object);
    if (--answers->references == 0) {
        of_value[answers->count] = NULL;
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(answers);
    }
}

static size_t count_answers(const struct obv_container *container)
{
    return (size_t)answers_of(&container->object)->count;
}

static const void *answer_at(const struct obv_container *container,
                             size_t position)
{
    (void)container;
    return position == 0 ? &first_thing : &second_thing;
}

static const struct obv_container_kind answers_kind = {
    .size = sizeof answers_kind,
    .name = "answers",
    .instance_size = sizeof(struct answers),
    .element = OBV_ELEMENT(object),
    .count = count_answers,
    .at = answer_at,
    .retain = retain_answers,
    .release = release_answers,
    .is_constant = true};

static struct obv_object *take_answers(const struct obv_property *property,
                                       const void *value)
{
    int64_t count = *(const int64_t *)value;
    struct answers *answers = of_value[count];
    (void)property;
    if (!answers) {
        answers = of_value[count] = calloc(1, sizeof *answers);
        CHECK(answers);
        answers->count = count;
        CHECK_EQ(obv_container_init(&answers->container, answers_class),
                 OBV_OK);
    }
    answers->references++;
    return &answers->container.object;
}

static struct obv_object *answers_behind(const struct obv_property *property,
                                         struct obv_object *object)
{
    return take_answers(property, &((struct poll *)object)->answers);
}

static bool answers_are_equal(const struct obv_property *property_a,
                              struct obv_object *a,
                              const struct obv_property *property_b,
                              struct obv_object *b)
{
    (void)property_a, (void)property_b;
    return ((struct poll *)a)->answers == ((struct poll *)b)->answers;
}

static bool are_same(const struct obv_property *property, const void *a,
                     const void *b)
{
    (void)property;
    return *(const int64_t *)a == *(const int64_t *)b;
}

static const struct obv_value_kind values = {.size = sizeof values,
                                             .equal = answers_are_equal,
                                             .child = answers_behind,
                                             .child_of = take_answers,
                                             .same = are_same};

/* The test keeps it. */
static bool retain_poll(struct obv_object *object)
{
    return object == &poll.object;
}

static void release_poll(struct obv_object *object)
{
    (void)object;
}

static size_t containers(void)
{
    size_t count = 0;
    for (size_t i = 0; i <= ROOM; i++) {
        count += of_value[i] != NULL;
    }
    return count;
}

/* Around a test ------------------------------------------------------------ */

static void begin(void)
{
    static const struct obv_property title = OBV_FIELD(thing, title, i64);
    static const struct obv_property answers = {
        .name = "answers",
        .kind = OBV_KIND_custom,
        .offset = offsetof(struct poll, answers),
        .size = sizeof(int64_t),
        .custom = &values};
    static const struct obv_class_table thing_table = {
        .size = sizeof thing_table,
        .name = "thing",
        .instance_size = sizeof(struct thing),
        .properties = &title,
        .property_count = 1};
    static const struct obv_class_table poll_table = {.size = sizeof poll_table,
                                                      .name = "poll",
                                                      .instance_size =
                                                          sizeof(struct poll),
                                                      .properties = &answers,
                                                      .property_count = 1,
                                                      .retain = retain_poll,
                                                      .release = release_poll};
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    struct obv_class *thing_class, *poll_class;
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &thing_table, &thing_class, NULL),
             OBV_OK);
    CHECK_EQ(obv_class_create(context, &poll_table, &poll_class, NULL), OBV_OK);
    CHECK_EQ(obv_container_class_create(context, &answers_kind, &answers_class,
                                        NULL),
             OBV_OK);
    poll = (struct poll){.answers = 1};
    obv_object_init(&poll.object, poll_class);
    for (size_t i = 0; i < ROOM; i++) {
        things[i] = (struct thing){.title = 0};
        obv_object_init(&things[i].object, thing_class);
    }
}

static void finish(void)
{
    for (size_t i = 0; i < ROOM; i++) {
        CHECK_EQ(obv_object_deinit(&things[i].object), OBV_OK);
    }
    obv_loop_drain(obv_context_loop(context));
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(containers(), 0);
    CHECK_EQ(test_live_blocks(), 0);
}

static int calls;

static void count_call(void *observer, struct obv_object *object,
                       const struct obv_call *call)
{
    (void)observer, (void)object, (void)call;
    calls++;
}

static const struct obv_handler_kind kind = {.changed = count_call};

static enum obv_status observe_in(const char *path,
                                  struct obv_observation **handle)
{
    const struct obv_pair pair = {.root = &poll.object, .path = path};
    const struct obv_observe_options options = {.size = sizeof options};
    return obv_observe_pairs(&pair, 1, &kind, &calls, &options, handle, NULL);
}

static struct obv_observation *observe(const char *path)
{
    struct obv_observation *handle = NULL;
    CHECK_EQ(observe_in(path, &handle), OBV_OK);
    return handle;
}

static void stop(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

static void set_answers(int64_t answers)
{
    int64_t old = poll.answers;
    poll.answers = answers;
    CHECK_EQ(obv_trigger(&poll.object, 0, &old, NULL), OBV_OK);
}

static int drained(void)
{
    calls = 0;
    obv_loop_drain(obv_context_loop(context));
    return calls;
}

/* ------------------------------------------------------------------------- */

/* One at a time, by each element of a path that can lead there. */
TEST(IC_1_a_container_is_held_while_something_is_followed_in_it)
{
    static const char *const paths[] = {"answers.#0.title", "answers.0.title",
                                        "answers.*.title",  "answers.count",
                                        "answers.#1",       "answers.0"};
    begin();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct obv_observation *handle = observe(paths[i]);
        CHECK_EQ(containers(), 1);
        CHECK(of_value[1] && of_value[1]->references == 1);
        set_answers(2);
        CHECK_EQ(containers(), 1);
        CHECK(of_value[2]);
        set_answers(1);
        stop(handle);
        CHECK_EQ(containers(), 0);
        (void)drained();
    }
    CHECK_EQ(obv_object_deinit(&poll.object), OBV_OK);
    finish();
}

TEST(IC_1_what_is_followed_there_is_called)
{
    begin();
    struct obv_observation *title = observe("answers.#0.title");
    struct obv_observation *second = observe("answers.#1");
    CHECK_EQ(obv_set_i64(&things[0].object, 0, 7), OBV_OK);
    CHECK_EQ(drained(), 1);
    set_answers(2);
    CHECK_EQ(drained(), 1);
    set_answers(0);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(containers(), 1);
    CHECK_EQ(obv_object_deinit(&poll.object), OBV_OK);
    CHECK_EQ(containers(), 0);
    stop(title);
    stop(second);
    finish();
}

/* Values in a container that is edited. */
struct polls {
    struct obv_container container;
    int64_t values[4];
    size_t count;
};

/* The test keeps them. */
static bool retain_polls(struct obv_object *object)
{
    return object != NULL;
}

static size_t count_polls(const struct obv_container *container)
{
    return ((const struct polls *)(const void *)container)->count;
}

static const void *poll_at(const struct obv_container *container,
                           size_t position)
{
    return &((const struct polls *)(const void *)container)->values[position];
}

static void edit_polls(struct polls *polls, size_t position, size_t removed,
                       const int64_t *come, size_t inserted)
{
    int64_t old[4];
    memcpy(old, &polls->values[position], removed * sizeof *old);
    memmove(&polls->values[position + inserted],
            &polls->values[position + removed],
            (polls->count - position - removed) * sizeof *old);
    if (inserted != 0) {
        memcpy(&polls->values[position], come, inserted * sizeof *old);
    }
    polls->count += inserted - removed;
    const struct obv_container_edit told = {.position = position,
                                            .removed = removed,
                                            .inserted = inserted,
                                            .old = old};
    CHECK_EQ(obv_container_edited(&polls->container, &told, 1, NULL), OBV_OK);
}

static const struct obv_container_kind polls_kind = {
    .size = sizeof polls_kind,
    .name = "polls",
    .instance_size = sizeof(struct polls),
    .element = {.name = "element",
                .kind = OBV_KIND_custom,
                .size = sizeof(int64_t),
                .custom = &values},
    .count = count_polls,
    .at = poll_at,
    .retain = retain_polls,
    .release = release_poll};

/* Behind a star they are made one after the other, and led through then. */
TEST(IC_1_WC_3_containers_behind_a_star_are_held)
{
    const int64_t two = 2;
    struct polls polls = {.values = {1, 2}, .count = 2};
    struct obv_class *cls;
    begin();
    CHECK_EQ(obv_container_class_create(context, &polls_kind, &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_container_init(&polls.container, cls), OBV_OK);
    const struct obv_pair pair = {&polls.container.object, "*.*.title"};
    struct obv_observation *handle;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, &calls, NULL, &handle, NULL),
             OBV_OK);
    CHECK_EQ(containers(), 2);
    CHECK_EQ(obv_set_i64(&things[1].object, 0, 7), OBV_OK);
    CHECK_EQ(drained(), 1);
    edit_polls(&polls, 1, 1, NULL, 0);
    CHECK_EQ(containers(), 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_set_i64(&things[1].object, 0, 8), OBV_OK);
    CHECK_EQ(drained(), 0);
    edit_polls(&polls, 0, 0, &two, 1);
    edit_polls(&polls, 2, 0, &two, 1);
    CHECK_EQ(containers(), 2);
    CHECK_EQ(drained(), 1);
    edit_polls(&polls, 0, 1, NULL, 0);
    CHECK_EQ(obv_set_i64(&things[1].object, 0, 9), OBV_OK);
    CHECK_EQ(drained(), 1);
    stop(handle);
    CHECK_EQ(obv_object_deinit(&polls.container.object), OBV_OK);
    CHECK_EQ(containers(), 0);
    CHECK_EQ(obv_object_deinit(&poll.object), OBV_OK);
    finish();
}

static struct obv_record_element told_element;

static void keep_element(void *observer, struct obv_object *object,
                         const struct obv_call *call)
{
    (void)observer, (void)object;
    CHECK_EQ(call->record->count, 1);
    CHECK_EQ(call->record->entries->element_count, 1);
    told_element = call->record->entries->elements[0];
}

/* It stands for a value: a record does not keep it. */
TEST(DR_13_IC_1_a_container_of_a_value_is_told_by_its_identity_alone)
{
    static const struct obv_handler_kind keeping = {.changed = keep_element};
    struct polls polls = {.values = {1, 2}, .count = 2};
    struct obv_class *cls;
    begin();
    CHECK_EQ(obv_container_class_create(context, &polls_kind, &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_container_init(&polls.container, cls), OBV_OK);
    const struct obv_pair pair = {&polls.container.object, "*.#1.title"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_RECORDS};
    struct obv_observation *handle;
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &keeping, NULL, &options, &handle, NULL),
        OBV_OK);
    uint64_t identity = obv_object_identity(&of_value[2]->container.object);
    CHECK_EQ(obv_set_i64(&things[1].object, 0, 7), OBV_OK);
    edit_polls(&polls, 1, 1, NULL, 0);
    CHECK_EQ(containers(), 1);
    CHECK_EQ(drained(), 0);
    CHECK(!told_element.object && !told_element.name);
    CHECK_EQ(told_element.identity, identity);
    stop(handle);
    CHECK_EQ(obv_object_deinit(&polls.container.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&poll.object), OBV_OK);
    finish();
}

/* An occurrence that is not there any more holds nothing. */
TEST(AR_1_what_has_left_holds_no_container)
{
    begin();
    set_answers(2);
    struct obv_observation *handle = observe("answers.1.title");
    CHECK_EQ(containers(), 1);
    set_answers(1);
    CHECK_EQ(containers(), 0);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_object_deinit(&poll.object), OBV_OK);
    stop(handle);
    finish();
}

TEST(OS_3_every_instance_s_container_is_held)
{
    struct obv_observation *handle = NULL;
    begin();
    CHECK_EQ(obv_observe_class(obv_object_class(&poll.object),
                               "answers.#0.title", &kind, &calls, NULL, &handle,
                               NULL),
             OBV_OK);
    set_answers(2);
    CHECK_EQ(containers(), 1);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_set_i64(&things[0].object, 0, 7), OBV_OK);
    CHECK_EQ(drained(), 1);
    stop(handle);
    CHECK_EQ(containers(), 0);
    CHECK_EQ(obv_object_deinit(&poll.object), OBV_OK);
    finish();
}

/* Wherever memory is short: nothing is left that was held. */
TEST(FA_1_a_container_is_given_back_where_observing_fails)
{
    static const char *const paths[] = {"answers.#0.title", "answers.0.title",
                                        "answers.*.title", "answers.count"};
    begin();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        bool has_failed = true;
        for (size_t n = 1; has_failed; n++) {
            struct obv_observation *handle = NULL;
            test_fail_allocation(n, false);
            enum obv_status status = observe_in(paths[i], &handle);
            has_failed = test_allocation_failed();
            test_fail_allocation(0, false);
            if (status == OBV_OK) {
                CHECK_EQ(containers(), 1);
                stop(handle);
            }
            CHECK_EQ(containers(), 0);
        }
    }
    CHECK_EQ(obv_object_deinit(&poll.object), OBV_OK);
    finish();
}

TEST(FA_1_a_container_is_given_back_where_following_fails)
{
    begin();
    struct obv_observation *handle = observe("answers.#0.title");
    bool has_failed = true;
    for (size_t n = 1; has_failed; n++) {
        test_fail_allocation(n, false);
        set_answers(2);
        has_failed = test_allocation_failed();
        test_fail_allocation(0, false);
        set_answers(1);
        CHECK_EQ(containers(), 1);
        (void)drained();
    }
    stop(handle);
    CHECK_EQ(containers(), 0);
    CHECK_EQ(obv_object_deinit(&poll.object), OBV_OK);
    finish();
}

TEST(IC_2_a_constant_container_is_no_root_and_never_edited)
{
    begin();
    struct obv_observation *handle = NULL;
    struct obv_error error;
    struct obv_object *answers = take_answers(NULL, &poll.answers);
    const struct obv_pair pair = {.root = answers, .path = "count"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, &calls, NULL, &handle, &error),
             OBV_E_ARGUMENT);
    CHECK_TEXT(error.message, "a constant container is no root: observe from "
                              "the object that holds it");
    CHECK_EQ(
        obv_container_edited((struct obv_container *)answers, NULL, 0, &error),
        OBV_E_ARGUMENT);
    CHECK_TEXT(error.message, "a constant container is not edited");
    release_answers(answers);
    CHECK_EQ(obv_object_deinit(&poll.object), OBV_OK);
    finish();
}
