/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edges of the observation graph at an object: where observed paths lead on
 * from it, as they are wired, and what its computed properties have read. First
 * each edge is noted, and the object at its other end held: edges of computed
 * properties as the writer of the graphs (base/reclaim.h), since those of other
 * owners may hang there; edges of paths under the lock of paths. Then the
 * caller is told, with no lock held.
 */
#include "model/computed.h"
#include "model/container.h"
#include "platform/exception.h"
#include "wiring/binding.h"
#include "model/path_node.h"

#include <observable/graph.h>

/* An edge that was found. An end may be the cell of an element; its name is
   asked later, with no lock held. */
struct found_edge {
    struct found_edge *next;
    struct obv_edge_entry entry;
    struct obv_object *place, *other_place;
    bool is_held; /* the other object, by a reference */
};

struct edge_search {
    struct obv_context *context;
    struct obv_object *object;
    struct found_edge *first, **last;
    struct obv_object
        *place; /* the object or the cell whose lists are walked */
    uint32_t slot;
    size_t room; /* the number of edges that may still be noted */
    bool is_cut;
    bool is_of_paths; /* notes edges of paths, else of computed properties */
    bool out_of_memory;
};

/* Notes an edge, and holds its other end. `other` cannot end before the caller
   leaves the lock of paths, or the graphs. */
static void note_edge(struct edge_search *search, enum obv_edge_kind kind,
                      struct obv_object *other, uint32_t other_slot)
{
    struct obv_object *keeper =
        obv__is_cell(other) ? &obv__cell(other)->container->object : other;
    bool is_held = false;
    search->is_cut = search->is_cut || search->room == 0;
    if (search->is_cut) {
        return;
    }
    struct found_edge *found =
        obv__context_allocate_zeroed(search->context, sizeof *found);
    search->out_of_memory = search->out_of_memory || !found;
    if (!found) {
        return;
    }
    if (!obv__object_hold_or_go_on(keeper, &is_held)) {
        obv__context_free(search->context, found, sizeof *found);
        return;
    }
    found->is_held = is_held;
    found->place = search->place;
    found->other_place = other;
    found->entry = (struct obv_edge_entry){.kind = kind,
                                           .index = search->slot,
                                           .other = keeper,
                                           .other_index = other_slot};
    search->room--;
    *search->last = found;
    search->last = &found->next;
}

/* Computed properties ------------------------------------------------------ */

static void note_readers(struct edge_search *search,
                         const struct obv__edge *edges)
{
    for (; edges; edges = edges->next_there) {
        if (!(obv__flags(edges->reader) & OBV__ENDED)) {
            note_edge(search, OBV_EDGE_READ_BY, edges->reader->object,
                      edges->reader->slot);
        }
    }
}

static void note_sources(void *context, struct obv__computed *computed)
{
    struct edge_search *search = context;
    search->slot = computed->slot;
    note_readers(search, computed->readers);
    for (struct obv__edge *edge = computed->sources; edge; edge = edge->next) {
        const struct obv__computed *record = obv__edge_record(edge);
        uint32_t slot = record ? record->slot : OBV__SLOT_NONE;
        struct obv_object *other =
            !record ? obv__source_object(obv__edge_source(edge), &slot)
            : obv__flags(record) & OBV__ENDED ? NULL
                                              : record->object;
        if (other) {
            note_edge(search, OBV_EDGE_READS, other, slot);
        }
    }
}

/* Paths -------------------------------------------------------------------- */

static void note_way(struct edge_search *search,
                     struct obv__path_instance *instance)
{
    const struct obv__watcher *binding =
        instance ? obv__load_acquire(&instance->binding) : NULL;
    struct obv_object *place = binding ? obv__binding_place(binding) : NULL;
    if (place) {
        note_edge(search, OBV_EDGE_LEADS_TO, place, OBV__SLOT_NONE);
    }
}

static void note_ways_locked(struct edge_search *search,
                             struct obv__path_instance *instance)
{
    bool is_any = obv__path_node_is_any(instance->node);
    for (struct obv__path_node *below =
             obv__path_node_first_child(instance->node);
         below; below = obv__path_node_next_sibling(below)) {
        uint64_t key = is_any ? obv__path_instance_next_key(instance, 1) : 0;
        do {
            note_way(search, obv__path_instance_below(instance, below, key));
            key = key != 0 ? obv__path_instance_next_key(instance, key + 1) : 0;
        } while (key != 0);
    }
}

