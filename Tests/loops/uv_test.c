/* SPDX-License-Identifier: Apache-2.0 */
/* <observable_loops/uv.h>, in a loop of libuv. */
#include "pieces.h"

#include <observable_loops/uv.h>

struct foreign {
    uv_loop_t uv;
    struct obv_uv piece;
    uv_handle_t *closed;
};

/* A refused one leaves what there is. */
static enum obv_status foreign_begin(struct foreign *foreign,
                                     struct obv_loop *loop)
{
    if (!loop) {
        return obv_uv_start(&foreign->piece, &foreign->uv, loop);
    }
    CHECK_EQ(uv_loop_init(&foreign->uv), 0);
    return obv_uv_start(&foreign->piece, &foreign->uv, loop);
}

static void foreign_turn(struct foreign *foreign, bool may_sleep)
{
    (void)uv_run(&foreign->uv, may_sleep ? UV_RUN_ONCE : UV_RUN_NOWAIT);
}

static void note_closed(uv_handle_t *handle)
{
    struct foreign *foreign = handle->loop->data;
    foreign->closed = handle;
}

/* A loop of libuv refuses to end before its handles. */
static void foreign_end_loop(struct foreign *foreign)
{
    CHECK_EQ(uv_loop_close(&foreign->uv), UV_EBUSY);
    foreign->uv.data = foreign;
    obv_uv_end(&foreign->piece, note_closed);
    while (!foreign->closed) {
        (void)uv_run(&foreign->uv, UV_RUN_NOWAIT);
    }
    CHECK(foreign->closed == (uv_handle_t *)&foreign->piece.poll);
    CHECK_EQ(uv_loop_close(&foreign->uv), 0);
}

static void foreign_end(struct foreign *foreign)
{
    foreign_end_loop(foreign);
}

static bool foreign_has_stopped(const struct foreign *foreign)
{
    CHECK(foreign->piece.status == OBV_OK ||
          foreign->piece.status == OBV_E_THREAD);
    return foreign->piece.status != OBV_OK;
}

#include "pieces_tests.h"
