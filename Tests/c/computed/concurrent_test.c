/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties and several threads: some set what they depend on, one
 * drains, others read.
 */
#define _POSIX_C_SOURCE 200809L

#include "computed/cell.h"
#include "late_sandbox.h"

#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t inside, outside;

static void barriers_begin(void)
{
    CHECK(pthread_barrier_init(&inside, NULL, 2) == 0);
    CHECK(pthread_barrier_init(&outside, NULL, 2) == 0);
}

static void barriers_end(void)
{
    pthread_barrier_destroy(&inside);
    pthread_barrier_destroy(&outside);
}

static void *read_v_and_wait(void *cell)
{
    (void)cell_v(cell);
    pthread_barrier_wait(&inside);
    pthread_barrier_wait(&outside);
    return NULL;
}

/* What obv_detail_reading is in the child of a fork, and there behind a read. */
static int reading_in_child(struct cell *cell)
{
    pid_t child = fork();
    if (child == 0) {
        unsigned reading = obv_detail_reading;
        (void)cell_a(cell);
        _exit((int)(reading * 10 + obv_detail_reading));
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(the_child_of_a_fork_knows_of_no_other_thread_that_computes)
{
    stage_begin();
    struct cell *cell = cell_new(), *own = cell_new();
    pthread_t thread;
    barriers_begin();
    CHECK(pthread_create(&thread, NULL, read_v_and_wait, cell) == 0);
    pthread_barrier_wait(&inside);
    CHECK_EQ(obv_detail_reading, 1);
    CHECK_EQ(reading_in_child(own), 0);
    CHECK_EQ(cell_v(own), 0);
    CHECK_EQ(obv_detail_reading, 2);
    CHECK_EQ(reading_in_child(own), 10);
    (void)cell_a(own);
    CHECK_EQ(obv_detail_reading, 1);
    pthread_barrier_wait(&outside);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQ(obv_detail_reading, 0);
    barriers_end();
    cell_drop(cell);
    cell_drop(own);
    stage_end();
}

static enum obv_status shared_plus_one(struct cell *cell, int64_t *value)
{
    *value = cell_shared(cell) + 1;
    return OBV_OK;
}

#define SETS 20000

static void *set_shared(void *context)
{
    struct cell *cell = context;
    for (int64_t i = 1; i <= SETS; i++) {
        cell_set_shared(cell, i);
    }
    return NULL;
}

TEST(TH_2_what_depends_on_a_value_of_any_thread_ends_at_the_last)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    pthread_t threads[2];
    cell->make_v = shared_plus_one;
    struct obv_observation *handle = watch(cell, "w", probe);
    for (size_t i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, set_shared, cell) == 0);
    }
    int64_t last = 0;
    for (int i = 0; i < 2000; i++) {
        (void)drained();
        last = cell_w(cell);
        CHECK(last % 2 == 0);
    }
    for (size_t i = 0; i < 2; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    (void)drained();
    (void)drained();
    CHECK_EQ(cell_w(cell), 2 * (SETS + 1));
    size_t calls = probe->calls;
    cell_set_shared(cell, 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe->calls, calls + 1);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

/* Of two owners, each with a cell that reads now and then what any thread may
   set: their edges hang in one list. */
static enum obv_status shared_of_other_if_even(struct cell *cell,
                                               int64_t *value)
{
    *value = cell_b(cell) % 2 == 0 ? cell_shared(cell_other(cell)) : -1;
    return OBV_OK;
}

static void *own_cell(void *context)
{
    struct cell *cell = context;
    int64_t last = 0;
    for (int64_t i = 1; i <= SETS; i++) {
        cell_set_b(cell, i % 4 == 0 ? 1 : 0);
        int64_t now = cell_v(cell);
        CHECK(now == -1 || now >= last);
        last = now == -1 ? last : now;
    }
    return NULL;
}

TEST(TH_1_two_owners_compute_with_what_any_thread_sets)
{
    stage_begin();
    struct cell *source = cell_new(), *cells[2];
    pthread_t owners[2], setter;
    for (size_t i = 0; i < 2; i++) {
        cells[i] = cell_new();
        cells[i]->make_v = shared_of_other_if_even;
        cell_set_other(cells[i], source);
        CHECK(pthread_create(&owners[i], NULL, own_cell, cells[i]) == 0);
    }
    CHECK(pthread_create(&setter, NULL, set_shared, source) == 0);
    for (int i = 0; i < 2000; i++) {
        (void)drained();
    }
    CHECK(pthread_join(setter, NULL) == 0);
    for (size_t i = 0; i < 2; i++) {
        CHECK(pthread_join(owners[i], NULL) == 0);
    }
    for (size_t i = 0; i < 2; i++) {
        cell_set_b(cells[i], 0);
        CHECK_EQ(cell_v(cells[i]), SETS);
        cell_drop(cells[i]);
    }
    (void)drained();
    cell_drop(source);
    stage_end();
}

static void *set_shared_to_3(void *cell)
{
    cell_set_shared(cell, 3);
    return NULL;
}

static void set_elsewhere(void *(*set)(void *), struct cell *cell)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, set, cell) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static struct obv_observation *watch_by(struct obv_loop *loop,
                                        struct cell *cell, const char *path,
                                        struct probe *probe)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .loop = loop};
    const struct obv_pair pair = {&cell->object, path};
    struct obv_observation *handle;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, probe, &options, &handle,
                               NULL),
             OBV_OK);
    return handle;
}

