/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scheduler knows of memory: which threads read and write which words,
 * and which blocks have been given back.
 */
#include "scheduler_memory.h"

#include "scheduler.h"

#include <observable/allocator.h>

#include <string.h>

enum {
    arena_bytes = 1 << 18,
    grain = 16,           /* bytes of the arena with one owner */
    words_known = 1 << 16 /* a power of two */
};

/* Which steps matter ------------------------------------------------------ */

/* A word of memory and the threads that read and write it, as bits. */
struct word {
    uintptr_t number;
    uint8_t readers, writers;
};

static struct word words[words_known];
static size_t word_count;
static bool learned;

static struct word *word_of(const void *address)
{
    uintptr_t number = (uintptr_t)address / 8;
    size_t at = (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 48);
    while (words[at].number != 0 && words[at].number != number) {
        at = (at + 1) % words_known;
    }
    if (words[at].number == 0) {
        if (++word_count > words_known / 2) {
            scheduler_fail("too many words", __FILE__, __LINE__);
        }
        words[at].number = number;
    }
    return &words[at];
}

void scheduler_forget_words(void)
{
    memset(words, 0, sizeof words);
    word_count = 0;
}

bool scheduler_matters(const void *address, bool writes)
{
    struct word *word = word_of(address);
    uint8_t me = (uint8_t)(1u << scheduler_self()), others = (uint8_t)~me;
    uint8_t *mine = writes ? &word->writers : &word->readers;
    uint8_t against = writes ? word->readers | word->writers : word->writers;
    if (!(*mine & me)) {
        *mine |= me;
        learned = learned || (against & others);
    }
    return (against & others) != 0;
}

bool scheduler_has_learned(void)
{
    return learned;
}

/* Shared memory ----------------------------------------------------------- */

/* What happens to each grain: 0, or who gave it back, counted from 1. */
static _Alignas(64) char arena[arena_bytes];
static uint8_t given_back[arena_bytes / grain];
static size_t arena_used, live_blocks;

static uint8_t *grain_of(const void *address)
{
    size_t offset = (size_t)((uintptr_t)address - (uintptr_t)arena);
    return offset < arena_bytes ? &given_back[offset / grain] : NULL;
}

int scheduler_given_back_by(const void *address)
{
    const uint8_t *at = grain_of(address);
    return at ? *at : 0;
}

static void *allocate(void *context, size_t size)
{
    (void)context;
    size_t room = (size + grain - 1) / grain * grain;
    if (arena_used + room > arena_bytes) {
        return NULL;
    }
    void *block = &arena[arena_used];
    arena_used += room;
    live_blocks++;
    memset(block, 0xA5, size); /* nobody may count on zeros */
    return block;
}

static void give_back(void *context, void *memory, size_t size)
{
    (void)context;
    for (size_t i = 0; i < size; i += 8) {
        if (scheduler_self() >= 0) {
            (void)scheduler_matters((char *)memory + i, true);
        }
    }
    for (size_t i = 0; i < size; i += grain) {
        uint8_t *at = grain_of((char *)memory + i);
        if (*at) {
            scheduler_fail("memory is given back twice", __FILE__, __LINE__);
        }
        *at = (uint8_t)(scheduler_self() + 2);
    }
    memset(memory, 0x5A, size);
    live_blocks--;
}

static void mark(const void *memory, size_t size, int by)
{
    for (size_t i = 0; i < size; i += grain) {
        *grain_of((const char *)memory + i) = (uint8_t)by;
    }
}

void scheduler_forbid(const void *memory, size_t size)
{
    for (size_t i = 0; i < size && scheduler_self() >= 0; i += 8) {
        (void)scheduler_matters((const char *)memory + i, true);
    }
    mark(memory, size, scheduler_self() + 2);
}

void scheduler_permit(const void *memory, size_t size)
{
    mark(memory, size, 0);
}

const struct obv_allocator *scheduler_allocator(void)
{
    static const struct obv_allocator allocator = {allocate, give_back, NULL};
    return &allocator;
}

size_t scheduler_live_blocks(void)
{
    return live_blocks;
}

void scheduler_forget_schedule(void)
{
    learned = false;
    memset(given_back, 0, arena_used / grain);
    arena_used = live_blocks = 0;
}
