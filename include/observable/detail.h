/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the core that the inline setters need to see: the header word,
 * the layout of a node, and the functions that they tail-call. Part of the
 * binary interface, not of the programming interface: programs use
 * <observable/object.h>.
 *
 * The header word of an object holds
 *
 *     class | 1     until somebody observes the object (or one that it leads
 *                   to a path through); bit 0 says "no node"
 *     node          from then on until the object ends
 *
 * and a node holds, for each property, the head of the list of who watches it.
 * The low bits of a head are flags:
 *
 *     bit 0   somebody watches every property of this object (`*`)
 *     bit 1   slow path: a watcher needs more than "it has changed" (the
 *             middle of a path); obv_detail_change_...() then does the store
 *             as well
 *     bit 2   mixed: the list does not hold observations of one pair alone,
 *             all delayed or all immediate since they were begun, in the
 *             order of registration
 *
 * A slot's all-pending stamp equals `obv_detail_registration_epoch` from a set
 * that has found every watcher of the slot pending until one of them may be
 * called; then a set has nothing to tell.
 */
#ifndef OBSERVABLE_DETAIL_H
#define OBSERVABLE_DETAIL_H

#include <observable/kind.h>
#include <observable/status.h>

OBV_BEGIN_DECLS

/**
 * The header word. The first member of every observable struct; set by
 * obv_object_init() and read by the library alone.
 */
struct obv_object {
    uintptr_t word;
};

#define OBV_DETAIL_NO_NODE   ((uintptr_t)1)
#define OBV_DETAIL_HAS_SLOTS ((uintptr_t)2) /* in front of a node that has */
#define OBV_DETAIL_ALL_PLAIN (OBV_DETAIL_HAS_SLOTS << 8 | OBV_DETAIL_NO_NODE)
#define OBV_DETAIL_EVERY     ((uintptr_t)1)
#define OBV_DETAIL_SLOW_PATH ((uintptr_t)2)
#define OBV_DETAIL_MIXED     ((uintptr_t)4)
#define OBV_DETAIL_HEAD_BITS ((uintptr_t)7)

struct obv_detail_slot {
    uintptr_t head;
    uint64_t all_pending_at;
};

struct obv_detail_node {
    uintptr_t more;
    uint16_t class_number;
    uint16_t slot_count;
    uint32_t flags;
    /* As many as `slot_count`. If it is 0, the first word is the head of the
       list of `*`, and the last. */
    struct obv_detail_slot slots[1];
};

/**
 * OBV_DETAIL_ALL_PLAIN, or 0 while a class-level observation exists or a trace
 * is on. Two tests with the header word: by the lowest byte, whether a set stores
 * and does nothing else; by the next one, whether it takes the slow path whatever hangs
 * there. The second is so also where the node has no slots, and where the
 * header is zero, since obv_object_init() never made it.
 */
extern OBV_API uintptr_t obv_detail_plain;

/** Whether a set stores and does nothing else. */
#define OBV_DETAIL_IS_PLAIN(word, plain) ((uint8_t)(word) & (uint8_t)(plain))
/** The same being no: whether it takes the slow path. */
#define OBV_DETAIL_IS_SLOW(word, plain)                                        \
    (((uint8_t)(word) & (uint8_t)((plain) >> 8)) == 0)
/** Moves on at every observation that begins, and at every drain of what a
    stamp may stand for. */
extern OBV_API uint64_t obv_detail_registration_epoch;

#ifndef OBV_DETAIL_LOAD_RELAXED
#define OBV_DETAIL_LOAD_RELAXED(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define OBV_DETAIL_LOAD_ACQUIRE(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define OBV_DETAIL_LOAD_SEQ_CST(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define OBV_DETAIL_EXCHANGE(p, v, old)                                         \
    __atomic_exchange((p), (v), (old), __ATOMIC_SEQ_CST)
#define OBV_DETAIL_LOAD_VALUE(p, v) __atomic_load((p), (v), __ATOMIC_SEQ_CST)
#endif

