/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths that come again: a text that was observed lately is neither parsed nor
 * copied, nor is a compiled path, whoever keeps it. What is counted is memory:
 * nothing is parsed without a block for it.
 */
#include "path_check.h"
#include "contract_fixture.h"

#include "path/path_cache.h"

#include <observable/component.h>

#include <stdio.h>

static struct fixture fixture;
static struct item *root;
static struct probe probe;
static size_t allocated; /* bytes, since they were last looked at */

static void *count_bytes(void *unused, size_t size)
{
    (void)unused;
    allocated += size;
    return test_allocator()->allocate(NULL, size);
}

static void give_back(void *unused, void *block, size_t size)
{
    (void)unused;
    test_allocator()->free(NULL, block, size);
}

static const struct obv_allocator counting = {count_bytes, give_back, NULL};

/* Every retired block goes with the next one. */
static void begin(void)
{
    fixture_begin_with(&fixture, &counting, 1);
    root = item_create(&fixture);
    probe_init_plain(&probe);
}

static void finish(void)
{
    item_release(&root->object);
    fixture_end(&fixture);
}

static struct obv_observation *made_with(const struct obv_pair *pairs,
                                         size_t count, uint32_t flags)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    struct obv_observation *handle = NULL;
    CHECK_EQ(obv_observe_pairs(pairs, count, &probe.kind, &probe, &options,
                               &handle, NULL),
             OBV_OK);
    return handle;
}

static struct obv_observation *observe_text(const char *text, uint32_t flags)
{
    const struct obv_pair pair = {&root->object, text};
    return made_with(&pair, 1, flags);
}

static struct obv_observation *observe_class_text(const char *text,
                                                  uint32_t flags)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    struct obv_observation *handle = NULL;
    CHECK_EQ(obv_observe_class(fixture.item_class, text, &probe.kind, &probe,
                               &options, &handle, NULL),
             OBV_OK);
    return handle;
}

