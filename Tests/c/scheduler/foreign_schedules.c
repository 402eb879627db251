/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads over the registry of foreign objects: an object
 * that is registered ends, while a path comes to it, lets go of it, or leads
 * through it.
 *
 *     user.window -> an address; watched: window.width
 *
 * The foreign object's memory is the scheduler's: a step in it after its end
 * fails the schedule.
 *
 * Owed by its check: the wiring is that of what is stored and registered last,
 * everything is disposed of once and nothing leaks.
 */
#include "scheduler.h"

#include "threads_check.h"

#include "base/reclaim.h"

#include <observable/allocator.h>
#include <observable/observable.h>

#include <string.h>

enum { WIDTH };

struct window {
    uint64_t references;
    uint64_t width;
};

struct user {
    struct obv_object object;
    void *window; /* any thread */
};
OBV_PROPERTY_ANY_THREAD(user, window, pointer, 0)

static const struct obv_property user_lines[] = {OBV_FIELD_WITH(
    user, window, pointer, OBV_ANY_THREAD | OBV_FOREIGN, "window")};
static const struct obv_class_table user_table = {.size = sizeof user_table,
                                                  .name = "user",
                                                  .instance_size =
                                                      sizeof(struct user),
                                                  .properties = user_lines,
                                                  .property_count = 1};

struct scenario {
    const char *name;
    void (*deeds[2])(void);
    bool is_registered; /* at first */
    bool is_watched;
    bool is_put; /* the user has the address */
    int preemptions;
};

static struct {
    const struct scenario *scenario;
    struct obv_context *context;
    struct obv_class *windows, *users;
    struct user *user;     /* NULL once it has ended */
    struct window *window; /* NULL once it has ended */
    void *address;         /* where it lies, or lay */
    struct obv_object *proxy;
    struct obv_observation *handles[2];
    unsigned calls, disposed, begun;
} world;

/* The foreign library ------------------------------------------------------ */

static bool retain(void *address)
{
    struct window *window = address;
    uint64_t seen = obv__load_relaxed(&window->references);
    while (seen > 0 &&
           !obv__cas_acq_rel(&window->references, &seen, seen + 1)) {
    }
    return seen > 0;
}

static void release(void *address)
{
    struct window *window = address;
    const struct obv_allocator *allocator = scheduler_allocator();
    if (obv__fetch_add_acq_rel(&window->references, (uint64_t)-1) == 1) {
        (void)obv_foreign_unregister(obv_foreign_find(world.context, window));
        world.window = NULL;
        allocator->free(allocator->context, window, sizeof *window);
    }
}

static const struct obv_property window_lines[] = {
    OBV_FIELD(window, width, u64)};
static const struct obv_foreign_table window_table = {
    .size = sizeof window_table,
    .name = "window",
    .properties = window_lines,
    .property_count = 1,
    .retain = retain,
    .release = release};

/* Deeds -------------------------------------------------------------------- */

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    world.calls++;
}

static void disposed(const struct obv_handler_kind *kind, void *observer)
{
    (void)kind;
    (void)observer;
    world.disposed++;
}

static const struct obv_handler_kind kind = {.changed = changed,
                                             .dispose = disposed};

static void begin(unsigned which)
{
    SCHEDULER_CHECK(obv_observe(&world.user->object, "window.width", &kind,
                                NULL, &world.handles[which], NULL) == OBV_OK);
    world.begun++;
}

static void observe(void)
{
    begin(1);
}

static void stop(void)
{
    obv_stop(world.handles[0]);
}

static void put(void)
{
    user_set_window(world.user, world.window);
}

static void put_before_it_ends(void)
{
    /* The program's reference; the other thread drops another one. */
    user_set_window(world.user, world.address);
}

static void register_it(void)
{
    SCHEDULER_CHECK(obv_foreign_register(world.windows, world.window,
                                         &world.proxy, NULL) == OBV_OK);
}

static void drop_it(void)
{
    release(world.window);
}

static void unregister(void)
{
    SCHEDULER_CHECK(obv_foreign_unregister(world.proxy) == OBV_OK);
}

static void end_user(void)
{
    const struct obv_allocator *allocator = scheduler_allocator();
    SCHEDULER_CHECK(obv_object_deinit(&world.user->object) == OBV_OK);
    allocator->free(allocator->context, world.user, sizeof *world.user);
    world.user = NULL;
}

