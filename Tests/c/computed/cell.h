/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cells that the tests of computed properties are about, and what counts the
 * calls there.
 */
#ifndef OBV_TEST_CELL_H
#define OBV_TEST_CELL_H

#include "test.h"

#include <observable/observable.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELL_A,
    CELL_B,
    CELL_SHARED,
    CELL_OTHER,
    CELL_V,
    CELL_W,
    CELL_TEXT,
    CELL_NEXT,
    CELL_BYTES,
    CELL_COUNT
};

struct cell {
    struct obv_object object;
    size_t references;
    int64_t a, b, shared;
    struct cell *other;
    int64_t v, w;
    const char *text;
    struct cell *next;
    unsigned char bytes[80];
    /* How `v` and `w` are computed, and how often they were. */
    enum obv_status (*make_v)(struct cell *cell, int64_t *value);
    enum obv_status (*make_w)(struct cell *cell, int64_t *value);
    size_t evaluations;
};

OBV_PROPERTY(cell, a, i64, CELL_A)
OBV_PROPERTY(cell, b, i64, CELL_B)
OBV_PROPERTY_ANY_THREAD(cell, shared, i64, CELL_SHARED)
OBV_PROPERTY(cell, other, object, CELL_OTHER)
OBV_COMPUTED(cell, v, i64, CELL_V)
OBV_COMPUTED(cell, w, i64, CELL_W)
OBV_COMPUTED(cell, text, string, CELL_TEXT)
OBV_COMPUTED(cell, next, object, CELL_NEXT)
OBV_COMPUTED(cell, bytes, bytes, CELL_BYTES)

static inline bool retain_cell(struct obv_object *object)
{
    size_t *references = &((struct cell *)object)->references;
    size_t seen = __atomic_load_n(references, __ATOMIC_RELAXED);
    while (seen > 0 &&
           !__atomic_compare_exchange_n(references, &seen, seen + 1, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return seen > 0;
}

/* Cells that have gone. */
static size_t freed_cells;

static inline void release_cell(struct obv_object *object)
{
    size_t *references = &((struct cell *)object)->references;
    if (__atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL) == 0) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        __atomic_add_fetch(&freed_cells, 1, __ATOMIC_RELAXED);
        free(object);
    }
}

static inline enum obv_status make_v(struct obv_object *object,
                                     const struct obv_property *property,
                                     void *result)
{
    struct cell *cell = (struct cell *)object;
    (void)property;
    __atomic_add_fetch(&cell->evaluations, 1, __ATOMIC_RELAXED);
    return cell->make_v(cell, result);
}

static inline enum obv_status make_w(struct obv_object *object,
                                     const struct obv_property *property,
                                     void *result)
{
    struct cell *cell = (struct cell *)object;
    (void)property;
    return cell->make_w(cell, result);
}

/* What runs while `text` is computed; or NULL. */
static void (*in_text)(void);

static inline enum obv_status make_text(struct obv_object *object,
                                        const struct obv_property *property,
                                        void *result)
{
    char text[40];
    (void)property;
    snprintf(text, sizeof text, "%lld",
             (long long)(cell_a((struct cell *)object) +
                         cell_shared((struct cell *)object)));
    if (in_text) {
        in_text();
    }
    return obv_string_copy(obv_object_class(object), text, result);
}

/* What runs while `next` is computed; or NULL. */
static void (*in_next)(void);

static inline enum obv_status make_next(struct obv_object *object,
                                        const struct obv_property *property,
                                        void *result)
{
    struct cell *other = cell_other((struct cell *)object);
    (void)property;
    if (in_next) {
        in_next();
    }
    if (other && !retain_cell(&other->object)) {
        other = NULL;
    }
    memcpy(result, &other, sizeof other);
    return OBV_OK;
}

static inline enum obv_status make_bytes(struct obv_object *object,
                                         const struct obv_property *property,
                                         void *result)
{
    memset(result, (int)cell_a((struct cell *)object), property->size);
    return OBV_OK;
}

static const struct obv_computed v = {.size = sizeof v, .evaluate = make_v},
                                 w = {.size = sizeof w, .evaluate = make_w},
                                 text = {.size = sizeof text,
                                         .evaluate = make_text},
                                 next = {.size = sizeof next,
                                         .evaluate = make_next},
                                 bytes = {.size = sizeof bytes,
                                          .evaluate = make_bytes};

