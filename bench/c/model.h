/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the benches observe: a user with four ints, the tally that its
 * observers keep, and the hooks of both ends. C11 and C++17: the timed benches
 * and the instruction counts measure the same object.
 */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include <observable/observable.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A setter that is called, never inlined, and begins a cache line: what
    differs between two of them is what they do. */
#define BENCH_SETTER __attribute__((noinline, aligned(64)))

/** What an observer has seen: the checksum that proves the work. */
struct tally {
    uint64_t calls;
    uint64_t sum;
    uint64_t held;
};

/** Counts one call that found `value`. */
static inline void tally_add(struct tally *tally, int32_t value)
{
    tally->calls++;
    tally->sum += (uint64_t)value;
}

enum { USER_AGE, USER_SIZE, USER_WEIGHT, USER_HEIGHT };

struct user {
    struct obv_object object;
    int32_t age, size, weight, height;
    uint64_t held;
};

OBV_PROPERTY(user, age, i32, USER_AGE)
OBV_PROPERTY(user, size, i32, USER_SIZE)

/** What keeps both ends alive from scheduling to the call. */
enum hooks {
    /** Nothing: the ends outlive everything, as in the peers. */
    HOOKS_NONE,
    /** Hooks that do nothing: what calling them costs. */
    HOOKS_EMPTY,
    /** Hooks that count atomically: ends that threads share. */
    HOOKS_COUNTING
};

OBV_BEGIN_DECLS

/** The handler kind and the class of users with these hooks. */
extern const struct obv_handler_kind seen_kinds[3];
struct obv_class *user_class(enum hooks hooks);

OBV_END_DECLS

/** Ends the program with the call that failed: a bench that could not set up
    what it measures has no number. */
static inline void bench_require(enum obv_status status, const char *call)
{
    if (status != OBV_OK) {
        fprintf(stderr, "bench: %s: %s\n", call, obv_status_text(status));
        exit(1);
    }
}
#define BENCH_REQUIRE(call) bench_require((call), #call)

/** A new user; its fields are 0. */
static inline void user_init(struct user *user, enum hooks hooks)
{
    *user = (struct user){{0}, 0, 0, 0, 0, 0};
    obv_object_init(&user->object, user_class(hooks));
}

/** One observation of `path` by `tally` on `loop` (NULL: the default one). */
static inline struct obv_observation *
user_observe(struct user *user, const char *path, struct tally *tally,
             enum hooks hooks, struct obv_loop *loop, uint32_t flags)
{
    struct obv_pair pair = {&user->object, path};
    struct obv_observe_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.loop = loop;
    options.flags = flags;
    struct obv_observation *handle = NULL;
    BENCH_REQUIRE(obv_observe_pairs(&pair, 1, &seen_kinds[hooks], tally,
                                    &options, &handle, NULL));
    return handle;
}

/** Stops an observation and gives its handle back. */
static inline void user_stop(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

#endif
