/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of a graph. A name of the program's can break none of them: it is
 * decoded as UTF-8, and what the format gives a meaning, or what would drive a
 * terminal or turn text round, is written by its number.
 */
#include "graph_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct writer {
    void (*write)(void *context, const char *text, size_t length);
    void *context;
    enum obv_graph_format format;
};

static void write_on_standard_error(void *context, const char *text,
                                    size_t length)
{
    (void)context;
    (void)fwrite(text, 1, length, stderr);
}

static void put(const struct writer *writer, const char *text)
{
    writer->write(writer->context, text, strlen(text));
}

static void put_number(const struct writer *writer, const char *before,
                       size_t number)
{
    char text[48];
    (void)snprintf(text, sizeof text, "%s%zu", before, number);
    put(writer, text);
}

static void put_address(const struct writer *writer, const void *address)
{
    char text[32];
    (void)snprintf(text, sizeof text, "0x%" PRIxPTR, (uintptr_t)address);
    put(writer, text);
}

/* Names -------------------------------------------------------------------- */

#define NO_CHARACTER UINT32_MAX

/* The character that a text begins with, and its length; a byte that begins none
   is NO_CHARACTER. */
static uint32_t character_of(const unsigned char *text, size_t *length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = text[0] < 0x80   ? 1
                  : text[0] < 0xc0 ? 0
                  : text[0] < 0xe0 ? 2
                  : text[0] < 0xf0 ? 3
                  : text[0] < 0xf8 ? 4
                                   : 0;
    uint32_t character = size < 2 ? text[0] : text[0] & (0x7fu >> size);
    *length = 1;
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return NO_CHARACTER;
        }
        character = character << 6 | (text[i] & 0x3fu);
    }
    if (size == 0 || character < least[size] || character > 0x10ffff ||
        (character >= 0xd800 && character <= 0xdfff)) {
        return NO_CHARACTER;
    }
    *length = size;
    return character;
}

/* Controls of a terminal, line ends, and what turns text round. */
static bool is_dangerous(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
           character == 0x061c || character == 0xfeff ||
           (character >= 0x200b && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2060 && character <= 0x206f);
}

static void put_character(const struct writer *writer,
                          const unsigned char *text, size_t length,
                          uint32_t character)
{
    bool is_json = writer->format == OBV_GRAPH_JSON;
    bool is_quoted = writer->format != OBV_GRAPH_TEXT;
    char escape[16];
    if (character == NO_CHARACTER) {
        put(writer, "\xef\xbf\xbd");
    } else if (is_dangerous(character)) {
        /* In DOT a backslash is written twice: it is one of the text. */
        (void)snprintf(escape, sizeof escape,
                       is_json                           ? "\\u%04" PRIx32
                       : writer->format == OBV_GRAPH_DOT ? "\\\\u{%" PRIx32 "}"
                                                         : "\\u{%" PRIx32 "}",
                       character);
        put(writer, escape);
    } else if (character == '&' && writer->format == OBV_GRAPH_DOT) {
        put(writer, "&amp;"); /* a label has the entities of HTML: `&#27;` */
    } else if (character == '\\' || (character == '"' && is_quoted)) {
        put(writer, character == '"' ? "\\\"" : "\\\\");
    } else {
        writer->write(writer->context, (const char *)text, length);
    }
}

static void put_some(const struct writer *writer, const char *name, size_t size)
{
    const unsigned char *text = (const unsigned char *)name;
    const unsigned char *end = text + size;
    while (text < end) {
        size_t length;
        uint32_t character = character_of(text, &length);
        put_character(writer, text, length, character);
        text += length;
    }
}

static void put_name(const struct writer *writer, const char *name)
{
    put_some(writer, name, strlen(name));
}

/* Writes the name of a class up to a space, behind which it is only made
   unique. */
static void put_class_name(const struct writer *writer, const char *name)
{
    const char *space = strrchr(name, ' ');
    put_some(writer, name, space ? (size_t)(space - name) : strlen(name));
}

static void put_object(const struct writer *writer, const struct graph *graph,
                       size_t i)
{
    const struct obv_object *object = graph_object(graph, i)->object;
    put_class_name(writer, obv_class_name(obv_object_class(object)));
    put(writer, " ");
    put_address(writer, object);
}

static size_t next_property(const struct graph *graph, size_t property)
{
    return graph_property(graph, property)->next;
}

/* Text --------------------------------------------------------------------- */

/* Writes the label, the path and the place of an observation, if it has
   them. */
