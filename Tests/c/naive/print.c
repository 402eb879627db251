/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include "model.h"

#include <string.h>

/* Commands ---------------------------------------------------------------- */

struct text {
    char *at;
    int left;
};

static void put(struct text *text, const char *word)
{
    int length = snprintf(text->at, (size_t)text->left, "%s", word);
    length = length < text->left ? length : text->left - 1;
    text->at += length;
    text->left -= length;
}

static void put_word(struct text *text, const char *word)
{
    put(text, " ");
    put(text, word);
}

static void put_place(struct text *text, const struct command *command,
                      const char *separator)
{
    put_word(text, thing_name(command->thing));
    put(text, separator);
    for (int i = 0; i < command->places; i++) {
        put(text, i ? "." : "");
        put(text, property_names[command->place[i]]);
    }
}

static void put_paths(struct text *text, const struct command *command)
{
    char path[TEXT_OF_PATH];
    for (int p = 0; p < command->paths; p++) {
        put_word(text, path_text(&command->path[p], path));
    }
}

static const char *class_name(const struct command *command)
{
    return command->of_sub ? "Sub" : "Thing";
}

static void put_options(struct text *text, const struct command *command)
{
    static const struct {
        int option;
        const char *word;
    } options[] = {{IMMEDIATELY, "immediate"},
                   {DEFERS, "defer"},
                   {ONCE, "once"},
                   {INITIAL, "initial"},
                   {ANY_ELEMENT, "any-element"},
                   {NET, "net"},
                   {VALUES, "values"},
                   {PRIOR, "prior"},
                   {RECORDS, "records"},
                   {TOKEN, "token"},
                   {COMPARE_ALWAYS, "compare always"},
                   {COMPARE_EQUAL, "compare equal"},
                   {COMPARE_IDENTITY, "compare identity"}};
    /* By the word. */
    int said = command->verb == OBSERVE ? TOKEN | TYPED : TYPED;
    if ((command->options & ~said) == 0 && command->by < 0 &&
        command->block < 0 && command->loop == 0) {
        return;
    }
    put(text, " :");
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        if (command->options & ~said & options[o].option) {
            put_word(text, options[o].word);
        }
    }
    if (command->by >= 0) {
        put(text, " by");
        put_word(text, watch_name(command->by));
    }
    if (command->block >= 0) {
        put(text, " block");
        put_word(text, watch_name(command->block));
    }
    if (command->loop > 0) {
        put(text, " loop");
        put_word(text, loop_name(command->loop));
    }
}

static void put_nested(struct text *text, const struct program *program,
                       const struct command *command)
{
    char nested[300];
    command_text(program, &program->nested[command->nested], nested,
                 sizeof nested);
    put_word(text, nested);
}

static void put_items(struct text *text, const struct list_edit *edit)
{
    put(text, " [");
    for (int i = 0; i < edit->inserted; i++) {
        put(text, i ? " " : "");
        put(text, thing_name(edit->item[i]));
    }
    put(text, "]");
}

static void put_pairs(struct text *text, const struct command *command)
{
    char pair[60];
    put(text, " {");
    for (int e = 0; e < command->edits; e++) {
        const struct list_edit *edit = &command->edit[e];
        snprintf(pair, sizeof pair, "%s\"%s\":%s", e ? " " : "",
                 key_text(KEY + edit->at), thing_name(edit->item[0]));
        put(text, pair);
    }
    put(text, "}");
}

/* What a container is to have. */
static void put_content(struct text *text, const struct command *command)
{
    int property = command->place[command->places - 1];
    if (sort_held(property) == DICTIONARIES) {
        put_pairs(text, command);
    } else {
        put_items(text, &command->edit[0]);
    }
}

static void put_value(struct text *text, const struct command *command)
{
    char value[TEXT_OF_PATH];
    int property = command->place[command->places - 1];
    if (command->word == CONTENT) {
        put_content(text, command);
        return;
    }
    if (command->word == SHARED) {
        put_word(text, thing_name(command->value));
        put(text, ".");
        put(text, property_names[property]);
        return;
    }
    put_word(text, value_text(property, command->value, value));
    if (command->verb == TRIGGER && command->names_new) {
        put_word(text, value_text(property, command->now, value));
    }
}

