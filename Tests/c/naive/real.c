/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands, as the library executes them.
 *
 * A command with `starve` is tried first with a failing allocation: if that
 * refuses it, nothing has changed, and it is done again (FA-2).
 */
#define _DEFAULT_SOURCE

#include "real.h"

#include "../test.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct real real;
uint64_t real_steps;
bool real_trace;
void (*on_difference)(void);

static const struct program *program;
static int next_event, depth;

_Noreturn void differ(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("  ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
    fflush(NULL);
    if (on_difference) {
        on_difference();
    }
    _exit(1);
}

/* What the test allocator finds. */
void test_fail_i64(const char *file, int line, const char *what, int64_t have,
                   int64_t want)
{
    differ("%s:%d: %s is %lld, not %lld", file, line, what, (long long)have,
           (long long)want);
}

static void say(const char *format, ...)
{
    va_list arguments;
    if (real_trace) {
        va_start(arguments, format);
        fprintf(stderr, "%*s", 4 + 2 * depth, "");
        vfprintf(stderr, format, arguments);
        fputs("\n", stderr);
        va_end(arguments);
    }
}

void run_real_listed(const struct list *list)
{
    int count = real.mute ? 0 : list->count;
    for (int i = 0; i < count && i < list->count && !real.over; i++) {
        depth++;
        run_real(&program->nested[list->command[i]]);
        depth--;
    }
}

/* Handlers ---------------------------------------------------------------- */

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    struct real_watch *watch =
        (struct real_watch *)(void *)(uintptr_t)call->kind;
    int number = (int)(watch - real.watch);
    int root_number = number_of_root(root);
    if (real.over || real.mute) {
        return;
    }
    if (next_event == event_count || events[next_event].type == EVENT_ASKED) {
        differ("%s is called for %s; nothing made it due", watch_name(number),
               thing_name(root_number));
    }
    const struct event *event = &events[next_event++];
    say("-> %s for %s%s", watch_name(number), thing_name(root_number),
        call->is_prior ? ", before the store" : "");
    if (event->watch != number || event->root != root_number) {
        differ("%s is called for %s, not %s for %s", watch_name(number),
               thing_name(root_number), watch_name(event->watch),
               thing_name(event->root));
    }
    EXPECT_EQ("prior", call->is_prior, event->type == EVENT_PRIOR);
    void *own = watch->observer < 0 ? (void *)watch
                                    : (void *)real.observer[watch->observer];
    if (observer != own) {
        differ("another observer than that of %s", watch_name(number));
    }
    compare_call(event, call);
    run_real_listed(&watch->on_call);
}

static void dispose(const struct obv_handler_kind *kind, void *observer)
{
    struct real_watch *watch = (struct real_watch *)(void *)(uintptr_t)kind;
    (void)observer;
    if (++watch->disposed != 1) {
        differ("%s is disposed of twice",
               watch_name((int)(watch - real.watch)));
    }
}

static void root_did_deallocate(void *observer,
                                const struct obv_deallocation_notice *notice)
{
    const struct real_observer *own = observer;
    (void)notice;
    real.deaths[own->number]++;
}

/* Observing --------------------------------------------------------------- */

/* Whether the program has a command of one of these kinds for it. */
static bool has_command(int watch, uint64_t verbs)
{
    for (int s = 0; s < program->count; s++) {
        const struct command *command = &program->step[s];
        if (verbs >> command->verb & 1 && command->watch == watch) {
            return true;
        }
    }
    for (int n = 0; n < program->nested_count; n++) {
        const struct command *command = &program->nested[n];
        if (verbs >> command->verb & 1 && command->watch == watch) {
            return true;
        }
    }
    return false;
}

/* Whether a handle is kept: in half of the programs only if a command uses
   it. */
static bool needs_handle(int watch)
{
    const int verbs[] = {ALSO,        STOP,      STOP_PATH, STOP_ALL, CANCEL,
                         CANCEL_WAIT, IMMEDIATE, SCHEDULE,  EXECUTE};
    uint64_t set = 0;
    for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
        set |= UINT64_C(1) << verbs[v];
    }
    for (int w = 0; w < WATCHES; w++) {
        if (has_command(w, UINT64_C(1) << STOP_ALL)) {
            return true; /* of whichever observer */
        }
    }
    return program->seed % 2 == 0 || has_command(watch, set);
}

