/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading by path: obv_value_at(). What a script can say of it stands in the
 * scenarios (`leads`).
 */
#include "base/names.h"
#include "binding_fixture.h"

#include <observable/foreign.h>

static struct fixture fixture;
static struct item *root, *middle;

static void begin(void)
{
    fixture_begin(&fixture);
    root = item_create(&fixture);
    middle = item_create(&fixture);
    item_set_next(root, middle);
}

static void finish(void)
{
    item_release(&middle->object);
    item_release(&root->object);
    fixture_end(&fixture);
}

static struct obv_value read_at(struct item *item, const char *path)
{
    struct obv_value value;
    memset(&value, 0xA5, sizeof value);
    CHECK_EQ(obv_value_at(&item->object, path, &value, NULL), OBV_OK);
    return value;
}

static void give_back(struct obv_value *value)
{
    obv_value_deinit(fixture.context, value);
    CHECK(!obv_value_is_reachable(value));
}

/* What is read ------------------------------------------------------------ */

TEST(KP_2_each_kind_of_value_is_read_by_path)
{
    static int pointee;
    static const uint8_t bytes[6] = {1, 2, 3, 4, 5, 6};
    begin();
    item_set_flag(middle, true);
    item_set_small(middle, -3);
    item_set_large(middle, INT64_MIN);
    item_set_real(middle, 1.5);
    item_set_pointer(middle, &pointee);
    item_set_bytes(middle, bytes);
    item_set_shared(middle, 77);
    CHECK_EQ(item_set_text(middle, "text"), OBV_OK);
    struct obv_value value = read_at(root, "next.flag");
    CHECK_EQ(value.kind, OBV_KIND_bool);
    CHECK(value.as.boolean);
    CHECK(value.property == &item_properties[ITEM_FLAG]);
    CHECK_EQ(read_at(root, "next.small").as.i32, -3);
    CHECK_EQ(read_at(root, "next.large").as.i64, INT64_MIN);
    CHECK(read_at(root, "next.real").as.f64 == 1.5);
    CHECK(read_at(root, "next.pointer").as.pointer == &pointee);
    CHECK_EQ(read_at(root, "next.shared").as.i64, 77);
    value = read_at(root, "next.bytes");
    CHECK(memcmp(value.as.bytes, bytes, sizeof bytes) == 0);
    give_back(&value);
    give_back(&value); /* may be repeated */
    value = read_at(root, "next.text");
    CHECK_TEXT(value.as.string, "text");
    give_back(&value);
    CHECK_EQ(item_set_text(middle, NULL), OBV_OK);
    value = read_at(root, "next.text");
    CHECK_EQ(value.kind, OBV_KIND_string); /* NULL is a value */
    CHECK(!value.as.string);
    give_back(&value);
    finish();
}

/* The copy is the caller's: what it was read of may change and end. */
TEST(LT_2_what_was_read_outlives_what_it_was_read_of)
{
    begin();
    CHECK_EQ(item_set_text(middle, "before"), OBV_OK);
    struct obv_value text = read_at(root, "next.text");
    struct obv_value object = read_at(root, "next");
    CHECK(object.is_held && object.as.object == &middle->object);
    CHECK_EQ(middle->references, 3);
    CHECK_EQ(item_set_text(middle, "after"), OBV_OK);
    item_set_next(root, NULL);
    item_release(&middle->object);
    CHECK_EQ(middle->references, 1);
    CHECK_TEXT(text.as.string, "before");
    give_back(&text);
    middle = (struct item *)object.as.object;
    CHECK(item_retain(&middle->object));
    give_back(&object);
    finish();
}

TEST(KP_11_what_is_not_there_is_unreachable)
{
    static const char *const nowhere[] = {
        "next.next.large",   "next.next.next",   "next.nobody",
        "next.nobody.large", "next.large.small", "text.large"};
    begin();
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        struct obv_value value = read_at(root, nowhere[i]);
        CHECK_EQ(value.kind, OBV_KIND_unreachable);
        CHECK(!value.property);
        give_back(&value);
    }
    struct obv_value value = read_at(root, "next.next");
    CHECK_EQ(value.kind, OBV_KIND_object);
    CHECK(!value.as.object);
    give_back(&value);
    finish();
}

/* Of another context, and at its end. */
TEST(KP_11_objects_that_no_path_leads_through_are_unreachable)
{
    struct fixture elsewhere;
    begin();
    fixture_begin_with(&elsewhere, NULL, 0);
    struct item *foreign = item_create(&elsewhere);
    item_set_next(middle, foreign);
    CHECK_EQ(read_at(root, "next.next.large").kind, OBV_KIND_unreachable);
    item_set_next(middle, NULL);
    item_release(&foreign->object);
    CHECK_EQ(obv_context_destroy(elsewhere.context), OBV_OK);
    /* Nobody holds it any more, and its end has not begun. */
    middle->references = 0;
    CHECK_EQ(read_at(root, "next.large").kind, OBV_KIND_unreachable);
    CHECK_EQ(read_at(root, "next").kind, OBV_KIND_unreachable);
    middle->references = 2;
    finish();
}

