/* SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include "model.h"

#include <string.h>

enum { LIVING = 12, WATCHING = 8, FIRST_THINGS = 5, FIRST_CONTENTS = 6 };

unsigned options_off;
bool only_script;

static struct source *from;
static bool computes;   /* the program is about computed properties */
static enum sort about; /* what most commands of the program are about */
static struct program *to;

static uint64_t mix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A number below `count`. */
static int pick(int count)
{
    if (!from->bytes) {
        return (int)(mix(&from->state) % (unsigned)count);
    }
    unsigned number = 0;
    for (int bytes = count > 256 ? 2 : 1; bytes > 0; bytes--) {
        from->dry = from->dry || from->left == 0;
        if (!from->dry) {
            number = number * 256 + *from->bytes++;
            from->left--;
        }
    }
    return (int)(number % (unsigned)count);
}

static bool one_in(int count)
{
    return pick(count) == count - 1;
}

/* Whether a feature is left out of the program: by options_off, or because it
   has computed properties, with which none of them is combined. */
static bool is_off(unsigned option)
{
    return options_off & option || computes;
}

/* Operands ---------------------------------------------------------------- */

static int some_of(enum sort sort)
{
    int first = pick(LIVING);
    for (int i = 0; i < LIVING; i++) {
        int t = (first + i) % LIVING;
        const struct thing *thing = &world.thing[t];
        if (thing->alive && !thing->dying && thing->sort == sort) {
            return t;
        }
    }
    return -1;
}

static int some_thing(void)
{
    return some_of(OBJECTS);
}

/* The sort of the next operand. It is a container one time in `count`, or three
   times as often, and mostly of sort `about`, if the program is about one. */
static enum sort some_sort(int count)
{
    enum sort sort = about;
    if (!one_in(about != OBJECTS ? (count + 2) / 3 : count)) {
        return OBJECTS;
    }
    if (about == OBJECTS || one_in(4)) {
        sort = (enum sort)(1 + pick(SORTS - 1));
    }
    return options_off & ((unsigned)WITHOUT_LISTS << (sort - 1)) ? OBJECTS
                                                                 : sort;
}

static int8_t property_of(enum sort sort)
{
    static const int8_t properties[] = {A, L, DICT, SET_OF_THINGS};
    return properties[sort];
}

static int some_watch(void)
{
    int first = pick(WATCHING), found = -1;
    for (int i = 0; i < WATCHING; i++) {
        int w = (first + i) % WATCHING;
        if (world.watch[w].used && world.watch[w].handle) {
            found = found < 0 ? w : found;
            if (!is_done(&world.watch[w])) {
                return w;
            }
        }
    }
    return found;
}

/* A place whose observation is over; -1: none. */
static int free_watch(void)
{
    int first = pick(WATCHING);
    for (int i = 0; i < WATCHING; i++) {
        int w = (first + i) % WATCHING;
        if (is_free(&world.watch[w])) {
            return w;
        }
    }
    return -1;
}

static int some_loop(void)
{
    int loop = one_in(3) ? pick(world.loops) : 0;
    return world.loop[loop].ended ? 0 : loop;
}

static val some_value(int property)
{
    static const val clamps[] = {-5, 0, 50, 200};
    switch (kind_of(property)) {
    case INT:
        return property == CLAMPED ? clamps[pick(4)] : pick(3);
    case DOUBLE:
        return pick(4);
    case BOOL:
        return pick(2);
    case TEXT:
        return pick(3) - 1 + (one_in(3) ? 1 : 0);
    case ADDRESS:
        return one_in(5) ? NIL : THINGS + pick(ADDRESSES);
    case OBJECT:
        return one_in(5) ? NIL : some_of(sort_held(property));
    }
    return 0;
}

static int some_property(bool of_objects)
{
    static const int8_t objects[] = {A, A, A, B, B, B, C, W};
    static const int8_t others[] = {I, I, I, I, J,       J, J, K,
                                    K, D, S, T, CLAMPED, D, S, FLAG};
    return of_objects ? objects[pick(8)] : others[pick(16)];
}

static int some_computed(void)
{
    static const int8_t computed[] = {SUM,  SUM,  TWICE, LABEL,   DEEP, DEEP,
                                      PICK, PICK, PICK,  TENFOLD, OVER, FAR};
    return computed[pick(knows_extra ? 12 : 10)];
}

static int middle_element(void)
{
    int number = pick(32);
    if (computes && one_in(3)) {
        return knows_extra && one_in(4) ? FAR : PICK;
    }
    if (!is_off(WITHOUT_FOREIGN) && one_in(6)) {
        return F;
    }
    enum sort sort = about != OBJECTS ? some_sort(4) : some_sort(3);
    if (sort != OBJECTS) {
        return property_of(sort);
    }
    return number < 6    ? STAR
           : number == 6 ? I
           : number == 7 ? C
           : number < 11 ? W
           : number < 21 ? A
                         : B;
}

static int last_element(void)
{
    int number = pick(32);
    if (computes && one_in(2)) {
        return some_computed();
    }
    enum sort sort = one_in(3) ? some_sort(3) : OBJECTS;
    return sort != OBJECTS ? property_of(sort)
           : number < 8    ? STAR
           : number == 8   ? UNKNOWN
           : number < 14   ? some_property(true)
                           : some_property(false);
}

/* An element behind a list. Below a `*` it is seldom a number. */
static int list_element(bool is_last, bool is_below_star)
{
    int number = pick(10);
    bool is_number = number < 6 && (!is_below_star || one_in(8));
    return number < 2               ? STAR
           : number == 2 && is_last ? COUNT
           : !is_number             ? FIRST + pick(3)
           : one_in(30)             ? BEYOND
                                    : NUMBER + pick(one_in(3) ? 4 : 2);
}