static void put_number(struct text *text, int number)
{
    char digits[20];
    snprintf(digits, sizeof digits, "%d", number);
    put_word(text, digits);
}

static void put_in_brackets(struct text *text, const struct list_edit *edit)
{
    int count = edit->kind == ORDER ? edit->moved : edit->inserted;
    put(text, " [");
    for (int i = 0; i < count; i++) {
        char item[20];
        snprintf(item, sizeof item, "%d", edit->item[i]);
        put(text, i ? " " : "");
        put(text, edit->kind == ORDER ? item : thing_name(edit->item[i]));
    }
    put(text, "]");
}

static void put_edit_of_list(struct text *text, const struct list_edit *edit)
{
    put_number(text, edit->at);
    if (edit->kind == SPLICE) {
        put_number(text, edit->at + edit->removed);
    } else if (edit->kind == MOVE) {
        put_number(text, edit->to);
    }
    if (edit->kind != MOVE) {
        put_in_brackets(text, edit);
    } else if (edit->moved != 1) {
        put_number(text, edit->moved);
    }
}

/* Each as one command; those after the first are told with it. A script has no
   word for an order, nor for a move of several. */
static void put_edits(struct text *text, const struct command *command)
{
    static const char *const words[] = {
        [SPLICE] = "replacerange", [MOVE] = "move",
        [ORDER] = "order",         [PUT] = "put",
        [DELETE] = "delete",       [ENTER] = "add",
        [LEAVE] = "discard"};
    for (int e = 0; e < command->edits; e++) {
        const struct list_edit *edit = &command->edit[e];
        put(text, e ? " + " : "");
        put(text, words[edit->kind]);
        put_word(text, thing_name(command->thing));
        if (edit->kind <= ORDER) {
            put_edit_of_list(text, edit);
        } else if (edit->kind <= DELETE) {
            put_word(text, key_text(KEY + edit->at));
        }
        if (edit->kind > ORDER && edit->inserted > 0) {
            put_word(text, thing_name(edit->item[0]));
        }
    }
}

static void put_key(struct text *text, int key)
{
    put(text, " \"");
    put(text, key_text(KEY + key));
    put(text, "\"");
}

/* As a script has it. */
static void put_edit_by_word(struct text *text, const struct command *command)
{
    const struct list_edit *edit = &command->edit[0];
    put(text, edit_name((enum word)command->word));
    put_place(text, command, ".");
    switch ((enum word)command->word) {
    case APPEND:
    case ADD:
    case DISCARD:
        put_word(text, thing_name(edit->item[0]));
        break;
    case INSERT:
    case REPLACE:
        put_number(text, edit->at);
        put_word(text, thing_name(edit->item[0]));
        break;
    case REMOVE:
        put_number(text, edit->at);
        break;
    case MOVE_ITEM:
    case SWAP:
        put_number(text, edit->at);
        put_number(text, edit->to);
        break;
    case SORT:
        put(text, " by i");
        break;
    case REPLACE_RANGE:
        put_number(text, edit->at);
        put_number(text, edit->at + edit->removed);
        put_items(text, edit);
        break;
    case PUT_KEY:
        put_key(text, edit->at);
        put_word(text, thing_name(edit->item[0]));
        break;
    case DELETE_KEY:
        put_key(text, edit->at);
        break;
    case ASSIGN:
    case UNION:
    case INTERSECT:
    case SUBTRACT:
    case SYMMETRIC:
        put_content(text, command);
        break;
    default:
        break;
    }
}

/* The command itself. */
static const char *observe_word(const struct command *command)
{
    return command->options & TOKEN   ? "token"
           : command->options & TYPED ? "typed"
                                      : "observe";
}

