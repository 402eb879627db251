/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One loop at four places of a cache line: the same code measures 1.0 or 1.6
 * times by its place alone, so a row is the median over them.
 */
#include "BenchSupport.h"

#define CALL_SITE(place, nops)                                                 \
    static __attribute__((noinline, aligned(64))) void call_site_##place(      \
        bench_setter setter, const void *context, intptr_t first,              \
        intptr_t end)                                                          \
    {                                                                          \
        __asm__ volatile(".p2align 6\n\t.rept " #nops "\n\tnop\n\t.endr");     \
        for (intptr_t value = first; value != end; value++) {                  \
            setter(context, value);                                            \
        }                                                                      \
    }

CALL_SITE(0, 0)
CALL_SITE(1, 16)
CALL_SITE(2, 32)
CALL_SITE(3, 48)

void bench_sets(int place, bench_setter setter, const void *context,
                intptr_t first, intptr_t count)
{
    static void (*const sites[BENCH_PLACES])(bench_setter, const void *,
                                             intptr_t, intptr_t) = {
        call_site_0, call_site_1, call_site_2, call_site_3};
    sites[place](setter, context, first, first + count);
}
