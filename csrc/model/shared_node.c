/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared nodes.
 */
#include "model/shared_node.h"

bool obv__class_shares_nodes(const struct obv_class *cls)
{
    return !cls->observed_changed && !cls->knows_objects && !cls->container &&
           !cls->is_foreign && !cls->has_computed && !cls->allows_late &&
           !obv__class_is_custom(cls);
}

static size_t shared_size(const struct obv_class *cls)
{
    return offsetof(struct obv__shared_node, node) + obv__node_size(cls);
}

static struct obv__shared_node *make_shared(struct obv_class *cls)
{
    struct obv__shared_node *shared =
        obv__context_allocate(cls->context, shared_size(cls));
    if (shared) {
        shared->next = NULL;
        shared->sharers = NULL;
        obv__node_init(&shared->node, cls);
        shared->node.flags = OBV__NODE_SHARED;
        obv__store_release(&shared->object.word, (uintptr_t)&shared->node);
    }
    return shared;
}

struct obv__shared_node *obv__shared_node_take(struct obv_class *cls)
{
    /* One thread at a time takes from the stack, so what is its first stays
       below what others push. Acquire: what was left there is seen. */
    struct obv__shared_node *first = obv__load_acquire(&cls->shared_nodes);
    while (first &&
           !obv__cas_acq_rel(&cls->shared_nodes, &first, first->next)) {
    }
    return first ? first : make_shared(cls);
}

void obv__shared_node_leave(struct obv__shared_node *shared)
{
    struct obv_class *cls = obv__class_of(&shared->object);
    struct obv__shared_node *first = obv__load_relaxed(&cls->shared_nodes);
    shared->sharers = NULL;
    do {
        shared->next = first;
        /* Release, pairs with the acquire above. */
    } while (!obv__cas_acq_rel(&cls->shared_nodes, &first, shared));
}

bool obv__shared_node_enter(struct obv__shared_node *shared,
                            struct obv_object *object)
{
    const struct obv_class *cls = obv__class_of(&shared->object);
    uintptr_t word = obv__load_acquire(&object->word);
    while ((word & OBV_DETAIL_NO_NODE) && obv__class_of_word(word) == cls) {
        /* Release publishes what hangs there. Seq_cst, as in
           obv__node_ensure(). */
        if (obv__cas_seq_cst(&object->word, &word, (uintptr_t)&shared->node)) {
            return true;
        }
    }
    return false;
}

/* Whether it has a key is not known of an object that has shared a node: it is
   looked for at its end. */
void obv__shared_node_exit(struct obv_object *object)
{
    const struct obv_class *cls = obv__class_of(object);
    obv__store_release(&object->word,
                       (uintptr_t)cls | OBV_DETAIL_NO_NODE | OBV__WORD_HAS_KEY);
}

void obv__shared_nodes_free(struct obv_class *cls)
{
    while (cls->shared_nodes) {
        struct obv__shared_node *first = cls->shared_nodes;
        cls->shared_nodes = first->next;
        obv__node_free_parts(cls, &first->node);
        obv__context_free(cls->context, first, shared_size(cls));
    }
}
