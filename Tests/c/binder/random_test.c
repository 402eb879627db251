/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random binders beside a naive model of them: the same values and the same calls
 * of functions after each step, one way and both, over paths that move, over two
 * loops, in batches. The model walks every path anew at each set, and has one
 * queue of pending calls a loop.
 */
#define _POSIX_C_SOURCE 200809L

#include "contract_fixture.h"
#include "dispatch/change_records.h"

#if defined(__SANITIZE_THREAD__)
enum { ROUNDS = 100 }; /* it has one thread */
#else
enum { ROUNDS = 300 };
#endif

enum {
    ITEMS = 5,
    BINDERS = 7,
    LOOPS = 2,
    LONGEST = 2, /* times `next` in a path */
    STEPS = 300,
    SETTLED = 10000 /* drains at most until nothing is pending */
};

static const char *const paths[LONGEST + 1] = {"large", "next.large",
                                               "next.next.large"};

enum { SOURCE, TARGET, BOUNDS };
enum { AS_IT_IS, ADDED, ROUNDED, FUNCTIONS };

/* One observation of a binder. */
struct bound {
    bool is_observed, is_pending, was_called;
    unsigned root, length; /* times `next` */
    unsigned loop;
    uint64_t registered, due;
    uint64_t last, given; /* stamps of what it was told of */
    uint64_t moved;       /* of what has moved its path */
    uint64_t carried;     /* to it */
    uint64_t stamp;       /* of what is pending */
    bool has_value;
    int64_t value;
};

struct model {
    bool is_bound, is_two_way;
    unsigned function;
    struct bound bounds[BOUNDS];
    bool has_last;
    int64_t last;
    uint64_t newest; /* its stamp */
    size_t calls;
};

struct real {
    struct obv_binder *binder;
    unsigned function;
    size_t calls;
};

static struct {
    struct fixture fixture;
    struct obv_loop *loops[LOOPS];
    struct item *items[ITEMS];
    struct real reals[BINDERS];
    bool is_plain; /* two ways, without functions */
    /* The model. */
    int64_t values[ITEMS];
    int next[ITEMS]; /* -1: none */
    struct model models[BINDERS];
    uint64_t stamps, order;
} world;

static unsigned below(unsigned count)
{
    return (unsigned)(test_random() % count);
}

static int64_t apply(unsigned function, int64_t value)
{
    return function == ADDED     ? (value + 1) % 1000
           : function == ROUNDED ? value / 10 * 10
                                 : value;
}

/* The model ---------------------------------------------------------------- */

static uint64_t next_stamp(void)
{
    return world.stamps += OBV__STAMP_STEP;
}

static struct bound *bound_at(unsigned number)
{
    return &world.models[number / BOUNDS].bounds[number % BOUNDS];
}

/* The object whose property it is, or -1. */
static int walk(const struct bound *bound)
{
    int at = (int)bound->root;
    for (unsigned i = 0; at >= 0 && i < bound->length; i++) {
        at = world.next[at];
    }
    return at;
}

/* What is there to be told: of a way the object itself. `given`: the stamp of the
   set, `stamp`: the one that all are told. */
static void tell(struct bound *bound, int at, bool is_moved, uint64_t given,
                 uint64_t stamp)
{
    bound->moved = is_moved ? stamp : bound->moved;
    bound->given = is_moved || given == bound->moved ? stamp : given;
    bound->last = stamp > bound->last ? stamp : bound->last;
    bound->has_value = at >= 0;
    bound->value = at >= 0 ? world.values[at] : 0;
    bound->stamp =
        bound->is_pending && bound->stamp > stamp ? bound->stamp : stamp;
    if (!bound->is_pending) {
        bound->is_pending = true;
        bound->due = world.order;
    }
}

static bool is_told(const struct bound *bound, int at)
{
    return bound->is_observed && walk(bound) == at;
}

/* Right behind all that was told, if it was set before that, or before they came to
   lead there. */