/* The slow paths. change: does the store as well. changed: it is stored. */
/** `value` points to the value, of bytes to those. The copy of a string alone can
    fail. */
OBV_API enum obv_status obv_detail_change(struct obv_object *OBV_NONNULL object,
                                          uint32_t property,
                                          const void *OBV_NONNULL value);
/** The same of a value that fits 64 bits, and begins with their first byte. */
OBV_API enum obv_status
obv_detail_change_scalar(struct obv_object *OBV_NONNULL object,
                         uint32_t property, uint64_t value);
#define OBV_DETAIL_CHANGE(kind_name, type)                                     \
    static inline void obv_detail_change_##kind_name(                          \
        struct obv_object *OBV_NONNULL object, uint32_t property, type value)  \
    {                                                                          \
        uint64_t bits = 0;                                                     \
        __builtin_memcpy(&bits, &value, sizeof value);                         \
        (void)obv_detail_change_scalar(object, property, bits);                \
    }
OBV_SCALAR_KINDS(OBV_DETAIL_CHANGE)
#undef OBV_DETAIL_CHANGE
/** Of a value that the field can hold. */
OBV_API void obv_detail_change_enum(struct obv_object *OBV_NONNULL object,
                                    uint32_t property, int64_t value);
OBV_API void obv_detail_change_object(struct obv_object *OBV_NONNULL object,
                                      uint32_t property,
                                      struct obv_object *OBV_NULLABLE value);
static inline void
obv_detail_change_pointer(struct obv_object *OBV_NONNULL object,
                          uint32_t property, const void *OBV_NULLABLE value)
{
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    (void)obv_detail_change_scalar(object, property, bits);
}
static inline void
obv_detail_change_bytes(struct obv_object *OBV_NONNULL object,
                        uint32_t property, const void *OBV_NONNULL value)
{
    (void)obv_detail_change(object, property, value);
}
static inline enum obv_status
obv_detail_change_string(struct obv_object *OBV_NONNULL object,
                         uint32_t property, const char *OBV_NULLABLE value)
{
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return obv_detail_change_scalar(object, property, bits);
}
OBV_API void obv_detail_changed(struct obv_object *OBV_NONNULL object,
                                uint32_t property);
/** changed, of a scalar: `old` holds the value before, from its first byte on. */
OBV_API void obv_detail_changed_scalar(struct obv_object *OBV_NONNULL object,
                                       uint32_t property, uint64_t old);

/*
 * For bindings, whose setters know a property by its offset: a class with
 * custom properties keeps a filter in the flags of its objects' nodes. A
 * property whose bit is not set is watched by nobody.
 */
static inline uint32_t obv_detail_filter_bit(uint32_t offset)
{
    return UINT32_C(1) << (2 + (offset >> 3) % 30);
}

/** Whether a set of an object with this header word has to look further than
    its store; then obv_detail_may_watch() says whether for this property. */
static inline bool obv_detail_may_observe(uintptr_t word)
{
    uintptr_t plain = OBV_DETAIL_LOAD_RELAXED(&obv_detail_plain);
    return !OBV_DETAIL_IS_PLAIN(word, plain);
}

/** The same after a store that any thread may make: both are read in order. */
static inline bool obv_detail_may_observe_after_store(uintptr_t word)
{
    uintptr_t plain = OBV_DETAIL_LOAD_SEQ_CST(&obv_detail_plain);
    return !OBV_DETAIL_IS_PLAIN(word, plain);
}

/** Whether class-level observations exist, or a trace is on, once
    obv_detail_may_observe() has said yes: then obv_detail_look_first() is what
    answers. */
static inline bool obv_detail_may_be_first(void)
{
    return OBV_DETAIL_LOAD_RELAXED(&obv_detail_plain) == 0;
}

/** The registration epoch. If obv_detail_look() has said ALL_PENDING, and the
    epoch that was read before it stands still, they all are pending still. */
static inline uint64_t obv_detail_registration_epoch_now(void)
{
    return OBV_DETAIL_LOAD_SEQ_CST(&obv_detail_registration_epoch);
}

