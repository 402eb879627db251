/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What P7 observes: the path `a.b.c` from a root, where b and a are replaced by
 * two objects in turns whose leaves are 1 and 2. C11 and C++17, as model.h.
 */
#ifndef BENCH_CHAIN_H
#define BENCH_CHAIN_H

#include "model.h"

struct chain_b {
    struct obv_object object;
    int32_t c;
};

struct chain_a {
    struct obv_object object;
    struct chain_b *b;
};

struct chain_root {
    struct obv_object object;
    struct chain_a *a;
};

OBV_PROPERTY(chain_b, c, i32, 0)
OBV_PROPERTY(chain_a, b, object, 0)
OBV_PROPERTY(chain_root, a, object, 0)

/** The objects, and an immediate observation of the leaf. */
struct chain {
    struct chain_root root;
    struct chain_a first_a, as[2];
    struct chain_b first_b, bs[2], below[2];
};

OBV_BEGIN_DECLS

/** Makes the objects, whose classes have no hooks, and begins to observe. */
void chain_init(struct chain *chain, struct tally *tally);
void chain_deinit(struct chain *chain);

OBV_END_DECLS

static inline int32_t chain_leaf(const struct chain *chain)
{
    return chain_b_c(chain_a_b(chain_root_a(&chain->root)));
}

/** 1, 2, 1, 2, ... for 1, 2, 3, 4, ...: the leaves of what takes turns. */
static inline int32_t chain_turn(int32_t value)
{
    return 2 - (value & 1);
}

static inline void chain_set_leaf(struct chain *chain, int32_t value)
{
    chain_b_set_c(chain_a_b(chain_root_a(&chain->root)), value);
}

static inline void chain_replace_b(struct chain *chain, int32_t value)
{
    chain_a_set_b(chain_root_a(&chain->root), &chain->bs[value & 1]);
}

static inline void chain_replace_a(struct chain *chain, int32_t value)
{
    chain_root_set_a(&chain->root, &chain->as[value & 1]);
}

#endif
