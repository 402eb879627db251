/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one edit has made due.
 */
#include "dispatch/due.h"

#include "dispatch/batch.h"
#include "dispatch/delivery.h"
#include "dispatch/delivery_inline.h"
#include "model/node.h"

#include <string.h>

static bool grow_due(struct obv__due *due)
{
    size_t size = due->capacity * sizeof *due->items;
    struct obv__watcher **items = obv__context_allocate(due->context, 2 * size);
    if (!items) {
        return false;
    }
    memcpy(items, due->items, size);
    if (due->items != due->near) {
        obv__context_free(due->context, due->items, size);
    }
    due->items = items;
    due->capacity *= 2;
    return true;
}

/* Whether `a` comes before `b`: by the observation, then by its pair. */
static bool before(struct obv__watcher *a, struct obv__watcher *b)
{
    const struct obv__watcher *left = obv__observation(a);
    const struct obv__watcher *right = obv__observation(b);
    if (left == right) {
        return (int32_t)(a->serial - b->serial) < 0;
    }
    if (left->serial != right->serial) {
        return (int32_t)(left->serial - right->serial) < 0;
    }
    /* Instances of one class that one edit makes due: as they were met. */
    if (obv__is_instance(obv__observation(a)) &&
        obv__is_instance(obv__observation(b)) && a->serial != b->serial) {
        return (int32_t)(a->serial - b->serial) < 0;
    }
    return left < right;
}

static void sift_down(struct obv__watcher **items, size_t count, size_t at)
{
    for (;;) {
        size_t largest = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
            if (child < count && before(items[largest], items[child])) {
                largest = child;
            }
        }
        if (largest == at) {
            return;
        }
        struct obv__watcher *moved = items[at];
        items[at] = items[largest];
        items[largest] = moved;
        at = largest;
    }
}

/* Heap sort: in place and without recursion, whatever the order was. */
static void heap_sort(struct obv__watcher **items, size_t count)
{
    for (size_t at = count / 2; at-- > 0;) {
        sift_down(items, count, at);
    }
    for (size_t end = count; end-- > 1;) {
        struct obv__watcher *last = items[0];
        items[0] = items[end];
        items[end] = last;
        sift_down(items, end, 0);
    }
}

static void sort(struct obv__due *due)
{
    for (size_t i = 1; i < due->count; i++) {
        if (before(due->items[i], due->items[i - 1])) {
            heap_sort(due->items, due->count);
            return;
        }
    }
}

/* Only the first registered pair of an observation is told. */
static bool repeats(const struct obv__due *due, size_t i)
{
    return i > 0 && obv__observation(due->items[i]) ==
                        obv__observation(due->items[i - 1]);
}

static bool is_immediate(struct obv__watcher *via)
{
    return obv__is_immediate(obv__observation(via));
}

/* Takes those out of a list, in their order, which `is_one` says. */
static struct obv__note *take_those(struct obv__note **list,
                                    bool (*is_one)(const struct obv__note *note,
                                                   void *argument),
                                    void *argument)
{
    struct obv__note *taken = NULL, **last = &taken;
    while (*list) {
        struct obv__note *note = *list;
        if (is_one(note, argument)) {
            *list = note->next;
            note->next = NULL;
            *last = note;
            last = &note->next;
        } else {
            list = &note->next;
        }
    }
    return taken;
}

static bool is_of_pair(const struct obv__note *note, void *via)
{
    return note->via == via;
}

static bool is_of_observation(const struct obv__note *note, void *observation)
{
    return obv__observation(note->via) == observation;
}

/* The observation that was asked last. */
struct asked_root {
    struct obv__thread *thread;
    const struct obv__watcher *via;
    bool lives;
};

static bool is_dying(const struct obv__note *note, void *argument)
{
    struct asked_root *asked = argument;
    if (note->via != asked->via) {
        asked->via = note->via;
        asked->lives = obv__has_living_root(asked->thread, note->via);
    }
    return !asked->lives;
}

