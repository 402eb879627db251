/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathering: collects the changes of a pass from the edits of a feed, from the
 * watches that were called or from a whole new reading of the source.
 */
#include "derivation.h"

#include <string.h>

bool reserve_changes(struct pass *pass, size_t count)
{
    if (count <= pass->room) {
        return true;
    }
    struct change *more =
        count < UINT32_MAX
            ? allocate(pass->derivation->binding, count, sizeof *pass->changes)
            : NULL;
    if (!more) {
        return false;
    }
    if (pass->count != 0) {
        memcpy(more, pass->changes, pass->count * sizeof *more);
    }
    release_block(pass->derivation->binding, pass->changes,
                  pass->room * sizeof *more);
    pass->changes = more;
    pass->room = count;
    return true;
}

struct change *add_change(struct pass *pass, struct entry *entry)
{
    if (entry->change != 0) {
        return &pass->changes[entry->change - 1];
    }
    if (pass->count == pass->room &&
        !reserve_changes(pass, pass->room ? pass->room * 2 : 4)) {
        return NULL;
    }
    struct change *change = &pass->changes[pass->count++];
    *change = (struct change){.entry = entry, .now = UNKNOWN};
    entry->change = (uint32_t)pass->count;
    change->shown = entry->shown;
    change->old_shown = *shown_of(entry);
    change->list = change->old_list = entry->list;
    change->is_mapped = entry->is_mapped;
    change->was_shown = change->is_shown = entry->is_shown;
    return change;
}

/* The entry at a key, or of an element; with positions, only one that has gone
   in this pass, so that equal elements get an entry each. */
static struct entry *find_entry(const struct pass *pass, const void *key,
                                const void *element, uint64_t hash)
{
    const struct obv_derivation *derivation = pass->derivation;
    const struct obv_container_kind *access = pass->feed->access;
    struct link *link = table_chain(&derivation->by_element, hash);
    for (; link; link = link->next) {
        struct entry *entry = entry_of_link(link);
        bool has_gone =
            entry->change && pass->changes[entry->change - 1].is_gone;
        if (link->hash == hash && (has_gone || !access->at) &&
            (key ? access->key->equal(access->key, entry->key, key)
                 : derivation->binding->same(entry->element, element,
                                             derivation->bound))) {
            return entry;
        }
    }
    return NULL;
}

static uint64_t hash_of(const struct pass *pass, const void *key,
                        const void *element)
{
    const struct obv_key_kind *keys = pass->feed->access->key;
    return key ? keys->hash(keys, key)
               : pass->derivation->binding->hash(element,
                                                 pass->derivation->bound);
}

static enum obv_status add_gone(struct pass *pass, struct entry *entry)
{
    struct change *change = add_change(pass, entry);
    if (change) {
        change->is_gone = true;
    }
    return change ? OBV_OK : OBV_E_MEMORY;
}

/* Adds an entry for a new element, whose reference it takes over. `place`: the
   entry that it replaces, or NULL. */
static enum obv_status add_new(struct pass *pass, void *element,
                               const void *key, uint64_t hash,
                               struct entry *place, uint32_t now)
{
    struct obv_derivation *derivation = pass->derivation;
    struct entry *entry = allocate(derivation->binding, 1, sizeof *entry);
    if (!entry) {
        derivation->binding->let_go(element, derivation->bound);
        return OBV_E_MEMORY;
    }
    memset(entry, 0, sizeof *entry);
    init_watch(derivation, &entry->watch, true);
    entry->element = element;
    entry->key =
        key ? copy_key(derivation, key, pass->feed->access->key) : NULL;
    entry->link.hash = hash;
    struct change *change = key && !entry->key ? NULL : add_change(pass, entry);
    if (!change) {
        end_entry(entry);
        return OBV_E_MEMORY;
    }
    change->is_new = true;
    change->questions = OBV_DERIVED_ALL;
    change->place = place;
    change->now = now;
    return place ? add_gone(pass, place) : OBV_OK;
}

/* Takes over an element that the source has now: it gets a new entry, or keeps
   the one that it had before. */
static enum obv_status take_element(struct pass *pass, void *element,
                                    const void *key, uint32_t now)
{
    struct obv_derivation *derivation = pass->derivation;
    uint64_t hash = hash_of(pass, key, element);
    struct entry *entry = find_entry(pass, key, element, hash);
    if (!entry || (key && !derivation->binding->same(entry->element, element,
                                                     derivation->bound))) {
        return add_new(pass, element, key, hash, entry, now);
    }
    derivation->binding->let_go(element, derivation->bound);
    if (entry->change != 0) {
        struct change *change = &pass->changes[entry->change - 1];
        change->is_gone = false;
        change->is_moved = pass->feed->access->at != NULL;
        change->now = now;
    }
    return OBV_OK;
}

static enum obv_status take_place(struct pass *pass, const void *place,
                                  const void *key, uint32_t now)
{
    struct obv_derivation *derivation = pass->derivation;
    void *element = NULL;
    return derivation->binding->take(place, &element, derivation->bound)
               ? take_element(pass, element, key, now)
               : OBV_E_MEMORY;
}

