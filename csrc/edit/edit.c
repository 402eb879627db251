/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that every change goes through. Its phases, by these numbers
 * everywhere:
 *
 *     1  compare and store (access/setter.c; of containers their own files)
 *     2  mark what is computed of it: no code of the program runs
 *     3  rewire what leads on through it, and collect what is due
 *     4  schedule the delayed: both ends are held, their loops are woken
 *     5  compute what immediate observations follow; what comes of it joins in
 *     6  call the immediate
 *
 * None before the last calls a handler. Scheduling comes before the calls,
 * since those may let go of the last reference to an end.
 *
 * A list that is not mixed holds observations of one pair, all delayed or all
 * immediate, in the order of their registration: it is gone through as it is.
 * In every other case what is due is collected first and sorted (work_list.c).
 *
 * Which watchers an edit is for: those that hang in the list when it looks, but
 * none that came since it began (RE-1, DR-7). The registration epoch is read
 * after the store, so a watcher that came before it has its serial below.
 *
 * A set of a word ends with phase 2 if nothing hangs in its slot but the edges
 * of computed properties (obv__edit_word()).
 *
 * Some observations ask for a call before the store. An edit also passes over
 * the watchers that were registered during those calls.
 *
 * A set of an any-thread property tells at once the observations that ask for
 * nothing but the call. For all other watchers the set is a part of an inbound
 * edit, which the drain of a loop makes (model/inbound.h).
 */
#include "edit/edit.h"

#include "dispatch/delivery.h"
#include "dispatch/work_list.h"
#include "dispatch/delivery_inline.h"
#include "dispatch/inbound_queue.h"
#include "edit/overlap.h"
#include "model/above.h"
#include "model/node.h"
#include "dispatch/trace.h"
#include "wiring/binding.h"
#include "wiring/invalidation.h"
#include "wiring/leaves.h"
#include "wiring/wiring.h"

/* An edit's walk of the lists of its object. */
struct walk {
    struct obv__thread *thread;
    struct obv_object *object;
    const struct obv_detail_node *node; /* the object's */
    uint64_t since;                     /* the registration epoch after the
                                           store */
};

/* Whether a watcher was linked after the edit began. Rare: the epochs are
   compared first. */
static bool is_new(const struct obv__watcher *watcher, uint64_t since)
{
    uint64_t now = obv__registration_epoch();
    return OBV__UNLIKELY(now != since) && obv__came_since(watcher, since, now);
}

/* Observations of one pair, in order ------------------------------------- */

/* The type bits of an observation of one pair that was begun as an immediate
   one, OBV__HAS_ITEM aside. In a list that is not mixed, all watchers have them
   or none has (node.c). */
enum { PLAIN_IMMEDIATE = OBV__SOLO | OBV__IMMEDIATE };

OBV__INLINE unsigned sort_of(const struct obv__watcher *watcher)
{
    return watcher->type & (OBV__WHAT | OBV__IMMEDIATE | OBV__HAS_ITEM);
}

OBV__INLINE bool is_plain_immediate(const struct obv__watcher *watcher)
{
    return (sort_of(watcher) & ~(unsigned)OBV__HAS_ITEM) == PLAIN_IMMEDIATE;
}

/* Calls a pinned observation on the general path: it has ended, or its kind
   holds the observer. */
OBV__NOINLINE static void call_by_itself(struct obv__thread *thread,
                                         struct obv_context *context,
                                         struct obv__watcher *solo,
                                         struct obv_object *root)
{
    obv__running_pop_as(thread, OBV__IS_OUTSIDE);
    thread->slots[OBV__THREAD_DEPTH] = NULL;
    obv__call_immediate_here(thread, context, solo, root, true);
}

/* Calls one of several observations, which share `call`. `has_handle`, a
   constant: the program may know the observation by a handle. The caller clears
   the depth after the last call. Returns whether `solo` is still pinned. */
OBV__INLINE bool call_next(struct obv__thread *thread,
                           struct obv_context *context,
                           struct obv__watcher *solo, struct obv_object *root,
                           bool has_handle, struct obv_call *call)
{
    const struct obv_handler_kind *kind;
    thread->slots[OBV__THREAD_DEPTH] = (void *)(uintptr_t)1;
    obv__running_push_as(thread, solo, OBV__IS_OUTSIDE);
    if (OBV__UNLIKELY(!obv__has_state(solo, OBV__LINKED)) ||
        (kind = solo->with.kind)->retain) {
        call_by_itself(thread, context, solo, root);
        return false;
    }
    call->kind = kind;
    call->observation = has_handle ? (void *)solo : NULL;
    OBV__NO_EXCEPTION_LEAVES();
    kind->changed(solo->of, root, call);
    return true;
}

/* Calls a list of immediate observations. Watchers linked behind them since are
   not called; the sort tells, since the serial does not for an edge or a
   delayed one that is being linked. The object is held once for all calls. An
   object that nothing holds may be gone after the first call; its list is
   not. */
