/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery: pending observations, drains and calls. A loop has one list of
 * pending observations, in the order of scheduling; a drain takes the first
 * that does not wait for the next cycle.
 */
#include "model.h"

#include <string.h>

struct event events[EVENTS];
struct entry recorded[EVENT_ENTRIES];
int event_count, recorded_count;

static struct thread *self(void)
{
    return &world.thread[world.self];
}

/* Entries ----------------------------------------------------------------- */

bool tracks(const struct watch *watch)
{
    return watch->options & (VALUES | RECORDS | NET);
}

struct entry *note_change(struct entries *entries, const struct pair *pair,
                          uint64_t way, val before, val after)
{
    struct entry *entry = entries->entry;
    struct entry *end = entry + entries->count;
    while (entry < end && !(entry->pair == pair->number && entry->way == way)) {
        entry++;
    }
    if (entry == end) {
        if (entries->count == ENTRIES) {
            if (holds_thing(last_property(way)) &&
                (before >= 0 || after >= 0)) {
                /* DR-13: "at most 16". */
                reject("which of too many values are held");
            }
            entries->overflows = true;
            return NULL;
        }
        entries->count++;
        *entry = (struct entry){.way = way,
                                .first = before,
                                .pair = pair->number,
                                .path = pair->path};
    }
    val last = entry->last;
    bool is_first = entry->changes++ == 0;
    entry->last = after;
    if (!is_first && holds_thing(last_property(way))) {
        world.fragile++;
        let_thing_go(last);
        world.fragile--;
    }
    return entry;
}

static bool all_are_as_before(const struct watch *watch)
{
    const struct entries *entries = &watch->entries;
    if (watch->vague || entries->overflows) {
        reject("net, and not all is known");
    }
    for (int e = 0; e < entries->count; e++) {
        const struct entry *entry = &entries->entry[e];
        if (entry->first == ANY || entry->last == ANY) {
            reject("net, and a value is left open");
        }
        bool always =
            watch->options & COMPARE_ALWAYS &&
            (entry->first != UNREACHABLE || entry->last != UNREACHABLE);
        if (always || !are_alike(watch, last_property(entry->way), entry->first,
                                 entry->last)) {
            return false;
        }
    }
    return true;
}

/* Calls ------------------------------------------------------------------- */

/* A call that no change has caused is handed the present value, both as the old
   and as the new one. */
void note_present(const struct watch *watch, int root, struct entries *present)
{
    const struct watch *whole =
        &world.watch[watch->whole < 0 ? watch - world.watch : watch->whole];
    const struct path *path = &whole->first_path;
    present->count = 0;
    present->overflows = false;
    if (knows_computed && watch->options & VALUES && root >= 0 &&
        reads_invalid(root, path)) {
        reject("whether a value that is handed over is computed");
    }
    if (!(watch->options & VALUES) || root < 0) {
        return;
    }
    struct entry *entry = &present->entry[0];
    *entry = (struct entry){.way = way_of_path(root, path), .path = *path};
    entry->first = entry->last = read_first(whole, root);
    if (entry->last == ANY) {
        reject("which of several members is handed over");
    }
    bool dies = holds_thing(last_property(entry->way)) && entry->last >= 0 &&
                world.thing[entry->last].dying;
    present->count = !dies; /* else it is left open */
}

/* The number of entries in the record: a present value without a change (see
   note_present()) is none. */
static int in_record(const struct entries *entries)
{
    return entries->count > 0 && entries->entry[0].changes == 0
               ? 0
               : entries->count;
}

/* Of a path through a hash there may be entries of several members, one after the
   other. */
static void note_values(struct watch *watch, const struct entries *entries)
{
    watch->old = watch->now = UNREACHABLE;
    for (int e = 0; e < entries->count; e++) {
        const struct entry *entry = &entries->entry[e];
        watch->old = watch->old == UNREACHABLE ? entry->first : watch->old;
        watch->now = entry->last == UNREACHABLE ? watch->now : entry->last;
    }
}

/* Notes what `called` is handed at `watch`, the observation that the program
   knows: they differ if `called` is an instance's. */
