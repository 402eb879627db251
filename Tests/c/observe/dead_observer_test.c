/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observers that may die without having stopped: their observations end at the
 * next change, count or stop (LT-3).
 */
#include "contract_fixture.h"

/* An observer of another language: a count that runs out, and a word that says
   so for as long as an observation knows the address. */
struct mortal {
    struct obv_handler_kind kind;
    size_t references;
    size_t calls, disposed, asked;
};

static struct fixture fixture;

static bool mortal_retain(void *observer)
{
    return references_try(&((struct mortal *)observer)->references);
}

static void mortal_release(void *observer)
{
    (void)references_drop(&((struct mortal *)observer)->references);
}

static bool mortal_gone(void *observer)
{
    struct mortal *mortal = observer;
    CHECK_EQ(__atomic_load_n(&mortal->disposed, __ATOMIC_RELAXED), 0);
    __atomic_add_fetch(&mortal->asked, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&mortal->references, __ATOMIC_ACQUIRE) == 0;
}

static void mortal_changed(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    struct mortal *mortal = observer;
    (void)root;
    (void)call;
    CHECK(__atomic_load_n(&mortal->references, __ATOMIC_RELAXED) > 0);
    __atomic_add_fetch(&mortal->calls, 1, __ATOMIC_RELAXED);
}

static void mortal_dispose(const struct obv_handler_kind *kind, void *observer)
{
    struct mortal *mortal = observer;
    CHECK(kind == &mortal->kind);
    __atomic_add_fetch(&mortal->disposed, 1, __ATOMIC_RELAXED);
}

static void mortal_init(struct mortal *mortal)
{
    *mortal = (struct mortal){.kind = {.changed = mortal_changed,
                                       .retain = mortal_retain,
                                       .release = mortal_release,
                                       .gone = mortal_gone,
                                       .dispose = mortal_dispose,
                                       .label = "mortal"},
                              .references = 1};
}

static void die(struct mortal *mortal)
{
    mortal_release(mortal);
    CHECK_EQ(mortal->references, 0);
    CHECK_EQ(mortal->disposed, 0);
}

static void observe_mortal(struct item *root, const char *path,
                           struct mortal *mortal, uint32_t flags)
{
    const struct obv_pair pair = {&root->object, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &mortal->kind, mortal, &options, NULL,
                               NULL),
             OBV_OK);
}

/* Dies, then meets one of these: exactly once disposed of, never called. */
static void gone_at(void (*meet)(struct item *root), const char *path,
                    uint32_t flags)
{
    struct mortal mortal, living;
    fixture_begin(&fixture);
    struct item *root = item_create(&fixture);
    struct item *next = item_create(&fixture);
    item_set_next(root, next);
    mortal_init(&mortal);
    mortal_init(&living);
    observe_mortal(root, path, &mortal, flags);
    observe_mortal(root, path, &living, flags);
    die(&mortal);
    meet(root);
    CHECK_EQ(mortal.disposed, 1);
    CHECK_EQ(mortal.calls, 0);
    CHECK_EQ(living.disposed, 0);
    meet(root);
    CHECK_EQ(mortal.disposed, 1);
    CHECK(drain(&fixture) <= 1);
    item_set_large(next, 1000);
    item_set_large(root, 1000);
    CHECK(drain(&fixture) == 1 || (flags & OBV_IMMEDIATE));
    CHECK(living.calls > 0);
    CHECK_EQ(counters_of(&fixture).observations, 1);
    item_release(&root->object);
    CHECK_EQ(living.disposed, 1);
    item_release(&next->object);
    fixture_end(&fixture);
}

static void at_change(struct item *root)
{
    item_set_large(root, item_large(root) + 1);
    item_set_large(item_next(root), item_large(item_next(root)) + 1);
}

static void at_count(struct item *root)
{
    CHECK_EQ(obv_observer_count(&root->object, "next") +
                 obv_observer_count(&root->object, "large"),
             1);
}

static void name_it(void *context, const char *name)
{
    (void)name;
    ++*(int *)context;
}