/* What is refused --------------------------------------------------------- */

static void check_refused(struct obv_object *from, const char *path,
                          enum obv_status status, size_t position)
{
    struct obv_error error = {.status = OBV_OK, .position = 99};
    struct obv_value value, before;
    memset(&value, 0xA5, sizeof value);
    memcpy(&before, &value, sizeof value);
    CHECK_EQ(obv_value_at(from, path, &value, &error), status);
    CHECK_EQ(error.status, status);
    CHECK_EQ(error.position, position);
    CHECK(error.message);
    CHECK(memcmp(&before, &value, sizeof value) == 0);
    CHECK_EQ(obv_value_at(from, path, &value, NULL), status);
}

TEST(KP_1_a_read_by_path_is_refused_with_its_reason)
{
    struct obv_value value;
    begin();
    check_refused(&root->object, "next..large", OBV_E_SYNTAX, 5);
    check_refused(&root->object, "", OBV_E_SYNTAX, 0);
    check_refused(&root->object, "nobody", OBV_E_UNKNOWN, 0);
    check_refused(&root->object, "nobody.large", OBV_E_UNKNOWN, 0);
    check_refused(&root->object, "*", OBV_E_KIND, 0);
    check_refused(&root->object, "next.*.large", OBV_E_KIND, 0);
    /* KP-20: of what is there. */
    check_refused(&root->object, "#0", OBV_E_KIND, 0);
    check_refused(&root->object, "next.3", OBV_E_KIND, 0);
    check_refused(&root->object, "next.&3.large", OBV_E_KIND, 0);
    CHECK_EQ(read_at(root, "next.next.#0").kind, OBV_KIND_unreachable);
    check_refused(NULL, "large", OBV_E_ARGUMENT, 0);
    check_refused(&root->object, NULL, OBV_E_ARGUMENT, 0);
    CHECK_EQ(obv_value_at(&root->object, "large", NULL, NULL), OBV_E_ARGUMENT);
    struct obv_object none = {.word = OBV_DETAIL_NO_NODE};
    check_refused(&none, "large", OBV_E_ARGUMENT, 0);
    struct item ended;
    memset(&ended, 0, sizeof ended);
    obv_object_init(&ended.object, fixture.item_class);
    CHECK_EQ(obv_object_deinit(&ended.object), OBV_OK);
    check_refused(&ended.object, "large", OBV_E_ENDED, 0);
    obv_value_deinit(NULL, NULL);
    value.kind = OBV_KIND_unreachable;
    obv_value_deinit(NULL, &value);
    CHECK_EQ(fixture.diagnostics, 0);
    finish();
}

TEST(FA_2_a_read_without_memory_leaves_nothing)
{
    begin();
    CHECK_EQ(item_set_text(middle, "text"), OBV_OK);
    size_t references = middle->references;
    enum obv_status status = OBV_E_MEMORY;
    for (size_t n = 1; status == OBV_E_MEMORY; n++) {
        struct obv_value value = {.kind = OBV_KIND_pointer};
        size_t blocks = test_live_blocks();
        test_fail_allocation(n, false);
        status = obv_value_at(&root->object, "next.text", &value, NULL);
        test_fail_allocation(0, false);
        CHECK_EQ(middle->references, references);
        if (status == OBV_E_MEMORY) {
            CHECK_EQ(value.kind, OBV_KIND_pointer);
            CHECK_EQ(test_live_blocks(), blocks);
        } else {
            CHECK(n > 2); /* the path's and the text's */
            give_back(&value);
        }
    }
    CHECK_EQ(status, OBV_OK);
    finish();
}

/* Nothing is left --------------------------------------------------------- */

static size_t states;

static void count_state(struct obv_object *object, uint32_t property, bool is)
{
    (void)object;
    (void)property;
    (void)is;
    states++;
}

TEST(OS_1_a_read_observes_nothing)
{
    fixture_begin(&fixture);
    struct obv_class *heard;
    struct obv_class_table table = item_table();
    table.name = "heard";
    table.observed_changed = count_state;
    CHECK_EQ(obv_class_create(fixture.context, &table, &heard, NULL), OBV_OK);
    fixture.item_class = heard;
    root = item_create(&fixture);
    middle = item_create(&fixture);
    item_set_next(root, middle);
    size_t blocks = test_live_blocks();
    struct obv_counters before = counters_of(&fixture);
    uintptr_t word = root->object.word;
    struct obv_value value = read_at(root, "next.next.large");
    give_back(&value);
    value = read_at(root, "next.large");
    give_back(&value);
    CHECK_EQ(obv_value_at(&root->object, "next.never_heard_of", &value, NULL),
             OBV_OK);
    CHECK_EQ(test_live_blocks(), blocks);
    CHECK_EQ(states, 0);
    CHECK_EQ(root->object.word, word); /* no node */
    CHECK_EQ(obv_observer_count(&middle->object, "large"), 0);
    CHECK_EQ(obv__names_find(obv_context_names(fixture.context),
                             "never_heard_of", 14),
             OBV_NAME_NONE);
    struct obv_counters after = counters_of(&fixture);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    finish();
}

