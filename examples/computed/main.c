/* SPDX-License-Identifier: Apache-2.0 */
/* Computed properties: functions make a price and a text of other properties.
   They run when somebody reads, and what has become another value is told. */
#include <observable/observable.h>
#include <stdio.h>

/* 1. A field for the last value of each, and a number for every property: with
      a list and OBV_MODEL there are stored properties alone. */
struct order {
    struct obv_object object;
    int32_t net, tax;
    int32_t gross;
    const char *line;
};
enum { ORDER_NET, ORDER_TAX, ORDER_GROSS, ORDER_LINE };

/* 2. The accessors: OBV_COMPUTED for what is computed. */
OBV_PROPERTY(order, net, i32, ORDER_NET)
OBV_PROPERTY(order, tax, i32, ORDER_TAX)
OBV_COMPUTED(order, gross, i32, ORDER_GROSS)
OBV_COMPUTED(order, line, string, ORDER_LINE)

/* 3. The functions. What they read by accessors they depend on: `line` on
      `gross`, that on `net` and `tax`. */
static enum obv_status make_gross(struct obv_object *object,
                                  const struct obv_property *property,
                                  void *result)
{
    const struct order *order = (const struct order *)object;
    (void)property;
    puts("  (adds the tax)");
    *(int32_t *)result =
        order_net(order) + order_net(order) * order_tax(order) / 100;
    return OBV_OK;
}

static enum obv_status make_line(struct obv_object *object,
                                 const struct obv_property *property,
                                 void *result)
{
    char text[40];
    (void)property;
    snprintf(text, sizeof text, "to pay: %d",
             (int)order_gross((const struct order *)object));
    /* The property takes the copy over. */
    return obv_string_copy(obv_object_class(object), text,
                           (const char **)result);
}

static const struct obv_computed gross = {.size = sizeof gross,
                                          .evaluate = make_gross};
static const struct obv_computed line = {.size = sizeof line,
                                         .evaluate = make_line};

/* 4. The lines of the class table, each at its number. */
static const struct obv_property properties[] = {
    [ORDER_NET] = OBV_FIELD(order, net, i32),
    [ORDER_TAX] = OBV_FIELD(order, tax, i32),
    [ORDER_GROSS] = OBV_FIELD_COMPUTED(order, gross, i32, &gross),
    [ORDER_LINE] = OBV_FIELD_COMPUTED(order, line, string, &line)};

static const struct obv_class_table order_table = {.size = sizeof order_table,
                                                   .name = "order",
                                                   .instance_size =
                                                       sizeof(struct order),
                                                   .properties = properties,
                                                   .property_count = 4};

static void show_line(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    const char *text = order_line((const struct order *)root);
    (void)observer;
    (void)call;
    printf("  %s\n", text ? text : "no memory");
}
static const struct obv_handler_kind show = {.changed = show_line};

static void deliver(const char *what)
{
    puts(what);
    obv_loop_drain(obv_context_loop(NULL));
}

int main(void)
{
    struct obv_class *orders;
    struct order order = {.net = 100, .tax = 20};
    if (obv_class_create(NULL, &order_table, &orders, NULL)) {
        return 1;
    }
    obv_object_init(&order.object, orders);
    /* 5. The fields are not read: the accessors compute what is invalid. */
    printf("gross %d\n", (int)order_gross(&order));
    printf("gross %d\n", (int)order_gross(&order));

    if (obv_observe(&order.object, "line", &show, NULL, NULL, NULL)) {
        return 1;
    }
    order_set_net(&order, 200);
    order_set_net(&order, 300);
    deliver("twice the net price, then three times");

    order_set_net(&order, 360);
    order_set_tax(&order, 0);
    deliver("another net price and no tax: the same to pay");

    obv_object_deinit(&order.object);
}