/* Lists -------------------------------------------------------------------- */

static void search_list(void *context, uint32_t slot, uintptr_t *head)
{
    struct edge_search *search = context;
    search->slot = slot;
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        const struct obv__hub *hub = obv__hub(w);
        if (hub && !search->is_of_paths) {
            note_readers(search, hub->edges);
        } else if (!hub && search->is_of_paths && obv__is_binding(w)) {
            struct obv__path_instance *instance = w->of;
            obv__lock_enter(&search->context->paths);
            if (instance->binding == w) {
                note_ways_locked(search, instance);
            }
            obv__lock_leave(&search->context->paths);
        }
    }
}

static void search_lists(struct edge_search *search)
{
    struct obv_object *object = search->object, *place = object;
    for (; place; place = obv__place_behind(object, place)) {
        struct obv_detail_node *node = obv__node(place);
        search->place = place;
        if (node) {
            obv__each_list(node, search_list, search);
        }
    }
    search->place = object;
}

static void search_computed(struct edge_search *search,
                            struct obv__thread *self)
{
    struct obv_detail_node *node = obv__node(search->object);
    obv__graph_enter_alone(self);
    search_lists(search);
    if (node) {
        obv__each_computed(obv__class_of(search->object), node, note_sources,
                           search);
    }
    obv__graph_leave_alone();
}

/* Telling ------------------------------------------------------------------ */

/* The property that a slot of a place stands for; the name of an element is
   written into `element`. */
static const char *name_of_place(struct obv_object *place, uint32_t *index,
                                 char element[OBV__CELL_NAME])
{
    bool is_cell = obv__is_cell(place);
    *index = is_cell || *index > OBV__SLOT_LAST ? OBV_EVERY_PROPERTY : *index;
    if (is_cell) {
        const struct obv__cell *cell = obv__cell(place);
        obv__elements_kind(&cell->container->object)
            ->print(cell, element, OBV__CELL_NAME);
        return element;
    }
    return obv_class_property_name(obv__class_of(place), *index);
}

static void tell_edge(struct found_edge *found,
                      void (*each)(void *context,
                                   const struct obv_edge_entry *entry),
                      void *context)
{
    char element[OBV__CELL_NAME], other_element[OBV__CELL_NAME];
    struct obv_edge_entry *entry = &found->entry;
    entry->property = name_of_place(found->place, &entry->index, element);
    if (entry->kind == OBV_EDGE_LEADS_TO) {
        entry->other_index = 0;
    } else {
        entry->other_property = name_of_place(
            found->other_place, &entry->other_index, other_element);
    }
    OBV__NO_EXCEPTION_LEAVES();
    each(context, entry);
}

enum obv_status obv_debug_each_edge(
    struct obv_object *object, size_t limit,
    void (*each)(void *context, const struct obv_edge_entry *entry),
    void *context)
{
    struct obv__thread *self = obv__thread_self();
    const struct obv_class *cls = obv__class_or_null(object);
    struct edge_search search = {.object = object,
                                 .room = limit ? limit : SIZE_MAX};
    search.last = &search.first;
    if (!each || !cls) {
        return OBV_E_ARGUMENT;
    }
    if (obv__object_is_ending(object)) {
        return OBV_E_ENDED;
    }
    search.context = cls->context;
    obv__epoch_enter(self);
    search_computed(&search, self);
    search.is_of_paths = true;
    search_lists(&search);
    while (search.first) {
        struct found_edge *found = search.first;
        search.first = found->next;
        if (!search.out_of_memory) {
            tell_edge(found, each, context);
        }
        obv__object_let_go(found->entry.other, found->is_held);
        obv__context_free(search.context, found, sizeof *found);
    }
    obv__epoch_leave(self);
    return search.out_of_memory ? OBV_E_MEMORY
           : search.is_cut      ? OBV_E_LIMIT
                                : OBV_OK;
}
