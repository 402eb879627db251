/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The naive model of the behaviour contract. It shares nothing with the core:
 * it has the graph of things, the pairs, and one list of pending observations a
 * loop, and works everything out anew: what a change makes due is what differs
 * between the ends of each path before and after it.
 *
 * A command that the model does not know the outcome of (the script is wrong
 * there, or the contract leaves it open) is refused: reject() leaves it, and
 * the world is put back to what it was.
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

/** What a thing is: its properties, or what it contains. */
enum sort { OBJECTS, LISTS, DICTIONARIES, SETS, SORTS };
enum { EVERY_SORT = (1 << SORTS) - 2 }; /* of containers, a bit each */

/** What a computed property has read, as it was then. */
struct read {
    int8_t thing, property;
    uint32_t version;
};

/** Beside its last value, which stands with all others. */
struct computed {
    bool has_value, is_valid, is_dirty;
    /** Of the batch that has told of it, and does at its end; 0: all are told. */
    uint32_t told;
    uint8_t reads;
    struct read read[READS];
    /** Of the value. */
    uint32_t version;
    uint32_t evaluations;
};

struct thing {
    bool alive, dying, held, is_sub;
    /** It is dying, and its own commands are over: in Swift nothing names it. */
    bool is_nameless;
    /** What it is, and which containers it has: a bit for each sort. */
    uint8_t sort, has;
    /** References of calls and sets that are under way. */
    uint8_t holds;
    /** Of a position where nothing stands: UNREACHABLE. */
    val value[PROPERTIES];
    /** Of a list: what tells each item from all others that ever stood in one. */
    uint32_t tag[ROOM];
    /** Of a container: the change that has made its content what it is. */
    uint32_t edited;
    struct computed computed[COMPUTED];
    struct list on_deinit;
};

struct observer {
    bool alive, dying, held;
    uint8_t holds;
    /** Of deaths of roots. */
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
    /** The tag that a number in the path is bound to; 0: none yet. */
    uint32_t bound[ELEMENTS];
    /** What it was bound to has gone, by this change: it ends once it has been
        called. 0: it has not; LOST_AND_CALLED: it has ended so. */
    uint32_t lost_by;
    /** There was nothing to bind it to: it is never called. */
    bool is_nowhere;
    /** Something that it follows has become invalid: where it led before. */
    bool awaits;
    /** Somebody else who follows that has looked since. */
    bool is_answered;
    /** It is about to be registered: nothing calls it. */
    bool begins;
    /** The computed property that led nowhere then; a property of -1: none did. */
    int8_t nil_thing, nil_property;
    uint8_t firsts;
    struct first {
        uint64_t way;
        val value;
    } first[FIRSTS];
};

/** What became of one endpoint. */
struct entry {
    uint64_t way;
    uint32_t changes;
    val first, last;
    uint16_t pair;
    struct path path;
};

struct entries {
    uint8_t count;
    /** More than there is room for. */
    bool overflows;
    struct entry entry[ENTRIES];
};

/* An observation. Of a class it has no pair of its own, but for each instance
   that it follows one more observation, in the places behind all others. */
struct watch {
    bool used, linked, token, handle;
    /** Of Thing, or of Sub alone. */
    bool of_class, of_sub;
    /** Of one instance: the observation of the class; else -1. */
    int8_t whole;
    struct path class_path;
    /** Of a class: its instances' running blocks, on each thread. */
    uint8_t entered[2];
    bool pending, waits, foreign, cancelled;
    /** Pending for what has become invalid alone: it is called if that differs
        (LL-5). Whoever looks first answers for all that wait, and a path that
        moves meanwhile has two values before: then it may be called if not. */
    bool perhaps, aside_perhaps, may_be_called;
    /** Scheduled by another thread, and since then by a block's change. */
    bool joined;
    /** What it is handed is left open by the contract. */
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
    /* Due in a batch that is open: of which thread, for which root, and what
       changed in it; and what is left open of the call. */
    bool aside, aside_by_hand, aside_vague;
    int8_t aside_root;
    uint32_t aside_serial;
    struct entries unripe;
    /** `entries` are of a batch that ends now. */
    bool is_committed;
    /* At the last call. */
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
    /** Deaths that it has to tell each observer of. */
    uint32_t deaths[OBSERVERS];
};

/** What a batch has put aside: one that was taken back is another then. */
struct aside {
    int8_t watch;
    uint32_t serial;
};

