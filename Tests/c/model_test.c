/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A naive model against the core, in one thread: random programs of sets,
 * observations, stops, deaths, drains and failing allocations, also from inside
 * handlers. The model shares nothing with the core: it has the graph, the
 * pairs and two queues, and works everything out anew from them: what a set
 * makes due is what differs between two walks of each path.
 *
 * After each step: who was called in which order, for which root, counts of
 * observers, pending and dropped calls, ended handles, disposed handlers; at
 * the end of a program: nothing has leaked. What differs is printed as a script
 * of the fewest steps that still differ.
 *
 * One tolerance: where a path crosses the edited slot twice (a cyclic graph),
 * the core may compare with what lay between; then a call too many is good, and
 * the order is not looked at.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test.h"

#include <observable/observable.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THINGS = 12, EYES = 6, WATCHES = 8, PAIRS = 6, DEPTH = 5, STEPS = 120 };
enum { BATCHES = 3 };
enum { A, B, I, J, K, PROPERTIES, EVERY = PROPERTIES, UNKNOWN };
enum { PLAIN_EYE = 4 /* from here on: no hooks, no objects */ };

static const char *const names[] = {"a", "b", "i", "j", "k", "*", "zz"};

/* What the core sees ------------------------------------------------------ */

struct thing {
    struct obv_object object;
    int references, number;
    struct thing *a, *b;
    int64_t i;
    int32_t j;
    int64_t k; /* of a Sub only */
};

OBV_PROPERTY(thing, a, object, A)
OBV_PROPERTY(thing, b, object, B)
OBV_PROPERTY(thing, i, i64, I)
OBV_PROPERTY(thing, j, i32, J)
OBV_PROPERTY(thing, k, i64, K)

static const struct obv_property thing_properties[] = {
    OBV_FIELD_OBJECT(thing, a, "Thing"), OBV_FIELD_OBJECT(thing, b, "Thing"),
    OBV_FIELD(thing, i, i64), OBV_FIELD(thing, j, i32),
    OBV_FIELD(thing, k, i64)};

struct eye {
    struct obv_object object;
    int references, number;
};

/* The world, and the model of it ------------------------------------------ */

struct pair {
    bool linked;
    int root;
    int path[DEPTH], length;
    uint64_t serial;
};

struct step {
    int kind;
    uint32_t x, y, z, flags;
    uint64_t pairs; /* where random paths come from */
};

struct watch {
    struct obv_handler_kind kind;
    struct obv_observation *handle;
    bool used, linked, pending, cancelled, immediate, defers, token;
    int eye, loop, running, for_root;
    uint64_t serial, called_in;
    size_t disposed;
    struct pair pairs[PAIRS];
    struct step handler[2];       /* what its handler does */
    bool wanted, allowed, called; /* while tolerant */
};

struct call {
    struct watch *watch;
    struct pair *pair;
    uint64_t serial, pair_serial;
    int root;
};

struct queue {
    struct watch *current[WATCHES], *later[WATCHES];
    int currents, laters, depth;
    uint64_t cycle;
};

static struct obv_context *context;
static struct obv_loop *loops[2];
static struct obv_class *thing_class, *sub_class, *eye_class;

static struct thing *things[THINGS];
static struct eye *eyes[EYES];
static struct eye plain_eyes[EYES];
static struct watch watches[WATCHES];

static struct {
    bool alive, held, is_sub;
    int holds; /* by steps that run */
    int64_t value[PROPERTIES];
    int child[2]; /* -1: none */
} model[THINGS];
static struct {
    bool alive, held;
    int holds;
} model_eye[EYES];
static struct queue queues[2];
static struct obv_batch batches[BATCHES];
static struct watch *aside[WATCHES]; /* until the outermost batch ends */
static int asides, batch_depth;
static uint64_t serials, model_dropped, model_called;
static int depth; /* handlers that are running */
static bool tolerant, starved, healing, trace;
static struct call *expected; /* immediate calls of the change under way */
static int expected_count, expected_next;

static void run_step(const struct step *step);

#define SAY(...)                                                               \
    do {                                                                       \
        if (trace) {                                                           \
            fprintf(stderr, "    %*s", 2 * depth, "");                         \
            fprintf(stderr, __VA_ARGS__);                                      \
            fprintf(stderr, "\n");                                             \
        }                                                                      \
    } while (0)

/* Deaths ------------------------------------------------------------------ */

static void end_watch(struct watch *watch)
{
    watch->linked = false;
    for (int p = 0; p < PAIRS; p++) {
        watch->pairs[p].linked = false;
    }
    watch->cancelled =
        watch->cancelled || watch->token || watch->eye >= PLAIN_EYE;
}

static void end_pair(struct watch *watch, struct pair *pair)
{
    bool any = false;
    pair->linked = false;
    for (int p = 0; p < PAIRS; p++) {
        any = any || watch->pairs[p].linked;
    }
    if (watch->linked && !any) {
        end_watch(watch);
    }
}

static int references_to(int thing)
{
    int count = model[thing].held + model[thing].holds;
    for (int t = 0; t < THINGS; t++) {
        count += model[t].alive && model[t].child[A] == thing;
        count += model[t].alive && model[t].child[B] == thing;
    }
    for (int w = 0; w < WATCHES; w++) {
        count += watches[w].pending && watches[w].for_root == thing;
    }
    return count;
}

static int references_to_eye(int eye)
{
    int count = model_eye[eye].held + model_eye[eye].holds;
    for (int w = 0; w < WATCHES; w++) {
        count += watches[w].pending && watches[w].eye == eye;
    }
    return count;
}

static void thing_dies(int thing)
{
    model[thing].alive = false;
    model[thing].child[A] = model[thing].child[B] = -1;
    for (int w = 0; w < WATCHES; w++) {
        for (int p = 0; p < PAIRS; p++) {
            struct pair *pair = &watches[w].pairs[p];
            if (pair->linked && pair->root == thing) {
                end_pair(&watches[w], pair);
            }
        }
    }
}