/* Places ------------------------------------------------------------------- */

/* A walk over the elements of a container, in its order. */
struct walk {
    const struct feed *feed;
    struct obv_container_cursor cursor;
    size_t position;
};

static const void *next_place(struct walk *walk)
{
    const struct obv_container_kind *access = walk->feed->access;
    const struct obv_container *source = walk->feed->source;
    if (access->at) {
        return walk->position < access->count(source)
                   ? access->at(source, walk->position++)
                   : NULL;
    }
    return access->next(source, &walk->cursor) ? walk->cursor.element : NULL;
}

/* Edits -------------------------------------------------------------------- */

static void count_feed(struct order_tree *feeds, struct feed *feed,
                       uint32_t count)
{
    order_add_weight(feeds, &feed->item, count - feed->count);
    feed->count = count;
}

static enum obv_status follow_runs(struct pass *pass,
                                   const struct obv_edits *edits)
{
    struct obv_derivation *derivation = pass->derivation;
    struct feed *feed = pass->feed;
    uint32_t base = order_before(&feed->item).weight;
    uint32_t count = (uint32_t)feed->access->count(feed->source);
    enum obv_status status = OBV_OK;
    for (size_t i = 0; i < edits->run_count; i++) {
        const struct obv_edit_run *run = &edits->runs[i];
        bool was_there = run->before != OBV_NOWHERE;
        bool is_there = run->now != OBV_NOWHERE;
        if ((was_there && run->before + run->count > feed->count) ||
            (is_there && run->now + run->count > count)) {
            return OBV_E_ARGUMENT;
        }
        struct order_item *item =
            was_there ? order_at(&derivation->entries, ORDER_COUNT,
                                 base + (uint32_t)run->before)
                      : NULL;
        for (uint32_t j = 0; j < run->count && status == OBV_OK; j++) {
            uint32_t now = base + (uint32_t)run->now + j;
            if (!was_there) {
                const void *place =
                    feed->access->at(feed->source, run->now + j);
                status = take_place(pass, place, NULL, now);
                continue;
            }
            struct change *change = add_change(pass, entry_of_item(item));
            if (!change) {
                return OBV_E_MEMORY;
            }
            change->is_gone = !is_there;
            change->is_moved = is_there;
            change->now = now;
            item = order_beside(item, 1);
        }
    }
    count_feed(&derivation->feeds, feed, count);
    return status;
}

static enum obv_status follow_keys(struct pass *pass,
                                   const struct obv_edits *edits)
{
    struct obv_derivation *derivation = pass->derivation;
    const struct feed *feed = pass->feed;
    enum obv_status status = OBV_OK;
    for (size_t i = 0; i < edits->key_count && status == OBV_OK; i++) {
        const struct obv_key_edit *edit = &edits->keys[i];
        const void *place =
            edit->key ? feed->access->find(feed->source, edit->key) : NULL;
        bool is_there = edit->key ? place != NULL : edit->is_there;
        void *element = NULL;
        if (is_there && edit->key) {
            status = take_place(pass, place, edit->key, UNKNOWN);
            continue;
        }
        if (!edit->key && !derivation->binding->take_value(
                              &edit->value, &element, derivation->bound)) {
            return OBV_E_MEMORY;
        }
        if (is_there) {
            status = take_element(pass, element, NULL, UNKNOWN);
            continue;
        }
        struct entry *entry = find_entry(pass, edit->key, element,
                                         hash_of(pass, edit->key, element));
        if (!edit->key) {
            derivation->binding->let_go(element, derivation->bound);
        }
        status = entry ? add_gone(pass, entry) : OBV_OK;
    }
    return status;
}

/* Everything anew ---------------------------------------------------------- */

static enum obv_status take_feeds(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    struct walk walk = {.feed = derivation->source};
    enum obv_status status = OBV_OK;
    const void *place;
    pass->has_feeds = true;
    while (status == OBV_OK && (place = next_place(&walk)) != NULL) {
        struct obv_container *inner =
            derivation->kind->container(place, derivation->argument);
        struct feed *feed = NULL;
        if (!order_reserve(&pass->feeds, 1, derivation->binding)) {
            return OBV_E_MEMORY;
        }
        status = inner ? new_feed(derivation, inner, &feed) : OBV_OK;
        if (feed) {
            order_insert(&pass->feeds, &feed->item, pass->feeds.size.count, 0);
        }
    }
    return status;
}

static enum obv_status read_feed(struct pass *pass, struct feed *feed,
                                 uint32_t *now)
{
    struct walk walk = {.feed = feed};
    enum obv_status status = OBV_OK;
    struct obv_edits edits;
    const void *place;
    if (obv_edit_list_take(feed->edits, &edits, NULL) == OBV_E_ENDED) {
        return OBV_E_ENDED;
    }
    obv_edits_deinit(&edits);
    pass->feed = feed;
    uint32_t count = 0;
    while (status == OBV_OK && (place = next_place(&walk)) != NULL) {
        count++;
        status =
            take_place(pass, place, feed->access->key ? walk.cursor.key : NULL,
                       feed->access->at ? (*now)++ : UNKNOWN);
    }
    count_feed(&pass->feeds, feed, count);
    return status;
}

