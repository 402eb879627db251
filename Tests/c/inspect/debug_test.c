/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at what observes an object: who, through which path, from which line
 * (DB-1), with labels (DB-6), and what hangs elsewhere than the stored value
 * leads to (DB-2).
 */
#include "contract_fixture.h"

#include <stdio.h>

enum { ENTRIES = 32 };

static struct fixture fixture;
static struct probe probe, other;
static struct obv_observer_entry entries[ENTRIES];
static char paths[ENTRIES][64];
static size_t count;
static char text[4096];
static size_t length;

static void begin(void)
{
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    probe_init(&other, &fixture);
}

static void finish(void)
{
    probe_release(&probe);
    probe_release(&other);
    fixture_end(&fixture);
}

static void keep(void *context, const struct obv_observer_entry *entry)
{
    CHECK(context == &count);
    CHECK(count < ENTRIES);
    entries[count] = *entry;
    if (entry->path) {
        CHECK(strlen(entry->path) < sizeof paths[0]);
        strcpy(paths[count], entry->path);
        entries[count].path = paths[count];
    }
    count++;
}

static size_t looked_at(struct item *item)
{
    count = 0;
    CHECK_EQ(obv_debug_each_observer(&item->object, keep, &count), OBV_OK);
    return count;
}

static void write_text(void *context, const char *piece, size_t size)
{
    CHECK(context == text);
    CHECK(length + size < sizeof text);
    memcpy(text + length, piece, size);
    length += size;
    text[length] = '\0';
}

static const char *shown(struct item *item)
{
    length = 0;
    CHECK_EQ(obv_debug_show_all_observers(&item->object, write_text, text),
             OBV_OK);
    return text;
}

TEST(DB_1_each_observation_of_a_property_is_told)
{
    begin();
    struct item *root = item_create(&fixture), *middle = item_create(&fixture);
    item_set_next(root, middle);
    CHECK_EQ(looked_at(root), 0);
    struct obv_observation *large = observe(root, "large", &probe);
    struct obv_observation *deep = observe_with(
        root, "next.large", &other, OBV_IMMEDIATE | OBV_TOKEN, NULL);
    item_set_large(root, 1);
    CHECK_EQ(looked_at(root), 2);
    CHECK_TEXT(entries[0].property, "large");
    CHECK_EQ(entries[0].index, ITEM_LARGE);
    CHECK_TEXT(entries[0].path, "large");
    CHECK(entries[0].root == root);
    CHECK_TEXT(entries[0].root_class, "item");
    CHECK(entries[0].observer == &probe);
    CHECK_TEXT(entries[0].observer_class, "probe");
    CHECK(entries[0].kind == &probe.kind);
    CHECK_TEXT(entries[0].label, "probe");
    CHECK(entries[0].file == NULL);
    CHECK(entries[0].loop == obv_context_loop(fixture.context));
    CHECK(entries[0].is_pending && !entries[0].is_immediate);
    CHECK(!entries[0].is_middle && !entries[0].is_token);
    CHECK(!entries[0].is_unresolved && !entries[0].is_stale);
    CHECK_TEXT(entries[1].property, "next");
    CHECK_TEXT(entries[1].path, "next.large");
    CHECK(entries[1].is_middle && entries[1].is_immediate);
    CHECK(entries[1].is_token && !entries[1].is_pending);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(looked_at(root), 2);
    CHECK(!entries[0].is_pending);
    /* The other end of the path, which is rooted elsewhere. */
    CHECK_EQ(looked_at(middle), 1);
    CHECK_TEXT(entries[0].property, "large");
    CHECK_TEXT(entries[0].path, "next.large");
    CHECK(entries[0].root == root && !entries[0].is_middle);
    end(large);
    end(deep);
    CHECK_EQ(looked_at(root), 0);
    CHECK_EQ(looked_at(middle), 0);
    item_release(&middle->object);
    item_release(&root->object);
    finish();
}

