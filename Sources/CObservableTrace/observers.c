/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observations of an object, as text for people: a line an entry. Names
 * that programs gave are escaped, so that none can drive a terminal or look
 * like another line. Over the public interface, and where the core takes vis(3)
 * from.
 */
#include "platform/bsd.h"

#include <observable/debug.h>

#include <stdio.h>
#include <string.h>

struct output {
    struct obv_object *object;
    const char *cls; /* its class's name */
    void (*write)(void *context, const char *text, size_t length);
    void *context;
    const char *property; /* of the last entry */
    bool has_entries;
};

static void write_to_standard_error(void *context, const char *text,
                                    size_t length)
{
    (void)context;
    (void)fwrite(text, 1, length, stderr);
}

static void put(const struct output *output, const char *text)
{
    output->write(output->context, text, strlen(text));
}

/* A name of the program's; NULL is no text. */
static void put_name(const struct output *output, const char *text)
{
    char piece[8];
    for (; text && *text; text++) {
        (void)vis(piece, (unsigned char)*text, VIS_CSTYLE | VIS_NL | VIS_TAB,
                  (unsigned char)text[1]);
        put(output, piece);
    }
}

/* `class 0x55d0`, or without the class. */
static void put_object(const struct output *output, const char *cls,
                       const void *address)
{
    char text[32];
    put_name(output, cls);
    (void)snprintf(text, sizeof text, "%s%p", cls ? " " : "", address);
    put(output, text);
}

static void put_manner(const struct output *output,
                       const struct obv_observer_entry *entry)
{
    put(output, entry->is_immediate ? ", immediate" : ", delayed on loop ");
    if (!entry->is_immediate) {
        put_object(output, NULL, (const void *)entry->loop);
    }
    put(output, entry->is_token ? ", token" : "");
    put(output, entry->is_pending ? ", pending" : "");
    put(output, entry->is_middle ? ", leads on" : "");
    put(output, entry->is_unresolved ? ", unresolved" : "");
    if (entry->file) {
        char line[16];
        put(output, " (");
        put_name(output, entry->file);
        (void)snprintf(line, sizeof line, ":%u)", (unsigned)entry->line);
        put(output, line);
    }
    put(output, entry->is_stale ? " NOT WHAT IS STORED" : "");
}

static void put_title(const struct output *output)
{
    put_object(output, output->cls, (const void *)output->object);
    put(output, "\n");
}

static void put_property(struct output *output,
                         const struct obv_observer_entry *entry)
{
    bool is_same = output->has_entries &&
                   (entry->property && output->property
                        ? strcmp(entry->property, output->property) == 0
                        : entry->property == output->property);
    if (!is_same) {
        put(output, "  ");
        if (entry->property) {
            put_name(output, entry->property);
        } else {
            put(output, "(no property)");
        }
        put(output, "\n");
    }
    output->property = entry->property;
    output->has_entries = true;
}

static void put_entry(void *context, const struct obv_observer_entry *entry)
{
    struct output *output = context;
    if (!output->has_entries) {
        put_title(output);
    }
    put_property(output, entry);
    put(output, "    ");
    if (entry->path) {
        put_name(output, entry->path);
    } else {
        put(output, "(no path)");
    }
    put(output, " from ");
    put_object(output, entry->root_class, entry->root);
    put(output, ", observer ");
    put_object(output, entry->observer_class, entry->observer);
    if (entry->label) {
        put(output, " \"");
        put_name(output, entry->label);
        put(output, "\"");
    }
    put_manner(output, entry);
    put(output, "\n");
}

enum obv_status obv_debug_show_all_observers(struct obv_object *object,
                                             void (*write)(void *context,
                                                           const char *text,
                                                           size_t length),
                                             void *context)
{
    const struct obv_class *cls = object ? obv_object_class(object) : NULL;
    struct output output = {.write = write ? write : write_to_standard_error,
                            .context = context,
                            .object = object};
    /* An object that has ended has a class without a table. */
    output.cls = cls && obv_class_table_of(cls) ? obv_class_name(cls) : NULL;
    enum obv_status status =
        obv_debug_each_observer(object, put_entry, &output);
    if (status == OBV_OK && !output.has_entries) {
        put_title(&output);
        put(&output, "  nobody observes it\n");
    }
    return status;
}
