/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects behind a `*` that share a node.
 *
 * Who shares a node is in the table of it, and whose header names a node that is
 * shared is in its table: both change together, under the paths lock. An edit,
 * which has no lock, finds in a shared node the bindings that an own one would
 * have: the same leaves are due, whichever of the two it has read. So an object
 * that parts is given a node in which all hangs already, and its bindings are as
 * old as those that they stand for: an edit under way is for them as well. And
 * what hangs at a shared node hangs there until nobody observes by its path
 * node, also when all have parted: for the sake of a setter or an edit that
 * stands in that node still. Such a setter has no epoch section, and may stand
 * there for long; it finds whom to tell, or that nobody did observe when it
 * began. No slot there is ever marked as all pending, since no observation of
 * one pair hangs there.
 */
#include "wiring/sharers.h"

#include "model/context.h"
#include "model/shared_node.h"
#include "wiring/binding.h"
#include "wiring/leaves.h"
#include "wiring/matcher.h"
#include "wiring/sharer_table.h"

struct obv__sharers {
    struct obv__retired retired;    /* lent to the reclaim at the end */
    struct obv__path_instance any;  /* stands for `of`: above those that hang at
                                       the shared node */
    struct obv__path_instance *of;  /* a `*` */
    struct obv__sharers *next;      /* of it, of another class */
    struct obv__shared_node *where; /* the node */
    struct obv__sharer_table table;
};

static struct obv_context *context_of(const struct obv__sharers *sharers)
{
    return obv__path_instance_context(&sharers->any);
}

/* The path nodes at a shared node ------------------------------------------ */

#define EACH_BELOW(below, any)                                                 \
    struct obv__path_node *below = obv__path_node_first_child((any)->node);    \
    below;                                                                     \
    below = obv__path_node_next_sibling(below)

/* The binding of a path node at a shared node; NULL: the class lacks it. */
static struct obv__watcher *binding_there(struct obv__sharers *sharers,
                                          struct obv__path_node *below)
{
    const struct obv__path_instance *instance =
        obv__path_instance_below(&sharers->any, below, 0);
    return instance ? instance->binding : NULL;
}

static uint32_t slot_there(const struct obv__path_node *below,
                           const struct obv_class *cls)
{
    const struct obv_element *element = obv__path_node_element(below);
    return obv__matcher(element)->slot(element, cls);
}

/* Whether no object of a class has more to say at a path node than that it has
   changed. */
static bool is_alike_there(const struct obv__path_node *below,
                           const struct obv_class *cls)
{
    const uint32_t own = OBV_WEAK | OBV_FOREIGN | OBV_ANY_THREAD | OBV__AFAR;
    uint32_t slot = slot_there(below, cls);
    return slot == OBV__NO_SLOT || !(obv__slot_flags(cls, slot) & own);
}

static bool bind_there(struct obv__sharers *sharers,
                       struct obv__path_node *below)
{
    struct obv_object *object = &sharers->where->object;
    uint32_t slot = slot_there(below, obv__class_of(object));
    if (slot == OBV__NO_SLOT || binding_there(sharers, below)) {
        return true;
    }
    struct obv__path_instance *instance =
        obv__path_instance_make(&sharers->any, below, 0);
    return instance && obv__path_instance_bind_locked(instance, object, slot);
}

static void unbind_there(struct obv__sharers *sharers,
                         struct obv__path_node *below)
{
    struct obv__path_instance *instance =
        obv__path_instance_below(&sharers->any, below, 0);
    if (instance) {
        obv__path_instance_unbind_locked(instance);
        obv__path_instance_forget_if_idle(instance);
    }
}

static void unbind_all(struct obv__sharers *sharers)
{
    for (EACH_BELOW(below, &sharers->any)) {
        unbind_there(sharers, below);
    }
}

/* Coming and going --------------------------------------------------------- */

/* An end of paths which wants to know no more than that something has changed. */
static bool is_plain_end(const struct obv__path_node *below)
{
    const struct obv_element *element = obv__path_node_element(below);
    return !obv__path_node_first_child(below) && below->wants == 0 &&
           (obv__matcher_is_name(element) || obv__path_node_is_any(below));
}

/* Whether children of a `*` share nodes as it hangs now. A pass moves all that is
   below one of them at once. */
