/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a derivation begins, follows its source and ends (see derivation.h).
 */
#include "derivation.h"

#include <stdlib.h>
#include <string.h>

/* Memory ------------------------------------------------------------------- */

void *allocate(const struct obv_derived_binding *binding, size_t count,
               size_t size)
{
    const struct obv_allocator *allocator = binding->allocator;
    if (count > PTRDIFF_MAX / size) {
        return NULL;
    }
    return allocator ? allocator->allocate(allocator->context, count * size)
                     : malloc(count * size);
}

void release_block(const struct obv_derived_binding *binding, void *block,
                   size_t size)
{
    const struct obv_allocator *allocator = binding->allocator;
    if (block && allocator) {
        allocator->free(allocator->context, block, size);
    } else if (block) {
        free(block);
    }
}

/* A text is copied by the derivation, other keys by their kind. */
void *copy_key(const struct obv_derivation *derivation, const void *key,
               const struct obv_key_kind *kind)
{
    if (kind->copy) {
        return kind->copy(kind, key);
    }
    size_t size = strlen(key) + 1;
    void *copy = allocate(derivation->binding, 1, size);
    return copy ? memcpy(copy, key, size) : NULL;
}

void free_key(const struct obv_derivation *derivation, void *key,
              const struct obv_key_kind *kind)
{
    if (key && kind->free) {
        kind->free(kind, key);
    } else if (key) {
        release_block(derivation->binding, key, strlen(key) + 1);
    }
}

/* Tables ------------------------------------------------------------------- */

static struct link **bucket_of(struct table *table, uint64_t hash)
{
    /* Fibonacci hashing: the upper bits of a product. */
    return &table->buckets[hash * 0x9E3779B97F4A7C15u >> 1 >>
                           (63 - table->bits)];
}

static void end_table(const struct obv_derivation *derivation,
                      struct table *table)
{
    if (table->buckets != &table->only) {
        release_block(derivation->binding, table->buckets,
                      sizeof *table->buckets << table->bits);
    }
}

static void grow(const struct obv_derivation *derivation, struct table *table)
{
    struct table more = {.bits = table->bits + 2, .count = table->count};
    more.buckets = allocate(derivation->binding, (size_t)1 << more.bits,
                            sizeof *more.buckets);
    if (!more.buckets) {
        return;
    }
    memset(more.buckets, 0, sizeof *more.buckets << more.bits);
    for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
        struct link *link = table->buckets[i];
        while (link) {
            struct link *next = link->next;
            struct link **bucket = bucket_of(&more, link->hash);
            link->next = *bucket;
            *bucket = link;
            link = next;
        }
    }
    end_table(derivation, table);
    *table = more;
}

void table_add(const struct obv_derivation *derivation, struct table *table,
               struct link *link, uint64_t hash)
{
    if (table->count >= (uint32_t)2 << table->bits) {
        grow(derivation, table);
    }
    struct link **bucket = bucket_of(table, hash);
    *link = (struct link){*bucket, hash};
    *bucket = link;
    table->count++;
}

void table_remove(struct table *table, struct link *link)
{
    struct link **at = bucket_of(table, link->hash);
    while (*at != link) {
        at = &(*at)->next;
    }
    *at = link->next;
    table->count--;
}

struct link *table_chain(const struct table *table, uint64_t hash)
{
    return *bucket_of((struct table *)(uintptr_t)table, hash);
}

/* Observing ---------------------------------------------------------------- */

/* The size with room for the pairs of an element's paths, or a container's. */
static size_t derivation_size(const struct obv_derived_kind *kind)
{
    return sizeof(struct obv_derivation) +
           (kind->path_count + 1) * sizeof(struct obv_compiled_pair);
}

static void release_derivation(struct obv_derivation *derivation)
{
    if (atomic_fetch_sub(&derivation->references, 1) == 1) {
        const struct obv_derived_kind *kind = derivation->kind;
        void *argument = derivation->argument;
        void *bound = derivation->bound;
        bool is_begun = derivation->is_begun;
        const struct obv_derived_binding *binding = derivation->binding;
        release_block(derivation->binding, derivation, derivation_size(kind));
        if (kind->dispose && is_begun) {
            kind->dispose(kind, argument);
        }
        if (binding->ended && is_begun) {
            binding->ended(bound);
        }
    }
}

