/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random steps on four threads at once, and a naive model that looks at the
 * world whenever they rest: every few hundred steps all threads wait for each
 * other, the loops are drained, and one thread checks that
 *
 *   - each delayed observation was last called for the values that are stored,
 *     and never twice in a cycle;
 *   - objects are observed, and were told so, by exactly those who hold them by
 *     the paths that are left: counts, lists and `observed_changed`;
 *   - what has ended was disposed of once, and nothing else was;
 *   - references are balanced.
 *
 * What a thread does in its n-th step follows from the seed, its number and n
 * alone, so a program is the same again with the same OBV_TEST_SEED; how the
 * threads meet is not.
 *
 *     OBV_TEST_STEPS   of all threads together; 100000
 */
#define _POSIX_C_SOURCE 200809L /* pthread_barrier_t */
#include "contract_fixture.h"

#include "dispatch/loop.h"

#include <stdio.h>

enum {
    THREADS = 4,
    FAMILIES = 3,
    LOOPS = 3,
    SLOTS = 24, /* observations of a thread */
    PAIRS = 4,  /* of an observation */
    REST = 300  /* steps of a thread from one check to the next */
};

/* Objects ------------------------------------------------------------------ */

enum { THING_X, THING_W, THING_Y, THING_B, THING_COUNT };

/* `x` and `w` are for any thread; `y` and `b` belong to who has the family's
   lock. Handlers set `w` alone: what they change may be dropped. */
struct thing {
    struct obv_object object;
    size_t references;
    int64_t x, w, y;
    struct thing *b;
    uint32_t told; /* a bit a property, the highest for `*` */
    int telling;
};

OBV_PROPERTY_ANY_THREAD(thing, x, i64, THING_X)
OBV_PROPERTY_ANY_THREAD(thing, w, i64, THING_W)
OBV_PROPERTY(thing, y, i64, THING_Y)
OBV_PROPERTY(thing, b, object, THING_B)

static const char *const names[THING_COUNT] = {"x", "w", "y", "b"};

/* A root, what lies below it, and the lock that makes one thread the owner. */
struct family {
    pthread_mutex_t lock;
    struct thing *root;
    uint64_t serial; /* of this root */
};

struct pair {
    const char *path;
    uint64_t serial; /* of the root that it was made with */
    bool stopped;
    bool is_seen;
    int64_t seen;
};

/* One observation with its observer and its kind; freed at rest. What others
   than its own thread change is atomic, or guarded by the family's lock. */
struct entry {
    struct obv_handler_kind kind;
    struct obv_observation *handle;
    struct family *family;
    struct obv_loop *loop;
    uint32_t flags;
    struct pair pairs[PAIRS];
    size_t pair_count;
    bool begins_with_y; /* a path of one element */
    uint64_t called_in;
    int64_t told; /* of a record of `y` */
    int stopped, waited, turned, taken, unknown;
    size_t disposed;
    struct observer {
        struct obv_object object;
        size_t references;
        int is_dead; /* our own reference has gone */
    } observer;
};

static struct {
    struct obv_context *context;
    struct obv_class *thing_class, *observer_class;
    struct obv_loop *loops[LOOPS];
    struct family families[FAMILIES];
    struct entry *entries[THREADS][SLOTS];
    pthread_barrier_t barrier;
    uint64_t seed, steps;
    size_t things, calls, observed;
} all;

/* A thread's own. */
static _Thread_local struct {
    uint64_t draws;
    int depth; /* of handlers */
    bool executing;
} own;

static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t draw(uint64_t below)
{
    own.draws += UINT64_C(0x9E3779B97F4A7C15);
    return mixed(own.draws) % below;
}

static void disown(int families)
{
    while (families-- > 0) {
        pthread_mutex_unlock(&all.families[families].lock);
    }
}

/* Who drains applies what others have set: it owns what it may read. False: it is
   to have it at once, and has not. */
static bool own_all(bool waits)
{
    for (int f = 0; f < FAMILIES; f++) {
        pthread_mutex_t *lock = &all.families[f].lock;
        if ((waits ? pthread_mutex_lock(lock) : pthread_mutex_trylock(lock))) {
            disown(f);
            return false;
        }
    }
    return true;
}

