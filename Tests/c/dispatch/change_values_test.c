/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Old and new values of each kind that C has (OB-2), who owns what is handed
 * over, and a comparison of the observation's own (EQ-11).
 */
#include "witness_fixture.h"

#include <math.h>
#include <stdio.h>

static struct stage {
    struct fixture fixture;
    struct item *root, *one, *other;
    struct witness witness;
    struct obv_observation *handle;
} stage;

static void stage_begin(void)
{
    memset(&stage, 0, sizeof stage);
    fixture_begin(&stage.fixture);
    stage.root = item_create(&stage.fixture);
    stage.one = item_create(&stage.fixture);
    stage.other = item_create(&stage.fixture);
    witness_init(&stage.witness, &stage.fixture);
}

static void stage_observe(const char *path, uint32_t flags)
{
    stage.handle = witness(&stage.root->object, path, &stage.witness, flags);
}

static void stage_end(void)
{
    end(stage.handle);
    CHECK(drain(&stage.fixture) >= 0);
    item_release(&stage.root->object);
    CHECK_EQ(stage.one->references, 1);
    CHECK_EQ(stage.other->references, 1);
    item_release(&stage.one->object);
    item_release(&stage.other->object);
    probe_release(&stage.witness);
    fixture_end(&stage.fixture);
}

/* Each kind --------------------------------------------------------------- */

/* What is set, first, second and last; `kept` is what must be handed over. */
struct kind_case {
    uint32_t property;
    void (*set)(struct item *item, int step);
    void (*expect)(const struct kept_value *kept, int step);
};

static void set_flag(struct item *item, int step)
{
    item_set_flag(item, step % 2 != 0);
}

static void expect_flag(const struct kept_value *kept, int step)
{
    CHECK_EQ(kept->kind, OBV_KIND_bool);
    CHECK_EQ(kept->bits, step % 2);
}

static void set_small(struct item *item, int step)
{
    item_set_small(item, -step);
}

static void expect_small(const struct kept_value *kept, int step)
{
    CHECK_EQ(kept->kind, OBV_KIND_i32);
    CHECK_EQ((int64_t)kept->bits, -step);
}

static void set_large_step(struct item *item, int step)
{
    item_set_large(item, INT64_MIN + step);
}

static void expect_large(const struct kept_value *kept, int step)
{
    CHECK_EQ(kept->kind, OBV_KIND_i64);
    CHECK_EQ((int64_t)kept->bits, step ? INT64_MIN + step : 0);
}

static void set_real(struct item *item, int step)
{
    item_set_real(item, step == 2 ? (double)NAN : step);
}

static void expect_real(const struct kept_value *kept, int step)
{
    double value;
    memcpy(&value, &kept->bits, sizeof value);
    CHECK_EQ(kept->kind, OBV_KIND_f64);
    CHECK(step == 2 ? value != value : value == step);
}

static char places[4];

static void set_pointer(struct item *item, int step)
{
    item_set_pointer(item, step == 2 ? NULL : &places[step]);
}

static void expect_pointer(const struct kept_value *kept, int step)
{
    CHECK_EQ(kept->kind, OBV_KIND_pointer);
    CHECK((void *)(uintptr_t)kept->bits ==
          (step == 2 || step == 0 ? NULL : (void *)&places[step]));
}

static const char *const texts[] = {NULL, "", NULL, "a text"};

static void set_text(struct item *item, int step)
{
    CHECK_EQ(item_set_text(item, texts[step]), OBV_OK);
}

static void expect_text(const struct kept_value *kept, int step)
{
    CHECK_EQ(kept->kind, OBV_KIND_string);
    CHECK_TEXT(kept->is_null ? NULL : kept->text, texts[step]);
}

static struct item *next_of(int step)
{
    return step == 0 || step == 2 ? NULL : step == 1 ? stage.one : stage.other;
}

static void set_next(struct item *item, int step)
{
    item_set_next(item, next_of(step));
}

static void expect_next(const struct kept_value *kept, int step)
{
    CHECK_EQ(kept->kind, OBV_KIND_object);
    CHECK((void *)(uintptr_t)kept->bits == (void *)next_of(step));
}

static void set_bytes(struct item *item, int step)
{
    uint8_t bytes[6] = {0};
    memset(bytes, step, 3);
    item_set_bytes(item, bytes);
}

static void expect_bytes(const struct kept_value *kept, int step)
{
    CHECK_EQ(kept->kind, OBV_KIND_bytes);
    CHECK_EQ(kept->property->size, 6);
    CHECK(kept->bytes[0] == step && kept->bytes[2] == step);
    CHECK_EQ(kept->bytes[3], 0);
}

