/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The naive model of the behaviour contract: an oracle that says what the
 * library must do, and shares no code with it. It has the graph of things, the
 * pairs and one list of pending observations a loop, and computes everything
 * anew: a change makes a pair due if the ends of its path differ before and
 * after it.
 *
 * The model refuses a command whose outcome it does not know (the script is
 * wrong there, or the contract leaves it open): reject() jumps out of the
 * command, and the world is put back to what it was.
 *
 *     walk.c      what paths lead to; counts
 *     life.c      who is held; how things, observers and observations end
 *     deliver.c   what is pending, drains, calls
 *     edit.c      sets and triggers: what differs, who is called
 *     class_subscription.c  observations of a class (OS-3)
 *     foreign.c   foreign objects (KP-17)
 *     computed.c  computed properties: what they have read, what is invalid
 *     edit_words.c  the edits of scripts
 *     model.c     the commands
 */
#ifndef OBV_MODEL_MODEL_H
#define OBV_MODEL_MODEL_H

#include "program.h"

#include <setjmp.h>

enum {
    INSTANCES = 60, /* that observations of classes follow */
    ALL = WATCHES + INSTANCES,
    ENDS = 400,     /* that one path may have */
    ENTRIES = 40,   /* of one observation's records */
    RECORDED = 16,  /* of them are handed over */
    ACTIONS = 700,  /* that one command may lead to */
    FRAMES = 200,   /* that may be nested in it */
    PINS = 90,      /* that a thread surely has for running blocks */
    READS = 4,      /* of one evaluation */
    FIRSTS = 8,     /* ends of a pair that are compared with later */
    ASIDE = 2 * ALL /* that a batch puts aside, those taken back included */
};

struct list {
    int8_t count;
    int16_t command[LISTED];
};

/** Whether a thing is an object with properties, or which container it is. */
enum sort { OBJECTS, LISTS, DICTIONARIES, SETS, SORTS };
enum { EVERY_SORT = (1 << SORTS) - 2 }; /* a bit for each sort of container */

/** A read of a computed property's last evaluation, with the version read. */
struct read {
    int8_t thing, property;
    uint32_t version;
};

/** A computed property. Its last value stands in the thing's `value`. */
struct computed {
    bool has_value, is_valid, is_dirty;
    /** The batch in which it became invalid: others are told of that at the
        batch's end. 0: all have been told. */
    uint32_t told;
    uint8_t reads;
    struct read read[READS];
    /** Counts the values that it has had. */
    uint32_t version;
    uint32_t evaluations;
};

struct thing {
    bool alive, dying, held, is_sub;
    /** It is dying, and `ondeinit` has run: in Swift nothing can name it. */
    bool is_nameless;
    /** Its enum sort; and the containers that it has, a bit for each sort. */
    uint8_t sort, has;
    /** References of calls and sets that are under way. */
    uint8_t holds;
    /** Of a position where nothing stands: UNREACHABLE. */
    val value[PROPERTIES];
    /** Of a list: a number for each item, unique among those of all lists. */
    uint32_t tag[ROOM];
    /** Of a container: the number of the last change of its content. */
    uint32_t edited;
    struct computed computed[COMPUTED];
    struct list on_deinit;
};

struct observer {
    bool alive, dying, held;
    uint8_t holds;
    /** How many deaths of roots it was told of. */
    uint32_t told;
    struct list on_drop;
};

enum { LOST_AND_CALLED = INT32_MAX };

struct pair {
    bool linked;
    int8_t root;
    struct path path;
    uint32_t serial;
    /** Its number in records. */
    uint16_t number;
    /** The tag of the item that each number in the path is bound to; 0:
        none. */
    uint32_t bound[ELEMENTS];
    /** The change that removed a bound item: the pair ends once it has been
        called. 0: none has; LOST_AND_CALLED: the pair has ended so. */
    uint32_t lost_by;
    /** A number had no item to bind to: the pair is never called. */
    bool is_nowhere;
    /** A computed property that it follows has become invalid: `first` has the
        ends that the path had before. */
    bool awaits;
    /** Another observation has evaluated that property since. */
    bool is_answered;
    /** It is about to be registered: no change calls it. */
    bool begins;
    /** With `awaits`: the computed property that was nil, so that the path led
        nowhere. A property of -1: the path led somewhere. */
    int8_t nil_thing, nil_property;
    uint8_t firsts;
    struct first {
        uint64_t way;
        val value;
    } first[FIRSTS];
};

