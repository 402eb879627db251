/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry: nodes, their slots and lists.
 *
 * Publication. A node is filled, then exchanged for the class in the header
 * word; two threads that race keep the first. The same for `more`. Nothing of
 * it goes before the object's end, so the inline setters may read the node
 * outside of any epoch section.
 *
 * Lists. A watcher's `next` keeps its value after unlinking, so that a walker
 * that stands on it goes on in the list that it was in; therefore a watcher is
 * linked once in its life, and rewiring makes a new one. The last of a list may
 * move to another object (obv__watcher_move()): a walker that stands on it has
 * no watcher left to meet, and passes over those of the other list.
 *
 * The registration epoch. A process-wide number, raised after each linking, and
 * by a drain before its first call if stamps may stand for what it is about to
 * call. A walk that finds every watcher of a slot pending, and may stamp it
 * (the argument is coalescing_set.c, 7), writes the registration epoch which it
 * read before it began into the slot's all-pending stamp. A setter that finds
 * stamp and epoch equal has nothing to tell:
 *
 *   - no watcher has been linked since (linking raises the registration epoch
 *     after it, so a walk that missed the watcher has read an older one);
 *   - no drain has since called a watcher that the walk has found pending, and
 *     none was about to when the walk looked: between taking what it calls and
 *     marking that as called, a drain looks whether stamps may stand, and
 *     raises the registration epoch. So every call that the walk found pending
 *     is still to come, and will see the value.
 *
 * A walk that has posted a watcher does not mark it: the next one does. So a
 * set and a drain in turns make no stamp, and the drain raises nothing.
 */
#include "model/node.h"

#include "model/misuse.h"

#include "model/computed.h"
#include "model/inbound.h"
#include "model/observed_state.h"
#include "model/path_node.h"
#include "model/value.h"

uintptr_t obv_detail_plain = OBV_DETAIL_ALL_PLAIN;
uint64_t obv_detail_registration_epoch = UINT64_C(1) << 32 | 1;

struct obv_class obv__ended;

void obv__tell_of_all_sets(size_t change)
{
    static struct obv__lock lock;
    static size_t count;
    obv__lock_enter(&lock);
    count += change;
    /* Seq_cst, pairs with the any-thread setter's look after its store: either
       that finds this, or the thread that begins to observe finds the value. */
    (void)obv__exchange_seq_cst(
        &obv_detail_plain, count == 0 ? OBV_DETAIL_ALL_PLAIN : (uintptr_t)0);
    obv__lock_leave(&lock);
}

void obv_object_init(struct obv_object *object, struct obv_class *cls)
{
    if (OBV__CHECKS_MISUSE && !cls->is_cell && !cls->is_foreign &&
        obv__misuse_unobserved(object)) {
        obv__tell_misuse(cls->context, OBV__INIT_AGAIN, cls, NULL);
    }
    /* Release: a thread that is given the object sees the word. */
    obv__store_release(&object->word, (uintptr_t)cls | OBV_DETAIL_NO_NODE);
}

void obv_object_adopt(struct obv_object *object, struct obv_class *cls)
{
    uintptr_t none = OBV_DETAIL_NO_NODE;
    /* Release: a thread that finds the class sees it whole. */
    (void)obv__cas_acq_rel(&object->word, &none,
                           (uintptr_t)cls | OBV_DETAIL_NO_NODE);
}

struct obv_class *obv_object_class(const struct obv_object *object)
{
    uintptr_t word = obv__word(object);
    return word ? obv__class_of_word(word) : NULL;
}

enum obv_status obv__check_object(const struct obv_object *object,
                                  struct obv_error *error)
{
    if (!object) {
        return obv__fail(error, OBV_E_ARGUMENT, "the object is null");
    }
    if (obv__object_has_ended(object)) {
        return obv__fail(error, OBV_E_ENDED, "the object has ended");
    }
    return obv__class_or_null(object)
               ? OBV_OK
               : obv__fail(error, OBV_E_ARGUMENT, "the object has no class");
}

void obv__object_end(struct obv_object *object)
{
    (void)obv__exchange_acq_rel(&object->word,
                                (uintptr_t)&obv__ended | OBV_DETAIL_NO_NODE);
}

