/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reclaim.h: epoch sections, retired blocks, hazard pointers, running handlers,
 * each with membarrier and without. Threads meet at gates, never by sleeping.
 */
#define _GNU_SOURCE
#include "late_sandbox.h"
#include "test.h"

#include "threads_check.h"

#include "base/reclaim.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tools ------------------------------------------------------------------- */

/* A door that is opened once and stays open. */
struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool open;
};

#define GATE                                                                   \
    {                                                                          \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false             \
    }

static void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

static void gate_wait(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    while (!gate->open) {
        pthread_cond_wait(&gate->changed, &gate->mutex);
    }
    pthread_mutex_unlock(&gate->mutex);
}

/* A thread that does one thing, says so, ends it when told, and itself when told
   once more. */
struct visitor {
    enum { VISIT_EPOCH, VISIT_HAZARD, VISIT_HANDLER, VISIT_DEEP } what;
    const void *whom;
    struct gate inside, leave, end;
    uint32_t left; /* set before the deed ends */
    pthread_t thread;
};

#define VISITOR(what, whom)                                                    \
    {                                                                          \
        what, whom, GATE, GATE, GATE, 0, 0                                     \
    }

static void visit_deep(struct obv__thread *self, struct visitor *visitor)
{
    const int depth = OBV__RUNNING_MAX + 3;
    for (int i = 0; i < depth; i++) {
        obv__running_push(self, visitor->whom);
    }
    gate_open(&visitor->inside);
    gate_wait(&visitor->leave);
    for (int i = 0; i < depth; i++) {
        obv__running_pop(self);
    }
}

static void *visit(void *context)
{
    struct visitor *visitor = context;
    struct obv__thread *self = obv__thread_self();
    switch (visitor->what) {
    case VISIT_EPOCH:
        obv__epoch_enter(self);
        break;
    case VISIT_HAZARD:
        obv__hazard_set(self, visitor->whom);
        break;
    case VISIT_HANDLER:
        obv__running_push(self, visitor->whom);
        break;
    case VISIT_DEEP:
        visit_deep(self, visitor);
        return NULL;
    }
    gate_open(&visitor->inside);
    gate_wait(&visitor->leave);
    visitor->left = 1; /* plain: the end of the deed must order it */
    switch (visitor->what) {
    case VISIT_EPOCH:
        obv__epoch_leave(self);
        break;
    case VISIT_HAZARD:
        obv__hazard_clear(self);
        break;
    default:
        obv__running_pop(self);
    }
    gate_wait(&visitor->end); /* a thread's end would order everything */
    return NULL;
}

static void visitor_begin(struct visitor *visitor)
{
    CHECK(pthread_create(&visitor->thread, NULL, visit, visitor) == 0);
    gate_wait(&visitor->inside);
}

static void visitor_end(struct visitor *visitor)
{
    gate_open(&visitor->leave);
    gate_open(&visitor->end);
    CHECK(pthread_join(visitor->thread, NULL) == 0);
}

/* Waits for a handler's end by asking; what it did is then ours to read. */
static void visitor_has_returned(struct visitor *visitor)
{
    gate_open(&visitor->leave);
    while (obv__running_where(visitor->whom) != OBV__NOWHERE) {
        sched_yield();
    }
    CHECK_EQ(visitor->left, 1); /* plain: ordered by the answer */
}

struct block {
    _Alignas(16) struct obv__retired retired;
    uint64_t value;
};

static uint32_t freed[16]; /* by kind */

static void free_block(void *context, struct obv__retired *retired,
                       unsigned kind)
{
    struct block *block = (struct block *)retired;
    CHECK(context == freed);
    CHECK(block->value == kind);
    obv__fetch_add_relaxed(&freed[kind], 1);
    free(block);
}

static struct block *block_new(unsigned kind)
{
    struct block *block = aligned_alloc(16, sizeof *block);
    CHECK(block != NULL);
    block->value = kind;
    return block;
}

static void retire_new(struct obv__domain *domain, unsigned kind)
{
    obv__retire(domain, &block_new(kind)->retired, kind);
}