static uint64_t told_stamp(int at, uint64_t stamp)
{
    uint64_t newest = 0;
    for (unsigned i = 0; i < BINDERS * BOUNDS; i++) {
        const struct bound *bound = bound_at(i);
        uint64_t last = bound->last > bound->moved ? bound->last : bound->moved;
        if (is_told(bound, at) && last > newest &&
            (stamp <= bound->moved ||
             stamp / OBV__STAMP_STEP < bound->last / OBV__STAMP_STEP)) {
            newest = last;
        }
    }
    return newest != 0 ? (newest / OBV__STAMP_ROOM + 1) * OBV__STAMP_ROOM +
                             stamp / OBV__STAMP_STEP % OBV__STAMP_ROOM
                       : stamp;
}

/* Whoever is told of one change is due, in the order of registration. */
static void naive_set(int at, int64_t value, uint64_t stamp)
{
    uint64_t told = told_stamp(at, stamp);
    world.values[at] = value;
    world.order++;
    for (unsigned i = 0; i < BINDERS * BOUNDS; i++) {
        struct bound *bound = bound_at(i);
        if (is_told(bound, at)) {
            tell(bound, at, false, stamp, told);
        }
    }
}

static void naive_move(unsigned at, int next)
{
    int before[BINDERS * BOUNDS];
    uint64_t stamp = next_stamp();
    for (unsigned i = 0; i < BINDERS * BOUNDS; i++) {
        before[i] = walk(bound_at(i));
    }
    world.next[at] = next;
    world.order++;
    for (unsigned i = 0; i < BINDERS * BOUNDS; i++) {
        struct bound *bound = bound_at(i);
        if (bound->is_observed && before[i] != walk(bound)) {
            tell(bound, walk(bound), true, stamp, stamp);
        }
    }
}

/* Whether it has not been set since its path leads elsewhere. */
static bool has_moved(const struct bound *bound)
{
    return bound->moved == bound->given;
}

static bool naive_decide(const struct model *model, int to, uint64_t stamp)
{
    const struct bound *bound = &model->bounds[to];
    uint64_t held = bound->last;
    if (!model->is_two_way && bound->length > 0) {
        held = has_moved(bound) ? 0 : bound->given;
    }
    return held < stamp || (held == stamp && has_moved(bound) && to == TARGET);
}

static void naive_carry(struct model *model, int to, bool has_value,
                        int64_t value, uint64_t stamp)
{
    struct bound *bound = &model->bounds[to];
    int at = walk(bound);
    if (to == TARGET) {
        model->has_last = has_value;
        model->last = value;
        model->newest = stamp;
    }
    if (!naive_decide(model, to, stamp)) {
        return;
    }
    bound->carried = stamp;
    if (to == TARGET && model->function != AS_IT_IS) {
        model->calls++;
        value = apply(model->function, value);
    }
    if (has_value && at >= 0) {
        naive_set(at, value, stamp);
    }
}

static void naive_call(struct model *model, int end)
{
    struct bound *bound = &model->bounds[end];
    bound->is_pending = false;
    if (end == TARGET && !model->is_two_way) {
        if (bound->length > 0 && has_moved(bound)) {
            naive_carry(model, TARGET, model->has_last, model->last,
                        model->newest);
        }
    } else if (bound->carried != bound->stamp) {
        naive_carry(model, 1 - end, bound->has_value, bound->value,
                    bound->stamp);
    }
}

/* The one that is called next in this cycle, or BINDERS * BOUNDS. */
static unsigned next_pending(unsigned loop)
{
    unsigned best = BINDERS * BOUNDS;
    for (unsigned i = 0; i < BINDERS * BOUNDS; i++) {
        const struct bound *bound = bound_at(i);
        const struct bound *so_far =
            best < BINDERS * BOUNDS ? bound_at(best) : NULL;
        if (bound->is_observed && bound->is_pending && !bound->was_called &&
            bound->loop == loop &&
            (!so_far || bound->due < so_far->due ||
             (bound->due == so_far->due &&
              bound->registered < so_far->registered))) {
            best = i;
        }
    }
    return best;
}

