/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A prefix tree over the elements of paths, with reference counts and a
 * payload at each node. It makes of many paths one structure in which what
 * they share stands once:
 *
 *     address.zipCode                      address ---- zipCode   (1)
 *     address.city        becomes                 `---- city      (2)
 *     address.city                         list ------- #0 ------ title (1)
 *     list.#0.title
 *
 * In brackets stands a node's number of references: how often the path that
 * ends there has been added and not yet released. A node without references
 * lives as long as something hangs below it. Releasing list.#0.title once:
 *
 *     before                               after
 *
 *     address ---- zipCode   (1)           address ---- zipCode   (1)
 *            `---- city      (2)                  `---- city      (2)
 *     list ------- #0 ------ title (1)
 *                                          removed: title, then #0, then list
 *
 * and releasing address.city once takes nothing out: its count falls to 1.
 *
 * What it is for: one trie for each observed root. The payload of a node is
 * whatever is kept up once for all paths through it, such as the binding to
 * the live object that the prefix leads to at this moment. `added` sets it
 * up, `removed` takes it down: parents before children when they come,
 * children before parents when they go. It knows nothing of objects, and
 * matches no wildcards: `*` is an element as any other.
 *
 * Removed nodes. A node that has been removed can no longer be reached from
 * the trie, but its element, payload, parent and depth stay as they were until
 * obv_trie_node_free(), so that a thread that came upon it before can finish
 * what it does there. With a `removed` function, that moment is the
 * receiver's to choose (after a grace period, say; also after the trie's
 * end); a parent that was removed with its child must then be freed no
 * earlier than the child if anyone may still ask for it. Without one, the
 * node is freed at once.
 *
 * Order. Children stand in the order of their addition, and so do the nodes
 * of the first level.
 *
 * Restrictions. Paths are counted, not listed: who added them is for the
 * payload to know. References are 32 bits, depth is at most
 * OBV_PATH_COUNT_MAX. The functions `added` and `removed` must not change the
 * trie that calls them.
 *
 * Threads:   no lock inside. The caller lets one thread in at a time, or
 *            several that only read. What a removed node keeps may be read
 *            while others change the trie.
 * Callbacks: `added` from add; `removed` from release and destroy; no others.
 * Cost:      a node is 64 bytes and its payload, in one block. Each element
 *            of a path costs O(1) expected: up to 16 nodes in all, siblings
 *            are compared one after the other; a larger trie has an index of
 *            11 to 22 bytes for each node of its largest size, which goes
 *            when the trie is empty. The index is keyed at random. Walking
 *            allocates nothing.
 */
#ifndef OBSERVABLE_TRIE_H
#define OBSERVABLE_TRIE_H

#include <observable/allocator.h>
#include <observable/base.h>
#include <observable/path.h>
#include <observable/status.h>

OBV_BEGIN_DECLS

/** A trie, and one of its nodes; both opaque. */
struct obv_trie;
struct obv_trie_node;

/** How a trie is made. Zero everything that is not wanted. */
struct obv_trie_options {
    /** sizeof(struct obv_trie_options). */
    size_t size;
    /** Copied; NULL: the C library's. */
    const struct obv_allocator *OBV_NULLABLE allocator;
    /** Bytes of each node's payload, 0 to 2^31; it is aligned to 16. */
    size_t payload_size;
    /** Given to both functions. */
    void *OBV_NULLABLE context;
    /** A node came to be. It is linked already, and so is what came with it
        below; its payload is zero. */
    void (*OBV_NULLABLE added)(void *OBV_NULLABLE context,
                               struct obv_trie_node *OBV_NONNULL node);
    /** A node was taken out and now belongs to the receiver, who frees it
        with obv_trie_node_free(), now or later. NULL: freed at once. */
    void (*OBV_NULLABLE removed)(void *OBV_NULLABLE context,
                                 struct obv_trie_node *OBV_NONNULL node);
};

/**
 * Makes an empty trie.
 *
 * @param options  read during the call only; NULL: all zero.
 * @param trie     receives the trie.
 * @return OBV_OK; OBV_E_ARGUMENT if `trie` is NULL, or the options' size or
 *         that of the payload is out of its range; OBV_E_MEMORY.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_trie_create(const struct obv_trie_options *OBV_NULLABLE options,
                struct obv_trie *OBV_NULLABLE *OBV_NONNULL trie);

/**
 * Removes every node, whatever its references, children before parents and
 * later ones before earlier ones, and frees the trie.
 *
 * @param trie  not to be used after this call; NULL does nothing.
 *
 * Callbacks: `removed` for each node.
 * Cost:      O(n); no recursion.
 */
OBV_API void obv_trie_destroy(struct obv_trie *OBV_NULLABLE trie);

/**
 * Adds one reference to a path; what is missing of it is made.
 *
 * @param elements  `count` of them, at least 1, each with its name.
 * @param leaf      receives the last element's node.
 * @return OBV_OK; OBV_E_ARGUMENT if there is no element, one has no name, or
 *         something needed is NULL; OBV_E_LIMIT above OBV_PATH_COUNT_MAX
 *         elements or 2^32 - 1 references; OBV_E_MEMORY. On error nothing
 *         changed, and no function was called.
 *
 * Callbacks: `added` for each new node, from the top down, when all exist.
 * Cost:      O(count) expected; one allocation for each new node, and now and
 *            then one for the index.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_trie_add(struct obv_trie *OBV_NONNULL trie,
             const struct obv_element *OBV_NULLABLE elements, size_t count,
             struct obv_trie_node *OBV_NULLABLE *OBV_NONNULL leaf);

/**
 * Answers the node where a path ends, or NULL. It may be one without
 * references: a prefix of other paths.
 *
 * Cost: O(count) expected; allocates nothing.
 */
OBV_API OBV_NODISCARD struct obv_trie_node *OBV_NULLABLE
obv_trie_find(const struct obv_trie *OBV_NONNULL trie,
              const struct obv_element *OBV_NULLABLE elements, size_t count);

/**
 * Gives back one reference that obv_trie_add() gave. A node that has neither
 * references nor children then goes, and so do its ancestors.
 *
 * @param leaf  a node of this trie with at least one reference; not to be
 *              used after this call unless another reference keeps it.
 *
 * Callbacks: `removed` for each node that goes, from the bottom up; its
 *            parent is still linked then.
 * Cost:      O(nodes that go); allocates nothing.
 */
OBV_API void obv_trie_release(struct obv_trie *OBV_NONNULL trie,
                              struct obv_trie_node *OBV_NONNULL leaf);

/** The first node of the first level, or NULL; obv_trie_node_next_sibling()
    goes on from there. */
OBV_API OBV_NODISCARD struct obv_trie_node *OBV_NULLABLE
obv_trie_first(const struct obv_trie *OBV_NONNULL trie);

/** Whether the trie has no node. */
OBV_API OBV_NODISCARD bool
obv_trie_is_empty(const struct obv_trie *OBV_NONNULL trie);

/** The number of nodes. */
OBV_API OBV_NODISCARD size_t
obv_trie_count(const struct obv_trie *OBV_NONNULL trie);

/** The node of the path without the last element; NULL on the first level. */
OBV_API OBV_NODISCARD struct obv_trie_node *OBV_NULLABLE
obv_trie_node_parent(const struct obv_trie_node *OBV_NONNULL node);

/** The child that was added first, or NULL. */
OBV_API OBV_NODISCARD struct obv_trie_node *OBV_NULLABLE
obv_trie_node_first_child(const struct obv_trie_node *OBV_NONNULL node);

/** The sibling that was added next, or NULL. */
OBV_API OBV_NODISCARD struct obv_trie_node *OBV_NULLABLE
obv_trie_node_next_sibling(const struct obv_trie_node *OBV_NONNULL node);

/** The element that leads from the parent to this node. */
OBV_API const struct obv_element *OBV_NONNULL
obv_trie_node_element(const struct obv_trie_node *OBV_NONNULL node);

/** The payload: `payload_size` bytes, aligned to 16, the user's. */
OBV_API void *OBV_NONNULL
obv_trie_node_payload(const struct obv_trie_node *OBV_NONNULL node);

/** The node whose payload this is: the way back. */
OBV_API struct obv_trie_node *OBV_NONNULL
obv_trie_node_of_payload(const void *OBV_NONNULL payload);

/** The number of elements of the path that ends here, from 1. */
OBV_API OBV_NODISCARD size_t
obv_trie_node_depth(const struct obv_trie_node *OBV_NONNULL node);

/** How many references the path that ends here has. */
OBV_API OBV_NODISCARD uint32_t
obv_trie_node_references(const struct obv_trie_node *OBV_NONNULL node);

/**
 * Frees a node that `removed` has been given. The trie need not exist any
 * more.
 *
 * @param allocator  the one that the trie was made with.
 * @param node       not to be used after this call; NULL does nothing.
 *
 * Threads: any.
 */
OBV_API void
obv_trie_node_free(const struct obv_allocator *OBV_NULLABLE allocator,
                   struct obv_trie_node *OBV_NULLABLE node);

/**
 * Walks the trie and answers whether its invariants hold: for tests.
 *
 * Cost: O(n) expected.
 */
OBV_API OBV_NODISCARD bool
obv_trie_check(const struct obv_trie *OBV_NONNULL trie);

OBV_END_DECLS

#endif