static int some_key(void)
{
    return element_of(property_names[KEY + pick(one_in(3) ? KEYS : 2)]);
}

static int dictionary_element(bool is_last)
{
    int number = pick(10);
    return number < 2               ? STAR
           : number == 2 && is_last ? COUNT
           : one_in(40)             ? FIRST + pick(2)
           : one_in(40)             ? NUMBER + pick(2)
           : one_in(12)             ? some_property(one_in(2))
                                    : some_key();
}

static int set_element(bool is_last)
{
    int number = pick(10);
    return number < 2               ? STAR
           : number == 2 && is_last ? COUNT
           : one_in(40)             ? FIRST + pick(2)
           : one_in(40)             ? NUMBER + pick(2)
           : one_in(40)             ? some_property(one_in(2))
                                    : HASH + pick(one_in(10) ? 8 : 4);
}

/* An element that is no `*`. */
static int8_t plain_element(enum sort behind)
{
    return (int8_t)(behind == LISTS          ? FIRST
                    : behind == DICTIONARIES ? KEY
                    : behind == SETS         ? HASH
                                             : A);
}

/* The sort of thing on which an element of a path is mostly met. */
static enum sort sort_behind(const struct path *path, int at, enum sort of)
{
    return at > 0 ? sort_held(path->element[at - 1]) : of;
}

/* Whether most paths of a script begin with the container that it is about; where
   containers have names they are roots. */
static bool is_script_about(enum sort of)
{
    return only_script && gives_containers && about != OBJECTS && of == OBJECTS;
}

static struct path some_path(enum sort of)
{
    static const int8_t lengths[] = {1, 1, 1, 1, 1, 1, 2, 2,
                                     2, 2, 2, 2, 3, 3, 3, 4};
    struct path path = {.length = lengths[pick(16)]};
    int stars = 0;
    bool is_about = is_script_about(of) && !one_in(3);
    if (path.length == 4 && one_in(3)) {
        path.length = 5;
    }
    if (is_about && path.length == 1 && !one_in(4)) {
        path.length = 2;
    }
    for (int e = 0; e < path.length; e++) {
        bool is_last = e == path.length - 1;
        int element = is_about && e == 0 ? property_of(about)
                      : is_last          ? last_element()
                                         : middle_element();
        enum sort behind = sort_behind(&path, e, of);
        if (behind == LISTS) {
            element = list_element(is_last, stars > 0);
        } else if (behind == DICTIONARIES) {
            element = dictionary_element(is_last);
        } else if (behind == SETS) {
            element = set_element(is_last);
        }
        if (one_in(200)) {
            element = HASH + pick(4);
        }
        stars += element == STAR;
        if (element == STAR && e < path.length - 1 &&
            options_off & WITHOUT_INNER_STAR) {
            element = plain_element(behind);
        }
        path.element[e] =
            (int8_t)(stars <= 2 ? element : plain_element(behind));
    }
    return path;
}

/* Mostly one that the observation has. */
static struct path path_like(const struct watch *watch)
{
    const struct pair *pair = &watch->pair[pick(PAIRS)];
    if (watch->of_class) {
        return one_in(4) ? some_path(OBJECTS) : watch->class_path;
    }
    return pair->linked && pair->path.length > 0 ? pair->path
                                                 : some_path(OBJECTS);
}

static void some_content(struct command *command, enum sort sort);
static void some_content_like(struct command *command, int list);

/* A container as the value of a set in a script, where none has a name: nil,
   another thing's, or a new one. */
static void some_container(struct command *command, enum sort sort)
{
    int number = pick(10);
    command->value = number < 2 ? NIL : some_thing();
    command->word = number < 2 ? TOLD : number < 6 ? SHARED : CONTENT;
    int there = command->thing < 0
                    ? NIL
                    : (int)world.thing[command->thing].value[property_of(sort)];
    if (command->word == CONTENT && sort == LISTS && there >= 0 && one_in(2)) {
        some_content_like(command, there);
    } else if (command->word == CONTENT) {
        some_content(command, sort);
    }
}

static void some_place(struct command *command, bool of_objects)
{
    int at = some_thing();
    command->thing = (int8_t)at;
    command->places = 0;
    while (command->places < PLACES - 1 && at >= 0 && one_in(5)) {
        int property = some_property(true);
        val next = world.thing[at].value[property];
        if (next >= 0) {
            command->place[command->places++] = (int8_t)property;
            at = next;
        }
    }
    int property = some_property(of_objects);
    if (!of_objects && !is_off(WITHOUT_FOREIGN) && one_in(6)) {
        property = F;
    }
    enum sort sort = some_sort(6);
    if (sort != OBJECTS) {
        property = property_of(sort);
    }
    if (computes && one_in(of_objects ? 12 : 8)) {
        property = some_computed();
    }
    if (property == K && at >= 0 && !world.thing[at].is_sub) {
        property = I;
    }
    command->place[command->places++] = (int8_t)property;
    if (only_script && sort != OBJECTS) {
        some_container(command, sort);
    } else {
        command->value = some_value(property);
    }
}

/* Commands ---------------------------------------------------------------- */

static int add_nested(const struct command *command)
{
    if (to->nested_count == NESTED) {
        return -1;
    }
    to->nested[to->nested_count] = *command;
    return to->nested_count++;
}

static struct command blank(enum verb verb)
{
    return (struct command){.verb = (uint8_t)verb, .by = -1, .block = -1};
}

