/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE

#include "shrink.h"

#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_A_PROGRAM = 20 };

void run_both(const struct program *program, bool whole)
{
    model_begin();
    strict = true;
    real_begin(program);
    for (int s = 0; s < program->count; s++) {
        const struct command *command = &program->step[s];
        if (!model_step(program, command)) {
            continue;
        }
        real_step(command);
        if (world.poked_thing < 0) {
            compare_worlds(whole, (unsigned)s);
        }
    }
    if (world.poked_thing < 0) {
        compare_worlds(true, 0);
    }
    real_end();
}

bool fails(const struct program *program, bool aloud)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_A_PROGRAM);
        real_trace = aloud;
        if (!aloud && !freopen("/dev/null", "w", stderr)) {
            _exit(0);
        }
        run_both(program, true);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        fputs("no process could be had\n", stderr);
        exit(2);
    }
    if (aloud && WIFSIGNALED(status)) {
        fprintf(stderr, "  ended by signal %d\n", WTERMSIG(status));
    }
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static struct program fewer;

static bool try_fewer(struct program *program)
{
    if (!fails(&fewer, false)) {
        return false;
    }
    *program = fewer;
    return true;
}

static void drop_steps(struct program *program)
{
    for (int size = program->count / 2; size > 0; size /= 2) {
        for (int at = 0; at + size <= program->count;) {
            fewer = *program;
            memmove(fewer.step + at, fewer.step + at + size,
                    (size_t)(fewer.count - at - size) * sizeof *fewer.step);
            fewer.count -= size;
            if (!try_fewer(program)) {
                at += size;
            }
        }
    }
}

/* Each observation with fewer paths and options. */
static void drop_details(struct program *program)
{
    for (int s = 0; s < program->count; s++) {
        fewer = *program;
        struct command *command = &fewer.step[s];
        if (command->verb != OBSERVE && command->verb != OBSERVE_CLASS &&
            command->verb != ALSO) {
            continue;
        }
        for (int p = command->paths; p-- > 0 && command->paths > 1;) {
            memmove(command->path + p, command->path + p + 1,
                    (size_t)(command->paths - p - 1) * sizeof *command->path);
            command->paths--;
            try_fewer(program);
            fewer = *program;
        }
        for (int bit = 1; bit <= COMPARE_IDENTITY; bit *= 2) {
            if (command->options & bit) {
                command->options = (uint16_t)(command->options & ~bit);
                try_fewer(program);
                fewer = *program;
            }
        }
        if (command->by >= 0 || command->block >= 0 || command->loop > 0) {
            command->by = command->block = -1;
            command->loop = 0;
            try_fewer(program);
        }
        fewer = *program;
        if (command->starve) {
            command->starve = 0;
            try_fewer(program);
        }
    }
}

/* Of edits that are told together one alone. */
static void drop_edits(struct program *program)
{
    for (int s = 0; s < program->count; s++) {
        for (int e = program->step[s].edits; e-- > 0;) {
            fewer = *program;
            struct command *command = &fewer.step[s];
            if (command->edits > 1) {
                memmove(command->edit + e, command->edit + e + 1,
                        (size_t)(command->edits - e - 1) *
                            sizeof *command->edit);
                command->edits--;
                try_fewer(program);
            }
        }
    }
}

void shrink(struct program *program)
{
    int count;
    do {
        count = program->count;
        drop_steps(program);
        drop_details(program);
        drop_edits(program);
    } while (program->count < count);
}
