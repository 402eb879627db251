/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands, as the model executes them.
 */
#include "model.h"

#include <stddef.h>
#include <string.h>

struct world world;
const char *rejected;
int rejected_in;
bool strict;
void (*expect)(int line);
void (*expect_drained)(int count);

static jmp_buf way_out;
static const struct program *program;
static int block_of_now = -1; /* the observation whose commands run */

_Noreturn void reject(const char *why)
{
    rejected = why;
    rejected_in = block_of_now;
    longjmp(way_out, 1);
}

static void demand(bool condition, const char *why)
{
    if (!condition) {
        reject(why);
    }
}

void model_begin(void)
{
    memset(&world, 0, sizeof world);
    world.loop[0].used = true;
    world.loops = 1;
    for (int a = THINGS; a < THINGS + ADDRESSES; a++) {
        world.thing[a].value[S] = world.thing[a].value[F] = NIL;
    }
    world.poked_thing = -1;
}

int all_watches(void)
{
    return world.instances > 0 ? WATCHES + world.instances : world.watches;
}

void copy_world(struct world *to, const struct world *from)
{
    size_t watches = (size_t)(WATCHES + from->instances);
    memcpy(to, from,
           offsetof(struct world, watch) + watches * sizeof *from->watch);
}

void run_listed(const struct list *list, int in_watch)
{
    int outer = block_of_now, count = world.mute ? 0 : list->count;
    struct thread *thread = &world.thread[world.self];
    int batches = thread->batches;
    block_of_now = in_watch >= 0 ? in_watch : block_of_now;
    for (int i = 0; i < count && i < list->count; i++) {
        run_model(&program->nested[list->command[i]]);
    }
    demand(thread->batches == batches, "a batch outlives its block");
    block_of_now = outer;
}

static void add_to(struct list *list, int command)
{
    const struct command *nested = &program->nested[command];
    demand(list->count < LISTED, "the list is full");
    demand(nested->verb != NOTHING, "nothing inside");
    demand(nested->verb == EXPECT ||
               (nested->watch >= 0 && nested->thing >= 0 &&
                (nested->verb != END_LOOP || nested->loop > 0)),
           "it names nobody");
    list->command[list->count++] = (int16_t)command;
}

/* Operands ---------------------------------------------------------------- */

/* Not a foreign one. */
static struct thing *thing_of(int thing)
{
    demand(thing >= 0 && !is_foreign(thing) && world.thing[thing].alive,
           "no such thing");
    demand(!world.thing[thing].is_nameless || !is_for_scripts(),
           "in Swift it has ended");
    return &world.thing[thing];
}

/* Refuses a thing at which no path can begin; foreign objects are allowed. */
static void demand_root(int thing)
{
    demand(thing >= 0 && world.thing[thing].alive && !world.thing[thing].dying,
           "no such root");
    /* Without hooks a stop takes scheduled calls back: when that is over is left
       open. */
    demand(!is_foreign(thing) || foreign_is_counted, "nothing holds it");
}

static struct watch *watch_of(int watch)
{
    demand(watch >= 0 && world.watch[watch].used, "no such observation");
    return &world.watch[watch];
}

static struct watch *handled(int number)
{
    struct watch *watch = watch_of(number);
    demand(watch->handle, "the token is gone");
    return watch;
}

static struct observer *observer_of(const struct watch *watch)
{
    demand(watch->observer >= 0 && world.observer[watch->observer].alive,
           "no observer object");
    return &world.observer[watch->observer];
}

static struct loop *loop_of(int number)
{
    struct loop *loop = &world.loop[number];
    demand(loop->used && !loop->ended, "no such loop");
    return loop;
}

/* The thing at the end of `X.a.b`; -1: a trigger does not get there. */
static int place_of(const struct command *command)
{
    int at = command->thing;
    thing_of(at);
    for (int i = 0; i < command->places - 1; i++) {
        int property = command->place[i];
        demand(holds_thing(property) && !is_computed(property),
               "a place leads through no thing");
        at = world.thing[at].value[property];
        if (at < 0 || world.thing[at].dying) {
            demand(command->verb == TRIGGER, "a nil on the way");
            return -1;
        }
    }
    demand(!is_container(at) &&
               has_property(at, command->place[command->places - 1]),
           "no such property");
    return at;
}

static int property_of(const struct command *command)
{
    return command->place[command->places - 1];
}

/* The container at the place that a command names. */
static int container_at(const struct command *command)
{
    int thing = place_of(command), property = property_of(command);
    val container = world.thing[thing].value[property];
    demand(sort_held(property) != OBJECTS && container >= 0,
           "no container stands there");
    return container;
}

