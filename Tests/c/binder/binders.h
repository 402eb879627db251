/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of binders share: binding two properties of items, and draining
 * until nothing is left to carry.
 */
#ifndef OBV_TEST_BINDERS_H
#define OBV_TEST_BINDERS_H

#include "contract_fixture.h"

static struct fixture fixture;

static inline struct obv_binder *
bind_with(struct item *source, const char *from, struct item *target,
          const char *to, const struct obv_binder_options *options)
{
    const struct obv_binder_end ends[] = {{&source->object, from, NULL},
                                          {&target->object, to, NULL}};
    struct obv_binder *binder = NULL;
    CHECK_EQ(obv_bind(&ends[0], &ends[1], options, &binder, NULL), OBV_OK);
    return binder;
}

static inline struct obv_binder *bind_one(struct item *source, const char *from,
                                          struct item *target, const char *to)
{
    return bind_with(source, from, target, to, NULL);
}

static inline struct obv_binder *bind_both(struct item *source,
                                           const char *from,
                                           struct item *target, const char *to)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .is_two_way = true};
    return bind_with(source, from, target, to, &options);
}

static inline void drain_all(void)
{
    while (drain(&fixture) > 0) {
    }
}

static inline void drop(struct item *item)
{
    item_release(&item->object);
}

#endif
