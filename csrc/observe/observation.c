/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observations and their pairs.
 *
 * Ending a pair. It hangs in a list that one lock guards: a stripe, or the
 * paths lock. The thread that takes it out under that lock clears LINKED, and
 * has ended it; every other finds it cleared. `place` names the list, and is
 * read before the lock is known; under the lock it is read again, and equal
 * means that what it names lives, since the end of an object or of its paths
 * takes the same lock before it clears `place`.
 *
 * A group's member belongs to the one that takes it out of the group's list,
 * which is not always the one that took it out of the slot's.
 */
#include "observe/observation.h"

#include "computed/settling.h"
#include "dispatch/batch.h"
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "dispatch/record_search.h"
#include "model/misuse.h"
#include "model/node.h"
#include "observe/class_subscription.h"
#include "path/path.h"
#include "wiring/invalidation.h"
#include "wiring/matcher.h"
#include "wiring/paths.h"

#include <assert.h>
#include <stdio.h>

/* Creation ---------------------------------------------------------------- */

static enum obv__group_form form_of(const struct obv__making *making)
{
    return making->subscription                ? OBV__OF_INSTANCE
           : making->cls                       ? OBV__OF_CLASS
           : making->kind->root_did_deallocate ? OBV__OF_SUBSCRIBER
                                               : OBV__OF_PAIRS;
}

/* Decides the type and the first state of an observation. */
static void decide(const struct obv__making *making, unsigned *type,
                   unsigned *state)
{
    const struct obv_handler_kind *kind = making->kind;
    bool is_held =
        kind->retain && (making->group || obv__class_of(making->root)->retain);
    bool keeps = (making->flags & (OBV_TOKEN | OBV_ONCE)) == OBV_TOKEN;
    bool may_be_pending = !(making->flags & OBV_IMMEDIATE) || making->handle;
    /* IMMEDIATE, DEFERS and TOKEN stand side by side, as their options do. */
    *type =
        (making->flags & (uint32_t)(OBV_IMMEDIATE | OBV_DEFER | OBV_TOKEN)) *
            OBV__IMMEDIATE |
        (making->group ? OBV__GROUP : OBV__SOLO) | (keeps ? OBV__DEFERS : 0u) |
        (kind->flags & OBV_OBSERVER_IS_OBJECT ? OBV__OBSERVER_LINKED : 0u) |
        (kind->gone ? OBV__MORTAL : 0u) |
        (may_be_pending || making->group ? OBV__HAS_ITEM : 0u);
    /* A group is linked once its maker has hung its pairs (enlist_members()):
       until then nobody calls it, nor reads its kind, nor finalizes it. */
    *state = (making->group ? OBV__FINISHING : OBV__LINKED) |
             (making->handle ? OBV__HANDLE : 0u) |
             (is_held ? 0u : OBV__UNHELD) |
             (kind->dispose ? OBV__DISPOSES : 0u);
}

static_assert(OBV_IMMEDIATE * OBV__IMMEDIATE == OBV__IMMEDIATE &&
                  OBV_DEFER * OBV__IMMEDIATE == OBV__DEFERS &&
                  OBV_TOKEN * OBV__IMMEDIATE == OBV__TOKEN,
              "the bits of options are those of types");

static enum obv_status link_observer(struct obv__watcher *observation)
{
    struct obv_object *observer = observation->of;
    struct obv__more *more = obv__more_ensure(observer);
    if (!more) {
        return obv__object_has_ended(observer) ? OBV_E_ENDED : OBV_E_MEMORY;
    }
    struct obv__lock *stripe = obv__lock_stripe(observer);
    struct obv__observer_link *link = obv__observer_link(observation);
    obv__lock_enter(stripe);
    bool alive = !obv__object_is_ending(observer);
    if (alive) {
        link->next = more->observing;
        link->place = &more->observing;
        if (link->next) {
            obv__observer_link(link->next)->place = &link->next;
        }
        more->observing = observation;
    }
    obv__lock_leave(stripe);
    return alive ? OBV_OK : OBV_E_ENDED;
}