/* Whoever is not referenced any more dies. */
static void reap(void)
{
    bool again = true;
    while (again) {
        again = false;
        for (int t = 0; t < THINGS; t++) {
            if (model[t].alive && references_to(t) == 0) {
                thing_dies(t);
                again = true;
            }
        }
        for (int e = 0; e < PLAIN_EYE; e++) {
            if (model_eye[e].alive && references_to_eye(e) == 0) {
                model_eye[e].alive = false;
                for (int w = 0; w < WATCHES; w++) {
                    if (watches[w].linked && watches[w].eye == e) {
                        end_watch(&watches[w]);
                    }
                }
                again = true;
            }
        }
    }
}

static bool thing_retain(struct obv_object *object)
{
    struct thing *thing = (struct thing *)object;
    thing->references += thing->references > 0;
    return thing->references > 0;
}

static void thing_release(struct obv_object *object)
{
    struct thing *thing = (struct thing *)object;
    if (--thing->references == 0) {
        things[thing->number] = NULL;
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(thing);
    }
}

static bool eye_retain(void *observer)
{
    struct eye *eye = observer;
    eye->references += eye->references > 0;
    return eye->references > 0;
}

static void eye_release(void *observer)
{
    struct eye *eye = observer;
    if (--eye->references == 0) {
        eyes[eye->number] = NULL;
        CHECK_EQ(obv_object_deinit(&eye->object), OBV_OK);
        free(eye);
    }
}

static bool eye_object_retain(struct obv_object *object)
{
    return eye_retain(object);
}

static void eye_object_release(struct obv_object *object)
{
    eye_release(object);
}

static void hold_thing(int t)
{
    model[t].holds++;
    CHECK(thing_retain(&things[t]->object));
}

static void let_thing_go(int t)
{
    model[t].holds--;
    thing_release(&things[t]->object);
    reap();
}

static void *eye_of(int e)
{
    return e < PLAIN_EYE ? eyes[e] : &plain_eyes[e];
}

/* Walks ------------------------------------------------------------------- */

static bool has_property(int thing, int element)
{
    return element == EVERY || element < K ||
           (element == K && model[thing].is_sub);
}

/* The container of each element; -1 from where the path leads nowhere. */
static void walk(const struct pair *pair, int containers[DEPTH])
{
    int at = pair->root;
    for (int e = 0; e < pair->length; e++) {
        int element = pair->path[e];
        if (at >= 0 && !has_property(at, element)) {
            at = -1;
        }
        containers[e] = at;
        at = at >= 0 && element <= B ? model[at].child[element] : -1;
    }
}

struct endpoint {
    int container;
    bool is_sub;
    int64_t value[PROPERTIES];
    int crossings;
    bool direct;
};

static bool is_slot(int element, int property)
{
    return element == property || element == EVERY;
}

static struct endpoint endpoint_of(const struct pair *pair, int edited,
                                   int property)
{
    int containers[DEPTH], last = pair->length - 1;
    struct endpoint end = {.container = -1};
    walk(pair, containers);
    for (int e = 0; e <= last; e++) {
        end.crossings +=
            containers[e] == edited && is_slot(pair->path[e], property);
    }
    end.container = containers[last];
    end.direct = end.container == edited && is_slot(pair->path[last], property);
    for (int p = 0; end.container >= 0 && p < PROPERTIES; p++) {
        if (is_slot(pair->path[last], p)) {
            end.value[p] = p <= B ? model[end.container].child[p]
                                  : model[end.container].value[p];
        }
    }
    end.is_sub = end.container >= 0 && pair->path[last] == EVERY &&
                 model[end.container].is_sub;
    return end;
}

static bool endpoints_differ(const struct endpoint *a, const struct endpoint *b)
{
    return (a->container < 0) != (b->container < 0) || a->is_sub != b->is_sub ||
           memcmp(a->value, b->value, sizeof a->value) != 0;
}

static bool is_resolved(const struct pair *pair)
{
    return has_property(pair->root, pair->path[0]);
}

/* Delivery ---------------------------------------------------------------- */

static void push(struct watch *watch)
{
    struct queue *queue = &queues[watch->loop];
    if (queue->depth != 0 && watch->called_in == queue->cycle) {
        queue->later[queue->laters++] = watch;
    } else if (queue->depth == 0 && queue->laters != 0) {
        queue->later[queue->laters++] = watch; /* behind what was kept */
    } else {
        queue->current[queue->currents++] = watch;
    }
}

static void post(struct watch *watch, int root, bool keep)
{
    struct queue *queue = &queues[watch->loop];
    bool called = queue->depth != 0 && watch->called_in == queue->cycle;
    if (watch->pending) {
        return;
    }
    if (called && !keep) {
        model_dropped++;
        return;
    }
    watch->pending = true;
    watch->for_root = root;
    if (batch_depth != 0) {
        aside[asides++] = watch;
    } else {
        push(watch);
    }
}

static void begin_batch(void)
{
    if (batch_depth < BATCHES) {
        SAY("batch");
        obv_batch_begin(&batches[batch_depth++]);
    }
}

static void end_batch(void)
{
    if (batch_depth == 0) {
        return;
    }
    SAY("end");
    if (--batch_depth == 0) {
        int count = asides;
        asides = 0;
        for (int a = 0; a < count; a++) {
            if (aside[a]->cancelled) {
                aside[a]->pending = false;
            } else {
                push(aside[a]);
            }
        }
    }
    obv_batch_end(&batches[batch_depth]);
    reap();
}

static void begin_drain(struct queue *queue)
{
    queue->cycle += queue->depth++ == 0;
    for (int i = 0; i < queue->laters; i++) {
        queue->current[queue->currents++] = queue->later[i];
    }
    queue->laters = 0;
}

static struct watch *next_pending(struct queue *queue)
{
    while (queue->currents != 0) {
        struct watch *watch = queue->current[0];
        queue->currents--;
        memmove(queue->current, queue->current + 1,
                (size_t)queue->currents * sizeof watch);
        if (watch->called_in != queue->cycle) {
            return watch;
        }
        queue->later[queue->laters++] = watch;
    }
    return NULL;
}

