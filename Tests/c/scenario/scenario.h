/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the scenario runner share. The runner executes the scripts
 * of Tests/scenarios over the public interface alone; the language is
 * described in Tests/scenarios/README.md.
 *
 *     script.c     a file becomes tests, lines and words
 *     value.c      what can be read, written and expected
 *     thing.c      the classes Thing and Sub, as any user would write them
 *     list.c       arrays, dictionaries and sets: their classes, reading them
 *     ready_list.c the ready-made ones
 *     own_list.c   containers of its own, as any user would write them
 *     access.c     their properties by name, and along paths
 *     watcher.c    observer objects and blocks, as any user would write them
 *     world.c      what a test has: names, loops, the context; its clean end
 *     run.c        the table of commands; what nests
 *     commands.c   objects, sets, triggers, loops, drains, threads
 *     lists.c      the commands about lists
 *     observing.c  observing and stopping
 *     handed.c     what a block is handed: old and new values, records
 *     edits.c      what has happened to a collection from call to call
 *     expect.c     the expectations
 *     main.c       one process a test, and the sums
 *
 * Inside a test everything happens on one thread at a time: `thread` waits for
 * the thread that it starts. So nothing here is locked.
 */
#ifndef OBV_SCENARIO_H
#define OBV_SCENARIO_H

#include "script.h"

#include <observable/observable.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- values -------------------------------------------------------------- */

enum value_kind {
    VALUE_UNREACHABLE,
    VALUE_NIL,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_TEXT,
    VALUE_OBJECT,
    VALUE_LIST,
    VALUE_SET,
    VALUE_DICTIONARY,
    VALUE_ANY /* of a property: an object, a list or a dictionary of such */
};

/** The number of classes of containers: enum list_class. */
#define LIST_CLASSES 7

struct list;
struct named_thing;

struct value {
    enum value_kind kind;
    bool truth;
    int64_t integer;
    double real;
    const char *text;
    struct named_thing *object;
    /** The content of a container, and the container; NULL: not made yet. */
    struct value *items;
    const char **keys;
    size_t item_count;
    struct list *list;
    bool is_constant; /* the list to be made of it is constant */
};

struct value value_parse(const char *word);
/** A word with each `&(MEMBER)` as `&h`, by the member's hash. */
const char *word_with_hashes(const char *word);
/** A value that the library has handed over. The test fails if its fields
    contradict each other. */
struct value value_handed(const struct obv_value *handed);
bool value_equal(const struct value *a, const struct value *b);
/** In the script's spelling; kept. */
const char *value_print(const struct value *value);

/* --- the world of a test ------------------------------------------------- */

struct thing;
struct watcher;
struct block;

/** Commands that wait for a moment: `on`, `ondeinit`, `ondrop`, `ontold`,
    `onstate`. */
struct command_list {
    struct words *commands;
    size_t count, room;
};

/** An entry of what an object was told, or of what `onstate` waits for: `+i`
    (it is observed now), `-*`. */
struct told {
    const char *word;
    /** The commands that `onstate` runs; empty in what was told. */
    struct command_list on_told;
    struct told *next;
};

/** An object by its name. It stays when the object has gone. */
struct named_thing {
    const char *name;
    /** NULL once the object is dead. */
    struct thing *thing;
    /** The script has not dropped it yet. */
    bool held;
    struct command_list on_deinit;
    /** `told`: its notices of being observed, in order; `awaited`: those that
        `onstate` waits for. */
    struct told *told, *awaited;
    struct named_thing *next;
};

struct named_loop {
    const char *name;
    /** NULL once destroyed. */
    struct obv_loop *loop;
    struct named_loop *next;
};

/** An observer object; stays when the object has gone. */
struct observer {
    /** NULL once dead. */
    struct watcher *watcher;
    bool held;
    /** Deallocation notices that it has had. */
    uint64_t told;
    struct command_list on_drop, on_told;
    struct observer *next;
};

/** A block of the script. In C the address of a handler kind identifies a
    block; observations that share a block, but which one kind cannot tell
    apart, get a kind each. */
struct closure {
    struct block *blocks;
};

/** One entry of a record, copied. */
struct handed_entry {
    const char *path, *way;
    struct value first, last;
    uint64_t changes;
};