static void set_shared(struct item *item, int step)
{
    item_set_shared(item, step);
    make_inbound_edits(&stage.fixture);
}

static void expect_shared(const struct kept_value *kept, int step)
{
    CHECK_EQ(kept->kind, OBV_KIND_i64);
    CHECK_EQ(kept->bits, step);
}

static const struct kind_case kinds[] = {
    {ITEM_FLAG, set_flag, expect_flag},
    {ITEM_SMALL, set_small, expect_small},
    {ITEM_LARGE, set_large_step, expect_large},
    {ITEM_REAL, set_real, expect_real},
    {ITEM_POINTER, set_pointer, expect_pointer},
    {ITEM_TEXT, set_text, expect_text},
    {ITEM_NEXT, set_next, expect_next},
    {ITEM_BYTES, set_bytes, expect_bytes},
    {ITEM_SHARED, set_shared, expect_shared},
};

static void each_kind(void (*run)(const struct kind_case *kind))
{
    CHECK_EQ(sizeof kinds / sizeof *kinds, ITEM_COUNT);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        stage_begin();
        run(&kinds[i]);
        CHECK(!stage.witness.old.property ||
              stage.witness.old.property ==
                  &item_properties[kinds[i].property]);
        stage_end();
    }
}

static const char *name_of(const struct kind_case *kind)
{
    return item_properties[kind->property].name;
}

static void delayed(const struct kind_case *kind)
{
    stage_observe(name_of(kind), OBV_VALUES);
    kind->set(stage.root, 1);
    kind->set(stage.root, 2);
    kind->set(stage.root, 3);
    CHECK_EQ(drain(&stage.fixture), 1);
    kind->expect(&stage.witness.old, 0);
    kind->expect(&stage.witness.now, 3);
    kind->set(stage.root, 2);
    CHECK_EQ(drain(&stage.fixture), 1);
    kind->expect(&stage.witness.old, 3);
    kind->expect(&stage.witness.now, 2);
}

TEST(OB_2_a_delayed_call_has_the_first_and_the_last_value_of_each_kind)
{
    each_kind(delayed);
}

static void immediate(const struct kind_case *kind)
{
    stage_observe(name_of(kind), OBV_VALUES | OBV_IMMEDIATE);
    for (int step = 1; step <= 3; step++) {
        kind->set(stage.root, step);
        CHECK_EQ(calls_of(&stage.witness), step);
        kind->expect(&stage.witness.old, step - 1);
        kind->expect(&stage.witness.now, step);
    }
}

TEST(IM_3_an_immediate_call_has_the_values_of_its_set_of_each_kind)
{
    each_kind(immediate);
}

/* The last call was the one behind the store. */
static void prior(const struct kind_case *kind)
{
    stage_observe(name_of(kind), OBV_VALUES | OBV_IMMEDIATE | OBV_PRIOR);
    kind->set(stage.root, 1);
    CHECK_EQ(calls_of(&stage.witness), 2);
    CHECK_EQ(stage.witness.priors, 1);
    CHECK(!stage.witness.is_prior);
    kind->expect(&stage.witness.old, 0);
    kind->expect(&stage.witness.now, 1);
}

TEST(OB_2_a_call_before_the_store_of_each_kind)
{
    each_kind(prior);
}

static const struct kind_case *prior_kind;

static void expect_offered(struct probe *probe)
{
    const struct witness *witness = (const struct witness *)(void *)probe;
    if (witness->is_prior) {
        prior_kind->expect(&witness->old, 1);
        prior_kind->expect(&witness->now, 3);
    }
}

static void offered(const struct kind_case *kind)
{
    kind->set(stage.root, 1);
    stage_observe(name_of(kind), OBV_VALUES | OBV_IMMEDIATE | OBV_PRIOR);
    prior_kind = kind;
    stage.witness.probe.then = expect_offered;
    kind->set(stage.root, 3);
    CHECK_EQ(stage.witness.priors, 1);
}

TEST(OB_2_a_call_before_the_store_has_the_offered_value_of_each_kind)
{
    /* A bool has no third value. */
    for (size_t i = ITEM_SMALL; i < sizeof kinds / sizeof *kinds; i++) {
        stage_begin();
        offered(&kinds[i]);
        stage_end();
    }
}