/* What the core has just entered is what the model would have. */
static int expect_delayed(struct watch *watch)
{
    struct queue *queue = &queues[watch->loop];
    struct watch *next;
    if (tolerant) {
        CHECK(watch->allowed && !watch->called);
        watch->called = true;
        return -1;
    }
    do {
        next = next_pending(queue);
        CHECK(next != NULL);
        next->pending = false;
        next->called_in = queue->cycle;
        if (next->cancelled) {
            reap(); /* what it held */
        }
    } while (next->cancelled);
    CHECK_EQ(watch - watches, next - watches);
    model_called++;
    return watch->for_root;
}

static int expect_immediate(struct watch *watch)
{
    if (tolerant) {
        CHECK(watch->allowed && !watch->called);
        watch->called = true;
        return -1;
    }
    while (expected_next < expected_count) {
        struct call *call = &expected[expected_next++];
        if (call->watch->linked && call->watch->serial == call->serial &&
            call->pair->linked && call->pair->serial == call->pair_serial) {
            CHECK_EQ(watch - watches, call->watch - watches);
            return call->root;
        }
    }
    test_fail(__FILE__, __LINE__, "an immediate call that nothing made due");
    return -1;
}

enum { BY_CHANGE, BY_DRAIN, BY_HAND };
static int called_by;
static struct watch *by_hand;
static int by_hand_root;

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    struct watch *watch = (struct watch *)(void *)(uintptr_t)call->kind;
    int number = ((struct thing *)root)->number;
    int was_by = called_by, want;
    struct watch *was_hand = by_hand;
    CHECK(observer == eye_of(watch->eye));
    model[number].holds++;
    model_eye[watch->eye].holds++;
    if (called_by == BY_HAND && watch == by_hand) {
        want = by_hand_root;
        by_hand = was_hand = NULL;
    } else {
        want = called_by == BY_DRAIN ? expect_delayed(watch)
                                     : expect_immediate(watch);
    }
    CHECK(want < 0 || want == number);
    SAY("-> W%d called for T%d", (int)(watch - watches), number);
    watch->running++;
    depth++;
    for (int s = 0; s < 2 && depth <= 3 && !tolerant; s++) {
        const struct step step = watch->handler[s];
        run_step(&step);
    }
    depth--;
    watch->running--;
    model_eye[watch->eye].holds--;
    model[number].holds--;
    called_by = was_by;
    by_hand = was_hand;
    reap();
}

static void dispose(const struct obv_handler_kind *kind, void *observer)
{
    struct watch *watch = (struct watch *)(void *)(uintptr_t)kind;
    (void)observer;
    CHECK_EQ(watch->disposed, 0);
    watch->disposed++;
}

/* Setting ----------------------------------------------------------------- */

static int by_serial(const void *a, const void *b)
{
    const struct call *left = a, *right = b;
    return (left->serial > right->serial) - (left->serial < right->serial);
}

/* The first pair of a watch that a change makes due, or NULL. */
static struct pair *due_pair(struct watch *watch, int edited, int property,
                             struct endpoint before[PAIRS], bool *unsure)
{
    struct pair *found = NULL;
    for (int p = 0; p < PAIRS; p++) {
        struct pair *pair = &watch->pairs[p];
        if (!pair->linked || !is_resolved(pair)) {
            continue;
        }
        struct endpoint after = endpoint_of(pair, edited, property);
        bool due = (before[p].direct && after.direct) ||
                   endpoints_differ(&before[p], &after);
        if (due && (!found || pair->serial < found->serial)) {
            found = pair;
        }
        if (!due && starved && before[p].crossings + after.crossings > 0) {
            *unsure = true;
            watch->allowed = true;
        }
    }
    return found;
}

static void store(int t, int property, int64_t value)
{
    if (property <= B) {
        model[t].child[property] = (int)value;
    } else {
        model[t].value[property] = value;
    }
}

static void core_set(int t, int property, int64_t value)
{
    struct thing *other = property <= B && value >= 0 ? things[value] : NULL;
    switch (property) {
    case A:
        thing_set_a(things[t], other);
        break;
    case B:
        thing_set_b(things[t], other);
        break;
    case I:
        thing_set_i(things[t], value);
        break;
    case J:
        thing_set_j(things[t], (int32_t)value);
        break;
    default:
        thing_set_k(things[t], value);
        break;
    }
}

/* What a change makes due, in order; whether the model is unsure of any. */
static bool work_out(int t, int property, int64_t value,
                     struct call calls[WATCHES], int *count)
{
    static struct endpoint before[WATCHES][PAIRS];
    bool unsure = false;
    *count = 0;
    for (int w = 0; w < WATCHES; w++) {
        for (int p = 0; p < PAIRS; p++) {
            if (watches[w].pairs[p].linked) {
                before[w][p] = endpoint_of(&watches[w].pairs[p], t, property);
            }
        }
    }
    store(t, property, value);
    for (int w = 0; w < WATCHES; w++) {
        struct watch *watch = &watches[w];
        watch->allowed = watch->wanted = watch->called = false;
        struct pair *pair = due_pair(watch, t, property, before[w], &unsure);
        if (pair) {
            watch->allowed = true;
            watch->wanted = !healing;
            calls[(*count)++] = (struct call){watch, pair, watch->serial,
                                              pair->serial, pair->root};
        }
    }
    qsort(calls, (size_t)*count, sizeof *calls, by_serial);
    return unsure;
}

static void run_drain(int l, size_t limit);

/* The core may call more than the model is sure of: only what must come and
   what may come is checked, and both queues are emptied at once. */
