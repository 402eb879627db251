/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A C program outside, built against the installed library alone: three
 * changes along a path, one call.
 */
#include <observable/observable.h>

#include <stdio.h>
#include <string.h>

struct address {
    struct obv_object object;
    const char *zipCode;
};

struct user {
    struct obv_object object;
    struct address *address;
};

OBV_PROPERTY(address, zipCode, string, 0)
OBV_PROPERTY(user, address, object, 0)

static const struct obv_property address_properties[] = {
    OBV_FIELD(address, zipCode, string)};
static const struct obv_class_table address_table = {
    .size = sizeof address_table,
    .name = "address",
    .instance_size = sizeof(struct address),
    .properties = address_properties,
    .property_count = 1,
};

static const struct obv_property user_properties[] = {
    OBV_FIELD_OBJECT(user, address, "address")};
static const struct obv_class_table user_table = {
    .size = sizeof user_table,
    .name = "user",
    .instance_size = sizeof(struct user),
    .properties = user_properties,
    .property_count = 1,
};

static void count_call(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    int *calls = observer;
    (void)root;
    (void)call;
    ++*calls;
}

static const struct obv_handler_kind counting = {.changed = count_call};

static enum obv_status run(int *calls)
{
    struct obv_class *address_class, *user_class;
    struct address home = {.zipCode = NULL}, office = {.zipCode = NULL};
    struct user user = {.address = NULL};
    enum obv_status status =
        obv_class_create(NULL, &address_table, &address_class, NULL);
    if (!status) {
        status = obv_class_create(NULL, &user_table, &user_class, NULL);
    }
    if (status) {
        return status;
    }
    obv_object_init(&home.object, address_class);
    obv_object_init(&office.object, address_class);
    obv_object_init(&user.object, user_class);
    status = obv_observe(&user.object, "address.zipCode", &counting, calls,
                         NULL, NULL);
    user_set_address(&user, &home);
    (void)address_set_zipCode(&home, "1010");
    user_set_address(&user, &office);
    obv_loop_drain(obv_context_loop(obv_context_default()));
    obv_object_deinit(&user.object);
    obv_object_deinit(&home.object);
    obv_object_deinit(&office.object);
    return status;
}

int main(void)
{
    int calls = 0;
    enum obv_status status = run(&calls);
    if (status) {
        fprintf(stderr, "%s\n", obv_status_text(status));
        return 1;
    }
    printf("%d call\n", calls);
    return calls == 1 ? 0 : 1;
}
