/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements of an entry (DR-13, WC-2): what stands in the place of each `*`
 * on the way to what has changed.
 */
#include "contract_fixture.h"

#include <stdarg.h>
#include <stdio.h>

enum { ITEMS = 4, LISTS = 2, TEXT = 256 };

static struct stage {
    struct fixture fixture;
    struct item *items[ITEMS]; /* NULL: given back */
    uint64_t identities[ITEMS + LISTS];
    struct obv_array *lists[LISTS]; /* of items */
    struct obv_class *list_class;
    struct obv_observation *handle;
    char told[TEXT]; /* by the last call */
    size_t calls;
} stage;

static const struct obv_collection_kind list_kind = {
    .size = sizeof list_kind, .name = "items", .element = OBV_KIND_object};

static struct obv_array *list_create(void)
{
    struct obv_array *made = NULL;
    CHECK_EQ(obv_array_create(stage.list_class, &made, NULL), OBV_OK);
    return made;
}

static void begin(void)
{
    memset(&stage, 0, sizeof stage);
    fixture_begin(&stage.fixture);
    CHECK_EQ(obv_array_class_create(stage.fixture.context, &list_kind,
                                    &stage.list_class, NULL),
             OBV_OK);
    for (size_t i = 0; i < ITEMS; i++) {
        stage.items[i] = item_create(&stage.fixture);
        stage.identities[i] = obv_object_identity(&stage.items[i]->object);
    }
    for (size_t i = 0; i < LISTS; i++) {
        stage.lists[i] = list_create();
        stage.identities[ITEMS + i] =
            obv_object_identity(&stage.lists[i]->container.object);
    }
}

static void give_back(size_t index)
{
    item_release(&stage.items[index]->object);
    stage.items[index] = NULL;
}

static void finish(void)
{
    obv_stop(stage.handle);
    obv_release(stage.handle);
    for (size_t i = 0; i < LISTS; i++) {
        obv_array_release(stage.lists[i]);
    }
    for (size_t i = 0; i < ITEMS; i++) {
        if (stage.items[i]) {
            item_set_next(stage.items[i], NULL);
        }
    }
    (void)drain(&stage.fixture);
    for (size_t i = 0; i < ITEMS; i++) {
        if (stage.items[i]) {
            give_back(i);
        }
    }
    fixture_end(&stage.fixture);
}

/* Telling -------------------------------------------------------------- */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    size_t length = strlen(stage.told);
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(stage.told + length, sizeof stage.told - length,
                         format, arguments);
    va_end(arguments);
    CHECK(more >= 0 && length + (size_t)more < sizeof stage.told);
}

static void say_element(const struct obv_record_element *element)
{
    size_t i = 0;
    if (element->name) {
        CHECK(!element->object && element->identity == 0);
        say("%s%s ", element->key ? "key " : "", element->name);
        return;
    }
    while (i < ITEMS + LISTS && stage.identities[i] != element->identity) {
        i++;
    }
    CHECK(i < ITEMS + LISTS && !element->key);
    if (element->object) {
        CHECK_EQ(obv_object_identity(element->object), element->identity);
    }
    say("%s%s%zu ", element->object ? "" : "gone ", i < ITEMS ? "item" : "list",
        i < ITEMS ? i : i - ITEMS);
}

static void say_value(const struct obv_value *value)
{
    if (value->kind == OBV_KIND_i64) {
        say("%d", (int)value->as.i64);
    } else {
        CHECK(!obv_value_is_reachable(value));
        say("none");
    }
}

/* As `*.large: item0 0 to 1; `. */
static void keep_entries(void *observer, struct obv_object *root,
                         const struct obv_call *call)
{
    (void)observer, (void)root;
    stage.calls++;
    stage.told[0] = '\0';
    CHECK_EQ(call->record->missing, 0);
    for (size_t i = 0; i < call->record->count; i++) {
        const struct obv_record_entry *entry = &call->record->entries[i];
        say("%s: ", entry->way);
        for (size_t e = 0; e < entry->element_count; e++) {
            say_element(&entry->elements[e]);
        }
        say_value(&entry->first);
        say(" to ");
        say_value(&entry->last);
        say("; ");
    }
}

