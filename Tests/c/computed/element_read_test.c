/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a computed property reads of a collection by a key or by a member: it
 * depends on that element alone (LL-2).
 */
#include "computed/cell.h"

enum { WORDS = 24 };

static struct {
    struct obv_dictionary *words;
    struct obv_set *tags;
    const char *key;
    int members[2]; /* of the set, by address */
    unsigned random;
} reads;

static char *word(int64_t value)
{
    static char texts[8][8];
    snprintf(texts[value & 7], sizeof texts[0], "w%d", (int)(value & 7));
    return texts[value & 7];
}

static int64_t number_of(const char *found)
{
    return found ? found[1] - '0' : -1;
}

static enum obv_status one_word(struct cell *cell, int64_t *value)
{
    (void)cell;
    *value = number_of(obv_dictionary_get(reads.words, reads.key));
    return OBV_OK;
}

static enum obv_status whether_tagged(struct cell *cell, int64_t *value)
{
    (void)cell;
    *value = obv_set_contains(reads.tags, &reads.members[0]);
    return OBV_OK;
}

static void reads_begin(void)
{
    static const struct obv_collection_kind texts = {
        .size = sizeof texts, .name = "words", .element = OBV_KIND_string};
    static const struct obv_collection_kind pointers = {
        .size = sizeof pointers, .name = "tags", .element = OBV_KIND_pointer};
    struct obv_class *dictionaries, *sets;
    stage_begin();
    memset(&reads, 0, sizeof reads);
    reads.key = "a";
    CHECK_EQ(
        obv_dictionary_class_create(stage.context, &texts, &dictionaries, NULL),
        OBV_OK);
    CHECK_EQ(obv_set_class_create(stage.context, &pointers, &sets, NULL),
             OBV_OK);
    CHECK_EQ(obv_dictionary_create(dictionaries, &reads.words, NULL), OBV_OK);
    CHECK_EQ(obv_set_create(sets, &reads.tags, NULL), OBV_OK);
}

static void reads_end(void)
{
    obv_dictionary_release(reads.words);
    obv_set_release(reads.tags);
    stage_end();
}

static void put(const char *key, int64_t value)
{
    CHECK_EQ(obv_dictionary_put(reads.words, key, word(value)), OBV_OK);
}

TEST(LL_2_a_read_by_key_depends_on_that_element_alone)
{
    reads_begin();
    struct cell *cell = cell_new();
    struct probe *probe = probe_new();
    cell->make_v = one_word;
    struct obv_observation *handle = watch(cell, "v", probe);
    CHECK_EQ(cell_v(cell), -1);
    size_t evaluations = cell->evaluations;
    put("b", 1);
    CHECK(obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(drained(), 0);
    put("a", 2);
    CHECK(!obv_is_valid(&cell->object, CELL_V));
    CHECK_EQ(drained(), 1);
    CHECK_EQ(cell_v(cell), 2);
    put("a", 2); /* an equal one */
    put("b", 3);
    CHECK_EQ(obv_dictionary_delete(reads.words, "b"), OBV_OK);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(cell->evaluations, evaluations + 1);
    CHECK_EQ(obv_dictionary_clear(reads.words), OBV_OK);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(cell_v(cell), -1);
    unwatch(handle);
    cell_drop(cell);
    free(probe);
    reads_end();
}

TEST(LL_2_a_read_of_a_member_depends_on_that_one_alone)
{
    reads_begin();
    struct cell *cell = cell_new();
    cell->make_v = whether_tagged;
    CHECK_EQ(cell_v(cell), 0);
    size_t evaluations = cell->evaluations;
    CHECK_EQ(obv_set_add(reads.tags, &reads.members[1]), OBV_OK);
    CHECK_EQ(cell_v(cell), 0);
    CHECK_EQ(cell->evaluations, evaluations);
    CHECK_EQ(obv_set_add(reads.tags, &reads.members[0]), OBV_OK);
    CHECK_EQ(cell_v(cell), 1);
    CHECK_EQ(obv_set_clear(reads.tags), OBV_OK);
    CHECK_EQ(cell_v(cell), 0);
    CHECK_EQ(cell->evaluations, evaluations + 2);
    cell_drop(cell);
    reads_end();
}

/* By the content of its container, whether it is there or not. */
static enum obv_status word_by_path(struct cell *cell, int64_t *value)
{
    struct obv_value found;
    (void)cell;
    CHECK_EQ(
        obv_value_at(&reads.words->container.object, reads.key, &found, NULL),
        OBV_OK);
    *value = number_of(obv_value_is_reachable(&found) ? found.as.string : NULL);
    obv_value_deinit(stage.context, &found);
    return OBV_OK;
}

TEST(LL_2_an_element_that_is_read_by_path_is_depended_on)
{
    reads_begin();
    struct cell *cell = cell_new();
    cell->make_v = word_by_path;
    CHECK_EQ(cell_v(cell), -1);
    put("a", 2);
    CHECK_EQ(cell_v(cell), 2);
    put("a", 3);
    CHECK_EQ(cell_v(cell), 3);
    CHECK_EQ(obv_dictionary_clear(reads.words), OBV_OK);
    CHECK_EQ(cell_v(cell), -1);
    cell_drop(cell);
    reads_end();
}

/* Whoever ends first. */
TEST(LL_2_a_collection_that_was_read_by_key_ends_first)
{
    reads_begin();
    struct cell *cell = cell_new(), *never = cell_new();
    cell->make_v = never->make_v = one_word;
    put("a", 4);
    CHECK_EQ(cell_v(cell), 4);
    CHECK_EQ(cell_v(never), 4);
    cell_drop(never);
    struct obv_dictionary *other = reads.words;
    CHECK_EQ(obv_dictionary_copy(other, &reads.words, NULL), OBV_OK);
    obv_dictionary_release(other);
    CHECK(!obv_is_valid(&cell->object, CELL_V));
    put("a", 5);
    CHECK_EQ(cell_v(cell), 5);
    cell_drop(cell);
    reads_end();
}

static const char *key_of(unsigned i)
{
    static char keys[WORDS][8];
    snprintf(keys[i], sizeof keys[0], "k%u", i);
    return keys[i];
}

static unsigned key_count;

/* Some keys, from one on that another property says. */
static enum obv_status some_words(struct cell *cell, int64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < key_count; i++) {
        unsigned at = ((unsigned)cell_a(cell) + i * 5) % WORDS;
        *value =
            *value * 3 + number_of(obv_dictionary_get(reads.words, key_of(at)));
    }
    return OBV_OK;
}

