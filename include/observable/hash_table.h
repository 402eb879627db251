/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of the table that a dictionary and a set have. Its fields are the
 * library's: nothing here is to be called.
 */
#ifndef OBSERVABLE_HASH_TABLE_H
#define OBSERVABLE_HASH_TABLE_H

#include <observable/base.h>

OBV_BEGIN_DECLS

struct obv_hash_entry {
    struct obv_hash_entry *OBV_NULLABLE next;
    uint64_t hash;
};

struct obv_hash_table {
    union {
        struct obv_hash_entry *OBV_NULLABLE only; /* without buckets */
        struct obv_hash_entry *OBV_NULLABLE *OBV_NULLABLE buckets;
    };
    uint64_t multiplier;
    size_t count;
    uint32_t bits; /* there are 2^bits buckets; 0: none but `only` */
};

OBV_END_DECLS

#endif