/* Computed before it is observed, or not; what was observed by another loop that
   has gone; and through an object. */
TEST(TH_1_what_any_thread_sets_below_a_computed_property_is_edited_by_its_loop)
{
    static const char *const paths[] = {"v", "w", "other.w", "*", "other.*"};
    for (size_t i = 0; i < 15; i++) {
        stage_begin();
        struct cell *cell = cell_new(), *root = cell_new();
        struct probe *probe = probe_new();
        struct obv_loop *loop, *gone;
        const char *path = paths[i % 5];
        cell->make_v = shared_plus_one;
        cell_set_other(root, cell);
        CHECK_EQ(obv_loop_create(stage.context, NULL, &gone), OBV_OK);
        struct cell *from = path[0] == 'o' ? root : cell;
        if (i < 5) {
            CHECK_EQ(cell_w(cell), 2);
        } else if (i < 10) {
            unwatch(watch_by(gone, from, path, probe));
        }
        CHECK_EQ(obv_loop_destroy(gone), OBV_OK);
        CHECK_EQ(obv_loop_create(stage.context, NULL, &loop), OBV_OK);
        struct obv_observation *handle = watch_by(loop, from, path, probe);
        size_t calls = probe->calls;
        set_elsewhere(set_shared_to_3, cell);
        CHECK_EQ(drained(), 0);
        CHECK_EQ(probe->calls, calls);
        CHECK_EQ(obv_loop_drain(loop), 1);
        CHECK_EQ(probe->calls, calls + 1);
        CHECK_EQ(cell_w(cell), 8);
        unwatch(handle);
        CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
        cell_drop(cell);
        cell_drop(root);
        free(probe);
        stage_end();
    }
}

static pthread_t made_on;

static enum obv_status made_here(struct cell *cell, int64_t *value)
{
    made_on = pthread_self();
    *value = cell_shared(cell);
    return OBV_OK;
}

static void *set_shared_to_7(void *argument)
{
    cell_set_shared(argument, 7);
    return NULL;
}

/* Sets what `v` depends on by a thread of its own: whether that one has computed
   `v`, by the time that it has ended. */
static bool setter_computes(struct cell *cell)
{
    pthread_t before = made_on = pthread_self();
    set_elsewhere(set_shared_to_7, cell);
    return !pthread_equal(made_on, before);
}

