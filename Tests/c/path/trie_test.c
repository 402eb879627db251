/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prefix tree: shared prefixes, order, what is told when, removed nodes,
 * random operations against a list of paths, lack of memory.
 */
#include "path/trie.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static struct obv_element name(uint32_t id)
{
    return (struct obv_element){OBV_ELEMENT_NAME, id, 0};
}

struct payload {
    struct obv__trie_node node; /* must stand first */
    uint32_t id;
    uint32_t live;
};

/* A trie, what has come to be and was taken out, and the latter if it is kept. */
struct log {
    struct obv__trie trie;
    char text[4096];
    struct obv__trie_node *removed[64];
    size_t kept;
    bool keep;
};

static struct payload *payload_of(struct obv__trie_node *node)
{
    return (struct payload *)(void *)node;
}

static void note(struct log *log, char what, const struct obv__trie_node *node)
{
    size_t at = strlen(log->text);
    if (at + 16 < sizeof log->text) {
        snprintf(log->text + at, sizeof log->text - at, "%s%c%u", at ? " " : "",
                 what, (unsigned)node->element.name);
    }
}

static void free_node(struct obv__trie_node *node)
{
    const struct obv_allocator *allocator = test_allocator();
    allocator->free(allocator->context, node, sizeof(struct payload));
}

static void check_parent_lives(const struct obv__trie_node *node)
{
    if (node->parent) {
        CHECK_EQ(payload_of(node->parent)->live, 1);
    }
}

static enum obv_status add_elements(struct log *log,
                                    const struct obv_element *elements,
                                    size_t count, struct obv__trie_node **leaf)
{
    struct obv__trie_node *made, *last;
    enum obv_status status =
        obv__trie_add(&log->trie, test_allocator(), sizeof(struct payload),
                      elements, count, &last, &made);
    if (status != OBV_OK) {
        return status;
    }
    for (; made; made = made->first_child) {
        check_parent_lives(made);
        CHECK(payload_of(made)->id == 0 && payload_of(made)->live == 0);
        payload_of(made)->id = made->element.name;
        payload_of(made)->live = 1;
        note(log, '+', made);
    }
    *leaf = last;
    return OBV_OK;
}

static void take_node(struct log *log, struct obv__trie_node *node)
{
    obv__trie_take(&log->trie, test_allocator(), node);
    check_parent_lives(node);
    CHECK(!node->first_child);
    CHECK_EQ(payload_of(node)->live, 1);
    payload_of(node)->live = 0;
    note(log, '-', node);
    if (log->keep) {
        log->removed[log->kept++] = node;
    } else {
        free_node(node);
    }
}

static void release_node(struct log *log, struct obv__trie_node *node)
{
    node->references--;
    while (node && obv__trie_node_is_idle(node)) {
        struct obv__trie_node *parent = node->parent;
        take_node(log, node);
        node = parent;
    }
}

static void destroy(struct log *log)
{
    while (log->trie.first) {
        struct obv__trie_node *node = log->trie.first->prev;
        while (node->first_child) {
            node = node->first_child->prev;
        }
        take_node(log, node);
    }
    CHECK_EQ(log->trie.count, 0);
}

static bool node_check(const struct obv__trie *trie,
                       const struct obv__trie_node *node)
{
    const struct obv__trie_node *parent = node->parent;
    const struct obv__trie_node *first =
        parent ? parent->first_child : trie->first;
    struct obv_element path[OBV_PATH_COUNT_MAX];
    for (const struct obv__trie_node *n = node; n; n = n->parent) {
        path[n->depth - 1] = n->element;
    }
    return (node->references > 0 || node->first_child) &&
           node->depth == (parent ? parent->depth + 1 : 1) &&
           (node->next ? node->next : first)->prev == node &&
           (!node->first_child || node->first_child->parent == node) &&
           (!node->next || node->next->parent == parent) &&
           obv__trie_find(trie, path, node->depth) == node;
}

static bool check(const struct obv__trie *trie)
{
    const struct obv__trie_node *node = trie->first;
    size_t count = 0;
    while (node && node_check(trie, node)) {
        count++;
        node = obv__trie_node_after(node);
    }
    return !node && count == trie->count &&
           (trie->table.count == 0 || trie->table.count == count);
}

/* Adds the path whose elements are the digits of `path`. */
static struct obv__trie_node *add(struct log *log, const char *path)
{
    struct obv_element elements[16];
    struct obv__trie_node *leaf = NULL;
    size_t count = strlen(path);
    for (size_t i = 0; i < count; i++) {
        elements[i] = name((uint32_t)(path[i] - '0'));
    }
    CHECK_EQ(add_elements(log, elements, count, &leaf), OBV_OK);
    CHECK(check(&log->trie));
    CHECK(obv__trie_find(&log->trie, elements, count) == leaf);
    CHECK_EQ(leaf->depth, count);
    return leaf;
}

static void release(struct log *log, struct obv__trie_node *leaf)
{
    release_node(log, leaf);
    CHECK(check(&log->trie));
}

