/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties, where a script cannot say it: functions that fail, end
 * their object or set what they read; values of every kind; memory that is
 * short; chains that are long.
 */
#define _POSIX_C_SOURCE 200809L

#include "computed/cell.h"

#include "model/context.h"

/* Functions that fail ------------------------------------------------------ */

static enum obv_status fails_for_negatives(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    return *value < 0 ? OBV_E_LIMIT : OBV_OK;
}

TEST(LL_3_a_function_that_fails_leaves_the_last_value)
{
    stage_begin();
    struct cell *cell = cell_new();
    int64_t value = -7;
    cell->make_v = fails_for_negatives;
    cell_set_a(cell, 4);
    CHECK_EQ(obv_get_i64(&cell->object, CELL_W, &value), OBV_OK);
    CHECK_EQ(value, 8);
    cell_set_a(cell, -1);
    CHECK_EQ(obv_get_i64(&cell->object, CELL_V, &value), OBV_E_LIMIT);
    CHECK_EQ(value, 8);
    CHECK_EQ(cell_v(cell), 4);
    CHECK(!obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(obv_get_i64(&cell->object, CELL_W, &value), OBV_E_LIMIT);
    cell_set_a(cell, 5);
    CHECK_EQ(cell_w(cell), 10);
    CHECK(obv_is_valid(&cell->object, CELL_V));
    cell_drop(cell);
    stage_end();
}

TEST(LL_5_what_fails_stays_armed)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    cell->make_v = fails_for_negatives;
    struct obv_observation *handle = watch(cell, "v", probe);
    cell_set_a(cell, -1);
    CHECK_EQ(drained(), 0);
    cell_set_a(cell, -2);
    CHECK_EQ(drained(), 0);
    cell_set_a(cell, 3);
    CHECK_EQ(drained(), 1);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

static enum obv_status drops_the_other(struct cell *cell, int64_t *value)
{
    struct cell *other = cell_other(cell);
    *value = other ? cell_a(other) : -1;
    cell_set_other(cell, NULL);
    return OBV_OK;
}

TEST(LL_3_a_function_may_set_what_it_reads)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    cell->make_v = drops_the_other;
    cell_set_a(other, 6);
    cell_set_other(cell, other);
    cell_drop(other);
    CHECK_EQ(cell_v(cell), 6);
    CHECK(!obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(cell_v(cell), -1);
    CHECK(obv_is_valid(&cell->object, CELL_V));
    cell_drop(cell);
    stage_end();
}

static enum obv_status sets_what_it_then_reads(struct cell *cell,
                                               int64_t *value)
{
    cell_set_a(cell, cell_b(cell) + 1);
    *value = cell_a(cell);
    return OBV_OK;
}

TEST(LL_3_RE_3_a_function_may_set_what_it_then_reads)
{
    stage_begin();
    struct cell *cell = cell_new();
    cell->make_v = sets_what_it_then_reads;
    CHECK_EQ(cell_v(cell), 1);
    cell_set_b(cell, 5);
    CHECK_EQ(cell_v(cell), 6);
    CHECK(obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(cell->evaluations, 2);
    cell_set_a(cell, 3);
    CHECK_EQ(cell_v(cell), 6);
    CHECK_EQ(cell->evaluations, 3);
    cell_drop(cell);
    stage_end();
}

static enum obv_status counts_itself_up(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell) + 1;
    cell_set_a(cell, *value);
    return OBV_OK;
}

TEST(LL_5_a_function_that_never_settles_does_not_hang_a_drain)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    cell->make_v = counts_itself_up;
    struct obv_observation *handle = watch(cell, "v", probe);
    cell_set_a(cell, 10);
    (void)drained();
    (void)drained();
    CHECK(probe->calls <= 2);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

TEST(LL_5_a_function_that_never_settles_may_be_followed_by_a_path)
{
    const struct obv_observe_options values = {.size = sizeof values,
                                               .flags = OBV_VALUES};
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    const struct obv_pair pair = {&cell->object, "v"};
    struct obv_observation *handle;
    cell->make_v = counts_itself_up;
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &probe_kind, probe, &values, &handle, NULL),
        OBV_OK);
    size_t evaluations = cell->evaluations;
    cell_set_a(cell, 10);
    CHECK_EQ(drained(), 1);
    CHECK(cell->evaluations <= evaluations + 2);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

/* A function that reads `other` and sets it to the next of two cells. */
static struct cell *unsettled, *in_turns[2];
static size_t unsettled_runs;

static void turn(void)
{
    cell_set_other(unsettled, in_turns[++unsettled_runs % 2]);
}

TEST(LL_5_a_function_that_never_settles_may_lead_a_path_on)
{
    stage_begin();
    unsettled = cell_new();
    in_turns[0] = cell_new();
    in_turns[1] = cell_new();
    struct probe *probe = probe_new();
    unsettled_runs = 0;
    in_next = turn;
    struct obv_observation *handle = watch(unsettled, "next.b", probe);
    size_t runs = unsettled_runs;
    cell_set_other(unsettled, NULL);
    (void)drained();
    CHECK(unsettled_runs <= runs + 3);
    in_next = NULL;
    unwatch(handle);
    cell_drop(unsettled);
    cell_drop(in_turns[0]);
    cell_drop(in_turns[1]);
    free(probe);
    stage_end();
}

static enum obv_status follows_next(struct cell *cell, int64_t *value)
{
    struct obv_object *found = NULL;
    enum obv_status status = obv_get_object(&cell->object, CELL_NEXT, &found);
    *value = found ? cell_a((struct cell *)found) : -1;
    return status;
}

/* The function of `v` computes `next`, which moves a path to `v` itself. */
TEST(LL_12_a_path_that_comes_to_what_is_computed_is_no_cycle)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *far = probe_new(), *near = probe_new();
    cell->make_v = follows_next;
    struct obv_observation *through = watch(cell, "next.v", far);
    cell_set_a(cell, 3);
    cell_set_other(cell, cell);
    struct obv_observation *at = watch(cell, "v", near);
    CHECK_EQ(stage.cycles, 0);
    CHECK(obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(cell_v(cell), 3);
    CHECK_EQ(obv_loop_pending(obv_context_loop(stage.context)), 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(far->calls, 1);
    cell_set_a(cell, 4);
    CHECK_EQ(drained(), 2);
    unwatch(at);
    unwatch(through);
    cell_set_other(cell, NULL);
    CHECK_EQ(cell_v(cell), -1);
    cell_drop(cell);
    free(far);
    free(near);
    stage_end();
}

static enum obv_status sets_b(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    cell_set_b(cell, *value);
    return OBV_OK;
}

static void read_v(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    int64_t value;
    (void)call;
    *(enum obv_status *)observer = obv_get_i64(root, CELL_V, &value);
}

static const struct obv_handler_kind reading_kind = {.changed = read_v,
                                                     .label = "reads v"};

/* Who reads it is no function, and so none has failed. */
TEST(LL_12_a_handler_that_a_function_sets_off_has_no_value_of_it)
{
    const struct obv_observe_options immediate = {.size = sizeof immediate,
                                                  .flags = OBV_IMMEDIATE};
    stage_begin();
    struct cell *cell = cell_new();
    const struct obv_pair pair = {&cell->object, "b"};
    struct obv_observation *handle;
    enum obv_status status = OBV_OK;
    cell->make_v = sets_b;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &reading_kind, &status, &immediate,
                               &handle, NULL),
             OBV_OK);
    cell_set_a(cell, 5);
    CHECK_EQ(cell_v(cell), 5);
    CHECK_EQ(status, OBV_E_CYCLE);
    CHECK_EQ(stage.cycles, 1);
    CHECK(strcmp(stage.path, "v") == 0);
    unwatch(handle);
    cell_drop(cell);
    stage_end();
}

static struct cell *thrown_away;

static enum obv_status throws_its_object_away(struct cell *cell, int64_t *value)
{
    struct cell *other = thrown_away;
    *value = cell_a(cell);
    thrown_away = NULL;
    if (other) {
        cell_drop(other);
    }
    return OBV_OK;
}

static enum obv_status reads_the_other(struct cell *cell, int64_t *value)
{
    struct cell *other = cell->other ? cell_other(cell) : thrown_away;
    *value = cell_b(cell) + (other ? cell_v(other) : 0);
    return OBV_OK;
}

TEST(LL_3_a_function_may_throw_its_object_away)
{
    stage_begin();
    struct cell *reader = cell_new(), *other = cell_new();
    thrown_away = other;
    reader->make_v = reads_the_other;
    CHECK_EQ(cell_v(reader), 0);
    other->make_v = throws_its_object_away;
    cell_set_a(other, 3);
    /* It is checked, which runs the function that lets go of the last
       reference. */
    CHECK_EQ(cell_v(reader), 0);
    CHECK(!thrown_away);
    cell_drop(reader);
    stage_end();
}

/* The cell that `release` reads. */
static struct cell *read_by_release;

static void release_and_read(struct obv_object *object)
{
    (void)cell_a(read_by_release);
    release_cell(object);
}

/* The object of a source is held while another record checks it, and let go of once its
   function has run. */
TEST(LL_2_what_a_release_reads_is_no_dependency)
{
    struct obv_class_table table = cell_table;
    stage_begin();
    struct cell *reader = cell_new(), *read = read_by_release = cell_new();
    table.name = "cell that reads as it is released";
    table.release = release_and_read;
    CHECK_EQ(obv_class_create(stage.context, &table, &stage.cls, NULL), OBV_OK);
    struct cell *source = thrown_away = cell_new();
    reader->make_v = reads_the_other;
    CHECK_EQ(cell_v(reader), 0);
    cell_set_a(source, 3);
    CHECK_EQ(cell_v(reader), 3);
    cell_set_a(read, 1);
    CHECK(obv_is_valid(&source->object, CELL_V));
    CHECK(obv_is_valid(&reader->object, CELL_V));
    cell_drop(source);
    cell_drop(read);
    cell_drop(reader);
    stage_end();
}

/* Whose `other` it is. */
static struct cell *owner_of_thrown;

static enum obv_status throws_itself_out(struct cell *cell, int64_t *value)
{
    size_t freed = freed_cells;
    *value = cell_a(cell);
    cell_set_other(owner_of_thrown, NULL);
    CHECK_EQ(freed_cells, freed); /* who computes it holds it */
    return OBV_OK;
}

TEST(LL_5_a_path_comes_to_what_its_function_throws_away)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    struct probe *probe = probe_new();
    owner_of_thrown = cell;
    other->make_v = throws_itself_out;
    cell_set_other(cell, other);
    cell_drop(other);
    struct obv_observation *handle = watch(cell, "other.v", probe);
    CHECK(!cell_other(cell));
    other = cell_new();
    other->make_v = throws_itself_out;
    cell_set_other(cell, other);
    cell_drop(other);
    CHECK(!cell_other(cell));
    (void)drained();
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

static void throw_out(void)
{
    size_t freed = freed_cells;
    cell_set_other(owner_of_thrown, NULL);
    CHECK_EQ(freed_cells, freed);
}

TEST(LL_5_a_path_leads_through_what_its_function_throws_away)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    struct probe *probe = probe_new();
    owner_of_thrown = cell;
    in_next = throw_out;
    cell_set_other(cell, other);
    cell_drop(other);
    struct obv_observation *handle = watch(cell, "other.next.a", probe);
    CHECK(!cell_other(cell));
    in_next = NULL;
    other = cell_new();
    cell_set_other(cell, other);
    (void)drained();
    in_next = throw_out;
    obv_invalidate(&other->object, CELL_NEXT);
    cell_drop(other);
    (void)drained();
    CHECK(!cell_other(cell));
    in_next = NULL;
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

