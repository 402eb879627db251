/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coalescing set by one thread against a naive model, corner by corner,
 * and by several threads under stress; every interleaving of small programs is
 * scheduler/coalescing_schedules.c's.
 */
#include "coalescing_calls.h"
#include "test.h"

#include <pthread.h>
#include <string.h>

enum { items = 8, stress_items = 16, stress_rounds = 20000 };

static struct obv__coalescing_set set;
static bool any_thread;
static struct obv__coalescing_item item[items];

static void make(void)
{
    any_thread = false;
    obv__coalescing_init(&set, &any_thread);
    for (int i = 0; i < items; i++) {
        obv__item_init(&item[i], (uint16_t)(0xFFF0 + i));
    }
}

static int next(void)
{
    struct obv__coalescing_item *got = coalescing_next(&set);
    return got ? (int)(got - item) : -1;
}

static bool is_item(struct obv__coalescing_item *at)
{
    return obv__item_is_pending(obv__item_word(at));
}

TEST(five_posts_are_one_call)
{
    make();
    CHECK_EQ(coalescing_post(&set, &item[3]), COALESCING_FIRST);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(coalescing_post(&set, &item[3]), COALESCING_NOT);
    }
    CHECK_EQ(obv__coalescing_pending(&set, is_item), 1);
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 3);
    CHECK_EQ(next(), -1);
    CHECK(!coalescing_end(&set));
    CHECK_EQ(obv__item_tag(&item[3]), 0xFFF3);
}

TEST(a_called_item_is_kept)
{
    make();
    coalescing_post(&set, &item[0]);
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 0);
    CHECK_EQ(coalescing_post_within(&set, &item[0]), COALESCING_POSTED);
    CHECK_EQ(coalescing_post_within(&set, &item[1]), COALESCING_POSTED);
    CHECK_EQ(next(), 1);
    CHECK_EQ(next(), -1);
    CHECK(coalescing_end(&set));
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 0);
    CHECK(!coalescing_end(&set));
}

TEST(wanted_items_of_other_threads_join_the_cycle)
{
    make();
    coalescing_post(&set, &item[0]);
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 0);
    coalescing_post(&set, &item[1]); /* as another thread would */
    coalescing_post(&set, &item[2]);
    CHECK_EQ(coalescing_post_within(&set, &item[2]), COALESCING_NOT);
    CHECK_EQ(next(), 2);
    CHECK_EQ(next(), -1);
    CHECK(coalescing_end(&set));
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 1);
    CHECK(!coalescing_end(&set));
}

TEST(a_nested_cycle_takes_others_posts_and_puts_off_the_called)
{
    make();
    coalescing_post(&set, &item[0]);
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 0);
    coalescing_post(&set, &item[0]);
    coalescing_post(&set, &item[1]);
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 1);
    CHECK_EQ(next(), -1);
    CHECK(coalescing_end(&set));
    CHECK((obv__coalescing_cycle(&set) & 1) != 0);
    CHECK_EQ(next(), -1);
    CHECK(coalescing_end(&set));
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 0);
    CHECK(!coalescing_end(&set));
}

TEST(a_limit_leaves_the_rest_first)
{
    make();
    coalescing_post_owner(&set, &item[0]);
    coalescing_post(&set, &item[1]);
    CHECK_EQ(coalescing_post_owner(&set, &item[2]), COALESCING_POSTED);
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 0);
    CHECK(coalescing_end(&set));
    coalescing_post_owner(&set, &item[0]);
    obv__coalescing_begin(&set);
    CHECK_EQ(next(), 1);
    CHECK_EQ(next(), 2);
    CHECK_EQ(next(), 0);
    CHECK(!coalescing_end(&set));
}

TEST(a_closed_item_takes_no_posts)
{
    make();
    coalescing_post(&set, &item[0]);
    CHECK(!obv__coalescing_close(&item[0]));
    CHECK(coalescing_drop(&set) == &item[0]);
    CHECK(coalescing_drop(&set) == NULL);
    CHECK(obv__coalescing_close(&item[0]));
    CHECK(obv__coalescing_close(&item[0]));
    CHECK_EQ(coalescing_post(&set, &item[0]), COALESCING_NOT);
    CHECK(obv__coalescing_is_empty(&set));
}

/* The model: three sequences of indices, and who was called. */
struct list {
    int at[items], count;
};

static struct list current, later, behind;
static bool called[items], wanted[items];

static bool take_out(struct list *list, int i)
{
    for (int k = 0; k < list->count; k++) {
        if (list->at[k] == i) {
            list->count--;
            memmove(&list->at[k], &list->at[k + 1],
                    (size_t)(list->count - k) * sizeof *list->at);
            return true;
        }
    }
    return false;
}

static bool has(const struct list *list, int i)
{
    struct list copy = *list;
    return take_out(&copy, i);
}

static void append(struct list *list, int i)
{
    list->at[list->count++] = i;
}

static bool is_pending(int i)
{
    return has(&current, i) || has(&later, i) || has(&behind, i);
}

static void move_all(struct list *to, struct list *from)
{
    for (int k = 0; k < from->count; k++) {
        append(to, from->at[k]);
    }
    from->count = 0;
}