void init_watch(struct obv_derivation *derivation, struct watch *watch,
                bool is_entry)
{
    atomic_fetch_add(&derivation->references, 1);
    *watch = (struct watch){.derivation = derivation, .is_entry = is_entry};
    atomic_init(&watch->references, 1);
}

void release_watch(struct watch *watch)
{
    if (atomic_fetch_sub(&watch->references, 1) == 1) {
        struct obv_derivation *derivation = watch->derivation;
        release_block(derivation->binding, watch,
                      watch->is_entry ? sizeof(struct entry)
                                      : sizeof(struct feed));
        release_derivation(derivation);
    }
}

static void enqueue(struct watch *watch)
{
    struct obv_derivation *derivation = watch->derivation;
    if (!watch->is_queued) {
        watch->is_queued = true;
        watch->next = derivation->queue;
        atomic_fetch_add(&watch->references, 1);
        derivation->queue = watch;
    }
}

static void follow(struct obv_derivation *derivation);

static void complete(struct obv_completion *completion)
{
    struct obv_derivation *derivation = derivation_of(completion);
    derivation->is_left = false;
    follow(derivation);
    release_derivation(derivation);
}

/* Elements that one set changes share a pass: the first leaves it to the
   completion, which runs once the set has told all of them. */
static void watch_changed(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    struct watch *watch = observer;
    struct obv_derivation *derivation = watch->derivation;
    (void)root;
    (void)call;
    if (!watch->has_left && !derivation->has_ended) {
        enqueue(watch);
        if (!watch->is_entry || derivation->kind->loop ||
            !obv_complete_later(&derivation->completion)) {
            follow(derivation);
        } else if (!derivation->is_left) {
            derivation->is_left = true;
            atomic_fetch_add(&derivation->references, 1);
        }
    }
}

static void watch_disposed(const struct obv_handler_kind *kind, void *observer)
{
    (void)kind;
    release_watch(observer);
}

enum obv_status observe(struct watch *watch, struct obv_object *object,
                        bool is_container)
{
    static const struct obv_handler_kind handler = {.changed = watch_changed,
                                                    .dispose = watch_disposed,
                                                    .label = "derived"};
    struct obv_derivation *derivation = watch->derivation;
    const struct obv_derived_kind *kind = derivation->kind;
    const struct obv_observe_options options = {
        .size = sizeof options,
        .loop = kind->loop,
        .flags = kind->loop ? OBV_TOKEN : OBV_IMMEDIATE | OBV_DEFER,
        .compare =
            is_container ? OBV_COMPARE_ALWAYS_DIFFERENT : OBV_COMPARE_DECLARED};
    static const char *const all[] = {"*"};
    const char *const *paths = is_container ? all : kind->paths;
    const struct obv_path *const *known = is_container ? NULL : kind->compiled;
    size_t count = is_container ? 1 : kind->path_count;
    struct obv_compiled_pair *compiled = derivation->pairs;
    struct obv_pair *pairs = (struct obv_pair *)(void *)compiled;
    atomic_fetch_add(&watch->references, 1);
    for (size_t i = 0; i < count; i++) {
        if (known) {
            compiled[i] = (struct obv_compiled_pair){object, known[i]};
        } else {
            pairs[i] = (struct obv_pair){object, paths[i]};
        }
    }
    enum obv_status status =
        known ? obv_observe_compiled(compiled, count, &handler, watch, &options,
                                     &watch->observation, NULL)
              : obv_observe_pairs(pairs, count, &handler, watch, &options,
                                  &watch->observation, NULL);
    if (status != OBV_OK) {
        watch->observation = NULL;
        release_watch(watch);
    }
    return status;
}

void leave_watch(struct watch *watch)
{
    struct obv_observation *observation = watch->observation;
    watch->has_left = true;
    watch->observation = NULL;
    obv_stop(observation);
    obv_release(observation);
    release_watch(watch);
}

/* The element's end comes last: it may be the program's code. */
void end_entry(struct entry *entry)
{
    struct obv_derivation *derivation = entry->watch.derivation;
    void *element = entry->element, *key = entry->key;
    atomic_fetch_add(&derivation->references, 1);
    leave_watch(&entry->watch);
    if (key) {
        free_key(derivation, key, derivation->source->access->key);
    }
    derivation->binding->let_go(element, derivation->bound);
    release_derivation(derivation);
}

