/* SPDX-License-Identifier: Apache-2.0 */
/* The tests that pieces.h speaks of. */

#undef obv_loop_drain

enum { CHANGES = 2000, TURNS = 1000 };

/* A loop in a foreign one, and one observation of "large" in it. */
struct place {
    struct fixture fixture;
    struct obv_loop *loop;
    struct foreign foreign;
    struct item *item;
    struct probe probe;
    struct obv_observation *handle;
    int told; /* how many changes were told of, by whoever drains */
    int is_bound, may_drain;
};

static void note_told(struct probe *probe)
{
    struct place *place = probe->context;
    __atomic_add_fetch(&place->told, 1, __ATOMIC_RELEASE);
}

static int told(const struct place *place)
{
    return __atomic_load_n(&place->told, __ATOMIC_ACQUIRE);
}

static void observe_in(struct place *place, struct obv_loop *loop)
{
    place->loop = loop;
    place->item = item_create(&place->fixture);
    probe_init(&place->probe, &place->fixture);
    place->probe.context = place;
    place->probe.then = note_told;
    place->handle = observe_with(place->item, "large", &place->probe, 0, loop);
}

static void place_begin(struct place *place)
{
    struct obv_loop *loop;
    memset(place, 0, sizeof *place);
    fixture_begin(&place->fixture);
    CHECK_EQ(obv_loop_create(place->fixture.context, NULL, &loop), OBV_OK);
    observe_in(place, loop);
    CHECK_EQ(foreign_begin(&place->foreign, loop), OBV_OK);
}

/* The foreign loop has ended, and the loop. */
static void place_end(struct place *place)
{
    end(place->handle);
    item_release(&place->item->object);
    probe_release(&place->probe);
    fixture_end(&place->fixture);
}

static void turn_until_told(struct place *place, int count)
{
    while (told(place) < count) {
        foreign_turn(&place->foreign, true);
    }
}

static void turn_idly(struct place *place)
{
    for (int i = 0; i < TURNS; i++) {
        foreign_turn(&place->foreign, false);
    }
}

/* --- waking --------------------------------------------------------------- */

/* Each change waits until the one before it was told. */
static void *change_one_by_one(void *context)
{
    struct place *place = context;
    for (int i = 1; i <= CHANGES; i++) {
        item_set_large(place->item, i);
        while (told(place) < i) {
            sched_yield();
        }
    }
    return NULL;
}

TEST(DR_14_no_change_of_another_thread_is_lost_and_each_wakes_once)
{
    struct place place;
    pthread_t thread;
    place_begin(&place);
    CHECK_EQ(pthread_create(&thread, NULL, change_one_by_one, &place), 0);
    turn_until_told(&place, CHANGES);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    turn_idly(&place);
    CHECK_EQ(told(&place), CHANGES);
    /* A change inside the drain before it may wake for itself, and the end of
       that drain as well. */
    CHECK(wake_ups_so_far() <= 2 * (size_t)CHANGES);
    foreign_end(&place.foreign);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    place_end(&place);
}

static void *change_at_once(void *context)
{
    struct place *place = context;
    for (int i = 1; i <= CHANGES; i++) {
        item_set_large(place->item, i);
    }
    raise_flag(&place->may_drain);
    return NULL;
}

TEST(DR_14_of_many_changes_the_last_is_told)
{
    struct place place;
    pthread_t thread;
    place_begin(&place);
    CHECK_EQ(pthread_create(&thread, NULL, change_at_once, &place), 0);
    while (!is_raised(&place.may_drain) || obv_loop_pending(place.loop) != 0) {
        foreign_turn(&place.foreign, false);
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
    turn_idly(&place);
    CHECK(told(&place) >= 1);
    CHECK_EQ(obv_loop_pending(place.loop), 0);
    foreign_end(&place.foreign);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    place_end(&place);
}

TEST(DR_14_with_nothing_to_do_it_sleeps)
{
    struct place place;
    place_begin(&place);
    turn_idly(&place);
    CHECK_EQ(wake_ups_so_far(), 0);
    item_set_large(place.item, 1);
    turn_until_told(&place, 1);
    turn_idly(&place);
    CHECK_EQ(wake_ups_so_far(), 1);
    foreign_end(&place.foreign);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    place_end(&place);
}

/* --- ends ----------------------------------------------------------------- */

TEST(DR_14_of_a_foreign_loop_that_ends_first_nothing_is_lost)
{
    struct place place;
    place_begin(&place);
    item_set_large(place.item, 1);
    turn_until_told(&place, 1);
    foreign_end_loop(&place.foreign);
    item_set_large(place.item, 2);
    CHECK_EQ(obv_loop_pending(place.loop), 1);
    CHECK_EQ(told(&place), 1);
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK_EQ(told(&place), 2);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    place_end(&place);
}

TEST(DR_14_a_piece_outlives_its_loop_and_sleeps)
{
    struct place place;
    place_begin(&place);
    item_set_large(place.item, 1);
    turn_until_told(&place, 1);
    size_t before = wake_ups_so_far();
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    item_set_large(place.item, 2);
    CHECK_EQ(counters_of(&place.fixture).dropped, 1);
    turn_idly(&place);
    CHECK(wake_ups_so_far() <= before + 1);
    CHECK_EQ(told(&place), 1);
    CHECK(!foreign_has_stopped(&place.foreign));
    foreign_end(&place.foreign);
    place_end(&place);
}

static void *own_loop(void *context)
{
    struct place *place = context;
    struct obv_loop_options options = {.size = sizeof options, .bound = true};
    struct obv_loop *loop;
    int descriptor;
    CHECK_EQ(obv_loop_create(place->fixture.context, &options, &loop), OBV_OK);
    CHECK_EQ(obv_loop_descriptor(loop, &descriptor), OBV_OK);
    observe_in(place, loop);
    item_set_large(place->item, 1);
    raise_flag(&place->is_bound);
    await_flag(&place->may_drain);
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    return NULL;
}

TEST(DR_14_for_a_loop_of_another_thread_a_piece_stops_and_says_so)
{
    struct place place;
    pthread_t thread;
    memset(&place, 0, sizeof place);
    fixture_begin(&place.fixture);
    CHECK_EQ(pthread_create(&thread, NULL, own_loop, &place), 0);
    await_flag(&place.is_bound);
    CHECK_EQ(foreign_begin(&place.foreign, place.loop), OBV_OK);
    while (!foreign_has_stopped(&place.foreign)) {
        foreign_turn(&place.foreign, true);
    }
    turn_idly(&place);
    CHECK_EQ(wake_ups_so_far(), 1);
    CHECK_EQ(told(&place), 0);
    foreign_end(&place.foreign);
    raise_flag(&place.may_drain);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(told(&place), 1);
    place_end(&place);
}

TEST(DR_14_what_a_piece_is_not_given_is_refused)
{
    struct place place;
    place_begin(&place);
    CHECK_EQ(foreign_begin(&place.foreign, NULL), OBV_E_ARGUMENT);
    foreign_end(&place.foreign);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    place_end(&place);
}
