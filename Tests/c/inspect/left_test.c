/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left in a context that will not end: label, place and class of each
 * observation (DB-7), in a build that checks for misuses; in any other their
 * number.
 */
#include "contract_fixture.h"

#include "model/misuse.h"

#include <stdio.h>

enum { REPORTS = 32, LEFT = 32 };

struct told {
    char text[200], path[64], label[64];
    const char *file;
    uint32_t line;
};

static struct obv_context *context;
static struct obv_class_table table;
static struct obv_class *item_class;
static struct told reports[REPORTS], left[LEFT];
static struct obv_observer_entry entries[LEFT];
static size_t report_count, left_count;

static void copy(char *to, size_t size, const char *from)
{
    (void)snprintf(to, size, "%s", from ? from : "(null)");
}

static void keep_report(void *argument, const struct obv_diagnostic *diagnostic)
{
    CHECK(argument == reports && report_count < REPORTS);
    CHECK_EQ(diagnostic->kind, OBV_DIAGNOSTIC_LEFT);
    struct told *told = &reports[report_count++];
    copy(told->text, sizeof told->text, diagnostic->text);
    copy(told->path, sizeof told->path, diagnostic->path);
    copy(told->label, sizeof told->label, diagnostic->label);
    told->file = diagnostic->file;
    told->line = diagnostic->line;
}

static void keep_left(void *argument, const struct obv_observer_entry *entry)
{
    CHECK(argument == left && left_count < LEFT);
    entries[left_count] = *entry;
    struct told *told = &left[left_count++];
    copy(told->path, sizeof told->path, entry->path);
    copy(told->label, sizeof told->label, entry->label);
    copy(told->text, sizeof told->text, entry->root_class);
    told->file = entry->file;
    told->line = entry->line;
}

static void begin(void)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = keep_report,
                                                .diagnose_context = reports};
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    table = item_table();
    CHECK_EQ(obv_class_create(context, &table, &item_class, NULL), OBV_OK);
}

static void finish(void)
{
    size_t before = report_count;
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(report_count, before);
    CHECK_EQ(test_live_blocks(), 0);
}

static struct item *item_made(void)
{
    struct item *item = calloc(1, sizeof *item);
    CHECK(item);
    item->references = 1;
    obv_object_init(&item->object, item_class);
    return item;
}

static void ignore(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
}

static const struct obv_handler_kind title = {.changed = ignore,
                                              .label = "title",
                                              .file = "list.c",
                                              .line = 7},
                                     plain = {.changed = ignore};

static struct obv_observation *begin_at(struct item *root, const char *path,
                                        const struct obv_handler_kind *kind)
{
    struct obv_observation *handle = NULL;
    CHECK_EQ(obv_observe(&root->object, path, kind, left, &handle, NULL),
             OBV_OK);
    return handle;
}

static void look(void)
{
    left_count = 0;
    CHECK_EQ(obv_debug_each_left(context, keep_left, left),
             obv__misuse_is_checked() ? OBV_OK : OBV_E_UNKNOWN);
}

/* The number of the entry, or of the report, of a path, which is there once. */
static size_t of_path(const struct told *all, size_t count, const char *path)
{
    size_t found = count;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i].path, path) == 0) {
            CHECK_EQ(found, count);
            found = i;
        }
    }
    CHECK(found < count);
    return found;
}

TEST(DB_7_a_context_that_will_not_end_says_what_is_left)
{
    begin();
    struct item *root = item_made(), *next = item_made();
    item_set_next(root, next);
    struct obv_observation *first = begin_at(root, "next.large", &title);
    struct obv_observation *second = begin_at(root, "small", &plain);
    CHECK_EQ(obv_context_destroy(context), OBV_E_IN_USE);
    CHECK_TEXT(reports[0].text,
               "a context does not end: 2 observations or handles are left");
    if (obv__misuse_is_checked()) {
        CHECK_EQ(report_count, 3);
        size_t at = of_path(reports, report_count, "next.large");
        CHECK(strstr(reports[at].text, "class `item`"));
        CHECK_TEXT(reports[at].label, "title");
        CHECK_TEXT(reports[at].file, "list.c");
        CHECK_EQ(reports[at].line, 7);
        at = of_path(reports, report_count, "small");
        CHECK_TEXT(reports[at].label, "(null)");
        CHECK(reports[at].file == NULL);
    } else {
        CHECK_EQ(report_count, 1);
    }
    end(first);
    end(second);
    item_release(&root->object);
    item_release(&next->object);
    finish();
}