/* Bytes of a node; one without slots has the list of `*` in their place. */
static size_t node_size(uint32_t slots)
{
    return offsetof(struct obv_detail_node, slots) +
           (slots == 0 ? sizeof(uintptr_t)
                       : slots * sizeof(struct obv_detail_slot));
}

/* The place of the address in a node of a class that knows its objects. */
static struct obv_object **object_place(const struct obv_detail_node *node)
{
    return (struct obv_object **)((uintptr_t)node +
                                  node_size(node->slot_count));
}

static size_t size_with_object(const struct obv_class *cls, uint32_t slots)
{
    return node_size(slots) +
           (cls->knows_objects ? sizeof(struct obv_object *) : 0);
}

struct obv_object *obv__node_object(const struct obv_detail_node *node)
{
    return *object_place(node);
}

OBV__NOINLINE static struct obv_detail_node *
ensure_with(struct obv_object *object, bool with_slots)
{
    uintptr_t word = obv__word(object);
    if (!(word & OBV_DETAIL_NO_NODE)) {
        return obv__node(object);
    }
    const struct obv_class *cls = obv__class_of_word(word);
    uint32_t slots = with_slots ? cls->property_count : 0;
    size_t size = size_with_object(cls, slots);
    struct obv_detail_node *node =
        cls == &obv__ended ? NULL
                           : obv__context_allocate_zeroed(cls->context, size);
    if (!node) {
        return NULL;
    }
    node->class_number = cls->number;
    node->slot_count = (uint16_t)slots;
    if (cls->knows_objects) {
        *object_place(node) = object;
    }
    uintptr_t made = (uintptr_t)node | (slots != 0 ? OBV_DETAIL_HAS_SLOTS : 0);
    /* Release publishes the node. Seq_cst, pairs with the any-thread setter's
       second look at the header: it sees the node, or we its value. */
    if (!obv__cas_seq_cst(&object->word, &word, made)) {
        obv__context_free(cls->context, node, size);
    } else if (OBV__CHECKS_MISUSE && !cls->is_cell && !cls->is_foreign) {
        obv__misuse_observed(object);
    }
    return obv__node(object);
}

struct obv_detail_node *obv__node_ensure(struct obv_object *object)
{
    return ensure_with(object, true);
}

struct obv_detail_slot obv__slots_of_every[2] = {
    {OBV_DETAIL_EVERY, 0}, {OBV_DETAIL_EVERY | OBV_DETAIL_SLOW_PATH, 0}};

/* Whether an object that paths reach by `*` alone needs no slots: all of them
   would say the same. A property watched by name then has a slot as a late
   property has. */
static bool may_be_without_slots(const struct obv_class *cls)
{
    return obv__class_is_plain(cls) && cls->flags == 0 &&
           !cls->observed_changed && !cls->container;
}

/* The second part of a node of an object. */
OBV__NOINLINE static struct obv__more *more_of(struct obv_object *object,
                                               struct obv_detail_node *node)
{
    struct obv_class *cls = obv__class_of(object);
    size_t size = cls->observed_changed
                      ? obv__observed_state_size(cls->property_count)
                      : sizeof(struct obv__more);
    struct obv__more *more = obv__more(node);
    if (more) {
        return more;
    }
    more = obv__context_allocate_zeroed(cls->context, size);
    if (!more) {
        return NULL;
    }
    if (cls->observed_changed) {
        obv__observed_state_init(more, object, node);
    }
    uintptr_t none = 0;
    /* Release publishes it. */
    if (!obv__cas_acq_rel(&node->more, &none, (uintptr_t)more)) {
        obv__context_free(cls->context, more, size);
    }
    return obv__more(node);
}

struct obv__more *obv__more_ensure(struct obv_object *object)
{
    struct obv_detail_node *node = obv__node_ensure(object);
    return node ? more_of(object, node) : NULL;
}

/* Numbers of objects; any thread. */
static uint64_t objects_numbered;

uint64_t obv__identity_of(struct obv__more *more)
{
    /* Relaxed, all: a number and nothing behind it. */
    uint64_t identity = obv__load_relaxed(&more->identity);
    if (identity == 0) {
        uint64_t made = obv__fetch_add_relaxed(&objects_numbered, 1) + 1;
        /* Two threads that race keep the first. */
        if (obv__cas_acq_rel(&more->identity, &identity, made)) {
            identity = made;
        }
    }
    return identity;
}

