/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties that change what they depend on while they are checked,
 * or while what they depend on is told: by a property of any thread that comes
 * in, by handlers that compute, by short memory.
 */
#include "computed/cell.h"

enum { READERS = 6 };

/* Nothing of any thread, until `b` is set. */
static enum obv_status shared_if_b(struct cell *cell, int64_t *value)
{
    *value = cell_b(cell) ? cell_shared(cell) : 0;
    return OBV_OK;
}

static enum obv_status v_of_itself(struct cell *cell, int64_t *value)
{
    *value = cell_v(cell);
    return OBV_OK;
}

static enum obv_status a_and_v(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell) * 100 + cell_v(cell);
    return OBV_OK;
}

static enum obv_status shared_of_itself(struct cell *cell, int64_t *value)
{
    *value = cell_shared(cell);
    return OBV_OK;
}

/* Past the accessors: a dependency by declaration alone. */
static enum obv_status shared_of_other(struct cell *cell, int64_t *value)
{
    *value = cell->other->shared;
    return OBV_OK;
}

static enum obv_status a_of_other_unread(struct cell *cell, int64_t *value)
{
    *value = cell->other->a;
    return OBV_OK;
}

static enum obv_status a_of_other(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell->other);
    return OBV_OK;
}

static struct cell *cell_with(struct cell *other)
{
    struct cell *cell = cell_new();
    cell->other = other;
    other->references++;
    return cell;
}

TEST(LL_8_a_source_that_stays_equal_turns_to_any_thread)
{
    stage_begin();
    struct cell *cell = cell_new();
    cell->make_v = shared_if_b;
    cell->make_w = v_of_itself;
    CHECK_EQ(cell_w(cell), 0);
    cell_set_b(cell, 1);
    CHECK_EQ(cell_w(cell), 0);
    cell_set_shared(cell, 5);
    CHECK_EQ(cell_w(cell), 5);
    cell_drop(cell);
    stage_end();
}

TEST(LL_8_a_source_that_is_read_again_turns_to_any_thread)
{
    stage_begin();
    struct cell *cell = cell_new();
    cell->make_v = shared_if_b;
    cell->make_w = a_and_v;
    CHECK_EQ(cell_w(cell), 0);
    cell_set_shared(cell, 3);
    cell_set_a(cell, 1);
    cell_set_b(cell, 1);
    CHECK_EQ(cell_w(cell), 103);
    cell_set_shared(cell, 5);
    CHECK_EQ(cell_w(cell), 105);
    cell_drop(cell);
    stage_end();
}

static void declare_before(bool is_before)
{
    stage_begin();
    struct cell *other = cell_new(), *cell = cell_with(other);
    other->make_v = shared_of_itself;
    cell->make_v = shared_of_other;
    if (!is_before) {
        CHECK_EQ(cell_v(cell), 0);
    }
    CHECK_EQ(obv_depend_on(&cell->object, CELL_V, &other->object, "v", NULL),
             OBV_OK);
    CHECK_EQ(cell_v(cell), 0);
    cell_set_shared(other, 5);
    CHECK_EQ(cell_v(cell), 5);
    cell_drop(cell);
    cell_drop(other);
    stage_end();
}

TEST(LL_8_what_is_declared_alone_turns_to_any_thread)
{
    declare_before(true);
    declare_before(false);
}

static struct cell *edited;

static void compute_edited(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    (void)root;
    (void)call;
    (void)cell_v(edited);
    ((struct probe *)observer)->calls++;
}

static struct obv_observation *observe_with(struct cell *cell, const char *path,
                                            const struct obv_handler_kind *kind,
                                            struct probe *probe, uint32_t flags)
{
    struct obv_observation *handle = NULL;
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    const struct obv_pair pair = {&cell->object, path};
    CHECK_EQ(obv_observe_pairs(&pair, 1, kind, probe, &options, &handle, NULL),
             OBV_OK);
    return handle;
}

