/* SPDX-License-Identifier: Apache-2.0 */
#include <observable_loops/glib_main_queue.h>