TEST(LL_2_a_value_is_read_by_path_of_what_its_function_throws_away)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    owner_of_thrown = cell;
    other->make_v = throws_itself_out;
    cell_set_a(other, 7);
    cell_set_other(cell, other);
    cell_drop(other);
    struct obv_value value;
    CHECK_EQ(obv_value_at(&cell->object, "other.v", &value, NULL), OBV_OK);
    CHECK_EQ(value.as.i64, 7);
    obv_value_deinit(stage.context, &value);
    cell_drop(cell);
    stage_end();
}

TEST(LL_3_the_end_of_an_object_is_a_change_of_what_was_read)
{
    stage_begin();
    struct cell *reader = cell_new(), *other = cell_new();
    struct probe *probe = probe_new();
    reader->make_v = reads_the_other;
    thrown_away = other; /* which no dependency says */
    cell_set_a(other, 3);
    struct obv_observation *handle = watch(reader, "v", probe);
    CHECK_EQ(cell_v(reader), 3);
    thrown_away = NULL;
    CHECK(obv_is_valid(&reader->object, CELL_V));
    cell_drop(other);
    CHECK(!obv_is_valid(&reader->object, CELL_V));
    CHECK_EQ(drained(), 1);
    CHECK_EQ(cell_v(reader), 0);
    unwatch(handle);
    cell_drop(reader);
    free(probe);
    stage_end();
}

static enum obv_status sets_itself(struct cell *cell, int64_t *value)
{
    cell_set_v(cell, 1);
    cell_set_v(cell, cell_a(cell) + 100);
    *value = 1;
    return OBV_OK;
}

TEST(LL_16_a_set_in_its_own_function_wins_and_is_reported_once)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    cell->make_v = sets_itself;
    CHECK_EQ(cell_v(cell), 100);
    CHECK_EQ(stage.sets, 1);
    CHECK_TEXT(stage.path, "v");
    CHECK(obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(cell_v(cell), 100);
    CHECK_EQ(cell->evaluations, 1);
    struct obv_observation *handle = watch(cell, "v", probe);
    cell_set_a(cell, 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(cell_v(cell), 101);
    CHECK_EQ(stage.sets, 2); /* once an evaluation */
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

/* Cycles ------------------------------------------------------------------- */

static enum obv_status follows_the_other_if_positive(struct cell *cell,
                                                     int64_t *value)
{
    if (cell_a(cell) <= 0) {
        *value = 0;
        return OBV_OK;
    }
    enum obv_status status =
        obv_get_i64(&cell_other(cell)->object, CELL_V, value);
    *value += 1;
    return status;
}

TEST(LL_12_a_cycle_through_two_objects_closes_only_for_some_values)
{
    stage_begin();
    struct cell *one = cell_new(), *two = cell_new();
    int64_t value = 0;
    one->make_v = two->make_v = follows_the_other_if_positive;
    cell_set_other(one, two);
    cell_set_other(two, one);
    cell_set_a(one, 1);
    CHECK_EQ(cell_v(one), 1);
    cell_set_a(two, 1);
    CHECK_EQ(obv_get_i64(&one->object, CELL_V, &value), OBV_E_CYCLE);
    CHECK_EQ(stage.cycles, 1);
    CHECK_TEXT(stage.path, "v, v");
    CHECK(!obv_is_valid(&one->object, CELL_V));
    CHECK(!obv_is_valid(&two->object, CELL_V));
    CHECK_EQ(cell_v(one), 1);
    cell_set_a(two, 0);
    CHECK_EQ(cell_v(two), 0);
    CHECK_EQ(cell_v(one), 1);
    CHECK(obv_is_valid(&one->object, CELL_V));
    cell_set_other(one, NULL);
    cell_set_other(two, NULL);
    cell_drop(one);
    cell_drop(two);
    stage_end();
}

static enum obv_status follows_w(struct cell *cell, int64_t *value)
{
    *value = cell_w(cell);
    return OBV_OK;
}

TEST(LL_12_a_cycle_is_reported_with_names_and_hangs_no_drain)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    int64_t value;
    cell_set_a(cell, 1);
    struct obv_observation *handle = watch(cell, "w", probe);
    cell->make_v = follows_w;
    cell_set_a(cell, 2);
    CHECK_EQ(drained(), 0);
    CHECK(stage.cycles >= 1);
    CHECK(strcmp(stage.path, "v, w") == 0 || strcmp(stage.path, "w, v") == 0);
    CHECK_EQ(obv_get_i64(&cell->object, CELL_W, &value), OBV_E_CYCLE);
    cell->make_v = sum_of;
    CHECK_EQ(obv_invalidate(&cell->object, CELL_V), OBV_OK);
    (void)drained();
    CHECK_EQ(cell_w(cell), 4);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

static enum obv_status w_of_other(struct cell *cell, int64_t *value)
{
    return obv_get_i64(&cell_other(cell)->object, CELL_W, value);
}

TEST(LL_12_a_cycle_is_reported_with_all_its_names)
{
    stage_begin();
    struct cell *one = cell_new(), *two = cell_new();
    int64_t value;
    cell_set_other(one, two);
    cell_set_other(two, one);
    one->make_v = two->make_v = w_of_other;
    CHECK_EQ(obv_get_i64(&one->object, CELL_V, &value), OBV_E_CYCLE);
    CHECK_EQ(stage.cycles, 1);
    CHECK_TEXT(stage.path, "v, w, v, w");
    cell_set_other(one, NULL);
    cell_set_other(two, NULL);
    cell_drop(one);
    cell_drop(two);
    stage_end();
}

/* Kinds of values ---------------------------------------------------------- */

TEST(LL_2_strings_objects_and_bytes_are_computed)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    CHECK_TEXT(cell_text(cell), "0");
    CHECK(!cell_next(cell));
    cell_set_a(cell, 7);
    cell_set_other(cell, other);
    CHECK_TEXT(cell_text(cell), "7");
    CHECK(cell_next(cell) == other);
    CHECK_EQ(((const unsigned char *)cell_bytes(cell))[79], 7);
    CHECK_EQ(cell_set_text(cell, "set"), OBV_OK);
    CHECK_TEXT(cell_text(cell), "set");
    cell_set_next(cell, cell);
    CHECK(cell_next(cell) == cell);
    cell_set_next(cell, NULL);
    CHECK_EQ(obv_invalidate_all(&cell->object), OBV_OK);
    CHECK_TEXT(cell_text(cell), "7");
    cell_drop(other);
    cell_drop(cell);
    stage_end();
}

static enum obv_status fails_half_way(struct obv_object *object,
                                      const struct obv_property *property,
                                      void *result)
{
    int64_t a = cell_a((struct cell *)object);
    memset(result, (int)a, property->size / 2);
    return a > 1 ? OBV_E_LIMIT : OBV_OK;
}

TEST(LL_2_what_fails_half_way_leaves_the_last_bytes)
{
    const struct obv_computed half = {.size = sizeof half,
                                      .evaluate = fails_half_way};
    struct obv_property lines[CELL_COUNT];
    memcpy(lines, cell_properties, sizeof lines);
    lines[CELL_BYTES].computed = &half;
    stage_begin();
    stage_class("half", lines);
    struct cell *cell = cell_new();
    cell_set_a(cell, 1);
    (void)cell_bytes(cell);
    CHECK(obv_is_valid(&cell->object, CELL_BYTES));
    CHECK_EQ(cell->bytes[0], 1);
    cell_set_a(cell, 2);
    (void)cell_bytes(cell);
    CHECK(!obv_is_valid(&cell->object, CELL_BYTES));
    CHECK_EQ(cell->bytes[0], 1);
    CHECK_EQ(cell->bytes[79], 0);
    cell_set_a(cell, 0);
    (void)cell_bytes(cell);
    CHECK(obv_is_valid(&cell->object, CELL_BYTES));
    CHECK_EQ(cell->bytes[0], 0);
    cell_drop(cell);
    stage_end();
}

TEST(LL_5_strings_objects_and_bytes_there_and_back_are_no_change)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    const char *const paths[] = {"text", "next", "bytes"};
    struct probe *probes[3];
    struct obv_observation *handles[3];
    for (size_t i = 0; i < 3; i++) {
        probes[i] = probe_new();
        handles[i] = watch(cell, paths[i], probes[i]);
    }
    cell_set_a(cell, 1);
    cell_set_other(cell, other);
    CHECK_TEXT(cell_text(cell), "1");
    CHECK(cell_next(cell) == other);
    CHECK_EQ(((const unsigned char *)cell_bytes(cell))[0], 1);
    cell_set_a(cell, 0);
    cell_set_other(cell, NULL);
    CHECK_EQ(drained(), 0);
    cell_set_a(cell, 2);
    cell_set_other(cell, other);
    CHECK_EQ(drained(), 3);
    /* What waits for an answer goes with its object. */
    cell_set_a(cell, 3);
    CHECK_TEXT(cell_text(cell), "3");
    for (size_t i = 0; i < 3; i++) {
        unwatch(handles[i]);
    }
    (void)drained();
    cell_drop(other);
    cell_drop(cell);
    for (size_t i = 0; i < 3; i++) {
        free(probes[i]);
    }
    stage_end();
}

TEST(LL_2_a_value_is_read_by_path)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    struct obv_value value;
    cell_set_other(cell, other);
    cell_set_a(other, 9);
    CHECK_EQ(obv_value_at(&cell->object, "next.v", &value, NULL), OBV_OK);
    CHECK_EQ(value.as.i64, 9);
    obv_value_deinit(stage.context, &value);
    other->make_v = fails_for_negatives;
    cell_set_a(other, -9);
    CHECK_EQ(obv_value_at(&cell->object, "next.v", &value, NULL), OBV_E_LIMIT);
    cell_drop(other);
    cell_drop(cell);
    stage_end();
}

TEST(LL_7_numbers_that_are_none_are_refused)
{
    stage_begin();
    struct cell *cell = cell_new();
    CHECK_EQ(obv_invalidate(&cell->object, CELL_COUNT), OBV_E_UNKNOWN);
    CHECK_EQ(obv_invalidate(&cell->object, CELL_A), OBV_OK);
    CHECK(obv_is_valid(&cell->object, CELL_A));
    CHECK(!obv_is_valid(&cell->object, CELL_COUNT));
    CHECK(obv_property_is_computed(stage.cls, CELL_V));
    CHECK(!obv_property_is_computed(stage.cls, CELL_A));
    CHECK(!obv_property_is_computed(stage.cls, CELL_COUNT));
    cell_drop(cell);
    stage_end();
}