TEST(TH_1_LL_5_who_drains_computes_for_immediate_ones_as_well)
{
    const struct obv_observe_options immediate = {.size = sizeof immediate,
                                                  .flags = OBV_IMMEDIATE};
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    const struct obv_pair pair = {&cell->object, "v"};
    cell->make_v = made_here;
    struct obv_observation *handle = watch(cell, "v", probe);
    CHECK(!setter_computes(cell));
    CHECK_EQ(drained(), 1);
    CHECK(pthread_equal(made_on, pthread_self()));
    CHECK_EQ(cell->evaluations, 2);
    unwatch(handle);
    cell_set_shared(cell, 1);
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, probe, &immediate,
                               &handle, NULL),
             OBV_OK);
    CHECK(!setter_computes(cell));
    CHECK_EQ(probe->calls, 1);
    CHECK_EQ(drained(), 0);
    CHECK(pthread_equal(made_on, pthread_self()));
    CHECK_EQ(cell->evaluations, 4);
    CHECK_EQ(probe->calls, 2);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

static enum obv_status shared_from_1_on(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell) > 0 ? cell_shared(cell) : 0;
    return OBV_OK;
}

/* In a context whose bindings have a loop for such sets, no loop is left to tell of
   this one. */
TEST(DR_11_TH_1_a_batch_ends_where_what_was_set_is_followed_no_more)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_VALUES};
    struct probe probe = {0};
    struct obv_observation *handle = NULL;
    struct obv_loop *loop = NULL;
    struct obv_batch batch;
    (void)alarm(20);
    stage_begin();
    struct cell *cell = cell_new();
    cell->make_v = shared_plus_one;
    CHECK_EQ(cell_v(cell), 1);
    CHECK_EQ(obv_loop_create(stage.context, NULL, &loop), OBV_OK);
    obv_detail_inbound_loop(loop);
    const struct obv_pair pair = {&cell->object, "shared"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, &probe, &options, &handle,
                               NULL),
             OBV_OK);
    obv_batch_begin(&batch);
    cell_set_shared(cell, 5);
    obv_stop(handle);
    obv_batch_end(&batch);
    CHECK_EQ(cell_v(cell), 6);
    obv_release(handle);
    cell_drop(cell);
    obv_loop_destroy(loop);
    stage_end();
    (void)alarm(0);
}

/* Also where who reads depended on no such value when it was computed first. */
TEST(TH_1_the_owner_reads_what_another_thread_has_set_before_the_drain)
{
    stage_begin();
    struct cell *cell = cell_new();
    cell->make_v = shared_from_1_on;
    CHECK_EQ(cell_w(cell), 0);
    cell_set_a(cell, 1);
    CHECK_EQ(cell_v(cell), 0);
    CHECK_EQ(cell_w(cell), 0);
    set_elsewhere(set_shared_to_7, cell);
    CHECK(!obv_is_valid(&cell->object, CELL_W));
    CHECK_EQ(cell_w(cell), 14);
    CHECK(obv_is_valid(&cell->object, CELL_W));
    CHECK_EQ(drained(), 0);
    CHECK_EQ(cell_w(cell), 14);
    cell_drop(cell);
    stage_end();
}

static enum obv_status shared_and_v_of_other(struct cell *cell, int64_t *value)
{
    struct cell *other = cell_other(cell);
    *value = cell_shared(cell) + (other ? cell_v(other) : 0);
    return OBV_OK;
}

/* The owner reads what lies between, or what the drain computes for another set
   does, before the drain comes to the set below. */
TEST(LL_5_TH_2_immediate_ones_above_what_was_read_before_the_drain_are_called)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    for (int by_drain = 0; by_drain < 2; by_drain++) {
        stage_begin();
        struct cell *cells[] = {cell_new(), cell_new(), cell_new(), cell_new()};
        struct cell *far = cells[0], *between = cells[1], *beside = cells[2];
        struct probe *probe = probe_new(), *other = probe_new();
        struct obv_observation *handles[2];
        for (size_t i = 0; i < 4; i++) {
            cells[i]->make_v = shared_and_v_of_other;
        }
        cell_set_other(between, far);
        cell_set_other(beside, between);
        cell_set_other(cells[3], between);
        const struct obv_pair pairs[] = {{&beside->object, "v"},
                                         {&cells[3]->object, "v"}};
        for (size_t i = 0; i < 2; i++) {
            CHECK_EQ(obv_observe_pairs(&pairs[i], 1, &probe_kind,
                                       i == 0 ? other : probe, &options,
                                       &handles[i], NULL),
                     OBV_OK);
        }
        if (by_drain) {
            set_elsewhere(set_shared_to_3, beside);
        }
        set_elsewhere(set_shared_to_7, far);
        CHECK_EQ(by_drain ? 7 : cell_v(between), 7);
        CHECK_EQ(drained(), 0);
        CHECK_EQ(probe->calls, 1);
        CHECK_EQ(cell_v(cells[3]), 7);
        set_elsewhere(set_shared_to_3, far);
        CHECK_EQ(drained(), 0);
        CHECK_EQ(probe->calls, 2);
        for (size_t i = 0; i < 2; i++) {
            unwatch(handles[i]);
        }
        for (size_t i = 4; i-- > 0;) {
            cell_drop(cells[i]);
        }
        free(probe);
        free(other);
        stage_end();
    }
}