OBV__NOINLINE static void call_plain(const struct walk *walk,
                                     const uintptr_t *head)
{
    struct obv__thread *thread = walk->thread;
    struct obv_object *object = walk->object;
    const struct obv_class *cls = obv__class_of(object);
    struct obv_call call = {.kind = NULL};
    if (cls->retain && !cls->retain(object)) {
        return; /* at its end: nothing rooted there is called (LT-10) */
    }
    struct obv_context *context = cls->context;
    const uint64_t *epoch = &obv_detail_registration_epoch;
    uint64_t since = walk->since;
    OBV__OPAQUE(epoch); /* else its address is found anew each time */
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        unsigned sort = sort_of(w);
        bool is_pinned = false;
        /* Each with its own call: the handle is a constant there. */
        if (sort == (PLAIN_IMMEDIATE | OBV__HAS_ITEM)) {
            is_pinned =
                (obv__load_seq_cst(epoch) == since || !is_new(w, since)) &&
                call_next(thread, context, w, object, true, &call);
        } else if (sort == PLAIN_IMMEDIATE) {
            is_pinned =
                (obv__load_seq_cst(epoch) == since || !is_new(w, since)) &&
                call_next(thread, context, w, object, false, &call);
        }
        if (is_pinned) {
            /* Their fields are reached from them again. */
            OBV__OPAQUE(w);
            OBV__OPAQUE(thread);
            obv__unpin_as(thread, context, w, OBV__IS_OUTSIDE);
        } else if (!is_plain_immediate(w)) {
            /* This watcher came since, and so did all behind it, which may hang
               in the list of another object, where a binding has moved on
               (obv__next_at()). */
            break;
        }
    }
    thread->slots[OBV__THREAD_DEPTH] = NULL;
    if (cls->release) {
        cls->release(object);
    }
}

/* Release: a setter that reads the stamp finds every watcher pending. `since`
   is the registration epoch of before the walk; see node.c. */
static inline void mark(struct obv_detail_slot *slot, uint64_t since)
{
    if (!obv__batches_are_open()) {
        obv__store_release(&slot->all_pending_at, since);
    }
}

/* Schedules a list of delayed observations. If all are found pending, a mark in
   the slot stands for the walk in later sets. */
static void schedule_plain(const struct walk *walk,
                           struct obv_detail_slot *slot)
{
    bool all_pending = true;
    struct obv__watcher *w = obv__first(&slot->head);
    for (; w; w = obv__next(w)) {
        /* A watcher that comes while we walk looks at the value that is stored,
           after raising the registration epoch. */
        if ((w->type & (OBV__WHAT | OBV__IMMEDIATE)) != OBV__SOLO) {
            /* This watcher and all behind it came since; as in call_plain(). */
            all_pending = false;
            break;
        }
        if (!is_new(w, walk->since)) {
            all_pending = obv__schedule(walk->thread, w) && all_pending;
        }
    }
    if (all_pending) {
        mark(slot, walk->since);
    }
}

/* The lists of the fast path: of one observation, delayed or immediate. A
   watcher that is linked behind it from here on is not for this edit, and
   raises the registration epoch. Each ends the epoch section of the edit. */
OBV__NOINLINE static void
edit_delayed(struct obv__thread *thread, struct obv_object *object,
             const struct obv_detail_node *node, struct obv_detail_slot *slot,
             struct obv__watcher *solo, uint64_t since)
{
    if (OBV__UNLIKELY(obv__schedule_here(thread, object, node, solo))) {
        mark(slot, since);
    }
    obv__change_end();
    obv__section_leave_as(thread, OBV__IS_PLAIN);
}

OBV__NOINLINE static void edit_immediate(struct obv__thread *thread,
                                         struct obv_object *object,
                                         const struct obv_detail_node *node,
                                         struct obv__watcher *solo)
{
    const struct obv_class *cls = obv__class_by_number(node->class_number);
    obv__change_end();
    if (!cls->retain || cls->retain(object)) {
        obv__call_immediate_here(thread, cls->context, solo, object, true);
        if (cls->release) {
            cls->release(object);
        }
    }
    obv__epoch_leave(thread);
}

/* Tells `end`, all that the slot has to tell: the only leaf of a path that ends
   here, or a delayed observation of one pair. */
OBV__NOINLINE static void edit_end(struct obv__thread *thread,
                                   struct obv_context *context,
                                   struct obv__watcher *end)
{
    obv__change_end();
    if (obv__is_immediate(end)) {
        obv__call_immediate_here(thread, context, end, NULL, false);
    } else {
        (void)obv__schedule(thread, end);
    }
    obv__epoch_leave(thread);
}

/* Everything else --------------------------------------------------------- */

/* The lists that an edit walks, one after the other: that of its slot, then
   that of the `*` watchers. */
struct lists {
    const struct obv_object *object;
    const uintptr_t *head, *every; /* NULL: none */
};

static struct lists lists_of(const struct obv_object *object,
                             const struct obv_detail_node *node,
                             const uintptr_t *head)
{
    return (struct lists){object, head, node ? obv__every(node) : NULL};
}

static struct obv__watcher *next_in(struct lists *lists,
                                    const struct obv__watcher *after)
{
    struct obv__watcher *next = after ? obv__next_at(lists->object, after)
                                : lists->head ? obv__first(lists->head)
                                              : NULL;
    for (;;) {
        if (!next && lists->every) {
            next = obv__first(lists->every);
            lists->every = NULL;
        }
        if (!next || !OBV__UNLIKELY(obv__is_edge(next))) {
            return next;
        }
        next = obv__next_at(lists->object, next); /* told in phase 2 */
    }
}