/* Each body below runs as two tests. */
#define TEST_BOTH(name)                                                        \
    static void body_##name(void);                                             \
    TEST(name)                                                                 \
    {                                                                          \
        body_##name();                                                         \
    }                                                                          \
    TEST(name##_without_membarrier)                                            \
    {                                                                          \
        obv__membarrier_refuse_for_tests();                                    \
        body_##name();                                                         \
        CHECK(!obv__membarrier_available());                                   \
    }                                                                          \
    static void body_##name(void)

/* Epoch sections and blocks ----------------------------------------------- */

TEST_BOTH(nested_epoch_sections_protect_until_the_outermost_is_left)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__domain domain;
    obv__domain_init(&domain, free_block, freed, 0);
    obv__epoch_enter(self);
    obv__epoch_enter(self);
    CHECK_EQ(self->nested, 1);
    retire_new(&domain, 3);
    obv__epoch_leave(self);
    obv__domain_flush(&domain);
    CHECK_EQ(freed[3], 0);
    obv__epoch_leave(self);
    CHECK_EQ(self->epoch, 0);
    obv__domain_flush(&domain);
    CHECK_EQ(freed[3], 1);
    obv__domain_deinit(&domain);
}

static int paid;

/* What is owed is done inside the epoch section, and may use epoch sections
   itself. */
static void pay(struct obv__thread *self)
{
    uint32_t nested = self->nested;
    CHECK(self->epoch != 0);
    obv__epoch_enter(self);
    obv__epoch_leave(self);
    CHECK_EQ(self->nested, nested);
    paid++;
}

TEST_BOTH(what_a_thread_owes_is_done_by_the_next_leave)
{
    struct obv__thread *self = obv__thread_self();
    paid = 0;
    obv__epoch_enter(self);
    obv__epoch_enter(self);
    obv__epoch_owe(self, pay);
    obv__epoch_enter(self);
    obv__epoch_leave(self);
    CHECK_EQ(paid, 1);
    CHECK_EQ(self->nested, 1);
    obv__epoch_leave(self);
    CHECK_EQ(paid, 1);
    obv__epoch_owe(self, pay);
    obv__epoch_owe(self, pay);
    obv__epoch_leave(self);
    CHECK_EQ(paid, 2);
    CHECK_EQ(self->epoch, 0);
    obv__epoch_enter(self);
    obv__epoch_owe(self, pay);
    obv__epoch_pay(self);
    CHECK_EQ(paid, 3);
    obv__epoch_pay(self);
    obv__epoch_leave(self);
    CHECK_EQ(paid, 3);
    CHECK_EQ(self->nested, 0);
}

TEST_BOTH(a_block_retired_in_anothers_epoch_section_outlives_it)
{
    struct visitor reader = VISITOR(VISIT_EPOCH, NULL);
    struct obv__domain domain;
    obv__domain_init(&domain, free_block, freed, 0);
    visitor_begin(&reader);
    retire_new(&domain, 1);
    for (int i = 0; i < 4; i++) {
        obv__domain_flush(&domain);
    }
    retire_new(&domain, 2);
    obv__domain_flush(&domain);
    CHECK_EQ(freed[1] + freed[2], 0);
    visitor_end(&reader);
    obv__domain_flush(&domain);
    CHECK_EQ(freed[1] + freed[2], 2);
    obv__domain_deinit(&domain);
}

TEST_BOTH(an_epoch_section_entered_after_the_wait_began_keeps_nothing_older)
{
    struct visitor early = VISITOR(VISIT_EPOCH, NULL);
    struct visitor late = VISITOR(VISIT_EPOCH, NULL);
    struct obv__domain domain;
    obv__domain_init(&domain, free_block, freed, 0);
    visitor_begin(&early);
    retire_new(&domain, 1);
    obv__domain_flush(&domain);
    visitor_begin(&late);
    visitor_end(&early);
    retire_new(&domain, 2);
    obv__domain_flush(&domain);
    CHECK_EQ(freed[1], 1);
    CHECK_EQ(freed[2], 0);
    visitor_end(&late);
    obv__domain_deinit(&domain);
    CHECK_EQ(freed[2], 1);
}