static bool thing_retain(struct obv_object *object)
{
    return references_try(&((struct thing *)object)->references);
}

static void thing_release(struct obv_object *object)
{
    if (references_drop(&((struct thing *)object)->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        __atomic_sub_fetch(&all.things, 1, __ATOMIC_RELAXED);
        free(object);
    }
}

static uint32_t bit_of(uint32_t property)
{
    return UINT32_C(1) << (property == OBV_EVERY_PROPERTY ? 31 : property);
}

static void note_told(struct obv_object *object, uint32_t property,
                      bool is_observed)
{
    struct thing *thing = (struct thing *)object;
    CHECK_EQ(__atomic_exchange_n(&thing->telling, 1, __ATOMIC_ACQUIRE), 0);
    CHECK_EQ((thing->told & bit_of(property)) != 0, !is_observed);
    thing->told ^= bit_of(property);
    __atomic_store_n(&thing->telling, 0, __ATOMIC_RELEASE);
}

static struct thing *thing_create(int levels)
{
    struct thing *thing = calloc(1, sizeof *thing);
    CHECK(thing);
    thing->references = 1;
    obv_object_init(&thing->object, all.thing_class);
    __atomic_add_fetch(&all.things, 1, __ATOMIC_RELAXED);
    thing->x = (int64_t)draw(3);
    thing->y = (int64_t)draw(3);
    if (levels > 0) {
        struct thing *below = thing_create(levels - 1);
        thing_set_b(thing, below);
        thing_release(&below->object);
    }
    return thing;
}

static bool observer_retain(void *observer)
{
    return references_try(&((struct observer *)observer)->references);
}

static void observer_release(void *observer)
{
    struct observer *it = observer;
    if (references_drop(&it->references)) {
        CHECK_EQ(obv_object_deinit(&it->object), OBV_OK);
    }
}

static bool observer_object_retain(struct obv_object *object)
{
    return observer_retain(object);
}

static void observer_object_release(struct obv_object *object)
{
    observer_release(object);
}

/* Paths -------------------------------------------------------------------- */

static const char *const paths[] = {
    "x",   "y",   "b",     "*",     "b.x",   "b.y", "b.b", "b.*",
    "*.x", "*.*", "b.b.x", "b.b.y", "b.b.*", "zz",  "w",   "*.b.x"};
enum { PATHS = sizeof paths / sizeof *paths };

static const char *behind(const char *element)
{
    return element[1] == '.' ? element + 2 : NULL;
}

/* What stands at the end of a path, as one number. */
static int64_t value_by(const struct thing *thing, const char *path)
{
    if (!thing) {
        return -1;
    }
    const char *rest = behind(path);
    switch (*path) {
    case 'x':
        return rest ? -1 : thing_x(thing);
    case 'y':
        return rest ? -1 : thing_y(thing);
    case 'b':
        return rest ? value_by(thing->b, rest) : (int64_t)(intptr_t)thing->b;
    case '*':
        return rest ? value_by(thing->b, rest)
                    : (int64_t)((uintptr_t)thing->b * 31) + thing_x(thing) * 7 +
                          thing_y(thing);
    default:
        return 0;
    }
}

/* The properties that a path holds on one of the objects that it leads to. */
static uint32_t held_by(const struct thing *from, const char *path,
                        const struct thing *thing)
{
    uint32_t held = 0;
    for (; from && path && *path != 'z'; path = behind(path), from = from->b) {
        uint32_t bit = *path == '*'   ? bit_of(OBV_EVERY_PROPERTY)
                       : *path == 'x' ? bit_of(THING_X)
                       : *path == 'w' ? bit_of(THING_W)
                       : *path == 'y' ? bit_of(THING_Y)
                                      : bit_of(THING_B);
        held |= from == thing ? bit : 0;
    }
    return held;
}

/* Handlers ----------------------------------------------------------------- */

static void stop_some(bool in_handler);

/* Of what any thread sets records say what was told; there and back is no change to
   them, whatever the handler has read by itself (TH-1). */
static bool is_by_record(const struct entry *entry, const struct pair *pair)
{
    size_t length = strlen(pair->path);
    return (entry->flags & OBV_RECORDS) &&
           (pair->path[length - 1] == 'x' || pair->path[length - 1] == '*');
}

/* With the family's lock held. */
static void look_at(const struct entry *entry, struct pair *pair)
{
    if (pair->serial == entry->family->serial && !is_by_record(entry, pair)) {
        pair->seen = value_by(entry->family->root, pair->path);
        pair->is_seen = true;
    }
}

static void look(struct entry *entry)
{
    for (size_t i = 0; i < entry->pair_count; i++) {
        look_at(entry, &entry->pairs[i]);
    }
}

static void look_at_told(struct entry *entry,
                         const struct obv_record_entry *told)
{
    struct pair *pair =
        told->index < entry->pair_count ? &entry->pairs[told->index] : NULL;
    if (pair && is_by_record(entry, pair) && !strchr(pair->path, '*')) {
        pair->seen =
            obv_value_is_reachable(&told->last) ? told->last.as.i64 : -1;
        pair->is_seen = true;
    }
}

/* Values that the lock guards: each record begins where the last one ended. */
static void look_at_record(struct entry *entry, const struct obv_record *record)
{
    CHECK(record->count <= 16);
    CHECK_EQ(record->missing, 0);
    for (size_t i = 0; i < record->count; i++) {
        const struct obv_record_entry *told = &record->entries[i];
        CHECK(told->changes > 0);
        look_at_told(entry, told);
        if (entry->begins_with_y && told->index == 0) {
            CHECK_EQ(told->first.as.i64, entry->told);
            entry->told = told->last.as.i64;
        }
    }
}

static void changed_delayed(struct entry *entry, const struct obv_call *call,
                            bool executing)
{
    if (!executing) {
        uint64_t cycle = obv__coalescing_cycle(&entry->loop->set);
        CHECK(entry->called_in != cycle);
        entry->called_in = cycle;
    }
    if (call->record) {
        look_at_record(entry, call->record);
    }
    pthread_mutex_lock(&entry->family->lock);
    look(entry);
    pthread_mutex_unlock(&entry->family->lock);
}

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    struct entry *entry = (struct entry *)(uintptr_t)call->kind;
    bool executing = own.executing;
    bool immediate =
        (entry->flags & OBV_IMMEDIATE) || is_raised(&entry->turned);
    own.executing = false;
    CHECK(observer == &entry->observer);
    CHECK(__atomic_load_n(&entry->observer.references, __ATOMIC_RELAXED) > 0);
    CHECK(__atomic_load_n(&((struct thing *)root)->references,
                          __ATOMIC_RELAXED) > 0);
    CHECK_EQ(__atomic_load_n(&entry->disposed, __ATOMIC_RELAXED), 0);
    CHECK(!is_raised(&entry->waited));
    __atomic_add_fetch(&all.calls, 1, __ATOMIC_RELAXED);
    own.depth++;
    if (!immediate) {
        changed_delayed(entry, call, executing);
        if (own.depth < 3 && draw(16) == 0) { /* nested */
            if (own_all(false)) {
                CHECK(obv_loop_drain(entry->loop) >= 0 || executing);
                disown(FAMILIES);
            }
        }
    }
    if (own.depth < 3 && draw(6) == 0) {
        thing_set_w((struct thing *)root, (int64_t)draw(100));
    }
    if (draw(12) == 0) {
        stop_some(true);
    }
    own.depth--;
}

