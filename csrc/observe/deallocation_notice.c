/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deallocation notices. A notice is a pair of a subscriber, which lives on
 * until the death of its root is told:
 *
 *     hangs      as any pair
 *     has died   marked so by the root's end, under the group's lock. One that
 *                is not the group's yet stays so: who gives the group its pairs
 *                gives its notice as well, or takes the pair back
 *     under way  counted in `pending`: in the hands of the root's end, then in
 *                a loop's list, then in the drain's. The thread that takes it
 *                out of the group's list does not retire it
 *     told       retired, after the call, or in its place where nobody is to be
 *                called
 *
 * In the loop. Any thread puts a notice in front of `notices` by a compare-
 * exchange; the drain takes all by one exchange: they come in no promised order.
 * Waking and the loop's end treat such a push as one into the set (loop_turn.c,
 * W1; loop.c, the end). A drain tells at its end, a nested one too; what a
 * drain's handlers let die, and what dies of notices, is told before it returns.
 *
 * It holds nobody. It has the subscriber's memory, no more: `pending` keeps
 * that. The subscriber has copies of the kind's functions, so `dispose` need
 * not wait. The observer's address means something
 *
 *   - for an observable object: as long as it is no ended one. Its end marks
 *     every subscriber in its list deaf, then waits for hazard pointers; we
 *     publish one, then look at the mark, then call `retain`. So a subscriber
 *     stays in that list until its memory goes
 *   - for a kind with `forget`: until that has been called, with the last notice
 *   - for any other: until `dispose`, which waits for the last notice. A stop
 *     that is to take notices back marks the subscriber deaf, then asks where
 *     it runs; we pin it, then look at the mark.
 *
 * The last one. `pending` goes to 0, the subscriber is disposed of, its memory
 * is let go of: each says so under the group's lock, and the last of them does
 * what is left. A notice comes under way only while its pair is in the group's
 * list, so before the group ends; then `pending` only falls.
 */
#include "observe/deallocation_notice.h"

#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "observe/observation.h"
#include "platform/exception.h"

#include <observable/detail.h>

/* Numbers of objects; any thread. */
static uint64_t objects_numbered;

uint64_t obv__identity_of(struct obv__more *more)
{
    /* Relaxed, all: a number and nothing behind it. */
    uint64_t identity = obv__load_relaxed(&more->identity);
    if (identity == 0) {
        uint64_t made = obv__fetch_add_relaxed(&objects_numbered, 1) + 1;
        /* Two threads that race keep the first. */
        if (obv__cas_acq_rel(&more->identity, &identity, made)) {
            identity = made;
        }
    }
    return identity;
}

void obv__subscriber_init(struct obv__subscriber *subscriber,
                          const struct obv_handler_kind *kind,
                          struct obv_loop *loop)
{
    subscriber->told = kind->root_did_deallocate;
    subscriber->forget = kind->forget;
    subscriber->retain = kind->retain;
    subscriber->release = kind->release;
    subscriber->context = kind->notice_context;
    if (!obv__loop_is_special(loop)) {
        /* Seq_cst: before a notice can be given; see leave_drain(), loop.c. */
        obv__exchange_seq_cst(&loop->special, 1);
    }
}

static struct obv__subscriber *subscriber_of(const struct obv__notice *notice)
{
    return notice->member.watcher.of;
}

static struct obv__watcher *observation_of(const struct obv__notice *notice)
{
    return notice->member.watcher.of;
}

/* Deaths ------------------------------------------------------------------ */

/* The notice of a pair that the group has been given. Its lock is held. */
static void come_under_way_locked(struct obv__subscriber *subscriber,
                                  struct obv__notice *notice,
                                  struct obv__notices *notices)
{
    notice->member.is_under_way = true;
    subscriber->pending++;
    notice->next = NULL;
    *(notices->last ? notices->last : &notices->first) = notice;
    notices->last = &notice->next;
}