#define EACH_WATCHER(w, lists)                                                 \
    struct obv__watcher *w = next_in(&(lists), NULL);                          \
    w;                                                                         \
    w = next_in(&(lists), w)

/* Whether an edit tells a watcher that is no binding. That of a computed
   property does not tell `*` watchers: they were told when it became
   invalid. */
static bool is_edit_for(const struct obv__edit *edit,
                        struct obv__watcher *watcher)
{
    return obv__edit_is_of_computed(edit)
               ? watcher->slot != OBV__SLOT_EVERY &&
                     obv__edit_is_for(edit, watcher)
               : !obv__edit_is_equal(edit) && !edit->is_inbound;
}

/* Follows a binding: rewires what hangs below it, or without the slow path adds
   the leaves of its path node. */
static void collect_binding(struct obv__watcher *binding, bool slow_path,
                            struct obv__work_list *work, uint64_t since)
{
    const struct obv__edit *edit = &work->edit;
    const struct obv__path_instance *instance = binding->of;
    if (edit->kind == OBV__EDIT_SETTLED &&
        obv__computed_has_come_later(
            obv__computed_of(edit->at.object, edit->at.slot), binding)) {
        return;
    }
    if (slow_path) {
        obv__rewire(binding, work, since);
    } else if (edit->is_plain && !obv__edit_is_equal(edit)) {
        obv__leaves_add_plain(instance->node, work, since);
    } else if (!obv__edit_is_equal(edit)) {
        obv__work_list_add_list(work, &instance->node->leaves, since);
    }
}

/* As obv__edit_collect(). `slow_path` is a bit of the edited slot, for both
   lists: `*` watchers set it in every slot, or, if they need it for weak
   properties alone, in the slots of those (node.c). Without it no binding
   moves, and depths do not count. */
static size_t collect(const struct walk *walk, struct lists lists,
                      bool slow_path, size_t depth, size_t next,
                      struct obv__work_list *work)
{
    for (EACH_WATCHER(w, lists)) {
        bool is_binding = obv__is_binding(w);
        size_t here =
            is_binding && slow_path ? obv__path_instance_depth(w->of) : 0;
        if (here != depth || is_new(w, walk->since)) {
            next = here > depth && here < next ? here : next;
        } else if (is_binding) {
            collect_binding(w, slow_path, work, walk->since);
        } else if (is_edit_for(&work->edit, w)) {
            obv__work_list_add(work, w);
        }
    }
    return next;
}

OBV__NOINLINE static void collect_all(const struct walk *walk,
                                      struct lists lists, bool slow_path,
                                      struct obv__work_list *work)
{
    size_t depth = 0;
    while (depth != OBV__NO_DEPTH) {
        depth = collect(walk, lists, slow_path, depth, OBV__NO_DEPTH, work);
    }
}

/* Whether an observation was registered during the calls before the store. */
static bool has_newcomers(const struct obv_detail_set *set)
{
    return set->prior.first != set->prior.end;
}

/* The binding in the middle of a path, if nothing else hangs in the slot; else
   NULL. A watcher linked behind it meanwhile is not for this edit. */
OBV__INLINE struct obv__watcher *only_middle(const struct walk *walk,
                                             const struct obv_class *cls,
                                             uint32_t slot, uintptr_t head)
{
    struct obv__watcher *binding =
        (struct obv__watcher *)(head & ~OBV_DETAIL_HEAD_BITS);
    return (head & OBV_DETAIL_HEAD_BITS) ==
                       (OBV_DETAIL_MIXED | OBV_DETAIL_SLOW_PATH) &&
                   binding && !obv__next(binding) && obv__is_binding(binding) &&
                   !is_new(binding, walk->since) &&
                   !obv__slot_is_computed(cls, slot)
               ? binding
               : NULL;
}

/* Marks the readers of an any-thread property, but for those that were marked
   for its last set already. Returns whether anything but hubs hangs in the
   list. */
OBV__NOINLINE static bool mark_inbound(struct obv__marks *marks,
                                       const struct obv__inbound *inbound,
                                       const uintptr_t *head)
{
    bool has_others = false;
    marks->is_alone = true;
    uint32_t version = obv__load_acquire(&inbound->version);
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        struct obv__hub *hub = obv__hub(w);
        if (!hub) {
            has_others = true;
            continue;
        }
        /* Lock first, then compare: a thread that finds the hub at this version
           finds the marks made. */
        obv__marks_enter(marks);
        if (hub->version != version) {
            hub->version = version;
            obv__mark_edges(marks, hub->edges, OBV__DIRTY);
        }
    }
    return has_others;
}

/* Phase 2. Returns whether the lists hold more than edges. */
OBV__INLINE bool invalidate(const struct walk *walk, const uintptr_t *head,
                            struct obv__work_list *work)
{
    struct obv__marks marks;
    const uintptr_t *every = obv__every(walk->node);
    struct obv__computed *set =
        obv__computed_of(walk->object, work->edit.at.slot);
    obv__marks_begin(&marks, work);
    if (OBV__UNLIKELY(set != NULL)) {
        obv__mark_readers_of_set(&marks, set);
    }
    bool has_others =
        OBV__UNLIKELY(work->edit.is_inbound)
            ? mark_inbound(&marks,
                           obv__inbound_of(walk->object, work->edit.at.slot),
                           head)
            : obv__mark_dependents(&marks, head);
    if (every) {
        has_others = obv__mark_dependents(&marks, every) || has_others;
    }
    obv__marks_spread(&marks);
    if (OBV__UNLIKELY(marks.told != NULL)) {
        obv__marks_tell(&marks, walk->since);
    }
    return has_others;
}

