/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Positions of an array that are followed while the array changes: each entry
 * stands for one element, and the map says where that element stands now.
 *
 *     array     a b c d e f g          array     x a b c d e f g
 *     entries     1     2    of b, e   entries       1     2
 *                               insert(0, 1): one addition, at the root
 *
 * The map is told the array's edits (insert, remove, move a range, reorder),
 * and shifts the entries behind them without visiting them: an entry holds its
 * distance from its parent in a balanced tree, so one addition moves a whole
 * subtree. It knows nothing of the elements, and holds nothing for positions
 * that nobody follows.
 *
 * Algorithm: a treap (Aragon and Seidel, 1989) over relative positions; every
 *            change is a split and a join.
 * Units:     positions count elements, from 0. At most one entry stands at a
 *            position.
 * Memory:    entries are the caller's, 40 bytes on a 64-bit machine; the map
 *            allocates nothing, so nothing here fails for want of memory.
 * Threads:   no lock inside. The caller lets one thread in at a time, or
 * several
 *            that only read.
 * Callbacks: none, but for the function that is given to
 *            obv__index_map_permute().
 * Cost:      n is the number of entries, not of elements. O(log n) expected for
 *            each operation, and O(1) more for each entry that it answers.
 *            Priorities are random, by a seed of each map, so whoever chooses
 *            the positions cannot choose the tree's shape.
 */
#ifndef OBV_INDEX_MAP_H
#define OBV_INDEX_MAP_H

#include <observable/base.h>

/** An entry, embedded for a followed element. Belongs to the map from
    obv__index_map_add() until it is taken out; its fields are the map's. */
struct obv__index_entry {
    struct obv__index_entry *parent;
    struct obv__index_entry *child[2];
    /** From the parent's position; of the root from 0. */
    size_t distance;
    uint32_t priority;
};

/** A map; its fields are its own. */
struct obv__index_map {
    struct obv__index_entry *root;
    uint64_t seed;
};

/** Makes an empty map. There is no end to it: an empty one holds nothing. */
void obv__index_map_init(struct obv__index_map *map);

/**
 * Adds an entry, which is in no map, at a position.
 *
 * @return the entry; or the one that stands there already, and then the map is
 *         left as it was.
 */
struct obv__index_entry *obv__index_map_add(struct obv__index_map *map,
                                            struct obv__index_entry *entry,
                                            size_t position);

/** Takes an entry of the map out. */
void obv__index_map_take(struct obv__index_map *map,
                         struct obv__index_entry *entry);

/** The present position of an entry of a map. */
size_t obv__index_map_position(const struct obv__index_entry *entry);

/** The entry at a position, or NULL. */
struct obv__index_entry *obv__index_map_find(const struct obv__index_map *map,
                                             size_t position);

/** The first entry at a position or behind it, or NULL. */
struct obv__index_entry *obv__index_map_from(const struct obv__index_map *map,
                                             size_t position);

/** The last entry in front of a position, or NULL. */
struct obv__index_entry *obv__index_map_before(const struct obv__index_map *map,
                                               size_t position);

/** The entry behind another one, or NULL. O(1) over a whole walk. */
struct obv__index_entry *
obv__index_map_next(const struct obv__index_entry *entry);

/** The array has got `count` elements at a position: what stood there and
    behind it stands further on. What stands last has room for that. */
void obv__index_map_insert(struct obv__index_map *map, size_t position,
                           size_t count);

/** The array has lost `count` elements from a position on: what stood behind
    them stands further in front. Answers the entries of those elements, which
    are taken out, as a map of their own at the positions from 0 to `count`. */
struct obv__index_map obv__index_map_remove(struct obv__index_map *map,
                                            size_t position, size_t count);

/** `count` elements from a position on were moved; `to` counts without them. */
void obv__index_map_move(struct obv__index_map *map, size_t position,
                         size_t count, size_t to);

/**
 * The array was reordered.
 *
 * @param to  answers where the element of a position stands now: a permutation.
 *            If it answers one position twice, the first entry has it and the
 *            others are taken out.
 *
 * Cost: O(n log n), and a call of `to` for each entry.
 */
void obv__index_map_permute(struct obv__index_map *map,
                            size_t (*to)(void *context, size_t position),
                            void *context);

#endif
