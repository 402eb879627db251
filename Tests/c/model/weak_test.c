/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weak properties of a binding: the object that one holds may end while it is
 * there, and that is a change (LT-6).
 */
#include "binding_fixture.h"

struct holder {
    struct obv_object object;
    size_t references;
    struct holder *next; /* with a reference */
    struct holder *weak; /* without; NULL to everybody once it ends */
};

static struct binding binding;
static struct probe probe;
static struct obv_class *holders;
static size_t living;

static bool holder_retain(struct obv_object *object)
{
    return references_try(&((struct holder *)(void *)object)->references);
}

static void holder_release(struct obv_object *object)
{
    struct holder *holder = (struct holder *)(void *)object;
    if (holder && references_drop(&holder->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        holder_release((struct obv_object *)holder->next);
        free(holder);
        living--;
    }
}

static void let_go_of(struct holder *holder)
{
    holder_release((struct obv_object *)holder);
}

static struct obv_object *taken(struct holder *holder)
{
    if (!holder || !holder_retain(&holder->object)) {
        return NULL;
    }
    obv_object_adopt(&holder->object, holders);
    return &holder->object;
}

static struct holder *field(const struct obv_property *property,
                            const struct obv_object *object)
{
    return *(struct holder *const *)(const void *)((const char *)object +
                                                   property->offset);
}

static bool same(const struct obv_property *property_a, struct obv_object *a,
                 const struct obv_property *property_b, struct obv_object *b)
{
    return field(property_a, a) == field(property_b, b);
}

static struct obv_object *child(const struct obv_property *property,
                                struct obv_object *object)
{
    return taken(field(property, object));
}

static const struct obv_value_kind reference = {
    .size = sizeof reference, .equal = same, .child = child};
static const struct obv_property properties[] = {
    {.name = "next",
     .kind = OBV_KIND_custom,
     .offset = (uint32_t)offsetof(struct holder, next),
     .size = (uint32_t)sizeof(void *),
     .custom = &reference},
    {.name = "weak",
     .kind = OBV_KIND_custom,
     .offset = (uint32_t)offsetof(struct holder, weak),
     .size = (uint32_t)sizeof(void *),
     .flags = OBV_WEAK,
     .custom = &reference}};
static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "holder",
                                             .instance_size =
                                                 sizeof(struct holder),
                                             .properties = properties,
                                             .property_count = 2,
                                             .retain = holder_retain,
                                             .release = holder_release};

static void begin(void)
{
    binding_begin(&binding, 0);
    probe_init(&probe, &binding.fixture);
    CHECK_EQ(obv_class_create(binding.fixture.context, &table, &holders, NULL),
             OBV_OK);
}

static void finish(void)
{
    CHECK_EQ(living, 0);
    probe_release(&probe);
    binding_end(&binding);
}

static struct holder *holder_create(void)
{
    struct holder *holder = calloc(1, sizeof *holder);
    CHECK(holder);
    holder->object.word = OBV_DETAIL_NO_NODE;
    holder->references = 1;
    living++;
    obv_object_adopt(&holder->object, holders);
    return holder;
}

static void changed(struct holder *holder, size_t offset, struct holder *old)
{
    uint32_t property;
    if (obv_detail_look(&holder->object, (uint32_t)offset, &property) &
        OBV_DETAIL_LOOK_WATCHED) {
        obv_detail_changed_from(&holder->object, property, &old);
    }
}

static void set_weak(struct holder *holder, struct holder *value)
{
    struct holder *old = holder->weak;
    holder->weak = value;
    changed(holder, offsetof(struct holder, weak), old);
}

static void set_next(struct holder *holder, struct holder *value)
{
    struct holder *old = holder->next;
    CHECK(!value || holder_retain(&value->object));
    holder->next = value;
    changed(holder, offsetof(struct holder, next), old);
    let_go_of(old);
}

static struct obv_observation *watched(struct holder *root, const char *path)
{
    struct obv_observation *handle = NULL;
    CHECK_EQ(
        obv_observe(&root->object, path, &probe.kind, &probe, &handle, NULL),
        OBV_OK);
    return handle;
}

static ptrdiff_t drained(void)
{
    return drain(&binding.fixture);
}

