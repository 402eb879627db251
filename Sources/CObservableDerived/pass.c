/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pass, after its changes are gathered: calls the program's functions,
 * changes the trees, and turns the positions before and after into edits of
 * each list.
 */
#include "derivation.h"

#include <string.h>

/* Asking ------------------------------------------------------------------- */

static struct obv_derived_list *new_group(struct obv_derivation *derivation,
                                          const void *key)
{
    struct obv_derived_list *list =
        allocate(derivation->binding, 1, sizeof *list);
    if (!list) {
        return NULL;
    }
    *list = (struct obv_derived_list){.derivation = derivation};
    list->number = ++derivation->last_number;
    list->key = copy_key(derivation, key, derivation->keys);
    if (list->key && !derivation->kind->is_distinct) {
        list->group = derivation->binding->begin_group(list, list->key,
                                                       derivation->bound);
    }
    table_add(derivation, &derivation->groups, &list->link,
              derivation->keys->hash(derivation->keys, key));
    if (!list->key || (!list->group && !derivation->kind->is_distinct)) {
        end_group(list);
        return NULL;
    }
    return list;
}

static void touch(struct obv_derived_list *list)
{
    if (list && !list->is_touched) {
        list->is_touched = true;
        list->next_touched = list->derivation->touched;
        list->derivation->touched = list;
    }
}

/* Whether `map` has made a value in this pass that the entry does not have
   yet. */
static bool is_made(const struct change *change)
{
    const struct entry *entry = change->entry;
    return change->is_mapped &&
           !(entry->is_mapped && entry->shown == change->shown);
}

enum obv_status ask(struct pass *pass, struct change *change)
{
    struct obv_derivation *derivation = pass->derivation;
    const struct obv_derived_kind *kind = derivation->kind;
    void *argument = derivation->argument;
    unsigned questions = change->questions;
    struct entry *entry = change->entry;
    if (questions == 0) {
        return OBV_OK;
    }
    bool is_wanted = entry->is_included, was_made = is_made(change);
    void *made = change->shown;
    struct obv_derived_list *list = is_wanted ? change->list : NULL;
    if (is_wanted && kind->key && (questions & OBV_DERIVED_ORDER || !list)) {
        const void *key = kind->key(&entry->element, argument);
        list = key ? find_group(derivation, key) : NULL;
        if (key && !list && !(list = new_group(derivation, key))) {
            return OBV_E_MEMORY;
        }
        is_wanted = list != NULL;
        touch(list);
    } else if (is_wanted && kind->compare) {
        list = &derivation->all;
    }
    if (is_wanted && kind->map &&
        (questions & OBV_DERIVED_TRANSFORM || !change->is_mapped)) {
        void *mapped = change->is_mapped ? change->shown : NULL;
        is_wanted = kind->map(entry->key, &entry->element, &mapped, argument);
        list = is_wanted ? list : NULL;
        change->shown = mapped;
    }
    change->is_mapped = is_wanted && kind->map;
    if (!change->is_mapped) {
        change->shown = NULL;
    }
    change->list = list;
    change->is_shown = is_wanted;
    /* A value that an earlier question of this pass made is replaced, and no
       list has shown it: it has left. */
    if (was_made && !(change->is_mapped && change->shown == made) &&
        kind->left) {
        kind->left(made, argument);
    }
    return OBV_OK;
}

/* Orders ------------------------------------------------------------------- */

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_elements(const struct entry *a, const struct entry *b)
{
    const struct obv_derivation *derivation = a->watch.derivation;
    return derivation->kind->compare
               ? derivation->kind->compare(&a->element, &b->element,
                                           derivation->argument)
               : 0;
}

static uint32_t place_of(struct change *change)
{
    if (change->now == UNKNOWN) {
        change->now = order_before(&change->entry->item).count;
    }
    return change->now;
}

