/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer of a call. Zero is good, everything negative is an error, and
 * after an error everything is as it was before the call; parameters that would
 * have received something are untouched. Out of memory is never the same answer
 * as "not found".
 */
#ifndef OBSERVABLE_STATUS_H
#define OBSERVABLE_STATUS_H

#include <observable/base.h>

OBV_BEGIN_DECLS

/**
 * Every status: its name, its number and its text. Names and texts come from
 * this one table; obv_status_name() and obv_status_text() read it.
 */
#define OBV_STATUS_TABLE(X)                                                    \
    X(OBV_OK, 0, "done")                                                       \
    X(OBV_E_MEMORY, -1, "out of memory; nothing was changed")                  \
    X(OBV_E_ARGUMENT, -2, "an argument is null or out of its range")           \
    X(OBV_E_SYNTAX, -3, "the text is not a key path")                          \
    X(OBV_E_UNKNOWN, -4, "the class has no such property")                     \
    X(OBV_E_KIND, -5, "what stands there cannot have such an element")         \
    X(OBV_E_OPTIONS, -6, "these options contradict each other")                \
    X(OBV_E_LAYOUT, -7, "the class table contradicts itself")                  \
    X(OBV_E_LIMIT, -8, "a limit of the library is reached")                    \
    X(OBV_E_ENDED, -9, "the object, observation or loop has ended")            \
    X(OBV_E_BUSY, -10, "another thread is at it")                              \
    X(OBV_E_THREAD, -11, "a bound loop belongs to another thread")             \
    X(OBV_E_IN_USE, -12, "something still depends on it")                      \
    X(OBV_E_SYSTEM, -13, "the operating system refused")                       \
    X(OBV_E_PAST_END, -14, "the index is past the end")                        \
    X(OBV_E_CYCLE, -16, "a computed property needs itself")

/** The answer of a call: zero or a negative number of the table above. */
enum obv_status {
#define OBV_STATUS_ENTRY(name, number, text) name = number,
    OBV_STATUS_TABLE(OBV_STATUS_ENTRY)
#undef OBV_STATUS_ENTRY
};

/**
 * The cause of an error, in more words than a status. Filled in by the calls
 * that take one, on error only; may be NULL everywhere. Nothing in it is to be
 * freed.
 */
struct obv_error {
    enum obv_status status;
    /** OBV_E_SYNTAX: the byte that cannot stand there, from 0. OBV_E_LAYOUT:
        the property's place in the class's own table. Else 0. */
    size_t position;
    /** Which of several pairs or paths, from 0; 0 where there is only one. */
    size_t index;
    /** A sentence in English, a constant. */
    const char *OBV_NULLABLE message;
    /** OBV_E_LAYOUT: the name of the class, and of the property that is wrong
        (NULL: the class is as a whole), borrowed from the table. Else NULL. */
    const char *OBV_NULLABLE class_name;
    const char *OBV_NULLABLE property;
};

/** The name of a status as it is written in C ("OBV_E_MEMORY"). */
OBV_API const char *OBV_NONNULL obv_status_name(enum obv_status status);

/** The text of a status, a sentence in English without a full stop. */
OBV_API const char *OBV_NONNULL obv_status_text(enum obv_status status);

OBV_END_DECLS

#endif
