/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The leaves of a path node: which of them an edit or a move makes due, and the
 * change records of those that asked to be told values.
 */
#include "wiring/leaves.h"

#include "model/computed.h"
#include "model/container.h"
#include "model/copy.h"
#include "wiring/binding.h"
#include "wiring/invalidation.h"
#include "wiring/matcher.h"

/* Values that leaves compare with ------------------------------------------ */

static bool has_waited(const struct obv__change *change,
                       struct obv__watcher *leaf)
{
    return OBV__UNLIKELY(change->waited != NULL) &&
           !obv__is_immediate(obv__observation(leaf));
}

static const struct obv__edited *edited_for(const struct obv__change *change,
                                            struct obv__watcher *leaf)
{
    return has_waited(change, leaf) ? &change->waited->edited : &change->edited;
}

static bool differs_for(const struct obv__change *change,
                        struct obv__watcher *leaf)
{
    return has_waited(change, leaf) ? change->waited->differs : change->differs;
}

/* Endpoints and their values ----------------------------------------------- */

/* An endpoint's value on a container, or unreachable; false: no memory, or another
   thread computes it. `value`: what to read instead of what is stored; or NULL. */
static bool read_leaf(const struct obv__change *change,
                      struct obv_object *container, uint32_t slot,
                      const void *value, struct obv_value *copy)
{
    const struct obv_element *element = obv__path_node_element(change->node);
    *copy = (struct obv_value){.kind = OBV_KIND_unreachable};
    return !container || slot == OBV__NO_SLOT ||
           obv__matcher_copy(element, change->node->paths->context, container,
                             slot, value, copy);
}

static bool read_before(const struct obv__change *change,
                        const struct obv__edited *edited, uint32_t slot,
                        struct obv_value *copy)
{
    bool is_over = edited->object && edited->slot == slot;
    union obv__told_value told;
    if (is_over && change->before && !edited->old) {
        *copy = (struct obv_value){.kind = OBV_KIND_unreachable};
        return false;
    }
    return read_leaf(change, change->before, slot,
                     is_over ? edited->old
                             : obv__told_last(change->before, slot, &told),
                     copy);
}

/* The object that a `*` leads to: the container of its path instance, or the
   one that was, if the element has left. */
static struct obv_object *
element_behind(const struct obv__change *change,
               const struct obv__path_instance *instance)
{
    const struct obv__left *left = change->left;
    while (left && left->instance != instance) {
        left = left->outer;
    }
    return left                ? left->object
           : instance->binding ? obv__binding_keeper(instance->binding)
                               : NULL;
}

/* Adds the objects that the `*` of the way lead to, each by a reference: the
   last is the one with number `count`. */
static void hold_elements(const struct obv__change *change,
                          struct obv_record_element *elements, size_t count)
{
    const struct obv__path_instance *at = change->instance;
    obv__lock_paths(change->node);
    for (; at && count > 0; at = at->parent) {
        count -= at->key != 0;
        struct obv_object *object =
            at->key > OBV__OBJECT_NUMBERS ? element_behind(change, at) : NULL;
        if (object && !obv__is_kept_here(object) && obv__object_hold(object)) {
            elements[count].object = object;
        }
    }
    obv__unlock_paths(change->node);
}

/* Makes the change record of one endpoint: its value on `before` by one slot,
   and on `now` by another. */
