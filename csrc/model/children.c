/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The children of a container behind a `*`, and of one of its cells that stands
 * for several elements: its members.
 */
#include "model/children.h"

#include "model/context.h"
#include "model/value.h"

static struct obv_context *members_context(const struct obv_object *object)
{
    return obv__class_of(object)->context;
}

static struct obv__lock *paths_of(const struct obv_object *object)
{
    return &members_context(object)->paths;
}

/* Sets of members ---------------------------------------------------------- */

static int compare_by_number(const struct obv__member *a,
                             const struct obv__member *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(obv__members, obv__member, by_number, compare_by_number,
                     __attribute__((unused)) static)

/* NULL: there is none. By the container's owner, or with the paths lock. */
static struct obv__member_set *set_of(struct obv_object *object)
{
    if (obv__is_cell(object)) {
        return obv__cell(object)->members;
    }
    struct obv__elements *elements = obv__elements_of(obv__container(object));
    return elements ? &elements->members : NULL;
}

struct obv__member_set *obv__members_of(struct obv_object *object)
{
    struct obv__member_set *set = set_of(object);
    return set && set->is_counted ? set : NULL;
}

static struct obv__member *find_member(struct obv__member_set *set,
                                       uint64_t number)
{
    struct obv__member like = {.number = number};
    return set ? RB_FIND(obv__members, &set->members, &like) : NULL;
}

static void touch_member(struct obv__member_set *set,
                         struct obv__member *member)
{
    if (!member->is_touched) {
        member->is_touched = true;
        member->next_touched = set->touched;
        set->touched = member;
    }
}

static void free_member(struct obv_context *context,
                        struct obv__member_set *set, struct obv__member *member)
{
    RB_REMOVE(obv__members, &set->members, member);
    obv__key_release(member->key);
    if (member->is_held) {
        /* Released later, with no lock held: that runs code of the program. */
        member->next_touched = context->members_gone;
        obv__store_relaxed(&context->members_gone, member);
    } else {
        obv__context_free(context, member, sizeof *member);
    }
}

void obv__members_let_go(struct obv_context *context)
{
    /* Relaxed: the thread that has put a member there looks, and sees its
       own. */
    if (!obv__load_relaxed(&context->members_gone)) {
        return;
    }
    obv__lock_enter(&context->paths);
    struct obv__member *member = context->members_gone, *next;
    obv__store_relaxed(&context->members_gone, NULL);
    obv__lock_leave(&context->paths);
    for (; member; member = next) {
        next = member->next_touched;
        obv__element_object_leave(member->object);
        obv__context_free(context, member, sizeof *member);
    }
}

void obv__members_free_locked(struct obv_context *context,
                              struct obv__member_set *set)
{
    struct obv__member *member;
    while ((member = RB_MIN(obv__members, &set->members)) != NULL) {
        free_member(context, set, member);
    }
    set->touched = NULL;
}

void obv__members_finish_edit(struct obv_object *object)
{
    struct obv_context *context = members_context(object);
    struct obv__member_set *set = set_of(object);
    if (set && set->touched) {
        obv__lock_enter(&context->paths);
        while (set->touched) {
            struct obv__member *member = set->touched;
            set->touched = member->next_touched;
            member->is_touched = false;
            if (member->count == 0) {
                free_member(context, set, member);
            }
        }
        obv__lock_leave(&context->paths);
        obv__members_let_go(context);
        obv__keys_free_gone(context);
    }
}

/* Counting ----------------------------------------------------------------- */

enum { LEAVES, ENTERS, IS_PUT };

static uint64_t number_of_object(struct obv_object *child, bool make)
{
    uint64_t number = obv__object_number(child, make);
    return number ? OBV__OBJECT_NUMBERS + number : 0;
}

/* Counts a member that leaves, enters or is put; `key`: of what is put. */
static void change_member(struct obv_object *object, struct obv_key *key,
                          struct obv_object *child, int change)
{
    struct obv_context *context = members_context(object);
    struct obv_object *left = child;
    /* No path leads on through an object of another context. */
    bool is_there = change != LEAVES && child &&
                    (key || obv__class_of(child)->context == context);
    obv__lock_enter(&context->paths);
    struct obv__member_set *set = set_of(object);
    uint64_t number = key ? key->number : number_of_object(child, is_there);
    struct obv__member *member = find_member(set, number);
    if (number != 0 && !member && is_there) {
        member = obv__context_allocate(context, sizeof *member);
        if (member) {
            *member = (struct obv__member){.key = key, .number = number};
            RB_INSERT(obv__members, &set->members, member);
        }
        if (member && key) {
            obv__key_retain(key);
        }
    }
    set->is_incomplete = set->is_incomplete || (is_there && !member);
    if (member && (change != LEAVES || member->count != 0)) {
        if (is_there) {
            /* The member takes over the reference that came with the object. */
            left = member->is_held ? member->object : NULL;
            if (left != child) {
                member->object = child;
                member->is_held = obv__is_kept_here(child);
            }
        }
        if (change == IS_PUT) {
            member->count = is_there;
        } else if (is_there) {
            member->count++;
        } else {
            member->count--;
        }
        touch_member(set, member);
    }
    obv__lock_leave(&context->paths);
    obv__element_object_leave(left);
}

void obv__member_leaves(struct obv_object *object, struct obv_object *member)
{
    change_member(object, NULL, member, LEAVES);
}

void obv__member_enters(struct obv_object *object, struct obv_object *member)
{
    change_member(object, NULL, member, ENTERS);
}

void obv__member_put(struct obv_object *object, const void *program_key,
                     struct obv_object *member)
{
    const struct obv_key_kind *kind =
        obv__class_of(object)->container->kind->key;
    const struct obv__key_asked asked = {kind, program_key,
                                         kind->hash(kind, program_key)};
    struct obv_key *key = obv__key_take(members_context(object), &asked, true);
    if (key) {
        change_member(object, key, member, IS_PUT);
        obv__key_release(key);
    } else {
        set_of(object)->is_incomplete = true;
        obv__element_object_leave(member);
    }
}

static bool next_behind(struct obv_object *object,
                        struct obv_container_cursor *cursor)
{
    const struct obv__elements_kind *kind = obv__elements_kind(object);
    return obv__is_cell(object) ? kind->next_behind(obv__cell(object), cursor)
                                : kind->next(obv__container(object), cursor);
}

void obv__members_recount(struct obv_object *object)
{
    const struct obv__container_class *cls = obv__class_of(object)->container;
    struct obv_container_cursor cursor = {.index = 0};
    struct obv__member *member;
    obv__lock_enter(paths_of(object));
    struct obv__member_set *set = set_of(object);
    set->is_counted = true;
    set->is_incomplete = false;
    RB_FOREACH(member, obv__members, &set->members)
    {
        member->count = 0;
        touch_member(set, member);
    }
    obv__lock_leave(paths_of(object));
    while (next_behind(object, &cursor)) {
        struct obv_object *child =
            obv__element_object_take(&cls->element, cursor.element);
        if (cls->kind->key) {
            obv__member_put(object, cursor.key, child);
        } else {
            obv__member_enters(object, child);
        }
    }
}

/* Counts the members, unless that was done, if there is memory. Members that an
   edit under way has touched are left to that edit. */
static void ensure_counted(struct obv_object *object, bool again)
{
    obv__lock_enter(paths_of(object));
    struct obv__member_set *set = set_of(object);
    if (!set && obv__is_cell(object)) {
        set = obv__cell(object)->members =
            obv__context_allocate_zeroed(members_context(object), sizeof *set);
    } else if (!set) {
        struct obv__elements *elements =
            obv__elements_ensure(obv__container(object));
        set = elements ? &elements->members : NULL;
    }
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

static bool next_touched_member(struct obv_object *object,
                                struct obv__child *child, bool *out_of_memory)
{
    obv__lock_enter(paths_of(object));
    struct obv__member_set *set = set_of(object);
    struct obv__member *member = child->key != 0 ? find_member(set, child->key)
                                 : set           ? set->touched
                                                 : NULL;
    member = child->key != 0 && member ? member->next_touched : member;
    if (member) {
        *child = (struct obv__child){member->count != 0 ? OBV__SLOT_ELEMENT
                                                        : OBV__NO_SLOT,
                                     member->number};
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
    if (which == OBV__WHICH_END ||
        !obv__may_hold_object(&obv__class_of(object)->container->element)) {
        return false;
    }
    ensure_counted(object, child->key == 0);
    obv__lock_enter(paths_of(object));
    struct obv__member like = {.number = child->key + 1};
    struct obv__member_set *set = set_of(object);
    *out_of_memory = !set || set->is_incomplete;
    struct obv__member *member =
        set ? RB_NFIND(obv__members, &set->members, &like) : NULL;
    if (member) {
        *child = (struct obv__child){OBV__SLOT_ELEMENT, member->number};
    }
    obv__lock_leave(paths_of(object));
    return member != NULL;
}

/* The paths lock is held. */
static bool has_member(struct obv_object *object, uint64_t key)
{
    const struct obv__member *member = find_member(set_of(object), key);
    return member && member->count != 0;
}

static struct obv_object *object_of_member(struct obv_object *object,
                                           struct obv__child of, bool *held)
{
    *held = false;
    obv__lock_enter(paths_of(object));
    const struct obv__member *member = find_member(set_of(object), of.key);
    struct obv_object *child =
        member && member->count != 0 ? member->object : NULL;
    obv__lock_leave(paths_of(object));
    return child;
}

bool obv__elements_alike(const struct obv_object *a, const struct obv_object *b)
{
    return obv__properties_alike(&obv__class_of(a)->container->element,
                                 &obv__class_of(b)->container->element);
}

/* Each element of `after` is looked for in `before`, as that was before an edit
   if one has stored over it. */
static bool contents_differ(struct obv_object *before, struct obv_object *after,
                            const struct obv__edited *edited)
{
    const struct obv__container_class *was = obv__class_of(before)->container;
    const struct obv__container_class *is = obv__class_of(after)->container;
    /* The value that edits have stored over in a content is their `before`. */
    const struct obv__container_edits *edits =
        edited
            ? OBV__STRUCT_OF(struct obv__container_edits, before, edited->old)
            : NULL;
    const struct obv_container *from = obv__container(before),
                               *to = obv__container(after);
    if (was->elements != is->elements || was->kind->key != is->kind->key ||
        was->kind->hash != is->kind->hash ||
        !obv__elements_alike(before, after) ||
        (edits ? edits->before : was->kind->count(from)) !=
            is->kind->count(to)) {
        return true;
    }
    struct obv_container_cursor cursor = {.index = 0};
    bool same = true;
    while (same && is->elements->next(to, &cursor)) {
        const void *like = was->elements->like(from, edits, &cursor);
        same = like && like != &obv__missing &&
               obv__value_equal(&was->element, like, cursor.element);
    }
    return !same;
}

const struct obv__each obv__each_of_container = {.next = next_member,
                                                 .has = has_member,
                                                 .object = object_of_member,
                                                 .differs = contents_differ};
