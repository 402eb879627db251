/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deallocation notices. A notice is a pair of its observation, which lives on
 * until the death of its root is told:
 *
 *     hangs      as any pair
 *     under way  a user of the group: in the hands of the root's end, then in a
 *                loop's list, then in the drain's. The thread that takes it out
 *                of the group's list does not retire it
 *     told       retired, after the call, or in its place where nobody is to be
 *                called
 *
 * The death of a root is not told if it comes before the pair is given to the
 * group, in the call that observes.
 *
 * In the loop. Any thread puts a notice in front of `notices` by a compare-
 * exchange; the drain takes all by one exchange: they come in no promised
 * order. Waking and the loop's end treat such a push as one into the set
 * (loop_turn.c, W1; loop.c, the end). A drain tells at its end, a nested one
 * too; what a drain's handlers let die, and what dies of notices, is told
 * before it returns.
 *
 * A notice holds no object. It keeps the subscriber's memory, which has copies
 * of the kind's functions, so `dispose` need not wait. The observer's address
 * is valid
 *
 *   - for an observable object: as long as it is no ended one. Its end marks
 *     every subscriber in its list deaf, then waits for hazard pointers; we
 *     publish one, then look at the mark, then call `retain`. So a subscriber
 *     stays in that list until its last user is through
 *   - for a kind with `forget`: until that has been called, by the last user
 *   - for any other: until `dispose`, which waits for the last notice. A stop
 *     that is to take notices back marks the subscriber deaf, then asks where
 *     it runs; we pin it, then look at the mark.
 *
 * A notice comes under way only while its pair is in the group's list, so
 * before the group ends.
 */
#include "dispatch/deallocation_notice.h"

#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "model/context.h"
#include "path/path.h"
#include "platform/exception.h"

#include <observable/detail.h>

static struct obv__subscriber *subscriber_of(const struct obv__notice *notice)
{
    return notice->member.watcher.of;
}

static struct obv__watcher *observation_of(const struct obv__notice *notice)
{
    return notice->member.watcher.of;
}

static struct obv_context *context_of_notice(const struct obv__notice *notice)
{
    return obv__observation_context(observation_of(notice));
}

/* Deaths ------------------------------------------------------------------ */

void obv__notice_take(struct obv__watcher *pair, struct obv__notices *notices)
{
    if (obv__what(pair) != OBV__MEMBER || !(pair->type & OBV__TELLS_DEATH)) {
        return;
    }
    struct obv__notice *notice = (struct obv__notice *)(void *)pair;
    struct obv__group *group = &subscriber_of(notice)->group;
    obv__lock_enter(&group->lock);
    const struct obv__watcher *member = group->members;
    while (member && member != pair) {
        member = member->with.next_member;
    }
    if (member) {
        notice->member.is_under_way = true;
        obv__fetch_add_relaxed(&group->users, 1);
        notice->next = NULL;
        *(notices->last ? notices->last : &notices->first) = notice;
        notices->last = &notice->next;
    }
    obv__lock_leave(&group->lock);
}

/* Telling ------------------------------------------------------------------ */

static void give_to_loop(struct obv__notice *notice)
{
    struct obv_loop *loop = obv__loop_of(observation_of(notice));
    struct obv__notice *first = obv__load_relaxed(&loop->notices);
    do {
        notice->next = first;
        /* Seq_cst: the notice is whole for the drain that takes it; and our
           look whether the loop has ended comes after it (loop.c, the end). */
    } while (!obv__cas_seq_cst(&loop->notices, &first, notice));
    obv__loop_notify_posted(loop, first == NULL);
}

/* Frees a notice that is not under way any more. */
static void release_notice(struct obv__notice *notice)
{
    struct obv__group *group = &subscriber_of(notice)->group;
    obv__watcher_retire(context_of_notice(notice), &notice->member.watcher);
    obv__group_drop_user(group);
}

/* The report of a death, in a call of its observer. */
struct saying {
    struct obv_deallocation_notice say;
    bool by_loop; /* asked for, in the call */
};

/* Calls the observer; whether the loop is to tell the notice after all. */
static bool call_observer(const struct obv__notice *notice, bool at_once)
{
    const struct obv__subscriber *subscriber = subscriber_of(notice);
    struct obv_context *context = context_of_notice(notice);
    const struct obv_path *path = notice->member.path;
    struct obv__printed printed = {.block = NULL};
    struct saying saying = {
        .say = {.identity = notice->identity,
                .path = path ? obv__path_print_now(&context->allocator, path,
                                                   &printed)
                             : "",
                .context = subscriber->context,
                .is_immediate = at_once}};
    OBV__NO_EXCEPTION_LEAVES();
    subscriber->told(subscriber->group.head.watcher.of, &saying.say);
    obv__context_free(context, printed.block, printed.size);
    return at_once && saying.by_loop;
}

/* Tells a notice, or hands it to the loop, if `at_once` the observer asks for
   that. */
static void tell_notice(struct obv__thread *self, struct obv__notice *notice,
                        bool at_once)
{
    struct obv__subscriber *subscriber = subscriber_of(notice);
    struct obv__watcher *observation = observation_of(notice);
    void *observer = observation->of;
    obv__running_push(self, OBV__PINNED(observation));
    obv__hazard_set(self, observer);
    /* Acquire: behind the pin and the hazard pointer; the thread that marks it
       deaf looks for both. */
    bool is_held = !obv__load_acquire(&subscriber->group.is_deaf) &&
                   (!subscriber->retain || subscriber->retain(observer));
    obv__hazard_clear(self);
    void (*release)(void *) = is_held ? subscriber->release : NULL;
    bool later = is_held && call_observer(notice, at_once);
    obv__unpin(self, context_of_notice(notice), observation);
    if (later) {
        give_to_loop(notice);
    } else {
        release_notice(notice);
    }
    if (release) {
        release(observer);
    }
}

void obv__notices_give(struct obv__thread *self,
                       const struct obv__notices *notices)
{
    struct obv__notice *next;
    for (struct obv__notice *at = notices->first; at; at = next) {
        uintptr_t depth;
        next = at->next;
        if (obv__is_immediate(observation_of(at)) &&
            obv__nested_begin(self, context_of_notice(at), &depth)) {
            tell_notice(self, at, true);
            obv__nested_end(self, depth);
        } else {
            give_to_loop(at);
        }
    }
}

void obv_detail_tell_by_loop(const struct obv_deallocation_notice *notice)
{
    struct saying *saying = (struct saying *)(uintptr_t)notice; /* its first */
    saying->by_loop = true;
}

/* Draining ----------------------------------------------------------------- */

void obv__notices_tell(struct obv_loop *loop, struct obv__thread *self,
                       bool are_dropped)
{
    struct obv__notice *notice, *none = NULL;
    bool between = loop->between;
    for (;;) {
        if (!loop->telling && obv__loop_has_notices(loop)) {
            loop->telling = obv__exchange_seq_cst(&loop->notices, none);
        }
        if ((notice = loop->telling) == NULL) {
            return;
        }
        loop->telling = notice->next;
        obv__epoch_enter(self);
        if (are_dropped) {
            release_notice(notice);
        } else {
            /* Changes of the hook are not dropped: they are no handler's. */
            loop->between = true;
            tell_notice(self, notice, false);
            loop->between = between;
        }
        obv__epoch_leave(self);
    }
}
