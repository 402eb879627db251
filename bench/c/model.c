/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler, the hooks and the classes of model.h.
 */
#include "model.h"

static const struct obv_property properties[] = {
    OBV_FIELD(user, age, i32),
    OBV_FIELD(user, size, i32),
    OBV_FIELD(user, weight, i32),
    OBV_FIELD(user, height, i32),
};

/* The handler: reads the property and counts. */
static void age_seen(void *observer, struct obv_object *root,
                     const struct obv_call *call)
{
    (void)call;
    tally_add(observer, user_age((struct user *)(void *)root));
}

static bool observer_keep(void *observer)
{
    (void)observer;
    return true;
}

static void observer_drop(void *observer)
{
    (void)observer;
}

static bool observer_retain(void *observer)
{
    struct tally *tally = observer;
    __atomic_fetch_add(&tally->held, 1, __ATOMIC_RELAXED);
    return true;
}

static void observer_release(void *observer)
{
    struct tally *tally = observer;
    __atomic_fetch_sub(&tally->held, 1, __ATOMIC_ACQ_REL);
}

const struct obv_handler_kind seen_kinds[3] = {
    [HOOKS_NONE] = {.changed = age_seen, .label = "no hooks"},
    [HOOKS_EMPTY] = {.changed = age_seen,
                     .retain = observer_keep,
                     .release = observer_drop,
                     .label = "empty hooks"},
    [HOOKS_COUNTING] = {.changed = age_seen,
                        .retain = observer_retain,
                        .release = observer_release,
                        .label = "counting hooks"},
};

static bool user_keep(struct obv_object *object)
{
    (void)object;
    return true;
}

static void user_drop(struct obv_object *object)
{
    (void)object;
}

static bool user_retain(struct obv_object *object)
{
    struct user *user = (struct user *)(void *)object;
    __atomic_fetch_add(&user->held, 1, __ATOMIC_RELAXED);
    return true;
}

static void user_release(struct obv_object *object)
{
    struct user *user = (struct user *)(void *)object;
    __atomic_fetch_sub(&user->held, 1, __ATOMIC_ACQ_REL);
}

#define USER_TABLE(class_name, ...)                                            \
    {                                                                          \
        .size = sizeof(struct obv_class_table), .name = class_name,            \
        .instance_size = sizeof(struct user), .properties = properties,        \
        .property_count = sizeof properties / sizeof *properties, __VA_ARGS__  \
    }

static const struct obv_class_table tables[3] = {
    [HOOKS_NONE] = USER_TABLE("user", .retain = NULL),
    [HOOKS_EMPTY] =
        USER_TABLE("kept user", .retain = user_keep, .release = user_drop),
    [HOOKS_COUNTING] = USER_TABLE("counted user", .retain = user_retain,
                                  .release = user_release),
};

struct obv_class *user_class(enum hooks hooks)
{
    static struct obv_class *classes[3];
    if (classes[hooks] == NULL) {
        BENCH_REQUIRE(
            obv_class_create(NULL, &tables[hooks], &classes[hooks], NULL));
    }
    return classes[hooks];
}