void command_text(const struct program *program, const struct command *command,
                  char *to, int size)
{
    static const char *const words[] = {
        [NEW] = "new",
        [NEW_SUB] = "new",
        [NEW_LIST] = "new",
        [NEW_DICTIONARY] = "new",
        [NEW_SET] = "new",
        [DROP] = "drop",
        [ON_DEINIT] = "ondeinit",
        [REGISTER] = "register",
        [UNREGISTER] = "unregister",
        [WRITE] = "write",
        [EDIT] = "",
        [LOOP] = "loop",
        [END_LOOP] = "endloop",
        [SET] = "set",
        [POKE] = "poke",
        [SHORT_SET] = "set",
        [READ] = "read",
        [INVALIDATE] = "invalidate",
        [INVALIDATE_ALL] = "invalidateall",
        [FORCE] = "force",
        [TRIGGER] = "trigger",
        [OBSERVE] = "observe",
        [OBSERVE_CLASS] = "class",
        [ALSO] = "also",
        [ON] = "on",
        [OFF] = "off",
        [STOP] = "stop",
        [STOP_BY] = "stop",
        [STOP_PATH] = "stop",
        [STOP_BLOCK] = "stopblock",
        [STOP_BY_CLASS] = "stop",
        [STOP_BLOCK_CLASS] = "stopblock",
        [STOP_ALL] = "stopall",
        [CANCEL] = "cancel",
        [CANCEL_WAIT] = "cancelwait",
        [DROP_OBSERVER] = "dropobserver",
        [ON_DROP] = "ondrop",
        [IMMEDIATE] = "immediate",
        [SCHEDULE] = "schedule",
        [EXECUTE] = "execute",
        [DRAIN] = "drain",
        [BATCH] = "batch",
        [END] = "end",
        [THREAD] = "thread",
        [EXPECT] = "",
        [NOTHING] = "",
    };
    struct text text = {to, size};
    const char *watch = watch_name(command->watch < 0 ? 0 : command->watch);
    put(&text,
        command->refused && command->verb == EXECUTE ? "fails refused " : "");
    put(&text, command->verb == OBSERVE ? observe_word(command)
                                        : words[command->verb]);
    switch ((enum verb)command->verb) {
    case REGISTER:
    case UNREGISTER:
    case NEW:
    case NEW_SUB:
    case NEW_LIST:
    case NEW_DICTIONARY:
    case NEW_SET:
    case DROP:
    case INVALIDATE_ALL:
    case FORCE:
        put_word(&text, thing_name(command->thing));
        put(&text, command->verb == NEW_SUB          ? ": Sub"
                   : command->verb == NEW_LIST       ? ": List"
                   : command->verb == NEW_DICTIONARY ? ": Dictionary"
                   : command->verb == NEW_SET        ? ": Set"
                                                     : "");
        break;
    case ON_DEINIT:
        put_word(&text, thing_name(command->thing));
        put_nested(&text, program, command);
        break;
    case LOOP:
    case END_LOOP:
        put_word(&text, loop_name(command->loop));
        break;
    case DRAIN:
        if (command->loop > 0) {
            put_word(&text, loop_name(command->loop));
        }
        if (command->limit) {
            char comment[40];
            snprintf(comment, sizeof comment, "   # at most %d",
                     command->limit - 1);
            put(&text, comment);
        }
        break;
    case CANCEL_WAIT:
        put_word(&text, watch);
        put_word(&text, command->refused ? "false" : "true");
        break;
    case SET:
    case WRITE:
    case SHORT_SET:
    case POKE:
        put_place(&text, command, ".");
        put_value(&text, command);
        break;
    case READ:
    case INVALIDATE:
        put_place(&text, command, ".");
        break;
    case EDIT:
        if (command->word == TOLD) {
            put_edits(&text, command);
        } else {
            put_edit_by_word(&text, command);
        }
        break;
    case TRIGGER:
        put_place(&text, command, " ");
        put_value(&text, command);
        break;
    case OBSERVE:
    case ALSO:
        put_word(&text, watch);
        put_word(&text, thing_name(command->thing));
        put_paths(&text, command);
        if (command->verb == OBSERVE) {
            put_options(&text, command);
        }
        break;
    case OBSERVE_CLASS:
        put_word(&text, watch);
        put_word(&text, class_name(command));
        put_paths(&text, command);
        put_options(&text, command);
        break;
    case ON:
    case ON_DROP:
        put_word(&text, watch);
        put_nested(&text, program, command);
        break;
    case STOP_BY:
        put_word(&text, watch);
        put(&text, " by");
        put_word(&text, thing_name(command->thing));
        put_paths(&text, command);
        break;
    case STOP_BY_CLASS:
        put_word(&text, watch);
        put(&text, " by");
        put_word(&text, class_name(command));
        put_paths(&text, command);
        break;
    case STOP_BLOCK_CLASS:
        put_word(&text, watch);
        put_word(&text, class_name(command));
        break;
    case STOP_PATH:
        put_word(&text, watch);
        put(&text, " path");
        put_paths(&text, command);
        break;
    case STOP_BLOCK:
        put_word(&text, watch);
        put_word(&text, thing_name(command->thing));
        break;
    case OFF:
    case STOP:
    case STOP_ALL:
    case CANCEL:
    case DROP_OBSERVER:
    case IMMEDIATE:
    case SCHEDULE:
    case EXECUTE:
        put_word(&text, watch);
        break;
    case THREAD:
        put_nested(&text, program, command);
        break;
    case NOTHING:
    case BATCH:
    case END:
    case EXPECT:
        break;
    }
    if (command->starve) {
        char comment[60];
        snprintf(comment, sizeof comment, "   # allocation %d fails first",
                 command->starve);
        put(&text, comment);
    }
}