static void dispose(const struct obv_handler_kind *kind, void *observer)
{
    struct entry *entry = (struct entry *)(uintptr_t)kind;
    CHECK(observer == &entry->observer);
    CHECK_EQ(__atomic_fetch_add(&entry->disposed, 1, __ATOMIC_RELAXED), 0);
}

/* Steps -------------------------------------------------------------------- */

static struct family *any_family(void)
{
    return &all.families[draw(FAMILIES)];
}

/* An object of a family, retained; or NULL. */
static struct thing *any_thing(struct family *family)
{
    pthread_mutex_lock(&family->lock);
    struct thing *at = family->root;
    for (uint64_t down = draw(3); at && down > 0; down--) {
        at = at->b;
    }
    CHECK(!at || thing_retain(&at->object));
    pthread_mutex_unlock(&family->lock);
    return at;
}

static void set_x(void)
{
    struct thing *thing = any_thing(any_family());
    if (thing) {
        thing_set_x(thing, (int64_t)draw(5));
        thing_release(&thing->object);
    }
}

static void set_y_of(struct family *family)
{
    for (struct thing *at = family->root; at; at = at->b) {
        if (draw(2)) {
            thing_set_y(at, (int64_t)draw(4));
        }
    }
}

static void set_y(void)
{
    struct family *family = any_family();
    pthread_mutex_lock(&family->lock);
    set_y_of(family);
    pthread_mutex_unlock(&family->lock);
}

