/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eager computed properties: the end of a change computes them.
 */
#include "test.h"

#include <observable/observable.h>

enum { NUMBER, TENS, UNTENS, PROPERTIES };

struct sheet {
    struct obv_object object;
    int64_t number, tens, untens;
    size_t evaluations;
};
OBV_PROPERTY(sheet, number, i64, NUMBER)
OBV_COMPUTED(sheet, tens, i64, TENS)
OBV_COMPUTED(sheet, untens, i64, UNTENS)

static enum obv_status make_tens(struct obv_object *object,
                                 const struct obv_property *property,
                                 void *result)
{
    struct sheet *sheet = (struct sheet *)object;
    (void)property;
    sheet->evaluations++;
    *(int64_t *)result = sheet_number(sheet) / 10;
    return OBV_OK;
}

/* Sets what it reads. */
static enum obv_status make_untens(struct obv_object *object,
                                   const struct obv_property *property,
                                   void *result)
{
    struct sheet *sheet = (struct sheet *)object;
    (void)property;
    sheet->evaluations++;
    *(int64_t *)result = -sheet_number(sheet) / 10;
    sheet_set_number(sheet, 10 * (sheet_number(sheet) / 10));
    return OBV_OK;
}

static const struct obv_computed tens = {.size = sizeof tens,
                                         .evaluate = make_tens,
                                         .flags = OBV_EAGER},
                                 untens = {.size = sizeof untens,
                                           .evaluate = make_untens,
                                           .flags = OBV_EAGER};

static const struct obv_property properties[] = {
    [NUMBER] = OBV_FIELD(sheet, number, i64),
    [TENS] = OBV_FIELD_COMPUTED(sheet, tens, i64, &tens),
    [UNTENS] = OBV_FIELD_COMPUTED(sheet, untens, i64, &untens),
};
static const struct obv_class_table table = {
    .size = sizeof table,
    .name = "sheet",
    .instance_size = sizeof(struct sheet),
    .properties = properties,
    .property_count = PROPERTIES,
};

static struct obv_context *begin(struct sheet *sheet)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    struct obv_context *context;
    struct obv_class *cls;
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &table, &cls, NULL), OBV_OK);
    obv_object_init(&sheet->object, cls);
    return context;
}

static void end(struct obv_context *context, struct sheet *sheet)
{
    CHECK_EQ(obv_object_deinit(&sheet->object), OBV_OK);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

TEST(LL_3_an_eager_property_is_computed_by_the_change)
{
    struct sheet sheet = {.number = 15};
    struct obv_context *context = begin(&sheet);
    sheet_set_number(&sheet, 20);
    CHECK_EQ(sheet.evaluations, 0); /* nobody knows what it depends on */
    CHECK_EQ(sheet_tens(&sheet), 2);
    sheet_set_number(&sheet, 31);
    CHECK_EQ(sheet.evaluations, 2);
    CHECK_EQ(sheet.tens, 3);
    CHECK(obv_is_valid(&sheet.object, TENS));
    CHECK_EQ(obv_invalidate(&sheet.object, TENS), OBV_OK);
    CHECK_EQ(sheet.evaluations, 3);
    CHECK_EQ(sheet_tens(&sheet), 3);
    CHECK_EQ(sheet.evaluations, 3);
    end(context, &sheet);
}

TEST(LL_3_an_eager_property_in_a_batch)
{
    struct sheet sheet = {.number = 15};
    struct obv_context *context = begin(&sheet);
    CHECK_EQ(sheet_tens(&sheet), 1);
    struct obv_batch batch;
    obv_batch_begin(&batch);
    sheet_set_number(&sheet, 20);
    CHECK_EQ(sheet.tens, 2);
    sheet_set_number(&sheet, 30);
    CHECK_EQ(sheet.tens, 3);
    obv_batch_end(&batch);
    CHECK_EQ(sheet.evaluations, 3);
    end(context, &sheet);
}

TEST(LL_3_an_eager_property_that_sets_what_it_reads_ends)
{
    struct sheet sheet = {.number = 15};
    struct obv_context *context = begin(&sheet);
    CHECK_EQ(sheet_untens(&sheet), -1);
    CHECK_EQ(sheet.number, 10);
    sheet_set_number(&sheet, 27);
    CHECK_EQ(sheet.number, 20);
    CHECK_EQ(sheet_untens(&sheet), -2);
    CHECK(sheet.evaluations < 8);
    end(context, &sheet);
}
