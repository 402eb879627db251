/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler: coroutines, store buffers, and a depth-first search over
 * decisions. A schedule is the string of its decisions; the next one is found
 * by raising the last that can be raised and running again from the start.
 *
 * Memory model: total store order. A store waits in its thread's buffer until
 * it is flushed; own loads look there first; a read-modify-write and a fence
 * flush the own buffer. When a store becomes visible matters only to another
 * thread that touches that address, so that is where it is decided: before
 * such an access, for each store to the address in another buffer, whether the
 * buffer has been flushed up to it. Orders weaker than TSO are not explored.
 *
 * Which steps matter. A switch before a step that no other thread's step
 * depends on leads to nothing new: it may as well come before the next one. So
 * it is learned which words each thread reads and writes; when a schedule
 * teaches something that makes a further step matter, the search begins anew.
 */
#define _GNU_SOURCE
#include "scheduler.h"

#include "scheduler_memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
    buffer_max = 128,
    steps_max = 20000,
    stack_bytes = 64 * 1024,
    local_bytes = 1024,
    home = SCHEDULER_THREADS_MAX /* the slot of setup and check */
};

struct buffered {
    void *address;
    size_t size;
    uint64_t value, under; /* `under`: what others see, while it is shown */
};

struct thread {
    void (*run)(void);
    ucontext_t context;
    bool finished, waiting, fresh;
    int heard;      /* steps of others when it last waited */
    int begin, end; /* the buffer's entries that wait */
    struct buffered buffer[buffer_max];
    _Alignas(128) char local[local_bytes];
};

struct step {
    int thread;
    const char *what, *file;
    int line;
    const void *address;
    uint64_t value;
};

static struct thread threads[SCHEDULER_THREADS_MAX + 1];
static char stacks[SCHEDULER_THREADS_MAX][stack_bytes];
static int count, self = -1, preemptions_left;
static const struct scheduler_program *running;
static struct step steps[steps_max];
static int step_count;
static bool is_refused; /* membarrier, in this schedule */
static struct {
    int chosen, options;
} decisions[steps_max];
static int decision_count, decision_at;

/* Reports ----------------------------------------------------------------- */

void scheduler_fail(const char *what, const char *file, int line)
{
    fprintf(stderr, "not ok %s: %s:%d: %s\n", running->name, file, line, what);
    for (int i = 0; i < step_count; i++) {
        const struct step *s = &steps[i];
        fprintf(stderr, "  %3d  %*sthread %d  %-9s %s:%d", i, s->thread * 4, "",
                s->thread, s->what, s->file, s->line);
        fprintf(stderr, "  %p = %#llx\n", s->address,
                (unsigned long long)s->value);
    }
    exit(1);
}

static void crashed(int number)
{
    signal(number, SIG_DFL);
    scheduler_fail("crashed", "a step", step_count);
}

static void record(int thread, const char *what, const void *address,
                   uint64_t value, const char *file, int line)
{
    if (step_count == steps_max) {
        step_count = 200; /* the beginning tells it */
        scheduler_fail("a schedule does not end", file, line);
    }
    steps[step_count++] =
        (struct step){thread, what, file, line, address, value};
}

static int decide(int options)
{
    if (options == 1) {
        return 0;
    }
    if (decision_at == decision_count) {
        if (decision_count == steps_max) {
            scheduler_fail("too many decisions", __FILE__, __LINE__);
        }
        decisions[decision_count].chosen = 0;
        decisions[decision_count++].options = options;
    }
    if (decisions[decision_at].options != options) {
        scheduler_fail("a replay took another way", __FILE__, __LINE__);
    }
    return decisions[decision_at++].chosen;
}

static bool next_schedule(void)
{
    while (decision_count > 0) {
        int last = decision_count - 1;
        if (++decisions[last].chosen < decisions[last].options) {
            return true;
        }
        decision_count--;
    }
    return false;
}

