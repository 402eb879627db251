/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled path inside the core: counted, so that everything which needs it
 * later keeps the one that was made. It never changes; its elements and its text
 * are one block.
 *
 * Owed: each reference is given back with obv_path_destroy(), before the names
 * go.
 */
#ifndef OBV_PATH_H
#define OBV_PATH_H

#include <observable/path.h>

/** One reference more of a path that the caller has one of. */
struct obv_path *obv__path_retain(const struct obv_path *path);

/** A reference of a path for a table of names: of this one if it was made with
    them, else of a copy; OBV_E_ARGUMENT if they have not its names. */
enum obv_status obv__path_share(struct obv_names *names,
                                const struct obv_path *path,
                                struct obv_path **shared,
                                struct obv_error *error);

/** The text, with a NUL behind it: as it was written, or what it was compiled
    of, printed. NULL: it has components, whose names may become known later. */
const char *obv__path_text(const struct obv_path *path, size_t *length);

/** Writes a key or the name of a property as a path has it, with the escapes that
    it needs; as obv_path_print(). */
size_t obv__path_print_name(const char *text, size_t length, char *buffer,
                            size_t size);

/** Writes the text as obv_path_print() does; of components by the names that are
    known now. */
size_t obv__path_print(const struct obv_path *path, char *buffer, size_t size);

#endif
