/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties of an object: what is known of the value of each, and the
 * edges of the dependency graph. How marks are pushed along them is in
 * wiring/invalidation.h, how values are pulled in computed/evaluation.h.
 *
 * A record comes with the first evaluation or set of a property, or with an edge
 * to it, and goes with its object. It is valid while it has a sound value (`state`)
 * that no mark has reached:
 *
 *     stale      something that it depends on may have changed: the edges from
 *                it have carried this on, and whoever observes it was told
 *     is_dirty   something surely has: it is to be evaluated, not only checked
 *
 * Any thread marks, in an epoch section (wiring/invalidation.h); who evaluates
 * takes the marks away before it reads anything. An edge is a watcher in the
 * list of the slot that was read, so that an edit of that slot finds it.
 *
 * Of several threads one evaluates a record at a time (wiring/claim.h).
 */
#ifndef OBV_COMPUTED_H
#define OBV_COMPUTED_H

#include "model/inbound.h"
#include "model/node.h"
#include "model/watcher.h"

#include <observable/computed.h>

/** How it is with a record, marks aside. 0: its value is sound, an evaluation or
    a set has given it, and there is no other on its way. */
enum obv__computed_state {
    /* How far the evaluation has come, one of these. */
    OBV__RESTS = 0,  /* there is none, or its value is stored */
    OBV__CHECKS = 1, /* what was read last time is brought up to date */
    OBV__RUNS = 2,   /* the function of the program runs */
    OBV__STANDS = 3, /* who has claimed it wants the last value, valid or not */
    OBV__PHASE = 3,  /* the mask of these */
    /* What is wrong with the value, any of these. */
    OBV__NO_VALUE = 4,  /* nothing has given it one yet */
    OBV__OVERTAKEN = 8, /* what its evaluation had read has changed since */
    OBV__FAILED = 16,   /* the last evaluation has */
    OBV__SHORT = 32,    /* memory was, to compute it or to hear of changes */
    OBV__UNSOUND = 60   /* the mask of these */
};

/** What has happened to a claimed record since its check began, or its
    function. */
enum obv__happened {
    OBV__WAS_SET = 1,
    OBV__HAS_RUN = 2,      /* its function */
    OBV__IS_OVERTAKEN = 4, /* that has set what it had read */
    OBV__WANTED_AGAIN = 8, /* by somebody immediate: it has set off a handler
                              that marks it */
    OBV__RAN_AGAIN = 16,   /* since that was wanted: `run_again`; stays */
    OBV__HAS_ENDED = 32    /* its object */
};

/** Whether a record is in a list of invalidation.c, by `marked`. */
enum obv__queued {
    OBV__QUEUED = 1,
    OBV__FOR_ALL =
        2 /* another thread has marked it as well, and leaves it to who
                        has queued it to tell everybody */
};

/** The value that an observation compares with when it is delivered: the last
    valid one before the first invalidation that it was scheduled for. */
enum obv__first {
    OBV__FIRST_NONE,   /* nobody waits */
    OBV__FIRST_IS_NOW, /* somebody does, and it is stored still */
    OBV__FIRST_KEPT,   /* another is stored by now: `first` */
    OBV__FIRST_UNKNOWN /* so it is, and it could not be kept: whatever is stored
                          counts as another */
};

/** Whether a record holds the value that is compared with. */
enum obv__first_held {
    OBV__FIRST_IS_NONE,
    OBV__FIRST_IS_OWN, /* perhaps of no use any more */
    OBV__FIRST_IS_LENT /* by who stores another, and lets go of it */
};

/** The value of a property outside of its field: as the field has it, with what
    it owns. */
union obv__raw {
    uint64_t scalar;
    const char *text;
    struct obv_object *object;
    void *far; /* of bytes that have no room here */
};

