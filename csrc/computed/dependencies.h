/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declared dependencies: what the computed property of an object was declared to
 * depend on, by its class or by obv_depend_on(). They hang in paths
 * (wiring/dependency.h) from the first evaluation or set of the property on, and
 * end with its object.
 *
 * The list is of who has claimed the record. Before the property is evaluated,
 * whatever is computed on the way of these paths is brought up to date: what is
 * not valid would not tell of its changes.
 */
#ifndef OBV_DEPENDENCIES_H
#define OBV_DEPENDENCIES_H

#include "model/computed.h"
#include "model/context.h"

struct obv__declared {
    struct obv__sized sized; /* lent to the reclaim at the end */
    struct obv__edge *first;
    size_t made;     /* of the paths of the class */
    bool is_made;    /* all of them, and what `declare` has to say */
    bool is_short;   /* memory was, for something on the way */
    uint32_t number; /* of the settling of this check; 0: not begun */
};

/** As `declare` of model/above.h. */
bool obv__declare(struct obv__thread *self, struct obv__computed *computed);

/** A check of a claimed record begins. */
static inline void obv__declared_check(struct obv__computed *computed)
{
    struct obv__declared *list = obv__load_acquire(&computed->declared);
    if (OBV__UNLIKELY(list)) {
        list->number = 0;
    }
}

/** What a claimed record has declared to depend on, and that is computed and not
    valid: the next one, claimed; NULL: there is none. In an epoch section, no
    lock held. */
struct obv__computed *obv__declared_claim(struct obv__thread *self,
                                          struct obv__computed *computed);

/** Whether memory is too short to hear of all that was declared: the property is
    to be computed by each read. */
static inline bool obv__declared_is_short(const struct obv__computed *computed)
{
    const struct obv__declared *list = obv__load_acquire(&computed->declared);
    return OBV__UNLIKELY(computed->declares) && (!list || list->is_short);
}

/** The object of a node is at its end: the dependencies of its properties end.
    Nobody evaluates one of them any more. In an epoch section, no lock held. */
void obv__declared_end(struct obv_class *cls, struct obv_detail_node *node);

#endif