TEST(DB_1_stars_groups_and_paths_that_lead_nowhere_are_told)
{
    begin();
    struct item *root = item_create(&fixture), *behind = item_create(&fixture);
    item_set_next(root, behind);
    const struct obv_pair pairs[] = {{&root->object, "*"},
                                     {&root->object, "nobody.has\\.this"},
                                     {&root->object, "*.large"},
                                     {&root->object, "next.*"}};
    struct obv_observation *handle, *bare;
    CHECK_EQ(
        obv_observe_pairs(pairs, 4, &probe.kind, &probe, NULL, &handle, NULL),
        OBV_OK);
    const struct obv_pair none = {&root->object, NULL};
    CHECK_EQ(
        obv_observe_pairs(&none, 1, &other.kind, &other, NULL, &bare, NULL),
        OBV_OK);
    CHECK_EQ(looked_at(root), 5);
    CHECK_TEXT(entries[0].property, "next");
    CHECK_TEXT(entries[0].path, "next.*");
    CHECK(entries[0].is_middle);
    CHECK_TEXT(entries[1].property, "*");
    CHECK_TEXT(entries[1].path, "*");
    CHECK_TEXT(entries[2].property, "*");
    CHECK_TEXT(entries[2].path, "*.large");
    CHECK(entries[2].is_middle && !entries[2].is_stale);
    CHECK(entries[3].property == NULL);
    CHECK_EQ(entries[3].index, OBV_EVERY_PROPERTY);
    CHECK_TEXT(entries[3].path, "nobody.has\\.this");
    CHECK(entries[3].is_unresolved);
    CHECK(entries[4].property == NULL && entries[4].path == NULL);
    CHECK(!entries[4].is_unresolved);
    CHECK_EQ(looked_at(behind), 2);
    CHECK_TEXT(entries[0].path, "*.large");
    CHECK_TEXT(entries[1].path, "next.*");
    end(handle);
    end(bare);
    item_release(&behind->object);
    item_release(&root->object);
    finish();
}

TEST(DB_1_the_line_that_began_an_observation_is_told)
{
    begin();
    struct item *root = item_create(&fixture);
    struct obv_observation *plain, *here, *kind;
    probe.kind.file = "kind.c";
    probe.kind.line = 7;
    plain = observe(root, "large", &other);
    uint32_t line = 0;
    OBV_HERE(line = __LINE__; here = observe(root, "large", &probe));
    kind = observe(root, "large", &probe);
    CHECK_EQ(looked_at(root), 3);
    CHECK(entries[0].file == NULL);
    CHECK_EQ(entries[0].line, 0);
    CHECK_TEXT(entries[1].file, __FILE__);
    CHECK_EQ(entries[1].line, line);
    CHECK_TEXT(entries[2].file, "kind.c");
    CHECK_EQ(entries[2].line, 7);
    /* It is called like any other. */
    item_set_large(root, 1);
    CHECK_EQ(drain(&fixture), 3);
    end(plain);
    end(here);
    end(kind);
    static const struct obv_handler_kind written = {.changed = probe_changed,
                                                    OBV_KIND_HERE};
    CHECK_TEXT(written.file, __FILE__);
    CHECK(written.line != 0);
    item_release(&root->object);
    finish();
}

TEST(DB_1_the_text_names_the_object_that_nobody_observes)
{
    begin();
    struct item *root = item_create(&fixture);
    char want[64];
    (void)snprintf(want, sizeof want, "item %p\n  nobody observes it\n",
                   (void *)root);
    CHECK_TEXT(shown(root), want);
    item_release(&root->object);
    finish();
}