OBV__INLINE void collect_mixed(const struct walk *walk,
                               const struct obv_class *cls,
                               const uintptr_t *head, uint32_t slot,
                               const struct obv_detail_set *set,
                               struct obv__work_list *work)
{
    struct obv__watcher *middle =
        only_middle(walk, cls, slot, obv__load_acquire(head));
    work->edit.at = (struct obv__edited){walk->object, slot, set->old};
    work->edit.kind = set->is_same ? OBV__EDIT_EQUAL : OBV__EDIT_SET;
    bool has_others = true;
    if (!middle && (!set->is_same || work->edit.is_inbound)) {
        has_others = invalidate(walk, head, work);
    }
    if (!has_others) {
        /* Nothing but edges hangs there, and phase 2 has marked those. */
    } else if (middle) {
        obv__rewire(middle, work, walk->since);
    } else {
        collect_all(walk, lists_of(walk->object, walk->node, head),
                    (obv__load_acquire(head) & OBV_DETAIL_SLOW_PATH) != 0,
                    work);
    }
    if (OBV__UNLIKELY(has_newcomers(set))) {
        /* RE-1: observations begun during the calls before the store are not
           told. */
        obv__work_list_pass_over(work, set->prior.first, set->prior.end);
    }
    if (!set->is_same) {
        obv__change_end();
    }
}

/* Properties of any thread ------------------------------------------------- */

OBV__INLINE bool is_any_thread(const struct obv_class *cls, uint32_t slot)
{
    return OBV__UNLIKELY(cls->flags & OBV_ANY_THREAD) &&
           obv__slot_is_any_thread(cls, slot);
}

/* Collects for a set of an any-thread property: observations that ask for
   nothing but the call. An inbound edit is posted for the others. */
OBV__NOINLINE static void collect_by_any(const struct walk *walk,
                                         const uintptr_t *head, uint32_t slot,
                                         const struct obv_detail_set *set,
                                         struct obv__work_list *work)
{
    struct lists lists = lists_of(walk->object, walk->node, head);
    struct obv__inbound *inbound = obv__inbound_of(walk->object, slot);
    work->edit = (struct obv__edit){.at = {walk->object, slot, NULL},
                                    .kind = set->is_same ? OBV__EDIT_EQUAL
                                                         : OBV__EDIT_SET,
                                    .is_plain = true};
    bool has_more =
        obv__list_is_slow(lists.head) || obv__list_is_slow(lists.every);
    (void)collect(walk, lists, false, 0, OBV__NO_DEPTH, work);
    if (inbound && (has_more || (obv__load_acquire(&inbound->is_told) &&
                                 !obv__inbound_forget(inbound)))) {
        obv__inbound_post(walk->thread, inbound);
    }
    if (!set->is_same) {
        obv__change_end();
    }
}

OBV__INLINE void collect_set(const struct walk *walk,
                             const struct obv_class *cls, const uintptr_t *head,
                             uint32_t slot, const struct obv_detail_set *set,
                             struct obv__work_list *work)
{
    if (is_any_thread(cls, slot)) {
        collect_by_any(walk, head, slot, set, work);
    } else {
        collect_mixed(walk, cls, head, slot, set, work);
    }
}

OBV__INLINE void edit_mixed(const struct walk *walk, const uintptr_t *head,
                            uint32_t slot, const struct obv_detail_set *set)
{
    struct obv__work_list work;
    const struct obv_class *cls =
        obv__class_by_number(walk->node->class_number);
    obv__work_list_init(&work, walk->thread, cls->context);
    collect_set(walk, cls, head, slot, set, &work);
    obv__work_list_deliver(&work);
}

static struct obv_detail_slot *slot_in_node(const struct obv_detail_node *node,
                                            uint32_t slot)
{
    return node ? obv__slot_to_tell((struct obv_detail_node *)(uintptr_t)node,
                                    slot)
                : NULL;
}

/* Edits a slot, whatever hangs there. Ends the epoch section of the edit. */
OBV__INLINE void edit_any(struct obv__thread *thread, struct obv_object *object,
                          uint32_t slot, const struct obv_detail_set *set,
                          uint64_t since)
{
    struct obv_detail_node *node = obv__node(object);
    struct obv_detail_slot *found = slot_in_node(node, slot);
    uintptr_t head = found ? obv__load_acquire(&found->head) : 0;
    const struct walk walk = {thread, object, node, since};
    bool is_plain = !(head & OBV_DETAIL_HEAD_BITS) && !has_newcomers(set);
    if (head == 0) {
        obv__change_end();
    } else if (is_plain &&
               !is_plain_immediate((const struct obv__watcher *)head)) {
        obv__change_end();
        schedule_plain(&walk, found);
    } else if (is_plain && obv__calls_here(thread)) {
        obv__change_end();
        call_plain(&walk, &found->head);
    } else {
        edit_mixed(&walk, &found->head, slot, set);
    }
    obv__epoch_leave(thread);
}

