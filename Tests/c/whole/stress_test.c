/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything at once on all threads: workers observe, stop, set, replace what
 * lies in the middle of paths and let objects and observers die, each worker
 * for a moment, then another thread takes its place; two loops have a drainer
 * each. What must hold at rest: the value that was set last is the one that was
 * delivered last; each handler was disposed of once; references are balanced;
 * nothing has leaked; objects were told last who is observed. During the run: no delayed handler twice in a cycle, none
 * once it was disposed of, none with a dead end. Meant for the sanitizers.
 *
 *     OBV_TEST_SECONDS   how long each test runs; 2
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "contract_fixture.h"

#include "platform/membarrier.h"

#include <time.h>

enum { GROUPS = 4, WORKERS = 4, SLOTS = 16, LASTING = 3, LOOPS = 2 };

/* A loop, and the cycle that its drainer runs. */
struct place {
    struct obv_loop *loop;
    uint64_t cycle; /* the drainer's own */
};

/* One observation: its kind and what it counts, freed by `dispose`. */
struct seen {
    struct obv_handler_kind kind;
    struct place *place;
    uint64_t called_in; /* the drainer's own, or the last call's */
    struct eye *eye;
};

/* An observer object; its block lives until its last observation is disposed
   of, so that what is called after its end is found. */
struct eye {
    struct obv_object object;
    size_t references, blocks;
};

/* Objects that are joined by paths, and the lock that makes one thread their
   owner. */
struct family {
    pthread_mutex_t lock;
    struct item *root;
};

/* A handle, and what it belongs to while the handle is kept. */
struct kept {
    struct obv_observation *handle;
    bool immediate;
};

static struct fixture fixture;
static struct obv_class_table eye_table;
static struct obv_class *eye_class;
static struct family families[GROUPS];
static struct kept *slots[SLOTS];
static struct place places[LOOPS];
static size_t begun, disposed, calls, eyes_made, eyes_freed;
static int over;
static _Thread_local int depth; /* of handlers */
static _Thread_local uint64_t state;

static uint64_t draw(uint64_t below)
{
    uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % below;
}

