/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Biases, one thread at a time: what threads make of them together is tried with
 * loops and computed properties.
 */
#include "late_sandbox.h"
#include "test.h"

#include "platform/bias.h"
#include "platform/membarrier.h"

TEST(a_bias_is_the_first_ones_until_a_second_comes)
{
    uintptr_t bias = OBV__BIAS_UNSET;
    obv__membarrier_setup();
    CHECK(obv__bias_settle(&bias, 1, true) == 1);
    CHECK(obv__bias_settle(&bias, 1, true) == 1);
    CHECK(obv__bias_settle(&bias, 2, true) == OBV__BIAS_NONE);
    CHECK(obv__bias_settle(&bias, 1, true) == OBV__BIAS_NONE);
}

TEST(a_bias_that_cannot_be_taken_away_is_given_to_nobody)
{
    uintptr_t bias = OBV__BIAS_UNSET;
    CHECK(obv__bias_settle(&bias, 1, false) == OBV__BIAS_NONE);
}

TEST(a_bias_that_cannot_be_taken_away_any_more_is_given_up)
{
    uintptr_t bias = OBV__BIAS_UNSET;
    obv__membarrier_setup();
    CHECK(obv__bias_settle(&bias, 1, true) == 1);
    if (obv__membarrier_available() && enter_late_sandbox()) {
        uintptr_t found = obv__bias_settle(&bias, 2, true);
        CHECK(found != 2 && found != OBV__BIAS_NONE);
        found = obv__bias_settle(&bias, 3, true);
        CHECK(found != 3 && found != OBV__BIAS_NONE);
        CHECK(obv__bias_settle(&bias, 1, true) == OBV__BIAS_NONE);
        CHECK(obv__bias_settle(&bias, 2, true) == OBV__BIAS_NONE);
    }
}