TEST(LL_1_a_table_that_contradicts_itself_is_refused)
{
    stage_begin();
    const struct obv_computed nothing = {.size = sizeof nothing};
    const struct obv_computed small = {.size = 1, .evaluate = make_v};
    struct obv_property line = OBV_FIELD_COMPUTED(cell, v, i64, &nothing);
    const struct obv_class_table table = {.size = sizeof table,
                                          .name = "wrong",
                                          .instance_size = sizeof(struct cell),
                                          .properties = &line,
                                          .property_count = 1};
    struct obv_class *cls;
    CHECK_EQ(obv_class_create(stage.context, &table, &cls, NULL), OBV_E_LAYOUT);
    line.computed = &small;
    CHECK_EQ(obv_class_create(stage.context, &table, &cls, NULL), OBV_E_LAYOUT);
    line.computed = &v;
    line.flags = OBV_ANY_THREAD;
    CHECK_EQ(obv_class_create(stage.context, &table, &cls, NULL), OBV_E_LAYOUT);
    line.flags = 0;
    CHECK_EQ(obv_class_create(stage.context, &table, &cls, NULL), OBV_OK);
    stage_end();
}

/* Many reads, and long chains ---------------------------------------------- */

enum { WIDE = 300 };
static struct cell *wide[WIDE];

static enum obv_status sums_all_twice(struct cell *cell, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < 2 * WIDE; i++) {
        /* Forwards, then backwards from where the other number says. */
        size_t at = i < WIDE ? i : (size_t)(cell_b(cell) + (int64_t)i) % WIDE;
        *value += cell_a(wide[at]);
    }
    return OBV_OK;
}

TEST(LL_2_what_is_read_again_is_one_dependency)
{
    stage_begin();
    struct cell *cell = cell_new();
    cell->make_v = sums_all_twice;
    for (size_t i = 0; i < WIDE; i++) {
        wide[i] = cell_new();
    }
    (void)cell_v(cell);
    size_t before = test_allocations();
    for (int64_t i = 1; i < 20; i++) {
        cell_set_b(cell, i * 17);
        cell_set_a(wide[i], i);
        CHECK_EQ(cell_v(cell), i * (i + 1));
    }
    CHECK_EQ(test_allocations(), before);
    for (size_t i = 0; i < WIDE; i++) {
        cell_drop(wide[i]);
    }
    CHECK_EQ(cell->evaluations, 20);
    cell->make_v = sum_of;
    CHECK_EQ(cell_v(cell), 19 * 17);
    cell_drop(cell);
    stage_end();
}

static enum obv_status one_more_than_other(struct cell *cell, int64_t *value)
{
    struct cell *other = cell_other(cell);
    *value = other ? cell_v(other) + 1 : cell_a(cell);
    return OBV_OK;
}

/* The frames of sanitizers are large. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LONG  100000
#define STACK (4096 * 1024)
#else
#define LONG  1000000
#define STACK (512 * 1024)
#endif

static struct cell **chain;

static void *walk_chain(void *context)
{
    (void)context;
    for (size_t i = 0; i < LONG; i++) {
        CHECK_EQ(cell_v(chain[i]), (int64_t)i);
    }
    cell_set_a(chain[0], 5);
    CHECK(!obv_is_valid(&chain[LONG - 1]->object, CELL_V));
    CHECK_EQ(cell_v(chain[LONG - 1]), LONG + 4);
    for (size_t i = 0; i < LONG; i++) {
        CHECK_EQ(obv_invalidate(&chain[i]->object, CELL_V), OBV_OK);
    }
    CHECK_EQ(cell_v(chain[LONG - 1]), LONG + 4);
    CHECK_EQ(chain[LONG / 2]->evaluations, 3);
    return NULL;
}

TEST(LL_12_a_chain_of_a_million_needs_no_deep_stack)
{
    stage_begin();
    pthread_attr_t small;
    pthread_t thread;
    chain = malloc(LONG * sizeof *chain);
    CHECK(chain);
    for (size_t i = 0; i < LONG; i++) {
        chain[i] = cell_new();
        chain[i]->make_v = one_more_than_other;
        cell_set_other(chain[i], i ? chain[i - 1] : NULL);
    }
    CHECK(pthread_attr_init(&small) == 0);
    CHECK(pthread_attr_setstacksize(&small, STACK) == 0);
    CHECK(pthread_create(&thread, &small, walk_chain, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(pthread_attr_destroy(&small) == 0);
    for (size_t i = LONG; i-- > 0;) {
        cell_drop(chain[i]);
    }
    free(chain);
    stage_end();
}

/* Short memory ------------------------------------------------------------- */

static void read_with_a_refusal(size_t n, bool all, bool *refused)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    int64_t value = 0;
    cell_set_a(cell, 2);
    cell_set_b(cell, 3);
    cell_set_other(cell, other);
    test_fail_allocation(n, all);
    enum obv_status status = obv_get_i64(&cell->object, CELL_W, &value);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(status == OBV_OK || status == OBV_E_MEMORY || status == OBV_E_LIMIT);
    CHECK(status != OBV_OK || value == 10);
    CHECK_EQ(cell_w(cell), 10);
    cell_set_a(cell, 4);
    CHECK_EQ(cell_w(cell), 14);
    test_fail_allocation(n, all);
    (void)cell_text(cell);
    (void)cell_next(cell);
    (void)cell_bytes(cell);
    *refused = *refused || test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK_TEXT(cell_text(cell), "4");
    CHECK(cell_next(cell) == other);
    CHECK_EQ(((const unsigned char *)cell_bytes(cell))[3], 4);
    cell_drop(cell);
    cell_drop(other);
    stage_end();
}

static void observe_with_a_refusal(size_t n, bool all, bool *refused)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    struct probe *probe = probe_new(), *end = probe_new();
    struct obv_observation *handle = watch(cell, "next.w", probe), *late = NULL;
    cell_set_other(cell, other);
    (void)drained();
    size_t calls = probe->calls;
    test_fail_allocation(n, all);
    enum obv_status status =
        obv_observe(&other->object, "bytes", &probe_kind, end, &late, NULL);
    cell_set_a(other, 1);
    (void)drained();
    cell_set_other(cell, cell);
    (void)drained();
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    cell_set_other(cell, NULL);
    (void)drained();
    cell_set_other(cell, other);
    (void)drained();
    CHECK(probe->calls > calls);
    calls = probe->calls;
    cell_set_a(other, 5);
    CHECK(drained() >= 1);
    CHECK_EQ(probe->calls, calls + 1);
    cell_set_other(cell, NULL);
    unwatch(handle);
    if (late) {
        unwatch(late);
    }
    (void)drained();
    cell_drop(cell);
    cell_drop(other);
    free(probe);
    free(end);
    stage_end();
}

static void refuse_each(void (*round)(size_t n, bool all, bool *refused))
{
    for (int all = 0; all < 2; all++) {
        bool refused = true;
        for (size_t n = 1; refused; n++) {
            round(n, all, &refused);
        }
    }
}

TEST(FA_1_a_failed_allocation_while_dependencies_are_recorded)
{
    refuse_each(read_with_a_refusal);
}

TEST(FA_1_a_failed_allocation_while_computed_properties_are_observed)
{
    refuse_each(observe_with_a_refusal);
}

/* What begins to be observed, and how a change of it is made. */
struct begun_path {
    const char *path;
    unsigned flags;
};

static void begin_with_a_refusal(const struct begun_path *begun, size_t n,
                                 bool all, bool *refused)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = begun->flags};
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new(), *third = cell_new();
    struct probe *probe = probe_new();
    const struct obv_pair pair = {&cell->object, begun->path};
    struct obv_observation *handle = NULL;
    cell_set_a(third, 3);
    cell_set_other(third, third);
    cell_set_other(cell, other);
    test_fail_allocation(n, all);
    enum obv_status status = obv_observe_pairs(&pair, 1, &probe_kind, probe,
                                               &options, &handle, NULL);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    CHECK_EQ(handle != NULL, status == OBV_OK);
    CHECK_EQ(obv_observer_count(&cell->object, "*"), 0);
    cell_set_other(cell, third);
    (void)drained();
    CHECK_EQ(probe->calls, status == OBV_OK);
    cell_set_a(cell, 1);
    (void)drained();
    cell_set_a(third, 4);
    (void)drained();
    CHECK((probe->calls >= 2) == (status == OBV_OK));
    if (handle) {
        unwatch(handle);
    }
    /* What is cached holds it. */
    cell_set_other(third, NULL);
    CHECK(!cell_next(third));
    cell_drop(cell);
    cell_drop(other);
    cell_drop(third);
    free(probe);
    stage_end();
}

TEST(FA_2_what_could_not_be_recorded_is_not_observed)
{
    static const struct begun_path begun[] = {
        {"next.a", 0},          {"next.a", OBV_IMMEDIATE},
        {"next.v", 0},          {"next.v", OBV_IMMEDIATE},
        {"next.a", OBV_VALUES}, {"next.next.w", 0},
        {"next.v", OBV_NET},
    };
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++) {
        for (int all = 0; all < 2; all++) {
            bool refused = true;
            for (size_t n = 1; n <= 200 && refused; n++) {
                begin_with_a_refusal(&begun[i], n, all, &refused);
            }
            CHECK(!refused);
        }
    }
}

static enum obv_status a_of_other(struct cell *cell, int64_t *value)
{
    struct cell *other = cell_other(cell);
    *value = other ? cell_a(other) : -1;
    return OBV_OK;
}

static enum obv_status v_plus_text(struct cell *cell, int64_t *value)
{
    const char *found = cell_text(cell);
    enum obv_status status = obv_get_i64(&cell->object, CELL_V, value);
    *value += found ? (int64_t)strlen(found) : 0;
    return found ? status : OBV_E_MEMORY;
}

static void begin_end_with_a_refusal(unsigned flags, size_t n, bool all,
                                     bool *refused)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    struct probe *probe = probe_new();
    const struct obv_pair pair = {&cell->object, "w"};
    struct obv_observation *handle = NULL;
    cell->make_v = a_of_other;
    cell->make_w = v_plus_text;
    cell_set_other(cell, other);
    test_fail_allocation(n, all);
    enum obv_status status = obv_observe_pairs(&pair, 1, &probe_kind, probe,
                                               &options, &handle, NULL);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    cell_set_a(other, 2);
    (void)drained();
    CHECK_EQ(probe->calls, status == OBV_OK);
    cell_set_other(cell, NULL);
    (void)drained();
    CHECK_EQ(probe->calls, status == OBV_OK ? 2 : 0);
    cell_set_a(cell, 100);
    (void)drained();
    CHECK_EQ(probe->calls, status == OBV_OK ? 3 : 0);
    if (handle) {
        unwatch(handle);
    }
    cell_drop(cell);
    cell_drop(other);
    free(probe);
    stage_end();
}

TEST(FA_2_an_end_that_could_not_be_recorded_is_not_observed)
{
    static const unsigned flags[] = {0, OBV_IMMEDIATE, OBV_VALUES};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        for (int all = 0; all < 2; all++) {
            bool refused = true;
            for (size_t n = 1; n <= 200 && refused; n++) {
                begin_end_with_a_refusal(flags[i], n, all, &refused);
            }
            CHECK(!refused);
        }
    }
}

/* Found by breaking it --------------------------------------------------------- */

TEST(LL_4_a_set_that_fails_leaves_it_invalid)
{
    stage_begin();
    struct cell *cell = cell_new();
    cell_set_a(cell, 1);
    CHECK(strcmp(cell_text(cell), "1") == 0);
    cell_set_a(cell, 2);
    test_fail_allocation(1, true);
    CHECK_EQ(cell_set_text(cell, "a text that needs memory of its own"),
             OBV_E_MEMORY);
    test_fail_allocation(0, false);
    CHECK(!obv_is_valid(&cell->object, CELL_TEXT));
    CHECK(strcmp(cell_text(cell), "2") == 0);
    cell_drop(cell);
    stage_end();
}