static void count(size_t *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

/* Being observed ---------------------------------------------------------- */

static uint32_t told_bit(uint32_t property)
{
    return UINT32_C(1) << (property == OBV_EVERY_PROPERTY ? 31 : property);
}

static void note_told(struct obv_object *object, uint32_t property,
                      bool is_observed)
{
    struct item *item = (struct item *)object;
    CHECK(__atomic_load_n(&item->references, __ATOMIC_RELAXED) > 0);
    CHECK_EQ(__atomic_exchange_n(&item->telling, 1, __ATOMIC_ACQUIRE), 0);
    CHECK_EQ((item->told & told_bit(property)) != 0, !is_observed);
    item->told ^= told_bit(property);
    __atomic_store_n(&item->telling, 0, __ATOMIC_RELEASE);
}

static void check_property(struct item *item, uint32_t property)
{
    const char *name = obv_class_property_name(fixture.item_class, property);
    bool is_told = (item->told & told_bit(property)) != 0;
    size_t every = property == OBV_EVERY_PROPERTY
                       ? 0
                       : obv_observer_count(&item->object, "*");
    size_t count = obv_observer_count(&item->object, name);
    /* Who observes by both counts once. */
    CHECK(count == 0 ? !is_told : is_told || every != 0);
}

/* At rest: what each object was told last is so. */
static void check_told(void)
{
    for (int g = 0; g < GROUPS; g++) {
        for (struct item *item = families[g].root; item; item = item->next) {
            for (uint32_t property = 0; property < ITEM_COUNT; property++) {
                check_property(item, property);
            }
            check_property(item, OBV_EVERY_PROPERTY);
        }
    }
}

/* Observers --------------------------------------------------------------- */

static void eye_block_drop(struct eye *eye)
{
    if (references_drop(&eye->blocks)) {
        count(&eyes_freed);
        free(eye);
    }
}

static bool eye_retain(void *observer)
{
    return references_try(&((struct eye *)observer)->references);
}

static void eye_release(void *observer)
{
    struct eye *eye = observer;
    if (references_drop(&eye->references)) {
        CHECK_EQ(obv_object_deinit(&eye->object), OBV_OK);
        eye_block_drop(eye);
    }
}

static bool eye_object_retain(struct obv_object *object)
{
    return eye_retain(object);
}

static void eye_object_release(struct obv_object *object)
{
    eye_release(object);
}

static void seen_dispose(const struct obv_handler_kind *kind, void *observer)
{
    struct seen *seen = (struct seen *)(uintptr_t)kind;
    CHECK(observer == seen->eye);
    count(&disposed);
    eye_block_drop(seen->eye);
    free(seen);
}

static struct eye *eye_create(void)
{
    struct eye *eye = calloc(1, sizeof *eye);
    CHECK(eye);
    eye->references = eye->blocks = 1;
    obv_object_init(&eye->object, eye_class);
    count(&eyes_made);
    return eye;
}

/* Objects ----------------------------------------------------------------- */

static struct item *family_member(int levels)
{
    struct item *item = item_create(&fixture);
    if (levels > 0) {
        struct item *next = family_member(levels - 1);
        item_set_next(item, next);
        item_release(&next->object);
    }
    return item;
}

/* The root of a family, retained. */
static struct item *root_of(struct family *family)
{
    pthread_mutex_lock(&family->lock);
    struct item *root = family->root;
    CHECK(item_retain(&root->object));
    pthread_mutex_unlock(&family->lock);
    return root;
}

static void replace_middle(struct family *family)
{
    struct item *fresh = family_member((int)draw(2));
    fresh->large = (int64_t)draw(2);
    pthread_mutex_lock(&family->lock);
    struct item *parent = family->root;
    if (draw(2) && parent->next) {
        parent = parent->next;
    }
    item_set_next(parent, draw(8) ? fresh : NULL);
    pthread_mutex_unlock(&family->lock);
    item_release(&fresh->object);
}

static void replace_root(struct family *family)
{
    struct item *fresh = family_member(2);
    pthread_mutex_lock(&family->lock);
    struct item *old = family->root;
    if (draw(2)) { /* shares what lies below */
        item_set_next(fresh, old->next);
        /* One owner at a time: the old one must go with its family held. */
        family->root = fresh;
        item_release(&old->object);
        pthread_mutex_unlock(&family->lock);
        return;
    }
    family->root = fresh;
    pthread_mutex_unlock(&family->lock);
    item_release(&old->object); /* on whatever thread is the last */
}

static void set_values(struct family *family)
{
    pthread_mutex_lock(&family->lock);
    for (struct item *at = family->root; at; at = at->next) {
        if (draw(2)) {
            item_set_large(at, (int64_t)draw(3));
        }
    }
    pthread_mutex_unlock(&family->lock);
}

static void set_shared(struct family *family)
{
    struct item *root = root_of(family);
    item_set_shared(root, (int64_t)draw(1000));
    item_release(&root->object);
}

/* Handlers ---------------------------------------------------------------- */

static void stop_any(void);

static void seen_changed(void *observer, struct obv_object *root,
                         const struct obv_call *call)
{
    struct seen *seen = (struct seen *)(void *)(uintptr_t)call->kind;
    CHECK(observer == seen->eye && root);
    /* Both ends are alive: their counts are not zero. */
    CHECK(__atomic_load_n(&((struct item *)root)->references,
                          __ATOMIC_RELAXED) > 0);
    CHECK(__atomic_load_n(&seen->eye->references, __ATOMIC_RELAXED) > 0);
    count(&calls);
    if (seen->place) {
        CHECK(seen->called_in != seen->place->cycle);
        seen->called_in = seen->place->cycle;
        if (depth < 3 && draw(16) == 0) { /* nested */
            depth++;
            CHECK(obv_loop_drain(seen->place->loop) >= 0);
            depth--;
        }
    }
    (void)item_shared((struct item *)root);
    if (draw(8) == 0) {
        stop_any();
    }
    if (depth < 3 && draw(8) == 0) {
        depth++;
        item_set_shared((struct item *)root, (int64_t)draw(1000));
        depth--;
    }
}

/* Observing and stopping -------------------------------------------------- */

static const char *const single[] = {"shared", "large", "next", "*", "zz"};
static const char *const longer[] = {"next.large", "next.next.large",
                                     "next.shared", "next.*", "next.next"};

static void keep(struct kept *kept);

static void observe_one(struct family *family)
{
    struct eye *eye = eye_create();
    struct seen *seen = calloc(1, sizeof *seen);
    struct kept *kept = calloc(1, sizeof *kept);
    CHECK(seen && kept);
    bool immediate = draw(3) == 0;
    *seen = (struct seen){.place = immediate ? NULL : &places[draw(LOOPS)],
                          .eye = eye};
    seen->kind = (struct obv_handler_kind){.changed = seen_changed,
                                           .retain = eye_retain,
                                           .release = eye_release,
                                           .dispose = seen_dispose,
                                           .flags = OBV_OBSERVER_IS_OBJECT};
    kept->immediate = immediate;
    bool with_handle = draw(4) != 0;
    const struct obv_observe_options options = {
        .size = sizeof options,
        .loop = seen->place ? seen->place->loop : NULL,
        .flags = (immediate ? (uint32_t)OBV_IMMEDIATE : 0) |
                 (draw(4) == 0 ? (uint32_t)OBV_DEFER : 0) |
                 (draw(2) ? (uint32_t)OBV_EXTENSIBLE : 0) |
                 (with_handle && draw(4) == 0 ? (uint32_t)OBV_TOKEN : 0)};
    eye->blocks = 2;
    pthread_mutex_lock(&family->lock);
    struct obv_pair pairs[2];
    size_t pair_count = 1 + draw(2);
    for (size_t i = 0; i < pair_count; i++) {
        pairs[i].root = &family->root->object;
        pairs[i].path = draw(2) ? single[draw(5)] : longer[draw(5)];
    }
    count(&begun);
    CHECK_EQ(obv_observe_pairs(pairs, pair_count, &seen->kind, eye, &options,
                               with_handle ? &kept->handle : NULL, NULL),
             OBV_OK);
    pthread_mutex_unlock(&family->lock);
    if (with_handle && draw(2)) { /* by hand, while the observer lives */
        obv_schedule(kept->handle);
    }
    eye_release(eye); /* unless a call is pending this ends it */
    keep(kept);
}

static void let_go_of(struct kept *kept)
{
    if (kept->handle) {
        obv_release(kept->handle);
    }
    free(kept);
}

static void keep(struct kept *kept)
{
    struct kept *old =
        __atomic_exchange_n(&slots[draw(SLOTS)], kept, __ATOMIC_ACQ_REL);
    if (old) {
        let_go_of(old);
    }
}

/* Another pair, if this thread can own the family just now. */
static void add_pair(struct obv_observation *handle)
{
    struct family *family = &families[draw(GROUPS)];
    if (pthread_mutex_trylock(&family->lock) == 0) {
        const struct obv_pair pair = {&family->root->object, longer[draw(5)]};
        enum obv_status status = obv_observe_also(handle, &pair, 1, NULL);
        CHECK(status == OBV_OK || status == OBV_E_ENDED ||
              status == OBV_E_OPTIONS);
        pthread_mutex_unlock(&family->lock);
    }
}

static void use_handle(const struct kept *kept)
{
    struct obv_observation *handle = kept->handle;
    switch (draw(8)) {
    case 0:
        obv_stop(handle);
        break;
    case 1:
        (void)obv_stop_and_wait(handle);
        break;
    case 2:
        CHECK_EQ(obv_stop_path(handle, NULL, "shared", NULL), OBV_OK);
        break;
    case 3:
        obv_schedule(handle);
        break;
    case 4:
        (void)obv_unresolved_path(handle, 0, NULL, 0);
        (void)obv_has_ended(handle);
        break;
    case 5:
        /* A delayed one would count twice for its cycle. */
        (void)(kept->immediate && depth < 3 && obv_execute(handle));
        break;
    case 6:
        add_pair(handle);
        break;
    default:
        break;
    }
}

static void stop_any(void)
{
    struct kept *kept =
        __atomic_exchange_n(&slots[draw(SLOTS)], NULL, __ATOMIC_ACQ_REL);
    if (kept && kept->handle) {
        use_handle(kept);
    }
    if (kept) {
        let_go_of(kept);
    }
}

/* Observers that live for a while: another thread stops what they observe by
   all the forms there are, while they are called. */
static void observe_and_stop(struct family *family)
{
    struct eye *eye = eye_create();
    struct seen *seen = calloc(1, sizeof *seen);
    struct obv_observation *handle = NULL;
    CHECK(seen);
    *seen = (struct seen){.place = draw(2) ? &places[draw(LOOPS)] : NULL,
                          .eye = eye};
    seen->kind = (struct obv_handler_kind){.changed = seen_changed,
                                           .retain = eye_retain,
                                           .release = eye_release,
                                           .dispose = seen_dispose,
                                           .flags = OBV_OBSERVER_IS_OBJECT};
    eye->blocks = 2;
    count(&begun);
    struct item *root = root_of(family);
    const struct obv_pair pair = {&root->object, single[draw(4)]};
    const struct obv_observe_options options = {
        .size = sizeof options,
        .loop = seen->place ? seen->place->loop : NULL,
        .flags = seen->place ? 0 : (uint32_t)OBV_IMMEDIATE};
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &seen->kind, eye, &options, &handle, NULL),
        OBV_OK);
    const struct obv_handler_kind *kind = &seen->kind;
    item_set_shared(root, (int64_t)draw(1000));
    (void)obv_observer_count(&root->object, "next");
    switch (draw(5)) {
    case 0:
        CHECK_EQ(obv_stop_observer(&root->object, eye, NULL, 0, NULL), OBV_OK);
        break;
    case 1:
        CHECK_EQ(obv_stop_handler(&root->object, kind, eye), OBV_OK);
        break;
    case 2:
        CHECK_EQ(obv_stop_path(handle, &root->object, pair.path, NULL), OBV_OK);
        break;
    case 3:
        /* Looked at before: `seen` goes when it has ended. */
        CHECK(obv_stop_and_wait(handle));
        break;
    default:
        obv_stop(handle);
        break;
    }
    CHECK(obv_has_ended(handle));
    obv_release(handle);
    eye_release(eye);
    item_release(&root->object);
}