static void note_handed(struct watch *watch, const struct watch *called,
                        const struct entries *entries)
{
    watch->old = watch->now = ANY;
    watch->handed_vague = called->vague;
    watch->handed.count = 0;
    watch->handed.overflows = false;
    if (entries) {
        watch->handed = *entries;
        watch->handed.count = (uint8_t)in_record(entries);
    }
    if (watch->root < 0) {
        watch->old = watch->now = UNREACHABLE;
    } else if (entries && entries->count > 0 && !called->vague) {
        note_values(watch, entries);
    } else if (entries && !called->vague && called->pair[0].lost_by != 0 &&
               called->pair[0].linked) {
        watch->old = watch->now = UNREACHABLE; /* it led nowhere */
    }
}

struct event *add_event(enum event_type type)
{
    if (event_count == EVENTS) {
        reject("too many calls");
    }
    struct event *event = &events[event_count++];
    *event = (struct event){.type = (uint8_t)type};
    return event;
}

static void tell(struct watch *watch, int root, enum event_type type,
                 const struct entries *entries)
{
    if (world.mute) {
        return;
    }
    struct event *event = add_event(type);
    event->watch = (int8_t)(watch - world.watch);
    event->root = (int8_t)root;
    event->options = watch->options;
    event->old = watch->old;
    event->now = watch->now;
    event->vague = watch->handed_vague;
    event->entries = (uint16_t)recorded_count;
    if (entries && entries->count > 0) {
        event->property = (uint8_t)last_property(entries->entry[0].way);
    }
    if (entries && watch->options & RECORDS && !event->vague) {
        int count = in_record(entries);
        if (recorded_count + count > EVENT_ENTRIES) {
            reject("too many entries");
        }
        memcpy(recorded + recorded_count, entries->entry,
               (size_t)count * sizeof *recorded);
        event->entry_count = (uint16_t)count;
        event->overflows = entries->overflows;
        recorded_count += count;
    }
}

/* The number of blocks of the class's instances that this thread is inside. */
static uint8_t *entered(const struct watch *watch)
{
    return &world.watch[watch->whole].entered[world.self];
}

/* Counts a running block. If more run than a thread can tell apart, the library
   enters none: such a command is refused. */
static void pin(const struct watch *watch)
{
    struct thread *thread = self();
    bool is_instance = watch->whole >= 0;
    thread->pins =
        (uint8_t)(thread->pins + 1 + (is_instance && (*entered(watch))++ == 0));
    thread->pins_instance = thread->pins_instance || is_instance;
    if (thread->pins > PINS && thread->pins_instance) {
        reject("more running blocks than a thread has room for");
    }
}

static void unpin(const struct watch *watch)
{
    struct thread *thread = self();
    bool is_instance = watch->whole >= 0;
    thread->pins =
        (uint8_t)(thread->pins - 1 - (is_instance && --*entered(watch) == 0));
    thread->pins_instance = thread->pins_instance && thread->pins > 0;
}

static void enter(struct watch *watch, int root, enum event_type type,
                  const struct entries *entries)
{
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.actions++;
    struct watch *whole = whole_of(watch);
    int from = whole->of_class ? root : whole->first_root;
    bool readable =
        whole->first_path.length > 0 && from >= 0 && world.thing[from].alive;
    whole->calls++;
    whole->root = (int8_t)root;
    if (readable && blocks_read && !has_number(&whole->first_path)) {
        (void)read_along(from, &whole->first_path);
    }
    whole->saw = readable ? read_first(whole, from) : ANY;
    note_handed(whole, watch, entries);
    tell(whole, root, type, entries);
    int16_t outer = self()->innermost;
    self()->innermost = (int16_t)(watch - world.watch + 1);
    watch->running++;
    pin(watch);
    run_listed(&whole->on_call, (int)(whole - world.watch));
    unpin(watch);
    watch->running--;
    self()->innermost = outer;
    world.frames--;
}

void call_immediate(struct watch *watch, int root, enum event_type type,
                    const struct entries *entries)
{
    int observer = watch->observer;
    struct thread *thread = self();
    if (thread->immediate_depth == 0) {
        thread->at_limit = false;
    }
    if (thread->immediate_depth == 64 || thread->at_limit) {
        world.reports += !thread->at_limit;
        thread->at_limit = true;
        if (watch->options & DEFERS) {
            reject("when a call that is too deep comes");
        }
        return;
    }
    hold_ends(root, observer);
    thread->immediate_depth++;
    enter(watch, root, type, entries);
    thread->immediate_depth--;
    let_ends_go(root, observer);
}

