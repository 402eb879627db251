/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C tests' frame: tests register themselves, run one per process, and are
 * named as statements. Never compiled with NDEBUG; CHECK always checks.
 */
#ifndef OBV_TEST_H
#define OBV_TEST_H

#ifdef NDEBUG
#error "tests check with NDEBUG off"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct test {
    const char *name;
    void (*run)(void);
    struct test *next;
};

void test_register(struct test *test);
void test_fail(const char *file, int line, const char *what);
void test_fail_i64(const char *file, int line, const char *what, int64_t have,
                   int64_t want);
void test_fail_text(const char *file, int line, const char *what,
                    const char *have, const char *want);

/** Defines a test; the name is a sentence, with the rule's id in front. */
#define TEST(test_name)                                                        \
    static void test_run_##test_name(void);                                    \
    __attribute__((constructor)) static void test_add_##test_name(void)        \
    {                                                                          \
        static struct test test = {#test_name, test_run_##test_name, NULL};    \
        test_register(&test);                                                  \
    }                                                                          \
    static void test_run_##test_name(void)

/** Fails the test (and ends its process) if the condition does not hold. */
#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            test_fail(__FILE__, __LINE__, #condition);                         \
        }                                                                      \
    } while (0)

#define CHECK_EQ(have, want)                                                   \
    do {                                                                       \
        int64_t test_have = (int64_t)(have), test_want = (int64_t)(want);      \
        if (test_have != test_want) {                                          \
            test_fail_i64(__FILE__, __LINE__, #have, test_have, test_want);    \
        }                                                                      \
    } while (0)

#define CHECK_TEXT(have, want)                                                 \
    test_fail_text(__FILE__, __LINE__, #have, (have), (want))

/* An allocator that counts, and fails when told (see test_memory.c). */
struct obv_allocator;
const struct obv_allocator *test_allocator(void);
/** Blocks and bytes that the test allocator has handed out and not got back. */
size_t test_live_blocks(void);
size_t test_live_bytes(void);
/** All allocations so far. */
size_t test_allocations(void);
/** The n-th allocation from now (1: the next) fails, and with `all` every
    later one too; 0 switches this off. */
void test_fail_allocation(size_t n, bool all);
/** Whether an allocation has been refused since test_fail_allocation(). */
bool test_allocation_failed(void);

/** A repeatable pseudo-random number (splitmix64); the seed is printed on
    failure and taken from OBV_TEST_SEED. */
uint64_t test_random(void);

#ifdef __cplusplus
}
#endif

#endif