/* Whether the group has been given a pair, and has it still. Its lock is held. */
static bool has_member_locked(const struct obv__group *group,
                              const struct obv__watcher *pair)
{
    const struct obv__watcher *member = group->members;
    while (member && member != pair) {
        member = member->with.next_member;
    }
    return member != NULL;
}

void obv__notice_take(struct obv__watcher *pair, struct obv__notices *notices)
{
    struct obv__subscriber *subscriber =
        obv__subscriber(obv__observation(pair));
    if (subscriber) {
        struct obv__notice *notice = (struct obv__notice *)(void *)pair;
        obv__lock_enter(&subscriber->group.lock);
        notice->member.has_died = true;
        if (has_member_locked(&subscriber->group, pair)) {
            come_under_way_locked(subscriber, notice, notices);
        }
        obv__lock_leave(&subscriber->group.lock);
    }
}

void obv__notices_take_early(struct obv__group *group,
                             struct obv__notices *notices)
{
    struct obv__subscriber *subscriber = obv__subscriber(&group->head.watcher);
    if (subscriber) {
        obv__lock_enter(&group->lock);
        for (struct obv__watcher *at = group->members; at;
             at = at->with.next_member) {
            struct obv__notice *notice = (struct obv__notice *)(void *)at;
            if (notice->member.has_died && !notice->member.is_under_way) {
                come_under_way_locked(subscriber, notice, notices);
            }
        }
        obv__lock_leave(&group->lock);
    }
}

/* Giving ------------------------------------------------------------------- */

static void give_to_loop(struct obv__notice *notice)
{
    struct obv_loop *loop = obv__loop_of(observation_of(notice));
    struct obv__notice *first = obv__load_relaxed(&loop->notices);
    do {
        notice->next = first;
        /* Seq_cst: the notice is whole for who takes it; and our look whether
           the loop has ended comes after it (loop.c, the end). */
    } while (!obv__cas_seq_cst(&loop->notices, &first, notice));
    obv__loop_notify_posted(loop, first == NULL);
}

/* Telling ------------------------------------------------------------------ */

static void retire_subscriber(struct obv__subscriber *subscriber)
{
    obv__observer_unlink(&subscriber->group.head.watcher);
    obv__watcher_retire(subscriber->group.context,
                        &subscriber->group.head.watcher);
}

/* Frees a notice that is not under way any more. */
static void release_notice(struct obv__notice *notice)
{
    struct obv__subscriber *subscriber = subscriber_of(notice);
    struct obv_context *context = subscriber->group.context;
    obv__watcher_retire(context, &notice->member.watcher);
    obv__lock_enter(&subscriber->group.lock);
    bool last = --subscriber->pending == 0;
    bool forgets = last && subscriber->is_disposed && subscriber->forget;
    bool over = last && subscriber->is_over;
    obv__lock_leave(&subscriber->group.lock);
    if (forgets) {
        OBV__NO_EXCEPTION_LEAVES();
        subscriber->forget(subscriber->group.head.watcher.of,
                           subscriber->context);
    }
    if (over) {
        retire_subscriber(subscriber);
    } else if (last) {
        obv__finalize(context, &subscriber->group.head.watcher);
    }
}

/* Whether the observer is there, and is held if it can be. The subscriber is
   pinned. */
static bool hold_subscriber(struct obv__thread *self,
                            struct obv__subscriber *subscriber)
{
    void *observer = subscriber->group.head.watcher.of;
    obv__hazard_set(self, observer);
    /* Acquire: behind the pin and the hazard pointer; who marks it looks for
       both. */
    bool good = !obv__load_acquire(&subscriber->is_deaf) &&
                (!subscriber->retain || subscriber->retain(observer));
    obv__hazard_clear(self);
    return good;
}

/* The report of a death, in a call of its subscriber. */
struct saying {
    struct obv_deallocation_notice say;
    bool by_loop; /* asked for, in the call */
};