uint64_t obv__object_number(struct obv_object *object, bool make)
{
    const struct obv_detail_node *node = object ? obv__node(object) : NULL;
    struct obv__more *more = node ? obv__more(node) : NULL;
    if (make) {
        more = obv__object_is_ending(object) ? NULL : obv__more_ensure(object);
    }
    return more ? obv__identity_of(more) : 0;
}

static const struct obv_class *class_of(const struct obv_detail_node *node)
{
    return obv__class_by_number(node->class_number);
}

/* The node of an object at which something hangs, or is to. */
static struct obv_detail_node *node_there(const struct obv_object *object)
{
    return (struct obv_detail_node *)(obv__word(object) &
                                      ~OBV_DETAIL_HAS_SLOTS);
}

/* obv__list_prepare() where the node, its second part or a late slot is yet to
   be made. */
OBV__NOINLINE static struct obv_detail_node *
prepare_slowly(struct obv_object *object, uint32_t slot)
{
    struct obv_class *cls = obv__class_of(object);
    struct obv_detail_node *node = obv__node(object);
    if (!node) {
        node = ensure_with(object, slot != OBV__SLOT_EVERY ||
                                       !may_be_without_slots(cls));
    }
    if (!node || (cls->observed_changed && !more_of(object, node))) {
        return NULL;
    }
    if (slot < node->slot_count ||
        (slot == OBV__SLOT_EVERY && node->slot_count == 0)) {
        return node;
    }
    struct obv__more *more = more_of(object, node);
    return more && (slot > OBV__SLOT_LAST ||
                    obv__late_slot_prepare(cls->context, &more->late,
                                           slot - node->slot_count))
               ? node
               : NULL;
}

struct obv_detail_node *obv__list_prepare(struct obv_object *object,
                                          const struct obv_class *cls,
                                          uint32_t slot)
{
    struct obv_detail_node *node = obv__node(object);
    return node && slot < node->slot_count && !cls->observed_changed
               ? node
               : prepare_slowly(object, slot);
}

OBV__INLINE uintptr_t *list_in(struct obv_detail_node *node, uint32_t slot)
{
    if (!OBV__UNLIKELY(slot >= node->slot_count)) {
        return &node->slots[slot].head;
    }
    if (slot == OBV__SLOT_EVERY) {
        return obv__every(node);
    }
    if (slot > OBV__SLOT_LAST) {
        struct obv__more *more = obv__more(node);
        return more ? &more->attached : NULL;
    }
    struct obv_detail_slot *found = obv__slot(node, slot);
    return found ? &found->head : NULL;
}

uintptr_t *obv__list(struct obv_detail_node *node, uint32_t slot)
{
    return node ? list_in(node, slot) : NULL;
}

void obv__each_list(struct obv_detail_node *node,
                    void (*visit)(void *context, uint32_t slot,
                                  uintptr_t *head),
                    void *context)
{
    const struct obv__more *more = obv__more(node);
    uintptr_t *every = obv__every(node),
              *attached = list_in(node, OBV__SLOT_NONE);
    for (uint32_t slot = 0; slot < node->slot_count; slot++) {
        visit(context, slot, &node->slots[slot].head);
    }
    if (more) {
        obv__late_slots_each(obv__load_acquire(&more->late), node->slot_count,
                             visit, context);
    }
    if (every) {
        visit(context, OBV__SLOT_EVERY, every);
    }
    if (attached) {
        visit(context, OBV__SLOT_NONE, attached);
    }
}

static void set_head(uintptr_t *head, const struct obv__watcher *first)
{
    uintptr_t bits = obv__load_relaxed(head) & OBV_DETAIL_HEAD_BITS;
    /* Release, pairs with obv__first(). */
    obv__store_release(head, (uintptr_t)first | bits);
}

static void set_bits(uintptr_t *head, uintptr_t clear, uintptr_t set)
{
    /* Relaxed load: only holders of the lock write. Release store: the setter
       that sees the bit goes the slow path, which loads the list itself. */
    obv__store_release(head, (obv__load_relaxed(head) & ~clear) | set);
}