/* At the end of a path whose container is replaced, and comes and goes. */
static void replaced(const struct kind_case *kind)
{
    char path[32];
    snprintf(path, sizeof path, "next.%s", name_of(kind));
    struct item *first = item_create(&stage.fixture);
    struct item *last = item_create(&stage.fixture);
    kind->set(first, 1);
    kind->set(last, 3);
    item_set_next(stage.root, first);
    stage_observe(path, OBV_VALUES);
    item_set_next(stage.root, NULL);
    item_set_next(stage.root, last);
    CHECK_EQ(drain(&stage.fixture), 1);
    kind->expect(&stage.witness.old, 1);
    kind->expect(&stage.witness.now, 3);
    item_set_next(stage.root, NULL);
    CHECK_EQ(drain(&stage.fixture), 1);
    kind->expect(&stage.witness.old, 3);
    CHECK_EQ(stage.witness.now.kind, OBV_KIND_unreachable);
    CHECK(!stage.witness.now.property);
    item_release(&first->object);
    item_release(&last->object);
}

TEST(OB_2_values_of_each_kind_through_a_replaced_container)
{
    each_kind(replaced);
}

static void by_index(const struct kind_case *kind)
{
    uint8_t bytes[6] = {3, 3, 3};
    struct obv_object *root = &stage.root->object;
    stage_observe(name_of(kind), OBV_VALUES);
    switch (item_properties[kind->property].kind) {
    case OBV_KIND_bool:
        CHECK_EQ(obv_set_bool(root, kind->property, true), OBV_OK);
        break;
    case OBV_KIND_i32:
        CHECK_EQ(obv_set_i32(root, kind->property, -3), OBV_OK);
        break;
    case OBV_KIND_i64:
        CHECK_EQ(obv_set_i64(root, kind->property,
                             kind->property == ITEM_LARGE ? INT64_MIN + 3 : 3),
                 OBV_OK);
        break;
    case OBV_KIND_f64:
        CHECK_EQ(obv_set_f64(root, kind->property, 3), OBV_OK);
        break;
    case OBV_KIND_pointer:
        CHECK_EQ(obv_set_pointer(root, kind->property, &places[3]), OBV_OK);
        break;
    case OBV_KIND_string:
        CHECK_EQ(obv_set_string(root, kind->property, texts[3]), OBV_OK);
        break;
    case OBV_KIND_object:
        CHECK_EQ(obv_set_object(root, kind->property, &stage.other->object),
                 OBV_OK);
        break;
    default:
        CHECK_EQ(obv_set_bytes(root, kind->property, bytes), OBV_OK);
        break;
    }
    CHECK_EQ(drain(&stage.fixture), 1);
    kind->expect(&stage.witness.old, 0);
    kind->expect(&stage.witness.now, 3);
}

TEST(OB_2_values_of_each_kind_by_index)
{
    each_kind(by_index);
}

/* Bytes past what the setter keeps on the stack --------------------------- */

struct block {
    struct obv_object object;
    uint8_t large[200];
};

OBV_PROPERTY(block, large, bytes, 0)

static const struct obv_property block_properties[] = {
    OBV_FIELD(block, large, bytes)};

static struct obv_class_table block_table = {.size = sizeof block_table,
                                             .name = "block",
                                             .instance_size =
                                                 sizeof(struct block),
                                             .properties = block_properties,
                                             .property_count = 1};

static void fill(uint8_t bytes[200], int step)
{
    for (int i = 0; i < 200; i++) {
        bytes[i] = (uint8_t)(i + step);
    }
}

static void expect_block(const struct kept_value *kept, int step)
{
    uint8_t bytes[200];
    fill(bytes, step);
    CHECK_EQ(kept->kind, OBV_KIND_bytes);
    CHECK(memcmp(kept->bytes, bytes, sizeof bytes) == 0);
}

TEST(OB_2_bytes_of_any_size)
{
    static const uint32_t flags[] = {OBV_VALUES, OBV_VALUES | OBV_IMMEDIATE,
                                     OBV_VALUES | OBV_IMMEDIATE | OBV_PRIOR};
    struct obv_class *cls;
    uint8_t bytes[200];
    stage_begin();
    CHECK_EQ(obv_class_create(stage.fixture.context, &block_table, &cls, NULL),
             OBV_OK);
    for (unsigned i = 0; i < 3; i++) {
        struct block block;
        memset(&block, 0, sizeof block);
        obv_object_init(&block.object, cls);
        fill(bytes, 1);
        block_set_large(&block, bytes);
        struct obv_observation *handle =
            witness(&block.object, "large", &stage.witness, flags[i]);
        fill(bytes, 2);
        block_set_large(&block, bytes);
        CHECK_EQ(drain(&stage.fixture), i == 0);
        expect_block(&stage.witness.old, 1);
        expect_block(&stage.witness.now, 2);
        end(handle);
        CHECK_EQ(obv_object_deinit(&block.object), OBV_OK);
    }
    stage_end();
}

