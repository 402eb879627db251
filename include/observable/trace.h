/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why was my handler called, and why not: what the library does, told as it
 * happens.
 *
 *     OBV_TRACE=1 ./program           a line an event on standard error
 *     OBV_TRACE=trace.json ./program  a file for Perfetto and chrome://tracing
 *     OBV_TRACE=summary ./program     at the end, the cost of each observation
 *     OBV_TRACE=ring ./program        the last lines, for a debugger
 *
 *     thread 1: user 0x7ffd10 age changed (main.c:31)
 *     thread 1: due: #3 "age cell" age (main.c:14), by user 0x7ffd10 age (main.c:31)
 *     thread 1: drain
 *     thread 1: call: #3 "age cell" age (main.c:14)
 *
 * The environment switches that on in each program that is linked with the
 * library, before main(). A program that runs with more rights than its caller
 * (set-user-id) is not traced by it. obv_trace_to() does the same in a program,
 * and obv_trace() hands the events to a function of the program's.
 *
 * What an event is about, in the order of a change:
 *
 *     CHANGED     a property was set, and has another value; observed or not;
 *                 or a container was edited
 *     EQUAL       it was set, and the value is equal: nobody is called
 *     DUE         an observation will be called for that; or perhaps, if it
 *                 follows a computed property that the change makes invalid
 *     COALESCED   the same, of one whose call is scheduled already
 *     DROPPED     the same, but this call will not come: its own handler has
 *                 made the change, or its loop has ended (DR-3)
 *     DRAIN       a loop begins a cycle
 *     CALL        a handler is about to be called
 *     RETURN      it has returned
 *     UNCALLED    a drain has not made a call that was scheduled: what is
 *                 computed has the value that it had, or the observation ended
 *     DRAINED     the cycle is over
 *     EVALUATE    the function of a computed property is about to be called
 *     EVALUATED   it has returned
 *     LET_GO      a token has been let go of, whose observation ends with it
 *
 * The cause of a call is that of the DUE before it with the same observation;
 * it names the property that was set, also where the observation follows a
 * computed one. A call that no change has caused (obv_schedule(), OBV_INITIAL)
 * has none. Memory that is short for an edit leaves a DUE out. What a handler
 * sets, a binder for one, stands between its CALL and its RETURN, on one thread:
 * so the chain goes on from there.
 *
 * While nothing of this is on, a computation asks whether it is, and all else
 * costs nothing. On, each set takes the slow way, observed or not, and each event
 * some hundred nanoseconds beside what the receiver takes.
 * Calls that were scheduled before it is on may come untold.
 *
 * Threads: every function here, on any thread, at any time. Events are told on
 * the thread where they happen, so several may be at once.
 */
#ifndef OBSERVABLE_TRACE_H
#define OBSERVABLE_TRACE_H

#include <observable/observe.h>

OBV_BEGIN_DECLS

/** The subject of an event: see above. */
enum obv_trace_kind {
    OBV_TRACE_CHANGED = 1,
    OBV_TRACE_EQUAL = 2,
    OBV_TRACE_DUE = 3,
    OBV_TRACE_COALESCED = 4,
    OBV_TRACE_DROPPED = 5,
    OBV_TRACE_DRAIN = 6,
    OBV_TRACE_CALL = 7,
    OBV_TRACE_RETURN = 8,
    OBV_TRACE_UNCALLED = 9,
    OBV_TRACE_DRAINED = 10,
    OBV_TRACE_EVALUATE = 11,
    OBV_TRACE_EVALUATED = 12,
    OBV_TRACE_LET_GO = 13
};

/** One event. Everything in it is borrowed for the call, and no name in it is
    escaped. Objects are told by their addresses alone. */
struct obv_trace_event {
    enum obv_trace_kind kind;
    /** obv_thread_number() of the calling thread. */
    uint64_t thread;
    /** The object that was changed or whose property is computed, and by a call
        the root of the observation; its class, of which so much is told as
        people read. NULL: none, or not known. */
    const void *OBV_NULLABLE object;
    const char *OBV_NULLABLE class_name;
    /** The property that was changed or is computed; NULL: none, or the elements
        of a container. */
    const char *OBV_NULLABLE property;
    /** The source line in force there (OBV_HERE()); NULL and 0: not known. */
    const char *OBV_NULLABLE file;
    uint32_t line;
    /** The number of the observation, never another's of this process within
        4,294,967,296 registrations; 0: the event is about none. The instances
        of a class-level observation have one number. */
    uint32_t observation;
    /** Its label, the path that has changed (of a call, its first one), and the
        place where it was begun, as debug output says it
        (<observable/debug.h>). NULL and 0: not known. */
    const char *OBV_NULLABLE label;
    const char *OBV_NULLABLE path;
    const char *OBV_NULLABLE begun_file;
    uint32_t begun_line;
    /** It is called inside the change. */
    bool is_immediate;
    /** It is called if what it follows turns out to have another value. */
    bool is_perhaps;
    /** The loop of a drain; its address is told. */
    const void *OBV_NULLABLE loop;
    /** DRAINED: handlers that were called. */
    size_t count;
};