/* Which allocation fails at a first try. */
static uint8_t some_starve(int most)
{
    bool starves = one_in(8) && !is_off(WITHOUT_STARVE);
    return (uint8_t)(starves ? 1 + pick(most) : 0);
}

static struct command make_set(void)
{
    struct command command = blank(SET);
    some_place(&command, pick(5) < 2);
    return command;
}

static struct command make_short_set(void)
{
    struct command command = blank(SHORT_SET);
    some_place(&command, true);
    command.starve = (uint8_t)(2 + pick(14));
    return is_off(WITHOUT_STARVE) ? blank(NOTHING) : command;
}

/* A command that reads a computed property, or makes it invalid. */
static struct command make_computed(void)
{
    static const uint8_t verbs[] = {READ,       READ,           READ,
                                    READ,       INVALIDATE,     INVALIDATE,
                                    INVALIDATE, INVALIDATE_ALL, FORCE};
    struct command command = blank(computes ? verbs[pick(9)] : NOTHING);
    command.thing = (int8_t)some_thing();
    command.places = 1;
    command.place[0] = (int8_t)some_computed();
    if (only_script && command.verb == FORCE) {
        command.verb = READ; /* that has others, and cycles */
    }
    return command;
}

/* A write past the setter, and the trigger that tells of it. */
static void make_trigger(struct command *poke, struct command *trigger)
{
    do {
        *poke = blank(POKE);
        some_place(poke, one_in(3));
    } while (is_computed(poke->place[poke->places - 1]) ||
             (only_script && sort_held(poke->place[poke->places - 1])));
    *trigger = *poke;
    trigger->verb = TRIGGER;
    int at = poke->thing;
    for (int i = 0; i < poke->places - 1 && at >= 0; i++) {
        at = world.thing[at].value[poke->place[i]];
    }
    int property = poke->place[poke->places - 1];
    val old = at >= 0 ? world.thing[at].value[property] : 0;
    trigger->value = old;
    if (!holds_thing(property) && one_in(4)) {
        trigger->value = some_value(property);
    }
    trigger->names_new = one_in(3);
    trigger->now = one_in(2) ? poke->value : some_value(property);
    if (holds_thing(property) || property == F) {
        trigger->value = old;
        trigger->now = poke->value;
    }
}

static enum sort sort_of(int thing)
{
    return thing < 0 ? OBJECTS : (enum sort)world.thing[thing].sort;
}

static bool ends_at_container(const struct command *command)
{
    const struct path *path = &command->path[0];
    return command->paths > 0 && path->length > 0 &&
           sort_held(path->element[path->length - 1]) != OBJECTS;
}

static unsigned some_options(struct command *command)
{
    unsigned options = 0;
    static const int16_t extras[] = {
        ANY_ELEMENT,    NET,           VALUES,          PRIOR, RECORDS,
        COMPARE_ALWAYS, COMPARE_EQUAL, COMPARE_IDENTITY};
    options |= one_in(4) ? IMMEDIATELY : 0;
    options |= one_in(5) ? TOKEN : 0;
    options |= one_in(6) ? DEFERS : one_in(6) ? ONCE : 0;
    options |= one_in(10) ? INITIAL : 0;
    if (one_in(2)) {
        options |= (unsigned)extras[pick(8)];
        options |= one_in(3) ? (unsigned)extras[pick(8)] : 0;
    }
    if (options & PRIOR) {
        options |= IMMEDIATELY;
    }
    if (computes) {
        options &= IMMEDIATELY | TOKEN | DEFERS | ONCE | INITIAL | VALUES | NET;
    }

    if (only_script && ends_at_container(command) && one_in(3)) {
        options |= COMPARE_EQUAL;
    }

    options &= ~options_off;
    if (options & VALUES && command->paths > 0) {
        command->paths = 1;
        for (int e = 0; e < command->path[0].length; e++) {
            int8_t *element = &command->path[0].element[e];
            enum sort behind =
                sort_behind(&command->path[0], e, sort_of(command->thing));
            *element = *element != STAR    ? *element
                       : behind == OBJECTS ? I
                                           : plain_element(behind);
        }
    }
    int compares = COMPARE_ALWAYS | COMPARE_EQUAL | COMPARE_IDENTITY;
    if (((options & (unsigned)compares) &
         ((options & (unsigned)compares) - 1))) {
        options &= ~(unsigned)(COMPARE_EQUAL | COMPARE_IDENTITY);
    }
    return options;
}

/* Whether other observations may share this one's block. In Swift a shared
   block has a form of its own, which observations of classes or with values
   lack. */
static bool is_shareable(int watch)
{
    return watch >= 0 && watch % 2 == 0;
}

/* Whether a name stands below a `*`: as text it may be a key, by key path it is
   a property. */
static bool may_name_key(const struct command *command)
{
    bool found = false;
    for (int p = 0; p < command->paths; p++) {
        const struct path *path = &command->path[p];
        for (int e = 1; e < path->length; e++) {
            found = found ||
                    (path->element[e - 1] == STAR && path->element[e] != STAR);
        }
    }
    return found;
}

/* How a new observation is made; its paths are known. */
static void choose_manner(struct command *command)
{
    command->watch = (int8_t)free_watch();
    command->options = (uint16_t)some_options(command);
    command->loop = (int8_t)some_loop();
    if (!(command->options & TOKEN) && one_in(4)) {
        command->by = (int8_t)some_watch();
    }
    if (one_in(6)) {
        command->block = (int8_t)some_watch();
    }
    if (only_script && !is_shareable(command->block)) {
        command->block = -1;
    }
    if (only_script && (command->block >= 0 || is_shareable(command->watch))) {
        command->options &= (uint16_t) ~(VALUES | RECORDS);
    }
    if (only_script && one_in(2) && !may_name_key(command)) {
        command->options |= TYPED;
    }
    command->starve = command->options & INITIAL ? 0 : some_starve(16);
}