static val value_of(const struct command *command, val value)
{
    if (holds_thing(property_of(command)) && value >= 0) {
        demand(!thing_of(value)->dying, "it is being deinitialised");
        demand(world.thing[value].sort == sort_held(property_of(command)),
               "another kind");
    }
    return value;
}

/* Things ------------------------------------------------------------------ */

static struct thing *make_thing(int place, enum sort sort)
{
    struct thing *thing = &world.thing[place];
    demand(!thing->alive, "the name is taken");
    memset(thing, 0, sizeof *thing);
    thing->alive = true;
    thing->has = (uint8_t)knows;
    thing->sort = (uint8_t)sort;
    for (int p = 0; p < PROPERTIES && sort == OBJECTS; p++) {
        bool is_number = kind_of(p) == INT || kind_of(p) == DOUBLE;
        thing->value[p] = is_number || p == FLAG ? 0 : NIL;
    }
    for (int p = 0; p < PROPERTIES && sort != OBJECTS; p++) {
        thing->value[p] = p == COUNT ? 0 : UNREACHABLE;
    }
    if (world.things <= place) {
        world.things = (int8_t)(place + 1);
    }
    return thing;
}

static enum sort sort_made(int verb)
{
    return verb == NEW_LIST         ? LISTS
           : verb == NEW_DICTIONARY ? DICTIONARIES
           : verb == NEW_SET        ? SETS
                                    : OBJECTS;
}

static int free_place(void)
{
    int place = CONTAINERS;
    while (place < THINGS && world.thing[place].alive) {
        place++;
    }
    demand(place < THINGS, "no room for a container");
    return place;
}

static int new_container(enum sort sort)
{
    int place = free_place();
    make_thing(place, sort)->edited = world.changes + 1;
    return place;
}

/* Refuses a new thing while a path names the hash of one that is gone: in
   scripts hashes are of addresses, and the new thing may get that address. */
static void demand_no_hash_again(void)
{
    for (int t = 0; t < CONTAINERS; t++) {
        demand(world.thing[t].alive || !(world.hashes_named >> t & 1),
               "it may have the hash of one that is gone");
    }
}

static void run_new(const struct command *command)
{
    demand_no_hash_again();
    struct thing *thing = make_thing(command->thing, sort_made(command->verb));
    thing->held = true;
    thing->is_sub = command->verb == NEW_SUB;
    for (int p = L; p <= SET_OF_THINGS && gives_containers; p++) {
        thing->has |= (uint8_t)(1 << sort_held(p));
        thing->value[p] = new_container(sort_held(p));
    }
}

static void run_drop(const struct command *command)
{
    struct thing *thing = thing_of(command->thing);
    demand(thing->held, "it was dropped");
    thing->held = false;
    let_thing_go(command->thing);
}

static bool has_deaths(const struct loop *loop)
{
    bool found = false;
    for (int o = 0; o < OBSERVERS && !loop->ended; o++) {
        found = found || loop->deaths[o] != 0;
    }
    return found;
}

static bool anything_pends(void)
{
    bool pends = world.thread[world.self].batches > 0;
    for (int w = 0; w < all_watches(); w++) {
        pends = pends || world.watch[w].pending;
    }
    for (int l = 0; l < world.loops; l++) {
        pends = pends || has_deaths(&world.loop[l]);
    }
    return pends;
}

/* Paths that cannot be wired for want of memory are wired at the next change
   above them (FA-1). Calls until then are left open, so nothing is compared. */
static void run_short_set(const struct command *command)
{
    demand(world.self == 0 && world.frames == 0 && !anything_pends(),
           "something is pending");
    demand(command->value >= 0, "nothing to wire");
    int thing = place_of(command);
    val value = value_of(command, command->value);
    int property = property_of(command);
    val before = world.thing[thing].value[property];
    world.mute = true;
    for (int h = 0; h < 3; h++) {
        int held[] = {thing, value, before};
        world.thing[held[h] < 0 ? value : held[h]].holds++;
    }
    set_property(thing, property, value);
    set_property(thing, property, NIL);
    set_property(thing, property, value);
    for (int h = 3; h-- > 0;) {
        int held[] = {thing, value, before};
        int kept = held[h] < 0 ? value : held[h];
        world.thing[kept].holds--;
        let_thing_go(kept);
    }
    for (int round = 0; round < 4 && anything_pends(); round++) {
        for (int l = 0; l < world.loops; l++) {
            if (!world.loop[l].ended) {
                (void)drain(l, -1);
            }
        }
    }
    demand(!anything_pends(), "it goes on and on");
    world.mute = false;
}