static uint32_t flags_of(const struct command *command)
{
    static const struct {
        int option;
        uint32_t flag;
    } flags[] = {{IMMEDIATELY, OBV_IMMEDIATE},
                 {DEFERS, OBV_DEFER},
                 {ONCE, OBV_ONCE},
                 {TOKEN, OBV_TOKEN},
                 {INITIAL, OBV_INITIAL},
                 {ANY_ELEMENT, OBV_ANY_ELEMENT},
                 {NET, OBV_NET},
                 {VALUES, OBV_VALUES},
                 {PRIOR, OBV_PRIOR},
                 {RECORDS, OBV_RECORDS}};
    uint32_t result = 0;
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
        result |= command->options & flags[f].option ? flags[f].flag : 0;
    }
    return result;
}

static enum obv_compare compare_of(const struct command *command)
{
    return command->options & COMPARE_ALWAYS     ? OBV_COMPARE_ALWAYS_DIFFERENT
           : command->options & COMPARE_EQUAL    ? OBV_COMPARE_EQUAL
           : command->options & COMPARE_IDENTITY ? OBV_COMPARE_IDENTITY
                                                 : OBV_COMPARE_DECLARED;
}

static void make_pairs(const struct command *command, struct obv_pair *pairs,
                       char (*texts)[TEXT_OF_PATH])
{
    pairs[0].root = root_of(command->thing);
    pairs[0].path = NULL;
    for (int p = 0; p < command->paths; p++) {
        pairs[p].root = pairs[0].root;
        pairs[p].path = path_text(&command->path[p], texts[p]);
    }
}

/* Whether a call is to be made again, because it was starved. */
static bool was_starved(enum obv_status status)
{
    bool starved = status == OBV_E_MEMORY && test_allocation_failed();
    test_fail_allocation(0, false);
    return starved;
}

static void fill_watch(struct real_watch *watch, const struct command *command)
{
    int by = command->by >= 0 ? real.watch[command->by].observer : -1;
    int closure = command->block >= 0 ? real.watch[command->block].closure
                                      : real.closures++;
    obv_release(watch->handle);
    memset(watch, 0, sizeof *watch);
    watch->used = true;
    watch->kind.changed = changed;
    watch->kind.dispose = dispose;
    watch->closure = closure;
    watch->observer = -1;
    if (command->options & TOKEN) {
        return;
    }
    watch->kind.retain = observer_retain;
    watch->kind.release = observer_release;
    watch->kind.flags = OBV_OBSERVER_IS_OBJECT;
    watch->kind.root_did_deallocate = real.hears ? root_did_deallocate : NULL;
    if (command->by >= 0) {
        watch->observer = by;
    } else {
        watch->observer = real.observers;
        make_real_observer(real.observers++);
    }
}

/* The status that the library must answer. */
static enum obv_status answer_to(const struct command *command)
{
    static const enum obv_status statuses[] = {[GRANTED] = OBV_OK,
                                               [NO_SUCH_ELEMENT] = OBV_E_KIND,
                                               [PAST_END] = OBV_E_PAST_END};
    if (next_event == event_count || events[next_event].type != EVENT_ASKED) {
        differ("%s is not called before somebody observes",
               watch_name(command->watch));
    }
    return statuses[events[next_event++].answer];
}

/* The entry for a new observation. If it is refused, the observation that had
   the name before keeps its entry. */
static struct real_watch *watch_for(const struct command *command,
                                    enum obv_status answer)
{
    static struct real_watch refused;
    if (answer != OBV_OK) {
        memset(&refused, 0, sizeof refused);
        refused.kind.changed = changed;
        refused.observer = -1;
        return &refused;
    }
    fill_watch(&real.watch[command->watch], command);
    return &real.watch[command->watch];
}