static void replace_middle(void)
{
    struct family *family = any_family();
    struct thing *fresh = draw(6) ? thing_create((int)draw(2)) : NULL;
    pthread_mutex_lock(&family->lock);
    struct thing *parent = family->root;
    if (draw(2) && parent->b) {
        parent = parent->b;
    }
    thing_set_b(parent, fresh);
    pthread_mutex_unlock(&family->lock);
    if (fresh) {
        thing_release(&fresh->object);
    }
}

static void replace_root(void)
{
    struct family *family = any_family();
    struct thing *fresh = thing_create((int)draw(3));
    pthread_mutex_lock(&family->lock);
    struct thing *old = family->root;
    if (draw(2)) { /* leads to what the old one leads to */
        thing_set_b(fresh, old->b);
    }
    family->root = fresh;
    family->serial++;
    thing_release(&old->object);
    pthread_mutex_unlock(&family->lock);
}

/* Records are whole: what a batch has noted comes at its end, after what others
   have changed meanwhile. So it owns what it changes until then. */
static void batch(void)
{
    struct obv_batch batch;
    struct family *family = any_family();
    obv_batch_begin(&batch);
    set_x();
    pthread_mutex_lock(&family->lock);
    for (uint64_t i = 1 + draw(3); i > 0; i--) {
        set_y_of(family);
    }
    obv_batch_end(&batch);
    pthread_mutex_unlock(&family->lock);
}

static void drain_some(void)
{
    struct obv_loop *loop = all.loops[draw(LOOPS)];
    (void)own_all(true);
    ptrdiff_t called = draw(3) ? obv_loop_drain(loop)
                               : obv_loop_drain_some(loop, (size_t)draw(4));
    CHECK(called >= 0 || called == OBV_E_BUSY);
    disown(FAMILIES);
}

static struct entry *entry_create(struct family *family)
{
    static const uint32_t some_flags[] = {0,
                                          0,
                                          OBV_IMMEDIATE,
                                          OBV_DEFER,
                                          OBV_TOKEN,
                                          OBV_RECORDS,
                                          OBV_EXTENSIBLE,
                                          OBV_RECORDS | OBV_IMMEDIATE,
                                          OBV_INITIAL,
                                          OBV_ANY_ELEMENT};
    struct entry *entry = calloc(1, sizeof *entry);
    CHECK(entry);
    entry->kind = (struct obv_handler_kind){.changed = changed,
                                            .retain = observer_retain,
                                            .release = observer_release,
                                            .dispose = dispose,
                                            .flags = OBV_OBSERVER_IS_OBJECT};
    entry->family = family;
    entry->flags = some_flags[draw(sizeof some_flags / sizeof *some_flags)];
    entry->loop = all.loops[draw(LOOPS)];
    entry->observer.references = 1;
    obv_object_init(&entry->observer.object, all.observer_class);
    return entry;
}