/* Values that last: the end must be told ---------------------------------- */

struct lasting {
    struct item *item;
    struct watcher {
        struct obv_handler_kind kind;
        struct item *item;
        int64_t last;
        size_t calls;
    } watchers[LOOPS];
};

static struct lasting lasting[LASTING];

static void lasting_changed(void *observer, struct obv_object *root,
                            const struct obv_call *call)
{
    struct watcher *watcher = observer;
    CHECK(root == &watcher->item->object && call->kind == &watcher->kind);
    watcher->last = item_shared(watcher->item);
    watcher->calls++;
}

static void begin_lasting(void)
{
    for (int i = 0; i < LASTING; i++) {
        lasting[i].item = item_create(&fixture);
        for (int l = 0; l < LOOPS; l++) {
            struct watcher *watcher = &lasting[i].watchers[l];
            memset(watcher, 0, sizeof *watcher);
            watcher->item = lasting[i].item;
            watcher->kind.changed = lasting_changed;
            const struct obv_pair pair = {&watcher->item->object,
                                          i == 1 ? "*" : "shared"};
            const struct obv_observe_options options = {.size = sizeof options,
                                                        .loop = places[l].loop};
            CHECK_EQ(obv_observe_pairs(&pair, 1, &watcher->kind, watcher,
                                       &options, NULL, NULL),
                     OBV_OK);
        }
    }
}

