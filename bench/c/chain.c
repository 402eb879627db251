/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classes, the objects and the handler of chain.h.
 */
#include "chain.h"

static const struct obv_property b_properties[] = {
    OBV_FIELD(chain_b, c, i32),
};
static const struct obv_property a_properties[] = {
    OBV_FIELD_OBJECT(chain_a, b, "chain b"),
};
static const struct obv_property root_properties[] = {
    OBV_FIELD_OBJECT(chain_root, a, "chain a"),
};

#define CHAIN_TABLE(class_name, type, lines)                                   \
    {                                                                          \
        .size = sizeof(struct obv_class_table), .name = class_name,            \
        .instance_size = sizeof(struct type), .properties = lines,             \
        .property_count = 1                                                    \
    }

enum { CHAIN_B, CHAIN_A, CHAIN_ROOT };

static const struct obv_class_table tables[] = {
    [CHAIN_B] = CHAIN_TABLE("chain b", chain_b, b_properties),
    [CHAIN_A] = CHAIN_TABLE("chain a", chain_a, a_properties),
    [CHAIN_ROOT] = CHAIN_TABLE("chain root", chain_root, root_properties),
};

static struct obv_class *class_of(int which)
{
    static struct obv_class *classes[3];
    if (classes[which] == NULL) {
        BENCH_REQUIRE(
            obv_class_create(NULL, &tables[which], &classes[which], NULL));
    }
    return classes[which];
}

/* The handler: follows the path and counts. */
static void leaf_seen(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    (void)call;
    tally_add(observer, chain_leaf((const struct chain *)(const void *)root));
}

static const struct obv_handler_kind leaf_kind = {.changed = leaf_seen,
                                                  .label = "leaf"};

static void init_b(struct chain_b *b, int32_t c)
{
    b->c = c;
    obv_object_init(&b->object, class_of(CHAIN_B));
}

static void init_a(struct chain_a *a, struct chain_b *b)
{
    a->b = b;
    obv_object_init(&a->object, class_of(CHAIN_A));
}

void chain_init(struct chain *chain, struct tally *tally)
{
    init_b(&chain->first_b, 0);
    init_a(&chain->first_a, &chain->first_b);
    for (int odd = 0; odd < 2; odd++) {
        init_b(&chain->bs[odd], chain_turn(odd));
        init_b(&chain->below[odd], chain_turn(odd));
        init_a(&chain->as[odd], &chain->below[odd]);
    }
    chain->root.a = &chain->first_a;
    obv_object_init(&chain->root.object, class_of(CHAIN_ROOT));
    struct obv_pair pair = {&chain->root.object, "a.b.c"};
    struct obv_observe_options options = {.size = sizeof options,
                                          .flags = OBV_IMMEDIATE};
    BENCH_REQUIRE(
        obv_observe_pairs(&pair, 1, &leaf_kind, tally, &options, NULL, NULL));
}

void chain_deinit(struct chain *chain)
{
    obv_object_deinit(&chain->root.object);
    obv_object_deinit(&chain->first_a.object);
    obv_object_deinit(&chain->first_b.object);
    for (int odd = 0; odd < 2; odd++) {
        obv_object_deinit(&chain->as[odd].object);
        obv_object_deinit(&chain->bs[odd].object);
        obv_object_deinit(&chain->below[odd].object);
    }
}
