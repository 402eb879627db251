/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform/wake.h over words of the scheduler. A system call is a full fence,
 * and so is an exchange.
 */
#include "scheduler_wake.h"

#include "platform/wake.h"
#include "scheduler.h"

enum { DESCRIPTORS = 4 };

static struct {
    uint32_t readable;
    bool open;
} descriptors[DESCRIPTORS];

bool scheduler_is_readable(int descriptor)
{
    return descriptors[descriptor].readable != 0;
}

int scheduler_open_descriptors(void)
{
    int open = 0;
    for (int i = 0; i < DESCRIPTORS; i++) {
        open += descriptors[i].open;
    }
    return open;
}

bool obv__wake_open(struct obv__wake *wake)
{
    int free = 0;
    while (free < DESCRIPTORS && descriptors[free].open) {
        free++;
    }
    if (free == DESCRIPTORS) {
        return false;
    }
    descriptors[free].open = true;
    descriptors[free].readable = 0;
    wake->read_fd = wake->write_fd = free;
    return true;
}

void obv__wake_signal(const struct obv__wake *wake)
{
    SCHEDULER_CHECK(descriptors[wake->write_fd].open);
    obv__exchange_seq_cst(&descriptors[wake->write_fd].readable, 1);
}

void obv__wake_clear(const struct obv__wake *wake)
{
    SCHEDULER_CHECK(descriptors[wake->read_fd].open);
    obv__exchange_seq_cst(&descriptors[wake->read_fd].readable, 0);
}

void obv__wake_close(struct obv__wake *wake)
{
    if (wake->read_fd >= 0) {
        descriptors[wake->read_fd].open = false;
    }
    wake->read_fd = wake->write_fd = -1;
}
