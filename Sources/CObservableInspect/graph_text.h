/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of a gathered observation graph (graph.c gathers it), and the
 * function that writes it as text (graph_text.c).
 */
#ifndef OBV_GRAPH_TEXT_H
#define OBV_GRAPH_TEXT_H

#include <observable/computed.h>
#include <observable/graph.h>

#define GRAPH_NONE SIZE_MAX

struct graph_array {
    void *of;
    size_t count, room;
};

struct graph_object {
    struct obv_object *object;
    bool is_held;       /* by a reference of ours */
    size_t first, last; /* of its properties; or GRAPH_NONE */
};

struct graph_property {
    size_t object, next; /* of the same object; or GRAPH_NONE */
    char *name;
    bool is_computed;
    size_t first_observed, last_observed; /* or GRAPH_NONE */
};

/* One observation at one property. */
struct graph_observation {
    size_t object, property; /* or GRAPH_NONE: it holds none */
    size_t next;             /* of the same property; or GRAPH_NONE */
    const void *kind, *observer, *root;
    char *path, *label, *file, *observer_class; /* or NULL */
    uint32_t line;
    bool is_immediate, is_pending, is_middle, is_stale;
};

enum graph_edge_kind {
    GRAPH_LEADS,   /* from a property to an object */
    GRAPH_COMPUTES /* from a property to one that is computed from it */
};

struct graph_edge {
    enum graph_edge_kind kind;
    size_t from, to;
};

/* A cell of the hash table. `number`: the index of an object or a property,
   plus 1; 0: the cell is empty. */
struct graph_cell {
    uint64_t hash;
    size_t number;
    bool is_property;
};

struct graph {
    struct graph_array objects, properties, observations, edges;
    struct graph_cell *table;
    size_t table_size, table_used; /* a power of two, half full at most */
    size_t at;                     /* the object that is looked at */
    size_t limit;
    bool is_cut, is_short;
};

static inline struct graph_object *graph_object(const struct graph *graph,
                                                size_t i)
{
    return &((struct graph_object *)graph->objects.of)[i];
}

static inline struct graph_property *graph_property(const struct graph *graph,
                                                    size_t i)
{
    return &((struct graph_property *)graph->properties.of)[i];
}

static inline struct graph_observation *
graph_observation(const struct graph *graph, size_t i)
{
    return &((struct graph_observation *)graph->observations.of)[i];
}

static inline const struct graph_edge *graph_edge(const struct graph *graph,
                                                  size_t i)
{
    return &((const struct graph_edge *)graph->edges.of)[i];
}

/** Writes a graph in a known format. `write` NULL: to standard error. */
void graph_write_as(const struct graph *graph, enum obv_graph_format format,
                    void (*write)(void *context, const char *text,
                                  size_t length),
                    void *context);

#endif