void obv__list_append(uintptr_t *head, uintptr_t bits,
                      struct obv__watcher *watcher)
{
    /* Relaxed: only holders of the lock write. */
    uintptr_t word = obv__load_relaxed(head) | bits;
    struct obv__watcher *first =
        (struct obv__watcher *)(word & ~OBV_DETAIL_HEAD_BITS);
    obv__store_relaxed(&watcher->next, NULL);
    if (!first) {
        watcher->back.previous = watcher;
        /* Release, pairs with obv__first(). */
        obv__store_release(head, word | (uintptr_t)watcher);
        return;
    }
    struct obv__watcher *last = first->back.previous;
    watcher->back.previous = last;
    first->back.previous = watcher;
    /* Release, as in set_bits(). */
    obv__store_release(head, word);
    /* Release, pairs with obv__next(): its fields are seen. */
    obv__store_release(&last->next, watcher);
}

void obv__list_remove(uintptr_t *head, struct obv__watcher *watcher)
{
    struct obv__watcher *first = obv__first(head);
    struct obv__watcher *next = obv__load_relaxed(&watcher->next);
    struct obv__watcher *previous = watcher->back.previous;
    if (watcher == first) {
        if (next) {
            next->back.previous = previous;
        }
        set_head(head, next);
        return;
    }
    /* Release: a walker that skips over us sees the next one's fields. */
    obv__store_release(&previous->next, next);
    (next ? next : first)->back.previous = previous;
}

/* Whether a slot has the slow-path bit while anybody watches it. */
OBV__INLINE bool is_compared_its_own_way(const struct obv_class *cls,
                                         uint32_t slot)
{
    return OBV__UNLIKELY(!obv__class_is_plain(cls)) && slot <= OBV__SLOT_LAST &&
           obv__compares_its_own_way(obv__property_in(cls, slot));
}

/* The bits of every property's slot for the watchers of all of them. */
static uintptr_t bits_for_every(struct obv_detail_node *node)
{
    const uintptr_t *every = obv__list(node, OBV__SLOT_EVERY);
    return every && obv__first(every)
               ? OBV_DETAIL_EVERY |
                     (obv__load_relaxed(every) & OBV_DETAIL_SLOW_PATH)
               : 0;
}

/* The head bits that a list needs for one watcher. `first`: the list's first
   watcher, or NULL. Only bindings and edges take the slow path. */
OBV__INLINE uintptr_t bits_of(struct obv__watcher *watcher,
                              const struct obv__watcher *first)
{
    if (obv__is_solo(watcher)) {
        bool is_other =
            first && ((watcher->type ^ first->type) & OBV__IMMEDIATE);
        return is_other || obv__has_state(watcher, OBV__TURNED)
                   ? OBV_DETAIL_MIXED
                   : 0;
    }
    return obv__what(watcher) == OBV__BINDING &&
                   obv__has_state(watcher, OBV__SLOW)
               ? OBV_DETAIL_MIXED | OBV_DETAIL_SLOW_PATH
               : OBV_DETAIL_MIXED;
}

/* How many watchers a removal asks whether they still need a bit. A bit that
   stays for want of a longer look costs time, never a call. */
#define LOOK_FOR 32

/* The head bits that a list needs, for its own watchers and for those of `*`
   (which have to learn what a weak property holds: binding.c). */
OBV__INLINE uintptr_t needed_bits(struct obv_detail_node *node,
                                  const struct obv_class *cls,
                                  const uintptr_t *head, uint32_t slot,
                                  uintptr_t for_every)
{
    struct obv__watcher *first = obv__first(head), *w = first;
    uintptr_t present =
        obv__load_relaxed(head) & (OBV_DETAIL_MIXED | OBV_DETAIL_SLOW_PATH);
    uintptr_t bits = slot <= OBV__SLOT_LAST ? for_every : 0;
    if (slot <= OBV__SLOT_LAST &&
        OBV__UNLIKELY(!obv__class_is_plain(cls) || for_every ||
                      (cls->flags & OBV_ANY_THREAD))) {
        bool is_watched =
            w || for_every ||
            (obv__slot_is_computed(cls, slot) && obv__computed_in(node, slot));
        bool is_slow =
            (is_watched && is_compared_its_own_way(cls, slot)) ||
            (for_every && (obv__property_in(cls, slot)->flags & OBV_WEAK)) ||
            ((cls->flags & OBV_ANY_THREAD) && obv__inbound_is_told(node, slot));
        bits |= is_slow ? OBV_DETAIL_SLOW_PATH : 0;
    }
    for (unsigned left = LOOK_FOR; w && (present & ~bits); w = w->next) {
        bits |= left-- != 0 ? bits_of(w, first) : present;
    }
    return bits;
}

