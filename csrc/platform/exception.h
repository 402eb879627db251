/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ exceptions that leave a function of the program which the library has
 * called. The library would never give back what it holds, so they end the
 * program with a message, where they are thrown: the stack is whole then.
 *
 * A function that calls the program names the routine below as its own in the
 * unwind tables, and costs no instruction by that. A throw asks each function
 * on the stack, from the inside, before anything is unwound.
 */
#ifndef OBV_PLATFORM_EXCEPTION_H
#define OBV_PLATFORM_EXCEPTION_H

#include "platform/compiler.h"

/* Only for the tables of DWARF; elsewhere what an exception does is not
   defined. 0x1b: a distance of 32 bits. */
#if defined(__ELF__) && defined(__GCC_HAVE_DWARF2_CFI_ASM) && !defined(__arm__)
#define OBV__NO_EXCEPTION_LEAVES()                                             \
    __asm__ volatile(".cfi_personality 0x1b, obv__exception_leaves")
#else
#define OBV__NO_EXCEPTION_LEAVES() ((void)0)
#endif

/** A personality routine, as the C++ ABI for Itanium has it. */
int obv__exception_leaves(int version, int actions,
                          unsigned long long exception_class, void *exception,
                          void *context) OBV__HIDDEN;

#endif