/** By the filter, once obv_detail_may_observe() has said yes and
    obv_detail_may_be_first() no: for an owner's thread. Of a property that any
    thread may set, the look after the store is obv_detail_look() itself, whose
    first load is ordered behind the store. */
static inline bool obv_detail_may_watch(uintptr_t word, uint32_t offset)
{
    const struct obv_detail_node *node =
        (const struct obv_detail_node *)(word & ~OBV_DETAIL_HAS_SLOTS);
    return (OBV_DETAIL_LOAD_RELAXED(&node->flags) &
            obv_detail_filter_bit(offset)) != 0;
}

/** Tells (OBV_DIAGNOSTIC_MISUSE) if the property of this number is not the one
    that stands at an offset: once a class. */
OBV_API void obv_detail_check_number(struct obv_object *OBV_NONNULL object,
                                     uint32_t property, uint32_t offset);

/** The answers of obv_detail_look(); 0: nobody watches the property. */
enum obv_detail_looks {
    /** Everybody who watches it is pending already: store, be done. */
    OBV_DETAIL_LOOK_ALL_PENDING = 1,
    OBV_DETAIL_LOOK_WATCHED = 2,
    /** With WATCHED: the value before the change is to be handed over. */
    OBV_DETAIL_LOOK_SLOW_PATH = 4,
    /** With SLOW_PATH: sets of equal values are to be told, by
        obv_detail_was_set(). */
    OBV_DETAIL_LOOK_SAME = 8,
    /** With SLOW_PATH: obv_detail_prior() comes before the store; never of a
        property that any thread may set. */
    OBV_DETAIL_LOOK_PRIOR = 16,
    /** Of obv_detail_look_first(), beside the others: it may be the object's
        first change that a class-level observation is called for, or a trace
        is on. Before the store comes obv_detail_attach(), whose answer goes
        before this one. */
    OBV_DETAIL_LOOK_FIRST = 32
};

/** Looks who watches the property at this offset of an object; `property`
    receives its index if anybody does. To be asked before the store, and of a
    property that any thread may set also after it. */
OBV_API uint32_t obv_detail_look(struct obv_object *OBV_NONNULL object,
                                 uint32_t offset,
                                 uint32_t *OBV_NONNULL property);

/** The same where class-level observations may exist: also of an object without
    a node. It has a class. */
OBV_API uint32_t obv_detail_look_first(struct obv_object *OBV_NONNULL object,
                                       uint32_t offset,
                                       uint32_t *OBV_NONNULL property);

/** Class-level observations begin to follow an object that is about to change
    (LOOK_FIRST; `is_same`: by a set that leaves an equal value behind), if they
    are to know of it before, or of equal ones. Answers as obv_detail_look() what
    is to be told: the others begin with obv_detail_was_set(). */
OBV_API uint32_t obv_detail_attach(struct obv_object *OBV_NONNULL object,
                                   uint32_t property, bool is_same);

/** When the calls before a store have run: who began to observe inside them is
    not called for the store (RE-1). Zero: there were none. */
struct obv_detail_prior_calls {
    /* The registrations from `first` on, before `end`. */
    uint32_t first, end;
};

/** A set that is done, as its setter knows it. All that it refers to lives
    through the call. */
struct obv_detail_set {
    /** The value before; NULL: it is not known. */
    const void *OBV_NULLABLE old;
    /** The two are equal. */
    bool is_same;
    /** The answer of obv_detail_prior(). */
    struct obv_detail_prior_calls prior;
};

/** Inside a `child` of a binding that answers NULL: there is an object, but
    what the library has to know of it did not fit into memory. Paths through it
    cannot be followed then, as if memory were short for the library itself. */
OBV_API void obv_detail_report_no_memory(void);

/** The same where there is a value, but no object that the library knows. A
    component that goes on from there is no observable property. */
OBV_API void obv_detail_report_value(void);

/** Inside a handler: schedules by hand what this thread is calling; of a
    class-level observation for the same instance. */
