/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edit lists record the edits of a container until the program takes them. For
 * a container of positions the list keeps the content as pieces. A piece is a
 * run of elements that were there before, in their order, or that have come
 * since; it ends where the next one begins:
 *
 *     before   a b c d e f g            pieces   0: from 0
 *     now      a b x y e f d            pieces   0: from 0   2: has come
 *                                                4: from 4   6: from 3, moved
 *     gone     c, from 2
 *
 * For a dictionary or a set the list keeps each key or member that was edited,
 * with what stood there first, and whether anything stands there now.
 *
 * A list has two owners. The program gives it back on any thread. The container
 * gives it back when it ends, or at the first edit after the program did. The
 * last owner frees the list.
 */
#include "base/index_map.h"
#include "model/context.h"
#include "model/copy.h"
#include "model/node.h"
#include "model/recorder.h"

#include <observable/edit_list.h>

#include <stdlib.h>

struct piece {
    struct obv__index_entry entry; /* must stand first */
    size_t before; /* its old position; OBV_NOWHERE: it has come since */
    bool is_moved;
};

/* An element that has gone, and where it stood before. */
struct gone {
    size_t before;
    struct obv_value value;
};

struct recorded_key {
    struct obv_hash_entry entry; /* must stand first */
    struct recorded_key *next;   /* in the order of first edits */
    struct obv_key *key;         /* a reference; of a set NULL */
    struct obv_value value;      /* as that of struct obv_key_edit */
    bool was_there, is_there;
};

struct obv_edit_list {
    struct obv__recorder recorder; /* must stand first */
    uint32_t references;           /* any thread */
    /* By the container's owner. */
    bool has_ended;         /* the container has ended */
    bool is_recorded;       /* there was an edit since the last take */
    enum obv_status broken; /* why the record is incomplete, or OBV_OK */
    struct obv_container *container; /* NULL: none */
    /* Constant. */
    struct obv_class *cls;
    struct obv_context *context;
    const struct obv_container_kind *kind;
    const struct obv_property *element;
    /* Of positions. */
    struct obv__index_map map; /* pieces; none before the first edit */
    size_t before, now;        /* the counts */
    struct gone *gone;
    size_t gone_count, gone_room;
    /* Of keys. */
    struct obv_hash_table table; /* by the numbers of keys, or by hashes */
    struct recorded_key *first, *last;
};

/* The head of the block that holds the edits which a list has handed over. */
struct told {
    struct obv_context *context;
    size_t size; /* of the block */
    /* The removed elements, and the keys: obv_edits_deinit() drops them. */
    struct obv_value *values;
    size_t value_count;
    struct recorded_key *keys;
};

static struct piece *piece_of(struct obv__index_entry *entry)
{
    return (struct piece *)(void *)entry;
}

static bool has_positions(const struct obv_edit_list *list)
{
    return list->kind->at != NULL;
}

/* Ends --------------------------------------------------------------------- */

static void free_pieces(struct obv_context *context, struct obv__index_map *map)
{
    struct obv__index_entry *first;
    while ((first = obv__index_map_from(map, 0)) != NULL) {
        obv__index_map_take(map, first);
        obv__context_free(context, first, sizeof(struct piece));
    }
}

static void free_recorded(struct obv_context *context,
                          struct recorded_key *first)
{
    while (first) {
        struct recorded_key *recorded = first;
        first = first->next;
        obv__value_drop(context, &recorded->value);
        obv__key_release(recorded->key);
        obv__context_free(context, recorded, sizeof *recorded);
    }
    obv__keys_free_gone(context);
}

/* Empties the record; the content has `count` elements now. The old record
   is dropped last, since that runs the program's code, which may edit. */
static void begin_anew(struct obv_edit_list *list, size_t count)
{
    struct obv_context *context = list->context;
    struct gone *gone = list->gone;
    size_t gone_count = list->gone_count, gone_room = list->gone_room;
    struct recorded_key *keys = list->first;
    list->gone = NULL;
    list->gone_count = list->gone_room = 0;
    list->first = list->last = NULL;
    list->before = list->now = count;
    list->is_recorded = false;
    list->broken = OBV_OK;
    free_pieces(context, &list->map);
    obv__hash_table_deinit(&list->table, &context->allocator);
    for (size_t i = 0; i < gone_count; i++) {
        obv__value_drop(context, &gone[i].value);
    }
    obv__context_free(context, gone, gone_room * sizeof *gone);
    free_recorded(context, keys);
}

