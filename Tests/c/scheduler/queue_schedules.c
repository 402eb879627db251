/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of the queue: pushes against takes. Asserts: each node comes
 * out once, a thread's pushes in their order, what was written before a push
 * is seen, and exactly one push into an empty queue answers so.
 */
#include "coalescing_calls.h"
#include "scheduler.h"

static struct obv__queue queue;
static struct message {
    struct obv__queue_node node;
    uint64_t text;
} messages[3];
static int taken[3], sequence, wakes, takes;

static void setup(void)
{
    obv__queue_init(&queue);
    sequence = wakes = takes = 0;
    for (int i = 0; i < 3; i++) {
        taken[i] = 0;
        messages[i].text = 0;
    }
}

static void push(int i)
{
    obv__store_relaxed(&messages[i].text, (uint64_t)i + 1);
    if (obv__queue_push(&queue, &messages[i].node)) {
        obv__fetch_add_relaxed(&wakes, 1);
    }
}

static void push_0_1(void)
{
    push(0);
    push(1);
}

static void push_2(void)
{
    push(2);
}

static void take(void)
{
    struct obv__queue_chain chain;
    struct obv__queue_node *node;
    takes += obv__queue_take(&queue, &chain);
    while ((node = obv__chain_next(&chain)) != NULL) {
        struct message *message = (struct message *)node;
        int i = (int)(message - messages);
        SCHEDULER_CHECK(taken[i] == 0);
        taken[i] = ++sequence;
        SCHEDULER_CHECK(obv__load_relaxed(&message->text) == (uint64_t)i + 1);
    }
}

static void take_twice(void)
{
    take();
    take();
}

static void check_two(void)
{
    SCHEDULER_CHECK(queue_count(&queue) >= 0);
    take();
    SCHEDULER_CHECK(taken[0] != 0 && taken[0] < taken[1]);
    SCHEDULER_CHECK(obv__queue_is_empty(&queue));
    SCHEDULER_CHECK(wakes == takes);
}

static void check_three(void)
{
    check_two();
    SCHEDULER_CHECK(taken[2] != 0 && sequence == 3);
}

int main(int argc, char **argv)
{
    static const struct scheduler_program programs[] = {
        {"pushes_take", setup, {push_0_1, take_twice}, check_two, 4, false},
        {"two_producers", setup, {push_0_1, push_2}, check_three, 4, false},
        {"two_producers_take",
         setup,
         {push_0_1, push_2, take},
         check_three,
         3,
         false},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        scheduler_run(&programs[i], argc, argv);
    }
    return 0;
}