/** What a call has handed over, copied. */
struct handed {
    bool has_values, has_record;
    struct value old, now;
    struct handed_entry *entries;
    size_t count, missing;
};

/** An edit, in the script's spelling: a sign with the place, and a value. */
struct edited {
    const char *place;
    struct value value;
};

struct observation {
    const char *name;
    struct obv_observation *handle;
    bool token, immediate;
    /** obv_observe_flags. */
    uint32_t flags;
    /** Its paths as written, in their order. If it began with none, the empty
        path stands in front. */
    const char **paths;
    size_t path_count;
    /** NULL: a token has none. */
    struct observer *observer;
    struct closure *closure;
    struct block *block;
    /** What the handler is given: its watcher, or a token's own address. */
    void *identity;
    /** NULL: every instance of a class is observed. */
    struct named_thing *first_root;
    /** NULL: there is none, or it cannot be read (`*`). */
    const char *first_path;
    struct command_list on_call;
    uint64_t calls;
    struct value saw;
    struct handed handed;
    /** If the test expects its edits: the edit list, its container (held), and
        the edits of the last call. */
    bool has_edits;
    struct obv_edit_list *edit_list;
    struct list *edited;
    struct edited *edits;
    size_t edit_count;
    struct named_thing *root;
    struct observation *next;
};

/** A drain that is running. */
struct drain_frame {
    size_t called;
    /** The place in `world.order` of this drain's first call. */
    size_t begin;
    /** `world.depth` while this drain calls blocks. */
    size_t depth;
    struct drain_frame *outer;
};

/** What a refused call has answered; `fails` looks at it. */
struct refusal {
    bool happened;
    enum obv_status status;
    size_t position;
};

/** How deep batches may nest in a test. */
enum { BATCHES = 8 };

struct world {
    const struct scenario *scenario;
    struct obv_context *context;
    struct obv_class *thing_class, *sub_class, *watcher_class;
    /** Of arrays, dictionaries and sets: of things, and of texts. */
    struct obv_class *list_classes[LIST_CLASSES];
    /** Collections that new objects do not have (`bare`), a bit each. */
    uint32_t bare;
    /* All lists: the newest first. */
    struct named_thing *things;
    struct named_loop *loops;
    struct observer *observers;
    struct observation *observations;
    /** The delayed blocks of the last outermost drain, in order. */
    struct observation **order;
    size_t order_count, order_room;
    struct drain_frame *drain;
    /** How many commands and ends of objects are under way. A call at a depth
        that is not a drain's is immediate. */
    size_t depth;
    /** The observation that `execute` is about to call. */
    struct observation *executing;
    struct refusal *refusal;
    /** The batches that are open. */
    struct obv_batch batches[BATCHES];
    size_t batch_depth;
    /** How many were open when the innermost list of commands began. */
    size_t batch_base;
    /** Calls of the diagnostics hook; those that say "too deep" (IM-4); and,
        beside these, those that only debug builds make. */
    uint64_t reports, depth_reports, debug_reports;
    size_t things_alive, lists_alive, watchers_alive, blocks_alive;
    /** The test is over: blocks and deinits run no commands any more. */
    bool over;
    /** Set and read by index instead of by accessor. */
    bool by_index;
    /** Arrays, dictionaries and sets are the runner's, not the library's. */
    bool has_own_lists;
    /** Observers are not told of deaths. */
    bool unaware;
};

extern struct world world;

void world_begin(const struct scenario *scenario, bool by_index);
/** Stops, releases, drops and drains everything, and fails the test if
    anything is left then. */
void world_end(void);

/** Fails the test: notes the line of the command that runs, and exits. */
_Noreturn void fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/** The kind of error that `fails` waits for by this status. */
const char *kind_of_status(enum obv_status status);
/** A call was refused: fails the test unless `fails` waits for that. */
void refuse(enum obv_status status, const struct obv_error *error);

struct named_thing *world_named(const char *name);
/** The same if it lives, else the test fails. */
struct thing *world_thing(const char *name);
/** A class of objects by its name, or NULL. */
struct obv_class *world_find_class(const char *name);
/** The same; the test fails if there is none. */
struct obv_class *world_class(const char *name);
struct named_loop *world_loop(const char *name);
struct observation *world_observation(const char *name);
/** An observation's observer; the test fails if none is alive. */
struct watcher *world_watcher(const struct observation *observation);
/** The entry of a list with this word, made at its end if there is none. */
struct told *told_entry(struct told **list, const char *word);
/** Fails the test unless the name begins with a capital letter, and letters,
    digits and `_` are all it has. */