static enum obv_status text_if_positive(struct obv_object *object,
                                        const struct obv_property *property,
                                        void *result)
{
    return cell_a((struct cell *)object) > 0
               ? make_text(object, property, result)
               : OBV_E_LIMIT;
}

TEST(LL_5_FA_2_a_set_that_fails_leaves_it_armed)
{
    static const struct obv_computed failing = {.size = sizeof failing,
                                                .evaluate = text_if_positive};
    struct obv_property lines[CELL_COUNT];
    stage_begin();
    memcpy(lines, cell_properties, sizeof lines);
    lines[CELL_TEXT].computed = &failing;
    stage_class("cell of failing text", lines);
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    const char *read;
    struct obv_observation *handle = watch(cell, "text", probe);
    CHECK_EQ(obv_get_string(&cell->object, CELL_TEXT, &read), OBV_E_LIMIT);
    test_fail_allocation(1, true);
    CHECK_EQ(cell_set_text(cell, "a text that needs memory of its own"),
             OBV_E_MEMORY);
    test_fail_allocation(0, false);
    cell_set_a(cell, 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe->calls, 1);
    CHECK_TEXT(cell_text(cell), "1");
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

static enum obv_status zero_if_positive(struct cell *cell, int64_t *value)
{
    *value = 0;
    return cell_a(cell) > 0 ? OBV_OK : OBV_E_LIMIT;
}

TEST(LL_5_the_first_value_is_a_change_whatever_it_is)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    cell->make_v = zero_if_positive;
    struct obv_observation *handle = watch(cell, "v", probe);
    cell_set_a(cell, 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe->calls, 1);
    cell_set_a(cell, 2);
    CHECK_EQ(drained(), 0);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

TEST(IM_3_LT_1_what_has_ended_is_turned_immediate_without_its_root)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    struct obv_observation *handle = watch(cell, "v", probe);
    cell_set_a(cell, 1);
    CHECK_EQ(drained(), 1);
    obv_stop(handle);
    cell->references = 0;
    CHECK_EQ(obv_object_deinit(&cell->object), OBV_OK);
    memset(cell, 0xff, sizeof *cell);
    obv_make_immediate(handle);
    obv_release(handle);
    free(cell);
    free(probe);
    stage_end();
}

TEST(IM_3_LL_5_what_is_pending_of_a_computed_property_still_comes)
{
    for (int is_back = 0; is_back < 2; is_back++) {
        stage_begin();
        struct cell *cell = cell_new();
        struct probe *probe = probe_new();
        struct obv_observation *handle = watch(cell, "v", probe);
        cell_set_a(cell, 1);
        if (is_back) {
            cell_set_a(cell, 0);
        } else {
            (void)cell_v(cell);
        }
        obv_make_immediate(handle);
        CHECK_EQ(drained(), 1 - is_back);
        CHECK_EQ(probe->calls, (size_t)(1 - is_back));
        cell_set_a(cell, 5);
        CHECK_EQ(probe->calls, (size_t)(2 - is_back));
        unwatch(handle);
        cell_drop(cell);
        free(probe);
        stage_end();
    }
}

TEST(LL_5_an_immediate_observation_without_a_handle_stands_first)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *immediate = probe_new(), *delayed = probe_new();
    const struct obv_observe_options at_once = {.size = sizeof at_once,
                                                .flags = OBV_IMMEDIATE};
    const struct obv_pair pair = {&cell->object, "v"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, immediate, &at_once, NULL,
                               NULL),
             OBV_OK);
    struct obv_observation *handle = watch(cell, "v", delayed);
    cell_set_a(cell, 1);
    cell_set_a(cell, 2);
    cell_set_a(cell, 0);
    CHECK_EQ(immediate->calls, 3);
    CHECK_EQ(drained(), 0);
    cell_set_a(cell, 3);
    CHECK_EQ(drained(), 1);
    unwatch(handle);
    cell_drop(cell);
    free(immediate);
    free(delayed);
    stage_end();
}

/* Sets off a handler, which sets what was read: so it is invalid once more. */
static enum obv_status counts_sets_of_b(struct cell *cell, int64_t *value)
{
    *value = 0 * cell_a(cell);
    cell_set_b(cell, cell->b + 1);
    return OBV_OK;
}

static void set_a_on(void *observer, struct obv_object *root,
                     const struct obv_call *call)
{
    struct cell *cell = (struct cell *)root;
    (void)observer;
    (void)call;
    if (cell->a < 1000) {
        cell_set_a(cell, cell->a + 1);
    }
}

TEST(LL_5_DR_14_what_becomes_invalid_while_it_is_asked_for_ends_a_drain)
{
    static const struct obv_handler_kind kind = {.changed = set_a_on};
    const struct obv_observe_options at_once = {.size = sizeof at_once,
                                                .flags = OBV_IMMEDIATE};
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    struct obv_observation *immediate;
    const struct obv_pair pair = {&cell->object, "b"};
    cell->make_v = counts_sets_of_b;
    struct obv_observation *handle = watch(cell, "v", probe);
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &kind, probe, &at_once, &immediate, NULL),
        OBV_OK);
    cell_set_a(cell, 100);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(drained(), 0);
    }
    CHECK(cell->a < 200);
    CHECK_EQ(probe->calls, 0);
    unwatch(immediate);
    CHECK_EQ(drained(), 0);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

static enum obv_status a_of_next(struct cell *cell, int64_t *value)
{
    struct cell *found = cell_next(cell);
    *value = found ? cell_a(found) : -1;
    return OBV_OK;
}

TEST(LT_8_what_nobody_observes_lets_go_of_lives_through_the_calls)
{
    static const struct obv_observe_options immediate = {
        .size = sizeof immediate, .flags = OBV_IMMEDIATE};
    stage_begin();
    size_t freed = freed_cells;
    struct cell *cell = cell_new(), *cached = cell_new(), *root = cell_new();
    struct probe *probe = probe_new();
    struct obv_observation *handle;
    cell->make_v = a_of_next;
    cell_set_next(cell, cached);
    cell_set_other(cached, root);
    cell_set_other(root, cell);
    const struct obv_pair pair = {&root->object, "other.v"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, probe, &immediate,
                               &handle, NULL),
             OBV_OK);
    cell_drop(cached);
    cell_drop(root);
    /* It lets go of `cached`, and so of the root. */
    CHECK_EQ(obv_invalidate(&cell->object, CELL_NEXT), OBV_OK);
    CHECK_EQ(probe->calls, 1);
    CHECK_EQ(freed_cells, freed + 2);
    obv_release(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

TEST(FA_1_LL_2_what_could_not_be_read_is_read_again)
{
    bool has_failed = true;
    for (size_t n = 1; has_failed; n++) {
        stage_begin();
        struct cell *cell = cell_new(), *other = cell_new();
        int64_t value = 0;
        cell->make_v = a_of_next;
        cell_set_a(other, 4);
        cell_set_other(cell, other);
        test_fail_allocation(n, false);
        (void)obv_get_i64(&cell->object, CELL_V, &value);
        has_failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(cell_v(cell), 4);
        cell_set_a(other, 6);
        CHECK_EQ(cell_v(cell), 6);
        cell_drop(cell);
        cell_drop(other);
        stage_end();
    }
}

static enum obv_status clamp(struct cell *cell, int64_t *value)
{
    if (cell_a(cell) > 10) {
        cell_set_a(cell, 10);
    }
    *value = cell_a(cell);
    return OBV_OK;
}

TEST(LL_5_a_function_may_set_what_it_reads_while_it_is_observed)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    struct obv_observation *handle;
    const struct obv_pair pair = {&cell->object, "v"};
    const struct obv_observe_options immediate = {.size = sizeof immediate,
                                                  .flags = OBV_IMMEDIATE};
    cell->make_v = clamp;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, probe, &immediate,
                               &handle, NULL),
             OBV_OK);
    cell_set_a(cell, 20);
    CHECK_EQ(stage.cycles, 0);
    CHECK_EQ(cell_v(cell), 10);
    CHECK_EQ(probe->calls, 1);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    stage_end();
}

/* A class over a dictionary ------------------------------------------------ */

enum { STATION_NAME, STATION_TOWN };

struct station {
    struct obv_object object;
    struct obv_dictionary *answer;
    const char *name, *town;
    unsigned loads;
};

OBV_COMPUTED(station, name, string, STATION_NAME)
OBV_COMPUTED(station, town, string, STATION_TOWN)

static enum obv_status load(struct obv_object *object,
                            const struct obv_property *property, void *result)
{
    struct station *station = (struct station *)object;
    station->loads++;
    return obv_string_copy(obv_object_class(object),
                           obv_dictionary_get(station->answer, property->name),
                           result);
}

static const struct obv_computed loaded = {.size = sizeof loaded,
                                           .evaluate = load};

static const struct obv_property station_properties[] = {
    [STATION_NAME] = OBV_FIELD_COMPUTED(station, name, string, &loaded),
    [STATION_TOWN] = OBV_FIELD_COMPUTED(station, town, string, &loaded),
};

static const struct obv_class_table station_table = {
    .size = sizeof station_table,
    .name = "station",
    .instance_size = sizeof(struct station),
    .properties = station_properties,
    .property_count = 2,
};

TEST(LL_6_LL_15_one_function_loads_what_a_dictionary_has)
{
    static const struct obv_collection_kind texts = {
        .size = sizeof texts, .name = "texts", .element = OBV_KIND_string};
    struct station station = {.loads = 0};
    struct obv_class *stations, *dictionaries;
    struct probe *probe = probe_new();
    struct obv_observation *handle;
    stage_begin();
    CHECK_EQ(obv_class_create(stage.context, &station_table, &stations, NULL),
             OBV_OK);
    CHECK_EQ(
        obv_dictionary_class_create(stage.context, &texts, &dictionaries, NULL),
        OBV_OK);
    CHECK_EQ(obv_dictionary_create(dictionaries, &station.answer, NULL),
             OBV_OK);
    obv_object_init(&station.object, stations);
    CHECK(!station_name(&station));
    CHECK_EQ(obv_dictionary_put(station.answer, "town", "Nord"), OBV_OK);
    CHECK_EQ(station.loads, 1);
    CHECK(strcmp(station_town(&station), "Nord") == 0);
    CHECK(strcmp(station_town(&station), "Nord") == 0);
    CHECK_EQ(station.loads, 2);

    CHECK_EQ(
        obv_observe(&station.object, "town", &probe_kind, probe, &handle, NULL),
        OBV_OK);
    CHECK_EQ(obv_dictionary_put(station.answer, "town", "Ost"), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe->calls, 1);
    CHECK(strcmp(station_town(&station), "Ost") == 0);
    CHECK_EQ(obv_dictionary_put(station.answer, "name", "A"), OBV_OK);
    CHECK_EQ(drained(), 0);
    CHECK(strcmp(station_name(&station), "A") == 0);
    station_set_town(&station, "Sued");
    CHECK(strcmp(obv_dictionary_get(station.answer, "town"), "Ost") == 0);
    CHECK_EQ(drained(), 1);
    unwatch(handle);
    CHECK_EQ(obv_object_deinit(&station.object), OBV_OK);
    obv_dictionary_release(station.answer);
    free(probe);
    stage_end();
}

/* What waits for a value ------------------------------------------------------- */

static bool fails, drains;

