/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sandbox that is entered late, on Linux: a membarrier that was promised is
 * refused from then on.
 */
#ifndef OBV_TEST_LATE_SANDBOX_H
#define OBV_TEST_LATE_SANDBOX_H

#include "test.h"

#include <stdlib.h>

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* False: there is none to enter. An emulator of another processor
   (OBV_TEST_EMULATED) passes no filter on. */
static inline bool enter_late_sandbox(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, filter};
    if (getenv("OBV_TEST_EMULATED")) {
        return false;
    }
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    return true;
}

#else

static inline bool enter_late_sandbox(void)
{
    return false;
}

#endif

#endif
