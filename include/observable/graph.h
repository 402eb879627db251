/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observation graph (DB-5): objects, the properties at which they are
 * observed, how observed paths lead on, who observes, and what computed
 * properties are computed from.
 *
 *     struct obv_object *roots[] = {&user->object, &cart->object};
 *     obv_graph_write(roots, 2, OBV_GRAPH_DOT, 0, NULL, NULL);
 *
 * writes, for `dot -Tsvg`, the graph of what is reached from there: by paths that
 * lead on, from computed properties to what they have read, and from what was
 * read to what is computed from it, on whatever object.
 *
 * obv_graph_write() is of the library observable_inspect (pkg-config
 * observable_inspect), which needs nothing but the public interface;
 * obv_debug_each_edge() of the core.
 *
 * Threads: the objects that are reached belong to the caller, as for reading
 * their properties. Others may observe and stop meanwhile.
 */
#ifndef OBSERVABLE_GRAPH_H
#define OBSERVABLE_GRAPH_H

#include <observable/debug.h>

OBV_BEGIN_DECLS

/** The kinds of edges at an object's property. */
enum obv_edge_kind {
    /** A path that is observed leads on to the other object, as it is wired. */
    OBV_EDGE_LEADS_TO = 1,
    /** A computed property of the other object has read this one. */
    OBV_EDGE_READ_BY = 2,
    /** This property is computed, and has read the one of the other object. */
    OBV_EDGE_READS = 3
};

/** One edge, borrowed for the call. */
struct obv_edge_entry {
    enum obv_edge_kind kind;
    /** The property of the object that was asked of; "*": all, of a container
        its content; or the name of an element. */
    const char *OBV_NONNULL property;
    /** Its index; OBV_EVERY_PROPERTY for `*` and elements. */
    uint32_t index;
    /** The other object; the same one is possible. It lives during the call if
        its class has references. */
    struct obv_object *OBV_NONNULL other;
    /** The property there, as above; NULL and 0 for OBV_EDGE_LEADS_TO. */
    const char *OBV_NULLABLE other_property;
    uint32_t other_index;
};

/**
 * Calls `each` for every edge at an object: first those of computed properties,
 * then those of paths, in no promised order. An edge that several paths have is
 * told for each.
 *
 * A computed property has edges once it was computed, and to what its last
 * evaluation has read.
 *
 * @param limit  of the edges that are told; 0: all.
 * @return OBV_OK; OBV_E_LIMIT: there were more; OBV_E_ARGUMENT if the object is
 *         null or has no class, or `each` is null; OBV_E_ENDED after its end;
 *         OBV_E_MEMORY: then nothing was told.
 *
 * Callbacks: `each`, with no lock held; it may call anything, but must not end
 *            the object. `retain` and `release` of the other objects.
 * Cost:      O(edges at the object), some 200 bytes for each that is told, until
 *            the call returns. Waits until no thread is among the edges of a computed
 *            property.
 */
OBV_API enum obv_status obv_debug_each_edge(
    struct obv_object *OBV_NULLABLE object, size_t limit,
    void (*OBV_NULLABLE each)(void *OBV_NULLABLE context,
                              const struct obv_edge_entry *OBV_NONNULL entry),
    void *OBV_NULLABLE context);

/** How a graph is written. */
enum obv_graph_format {
    /** For people: an object and its properties, a line each. Control
        characters, and what turns text round, stand as `\u{1b}`. */
    OBV_GRAPH_TEXT = 1,
    /** A digraph for Graphviz. */
    OBV_GRAPH_DOT = 2,
    /** One value of JSON, with the arrays `objects`, `properties`,
        `observations` and `edges`, and the boolean `cut`. Names are UTF-8; a byte
        that is none becomes U+FFFD. */
    OBV_GRAPH_JSON = 3
};

/**
 * Writes the graph of what is reached from some objects, nearest first. The
 * objects are kept while it runs; one whose class has no references must not
 * end meanwhile.
 *
 * @param roots    `count` objects; one that has ended is left out.
 * @param limit    of the objects, and of the edges at each; what would be more is
 *                 left out, and the graph says that it was cut. 0: 10,000.
 * @param write    receives the text in pieces; NULL: it goes to standard error.
 * @return OBV_OK; OBV_E_ARGUMENT for NULL, an object without a class, and a
 *         format that there is not; OBV_E_MEMORY, and OBV_E_LIMIT inside 96
 *         nested handlers: then nothing was written.
 *
 * Callbacks: `write`, with no lock held; `retain` and `release` of the objects,
 *            `child` of bindings.
 * Cost:      O(objects, edges and observations that are reached), some 100 bytes
 *            for each until it returns.
 */
OBV_API enum obv_status obv_graph_write(
    struct obv_object *OBV_NONNULL const *OBV_NULLABLE roots, size_t count,
    enum obv_graph_format format, size_t limit,
    void (*OBV_NULLABLE write)(void *OBV_NULLABLE context,
                               const char *OBV_NONNULL text, size_t length),
    void *OBV_NULLABLE context);

OBV_END_DECLS

#endif