static bool is_edit_of(const struct list_edit *edit, enum sort sort)
{
    return sort == (edit->kind <= ORDER    ? LISTS
                    : edit->kind <= DELETE ? DICTIONARIES
                                           : SETS);
}

static void demand_item(const struct list_edit *edit, int item)
{
    if (edit->kind == PUT && item < 0) {
        return;
    }
    demand(!thing_of(item)->dying, "it is being deinitialised");
    demand(!is_container(item), "another kind");
}

static void edit_as_told(const struct command *command)
{
    const struct thing *container = thing_of(command->thing);
    demand(!container->dying, "it is being deinitialised");
    for (int e = 0; e < command->edits; e++) {
        const struct list_edit *edit = &command->edit[e];
        demand(is_edit_of(edit, container->sort), "another container");
        for (int i = 0; i < edit->inserted; i++) {
            demand_item(edit, edit->item[i]);
        }
    }
    edit_container(command->thing, command);
}

static void edit_by_word(int container, const struct command *command)
{
    for (int i = 0; i < command->edit[0].inserted; i++) {
        demand_item(&command->edit[0], command->edit[0].item[i]);
    }
    const struct command told = edits_told(container, command);
    edit_as_told(&told);
}

static void run_edit(const struct command *command)
{
    if (command->word == TOLD) {
        edit_as_told(command);
    } else {
        edit_by_word(container_at(command), command);
    }
}

static val stored_value(int property, val value)
{
    return property != CLAMPED ? value
           : value < 0         ? 0
           : value > 100       ? 100
                               : value;
}

/* Nobody else holds it. */
static void set_content(int thing, int property, const struct command *command)
{
    demand(sort_held(property) != OBJECTS, "no container");
    int container = new_container(sort_held(property));
    world.thing[container].held = true;
    edit_by_word(container, command);
    set_property(thing, property, container);
    world.thing[container].held = false;
    demand(!strict || references_to(container) > 0,
           "whether its maker still has it");
    let_thing_go(container);
}

static void run_read(const struct command *command)
{
    int thing = place_of(command);
    demand(!world.thing[thing].dying, "it is being deinitialised");
    (void)read_computed(thing, property_of(command));
}

static void run_invalidate(const struct command *command)
{
    int thing = place_of(command);
    demand(!world.thing[thing].dying, "it is being deinitialised");
    invalidate(thing, property_of(command));
}

static struct thing *computing(const struct command *command)
{
    struct thing *thing = thing_of(command->thing);
    demand(knows_computed && !is_container(command->thing) && !thing->dying,
           "nothing is computed");
    return thing;
}

static void run_invalidate_all(const struct command *command)
{
    (void)computing(command);
    invalidate_all(command->thing);
}

static void run_force(const struct command *command)
{
    struct thing *thing = computing(command);
    thing->holds++;
    force_all(command->thing);
    thing->holds--;
    demand(!strict || references_to(command->thing) > 0, "the caller keeps it");
    let_thing_go(command->thing);
}

static val shared_value(const struct command *command)
{
    int property = property_of(command);
    demand(sort_held(property) != OBJECTS, "no container");
    return thing_of(command->value)->value[property];
}

static void run_set(const struct command *command)
{
    int thing = place_of(command), property = property_of(command);
    if (command->word == CONTENT) {
        set_content(thing, property, command);
        return;
    }
    val value = command->word == SHARED ? shared_value(command)
                                        : value_of(command, command->value);
    set_property(thing, property, stored_value(property, value));
}

static void run_poke(const struct command *command)
{
    int thing = place_of(command), property = property_of(command);
    val value = value_of(command, command->value);
    val old = world.thing[thing].value[property];
    if (world.poked_thing < 0) {
        world.poked_old = old;
    }
    world.poked_thing = (int8_t)thing;
    world.poked_property = (int8_t)property;
    world.thing[thing].value[property] = value;
    if (holds_thing(property) && property != W && old >= 0) {
        demand(references_to(old) > 0, "what was poked away dies");
    }
}

