/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What paths lead to. Every question walks the path anew from its root.
 */
#include "model.h"

#include <string.h>

unsigned knows;

bool knows_twins, has_unset, gives_containers;

bool is_for_scripts(void)
{
    return strict && (gives_containers || has_unset);
}

bool is_death_in_script(int property, val old)
{
    return is_for_scripts() && property == W && old >= 0 &&
           world.thing[old].dying;
}

/* Whether an element stands for a property: a `*` also for one that is never
   set. */
static bool stands_for(int thing, int element, int property)
{
    bool is_unset = sort_held(property) != OBJECTS ||
                    (property >= STRINGS && property <= ANYTHING);
    return (is_unset && element == STAR && has_unset && !is_container(thing)) ||
           has_slot(thing, property);
}

bool is_list(int thing)
{
    return world.thing[thing].sort == LISTS;
}

bool is_dictionary(int thing)
{
    return world.thing[thing].sort == DICTIONARIES;
}

bool is_set(int thing)
{
    return world.thing[thing].sort == SETS;
}

uint64_t members_of(int set, int element)
{
    uint64_t members = 0;
    for (int p = FIRST; p <= LAST; p++) {
        val member = world.thing[set].value[p];
        if (member >= 0 && (element == STAR || hash_of[member] == element)) {
            members |= UINT64_C(1) << member;
        }
    }
    return members;
}

val only_member(uint64_t members)
{
    int thing = 0;
    while (thing < THINGS && !(members >> thing & 1)) {
        thing++;
    }
    return members == 0                      ? UNREACHABLE
           : members == UINT64_C(1) << thing ? thing
                                             : ANY;
}

bool has_inner_star(const struct path *path)
{
    bool has = false;
    for (int e = 0; e < path->length - 1; e++) {
        has = has || path->element[e] == STAR;
    }
    return has;
}

bool names_computed(const struct path *path)
{
    bool names = false;
    for (int e = 0; e < path->length; e++) {
        names = names || is_computed(path->element[e]);
    }
    return names;
}

bool has_hash(const struct path *path)
{
    bool found = false;
    for (int e = 0; e < path->length; e++) {
        found = found || is_hash(path->element[e]);
    }
    return found;
}

bool is_container(int thing)
{
    return world.thing[thing].sort != OBJECTS;
}

enum sort sort_held(int property)
{
    return property == L               ? LISTS
           : property == DICT          ? DICTIONARIES
           : property == SET_OF_THINGS ? SETS
                                       : OBJECTS;
}

bool are_twins(val a, val b)
{
    return a == b || (knows_twins && a >= 0 && b >= 0 && a / 2 == b / 2);
}

bool are_equal(int property, val a, val b)
{
    return is_key(property) ? are_twins(a, b) : values_equal(property, a, b);
}

bool class_has(bool is_sub, int element)
{
    enum sort sort = sort_held(element);
    if (is_computed(element)) {
        return knows_computed && (element < OVER || knows_extra);
    }
    return element <= CLAMPED || (element == F && knows_foreign) ||
           (sort != OBJECTS && knows >> sort & 1) || element == STAR ||
           (element == K && is_sub);
}

/* Whether an element is written as a name, of a property or a key. */
static bool is_name(int element)
{
    return element != COUNT && element != STAR && !is_position(element) &&
           !is_number(element) && !is_hash(element);
}

bool has_property(int thing, int element)
{
    if (is_foreign(thing)) {
        return element == I || element == S || element == F || element == STAR;
    }
    if (element == COUNT || element == STAR) {
        return element == STAR || is_container(thing);
    }
    if (is_list(thing)) {
        return is_position(element) || is_number(element);
    }
    if (is_dictionary(thing)) {
        return is_name(element);
    }
    if (is_set(thing)) {
        return is_hash(element);
    }
    enum sort sort = sort_held(element);
    return sort != OBJECTS ? world.thing[thing].has >> sort & 1
                           : class_has(world.thing[thing].is_sub, element);
}

bool has_slot(int thing, int property)
{
    return is_dictionary(thing)  ? property == COUNT || is_key(property)
           : is_container(thing) ? property == COUNT || is_position(property)
                                 : has_property(thing, property);
}

/* The property that an element names at a thing; of a dictionary, the key. */
static int slot_of(int thing, int element)
{
    return is_dictionary(thing) ? key_of(element) : element;
}

int slot_at(int thing, int element)
{
    int property = element == BEYOND    ? -1
                   : is_number(element) ? element - NUMBER + FIRST
                                        : slot_of(thing, element);
    return property < PROPERTIES ? property : -1;
}