OBV_API void obv_detail_schedule_called(void);

struct obv_deallocation_notice;
struct obv_loop;

struct obv_observation;
struct obv_trace_event;

/** From here on events are handed to `receiver`; NULL: to nobody. What
    obv_trace() and obv_trace_to() stand on (<observable/trace.h>). */
OBV_API void obv_detail_trace(
    void (*OBV_NULLABLE receiver)(const struct obv_trace_event *OBV_NONNULL));

/** obv_stop() of a token that is let go of: the trace tells of it, unless its
    observation has ended (OBV_TRACE_LET_GO). For bindings whose tokens end what
    they are of. NULL is ignored. */
OBV_API void obv_detail_let_go(struct obv_observation *OBV_NULLABLE handle);

/** From now on this loop, not its context's own, delivers the sets by any
    thread for which no observation says a loop. Kept as long as the context
    uses it. */
OBV_API void obv_detail_inbound_loop(struct obv_loop *OBV_NONNULL loop);

/** In a `root_did_deallocate` that obv_object_deinit() calls: this is not the
    place to be told; the loop does it once more. */
OBV_API void obv_detail_tell_by_loop(
    const struct obv_deallocation_notice *OBV_NONNULL notice);

/** The property is stored; `old` is the value before, or NULL if it is not
    known. Both the object and what `old` refers to live through the call. */
OBV_API void obv_detail_changed_from(struct obv_object *OBV_NONNULL object,
                                     uint32_t property,
                                     const void *OBV_NULLABLE old);

/** The same with all that the setter knows: where obv_detail_prior() was called,
    and of a set that left an equal value behind, which is told where LOOK_SAME
    was said. Class-level observations that do not follow the object yet begin to
    (LOOK_FIRST), as far as they can from what is stored already. */
OBV_API void obv_detail_was_set(struct obv_object *OBV_NONNULL object,
                                uint32_t property,
                                const struct obv_detail_set *OBV_NONNULL set);

/** A value is about to be stored: calls the immediate handlers that want to
    know before (OBV_PRIOR). `offered`: the value, or NULL; `is_same`: it is
    equal to what is stored, and LOOK_SAME was said. They may set the property:
    what is old is to be read again after this. */
OBV_API struct obv_detail_prior_calls
obv_detail_prior(struct obv_object *OBV_NONNULL object, uint32_t property,
                 const void *OBV_NULLABLE offered, bool is_same);

/** Not 0 while some thread records reads (obv_detail_reads_begin()), or has
    computed a property and since then neither read a stored one outside of any,
    nor drained a loop, nor ended. */
extern OBV_API uint32_t obv_detail_reading;

static inline bool obv_detail_is_reading(void)
{
    return OBV_DETAIL_LOAD_RELAXED(&obv_detail_reading) != 0;
}

/** The receiver that is told of no read meanwhile. */
struct obv_detail_hidden {
    void *OBV_NULLABLE reader;
    void *OBV_NULLABLE cursor;
};

/** The receiver of the reads of one thread. */
struct obv_detail_reader {
    /** `object` may have no class yet. `what` is what the binding's getter
        handed over. */
    void (*OBV_NONNULL read)(struct obv_detail_reader *OBV_NONNULL self,
                             struct obv_object *OBV_NONNULL object,
                             uint32_t offset, const void *OBV_NULLABLE what);
    /** The library's own, both; zero of a binding's. */
    struct obv_detail_hidden hidden;
    void (*OBV_NULLABLE read_slot)(struct obv_detail_reader *OBV_NONNULL self,
                                   struct obv_object *OBV_NONNULL object,
                                   uint32_t slot);
};

/** Records the reads of this thread from here to the matching end; nested ones
    hide the outer. */
OBV_API void
obv_detail_reads_begin(struct obv_detail_reader *OBV_NONNULL reader);
OBV_API void obv_detail_reads_end(struct obv_detail_reader *OBV_NONNULL reader);