struct spreading {
    struct obv_detail_node *node;
    uintptr_t for_every;
};

static void spread_to(void *context, uint32_t slot, uintptr_t *head)
{
    const struct spreading *spreading = context;
    const struct obv_class *cls = class_of(spreading->node);
    if (slot < cls->property_count) {
        set_bits(head, OBV_DETAIL_HEAD_BITS,
                 needed_bits(spreading->node, cls, head, slot,
                             spreading->for_every));
    }
}

/* Writes into every slot whether `*` is watched and needs the slow path, if
   that has changed. */
OBV__NOINLINE static void spread_every(struct obv_detail_node *node,
                                       uintptr_t before)
{
    struct spreading spreading = {node, bits_for_every(node)};
    if (spreading.for_every != before) {
        obv__each_list(node, spread_to, &spreading);
    }
}

/* The bits of a node's flags that say which properties may be watched
   (obv_detail_filter_bit()). */
#define FILTER_BITS (~OBV__NODE_ENDING)

/* Sets the filter bits of a slot of a custom class; as the linking, before the
   registration epoch is raised for the watcher. A late property has none: no
   setter knows it by an offset. */
static void filter_in(struct obv_detail_node *node, const struct obv_class *cls,
                      uint32_t slot)
{
    uint32_t bits = !obv__class_is_custom(cls) ? 0
                    : slot == OBV__SLOT_EVERY  ? FILTER_BITS
                    : slot < cls->property_count
                        ? obv_detail_filter_bit(cls->properties[slot]->offset)
                        : 0;
    if ((obv__load_relaxed(&node->flags) & bits) != bits) {
        obv__fetch_or_acq_rel(&node->flags, bits);
    }
}

/* Whether a watcher counts for the object's own hook. A watcher that holds a
   container (container.c) holds it for class-level observations as well. */
static bool counts(const struct obv_class *cls, struct obv__watcher *watcher)
{
    return cls->container ? !obv__is_edge(watcher)
                          : !obv__is_uncounted(watcher);
}

/* Notes that a list gets its first watcher that counts, or has lost its last
   (OS-1): before a watcher is linked, and after it is unlinked. Nothing is told
   of late properties. */
OBV__NOINLINE static void note_first_or_last(const struct obv_detail_node *node,
                                             const uintptr_t *head,
                                             uint32_t slot,
                                             struct obv__watcher *watcher,
                                             bool is_observed)
{
    const struct obv_class *cls = class_of(node);
    bool is_told = (slot < node->slot_count || slot == OBV__SLOT_EVERY) &&
                   counts(cls, watcher);
    struct obv__watcher *w = is_told ? obv__first(head) : NULL;
    while (w && !counts(cls, w)) {
        w = obv__next(w);
    }
    if (is_told && !w) {
        obv__observed_state_queue_locked(node, slot, is_observed);
    }
}

void obv__link_locked(struct obv_object *object, struct obv_detail_node *node,
                      const struct obv_class *cls, uint32_t slot,
                      struct obv__watcher *watcher)
{
    uintptr_t *head = list_in(node, slot);
    bool is_of_every = slot == OBV__SLOT_EVERY;
    uintptr_t every = OBV__UNLIKELY(is_of_every || node->slot_count == 0)
                          ? bits_for_every(node)
                          : 0;
    watcher->slot = (uint16_t)slot;
    watcher->serial =
        (uint32_t)(obv__registration_epoch() >> obv__serial_shift(watcher));
    obv__store_release(&watcher->place, (uintptr_t)object);
    /* Before a walk can meet the watcher: a setter that finds a bit missing has
       stored its value before the registration epoch was raised for this
       watcher. */
    uintptr_t bits = bits_of(watcher, obv__first(head));
    if (OBV__UNLIKELY(!obv__class_is_plain(cls))) {
        filter_in(node, cls, slot);
        bits |= is_compared_its_own_way(cls, slot) ? OBV_DETAIL_SLOW_PATH : 0;
    }
    bits |= slot <= OBV__SLOT_LAST ? every : 0;
    if (OBV__UNLIKELY(cls->observed_changed != NULL)) {
        note_first_or_last(node, head, slot, watcher, true);
    }
    obv__list_append(head, bits, watcher);
    if (OBV__UNLIKELY(!obv__class_is_plain(cls))) {
        obv__computed_watched(cls, node, slot);
    }
    if (is_of_every) {
        spread_every(node, every);
    }
    if (OBV__UNLIKELY(cls->flags & OBV_ANY_THREAD) && !obv__is_solo(watcher) &&
        (watcher->state & OBV__SLOW)) {
        obv__inbound_begin_locked(object, slot, watcher);
    }
}

