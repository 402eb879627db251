/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version that a program was compiled for, and the one that it runs with.
 * Before 1.0 the binary interface may change with the second number: setters
 * are inlined into programs.
 */
#ifndef OBSERVABLE_VERSION_H
#define OBSERVABLE_VERSION_H

#include <observable/base.h>

OBV_BEGIN_DECLS

#define OBV_VERSION_MAJOR 0
#define OBV_VERSION_MINOR 1
#define OBV_VERSION_PATCH 0

/** As one number, to be compared: 0.1.0 is 100, 1.2.3 is 10203. */
#define OBV_VERSION                                                            \
    (OBV_VERSION_MAJOR * 10000 + OBV_VERSION_MINOR * 100 + OBV_VERSION_PATCH)

/** The OBV_VERSION of the library that the program runs with. Threads: any. */
OBV_API uint32_t obv_version(void);

OBV_END_DECLS

#endif
