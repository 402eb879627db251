/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The summary of a trace: a row for each observation, known by its label and
 * line, or computed property, with the number of its calls and their time.
 */
#define _GNU_SOURCE
#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A row: an observation, or a computed property. */
struct row {
    struct row *next;
    uint32_t number; /* of an observation that has no other name; else 0 */
    uint64_t calls, coalesced, dropped, uncalled;
    uint64_t time, longest; /* nanoseconds, with what it has called itself */
    char name[];
};

/* A call that has begun. */
struct open_call {
    struct open_call *next;
    struct row *row;
    uint32_t observation; /* its number; 0: a computation */
    uint64_t thread;
    uint64_t begun;
};

static struct row *rows; /* the most recently used comes first */
static size_t row_count;
static struct open_call *open_calls; /* the newest first */
static size_t lost;                  /* events without memory */

static uint64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* `"age cell" (main.c:14)`, or the number and the path where neither is known;
   of what is computed `user.total`. */
static void name_row(const struct obv_trace_event *event, struct text *text)
{
    if (event->kind == OBV_TRACE_EVALUATE) {
        text_add_name(text, event->class_name);
        text_add(text, ".");
        text_add_name(text, event->property);
        return;
    }
    if (event->label) {
        text_add(text, "\"");
        text_add_name(text, event->label);
        text_add(text, "\"");
    }
    text_add_place(text, event->begun_file, event->begun_line);
    if (text->length == 0) {
        text_add(text, "#%u ", (unsigned)event->observation);
        text_add_name(text, event->path);
    }
}

/* The number by which a row without label or line is found: not every event of
   an observation says its path, by which it is named. */
static uint32_t number_of(const struct obv_trace_event *event)
{
    return event->label || event->begun_file ? 0 : event->observation;
}

/* NULL: no memory. */
static struct row *row_of(const struct obv_trace_event *event)
{
    struct text name = {.length = 0};
    struct row **place = &rows;
    uint32_t number = number_of(event);
    name_row(event, &name);
    while (*place &&
           ((*place)->number != number ||
            (number == 0 && strcmp((*place)->name, name.bytes) != 0))) {
        place = &(*place)->next;
    }
    struct row *row = *place;
    if (row) {
        *place = row->next;
    } else {
        row = calloc(1, sizeof *row + name.length + 1);
        if (!row) {
            return NULL;
        }
        memcpy(row->name, name.bytes, name.length);
        row->number = number;
        row_count++;
    }
    row->next = rows;
    rows = row;
    return row;
}

static bool begin_call(struct row *row, const struct obv_trace_event *event)
{
    struct open_call *call = malloc(sizeof *call);
    if (call) {
        *call = (struct open_call){open_calls, row, event->observation,
                                   event->thread, now()};
        open_calls = call;
    }
    return call != NULL;
}

/* Ends the innermost open call of the thread, if it is of this observation. A
   call that began before the summary was not noted. */
static void end_call(const struct obv_trace_event *event)
{
    struct open_call **place = &open_calls;
    while (*place && (*place)->thread != event->thread) {
        place = &(*place)->next;
    }
    struct open_call *call = *place;
    if (call && call->observation == event->observation) {
        uint64_t time = now() - call->begun;
        call->row->calls++;
        call->row->time += time;
        call->row->longest =
            time > call->row->longest ? time : call->row->longest;
        *place = call->next;
        free(call);
    }
}

void summary_add(const struct obv_trace_event *event)
{
    bool is_end = event->kind == OBV_TRACE_RETURN;
    bool has_row = (event->observation != 0 && !is_end) ||
                   event->kind == OBV_TRACE_EVALUATE;
    struct row *row = has_row ? row_of(event) : NULL;
    if (has_row && !row) {
        lost++;
        return;
    }
    switch (event->kind) {
    case OBV_TRACE_COALESCED:
        row->coalesced++;
        break;
    case OBV_TRACE_DROPPED:
        row->dropped++;
        break;
    case OBV_TRACE_UNCALLED:
        row->uncalled++;
        break;
    case OBV_TRACE_EVALUATE:
    case OBV_TRACE_CALL:
        lost += !begin_call(row, event);
        break;
    case OBV_TRACE_EVALUATED:
    case OBV_TRACE_RETURN:
        end_call(event);
        break;
    default:
        break;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct row *left = *(struct row *const *)a;
    const struct row *right = *(struct row *const *)b;
    return (left->time < right->time) - (left->time > right->time);
}

static void print_row(const struct row *row)
{
    struct text line = {.length = 0};
    text_add(&line,
             "observable: %8" PRIu64 " %9" PRIu64 " %7" PRIu64 " %10" PRIu64
             " %10.3f %8.3f  %s\n",
             row->calls, row->coalesced, row->dropped, row->uncalled,
             (double)row->time / 1e6, (double)row->longest / 1e6, row->name);
    (void)text_write(&line, STDERR_FILENO);
}

void summary_print(void)
{
    struct text line = {.length = 0};
    struct row **sorted = malloc((row_count + 1) * sizeof(struct row *));
    size_t count = 0;
    text_add(&line, "observable: %8s %9s %7s %10s %10s %8s  %s\n", "calls",
             "coalesced", "dropped", "not called", "ms", "longest", "of");
    for (struct row *row = rows; sorted && row; row = row->next) {
        sorted[count++] = row;
    }
    if (sorted) {
        qsort(sorted, count, sizeof(struct row *), by_time);
    }
    lost += sorted ? 0 : row_count;
    (void)text_write(&line, STDERR_FILENO);
    for (size_t i = 0; i < count; i++) {
        print_row(sorted[i]);
    }
    free(sorted);
    if (lost != 0) {
        line.length = 0;
        text_add(&line, "observable: no memory for %zu more\n", lost);
        (void)text_write(&line, STDERR_FILENO);
    }
}

void summary_end(void)
{
    struct row *row;
    struct open_call *call;
    while ((row = rows) != NULL) {
        rows = row->next;
        free(row);
    }
    while ((call = open_calls) != NULL) {
        open_calls = call->next;
        free(call);
    }
    row_count = lost = 0;
}