static void end_lasting(void)
{
    for (int i = 0; i < LASTING; i++) {
        for (int l = 0; l < LOOPS; l++) {
            CHECK_EQ(lasting[i].watchers[l].last, item_shared(lasting[i].item));
            CHECK(lasting[i].watchers[l].calls > 0);
        }
        item_release(&lasting[i].item->object);
    }
}

/* Threads ----------------------------------------------------------------- */

static int64_t milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void work_once(void)
{
    struct family *family = &families[draw(GROUPS)];
    switch (draw(12)) {
    case 0:
    case 1:
        observe_one(family);
        break;
    case 2:
        observe_and_stop(family);
        break;
    case 3:
        replace_middle(family);
        break;
    case 4:
        if (draw(4) == 0) {
            replace_root(family);
        }
        break;
    case 5:
    case 6:
        set_values(family);
        break;
    case 7:
    case 8:
        set_shared(family);
        break;
    case 9:
        stop_any();
        break;
    default:
        item_set_shared(lasting[draw(LASTING)].item, (int64_t)draw(5));
        break;
    }
}

static void *work(void *seed)
{
    int64_t until = milliseconds_now() + 50;
    state = (uintptr_t)seed;
    while (milliseconds_now() < until) {
        for (int i = 0; i < 20; i++) {
            work_once();
        }
    }
    return NULL;
}

