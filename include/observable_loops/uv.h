/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop in a loop of libuv (DR-14): its handlers run in uv_run(). Needs
 * libuv 1 (pkg-config libuv), whose own headers want _GNU_SOURCE or -std=gnu11.
 *
 *     struct obv_uv piece;
 *     if (obv_uv_start(&piece, uv_default_loop(), obv_context_loop(NULL)) ==
 *         OBV_OK) {
 *         uv_run(uv_default_loop(), UV_RUN_DEFAULT);
 *     }
 *
 * The handle sleeps while nothing is scheduled. As any handle it keeps uv_run()
 * going until it is closed; `uv_unref((uv_handle_t *)&piece.poll)` has that
 * otherwise. It keeps the memory of the loop until obv_uv_end(). So either may
 * end first:
 *
 *     the loop of libuv   uv_loop_close() answers UV_EBUSY until the piece has
 *                         ended; what is scheduled then stays so, and
 *                         obv_loop_drain() delivers it
 *     the loop            the handle does nothing more, until it is closed
 *
 * The piece ends before the context of the loop does.
 */
#ifndef OBSERVABLE_LOOPS_UV_H
#define OBSERVABLE_LOOPS_UV_H

#include <observable/loop.h>

#include <uv.h>

OBV_BEGIN_DECLS

/** In the program's memory from the start until libuv has closed `poll`, and
    not moved. */
struct obv_uv {
    uv_poll_t poll;
    struct obv_loop *OBV_NULLABLE loop;
    /** OBV_OK; OBV_E_THREAD: the loop is bound to another thread than the one
        that runs libuv's, and the handle has stopped; OBV_E_SYSTEM: libuv could
        not poll any more, and it has stopped. */
    enum obv_status status;
};

static inline void obv_detail_uv_drain(uv_poll_t *OBV_NONNULL poll, int error,
                                       int events)
{
    struct obv_uv *piece = (struct obv_uv *)poll->data;
    (void)events;
    if (error < 0) {
        piece->status = OBV_E_SYSTEM;
    } else if (obv_loop_drain(piece->loop) == OBV_E_THREAD) {
        piece->status = OBV_E_THREAD;
    }
    if (piece->status != OBV_OK) {
        (void)uv_poll_stop(poll);
    }
}

/**
 * Has a loop of libuv drain a loop from now on.
 *
 * @return OBV_OK; OBV_E_ARGUMENT for NULL; OBV_E_SYSTEM if libuv refuses the
 *         descriptor; as obv_loop_descriptor(). On error there is nothing to be
 *         ended.
 *
 * Threads: the one that runs libuv's loop, or before it runs.
 */
static inline enum obv_status obv_uv_start(struct obv_uv *OBV_NULLABLE piece,
                                           uv_loop_t *OBV_NULLABLE uv,
                                           struct obv_loop *OBV_NULLABLE loop)
{
    int descriptor;
    if (!piece || !uv || !loop) {
        return OBV_E_ARGUMENT;
    }
    enum obv_status status = obv_loop_descriptor(loop, &descriptor);
    if (status != OBV_OK) {
        return status;
    }
    if (uv_poll_init(uv, &piece->poll, descriptor) != 0) {
        return OBV_E_SYSTEM;
    }
    piece->poll.data = piece;
    piece->loop = obv_loop_retain(loop);
    piece->status = OBV_OK;
    (void)uv_poll_start(&piece->poll, UV_READABLE, obv_detail_uv_drain);
    return OBV_OK;
}

/**
 * Ends that: no handler is called by it any more.
 *
 * @param closed  called by libuv's loop, in a later turn, once the memory of
 *                the piece is the program's again; NULL: nothing.
 *
 * Threads: the one that runs libuv's loop, in handlers too; once.
 */
static inline void obv_uv_end(struct obv_uv *OBV_NONNULL piece,
                              uv_close_cb OBV_NULLABLE closed)
{
    struct obv_loop *loop = piece->loop;
    piece->loop = NULL;
    uv_close((uv_handle_t *)&piece->poll, closed);
    obv_loop_release(loop);
}

OBV_END_DECLS

#endif
