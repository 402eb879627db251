/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prefix tree: shared prefixes, order, what is told when, removed nodes,
 * random operations against a list of paths, lack of memory.
 */
#include "test.h"

#include <observable/trie.h>

#include <stdio.h>
#include <string.h>

static struct obv_element name(uint32_t id)
{
    return (struct obv_element){OBV_ELEMENT_NAME, id, 0};
}

/* What the trie told, and the removed nodes if they are kept. */
struct log {
    char text[4096];
    struct obv_trie *trie;
    struct obv_trie_node *removed[64];
    size_t kept;
    bool keep;
};

struct payload {
    uint32_t id;
    uint32_t live;
};

static void note(struct log *log, char what, const struct obv_trie_node *node)
{
    size_t at = strlen(log->text);
    snprintf(log->text + at, sizeof log->text - at, "%s%c%u", at ? " " : "",
             what, (unsigned)obv_trie_node_element(node)->name);
}

static void added(void *context, struct obv_trie_node *node)
{
    struct payload *payload = obv_trie_node_payload(node);
    CHECK_EQ((uintptr_t)payload % 16, 0);
    CHECK(payload->id == 0 && payload->live == 0);
    CHECK(obv_trie_node_of_payload(payload) == node);
    struct obv_trie_node *parent = obv_trie_node_parent(node);
    if (parent) {
        CHECK_EQ(((struct payload *)obv_trie_node_payload(parent))->live, 1);
    }
    payload->id = obv_trie_node_element(node)->name;
    payload->live = 1;
    note(context, '+', node);
}

static void removed(void *context, struct obv_trie_node *node)
{
    struct log *log = context;
    struct payload *payload = obv_trie_node_payload(node);
    CHECK_EQ(payload->id, obv_trie_node_element(node)->name);
    CHECK_EQ(payload->live, 1);
    CHECK(obv_trie_node_first_child(node) == NULL);
    struct obv_trie_node *parent = obv_trie_node_parent(node);
    if (parent) {
        CHECK_EQ(((struct payload *)obv_trie_node_payload(parent))->live, 1);
    }
    payload->live = 0;
    note(log, '-', node);
    if (log->keep) {
        log->removed[log->kept++] = node;
    } else {
        obv_trie_node_free(test_allocator(), node);
    }
}

static struct obv_trie *make_trie(struct log *log)
{
    struct obv_trie_options options = {.size = sizeof options,
                                       .allocator = test_allocator(),
                                       .payload_size = sizeof(struct payload),
                                       .context = log,
                                       .added = added,
                                       .removed = removed};
    CHECK_EQ(obv_trie_create(&options, &log->trie), OBV_OK);
    return log->trie;
}

/* Adds the path whose elements are the digits of `path`. */
static struct obv_trie_node *add(struct obv_trie *trie, const char *path)
{
    struct obv_element elements[16];
    struct obv_trie_node *leaf = NULL;
    size_t count = strlen(path);
    for (size_t i = 0; i < count; i++) {
        elements[i] = name((uint32_t)(path[i] - '0'));
    }
    CHECK_EQ(obv_trie_add(trie, elements, count, &leaf), OBV_OK);
    CHECK(obv_trie_check(trie));
    CHECK(obv_trie_find(trie, elements, count) == leaf);
    CHECK_EQ(obv_trie_node_depth(leaf), count);
    return leaf;
}

static void release(struct obv_trie *trie, struct obv_trie_node *leaf)
{
    obv_trie_release(trie, leaf);
    CHECK(obv_trie_check(trie));
}

TEST(trie_is_empty_at_first)
{
    struct obv_trie *trie = NULL;
    struct obv_element a = name(1);
    CHECK_EQ(obv_trie_create(NULL, &trie), OBV_OK);
    CHECK(obv_trie_is_empty(trie));
    CHECK_EQ(obv_trie_count(trie), 0);
    CHECK(obv_trie_first(trie) == NULL);
    CHECK(obv_trie_find(trie, &a, 1) == NULL);
    CHECK(obv_trie_find(trie, &a, 0) == NULL);
    CHECK(obv_trie_check(trie));
    obv_trie_destroy(trie);
    obv_trie_destroy(NULL);
}