static bool may_share(const struct obv__path_instance *any)
{
    const unsigned own = OBV__AT_WEAK | OBV__AT_ANY_THREAD;
    size_t count = 0;
    if (!obv__path_node_is_any(any->node) ||
        obv__path_node_wants(any->node, OBV__PARTS) ||
        obv__paths_are_inner(any->node->paths) || !any->binding ||
        (any->binding->type & own)) {
        return false;
    }
    for (EACH_BELOW(below, any)) {
        if (!is_plain_end(below) || ++count > OBV__REWIRE_PASS_MAX) {
            return false;
        }
    }
    return count != 0;
}

static bool is_of_class_alike(const struct obv__path_instance *any,
                              const struct obv_class *cls)
{
    bool is_alike = obv__class_shares_nodes(cls) &&
                    cls->context == obv__path_instance_context(any);
    for (EACH_BELOW(below, any)) {
        is_alike = is_alike && is_alike_there(below, cls);
    }
    return is_alike;
}

/* The node is for others again once no edit stands in it any more. */
static void dissolve(struct obv__sharers *sharers)
{
    struct obv__sharers **at = &sharers->of->sharers;
    while (*at != sharers) {
        at = &(*at)->next;
    }
    *at = sharers->next;
    unbind_all(sharers);
    obv__sharer_table_free(context_of(sharers), &sharers->table);
    obv__retire(&context_of(sharers)->retired, &sharers->retired,
                OBV__RETIRED_SHARERS);
}

void obv__sharers_free(struct obv_context *context, struct obv__retired *block)
{
    struct obv__sharers *sharers = (struct obv__sharers *)(void *)block;
    obv__shared_node_leave(sharers->where);
    obv__context_free(context, sharers, sizeof *sharers);
}

bool obv__sharers_end(struct obv__path_instance *any)
{
    const struct obv__sharers *at = any->sharers;
    while (at && at->table.count == 0) {
        at = at->next;
    }
    while (!at && any->sharers) {
        dissolve(any->sharers);
    }
    return !at;
}

static void unmake(struct obv__sharers *made)
{
    struct obv_context *context = context_of(made);
    unbind_all(made);
    if (made->where) {
        obv__shared_node_leave(made->where);
    }
    obv__sharer_table_free(context, &made->table);
    obv__context_free(context, made, sizeof *made);
}

/* NULL: no memory, or nothing is followed at objects of this class. */
static struct obv__sharers *make_sharers(struct obv__path_instance *any,
                                         struct obv_class *cls)
{
    struct obv_context *context = cls->context;
    struct obv__sharers *made = obv__context_allocate(context, sizeof *made);
    if (!made) {
        return NULL;
    }
    *made = (struct obv__sharers){.of = any,
                                  .where = obv__shared_node_take(cls),
                                  .any = {.node = any->node,
                                          .parent = any->parent,
                                          .edits = 1,
                                          .key = any->key}};
    bool good = made->where && obv__sharer_table_reserve(context, &made->table);
    for (EACH_BELOW(below, any)) {
        good = good && bind_there(made, below);
    }
    if (!good || RB_EMPTY(&made->any.branches)) {
        unmake(made);
        return NULL;
    }
    made->where->sharers = made;
    made->next = any->sharers;
    any->sharers = made;
    return made;
}

/* Those that an object may join behind a `*`; NULL: none. */
static struct obv__sharers *sharers_for(struct obv__path_instance *any,
                                        const struct obv_object *object)
{
    uintptr_t word = obv__word(object);
    struct obv_class *cls =
        word & OBV_DETAIL_NO_NODE ? obv__class_of_word(word) : NULL;
    if (!cls || !is_of_class_alike(any, cls)) {
        return NULL;
    }
    struct obv__sharers *sharers = any->sharers;
    while (sharers && obv__class_of(&sharers->where->object) != cls) {
        sharers = sharers->next;
    }
    return sharers ? sharers : make_sharers(any, cls);
}

/* False: it cannot. */
static bool join_sharers(struct obv__sharers *sharers,
                         struct obv_object *object, uint32_t key)
{
    bool good =
        obv__sharer_table_reserve(context_of(sharers), &sharers->table) &&
        obv__shared_node_enter(sharers->where, object);
    if (good) {
        obv__key_retain_number(context_of(sharers), key);
        obv__sharer_table_add(&sharers->table, object, key);
    }
    return good;
}

/* It shares this node no more. */
static void remove_sharer(struct obv__sharers *sharers,
                          struct obv__sharer *sharer)
{
    obv__key_release_number(context_of(sharers), sharer->key);
    obv__sharer_table_remove(&sharers->table, sharer);
}

