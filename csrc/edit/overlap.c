/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The changes of all threads just now, and whether two overlap: see overlap.h.
 */
#include "edit/overlap.h"

#ifndef OBV_CHECK_OVERLAP

bool obv__overlap_is_checked(void)
{
    return false;
}

#else

#include "model/class.h"
#include "model/node.h"
#include "platform/lock.h"
#include "model/path_node.h"

#include <stdio.h>

bool obv__overlap_is_checked(void)
{
    return true;
}

enum {
    CHANGES = 32, /* at once; further ones are not seen */
    JOINED = 16,  /* of one change */
    TOLD = 64     /* pairs of properties; then nothing is told any more */
};

/* The outermost change of a thread, with the object that it stores into and the
   paths of roots that hang there. */
struct change {
    const struct obv__thread *thread; /* NULL: none */
    const struct obv_class *cls;
    uint32_t slot, count;
    const void *joined[JOINED];
};

/* Under the lock. */
static struct obv__lock changes_lock;
static struct change running[CHANGES];
static uint64_t told_pairs[TOLD];
static size_t told_count;

static void join_paths(void *context, uint32_t slot, uintptr_t *head)
{
    struct change *change = context;
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (obv__is_binding(w) && slot != OBV__SLOT_NONE &&
            change->count < JOINED) {
            const struct obv__path_instance *instance = w->of;
            change->joined[change->count++] = instance->node->paths;
        }
    }
}

static bool are_joined(const struct change *a, const struct change *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t k = 0; k < b->count; k++) {
            if (a->joined[i] == b->joined[k]) {
                return true;
            }
        }
    }
    return false;
}

/* Notes a pair of properties; whether it was told before, or cannot be noted. */
static bool was_told_locked(const struct change *a, const struct change *b)
{
    uint64_t of_a = (uint64_t)a->cls->number << 16 | a->slot;
    uint64_t of_b = (uint64_t)b->cls->number << 16 | b->slot;
    uint64_t pair = of_a < of_b ? of_a << 32 | of_b : of_b << 32 | of_a;
    size_t i = 0;
    while (i < told_count && told_pairs[i] != pair) {
        i++;
    }
    if (i == told_count && i < TOLD) {
        told_pairs[told_count++] = pair;
        return false;
    }
    return true;
}

/* Puts a change among those that run; answers in `met` one of another thread that
   it is to be told with. */
static bool enter_locked(const struct change *change, struct change *met)
{
    struct change *room = NULL;
    bool tells = false;
    for (struct change *at = running; at < running + CHANGES; at++) {
        if (!at->thread) {
            room = room ? room : at;
        } else if (!tells && are_joined(at, change) &&
                   !was_told_locked(at, change)) {
            *met = *at;
            tells = true;
        }
    }
    if (room) {
        *room = *change;
    }
    return tells;
}

void obv__change_begin(struct obv_object *object, uint32_t slot)
{
    const struct obv_class *cls = obv__class_of(object);
    struct obv_detail_node *node = obv__node(object);
    struct obv__thread *self = obv__thread_self();
    struct change met = {.thread = NULL},
                  change = {self, cls, slot, 1, {object}};
    /* A change in a change is the outer's. */
    if (self->changes++ != 0 || !node || slot >= cls->property_count ||
        obv__slot_is_any_thread(cls, slot)) {
        return;
    }
    obv__each_list(node, join_paths, &change);
    obv__lock_enter(&changes_lock);
    bool tells = enter_locked(&change, &met);
    obv__lock_leave(&changes_lock);
    if (tells) {
        char text[256];
        snprintf(text, sizeof text, "%s, %s",
                 obv_class_property_name(cls, slot),
                 obv_class_property_name(met.cls, met.slot));
        const struct obv_diagnostic diagnostic = {
            .kind = OBV_DIAGNOSTIC_OVERLAP,
            .text = "two threads change objects at the same time that are "
                    "joined by an observed path",
            .path = text};
        obv__diagnose(cls->context, &diagnostic);
    }
}

void obv__change_end(void)
{
    struct obv__thread *self = obv__thread_self();
    if (--self->changes == 0) {
        obv__lock_enter(&changes_lock);
        for (struct change *at = running; at < running + CHANGES; at++) {
            at->thread = at->thread == self ? NULL : at->thread;
        }
        obv__lock_leave(&changes_lock);
    }
}

#endif
