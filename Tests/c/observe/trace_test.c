/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace: what it tells of each change, in which order, and that it is off
 * again. Each event is a word or two in a text, so that a test reads as what
 * happened.
 */
#include "told_fixture.h"

#include "dispatch/loop.h"
#include "model/node.h"
#include "dispatch/trace.h"

#include <math.h>
#include <stdio.h>

/* Models ------------------------------------------------------------------- */

struct order {
    struct obv_object object;
    int32_t price;
    int64_t shared;
    struct order *next;
    int32_t total;
    int32_t copy;
};

enum { ORDER_PRICE, ORDER_SHARED, ORDER_NEXT, ORDER_TOTAL, ORDER_COPY, ORDERS };

OBV_PROPERTY(order, price, i32, ORDER_PRICE)
OBV_PROPERTY_ANY_THREAD(order, shared, i64, ORDER_SHARED)
OBV_PROPERTY(order, next, object, ORDER_NEXT)
OBV_COMPUTED(order, total, i32, ORDER_TOTAL)
OBV_PROPERTY(order, copy, i32, ORDER_COPY)

static size_t evaluations;

/* The price without its last digit. */
static enum obv_status make_total(struct obv_object *object,
                                  const struct obv_property *property,
                                  void *result)
{
    (void)property;
    evaluations++;
    *(int32_t *)result = order_price((const struct order *)object) / 10;
    return OBV_OK;
}

static const struct obv_computed total = {.size = sizeof total,
                                          .evaluate = make_total};

static const struct obv_property properties[ORDERS] = {
    [ORDER_PRICE] = OBV_FIELD(order, price, i32),
    [ORDER_SHARED] = OBV_FIELD_WITH(order, shared, i64, OBV_ANY_THREAD, NULL),
    [ORDER_NEXT] = OBV_FIELD_OBJECT(order, next, "order"),
    [ORDER_TOTAL] = OBV_FIELD_COMPUTED(order, total, i32, &total),
    [ORDER_COPY] = OBV_FIELD(order, copy, i32)};

static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "order",
                                             .instance_size =
                                                 sizeof(struct order),
                                             .properties = properties,
                                             .property_count = ORDERS};

static struct order order, other;

/* What was told ------------------------------------------------------------ */

static struct {
    char text[2048];
    uint64_t thread;
    struct obv_trace_event last; /* its names are borrowed: not read */
} seen;

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

static void add(const char *text)
{
    CHECK(strlen(seen.text) + strlen(text) < sizeof seen.text);
    strcat(seen.text, text);
}

static void see(const struct obv_trace_event *event)
{
    static const char *const names[] = {
        [OBV_TRACE_CHANGED] = "changed",   [OBV_TRACE_EQUAL] = "equal",
        [OBV_TRACE_DUE] = "due",           [OBV_TRACE_COALESCED] = "coalesced",
        [OBV_TRACE_DROPPED] = "dropped",   [OBV_TRACE_DRAIN] = "drain",
        [OBV_TRACE_CALL] = "call",         [OBV_TRACE_RETURN] = "return",
        [OBV_TRACE_UNCALLED] = "uncalled", [OBV_TRACE_DRAINED] = "drained",
        [OBV_TRACE_EVALUATE] = "evaluate", [OBV_TRACE_EVALUATED] = "evaluated",
        [OBV_TRACE_LET_GO] = "let go of"};
    char text[256] = "";
    bool is_of_change =
        event->kind <= OBV_TRACE_DROPPED || event->kind == OBV_TRACE_EVALUATE;
    if (event->observation != 0) {
        (void)snprintf(text, sizeof text, " %s%s", or_none(event->label),
                       event->is_perhaps ? "?" : "");
    }
    add(names[event->kind]);
    add(text);
    if (is_of_change) {
        (void)snprintf(text, sizeof text, " %s.%s", or_none(event->class_name),
                       or_none(event->property));
        add(text);
    }
    add("; ");
    seen.thread = event->thread;
    seen.last = *event;
}

/* Compares, and begins anew. */
static void expect(const char *text)
{
    CHECK_TEXT(seen.text, text);
    seen.text[0] = '\0';
}

