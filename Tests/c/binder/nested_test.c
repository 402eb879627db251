/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders (BI-1) while a value is on its way: functions and handlers that set ends,
 * drain, and end the binder meanwhile.
 */
#define _POSIX_C_SOURCE 200809L

#include "binders.h"

static struct item *a, *b, *c;
static size_t calls;
static struct obv_binder *own;

static void begin(void)
{
    fixture_begin(&fixture);
    a = item_create(&fixture);
    b = item_create(&fixture);
    c = item_create(&fixture);
    calls = 0;
}

static void finish(void)
{
    drop(a);
    drop(b);
    drop(c);
    fixture_end(&fixture);
}

static enum obv_status rounded(const struct obv_value *value,
                               struct obv_value *made)
{
    made->kind = OBV_KIND_i64;
    made->as.i64 = value->as.i64 / 10 * 10;
    return OBV_OK;
}

static struct obv_binder *bind_rounding(obv_transform *transform, bool two_way)
{
    const struct obv_binder_options options = {
        .size = sizeof options, .is_two_way = two_way, .transform = transform};
    return bind_with(a, "large", b, "large", &options);
}

static enum obv_status set_another(void *context, const struct obv_value *value,
                                   struct obv_value *made)
{
    (void)context;
    item_set_large(c, item_large(c) + 1);
    return rounded(value, made);
}

/* Its sets are its own, and what is carried is not. */
TEST(BI_1_a_function_may_set_what_is_bound_elsewhere)
{
    begin();
    struct obv_binder *other = bind_both(c, "large", c, "shared");
    struct obv_binder *binder = bind_rounding(set_another, true);
    drain_all();
    item_set_shared(c, 7); /* later than the source, earlier than the call */
    item_set_large(a, 25);
    item_set_shared(c, 8);
    drain_all();
    CHECK_EQ(item_large(b), 20);
    CHECK_EQ(item_large(a), 25);
    CHECK_EQ(item_large(c), item_shared(c));
    obv_unbind(binder);
    obv_unbind(other);
    finish();
}

static enum obv_status round_down(void *context, const struct obv_value *value,
                                  struct obv_value *made)
{
    (void)context;
    return rounded(value, made);
}

static void set_small(struct probe *probe)
{
    (void)probe;
    item_set_small(c, item_small(c) + 1);
}

static void check_handler(uint32_t flags)
{
    struct probe probe;
    begin();
    probe_init_plain(&probe);
    probe.then = set_small;
    struct obv_binder *other = bind_both(c, "small", a, "small");
    struct obv_binder *binder = bind_rounding(round_down, true);
    drain_all();
    struct obv_observation *handle =
        observe_with(b, "large", &probe, flags, NULL);
    item_set_large(a, 25);
    item_set_small(a, 9); /* before the handler sets the other end */
    drain_all();
    CHECK_EQ(item_large(b), 20);
    CHECK_EQ(item_large(a), 25);
    CHECK(item_small(c) != 0 && item_small(c) != 9);
    CHECK_EQ(item_small(a), item_small(c));
    end(handle);
    obv_unbind(binder);
    obv_unbind(other);
    finish();
}

TEST(BI_1_what_handlers_set_meanwhile_is_later_than_what_is_carried)
{
    check_handler(OBV_IMMEDIATE);
    check_handler(OBV_IMMEDIATE | OBV_PRIOR);
}

static void note_stamp(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)root;
    *(uint64_t *)observer = call->cause->stamp;
}

static void note_stamp_of_c(uint64_t *stamp, int64_t value)
{
    static const struct obv_handler_kind kind = {.changed = note_stamp};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_VALUES};
    const struct obv_pair pair = {&c->object, "large"};
    struct obv_observation *handle = NULL;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, stamp, &options, &handle, NULL),
             OBV_OK);
    item_set_large(c, value);
    drain_all();
    end(handle);
}

static void set_with_stamp(struct item *item, int64_t value, uint64_t stamp)
{
    struct obv_stamp carried;
    obv_stamp_begin(&carried, stamp);
    item_set_large(item, value);
    obv_stamp_end(&carried);
}

/* A setter sets another property beside the one that an older value is carried to,
   with the stamp of that. */
TEST(BI_1_what_a_setter_sets_beside_its_property_is_the_newer_set)
{
    uint64_t older = 0;
    begin();
    struct obv_binder *binder = bind_both(a, "large", b, "large");
    drain_all();
    note_stamp_of_c(&older, 1);
    item_set_large(a, 2);
    drain_all();
    set_with_stamp(b, 3, older);
    drain_all();
    CHECK_EQ(item_large(a), 3);
    CHECK_EQ(item_large(b), 3);
    obv_unbind(binder);
    finish();
}

