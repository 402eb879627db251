/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one edit of a derived array is made of. What the program is asked for
 * comes first, and all memory; then the trees, where only a comparison is the
 * program's; then the array, which is told of it. So what fails leaves the
 * array as it was, and nobody sees it between two contents.
 */
#include "collections/derived.h"

#include <stdlib.h>
#include <string.h>

/* So that sizes in bytes cannot overflow. */
#define MOST_OF_AN_EDIT (PTRDIFF_MAX / 512)

static struct obv_context *context_of_edit(const struct obv__derived_edit *edit)
{
    return edit->derivation->owner->kind->context;
}

/* Memory ------------------------------------------------------------------- */

/* Room for an edit: `asked` are asked about, and so many more may go. */
struct derived_need {
    size_t asked, gone, runs, moved;
    size_t moving; /* elements, whose groups follow */
    bool may_reorder;
};

/* Parts of a block, one behind the other, and all aligned alike. */
struct derived_parts {
    char *block; /* NULL: only the size is wanted */
    size_t size;
};

static void *next_part(struct derived_parts *parts, size_t count, size_t size)
{
    void *part = parts->block ? parts->block + parts->size : NULL;
    parts->size += count * size;
    return part;
}

/* Writes where the parts of a block lie; answers its size. */
static size_t lay_out(struct obv__derived_edit *edit,
                      const struct derived_need *need, void *block)
{
    struct derived_parts parts = {block, 0};
    size_t asked = need->asked, gone = need->gone;
    size_t most = !need->may_reorder ? 0
                  : edit->array
                      ? edit->array->count
                      : obv__order_count(edit->derivation->entries.root);
    size_t some = asked + need->moving;
    size_t groups = edit->array ? 0 : some + gone;
    edit->changes = next_part(&parts, some, sizeof *edit->changes);
    edit->gone = next_part(&parts, gone, sizeof *edit->gone);
    edit->told =
        next_part(&parts, asked + gone + 1 + groups, sizeof *edit->told);
    edit->edits = next_part(&parts, groups, sizeof *edit->edits);
    edit->come = next_part(&parts, asked, sizeof *edit->come);
    edit->moved = next_part(&parts, some, sizeof *edit->moved);
    edit->scratch = next_part(&parts, some, sizeof *edit->scratch);
    edit->old = next_part(&parts, gone, sizeof *edit->old);
    edit->moved_runs = next_part(&parts, need->runs, sizeof *edit->moved_runs);
    edit->order = next_part(&parts, most, sizeof *edit->order);
    edit->elements = next_part(&parts, most, sizeof *edit->elements);
    return parts.size;
}

static enum obv_status begin_derived_edit(struct obv__derived_edit *edit,
                                          struct obv_derivation *derivation,
                                          const struct derived_need *need)
{
    struct obv_array *array = derivation->array;
    *edit = (struct obv__derived_edit){
        .derivation = derivation, .array = array, .ranks = &derivation->ranks};
    if (need->asked + need->gone + need->moving > MOST_OF_AN_EDIT) {
        return OBV_E_MEMORY;
    }
    edit->size = lay_out(edit, need, NULL);
    edit->block =
        obv__context_allocate_zeroed(context_of_edit(edit), edit->size);
    if (!edit->block) {
        return OBV_E_MEMORY;
    }
    (void)lay_out(edit, need, edit->block);
    edit->change_count = need->asked;
    return array ? obv__array_make_room(array, array->count + need->asked)
                 : OBV_OK;
}

static void let_go_of_gone(const struct obv__derived_edit *edit)
{
    const struct obv_collection_class *cls = edit->derivation->output;
    for (size_t i = 0; i < edit->gone_count; i++) {
        obv__element_let_go(cls, edit->gone[i].element);
    }
}

/* With the edit made, or given up. The program's code runs. */
static void finish_edit(struct obv__derived_edit *edit)
{
    if (edit->block) {
        let_go_of_gone(edit);
        for (size_t i = 0; i < edit->change_count; i++) {
            obv__derived_forget(edit->derivation, &edit->changes[i]);
        }
        while (edit->leaving) {
            struct obv__derived_entry *entry = edit->leaving;
            edit->leaving = entry->next_leaving;
            obv__derived_leave(edit->derivation, entry);
        }
        obv__context_free(context_of_edit(edit), edit->block, edit->size);
    }
    obv__derived_give_up_groups(edit->derivation);
}

