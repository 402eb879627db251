/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has happened: which entries come, go, move, and are asked again.
 */
#include "derivation.h"

#include <string.h>

struct change *add_change(struct pass *pass, struct entry *entry)
{
    if (entry && entry->change != 0) {
        return &pass->changes[entry->change - 1];
    }
    if (pass->count == pass->room) {
        size_t room = pass->room ? pass->room * 2 : 4;
        struct change *more =
            allocate(pass->derivation, room, sizeof *pass->changes);
        if (!more || pass->count >= UINT32_MAX - 1) {
            release_block(pass->derivation, more, room * sizeof *more);
            return NULL;
        }
        if (pass->count != 0) {
            memcpy(more, pass->changes, pass->count * sizeof *more);
        }
        release_block(pass->derivation, pass->changes,
                      pass->room * sizeof *more);
        pass->changes = more;
        pass->room = room;
    }
    struct change *change = &pass->changes[pass->count++];
    *change = (struct change){.entry = entry};
    if (entry) {
        entry->change = (uint32_t)pass->count;
        change->element = entry->element;
        change->shown = entry->shown;
        change->old_shown = *shown_of(entry);
        change->list = change->old_list = entry->list;
        change->is_included = entry->is_included;
        change->is_mapped = entry->is_mapped;
        change->was_shown = change->is_shown = entry->node.own != 0;
    }
    return change;
}

/* An element comes, which is handed over. */
static enum obv_status add_new(struct pass *pass, void *element, uint32_t now,
                               const void *key)
{
    struct obv_derivation *derivation = pass->derivation;
    struct change *change = add_change(pass, NULL);
    const struct obv_key_kind *keys =
        pass->feed ? pass->feed->access->key : NULL;
    if (!change) {
        derivation->binding->let_go(element, derivation->bound);
        return OBV_E_MEMORY;
    }
    change->is_new = true;
    change->element = element;
    change->now = now;
    change->hash = key ? keys->hash(keys, key)
                       : derivation->binding->hash(element, derivation->bound);
    change->key = key ? copy_key(derivation, key, keys) : NULL;
    return key && !change->key ? OBV_E_MEMORY : OBV_OK;
}

static enum obv_status take_place(struct pass *pass, const void *place,
                                  uint32_t now, const void *key)
{
    struct obv_derivation *derivation = pass->derivation;
    void *element = NULL;
    if (!derivation->binding->take(place, &element, derivation->bound)) {
        return OBV_E_MEMORY;
    }
    return add_new(pass, element, now, key);
}

/* Places ------------------------------------------------------------------- */

/* Over what is in a container, in its order. */
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

/* By its key, or if that is NULL as a member. */
static struct entry *find_entry(const struct pass *pass, const void *key,
                                const void *element)
{
    const struct obv_derivation *derivation = pass->derivation;
    const struct obv_derived_binding *binding = derivation->binding;
    const struct obv_key_kind *keys = pass->feed->access->key;
    uint64_t hash =
        key ? keys->hash(keys, key) : binding->hash(element, derivation->bound);
    struct link *link = table_chain(&derivation->by_element, hash);
    for (; link; link = link->next) {
        struct entry *entry = entry_of_link(link);
        if (link->hash == hash &&
            (key ? keys->equal(keys, entry->key, key)
                 : binding->same(entry->element, element, derivation->bound))) {
            return entry;
        }
    }
    return NULL;
}

/* What stands at a key, or as a member, and stood there perhaps. */
static enum obv_status take_keyed(struct pass *pass, void *element,
                                  const void *key)
{
    const struct obv_derivation *derivation = pass->derivation;
    struct entry *entry = find_entry(pass, key, element);
    if (!entry) {
        return add_new(pass, element, AT_END, key);
    }
    struct change *change = NULL;
    bool is_same =
        derivation->binding->same(entry->element, element, derivation->bound);
    if (entry->change != 0 || !is_same) {
        change = add_change(pass, entry);
    }
    if (change) {
        change->is_gone = false;
    }
    if (change && !is_same) {
        change->is_replaced = true;
        change->element = element;
        return OBV_OK;
    }
    derivation->binding->let_go(element, derivation->bound);
    return change || is_same ? OBV_OK : OBV_E_MEMORY;
}

/* Edits -------------------------------------------------------------------- */