/* Elements of equal rank stand in the order of the source. */
static int compare_rank(const struct order_item *rank, void *thing)
{
    struct change *change = thing;
    const struct entry *entry = entry_of_rank(rank);
    int order = by_number(entry->list->number, change->list->number);
    order = order ? order : compare_elements(entry, change->entry);
    return order
               ? order
               : by_number(order_before(&entry->item).count, place_of(change));
}

typedef int comparison(struct change *a, struct change *b);

static int by_key(struct change *a, struct change *b)
{
    return by_number(a->key, b->key);
}

static int by_rank(struct change *a, struct change *b)
{
    int order = by_number(a->list->number, b->list->number);
    order = order ? order : compare_elements(a->entry, b->entry);
    return order ? order : by_number(place_of(a), place_of(b));
}

/* A merge sort, since what contradicts itself must not harm it. */
static void sort_changes(struct change **changes, struct change **scratch,
                         size_t count, comparison *compare)
{
    size_t half = count / 2, left = 0, right = half, at = 0;
    if (count < 2) {
        return;
    }
    sort_changes(changes, scratch, half, compare);
    sort_changes(changes + half, scratch, count - half, compare);
    if (compare(changes[half - 1], changes[half]) <= 0) {
        return;
    }
    memcpy(scratch, changes, count * sizeof *changes);
    while (at < count) {
        bool is_left =
            right == count ||
            (left < half && compare(scratch[left], scratch[right]) <= 0);
        changes[at++] = is_left ? scratch[left++] : scratch[right++];
    }
}

/* Room --------------------------------------------------------------------- */

/* Allocates all that the commit needs, so that the commit cannot fail. */
enum obv_status prepare(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    const struct obv_derived_binding *binding = derivation->binding;
    size_t count = derivation->entries.size.count, moves = 0;
    size_t given = pass->count, all = given, placed = 0, ranked = 0;
    size_t listed = derivation->groups.count - derivation->listed.size.count;
    if (is_placed(derivation)) {
        all += 4 * given + (derivation->is_resliced ? 2 * count : 0);
    }
    for (EACH_CHANGE(change, pass)) {
        placed += change->is_new || change->is_moved;
        ranked += change->list != NULL;
        moves += !change->is_new && is_reranked(change);
    }
    if (!reserve_changes(pass, all) ||
        !order_reserve(&derivation->entries, placed, binding) ||
        !order_reserve(&derivation->ranks, ranked, binding) ||
        !order_reserve(&derivation->listed, listed, binding)) {
        return OBV_E_MEMORY;
    }
    if (moves > 1) {
        moves = 2 * (count + given);
    }
    size_t edits = 3 * all + 1;
    pass->block_size = edits * sizeof *pass->told + all * sizeof *pass->old +
                       4 * all * sizeof *pass->sorted +
                       moves * sizeof *pass->order;
    pass->block = allocate(binding, 1, pass->block_size);
    if (!pass->block) {
        return OBV_E_MEMORY;
    }
    pass->told = pass->block;
    pass->old = (void **)(pass->told + edits);
    pass->sorted = (struct change **)(pass->old + all);
    pass->scratch = pass->sorted + all;
    pass->was = pass->scratch + all;
    pass->now = pass->was + all;
    pass->order = (size_t *)(pass->now + all);
    return OBV_OK;
}

/* Telling ------------------------------------------------------------------ */

static void flush(struct pass *pass, struct obv_derived_list *list)
{
    struct obv_derivation *derivation = pass->derivation;
    if (pass->told_count != 0 && !derivation->has_ended &&
        (derivation->is_begun || (list && list->group))) {
        derivation->binding->edited(list, list ? list->group : NULL, pass->told,
                                    pass->told_count, derivation->bound);
    }
    pass->told_count = pass->old_count = pass->order_count = 0;
}

static struct obv_container_edit *add_edit(struct pass *pass, size_t position)
{
    struct obv_container_edit *edit = &pass->told[pass->told_count++];
    *edit = (struct obv_container_edit){.position = position};
    return edit;
}