static enum obv_status fails_or_drains(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    if (drains) {
        drains = false;
        CHECK_EQ(drained(), 0);
    }
    return fails ? OBV_E_LIMIT : OBV_OK;
}

TEST(LL_5_a_drain_within_a_function_leaves_the_call_to_the_next)
{
    for (int i = 0; i < 2; i++) {
        stage_begin();
        struct cell *cell = cell_new();
        struct probe *probe = probe_new();
        cell->make_v = fails_or_drains;
        struct obv_observation *handle = watch(cell, i ? "w" : "v", probe);
        cell_set_a(cell, 5);
        drains = true;
        CHECK_EQ(cell_v(cell), 5);
        CHECK_EQ(drained(), 1);
        CHECK_EQ(probe->calls, 1);
        CHECK_EQ(drained(), 0);
        CHECK_EQ(stage.cycles, i); /* where the drain had to read it */
        unwatch(handle);
        cell_drop(cell);
        free(probe);
        stage_end();
    }
}

static enum obv_status one_more_than_v(struct cell *cell, int64_t *value)
{
    *value = cell_v(cell) + 1; /* the last value, if that fails */
    return OBV_OK;
}

TEST(LL_2_LL_3_what_reads_a_property_that_fails_has_no_value)
{
    stage_begin();
    struct cell *cell = cell_new();
    int64_t value = 0;
    cell->make_v = fails_or_drains;
    cell->make_w = one_more_than_v;
    CHECK_EQ(cell_w(cell), 1);
    cell_set_a(cell, 5);
    fails = true;
    CHECK_EQ(obv_get_i64(&cell->object, CELL_W, &value), OBV_E_LIMIT);
    CHECK(!obv_is_valid(&cell->object, CELL_W));
    fails = false;
    /* The error stands until something that was read changes, or by hand. */
    size_t evaluations = cell->evaluations;
    CHECK_EQ(obv_get_i64(&cell->object, CELL_W, &value), OBV_E_LIMIT);
    CHECK_EQ(obv_get_i64(&cell->object, CELL_V, &value), OBV_E_LIMIT);
    CHECK_EQ(cell->evaluations, evaluations);
    CHECK_EQ(obv_invalidate(&cell->object, CELL_V), OBV_OK);
    CHECK_EQ(cell_w(cell), 6);
    cell_drop(cell);
    stage_end();
}

/* A pair that comes to an observation takes no call from others, which wait for the
   property since it has failed. */
TEST(LL_5_an_addition_takes_no_call_from_others)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_EXTENSIBLE};
    stage_begin();
    struct cell *cell = cell_new(), *another = cell_new();
    struct probe *first = probe_new(), *second = probe_new(),
                 *added = probe_new();
    struct obv_observation *handles[3];
    const struct obv_pair pair = {&another->object, "a"},
                          also = {&cell->object, "v"};
    cell->make_v = fails_for_negatives;
    cell_set_a(cell, 1);
    handles[0] = watch(cell, "v", first);
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, added, &options,
                               &handles[1], NULL),
             OBV_OK);
    cell_set_a(cell, 2);
    (void)cell_v(cell);
    cell_set_a(cell, -1);
    int64_t value;
    CHECK(obv_get_i64(&cell->object, CELL_V, &value) != OBV_OK);
    handles[2] = watch(cell, "v", second);
    cell_set_a(cell, 3);
    CHECK_EQ(obv_observe_also(handles[1], &also, 1, NULL), OBV_OK);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(first->calls, 1);
    CHECK_EQ(second->calls, 1);
    CHECK_EQ(added->calls, 0);
    for (size_t i = 0; i < 3; i++) {
        unwatch(handles[i]);
    }
    cell_drop(cell);
    cell_drop(another);
    free(first);
    free(second);
    free(added);
    stage_end();
}

TEST(LL_5_what_failed_for_a_drain_is_told_once_it_has_a_value)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    cell->make_v = fails_or_drains;
    struct obv_observation *handle = watch(cell, "v", probe);
    struct obv_observation *above = watch(cell, "w", probe);
    fails = true;
    cell_set_a(cell, 1);
    CHECK_EQ(drained(), 0);
    fails = false;
    CHECK_EQ(obv_invalidate(&cell->object, CELL_V), OBV_OK);
    CHECK_EQ(cell_v(cell), 1);
    CHECK_EQ(drained(), 2);
    /* There and back while it fails is no change. */
    fails = true;
    cell_set_a(cell, 2);
    CHECK_EQ(drained(), 0);
    cell_set_a(cell, 1);
    fails = false;
    CHECK_EQ(cell_v(cell), 1);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(probe->calls, 2);
    unwatch(handle);
    unwatch(above);
    cell_drop(cell);
    free(probe);
    stage_end();
}

TEST(LL_5_DR_11_a_path_moves_and_its_end_is_invalid_in_one_batch)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    struct probe *probe = probe_new();
    struct obv_observation *handle = watch(cell, "other.v", probe);
    struct obv_batch batch;
    obv_batch_begin(&batch);
    cell_set_other(cell, other);
    cell_set_a(other, 1);
    obv_batch_end(&batch);
    CHECK_EQ(drained(), 1);
    CHECK(obv_is_valid(&other->object, CELL_V));
    cell_set_a(other, 3);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe->calls, 2);
    unwatch(handle);
    cell_drop(cell);
    cell_drop(other);
    free(probe);
    stage_end();
}

/* Handlers that a function sets off ---------------------------------------- */

static enum obv_status reads_a_and_sets_b(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    cell_set_b(cell, *value + 1);
    return OBV_OK;
}

/* What the handler of `b` sets `a` to; 0: nothing, -1: one more. */
static int64_t set_by_b;
static size_t calls_of_b;

static void set_a_again(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct cell *cell = (struct cell *)root;
    (void)observer;
    (void)call;
    calls_of_b++;
    if (set_by_b != 0) {
        cell_set_a(cell, set_by_b < 0 ? cell_a(cell) + 1 : set_by_b);
    }
}

static const struct obv_handler_kind set_a_kind = {.changed = set_a_again,
                                                   .label = "sets a"};

/* The value that an observation of `v` was told last. */
static int64_t told_v;

static void note_v(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    (void)root;
    ((struct probe *)observer)->calls++;
    told_v = call->now->as.i64;
}

static const struct obv_handler_kind note_v_kind = {.changed = note_v,
                                                    .label = "notes v"};

struct set_off {
    struct cell *cell;
    struct probe *probe;
    struct obv_observation *of_b, *of_v;
};

static void set_off_begin(struct set_off *set_off, unsigned flags)
{
    const struct obv_observe_options immediate = {.size = sizeof immediate,
                                                  .flags = OBV_IMMEDIATE};
    const struct obv_observe_options values = {.size = sizeof values,
                                               .flags = OBV_VALUES | flags};
    stage_begin();
    set_by_b = told_v = 0;
    calls_of_b = 0;
    set_off->cell = cell_new();
    set_off->probe = probe_new();
    set_off->cell->make_v = reads_a_and_sets_b;
    const struct obv_pair b = {&set_off->cell->object, "b"};
    const struct obv_pair of_v = {&set_off->cell->object, "v"};
    CHECK_EQ(obv_observe_pairs(&b, 1, &set_a_kind, NULL, &immediate,
                               &set_off->of_b, NULL),
             OBV_OK);
    CHECK_EQ(obv_observe_pairs(&of_v, 1, &note_v_kind, set_off->probe, &values,
                               &set_off->of_v, NULL),
             OBV_OK);
}

static void set_off_end(const struct set_off *set_off)
{
    unwatch(set_off->of_b);
    unwatch(set_off->of_v);
    cell_drop(set_off->cell);
    free(set_off->probe);
    stage_end();
}

TEST(LL_5_DR_3_what_a_handler_sets_within_a_function_is_told)
{
    struct set_off set_off;
    set_off_begin(&set_off, 0);
    set_by_b = 10;
    cell_set_a(set_off.cell, 2);
    CHECK_EQ(drained(), 1);
    CHECK(!obv_is_valid(&set_off.cell->object, CELL_V));
    CHECK_EQ(drained(), 1);
    CHECK_EQ(told_v, 10);
    CHECK(obv_is_valid(&set_off.cell->object, CELL_V));
    CHECK_EQ(drained(), 0);
    /* It is armed, and so it is after a read. */
    cell_set_a(set_off.cell, 3);
    CHECK_EQ(cell_v(set_off.cell), 3);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(cell_v(set_off.cell), 10);
    cell_set_a(set_off.cell, 4);
    set_by_b = 0;
    CHECK_EQ(drained(), 1);
    CHECK_EQ(told_v, 4);
    set_off_end(&set_off);
}

TEST(LL_5_IM_1_what_a_handler_sets_within_a_function_is_told_at_once)
{
    struct set_off set_off;
    set_off_begin(&set_off, OBV_IMMEDIATE);
    set_by_b = 10;
    cell_set_a(set_off.cell, 2);
    CHECK_EQ(told_v, 10);
    CHECK(obv_is_valid(&set_off.cell->object, CELL_V));
    set_by_b = 0;
    cell_set_a(set_off.cell, 3);
    CHECK_EQ(told_v, 3);
    set_off_end(&set_off);
}

TEST(LL_5_DR_15_a_handler_within_a_function_that_never_settles)
{
    struct set_off set_off;
    set_off_begin(&set_off, 0);
    set_by_b = -1;
    cell_set_a(set_off.cell, 2);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(drained(), 1);
    }
    set_by_b = 0;
    CHECK_EQ(drained(), 1);
    CHECK_EQ(told_v, cell_a(set_off.cell));
    CHECK_EQ(drained(), 0);
    set_off_end(&set_off);
}

TEST(LL_5_IM_4_a_handler_within_a_function_that_never_settles)
{
    struct set_off set_off;
    set_off_begin(&set_off, OBV_IMMEDIATE);
    set_by_b = -1;
    cell_set_a(set_off.cell, 2);
    CHECK(calls_of_b > 1);
    CHECK(calls_of_b < 100);
    CHECK_EQ(stage.depths, 1);
    /* It has stayed armed, also for a handler. */
    set_by_b = 1000;
    cell_set_b(set_off.cell, -1);
    CHECK_EQ(told_v, 1000);
    set_by_b = 0;
    cell_set_a(set_off.cell, 1001);
    CHECK_EQ(told_v, 1001);
    set_off_end(&set_off);
}

static enum obv_status reads_a_and_drains(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    (void)drained();
    return OBV_OK;
}

static void set_a_when_drained(void *observer, struct obv_object *root,
                               const struct obv_call *call)
{
    (void)observer;
    (void)call;
    cell_set_a((struct cell *)root, set_by_b);
}

TEST(LL_5_DR_9_what_a_drain_within_a_function_sets_is_told)
{
    static const struct obv_handler_kind kind = {.changed = set_a_when_drained,
                                                 .label = "sets a"};
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    struct obv_observation *setter, *handle;
    cell->make_v = reads_a_and_drains;
    handle = watch(cell, "v", probe);
    CHECK_EQ(obv_observe(&cell->object, "b", &kind, probe, &setter, NULL),
             OBV_OK);
    set_by_b = 10;
    cell_set_b(cell, 1);
    CHECK_EQ(obv_invalidate(&cell->object, CELL_V), OBV_OK);
    CHECK_EQ(cell_v(cell), 0);
    CHECK(!obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe->calls, 1);
    CHECK_EQ(cell_v(cell), 10);
    unwatch(handle);
    unwatch(setter);
    cell_drop(cell);
    free(probe);
    stage_end();
}

