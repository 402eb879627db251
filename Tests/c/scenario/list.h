/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, dictionaries and sets of Thing and of text, as the scripts see them.
 * There are two implementations: the library's ready-made ones (ready_list.c),
 * and the runner's own, which tells of each edit as any user of
 * <observable/container.h> would (own_list.c; `--own`). Both are read by the
 * same functions, through the kind of their class (list.c).
 */
#ifndef OBV_SCENARIO_LIST_H
#define OBV_SCENARIO_LIST_H

#include "scenario.h"

#include <observable/container.h>

/** The head of a list of either implementation. */
struct list {
    struct obv_container container;
};

/** The classes, by their numbers in `world.list_classes`. */
enum list_class {
    LISTS,
    LISTS_OF_TEXTS,
    DICTIONARIES,
    DICTIONARIES_OF_TEXTS,
    SETS,
    SETS_OF_TEXTS,
    CONSTANTS /* lists of things that are never edited: the runner's own */
};

/** `removed` items from a position on go, others come. */
struct list_edit {
    size_t position, removed, inserted;
    const struct value *values;
};

/** Why items stand in another order. */
enum list_order { LIST_SWAPPED, LIST_SORTED, LIST_REVERSED, LIST_SHUFFLED };

/** How a set is combined with other members. */
enum list_combination {
    LIST_UNION,
    LIST_INTERSECT,
    LIST_SUBTRACT,
    LIST_SYMMETRIC,
    LIST_ASSIGN
};

/** An edit of a key: `value` is put there; NULL: the key is taken away. */
struct list_put {
    const char *key;
    const struct value *value;
};

/** An implementation of lists. Each function makes one change, which its caller
    has checked to be possible. */
struct list_way {
    enum obv_status (*make_class)(struct obv_context *context,
                                  enum list_class number,
                                  struct obv_class **cls);
    /** A list with this content, with one reference. */
    struct list *(*create)(enum list_class number, const struct value *content);
    void (*edit)(struct list *list, const struct list_edit *edit);
    /** An item moves; `to` counts after it has been taken out. */
    void (*move)(struct list *list, size_t from, size_t to);
    /** The item from position i on is to stand at order[i]. */
    void (*reorder)(struct list *list, enum list_order how,
                    const size_t *order);
    void (*put)(struct list *dictionary, const struct list_put *put);
    /** All other keys are taken away. */
    void (*assign)(struct list *dictionary, const struct value *content);
    void (*combine)(struct list *set, enum list_combination how,
                    const struct value *members, size_t count);
};

extern const struct list_way own_lists, ready_lists;

/** The implementation that this run tests. */
const struct list_way *list_way(void);

/** Makes the classes. */
enum obv_status list_make_classes(struct obv_context *context);
/** Whether an object is a list, and of which class. */
bool list_is_one(const struct obv_object *object);
enum list_class list_class_of(const struct list *list);
bool list_is_of_texts(enum list_class number);
bool list_is_dictionary(const struct list *list);
bool list_is_constant(const struct list *list);

/** A list with this content, with one reference. */
struct list *list_create(bool is_of_texts, const struct value *content);
void list_retain(struct list *list);
void list_release(struct list *list);

/** A list with the same content, with one reference. */
struct list *list_copy(struct list *list);

size_t list_count(const struct list *list);
/** The content of a list, as a value that names the list. */
struct value list_value(struct list *list);

/** The hash of a member. */
uint64_t list_hash(const struct value *member);
/** The hash of a text where it lies: those of one letter behind a `~`
    collide. */
uint64_t list_hash_text(const struct obv_container *set, const void *element);

/** The element that a list keeps for a value: a text or a Thing, borrowed. The
    test fails if the class cannot hold it. */
const void *list_element(enum list_class number, const struct value *value);

/** Compares two elements, given by their addresses: things by `i`, or texts. */
int list_compare(const struct list *list, const void *a, const void *b);

#endif