static void leave_sharers(struct obv__sharers *sharers,
                          struct obv__sharer *sharer)
{
    obv__shared_node_exit(sharer->object);
    remove_sharer(sharers, sharer);
}

/* The one by a key, and with whom it shares. */
static struct obv__sharer *sharer_by_key(const struct obv__path_instance *any,
                                         uint32_t key,
                                         struct obv__sharers **with)
{
    struct obv__sharer *found = NULL;
    struct obv__sharers *sharers = any->sharers;
    for (; sharers && !found; sharers = sharers->next) {
        found = obv__sharer_by_key(&sharers->table, key);
        *with = sharers;
    }
    return found;
}

/* The same by its address. */
static struct obv__sharer *sharer_of(const struct obv_object *object,
                                     struct obv__sharers **with)
{
    struct obv__shared_node *shared = obv__shared_node(obv__node(object));
    *with = shared ? shared->sharers : NULL;
    return *with ? obv__sharer_by_object(&(*with)->table, object) : NULL;
}

/* Parting ------------------------------------------------------------------ */

/* A path node gets a path instance of the child's own, which hangs at
   `stand_in` as at the shared node. */
static bool bind_own(struct obv__sharers *sharers, struct obv__path_node *below,
                     uint32_t key, struct obv_object *stand_in)
{
    const struct obv__watcher *there = binding_there(sharers, below);
    if (!there) {
        return true;
    }
    struct obv__path_instance *instance =
        obv__path_instance_make(sharers->of, below, key);
    struct obv__watcher *own =
        instance
            ? obv__path_instance_bind_locked(instance, stand_in, there->slot)
            : NULL;
    if (own) {
        own->serial = there->serial;
    }
    return own != NULL;
}

/* What was bound so hangs at an object from now on; NULL: nowhere any more. */
static void settle_own(struct obv__sharers *sharers, uint32_t key,
                       const struct obv_object *stand_in,
                       struct obv_object *object)
{
    for (EACH_BELOW(below, sharers->of)) {
        struct obv__path_instance *instance =
            obv__path_instance_below(sharers->of, below, key);
        if (!instance) {
            continue;
        }
        bool hangs = obv__path_instance_container(instance) == stand_in;
        if (hangs && object) {
            obv__store_release(&instance->binding->place, (uintptr_t)object);
        } else if (hangs) {
            obv__path_instance_unbind_locked(instance);
        }
        obv__path_instance_forget_if_idle(instance);
    }
}

/* The node is seen by nobody until it is whole: so it hangs at a header of its
   own meanwhile. False: no memory. */
static bool part_from(struct obv__sharers *sharers, struct obv__sharer *sharer)
{
    struct obv_context *context = context_of(sharers);
    struct obv_object *object = sharer->object, stand_in;
    const struct obv_class *cls = obv__class_of(object);
    uint32_t key = sharer->key;
    struct obv_detail_node *own =
        obv__context_allocate(context, obv__node_size(cls));
    if (!own) {
        return false;
    }
    obv__node_init(own, cls);
    own->flags = OBV__NODE_HAS_KEY; /* as obv__shared_node_exit() has it */
    stand_in.word = (uintptr_t)own;
    bool good = true;
    for (EACH_BELOW(below, sharers->of)) {
        good = good && bind_own(sharers, below, key, &stand_in);
    }
    settle_own(sharers, key, &stand_in, good ? object : NULL);
    if (good) {
        /* Release publishes all that hangs there. */
        obv__store_release(&object->word, (uintptr_t)own);
        remove_sharer(sharers, sharer);
    } else {
        obv__node_free_parts(cls, own);
        obv__context_free(context, own, obv__node_size(cls));
    }
    return good;
}

bool obv__sharers_part_one(struct obv_object *object)
{
    struct obv__sharers *with;
    struct obv__sharer *sharer = sharer_of(object, &with);
    return !sharer || part_from(with, sharer);
}

bool obv__sharer_part(struct obv_object *object)
{
    struct obv__lock *lock = &obv__class_of(object)->context->paths;
    obv__lock_enter(lock);
    bool good = obv__sharers_part_one(object);
    obv__lock_leave(lock);
    return good;
}

/* So many part, or join, in one stay in the lock. */
#define AT_ONCE 64

/* Some of those behind any path instance of a `*` part, from one on (NULL: the
   first), which may have been forgotten since; false: no memory. `left`: there
   may be more. */
