/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observation graph (DB-5): the edges at an object, and what is reached from
 * some, as text, DOT and JSON.
 */
#include "computed/cell.h"

#include <observable/graph.h>

enum { EDGES = 64 };

static struct obv_edge_entry edges[EDGES];
static char properties[EDGES][64], others[EDGES][64];
static size_t edge_count;
static char written[1 << 20];
static size_t length;

static void keep_edge(void *context, const struct obv_edge_entry *entry)
{
    CHECK(context == edges);
    CHECK(edge_count < EDGES);
    edges[edge_count] = *entry;
    snprintf(properties[edge_count], 64, "%s", entry->property);
    snprintf(others[edge_count], 64, "%s",
             entry->other_property ? entry->other_property : "(object)");
    edge_count++;
}

static enum obv_status look_at(struct obv_object *object, size_t limit)
{
    edge_count = 0;
    return obv_debug_each_edge(object, limit, keep_edge, edges);
}

/* How many edges there are of a kind, from a property to an object, and its
   property. */
static size_t count_of(enum obv_edge_kind kind, const char *property,
                       const void *other, const char *other_property)
{
    size_t found = 0;
    for (size_t i = 0; i < edge_count; i++) {
        found += edges[i].kind == kind && edges[i].other == other &&
                 strcmp(properties[i], property) == 0 &&
                 strcmp(others[i], other_property) == 0;
    }
    return found;
}

static void write_down(void *context, const char *shown, size_t size)
{
    CHECK(context == written);
    CHECK(length + size < sizeof written);
    memcpy(written + length, shown, size);
    length += size;
    written[length] = '\0';
}

static const char *graph_of(struct obv_object *root,
                            enum obv_graph_format format, size_t limit)
{
    length = 0;
    written[0] = '\0';
    CHECK_EQ(obv_graph_write(&root, 1, format, limit, write_down, written),
             OBV_OK);
    return written;
}