void world_check_name(const char *name);

/* Called by the classes and handlers of the runner, at these moments. */
void world_thing_ends(struct named_thing *named);
void world_thing_told(struct named_thing *named, const char *property,
                      bool is_observed);
void world_watcher_ends(struct observer *observer);
void world_watcher_told(struct observer *observer,
                        const struct obv_deallocation_notice *notice);
void world_block_called(struct block *block, void *identity,
                        struct named_thing *root, const struct obv_call *call);
/** Copies what a call hands over, and fails the test if it is not what the
    observation asked for. */
void note_handed(struct observation *observation, const struct obv_call *call);

/** Follows the collection at the first path of an observation by an edit list;
    _note() takes the edits since the last call; _end() gives the list back. */
void edits_begin(struct observation *observation);
void edits_note(struct observation *observation);
void edits_end(struct observation *observation);

/* --- commands ------------------------------------------------------------ */

enum command_sort { COMMAND_ACTS, COMMAND_EXPECTS };

struct command {
    const char *word;
    enum command_sort sort;
    void (*run)(struct words arguments);
    /** The fewest and the most arguments. */
    size_t least, most;
    /** Arguments before a nested command; 0: there is none. */
    size_t nests;
};

/** The tables, each ended by a NULL word. */
extern const struct command action_commands[];
extern const struct command list_commands[];
extern const struct command observing_commands[];
extern const struct command expectations[];
extern const struct command handed_expectations[];
extern const struct command edit_expectations[];
extern const struct command nesting_commands[];

#define COMMAND_ANY_COUNT SIZE_MAX

/** Runs a command; the test fails if it is unknown. */
void run_command(struct words command);
void run_list(struct command_list *list);
/** Adds a command for later; its words are checked now. */
void list_add(struct command_list *list, struct words command);
/** Fails the test, and prints both, unless the value is what the word says. */
void expect_value(const char *what, const struct value *have, const char *word);
void expect_number(const char *what, uint64_t have, const char *want);
/** Fails the test unless this is `+` or `-` and a property. */
void state_check_known(const char *word);
/** An observation that has been called; the test fails if it was not. */
struct observation *expect_called(const char *name);
/** Whether the test says anywhere what must follow. */
bool scenario_expects(const struct scenario *scenario);
/** Whether `first second` stands side by side anywhere in the test. */
bool scenario_mentions(const struct scenario *scenario, const char *first,
                       const char *second);

/* --- properties by name -------------------------------------------------- */

/** Fails the test unless this is `*` or a property of some class: an
    expectation about a misspelled name could never fail. */
void name_check_known(const char *name);
/** The same check; of a list also a number, which follows an element: `3`. */
void element_check_known(const struct obv_object *object, const char *name);
/** The same of each element of a path. */
void path_check_known(const char *path);
/** Reads `path` from an object through the getters; false if it holds a `*`. */
bool path_read(struct named_thing *root, const char *path, struct value *value);
/** Whether a path holds a `*`. */
bool path_has_star(const char *path);
/** Whether a path follows an element wherever it moves: `n`. */
bool path_follows(const char *path);
/** An object by its name, or the one that stands at a place. */
struct obv_object *object_at(const char *place);
/** `X.b.i` in one word. */
struct value place_read(const char *place);
void place_set(const char *place, const struct value *value);
void place_poke(const char *place, const struct value *value);
/** Makes the computed property at the end of a place invalid; and how often it
    was computed. */
void place_invalidate(const char *place);
uint64_t place_evaluations(const char *place);
/** Calls `each` for the computed properties of an object that are (in)valid. */
void thing_each_computed(struct thing *thing, bool is_valid,
                         void (*each)(void *context, const char *name),
                         void *context);
/** Triggers the property at the end of `path` by hand. `now` NULL: the trigger
    names no new value. */
void path_trigger(struct thing *root, const char *path, const struct value *old,
                  const struct value *now);

/* --- the report of one test, in memory that parent and child share ------- */

struct report {
    unsigned line;
    char text[400];
};

extern struct report *report;

#endif
