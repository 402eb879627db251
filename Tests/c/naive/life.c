/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long things and observers live, and how they and observations end.
 * References are counted anew whenever one is given back; a thing or observer
 * that has none left ends at once.
 */
#include "model.h"

#include <stddef.h>

static bool is_handed(const struct entry *entry, int thing)
{
    return holds_thing(last_property(entry->way)) &&
           (entry->first == thing || entry->last == thing);
}

/* Counts the references of a pending call to a thing: it holds the values that
   it will hand over, or that `net` compares. If there are more than a record
   has room for, the contract leaves open which are held. */
static int held_by_entries(const struct entries *entries, int thing)
{
    int held = 0, perhaps = 0;
    for (int e = 0; e < entries->count; e++) {
        bool is = is_handed(&entries->entry[e], thing);
        held += is && entries->count <= RECORDED;
        perhaps += is;
    }
    if (perhaps > held) {
        reject("whether a record holds it");
    }
    return held;
}

static void hold_entry(const struct entry *entry, int by)
{
    const val values[] = {entry->first, entry->last};
    for (int v = 0; v < 2 && holds_thing(last_property(entry->way)); v++) {
        if (values[v] >= 0) {
            uint8_t *holds = &world.thing[values[v]].holds;
            *holds = (uint8_t)(*holds + by);
        }
    }
}

void hold_entries(const struct entries *entries)
{
    for (int e = 0; e < entries->count; e++) {
        hold_entry(&entries->entry[e], 1);
    }
}

/* Lets all values of entries go. The contract leaves the order open. */
void let_entries_go(const struct entries *entries)
{
    world.fragile++;
    for (int e = 0; e < entries->count; e++) {
        const struct entry *entry = &entries->entry[e];
        hold_entry(entry, -1);
        if (holds_thing(last_property(entry->way))) {
            let_thing_go(entry->first);
            let_thing_go(entry->last);
        }
    }
    world.fragile--;
}

bool hands_over(const struct watch *watch)
{
    return watch->options & (VALUES | RECORDS | NET);
}

static bool holds_strongly(int property)
{
    return holds_thing(property) && property != W;
}

/* Whether an entry says of a thing that a `*` has led to it. */
static bool names_element(const struct entries *entries, int thing)
{
    bool found = false;
    for (int e = 0; e < entries->count; e++) {
        uint64_t way = entries->entry[e].way;
        for (; way != 0 && !found; way /= WAY) {
            found = way % WAY == ITEM + (unsigned)thing;
        }
    }
    return found;
}

/* Whether a record may hold a thing that is no value in it, but an element of
   its way. DR-13 leaves that open. */
static bool may_be_held_as_element(int thing)
{
    bool found = false;
    for (int w = 0; w < all_watches() && !found; w++) {
        const struct watch *watch = &world.watch[w];
        found = (watch->options & RECORDS) &&
                (((watch->pending || watch->is_committed) &&
                  names_element(&watch->entries, thing)) ||
                 ((watch->aside || watch->cancelled) &&
                  names_element(&watch->unripe, thing)) ||
                 (watch->running && names_element(&watch->handed, thing)));
    }
    return found;
}

int references_to(int thing)
{
    int count = world.thing[thing].held + world.thing[thing].holds;
    for (int t = 0; t < world.things; t++) {
        for (int p = A; p < PROPERTIES && world.thing[t].alive; p++) {
            count += holds_strongly(p) && world.thing[t].value[p] == thing;
        }
    }
    for (int w = 0; w < all_watches(); w++) {
        const struct watch *watch = &world.watch[w];
        count += watch->pending && watch->for_root == thing;
        count += watch->aside && watch->aside_root == thing;
        if ((watch->pending || watch->is_committed) && hands_over(watch)) {
            count += held_by_entries(&watch->entries, thing);
        }
        if ((watch->aside || watch->cancelled) && hands_over(watch)) {
            count += held_by_entries(&watch->unripe, thing);
        }
    }
    if (count == 0 && may_be_held_as_element(thing)) {
        reject("whether a record holds its element");
    }
    return count;
}