static void begin(void)
{
    struct obv_class *cls;
    told_begin();
    CHECK_EQ(obv_class_create(fixture.context, &table, &cls, NULL), OBV_OK);
    obv_object_init(&order.object, cls);
    obv_object_init(&other.object, cls);
    obv_trace(see);
}

static void finish(void)
{
    obv_trace(NULL);
    CHECK_EQ(obv_object_deinit(&order.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&other.object), OBV_OK);
    (void)drain(&fixture);
    fixture_end(&fixture);
}

static void follow_with(const char *path, uint32_t flags, struct probe *by,
                        const char *label)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    const struct obv_pair pair = {&order.object, path};
    probe_init_plain(by);
    by->kind.label = label;
    by->kind.dispose = NULL;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &by->kind, by, &options, NULL, NULL),
             OBV_OK);
}

static void follow(const char *path)
{
    follow_with(path, 0, &probe, "a");
}

TEST(DB_4_each_call_that_is_due_says_which_change_caused_it)
{
    begin();
    follow("next.price");
    order_set_next(&order, &other);
    expect("changed order.next; due a order.next; ");
    order_set_price(&other, 3);
    expect("changed order.price; coalesced a order.price; ");
    CHECK(seen.last.object == &other.object);
    CHECK_EQ(drain(&fixture), 1);
    expect("drain; call a; return a; drained; ");
    CHECK_EQ(seen.last.count, 1);
    finish();
}

TEST(DB_4_an_immediate_call_is_due_and_made_inside_the_change)
{
    begin();
    follow_with("price", OBV_IMMEDIATE, &probe, "now");
    order_set_price(&order, 3);
    expect("changed order.price; due now order.price; call now; return now; ");
    CHECK(seen.last.is_immediate);
    finish();
}

static struct {
    char path[32], file[64];
    uint32_t line;
    const char *begun_file;
    uint32_t begun_line;
} names;

static void keep_names(const struct obv_trace_event *event)
{
    if (event->kind == OBV_TRACE_DUE) {
        (void)snprintf(names.path, sizeof names.path, "%s",
                       or_none(event->path));
        (void)snprintf(names.file, sizeof names.file, "%s",
                       or_none(event->file));
        names.line = event->line;
        names.begun_file = event->begun_file;
        names.begun_line = event->begun_line;
    }
}

TEST(DB_4_the_path_and_both_lines_are_told)
{
    begin();
    obv_trace(keep_names);
    probe_init_plain(&probe);
    probe.kind.dispose = NULL;
    probe.kind.file = "begun.c";
    probe.kind.line = 7;
    CHECK_EQ(obv_observe(&order.object, "next.price", &probe.kind, &probe, NULL,
                         NULL),
             OBV_OK);
    uint32_t line = __LINE__ + 1;
    OBV_HERE(order_set_next(&order, &other));
    CHECK_TEXT(names.path, "next.price");
    CHECK(strstr(names.file, "trace_test.c"));
    CHECK_EQ(names.line, line);
    CHECK_TEXT(names.begun_file, "begun.c");
    CHECK_EQ(names.begun_line, 7);
    finish();
}

/* The part that makes it the only one stands behind its last space. */
TEST(DB_4_a_class_name_of_several_words_is_told_but_the_last)
{
    static struct obv_class_table named;
    struct obv_class *cls;
    struct order pair = {.price = 0};
    begin();
    named = table;
    named.name = "Pair<Int, String> 4main4PairC";
    CHECK_EQ(obv_class_create(fixture.context, &named, &cls, NULL), OBV_OK);
    obv_object_init(&pair.object, cls);
    order_set_price(&pair, 3);
    expect("changed Pair<Int, String>.price; ");
    CHECK_EQ(obv_object_deinit(&pair.object), OBV_OK);
    finish();
}

TEST(DB_4_a_set_that_calls_nobody_is_told_and_so_is_an_equal_one)
{
    begin();
    order_set_price(&order, 3);
    expect("changed order.price; ");
    order_set_price(&order, 3);
    expect("equal order.price; ");
    order_set_shared(&order, 3);
    expect("changed order.shared; ");
    order_set_shared(&order, 3);
    expect("equal order.shared; ");
    follow("price");
    order_set_price(&order, 3);
    expect("equal order.price; ");
    finish();
}

