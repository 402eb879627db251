/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deallocation notices. A notice is made with its pair, and has three places:
 *
 *     room       in its hearer's list, under the group's lock, while the pair
 *                lives. Who ends the pair takes it out: the root's end to give
 *                it, everybody else to free it. While the pair is not the
 *                group's yet, that leaves it there, `is_early`: who gives the
 *                group its pairs gives it as well; it goes with those that are
 *                taken back
 *     under way  counted in `pending`: in the hands of the root's end, then in
 *                a loop's list, then in the drain's
 *     told       freed, after the call, or in its place where nobody is to be
 *                called
 *
 * In the loop. Any thread puts a notice in front of `notices` by a compare-
 * exchange; the drain takes all by one exchange and turns them round, so they
 * come in the order in which they were given. Waking and the loop's end treat
 * such a push as one into the set (loop_turn.c, W1; loop.c, the end). A drain
 * tells at its end, a nested one too; what a drain's handlers let die, and what
 * dies of notices, is told before it returns.
 *
 * Whom it holds: nobody. It has the hearer's memory, no more: `pending` keeps
 * that. The hearer has copies of the kind's functions, so `dispose` need not
 * wait. The observer's address means something
 *
 *   - for an observable object: as long as it is no ended one. Its end marks
 *     every hearer in its list deaf, then waits for tries; we publish a try,
 *     then look at the mark, then call `retain`. So a hearer stays in that list
 *     until its memory goes
 *   - for a kind with `forget`: until that has been called, with the last notice
 *   - for any other: until `dispose`, which waits for the last notice. A stop
 *     that is to take notices back marks the hearer deaf, then asks where it
 *     runs; we pin it, then look at the mark.
 *
 * Who is last. `pending` goes to 0, the hearer is disposed of, its memory is let
 * go of: each says so under the group's lock, and who finds the other done does
 * what is left. A notice is given only while its pair is in the group's list, so
 * before the group ends; then `pending` only falls.
 */
#include "observe/notices.h"

#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "observe/observation.h"
#include "path/path.h"
#include "wiring/matcher.h"

#include <observable/detail.h>

#include <string.h>

struct obv__notice {
    struct obv__notice *next;
    struct obv__hearer *hearer;        /* constant */
    const struct obv__watcher *member; /* whose room it is */
    struct obv_deallocation_notice say;
    struct obv_path *path; /* a reference, for its text; or NULL */
    /* By which those of one death are ordered. */
    uint32_t observation, pair;
    bool is_early; /* its root died before the group had its pair */
    bool by_loop;  /* asked for, in the call */
    bool is_named; /* every component's property is known by name */
    /* Of a path with components, else 0; its text stands behind them. */
    uint32_t element_count;
    size_t size;
    struct obv_element elements[];
};

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

void obv__hearer_init(struct obv__hearer *hearer,
                      const struct obv_handler_kind *kind,
                      struct obv_loop *loop)
{
    hearer->told = kind->root_did_deallocate;
    hearer->forget = kind->forget;
    hearer->retain = kind->retain;
    hearer->release = kind->release;
    hearer->context = kind->notice_context;
    if (!obv__loop_is_special(loop)) {
        /* Seq_cst: before a notice can be given; see leave_drain(), loop.c. */
        obv__exchange_seq_cst(&loop->special, 1);
    }
}

static struct obv__watcher *observation_of(const struct obv__notice *notice)
{
    return (struct obv__watcher *)(void *)notice->hearer;
}

/* Room ---------------------------------------------------------------------- */

static struct obv__notice *allocate_notice(struct obv_context *context,
                                           size_t room)
{
    size_t size = sizeof(struct obv__notice) + room;
    struct obv__notice *made = obv__context_allocate(context, size);
    if (made) {
        memset(made, 0, size);
        made->size = size;
        made->say.path = "";
    }
    return made;
}

/* Of a path with components, which may be gone when it is told: it has elements
   of its own, and the text that is known now. */
static struct obv__notice *make_open_notice(struct obv_context *context,
                                            const struct obv_path *path)
{
    size_t count = obv_path_count(path);
    size_t length = obv__path_print(path, NULL, 0);
    struct obv__notice *made = allocate_notice(
        context, count * sizeof(struct obv_element) + length + 1);
    if (made) {
        char *text = (char *)&made->elements[count];
        made->element_count = (uint32_t)count;
        memcpy(made->elements, obv_path_elements(path),
               count * sizeof(struct obv_element));
        (void)obv__path_print(path, text, length + 1);
        made->say.path = text;
    }
    return made;
}

