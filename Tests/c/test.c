/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main() of a C test program: runs each registered test in a process of its
 * own, prints `ok NAME` or `not ok NAME`, and closes with the numbers.
 *
 *     PROGRAM            runs all
 *     PROGRAM --list     names them
 *     PROGRAM NAME ...   runs these, each in a process of its own
 *     PROGRAM --here NAME   runs one in this process (for a debugger)
 */
#include "test.h"

#include "base/reclaim.h"

#include <observable/allocator.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct test *tests;
static uint64_t seed;

void test_register(struct test *test)
{
    struct test **place = &tests;
    while (*place && strcmp((*place)->name, test->name) < 0) {
        place = &(*place)->next;
    }
    test->next = *place;
    *place = test;
}

static void fail_exit(void)
{
    fprintf(stderr, "  (OBV_TEST_SEED=%" PRIu64 ")\n", seed);
    fflush(NULL);
    _exit(1);
}

void test_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "  %s:%d: %s\n", file, line, what);
    fail_exit();
}

void test_fail_i64(const char *file, int line, const char *what, int64_t have,
                   int64_t want)
{
    fprintf(stderr, "  %s:%d: %s is %" PRId64 ", not %" PRId64 "\n", file, line,
            what, have, want);
    fail_exit();
}

void test_fail_text(const char *file, int line, const char *what,
                    const char *have, const char *want)
{
    if (have && want ? strcmp(have, want) == 0 : have == want) {
        return;
    }
    fprintf(stderr, "  %s:%d: %s is \"%s\", not \"%s\"\n", file, line, what,
            have ? have : "(null)", want ? want : "(null)");
    fail_exit();
}

uint64_t test_random(void)
{
    static uint64_t state;
    static bool begun;
    if (!begun) {
        begun = true;
        state = seed;
    }
    uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Checks that the thread has left all handlers and epoch sections: one that
   stays open keeps all memory that is retired from then on. */
static void check_left(void)
{
    if (!obv__thread_is_idle(obv__thread_self())) {
        fprintf(stderr, "  the thread is inside the core still\n");
        fail_exit();
    }
}

static void run_here(const struct test *test)
{
    test->run();
    check_left();
    if (test_live_blocks() != 0) {
        fprintf(stderr, "  %zu blocks of the test allocator leaked\n",
                test_live_blocks());
        fail_exit();
    }
}

static bool run_apart(const struct test *test)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run_here(test);
        fflush(NULL);
        exit(0); /* not _exit: the leak check of the sanitizers runs here */
    }
    int status = 0;
    bool good = child > 0 && waitpid(child, &status, 0) == child &&
                WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (child > 0 && WIFSIGNALED(status)) {
        fprintf(stderr, "  ended by signal %d\n", WTERMSIG(status));
    }
    printf("%s %s\n", good ? "ok" : "not ok", test->name);
    return good;
}

static _Noreturn void find_none(const char *name)
{
    fprintf(stderr, "no test is called %s\n", name);
    exit(2);
}

static const struct test *find(const char *name)
{
    for (const struct test *test = tests; test; test = test->next) {
        if (strcmp(test->name, name) == 0) {
            return test;
        }
    }
    find_none(name);
}

/* Those whose names begin so. */
static void run_those(const char *name, size_t *passed, size_t *failed)
{
    bool found = false;
    for (const struct test *test = tests; test; test = test->next) {
        if (strncmp(test->name, name, strlen(name)) == 0) {
            found = true;
            ++*(run_apart(test) ? passed : failed);
        }
    }
    if (!found) {
        find_none(name);
    }
}

int main(int count, char **words)
{
    const char *given = getenv("OBV_TEST_SEED");
    seed = given ? strtoull(given, NULL, 0) : UINT64_C(20261121);
    if (count == 2 && strcmp(words[1], "--list") == 0) {
        for (const struct test *test = tests; test; test = test->next) {
            puts(test->name);
        }
        return 0;
    }
    if (count == 3 && strcmp(words[1], "--here") == 0) {
        run_here(find(words[2]));
        return 0;
    }
    size_t passed = 0, failed = 0;
    if (count > 1) {
        for (int i = 1; i < count; i++) {
            run_those(words[i], &passed, &failed);
        }
    } else {
        for (const struct test *test = tests; test; test = test->next) {
            run_apart(test) ? passed++ : failed++;
        }
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