/* Foreign objects --------------------------------------------------------- */

struct window {
    const char *title;
};
static const struct obv_property window_properties[] = {
    OBV_FIELD(window, title, string)};
static const struct obv_foreign_table window_table = {
    .size = sizeof window_table,
    .name = "window",
    .properties = window_properties,
    .property_count = 1};

struct desk {
    struct obv_object object;
    struct window *window;
};
static const struct obv_property desk_properties[] = {
    OBV_FIELD_WITH(desk, window, pointer, OBV_FOREIGN, "window")};
static const struct obv_class_table desk_table = {.size = sizeof desk_table,
                                                  .name = "desk",
                                                  .instance_size =
                                                      sizeof(struct desk),
                                                  .properties = desk_properties,
                                                  .property_count = 1};

static struct obv_value read_title(struct obv_object *from, const char *path)
{
    struct obv_value value;
    CHECK_EQ(obv_value_at(from, path, &value, NULL), OBV_OK);
    return value;
}

TEST(KP_17_a_path_is_read_through_a_foreign_object)
{
    struct window window = {"title"};
    struct desk desk = {.window = &window};
    struct obv_class *windows, *desks;
    struct obv_object *proxy;
    fixture_begin(&fixture);
    CHECK_EQ(obv_foreign_class_create(fixture.context, &window_table, &windows,
                                      NULL),
             OBV_OK);
    CHECK_EQ(obv_class_create(fixture.context, &desk_table, &desks, NULL),
             OBV_OK);
    obv_object_init(&desk.object, desks);
    /* Nobody is registered there. */
    size_t blocks = test_live_blocks();
    struct obv_value value = read_title(&desk.object, "window.title");
    CHECK_EQ(value.kind, OBV_KIND_unreachable);
    CHECK_EQ(test_live_blocks(), blocks);
    CHECK_EQ(obv_foreign_register(windows, &window, &proxy, NULL), OBV_OK);
    value = read_title(&desk.object, "window.title");
    CHECK_TEXT(value.as.string, "title");
    window.title = "another";
    CHECK_TEXT(value.as.string, "title");
    give_back(&value);
    value = read_title(proxy, "title");
    CHECK_TEXT(value.as.string, "another");
    give_back(&value);
    CHECK_EQ(obv_foreign_unregister(proxy), OBV_OK);
    CHECK_EQ(obv_object_deinit(&desk.object), OBV_OK);
    fixture_end(&fixture);
}

/* Bindings ---------------------------------------------------------------- */

static struct binding binding;

struct boxed_integer {
    struct obv_boxed boxed;
    int64_t integer;
};

static void release_box(struct obv_boxed *box)
{
    free(box);
}

static bool boxes_equal(const struct obv_boxed *a, const struct obv_boxed *b,
                        enum obv_compare how)
{
    (void)how;
    return ((const struct boxed_integer *)a)->integer ==
           ((const struct boxed_integer *)b)->integer;
}

static bool copy_component(const struct obv_component *component,
                           struct obv_object *object, const void *value,
                           struct obv_boxed **box)
{
    const struct reading *reading = component->context;
    CHECK(!value);
    struct boxed_integer *made = malloc(sizeof *made);
    CHECK(made);
    made->boxed = (struct obv_boxed){release_box, boxes_equal};
    made->integer = reading->reads == READS_X ? thing_of(object)->spot.x
                                              : thing_of(object)->constant;
    *box = &made->boxed;
    return true;
}

static int64_t read_compiled(struct thing *from, struct obv_path *path)
{
    struct obv_value value;
    CHECK_EQ(obv_value_at_compiled(met(from), path, &value, NULL), OBV_OK);
    obv_path_destroy(path);
    CHECK_EQ(value.kind, OBV_KIND_custom);
    CHECK(!value.property); /* a part of a property's value, or none */
    int64_t integer = ((struct boxed_integer *)value.as.custom)->integer;
    obv_value_deinit(binding.fixture.context, &value);
    return integer;
}

/* In the middle a component leads on by its `child`, whose reference may be the
   only one; at the end its `copy` is asked, also where nobody could observe. */