static enum obv_status read_anew(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    struct order_item *item = order_first(&derivation->entries);
    uint32_t index = 0;
    for (; item; item = order_next(item, &index)) {
        struct change *change = add_change(pass, entry_of_item(item));
        if (!change) {
            return OBV_E_MEMORY;
        }
        change->is_gone = true;
        change->questions = (uint8_t)pass->questions;
    }
    enum obv_status status = OBV_OK;
    uint32_t now = 0;
    if (derivation->kind->container) {
        status = take_feeds(pass);
        for (item = order_first(&pass->feeds); item && status == OBV_OK;
             item = order_beside(item, 1)) {
            status = read_feed(pass, feed_of_item(item), &now);
        }
    } else {
        status = read_feed(pass, derivation->source, &now);
    }
    return status;
}

/* Asking ------------------------------------------------------------------- */

static void ask_condition(struct entry *entry)
{
    const struct obv_derivation *derivation = entry->watch.derivation;
    entry->is_included =
        !derivation->kind->includes ||
        derivation->kind->includes(&entry->element, derivation->argument);
}

static enum obv_status ask_about(struct pass *pass, struct entry *entry,
                                 unsigned questions)
{
    bool is_there = entry->change != 0;
    if (questions & OBV_DERIVED_CONDITION) {
        bool was_included = entry->is_included;
        ask_condition(entry);
        if (questions == OBV_DERIVED_CONDITION &&
            entry->is_included == was_included) {
            return OBV_OK;
        }
    }
    struct change *change = add_change(pass, entry);
    if (!change) {
        return OBV_E_MEMORY;
    }
    change->questions |= (uint8_t)questions;
    enum obv_status status = ask(pass, change);
    if (status == OBV_OK && !is_there &&
        !(change->list && is_reranked(change)) &&
        change->list == change->old_list &&
        change->is_shown == change->was_shown &&
        change->shown == entry->shown) {
        entry->change = 0;
        pass->count--;
    }
    return status;
}

static enum obv_status ask_all(struct pass *pass, unsigned questions)
{
    struct obv_derivation *derivation = pass->derivation;
    struct order_item *item = order_first(&derivation->entries);
    enum obv_status status = OBV_OK;
    uint32_t index = 0;
    for (; item && status == OBV_OK; item = order_next(item, &index)) {
        status = ask_about(pass, entry_of_item(item), questions);
    }
    return status;
}

static struct watch *dequeue(struct obv_derivation *derivation)
{
    struct watch *watch = derivation->queue;
    derivation->queue = watch->next;
    watch->is_queued = false;
    return watch;
}

/* Asks about queued elements, up to the first queued container. */
static enum obv_status ask_queued(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    enum obv_status status = OBV_OK;
    while (status == OBV_OK && derivation->queue &&
           derivation->queue->is_entry) {
        struct watch *watch = dequeue(derivation);
        if (!watch->has_left) {
            status =
                ask_about(pass, (struct entry *)(void *)watch, OBV_DERIVED_ALL);
        }
        release_watch(watch);
    }
    return status;
}

static enum obv_status gather_structure(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    struct watch *watch = derivation->queue;
    bool is_lost = derivation->is_lost;
    enum obv_status status = OBV_OK;
    if (watch && !watch->is_entry) {
        struct feed *feed = (struct feed *)(void *)dequeue(derivation);
        struct obv_edits edits;
        is_lost = is_lost ||
                  (derivation->kind->container && feed == derivation->source);
        if (!is_lost && !watch->has_left) {
            is_lost = obv_edit_list_take(feed->edits, &edits, NULL) != OBV_OK;
            pass->feed = is_lost ? NULL : feed;
        }
        if (pass->feed) {
            status = feed->access->at ? follow_runs(pass, &edits)
                                      : follow_keys(pass, &edits);
            obv_edits_deinit(&edits);
        }
        release_watch(watch);
    }
    return is_lost ? read_anew(pass) : status;
}

enum obv_status gather(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    if (!derivation->is_lost && pass->questions != 0) {
        return ask_all(pass, pass->questions);
    }
    if (!derivation->is_lost && derivation->queue &&
        derivation->queue->is_entry) {
        return ask_queued(pass);
    }
    enum obv_status status = gather_structure(pass);
    for (size_t i = 0; i < pass->count && status == OBV_OK; i++) {
        struct change *change = &pass->changes[i];
        struct entry *entry = change->entry;
        struct obv_object *object =
            change->is_new && derivation->kind->path_count != 0
                ? derivation->binding->object(entry->element, derivation->bound)
                : NULL;
        if (object) {
            status = observe(&entry->watch, object, false);
        }
        if (status == OBV_OK && !change->is_gone) {
            if (change->questions & OBV_DERIVED_CONDITION) {
                ask_condition(entry);
            }
            status = ask(pass, change);
        }
    }
    return status;
}