/* The family's lock is held. */
static void begin_entry(struct entry *entry, bool with_handle)
{
    struct family *family = entry->family;
    struct obv_pair pairs[2];
    uint64_t first = draw(PATHS);
    entry->pair_count = 1 + draw(2);
    for (size_t i = 0; i < entry->pair_count; i++) {
        const char *path = paths[(first + 5 * i) % PATHS];
        entry->pairs[i] = (struct pair){.path = path, .serial = family->serial};
        pairs[i] = (struct obv_pair){&family->root->object, path};
    }
    const struct obv_observe_options options = {
        .size = sizeof options, .loop = entry->loop, .flags = entry->flags};
    entry->told = family->root->y;
    entry->begins_with_y = strcmp(entry->pairs[0].path, "y") == 0;
    CHECK_EQ(obv_observe_pairs(pairs, entry->pair_count, &entry->kind,
                               &entry->observer, &options,
                               with_handle ? &entry->handle : NULL, NULL),
             OBV_OK);
    look(entry);
}

static void observe_one(size_t thread)
{
    size_t slot = (size_t)draw(SLOTS);
    if (all.entries[thread][slot]) {
        stop_some(false);
        return;
    }
    struct family *family = any_family();
    struct entry *entry = entry_create(family);
    bool with_handle = draw(5) != 0 || (entry->flags & OBV_TOKEN) != 0;
    pthread_mutex_lock(&family->lock);
    begin_entry(entry, with_handle);
    pthread_mutex_unlock(&family->lock);
    __atomic_add_fetch(&all.observed, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&all.entries[thread][slot], entry, __ATOMIC_RELEASE);
}

static struct entry *any_entry(void)
{
    return __atomic_load_n(&all.entries[draw(THREADS)][draw(SLOTS)],
                           __ATOMIC_ACQUIRE);
}

/* Another pair, of the root that the family has now. */
static void observe_also(struct entry *entry)
{
    struct family *family = entry->family;
    const char *path = paths[draw(PATHS)];
    pthread_mutex_lock(&family->lock);
    bool has_it = false;
    for (size_t i = 0; i < entry->pair_count; i++) {
        const struct pair *pair = &entry->pairs[i];
        has_it = has_it || (pair->path == path && !pair->stopped &&
                            pair->serial == family->serial);
    }
    if (entry->pair_count < PAIRS && !has_it) {
        const struct obv_pair pair = {&family->root->object, path};
        enum obv_status status =
            obv_observe_also(entry->handle, &pair, 1, NULL);
        CHECK(status == OBV_OK || status == OBV_E_ENDED ||
              (status == OBV_E_OPTIONS && entry->pair_count == 1));
        if (status == OBV_OK) {
            struct pair *added = &entry->pairs[entry->pair_count++];
            *added = (struct pair){.path = path, .serial = family->serial};
            look_at(entry, added);
        }
    }
    pthread_mutex_unlock(&family->lock);
}

static void stop_one_path(struct entry *entry)
{
    pthread_mutex_lock(&entry->family->lock);
    const char *path = entry->pairs[draw(entry->pair_count)].path;
    CHECK_EQ(obv_stop_path(entry->handle, NULL, path, NULL), OBV_OK);
    for (size_t i = 0; i < entry->pair_count; i++) {
        entry->pairs[i].stopped |= entry->pairs[i].path == path;
    }
    pthread_mutex_unlock(&entry->family->lock);
}

/* By the root that the family has now: it may be another one. */
static void stop_at_root(struct entry *entry)
{
    struct family *family = entry->family;
    pthread_mutex_lock(&family->lock);
    struct obv_object *root = &family->root->object;
    if (draw(2)) {
        CHECK_EQ(obv_stop_handler(root, &entry->kind, &entry->observer),
                 OBV_OK);
    } else {
        CHECK_EQ(obv_stop_observer(root, &entry->observer, NULL, 0, NULL),
                 OBV_OK);
    }
    for (size_t i = 0; i < entry->pair_count; i++) {
        entry->pairs[i].stopped |= entry->pairs[i].serial == family->serial;
    }
    pthread_mutex_unlock(&family->lock);
}

