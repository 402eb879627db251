/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign objects: structs of another library, which cannot embed a header
 * word, registered by their address (KP-17).
 */
#include "contract_fixture.h"

enum { WINDOW_TITLE, WINDOW_WIDTH, WINDOW_OWNER, WINDOW_PARENT };

/* Of a library that knows nothing of this one. */
struct window {
    int32_t width;
    const char *title;
    struct user *owner;
    struct window *parent;
    size_t references;
    size_t told;
};

static const struct obv_property window_properties[] = {
    [WINDOW_TITLE] = OBV_FIELD(window, title, string),
    [WINDOW_WIDTH] = OBV_FIELD(window, width, i32),
    [WINDOW_OWNER] = OBV_FIELD_OBJECT(window, owner, "user"),
    [WINDOW_PARENT] =
        OBV_FIELD_WITH(window, parent, pointer, OBV_FOREIGN, "window")};

enum { USER_WINDOW, USER_PLAIN, USER_NEXT, USER_PROXY };

struct user {
    struct obv_object object;
    struct window *window; /* leads on */
    struct window *plain;  /* does not */
    struct user *next;
    struct obv_object *proxy; /* of a foreign object */
};
OBV_PROPERTY(user, window, pointer, USER_WINDOW)
OBV_PROPERTY(user, plain, pointer, USER_PLAIN)
OBV_PROPERTY(user, next, object, USER_NEXT)

static const struct obv_property user_properties[] = {
    [USER_WINDOW] =
        OBV_FIELD_WITH(user, window, pointer, OBV_FOREIGN, "window"),
    [USER_PLAIN] = OBV_FIELD(user, plain, pointer),
    [USER_NEXT] = OBV_FIELD_OBJECT(user, next, "user"),
    [USER_PROXY] = OBV_FIELD_OBJECT(user, proxy, NULL)};
static const struct obv_class_table user_table = {.size = sizeof user_table,
                                                  .name = "user",
                                                  .instance_size =
                                                      sizeof(struct user),
                                                  .properties = user_properties,
                                                  .property_count = 4};

static const struct obv_foreign_table window_table = {
    .size = sizeof window_table,
    .name = "window",
    .properties = window_properties,
    .property_count = 4};

/* --- with hooks, and read by functions ----------------------------------- */

static bool window_retain(void *address)
{
    return references_try(&((struct window *)address)->references);
}

static void window_release(void *address)
{
    struct window *window = address;
    if (references_drop(&window->references)) {
        (void)obv_foreign_unregister(obv_foreign_find(
            *(struct obv_context **)(void *)(window + 1), window));
        memset(window, 0x5A, sizeof *window);
        free(window);
    }
}

static void window_told(void *address, uint32_t property, bool is_observed)
{
    struct window *window = address;
    property = property == OBV_EVERY_PROPERTY ? WINDOW_PARENT + 1 : property;
    window->told += (size_t)1 << (property * 4 + (is_observed ? 0 : 2));
}

static void window_read(const void *address,
                        const struct obv_property *property, void *value)
{
    const struct window *window = address;
    if (property == &window_properties[WINDOW_WIDTH]) {
        memcpy(value, &window->width, sizeof window->width);
    } else if (property == &window_properties[WINDOW_TITLE]) {
        memcpy(value, &window->title, sizeof window->title);
    } else if (property == &window_properties[WINDOW_OWNER]) {
        memcpy(value, &window->owner, sizeof window->owner);
    } else {
        memcpy(value, &window->parent, sizeof window->parent);
    }
}

static const struct obv_foreign_table counted_table = {
    .size = sizeof counted_table,
    .name = "counted",
    .properties = window_properties,
    .property_count = 4,
    .read = window_read,
    .retain = window_retain,
    .release = window_release,
    .observed_changed = window_told};

static struct fixture fixture;
static struct probe probe;
static struct obv_class *windows, *counted, *users;
static struct obv_object *foreign;

