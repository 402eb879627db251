/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are values of a binding: what they are, when two are equal and
 * which object one is, their kind alone can say.
 */
#include "test.h"

#include <observable/container.h>
#include <observable/observable.h>

#include <stdlib.h>

/* What a binding keeps: a number, and an object behind it, or none. */
struct element {
    int64_t number;
    struct thing *thing;
};

struct thing {
    struct obv_object object;
    int64_t title;
    size_t references;
};

enum { ROOM = 8 };

struct list {
    struct obv_container container;
    struct element items[ROOM];
    size_t count, references;
};

struct holder {
    struct obv_object object;
    struct list *list;
};

static struct obv_context *context;
static struct thing a, b;
static struct list list, other;
static struct holder holder;

/* Counted references ------------------------------------------------------- */

static bool retain_thing(struct obv_object *object)
{
    ((struct thing *)object)->references++;
    return true;
}

static void release_thing(struct obv_object *object)
{
    ((struct thing *)object)->references--;
}

static bool retain_list(struct obv_object *object)
{
    ((struct list *)object)->references++;
    return true;
}

static void release_list(struct obv_object *object)
{
    ((struct list *)object)->references--;
}

/* The kind ----------------------------------------------------------------- */

struct box {
    struct obv_boxed boxed; /* first */
    int64_t number;
};

static size_t boxes;

static void release_box(struct obv_boxed *boxed)
{
    boxes--;
    free(boxed);
}

static bool boxes_are_equal(const struct obv_boxed *x,
                            const struct obv_boxed *y, enum obv_compare how)
{
    (void)how;
    return ((const struct box *)x)->number == ((const struct box *)y)->number;
}

/* Of elements none of these is asked. */
static bool never_equal(const struct obv_property *property_x,
                        struct obv_object *x,
                        const struct obv_property *property_y,
                        struct obv_object *y)
{
    (void)property_x, (void)x, (void)property_y, (void)y;
    abort();
}

static struct obv_object *never_child(const struct obv_property *property,
                                      struct obv_object *object)
{
    (void)property, (void)object;
    abort();
}

static bool numbers_are_equal(const struct obv_property *property,
                              const void *x, const void *y)
{
    (void)property;
    return ((const struct element *)x)->number ==
           ((const struct element *)y)->number;
}

static struct obv_object *take_thing(const struct obv_property *property,
                                     const void *value)
{
    struct thing *thing = ((const struct element *)value)->thing;
    (void)property;
    if (thing) {
        retain_thing(&thing->object);
    }
    return thing ? &thing->object : NULL;
}

static struct obv_boxed *copy_number(const struct obv_property *property,
                                     struct obv_object *object,
                                     const void *value)
{
    struct box *box = malloc(sizeof *box);
    (void)property, (void)object;
    CHECK(value && box);
    *box = (struct box){{.release = release_box, .equal = boxes_are_equal},
                        ((const struct element *)value)->number};
    boxes++;
    return &box->boxed;
}

static const struct obv_value_kind element_kind = {.size = sizeof element_kind,
                                                   .equal = never_equal,
                                                   .child = never_child,
                                                   .copy = copy_number,
                                                   .child_of = take_thing,
                                                   .same = numbers_are_equal};

/* The list ----------------------------------------------------------------- */

static size_t count_items(const struct obv_container *container)
{
    return ((const struct list *)container)->count;
}

static const void *item_at(const struct obv_container *container,
                           size_t position)
{
    return &((const struct list *)container)->items[position];
}

static const struct obv_container_kind list_kind = {
    .size = sizeof list_kind,
    .name = "list",
    .instance_size = sizeof(struct list),
    .element = {.name = "element",
                .kind = OBV_KIND_custom,
                .size = sizeof(struct element),
                .custom = &element_kind},
    .count = count_items,
    .at = item_at,
    .retain = retain_list,
    .release = release_list};

static void put(struct list *in, size_t position, struct element element)
{
    const struct element old = in->items[position];
    bool is_new = position == in->count;
    in->items[position] = element;
    in->count += is_new;
    const struct obv_container_edit edit = {.position = position,
                                            .removed = !is_new,
                                            .inserted = 1,
                                            .old = is_new ? NULL : &old};
    CHECK_EQ(obv_container_edited(&in->container, &edit, 1, NULL), OBV_OK);
}

/* Around a test ------------------------------------------------------------ */

static int calls;
static int64_t old_number, new_number;

static int64_t number_of(const struct obv_value *value)
{
    return value && value->kind == OBV_KIND_custom
               ? ((const struct box *)value->as.custom)->number
               : -1;
}

static void count_call(void *observer, struct obv_object *object,
                       const struct obv_call *call)
{
    (void)observer;
    (void)object;
    calls++;
    old_number = number_of(call->old);
    new_number = number_of(call->now);
}

static const struct obv_handler_kind kind = {.changed = count_call};

static void begin(void)
{
    static const struct obv_property title = OBV_FIELD(thing, title, i64);
    static const struct obv_property held =
        OBV_FIELD_OBJECT(holder, list, NULL);
    static const struct obv_class_table things = {.size = sizeof things,
                                                  .name = "thing",
                                                  .instance_size =
                                                      sizeof(struct thing),
                                                  .properties = &title,
                                                  .property_count = 1,
                                                  .retain = retain_thing,
                                                  .release = release_thing};
    static const struct obv_class_table holders = {.size = sizeof holders,
                                                   .name = "holder",
                                                   .instance_size =
                                                       sizeof(struct holder),
                                                   .properties = &held,
                                                   .property_count = 1};
    struct obv_class *thing_class, *list_class, *holder_class;
    CHECK_EQ(obv_context_create(NULL, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &things, &thing_class, NULL), OBV_OK);
    CHECK_EQ(obv_class_create(context, &holders, &holder_class, NULL), OBV_OK);
    CHECK_EQ(obv_container_class_create(context, &list_kind, &list_class, NULL),
             OBV_OK);
    a = b = (struct thing){.title = 0};
    list = other = (struct list){.count = 0};
    holder = (struct holder){.list = NULL};
    calls = 0;
    obv_object_init(&a.object, thing_class);
    obv_object_init(&b.object, thing_class);
    obv_object_init(&holder.object, holder_class);
    CHECK_EQ(obv_container_init(&list.container, list_class), OBV_OK);
    CHECK_EQ(obv_container_init(&other.container, list_class), OBV_OK);
    CHECK_EQ(obv_set_object(&holder.object, 0, &list.container.object), OBV_OK);
}

