/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Setters that know a property by its offset: what they ask the core before
 * they tell it, the filter in the node, and recorded reads.
 */
#include "binding_fixture.h"

static struct binding binding;
static struct probe probe, other;

static void begin(void)
{
    binding_begin(&binding, 0);
    probe_init(&probe, &binding.fixture);
    probe_init(&other, &binding.fixture);
}

static void finish(void)
{
    probe_release(&probe);
    probe_release(&other);
    binding_end(&binding);
}

static ptrdiff_t drained(void)
{
    return drain(&binding.fixture);
}

static uint32_t looked(struct thing *thing, size_t offset)
{
    uint32_t property;
    return obv_detail_look(&thing->object, (uint32_t)offset, &property);
}

/* Looking ------------------------------------------------------------------ */

TEST(look_answers_who_watches)
{
    const size_t value = offsetof(struct thing, value);
    const size_t next = offsetof(struct thing, next);
    begin();
    struct thing *thing = thing_create(0);
    CHECK_EQ(looked(thing, value), 0);
    struct obv_observation *handle = watch(thing, "value", &probe);
    CHECK_EQ(looked(thing, value), OBV_DETAIL_LOOK_WATCHED);
    CHECK_EQ(looked(thing, next), 0);
    struct obv_observation *path = watch(thing, "next.value", &other);
    CHECK_EQ(looked(thing, next),
             OBV_DETAIL_LOOK_WATCHED | OBV_DETAIL_LOOK_SLOW_PATH);
    /* A set that finds everybody pending stamps it, until they are called. */
    thing_set_value(thing, 1);
    CHECK_EQ(looked(thing, value), OBV_DETAIL_LOOK_WATCHED);
    thing_set_value(thing, 2);
    CHECK_EQ(looked(thing, value), OBV_DETAIL_LOOK_ALL_PENDING);
    thing_set_value(thing, 3);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(looked(thing, value), OBV_DETAIL_LOOK_WATCHED);
    /* Somebody who comes is not pending. */
    thing_set_value(thing, 4);
    thing_set_value(thing, 5);
    CHECK_EQ(looked(thing, value), OBV_DETAIL_LOOK_ALL_PENDING);
    struct obv_observation *more = watch(thing, "value", &other);
    CHECK_EQ(looked(thing, value), OBV_DETAIL_LOOK_WATCHED);
    CHECK_EQ(drained(), 1);
    end(more);
    end(handle);
    end(path);
    CHECK_EQ(looked(thing, value), 0);
    CHECK_EQ(looked(thing, next), 0);
    drop(thing);
    finish();
}

TEST(look_at_what_is_no_property)
{
    begin();
    struct thing *thing = thing_create(0);
    struct obv_observation *handle = watch(thing, "*", &probe);
    CHECK_EQ(looked(thing, 0), 0);
    CHECK_EQ(looked(thing, offsetof(struct thing, value) + 1), 0);
    CHECK_EQ(looked(thing, offsetof(struct thing, constant)), 0);
    CHECK_EQ(looked(thing, sizeof(struct thing)), 0);
    CHECK_EQ(looked(thing, UINT32_MAX), 0);
    CHECK_EQ(looked(thing, offsetof(struct thing, link)),
             OBV_DETAIL_LOOK_WATCHED);
    end(handle);
    /* A class without custom properties has no offsets. */
    struct item *item = item_create(&binding.fixture);
    handle = observe(item, "large", &probe);
    uint32_t property;
    CHECK_EQ(
        obv_detail_look(&item->object, offsetof(struct item, large), &property),
        0);
    end(handle);
    item_release(&item->object);
    drop(thing);
    finish();
}