/* Those that have been entered leave again. */
static void give_up_edit(struct obv__derived_edit *edit)
{
    for (size_t i = 0; edit->are_new && i < edit->change_count; i++) {
        struct obv__derived_entry *entry = edit->changes[i].entry;
        if (edit->changes[i].stays) {
            entry->node.mark = false;
        } else if (entry) {
            entry->next_leaving = edit->leaving;
            edit->leaving = entry;
        }
    }
    finish_edit(edit);
}

static enum obv_status ask_all_changes(struct obv__derived_edit *edit)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < edit->change_count; i++) {
        if (!edit->changes[i].stays) {
            status = obv__derived_ask(edit->derivation, &edit->changes[i]);
        }
    }
    return status == OBV_OK && !edit->array ? obv__derived_expect(edit)
                                            : status;
}

/* Gone, come, moved -------------------------------------------------------- */

static void add_gone(struct obv__derived_edit *edit,
                     struct obv__derived_entry *entry, size_t place)
{
    struct obv__derived_group *group = edit->array ? NULL : entry->group;
    edit->gone[edit->gone_count++] =
        (struct obv__derived_gone){entry, group, entry->element, place};
}

/* What is shown of it is the array's from now on. */
static void add_come(struct obv__derived_edit *edit,
                     struct obv__derived_change *change)
{
    change->entry->element = change->element;
    if (change->group) {
        change->entry->group = change->group;
    }
    change->has_element = false;
    edit->come[edit->come_count++] = change;
}

/* Where an entry that is shown stands in the array. */
static size_t place_of_entry(const struct obv_derivation *derivation,
                             const struct obv__derived_entry *entry)
{
    return obv__derived_is_sorted(derivation)
               ? obv__order_place(&entry->rank)
               : obv__order_weight_before(&entry->node);
}

static int by_gone_place(const void *a, const void *b)
{
    const struct obv__derived_gone *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

/* They have their places: those go out of the sorted order. */
void obv__derived_take_gone_out(struct obv__derived_edit *edit)
{
    struct obv__derived_gone *gone = edit->gone;
    if (edit->gone_count > 1) {
        qsort(gone, edit->gone_count, sizeof *gone, by_gone_place);
    }
    if (obv__derived_is_sorted(edit->derivation)) {
        for (size_t i = 0; i < edit->gone_count; i++) {
            gone[i].entry->rank.mark = true;
        }
        for (size_t i = 0; i < edit->gone_count; i++) {
            obv__derived_take_rank_out(edit, gone[i].entry);
        }
    }
}

/* Of the source ------------------------------------------------------------ */

static bool is_gone_run(const struct obv_edit_run *run)
{
    return run->now == OBV_NOWHERE;
}

static bool is_moved_run(const struct obv_edit_run *run)
{
    return run->now != OBV_NOWHERE && run->before != OBV_NOWHERE;
}

/* The entries of a run that has gone, while all stand where they did. */
static void note_gone_run(struct obv__derived_edit *edit,
                          const struct obv_edit_run *run)
{
    struct obv_derivation *derivation = edit->derivation;
    struct obv__order_node *node =
        obv__order_at(&derivation->entries, run->before);
    size_t place = obv__order_weight_before(node);
    for (size_t i = 0; i < run->count; i++, node = obv__order_next(node)) {
        struct obv__derived_entry *entry = obv__derived_entry_of(node);
        if (node->counts && !node->mark) {
            add_gone(edit, entry,
                     obv__derived_is_sorted(derivation)
                         ? obv__order_place(&entry->rank)
                         : place);
        }
        place += (size_t)node->counts;
    }
}

static void cut_gone_run(struct obv__derived_edit *edit,
                         const struct obv_edit_run *run, size_t position)
{
    struct obv__order_tree cut = {
        .root =
            obv__order_cut(&edit->derivation->entries, position, run->count)};
    struct obv__order_node *node = obv__order_at(&cut, 0);
    while (node) {
        struct obv__derived_entry *entry = obv__derived_entry_of(node);
        node = obv__order_next(node);
        if (!entry->node.mark) {
            entry->next_leaving = edit->leaving;
            edit->leaving = entry;
        }
    }
}

/* Those of the runs are the first. */
static void take_gone_runs(struct obv__derived_edit *edit,
                           const struct obv_edit_run *runs, size_t count)
{
    size_t cut = 0;
    for (size_t i = 0; i < count && is_gone_run(&runs[i]); i++) {
        note_gone_run(edit, &runs[i]);
    }
    if (edit->array) {
        obv__derived_take_gone_out(edit);
    }
    for (size_t i = 0; i < count && is_gone_run(&runs[i]); i++) {
        cut_gone_run(edit, &runs[i], runs[i].before - cut);
        cut += runs[i].count;
    }
}

/* In their groups they stand elsewhere perhaps. */
static void note_moving(struct obv__derived_edit *edit,
                        struct obv__order_node *node, size_t count)
{
    for (; count != 0; count--, node = obv__order_next(node)) {
        if (node->counts) {
            struct obv__derived_change *change =
                &edit->changes[edit->change_count + edit->moved_count];
            change->entry = obv__derived_entry_of(node);
            change->entry->rank.mark = true;
            edit->moved[edit->moved_count++] = change;
        }
    }
}

/* By the first node of each, while all stand where they did; answers how many
   there are. */
static size_t note_moved_runs(struct obv__derived_edit *edit,
                              const struct obv_edit_run *runs, size_t count)
{
    size_t moved = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_moved_run(&runs[i])) {
            edit->moved_runs[i] =
                obv__order_at(&edit->derivation->entries, runs[i].before);
            moved++;
            if (!edit->array && !edit->derivation->kind->compare) {
                note_moving(edit, edit->moved_runs[i], runs[i].count);
            }
        }
    }
    return moved;
}