/* Also of every property, and once where nothing is read. */
TEST(WC_6_TH_1_every_property_is_told_once_of_what_was_read_before_the_drain)
{
    for (unsigned i = 0; i < 4; i++) {
        const struct obv_observe_options options = {
            .size = sizeof options, .flags = i & 1 ? OBV_IMMEDIATE : 0};
        stage_begin();
        struct cell *far = cell_new(), *between = cell_new(),
                    *root = cell_new();
        struct probe *probe = probe_new();
        const struct obv_pair pair = {&root->object, "*"};
        struct obv_observation *handle;
        far->make_v = between->make_v = root->make_v = shared_and_v_of_other;
        cell_set_other(between, far);
        cell_set_other(root, between);
        CHECK_EQ(cell_w(root), 0);
        CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, probe, &options,
                                   &handle, NULL),
                 OBV_OK);
        set_elsewhere(set_shared_to_7, far);
        CHECK_EQ(i & 2 ? cell_v(between) : 7, 7);
        CHECK_EQ(probe->calls, 0);
        CHECK_EQ(drained(), i & 1 ? 0 : 1);
        CHECK_EQ(probe->calls, 1);
        CHECK_EQ(drained(), 0);
        unwatch(handle);
        cell_drop(root);
        cell_drop(between);
        cell_drop(far);
        free(probe);
        stage_end();
    }
}

/* What computes with an object that nothing keeps alive. */
static struct cell *mortal;

static enum obv_status shared_of_mortal(struct cell *cell, int64_t *value)
{
    (void)cell;
    *value = mortal ? cell_shared(mortal) : -1;
    return OBV_OK;
}

TEST(LL_5_LT_6_immediate_ones_are_called_though_what_was_set_has_ended)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    stage_begin();
    struct cell *between = cell_new(), *root = cell_new();
    struct probe *probe = probe_new();
    const struct obv_pair pair = {&root->object, "v"};
    struct obv_observation *handle;
    struct obv_class_table table = cell_table;
    table.name = "unheld";
    table.retain = NULL;
    table.release = NULL;
    CHECK_EQ(obv_class_create(stage.context, &table, &stage.cls, NULL), OBV_OK);
    mortal = cell_new();
    between->make_v = shared_of_mortal;
    root->make_v = shared_and_v_of_other;
    cell_set_other(root, between);
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, probe, &options, &handle,
                               NULL),
             OBV_OK);
    set_elsewhere(set_shared_to_7, mortal);
    CHECK_EQ(cell_v(between), 7);
    struct cell *ending = mortal;
    mortal = NULL;
    cell_drop(ending);
    (void)drained();
    CHECK_EQ(probe->calls, 1);
    CHECK_EQ(cell_v(root), -1);
    unwatch(handle);
    cell_drop(root);
    cell_drop(between);
    free(probe);
    stage_end();
}

static void *hold_batch_open(void *context)
{
    struct obv_batch batch;
    obv_batch_begin(&batch);
    pthread_barrier_wait(&inside);
    pthread_barrier_wait(&outside);
    obv_batch_end(&batch);
    return context;
}

static enum obv_status v_and_w_of_other(struct cell *cell, int64_t *value)
{
    *value = cell_v(cell_other(cell)) + cell_w(cell_other(cell));
    return OBV_OK;
}

/* A property is marked by two ways; a mark that comes twice would go round for
   ever. */
