/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads do in the world of core_world.h by a path that was compiled
 * once: observe, stop, find where it leads. And the stops of class-level
 * observations.
 */
#include "core_model.h"

#include <observable/component.h>

#include <string.h>

static void run_observe_compiled(void)
{
    core_begin_compiled(core.later[scheduler_self()], core.scenario->flags);
}

static void run_also_compiled(void)
{
    const struct obv_compiled_pair pair = {&core.a->object, core.path_of_b};
    enum obv_status status =
        obv_observe_compiled_also(core.first->handle, &pair, 1, NULL);
    SCHEDULER_CHECK(status == OBV_OK || status == OBV_E_ENDED);
}

static void run_stop_compiled(void)
{
    obv_stop_compiled(core.first->handle, NULL, core.path);
    core.first->stopped = true;
}

static void run_stop_observer_compiled(void)
{
    const struct obv_path *const paths[] = {core.path};
    SCHEDULER_CHECK(obv_stop_observer_compiled(&core.a->object, core.first,
                                               paths, 1) == OBV_OK);
    core.first->stopped = true;
}

static void run_stop_class_observer(void)
{
    const char *const paths[] = {core_path()};
    SCHEDULER_CHECK(obv_stop_class_observer(core.item_class, core.first, paths,
                                            1, NULL) == OBV_OK);
    core.first->stopped = true;
}

static void run_stop_class_observer_compiled(void)
{
    const struct obv_path *const paths[] = {core.path};
    SCHEDULER_CHECK(obv_stop_class_observer_compiled(
                        core.item_class, core.first, paths, 1) == OBV_OK);
    core.first->stopped = true;
}

static void run_stop_class_handler(void)
{
    SCHEDULER_CHECK(obv_stop_class_handler(core.item_class, &core.first->kind,
                                           NULL) == OBV_OK);
    core.first->stopped = true;
}

/* The path may lead elsewhere by then: who put that there has told of it. */
static void run_poke_path(void)
{
    int64_t old = item_x(core_leaf());
    obv__store_relaxed(&core_leaf()->x, core_fresh_value());
    SCHEDULER_CHECK(obv_trigger_path(&core.a->object, core_path(), &old, NULL,
                                     NULL) == OBV_OK);
}

/* Writes where the path leads now. */
static void run_poke_place(void)
{
    struct obv_place place;
    SCHEDULER_CHECK(obv_place_find(&core.a->object, core.path, &place, NULL) ==
                    OBV_OK);
    struct item *item = (struct item *)place.object;
    SCHEDULER_CHECK(item && place.property == ITEM_X);
    SCHEDULER_CHECK(strcmp(place.line->name, "x") == 0);
    uint64_t own = item == core.a ? 0 : 1; /* the place keeps it */
    SCHEDULER_CHECK(item->references > own);
    core_poke(item, core_fresh_value());
    SCHEDULER_CHECK(item->references > own);
    obv_place_leave(&place);
}

const struct deed deed_observe_compiled = {"observe_compiled",
                                           run_observe_compiled, HOLDS_A};
const struct deed deed_also_compiled = {"also_compiled", run_also_compiled,
                                        HOLDS_A};
const struct deed deed_stop_compiled = {"stop_compiled", run_stop_compiled, 0};
const struct deed deed_stop_observer_compiled = {
    "stop_observer_compiled", run_stop_observer_compiled, HOLDS_A};
const struct deed deed_stop_class_observer = {"stop_class_observer",
                                              run_stop_class_observer, 0};
const struct deed deed_stop_class_observer_compiled = {
    "stop_class_observer_compiled", run_stop_class_observer_compiled, 0};
const struct deed deed_stop_class_handler = {"stop_class_handler",
                                             run_stop_class_handler, 0};
const struct deed deed_poke_path = {"poke_path", run_poke_path,
                                    HOLDS_A | HOLDS_B1 | HOLDS_LEAF};
const struct deed deed_poke_place = {"poke_place", run_poke_place,
                                     HOLDS_A | HOLDS_B1};
