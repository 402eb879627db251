/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes: the ends of every path before and after, who is due for what
 * differs, and the order in which they are scheduled and called.
 */
#include "model.h"

#include <string.h>

struct change {
    int thing, property;
    uint32_t stored;  /* properties that were stored over, a bit each */
    uint32_t changed; /* those of them that have another value */
    val old, now;
    bool equal;
    /* The pairs made in calls before its store: their serials from the one after
       `first` on, up to `last`. */
    uint32_t first, last;
};

/* An observation that is due, for which pair first, and what changed. */
struct due {
    struct watch *watch;
    struct pair *pair;
    uint32_t serial, pair_serial;
    bool several; /* more pairs than one are due */
    struct entries entries;
};

struct dues {
    int count;
    struct due due[ALL];
};

/* Of each change that is under way, by how deep it is nested: too much for the
   stack. */
static struct dues dues_at[FRAMES + 1];

/* Of every pair before the change; only used until what is due is known. */
static struct end ends_before[ALL][PAIRS][ENDS];
static int count_before[ALL][PAIRS];
static bool held_before[ALL][PAIRS];

static bool is_followed(const struct pair *pair)
{
    return pair->linked && pair->path.length > 0 &&
           !world.thing[pair->root].dying;
}

static bool holds_changed(const struct pair *pair, const struct change *change)
{
    bool holds = false;
    for (int p = 0; p < PROPERTIES; p++) {
        holds = holds || ((change->changed >> p & 1) &&
                          holds_slot(pair, change->thing, p, false));
    }
    return holds;
}

static void look_before(const struct change *change)
{
    for (int w = 0; w < all_watches(); w++) {
        const struct watch *watch = &world.watch[w];
        for (int p = 0; p < PAIRS && watch->linked; p++) {
            const struct pair *pair = &watch->pair[p];
            if (is_followed(pair)) {
                count_before[w][p] = ends_of(pair, ends_before[w][p]);
                /* A comparison of its own is for endpoints. */
                held_before[w][p] = !change->equal &&
                                    watch->options & ANY_ELEMENT &&
                                    holds_changed(pair, change);
            }
        }
    }
}

/* Whether an end that was reached and is reached has changed. */
static bool differs(const struct watch *watch, const struct change *change,
                    const struct end *before, const struct end *after)
{
    int property = last_property(after->way);
    bool is_slot =
        after->container == change->thing && (change->stored >> property & 1);
    if (watch->options & COMPARE_ALWAYS) {
        return before->container != after->container || is_slot;
    }
    return !values_equal(property, before->value, after->value);
}

/* What it compares or hands over is copied, and so held, until the change has
   been told. */
static bool copies(const struct watch *watch)
{
    return watch->options & (VALUES | RECORDS | NET | COMPARE_ALWAYS |
                             COMPARE_EQUAL | COMPARE_IDENTITY);
}

/* What dies cannot be held: left open whether it is handed over. */
static val handed(const struct watch *watch, const struct end *end)
{
    bool dies = holds_thing(last_property(end->way)) && end->value >= 0 &&
                world.thing[end->value].dying;
    if (dies && watch->options & (RECORDS | NET)) {
        reject("whether what dies has an entry");
    }
    return dies ? ANY : end->value;
}

/* Whether a record of an end has no name that is promised: of an item of a list,
   or of all that a list has. */
static bool is_nameless(const struct pair *pair, const struct end *end)
{
    uint32_t way = end->way / WAY;
    bool found = pair->path.element[pair->path.length - 1] == STAR &&
                 is_list(end->container);
    for (; way != 0; way /= WAY) {
        found = found || way % WAY >= ITEM;
    }
    return found;
}

/* Compares a pair's ends, which are in the order of their ways. */
static bool compare_pair(const struct watch *watch, const struct pair *pair,
                         const struct end *before, int befores,
                         const struct change *change, struct entries *entries)
{
    static struct end after[ENDS];
    int afters = ends_of(pair, after), b = 0, a = 0;
    bool any = false;
    while (b < befores || a < afters) {
        bool only_before =
            a == afters || (b < befores && before[b].way < after[a].way);
        bool only_after =
            b == befores || (a < afters && after[a].way < before[b].way);
        if (only_before || only_after ||
            differs(watch, change, &before[b], &after[a])) {
            any = true;
            if (watch->options & (RECORDS | NET) &&
                is_nameless(pair, only_after ? &after[a] : &before[b])) {
                reject("how a record names it");
            }
            if (copies(watch)) {
                note_change(
                    entries, pair, only_after ? after[a].way : before[b].way,
                    only_after ? UNREACHABLE : handed(watch, &before[b]),
                    only_before ? UNREACHABLE : handed(watch, &after[a]));
            }
        }
        b += !only_after;
        a += !only_before;
    }
    return any;
}