static struct obv_observation *executed;

static enum obv_status reads_a_and_executes(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    CHECK(obv_execute(executed));
    return OBV_OK;
}

static void read_b_in_call(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    (void)observer;
    (void)call;
    (void)cell_b((struct cell *)root);
}

TEST(DR_6_what_a_call_by_hand_reads_within_a_function_is_no_dependency)
{
    static const struct obv_handler_kind kind = {.changed = read_b_in_call,
                                                 .label = "reads b"};
    stage_begin();
    struct cell *cell = cell_new();
    cell->make_v = reads_a_and_executes;
    CHECK_EQ(obv_observe(&cell->object, "other", &kind, NULL, &executed, NULL),
             OBV_OK);
    CHECK_EQ(cell_v(cell), 0);
    cell_set_b(cell, 1);
    CHECK(obv_is_valid(&cell->object, CELL_V));
    unwatch(executed);
    cell_drop(cell);
    stage_end();
}

/* Of a context with properties that any thread may set, as all of these are. */
TEST(LL_5_a_read_below_a_middle_that_is_left_calls_nobody)
{
    stage_begin();
    struct cell *a = cell_new(), *b = cell_new(), *c = cell_new();
    struct cell *root = cell_new();
    struct probe *probe = probe_new();
    cell_set_a(c, 5);
    cell_set_other(root, a);
    struct obv_observation *handle = watch(root, "next.next.v", probe);
    cell_set_other(root, b);
    cell_set_other(a, c);
    CHECK(cell_next(a) == c);
    CHECK_EQ(drained(), 0);
    /* Another object in the middle leads to the same one. */
    cell_set_other(root, a);
    CHECK_EQ(drained(), 1);
    cell_set_other(a, NULL);
    CHECK_EQ(drained(), 1);
    cell_set_other(root, b);
    cell_set_other(a, c);
    CHECK(cell_next(a) == c);
    cell_set_other(b, c);
    CHECK_EQ(drained(), 1);
    cell_set_other(b, NULL);
    CHECK_EQ(drained(), 1);
    /* There and back. */
    cell_set_other(b, c);
    CHECK(cell_next(b) == c);
    cell_set_other(b, NULL);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(probe->calls, 4);
    unwatch(handle);
    cell_drop(root);
    cell_drop(a);
    cell_drop(b);
    cell_drop(c);
    free(probe);
    stage_end();
}

TEST(LL_5_who_begins_has_waited_for_nothing)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *waits = probe_new(), *begins = probe_new();
    struct obv_observation *handle = watch(cell, "v", waits);
    cell_set_a(cell, 1);
    struct obv_observation *begun = watch(cell, "v", begins);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(waits->calls, 1);
    CHECK_EQ(begins->calls, 0);
    unwatch(handle);
    unwatch(begun);
    cell_drop(cell);
    free(waits);
    free(begins);
    stage_end();
}

static struct cell *set_back;

static void set_there_and_back(void *observer, struct obv_object *root,
                               const struct obv_call *call)
{
    struct cell *cell = set_back;
    (void)observer;
    (void)root;
    (void)call;
    set_back = NULL;
    if (cell) {
        cell_set_a(cell, 2);
        cell_set_a(cell, 1);
    }
}

TEST(LL_5_an_immediate_handler_sets_there_and_back_what_has_just_recovered)
{
    static const struct obv_handler_kind kind = {.changed = set_there_and_back,
                                                 .label = "sets"};
    const struct obv_observe_options immediate = {.size = sizeof immediate,
                                                  .flags = OBV_IMMEDIATE};
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    const struct obv_pair pair = {&cell->object, "v"};
    struct obv_observation *handle = watch(cell, "v", probe), *setter;
    cell->make_v = fails_or_drains;
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &kind, probe, &immediate, &setter, NULL),
        OBV_OK);
    fails = true;
    cell_set_a(cell, 1);
    fails = false;
    set_back = cell;
    CHECK_EQ(obv_invalidate(&cell->object, CELL_V), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe->calls, 1);
    unwatch(handle);
    unwatch(setter);
    cell_drop(cell);
    free(probe);
    stage_end();
}

TEST(FA_1_a_value_that_cannot_be_kept_counts_as_another)
{
    bool refused = true;
    for (size_t n = 1; refused; n++) {
        stage_begin();
        struct cell *cell = cell_new();
        struct probe *probe = probe_new();
        struct obv_observation *handle = watch(cell, "bytes", probe);
        cell_set_a(cell, 5);
        test_fail_allocation(n, false);
        (void)drained();
        refused = test_allocation_failed();
        test_fail_allocation(0, false);
        (void)cell_bytes(cell);
        (void)drained();
        CHECK_EQ(probe->calls, 1);
        unwatch(handle);
        cell_drop(cell);
        free(probe);
        stage_end();
    }
}

static bool equal_in_tens(const void *a, const void *b)
{
    return *(const int64_t *)a / 10 == *(const int64_t *)b / 10;
}

static enum obv_status nothing_of_b(struct cell *cell, int64_t *value)
{
    *value = cell_b(cell) * 0;
    return OBV_OK;
}

TEST(EQ_1_LL_5_what_is_computed_is_compared_as_its_property_says)
{
    struct obv_property lines[CELL_COUNT];
    stage_begin();
    memcpy(lines, cell_properties, sizeof lines);
    lines[CELL_V].equal = equal_in_tens;
    lines[CELL_W].flags |= OBV_ALWAYS_DIFFERENT;
    stage_class("cell of tens", lines);
    struct cell *cell = cell_new();
    struct probe *tens = probe_new(), *always = probe_new();
    cell->make_w = nothing_of_b;
    struct obv_observation *handles[] = {watch(cell, "v", tens),
                                         watch(cell, "w", always)};
    cell_set_a(cell, 11);
    CHECK_EQ(drained(), 1);
    cell_set_a(cell, 12);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(cell_v(cell), 11);
    cell_set_a(cell, 25);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(always->calls, 0);
    cell_set_b(cell, 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(always->calls, 1);
    CHECK_EQ(tens->calls, 2);
    unwatch(handles[0]);
    unwatch(handles[1]);
    cell_drop(cell);
    free(tens);
    free(always);
    stage_end();
}

TEST(KP_7_a_lazy_object_stands_in_the_middle)
{
    static const struct obv_computed lazy = {
        .size = sizeof lazy, .evaluate = make_next, .flags = OBV_LAZY};
    struct obv_property lines[CELL_COUNT];
    stage_begin();
    memcpy(lines, cell_properties, sizeof lines);
    lines[CELL_NEXT].computed = &lazy;
    stage_class("cell of lazy ones", lines);
    struct cell *cell = cell_new(), *one = cell_new(), *two = cell_new();
    struct probe *probe = probe_new();
    cell_set_other(cell, one);
    struct obv_observation *handle = watch(cell, "next.a", probe);
    cell_set_a(one, 1);
    CHECK_EQ(drained(), 1);
    cell_set_other(cell, two); /* nothing to it */
    cell_set_a(two, 2);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_invalidate(&cell->object, CELL_NEXT), OBV_OK);
    CHECK_EQ(drained(), 1);
    cell_set_a(one, 3);
    CHECK_EQ(drained(), 0);
    cell_set_a(two, 4);
    CHECK_EQ(drained(), 1);
    unwatch(handle);
    cell_drop(cell);
    cell_drop(one);
    cell_drop(two);
    free(probe);
    stage_end();
}

/* A class below that of cells. */
struct sum {
    struct cell cell;
    int64_t sum;
};

OBV_COMPUTED(sum, sum, i64, CELL_COUNT)

static enum obv_status make_sum(struct obv_object *object,
                                const struct obv_property *property,
                                void *result)
{
    struct sum *sum = (struct sum *)object;
    int64_t value = cell_v(&sum->cell) + cell_w(&sum->cell);
    (void)property;
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

TEST(LL_13_a_subclass_inherits_and_adds)
{
    static const struct obv_computed how = {.size = sizeof how,
                                            .evaluate = make_sum};
    static const struct obv_property lines[] = {
        OBV_FIELD_COMPUTED(sum, sum, i64, &how)};
    struct obv_class_table table = {.size = sizeof table,
                                    .name = "sum",
                                    .instance_size = sizeof(struct sum),
                                    .properties = lines,
                                    .property_count = 1};
    struct obv_class *cls;
    struct sum sum = {
        .cell = {.references = 1, .make_v = sum_of, .make_w = twice_v}};
    struct probe *inherited = probe_new(), *added = probe_new();
    stage_begin();
    table.superclass = stage.cls;
    table.retain = retain_cell;
    table.release = release_cell;
    CHECK_EQ(obv_class_create(stage.context, &table, &cls, NULL), OBV_OK);
    obv_object_init(&sum.cell.object, cls);
    struct obv_observation *handles[] = {watch(&sum.cell, "v", inherited),
                                         watch(&sum.cell, "sum", added)};
    cell_set_a(&sum.cell, 2);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(sum_sum(&sum), 6);
    cell_set_v(&sum.cell, 5);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(sum_sum(&sum), 15);
    CHECK_EQ(obv_invalidate(&sum.cell.object, CELL_V), OBV_OK);
    CHECK(!obv_is_valid(&sum.cell.object, CELL_COUNT));
    CHECK_EQ(cell_v(&sum.cell), 2);
    CHECK_EQ(sum_sum(&sum), 6);
    CHECK_EQ(drained(), 2);
    CHECK_EQ(inherited->calls, 3);
    CHECK_EQ(added->calls, 3);
    unwatch(handles[0]);
    unwatch(handles[1]);
    CHECK_EQ(obv_object_deinit(&sum.cell.object), OBV_OK);
    free(inherited);
    free(added);
    stage_end();
}

/* What is read, and set, within a function ------------------------------------- */

static struct cell *read_by_handler;

static void read_b(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    (void)cell_b(read_by_handler);
}

static enum obv_status counts_up(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    cell_set_shared(cell, cell->shared + 1);
    *value += cell_b(cell);
    return OBV_OK;
}

TEST(LL_2_what_a_handler_reads_within_a_function_is_no_dependency)
{
    static const struct obv_handler_kind kind = {.changed = read_b,
                                                 .label = "reads"};
    const struct obv_observe_options immediate = {.size = sizeof immediate,
                                                  .flags = OBV_IMMEDIATE};
    stage_begin();
    struct cell *cell = cell_new(), *other = read_by_handler = cell_new();
    struct probe *probe = probe_new();
    const struct obv_pair pair = {&cell->object, "shared"};
    struct obv_observation *handle;
    cell->make_v = counts_up;
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &kind, probe, &immediate, &handle, NULL),
        OBV_OK);
    CHECK_EQ(cell_v(cell), 0);
    cell_set_b(other, 3);
    CHECK(obv_is_valid(&cell->object, CELL_V));
    cell_set_a(cell, 4);
    CHECK(!obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(cell_v(cell), 4);
    cell_set_b(cell, 2); /* which it has read behind the call */
    CHECK(!obv_is_valid(&cell->object, CELL_V));
    unwatch(handle);
    cell_drop(cell);
    cell_drop(other);
    free(probe);
    stage_end();
}

static void *compute_v(void *cell)
{
    (void)cell_v(cell);
    CHECK_EQ(obv_detail_reading, 1);
    return NULL;
}