TEST(trie_counts_a_shared_prefix_once)
{
    struct log log = {0};
    struct obv__trie_node *zip = add(&log, "12"), *city = add(&log, "13");
    CHECK(add(&log, "13") == city);
    CHECK_TEXT(log.text, "+1 +2 +3");
    CHECK_EQ(log.trie.count, 3);
    CHECK_EQ(city->references, 2);
    CHECK_EQ(zip->references, 1);
    struct obv__trie_node *address = log.trie.first;
    CHECK_EQ(address->references, 0);
    CHECK(zip->parent == address);
    CHECK(city->parent == address);
    CHECK(address->parent == NULL);
    release(&log, city);
    release(&log, zip);
    CHECK_TEXT(log.text, "+1 +2 +3 -2");
    release(&log, city);
    CHECK_TEXT(log.text, "+1 +2 +3 -2 -3 -1");
    CHECK(!log.trie.first);
    destroy(&log);
}

TEST(trie_keeps_a_node_that_is_a_path_and_a_prefix)
{
    struct log log = {0};
    struct obv__trie_node *below = add(&log, "123"), *prefix = add(&log, "12");
    CHECK(below->parent == prefix);
    release(&log, below);
    CHECK_TEXT(log.text, "+1 +2 +3 -3");
    below = add(&log, "123");
    release(&log, prefix);
    CHECK_TEXT(log.text, "+1 +2 +3 -3 +3");
    release(&log, below);
    CHECK_TEXT(log.text, "+1 +2 +3 -3 +3 -3 -2 -1");
    destroy(&log);
}

TEST(trie_children_stand_in_the_order_of_their_addition)
{
    struct log log = {0};
    struct obv__trie_node *three = add(&log, "3"), *one = add(&log, "1");
    struct obv__trie_node *two = add(&log, "2");
    CHECK(log.trie.first == three);
    CHECK(three->next == one);
    CHECK(one->next == two);
    CHECK(two->next == NULL);
    release(&log, one);
    CHECK(three->next == two);
    one = add(&log, "1");
    CHECK(two->next == one);
    release(&log, three);
    CHECK(log.trie.first == two);
    release(&log, one);
    CHECK(two->next == NULL);
    one = add(&log, "21");
    CHECK(two->first_child == one);
    destroy(&log);
}

TEST(trie_tells_elements_of_different_kinds_apart)
{
    struct log log = {0};
    const struct obv_element elements[] = {
        {OBV_ELEMENT_NAME, 1, 0},       {OBV_ELEMENT_COUNT, 1, 0},
        {OBV_ELEMENT_ANY, 0, 0},        {OBV_ELEMENT_POSITION, 0, 1},
        {OBV_ELEMENT_OCCURRENCE, 0, 1}, {OBV_ELEMENT_MEMBER, 0, 1},
        {OBV_ELEMENT_MEMBER, 0, 2},     {OBV_ELEMENT_NAME, 2, 0}};
    for (size_t i = 0; i < 8; i++) {
        struct obv__trie_node *leaf;
        CHECK(obv__trie_find(&log.trie, &elements[i], 1) == NULL);
        CHECK_EQ(add_elements(&log, &elements[i], 1, &leaf), OBV_OK);
        CHECK(obv_element_equal(&leaf->element, &elements[i]));
        CHECK_EQ(log.trie.count, i + 1);
    }
    destroy(&log);
}

TEST(trie_knows_no_element_without_a_name)
{
    struct log log = {0};
    struct obv_element elements[] = {name(1), name(OBV_NAME_NONE)};
    struct obv__trie_node *leaf = NULL;
    CHECK_EQ(add_elements(&log, elements, 2, &leaf), OBV_E_ARGUMENT);
    CHECK(leaf == NULL && !log.trie.first);
    CHECK(obv__trie_find(&log.trie, elements, 2) == NULL);
    destroy(&log);
}

TEST(trie_destroy_removes_children_first_and_later_ones_first)
{
    struct log log = {0};
    add(&log, "12");
    add(&log, "134");
    add(&log, "1");
    add(&log, "56");
    log.text[0] = '\0';
    destroy(&log);
    CHECK_TEXT(log.text, "-6 -5 -4 -3 -2 -1");
}

TEST(trie_removed_nodes_stay_readable_until_they_are_freed)
{
    struct log log = {.keep = true};
    struct obv__trie_node *leaf = add(&log, "123");
    add(&log, "45");
    release(&log, leaf);
    CHECK_EQ(log.kept, 3);
    destroy(&log);
    CHECK_TEXT(log.text, "+1 +2 +3 +4 +5 -3 -2 -1 -5 -4");
    for (size_t i = 0; i < 3; i++) {
        struct obv__trie_node *node = log.removed[i];
        CHECK_EQ(node->element.name, 3 - i);
        CHECK_EQ(payload_of(node)->id, 3 - i);
        CHECK_EQ(node->depth, 3 - i);
        CHECK(node->parent == (i < 2 ? log.removed[i + 1] : NULL));
    }
    for (size_t i = 0; i < log.kept; i++) {
        free_node(log.removed[i]);
    }
}