/* Fills the fields that a group alone has; false: no memory. Instances, not
   their class-level observation, have change records. */
OBV__NOINLINE static bool init_group(struct obv__group *group,
                                     const struct obv__making *making,
                                     enum obv__group_form form)
{
    if (form != OBV__OF_CLASS &&
        obv__change_records_are_needed(making->options)) {
        group->records =
            obv__change_records_create(making->context, making->options);
        if (!group->records) {
            return false;
        }
    }
    group->head.watcher.serial = (uint32_t)(obv__registration_epoch() >> 32);
    group->form = (uint8_t)form;
    group->is_extensible = (making->flags & OBV_EXTENSIBLE) != 0;
    group->is_once = (making->flags & OBV_ONCE) != 0;
    const struct obv_source *source = obv__source_of(obv__thread_self());
    group->head.watcher.file = source ? source->file : NULL;
    group->line = source ? source->line : 0;
    struct obv__watcher *head = &group->head.watcher;
    group->users = 1;
    if (form == OBV__OF_SUBSCRIBER) {
        const struct obv_handler_kind *kind = making->kind;
        struct obv__subscriber *subscriber = obv__subscriber(head);
        subscriber->told = kind->root_did_deallocate;
        subscriber->forget = kind->forget;
        subscriber->retain = kind->retain;
        subscriber->release = kind->release;
        subscriber->context = kind->notice_context;
        if (!obv__loop_is_special(making->loop)) {
            /* Seq_cst: before a notice can be given; see leave_drain(),
               loop.c. */
            obv__exchange_seq_cst(&making->loop->special, 1);
        }
    } else if (form == OBV__OF_CLASS) {
        LIST_INIT(&obv__class_subscription(head)->instances);
    } else if (form == OBV__OF_INSTANCE) {
        struct obv__instance *instance = obv__instance(head);
        instance->subscription = making->subscription;
        instance->object = making->root;
        obv__fetch_add_relaxed(&making->subscription->group.users, 1);
        /* An instance is called in the order of its subscription (DR-4). */
        head->serial = making->subscription->group.head.watcher.serial;
    }
    return true;
}

/* For obv_debug_each_left(). */
static void note_begun(const struct obv__making *making,
                       struct obv__watcher *made)
{
    struct obv__begun begun = {.context = making->context,
                               .observation = made,
                               .has_label = making->kind->label != NULL};
    begun.file = obv__begun_at(made, &begun.line);
    if (begun.has_label) {
        (void)snprintf(begun.label, sizeof begun.label, "%s",
                       making->kind->label);
    }
    obv__misuse_begun(&begun);
}

enum obv_status obv__observation_create(const struct obv__making *making,
                                        struct obv__watcher **observation)
{
    unsigned type, state;
    enum obv__group_form form = making->group ? form_of(making) : OBV__OF_PAIRS;
    decide(making, &type, &state);
    size_t size =
        making->group ? obv__group_size(form) : obv__size_of_type(type);
    struct obv__watcher *made =
        obv__watcher_allocate(making->context, size, type);
    if (!made ||
        (making->group && !init_group(obv__group(made), making, form))) {
        obv__context_free(making->context, made, size);
        return OBV_E_MEMORY;
    }
    if (type & OBV__MORTAL) {
        /* Relaxed: only asked where observers may be gone, after this. */
        obv__store_relaxed(&obv__mortal_observers, true);
    }
    made->with.kind = making->kind;
    made->of = making->observer;
    made->state = (uint8_t)state;
    if (type & OBV__HAS_ITEM) {
        obv__item_init(obv__item(made), making->loop->tag);
        (void)obv_loop_retain(making->loop);
    }
    if (form != OBV__OF_INSTANCE) {
        obv__fetch_add_relaxed(&making->context->live, 1);
        if (OBV__CHECKS_MISUSE) {
            note_begun(making, made);
        }
    }
    enum obv_status status =
        type & OBV__OBSERVER_LINKED ? link_observer(made) : OBV_OK;
    if (status != OBV_OK) {
        obv__observation_retire(making->context, made);
        return status;
    }
    *observation = made;
    return OBV_OK;
}