TEST(DB_1_the_text_has_a_line_for_each_entry)
{
    begin();
    struct item *root = item_create(&fixture);
    struct obv_observation *handle;
    int line = __LINE__ + 1;
    OBV_HERE(handle = observe(root, "next.large", &probe));
    struct obv_observation *second = observe(root, "next", &other);
    char want[512];
    (void)snprintf(want, sizeof want,
                   "item %p\n  next\n    next.large from item %p, observer "
                   "probe %p \"probe\", delayed on loop %p, leads on (%s:%d)\n"
                   "    next from item %p, observer probe %p \"probe\", "
                   "delayed on loop %p\n",
                   (void *)root, (void *)root, (void *)&probe,
                   (void *)obv_context_loop(fixture.context), __FILE__, line,
                   (void *)root, (void *)&other,
                   (void *)obv_context_loop(fixture.context));
    CHECK_TEXT(shown(root), want);
    end(handle);
    end(second);
    item_release(&root->object);
    finish();
}

TEST(DB_1_the_text_has_a_line_for_who_hangs_at_no_property)
{
    begin();
    struct item *root = item_create(&fixture);
    const struct obv_pair none = {&root->object, NULL};
    struct obv_observation *bare;
    CHECK_EQ(
        obv_observe_pairs(&none, 1, &probe.kind, &probe, NULL, &bare, NULL),
        OBV_OK);
    char want[512];
    (void)snprintf(want, sizeof want,
                   "item %p\n  (no property)\n    (no path) from item %p, "
                   "observer probe %p \"probe\", delayed on loop %p\n",
                   (void *)root, (void *)root, (void *)&probe,
                   (void *)obv_context_loop(fixture.context));
    CHECK_TEXT(shown(root), want);
    end(bare);
    item_release(&root->object);
    finish();
}

/* A text that is no path names no property, nor who observes each. */
TEST(DB_1_nobody_is_counted_at_what_is_no_path)
{
    begin();
    struct item *root = item_create(&fixture);
    struct obv_observation *handle = observe(root, "*", &probe);
    CHECK_EQ(obv_observer_count(&root->object, "large"), 1);
    CHECK_EQ(obv_observer_count(&root->object, "large..small"), 0);
    CHECK_EQ(obv_observer_count(&root->object, "nobody"), 0);
    end(handle);
    item_release(&root->object);
    finish();
}

TEST(DB_6_hostile_names_are_shown_harmlessly)
{
    begin();
    struct item *root = item_create(&fixture);
    probe.kind.label = "a\033[2J\nitem 0x0\r\"\x80";
    struct obv_observation *handle = observe(root, "no\\\nbody.\\\033", &probe);
    (void)shown(root);
    size_t lines = 0;
    for (size_t i = 0; i < length; i++) {
        lines += text[i] == '\n';
        CHECK(text[i] == '\n' || (text[i] >= ' ' && text[i] < 127));
    }
    CHECK_EQ(lines, 3);
    end(handle);
    item_release(&root->object);
    finish();
}

TEST(DB_2_an_entry_that_hangs_elsewhere_than_the_value_leads_is_marked)
{
    begin();
    struct item *root = item_create(&fixture), *first = item_create(&fixture),
                *second = item_create(&fixture), *third = item_create(&fixture);
    struct obv_observation *deep = observe(root, "next.next.large", &probe);
    struct obv_observation *all = observe(root, "*.large", &probe);
    struct obv_observation *ends = observe(root, "next", &other);
    item_set_next(root, first);
    CHECK_EQ(looked_at(root), 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK(!entries[i].is_stale);
    }
    CHECK(item_retain(&second->object));
    root->next = second; /* past the setter */
    CHECK_EQ(looked_at(root), 3);
    CHECK(entries[0].is_stale && entries[0].is_middle);
    CHECK(!entries[1].is_stale); /* an end has nothing behind it */
    CHECK(entries[2].is_stale);  /* `*` */
    CHECK(strstr(shown(root), "NOT WHAT IS STORED") != NULL);
    CHECK_EQ(obv_trigger(&root->object, ITEM_NEXT, &first, NULL), OBV_OK);
    CHECK_EQ(looked_at(root), 3);
    CHECK(!entries[0].is_stale && !entries[2].is_stale);
    CHECK(strstr(shown(root), "NOT WHAT IS STORED") == NULL);
    root->next = NULL;
    CHECK_EQ(looked_at(root), 3);
    CHECK(entries[0].is_stale && entries[2].is_stale);
    root->next = second;
    /* Where memory was short nothing hangs either. */
    test_fail_allocation(1, true);
    item_set_next(root, third);
    test_fail_allocation(0, false);
    CHECK_EQ(looked_at(root), 3);
    CHECK(entries[0].is_stale && entries[2].is_stale);
    (void)drain(&fixture);
    end(deep);
    end(all);
    end(ends);
    item_release(&first->object);
    item_release(&first->object); /* what the field held */
    item_release(&second->object);
    item_release(&third->object);
    item_release(&root->object);
    finish();
}

