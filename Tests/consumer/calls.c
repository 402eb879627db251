/* SPDX-License-Identifier: Apache-2.0 */
/* The calls in the tables of the README and of docs/guide, as they stand there:
   that they compile, and that the library has them. */
#include <observable/observable.h>

struct address {
    struct obv_object object;
    const char *zipCode;
};
struct user {
    struct obv_object object;
    const char *name;
    int32_t age;
    struct address *address;
};
#define ADDRESS(P) P(address, zipCode, string)
#define USER(P)                                                                \
    P(user, name, string) P(user, age, i32) P(user, address, object_of(address))
OBV_MODEL(address, ADDRESS)
OBV_MODEL(user, USER)

/* By hand: a property that any thread may set. */
enum { WALKER_STEPS };
struct walker {
    struct obv_object object;
    int32_t steps;
};
OBV_PROPERTY_ANY_THREAD(walker, steps, i32, WALKER_STEPS)
static const struct obv_property walker_properties[] = {
    [WALKER_STEPS] = OBV_FIELD_WITH(walker, steps, i32, OBV_ANY_THREAD, NULL)};

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    (void)observer, (void)root, (void)call->is_prior, (void)call->observation;
}
static bool same(void *context, const struct obv_value *old,
                 const struct obv_value *now)
{
    (void)context;
    return obv_value_equal(old, now);
}
static void each(void *context, const struct obv_observer_entry *entry)
{
    (void)context, (void)entry;
}
static void each_name(void *context, const char *name)
{
    (void)context, (void)name;
}
static void wake(void *context)
{
    (void)context;
}
static const struct obv_handler_kind kind = {
    .changed = changed, .label = "zip", OBV_KIND_HERE};

/* Not run: one after another these calls make no sense. */
int calls(struct user *user, struct obv_class *users, void *label,
          const struct obv_foreign_table *table, void *window);
int calls(struct user *user, struct obv_class *users, void *label,
          const struct obv_foreign_table *table, void *window)
{
    struct obv_error error;
    struct obv_observation *handle;
    struct obv_loop *loop;
    int fd;
    const struct obv_loop_options woken = {.size = sizeof woken, .wake = wake},
                                  bound = {.size = sizeof bound, .bound = true};
    if (obv_loop_create(NULL, &woken, &loop) ||
        obv_loop_create(NULL, &bound, &loop) ||
        obv_loop_descriptor(loop, &fd)) {
        return 1;
    }
    if (!obv_loop_prepare(loop) && obv_loop_check(loop))
        obv_loop_wake(loop);
    obv_loop_drain_some(loop, 7);

    const struct obv_pair pairs[] = {{&user->object, "name"},
                                     {&user->object, "address.*.name"}};
    const struct obv_observe_options
        options = {.size = sizeof options,
                   .loop = loop,
                   .flags =
                       OBV_IMMEDIATE | OBV_PRIOR | OBV_INITIAL | OBV_DEFER},
        others = {.size = sizeof others,
                  .equal = same,
                  .record_limit = 4,
                  .flags = OBV_ONCE | OBV_TOKEN | OBV_NET | OBV_ANY_ELEMENT |
                           OBV_EXTENSIBLE | OBV_VALUES | OBV_RECORDS},
        always = {.size = sizeof always,
                  .compare = OBV_COMPARE_ALWAYS_DIFFERENT};
    if (obv_observe(&user->object, "address.zipCode", &kind, label, &handle,
                    &error) ||
        obv_observe_pairs(pairs, 2, &kind, label, &options, &handle, &error) ||
        obv_observe_class(users, "name", &kind, label, &others, &handle,
                          &error) ||
        obv_observe_also(handle, pairs, 2, &error) ||
        obv_observe_pairs(pairs, 2, &kind, label, &always, NULL, NULL) ||
        obv_validate(users, "address.zipCode", &error)) {
        return error.position != 0;
    }
    obv_make_immediate(handle);
    obv_schedule(handle);
    obv_execute(handle);
    obv_unresolved_path(handle, 0, NULL, 0);
    obv_stop_path(handle, &user->object, "name", &error);
    obv_stop_observer(&user->object, label, NULL, 0, &error);
    obv_stop_handler(&user->object, &kind, label);
    if (!obv_has_ended(handle))
        obv_stop_and_wait(handle);
    obv_release(handle);

    const struct obv_binder_end name = {&user->object, "name", NULL},
                                zip = {&user->object, "address.zipCode", NULL};
    struct obv_binder *binder;
    if (obv_bind(&name, &zip, NULL, &binder, &error)) {
        return 1;
    }
    obv_cut_off(&user->object, "address.zipCode", &user->object, &error);
    if (obv_binder_has_ended(binder)) {
        obv_unbind(binder);
    }

    struct obv_value value;
    if (obv_value_at(&user->object, "address.zipCode", &value, &error) ==
        OBV_OK) {
        (void)obv_value_is_reachable(&value);
        obv_value_deinit(NULL, &value);
    }
    const int32_t old = user->age;
    user->age = 3;
    obv_trigger(&user->object, user_property_age, &old, NULL);
    struct obv_batch batch;
    obv_batch_begin(&batch);
    OBV_HERE(user_set_age(user, 37));
    obv_batch_end(&batch);

    obv_observer_count(&user->object, "name");
    obv_observed_properties(&user->object, each_name, NULL);
    obv_debug_show_all_observers(&user->object, NULL, NULL);
    obv_debug_each_observer(&user->object, each, NULL);
    struct obv_context *context;
    struct obv_counters counters;
    const struct obv_context_options own = {.size = sizeof own,
                                            .reclaim_batch = 1};
    if (obv_context_create(&own, &context))
        return 1;
    obv_context_counters(context, &counters);
    obv_context_collect(context);

    struct obv_class *windows;
    struct obv_object *proxy;
    if (obv_foreign_class_create(NULL, table, &windows, &error) ||
        obv_foreign_register(windows, window, &proxy, &error) ||
        obv_observe(proxy, "title", &kind, label, &handle, &error)) {
        return 1;
    }
    obv_trigger(proxy, 0, NULL, NULL);
    obv_foreign_trigger_all(proxy);
    obv_foreign_unregister(proxy);
    (void)walker_properties, (void)walker_steps, (void)walker_set_steps;
    return 0;
}

int main(void)
{
    return address_table.property_count != 1 || user_table.property_count != 3;
}