static int references_to_observer(int observer)
{
    int count = world.observer[observer].held + world.observer[observer].holds;
    for (int w = 0; w < all_watches(); w++) {
        const struct watch *watch = &world.watch[w];
        bool is = watch->observer == observer;
        count += is && watch->pending;
        count += is && watch->aside;
    }
    return count;
}

bool ends_are_alive(const struct watch *watch, int root)
{
    return (root < 0 ||
            (world.thing[root].alive && !world.thing[root].dying)) &&
           (watch->observer < 0 || (world.observer[watch->observer].alive &&
                                    !world.observer[watch->observer].dying));
}

/* The observation of a class is done when those of all its instances are. */
bool is_done(const struct watch *watch)
{
    struct watch *instance = NULL;
    while (watch->of_class &&
           (instance = next_instance(watch, instance)) != NULL) {
        if (!is_done(instance)) {
            return false;
        }
    }
    return !watch->linked && !watch->pending && !watch->aside &&
           !watch->running;
}

bool is_free(const struct watch *watch)
{
    return !watch->used || is_done(watch);
}

/* Takes the pending call of a token back, and lets the values go that it would
   have handed over. Entries of an open batch go when the batch ends. */
static void take_back(struct watch *watch)
{
    bool is_due = watch->pending || watch->is_committed;
    if (!watch->cancelled && is_due && hands_over(watch)) {
        struct entries entries = watch->entries;
        hold_entries(&entries);
        watch->entries.count = 0;
        let_entries_go(&entries);
    }
    watch->cancelled = true;
}

static bool has_call_to_come(const struct watch *watch)
{
    return watch->pending || watch->aside;
}

static void end_as(struct watch *watch, bool taken_back);

/* Ends the observations of instances. The contract leaves open which of them
   first lets go of what it holds. */
static void end_instances(const struct watch *whole, bool taken_back)
{
    struct watch *instance = NULL;
    world.fragile++;
    while ((instance = next_instance(whole, instance)) != NULL) {
        end_as(instance, taken_back);
    }
    world.fragile--;
}

static void end_as(struct watch *watch, bool taken_back)
{
    watch->linked = false;
    for (int p = 0; p < PAIRS; p++) {
        watch->pair[p].linked = false;
    }
    watch->vague = watch->aside_vague = true;
    make_sure(watch);
    if (watch->of_class) {
        end_instances(watch, taken_back);
    }
    if (taken_back) {
        take_back(watch);
    }
}

void end_watch(struct watch *watch)
{
    end_as(watch, watch->token);
}

void end_taken_back(struct watch *watch)
{
    end_as(watch, true);
}

void end_pair(struct watch *watch, struct pair *pair)
{
    bool any = false;
    pair->linked = false;
    watch->may_be_called = watch->may_be_called || pair->awaits;
    watch->vague = watch->vague || watch->pending;
    watch->aside_vague = watch->aside_vague || watch->aside;
    for (int p = 0; p < PAIRS; p++) {
        any = any || watch->pair[p].linked;
    }
    if (watch->linked && !any) {
        end_watch(watch);
    }
}

/* Does nothing while a call is to come, which the end would take back. */
void end_lost(struct watch *watch, uint32_t lost_by)
{
    bool any = false, ends = false;
    for (int p = 0; p < PAIRS && !has_call_to_come(watch); p++) {
        struct pair *pair = &watch->pair[p];
        bool is_lost = pair->linked && pair->lost_by != 0;
        if (is_lost && (lost_by == 0 || pair->lost_by == lost_by)) {
            pair->linked = false;
            pair->lost_by = LOST_AND_CALLED;
            ends = true;
        }
        any = any || pair->linked;
    }
    if (ends && !any && watch->linked) {
        end_as(watch, false);
    }
}