TEST(DB_4_a_pending_call_does_not_hide_the_sets_after_it)
{
    begin();
    obv_trace(NULL);
    follow("price");
    for (int32_t i = 1; i < 4; i++) {
        order_set_price(&order, i);
    }
    obv_trace(see);
    order_set_price(&order, 4);
    expect("changed order.price; coalesced a order.price; ");
    finish();
}

TEST(DB_4_the_cause_behind_a_computed_property_is_what_was_set)
{
    begin();
    order_set_price(&order, 10);
    CHECK_EQ(order_total(&order), 1);
    follow("total");
    expect("changed order.price; evaluate order.total; evaluated; ");
    order_set_price(&order, 20);
    expect("changed order.price; due a? order.price; ");
    CHECK_EQ(drain(&fixture), 1);
    expect("drain; evaluate order.total; evaluated; call a; return a; "
           "drained; ");
    order_set_price(&order, 21);
    expect("changed order.price; due a? order.price; ");
    CHECK_EQ(drain(&fixture), 0);
    expect("drain; evaluate order.total; evaluated; uncalled a; drained; ");
    finish();
}

TEST(DB_4_an_evaluation_is_told_as_it_begins_and_as_it_ends)
{
    begin();
    order_set_price(&order, 30);
    expect("changed order.price; ");
    CHECK_EQ(order_total(&order), 3);
    expect("evaluate order.total; evaluated; ");
    CHECK_EQ(order_total(&order), 3);
    expect("");
    obv_trace(NULL);
    order_set_price(&order, 40);
    CHECK_EQ(order_total(&order), 4);
    expect("");
    obv_trace(see);
    order_set_price(&order, 50);
    CHECK_EQ(order_total(&order), 5);
    expect("changed order.price; evaluate order.total; evaluated; ");
    finish();
}

/* Not of one that has ended before. */
TEST(DB_4_a_token_that_is_let_go_of_is_told)
{
    struct obv_observation *handles[2];
    begin();
    for (size_t i = 0; i < 2; i++) {
        const struct obv_pair pair = {&order.object, "price"};
        const struct obv_observe_options options = {.size = sizeof options,
                                                    .flags = OBV_TOKEN};
        probe_init_plain(&probe);
        probe.kind.label = "token";
        CHECK_EQ(obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options,
                                   &handles[i], NULL),
                 OBV_OK);
    }
    obv_stop(handles[0]);
    obv_detail_let_go(handles[0]);
    expect("");
    obv_detail_let_go(handles[1]);
    expect("let go of token; ");
    for (size_t i = 0; i < 2; i++) {
        CHECK(obv_has_ended(handles[i]));
        obv_release(handles[i]);
    }
    finish();
}

TEST(DB_4_an_immediate_call_behind_a_computed_property_is_told)
{
    begin();
    order_set_price(&order, 10);
    CHECK_EQ(order_total(&order), 1);
    follow_with("total", OBV_IMMEDIATE, &probe, "now");
    expect("changed order.price; evaluate order.total; evaluated; ");
    order_set_price(&order, 20);
    expect("changed order.price; evaluate order.total; evaluated; "
           "due now order.price; call now; return now; ");
    finish();
}

static void look_at_other(const struct obv_trace_event *event)
{
    (void)event;
    (void)order_price(&other);
}

TEST(DB_4_what_a_receiver_reads_is_no_dependency)
{
    begin();
    obv_trace(look_at_other);
    order_set_price(&order, 10);
    CHECK_EQ(order_total(&order), 1);
    obv_trace(NULL);
    evaluations = 0;
    order_set_price(&other, 20);
    CHECK_EQ(order_total(&order), 1);
    CHECK_EQ(evaluations, 0);
    order_set_price(&order, 20);
    CHECK_EQ(order_total(&order), 2);
    CHECK_EQ(evaluations, 1);
    obv_trace(see);
    finish();
}