/* Edits a slot off the fast path. The struct of the set is made here, so the
   fast paths need no stack for it. `begun`: the epoch section of the edit has
   begun, at the registration epoch `since`. */
OBV__NOINLINE static void edit_by_address(struct obv_object *object,
                                          uint32_t slot, const void *old,
                                          bool begun, uint64_t since)
{
    const struct obv_detail_set set = {.old = old};
    if (begun) {
        edit_any(obv__thread_or_new(), object, slot, &set, since);
    } else {
        obv__edit_set(object, slot, &set);
    }
}

OBV__NOINLINE static void edit_scalar(struct obv_object *object, uint32_t slot,
                                      uint64_t old, bool begun, uint64_t since)
{
    edit_by_address(object, slot, &old, begun, since);
}

/* The fast path, or not ---------------------------------------------------- */

/* The only watcher that a slot with these bits has to tell, in its own list or
   that of `*`; NULL if there are more, or one needs the slow path. */
OBV__INLINE struct obv__watcher *
only_watcher(const struct obv_detail_node *node, uintptr_t head)
{
    uintptr_t bits = head & OBV_DETAIL_HEAD_BITS;
    struct obv__watcher *watcher = NULL;
    if (bits == OBV_DETAIL_MIXED) {
        watcher = (struct obv__watcher *)(head - OBV_DETAIL_MIXED);
    } else if (head == OBV_DETAIL_EVERY) {
        watcher = obv__first(&obv__more(node)->every);
    }
    return watcher && !obv__next(watcher) ? watcher : NULL;
}

/* The only pair that `watcher` stands for: the watcher itself, or the only leaf
   of a binding; else NULL. */
OBV__INLINE struct obv__watcher *only_end(struct obv__watcher *watcher)
{
    if (!obv__is_binding(watcher)) {
        return watcher;
    }
    const struct obv__path_instance *instance = watcher->of;
    struct obv__watcher *end = obv__first(&instance->node->leaves);
    return end && !obv__next(end) ? end : NULL;
}

/* Makes the whole edit and ends its epoch section, if the list allows the fast
   path and no watcher was linked since the edit began; else returns false. On a
   usual thread. Tail calls, so that no frame is needed. */
OBV__INLINE bool edit_fast(struct obv__thread *self, struct obv_object *object,
                           uint32_t slot, bool may_be_late, uint64_t since)
{
    uintptr_t word = obv__word(object);
    struct obv_detail_node *node =
        (struct obv_detail_node *)(word - OBV_DETAIL_HAS_SLOTS);
    if (!(word & OBV_DETAIL_HAS_SLOTS) ||
        (may_be_late && slot >= node->slot_count)) {
        return false;
    }
    struct obv_detail_slot *found = &node->slots[slot];
    uintptr_t head = obv__load_acquire(&found->head);
    struct obv__watcher *first = (struct obv__watcher *)head;
    if ((head & OBV_DETAIL_HEAD_BITS) != 0) {
        struct obv__watcher *only = only_watcher(node, head);
        struct obv__watcher *end = only ? only_end(only) : NULL;
        if (!end || OBV__UNLIKELY(obv__registration_epoch() != since) ||
            OBV__UNLIKELY(!obv__is_solo(end))) {
            return false;
        }
        struct obv_context *context =
            obv__class_by_number(node->class_number)->context;
        if (end == only && obv__is_immediate(end)) {
            edit_immediate(self, object, node, end);
        } else {
            edit_end(self, context, end);
        }
        return true;
    }
    if (head == 0 || obv__next(first) || !obv__is_solo(first) ||
        OBV__UNLIKELY(obv__registration_epoch() != since)) {
        return false;
    }
    if (is_plain_immediate(first)) {
        edit_immediate(self, object, node, first);
    } else {
        edit_delayed(self, object, node, found, first, since);
    }
    return true;
}

/* Begins the epoch section of an edit on a usual thread (reclaim.h), and reads
   the registration epoch into `since`. False on any other thread. */
OBV__INLINE bool begin_usual(struct obv__thread *self,
                             struct obv_object *object, uint32_t slot,
                             uint64_t *since)
{
    if (OBV__UNLIKELY(!obv__thread_is_usual(self))) {
        return false;
    }
    obv__section_enter_as(self, OBV__IS_PLAIN);
    obv__change_begin(object, slot);
    *since = obv__registration_epoch();
    return true;
}

void obv__edit_from(struct obv_object *object, uint32_t slot, const void *old)
{
    struct obv__thread *self = obv__thread_or_new();
    uint64_t since = 0;
    bool begun = begin_usual(self, object, slot, &since);
    if (!begun || !edit_fast(self, object, slot, true, since)) {
        edit_by_address(object, slot, old, begun, since);
    }
}

void obv_detail_changed_scalar(struct obv_object *object, uint32_t slot,
                               uint64_t old)
{
    struct obv__thread *self = obv__thread_or_new();
    uint64_t since = 0;
    bool begun = begin_usual(self, object, slot, &since);
    if (!begun || !edit_fast(self, object, slot, false, since)) {
        edit_scalar(object, slot, old, begun, since);
    }
}

/* The hub of a property that its owner's thread sets, if nothing else hangs in
   the slot; else NULL. The edges of the property's readers hang at it. */