/* Whether it is to be told by the loop, after all. */
static bool call_subscriber(const struct obv__notice *notice, bool at_once)
{
    const struct obv__subscriber *subscriber = subscriber_of(notice);
    const struct obv_path *path = notice->member.path;
    struct obv__printed printed = {.block = NULL};
    struct saying saying = {
        .say = {.identity = notice->identity,
                .path = path ? obv__path_print_now(subscriber->group.context,
                                                   path, &printed)
                             : "",
                .context = subscriber->context,
                .is_immediate = at_once}};
    OBV__NO_EXCEPTION_LEAVES();
    subscriber->told(subscriber->group.head.watcher.of, &saying.say);
    obv__context_free(subscriber->group.context, printed.block, printed.size);
    return at_once && saying.by_loop;
}

/* Tells a notice, or hands it to the loop, if `at_once` the observer asks for
   that. */
static void tell_notice(struct obv__thread *self, struct obv__notice *notice,
                        bool at_once)
{
    struct obv__subscriber *subscriber = subscriber_of(notice);
    void *observer = subscriber->group.head.watcher.of;
    void (*release)(void *) = NULL;
    bool later = false;
    obv__running_push(self, OBV__PINNED(observation_of(notice)));
    if (hold_subscriber(self, subscriber)) {
        release = subscriber->release;
        later = call_subscriber(notice, at_once);
    }
    obv__unpin(self, subscriber->group.context, observation_of(notice));
    if (later) {
        give_to_loop(notice);
    } else {
        release_notice(notice);
    }
    if (release) {
        release(observer);
    }
}

struct death {
    struct obv__thread *self;
    struct obv__notice *notice;
};

static void tell_at_once(void *argument)
{
    const struct death *death = argument;
    tell_notice(death->self, death->notice, true);
}

void obv__notices_give(struct obv__thread *self,
                       const struct obv__notices *notices)
{
    struct obv__notice *next;
    for (struct obv__notice *at = notices->first; at; at = next) {
        struct death death = {self, at};
        next = at->next;
        if (!obv__is_immediate(observation_of(at)) ||
            !obv__nest_immediate(self, subscriber_of(at)->group.context,
                                 tell_at_once, &death)) {
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

/* A notice of a loop that this thread has; NULL: there is none. */
static struct obv__notice *take_notice(struct obv_loop *loop)
{
    if (!loop->telling && obv__loop_has_notices(loop)) {
        struct obv__notice *none = NULL;
        loop->telling = obv__exchange_seq_cst(&loop->notices, none);
    }
    struct obv__notice *first = loop->telling;
    if (first) {
        loop->telling = first->next;
    }
    return first;
}

void obv__notices_tell(struct obv_loop *loop, struct obv__thread *self)
{
    struct obv__notice *notice;
    bool between = loop->between;
    while ((notice = take_notice(loop)) != NULL) {
        obv__epoch_enter(self);
        /* Changes of the hook are not dropped: they are no handler's. */
        loop->between = true;
        tell_notice(self, notice, false);
        loop->between = between;
        obv__epoch_leave(self);
    }
}

void obv__notices_drop(struct obv_loop *loop, struct obv__thread *self)
{
    struct obv__notice *notice;
    while ((notice = take_notice(loop)) != NULL) {
        obv__epoch_enter(self);
        release_notice(notice);
        obv__epoch_leave(self);
    }
}

/* The end of a subscriber -------------------------------------------------- */

void obv__subscriber_release(struct obv__subscriber *subscriber)
{
    obv__lock_enter(&subscriber->group.lock);
    subscriber->is_over = true;
    bool last = subscriber->pending == 0;
    obv__lock_leave(&subscriber->group.lock);
    if (last) {
        retire_subscriber(subscriber);
    }
}

void obv__subscriber_abandon(struct obv__watcher *observation)
{
    struct obv__subscriber *subscriber = obv__subscriber(observation);
    if (subscriber) {
        subscriber->forget = NULL;
    }
}