/* Expectations ------------------------------------------------------------ */

/* The state that the script has described last: only changes are written. */
static struct {
    bool alive[THINGS];
    uint64_t observed[THINGS];
    uint32_t calls[WATCHES], serial[WATCHES];
    uint32_t told[OBSERVERS];
    bool released[WATCHES];
    /** Some command of the program names its block, which the script keeps. */
    bool shared[WATCHES];
    int pending;
    uint32_t dropped, reports;
    bool loops_ended;
    /** Those before the command. */
    uint32_t changes;
} said;

/* A key may have the name of a property. */
static bool is_first_of_name(int property)
{
    return element_of(element_name(property)) == property;
}

static uint64_t observed_of(int thing)
{
    uint64_t set = 0;
    for (int p = 0; p <= UNKNOWN && world.thing[thing].alive; p++) {
        bool is = is_first_of_name(p) && is_observed(thing, p);
        set |= (uint64_t)is << p;
    }
    return set;
}

/* Whether a script can name a property: it cannot, by the hash of a dead
   thing. */
static bool can_be_said(int property)
{
    bool is_gone = false;
    for (int t = 0; t < CONTAINERS && is_hash(property); t++) {
        is_gone = is_gone || (gives_containers && hash_of[t] == property &&
                              !world.thing[t].alive);
    }
    return !is_gone;
}

static bool can_all_be_said(uint64_t set)
{
    bool can = true;
    for (int p = 0; p <= UNKNOWN; p++) {
        can = can && (!(set >> p & 1) || can_be_said(p));
    }
    return can;
}

/* `name`: what the script calls it. */
static void expect_observed(FILE *file, int thing, const char *name)
{
    uint64_t set = observed_of(thing);
    if (!world.thing[thing].alive || set == said.observed[thing] ||
        !can_all_be_said(set)) {
        return;
    }
    said.observed[thing] = set;
    const char *space = "";
    fprintf(file, "observed %s [", name);
    for (int p = 0; p <= UNKNOWN; p++) {
        if (set >> p & 1) {
            fprintf(file, "%s%s", space, element_name(p));
            space = " ";
        }
    }
    fputs("]\n", file);
}

/* The name of a container in a script: the place where it stands. */
static const char *place_text(int thing, int property)
{
    static char place[40];
    snprintf(place, sizeof place, "%s.%s", thing_name(thing),
             property_names[property]);
    return place;
}

/* The container of a thing at a property; -1: none. */
static int container_of(int thing, int property)
{
    const struct thing *self = &world.thing[thing];
    bool has = self->alive && !is_container(thing) &&
               sort_held(property) != OBJECTS && thing < CONTAINERS;
    return has ? self->value[property] : -1;
}

static void expect_thing(FILE *file, int thing)
{
    bool alive = world.thing[thing].alive;
    if (said.alive[thing] && !alive) {
        if (thing < CONTAINERS) {
            fprintf(file, "dead %s\n", thing_name(thing));
        }
        said.observed[thing] = 0;
    }
    said.alive[thing] = alive;
    if (thing < CONTAINERS) {
        expect_observed(file, thing, thing_name(thing));
    }
    for (int p = L; p <= SET_OF_THINGS; p++) {
        int container = container_of(thing, p);
        if (container >= 0) {
            expect_observed(file, container, place_text(thing, p));
        }
    }
}