static void begin(void)
{
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    CHECK_EQ(obv_foreign_class_create(fixture.context, &window_table, &windows,
                                      NULL),
             OBV_OK);
    CHECK_EQ(obv_foreign_class_create(fixture.context, &counted_table, &counted,
                                      NULL),
             OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &user_table, &users, NULL),
             OBV_OK);
}

static void finish(void)
{
    probe_release(&probe);
    fixture_end(&fixture);
}

static struct obv_object *registered(struct obv_class *cls, void *window)
{
    struct obv_object *made;
    CHECK_EQ(obv_foreign_register(cls, window, &made, NULL), OBV_OK);
    return made;
}

static void user_init(struct user *user)
{
    memset(user, 0, sizeof *user);
    obv_object_init(&user->object, users);
}

static struct window *window_create(void)
{
    struct window *window =
        calloc(1, sizeof *window + sizeof(struct obv_context *));
    CHECK(window);
    window->references = 1;
    *(struct obv_context **)(void *)(window + 1) = fixture.context;
    return window;
}

static struct obv_observation *watched(struct obv_object *root,
                                       const char *path)
{
    struct obv_observation *handle;
    CHECK_EQ(obv_observe(root, path, &probe.kind, &probe, &handle, NULL),
             OBV_OK);
    return handle;
}

static struct obv_observation *watched_foreign(const char *path)
{
    return watched(foreign, path);
}

/* --- as a root ----------------------------------------------------------- */