OBV__FLAT enum obv_status obv__hang(struct obv_object *object, uint32_t slot,
                                    struct obv__watcher *watcher)
{
    const struct obv_class *cls = obv__class_of(object);
    struct obv_detail_node *node = obv__list_prepare(object, cls, slot);
    struct obv__lock *stripe = obv__lock_stripe(object);
    if (!node) {
        return OBV_E_MEMORY;
    }
    obv__lock_enter(stripe);
    obv__link_locked(object, node, cls, slot, watcher);
    obv__lock_leave(stripe);
    return OBV_OK;
}

bool obv__list_is_slow(const uintptr_t *head)
{
    struct obv__watcher *w = head ? obv__first(head) : NULL;
    while (w &&
           !(obv__what(w) == OBV__BINDING && obv__has_state(w, OBV__SLOW))) {
        w = obv__next(w);
    }
    return w != NULL;
}

void obv__list_slow(struct obv_object *object, uint32_t slot)
{
    struct obv__lock *stripe = obv__lock_stripe(object);
    obv__lock_enter(stripe);
    set_bits(list_in(obv__node(object), slot), 0, OBV_DETAIL_SLOW_PATH);
    obv__lock_leave(stripe);
}

void obv__list_turned(struct obv__watcher *solo)
{
    uintptr_t place = obv__load_acquire(&solo->place);
    if (place == 0 || (place & OBV__PATH_NODE_TAG)) {
        return;
    }
    struct obv__lock *stripe = obv__lock_stripe((void *)place);
    obv__lock_enter(stripe);
    /* Linked there: so the object lives. */
    if (obv__has_state(solo, OBV__LINKED) &&
        obv__load_acquire(&solo->place) == place) {
        struct obv_detail_node *node = obv__node((struct obv_object *)place);
        set_bits(list_in(node, solo->slot), 0, OBV_DETAIL_MIXED);
    }
    obv__lock_leave(stripe);
}

void obv__list_refresh_locked(struct obv_detail_node *node,
                              const struct obv_class *cls, uintptr_t *head,
                              uint32_t slot)
{
    /* Relaxed: only holders of the lock write. */
    uintptr_t for_every =
        obv__load_relaxed(head) & OBV_DETAIL_EVERY ? bits_for_every(node) : 0;
    uintptr_t needed = needed_bits(node, cls, head, slot, for_every);
    set_bits(head, (OBV_DETAIL_MIXED | OBV_DETAIL_SLOW_PATH) & ~needed, 0);
}

OBV__INLINE void unlink_from(struct obv_detail_node *node,
                             const struct obv_class *cls, uint32_t slot,
                             struct obv__watcher *watcher)
{
    uintptr_t *head = list_in(node, slot);
    bool is_of_every = slot == OBV__SLOT_EVERY;
    uintptr_t every = is_of_every ? bits_for_every(node) : 0;
    obv__list_remove(head, watcher);
    if (obv__load_relaxed(head) & (OBV_DETAIL_MIXED | OBV_DETAIL_SLOW_PATH)) {
        obv__list_refresh_locked(node, cls, head, slot);
    }
    if (is_of_every) {
        spread_every(node, every);
    }
    if (OBV__UNLIKELY(cls->observed_changed != NULL)) {
        note_first_or_last(node, head, slot, watcher, false);
    }
}

const struct obv_class *obv__unlink_locked(struct obv__watcher *watcher)
{
    struct obv_detail_node *node =
        node_there((struct obv_object *)watcher->place);
    const struct obv_class *cls = class_of(node);
    unlink_from(node, cls, watcher->slot, watcher);
    return cls;
}