enum { TEXT_OF_VALUE = 200 };

static void put_member(struct text *text, const struct thing *container, int p)
{
    char pair[60];
    val item = container->value[p];
    if (item == UNREACHABLE) {
        return;
    }
    put(text, text->at[-1] == '[' || text->at[-1] == '{' ? "" : " ");
    if (is_key(p)) {
        snprintf(pair, sizeof pair, "\"%s\":", key_text(p));
        put(text, pair);
    }
    put(text, thing_name(item));
}

/* The content of a container, as a script writes it. */
static const char *content_text(int container, char *to)
{
    struct text text = {to, TEXT_OF_VALUE};
    bool has_keys = is_dictionary(container);
    put(&text, has_keys ? "{" : "[");
    for (int p = FIRST; p <= LAST_KEY; p++) {
        if (has_keys ? is_key(p) : is_position(p)) {
            put_member(&text, &world.thing[container], p);
        }
    }
    put(&text, has_keys ? "}" : "]");
    return to;
}

/* The text of a value that was handed over or seen in this step; NULL: a script
   cannot say it. A container's is its content then, if that has not changed. */
static const char *said_value(int property, val value, char *to)
{
    bool is_other =
        value == ANY || value < 0 || property >= ITEM || !holds_thing(property);
    if (value == ANY) {
        return NULL;
    }
    if (is_other || value < CONTAINERS) {
        return value_text(property, value, to);
    }
    const struct thing *container = &world.thing[value];
    bool is_same = container->alive && container->edited <= said.changes;
    return is_same ? content_text((int)value, to) : NULL;
}

static void expect_one(FILE *file, const char *what, const char *name,
                       int property, val value)
{
    char text[TEXT_OF_VALUE];
    const char *said_one = said_value(property, value, text);
    if (said_one) {
        fprintf(file, "%s %s %s\n", what, name, said_one);
    }
}

/* The name of an entry: its way; but if a `*` has led through the content of a
   container, the path as written. */
static const char *entry_text(const struct entry *entry, char *to)
{
    uint64_t way = entry->way;
    bool is_of_container = false;
    for (int e = entry->path.length; e-- > 0; way /= WAY) {
        int taken = (int)(way % WAY);
        is_of_container = is_of_container ||
                          (entry->path.element[e] == STAR &&
                           (taken >= COUNT && taken <= LAST_KEY)) ||
                          taken >= ITEM;
    }
    return is_of_container ? path_text(&entry->path, to)
                           : way_text(&entry->path, entry->way, to);
}

static void expect_entry(FILE *file, const char *name,
                         const struct entries *handed, int e)
{
    char first[TEXT_OF_VALUE], last[TEXT_OF_VALUE], way[TEXT_OF_PATH];
    const struct entry *entry = &handed->entry[e];
    int property = last_property(entry->way);
    /* Two roots with one path, or two keys: which is not said. */
    bool same = false;
    (void)entry_text(entry, way);
    for (int o = 0; o < handed->count; o++) {
        char other[TEXT_OF_PATH];
        same = same || (o != e &&
                        strcmp(entry_text(&handed->entry[o], other), way) == 0);
    }
    for (int i = 0; i < entry->path.length; i++) {
        same = same || !can_be_said(entry->path.element[i]);
    }
    const char *was = said_value(property, entry->first, first);
    const char *is = said_value(property, entry->last, last);
    if (!same && was && is) {
        fprintf(file, "record %s %s %s %s %d\n", name, way, was, is,
                (int)entry->changes);
    }
}