static void run_trigger(const struct command *command)
{
    int thing = place_of(command), property = property_of(command);
    if (thing < 0) {
        return;
    }
    val stored = world.thing[thing].value[property], wired = stored;
    if (world.poked_thing >= 0) {
        wired = world.poked_old;
        world.poked_thing = -1;
    }
    demand(property != F || command->value == wired,
           "the value before is another");
    demand(!holds_thing(property) || (command->value == wired &&
                                      (wired < 0 || world.thing[wired].alive)),
           "the value before is another");
    if (holds_thing(property) && command->names_new && command->now >= 0) {
        (void)thing_of(command->now);
    }
    bool always_told = false;
    for (int w = 0; w < world.watches; w++) {
        always_told = always_told || world.watch[w].options & COMPARE_ALWAYS;
    }
    demand(!command->names_new || !always_told, "who is told of another value");
    bool observed = count_of(thing, property) > 0 ||
                    class_observes(thing, property) ||
                    has_readers(thing, property);
    if (command->names_new && observed &&
        !values_equal(property, command->now, stored)) {
        world.reports++;
    }
    trigger_property(thing, property, wired, command->value);
}

/* Observing --------------------------------------------------------------- */

static bool has_star(const struct path *path)
{
    return path->length > 0 &&
           memchr(path->element, STAR, (size_t)path->length) != NULL;
}

/* Refuses paths in scripts with the hash of a thing that is not there. */
static void demand_hashes(const struct command *command)
{
    bool is_script = gives_containers || has_unset;
    for (int p = 0; p < command->paths && is_script; p++) {
        const struct path *path = &command->path[p];
        for (int t = 0; t < CONTAINERS; t++) {
            if (hash_of[t] != LAST_HASH &&
                memchr(path->element, hash_of[t], (size_t)path->length)) {
                (void)thing_of(t);
                world.hashes_named |= UINT64_C(1) << t;
            }
        }
    }
}

/* How many elements of a path are computed. */
static int count_computed(const struct path *path)
{
    int count = 0;
    for (int e = 0; e < path->length; e++) {
        count += is_computed(path->element[e]);
    }
    return count;
}

/* Refuses a new pair whose first evaluation the contract leaves open: it
   answers for pairs that wait for the same property (decision 0088), evaluates
   what their paths lead on through, and may tell of that as one change or
   several. */
static void reject_answer(const struct path *path)
{
    for (int w = 0; w < all_watches() && names_computed(path); w++) {
        for (int p = 0; p < PAIRS && world.watch[w].linked; p++) {
            const struct pair *pair = &world.watch[w].pair[p];
            demand(!pair->linked || !world.watch[w].immediate ||
                       !has_inner_star(&pair->path),
                   "told of what is computed as somebody begins");
            demand(knows_mended || !pair->linked ||
                       count_computed(&pair->path) < 2 ||
                       !follows_invalid(&world.watch[w]),
                   "known: computed for who waits");
        }
    }
}

static void add_pair(struct watch *watch, int root, const struct path *path)
{
    struct pair *room = NULL;
    for (int p = PAIRS; p-- > 0;) {
        struct pair *pair = &watch->pair[p];
        if (!pair->linked) {
            room = pair;
        } else if (pair->root == root && same_path(&pair->path, path) &&
                   pair->lost_by == 0) {
            demand(!(watch->options & RECORDS), "the same pair twice");
            return;
        }
    }
    demand(room != NULL, "too many pairs");
    *room = (struct pair){.linked = true,
                          .root = (int8_t)root,
                          .path = *path,
                          .serial = ++world.serials,
                          .number = watch->pairs_made++};
    world.reports += !is_resolved(room);
    bind_pair(room);
    if (knows_computed) {
        reject_answer(path);
        room->begins = true;
    }
}

/* Refuses observations of computed properties that the model does not know. */
static void check_computed(const struct command *command)
{
    unsigned plain = IMMEDIATELY | DEFERS | ONCE | TOKEN | INITIAL | TYPED;
    for (int p = 0; p < command->paths; p++) {
        const struct path *path = &command->path[p];
        bool has = false, leads = false;
        for (int e = 0; e < path->length; e++) {
            demand(knows_mended || !has || !is_number(path->element[e]),
                   "known: it waits at its end");
            has = has || is_computed(path->element[e]);
            leads = leads || (is_computed(path->element[e]) &&
                              holds_thing(path->element[e]));
        }
        bool is_thing =
            path->length > 0 && holds_thing(path->element[path->length - 1]);
        demand(!has || !(command->options & ~(plain | VALUES | NET)),
               "computed, with options");
        demand(!has || !is_thing || !(command->options & (VALUES | NET)),
               "whether a value before is held");
        demand(!has_star(path) || !(command->options & ~plain),
               "a `*` beside what is computed, with options");
        demand(!leads || !has_star(path), "a `*`, and what is computed on it");
        demand(command->verb != OBSERVE_CLASS || (!has && !has_star(path)),
               "computed, of a class");
    }
}