TEST(DB_7_each_form_of_observation_is_left_until_it_has_gone)
{
    begin();
    if (!obv__misuse_is_checked()) {
        look();
        finish();
        return;
    }
    struct item *root = item_made();
    struct obv_observation *of_class, *of_two, *bare;
    const struct obv_pair pairs[] = {{&root->object, "large"},
                                     {&root->object, "*"}};
    const struct obv_pair none = {&root->object, NULL};
    struct obv_observe_options options = {.size = sizeof options};
    CHECK_EQ(obv_observe_pairs(pairs, 2, &title, left, &options, &of_two, NULL),
             OBV_OK);
    CHECK_EQ(obv_observe_pairs(&none, 1, &plain, left, &options, &bare, NULL),
             OBV_OK);
    CHECK_EQ(obv_observe_class(item_class, "next.small", &title, left, &options,
                               &of_class, NULL),
             OBV_OK);
    look();
    CHECK_EQ(left_count, 4);
    size_t at = of_path(left, left_count, "large");
    CHECK(entries[at].root == root && entries[at].observer == left);
    CHECK(entries[at].kind == &title && !entries[at].is_over);
    CHECK_TEXT(left[at].text, "item");
    (void)of_path(left, left_count, "*");
    size_t pathless = 0;
    for (size_t i = 0; i < left_count; i++) {
        pathless += entries[i].path == NULL;
    }
    CHECK_EQ(pathless, 1);
    at = of_path(left, left_count, "next.small");
    CHECK(entries[at].root == NULL);
    CHECK_TEXT(left[at].text, "item");
    /* A changed instance is the same observation. */
    item_set_next(root, NULL);
    item_set_next(root, root);
    item_set_next(root, NULL);
    look();
    CHECK_EQ(left_count, 4);
    obv_stop(of_two);
    obv_release(of_two);
    obv_stop(bare);
    obv_release(bare);
    CHECK_EQ(obv_loop_drain(obv_context_loop(context)) >= 0, 1);
    look();
    CHECK_EQ(left_count, 1);
    CHECK_TEXT(left[0].label, "title");
    obv_stop(of_class);
    obv_release(of_class);
    (void)obv_loop_drain(obv_context_loop(context));
    look();
    CHECK_EQ(left_count, 0);
    item_release(&root->object);
    finish();
}

TEST(DB_7_a_handle_that_was_kept_is_left_with_its_label)
{
    begin();
    struct item *root = item_made();
    struct obv_handler_kind *kind = malloc(sizeof *kind);
    CHECK(kind);
    *kind = title;
    struct obv_observation *handle = begin_at(root, "large", kind);
    CHECK(handle);
    obv_stop(handle);
    memset(kind, 0xff, sizeof *kind); /* nobody reads it any more */
    free(kind);
    CHECK_EQ(obv_context_destroy(context), OBV_E_IN_USE);
    look();
    if (obv__misuse_is_checked()) {
        CHECK_EQ(left_count, 1);
        CHECK(entries[0].is_over && !entries[0].path && !entries[0].root);
        CHECK_TEXT(left[0].label, "title");
        CHECK_TEXT(left[0].file, "list.c");
        CHECK(strstr(reports[1].text, "whose handle was not released"));
    }
    obv_release(handle);
    look();
    CHECK_EQ(left_count, 0);
    item_release(&root->object);
    finish();
}

TEST(DB_7_many_are_counted_and_the_first_are_named)
{
    struct obv_observation *handles[20];
    begin();
    struct item *root = item_made();
    for (size_t i = 0; i < 20; i++) {
        handles[i] = begin_at(root, "large", &title);
    }
    CHECK_EQ(obv_context_destroy(context), OBV_E_IN_USE);
    CHECK_TEXT(reports[0].text,
               "a context does not end: 20 observations or handles are left");
    CHECK_EQ(report_count, obv__misuse_is_checked() ? 17 : 1);
    for (size_t i = 0; i < 20; i++) {
        end(handles[i]);
    }
    item_release(&root->object);
    finish();
}

TEST(DB_7_who_asks_for_nothing_is_refused)
{
    begin();
    CHECK_EQ(obv_debug_each_left(context, NULL, NULL), OBV_E_ARGUMENT);
    finish();
}

TEST(FA_2_DB_7_without_memory_what_is_left_out_is_said)
{
    begin();
    struct item *root = item_made();
    struct obv_observation *handle = begin_at(root, "large", &title);
    left_count = 0;
    test_fail_allocation(1, true);
    enum obv_status status = obv_debug_each_left(context, keep_left, left);
    test_fail_allocation(0, false);
    CHECK_EQ(status, obv__misuse_is_checked() ? OBV_E_MEMORY : OBV_E_UNKNOWN);
    look();
    CHECK_EQ(left_count, obv__misuse_is_checked() ? 1 : 0);
    end(handle);
    item_release(&root->object);
    finish();
}