static struct command make_observe_class(void)
{
    struct command command = blank(OBSERVE_CLASS);
    command.of_sub = one_in(4);
    command.paths = 1;
    command.path[0] = some_path(OBJECTS);
    choose_manner(&command);
    if (only_script) {
        command.block = -1;
        command.verb = is_shareable(command.watch) ? NOTHING : OBSERVE_CLASS;
    }
    return command;
}

/* A root for a path: a thing, or a foreign object. */
static int some_root(void)
{
    int address = THINGS;
    if (!is_off(WITHOUT_FOREIGN) && one_in(6)) {
        address += pick(ADDRESSES);
        if (world.thing[address].alive) {
            return address;
        }
    }
    int root = only_script ? -1 : some_of(some_sort(8));
    return root >= 0 ? root : some_thing();
}

static void choose_paths(struct command *command)
{
    enum sort of = sort_of(command->thing);
    for (int p = 0; p < command->paths; p++) {
        command->path[p] = some_path(one_in(16) ? OBJECTS : of);
    }
}

static struct command make_observe_thing(void)
{
    struct command command = blank(OBSERVE);
    command.thing = (int8_t)some_root();
    command.paths = (int8_t)(one_in(20) ? 0 : one_in(3) ? 1 + pick(3) : 1);
    choose_paths(&command);
    choose_manner(&command);
    return command;
}

static struct command make_observe(void)
{
    return !(options_off & WITHOUT_CLASS) && one_in(4) ? make_observe_class()
                                                       : make_observe_thing();
}

static struct command make_also(void)
{
    struct command command = blank(ALSO);
    command.watch = (int8_t)some_watch();
    command.thing = (int8_t)some_root();
    command.paths = (int8_t)(1 + pick(2));
    choose_paths(&command);
    command.starve = some_starve(16);
    return command;
}

static struct command make_stop(void)
{
    static const uint8_t verbs[] = {
        STOP,     STOP,   STOP_BY, STOP_PATH, STOP_PATH,     STOP_BLOCK,
        STOP_ALL, CANCEL, CANCEL,  STOP_PATH, DROP_OBSERVER, STOP};
    struct command command = blank(verbs[pick(12)]);
    command.watch = (int8_t)some_watch();
    command.thing = (int8_t)some_thing();
    if (command.watch < 0) {
        return blank(NOTHING);
    }
    const struct watch *watch = &world.watch[command.watch];
    if (command.verb == CANCEL && one_in(2) && (watch->token || !only_script)) {
        command.verb = CANCEL_WAIT;
    }
    if (command.verb == STOP_PATH || (command.verb == STOP_BY && one_in(2))) {
        command.paths = 1;
        command.path[0] = path_like(watch);
    }
    if (command.verb == STOP_BY && one_in(2)) {
        const struct pair *pair = &watch->pair[pick(PAIRS)];
        command.thing = pair->linked ? pair->root : command.thing;
    }
    if (only_script && command.verb == STOP_BLOCK &&
        !is_shareable(command.watch)) {
        command.verb = STOP;
    }
    if (watch->of_class && command.verb == STOP_BY) {
        command.verb = one_in(6) ? STOP_BY : STOP_BY_CLASS;
        command.of_sub = one_in(4) ? !watch->of_sub : watch->of_sub;
    } else if (watch->of_class && command.verb == STOP_BLOCK) {
        command.verb = one_in(6) ? STOP_BLOCK : STOP_BLOCK_CLASS;
        command.of_sub = one_in(4) ? !watch->of_sub : watch->of_sub;
    }
    if (command.verb == STOP_BY || command.verb == STOP_BY_CLASS ||
        command.verb == STOP_PATH) {
        command.starve = some_starve(8);
    }
    return command;
}

static struct command make_by_watch(enum verb verb)
{
    struct command command = blank(verb);
    command.watch = (int8_t)some_watch();
    if (verb == EXECUTE && command.watch >= 0) {
        command.refused = !can_execute(&world.watch[command.watch]);
    }
    return command;
}

static struct command make_new(void)
{
    static const uint8_t verbs[] = {NEW, NEW_LIST, NEW_DICTIONARY, NEW_SET};
    enum sort sort = only_script ? OBJECTS : some_sort(4);
    bool is_sub = sort == OBJECTS && one_in(3);
    struct command command = blank(is_sub ? NEW_SUB : verbs[sort]);
    command.thing = (int8_t)pick(LIVING);
    return command;
}

static struct command make_drain(void)
{
    struct command command = blank(DRAIN);
    command.loop = (int8_t)some_loop();
    return command;
}

static struct command make_limited_drain(void)
{
    struct command command = make_drain();
    command.limit = (uint8_t)(one_in(3) && !only_script ? 1 + pick(3) : 0);
    return command;
}

static struct command make_foreign(void)
{
    static const int8_t properties[] = {I, I, S, F};
    struct command command = blank(WRITE);
    command.thing = (int8_t)(THINGS + pick(ADDRESSES));
    if (one_in(3)) {
        command.verb = world.thing[command.thing].alive ? UNREGISTER : REGISTER;
    } else {
        command.places = 1;
        command.place[0] = properties[pick(4)];
        command.value = some_value(command.place[0]);
    }
    return command;
}