TEST_BOTH(a_full_batch_is_freed_without_a_flush)
{
    struct obv__domain domain;
    obv__domain_init(&domain, free_block, freed, 8);
    for (int i = 0; i < 7; i++) {
        retire_new(&domain, 5);
    }
    CHECK_EQ(freed[5], 0);
    retire_new(&domain, 5);
    CHECK_EQ(freed[5], 8);
    obv__domain_deinit(&domain);
}

TEST_BOTH(the_default_batch_is_128)
{
    struct obv__domain domain;
    obv__domain_init(&domain, free_block, freed, 0);
    for (int i = 0; i < 127; i++) {
        retire_new(&domain, 0);
    }
    CHECK_EQ(freed[0], 0);
    retire_new(&domain, 15);
    CHECK_EQ(freed[0], 127);
    CHECK_EQ(freed[15], 1);
    obv__domain_deinit(&domain);
}

TEST_BOTH(a_reader_that_stays_makes_the_list_wait_and_loses_nothing)
{
    struct visitor reader = VISITOR(VISIT_EPOCH, NULL);
    struct obv__domain domain;
    obv__domain_init(&domain, free_block, freed, 4);
    visitor_begin(&reader);
    for (int i = 0; i < 103; i++) {
        retire_new(&domain, 7);
    }
    CHECK_EQ(freed[7], 0);
    visitor_end(&reader);
    obv__domain_flush(&domain);
    CHECK_EQ(freed[7], 103);
    obv__domain_deinit(&domain);
}

TEST_BOTH(deinit_frees_what_is_left)
{
    struct obv__domain domain;
    obv__domain_init(&domain, free_block, freed, 0);
    obv__epoch_enter(obv__thread_self());
    retire_new(&domain, 9);
    obv__domain_flush(&domain); /* waits for this thread */
    retire_new(&domain, 9);
    obv__epoch_leave(obv__thread_self());
    CHECK_EQ(freed[9], 0);
    obv__domain_deinit(&domain);
    CHECK_EQ(freed[9], 2);
}

static struct obv__domain chained;

static void free_and_retire(void *context, struct obv__retired *retired,
                            unsigned kind)
{
    uint32_t *left = context;
    free(retired);
    if (*left > 0) {
        --*left;
        obv__retire(&chained, &block_new(kind)->retired, kind);
    }
}

TEST(free_block_may_retire_and_deinit_frees_that_too)
{
    uint32_t left = 5;
    obv__domain_init(&chained, free_and_retire, &left, 0);
    obv__retire(&chained, &block_new(2)->retired, 2);
    obv__domain_flush(&chained);
    CHECK_EQ(left, 4);
    obv__domain_deinit(&chained);
    CHECK_EQ(left, 0);
}

/* Threads ----------------------------------------------------------------- */

struct shared {
    struct obv__domain domain;
    struct block *block; /* replaced by the writer, read by all */
    uint32_t readers;    /* that still run */
};

static void read_once(struct shared *shared)
{
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    /* Acquire, pairs with the writer's exchange. */
    struct block *block = obv__load_acquire(&shared->block);
    CHECK(block->value == 4);
    obv__epoch_leave(self);
}

static void *read_often(void *context)
{
    struct shared *shared = context;
    for (int i = 0; i < 2000; i++) {
        read_once(shared);
    }
    obv__fetch_add_acq_rel(&shared->readers, (uint32_t)-1);
    return NULL;
}

static void replace(struct shared *shared)
{
    struct block *old = obv__exchange_acq_rel(&shared->block, block_new(4));
    obv__retire(&shared->domain, &old->retired, 4);
}