static void at_list(struct item *root)
{
    int names = 0;
    obv_observed_properties(&root->object, name_it, &names);
    CHECK_EQ(names, 1);
}

static void at_stop(struct item *root)
{
    static int nobody;
    CHECK_EQ(obv_stop_observer(&root->object, &nobody, NULL, 0, NULL), OBV_OK);
}

static void at_put(struct item *root)
{
    struct item *next = item_next(root), *other = item_create(&fixture);
    CHECK(item_retain(&next->object));
    other->large = item_large(next) + 1;
    item_set_next(root, other);
    item_set_next(root, next);
    item_release(&next->object);
    item_release(&other->object);
}

TEST(LT_3_a_gone_observer_ends_at_the_next_change)
{
    gone_at(at_change, "large", 0);
    gone_at(at_change, "large", OBV_IMMEDIATE);
    gone_at(at_change, "large", OBV_TOKEN);
    gone_at(at_change, "large", OBV_EXTENSIBLE);
    gone_at(at_change, "next.large", 0);
    gone_at(at_change, "next.large", OBV_IMMEDIATE | OBV_EXTENSIBLE);
    gone_at(at_put, "next.large", 0);
    gone_at(at_put, "next.large", OBV_IMMEDIATE);
}

TEST(LT_3_a_gone_observer_ends_at_a_count)
{
    gone_at(at_count, "large", 0);
    gone_at(at_count, "large", OBV_IMMEDIATE);
    gone_at(at_count, "next.large", OBV_EXTENSIBLE);
    gone_at(at_list, "large", 0);
    gone_at(at_list, "next.large", OBV_EXTENSIBLE | OBV_IMMEDIATE);
}

TEST(LT_3_a_gone_observer_ends_at_a_stop)
{
    gone_at(at_stop, "large", 0);
    gone_at(at_stop, "next.large", OBV_IMMEDIATE);
    gone_at(at_stop, "next.large", OBV_EXTENSIBLE);
}

TEST(LT_3_a_gone_observer_of_every_property_is_not_counted)
{
    struct mortal mortals[100];
    fixture_begin(&fixture);
    struct item *root = item_create(&fixture);
    for (int i = 0; i < 100; i++) {
        mortal_init(&mortals[i]);
        observe_mortal(root, i % 2 ? "*" : "large", &mortals[i], 0);
    }
    for (int i = 0; i < 100; i += 3) {
        die(&mortals[i]);
    }
    CHECK_EQ(obv_observer_count(&root->object, "large"), 66);
    CHECK_EQ(obv_observer_count(&root->object, "*"), 33);
    for (int i = 0; i < 100; i++) {
        CHECK_EQ(mortals[i].disposed, i % 3 == 0);
    }
    item_release(&root->object);
    fixture_end(&fixture);
}

enum { MANY = 1000 };

static size_t told; /* so many objects are observed, as they are told */

static void count_told(struct obv_object *object, uint32_t property,
                       bool is_observed)
{
    (void)object;
    told += property == ITEM_NEXT ? (is_observed ? 1 : (size_t)-1) : 0;
}

/* In an array of a context of their own; the first ones have a next. */
static struct obv_array *many_items(struct item **items)
{
    static const struct obv_collection_kind kind = {
        .size = sizeof kind, .name = "items", .element = OBV_KIND_object};
    static struct obv_class_table table;
    struct obv_class *cls, *telling;
    struct obv_array *array;
    table = item_table();
    table.name = "telling";
    table.observed_changed = count_told;
    CHECK_EQ(obv_class_create(fixture.context, &table, &telling, NULL), OBV_OK);
    CHECK_EQ(obv_array_class_create(fixture.context, &kind, &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(cls, &array, NULL), OBV_OK);
    for (int i = 0; i < MANY; i++) {
        items[i] = item_create(&fixture);
        obv_object_init(&items[i]->object, telling);
        CHECK_EQ(obv_array_append(array, items[i]), OBV_OK);
    }
    return array;
}

static void observe_many(struct obv_array *array, const char *path,
                         struct mortal *mortal)
{
    const struct obv_pair pair = {&array->container.object, path};
    mortal_init(mortal);
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &mortal->kind, mortal, NULL, NULL, NULL),
        OBV_OK);
}

