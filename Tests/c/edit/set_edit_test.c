/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of the program's own, which tells edits in an order of its own: a member
 * comes before another with its hash leaves.
 */
#include "test.h"

#include <observable/container.h>
#include <observable/observable.h>

struct thing {
    struct obv_object object;
    int64_t number;
};

static const struct obv_property thing_properties[] = {
    OBV_FIELD(thing, number, i64)};

/* Members of one hash. */
struct bag {
    struct obv_container container;
    struct obv_object *members[2];
    size_t count;
};

static struct bag bag;
static struct thing a, b;

static const struct bag *bag_of(const struct obv_container *container)
{
    return (const struct bag *)container;
}

static size_t count_members(const struct obv_container *container)
{
    return bag_of(container)->count;
}

static uint64_t hash_member(const struct obv_container *container,
                            const void *element)
{
    (void)container;
    (void)element;
    return 7;
}

static const void *member_of(const struct obv_container *container,
                             uint64_t hash, size_t index)
{
    const struct bag *here = bag_of(container);
    return hash == 7 && index < here->count ? &here->members[index] : NULL;
}

static bool next_member(const struct obv_container *container,
                        struct obv_container_cursor *cursor)
{
    cursor->element = member_of(container, 7, cursor->index++);
    return cursor->element != NULL;
}

static const struct obv_container_kind bag_kind = {
    .size = sizeof bag_kind,
    .name = "bag",
    .instance_size = sizeof(struct bag),
    .element = OBV_ELEMENT(object),
    .count = count_members,
    .hash = hash_member,
    .member = member_of,
    .next = next_member};

struct seen {
    const struct obv_object *old, *now;
    int calls;
};

static void see(void *observer, struct obv_object *root,
                const struct obv_call *call)
{
    struct seen *seen = observer;
    (void)root;
    seen->old = obv_value_is_reachable(call->old) ? call->old->as.object : NULL;
    seen->now = obv_value_is_reachable(call->now) ? call->now->as.object : NULL;
    seen->calls++;
}

static const struct obv_handler_kind seeing = {.changed = see};

/* One that enters, and one that leaves. */
static void exchange(struct obv_object *in, struct obv_object *out)
{
    const struct obv_container_edit edits[] = {
        {.key = &in, .inserted = 1},
        {.key = &out, .removed = 1, .old = &out},
    };
    bag.members[0] = in;
    bag.count = 1;
    CHECK_EQ(obv_container_edited(&bag.container, edits, 2, NULL), OBV_OK);
}

TEST(OB_2_behind_a_hash_one_member_comes_and_then_another_leaves)
{
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "thing",
                                                 .instance_size =
                                                     sizeof(struct thing),
                                                 .properties = thing_properties,
                                                 .property_count = 1};
    const struct obv_context_options options = {.size = sizeof options};
    const struct obv_observe_options observing = {
        .size = sizeof observing, .flags = OBV_IMMEDIATE | OBV_VALUES};
    struct obv_context *context;
    struct obv_class *things, *bags;
    struct seen seen = {.calls = 0};
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &table, &things, NULL), OBV_OK);
    CHECK_EQ(obv_container_class_create(context, &bag_kind, &bags, NULL),
             OBV_OK);
    obv_object_init(&a.object, things);
    obv_object_init(&b.object, things);
    bag = (struct bag){.members = {&b.object}, .count = 1};
    CHECK_EQ(obv_container_init(&bag.container, bags), OBV_OK);
    const struct obv_pair pair = {&bag.container.object, "&7"};
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &seeing, &seen, &observing, NULL, NULL),
        OBV_OK);
    exchange(&a.object, &b.object);
    CHECK_EQ(seen.calls, 1);
    CHECK(seen.old == &b.object);
    CHECK(seen.now == &a.object);

    /* One that comes and goes by the same edits was not there before. */
    const struct obv_object *first = &a.object, *second = &b.object;
    const struct obv_container_edit edits[] = {
        {.key = &first, .removed = 1, .old = &first},
        {.key = &second, .inserted = 1},
        {.key = &first, .inserted = 1},
        {.key = &second, .removed = 1, .old = &second},
    };
    bag.count = 0;
    CHECK_EQ(obv_container_edited(&bag.container, edits, 1, NULL), OBV_OK);
    CHECK(seen.old == &a.object && !seen.now);
    bag.count = 1;
    CHECK_EQ(obv_container_edited(&bag.container, edits + 1, 3, NULL), OBV_OK);
    CHECK_EQ(seen.calls, 3);
    CHECK(!seen.old && seen.now == &a.object);
    CHECK_EQ(obv_object_deinit(&bag.container.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&a.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&b.object), OBV_OK);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}