TEST(LL_5_DR_11_a_diamond_is_marked_while_another_thread_has_a_batch_open)
{
    stage_begin();
    struct cell *cell = cell_new(), *top = cell_new();
    struct probe *probe = probe_new();
    pthread_t thread;
    (void)alarm(20);
    barriers_begin();
    top->make_v = v_and_w_of_other;
    cell_set_other(top, cell);
    struct obv_observation *handle = watch(top, "w", probe);
    CHECK(pthread_create(&thread, NULL, hold_batch_open, NULL) == 0);
    pthread_barrier_wait(&inside);
    for (int64_t i = 1; i < 4; i++) {
        cell_set_a(cell, i);
        CHECK_EQ(drained(), 1);
        CHECK_EQ(cell_w(top), 2 * 3 * cell_v(cell));
    }
    pthread_barrier_wait(&outside);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQ(probe->calls, 3);
    unwatch(handle);
    cell_drop(top);
    cell_drop(cell);
    free(probe);
    barriers_end();
    stage_end();
}

/* All of it ---------------------------------------------------------------------- */

/*
 * A row of cells: `v` depends on a number that any thread sets, on `w` of the beyond
 * cell, and on `v` of that one where the number is odd; `w` on `v`. In the end
 * every property has the value that it should have, and whoever observes has
 * seen it.
 */
enum { ROW = 6, ROUNDS = 12, ROW_SETS = 4000, ENDS = 2 * ROW };

static struct cell *row[ROW + 1];

static enum obv_status v_of_row(struct cell *cell, int64_t *value)
{
    const struct cell *beyond = row[cell->b + 1];
    int64_t number = cell_shared(cell);
    *value = number % 5 + (beyond ? cell_w(beyond) : 0);
    if (beyond && number % 2) {
        *value += cell_v(beyond);
    }
    return OBV_OK;
}

static enum obv_status w_of_row(struct cell *cell, int64_t *value)
{
    *value = cell_v(cell) % 7;
    return OBV_OK;
}

static int64_t naive_v(const struct cell *cell)
{
    const struct cell *beyond = row[cell->b + 1];
    int64_t value = cell->shared % 5;
    if (beyond) {
        int64_t below = naive_v(beyond);
        value += below % 7 + (cell->shared % 2 ? below : 0);
    }
    return value;
}

struct watching {
    struct cell *cell;
    bool is_w;
    int64_t seen;
    struct obv_observation *handle;
};

static int64_t look(const struct watching *watching)
{
    return watching->is_w ? cell_w(watching->cell) : cell_v(watching->cell);
}

static int64_t naive(const struct watching *watching)
{
    int64_t value = naive_v(watching->cell);
    return watching->is_w ? value % 7 : value;
}

static void see(void *observer, struct obv_object *root,
                const struct obv_call *call)
{
    struct watching *watching = observer;
    (void)root;
    watching->seen = call->now->as.i64;
    /* May see what is gone again by the next call. */
    (void)look(watching);
}

static const struct obv_handler_kind see_kind = {.changed = see,
                                                 .label = "sees"};

/* Half of the number; 1, 2 and 4 are set meanwhile, by another thread. */
static void *set_meanwhile(void *context)
{
    struct cell *cell = context;
    cell_set_shared(cell, cell->shared == 4 ? 5 : 4);
    return NULL;
}

static enum obv_status half_of_shared(struct cell *cell, int64_t *value)
{
    int64_t number = cell_shared(cell);
    *value = number / 2;
    if (number == 1 || number == 2 || number == 4) {
        set_elsewhere(set_meanwhile, cell);
    }
    return OBV_OK;
}

/* The drain computes 1, the handler 2, and the drain 2 again. */
TEST(LL_5_TH_2_who_is_asked_while_others_set_compares_with_what_it_was_told)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_VALUES};
    stage_begin();
    struct watching watching = {.cell = cell_new()};
    const struct obv_pair pair = {&watching.cell->object, "v"};
    watching.cell->make_v = half_of_shared;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &see_kind, &watching, &options,
                               &watching.handle, NULL),
             OBV_OK);
    CHECK_EQ(look(&watching), 0);
    cell_set_shared(watching.cell, 2);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(watching.seen, 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(watching.seen, 2);
    CHECK_EQ(look(&watching), 2);
    CHECK_EQ(drained(), 0);
    unwatch(watching.handle);
    cell_drop(watching.cell);
    stage_end();
}

