/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs: lists of commands of the scenario language, as numbers. A program
 * can be made up (generate.c), read from a script (check.c), executed by the
 * model (model.c) and by the library (real.c), shrunk and printed as a script
 * (shrink.c, print.c).
 *
 * A name stands for an index: the things A, B, ... and the observations O, P,
 * ... have one each. An index is used again when its thing or observation is
 * gone.
 */
#ifndef OBV_MODEL_PROGRAM_H
#define OBV_MODEL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    THINGS = 64,
    CONTAINERS = 24, /* from here on: those of scripts, which have no names */
    ADDRESSES = 3, /* of foreign objects, which are things behind all others */
    WATCHES = 16,
    OBSERVERS = 96,
    LOOPS = 5, /* the first, and those that `loop` makes */
    PAIRS = 8,
    ELEMENTS = 5,
    PATHS = 4,   /* of one command */
    PLACES = 3,  /* properties that a `set X.a.b.i` names */
    LISTED = 8,  /* commands that wait for one moment */
    STEPS = 200, /* commands of a program */
    NESTED = 160 /* commands inside `on`, `ondeinit`, `ondrop`, `thread` */
};

/* The elements of paths: first the properties, in the order of declaration;
   then `*`, numbers and hashes of items, and names that no class has. */
enum {
    I,
    J,
    D,
    FLAG,
    S,
    T,
    A,
    B,
    C,
    W,
    CLAMPED,
    F,    /* the address of a foreign object */
    L,    /* `list`: a list of things, which is itself in the table of things */
    DICT, /* `dict`: the same, a dictionary of things; */
    SET_OF_THINGS, /* `set`: and a set of them */
    SUM,           /* computed: i + j, */
    TWICE,         /* sum x 2, */
    LABEL,         /* s then t, */
    DEEP,          /* b.c.i or -1, */
    PICK,          /* b if flag, else a; */
    TENFOLD,       /* lazy: i x 10; */
    OVER,          /* of no script: b.sum or -1, */
    FAR,           /* pick.pick */
    K,
    STRINGS, /* up to ANYTHING: in scripts only, and never set */
    WORDS,
    TAGS,
    PLAIN,
    ANYTHING,
    COUNT, /* what a container has: `count`; */
    FIRST, /* a list: `#0`, `#1`, ...; */
    LAST = FIRST + 4,
    KEY,                    /* a dictionary: what stands at each key */
    KEY_OF_COUNT = KEY + 2, /* "count", in programs that are made up */
    LAST_KEY = KEY + 5,
    PROPERTIES,
    STAR = PROPERTIES,
    NUMBER, /* `0`, `1`, ...: of an item of a list, where observing begins */
    LAST_NUMBER = NUMBER + LAST - FIRST,
    BEYOND, /* a number that no list has */
    HASH,   /* `&7`, ...: the members of a set that have a hash */
    LAST_HASH = HASH + 12,
    UNKNOWN
};

/** The most items of a list, keys of a dictionary. */
enum { ROOM = LAST - FIRST + 1, KEYS = LAST_KEY - KEY + 1 };

/** A way: the elements that a path has taken, as the digits of a number with
    base WAY. A digit is a property; or the element as written, if it follows an
    item; or ITEM plus the thing that a `*` or a hash has met in a container. */
enum { WAY = 256, ITEM = 128 };

/** What becomes of a list, */
enum edit_kind {
    SPLICE, /* `removed` items at `at` go, `inserted` ones come */
    MOVE,   /* `moved` ones go from `at` to `to`, counted without them */
    ORDER,  /* `moved` ones from `at` on go each where `item` says */
    /* and of a dictionary. */
    PUT,    /* the first item, or nil, stands at the key `at` */
    DELETE, /* the key `at` goes, if it is there */
    /* And of a set. */
    ENTER, /* the first item is a member, if it is not */
    LEAVE  /* the first item is none */
};

struct list_edit {
    int8_t kind, at, removed, inserted, moved, to, item[ROOM];
};

/** The word of an edit in a script; the edits that it means are known when it
    is executed. Its operands are `at`, `to` and `item` of the command's first
    edit; pairs of keys and things stand in one edit each. */
enum word {
    TOLD, /* the command has the edits themselves */
    APPEND,
    INSERT,
    REMOVE,
    REPLACE,
    MOVE_ITEM,
    SWAP,
    SORT,
    REVERSE,
    SHUFFLE,
    CLEAR,
    ASSIGN,
    REPLACE_RANGE, /* `removed` ones from `at` on */
    PUT_KEY,
    DELETE_KEY,
    ADD,
    DISCARD,
    UNION,
    INTERSECT,
    SUBTRACT,
    SYMMETRIC,
    EDIT_WORDS,
    /* And the value of a set. */
    CONTENT = EDIT_WORDS, /* a new container with the operands */
    SHARED                /* what stands at the same property of `value` */
};

/** Edits of a container that are told together. */
enum { EDITS = 12 };

/** The properties that are computed. */
enum { COMPUTED = FAR - SUM + 1 };

enum kind { INT, DOUBLE, BOOL, TEXT, OBJECT, ADDRESS };

