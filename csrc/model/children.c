/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The children of a container behind a `*`, and of one of its cells that stands
 * for several elements: its members.
 */
#include "model/children.h"

#include "model/context.h"
#include "model/each.h"
#include "model/value.h"

#include <string.h>

static struct obv_context *members_context(const struct obv_object *object)
{
    return obv__class_of(object)->context;
}

static struct obv__lock *paths_of(const struct obv_object *object)
{
    return &members_context(object)->paths;
}

/* Sets of members ---------------------------------------------------------- */

/* NULL: there is none. By the container's owner, or with the paths lock. */
static struct obv__member_set *set_of(struct obv_object *object)
{
    if (obv__is_cell(object)) {
        return obv__cell(object)->members;
    }
    struct obv__elements *elements = obv__elements_of(obv__container(object));
    return elements ? &elements->members : NULL;
}

/* NULL: no memory. The paths lock is held. */
static struct obv__member_set *ensure_set(struct obv_object *object)
{
    if (!obv__is_cell(object)) {
        struct obv__elements *elements =
            obv__elements_ensure(obv__container(object));
        return elements ? &elements->members : NULL;
    }
    struct obv__cell *cell = obv__cell(object);
    if (!cell->members) {
        cell->members = obv__context_allocate_zeroed(members_context(object),
                                                     sizeof *cell->members);
    }
    return cell->members;
}

struct obv__member_set *obv__members_of(struct obv_object *object)
{
    struct obv__member_set *set = set_of(object);
    return set && set->is_counted ? set : NULL;
}

void obv__member_leaves(struct obv_object *object, struct obv_object *member)
{
    obv__lock_enter(paths_of(object));
    obv__member_leaves_locked(members_context(object), set_of(object), member);
    obv__lock_leave(paths_of(object));
    obv__element_object_leave(member);
}

void obv__member_put(struct obv_object *object, struct obv__key *key,
                     struct obv_object *member)
{
    obv__lock_enter(paths_of(object));
    struct obv_object *left = obv__member_put_locked(
        members_context(object), set_of(object), key, member);
    obv__lock_leave(paths_of(object));
    obv__element_object_leave(left);
}

void obv__member_enters(struct obv_object *object, struct obv_object *member)
{
    obv__lock_enter(paths_of(object));
    struct obv_object *left = obv__member_enters_locked(members_context(object),
                                                        set_of(object), member);
    obv__lock_leave(paths_of(object));
    obv__element_object_leave(left);
}

void obv__members_finish_edit(struct obv_object *object)
{
    struct obv__member_set *set = set_of(object);
    if (set && set->touched) {
        obv__lock_enter(paths_of(object));
        obv__members_settle_locked(members_context(object), set);
        obv__lock_leave(paths_of(object));
        obv__members_let_go(members_context(object));
        obv__keys_free_gone(members_context(object));
    }
}

/* Counting ----------------------------------------------------------------- */

/* A member that was read; of elements that have no keys without one. */
struct read_member {
    struct obv__key *key; /* a reference */
    struct obv_object *object;
};

struct read_members {
    struct read_member *first;
    size_t count, room;
    bool out_of_memory;
};

static bool next_behind(struct obv_object *object,
                        struct obv_container_cursor *cursor)
{
    const struct obv__elements_kind *kind = obv__elements_kind(object);
    return obv__is_cell(object) ? kind->next_behind(obv__cell(object), cursor)
                                : kind->next(obv__container(object), cursor);
}

static bool grow(struct obv_context *context, struct read_members *members)
{
    size_t room = 2 * members->room + 16, size = sizeof *members->first;
    struct read_member *grown = obv__context_allocate(context, room * size);
    if (grown) {
        if (members->first) {
            memcpy(grown, members->first, members->count * size);
        }
        obv__context_free(context, members->first, members->room * size);
        members->first = grown;
        members->room = room;
    }
    return grown != NULL;
}

/* The key of an element that has one, with a reference; `good`: there was memory
   for it. */
static struct obv__key *
key_of_element(struct obv_object *object,
               const struct obv_container_cursor *cursor, bool *good)
{
    const struct obv_key_kind *kind =
        obv__class_of(object)->container->kind->key;
    if (!kind) {
        return NULL;
    }
    const struct obv__key_asked asked = {kind, cursor->key,
                                         kind->hash(kind, cursor->key)};
    struct obv__key *key = obv__key_take(members_context(object), &asked, true);
    *good = key != NULL;
    return key;
}

static void read_members(struct obv_object *object,
                         struct read_members *members)
{
    struct obv_container_cursor cursor = {.index = 0};
    bool good = true;
    while (good && next_behind(object, &cursor)) {
        good = members->count < members->room ||
               grow(members_context(object), members);
        if (good) {
            struct read_member *member = &members->first[members->count++];
            member->key = key_of_element(object, &cursor, &good);
            member->object = obv__element_object_take(
                &obv__class_of(object)->container->element, cursor.element);
        }
    }
    members->out_of_memory = !good;
}