static void clear_linked(struct obv__watcher *watcher)
{
    obv__fetch_and_seq_cst(&watcher->state, (uint8_t)~OBV__LINKED);
}

void obv__observation_abandon(struct obv_context *context,
                              struct obv__watcher *observation)
{
    const unsigned owed = OBV__DISPOSES | OBV__HANDLE;
    obv__fetch_and_acq_rel(&observation->state, (uint8_t)~owed);
    obv__observation_cancel(observation);
    struct obv__subscriber *subscriber = obv__subscriber(observation);
    if (subscriber) {
        subscriber->forget = NULL;
    }
    if (obv__is_solo(observation)) {
        clear_linked(observation);
    } else {
        obv__observation_end(context, observation);
    }
    obv__observation_finish_creation(context, observation);
}

void obv__observation_finish_creation(struct obv_context *context,
                                      struct obv__watcher *observation)
{
    /* A thread that ended the observation earlier cleared LINKED in this same
       word, so obv__finalize() sees that. */
    obv__fetch_and_acq_rel(&observation->state, (uint8_t)~OBV__FINISHING);
    obv__finalize(context, observation);
}

/* Registering a pair ------------------------------------------------------ */

/* Hangs a pair in the slot where its path begins, or, if the path has no slot
   there, beside the root's slots. `slot`: as obv__pair_register(). */
static enum obv_status register_pair(struct obv__watcher *pair,
                                     struct obv_object *root,
                                     const struct obv_path *path, uint32_t slot,
                                     struct obv__work_list *work)
{
    if (slot == OBV__NO_SLOT) {
        slot = OBV__SLOT_NONE;
    } else if (path->count > 1 || slot == OBV__SLOT_ELEMENT ||
               path->elements->kind == OBV_ELEMENT_COMPONENT ||
               obv__change_records_of(pair) ||
               /* So that the end of its object is seen (LT-6). */
               obv__slot_is_weak(obv__class_of(root), slot)) {
        return obv__wire(root, path, pair, work);
    }
    enum obv_status status = obv__hang(root, slot, pair);
    obv__count_registration();
    return status;
}

static void append_member(struct obv__watcher **first,
                          struct obv__watcher *members)
{
    while (*first) {
        first = &(*first)->with.next_member;
    }
    *first = members;
}

/* Appends members; false if the group has ended. From its first members on the
   group can be called: a thread that ends it now clears LINKED after this. */
static bool enlist_members(struct obv__group *group,
                           struct obv__watcher *members)
{
    obv__lock_enter(&group->lock);
    bool alive = !group->is_ending;
    if (alive) {
        append_member(&group->members, members);
        obv__fetch_or_acq_rel(&group->head.watcher.state, OBV__LINKED);
    }
    obv__lock_leave(&group->lock);
    return alive;
}

/* Takes an unlinked member out of its group. Returns whether that has begun the
   group's end. The member is retired, unless it is yet to be told that its root
   has died (deallocation_notice.c). LINKED is cleared when the last member is
   out of its list, so that no thread finalizes the group while a walker can
   still reach it through a member. */
static bool leave_group(struct obv_context *context, struct obv__group *group,
                        struct obv__watcher *member)
{
    obv__lock_enter(&group->lock);
    struct obv__watcher **place = &group->members;
    while (*place && *place != member) {
        place = &(*place)->with.next_member;
    }
    bool found = *place != NULL;
    if (found) {
        *place = (*place)->with.next_member;
    }
    bool is_last = found && !group->members && !group->is_ending;
    group->is_ending = group->is_ending || is_last;
    const struct obv__recording_member *recording =
        obv__recording_member(member);
    bool is_under_way = recording && recording->is_under_way;
    obv__lock_leave(&group->lock);
    if (found && !is_under_way) {
        obv__watcher_retire(context, member);
    }
    return is_last;
}