TEST(a_property_is_found_by_its_offset)
{
    uint32_t property = 99;
    begin();
    for (unsigned type = 0; type < 2; type++) {
        for (uint32_t i = 0; i < THING_PROPERTIES; i++) {
            CHECK_EQ(obv_class_property_at(thing_classes[type],
                                           thing_properties[type][i].offset,
                                           &property),
                     OBV_OK);
            CHECK_EQ(property, i);
        }
        CHECK(obv_class_table_of(thing_classes[type]) == &binding.tables[type]);
    }
    const struct obv_class *cls = thing_classes[0];
    CHECK_EQ(obv_class_property_at(cls, 0, &property), OBV_E_UNKNOWN);
    CHECK_EQ(obv_class_property_at(cls, sizeof(struct thing), &property),
             OBV_E_UNKNOWN);
    CHECK_EQ(obv_class_property_at(binding.fixture.item_class,
                                   offsetof(struct item, large), &property),
             OBV_E_UNKNOWN);
    struct obv_class *none = NULL;
    uint32_t *nowhere = NULL;
    CHECK_EQ(obv_class_property_at(none, 8, &property), OBV_E_ARGUMENT);
    CHECK_EQ(obv_class_property_at(cls, 8, nowhere), OBV_E_ARGUMENT);
    finish();
}

TEST(look_at_an_object_that_has_ended)
{
    begin();
    struct thing *thing = thing_create(0);
    end(watch(thing, "value", &probe));
    CHECK_EQ(obv_object_deinit(&thing->object), OBV_OK);
    CHECK_EQ(looked(thing, offsetof(struct thing, value)), 0);
    obv_detail_changed_from(&thing->object, 0, NULL);
    thing->object.word = OBV_DETAIL_NO_NODE;
    drop(thing);
    finish();
}

/* The old value is handed to views, and NULL may stand for it. */
TEST(EQ_1_setters_by_offset_compare_themselves)
{
    begin();
    struct thing *thing = thing_create(1);
    struct obv_observation *handle =
        watch_compiled(thing, PATH(&binding, &c_value), &probe, OBV_IMMEDIATE);
    thing_set_value(thing, 1);
    thing_set_value(thing, 1);
    CHECK_EQ(probe.calls, 1);
    end(handle);
    drop(thing);
    finish();
}

/* The filter --------------------------------------------------------------- */

enum { MANY = 100, FEW = 40 };

struct many {
    struct obv_object object;
    size_t references;
    int64_t fields[MANY];
};

static bool many_retain(struct obv_object *object)
{
    return references_try(&((struct many *)object)->references);
}

static void many_release(struct obv_object *object)
{
    if (references_drop(&((struct many *)object)->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(object);
    }
}

static struct obv_property many_properties[MANY];
static char many_names[MANY][8];
static struct obv_class_table many_table;

static struct many *many_create(size_t count)
{
    struct obv_class *cls;
    for (size_t i = 0; i < count; i++) {
        many_names[i][0] = 'p';
        many_names[i][1] = (char)('a' + i / 26);
        many_names[i][2] = (char)('a' + i % 26);
        many_properties[i] = (struct obv_property){
            .name = many_names[i],
            .kind = OBV_KIND_custom,
            .offset = (uint32_t)(offsetof(struct many, fields) + 8 * i),
            .size = 8,
            .custom = &value_kind};
    }
    many_table = (struct obv_class_table){.size = sizeof many_table,
                                          .name = "many",
                                          .instance_size = sizeof(struct many),
                                          .properties = many_properties,
                                          .property_count = count,
                                          .retain = many_retain,
                                          .release = many_release};
    CHECK_EQ(obv_class_create(binding.fixture.context, &many_table, &cls, NULL),
             OBV_OK);
    struct many *many = calloc(1, sizeof *many);
    CHECK(many);
    many->references = 1;
    obv_object_init(&many->object, cls);
    return many;
}

static const struct obv_detail_node *node_of(const struct many *many)
{
    return (const void *)(many->object.word & ~OBV_DETAIL_HAS_SLOTS);
}

static bool filter_shows(const struct many *many, size_t i)
{
    return (node_of(many)->flags &
            obv_detail_filter_bit(many_properties[i].offset)) != 0;
}

enum { WATCHERS = 60 };

/* A naive model of who watches what: `*` is property MANY, NULL nobody. */
static struct obv_observation *model[WATCHERS];
static size_t model_of[WATCHERS];

static bool is_watched(size_t property, size_t count)
{
    bool watched = false;
    for (size_t i = 0; i < WATCHERS; i++) {
        watched =
            watched ||
            (model[i] && (model_of[i] == property || model_of[i] == count));
    }
    return watched;
}

/* The filter never hides a watched property. */
static void check_filter(struct many *many, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool watched = is_watched(i, count);
        uint32_t property = MANY;
        uint32_t look = obv_detail_look(&many->object,
                                        many_properties[i].offset, &property);
        CHECK_EQ(look != 0, watched);
        CHECK(!watched || property == i);
        CHECK(!watched || filter_shows(many, i));
    }
}