enum obv_status new_feed(struct obv_derivation *derivation,
                         struct obv_container *source, struct feed **made)
{
    struct obv_class *cls = obv_object_class(&source->object);
    const struct obv_container_kind *access = obv_container_kind_of(cls);
    *made = NULL;
    if (!access ||
        (!access->at && (!access->next || derivation->kind->container))) {
        return OBV_E_KIND;
    }
    struct feed *feed = allocate(derivation->binding, 1, sizeof *feed);
    if (!feed) {
        return OBV_E_MEMORY;
    }
    memset(feed, 0, sizeof *feed);
    init_watch(derivation, &feed->watch, false);
    feed->access = access;
    enum obv_status status = OBV_E_ENDED;
    if (!access->retain || access->retain(&source->object)) {
        feed->source = source;
        status = obv_edit_list_create(NULL, source, &feed->edits, NULL);
    }
    if (status == OBV_OK) {
        status = observe(&feed->watch, &source->object, true);
    }
    if (status != OBV_OK) {
        end_feed(feed);
        return status;
    }
    *made = feed;
    return OBV_OK;
}

void end_feed(struct feed *feed)
{
    struct obv_container *source = feed->source;
    const struct obv_container_kind *access = feed->access;
    obv_edit_list_release(feed->edits);
    feed->edits = NULL;
    leave_watch(&feed->watch);
    if (source && access->release) {
        access->release(&source->object);
    }
}

void end_feeds(struct obv_derivation *derivation, struct order_tree *feeds)
{
    struct order_item *item;
    while ((item = order_first(feeds)) != NULL) {
        order_remove(feeds, item);
        end_feed(feed_of_item(item));
    }
    order_trim(feeds, derivation->binding);
}

/* Groups ------------------------------------------------------------------- */

struct obv_derived_list *find_group(const struct obv_derivation *derivation,
                                    const void *key)
{
    uint64_t hash = derivation->keys->hash(derivation->keys, key);
    struct link *link = table_chain(&derivation->groups, hash);
    for (; link; link = link->next) {
        struct obv_derived_list *list = (struct obv_derived_list *)(void *)link;
        if (link->hash == hash &&
            derivation->keys->equal(derivation->keys, list->key, key)) {
            return list;
        }
    }
    return NULL;
}

void end_group(struct obv_derived_list *list)
{
    struct obv_derivation *derivation = list->derivation;
    table_remove(&derivation->groups, &list->link);
    if (list->is_listed) {
        order_remove(&derivation->listed, &list->item);
    }
    if (list->group) {
        derivation->binding->end_group(list->group, derivation->bound);
    }
    free_key(derivation, list->key, derivation->keys);
    release_block(derivation->binding, list, sizeof *list);
}

/* Following ---------------------------------------------------------------- */

static enum obv_status run_pass(struct obv_derivation *derivation)
{
    struct pass pass = {.derivation = derivation};
    /* Questions that come during this pass are left to the next one. */
    pass.questions = derivation->questions;
    derivation->questions = 0;
    enum obv_status status = gather(&pass);
    if (status == OBV_OK && derivation->has_ended) {
        status = OBV_E_ENDED;
    }
    if (status == OBV_OK) {
        status = prepare(&pass);
    }
    if (status == OBV_OK) {
        derivation->is_lost = false;
        derivation->is_resliced = false;
        commit(&pass);
    }
    end_pass(&pass, status == OBV_OK);
    return status;
}

static void end_content(struct obv_derivation *derivation);

static void follow(struct obv_derivation *derivation)
{
    if (derivation->is_following || derivation->has_ended) {
        return;
    }
    atomic_fetch_add(&derivation->references, 1);
    derivation->is_following = true;
    enum obv_status status = OBV_OK;
    while (status == OBV_OK && !derivation->has_ended &&
           (derivation->queue || derivation->questions != 0 ||
            derivation->is_lost || derivation->is_resliced)) {
        status = run_pass(derivation);
        if (derivation->status != OBV_E_ENDED) {
            derivation->status = status;
        }
    }
    if (status != OBV_OK && status != OBV_E_ENDED) {
        derivation->is_lost = true;
        derivation->questions = OBV_DERIVED_ALL;
    }
    derivation->is_following = false;
    if (derivation->has_ended) {
        end_content(derivation);
    }
    release_derivation(derivation);
}