TEST(trie_counts_a_shared_prefix_once)
{
    struct log log = {0};
    struct obv_trie *trie = make_trie(&log);
    struct obv_trie_node *zip = add(trie, "12"), *city = add(trie, "13");
    CHECK(add(trie, "13") == city);
    CHECK_TEXT(log.text, "+1 +2 +3");
    CHECK_EQ(obv_trie_count(trie), 3);
    CHECK_EQ(obv_trie_node_references(city), 2);
    CHECK_EQ(obv_trie_node_references(zip), 1);
    struct obv_trie_node *address = obv_trie_first(trie);
    CHECK_EQ(obv_trie_node_references(address), 0);
    CHECK(obv_trie_node_parent(zip) == address);
    CHECK(obv_trie_node_parent(city) == address);
    CHECK(obv_trie_node_parent(address) == NULL);
    release(trie, city);
    release(trie, zip);
    CHECK_TEXT(log.text, "+1 +2 +3 -2");
    release(trie, city);
    CHECK_TEXT(log.text, "+1 +2 +3 -2 -3 -1");
    CHECK(obv_trie_is_empty(trie));
    obv_trie_destroy(trie);
}

TEST(trie_keeps_a_node_that_is_a_path_and_a_prefix)
{
    struct log log = {0};
    struct obv_trie *trie = make_trie(&log);
    struct obv_trie_node *below = add(trie, "123"), *prefix = add(trie, "12");
    CHECK(obv_trie_node_parent(below) == prefix);
    release(trie, below);
    CHECK_TEXT(log.text, "+1 +2 +3 -3");
    below = add(trie, "123");
    release(trie, prefix);
    CHECK_TEXT(log.text, "+1 +2 +3 -3 +3");
    release(trie, below);
    CHECK_TEXT(log.text, "+1 +2 +3 -3 +3 -3 -2 -1");
    obv_trie_destroy(trie);
}

TEST(trie_children_stand_in_the_order_of_their_addition)
{
    struct log log = {0};
    struct obv_trie *trie = make_trie(&log);
    struct obv_trie_node *three = add(trie, "3"), *one = add(trie, "1");
    struct obv_trie_node *two = add(trie, "2");
    CHECK(obv_trie_first(trie) == three);
    CHECK(obv_trie_node_next_sibling(three) == one);
    CHECK(obv_trie_node_next_sibling(one) == two);
    CHECK(obv_trie_node_next_sibling(two) == NULL);
    release(trie, one);
    CHECK(obv_trie_node_next_sibling(three) == two);
    one = add(trie, "1");
    CHECK(obv_trie_node_next_sibling(two) == one);
    release(trie, three);
    CHECK(obv_trie_first(trie) == two);
    release(trie, one);
    CHECK(obv_trie_node_next_sibling(two) == NULL);
    one = add(trie, "21");
    CHECK(obv_trie_node_first_child(two) == one);
    obv_trie_destroy(trie);
}

TEST(trie_tells_elements_of_different_kinds_apart)
{
    struct obv_trie *trie = NULL;
    struct obv_trie_options options = {.size = sizeof options,
                                       .allocator = test_allocator()};
    CHECK_EQ(obv_trie_create(&options, &trie), OBV_OK);
    const struct obv_element elements[] = {
        {OBV_ELEMENT_NAME, 1, 0},       {OBV_ELEMENT_COUNT, 1, 0},
        {OBV_ELEMENT_ANY, 0, 0},        {OBV_ELEMENT_POSITION, 0, 1},
        {OBV_ELEMENT_OCCURRENCE, 0, 1}, {OBV_ELEMENT_MEMBER, 0, 1},
        {OBV_ELEMENT_MEMBER, 0, 2},     {OBV_ELEMENT_NAME, 2, 0}};
    for (size_t i = 0; i < 8; i++) {
        struct obv_trie_node *leaf;
        CHECK(obv_trie_find(trie, &elements[i], 1) == NULL);
        CHECK_EQ(obv_trie_add(trie, &elements[i], 1, &leaf), OBV_OK);
        CHECK(obv_element_equal(obv_trie_node_element(leaf), &elements[i]));
        CHECK_EQ(obv_trie_count(trie), i + 1);
    }
    obv_trie_destroy(trie);
}

TEST(trie_knows_no_element_without_a_name)
{
    struct log log = {0};
    struct obv_trie *trie = make_trie(&log);
    struct obv_element elements[] = {name(1), name(OBV_NAME_NONE)};
    struct obv_trie_node *leaf = NULL;
    CHECK_EQ(obv_trie_add(trie, elements, 2, &leaf), OBV_E_ARGUMENT);
    CHECK(leaf == NULL && obv_trie_is_empty(trie));
    CHECK(obv_trie_find(trie, elements, 2) == NULL);
    obv_trie_destroy(trie);
}