/* Evaluates what new pairs follow; they are not called for that. */
static void begin_pairs(struct watch *watch)
{
    for (int p = 0; p < PAIRS; p++) {
        if (watch->pair[p].begins) {
            settle_pair(&watch->pair[p]);
        }
    }
    for (int p = 0; p < PAIRS; p++) {
        watch->pair[p].begins = false;
    }
}

static void check_options(const struct command *command)
{
    unsigned options = command->options;
    if (knows_computed) {
        check_computed(command);
    }
    bool tells_change = options & (VALUES | RECORDS | NET | PRIOR);
    demand(!(options & PRIOR) || options & IMMEDIATELY, "prior, not immediate");
    demand(!(options & ONCE && options & DEFERS), "once, and defer");
    demand(!strict || !(options & PRIOR && options & RECORDS), "left open");
    demand(!(options & VALUES) ||
               (command->paths > 0 && !has_star(&command->path[0])),
           "values of none or of many");
    for (int p = 1; p < command->paths; p++) {
        demand(!(options & VALUES) ||
                   same_path(&command->path[p], &command->path[0]),
               "values of several");
    }
    if (strict) {
        demand(!(options & ANY_ELEMENT && tells_change), "left open");
        demand(!(options & NET && options & IMMEDIATELY), "left open");
        for (int p = 0; p < command->paths; p++) {
            demand(!(options & PRIOR && has_inner_star(&command->path[p])),
                   "left open");
        }
    }
}

static int make_observer(void)
{
    demand(world.observers < OBSERVERS, "too many observers");
    struct observer *observer = &world.observer[world.observers];
    memset(observer, 0, sizeof *observer);
    observer->alive = observer->held = true;
    return world.observers++;
}

static struct watch *make_watch(const struct command *command)
{
    struct watch *watch = &world.watch[command->watch];
    memset(watch, 0, sizeof *watch);
    watch->used = watch->linked = watch->handle = true;
    watch->token = command->options & TOKEN;
    watch->immediate = command->options & IMMEDIATELY;
    watch->options = command->options;
    watch->loop = command->loop;
    watch->serial = ++world.serials;
    watch->first_root = -1;
    watch->whole = -1;
    struct watch *instance = NULL;
    while ((instance = next_instance(watch, instance)) != NULL) {
        instance->used = false; /* of what had the name before */
    }
    if (world.watches <= command->watch) {
        world.watches = (int8_t)(command->watch + 1);
    }
    return watch;
}

/* The closure of an observation, by one that has its block. */
static int shared_closure(const struct command *command)
{
    int closure = watch_of(command->block)->closure;
    demand(!is_done(watch_of(command->block)), "its block has gone");
    for (int w = 0; w < world.watches && strict; w++) {
        bool shares = world.watch[w].used && world.watch[w].closure == closure;
        unsigned options = world.watch[w].options | command->options;
        demand(!shares || !(options & (VALUES | RECORDS)),
               "of another form in Swift");
    }
    return closure;
}

static void begin_initial(struct watch *watch)
{
    int root = first_root_of(watch);
    if (watch->immediate) {
        static struct entries presents[FRAMES + 1];
        struct entries *present = &presents[world.frames];
        note_present(watch, root, present);
        hold_entries(present);
        call_immediate(watch, root, EVENT_IMMEDIATE, present);
        let_entries_go(present);
    } else {
        (void)post(watch, root, true);
        note_by_hand(watch);
    }
}

static void demand_options(const struct command *command)
{
    check_options(command);
    demand(!world.loop[command->loop].ended && world.loop[command->loop].used,
           "no such loop");
    demand(command->watch >= 0, "no name is free");
    demand(is_free(&world.watch[command->watch]), "the name is taken");
    demand(command->by < 0 || (!(command->options & TOKEN) &&
                               !observer_of(watch_of(command->by))->dying),
           "by");
}

/* An observation without pairs. */
static struct watch *begin_to_observe(const struct command *command)
{
    int observer = -1, closure;
    closure = command->block >= 0 ? shared_closure(command) : world.closures++;
    if (command->by >= 0) {
        observer = watch_of(command->by)->observer;
    } else if (!(command->options & TOKEN)) {
        observer = make_observer();
    }
    struct watch *watch = make_watch(command);
    watch->observer = (int8_t)observer;
    watch->closure = (uint8_t)closure;
    return watch;
}