static void observe(const struct command *command)
{
    enum obv_status answer = answer_to(command);
    struct real_watch *watch = watch_for(command, answer);
    struct obv_pair pairs[PATHS];
    char texts[PATHS][TEXT_OF_PATH];
    struct obv_observe_options options = {.size = sizeof options,
                                          .flags = flags_of(command),
                                          .compare = compare_of(command),
                                          .loop = real.loop[command->loop]};
    if (has_command(command->watch, UINT64_C(1) << ALSO)) {
        options.flags |= OBV_EXTENSIBLE;
    }
    void *observer = watch->observer < 0
                         ? (void *)watch
                         : (void *)real.observer[watch->observer];
    make_pairs(command, pairs, texts);
    size_t count = command->paths ? (size_t)command->paths : 1;
    enum obv_status status;
    do {
        status = obv_observe_pairs(
            pairs, count, &watch->kind, observer, &options,
            needs_handle(command->watch) ? &watch->handle : NULL, NULL);
    } while (was_starved(status));
    EXPECT_EQ("observe", status, answer);
}

static struct obv_class *class_of(const struct command *command)
{
    return command->of_sub ? real.sub_class : real.thing_class;
}

static void observe_class(const struct command *command)
{
    enum obv_status answer = answer_to(command);
    struct real_watch *watch = watch_for(command, answer);
    char text[TEXT_OF_PATH];
    struct obv_observe_options options = {.size = sizeof options,
                                          .flags = flags_of(command),
                                          .compare = compare_of(command),
                                          .loop = real.loop[command->loop]};
    void *observer = watch->observer < 0
                         ? (void *)watch
                         : (void *)real.observer[watch->observer];
    enum obv_status status;
    do {
        status = obv_observe_class(
            class_of(command), path_text(&command->path[0], text), &watch->kind,
            observer, &options,
            needs_handle(command->watch) ? &watch->handle : NULL, NULL);
    } while (was_starved(status));
    watch->of_class = true;
    EXPECT_EQ("class", status, answer);
}

static void observe_also(const struct command *command)
{
    struct obv_pair pairs[PATHS];
    char texts[PATHS][TEXT_OF_PATH];
    enum obv_status answer = answer_to(command);
    make_pairs(command, pairs, texts);
    enum obv_status status;
    do {
        status = obv_observe_also(real.watch[command->watch].handle, pairs,
                                  (size_t)command->paths, NULL);
    } while (was_starved(status));
    EXPECT_EQ("also", status, answer);
}

/* Stopping ---------------------------------------------------------------- */

static void stop_by(const struct command *command)
{
    const struct real_watch *watch = &real.watch[command->watch];
    char texts[PATHS][TEXT_OF_PATH];
    const char *paths[PATHS];
    for (int p = 0; p < command->paths; p++) {
        paths[p] = path_text(&command->path[p], texts[p]);
    }
    const void *observer = real.observer[watch->observer];
    size_t count = (size_t)command->paths;
    bool of_class = command->verb == STOP_BY_CLASS;
    struct obv_object *root = of_class ? NULL : root_of(command->thing);
    enum obv_status status;
    do {
        status = of_class
                     ? obv_stop_class_observer(class_of(command), observer,
                                               paths, count, NULL)
                     : obv_stop_observer(root, observer, paths, count, NULL);
    } while (was_starved(status));
    EXPECT_EQ("stop by", status, OBV_OK);
}

static void stop_paths(const struct command *command)
{
    char text[TEXT_OF_PATH];
    for (int p = 0; p < command->paths; p++) {
        enum obv_status status;
        do {
            status = obv_stop_path(real.watch[command->watch].handle, NULL,
                                   path_text(&command->path[p], text), NULL);
        } while (was_starved(status));
        EXPECT_EQ("stop path", status, OBV_OK);
    }
}

static void stop_block(const struct command *command)
{
    int closure = real.watch[command->watch].closure;
    for (int w = 0; w < WATCHES; w++) {
        const struct obv_handler_kind *kind = &real.watch[w].kind;
        if (!real.watch[w].used || real.watch[w].closure != closure) {
            continue;
        }
        bool of_class = command->verb == STOP_BLOCK_CLASS;
        if (!of_class && !is_foreign(command->thing) &&
            !real.thing[command->thing]) {
            return; /* it has died of the stops before */
        }
        struct obv_object *root = of_class ? NULL : root_of(command->thing);
        enum obv_status status =
            of_class ? obv_stop_class_handler(class_of(command), kind, NULL)
                     : obv_stop_handler(root, kind, NULL);
        EXPECT_EQ("stopblock", status, OBV_OK);
    }
}