/** The changes of one end of a path, as a record tells them. */
struct entry {
    uint64_t way;
    uint32_t changes;
    val first, last;
    uint16_t pair;
    struct path path;
};

struct entries {
    uint8_t count;
    /** There were more than ENTRIES. */
    bool overflows;
    struct entry entry[ENTRIES];
};

/* An observation. The observation of a class has no pair of its own; for each
   instance that it follows there is one more, at the places from WATCHES on. */
struct watch {
    bool used, linked, token, handle;
    /** It observes every Thing; only every Sub. */
    bool of_class, of_sub;
    /** The observation of the class, if this is of an instance; else -1. */
    int8_t whole;
    struct path class_path;
    /** Of a class: how many blocks of its instances run on each thread. */
    uint8_t entered[2];
    bool pending, waits, foreign, cancelled;
    /** `perhaps`: pending only since computed properties became invalid, so it
        is called if its ends differ then (LL-5). `may_be_called`: open, since
        another observation has evaluated one, or its path has moved
        meanwhile. */
    bool perhaps, aside_perhaps, may_be_called;
    /** Scheduled by another thread first, and since then by a block's
        change. */
    bool joined;
    /** `vague`: the contract leaves open what the call is handed. */
    bool vague, by_hand;
    bool immediate;
    uint16_t options;
    int8_t observer, loop, for_root;
    uint8_t closure;
    uint8_t running;
    uint16_t pairs_made;
    uint32_t serial, called_in, calls;
    struct pair pair[PAIRS];
    struct list on_call;
    struct entries entries;
    /* Put aside until an open batch ends, with the root and the entries of the
       call to come. */
    bool aside, aside_by_hand, aside_vague;
    int8_t aside_root;
    uint32_t aside_serial;
    struct entries unripe;
    /** A batch that ends now has moved its entries into `entries`. */
    bool is_committed;
    /* The root of the last call, and the values that it was handed. */
    int8_t first_root, root;
    struct path first_path;
    val saw, old, now;
    bool handed_vague;
    struct entries handed;
};

struct loop {
    bool used, ended, between;
    uint8_t depth;
    int8_t drainer, count, queue[ALL];
    uint32_t cycle;
    /** How many deaths of roots it has to tell each observer of. */
    uint32_t deaths[OBSERVERS];
};

/** An observation that a batch has put aside. The serial number tells whether
    the call was taken back, and the observation put aside again. */
struct aside {
    int8_t watch;
    uint32_t serial;
};

/** The state of one thread. */
struct thread {
    uint8_t batches, immediate_depth;
    uint32_t batch; /* the number of the outermost one */
    int16_t aside_count;
    /** The innermost observation whose block runs, from 1; 0: none. */
    int16_t innermost;
    /** Blocks that run; and one more for each class observation of theirs. */
    uint8_t pins;
    bool pins_instance;
    struct aside aside[ASIDE];
    bool at_limit;
};

struct world {
    struct thing thing[THINGS + ADDRESSES];
    struct observer observer[OBSERVERS];
    struct loop loop[LOOPS];
    struct thread thread[2];
    int8_t self; /* the thread that runs */
    int8_t things, watches, instances, observers, loops;
    uint8_t closures;
    uint8_t frames;
    uint8_t fragile; /* not 0: the contract leaves the present order open */
    bool mute;       /* blocks and deinits do nothing, nothing is compared */
    uint32_t serials, dropped, called, reports, edits, tags, changes, begun;
    int16_t actions;
    /* A value that was written past its setter. */
    int8_t poked_thing, poked_property;
    val poked_old;
    /* Of scripts: the things whose hashes have stood in paths, a bit each. */
    uint64_t hashes_named;
    /* The delayed blocks of the last drain. */
    uint8_t drained, order_count;
    int8_t order[64];
    /* Last: those of instances are mostly not there. */
    struct watch watch[ALL];
};

extern struct world world;