/* Whether it is granted. A script says so only of a command by itself. */
static bool answers(enum answer answer)
{
    bool is_nested = world.actions > 1;
    demand(answer == GRANTED || !is_nested || !gives_containers,
           "refused inside");
    add_event(EVENT_ASKED)->answer = (uint8_t)answer;
    return answer == GRANTED;
}

/* To all paths, or none (AR-2). */
static bool grants_paths(const struct command *command)
{
    enum answer answer = GRANTED;
    for (int p = 0; p < command->paths && answer == GRANTED; p++) {
        answer = answer_for(command->thing, &command->path[p]);
    }
    for (int p = 0; p < command->paths; p++) {
        demand(answer == GRANTED || !names_computed(&command->path[p]),
               "whether what is refused has been computed");
    }
    return answers(answer);
}

static void run_observe(const struct command *command)
{
    static const struct path none;
    demand_root(command->thing);
    demand_options(command);
    if (!grants_paths(command)) {
        return;
    }
    struct watch *watch = begin_to_observe(command);
    for (int p = 0; p < command->paths; p++) {
        add_pair(watch, command->thing, &command->path[p]);
    }
    begin_pairs(watch);
    if (command->paths == 0) {
        add_pair(watch, command->thing, &none);
    } else if (!has_star(&command->path[0])) {
        watch->first_root = command->thing;
        watch->first_path = command->path[0];
    }
    if (command->options & INITIAL) {
        begin_initial(watch);
    }
}

/* Observes every instance, now and to come. The initial call has no root. */
static void run_observe_class(const struct command *command)
{
    demand(command->paths == 1, "one path is followed");
    demand_options(command);
    if (!answers(answer_for_class(&command->path[0]))) {
        return;
    }
    struct watch *watch = begin_to_observe(command);
    watch->of_class = true;
    watch->of_sub = command->of_sub;
    watch->class_path = command->path[0];
    world.reports += (uint32_t)unresolved_of(watch);
    if (!has_star(&watch->class_path)) {
        watch->first_path = watch->class_path;
    }
    if (command->options & INITIAL) {
        begin_initial(watch);
    }
}

static void run_also(const struct command *command)
{
    struct watch *watch = handled(command->watch);
    demand_root(command->thing);
    demand(watch->linked && !watch->of_class, "no pairs more");
    for (int p = 0; p < command->paths; p++) {
        demand(!(watch->options & VALUES) ||
                   (watch->pair[0].root == command->thing &&
                    same_path(&watch->pair[0].path, &command->path[p])),
               "values of several");
    }
    demand(!strict || !watch->token, "a token has the pairs of its birth");
    if (knows_computed) {
        struct command whole = *command;
        whole.options = watch->options;
        check_computed(&whole);
    }
    for (int p = 0; p < PAIRS; p++) {
        demand(!watch->pair[p].linked || watch->pair[p].path.length > 0,
               "of one without paths the order is left open");
    }
    if (!grants_paths(command)) {
        return;
    }
    for (int p = 0; p < command->paths; p++) {
        add_pair(watch, command->thing, &command->path[p]);
    }
    begin_pairs(watch);
}

/* Stopping ---------------------------------------------------------------- */

static bool is_listed(const struct path *path, const struct command *command)
{
    for (int p = 0; p < command->paths; p++) {
        if (same_path(path, &command->path[p])) {
            return true;
        }
    }
    return command->paths == 0;
}

/* Ends the pairs with this root (-1: any) and one of the paths. */
static void stop_pairs(struct watch *watch, int root,
                       const struct command *command)
{
    for (int p = 0; p < PAIRS; p++) {
        struct pair *pair = &watch->pair[p];
        if (pair->linked && (root < 0 || pair->root == root) &&
            is_listed(&pair->path, command)) {
            end_pair(watch, pair);
        }
    }
}

static void run_stop_path(const struct command *command)
{
    struct watch *watch = handled(command->watch);
    demand(!strict || !watch->token, "a token is stopped whole");
    stop_pairs(watch, -1, command);
    if (watch->of_class && is_listed(&watch->class_path, command)) {
        end_watch(watch);
    }
}

/* Whether it was begun with the class of the command, and one of its paths. */
static bool is_of_class(const struct watch *watch,
                        const struct command *command)
{
    return watch->used && watch->of_class && watch->of_sub == command->of_sub &&
           is_listed(&watch->class_path, command);
}

static void run_stop_by_class(const struct command *command)
{
    int observer = watch_of(command->watch)->observer;
    observer_of(watch_of(command->watch));
    for (int w = 0; w < world.watches; w++) {
        struct watch *watch = &world.watch[w];
        if (is_of_class(watch, command) && watch->observer == observer) {
            end_watch(watch);
        }
    }
}