/** What a thread has of its own. */
struct thread {
    uint8_t batches, immediate_depth;
    uint32_t batch; /* the number of the outermost one */
    int16_t aside_count;
    /** The innermost observation whose block runs, from 1; 0: none. */
    int16_t innermost;
    /** Running blocks; of a class, one more for all. */
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
    uint8_t fragile; /* the order of what happens now is left open */
    bool mute;       /* blocks and deinits do nothing, and nobody looks */
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

/** What the library must do during a command, in order. */
enum event_type {
    EVENT_DELAYED,
    EVENT_IMMEDIATE,
    EVENT_BY_HAND,
    EVENT_PRIOR,
    EVENT_ASKED /* to observe; no call */
};

/** What the answer is, if somebody asks to observe. */
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

/** The contract leaves it open, or the script is wrong. Does not return. */
_Noreturn void reject(const char *why);
extern const char *rejected;
/** The observation in whose block it happened; -1. */
extern int rejected_in;
/** Refuses also what scripts may do but the library's user must not. */
extern bool strict;

/* model.c */
void model_begin(void);
/** Keeps the world, or puts it back. */
void copy_world(struct world *to, const struct world *from);
/** One more than the last place that an observation has, of an instance
    too. */
int all_watches(void);
/** Runs a command; false: it was refused, and nothing changed. */
bool model_step(const struct program *program, const struct command *command);
void run_model(const struct command *command);
void run_listed(const struct list *list, int in_watch);
/** Runs an expectation of a script; set by check.c. */
extern void (*expect)(int line);
extern void (*expect_drained)(int count);

/* edit_words.c */
/** The edits that a command with a word comes to, in what the container has
    now. */
struct command edits_told(int container, const struct command *command);

/* walk.c */
struct end {
    uint64_t way;
    val value;
    int8_t container;
    /** The property that it is, of a number the present position's. */
    int8_t property;
    /** Of a hash: all that it stands for, a bit each. */
    uint64_t members;
};
bool same_path(const struct path *a, const struct path *b);
bool has_property(int thing, int element);
/** Whether something can be stored there: of a container otherwise than by what
    paths say. */
bool has_slot(int thing, int property);
/** The property at a thing that an element of a path is which nobody follows:
    there a number is the position; -1: none. */
int slot_at(int thing, int element);
bool is_list(int thing);
bool is_dictionary(int thing);
bool is_set(int thing);
/** Those of a set, of a hash or of all (`*`): a bit each. */
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
/** Whether what stands at a key is equal to another thing or nil. */
bool are_twins(val a, val b);
/** Whether values are equal as the property has it declared. */
bool are_equal(int property, val a, val b);
/** Whether two values of a property are equal to who watches: containers may be
    by what they hold. */
bool are_alike(const struct watch *watch, int property, val a, val b);
/** The containers that things have and programs set: a bit for each sort. */
extern unsigned knows;
/** Things are equal to others in dictionaries; else to themselves alone. */
extern bool knows_twins;
/** Whether things have collections that no program sets, and which are nil: those
    of bare scripts. */
extern bool has_unset;
/** Whether things come with containers, as in scripts: those have no names, and
    which of several that a dictionary or a set lets go ends first is open. */
extern bool gives_containers;
/** Whether what is made up is the script of a random program, for two languages:
    what differs there is left out. */
bool is_for_scripts(void);
/** Whether a weak reference to what dies is cleared. In C that is a set by the
    program, in Swift it is none. */
bool is_death_in_script(int property, val old);
/** Whether observing is refused: for an element that what stands there cannot
    have (KP-20), or an item that is not there (AR-2). */
/** Whether what stands there can never have an element. */
bool misfits(int thing, int element);
enum answer answer_for(int root, const struct path *path);
enum answer answer_for_class(const struct path *path);
/** Binds the numbers of a path to the items that it leads to now, or finds that
    it has lost one: by the change that is under way. */
void bind_pair(struct pair *pair);
/** What it follows is to be looked for. */
bool is_followed(const struct pair *pair);
int ends_of(const struct pair *pair, struct end ends[ENDS]);
/** Where a pair meets what is computed: for each element that names such a
    property, or is a `*`, the things that it is met on. */
enum { FOLLOWED = THINGS + ADDRESSES };
struct followed {
    uint8_t at[ELEMENTS][FOLLOWED];
};
void follow(const struct pair *pair, struct followed *followed);
/** Whether an element holds this slot; `named`: by its name, of STAR by `*`. */
bool holds_slot(const struct pair *pair, int thing, int property, bool named);
int count_of(int thing, int property);
bool is_observed(int thing, int property);
bool is_resolved(const struct pair *pair);
/** How many paths of an observation are not. */
int unresolved_of(const struct watch *watch);
/** Reads a path without `*`; a number is the position. */
val read_path(int root, const struct path *path);
/** Whether that would compute something. */
bool reads_invalid(int root, const struct path *path);
/** Whether an element of it stands in a list, and is followed there. */
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
/** Whether values are handed over, and so held. */
bool hands_over(const struct watch *watch);
void hold_entries(const struct entries *entries);
void let_entries_go(const struct entries *entries);
void end_watch(struct watch *watch);
/** As a token ends, whatever it is. */
void end_taken_back(struct watch *watch);
void end_pair(struct watch *watch, struct pair *pair);
/** Ends those that have lost what they follow, unless a call is to come; all of
    them, or those of one change. */
void end_lost(struct watch *watch, uint32_t lost_by);
bool is_done(const struct watch *watch);
bool is_free(const struct watch *watch);
bool ends_are_alive(const struct watch *watch, int root);

/* class_subscription.c */
/** What the program knows it by: of an instance the observation of the class. */
struct watch *whole_of(struct watch *watch);
/** Those of instances of `whole`, from the first (`at` NULL); NULL: no more. */
struct watch *next_instance(const struct watch *whole, struct watch *at);
/** A property of a thing is about to change, or is stored already: what observes
    its class begins to follow it. */
void follow_thing(int thing, int property, bool equal);
/** Whether an observation of a class is told of this property. */
bool class_observes(int thing, int property);
bool class_has(bool is_sub, int element);

/* computed.c */
/** Whether things have properties that are computed, as in some programs. */
extern bool knows_computed;
/** Whether what the library is known to do wrong is met all the same. */
extern bool knows_mended;
/** Whether they have those that no script knows. */
extern bool knows_extra;
/** Whether blocks read what their first path leads to, as in scripts. */
extern bool blocks_read;
struct computed *computed_at(int thing, int property);
bool is_valid(int thing, int property);
/** Who has read a property, which is another now, is invalid. */
void mark_readers(int thing, int property);
bool has_readers(int thing, int property);
void mark_computed(int thing, int property);
/** Those that the change which is under way has made invalid, each once. */
struct invalid {
    int8_t thing, property;
    /** It was invalid before, and is told of once more to who follows it by its
        name: another thread's batch has not told of it yet. */
    bool is_again;
};
enum { INVALIDS = 200 };
extern struct invalid invalids[INVALIDS];
extern int invalid_count;
/** And how many are valid again. */
extern int validated;
/** Before a command. */
void begin_computing(void);

/** Whether a drain is about to have an answer. */
bool is_settling(void);
/** Brings it up to date, within the change that is under way. */
void validate(int thing, int property);
/** The same as a change of its own. */
void compute(int thing, int property);
/** What is set is valid. */
void note_set(int thing, int property, bool is_another);
/** It has ended. */
void end_computed(int thing);
/** What an observation follows is brought up to date. */
void settle(struct watch *watch);
/** Whether another observation waits for something that it follows. */
bool follows_awaited(const struct watch *watch);
/** The object behind a property is known to all who have waited for it with nil. */
void answer_below(int thing, int property);
/** A pair that begins, likewise. */
void settle_pair(struct pair *pair);
/** Whether what has become invalid differs from what was before. */
bool differs_from_first(const struct watch *watch);
bool pair_differs(const struct watch *watch, const struct pair *pair);
/** Whether it is pending for what is invalid alone. */
bool is_waiting(const struct watch *watch);
bool follows_invalid(const struct watch *watch);
/** It is called for certain, whatever was awaited, with what there is then. */
void make_sure(struct watch *watch);
void forget_firsts(struct watch *watch);
/** Reads what stands there, as a command does. */
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
/** Where a path leads on to behind a property; NIL: nowhere. */
int child_of(int thing, int property);
void register_foreign(int address);
void unregister_foreign(int address);
void write_foreign(int address, int property, val value);

/* deliver.c */
bool tracks(const struct watch *watch);
struct entry *note_change(struct entries *entries, const struct pair *pair,
                          uint64_t way, val before, val after);
/** False: dropped. */
bool post(struct watch *watch, int root, bool keep);
/** The same for what has become invalid. */
bool post_perhaps(struct watch *watch, int root);
/** What changed, of one that is due. */
void note_due(struct watch *watch, const struct entries *changes);
/** What is due is called whatever net says. */
void note_by_hand(struct watch *watch);
void push(struct watch *watch);
/** What a call that no change has caused is handed. */
void note_present(const struct watch *watch, int root, struct entries *present);
/** `limit`: so many blocks at most; -1: all. */
int drain(int loop, int limit);
void end_batch(void);
bool is_in_batch(void);
void end_loop(int loop);
/** A root of a pair has died: its observer is told, or will be. */
void note_death(const struct watch *watch);
bool can_execute(const struct watch *watch);
void execute(struct watch *watch);
int first_root_of(const struct watch *watch);
/** Calls an immediate block, if the depth allows it. */
void call_immediate(struct watch *watch, int root, enum event_type type,
                    const struct entries *entries);
int pending_in(int loop);

/** An event, of which there is only so much room. */
struct event *add_event(enum event_type type);

/* edit.c */
/** Whether what is compared or handed over is copied, and so held, until the
    change has been told. */
bool copies(const struct watch *watch);
void set_property(int thing, int property, val value);
/** An edit of a container, and its telling. */
void edit_container(int container, const struct command *command);
/** An address gets its object, or loses it. */
void change_registration(int address, bool is_there);
void trigger_property(int thing, int property, val wired, val old);
/** Another value of a computed property; the old one is let go of when the change
    has been told. */
void replace_computed(val *slot, int property, val value);
/** What is computed has changed, or is invalid: `happen` does it. */
void change_computed(int thing, int property,
                     void (*happen)(int thing, int property));

#endif