/* All goes with the change that finds it gone. */
TEST(LT_3_a_path_that_a_gone_observer_had_is_observed_again)
{
    static struct item *items[MANY];
    for (int ends = 0; ends < 2; ends++) {
        struct mortal mortal, second;
        fixture_begin(&fixture);
        struct obv_array *array = many_items(items);
        told = 0;
        observe_many(array, "*.next", &mortal);
        mortal_release(&mortal);
        item_set_next(items[3], items[0]);
        CHECK_EQ(mortal.disposed, 1);
        CHECK_EQ(told, 0);
        if (!ends) {
            observe_many(array, "*.next", &second);
            CHECK_EQ(told, MANY);
            for (int i = 0; i < MANY; i++) {
                CHECK_EQ(obv_observer_count(&items[i]->object, "next"), 1);
                item_set_next(items[i], items[1]);
                CHECK_EQ(drain(&fixture), 1);
                item_set_next(items[i], NULL);
                CHECK_EQ(drain(&fixture), 1);
            }
        }
        item_set_next(items[3], NULL);
        obv_array_release(array);
        CHECK_EQ(told, 0);
        for (int i = 0; i < MANY; i++) {
            item_release(&items[i]->object);
        }
        fixture_end(&fixture);
    }
}

/* A pending call holds the observer: it comes. */
TEST(LT_3_a_pending_call_is_no_death)
{
    struct mortal mortal;
    fixture_begin(&fixture);
    struct item *root = item_create(&fixture);
    mortal_init(&mortal);
    observe_mortal(root, "large", &mortal, 0);
    item_set_large(root, 1);
    mortal_release(&mortal);
    CHECK_EQ(obv_observer_count(&root->object, "large"), 1);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(mortal.calls, 1);
    CHECK_EQ(obv_observer_count(&root->object, "large"), 0);
    CHECK_EQ(mortal.disposed, 1);
    item_release(&root->object);
    fixture_end(&fixture);
}

TEST(LT_3_gone_by_hand)
{
    struct mortal mortal;
    struct obv_observation *handle;
    fixture_begin(&fixture);
    struct item *root = item_create(&fixture);
    for (int by = 0; by < 3; by++) {
        mortal_init(&mortal);
        CHECK_EQ(obv_observe(&root->object, "large", &mortal.kind, &mortal,
                             &handle, NULL),
                 OBV_OK);
        CHECK(!obv_has_ended(handle));
        die(&mortal);
        if (by == 0) {
            CHECK(!obv_execute(handle));
        } else if (by == 1) {
            obv_schedule(handle);
        } /* else who asks whether it has ended finds that */
        CHECK(obv_has_ended(handle));
        CHECK_EQ(mortal.disposed, 1);
        CHECK(obv_stop_and_wait(handle));
        obv_release(handle);
    }
    CHECK_EQ(drain(&fixture), 0);
    item_release(&root->object);
    fixture_end(&fixture);
}

TEST(gone_comes_with_retain)
{
    struct mortal mortal;
    struct obv_error error;
    fixture_begin(&fixture);
    struct item *root = item_create(&fixture);
    mortal_init(&mortal);
    mortal.kind.retain = NULL;
    mortal.kind.release = NULL;
    CHECK_EQ(obv_observe(&root->object, "large", &mortal.kind, &mortal, NULL,
                         &error),
             OBV_E_ARGUMENT);
    item_release(&root->object);
    fixture_end(&fixture);
}

/* Whoever cannot be held for another reason goes on. */
static bool refuses;

static bool refusing_retain(void *observer)
{
    return !refuses && mortal_retain(observer);
}

TEST(LT_3_an_observer_that_cannot_be_held_and_is_not_gone_goes_on)
{
    struct mortal mortal;
    fixture_begin(&fixture);
    struct item *root = item_create(&fixture);
    mortal_init(&mortal);
    mortal.kind.retain = refusing_retain;
    observe_mortal(root, "large", &mortal, 0);
    refuses = true;
    item_set_large(root, 1);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(mortal.asked, 1);
    refuses = false;
    item_set_large(root, 2);
    CHECK_EQ(drain(&fixture), 1);
    item_release(&root->object);
    CHECK_EQ(mortal.disposed, 1);
    fixture_end(&fixture);
}

