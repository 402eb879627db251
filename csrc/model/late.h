/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Late properties: computed ones of a binding's, which a class is given when it
 * has objects already (<observable/late.h>). Their indexes come after those of
 * the table; their slots in a node lie in pages of their own, each twice as
 * large as the one before, so that nothing ever moves.
 *
 * A line is whole before the count that includes it: a reader that finds it
 * below the count may read it. Late properties are of one class, not of its
 * subclasses.
 */
#ifndef OBV_LATE_H
#define OBV_LATE_H

#include "model/context.h"

#include <observable/late.h>

struct obv__late_line {
    struct obv_property property;
    struct obv_late_key key;
    /* Interned, any thread; OBV_NAME_NONE: only its key finds it. */
    uint32_t name;
};

struct obv__late {
    uint32_t count; /* any thread reads; written under the context's lists */
    struct obv__late_line *lines[OBV_LATE_MAX]; /* below the count constant */
};

/** How many late properties there are; `late` may be NULL. */
static inline uint32_t obv__late_count(const struct obv__late *late)
{
    /* Acquire, pairs with obv_class_add_late(): the lines are whole. */
    return late ? obv__load_acquire(&late->count) : 0;
}

/** The line of a number below the count. */
static inline struct obv__late_line *
obv__late_line(const struct obv__late *late, uint32_t number)
{
    return late->lines[number];
}

/** The number of the one with an interned name, or -1. */
int32_t obv__late_find(const struct obv__late *late, uint32_t name);

/** Frees what a class has of them; it ends. */
void obv__late_free(struct obv_context *context, struct obv__late *late);

/* The slots of an object. */

/** Pages for as many as a class may have. */
enum {
    OBV__LATE_FIRST = 8, /* the first page has so many */
    OBV__SLOT_PAGES = 13,
    OBV__SLOT_PAGES_MAX = OBV__LATE_FIRST * ((1 << OBV__SLOT_PAGES) - 1)
};

/** The place of a number's slot: its page, and its place there. */
struct obv__late_place {
    uint32_t page, at;
};

static inline struct obv__late_place obv__late_place_of(uint32_t number)
{
    struct obv__late_place place = {0, number};
    uint32_t size = OBV__LATE_FIRST;
    while (place.at >= size) {
        place.at -= size;
        place.page++;
        size *= 2;
    }
    return place;
}

/** How many a page has. */
static inline uint32_t obv__late_page_size(uint32_t page)
{
    return (uint32_t)OBV__LATE_FIRST << page;
}

struct obv__late_slots {
    void *pages[OBV__SLOT_PAGES]; /* of struct obv_detail_slot */
};

/** The slot of a number; NULL: it was never prepared. */
static inline struct obv_detail_slot *
obv__late_slot(const struct obv__late_slots *slots, uint32_t number)
{
    struct obv__late_place place = obv__late_place_of(number);
    /* Acquire, pairs with fill_place() of late.c. */
    struct obv_detail_slot *page =
        slots && number < OBV__SLOT_PAGES_MAX
            ? obv__load_acquire(&slots->pages[place.page])
            : NULL;
    return page ? &page[place.at] : NULL;
}

/** Makes the page of a slot, in the struct obv__late_slots at `place`, which is
    made as well; false: no memory. Any thread. */
bool obv__late_slot_prepare(struct obv_context *context, void **place,
                            uint32_t number);

/** Calls `visit` for each slot that was prepared, whose index is `first` and
    more. */
void obv__late_slots_each(const struct obv__late_slots *slots, uint32_t first,
                          void (*visit)(void *context, uint32_t slot,
                                        uintptr_t *head),
                          void *context);

/** Frees them; `slots` may be NULL. */
void obv__late_slots_free(struct obv_context *context,
                          struct obv__late_slots *slots);

#endif