static void set_tolerant(int t, int property, int64_t value)
{
    tolerant = true;
    SAY("(tolerant)");
    core_set(t, property, value);
    for (int w = 0; w < WATCHES; w++) {
        CHECK(!watches[w].immediate || !watches[w].wanted || watches[w].called);
    }
    test_fail_allocation(0, false);
    for (int l = 0; l < 2; l++) {
        called_by = BY_DRAIN;
        ptrdiff_t count = obv_loop_drain(loops[l]);
        CHECK(count >= 0);
        model_called += (uint64_t)count;
        called_by = BY_CHANGE;
    }
    for (int w = 0; w < WATCHES; w++) {
        CHECK(!watches[w].wanted || watches[w].called);
    }
    tolerant = false;
}

static bool any_pending(void)
{
    return queues[0].currents + queues[0].laters + queues[1].currents +
               queues[1].laters + batch_depth !=
           0;
}

/* Drains until nothing is pending; false: handlers go on and on. */
static bool empty_queues(void)
{
    while (batch_depth != 0) {
        end_batch();
    }
    for (int round = 0; round < 4 && any_pending(); round++) {
        run_drain(0, SIZE_MAX);
        run_drain(1, SIZE_MAX);
    }
    return !any_pending();
}

static void set(int t, int property, int64_t value)
{
    struct call calls[WATCHES];
    int count;
    int64_t old =
        property <= B ? model[t].child[property] : model[t].value[property];
    SAY(property <= B ? "set T%d.%s T%d" : "set T%d.%s %d", t, names[property],
        (int)value);
    if (old == value) {
        core_set(t, property, value);
        return;
    }
    bool unsure = work_out(t, property, value, calls, &count) || starved;
    if (unsure && (depth != 0 || any_pending())) {
        store(t, property, old);
        if (depth == 0 && empty_queues() &&
            (property > B || value < 0 || model[value].alive)) {
            set(t, property, value);
        } else {
            SAY("(left out)");
        }
        return;
    }
    if (property <= B && old >= 0) {
        model[old].holds++;
    }
    if (unsure) {
        set_tolerant(t, property, value);
    } else {
        struct call *outer = expected;
        int outer_count = expected_count, outer_next = expected_next;
        struct call immediate[WATCHES];
        expected_count = expected_next = 0;
        for (int c = 0; c < count; c++) {
            if (calls[c].watch->immediate) {
                immediate[expected_count++] = calls[c];
            } else {
                post(calls[c].watch, calls[c].root, calls[c].watch->defers);
            }
        }
        expected = immediate;
        int was_by = called_by;
        called_by = BY_CHANGE;
        core_set(t, property, value);
        called_by = was_by;
        while (expected_next < expected_count) {
            struct call *call = &expected[expected_next++];
            CHECK(!(call->watch->linked &&
                    call->watch->serial == call->serial && call->pair->linked &&
                    call->pair->serial == call->pair_serial));
        }
        expected = outer;
        expected_count = outer_count;
        expected_next = outer_next;
    }
    if (property <= B && old >= 0) {
        model[old].holds--;
    }
    reap();
}

/* Comparing --------------------------------------------------------------- */

static size_t model_count(int t, int property)
{
    size_t count = 0;
    for (int w = 0; w < WATCHES; w++) {
        bool crosses = false;
        for (int p = 0; p < PAIRS; p++) {
            const struct pair *pair = &watches[w].pairs[p];
            int containers[DEPTH];
            if (!pair->linked) {
                continue;
            }
            walk(pair, containers);
            for (int e = 0; e < pair->length; e++) {
                crosses = crosses || (containers[e] == t &&
                                      (property == EVERY
                                           ? pair->path[e] == EVERY
                                           : is_slot(pair->path[e], property)));
            }
        }
        count += crosses;
    }
    return count;
}

static void compare(void)
{
    size_t live = 0;
    for (int t = 0; t < THINGS; t++) {
        CHECK_EQ(model[t].alive, things[t] != NULL);
        for (int p = 0; model[t].alive && p <= EVERY; p++) {
            if (p != K || model[t].is_sub) {
                CHECK_EQ(obv_observer_count(&things[t]->object, names[p]),
                         model_count(t, p));
            }
        }
    }
    for (int w = 0; w < WATCHES; w++) {
        const struct watch *watch = &watches[w];
        if (watch->used) {
            bool busy = watch->linked || watch->pending || watch->running;
            live += busy || watch->handle;
            CHECK_EQ(watch->disposed, !busy);
            CHECK(!watch->handle ||
                  obv_has_ended(watch->handle) == !watch->linked);
        }
    }
    struct obv_counters counters;
    obv_context_counters(context, &counters);
    CHECK_EQ(counters.dropped, model_dropped);
    CHECK_EQ(counters.observations, live);
    if (depth == 0) {
        CHECK_EQ(counters.called, model_called);
    }
    for (int l = 0; l < 2; l++) {
        CHECK_EQ(obv_loop_pending(loops[l]),
                 queues[l].currents + queues[l].laters);
    }
}

/* Steps ------------------------------------------------------------------- */

static int alive_thing(uint32_t x)
{
    for (int i = 0; i < THINGS; i++) {
        int t = (int)((x + (uint32_t)i) % THINGS);
        if (model[t].alive) {
            return t;
        }
    }
    return -1;
}

static struct watch *used_watch(uint32_t x)
{
    for (int i = 0; i < WATCHES; i++) {
        struct watch *watch = &watches[(x + (uint32_t)i) % WATCHES];
        if (watch->used && watch->handle) {
            return watch;
        }
    }
    return NULL;
}

/* A random path: objects on the way, anything at the end. */
static int random_path(uint64_t *bits, int path[DEPTH])
{
    static const int lengths[] = {1, 1, 1, 2, 2, 3, 4, 5};
    int length = lengths[*bits % 8];
    *bits >>= 3;
    for (int e = 0; e < length - 1; e++) {
        path[e] = *bits % 16 == 0 ? I : (int)(*bits % 2);
        *bits >>= 4;
    }
    static const int ends[] = {A,     B,     I, I, J, J, K, K,
                               EVERY, EVERY, I, A, I, J, I, UNKNOWN};
    path[length - 1] = ends[*bits % 16];
    *bits = (*bits >> 4) * UINT64_C(0x9E3779B97F4A7C15) + 1;
    *bits ^= *bits >> 29;
    return length;
}