static struct obv__notice *make_notice(struct obv_context *context,
                                       const struct obv_path *path)
{
    size_t length;
    const char *text = path ? obv__path_text(path, &length) : NULL;
    if (path && !text) {
        return make_open_notice(context, path);
    }
    struct obv__notice *made = allocate_notice(context, 0);
    if (made && path) {
        made->path = obv__path_retain(path);
        made->say.path = text;
    }
    return made;
}

static void free_notice(struct obv_context *context, struct obv__notice *notice)
{
    obv_path_destroy(notice->path);
    obv__context_free(context, notice, notice->size);
}

bool obv__notice_make_room(struct obv__group *group,
                           const struct obv__watcher *member,
                           struct obv_object *root, const struct obv_path *path)
{
    struct obv__hearer *hearer = obv__hearer(&group->head.watcher);
    if (!hearer) {
        return true;
    }
    struct obv__more *more = obv__more_ensure(root);
    struct obv__notice *made = more ? make_notice(group->context, path) : NULL;
    if (!made) {
        return false;
    }
    made->hearer = hearer;
    made->member = member;
    made->say.identity = obv__identity_of(more);
    made->say.context = hearer->context;
    obv__lock_enter(&group->lock);
    made->next = hearer->room;
    hearer->room = made;
    obv__lock_leave(&group->lock);
    return true;
}

/* The place of a pair's room, or of the list's end. The group's lock is held. */
static struct obv__notice **room_place(struct obv__hearer *hearer,
                                       const struct obv__watcher *member)
{
    struct obv__notice **place = &hearer->room;
    while (*place && (*place)->member != member) {
        place = &(*place)->next;
    }
    return place;
}

static struct obv__notice *take_room(struct obv__notice **place)
{
    struct obv__notice *taken = *place;
    if (taken) {
        *place = taken->next;
        taken->next = NULL;
    }
    return taken;
}

void obv__notice_forget_room(struct obv__group *group,
                             const struct obv__watcher *member, bool was_never)
{
    struct obv__hearer *hearer = obv__hearer(&group->head.watcher);
    if (!hearer) {
        return;
    }
    obv__lock_enter(&group->lock);
    struct obv__notice **place = room_place(hearer, member);
    bool stays = *place && (*place)->is_early && !was_never;
    struct obv__notice *found = stays ? NULL : take_room(place);
    obv__lock_leave(&group->lock);
    if (found) {
        free_notice(group->context, found);
    }
}

/* The names that components have by now: later they may be gone. */
static void learn_names(struct obv_context *context, struct obv__notice *notice)
{
    uint32_t count = obv_names_find(context->names, "count", 5);
    notice->is_named = notice->element_count != 0;
    for (uint32_t i = 0; i < notice->element_count; i++) {
        struct obv_element *element = &notice->elements[i];
        uint32_t name = obv__matcher_name_of(element);
        if (name != OBV_NAME_NONE) {
            *element = (struct obv_element){
                name == count ? OBV_ELEMENT_COUNT : OBV_ELEMENT_NAME, name, 0};
        } else if (element->kind == OBV_ELEMENT_COMPONENT) {
            notice->is_named = false;
        }
    }
}

/* Whether the group has been given a pair. Its lock is held. */
static bool is_kept_locked(const struct obv__group *group,
                           const struct obv__watcher *pair)
{
    const struct obv__watcher *member = group->members;
    while (member && member != pair) {
        member = member->with.next_member;
    }
    return member != NULL;
}

void obv__notice_take(struct obv__watcher *pair, struct obv__notice **notices)
{
    struct obv__watcher *observation = obv__observation(pair);
    struct obv__hearer *hearer = obv__hearer(observation);
    if (!hearer) {
        return;
    }
    struct obv__lock *lock = &hearer->group.lock;
    obv__lock_enter(lock);
    struct obv__notice *found = take_room(room_place(hearer, pair));
    if (found) {
        /* While the pair is the group's or its maker's: so the components live. */
        learn_names(hearer->group.context, found);
        found->observation = observation->serial;
        found->pair = pair->serial;
        found->is_early = !is_kept_locked(&hearer->group, pair);
        /* Early ones behind all others: so in the order of the deaths. */
        struct obv__notice **place =
            found->is_early ? room_place(hearer, NULL) : notices;
        hearer->pending += !found->is_early;
        found->next = *place;
        *place = found;
    }
    obv__lock_leave(lock);
}

/* Those that are early no more, under way from now on, in the order of the
   deaths. */