/** The calls that the library must make during a command, in order. */
enum event_type {
    EVENT_DELAYED,
    EVENT_IMMEDIATE,
    EVENT_BY_HAND,
    EVENT_PRIOR,
    EVENT_ASKED /* to observe; no call */
};

/** The library's answer to a request to observe. */
enum answer { GRANTED, NO_SUCH_ELEMENT, PAST_END };

struct event {
    uint8_t type;
    int8_t watch, root;
    uint8_t answer;
    uint16_t options;
    /** With VALUES. */
    val old, now;
    uint8_t property; /* whose kind they have */
    /** With RECORDS; entries from here on, in `recorded`. */
    bool vague;
    uint16_t entries, entry_count;
    bool overflows;
};

enum { EVENTS = ACTIONS, EVENT_ENTRIES = 4096 };
extern struct event events[EVENTS];
extern struct entry recorded[EVENT_ENTRIES];
extern int event_count, recorded_count;

/** Refuses the command under way, which the contract leaves open or whose
    script is wrong. Does not return. */
_Noreturn void reject(const char *why);
extern const char *rejected;
/** The observation in whose block the command was refused; -1: in none. */
extern int rejected_in;
/** Refuses commands, too, that scripts may have but users must not. */
extern bool strict;

/* model.c */
void model_begin(void);
/** Keeps the world, or puts it back. */
void copy_world(struct world *to, const struct world *from);
/** How many places in `watch` may be in use, those of instances included. */
int all_watches(void);
/** Runs a command; false: it was refused, and nothing changed. */
bool model_step(const struct program *program, const struct command *command);
void run_model(const struct command *command);
void run_listed(const struct list *list, int in_watch);
/** Runs an expectation of a script; set by check.c. */
extern void (*expect)(int line);
extern void (*expect_drained)(int count);

/* edit_words.c */
/** The edits that the word of a command means for the container's present
    content. */
struct command edits_told(int container, const struct command *command);

/* walk.c */
struct end {
    uint64_t way;
    val value;
    int8_t container;
    /** Its property in the container; of a number, the present position. */
    int8_t property;
    /** Of a hash: the members that have it, a bit each. */
    uint64_t members;
};
bool same_path(const struct path *a, const struct path *b);
bool has_property(int thing, int element);
/** Whether a thing stores a value at a property. A container stores elements at
    positions or keys, however paths name them. */
bool has_slot(int thing, int property);
/** The property of a thing that a path's element names; -1: none. A number is
    taken for the present position: no item is followed. */
int slot_at(int thing, int element);
bool is_list(int thing);
bool is_dictionary(int thing);
bool is_set(int thing);
/** The members of a set with a hash, or all (`*`): a bit each. */
uint64_t members_of(int set, int element);
/** The member; UNREACHABLE: there is none, ANY: there are several. */
val only_member(uint64_t members);
bool has_hash(const struct path *path);
/** Whether it names something that is computed. */
bool names_computed(const struct path *path);
/** Whether a `*` leads on. */
bool has_inner_star(const struct path *path);
bool is_container(int thing);
/** The sort of containers that a property holds; OBJECTS: none. */
enum sort sort_held(int property);
/** Whether two values at a key of a dictionary are equal. */
bool are_twins(val a, val b);
/** Whether values are equal as the property has it declared. */
bool are_equal(int property, val a, val b);
/** Whether an observation's comparison finds two values equal: it may compare
    containers by what they hold. */
bool are_alike(const struct watch *watch, int property, val a, val b);
/** The containers that things have and programs set: a bit for each sort. */
extern unsigned knows;
/** Things are equal to others in dictionaries; else to themselves alone. */
extern bool knows_twins;
/** Whether things have collections that no program sets, so that they stay nil:
    true in bare scripts. */
extern bool has_unset;
/** Whether things begin with containers, as in scripts. These have no names; if
    a dictionary or set lets several things go, it is open which ends first. */
extern bool gives_containers;
/** Whether the program is made for scripts in two languages, so that it leaves
    out behaviour in which these differ. */
bool is_for_scripts(void);
/** Whether this change clears a weak reference to a dying thing, in a script: a
    set by the program in C, but none in Swift. */
bool is_death_in_script(int property, val old);
/** Whether a thing of this sort can never have such an element. */
bool misfits(int thing, int element);
/** Whether observing a path is refused: a thing on it can never have the next
    element (KP-20), or an item is not there (AR-2). */