static void run_stop_block_class(const struct command *command)
{
    int closure = watch_of(command->watch)->closure;
    for (int w = 0; w < world.watches; w++) {
        struct watch *watch = &world.watch[w];
        if (is_of_class(watch, command) && watch->closure == closure) {
            end_watch(watch);
        }
    }
}

static void run_stop_by(const struct command *command)
{
    struct watch *of = watch_of(command->watch);
    demand_root(command->thing);
    observer_of(of);
    for (int w = 0; w < world.watches; w++) {
        if (world.watch[w].used && world.watch[w].observer == of->observer) {
            stop_pairs(&world.watch[w], command->thing, command);
        }
    }
}

static void run_stop_block(const struct command *command)
{
    struct watch *of = watch_of(command->watch);
    demand_root(command->thing);
    for (int w = 0; w < world.watches; w++) {
        struct watch *watch = &world.watch[w];
        if (watch->used && watch->closure == of->closure) {
            stop_pairs(watch, command->thing, command);
        }
    }
}

static void run_stop_all(const struct command *command)
{
    struct watch *of = watch_of(command->watch);
    demand(of->observer >= 0, "a token has no observer");
    for (int w = 0; w < world.watches; w++) {
        if (world.watch[w].used && world.watch[w].observer == of->observer) {
            end_watch(&world.watch[w]);
        }
    }
}

static void run_cancel(const struct command *command)
{
    struct watch *watch = handled(command->watch);
    demand(watch->token, "it is no token");
    watch->handle = false;
    end_watch(watch);
}

/* The library answers false inside any block, where waiting might never end.
   The pending call is taken back in any case, also of what is no token. */
static void run_cancel_wait(const struct command *command)
{
    struct watch *watch = handled(command->watch);
    bool inside = false;
    for (int w = 0; w < all_watches(); w++) {
        inside = inside || world.watch[w].running > 0;
    }
    int observer = watch->observer;
    demand(world.self == 0, "another thread");
    demand(command->refused == inside, "cancelwait");
    demand(observer < 0 || world.loop[watch->loop].deaths[observer] == 0,
           "whose deaths are told");
    end_taken_back(watch);
}

static void run_drop_observer(const struct command *command)
{
    struct watch *watch = watch_of(command->watch);
    struct observer *observer = observer_of(watch);
    demand(observer->held, "it was dropped");
    observer->held = false;
    let_observer_go(watch->observer);
}

/* By hand, loops, batches ------------------------------------------------- */

static void run_immediate(const struct command *command)
{
    struct watch *watch = handled(command->watch);
    demand(!strict || !(watch->options & NET), "left open");
    demand(!is_waiting(watch) && !(knows_computed && follows_invalid(watch)),
           "it waits for what is invalid");
    watch->immediate = true;
    watch->vague = watch->vague || watch->pending;
    watch->aside_vague = watch->aside_vague || watch->aside;
    struct watch *instance = NULL;
    while ((instance = next_instance(watch, instance)) != NULL) {
        instance->immediate = true;
        instance->vague = instance->vague || instance->pending;
    }
}

static void run_schedule(const struct command *command)
{
    struct watch *watch = handled(command->watch);
    int root = first_root_of(watch);
    if (watch->linked && ends_are_alive(watch, root)) {
        demand(!world.fragile, "nobody promises in which order this comes");
        (void)post(watch, root, true);
        note_by_hand(watch);
    }
}

static void run_execute(const struct command *command)
{
    struct watch *watch = handled(command->watch);
    demand(can_execute(watch) != command->refused, "execute");
    demand(!world.fragile, "nobody promises in which order this comes");
    if (!command->refused) {
        execute(watch);
    }
}

static void run_loop(const struct command *command)
{
    struct loop *loop = &world.loop[command->loop];
    demand(!loop->used && command->loop == world.loops, "the name is taken");
    loop->used = true;
    world.loops++;
}

static void run_end_loop(const struct command *command)
{
    struct loop *loop = loop_of(command->loop);
    demand(command->loop > 0, "the first loop is the context's");
    demand(loop->depth == 0 || loop->drainer == world.self, "busy");
    end_loop(command->loop);
}

static void run_thread(const struct command *command)
{
    demand(world.self == 0, "a thread in a thread");
    world.self = 1;
    memset(&world.thread[1], 0, sizeof world.thread[1]);
    run_model(&program->nested[command->nested]);
    demand(world.thread[1].batches == 0, "a batch outlives its thread");
    world.self = 0;
}