static void stop_all(const struct command *command)
{
    int observer = real.watch[command->watch].observer;
    for (int w = 0; w < WATCHES; w++) {
        if (real.watch[w].used && real.watch[w].observer == observer) {
            obv_stop(real.watch[w].handle);
        }
    }
}

static void cancel(struct real_watch *watch)
{
    struct obv_observation *handle = watch->handle;
    watch->handle = NULL;
    obv_stop(handle);
    obv_release(handle);
}

/* Commands ---------------------------------------------------------------- */

/* The thing at the end of `X.a.b`, kept alive: as the caller of a setter does.
   NULL: nil on the way. */
static struct real_thing *place(const struct command *command)
{
    struct real_thing *at = real.thing[command->thing];
    for (int i = 0; i < command->places - 1 && at; i++) {
        val next = real_get(at, command->place[i]);
        at = next < 0 ? NULL : real.thing[next];
    }
    return at;
}

static void set(const struct command *command)
{
    struct real_thing *thing = place(command);
    int property = command->place[command->places - 1];
    bool held = thing_retain(thing);
    real_set(thing, property, command->value);
    if (held) {
        thing_release(thing);
    }
}

static void read_value(const struct command *command)
{
    struct real_thing *thing = place(command);
    bool held = thing_retain(thing);
    (void)real_read(thing, command->place[command->places - 1]);
    if (held) {
        thing_release(thing);
    }
}

static void invalidate_values(const struct command *command)
{
    struct real_thing *thing = command->verb == INVALIDATE
                                   ? place(command)
                                   : real.thing[command->thing];
    bool held = thing_retain(thing);
    enum obv_status status =
        command->verb == FORCE ? obv_validate_all(&thing->object)
        : command->verb == INVALIDATE_ALL
            ? obv_invalidate_all(&thing->object)
            : obv_invalidate(&thing->object,
                             (uint32_t)command->place[command->places - 1]);
    EXPECT_EQ("its status", status, OBV_OK);
    if (held) {
        thing_release(thing);
    }
}

static void drain_everything(void)
{
    for (int round = 0; round < 4; round++) {
        for (int l = 0; l < LOOPS; l++) {
            if (real.loop[l]) {
                (void)obv_loop_drain(real.loop[l]);
            }
        }
    }
}

/* Memory is short for the set; then the same slot is changed again. */
static void set_short(const struct command *command)
{
    struct real_thing *thing = place(command);
    int property = command->place[command->places - 1];
    val before = real_get(thing, property);
    struct real_thing *held[] = {thing, real.thing[command->value],
                                 before < 0 ? NULL : real.thing[before]};
    struct obv_counters counters;
    for (int h = 0; h < 3; h++) {
        held[h] = held[h] && thing_retain(held[h]) ? held[h] : NULL;
    }
    real.mute = true;
    test_fail_allocation(1 + command->starve / 2U, command->starve % 2);
    real_set(thing, property, command->value);
    test_fail_allocation(0, false);
    real_set(thing, property, NIL);
    real_set(thing, property, command->value);
    for (int h = 3; h-- > 0;) {
        if (held[h]) {
            thing_release(held[h]);
        }
    }
    drain_everything();
    real.mute = false;
    obv_context_counters(real.context, &counters);
    real.called_apart = counters.called - world.called;
    real.dropped_apart = counters.dropped - world.dropped;
}

static void *thread_main(void *command)
{
    run_real(command);
    return NULL;
}

static void run_thread(const struct command *command)
{
    pthread_t thread;
    struct command nested = program->nested[command->nested];
    real.self = 1;
    if (pthread_create(&thread, NULL, thread_main, &nested) != 0 ||
        pthread_join(thread, NULL) != 0) {
        differ("no thread could be had");
    }
    real.self = 0;
}

static void add_to(struct list *list, const struct command *command)
{
    list->command[list->count++] = command->nested;
}

static void drain_loop(const struct command *command)
{
    struct obv_loop *loop = real.loop[command->loop];
    ptrdiff_t called = command->limit
                           ? obv_loop_drain_some(loop, command->limit - 1U)
                           : obv_loop_drain(loop);
    if (called < 0) {
        differ("a drain answers %d", (int)called);
    }
    if (depth == 0) {
        EXPECT_EQ("a drain", called, world.drained);
    }
}

