/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A treap whose entries hold their distance from their parent. The root of a
 * tree that stands alone has its position instead. So a tree that a split has
 * cut off is shifted by one addition to its root; hang_tree() makes the root
 * relative.
 *
 * Distances wrap around: an entry to the left of its parent has a "negative"
 * one.
 */
#include "base/index_map.h"

#include "platform/bsd.h"

#include <stdlib.h>

enum { LEFT, RIGHT };

/* Trees that stand alone --------------------------------------------------- */

static struct obv__index_entry *cut_tree_off(struct obv__index_entry *entry,
                                             int side)
{
    struct obv__index_entry *child = entry->child[side];
    entry->child[side] = NULL;
    if (child) {
        child->parent = NULL;
        child->distance += entry->distance;
    }
    return child;
}

static void hang_tree(struct obv__index_entry *entry, int side,
                      struct obv__index_entry *child)
{
    entry->child[side] = child;
    if (child) {
        child->parent = entry;
        child->distance -= entry->distance;
    }
}

/* The entries in front of a position, and the rest. Recursion: as deep as the
   tree, O(log n) expected. */
static void split_tree(struct obv__index_entry *tree, size_t position,
                       struct obv__index_entry **front,
                       struct obv__index_entry **rest)
{
    struct obv__index_entry *part;
    if (!tree) {
        *front = *rest = NULL;
    } else if (tree->distance < position) {
        split_tree(cut_tree_off(tree, RIGHT), position, &part, rest);
        hang_tree(tree, RIGHT, part);
        *front = tree;
    } else {
        split_tree(cut_tree_off(tree, LEFT), position, front, &part);
        hang_tree(tree, LEFT, part);
        *rest = tree;
    }
}

/* Joins two trees; all of `front` stands in front of `rest`. */
static struct obv__index_entry *join_trees(struct obv__index_entry *front,
                                           struct obv__index_entry *rest)
{
    if (!front || !rest) {
        return front ? front : rest;
    }
    if (front->priority > rest->priority) {
        hang_tree(front, RIGHT, join_trees(cut_tree_off(front, RIGHT), rest));
        return front;
    }
    hang_tree(rest, LEFT, join_trees(front, cut_tree_off(rest, LEFT)));
    return rest;
}

static void shift_tree(struct obv__index_entry *tree, size_t by)
{
    if (tree) {
        tree->distance += by;
    }
}

/* Reading ------------------------------------------------------------------ */

size_t obv__index_map_position(const struct obv__index_entry *entry)
{
    size_t position = 0;
    for (; entry; entry = entry->parent) {
        position += entry->distance;
    }
    return position;
}

/* The last entry in front of a position, and the first at it or behind; or
   NULL. */
static void find_between(const struct obv__index_map *map, size_t position,
                         struct obv__index_entry **found)
{
    size_t at = 0;
    found[LEFT] = found[RIGHT] = NULL;
    for (struct obv__index_entry *entry = map->root; entry;) {
        at += entry->distance;
        int side = at < position ? LEFT : RIGHT;
        found[side] = entry;
        entry = entry->child[!side];
    }
}

struct obv__index_entry *obv__index_map_from(const struct obv__index_map *map,
                                             size_t position)
{
    struct obv__index_entry *found[2];
    find_between(map, position, found);
    return found[RIGHT];
}

struct obv__index_entry *obv__index_map_before(const struct obv__index_map *map,
                                               size_t position)
{
    struct obv__index_entry *found[2];
    find_between(map, position, found);
    return found[LEFT];
}

struct obv__index_entry *obv__index_map_find(const struct obv__index_map *map,
                                             size_t position)
{
    struct obv__index_entry *found = obv__index_map_from(map, position);
    return found && obv__index_map_position(found) == position ? found : NULL;
}

