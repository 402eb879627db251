/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as text: a line for people, and an object of the Trace Event Format,
 * which Perfetto and chrome://tracing open.
 */
#define _GNU_SOURCE
#include "trace.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The name of an event, by its kind. */
static const char *const names[] = {[OBV_TRACE_CHANGED] = "changed",
                                    [OBV_TRACE_EQUAL] = "set, equal",
                                    [OBV_TRACE_DUE] = "due",
                                    [OBV_TRACE_COALESCED] = "coalesced",
                                    [OBV_TRACE_DROPPED] = "dropped",
                                    [OBV_TRACE_DRAIN] = "drain",
                                    [OBV_TRACE_CALL] = "call",
                                    [OBV_TRACE_RETURN] = "return",
                                    [OBV_TRACE_UNCALLED] = "not called",
                                    [OBV_TRACE_DRAINED] = "drained",
                                    [OBV_TRACE_EVALUATE] = "evaluate",
                                    [OBV_TRACE_EVALUATED] = "evaluated",
                                    [OBV_TRACE_LET_GO] = "token let go of"};

/* `user 0x7ffd10 age (main.c:31)` */
static void add_change(const struct obv_trace_event *event, struct text *text)
{
    text_add_name(text, event->class_name);
    text_add(text, " %p", event->object);
    if (event->property) {
        text_add(text, " ");
        text_add_name(text, event->property);
    }
}

/* `#3 "age cell" age (main.c:14)` */
static void add_observation(const struct obv_trace_event *event,
                            struct text *text)
{
    text_add(text, "#%u", (unsigned)event->observation);
    if (event->label) {
        text_add(text, " \"");
        text_add_name(text, event->label);
        text_add(text, "\"");
    }
    if (event->path) {
        text_add(text, " ");
        text_add_name(text, event->path);
    }
    text_add_place(text, event->begun_file, event->begun_line);
}

static bool is_change(const struct obv_trace_event *event)
{
    return event->kind == OBV_TRACE_CHANGED || event->kind == OBV_TRACE_EQUAL;
}

static bool has_cause(const struct obv_trace_event *event)
{
    return event->kind >= OBV_TRACE_DUE && event->kind <= OBV_TRACE_DROPPED &&
           event->object;
}

void event_as_line(const struct obv_trace_event *event, struct text *text)
{
    text_add(text, "thread %" PRIu64 ": ", event->thread);
    if (is_change(event)) {
        add_change(event, text);
        text_add(text, " %s", names[event->kind]);
        text_add_place(text, event->file, event->line);
    } else if (event->observation != 0) {
        text_add(text, "%s%s%s: ", names[event->kind],
                 event->is_perhaps ? " perhaps" : "",
                 event->is_immediate && has_cause(event) ? " at once" : "");
        add_observation(event, text);
        if (has_cause(event)) {
            text_add(text, ", by ");
            add_change(event, text);
            text_add_place(text, event->file, event->line);
        }
    } else if (event->kind == OBV_TRACE_DRAINED) {
        text_add(text, "drained: %zu called", event->count);
    } else if (event->kind == OBV_TRACE_EVALUATE) {
        text_add(text, "evaluate: ");
        add_change(event, text);
    } else {
        text_add(text, "%s", names[event->kind]);
    }
}

size_t obv_trace_line(const struct obv_trace_event *event, char *buffer,
                      size_t size)
{
    struct text text = {.length = 0};
    event_as_line(event, &text);
    size_t length = text.length < size ? text.length : size - 1;
    if (size != 0) {
        memcpy(buffer, text.bytes, length);
        buffer[length] = '\0';
    }
    return text.length;
}

/* The phase of an event in the trace file's format, a letter. */
static char phase_of(const struct obv_trace_event *event)
{
    switch (event->kind) {
    case OBV_TRACE_DRAIN:
    case OBV_TRACE_CALL:
    case OBV_TRACE_EVALUATE:
        return 'B';
    case OBV_TRACE_DRAINED:
    case OBV_TRACE_RETURN:
    case OBV_TRACE_EVALUATED:
        return 'E';
    default:
        return 'i';
    }
}

static void add_title(const struct obv_trace_event *event, struct text *text)
{
    if (is_change(event) || event->kind == OBV_TRACE_EVALUATE) {
        text_add_name(text, event->class_name);
        text_add(text, ".");
        text_add_name(text, event->property);
        text_add(text, " ");
    }
    text_add(text, "%s", names[event->kind]);
    if (event->observation != 0) {
        const char *name = event->label ? event->label : event->path;
        text_add(text, ": ");
        text_add_name(text, name ? name : "no label");
    }
}

/* An argument of the event that is a name; none for NULL. */
static void add_argument(struct text *text, const char *key, const char *name,
                         uint32_t line)
{
    if (name) {
        text_add(text, ",\"%s\":\"", key);
        text_add_name(text, name);
        if (line != 0) {
            text_add(text, ":%u", (unsigned)line);
        }
        text_add(text, "\"");
    }
}

void event_as_json(const struct obv_trace_event *event, struct text *text)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    text->length = 0;
    text_add(text, "{\"name\":\"");
    add_title(event, text);
    text_add(text,
             "\",\"cat\":\"observable\",\"ph\":\"%c\",\"s\":\"t\",\"pid\":%ld,"
             "\"tid\":%" PRIu64 ",\"ts\":%lld.%03ld,\"args\":{\"event\":\"%s\"",
             phase_of(event), (long)getpid(), event->thread,
             (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000,
             now.tv_nsec % 1000, names[event->kind]);
    if (event->object) {
        text_add(text, ",\"object\":\"%p\"", event->object);
    }
    add_argument(text, "class", event->class_name, 0);
    add_argument(text, "property", event->property, 0);
    add_argument(text, "set at", event->file, event->line);
    if (event->observation != 0) {
        text_add(text, ",\"observation\":%u,\"immediate\":%s,\"perhaps\":%s",
                 (unsigned)event->observation,
                 event->is_immediate ? "true" : "false",
                 event->is_perhaps ? "true" : "false");
    }
    add_argument(text, "label", event->label, 0);
    add_argument(text, "path", event->path, 0);
    add_argument(text, "begun at", event->begun_file, event->begun_line);
    if (event->kind == OBV_TRACE_DRAINED) {
        text_add(text, ",\"called\":%zu", event->count);
    }
    text_add(text, "}},\n");
}
