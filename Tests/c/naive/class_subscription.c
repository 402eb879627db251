/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observing every instance of a class (OS-3). When an instance first changes,
 * it gets an observation of its own, as if it were observed by itself; counts
 * and lists of observations leave that one out.
 */
#include "model.h"

#include <string.h>

struct watch *whole_of(struct watch *watch)
{
    return watch->whole < 0 ? watch : &world.watch[watch->whole];
}

struct watch *next_instance(const struct watch *whole, struct watch *at)
{
    int place = at ? (int)(at - world.watch) + 1 : WATCHES;
    for (; place < WATCHES + world.instances; place++) {
        if (world.watch[place].used &&
            world.watch[place].whole == whole - world.watch) {
            return &world.watch[place];
        }
    }
    return NULL;
}

static struct watch *instance_of(const struct watch *whole, int thing)
{
    struct watch *at = NULL;
    while ((at = next_instance(whole, at)) != NULL) {
        if (at->linked && at->pair[0].root == thing) {
            return at;
        }
    }
    return NULL;
}

/* Whether the path begins at a property of this thing. */
static bool begins_at(const struct watch *whole, int thing, int property)
{
    int element = whole->class_path.element[0];
    return whole->used && whole->of_class && whole->linked &&
           !is_foreign(thing) &&
           (world.thing[thing].is_sub || !whole->of_sub) &&
           has_property(thing, element) &&
           (element == property || element == STAR);
}

static struct watch *free_instance(void)
{
    for (int i = 0; i < INSTANCES; i++) {
        struct watch *watch = &world.watch[WATCHES + i];
        if (i == world.instances) {
            world.instances++;
            return watch;
        }
        if (is_free(watch)) {
            return watch;
        }
    }
    reject("too many instances");
}

static struct watch *make_instance(struct watch *whole, int thing)
{
    struct watch *watch = free_instance();
    memset(watch, 0, sizeof *watch);
    watch->used = watch->linked = true;
    watch->whole = (int8_t)(whole - world.watch);
    watch->token = whole->token;
    watch->immediate = whole->immediate;
    watch->options = whole->options;
    watch->observer = whole->observer;
    watch->loop = whole->loop;
    watch->serial = whole->serial;
    watch->first_root = -1;
    watch->pairs_made = 1;
    watch->pair[0] = (struct pair){.linked = true,
                                   .root = (int8_t)thing,
                                   .path = whole->class_path,
                                   .serial = ++world.serials};
    return watch;
}

/* In Swift a death is seen in instances that have changed before. */
static void reject_death(int thing, int property)
{
    if (is_death_in_script(property, world.thing[thing].value[property])) {
        reject("an instance is first followed when something in it dies");
    }
}

void follow_thing(int thing, int property, bool equal)
{
    for (int w = 0; w < world.watches; w++) {
        struct watch *whole = &world.watch[w];
        bool is_long = whole->class_path.length > 1;
        bool is_change =
            !equal || (whole->options & COMPARE_ALWAYS && !is_long);
        if (is_change && begins_at(whole, thing, property) &&
            !world.thing[thing].dying && !instance_of(whole, thing)) {
            reject_death(thing, property);
            (void)make_instance(whole, thing);
        }
    }
}

bool class_observes(int thing, int property)
{
    for (int w = 0; w < world.watches; w++) {
        if (begins_at(&world.watch[w], thing, property)) {
            return true;
        }
    }
    for (int w = WATCHES; w < all_watches(); w++) {
        const struct watch *watch = &world.watch[w];
        if (watch->linked &&
            holds_slot(&watch->pair[0], thing, property, false)) {
            return true;
        }
    }
    return false;
}
