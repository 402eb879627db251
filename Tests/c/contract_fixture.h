/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the contract's tests: a class with a property of every
 * kind, reference counted objects, and probes, which are observers that count
 * their calls. All is written over the public interface, as by a program.
 * Memory comes from the test allocator, so every leak fails its test.
 */
#ifndef OBV_CONTRACT_FIXTURE_H
#define OBV_CONTRACT_FIXTURE_H

#include "test.h"

#include <observable/observable.h>

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ITEM_FLAG,
    ITEM_SMALL,
    ITEM_LARGE,
    ITEM_REAL,
    ITEM_POINTER,
    ITEM_TEXT,
    ITEM_NEXT,
    ITEM_BYTES,
    ITEM_SHARED,
    ITEM_COUNT
};

struct item {
    struct obv_object object;
    size_t references;
    bool flag;
    int32_t small;
    int64_t large;
    double real;
    void *pointer;
    const char *text;
    struct item *next;
    uint8_t bytes[6];
    int64_t shared;
    /* For tests whose class has `observed_changed`: a bit for each property
       that is observed as it was told, the highest for `*`; and whether it is
       being told. */
    uint32_t told;
    int telling;
};

OBV_PROPERTY(item, flag, bool, ITEM_FLAG)
OBV_PROPERTY(item, small, i32, ITEM_SMALL)
OBV_PROPERTY(item, large, i64, ITEM_LARGE)
OBV_PROPERTY(item, real, f64, ITEM_REAL)
OBV_PROPERTY(item, pointer, pointer, ITEM_POINTER)
OBV_PROPERTY(item, text, string, ITEM_TEXT)
OBV_PROPERTY(item, next, object, ITEM_NEXT)
OBV_PROPERTY(item, bytes, bytes, ITEM_BYTES)
OBV_PROPERTY_ANY_THREAD(item, shared, i64, ITEM_SHARED)

static const struct obv_property item_properties[] = {
    [ITEM_FLAG] = OBV_FIELD(item, flag, bool),
    [ITEM_SMALL] = OBV_FIELD(item, small, i32),
    [ITEM_LARGE] = OBV_FIELD(item, large, i64),
    [ITEM_REAL] = OBV_FIELD(item, real, f64),
    [ITEM_POINTER] = OBV_FIELD(item, pointer, pointer),
    [ITEM_TEXT] = OBV_FIELD(item, text, string),
    [ITEM_NEXT] = OBV_FIELD_OBJECT(item, next, "item"),
    [ITEM_BYTES] = OBV_FIELD(item, bytes, bytes),
    [ITEM_SHARED] = OBV_FIELD_WITH(item, shared, i64, OBV_ANY_THREAD, NULL),
};

/* Reference counts: relaxed to take one, since that passes no data on; acquire
   and release to drop one, so that the last owner sees the writes of all
   others. */