/** From here to the matching end what this thread reads is told to nobody:
    obv_untracked() for a binding. */
OBV_API void
obv_detail_untracked_begin(struct obv_detail_hidden *OBV_NONNULL hidden);
OBV_API void
obv_detail_untracked_end(struct obv_detail_hidden *OBV_NONNULL hidden);

/** The receiver of the reads of every thread that has none of its own: a
    binding that tells another library of them. One for the process, with
    `read_slot`, which lasts as long as the process; NULL: nobody any more, but
    a read under way may still be told. While there is one, every getter goes
    the slow way. Called where a property is read, with no lock held; it may
    call the library. Its own reads are told as well. Threads: any. */
OBV_API void
obv_detail_reads_of_all(struct obv_detail_reader *OBV_NULLABLE reader);

/** The receiver of the reads of this thread, the innermost, else that of all
    threads; NULL: there is none. One with `read_slot` needs objects that have a
    class. */
OBV_API struct obv_detail_reader *OBV_NULLABLE obv_detail_reads_receiver(void);

/** Whether the property at this offset is what the function that runs has read
    next last time: then that is told of the read, and nobody else is to be. To
    be called before the next one. */
OBV_API bool obv_detail_read_next(const struct obv_object *OBV_NONNULL object,
                                  uint32_t offset);

/** A getter has read the property at this offset. To be called where
    obv_detail_reading is not 0. */
OBV_API void obv_detail_read(struct obv_object *OBV_NONNULL object,
                             uint32_t offset, const void *OBV_NULLABLE what);

/** The same of a property by its index. */
OBV_API void obv_detail_read_property(struct obv_object *OBV_NONNULL object,
                                      uint32_t property);

/** The same of whatever a `read_slot` was told of: tells it to the receiver that
    is in force now. */
OBV_API void obv_detail_read_again(struct obv_object *OBV_NONNULL object,
                                   uint32_t slot);

/** A getter has looked whether an object, which has a class, is there: its end
    is a change to whoever computes. */
OBV_API void obv_detail_read_presence(struct obv_object *OBV_NONNULL object);

/** The slot of a property of the class's table, by a header word that has
    OBV_DETAIL_HAS_SLOTS. */
static inline struct obv_detail_slot *OBV_NONNULL
obv_detail_slot_at(uintptr_t word, uint32_t property)
{
    char *node = (char *)word - OBV_DETAIL_HAS_SLOTS;
    return &((struct obv_detail_node *)(void *)node)->slots[property];
}

/* Accessors that a program does not use are no reason for a warning. */
#if defined(__GNUC__)
#define OBV_DETAIL_ACCESSOR __attribute__((unused)) static inline
#else
#define OBV_DETAIL_ACCESSOR static inline
#endif

/* A NaN equals a NaN; nothing else differs from itself. */
#define OBV_DETAIL_SAME(a, b)        ((a) == (b) || ((a) != (a) && (b) != (b)))
#define OBV_DETAIL_TYPE(type, field) __typeof__(((struct type *)0)->field)
#define OBV_DETAIL_HEADER(self)      ((struct obv_object *)(void *)(self))
/* The same of a pointer to what is constant. */
#define OBV_DETAIL_OBJECT(self) ((struct obv_object *)(uintptr_t)(self))

/* A read by an accessor: a computed property may be finding its
   dependencies. */
#define OBV_DETAIL_TELL_READ(self, index)                                      \
    do {                                                                       \
        if (__builtin_expect(obv_detail_is_reading(), 0)) {                    \
            obv_detail_read_property(OBV_DETAIL_OBJECT(self), (index));        \
        }                                                                      \
    } while (0)

/* In a program that is compiled without NDEBUG a setter of an object that is
   observed looks whether its number is that of its field. */
#ifdef NDEBUG
#define OBV_DETAIL_CHECK_NUMBER(object, type, field, index) ((void)0)
#else
#define OBV_DETAIL_CHECK_NUMBER(object, type, field, index)                    \
    obv_detail_check_number((object), (index),                                 \
                            (uint32_t)offsetof(struct type, field))