OBV__INLINE const struct obv__hub *only_hub(const struct obv_detail_slot *slot)
{
    enum {
        OF = OBV__WHAT | OBV__IS_EDGE | OBV__AT_ANY_THREAD,
        IS = OBV__BINDING | OBV__IS_EDGE
    };
    uintptr_t head = obv__load_acquire(&slot->head);
    struct obv__watcher *only =
        (struct obv__watcher *)(head & ~OBV_DETAIL_HEAD_BITS);
    return (head & OBV_DETAIL_HEAD_BITS) ==
                       (OBV_DETAIL_MIXED | OBV_DETAIL_SLOW_PATH) &&
                   only && (only->type & OF) == IS && !obv__next(only)
               ? (const struct obv__hub *)(const void *)only
               : NULL;
}

/* The edit of a slot that holds a hub alone: phase 2, and telling the watchers
   that the marks reach. Ends the epoch section of the edit. */
OBV__INLINE void edit_hub(const struct walk *walk, uint32_t slot,
                          const struct obv__hub *hub, const void *old)
{
    struct obv__marks marks;
    struct obv__work_list work;
    /* Marking needs these two fields alone; the rest is initialised if a
       watcher is to be told. */
    work.thread = walk->thread;
    work.stamp = 0;
    obv__marks_begin(&marks, &work);
    obv__graph_enter(walk->thread);
    obv__mark_edges(&marks, hub->edges, OBV__DIRTY);
    if (marks.first) {
        obv__marks_spread_on(&marks);
    }
    obv__graph_leave(walk->thread);
    if (OBV__UNLIKELY(marks.told != NULL)) {
        uint64_t stamp = work.stamp;
        obv__work_list_init(
            &work, walk->thread,
            obv__class_by_number(walk->node->class_number)->context);
        work.stamp = stamp;
        work.edit.at = (struct obv__edited){walk->object, slot, old};
        obv__marks_tell(&marks, walk->since);
        obv__change_end();
        obv__work_list_deliver(&work);
    } else {
        obv__change_end();
    }
    obv__epoch_leave(walk->thread);
}

void obv__edit_word(struct obv_object *object, uint32_t slot, uint64_t old)
{
    struct obv__thread *self = obv__thread_or_new();
    uint64_t since = 0;
    bool begun = begin_usual(self, object, slot, &since);
    uintptr_t word = obv__word(object);
    const struct walk walk = {
        self, object,
        (const struct obv_detail_node *)(word - OBV_DETAIL_HAS_SLOTS), since};
    const struct obv_detail_slot *own =
        begun ? obv__table_slot(word, slot) : NULL;
    const struct obv__hub *hub = own ? only_hub(own) : NULL;
    if (hub && !OBV__UNLIKELY(obv__registration_epoch() != since)) {
        edit_hub(&walk, slot, hub, &old);
    } else {
        edit_by_address(object, slot, &old, begun, since);
    }
}

/* The trace ------------------------------------------------------------------ */

void obv__trace_set(struct obv_object *object, uint32_t slot, bool is_same)
{
    const struct obv__traced traced = {.kind = is_same ? OBV_TRACE_EQUAL
                                                       : OBV_TRACE_CHANGED,
                                       .object = object,
                                       .slot = slot};
    obv__trace(&traced);
}

/* Sets of equal values ----------------------------------------------------- */

/* Adds what a set makes due, once its store is done. A set of an equal value
   concerns only observations that ask for it; their slots take the slow
   path. */
static void collect_done(struct obv__thread *self, struct obv_object *object,
                         uint32_t slot, const struct obv_detail_set *set,
                         struct obv__work_list *work)
{
    /* Seq_cst, before the list is looked at; see obv_detail_look(). */
    uint64_t since = obv__registration_epoch();
    const struct walk walk = {self, object, obv__node(object), since};
    const struct obv_detail_slot *found = slot_in_node(walk.node, slot);
    uintptr_t head = found ? obv__load_acquire(&found->head) : 0;
    if (set->is_same ? (head & OBV_DETAIL_SLOW_PATH) != 0 : head != 0) {
        if (!set->is_same) {
            obv__change_begin(object, slot);
        }
        collect_set(&walk, obv__class_of(object), &found->head, slot, set,
                    work);
    }
}

/* Attaches the class-level observations that do not follow the instance yet.
   They are wired through the old value, as far as that is known; one that could
   not be wired for want of memory is called. */
OBV__NOINLINE static void set_in_class(struct obv__thread *self,
                                       struct obv_object *object, uint32_t slot,
                                       const struct obv_detail_set *set)
{
    struct obv__work_list work;
    if (obv__is_traced()) {
        obv__trace_set(object, slot, set->is_same);
    }
    obv__work_list_init(&work, self, obv__class_of(object)->context);
    /* Wiring may meet the change before the edit does: it is told the old
       value. */
    work.edit.at = (struct obv__edited){object, slot, set->old};
    bool was_told = obv__inbound_is_told(obv__node(object), slot);
    bool all = obv__above.attach_class(object, slot, set->is_same, &work);
    if (!was_told && set->old) {
        obv__inbound_begin_before(object, slot, set->old);
    }
    collect_done(self, object, slot, set, &work);
    obv__work_list_deliver(&work);
    if (!all) {
        /* No all-pending stamp may stand for an observation that is not
           attached. */
        obv__advance_registration_epoch();
    }
}