static void random_filter(size_t count)
{
    begin();
    struct many *many = many_create(count);
    for (int step = 0; step < 1500; step++) {
        size_t i = test_random() % WATCHERS;
        /* Mostly empty at times, so that last watchers go. */
        bool removes = model[i] || (step / 100) % 2;
        if (removes) {
            end(model[i]);
            model[i] = NULL;
        } else {
            size_t property =
                test_random() % 20 == 0 ? count : test_random() % count;
            model_of[i] = property;
            const struct obv_pair pair = {
                &many->object, property == count ? "*" : many_names[property]};
            const struct obv_observe_options options = {
                .size = sizeof options,
                .flags = test_random() % 2 ? OBV_EXTENSIBLE : 0};
            CHECK_EQ(obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options,
                                       &model[i], NULL),
                     OBV_OK);
        }
        if (node_of(many)->slot_count) {
            check_filter(many, count);
        }
    }
    for (size_t i = 0; i < WATCHERS; i++) {
        end(model[i]);
        model[i] = NULL;
    }
    check_filter(many, count);
    many_release(&many->object);
    finish();
}

TEST(the_filter_never_hides_a_watched_property)
{
    random_filter(FEW);
}

TEST(the_filter_of_a_class_of_many_properties)
{
    random_filter(MANY);
}

/* A set by offset on another thread meets whoever begins to observe. */
enum { ROUNDS = 3000 };

static struct thing *shared;
static int stopping;

static void *set_on(void *context)
{
    (void)context;
    for (int64_t i = 1; !is_raised(&stopping); i++) {
        thing_set_shared(shared, i);
    }
    return NULL;
}

static int64_t seen;

static void note_seen(struct probe *called)
{
    (void)called;
    seen = __atomic_load_n(&shared->shared, __ATOMIC_SEQ_CST);
}

/* G11, TH-2: the last value that was set is delivered, or was there to be read
   when observing had begun. */
TEST(G11_setters_by_offset_of_any_thread_lose_nothing)
{
    begin();
    shared = thing_create(0);
    (void)met(shared);
    probe.then = note_seen;
    for (int round = 0; round < ROUNDS / 10; round++) {
        pthread_t thread;
        stopping = 0;
        CHECK_EQ(pthread_create(&thread, NULL, set_on, NULL), 0);
        for (int i = 0; i < 10; i++) {
            struct obv_observation *handle = watch(shared, "shared", &probe);
            seen = __atomic_load_n(&shared->shared, __ATOMIC_SEQ_CST);
            (void)drained();
            if (i == 9) {
                raise_flag(&stopping);
                CHECK_EQ(pthread_join(thread, NULL), 0);
                (void)drained();
                CHECK_EQ(seen, shared->shared);
            }
            end(handle);
            (void)drained();
        }
    }
    drop(shared);
    finish();
}

/* Reads -------------------------------------------------------------------- */

struct recorder {
    struct obv_detail_reader reader;
    size_t reads;
    const struct obv_object *object;
    uint32_t offset;
    const void *what;
};

static void record(struct obv_detail_reader *self, struct obv_object *object,
                   uint32_t offset, const void *what)
{
    struct recorder *recorder = (struct recorder *)self;
    recorder->reads++;
    recorder->object = object;
    recorder->offset = offset;
    recorder->what = what;
}

