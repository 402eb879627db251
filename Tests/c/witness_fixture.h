/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Witnesses: probes that keep copies of the values and records that they are
 * told, for tests of these and of comparisons. They extend contract_fixture.h.
 */
#ifndef OBV_WITNESS_FIXTURE_H
#define OBV_WITNESS_FIXTURE_H

#include "contract_fixture.h"

enum { KEPT_BYTES = 256, KEPT_TEXT = 64, KEPT_ENTRIES = 24 };

/* A copy of a value, which outlives the handler's call. */
struct kept_value {
    enum obv_kind kind;
    const struct obv_property *property;
    uint64_t bits;        /* of scalars, pointers and objects */
    bool is_null;         /* of strings */
    char text[KEPT_TEXT]; /* of strings that are not */
    uint8_t bytes[KEPT_BYTES];
};

struct kept_entry {
    uint32_t pair;
    char path[KEPT_TEXT], way[KEPT_TEXT];
    struct kept_value first, last;
    uint64_t changes;
    struct obv_cause first_cause, last_cause;
};

/* A probe that keeps its last call. */
struct witness {
    struct probe probe; /* first */
    bool has_values, has_record, is_prior;
    size_t priors; /* counts its calls before the store */
    struct kept_value old, now;
    size_t count, missing;
    struct kept_entry entries[KEPT_ENTRIES];
};

static inline void keep_value(struct kept_value *kept,
                              const struct obv_value *value)
{
    memset(kept, 0, sizeof *kept);
    kept->kind = value->kind;
    kept->property = value->property;
    CHECK(value->kind == OBV_KIND_unreachable || value->property);
    switch (value->kind) {
    case OBV_KIND_bool:
        kept->bits = value->as.boolean;
        break;
    case OBV_KIND_i32:
        kept->bits = (uint64_t)value->as.i32;
        break;
    case OBV_KIND_string:
        kept->is_null = value->as.string == NULL;
        if (value->as.string) {
            CHECK(strlen(value->as.string) < KEPT_TEXT);
            strcpy(kept->text, value->as.string);
        }
        break;
    case OBV_KIND_bytes:
        CHECK(value->property->size <= KEPT_BYTES);
        memcpy(kept->bytes, value->as.bytes, value->property->size);
        break;
    case OBV_KIND_unreachable:
    case OBV_KIND_custom:
        break;
    case OBV_KIND_enum:
        kept->bits = (uint64_t)value->as.enumeration;
        break;
    default:
        memcpy(&kept->bits, &value->as, value->property->size);
        break;
    }
}

static inline void keep_entry(struct kept_entry *kept,
                              const struct obv_record_entry *entry)
{
    kept->pair = entry->index;
    CHECK(strlen(entry->path) < KEPT_TEXT && strlen(entry->way) < KEPT_TEXT);
    strcpy(kept->path, entry->path);
    strcpy(kept->way, entry->way);
    keep_value(&kept->first, &entry->first);
    keep_value(&kept->last, &entry->last);
    kept->changes = entry->changes;
    kept->first_cause = entry->first_cause;
    kept->last_cause = entry->last_cause;
}

static inline void witness_changed(void *observer, struct obv_object *root,
                                   const struct obv_call *call)
{
    struct witness *witness = observer;
    witness->is_prior = call->is_prior;
    witness->priors += call->is_prior;
    witness->has_values = call->old != NULL;
    witness->has_record = call->record != NULL;
    CHECK((call->old == NULL) == (call->now == NULL));
    if (call->old) {
        keep_value(&witness->old, call->old);
        keep_value(&witness->now, call->now);
    }
    witness->count = witness->missing = 0;
    if (call->record) {
        witness->count = call->record->count;
        witness->missing = call->record->missing;
        CHECK(witness->count <= KEPT_ENTRIES);
        for (size_t i = 0; i < witness->count; i++) {
            keep_entry(&witness->entries[i], &call->record->entries[i]);
        }
    }
    probe_changed(observer, root, call);
}

static inline void witness_init(struct witness *witness,
                                const struct fixture *fixture)
{
    memset(witness, 0, sizeof *witness);
    probe_init(&witness->probe, fixture);
    witness->probe.kind.changed = witness_changed;
    witness->probe.kind.label = "witness";
}

/* The entry of a record with this way, or NULL. */
static inline const struct kept_entry *entry_of(const struct witness *witness,
                                                const char *way)
{
    for (size_t i = 0; i < witness->count; i++) {
        if (strcmp(witness->entries[i].way, way) == 0) {
            return &witness->entries[i];
        }
    }
    return NULL;
}

static inline struct obv_observe_options options_of(uint32_t flags)
{
    return (struct obv_observe_options){
        .size = sizeof(struct obv_observe_options), .flags = flags};
}

/* One pair. */
static inline struct obv_observation *
witness_with(struct obv_object *root, const char *path, struct witness *witness,
             const struct obv_observe_options *options)
{
    struct obv_observation *handle = NULL;
    const struct obv_pair pair = {root, path};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &witness->probe.kind, witness, options,
                               &handle, NULL),
             OBV_OK);
    return handle;
}

static inline struct obv_observation *witness(struct obv_object *root,
                                              const char *path,
                                              struct witness *witness,
                                              uint32_t flags)
{
    const struct obv_observe_options options = options_of(flags);
    return witness_with(root, path, witness, &options);
}

static inline size_t calls_of(const struct witness *witness)
{
    return witness->probe.calls;
}

#endif