static void run_loop(const struct command *command)
{
    struct obv_loop **loop = &real.loop[command->loop];
    if (command->verb == END_LOOP) {
        EXPECT_EQ("endloop", obv_loop_destroy(*loop), OBV_OK);
        *loop = NULL;
    } else {
        EXPECT_EQ("loop", obv_loop_create(real.context, NULL, loop), OBV_OK);
    }
}

static void run_batch(const struct command *command)
{
    int *count = &real.batches[real.self];
    if (command->verb == BATCH) {
        obv_batch_begin(&real.batch[real.self][(*count)++]);
    } else {
        /* Its memory is in use until it returns: what ends in it may begin
           another one. */
        obv_batch_end(&real.batch[real.self][*count - 1]);
        --*count;
    }
}

void run_real(const struct command *command)
{
    struct real_watch *watch =
        command->watch < 0 ? NULL : &real.watch[command->watch];
    char text[400];
    real_steps++;
    if (real_trace) {
        command_text(program, command, text, sizeof text);
        say("%s", text);
    }
    if (command->verb != SHORT_SET) {
        test_fail_allocation(command->starve, false);
    }
    switch ((enum verb)command->verb) {
    case NOTHING:
    case EXPECT:
        break;
    case NEW:
    case NEW_SUB:
    case NEW_LIST:
    case NEW_DICTIONARY:
    case NEW_SET:
        test_fail_allocation(0, false);
        make_thing(command->thing, (enum verb)command->verb);
        break;
    case DROP:
        real.held[command->thing] = false;
        thing_release(real.thing[command->thing]);
        break;
    case ON_DEINIT:
        add_to(&real.on_deinit[command->thing], command);
        break;
    case LOOP:
    case END_LOOP:
        run_loop(command);
        break;
    case SET:
        set(command);
        break;
    case POKE:
        real_poke(place(command), command->place[command->places - 1],
                  command->value);
        break;
    case CANCEL_WAIT:
        EXPECT_EQ("cancelwait", obv_stop_and_wait(watch->handle),
                  !command->refused);
        break;
    case REGISTER:
        real_register(command->thing);
        break;
    case UNREGISTER:
        real_unregister(command->thing);
        break;
    case WRITE:
        real_write(command->thing, command->place[0], command->value);
        break;
    case EDIT:
        real_edit(real.thing[command->thing], command);
        break;
    case SHORT_SET:
        set_short(command);
        break;
    case READ:
        read_value(command);
        break;
    case INVALIDATE:
    case INVALIDATE_ALL:
    case FORCE:
        invalidate_values(command);
        break;
    case TRIGGER:
        real_trigger(program, command, real.thing[command->thing]);
        break;
    case OBSERVE:
        observe(command);
        break;
    case OBSERVE_CLASS:
        observe_class(command);
        break;
    case ALSO:
        observe_also(command);
        break;
    case ON:
        add_to(&watch->on_call, command);
        break;
    case OFF:
        watch->on_call.count = 0;
        break;
    case STOP:
        obv_stop(watch->handle);
        break;
    case STOP_BY:
    case STOP_BY_CLASS:
        stop_by(command);
        break;
    case STOP_PATH:
        stop_paths(command);
        break;
    case STOP_BLOCK:
    case STOP_BLOCK_CLASS:
        stop_block(command);
        break;
    case STOP_ALL:
        stop_all(command);
        break;
    case CANCEL:
        cancel(watch);
        break;
    case DROP_OBSERVER:
        real.observer_held[watch->observer] = false;
        observer_release(real.observer[watch->observer]);
        break;
    case ON_DROP:
        add_to(&real.on_drop[watch->observer], command);
        break;
    case IMMEDIATE:
        obv_make_immediate(watch->handle);
        break;
    case SCHEDULE:
        obv_schedule(watch->handle);
        break;
    case EXECUTE:
        EXPECT_EQ("execute", obv_execute(watch->handle), !command->refused);
        break;
    case DRAIN:
        drain_loop(command);
        break;
    case BATCH:
    case END:
        run_batch(command);
        break;
    case THREAD:
        run_thread(command);
        break;
    }
}