static enum obv_status nothing_of_v(struct cell *cell, int64_t *value)
{
    *value = cell_v(cell_other(cell)) * 0;
    return OBV_OK;
}

/* `v` is 0 again where it is asked, and 2 once `w` of the other is. */
TEST(LL_5_TH_2_what_one_pair_was_asked_for_is_computed_for_another)
{
    for (size_t first = 0; first < 2; first++) {
        stage_begin();
        struct cell *cell = cell_new(), *reader = cell_new();
        struct probe *probe = probe_new();
        const struct obv_pair pairs[] = {
            {&cell->object, "v"}, {&reader->object, "w"}, {&cell->object, "v"}};
        struct obv_observation *handle;
        cell->make_v = half_of_shared;
        reader->make_w = nothing_of_v;
        cell_set_other(reader, cell);
        CHECK_EQ(obv_observe_pairs(pairs + first, 2, &probe_kind, probe, NULL,
                                   &handle, NULL),
                 OBV_OK);
        CHECK_EQ(cell_w(reader), 0);
        cell_set_shared(cell, 1);
        CHECK_EQ(drained() + drained(), 1);
        CHECK_EQ(probe->calls, 1);
        CHECK_EQ(cell_v(cell), 2);
        unwatch(handle);
        cell_drop(reader);
        cell_drop(cell);
        free(probe);
        stage_end();
    }
}

static bool is_over;

static void *set_row(void *seed)
{
    uint64_t random = *(const uint64_t *)seed;
    for (int i = 0; i < ROW_SETS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        cell_set_shared(row[(random >> 33) % ROW],
                        (int64_t)((random >> 40) % 10));
    }
    return NULL;
}

/* The owner's: it reads and drains. */
static void *read_row(void *context)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        for (size_t i = 0; i < ROW; i++) {
            (void)cell_w(row[i]);
            (void)cell_v(row[i]);
        }
        (void)drained();
    }
    return context;
}

static void *drain_row(void *context)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        (void)drained();
    }
    return context;
}

static void begin_row(struct watching *watchings, bool with_immediate)
{
    struct obv_observe_options options = {.size = sizeof options};
    for (int64_t i = 0; i < ROW; i++) {
        row[i] = cell_new();
        row[i]->make_v = v_of_row;
        row[i]->make_w = w_of_row;
        row[i]->b = i;
    }
    for (size_t i = 0; i < ENDS; i++) {
        struct watching *watching = &watchings[i];
        *watching = (struct watching){.cell = row[i / 2], .is_w = i % 2};
        const struct obv_pair pair = {&watching->cell->object,
                                      watching->is_w ? "w" : "v"};
        options.flags = with_immediate && i == ENDS / 2
                            ? OBV_VALUES | OBV_IMMEDIATE
                            : OBV_VALUES;
        CHECK_EQ(obv_observe_pairs(&pair, 1, &see_kind, watching, &options,
                                   &watching->handle, NULL),
                 OBV_OK);
        watching->seen = look(watching);
    }
}

static void end_row(struct watching *watchings)
{
    while (drained() > 0 ||
           obv_loop_pending(obv_context_loop(stage.context)) != 0) {
    }
    for (size_t i = 0; i < ENDS; i++) {
        CHECK_EQ(look(&watchings[i]), naive(&watchings[i]));
        CHECK_EQ(watchings[i].seen, naive(&watchings[i]));
    }
    for (size_t i = 0; i < ENDS; i++) {
        unwatch(watchings[i].handle);
    }
    (void)drained();
    for (size_t i = 0; i < ROW; i++) {
        cell_drop(row[i]);
        row[i] = NULL;
    }
}