static const struct obv_handler_kind keeping = {.changed = keep_entries};

static void observe_records(struct obv_object *root, const char *path)
{
    const struct obv_pair pair = {root, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_RECORDS};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &keeping, NULL, &options,
                               &stage.handle, NULL),
             OBV_OK);
}

static void expect_told(const char *text)
{
    size_t calls = stage.calls;
    CHECK(drain(&stage.fixture) >= 0);
    CHECK_EQ(stage.calls, calls + 1);
    CHECK_TEXT(stage.told, text);
}

static void append(size_t list, size_t item)
{
    CHECK_EQ(obv_array_append(stage.lists[list], stage.items[item]), OBV_OK);
}

static struct obv_object *list_object(size_t list)
{
    return &stage.lists[list]->container.object;
}

/* Arrays ------------------------------------------------------------------- */

TEST(DR_13_WC_2_an_entry_of_an_array_has_the_object)
{
    begin();
    append(0, 0);
    append(0, 1);
    append(0, 2);
    observe_records(list_object(0), "*.large");
    item_set_large(stage.items[2], 5);
    item_set_large(stage.items[0], 3);
    item_set_large(stage.items[2], 6);
    expect_told("*.large: item2 0 to 6; *.large: item0 0 to 3; ");
    finish();
}

TEST(DR_13_WC_2_an_element_that_is_replaced_and_the_other_are_two_entries)
{
    begin();
    append(0, 0);
    item_set_large(stage.items[0], 3);
    item_set_large(stage.items[1], 4);
    observe_records(list_object(0), "*.large");
    CHECK_EQ(obv_array_replace(stage.lists[0], 0, stage.items[1]), OBV_OK);
    (void)drain(&stage.fixture);
    CHECK(strstr(stage.told, "*.large: item0 3 to none; "));
    CHECK(strstr(stage.told, "*.large: item1 none to 4; "));
    finish();
}

/* It is there in the call, and goes with it. */
TEST(
    DR_13_LT_2_an_element_that_is_removed_before_the_drain_is_kept_for_the_call)
{
    begin();
    append(0, 0);
    observe_records(list_object(0), "*.large");
    item_set_large(stage.items[0], 3);
    CHECK_EQ(obv_array_remove(stage.lists[0], 0), OBV_OK);
    give_back(0);
    expect_told("*.large: item0 0 to none; ");
    finish();
}

/* Its part is wired below it, and is let go of after it. */
TEST(DR_13_WC_2_below_an_element_that_is_removed_the_entry_has_it)
{
    begin();
    item_set_next(stage.items[0], stage.items[1]);
    append(0, 0);
    observe_records(list_object(0), "*.next.large");
    item_set_large(stage.items[1], 3);
    expect_told("*.next.large: item0 0 to 3; ");
    CHECK_EQ(obv_array_remove(stage.lists[0], 0), OBV_OK);
    expect_told("*.next.large: item0 3 to none; ");
    finish();
}

TEST(DR_13_WC_2_where_the_array_is_replaced_the_entries_have_its_elements)
{
    begin();
    item_set_next(stage.items[0], stage.items[1]);
    item_set_large(stage.items[1], 3);
    append(0, 0);
    item_set_next(stage.items[2], (struct item *)stage.lists[0]);
    observe_records(&stage.items[2]->object, "next.*.next.large");
    item_set_next(stage.items[2], (struct item *)stage.lists[1]);
    expect_told("next.*.next.large: item0 3 to none; ");
    finish();
}