void obv_edit_list_release(struct obv_edit_list *list)
{
    /* Acquire and release: the last owner sees what the other has written. */
    if (list && obv__fetch_add_acq_rel(&list->references, (uint32_t)-1) == 1) {
        begin_anew(list, 0);
        obv__context_free(list->context, list, sizeof *list);
    }
}

/* Positions ---------------------------------------------------------------- */

static bool begin_piece(struct obv_edit_list *list, size_t position,
                        size_t before, bool is_moved)
{
    struct piece *piece = obv__context_allocate(list->context, sizeof *piece);
    if (piece) {
        piece->before = before;
        piece->is_moved = is_moved;
        (void)obv__index_map_add(&list->map, &piece->entry, position);
    }
    return piece != NULL;
}

/* Cuts a piece in two, so that one begins at a position. False: no memory. */
static bool cut_piece(struct obv_edit_list *list, size_t position)
{
    if (position >= list->now) {
        return true;
    }
    struct obv__index_entry *entry =
        obv__index_map_before(&list->map, position + 1);
    const struct piece *piece = piece_of(entry);
    size_t into = position - obv__index_map_position(entry);
    return into == 0 ||
           begin_piece(list, position,
                       piece->before == OBV_NOWHERE ? OBV_NOWHERE
                                                    : piece->before + into,
                       piece->is_moved);
}

static bool cut_range(struct obv_edit_list *list, size_t position, size_t count)
{
    return cut_piece(list, position) && cut_piece(list, position + count);
}

static bool has_come(struct obv__index_entry *entry)
{
    return entry && piece_of(entry)->before == OBV_NOWHERE;
}

/* An insertion beside a piece that has come makes that piece longer. */
static bool record_insertion(struct obv_edit_list *list, size_t position,
                             size_t count)
{
    bool stands_there = has_come(obv__index_map_find(&list->map, position));
    bool is_beside =
        stands_there || has_come(obv__index_map_before(&list->map, position));
    if (!is_beside && !cut_piece(list, position)) {
        return false;
    }
    /* If a piece that has come begins at `position`, it goes on doing so. */
    obv__index_map_insert(&list->map, position + stands_there, count);
    list->now += count;
    return is_beside || begin_piece(list, position, OBV_NOWHERE, false);
}

/* Copies the element at an address, which may have left the container; for NULL
   the copy is unreachable: the element is not known. False: no memory. */
static bool copy_element(const struct obv_edit_list *list,
                         struct obv_container *container, const void *field,
                         struct obv_value *copy)
{
    *copy = (struct obv_value){.kind = OBV_KIND_unreachable};
    return !field || obv__value_copy(list->context, &container->object,
                                     list->element, field, copy);
}

/* Keeps copies of `count` removed elements, from index `i` of the edit's `old`
   on; `before`: the old position of the first. */
static bool keep_gone(struct obv_edit_list *list,
                      struct obv_container *container,
                      const struct obv_container_edit *edit, size_t i,
                      size_t before, size_t count)
{
    bool good = true;
    for (size_t end = i + count; good && i < end; i++, before++) {
        const void *element =
            edit->old ? (const char *)edit->old + i * list->element->size
                      : NULL;
        if (list->gone_count == list->gone_room) {
            struct gone *more =
                obv__context_grown(list->context, list->gone, NULL,
                                   &list->gone_room, sizeof *list->gone);
            list->gone = more ? more : list->gone;
            good = more != NULL;
        }
        if (good) {
            struct gone *gone = &list->gone[list->gone_count];
            gone->before = before;
            good = copy_element(list, container, element, &gone->value);
            list->gone_count += good;
        }
    }
    return good;
}

static bool record_removal(struct obv_edit_list *list,
                           struct obv_container *container,
                           const struct obv_container_edit *edit)
{
    size_t at = edit->position, end = at + edit->removed;
    bool good = cut_range(list, at, edit->removed);
    struct obv__index_entry *entry =
        good ? obv__index_map_find(&list->map, at) : NULL;
    while (good && at < end) {
        struct obv__index_entry *next = obv__index_map_next(entry);
        size_t behind = next ? obv__index_map_position(next) : list->now;
        good = has_come(entry) ||
               keep_gone(list, container, edit, at - edit->position,
                         piece_of(entry)->before, behind - at);
        at = behind;
        entry = next;
    }
    if (good) {
        struct obv__index_map removed =
            obv__index_map_remove(&list->map, edit->position, edit->removed);
        free_pieces(list->context, &removed);
        list->now -= edit->removed;
    }
    return good;
}