/* As a naive evaluator does, and never evaluated for another key. */
TEST(LL_2_random_edits_and_reads_by_key)
{
    int64_t words[WORDS];
    reads_begin();
    struct cell *cell = cell_new();
    cell->make_v = some_words;
    for (unsigned i = 0; i < WORDS; i++) {
        words[i] = -1;
    }
    key_count = 3;
    bool is_due = true;
    for (int step = 0; step < 20000; step++) {
        unsigned at = (unsigned)(test_random() % WORDS);
        int64_t value = (int64_t)(test_random() % 4) - 1;
        size_t evaluations = cell->evaluations;
        bool concerns = false;
        for (unsigned i = 0; i < key_count; i++) {
            concerns = concerns || ((unsigned)cell->a + i * 5) % WORDS == at;
        }
        if (test_random() % 8 == 0) {
            unsigned first_key = (unsigned)(test_random() % WORDS);
            is_due = is_due || cell->a != first_key;
            cell_set_a(cell, first_key);
        } else if (value < 0) {
            is_due = is_due || (concerns && words[at] >= 0);
            words[at] = -1;
            CHECK_EQ(obv_dictionary_delete(reads.words, key_of(at)), OBV_OK);
        } else {
            is_due = is_due || (concerns && words[at] != value);
            words[at] = value;
            put(key_of(at), value);
        }
        if (test_random() % 2 == 0) {
            int64_t expected = 0;
            for (unsigned i = 0; i < key_count; i++) {
                expected =
                    expected * 3 + words[((unsigned)cell->a + i * 5) % WORDS];
            }
            CHECK_EQ(cell_v(cell), expected);
            CHECK_EQ(cell->evaluations, evaluations + is_due);
            is_due = false;
        }
    }
    cell_drop(cell);
    reads_end();
}

TEST(FA_1_a_failed_allocation_while_an_element_is_read)
{
    bool refused = true;
    for (size_t n = 1; refused; n++) {
        reads_begin();
        struct cell *cell = cell_new();
        cell->make_v = one_word;
        put("a", 1);
        test_fail_allocation(n, true);
        int64_t value = 0;
        (void)obv_get_i64(&cell->object, CELL_V, &value);
        refused = test_allocation_failed();
        test_fail_allocation(0, false);
        put("a", 6);
        CHECK_EQ(cell_v(cell), 6);
        put("a", 7);
        CHECK_EQ(cell_v(cell), 7);
        cell_drop(cell);
        reads_end();
    }
}