void obv__edit_set(struct obv_object *object, uint32_t slot,
                   const struct obv_detail_set *set)
{
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    /* Edits of containers meet no class subscription, in a batch or not. */
    if (OBV__UNLIKELY(obv__class_subscriptions_exist()) &&
        !obv__class_of(object)->container) {
        set_in_class(self, object, slot, set);
        obv__epoch_leave(self);
    } else if (set->is_same) {
        struct obv__work_list work;
        obv__work_list_init(&work, self, obv__class_of(object)->context);
        collect_done(self, object, slot, set, &work);
        obv__work_list_deliver(&work);
        obv__epoch_leave(self);
    } else {
        obv__change_begin(object, slot);
        edit_any(self, object, slot, set, obv__registration_epoch());
    }
}

/* Computed properties ------------------------------------------------------ */

/* The stamp of what has invalidated a computed property since it was set; if
   nothing has, of that set. An older change that has come behind the set counts
   as a new one. 0: not known. */
static uint64_t stamp_of_computed(struct obv__computed *computed)
{
    struct obv__computed_more *more = computed ? computed->more : NULL;
    if (!more || more->stamp == 0) {
        return more ? more->set_at : 0;
    }
    if (more->stamp < more->set_at) {
        more->stamp = obv__stamp_next();
    }
    return more->stamp;
}

void obv__edit_collect_computed(struct obv__work_list *work,
                                struct obv_object *object, uint32_t slot,
                                const void *old, enum obv__edit_kind kind,
                                uint64_t since)
{
    const struct obv__edit outer = work->edit;
    uint64_t outer_stamp = work->stamp;
    uint64_t stamp = stamp_of_computed(obv__computed_of(object, slot));
    const struct walk walk = {work->thread, object, obv__node(object), since};
    work->edit = (struct obv__edit){.at = {object, slot, old}, .kind = kind};
    work->stamp = stamp ? stamp : outer_stamp;
    const struct obv_detail_slot *found = slot_in_node(walk.node, slot);
    if (found) {
        struct lists lists =
            lists_of(object, kind == OBV__EDIT_COMPUTED ? walk.node : NULL,
                     &found->head);
        collect_all(&walk, lists, true, work);
    }
    work->edit = outer;
    work->stamp = outer_stamp;
}

/* The lists of a container, or of one of its cells. A cell has watchers in its
   slot alone. It may be dropped already, with all else that its node refers
   to. */
static struct lists lists_of_place(const struct obv_object *object,
                                   bool with_slot)
{
    const struct obv_detail_node *node = obv__node(object);
    const struct obv_detail_slot *found =
        with_slot ? slot_in_node(node, 0) : NULL;
    return lists_of(object, obv__is_cell(object) ? NULL : node,
                    found ? &found->head : NULL);
}

void obv__edit_mark(struct obv__work_list *work,
                    const struct obv_object *object, bool with_slot,
                    uint64_t since)
{
    struct lists lists = lists_of_place(object, with_slot);
    struct obv__marks marks;
    obv__marks_begin(&marks, work);
    if (lists.head) {
        (void)obv__mark_dependents(&marks, lists.head);
    }
    if (lists.every) {
        (void)obv__mark_dependents(&marks, lists.every);
    }
    obv__marks_tell(&marks, since);
}

size_t obv__edit_collect(struct obv__work_list *work, bool with_slot,
                         bool slow_path, size_t depth, size_t next,
                         uint64_t since)
{
    struct obv_object *object = work->edit.at.object;
    const struct walk walk = {work->thread, object, NULL, since};
    struct lists lists = lists_of_place(object, with_slot);
    return collect(&walk, lists, slow_path, depth, next, work);
}

/* Wants of observations beside the edit itself ----------------------------- */

static unsigned wants_of(struct obv_object *object, uint32_t slot)
{
    unsigned wants = 0;
    /* Relaxed: an observation that begins to ask has told this thread of it, or
       comes too late for this set. */
    const struct obv_detail_slot *found =
        obv__load_relaxed(&obv__somebody_wants)
            ? slot_in_node(obv__node(object), slot)
            : NULL;
    if (!found || !(obv__load_acquire(&found->head) & OBV_DETAIL_SLOW_PATH)) {
        return 0;
    }
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    struct lists lists = lists_of(object, obv__node(object), &found->head);
    for (EACH_WATCHER(w, lists)) {
        if (obv__is_binding(w)) {
            const struct obv__path_instance *instance = w->of;
            wants |= obv__load_acquire(&instance->node->wants);
        }
    }
    obv__epoch_leave(self);
    return wants & (OBV__WANTS_SAME | OBV__WANTS_PRIOR);
}

unsigned obv__edit_wants(struct obv_object *object, uint32_t slot)
{
    unsigned wants = wants_of(object, slot);
    /* For an any-thread property the drain makes the calls before the store. */
    return (wants & OBV__WANTS_PRIOR) &&
                   obv__slot_is_any_thread(obv__class_of(object), slot)
               ? wants & OBV__WANTS_SAME
               : wants;
}

static uint32_t registrations_now(void)
{
    return (uint32_t)(obv__registration_epoch() >> 32);
}