static size_t place_in_order(void *of_edit, size_t position)
{
    const struct obv_container_edit *edit = of_edit;
    return position >= edit->position && position - edit->position < edit->moved
               ? edit->position + edit->order[position - edit->position]
               : position;
}

/* Records a reordering; elements whose position stays have not moved. */
static bool record_order(struct obv_edit_list *list,
                         struct obv_container_edit edit)
{
    bool good = true;
    for (size_t i = 0; good && i <= edit.moved; i++) {
        good = cut_piece(list, edit.position + i);
    }
    struct obv__index_entry *entry =
        obv__index_map_find(&list->map, edit.position);
    for (size_t i = 0; good && i < edit.moved; i++) {
        piece_of(entry)->is_moved =
            piece_of(entry)->is_moved || edit.order[i] != i;
        entry = obv__index_map_next(entry);
    }
    if (good) {
        obv__index_map_permute(&list->map, place_in_order, &edit);
    }
    return good;
}

static bool record_move(struct obv_edit_list *list,
                        const struct obv_container_edit *edit)
{
    size_t end = edit->position + edit->moved;
    /* The target among the positions before the move. */
    size_t to = edit->to > edit->position ? edit->to + edit->moved : edit->to;
    if (edit->to == edit->position) {
        return true;
    }
    if (!cut_range(list, edit->position, edit->moved) || !cut_piece(list, to)) {
        return false;
    }
    struct obv__index_entry *entry =
        obv__index_map_find(&list->map, edit->position);
    for (; entry && obv__index_map_position(entry) < end;
         entry = obv__index_map_next(entry)) {
        piece_of(entry)->is_moved = true;
    }
    obv__index_map_move(&list->map, edit->position, edit->moved, edit->to);
    return true;
}

static bool record_position_edit(struct obv_edit_list *list,
                                 struct obv_container *container,
                                 const struct obv_container_edit *edit)
{
    if (edit->moved != 0) {
        return edit->order ? record_order(list, *edit)
                           : record_move(list, edit);
    }
    return (edit->removed == 0 || record_removal(list, container, edit)) &&
           (edit->inserted == 0 ||
            record_insertion(list, edit->position, edit->inserted));
}

/* Keys --------------------------------------------------------------------- */

static struct recorded_key *recorded_of(struct obv_hash_entry *entry)
{
    return (struct recorded_key *)(void *)entry;
}

/* Finds what is recorded of a key or a member. Members that always compare as
   different are told apart by identity. */
static struct recorded_key *find_recorded(const struct obv_edit_list *list,
                                          const struct recorded_key *sought,
                                          uint64_t hash)
{
    struct obv_hash_entry *entry = obv__hash_table_find(&list->table, hash);
    const struct obv_property *line = sought->value.property;
    enum obv_compare how = line && (line->flags & OBV_ALWAYS_DIFFERENT)
                               ? OBV_COMPARE_IDENTITY
                               : OBV_COMPARE_DECLARED;
    while (
        entry && !sought->key &&
        !obv__values_equal(&recorded_of(entry)->value, &sought->value, how)) {
        entry = obv__hash_table_find_next(entry);
    }
    return entry ? recorded_of(entry) : NULL;
}

/* Makes the record of an edit's key: takes the key, and copies what stood there
   before the edit. False: no memory. */
static bool read_key_edit(const struct obv_edit_list *list,
                          struct obv_container *container,
                          const struct obv_container_edit *edit,
                          struct recorded_key *read, uint64_t *hash)
{
    bool is_set = !list->kind->key;
    const void *value = is_set               ? edit->key
                        : edit->removed != 0 ? edit->old
                                             : NULL;
    *read = (struct recorded_key){.was_there = edit->removed != 0,
                                  .is_there = edit->inserted != 0};
    if (!obv__edited_key_take(container, edit, true, &read->key, hash)) {
        return false;
    }
    /* A member without a copy cannot be told from another one. */
    return copy_element(list, container, value, &read->value) &&
           (!is_set || obv_value_is_reachable(&read->value));
}