TEST(getters_ask_while_something_is_computed_again_and_again)
{
    stage_begin();
    pthread_t thread;
    struct cell *cell = cell_new();
    cell->make_v = sum_of;
    CHECK_EQ(obv_detail_reading, 0);
    for (int i = 0; i < 3; i++) {
        cell_set_a(cell, i);
        CHECK_EQ(cell_v(cell), i);
        CHECK_EQ(obv_detail_reading, 1);
    }
    (void)cell_a(cell); /* outside of all that is computed */
    CHECK_EQ(obv_detail_reading, 0);
    cell_set_a(cell, 7);
    CHECK_EQ(cell_v(cell), 7);
    CHECK_EQ(obv_detail_reading, 1);
    (void)drained();
    CHECK_EQ(obv_detail_reading, 0);
    cell_set_a(cell, 8);
    CHECK(pthread_create(&thread, NULL, compute_v, cell) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQ(obv_detail_reading, 0);
    cell_drop(cell);
    stage_end();
}

static enum obv_status v_itself(struct cell *cell, int64_t *value)
{
    return obv_get_i64(&cell->object, CELL_W, value);
}

static bool sets_v;

static enum obv_status a_and_sets_v(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    if (sets_v) {
        sets_v = false;
        cell_set_v(cell, 100);
    }
    return OBV_OK;
}

TEST(LL_4_what_a_dependency_sets_while_it_is_checked_stands)
{
    for (int i = 0; i < 2; i++) {
        stage_begin();
        struct cell *cell = cell_new();
        cell->make_v = v_itself;
        cell->make_w = a_and_sets_v;
        CHECK_EQ(cell_v(cell), 0);
        cell_set_a(cell, 5);
        if (i) {
            CHECK_EQ(obv_invalidate(&cell->object, CELL_V), OBV_OK);
        }
        sets_v = true;
        CHECK_EQ(cell_v(cell), 100);
        CHECK(obv_is_valid(&cell->object, CELL_V));
        CHECK_EQ(stage.sets, i); /* its own function runs then */
        cell_set_a(cell, 6);
        CHECK_EQ(cell_v(cell), 6);
        cell_drop(cell);
        stage_end();
    }
}

/* Words of an object whose class has no hooks. */
struct bare {
    struct obv_object object;
    int32_t a;
    int64_t v, w, x;
};

OBV_PROPERTY(bare, a, i32, 0)
OBV_COMPUTED(bare, v, i64, 1)
OBV_COMPUTED(bare, w, i64, 2)
OBV_COMPUTED(bare, x, i64, 3)

static bool sets_a, sets_w;

static enum obv_status bare_word(struct obv_object *object,
                                 const struct obv_property *property,
                                 void *result)
{
    struct bare *bare = (struct bare *)object;
    int64_t value = property->name[0] == 'v'   ? bare_a(bare)
                    : property->name[0] == 'w' ? 10 * bare_v(bare)
                                               : bare_v(bare) + bare_w(bare);
    if (sets_w && property->name[0] == 'v') {
        sets_w = false;
        bare_set_w(bare, 100);
    }
    if (sets_a && property->name[0] == 'v') {
        sets_a = false;
        bare_set_a(bare, 7);
    }
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static void bare_init(struct bare *bare)
{
    static const struct obv_computed how = {.size = sizeof how,
                                            .evaluate = bare_word};
    static const struct obv_property lines[] = {
        OBV_FIELD(bare, a, i32), OBV_FIELD_COMPUTED(bare, v, i64, &how),
        OBV_FIELD_COMPUTED(bare, w, i64, &how),
        OBV_FIELD_COMPUTED(bare, x, i64, &how)};
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "bare",
                                                 .instance_size =
                                                     sizeof(struct bare),
                                                 .properties = lines,
                                                 .property_count = 4};
    struct obv_class *cls;
    CHECK_EQ(obv_class_create(stage.context, &table, &cls, NULL), OBV_OK);
    obv_object_init(&bare->object, cls);
}

TEST(LL_4_what_a_dependency_sets_stands_for_who_is_computed_next)
{
    struct bare bare = {.a = 1};
    stage_begin();
    bare_init(&bare);
    CHECK_EQ(bare_w(&bare), 10);
    bare_set_a(&bare, 2);
    sets_w = true;
    CHECK_EQ(bare_w(&bare), 100);
    bare_set_a(&bare, 3);
    CHECK_EQ(bare_w(&bare), 30);
    CHECK_EQ(obv_object_deinit(&bare.object), OBV_OK);
    stage_end();
}

TEST(LL_3_who_reads_what_sets_its_own_source_is_computed_again)
{
    struct bare bare = {.a = 1};
    stage_begin();
    bare_init(&bare);
    CHECK_EQ(bare_x(&bare), 11);
    bare_set_a(&bare, 2);
    CHECK_EQ(obv_invalidate(&bare.object, 3), OBV_OK);
    sets_a = true;
    CHECK_EQ(bare_x(&bare), 72);
    CHECK(!obv_is_valid(&bare.object, 3));
    CHECK_EQ(bare_x(&bare), 77);
    CHECK_EQ(obv_object_deinit(&bare.object), OBV_OK);
    stage_end();
}

TEST(LL_2_all_who_have_read_it_hear_of_another_word)
{
    struct bare bare = {.a = 1};
    stage_begin();
    bare_init(&bare);
    CHECK_EQ(bare_x(&bare), 11);
    bare_set_a(&bare, 2);
    CHECK_EQ(bare_w(&bare), 20);
    CHECK_EQ(bare_x(&bare), 22);
    bare_set_a(&bare, 3);
    CHECK_EQ(bare_v(&bare), 3);
    CHECK_EQ(bare_x(&bare), 33);
    CHECK_EQ(obv_object_deinit(&bare.object), OBV_OK);
    stage_end();
}

static struct cell *foreign;

static enum obv_status b_or_foreign(struct cell *cell, int64_t *value)
{
    *value = cell_b(cell) ? cell_b(cell) : cell_v(foreign);
    return OBV_OK;
}

TEST(LL_2_a_function_reads_what_is_of_another_context)
{
    struct obv_context *context;
    struct obv_class *cls;
    stage_begin();
    CHECK_EQ(obv_context_create(NULL, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &cell_table, &cls, NULL), OBV_OK);
    struct cell *cell = cell_new(), *other = foreign = calloc(1, sizeof *other);
    CHECK(other);
    other->references = 1;
    other->make_v = sum_of;
    other->make_w = twice_v;
    obv_object_init(&other->object, cls);
    cell->make_v = b_or_foreign;
    CHECK_EQ(cell_v(cell), 0);
    cell_set_a(other, 3);
    CHECK_EQ(cell_v(cell), 3);
    cell_set_b(cell, 1);
    CHECK_EQ(cell_v(cell), 1);
    cell_set_b(cell, 0);
    CHECK_EQ(cell_v(cell), 3);
    cell_drop(other);
    cell_set_b(cell, 2);
    CHECK_EQ(cell_v(cell), 2);
    cell_drop(cell);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    stage_end();
}

/* A property that is invalid has more observers than a work list has room for. */
static void call_many_with_a_refusal(size_t n, bool all, bool *refused)
{
    enum { MANY = 40 };
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    struct obv_observation *handles[2 * MANY] = {0};
    struct probe *of_a = probe_new(), *of_v = probe_new();
    stage_begin();
    struct cell *cell = cell_new();
    const struct obv_pair a = {&cell->object, "a"},
                          v_too = {&cell->object, "v"};
    for (size_t i = 0; i < MANY; i++) {
        CHECK_EQ(obv_observe_pairs(&a, 1, &probe_kind, of_a, &options,
                                   &handles[i], NULL),
                 OBV_OK);
        CHECK_EQ(obv_observe_pairs(&v_too, 1, &probe_kind, of_v, &options,
                                   &handles[MANY + i], NULL),
                 OBV_OK);
    }
    test_fail_allocation(n, all);
    cell_set_a(cell, 1);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK_EQ(of_a->calls, MANY);
    CHECK_EQ(of_v->calls, MANY);
    for (size_t i = 0; i < 2 * MANY; i++) {
        unwatch(handles[i]);
    }
    cell_drop(cell);
    stage_end();
    free(of_a);
    free(of_v);
}

TEST(FA_1_a_failed_allocation_while_many_are_told_of_what_is_computed)
{
    refuse_each(call_many_with_a_refusal);
}

static struct obv_observation *to_stop;

static enum obv_status stops_its_path(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    CHECK_EQ(obv_stop_path(to_stop, &cell->object, "v", NULL), OBV_OK);
    return OBV_OK;
}

TEST(LL_5_ST_4_a_function_stops_the_path_that_waits_for_it)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    struct probe *probe = probe_new();
    const struct obv_pair pairs[] = {{&cell->object, "v"},
                                     {&other->object, "a"}};
    CHECK_EQ(
        obv_observe_pairs(pairs, 2, &probe_kind, probe, NULL, &to_stop, NULL),
        OBV_OK);
    cell_set_a(cell, 1);
    cell->make_v = stops_its_path;
    CHECK_EQ(cell_v(cell), 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe->calls, 1);
    cell->make_v = sum_of;
    cell_set_a(cell, 2);
    CHECK_EQ(drained(), 0);
    unwatch(to_stop);
    cell_drop(cell);
    cell_drop(other);
    free(probe);
    stage_end();
}

static enum obv_status ends_its_object(struct cell *cell, int64_t *value)
{
    (void)cell_a(cell);
    (void)cell_w(thrown_away);
    CHECK_EQ(obv_object_deinit(&cell->object), OBV_OK);
    *value = cell_v(thrown_away) + 1;
    return OBV_OK;
}

static enum obv_status after_the_other(struct cell *cell, int64_t *value)
{
    (void)cell;
    return obv_get_i64(&owner_of_thrown->object, CELL_V, value);
}

TEST(LL_3_a_function_may_end_its_object_without_references)
{
    struct obv_class_table table = cell_table;
    struct obv_class *cls;
    table.name = "cell without references";
    table.retain = NULL;
    table.release = NULL;
    for (int i = 0; i < 2; i++) {
        int64_t value = -1;
        stage_begin();
        struct cell *source = cell_new(), *reader = cell_new();
        struct cell *cell = cell_new();
        CHECK_EQ(obv_class_create(stage.context, &table, &cls, NULL), OBV_OK);
        obv_object_init(&cell->object, cls);
        thrown_away = source;
        owner_of_thrown = cell;
        reader->make_v = after_the_other;
        CHECK_EQ(cell_v(reader), 0);
        cell->make_v = ends_its_object;
        cell_set_a(cell, 1);
        /* It is read, or is checked. */
        struct cell *read = i ? reader : cell;
        CHECK_EQ(obv_get_i64(&read->object, CELL_V, &value), OBV_E_ENDED);
        CHECK_EQ(obv_object_deinit(&cell->object), OBV_E_ENDED);
        /* Nothing is told to what was. */
        cell_set_a(source, 5);
        CHECK_EQ(cell_v(source), 5);
        thrown_away = NULL;
        free(cell);
        cell_drop(reader);
        cell_drop(source);
        stage_end();
    }
}

/* Bytes need no alignment. */
struct tag {
    struct obv_object object;
    int64_t a;
    char before;
    unsigned char id[8];
};

OBV_PROPERTY(tag, a, i64, 0)
OBV_COMPUTED(tag, id, bytes, 1)