/** A receiver of events. What it does itself is not told. */
typedef void
obv_trace_receiver(const struct obv_trace_event *OBV_NONNULL event);

/**
 * From here on events are handed to a function of the program's, in the place
 * of the one before; NULL: to none. Independent of obv_trace_to(). A call that
 * is under way on another thread may reach the one before once more.
 * Evaluations for a read that has begun before may be told or not.
 *
 * Callbacks: `receiver`, on the thread of each event, with no lock held,
 *            between the steps of a change. It is to look: what it sets,
 *            observes or stops itself mixes with that change. A C++ exception
 *            that leaves it ends the program.
 */
OBV_API void obv_trace(obv_trace_receiver *OBV_NULLABLE receiver);

/**
 * Prints an event as a line for people, without its newline; names are escaped.
 *
 * @param buffer  receives so much of the line as fits, NUL-terminated if `size`
 *                is not 0.
 * @return the length of the whole line, at most 4,095 bytes.
 */
OBV_API size_t obv_trace_line(const struct obv_trace_event *OBV_NONNULL event,
                              char *OBV_NULLABLE buffer, size_t size);

/**
 * Writes events from here on: to standard error as lines for people, or into a
 * file as trace events in JSON, which Perfetto and chrome://tracing open: also
 * one of a program that has crashed. Names are escaped.
 *
 * A summary has a line for each label and line of observations, and for each
 * computed property: how often it was called, coalesced, dropped and not called,
 * and how many milliseconds its calls have taken, with all that they have called.
 * It is printed on standard error when the program exits, or when the target is
 * another. Cost: O(lines) an event.
 *
 * @param target  "1" for standard error; "ring": the last 64 KiB of these lines
 *                are kept, for obv_trace_print_ring(); "summary"; else the name
 *                of a file, which is made anew; NULL, "" and "0": nothing is
 *                written any more, and a file is closed.
 * @return OBV_OK; OBV_E_SYSTEM: the file cannot be made, which is said on
 *         standard error with the reason; the program is traced as before. A
 *         write that fails later says so once, and ends the file; a pipe whose
 *         reader has gone sends SIGPIPE, as to any writer.
 */
OBV_API enum obv_status obv_trace_to(const char *OBV_NULLABLE target);

/**
 * Prints the lines that "ring" has kept on standard error, the oldest first;
 * they stay. Also at the prompt of a debugger: it never waits, and says so where
 * an event is being written.
 *
 * Threads: any.
 */
OBV_API void obv_trace_print_ring(void);

/* Stopping in a debugger --------------------------------------------------- */

/**
 * Writes a line on standard error, and stops in the debugger that is attached
 * to the process (SIGTRAP, from which it goes on). Where none is attached, or the
 * system does not say, the line says so, and nothing else is done.
 *
 * @param text  one line, escaped by the caller.
 */
OBV_API void obv_debug_stop(const char *OBV_NONNULL text);

/**
 * Stops in the debugger that is attached, when what a path leads to changes:
 * inside the set, so that the backtrace shows who has set it. Before, a line on
 * standard error names the path, the label, the old and the new value, and the
 * line of the set where it is known (OBV_HERE()). The path follows objects that
 * are replaced on it. In a process without a debugger the line says so, and the
 * program goes on.
 *
 * An immediate observation like any other: it is listed (<observable/debug.h>)
 * and ends with its root. On a property that any thread may set it stops in the
 * drain that applies the set.
 *
 * @param root    borrowed.
 * @param path    as of obv_observe().
 * @param label   a constant, for the line; NULL: none.
 * @param handle  receives a handle, which ends it (obv_stop()) and is to be
 *                released; NULL: the break point lives as long as its root.
 * @return as obv_observe(); OBV_E_ARGUMENT for a NULL path.
 */
OBV_API enum obv_status obv_debug_break_on_change(
    struct obv_object *OBV_NULLABLE root, const char *OBV_NULLABLE path,
    const char *OBV_NULLABLE label,
    struct obv_observation *OBV_NULLABLE *OBV_NULLABLE handle,
    struct obv_error *OBV_NULLABLE error);

/**
 * Stops before the handler of each observation with this label is called, with a
 * line as above. One label at a time; NULL: none. Tracing is on meanwhile.
 *
 * @return OBV_OK; OBV_E_LIMIT for a label of more than 127 bytes: the one before
 *         stays.
 */
OBV_API enum obv_status
obv_debug_break_before_call(const char *OBV_NULLABLE label);

OBV_END_DECLS

#endif