/* Who owns what is handed over --------------------------------------------- */

TEST(LT_2_objects_are_held_from_the_change_until_the_call_has_returned)
{
    stage_begin();
    item_set_next(stage.root, stage.one);
    stage_observe("next", OBV_VALUES);
    item_set_next(stage.root, stage.other);
    CHECK_EQ(stage.one->references, 2);   /* the test's, the change record's */
    CHECK_EQ(stage.other->references, 3); /* and the root's */
    item_set_next(stage.root, NULL);
    CHECK_EQ(stage.one->references, 2); /* before the first change */
    CHECK_EQ(stage.other->references, 1);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.one->references, 1);
    stage_end();
}

static size_t seen_references;

static void see_references(struct probe *probe)
{
    (void)probe;
    seen_references = stage.one->references;
}

TEST(LT_2_an_immediate_call_holds_the_old_object)
{
    stage_begin();
    item_set_next(stage.root, stage.one);
    stage_observe("next", OBV_VALUES | OBV_IMMEDIATE);
    stage.witness.probe.then = see_references;
    item_set_next(stage.root, NULL);
    CHECK_EQ(seen_references, 3); /* the test's, the setter's, the call's */
    CHECK_EQ(stage.one->references, 1);
    stage_end();
}

struct plain {
    struct obv_object object;
    struct plain *next;
    int32_t i;
};

OBV_PROPERTY(plain, next, object, 0)
OBV_PROPERTY(plain, i, i32, 1)

static const struct obv_property plain_properties[] = {
    OBV_FIELD_OBJECT(plain, next, "plain"), OBV_FIELD(plain, i, i32)};

static struct obv_class_table plain_table = {.size = sizeof plain_table,
                                             .name = "plain",
                                             .instance_size =
                                                 sizeof(struct plain),
                                             .properties = plain_properties,
                                             .property_count = 2};

TEST(OB_2_objects_without_hooks_are_handed_over)
{
    struct obv_class *cls;
    struct plain root = {.i = 0}, one = {.i = 1}, other = {.i = 2};
    stage_begin();
    CHECK_EQ(obv_class_create(stage.fixture.context, &plain_table, &cls, NULL),
             OBV_OK);
    obv_object_init(&root.object, cls);
    obv_object_init(&one.object, cls);
    obv_object_init(&other.object, cls);
    plain_set_next(&root, &one);
    struct witness inner;
    witness_init(&inner, &stage.fixture);
    struct obv_observation *handle =
        witness(&root.object, "next", &stage.witness, OBV_VALUES);
    struct obv_observation *below =
        witness(&root.object, "next.i", &inner, OBV_VALUES);
    plain_set_next(&root, &other);
    CHECK_EQ(drain(&stage.fixture), 2);
    CHECK((void *)(uintptr_t)stage.witness.old.bits == (void *)&one);
    CHECK((void *)(uintptr_t)stage.witness.now.bits == (void *)&other);
    CHECK(inner.old.bits == 1 && inner.now.bits == 2);
    end(handle);
    end(below);
    probe_release(&inner);
    CHECK_EQ(obv_object_deinit(&root.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&one.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&other.object), OBV_OK);
    stage_end();
}

/* Ends while what it was is yet to be told; nobody may look at it any more. */
static void end_plain(struct plain **plain)
{
    CHECK_EQ(obv_object_deinit(&(*plain)->object), OBV_OK);
    memset(*plain, 0xEE, sizeof **plain);
    free(*plain);
    *plain = NULL;
}

static bool was_held;

static void note_held(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    (void)observer;
    (void)root;
    const struct obv_value *old =
        call->record ? &call->record->entries[0].first : call->old;
    CHECK(old && old->kind == OBV_KIND_object && old->as.object);
    was_held = old->is_held;
}

