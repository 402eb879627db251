/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one edit has made due.
 */
#include "due.h"

#include "delivery.h"
#include "node.h"

#include <string.h>

void obv__due_init(struct obv__due *due, struct obv__thread *thread,
                   struct obv_context *context)
{
    due->thread = thread;
    due->context = context;
    due->edited = NULL;
    due->slot = 0;
    due->old = NULL;
    due->count = 0;
    due->capacity = OBV__DUE_NEAR;
    due->items = due->near;
}

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

/* Of one observation only the pair that was registered first is told. */
static bool repeats(const struct obv__due *due, size_t i)
{
    return i > 0 && obv__observation(due->items[i]) ==
                        obv__observation(due->items[i - 1]);
}

static bool is_immediate(struct obv__watcher *via)
{
    return obv__observation(via)->type & OBV__IMMEDIATE;
}

static void schedule_all(struct obv__due *due)
{
    for (size_t i = 0; i < due->count; i++) {
        if (!repeats(due, i) && !is_immediate(due->items[i])) {
            (void)obv__schedule(due->thread, due->items[i]);
        }
    }
}

static void call_all(struct obv__due *due)
{
    for (size_t i = 0; i < due->count; i++) {
        if (!repeats(due, i) && is_immediate(due->items[i])) {
            obv__call_immediate(due->thread, due->context, due->items[i], NULL);
        }
    }
}

void obv__due_add(struct obv__due *due, struct obv__watcher *via)
{
    if (due->count == due->capacity && !grow_due(due)) {
        sort(due);
        schedule_all(due);
        call_all(due);
        due->count = 0;
    }
    due->items[due->count++] = via;
}

void obv__due_add_list(struct obv__due *due, const uintptr_t *head,
                       uint64_t since)
{
    uint64_t now = obv__moment();
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (!obv__came_since(w, since, now)) {
            obv__due_add(due, w);
        }
    }
}

void obv__due_deliver(struct obv__due *due)
{
    sort(due);
    schedule_all(due);
    call_all(due);
    if (due->items != due->near) {
        obv__context_free(due->context, due->items,
                          due->capacity * sizeof *due->items);
    }
}
