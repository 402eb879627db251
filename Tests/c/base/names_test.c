/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned names and the status table: ids, texts, threads, lack of memory.
 */
#include "path_check.h"
#include "test.h"

#include <observable/names.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct obv_names *make_names(void)
{
    struct obv_names *names = NULL;
    CHECK_EQ(obv__names_create(test_allocator(), &names), OBV_OK);
    return names;
}

static uint32_t intern(struct obv_names *names, const char *text)
{
    uint32_t id = OBV_NAME_NONE;
    CHECK_EQ(obv_names_intern(names, text, strlen(text), &id), OBV_OK);
    CHECK(names_check(names));
    return id;
}

TEST(status_names_and_texts_come_from_the_table)
{
    CHECK_TEXT(obv_status_name(OBV_OK), "OBV_OK");
    CHECK_TEXT(obv_status_name(OBV_E_MEMORY), "OBV_E_MEMORY");
    CHECK_TEXT(obv_status_text(OBV_E_SYNTAX), "the text is not a key path");
#define SAME(name, number, text)                                               \
    CHECK_EQ(name, number);                                                    \
    CHECK_TEXT(obv_status_name(name), #name);                                  \
    CHECK_TEXT(obv_status_text(name), text);
    OBV_STATUS_TABLE(SAME)
#undef SAME
}

TEST(status_of_an_unknown_number_has_a_name_and_a_text)
{
    /* A volatile number: the compiler must not see that it is none. */
    volatile int number = -99;
    CHECK_TEXT(obv_status_name((enum obv_status)number), "OBV_E_?");
    CHECK_TEXT(obv_status_text((enum obv_status)number), "an unknown status");
}

TEST(names_count_up_from_one_and_come_back_the_same)
{
    struct obv_names *names = make_names();
    CHECK_EQ(names_count(names), 0);
    CHECK_EQ(intern(names, "zipCode"), 1);
    CHECK_EQ(intern(names, "city"), 2);
    CHECK_EQ(intern(names, "zipCode"), 1);
    CHECK_EQ(names_count(names), 2);
    size_t length = 99;
    CHECK_TEXT(obv_names_text(names, 1, &length), "zipCode");
    CHECK_EQ(length, 7);
    CHECK_TEXT(obv_names_text(names, 2, NULL), "city");
    obv__names_destroy(names);
}

TEST(names_find_adds_nothing)
{
    struct obv_names *names = make_names();
    size_t before = test_allocations();
    CHECK_EQ(obv__names_find(names, "a", 1), OBV_NAME_NONE);
    CHECK_EQ(names_count(names), 0);
    CHECK_EQ(test_allocations(), before);
    uint32_t id = intern(names, "a");
    CHECK_EQ(obv__names_find(names, "a", 1), id);
    CHECK_EQ(obv__names_find(names, "ab", 1), id);
    CHECK_EQ(obv__names_find(names, "ab", 2), OBV_NAME_NONE);
    obv__names_destroy(names);
}

TEST(names_of_any_bytes_are_told_apart)
{
    struct obv_names *names = make_names();
    uint32_t empty, nul, bare;
    CHECK_EQ(obv_names_intern(names, NULL, 0, &empty), OBV_OK);
    CHECK_EQ(obv_names_intern(names, "a\0b", 3, &nul), OBV_OK);
    CHECK_EQ(obv_names_intern(names, "a", 1, &bare), OBV_OK);
    CHECK(empty != nul && nul != bare && empty != bare);
    CHECK_EQ(obv__names_find(names, "", 0), empty);
    size_t length;
    CHECK(memcmp(obv_names_text(names, nul, &length), "a\0b", 4) == 0);
    CHECK_EQ(length, 3);
    CHECK_TEXT(obv_names_text(names, empty, NULL), "");
    CHECK(names_check(names));
    obv__names_destroy(names);
}

TEST(names_answer_no_text_for_an_id_they_never_gave)
{
    struct obv_names *names = make_names();
    intern(names, "a");
    size_t length = 99;
    CHECK(obv_names_text(names, OBV_NAME_NONE, &length) == NULL);
    CHECK_EQ(length, 0);
    CHECK(obv_names_text(names, 2, NULL) == NULL);
    CHECK(obv_names_text(names, UINT32_MAX, NULL) == NULL);
    obv__names_destroy(names);
}

TEST(names_refuse_a_text_that_is_too_long)
{
    static char text[OBV_NAME_LENGTH_MAX + 1];
    memset(text, 'x', sizeof text);
    struct obv_names *names = make_names();
    uint32_t id = 77;
    CHECK_EQ(obv_names_intern(names, text, sizeof text, &id), OBV_E_LIMIT);
    CHECK_EQ(id, 77);
    CHECK_EQ(names_count(names), 0);
    CHECK_EQ(obv_names_intern(names, text, sizeof text - 1, &id), OBV_OK);
    CHECK_EQ(id, 1);
    obv__names_destroy(names);
}

TEST(names_refuse_null_arguments)
{
    struct obv_names *names = make_names();
    uint32_t id = 77;
    CHECK_EQ(obv_names_intern(NULL, "a", 1, &id), OBV_E_ARGUMENT);
    CHECK_EQ(obv_names_intern(names, NULL, 1, &id), OBV_E_ARGUMENT);
    CHECK_EQ(obv_names_intern(names, "a", 1, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(id, 77);
    obv__names_destroy(names);
}

TEST(names_keep_texts_where_they_are_while_they_grow)
{
    enum { COUNT = 5000 };
    static const char *texts[COUNT + 1];
    struct obv_names *names = make_names();
    char text[16];
    for (uint32_t i = 1; i <= COUNT; i++) {
        uint32_t id;
        int length = snprintf(text, sizeof text, "n%u", (unsigned)i);
        CHECK_EQ(obv_names_intern(names, text, (size_t)length, &id), OBV_OK);
        CHECK_EQ(id, i);
        texts[i] = obv_names_text(names, i, NULL);
    }
    for (uint32_t i = 1; i <= COUNT; i++) {
        snprintf(text, sizeof text, "n%u", (unsigned)i);
        CHECK(obv_names_text(names, i, NULL) == texts[i]);
        CHECK_TEXT(texts[i], text);
    }
    CHECK(names_check(names));
    obv__names_destroy(names);
}

/* Enough names for a larger array, so that its allocation fails too. */
static bool intern_many(struct obv_names *names)
{
    char text[16];
    for (uint32_t i = 1; i <= 70; i++) {
        uint32_t id = 0, before = names_count(names);
        int length = snprintf(text, sizeof text, "n%u", (unsigned)i);
        enum obv_status status =
            obv_names_intern(names, text, (size_t)length, &id);
        if (status != OBV_OK) {
            CHECK_EQ(status, OBV_E_MEMORY);
            CHECK_EQ(id, 0);
            CHECK_EQ(names_count(names), before);
            CHECK_EQ(obv__names_find(names, text, (size_t)length), 0);
            return false;
        }
        CHECK_EQ(id, i);
    }
    return true;
}

TEST(names_are_as_they_were_when_the_nth_allocation_fails)
{
    bool done = false;
    for (size_t n = 1; !done; n++) {
        struct obv_names *names = NULL;
        test_fail_allocation(n, false);
        if (obv__names_create(test_allocator(), &names) != OBV_OK) {
            CHECK(names == NULL);
            continue;
        }
        /* The hash table does without. */
        CHECK(intern_many(names) || test_allocation_failed());
        done = !test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(names_check(names));
        CHECK(intern_many(names)); /* what is there stays, the rest is added */
        CHECK_EQ(names_count(names), 70);
        obv__names_destroy(names);
    }
}

enum { THREADS = 4, TEXTS = 2000 };

struct crowd {
    struct obv_names *names;
    uint32_t ids[TEXTS];
    unsigned first;
};

/* Interns all texts, each thread from another one on, and reads each back. */
static void *intern_all(void *context)
{
    struct crowd *crowd = context;
    char text[16];
    for (unsigned i = 0; i < TEXTS; i++) {
        unsigned which = (i + crowd->first) % TEXTS;
        int length = snprintf(text, sizeof text, "t%u", which);
        uint32_t *id = &crowd->ids[which];
        CHECK_EQ(obv_names_intern(crowd->names, text, (size_t)length, id),
                 OBV_OK);
        CHECK_TEXT(obv_names_text(crowd->names, *id, NULL), text);
        CHECK_EQ(obv__names_find(crowd->names, text, (size_t)length), *id);
        CHECK(names_count(crowd->names) >= *id);
    }
    return NULL;
}

TEST(names_have_one_id_whichever_thread_interns_them)
{
    static struct crowd crowds[THREADS];
    struct obv_names *names = make_names();
    pthread_t threads[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        crowds[t].names = names;
        crowds[t].first = t % 2 * (TEXTS / 2);
        CHECK(!pthread_create(&threads[t], NULL, intern_all, &crowds[t]));
    }
    for (unsigned t = 0; t < THREADS; t++) {
        CHECK(!pthread_join(threads[t], NULL));
    }
    for (unsigned t = 1; t < THREADS; t++) {
        CHECK(!memcmp(crowds[0].ids, crowds[t].ids, sizeof crowds[0].ids));
    }
    CHECK_EQ(names_count(names), TEXTS);
    CHECK(names_check(names));
    obv__names_destroy(names);
}