/* Creation and end --------------------------------------------------------- */

void trim_trees(struct obv_derivation *derivation)
{
    order_trim(&derivation->entries, derivation->binding);
    order_trim(&derivation->ranks, derivation->binding);
    order_trim(&derivation->listed, derivation->binding);
}

static void end_content(struct obv_derivation *derivation)
{
    const struct obv_derived_kind *kind = derivation->kind;
    struct order_item *item;
    while (derivation->queue) {
        struct watch *watch = derivation->queue;
        derivation->queue = watch->next;
        release_watch(watch);
    }
    while ((item = order_first(&derivation->listed)) != NULL) {
        end_group(list_of_item(item));
    }
    end_table(derivation, &derivation->groups);
    end_table(derivation, &derivation->by_element);
    while ((item = order_first(&derivation->ranks)) != NULL) {
        order_remove(&derivation->ranks, item);
    }
    derivation->all.count = 0;
    while ((item = order_first(&derivation->entries)) != NULL) {
        struct entry *entry = entry_of_item(item);
        order_remove(&derivation->entries, item);
        if (kind->left && (entry->is_shown || entry->is_mapped)) {
            kind->left(*shown_of(entry), derivation->argument);
        }
        end_entry(entry);
    }
    trim_trees(derivation);
    if (derivation->source) {
        end_feed(derivation->source);
        derivation->source = NULL;
    }
    end_feeds(derivation, &derivation->feeds);
}

void obv_derivation_end(struct obv_derivation *derivation)
{
    if (derivation) {
        derivation->has_ended = true;
        if (!derivation->is_following) {
            end_content(derivation);
        }
        release_derivation(derivation);
    }
}

static enum obv_status fail(struct obv_error *error, enum obv_status status,
                            const char *text)
{
    if (error) {
        *error = (struct obv_error){.status = status, .message = text};
    }
    return status;
}

static bool is_sound(const struct obv_derived_kind *kind,
                     const struct obv_derived_binding *binding)
{
    bool is_slice = kind->first != 0 || kind->limit != 0;
    return kind->size == sizeof *kind && binding->size == sizeof *binding &&
           (!is_slice ||
            (!kind->includes && !kind->map && !kind->compare && !kind->key)) &&
           (!kind->is_distinct || (kind->key && !kind->compare)) &&
           (!kind->key || kind->is_distinct ||
            (binding->begin_group && binding->end_group)) &&
           (kind->path_count == 0 || kind->paths || kind->compiled);
}

enum obv_status obv_derivation_create(struct obv_container *source,
                                      const struct obv_derived_kind *kind,
                                      const struct obv_derived_binding *binding,
                                      void *argument, void *bound,
                                      struct obv_derivation **made,
                                      struct obv_error *error)
{
    if (!source || !kind || !binding || !made || !is_sound(kind, binding)) {
        return fail(error, OBV_E_ARGUMENT,
                    "nothing can be derived by this kind");
    }
    *made = NULL;
    struct obv_derivation *derivation =
        allocate(binding, 1, derivation_size(kind));
    if (!derivation) {
        return fail(error, OBV_E_MEMORY, "there is no memory");
    }
    memset(derivation, 0, sizeof *derivation);
    atomic_init(&derivation->references, 1);
    derivation->kind = kind;
    derivation->binding = binding;
    derivation->keys = kind->keys ? kind->keys : &obv_text_keys;
    derivation->argument = argument;
    derivation->bound = bound;
    derivation->all.derivation = derivation;
    derivation->by_element.buckets = &derivation->by_element.only;
    derivation->groups.buckets = &derivation->groups.only;
    derivation->completion.complete = complete;
    derivation->first = kind->first;
    derivation->limit = kind->limit;
    derivation->is_slice = kind->first != 0 || kind->limit != 0;
    derivation->is_lost = true;
    derivation->is_following = true;
    enum obv_status status = new_feed(derivation, source, &derivation->source);
    derivation->is_following = false;
    if (status == OBV_OK) {
        follow(derivation);
        status = derivation->status;
    }
    if (status != OBV_OK) {
        obv_derivation_end(derivation);
        return fail(error, status, "the source cannot be followed");
    }
    derivation->is_begun = true;
    *made = derivation;
    return OBV_OK;
}