/* Whether a pair, of an instance its class, was registered in a call before the
   store. */
static bool came_before_store(const struct watch *watch,
                              const struct pair *pair,
                              const struct change *change)
{
    uint32_t serial = watch->whole >= 0 ? watch->serial : pair->serial;
    return serial > change->first && serial <= change->last;
}

/* In the order of registration; of one class, as they were met. */
static bool comes_before(const struct due *a, const struct due *b)
{
    return a->serial != b->serial ? a->serial < b->serial
                                  : a->pair_serial < b->pair_serial;
}

static void add_due(struct dues *dues, const struct due *due)
{
    int at = dues->count++;
    while (at > 0 && comes_before(due, &dues->due[at - 1])) {
        dues->due[at] = dues->due[at - 1];
        at--;
    }
    dues->due[at] = *due;
}

static void look_after(const struct change *change, struct dues *dues)
{
    dues->count = 0;
    for (int w = 0; w < all_watches(); w++) {
        struct watch *watch = &world.watch[w];
        static struct due due;
        due.watch = watch;
        due.serial = watch->serial;
        due.pair = NULL;
        due.several = false;
        due.entries.count = 0;
        due.entries.overflows = false;
        if (change->equal && !(watch->options & COMPARE_ALWAYS)) {
            continue;
        }
        for (int p = 0; p < PAIRS && watch->linked; p++) {
            struct pair *pair = &watch->pair[p];
            if (!is_followed(pair) || came_before_store(watch, pair, change)) {
                continue;
            }
            bool is_due =
                compare_pair(watch, pair, ends_before[w][p], count_before[w][p],
                             change, &due.entries) ||
                held_before[w][p];
            due.several = due.several || (is_due && due.pair);
            if (is_due && (!due.pair || pair->serial < due.pair->serial)) {
                due.pair = pair;
                due.pair_serial = pair->serial;
            }
        }
        if (due.pair && ends_are_alive(watch, due.pair->root)) {
            add_due(dues, &due);
        }
    }
    if (dues->count > 0 && world.fragile) {
        reject("nobody promises in which order this comes");
    }
}

/* Whether what is set ends the path. */
static bool ends_at(const struct pair *pair, const struct change *change)
{
    static struct end ends[ENDS];
    for (int count = ends_of(pair, ends); count-- > 0;) {
        if (ends[count].container == change->thing &&
            last_property(ends[count].way) == change->property) {
            return true;
        }
    }
    return false;
}

/* Whether something else than what stands there is offered to it. */
static bool is_offered(const struct watch *watch, const struct pair *pair,
                       const struct change *change)
{
    return change->equal
               ? watch->options & COMPARE_ALWAYS && ends_at(pair, change)
               : holds_slot(pair, change->thing, change->property, false);
}

/* What is handed over before the store: what stands at the end, and what is
   offered if it is the end that is set. */
static void offer(const struct due *due, const struct change *change,
                  struct entries *entries)
{
    struct end ends[ENDS];
    entries->count = 0;
    entries->overflows = false;
    if (!(due->watch->options & VALUES)) {
        return;
    }
    bool reached = ends_of(due->pair, ends) > 0;
    bool is_end = reached && ends_at(due->pair, change);
    /* What stands below an object that dies is left open. */
    bool dies = holds_thing(change->property) && change->old >= 0 &&
                world.thing[change->old].dying;
    const struct path *path = &due->pair->path;
    uint32_t way = 0;
    for (int e = 0; e < path->length; e++) {
        way = way * WAY + (unsigned)(uint8_t)path->element[e];
    }
    entries->count = 1;
    entries->entry[0] =
        (struct entry){.way = way,
                       .changes = 1,
                       .first = dies      ? ANY
                                : reached ? ends[0].value
                                          : UNREACHABLE,
                       .last = is_end ? change->now : UNREACHABLE,
                       .pair = due->pair->number,
                       .path = *path};
}