static const char *path_text(const int *path, int length, char text[32])
{
    text[0] = '\0';
    for (int e = 0; e < length; e++) {
        strcat(text, e ? "." : "");
        strcat(text, names[path[e]]);
    }
    return text;
}

static bool same_pair(const struct pair *a, const struct pair *b)
{
    return a->linked && a->root == b->root && a->length == b->length &&
           memcmp(a->path, b->path, (size_t)a->length * sizeof(int)) == 0;
}

/* Adds pairs to the model, each once. */
static void add_pairs(struct watch *watch, const struct pair *pairs, int count)
{
    for (int i = 0; i < count; i++) {
        int free_place = -1;
        bool found = false;
        for (int p = PAIRS; p-- > 0;) {
            found = found || same_pair(&watch->pairs[p], &pairs[i]);
            free_place = watch->pairs[p].linked ? free_place : p;
        }
        if (!found) {
            CHECK(free_place >= 0);
            watch->pairs[free_place] = pairs[i];
            watch->pairs[free_place].linked = true;
            watch->pairs[free_place].serial = ++serials;
        }
    }
}

static int random_pairs(const struct step *step, struct pair *pairs,
                        struct obv_pair *given, char texts[][32])
{
    uint64_t bits = step->pairs;
    int count = 1 + (int)(step->z % 3);
    for (int i = 0; i < count; i++) {
        pairs[i].root = alive_thing((uint32_t)(bits >> 40));
        pairs[i].length = random_path(&bits, pairs[i].path);
        pairs[i].linked = true;
        given[i].root = &things[pairs[i].root]->object;
        given[i].path = path_text(pairs[i].path, pairs[i].length, texts[i]);
        SAY("    T%d %s", pairs[i].root, texts[i]);
    }
    return count;
}

static void fill_watch(struct watch *watch, const struct step *step, int e)
{
    memset(watch, 0, sizeof *watch);
    watch->eye = e;
    watch->loop = (int)(step->flags >> 8) % 2;
    watch->immediate = step->flags % 4 == 0;
    watch->token = step->flags % 7 == 0;
    watch->defers = watch->token || step->flags % 5 == 0;
    watch->kind.changed = changed;
    watch->kind.dispose = dispose;
    if (e < PLAIN_EYE) {
        watch->kind.retain = eye_retain;
        watch->kind.release = eye_release;
        watch->kind.flags = OBV_OBSERVER_IS_OBJECT;
    }
    for (int s = 0; s < 2; s++) {
        uint64_t bits = step->pairs * (s ? 0x9E3779B97F4A7C15u : 0xBF58476D1u);
        watch->handler[s] =
            (struct step){.kind = bits >> 62 ? -1 : (int)(bits >> 50) % 105,
                          .x = (uint32_t)(bits >> 8) % 1009,
                          .y = (uint32_t)(bits >> 20) % 1013,
                          .z = (uint32_t)(bits >> 30) % 1019,
                          .flags = (uint32_t)(bits >> 33) % 1021,
                          .pairs = bits ^ step->pairs};
    }
}

static bool observe(const struct step *step)
{
    struct pair pairs[3];
    struct obv_pair given[3];
    char texts[3][32];
    struct watch *watch = NULL;
    int e = (int)(step->y % EYES);
    for (int w = 0; w < WATCHES; w++) {
        watch = watches[w].used ? watch : &watches[w];
    }
    if (!watch || (e < PLAIN_EYE && !model_eye[e].alive) ||
        alive_thing(0) < 0) {
        return true;
    }
    SAY("observe W%d by E%d (flags %u, loop %d)", (int)(watch - watches), e,
        step->flags, (int)(step->flags >> 8) % 2);
    int count = random_pairs(step, pairs, given, texts);
    fill_watch(watch, step, e);
    struct obv_observe_options options = {
        .size = sizeof options,
        .loop = loops[watch->loop],
        .flags = (watch->immediate ? (uint32_t)OBV_IMMEDIATE : 0) |
                 (watch->token ? (uint32_t)OBV_TOKEN : 0) |
                 (watch->defers ? (uint32_t)OBV_DEFER : 0) |
                 (step->x % 3 == 0 ? (uint32_t)OBV_EXTENSIBLE : 0)};
    enum obv_status status =
        obv_observe_pairs(given, (size_t)count, &watch->kind, eye_of(e),
                          &options, &watch->handle, NULL);
    if (status == OBV_OK) {
        watch->used = watch->linked = true;
        watch->serial = ++serials;
        add_pairs(watch, pairs, count);
    } else {
        CHECK_EQ(status, OBV_E_MEMORY);
        CHECK(test_allocation_failed());
        memset(watch, 0, sizeof *watch);
    }
    return status == OBV_OK;
}

static void observe_also(const struct step *step)
{
    struct pair pairs[3];
    struct obv_pair given[3];
    char texts[3][32];
    struct watch *watch = used_watch(step->x);
    int room = 0;
    for (int p = 0; watch && p < PAIRS; p++) {
        room += !watch->pairs[p].linked;
    }
    if (room < 3 || alive_thing(0) < 0) {
        return;
    }
    SAY("also W%d", (int)(watch - watches));
    int count = random_pairs(step, pairs, given, texts);
    enum obv_status status =
        obv_observe_also(watch->handle, given, (size_t)count, NULL);
    if (status == OBV_OK) {
        add_pairs(watch, pairs, count);
    } else {
        CHECK(status == OBV_E_OPTIONS ||
              (status == OBV_E_ENDED && !watch->linked) ||
              (status == OBV_E_MEMORY && test_allocation_failed()));
    }
}

static bool follows(const struct pair *pair, const int *path, int length)
{
    return pair->linked && pair->length == length &&
           memcmp(pair->path, path, (size_t)length * sizeof(int)) == 0;
}