static void stop_and_release(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

static void told_of_death(void *observer,
                          const struct obv_deallocation_notice *notice)
{
    (void)observer;
    (void)notice;
}

typedef struct obv_observation *observe_by(const char *text, uint32_t flags);

/* The bytes of a second observation beside a first. */
static size_t bytes_again(observe_by *observe_it, const char *text,
                          uint32_t flags)
{
    struct obv_observation *first = observe_it(text, flags);
    allocated = 0;
    struct obv_observation *second = observe_it(text, flags);
    size_t bytes = allocated;
    stop_and_release(second);
    stop_and_release(first);
    return bytes;
}

/* The last element of `like` once more, with `fill` in front of it, as long as it
   may be: a path that is wired the same way, or leads nowhere as well. */
static const char *longest(const char *fill, const char *like)
{
    static char text[OBV_PATH_LENGTH_MAX + 1];
    memset(text, fill[0], OBV_PATH_LENGTH_MAX - strlen(like));
    strcpy(text + OBV_PATH_LENGTH_MAX - strlen(like), like);
    return text;
}

TEST(KP_1_a_text_that_comes_again_is_not_parsed_again)
{
    begin();
    static const char *const texts[] = {"large", "*", "next.large",
                                        "next.next.*"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct obv_observation *first = observe_text(texts[i], OBV_IMMEDIATE);
        size_t before = test_allocations();
        struct obv_observation *second = observe_text(texts[i], OBV_IMMEDIATE);
        CHECK_EQ(test_allocations(), before + 1); /* itself */
        stop_and_release(second);
        stop_and_release(first);
    }
    /* Also when nobody observes it any more. */
    stop_and_release(observe_text("large", OBV_IMMEDIATE));
    size_t before = test_allocations();
    stop_and_release(observe_text("large", OBV_IMMEDIATE));
    CHECK_EQ(test_allocations(), before + 1);
    /* It is found where it is looked for, too. */
    struct obv_observation *handle = observe_text("next.large", 0);
    before = test_allocations();
    CHECK_EQ(obv_stop_path(handle, NULL, "next.large", NULL), OBV_OK);
    CHECK_EQ(test_allocations(), before);
    CHECK(obv_has_ended(handle));
    obv_release(handle);
    finish();
}

TEST(KP_1_each_of_several_texts_is_parsed_once)
{
    begin();
    struct obv_pair pairs[6];
    static const char *const texts[] = {"large", "small", "flag",
                                        "real",  "text",  "large"};
    for (size_t i = 0; i < 6; i++) {
        pairs[i] = (struct obv_pair){&root->object, texts[i]};
    }
    stop_and_release(made_with(pairs, 6, 0));
    size_t before = test_allocations();
    struct obv_observation *handle = made_with(pairs, 6, 0);
    /* The group and five members. Texts that share a place displace each other:
       which do, the order of bytes decides. */
    size_t made = test_allocations() - before;
    CHECK(made >= 1 + 5);
    CHECK(made < 1 + 5 + 5);
    stop_and_release(handle);
    /* What comes first time: five paths more, each once, but for one that was
       displaced before it came again. */
    obv_context_collect(fixture.context);
    before = test_allocations();
    handle = made_with(pairs, 6, 0);
    made = test_allocations() - before;
    CHECK(made == 1 + 5 + 5 || made == 1 + 5 + 6);
    stop_and_release(handle);
    finish();
}

TEST(FA_2_several_texts_without_memory_are_none)
{
    begin();
    struct obv_pair pairs[6];
    static const char *const texts[] = {"large", "next.large", "flag",
                                        "real",  "text",       "nobody"};
    for (size_t i = 0; i < 6; i++) {
        pairs[i] = (struct obv_pair){&root->object, texts[i]};
    }
    enum obv_status status = OBV_E_MEMORY;
    size_t failures = 0;
    for (size_t n = 1; status == OBV_E_MEMORY; n++) {
        struct obv_observation *handle = NULL;
        obv_context_collect(fixture.context);
        test_fail_allocation(n, false);
        status = obv_observe_pairs(pairs, 6, &probe.kind, &probe, NULL, &handle,
                                   NULL);
        test_fail_allocation(0, false);
        failures += status == OBV_E_MEMORY;
        CHECK((handle != NULL) == (status == OBV_OK));
        CHECK_EQ(obv_observer_count(&root->object, "large"), handle != NULL);
        stop_and_release(handle);
    }
    CHECK_EQ(status, OBV_OK);
    CHECK(failures > 6 * 2);
    CHECK_EQ(probe.disposed, 1);
    finish();
}

/* What an observation keeps of its path is that path. */
TEST(KP_12_no_observation_copies_its_path)
{
    begin();
    probe.kind.root_did_deallocate = told_of_death;
    static const struct {
        observe_by *observe_it;
        const char *fill, *like;
        uint32_t flags;
    } cases[] = {
        {observe_text, "x", "nowhere", 0},
        {observe_text, "x", "nowhere", OBV_RECORDS},
        {observe_text, "x", "nowhere", OBV_VALUES},
        {observe_class_text, "x", "nowhere", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t bytes =
            bytes_again(cases[i].observe_it, cases[i].like, cases[i].flags);
        CHECK_EQ(bytes_again(cases[i].observe_it,
                             longest(cases[i].fill, cases[i].like),
                             cases[i].flags),
                 bytes);
    }
    finish();
}

/* The names are there before: a first observation of either has interned them. */
static struct obv_path *parsed(const char *text)
{
    struct obv_path *path = NULL;
    CHECK_EQ(obv_path_parse(obv_context_names(fixture.context), text,
                            strlen(text), &path, NULL),
             OBV_OK);
    return path;
}

static struct obv_observation *observe_path(const struct obv_path *path,
                                            uint32_t flags)
{
    const struct obv_compiled_pair pair = {&root->object, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    struct obv_observation *handle = NULL;
    CHECK_EQ(obv_observe_compiled(&pair, 1, &probe.kind, &probe, &options,
                                  &handle, NULL),
             OBV_OK);
    return handle;
}

TEST(KP_19_a_compiled_path_is_kept_and_not_copied)
{
    begin();
    struct obv_path *path = parsed("large");
    stop_and_release(observe_path(path, OBV_IMMEDIATE));
    size_t before = test_allocations();
    struct obv_observation *handle = observe_path(path, OBV_IMMEDIATE);
    CHECK_EQ(test_allocations(), before + 1);
    stop_and_release(handle);
    obv_path_destroy(path);
    /* Who gives it back first leaves it to the other. */
    char text[32];
    path = parsed("no\\body.at\\.all");
    handle = observe_path(path, OBV_RECORDS);
    obv_path_destroy(path);
    CHECK_EQ(obv_unresolved_path(handle, 0, text, sizeof text), 15);
    CHECK_TEXT(text, "no\\body.at\\.all");
    stop_and_release(handle);
    finish();
}

TEST(KP_19_a_path_of_other_names_is_not_kept)
{
    begin();
    struct obv_names *names = NULL;
    struct obv_path *path = NULL;
    CHECK_EQ(obv__names_create(&counting, &names), OBV_OK);
    /* Their first name is the context's first, whatever that says. */
    CHECK_EQ(obv_path_parse(names, "first", 5, &path, NULL), OBV_OK);
    struct obv_observation *handle = observe_path(path, OBV_RECORDS);
    obv_path_destroy(path);
    /* The context has not so many. */
    char other[8] = "other";
    while (names_count(names) <=
           names_count(obv_context_names(fixture.context))) {
        uint32_t id;
        CHECK_EQ(obv_names_intern(names, other, strlen(other), &id), OBV_OK);
        other[0]++;
    }
    other[0]--;
    CHECK_EQ(obv_path_parse(names, other, strlen(other), &path, NULL), OBV_OK);
    const struct obv_compiled_pair pair = {&root->object, path};
    CHECK_EQ(
        obv_observe_compiled(&pair, 1, &probe.kind, &probe, NULL, NULL, NULL),
        OBV_E_ARGUMENT);
    obv_path_destroy(path);
    obv__names_destroy(names);
    stop_and_release(handle);
    finish();
}

TEST(KP_1_a_fault_that_comes_again_is_the_same)
{
    begin();
    for (int i = 0; i < 3; i++) {
        const struct obv_pair pair = {&root->object, "next..large"};
        struct obv_observation *handle = NULL;
        struct obv_error error = {0};
        size_t before = test_allocations();
        CHECK_EQ(obv_observe_pairs(&pair, 1, &probe.kind, &probe, NULL, &handle,
                                   &error),
                 OBV_E_SYNTAX);
        CHECK_EQ(error.position, 5);
        CHECK_EQ(test_allocations(), before);
        CHECK(!handle);
        CHECK_EQ(obv_stop_path(NULL, NULL, "next..large", NULL), OBV_OK);
    }
    finish();
}

enum { TEXT_SIZE = 80 };

/* A text for each number below 1024, of names that are there: in binary, as it
   were. Behind a `*` nobody is told where it may lead. */
static const char *text_of_number(unsigned number, char text[TEXT_SIZE])
{
    char *at = text + sprintf(text, "*");
    for (unsigned bit = 0; bit < 10; bit++) {
        at += sprintf(at, "%s", number >> bit & 1 ? ".next" : ".*");
    }
    strcpy(at, ".large");
    return text;
}

TEST(KP_1_what_is_remembered_of_texts_has_a_bound)
{
    begin();
    /* The root has its lists, and the names are there. */
    stop_and_release(observe_text("*.next.large", 0));
    obv_context_collect(fixture.context);
    size_t before = test_live_blocks();
    char text[TEXT_SIZE];
    for (unsigned i = 0; i < 1024; i++) {
        stop_and_release(observe_text(text_of_number(i, text), 0));
    }
    /* What has ended waits for the next batch. */
    CHECK(test_live_blocks() < before + 256);
    obv_context_collect(fixture.context);
    CHECK_EQ(test_live_blocks(), before);
    /* Each is what it is. */
    for (unsigned i = 0; i < 1024; i++) {
        struct obv_observation *handle =
            observe_text(text_of_number(i, text), 0);
        text_of_number(1023 - i, text);
        CHECK_EQ(obv_stop_path(handle, NULL, text, NULL), OBV_OK);
        CHECK(!obv_has_ended(handle));
        text_of_number(i, text);
        CHECK_EQ(obv_stop_path(handle, NULL, text, NULL), OBV_OK);
        CHECK(obv_has_ended(handle));
        obv_release(handle);
    }
    finish();
}

TEST(KP_1_a_text_at_the_place_of_another_is_its_own_path)
{
    static struct obv__path_cache cache;
    struct obv_path *paths[3];
    struct obv_names *names = NULL;
    char rival[16];
    size_t length, number = 0;
    CHECK_EQ(obv__names_create(test_allocator(), &names), OBV_OK);
    obv__path_cache_init(&cache, names);
    do {
        snprintf(rival, sizeof rival, "p%zu", number++);
    } while (obv__path_cache_place(rival, &length) !=
             obv__path_cache_place("one", &length));
    const char *const texts[] = {"one", rival, "one"};
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(obv__path_cache_parse(&cache, texts[i], &paths[i], NULL),
                 OBV_OK);
    }
    CHECK(!obv_path_equal(paths[0], paths[1]));
    CHECK(obv_path_equal(paths[0], paths[2]));
    for (size_t i = 0; i < 3; i++) {
        obv_path_destroy(paths[i]);
    }
    obv__path_cache_clear(&cache);
    obv__names_destroy(names);
}

/* Threads ------------------------------------------------------------------ */

enum { THREADS = 4, ROUNDS = 3000 };

static void never_called(void *observer, struct obv_object *object,
                         const struct obv_call *call)
{
    (void)observer;
    (void)object;
    (void)call;
    CHECK(false);
}

static const struct obv_handler_kind silent = {.changed = never_called};

/* Texts that all of them use, and a context that is collected meanwhile. */
static void *observe_shared_texts(void *number)
{
    unsigned at = (unsigned)(uintptr_t)number;
    for (unsigned i = 0; i < ROUNDS; i++) {
        char text[TEXT_SIZE];
        const struct obv_pair pair = {
            &root->object, text_of_number((i * 7 + at * 3) % 300, text)};
        struct obv_observation *handle = NULL;
        struct obv_observe_options options = {.size = sizeof options,
                                              .flags = OBV_RECORDS};
        CHECK_EQ(
            obv_observe_pairs(&pair, 1, &silent, NULL, &options, &handle, NULL),
            OBV_OK);
        CHECK_EQ(obv_stop_path(handle, NULL, text, NULL), OBV_OK);
        CHECK(obv_has_ended(handle));
        obv_release(handle);
        if (i % 64 == 0) {
            obv_context_collect(fixture.context);
        }
    }
    return NULL;
}

TEST(TH_1_threads_share_the_paths_of_their_texts)
{
    pthread_t threads[THREADS];
    fixture_begin(&fixture);
    root = item_create(&fixture);
    probe_init_plain(&probe);
    for (uintptr_t i = 0; i < THREADS; i++) {
        CHECK_EQ(
            pthread_create(&threads[i], NULL, observe_shared_texts, (void *)i),
            0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    finish();
}