static struct obv__change_record *
make_change_record(struct obv__work_list *work,
                   const struct obv__change *change, struct obv__watcher *leaf,
                   uint32_t name, uint32_t slot_before, uint32_t slot_now)
{
    uint64_t names[OBV_PATH_COUNT_MAX];
    struct obv_context *context = change->node->paths->context;
    union obv__told_value told;
    size_t count;
    const uint64_t *keys = obv__path_instance_keys(
        change->instance, change->instance ? name : 0, names, &count);
    struct obv__change_record *record =
        obv__change_record_create(context, leaf, keys, count, &work->stamp);
    if (record) {
        /* A dead object cannot be handed over: unreachable is then all that can
           be said of the value before, and nothing is missing (LT-6). */
        record->misses_first =
            !change->is_lost && (change->is_unknown ||
                                 !read_before(change, edited_for(change, leaf),
                                              slot_before, &record->first));
        /* If any thread may set the property, the value told last counts. */
        record->misses_last = !read_leaf(
            change, change->now, slot_now,
            obv__told_last(change->now, slot_now, &told), &record->last);
        record->is_open = change->now && slot_now <= OBV__SLOT_LAST &&
                          !obv__slot_is_valid(change->now, slot_now);
        record->is_moved = change->before != change->now;
        record->is_from_nil = change->is_from_nil;
        if (obv__change_records_of(leaf)->flags & OBV_RECORDS) {
            bool has_name = change->instance && name != 0;
            hold_elements(change, record->elements, count - has_name);
        }
    }
    return record;
}

/* Whether the value before was an object that is at its end: it cannot be
   handed over, so the change record says unreachable, though the object was
   reached. */
static bool has_died(const struct obv__change *change, uint32_t slot_before,
                     const struct obv__change_record *record)
{
    return change->before && slot_before <= OBV__SLOT_LAST &&
           !change->is_unknown && !obv__change_record_misses(record) &&
           !obv__matcher_is_view(obv__path_node_element(change->node)) &&
           !obv_value_is_reachable(&record->first) &&
           /* Else nothing stood in the cell of an element. */
           !(obv__is_cell(change->before) &&
             (change->edited.object ? change->edited.old == &obv__missing
                                    : !obv__cell_is_filled(change->before)));
}

/* Whether a cell, which is that of a hash, stands for more than one element
   now. */
static bool stands_for_several(const struct obv_object *cell)
{
    const struct obv__elements_kind *kind = obv__elements_kind(cell);
    struct obv_container_cursor cursor = {.index = 0};
    return kind->next_behind(obv__cell(cell), &cursor) &&
           kind->next_behind(obv__cell(cell), &cursor);
}

static bool is_behind_hash(const struct obv_object *object)
{
    return object && obv__is_cell(object) &&
           obv__elements_kind(object)->next_behind;
}

/* Whether an endpoint has changed by its values. Behind a hash these are of the
   first members, and say nothing of the others: there each member that has
   entered or left is a change (SE-2). */
static bool endpoint_differs(const struct obv__change *change,
                             struct obv__watcher *leaf,
                             const struct obv__change_record *record)
{
    const struct obv__change_records *records = obv__change_records_of(leaf);
    bool is_hash = is_behind_hash(change->now);
    if (is_hash && differs_for(change, leaf)) {
        return true;
    }
    return is_hash && stands_for_several(change->now)
               ? records->compare == OBV_COMPARE_ALWAYS_DIFFERENT
               : obv__change_records_differ(records, &record->first,
                                            &record->last);
}

/* One endpoint of an observation with change records; what became of it is kept
   with the edit. */
static void look_at_endpoint(struct obv__work_list *work,
                             struct obv__change *change,
                             struct obv__watcher *leaf, uint32_t name,
                             uint32_t slot_before, uint32_t slot_now)
{
    struct obv__change_records *records = obv__change_records_of(leaf);
    struct obv__change_record *record =
        make_change_record(work, change, leaf, name, slot_before, slot_now);
    bool is_lost = change->before && change->before != change->now &&
                   !change->is_unknown &&
                   obv__told_is_lost(change->before, slot_before);
    if (!record) {
        change->is_missed = true;
        obv__change_records_miss(records);
    } else if (is_lost || obv__change_record_misses(record) ||
               has_died(change, slot_before, record) ||
               endpoint_differs(change, leaf, record)) {
        record->is_unsure = is_lost || has_died(change, slot_before, record);
        obv__work_list_keep_record(work, record);
    } else {
        obv__change_record_destroy(work->context, record);
    }
}

