/* SPDX-License-Identifier: Apache-2.0 */
/* <observable_loops/poll.h>, beside a pipe of the program's own. */
#include "pieces.h"

#include <observable_loops/poll.h>

#include <errno.h>
#include <sys/resource.h>

struct foreign {
    struct obv_loop *loop;
    int answer;
};

static enum obv_status foreign_begin(struct foreign *foreign,
                                     struct obv_loop *loop)
{
    struct pollfd waiting = {.fd = -1};
    if (!loop) {
        return (enum obv_status)obv_poll(NULL, &waiting, 1, 0);
    }
    foreign->loop = obv_loop_retain(loop);
    foreign->answer = 0;
    return OBV_OK;
}

static void foreign_turn(struct foreign *foreign, bool may_sleep)
{
    struct pollfd waiting = {.fd = -1};
    if (foreign->answer >= 0) {
        foreign->answer =
            obv_poll(foreign->loop, &waiting, 1, may_sleep ? -1 : 0);
    }
}

/* There is none but the program's own loop, which just does not go on. */
static void foreign_end_loop(struct foreign *foreign)
{
    obv_loop_release(foreign->loop);
}

static void foreign_end(struct foreign *foreign)
{
    foreign_end_loop(foreign);
}

static bool foreign_has_stopped(const struct foreign *foreign)
{
    CHECK(foreign->answer == 0 || foreign->answer == OBV_E_THREAD);
    return foreign->answer != 0;
}

#include "pieces_tests.h"

TEST(DR_14_poll_tells_the_programs_own_descriptors_beside_the_calls)
{
    struct place place;
    int pipes[2];
    place_begin(&place);
    CHECK_EQ(pipe(pipes), 0);
    struct pollfd waiting[] = {{.fd = -1}, {.fd = pipes[0], .events = POLLIN}};
    CHECK_EQ(obv_poll(place.loop, waiting, 2, 0), 0);
    CHECK_EQ(write(pipes[1], "x", 1), 1);
    CHECK_EQ(obv_poll(place.loop, waiting, 2, -1), 1);
    CHECK(waiting[1].revents & POLLIN);
    CHECK_EQ(told(&place), 0);
    item_set_large(place.item, 1);
    CHECK_EQ(obv_poll(place.loop, waiting, 2, -1), 1);
    CHECK_EQ(told(&place), 1);
    close(pipes[0]);
    close(pipes[1]);
    item_set_large(place.item, 2);
    waiting[1].fd = -1;
    CHECK_EQ(obv_poll(place.loop, waiting, 2, -1), 0);
    CHECK_EQ(told(&place), 2);
    foreign_end(&place.foreign);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    place_end(&place);
}

TEST(DR_14_poll_answers_why_it_cannot_wait)
{
    struct place place;
    struct obv_loop *ended;
    struct pollfd waiting[] = {{.fd = -1}, {.fd = -1}};
    struct rlimit before, one;
    place_begin(&place);
    CHECK_EQ(obv_poll(place.loop, NULL, 1, 0), OBV_E_ARGUMENT);
    CHECK_EQ(obv_poll(place.loop, waiting, 0, 0), OBV_E_ARGUMENT);
    CHECK_EQ(obv_loop_create(place.fixture.context, NULL, &ended), OBV_OK);
    (void)obv_loop_retain(ended);
    CHECK_EQ(obv_loop_destroy(ended), OBV_OK);
    CHECK_EQ(obv_poll(ended, waiting, 1, 0), OBV_E_ENDED);
    obv_loop_release(ended);
    CHECK_EQ(obv_poll(place.loop, waiting, 2, 0), 0);
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    one = (struct rlimit){1, before.rlim_max};
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &one), 0);
    CHECK_EQ(obv_loop_create(place.fixture.context, NULL, &ended), OBV_OK);
    CHECK_EQ(obv_poll(ended, waiting, 2, 0), OBV_E_SYSTEM);
    CHECK_EQ(errno, EMFILE);
    CHECK_EQ(obv_loop_destroy(ended), OBV_OK);
    /* More entries than the process may have descriptors. */
    CHECK_EQ(obv_poll(place.loop, waiting, 2, 0), OBV_E_SYSTEM);
    CHECK_EQ(errno, EINVAL);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    foreign_end(&place.foreign);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    place_end(&place);
}