/* A root, observed at "next", that holds `next`; with net it does not yet. */
static struct obv_observation *observe_plain(struct plain *root,
                                             struct plain *next, uint32_t flags)
{
    static const struct obv_handler_kind kind = {.changed = note_held};
    struct obv_class *cls;
    struct obv_observation *handle = NULL;
    const struct obv_pair pair = {&root->object, "next"};
    const struct obv_observe_options options = options_of(flags);
    CHECK_EQ(obv_class_create(stage.fixture.context, &plain_table, &cls, NULL),
             OBV_OK);
    obv_object_init(&root->object, cls);
    obv_object_init(&next->object, cls);
    if (!(flags & OBV_NET)) {
        plain_set_next(root, next);
    }
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &kind, &stage, &options, &handle, NULL),
        OBV_OK);
    return handle;
}

/* It goes, and ends before the call, which comes or is taken back; with net it has
   come and gone, and there is no call. */
static void end_what_was_replaced(uint32_t flags, bool comes)
{
    struct plain root = {.i = 0}, *old = calloc(1, sizeof *old);
    CHECK(old);
    stage_begin();
    struct obv_observation *handle = observe_plain(&root, old, flags);
    plain_set_next(&root, old);
    plain_set_next(&root, NULL);
    end_plain(&old);
    was_held = true;
    if (comes) {
        CHECK_EQ(drain(&stage.fixture), !(flags & OBV_NET));
        CHECK(was_held == ((flags & OBV_NET) != 0));
    }
    CHECK(obv_stop_and_wait(handle));
    obv_release(handle);
    CHECK_EQ(obv_object_deinit(&root.object), OBV_OK);
    stage_end();
}

TEST(LT_2_an_object_without_hooks_that_has_ended_is_not_read)
{
    const uint32_t manners[] = {OBV_VALUES, OBV_RECORDS, OBV_VALUES | OBV_NET,
                                OBV_RECORDS | OBV_NET};
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        end_what_was_replaced(manners[i], false);
        end_what_was_replaced(manners[i], true);
    }
}

TEST(LT_2_a_value_says_whether_it_is_held)
{
    static const struct obv_handler_kind kind = {.changed = note_held};
    struct obv_observation *handle = NULL;
    stage_begin();
    struct item *old = item_create(&stage.fixture);
    const struct obv_pair pair = {&stage.root->object, "next"};
    struct obv_observe_options options = options_of(OBV_VALUES);
    item_set_next(stage.root, old);
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &kind, &stage, &options, &handle, NULL),
        OBV_OK);
    item_set_next(stage.root, NULL);
    item_release(&old->object);
    was_held = false;
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK(was_held);
    end(handle);
    stage_end();
}

/* A set whose object is let go of before it stores ------------------------- */

static void let_root_go(struct probe *probe)
{
    if (((struct witness *)(void *)probe)->is_prior) {
        item_release(&stage.root->object);
    }
}

TEST(RE_2_the_object_that_is_set_lives_until_the_set_is_over)
{
    stage_begin();
    stage_observe("large", OBV_VALUES | OBV_IMMEDIATE | OBV_PRIOR);
    stage.witness.probe.then = let_root_go;
    item_set_large(stage.root, 5);
    CHECK_EQ(calls_of(&stage.witness), 2); /* after the store as well */
    CHECK_EQ(stage.witness.now.bits, 5);
    CHECK(obv_has_ended(stage.handle));
    stage.root = item_create(&stage.fixture); /* for the end */
    stage_end();
}

/* Equality of values ------------------------------------------------------- */

static struct {
    bool old_old, old_now, unreachables, null_and_unreachable;
} equality;

static void compare(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    const struct obv_value nowhere = {.kind = OBV_KIND_unreachable};
    (void)root;
    ++*(int *)observer;
    equality.old_old = obv_value_equal(call->old, call->old);
    equality.old_now = obv_value_equal(call->old, call->now);
    equality.unreachables = obv_value_equal(&nowhere, &nowhere);
    equality.null_and_unreachable = obv_value_equal(call->old, &nowhere) ||
                                    obv_value_equal(&nowhere, call->now);
}

static void compare_kind(const struct kind_case *kind)
{
    static const struct obv_handler_kind comparing = {.changed = compare};
    const struct obv_observe_options options = options_of(OBV_VALUES);
    const struct obv_pair pair = {&stage.root->object, name_of(kind)};
    int calls = 0;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &comparing, &calls, &options,
                               &stage.handle, NULL),
             OBV_OK);
    kind->set(stage.root, 1);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK(equality.old_old && equality.unreachables);
    CHECK(!equality.old_now && !equality.null_and_unreachable);
    kind->set(stage.root, 2);
    kind->set(stage.root, 1);
    CHECK_EQ(drain(&stage.fixture), 1); /* there and back: equal, NaN too */
    CHECK(equality.old_old && equality.old_now);
    CHECK_EQ(calls, 2);
}