static void run_row(bool with_reader, bool with_immediate)
{
    void *(*const run[])(void *) = {set_row, set_row,
                                    with_reader ? read_row : drain_row};
    struct watching watchings[ENDS];
    uint64_t seeds[] = {test_random(), test_random(), 0};
    enum { COUNT = 3 };
    pthread_t threads[COUNT];
    stage_begin();
    begin_row(watchings, with_immediate);
    __atomic_store_n(&is_over, false, __ATOMIC_RELEASE);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(pthread_create(&threads[i], NULL, run[i], &seeds[i]) == 0);
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (i == 2) {
            __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
        }
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    end_row(watchings);
    stage_end();
}

TEST(LL_5_TH_2_setters_a_reader_and_a_drain_end_at_the_last)
{
    for (int i = 0; i < ROUNDS; i++) {
        run_row(i % 2, i % 3 == 2);
    }
}

/* Ends on a thread that is not the owner's (LT-6) --------------------------- */

/* What reads another cell as a weak reference does. */
static struct {
    pthread_mutex_t lock;
    struct cell *cell;
} weak = {PTHREAD_MUTEX_INITIALIZER, NULL};

static struct cell *weak_cell(void)
{
    pthread_mutex_lock(&weak.lock);
    struct cell *cell = weak.cell;
    if (cell && !retain_cell(&cell->object)) {
        cell = NULL;
    }
    pthread_mutex_unlock(&weak.lock);
    return cell;
}

static enum obv_status a_and_weak_a(struct cell *cell, int64_t *value)
{
    struct cell *other = weak_cell();
    *value = cell_a(cell) + (other ? cell_a(other) : 1000000);
    if (other) {
        cell_drop(other);
    }
    return OBV_OK;
}

static enum obv_status a_of_shared_source(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell_other(cell)) + cell_a(cell);
    return OBV_OK;
}

/* Ends what is handed over: it has read, and was read. */
struct ending_elsewhere {
    pthread_barrier_t begin, end;
    struct cell *cell; /* NULL: no more */
};

static void *end_cells(void *context)
{
    struct ending_elsewhere *ending = context;
    for (;;) {
        pthread_barrier_wait(&ending->begin);
        struct cell *cell = ending->cell;
        if (!cell) {
            return NULL;
        }
        pthread_mutex_lock(&weak.lock);
        weak.cell = NULL;
        pthread_mutex_unlock(&weak.lock);
        cell_drop(cell);
        pthread_barrier_wait(&ending->end);
    }
}

/* One that reads `source`, and that `reader` reads, both up to date. */
static struct cell *cell_between(struct cell *source, struct cell *reader,
                                 int64_t a)
{
    struct cell *cell = cell_new();
    cell->make_v = a_of_shared_source;
    cell_set_other(cell, source);
    cell_set_a(cell, a);
    pthread_mutex_lock(&weak.lock);
    weak.cell = cell;
    pthread_mutex_unlock(&weak.lock);
    (void)cell_w(cell);
    CHECK_EQ(cell_v(cell), cell_a(source) + a);
    CHECK_EQ(obv_invalidate(&reader->object, CELL_V), OBV_OK);
    CHECK_EQ(cell_w(reader), 2 * (cell_a(reader) + a));
    return cell;
}

TEST(LT_6_TH_1_objects_end_elsewhere_while_their_owner_sets_reads_and_drains)
{
    enum { DEATHS = 3000 };
    stage_begin();
    struct cell *source = cell_new(), *reader = cell_new();
    struct probe *probe = probe_new();
    struct ending_elsewhere ending;
    pthread_t thread;
    CHECK(pthread_barrier_init(&ending.begin, NULL, 2) == 0);
    CHECK(pthread_barrier_init(&ending.end, NULL, 2) == 0);
    CHECK(pthread_create(&thread, NULL, end_cells, &ending) == 0);
    reader->make_v = a_and_weak_a;
    struct obv_observation *handle = watch(reader, "w", probe);
    for (int64_t round = 1; round <= DEATHS; round++) {
        ending.cell = cell_between(source, reader, round);
        (void)drained();
        size_t calls = probe->calls;
        pthread_barrier_wait(&ending.begin);
        for (int64_t i = 0; i < 4; i++) {
            cell_set_a(source, round + i);
            cell_set_a(reader, i);
            (void)cell_w(reader);
            (void)drained();
        }
        pthread_barrier_wait(&ending.end);
        CHECK_EQ(cell_w(reader), 2 * (3 + 1000000));
        (void)drained();
        CHECK(probe->calls > calls);
    }
    ending.cell = NULL;
    pthread_barrier_wait(&ending.begin);
    CHECK(pthread_join(thread, NULL) == 0);
    unwatch(handle);
    cell_drop(reader);
    cell_drop(source);
    free(probe);
    pthread_barrier_destroy(&ending.begin);
    pthread_barrier_destroy(&ending.end);
    stage_end();
}