static void tell_gone(struct pass *pass, size_t position, void *old)
{
    struct obv_container_edit *edit =
        pass->told_count != 0 ? &pass->told[pass->told_count - 1] : NULL;
    pass->old[pass->old_count++] = old;
    if (!edit || edit->position != position || edit->moved != 0) {
        edit = add_edit(pass, position);
        edit->old = &pass->old[pass->old_count - 1];
    }
    edit->removed++;
}

static void tell_come(struct pass *pass, size_t position)
{
    struct obv_container_edit *edit =
        pass->told_count != 0 ? &pass->told[pass->told_count - 1] : NULL;
    if (!edit || edit->inserted == 0 ||
        edit->position + edit->inserted != position) {
        edit = add_edit(pass, position);
    }
    edit->inserted++;
}

static void tell_moved(struct pass *pass, struct change *const *moved,
                       size_t count)
{
    size_t low = SIZE_MAX, high = 0;
    bool is_run = true, differs = false;
    for (size_t i = 0; i < count; i++) {
        size_t from = moved[i]->old_position, to = moved[i]->position;
        size_t least = from < to ? from : to, most = from < to ? to : from;
        is_run = is_run && from == moved[0]->old_position + i &&
                 to == moved[0]->position + i;
        differs = differs || from != to;
        low = least < low ? least : low;
        high = most + 1 > high ? most + 1 : high;
    }
    if (!differs) {
        return;
    }
    if (is_run) {
        struct obv_container_edit *edit =
            add_edit(pass, moved[0]->old_position);
        edit->moved = count;
        edit->to = moved[0]->position;
        return;
    }
    /* The elements between them that stay fill the remaining places. */
    size_t *order = pass->order + pass->order_count, *taken;
    taken = order + (high - low);
    memset(taken, 0, (high - low) * sizeof *taken);
    for (size_t i = 0; i < count; i++) {
        taken[moved[i]->position - low] = 1;
    }
    size_t next = 0, to = 0;
    for (size_t at = low; at < high; at++) {
        if (next < count && moved[next]->old_position == at) {
            order[at - low] = moved[next++]->position - low;
            continue;
        }
        while (taken[to]) {
            to++;
        }
        order[at - low] = to++;
    }
    struct obv_container_edit *edit = add_edit(pass, low);
    edit->moved = high - low;
    edit->order = order;
    pass->order_count += 2 * (high - low);
}

/* Tells those that leave, and then those that move. */
static void tell_was(struct pass *pass, struct change **was, size_t count)
{
    size_t moved = 0;
    for (size_t i = 0; i < count; i++) {
        was[i]->old_position -= (uint32_t)(i - moved);
        if (was[i]->leaves) {
            tell_gone(pass, was[i]->old_position, was[i]->old_shown);
        } else {
            was[moved++] = was[i];
        }
    }
    tell_moved(pass, was, moved);
}

/* Commit ------------------------------------------------------------------- */

/* Decides what becomes of an entry. If elements are shown by their places
   (is_placed), choose_distinct() or choose_slice() decides later who comes. */
static void decide(const struct pass *pass, struct change *change)
{
    const struct obv_derivation *derivation = pass->derivation;
    struct entry *entry = change->entry;
    if (change->is_gone) {
        change->list = NULL;
        change->is_shown = change->is_mapped = false;
    }
    change->is_taken =
        entry->list && (entry->list != change->list || is_reranked(change));
    const void *shown = change->is_mapped ? change->shown : entry->element;
    bool stays = change->was_shown && change->is_shown &&
                 shown == change->old_shown &&
                 (!has_ranks(derivation) || change->list == change->old_list);
    change->leaves = change->was_shown && !stays;
    change->comes = change->is_shown && !stays && !is_placed(derivation);
    change->moves =
        stays && (is_by_rank(derivation) ? change->is_taken : change->is_moved);
    if (change->leaves && change->old_list &&
        change->old_list->shown == entry) {
        change->old_list->shown = NULL;
    }
    touch(change->old_list);
    touch(change->list);
}

/* Takes an entry out of its list. If its two neighbours are then out of order,
   an entry was inserted on the wrong side of this one, whose rank had changed
   before its watch was called: the whole order is asked again. */
