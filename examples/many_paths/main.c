/* SPDX-License-Identifier: Apache-2.0 */
/* A line of an invoice is made of three values. One handler for all of them is
   called once, however many of them have changed. */
#include <observable/observable.h>
#include <stdio.h>

/* 1. Several properties: the list names each. */
struct invoice {
    struct obv_object object;
    const char *customer;
    int32_t quantity;
    int32_t price;
};
#define INVOICE(P)                                                             \
    P(invoice, customer, string)                                               \
    P(invoice, quantity, i32)                                                  \
    P(invoice, price, i32)
OBV_MODEL(invoice, INVOICE)

static void print_line(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    const struct invoice *invoice = (struct invoice *)root;
    const int32_t quantity = invoice_quantity(invoice);
    const int32_t total = quantity * invoice_price(invoice);
    (void)observer;
    (void)call;
    printf("  %s: %d books, %d euros\n", invoice_customer(invoice), quantity,
           total);
}
static const struct obv_handler_kind print = {.changed = print_line};

int main(void)
{
    struct obv_class *invoice_class;
    if (obv_class_create(NULL, &invoice_table, &invoice_class, NULL)) {
        return 1;
    }
    struct invoice invoice = {0};
    obv_object_init(&invoice.object, invoice_class);

    /* 2. One observation with three paths and the root of each. */
    const struct obv_pair pairs[] = {{&invoice.object, "customer"},
                                     {&invoice.object, "quantity"},
                                     {&invoice.object, "price"}};
    if (obv_observe_pairs(pairs, 3, &print, NULL, NULL, NULL, NULL)) {
        return 1;
    }

    /* 3. Three changes, one call. */
    invoice_set_customer(&invoice, "Ada");
    invoice_set_quantity(&invoice, 3);
    invoice_set_price(&invoice, 20);
    puts("an invoice is filled in");
    obv_loop_drain(obv_context_loop(NULL));

    /* 4. A change of one of them, one call as well. */
    invoice_set_quantity(&invoice, 4);
    puts("one more book");
    obv_loop_drain(obv_context_loop(NULL));

    obv_object_deinit(&invoice.object);
}