static struct obv__notice *take_early(struct obv__hearer *hearer)
{
    struct obv__notice *early = NULL, **last = &early;
    struct obv__notice **place = &hearer->room;
    obv__lock_enter(&hearer->group.lock);
    while (*place) {
        if ((*place)->is_early &&
            is_kept_locked(&hearer->group, (*place)->member)) {
            *last = take_room(place);
            last = &(*last)->next;
            hearer->pending++;
        } else {
            place = &(*place)->next;
        }
    }
    obv__lock_leave(&hearer->group.lock);
    return early;
}

void obv__notices_give_early(struct obv__group *group)
{
    struct obv__hearer *hearer = obv__hearer(&group->head.watcher);
    struct obv__notice *early = hearer ? take_early(hearer) : NULL;
    while (OBV__UNLIKELY(early != NULL)) {
        struct obv__notice *death = early, *last = early;
        while (last->next && last->next->say.identity == death->say.identity) {
            last = last->next;
        }
        early = last->next;
        last->next = NULL;
        obv__notices_give(obv__thread_self(), death);
    }
}

/* Order --------------------------------------------------------------------- */

/* As registration was (DR-4). */
static bool comes_before(const struct obv__notice *a,
                         const struct obv__notice *b)
{
    if (a->observation != b->observation) {
        return (int32_t)(a->observation - b->observation) < 0;
    }
    if (a->hearer != b->hearer) {
        return a->hearer < b->hearer;
    }
    return (int32_t)(a->pair - b->pair) < 0;
}

/* Cuts `count` notices off a list; answers what comes behind them. */
static struct obv__notice *cut_notices(struct obv__notice *list, size_t count)
{
    while (list && --count != 0) {
        list = list->next;
    }
    struct obv__notice *rest = list ? list->next : NULL;
    if (list) {
        list->next = NULL;
    }
    return rest;
}

static struct obv__notice **merge_notices(struct obv__notice *a,
                                          struct obv__notice *b,
                                          struct obv__notice **last)
{
    while (a || b) {
        struct obv__notice **from = !b || (a && comes_before(a, b)) ? &a : &b;
        *last = *from;
        *from = (*from)->next;
        last = &(*last)->next;
    }
    *last = NULL;
    return last;
}

/* Merge sort, from pairs up: without memory and without recursion. */
static struct obv__notice *notices_in_order(struct obv__notice *list)
{
    size_t merges = 2;
    for (size_t width = 1; merges > 1; width *= 2) {
        struct obv__notice *rest = list, **last = &list;
        for (merges = 0; rest; merges++) {
            struct obv__notice *a = rest;
            struct obv__notice *b = cut_notices(a, width);
            rest = cut_notices(b, width);
            last = merge_notices(a, b, last);
        }
    }
    return list;
}

/* Giving -------------------------------------------------------------------- */

static void give_to_loop(struct obv__notice *notice)
{
    struct obv_loop *loop = obv__loop_of(observation_of(notice));
    struct obv__notice *first = obv__load_relaxed(&loop->notices);
    do {
        notice->next = first;
        /* Seq_cst: the notice is whole for who takes it; and our look whether
           the loop has ended comes after it (loop.c, the end). */
    } while (!obv__cas_seq_cst(&loop->notices, &first, notice));
    obv__loop_is_told(loop, first == NULL);
}

/* Telling ------------------------------------------------------------------- */

static void retire_hearer(struct obv__hearer *hearer)
{
    obv__observer_unlink(&hearer->group.head.watcher);
    obv__watcher_retire(hearer->group.context, &hearer->group.head.watcher);
}

/* A notice is not under way any more, and its memory goes. */
static void notice_is_done(struct obv__notice *notice)
{
    struct obv__hearer *hearer = notice->hearer;
    struct obv_context *context = hearer->group.context;
    free_notice(context, notice);
    obv__lock_enter(&hearer->group.lock);
    bool last = --hearer->pending == 0;
    bool forgets = last && hearer->is_disposed && hearer->forget;
    bool over = last && hearer->is_over;
    obv__lock_leave(&hearer->group.lock);
    if (forgets) {
        hearer->forget(hearer->group.head.watcher.of, hearer->context);
    }
    if (over) {
        retire_hearer(hearer);
    } else if (last) {
        obv__settle(context, &hearer->group.head.watcher);
    }
}

/* Whether the observer is there, and is held if it can be. The hearer is
   pinned. */
static bool hold_hearer(struct obv__thread *self, struct obv__hearer *hearer)
{
    void *observer = hearer->group.head.watcher.of;
    obv__try_begin(self, observer);
    /* Acquire: behind the pin and the try; who marks it looks for both. */
    bool good = !obv__load_acquire(&hearer->is_deaf) &&
                (!hearer->retain || hearer->retain(observer));
    obv__try_end(self);
    return good;
}