static void finish(void)
{
    struct obv_object *const all[] = {&holder.object, &list.container.object,
                                      &other.container.object, &a.object,
                                      &b.object};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK_EQ(obv_object_deinit(all[i]), OBV_OK);
    }
    obv_loop_drain(obv_context_loop(context));
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(a.references + b.references + list.references + other.references,
             0);
    CHECK_EQ(boxes, 0);
}

static void observe(const char *path, uint32_t flags)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    const struct obv_pair pair = {.root = &holder.object, .path = path};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, &calls, &options, NULL, NULL),
             OBV_OK);
}

static int drained(void)
{
    calls = 0;
    obv_loop_drain(obv_context_loop(context));
    return calls;
}

/* ------------------------------------------------------------------------- */

TEST(EQ_1_elements_of_a_binding_are_equal_as_it_says)
{
    begin();
    observe("list.#0", 0);
    put(&list, 0, (struct element){1, NULL});
    CHECK_EQ(drained(), 1);
    put(&list, 0, (struct element){1, &a});
    CHECK_EQ(drained(), 0);
    put(&list, 0, (struct element){2, &a});
    CHECK_EQ(drained(), 1);
    finish();
}

/* Also to an object that counts as equal. */
TEST(AR_3_a_path_leads_on_through_the_object_behind_an_element)
{
    begin();
    observe("list.#0.title", 0);
    put(&list, 0, (struct element){1, &a});
    CHECK_EQ(drained(), 1);
    put(&list, 0, (struct element){1, &b});
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_set_i64(&b.object, 0, 5), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_set_i64(&a.object, 0, 5), OBV_OK);
    CHECK_EQ(drained(), 0);
    put(&list, 0, (struct element){1, NULL});
    CHECK_EQ(drained(), 1);
    finish();
}

TEST(WC_3_a_star_leads_on_through_the_objects_behind_elements)
{
    begin();
    put(&list, 0, (struct element){1, &a});
    put(&list, 1, (struct element){2, NULL});
    observe("list.*.title", 0);
    CHECK_EQ(obv_set_i64(&a.object, 0, 1), OBV_OK);
    CHECK_EQ(drained(), 1);
    put(&list, 1, (struct element){2, &b});
    CHECK_EQ(drained(), 1);
    put(&list, 0, (struct element){1, &b});
    CHECK_EQ(drained(), 1);
    CHECK_EQ(obv_set_i64(&a.object, 0, 2), OBV_OK);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_set_i64(&b.object, 0, 2), OBV_OK);
    CHECK_EQ(drained(), 1);
    finish();
}

TEST(AR_1_an_element_of_a_binding_is_followed)
{
    const struct element gone = {1, &a};
    begin();
    put(&list, 0, gone);
    observe("list.0.title", 0);
    put(&list, 0, (struct element){1, &b});
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_set_i64(&b.object, 0, 3), OBV_OK);
    CHECK_EQ(drained(), 1);
    list.count = 0;
    const struct obv_container_edit edit = {.removed = 1, .old = &gone};
    CHECK_EQ(obv_container_edited(&list.container, &edit, 1, NULL), OBV_OK);
    CHECK_EQ(drained(), 1);
    finish();
}

TEST(EQ_10_another_container_is_compared_by_the_binding)
{
    begin();
    put(&list, 0, (struct element){1, &a});
    put(&other, 0, (struct element){1, &b});
    observe("list.#0", 0);
    observe("list.*", 0);
    CHECK_EQ(obv_set_object(&holder.object, 0, &other.container.object),
             OBV_OK);
    CHECK_EQ(drained(), 0);
    put(&other, 0, (struct element){9, &b});
    CHECK_EQ(drained(), 2);
    CHECK_EQ(obv_set_object(&holder.object, 0, &list.container.object), OBV_OK);
    CHECK_EQ(drained(), 2);
    finish();
}

TEST(OB_2_elements_of_a_binding_are_handed_over)
{
    begin();
    observe("list.#0", OBV_VALUES);
    put(&list, 0, (struct element){4, NULL});
    CHECK_EQ(drained(), 1);
    CHECK_EQ(old_number, -1);
    CHECK_EQ(new_number, 4);
    put(&list, 0, (struct element){6, NULL});
    CHECK_EQ(drained(), 1);
    CHECK_EQ(old_number, 4);
    CHECK_EQ(new_number, 6);
    observe("list.#3", OBV_VALUES | OBV_INITIAL);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(new_number, -1);
    finish();
}

TEST(CO_1_elements_of_a_binding_must_be_comparable)
{
    static const struct obv_value_kind without = {.size = sizeof without,
                                                  .equal = never_equal};
    struct obv_container_kind bad = list_kind;
    struct obv_class *cls;
    begin();
    bad.name = "bad";
    bad.element.custom = &without;
    CHECK_EQ(obv_container_class_create(context, &bad, &cls, NULL),
             OBV_E_LAYOUT);
    finish();
}