/* NULL: no memory. */
OBV__NOINLINE static struct obv__watcher *
make_group_member(struct obv__group *group, struct obv_object *root,
                  const struct obv_path *path, uint32_t slot)
{
    bool is_nowhere = path && slot == OBV__NO_SLOT;
    bool subscribes = group->form == OBV__OF_SUBSCRIBER;
    struct obv__more *more = subscribes ? obv__more_ensure(root) : NULL;
    unsigned type = OBV__MEMBER;
    type |= subscribes || group->records || is_nowhere ? OBV__RECORDING : 0u;
    type |= subscribes ? OBV__TELLS_DEATH : 0u;
    struct obv__watcher *made =
        subscribes && !more
            ? NULL
            : obv__watcher_allocate(
                  obv__observation_context(&group->head.watcher),
                  obv__size_of_type(type), type);
    if (!made) {
        return NULL;
    }
    made->of = group;
    made->state = OBV__LINKED;
    struct obv__recording_member *recording = obv__recording_member(made);
    if (recording) { /* it knows its path */
        recording->path = path ? obv__path_retain(path) : NULL;
        recording->is_nowhere = is_nowhere;
    }
    if (group->records) {
        obv__lock_enter(&group->lock);
        recording->pair = group->records->next_pair++;
        obv__lock_leave(&group->lock);
        if (path) {
            obv__change_records_keep_path(group->records, path);
        }
    }
    if (subscribes) {
        ((struct obv__notice *)(void *)made)->identity = obv__identity_of(more);
    }
    return made;
}

/* Retires a member that its group was not given. The member's number is used
   again, unless a later pair has the next number already. */
static void retire_unkept(struct obv__group *group, struct obv__watcher *member)
{
    if (group->records) {
        uint32_t own = obv__recording_member(member)->pair;
        obv__lock_enter(&group->lock);
        uint32_t *next = &group->records->next_pair;
        *next -= *next == own + 1;
        obv__lock_leave(&group->lock);
    }
    obv__watcher_retire(obv__observation_context(&group->head.watcher), member);
}

OBV__NOINLINE static enum obv_status
register_member(struct obv__group *group, struct obv_object *root,
                const struct obv_path *path, uint32_t slot,
                struct obv__work_list *work, struct obv__watcher **members)
{
    struct obv__watcher *member = make_group_member(group, root, path, slot);
    enum obv_status status =
        member ? register_pair(member, root, path, slot, work) : OBV_E_MEMORY;
    if (status == OBV_OK) {
        append_member(members, member);
    } else if (member) {
        retire_unkept(group, member);
    }
    return status;
}

enum obv_status obv__pair_register(struct obv__watcher *observation,
                                   struct obv_object *root,
                                   const struct obv_path *path, uint32_t slot,
                                   struct obv__work_list *work,
                                   struct obv__watcher **members)
{
    struct obv__group *group = obv__group_or_null(observation);
    return group ? register_member(group, root, path, slot, work, members)
                 : register_pair(observation, root, path, slot, work);
}

/* Ending a pair ----------------------------------------------------------- */

/* Takes a pair out of the list that `place` names, whose lock is held, so that
   the root lives. */
static void take_out_locked(struct obv__watcher *pair, uintptr_t place)
{
    const struct obv_class *cls;
    if (place & OBV__PATH_NODE_TAG) {
        cls = obv__unwire_locked(pair);
    } else {
        cls = obv__unlink_locked(pair);
        /* After the pair is out: a thread that finds the bit cleared may
           finalize and retire the pair. */
        clear_linked(pair);
    }
    if (cls && !cls->retain) {
        /* Nothing holds the root: a pending call is not to see it any more. */
        obv__store_release(&pair->place, (uintptr_t)0);
    }
}

/* Takes a SOLO or MEMBER out of its list; whether this call did. */
static bool unlink_pair(struct obv__watcher *pair)
{
    uintptr_t place;
    /* Repeats when another thread has ended it in between: then it is no longer
       linked, or its place is 0. */
    while ((place = obv__load_acquire(&pair->place)) != 0) {
        struct obv__lock *lock =
            place & OBV__PATH_NODE_TAG
                ? &obv__path_node_of(place)->paths->context->paths
                : obv__lock_stripe((void *)place);
        obv__lock_enter(lock);
        bool is_there = obv__load_acquire(&pair->place) == place;
        bool is_linked = is_there && obv__has_state(pair, OBV__LINKED);
        if (is_linked) {
            take_out_locked(pair, place);
        }
        obv__lock_leave(lock);
        if (is_there) {
            return is_linked;
        }
    }
    return false;
}