enum answer answer_for(int root, const struct path *path);
enum answer answer_for_class(const struct path *path);
/** Binds the numbers of a path to the items at these positions now, or notes
    that the change under way has removed a bound item. */
void bind_pair(struct pair *pair);
/** Whether a pair follows its path: it has lost no item, and its root lives. */
bool is_followed(const struct pair *pair);
int ends_of(const struct pair *pair, struct end ends[ENDS]);
/** The places at which a path meets computed properties: for each element that
    names one, or is a `*`, the things on which it does. */
enum { FOLLOWED = THINGS + ADDRESSES };
struct followed {
    uint8_t at[ELEMENTS][FOLLOWED];
};
void follow(const struct pair *pair, struct followed *followed);
/** Whether an element of the path holds this slot; `named`: only by its name
    (by `*`, if the slot is STAR). */
bool holds_slot(const struct pair *pair, int thing, int property, bool named);
int count_of(int thing, int property);
bool is_observed(int thing, int property);
bool is_resolved(const struct pair *pair);
/** How many paths of an observation are not resolved. */
int unresolved_of(const struct watch *watch);
/** Reads a path without `*`; a number is the position. */
val read_path(int root, const struct path *path);
/** Whether read_path() would read a computed property that is invalid. */
bool reads_invalid(int root, const struct path *path);
/** Whether a path has a number, so that it follows an item of a list. */
bool has_number(const struct path *path);
val read_pair(const struct pair *pair);
/** Reads what an observation follows by its first path, from this root. */
val read_first(const struct watch *watch, int root);
/** The way of a path without `*`, from this root (-1: of a class). */
uint64_t way_of_path(int root, const struct path *path);
int last_property(uint64_t way);

/* life.c */
int references_to(int thing);
void let_thing_go(int thing);
void let_observer_go(int observer);
/** Both ends of a call. */
void hold_ends(int thing, int observer);
void let_ends_go(int thing, int observer);
/** Whether a pending call holds the values that it will hand over. */
bool hands_over(const struct watch *watch);
void hold_entries(const struct entries *entries);
void let_entries_go(const struct entries *entries);
void end_watch(struct watch *watch);
/** Ends any observation as a token ends: its pending call is taken back. */
void end_taken_back(struct watch *watch);
void end_pair(struct watch *watch, struct pair *pair);
/** Ends the pairs that have lost an item, unless a call is to come: all of them
    (0), or those that lost it by one change. */
void end_lost(struct watch *watch, uint32_t lost_by);
bool is_done(const struct watch *watch);
bool is_free(const struct watch *watch);
bool ends_are_alive(const struct watch *watch, int root);

/* class_subscription.c */
/** The observation that the program knows: for an instance's that of the
    class. */
struct watch *whole_of(struct watch *watch);
/** The next instance's observation of `whole` behind `at`, or the first (`at`
    NULL); NULL: no more. */
struct watch *next_instance(const struct watch *whole, struct watch *at);
/** Lets observations of a thing's class begin to follow the thing, since one of
    its properties changes (it may be stored already). */
void follow_thing(int thing, int property, bool equal);
/** Whether an observation of a class is told of this property. */
bool class_observes(int thing, int property);
bool class_has(bool is_sub, int element);

/* computed.c */
/** Whether things have properties that are computed, as in some programs. */
extern bool knows_computed;
/** Whether programs run into known faults of the library (`--known`). */
extern bool knows_mended;
/** Whether things have computed properties that no script has (OVER, FAR). */
extern bool knows_extra;
/** Whether blocks read what their first path leads to, as in scripts. */
extern bool blocks_read;
struct computed *computed_at(int thing, int property);
bool is_valid(int thing, int property);
/** Marks the readers of a property, whose value has changed, as dirty. */
void mark_readers(int thing, int property);
bool has_readers(int thing, int property);
void mark_computed(int thing, int property);
/** A computed property that the change under way has made invalid, each
    once. */
struct invalid {
    int8_t thing, property;
    /** It was invalid before, but another thread's batch has not told of that
        yet: observations that name it are told now. */
    bool is_again;
};
enum { INVALIDS = 200 };
extern struct invalid invalids[INVALIDS];
extern int invalid_count;
/** How many computed properties the change under way has made valid again. */
extern int validated;
/** Resets this file's state before a command. */
void begin_computing(void);