#endif

/* The slot anew, which is there: the compiler would else make its address before
   it looks whether anybody watches. */
#define OBV_DETAIL_SLOT_AGAIN(slot, word, index)                               \
    do {                                                                       \
        __asm__("" : "+r"(word));                                              \
        (slot) = obv_detail_slot_at((word), (index));                          \
    } while (0)

/*
 * The setter of a scalar: loads, one store, one tail call. In order: is there a
 * node; does anybody watch this property; is everybody pending already; has it
 * the slow-path bit; is the value equal.
 *
 * The stamp is looked at before the store: the owner's own order, which puts
 * the whole set before or after the handler's read, puts it before or after the
 * raise of the registration epoch that preceded that read.
 */
#define OBV_DETAIL_SCALAR(type, field, change, index)                          \
    OBV_DETAIL_ACCESSOR OBV_DETAIL_TYPE(type, field)                           \
        type##_##field(const struct type *OBV_NONNULL self)                    \
    {                                                                          \
        OBV_DETAIL_TELL_READ(self, index);                                     \
        return self->field;                                                    \
    }                                                                          \
    OBV_DETAIL_ACCESSOR void type##_set_##field(                               \
        struct type *OBV_NONNULL self, OBV_DETAIL_TYPE(type, field) value)     \
    {                                                                          \
        struct obv_object *object = OBV_DETAIL_HEADER(self);                   \
        uintptr_t word = OBV_DETAIL_LOAD_ACQUIRE(&object->word);               \
        uintptr_t plain = OBV_DETAIL_LOAD_RELAXED(&obv_detail_plain);          \
        if (OBV_DETAIL_IS_PLAIN(word, plain)) {                                \
            self->field = value;                                               \
            return;                                                            \
        }                                                                      \
        OBV_DETAIL_CHECK_NUMBER(object, type, field, index);                   \
        if (OBV_DETAIL_IS_SLOW(word, plain)) {                                 \
            change(object, (index), value);                                    \
            return;                                                            \
        }                                                                      \
        struct obv_detail_slot *slot = obv_detail_slot_at(word, (index));      \
        uintptr_t head = OBV_DETAIL_LOAD_RELAXED(&slot->head);                 \
        if (head == 0) {                                                       \
            self->field = value;                                               \
            return;                                                            \
        }                                                                      \
        OBV_DETAIL_SLOT_AGAIN(slot, word, index);                              \
        if (OBV_DETAIL_LOAD_ACQUIRE(&slot->all_pending_at) ==                  \
            OBV_DETAIL_LOAD_ACQUIRE(&obv_detail_registration_epoch)) {         \
            self->field = value;                                               \
            return;                                                            \
        }                                                                      \
        if (head & OBV_DETAIL_SLOW_PATH) {                                     \
            change(object, (index), value);                                    \
            return;                                                            \
        }                                                                      \
        OBV_DETAIL_TYPE(type, field) old = self->field;                        \
        if (OBV_DETAIL_SAME(old, value)) {                                     \
            return;                                                            \
        }                                                                      \
        self->field = value;                                                   \
        /* Somebody may have come meanwhile who wants the old value. */        \
        uint64_t bits = 0;                                                     \
        __builtin_memcpy(&bits, &old, sizeof old);                             \
        obv_detail_changed_scalar(object, (index), bits);                      \
    }

#define OBV_DETAIL_PROPERTY_obv_scalar(type, field, change, index)             \
    OBV_DETAIL_SCALAR(type, field, change, index)
#define OBV_DETAIL_PROPERTY_obv_pointer(type, field, change, index)            \
    OBV_DETAIL_SCALAR(type, field, change, index)
#define OBV_DETAIL_PROPERTY_obv_enum(type, field, change, index)               \
    OBV_DETAIL_SCALAR(type, field, OBV_DETAIL_CHANGE_ENUM, index)
#define OBV_DETAIL_CHANGE_ENUM(object, index, value)                           \
    obv_detail_change_enum(object, index, (int64_t)(value))

