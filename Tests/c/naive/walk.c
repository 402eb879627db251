/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What paths lead to. Every question walks the path anew from its root.
 */
#include "model.h"

bool knows_lists;

bool is_list(int thing)
{
    return world.thing[thing].is_list;
}

bool class_has(bool is_sub, int element)
{
    return (element < K && (element != F || knows_foreign) &&
            (element != L || knows_lists)) ||
           element == STAR || (element == K && is_sub);
}

bool has_property(int thing, int element)
{
    if (is_foreign(thing)) {
        return element == I || element == S || element == F || element == STAR;
    }
    if (is_list(thing)) {
        return element == COUNT || is_position(element) || element == STAR;
    }
    return class_has(world.thing[thing].is_sub, element);
}

/* The properties that an element stands for on an object: [*first, *last]. */
static void range_of(int element, int *first, int *last)
{
    *first = element == STAR ? 0 : element;
    *last = element == STAR ? PROPERTIES - 1 : element;
}

static bool contains(int list, int thing)
{
    bool found = false;
    for (int p = FIRST; p <= LAST; p++) {
        found = found || world.thing[list].value[p] == thing;
    }
    return found;
}

static int reach(const struct path *path, int at, int thing, uint32_t way,
                 struct end *ends, int count);

/* Each thing in a list once, however often it stands there (EQ-8). */
static int reach_items(const struct path *path, int at, int list, uint32_t way,
                       struct end *ends, int count)
{
    for (int t = 0; t < THINGS; t++) {
        if (contains(list, t)) {
            count = reach(path, at + 1, t, way * WAY + ITEM + (uint32_t)t, ends,
                          count);
        }
    }
    return count;
}

static int reach(const struct path *path, int at, int thing, uint32_t way,
                 struct end *ends, int count)
{
    int element = path->element[at], first, last;
    if (thing < 0 || !has_property(thing, element)) {
        return count;
    }
    if (is_list(thing) && element == STAR && at < path->length - 1) {
        return reach_items(path, at, thing, way, ends, count);
    }
    range_of(element, &first, &last);
    for (int p = first; p <= last; p++) {
        val value = world.thing[thing].value[p];
        if (!has_property(thing, p) || value == UNREACHABLE) {
            continue;
        }
        if (at == path->length - 1) {
            if (count == ENDS) {
                reject("a path with too many ends");
            }
            ends[count++] =
                (struct end){way * WAY + (uint32_t)p, value, (int8_t)thing};
        } else {
            count = reach(path, at + 1, child_of(thing, p),
                          way * WAY + (uint32_t)p, ends, count);
        }
    }
    return count;
}

/* The ends that can be reached, in the order of their ways. */
int ends_of(const struct pair *pair, struct end ends[ENDS])
{
    return pair->path.length == 0
               ? 0
               : reach(&pair->path, 0, pair->root, 0, ends, 0);
}

static bool crosses(const struct path *path, int at, int on, int thing,
                    int property, bool named)
{
    if (at >= path->length || on < 0) {
        return false;
    }
    int element = path->element[at], first, last;
    if (!has_property(on, element)) {
        return false;
    }
    if (on == thing && (element == property || (!named && element == STAR))) {
        return true;
    }
    range_of(element, &first, &last);
    for (int p = first; p <= last; p++) {
        if (has_property(on, p) &&
            crosses(path, at + 1, child_of(on, p), thing, property, named)) {
            return true;
        }
    }
    return false;
}

bool holds_slot(const struct pair *pair, int thing, int property, bool named)
{
    return has_property(thing, property) &&
           crosses(&pair->path, 0, pair->root, thing, property, named);
}

static bool watch_holds(const struct watch *watch, int thing, int property,
                        bool named)
{
    for (int p = 0; p < PAIRS && watch->linked; p++) {
        if (watch->pair[p].linked &&
            holds_slot(&watch->pair[p], thing, property, named)) {
            return true;
        }
    }
    return false;
}

int count_of(int thing, int property)
{
    int count = 0;
    for (int w = 0; w < world.watches; w++) {
        count +=
            watch_holds(&world.watch[w], thing, property, property == STAR);
    }
    return count;
}

bool is_observed(int thing, int property)
{
    for (int w = 0; w < world.watches; w++) {
        if (watch_holds(&world.watch[w], thing, property, true)) {
            return true;
        }
    }
    return false;
}

bool is_misfit(int root, const struct path *path)
{
    for (int e = 0; e < path->length && root >= 0; e++) {
        int element = path->element[e];
        if (element == STAR) {
            return false;
        }
        if (is_list(root) ? element != COUNT && !is_position(element)
                          : is_position(element)) {
            return true;
        }
        root = has_property(root, element) ? child_of(root, element) : -1;
    }
    return false;
}

bool is_resolved(const struct pair *pair)
{
    return pair->path.length == 0 ||
           has_property(pair->root, pair->path.element[0]);
}

int unresolved_of(const struct watch *watch)
{
    int count = watch->of_class && watch->linked &&
                !class_has(watch->of_sub, watch->class_path.element[0]);
    for (int p = 0; p < PAIRS; p++) {
        count += watch->pair[p].linked && !is_resolved(&watch->pair[p]);
    }
    return count;
}

val read_path(int root, const struct path *path)
{
    val at = root;
    for (int e = 0; e < path->length; e++) {
        int element = path->element[e];
        if (at < 0 || !has_property(at, element)) {
            return UNREACHABLE;
        }
        at = e < path->length - 1 ? child_of(at, element)
                                  : world.thing[at].value[element];
    }
    return at;
}

int last_property(uint32_t way)
{
    return (int)(way % WAY);
}