OBV__FLAT bool obv__watcher_move(struct obv__watcher *watcher,
                                 const struct obv_class *cls,
                                 struct obv_object *object)
{
    struct obv_object *before = (struct obv_object *)watcher->place;
    uint32_t slot = watcher->slot;
    struct obv_detail_node *node = obv__list_prepare(object, cls, slot);
    struct obv__lock *stripe = obv__lock_stripe(before);
    if (!node || slot > OBV__SLOT_LAST) {
        return false;
    }
    obv__lock_enter(stripe);
    if (obv__next(watcher)) {
        obv__lock_leave(stripe);
        return false;
    }
    unlink_from(node_there(before), cls, slot, watcher);
    obv__lock_leave(stripe);
    stripe = obv__lock_stripe(object);
    obv__lock_enter(stripe);
    obv__link_locked(object, node, cls, slot, watcher);
    obv__lock_leave(stripe);
    return true;
}

void obv__mark_middle_locked(struct obv__watcher *binding)
{
    struct obv_object *object = (struct obv_object *)binding->place;
    obv__fetch_or_acq_rel(&binding->state, OBV__MIDDLE | OBV__SLOW);
    struct obv_detail_node *node = obv__node(object);
    uintptr_t every = bits_for_every(node);
    set_bits(obv__list(node, binding->slot), 0, OBV_DETAIL_SLOW_PATH);
    if (binding->slot == OBV__SLOT_EVERY) {
        spread_every(node, every);
    }
    if (OBV__UNLIKELY(class_of(node)->flags & OBV_ANY_THREAD)) {
        obv__inbound_begin_locked(object, binding->slot, binding);
    }
}

void obv__observer_unlink_locked(struct obv__watcher *observation)
{
    struct obv__observer_link *link = obv__observer_link(observation);
    if (link->place) {
        *link->place = link->next;
        if (link->next) {
            obv__observer_link(link->next)->place = link->place;
        }
        link->next = NULL;
        link->place = NULL;
    }
}

void obv__observer_unlink(struct obv__watcher *observation)
{
    if (observation->type & OBV__OBSERVER_LINKED) {
        struct obv__lock *stripe = obv__lock_stripe(observation->of);
        obv__lock_enter(stripe);
        obv__observer_unlink_locked(observation);
        obv__lock_leave(stripe);
    }
}

void obv__watcher_retire(struct obv_context *context,
                         struct obv__watcher *watcher)
{
    /* Relaxed: a loop that ends on another thread meanwhile flushes there. */
    bool may_be_loops_last = obv__load_relaxed(&context->ended_loops) != 0 &&
                             obv__what(watcher) <= OBV__GROUP &&
                             (watcher->type & OBV__HAS_ITEM);
    obv__retire(&context->retired, &watcher->back.retired,
                OBV__RETIRED_WATCHER);
    if (OBV__UNLIKELY(may_be_loops_last)) {
        obv__domain_flush_outside(&context->retired);
    }
}

void obv__node_retire(struct obv_class *cls, struct obv_detail_node *node)
{
    /* The word of `more`, which stands first, is lent to the reclaim: a walker
       in a list of the ended object has read that word before. */
    struct obv__more *more = obv__more(node);
    if (OBV__UNLIKELY(obv__class_has_computed(cls))) {
        obv__computed_retire(cls, node);
    }
    if (more) {
        obv__retire(&cls->context->retired, &more->retired,
                    cls->observed_changed ? OBV__RETIRED_OBSERVED_STATE
                                          : OBV__RETIRED_MORE);
    }
    obv__retire(&cls->context->retired, (struct obv__retired *)(void *)node,
                OBV__RETIRED_NODE);
}

void obv__more_free(struct obv_context *context, struct obv__retired *block)
{
    struct obv__more *more = (struct obv__more *)(void *)block;
    obv__late_slots_free(context, more->late);
    obv__inbounds_free(context, more->inbound);
    obv__context_free(context, more, sizeof *more);
}

void obv__node_free(struct obv_context *context, struct obv__retired *block)
{
    struct obv_detail_node *node = (struct obv_detail_node *)(void *)block;
    obv__context_free(context, node,
                      size_with_object(class_of(node), node->slot_count));
}