/* Clears weak references to a dying thing, by the program's setter (C) or the
   wrapper (Swift). The contract leaves the order of several open. */
static void clear_weak_references(int thing)
{
    int holders = 0;
    for (int t = 0; t < world.things; t++) {
        holders += world.thing[t].alive && world.thing[t].value[W] == thing;
    }
    bool open = holders > 1;
    world.fragile = (uint8_t)(world.fragile + open);
    for (int t = world.things; t-- > 0;) {
        if (world.thing[t].alive && world.thing[t].value[W] == thing) {
            set_property(t, W, NIL);
        }
    }
    world.fragile = (uint8_t)(world.fragile - open);
}

static bool has_no_order(int thing)
{
    return gives_containers && (is_dictionary(thing) || is_set(thing)) &&
           world.thing[thing].value[COUNT] > 1;
}

static void let_children_go(struct thing *thing)
{
    for (int p = A; p < PROPERTIES; p++) {
        int child = thing->value[p];
        if (holds_strongly(p)) {
            thing->value[p] = is_position(p) || is_key(p) ? UNREACHABLE : NIL;
            let_thing_go(child);
        }
    }
}

static void thing_ends(int thing)
{
    struct thing *self = &world.thing[thing];
    self->dying = true;
    run_listed(&self->on_deinit, -1);
    self->is_nameless = true;
    clear_weak_references(thing);
    if (knows_computed) {
        end_computed(thing);
    }
    for (int w = 0; w < all_watches(); w++) {
        if (world.watch[w].first_root == thing) {
            world.watch[w].first_root = -1; /* its place may be another's */
        }
        for (int p = 0; p < PAIRS; p++) {
            struct pair *pair = &world.watch[w].pair[p];
            if (pair->linked && pair->root == thing) {
                note_death(&world.watch[w]);
                end_pair(&world.watch[w], pair);
            }
        }
    }
    self->alive = self->dying = false;
    bool open = has_no_order(thing);
    world.fragile = (uint8_t)(world.fragile + open);
    let_children_go(self);
    world.fragile = (uint8_t)(world.fragile - open);
    self->value[W] = NIL;
}

/* Ends a thing if no reference is left, after one has gone. */
void let_thing_go(int thing)
{
    if (thing >= 0 && !is_foreign(thing) && world.thing[thing].alive &&
        !world.thing[thing].dying && references_to(thing) == 0) {
        thing_ends(thing);
    }
}

void let_observer_go(int observer)
{
    if (observer < 0) {
        return;
    }
    struct observer *self = &world.observer[observer];
    if (!self->alive || self->dying || references_to_observer(observer) != 0) {
        return;
    }
    self->dying = true;
    run_listed(&self->on_drop, -1);
    for (int w = 0; w < world.watches; w++) {
        if (world.watch[w].linked && world.watch[w].observer == observer) {
            end_watch(&world.watch[w]);
        }
    }
    self->alive = self->dying = false;
}

void hold_ends(int thing, int observer)
{
    if (thing >= 0) {
        world.thing[thing].holds++;
    }
    if (observer >= 0) {
        world.observer[observer].holds++;
    }
}

/* Lets the observer go first (G20 of the memory model). If both end, the
   contract leaves open in which order what they do happens. */
void let_ends_go(int thing, int observer)
{
    bool is_proxy = thing >= 0 && is_foreign(thing);
    if (thing >= 0 && !is_proxy) {
        world.thing[thing].holds--;
    }
    if (observer >= 0) {
        world.observer[observer].holds--;
    }
    bool both = thing >= 0 && !is_proxy && observer >= 0 &&
                references_to_observer(observer) == 0 &&
                references_to(thing) == 0;
    world.fragile = (uint8_t)(world.fragile + both);
    let_observer_go(observer);
    if (is_proxy) {
        world.thing[thing].holds--;
    }
    let_thing_go(thing);
    world.fragile = (uint8_t)(world.fragile - both);
}