/* Pending ----------------------------------------------------------------- */

static bool drains(const struct loop *loop)
{
    return loop->depth > 0 && loop->drainer == world.self;
}

void push(struct watch *watch)
{
    struct loop *loop = &world.loop[watch->loop];
    watch->waits = loop->depth > 0 && watch->called_in == loop->cycle;
    watch->foreign = loop->depth > 0 && !drains(loop);
    watch->joined = false;
    loop->queue[loop->count++] = (int8_t)(watch - world.watch);
}

/* If another thread has scheduled an observation, and a block's change
   schedules it too, it is open whether that call comes before others of the
   change. */
static void check_order(const struct loop *loop, const struct watch *wanted)
{
    bool behind = false;
    for (int at = 0; at < loop->count; at++) {
        const struct watch *watch = &world.watch[loop->queue[at]];
        if (behind && !watch->waits && !watch->foreign) {
            reject("in which order another thread's call comes");
        }
        behind = behind || watch == wanted;
    }
}

/* Whether a block's change drops its post to an observation that was called in
   this cycle already (DR-3). */
static bool drops(const struct watch *watch)
{
    bool is_own = self()->innermost == watch - world.watch + 1;
    bool keeps = watch->options & (DEFERS | TOKEN);
    return watch->options & ONCE || (is_own && !keeps);
}

static bool is_put_aside(const struct aside *aside)
{
    const struct watch *watch = &world.watch[aside->watch];
    return watch->aside && watch->aside_serial == aside->serial;
}

static bool is_put_aside_here(const struct watch *watch)
{
    const struct thread *thread = self();
    for (int a = 0; a < thread->aside_count; a++) {
        if (&world.watch[thread->aside[a].watch] == watch &&
            is_put_aside(&thread->aside[a])) {
            return true;
        }
    }
    return false;
}

/* Puts an observation aside until the batch of this thread ends. */
static void put_aside(struct watch *watch, int root)
{
    struct thread *thread = self();
    watch->aside = true;
    watch->aside_serial = ++world.serials;
    watch->aside_root = (int8_t)root;
    watch->aside_by_hand = watch->aside_vague = false;
    watch->unripe.count = 0;
    watch->unripe.overflows = false;
    if (thread->aside_count == ASIDE) {
        reject("too many put aside");
    }
    thread->aside[thread->aside_count++] =
        (struct aside){(int8_t)(watch - world.watch), watch->aside_serial};
}

/* Schedules an observation for a change or a call by hand, or (`is_perhaps`)
   because a property that it follows has become invalid. */
static bool post_as(struct watch *watch, int root, bool by_hand,
                    bool is_perhaps)
{
    struct loop *loop = &world.loop[watch->loop];
    if (is_perhaps && loop->ended) {
        reject("perhaps, and there is no loop");
    }
    bool in_batch = self()->batches > 0;
    if (loop->ended) {
        if (knows_computed) {
            reject("how often it counts, for what is due and what is invalid");
        }
        world.dropped++;
        return false;
    }
    bool called = drains(loop) && watch->called_in == loop->cycle;
    if (in_batch && watch->aside) {
        if (!is_put_aside_here(watch)) {
            reject("two threads' batches");
        }
        watch->aside_perhaps = watch->aside_perhaps && is_perhaps;
        return true;
    }
    if (watch->pending && !in_batch) {
        if (watch->foreign && drains(loop) && !called) {
            check_order(loop, watch);
            watch->foreign = false;
            watch->joined = true;
        }
        watch->perhaps = watch->perhaps && is_perhaps;
        return true;
    }
    if (called && !watch->pending && !by_hand && !loop->between &&
        drops(watch)) {
        world.dropped++;
        return false;
    }
    if (in_batch) {
        put_aside(watch, root);
        watch->aside_perhaps = is_perhaps;
        return true;
    }
    watch->pending = true;
    watch->perhaps = is_perhaps;
    watch->for_root = (int8_t)root;
    watch->vague = watch->by_hand = false;
    if (!watch->is_committed) {
        watch->entries.count = 0;
        watch->entries.overflows = false;
    }
    push(watch);
    return true;
}

bool post(struct watch *watch, int root, bool by_hand)
{
    return post_as(watch, root, by_hand, false);
}

