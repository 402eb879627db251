/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What observes a collection, each kind of it followed by each kind of element:
 * no call that looks waits for a lock that it holds (DB-1).
 */
#include "collections/fixture.h"

#include <inttypes.h>
#include <unistd.h>

static struct obv_array *array;
static struct obv_dictionary *dictionary;
static struct obv_set *set;
static char member[32], member_plays[40];

static const struct obv_collection_kind kinds[] = {
    {.size = sizeof *kinds, .name = "array", .element = OBV_KIND_object},
    {.size = sizeof *kinds, .name = "dictionary", .element = OBV_KIND_object},
    {.size = sizeof *kinds, .name = "set", .element = OBV_KIND_object}};

static void make_collections(void)
{
    struct obv_class *classes[3];
    CHECK_EQ(obv_array_class_create(context, &kinds[0], &classes[0], NULL),
             OBV_OK);
    CHECK_EQ(obv_dictionary_class_create(context, &kinds[1], &classes[1], NULL),
             OBV_OK);
    CHECK_EQ(obv_set_class_create(context, &kinds[2], &classes[2], NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(classes[0], &array, NULL), OBV_OK);
    CHECK_EQ(obv_dictionary_create(classes[1], &dictionary, NULL), OBV_OK);
    CHECK_EQ(obv_set_create(classes[2], &set, NULL), OBV_OK);
    for (int i = 1; i < 4; i++) {
        const char *const keys[] = {"", "a", "b", "c"};
        CHECK_EQ(obv_array_append(array, element(i)), OBV_OK);
        CHECK_EQ(obv_dictionary_put(dictionary, keys[i], element(i)), OBV_OK);
        CHECK_EQ(obv_set_add(set, element(i)), OBV_OK);
    }
    (void)snprintf(member, sizeof member, "&%" PRIu64,
                   obv_set_hash(set, element(1)));
    (void)snprintf(member_plays, sizeof member_plays, "%s.plays", member);
}

/* Whom it was told about. */
struct told {
    const char *path;
    size_t count;
};

static void note_entry(void *noted, const struct obv_observer_entry *entry)
{
    struct told *told = noted;
    told->count += entry->path && strcmp(entry->path, told->path) == 0;
}

static void note_name(void *noted, const char *name)
{
    (void)name;
    ++*(size_t *)noted;
}

static void ignore(void *unused, const char *text, size_t length)
{
    (void)unused;
    (void)text;
    (void)length;
}

/* At the collection, and at the song if the path leads on to that. */
static void look(struct obv_object *root, const char *path, int *calls)
{
    struct told told = {path, 0};
    size_t names = 0;
    struct obv_observation *handle;
    char unresolved[8];
    CHECK_EQ(obv_observe(root, path, &counting, calls, &handle, NULL), OBV_OK);
    CHECK_EQ(obv_debug_each_observer(root, note_entry, &told), OBV_OK);
    CHECK(told.count >= 1);
    CHECK_EQ(obv_debug_each_observer(&songs[1].object, note_entry, &told),
             OBV_OK);
    CHECK_EQ(obv_debug_show_all_observers(root, ignore, NULL), OBV_OK);
    obv_observed_properties(root, note_name, &names);
    CHECK(names >= 1);
    CHECK(obv_observer_count(root, path) != SIZE_MAX);
    (void)obv_unresolved_path(handle, 0, unresolved, sizeof unresolved);
    struct obv_value value;
    if (obv_observed_value(handle, root, path, &value, NULL) == OBV_OK) {
        obv_value_deinit(context, &value);
    }
    obv_stop(handle);
    obv_release(handle);
}

TEST(DB_1_each_kind_of_element_of_each_collection_is_told)
{
    int calls = 0;
    begin();
    make_collections();
    const struct {
        struct obv_object *root;
        const char *path;
    } looked_at[] = {
        {&array->container.object, "0"},
        {&array->container.object, "0.plays"},
        {&array->container.object, "#0"},
        {&array->container.object, "#0.plays"},
        {&array->container.object, "*"},
        {&array->container.object, "*.plays"},
        {&array->container.object, "count"},
        {&dictionary->container.object, "a"},
        {&dictionary->container.object, "a.plays"},
        {&dictionary->container.object, "*"},
        {&dictionary->container.object, "*.plays"},
        {&dictionary->container.object, "count"},
        {&set->container.object, member},
        {&set->container.object, member_plays},
        {&set->container.object, "*"},
        {&set->container.object, "*.plays"},
        {&set->container.object, "count"},
    };
    /* A call that waits for its own lock would never come back. */
    (void)alarm(60);
    for (size_t i = 0; i < sizeof looked_at / sizeof *looked_at; i++) {
        look(looked_at[i].root, looked_at[i].path, &calls);
    }
    obv_array_release(array);
    obv_dictionary_release(dictionary);
    obv_set_release(set);
    finish();
}