static void take_out(struct obv_derivation *derivation, struct change *change)
{
    struct obv_derived_list *list = change->entry->list;
    struct order_item *rank = &change->entry->rank;
    const struct order_item *before = order_beside(rank, -1);
    struct order_item *behind = order_beside(rank, 1);
    if (list->first == change->entry) {
        list->first = behind ? entry_of_rank(behind) : NULL;
    }
    order_remove(&derivation->ranks, rank);
    list->count--;
    change->entry->list = NULL;
    if (!derivation->kind->compare || !before || !behind ||
        derivation->questions & OBV_DERIVED_ORDER ||
        entry_of_rank(before)->change != 0 ||
        entry_of_rank(behind)->change != 0) {
        return;
    }
    struct change second = {.entry = entry_of_rank(behind),
                            .list = entry_of_rank(behind)->list,
                            .now = UNKNOWN};
    if (compare_rank(before, &second) > 0) {
        derivation->questions |= OBV_DERIVED_ORDER;
    }
}

static void put_in_source_order(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    size_t count = 0;
    for (EACH_CHANGE(change, pass)) {
        if (change->place) {
            order_insert(&derivation->entries, &change->entry->item,
                         order_before(&change->place->item).count + 1, 0);
            continue;
        }
        if (change->is_new || change->is_moved) {
            change->key = change->now;
            pass->sorted[count++] = change;
        }
    }
    for (EACH_CHANGE(change, pass)) {
        if (change->is_gone || change->is_moved) {
            order_remove(&derivation->entries, &change->entry->item);
        }
    }
    sort_changes(pass->sorted, pass->scratch, count, by_key);
    for (size_t i = 0; i < count; i++) {
        struct change *change = pass->sorted[i];
        uint32_t now = change->now == UNKNOWN ? derivation->entries.size.count
                                              : change->now;
        order_insert(&derivation->entries, &change->entry->item, now,
                     change->entry->is_shown);
    }
}

static uint32_t *position_of(struct change *change, bool is_now)
{
    return is_now ? &change->position : &change->old_position;
}

/* Writes the positions of the changes in their lists, before the commit or
   after it, and sorts them by list and position. If the order is the source's
   and the changes are many, one walk finds all positions. */
static size_t number(struct pass *pass, bool is_now, struct change **numbered)
{
    struct obv_derivation *derivation = pass->derivation;
    bool is_ranked = is_by_rank(derivation);
    bool is_walk =
        !is_ranked && pass->count * 8 > derivation->entries.size.count;
    const struct order_item *item =
        is_walk ? order_first(&derivation->entries) : NULL;
    size_t count = 0;
    uint32_t at = 0, index = 0;
    for (EACH_CHANGE(change, pass)) {
        if (!change->moves && !(is_now ? change->comes : change->leaves)) {
            continue;
        }
        if (!is_walk) {
            *position_of(change, is_now) =
                is_ranked ? position_in(change->entry->list, change->entry)
                          : order_before(&change->entry->item).weight;
        }
        numbered[count++] = change;
    }
    for (; item && count != 0; item = order_next(item, &index)) {
        const struct entry *entry = entry_of_item(item);
        if (entry->change != 0) {
            *position_of(&pass->changes[entry->change - 1], is_now) = at;
        }
        at += entry->is_shown;
    }
    for (size_t i = 0; i < count; i++) {
        struct change *change = numbered[i];
        struct obv_derived_list **of =
            is_now ? &change->list : &change->old_list;
        /* Shown in the order of the source, all elements are one list. */
        *of = is_ranked ? *of : &derivation->all;
        change->key =
            (uint64_t)(*of)->number << 32 | *position_of(change, is_now);
    }
    sort_changes(numbered, pass->scratch, count, by_key);
    return count;
}