static bool record_key_edit(struct obv_edit_list *list,
                            struct obv_container *container,
                            const struct obv_container_edit *edit)
{
    struct recorded_key *made =
        obv__context_allocate(list->context, sizeof *made);
    uint64_t hash;
    if (!made) {
        return false;
    }
    bool good = read_key_edit(list, container, edit, made, &hash);
    struct recorded_key *found = good ? find_recorded(list, made, hash) : NULL;
    if (found) {
        found->is_there = made->is_there;
    }
    if (!good || found) {
        free_recorded(list->context, made);
        return good;
    }
    obv__hash_table_add(&list->table, &list->context->allocator, &made->entry,
                        hash);
    *(list->last ? &list->last->next : &list->first) = made;
    list->last = made;
    return true;
}

/* Recording ---------------------------------------------------------------- */

static void record(struct obv_edit_list *list, struct obv_container *container,
                   const struct obv_container_edit *edits, size_t count)
{
    bool good = list->broken == OBV_OK;
    bool is_first = !list->is_recorded && has_positions(list) && list->now != 0;
    if (good && is_first) {
        good = begin_piece(list, 0, 0, false);
    }
    list->is_recorded = true;
    for (size_t i = 0; good && i < count; i++) {
        const struct obv_container_edit *edit = &edits[i];
        good = has_positions(list) ? record_position_edit(list, container, edit)
               : edit->removed != 0 || edit->inserted != 0
                   ? record_key_edit(list, container, edit)
                   : true;
    }
    list->broken = good                     ? OBV_OK
                   : list->broken == OBV_OK ? OBV_E_MEMORY
                                            : list->broken;
}

static bool edited(struct obv__recorder *recorder,
                   struct obv_container *container,
                   const struct obv_container_edit *edits, size_t count)
{
    struct obv_edit_list *list = (struct obv_edit_list *)(void *)recorder;
    if (!container) {
        list->container = NULL;
        list->has_ended = true;
        return false;
    }
    /* Acquire, pairs with the program's release: the container is the last. */
    bool is_wanted = obv__load_acquire(&list->references) != 1;
    if (is_wanted && count != 0) {
        record(list, container, edits, count);
    }
    return is_wanted;
}

static void let_go(struct obv__recorder *recorder)
{
    obv_edit_list_release((struct obv_edit_list *)(void *)recorder);
}

/* Creation ----------------------------------------------------------------- */

/* Checks that a class is one of containers that can be edited. */
static enum obv_status check_class(const struct obv_class *cls,
                                   struct obv_error *error)
{
    const struct obv_container_kind *kind = obv_container_kind_of(cls);
    return kind && !kind->is_constant
               ? OBV_OK
               : obv__fail(error, OBV_E_ARGUMENT,
                           "this is no container that is edited");
}

/* Checks that all edits of a container have been told: its counts agree. */
static enum obv_status check_told(const struct obv_container *container,
                                  struct obv_error *error)
{
    const struct obv_container_kind *kind =
        obv_container_kind_of(obv__class_of(&container->object));
    return kind->count(container) == container->count
               ? OBV_OK
               : obv__fail(error, OBV_E_ARGUMENT,
                           "an edit of the container has not been told");
}

/* Checks a container: its class (if `cls` is not NULL, that one), and that its
   edits have been told. */
static enum obv_status check_container(struct obv_container *container,
                                       const struct obv_class *cls,
                                       struct obv_error *error)
{
    enum obv_status status = obv__check_object(&container->object, error);
    if (status == OBV_OK) {
        status = check_class(obv__class_of(&container->object), error);
    }
    if (status == OBV_OK && cls && obv__class_of(&container->object) != cls) {
        status = obv__fail(error, OBV_E_KIND, "it is of another class");
    }
    return status == OBV_OK ? check_told(container, error) : status;
}

static void enter(struct obv_edit_list *list, struct obv_container *container)
{
    /* Relaxed: the program has a reference as well. */
    (void)obv__fetch_add_relaxed(&list->references, 1);
    list->container = container;
    obv__recorder_enter(container, &list->recorder);
}