static void *end_cell(void *cell)
{
    pthread_mutex_lock(&weak.lock);
    weak.cell = NULL;
    pthread_mutex_unlock(&weak.lock);
    cell_drop(cell);
    return NULL;
}

/* Observed by a loop that is bound to the owner's thread, immediately or not, and
   eager or not: nothing is called, and nothing is computed, where the end is. */
TEST(LT_6_TH_1_an_end_elsewhere_is_looked_at_by_the_drain_of_a_bound_loop)
{
    for (int is_immediate = 0; is_immediate < 2; is_immediate++) {
        stage_begin();
        struct cell *source = cell_new(), *reader = cell_new();
        struct probe *probe = probe_new();
        struct obv_loop_options bound = {.size = sizeof bound, .bound = true};
        struct obv_observe_options options = {
            .size = sizeof options, .flags = is_immediate ? OBV_IMMEDIATE : 0};
        struct obv_observation *handle;
        pthread_t thread;
        CHECK_EQ(obv_loop_create(stage.context, &bound, &options.loop), OBV_OK);
        reader->make_v = a_and_weak_a;
        const struct obv_pair pair = {&reader->object, "w"};
        CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, probe, &options,
                                   &handle, NULL),
                 OBV_OK);
        struct cell *cell = cell_between(source, reader, 5);
        (void)obv_loop_drain(options.loop);
        size_t calls = probe->calls, evaluations = reader->evaluations;
        CHECK(pthread_create(&thread, NULL, end_cell, cell) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK_EQ(probe->calls, calls);
        CHECK_EQ(reader->evaluations, evaluations);
        CHECK(!obv_is_valid(&reader->object, CELL_W));
        CHECK_EQ(obv_loop_drain(options.loop), is_immediate ? 0 : 1);
        CHECK_EQ(probe->calls, calls + 1);
        CHECK_EQ(cell_w(reader), 2 * 1000000);
        unwatch(handle);
        CHECK_EQ(obv_loop_destroy(options.loop), OBV_OK);
        cell_drop(reader);
        cell_drop(source);
        free(probe);
        stage_end();
    }
}

/* Of owners that declare a dependency at one object: their edges hang in one
   list, at no property. */
static struct cell *declared_at;

static void *declare(void *context)
{
    struct cell *own = context;
    for (int i = 0; i < 500; i++) {
        CHECK_EQ(obv_depend_on(&own->object, CELL_V, &declared_at->object,
                               "shared", NULL),
                 OBV_OK);
        cell_set_b(own, i);
        CHECK_EQ(cell_v(own), i);
        CHECK_EQ(obv_depend_no_more(&own->object, CELL_V, &declared_at->object,
                                    "shared", NULL),
                 OBV_OK);
    }
    return NULL;
}

static enum obv_status v_is_b(struct cell *cell, int64_t *value)
{
    *value = cell_b(cell);
    return OBV_OK;
}

TEST(TH_1_two_owners_declare_at_one_object)
{
    enum { OWNERS = 3 };
    stage_begin();
    struct cell *own[OWNERS];
    pthread_t owners[OWNERS];
    declared_at = cell_new();
    for (size_t i = 0; i < OWNERS; i++) {
        own[i] = cell_new();
        own[i]->make_v = v_is_b;
        CHECK(pthread_create(&owners[i], NULL, declare, own[i]) == 0);
    }
    for (size_t i = 0; i < OWNERS; i++) {
        CHECK(pthread_join(owners[i], NULL) == 0);
        cell_drop(own[i]);
    }
    cell_drop(declared_at);
    stage_end();
}