static uint32_t slot_by_name(const struct obv_object *object, uint32_t name)
{
    int32_t found = object ? obv__class_find(obv__class_of(object), name) : -1;
    return found < 0 ? OBV__NO_SLOT : (uint32_t)found;
}

/* Under a `*` each property of the one or the other is an endpoint (EQ-8). */
static void look_at_every_property(struct obv__work_list *work,
                                   struct obv__change *change,
                                   struct obv__watcher *leaf)
{
    const struct obv_class *was =
        change->before ? obv__class_of(change->before) : NULL;
    const struct obv_class *is =
        change->now ? obv__class_of(change->now) : NULL;
    for (uint32_t i = 0; was && i < was->property_count; i++) {
        uint32_t name = obv__property_name(was, i);
        if (!obv__slot_is_computed(was, i)) {
            look_at_endpoint(work, change, leaf, name, i,
                             slot_by_name(change->now, name));
        }
    }
    for (uint32_t i = 0; is && i < is->property_count; i++) {
        uint32_t name = obv__property_name(is, i);
        if (!obv__slot_is_computed(is, i) &&
            slot_by_name(change->before, name) == OBV__NO_SLOT) {
            look_at_endpoint(work, change, leaf, name, OBV__NO_SLOT, i);
        }
    }
}

/* The slot that the path node's element holds on a container. */
static uint32_t slot_in(const struct obv__change *change,
                        struct obv_object *container)
{
    return container
               ? obv__slot_on(obv__path_node_element(change->node), container)
               : OBV__NO_SLOT;
}

/* Whether a `*` stands for the content of a container, which is no value of its
   properties. */
static bool is_of_content(const struct obv__change *change)
{
    return obv__path_node_is_any(change->node) &&
           ((change->before && obv__class_of(change->before)->each) ||
            (change->now && obv__class_of(change->now)->each));
}

/* A content has no endpoints that could be compared one by one: a record says
   that it has changed. */
static void look_at_content(struct obv__work_list *work,
                            struct obv__change *change,
                            struct obv__watcher *leaf)
{
    if (change->differs ||
        obv__change_records_of(leaf)->compare == OBV_COMPARE_ALWAYS_DIFFERENT) {
        change->is_unknown = true;
        look_at_endpoint(work, change, leaf, 0, OBV__NO_SLOT, OBV__NO_SLOT);
    }
}

/* An observation that compares for itself, or is told values. */
static void look_with_values(struct obv__work_list *work,
                             struct obv__change *change,
                             struct obv__watcher *leaf)
{
    bool is_any = obv__path_node_is_any(change->node);
    if (is_of_content(change)) {
        look_at_content(work, change, leaf);
    } else if (is_any && change->slot != OBV__NO_SLOT) {
        uint32_t name =
            obv__property_name(obv__class_of(change->now), change->slot);
        look_at_endpoint(work, change, leaf, name, change->slot, change->slot);
    } else if (is_any && !change->is_unknown) {
        look_at_every_property(work, change, leaf);
    } else if (is_any) {
        look_at_endpoint(work, change, leaf, 0, OBV__NO_SLOT, OBV__NO_SLOT);
    } else {
        /* A container that cannot be looked at may have ended. */
        uint32_t before =
            change->is_unknown ? OBV__NO_SLOT : slot_in(change, change->before);
        look_at_endpoint(work, change, leaf, 0, before,
                         slot_in(change, change->now));
    }
}

/* Whether a leaf is looked at by its values. */
static bool has_values(struct obv__watcher *leaf,
                       const struct obv__change *change)
{
    const struct obv__change_records *records = obv__change_records_of(leaf);
    unsigned wants = records ? obv__change_records_want_at_leaf(records) : 0;
    /* A leaf that is not linked yet may still fail to be created, and then its
       comparison belongs to the caller. */
    return (wants & OBV__WANTS_OLD) &&
           (differs_for(change, leaf) || (wants & OBV__WANTS_SAME)) &&
           obv__has_state(obv__observation(leaf), OBV__LINKED);
}

