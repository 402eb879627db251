/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receivers of <observable/trace.h>, for each other: over the public
 * interface of the core, compiled into its library.
 */
#ifndef OBV_TRACE_RECEIVERS_H
#define OBV_TRACE_RECEIVERS_H

#include <observable/trace.h>

/** A line or an event that is written at once, cut to what fits. */
struct text {
    size_t length;
    char bytes[4096];
};

/** Adds text as printf() does. */
__attribute__((format(printf, 2, 3))) void text_add(struct text *text,
                                                    const char *format, ...);

/** Adds a name of the program's, so much of it as fits 300 bytes: as in a string
    of JSON. What drives a terminal, breaks a line, turns the direction of text
    or is no UTF-8 stands as `\u001b`. NULL adds nothing. */
void text_add_name(struct text *text, const char *name);

/** Adds ` (file:line)`; nothing for NULL. */
void text_add_place(struct text *text, const char *file, uint32_t line);

/** Writes all of it; false, with errno: it was refused. */
bool text_write(const struct text *text, int descriptor);

/** One event as a line for people, without what ends it; and as one of a trace
    file. */
void event_as_line(const struct obv_trace_event *event, struct text *text);
void event_as_json(const struct obv_trace_event *event, struct text *text);

/* The receivers' mutex is held for all of these. */

/** The last lines, some 64 KiB of them: begins with none, adds one with its
    newline, prints them on standard error. */
void ring_begin(void);
void ring_add(const struct text *line);
void ring_print(void);

/** The sum: adds an event, prints all on standard error, forgets it. */
void summary_add(const struct obv_trace_event *event);
void summary_print(void);
void summary_end(void);

#endif