bool post_perhaps(struct watch *watch, int root)
{
    return post_as(watch, root, false, true);
}

void note_by_hand(struct watch *watch)
{
    bool in_batch = self()->batches > 0;
    watch->by_hand = watch->by_hand || !in_batch;
    watch->aside_by_hand = watch->aside_by_hand || in_batch;
}

static void note_all(struct entries *entries, const struct entries *changes)
{
    for (int e = 0; e < changes->count; e++) {
        const struct entry *entry = &changes->entry[e];
        const struct pair pair = {.path = entry->path, .number = entry->pair};
        uint32_t more = entry->changes - 1;
        struct entry *noted =
            note_change(entries, &pair, entry->way, entry->first, entry->last);
        if (noted) {
            noted->changes += more;
        }
    }
    entries->overflows = entries->overflows || changes->overflows;
}

void note_due(struct watch *watch, const struct entries *changes)
{
    note_all(self()->batches > 0 ? &watch->unripe : &watch->entries, changes);
}

static void leave_pending(struct watch *watch)
{
    watch->pending = watch->vague = watch->by_hand = false;
    watch->entries.count = 0;
}

/* Forgets a pending call, which was taken back or whose loop has gone. */
static void forget(struct watch *watch)
{
    bool hands = hands_over(watch);
    if (hands) {
        hold_entries(&watch->entries);
    }
    int root = watch->for_root;
    struct entries entries = watch->entries;
    hold_ends(root, watch->observer);
    leave_pending(watch);
    end_lost(watch, 0);
    if (hands) {
        let_entries_go(&entries);
    }
    let_ends_go(root, watch->observer);
}

/* Adds the entries of a batch that ends to those noted before, and lets the
   values between the two go. */
static void ripen(struct watch *watch)
{
    struct entries before = watch->entries, batch = watch->unripe;
    if (!watch->pending) {
        before.count = watch->entries.count = 0;
        watch->entries.overflows = false;
    }
    watch->is_committed = true;
    note_all(&watch->entries, &batch);
    watch->unripe.count = 0;
    hold_entries(&before);
    hold_entries(&batch);
    let_entries_go(&before);
    let_entries_go(&batch);
}

static void schedule_aside(struct watch *watch)
{
    int root = watch->aside_root, observer = watch->observer;
    bool by_hand = watch->aside_by_hand, vague = watch->aside_vague;
    hold_ends(root, observer);
    watch->aside = false;
    if (watch->cancelled) {
        let_ends_go(root, observer);
        return;
    }
    if (post_as(watch, root, true, watch->aside_perhaps)) {
        watch->by_hand = watch->by_hand || by_hand;
        watch->vague = watch->vague || vague;
    } else if (hands_over(watch)) {
        struct entries entries = watch->entries;
        hold_entries(&entries);
        watch->entries.count = 0;
        watch->is_committed = false;
        let_entries_go(&entries);
    }
    end_lost(watch, 0);
    watch->is_committed = false;
    let_ends_go(root, observer);
}

/* Forgets the entries of a batch for a call that was taken back meanwhile. */
static void forget_noted(struct watch *watch)
{
    struct entries unripe = watch->unripe;
    if (watch->cancelled && !watch->aside && hands_over(watch)) {
        hold_entries(&unripe);
        watch->unripe.count = 0;
        let_entries_go(&unripe);
    }
}

bool is_in_batch(void)
{
    return self()->batches > 0;
}

void end_batch(void)
{
    struct thread *thread = self();
    if (thread->batches == 0) {
        reject("no batch is open");
    }
    if (--thread->batches > 0) {
        return;
    }
    struct thread ended = *thread;
    thread->aside_count = 0;
    for (int a = 0; a < ended.aside_count; a++) {
        struct watch *watch = &world.watch[ended.aside[a].watch];
        if (is_put_aside(&ended.aside[a]) && tracks(watch) &&
            !watch->cancelled) {
            ripen(watch);
        }
    }
    for (int a = 0; a < ended.aside_count; a++) {
        if (is_put_aside(&ended.aside[a])) {
            schedule_aside(&world.watch[ended.aside[a].watch]);
        }
    }
    for (int a = 0; a < ended.aside_count; a++) {
        forget_noted(&world.watch[ended.aside[a].watch]);
    }
}