static void stop_path(const struct step *step)
{
    struct watch *watch = used_watch(step->x);
    int root = step->y % 3 == 0 ? -1 : alive_thing(step->y), path[DEPTH];
    uint64_t bits = step->pairs;
    char text[32];
    if (!watch) {
        return;
    }
    int length = random_path(&bits, path);
    const struct pair *like = &watch->pairs[step->z % PAIRS];
    if (like->linked) { /* mostly one that it has */
        length = like->length;
        memcpy(path, like->path, sizeof path);
        root = root < 0 ? -1 : like->root;
    }
    path_text(path, length, text);
    SAY("stop W%d T%d %s", (int)(watch - watches), root, text);
    enum obv_status status = obv_stop_path(
        watch->handle, root < 0 ? NULL : &things[root]->object, text, NULL);
    if (status != OBV_OK) {
        CHECK(status == OBV_E_MEMORY && test_allocation_failed());
        return;
    }
    for (int p = 0; p < PAIRS; p++) {
        struct pair *pair = &watch->pairs[p];
        if (follows(pair, path, length) && (root < 0 || pair->root == root)) {
            end_pair(watch, pair);
        }
    }
}

static void stop_observer(const struct step *step)
{
    int root = alive_thing(step->x), e = (int)(step->y % EYES), path[DEPTH];
    uint64_t bits = step->pairs;
    char text[32];
    const char *paths[1] = {text};
    bool all = step->z % 2 == 0;
    if (root < 0 || (e < PLAIN_EYE && !model_eye[e].alive)) {
        return;
    }
    int length = random_path(&bits, path);
    path_text(path, length, text);
    SAY("stop observer E%d at T%d %s", e, root, all ? "" : text);
    enum obv_status status = obv_stop_observer(&things[root]->object, eye_of(e),
                                               paths, all ? 0 : 1, NULL);
    if (status != OBV_OK) {
        CHECK(status == OBV_E_MEMORY && test_allocation_failed());
        return;
    }
    for (int w = 0; w < WATCHES; w++) {
        for (int p = 0; p < PAIRS; p++) {
            struct pair *pair = &watches[w].pairs[p];
            if (watches[w].eye == e && pair->linked && pair->root == root &&
                (all || follows(pair, path, length))) {
                end_pair(&watches[w], pair);
            }
        }
    }
}

static void stop_handler(const struct step *step)
{
    struct watch *watch = used_watch(step->x);
    int root = alive_thing(step->y);
    if (!watch || root < 0) {
        return;
    }
    SAY("stop handler W%d at T%d", (int)(watch - watches), root);
    void *eye = step->z % 2 && watch->linked ? eye_of(watch->eye) : NULL;
    CHECK_EQ(obv_stop_handler(&things[root]->object, &watch->kind, eye),
             OBV_OK);
    for (int p = 0; p < PAIRS; p++) {
        if (watch->pairs[p].linked && watch->pairs[p].root == root) {
            end_pair(watch, &watch->pairs[p]);
        }
    }
}

static void stop(const struct step *step)
{
    struct watch *watch = used_watch(step->x);
    if (!watch) {
        return;
    }
    SAY("stop W%d%s", (int)(watch - watches), step->y % 3 ? "" : " and wait");
    if (step->y % 3) {
        /* Stopping again cancels what it cancels. */
        end_watch(watch);
        obv_stop(watch->handle);
    } else {
        end_watch(watch);
        watch->cancelled = true;
        CHECK_EQ(obv_stop_and_wait(watch->handle), depth == 0);
    }
}

static void forget_done(void)
{
    for (int w = 0; w < WATCHES; w++) {
        struct watch *watch = &watches[w];
        if (watch->used && !watch->handle && !watch->linked &&
            !watch->pending && !watch->running) {
            CHECK_EQ(watch->disposed, 1);
            watch->used = false;
        }
    }
}

static void give_back(const struct step *step)
{
    struct watch *watch = used_watch(step->x);
    if (watch) {
        SAY("release W%d", (int)(watch - watches));
        obv_release(watch->handle);
        watch->handle = NULL;
    }
}

/* The first pair there is, as the core lists them. */
static int first_root(const struct watch *watch)
{
    const struct pair *first = NULL;
    for (int p = 0; p < PAIRS; p++) {
        const struct pair *pair = &watch->pairs[p];
        if (pair->linked && (!first || pair->serial < first->serial)) {
            first = pair;
        }
    }
    return first ? first->root : -1;
}

static void schedule(const struct step *step)
{
    struct watch *watch = used_watch(step->x);
    if (watch) {
        SAY("schedule W%d", (int)(watch - watches));
        if (watch->linked) {
            post(watch, first_root(watch), true);
        }
        obv_schedule(watch->handle);
    }
}

static void execute(const struct step *step)
{
    struct watch *watch = used_watch(step->x);
    if (!watch || depth > 2) {
        return;
    }
    SAY("execute W%d", (int)(watch - watches));
    bool can = watch->linked && !watch->running;
    int was_by = called_by;
    struct watch *was_hand = by_hand;
    called_by = BY_HAND;
    by_hand = watch;
    by_hand_root = first_root(watch);
    CHECK_EQ(obv_execute(watch->handle), can);
    CHECK(!can || by_hand == NULL);
    called_by = was_by;
    by_hand = was_hand;
    reap();
}

static void run_drain(int l, size_t limit)
{
    struct queue *queue = &queues[l];
    uint64_t before = model_called;
    (void)before;
    SAY("drain L%d%s", l, limit == SIZE_MAX ? "" : " some");
    if (queue->depth == 0 && queue->currents + queue->laters == 0) {
        CHECK_EQ(obv_loop_drain_some(loops[l], limit), 0);
        return;
    }
    int was_by = called_by;
    called_by = BY_DRAIN;
    begin_drain(queue);
    ptrdiff_t called = obv_loop_drain_some(loops[l], limit);
    CHECK(called >= 0);
    /* What is cancelled is taken out without a call. */
    while (limit == SIZE_MAX || (size_t)called < limit) {
        struct watch *watch = next_pending(queue);
        if (!watch) {
            break;
        }
        CHECK(watch->cancelled);
        watch->pending = false;
        watch->called_in = queue->cycle;
    }
    queue->depth--;
    called_by = was_by;
    reap();
}