/** A value by its property's kind: the number, the place in a table of doubles
    or texts, the place of a thing. */
typedef int32_t val;

#define UNREACHABLE INT32_MIN
/** A value that the contract leaves open. */
#define ANY (INT32_MIN + 1)
/** No text, no thing. */
#define NIL (-1)

enum { UNKNOWN_NAMES = 8, TEXTS = 16, DOUBLES = 16 };

struct path {
    int8_t length, element[ELEMENTS];
};

/* Options of an observation. */
enum {
    IMMEDIATELY = 1,
    DEFERS = 2,
    TOKEN = 4,
    INITIAL = 8,
    ANY_ELEMENT = 16,
    NET = 32,
    VALUES = 64,
    PRIOR = 128,
    RECORDS = 256,
    COMPARE_ALWAYS = 512,
    COMPARE_EQUAL = 1024,
    COMPARE_IDENTITY = 2048,
    ONCE = 4096,
    TYPED = 8192 /* by key paths, where the language has them */
};

enum verb {
    NOTHING,
    NEW,
    NEW_SUB,
    NEW_LIST,
    NEW_DICTIONARY,
    NEW_SET,
    DROP,
    ON_DEINIT,
    LOOP,
    END_LOOP,
    SET,
    POKE,
    TRIGGER,
    OBSERVE,
    OBSERVE_CLASS,
    ALSO,
    ON,
    OFF,
    STOP,
    STOP_BY,
    STOP_PATH,
    STOP_BLOCK,
    STOP_BY_CLASS,
    STOP_BLOCK_CLASS,
    STOP_ALL,
    CANCEL,
    DROP_OBSERVER,
    ON_DROP,
    IMMEDIATE,
    SCHEDULE,
    EXECUTE,
    DRAIN,
    BATCH,
    END,
    THREAD,
    CANCEL_WAIT,
    REGISTER,
    UNREGISTER,
    WRITE, /* of a foreign object, and its trigger */
    EDIT,  /* of a container: `thing`, or where `word` is, at its place */
    READ,  /* what stands at a place */
    INVALIDATE,
    INVALIDATE_ALL,
    FORCE,
    SHORT_SET, /* a set while memory is short; then all is drained (FA-1) */
    EXPECT     /* what only a script says; `nested` is its line */
};

struct command {
    uint8_t verb;
    int8_t thing, watch, loop;
    /** The properties in a place behind the thing; the last is the one set. */
    int8_t places, place[PLACES];
    uint8_t word;
    int8_t edits;
    struct list_edit edit[EDITS];
    /** The value; of a trigger the old one, and the new one if `names_new`. */
    val value, now;
    bool names_new;
    /** `fails refused`; of a cancelwait, that it returns false. */
    bool refused;
    /** The class is Sub, not Thing. */
    bool of_sub;
    uint16_t options;
    /** Whose observer object, whose block; -1: its own. */
    int8_t by, block;
    int8_t paths;
    struct path path[PATHS];
    /** The command inside, by its place in `nested`; or a line. */
    int16_t nested;
    /** A drain ends after one block less than this; 0: it does not. */
    uint8_t limit;
    /** In C: the n-th allocation fails at a first try; 0: none. */
    uint8_t starve;
};

struct program {
    int count, nested_count;
    struct command step[STEPS], nested[NESTED];
    uint64_t seed;
    /** Things have computed properties. */
    bool computes;
};

/* Words ------------------------------------------------------------------- */

/** What the texts of paths need. */
enum { TEXT_OF_PATH = 128 };

/** The names of elements. Scripts choose those of keys and hashes. */
extern const char *property_names[UNKNOWN];
const char *element_name(int element);
/** The element of this name; makes a new unknown one. -1: no room. */
int element_of(const char *name);
enum kind kind_of(int property);
bool holds_thing(int property);
bool is_computed(int property);
bool is_position(int element);
bool is_key(int property);
/** `&7`, ... */
bool is_hash(int element);
/** The hash of each thing, as an element. */
extern int8_t hash_of[THINGS];
/** The name of the word of an edit; "": it is no word. */
const char *edit_name(enum word word);
/** A key as it is, not as a path has it. */
const char *key_text(int property);
/** The property that an element is in a dictionary. */
int key_of(int element);
/** `0`, `1`, ... */
bool is_number(int element);
const char *thing_name(int thing);
const char *watch_name(int watch);
/** "" of the first loop. */
const char *loop_name(int loop);

const char *text_at(val value);
double double_at(val value);
val text_value(const char *text);
val double_value(double number);
bool values_equal(int property, val a, val b);

/** Into `to`, of TEXT_OF_PATH bytes. */
const char *path_text(const struct path *path, char *to);
/** The text of a way: the path, with names in place of each `*` that does not
    stand for the content of a container. */
const char *way_text(const struct path *path, uint64_t way, char *to);
const char *value_text(int property, val value, char *to);
/** A command as a script has it, without a line's end, into at most `size`
    bytes. */
void command_text(const struct program *program, const struct command *command,
                  char *to, int size);

#endif