/* Memory ------------------------------------------------------------------ */

static void check_lives(const void *address, const char *file, int line)
{
    if (scheduler_given_back_by(address)) {
        scheduler_fail("a step in memory that was given back", file, line);
    }
}

static uint64_t read_memory(const void *address, size_t size)
{
    switch (size) {
    case 1:
        return *(const uint8_t *)address;
    case 2:
        return *(const uint16_t *)address;
    case 4:
        return *(const uint32_t *)address;
    default:
        return *(const uint64_t *)address;
    }
}

static void write_memory(void *address, size_t size, uint64_t value)
{
    switch (size) {
    case 1:
        *(uint8_t *)address = (uint8_t)value;
        break;
    case 2:
        *(uint16_t *)address = (uint16_t)value;
        break;
    case 4:
        *(uint32_t *)address = (uint32_t)value;
        break;
    default:
        *(uint64_t *)address = value;
    }
}

/* A thread sees its own stores at once, also where it reads without atomics: as
   long as it runs, they are written over what the others see. */
static bool shown;

static void show_own(void)
{
    struct thread *me = &threads[self < 0 ? home : self];
    for (int i = me->begin; i < me->end; i++) {
        struct buffered *entry = &me->buffer[i];
        entry->under = read_memory(entry->address, entry->size);
        if (!scheduler_given_back_by(entry->address)) {
            write_memory(entry->address, entry->size, entry->value);
        }
    }
    shown = true;
}

static void hide_own(void)
{
    struct thread *me = &threads[self < 0 ? home : self];
    for (int i = me->end; i > me->begin; i--) {
        struct buffered *entry = &me->buffer[i - 1];
        if (!scheduler_given_back_by(entry->address)) {
            write_memory(entry->address, entry->size, entry->under);
        }
    }
    shown = false;
}

static void settle(const void *address, int except);

/* Something may be there now that a thread waits for. A load is no such thing:
   else two that wait would let each other go on, and not the one they wait for. */
static void wake_waiting(void)
{
    for (int t = 0; t < count; t++) {
        threads[t].waiting = false;
    }
}

static void arrive(int of, const struct buffered *entry)
{
    int by = scheduler_given_back_by(entry->address);
    if (by == 0) {
        write_memory(entry->address, entry->size, entry->value);
    } else if (by != of + 2) { /* its own are in order with giving back */
        scheduler_fail("a store arrives in memory that was given back",
                       "store buffer", 0);
    }
    record(of, "flush", entry->address, entry->value, "store buffer", 0);
    wake_waiting();
}

/* Makes the oldest store of a buffer visible. */
static void flush_one(int of)
{
    bool was_shown = shown;
    if (was_shown) {
        hide_own();
    }
    struct buffered entry = threads[of].buffer[threads[of].begin++];
    settle(entry.address, of); /* others' stores there: before or after */
    arrive(of, &entry);
    if (threads[of].begin == threads[of].end) {
        threads[of].begin = threads[of].end = 0;
    }
    if (was_shown) {
        show_own();
    }
}

static void flush_all_of(int of)
{
    while (threads[of].begin < threads[of].end) {
        flush_one(of);
    }
}

/* Decides how far the other buffers are flushed before an access. */
static void settle(const void *address, int except)
{
    for (int t = 0; t < count; t++) {
        int stores = 0;
        for (int i = threads[t].begin; t != except && i < threads[t].end; i++) {
            stores += threads[t].buffer[i].address == address;
        }
        for (int due = stores ? decide(stores + 1) : 0; due > 0;) {
            due -= threads[t].buffer[threads[t].begin].address == address;
            flush_one(t);
        }
    }
}

void scheduler_membarrier(void)
{
    for (int t = 0; t < count; t++) {
        flush_all_of(t);
    }
}

/* Threads ----------------------------------------------------------------- */