static inline bool references_try(size_t *references)
{
    size_t seen = __atomic_load_n(references, __ATOMIC_RELAXED);
    while (seen > 0 &&
           !__atomic_compare_exchange_n(references, &seen, seen + 1, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return seen > 0;
}

static inline bool references_drop(size_t *references)
{
    return __atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL) == 0;
}

static inline bool item_retain(struct obv_object *object)
{
    return references_try(&((struct item *)object)->references);
}

static inline void item_release(struct obv_object *object)
{
    if (references_drop(&((struct item *)object)->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(object);
    }
}

/** To be kept by the caller for as long as the class lives. */
static inline struct obv_class_table item_table(void)
{
    return (struct obv_class_table){
        .size = sizeof(struct obv_class_table),
        .name = "item",
        .instance_size = sizeof(struct item),
        .properties = item_properties,
        .property_count = ITEM_COUNT,
        .retain = item_retain,
        .release = item_release,
    };
}

struct fixture {
    struct obv_context *context;
    struct obv_class_table item_table, probe_table; /* borrowed by these: */
    struct obv_class *item_class, *probe_class;
    size_t diagnostics, diagnostics_of_binders;
    struct obv_diagnostic last;
};

static inline struct item *item_create(const struct fixture *fixture)
{
    struct item *item = calloc(1, sizeof *item);
    CHECK(item);
    item->references = 1;
    obv_object_init(&item->object, fixture->item_class);
    return item;
}

/* An observer object with its handler: one block of a struct. */
struct probe {
    struct obv_object object;
    size_t references;
    struct obv_handler_kind kind;
    size_t calls, disposed;
    struct obv_object *root;
    /* Runs in the handler, if set. */
    void (*then)(struct probe *probe);
    void *context;
};

static inline void probe_changed(void *observer, struct obv_object *root,
                                 const struct obv_call *call)
{
    struct probe *probe = observer;
    CHECK(call->kind == &probe->kind);
    __atomic_add_fetch(&probe->calls, 1, __ATOMIC_RELAXED);
    probe->root = root;
    if (probe->then) {
        probe->then(probe);
    }
}

static inline bool probe_retain(void *observer)
{
    return references_try(&((struct probe *)observer)->references);
}

/* Probes stand on the stack or are freed by their test. */
static inline void probe_release(void *observer)
{
    struct probe *probe = observer;
    if (references_drop(&probe->references)) {
        CHECK_EQ(obv_object_deinit(&probe->object), OBV_OK);
    }
}

static inline bool probe_object_retain(struct obv_object *object)
{
    return probe_retain(object);
}

static inline void probe_object_release(struct obv_object *object)
{
    probe_release(object);
}

static inline void probe_dispose(const struct obv_handler_kind *kind,
                                 void *observer)
{
    struct probe *probe =
        (struct probe *)((char *)kind - offsetof(struct probe, kind));
    CHECK(observer == probe);
    __atomic_add_fetch(&probe->disposed, 1, __ATOMIC_RELAXED);
}

static inline void probe_init(struct probe *probe,
                              const struct fixture *fixture)
{
    memset(probe, 0, sizeof *probe);
    probe->references = 1;
    probe->kind = (struct obv_handler_kind){
        .changed = probe_changed,
        .retain = probe_retain,
        .release = probe_release,
        .dispose = probe_dispose,
        .label = "probe",
        .flags = OBV_OBSERVER_IS_OBJECT,
    };
    obv_object_init(&probe->object, fixture->probe_class);
}

/* A probe that is no observable object and has no hooks. */
static inline void probe_init_plain(struct probe *probe)
{
    memset(probe, 0, sizeof *probe);
    probe->references = 1;
    probe->kind.changed = probe_changed;
    probe->kind.dispose = probe_dispose;
    probe->kind.label = "plain";
}

static inline void fixture_diagnose(void *context,
                                    const struct obv_diagnostic *diagnostic)
{
    struct fixture *fixture = context;
    fixture->diagnostics++;
    fixture->diagnostics_of_binders +=
        diagnostic->kind == OBV_DIAGNOSTIC_BINDER;
    fixture->last = *diagnostic;
}

static inline void fixture_begin_with(struct fixture *fixture,
                                      const struct obv_allocator *allocator,
                                      uint32_t reclaim_batch)
{
    memset(fixture, 0, sizeof *fixture);
    struct obv_context_options options = {
        .size = sizeof options,
        .allocator = allocator,
        .diagnose = fixture_diagnose,
        .diagnose_context = fixture,
        .reclaim_batch = reclaim_batch,
    };
    fixture->item_table = item_table();
    fixture->probe_table = (struct obv_class_table){
        .size = sizeof fixture->probe_table,
        .name = "probe",
        .instance_size = sizeof(struct probe),
        .retain = probe_object_retain,
        .release = probe_object_release,
    };
    CHECK_EQ(obv_context_create(&options, &fixture->context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture->context, &fixture->item_table,
                              &fixture->item_class, NULL),
             OBV_OK);
    CHECK_EQ(obv_class_create(fixture->context, &fixture->probe_table,
                              &fixture->probe_class, NULL),
             OBV_OK);
}

static inline void fixture_begin(struct fixture *fixture)
{
    fixture_begin_with(fixture, test_allocator(), 0);
}

static inline void fixture_end(struct fixture *fixture)
{
    CHECK_EQ(obv_context_destroy(fixture->context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

static inline ptrdiff_t drain(const struct fixture *fixture)
{
    return obv_loop_drain(obv_context_loop(fixture->context));
}

/* Applies inbound edits (sets by any thread), without calling delayed
   observers. */
static inline void make_inbound_edits(const struct fixture *fixture)
{
    CHECK_EQ(obv_loop_drain_some(obv_context_loop(fixture->context), 0), 0);
}

static inline struct obv_counters counters_of(const struct fixture *fixture)
{
    struct obv_counters counters;
    memset(&counters, 0, sizeof counters);
    obv_context_counters(fixture->context, &counters);
    return counters;
}

/* Ends a test that hangs. Alarms are not inherited, so each test's process
   sets its own. */
static inline void set_alarm(void)
{
    alarm(120);
}

__attribute__((constructor)) static inline void limit_time(void)
{
    pthread_atfork(NULL, NULL, set_alarm);
}

static inline void sleep_milliseconds(int milliseconds)
{
    poll(NULL, 0, milliseconds);
}

/* A flag that one thread raises and another one waits for. Acquire and
   release: who has seen it sees what came before. */
static inline void raise_flag(int *flag)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static inline bool is_raised(const int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE) != 0;
}

static inline void await_flag(const int *flag)
{
    while (!is_raised(flag)) {
        sleep_milliseconds(1);
    }
}

static inline struct obv_observation *
observe(struct item *root, const char *path, struct probe *probe)
{
    struct obv_observation *handle = NULL;
    CHECK_EQ(
        obv_observe(&root->object, path, &probe->kind, probe, &handle, NULL),
        OBV_OK);
    return handle;
}

static inline struct obv_observation *
observe_with(struct item *root, const char *path, struct probe *probe,
             uint32_t flags, struct obv_loop *loop)
{
    struct obv_observation *handle = NULL;
    struct obv_pair pair = {&root->object, path};
    struct obv_observe_options options = {
        .size = sizeof options, .loop = loop, .flags = flags};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe->kind, probe, &options, &handle,
                               NULL),
             OBV_OK);
    return handle;
}

static inline void end(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

static inline void *set_large(void *context)
{
    struct item *item = context;
    item_set_large(item, item_large(item) + 1);
    return NULL;
}

/* Runs a function on another thread and waits for its end. */
static inline void on_thread(void *(*function)(void *), void *context)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, function, context), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

static inline void *set_large_once(void *item)
{
    item_set_large(item, 1);
    return NULL;
}

static inline void *drain_loop(void *loop)
{
    CHECK_EQ(obv_loop_drain(loop), 1);
    return NULL;
}

#endif
