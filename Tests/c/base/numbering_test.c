/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small numbers, while their table grows.
 */
#include "base/numbering.h"
#include "test.h"

#include <pthread.h>

enum { THINGS = 1000 };

static struct obv__numbering numbering;
static char things[THINGS];
static uint16_t numbers[THINGS];

TEST(each_number_leads_to_its_thing_while_the_table_grows)
{
    for (int i = 0; i < THINGS; i++) {
        CHECK_EQ(
            obv__number_take(&numbering, UINT16_MAX, &things[i], &numbers[i]),
            OBV_OK);
        CHECK_EQ(numbers[i], i + 1);
        for (int k = 0; k <= i; k += 1 + i / 8) {
            CHECK(obv__numbered(&numbering, numbers[k]) == &things[k]);
        }
    }
    CHECK(!obv__numbered(&numbering, 0));
}

TEST(the_lowest_number_that_was_given_back_is_taken_again)
{
    uint16_t number;
    for (int i = 0; i < 200; i++) {
        CHECK_EQ(obv__number_take(&numbering, 200, &things[i], &number),
                 OBV_OK);
    }
    CHECK_EQ(obv__number_take(&numbering, 200, &things[200], &number),
             OBV_E_LIMIT);
    obv__number_give_back(&numbering, 150);
    obv__number_give_back(&numbering, 17);
    CHECK_EQ(obv__number_take(&numbering, 200, &things[300], &number), OBV_OK);
    CHECK_EQ(number, 17);
    CHECK(obv__numbered(&numbering, 17) == &things[300]);
    CHECK_EQ(obv__number_take(&numbering, 200, &things[301], &number), OBV_OK);
    CHECK_EQ(number, 150);
}

static uint32_t numbered; /* things that have a number */

static void *look_up(void *unused)
{
    uint32_t known = 0;
    while (known < THINGS) {
        known = obv__load_acquire(&numbered);
        for (uint32_t i = 0; i < known; i++) {
            CHECK(obv__numbered(&numbering, (uint16_t)(i + 1)) == &things[i]);
        }
    }
    return unused;
}

TEST(other_threads_look_numbers_up_while_the_table_grows)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, look_up, NULL), 0);
    for (uint32_t i = 0; i < THINGS; i++) {
        CHECK_EQ(
            obv__number_take(&numbering, UINT16_MAX, &things[i], &numbers[i]),
            OBV_OK);
        obv__store_release(&numbered, i + 1);
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
}