/* Whether the end of an observation takes a scheduled call back (ST-4): if it
   is a token, or the call does not hold both ends. In a group that depends on
   the root that it is scheduled for: a root without hooks is gone as soon as
   its pair is. */
OBV__INLINE bool end_takes_call_back(struct obv__watcher *observation)
{
    bool takes = (observation->type & OBV__TOKEN) ||
                 obv__has_state(observation, OBV__UNHELD);
    struct obv__group *group = obv__group_or_null(observation);
    if (takes || !group) {
        return takes;
    }
    obv__lock_enter(&group->lock);
    takes = group->root && !group->is_root_held;
    obv__lock_leave(&group->lock);
    return takes;
}

void obv__observation_cancel(struct obv__watcher *observation)
{
    struct obv__group *group = obv__group_or_null(observation);
    if (group) {
        /* Release: as the flag below; pairs with the look in
           deallocation_notice.c. */
        obv__store_release(&group->is_deaf, (uint8_t)1);
    }
    obv__fetch_or_acq_rel(&observation->state, OBV__CANCELLED);
}

/* Follows the end of an observation: the caller has cleared LINKED. An
   observation that its root's death has ended is still told of that. */
static void observation_ended(struct obv_context *context,
                              struct obv__watcher *observation,
                              enum obv__pair_end by)
{
    const struct obv__group *group = obv__group_or_null(observation);
    if (by != OBV__BY_PATH && !obv__has_state(observation, OBV__CANCELLED) &&
        end_takes_call_back(observation)) {
        if (by == OBV__BY_DEATH) {
            obv__fetch_or_acq_rel(&observation->state, OBV__CANCELLED);
        } else {
            obv__observation_cancel(observation);
        }
    }
    if (group && group->records &&
        obv__has_state(observation, OBV__CANCELLED)) {
        obv__change_records_end(context, group->records);
    }
    obv__finalize(context, observation);
}

/* Follows the end of a group, whose list of members is empty and stays so.
   Every thread that ends the group does this, since none may return before it
   is done. */
static void group_ended(struct obv_context *context, struct obv__group *group,
                        enum obv__pair_end by)
{
    if (group->form == OBV__OF_INSTANCE) {
        obv__instance_leave_object(obv__instance(&group->head.watcher));
    }
    clear_linked(&group->head.watcher);
    observation_ended(context, &group->head.watcher, by);
}

void obv__pair_ended(struct obv_context *context, struct obv__watcher *pair,
                     enum obv__pair_end by)
{
    if (obv__is_solo(pair)) {
        observation_ended(context, pair, by);
        return;
    }
    struct obv__group *group = pair->of;
    if (leave_group(context, group, pair)) {
        group_ended(context, group, by);
    }
}

OBV__NOINLINE static void keep_what_waits(struct obv__watcher *observation,
                                          struct obv__watcher *pair)
{
    if (obv__waits(observation) &&
        obv__follows_invalid(obv__thread_self(), pair, true)) {
        obv__come_anyway(observation);
    }
    obv__settle_ended(obv__thread_self(), pair);
}

void obv__keep_call(struct obv__watcher *pair)
{
    struct obv__watcher *observation = obv__observation(pair);
    /* Else nothing can have been kept for it. */
    if (OBV__UNLIKELY(obv__asks(observation) || obv__batches_are_open())) {
        keep_what_waits(observation, pair);
    }
}

void obv__pair_stop(struct obv_context *context, struct obv__watcher *pair)
{
    obv__keep_call(pair);
    if (unlink_pair(pair)) {
        obv__pair_ended(context, pair, OBV__BY_STOP);
    }
}