/* The setters of stored and of computed properties, where they are the same. */
#define OBV_DETAIL_SETTER_object(type, field, index)                           \
    OBV_DETAIL_ACCESSOR void type##_set_##field(                               \
        struct type *OBV_NONNULL self, OBV_DETAIL_TYPE(type, field) value)     \
    {                                                                          \
        OBV_DETAIL_CHECK_NUMBER(OBV_DETAIL_HEADER(self), type, field, index);  \
        obv_detail_change_object(OBV_DETAIL_HEADER(self), (index),             \
                                 OBV_DETAIL_HEADER(value));                    \
    }

#define OBV_DETAIL_SETTER_string(type, field, index)                           \
    OBV_DETAIL_ACCESSOR enum obv_status type##_set_##field(                    \
        struct type *OBV_NONNULL self, const char *OBV_NULLABLE value)         \
    {                                                                          \
        OBV_DETAIL_CHECK_NUMBER(OBV_DETAIL_HEADER(self), type, field, index);  \
        return obv_detail_change_string(OBV_DETAIL_HEADER(self), (index),      \
                                        value);                                \
    }

#define OBV_DETAIL_SETTER_bytes(type, field, index)                            \
    OBV_DETAIL_ACCESSOR void type##_set_##field(struct type *OBV_NONNULL self, \
                                                const void *OBV_NONNULL value) \
    {                                                                          \
        OBV_DETAIL_CHECK_NUMBER(OBV_DETAIL_HEADER(self), type, field, index);  \
        obv_detail_change_bytes(OBV_DETAIL_HEADER(self), (index), value);      \
    }

#define OBV_DETAIL_PROPERTY_obv_object(type, field, change, index)             \
    OBV_DETAIL_ACCESSOR OBV_DETAIL_TYPE(type, field)                           \
        type##_##field(const struct type *OBV_NONNULL self)                    \
    {                                                                          \
        OBV_DETAIL_TELL_READ(self, index);                                     \
        return self->field;                                                    \
    }                                                                          \
    OBV_DETAIL_SETTER_object(type, field, index)

#define OBV_DETAIL_PROPERTY_obv_object_of(type, field, change, index)          \
    OBV_DETAIL_PROPERTY_obv_object(type, field, change, index)

#define OBV_DETAIL_PROPERTY_obv_string(type, field, change, index)             \
    OBV_DETAIL_ACCESSOR const char *OBV_NULLABLE type##_##field(               \
        const struct type *OBV_NONNULL self)                                   \
    {                                                                          \
        OBV_DETAIL_TELL_READ(self, index);                                     \
        return self->field;                                                    \
    }                                                                          \
    OBV_DETAIL_SETTER_string(type, field, index)

#define OBV_DETAIL_PROPERTY_obv_bytes(type, field, change, index)              \
    OBV_DETAIL_ACCESSOR const void *OBV_NONNULL type##_##field(                \
        const struct type *OBV_NONNULL self)                                   \
    {                                                                          \
        OBV_DETAIL_TELL_READ(self, index);                                     \
        return &self->field;                                                   \
    }                                                                          \
    OBV_DETAIL_SETTER_bytes(type, field, index)

/*
 * The setter of a property that any thread may set: it tests the slow-path bit
 * before its store, stores before it reads the header again, and so finds
 * whoever began to observe in between.
 */