static void new_thing(const struct step *step)
{
    int t = (int)(step->x % THINGS);
    if (model[t].alive) {
        return;
    }
    SAY("new T%d%s", t, step->y % 3 == 0 ? " Sub" : "");
    memset(&model[t], 0, sizeof model[t]);
    model[t].alive = model[t].held = true;
    model[t].is_sub = step->y % 3 == 0;
    model[t].child[A] = model[t].child[B] = -1;
    things[t] = calloc(1, sizeof *things[t]);
    CHECK(things[t]);
    things[t]->references = 1;
    things[t]->number = t;
    obv_object_init(&things[t]->object,
                    model[t].is_sub ? sub_class : thing_class);
}

static void drop_thing(int t)
{
    if (t >= 0 && model[t].held) {
        SAY("drop T%d", t);
        model[t].held = false;
        thing_release(&things[t]->object);
        reap();
    }
}

static void turn_eye(const struct step *step)
{
    int e = (int)(step->x % PLAIN_EYE);
    if (!model_eye[e].alive) {
        SAY("new E%d", e);
        model_eye[e].alive = model_eye[e].held = true;
        eyes[e] = calloc(1, sizeof *eyes[e]);
        CHECK(eyes[e]);
        eyes[e]->references = 1;
        eyes[e]->number = e;
        obv_object_init(&eyes[e]->object, eye_class);
    } else if (model_eye[e].held && step->y % 3 == 0) {
        SAY("drop E%d", e);
        model_eye[e].held = false;
        eye_release(eyes[e]);
        reap();
    }
}

static void set_random(const struct step *step, bool object)
{
    int t = alive_thing(step->x);
    if (t < 0) {
        return;
    }
    int property = object ? (int)(step->y % 2) : I + (int)(step->y % 3);
    int64_t value = (int64_t)(step->z % 3);
    if (object) {
        value = step->z % 5 == 0 ? -1 : alive_thing(step->z / 5);
    }
    if (!has_property(t, property)) {
        return;
    }
    hold_thing(t);
    set(t, property, value);
    let_thing_go(t);
}

static bool any_short(void)
{
    for (int w = 0; w < WATCHES; w++) {
        const struct watch *watch = &watches[w];
        int unresolved = 0;
        for (int p = 0; p < PAIRS; p++) {
            unresolved +=
                watch->pairs[p].linked && !is_resolved(&watch->pairs[p]);
        }
        if (watch->handle && watch->linked &&
            obv_unresolved_path(watch->handle, (size_t)unresolved, NULL, 0) >=
                0) {
            return true;
        }
    }
    return false;
}

/* A set for which there is no memory; then the same slot is changed again, with
   memory, and everything is as if there always had been (FA-1). */
static void starve_set(const struct step *step)
{
    int t = alive_thing(step->x), property = (int)(step->y % 2);
    if (t < 0 || depth != 0) {
        return;
    }
    int value = alive_thing(step->z / 5);
    if (!empty_queues() || !model[t].alive || !model[value].alive) {
        return;
    }
    hold_thing(t);
    hold_thing(value);
    SAY("fail %u%s", 1 + step->flags % 6, step->flags % 2 ? " on" : "");
    starved = true;
    test_fail_allocation(1 + step->flags % 6, step->flags % 2);
    set(t, property, value);
    test_fail_allocation(0, false);
    healing = true;
    set(t, property, -1);
    set(t, property, value);
    healing = starved = false;
    CHECK(!any_short());
    let_thing_go(value);
    let_thing_go(t);
}

static void starve(const struct step *step)
{
    if (depth != 0) {
        return;
    }
    struct step with = *step;
    SAY("fail %u%s", 1 + step->flags % 16, step->flags % 2 ? " on" : "");
    test_fail_allocation(1 + step->flags % 16, step->flags % 2);
    switch (step->y % 5) {
    case 0:
        stop_path(&with);
        break;
    case 1:
        stop_observer(&with);
        break;
    case 2:
        observe_also(&with);
        break;
    default:
        observe(&with);
        break;
    }
    test_fail_allocation(0, false);
}

static void run_step(const struct step *step)
{
    int kind = step->kind;
    if (kind < 0) {
        return;
    }
    if (kind < 25) {
        set_random(step, false);
    } else if (kind < 45) {
        set_random(step, true);
    } else if (kind < 57) {
        (void)observe(step);
    } else if (kind < 60) {
        observe_also(step);
    } else if (kind < 63) {
        stop(step);
    } else if (kind < 65) {
        stop_path(step);
    } else if (kind < 67) {
        stop_observer(step);
    } else if (kind < 68) {
        stop_handler(step);
    } else if (kind < 71) {
        give_back(step);
    } else if (kind < 76) {
        new_thing(step);
    } else if (kind < 79) {
        drop_thing(alive_thing(step->x));
    } else if (kind < 82) {
        turn_eye(step);
    } else if (kind < 90) {
        run_drain((int)(step->x % 2), SIZE_MAX);
    } else if (kind < 92) {
        run_drain((int)(step->x % 2), step->y % 3);
    } else if (kind < 94) {
        schedule(step);
    } else if (kind < 97) {
        execute(step);
    } else if (kind < 98) {
        starve_set(step);
    } else if (kind < 100) {
        starve(step);
    } else if (kind < 102) {
        begin_batch();
    } else {
        end_batch();
    }
    forget_done();
    if (depth == 0) {
        compare();
    }
}

/* Programs ---------------------------------------------------------------- */

static void be_quiet(void *unused, const struct obv_diagnostic *diagnostic)
{
    (void)unused;
    (void)diagnostic;
}

static struct obv_class_table tables[3];