/*
 * The model: a list of the paths that have been added and not yet released.
 * A node is there exactly if one of them begins with its path.
 */

enum { PATHS = 400, DEPTH = 5 };

struct model {
    struct obv_element path[PATHS][DEPTH];
    size_t length[PATHS];
    struct obv__trie_node *leaf[PATHS];
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

static void compare(const struct log *log, const struct model *model,
                    const struct obv_element *path, size_t length)
{
    for (size_t part = 1; part <= length; part++) {
        size_t ends;
        size_t passing = model_count(model, path, part, &ends);
        struct obv__trie_node *node = obv__trie_find(&log->trie, path, part);
        CHECK_EQ(node != NULL, passing > 0);
        if (node) {
            CHECK_EQ(node->references, ends);
            CHECK_EQ(node->depth, part);
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

static void model_add(struct log *log, struct model *model, size_t width)
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
        add_elements(log, model->path[i], model->length[i], &model->leaf[i]),
        OBV_OK);
    model->count++;
    compare(log, model, model->path[i], model->length[i]);
}

static void model_release(struct log *log, struct model *model)
{
    size_t i = test_random() % model->count, last = --model->count;
    struct obv_element path[DEPTH];
    size_t length = model->length[i];
    memcpy(path, model->path[i], sizeof path);
    release_node(log, model->leaf[i]);
    memcpy(model->path[i], model->path[last], sizeof path);
    model->length[i] = model->length[last];
    model->leaf[i] = model->leaf[last];
    compare(log, model, path, length);
}

static void check_against_model(size_t width, size_t rounds)
{
    static struct model model;
    struct log log = {0};
    model.count = 0;
    for (size_t round = 0; round < rounds; round++) {
        bool growing = round / 300 % 2 == 0;
        bool adds = test_random() % 3 < (growing ? 2 : 1);
        if (model.count == 0 || (adds && model.count < PATHS)) {
            model_add(&log, &model, width);
        } else {
            model_release(&log, &model);
        }
        if (round % 8 == 0) {
            CHECK(check(&log.trie));
            CHECK_EQ(log.trie.count, model_nodes(&model));
        }
    }
    while (model.count > 0) {
        model_release(&log, &model);
    }
    CHECK(!log.trie.first && check(&log.trie));
    CHECK_EQ(test_live_blocks(), 0); /* the table has gone too */
    destroy(&log);
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
    static struct obv__trie_node *leaves[MANY];
    struct log log = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        struct obv_element path[] = {name(7), {OBV_ELEMENT_MEMBER, 0, i}};
        CHECK_EQ(add_elements(&log, path, 2, &leaves[i]), OBV_OK);
    }
    CHECK(check(&log.trie));
    for (uint32_t i = 0; i < MANY; i += 2) {
        release_node(&log, leaves[i]);
    }
    CHECK(check(&log.trie));
    for (uint32_t i = 0; i < MANY; i++) {
        struct obv_element path[] = {name(7), {OBV_ELEMENT_MEMBER, 0, i}};
        CHECK(obv__trie_find(&log.trie, path, 2) == (i % 2 ? leaves[i] : NULL));
    }
    destroy(&log);
}

/* Lack of memory. */

/* Adds a path of six new elements below two old ones to a trie of `before`
   paths, with the n-th allocation failing; answers whether it succeeded. */
static bool add_with_failure(size_t before, size_t n)
{
    struct log log = {0};
    char path[] = "11";
    for (size_t i = 0; i < before; i++, path[1]++) {
        add(&log, path);
    }
    size_t count = log.trie.count, blocks = test_live_blocks();
    struct obv_element elements[8];
    for (uint32_t i = 0; i < 8; i++) {
        elements[i] = name(i < 2 ? 1 : i);
    }
    struct obv__trie_node *leaf = NULL;
    log.text[0] = '\0';
    test_fail_allocation(n, false);
    enum obv_status status = add_elements(&log, elements, 8, &leaf);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(check(&log.trie));
    /* A table may lack memory, which is no failure. */
    CHECK(failed ? status == OBV_OK || status == OBV_E_MEMORY
                 : status == OBV_OK);
    CHECK(n > 6 || status == OBV_E_MEMORY);
    if (status != OBV_OK) {
        CHECK(leaf == NULL);
        CHECK_TEXT(log.text, "");
        CHECK_EQ(log.trie.count, count);
        CHECK_EQ(test_live_blocks(), blocks);
        CHECK(obv__trie_find(&log.trie, elements, 3) == NULL);
    }
    destroy(&log);
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
    for (size_t n = 1; n <= 20; n++) {
        struct log log = {0};
        struct obv__trie_node *leaf = NULL;
        test_fail_allocation(n, false);
        CHECK_EQ(add_elements(&log, many, 20, &leaf), OBV_E_MEMORY);
        test_fail_allocation(0, false);
        CHECK(!log.trie.first && check(&log.trie));
        destroy(&log);
        CHECK_EQ(test_live_blocks(), 0);
    }
}