static const struct obv_property cell_properties[] = {
    [CELL_A] = OBV_FIELD(cell, a, i64),
    [CELL_B] = OBV_FIELD(cell, b, i64),
    [CELL_SHARED] = OBV_FIELD_WITH(cell, shared, i64, OBV_ANY_THREAD, NULL),
    [CELL_OTHER] = OBV_FIELD_OBJECT(cell, other, "cell"),
    [CELL_V] = OBV_FIELD_COMPUTED(cell, v, i64, &v),
    [CELL_W] = OBV_FIELD_COMPUTED(cell, w, i64, &w),
    [CELL_TEXT] = OBV_FIELD_COMPUTED(cell, text, string, &text),
    [CELL_NEXT] = OBV_FIELD_COMPUTED(cell, next, object, &next),
    [CELL_BYTES] = OBV_FIELD_COMPUTED(cell, bytes, bytes, &bytes),
};

static const struct obv_class_table cell_table = {
    .size = sizeof cell_table,
    .name = "cell",
    .instance_size = sizeof(struct cell),
    .properties = cell_properties,
    .property_count = CELL_COUNT,
    .retain = retain_cell,
    .release = release_cell,
};

static inline enum obv_status sum_of(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell) + cell_b(cell);
    return OBV_OK;
}

static inline enum obv_status twice_v(struct cell *cell, int64_t *value)
{
    return obv_get_i64(&cell->object, CELL_V, value) == OBV_OK
               ? (*value *= 2, OBV_OK)
               : OBV_E_LIMIT;
}

/* The stage ---------------------------------------------------------------- */

static struct {
    struct obv_context *context;
    struct obv_class *cls;
    unsigned cycles, sets, memory, depths, binders;
    char path[256];
} stage;

static pthread_mutex_t note_lock = PTHREAD_MUTEX_INITIALIZER;

static inline void note(void *context, const struct obv_diagnostic *diagnostic)
{
    (void)context;
    pthread_mutex_lock(&note_lock);
    stage.cycles += diagnostic->kind == OBV_DIAGNOSTIC_CYCLE;
    stage.sets += diagnostic->kind == OBV_DIAGNOSTIC_SET_IN_GETTER;
    stage.memory += diagnostic->kind == OBV_DIAGNOSTIC_MEMORY;
    stage.depths += diagnostic->kind == OBV_DIAGNOSTIC_DEPTH;
    stage.binders += diagnostic->kind == OBV_DIAGNOSTIC_BINDER;
    snprintf(stage.path, sizeof stage.path, "%s",
             diagnostic->path ? diagnostic->path : "");
    pthread_mutex_unlock(&note_lock);
}

static inline void stage_begin(void)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = note};
    memset(&stage, 0, sizeof stage);
    CHECK_EQ(obv_context_create(&options, &stage.context), OBV_OK);
    CHECK_EQ(obv_class_create(stage.context, &cell_table, &stage.cls, NULL),
             OBV_OK);
}

/* Cells to come are of a class of its own, with these lines, which it borrows. */
static inline void stage_class(const char *name,
                               const struct obv_property *lines)
{
    struct obv_class_table table = cell_table;
    table.name = name;
    table.properties = lines;
    CHECK_EQ(obv_class_create(stage.context, &table, &stage.cls, NULL), OBV_OK);
}

static inline void stage_end(void)
{
    CHECK_EQ(obv_context_destroy(stage.context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

static inline struct cell *cell_new(void)
{
    struct cell *cell = calloc(1, sizeof *cell);
    CHECK(cell);
    cell->references = 1;
    cell->make_v = sum_of;
    cell->make_w = twice_v;
    obv_object_init(&cell->object, stage.cls);
    return cell;
}

static inline void cell_drop(struct cell *cell)
{
    release_cell(&cell->object);
}

static inline ptrdiff_t drained(void)
{
    return obv_loop_drain(obv_context_loop(stage.context));
}

/* An observer that counts its calls. */
struct probe {
    size_t calls;
};

static inline void count_call(void *observer, struct obv_object *root,
                              const struct obv_call *call)
{
    (void)root;
    (void)call;
    ((struct probe *)observer)->calls++;
}

static const struct obv_handler_kind probe_kind = {.changed = count_call,
                                                   .label = "probe"};

static inline struct probe *probe_new(void)
{
    struct probe *probe = calloc(1, sizeof *probe);
    CHECK(probe);
    return probe;
}

static inline struct obv_observation *watch(struct cell *cell, const char *path,
                                            struct probe *probe)
{
    struct obv_observation *handle;
    CHECK_EQ(
        obv_observe(&cell->object, path, &probe_kind, probe, &handle, NULL),
        OBV_OK);
    return handle;
}

static inline void unwatch(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

#endif
