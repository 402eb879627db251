/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the files of the trace: the receivers that
 * <observable/trace.h> describes. They use the core's public interface alone,
 * and are compiled into its library.
 */
#ifndef OBV_TRACE_RECEIVERS_H
#define OBV_TRACE_RECEIVERS_H

#include <observable/trace.h>

/** A line or an event, which is written by one call, and cut to what fits. */
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

/** Writes an event as a line for people, without the newline; and as an event
    of a trace file (JSON). */
void event_as_line(const struct obv_trace_event *event, struct text *text);
void event_as_json(const struct obv_trace_event *event, struct text *text);

/* The receivers' mutex is held for all of these. */

/** The ring of the last lines, some 64 KiB: _begin() empties it, _add() adds a
    line with its newline, _print() prints all on standard error. */
void ring_begin(void);
void ring_add(const struct text *line);
void ring_print(void);

/** The summary: _add() counts an event, _print() prints the sums on standard
    error, _end() forgets them. */
void summary_add(const struct obv_trace_event *event);
void summary_print(void);
void summary_end(void);

#endif