static void expect_handed(FILE *file, int w)
{
    const struct watch *watch = &world.watch[w];
    const struct entries *handed = &watch->handed;
    const char *name = watch_name(w);
    if (watch->root < 0) {
        return; /* of a class, without an instance: in Swift that is nothing */
    }
    /* Of both Swift's runner asks for the record, and takes the values from it. */
    if (watch->options & VALUES &&
        (handed->count > 0 || !(watch->options & RECORDS))) {
        int property =
            last_property(way_of_path(watch->first_root, &watch->first_path));
        expect_one(file, "old", name, property, watch->old);
        expect_one(file, "now", name, property, watch->now);
    }
    if (!(watch->options & RECORDS) || watch->handed_vague ||
        handed->count > RECORDED) {
        return;
    }
    fprintf(file, "records %s %d\n", name, handed->count);
    for (int e = 0; e < handed->count; e++) {
        expect_entry(file, name, handed, e);
    }
}

static void expect_watch(FILE *file, int w)
{
    const struct watch *watch = &world.watch[w];
    if (!watch->used) {
        return;
    }
    if (said.serial[w] != watch->serial) {
        said.serial[w] = watch->serial;
        said.calls[w] = 0;
        said.released[w] = false;
    }
    if (said.calls[w] != watch->calls) {
        said.calls[w] = watch->calls;
        fprintf(file, "calls %s %d\n", watch_name(w), (int)watch->calls);
        if (watch->root < 0 || world.thing[watch->root].alive) {
            fprintf(file, "root %s %s\n", watch_name(w),
                    watch->root < 0 ? "none" : thing_name(watch->root));
        }
        const struct path *path = &watch->first_path;
        if (path->length > 0 && path->element[path->length - 1] < UNKNOWN) {
            expect_one(file, "saw", watch_name(w),
                       last_property(way_of_path(watch->first_root, path)),
                       watch->saw);
        }
        expect_handed(file, w);
    }
    bool shared = said.shared[w];
    for (int o = 0; o < world.watches; o++) {
        shared = shared || (o != w && world.watch[o].used &&
                            world.watch[o].closure == watch->closure);
    }
    int o = watch->observer;
    if (o >= 0 && world.observer[o].told != said.told[o]) {
        said.told[o] = world.observer[o].told;
        fprintf(file, "told %s %d\n", watch_name(w), (int)said.told[o]);
    }
    if (is_done(watch) && !said.released[w] && !shared) {
        said.released[w] = true;
        fprintf(file, "block %s released\n", watch_name(w));
    }
}

static void expect_counters(FILE *file)
{
    int pending = 0;
    for (int l = 0; l < world.loops; l++) {
        pending += pending_in(l);
    }
    if (pending != said.pending) {
        fprintf(file, "pending %d\n", pending);
    }
    if (world.dropped != said.dropped) {
        fprintf(file, "dropped %d\n", (int)world.dropped);
    }
    if (world.reports != said.reports && !said.loops_ended) {
        fprintf(file, "reports %d\n", (int)world.reports);
    }
    said.pending = pending;
    said.dropped = world.dropped;
    said.reports = world.reports;
}

static void expect_step(FILE *file, const struct command *command)
{
    if (command->verb == POKE) {
        return; /* nothing is asked between a poke and its trigger */
    }
    if (command->verb == DRAIN && world.order_count > 0) {
        fputs("order", file);
        for (int i = 0; i < world.order_count; i++) {
            fprintf(file, " %s", watch_name(world.order[i]));
        }
        fputs("\n", file);
    }
    for (int t = 0; t < world.things; t++) {
        expect_thing(file, t);
    }
    for (int w = 0; w < world.watches; w++) {
        expect_watch(file, w);
    }
    expect_counters(file);
}

static void expect_counts(FILE *file, int thing, const char *name)
{
    for (int p = 0; p <= UNKNOWN; p++) {
        if (has_property(thing, p) && is_first_of_name(p) && can_be_said(p) &&
            count_of(thing, p) > 0) {
            fprintf(file, "count %s %s %d\n", name, element_name(p),
                    count_of(thing, p));
        }
    }
}

static void expect_container(FILE *file, int thing, int property)
{
    char text[TEXT_OF_VALUE];
    const char *place = place_text(thing, property);
    int container = container_of(thing, property);
    if (container < 0) {
        fprintf(file, "value %s nil\n", place);
        return;
    }
    fprintf(file, "value %s %s\n", place, content_text(container, text));
    expect_counts(file, container, place);
}

/* Expects the count and the value of a computed property; the read may
   evaluate. */
