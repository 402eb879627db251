/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes: compares the ends of every path before and after a change, finds the
 * observations that are due, and schedules or calls them in order.
 */
#include "model.h"

#include <string.h>

struct change {
    int thing, property;
    uint64_t stored;        /* properties that were stored over, a bit each */
    uint32_t touched[ROOM]; /* tags of items stored over that stay */
    uint64_t changed;       /* properties with another value, a bit each */
    val old, now;
    bool equal;
    bool is_computing;  /* it evaluates or invalidates, and sets nothing */
    bool is_evaluation; /* it evaluates, for a read or a new observation */
    /* The pairs made by blocks that were called before the store: their serials
       are above `first`, up to `last`. */
    uint32_t first, last;
};

/* An observation that is due, the first pair that makes it due, and the
   record. */
struct due {
    struct watch *watch;
    struct pair *pair;
    uint32_t serial, pair_serial;
    bool several;  /* more pairs than one are due */
    bool perhaps;  /* it is due only since a property became invalid */
    bool is_mixed; /* a property that it follows became invalid, too */
    struct entries entries;
};

struct dues {
    int count;
    struct due due[ALL];
};

/* The observations due, by the nesting depth of the change; static, since the
   stack is too small for them. */
static struct dues dues_at[FRAMES + 1];

/* The state of every pair before the change, until it is known what is due. */
static struct end ends_before[ALL][PAIRS][ENDS];
static int count_before[ALL][PAIRS];
static bool held_before[ALL][PAIRS];
static bool touched_before[ALL][PAIRS]; /* its path crosses the change */
static struct followed followed_before[ALL][PAIRS];
static struct invalid nil_before[ALL][PAIRS];
static bool awaited_before[ALL][PAIRS];
static uint32_t serial_before[ALL][PAIRS];

/* The old values of computed properties, held until the change has been
   told. */
static struct {
    int count;
    val thing[INVALIDS];
} displaced;

static bool holds_changed(const struct pair *pair, const struct change *change)
{
    bool holds = false;
    for (int p = 0; p < UNKNOWN; p++) {
        holds = holds || ((change->changed >> p & 1) &&
                          holds_slot(pair, change->thing, p, false));
    }
    return holds;
}

/* Whether a path crosses a stored property, also if the new value is equal. */
static bool holds_stored(const struct pair *pair, const struct change *change)
{
    struct change stored = *change;
    stored.changed |= change->stored;
    return holds_changed(pair, &stored);
}

/* EQ-5 speaks of elements that change, EQ-11 of endpoints that are compared in
   a way of their own: for an endpoint that is an equal container both hold. */
static void reject_equal_container(const struct watch *watch,
                                   const struct change *change)
{
    int property = change->property;
    if (watch->options & ANY_ELEMENT && sort_held(property) != OBJECTS &&
        change->old != change->now &&
        are_alike(watch, property, change->old, change->now)) {
        reject("any element, and an equal container");
    }
}

/* The computed property at which the way of a pair ends too soon: it is nil. */
static struct invalid find_nil(const struct pair *pair,
                               const struct followed *followed)
{
    struct invalid found = {.thing = -1, .property = -1};
    for (int e = 0; e < pair->path.length - 1; e++) {
        for (int t = 0; t < world.things; t++) {
            int element = pair->path.element[e];
            if (followed->at[e][t] && is_computed(element) &&
                child_of(t, element) < 0) {
                found.thing = (int8_t)t;
                found.property = (int8_t)element;
            }
        }
    }
    return found;
}

static void look_before(const struct change *change)
{
    invalid_count = displaced.count = validated = 0;
    memset(serial_before, 0, sizeof serial_before);
    for (int w = 0; w < all_watches(); w++) {
        const struct watch *watch = &world.watch[w];
        for (int p = 0; p < PAIRS && watch->linked; p++) {
            const struct pair *pair = &watch->pair[p];
            if (is_followed(pair)) {
                reject_equal_container(watch, change);
                count_before[w][p] = ends_of(pair, ends_before[w][p]);
                /* A comparison of its own is for endpoints. */
                held_before[w][p] = !change->equal &&
                                    watch->options & ANY_ELEMENT &&
                                    holds_changed(pair, change);
            }
            if (knows_computed && pair->linked && names_computed(&pair->path) &&
                world.thing[pair->root].dying && holds_changed(pair, change)) {
                reject("whether a path of a dying root computes");
            }
            if (knows_computed) {
                serial_before[w][p] = pair->linked ? pair->serial : 0;
                touched_before[w][p] =
                    !change->is_computing && holds_stored(pair, change);
                follow(pair, &followed_before[w][p]);
                nil_before[w][p] = find_nil(pair, &followed_before[w][p]);
                awaited_before[w][p] = pair->linked && pair->awaits;
            }
        }
    }
}

static bool is_stored(const struct change *change, const struct end *end)
{
    bool found = false;
    if (!is_number(last_property(end->way))) {
        return change->stored >> end->property & 1;
    }
    uint32_t tag = world.thing[end->container].tag[end->property - FIRST];
    for (int i = 0; i < ROOM; i++) {
        found = found || change->touched[i] == tag;
    }
    return found;
}

