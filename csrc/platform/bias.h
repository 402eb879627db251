/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bias: what one thread after the other takes costs the first one that takes it
 * plain stores, as long as no second one comes. The first says that it is inside,
 * tells the compiler to keep the order, and looks whether it still has the bias. A
 * second thread takes the bias away for ever, passes a membarrier, and looks whether
 * the first is inside: one of the two sees the other. From then on everybody takes
 * it by compare-exchange, and nobody tries that before. (Vasudevan, Namjoshi,
 * Edwards, "Simple and fast biased locks", 2010.)
 *
 * The word is a number of a thread, or one of these.
 */
#ifndef OBV_PLATFORM_BIAS_H
#define OBV_PLATFORM_BIAS_H

#include "platform/atomic.h"

#include <stdbool.h>
#include <stdint.h>

/** Nobody has come yet. */
#define OBV__BIAS_UNSET (~(uintptr_t)0)

/** Nobody has it any more. */
#define OBV__BIAS_NONE (~(uintptr_t)1)

/**
 * How it is with a bias, for the thread of a number that it is not known to belong
 * to. The first one that comes is given it, if others can take it away again
 * (`is_revocable`: there is membarrier); else it is taken away.
 *
 * @return `number`: that thread has it; OBV__BIAS_NONE, acquire: what the one that
 *         had it has stored is seen; any other: a membarrier was refused that the
 *         system had promised, and the one that has it, who needs none, has to come
 *         by first.
 */
uintptr_t obv__bias_settle(uintptr_t *bias, uintptr_t number,
                           bool is_revocable);

#endif