/* Mostly an insertion, or one item by another. */
static struct list_edit some_splice(int count)
{
    struct list_edit edit = {.kind = SPLICE, .at = (int8_t)pick(count + 1)};
    int number = pick(12);
    edit.removed = number < 7 ? 0 : number < 11 ? 1 : (int8_t)pick(count + 1);
    edit.inserted = number < 7    ? 1
                    : number < 11 ? (int8_t)pick(2)
                                  : (int8_t)pick(ROOM);
    for (int i = 0; i < edit.inserted; i++) {
        edit.item[i] = (int8_t)some_thing();
    }
    return edit;
}

static void exchange(struct list_edit *order, int a, int b)
{
    int8_t item = order->item[a];
    order->item[a] = order->item[b];
    order->item[b] = item;
}

/* Two are swapped, or they are reversed, or shuffled. */
static struct list_edit some_order(int count)
{
    struct list_edit edit = {.kind = ORDER, .moved = (int8_t)count};
    int number = pick(3);
    if (one_in(3)) {
        edit.at = (int8_t)pick(count + 1);
        edit.moved = (int8_t)(count - edit.at);
    }
    for (int i = 0; i < edit.moved; i++) {
        edit.item[i] = (int8_t)i;
    }
    for (int i = 0; i < edit.moved / 2 && number == 0; i++) {
        exchange(&edit, i, edit.moved - 1 - i);
    }
    for (int i = edit.moved; i > 1 && number == 1; i--) {
        exchange(&edit, i - 1, pick(i));
    }
    if (number == 2 && edit.moved > 0) {
        exchange(&edit, pick(edit.moved), pick(edit.moved));
    }
    return edit;
}

static struct list_edit some_move(int count)
{
    struct list_edit edit = {.kind = MOVE, .at = (int8_t)pick(count + 1)};
    edit.moved = (int8_t)(one_in(4) ? pick(count - edit.at + 1) : 1);
    edit.to = (int8_t)pick(count + 1);
    return edit;
}

/* Edits that assign a list's content anew, mostly with the same items. */
static struct list_edit some_assignment(int list, int count)
{
    struct list_edit edit = some_order(count);
    struct list_edit order = edit;
    edit.kind = SPLICE;
    edit.removed = edit.inserted = order.moved;
    for (int i = 0; i < order.moved; i++) {
        edit.item[order.item[i]] =
            (int8_t)(one_in(6) ? some_thing()
                               : world.thing[list].value[FIRST + edit.at + i]);
    }
    return edit;
}

static void edit_list(struct command *command, int list)
{
    int count = world.thing[list].value[COUNT];
    command->edits = (int8_t)(one_in(6) ? 2 : 1);
    for (int e = 0; e < command->edits; e++) {
        int number = pick(8);
        command->edit[e] = number < 5    ? some_splice(count)
                           : number == 5 ? some_order(count)
                           : number == 6 ? some_move(count)
                                         : some_assignment(list, count);
    }
}

/* Mostly at one of the first two keys; what is put there may be nil, or equal
   to what is there. */
static struct list_edit some_put(int dictionary)
{
    int k = pick(one_in(3) ? KEYS : 2);
    val there = world.thing[dictionary].value[KEY + k];
    struct list_edit edit = {
        .kind = PUT, .at = (int8_t)k, .inserted = 1, .item = {NIL}};
    bool is_equal = there >= 0 && one_in(3);
    if (is_equal) {
        edit.item[0] = (int8_t)(one_in(3) ? there : there ^ 1);
    } else if (!one_in(12)) {
        edit.item[0] = (int8_t)some_thing();
    }
    return edit;
}

static struct list_edit delete_key(int k)
{
    return (struct list_edit){.kind = DELETE, .at = (int8_t)k};
}

/* Deletes the keys that are there, except those whose bits are in `but`. */
static void delete_keys(struct command *command, int dictionary, unsigned but)
{
    for (int k = 0; k < KEYS; k++) {
        if (world.thing[dictionary].value[KEY + k] != UNREACHABLE &&
            !(but >> k & 1)) {
            command->edit[command->edits++] = delete_key(k);
        }
    }
}

/* Several keys; all others go if it is assigned. */
static void put_several(struct command *command, int dictionary)
{
    unsigned keys = 0;
    bool assigns = one_in(2);
    int puts = pick(5);
    for (int i = 0; i < puts; i++) {
        struct list_edit edit =
            one_in(5) ? delete_key(pick(KEYS)) : some_put(dictionary);
        keys |= 1U << edit.at;
        command->edit[command->edits++] = edit;
    }
    if (assigns) {
        delete_keys(command, dictionary, keys);
    }
}

static void edit_dictionary(struct command *command, int dictionary)
{
    int number = pick(10);
    if (number < 7) {
        int k = pick(one_in(3) ? KEYS : 2);
        command->edits = 1;
        command->edit[0] = number < 5 ? some_put(dictionary) : delete_key(k);
    } else if (number < 8) {
        delete_keys(command, dictionary, 0);
    } else {
        put_several(command, dictionary);
    }
}

static void add_member(struct command *command, enum edit_kind kind, int thing)
{
    struct list_edit edit = {
        .kind = (int8_t)kind, .inserted = 1, .item = {(int8_t)thing}};
    if (command->edits < EDITS) {
        command->edit[command->edits++] = edit;
    }
}

/* A member, if there is any. */
static int some_member(int set)
{
    int count = world.thing[set].value[COUNT];
    return count > 0 ? world.thing[set].value[FIRST + pick(count)]
                     : some_thing();
}

/* Half of the time one with the hash of a member. */
static int some_newcomer(int set)
{
    int member = some_member(set);
    int other = member < 0 ? -1 : member / 3 * 3 + pick(3);
    bool is_there = other >= 0 && world.thing[other].alive &&
                    !world.thing[other].dying && !is_container(other);
    return is_there && one_in(2) ? other : some_thing();
}