/* The world ---------------------------------------------------------------- */

static void setup(void)
{
    const struct scenario *scenario = world.scenario;
    const struct obv_allocator *allocator = scheduler_allocator();
    const struct obv_context_options options = {
        .size = sizeof options, .allocator = allocator, .reclaim_batch = 4};
    memset(&world, 0, sizeof world);
    world.scenario = scenario;
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &world.context) == OBV_OK);
    SCHEDULER_CHECK(obv_foreign_class_create(world.context, &window_table,
                                             &world.windows, NULL) == OBV_OK);
    SCHEDULER_CHECK(obv_class_create(world.context, &user_table, &world.users,
                                     NULL) == OBV_OK);
    world.user = allocator->allocate(allocator->context, sizeof *world.user);
    SCHEDULER_CHECK(world.user != NULL);
    memset(world.user, 0, sizeof *world.user);
    obv_object_init(&world.user->object, world.users);
    world.window =
        allocator->allocate(allocator->context, sizeof *world.window);
    SCHEDULER_CHECK(world.window != NULL);
    world.address = world.window;
    world.window->references = 1;
    world.window->width = 1;
    if (scenario->is_registered) {
        register_it();
    }
    if (scenario->is_put) {
        put();
    }
    if (scenario->is_watched) {
        begin(0);
    }
    obv__thread_unlist(obv__thread_self());
}

static size_t watchers(void)
{
    size_t count = 0;
    for (unsigned i = 0; i < 2; i++) {
        count += world.handles[i] && !obv_has_ended(world.handles[i]);
    }
    return count;
}

/* What is registered where the user's property leads is watched. */
static void check_wired(void)
{
    (void)obv_loop_drain(obv_context_loop(world.context));
    if (!world.user) {
        SCHEDULER_CHECK(watchers() == 0);
        return;
    }
    struct obv_object *proxy =
        obv_foreign_find(world.context, user_window(world.user));
    size_t expected = watchers();
    if (proxy) {
        SCHEDULER_CHECK(obv_observer_count(proxy, "width") == expected);
        world.calls = 0;
        SCHEDULER_CHECK(obv_foreign_trigger_all(proxy) == OBV_OK);
        (void)obv_loop_drain(obv_context_loop(world.context));
        SCHEDULER_CHECK(world.calls == expected);
    }
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(threads_are_right());
    check_wired();
    for (unsigned i = 0; i < 2; i++) {
        obv_stop(world.handles[i]);
        obv_release(world.handles[i]);
    }
    if (world.user) {
        end_user();
    }
    if (world.window) {
        SCHEDULER_CHECK(world.window->references == 1);
        drop_it();
    }
    SCHEDULER_CHECK(!obv_foreign_find(world.context, world.address));
    SCHEDULER_CHECK(world.disposed == world.begun);
    SCHEDULER_CHECK(obv_context_destroy(world.context) == OBV_OK);
    SCHEDULER_CHECK(scheduler_live_blocks() == 0);
}

static const struct scenario scenarios[] = {
    {.name = "end: unregister, end_user",
     .deeds = {unregister, end_user},
     .is_registered = true,
     .is_watched = true,
     .is_put = true,
     .preemptions = 2},
    {.name = "end: drop, end_user",
     .deeds = {drop_it, end_user},
     .is_registered = true,
     .is_watched = true,
     .is_put = true,
     .preemptions = 2},
    {.name = "end: drop, put",
     .deeds = {drop_it, put_before_it_ends},
     .is_registered = true,
     .is_watched = true,
     .preemptions = 3},
    {.name = "end: drop, observe",
     .deeds = {drop_it, observe},
     .is_registered = true,
     .is_put = true,
     .preemptions = 2},
    {.name = "end: drop, stop",
     .deeds = {drop_it, stop},
     .is_registered = true,
     .is_watched = true,
     .is_put = true,
     .preemptions = 2},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *scenario = &scenarios[i];
        const struct scheduler_program program = {
            .name = scenario->name,
            .setup = setup,
            .threads = {scenario->deeds[0], scenario->deeds[1]},
            .check = check,
            .preemptions = scenario->preemptions};
        world.scenario = scenario;
        scheduler_run(&program, argc, argv);
    }
    return 0;
}