/* Before the store: those that want to know what is offered. */
static void call_prior(const struct change *change)
{
    uint32_t edits = world.edits;
    struct dues *dues = &dues_at[world.frames];
    dues->count = 0;
    for (int w = 0; w < all_watches(); w++) {
        struct watch *watch = &world.watch[w];
        if (!(watch->options & PRIOR) || !watch->immediate) {
            continue;
        }
        struct due due = {.watch = watch, .serial = watch->serial};
        for (int p = 0; p < PAIRS && watch->linked; p++) {
            struct pair *pair = &watch->pair[p];
            if (is_followed(pair) && is_offered(watch, pair, change) &&
                (!due.pair || pair->serial < due.pair->serial)) {
                due.pair = pair;
                due.pair_serial = pair->serial;
            }
        }
        if (due.pair && ends_are_alive(watch, due.pair->root)) {
            add_due(dues, &due);
        }
    }
    if (dues->count > 0 && (world.fragile || change->property == CLAMPED)) {
        reject("no prior call is promised here");
    }
    for (int d = 0; d < dues->count; d++) {
        struct due *due = &dues->due[d];
        if (due->watch->linked && due->watch->serial == due->serial &&
            due->pair->linked && due->pair->serial == due->pair_serial) {
            static struct entries entries;
            offer(due, change, &entries);
            call_immediate(due->watch, due->pair->root, EVENT_PRIOR, &entries);
        }
    }
    if (world.edits != edits) {
        reject("something was changed before the store");
    }
}

static void schedule_due(struct due *due)
{
    struct watch *watch = due->watch;
    if (post(watch, due->pair->root, false) && tracks(watch)) {
        note_due(watch, &due->entries);
    }
}

static void call_due(struct due *due)
{
    struct watch *watch = due->watch;
    if (!watch->linked || watch->serial != due->serial) {
        return;
    }
    if (!due->pair->linked || due->pair->serial != due->pair_serial) {
        if (due->several) {
            reject("stopped for one root, due for another");
        }
        return;
    }
    if (ends_are_alive(watch, due->pair->root)) {
        bool vague = watch->vague;
        watch->vague = false;
        call_immediate(watch, due->pair->root, EVENT_IMMEDIATE,
                       tracks(watch) ? &due->entries : NULL);
        watch->vague = watch->vague || vague;
    }
}

static void deliver_change(const struct change *change)
{
    struct dues *dues = &dues_at[world.frames];
    bool immediate[ALL];
    look_after(change, dues);
    for (int d = 0; d < dues->count; d++) {
        if (copies(dues->due[d].watch)) {
            hold_entries(&dues->due[d].entries);
        }
    }
    for (int d = 0; d < dues->count; d++) {
        immediate[d] = dues->due[d].watch->immediate;
        if (!immediate[d]) {
            schedule_due(&dues->due[d]);
        }
        if (!immediate[d] && copies(dues->due[d].watch)) {
            let_entries_go(&dues->due[d].entries);
        }
    }
    for (int d = 0; d < dues->count; d++) {
        if (immediate[d]) {
            bool copied = copies(dues->due[d].watch);
            call_due(&dues->due[d]);
            if (copied) {
                let_entries_go(&dues->due[d].entries);
            }
        }
    }
}

static bool anybody_compares_always(void)
{
    for (int w = 0; w < world.watches; w++) {
        if (world.watch[w].linked && world.watch[w].options & COMPARE_ALWAYS) {
            return true;
        }
    }
    return false;
}

/* Whoever changes an object keeps it meanwhile. */
static void let_target_go(int thing)
{
    world.thing[thing].holds--;
    if (strict && !is_foreign(thing) && references_to(thing) == 0 &&
        !world.thing[thing].dying) {
        reject("the caller keeps what it sets");
    }
    let_thing_go(thing);
}

void set_property(int thing, int property, val value)
{
    val *slot = &world.thing[thing].value[property];
    struct change change = {.thing = thing,
                            .property = property,
                            .old = *slot,
                            .now = value,
                            .equal = values_equal(property, *slot, value),
                            .stored = (uint32_t)1 << property,
                            .changed = (uint32_t)1 << property};
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.thing[thing].holds++;
    if (!change.equal || anybody_compares_always()) {
        follow_thing(thing, property, change.equal);
        change.first = world.serials;
        call_prior(&change);
        change.last = world.serials;
        if (holds_thing(property) && value >= 0 && !world.thing[value].alive) {
            reject("the caller keeps what it offers");
        }
        world.edits++;
        look_before(&change);
        *slot = change.equal ? *slot : value;
        if (holds_thing(property) && change.old >= 0) {
            world.thing[change.old].holds++;
        }
        deliver_change(&change);
        if (holds_thing(property) && change.old >= 0) {
            world.thing[change.old].holds--;
            let_thing_go(change.old);
        }
    }
    let_target_go(thing);
    world.frames--;
}

/* Items and where they stood; -1: nowhere. */
struct items {
    int count;
    val item[ROOM + 1];
    int from[ROOM + 1];
};

static void put_in(struct items *items, int at, val item)
{
    for (int i = items->count++; i > at; i--) {
        items->item[i] = items->item[i - 1];
        items->from[i] = items->from[i - 1];
    }
    items->item[at] = item;
    items->from[at] = -1;
}