static void *drain_until_over(void *context)
{
    struct place *place = context;
    state = (uintptr_t)place;
    while (!is_raised(&over)) {
        place->cycle++;
        CHECK(obv_loop_drain_some(place->loop, draw(4) ? SIZE_MAX : draw(5)) >=
              0);
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
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = be_quiet,
                                                .reclaim_batch = 8};
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    fixture.item_table = item_table();
    fixture.item_table.observed_changed = note_told;
    CHECK_EQ(obv_class_create(fixture.context, &fixture.item_table,
                              &fixture.item_class, NULL),
             OBV_OK);
    eye_table = (struct obv_class_table){.size = sizeof eye_table,
                                         .name = "eye",
                                         .instance_size = sizeof(struct eye),
                                         .retain = eye_object_retain,
                                         .release = eye_object_release};
    CHECK_EQ(obv_class_create(fixture.context, &eye_table, &eye_class, NULL),
             OBV_OK);
    places[0].loop = obv_context_loop(fixture.context);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &places[1].loop), OBV_OK);
    for (int g = 0; g < GROUPS; g++) {
        pthread_mutex_init(&families[g].lock, NULL);
        families[g].root = family_member(2);
    }
    begin_lasting();
}

static void drain_all(void)
{
    ptrdiff_t called;
    do {
        called = 0;
        for (int l = 0; l < LOOPS; l++) {
            places[l].cycle++;
            called += obv_loop_drain(places[l].loop);
        }
    } while (called != 0 || obv_loop_pending(places[0].loop) != 0 ||
             obv_loop_pending(places[1].loop) != 0);
}

static void finish(void)
{
    drain_all();
    check_told();
    for (int s = 0; s < SLOTS; s++) {
        if (slots[s]) {
            obv_stop(slots[s]->handle);
            let_go_of(slots[s]);
        }
    }
    drain_all();
    end_lasting();
    for (int g = 0; g < GROUPS; g++) {
        item_release(&families[g].root->object);
        pthread_mutex_destroy(&families[g].lock);
    }
    drain_all();
    CHECK_EQ(disposed, begun);
    CHECK_EQ(eyes_freed, eyes_made);
    CHECK(calls > 0);
    CHECK_EQ(counters_of(&fixture).observations, 0);
    CHECK_EQ(obv_loop_destroy(places[1].loop), OBV_OK);
    fixture_end(&fixture);
}

static void stress(void)
{
    const char *given = getenv("OBV_TEST_SECONDS");
    int64_t until =
        milliseconds_now() + (given ? 1000 * strtoll(given, NULL, 10) : 2000);
    pthread_t drainers[LOOPS], workers[WORKERS];
    alarm((unsigned)(until / 1000 - milliseconds_now() / 1000 + 120));
    begin();
    for (int l = 0; l < LOOPS; l++) {
        CHECK_EQ(
            pthread_create(&drainers[l], NULL, drain_until_over, &places[l]),
            0);
    }
    while (milliseconds_now() < until) {
        for (int w = 0; w < WORKERS; w++) {
            void *seed = (void *)(uintptr_t)test_random();
            CHECK_EQ(pthread_create(&workers[w], NULL, work, seed), 0);
        }
        for (int w = 0; w < WORKERS; w++) {
            CHECK_EQ(pthread_join(workers[w], NULL), 0);
        }
    }
    raise_flag(&over);
    for (int l = 0; l < LOOPS; l++) {
        CHECK_EQ(pthread_join(drainers[l], NULL), 0);
    }
    finish();
}

TEST(TH_1_LT_1_ST_4_all_of_it_at_once_on_all_threads)
{
    stress();
}

TEST(TH_1_LT_1_ST_4_all_of_it_at_once_without_membarrier)
{
    obv__membarrier_refuse_for_tests();
    stress();
}