static void end_observer(struct entry *entry)
{
    if (__atomic_exchange_n(&entry->observer.is_dead, 1, __ATOMIC_ACQ_REL) ==
        0) {
        observer_release(&entry->observer);
    }
}

/* In a handler nothing that takes a family's lock: an immediate one may have
   it. */
static void stop_some(bool in_handler)
{
    struct entry *entry = any_entry();
    if (!entry) {
        return;
    }
    uint64_t how = draw(in_handler ? 3 : 5);
    if (how == 0) {
        end_observer(entry);
    } else if (how == 3) {
        stop_at_root(entry);
    } else if (!entry->handle) {
        return;
    } else if (how == 1) {
        obv_stop(entry->handle);
        raise_flag(&entry->stopped);
    } else if (how == 2) {
        bool waited = obv_stop_and_wait(entry->handle);
        raise_flag(&entry->stopped);
        CHECK(waited || in_handler);
        if (waited) {
            raise_flag(&entry->waited);
        }
    } else {
        stop_one_path(entry);
    }
}

static void use_some(void)
{
    struct entry *entry = any_entry();
    if (!entry || !entry->handle) {
        return;
    }
    switch (draw(6)) {
    case 0:
        obv_schedule(entry->handle);
        break;
    case 1:
        raise_flag(&entry->turned);
        obv_make_immediate(entry->handle);
        break;
    case 2:
        own.executing = true;
        (void)obv_execute(entry->handle);
        own.executing = false;
        break;
    case 3:
        (void)obv_has_ended(entry->handle);
        (void)obv_unresolved_path(entry->handle, 0, NULL, 0);
        break;
    default:
        observe_also(entry);
        break;
    }
}

static void ask_some(void)
{
    struct family *family = any_family();
    struct thing *thing = any_thing(family);
    if (thing) {
        (void)obv_observer_count(&thing->object, names[draw(THING_COUNT)]);
        (void)obv_observer_count(&thing->object, "*");
        thing_release(&thing->object);
    }
}

static void step(size_t thread)
{
    uint64_t what = draw(20);
    if (what < 5) {
        set_x();
    } else if (what < 7) {
        set_y();
    } else if (what < 9) {
        replace_middle();
    } else if (what < 12) {
        observe_one(thread);
    } else if (what < 14) {
        stop_some(false);
    } else if (what < 16) {
        use_some();
    } else if (what == 16) {
        batch();
    } else if (what < 19) {
        drain_some();
    } else if (draw(4) == 0) {
        replace_root();
    } else {
        ask_some();
    }
}

/* At rest ------------------------------------------------------------------ */

static bool pair_lives(const struct entry *entry, const struct pair *pair)
{
    return !pair->stopped && pair->serial == entry->family->serial;
}

static bool entry_lives(const struct entry *entry)
{
    bool lives = false;
    for (size_t i = 0; i < entry->pair_count; i++) {
        lives = lives || pair_lives(entry, &entry->pairs[i]);
    }
    return lives && !entry->stopped && !entry->observer.is_dead;
}

static void check_entry(const struct entry *entry)
{
    bool lives = entry_lives(entry);
    CHECK_EQ(entry->disposed, !lives);
    CHECK_EQ(entry->observer.references, !entry->observer.is_dead);
    if (entry->handle) {
        CHECK_EQ(obv_has_ended(entry->handle), !lives);
    }
    bool delayed = !(entry->flags & OBV_IMMEDIATE) && !entry->turned;
    for (size_t i = 0; lives && delayed && i < entry->pair_count; i++) {
        const struct pair *pair = &entry->pairs[i];
        if (pair_lives(entry, pair) && pair->is_seen) {
            CHECK_EQ(pair->seen, value_by(entry->family->root, pair->path));
        }
    }
}

/* What one observation holds of an object, by all its pairs. */
static uint32_t held_by_entry(const struct entry *entry,
                              const struct thing *thing)
{
    uint32_t held = 0;
    for (size_t i = 0; entry_lives(entry) && i < entry->pair_count; i++) {
        const struct pair *pair = &entry->pairs[i];
        if (pair_lives(entry, pair)) {
            held |= held_by(entry->family->root, pair->path, thing);
        }
    }
    return held;
}