/* The part of the source in which something moves. */
struct moving_part {
    size_t from, end;
};

static void widen_part(struct moving_part *part, size_t position, size_t count)
{
    part->from = position < part->from ? position : part->from;
    part->end = position + count > part->end ? position + count : part->end;
}

/* A run that has moved stands where those in front of it that do not come make
   it stand. */
static struct moving_part measure_moves(const struct obv__derived_edit *edit,
                                        const struct obv_edit_run *runs,
                                        size_t count)
{
    struct moving_part part = {SIZE_MAX, 0};
    size_t come = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_moved_run(&runs[i])) {
            widen_part(&part, obv__order_place(edit->moved_runs[i]),
                       runs[i].count);
            widen_part(&part, runs[i].now - come, runs[i].count);
        } else if (!is_gone_run(&runs[i])) {
            come += runs[i].count;
        }
    }
    return part;
}

/* All are taken out before any is put in: in front of its place each has those
   that stay there, then. */
static void make_moves(struct obv__derived_edit *edit,
                       const struct obv_edit_run *runs, size_t count)
{
    struct obv__order_tree *entries = &edit->derivation->entries;
    struct obv__order_node **cut = edit->moved_runs;
    size_t come = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_moved_run(&runs[i])) {
            cut[i] = obv__order_cut(entries, obv__order_place(cut[i]),
                                    runs[i].count);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (is_moved_run(&runs[i])) {
            obv__order_paste(entries, cut[i], runs[i].now - come);
        } else if (!is_gone_run(&runs[i])) {
            come += runs[i].count;
        }
    }
}

/* The only one among the runs. */
static void move_run(struct obv__derived_edit *edit,
                     const struct obv_edit_run *runs, size_t count)
{
    const struct obv__order_tree *entries = &edit->derivation->entries;
    size_t i = 0;
    while (!is_moved_run(&runs[i])) {
        i++;
    }
    const struct obv__order_node *first = edit->moved_runs[i];
    size_t end = obv__order_place(first) + runs[i].count;
    edit->from = obv__order_weight_before(first);
    edit->moves = obv__order_weight_before_place(entries, end) - edit->from;
    make_moves(edit, runs, count);
    edit->to = obv__order_weight_before(first);
    edit->moves = edit->from == edit->to ? 0 : edit->moves;
}

static void move_runs(struct obv__derived_edit *edit,
                      const struct obv_edit_run *runs, size_t count)
{
    struct obv_derivation *derivation = edit->derivation;
    const struct obv__order_tree *entries = &derivation->entries;
    struct moving_part part = measure_moves(edit, runs, count);
    edit->from = obv__order_weight_before_place(entries, part.from);
    edit->moves =
        obv__order_weight_before_place(entries, part.end) - edit->from;
    obv__derived_mark_places(derivation, obv__order_at(entries, part.from),
                             edit->from, edit->moves);
    make_moves(edit, runs, count);
    obv__derived_write_order(edit, obv__order_at(entries, part.from));
}

