/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declared dependencies: what the computed property of an object was declared
 * to depend on, by its class or by obv_depend_on(). Before each evaluation, and
 * where the property is set, the library reads these paths as the function
 * would: each property that one passes is read, an element as its container's
 * content, `*` as all. Nothing is wired.
 */
#ifndef OBV_DEPENDENCIES_H
#define OBV_DEPENDENCIES_H

#include "model/computed.h"
#include "model/context.h"

/** One of them. */
struct obv__dependency {
    struct obv__dependency *next;
    struct obv_object *root;
    struct obv_path *path; /* a reference */
    uintptr_t end; /* the source that its end was last; 0: it led nowhere */
    /* Hangs at a root that is another object, and ends with it; `reader` NULL:
       the root is the object itself. */
    struct obv__edge life;
};

struct obv__declared {
    struct obv__dependency *first;
    size_t made;       /* so many paths of the class were added */
    bool is_made;      /* all of them, and what `declare` has to say */
    bool is_declaring; /* `declare` is called */
    bool is_changed;   /* since the last reading: one was taken back */
};

/** Reads what the running function's property declares; if memory is short, the
    record is SHORT. In an epoch section, outside the graph, no lock held. */
void obv__declared_read(struct obv__thread *self,
                        struct obv__computed *computed);

/** After the function: if it has taken a declaration back, all are read anew;
    sources that the function of a lazy property has read itself are let go
    of. */
void obv__declared_run(struct obv__thread *self,
                       struct obv__computed *computed);

/** Reads what a property that is set declares: its value depends on that. */
void obv__declared_read_for_set(struct obv__thread *self,
                                struct obv__computed *computed);

/** The object of a node is at its end: the dependencies of its properties end.
    */
void obv__declared_end(const struct obv_class *cls,
                       struct obv_detail_node *node);

#endif
