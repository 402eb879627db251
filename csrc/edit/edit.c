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
 * None before the last calls a handler. Scheduling comes before the calls, since
 * those may let go of the last reference to an end.
 *
 * A list that is not mixed holds observations of one pair, all delayed or all
 * immediate, in the order of their registration: it is gone through as it is. In
 * every other case what is due is collected first and sorted (work_list.c).
 *
 * Which watchers an edit is for: those that hang in the list when it looks, but
 * none that came since it began (RE-1, DR-7). The registration epoch is read
 * after the store, so a watcher that came before it has its serial below.
 *
 * A set of a word of which none hears but who has read it ends with phase 2
 * (obv__edit_word()).
 *
 * A set with calls before its store began with these: what was registered while
 * they ran is passed over as well.
 *
 * A set of a property that any thread may set is told to whom asks for no more
 * than the call; for all others it is a part of an inbound edit, which the drain
 * of a loop makes (model/inbound.h).
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

/* Whether a watcher came since the edit began; hardly ever has any. */
static bool is_new(const struct obv__watcher *watcher, uint64_t since)
{
    uint64_t now = obv__registration_epoch();
    return OBV__UNLIKELY(now != since) && obv__came_since(watcher, since, now);
}

/* Observations of one pair, in order ------------------------------------- */

/* The sort of an observation of one pair that was begun as an immediate one: in a list
   that is not mixed, all are, or none (node.c). Beside it OBV__HAS_ITEM, or nothing. */
enum { PLAIN_IMMEDIATE = OBV__SOLO | OBV__IMMEDIATE };

OBV__INLINE unsigned sort_of(const struct obv__watcher *watcher)
{
    return watcher->type & (OBV__WHAT | OBV__IMMEDIATE | OBV__HAS_ITEM);
}

OBV__INLINE bool is_plain_immediate(const struct obv__watcher *watcher)
{
    return (sort_of(watcher) & ~(unsigned)OBV__HAS_ITEM) == PLAIN_IMMEDIATE;
}

/* What was pinned: it is not called as it is. */
OBV__NOINLINE static void call_by_itself(struct obv__thread *thread,
                                         struct obv_context *context,
                                         struct obv__watcher *solo,
                                         struct obv_object *root)
{
    obv__running_pop_as(thread, OBV__IS_OUTSIDE);
    thread->slots[OBV__THREAD_DEPTH] = NULL;
    obv__call_immediate_here(thread, context, solo, root, true);
}

/* One of several: `call` is for them all. `has_handle`, a constant: the program may
   know it by one. The caller clears the depth behind the last. Whether it is pinned
   now. */
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

/* Immediate ones alone, and what was linked behind them since, which is not called: of
   an edge the serial does not say that, nor of a delayed one that is being linked. The
   object is held once for all calls; what nothing holds may be gone after the first,
   but its list may not. */
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
            /* It has come since, and so has all behind it: which may be the list of
               another object, where a binding has moved on (obv__next_at()). */
            break;
        }
    }
    thread->slots[OBV__THREAD_DEPTH] = NULL;
    if (cls->release) {
        cls->release(object);
    }
}

/* Release: who reads the stamp finds every watcher pending. The registration
   epoch is the one of before the walk; see node.c. */
static inline void mark(struct obv_detail_slot *slot, uint64_t since)
{
    if (!obv__batches_are_open()) {
        obv__store_release(&slot->all_pending_at, since);
    }
}

/* Delayed ones alone: where all were pending, or are by now, a mark stands for the
   walk. */