bool same_path(const struct path *a, const struct path *b)
{
    return a->length == b->length &&
           memcmp(a->element, b->element, (size_t)a->length) == 0;
}

/* The position of the item with a tag in a list, as a property; -1: it is
   gone. */
static int position_of(int list, uint32_t tag)
{
    for (int i = 0; i < world.thing[list].value[COUNT]; i++) {
        if (world.thing[list].tag[i] == tag) {
            return FIRST + i;
        }
    }
    return -1;
}

/* The properties that an element stands for on an object: [*first, *last]; of a
   hash some of them. */
static void range_of(const struct pair *pair, int at, int thing, int *first,
                     int *last)
{
    int element = pair->path.element[at];
    *first = element == STAR ? 0 : slot_of(thing, element);
    *last = element == STAR ? PROPERTIES - 1 : *first;
    if (is_hash(element)) {
        *first = FIRST;
        *last = LAST;
    }
    if (is_number(element)) {
        *first = position_of(thing, pair->bound[at]);
        *last = *first < 0 ? *first - 1 : *first;
    }
}

static bool contains(int list, int thing)
{
    bool found = false;
    for (int p = FIRST; p <= LAST; p++) {
        found = found || world.thing[list].value[p] == thing;
    }
    return found;
}

static int reach(const struct pair *pair, int at, int thing, uint64_t way,
                 struct end *ends, int count);

/* Whether a `*` leads through it: not if it is computed (WC-6). */
static bool is_way_on(int thing, int element, int property)
{
    return element != STAR || is_container(thing) || !is_computed(property);
}

/* Whether an element stands for what is stored there: a hash for members. */
static bool leads_on(int thing, int element, int property)
{
    if (!is_way_on(thing, element, property)) {
        return false;
    }
    val value = has_slot(thing, property) ? world.thing[thing].value[property]
                                          : UNREACHABLE;
    return value != UNREACHABLE &&
           (!is_hash(element) || hash_of[value] == element);
}

/* Each thing in a list once, however often it stands there (EQ-8), or each
   member of a set. */
static int reach_items(const struct pair *pair, int at, int container,
                       uint64_t way, struct end *ends, int count)
{
    int element = pair->path.element[at];
    for (int t = 0; t < world.things; t++) {
        if (contains(container, t) &&
            (!is_hash(element) || hash_of[t] == element)) {
            count = reach(pair, at + 1, t, way * WAY + ITEM + (unsigned)t, ends,
                          count);
        }
    }
    return count;
}

static int add_end(struct end *ends, int count, struct end end)
{
    if (count == ENDS) {
        reject("a path with too many ends");
    }
    ends[count] = end;
    return count + 1;
}

/* The ends of a path at a set: its count and its members, or the members with
   one hash as one end. */
static int reach_end_of_set(const struct pair *pair, int at, int set,
                            uint64_t way, struct end *ends, int count)
{
    int element = pair->path.element[at];
    uint64_t members = members_of(set, element);
    if (is_hash(element)) {
        struct end end = {.way = way * WAY + (unsigned)element,
                          .value = only_member(members),
                          .container = (int8_t)set,
                          .property = (int8_t)element,
                          .members = members};
        return members ? add_end(ends, count, end) : count;
    }
    struct end end = {.way = way * WAY + COUNT,
                      .value = world.thing[set].value[COUNT],
                      .container = (int8_t)set,
                      .property = COUNT};
    count = add_end(ends, count, end);
    for (int t = 0; t < world.things; t++) {
        end.way = way * WAY + ITEM + (unsigned)t;
        end.value = t;
        end.property = hash_of[t];
        count = element == STAR && members >> t & 1 ? add_end(ends, count, end)
                                                    : count;
    }
    return count;
}

static int reach(const struct pair *pair, int at, int thing, uint64_t way,
                 struct end *ends, int count)
{
    const struct path *path = &pair->path;
    int element = path->element[at], first, last;
    if (thing < 0 || !has_property(thing, element)) {
        return count;
    }
    bool is_last = at == path->length - 1;
    if (is_set(thing) && is_last) {
        return reach_end_of_set(pair, at, thing, way, ends, count);
    }
    if (!is_last && (is_set(thing) || (is_list(thing) && element == STAR))) {
        return reach_items(pair, at, thing, way, ends, count);
    }
    range_of(pair, at, thing, &first, &last);
    for (int p = first; p <= last; p++) {
        int taken = is_number(element) ? element : p;
        bool is_unseen =
            element == STAR && is_computed(p) && !is_container(thing);
        if (is_unseen || !stands_for(thing, element, p) ||
            world.thing[thing].value[p] == UNREACHABLE) {
            continue;
        }
        val value = world.thing[thing].value[p];
        if (is_last) {
            struct end end = {.way = way * WAY + (unsigned)taken,
                              .value = value,
                              .container = (int8_t)thing,
                              .property = (int8_t)p};
            count = add_end(ends, count, end);
        } else {
            count = reach(pair, at + 1, child_of(thing, p),
                          way * WAY + (unsigned)taken, ends, count);
        }
    }
    return count;
}