/* In a script it may say how many blocks it must call. */
static void run_drain(const struct command *command)
{
    (void)loop_of(command->loop);
    world.drained =
        (uint8_t)drain(command->loop, command->limit ? command->limit - 1 : -1);
    demand(!command->limit || world.frames == 0, "left open");
    if (command->names_new) {
        expect_drained(command->value);
    }
}

static void run_batch(void)
{
    demand(world.thread[world.self].batches < 4, "too many batches");
    if (world.thread[world.self].batches++ == 0) {
        world.thread[world.self].batch = ++world.begun;
    }
}

static void check_poked(const struct command *command)
{
    if (world.poked_thing < 0 || command->verb == EXPECT) {
        return;
    }
    bool is_same = command->verb == TRIGGER || command->verb == POKE;
    int thing = is_same ? place_of(command) : -1;
    demand(is_same && thing == world.poked_thing &&
               property_of(command) == world.poked_property,
           "left open between a write past the setter and its trigger");
}

void run_model(const struct command *command)
{
    demand(++world.actions < ACTIONS, "it goes on and on");
    check_poked(command);
    demand_hashes(command);
    switch ((enum verb)command->verb) {
    case NOTHING:
        break;
    case NEW:
    case NEW_SUB:
    case NEW_LIST:
    case NEW_DICTIONARY:
    case NEW_SET:
        run_new(command);
        break;
    case DROP:
        run_drop(command);
        break;
    case ON_DEINIT:
        add_to(&thing_of(command->thing)->on_deinit, command->nested);
        break;
    case LOOP:
        run_loop(command);
        break;
    case END_LOOP:
        run_end_loop(command);
        break;
    case SET:
        run_set(command);
        break;
    case POKE:
        run_poke(command);
        break;
    case TRIGGER:
        run_trigger(command);
        break;
    case OBSERVE:
        run_observe(command);
        break;
    case OBSERVE_CLASS:
        run_observe_class(command);
        break;
    case STOP_BY_CLASS:
        run_stop_by_class(command);
        break;
    case STOP_BLOCK_CLASS:
        run_stop_block_class(command);
        break;
    case ALSO:
        run_also(command);
        break;
    case ON:
        add_to(&watch_of(command->watch)->on_call, command->nested);
        break;
    case OFF:
        watch_of(command->watch)->on_call.count = 0;
        break;
    case STOP:
        end_watch(handled(command->watch));
        break;
    case STOP_BY:
        run_stop_by(command);
        break;
    case STOP_PATH:
        run_stop_path(command);
        break;
    case STOP_BLOCK:
        run_stop_block(command);
        break;
    case STOP_ALL:
        run_stop_all(command);
        break;
    case CANCEL:
        run_cancel(command);
        break;
    case DROP_OBSERVER:
        run_drop_observer(command);
        break;
    case ON_DROP:
        add_to(&observer_of(watch_of(command->watch))->on_drop,
               command->nested);
        break;
    case IMMEDIATE:
        run_immediate(command);
        break;
    case SCHEDULE:
        run_schedule(command);
        break;
    case EXECUTE:
        run_execute(command);
        break;
    case DRAIN:
        run_drain(command);
        break;
    case BATCH:
        run_batch();
        break;
    case END:
        end_batch();
        break;
    case THREAD:
        run_thread(command);
        break;
    case CANCEL_WAIT:
        run_cancel_wait(command);
        break;
    case REGISTER:
        register_foreign(command->thing);
        break;
    case UNREGISTER:
        unregister_foreign(command->thing);
        break;
    case WRITE:
        write_foreign(command->thing, property_of(command), command->value);
        break;
    case EDIT:
        run_edit(command);
        break;
    case READ:
        run_read(command);
        break;
    case INVALIDATE:
        run_invalidate(command);
        break;
    case INVALIDATE_ALL:
        run_invalidate_all(command);
        break;
    case FORCE:
        run_force(command);
        break;
    case SHORT_SET:
        run_short_set(command);
        break;
    case EXPECT:
        expect(command->nested);
        break;
    }
}

bool model_step(const struct program *of, const struct command *command)
{
    static struct world before;
    copy_world(&before, &world);
    program = of;
    foreign_is_counted = counts_foreign(of);
    knows_computed = of->computes;
    begin_computing();
    block_of_now = -1;
    event_count = recorded_count = 0;
    world.actions = 0;
    if (setjmp(way_out)) {
        copy_world(&world, &before);
        event_count = 0;
        return false;
    }
    run_model(command);
    return true;
}