/* Whether a leaf is told now, though it may wait for a computed property above.
   If it waits, a set down here is told by the drain that brings the answer. */
OBV__NOINLINE static bool is_told_below(const struct obv__work_list *work,
                                        const struct obv__change *change,
                                        struct obv__watcher *leaf)
{
    if (change->waited && work->edit.kind == OBV__EDIT_SETTLED) {
        return obv__edit_is_for(&work->edit, leaf);
    }
    bool is_edit = work->edit.kind <= OBV__EDIT_ALIKE ||
                   work->edit.kind == OBV__EDIT_COMPUTED;
    return !(is_edit && change->instance &&
             obv__waits_above(work, change->instance, leaf));
}

/* Whether a leaf at the edited slot is one that the edit is for. */
OBV__INLINE bool is_meant(const struct obv__work_list *work,
                          const struct obv__change *change,
                          struct obv__watcher *leaf)
{
    /* Relaxed: the flag is set under the lock, before a leaf below a computed
       property is linked under it. */
    if (OBV__UNLIKELY(obv__load_relaxed(&change->node->paths->may_wait)) &&
        !is_told_below(work, change, leaf)) {
        return false;
    }
    return !OBV__UNLIKELY(work->edit.kind > OBV__EDIT_ALIKE) ||
           change->edited.object != work->edit.at.object ||
           change->edited.slot != work->edit.at.slot ||
           /* The path has left the slot of the computed property, which is in
              its middle as well: the settling would not find the leaf there. */
           (work->edit.kind == OBV__EDIT_COMPUTED &&
            change->before != change->now) ||
           obv__edit_is_for(&work->edit, leaf);
}

/* Looks at a leaf that has waited with nil: its endpoint was unreachable
   before. */
static void look_from_nil(struct obv__work_list *work,
                          struct obv__change *change, struct obv__watcher *leaf)
{
    struct obv__change from_nil = *change;
    from_nil.before = NULL;
    from_nil.is_from_nil = !change->waited->is_unknown;
    from_nil.is_unknown = change->waited->is_unknown;
    from_nil.edited = (struct obv__edited){NULL, OBV__NO_SLOT, NULL};
    from_nil.waited = NULL;
    from_nil.differs = change->waited->differs;
    look_with_values(work, &from_nil, leaf);
    change->is_missed = change->is_missed || from_nil.is_missed;
}

void obv__leaves_look_at_values(struct obv__work_list *work,
                                struct obv__change *change, uint64_t since)
{
    uint64_t now = obv__registration_epoch();
    for (struct obv__watcher *leaf = obv__first(&change->node->leaves); leaf;
         leaf = obv__next(leaf)) {
        if (!obv__came_since(leaf, since, now) && has_values(leaf, change) &&
            is_meant(work, change, leaf)) {
            if (has_waited(change, leaf) && change->waited->is_from_nil) {
                look_from_nil(work, change, leaf);
            } else {
                look_with_values(work, change, leaf);
            }
        }
    }
}

/* Whether a leaf asks for no more than the call. */
static bool is_plain(struct obv__watcher *leaf)
{
    const struct obv__change_records *records =
        obv__is_edge(leaf) ? NULL : obv__change_records_of(leaf);
    return !obv__is_edge(leaf) &&
           !(records && obv__change_records_want_at_leaf(records));
}

void obv__leaves_add_plain(const struct obv__path_node *node,
                           struct obv__work_list *work, uint64_t since)
{
    uint64_t now = obv__registration_epoch();
    if (obv__matcher_is_view(obv__path_node_element(node))) {
        return; /* a part of the value: it is compared */
    }
    for (struct obv__watcher *leaf = obv__first(&node->leaves); leaf;
         leaf = obv__next(leaf)) {
        if (!obv__came_since(leaf, since, now) && is_plain(leaf)) {
            obv__work_list_add(work, leaf);
        }
    }
}