struct counts {
    size_t each[THING_COUNT], every;
    uint32_t told;
};

static void count_entry(struct counts *counts, const struct entry *entry,
                        const struct thing *thing)
{
    uint32_t held = held_by_entry(entry, thing);
    bool every = (held & bit_of(OBV_EVERY_PROPERTY)) != 0;
    counts->told |= held;
    counts->every += every;
    for (uint32_t p = 0; p < THING_COUNT; p++) {
        counts->each[p] += every || (held & bit_of(p)) != 0;
    }
}

static void note_name(void *context, const char *name)
{
    uint32_t *listed = context, property = 0;
    while (property < THING_COUNT && strcmp(names[property], name) != 0) {
        property++;
    }
    *listed |= bit_of(property < THING_COUNT ? property : OBV_EVERY_PROPERTY);
}

static void check_thing(struct thing *thing)
{
    struct counts counts;
    uint32_t listed = 0;
    memset(&counts, 0, sizeof counts);
    for (size_t t = 0; t < THREADS; t++) {
        for (size_t s = 0; s < SLOTS; s++) {
            if (all.entries[t][s]) {
                count_entry(&counts, all.entries[t][s], thing);
            }
        }
    }
    for (uint32_t p = 0; p < THING_COUNT; p++) {
        CHECK_EQ(obv_observer_count(&thing->object, names[p]), counts.each[p]);
    }
    CHECK_EQ(obv_observer_count(&thing->object, "*"), counts.every);
    CHECK_EQ(thing->told, counts.told);
    obv_observed_properties(&thing->object, note_name, &listed);
    CHECK_EQ(listed, counts.told);
    CHECK_EQ(thing->references, 1);
}

/* Frees what has ended; of what lives some handles go. Answers how many
   observations the context must know of. */
static size_t tidy(void)
{
    size_t known = 0;
    for (size_t t = 0; t < THREADS; t++) {
        for (size_t s = 0; s < SLOTS; s++) {
            struct entry *entry = all.entries[t][s];
            if (!entry) {
                continue;
            }
            if (!entry_lives(entry) || draw(16) == 0) {
                obv_release(entry->handle);
                entry->handle = NULL;
            }
            if (entry_lives(entry)) {
                known++;
            } else {
                end_observer(entry);
                free(entry);
                all.entries[t][s] = NULL;
            }
        }
    }
    return known;
}

static void drain_all(void)
{
    ptrdiff_t called;
    do {
        called = 0;
        for (int l = 0; l < LOOPS; l++) {
            ptrdiff_t here = obv_loop_drain(all.loops[l]);
            CHECK(here >= 0);
            called += here;
        }
    } while (called != 0 || obv_loop_pending(all.loops[0]) != 0 ||
             obv_loop_pending(all.loops[1]) != 0 ||
             obv_loop_pending(all.loops[2]) != 0);
}

static void check_world(void)
{
    struct obv_counters counters;
    size_t reached = 0;
    drain_all();
    for (int f = 0; f < FAMILIES; f++) {
        for (struct thing *at = all.families[f].root; at; at = at->b) {
            check_thing(at);
            reached++;
        }
    }
    CHECK_EQ(all.things, reached);
    for (size_t t = 0; t < THREADS; t++) {
        for (size_t s = 0; s < SLOTS; s++) {
            if (all.entries[t][s]) {
                check_entry(all.entries[t][s]);
            }
        }
    }
    size_t known = tidy();
    obv_context_counters(all.context, &counters);
    CHECK_EQ(counters.observations, known);
}

/* Threads ------------------------------------------------------------------ */

static void *work(void *number)
{
    size_t thread = (size_t)(uintptr_t)number;
    for (uint64_t n = 0; n < all.steps; n++) {
        own.draws = mixed(all.seed + thread) + mixed(n) * 3;
        step(thread);
        if ((n + 1) % REST == 0) {
            pthread_barrier_wait(&all.barrier);
            if (thread == 0) {
                check_world();
                alarm(120);
            }
            pthread_barrier_wait(&all.barrier);
        }
    }
    return NULL;
}

