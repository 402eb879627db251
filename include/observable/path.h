/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key paths: the parser of their text, and the compiled form that everything
 * else works with. A path knows no class and no object; what an element means
 * where it stands is decided there.
 *
 *     address.zipCode     list.#0.title     list.4.title     words.a\.b
 *     tags.&12345         *.*               list.count       words.\count
 *
 * Grammar (bytes; UTF-8 throughout)
 *
 *     path        = element *( "." element )     1 to 255 elements,
 *                                                at most 65,535 bytes
 *     element     = "*"                          any
 *                 | "#" number                   position, below 2^63
 *                 | number                       occurrence, below 2^63
 *                 | "&" number                   member, below 2^64
 *                 | "count"                      count
 *                 | name                         everything else
 *     number      = "0" | nonzero *digit
 *     name        = 1*( plain | "\" character )
 *     plain       = any character but . * # & @ \ and NUL
 *     character   = any but NUL
 *
 * `*` is one element: every property of one object. There is no wildcard for
 * any depth; `*.*` is two levels, and what is no object (a string, a number) is
 * passed over behind the first `*` without a report.
 *
 * An element with any escape is a name: `\count` is the name "count", `\12`
 * the name "12". An element that is only digits is a number; "12a" is a name.
 * The empty name exists in obv_path_make() only, and so does a name that is
 * not UTF-8 or holds a NUL.
 *
 * Positions of errors. An error names the first byte with which the text can
 * no longer become a path, counted from 0; of a number that is too large or
 * begins with a needless 0 its first digit; of a text that ends too early (in
 * an element, an escape or a character, or with nothing at all) the length.
 *
 *     b..i     2    the second dot              b.i.    4    the length
 *     b*c      1    the star                    a\      2    the length
 *     #01      1    the needless 0              @max    0    `@` begins it
 *     #1x      2    a digit or a dot expected   \xC3    1    the length
 *
 * With 255 elements it is the next dot, with 65,535 bytes the next byte.
 *
 * A program that observes by text need not parse it: a context finds the paths
 * of the texts that it was given lately again. A call with a compiled path
 * (<observable/component.h>) keeps it, and does not copy it.
 *
 * Threads:   a path never changes; any number of threads may read it.
 * Callbacks: none but the allocator's.
 * Cost:      a path is one block: 24 bytes, 16 for each element, and its text
 *            with a NUL. Parsing is O(length), plus a look-up in the names for
 *            each name, and one temporary block if there is an escape.
 */
#ifndef OBSERVABLE_PATH_H
#define OBSERVABLE_PATH_H

#include <observable/base.h>
#include <observable/names.h>
#include <observable/status.h>

OBV_BEGIN_DECLS

/** The most elements of a path. */
#define OBV_PATH_COUNT_MAX 255

/** The most bytes of a path's text. */
#define OBV_PATH_LENGTH_MAX 65535

/** The kind of an element; the numbers are part of the binary interface. */
enum obv_element_kind {
    /** A property, or the key of a dictionary: `name`. */
    OBV_ELEMENT_NAME = 0,
    /** `count`; its `name` is that of "count", for a model's property. */
    OBV_ELEMENT_COUNT = 1,
    /** `*` */
    OBV_ELEMENT_ANY = 2,
    /** `#n`: what stands at index `number`, whoever that is. */
    OBV_ELEMENT_POSITION = 3,
    /** `n`: what stood at index `number` when observing began. */
    OBV_ELEMENT_OCCURRENCE = 4,
    /** `&h`: the members of a set whose hash is `number`. */
    OBV_ELEMENT_MEMBER = 5,
    /** An element of a language binding (<observable/component.h>): `number` is
        the address of its component, which begins with the address of its text.
        No text is parsed to it. */
    OBV_ELEMENT_COMPONENT = 6,
    /** The key of a dictionary whose keys are no texts: `number` is the address
        of a struct obv_key (<observable/container.h>), which the path keeps. No
        text is parsed to it; printed it is the key's text, as a name. */
    OBV_ELEMENT_KEY = 7
};

/** One element, 16 bytes. Fields that its kind does not use are 0. */
struct obv_element {
    /** One of enum obv_element_kind. */
    uint32_t kind;
    /** NAME, COUNT: the interned name. OBV_NAME_NONE: equal to nothing. */
    uint32_t name;
    /** POSITION, OCCURRENCE, MEMBER, COMPONENT, KEY. */
    uint64_t number;
};

/**
 * Whether two elements are the same. An element without its name is not even
 * the same as itself: two unknown names need not be one.
 */
static inline bool obv_element_equal(const struct obv_element *OBV_NONNULL a,
                                     const struct obv_element *OBV_NONNULL b)
{
    return a->kind == b->kind && a->name == b->name && a->number == b->number &&
           (a->name != OBV_NAME_NONE || a->kind > OBV_ELEMENT_COUNT);
}

/** A compiled path; opaque and constant. */
struct obv_path;

/**
 * Compiles a text; its names are interned.
 *
 * @param names  must outlive the path.
 * @param text   `length` bytes, not kept; may be NULL if `length` is 0.
 * @param path   receives the path.
 * @param error  filled in on error; may be NULL.
 * @return OBV_OK; OBV_E_SYNTAX (every fault of the text, the limits
 *         included); OBV_E_ARGUMENT if something needed is NULL;
 *         OBV_E_MEMORY, OBV_E_LIMIT from the names. A text with a fault
 *         interns nothing; for lack of memory some names of it may stay.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_path_parse(struct obv_names *OBV_NONNULL names,
               const char *OBV_NULLABLE text, size_t length,
               struct obv_path *OBV_NULLABLE *OBV_NONNULL path,
               struct obv_error *OBV_NULLABLE error);

/**
 * Compiles a text to look for a path that exists already: as
 * obv_path_parse(), errors included, but nothing is interned. A name that is
 * not there becomes OBV_NAME_NONE, so that the path equals none.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_path_find(const struct obv_names *OBV_NONNULL names,
              const char *OBV_NULLABLE text, size_t length,
              struct obv_path *OBV_NULLABLE *OBV_NONNULL path,
              struct obv_error *OBV_NULLABLE error);

/**
 * Makes a path of elements, without text. Fields that an element's kind does
 * not use are ignored and become 0; the name of COUNT is always "count".
 *
 * @param elements  `count` of them, copied.
 * @return OBV_OK; OBV_E_ARGUMENT if there is no element, a kind or a number
 *         is out of its range, or a name is not one of `names`; OBV_E_LIMIT
 *         above OBV_PATH_COUNT_MAX elements; OBV_E_MEMORY.
 */
OBV_API OBV_NODISCARD enum obv_status
obv_path_make(struct obv_names *OBV_NONNULL names,
              const struct obv_element *OBV_NULLABLE elements, size_t count,
              struct obv_path *OBV_NULLABLE *OBV_NONNULL path,
              struct obv_error *OBV_NULLABLE error);

/**
 * Gives a path back. Its memory goes, by the allocator of the names it was made
 * with, as soon as no observation that was begun with it needs it.
 *
 * @param path  not to be used by the caller after this call; NULL does nothing.
 */
OBV_API void obv_path_destroy(struct obv_path *OBV_NULLABLE path);

/** The number of elements, 1 to OBV_PATH_COUNT_MAX. */
OBV_API OBV_NODISCARD size_t
obv_path_count(const struct obv_path *OBV_NONNULL path);

/** The elements; borrowed, they live as long as the path. */
OBV_API const struct obv_element *OBV_NONNULL
obv_path_elements(const struct obv_path *OBV_NONNULL path);

/**
 * Whether two paths of the same names are the same, by obv_element_equal().
 *
 * Cost: O(elements).
 */
OBV_API OBV_NODISCARD bool obv_path_equal(const struct obv_path *OBV_NONNULL a,
                                          const struct obv_path *OBV_NONNULL b);

/**
 * Writes elements as text, with the escapes they need: parsing the text gives
 * the same elements again, unless it is longer than OBV_PATH_LENGTH_MAX or a
 * name is one that text cannot say.
 *
 * @param names     those of the elements; a name they do not have is left out.
 * @param elements  `count` of them; need not be a whole path.
 * @param buffer    receives at most `size` - 1 bytes and a NUL; may be NULL if
 *                  `size` is 0. Text that does not fit is cut, perhaps inside a
 *                  character.
 * @return the length of the whole text, without its NUL, whatever `size` is.
 *
 * Cost: O(length); allocates nothing.
 */
OBV_API size_t obv_path_print(const struct obv_names *OBV_NONNULL names,
                              const struct obv_element *OBV_NULLABLE elements,
                              size_t count, char *OBV_NULLABLE buffer,
                              size_t size);

OBV_END_DECLS

#endif