/* In a sorted array nothing moves. */
static void move_in_source(struct obv__derived_edit *edit,
                           const struct obv_edit_run *runs, size_t count,
                           size_t moved)
{
    if (moved != 0 && obv__derived_is_sorted(edit->derivation)) {
        make_moves(edit, runs, count);
    } else if (moved == 1) {
        move_run(edit, runs, count);
    } else if (moved > 1) {
        move_runs(edit, runs, count);
    }
}

/* From the entry that has it. */
static void take_key(struct obv__derived_key *key,
                     struct obv__derived_entry *entry)
{
    if (key->entry) {
        key->entry->key = NULL;
    }
    key->entry = entry;
    entry->key = key;
}

/* The changes of a run that has come. */
static void enter_run(struct obv__derived_edit *edit,
                      const struct obv_edit_run *run,
                      struct obv__derived_change *changes)
{
    struct obv__order_tree *entries = &edit->derivation->entries;
    struct obv__order_tree come = {.seed = entries->seed};
    for (size_t i = 0; i < run->count; i++) {
        struct obv__order_node *node = &changes[i].entry->node;
        obv__order_append(
            &come, node, changes[i].stays ? node->counts : changes[i].is_shown);
        if (changes[i].key) {
            take_key(changes[i].key, changes[i].entry);
        }
        if (changes[i].is_shown) {
            add_come(edit, &changes[i]);
        }
    }
    entries->seed = come.seed;
    obv__order_paste(entries, come.root, run->now);
}

static void enter_runs(struct obv__derived_edit *edit,
                       const struct obv_edit_run *runs, size_t count)
{
    struct obv__derived_change *changes = edit->changes;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].before == OBV_NOWHERE) {
            enter_run(edit, &runs[i], changes);
            changes += runs[i].count;
        }
    }
}

/* Where those that come will stand. Of a sorted array the program is asked; of
   any other they are in the order of the source already. */
static void find_places(struct obv__derived_edit *edit)
{
    if (obv__derived_is_sorted(edit->derivation)) {
        obv__derived_merge_in(edit, edit->come, edit->come_count);
    } else {
        for (size_t i = 0; i < edit->come_count; i++) {
            edit->come[i]->place =
                obv__order_weight_before(&edit->come[i]->entry->node);
        }
    }
}

/* What has happened -------------------------------------------------------- */

bool obv__derived_has_come_again(const struct obv_derivation *derivation,
                                 const struct obv_value *gone,
                                 const void *element)
{
    switch (gone->kind) {
    case OBV_KIND_object:
        return gone->as.object == element && (gone->is_held || !element);
    case OBV_KIND_string:
        return gone->as.string && element
                   ? strcmp(gone->as.string, element) == 0
                   : (const void *)gone->as.string == element;
    case OBV_KIND_pointer:
        return gone->as.pointer == element && !obv__derived_maps(derivation);
    default:
        return false;
    }
}

static void keep_same(struct obv__derived_edit *edit,
                      const struct obv_edit_run *gone,
                      const struct obv_edit_run *come,
                      struct obv__derived_change *changes)
{
    const struct obv_derivation *derivation = edit->derivation;
    struct obv__order_node *node =
        obv__order_at(&derivation->entries, gone->before);
    for (size_t i = 0; i < gone->count && i < come->count; i++) {
        if (obv__derived_has_come_again(
                derivation, &gone->gone[i],
                obv__derived_source_at(derivation, come->now + i))) {
            changes[i].stays = node->mark = true;
            changes[i].entry = obv__derived_entry_of(node);
        }
        node = obv__order_next(node);
    }
}

/* An element that is replaced by an equal one at its place has not left. Where
   nothing moves, those that go and those that come there have as many in front
   of them that stay. */
static void keep_what_stays(struct obv__derived_edit *edit,
                            const struct obv_edit_run *runs, size_t count)
{
    struct obv__derived_change *changes = edit->changes;
    const struct obv_edit_run *gone = runs, *end = runs + count;
    size_t were = 0, are = 0; /* those that go, and come, in front */
    for (const struct obv_edit_run *come = runs; come < end; come++) {
        if (is_gone_run(come)) {
            continue;
        }
        while (is_gone_run(gone) && gone->before - were < come->now - are) {
            were += gone++->count;
        }
        if (is_gone_run(gone) && gone->gone &&
            gone->before - were == come->now - are) {
            keep_same(edit, gone, come, changes);
        }
        are += come->count;
        changes += come->count;
    }
}