TEST(DB_4_an_immediate_call_is_due_once_beside_a_computed_property)
{
    static struct probe second;
    begin();
    order_set_price(&order, 10);
    CHECK_EQ(order_total(&order), 1);
    follow_with("price", OBV_IMMEDIATE, &probe, "price");
    follow_with("total", OBV_IMMEDIATE, &second, "total");
    seen.text[0] = '\0';
    order_set_price(&order, 20);
    const char *due = strstr(seen.text, "due price ");
    CHECK(due && !strstr(due + 1, "due price "));
    const char *other_due = strstr(seen.text, "due total ");
    CHECK(other_due && !strstr(other_due + 1, "due total "));
    finish();
}

TEST(DB_4_a_call_by_hand_is_told)
{
    const struct obv_pair pair = {&order.object, "price"};
    struct obv_observation *handle;
    begin();
    probe_init_plain(&probe);
    probe.kind.dispose = NULL;
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &probe.kind, &probe, NULL, &handle, NULL),
        OBV_OK);
    obv_schedule(handle);
    CHECK_EQ(drain(&fixture), 1);
    expect("drain; call plain; return plain; drained; ");
    obv_stop(handle);
    obv_release(handle);
    finish();
}

TEST(DB_4_a_file_that_is_written_already_is_begun_anew)
{
    char name[64], text[256];
    (void)snprintf(name, sizeof name, "/tmp/trace_test.%ld", (long)getpid());
    begin();
    CHECK_EQ(obv_trace_to(name), OBV_OK);
    order_set_price(&order, 1);
    CHECK_EQ(obv_trace_to(name), OBV_OK);
    CHECK_EQ(obv_trace_to(NULL), OBV_OK);
    FILE *file = fopen(name, "r");
    CHECK(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    const char *end = strchr(text, ']');
    CHECK(end && !strchr(end + 1, ']'));
    CHECK(text[0] == '[' && !strstr(text, "price"));
    CHECK_EQ(fclose(file), 0);
    CHECK_EQ(unlink(name), 0);
    finish();
}

TEST(DB_4_what_a_binder_sets_stands_inside_its_call)
{
    struct obv_binder *binder;
    const struct obv_binder_end source = {.object = &order.object,
                                          .path = "price"};
    const struct obv_binder_end target = {.object = &order.object,
                                          .path = "copy"};
    const struct obv_binder_options options = {.size = sizeof options,
                                               .label = "binder"};
    begin();
    CHECK_EQ(obv_bind(&source, &target, &options, &binder, NULL), OBV_OK);
    follow("copy");
    seen.text[0] = '\0';
    order_set_price(&order, 5);
    expect("changed order.price; due binder order.price; ");
    (void)drain(&fixture);
    CHECK(strstr(seen.text, "call binder; changed order.copy; "));
    CHECK(strstr(seen.text, "due a order.copy; return binder; "
                            "call a; return a; drained; "));
    obv_unbind(binder);
    finish();
}

static void set_again(struct probe *by)
{
    (void)by;
    order_set_price(&order, order.price + 1);
}

TEST(DB_4_a_change_that_is_dropped_is_told)
{
    begin();
    follow("price");
    probe.then = set_again;
    order_set_price(&order, 3);
    seen.text[0] = '\0';
    CHECK_EQ(drain(&fixture), 1);
    expect("drain; call a; changed order.price; dropped a order.price; "
           "return a; drained; ");
    finish();
}

TEST(DB_4_a_change_inside_a_batch_is_told_as_it_is_made)
{
    struct obv_batch batch;
    begin();
    follow("price");
    obv_batch_begin(&batch);
    order_set_price(&order, 3);
    order_set_price(&order, 4);
    expect("changed order.price; due a order.price; "
           "changed order.price; coalesced a order.price; ");
    obv_batch_end(&batch);
    CHECK_EQ(drain(&fixture), 1);
    expect("drain; call a; return a; drained; ");
    finish();
}

TEST(DB_4_all_that_one_change_makes_due_is_told_in_the_order_of_registration)
{
    static struct probe second;
    begin();
    follow("price");
    follow_with("price", 0, &second, "b");
    order_set_price(&order, 3);
    expect("changed order.price; due a order.price; due b order.price; ");
    CHECK_EQ(drain(&fixture), 2);
    expect("drain; call a; return a; call b; return b; drained; ");
    finish();
}

static void *set_shared(void *unused)
{
    order_set_shared(&order, 9);
    return unused;
}

TEST(DB_4_a_set_by_another_thread_names_that_thread)
{
    pthread_t thread;
    begin();
    follow("shared");
    CHECK_EQ(pthread_create(&thread, NULL, set_shared, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    expect("changed order.shared; due a order.shared; ");
    CHECK(seen.thread != 0 && seen.thread != obv_thread_number());
    CHECK_EQ(drain(&fixture), 1);
    expect("drain; call a; return a; drained; ");
    CHECK_EQ(seen.thread, obv_thread_number());
    finish();
}

TEST(DB_4_a_change_of_a_collection_is_told)
{
    static const struct obv_collection_kind kind = {
        .size = sizeof kind, .name = "numbers", .element = OBV_KIND_object};
    struct obv_class *cls;
    struct obv_array *array;
    begin();
    CHECK_EQ(obv_array_class_create(fixture.context, &kind, &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(cls, &array, NULL), OBV_OK);
    probe_init_plain(&probe);
    probe.kind.label = "a";
    probe.kind.dispose = NULL;
    CHECK_EQ(obv_observe(&array->container.object, "count", &probe.kind, &probe,
                         NULL, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_append(array, &order.object), OBV_OK);
    expect("changed numbers.-; due a numbers.-; ");
    CHECK_EQ(drain(&fixture), 1);
    expect("drain; call a; return a; drained; ");
    obv_array_release(array);
    finish();
}

static void set_while_told(const struct obv_trace_event *event)
{
    see(event);
    order_set_copy(&order, order.copy + 1);
}

TEST(DB_4_what_the_receiver_does_is_not_told)
{
    begin();
    obv_trace(set_while_told);
    order_set_price(&order, 3);
    expect("changed order.price; ");
    CHECK_EQ(order.copy, 1);
    finish();
}

/* As an accessor has it that nobody traces. */
TEST(DB_4_an_equal_value_that_can_be_told_apart_is_stored_as_ever)
{
    begin();
    struct item *item = item_create(&fixture);
    item_set_real(item, -0.0);
    expect("equal item.real; ");
    CHECK(signbit(item->real));
    CHECK_EQ(
        obv_observe(&item->object, "real", &probe.kind, &probe, NULL, NULL),
        OBV_OK);
    item_set_real(item, 0.0);
    CHECK(signbit(item->real));
    item_release(&item->object);
    finish();
}

TEST(DB_4_off_again_a_set_takes_the_way_that_it_took_before)
{
    begin();
    CHECK_EQ(obv_detail_plain, 0);
    obv_trace(set_while_told);
    obv_trace(NULL);
    CHECK_EQ(obv_detail_plain, OBV_DETAIL_ALL_PLAIN);
    CHECK(!obv__is_traced());
    follow("price");
    order_set_price(&order, 3);
    CHECK_EQ(drain(&fixture), 1);
    expect("");
    finish();
}

TEST(DB_4_off_again_a_loop_asks_once_and_then_no_more)
{
    struct obv_loop *loop;
    begin();
    loop = obv_context_loop(fixture.context);
    follow("price");
    CHECK(!obv__loop_is_special(loop));
    order_set_price(&order, 3);
    CHECK(obv__loop_is_special(loop));
    CHECK_EQ(drain(&fixture), 1);
    obv_trace(NULL);
    order_set_price(&order, 4);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(!obv__loop_is_special(loop));
    finish();
}

TEST(DB_4_a_file_and_a_receiver_are_independent)
{
    begin();
    CHECK_EQ(obv_trace_to("/dev/null"), OBV_OK);
    obv_trace(NULL);
    CHECK(obv__is_traced());
    obv_trace(see);
    CHECK_EQ(obv_trace_to(NULL), OBV_OK);
    order_set_price(&order, 3);
    expect("changed order.price; ");
    finish();
    CHECK(!obv__is_traced());
}

TEST(DB_4_a_file_that_cannot_be_made_changes_nothing)
{
    begin();
    CHECK_EQ(obv_trace_to("/nowhere/trace.json"), OBV_E_SYSTEM);
    order_set_price(&order, 3);
    expect("changed order.price; ");
    finish();
}

TEST(DB_4_a_line_is_cut_to_its_buffer_and_says_its_length)
{
    static const struct obv_trace_event event = {
        .kind = OBV_TRACE_EQUAL, .thread = 7, .class_name = "a\tb"};
    char line[64], part[10] = "";
    size_t length = obv_trace_line(&event, line, sizeof line);
    CHECK_EQ(length, strlen(line));
    CHECK(strncmp(line, "thread 7: a\\u0009b ", 19) == 0);
    CHECK_EQ(obv_trace_line(&event, part, sizeof part), length);
    CHECK_TEXT(part, "thread 7:");
    CHECK_EQ(obv_trace_line(&event, NULL, 0), length);
}

static int is_over;
static size_t told_of;

static void count_event(const struct obv_trace_event *event)
{
    (void)event;
    __atomic_add_fetch(&told_of, 1, __ATOMIC_RELAXED);
}

static void *set_until_over(void *set)
{
    int32_t price = 0;
    while (!is_raised(&is_over)) {
        order_set_price(set, ++price);
    }
    return set;
}

TEST(DB_4_it_is_switched_while_other_threads_set)
{
    pthread_t threads[2];
    begin();
    obv_trace(NULL); /* the receiver of the other tests is for one thread */
    CHECK_EQ(pthread_create(&threads[0], NULL, set_until_over, &order), 0);
    CHECK_EQ(pthread_create(&threads[1], NULL, set_until_over, &other), 0);
    obv_trace(count_event);
    while (__atomic_load_n(&told_of, __ATOMIC_RELAXED) < 100) {
        obv_trace(NULL);
        obv_trace(count_event);
        sleep_milliseconds(1);
    }
    obv_trace(NULL);
    raise_flag(&is_over);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    CHECK(!obv__is_traced());
    finish();
}

/* Breaking ------------------------------------------------------------------ */

TEST(DB_3_a_break_point_follows_its_path_and_ends_with_its_handle)
{
    struct obv_observation *handle;
    begin();
    order_set_next(&order, &other);
    CHECK_EQ(obv_debug_break_on_change(&order.object, "next.price", "zip",
                                       &handle, NULL),
             OBV_OK);
    seen.text[0] = '\0';
    order_set_price(&other, 4);
    expect("changed order.price; due zip order.price; call zip; return zip; ");
    order_set_next(&order, NULL);
    expect("changed order.next; due zip order.next; call zip; return zip; ");
    order_set_price(&other, 5);
    expect("changed order.price; ");
    obv_stop(handle);
    obv_release(handle);
    finish();
}

TEST(DB_3_a_break_point_that_cannot_be_is_refused)
{
    struct obv_error error;
    begin();
    CHECK_EQ(obv_debug_break_on_change(&order.object, NULL, NULL, NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_debug_break_on_change(NULL, "price", NULL, NULL, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(
        obv_debug_break_on_change(&order.object, "a..b", NULL, NULL, &error),
        OBV_E_SYNTAX);
    finish();
}

TEST(DB_3_a_break_point_needs_memory)
{
    bool failed = true;
    begin();
    for (size_t n = 1; failed; n++) {
        struct obv_observation *handle = NULL;
        test_fail_allocation(n, false);
        enum obv_status status = obv_debug_break_on_change(
            &order.object, "next.price", "zip", &handle, NULL);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(status, failed ? OBV_E_MEMORY : OBV_OK);
        CHECK_EQ(handle != NULL, !failed);
        CHECK_EQ(obv_observer_count(&order.object, "next"), failed ? 0 : 1);
        if (handle) {
            obv_stop(handle);
            obv_release(handle);
        }
    }
    finish();
}

TEST(DB_3_a_label_to_break_before_may_be_too_long)
{
    char label[200];
    memset(label, 'a', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    CHECK_EQ(obv_debug_break_before_call(label), OBV_E_LIMIT);
    CHECK(!obv__is_traced());
    CHECK_EQ(obv_debug_break_before_call("a"), OBV_OK);
    CHECK(obv__is_traced());
    CHECK_EQ(obv_debug_break_before_call(NULL), OBV_OK);
    CHECK(!obv__is_traced());
}