TEST(DR_13_WC_3_an_object_that_has_entered_twice_is_one_element)
{
    begin();
    append(0, 0);
    append(0, 0);
    observe_records(list_object(0), "*.large");
    item_set_large(stage.items[0], 3);
    expect_told("*.large: item0 0 to 3; ");
    CHECK_EQ(obv_array_remove(stage.lists[0], 0), OBV_OK);
    CHECK_EQ(drain(&stage.fixture), 0);
    CHECK_EQ(obv_array_remove(stage.lists[0], 0), OBV_OK);
    expect_told("*.large: item0 3 to none; ");
    finish();
}

/* Several `*` -------------------------------------------------------------- */

static struct obv_array *rows_of_lists(void)
{
    struct obv_array *rows = list_create();
    for (size_t i = 0; i < LISTS; i++) {
        CHECK_EQ(obv_array_append(rows, list_object(i)), OBV_OK);
    }
    return rows;
}

TEST(DR_13_WC_2_each_star_has_an_element_in_the_order_of_the_path)
{
    begin();
    append(0, 0);
    append(1, 0);
    append(1, 1);
    struct obv_array *rows = rows_of_lists();
    observe_records(&rows->container.object, "*.*.large");
    item_set_large(stage.items[1], 3);
    expect_told("*.*.large: list1 item1 0 to 3; ");
    item_set_large(stage.items[0], 4);
    (void)drain(&stage.fixture);
    CHECK(strstr(stage.told, "*.*.large: list0 item0 0 to 4; "));
    CHECK(strstr(stage.told, "*.*.large: list1 item0 0 to 4; "));
    CHECK_EQ(obv_array_remove(rows, 0), OBV_OK);
    expect_told("*.*.large: list0 item0 4 to none; ");
    obv_array_release(rows);
    finish();
}

/* A cell of the list stands between the element and the path's end. */
TEST(DR_13_WC_2_an_element_that_is_a_list_is_told_and_not_a_place_in_it)
{
    begin();
    append(0, 0);
    append(1, 1);
    struct obv_array *rows = rows_of_lists();
    observe_records(&rows->container.object, "*.#0.large");
    item_set_large(stage.items[1], 3);
    expect_told("*.#0.large: list1 0 to 3; ");
    CHECK_EQ(obv_array_remove(rows, 1), OBV_OK);
    expect_told("*.#0.large: list1 3 to none; ");
    obv_array_release(rows);
    finish();
}

TEST(DR_13_WC_2_of_a_model_the_element_is_the_property)
{
    begin();
    item_set_next(stage.items[0], stage.items[1]);
    observe_records(&stage.items[0]->object, "*.*");
    item_set_large(stage.items[1], 3);
    expect_told("next.large: next large 0 to 3; ");
    finish();
}

/* Dictionaries ------------------------------------------------------------- */

static uint64_t hash_number(const struct obv_key_kind *kind, const void *key)
{
    (void)kind;
    return *(const uint64_t *)key;
}

static bool are_numbers_equal(const struct obv_key_kind *kind, const void *a,
                              const void *b)
{
    (void)kind;
    return *(const uint64_t *)a == *(const uint64_t *)b;
}

static void *copy_number(const struct obv_key_kind *kind, const void *key)
{
    (void)kind;
    uint64_t *copy = test_allocator()->allocate(NULL, sizeof *copy);
    CHECK(copy);
    *copy = *(const uint64_t *)key;
    return copy;
}

static void free_number(const struct obv_key_kind *kind, void *copy)
{
    (void)kind;
    test_allocator()->free(NULL, copy, sizeof(uint64_t));
}

static const char *print_number(const struct obv_key_kind *kind,
                                const void *copy)
{
    (void)kind;
    return *(const uint64_t *)copy == 7 ? "seven" : "another";
}

static const struct obv_key_kind number_keys = {.size = sizeof number_keys,
                                                .hash = hash_number,
                                                .equal = are_numbers_equal,
                                                .copy = copy_number,
                                                .free = free_number,
                                                .text = print_number};

