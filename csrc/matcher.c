/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of matchers, by kind of element.
 */
#include "matcher.h"

#include "node.h"

/* Kind of element, its matcher: obv__matcher_..., in matcher_....c. */
#define MATCHERS(X)                                                            \
    X(OBV_ELEMENT_ANY, any)                                                    \
    X(OBV_ELEMENT_NAME, name)                                                  \
    X(OBV_ELEMENT_COUNT, name)                                                 \
    X(OBV_ELEMENT_COMPONENT, component)

#define DECLARE(kind, matcher)                                                 \
    extern const struct obv__matcher obv__matcher_##matcher;
MATCHERS(DECLARE)

#define ENTRY(kind, matcher) [kind] = &obv__matcher_##matcher,
static const struct obv__matcher *const matchers[OBV_ELEMENT_COMPONENT + 1] = {
    MATCHERS(ENTRY)};

const struct obv__matcher *obv__matcher(const struct obv_element *element)
{
    return element->kind < sizeof matchers / sizeof matchers[0]
               ? matchers[element->kind]
               : NULL;
}

enum obv_status obv__matchers_check(const struct obv_element *elements,
                                    size_t count, struct obv_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct obv__matcher *matcher = obv__matcher(&elements[i]);
        if (!matcher) {
            return obv__fail(error, OBV_E_KIND,
                             "an object has properties: neither positions "
                             "nor members");
        }
        if (!matcher->child && i + 1 < count) {
            return obv__fail(error, OBV_E_KIND,
                             "this element can only end a path");
        }
    }
    return OBV_OK;
}

uint32_t obv__slot_on(const struct obv_element *element,
                      const struct obv_object *container)
{
    return obv__matcher(element)->slot(element, obv__class_of(container));
}