static bool are_equal_containers(val a, val b)
{
    bool same = a >= 0 && b >= 0 && a < THINGS && b < THINGS &&
                is_container(a) && world.thing[a].sort == world.thing[b].sort;
    for (int p = COUNT; same && !is_set(a) && p < PROPERTIES; p++) {
        same = are_equal(p, world.thing[a].value[p], world.thing[b].value[p]);
    }
    return same && (!is_set(a) || members_of(a, STAR) == members_of(b, STAR));
}

bool are_alike(const struct watch *watch, int property, val a, val b)
{
    bool is_declared = !(watch->options & (COMPARE_EQUAL | COMPARE_IDENTITY));
    return (is_declared ? are_equal(property, a, b)
                        : values_equal(property, a, b)) ||
           (watch->options & COMPARE_EQUAL && holds_thing(property) &&
            are_equal_containers(a, b));
}

/* Whether an end is one of those that a container has for a `*`: they are its
   content, which is compared as it is declared. */
static bool is_content(const struct pair *pair, const struct end *end)
{
    return pair->path.element[pair->path.length - 1] == STAR &&
           is_container(end->container);
}

bool copies(const struct watch *watch)
{
    return watch->options & (VALUES | RECORDS | NET | COMPARE_ALWAYS |
                             COMPARE_EQUAL | COMPARE_IDENTITY);
}

/* Computed properties ------------------------------------------------------ */

static bool was_there(int w, int p)
{
    return serial_before[w][p] == world.watch[w].pair[p].serial;
}

/* Evaluates one invalid property that a pair follows since this change; with
   `all`, any that an immediate one follows. Whether there was one. */
static bool validate_followed(int w, int p, bool all)
{
    static struct followed followed;
    const struct watch *watch = &world.watch[w];
    const struct pair *pair = &watch->pair[p];
    const struct followed *before = &followed_before[w][p];
    if (!is_followed(pair) || !names_computed(&pair->path)) {
        return false;
    }
    follow(pair, &followed);
    for (int e = 0; e < pair->path.length; e++) {
        int property = pair->path.element[e];
        for (int t = 0; t < world.things && is_computed(property); t++) {
            bool is_new = !was_there(w, p) || !before->at[e][t];
            if (followed.at[e][t] && !is_valid(t, property) &&
                (is_new || (all && watch->immediate))) {
                /* How the path leads on is known only now: look again. */
                validate(t, property);
                return true;
            }
        }
    }
    return false;
}

static bool validate_some(bool all)
{
    bool any = false;
    for (int w = 0; w < all_watches(); w++) {
        for (int p = 0; p < PAIRS && world.watch[w].linked; p++) {
            any = validate_followed(w, p, all) || any;
        }
    }
    return any;
}

/* Properties that paths have newly come to are evaluated first. */
static void validate_all_followed(void)
{
    while (knows_computed && (validate_some(false) || validate_some(true))) {
    }
}

void replace_computed(val *slot, int property, val value)
{
    val old = *slot;
    *slot = value;
    if (holds_thing(property) && old >= 0) {
        if (displaced.count == INVALIDS) {
            reject("too many are displaced");
        }
        world.thing[old].holds++;
        displaced.thing[displaced.count++] = old;
    }
}

/* Whether a pair meets something that has become invalid: by its name (LL-5), or
   at its end under a `*`, if it was valid (WC-6). */
static bool meets_invalid(const struct pair *pair, bool by_star,
                          const struct followed *followed)
{
    bool meets = false;
    for (int i = 0; i < invalid_count; i++) {
        const struct invalid *invalid = &invalids[i];
        for (int e = 0; e < pair->path.length; e++) {
            int element = pair->path.element[e];
            bool is_last = e == pair->path.length - 1;
            bool is = by_star ? is_last && element == STAR && !invalid->is_again
                              : element == invalid->property;
            meets = meets || (is && followed->at[e][invalid->thing]);
        }
    }
    return meets;
}

/* Whether a computed property was set that ends the path of a pair by `*`. */
static bool is_set_under_star(const struct pair *pair,
                              const struct change *change,
                              const struct followed *followed)
{
    int last = pair->path.length - 1;
    return is_computed(change->property) && !change->is_computing &&
           !change->equal && pair->path.element[last] == STAR &&
           followed->at[last][change->thing];
}

/* Keeps the ends that a pair had before a property on its path became
   invalid. */
static void keep_firsts(struct pair *pair, const struct end *ends, int count,
                        const struct invalid *nil)
{
    if (count > FIRSTS) {
        reject("too many ends to compare with");
    }
    pair->awaits = true;
    pair->is_answered = false;
    pair->nil_thing = nil->thing;
    pair->nil_property = count == 0 ? nil->property : -1;
    pair->firsts = (uint8_t)count;
    for (int i = 0; i < count; i++) {
        pair->first[i] = (struct first){ends[i].way, ends[i].value};
    }
}

/* Whether an end has changed that was reached before and is reached after. */
static bool differs(const struct watch *watch, const struct pair *pair,
                    const struct change *change, const struct end *before,
                    const struct end *after)
{
    int property = last_property(after->way);
    bool is_slot =
        after->container == change->thing && is_stored(change, after);
    if (watch->options & COMPARE_ALWAYS) {
        return before->container != after->container || is_slot;
    }
    if (before->members != 0 || after->members != 0) {
        return before->members != after->members;
    }
    return is_content(pair, before) && is_content(pair, after)
               ? !are_equal(property, before->value, after->value)
               : !are_alike(watch, property, before->value, after->value);
}

