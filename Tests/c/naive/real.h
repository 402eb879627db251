/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's side: executes the commands of a program over the public
 * interface alone. The model executes each command first, and notes the calls
 * that must come (events, in model.h); the library must make these calls in
 * this order.
 *
 *     real_thing.c  things and observer objects, as any user would write them
 *     real.c        the commands
 *     compare.c     what must be equal after each of them
 */
#ifndef OBV_MODEL_REAL_H
#define OBV_MODEL_REAL_H

#include "model.h"

#include <observable/observable.h>

enum { ROOM_OF_ANY = ROOM > KEYS ? ROOM : KEYS };

struct real_thing {
    union {
        struct obv_object object;
        struct obv_container container; /* of a container */
    };
    int references, number;
    /* Numbers of several kinds, where the scripts' world has one or two. */
    int64_t i;
    int16_t j;
    float d;
    bool flag;
    const char *s, *t;
    struct real_thing *a, *b, *c;
    /** Weak: cleared by the end of the object that it names. */
    struct real_thing *w;
    enum { CLAMP_LEAST = 0, CLAMP_GREATEST = 100, BELOW_CLAMP = -5 } clamped;
    /** Leads on. */
    struct real_foreign *f;
    struct real_thing *list, *dict, *set;
    /** Computed: the last values. */
    int64_t sum, twice, deep, tenfold, over;
    const char *label;
    struct real_thing *pick, *far;
    uint32_t evaluations[COMPUTED];
    uint32_t k; /* of a Sub only */
    /* Of a container only: of a dictionary what stands at each key. */
    size_t used;
    struct real_thing *items[ROOM_OF_ANY];
    bool has_key[KEYS];
};

/** A foreign object: a struct of a library that does not know of observing. */
struct real_foreign {
    int references;
    uint64_t told;
    int64_t i;
    const char *s;
    struct real_foreign *f;
    /** Its registration, and one that has ended. */
    struct obv_object *proxy; /* NULL: it is not registered */
};

struct real_observer {
    struct obv_object object;
    int references, number;
};

struct real_watch {
    struct obv_handler_kind kind;
    struct obv_observation *handle;
    bool used, of_class;
    int observer, closure, disposed;
    struct list on_call;
};

struct real {
    struct obv_context *context;
    struct obv_class *thing_class, *sub_class, *observer_class, *foreign_class,
        *list_class, *dictionary_class, *set_class;
    struct real_foreign foreign[ADDRESSES];
    struct obv_loop *loop[LOOPS];
    struct real_thing *thing[THINGS];
    bool held[THINGS];
    struct list on_deinit[THINGS];
    /** The properties that are observed as each thing was told (OS-1): a bit
        each. */
    uint64_t told[THINGS];
    struct real_observer *observer[OBSERVERS];
    bool observer_held[OBSERVERS];
    struct list on_drop[OBSERVERS];
    /** Deaths of roots that it was told of. */
    uint32_t deaths[OBSERVERS];
    int observers, closures;
    struct real_watch watch[WATCHES];
    struct obv_batch batch[2][8];
    int batches[2], self;
    uint64_t reports;
    /** Calls and drops beyond the model's, while nothing was compared
        (`mute`). */
    uint64_t called_apart, dropped_apart;
    size_t blocks; /* of memory, of a world that was given up */
    /** The program is over, or nothing is compared: handlers do nothing. */
    bool over, mute;
    /** Sets go through the setters by index, not through the inline ones. */
    bool by_index;
    /** Things are told of being observed; observers of deaths. */
    bool tells, hears;
};

extern struct real real;

/** Commands that the library has executed so far, nested ones too. */
extern uint64_t real_steps;
/** Each command, and each call, is printed. */
extern bool real_trace;

/** Called after a difference has been printed; NULL: the process ends. */
extern void (*on_difference)(void);

/** Prints what differs, and ends the process. */
_Noreturn void differ(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
#define EXPECT_EQ(what, have, want)                                            \
    do {                                                                       \
        long long have_ = (long long)(have), want_ = (long long)(want);        \
        if (have_ != want_) {                                                  \
            differ("%s is %lld, not %lld", what, have_, want_);                \
        }                                                                      \
    } while (0)

/* real_thing.c */
void make_classes(void);
void make_thing(int number, enum verb verb);
bool thing_retain(struct real_thing *thing);
void thing_release(struct real_thing *thing);
void make_real_observer(int number);
bool observer_retain(void *observer);
void observer_release(void *observer);
val real_read(struct real_thing *thing, int property);
void real_set(struct real_thing *thing, int property, val value);
val real_get(const struct real_thing *thing, int property);
void real_edit(struct real_thing *container, const struct command *command);
void real_poke(struct real_thing *thing, int property, val value);
void real_trigger(const struct program *program, const struct command *command,
                  struct real_thing *root);

/* real_foreign.c */
void make_foreign_class(const struct program *program);
val address_of(const void *pointer);
struct real_foreign *foreign_at(val address);
struct obv_object *root_of(int thing);
int number_of_root(struct obv_object *root);
void real_register(int address);
void real_unregister(int address);
void real_write(int address, int property, val value);

/* real.c */
void real_begin(const struct program *program);
void real_step(const struct command *command);
void real_end(void);
void run_real(const struct command *command);
void run_real_listed(const struct list *list);

/* compare.c */
void compare_call(const struct event *event, const struct obv_call *call);
/** `whole`: everything, else the cheap part and what `turn` chooses. */
void compare_worlds(bool whole, unsigned turn);
void compare_steady(void);

#endif
