/* SPDX-License-Identifier: Apache-2.0 */
#include "Counts.h"

__attribute__((noinline)) void hot_path_count(hot_path_setter setter,
                                              const void *object)
{
    for (intptr_t value = 1; value <= HOT_PATH_OPERATIONS; value++) {
        setter(object, value);
    }
}