static ucontext_t *context_of(int thread)
{
    return &threads[thread < 0 ? home : thread].context;
}

static void go(int to)
{
    int from = self;
    if (to != from) {
        hide_own();
        self = to;
        show_own();
        swapcontext(context_of(from), context_of(to));
    }
}

/* The threads that can run, but for the running one. */
static int others(int *list)
{
    int found = 0;
    for (int t = 0; t < count; t++) {
        if (t != self && !threads[t].finished && !threads[t].waiting) {
            list[found++] = t;
        }
    }
    return found;
}

/* Before each step: another thread may run, at the price of a preemption, if
   the step matters to it. */
static void preempt(bool step_matters)
{
    int list[SCHEDULER_THREADS_MAX];
    int found = step_matters && preemptions_left > 0 ? others(list) : 0;
    int choice = found ? decide(found + 1) : 0;
    if (choice > 0) {
        preemptions_left--;
        go(list[choice - 1]);
    }
}

static int steps_of_others(void)
{
    int found = 0;
    for (int i = 0; i < step_count; i++) {
        found += steps[i].thread != self;
    }
    return found;
}

static bool is_look(const struct step *step)
{
    return strcmp(step->what, "load") == 0 || strcmp(step->what, "cas") == 0 ||
           strcmp(step->what, "modify") == 0;
}

/* Another thread that waits, and has not looked since something arrived: it was
   taken off between its look and its pause. Or -1. */
static int who_has_not_looked(void)
{
    for (int t = 0; t < count; t++) {
        bool has_looked = t == self || threads[t].finished;
        for (int i = step_count - 1; i >= 0 && !has_looked; i--) {
            if (steps[i].thread == t) {
                has_looked = is_look(&steps[i]);
            } else if (strcmp(steps[i].what, "load") != 0 &&
                       strcmp(steps[i].what, "pause") != 0) {
                return t;
            }
        }
    }
    return -1;
}

/* The running thread cannot go on; costs no preemption. */
static void yield_from(const char *file, int line)
{
    int list[SCHEDULER_THREADS_MAX];
    int found = others(list);
    if (found > 0) {
        go(list[decide(found)]);
        return;
    }
    bool all_finished = true;
    for (int t = 0; t < count; t++) {
        all_finished = all_finished && threads[t].finished;
    }
    if (!all_finished && threads[self].heard == steps_of_others()) {
        int other = who_has_not_looked();
        if (other < 0) {
            scheduler_fail("every thread waits", file, line);
        }
        threads[other].waiting = false;
        go(other);
        return;
    }
    if (!all_finished) {
        threads[self].waiting = false; /* it has not looked since */
        return;
    }
    go(-1);
}

static void begin_thread(void)
{
    threads[self].run();
    threads[self].finished = true;
    wake_waiting(); /* its stores may be what they wait for */
    yield_from(__FILE__, __LINE__);
}

int scheduler_self(void)
{
    return self;
}

void *scheduler_local(size_t size)
{
    if (size > local_bytes) {
        scheduler_fail("thread memory is too small", __FILE__, __LINE__);
    }
    return threads[self < 0 ? home : self].local;
}

bool scheduler_local_is_new(void)
{
    bool *fresh = &threads[self < 0 ? home : self].fresh;
    bool answer = *fresh;
    *fresh = false;
    return answer;
}

/* Steps ------------------------------------------------------------------- */

uint64_t scheduler_load(const void *address, size_t size, const char *file,
                        int line)
{
    if (self < 0) {
        return read_memory(address, size);
    }
    preempt(scheduler_matters(address, false));
    check_lives(address, file, line);
    const struct thread *me = &threads[self];
    for (int i = me->end; i > me->begin; i--) {
        if (me->buffer[i - 1].address == address) {
            return me->buffer[i - 1].value;
        }
    }
    settle(address, self);
    uint64_t value = read_memory(address, size);
    record(self, "load", address, value, file, line);
    return value;
}