void obv__leaves_add_listed(struct obv__work_list *work,
                            const struct obv__change *change, uint64_t since)
{
    uint64_t now = obv__registration_epoch();
    for (struct obv__watcher *leaf = obv__first(&change->node->leaves); leaf;
         leaf = obv__next(leaf)) {
        if (OBV__UNLIKELY(change->is_told) && is_plain(leaf)) {
            continue;
        }
        const struct obv__change_records *records =
            obv__change_records_of(leaf);
        bool by_records =
            records &&
            (obv__change_records_want_at_leaf(records) & OBV__WANTS_OLD);
        bool differs = by_records ? change->is_missed ||
                                        obv__work_list_has_record(work, leaf)
                                  : differs_for(change, leaf);
        if (differs && !obv__came_since(leaf, since, now) &&
            is_meant(work, change, leaf)) {
            obv__work_list_add(work, leaf);
        }
    }
}

/* The present values ------------------------------------------------------- */

/* The container that a path node leads through now (behind a hash that of the
   first member), held by a reference, if its class has any. Its end would have
   to take the binding away first, under the lock. */
static struct obv_object *keep_container(struct obv__path_node *node,
                                         bool *held)
{
    obv__lock_paths(node);
    const struct obv__path_instance *instance =
        obv__path_instance_next(node, NULL);
    const struct obv__watcher *binding = instance ? instance->binding : NULL;
    struct obv_object *container = binding ? obv__binding_place(binding) : NULL;
    *held = false;
    bool lives = container && obv__object_hold_or_go_on(container, held);
    obv__unlock_paths(node);
    return lives ? container : NULL;
}

/* `stamp`: of the newest change that it is computed from; 0: none is known. */
static bool read_end(struct obv_context *context,
                     const struct obv__path_node *node, struct obv_value *value,
                     uint64_t *stamp)
{
    const struct obv_element *element = obv__path_node_element(node);
    bool held;
    struct obv_object *container =
        keep_container((struct obv__path_node *)(uintptr_t)node, &held);
    uint32_t slot = container ? obv__slot_on(element, container) : OBV__NO_SLOT;
    const struct obv__computed *computed =
        slot <= OBV__SLOT_LAST ? obv__computed_of(container, slot) : NULL;
    *stamp = computed ? obv__computed_stamp(computed) : 0;
    bool good =
        slot == OBV__NO_SLOT ||
        obv__matcher_copy(element, context, container, slot, NULL, value);
    obv__object_let_go(container, held);
    return good;
}

bool obv__path_node_read(struct obv_context *context,
                         const struct obv__path_node *node,
                         struct obv_value *value)
{
    uint64_t stamp;
    return read_end(context, node, value, &stamp);
}

/* A change record without a change: if it `reads`, what the pair's path leads
   to now is both its old and its new value. `stamp`: as of read_end(), or 0.
   NULL: no memory, which the change records note. */
static struct obv__change_record *record_of_present(struct obv_context *context,
                                                    struct obv__watcher *pair,
                                                    bool reads, uint64_t *stamp)
{
    uintptr_t place = obv__load_acquire(&pair->place);
    uint64_t own = *stamp = 0;
    struct obv__change_record *record =
        obv__change_record_create(context, pair, NULL, 0, &own);
    if (!record) {
        obv__change_records_miss(obv__change_records_of(pair));
        return NULL;
    }
    record->changes = 0;
    if (reads && (place & OBV__PATH_NODE_TAG)) {
        const struct obv__path_node *node = obv__path_node_of(place);
        record->misses_first = !read_end(context, node, &record->first, stamp);
        record->misses_last = record->misses_first ||
                              !read_end(context, node, &record->last, stamp);
    }
    return record;
}