static enum obv_status follow_runs(struct pass *pass,
                                   const struct obv_edits *edits)
{
    struct obv_derivation *derivation = pass->derivation;
    struct feed *feed = pass->feed;
    uint32_t base = order_before(&feed->node, ORDER_WEIGHT);
    uint32_t count = (uint32_t)feed->access->count(feed->source);
    enum obv_status status = OBV_OK;
    for (size_t i = 0; i < edits->run_count; i++) {
        const struct obv_edit_run *run = &edits->runs[i];
        bool was_there = run->before != OBV_NOWHERE;
        bool is_there = run->now != OBV_NOWHERE;
        if ((was_there && run->before + run->count > feed->node.own) ||
            (is_there && run->now + run->count > count)) {
            return OBV_E_ARGUMENT;
        }
        struct order_node *node =
            was_there ? order_at(&derivation->entries, ORDER_COUNT,
                                 base + (uint32_t)run->before)
                      : NULL;
        for (uint32_t j = 0; j < run->count && status == OBV_OK; j++) {
            uint32_t now = base + (uint32_t)run->now + j;
            if (!was_there) {
                const void *place =
                    feed->access->at(feed->source, run->now + j);
                status = take_place(pass, place, now, NULL);
                continue;
            }
            struct change *change = add_change(pass, entry_of_node(node));
            if (!change) {
                return OBV_E_MEMORY;
            }
            change->is_gone = !is_there;
            change->is_moved = is_there;
            change->now = now;
            node = order_next(&derivation->entries, node);
        }
    }
    order_set_own(&feed->node, count, true);
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
        if (edit->key && !is_there) {
            /* Nothing is read. */
        } else if (!(edit->key
                         ? derivation->binding->take(place, &element,
                                                     derivation->bound)
                         : derivation->binding->take_value(
                               &edit->value, &element, derivation->bound))) {
            return OBV_E_MEMORY;
        }
        if (is_there) {
            status = take_keyed(pass, element, edit->key);
            continue;
        }
        struct entry *entry = find_entry(pass, edit->key, element);
        if (!edit->key) {
            derivation->binding->let_go(element, derivation->bound);
        }
        struct change *change = entry ? add_change(pass, entry) : NULL;
        if (change) {
            change->is_gone = true;
        } else if (entry) {
            status = OBV_E_MEMORY;
        }
    }
    return status;
}

/* Everything anew ---------------------------------------------------------- */

static enum obv_status take_feeds(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    struct walk walk = {.feed = derivation->outer};
    enum obv_status status = OBV_OK;
    const void *place;
    pass->has_feeds = true;
    while (status == OBV_OK && (place = next_place(&walk)) != NULL) {
        struct obv_container *inner =
            derivation->kind->container(place, derivation->argument);
        struct feed *feed = NULL;
        status = inner ? new_feed(derivation, inner, FEED, &feed) : OBV_OK;
        if (feed) {
            order_insert(&pass->feeds, &feed->node, order_count(&pass->feeds),
                         0);
        }
    }
    return status;
}

static enum obv_status read_feed(struct pass *pass, struct feed *feed,
                                 uint32_t *now)
{
    struct obv_derivation *derivation = pass->derivation;
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
        if (feed->access->at) {
            status = take_place(pass, place, (*now)++, NULL);
            continue;
        }
        void *element;
        if (!derivation->binding->take(place, &element, derivation->bound)) {
            return OBV_E_MEMORY;
        }
        status = take_keyed(pass, element,
                            feed->access->key ? walk.cursor.key : NULL);
    }
    order_set_own(&feed->node, count, true);
    return status;
}

static enum obv_status read_anew(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    struct order_node *node = NULL;
    while ((node = order_next(&derivation->entries, node)) != NULL) {
        struct change *change = add_change(pass, entry_of_node(node));
        if (!change) {
            return OBV_E_MEMORY;
        }
        change->is_gone = true;
        change->questions = (uint8_t)pass->questions;
    }
    enum obv_status status = OBV_OK;
    uint32_t now = 0;
    if (derivation->outer) {
        status = take_feeds(pass);
        for (node = NULL; status == OBV_OK &&
                          (node = order_next(&pass->feeds, node)) != NULL;) {
            status = read_feed(pass, feed_of_node(node), &now);
        }
    } else {
        status = read_feed(pass, feed_of_node(derivation->feeds.root), &now);
    }
    return status;
}

/* What has gone and come is there still. */
static void match(struct pass *pass)
{
    const struct obv_derivation *derivation = pass->derivation;
    for (size_t i = 0; i < pass->count; i++) {
        struct change *change = &pass->changes[i];
        struct link *link =
            change->is_new && !change->key
                ? table_chain(&derivation->by_element, change->hash)
                : NULL;
        for (; link; link = link->next) {
            struct entry *entry = entry_of_link(link);
            struct change *gone =
                entry->change ? &pass->changes[entry->change - 1] : NULL;
            if (gone && gone->is_gone && link->hash == change->hash &&
                derivation->binding->same(entry->element, change->element,
                                          derivation->bound)) {
                gone->is_gone = false;
                gone->is_moved = true;
                gone->now = change->now;
                derivation->binding->let_go(change->element, derivation->bound);
                *change = (struct change){.entry = NULL};
                break;
            }
        }
    }
}