static void put_observation(const struct writer *writer,
                            const struct graph_observation *observation,
                            const char *between)
{
    const char *before = "";
    if (observation->label) {
        put_name(writer, observation->label);
        before = between;
    }
    if (observation->path) {
        put(writer, before);
        put_name(writer, observation->path);
        before = between;
    }
    if (observation->file) {
        put(writer, before);
        put_name(writer, observation->file);
        put_number(writer, ":", observation->line);
        before = between;
    }
    if (*before == '\0') {
        put(writer, "(no label)");
    }
}

static void put_observation_line(const struct writer *writer,
                                 const struct graph_observation *observation)
{
    put(writer,
        observation->is_middle ? "    leads on for " : "    observed: ");
    put_observation(writer, observation, ", ");
    put(writer, observation->is_immediate ? ", immediate" : "");
    put(writer, observation->is_pending ? ", pending" : "");
    put(writer, observation->is_stale ? " NOT WHAT IS STORED" : "");
    put(writer, "\n");
}

static void put_edges_of(const struct writer *writer, const struct graph *graph,
                         size_t property)
{
    size_t low = 0, high = graph->edges.count;
    while (low < high) { /* they are in the order of their properties */
        size_t middle = low + (high - low) / 2;
        if (graph_edge(graph, middle)->from < property) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < graph->edges.count && graph_edge(graph, low)->from == property;
         low++) {
        const struct graph_edge *edge = graph_edge(graph, low);
        if (edge->kind == GRAPH_LEADS) {
            put(writer, "    leads to ");
            put_object(writer, graph, edge->to);
        } else {
            const struct graph_property *to = graph_property(graph, edge->to);
            put(writer, "    computes ");
            put_name(writer, to->name);
            put(writer, " of ");
            put_object(writer, graph, to->object);
        }
        put(writer, "\n");
    }
}

static void write_text(const struct writer *writer, const struct graph *graph)
{
    size_t from = 0;
    for (size_t i = 0; i < graph->objects.count; i++) {
        put_object(writer, graph, i);
        put(writer, "\n");
        for (size_t at = graph_object(graph, i)->first; at != GRAPH_NONE;
             at = next_property(graph, at)) {
            const struct graph_property *property = graph_property(graph, at);
            put(writer, "  ");
            put_name(writer, property->name);
            put(writer, property->is_computed ? " (computed)\n" : "\n");
            for (size_t seen = property->first_observed; seen != GRAPH_NONE;
                 seen = graph_observation(graph, seen)->next) {
                put_observation_line(writer, graph_observation(graph, seen));
            }
            put_edges_of(writer, graph, at);
        }
        /* They stand in the order of their objects. */
        for (; from < graph->observations.count &&
               graph_observation(graph, from)->object == i;
             from++) {
            if (graph_observation(graph, from)->property == GRAPH_NONE) {
                put_observation_line(writer, graph_observation(graph, from));
            }
        }
    }
    put(writer, graph->is_cut ? "(cut: there is more)\n" : "");
}

/* DOT ---------------------------------------------------------------------- */

static void write_dot(const struct writer *writer, const struct graph *graph)
{
    put(writer, "digraph observation {\n  rankdir=LR;\n  node [shape=box];\n");
    put(writer, graph->is_cut ? "  label=\"cut: there is more\";\n" : "");
    for (size_t i = 0; i < graph->objects.count; i++) {
        put_number(writer, "  subgraph cluster_", i);
        put_number(writer, " {\n    o", i);
        put(writer, " [style=bold, label=\"");
        put_object(writer, graph, i);
        put(writer, "\"];\n");
        for (size_t at = graph_object(graph, i)->first; at != GRAPH_NONE;
             at = next_property(graph, at)) {
            put_number(writer, "    p", at);
            put(writer, graph_property(graph, at)->is_computed
                            ? " [style=rounded, label=\""
                            : " [label=\"");
            put_name(writer, graph_property(graph, at)->name);
            put(writer, "\"];\n");
        }
        put(writer, "  }\n");
    }
    for (size_t i = 0; i < graph->observations.count; i++) {
        const struct graph_observation *observation =
            graph_observation(graph, i);
        bool has_property = observation->property != GRAPH_NONE;
        put_number(writer, "  n", i);
        put(writer, " [shape=note, label=\"");
        put_observation(writer, observation, "\\n");
        put_number(writer, "\"];\n  n", i);
        put_number(writer, has_property ? " -> p" : " -> o",
                   has_property ? observation->property : observation->object);
        put(writer, observation->is_middle ? " [style=dashed];\n" : ";\n");
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct graph_edge *edge = graph_edge(graph, i);
        bool leads = edge->kind == GRAPH_LEADS;
        put_number(writer, "  p", edge->from);
        put_number(writer, leads ? " -> o" : " -> p", edge->to);
        put(writer, leads ? ";\n" : " [style=dotted, label=\"computes\"];\n");
    }
    put(writer, "}\n");
}