struct obv__computed {
    struct obv__retired retired; /* lent to the reclaim at the end */
    /* Constant. */
    struct obv_object *object;
    const struct obv_property *property;
    struct obv_context *context;
    struct obv_detail_node *node;
    uintptr_t *head; /* of its slot */
    void *value;     /* where that is stored: the field, or `box` */
    uint16_t slot;
    uint8_t is_lazy, is_eager;
    uint8_t is_held; /* its object's class has references */
    uint8_t
        is_word; /* its value is four or eight bytes, and compared as such */
    /* Any thread. */
    uint8_t is_dirty;
    uint8_t is_set; /* its value was, by the program: until it is evaluated */
    uint8_t queued; /* enum obv__queued */
    uint8_t is_waited;    /* somebody wanted its value, and there was none to be
                            had: is told of the next (claim.h) */
    uint8_t first_state;  /* enum obv__first; see invalidation.c */
    uint8_t box_readers;  /* that copy `box` without a claim */
    uint8_t marked_sound; /* whether its value was, before the mark; of who has
                             queued it */
    uint8_t state;        /* enum obv__computed_state; of who evaluates; who
                            sets it may say that the value is sound */
    /* Of who has claimed it. */
    uint8_t happened;  /* enum obv__happened */
    uint8_t declares;  /* dependencies were declared, or are yet to be */
    uint8_t has_first; /* enum obv__first_held; an end takes it as well */
    int8_t status;     /* of the evaluation since the check began */
    uint8_t run_again; /* so often in a row, as it was wanted again */
    uint8_t
        is_trusted; /* any thread: what is compared with was left as it was behind
                           a call, since one thread alone had marked */
    /* Since when `first` is not stored any more, as the serial of a binding. */
    uint32_t first_until;
    uint32_t version; /* counts the values that it has stored; read by any */
    uint64_t inbound_sets;   /* obv__inbound_sets, as its last check began, or
                                its function */
    uint32_t version_before; /* as its check began */
    uint32_t settled;        /* the number of the settling that has been here */
    uint32_t found; /* the same of the last check that a declared path has led
                       here */
    uint32_t
        marked_version;  /* as it was before the mark; of who has queued it */
    uintptr_t stale;     /* any thread: 0, or who has told of it (wiring/
                            invalidation.h) */
    uintptr_t hidden_by; /* any thread: 0, or the number of the thread whose
                            handler has changed it and has not been told
                            (DR-3): another's change may be behind that */
    /* Whose it is: see wiring/claim.h. */
    uintptr_t bias, inside, evaluator;
    /* Of who has claimed it. */
    union obv__raw first;
    struct obv_boxed *box; /* the value of a binding's; else NULL */
    struct obv__edge *dependencies;
    struct obv__declared *declared; /* computed/dependencies.c; NULL: nothing */
    struct obv__edge *checked;      /* while it is checked */
    struct obv__computed *asker;    /* that waits for it meanwhile */
    struct obv__computed *marked;   /* the next one; of who has queued it */
    /* Stamps, if anybody is told them: of the newest change that has made it
       invalid since it was set (0: none; any thread), and of that set. */
    uint64_t stamp, set_at;
};

/** In `stale` of a record: everybody is told of what has marked it. Else it is a
    number of obv__teller_number(). */
#define OBV__TOLD_ALL ((uintptr_t)1)

/** In such a number: of a batch, which tells at its end. */
#define OBV__TELLS_LATER ((uintptr_t)1)

/** The next number of a batch (`bits`: OBV__TELLS_LATER) or of an edit (0). */
static inline uintptr_t obv__teller_number(uint64_t *counter, uintptr_t bits)
{
    uintptr_t number;
    do {
        number = (uintptr_t)(obv__fetch_add_relaxed(counter, 1) << 1) | bits;
    } while (number <= OBV__TOLD_ALL);
    return number;
}

/** What is marked and has not told anybody yet (wiring/invalidation.h). */
struct obv__marks {
    uintptr_t thread;  /* number of who marks; one that has none evaluates
                         nothing */
    bool is_of_reader; /* another thread may mark at the same time, whatever the
                          context says: several may read */
    struct obv__work_list *work; /* of the change */
    const struct obv__computed
        *set; /* what the change has set: that stands, also
                                        in a cycle; or NULL */
    struct obv__computed *first, *last; /* the last, if there is a first */
};

