/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers that the runner keeps itself and tells of, as any user of
 * <observable/container.h> would: arrays, dictionaries and sets of Thing and of
 * text.
 */
#ifndef OBV_SCENARIO_LIST_H
#define OBV_SCENARIO_LIST_H

#include "count.h"
#include "scenario.h"

#include <observable/container.h>

union item {
    struct thing *thing; /* held, or NULL */
    char *text;          /* its own, or NULL */
};

struct list {
    struct obv_container container;
    struct count count;
    bool is_of_texts, is_set;
    size_t used;
    union item *items;
    /** A dictionary's, one for each item; else NULL. */
    char **keys;
};

/** Makes the two classes of containers. */
enum obv_status list_make_classes(struct obv_context *context);
/** Whether an object is a list. */
bool list_is_one(const struct obv_object *object);

/** A list or a dictionary with this content, with one reference. */
struct list *list_create(bool is_of_texts, const struct value *content);
void list_release(struct list *list);

/** Whether it is a constant one, which is replaced as a whole. */
bool list_is_constant(const struct list *list);

/** Where the item of a key stands, or SIZE_MAX. */
size_t list_find(const struct list *list, const char *key);

/** The hash of a member. */
uint64_t list_hash(const struct value *member);

/** Lets members enter or leave a set, and tells of it; of several as one
    change. */
struct list_change {
    const struct value *member;
    bool is_in;
};
void list_change(struct list *list, const struct list_change *changes,
                 size_t count);

/** Puts an item at a key, or takes it away (NULL), and tells of it; of several
    pairs as one change. */
struct list_put {
    const char *key;
    const struct value *value;
};
void list_put(struct list *list, const struct list_put *puts, size_t count);

/** What stands at a position, which exists. */
struct value list_item(const struct list *list, size_t position);
/** The whole, as a value that says which list it is. */
struct value list_value(struct list *list);

/** `removed` items from a position on go, others come. */
struct list_edit {
    size_t position, removed, inserted;
    const struct value *values;
};

/** Makes an edit, and tells of it. */
void list_edit(struct list *list, const struct list_edit *edit);

/** The same of an item that moves: `to` counts after it has been taken out. */
void list_move(struct list *list, size_t from, size_t to);

/** The same where the item from position i on is to stand at order[i]. */
void list_reorder(struct list *list, const size_t *order);

#endif