struct obv_detail_prior_calls obv_detail_prior(struct obv_object *object,
                                               uint32_t slot,
                                               const void *offered,
                                               bool is_same)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_detail_prior_calls prior = {.first = registrations_now()};
    struct obv__work_list work;
    obv__epoch_enter(self);
    obv__work_list_init(&work, self, obv__class_of(object)->context);
    work.edit.kind = is_same ? OBV__EDIT_EQUAL : OBV__EDIT_SET;
    work.edit.is_prior = true;
    const struct obv_detail_slot *found = slot_in_node(obv__node(object), slot);
    struct lists lists = {object, NULL, NULL};
    if (found) {
        lists = lists_of(object, obv__node(object), &found->head);
    }
    for (EACH_WATCHER(w, lists)) {
        if (obv__is_binding(w)) {
            obv__announce(w, &work, offered);
        }
    }
    obv__work_list_deliver(&work);
    obv__epoch_leave(self);
    prior.end = registrations_now();
    return prior;
}

/* Inbound edits ------------------------------------------------------------- */

/* A set by another thread is no change of the handler that runs here (DR-3). */
static bool leave_handler(struct obv__thread *self,
                          const struct obv__inbound *inbound)
{
    bool is_inside = obv__running_innermost(self) != NULL;
    if (is_inside) {
        obv__running_push(self, inbound);
    }
    return is_inside;
}

static void enter_handler(struct obv__thread *self, bool was_inside)
{
    if (was_inside) {
        obv__running_pop(self);
    }
}

static void call_before(void *context, const void *offered, bool is_same)
{
    const struct obv__inbound *inbound = context;
    if (!is_same ||
        (wants_of(inbound->object, inbound->slot) & OBV__WANTS_SAME)) {
        (void)obv_detail_prior(inbound->object, inbound->slot, offered,
                               is_same);
    }
}

/* Makes one edit of all sets since the last inbound edit, on the owner's
   thread. Calls that were asked for before the store come here, after it. */
static void apply(struct obv__thread *self, struct obv_loop *loop,
                  struct obv__inbound *inbound)
{
    struct obv_object *object = inbound->object;
    uint32_t slot = inbound->slot;
    struct obv__inbound_change change;
    struct obv__inbound *late;
    struct obv__work_list work;
    if (wants_of(object, slot) & OBV__WANTS_PRIOR) {
        obv__inbound_offer(inbound, call_before, inbound);
    }
    obv__inbound_turn(inbound, &change);
    const struct obv_detail_set set = {
        .old = obv__inbound_old(inbound, &change), .is_same = change.is_same};
    const struct walk walk = {self, object, obv__node(object),
                              obv__registration_epoch()};
    struct obv_detail_slot *found = slot_in_node(walk.node, slot);
    bool held;
    obv__work_list_init(&work, self, obv__class_of(object)->context);
    work.stamp = obv__load_relaxed(&inbound->stamp);
    work.edit.is_inbound = true;
    /* Nor does the edit wait for an open batch of this thread (DR-11). */
    void *batch = work.passed = self->slots[OBV__THREAD_BATCH];
    bool between = loop->between, was_inside = leave_handler(self, inbound);
    self->slots[OBV__THREAD_BATCH] = NULL;
    loop->between = true;
    if (found) {
        if (!set.is_same) {
            obv__change_begin(object, slot);
        }
        collect_mixed(&walk, obv__class_of(object), &found->head, slot, &set,
                      &work);
    }
    while ((late = obv__inbound_take(&inbound->left, &held)) != NULL) {
        obv__tell_late(&work, late);
    }
    obv__work_list_schedule(&work);
    enter_handler(self, was_inside);
    loop->between = between;
    self->slots[OBV__THREAD_BATCH] = batch;
    obv__work_list_deliver(&work);
    obv__inbound_leave(inbound, &change);
}

void obv__inbound_mark(struct obv__thread *self, struct obv__inbound *inbound)
{
    struct obv__work_list work;
    struct obv__marks marks;
    const uintptr_t *head =
        obv__list(obv__node(inbound->object), inbound->slot);
    obv__work_list_init(&work, self, obv__class_of(inbound->object)->context);
    bool was_inside = leave_handler(self, inbound);
    obv__marks_begin(&marks, &work);
    marks.inbound = inbound;
    (void)mark_inbound(&marks, inbound, head);
    obv__marks_tell(&marks, obv__registration_epoch());
    obv__work_list_schedule(&work);
    obv__work_list_forget(&work);
    enter_handler(self, was_inside);
}

/* Tells what is left of an inbound edit whose object has ended. */
static void apply_left(struct obv__thread *self, struct obv__inbound *late)
{
    struct obv__work_list work;
    obv__work_list_init(&work, self, obv__computed_context(late->record));
    obv__tell_late(&work, late);
    obv__work_list_deliver(&work);
}

void obv__inbound_apply(struct obv_loop *loop, struct obv__thread *self)
{
    struct obv__inbound *inbound;
    bool held;
    size_t left = obv__loop_inbound_count(loop);
    while (left-- > 0 && !obv__loop_has_ended(loop)) {
        struct obv_object *object = NULL;
        obv__epoch_enter(self);
        inbound = obv__inbound_take(&loop->inbound, &held);
        if (inbound && inbound->record) {
            apply_left(self, inbound);
        } else if (inbound) {
            object = inbound->object;
            apply(self, loop, inbound);
        }
        obv__epoch_leave(self);
        obv__object_let_go(object, held);
    }
}