/* A component's text where nobody knows its name; memory may be short. */
static char *print_by_names(struct obv_context *context,
                            const struct obv__notice *notice, size_t *size)
{
    if (!notice->is_named) {
        return NULL;
    }
    *size = obv_path_print(context->names, notice->elements,
                           notice->element_count, NULL, 0) +
            1;
    char *text = obv__context_allocate(context, *size);
    if (text) {
        (void)obv_path_print(context->names, notice->elements,
                             notice->element_count, text, *size);
    }
    return text;
}

static void call_hearer(struct obv__notice *notice, bool at_once)
{
    const struct obv__hearer *hearer = notice->hearer;
    struct obv_context *context = hearer->group.context;
    size_t size = 0;
    char *text = print_by_names(context, notice, &size);
    const char *before = notice->say.path;
    notice->say.path = text ? text : before;
    notice->say.is_immediate = at_once;
    notice->by_loop = false;
    hearer->told(hearer->group.head.watcher.of, &notice->say);
    notice->say.path = before;
    if (text) {
        obv__context_free(context, text, size);
    }
}

/* Tells a notice, or hands it to the loop, if `at_once` the observer asks for
   that. */
static void tell_notice(struct obv__thread *self, struct obv__notice *notice,
                        bool at_once)
{
    struct obv__hearer *hearer = notice->hearer;
    void *observer = hearer->group.head.watcher.of;
    void (*release)(void *) = NULL;
    bool later = false;
    obv__running_push(self, OBV__PINNED(observation_of(notice)));
    if (hold_hearer(self, hearer)) {
        release = hearer->release;
        call_hearer(notice, at_once);
        later = at_once && notice->by_loop;
    }
    obv__unpin(self, hearer->group.context, observation_of(notice));
    if (later) {
        give_to_loop(notice);
    } else {
        notice_is_done(notice);
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

void obv__notices_give(struct obv__thread *self, struct obv__notice *notices)
{
    struct obv__notice *immediate = NULL, **last = &immediate, *next;
    for (struct obv__notice *at = notices_in_order(notices); at; at = next) {
        next = at->next;
        if (obv__is_immediate(observation_of(at))) {
            *last = at;
            last = &at->next;
        } else {
            give_to_loop(at);
        }
    }
    *last = NULL;
    for (struct obv__notice *at = immediate; at; at = next) {
        struct death death = {self, at};
        next = at->next;
        if (!obv__nest_immediate(self, at->hearer->group.context, tell_at_once,
                                 &death)) {
            give_to_loop(at);
        }
    }
}

void obv_detail_tell_by_loop(const struct obv_deallocation_notice *notice)
{
    struct obv__notice *of =
        (struct obv__notice *)((uintptr_t)notice -
                               offsetof(struct obv__notice, say));
    of->by_loop = true;
}

/* Draining ------------------------------------------------------------------ */

/* The oldest notice of a loop that this thread has; NULL: there is none. */
static struct obv__notice *take_oldest(struct obv_loop *loop)
{
    if (!loop->telling && obv__loop_has_notices(loop)) {
        struct obv__notice *none = NULL;
        struct obv__notice *newest =
            obv__exchange_seq_cst(&loop->notices, none);
        while (newest) {
            struct obv__notice *before = newest->next;
            newest->next = loop->telling;
            loop->telling = newest;
            newest = before;
        }
    }
    struct obv__notice *oldest = loop->telling;
    if (oldest) {
        loop->telling = oldest->next;
    }
    return oldest;
}

void obv__notices_tell(struct obv_loop *loop, struct obv__thread *self)
{
    struct obv__notice *notice;
    bool between = loop->between;
    while ((notice = take_oldest(loop)) != NULL) {
        obv__section_enter(self);
        /* What it changes is not dropped: it is nobody's call. */
        loop->between = true;
        tell_notice(self, notice, false);
        loop->between = between;
        obv__section_leave(self);
    }
}

void obv__notices_drop(struct obv_loop *loop, struct obv__thread *self)
{
    struct obv__notice *notice;
    while ((notice = take_oldest(loop)) != NULL) {
        obv__section_enter(self);
        notice_is_done(notice);
        obv__section_leave(self);
    }
}

/* The end of a hearer ------------------------------------------------------- */

void obv__hearer_is_over(struct obv__hearer *hearer)
{
    obv__lock_enter(&hearer->group.lock);
    hearer->is_over = true;
    bool last = hearer->pending == 0;
    obv__lock_leave(&hearer->group.lock);
    if (last) {
        retire_hearer(hearer);
    }
}

void obv__hearer_was_never(struct obv__watcher *observation)
{
    struct obv__hearer *hearer = obv__hearer(observation);
    if (hearer) {
        hearer->forget = NULL;
    }
}