/* The notes of an observation, without those of pairs whose root is at its end
   (LT-10). */
static struct obv__note *take_notes(struct obv__due *due,
                                    struct obv__watcher *observation)
{
    struct asked_root asked = {.thread = due->thread};
    struct obv__note *taken =
        take_those(&due->notes, is_of_observation, observation);
    obv__notes_destroy(due->context, take_those(&taken, is_dying, &asked));
    return taken;
}

/* A call that is not to come leaves no notes behind. */
static void schedule_with_notes(struct obv__due *due, struct obv__watcher *via,
                                struct obv__notes *notes)
{
    struct obv__note *note = take_notes(due, obv__observation(via));
    if (!obv__has_state(obv__observation(via), OBV__LINKED) ||
        obv__is_refused(due->thread, via)) {
        obv__notes_destroy(due->context, note);
        note = NULL;
    }
    struct obv__batch *batch = obv__batch_of(due->thread);
    if (batch && obv__notes_are_kept(notes)) {
        obv__batch_schedule(due->thread, batch, due->context, via, note);
        return;
    }
    while (note) {
        struct obv__note *next = note->next;
        obv__notes_gather(due->context, notes, NULL, note);
        note = next;
    }
    (void)obv__schedule(due->thread, via);
}

/* The first of several pairs of one observation, from the i-th on, whose root
   can be held: if one is at its end, another's change counts as ever. */
static struct obv__watcher *pick(const struct obv__due *due, size_t i)
{
    while (i + 1 < due->count && repeats(due, i + 1) &&
           !obv__has_living_root(due->thread, due->items[i])) {
        i++;
    }
    return due->items[i];
}

/* Delayed observations are taken out: a handler of this very change may turn
   one immediate (IM-3). */
static void schedule_all(struct obv__due *due)
{
    size_t left = 0;
    for (size_t i = 0; i < due->count; i++) {
        struct obv__watcher *via = due->items[i];
        if (is_immediate(via)) {
            due->items[left++] = via;
            continue;
        }
        if (repeats(due, i)) {
            continue;
        }
        via = pick(due, i);
        struct obv__notes *notes = obv__notes_of(via);
        if (notes) {
            schedule_with_notes(due, via, notes);
        } else {
            (void)obv__schedule(due->thread, via);
        }
    }
    due->count = left;
}

struct telling {
    struct obv__due *due;
    struct obv__watcher *via;
};

static void call_with_told(void *argument, const struct obv__told *told)
{
    const struct telling *telling = argument;
    obv__call_immediate(telling->due->thread, telling->due->context,
                        telling->via, NULL, told);
}

static void call_with_notes(struct obv__due *due, struct obv__watcher *via,
                            struct obv__notes *notes)
{
    struct telling telling = {due, via};
    struct obv__taken taken = {.notes = take_notes(due, obv__observation(via)),
                               .missing = obv__notes_take_missed(notes)};
    for (struct obv__note *at = taken.notes; at; at = at->next) {
        obv__note_prepare(due->context, notes, at);
    }
    obv__notes_tell(due->context, notes, &taken, due->edit.is_prior,
                    call_with_told, &telling);
    obv__notes_destroy(due->context, taken.notes);
}

static void call_all(struct obv__due *due)
{
    for (size_t i = 0; i < due->count; i++) {
        if (repeats(due, i)) {
            continue;
        }
        struct obv__watcher *via = pick(due, i);
        struct obv__notes *notes = obv__notes_of(via);
        if (notes) {
            call_with_notes(due, via, notes);
        } else {
            obv__call_immediate(due->thread, due->context, via, NULL, NULL);
        }
    }
}

void obv__due_schedule(struct obv__due *due)
{
    sort(due);
    schedule_all(due);
    obv__epoch_pay(due->thread);
}

