/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue by one thread against its contract, and by several under stress;
 * every interleaving of small programs is scheduler/queue_schedules.c's.
 */
#include "coalescing_calls.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>

enum { producers = 3, each = 20000 };

struct message {
    struct obv__queue_node node;
    int producer, number;
};

static int drain(struct obv__queue *queue, int *last)
{
    struct obv__queue_chain chain;
    struct obv__queue_node *node;
    int count = 0;
    obv__queue_take(queue, &chain);
    while ((node = obv__chain_next(&chain)) != NULL) {
        struct message *message = (struct message *)node;
        CHECK_EQ(message->number, last[message->producer] + 1);
        last[message->producer] = message->number;
        count++;
    }
    return count;
}

TEST(take_answers_everything_in_order)
{
    struct obv__queue queue;
    struct message messages[64];
    int last[1] = {-1}, pushed = 0;
    obv__queue_init(&queue);
    for (int round = 0; round < 2000; round++) {
        int count = (int)(test_random() % 64);
        for (int i = 0; i < count; i++) {
            messages[i] = (struct message){.producer = 0, .number = pushed++};
            CHECK_EQ(obv__queue_push(&queue, &messages[i].node), i == 0);
            CHECK(!obv__queue_is_empty(&queue));
        }
        CHECK_EQ(queue_count(&queue), count);
        CHECK_EQ(drain(&queue, last), count);
        CHECK(obv__queue_is_empty(&queue));
    }
}

TEST(a_node_can_be_pushed_again_while_its_chain_is_walked)
{
    struct obv__queue queue;
    struct obv__queue_node nodes[3];
    struct obv__queue_chain chain;
    obv__queue_init(&queue);
    for (int i = 0; i < 3; i++) {
        obv__queue_push(&queue, &nodes[i]);
    }
    CHECK(obv__queue_take(&queue, &chain));
    for (int i = 0; i < 3; i++) {
        CHECK(obv__chain_next(&chain) == &nodes[i]);
        CHECK_EQ(obv__queue_push(&queue, &nodes[i]), i == 0);
    }
    CHECK(obv__chain_next(&chain) == NULL);
    CHECK_EQ(queue_count(&queue), 3);
}

static struct obv__queue stressed;
static struct message *stress_messages;

static void *produce(void *argument)
{
    int producer = (int)(intptr_t)argument;
    for (int i = 0; i < each; i++) {
        struct message *message = &stress_messages[producer * each + i];
        *message = (struct message){.producer = producer, .number = i};
        obv__queue_push(&stressed, &message->node);
    }
    return NULL;
}

TEST(several_producers_lose_nothing)
{
    pthread_t threads[producers];
    int last[producers] = {-1, -1, -1}, got = 0;
    obv__queue_init(&stressed);
    stress_messages = calloc(producers * each, sizeof *stress_messages);
    CHECK(stress_messages != NULL);
    for (intptr_t i = 0; i < producers; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, produce, (void *)i), 0);
    }
    while (got < producers * each) {
        got += drain(&stressed, last);
    }
    for (int i = 0; i < producers; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    CHECK(obv__queue_is_empty(&stressed));
    free(stress_messages);
}