/* The first handler hangs the edges of what it computes behind the second. */
TEST(RE_1_a_handler_computes_from_what_was_edited)
{
    static const struct obv_handler_kind computes = {.changed = compute_edited,
                                                     .label = "computes"};
    struct probe *probes[2];
    struct obv_observation *handles[2];
    stage_begin();
    edited = cell_new();
    for (size_t i = 0; i < 2; i++) {
        probes[i] = probe_new();
        handles[i] =
            observe_with(edited, "a", &computes, probes[i], OBV_IMMEDIATE);
    }
    cell_set_a(edited, 1);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(probes[i]->calls, 1);
        unwatch(handles[i]);
        free(probes[i]);
    }
    cell_drop(edited);
    stage_end();
}

TEST(FA_2_what_stays_declared_is_followed_where_memory_is_short)
{
    struct cell *readers[READERS];
    stage_begin();
    struct cell *left = cell_new(), *stays = cell_new();
    struct cell *cell = cell_with(stays);
    cell->make_v = a_of_other_unread;
    CHECK_EQ(obv_depend_on(&cell->object, CELL_V, &stays->object, "a", NULL),
             OBV_OK);
    CHECK_EQ(obv_depend_on(&cell->object, CELL_V, &left->object, "a", NULL),
             OBV_OK);
    CHECK_EQ(cell_v(cell), 0);
    for (size_t i = 0; i < READERS; i++) {
        readers[i] = cell_with(stays);
        readers[i]->make_v = a_of_other;
        CHECK_EQ(cell_v(readers[i]), 0);
    }
    test_fail_allocation(1, true);
    (void)obv_depend_no_more(&cell->object, CELL_V, &left->object, "a", NULL);
    CHECK(test_allocation_failed());
    test_fail_allocation(0, false);
    cell_set_a(stays, 5);
    CHECK_EQ(cell_v(cell), 5);
    for (size_t i = 0; i < READERS; i++) {
        cell_drop(readers[i]);
    }
    cell_drop(cell);
    cell_drop(left);
    cell_drop(stays);
    stage_end();
}

static size_t sums;

/* Sets what another source of the reader depends on, which stays equal. */
static enum obv_status set_b_of_edited(struct cell *cell, int64_t *value)
{
    (void)cell_a(cell);
    cell_set_b(edited, edited->b + 1);
    *value = 0;
    return OBV_OK;
}

static enum obv_status always_one(struct cell *cell, int64_t *value)
{
    (void)cell_b(cell);
    *value = 1;
    return OBV_OK;
}

static enum obv_status sum_of_both(struct cell *cell, int64_t *value)
{
    sums++;
    *value = cell_v(cell->other) + cell_v(edited);
    return OBV_OK;
}

TEST(LL_3_a_source_that_is_marked_during_the_check_and_stays_equal)
{
    stage_begin();
    struct cell *other = cell_new(), *cell = cell_with(other);
    edited = cell_new();
    other->make_v = set_b_of_edited;
    edited->make_v = always_one;
    cell->make_w = sum_of_both;
    (void)cell_w(cell);
    (void)cell_w(cell);
    size_t before = sums;
    cell_set_a(other, 1);
    (void)cell_w(cell);
    CHECK_EQ(sums, before);
    cell_drop(cell);
    cell_drop(other);
    cell_drop(edited);
    stage_end();
}

/* An object that nothing can hold. */
struct loose {
    struct obv_object object;
    int64_t number, twice;
    struct loose *next;
};

enum { LOOSE_NUMBER, LOOSE_TWICE, LOOSE_NEXT };

OBV_PROPERTY(loose, number, i64, LOOSE_NUMBER)
OBV_COMPUTED(loose, twice, i64, LOOSE_TWICE)
OBV_PROPERTY(loose, next, object, LOOSE_NEXT)

static struct {
    struct loose root, other, below;
    struct obv_observation *handle;
    bool is_to_stop, is_to_end;
    bool has_ended;
    size_t calls_of_ended;
} loose;