/* The value handed over of an end. A dying thing cannot be held, so the
   contract leaves open whether it is handed over. */
static val handed(const struct watch *watch, const struct end *end)
{
    bool dies = holds_thing(last_property(end->way)) && end->value >= 0 &&
                world.thing[end->value].dying;
    if (dies && watch->options & (RECORDS | NET)) {
        reject("whether what dies has an entry");
    }
    if (end->value == ANY && hands_over(watch)) {
        reject("which of several members is handed over");
    }
    return dies ? ANY : end->value;
}

/* Several members may be behind a hash: which of them is handed over is open. */
static void reject_several_members(const struct watch *watch,
                                   const struct pair *pair, int befores,
                                   int afters)
{
    if (watch->options & VALUES && has_hash(&pair->path) &&
        (befores > 1 || afters > 1)) {
        reject("which of several members is handed over");
    }
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
            differs(watch, pair, change, &before[b], &after[a])) {
            any = true;
            const struct end *end = only_after ? &after[a] : &before[b];
            if (watch->options & (RECORDS | NET) && is_content(pair, end)) {
                reject("a record of content");
            }
            reject_several_members(watch, pair, befores, afters);
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

/* Whether a pair (for an instance, the observation of its class) was registered
   by a block that was called before the store. */
static bool came_before_store(const struct watch *watch,
                              const struct pair *pair,
                              const struct change *change)
{
    uint32_t serial = watch->whole >= 0 ? watch->serial : pair->serial;
    return serial > change->first && serial <= change->last;
}

/* Sorts by registration; instances of one class as they were first followed. */
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

/* Whether a change can make a pair due: it follows its path, or has done so
   until this change. */
static bool takes_part(const struct watch *watch, const struct pair *pair,
                       const struct change *change, uint32_t number)
{
    bool compares = !change->equal || watch->options & COMPARE_ALWAYS;
    return ((compares && is_followed(pair)) ||
            (pair->linked && pair->lost_by == number &&
             !world.thing[pair->root].dying)) &&
           !came_before_store(watch, pair, change);
}

/* Whether a path can reach a thing in several ways. */
static bool leads_through_content(const struct path *path)
{
    bool leads = has_inner_star(path) || has_hash(path);
    for (int e = 0; e < path->length; e++) {
        leads = leads || is_position(path->element[e]);
    }
    return leads;
}

/* Whether a waiting pair leads through the property that was nil when it began
   to wait. The path leads on there only by an evaluation, which is no
   change. */
static bool is_below_nil(const struct pair *pair, const struct change *change)
{
    static struct followed followed;
    bool waits = false, is_own = change->thing == pair->nil_thing &&
                                 change->property == pair->nil_property;
    if (pair->awaits && pair->nil_property >= 0 && !is_own) {
        follow(pair, &followed);
        for (int e = 0; e < pair->path.length - 1; e++) {
            waits = waits || (pair->path.element[e] == pair->nil_property &&
                              followed.at[e][pair->nil_thing]);
        }
    }
    return waits;
}

/* Whether a delayed pair is due for certain. While it waits for invalid
   properties, an evaluation is no change, but a set is. */
static bool is_certain(int w, int p, const struct change *change, bool differs)
{
    struct watch *watch = &world.watch[w];
    struct pair *pair = &watch->pair[p];
    bool is_touched = touched_before[w][p];
    if (is_touched && leads_through_content(&pair->path) &&
        follows_invalid(watch)) {
        reject("whether a way more computes what is invalid");
    }
    bool is_sure = watch->pending && !watch->perhaps;
    if (!names_computed(&pair->path)) {
        return differs;
    }
    bool waits_with_nil = is_below_nil(pair, change);
    if (differs && waits_with_nil && pair->is_answered) {
        watch->may_be_called = true; /* it does not wait any more (0088) */
    }
    if (differs && waits_with_nil && has_hash(&pair->path)) {
        /* EQ-7 or LL-5: it is there and back, and only a read has led there. */
        reject("ways under a hash, below what led nowhere");
    }
    if (!is_touched) {
        if (differs && has_inner_star(&pair->path)) {
            reject("ways under a `*`, and computed below");
        }
        if (differs && world.loop[watch->loop].ended) {
            reject("a read below what waits, and there is no loop");
        }
        return false;
    }
    bool is_own = is_computed(change->property);
    if (waits_with_nil) {
        if (watch->may_be_called && !watch->pending && !is_in_batch()) {
            reject("whether another thread than the batch's schedules it");
        }
        return false;
    }
    if (tracks(watch) && pair->awaits) {
        reject("set while it waits, with values");
    }
    if (is_own && pair->awaits && is_in_batch()) {
        reject("set in a batch while it waits");
    }
    if (pair->awaits && !is_sure && !is_own) {
        bool differs_now = pair_differs(watch, pair);
        watch->may_be_called = watch->may_be_called || differs != differs_now;
        if (differs != differs_now && !watch->pending && !is_in_batch()) {
            reject("whether another thread than the batch's schedules it");
        }
        return differs && differs_now;
    }
    return differs;
}

/* Whether a path leaves a property that this change has made invalid. Whether
   that is evaluated first is open. */
static bool leaves_invalid(const struct pair *pair,
                           const struct followed *before,
                           const struct followed *after)
{
    bool leaves = false;
    for (int i = 0; i < invalid_count; i++) {
        int thing = invalids[i].thing;
        for (int e = 0; e < pair->path.length; e++) {
            leaves = leaves || (pair->path.element[e] == invalids[i].property &&
                                before->at[e][thing] && !after->at[e][thing]);
        }
    }
    return leaves;
}

enum how_due { NOT_DUE, PERHAPS_DUE, SURELY_DUE };

static enum how_due how_due(int w, int p, const struct change *change,
                            bool differs)
{
    static struct followed after;
    struct watch *watch = &world.watch[w];
    struct pair *pair = &watch->pair[p];
    const struct followed *before = &followed_before[w][p];
    if (!was_there(w, p) || pair->begins) {
        return NOT_DUE;
    }
    if (is_set_under_star(pair, change, before) ||
        meets_invalid(pair, true, before)) {
        return SURELY_DUE;
    }
    follow(pair, &after);
    bool is_left = leaves_invalid(pair, before, &after);
    if (is_left && (watch->immediate || (!watch->pending && !watch->aside))) {
        reject("invalid, and left at once");
    }
    bool is_open = watch->immediate ? !differs : differs && tracks(watch);
    if (is_open && names_computed(&pair->path) && touched_before[w][p] &&
        meets_invalid(pair, false, before)) {
        reject("its end was set, and it has moved");
    }
    if (watch->immediate && differs && has_inner_star(&pair->path) &&
        change->is_computing && validated > 1) {
        reject("several ways more, each a change");
    }
    if (watch->immediate) {
        return differs ? SURELY_DUE : NOT_DUE;
    }
    bool is_sure = is_certain(w, p, change, differs);
    bool awaits = meets_invalid(pair, false, before);
    if (awaits && !pair->awaits && (!is_sure || tracks(watch))) {
        keep_firsts(pair, ends_before[w][p], count_before[w][p],
                    &nil_before[w][p]);
    }
    return is_sure ? SURELY_DUE : awaits ? PERHAPS_DUE : NOT_DUE;
}

static bool follows_by_name(int w, int p, const struct invalid *invalid)
{
    const struct pair *pair = &world.watch[w].pair[p];
    bool follows = false;
    for (int e = 0; e < pair->path.length; e++) {
        follows = follows || (pair->path.element[e] == invalid->property &&
                              followed_before[w][p].at[e][invalid->thing]);
    }
    return follows;
}

/* Whether a pair begins to wait for a property for which others wait already:
   they saw two old values, of which the library keeps one (decision 0088). */
static bool has_latecomers(const struct invalid *invalid)
{
    bool has[2] = {false, false};
    for (int w = 0; w < all_watches(); w++) {
        for (int p = 0; p < PAIRS && world.watch[w].linked; p++) {
            bool *found = &has[awaited_before[w][p]];
            *found = *found || (world.watch[w].pair[p].awaits &&
                                follows_by_name(w, p, invalid));
        }
    }
    return has[false] && has[true];
}

/* Leaves open, for all that wait for a property with latecomers, whether they
   are called and which old value they are handed. */
static void leave_answers_open(void)
{
    for (int i = 0; i < invalid_count; i++) {
        bool known = knows_mended || !has_latecomers(&invalids[i]);
        for (int w = 0; w < all_watches() && !known; w++) {
            struct watch *watch = &world.watch[w];
            for (int p = 0; p < PAIRS && watch->linked; p++) {
                bool is_open = watch->pair[p].awaits &&
                               follows_by_name(w, p, &invalids[i]);
                watch->may_be_called = watch->may_be_called || is_open;
                watch->vague = watch->vague || (is_open && watch->pending);
                watch->aside_vague =
                    watch->aside_vague || (is_open && watch->aside);
            }
        }
    }
}

/* Finds what a change has made due. `number`: the number of the change. */
static void look_after(const struct change *change, uint32_t number,
                       struct dues *dues)
{
    dues->count = 0;
    for (int w = 0; w < all_watches(); w++) {
        struct watch *watch = &world.watch[w];
        static struct due due;
        due.watch = watch;
        due.serial = watch->serial;
        due.pair = NULL;
        due.several = false;
        due.perhaps = true;
        due.is_mixed = false;
        due.entries.count = 0;
        due.entries.overflows = false;
        for (int p = 0; p < PAIRS && watch->linked; p++) {
            struct pair *pair = &watch->pair[p];
            if (!takes_part(watch, pair, change, number)) {
                continue;
            }
            bool is_due =
                compare_pair(watch, pair, ends_before[w][p], count_before[w][p],
                             change, &due.entries) ||
                held_before[w][p] || pair->lost_by == number;
            if (knows_computed) {
                bool is_lost = pair->lost_by == number;
                if (is_lost && watch->immediate &&
                    meets_invalid(pair, false, &followed_before[w][p])) {
                    reject("invalid, and left at once");
                }
                enum how_due how =
                    is_lost ? SURELY_DUE : how_due(w, p, change, is_due);
                is_due = how != NOT_DUE;
                due.perhaps = due.perhaps && how != SURELY_DUE;
                due.is_mixed =
                    due.is_mixed ||
                    meets_invalid(pair, false, &followed_before[w][p]);
            } else {
                due.perhaps = due.perhaps && !is_due;
            }
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
    if (knows_computed) {
        leave_answers_open();
    }
    if (dues->count > 0 && world.fragile) {
        reject("nobody promises in which order this comes");
    }
}

/* Whether the property that is set is an end of the path. */
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

/* Whether a pair is told before the store, since the value offered is
   another. */
static bool is_offered(const struct watch *watch, const struct pair *pair,
                       const struct change *change)
{
    return change->equal
               ? watch->options & COMPARE_ALWAYS && ends_at(pair, change)
               : holds_slot(pair, change->thing, change->property, false);
}

/* Fills in what a call before the store is handed: the present value of the
   end, and the value offered if the end is what is set. */
static void offer(const struct due *due, const struct change *change,
                  struct entries *entries)
{
    struct end ends[ENDS];
    entries->count = 0;
    entries->overflows = false;
    if (!(due->watch->options & VALUES)) {
        return;
    }
    int count = ends_of(due->pair, ends);
    bool reached = count > 0;
    bool is_end = reached && ends_at(due->pair, change);
    /* The contract leaves open which value an end below a dying object has. */
    bool dies = holds_thing(change->property) && change->old >= 0 &&
                world.thing[change->old].dying;
    const struct path *path = &due->pair->path;
    entries->count = 1;
    entries->entry[0] =
        (struct entry){.way = way_of_path(due->pair->root, path),
                       .changes = 1,
                       .first = dies || count > 1 ? ANY
                                : reached         ? ends[0].value
                                                  : UNREACHABLE,
                       .last = is_end ? change->now : UNREACHABLE,
                       .pair = due->pair->number,
                       .path = *path};
}

/* Calls the observations with PRIOR, before the store. */
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
    if (dues->count > 0 &&
        (world.fragile || change->property == CLAMPED ||
         is_death_in_script(change->property, change->old))) {
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

/* After a dropped call (DR-3) the observation must notice the next change, so
   what it follows is brought up to date at once. */
static void validate_dropped(struct watch *watch)
{
    if (!watch->pending && !watch->aside) {
        forget_firsts(watch);
    }
    for (int w = 0; w < all_watches(); w++) {
        for (int p = 0; p < PAIRS && world.watch[w].linked; p++) {
            if (world.watch[w].pair[p].linked &&
                has_inner_star(&world.watch[w].pair[p].path)) {
                reject("dropped, beside a `*`");
            }
        }
    }
    bool immediate = watch->immediate;
    watch->immediate = true;
    validate_all_followed();
    watch->immediate = immediate;
    if (follows_awaited(watch)) {
        reject("whether it is asked once more for what another waits for");
    }
}

static void schedule_due(struct due *due, const struct change *change)
{
    struct watch *watch = due->watch;
    if (due->perhaps) {
        if (!post_perhaps(watch, due->pair->root)) {
            validate_dropped(watch);
        }
        return;
    }
    if (!post(watch, due->pair->root, false)) {
        bool is_dropped = !world.loop[watch->loop].ended;
        if (change->is_evaluation && is_dropped) {
            reject("whether what a handler computes counts as dropped");
        }
        if (due->is_mixed && is_dropped) {
            validate_dropped(watch);
        }
    } else if (tracks(watch)) {
        note_due(watch, &due->entries);
    }
}

static void call_due(struct due *due)
{
    struct watch *watch = due->watch;
    if (due->pair->serial == due->pair_serial &&
        due->pair->lost_by == LOST_AND_CALLED) {
        /* AR-1: "the block is called once". */
        reject("whether a call that was pending is that for what it has lost");
    }
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

static void bind_pairs(void)
{
    for (int w = 0; w < world.watches; w++) {
        for (int p = 0; p < PAIRS && world.watch[w].linked; p++) {
            bind_pair(&world.watch[w].pair[p]);
        }
    }
}

enum { GONE = 24 };

static int take_displaced(val gone[GONE])
{
    int count = displaced.count;
    if (count > GONE) {
        reject("too many are displaced");
    }
    memcpy(gone, displaced.thing, (size_t)count * sizeof *gone);
    displaced.count = 0;
    return count;
}

/* Lets old values go. An observation that waits may hold one of them. */
static void let_displaced_go(const val *gone, int count)
{
    bool waits = false;
    for (int w = 0; w < all_watches(); w++) {
        const struct watch *watch = &world.watch[w];
        waits = waits || is_waiting(watch);
    }
    for (int i = 0; i < count; i++) {
        world.thing[gone[i]].holds--;
        if (waits && references_to(gone[i]) == 0) {
            reject("whether a value before is held");
        }
        let_thing_go(gone[i]);
    }
}

static void deliver_change(const struct change *change)
{
    struct dues *dues = &dues_at[world.frames];
    bool immediate[ALL];
    uint32_t number = ++world.changes;
    bind_pairs();
    if (knows_computed && !change->is_computing && !change->equal &&
        change->property >= 0) {
        mark_readers(change->thing, change->property);
    }
    validate_all_followed();
    look_after(change, number, dues);
    for (int d = 0; d < dues->count; d++) {
        if (copies(dues->due[d].watch)) {
            hold_entries(&dues->due[d].entries);
        }
    }
    for (int d = 0; d < dues->count; d++) {
        immediate[d] = dues->due[d].watch->immediate;
        if (!immediate[d]) {
            schedule_due(&dues->due[d], change);
        }
        if (!immediate[d] && copies(dues->due[d].watch)) {
            let_entries_go(&dues->due[d].entries);
        }
    }
    /* Pairs whose call was dropped end before any block is called. */
    for (int w = 0; w < world.watches; w++) {
        if (!world.watch[w].immediate) {
            end_lost(&world.watch[w], number);
        }
    }
    val gone[GONE];
    int gone_count = take_displaced(gone);
    for (int d = 0; d < dues->count; d++) {
        if (immediate[d]) {
            bool copied = copies(dues->due[d].watch);
            call_due(&dues->due[d]);
            if (copied) {
                let_entries_go(&dues->due[d].entries);
            }
        }
    }
    let_displaced_go(gone, gone_count);
    for (int w = 0; w < world.watches; w++) {
        end_lost(&world.watch[w], number);
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

/* Drops the reference by which a change keeps its object. */
static void let_target_go(int thing)
{
    world.thing[thing].holds--;
    if (strict && !is_foreign(thing) && references_to(thing) == 0 &&
        !world.thing[thing].dying) {
        reject("the caller keeps what it sets");
    }
    let_thing_go(thing);
}

void change_computed(int thing, int property,
                     void (*happen)(int thing, int property))
{
    const struct change change = {.thing = thing,
                                  .property = -1,
                                  .is_computing = true,
                                  .is_evaluation = happen == validate};
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.edits++;
    world.thing[thing].holds++;
    look_before(&change);
    happen(thing, property);
    deliver_change(&change);
    let_target_go(thing);
    world.frames--;
}

/* Sets a computed property to an equal value, which makes it valid. */
static void set_equal(int thing, int property)
{
    note_set(thing, property, false);
}

void set_property(int thing, int property, val value)
{
    val *slot = &world.thing[thing].value[property];
    struct change change = {.thing = thing,
                            .property = property,
                            .old = *slot,
                            .now = value,
                            .equal = values_equal(property, *slot, value),
                            .stored = UINT64_C(1) << property,
                            .changed = UINT64_C(1) << property};
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.thing[thing].holds++;
    change.equal = change.equal && (!is_computed(property) ||
                                    computed_at(thing, property)->has_value);
    if (is_computed(property) && change.equal) {
        if (!is_valid(thing, property)) {
            change_computed(thing, property, set_equal);
        }
    } else if (!change.equal || anybody_compares_always()) {
        follow_thing(thing, property, change.equal);
        change.first = world.serials;
        call_prior(&change);
        change.last = world.serials;
        if (holds_thing(property) && value >= 0 && !world.thing[value].alive) {
            reject("the caller keeps what it offers");
        }
        world.edits++;
        if (is_computed(property)) {
            answer_below(thing, property);
        }
        look_before(&change);
        *slot = change.equal ? *slot : value;
        if (is_computed(property) && !change.equal) {
            note_set(thing, property, true);
        }
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

/* Lists -------------------------------------------------------------------- */

/* An item of a list, with its old position; -1: it has come since. */
struct item {
    val thing;
    int from;
    uint32_t tag;
    bool is_touched; /* it was put there again */
};

struct items {
    int count;
    struct item item[ROOM];
};

static void demand_room(bool condition)
{
    if (!condition) {
        reject("past the end, or no room");
    }
}

static void put_in(struct items *items, int at, struct item item)
{
    demand_room(items->count < ROOM && at <= items->count);
    for (int i = items->count++; i > at; i--) {
        items->item[i] = items->item[i - 1];
    }
    items->item[at] = item;
}

static struct item take_out(struct items *items, int at)
{
    demand_room(at < items->count);
    struct item item = items->item[at];
    items->count--;
    for (int i = at; i < items->count; i++) {
        items->item[i] = items->item[i + 1];
    }
    return item;
}

/* Executes a splice. An item that comes back to its place keeps its
   identity. */
static void splice(struct items *items, const struct list_edit *edit)
{
    struct item removed[ROOM];
    demand_room(edit->at <= items->count);
    for (int i = 0; i < edit->removed; i++) {
        removed[i] = take_out(items, edit->at);
    }
    for (int i = 0; i < edit->inserted; i++) {
        bool is_back = i < edit->removed && removed[i].thing == edit->item[i];
        struct item item = {.thing = edit->item[i],
                            .from = -1,
                            .tag = is_back ? removed[i].tag : ++world.tags,
                            .is_touched = is_back};
        put_in(items, edit->at + i, item);
    }
}

static void move_items(struct items *items, const struct list_edit *edit)
{
    struct item moved[ROOM];
    demand_room(edit->at <= items->count);
    for (int i = 0; i < edit->moved; i++) {
        moved[i] = take_out(items, edit->at);
    }
    demand_room(edit->to <= items->count);
    for (int i = 0; i < edit->moved; i++) {
        put_in(items, edit->to + i, moved[i]);
    }
}

static void order_items(struct items *items, const struct list_edit *edit)
{
    const struct items before = *items;
    demand_room(edit->at + edit->moved <= items->count);
    for (int i = 0; i < edit->moved; i++) {
        items->item[edit->at + edit->item[i]] = before.item[edit->at + i];
    }
}

/* The things that a command has taken out, held until all edits are told. */
struct taken_out {
    int count;
    int thing[EDITS * ROOM];
};

static void note_taken_out(const struct items *items,
                           const struct list_edit *edit, struct taken_out *out)
{
    for (int i = 0; i < edit->removed && edit->at + i < items->count; i++) {
        out->thing[out->count++] = items->item[edit->at + i].thing;
    }
}

static void rearrange(struct items *items, const struct command *command,
                      struct taken_out *out)
{
    for (int e = 0; e < command->edits; e++) {
        const struct list_edit *edit = &command->edit[e];
        if (edit->kind == SPLICE) {
            note_taken_out(items, edit, out);
            splice(items, edit);
        } else if (edit->kind == MOVE) {
            move_items(items, edit);
        } else {
            order_items(items, edit);
        }
    }
}

static struct items items_of(int list)
{
    struct items items = {.count = world.thing[list].value[COUNT]};
    for (int i = 0; i < items.count; i++) {
        items.item[i] =
            (struct item){.thing = world.thing[list].value[FIRST + i],
                          .from = i,
                          .tag = world.thing[list].tag[i]};
    }
    return items;
}

static void store_items(int list, const struct items *items)
{
    val *value = world.thing[list].value;
    value[COUNT] = items->count;
    for (int i = 0; i < ROOM; i++) {
        value[FIRST + i] =
            i < items->count ? items->item[i].thing : UNREACHABLE;
        world.thing[list].tag[i] = i < items->count ? items->item[i].tag : 0;
    }
}

static struct change change_of_items(int list, const struct items *before,
                                     const struct items *after)
{
    struct change change = {.thing = list, .property = -1};
    for (int i = 0; i < before->count || i < after->count; i++) {
        uint64_t bit = UINT64_C(1) << (FIRST + i);
        bool both = i < before->count && i < after->count;
        bool same = both && before->item[i].thing == after->item[i].thing;
        change.stored |= both && after->item[i].from == i ? 0 : bit;
        change.changed |= same ? 0 : bit;
        if (i < after->count && after->item[i].is_touched) {
            change.touched[i] = after->item[i].tag;
        }
    }
    if (before->count != after->count) {
        change.stored |= UINT64_C(1) << COUNT;
        change.changed |= UINT64_C(1) << COUNT;
    }
    change.equal = change.changed == 0;
    return change;
}

static void hold_taken_out(const struct taken_out *out, int by)
{
    for (int i = 0; i < out->count; i++) {
        uint8_t *holds = &world.thing[out->thing[i]].holds;
        *holds = (uint8_t)(*holds + by);
    }
}

static void edit_list(int list, const struct command *command)
{
    const struct items before = items_of(list);
    struct items after = before;
    struct taken_out out = {.count = 0};
    rearrange(&after, command, &out);
    const struct change change = change_of_items(list, &before, &after);
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.edits++;
    world.thing[list].holds++;
    hold_taken_out(&out, 1);
    look_before(&change);
    store_items(list, &after);
    world.thing[list].edited = world.changes + 1;
    deliver_change(&change);
    hold_taken_out(&out, -1);
    for (int i = 0; i < out.count; i++) {
        let_thing_go(out.thing[i]);
    }
    let_target_go(list);
    world.frames--;
}

/* Dictionaries ------------------------------------------------------------- */

static void put_keys(struct thing *dictionary, const struct command *command)
{
    for (int e = 0; e < command->edits; e++) {
        const struct list_edit *edit = &command->edit[e];
        val *value = &dictionary->value[KEY + edit->at];
        bool is_put = edit->kind == PUT;
        dictionary->value[COUNT] += is_put - (*value != UNREACHABLE);
        *value = is_put ? edit->item[0] : UNREACHABLE;
    }
}

/* Equal values are no change, whichever thing they are (DI-1). */
static struct change change_of_keys(int number, const struct thing *after,
                                    const struct command *command)
{
    struct change change = {.thing = number, .property = -1, .equal = true};
    const val *before = world.thing[number].value;
    for (int p = COUNT; p < PROPERTIES; p++) {
        bool differs = !are_equal(p, before[p], after->value[p]);
        change.changed |= (uint64_t)differs << p;
        change.equal = change.equal && before[p] == after->value[p];
    }
    change.stored = change.changed & UINT64_C(1) << COUNT;
    for (int e = 0; e < command->edits; e++) {
        int p = KEY + command->edit[e].at;
        bool is_there =
            before[p] != UNREACHABLE || after->value[p] != UNREACHABLE;
        change.stored |= (uint64_t)is_there << p;
    }
    return change;
}

/* Holds what each edit takes away until all edits are told. */
static int hold_removed(const struct thing *before,
                        const struct command *command, val removed[EDITS])
{
    struct thing now = *before;
    for (int e = 0; e < command->edits; e++) {
        struct command one = *command;
        removed[e] = now.value[KEY + one.edit[e].at];
        one.edit[0] = one.edit[e];
        one.edits = 1;
        put_keys(&now, &one);
        if (removed[e] >= 0) {
            world.thing[removed[e]].holds++;
        }
    }
    return command->edits;
}

static void let_removed_go(const val *removed, int count)
{
    bool open = gives_containers && count > 1;
    world.fragile = (uint8_t)(world.fragile + open);
    for (int e = 0; e < count; e++) {
        if (removed[e] >= 0) {
            world.thing[removed[e]].holds--;
            let_thing_go(removed[e]);
        }
    }
    world.fragile = (uint8_t)(world.fragile - open);
}

/* Each edit of a key or a member counts: there and back is a change of the
   content, but not at the key. A program tells of each once. */
static void reject_told_twice(const struct command *command)
{
    for (int e = 0; e < command->edits; e++) {
        for (int before = 0; before < e; before++) {
            const struct list_edit *a = &command->edit[before];
            const struct list_edit *b = &command->edit[e];
            bool is_set = b->kind == ENTER || b->kind == LEAVE;
            if (is_set ? a->item[0] == b->item[0] : a->at == b->at) {
                reject("a key is told of twice at once");
            }
        }
    }
}

static void edit_dictionary(int number, const struct command *command)
{
    reject_told_twice(command);
    struct thing *dictionary = &world.thing[number], after = *dictionary;
    val removed[EDITS];
    put_keys(&after, command);
    const struct change change = change_of_keys(number, &after, command);
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.edits++;
    dictionary->holds++;
    int count = hold_removed(dictionary, command, removed);
    look_before(&change);
    memcpy(dictionary->value, after.value, sizeof after.value);
    dictionary->edited = world.changes + 1;
    deliver_change(&change);
    let_removed_go(removed, count);
    let_target_go(number);
    world.frames--;
}

/* Sets --------------------------------------------------------------------- */

/* The place of a member; -1: it is none. */
static int place_of_member(const struct thing *set, val member)
{
    for (int p = FIRST; p <= LAST; p++) {
        if (set->value[p] == member) {
            return p;
        }
    }
    return -1;
}

static void take_member(struct thing *set, int place)
{
    for (int p = place; p < LAST; p++) {
        set->value[p] = set->value[p + 1];
    }
    set->value[LAST] = UNREACHABLE;
    set->value[COUNT]--;
}

/* Makes the edits of a set. Notes the members that leave, in order, and in
   `moved` all that enter or leave. */
static int move_members(struct thing *set, const struct command *command,
                        val left[EDITS], uint64_t *moved)
{
    int count = 0;
    for (int e = 0; e < command->edits; e++) {
        const struct list_edit *edit = &command->edit[e];
        int place = place_of_member(set, edit->item[0]);
        if (edit->kind == LEAVE && place >= 0) {
            take_member(set, place);
            left[count++] = edit->item[0];
        } else if (edit->kind == ENTER && place < 0) {
            demand_room(set->value[COUNT] < ROOM);
            set->value[FIRST + set->value[COUNT]++] = edit->item[0];
        } else {
            continue;
        }
        *moved |= UINT64_C(1) << edit->item[0];
    }
    return count;
}

/* By the hashes of its members. */
static struct change change_of_members(int number, const struct thing *after,
                                       uint64_t moved)
{
    struct change change = {.thing = number, .property = -1};
    const struct thing *before = &world.thing[number];
    for (int t = 0; t < world.things; t++) {
        bool was = place_of_member(before, t) >= 0;
        bool is = place_of_member(after, t) >= 0;
        uint64_t bit = UINT64_C(1) << hash_of[t];
        change.changed |= was != is ? bit : 0;
        change.stored |= moved >> t & 1 && (was || is) ? bit : 0;
    }
    change.equal = change.changed == 0;
    if (before->value[COUNT] != after->value[COUNT]) {
        change.stored |= UINT64_C(1) << COUNT;
        change.changed |= UINT64_C(1) << COUNT;
    }
    return change;
}

static void edit_set(int number, const struct command *command)
{
    reject_told_twice(command);
    struct thing *set = &world.thing[number], after = *set;
    val left[EDITS];
    uint64_t moved = 0;
    int count = move_members(&after, command, left, &moved);
    const struct change change = change_of_members(number, &after, moved);
    if (++world.frames > FRAMES) {
        reject("nested too deep");
    }
    world.edits++;
    set->holds++;
    for (int i = 0; i < count; i++) {
        world.thing[left[i]].holds++;
    }
    look_before(&change);
    memcpy(set->value, after.value, sizeof after.value);
    set->edited = world.changes + 1;
    deliver_change(&change);
    let_removed_go(left, count);
    let_target_go(number);
    world.frames--;
}

/* Refuses several edits in one command beside paths with computed properties: a
   thing that leaves and comes back has been let go of. */
static void reject_several(const struct command *command)
{
    for (int w = 0; w < all_watches() && command->edits > 1; w++) {
        for (int p = 0; p < PAIRS && world.watch[w].linked; p++) {
            const struct pair *pair = &world.watch[w].pair[p];
            if (pair->linked && names_computed(&pair->path)) {
                reject("several edits, and computed below");
            }
        }
    }
}

void edit_container(int container, const struct command *command)
{
    reject_several(command);
    if (is_dictionary(container)) {
        edit_dictionary(container, command);
    } else if (is_set(container)) {
        edit_set(container, command);
    } else {
        edit_list(container, command);
    }
}

/* Registers or unregisters a foreign object. No property changes, but paths
   lead on elsewhere from properties that hold the address. */
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

/* Tells of a value that is stored already. `old`: the old value as the caller
   says; `wired`: the value when paths were wired last. */
void trigger_property(int thing, int property, val wired, val old)
{
    val *slot = &world.thing[thing].value[property], stored = *slot;
    const struct change change = {.thing = thing,
                                  .property = property,
                                  .old = old,
                                  .now = stored,
                                  .equal = values_equal(property, old, stored),
                                  .stored = UINT64_C(1) << property,
                                  .changed = UINT64_C(1) << property};
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