static bool part_some(struct obv__path_node *any,
                      struct obv__path_instance **from, bool *left)
{
    struct obv__path_instance *instance =
        *from ? *from : obv__path_instance_next(any, NULL);
    bool good = true;
    unsigned parted = 0;
    while (instance && good && parted < AT_ONCE) {
        struct obv__sharers *sharers = instance->sharers;
        while (sharers && sharers->table.count == 0) {
            sharers = sharers->next;
        }
        if (sharers) {
            good = part_from(sharers, obv__sharer_last(&sharers->table));
            parted++;
        } else {
            instance = obv__path_instance_next(any, instance);
        }
    }
    *from = instance;
    *left = instance != NULL;
    return good;
}

/* Behind a path instance where all have parted nobody shares a node again. */
static bool part_all(struct obv__path_node *any)
{
    struct obv__path_instance *from = NULL;
    bool left = true, good = true;
    while (left && good) {
        obv__lock_paths(any);
        obv__path_node_want(any, OBV__PARTS);
        good = part_some(any, &from, &left);
        obv__unlock_paths(any);
    }
    return good;
}

/* Paths that come and go --------------------------------------------------- */

/* A path node below a `*` is bound at all nodes that are shared there; `parts`: it
   is not to be. False: no memory. */
static bool share_path_node(struct obv__path_node *any,
                            struct obv__path_node *below, bool *parts)
{
    bool good = true;
    obv__lock_paths(any);
    struct obv__path_instance *instance = obv__path_instance_next(any, NULL);
    for (; instance; instance = obv__path_instance_next(any, instance)) {
        struct obv__sharers *at = instance->sharers;
        *parts = *parts || (at && !may_share(instance));
        for (; at && !*parts && good; at = at->next) {
            *parts = !is_alike_there(below, obv__class_of(&at->where->object));
            good = *parts || bind_there(at, below);
        }
    }
    obv__unlock_paths(any);
    return good;
}

/* Whether an end that is to be keeps what leads to it from sharing nodes. */
static bool parts_end(const struct obv__path_node *last,
                      struct obv__watcher *leaf)
{
    obv__lock_paths(last);
    bool parts = obv__change_records_of(leaf) || !is_plain_end(last);
    obv__unlock_paths(last);
    return parts;
}

bool obv__sharers_admit(struct obv__path_node *last, struct obv__watcher *leaf)
{
    bool good = true;
    bool parts = parts_end(last, leaf);
    struct obv__path_node *above = obv__path_node_parent(last);
    for (; good && above; above = obv__path_node_parent(above)) {
        if (obv__path_node_is_any(above)) {
            good = parts || share_path_node(above, last, &parts);
            good = good && (!parts || part_all(above));
        }
        parts = true;
    }
    return good;
}

void obv__sharers_forget_node(struct obv__path_node *node)
{
    struct obv__path_node *any = obv__path_node_parent(node);
    struct obv__path_instance *instance = obv__path_instance_next(any, NULL);
    for (; instance; instance = obv__path_instance_next(any, instance)) {
        struct obv__sharers *sharers = instance->sharers, *next;
        for (; sharers; sharers = next) {
            next = sharers->next;
            unbind_there(sharers, node);
            bool is_over = RB_EMPTY(&sharers->any.branches);
            while (is_over && sharers->table.count != 0) {
                leave_sharers(sharers, obv__sharer_last(&sharers->table));
            }
            if (is_over) {
                dissolve(sharers);
            }
        }
    }
}

/* Children ----------------------------------------------------------------- */

/* Some of the children behind a `*`, as they were read. */
struct filling {
    struct obv__path_instance *any;
    const struct obv__watcher *binding; /* where it hangs */
    struct obv__children children;
    uint64_t edits;            /* of it, before they were read */
    struct obv__sharers *last; /* whom the last one has joined */
    size_t count;
    struct {
        struct obv_object *object;
        uint32_t key;
    } read[AT_ONCE];
};

/* W2. False: it has come with a reference, or there was no memory for it. */
static bool read_child(struct filling *filling)
{
    const struct obv__child *child = &filling->children.child;
    bool held;
    struct obv_object *object =
        obv__matcher_read(obv__path_node_element(filling->any->node),
                          filling->children.container, child->slot, &held);
    if (held) {
        obv__class_of(object)->release(object);
    } else if (object) {
        filling->read[filling->count].object = object;
        filling->read[filling->count++].key = child->key;
    }
    return !held;
}

