/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest name: what a text may have meant that names no property.
 */
#ifndef OBV_NEAREST_H
#define OBV_NEAREST_H

struct obv_class;
struct obv_element;

/** How much of a class's name is for people: a binding's has more behind a
    space, by which it is the only one. */
int obv__readable_name(const struct obv_class *cls);

enum { OBV__REPORT_SIZE = 320 };

/** A sentence, and in brackets the class and its property that is the nearest
    to the element that it lacks. */
void obv__write_lack(char text[OBV__REPORT_SIZE], const char *sentence,
                     const struct obv_class *cls,
                     const struct obv_element *element);

#endif
