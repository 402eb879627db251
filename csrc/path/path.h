/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled paths inside the core, with reference counts: all users of a path
 * share the one that was made. It never changes; its elements and its text are
 * one block.
 *
 * Owed: each reference is given back with obv_path_destroy(), before its table
 * of names is freed.
 */
#ifndef OBV_PATH_H
#define OBV_PATH_H

#include "base/hash_table.h"
#include "base/memory.h"
#include "platform/atomic.h"

#include <observable/container.h>
#include <observable/path.h>

struct obv__key_calls;

struct obv_path {
    const struct obv_names *names;
    uint32_t references; /* any thread; the rest is constant */
    uint32_t length;     /* of the text */
    uint16_t count;
    uint8_t kinds; /* of its elements: 1 << enum obv_element_kind of each */
    bool is_open;  /* it has no text: its components may still get names */
    struct obv_element elements[];
};

/** A key of the program's in a path. This room only counts references to it and
    prints it; model/key.h does all else. */
struct obv_key {
    struct obv_hash_entry entry;     /* must stand first */
    struct obv_hash_entry by_number; /* in the table of keys by number */
    const struct obv_key_kind *kind;
    void *value;       /* a copy */
    uint64_t number;   /* above OBV__KEY_NUMBERS */
    size_t references; /* under the lock of all keys */
    const struct obv__key_calls *calls;
    struct obv_context *context;
};

struct obv__key_calls {
    /* Both may be called with any lock held. */
    void (*retain)(struct obv_key *key);
    void (*release)(struct obv_key *key);
};

/** The text of a key, for people. */
static inline const char *obv__key_text(const struct obv_key *key)
{
    return key->kind->text ? key->kind->text(key->kind, key->value) : "a key";
}

/** The key that an element of the kind KEY stands for. */
static inline struct obv_key *obv__key_in(const struct obv_element *element)
{
    return (struct obv_key *)(uintptr_t)element->number;
}

/** Takes a reference of an element's key, if it has one; _release() drops
    one. */
static inline void obv__element_retain(const struct obv_element *element)
{
    if (element->kind == OBV_ELEMENT_KEY) {
        obv__key_in(element)->calls->retain(obv__key_in(element));
    }
}

static inline void obv__element_release(const struct obv_element *element)
{
    if (element->kind == OBV_ELEMENT_KEY) {
        obv__key_in(element)->calls->release(obv__key_in(element));
    }
}

/** The kinds of elements that containers alone can have, as in `kinds`. */
enum {
    OBV__KINDS_OF_CONTAINER = 1 << OBV_ELEMENT_POSITION |
                              1 << OBV_ELEMENT_OCCURRENCE |
                              1 << OBV_ELEMENT_MEMBER | 1 << OBV_ELEMENT_KEY
};

/** Whether containers alone can have an element of this kind. */
static inline bool obv__element_is_of_container(uint32_t kind)
{
    return (OBV__KINDS_OF_CONTAINER >> kind) & 1;
}

/** The name of the property that an element stands for, or OBV_NAME_NONE while
    it is not known. */
uint32_t obv__element_name(const struct obv_element *element);

/** Makes an element stand for a property's name; OBV_NAME_NONE changes
    nothing. */
void obv__element_by_name(const struct obv_names *names,
                          struct obv_element *element, uint32_t name);

/** Takes another reference of a path; the caller has one. */
static inline struct obv_path *obv__path_retain(const struct obv_path *path)
{
    struct obv_path *shared = (struct obv_path *)(uintptr_t)path;
    /* Relaxed: the caller has a reference, which keeps it as it is. */
    obv__fetch_add_relaxed(&shared->references, 1);
    return shared;
}

/* Called with the last reference. */
void obv__path_free(struct obv_path *path);

/** Gives a reference back; NULL is ignored. */
static inline void obv__path_release(struct obv_path *path)
{
    /* Acquire and release: the last has everybody's reads behind it. */
    if (path && obv__fetch_add_acq_rel(&path->references, (uint32_t)-1) == 1) {
        obv__path_free(path);
    }
}

/** Makes a reference of a path for use with a table of names: of the path
    itself if it was made with that table, else of a copy. OBV_E_ARGUMENT: the
    table lacks one of its names. */
enum obv_status obv__path_share(struct obv_names *names,
                                const struct obv_path *path,
                                struct obv_path **shared,
                                struct obv_error *error);

/** The room of the text, behind the elements. */
static inline char *obv__path_chars(const struct obv_path *path)
{
    return (char *)(uintptr_t)&path->elements[path->count];
}

/** The text, with a NUL behind it: as the program wrote it, or printed from the
    elements. NULL: the path is open, and has no text. */
static inline const char *obv__path_text(const struct obv_path *path,
                                         size_t *length)
{
    *length = path->length;
    return path->is_open ? NULL : obv__path_chars(path);
}

/** Writes a key or the name of a property as a path has it, with the escapes that
    it needs; as obv_path_print(). */
size_t obv__path_print_name(const char *text, size_t length, char *buffer,
                            size_t size);

/** Writes the text as obv_path_print() does. Components are written by the
    names that are known now. */
size_t obv__path_print(const struct obv_path *path, char *buffer, size_t size);

/** A path to be printed: one that was compiled, or (NULL) these elements. */
struct obv__printable {
    const struct obv_path *path;
    size_t count;
    struct obv_element elements[OBV_PATH_COUNT_MAX];
};

/** obv__path_print() for a path or for elements. */
size_t obv__printable_print(const struct obv_names *names,
                            const struct obv__printable *printable,
                            char *buffer, size_t size);

/** Room for a text; `block` is the caller's to free, or NULL. */
struct obv__printed {
    char *block;
    size_t size;
    char near[256];
};

/** The text of a path. An open path is printed by the names that are known now,
    and cut where memory is short. */
const char *obv__path_print_now(const struct obv_allocator *allocator,
                                const struct obv_path *path,
                                struct obv__printed *printed);

#endif