static void expect_computed(FILE *file, const struct program *program,
                            int thing, int property)
{
    char text[TEXT_OF_PATH];
    const struct computed *computed = computed_at(thing, property);
    struct command read = {.verb = READ, .by = -1, .block = -1, .places = 1};
    read.thing = (int8_t)thing;
    read.place[0] = (int8_t)property;
    if (computed->evaluations == 0) {
        return;
    }
    fprintf(file, "evals %s.%s %d\n", thing_name(thing),
            property_names[property], (int)computed->evaluations);
    if (model_step(program, &read)) {
        fprintf(file, "value %s.%s %s\n", thing_name(thing),
                property_names[property],
                value_text(property, world.thing[thing].value[property], text));
    }
}

static void expect_values(FILE *file, const struct program *program, int thing)
{
    char text[TEXT_OF_PATH];
    for (int p = 0; p < STAR; p++) {
        bool has = has_slot(thing, p);
        val value = has ? world.thing[thing].value[p] : 0;
        bool is_empty = kind_of(p) >= TEXT ? value == NIL : value == 0;
        if (has && is_computed(p)) {
            expect_computed(file, program, thing, p);
        } else if (has && sort_held(p) != OBJECTS && gives_containers) {
            expect_container(file, thing, p);
        } else if (has && value != UNREACHABLE && !is_empty) {
            fprintf(file, "value %s.%s %s\n", thing_name(thing),
                    property_names[p], value_text(p, value, text));
        }
    }
}

/* Sets each `pick` to nil: its value holds a thing, perhaps its own, for
   ever. */
static void let_computed_go(FILE *file, const struct program *program)
{
    for (int t = 0; t < world.things; t++) {
        struct command set = {.verb = SET, .by = -1, .block = -1, .places = 1};
        set.thing = (int8_t)t;
        set.place[0] = PICK;
        set.value = NIL;
        bool holds = world.thing[t].alive && !is_container(t) &&
                     world.thing[t].value[PICK] >= 0;
        if (holds && model_step(program, &set)) {
            fprintf(file, "set %s.pick nil\n", thing_name(t));
        }
    }
}

/* At the end: all counts and values. */
static void expect_everything(FILE *file, const struct program *program)
{
    for (int t = 0; t < world.things; t++) {
        if (world.thing[t].alive && (t < CONTAINERS || !gives_containers)) {
            expect_counts(file, t, thing_name(t));
            expect_values(file, program, t);
        }
    }
    if (program->computes) {
        let_computed_go(file, program);
    }
}

/* What has been answered to the command that was executed last. */
static const char *refusal(const struct command *command)
{
    static const char *const words[] = {[GRANTED] = "",
                                        [NO_SUCH_ELEMENT] = "fails kind ",
                                        [PAST_END] = "fails past-end "};
    bool asks = command->verb == OBSERVE || command->verb == OBSERVE_CLASS ||
                command->verb == ALSO;
    return words[asks ? events[0].answer : GRANTED];
}

void print_script(FILE *file, const struct program *program, const char *name)
{
    char text[400];
    memset(&said, 0, sizeof said);
    for (int c = 0; c < program->count + program->nested_count; c++) {
        const struct command *command =
            c < program->count ? &program->step[c]
                               : &program->nested[c - program->count];
        if (command->block >= 0) {
            said.shared[command->block] = true;
        }
        if (command->verb == STOP_BLOCK) {
            said.shared[command->watch] = true;
        }
    }
    fprintf(file, "test %s\n%s", name,
            !has_unset         ? ""
            : gives_containers ? "bare strings words tags plain\n"
                               : "bare\n");
    model_begin();
    for (int s = 0; s < program->count; s++) {
        const struct command *command = &program->step[s];
        said.changes = world.changes;
        if (command->verb == NOTHING || !model_step(program, command)) {
            continue;
        }
        command_text(program, command, text, sizeof text);
        fputs(refusal(command), file);
        fputs(text, file);
        if (command->verb == DRAIN) {
            fprintf(file, " %d", world.drained);
        }
        fputs("\n", file);
        said.loops_ended = said.loops_ended || command->verb == END_LOOP;
        expect_step(file, command);
    }
    expect_everything(file, program);
}