/* What is wanted of all that waits comes into the cycle. */
static void model_sift(void)
{
    struct list all = later;
    later.count = 0;
    move_all(&all, &behind);
    for (int k = 0; k < all.count; k++) {
        int i = all.at[k];
        append(wanted[i] && !called[i] ? &current : &later, i);
    }
}

/* Called items of the front go to `later`, as they would one by one. */
static int model_next(bool sifting)
{
    for (;;) {
        while (current.count > 0) {
            int i = current.at[0];
            take_out(&current, i);
            if (!called[i]) {
                called[i] = true;
                wanted[i] = false;
                return i;
            }
            append(&later, i);
        }
        if (!sifting) {
            return -1;
        }
        sifting = false;
        model_sift();
    }
}

/* What was called in this cycle stays where it waits for the next (DR-4). */
static void model_begin(void)
{
    struct list all = later;
    later.count = 0;
    move_all(&all, &behind);
    for (int k = 0; k < all.count; k++) {
        append(called[all.at[k]] ? &later : &current, all.at[k]);
    }
}

static void check_pending_is_modelled(void)
{
    CHECK(coalescing_check(&set));
    CHECK_EQ(obv__coalescing_pending(&set, is_item),
             current.count + later.count + behind.count);
    for (int i = 0; i < items; i++) {
        bool pending = (obv__item_state(&item[i]) & 1) != 0;
        CHECK_EQ(pending, is_pending(i));
    }
}

TEST(random_operations_agree_with_the_model)
{
    int depth = 0;
    bool shared_used = false, sifting = false, foreign = false;
    make();
    for (int step = 0; step < 200000; step++) {
        int i = (int)(test_random() % items);
        bool pending = is_pending(i);
        switch (test_random() % 6) {
        case 0: /* another thread's post */
            CHECK_EQ(coalescing_post(&set, &item[i]) == COALESCING_NOT,
                     pending);
            if (!pending) {
                append(&behind, i);
                wanted[i] = false;
            }
            break;
        case 1: /* the consumer's own */
            if (depth == 0) {
                coalescing_post_owner(&set, &item[i]);
                if (!pending) {
                    append(&behind, i);
                    wanted[i] = false;
                }
            } else {
                CHECK_EQ(coalescing_post_within(&set, &item[i]),
                         pending ? COALESCING_NOT : COALESCING_POSTED);
                if (pending && !called[i] && !wanted[i]) {
                    wanted[i] = true;
                    if (shared_used || foreign) {
                        model_sift();
                    }
                } else if (!pending && !called[i]) {
                    /* Behind other threads' posts, which came first. */
                    if (shared_used || foreign) {
                        move_all(&later, &behind);
                        append(&later, i);
                    } else {
                        append(&current, i);
                    }
                    wanted[i] = true;
                } else if (!pending) {
                    append(shared_used ? &behind : &later, i);
                    wanted[i] = false;
                }
            }
            break;
        case 2:
            if (depth < 3) {
                obv__coalescing_begin(&set);
                if (depth++ == 0) {
                    memset(called, 0, sizeof called);
                }
                model_begin();
            }
            break;
        case 3:
            if (depth > 0) {
                if (depth == 1 && sifting) {
                    model_sift();
                }
                bool left = coalescing_end(&set);
                CHECK_EQ(left, current.count + later.count + behind.count > 0);
                depth--;
            }
            break;
        default:
            if (depth > 0) {
                int want = model_next(sifting);
                int have = next();
                CHECK_EQ(have, want);
            }
        }
        /* Which list a post is in, and whether a sift is due, is the set's to
           say; the model owes the order and who is called. */
        shared_used = !obv__queue_is_empty(&set.shared);
        foreign = set.foreign;
        sifting = set.sift;
        check_pending_is_modelled();
    }
}

static struct obv__coalescing_item stress_item[stress_items];
static uint64_t values[stress_items], delivered[stress_items];
static uint32_t running;

static void *produce(void *argument)
{
    uint64_t thread = (uint64_t)(uintptr_t)argument;
    for (uint64_t n = 1; n <= stress_rounds; n++) {
        uint64_t i = (n * 7 + thread * 3) % stress_items;
        obv__exchange_seq_cst(&values[i], n * 4 + thread);
        coalescing_post(&set, &stress_item[i]);
    }
    obv__fetch_add_acq_rel(&running, (uint32_t)-1);
    return NULL;
}

static void stress_drain(void)
{
    bool seen[stress_items] = {false};
    struct obv__coalescing_item *got;
    obv__coalescing_begin(&set);
    while ((got = coalescing_next(&set)) != NULL) {
        size_t i = (size_t)(got - stress_item);
        CHECK(!seen[i]);
        seen[i] = true;
        delivered[i] = obv__load_seq_cst(&values[i]);
    }
    coalescing_end(&set);
}

TEST(the_last_value_set_is_the_last_delivered)
{
    pthread_t threads[3];
    make();
    obv__store_release(&any_thread, true);
    for (int i = 0; i < stress_items; i++) {
        obv__item_init(&stress_item[i], 1);
    }
    running = 3;
    for (uintptr_t i = 0; i < 3; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, produce, (void *)i), 0);
    }
    while (obv__load_acquire(&running) != 0) {
        stress_drain();
    }
    stress_drain();
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    for (int i = 0; i < stress_items; i++) {
        CHECK_EQ(delivered[i], values[i]);
    }
    CHECK(obv__coalescing_is_empty(&set));
}
