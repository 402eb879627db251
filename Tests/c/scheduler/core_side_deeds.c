/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads do in the world of core_world.h beside observing: names,
 * classes, identities, a look at who observes, and the end of a loop.
 */
#include "core_model.h"

#include <observable/debug.h>
#include <observable/path.h>

#include <string.h>

/* Names that nobody has interned; both threads have one id for each then. */
static void run_name(void)
{
    static const char text[] = "new.newer";
    struct obv_names *names = obv_context_names(core.context);
    struct found *found = &core.found[scheduler_self()];
    struct obv_path *parsed, *same;
    char printed[sizeof text];
    SCHEDULER_CHECK(
        obv_path_parse(names, text, sizeof text - 1, &parsed, NULL) == OBV_OK);
    SCHEDULER_CHECK(obv_path_find(names, text, sizeof text - 1, &same, NULL) ==
                    OBV_OK);
    SCHEDULER_CHECK(obv_path_equal(parsed, same));
    const struct obv_element *elements = obv_path_elements(parsed);
    (void)obv_path_print(names, elements, 2, printed, sizeof printed);
    SCHEDULER_CHECK(strcmp(printed, text) == 0);
    found->names[0] = elements[0].name;
    found->names[1] = elements[1].name;
    obv_path_destroy(parsed);
    obv_path_destroy(same);
}

struct made {
    struct obv_object object;
    int64_t n;
};

/* A class more, while the program finds its path instance by the others. */
static void run_make_class(void)
{
    static const struct obv_property lines[] = {
        OBV_FIELD_WITH(made, n, i64, OBV_ANY_THREAD, NULL)};
    static const char *const names[] = {"made", "made too", "made last"};
    static struct obv_class_table tables[3];
    struct obv_class_table *table = &tables[scheduler_self()];
    *table = (struct obv_class_table){.size = sizeof *table,
                                      .name = names[scheduler_self()],
                                      .instance_size = sizeof(struct made),
                                      .properties = lines,
                                      .property_count = 1};
    struct found *found = &core.found[scheduler_self()];
    SCHEDULER_CHECK(obv_class_create(core.context, table, &found->made, NULL) ==
                    OBV_OK);
    SCHEDULER_CHECK(obv_validate(found->made, "n", NULL) == OBV_OK);
    SCHEDULER_CHECK(obv_validate(core.item_class, "b.b.x", NULL) == OBV_OK);
    SCHEDULER_CHECK(obv_validate(core.item_class, "b.n", NULL) ==
                    OBV_E_UNKNOWN);
}

static void run_identify(void)
{
    struct found *found = &core.found[scheduler_self()];
    found->identity = obv_object_identity(&core.a->object);
    found->of_apart = obv_object_identity(&core.apart->object);
    SCHEDULER_CHECK(found->identity != 0 && found->of_apart != 0);
    SCHEDULER_CHECK(obv_object_identity(&core.a->object) == found->identity);
}

static bool is_path(const char *path)
{
    return path && (strcmp(path, core_path()) == 0 || strcmp(path, "b") == 0);
}

/* The kind is pinned while its entry is shown. */
static void show_entry(void *context, const struct obv_observer_entry *entry)
{
    const struct probe *probe = entry->observer;
    SCHEDULER_CHECK(is_path(entry->path) && entry->root == core.a);
    SCHEDULER_CHECK(strcmp(entry->root_class, "item") == 0);
    SCHEDULER_CHECK(entry->kind == &probe->kind && probe->disposed == 0);
    SCHEDULER_POINT("shown");
    SCHEDULER_CHECK(probe->disposed == 0);
    ++*(size_t *)context;
}

/* Each observation holds a by one property; the first may do by two. */
static void run_show(void)
{
    size_t shown = 0;
    SCHEDULER_CHECK(
        obv_debug_each_observer(&core.a->object, show_entry, &shown) == OBV_OK);
    SCHEDULER_CHECK(shown <= 6);
}

/* The end of a loop -------------------------------------------------------- */

static void run_destroy_loop(void)
{
    enum obv_status status;
    while ((status = obv_loop_destroy(core.second_loop)) == OBV_E_BUSY) {
        obv__pause(); /* another thread drains it */
    }
    SCHEDULER_CHECK(status == OBV_OK);
    core.has_lost_loop = true;
}

/* What keeps the memory of a loop that ends meanwhile. */
static void run_drain_kept(void)
{
    (void)obv_loop_drain(core.second_loop);
    bool has_ended = core.has_lost_loop;
    SCHEDULER_CHECK(!has_ended || obv_loop_drain(core.second_loop) == 0);
    SCHEDULER_CHECK(!has_ended || obv_loop_pending(core.second_loop) == 0);
    obv_loop_release(core.second_loop);
}

/* To begin to observe where a loop ends. */
static void run_observe_kept_loop(void)
{
    struct probe *probe = core.later[scheduler_self()];
    probe->loop = core.second_loop;
    core_begin(probe, core.scenario->flags);
    obv_loop_release(core.second_loop);
}

static void run_schedule_second(void)
{
    obv_schedule(core.second->handle);
}

static void run_execute_second(void)
{
    core.executing[scheduler_self()] = true;
    (void)obv_execute(core.second->handle);
    core.executing[scheduler_self()] = false;
}

static void run_stop_second(void)
{
    SCHEDULER_CHECK(obv_stop_and_wait(core.second->handle));
    SCHEDULER_CHECK(core.second->running == 0);
    core.second->stopped = core.second->waited = true;
}

static void run_make_second_immediate(void)
{
    core.second->immediate = true;
    obv_make_immediate(core.second->handle);
}

const struct deed deed_name = {"name", run_name, 0};
const struct deed deed_make_class = {"make_class", run_make_class, 0};
const struct deed deed_identify = {"identify", run_identify, HOLDS_A};
const struct deed deed_show = {"show", run_show, HOLDS_A | HOLDS_B1};
const struct deed deed_destroy_loop = {"destroy_loop", run_destroy_loop, 0};
const struct deed deed_drain_kept = {"drain_kept", run_drain_kept, HOLDS_LOOP};
const struct deed deed_observe_kept_loop = {
    "observe_kept_loop", run_observe_kept_loop, HOLDS_A | HOLDS_LOOP};
const struct deed deed_schedule_second = {"schedule_second",
                                          run_schedule_second, 0};
const struct deed deed_execute_second = {"execute_second", run_execute_second,
                                         0};
const struct deed deed_stop_second = {"stop_second", run_stop_second, 0};
const struct deed deed_make_second_immediate = {"make_second_immediate",
                                                run_make_second_immediate, 0};
