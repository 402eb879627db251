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

#include "dispatch/loop.h"
#include "model/class.h"
#include "model/node.h"
#include "platform/lock.h"
#include "wiring/path_instance.h"

#include <stdio.h>

bool obv__overlap_is_checked(void)
{
    return true;
}

enum {
    JOINED = 128, /* in changes at once; further ones are not seen */
    TOLD = 64     /* pairs of properties; then nothing is told any more */
};

/* An object, or the paths of a root, that a thread's outermost change concerns. */
struct joined {
    const void *what; /* NULL: none */
    const struct obv__thread *thread;
    const struct obv_class *cls;
    uint32_t slot;
};

/* Under the lock. */
static struct obv__lock changes_lock;
static struct joined running[JOINED];
static uint64_t told_pairs[TOLD][2];
static size_t told_count;

/* A change that begins. */
struct change {
    struct joined own, met; /* `met.what` is NULL: it meets none */
};

static uint64_t number_of(const struct joined *joined)
{
    return (uint64_t)joined->cls->number << 32 | joined->slot;
}

/* Notes a pair of properties; whether it was told before, or cannot be noted. */
static bool was_told_locked(const struct change *change)
{
    uint64_t own = number_of(&change->own), met = number_of(&change->met);
    for (size_t i = 0; i < told_count; i++) {
        if ((told_pairs[i][0] == own && told_pairs[i][1] == met) ||
            (told_pairs[i][0] == met && told_pairs[i][1] == own)) {
            return true;
        }
    }
    if (told_count < TOLD) {
        told_pairs[told_count][0] = own;
        told_pairs[told_count++][1] = met;
        return false;
    }
    return true;
}

static void note_joined_locked(struct change *change, const void *what)
{
    struct joined *room = NULL;
    for (struct joined *at = running; at < running + JOINED; at++) {
        bool is_own = at->what == what && at->thread == change->own.thread;
        if (!at->what || is_own) {
            room = room && !is_own ? room : at;
        } else if (at->what == what && !change->met.what) {
            change->met = *at;
        }
    }
    if (room) {
        *room = change->own;
        room->what = what;
    }
}

static void join_paths_locked(void *context, uint32_t slot, uintptr_t *head)
{
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (obv__is_binding(w) && slot != OBV__SLOT_NONE) {
            const struct obv__path_instance *instance = w->of;
            note_joined_locked(context, instance->node->paths);
        }
    }
}

static void tell_of(const struct change *change)
{
    char text[256];
    snprintf(text, sizeof text, "%s, %s",
             obv_class_property_name(change->own.cls, change->own.slot),
             obv_class_property_name(change->met.cls, change->met.slot));
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_OVERLAP,
        .text = "two threads change objects at the same time that are joined "
                "by an observed path",
        .path = text};
    obv__diagnose(change->own.cls->context, &diagnostic);
}

void obv__change_begin(struct obv_object *object, uint32_t slot)
{
    const struct obv_class *cls = obv__class_of(object);
    struct obv_detail_node *node = obv__node(object);
    struct obv__thread *self = obv__thread_self();
    struct change change = {.own = {NULL, self, cls, slot}};
    /* A change in a change is the outer's. */
    if (self->changes++ != 0 || !node || slot >= cls->property_count ||
        obv__slot_is_any_thread(cls, slot)) {
        return;
    }
    obv__lock_enter(&changes_lock);
    note_joined_locked(&change, object);
    obv__each_list(node, join_paths_locked, &change);
    bool tells = change.met.what && !was_told_locked(&change);
    obv__lock_leave(&changes_lock);
    if (tells) {
        tell_of(&change);
    }
}

void obv__change_end(void)
{
    struct obv__thread *self = obv__thread_self();
    if (--self->changes == 0) {
        obv__lock_enter(&changes_lock);
        for (struct joined *at = running; at < running + JOINED; at++) {
            at->what = at->thread == self ? NULL : at->what;
        }
        obv__lock_leave(&changes_lock);
    }
}

#endif