static enum obv_status make_id(struct obv_object *object,
                               const struct obv_property *property,
                               void *result)
{
    memset(result, (int)tag_a((struct tag *)(void *)object), property->size);
    return OBV_OK;
}

static const struct obv_computed tag_computed = {.size = sizeof tag_computed,
                                                 .evaluate = make_id};
static const struct obv_property tag_lines[] = {
    OBV_FIELD(tag, a, i64), OBV_FIELD_COMPUTED(tag, id, bytes, &tag_computed)};
static const struct obv_class_table tag_table = {.size = sizeof tag_table,
                                                 .name = "tag",
                                                 .instance_size =
                                                     sizeof(struct tag),
                                                 .properties = tag_lines,
                                                 .property_count = 2};

TEST(LL_2_bytes_are_computed_wherever_they_lie)
{
    struct obv_class *cls;
    struct tag tag = {.before = 7};
    stage_begin();
    CHECK_EQ(obv_class_create(stage.context, &tag_table, &cls, NULL), OBV_OK);
    obv_object_init(&tag.object, cls);
    CHECK(offsetof(struct tag, id) % 2 == 1);
    for (int i = 1; i < 4; i++) {
        tag_set_a(&tag, i);
        CHECK_EQ(((const unsigned char *)tag_id(&tag))[7], i);
    }
    CHECK_EQ(tag.before, 7);
    CHECK_EQ(obv_object_deinit(&tag.object), OBV_OK);
    stage_end();
}

/* Of one thread: no class of it has a property for any. */
static struct obv_context *lone_context(void)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    struct obv_context *context;
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    return context;
}

static bool hold_living(void *observer)
{
    return ((struct probe *)observer)->calls != SIZE_MAX;
}

static void let_living_go(void *observer)
{
    (void)observer;
}

static bool has_gone(void *observer)
{
    return !hold_living(observer);
}

TEST(LL_5_LT_3_a_gone_observer_takes_no_call_along)
{
    static const struct obv_handler_kind kind = {.changed = count_call,
                                                 .retain = hold_living,
                                                 .release = let_living_go,
                                                 .gone = has_gone,
                                                 .label = "mortal"};
    struct obv_context *context = lone_context();
    struct obv_class *cls;
    struct tag tag = {.before = 7};
    struct probe probe = {0}, mortal = {0};
    struct obv_loop *loop = obv_context_loop(context);
    CHECK_EQ(obv_class_create(context, &tag_table, &cls, NULL), OBV_OK);
    obv_object_init(&tag.object, cls);
    CHECK_EQ(obv_observe(&tag.object, "id", &kind, &mortal, NULL, NULL),
             OBV_OK);
    tag_set_a(&tag, 3);
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK_EQ(obv_observe(&tag.object, "id", &probe_kind, &probe, NULL, NULL),
             OBV_OK);
    mortal.calls = SIZE_MAX;
    tag_set_a(&tag, 5);
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK_EQ(probe.calls, 1);
    CHECK_EQ(obv_object_deinit(&tag.object), OBV_OK);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

/* A shelf holds a crate, which leads to a leaf by a computed property alone. */
struct leaf {
    struct obv_object object;
    int64_t i;
};

struct crate {
    struct obv_object object;
    struct leaf *leaf, *pick;
};

struct shelf {
    struct obv_object object;
    struct crate *crate;
};

OBV_PROPERTY(leaf, i, i64, 0)
OBV_PROPERTY(crate, leaf, object, 0)
OBV_COMPUTED(crate, pick, object, 1)
OBV_PROPERTY(shelf, crate, object, 0)

static enum obv_status make_leaf(struct obv_object *object,
                                 const struct obv_property *property,
                                 void *result)
{
    struct leaf *leaf = crate_leaf((struct crate *)(void *)object);
    (void)property;
    memcpy(result, &leaf, sizeof leaf);
    return OBV_OK;
}

static const struct obv_computed crate_computed = {
    .size = sizeof crate_computed, .evaluate = make_leaf};
static const struct obv_property leaf_lines[] = {OBV_FIELD(leaf, i, i64)};
static const struct obv_property crate_lines[] = {
    OBV_FIELD_OBJECT(crate, leaf, "leaf"),
    OBV_FIELD_COMPUTED(crate, pick, object, &crate_computed)};
static const struct obv_property shelf_lines[] = {
    OBV_FIELD_OBJECT(shelf, crate, "crate")};

static struct obv_class *new_class(struct obv_context *context,
                                   const char *name, size_t size,
                                   const struct obv_property *lines,
                                   size_t count)
{
    const struct obv_class_table table = {.size = sizeof table,
                                          .name = name,
                                          .instance_size = size,
                                          .properties = lines,
                                          .property_count = (uint32_t)count};
    struct obv_class *cls;
    CHECK_EQ(obv_class_create(context, &table, &cls, NULL), OBV_OK);
    return cls;
}

/* Where neither end of the path computes anything. */
static void go_there_and_back(bool from_shelf)
{
    struct obv_context *context = lone_context();
    struct probe probe = {0};
    struct leaf leaf = {.i = 1};
    struct crate crate = {.leaf = NULL};
    struct shelf shelf = {.crate = &crate};
    struct obv_loop *loop = obv_context_loop(context);
    obv_object_init(&leaf.object,
                    new_class(context, "leaf", sizeof leaf, leaf_lines, 1));
    obv_object_init(&crate.object,
                    new_class(context, "crate", sizeof crate, crate_lines, 2));
    obv_object_init(&shelf.object,
                    new_class(context, "shelf", sizeof shelf, shelf_lines, 1));
    CHECK_EQ(from_shelf ? obv_observe(&shelf.object, "crate.pick.i",
                                      &probe_kind, &probe, NULL, NULL)
                        : obv_observe(&crate.object, "pick.i", &probe_kind,
                                      &probe, NULL, NULL),
             OBV_OK);
    crate_set_leaf(&crate, &leaf);
    CHECK(crate_pick(&crate) == &leaf);
    leaf_set_i(&leaf, 2);
    crate_set_leaf(&crate, NULL);
    CHECK_EQ(obv_loop_drain(loop), 0);
    CHECK_EQ(probe.calls, 0);
    crate_set_leaf(&crate, &leaf);
    CHECK_EQ(obv_loop_drain(loop), 1);
    leaf_set_i(&leaf, 3);
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK_EQ(obv_object_deinit(&shelf.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&crate.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&leaf.object), OBV_OK);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

TEST(LL_5_a_set_that_a_read_alone_has_led_to_is_no_change)
{
    go_there_and_back(false);
    go_there_and_back(true);
}

static enum obv_kind told_old;

static void note_a(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    note_v(observer, root, call);
    told_old = call->old->kind;
}

/* Where other threads may evaluate it, a set below nil is told at once. */
TEST(LL_5_OB_2_old_is_from_before_a_read_has_led_on)
{
    static const struct obv_handler_kind kind = {.changed = note_a,
                                                 .label = "notes a"};
    const struct obv_observe_options values = {.size = sizeof values,
                                               .flags = OBV_VALUES};
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    struct probe *probe = probe_new();
    struct obv_observation *handle;
    const struct obv_pair pair = {&cell->object, "next.a"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, probe, &values, &handle, NULL),
             OBV_OK);
    cell_set_other(cell, other);
    CHECK(cell_next(cell) == other);
    cell_set_a(other, 5);
    CHECK_EQ(obv_loop_drain(obv_context_loop(stage.context)), 1);
    CHECK_EQ(told_v, 5);
    CHECK_EQ(told_old, OBV_KIND_unreachable);
    unwatch(handle);
    free(probe);
    cell_drop(cell);
    cell_drop(other);
    stage_end();
}

static int64_t apart;

static void read_b_apart(void *cell)
{
    apart = cell_b(cell);
}

static enum obv_status a_and_b_apart(struct cell *cell, int64_t *value)
{
    obv_untracked(read_b_apart, cell);
    *value = cell_a(cell) + apart;
    return OBV_OK;
}

TEST(LL_2_what_is_read_untracked_is_no_dependency)
{
    stage_begin();
    struct cell *cell = cell_new();
    cell->make_v = a_and_b_apart;
    cell_set_a(cell, 1);
    cell_set_b(cell, 2);
    CHECK_EQ(cell_v(cell), 3);
    cell_set_b(cell, 3);
    CHECK(obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(cell_v(cell), 3);
    cell_set_a(cell, 4); /* what it reads afterwards is one again */
    CHECK_EQ(cell_v(cell), 7);
    cell_drop(cell);
    stage_end();
}

static void read_w_apart(void *cell)
{
    apart = cell_w(cell);
}

static enum obv_status w_apart(struct cell *cell, int64_t *value)
{
    obv_untracked(read_w_apart, cell);
    *value = apart;
    return OBV_OK;
}

static enum obv_status a_as_w(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell);
    return OBV_OK;
}

/* What is computed meanwhile depends on what it reads itself. */
TEST(LL_2_what_untracked_reads_compute_is_tracked)
{
    stage_begin();
    struct cell *cell = cell_new();
    cell->make_v = w_apart;
    cell->make_w = a_as_w;
    cell_set_a(cell, 1);
    CHECK_EQ(cell_v(cell), 1);
    cell_set_a(cell, 2);
    CHECK(obv_is_valid(&cell->object, CELL_V));
    CHECK(!obv_is_valid(&cell->object, CELL_W));
    CHECK_EQ(cell_v(cell), 1);
    CHECK_EQ(cell_w(cell), 2);
    obv_untracked(read_w_apart, cell); /* where nobody computes it is a call */
    CHECK_EQ(apart, 2);
    cell_drop(cell);
    stage_end();
}

/* `w` has read the other one's `v` when its own `v` sets what that depends on. */
static enum obv_status others_then_own(struct cell *cell, int64_t *value)
{
    *value = cell_v(cell->other);
    (void)cell_v(cell);
    return OBV_OK;
}

static enum obv_status b_of_it(struct cell *cell, int64_t *value)
{
    *value = cell_b(cell);
    return OBV_OK;
}

static enum obv_status sets_others_b(struct cell *cell, int64_t *value)
{
    cell_set_b(cell->other, cell_a(cell));
    *value = 0;
    return OBV_OK;
}

TEST(LL_3_what_a_source_sets_as_it_is_checked_is_checked_again)
{
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    cell->make_v = sets_others_b;
    cell->make_w = others_then_own;
    other->make_v = b_of_it;
    cell_set_other(cell, other);
    (void)cell_w(cell);
    CHECK_EQ(cell_w(cell), 0);
    cell_set_a(cell, 2);
    CHECK_EQ(cell_w(cell), 2);
    CHECK(obv_is_valid(&cell->object, CELL_W));
    cell_set_other(cell, NULL);
    cell_drop(cell);
    cell_drop(other);
    stage_end();
}

TEST(LL_2_who_observes_what_was_read_hears_of_a_set_behind_who_has_read_it)
{
    stage_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    cell->make_v = b_of_it;
    (void)cell_v(cell);
    struct obv_observation *handle = watch(cell, "b", probe);
    cell_set_b(cell, 2);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(cell_v(cell), 2);
    cell_set_b(cell, 2);
    CHECK_EQ(drained(), 0);
    unwatch(handle);
    cell_set_b(cell, 3);
    CHECK_EQ(cell_v(cell), 3);
    cell_drop(cell);
    free(probe);
    stage_end();
}