struct obv__index_entry *
obv__index_map_next(const struct obv__index_entry *entry)
{
    struct obv__index_entry *next = entry->child[RIGHT];
    if (next) {
        while (next->child[LEFT]) {
            next = next->child[LEFT];
        }
        return next;
    }
    while (entry->parent && entry->parent->child[RIGHT] == entry) {
        entry = entry->parent;
    }
    return entry->parent;
}

/* Entries ------------------------------------------------------------------ */

void obv__index_map_init(struct obv__index_map *map)
{
    map->root = NULL;
    map->seed = (uint64_t)arc4random() << 32 | arc4random() | 1u;
}

/* Xorshift (Marsaglia, 2003), and the upper half of a product: xorshift64*. */
static uint32_t next_priority(struct obv__index_map *map)
{
    map->seed ^= map->seed >> 12;
    map->seed ^= map->seed << 25;
    map->seed ^= map->seed >> 27;
    return (uint32_t)(map->seed * 0x2545F4914F6CDD1Du >> 32);
}

struct obv__index_entry *obv__index_map_add(struct obv__index_map *map,
                                            struct obv__index_entry *entry,
                                            size_t position)
{
    struct obv__index_entry *found = obv__index_map_find(map, position);
    struct obv__index_entry *front, *rest;
    if (found) {
        return found;
    }
    *entry = (struct obv__index_entry){.distance = position,
                                       .priority = next_priority(map)};
    split_tree(map->root, position, &front, &rest);
    map->root = join_trees(join_trees(front, entry), rest);
    return entry;
}

void obv__index_map_take(struct obv__index_map *map,
                         struct obv__index_entry *entry)
{
    struct obv__index_entry *parent = entry->parent;
    int side = parent && parent->child[RIGHT] == entry ? RIGHT : LEFT;
    struct obv__index_entry *below =
        join_trees(cut_tree_off(entry, LEFT), cut_tree_off(entry, RIGHT));
    if (!parent) {
        map->root = below;
        return;
    }
    parent->child[side] = below;
    if (below) {
        below->parent = parent;
    }
    entry->parent = NULL;
}

/* Operations of an array --------------------------------------------------- */

void obv__index_map_insert(struct obv__index_map *map, size_t position,
                           size_t count)
{
    struct obv__index_entry *front, *rest;
    split_tree(map->root, position, &front, &rest);
    shift_tree(rest, count);
    map->root = join_trees(front, rest);
}

/* Cuts a range out, whose positions begin at 0 then, and closes the gap. */
static struct obv__index_entry *cut_out(struct obv__index_map *map,
                                        size_t position, size_t count)
{
    struct obv__index_entry *front, *range, *rest;
    split_tree(map->root, position, &front, &range);
    split_tree(range, position + count, &range, &rest);
    shift_tree(range, 0 - position);
    shift_tree(rest, 0 - count);
    map->root = join_trees(front, rest);
    return range;
}

struct obv__index_map obv__index_map_remove(struct obv__index_map *map,
                                            size_t position, size_t count)
{
    struct obv__index_entry *range = cut_out(map, position, count);
    /* Both maps go on with one seed, which does no harm: nobody can see it. */
    return (struct obv__index_map){.root = range, .seed = map->seed};
}

void obv__index_map_move(struct obv__index_map *map, size_t position,
                         size_t count, size_t to)
{
    struct obv__index_entry *range = cut_out(map, position, count);
    struct obv__index_entry *front, *rest;
    split_tree(map->root, to, &front, &rest);
    shift_tree(range, to);
    shift_tree(rest, count);
    map->root = join_trees(join_trees(front, range), rest);
}

void obv__index_map_permute(struct obv__index_map *map,
                            size_t (*to)(void *context, size_t position),
                            void *context)
{
    struct obv__index_map before = *map;
    map->root = NULL;
    while (before.root) {
        struct obv__index_entry *first = obv__index_map_from(&before, 0);
        size_t position = obv__index_map_position(first);
        obv__index_map_take(&before, first);
        (void)obv__index_map_add(map, first, to(context, position));
    }
}