/* The ends that can be reached, in the order of their ways. */
int ends_of(const struct pair *pair, struct end ends[ENDS])
{
    return pair->path.length == 0 ? 0 : reach(pair, 0, pair->root, 0, ends, 0);
}

/* The things at which a walk has looked, by element: a `*` leads to one thing
   in many ways. */
static bool has_looked[ELEMENTS][sizeof world.thing / sizeof *world.thing];

static bool crosses(const struct pair *pair, int at, int on, int thing,
                    int property, bool named)
{
    if (at >= pair->path.length || on < 0 || has_looked[at][on]) {
        return false;
    }
    has_looked[at][on] = true;
    int element = pair->path.element[at], first, last;
    if (!has_property(on, element)) {
        return false;
    }
    range_of(pair, at, on, &first, &last);
    /* A number is told by where its item stands now. */
    int name =
        is_number(element) ? first - FIRST + NUMBER : slot_of(on, element);
    if (on == thing && first >= 0 &&
        (name == property || (!named && name == STAR))) {
        return true;
    }
    for (int p = first; p <= last; p++) {
        if (leads_on(on, element, p) &&
            crosses(pair, at + 1, child_of(on, p), thing, property, named)) {
            return true;
        }
    }
    return false;
}

bool holds_slot(const struct pair *pair, int thing, int property, bool named)
{
    memset(has_looked, 0, sizeof has_looked);
    return has_property(thing, property) &&
           crosses(pair, 0, pair->root, thing, slot_of(thing, property), named);
}

static void follow_from(const struct pair *pair, int at, int on,
                        struct followed *followed)
{
    if (at >= pair->path.length || on < 0 || has_looked[at][on]) {
        return;
    }
    has_looked[at][on] = true;
    int element = pair->path.element[at], first, last;
    if (!has_property(on, element)) {
        return;
    }
    followed->at[at][on] =
        !is_container(on) && (element == STAR || is_computed(element));
    range_of(pair, at, on, &first, &last);
    for (int p = first; p <= last; p++) {
        if (leads_on(on, element, p)) {
            follow_from(pair, at + 1, child_of(on, p), followed);
        }
    }
}

void follow(const struct pair *pair, struct followed *followed)
{
    memset(followed, 0, sizeof *followed);
    memset(has_looked, 0, sizeof has_looked);
    follow_from(pair, 0, pair->root, followed);
}