#define OBV_DETAIL_ANY_THREAD(type, field, change, index)                      \
    OBV_DETAIL_ACCESSOR OBV_DETAIL_TYPE(type, field)                           \
        type##_##field(const struct type *OBV_NONNULL self)                    \
    {                                                                          \
        OBV_DETAIL_TYPE(type, field) value;                                    \
        OBV_DETAIL_TELL_READ(self, index);                                     \
        OBV_DETAIL_LOAD_VALUE(&self->field, &value);                           \
        return value;                                                          \
    }                                                                          \
    OBV_DETAIL_ACCESSOR void type##_set_##field(                               \
        struct type *OBV_NONNULL self, OBV_DETAIL_TYPE(type, field) value)     \
    {                                                                          \
        struct obv_object *object = OBV_DETAIL_HEADER(self);                   \
        struct obv_detail_slot *slot = NULL;                                   \
        OBV_DETAIL_TYPE(type, field) old;                                      \
        uintptr_t word = OBV_DETAIL_LOAD_ACQUIRE(&object->word);               \
        uintptr_t plain = OBV_DETAIL_LOAD_RELAXED(&obv_detail_plain);          \
        if (!OBV_DETAIL_IS_PLAIN(word, plain)) {                               \
            OBV_DETAIL_CHECK_NUMBER(object, type, field, index);               \
            if (OBV_DETAIL_IS_SLOW(word, plain)) {                             \
                change(object, (index), value);                                \
                return;                                                        \
            }                                                                  \
            slot = obv_detail_slot_at(word, (index));                          \
            if (OBV_DETAIL_LOAD_ACQUIRE(&slot->head) & OBV_DETAIL_SLOW_PATH) { \
                change(object, (index), value);                                \
                return;                                                        \
            }                                                                  \
        }                                                                      \
        OBV_DETAIL_EXCHANGE(&self->field, &value, &old);                       \
        word = OBV_DETAIL_LOAD_SEQ_CST(&object->word);                         \
        plain = OBV_DETAIL_LOAD_SEQ_CST(&obv_detail_plain);                    \
        if (OBV_DETAIL_IS_PLAIN(word, plain)) {                                \
            return;                                                            \
        }                                                                      \
        if (OBV_DETAIL_SAME(old, value)) {                                     \
            return;                                                            \
        }                                                                      \
        if (slot &&                                                            \
            OBV_DETAIL_LOAD_SEQ_CST(&slot->all_pending_at) ==                  \
                OBV_DETAIL_LOAD_SEQ_CST(&obv_detail_registration_epoch)) {     \
            return;                                                            \
        }                                                                      \
        if (plain == 0) {                                                      \
            /* Also who observes its class since the set began. */             \
            OBV_DETAIL_TYPE(type, field) before = old;                         \
            const struct obv_detail_set set = {&before, false, {0, 0}};        \
            obv_detail_was_set(object, (index), &set);                         \
            return;                                                            \
        }                                                                      \
        obv_detail_changed(object, (index));                                   \
    }

#define OBV_DETAIL_ANY_THREAD_obv_scalar(type, field, change, index)           \
    OBV_DETAIL_ANY_THREAD(type, field, change, index)
#define OBV_DETAIL_ANY_THREAD_obv_pointer(type, field, change, index)          \
    OBV_DETAIL_ANY_THREAD(type, field, change, index)
#define OBV_DETAIL_ANY_THREAD_obv_enum(type, field, change, index)             \
    OBV_DETAIL_ANY_THREAD(type, field, OBV_DETAIL_CHANGE_ENUM, index)

/* A string is copied, an object counted: no single store. */
#define OBV_DETAIL_ANY_THREAD_obv_string(type, field, change, index)           \
    OBV_DETAIL_NOT_ANY_THREAD(type, field)
#define OBV_DETAIL_ANY_THREAD_obv_object(type, field, change, index)           \
    OBV_DETAIL_NOT_ANY_THREAD(type, field)
#define OBV_DETAIL_ANY_THREAD_obv_object_of(type, field, change, index)        \
    OBV_DETAIL_NOT_ANY_THREAD(type, field)
#define OBV_DETAIL_ANY_THREAD_obv_bytes(type, field, change, index)            \
    OBV_DETAIL_NOT_ANY_THREAD(type, field)
#define OBV_DETAIL_NOT_ANY_THREAD(type, field)                                 \
    OBV_DETAIL_STATIC_ASSERT(                                                  \
        !sizeof(struct type),                                                  \
        "obv: " #type "." #field                                               \
        ": a property of this kind cannot be set by any thread");

OBV_END_DECLS

#endif