static void put_in_ranks(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    size_t count = 0;
    for (EACH_CHANGE(change, pass)) {
        if (change->list && change->entry->list != change->list) {
            pass->sorted[count++] = change;
        }
    }
    sort_changes(pass->sorted, pass->scratch, count, by_rank);
    const struct obv_derived_list *filled = NULL;
    uint32_t place = 0;
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = pass->sorted[i]->entry;
        struct obv_derived_list *list = pass->sorted[i]->list;
        place = filled == list ? place + 1
                               : order_search(&derivation->ranks, compare_rank,
                                              pass->sorted[i]);
        order_insert(&derivation->ranks, &entry->rank, place, 1);
        entry->list = list;
        if (list->count++ == 0) {
            filled = list;
            list->first = entry;
        } else if (order_beside(&entry->rank, 1) == &list->first->rank) {
            list->first = entry;
        }
    }
}

static void show(struct pass *pass, struct entry *entry, bool is_shown)
{
    order_add_weight(&pass->derivation->entries, &entry->item,
                     (uint32_t)is_shown - entry->is_shown);
    entry->is_shown = is_shown;
}

static void weigh(struct pass *pass)
{
    for (EACH_CHANGE(change, pass)) {
        struct entry *entry = change->entry;
        bool is_shown = change->comes || (entry->is_shown && !change->leaves);
        if (!change->is_gone && is_shown != entry->is_shown) {
            show(pass, entry, is_shown);
        }
    }
}

/* Gives an entry its new value, and the change the old one. */
static void exchange(struct obv_derivation *derivation, struct change *change)
{
    struct entry *entry = change->entry;
    void *shown = entry->shown;
    bool was_mapped = entry->is_mapped;
    if (change->is_gone) {
        table_remove(&derivation->by_element, &entry->link);
    }
    if (change->is_new) {
        table_add(derivation, &derivation->by_element, &entry->link,
                  entry->link.hash);
    }
    entry->shown = change->shown;
    entry->is_mapped = change->is_mapped;
    change->shown = shown;
    change->is_mapped = was_mapped;
}

/* Elements shown by place -------------------------------------------------- */

static void hide(struct pass *pass, struct entry *entry)
{
    struct change *change = add_change(pass, entry);
    tell_gone(pass, order_before(&entry->item).weight, *shown_of(entry));
    show(pass, entry, false);
    change->leaves = true;
}

static void choose_distinct(struct pass *pass)
{
    struct obv_derived_list *list = pass->derivation->touched;
    for (; list; list = list->next_touched) {
        struct entry *first = list->count != 0 ? list->first : NULL;
        if (list->shown && list->shown != first) {
            hide(pass, list->shown);
        }
        if (first && list->shown != first) {
            add_change(pass, first)->comes = true;
        }
        list->shown = first;
    }
}

static void choose_slice(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    struct order_tree *entries = &derivation->entries;
    size_t count = entries->size.count;
    size_t low = derivation->first < count ? derivation->first : count;
    size_t high =
        derivation->limit < count - low ? low + derivation->limit : count;
    uint32_t before = order_weight_to(entries, (uint32_t)low);
    uint32_t inside = order_weight_to(entries, (uint32_t)high) - before;
    for (; before != 0; before--) {
        hide(pass, entry_of_item(order_at(entries, ORDER_WEIGHT, 0)));
    }
    while (entries->size.weight != inside) {
        hide(pass, entry_of_item(order_at(entries, ORDER_WEIGHT, inside)));
    }
    for (size_t light = low; light < high - inside; light++) {
        add_change(pass, entry_of_item(
                             order_at(entries, ORDER_LIGHT, (uint32_t)light)))
            ->comes = true;
    }
}

/* The end of a pass --------------------------------------------------------- */

/* Tells of groups that have come or gone, after the edits inside them. */
static void tell_groups(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    struct order_tree *listed = &derivation->listed;
    struct obv_derived_list *list;
    for (list = derivation->touched; list; list = list->next_touched) {
        bool is_there = list->count != 0;
        if (!list->key || is_there == list->is_listed) {
            continue;
        }
        if (is_there) {
            order_insert(listed, &list->item, listed->size.count, 0);
        } else {
            order_remove(listed, &list->item);
        }
        list->is_listed = is_there;
        if (list->group) {
            struct obv_container_edit *edit = add_edit(pass, 0);
            edit->key = list->key;
            edit->inserted = is_there;
            edit->removed = !is_there;
            edit->old = is_there ? NULL : &list->group;
        }
    }
    flush(pass, NULL);
}