/* Takes all members out, except those whose bits are in `but`. */
static void discard_members(struct command *command, int set, uint64_t but)
{
    uint64_t members = members_of(set, STAR) & ~but;
    for (int t = 0; t < LIVING; t++) {
        if (members >> t & 1) {
            add_member(command, LEAVE, t);
        }
    }
}

/* Lets some members enter and some leave, perhaps in turn; in an assignment all
   others leave. */
static void move_several(struct command *command, int set)
{
    uint64_t named = 0;
    bool assigns = one_in(2);
    int moves = pick(5);
    for (int i = 0; i < moves; i++) {
        int thing = one_in(2) ? some_member(set) : some_newcomer(set);
        bool leaves = !assigns && one_in(2);
        if (thing >= 0) {
            named |= UINT64_C(1) << thing;
            add_member(command, leaves ? LEAVE : ENTER, thing);
        }
        if (thing >= 0 && leaves && one_in(4)) {
            add_member(command, ENTER, thing);
        }
    }
    if (assigns) {
        struct command entering = *command;
        command->edits = 0;
        discard_members(command, set, named);
        for (int e = 0; e < entering.edits; e++) {
            add_member(command, ENTER, entering.edit[e].item[0]);
        }
    }
}

static void edit_set(struct command *command, int set)
{
    int number = pick(12);
    if (number < 5) {
        add_member(command, ENTER, some_newcomer(set));
    } else if (number < 8) {
        add_member(command, LEAVE, some_member(set));
    } else if (number < 9) {
        discard_members(command, set, 0);
    } else {
        move_several(command, set);
    }
}

/* Of a container of some sort, if there is any. */
static struct command make_edit(enum sort sort)
{
    struct command command = blank(EDIT);
    int container = some_of(sort);
    command.thing = (int8_t)container;
    if (container >= 0 && sort == DICTIONARIES) {
        edit_dictionary(&command, container);
    } else if (container >= 0 && sort == SETS) {
        edit_set(&command, container);
    } else if (container >= 0) {
        edit_list(&command, container);
    }
    return command.edits == 0 ? blank(NOTHING) : command;
}

/* Edits by words, in scripts. */

/* A thing that lives, each as likely as the others, so that content varies. */
static int some_item(void)
{
    int things = 0, found = -1;
    for (int t = 0; t < LIVING; t++) {
        things += world.thing[t].alive && !world.thing[t].dying;
    }
    int number = things > 0 ? pick(things) : -1;
    for (int t = 0; t < LIVING && number >= 0; t++) {
        if (world.thing[t].alive && !world.thing[t].dying && number-- == 0) {
            found = t;
        }
    }
    return found;
}

static void some_items(struct command *command, int most)
{
    struct list_edit *edit = &command->edit[0];
    edit->inserted = (int8_t)(one_in(6) ? 0 : 1 + pick(most));
    for (int i = 0; i < edit->inserted && i < ROOM; i++) {
        edit->item[i] = (int8_t)some_item();
    }
}

static bool has_pair(const struct command *command, int key)
{
    bool found = false;
    for (int e = 0; e < command->edits; e++) {
        found = found || command->edit[e].at == key;
    }
    return found;
}

static void some_pair(struct command *command)
{
    struct list_edit edit = {.kind = PUT,
                             .at = (int8_t)pick(one_in(3) ? KEYS : 2),
                             .inserted = 1,
                             .item = {(int8_t)some_item()}};
    if (!has_pair(command, edit.at)) {
        command->edit[command->edits++] = edit;
    }
}

static void some_content(struct command *command, enum sort sort)
{
    int pairs = sort == DICTIONARIES ? pick(4) : 0;
    if (sort != DICTIONARIES) {
        some_items(command, one_in(3) ? 2 : ROOM - 1);
    }
    while (pairs-- > 0) {
        some_pair(command);
    }
}

/* Its own items, mostly in another order, and some others. */
static void some_content_like(struct command *command, int list)
{
    struct list_edit edit =
        some_assignment(list, world.thing[list].value[COUNT]);
    command->edit[0] = (struct list_edit){.inserted = edit.inserted};
    memcpy(command->edit[0].item, edit.item, sizeof edit.item);
}

static void say_edit_of_list(struct command *command, int list)
{
    static const uint8_t words[] = {
        APPEND,    APPEND,  INSERT,    INSERT,    REMOVE,  REMOVE,
        REPLACE,   REPLACE, MOVE_ITEM, MOVE_ITEM, SWAP,    MOVE_ITEM,
        MOVE_ITEM, SWAP,    SWAP,      SORT,      REVERSE, CLEAR,
        ASSIGN,    ASSIGN,  REVERSE,   SWAP,      SORT,    REPLACE_RANGE};
    struct list_edit *edit = &command->edit[0];
    int count = world.thing[list].value[COUNT];
    command->word = words[pick(sizeof words)];
    bool may_be_end = command->word == INSERT || command->word == REPLACE_RANGE;
    int last = count > 0 ? count - 1 : 0;
    if (count < 3 && one_in(2)) {
        command->word = INSERT;
        may_be_end = true;
    }
    edit->at = (int8_t)pick(may_be_end ? count + 1 : last + 1);
    edit->to = (int8_t)pick(last + 1);
    if (command->word == APPEND || command->word == INSERT ||
        command->word == REPLACE) {
        edit->inserted = 1;
        edit->item[0] = (int8_t)some_item();
    } else if (command->word == REPLACE_RANGE) {
        edit->removed = (int8_t)pick(count - edit->at + 1);
        some_items(command, 3);
    } else if (command->word == ASSIGN && one_in(3)) {
        some_content(command, LISTS);
    } else if (command->word == ASSIGN) {
        some_content_like(command, list);
    }
}