/** Whether a drain evaluates what an observation follows (settle()). */
bool is_settling(void);
/** Brings a computed property up to date, as a part of the change under way. */
void validate(int thing, int property);
/** Brings a computed property up to date, as a change of its own. */
void compute(int thing, int property);
/** Makes a computed property valid that the program has set. */
void note_set(int thing, int property, bool is_another);
/** Forgets the computed properties of a thing that has ended. */
void end_computed(int thing);
/** Brings all that an observation follows up to date, before its call. */
void settle(struct watch *watch);
/** Whether another observation waits for a property that this one follows. */
bool follows_awaited(const struct watch *watch);
/** Notes for all pairs that found a property nil, and wait for it, that it has
    been evaluated. */
void answer_below(int thing, int property);
/** Brings all that a new pair follows up to date. */
void settle_pair(struct pair *pair);
/** Whether the ends of waiting pairs differ from those that they have kept. */
bool differs_from_first(const struct watch *watch);
bool pair_differs(const struct watch *watch, const struct pair *pair);
/** Whether the call depends on what invalid properties turn out to be. */
bool is_waiting(const struct watch *watch);
bool follows_invalid(const struct watch *watch);
/** Makes a call certain that depended on invalid properties. */
void make_sure(struct watch *watch);
void forget_firsts(struct watch *watch);
/** Reads a property as a command does: computes it if it is invalid. */
val read_computed(int thing, int property);
val read_along(int root, const struct path *path);
void invalidate(int thing, int property);
void invalidate_all(int thing);
void force_all(int thing);

/* foreign.c */
/** Whether things have a property `f`; scripts' things have not. */
extern bool knows_foreign;
/** Whether calls that are scheduled hold a foreign object. */
extern bool foreign_is_counted;
bool is_foreign(int thing);
bool counts_foreign(const struct program *program);
/** The thing to which a path leads on behind a property; NIL: none. */
int child_of(int thing, int property);
void register_foreign(int address);
void unregister_foreign(int address);
void write_foreign(int address, int property, val value);

/* deliver.c */
bool tracks(const struct watch *watch);
struct entry *note_change(struct entries *entries, const struct pair *pair,
                          uint64_t way, val before, val after);
/** Schedules an observation. False: the call is dropped. */
bool post(struct watch *watch, int root, bool keep);
/** Schedules an observation that follows an invalid property. */
bool post_perhaps(struct watch *watch, int root);
/** Adds the changes to the record of a call to come. */
void note_due(struct watch *watch, const struct entries *changes);
/** Makes a call to come certain, even if `net` finds no difference. */
void note_by_hand(struct watch *watch);
void push(struct watch *watch);
/** Fills in what a call is handed that no change has caused. */
void note_present(const struct watch *watch, int root, struct entries *present);
/** `limit`: so many blocks at most; -1: all. */
int drain(int loop, int limit);
void end_batch(void);
bool is_in_batch(void);
void end_loop(int loop);
/** Tells an observer, at once or later, that a root of its pair has died. */
void note_death(const struct watch *watch);
bool can_execute(const struct watch *watch);
void execute(struct watch *watch);
int first_root_of(const struct watch *watch);
/** Calls an immediate block, if the depth allows it. */
void call_immediate(struct watch *watch, int root, enum event_type type,
                    const struct entries *entries);
int pending_in(int loop);

/** A new event; refuses the command where there is no room. */
struct event *add_event(enum event_type type);

/* edit.c */
/** Whether a change copies values for an observation, so that they are held
    until the change has been told. */
bool copies(const struct watch *watch);
void set_property(int thing, int property, val value);
/** Edits a container, and tells of the edits. */
void edit_container(int container, const struct command *command);
/** An address gets its object, or loses it. */
void change_registration(int address, bool is_there);
void trigger_property(int thing, int property, val wired, val old);
/** Stores another value of a computed property. The old one is let go of when
    the change has been told. */
void replace_computed(val *slot, int property, val value);
/** Runs `happen`, which evaluates or invalidates, as one change. */
void change_computed(int thing, int property,
                     void (*happen)(int thing, int property));

#endif