TEST(KP_17_a_trigger_tells_of_a_change_of_a_foreign_object)
{
    struct window window = {.width = 3};
    begin();
    foreign = registered(windows, &window);
    struct obv_observation *handle = watched_foreign("width");
    int32_t old = window.width;
    CHECK_EQ(obv_trigger(foreign, WINDOW_WIDTH, &old, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 0); /* equal */
    window.width = 4;
    CHECK_EQ(obv_trigger(foreign, WINDOW_WIDTH, &old, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(obv_foreign_address(probe.root) == &window);
    CHECK_EQ(obv_trigger(foreign, WINDOW_WIDTH, NULL, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 1); /* not known: a change */
    CHECK_EQ(obv_trigger(foreign, WINDOW_TITLE, NULL, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 0); /* another property */
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_trigger(foreign, 4, NULL, NULL), OBV_E_UNKNOWN);
    end(handle);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    finish();
}

TEST(KP_17_a_proxy_is_read_and_not_set)
{
    struct window window = {.width = 3, .title = "a"};
    int32_t width;
    const char *title;
    begin();
    foreign = registered(windows, &window);
    struct obv_object *proxy = foreign;
    CHECK_EQ(obv_get_i32(proxy, WINDOW_WIDTH, &width), OBV_OK);
    CHECK_EQ(width, 3);
    CHECK_EQ(obv_get_string(proxy, WINDOW_TITLE, &title), OBV_OK);
    CHECK_TEXT(title, "a");
    CHECK_EQ(obv_set_i32(proxy, WINDOW_WIDTH, 4), OBV_E_KIND);
    CHECK_EQ(obv_set_string(proxy, WINDOW_TITLE, "b"), OBV_E_KIND);
    CHECK_EQ(window.width, 3);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    finish();
}

TEST(KP_17_what_the_program_reads_is_compared)
{
    begin();
    struct window *window = window_create();
    window->title = "a";
    foreign = registered(counted, window);
    struct obv_observation *handle = watched_foreign("title");
    const char *old = "a", *title;
    CHECK_EQ(obv_trigger(foreign, WINDOW_TITLE, &old, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 0);
    window->title = "b";
    CHECK_EQ(obv_trigger(foreign, WINDOW_TITLE, &old, NULL), OBV_OK);
    CHECK_EQ(window->references, 2); /* the call holds it */
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(window->references, 1);
    struct obv_object *proxy = foreign;
    CHECK_EQ(obv_get_string(proxy, WINDOW_TITLE, &title), OBV_OK);
    CHECK_TEXT(title, "b");
    end(handle);
    CHECK_EQ(window->told, 1 + 4); /* OS-1: observed, and no more */
    window_release(window);
    finish();
}

static struct obv_value_seen {
    bool has_old, has_now;
    int32_t old, now;
} seen;

static void note_values(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    (void)observer;
    (void)root;
    seen.has_old = obv_value_is_reachable(call->old);
    seen.has_now = obv_value_is_reachable(call->now);
    seen.old = seen.has_old ? call->old->as.i32 : 0;
    seen.now = seen.has_now ? call->now->as.i32 : 0;
}

TEST(KP_17_values_of_foreign_objects_are_handed_over)
{
    static const struct obv_handler_kind kind = {.changed = note_values};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_VALUES};
    struct window window = {.width = 3};
    struct obv_observation *handle;
    begin();
    foreign = registered(windows, &window);
    const struct obv_pair pair = {foreign, "width"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, NULL, &options, &handle, NULL),
             OBV_OK);
    int32_t old = window.width;
    window.width = 4;
    CHECK_EQ(obv_trigger(foreign, WINDOW_WIDTH, &old, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(seen.has_old && seen.has_now);
    CHECK_EQ(seen.old, 3);
    CHECK_EQ(seen.now, 4);
    CHECK_EQ(obv_trigger(foreign, WINDOW_WIDTH, NULL, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(!seen.has_old && seen.has_now);
    CHECK_EQ(seen.now, 4);
    end(handle);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    finish();
}

/* --- registrations ------------------------------------------------------- */

TEST(KP_17_a_new_object_at_an_address_is_another)
{
    struct window window = {.width = 3};
    begin();
    foreign = registered(windows, &window);
    struct obv_observation *handle = watched_foreign("width");
    uint64_t before = obv_object_identity(foreign);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    CHECK(obv_has_ended(handle));
    CHECK(obv_foreign_find(fixture.context, &window) == NULL);
    foreign = registered(windows, &window);
    CHECK(obv_object_identity(foreign) != before);
    window.width = 4;
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 0);
    obv_release(handle);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    finish();
}

TEST(KP_17_an_address_is_registered_once_a_context)
{
    struct window window = {.width = 3};
    struct obv_object *other = NULL;
    struct obv_error error;
    begin();
    foreign = registered(windows, &window);
    CHECK_EQ(obv_foreign_register(windows, &window, &other, &error),
             OBV_E_IN_USE);
    CHECK(error.message != NULL);
    CHECK(other == NULL);
    CHECK(obv_foreign_find(fixture.context, &window) == foreign);
    CHECK(obv_foreign_find(fixture.context, &other) == NULL);
    CHECK_EQ(obv_foreign_register(users, &other, &other, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_foreign_register(NULL, &window, &other, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_foreign_register(windows, NULL, &other, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_foreign_register(windows, &other, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_foreign_unregister(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_foreign_trigger_all(NULL), OBV_E_ARGUMENT);
    /* What is left the context ends. */
    finish();
}

TEST(KP_17_a_class_of_foreign_objects_is_checked)
{
    static const struct obv_value_kind none = {.size = sizeof none};
    static const struct obv_property custom[] = {
        {.name = "a", .kind = OBV_KIND_custom, .size = 8, .custom = &none}};
    static const struct obv_property large[] = {
        {.name = "a", .kind = OBV_KIND_bytes, .size = 9}};
    static const struct obv_property unowned[] = {{.name = "a",
                                                   .kind = OBV_KIND_object,
                                                   .size = 8,
                                                   .flags = OBV_UNOWNED}};
    static const struct obv_property leads[] = {
        {.name = "a", .kind = OBV_KIND_i64, .size = 8, .flags = OBV_FOREIGN}};
    const struct obv_property *lines[] = {custom, large, unowned, leads};
    struct obv_class *cls;
    begin();
    for (size_t i = 0; i < 4; i++) {
        const struct obv_foreign_table table = {
            .size = sizeof table,
            .name = "bad",
            .properties = lines[i],
            .property_count = 1,
            .read = lines[i] == large ? window_read : NULL,
            .retain = lines[i] == custom ? window_retain : NULL,
            .release = lines[i] == custom ? window_release : NULL};
        CHECK_EQ(obv_foreign_class_create(fixture.context, &table, &cls, NULL),
                 OBV_E_LAYOUT);
    }
    const struct obv_foreign_table half = {
        .size = sizeof half, .name = "half", .retain = window_retain};
    CHECK_EQ(obv_foreign_class_create(fixture.context, &half, &cls, NULL),
             OBV_E_LAYOUT);
    CHECK_EQ(
        obv_foreign_class_create(fixture.context, &window_table, &cls, NULL),
        OBV_E_LAYOUT); /* the name is taken */
    const struct obv_class_table table = {.size = sizeof table,
                                          .name = "model",
                                          .instance_size = 16,
                                          .properties = leads,
                                          .property_count = 1};
    CHECK_EQ(obv_class_create(fixture.context, &table, &cls, NULL),
             OBV_E_LAYOUT);
    finish();
}

/* --- in the middle of paths ---------------------------------------------- */

TEST(KP_17_replacing_a_foreign_object_is_seen_and_changes_inside_are_not)
{
    struct window first = {.width = 1}, second = {.width = 1};
    struct user user;
    begin();
    user_init(&user);
    user_set_plain(&user, &first);
    struct obv_observation *handle = watched(&user.object, "plain");
    struct obv_observation *inside = watched(&user.object, "plain.width");
    first.width = 2;
    CHECK_EQ(drain(&fixture), 0);
    user_set_plain(&user, &second);
    CHECK_EQ(drain(&fixture), 1);
    foreign = registered(windows, &second); /* the property leads nowhere */
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 0);
    end(handle);
    end(inside);
    CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    finish();
}

TEST(KP_17_a_path_leads_on_through_a_registered_address)
{
    struct window first = {.width = 1}, second = {.width = 2};
    struct user user;
    begin();
    user_init(&user);
    foreign = registered(windows, &first);
    struct obv_object *other = registered(windows, &second);
    struct obv_observation *handle = watched(&user.object, "window.width");
    user_set_window(&user, &first); /* unreachable to 1 */
    CHECK_EQ(drain(&fixture), 1);
    CHECK(probe.root == &user.object);
    first.width = 3;
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    user_set_window(&user, &second); /* 3 to 2 */
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 0); /* let go of */
    first.width = 2;
    user_set_window(&user, &first); /* 2 to 2 (EQ-2) */
    CHECK_EQ(drain(&fixture), 0);
    int32_t old = first.width;
    first.width = 5;
    CHECK_EQ(obv_trigger_path(&user.object, "window.width", &old, NULL, NULL),
             OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_validate(users, "window.width", NULL), OBV_OK);
    CHECK_EQ(obv_validate(users, "window.depth", NULL), OBV_E_UNKNOWN);
    end(handle);
    CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(other), OBV_OK);
    finish();
}

TEST(KP_17_a_path_that_finds_nobody_leads_on_once_the_pointer_is_set_again)
{
    struct window window = {.width = 1};
    struct user user;
    begin();
    user_init(&user);
    user_set_window(&user, &window);
    end(watched(&user.object, "window.width")); /* the user's node */
    obv_context_collect(fixture.context);
    size_t blocks = test_live_blocks();
    struct obv_observation *handle = watched(&user.object, "window.width");
    struct obv_observation *plain = watched(&user.object, "window");
    for (int round = 0; round < 3; round++) {
        foreign = registered(windows, &window);
        CHECK_EQ(drain(&fixture), 0); /* the pointer is what it was */
        CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
        CHECK_EQ(drain(&fixture), 0);
        user_set_window(&user, NULL);
        CHECK_EQ(drain(&fixture), 1); /* `window` alone */
        user_set_window(&user, &window);
        CHECK_EQ(drain(&fixture), 2);
        window.width++;
        CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
        CHECK_EQ(drain(&fixture), 1);
        CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
        CHECK_EQ(drain(&fixture), 1);
    }
    end(handle);
    end(plain);
    CHECK_EQ(drain(&fixture), 0);
    obv_context_collect(fixture.context);
    CHECK_EQ(test_live_blocks(), blocks);
    CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
    finish();
}

TEST(KP_17_a_trigger_of_the_pointer_sets_it_again)
{
    struct window window = {.width = 1};
    struct user user;
    begin();
    user_init(&user);
    user_set_window(&user, &window);
    struct obv_observation *handle = watched(&user.object, "window.width");
    foreign = registered(windows, &window);
    void *none = NULL;
    CHECK_EQ(obv_trigger(&user.object, USER_WINDOW, &none, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    end(handle);
    CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    finish();
}

TEST(KP_17_a_foreign_object_leads_on_to_models_and_to_others)
{
    struct window window = {.width = 1}, parent = {.width = 7};
    struct user user, owner;
    begin();
    user_init(&user);
    user_init(&owner);
    foreign = registered(windows, &window);
    user_set_window(&user, &window);
    struct obv_observation *handle =
        watched(&user.object, "window.owner.plain");
    struct obv_observation *deep = watched(&user.object, "window.parent.width");
    CHECK_EQ(drain(&fixture), 0);
    window.owner = &owner;
    CHECK_EQ(obv_trigger(foreign, WINDOW_OWNER, NULL, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    user_set_plain(&owner, &parent);
    CHECK_EQ(drain(&fixture), 1);
    struct obv_object *above = registered(windows, &parent);
    window.parent = &parent;
    CHECK_EQ(obv_trigger(foreign, WINDOW_PARENT, NULL, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    parent.width = 8;
    CHECK_EQ(obv_foreign_trigger_all(above), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_object_deinit(&owner.object), OBV_OK); /* LT-6 */
    CHECK_EQ(drain(&fixture), 1);
    window.owner = NULL;
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    end(handle);
    end(deep);
    CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(above), OBV_OK);
    finish();
}

TEST(KP_17_a_star_leads_on_to_a_foreign_object)
{
    struct window window = {.width = 1}, other = {.width = 2};
    struct user user;
    begin();
    user_init(&user);
    struct obv_observation *handle = watched(&user.object, "*.width");
    struct obv_object *second = registered(windows, &other);
    foreign = registered(windows, &window);
    CHECK_EQ(drain(&fixture), 0);
    user_set_window(&user, &window);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    user_set_window(&user, &other);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(obv_foreign_unregister(second), OBV_OK);
    CHECK_EQ(drain(&fixture), 1); /* is let go of at once */
    end(handle);
    CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    finish();
}

TEST(KP_17_a_star_at_the_end_looks_at_the_pointer_alone)
{
    struct window window = {.width = 1};
    struct user user;
    begin();
    user_init(&user);
    user_set_window(&user, &window);
    struct obv_observation *handle = watched(&user.object, "*");
    foreign = registered(windows, &window);
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 0); /* the pointer is what it was */
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 0);
    user_set_window(&user, NULL);
    CHECK_EQ(drain(&fixture), 1);
    end(handle);
    CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
    finish();
}

/* --- ends ---------------------------------------------------------------- */

TEST(KP_17_LT_2_an_object_without_hooks_takes_its_scheduled_call_with_it)
{
    struct window window = {.width = 1};
    begin();
    foreign = registered(windows, &window);
    struct obv_observation *handle = watched_foreign("width");
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    CHECK_EQ(drain(&fixture), 0);
    CHECK(obv_has_ended(handle));
    obv_release(handle);
    finish();
}

TEST(KP_17_ST_4_a_stop_takes_back_the_call_of_an_object_without_hooks)
{
    struct window window = {.width = 1};
    struct user user;
    begin();
    user_init(&user);
    foreign = registered(windows, &window);
    size_t disposed = probe.disposed;
    struct obv_observation *handle = watched_foreign("width");
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    obv_stop(handle);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.disposed, disposed + 1);
    obv_release(handle);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
    finish();
}

TEST(KP_17_LT_1_a_scheduled_call_holds_an_object_with_hooks)
{
    begin();
    struct window *window = window_create();
    foreign = registered(counted, window);
    struct obv_observation *handle = watched_foreign("width");
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    window_release(window); /* the call holds it */
    CHECK(obv_foreign_find(fixture.context, window) == foreign);
    CHECK_EQ(drain(&fixture), 1); /* and was the last to */
    CHECK(!obv_foreign_find(fixture.context, window));
    CHECK(obv_has_ended(handle));
    obv_release(handle);
    /* Unregistered early, the object lives on, and its call comes. */
    window = window_create();
    foreign = registered(counted, window);
    handle = watched_foreign("width");
    CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_E_ENDED);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(obv_has_ended(handle));
    CHECK_EQ(window->references, 1);
    obv_release(handle);
    window_release(window);
    finish();
}

TEST(KP_17_a_counted_object_is_held_while_a_path_moves_to_it)
{
    begin();
    struct window *first = window_create(), *second = window_create();
    struct user user;
    user_init(&user);
    foreign = registered(counted, first);
    (void)registered(counted, second);
    second->width = 4;
    struct obv_observation *handle = watched(&user.object, "window.width");
    user_set_window(&user, first);
    CHECK_EQ(drain(&fixture), 1);
    user_set_window(&user, second);
    CHECK_EQ(drain(&fixture), 1);
    user_set_window(&user, first);
    first->width = 4;
    CHECK_EQ(drain(&fixture), 1);
    user_set_window(&user, second); /* 4 to 4 */
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(first->references, 1);
    CHECK_EQ(second->references, 1);
    window_release(second); /* ends on the path */
    CHECK_EQ(drain(&fixture), 1);
    CHECK(!obv_foreign_find(fixture.context, second));
    user_set_window(&user, NULL);
    end(handle);
    CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
    window_release(first);
    finish();
}

/* --- memory -------------------------------------------------------------- */

TEST(FA_2_registering_without_memory_changes_nothing)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct window window = {.width = 1};
        begin();
        foreign = NULL;
        size_t blocks = test_live_blocks();
        test_fail_allocation(n, false);
        enum obv_status status =
            obv_foreign_register(windows, &window, &foreign, NULL);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(status, failed ? OBV_E_MEMORY : OBV_OK);
        CHECK_EQ(test_live_blocks(), blocks + !failed);
        CHECK_EQ(obv_foreign_unregister(foreign),
                 failed ? OBV_E_ARGUMENT : OBV_OK);
        finish();
    }
}

TEST(FA_2_making_a_class_of_foreign_objects_without_memory)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        fixture_begin(&fixture);
        test_fail_allocation(n, false);
        enum obv_status status = obv_foreign_class_create(
            fixture.context, &window_table, &windows, NULL);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        /* The names' hash table does without. */
        CHECK(status == OBV_OK || (failed && status == OBV_E_MEMORY));
        if (status != OBV_OK) {
            CHECK_EQ(obv_foreign_class_create(fixture.context, &window_table,
                                              &windows, NULL),
                     OBV_OK);
        }
        fixture_end(&fixture);
    }
}

TEST(FA_2_beginning_to_observe_through_an_address_is_all_or_nothing)
{
    enum obv_status status = OBV_E_MEMORY;
    for (size_t n = 1; status != OBV_OK; n++) {
        struct window window = {.width = 1};
        struct user user;
        struct obv_observation *handle = NULL;
        begin();
        user_init(&user);
        foreign = registered(windows, &window);
        user_set_window(&user, &window);
        test_fail_allocation(n, false);
        status = obv_observe(&user.object, "window.width", &probe.kind, &probe,
                             &handle, NULL);
        bool failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(status, failed ? OBV_E_MEMORY : OBV_OK);
        if (!handle) {
            handle = watched(&user.object, "window.width");
        }
        CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
        CHECK_EQ(drain(&fixture), 1);
        end(handle);
        CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
        CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
        finish();
    }
}

TEST(FA_1_a_path_through_an_address_that_memory_was_short_for_is_listed)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct window window = {.width = 1};
        struct user user;
        char text[64];
        begin();
        user_init(&user);
        foreign = registered(windows, &window);
        struct obv_observation *handle = watched(&user.object, "window.width");
        test_fail_allocation(n, false);
        user_set_window(&user, &window);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(drain(&fixture), 1);
        CHECK_EQ(fixture.diagnostics, failed);
        CHECK_EQ(obv_unresolved_path(handle, 0, text, sizeof text),
                 failed ? (ptrdiff_t)strlen("window.width") : -1);
        user_set_window(&user, NULL);
        (void)drain(&fixture);
        user_set_window(&user, &window); /* tried again */
        CHECK_EQ(drain(&fixture), 1);
        CHECK_EQ(obv_unresolved_path(handle, 0, text, sizeof text), -1);
        end(handle);
        CHECK_EQ(obv_object_deinit(&user.object), OBV_OK);
        CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
        finish();
    }
}

/* --- ended by a handler that is called for it ----------------------------- */

static void unregister_and_free(struct probe *first)
{
    struct window *window = obv_foreign_address(first->root);
    CHECK_EQ(obv_foreign_unregister(foreign), OBV_OK);
    memset(window, 0x5A, sizeof *window);
    free(window);
}

/* The call holds it yet. */
static void let_window_go(struct probe *first)
{
    window_release(obv_foreign_address(first->root));
}

static void check_end_in_handler(struct obv_class *cls,
                                 void (*then)(struct probe *first),
                                 enum obv_status (*trigger)(void), size_t told)
{
    const char *const paths[] = {"width", "width", "owner", "*"};
    const struct obv_observe_options immediate = {.size = sizeof immediate,
                                                  .flags = OBV_IMMEDIATE};
    struct obv_observation *handles[4];
    struct probe first;
    probe_init(&first, &fixture);
    first.then = then;
    foreign = registered(cls, window_create());
    struct obv_object *proxy = foreign;
    for (size_t i = 0; i < 4; i++) {
        const struct obv_pair pair = {proxy, paths[i]};
        struct probe *by = i == 0 ? &first : &probe;
        CHECK_EQ(obv_observe_pairs(&pair, 1, &by->kind, by, &immediate,
                                   &handles[i], NULL),
                 OBV_OK);
    }
    probe.calls = 0;
    CHECK_EQ(trigger(), OBV_OK);
    CHECK_EQ(first.calls, 1);
    CHECK_EQ(probe.calls, told); /* before the first was called */
    for (size_t i = 0; i < 4; i++) {
        CHECK(obv_has_ended(handles[i]));
        obv_release(handles[i]);
    }
    probe_release(&first);
}

static enum obv_status trigger_all(void)
{
    return obv_foreign_trigger_all(foreign);
}

static enum obv_status trigger_width(void)
{
    return obv_trigger(foreign, WINDOW_WIDTH, NULL, NULL);
}

TEST(RE_2_KP_17_an_object_ends_in_a_handler_that_is_called_for_it)
{
    begin();
    check_end_in_handler(windows, unregister_and_free, trigger_all, 1);
    check_end_in_handler(windows, unregister_and_free, trigger_width, 0);
    check_end_in_handler(counted, let_window_go, trigger_all, 1);
    check_end_in_handler(counted, let_window_go, trigger_width, 0);
    finish();
}

/* --- a proxy in the middle ------------------------------------------------- */

static void set_proxy(struct user *user, struct obv_object *proxy)
{
    CHECK_EQ(obv_set_value(&user->object, USER_PROXY, OBV_KIND_object, &proxy),
             OBV_OK);
}

/* Its struct is larger than a proxy. */
struct desktop {
    char name[512];
    int32_t width;
};

TEST(KP_17_proxies_in_the_middle_are_compared_by_their_objects)
{
    static const struct obv_property line = OBV_FIELD(desktop, width, i32);
    static const struct obv_foreign_table table = {.size = sizeof table,
                                                   .name = "desktop",
                                                   .properties = &line,
                                                   .property_count = 1};
    struct desktop desktops[2] = {{.width = 3}, {.width = 4}};
    struct obv_class *cls;
    struct user user;
    begin();
    user_init(&user);
    CHECK_EQ(obv_foreign_class_create(fixture.context, &table, &cls, NULL),
             OBV_OK);
    struct obv_object *first = registered(cls, &desktops[0]);
    struct obv_object *second = registered(cls, &desktops[1]);
    set_proxy(&user, first);
    struct obv_observation *handle = watched(&user.object, "proxy.width");
    set_proxy(&user, second);
    CHECK_EQ(drain(&fixture), 1);
    desktops[0].width = 4;
    set_proxy(&user, first);
    CHECK_EQ(drain(&fixture), 0); /* equal */
    desktops[0].width = 5;
    CHECK_EQ(obv_foreign_trigger_all(first), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    end(handle);
    set_proxy(&user, NULL);
    CHECK_EQ(obv_foreign_unregister(first), OBV_OK);
    CHECK_EQ(obv_foreign_unregister(second), OBV_OK);
    (void)obv_object_deinit(&user.object);
    finish();
}

static struct user *looked_at; /* observed by who reads, unless NULL */

static void observing_read(const void *address,
                           const struct obv_property *property, void *value)
{
    if (looked_at) {
        end(watched(&looked_at->object, "next.next"));
    }
    window_read(address, property, value);
}

TEST(RE_5_KP_17_who_reads_a_proxy_in_the_middle_observes)
{
    struct obv_foreign_table table = counted_table;
    struct obv_class *cls;
    struct user user;
    table.name = "read";
    table.read = observing_read;
    begin();
    user_init(&user);
    CHECK_EQ(obv_foreign_class_create(fixture.context, &table, &cls, NULL),
             OBV_OK);
    struct window *first = window_create(), *second = window_create();
    struct obv_object *proxies[] = {registered(cls, first),
                                    registered(cls, second)};
    second->width = 4;
    set_proxy(&user, proxies[0]);
    struct obv_observation *handle = watched(&user.object, "proxy.width");
    looked_at = &user;
    set_proxy(&user, proxies[1]);
    looked_at = NULL;
    CHECK_EQ(drain(&fixture), 1);
    end(handle);
    set_proxy(&user, NULL);
    window_release(first);
    window_release(second);
    (void)obv_object_deinit(&user.object);
    finish();
}

/* --- threads ------------------------------------------------------------- */

static int stopping;

static void *register_in_turns(void *argument)
{
    (void)argument;
    while (!is_raised(&stopping)) {
        struct window *window = window_create();
        struct obv_object *made = registered(counted, window);
        CHECK_EQ(obv_foreign_trigger_all(made), OBV_OK);
        window_release(window);
    }
    return NULL;
}

TEST(TH_1_KP_17_registering_triggering_and_observing_on_threads)
{
    pthread_t threads[2];
    begin();
    struct window *window = window_create();
    foreign = registered(counted, window);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, register_in_turns, NULL), 0);
    }
    for (size_t i = 0; i < 2000; i++) {
        struct obv_observation *handle = watched_foreign("width");
        CHECK_EQ(obv_foreign_trigger_all(foreign), OBV_OK);
        CHECK(drain(&fixture) >= 1);
        CHECK(obv_foreign_find(fixture.context, window) == foreign);
        end(handle);
    }
    raise_flag(&stopping);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    window_release(window);
    finish();
}