/** The record of a computed property of a node, or NULL: it was never
    evaluated. It stands where a stored property has its all-pending stamp: a
    slot of a computed one has the slow-path bit, and so no use for that. */
static inline struct obv__computed *
obv__computed_in(struct obv_detail_node *node, uint32_t slot)
{
    struct obv_detail_slot *found = node ? obv__slot(node, slot) : NULL;
    /* Acquire, pairs with the publication in obv__computed_make(). */
    return found ? (struct obv__computed *)(uintptr_t)obv__load_acquire(
                       &found->all_pending_at)
                 : NULL;
}

/** How far its evaluation has come: OBV__RESTS and the next. */
static inline unsigned obv__computed_phase(const struct obv__computed *computed)
{
    return obv__load_acquire(&computed->state) & OBV__PHASE;
}

/** What is wrong with its value: OBV__NO_VALUE and the next. Acquire: a sound one
    is seen. */
static inline unsigned
obv__computed_unsound(const struct obv__computed *computed)
{
    return obv__load_acquire(&computed->state) & OBV__UNSOUND;
}

/** Whether an evaluation or a set has given a record a value. */
static inline bool obv__computed_has_value(const struct obv__computed *computed)
{
    return !(obv__computed_unsound(computed) & OBV__NO_VALUE);
}

/** The address of a value that is kept outside of its field. */
static inline const void *obv__raw_value(const struct obv__computed *computed,
                                         const union obv__raw *raw)
{
    return computed->property->size > sizeof *raw ? raw->far : raw;
}

/** Lets go of a value that is kept outside of its field. Runs code of the
    program. */
void obv__raw_drop(struct obv_context *context,
                   const struct obv_property *property, union obv__raw *raw);

/** Takes what those who waited compare with out of a claimed record, where nobody
    waits any more; false: nothing was kept. */
bool obv__first_take(struct obv__computed *computed, union obv__raw *first);

/** Whether a slot of a class is a computed property. */
static inline bool obv__slot_is_computed(const struct obv_class *cls,
                                         uint32_t slot)
{
    if (!OBV__UNLIKELY(!obv__class_is_plain(cls))) {
        return false;
    }
    const struct obv_property *property = obv__property_in(cls, slot);
    return property && property->computed;
}

/** The record of a slot of an object; of one that is not computed NULL. */
static inline struct obv__computed *
obv__computed_of(const struct obv_object *object, uint32_t slot)
{
    return obv__slot_is_computed(obv__class_of(object), slot)
               ? obv__computed_in(obv__node(object), slot)
               : NULL;
}

/** Whether other threads may mark it while one evaluates it. Relaxed: who has
    made a class with a property that any thread may set has told the thread of
    it that evaluates what depends on that. */
static inline bool obv__computed_is_shared(const struct obv__computed *computed)
{
    return OBV__UNLIKELY(obv__load_relaxed(&computed->context->any_thread));
}

/** Whether what is stored is its value. Any thread. Once any thread has set what
    it may depend on it is not, until that was looked at (LL-8); but a value that
    was set stays until the drain. */
static inline bool obv__computed_is_valid(const struct obv__computed *computed)
{
    /* Acquire, the first: who has taken the mark away has begun a phase before.
       The second: the value that was stored before is seen. */
    return !obv__load_acquire(&computed->stale) &&
           obv__load_acquire(&computed->state) == OBV__RESTS &&
           !(obv__computed_is_shared(computed) &&
             !obv__load_acquire(&computed->is_set) &&
             obv__load_acquire(&computed->inbound_sets) !=
                 obv__load_seq_cst(&obv__inbound_sets));
}

/** It is looked at from here on, so that what any thread sets later is not. */
static inline void obv__computed_look(struct obv__computed *computed)
{
    /* Seq_cst: before any version is read. */
    obv__store_release(&computed->inbound_sets,
                       obv__load_seq_cst(&obv__inbound_sets));
}