static void make_classes(void)
{
    static const char *const class_names[] = {"Thing", "Sub", "Eye"};
    struct obv_class **const classes[] = {&thing_class, &sub_class, &eye_class};
    for (int c = 0; c < 3; c++) {
        tables[c] = (struct obv_class_table){
            .size = sizeof tables[c],
            .name = class_names[c],
            .instance_size = c == 2 ? sizeof(struct eye) : sizeof(struct thing),
            .superclass = c == 1 ? thing_class : NULL,
            .properties = c == 0   ? thing_properties
                          : c == 1 ? thing_properties + K
                                   : NULL,
            .property_count = c == 0   ? 4
                              : c == 1 ? 1
                                       : 0,
            .retain = c == 2 ? eye_object_retain : thing_retain,
            .release = c == 2 ? eye_object_release : thing_release};
        CHECK_EQ(obv_class_create(context, &tables[c], classes[c], NULL),
                 OBV_OK);
    }
}

static void begin_world(void)
{
    struct obv_context_options options = {.size = sizeof options,
                                          .allocator = test_allocator(),
                                          .diagnose = be_quiet,
                                          .reclaim_batch = 8};
    memset(model, 0, sizeof model);
    memset(model_eye, 0, sizeof model_eye);
    memset(queues, 0, sizeof queues);
    memset(watches, 0, sizeof watches);
    asides = batch_depth = 0;
    serials = model_dropped = model_called = 0;
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    make_classes();
    loops[0] = obv_context_loop(context);
    CHECK_EQ(obv_loop_create(context, NULL, &loops[1]), OBV_OK);
    for (int e = PLAIN_EYE; e < EYES; e++) {
        model_eye[e].alive = true;
    }
    for (uint32_t i = 0; i < 5; i++) {
        const struct step step = {.x = i, .y = i};
        new_thing(&step);
        turn_eye(&step);
    }
}

static void end_world(void)
{
    for (int w = 0; w < WATCHES; w++) {
        watches[w].handler[0].kind = watches[w].handler[1].kind = -1;
        if (watches[w].handle) {
            end_watch(&watches[w]);
            obv_stop(watches[w].handle);
            obv_release(watches[w].handle);
            watches[w].handle = NULL;
        }
    }
    while (batch_depth != 0) {
        end_batch();
    }
    run_drain(0, SIZE_MAX);
    struct queue *queue = &queues[1];
    model_dropped += (uint64_t)(queue->currents + queue->laters);
    CHECK_EQ(obv_loop_destroy(loops[1]), OBV_OK);
    for (int w = 0; w < WATCHES; w++) {
        watches[w].pending = false;
    }
    reap();
    for (int t = 0; t < THINGS; t++) {
        for (int p = A; p <= B && model[t].alive; p++) {
            hold_thing(t);
            model[t].child[p] = -1;
            called_by = BY_CHANGE;
            tolerant = true;
            for (int w = 0; w < WATCHES; w++) {
                watches[w].allowed = true;
                watches[w].called = false;
            }
            core_set(t, p, -1);
            tolerant = false;
            let_thing_go(t);
        }
    }
    for (int t = 0; t < THINGS; t++) {
        drop_thing(model[t].alive ? t : -1);
    }
    tolerant = true;
    for (int w = 0; w < WATCHES; w++) {
        watches[w].allowed = true;
        watches[w].called = false;
    }
    called_by = BY_DRAIN;
    obv_loop_drain(loops[0]);
    tolerant = false;
    for (int e = 0; e < PLAIN_EYE; e++) {
        if (eyes[e]) {
            eye_release(eyes[e]);
        }
    }
    for (int w = 0; w < WATCHES; w++) {
        CHECK(!watches[w].used || watches[w].disposed == 1);
    }
    for (int t = 0; t < THINGS; t++) {
        CHECK(!things[t]);
    }
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

static uint64_t mix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void make_program(uint64_t seed, struct step steps[STEPS])
{
    for (int s = 0; s < STEPS; s++) {
        steps[s] = (struct step){.kind = (int)(mix(&seed) % 105),
                                 .x = (uint32_t)(mix(&seed) % 10007),
                                 .y = (uint32_t)(mix(&seed) % 10007),
                                 .z = (uint32_t)(mix(&seed) % 10007),
                                 .flags = (uint32_t)(mix(&seed) % 10007),
                                 .pairs = mix(&seed)};
    }
}

static void run_program(const struct step *steps, int count)
{
    begin_world();
    for (int s = 0; s < count; s++) {
        run_step(&steps[s]);
    }
    end_world();
}

/* Whether a program fails, tried in a process of its own. */
static bool fails(const struct step *steps, int count, bool aloud)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        trace = aloud;
        if (!aloud && !freopen("/dev/null", "w", stderr)) {
            _exit(0);
        }
        run_program(steps, count);
        _exit(0);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int shrink(struct step *steps, int count)
{
    struct step fewer[STEPS];
    for (int size = count / 2; size > 0; size /= 2) {
        for (int at = 0; at + size <= count;) {
            memcpy(fewer, steps, (size_t)at * sizeof *steps);
            memcpy(fewer + at, steps + at + size,
                   (size_t)(count - at - size) * sizeof *steps);
            if (fails(fewer, count - size, false)) {
                count -= size;
                memcpy(steps, fewer, (size_t)count * sizeof *steps);
            } else {
                at += size;
            }
        }
    }
    return count;
}

static void run_programs(uint64_t programs)
{
    uint64_t *now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t first = test_random();
    struct step steps[STEPS];
    CHECK(now != MAP_FAILED);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        for (*now = 0; *now < programs; ++*now) {
            make_program(first + *now, steps);
            run_program(steps, STEPS);
        }
        _exit(0);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
        make_program(first + *now, steps);
        int count = shrink(steps, STEPS);
        fprintf(stderr, "  program %" PRIu64 ", shrunk:\n", *now);
        (void)fails(steps, count, true);
        test_fail(__FILE__, __LINE__, "the core does otherwise than the model");
    }
}

TEST(KP_DR_ST_LT_the_core_does_what_a_naive_model_does)
{
    const char *wanted = getenv("OBV_TEST_LONG");
    bool is_long = wanted && *wanted == '1';
    run_programs((is_long ? 10000000u : 200000u) / STEPS);
}