void obv__pairs_take_back(struct obv__watcher *observation,
                          struct obv__watcher **members)
{
    struct obv__watcher *member, *last = NULL;
    while ((member = *members) != NULL) {
        *members = member->with.next_member;
        member->with.next_member = last;
        last = member;
    }
    /* From the highest number down: only the last number given can be given
       back. */
    while ((member = last) != NULL) {
        last = member->with.next_member;
        (void)unlink_pair(member);
        retire_unkept(obv__group(observation), member);
    }
}

bool obv__pairs_keep(struct obv_context *context,
                     struct obv__watcher *observation,
                     struct obv__watcher **members)
{
    if (!enlist_members(obv__group(observation), *members)) {
        obv__pairs_take_back(observation, members);
        return false;
    }
    /* A set that found the group not linked has read the registration epoch
       before this. */
    obv__count_registration();
    /* A pair may have been stopped at its root, or its root may have died,
       before it was in the group's list. That thread did not find it there, so
       its end is caught up on here. */
    struct obv__watcher *next, *member = obv__pair_next(observation, NULL);
    for (; member; member = next) {
        next = obv__pair_next(observation, member);
        if (!obv__has_state(member, OBV__LINKED)) {
            obv__pair_ended(context, member, OBV__BY_STOP);
        }
    }
    return true;
}

void obv__observation_end(struct obv_context *context,
                          struct obv__watcher *observation)
{
    struct obv__group *group = obv__group_or_null(observation);
    struct obv__watcher *member;
    /* Also if the death of its root has ended the observation already. */
    if (end_takes_call_back(observation)) {
        obv__observation_cancel(observation);
    }
    if (!group) {
        obv__pair_stop(context, observation);
        return;
    }
    obv__lock_enter(&group->lock);
    group->is_ending = true;
    obv__lock_leave(&group->lock);
    if (group->form == OBV__OF_CLASS) {
        obv__class_subscription_end(context,
                                    obv__class_subscription(observation));
    }
    /* Every ending thread removes all members, so none returns early: after its
       call no handler is entered through one of them. */
    while ((member = obv__pair_next(observation, NULL)) != NULL) {
        obv__keep_call(member);
        (void)unlink_pair(member);
        (void)leave_group(context, group, member);
    }
    group_ended(context, group, OBV__BY_STOP);
}

/* Paths that are over ------------------------------------------------------ */

enum obv__path_end obv__path_end_of(const struct obv__watcher *pair)
{
    uintptr_t place = obv__load_acquire(&pair->place);
    return place & OBV__PATH_NODE_TAG
               ? obv__path_node_furthest_end(obv__path_node_of(place))
               : OBV__PATH_GOES_ON;
}

bool obv__pair_is(struct obv__watcher *pair, const struct obv_object *root,
                  const struct obv_path *path)
{
    return obv__root(pair) == root && obv__pair_follows(pair, path);
}

struct obv__watcher *obv__pair_find(struct obv__watcher *observation,
                                    const struct obv_object *root,
                                    const struct obv_path *path)
{
    struct obv__watcher *found = NULL;
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    for (; pair && (!found || obv__path_end_of(found) >= OBV__PATH_ENDS);
         pair = obv__pair_next(observation, pair)) {
        if (obv__pair_is(pair, root, path)) {
            found = pair;
        }
    }
    return found;
}

/* Ends the pairs whose paths have ended and whose observation has been called
   for that. Each pair is asked anew, since another thread may just have
   scheduled it. */
void obv__end_called(struct obv_context *context,
                     struct obv__watcher *observation)
{
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    while (pair) {
        struct obv__watcher *next = obv__pair_next(observation, pair);
        /* Batches first: a batch makes the call pending before it lets go of
           it. */
        if (obv__path_end_of(pair) == OBV__PATH_ENDED &&
            (!(observation->type & OBV__HAS_ITEM) ||
             (!obv__batches_have(observation, OBV__IS_ASIDE) &&
              obv__item_state_of(obv__item_word(obv__item(observation))) ==
                  OBV__COALESCING_IDLE)) &&
            unlink_pair(pair)) {
            obv__pair_ended(context, pair, OBV__BY_PATH);
        }
        pair = next;
    }
}