TEST(DB_1_what_cannot_be_shown_is_answered)
{
    begin();
    struct item *root = item_create(&fixture);
    struct obv_object none = {OBV_DETAIL_NO_NODE};
    CHECK_EQ(obv_debug_each_observer(NULL, keep, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_debug_each_observer(&root->object, NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_debug_each_observer(&none, keep, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_debug_show_all_observers(NULL, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_object_deinit(&root->object), OBV_OK);
    CHECK_EQ(obv_debug_each_observer(&root->object, keep, NULL), OBV_E_ENDED);
    CHECK_EQ(obv_debug_show_all_observers(&root->object, NULL, NULL),
             OBV_E_ENDED);
    free(root);
    finish();
}

static void stop_it(void *context, const struct obv_observer_entry *entry)
{
    struct obv_observation **handles = context;
    CHECK(entry->label);
    obv_stop(handles[0]);
    obv_stop(handles[1]);
    count++;
}

TEST(DB_1_what_ends_meanwhile_is_left_out)
{
    begin();
    struct item *root = item_create(&fixture);
    struct obv_observation *handles[] = {observe(root, "large", &probe),
                                         observe(root, "small", &probe)};
    count = 0;
    CHECK_EQ(obv_debug_each_observer(&root->object, stop_it, handles), OBV_OK);
    CHECK_EQ(count, 1);
    CHECK_EQ(probe.disposed, 2);
    obv_release(handles[0]);
    obv_release(handles[1]);
    item_release(&root->object);
    finish();
}

TEST(FA_2_DB_1_without_memory_nothing_is_told)
{
    begin();
    struct item *root = item_create(&fixture), *behind = item_create(&fixture);
    item_set_next(root, behind);
    struct obv_observation *handles[] = {observe(root, "large", &probe),
                                         observe(root, "*.large", &probe),
                                         observe(root, "nobody", &probe)};
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        size_t blocks = test_live_blocks();
        count = 0;
        test_fail_allocation(n, false);
        enum obv_status status =
            obv_debug_each_observer(&root->object, keep, &count);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(status, failed ? OBV_E_MEMORY : OBV_OK);
        CHECK_EQ(count, failed ? 0 : 3);
        CHECK_EQ(test_live_blocks(), blocks);
    }
    for (size_t i = 0; i < 3; i++) {
        end(handles[i]);
    }
    item_release(&behind->object);
    item_release(&root->object);
    finish();
}

/* --- labels and lines in diagnostics ------------------------------------- */

TEST(DB_6_diagnostics_name_the_label)
{
    begin();
    struct item *root = item_create(&fixture), *behind = item_create(&fixture);
    probe.kind.label = "cell";
    struct obv_observation *nowhere = observe(root, "nobody", &probe);
    CHECK_TEXT(fixture.last.label, "cell");
    struct obv_observation *deep = observe(root, "next.large", &probe);
    fixture.last.label = NULL;
    test_fail_allocation(1, true);
    item_set_next(root, behind);
    test_fail_allocation(0, false);
    CHECK_EQ(fixture.last.kind, OBV_DIAGNOSTIC_MEMORY);
    CHECK_TEXT(fixture.last.label, "cell");
    (void)drain(&fixture);
    end(nowhere);
    end(deep);
    item_release(&behind->object);
    item_release(&root->object);
    finish();
}

TEST(DB_1_diagnostics_name_the_line)
{
    begin();
    struct item *root = item_create(&fixture), *behind = item_create(&fixture);
    probe.kind.file = "cell.c";
    probe.kind.line = 31;
    struct obv_observation *nowhere = observe(root, "nobody", &probe);
    CHECK_TEXT(fixture.last.file, "cell.c");
    CHECK_EQ(fixture.last.line, 31);
    /* The line of the call goes before that of the kind. */
    struct obv_observation *here;
    unsigned line = __LINE__ + 1;
    OBV_HERE(here = observe(root, "nobody either", &probe));
    CHECK_TEXT(fixture.last.file, __FILE__);
    CHECK_EQ(fixture.last.line, line);
    /* But for kinds that are made for a call. */
    other.kind = probe.kind;
    other.kind.flags |= OBV_KIND_IS_OF_CALL;
    struct obv_observation *own;
    OBV_HERE(own = observe(root, "nor anybody else", &other));
    CHECK_TEXT(fixture.last.file, "cell.c");
    CHECK_EQ(fixture.last.line, 31);
    CHECK_EQ(looked_at(root), 3);
    CHECK_TEXT(entries[2].path, "nor anybody else");
    CHECK_TEXT(entries[2].file, "cell.c");
    fixture.last.file = NULL;
    struct obv_observation *deep = observe(root, "next.large", &probe);
    test_fail_allocation(1, true);
    item_set_next(root, behind);
    test_fail_allocation(0, false);
    CHECK_EQ(fixture.last.kind, OBV_DIAGNOSTIC_MEMORY);
    CHECK_TEXT(fixture.last.file, "cell.c");
    CHECK_EQ(fixture.last.line, 31);
    (void)drain(&fixture);
    end(nowhere);
    end(here);
    end(own);
    end(deep);
    item_release(&behind->object);
    item_release(&root->object);
    finish();
}

/* Without a hook: one line on standard error, here a pipe. */
TEST(DB_1_a_line_on_standard_error_names_the_line)
{
    char said[512] = "";
    struct obv_class *cls;
    struct obv_class_table table = item_table();
    const struct obv_handler_kind kind = {
        .changed = probe_changed, .label = "cell", .file = "a\nb.c", .line = 9};
    CHECK_EQ(obv_context_create(NULL, &fixture.context), OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &table, &cls, NULL), OBV_OK);
    fixture.item_class = cls;
    struct item *root = item_create(&fixture);
    int ends[2], before = dup(STDERR_FILENO);
    CHECK(before >= 0 && pipe(ends) == 0);
    CHECK(dup2(ends[1], STDERR_FILENO) >= 0);
    enum obv_status status =
        obv_observe(&root->object, "nobody", &kind, NULL, NULL, NULL);
    CHECK(dup2(before, STDERR_FILENO) >= 0);
    CHECK_EQ(status, OBV_OK);
    CHECK(read(ends[0], said, sizeof said - 1) > 0);
    CHECK_TEXT(said, "observable: the root's class has no such observable "
                     "property (class `item`): nobody of cell "
                     "(a\\nb.c:9)\n");
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)close(before);
    item_release(&root->object);
    CHECK_EQ(obv_context_destroy(fixture.context), OBV_OK);
}

static void nothing(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
}

/* An instance is met by a set, whose line is not that of its observation. */
TEST(OS_3_an_instance_has_the_line_of_its_class_level_observation)
{
    static const struct obv_handler_kind kind = {
        .changed = nothing, .file = "class.c", .line = 7};
    begin();
    struct item *item = item_create(&fixture);
    struct obv_observation *handle;
    CHECK_EQ(obv_observe_class(fixture.item_class, "next.large", &kind, NULL,
                               NULL, &handle, NULL),
             OBV_OK);
    OBV_HERE(item_set_next(item, item));
    CHECK_EQ(looked_at(item), 2);
    CHECK_TEXT(entries[0].file, "class.c");
    CHECK_EQ(entries[0].line, 7);
    item_set_next(item, NULL);
    (void)drain(&fixture);
    end(handle);
    item_release(&item->object);
    finish();
}

static char last_label[64];
static const char *last_file;
static uint32_t last_line;

static void keep_label(void *context, const struct obv_diagnostic *diagnostic)
{
    (void)context;
    (void)snprintf(last_label, sizeof last_label, "%s",
                   diagnostic->label ? diagnostic->label : "(none)");
    last_file = diagnostic->file;
    last_line = diagnostic->line;
}

static void set_again(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    struct item *item = (struct item *)root;
    (void)observer;
    (void)call;
    if (item->large < 200) {
        item_set_large(item, item->large + 1);
    }
}

TEST(DB_6_a_loop_that_ends_and_a_depth_that_is_met_name_label_and_line)
{
    static const struct obv_handler_kind kind = {
        .changed = set_again, .label = "again", .file = "again.c", .line = 5};
    struct obv_context_options options = {.size = sizeof options,
                                          .diagnose = keep_label};
    struct obv_class_table table = item_table();
    struct obv_loop *loop;
    memset(&fixture, 0, sizeof fixture);
    CHECK_EQ(obv_context_create(&options, &fixture.context), OBV_OK);
    CHECK_EQ(
        obv_class_create(fixture.context, &table, &fixture.item_class, NULL),
        OBV_OK);
    struct item *root = item_create(&fixture);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &loop), OBV_OK);
    struct obv_observe_options how = {.size = sizeof how, .loop = loop};
    const struct obv_pair pair = {&root->object, "large"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, NULL, &how, NULL, NULL),
             OBV_OK);
    item_set_large(root, 1);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    CHECK_TEXT(last_label, "again");
    CHECK_TEXT(last_file, "again.c");
    CHECK_EQ(last_line, 5);
    last_label[0] = '\0';
    last_file = NULL;
    how = (struct obv_observe_options){.size = sizeof how,
                                       .flags = OBV_IMMEDIATE};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, NULL, &how, NULL, NULL),
             OBV_OK);
    item_set_large(root, 2);
    CHECK_TEXT(last_label, "again");
    CHECK_TEXT(last_file, "again.c");
    CHECK_EQ(last_line, 5);
    item_release(&root->object);
    CHECK_EQ(obv_context_destroy(fixture.context), OBV_OK);
}