/* W1 and W2, for as many as there is room for; `left`: there may be more. */
static bool read_some(struct filling *filling, bool *left)
{
    bool good = true;
    /* Seq_cst: before the reads, as everywhere. */
    filling->edits = obv__load_seq_cst(&filling->any->edits);
    filling->count = 0;
    while (good && filling->count < AT_ONCE &&
           (*left = obv__children_next(&filling->children))) {
        good = read_child(filling);
    }
    return good && !filling->children.out_of_memory;
}

/* Those that an object may join, which are mostly those of the last one. */
static struct obv__sharers *sharers_again(const struct filling *filling,
                                          const struct obv_object *object)
{
    struct obv__sharers *last = filling->last;
    bool is_alike =
        last && obv__class_of(object) == obv__class_of(&last->where->object);
    return is_alike ? last : sharers_for(filling->any, object);
}

/* False: it does not share. */
static bool fill_one(struct filling *filling, struct obv_object *child,
                     uint32_t key)
{
    struct obv__sharers *with;
    const struct obv__sharer *there = sharer_by_key(filling->any, key, &with);
    if (there) {
        return there->object == child;
    }
    filling->last = sharers_again(filling, child);
    return filling->last && join_sharers(filling->last, child, key);
}

/* Whether nobody is to be told of a child that comes, and none hangs there as any
   other: by its key another thread may be about to move it. */
static bool is_untold(const struct obv__path_instance *any)
{
    bool is_so = RB_EMPTY(&any->branches);
    for (EACH_BELOW(below, any)) {
        is_so = is_so && !obv__first(&below->leaves);
    }
    return is_so;
}

/* Before anything is read, for nothing perhaps. */
static bool may_fill(const struct obv__path_instance *any)
{
    obv__lock_paths(any->node);
    bool may = may_share(any) && is_untold(any);
    obv__unlock_paths(any->node);
    return may && !obv__path_instance_has_unwired(any);
}

/* W3 and W4 of those that were read. */
static bool fill_some(struct filling *filling)
{
    struct obv__path_instance *any = filling->any;
    obv__lock_paths(any->node);
    bool good = obv__load_seq_cst(&any->edits) == filling->edits &&
                any->binding == filling->binding && may_share(any) &&
                is_untold(any);
    for (size_t i = 0; good && i < filling->count; i++) {
        good = fill_one(filling, filling->read[i].object, filling->read[i].key);
    }
    obv__unlock_paths(any->node);
    return good;
}

bool obv__sharers_fill(struct obv__path_instance *any,
                       const struct obv__watcher *binding)
{
    if (!may_fill(any)) {
        return false;
    }
    struct filling filling = {.any = any, .binding = binding};
    bool good = true, left = true;
    filling.children = obv__children_of(obv__path_node_element(any->node),
                                        obv__binding_place(binding),
                                        binding->slot, OBV__WHICH_LEAD_ON);
    while (good && left) {
        good = read_some(&filling, &left) && fill_some(&filling);
    }
    obv__advance_registration_epoch();
    return good;
}

struct obv_object *obv__hangs_below(struct obv__path_instance *instance,
                                    struct obv__path_node *node, uint32_t key)
{
    struct obv__sharers *with;
    const struct obv__sharer *sharer = sharer_by_key(instance, key, &with);
    if (sharer) {
        return binding_there(with, node) ? sharer->object : NULL;
    }
    const struct obv__path_instance *below =
        obv__path_instance_below(instance, node, key);
    return below ? obv__path_instance_container(below) : NULL;
}

uint32_t obv__sharers_stale_key(const struct obv__path_instance *any,
                                const struct obv__children *children,
                                size_t *from)
{
    size_t begin = 0;
    const struct obv__sharers *sharers = any->sharers;
    for (; sharers; sharers = sharers->next) {
        for (; *from < begin + sharers->table.count; (*from)++) {
            uint32_t key = sharers->table.first[*from - begin].key;
            if (!obv__children_have(children, key)) {
                return key;
            }
        }
        begin += sharers->table.count;
    }
    return 0;
}

/* W4 ----------------------------------------------------------------------- */

/* What has become of one path node below. */
static struct obv__moved *note_moved(struct obv__rewire_pass *pass,
                                     struct obv__path_node *below)
{
    struct obv__moved *moved = &pass->moved[pass->count++];
    *moved =
        (struct obv__moved){.change = {.node = below, .slot = OBV__NO_SLOT}};
    return moved;
}

/* The child before goes, which shared a node. It lives until it has been looked
   at: its end has yet to find that it shares none any more. */