static enum obv_status read_run(struct obv_derivation *derivation,
                                const struct obv_edit_run *run,
                                struct obv__derived_change *changes)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < run->count; i++) {
        if (!changes[i].stays) {
            status = obv__derived_read(derivation, &changes[i], run->now + i);
        }
    }
    return status;
}

static enum obv_status enter_changes(struct obv__derived_edit *edit,
                                     const struct obv_edit_run *runs,
                                     size_t count, size_t moved)
{
    struct obv_derivation *derivation = edit->derivation;
    struct obv__derived_change *changes = edit->changes;
    enum obv_status status = OBV_OK;
    if (moved == 0) {
        keep_what_stays(edit, runs, count);
    }
    for (size_t i = 0; status == OBV_OK && i < count; i++) {
        if (runs[i].before == OBV_NOWHERE) {
            status = read_run(derivation, &runs[i], changes);
            changes += runs[i].count;
        }
    }
    /* The source may be edited from here on. */
    for (size_t i = 0; status == OBV_OK && i < edit->change_count; i++) {
        if (!edit->changes[i].stays) {
            status = obv__derived_enter(derivation, &edit->changes[i]);
        }
    }
    return status;
}

static struct derived_need need_of_runs(const struct obv_derivation *derivation,
                                        const struct obv_edit_run *runs,
                                        size_t count)
{
    struct derived_need need = {.runs = count};
    size_t moved = 0;
    for (size_t i = 0; i < count; i++) {
        moved += is_moved_run(&runs[i]);
        need.moving += is_moved_run(&runs[i]) && derivation->kind->key &&
                               !derivation->kind->compare
                           ? runs[i].count
                           : 0;
        need.gone += is_gone_run(&runs[i]) ? runs[i].count : 0;
        need.asked += runs[i].before == OBV_NOWHERE ? runs[i].count : 0;
    }
    need.moved = moved;
    need.may_reorder = derivation->kind->key
                           ? moved != 0 && !derivation->kind->compare
                           : moved > 1 && !derivation->kind->compare;
    return need;
}

static void make_runs(struct obv__derived_edit *edit,
                      const struct obv_edit_run *runs, size_t count)
{
    size_t moved = note_moved_runs(edit, runs, count);
    take_gone_runs(edit, runs, count);
    move_in_source(edit, runs, count, moved);
    enter_runs(edit, runs, count);
    if (edit->array) {
        find_places(edit);
        obv__derived_make(edit);
    } else {
        obv__derived_make_groups(edit);
    }
}

enum obv_status obv__derived_follow_runs(struct obv_derivation *derivation,
                                         const struct obv_edit_run *runs,
                                         size_t count,
                                         struct obv__derived_key *const *keys)
{
    struct obv__derived_edit edit;
    const struct derived_need need = need_of_runs(derivation, runs, count);
    enum obv_status status = begin_derived_edit(&edit, derivation, &need);
    edit.are_new = true;
    for (size_t i = 0; keys && i < edit.change_count; i++) {
        edit.changes[i].key = keys[i];
    }
    if (status == OBV_OK) {
        status = enter_changes(&edit, runs, count, need.moved);
    }
    if (status == OBV_OK) {
        status = ask_all_changes(&edit);
    }
    if (status != OBV_OK) {
        give_up_edit(&edit);
        return status;
    }
    make_runs(&edit, runs, count);
    finish_edit(&edit);
    return OBV_OK;
}

/* Asking again ------------------------------------------------------------- */

/* An element that stays what it is stands elsewhere perhaps; one that is mapped
   goes, and the other comes. */
static void note_answer(struct obv__derived_edit *edit,
                        struct obv__derived_change *change)
{
    struct obv_derivation *derivation = edit->derivation;
    struct obv__derived_entry *entry = change->entry;
    bool was_shown = entry->node.counts;
    if (was_shown && change->is_shown && !obv__derived_maps(derivation) &&
        (edit->array || entry->group == change->group)) {
        if (derivation->kind->compare) {
            entry->rank.mark = true;
            edit->moved[edit->moved_count++] = change;
        }
        return;
    }
    if (was_shown) {
        add_gone(edit, entry, place_of_entry(derivation, entry));
    }
    if (change->is_shown) {
        edit->scratch[edit->come_count++] = change;
    }
}