/* --- threads ------------------------------------------------------------- */

static int stopping;

static void *observe_in_turns(void *root)
{
    while (!is_raised(&stopping)) {
        struct obv_observation *handle = observe(root, "next.large", &other);
        struct obv_observation *shared = observe(root, "shared", &other);
        item_set_shared(root, item_shared(root) + 1);
        end(handle);
        end(shared);
    }
    return NULL;
}

static void count_entry(void *context, const struct obv_observer_entry *entry)
{
    CHECK(strcmp(entry->label, "probe") == 0);
    ++*(size_t *)context;
}

TEST(TH_1_DB_1_looking_while_other_threads_observe_and_stop)
{
    pthread_t threads[2];
    begin();
    struct item *root = item_create(&fixture), *behind = item_create(&fixture);
    item_set_next(root, behind);
    struct obv_observation *handle = observe(root, "next.large", &probe);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, observe_in_turns, root), 0);
    }
    for (size_t i = 0; i < 2000; i++) {
        size_t seen = 0;
        CHECK_EQ(obv_debug_each_observer(&root->object, count_entry, &seen),
                 OBV_OK);
        CHECK(seen >= 1);
    }
    raise_flag(&stopping);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    (void)drain(&fixture);
    end(handle);
    item_release(&behind->object);
    item_release(&root->object);
    finish();
}
