/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source of the BSD functions: libbsd on Linux, the C library on macOS and
 * the BSDs. The one place of the core that knows; nothing else includes a
 * header of libbsd.
 */
#ifndef OBV_PLATFORM_BSD_H
#define OBV_PLATFORM_BSD_H

#if defined(__linux__)
#include <bsd/stdlib.h>
#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
/* Which of two strnvis() is meant; nobody here calls it. */
#ifndef LIBBSD_OPENBSD_VIS
#define LIBBSD_OPENBSD_VIS
#endif
#include <bsd/vis.h>
#else
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/tree.h>
#include <vis.h>
#endif

#endif
