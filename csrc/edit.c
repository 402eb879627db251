/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that every change goes through.
 *
 * A list that holds nothing but observations of one pair, in the order of
 * their registration, is gone through as it is: schedule, then call. In every
 * other case what is due is collected first and sorted (due.c).
 *
 * Which watchers an edit is for: those that hang in the list when it looks,
 * but none that came since it began (RE-1, DR-7). The moment is read after the
 * store, so a watcher that came before it has its serial below.
 */
#include "edit.h"

#include "delivery.h"
#include "due.h"
#include "node.h"
#include "wiring.h"

struct edit {
    struct obv__thread *thread;
    struct obv_object *object;
    uint64_t since; /* the moment after the store */
};

/* Whether a watcher came since the edit began; hardly ever has any. */
static bool is_new(const struct obv__watcher *watcher, uint64_t since)
{
    uint64_t now = obv__moment();
    return now != since && obv__came_since(watcher, since, now);
}

/* Observations of one pair, in order ------------------------------------- */

/* Phase 6. The object is held once for all calls; what nothing holds may be
   gone after the first, but its list may not. */
static void call_plain(const struct edit *edit, const uintptr_t *head)
{
    const struct obv_class *cls = obv__class_of(edit->object);
    if (cls->retain && !cls->retain(edit->object)) {
        return; /* at its end: nothing rooted there is called (LT-10) */
    }
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (obv__what(w) == OBV__SOLO && (w->type & OBV__IMMEDIATE) &&
            !is_new(w, edit->since)) {
            obv__call_immediate(edit->thread, cls->context, w, edit->object);
        }
    }
    if (cls->release) {
        cls->release(edit->object);
    }
}

static void edit_plain(const struct edit *edit, struct obv_detail_slot *slot)
{
    bool immediate = false, all_pending = true;
    for (struct obv__watcher *w = obv__first(&slot->head); w;
         w = obv__next(w)) {
        if (obv__what(w) != OBV__SOLO) {
            /* It came while we walk; who links it looks at the value that we
               have stored, after raising the moment. */
            all_pending = false;
        } else if (w->type & OBV__IMMEDIATE) {
            immediate = true;
        } else if (!is_new(w, edit->since) && !obv__schedule(edit->thread, w)) {
            all_pending = false;
        }
    }
    if (immediate) {
        call_plain(edit, &slot->head);
    } else if (all_pending) {
        /* Release: who reads the mark finds every watcher pending. The moment
           is the one of before the walk; see node.c. */
        obv__store_release(&slot->quiet, edit->since);
    }
}

/* Everything else --------------------------------------------------------- */

static void collect(const struct edit *edit, const uintptr_t *head,
                    struct obv__due *due)
{
    bool careful = (obv__load_acquire(head) & OBV_DETAIL_CAREFUL) != 0;
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (is_new(w, edit->since)) {
            continue;
        }
        if (obv__what(w) != OBV__BINDING) {
            obv__due_add(due, w);
        } else if (careful) {
            obv__rewire(w, due, edit->since);
        } else {
            const struct obv__step *step = w->of;
            obv__due_add_list(due, &step->ends, edit->since);
        }
    }
}

OBV__NOINLINE static void edit_mixed(const struct edit *edit,
                                     const struct obv_detail_node *node,
                                     const uintptr_t *head, uint32_t slot,
                                     const void *old)
{
    struct obv__due due;
    struct obv__more *more = obv__more(node);
    obv__due_init(&due, edit->thread, obv__class_of(edit->object)->context);
    due.edited = edit->object;
    due.slot = slot;
    due.old = old;
    collect(edit, head, &due);
    if (more) {
        collect(edit, &more->every, &due);
    }
    obv__due_deliver(&due);
}

void obv__edit_from(struct obv_object *object, uint32_t slot, const void *old)
{
    struct obv__thread *self = obv__thread_self();
    obv__section_enter(self);
    const struct edit edit = {self, object, obv__moment()};
    struct obv_detail_node *node = obv__node(object);
    struct obv_detail_slot *found =
        node ? obv_detail_slot_of(node, slot) : NULL;
    uintptr_t head = found ? obv__load_acquire(&found->head) : 0;
    if (head & OBV_DETAIL_HEAD_BITS) {
        edit_mixed(&edit, node, &found->head, slot, old);
    } else if (head != 0) {
        edit_plain(&edit, found);
    }
    obv__section_leave(self);
}

void obv__edit(struct obv_object *object, uint32_t slot)
{
    obv__edit_from(object, slot, NULL);
}