/* JSON --------------------------------------------------------------------- */

static void put_string(const struct writer *writer, const char *key,
                       const char *text)
{
    put(writer, key);
    put(writer, text ? "\"" : "null");
    if (text) {
        put_name(writer, text);
        put(writer, "\"");
    }
}

static void put_flag(const struct writer *writer, const char *key, bool is)
{
    put(writer, key);
    put(writer, is ? "true" : "false");
}

static void put_class(const struct writer *writer, const char *key,
                      const char *name)
{
    put(writer, key);
    put(writer, name ? "\"" : "null");
    if (name) {
        put_class_name(writer, name);
        put(writer, "\"");
    }
}

static void put_place(const struct writer *writer, const char *key,
                      const void *address)
{
    put(writer, key);
    put(writer, address ? "\"" : "null");
    if (address) {
        put_address(writer, address);
        put(writer, "\"");
    }
}

static void write_objects(const struct writer *writer,
                          const struct graph *graph)
{
    for (size_t i = 0; i < graph->objects.count; i++) {
        const struct obv_object *object = graph_object(graph, i)->object;
        put_number(writer, i ? ",\n{\"id\":" : "\n{\"id\":", i);
        put_class(writer,
                  ",\"class\":", obv_class_name(obv_object_class(object)));
        put_place(writer, ",\"address\":", object);
        put(writer, "}");
    }
}

static void write_properties(const struct writer *writer,
                             const struct graph *graph)
{
    for (size_t i = 0; i < graph->properties.count; i++) {
        const struct graph_property *property = graph_property(graph, i);
        put_number(writer, i ? ",\n{\"id\":" : "\n{\"id\":", i);
        put_number(writer, ",\"object\":", property->object);
        put_string(writer, ",\"name\":", property->name);
        put_flag(writer, ",\"computed\":", property->is_computed);
        put(writer, "}");
    }
}

static void write_observations(const struct writer *writer,
                               const struct graph *graph)
{
    for (size_t i = 0; i < graph->observations.count; i++) {
        const struct graph_observation *at = graph_observation(graph, i);
        put_number(writer,
                   i ? ",\n{\"object\":" : "\n{\"object\":", at->object);
        if (at->property != GRAPH_NONE) {
            put_number(writer, ",\"property\":", at->property);
        } else {
            put(writer, ",\"property\":null");
        }
        put_string(writer, ",\"label\":", at->label);
        put_string(writer, ",\"path\":", at->path);
        put_place(writer, ",\"root\":", at->root);
        put_place(writer, ",\"observer\":", at->observer);
        put_class(writer, ",\"observerClass\":", at->observer_class);
        put_string(writer, ",\"file\":", at->file);
        put_number(writer, ",\"line\":", at->line);
        put_flag(writer, ",\"leadsOn\":", at->is_middle);
        put_flag(writer, ",\"immediate\":", at->is_immediate);
        put_flag(writer, ",\"pending\":", at->is_pending);
        put_flag(writer, ",\"stale\":", at->is_stale);
        put(writer, "}");
    }
}

static void write_edges(const struct writer *writer, const struct graph *graph)
{
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct graph_edge *edge = graph_edge(graph, i);
        bool leads = edge->kind == GRAPH_LEADS;
        put(writer, i ? ",\n" : "\n");
        put(writer, leads ? "{\"kind\":\"leadsTo\"" : "{\"kind\":\"computes\"");
        put_number(writer, ",\"property\":", edge->from);
        put_number(writer, leads ? ",\"object\":" : ",\"computed\":", edge->to);
        put(writer, "}");
    }
}

static void write_json(const struct writer *writer, const struct graph *graph)
{
    put(writer, "{\"objects\":[");
    write_objects(writer, graph);
    put(writer, "],\n\"properties\":[");
    write_properties(writer, graph);
    put(writer, "],\n\"observations\":[");
    write_observations(writer, graph);
    put(writer, "],\n\"edges\":[");
    write_edges(writer, graph);
    put_flag(writer, "],\n\"cut\":", graph->is_cut);
    put(writer, "}\n");
}

void graph_write_as(const struct graph *graph, enum obv_graph_format format,
                    void (*write)(void *context, const char *text,
                                  size_t length),
                    void *context)
{
    static void (*const all[])(const struct writer *, const struct graph *) = {
        [OBV_GRAPH_TEXT] = write_text,
        [OBV_GRAPH_DOT] = write_dot,
        [OBV_GRAPH_JSON] = write_json};
    const struct writer writer = {write ? write : write_on_standard_error,
                                  context, format};
    all[format](&writer, graph);
}
