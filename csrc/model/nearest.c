/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest name, by the number of letters that are missing, too many, others,
 * or exchanged with the next one.
 */
#include "model/nearest.h"

#include "model/class.h"
#include "model/context.h"

#include <stdio.h>
#include <string.h>

/* Longer names are compared with nothing. */
enum { LONGEST = 48 };

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Of texts that are no longer than LONGEST. */
static size_t distance(const char *a, size_t a_length, const char *b,
                       size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        last[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t same = last[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least_of(least_of(last[j], row[j - 1]) + 1, same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1]) {
                row[j] = least_of(row[j], before[j - 2] + 1);
            }
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b_length];
}

/* The property of a class whose name is the nearest to a text; NULL: none is near.
   The name is the class's. */
static const char *nearest_property(const struct obv_class *cls,
                                    const char *text)
{
    size_t length = strlen(text), nearest = 1 + length / 4;
    const char *found = NULL, *name;
    if (length < 2 || length > LONGEST) {
        return NULL;
    }
    for (uint32_t i = 0; (name = obv_class_property_name(cls, i)) != NULL;
         i++) {
        size_t name_length = strlen(name);
        size_t apart = name_length <= LONGEST
                           ? distance(text, length, name, name_length)
                           : SIZE_MAX;
        if (apart < nearest || (apart == nearest && !found)) {
            nearest = apart;
            found = name;
        }
    }
    return found;
}

int obv__readable_name(const struct obv_class *cls)
{
    const char *name = cls->table->name, *space = strrchr(name, ' ');
    return (int)least_of(space ? (size_t)(space - name) : strlen(name), 40);
}

void obv__write_lack(char text[OBV__REPORT_SIZE], const char *sentence,
                     const struct obv_class *cls,
                     const struct obv_element *element)
{
    const char *lacking =
        element->kind == OBV_ELEMENT_NAME
            ? obv_names_text(cls->context->names, element->name, NULL)
            : NULL;
    const char *nearest = lacking ? nearest_property(cls, lacking) : NULL;
    (void)snprintf(text, OBV__REPORT_SIZE,
                   nearest ? "%s (class `%.*s`; did you mean `%.48s`?)"
                           : "%s (class `%.*s`)",
                   sentence, obv__readable_name(cls), cls->table->name,
                   nearest);
}