TEST_BOTH(threads_that_end_and_begin_read_living_blocks_only)
{
    struct shared shared = {.block = block_new(4)};
    obv__domain_init(&shared.domain, free_block, freed, 8);
    obv__thread_self();
    for (int round = 0; round < 5; round++) {
        pthread_t threads[4];
        obv__fetch_add_acq_rel(&shared.readers, 4);
        for (int i = 0; i < 4; i++) {
            CHECK(pthread_create(&threads[i], NULL, read_often, &shared) == 0);
        }
        for (int i = 0; i < 200 || obv__load_acquire(&shared.readers); i++) {
            replace(&shared);
            CHECK(threads_are_right());
        }
        for (int i = 0; i < 4; i++) {
            CHECK(pthread_join(threads[i], NULL) == 0);
        }
    }
    CHECK_EQ(threads_count(), 1);
    obv__retire(&shared.domain, &shared.block->retired, 4);
    obv__domain_deinit(&shared.domain);
}

TEST(a_listed_thread_is_counted_until_it_ends)
{
    struct visitor visitor = VISITOR(VISIT_EPOCH, NULL);
    CHECK_EQ(threads_count(), 0);
    obv__thread_self();
    obv__thread_self();
    CHECK_EQ(threads_count(), 1);
    visitor_begin(&visitor);
    CHECK_EQ(threads_count(), 2);
    visitor_end(&visitor);
    CHECK_EQ(threads_count(), 1);
    CHECK(threads_are_right());
}

/* The test's own, in the C library's place. */
static bool has_no_memory;

void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = NULL;
    bool failed = has_no_memory || posix_memalign(&block, alignment, size) != 0;
    return failed ? NULL : block;
}