/* Counting asks who is gone; that is no call, so execute() goes on. */
static struct obv_observation *executed;
static int counting, may_answer;

static bool slow_gone(void *observer)
{
    (void)observer;
    raise_flag(&counting);
    await_flag(&may_answer);
    return false;
}

static void *count_large(void *root)
{
    CHECK_EQ(obv_observer_count(root, "large"), 1);
    return NULL;
}

TEST(DR_6_asking_who_is_gone_is_no_call)
{
    struct mortal mortal;
    pthread_t thread;
    fixture_begin(&fixture);
    struct item *root = item_create(&fixture);
    mortal_init(&mortal);
    mortal.kind.gone = slow_gone;
    CHECK_EQ(obv_observe(&root->object, "large", &mortal.kind, &mortal,
                         &executed, NULL),
             OBV_OK);
    CHECK_EQ(pthread_create(&thread, NULL, count_large, &root->object), 0);
    await_flag(&counting);
    CHECK(obv_execute(executed));
    CHECK_EQ(mortal.calls, 1);
    raise_flag(&may_answer);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    end(executed);
    CHECK_EQ(mortal.disposed, 1);
    item_release(&root->object);
    fixture_end(&fixture);
}

/* Memory: a count goes on, and ends who is gone. */
TEST(FA_2_counting_the_gone_without_memory)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct mortal mortals[80];
        fixture_begin(&fixture);
        struct item *root = item_create(&fixture);
        for (int i = 0; i < 80; i++) {
            mortal_init(&mortals[i]);
            observe_mortal(root, "large", &mortals[i], 0);
            mortal_release(&mortals[i]);
        }
        test_fail_allocation(n, false);
        size_t count = obv_observer_count(&root->object, "large");
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(count == 0 || failed);
        item_set_large(root, 1);
        CHECK_EQ(drain(&fixture), 0);
        for (int i = 0; i < 80; i++) {
            CHECK_EQ(mortals[i].disposed, 1);
        }
        item_release(&root->object);
        fixture_end(&fixture);
    }
}

/* Threads ------------------------------------------------------------------ */

enum { ROUNDS = 400, MORTALS = 8, COUNTERS = 2 };

static struct item *shared;
static int stopping;

static void *count_on(void *context)
{
    (void)context;
    while (!is_raised(&stopping)) {
        (void)obv_observer_count(&shared->object, "shared");
        item_set_shared(shared, item_shared(shared) + 1);
        (void)drain(&fixture);
    }
    return NULL;
}

/* Observers die while other threads count, set and drain: each is disposed of
   once, and called by nobody after its death. */
TEST(TH_1_observers_die_under_counts_and_changes)
{
    static struct mortal mortals[ROUNDS][MORTALS];
    pthread_t threads[COUNTERS];
    fixture_begin_with(&fixture, test_allocator(), 1);
    shared = item_create(&fixture);
    for (int i = 0; i < COUNTERS; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, count_on, NULL), 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MORTALS; i++) {
            struct mortal *mortal = &mortals[round][i];
            mortal_init(mortal);
            observe_mortal(shared, "shared", mortal, i % 2 ? OBV_IMMEDIATE : 0);
        }
        for (int i = 0; i < MORTALS; i++) {
            mortal_release(&mortals[round][i]);
        }
    }
    raise_flag(&stopping);
    for (int i = 0; i < COUNTERS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    (void)drain(&fixture);
    CHECK_EQ(obv_observer_count(&shared->object, "shared"), 0);
    (void)drain(&fixture);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MORTALS; i++) {
            CHECK_EQ(mortals[round][i].disposed, 1);
            CHECK_EQ(mortals[round][i].references, 0);
        }
    }
    item_release(&shared->object);
    fixture_end(&fixture);
}
