/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathering the observation graph, which graph_text.c writes as text, DOT or
 * JSON. The walk from an object is breadth first, and holds all objects that it
 * meets. A graph consists of arrays whose elements refer to each other by
 * index; a hash table finds an object by its address, a property by its object
 * and name.
 */
#include "graph_text.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT 10000

/* Gathering ---------------------------------------------------------------- */

/* Room for one more element of an array that grows; NULL: no memory. */
static void *array_add(struct graph *graph, struct graph_array *array,
                       size_t size)
{
    if (array->count == array->room) {
        size_t room = array->room ? 2 * array->room : 16;
        void *more = realloc(array->of, room * size);
        if (!more) {
            graph->is_short = true;
            return NULL;
        }
        array->of = more;
        array->room = room;
    }
    return memset((char *)array->of + size * array->count++, 0, size);
}

static char *copied(struct graph *graph, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? malloc(size) : NULL;
    graph->is_short = graph->is_short || (text && !copy);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* The class table that has an object's hooks: its own, or a superclass's. */
static const struct obv_class_table *hooks_of(const struct obv_object *object)
{
    const struct obv_class_table *table =
        obv_class_table_of(obv_object_class(object));
    while (!table->retain && table->superclass) {
        table = obv_class_table_of(table->superclass);
    }
    return table;
}

static uint64_t mixed(uint64_t hash, uint64_t with)
{
    hash = (hash ^ with) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_of_property(size_t object, const char *name)
{
    uint64_t hash = mixed(1, object);
    for (; *name; name++) {
        hash = mixed(hash, (unsigned char)*name);
    }
    return hash;
}

/* Doubles the table while it is half full. */
static bool table_has_room(struct graph *graph)
{
    if (2 * graph->table_used < graph->table_size) {
        return true;
    }
    size_t size = graph->table_size ? 2 * graph->table_size : 64;
    struct graph_cell *cells = calloc(size, sizeof *cells);
    if (!cells) {
        graph->is_short = true;
        return false;
    }
    for (size_t i = 0; i < graph->table_size; i++) {
        size_t at = graph->table[i].hash & (size - 1);
        if (graph->table[i].number == 0) {
            continue;
        }
        while (cells[at].number != 0) {
            at = (at + 1) & (size - 1);
        }
        cells[at] = graph->table[i];
    }
    free(graph->table);
    graph->table = cells;
    graph->table_size = size;
    return true;
}

/* The index of an object, which is added if it is new. GRAPH_NONE: there is no
   room or no memory for it, or it is at its end. */
static size_t object_of(struct graph *graph, struct obv_object *object)
{
    uint64_t hash = mixed(0, (uintptr_t)object);
    if (!table_has_room(graph)) {
        return GRAPH_NONE;
    }
    size_t at = hash & (graph->table_size - 1);
    for (; graph->table[at].number != 0;
         at = (at + 1) & (graph->table_size - 1)) {
        size_t number = graph->table[at].number - 1;
        if (!graph->table[at].is_property &&
            graph_object(graph, number)->object == object) {
            return number;
        }
    }
    const struct obv_class_table *hooks = hooks_of(object);
    if (graph->objects.count == graph->limit) {
        graph->is_cut = true;
        return GRAPH_NONE;
    }
    bool is_held = hooks->retain && hooks->retain(object);
    if (hooks->retain && !is_held) {
        return GRAPH_NONE; /* it is at its end */
    }
    struct graph_object *made = array_add(graph, &graph->objects, sizeof *made);
    if (!made) {
        if (is_held) {
            hooks->release(object);
        }
        return GRAPH_NONE;
    }
    made->object = object;
    made->is_held = is_held;
    made->first = made->last = GRAPH_NONE;
    graph->table[at] = (struct graph_cell){hash, graph->objects.count, false};
    graph->table_used++;
    return graph->objects.count - 1;
}

/* The index of a property of an object. */
static size_t property_of(struct graph *graph, size_t object, const char *name,
                          uint32_t index)
{
    uint64_t hash = hash_of_property(object, name);
    if (!table_has_room(graph)) {
        return GRAPH_NONE;
    }
    size_t at = hash & (graph->table_size - 1);
    for (; graph->table[at].number != 0;
         at = (at + 1) & (graph->table_size - 1)) {
        size_t number = graph->table[at].number - 1;
        if (graph->table[at].is_property &&
            graph_property(graph, number)->object == object &&
            strcmp(graph_property(graph, number)->name, name) == 0) {
            return number;
        }
    }
    char *copy = copied(graph, name);
    struct graph_property *made =
        copy ? array_add(graph, &graph->properties, sizeof *made) : NULL;
    if (!made) {
        free(copy);
        return GRAPH_NONE;
    }
    struct graph_object *of = graph_object(graph, object);
    size_t number = graph->properties.count - 1;
    *made = (struct graph_property){.object = object,
                                    .next = GRAPH_NONE,
                                    .name = copy,
                                    .first_observed = GRAPH_NONE,
                                    .last_observed = GRAPH_NONE};
    made->is_computed =
        index != OBV_EVERY_PROPERTY &&
        obv_property_is_computed(obv_object_class(of->object), index);
    if (of->last != GRAPH_NONE) {
        graph_property(graph, of->last)->next = number;
    } else {
        of->first = number;
    }
    of->last = number;
    graph->table[at] = (struct graph_cell){hash, number + 1, true};
    graph->table_used++;
    return number;
}

static void add_edge(struct graph *graph, enum graph_edge_kind kind,
                     size_t from, size_t to)
{
    struct graph_edge *edge =
        from != GRAPH_NONE && to != GRAPH_NONE
            ? array_add(graph, &graph->edges, sizeof *edge)
            : NULL;
    if (edge) {
        *edge = (struct graph_edge){kind, from, to};
    }
}

static void take_edge(void *context, const struct obv_edge_entry *entry)
{
    struct graph *graph = context;
    size_t other = object_of(graph, entry->other);
    if (other == GRAPH_NONE) {
        return;
    }
    size_t here = property_of(graph, graph->at, entry->property, entry->index);
    if (entry->kind == OBV_EDGE_LEADS_TO) {
        add_edge(graph, GRAPH_LEADS, here, other);
        return;
    }
    size_t there =
        property_of(graph, other, entry->other_property, entry->other_index);
    bool is_reader = entry->kind == OBV_EDGE_READ_BY;
    add_edge(graph, GRAPH_COMPUTES, is_reader ? here : there,
             is_reader ? there : here);
}

static void take_observation(void *context,
                             const struct obv_observer_entry *entry)
{
    struct graph *graph = context;
    struct graph_observation *made =
        array_add(graph, &graph->observations, sizeof *made);
    if (!made) {
        return;
    }
    made->kind = entry->kind;
    made->observer = entry->observer;
    made->root = entry->root;
    made->line = entry->line;
    made->is_immediate = entry->is_immediate;
    made->is_pending = entry->is_pending;
    made->is_middle = entry->is_middle;
    made->is_stale = entry->is_stale;
    made->path = copied(graph, entry->path);
    made->label = copied(graph, entry->label);
    made->file = copied(graph, entry->file);
    made->observer_class = copied(graph, entry->observer_class);
    made->object = graph->at;
    made->property =
        entry->property
            ? property_of(graph, graph->at, entry->property, entry->index)
            : GRAPH_NONE;
    made->next = GRAPH_NONE;
    if (made->property != GRAPH_NONE) {
        struct graph_property *at = graph_property(graph, made->property);
        size_t number = graph->observations.count - 1;
        if (at->last_observed != GRAPH_NONE) {
            graph_observation(graph, at->last_observed)->next = number;
        } else {
            at->first_observed = number;
        }
        at->last_observed = number;
    }
}

static enum obv_status gather(struct graph *graph,
                              struct obv_object *const *roots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!roots[i] || !obv_object_class(roots[i])) {
            return OBV_E_ARGUMENT;
        }
        if (obv_class_table_of(obv_object_class(roots[i]))) {
            (void)object_of(graph, roots[i]);
        }
    }
    for (; graph->at < graph->objects.count && !graph->is_short; graph->at++) {
        struct obv_object *object = graph_object(graph, graph->at)->object;
        enum obv_status status =
            obv_debug_each_observer(object, take_observation, graph);
        if (status == OBV_OK) {
            status =
                obv_debug_each_edge(object, graph->limit, take_edge, graph);
        }
        graph->is_cut = graph->is_cut || status == OBV_E_LIMIT;
        if (status != OBV_OK && status != OBV_E_ENDED &&
            status != OBV_E_LIMIT) {
            return status;
        }
    }
    return graph->is_short ? OBV_E_MEMORY : OBV_OK;
}