void scheduler_store(void *address, size_t size, uint64_t value,
                     const char *file, int line)
{
    if (self < 0) {
        write_memory(address, size, value);
        return;
    }
    preempt(scheduler_matters(address, true));
    check_lives(address, file, line);
    struct thread *me = &threads[self];
    if (me->end == buffer_max) {
        flush_all_of(self);
    }
    me->buffer[me->end++] =
        (struct buffered){address, size, value, read_memory(address, size)};
    write_memory(address, size, value);
    record(self, "store", address, value, file, line);
}

static void begin_rmw(const void *address, const char *file, int line)
{
    if (self >= 0) {
        bool fences = threads[self].begin < threads[self].end;
        preempt(scheduler_matters(address, true) || fences);
        wake_waiting();
        check_lives(address, file, line);
        flush_all_of(self);
        settle(address, self);
    }
}

static void end_rmw(const void *address, uint64_t value, const char *what,
                    const char *file, int line)
{
    if (self >= 0) {
        record(self, what, address, value, file, line);
    }
}

uint64_t scheduler_modify(void *address, size_t size, enum scheduler_rmw how,
                          uint64_t value, const char *file, int line)
{
    begin_rmw(address, file, line);
    uint64_t old = read_memory(address, size);
    uint64_t made = how == SCHEDULER_EXCHANGE ? value
                    : how == SCHEDULER_ADD    ? old + value
                    : how == SCHEDULER_OR     ? (old | value)
                                              : (old & value);
    write_memory(address, size, made);
    end_rmw(address, made, "modify", file, line);
    return old;
}

bool scheduler_cas(void *address, size_t size, void *expected, uint64_t value,
                   const char *file, int line)
{
    begin_rmw(address, file, line);
    uint64_t old = read_memory(address, size);
    bool same = old == read_memory(expected, size);
    if (same) {
        write_memory(address, size, value);
    } else {
        write_memory(expected, size, old);
    }
    end_rmw(address, same ? value : old, same ? "cas" : "cas fails", file,
            line);
    return same;
}

void scheduler_load_value(const void *address, size_t size, void *value,
                          const char *file, int line)
{
    uint64_t found = scheduler_load(address, size, file, line);
    memcpy(value, &found, size); /* little-endian */
}

void scheduler_exchange(void *address, size_t size, const void *value,
                        void *old, const char *file, int line)
{
    uint64_t to = read_memory(value, size);
    to = scheduler_modify(address, size, SCHEDULER_EXCHANGE, to, file, line);
    memcpy(old, &to, size);
}

void scheduler_fence(const char *file, int line)
{
    if (self >= 0) {
        preempt(true);
        wake_waiting();
        flush_all_of(self);
        record(self, "fence", NULL, 0, file, line);
    }
}

/* A wait: time passes, so all stores arrive, and others run first. */
void scheduler_pause(const char *file, int line)
{
    if (self < 0) {
        scheduler_fail("setup or check waits", file, line);
    }
    record(self, "pause", NULL, 0, file, line);
    flush_all_of(self);
    int before = step_count;
    scheduler_membarrier();
    if (step_count == before) { /* nothing new of the others */
        threads[self].waiting = true;
        yield_from(file, line);
        threads[self].heard = steps_of_others();
    }
}

void scheduler_yield(void)
{
    int list[SCHEDULER_THREADS_MAX];
    int choice = decide(others(list) + 1);
    if (choice > 0) {
        go(list[choice - 1]);
    }
}

void scheduler_point(const char *name, const char *file, int line)
{
    if (self >= 0) {
        preempt(true);
        wake_waiting();
        record(self, name, NULL, 0, file, line);
    }
}

void scheduler_must_live(const void *address, const char *file, int line)
{
    if (self >= 0) {
        check_lives(address, file, line);
    }
}

