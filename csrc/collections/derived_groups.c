/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups: a derived dictionary of arrays. The entries of the source are as of a
 * derived array; each that is shown stands in the order of its group. One edit
 * of the source is one edit of each group that it touches, and one of the
 * dictionary, if groups come or go.
 */
#include "collections/derived.h"

#include "model/key.h"

#include <observable/dictionary.h>

#include <stdlib.h>

/* By what the arrays of groups are edited: they know nobody, since they may
   outlive the dictionary. */
static struct obv_derivation of_a_group;

static struct obv_context *
context_of_groups(const struct obv_derivation *derivation)
{
    return derivation->owner->kind->context;
}

static struct obv__derived_group *group_of_link(struct obv_hash_entry *link)
{
    return (struct obv__derived_group *)(void *)link;
}

/* Groups ------------------------------------------------------------------- */

static void free_group(struct obv_derivation *derivation,
                       struct obv__derived_group *group)
{
    struct obv_context *context = context_of_groups(derivation);
    if (group->pair && !group->is_listed) {
        obv__dictionary_free_pair(derivation->dictionary, group->pair);
    }
    obv_array_release(group->array);
    obv__key_release(context, group->key);
    obv__keys_free_gone(context);
    obv__context_free(context, group, sizeof *group);
}

static void end_group(struct obv_derivation *derivation,
                      struct obv__derived_group *group)
{
    obv__hash_table_take(&derivation->groups,
                         &context_of_groups(derivation)->allocator,
                         &group->by_number);
    free_group(derivation, group);
}

/* Takes the key; NULL: no memory. */
static struct obv__derived_group *make_group(struct obv_derivation *derivation,
                                             struct obv__key *key)
{
    struct obv_context *context = context_of_groups(derivation);
    struct obv__derived_group *group =
        obv__context_allocate_zeroed(context, sizeof *group);
    if (!group) {
        obv__key_release(context, key);
        obv__keys_free_gone(context);
        return NULL;
    }
    group->key = key;
    obv__order_init(&group->ranks);
    if (obv_array_create(derivation->group_class, &group->array, NULL) ==
        OBV_OK) {
        group->array->collection.derivation = &of_a_group;
        group->pair = obv__dictionary_make_pair(derivation->dictionary,
                                                key->value, group->array);
    }
    if (!group->pair) {
        free_group(derivation, group);
        return NULL;
    }
    obv__hash_table_add(&derivation->groups, &context->allocator,
                        &group->by_number, key->number);
    group->next_new = derivation->new_groups;
    derivation->new_groups = group;
    return group;
}

enum obv_status obv__derived_find_group(struct obv_derivation *derivation,
                                        const void *key,
                                        struct obv__derived_group **group)
{
    struct obv_context *context = context_of_groups(derivation);
    const struct obv_key_kind *kind =
        derivation->dictionary->collection.kind->container.key;
    const struct obv__key_asked asked = {kind, key, kind->hash(kind, key)};
    struct obv__key *taken = obv__key_take(context, &asked, true);
    if (!taken) {
        return OBV_E_MEMORY;
    }
    struct obv_hash_entry *found =
        obv__hash_table_find(&derivation->groups, taken->number);
    if (found) {
        obv__key_release(context, taken);
        *group = group_of_link(found);
        return OBV_OK;
    }
    *group = make_group(derivation, taken);
    return *group ? OBV_OK : OBV_E_MEMORY;
}

void obv__derived_give_up_groups(struct obv_derivation *derivation)
{
    while (derivation->new_groups) {
        struct obv__derived_group *group = derivation->new_groups;
        derivation->new_groups = group->next_new;
        if (!group->is_listed) {
            end_group(derivation, group);
        }
    }
}

void obv__derived_end_groups(struct obv_derivation *derivation)
{
    struct obv_hash_table *table = &derivation->groups;
    struct obv__derived_group *first = NULL;
    struct obv_hash_entry *link = obv__hash_table_next(table, NULL);
    for (; link; link = obv__hash_table_next(table, link)) {
        group_of_link(link)->next_gone = first;
        first = group_of_link(link);
    }
    obv__hash_table_deinit(table, &context_of_groups(derivation)->allocator);
    while (first) {
        struct obv__derived_group *group = first;
        first = group->next_gone;
        free_group(derivation, group);
    }
}

/* Beginning ---------------------------------------------------------------- */

enum obv_status obv__derived_expect(struct obv__derived_edit *edit)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; i < edit->change_count; i++) {
        struct obv__derived_group *group = edit->changes[i].group;
        if (group) {
            group->expected++;
        }
    }
    for (size_t i = 0; i < edit->change_count; i++) {
        struct obv__derived_group *group = edit->changes[i].group;
        if (group && status == OBV_OK) {
            status = obv__array_make_room(group->array, group->array->count +
                                                            group->expected);
        }
        if (group) {
            group->expected = 0;
        }
    }
    return status;
}

/* The edit of each group --------------------------------------------------- */