void obv__leaves_close_record(struct obv__watcher *pair)
{
    struct obv__change_records *records = obv__change_records_of(pair);
    uintptr_t place = obv__load_acquire(&pair->place);
    if (!records || !(place & OBV__PATH_NODE_TAG) ||
        !obv__change_records_are_open(records, pair)) {
        return;
    }
    struct obv_context *context = obv__path_node_of(place)->paths->context;
    uint64_t stamp;
    struct obv__change_record *record =
        record_of_present(context, pair, true, &stamp);
    if (record) {
        /* The value is as new as the newest change that it was computed from,
           and no later, unless that change is newer than all that was
           gathered. */
        record->first_cause.stamp = record->last_cause.stamp = stamp;
        bool is_later = stamp > obv__change_records_last(records).greatest;
        obv__change_records_gather(context, records, NULL, record, !is_later);
    }
}

/* Below a path node -------------------------------------------------------- */

/* The leaves at a path node and below it: collected under the paths lock, which
   guards the tree, and looked at outside. */
struct collected {
    struct obv__work_list *work;
    const struct obv__path_node *but_at; /* not its leaves; NULL: all */
    const struct obv__path_node *at;     /* where an equal value is offered */
    uint32_t flags;                      /* of those that are wanted; 0: all */
    uint64_t since;
    /* Makes the change record of a leaf that is due; or NULL. */
    void (*look)(const struct collected *collected, struct obv__watcher *leaf);
    /* Before a store: where a value is offered, and which; else NULL. */
    const struct obv__watcher *binding;
    const void *offered;
};

static bool is_wanted_below(const struct collected *collected,
                            struct obv__watcher *leaf)
{
    const struct obv__change_records *records = obv__change_records_of(leaf);
    const struct obv__path_node *node =
        obv__path_node_of(obv__load_acquire(&leaf->place));
    const struct obv__edit *edit = &collected->work->edit;
    /* A path that is over is called for what it has lost, and then no more; nor
       is one that never had an element to be bound to. */
    enum obv__path_end end = obv__path_node_furthest_end(node);
    bool goes_on = end == OBV__PATH_GOES_ON ||
                   (end == OBV__PATH_ENDS && collected->flags == 0);
    /* Before an equal value is stored, only those leaves at the very property
       are meant to which equal values differ. */
    bool is_meant_for = collected->flags == 0 ||
                        (records && (records->flags & collected->flags) &&
                         (!obv__edit_is_equal(edit) ||
                          (records->compare == OBV_COMPARE_ALWAYS_DIFFERENT &&
                           node == collected->at)) &&
                         obv__edit_is_for(edit, leaf));
    return goes_on && is_meant_for && node != collected->but_at &&
           !obv__came_since(leaf, collected->since, obv__registration_epoch());
}

/* Adds the leaves below a path node that are wanted. If memory is short, what
   is due is delivered in parts. */
static void add_below(const struct obv__path_node *node,
                      const struct collected *collected)
{
    struct obv__work_list *work = collected->work;
    struct obv__watcher *leaf;
    size_t added = 0;
    do {
        size_t from = work->count, passed = 0;
        obv__lock_paths(node);
        leaf = obv__next_leaf_locked(NULL, node, NULL);
        for (; leaf; leaf = obv__next_leaf_locked(NULL, node, leaf)) {
            if (!is_wanted_below(collected, leaf) || passed++ < added) {
                continue;
            }
            if (work->count == work->capacity) {
                break;
            }
            obv__work_list_add(work, leaf);
        }
        obv__unlock_paths(node);
        added += work->count - from;
        for (size_t i = from; collected->look && i < work->count; i++) {
            collected->look(collected, obv__due_pair(work->items[i]));
        }
        if (leaf) {
            obv__work_list_make_room(work);
        }
    } while (leaf);
}

/* A leaf is due though its endpoint may not have changed: its change record has
   the present value. */