static int64_t read_value(struct thing *thing)
{
    static const char what;
    if (__atomic_load_n(&obv_detail_reading, __ATOMIC_RELAXED) != 0) {
        obv_detail_read(&thing->object, offsetof(struct thing, value), &what);
    }
    return thing->value;
}

static void *read_elsewhere(void *thing)
{
    struct recorder mine = {.reader = {.read = record}};
    (void)read_value(thing);
    obv_detail_reads_begin(&mine.reader);
    (void)read_value(thing);
    obv_detail_reads_end(&mine.reader);
    (void)read_value(thing);
    CHECK_EQ(mine.reads, 1);
    return NULL;
}

TEST(reads_are_recorded_on_their_thread)
{
    struct recorder outer = {.reader = {.read = record}};
    struct recorder inner = {.reader = {.read = record}};
    begin();
    struct thing *thing = thing_create(0); /* without a class */
    CHECK_EQ(obv_detail_reading, 0);
    (void)read_value(thing);
    obv_detail_read(&thing->object, 8, NULL); /* to nobody */
    obv_detail_reads_begin(&outer.reader);
    CHECK_EQ(obv_detail_reading, 1);
    (void)read_value(thing);
    CHECK_EQ(outer.reads, 1);
    CHECK(outer.object == &thing->object && outer.what);
    CHECK_EQ(outer.offset, offsetof(struct thing, value));
    obv_detail_reads_begin(&inner.reader);
    (void)read_value(thing);
    CHECK_EQ(outer.reads, 1);
    CHECK_EQ(inner.reads, 1);
    on_thread(read_elsewhere, thing);
    CHECK_EQ(inner.reads, 1);
    obv_detail_reads_end(&inner.reader);
    (void)read_value(thing);
    CHECK_EQ(outer.reads, 2);
    obv_detail_reads_end(&outer.reader);
    (void)read_value(thing);
    CHECK_EQ(outer.reads, 2);
    CHECK_EQ(obv_detail_reading, 0);
    drop(thing);
    finish();
}

static void record_slot(struct obv_detail_reader *self,
                        struct obv_object *object, uint32_t slot)
{
    struct recorder *recorder = (struct recorder *)self;
    recorder->reads++;
    recorder->object = object;
    recorder->offset = slot;
}

static void *read_unrecorded(void *thing)
{
    (void)read_value(thing);
    return NULL;
}

TEST(reads_that_nobody_records_are_told_to_the_receiver_of_all_threads)
{
    struct recorder all = {
        .reader = {.read = record, .read_slot = record_slot}};
    struct recorder own = {.reader = {.read = record}};
    begin();
    struct thing *thing = thing_create(0);
    obv_detail_reads_of_all(&all.reader);
    obv_detail_reads_of_all(&all.reader);
    CHECK_EQ(obv_detail_reading, 1);
    CHECK(obv_detail_reads_receiver() == &all.reader);
    (void)read_value(thing);
    on_thread(read_unrecorded, thing);
    CHECK_EQ(all.reads, 2);
    CHECK_EQ(all.offset, offsetof(struct thing, value));
    obv_detail_reads_begin(&own.reader);
    (void)read_value(thing);
    obv_detail_read_again(&thing->object, 7); /* it takes none by slot */
    CHECK_EQ(own.reads, 1);
    CHECK_EQ(all.reads, 2);
    obv_detail_reads_end(&own.reader);
    obv_detail_read_again(&thing->object, 7);
    CHECK_EQ(all.reads, 3);
    CHECK_EQ(all.offset, 7);
    obv_detail_reads_of_all(NULL);
    obv_detail_reads_of_all(NULL);
    CHECK_EQ(obv_detail_reading, 0);
    CHECK(!obv_detail_reads_receiver());
    (void)read_value(thing);
    CHECK_EQ(all.reads, 3);
    drop(thing);
    finish();
}