static size_t naive_drain(unsigned loop)
{
    size_t calls = 0;
    unsigned next;
    while ((next = next_pending(loop)) < BINDERS * BOUNDS) {
        bound_at(next)->was_called = true;
        naive_call(&world.models[next / BOUNDS], (int)(next % BOUNDS));
        calls++;
    }
    for (unsigned i = 0; i < BINDERS * BOUNDS; i++) {
        bound_at(i)->was_called = false;
    }
    return calls;
}

static void naive_bind(struct model *model)
{
    uint64_t stamp = 0;
    for (int i = TARGET; i >= SOURCE; i--) {
        stamp = next_stamp();
        model->bounds[i].is_observed = true;
        model->bounds[i].registered = ++world.order;
        model->bounds[i].moved = stamp;
    }
    model->is_bound = true;
    int at = walk(&model->bounds[SOURCE]);
    naive_carry(model, TARGET, at >= 0, at >= 0 ? world.values[at] : 0, stamp);
}

/* The library -------------------------------------------------------------- */

static enum obv_status function(void *context, const struct obv_value *value,
                                struct obv_value *made)
{
    struct real *real = context;
    real->calls++;
    if (obv_value_is_reachable(value)) {
        made->kind = OBV_KIND_i64;
        made->as.i64 = apply(real->function, value->as.i64);
    }
    return OBV_OK;
}

static struct obv_binder_end end_of(const struct bound *bound)
{
    return (struct obv_binder_end){&world.items[bound->root]->object,
                                   paths[bound->length],
                                   world.loops[bound->loop]};
}

/* Who is told of an end sets the other one, or of a target that is only looked at
   nothing. */
static void bind_real(struct real *real, const struct model *model,
                      unsigned source_loop, unsigned target_loop)
{
    const struct obv_binder_options options = {
        .size = sizeof options,
        .is_two_way = model->is_two_way,
        .transform = model->function == AS_IT_IS ? NULL : function,
        .context = real};
    struct obv_binder_end source = end_of(&model->bounds[SOURCE]);
    struct obv_binder_end target = end_of(&model->bounds[TARGET]);
    source.loop = world.loops[source_loop];
    target.loop = world.loops[target_loop];
    real->function = model->function;
    real->calls = 0;
    CHECK_EQ(obv_bind(&source, &target, &options, &real->binder, NULL), OBV_OK);
}

/* Steps -------------------------------------------------------------------- */

/* The next set has the number in the model that it has in the library. */
static void count_as_library(void)
{
    world.stamps = obv__stamp_next();
}

static void set_value(void)
{
    unsigned at = below(ITEMS);
    int64_t value = below(30);
    count_as_library();
    naive_set((int)at, value, next_stamp());
    item_set_large(world.items[at], value);
}

static void set_next(void)
{
    unsigned at = below(ITEMS);
    int next = (int)below(ITEMS + 1) - 1;
    count_as_library();
    if (next != world.next[at]) {
        naive_move(at, next);
    }
    item_set_next(world.items[at], next < 0 ? NULL : world.items[next]);
}

static void bind_or_unbind(void)
{
    unsigned number = below(BINDERS);
    struct model *model = &world.models[number];
    struct real *real = &world.reals[number];
    unsigned source_loop = below(LOOPS), target_loop = below(LOOPS);
    if (model->is_bound) {
        memset(model, 0, sizeof *model);
        obv_unbind(real->binder);
        real->binder = NULL;
        real->calls = 0;
        return;
    }
    model->is_two_way = world.is_plain || below(2) == 0;
    model->function = world.is_plain ? AS_IT_IS : below(FUNCTIONS);
    for (unsigned i = SOURCE; i <= TARGET; i++) {
        model->bounds[i].root = below(ITEMS);
        model->bounds[i].length = world.is_plain ? 0 : below(LONGEST + 1);
    }
    if (model->bounds[SOURCE].root == model->bounds[TARGET].root &&
        model->bounds[SOURCE].length == model->bounds[TARGET].length) {
        memset(model, 0, sizeof *model);
        return;
    }
    model->bounds[SOURCE].loop = target_loop;
    model->bounds[TARGET].loop = model->is_two_way ? source_loop : target_loop;
    count_as_library();
    naive_bind(model);
    bind_real(real, model, source_loop, target_loop);
}