static bool watch_holds(const struct watch *watch, int thing, int property,
                        bool named)
{
    for (int p = 0; p < PAIRS && watch->linked; p++) {
        const struct pair *pair = &watch->pair[p];
        if (pair->linked && pair->lost_by == 0 && !pair->is_nowhere &&
            holds_slot(pair, thing, property, named)) {
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

static bool has_number_below_star(const struct path *path)
{
    bool is_below = false, found = false;
    for (int e = 0; e < path->length; e++) {
        found = found || (is_below && is_number(path->element[e]));
        is_below =
            is_below || path->element[e] == STAR || is_hash(path->element[e]);
    }
    return found;
}

bool misfits(int thing, int element)
{
    return is_container(thing)
               ? !has_property(thing, element)
               : is_position(element) || is_number(element) || is_hash(element);
}

enum answer answer_for(int root, const struct path *path)
{
    if (has_number_below_star(path)) {
        return NO_SUCH_ELEMENT;
    }
    for (int e = 0; e < path->length && root >= 0; e++) {
        int element = path->element[e], property = slot_at(root, element);
        if (element == STAR) {
            return GRANTED;
        }
        if (misfits(root, element)) {
            return NO_SUCH_ELEMENT;
        }
        if (is_hash(element)) {
            return GRANTED;
        }
        if (is_number(element) &&
            (property < 0 ||
             world.thing[root].value[property] == UNREACHABLE)) {
            return PAST_END;
        }
        root = has_property(root, element) && property >= 0
                   ? child_of(root, property)
                   : -1;
    }
    return GRANTED;
}

enum answer answer_for_class(const struct path *path)
{
    bool refused = is_position(path->element[0]) || is_hash(path->element[0]);
    for (int e = 0; e < path->length; e++) {
        refused = refused || is_number(path->element[e]);
    }
    return refused ? NO_SUCH_ELEMENT : GRANTED;
}

/* The tag to which a number is bound whose item has gone; no item has it. */
static const uint32_t gone = UINT32_MAX;

/* Binds one number of a path. The thing at the bound item; -1: none. */
static int bind_number(struct pair *pair, int at, int list)
{
    uint32_t *bound = &pair->bound[at];
    bool is_there = list >= 0 && is_list(list);
    int property = slot_at(0, pair->path.element[at]);
    if (*bound != 0) {
        property = is_there ? position_of(list, *bound) : -1;
        if (property < 0) {
            *bound = gone;
            pair->lost_by = pair->lost_by != 0 || pair->is_nowhere
                                ? pair->lost_by
                                : world.changes;
        }
        return property < 0 ? -1 : world.thing[list].value[property];
    }
    if (is_there &&
        (property < 0 || world.thing[list].value[property] == UNREACHABLE)) {
        *bound = gone;
        pair->is_nowhere = true;
        world.reports++;
    } else if (is_there && world.mute) {
        reject("for want of memory it may be bound later");
    } else if (is_there) {
        *bound = world.thing[list].tag[property - FIRST];
        return world.thing[list].value[property];
    }
    return -1;
}

/* Binds every linked pair, also of a dying root (LT-10). */
void bind_pair(struct pair *pair)
{
    int thing = pair->root;
    for (int e = 0; e < pair->path.length && pair->linked; e++) {
        int element = pair->path.element[e];
        if (element == STAR || is_hash(element)) {
            return;
        }
        if (is_number(element)) {
            thing = bind_number(pair, e, thing);
        } else {
            int property = thing < 0 ? -1 : slot_at(thing, element);
            thing = property >= 0 && has_property(thing, element)
                        ? child_of(thing, property)
                        : -1;
        }
    }
}

bool is_followed(const struct pair *pair)
{
    return pair->linked && pair->path.length > 0 && pair->lost_by == 0 &&
           !pair->is_nowhere && !world.thing[pair->root].dying;
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
        const struct pair *pair = &watch->pair[p];
        count += pair->linked && (!is_resolved(pair) || pair->is_nowhere);
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
        if (is_hash(element)) {
            at = only_member(members_of(at, element));
            if (at == ANY) {
                return ANY; /* several */
            }
            continue;
        }
        int property = slot_at(at, element);
        if (property < 0) {
            return UNREACHABLE;
        }
        at = e < path->length - 1 ? child_of(at, property)
                                  : world.thing[at].value[property];
    }
    return at;
}

bool reads_invalid(int root, const struct path *path)
{
    bool found = false;
    int at = root;
    for (int e = 0; e < path->length && at >= 0; e++) {
        int element = path->element[e];
        int property = has_property(at, element) ? slot_at(at, element) : -1;
        found = found || (!is_container(at) && property >= 0 &&
                          is_computed(property) && !is_valid(at, property));
        at = is_hash(element) ? only_member(members_of(at, element))
             : property >= 0 && has_slot(at, property) ? child_of(at, property)
                                                       : -1;
    }
    return found;
}

bool has_number(const struct path *path)
{
    bool found = false;
    for (int e = 0; e < path->length; e++) {
        found = found || is_number(path->element[e]);
    }
    return found;
}

val read_pair(const struct pair *pair)
{
    static struct end ends[ENDS];
    if (!has_number(&pair->path)) {
        return read_path(pair->root, &pair->path);
    }
    int count = ends_of(pair, ends);
    return count == 0 ? UNREACHABLE : count == 1 ? ends[0].value : ANY;
}

/* By the pair that was made for it last; a number leads nowhere when nobody
   follows it. */
val read_first(const struct watch *watch, int root)
{
    const struct pair *last = NULL;
    for (int p = 0; p < PAIRS; p++) {
        const struct pair *pair = &watch->pair[p];
        if (pair->linked && pair->root == root &&
            same_path(&pair->path, &watch->first_path) &&
            (!last || pair->serial > last->serial)) {
            last = pair;
        }
    }
    return last ? read_pair(last)
           : has_number(&watch->first_path)
               ? UNREACHABLE
               : read_path(root, &watch->first_path);
}

uint64_t way_of_path(int root, const struct path *path)
{
    uint64_t way = 0;
    bool is_key = root >= 0 && is_dictionary(root);
    for (int e = 0; e < path->length; e++) {
        int element = path->element[e];
        way = way * WAY + (unsigned)(is_key ? key_of(element) : element);
        is_key = !is_key && element == DICT;
    }
    return way;
}

int last_property(uint64_t way)
{
    return (int)(way % WAY);
}