/* Behind it those stand there that are to be left. */
static void put_members_locked(struct obv_object *object,
                               struct obv__member_set *set,
                               struct read_members *members)
{
    struct obv_context *context = members_context(object);
    obv__members_leave_locked(set);
    for (size_t i = 0; i < members->count; i++) {
        struct read_member *member = &members->first[i];
        member->object =
            member->key
                ? obv__member_put_locked(context, set, member->key,
                                         member->object)
                : obv__member_enters_locked(context, set, member->object);
    }
}

/* The program is asked before the lock. */
void obv__members_recount(struct obv_object *object)
{
    struct obv_context *context = members_context(object);
    struct read_members members = {.first = NULL};
    read_members(object, &members);
    obv__lock_enter(&context->paths);
    struct obv__member_set *set = set_of(object);
    set->is_counted = true;
    set->is_incomplete = members.out_of_memory;
    if (!members.out_of_memory) {
        put_members_locked(object, set, &members);
    }
    obv__lock_leave(&context->paths);
    for (size_t i = 0; i < members.count; i++) {
        obv__element_object_leave(members.first[i].object);
        if (members.first[i].key) {
            obv__key_release(context, members.first[i].key);
        }
    }
    obv__context_free(context, members.first,
                      members.room * sizeof *members.first);
}

/* Sees to it that the members are counted, if there is memory. An edit under
   way decides itself on what it has touched. */
static void ensure_counted(struct obv_object *object, bool again)
{
    obv__lock_enter(paths_of(object));
    const struct obv__member_set *set = ensure_set(object);
    bool must = set && (!set->is_counted || (set->is_incomplete && again));
    bool is_edited = set && set->touched;
    obv__lock_leave(paths_of(object));
    if (must) {
        obv__members_recount(object);
    }
    if (must && !is_edited) {
        obv__members_finish_edit(object);
    }
}

/* Each --------------------------------------------------------------------- */

static bool holds_objects(const struct obv_object *object)
{
    return obv__may_hold_object(&obv__class_of(object)->container->element);
}

static bool next_touched_member(struct obv_object *object,
                                struct obv__child *child, bool *out_of_memory)
{
    obv__lock_enter(paths_of(object));
    struct obv__member_set *set = set_of(object);
    struct obv__member *member = set ? set->touched : NULL;
    while (child->key != 0 && member && member->number != child->key) {
        member = member->next_touched;
    }
    member = child->key != 0 && member ? member->next_touched : member;
    if (member) {
        *child = (struct obv__child){
            member->count != 0 ? member->number : OBV__NO_SLOT, member->number};
    }
    *out_of_memory = set && set->is_incomplete;
    obv__lock_leave(paths_of(object));
    return member != NULL;
}

static bool next_member(struct obv_object *object, enum obv__which which,
                        struct obv__child *child, bool *out_of_memory)
{
    if (which == OBV__WHICH_TOUCHED) {
        return next_touched_member(object, child, out_of_memory);
    }
    if (which == OBV__WHICH_END || !holds_objects(object)) {
        return false;
    }
    ensure_counted(object, child->key == 0);
    obv__lock_enter(paths_of(object));
    struct obv__member_set *set = set_of(object);
    *out_of_memory = !set || set->is_incomplete;
    struct obv__member *member =
        set ? obv__member_from_locked(set, child->key + 1) : NULL;
    if (member) {
        *child = (struct obv__child){member->number, member->number};
    }
    obv__lock_leave(paths_of(object));
    return member != NULL;
}

/* The paths lock is held. */
static bool has_member(struct obv_object *object, uint32_t key)
{
    struct obv__member_set *set = set_of(object);
    return set && obv__member_find_locked(set, key);
}

static struct obv_object *object_of_member(struct obv_object *object,
                                           uint32_t slot, bool *held)
{
    *held = false;
    obv__lock_enter(paths_of(object));
    struct obv__member_set *set = set_of(object);
    const struct obv__member *member =
        set ? obv__member_find_locked(set, slot) : NULL;
    struct obv_object *child = member ? member->object : NULL;
    obv__lock_leave(paths_of(object));
    return child;
}

bool obv__elements_alike(const struct obv_object *a, const struct obv_object *b)
{
    return obv__properties_alike(&obv__class_of(a)->container->element,
                                 &obv__class_of(b)->container->element);
}

/* The edits that have stored over a content: what was there is their count. */
static const struct obv__container_edits *
edits_of(const struct obv__edited *edited)
{
    const char *before = edited->old;
    return (const struct obv__container_edits
                *)(const void *)(before -
                                 offsetof(struct obv__container_edits, before));
}

static bool contents_differ(struct obv_object *before, struct obv_object *after,
                            const struct obv__edited *edited)
{
    const struct obv__elements_kind *kind = obv__elements_kind(before);
    if (kind != obv__elements_kind(after) ||
        !obv__elements_alike(before, after)) {
        return true;
    }
    return edited ? !kind->were_equal(edits_of(edited), obv__container(after))
                  : !kind->are_equal(obv__container(before),
                                     obv__container(after));
}

const struct obv__each obv__each_of_container = {.next = next_member,
                                                 .has = has_member,
                                                 .object = object_of_member,
                                                 .differs = contents_differ};