static val take_out(struct items *items, int at)
{
    val item = items->item[at];
    for (int i = at; i < items->count - 1; i++) {
        items->item[i] = items->item[i + 1];
        items->from[i] = items->from[i + 1];
    }
    items->count--;
    return item;
}

/* As the program does it: what is replaced goes, and comes anew. */
static void rearrange(struct items *items, const struct command *command)
{
    int at = command->place[1], to = command->place[2];
    val first, second;
    switch ((enum list_edit)command->place[0]) {
    case REPLACE:
        (void)take_out(items, at);
        put_in(items, at, command->value);
        break;
    case INSERT:
        put_in(items, at, command->value);
        break;
    case REMOVE:
        (void)take_out(items, at);
        break;
    case MOVE:
        first = take_out(items, at);
        put_in(items, to, first);
        break;
    case SWAP:
        first = items->item[at];
        second = items->item[to];
        (void)take_out(items, at);
        put_in(items, at, second);
        (void)take_out(items, to);
        put_in(items, to, first);
        break;
    default:
        for (int i = 0; i < items->count / 2; i++) {
            first = items->item[i];
            items->item[i] = items->item[items->count - 1 - i];
            items->item[items->count - 1 - i] = first;
        }
        for (int i = 0; i < items->count; i++) {
            items->from[i] = -1;
        }
        break;
    }
}

static struct items items_of(int list)
{
    struct items items = {.count = world.thing[list].value[COUNT]};
    for (int i = 0; i < items.count; i++) {
        items.item[i] = world.thing[list].value[FIRST + i];
        items.from[i] = i;
    }
    return items;
}

static void store_items(int list, const struct items *items)
{
    val *value = world.thing[list].value;
    value[COUNT] = items->count;
    for (int i = 0; i < ROOM; i++) {
        value[FIRST + i] = i < items->count ? items->item[i] : UNREACHABLE;
    }
}

static struct change change_of_items(int list, const struct items *before,
                                     const struct items *after)
{
    struct change change = {.thing = list, .property = -1};
    for (int i = 0; i < before->count || i < after->count; i++) {
        uint32_t bit = (uint32_t)1 << (FIRST + i);
        bool both = i < before->count && i < after->count;
        change.stored |= both && after->from[i] == i ? 0 : bit;
        change.changed |= both && before->item[i] == after->item[i] ? 0 : bit;
    }
    if (before->count != after->count) {
        change.stored |= (uint32_t)1 << COUNT;
        change.changed |= (uint32_t)1 << COUNT;
    }
    change.equal = change.changed == 0;
    return change;
}

/* Its items are held as long as they stand in it, and until all is told. */
static void hold_items(const struct items *items, int by)
{
    for (int i = 0; i < items->count; i++) {
        uint8_t *holds = &world.thing[items->item[i]].holds;
        *holds = (uint8_t)(*holds + by);
    }
}

void edit_list(int list, const struct command *command)
{
    const struct items before = items_of(list);
    struct items after = before;
    rearrange(&after, command);
    const struct change change = change_of_items(list, &before, &after);
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.edits++;
    world.thing[list].holds++;
    hold_items(&before, 1);
    look_before(&change);
    store_items(list, &after);
    if (!change.equal || (change.stored && anybody_compares_always())) {
        deliver_change(&change);
    }
    hold_items(&before, -1);
    for (int i = 0; i < before.count; i++) {
        let_thing_go(before.item[i]);
    }
    let_target_go(list);
    world.frames--;
}

/* No property changes, but where paths lead on to from those with the address. */
void change_registration(int address, bool is_there)
{
    const struct change change = {.thing = -1, .property = -1};
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.edits++;
    look_before(&change);
    world.thing[address].alive = is_there;
    deliver_change(&change);
    world.frames--;
}

/* The value is stored; `old` is what the caller says, `wired` what stood there
   when paths were wired last. */
void trigger_property(int thing, int property, val wired, val old)
{
    val *slot = &world.thing[thing].value[property], stored = *slot;
    const struct change change = {.thing = thing,
                                  .property = property,
                                  .old = old,
                                  .now = stored,
                                  .equal = values_equal(property, old, stored),
                                  .stored = (uint32_t)1 << property,
                                  .changed = (uint32_t)1 << property};
    if (change.equal && !anybody_compares_always()) {
        return;
    }
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.edits++;
    world.thing[thing].holds++;
    follow_thing(thing, property, change.equal);
    *slot = holds_thing(property) || property == F ? wired : old;
    look_before(&change);
    *slot = stored;
    deliver_change(&change);
    let_target_go(thing);
    world.frames--;
}