static void look_at_touched(const struct collected *collected,
                            struct obv__watcher *leaf)
{
    struct obv__work_list *work = collected->work;
    const struct obv__change_records *records = obv__change_records_of(leaf);
    if (records && obv__change_records_are_kept(records) &&
        !obv__work_list_has_record(work, leaf)) {
        uint64_t stamp;
        struct obv__change_record *record = record_of_present(
            work->context, leaf, records->flags & OBV_VALUES, &stamp);
        if (record) {
            record->is_touch = true;
            obv__work_list_keep_record(work, record);
        }
    }
}

/* Memory was short on the way to a leaf: its record misses the value before. */
static void look_at_lost(const struct collected *collected,
                         struct obv__watcher *leaf)
{
    struct obv__work_list *work = collected->work;
    struct obv__change_records *records = obv__change_records_of(leaf);
    if (!records || !obv__change_records_are_kept(records)) {
        return;
    }
    struct obv__change_record *record =
        obv__change_record_create(work->context, leaf, NULL, 0, &work->stamp);
    if (record) {
        record->misses_first = true;
        obv__work_list_keep_record(work, record);
    } else {
        obv__change_records_miss(records);
    }
}

void obv__leaves_add_below(const struct obv__path_node *node,
                           struct obv__work_list *work, uint64_t since,
                           enum obv__below why)
{
    static void (*const looks[])(const struct collected *collected,
                                 struct obv__watcher *leaf) = {
        [OBV__BELOW_TOUCHED] = look_at_touched,
        [OBV__BELOW_OVER] = look_at_touched,
        [OBV__BELOW_LOST] = look_at_lost};
    bool is_touched = why == OBV__BELOW_TOUCHED;
    const struct collected collected = {.work = work,
                                        .but_at = is_touched ? node : NULL,
                                        .flags =
                                            is_touched ? OBV_ANY_ELEMENT : 0u,
                                        .since = since,
                                        .look = looks[why]};
    add_below(node, &collected);
}

/* Before the store --------------------------------------------------------- */

/* If the property is the end of the leaf's path, the value offered is the new
   one. If any thread may set it, the offer is stored already, so the old value
   is the one told last. */
static void read_offered(const struct collected *collected,
                         struct obv__watcher *leaf,
                         struct obv__change_record *record)
{
    const struct obv__path_instance *instance = collected->binding->of;
    const struct obv_element *element = obv__path_node_element(instance->node);
    struct obv_context *context = collected->work->context;
    struct obv_object *container = obv__path_instance_container(instance);
    uint32_t slot = collected->binding->slot;
    obv__value_drop(context, &record->last);
    if (!container || !collected->offered ||
        obv__path_node_of(obv__load_acquire(&leaf->place)) != instance->node) {
        return;
    }
    record->misses_last |= !obv__matcher_copy(
        element, context, container, slot, collected->offered, &record->last);
    union obv__told_value room;
    const void *told = obv__told_last(container, slot, &room);
    if (told) {
        obv__value_drop(context, &record->first);
        record->misses_first |= !obv__matcher_copy(element, context, container,
                                                   slot, told, &record->first);
    }
}

static void look_ahead(const struct collected *collected,
                       struct obv__watcher *leaf)
{
    struct obv__work_list *work = collected->work;
    if (obv__change_records_of(leaf)->flags & OBV_VALUES) {
        uint64_t stamp;
        struct obv__change_record *record =
            record_of_present(work->context, leaf, true, &stamp);
        if (record) {
            read_offered(collected, leaf, record);
            obv__work_list_keep_record(work, record);
        }
    }
}

void obv__announce(struct obv__watcher *binding, struct obv__work_list *work,
                   const void *offered)
{
    const struct obv__path_instance *instance = binding->of;
    const struct collected collected = {.work = work,
                                        .at = instance->node,
                                        .flags = OBV_PRIOR,
                                        .since = obv__registration_epoch(),
                                        .look = look_ahead,
                                        .binding = binding,
                                        .offered = offered};
    if (obv__path_node_wants(instance->node, OBV__WANTS_PRIOR)) {
        add_below(instance->node, &collected);
    }
}