/* Entries for those that come, and observations. */
static enum obv_status make_entry(struct pass *pass, struct change *change)
{
    struct obv_derivation *derivation = pass->derivation;
    const struct obv_derived_binding *binding = derivation->binding;
    if (change->is_new) {
        struct entry *entry = allocate(derivation, 1, entry_size(derivation));
        if (!entry) {
            return OBV_E_MEMORY;
        }
        memset(entry, 0, entry_size(derivation));
        init_watch(derivation, &entry->watch, ENTRY);
        entry->element = change->element;
        entry->key = change->key;
        entry->change = (uint32_t)(change - pass->changes) + 1;
        change->entry = entry;
    }
    if (derivation->kind->path_count == 0 ||
        !(change->is_new || change->is_replaced)) {
        return OBV_OK;
    }
    struct watch *watch = &change->entry->watch;
    struct obv_object *object =
        binding->object(change->element, derivation->bound);
    change->observation = watch->observation;
    watch->observation = NULL;
    change->is_observed = true;
    return object ? observe(watch, object, false) : OBV_OK;
}

/* Asking ------------------------------------------------------------------- */

static enum obv_status ask_about(struct pass *pass, struct entry *entry,
                                 unsigned questions)
{
    const struct obv_derived_kind *kind = pass->derivation->kind;
    bool is_there = entry->change != 0;
    struct change *change = add_change(pass, entry);
    if (!change) {
        return OBV_E_MEMORY;
    }
    change->questions |= (uint8_t)questions;
    enum obv_status status = ask(pass, change);
    bool is_ranked = kind->compare && change->list &&
                     questions & (OBV_DERIVED_ORDER | SORT_AGAIN);
    if (status == OBV_OK && !is_there && !is_ranked &&
        change->list == change->old_list &&
        change->is_shown == change->was_shown &&
        change->is_included == entry->is_included &&
        change->shown == entry->shown) {
        entry->change = 0;
        pass->count--;
    }
    return status;
}

static enum obv_status ask_all(struct pass *pass, unsigned questions)
{
    struct obv_derivation *derivation = pass->derivation;
    struct order_node *node = NULL;
    enum obv_status status = OBV_OK;
    while (status == OBV_OK &&
           (node = order_next(&derivation->entries, node)) != NULL) {
        status = ask_about(pass, entry_of_node(node), questions);
    }
    return status;
}

static struct watch *dequeue(struct obv_derivation *derivation)
{
    struct watch *watch = derivation->queue;
    derivation->queue = watch->next;
    watch->is_queued = false;
    if (!derivation->queue) {
        derivation->queue_end = &derivation->queue;
    }
    return watch;
}

/* Those that have changed, as far as they are elements. */
static enum obv_status ask_queued(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    enum obv_status status = OBV_OK;
    while (status == OBV_OK && derivation->queue &&
           derivation->queue->role == ENTRY) {
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
    if (watch && watch->role != ENTRY) {
        struct feed *feed = (struct feed *)(void *)dequeue(derivation);
        struct obv_edits edits;
        enum obv_status status = OBV_OK;
        is_lost = is_lost || watch->role == OUTER;
        bool is_followed = !is_lost && !watch->has_left;
        if (is_followed) {
            status = obv_edit_list_take(feed->edits, &edits, NULL);
        }
        if (is_followed && status == OBV_OK) {
            pass->feed = feed;
            status = feed->access->at ? follow_runs(pass, &edits)
                                      : follow_keys(pass, &edits);
            obv_edits_deinit(&edits);
        } else if (is_followed &&
                   (status != OBV_E_ENDED || derivation->outer)) {
            /* Nobody knows what has happened; or one of several has ended. */
            is_lost = true;
            status = OBV_OK;
        }
        release_watch(watch);
        if (status != OBV_OK) {
            return status;
        }
    }
    return is_lost ? read_anew(pass) : OBV_OK;
}

enum obv_status gather(struct pass *pass)
{
    struct obv_derivation *derivation = pass->derivation;
    if (!derivation->is_lost && pass->questions != 0) {
        return ask_all(pass, pass->questions);
    }
    if (!derivation->is_lost && derivation->queue &&
        derivation->queue->role == ENTRY) {
        return ask_queued(pass);
    }
    enum obv_status status = gather_structure(pass);
    if (status == OBV_OK) {
        match(pass);
    }
    for (size_t i = 0; i < pass->count && status == OBV_OK; i++) {
        if (!pass->changes[i].is_gone) {
            status = make_entry(pass, &pass->changes[i]);
        }
    }
    for (size_t i = 0; i < pass->count && status == OBV_OK; i++) {
        struct change *change = &pass->changes[i];
        if (!change->is_gone && (change->entry || change->is_new)) {
            status = ask(pass, change);
        }
    }
    return status;
}