static struct watch *take(struct loop *loop, int at)
{
    struct watch *watch = &world.watch[loop->queue[at]];
    loop->count--;
    memmove(loop->queue + at, loop->queue + at + 1, (size_t)(loop->count - at));
    return watch;
}

void end_loop(int number)
{
    struct loop *loop = &world.loop[number];
    loop->ended = true;
    memset(loop->deaths, 0, sizeof loop->deaths);
    while (loop->count > 0) {
        struct watch *watch = take(loop, 0);
        world.dropped += !watch->cancelled;
        forget(watch);
    }
}

int pending_in(int loop)
{
    int count = 0;
    for (int w = 0; w < all_watches(); w++) {
        const struct watch *watch = &world.watch[w];
        count += watch->pending && !watch->cancelled && watch->loop == loop;
    }
    return count;
}

/* Draining ---------------------------------------------------------------- */

static struct watch *next_of(struct loop *loop)
{
    for (int at = 0; at < loop->count && !loop->ended; at++) {
        const struct watch *watch = &world.watch[loop->queue[at]];
        if (!watch->waits && !watch->foreign) {
            return take(loop, at);
        }
    }
    return NULL;
}

/* Notes a change for each end that differs from the one kept while waiting. */
static void note_firsts(struct watch *watch)
{
    static struct end ends[ENDS];
    for (int p = 0; p < PAIRS; p++) {
        const struct pair *pair = &watch->pair[p];
        if (!pair->linked || !pair->awaits || !pair_differs(watch, pair)) {
            continue;
        }
        int count = ends_of(pair, ends);
        if (count > 1 || pair->firsts > 1) {
            reject("several ends, with values");
        }
        (void)note_change(&watch->entries, pair,
                          count ? ends[0].way : pair->first[0].way,
                          pair->firsts ? pair->first[0].value : UNREACHABLE,
                          count ? ends[0].value : UNREACHABLE);
    }
}

/* Brings all that an observation follows up to date; whether it is called then.
   Posts caused by that are not dropped, since the drain causes them. */
static bool settles_to_call(struct loop *loop, struct watch *watch)
{
    bool between = loop->between;
    loop->between = true;
    settle(watch);
    loop->between = between;
    bool calls = !watch->perhaps || differs_from_first(watch);
    if (tracks(watch)) {
        note_firsts(watch);
    }
    if (!calls && watch->may_be_called) {
        reject("whether it is called");
    }
    watch->perhaps = false;
    forget_firsts(watch);
    return calls;
}

static bool deliver(struct loop *loop, struct watch *watch)
{
    int root = watch->for_root, observer = watch->observer;
    bool called = !watch->cancelled;
    bool hands = hands_over(watch);
    hold_ends(root, observer);
    if (knows_computed && called) {
        called = settles_to_call(loop, watch);
    }
    struct entries entries = watch->entries;
    if (called && watch->by_hand && entries.count == 0) {
        note_present(watch, root, &entries);
    }
    if (hands) {
        hold_entries(&entries);
    }
    if (called && watch->options & NET && !watch->by_hand) {
        called = !all_are_as_before(watch);
    }
    bool vague = watch->vague;
    leave_pending(watch);
    watch->vague = vague;
    if (called) {
        watch->called_in = loop->cycle;
        if (world.order_count < (int)sizeof world.order) {
            world.order[world.order_count++] =
                (int8_t)(whole_of(watch) - world.watch);
        }
        enter(watch, root, EVENT_DELAYED, tracks(watch) ? &entries : NULL);
        world.called++;
    }
    end_lost(watch, 0);
    watch->vague = false;
    bool between = loop->between;
    loop->between = true;
    if (hands) {
        let_entries_go(&entries);
    }
    let_ends_go(root, observer);
    loop->between = between;
    return called;
}

/* Deaths ------------------------------------------------------------------- */

static void tell_of_death(int observer, uint32_t times)
{
    if (world.observer[observer].alive && !world.observer[observer].dying) {
        world.observer[observer].told += times;
    }
}

/* Of an immediate observation at once, but at the depth limit; of an instance of
   a class never. */
void note_death(const struct watch *watch)
{
    struct loop *loop = &world.loop[watch->loop];
    const struct thread *thread = self();
    bool too_deep = thread->immediate_depth == 64 ||
                    (thread->immediate_depth > 0 && thread->at_limit);
    if (watch->observer < 0 || watch->whole >= 0) {
        return;
    }
    if (watch->immediate && !too_deep) {
        tell_of_death(watch->observer, 1);
    } else if (!loop->ended) {
        loop->deaths[watch->observer]++;
    }
}