static void be_quiet(void *unused, const struct obv_diagnostic *diagnostic)
{
    (void)unused;
    CHECK_EQ(diagnostic->kind, OBV_DIAGNOSTIC_UNRESOLVED);
}

static void begin(void)
{
    static const struct obv_property properties[] = {
        [THING_X] = OBV_FIELD_WITH(thing, x, i64, OBV_ANY_THREAD, NULL),
        [THING_W] = OBV_FIELD_WITH(thing, w, i64, OBV_ANY_THREAD, NULL),
        [THING_Y] = OBV_FIELD(thing, y, i64),
        [THING_B] = OBV_FIELD_OBJECT(thing, b, "thing")};
    static const struct obv_class_table thing_table = {
        .size = sizeof thing_table,
        .name = "thing",
        .instance_size = sizeof(struct thing),
        .properties = properties,
        .property_count = THING_COUNT,
        .retain = thing_retain,
        .release = thing_release,
        .observed_changed = note_told};
    static const struct obv_class_table observer_table = {
        .size = sizeof observer_table,
        .name = "observer",
        .instance_size = sizeof(struct observer),
        .retain = observer_object_retain,
        .release = observer_object_release};
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = be_quiet,
                                                .reclaim_batch = 8};
    CHECK_EQ(obv_context_create(&options, &all.context), OBV_OK);
    CHECK_EQ(
        obv_class_create(all.context, &thing_table, &all.thing_class, NULL),
        OBV_OK);
    CHECK_EQ(obv_class_create(all.context, &observer_table, &all.observer_class,
                              NULL),
             OBV_OK);
    all.loops[0] = obv_context_loop(all.context);
    for (int l = 1; l < LOOPS; l++) {
        CHECK_EQ(obv_loop_create(all.context, NULL, &all.loops[l]), OBV_OK);
    }
    for (int f = 0; f < FAMILIES; f++) {
        pthread_mutexattr_t kind;
        CHECK_EQ(pthread_mutexattr_init(&kind), 0);
        CHECK_EQ(pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE), 0);
        CHECK_EQ(pthread_mutex_init(&all.families[f].lock, &kind), 0);
        pthread_mutexattr_destroy(&kind);
        all.families[f].root = thing_create(2);
    }
    CHECK_EQ(pthread_barrier_init(&all.barrier, NULL, THREADS), 0);
}

static void finish(void)
{
    check_world();
    CHECK(all.calls > 0 && all.observed > 0);
    for (int f = 0; f < FAMILIES; f++) {
        all.families[f].serial++;
        thing_release(&all.families[f].root->object);
        all.families[f].root = NULL;
        pthread_mutex_destroy(&all.families[f].lock);
    }
    drain_all();
    CHECK_EQ(tidy(), 0);
    CHECK_EQ(all.things, 0);
    pthread_barrier_destroy(&all.barrier);
    for (int l = 1; l < LOOPS; l++) {
        CHECK_EQ(obv_loop_destroy(all.loops[l]), OBV_OK);
    }
    CHECK_EQ(obv_context_destroy(all.context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

TEST(TH_1_TH_2_random_steps_of_four_threads_leave_what_the_model_says)
{
    const char *given = getenv("OBV_TEST_STEPS");
    uint64_t steps = given ? strtoull(given, NULL, 10) : 100000;
    pthread_t threads[THREADS];
    alarm(120);
    all.seed = test_random();
    all.steps = (steps + THREADS * REST - 1) / (THREADS * REST) * REST;
    begin();
    for (uintptr_t t = 0; t < THREADS; t++) {
        CHECK_EQ(pthread_create(&threads[t], NULL, work, (void *)t), 0);
    }
    for (size_t t = 0; t < THREADS; t++) {
        CHECK_EQ(pthread_join(threads[t], NULL), 0);
    }
    finish();
    printf("  %zu steps, %zu observations, %zu calls\n",
           (size_t)all.steps * THREADS, all.observed, all.calls);
}