/* Two setters do so at the two ends. */
TEST(BI_1_of_two_older_sets_beside_their_properties_one_is_the_newer)
{
    uint64_t older[2] = {0, 0};
    begin();
    struct obv_binder *binder = bind_both(a, "large", b, "large");
    drain_all();
    note_stamp_of_c(&older[0], 1);
    note_stamp_of_c(&older[1], 2);
    item_set_large(a, 3);
    drain_all();
    set_with_stamp(a, 4, older[0]);
    set_with_stamp(b, 5, older[1]);
    drain_all();
    CHECK_EQ(item_large(a), 5);
    CHECK_EQ(item_large(b), 5);
    obv_unbind(binder);
    finish();
}

static enum obv_status set_target(void *context, const struct obv_value *value,
                                  struct obv_value *made)
{
    (void)context;
    if (++calls == 2) {
        item_set_large(b, 99);
    }
    *made = *value;
    return OBV_OK;
}

TEST(BI_1_what_a_function_sets_the_target_to_stays)
{
    begin();
    struct obv_binder *binder = bind_rounding(set_target, true);
    drain_all();
    item_set_large(a, 1);
    drain_all();
    CHECK_EQ(item_large(b), 99);
    CHECK_EQ(item_large(a), 99);
    obv_unbind(binder);
    finish();
}

static enum obv_status set_and_drain(void *context,
                                     const struct obv_value *value,
                                     struct obv_value *made)
{
    int64_t before = value->as.i64;
    (void)context;
    if (++calls == 1) {
        item_set_large(a, 77);
        (void)drain(&fixture);
    }
    made->kind = OBV_KIND_i64;
    made->as.i64 = before;
    return OBV_OK;
}

TEST(BI_1_what_a_nested_drain_has_carried_stays)
{
    begin();
    struct obv_binder *binder = bind_rounding(set_and_drain, false);
    drain_all();
    CHECK_EQ(item_large(b), 77);
    obv_unbind(binder);
    finish();
}

static enum obv_status unbind_itself(void *context,
                                     const struct obv_value *value,
                                     struct obv_value *made)
{
    (void)context;
    if (++calls == 2) {
        obv_unbind(own);
    }
    *made = *value;
    return OBV_OK;
}

TEST(BI_1_a_binder_that_its_function_ends_sets_nothing)
{
    begin();
    own = bind_rounding(unbind_itself, false);
    item_set_large(a, 1);
    drain_all();
    CHECK_EQ(item_large(b), 0);
    finish();
}

static enum obv_status unbind_at_once(void *context,
                                      const struct obv_value *value,
                                      struct obv_value *made)
{
    (void)context;
    obv_unbind(own);
    *made = *value;
    return OBV_OK;
}

/* Before obv_bind() has returned. */
TEST(BI_1_a_binder_may_be_given_back_as_it_begins)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .transform = unbind_at_once};
    begin();
    item_set_large(a, 1);
    const struct obv_binder_end ends[] = {{&a->object, "large", NULL},
                                          {&b->object, "large", NULL}};
    CHECK_EQ(obv_bind(&ends[0], &ends[1], &options, &own, NULL), OBV_OK);
    CHECK_EQ(item_large(b), 0);
    CHECK_EQ(obv_observer_count(&a->object, "large"), 0);
    finish();
}

static enum obv_status set_text_and_drain(void *context,
                                          const struct obv_value *value,
                                          struct obv_value *made)
{
    const char *text = value->as.string;
    (void)context;
    if (++calls == 2) {
        CHECK_EQ(item_set_text(a, "another text"), OBV_OK);
        (void)drain(&fixture);
    }
    made->kind = OBV_KIND_string;
    made->as.string = text;
    CHECK(strstr(text, "text"));
    return OBV_OK;
}

/* The target leads elsewhere, so the last value is handed over once more. */
TEST(BI_1_a_value_stays_for_the_call_whatever_is_carried_meanwhile)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .transform = set_text_and_drain};
    begin();
    CHECK_EQ(item_set_text(a, "some text"), OBV_OK);
    struct obv_binder *binder = bind_with(a, "text", b, "next.text", &options);
    item_set_next(b, c);
    drain_all();
    CHECK_TEXT(item_text(c), "another text");
    obv_unbind(binder);
    finish();
}