static void leave_before(struct obv__rewire_pass *pass,
                         struct obv__sharers *with, struct obv__sharer *sharer)
{
    pass->before = sharer->object;
    obv__hazard_set(pass->work->thread, sharer->object);
    pass->before_kept = OBV__KEPT_BY_HAZARD;
    for (EACH_BELOW(below, pass->instance)) {
        struct obv__watcher *binding = binding_there(with, below);
        if (pass->fresh || binding) {
            struct obv__moved *moved = note_moved(pass, below);
            moved->old = binding;
            moved->change.before = binding ? pass->before : NULL;
        }
    }
    leave_sharers(with, sharer);
}

/* The child that comes shares a node with these. */
static void join_fresh(struct obv__rewire_pass *pass, struct obv__sharers *with)
{
    bool has_before = pass->count != 0;
    size_t at = 0;
    for (EACH_BELOW(below, pass->instance)) {
        struct obv__moved *moved =
            has_before ? &pass->moved[at++] : note_moved(pass, below);
        moved->binding = binding_there(with, below);
        moved->change.now = moved->binding ? pass->fresh : NULL;
    }
}

/* Whether something hangs by this key as at any other child. */
static bool has_own_instance(const struct obv__rewire_pass *pass)
{
    bool has = false;
    for (EACH_BELOW(below, pass->instance)) {
        has = has ||
              obv__path_instance_below(pass->instance, below, pass->child.key);
    }
    return has;
}

/* Those with whom the child that comes shares a node from now on; NULL: nobody. */
static struct obv__sharers *join_if_it_can(struct obv__rewire_pass *pass)
{
    struct obv__sharers *with = pass->fresh && !has_own_instance(pass)
                                    ? sharers_for(pass->instance, pass->fresh)
                                    : NULL;
    return with && join_sharers(with, pass->fresh, pass->child.key) ? with
                                                                    : NULL;
}

/* Whether a child can go, and another come, without one that is its own. Memory
   that was short counts as a change of all that is below, as of any child. */
static bool is_settled(const struct obv__rewire_pass *pass)
{
    return (!pass->fresh || may_share(pass->instance)) &&
           pass->counts != OBV__COUNTS_ALL &&
           !(pass->said & OBV__CHILD_IS_SHORT);
}

/* The child before becomes one as any other. */
static void part_before(struct obv__rewire_pass *pass,
                        struct obv__sharers *with, struct obv__sharer *sharer)
{
    if (!part_from(with, sharer)) {
        leave_sharers(with, sharer);
        pass->said |= OBV__CHILD_IS_SHORT;
    }
}

enum obv__sharing obv__sharers_move(struct obv__rewire_pass *pass)
{
    struct obv__sharers *with = NULL;
    struct obv__sharer *sharer =
        sharer_by_key(pass->instance, pass->child.key, &with);
    if (!is_settled(pass)) {
        if (sharer) {
            part_before(pass, with, sharer);
        }
        return OBV__SHARES_NOT;
    }
    if (sharer && sharer->object == pass->fresh) {
        return OBV__SHARES;
    }
    if (sharer) {
        leave_before(pass, with, sharer);
    }
    with = join_if_it_can(pass);
    if (with) {
        join_fresh(pass, with);
    }
    return with ? OBV__SHARES : sharer ? OBV__SHARED : OBV__SHARES_NOT;
}

/* Ends --------------------------------------------------------------------- */

/* The path nodes that hang at a child, which is then let go of; answers their
   number. */
static size_t let_go_of(struct obv_object *object,
                        const struct obv__path_node **nodes)
{
    struct obv__sharers *with;
    struct obv__sharer *sharer = sharer_of(object, &with);
    size_t count = 0;
    if (sharer) {
        for (EACH_BELOW(below, &with->any)) {
            if (binding_there(with, below)) {
                nodes[count++] = below;
            }
        }
        leave_sharers(with, sharer);
    }
    return count;
}

void obv__sharer_ends(struct obv_object *object, struct obv__work_list *work)
{
    const struct obv__path_node *nodes[OBV__REWIRE_PASS_MAX];
    struct obv__lock *lock = &obv__class_of(object)->context->paths;
    obv__lock_enter(lock);
    size_t count = let_go_of(object, nodes);
    obv__lock_leave(lock);
    for (size_t i = 0; i < count; i++) {
        struct obv__change change = {.node = nodes[i],
                                     .before = object,
                                     .slot = OBV__NO_SLOT,
                                     .differs = true};
        obv__leaves_look(work, &change, obv__registration_epoch());
        obv__leaves_add(work, &change, obv__registration_epoch());
    }
}