static void done(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

TEST(LT_6_a_weak_end_that_ends_is_a_change)
{
    begin();
    struct holder *root = holder_create(), *there = holder_create();
    set_weak(root, there);
    struct obv_observation *handle = watched(root, "weak");
    let_go_of(there);
    root->weak = NULL;
    CHECK_EQ(drained(), 1);
    struct holder *next = holder_create(), *last = holder_create();
    set_weak(root, next);
    CHECK_EQ(drained(), 1);
    set_weak(root, last);
    CHECK_EQ(drained(), 1);
    let_go_of(next); /* not there any more */
    CHECK_EQ(drained(), 0);
    let_go_of(last);
    root->weak = NULL;
    CHECK_EQ(drained(), 1);
    done(handle);
    let_go_of(root);
    finish();
}

TEST(LT_6_a_weak_end_below_a_replaced_object)
{
    begin();
    struct holder *root = holder_create(), *one = holder_create();
    struct holder *two = holder_create(), *there = holder_create();
    set_weak(one, there);
    set_next(root, one);
    struct obv_observation *handle = watched(root, "next.weak");
    set_next(root, two);
    CHECK_EQ(drained(), 1);
    let_go_of(there);
    one->weak = NULL;
    CHECK_EQ(drained(), 0);
    there = holder_create();
    set_weak(two, there);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_observer_count(&two->object, "weak"), 1);
    CHECK_EQ(obv_observer_count(&there->object, "weak"), 0);
    let_go_of(there);
    two->weak = NULL;
    CHECK_EQ(drained(), 1);
    done(handle);
    let_go_of(one);
    let_go_of(two);
    let_go_of(root);
    finish();
}

TEST(LT_6_a_star_sees_weak_ends_end)
{
    begin();
    struct holder *root = holder_create(), *one = holder_create();
    struct holder *there = holder_create(), *other = holder_create();
    set_next(root, one);
    set_weak(root, there);
    set_weak(one, other);
    struct obv_observation *here = watched(root, "*");
    struct obv_observation *below = watched(root, "next.*");
    struct obv_observation *twice = watched(root, "*.*");
    let_go_of(there);
    root->weak = NULL;
    CHECK_EQ(drained(), 2); /* `*`; and `*.*`, since there had properties */
    let_go_of(other);
    one->weak = NULL;
    CHECK_EQ(drained(), 2); /* `next.*` and `*.*` */
    other = holder_create();
    set_weak(one, other);
    CHECK_EQ(drained(), 2);
    set_next(root, NULL);
    CHECK_EQ(drained(), 3);
    let_go_of(other); /* nobody leads there any more */
    one->weak = NULL;
    CHECK_EQ(drained(), 0);
    done(here);
    done(below);
    done(twice);
    let_go_of(one);
    let_go_of(root);
    finish();
}

TEST(LT_6_a_star_follows_what_a_weak_property_holds)
{
    begin();
    struct holder *root = holder_create();
    struct holder *one = holder_create(), *two = holder_create();
    set_weak(root, one);
    struct obv_observation *handle = watched(root, "*");
    set_weak(root, two);
    CHECK_EQ(drained(), 1);
    let_go_of(one); /* is held there no more */
    CHECK_EQ(drained(), 0);
    let_go_of(two);
    root->weak = NULL;
    CHECK_EQ(drained(), 1);
    done(handle);
    let_go_of(root);
    finish();
}

TEST(LT_6_stopping_lets_go_of_a_weak_end)
{
    begin();
    struct holder *root = holder_create(), *there = holder_create();
    set_weak(root, there);
    struct obv_observation *handle = watched(root, "weak");
    done(handle);
    let_go_of(there);
    root->weak = NULL;
    CHECK_EQ(drained(), 0);
    there = holder_create();
    set_weak(root, there);
    handle = watched(root, "weak");
    let_go_of(root); /* before what it held */
    CHECK(obv_has_ended(handle));
    let_go_of(there);
    CHECK_EQ(drained(), 0);
    obv_release(handle);
    finish();
}

TEST(FA_1_a_weak_end_without_memory)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        begin();
        struct holder *root = holder_create(), *there = holder_create();
        struct obv_observation *handle = watched(root, "weak");
        test_fail_allocation(n, false);
        set_weak(root, there);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(drained(), 1);
        set_weak(root, NULL);
        set_weak(root, there); /* wired again */
        (void)drained();
        let_go_of(there);
        root->weak = NULL;
        CHECK_EQ(drained(), 1);
        done(handle);
        let_go_of(root);
        finish();
    }
}