static void deliver(struct obv__due *due)
{
    sort(due);
    if (!due->edit.is_prior) {
        schedule_all(due);
        /* Objects that are observed now, or no more, hear of it before
           immediate handlers run: one that loads on demand has loaded. */
        obv__epoch_pay(due->thread);
    }
    call_all(due);
    obv__notes_destroy(due->context, due->notes);
    due->notes = NULL;
    due->count = 0;
}

static void free_items(struct obv__due *due)
{
    if (due->items != due->near) {
        obv__context_free(due->context, due->items,
                          due->capacity * sizeof *due->items);
    }
}

void obv__due_make_room(struct obv__due *due)
{
    if (due->count == due->capacity && !grow_due(due)) {
        deliver(due);
    }
}

void obv__due_add(struct obv__due *due, struct obv__watcher *via)
{
    obv__due_make_room(due);
    due->items[due->count++] = via;
}

void obv__due_add_list(struct obv__due *due, const uintptr_t *head,
                       uint64_t since)
{
    uint64_t now = obv__registration_epoch();
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (!obv__came_since(w, since, now)) {
            obv__due_add(due, w);
        }
    }
}

/* An endpoint that one edit meets twice, in a cyclic graph, has changed once. */
static bool joins(struct obv__due *due, struct obv__note *note)
{
    for (struct obv__note *at = due->notes; at; at = at->next) {
        if (at->via == note->via && obv__note_is_like(at, note)) {
            struct obv_value last = at->last;
            at->last = note->last;
            note->last = last;
            if (at->is_touch) { /* what it was is known only now */
                struct obv_value first = at->first;
                at->first = note->first;
                note->first = first;
                at->is_touch = note->is_touch;
                at->changes = note->changes;
            }
            at->is_missing = at->is_missing || note->is_missing;
            return true;
        }
    }
    return false;
}

void obv__due_keep_note(struct obv__due *due, struct obv__note *note)
{
    struct obv__note **last = &due->notes;
    if (joins(due, note)) {
        obv__note_destroy(due->context, note);
        return;
    }
    while (*last) {
        last = &(*last)->next;
    }
    note->next = NULL;
    *last = note;
}

bool obv__due_has_note(const struct obv__due *due,
                       const struct obv__watcher *via)
{
    const struct obv__note *at = due->notes;
    while (at && at->via != via) {
        at = at->next;
    }
    return at != NULL;
}

/* When a pair came: of an instance, when its class began to be observed. */
static bool was_registered(struct obv__watcher *via, uint32_t first,
                           uint32_t end)
{
    struct obv__watcher *observation = obv__observation(via);
    uint32_t serial =
        obv__is_instance(observation) ? observation->serial : via->serial;
    return serial - first < end - first;
}

void obv__due_pass_over(struct obv__due *due, uint32_t first, uint32_t end)
{
    size_t left = 0;
    for (size_t i = 0; i < due->count; i++) {
        struct obv__watcher *via = due->items[i];
        if (was_registered(via, first, end)) {
            obv__notes_destroy(due->context,
                               take_those(&due->notes, is_of_pair, via));
        } else {
            due->items[left++] = via;
        }
    }
    due->count = left;
}

/* Of one pair, and there is nothing to tell with it. */
static void deliver_one(struct obv__due *due, struct obv__watcher *via)
{
    if (!is_immediate(via)) {
        (void)obv__schedule(due->thread, via);
        obv__epoch_pay(due->thread);
        return;
    }
    obv__epoch_pay(due->thread);
    if (obv__is_solo(via)) {
        obv__call_immediate_here(due->thread, due->context, via, NULL, false);
    } else {
        obv__call_immediate(due->thread, due->context, via, NULL, NULL);
    }
}

void obv__due_deliver(struct obv__due *due)
{
    if (due->count == 1 && !due->notes && !due->edit.is_prior &&
        due->items == due->near && !obv__notes_of(due->items[0])) {
        deliver_one(due, due->items[0]);
        return;
    }
    if (due->count != 0 || due->notes) {
        deliver(due);
    } else if (!due->edit.is_prior) {
        obv__epoch_pay(due->thread);
    }
    free_items(due);
}