enum obv_status obv_edit_list_create(struct obv_class *cls,
                                     struct obv_container *container,
                                     struct obv_edit_list **list,
                                     struct obv_error *error)
{
    if (!list || (!cls && !container)) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    enum obv_status status = cls ? check_class(cls, error) : OBV_OK;
    if (status == OBV_OK && container) {
        status = check_container(container, cls, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    if (container) {
        cls = obv__class_of(&container->object);
    }
    struct obv_edit_list *made =
        !container || obv__recorders_prepare(container)
            ? obv__context_allocate_zeroed(cls->context, sizeof *made)
            : NULL;
    if (!made) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    made->recorder.edited = edited;
    made->recorder.let_go = let_go;
    made->references = 1;
    made->cls = cls;
    made->context = cls->context;
    made->kind = obv_container_kind_of(cls);
    made->element = obv__element_property(cls);
    obv__index_map_init(&made->map);
    if (container) {
        enter(made, container);
    }
    begin_anew(made, container ? container->count : 0);
    *list = made;
    return OBV_OK;
}

/* Another container -------------------------------------------------------- */

/* Moves a cursor to the next element; false: there is none. */
static bool next_element(const struct obv_edit_list *list,
                         const struct obv_container *container,
                         struct obv_container_cursor *cursor)
{
    if (!has_positions(list)) {
        return list->kind->next(container, cursor);
    }
    bool found = cursor->index < list->kind->count(container);
    if (found) {
        cursor->element = list->kind->at(container, cursor->index++);
    }
    return found;
}

/* Records that all elements of a container go, or come, one edit each. */
static void record_each(struct obv_edit_list *list,
                        struct obv_container *container, bool goes)
{
    struct obv_container_edit edit = {.removed = goes, .inserted = !goes};
    struct obv_container_cursor cursor = {.index = 0};
    while (next_element(list, container, &cursor)) {
        edit.old = goes ? cursor.element : NULL;
        edit.key = list->kind->hash ? cursor.element : cursor.key;
        record(list, container, &edit, 1);
    }
}

static void leave_container(struct obv_edit_list *list)
{
    struct obv_container *container = list->container;
    if (list->has_ended) {
        list->has_ended = false;
        list->broken = OBV_E_ENDED;
    }
    if (container) {
        obv__recorder_leave(container, &list->recorder);
        list->container = NULL;
        record_each(list, container, true);
        obv_edit_list_release(list); /* the program's reference remains */
    }
}

enum obv_status obv_edit_list_turn_to(struct obv_edit_list *list,
                                      struct obv_container *container,
                                      struct obv_error *error)
{
    if (!list) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    enum obv_status status =
        container ? check_container(container, list->cls, error) : OBV_OK;
    if (status == OBV_OK && list->container) {
        status = check_told(list->container, error);
    }
    if (status != OBV_OK ||
        (container == list->container && !list->has_ended)) {
        return status;
    }
    if (container && !obv__recorders_prepare(container)) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    leave_container(list);
    if (container) {
        record_each(list, container, false);
        enter(list, container);
    }
    return OBV_OK;
}

/* Looking ------------------------------------------------------------------ */

void obv_edits_deinit(struct obv_edits *edits)
{
    struct told *told = edits ? edits->reserved : NULL;
    if (told) {
        *edits = (struct obv_edits){.reserved = NULL};
        for (size_t i = 0; i < told->value_count; i++) {
            obv__value_drop(told->context, &told->values[i]);
        }
        free_recorded(told->context, told->keys);
        obv__context_free(told->context, told, told->size);
    }
}

/* Allocates the block of handed over edits, with `room` bytes behind its head;
   NULL: no memory. */
static struct told *make_told(struct obv_edit_list *list, size_t room,
                              struct obv_edits *edits)
{
    size_t size = sizeof(struct told) + room;
    struct told *told = obv__context_allocate(list->context, size);
    if (told) {
        *told = (struct told){.context = list->context, .size = size};
        edits->reserved = told;
    }
    return told;
}

/* A piece, or several pieces that follow each other in both contents. */
struct part {
    size_t before, now, count;
    bool
        has_stayed; /* some of it has never moved, or it is all that was there */
};

/* Reads the part that begins at `entry`, which goes on to the piece behind it;
   false: there is none. */
static bool next_part(const struct obv_edit_list *list,
                      struct obv__index_entry **entry, struct part *part)
{
    bool found = *entry != NULL;
    *part = (struct part){.before = OBV_NOWHERE};
    if (found) {
        part->before = piece_of(*entry)->before;
        part->now = obv__index_map_position(*entry);
    }
    for (bool goes_on = found; goes_on;) {
        struct obv__index_entry *next = obv__index_map_next(*entry);
        part->has_stayed = part->has_stayed || !piece_of(*entry)->is_moved;
        part->count =
            (next ? obv__index_map_position(next) : list->now) - part->now;
        *entry = next;
        goes_on = next &&
                  piece_of(next)->before == (part->before == OBV_NOWHERE
                                                 ? OBV_NOWHERE
                                                 : part->before + part->count);
    }
    part->has_stayed = part->before != OBV_NOWHERE &&
                       (part->has_stayed || part->count == list->before);
    return found;
}

static int by_place_before(const void *a, const void *b)
{
    const struct gone *left = a, *right = b;
    return (left->before > right->before) - (left->before < right->before);
}

/* Writes the runs of removed elements, and gives their copies to `values`. */
static size_t tell_gone(struct obv_edit_list *list, struct obv_value *values,
                        struct obv_edit_run *runs)
{
    size_t count = 0;
    if (list->gone_count != 0) {
        qsort(list->gone, list->gone_count, sizeof *list->gone,
              by_place_before);
    }
    for (size_t i = 0; i < list->gone_count; i++) {
        const struct gone *gone = &list->gone[i];
        values[i] = gone->value;
        if (i != 0 && gone->before == gone[-1].before + 1) {
            runs[count - 1].count++;
        } else {
            runs[count++] =
                (struct obv_edit_run){gone->before, OBV_NOWHERE, 1, &values[i]};
        }
    }
    list->gone_count = 0;
    return count;
}

static bool tell_positions(struct obv_edit_list *list, struct obv_edits *edits)
{
    size_t most = list->gone_count, splice_count = 0;
    struct obv__index_entry *entry = obv__index_map_from(&list->map, 0);
    for (; entry; entry = obv__index_map_next(entry)) {
        most++;
    }
    struct told *told = make_told(list,
                                  list->gone_count * sizeof(struct obv_value) +
                                      most * sizeof(struct obv_edit_run) +
                                      (most + 1) * sizeof(struct obv_splice),
                                  edits);
    if (!told) {
        return false;
    }
    told->values = (void *)(told + 1);
    told->value_count = list->gone_count;
    struct obv_edit_run *runs = (void *)(told->values + told->value_count);
    struct obv_splice *splices = (void *)(runs + most);
    size_t run_count = tell_gone(list, told->values, runs);
    size_t before = 0, now = 0; /* behind what has stayed */
    bool more = true;
    entry = obv__index_map_from(&list->map, 0);
    while (more) {
        struct part part;
        more = next_part(list, &entry, &part);
        if (more && !part.has_stayed) {
            runs[run_count++] =
                (struct obv_edit_run){part.before, part.now, part.count, NULL};
            continue;
        }
        size_t old_end = more ? part.before : list->before;
        size_t end = more ? part.now : list->now;
        if (old_end != before || end != now) {
            splices[splice_count++] =
                (struct obv_splice){before, now, old_end - before, end - now};
        }
        before = old_end + part.count;
        now = end + part.count;
    }
    edits->splices = splices;
    edits->splice_count = splice_count;
    edits->runs = runs;
    edits->run_count = run_count;
    return true;
}

static bool tell_keys(struct obv_edit_list *list, struct obv_edits *edits)
{
    struct told *told =
        make_told(list, list->table.count * sizeof(struct obv_key_edit), edits);
    if (!told) {
        return false;
    }
    struct obv_key_edit *keys = (void *)(told + 1);
    const struct recorded_key *recorded = told->keys = list->first;
    list->first = NULL;
    for (; recorded; recorded = recorded->next) {
        /* At a key that stayed, another element may stand now. */
        if (recorded->was_there != recorded->is_there ||
            (recorded->key && recorded->is_there)) {
            keys[edits->key_count++] = (struct obv_key_edit){
                recorded->key ? recorded->key->value : NULL, recorded->value,
                recorded->was_there, recorded->is_there};
        }
    }
    edits->keys = keys;
    return true;
}

enum obv_status obv_edit_list_take(struct obv_edit_list *list,
                                   struct obv_edits *edits,
                                   struct obv_error *error)
{
    if (edits) {
        *edits = (struct obv_edits){.splice_count = 0};
    }
    if (!list || !edits) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    enum obv_status status = list->has_ended ? OBV_E_ENDED : list->broken;
    if (status == OBV_OK && list->is_recorded &&
        !(has_positions(list) ? tell_positions : tell_keys)(list, edits)) {
        status = OBV_E_MEMORY;
    }
    begin_anew(list, list->container ? list->container->count : 0);
    return obv__fail_as(error, status);
}
