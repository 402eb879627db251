/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program in C that is looked at in gdb: c.sh. At rest() it has something of
 * each sort; then it goes on into a set, an immediate handler and a drain.
 */
#include <observable/observable.h>

#include <stdio.h>

struct address {
    struct obv_object object;
    const char *zip;
};
#define ADDRESS(P) P(address, zip, string)
OBV_MODEL(address, ADDRESS)

struct user {
    struct obv_object object;
    const char *name;
    int32_t age, twice, lazy, failed;
    double height;
    struct address *address;
    struct obv_array *homes;
};
enum {
    USER_NAME,
    USER_AGE,
    USER_TWICE,
    USER_LAZY,
    USER_FAILED,
    USER_HEIGHT,
    USER_ADDRESS,
    USER_HOMES
};
OBV_PROPERTY(user, name, string, USER_NAME)
OBV_PROPERTY(user, age, i32, USER_AGE)
OBV_COMPUTED(user, twice, i32, USER_TWICE)
OBV_COMPUTED(user, failed, i32, USER_FAILED)
OBV_PROPERTY(user, height, f64, USER_HEIGHT)
OBV_PROPERTY(user, address, object, USER_ADDRESS)

/* Nobody reads the answer of a status that a test program does not expect. */
#define MUST(call)                                                             \
    do {                                                                       \
        if ((call) != OBV_OK) {                                                \
            (void)printf("line %d is refused\n", __LINE__);                    \
            return 1;                                                          \
        }                                                                      \
    } while (0)

static enum obv_status make_twice(struct obv_object *object,
                                  const struct obv_property *property,
                                  void *result)
{
    (void)property;
    *(int32_t *)result = 2 * user_age((const struct user *)object);
    return OBV_OK;
}

static enum obv_status fail(struct obv_object *object,
                            const struct obv_property *property, void *result)
{
    (void)object, (void)property, (void)result;
    return OBV_E_ARGUMENT;
}

static const struct obv_computed failing = {.size = sizeof failing,
                                            .evaluate = fail};
static const struct obv_computed twice = {.size = sizeof twice,
                                          .evaluate = make_twice};

static const struct obv_property properties[] = {
    [USER_NAME] = OBV_FIELD(user, name, string),
    [USER_AGE] = OBV_FIELD(user, age, i32),
    [USER_TWICE] = OBV_FIELD_COMPUTED(user, twice, i32, &twice),
    [USER_LAZY] = OBV_FIELD_COMPUTED(user, lazy, i32, &twice),
    [USER_FAILED] = OBV_FIELD_COMPUTED(user, failed, i32, &failing),
    [USER_HEIGHT] = OBV_FIELD(user, height, f64),
    [USER_ADDRESS] = OBV_FIELD(user, address, object),
    [USER_HOMES] = OBV_FIELD_WITH(user, homes, object, OBV_UNOWNED, NULL)};

static struct obv_class_table user_table = {
    .size = sizeof user_table,
    .name = "user",
    .instance_size = sizeof(struct user),
    .properties = properties,
    .property_count = sizeof properties / sizeof *properties};

__attribute__((noinline)) static void
zip_changed(void *cell, struct obv_object *root, const struct obv_call *call)
{
    (void)cell, (void)root, (void)call;
}

/* The variables that are seen in the debugger stand on the stack. */
__attribute__((noinline)) static void
age_changed(void *cell, struct obv_object *root, const struct obv_call *call)
{
    (void)cell, (void)root, (void)call;
    __asm__ volatile("");
}

#define KIND(name, function, text)                                             \
    static const struct obv_handler_kind name = {                              \
        .changed = function, .label = text, OBV_KIND_HERE};
KIND(zip_kind, zip_changed, "zip cell")
KIND(age_kind, age_changed, "age cell")
KIND(twice_kind, zip_changed, "twice cell")
KIND(homes_kind, zip_changed, "homes")
KIND(name_kind, zip_changed, "name cell")
KIND(hostile_kind, zip_changed, "lost\n\x1b[2J\xe2\x80\xae\xff")
KIND(stale_kind, zip_changed, "stale")
KIND(height_kind, zip_changed, "height")

static struct address first, second;
static struct user user, other;
static struct obv_observation *height_handle, *zip_handle, *name_handle;
static struct obv_batch batch;
static struct obv_path *path;

__attribute__((noinline)) static void rest(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static void grow_older(void)
{
    user_set_age(&user, 41);
    __asm__ volatile("");
}

__attribute__((noinline)) static void move_house(void)
{
    OBV_HERE(user_set_address(&user, &first));
}

__attribute__((noinline)) static void drain_all(void)
{
    (void)obv_loop_drain(obv_context_loop(NULL));
    __asm__ volatile("");
}

static int observe(void)
{
    const struct obv_observe_options records = {.size = sizeof records,
                                                .flags = OBV_RECORDS};
    const struct obv_observe_options now = {.size = sizeof now,
                                            .flags = OBV_IMMEDIATE};
    const struct obv_pair zip = {&user.object, "address.zip"};
    const struct obv_pair age = {&user.object, "age"};
    MUST(obv_observe_pairs(&zip, 1, &zip_kind, &user, &records, &zip_handle,
                           NULL));
    MUST(obv_observe_pairs(&age, 1, &age_kind, &user, &now, NULL, NULL));
    MUST(obv_observe(&user.object, "twice", &twice_kind, &user, NULL, NULL));
    MUST(obv_observe(&user.object, "homes.0.zip", &homes_kind, &user, NULL,
                     NULL));
    MUST(obv_observe(&user.object, "name", &name_kind, &user, &name_handle,
                     NULL));
    MUST(obv_observe(&user.object, "a\\.b", &hostile_kind, &user, NULL, NULL));
    MUST(obv_observe(&other.object, "address.zip", &stale_kind, &user, NULL,
                     NULL));
    MUST(obv_observe(&user.object, "height", &height_kind, &user,
                     &height_handle, NULL));
    return 0;
}

int main(void)
{
    static const struct obv_collection_kind homes = {
        .size = sizeof homes, .name = "homes", .element = OBV_KIND_object};
    struct obv_class *addresses, *users, *arrays;
    MUST(obv_class_create(NULL, &address_table, &addresses, NULL));
    MUST(obv_class_create(NULL, &user_table, &users, NULL));
    MUST(obv_array_class_create(NULL, &homes, &arrays, NULL));
    MUST(obv_path_parse(obv_context_names(obv_context_default()), "address.zip",
                        11, &path, NULL));
    obv_object_init(&first.object, addresses);
    obv_object_init(&second.object, addresses);
    obv_object_init(&user.object, users);
    obv_object_init(&other.object, users);
    MUST(obv_array_create(arrays, &user.homes, NULL));
    MUST(obv_array_append(user.homes, &second));
    MUST(address_set_zip(&first, "1010"));
    MUST(address_set_zip(&second, "1020"));
    MUST(user_set_name(&user, "Ada"));
    user_set_age(&user, 40);
    (void)user_failed(&user);
    user_set_height(&user, 1.75);
    user_set_address(&user, &first);
    user_set_address(&other, &first);
    if (observe() != 0) {
        return 1;
    }
    obv_stop(height_handle);
    other.address = &second; /* past the setter */
    OBV_HERE(user_set_address(&user, &second));
    obv_batch_begin(&batch);
    MUST(user_set_name(&user, "Grace"));
    rest();
    obv_batch_end(&batch);
    grow_older();
    move_house();
    drain_all();
    puts("went on to its end");
    return 0;
}
