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
    ROOTS = 16, /* whose paths hang at one object; further ones are not seen */
    THREADS = 64, /* in a change at once; further ones are not seen */
    TOLD = 64     /* pairs of properties; then nothing is told any more */
};

/* A thread's outermost change; constant while it lasts. */
struct change {
    struct obv_object *object; /* NULL: none */
    const struct obv_class *cls;
    uint32_t slot;
    size_t count;
    const struct obv__paths *paths[ROOTS];
};

/* Under the lock. */
static struct obv__lock lock;
static struct change running[THREADS];
static struct {
    uint64_t lower, higher;
} told[TOLD];
static size_t told_count;

static void add_paths(void *context, uint32_t slot, uintptr_t *head)
{
    struct change *change = context;
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (!obv__is_binding(w) || slot == OBV__SLOT_NONE) {
            continue;
        }
        const struct obv__path_instance *instance = w->of;
        const struct obv__paths *paths = instance->node->paths;
        bool found = false;
        for (size_t i = 0; i < change->count; i++) {
            found = found || change->paths[i] == paths;
        }
        if (!found && change->count < ROOTS) {
            change->paths[change->count++] = paths;
        }
    }
}

static bool are_joined(const struct change *a, const struct change *b)
{
    bool joined = a->object == b->object;
    for (size_t i = 0; !joined && i < a->count; i++) {
        for (size_t j = 0; !joined && j < b->count; j++) {
            joined = a->paths[i] == b->paths[j];
        }
    }
    return joined;
}

static uint64_t number_of(const struct change *change)
{
    return (uint64_t)change->cls->number << 32 | change->slot;
}

/* Notes a pair of properties; whether it was told before, or cannot be noted. */
static bool was_told_locked(const struct change *a, const struct change *b)
{
    uint64_t one = number_of(a), other = number_of(b);
    uint64_t lower = one < other ? one : other;
    uint64_t higher = one < other ? other : one;
    for (size_t i = 0; i < told_count; i++) {
        if (told[i].lower == lower && told[i].higher == higher) {
            return true;
        }
    }
    if (told_count == TOLD) {
        return true;
    }
    told[told_count].lower = lower;
    told[told_count++].higher = higher;
    return false;
}

static void tell_of(const struct change *own, const struct change *other)
{
    char text[256];
    snprintf(text, sizeof text, "%s, %s",
             obv_class_property_name(own->cls, own->slot),
             obv_class_property_name(other->cls, other->slot));
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_OVERLAP,
        .text = "two threads change objects at the same time that are joined "
                "by an observed path",
        .path = text};
    obv__diagnose(own->cls->context, &diagnostic);
}

static bool is_checked(const struct obv_class *cls, uint32_t slot)
{
    return slot < cls->property_count && !obv__slot_is_any_thread(cls, slot);
}

void obv__change_begin(struct obv_object *object, uint32_t slot)
{
    const struct obv_class *cls = obv__class_of(object);
    struct obv_detail_node *node = obv__node(object);
    struct obv__thread *self = obv__thread_self();
    /* A change in a change is the outer's. */
    if (self->changes++ != 0 || !node || !is_checked(cls, slot)) {
        return;
    }
    struct change own = {.object = object, .cls = cls, .slot = slot};
    obv__each_list(node, add_paths, &own);
    struct change met = {.object = NULL};
    struct change *room = NULL;
    obv__lock_enter(&lock);
    for (struct change *at = running; at < running + THREADS; at++) {
        if (!at->object) {
            room = room ? room : at;
        } else if (!met.object && are_joined(&own, at) &&
                   !was_told_locked(&own, at)) {
            met = *at;
        }
    }
    if (room) {
        *room = own;
    }
    self->slots[OBV__THREAD_CHANGE] = room;
    obv__lock_leave(&lock);
    if (met.object) {
        tell_of(&own, &met);
    }
}

void obv__change_end(void)
{
    struct obv__thread *self = obv__thread_self();
    struct change *own = self->slots[OBV__THREAD_CHANGE];
    if (--self->changes != 0 || !own) {
        return;
    }
    obv__lock_enter(&lock);
    own->object = NULL;
    obv__lock_leave(&lock);
    self->slots[OBV__THREAD_CHANGE] = NULL;
}

#endif
