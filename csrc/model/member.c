/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of containers.
 */
#include "model/member.h"

#include "model/container.h"
#include "model/context.h"

static struct obv_context *context_of(const struct obv_container *container)
{
    return obv__class_of(&container->object)->context;
}

static int compare_by_number(const struct obv__member *a,
                             const struct obv__member *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(obv__members, obv__member, by_number, compare_by_number,
                     __attribute__((unused)) static)

/* By number ------------------------------------------------------------------ */

struct obv__member *obv__member_from_locked(struct obv__elements *elements,
                                            uint32_t number)
{
    struct obv__member like = {.number = number};
    return RB_NFIND(obv__members, &elements->members, &like);
}

static struct obv__member *find_member(struct obv_container *container,
                                       const struct obv__key *key)
{
    struct obv__member *member =
        obv__member_from_locked(obv__elements_of(container), key->number);
    return member && member->number == key->number ? member : NULL;
}

static void touch_member(struct obv__elements *elements,
                         struct obv__member *member)
{
    if (!member->is_touched) {
        member->is_touched = true;
        member->next_touched = elements->touched;
        elements->touched = member;
    }
}

/* Takes a reference of the key over; NULL: no memory. */
static struct obv__member *add_member(struct obv_container *container,
                                      struct obv__key *key)
{
    struct obv__member *member =
        obv__context_allocate(context_of(container), sizeof *member);
    if (member) {
        *member = (struct obv__member){.key = key, .number = key->number};
        RB_INSERT(obv__members, &obv__elements_of(container)->members, member);
    }
    return member;
}

static void free_member(struct obv_container *container,
                        struct obv__member *member)
{
    struct obv_context *context = context_of(container);
    RB_REMOVE(obv__members, &obv__elements_of(container)->members, member);
    obv__key_release(context, member->key);
    obv__context_free(context, member, sizeof *member);
}

/* The member of a key, of which the caller has a reference; made if there is
   none; NULL: no memory. */
static struct obv__member *ensure_member(struct obv_container *container,
                                         struct obv__key *key)
{
    struct obv__member *member = find_member(container, key);
    if (!member) {
        member = add_member(container, key);
        if (member) {
            obv__key_retain(context_of(container), key);
        }
    }
    return member;
}

/* Members --------------------------------------------------------------------- */

bool obv__member_put_locked(struct obv_container *container,
                            struct obv__key *key, struct obv_object *object)
{
    struct obv__member *member =
        object ? ensure_member(container, key) : find_member(container, key);
    if (member) {
        member->object = object ? object : member->object;
        member->count = object != NULL;
        touch_member(obv__elements_of(container), member);
    }
    return member || !object;
}

bool obv__member_enters_locked(struct obv_container *container,
                               struct obv_object *object)
{
    struct obv_context *context = context_of(container);
    struct obv__key *key =
        object ? obv__key_take_object(context, object, true) : NULL;
    struct obv__member *member = key ? ensure_member(container, key) : NULL;
    if (member) {
        member->object = object;
        member->count++;
        touch_member(obv__elements_of(container), member);
    }
    if (key) {
        obv__key_release(context, key);
    }
    return member || !object;
}

void obv__member_leaves_locked(struct obv_container *container,
                               struct obv_object *object)
{
    struct obv_context *context = context_of(container);
    struct obv__key *key = obv__key_take_object(context, object, false);
    struct obv__member *member = key ? find_member(container, key) : NULL;
    if (member && member->count > 0) {
        member->count--;
        touch_member(obv__elements_of(container), member);
    }
    if (key) {
        obv__key_release(context, key);
    }
}

void obv__members_leave_locked(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    struct obv__member *member;
    RB_FOREACH(member, obv__members, &elements->members)
    {
        member->count = 0;
        touch_member(elements, member);
    }
}

void obv__members_settle_locked(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    while (elements && elements->touched) {
        struct obv__member *member = elements->touched;
        elements->touched = member->next_touched;
        member->is_touched = false;
        if (member->count == 0) {
            free_member(container, member);
        }
    }
}

void obv__members_free_locked(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    struct obv__member *member;
    while ((member = RB_MIN(obv__members, &elements->members)) != NULL) {
        free_member(container, member);
    }
    elements->touched = NULL;
}