static void say_edit_of_dictionary(struct command *command)
{
    static const uint8_t words[] = {PUT_KEY,    PUT_KEY,    PUT_KEY,
                                    PUT_KEY,    DELETE_KEY, DELETE_KEY,
                                    DELETE_KEY, CLEAR,      ASSIGN};
    command->word = words[pick(sizeof words)];
    if (command->word == PUT_KEY) {
        some_pair(command);
    } else if (command->word == DELETE_KEY) {
        command->edits = 1;
        command->edit[0] = delete_key(pick(one_in(3) ? KEYS : 2));
    } else if (command->word == ASSIGN) {
        some_content(command, DICTIONARIES);
    }
}

/* Half of them members. */
static void some_members(struct command *command, int set)
{
    struct list_edit *edit = &command->edit[0];
    some_items(command, ROOM - 1);
    for (int i = 0; i < edit->inserted; i++) {
        edit->item[i] = (int8_t)(one_in(2) ? some_member(set) : edit->item[i]);
    }
}

static void say_edit_of_set(struct command *command, int set)
{
    static const uint8_t words[] = {
        ADD,   ADD,   ADD,      ADD,       DISCARD, DISCARD,   DISCARD,
        CLEAR, UNION, SUBTRACT, INTERSECT, ASSIGN,  SYMMETRIC, SYMMETRIC};
    struct list_edit *edit = &command->edit[0];
    command->word = words[pick(sizeof words)];
    if (command->word == ADD || command->word == DISCARD) {
        edit->inserted = 1;
        edit->item[0] =
            (int8_t)(command->word == DISCARD || one_in(5) ? some_member(set)
                                                           : some_item());
    } else if (command->word != CLEAR) {
        some_members(command, set);
    }
}

static bool is_watched(int container)
{
    bool is = false;
    for (int p = 0; p < UNKNOWN && container >= 0; p++) {
        is = is || is_observed(container, p);
    }
    return is;
}

/* A thing whose container is observed, if some tries find one. */
static int some_owner(int property)
{
    int thing = some_thing();
    for (int tries = 0; tries < 6 && thing >= 0; tries++) {
        if (is_watched(world.thing[thing].value[property])) {
            return thing;
        }
        thing = some_thing();
    }
    return thing;
}

static struct command make_edit_by_word(enum sort sort)
{
    struct command command = blank(EDIT);
    int property = property_of(sort), thing = some_owner(property);
    command.thing = (int8_t)thing;
    command.places = 1;
    command.place[0] = (int8_t)property;
    val container = thing < 0 ? NIL : world.thing[thing].value[property];
    if (container < 0) {
        return blank(NOTHING);
    }
    if (sort == DICTIONARIES) {
        say_edit_of_dictionary(&command);
    } else if (sort == SETS) {
        say_edit_of_set(&command, container);
    } else {
        say_edit_of_list(&command, container);
    }
    return command;
}

/* Sets a number, so that sorting a list has an effect. */
static struct command make_number(void)
{
    struct command command = blank(SET);
    command.thing = (int8_t)(1 + pick(FIRST_THINGS - 1));
    command.places = 1;
    command.place[0] = I;
    command.value = 1 + pick(3);
    return command;
}

/* Gives a thing content at the beginning, so that most paths lead somewhere. */
static struct command make_content(void)
{
    if (one_in(3)) {
        return make_number();
    }
    enum sort sort = about != OBJECTS && !one_in(4)
                         ? about
                         : (enum sort)(1 + pick(SORTS - 1));
    struct command command = blank(EDIT);
    command.thing = (int8_t)pick(FIRST_THINGS);
    command.places = 1;
    command.place[0] = property_of(sort);
    command.word = ASSIGN;
    some_content(&command, sort);
    return command;
}

static struct command make_set_or_edit(void)
{
    if (computes && one_in(6)) {
        return make_computed();
    }
    enum sort sort = some_sort(is_script_about(OBJECTS) && one_in(2) ? 1 : 4);
    return sort == OBJECTS ? make_set()
           : only_script   ? make_edit_by_word(sort)
                           : make_edit(sort);
}

/* A command that runs inside a block, a deinit or another thread. */
static struct command make_inner(void)
{
    struct command command;
    int number = pick(64);
    if (number < 6 && !is_off(WITHOUT_FOREIGN)) {
        return make_foreign();
    }
    if (number < 34) {
        return make_set_or_edit();
    }
    if (number < 39) {
        return make_drain();
    }
    if (number < 43) {
        return make_by_watch(SCHEDULE);
    }
    if (number < 46) {
        command = make_by_watch(EXECUTE);
        command.refused = one_in(2);
        return command;
    }
    if (number < 52) {
        command = make_stop();
        command.refused = command.verb == CANCEL_WAIT;
        return command;
    }
    if (number < 54) {
        return make_by_watch(OFF);
    }
    if (number < 57) {
        command = blank(DROP);
        command.thing = (int8_t)some_thing();
        return command;
    }
    if (number < 58) {
        return make_also();
    }
    if (number < 59) {
        return make_by_watch(IMMEDIATE);
    }
    if (number < 60) {
        return make_observe();
    }
    if (number < 61) {
        return make_new();
    }
    if (number < 62) {
        command = blank(END_LOOP);
        command.loop = (int8_t)some_loop();
        return command;
    }
    struct command nested = make_set();
    command = blank(THREAD);
    command.nested = (int16_t)add_nested(&nested);
    return command.nested < 0 ? nested : command;
}