void real_step(const struct command *command)
{
    next_event = 0;
    run_real(command);
    test_fail_allocation(0, false);
    if (next_event != event_count) {
        const struct event *event = &events[next_event];
        if (event->type == EVENT_ASKED) {
            differ("somebody has not come to observe");
        }
        differ("%s is not called for %s", watch_name(event->watch),
               thing_name(event->root));
    }
}

/* Programs ---------------------------------------------------------------- */

static void diagnose(void *unused, const struct obv_diagnostic *diagnostic)
{
    (void)unused;
    real.reports += diagnostic->kind == OBV_DIAGNOSTIC_UNRESOLVED ||
                    diagnostic->kind == OBV_DIAGNOSTIC_DEPTH ||
                    diagnostic->kind == OBV_DIAGNOSTIC_TRIGGER;
}

void real_begin(const struct program *of)
{
    struct obv_context_options options = {.size = sizeof options,
                                          .allocator = test_allocator(),
                                          .diagnose = diagnose,
                                          .reclaim_batch = 8};
    memset(&real, 0, sizeof real);
    program = of;
    depth = 0;
    real.blocks = test_live_blocks();
    real.by_index = of->seed % 4 == 0;
    real.tells = of->seed % 3 != 0;
    real.hears = of->seed % 5 < 3;
    EXPECT_EQ("a context", obv_context_create(&options, &real.context), OBV_OK);
    make_classes();
    make_foreign_class(of);
    real.loop[0] = obv_context_loop(real.context);
}

static void stop_everything(void)
{
    for (int w = 0; w < WATCHES; w++) {
        struct real_watch *watch = &real.watch[w];
        if (watch->of_class && !watch->handle && !watch->disposed) {
            /* Its observer may be nobody, and no root ends it. */
            (void)obv_stop_class_handler(real.thing_class, &watch->kind, NULL);
            (void)obv_stop_class_handler(real.sub_class, &watch->kind, NULL);
        }
        obv_stop(watch->handle);
        obv_release(watch->handle);
        watch->handle = NULL;
    }
    while (real.batches[0] > 0) {
        obv_batch_end(&real.batch[0][--real.batches[0]]);
    }
    drain_everything();
}

static void drop_everything(void)
{
    for (int t = 0; t < THINGS; t++) {
        struct real_thing *thing = real.thing[t];
        if (!thing) {
            continue;
        }
        (void)thing_retain(thing);
        if (obv_object_class(&thing->object) == real.thing_class ||
            obv_object_class(&thing->object) == real.sub_class) {
            for (int p = A; p <= W; p++) {
                real_set(thing, p, NIL);
            }
            real_set(thing, F, NIL);
            for (int p = L; p <= SET_OF_THINGS; p++) {
                real_set(thing, p, NIL);
            }
            real_set(thing, PICK, NIL);
            real_set(thing, FAR, NIL);
        }
        if (real.held[t]) {
            real.held[t] = false;
            thing_release(thing);
        }
        thing_release(thing);
    }
    for (int a = THINGS; a < THINGS + ADDRESSES; a++) {
        real_unregister(a);
    }
    for (int o = 0; o < OBSERVERS; o++) {
        if (real.observer_held[o]) {
            real.observer_held[o] = false;
            observer_release(real.observer[o]);
        }
    }
}

/* Stops, releases and drops everything; nothing may be left. */
void real_end(void)
{
    real.over = true;
    stop_everything();
    drop_everything();
    drain_everything();
    for (int w = 0; w < WATCHES; w++) {
        if (real.watch[w].used && real.watch[w].disposed != 1) {
            differ("%s is never disposed of", watch_name(w));
        }
    }
    for (int t = 0; t < THINGS; t++) {
        if (real.thing[t]) {
            differ("%s is still held", thing_name(t));
        }
    }
    for (int a = 0; a < ADDRESSES; a++) {
        EXPECT_EQ("references", real.foreign[a].references, 0);
    }
    for (int o = 0; o < OBSERVERS; o++) {
        if (real.observer[o]) {
            differ("an observer object is still held");
        }
    }
    for (int l = 1; l < LOOPS; l++) {
        if (real.loop[l]) {
            EXPECT_EQ("endloop", obv_loop_destroy(real.loop[l]), OBV_OK);
        }
    }
    EXPECT_EQ("the context", obv_context_destroy(real.context), OBV_OK);
    EXPECT_EQ("blocks of memory left", test_live_blocks(), real.blocks);
}