static void show_answers(struct obv__derived_edit *edit)
{
    size_t come = edit->come_count;
    edit->come_count = 0;
    for (size_t i = 0; i < edit->gone_count; i++) {
        obv__order_set_counts(&edit->gone[i].entry->node, false);
    }
    for (size_t i = 0; i < come; i++) {
        obv__order_set_counts(&edit->scratch[i]->entry->node, true);
        add_come(edit, edit->scratch[i]);
    }
}

static int by_come_place(const void *a, const void *b)
{
    const struct obv__derived_change *const *left = a, *const *right = b;
    return ((*left)->place > (*right)->place) -
           ((*left)->place < (*right)->place);
}

static void make_answers(struct obv__derived_edit *edit)
{
    for (size_t i = 0; i < edit->change_count; i++) {
        note_answer(edit, &edit->changes[i]);
    }
    if (!edit->array) {
        show_answers(edit);
        obv__derived_make_groups(edit);
        return;
    }
    obv__derived_take_gone_out(edit);
    show_answers(edit);
    if (obv__derived_is_sorted(edit->derivation)) {
        obv__derived_move_in_sorted_order(edit);
    }
    find_places(edit);
    if (edit->come_count > 1) {
        qsort(edit->come, edit->come_count,
              sizeof(struct obv__derived_change *), by_come_place);
    }
    obv__derived_make(edit);
}

static enum obv_status ask_again(struct obv__derived_edit *edit,
                                 enum obv_status status)
{
    if (status == OBV_OK) {
        status = ask_all_changes(edit);
    }
    if (status != OBV_OK) {
        give_up_edit(edit);
        return status;
    }
    make_answers(edit);
    finish_edit(edit);
    return OBV_OK;
}

static struct derived_need need_to_ask(const struct obv_derivation *derivation,
                                       size_t count)
{
    return (struct derived_need){.asked = count,
                                 .gone = count,
                                 .may_reorder =
                                     count > 1 && derivation->kind->compare};
}

static enum obv_status hold_entries(struct obv_derivation *derivation,
                                    const struct obv__derived_object *object,
                                    struct obv__derived_change **change)
{
    enum obv_status status = OBV_OK;
    struct obv__derived_entry *entry = object->entries;
    for (; status == OBV_OK && entry; entry = entry->next_of_object) {
        (*change)->entry = entry;
        (*change)->key = entry->key;
        status = obv__derived_hold(derivation, (*change)++, object->object);
    }
    return status;
}

/* The program's code runs. */
static void end_unneeded(struct obv_derivation *derivation,
                         struct obv__derived_object *first)
{
    while (first) {
        struct obv__derived_object *object = first;
        first = object->next_changed;
        object->has_changed = false;
        obv__derived_end_unless_needed(derivation, object);
    }
}

/* What has changed is wrong all at once. */
enum obv_status obv__derived_ask_changed(struct obv_derivation *derivation)
{
    struct obv__derived_edit edit;
    const struct derived_need need =
        need_to_ask(derivation, obv__derived_count_changed(derivation));
    enum obv_status status = begin_derived_edit(&edit, derivation, &need);
    struct obv__derived_change *change = edit.changes;
    struct obv__derived_object *unneeded = NULL;
    while (status == OBV_OK && derivation->changed) {
        struct obv__derived_object *object =
            obv__derived_next_changed(derivation);
        status = hold_entries(derivation, object, &change);
        if (!object->entries) {
            object->has_changed = true; /* in no queue: the list is another */
            object->next_changed = unneeded;
            unneeded = object;
        }
    }
    end_unneeded(derivation, unneeded);
    return ask_again(&edit, status);
}

enum obv_status obv__derived_ask_all(struct obv_derivation *derivation)
{
    struct obv__derived_edit edit;
    size_t count = obv__order_count(derivation->entries.root);
    const struct derived_need need = need_to_ask(derivation, count);
    enum obv_status status = begin_derived_edit(&edit, derivation, &need);
    struct obv__order_node *node = NULL;
    for (size_t i = 0; status == OBV_OK && i < count; i++) {
        struct obv__derived_change *change = &edit.changes[i];
        node = node ? obv__order_next(node)
                    : obv__order_at(&derivation->entries, 0);
        change->entry = obv__derived_entry_of(node);
        change->key = change->entry->key;
        status = obv__derived_read(derivation, change, i);
    }
    return ask_again(&edit, status);
}