static void tell_of_deaths(struct loop *loop)
{
    for (int o = 0; o < OBSERVERS; o++) {
        tell_of_death(o, loop->deaths[o]);
        loop->deaths[o] = 0;
    }
}

/* Observations that a drain with a limit leaves come first in the next one. */
static void put_left_first(struct loop *loop)
{
    int8_t queue[ALL];
    int count = 0;
    for (int waits = 0; waits < 2; waits++) {
        for (int at = 0; at < loop->count; at++) {
            const struct watch *watch = &world.watch[loop->queue[at]];
            if ((watch->waits || watch->foreign) == waits) {
                queue[count++] = loop->queue[at];
            }
        }
    }
    memcpy(loop->queue, queue, (size_t)count);
}

int drain(int number, int limit)
{
    struct loop *loop = &world.loop[number];
    struct watch *watch;
    int called = 0;
    if (loop->depth > 0 && !drains(loop)) {
        reject("another thread drains it");
    }
    if (is_settling()) {
        reject("a drain by who is told of an answer");
    }
    if (knows_computed && is_in_batch()) {
        reject("computed, and a drain before a batch has told");
    }
    bool outermost = true;
    for (int l = 0; l < world.loops; l++) {
        outermost = outermost && !drains(&world.loop[l]);
    }
    if (outermost) {
        world.order_count = 0;
    }
    if (loop->depth == 0) {
        loop->cycle++;
        loop->drainer = world.self;
    }
    bool behind = false;
    for (int at = 0; at < loop->count; at++) {
        watch = &world.watch[loop->queue[at]];
        if (behind && watch->joined) {
            reject("in which order another thread's calls come");
        }
        behind = behind || watch->foreign;
        watch->waits = watch->waits && loop->depth > 0;
        watch->foreign = false;
        if (loop->depth > 0 && watch->called_in == loop->cycle) {
            watch->waits = true;
        }
    }
    loop->depth++;
    /* A release between two blocks of the outer drain may drain as well: then
       blocks run again. */
    bool between = loop->between;
    loop->between = false;
    while (called != limit && (watch = next_of(loop)) != NULL) {
        called += deliver(loop, watch);
    }
    if (limit >= 0) {
        put_left_first(loop);
    }
    tell_of_deaths(loop);
    loop->between = between;
    loop->depth--;
    return called;
}

/* By hand ----------------------------------------------------------------- */

static bool root_lives(const struct pair *pair)
{
    const struct thing *root = &world.thing[pair->root];
    return root->alive && !root->dying;
}

/* That of the first pair whose root lives; of one that has none, of the last. */
int first_root_of(const struct watch *watch)
{
    const struct pair *found = NULL;
    for (int p = 0; p < PAIRS; p++) {
        const struct pair *pair = &watch->pair[p];
        if (!pair->linked) {
            continue;
        }
        bool lives = root_lives(pair);
        bool is_before = found && pair->serial < found->serial;
        bool found_lives = found && root_lives(found);
        if (!found || (lives && !found_lives) || (lives && is_before) ||
            (!found_lives && !lives && !is_before)) {
            found = pair;
        }
    }
    return found ? found->root : -1;
}

bool can_execute(const struct watch *watch)
{
    const struct loop *loop = &world.loop[watch->loop];
    bool elsewhere = loop->depth > 0 && !drains(loop);
    int root = first_root_of(watch);
    struct watch *instance = NULL;
    bool running = watch->running > 0;
    while ((instance = next_instance(watch, instance)) != NULL) {
        running = running || instance->running > 0;
    }
    return (root >= 0 || watch->of_class) && watch->linked && !running &&
           !elsewhere && ends_are_alive(watch, root);
}

void execute(struct watch *watch)
{
    int root = first_root_of(watch), observer = watch->observer;
    static struct entries presents[FRAMES + 1];
    struct entries *present = &presents[world.frames];
    hold_ends(root, observer);
    note_present(watch, root, present);
    hold_entries(present);
    enter(watch, root, EVENT_BY_HAND, present);
    let_ends_go(root, observer);
    let_entries_go(present);
}
