/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of paths: whether a compiled one is whole, and a table of names.
 */
#ifndef PATH_CHECK_H
#define PATH_CHECK_H

#include "base/names.h"
#include "path/path.h"

#include <string.h>

/** The number of names, which is also the largest id. */
static inline uint32_t names_count(const struct obv_names *names)
{
    uint32_t count = 0;
    while (obv_names_text(names, count + 1, NULL)) {
        count++;
    }
    return count;
}

static inline bool element_check(const struct obv_element *element,
                                 const struct obv_names *names)
{
    bool named = element->kind <= OBV_ELEMENT_COUNT;
    bool numbered = element->kind > OBV_ELEMENT_ANY;
    return element->kind <= OBV_ELEMENT_KEY &&
           (named ? element->name <= names_count(names) : element->name == 0) &&
           (numbered || element->number == 0) &&
           (element->kind >= OBV_ELEMENT_MEMBER ||
            element->number <= INT64_MAX);
}

/** Whether a path that was made with `names` keeps to its form. */
static inline bool path_check(const struct obv_path *path,
                              const struct obv_names *names)
{
    size_t count = obv_path_count(path), length;
    const struct obv_element *elements = obv_path_elements(path);
    const char *text = obv__path_text(path, &length);
    bool good = count > 0 && count <= OBV_PATH_COUNT_MAX &&
                (!text || text[length] == '\0');
    for (size_t i = 0; good && i < count; i++) {
        good = element_check(&elements[i], names);
    }
    return good;
}

/** Whether each id has its text, and each text its id. */
static inline bool names_check(const struct obv_names *names)
{
    size_t length;
    const char *text;
    for (uint32_t id = 1; (text = obv_names_text(names, id, &length)); id++) {
        if (text[length] != '\0' ||
            obv__names_find(names, text, length) != id) {
            return false;
        }
    }
    return true;
}

#endif