/* One of each ------------------------------------------------------------- */

static int order(uintptr_t a, uintptr_t b)
{
    return (a > b) - (a < b);
}

static int edges_in_order(const void *a, const void *b)
{
    const struct graph_edge *first = a, *second = b;
    int by = order(first->from, second->from);
    by = by ? by : order(first->kind, second->kind);
    return by ? by : order(first->to, second->to);
}

/* Removes duplicate edges: several paths may share one, and both ends report
   it. */
static void keep_each_edge_once(struct graph *graph)
{
    struct graph_edge *edges = graph->edges.of;
    size_t kept = 0;
    if (graph->edges.count == 0) {
        return;
    }
    qsort(edges, graph->edges.count, sizeof *edges, edges_in_order);
    for (size_t i = 1; i < graph->edges.count; i++) {
        if (edges_in_order(&edges[kept], &edges[i]) != 0) {
            edges[++kept] = edges[i];
        }
    }
    graph->edges.count = kept + 1;
}

/* The end ------------------------------------------------------------------ */

static void end_graph(struct graph *graph)
{
    for (size_t i = 0; i < graph->properties.count; i++) {
        free(graph_property(graph, i)->name);
    }
    for (size_t i = 0; i < graph->observations.count; i++) {
        const struct graph_observation *observation =
            graph_observation(graph, i);
        free(observation->path);
        free(observation->label);
        free(observation->file);
        free(observation->observer_class);
    }
    for (size_t i = 0; i < graph->objects.count; i++) {
        struct obv_object *object = graph_object(graph, i)->object;
        if (graph_object(graph, i)->is_held) {
            hooks_of(object)->release(object);
        }
    }
    free(graph->table);
    free(graph->objects.of);
    free(graph->properties.of);
    free(graph->observations.of);
    free(graph->edges.of);
}

enum obv_status obv_graph_write(struct obv_object *const *roots, size_t count,
                                enum obv_graph_format format, size_t limit,
                                void (*write)(void *context, const char *text,
                                              size_t length),
                                void *context)
{
    struct graph graph;
    if (!roots || format < OBV_GRAPH_TEXT || format > OBV_GRAPH_JSON) {
        return OBV_E_ARGUMENT;
    }
    memset(&graph, 0, sizeof graph);
    graph.limit = limit ? limit : DEFAULT_LIMIT;
    enum obv_status status = gather(&graph, roots, count);
    if (status == OBV_OK) {
        keep_each_edge_once(&graph);
        graph_write_as(&graph, format, write, context);
    }
    end_graph(&graph);
    return status;
}