/** Whether memory was too short for a property, or for what it depends on: who
    observes it would not hear of all changes. */
static inline bool obv__computed_is_short(const struct obv__computed *computed)
{
    return !computed || (obv__computed_unsound(computed) & OBV__SHORT);
}

/** Whether the thread of a number, which asks, has claimed it. */
static inline bool obv__computed_is_of(const struct obv__computed *computed,
                                       uintptr_t thread)
{
    /* Relaxed, both: only that thread writes its own number there. */
    return obv__load_relaxed(&computed->inside) == thread ||
           obv__load_relaxed(&computed->evaluator) == thread;
}

/** Somebody outside of any function sees a value that is not stored, since another
    thread is at it: whoever waits for an answer, or comes to, is called then,
    whatever that is. */
static inline void obv__first_unknown(struct obv__computed *computed)
{
    (void)obv__exchange_seq_cst(&computed->first_state,
                                (uint8_t)OBV__FIRST_UNKNOWN);
}

/** Whether any thread has claimed it. */
static inline bool
obv__computed_is_claimed(const struct obv__computed *computed)
{
    return obv__load_seq_cst(&computed->inside) != 0 ||
           obv__load_seq_cst(&computed->evaluator) != 0;
}

/** Whether its function runs on the thread of a number, which asks. */
static inline bool obv__computed_runs(const struct obv__computed *computed,
                                      uintptr_t thread)
{
    return obv__computed_phase(computed) == OBV__RUNS &&
           obv__computed_is_of(computed, thread);
}

/** In obv_context.marker. */
#define OBV__MANY_MARKERS UINTPTR_MAX

/** Who has marked computed properties of a context where any thread may: see
    obv_context.marker. Seq_cst: behind the look at a mark, or what took it away;
    pairs with note_marker() (wiring/invalidation.c). */
static inline uintptr_t obv__marker(const struct obv_context *context)
{
    return obv__load_seq_cst(&context->marker);
}

/** Puts bits into the state, in the place of all but those of a mask (`kept`): a
    phase beside who sets the soundness of a record that another thread evaluates,
    or the other way round. Release: who finds that it rests sees its value. */
static inline void obv__computed_exchange(struct obv__computed *computed,
                                          unsigned kept, unsigned put)
{
    uint8_t state = obv__load_relaxed(&computed->state);
    while (!obv__cas_acq_rel(&computed->state, &state,
                             (uint8_t)((state & kept) | put))) {
    }
}

/** Of a claimed record, which another thread may set if it is shared. */
static inline void obv__computed_put_phase(struct obv__computed *computed,
                                           enum obv__computed_state phase,
                                           bool is_shared)
{
    if (is_shared) {
        obv__computed_exchange(computed, OBV__UNSOUND, phase);
    } else {
        unsigned unsound = obv__load_relaxed(&computed->state) & OBV__UNSOUND;
        obv__store_release(&computed->state, (uint8_t)(unsound | phase));
    }
}

static inline void obv__computed_set_phase(struct obv__computed *computed,
                                           enum obv__computed_state phase)
{
    obv__computed_put_phase(computed, phase, obv__computed_is_shared(computed));
}

/** Says what is wrong with the value of a record (0: nothing), which another thread
    may have claimed. */
static inline void obv__computed_set_unsound(struct obv__computed *computed,
                                             unsigned unsound)
{
    obv__computed_exchange(computed, OBV__PHASE, unsound);
}

/** Whether a binding has come to a claimed record only after the value that those
    who wait compare with had been stored over: then the leaves below it do not
    wait, since they were told as it moved. */
static inline bool
obv__computed_has_come_later(const struct obv__computed *computed,
                             const struct obv__watcher *binding)
{
    return obv__load_acquire(&computed->first_state) == OBV__FIRST_KEPT &&
           !obv__computed_is_shared(computed) &&
           obv__came_since(binding, computed->first_until,
                           obv__registration_epoch());
}