static void drain_one(void)
{
    unsigned loop = below(LOOPS);
    CHECK_EQ(obv_loop_drain(world.loops[loop]), naive_drain(loop));
}

/* A batch schedules at its end, which is no other order where nothing drains. */
static void set_in_batch(void)
{
    struct obv_batch batch;
    obv_batch_begin(&batch);
    for (unsigned i = below(4); i > 0; i--) {
        below(3) == 0 ? set_next() : set_value();
    }
    obv_batch_end(&batch);
}

static void compare(void)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        CHECK_EQ(item_large(world.items[i]), world.values[i]);
    }
    for (unsigned i = 0; i < BINDERS; i++) {
        CHECK_EQ(world.reals[i].calls, world.models[i].calls);
    }
    CHECK_EQ(world.fixture.diagnostics_of_binders, 0);
}

/* What a user sees: both ends are one. */
static void check_agreement(void)
{
    for (unsigned i = 0; i < BINDERS; i++) {
        const struct model *model = &world.models[i];
        int from = walk(&model->bounds[SOURCE]);
        int to = walk(&model->bounds[TARGET]);
        if (model->is_bound && from >= 0 && to >= 0) {
            CHECK_EQ(world.values[from], world.values[to]);
        }
    }
}

static void settle(void)
{
    size_t calls, drains = 0;
    do {
        calls = 0;
        for (unsigned i = 0; i < LOOPS; i++) {
            size_t count = naive_drain(i);
            CHECK_EQ(obv_loop_drain(world.loops[i]), count);
            calls += count;
            compare();
        }
        CHECK(++drains < SETTLED);
    } while (calls > 0);
    if (world.is_plain) {
        check_agreement();
    }
}

static void run_round(bool is_plain)
{
    static void (*const steps[])(void) = {set_value,      set_value, set_next,
                                          bind_or_unbind, drain_one, drain_one,
                                          set_in_batch};
    memset(&world, 0, sizeof world);
    world.is_plain = is_plain;
    fixture_begin(&world.fixture);
    for (unsigned i = 0; i < ITEMS; i++) {
        world.items[i] = item_create(&world.fixture);
        world.next[i] = -1;
    }
    for (unsigned i = 0; i < LOOPS; i++) {
        CHECK_EQ(obv_loop_create(world.fixture.context, NULL, &world.loops[i]),
                 OBV_OK);
    }
    for (unsigned i = 0; i < STEPS; i++) {
        steps[below(sizeof steps / sizeof *steps)]();
        compare();
        if (below(20) == 0) {
            settle();
        }
    }
    settle();
    for (unsigned i = 0; i < BINDERS; i++) {
        obv_unbind(world.reals[i].binder);
    }
    for (unsigned i = 0; i < ITEMS; i++) {
        item_set_next(world.items[i], NULL);
    }
    for (unsigned i = 0; i < ITEMS; i++) {
        item_release(&world.items[i]->object);
    }
    for (unsigned i = 0; i < LOOPS; i++) {
        obv_loop_destroy(world.loops[i]);
    }
    fixture_end(&world.fixture);
}

TEST(BI_1_random_binders_do_what_a_naive_model_does)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        run_round(false);
    }
}

TEST(BI_1_random_binders_agree_on_the_newest_set)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        run_round(true);
    }
}