/* For the program ---------------------------------------------------------- */

struct obv_derived_list *obv_derivation_list(struct obv_derivation *derivation)
{
    bool has_groups = derivation->kind->key && !derivation->kind->is_distinct;
    return has_groups ? NULL : &derivation->all;
}

size_t obv_derived_list_count(const struct obv_derived_list *list)
{
    return is_by_rank(list->derivation) ? list->count
                                        : list->derivation->entries.size.weight;
}

void *const *obv_derived_list_at(const struct obv_derived_list *list,
                                 size_t position)
{
    static void *nothing;
    const struct obv_derivation *derivation = list->derivation;
    if (position >= obv_derived_list_count(list)) {
        return &nothing;
    }
    if (!is_by_rank(derivation)) {
        return shown_of(entry_of_item(
            order_at(&derivation->entries, ORDER_WEIGHT, (uint32_t)position)));
    }
    return shown_of(entry_of_rank(order_at(
        &derivation->ranks, ORDER_COUNT, start_of(list) + (uint32_t)position)));
}

void *obv_derivation_group(struct obv_derivation *derivation, const void *key)
{
    struct obv_derived_list *list = find_group(derivation, key);
    return list && list->is_listed ? list->group : NULL;
}

enum obv_status obv_derivation_status(const struct obv_derivation *derivation)
{
    if (!derivation) {
        return OBV_E_ARGUMENT;
    }
    const struct feed *source = derivation->source;
    return source && obv_has_ended(source->watch.observation)
               ? OBV_E_ENDED
               : derivation->status;
}

enum obv_status obv_derivation_refresh(struct obv_derivation *derivation,
                                       unsigned questions)
{
    if (derivation) {
        derivation->questions |= questions & OBV_DERIVED_ALL;
        follow(derivation);
    }
    return obv_derivation_status(derivation);
}

/* The next entry of an element behind `entry`, or the first (NULL). If the
   source has keys, the table finds entries by key alone: all of them are
   walked. */
static struct entry *next_entry(const struct obv_derivation *derivation,
                                const void *element, struct entry *entry)
{
    const struct obv_derived_binding *binding = derivation->binding;
    bool has_keys = derivation->source->access->key;
    do {
        if (has_keys) {
            const struct order_item *item =
                entry ? order_beside(&entry->item, 1)
                      : order_first(&derivation->entries);
            entry = item ? entry_of_item(item) : NULL;
        } else {
            const struct link *link =
                entry ? entry->link.next
                      : table_chain(&derivation->by_element,
                                    binding->hash(element, derivation->bound));
            entry = link ? entry_of_link(link) : NULL;
        }
    } while (entry &&
             !binding->same(entry->element, element, derivation->bound));
    return entry;
}

enum obv_status
obv_derivation_refresh_element(struct obv_derivation *derivation,
                               const void *element)
{
    struct entry *entry = NULL;
    if (!derivation) {
        return OBV_E_ARGUMENT;
    }
    while ((entry = next_entry(derivation, element, entry)) != NULL) {
        enqueue(&entry->watch);
    }
    follow(derivation);
    return derivation->status;
}

size_t obv_derived_list_index(const struct obv_derived_list *list,
                              const void *element)
{
    const struct obv_derivation *derivation = list->derivation;
    bool by_rank = is_by_rank(derivation);
    struct entry *entry = NULL;
    size_t least = SIZE_MAX;
    while ((entry = next_entry(derivation, element, entry)) != NULL) {
        if (entry->is_shown && (!by_rank || entry->list == list)) {
            size_t position = by_rank ? position_in(list, entry)
                                      : order_before(&entry->item).weight;
            least = position < least ? position : least;
        }
    }
    return least;
}

enum obv_status obv_derivation_slice(struct obv_derivation *derivation,
                                     size_t first, size_t limit)
{
    if (!derivation || !derivation->is_slice) {
        return OBV_E_ARGUMENT;
    }
    derivation->first = first;
    derivation->limit = limit;
    derivation->is_resliced = true;
    follow(derivation);
    return derivation->status;
}