static void end_touched(struct obv_derivation *derivation)
{
    while (derivation->touched) {
        struct obv_derived_list *list = derivation->touched;
        derivation->touched = list->next_touched;
        list->is_touched = false;
        if (list->key && list->count == 0) {
            end_group(list);
        }
    }
}

/* Ends a change: calls `left` for the value that is not shown any more, which
   the change has (the entry has the other), and ends the entry with `ends`. */
static void forget_change(struct pass *pass, struct change *change, bool ends)
{
    const struct obv_derivation *derivation = pass->derivation;
    const struct obv_derived_kind *kind = derivation->kind;
    struct entry *entry = change->entry;
    bool is_left = change->leaves && !change->comes && !kind->map;
    entry->change = 0;
    if (is_made(change)) {
        is_left = true;
        change->old_shown = change->shown;
    }
    if (is_left && kind->left) {
        kind->left(change->old_shown, derivation->argument);
    }
    if (ends) {
        end_entry(entry);
    }
}

void end_pass(struct pass *pass, bool is_done)
{
    struct obv_derivation *derivation = pass->derivation;
    for (EACH_CHANGE(change, pass)) {
        forget_change(pass, change, is_done ? change->is_gone : change->is_new);
    }
    end_touched(derivation);
    end_feeds(derivation, &pass->feeds);
    trim_trees(derivation);
    release_block(derivation->binding, pass->block, pass->block_size);
    release_block(derivation->binding, pass->changes,
                  pass->room * sizeof *pass->changes);
}

/* Each list is told of those that leave it, that move and that come. */
static void tell(struct pass *pass, size_t was_count, size_t now_count)
{
    struct obv_derivation *derivation = pass->derivation;
    struct change **was = pass->was, **now = pass->now;
    do {
        size_t left = 0, there = 0, moved = 0;
        struct obv_derived_list *list = &derivation->all;
        if (was_count != 0) {
            list = was[0]->old_list;
        }
        if (now_count != 0 &&
            (was_count == 0 || now[0]->list->number < list->number)) {
            list = now[0]->list;
        }
        while (left < was_count && was[left]->old_list == list) {
            left++;
        }
        /* Moves are told before insertions, so their positions leave the latter
           out. */
        for (; there < now_count && now[there]->list == list; there++) {
            now[there]->position -=
                now[there]->moves ? (uint32_t)(there - moved++) : 0;
        }
        tell_was(pass, was, left);
        for (size_t i = 0; i < there; i++) {
            if (now[i]->comes) {
                tell_come(pass, now[i]->position);
            }
        }
        flush(pass, list);
        was += left;
        was_count -= left;
        now += there;
        now_count -= there;
    } while (was_count + now_count != 0);
}

void commit(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    for (EACH_CHANGE(change, pass)) {
        decide(pass, change);
    }
    size_t was_count = number(pass, false, pass->was);
    for (EACH_CHANGE(change, pass)) {
        if (change->is_taken) {
            take_out(derivation, change);
        }
    }
    put_in_source_order(pass);
    for (EACH_CHANGE(change, pass)) {
        exchange(derivation, change);
    }
    put_in_ranks(pass);
    weigh(pass);
    size_t now_count = number(pass, true, pass->now);
    if (is_placed(derivation)) {
        tell_was(pass, pass->was, was_count);
        was_count = 0;
        derivation->is_slice ? choose_slice(pass) : choose_distinct(pass);
        weigh(pass);
        now_count = number(pass, true, pass->now);
    }
    tell(pass, was_count, now_count);
    tell_groups(pass);
    if (pass->has_feeds) {
        struct order_tree before = derivation->feeds;
        derivation->feeds = pass->feeds;
        pass->feeds = before;
    }
}
