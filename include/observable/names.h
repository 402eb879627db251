/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned names: each text once, as a small integer. Two names are equal
 * exactly if their ids are, so a key path compares and hashes integers and
 * never text. A context has a table of them (obv_context_names()).
 *
 *     "zipCode" --obv_names_intern()--> 7 --obv_names_text()--> "zipCode"
 *
 * Ids count up from 1 in the order of first interning; 0 is no name. A text is
 * any sequence of at most 65,535 bytes, the empty one included; whether it is
 * good UTF-8 is the path parser's question.
 *
 * Names are never taken out: a table grows with the number of *different*
 * texts that it has ever been given.
 *
 * Threads:   any, at the same time.
 * Callbacks: none but the allocator's.
 * Cost:      hashing the text, O(1) expected beside. One allocation of 25 bytes
 *            and the text for a new name, and now and then one for a larger
 *            table. The hash is keyed at random for each table, so that nobody
 *            can prepare texts that collide.
 */
#ifndef OBSERVABLE_NAMES_H
#define OBSERVABLE_NAMES_H

#include <observable/base.h>
#include <observable/status.h>

OBV_BEGIN_DECLS

/** The id of no name. */
#define OBV_NAME_NONE UINT32_C(0)

/** The longest text, in bytes. */
#define OBV_NAME_LENGTH_MAX 65535

/** A table of names; opaque. */
struct obv_names;

/**
 * Answers the id of a text, which is added if it is new.
 *
 * @param text    `length` bytes, copied; may be NULL if `length` is 0.
 * @param id      receives the id.
 * @return OBV_OK; OBV_E_ARGUMENT if something needed is NULL; OBV_E_LIMIT if
 *         the text is longer than OBV_NAME_LENGTH_MAX or 2^31 - 1 names
 *         exist; OBV_E_MEMORY. On error no name was added.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_names_intern(struct obv_names *OBV_NONNULL names,
                 const char *OBV_NULLABLE text, size_t length,
                 uint32_t *OBV_NONNULL id);

/**
 * Answers the text of an id, or NULL for an id that the table never gave.
 *
 * @param length  receives the number of bytes (0 with NULL); may be NULL.
 * @return the table's own copy, ended by a NUL that `length` does not count;
 *         valid until the context is destroyed.
 */
OBV_API const char *OBV_NULLABLE
obv_names_text(const struct obv_names *OBV_NONNULL names, uint32_t id,
               size_t *OBV_NULLABLE length);

OBV_END_DECLS

#endif