static bool add_step(const struct command *command)
{
    if (to->count == STEPS) {
        return false;
    }
    to->step[to->count++] = *command;
    return true;
}

/* `on O COMMAND` and its like. */
static bool add_waiting(struct command command, const struct command *inner)
{
    command.nested = (int16_t)add_nested(inner);
    struct command copy = *inner;
    copy.starve = 0;
    if (command.nested >= 0) {
        to->nested[command.nested] = copy;
    }
    return command.nested >= 0 && add_step(&command);
}

static bool add_on(void)
{
    struct command command = blank(ON), inner, second;
    int number = pick(16);
    command.watch = (int8_t)some_watch();
    command.thing = (int8_t)some_thing();
    if (number == 0) {
        command.verb = ON_DEINIT;
    } else if (number == 1) {
        command.verb = ON_DROP;
    }
    if (one_in(10)) {
        inner = blank(BATCH);
        second = blank(END);
        struct command set = make_set(), more = make_set();
        return add_waiting(command, &inner) && add_waiting(command, &set) &&
               add_waiting(command, &more) && add_waiting(command, &second);
    }
    if (one_in(14)) {
        make_trigger(&inner, &second);
        return add_waiting(command, &inner) && add_waiting(command, &second);
    }
    inner = make_inner();
    return add_waiting(command, &inner);
}

static bool add_trigger(void)
{
    struct command poke, trigger;
    make_trigger(&poke, &trigger);
    return (one_in(4) || add_step(&poke)) && add_step(&trigger);
}

static bool add_some(void)
{
    struct command command = blank(NOTHING);
    int number = pick(128);
    if (number < 10 && !is_off(WITHOUT_FOREIGN)) {
        command = make_foreign();
    } else if (number < 44) {
        command = make_set_or_edit();
    } else if (number < 58) {
        command = make_limited_drain();
    } else if (number < 76) {
        command = make_observe();
    } else if (number < 82) {
        command = make_also();
    } else if (number < 90) {
        return add_on();
    } else if (number < 92) {
        command = make_by_watch(OFF);
    } else if (number < 98) {
        command = make_stop();
    } else if (number < 101) {
        command = make_new();
    } else if (number < 104) {
        command = blank(DROP);
        command.thing =
            (int8_t)(only_script ? some_thing() : some_of(some_sort(4)));
    } else if (number < 107) {
        command = make_by_watch(SCHEDULE);
    } else if (number < 109) {
        command = make_by_watch(EXECUTE);
    } else if (number < 110) {
        command = make_by_watch(IMMEDIATE);
    } else if (number < 113) {
        return add_trigger();
    } else if (number < 118) {
        command = blank(BATCH);
    } else if (number < 124) {
        command = blank(END);
    } else if (number < 125) {
        command = blank(LOOP);
        command.loop = world.loops;
        command.verb = world.loops < LOOPS ? LOOP : NOTHING;
    } else if (number < 126) {
        command = blank(END_LOOP);
        command.loop = (int8_t)some_loop();
        command.verb = one_in(3) ? END_LOOP : NOTHING;
    } else if (one_in(2)) {
        command = make_short_set();
    } else if (one_in(6)) {
        struct command nested = make_set();
        command = blank(THREAD);
        command.nested = (int16_t)add_nested(&nested);
        command.verb = command.nested >= 0 ? THREAD : NOTHING;
    }
    return command.verb == NOTHING || add_step(&command);
}

bool generate_step(struct source *source, struct program *program)
{
    from = source;
    to = program;
    if (program->count < FIRST_THINGS) {
        struct command command = make_new();
        command.thing = (int8_t)program->count;
        return add_step(&command);
    }
    if (gives_containers && program->count < FIRST_THINGS + FIRST_CONTENTS) {
        struct command command = make_content();
        return add_step(&command);
    }
    if (rejected && rejected_in >= 0 && one_in(2)) {
        struct command command = blank(OFF);
        command.watch = (int8_t)rejected_in;
        rejected = NULL;
        return add_step(&command);
    }
    return add_some();
}

/* Runs new steps by the model: steps that belong together are all accepted, or
   none is. */
static void run_new_steps(struct program *program, int first)
{
    static struct world before;
    bool several = program->count > first + 1;
    if (several) {
        copy_world(&before, &world);
    }
    for (int s = first; s < program->count; s++) {
        if (!model_step(program, &program->step[s])) {
            program->count = first;
            if (several) {
                copy_world(&world, &before);
            }
        }
    }
}

void generate_program(struct source *source, struct program *program, int steps)
{
    program->count = program->nested_count = 0;
    model_begin();
    rejected = NULL;
    strict = true;
    from = source;
    about = (enum sort)pick(SORTS);
    computes = !(options_off & WITHOUT_COMPUTED) && one_in(3);
    program->computes = knows_computed = computes;
    int whole = 0; /* so many commands leave no batch open */
    for (int tries = 0; program->count < steps && tries < 4 * steps; tries++) {
        int count = program->count, nested = program->nested_count;
        if (!generate_step(source, program) || source->dry) {
            program->count = count;
            program->nested_count = nested;
            break;
        }
        run_new_steps(program, count);
        if (program->count == count) {
            program->nested_count = nested;
        }
        whole = world.thread[0].batches == 0 ? program->count : whole;
    }
    while (world.thread[0].batches > 0 && program->count < STEPS) {
        struct command command = blank(END);
        program->step[program->count++] = command;
        if (!model_step(program, &command)) {
            program->count = whole;
            return;
        }
    }
    if (world.thread[0].batches > 0) {
        program->count = whole;
    }
}
