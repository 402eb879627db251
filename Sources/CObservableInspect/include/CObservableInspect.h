/* SPDX-License-Identifier: Apache-2.0 */
/* The header of this library lies among the public ones of the core. */
#include <observable/graph.h>