static void end_root(void)
{
    if (loose.is_to_stop) {
        obv_stop(loose.handle);
    }
    if (loose.is_to_end) {
        CHECK_EQ(obv_object_deinit(&loose.root.object), OBV_OK);
        loose.has_ended = true;
    }
    loose.is_to_stop = loose.is_to_end = false;
}

static enum obv_status twice_number(struct obv_object *object,
                                    const struct obv_property *property,
                                    void *result)
{
    int64_t value = 2 * loose_number((struct loose *)object);
    (void)property;
    memcpy(result, &value, sizeof value);
    end_root();
    return OBV_OK;
}

static void note_loose(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)observer;
    (void)call;
    loose.calls_of_ended += root == &loose.root.object && loose.has_ended;
}

static bool retain_any(void *observer)
{
    (void)observer;
    return true;
}

static void release_any(void *observer)
{
    (void)observer;
}

static void end_while_asked(struct obv_class *cls, size_t pairs, uint32_t flags,
                            bool is_to_stop)
{
    static const struct obv_handler_kind kind = {
        .changed = note_loose, .retain = retain_any, .release = release_any};
    const struct obv_pair both[] = {{&loose.root.object, "next.twice"},
                                    {&loose.other.object, "number"}};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    memset(&loose, 0, sizeof loose);
    obv_object_init(&loose.root.object, cls);
    obv_object_init(&loose.other.object, cls);
    obv_object_init(&loose.below.object, cls);
    loose_set_next(&loose.root, &loose.below);
    CHECK_EQ(obv_observe_pairs(both, pairs, &kind, &loose, &options,
                               &loose.handle, NULL),
             OBV_OK);
    loose_set_number(&loose.below, 1);
    loose.is_to_stop = is_to_stop;
    loose.is_to_end = true;
    (void)obv_loop_drain(obv_context_loop(stage.context));
    CHECK(loose.has_ended);
    CHECK_EQ(loose.calls_of_ended, 0);
    obv_stop(loose.handle);
    obv_release(loose.handle);
    (void)obv_loop_drain(obv_context_loop(stage.context));
    CHECK_EQ(obv_object_deinit(&loose.other.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&loose.below.object), OBV_OK);
}

/* The drain asks what is computed for the call, and that ends the root. */
TEST(LT_8_a_root_that_ends_while_a_drain_asks_is_handed_to_nobody)
{
    static const struct obv_computed computed = {.size = sizeof computed,
                                                 .evaluate = twice_number};
    static const struct obv_property properties[] = {
        [LOOSE_NUMBER] = OBV_FIELD(loose, number, i64),
        [LOOSE_TWICE] = OBV_FIELD_COMPUTED(loose, twice, i64, &computed),
        [LOOSE_NEXT] = OBV_FIELD_OBJECT(loose, next, "loose")};
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "loose",
                                                 .instance_size =
                                                     sizeof(struct loose),
                                                 .properties = properties,
                                                 .property_count = 3};
    struct obv_class *cls;
    stage_begin();
    CHECK_EQ(obv_class_create(stage.context, &table, &cls, NULL), OBV_OK);
    for (int is_to_stop = 0; is_to_stop < 2; is_to_stop++) {
        end_while_asked(cls, 1, 0, is_to_stop);
        end_while_asked(cls, 1, OBV_EXTENSIBLE, is_to_stop);
        end_while_asked(cls, 2, 0, is_to_stop);
    }
    stage_end();
}

/* Records of pairs that are taken back ------------------------------------- */

static struct cell *changed_meanwhile;

static void change_meanwhile(void)
{
    cell_set_a(changed_meanwhile, 5);
    test_fail_allocation(1, true);
}

struct kept_record {
    size_t count, calls;
    struct obv_record_entry entries[3]; /* with no texts */
};

static void keep_record(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct kept_record *kept = observer;
    (void)root;
    kept->calls++;
    kept->count = call->record->count;
    for (size_t i = 0; i < kept->count && i < 3; i++) {
        kept->entries[i] = call->record->entries[i];
        CHECK_TEXT(kept->entries[i].path,
                   kept->entries[i].last.as.i64 == 5 ? "a" : "b");
    }
}

