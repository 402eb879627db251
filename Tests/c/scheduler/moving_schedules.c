/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binding that is the last of its list moves to another object in place, while a
 * walker without a lock stands on it or comes to it (decision 0121).
 */
#include "scheduler.h"
#include "threads_check.h"

#include "base/reclaim.h"

#include <observable/allocator.h>
#include <observable/observable.h>

#include <string.h>

struct node {
    struct obv_object object;
    int64_t x;
    struct node *b;
};

OBV_PROPERTY(node, x, i64, 0)
OBV_PROPERTY(node, b, object, 1)

static const struct obv_property properties[] = {
    OBV_FIELD(node, x, i64), OBV_FIELD_OBJECT(node, b, "node")};
static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "node",
                                             .instance_size =
                                                 sizeof(struct node),
                                             .properties = properties,
                                             .property_count = 2};

enum { ROOT, OTHER_ROOT, FIRST, SECOND, THIRD, NODES };
enum { PATH, OTHER_PATH, PLAIN, MOVES, LATE, OBSERVATIONS };

static struct {
    struct obv_context *context;
    struct node nodes[NODES];
    struct obv_observation *observations[OBSERVATIONS];
} world;

static void observe(unsigned number, unsigned node, const char *path,
                    const struct obv_handler_kind *kind, uint32_t flags)
{
    const struct obv_pair pair = {&world.nodes[node].object, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    SCHEDULER_CHECK(obv_observe_pairs(&pair, 1, kind, NULL, &options,
                                      &world.observations[number],
                                      NULL) == OBV_OK);
}

static void set_b(unsigned root, unsigned node)
{
    node_set_b(&world.nodes[root], &world.nodes[node]);
}

static void does_nothing(void *observer, struct obv_object *root,
                         const struct obv_call *call)
{
    (void)observer, (void)root, (void)call;
}

static const struct obv_handler_kind nothing = {.changed = does_nothing};

static void begin(void)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator =
                                                    scheduler_allocator(),
                                                .reclaim_batch = 4};
    struct obv_class *nodes;
    memset(&world, 0, sizeof world);
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &world.context) == OBV_OK);
    SCHEDULER_CHECK(obv_class_create(world.context, &table, &nodes, NULL) ==
                    OBV_OK);
    for (size_t i = 0; i < NODES; i++) {
        obv_object_init(&world.nodes[i].object, nodes);
    }
}

static void finish(void)
{
    obv__thread_list(obv__thread_self());
    for (size_t i = 0; i < OBSERVATIONS; i++) {
        if (world.observations[i]) {
            obv_stop(world.observations[i]);
            obv_release(world.observations[i]);
        }
    }
    (void)obv_loop_drain(obv_context_loop(world.context));
    for (size_t i = 0; i < NODES; i++) {
        obv_object_deinit(&world.nodes[i].object);
    }
    SCHEDULER_CHECK(obv_context_destroy(world.context) == OBV_OK);
}

/* A handler moves the binding behind it, and another thread begins to observe where
   that goes: its observation is of no change. ------------------------------- */

static void move_and_stop(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)observer, (void)root, (void)call;
    set_b(ROOT, FIRST);
    obv_stop(world.observations[MOVES]);
    set_b(ROOT, SECOND);
    scheduler_yield();
}

static void is_not_called(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    (void)observer, (void)root, (void)call;
    SCHEDULER_CHECK(false);
}

static void make_two_immediate(void)
{
    static const struct obv_handler_kind moves = {.changed = move_and_stop};
    begin();
    observe(PATH, ROOT, "b.x", &nothing, 0);
    observe(PLAIN, FIRST, "x", &nothing, OBV_IMMEDIATE);
    observe(MOVES, FIRST, "x", &moves, OBV_IMMEDIATE);
    obv__thread_unlist(obv__thread_self());
}

static void set_first(void)
{
    node_set_x(&world.nodes[FIRST], 5);
}

static void observe_second(void)
{
    static const struct obv_handler_kind late = {.changed = is_not_called};
    observe(LATE, SECOND, "x", &late, OBV_IMMEDIATE);
}

/* A binding goes elsewhere and comes back, while one that was never here has hung
   behind it: that is not counted here. ------------------------------------- */

static void make_two_paths(void)
{
    begin();
    world.nodes[ROOT].b = &world.nodes[FIRST];
    world.nodes[OTHER_ROOT].b = &world.nodes[THIRD];
    observe(PATH, ROOT, "b.x", &nothing, 0);
    observe(OTHER_PATH, OTHER_ROOT, "b.x", &nothing, 0);
    set_b(ROOT, SECOND); /* all have their nodes from now on */
    set_b(ROOT, FIRST);
    obv__thread_unlist(obv__thread_self());
}

static void move_there_and_back(void)
{
    set_b(ROOT, SECOND);
    set_b(OTHER_ROOT, SECOND);
    scheduler_yield();
    set_b(OTHER_ROOT, THIRD);
    set_b(ROOT, FIRST);
    scheduler_yield();
}

static void count_first(void)
{
    SCHEDULER_CHECK(obv_observer_count(&world.nodes[FIRST].object, "x") <= 1);
}

int main(int argc, char **argv)
{
    static const struct scheduler_program programs[] = {
        {"a handler moves, observe",
         make_two_immediate,
         {set_first, observe_second},
         finish,
         2,
         false},
        {"count, there and back",
         make_two_paths,
         {count_first, move_there_and_back},
         finish,
         2,
         false},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        scheduler_run(&programs[i], argc, argv);
    }
    return 0;
}
