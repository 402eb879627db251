/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of containers and their keys.
 */
#include "model/member.h"

#include "model/container.h"
#include "model/context.h"

#include <string.h>

static struct obv_context *context_of(const struct obv_container *container)
{
    return obv__class_of(&container->object)->context;
}

static int order_of_addresses(const void *a, const void *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_by_object(const struct obv__member *a,
                             const struct obv__member *b)
{
    int order = order_of_addresses(a->object, b->object);
    return order ? order : order_of_addresses(a->container, b->container);
}

static int compare_by_key(const struct obv__member *a,
                          const struct obv__member *b)
{
    return (a->key > b->key) - (a->key < b->key);
}

/* Not every function that these make is used. */
RB_GENERATE_INTERNAL(obv__members_of_all, obv__member, by_object,
                     compare_by_object, __attribute__((unused)) static)
RB_GENERATE_INTERNAL(obv__members, obv__member, by_key, compare_by_key,
                     __attribute__((unused)) static)

/* Keys --------------------------------------------------------------------- */

/* Some member of an object, of whichever container; or NULL. */
static struct obv__member *any_member(struct obv__member_keys *keys,
                                      struct obv_object *object)
{
    struct obv__member like = {.object = object};
    struct obv__member *found =
        RB_NFIND(obv__members_of_all, &keys->members, &like);
    return found && found->object == object ? found : NULL;
}

/* 0: there is none left, after 2^31 at once. */
static uint32_t take_key(struct obv__member_keys *keys,
                         struct obv_object *object)
{
    const struct obv__member *other = any_member(keys, object);
    if (other) {
        return other->key;
    }
    if (keys->spare_count != 0) {
        return keys->spare[--keys->spare_count];
    }
    return keys->last == OBV__MEMBER_KEYS - 2 ? 0
                                              : OBV__MEMBER_KEYS + ++keys->last;
}

/* Room for one more; without memory for it a key is lost. */
static bool have_room(struct obv_context *context)
{
    struct obv__member_keys *keys = &context->member_keys;
    if (keys->spare_count < keys->spare_room) {
        return true;
    }
    size_t room = 2 * keys->spare_room + 16;
    uint32_t *spare = obv__context_allocate(context, room * sizeof *spare);
    if (spare) {
        if (keys->spare) {
            memcpy(spare, keys->spare, keys->spare_count * sizeof *spare);
        }
        obv__context_free(context, keys->spare,
                          keys->spare_room * sizeof *spare);
        keys->spare = spare;
        keys->spare_room = room;
    }
    return spare != NULL;
}

static void give_key_back(struct obv_context *context,
                          const struct obv__member *member)
{
    struct obv__member_keys *keys = &context->member_keys;
    if (!any_member(keys, member->object) && have_room(context)) {
        keys->spare[keys->spare_count++] = member->key;
    }
}

void obv__member_keys_free(struct obv_context *context)
{
    struct obv__member_keys *keys = &context->member_keys;
    obv__context_free(context, keys->spare,
                      keys->spare_room * sizeof *keys->spare);
}

/* Members ------------------------------------------------------------------ */

struct obv__member *obv__member_from_locked(struct obv__elements *elements,
                                            uint32_t key)
{
    struct obv__member like = {.key = key};
    return RB_NFIND(obv__members, &elements->members, &like);
}

static void touch(struct obv__elements *elements, struct obv__member *member)
{
    if (!member->is_touched) {
        member->is_touched = true;
        member->next_touched = elements->touched;
        elements->touched = member;
    }
}

static struct obv__member *find_member(struct obv_container *container,
                                       struct obv_object *object)
{
    struct obv__member like = {.container = container, .object = object};
    return RB_FIND(obv__members_of_all,
                   &context_of(container)->member_keys.members, &like);
}

static struct obv__member *add_member(struct obv_container *container,
                                      struct obv_object *object)
{
    struct obv_context *context = context_of(container);
    struct obv__member *member = obv__context_allocate(context, sizeof *member);
    uint32_t key = member ? take_key(&context->member_keys, object) : 0;
    if (key == 0) {
        obv__context_free(context, member, sizeof *member);
        return NULL;
    }
    *member = (struct obv__member){
        .container = container, .object = object, .key = key};
    RB_INSERT(obv__members_of_all, &context->member_keys.members, member);
    RB_INSERT(obv__members, &obv__elements_of(container)->members, member);
    return member;
}

static void free_member(struct obv__member *member)
{
    struct obv_context *context = context_of(member->container);
    RB_REMOVE(obv__members_of_all, &context->member_keys.members, member);
    RB_REMOVE(obv__members, &obv__elements_of(member->container)->members,
              member);
    give_key_back(context, member);
    obv__context_free(context, member, sizeof *member);
}

bool obv__member_enters_locked(struct obv_container *container,
                               struct obv_object *object)
{
    struct obv__member *member = object ? find_member(container, object) : NULL;
    if (object && !member) {
        member = add_member(container, object);
    }
    if (member) {
        member->count++;
        touch(obv__elements_of(container), member);
    }
    return member || !object;
}

void obv__member_leaves_locked(struct obv_container *container,
                               struct obv_object *object)
{
    struct obv__member *member = find_member(container, object);
    if (member && member->count > 0) {
        member->count--;
        touch(obv__elements_of(container), member);
    }
}

void obv__members_leave_locked(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    struct obv__member *member;
    RB_FOREACH(member, obv__members, &elements->members)
    {
        member->count = 0;
        touch(elements, member);
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
            free_member(member);
        }
    }
}

void obv__members_free_locked(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    struct obv__member *member;
    while ((member = RB_MIN(obv__members, &elements->members)) != NULL) {
        free_member(member);
    }
    elements->touched = NULL;
}