/** A record is at least as new as the change of a stamp. */
static inline void obv__computed_renew(struct obv__computed *computed,
                                       uint64_t stamp)
{
    uint64_t before = obv__load_relaxed(&computed->stamp);
    while (before < stamp &&
           !obv__cas_seq_cst(&computed->stamp, &before, stamp)) {
    }
}

/** What a record has read is another value, of this stamp: it is to be evaluated.
    But not one that the thread of a number evaluates, which reads it now. */
static inline void obv__computed_dirty(struct obv__computed *reader,
                                       uintptr_t thread, uint64_t stamp)
{
    if (OBV__UNLIKELY(stamp != 0)) {
        obv__computed_renew(reader, stamp);
    }
    if (!obv__computed_runs(reader, thread)) {
        obv__store_release(&reader->is_dirty, (uint8_t)1);
    }
}

/** Whether what is stored in a slot stands for its value: it is no computed
    property, or a valid one. Any thread. */
static inline bool obv__slot_is_valid(const struct obv_object *object,
                                      uint32_t slot)
{
    if (!obv__slot_is_computed(obv__class_of(object), slot)) {
        return true;
    }
    const struct obv__computed *computed = obv__computed_of(object, slot);
    return computed && obv__computed_is_valid(computed);
}

/** The record of a computed property, made if there is none; NULL: no memory,
    or the object has ended. No lock held. */
struct obv__computed *obv__computed_make(struct obv_object *object,
                                         uint32_t slot);

/** With what those wait for an answer who observe what a property leads to. */
enum obv__waits {
    OBV__WAITS_WITH_OBJECT, /* they are told of each move; or nobody waits */
    OBV__WAITS_WITH_NIL,    /* it led nowhere */
    OBV__WAITS_UNKNOWN
};

/** That of a claimed record. `now`: what was stored until now; or NULL. */
enum obv__waits obv__computed_waits(const struct obv__computed *computed,
                                    const void *now);

/** Hangs an edge into the slot that a record has read; false: no memory. NULL
    at `edge` where the object has ended. In an epoch section, no lock held. */
bool obv__edge_make(struct obv__computed *reader, struct obv_object *object,
                    uint32_t slot, struct obv__edge **edge);

/** Takes all edges of a record away. In an epoch section, no lock held. */
void obv__edges_end(struct obv_context *context,
                    struct obv__computed *computed);

/** Takes an edge away, for who evaluates the record that it is of. In an epoch
    section, no lock held. */
void obv__edge_end(struct obv_context *context, struct obv__edge *edge);

/** obv__computed_hold() where another thread may end the object. */
struct obv_object *
obv__computed_hold_reference(struct obv__thread *self,
                             const struct obv__computed *computed, bool *held);

/** Holds the object of a record; NULL: it is at its end. `held`: by a reference
    which is to be given back. In an epoch section. */
static inline struct obv_object *
obv__computed_hold(struct obv__thread *self,
                   const struct obv__computed *computed, bool *held)
{
    *held = false;
    if (computed->is_held || obv__computed_is_shared(computed)) {
        return obv__computed_hold_reference(self, computed, held);
    }
    return obv__node_is_ending(computed->node) ? NULL : computed->object;
}

/** Calls `visit` for each record of a node. */
void obv__each_computed(struct obv_class *cls, struct obv_detail_node *node,
                        void (*visit)(struct obv_context *context,
                                      struct obv__computed *computed));

/** The object of a node is at its end: its records let go of what they have
    read, if not who runs the function of one that has ended the object. In an epoch
    section. */
void obv__computed_end(struct obv_class *cls, struct obv_detail_node *node);

/** Retires the records of a node; what they keep was let go of. */
void obv__computed_retire(struct obv_class *cls, struct obv_detail_node *node);

/* Called by the reclaim. */
void obv__computed_free(struct obv_context *context,
                        struct obv__retired *block);

#endif