/* Another pair of the call computes, and sets the end of one: the change is told,
   and is none of the pair that has the number after it. */
TEST(DR_13_a_change_of_a_pair_that_is_taken_back_is_not_the_next_ones)
{
    static const struct obv_handler_kind kind = {.changed = keep_record};
    stage_begin();
    struct kept_record kept = {.count = 0};
    struct cell *root = cell_new(), *other = cell_new();
    struct obv_observation *handle = NULL;
    const struct obv_observe_options options = {
        .size = sizeof options, .flags = OBV_EXTENSIBLE | OBV_RECORDS};
    const struct obv_pair first = {&root->object, "shared"},
                          last = {&root->object, "b"};
    const struct obv_pair refused[] = {{&other->object, "a"},
                                       {&root->object, "next"},
                                       {&root->object, "next.a"}};
    CHECK_EQ(
        obv_observe_pairs(&first, 1, &kind, &kept, &options, &handle, NULL),
        OBV_OK);
    changed_meanwhile = other;
    in_next = change_meanwhile;
    CHECK_EQ(obv_observe_also(handle, refused, 3, NULL), OBV_E_MEMORY);
    CHECK(test_allocation_failed());
    test_fail_allocation(0, false);
    in_next = NULL;
    CHECK_EQ(other->a, 5);
    CHECK_EQ(obv_observe_also(handle, &last, 1, NULL), OBV_OK);
    cell_set_b(root, 7);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(kept.calls, 1);
    CHECK_EQ(kept.count, 2);
    CHECK_EQ(kept.entries[1].index, 1);
    CHECK_EQ(kept.entries[1].first.as.i64, 0);
    CHECK_EQ(kept.entries[1].last.as.i64, 7);
    CHECK_EQ(kept.entries[1].changes, 1);
    CHECK(obv_stop_and_wait(handle));
    obv_release(handle);
    cell_drop(root);
    cell_drop(other);
    stage_end();
}

/* The value that an observer was told last, and the stamp of its change. */
struct told_at {
    int64_t value;
    uint64_t stamp;
};

static void keep_stamp(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    struct told_at *told = observer;
    (void)root;
    told->value = call->now->as.i64;
    told->stamp = call->cause->stamp;
}

static struct obv_observation *watch_values(struct cell *cell, const char *path,
                                            struct told_at *told)
{
    static const struct obv_handler_kind kind = {.changed = keep_stamp};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_VALUES};
    const struct obv_pair pair = {&cell->object, path};
    struct obv_observation *handle = NULL;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, told, &options, &handle, NULL),
             OBV_OK);
    return handle;
}

/* The value was yet to be computed as the way led there. */
TEST(DR_13_a_value_that_is_read_at_the_call_has_the_stamp_of_its_change)
{
    struct told_at behind, own, set, later;
    stage_begin();
    struct cell *cell = cell_new(), *other = cell_new();
    struct obv_observation *handles[] = {
        watch_values(cell, "next.v", &behind), watch_values(cell, "v", &own),
        watch_values(cell, "b", &set), watch_values(other, "a", &later)};
    cell_set_other(cell, cell);
    cell_set_a(cell, 1);
    (void)cell_next(cell);
    cell_set_b(cell, 2);
    cell_set_a(other, 1);
    CHECK_EQ(drained(), 4);
    CHECK_EQ(behind.value, 3);
    CHECK_EQ(own.value, 3);
    CHECK_EQ(own.stamp, set.stamp);
    CHECK_EQ(behind.stamp, set.stamp);
    CHECK(behind.stamp < later.stamp);
    for (size_t i = 0; i < 4; i++) {
        unwatch(handles[i]);
    }
    cell_set_other(cell, NULL);
    (void)drained();
    (void)cell_next(cell);
    cell_drop(cell);
    cell_drop(other);
    stage_end();
}