TEST(EQ_1_values_that_are_handed_over_compare_as_their_property_does)
{
    each_kind(compare_kind);
}

/* A comparison of the observation's own ------------------------------------ */

struct modulus {
    int64_t of;
    size_t asked;
};

static bool equal_by_modulus(void *context, const struct obv_value *old,
                             const struct obv_value *now)
{
    struct modulus *modulus = context;
    CHECK(obv_value_is_reachable(old) && obv_value_is_reachable(now));
    CHECK(old->kind == OBV_KIND_i64 && now->kind == OBV_KIND_i64);
    modulus->asked++;
    return old->as.i64 % modulus->of == now->as.i64 % modulus->of;
}

static struct obv_observe_options by_modulus(uint32_t flags,
                                             struct modulus *modulus)
{
    struct obv_observe_options options = options_of(flags);
    options.equal = equal_by_modulus;
    options.equal_context = modulus;
    return options;
}

TEST(EQ_11_an_observation_compares_by_a_function)
{
    struct modulus modulus = {10, 0};
    stage_begin();
    item_set_next(stage.root, stage.one);
    const struct obv_observe_options options = by_modulus(0, &modulus);
    stage.handle = witness_with(&stage.root->object, "next.large",
                                &stage.witness, &options);
    CHECK_EQ(modulus.asked, 0);
    item_set_large(stage.one, 10);
    CHECK_EQ(drain(&stage.fixture), 0);
    CHECK_EQ(modulus.asked, 1);
    item_set_large(stage.one, 11);
    CHECK_EQ(drain(&stage.fixture), 1);
    item_set_large(stage.other, 21);
    item_set_next(stage.root, stage.other); /* 11 and 21 */
    CHECK_EQ(drain(&stage.fixture), 0);
    item_set_next(stage.root, NULL); /* nothing to ask about */
    CHECK_EQ(drain(&stage.fixture), 1);
    size_t asked = modulus.asked;
    item_set_next(stage.root, stage.one);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(modulus.asked, asked);
    stage_end();
}

TEST(EQ_7_EQ_11_net_compares_by_the_observations_function)
{
    struct modulus modulus = {10, 0};
    stage_begin();
    const struct obv_observe_options options = by_modulus(OBV_NET, &modulus);
    stage.handle =
        witness_with(&stage.root->object, "large", &stage.witness, &options);
    item_set_large(stage.root, 5);
    item_set_large(stage.root, 20); /* as 0 was */
    CHECK_EQ(drain(&stage.fixture), 0);
    item_set_large(stage.root, 6);
    CHECK_EQ(drain(&stage.fixture), 1);
    stage_end();
}

TEST(EQ_8_EQ_11_a_function_is_asked_for_each_way_under_a_star)
{
    struct modulus modulus = {10, 0};
    stage_begin();
    item_set_next(stage.root, stage.one);
    const struct obv_observe_options options =
        by_modulus(OBV_RECORDS, &modulus);
    stage.handle =
        witness_with(&stage.root->object, "*.large", &stage.witness, &options);
    item_set_large(stage.one, 10);
    CHECK_EQ(drain(&stage.fixture), 0);
    CHECK_EQ(modulus.asked, 1);
    item_set_large(stage.one, 13);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.count, 1);
    CHECK_EQ(stage.witness.entries[0].first.bits, 10);
    CHECK_EQ(stage.witness.entries[0].last.bits, 13);
    stage_end();
}

/* No lock is held: it may use the library, beside sets. */
static bool look_around(void *context, const struct obv_value *old,
                        const struct obv_value *now)
{
    struct probe *probe = context;
    CHECK_EQ(obv_observer_count(&stage.root->object, "large"), 1);
    end(observe(stage.other, "next.large", probe));
    return obv_value_equal(old, now);
}

TEST(EQ_11_no_lock_is_held_where_a_function_compares)
{
    struct probe probe;
    stage_begin();
    probe_init(&probe, &stage.fixture);
    struct obv_observe_options options = options_of(OBV_IMMEDIATE);
    options.equal = look_around;
    options.equal_context = &probe;
    stage.handle =
        witness_with(&stage.root->object, "large", &stage.witness, &options);
    item_set_large(stage.root, 1);
    item_set_large(stage.root, 1);
    CHECK_EQ(calls_of(&stage.witness), 1);
    probe_release(&probe);
    stage_end();
}