void obv__observer_ends(struct obv_object *object)
{
    struct obv__more *more = obv__more(obv__node(object));
    struct obv__lock *stripe = obv__lock_stripe(object);
    for (;;) {
        obv__lock_enter(stripe);
        struct obv__watcher *observation = more ? more->observing : NULL;
        if (observation) {
            obv__observer_unlink_locked(observation);
        }
        obv__lock_leave(stripe);
        if (!observation) {
            return;
        }
        /* A call that is pending holds the observer, or cannot: then it is
           not to come. */
        obv__observation_cancel(observation);
        struct obv_context *context = obv__class_of(object)->context;
        obv__observation_end(context, observation);
    }
}

/* Which pair -------------------------------------------------------------- */

/* A component equals any element of its name. `count` and the key `\count` have
   one name, so other kinds must be the same. */
static bool same_element(const struct obv_element *a,
                         const struct obv_element *b)
{
    if (obv__matcher_is_bound_once(a)) { /* whatever it was bound to */
        return a->kind == b->kind && a->number == b->number;
    }
    uint32_t name_a = obv__element_name(a);
    uint32_t name_b = obv__element_name(b);
    bool are_named = name_a != OBV_NAME_NONE && name_a == name_b &&
                     (a->kind == b->kind || a->kind == OBV_ELEMENT_COMPONENT ||
                      b->kind == OBV_ELEMENT_COMPONENT);
    return are_named || obv_element_equal(a, b);
}

static bool same_path(const struct obv_element *elements, size_t count,
                      const struct obv_path *path)
{
    bool same = count == path->count;
    for (size_t i = 0; same && i < count; i++) {
        same = same_element(&elements[i], &path->elements[i]);
    }
    return same;
}

bool obv__pair_follows(struct obv__watcher *pair, const struct obv_path *path)
{
    uintptr_t place = obv__load_acquire(&pair->place);
    const struct obv_path *own =
        obv__is_class_subscription(pair) ? obv__class_subscription(pair)->path
        : pair->slot == OBV__SLOT_NONE   ? obv__unresolved_of(pair)
                                         : NULL;
    if (own || place == 0) {
        return own && same_path(own->elements, own->count, path);
    }
    if (place & OBV__PATH_NODE_TAG) {
        struct obv_element elements[OBV_PATH_COUNT_MAX];
        const struct obv__path_node *node = obv__path_node_of(place);
        return same_path(elements, obv__path_node_elements(node, elements),
                         path);
    }
    /* A view is a part of a property: its pairs hang at path nodes, not in the
       slot. */
    if (path->count != 1 || obv__matcher_is_view(path->elements)) {
        return false;
    }
    /* Under the stripe, since the root may end. */
    struct obv__lock *stripe = obv__lock_stripe((void *)place);
    obv__lock_enter(stripe);
    bool same = obv__has_state(pair, OBV__LINKED) &&
                obv__load_acquire(&pair->place) == place &&
                obv__slot_on(path->elements,
                             (const struct obv_object *)place) == pair->slot;
    obv__lock_leave(stripe);
    return same;
}

const struct obv_path *obv__unresolved_of(struct obv__watcher *pair)
{
    const struct obv__recording_member *member = obv__recording_member(pair);
    if (obv__is_class_subscription(pair)) {
        return obv__class_subscription(pair)->is_nowhere &&
                       obv__has_state(pair, OBV__LINKED)
                   ? obv__class_subscription(pair)->path
                   : NULL;
    }
    return member && member->is_nowhere ? member->path : NULL;
}

struct obv__watcher *obv__pair_living(struct obv__watcher *observation)
{
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    if (obv__is_class_subscription(observation)) {
        return obv__has_state(observation, OBV__LINKED) ? observation : NULL;
    }
    struct obv__watcher *next = pair ? obv__pair_next(observation, pair) : NULL;
    /* The last pair is not tried: the caller holds its root itself. */
    while (next && !obv__has_living_root(obv__thread_self(), pair)) {
        pair = next;
        next = obv__pair_next(observation, pair);
    }
    return pair && obv__root(pair) ? pair : NULL;
}