static size_t times(const char *shown, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(shown, part); at; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

TEST(DB_5_paths_lead_to_what_they_are_wired_to)
{
    stage_begin();
    struct cell *root = cell_new(), *first = cell_new(), *second = cell_new();
    struct probe *probe = probe_new();
    cell_set_other(root, first);
    struct obv_observation *deep = watch(root, "other.other.a", probe);
    CHECK_EQ(look_at(&root->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 1);
    CHECK_EQ(count_of(OBV_EDGE_LEADS_TO, "other", first, "(object)"), 1);
    CHECK_EQ(edges[0].index, CELL_OTHER);
    CHECK_EQ(look_at(&first->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 0); /* it leads to NULL there */
    cell_set_other(root, second);
    CHECK_EQ(look_at(&root->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 1);
    CHECK_EQ(count_of(OBV_EDGE_LEADS_TO, "other", second, "(object)"), 1);
    CHECK_EQ(look_at(&first->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 0);
    obv_stop(deep);
    obv_release(deep);
    CHECK_EQ(look_at(&root->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 0);
    drained();
    free(probe);
    cell_drop(root);
    cell_drop(first);
    cell_drop(second);
    stage_end();
}

static enum obv_status b_of_other(struct cell *cell, int64_t *value)
{
    *value = cell_other(cell) ? cell_b(cell_other(cell)) : 0;
    return OBV_OK;
}

TEST(DB_5_computed_properties_are_told_from_both_ends)
{
    stage_begin();
    struct cell *reader = cell_new(), *read = cell_new();
    reader->make_v = b_of_other;
    cell_set_other(reader, read);
    CHECK_EQ(look_at(&read->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 0); /* nothing was computed yet */
    cell_set_b(read, 3);
    int64_t value = 0;
    CHECK_EQ(obv_get_i64(&reader->object, CELL_W, &value), OBV_OK);
    CHECK_EQ(value, 6);
    CHECK_EQ(look_at(&read->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 1);
    CHECK_EQ(count_of(OBV_EDGE_READ_BY, "b", reader, "v"), 1);
    CHECK_EQ(edges[0].index, CELL_B);
    CHECK_EQ(edges[0].other_index, CELL_V);
    /* All who have read it. */
    struct cell *another = cell_new();
    another->make_v = b_of_other;
    cell_set_other(another, read);
    CHECK_EQ(obv_get_i64(&another->object, CELL_V, &value), OBV_OK);
    CHECK_EQ(look_at(&read->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 2);
    CHECK_EQ(count_of(OBV_EDGE_READ_BY, "b", another, "v"), 1);
    cell_drop(another);
    CHECK_EQ(look_at(&read->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 1);
    CHECK_EQ(look_at(&reader->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 5);
    CHECK_EQ(count_of(OBV_EDGE_READ_BY, "other", reader, "v"), 1);
    CHECK_EQ(count_of(OBV_EDGE_READ_BY, "v", reader, "w"), 1);
    CHECK_EQ(count_of(OBV_EDGE_READS, "v", reader, "other"), 1);
    CHECK_EQ(count_of(OBV_EDGE_READS, "v", read, "b"), 1);
    CHECK_EQ(count_of(OBV_EDGE_READS, "w", reader, "v"), 1);
    /* A source that has ended is none. */
    cell_set_other(reader, NULL);
    cell_drop(read);
    CHECK_EQ(look_at(&reader->object, 0), OBV_OK);
    CHECK_EQ(count_of(OBV_EDGE_READS, "v", read, "b"), 0);
    cell_drop(reader);
    stage_end();
}

TEST(DB_5_a_graph_reaches_who_depends_on_any_object)
{
    char line[96];
    stage_begin();
    struct cell *reader = cell_new(), *read = cell_new();
    int64_t value = 0;
    reader->make_v = b_of_other;
    cell_set_other(reader, read);
    CHECK_EQ(obv_get_i64(&reader->object, CELL_V, &value), OBV_OK);
    const char *shown = graph_of(&read->object, OBV_GRAPH_TEXT, 0);
    CHECK_EQ(times(shown, "cell 0x"), 4); /* two objects, two edges to one */
    snprintf(line, sizeof line,
             "cell 0x%llx\n  b\n    computes v of cell 0x%llx",
             (unsigned long long)(uintptr_t)read,
             (unsigned long long)(uintptr_t)reader);
    CHECK(strncmp(shown, line, strlen(line)) == 0);
    CHECK_EQ(times(shown, "  v (computed)\n"), 1);
    CHECK_EQ(times(shown, "(cut"), 0);
    shown = graph_of(&reader->object, OBV_GRAPH_DOT, 0);
    CHECK_EQ(times(shown, "style=dotted"), 2);
    shown = graph_of(&reader->object, OBV_GRAPH_JSON, 0);
    CHECK_EQ(times(shown, "\"kind\":\"computes\""), 2);
    CHECK_EQ(times(shown, "\"computed\":true}"), 1);
    CHECK_EQ(times(shown, "\"cut\":false"), 1);
    cell_drop(reader);
    cell_drop(read);
    stage_end();
}

TEST(DB_5_elements_of_containers_are_objects_of_the_graph)
{
    static const struct obv_collection_kind kind = {
        .size = sizeof kind, .name = "cells", .element = OBV_KIND_object};
    struct obv_class *cells;
    struct obv_array *array;
    struct cell *elements[8];
    struct obv_observation *all, *one;
    stage_begin();
    struct probe *probe = probe_new();
    CHECK_EQ(obv_array_class_create(stage.context, &kind, &cells, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(cells, &array, NULL), OBV_OK);
    for (size_t i = 0; i < 8; i++) {
        elements[i] = cell_new();
        CHECK_EQ(obv_array_append(array, elements[i]), OBV_OK);
    }
    struct obv_object *object = (struct obv_object *)array;
    CHECK_EQ(obv_observe(object, "*.a", &probe_kind, probe, &all, NULL),
             OBV_OK);
    CHECK_EQ(obv_observe(object, "#2.b", &probe_kind, probe, &one, NULL),
             OBV_OK);
    CHECK_EQ(look_at(object, 0), OBV_OK);
    CHECK_EQ(edge_count, 9);
    for (size_t i = 0; i < 8; i++) {
        CHECK_EQ(count_of(OBV_EDGE_LEADS_TO, "*", elements[i], "(object)"), 1);
    }
    CHECK_EQ(count_of(OBV_EDGE_LEADS_TO, "#2", elements[2], "(object)"), 1);
    CHECK_EQ(times(graph_of(object, OBV_GRAPH_JSON, 0), "\"class\":\"cell\""),
             8);
    /* Cut, by objects and by edges. */
    CHECK_EQ(look_at(object, 4), OBV_E_LIMIT);
    CHECK_EQ(edge_count, 4);
    const char *cut = graph_of(object, OBV_GRAPH_JSON, 4);
    CHECK_EQ(times(cut, "\"class\":"), 4);
    CHECK_EQ(times(cut, "\"cut\":true"), 1);
    CHECK_EQ(times(graph_of(object, OBV_GRAPH_TEXT, 4), "(cut: there is more)"),
             1);
    CHECK_EQ(times(graph_of(object, OBV_GRAPH_DOT, 4), "cut: there is more"),
             1);
    obv_stop(all);
    obv_release(all);
    obv_stop(one);
    obv_release(one);
    drained();
    free(probe);
    obv_array_release(array);
    for (size_t i = 0; i < 8; i++) {
        cell_drop(elements[i]);
    }
    stage_end();
}

TEST(FA_2_DB_5_without_memory_no_edge_is_told)
{
    stage_begin();
    struct cell *root = cell_new(), *next_cell = cell_new();
    struct probe *probe = probe_new();
    cell_set_other(root, next_cell);
    struct obv_observation *handle = watch(root, "other.a", probe);
    test_fail_allocation(1, true);
    enum obv_status status = look_at(&root->object, 0);
    test_fail_allocation(0, false);
    CHECK_EQ(status, OBV_E_MEMORY);
    CHECK_EQ(edge_count, 0);
    CHECK_EQ(look_at(&root->object, 0), OBV_OK);
    CHECK_EQ(edge_count, 1);
    obv_stop(handle);
    obv_release(handle);
    drained();
    free(probe);
    cell_drop(root);
    cell_drop(next_cell);
    stage_end();
}

static void write_nothing(void *context, const char *shown, size_t size)
{
    (void)context;
    (void)shown;
    (void)size;
    CHECK(false);
}

TEST(DB_5_what_is_no_object_or_no_format_is_refused)
{
    stage_begin();
    struct cell *root = cell_new();
    struct obv_object never = {0}, *roots[] = {&root->object, &never};
    CHECK_EQ(obv_debug_each_edge(NULL, 0, keep_edge, edges), OBV_E_ARGUMENT);
    CHECK_EQ(obv_debug_each_edge(&never, 0, keep_edge, edges), OBV_E_ARGUMENT);
    CHECK_EQ(obv_debug_each_edge(&root->object, 0, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_graph_write(NULL, 1, OBV_GRAPH_TEXT, 0, write_nothing, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_graph_write(roots, 2, OBV_GRAPH_TEXT, 0, write_nothing, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_graph_write(roots, 1, (enum obv_graph_format)9, 0,
                             write_nothing, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_graph_write(roots, 1, (enum obv_graph_format)0, 0,
                             write_nothing, NULL),
             OBV_E_ARGUMENT);
    cell_drop(root);
    stage_end();
}