static struct obv__derived_edit *edit_of(struct obv__derived_edit *edit,
                                         struct obv__derived_group *group,
                                         size_t *count)
{
    if (!group->edit) {
        group->edit = &edit->edits[(*count)++];
        *group->edit =
            (struct obv__derived_edit){.derivation = edit->derivation,
                                       .array = group->array,
                                       .ranks = &group->ranks,
                                       .group = group,
                                       .scratch = edit->scratch};
    }
    return group->edit;
}

/* How many edits there are, each with its counts. */
static size_t count_by_group(struct obv__derived_edit *edit)
{
    size_t count = 0;
    for (size_t i = 0; i < edit->gone_count; i++) {
        edit_of(edit, edit->gone[i].group, &count)->gone_count++;
    }
    for (size_t i = 0; i < edit->come_count; i++) {
        edit_of(edit, edit->come[i]->group, &count)->come_count++;
    }
    for (size_t i = 0; i < edit->moved_count; i++) {
        edit_of(edit, edit->moved[i]->entry->group, &count)->moved_count++;
    }
    return count;
}

static int by_edit(const struct obv__derived_group *a,
                   const struct obv__derived_group *b)
{
    return (a->edit > b->edit) - (a->edit < b->edit);
}

static int gone_by_edit(const void *a, const void *b)
{
    const struct obv__derived_gone *left = a, *right = b;
    return by_edit(left->group, right->group);
}

static int come_by_edit(const void *a, const void *b)
{
    const struct obv__derived_change *const *left = a, *const *right = b;
    return by_edit((*left)->group, (*right)->group);
}

static int moved_by_edit(const void *a, const void *b)
{
    const struct obv__derived_change *const *left = a, *const *right = b;
    return by_edit((*left)->entry->group, (*right)->entry->group);
}

static void sort_by_group(struct obv__derived_edit *edit)
{
    if (edit->gone_count > 1) {
        qsort(edit->gone, edit->gone_count, sizeof *edit->gone, gone_by_edit);
    }
    if (edit->come_count > 1) {
        qsort(edit->come, edit->come_count,
              sizeof(struct obv__derived_change *), come_by_edit);
    }
    if (edit->moved_count > 1) {
        qsort(edit->moved, edit->moved_count,
              sizeof(struct obv__derived_change *), moved_by_edit);
    }
}

/* Each has a stretch of everything. */
static void share_out(struct obv__derived_edit *edit, size_t count)
{
    size_t gone = 0, come = 0, moved = 0, told = 0, ordered = 0;
    for (size_t i = 0; i < count; i++) {
        struct obv__derived_edit *one = &edit->edits[i];
        one->gone = edit->gone + gone;
        one->old = edit->old + gone;
        one->come = edit->come + come;
        one->moved = edit->moved + moved;
        one->told = edit->told + told;
        one->order = edit->order + ordered;
        one->elements = edit->elements + ordered;
        gone += one->gone_count;
        come += one->come_count;
        moved += one->moved_count;
        told += one->gone_count + one->come_count + (one->moved_count != 0);
        ordered +=
            one->moved_count > 1 ? obv__order_count(one->ranks->root) : 0;
    }
}

static void find_places_in_group(struct obv__derived_edit *one)
{
    obv__derived_move_in_sorted_order(one);
    obv__derived_merge_in(one, one->come, one->come_count);
}

/* The dictionary ----------------------------------------------------------- */

static void list_group(struct obv_derivation *derivation,
                       struct obv__derived_group *group,
                       struct obv__derived_group **gone,
                       struct obv_container_edit *told, size_t *count)
{
    bool is_empty = obv__order_count(group->ranks.root) == 0;
    group->edit = NULL;
    if (is_empty && group->is_listed) {
        obv__dictionary_take_pair(derivation->dictionary, group->pair,
                                  &told[(*count)++]);
        group->is_listed = false;
        group->next_gone = *gone;
        *gone = group;
    } else if (!is_empty && !group->is_listed) {
        obv__dictionary_put_pair(derivation->dictionary, group->pair,
                                 &told[(*count)++]);
        group->is_listed = true;
    }
}

/* The groups have been told; now who looks at them is told which there are. */
static void list_groups(struct obv__derived_edit *edit, size_t count)
{
    struct obv_derivation *derivation = edit->derivation;
    struct obv__derived_group *gone = NULL;
    size_t told = 0;
    for (size_t i = 0; i < count; i++) {
        list_group(derivation, edit->edits[i].group, &gone, edit->told, &told);
    }
    if (told != 0) {
        obv__collection_tell(&derivation->dictionary->collection, edit->told,
                             told);
    }
    while (gone) {
        struct obv__derived_group *group = gone;
        gone = group->next_gone;
        end_group(derivation, group);
    }
}

void obv__derived_make_groups(struct obv__derived_edit *edit)
{
    size_t count = count_by_group(edit);
    sort_by_group(edit);
    share_out(edit, count);
    /* From all of them, before anything goes over from the one to the other. */
    for (size_t i = 0; i < count; i++) {
        obv__derived_take_gone_out(&edit->edits[i]);
    }
    for (size_t i = 0; i < count; i++) {
        find_places_in_group(&edit->edits[i]);
    }
    for (size_t i = 0; i < count; i++) {
        obv__derived_make(&edit->edits[i]);
    }
    list_groups(edit, count);
}
