/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is traced from outside, and stopped in a debugger: check.sh.
 * It is linked as an installed static program is, and names no function of the
 * trace unless it is asked for a break point.
 */
#include <observable/observable.h>

#include <stdio.h>
#include <string.h>

struct address {
    struct obv_object object;
    const char *zip;
};
#define ADDRESS(P) P(address, zip, string)
OBV_MODEL(address, ADDRESS)

struct user {
    struct obv_object object;
    struct address *address;
};
#define USER(P) P(user, address, object)
OBV_MODEL(user, USER)

struct bill {
    struct obv_object object;
    int32_t total;
};
OBV_COMPUTED(bill, total, i32, 0)

static enum obv_status make_total(struct obv_object *object,
                                  const struct obv_property *property,
                                  void *result)
{
    (void)object, (void)property;
    *(int32_t *)result = 7;
    return OBV_OK;
}

static const struct obv_computed total = {.size = sizeof total,
                                          .evaluate = make_total};
static const struct obv_property bill_properties[] = {
    OBV_FIELD_COMPUTED(bill, total, i32, &total)};
static const struct obv_class_table bill_table = {.size = sizeof bill_table,
                                                  .name = "bill",
                                                  .instance_size =
                                                      sizeof(struct bill),
                                                  .properties = bill_properties,
                                                  .property_count = 1};

static void zip_changed(void *cell, struct obv_object *root,
                        const struct obv_call *call)
{
    (void)cell, (void)root, (void)call;
}

/* A label that would forge a line, and end a string. */
static const struct obv_handler_kind show = {
    .changed = zip_changed, .label = "zip\n\"cell\"\x1b[2J", OBV_KIND_HERE};
static const struct obv_handler_kind other = {.changed = zip_changed,
                                              .label = "other"};
static const struct obv_handler_kind unnamed = {.changed = zip_changed};

static struct address first, second;
static struct user user;
static struct bill bill;

/* Behind a call: it is no jump, so that this function is on the stack. */
#define STAY_ON_STACK() __asm__ volatile("")

__attribute__((noinline)) static void move_house(void)
{
    OBV_HERE(user_set_address(&user, &second));
}

__attribute__((noinline)) static void rename_street(void)
{
    (void)address_set_zip(&second, "1030");
    STAY_ON_STACK();
}

__attribute__((noinline)) static void drain_all(void)
{
    (void)obv_loop_drain(obv_context_loop(NULL));
    STAY_ON_STACK();
}

int main(int argc, char **argv)
{
    struct obv_class *addresses, *users, *bills;
    const char *mode = argc > 1 ? argv[1] : "";
    if (obv_class_create(NULL, &address_table, &addresses, NULL) ||
        obv_class_create(NULL, &user_table, &users, NULL) ||
        obv_class_create(NULL, &bill_table, &bills, NULL)) {
        return 1;
    }
    obv_object_init(&first.object, addresses);
    obv_object_init(&second.object, addresses);
    obv_object_init(&user.object, users);
    obv_object_init(&bill.object, bills);
    (void)bill_total(&bill);
    (void)address_set_zip(&first, "1010");
    (void)address_set_zip(&second, "1020");
    user_set_address(&user, &first);
    if (obv_observe(&user.object, "address.zip", &show, &user, NULL, NULL) ||
        obv_observe(&user.object, "address", &other, &user, NULL, NULL)) {
        return 1;
    }
    if (strcmp(mode, "change") == 0 &&
        obv_debug_break_on_change(&user.object, "address.zip", "zip", NULL,
                                  NULL)) {
        return 1;
    }
    if (strcmp(mode, "call") == 0 && obv_debug_break_before_call("other")) {
        return 1;
    }
    if (strcmp(mode, "unnamed") == 0 &&
        obv_observe(&user.object, "address", &unnamed, &first, NULL, NULL)) {
        return 1;
    }
    move_house();
    rename_street();
    /* More than a ring keeps. */
    for (int i = 0; i < 2000 && strcmp(mode, "ring") == 0; i++) {
        (void)address_set_zip(&first, i % 2 == 0 ? "1" : "2");
    }
    drain_all();
    if (strcmp(mode, "ring") == 0) {
        obv_trace_print_ring();
    }
    obv_object_deinit(&bill.object);
    obv_object_deinit(&user.object);
    obv_object_deinit(&first.object);
    obv_object_deinit(&second.object);
    puts("went on to its end");
}
