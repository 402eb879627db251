/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a program whose handler has thrown.
 */
#include "platform/exception.h"

#include <stdio.h>
#include <stdlib.h>

/* _UA_FORCE_UNWIND and _URC_CONTINUE_UNWIND, whose header not every C compiler
   brings: a thread that is cancelled, or exits. */
enum { FORCED_UNWIND = 8, CONTINUE_UNWIND = 8 };

/* Called from assembly alone. */
#if defined(__GNUC__)
__attribute__((used))
#endif
int obv__exception_leaves(int version, int actions,
                          unsigned long long exception_class, void *exception,
                          void *context)
{
    (void)version;
    (void)exception_class;
    (void)exception;
    (void)context;
    if (actions & FORCED_UNWIND) {
        return CONTINUE_UNWIND;
    }
    fputs("observable: an exception leaves a handler, or another function that "
          "the library has called\n",
          stderr);
    abort();
}