void scheduler_must_be_held(const uint8_t *word)
{
    if (self >= 0 && *word == 0) {
        scheduler_fail("a lock is left that nobody has entered", "lock.h", 0);
    }
}

void scheduler_refuse_membarrier(void)
{
    is_refused = true;
}

bool obv__membarrier(void);
bool obv__membarrier_available(void);

bool obv__membarrier(void)
{
    if (is_refused) {
        scheduler_fence("membarrier", 0);
    } else if (self >= 0) {
        preempt(true);
        scheduler_membarrier();
        record(self, "barrier", NULL, 0, "membarrier", 0);
    }
    return true;
}

bool obv__membarrier_available(void)
{
    return !is_refused;
}

/* Programs ---------------------------------------------------------------- */

static void reset(void)
{
    step_count = 0;
    decision_at = 0;
    shown = false;
    is_refused = false;
    scheduler_forget_schedule();
    preemptions_left = running->preemptions > 0 ? running->preemptions : 0;
    for (int t = 0; t <= home; t++) {
        struct thread *thread = &threads[t];
        thread->begin = thread->end = 0;
        thread->finished = thread->waiting = false;
        thread->heard = -1;
        thread->fresh = true;
        memset(thread->local, 0, local_bytes);
    }
}

static void run_once(void)
{
    reset();
    running->setup();
    for (int t = 0; t < count; t++) {
        threads[t].run = running->threads[t];
        getcontext(&threads[t].context);
        threads[t].context.uc_stack.ss_sp = stacks[t];
        threads[t].context.uc_stack.ss_size = stack_bytes;
        makecontext(&threads[t].context, begin_thread, 0);
    }
    go(decide(count));
    scheduler_membarrier();
    running->check();
}

/* Every schedule, from the first, until nothing more is learned. */
static unsigned long long run_all(void)
{
    unsigned long long schedules = 0;
    decision_count = 0;
    do {
        run_once();
        schedules++;
        if (scheduler_has_learned()) {
            schedules = 0;
            decision_count = 0;
        }
    } while (schedules == 0 || next_schedule());
    return schedules;
}

static bool are_wanted(const char *extent)
{
    const char *asked = getenv("OBV_SCHEDULES");
    return asked && strcmp(asked, extent) == 0;
}

static int bound_of(const struct scheduler_program *program)
{
    int bound = program->preemptions == 0 ? 3 : program->preemptions;
    if (program->costly && !are_wanted("full")) {
        bound = bound > 1 ? bound - 1 : -1;
    }
    return bound > 1 && are_wanted("short") ? bound - 1 : bound;
}

static bool is_meant(const char *name, const char *asked)
{
    size_t length = strlen(asked);
    bool whole = length > 0 && asked[length - 1] == '$';
    length -= whole;
    return strncmp(name, asked, length) == 0 && (!whole || !name[length]);
}

static bool is_asked(const char *name, int argc, char **argv)
{
    bool asked = argc < 2;
    for (int i = 1; i < argc; i++) {
        asked = asked || is_meant(name, argv[i]);
    }
    return asked;
}

void scheduler_run(const struct scheduler_program *program, int argc,
                   char **argv)
{
    struct scheduler_program bounded = *program;
    int bound = bound_of(program);
    if (argc == 2 && strcmp(argv[1], "--costly") == 0) {
        if (program->costly) {
            puts(program->name);
        }
        return;
    }
    if (!is_asked(program->name, argc, argv)) {
        return;
    }
    bounded.preemptions = bound < 0 ? -1 : 1;
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
    scheduler_forget_words();
    for (count = 0; count < SCHEDULER_THREADS_MAX && program->threads[count];) {
        count++;
    }
    running = &bounded; /* learns most, soon */
    unsigned long long schedules = run_all();
    if (bound > 1) {
        bounded.preemptions = bound;
        schedules = run_all();
    }
    printf("ok %s: %llu schedules\n", program->name, schedules);
    fflush(stdout);
}
