/* SPDX-License-Identifier: Apache-2.0 */
/* A path through an object that is not there yet, and then is another one:
   three changes, one call. */
#include <observable/observable.h>
#include <stdio.h>

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

static const struct obv_property zip[] = {OBV_FIELD(address, zipCode, string)};
static const struct obv_property home[] = {
    OBV_FIELD_OBJECT(user, address, "address")};
static const struct obv_class_table classes[] = {
    {sizeof *classes, "address", sizeof(struct address), NULL, zip, 1, 0, 0},
    {sizeof *classes, "user", sizeof(struct user), NULL, home, 1, 0, 0}};

static void zip_changed(void *calls, struct obv_object *root,
                        const struct obv_call *call)
{
    (void)call;
    ++*(int *)calls;
    puts(address_zipCode(user_address((struct user *)root)));
}
static const struct obv_handler_kind zip_kind = {.changed = zip_changed};

int main(void)
{
    struct obv_class *address_class, *user_class;
    struct address old = {0}, new = {0};
    struct user user = {0};
    int calls = 0;
    if (obv_class_create(NULL, &classes[0], &address_class, NULL) != OBV_OK ||
        obv_class_create(NULL, &classes[1], &user_class, NULL) != OBV_OK) {
        return 1;
    }
    obv_object_init(&old.object, address_class);
    obv_object_init(&new.object, address_class);
    obv_object_init(&user.object, user_class);

    /* There is no address: the rest of the path is wired when one arrives. */
    if (obv_observe(&user.object, "address.zipCode", &zip_kind, &calls, NULL,
                    NULL) != OBV_OK) {
        return 1;
    }
    user_set_address(&user, &old);
    address_set_zipCode(&old, "20095");
    address_set_zipCode(&new, "10115"); /* no change: nobody leads there yet */
    user_set_address(&user, &new);
    /* Nothing was called yet. Now once, with the value of now: 10115. */
    obv_loop_drain(obv_context_loop(obv_context_default()));

    obv_object_deinit(&user.object);
    obv_object_deinit(&new.object);
    obv_object_deinit(&old.object);
    return calls == 1 ? 0 : 1;
}
