/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of containers.
 */
#include "model/member.h"

#include "model/container.h"
#include "model/context.h"

static int compare_by_number(const struct obv__member *a,
                             const struct obv__member *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(obv__members, obv__member, by_number, compare_by_number,
                     __attribute__((unused)) static)

/* By number ---------------------------------------------------------------- */

struct obv__member *obv__member_from_locked(struct obv__member_set *set,
                                            uint32_t number)
{
    struct obv__member like = {.number = number};
    return RB_NFIND(obv__members, &set->members, &like);
}

static struct obv__member *find_member(struct obv__member_set *set,
                                       uint32_t number)
{
    struct obv__member like = {.number = number};
    return RB_FIND(obv__members, &set->members, &like);
}

struct obv__member *obv__member_find_locked(struct obv__member_set *set,
                                            uint32_t number)
{
    struct obv__member *member = find_member(set, number);
    return member && member->count != 0 ? member : NULL;
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

/* The member of a key, of which the caller has a reference; made if there is
   none; NULL: no memory. */
static struct obv__member *ensure_member(struct obv_context *context,
                                         struct obv__member_set *set,
                                         struct obv__key *key)
{
    struct obv__member *member = find_member(set, key->number);
    if (!member) {
        member = obv__context_allocate(context, sizeof *member);
        set->is_incomplete = set->is_incomplete || !member;
        if (member) {
            obv__key_retain(context, key);
            *member = (struct obv__member){.key = key, .number = key->number};
            RB_INSERT(obv__members, &set->members, member);
        }
    }
    return member;
}

static void free_member(struct obv_context *context,
                        struct obv__member_set *set, struct obv__member *member)
{
    RB_REMOVE(obv__members, &set->members, member);
    obv__key_release(context, member->key);
    if (member->is_held) {
        /* Its end runs the program's code. */
        member->next_touched = context->members_gone;
        obv__store_relaxed(&context->members_gone, member);
    } else {
        obv__context_free(context, member, sizeof *member);
    }
}

void obv__members_let_go(struct obv_context *context)
{
    /* Relaxed: who has let one go looks, and sees its own. */
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

/* Of an object that stands there now; answers which one is to be left. */
static struct obv_object *keep_in_member(struct obv__member *member,
                                         struct obv_object *object)
{
    struct obv_object *before = member->object;
    bool was_held = member->is_held;
    if (before == object) {
        return was_held ? object : NULL;
    }
    member->object = object;
    member->is_held = obv__is_kept_here(object);
    return was_held ? before : NULL;
}

/* Members ------------------------------------------------------------------ */

struct obv_object *obv__member_put_locked(struct obv_context *context,
                                          struct obv__member_set *set,
                                          struct obv__key *key,
                                          struct obv_object *object)
{
    struct obv__member *member = object ? ensure_member(context, set, key)
                                        : find_member(set, key->number);
    struct obv_object *left = object;
    if (member) {
        left = object ? keep_in_member(member, object) : NULL;
        member->count = object != NULL;
        touch_member(set, member);
    }
    return left;
}

/* No path leads on through another context's. */
static bool is_of_context(const struct obv_context *context,
                          const struct obv_object *object)
{
    return object && obv__class_of(object)->context == context;
}

struct obv_object *obv__member_enters_locked(struct obv_context *context,
                                             struct obv__member_set *set,
                                             struct obv_object *object)
{
    struct obv_object *left = object;
    object = is_of_context(context, object) ? object : NULL;
    struct obv__key *key =
        object ? obv__key_take_object(context, object, true) : NULL;
    struct obv__member *member = key ? ensure_member(context, set, key) : NULL;
    set->is_incomplete = set->is_incomplete || (object && !key);
    if (member) {
        left = keep_in_member(member, object);
        member->count++;
        touch_member(set, member);
    }
    if (key) {
        obv__key_release(context, key);
    }
    return left;
}

void obv__member_leaves_locked(struct obv_context *context,
                               struct obv__member_set *set,
                               struct obv_object *object)
{
    struct obv__key *key = obv__key_take_object(context, object, false);
    struct obv__member *member =
        key ? obv__member_find_locked(set, key->number) : NULL;
    if (member) {
        member->count--;
        touch_member(set, member);
    }
    if (key) {
        obv__key_release(context, key);
    }
}

void obv__members_leave_locked(struct obv__member_set *set)
{
    struct obv__member *member;
    RB_FOREACH(member, obv__members, &set->members)
    {
        member->count = 0;
        touch_member(set, member);
    }
}

void obv__members_settle_locked(struct obv_context *context,
                                struct obv__member_set *set)
{
    while (set->touched) {
        struct obv__member *member = set->touched;
        set->touched = member->next_touched;
        member->is_touched = false;
        if (member->count == 0) {
            free_member(context, set, member);
        }
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