TEST(FA_1_a_thread_without_memory_for_its_record_ends_the_program)
{
    char text[128] = "";
    int said[2];
    CHECK(pipe(said) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(said[1], STDERR_FILENO);
        has_no_memory = true;
        (void)obv__thread_self();
        _exit(0);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK(read(said[0], text, sizeof text - 1) > 0);
    /* An emulator adds a line. */
    text[strcspn(text, "\n")] = '\0';
    CHECK_TEXT(text, "observable: no memory for what the library keeps of a "
                     "thread");
}

TEST(the_child_of_a_fork_lists_the_forking_thread_only)
{
    struct visitor visitor = VISITOR(VISIT_EPOCH, NULL);
    struct obv__thread *self = obv__thread_self();
    visitor_begin(&visitor);
    pid_t child = fork();
    if (child == 0) {
        struct obv__domain domain;
        obv__domain_init(&domain, free_block, freed, 0);
        retire_new(&domain, 1);
        obv__domain_flush(&domain);
        obv__epoch_enter(self);
        obv__epoch_leave(self);
        _exit(threads_count() == 1 && freed[1] == 1 ? 0 : 1);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_EQ(status, 0);
    visitor_end(&visitor);
}

/* A key whose destructor runs after the library's has run. */
static pthread_key_t late_key;
static struct visitor late = VISITOR(VISIT_EPOCH, NULL);

static void use_late(void *context)
{
    static _Thread_local int round;
    if (round++ == 0) {
        pthread_setspecific(late_key, context); /* after all first ones */
        return;
    }
    CHECK_EQ(threads_count(), 1);
    visit(context);
}

static void *end_late(void *context)
{
    obv__thread_self();
    pthread_setspecific(late_key, context);
    return NULL;
}

static void late_begin(void)
{
    obv__thread_self();
    CHECK(pthread_key_create(&late_key, use_late) == 0);
    CHECK(pthread_create(&late.thread, NULL, end_late, &late) == 0);
    gate_wait(&late.inside);
    CHECK_EQ(threads_count(), 2);
}

TEST_BOTH(an_epoch_section_in_a_late_destructor_protects)
{
    struct obv__domain domain;
    obv__domain_init(&domain, free_block, freed, 0);
    late_begin();
    retire_new(&domain, 6);
    obv__domain_flush(&domain);
    CHECK_EQ(freed[6], 0);
    visitor_end(&late);
    obv__domain_flush(&domain);
    CHECK_EQ(freed[6], 1);
    obv__domain_deinit(&domain);
}

TEST_BOTH(a_handler_in_a_late_destructor_runs_elsewhere)
{
    int observation = 0;
    late.what = VISIT_HANDLER;
    late.whom = &observation;
    late_begin();
    CHECK_EQ(obv__running_where(&observation), OBV__ELSEWHERE);
    visitor_has_returned(&late);
    visitor_end(&late);
}

/* Hazard pointers ---------------------------------------------------------- */

struct ending {
    const void *object;
    struct visitor *visitor;
    struct gate begun;
    uint32_t waited; /* atomic: the wait is over */
};

static void *end_object(void *context)
{
    struct ending *ending = context;
    obv__thread_self();
    gate_open(&ending->begun);
    CHECK(obv__wait_for_hazards(ending->object));
    CHECK_EQ(ending->visitor->left, 1); /* ordered by the hazard pointer's
                                           end */
    obv__store_release(&ending->waited, 1);
    return NULL;
}

TEST_BOTH(the_end_of_an_object_waits_for_a_hazard_pointer_to_it)
{
    int object = 0;
    struct visitor visitor = VISITOR(VISIT_HAZARD, &object);
    struct ending ending = {&object, &visitor, GATE, 0};
    pthread_t thread;
    visitor_begin(&visitor);
    CHECK(pthread_create(&thread, NULL, end_object, &ending) == 0);
    gate_wait(&ending.begun);
    for (int i = 0; i < 100; i++) {
        sched_yield(); /* a chance to be wrong */
        CHECK_EQ(obv__load_acquire(&ending.waited), 0);
    }
    gate_open(&visitor.leave);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQ(ending.waited, 1);
    visitor_end(&visitor);
}

TEST_BOTH(the_end_of_an_object_does_not_wait_for_hazard_pointers_to_others)
{
    int object = 0, other = 0;
    struct visitor visitor = VISITOR(VISIT_HAZARD, &other);
    visitor_begin(&visitor);
    obv__hazard_set(obv__thread_self(), &object); /* its own is left out */
    CHECK(obv__wait_for_hazards(&object));
    obv__hazard_clear(obv__thread_self());
    visitor_end(&visitor);
}

/* Handlers ---------------------------------------------------------------- */

TEST_BOTH(a_running_handler_is_found_here_elsewhere_or_in_both)
{
    int ours = 0, theirs = 0;
    struct visitor visitor = VISITOR(VISIT_HANDLER, &theirs);
    struct obv__thread *self = obv__thread_self();
    obv__running_push(self, &ours);
    CHECK_EQ(obv__running_where(&ours), OBV__HERE);
    CHECK_EQ(obv__running_where(&theirs), OBV__NOWHERE);
    visitor_begin(&visitor);
    CHECK_EQ(obv__running_where(&ours), OBV__HERE);
    CHECK_EQ(obv__running_where(&theirs), OBV__ELSEWHERE);
    obv__running_push(self, &theirs);
    CHECK_EQ(obv__running_where(&theirs), OBV__HERE | OBV__ELSEWHERE);
    obv__running_pop(self);
    CHECK_EQ(obv__running_where(&theirs), OBV__ELSEWHERE);
    visitor_has_returned(&visitor);
    visitor_end(&visitor);
    obv__running_pop(self);
    CHECK_EQ(obv__running_where(&ours), OBV__NOWHERE);
}

TEST_BOTH(a_thread_nested_too_deep_counts_as_running_everything)
{
    int any = 0, other = 0;
    struct visitor visitor = VISITOR(VISIT_DEEP, &any);
    visitor_begin(&visitor);
    CHECK_EQ(obv__running_where(&other), OBV__ELSEWHERE);
    visitor_end(&visitor);
    CHECK_EQ(obv__running_where(&other), OBV__NOWHERE);
}

/* The asymmetric fence ---------------------------------------------------- */

enum { litmus_rounds = 20000 };

/* Rounds of: the reader stores and loads, the other side stores, passes a
   membarrier and loads. `round` lets both into the same one. */
struct litmus {
    _Alignas(64) uint32_t reader_round;
    _Alignas(64) uint32_t other_round;
    _Alignas(64) uint32_t hazard;
    _Alignas(64) uint32_t ended;
    uint32_t seen[litmus_rounds]; /* what the reader loaded */
};

static void meet(uint32_t *mine, const uint32_t *theirs, uint32_t round)
{
    unsigned waited = 0;
    obv__store_release(mine, round);
    while (obv__load_acquire(theirs) < round) {
        obv__backoff(&waited);
    }
}

static void *litmus_read(void *context)
{
    struct litmus *litmus = context;
    for (uint32_t i = 0; i < litmus_rounds; i++) {
        meet(&litmus->reader_round, &litmus->other_round, 2 * i + 1);
        obv__store_release(&litmus->hazard, i + 1);
        obv__compiler_barrier();
        litmus->seen[i] = obv__load_acquire(&litmus->ended);
        meet(&litmus->reader_round, &litmus->other_round, 2 * i + 2);
    }
    return NULL;
}

TEST(membarrier_leaves_no_round_in_which_neither_sees_the_other)
{
    static struct litmus litmus;
    pthread_t thread;
    obv__membarrier_setup();
    if (!obv__membarrier_available()) {
        return; /* nothing to try here */
    }
    CHECK(pthread_create(&thread, NULL, litmus_read, &litmus) == 0);
    for (uint32_t i = 0; i < litmus_rounds; i++) {
        meet(&litmus.other_round, &litmus.reader_round, 2 * i + 1);
        obv__store_release(&litmus.ended, i + 1);
        CHECK(obv__membarrier());
        bool saw = obv__load_acquire(&litmus.hazard) == i + 1;
        meet(&litmus.other_round, &litmus.reader_round, 2 * i + 2);
        CHECK(saw || litmus.seen[i] == i + 1);
    }
    CHECK(pthread_join(thread, NULL) == 0);
}

TEST(a_membarrier_refused_later_keeps_memory_and_answers_with_care)
{
    int object = 0;
    struct visitor visitor = VISITOR(VISIT_HAZARD, NULL);
    struct obv__domain domain;
    obv__domain_init(&domain, free_block, freed, 2);
    visitor_begin(&visitor);
    if (obv__membarrier_available() && enter_late_sandbox()) {
        CHECK(!obv__membarrier());
        for (int i = 0; i < 9; i++) {
            retire_new(&domain, 8);
        }
        obv__domain_flush(&domain);
        CHECK_EQ(freed[8], 0);
        CHECK(!obv__wait_for_hazards(&object));
        CHECK_EQ(obv__running_where(&object), OBV__ELSEWHERE);
    }
    visitor_end(&visitor);
    obv__domain_flush(&domain); /* alone again: nobody to ask */
    CHECK(freed[8] == 0 || freed[8] == 2);
    obv__domain_deinit(&domain);
    CHECK(freed[8] == 0 || freed[8] == 9);
}

/* Locks ------------------------------------------------------------------- */

static struct obv__lock counter_lock;
static uint32_t counter;

static void *count_locked(void *context)
{
    (void)context;
    for (int i = 0; i < 20000; i++) {
        obv__lock_enter(&counter_lock);
        counter++;
        obv__lock_leave(&counter_lock);
    }
    return NULL;
}

TEST(a_lock_excludes)
{
    pthread_t threads[3];
    obv__lock_init(&counter_lock);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&threads[i], NULL, count_locked, NULL) == 0);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK_EQ(counter, 60000);
    CHECK(obv__lock_try(&counter_lock));
    CHECK(!obv__lock_try(&counter_lock));
    obv__lock_leave(&counter_lock);
    CHECK(obv__lock_try(&counter_lock));
}

TEST(stripes_stay_the_same_and_spread_over_lines_of_their_own)
{
    static char memory[4096];
    size_t different = 0;
    for (size_t i = 0; i + 16 < sizeof memory; i += 16) {
        struct obv__lock *one = obv__lock_stripe(memory + i);
        CHECK(one == obv__lock_stripe(memory + i));
        CHECK_EQ((uintptr_t)one % 64, 0);
        different += one != obv__lock_stripe(memory + i + 16);
    }
    CHECK(different > 250);
}