TEST(trie_refuses_what_is_out_of_range)
{
    static struct obv_element many[OBV_PATH_COUNT_MAX + 1];
    for (size_t i = 0; i <= OBV_PATH_COUNT_MAX; i++) {
        many[i].kind = OBV_ELEMENT_ANY;
    }
    struct obv_trie *trie = NULL;
    struct obv_trie_node *leaf = NULL;
    struct obv_trie_options options = {.size = 1};
    CHECK_EQ(obv_trie_create(&options, &trie), OBV_E_ARGUMENT);
    options.size = sizeof options;
    options.allocator = test_allocator();
    options.payload_size = ((size_t)1 << 31) + 1;
    CHECK_EQ(obv_trie_create(&options, &trie), OBV_E_ARGUMENT);
    options.payload_size = 0;
    CHECK_EQ(obv_trie_create(&options, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_trie_create(&options, &trie), OBV_OK);
    CHECK_EQ(obv_trie_add(trie, many, OBV_PATH_COUNT_MAX + 1, &leaf),
             OBV_E_LIMIT);
    CHECK_EQ(obv_trie_add(trie, many, 0, &leaf), OBV_E_ARGUMENT);
    CHECK_EQ(obv_trie_add(trie, NULL, 1, &leaf), OBV_E_ARGUMENT);
    CHECK_EQ(obv_trie_add(NULL, many, 1, &leaf), OBV_E_ARGUMENT);
    CHECK_EQ(obv_trie_add(trie, many, 1, NULL), OBV_E_ARGUMENT);
    CHECK(obv_trie_is_empty(trie));
    CHECK_EQ(obv_trie_add(trie, many, OBV_PATH_COUNT_MAX, &leaf), OBV_OK);
    CHECK_EQ(obv_trie_node_depth(leaf), OBV_PATH_COUNT_MAX);
    CHECK(obv_trie_check(trie));
    obv_trie_release(trie, leaf);
    CHECK(obv_trie_is_empty(trie));
    obv_trie_destroy(trie);
}

TEST(trie_destroy_removes_children_first_and_later_ones_first)
{
    struct log log = {0};
    struct obv_trie *trie = make_trie(&log);
    add(trie, "12");
    add(trie, "134");
    add(trie, "1");
    add(trie, "56");
    log.text[0] = '\0';
    obv_trie_destroy(trie);
    CHECK_TEXT(log.text, "-6 -5 -4 -3 -2 -1");
}

TEST(trie_removed_nodes_stay_readable_until_they_are_freed)
{
    struct log log = {.keep = true};
    struct obv_trie *trie = make_trie(&log);
    struct obv_trie_node *leaf = add(trie, "123");
    add(trie, "45");
    release(trie, leaf);
    CHECK_EQ(log.kept, 3);
    obv_trie_destroy(trie);
    CHECK_TEXT(log.text, "+1 +2 +3 +4 +5 -3 -2 -1 -5 -4");
    for (size_t i = 0; i < 3; i++) {
        struct obv_trie_node *node = log.removed[i];
        CHECK_EQ(obv_trie_node_element(node)->name, 3 - i);
        CHECK_EQ(((struct payload *)obv_trie_node_payload(node))->id, 3 - i);
        CHECK_EQ(obv_trie_node_depth(node), 3 - i);
        CHECK(obv_trie_node_parent(node) ==
              (i < 2 ? log.removed[i + 1] : NULL));
    }
    for (size_t i = 0; i < log.kept; i++) {
        obv_trie_node_free(test_allocator(), log.removed[i]);
    }
    obv_trie_node_free(test_allocator(), NULL);
}

TEST(trie_nodes_cost_64_bytes_and_their_payload)
{
    struct log log = {0};
    struct obv_trie *trie = make_trie(&log);
    size_t before = test_live_bytes(), blocks = test_live_blocks();
    add(trie, "12");
    if (sizeof(void *) == 8) {
        CHECK_EQ(test_live_bytes() - before, 2 * (64 + sizeof(struct payload)));
    }
    CHECK_EQ(test_live_blocks() - blocks, 2);
    add(trie, "12");
    CHECK_EQ(test_live_blocks() - blocks, 2);
    obv_trie_destroy(trie);
}

/*
 * The model: a list of the paths that have been added and not yet released.
 * A node is there exactly if one of them begins with its path.
 */

enum { PATHS = 400, DEPTH = 5 };

struct model {
    struct obv_element path[PATHS][DEPTH];
    size_t length[PATHS];
    struct obv_trie_node *leaf[PATHS];
    size_t count;
};

static bool begins_with(const struct model *model, size_t i,
                        const struct obv_element *path, size_t length)
{
    size_t same = 0;
    while (same < length && same < model->length[i] &&
           obv_element_equal(&model->path[i][same], &path[same])) {
        same++;
    }
    return same == length;
}

/* Paths that begin so; `*ends` receives how many end there. */
static size_t model_count(const struct model *model,
                          const struct obv_element *path, size_t length,
                          size_t *ends)
{
    size_t count = 0;
    *ends = 0;
    for (size_t i = 0; i < model->count; i++) {
        if (begins_with(model, i, path, length)) {
            count++;
            *ends += model->length[i] == length;
        }
    }
    return count;
}

static void compare(const struct obv_trie *trie, const struct model *model,
                    const struct obv_element *path, size_t length)
{
    for (size_t part = 1; part <= length; part++) {
        size_t ends;
        size_t passing = model_count(model, path, part, &ends);
        struct obv_trie_node *node = obv_trie_find(trie, path, part);
        CHECK_EQ(node != NULL, passing > 0);
        if (node) {
            CHECK_EQ(obv_trie_node_references(node), ends);
            CHECK_EQ(obv_trie_node_depth(node), part);
        }
    }
}

/* The number of nodes there must be: each path's beginnings that no earlier
   path has. */
static size_t model_nodes(const struct model *model)
{
    size_t nodes = 0;
    for (size_t i = 0; i < model->count; i++) {
        for (size_t part = 1; part <= model->length[i]; part++) {
            size_t earlier = 0;
            while (!begins_with(model, earlier, model->path[i], part)) {
                earlier++;
            }
            nodes += earlier == i;
        }
    }
    return nodes;
}

static void model_add(struct obv_trie *trie, struct model *model, size_t width)
{
    size_t i = model->count;
    model->length[i] = 1 + test_random() % DEPTH;
    for (size_t at = 0; at < model->length[i]; at++) {
        uint32_t number = (uint32_t)(test_random() % width);
        model->path[i][at] =
            number % 2 ? name(number)
                       : (struct obv_element){OBV_ELEMENT_MEMBER, 0, number};
    }
    CHECK_EQ(
        obv_trie_add(trie, model->path[i], model->length[i], &model->leaf[i]),
        OBV_OK);
    model->count++;
    compare(trie, model, model->path[i], model->length[i]);
}

static void model_release(struct obv_trie *trie, struct model *model)
{
    size_t i = test_random() % model->count, last = --model->count;
    struct obv_element path[DEPTH];
    size_t length = model->length[i];
    memcpy(path, model->path[i], sizeof path);
    obv_trie_release(trie, model->leaf[i]);
    memcpy(model->path[i], model->path[last], sizeof path);
    model->length[i] = model->length[last];
    model->leaf[i] = model->leaf[last];
    compare(trie, model, path, length);
}

static void check_against_model(size_t width, size_t rounds)
{
    static struct model model;
    struct obv_trie *trie = NULL;
    struct obv_trie_options options = {.size = sizeof options,
                                       .allocator = test_allocator(),
                                       .payload_size = 3};
    CHECK_EQ(obv_trie_create(&options, &trie), OBV_OK);
    model.count = 0;
    for (size_t round = 0; round < rounds; round++) {
        bool growing = round / 300 % 2 == 0;
        bool adds = test_random() % 3 < (growing ? 2 : 1);
        if (model.count == 0 || (adds && model.count < PATHS)) {
            model_add(trie, &model, width);
        } else {
            model_release(trie, &model);
        }
        if (round % 8 == 0) {
            CHECK(obv_trie_check(trie));
            CHECK_EQ(obv_trie_count(trie), model_nodes(&model));
        }
    }
    while (model.count > 0) {
        model_release(trie, &model);
    }
    CHECK(obv_trie_is_empty(trie) && obv_trie_check(trie));
    CHECK_EQ(test_live_blocks(), 1); /* the trie: the index has gone too */
    obv_trie_destroy(trie);
}

TEST(trie_agrees_with_a_list_of_paths_when_it_is_small)
{
    check_against_model(2, 2000);
}

TEST(trie_agrees_with_a_list_of_paths_when_it_shares_much)
{
    check_against_model(4, 3000);
}

TEST(trie_agrees_with_a_list_of_paths_when_it_is_wide)
{
    check_against_model(1000, 3000);
}

TEST(trie_finds_each_of_many_siblings)
{
    enum { MANY = 20000 };
    static struct obv_trie_node *leaves[MANY];
    struct obv_trie *trie = NULL;
    struct obv_trie_options options = {.size = sizeof options,
                                       .allocator = test_allocator()};
    CHECK_EQ(obv_trie_create(&options, &trie), OBV_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        struct obv_element path[] = {name(7), {OBV_ELEMENT_MEMBER, 0, i}};
        CHECK_EQ(obv_trie_add(trie, path, 2, &leaves[i]), OBV_OK);
    }
    CHECK(obv_trie_check(trie));
    for (uint32_t i = 0; i < MANY; i += 2) {
        obv_trie_release(trie, leaves[i]);
    }
    CHECK(obv_trie_check(trie));
    for (uint32_t i = 0; i < MANY; i++) {
        struct obv_element path[] = {name(7), {OBV_ELEMENT_MEMBER, 0, i}};
        CHECK(obv_trie_find(trie, path, 2) == (i % 2 ? leaves[i] : NULL));
    }
    obv_trie_destroy(trie);
}

/* Lack of memory. */

TEST(trie_create_answers_lack_of_memory)
{
    struct obv_trie *trie = NULL;
    struct obv_trie_options options = {.size = sizeof options,
                                       .allocator = test_allocator()};
    test_fail_allocation(1, false);
    CHECK_EQ(obv_trie_create(&options, &trie), OBV_E_MEMORY);
    CHECK(trie == NULL);
}

/* Adds a path of six new elements below two old ones to a trie of `before`
   paths, with the n-th allocation failing; answers whether it succeeded. */
static bool add_with_failure(size_t before, size_t n)
{
    struct log log = {0};
    struct obv_trie *trie = make_trie(&log);
    char path[] = "11";
    for (size_t i = 0; i < before; i++, path[1]++) {
        add(trie, path);
    }
    size_t count = obv_trie_count(trie), blocks = test_live_blocks();
    struct obv_element elements[8];
    for (uint32_t i = 0; i < 8; i++) {
        elements[i] = name(i < 2 ? 1 : i);
    }
    struct obv_trie_node *leaf = NULL;
    log.text[0] = '\0';
    test_fail_allocation(n, false);
    enum obv_status status = obv_trie_add(trie, elements, 8, &leaf);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK_EQ(status, failed ? OBV_E_MEMORY : OBV_OK);
    CHECK(obv_trie_check(trie));
    if (failed) {
        CHECK(leaf == NULL);
        CHECK_TEXT(log.text, "");
        CHECK_EQ(obv_trie_count(trie), count);
        CHECK(test_live_blocks() <= blocks + 1); /* at most an index */
        CHECK(obv_trie_find(trie, elements, 3) == NULL);
    }
    obv_trie_destroy(trie);
    return !failed;
}

TEST(trie_add_changes_nothing_when_the_nth_allocation_fails)
{
    for (size_t before = 2; before < 30; before += 3) {
        size_t n = 1;
        while (!add_with_failure(before, n)) {
            n++;
        }
        CHECK(n > 6);
    }
}

TEST(trie_keeps_nothing_of_an_addition_that_failed_when_it_is_destroyed)
{
    static struct obv_element many[20];
    for (size_t i = 0; i < 20; i++) {
        many[i].kind = OBV_ELEMENT_ANY;
    }
    for (size_t n = 1; n <= 21; n++) {
        struct log log = {0};
        struct obv_trie *trie = make_trie(&log);
        struct obv_trie_node *leaf = NULL;
        test_fail_allocation(n, false);
        CHECK_EQ(obv_trie_add(trie, many, 20, &leaf), OBV_E_MEMORY);
        test_fail_allocation(0, false);
        CHECK(obv_trie_is_empty(trie) && obv_trie_check(trie));
        obv_trie_destroy(trie);
        CHECK_EQ(test_live_blocks(), 0);
    }
}