static struct obv_dictionary *dictionary_create(const struct obv_key_kind *key)
{
    static const struct obv_collection_kind by_text = {
        .size = sizeof by_text, .name = "by text", .element = OBV_KIND_object};
    static struct obv_collection_kind by_number;
    struct obv_class *made_class = NULL;
    struct obv_dictionary *made = NULL;
    by_number = by_text;
    by_number.key = key;
    CHECK_EQ(obv_dictionary_class_create(stage.fixture.context,
                                         key ? &by_number : &by_text,
                                         &made_class, NULL),
             OBV_OK);
    CHECK_EQ(obv_dictionary_create(made_class, &made, NULL), OBV_OK);
    return made;
}

TEST(DR_13_WC_2_an_entry_of_a_dictionary_has_the_key_and_its_way)
{
    begin();
    struct obv_dictionary *by_text = dictionary_create(NULL);
    CHECK_EQ(obv_dictionary_put(by_text, "a", stage.items[0]), OBV_OK);
    CHECK_EQ(obv_dictionary_put(by_text, "x.y", stage.items[1]), OBV_OK);
    observe_records(&by_text->container.object, "*.large");
    item_set_large(stage.items[0], 3);
    item_set_large(stage.items[1], 4);
    expect_told("a.large: key a 0 to 3; x\\.y.large: key x.y 0 to 4; ");
    CHECK_EQ(obv_dictionary_put(by_text, "a", stage.items[2]), OBV_OK);
    CHECK_EQ(obv_dictionary_delete(by_text, "x.y"), OBV_OK);
    expect_told("a.large: key a 3 to 0; x\\.y.large: key x.y 4 to none; ");
    obv_dictionary_release(by_text);
    finish();
}

static uint64_t number_told;

static void keep_number(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    const struct obv_key_kind *kind = NULL;
    (void)observer, (void)root;
    CHECK_EQ(call->record->count, 1);
    CHECK_EQ(call->record->entries->element_count, 1);
    number_told = *(const uint64_t *)obv_key_value(
        call->record->entries->elements->key, &kind);
    CHECK(kind == &number_keys);
    CHECK_TEXT(call->record->entries->way, "seven.large");
}

/* Also of a key that nothing else has any more. */
TEST(DR_13_WC_2_a_key_of_the_programs_is_told_by_its_value)
{
    static const struct obv_handler_kind numbers = {.changed = keep_number};
    const uint64_t seven = 7;
    begin();
    struct obv_dictionary *by_number = dictionary_create(&number_keys);
    CHECK_EQ(obv_dictionary_put(by_number, &seven, stage.items[0]), OBV_OK);
    const struct obv_pair pair = {&by_number->container.object, "*.large"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_RECORDS};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &numbers, NULL, &options,
                               &stage.handle, NULL),
             OBV_OK);
    CHECK_EQ(obv_dictionary_delete(by_number, &seven), OBV_OK);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(number_told, 7);
    obv_dictionary_release(by_number);
    finish();
}

/* Ends -------------------------------------------------------------------- */

/* An object of a class without `retain` is nobody's to keep: it is told by its
   identity, and not by an address. */
TEST(DR_13_an_element_that_nobody_can_keep_is_told_as_gone)
{
    static struct obv_class_table table;
    struct obv_class *unkept = NULL;
    begin();
    table = item_table();
    table.name = "unkept";
    table.retain = NULL;
    table.release = NULL;
    CHECK_EQ(obv_class_create(stage.fixture.context, &table, &unkept, NULL),
             OBV_OK);
    struct item *item = calloc(1, sizeof *item);
    CHECK(item);
    obv_object_init(&item->object, unkept);
    give_back(3);
    stage.identities[3] = obv_object_identity(&item->object);
    CHECK_EQ(obv_array_append(stage.lists[0], item), OBV_OK);
    observe_records(list_object(0), "*.large");
    item_set_large(item, 3);
    CHECK_EQ(obv_array_remove(stage.lists[0], 0), OBV_OK);
    CHECK_EQ(obv_object_deinit(&item->object), OBV_OK);
    free(item);
    expect_told("*.large: gone item3 0 to none; ");
    finish();
}
