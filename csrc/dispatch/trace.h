/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events, told to one function of the process: <observable/trace.h>. Here
 * is the question whether anybody is told. It is asked on ways alone that are
 * slow already: while a trace is on, obv_detail_plain is 0 as while a class is
 * observed, so no set is a plain store; and a loop that something is
 * scheduled on is special, so its drain is no plain one.
 */
#ifndef OBV_TRACE_H
#define OBV_TRACE_H

#include "platform/atomic.h"
#include "platform/compiler.h"

#include <observable/trace.h>

struct obv_context;
struct obv__watcher;

/** An event, as the core has it. */
struct obv__traced {
    enum obv_trace_kind kind;
    bool is_perhaps;
    struct obv_object *object; /* that has changed, or a root; NULL: none */
    uint32_t slot; /* of it; OBV__SLOT_NONE: none of its properties */
    struct obv__watcher *via;    /* a pair, or an observation; NULL: none */
    struct obv_context *context; /* of `via`; NULL: that is pinned */
    const struct obv_loop *loop;
    size_t count;
};

/** Any thread. */
extern obv_trace_receiver *obv__trace_receiver OBV__HIDDEN;

static inline bool obv__is_traced(void)
{
    /* Relaxed: the thread that switched it on has told this one, or it comes
       too late. */
    return OBV__UNLIKELY(obv__load_relaxed(&obv__trace_receiver) != NULL);
}

/** Tells the trace, where obv__is_traced(). No lock held. */
void obv__trace(const struct obv__traced *traced);

#endif
