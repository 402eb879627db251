/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program on Linux as a sandbox would in which the system call
 * `membarrier` is refused from the start.
 *
 *     no_membarrier PROGRAM ARGUMENT...
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {.len = sizeof filter / sizeof *filter,
                                       .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("seccomp");
        return -1;
    }
    /* Seen to be in force: else the tests would prove nothing. */
    return syscall(__NR_membarrier, 0, 0, 0) == -1 && errno == ENOSYS ? 0 : -1;
}

int main(int count, char **words)
{
    if (count < 2) {
        fprintf(stderr, "usage: no_membarrier PROGRAM ARGUMENT...\n");
        return 2;
    }
    if (refuse() != 0) {
        fprintf(stderr, "membarrier could not be refused\n");
        return 2;
    }
    execvp(words[1], words + 1);
    perror(words[1]);
    return 2;
}