static void schedule_plain(const struct walk *walk,
                           struct obv_detail_slot *slot)
{
    bool all_pending = true;
    struct obv__watcher *w = obv__first(&slot->head);
    for (; w; w = obv__next(w)) {
        /* A watcher that comes while we walk looks at the value that is stored,
           after raising the registration epoch. */
        if ((w->type & (OBV__WHAT | OBV__IMMEDIATE)) != OBV__SOLO) {
            /* So has all behind it; as in call_plain(). */
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

/* The end of one path that one observation follows: `end` is all that the slot
   has to tell. */
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

/* The lists that an edit is for, one after the other: of its slot, and of who is
   told of all. */
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

/* Whether an edit is for a watcher that is no binding. A watcher of every
   property has been told that a computed property was invalid. */
static bool is_edit_for(const struct obv__edit *edit,
                        struct obv__watcher *watcher)
{
    return obv__edit_is_of_computed(edit)
               ? watcher->slot != OBV__SLOT_EVERY &&
                     obv__edit_is_for(edit, watcher)
               : !obv__edit_is_equal(edit) && !edit->is_inbound;
}

/* Goes where a binding leads now. */
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

/* As obv__edit_collect(). `slow_path`: as the edited slot says, for both lists.
   `*` watchers set the bit in every slot; for weak properties only in those
   (node.c). Without it nothing is moved, and the depth does not count. */
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

/* Whether the calls before the store have seen somebody begin to observe. */
static bool has_newcomers(const struct obv_detail_set *set)
{
    return set->prior.first != set->prior.end;
}

/* The middle of one path: all that hangs in the slot; or NULL. A watcher that is
   linked behind it is not for this edit. */
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

/* Of an inbound edit: who was marked for the last set already depends on no other
   value. */
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
        /* Before the version: who finds it marked finds the marks. */
        obv__marks_enter(marks);
        if (hub->version != version) {
            hub->version = version;
            obv__mark_edges(marks, hub->edges, OBV__DIRTY);
        }
    }
    return has_others;
}

/* Phase 2. Whether there is more to be told. */
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
        /* All that hang there depend on it. */
    } else if (middle) {
        obv__rewire(middle, work, walk->since);
    } else {
        collect_all(walk, lists_of(walk->object, walk->node, head),
                    (obv__load_acquire(head) & OBV_DETAIL_SLOW_PATH) != 0,
                    work);
    }
    if (OBV__UNLIKELY(has_newcomers(set))) {
        /* RE-1: who began to observe inside the calls before the store. */
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

/* A set by any thread. */
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

/* The same of the values that an edit comes with; the fast paths need no room
   for them. `begun`: the edit has, `since` at that epoch. */
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

/* The only watcher that a slot with these bits has to tell, in its own list or in
   that of who is told of all, if it needs no slow path; or NULL. */
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

/* The only pair that such a watcher stands for: itself, or the one whose path ends
   there; or NULL. */
OBV__INLINE struct obv__watcher *only_end(struct obv__watcher *watcher)
{
    if (!obv__is_binding(watcher)) {
        return watcher;
    }
    const struct obv__path_instance *instance = watcher->of;
    struct obv__watcher *end = obv__first(&instance->node->leaves);
    return end && !obv__next(end) ? end : NULL;
}

/* If the list allows the fast path, and nobody has come since the edit began:
   the whole edit, and the end of its epoch section. On a usual thread. Tail calls,
   so that it needs no frame. */
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

/* Whether the epoch section of an edit has begun, which it has on a usual
   thread alone; `since`: the registration epoch then. */
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

/* The hub of who has read a property that its owner sets, if nothing else hangs
   in its slot; or NULL. */
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

/* The edit of such a slot: phase 2, and what comes of it. Ends the epoch section
   of the edit. */
OBV__INLINE void edit_hub(const struct walk *walk, uint32_t slot,
                          const struct obv__hub *hub, const void *old)
{
    struct obv__marks marks;
    struct obv__work_list work;
    /* Marks ask for these; the rest is made where somebody is told. */
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

/* Adds what a set makes due that is done. Of one that has left an equal value behind
   for who wants to know of such sets. */
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

/* Class-level observations of the instance that do not follow it yet begin to.
   They are wired through the value before, as far as that can be known; those
   that could not for want of memory are called. */
OBV__NOINLINE static void set_in_class(struct obv__thread *self,
                                       struct obv_object *object, uint32_t slot,
                                       const struct obv_detail_set *set)
{
    struct obv__work_list work;
    if (obv__is_traced()) {
        obv__trace_set(object, slot, set->is_same);
    }
    obv__work_list_init(&work, self, obv__class_of(object)->context);
    /* Wiring may find the change before its edit does: what the slot held. */
    work.edit.at = (struct obv__edited){object, slot, set->old};
    bool was_told = obv__inbound_is_told(obv__node(object), slot);
    bool all = obv__above.attach_class(object, slot, set->is_same, &work);
    if (!was_told && set->old) {
        obv__inbound_begin_before(object, slot, set->old);
    }
    collect_done(self, object, slot, set, &work);
    obv__work_list_deliver(&work);
    if (!all) {
        /* No stamp may stand for who does not hang there. */
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

/* It is as new as what has made it invalid since it was set. If that is an older
   set, which has come behind, it is a set of its own. 0: not known. */
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

/* The lists of a container, or of one of its cells: nobody is told of that but at
   its slot; and it may be dropped already, with what its node knows of others. */
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
    /* Relaxed: who begins to want has told this thread, or it comes too late. */
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
    /* A set by any thread is told before by the drain. */
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

/* The edit of all sets since the last one, on the owner's thread. Calls before the
   store are made here, behind it. */
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
    /* Nor does it wait for a batch of this one (DR-11). */
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

/* The rest of an edit whose object has ended. */
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