TEST(KP_7_a_component_is_read_by_its_binding)
{
    binding_begin(&binding, 1);
    struct obv_component_kind kind = thing_component;
    kind.copy = copy_component;
    c_x.kind = c_constant.kind = c_unknown.kind = &kind;
    struct thing *from = thing_create(0), *next = thing_create(1);
    thing_set_next(from, next);
    thing_set_held(from, next);
    next->spot.x = 12;
    next->constant = 13;
    CHECK_EQ(read_compiled(from, PATH(&binding, &c_next, &c_x)), 12);
    CHECK_EQ(read_compiled(from, PATH(&binding, &c_held, &c_x)), 12);
    CHECK_EQ(read_compiled(from, PATH(&binding, &c_next, &c_constant)), 13);
    CHECK_EQ(read_compiled(from, PATH(&binding, &c_next, &c_unknown)), 13);
    CHECK_EQ(next->references, 3);
    CHECK_EQ(binding.fixture.diagnostics, 0);
    /* A kind without `copy` cannot be handed over. */
    struct obv_value value;
    CHECK_EQ(obv_value_at(met(from), "next.value", &value, NULL), OBV_OK);
    CHECK_EQ(value.kind, OBV_KIND_unreachable);
    struct obv_path *any = PATH(&binding, &c_next, NULL);
    CHECK_EQ(obv_value_at_compiled(met(from), any, &value, NULL), OBV_E_KIND);
    obv_path_destroy(any);
    asked.child_is_short = true;
    CHECK_EQ(obv_value_at(met(from), "next.value", &value, NULL), OBV_E_MEMORY);
    asked.child_is_short = false;
    drop(next);
    drop(from);
    c_x.kind = c_constant.kind = c_unknown.kind = &thing_component;
    binding_end(&binding);
}

/* An object that is made to be read: the walk alone keeps it. */
static struct obv_object *make_child(const struct obv_component *component,
                                     struct obv_object *object)
{
    (void)component;
    (void)object;
    struct thing *made = thing_create(0);
    made->spot.x = 21;
    return met(made);
}

static bool copy_living(const struct obv_component *component,
                        struct obv_object *object, const void *value,
                        struct obv_boxed **box)
{
    CHECK_EQ(things, 2);
    return copy_component(component, object, value, box);
}

TEST(LT_8_what_is_read_lives_while_it_is_copied)
{
    binding_begin(&binding, 1);
    struct obv_component_kind kind = thing_component;
    kind.child = make_child;
    kind.copy = copy_living;
    c_held.kind = c_x.kind = &kind;
    struct thing *from = thing_create(0);
    CHECK_EQ(read_compiled(from, PATH(&binding, &c_held, &c_x)), 21);
    CHECK_EQ(things, 1);
    drop(from);
    c_held.kind = c_x.kind = &thing_component;
    binding_end(&binding);
}

/* Recorded reads. */
static struct {
    struct obv_detail_reader reader;
    size_t count;
    struct obv_object *object;
    uint32_t offset;
} recorded;

static void record(struct obv_detail_reader *reader, struct obv_object *object,
                   uint32_t offset, const void *what)
{
    CHECK(reader == &recorded.reader);
    CHECK(!what);
    recorded.count++;
    recorded.object = object;
    recorded.offset = offset;
}

TEST(KP_7_a_read_by_path_is_recorded_as_reads_of_its_properties)
{
    begin();
    recorded.reader = (struct obv_detail_reader){.read = record};
    obv_detail_reads_begin(&recorded.reader);
    (void)read_at(root, "large");
    CHECK_EQ(recorded.count, 1);
    CHECK(recorded.object == &root->object);
    CHECK_EQ(recorded.offset, offsetof(struct item, large));
    (void)read_at(root, "next.small");
    CHECK_EQ(recorded.count, 3);
    CHECK(recorded.object == &middle->object);
    CHECK_EQ(recorded.offset, offsetof(struct item, small));
    obv_detail_reads_end(&recorded.reader);
    (void)read_at(root, "large");
    CHECK_EQ(recorded.count, 3);
    finish();
}

/* Threads ----------------------------------------------------------------- */

static int is_over;

static void *set_halves(void *item)
{
    for (int64_t i = 0; i < 20000; i++) {
        item_set_shared(item, i | i << 32);
    }
    raise_flag(&is_over);
    return NULL;
}

TEST(TH_1_what_any_thread_sets_is_read_at_once)
{
    pthread_t thread;
    begin();
    is_over = 0;
    CHECK_EQ(pthread_create(&thread, NULL, set_halves, middle), 0);
    do {
        int64_t seen = read_at(root, "next.shared").as.i64;
        CHECK_EQ(seen >> 32, seen & UINT32_MAX);
    } while (!is_raised(&is_over));
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(read_at(root, "next.shared").as.i64, 19999 | (int64_t)19999 << 32);
    finish();
}
