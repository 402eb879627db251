/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stopping in a debugger when a path changes: an immediate observation that
 * raises SIGTRAP, so that the set is on the stack.
 */
#define _GNU_SOURCE
#include "trace.h"

#include <observable/value.h>

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
#include <sys/sysctl.h>
#else
#include <fcntl.h>
#endif

/* Whether a debugger is attached to this process. */
static bool is_debugged(void)
{
#ifdef __APPLE__
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, getpid()};
    struct kinfo_proc info = {.kp_proc = {.p_flag = 0}};
    size_t size = sizeof info;
    return sysctl(name, 4, &info, &size, NULL, 0) == 0 &&
           (info.kp_proc.p_flag & P_TRACED);
#else
    static const char key[] = "TracerPid:\t";
    char status[4096] = "";
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, status, sizeof status - 1);
    if (file >= 0) {
        (void)close(file);
    }
    const char *tracer = length > 0 ? strstr(status, key) : NULL;
    return tracer && tracer[sizeof key - 1] != '0';
#endif
}

void obv_debug_stop(const char *text)
{
    struct text line = {.length = 0};
    bool stops = is_debugged();
    text_add(&line, "observable: %s: %s\n",
             stops ? "break" : "no debugger to stop in", text);
    (void)text_write(&line, STDERR_FILENO);
    if (stops) {
        (void)raise(SIGTRAP);
    }
}

/* A break point: its own observer and kind. */
struct break_point {
    struct obv_handler_kind kind;
    const char *label; /* as it was given */
    char path[];
};

/* Integers and floating point numbers, in the widest type of each. */
#define ADD_SIGNED(value_kind)                                                 \
    case OBV_KIND_##value_kind:                                                \
        text_add(text, "%" PRIdMAX, (intmax_t)value->as.value_kind);           \
        break;
#define ADD_UNSIGNED(value_kind)                                               \
    case OBV_KIND_##value_kind:                                                \
        text_add(text, "%" PRIuMAX, (uintmax_t)value->as.value_kind);          \
        break;
#define ADD_FLOATING(value_kind)                                               \
    case OBV_KIND_##value_kind:                                                \
        text_add(text, "%.17g", (double)value->as.value_kind);                 \
        break;

static void add_value(struct text *text, const struct obv_value *value)
{
    switch (value->kind) {
        ADD_SIGNED(i8)
        ADD_SIGNED(i16)
        ADD_SIGNED(i32)
        ADD_SIGNED(i64)
        ADD_UNSIGNED(u8)
        ADD_UNSIGNED(u16)
        ADD_UNSIGNED(u32)
        ADD_UNSIGNED(u64)
        ADD_UNSIGNED(size)
        ADD_FLOATING(f32)
        ADD_FLOATING(f64)
    case OBV_KIND_bool:
        text_add(text, "%s", value->as.boolean ? "true" : "false");
        break;
    case OBV_KIND_enum:
        text_add(text, "%" PRId64, value->as.enumeration);
        break;
    case OBV_KIND_pointer:
        text_add(text, "%p", value->as.pointer);
        break;
    case OBV_KIND_object:
        text_add(text, "%p", (const void *)value->as.object);
        break;
    case OBV_KIND_string:
        text_add(text, value->as.string ? "\"" : "NULL");
        text_add_name(text, value->as.string);
        text_add(text, value->as.string ? "\"" : "");
        break;
    case OBV_KIND_bytes:
        text_add(text, "%u bytes", (unsigned)value->property->size);
        break;
    case OBV_KIND_custom:
        text_add(text, "a value of the binding's");
        break;
    case OBV_KIND_unreachable:
        text_add(text, "none");
        break;
    }
}

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    const struct break_point *point = observer;
    struct text text = {.length = 0};
    (void)root;
    text_add_name(&text, point->path);
    if (point->label) {
        text_add(&text, " \"");
        text_add_name(&text, point->label);
        text_add(&text, "\"");
    }
    text_add(&text, " from ");
    add_value(&text, call->old);
    text_add(&text, " to ");
    add_value(&text, call->now);
    if (call->cause) {
        text_add_place(&text, call->cause->file, call->cause->line);
    }
    obv_debug_stop(text.bytes);
}

static void dispose(const struct obv_handler_kind *kind, void *observer)
{
    (void)kind;
    free(observer);
}

enum obv_status obv_debug_break_on_change(struct obv_object *root,
                                          const char *path, const char *label,
                                          struct obv_observation **handle,
                                          struct obv_error *error)
{
    static const struct obv_observe_options options = {
        .size = sizeof options, .flags = OBV_IMMEDIATE | OBV_VALUES};
    size_t length = path ? strlen(path) : 0;
    struct break_point *point = malloc(sizeof *point + length + 1);
    if (!path || !point) {
        free(point);
        return path ? OBV_E_MEMORY : OBV_E_ARGUMENT;
    }
    *point = (struct break_point){
        .kind = {.changed = changed,
                 .dispose = dispose,
                 .label = label ? label : "break on change"},
        .label = label};
    memcpy(point->path, path, length + 1);
    const struct obv_pair pair = {root, path};
    enum obv_status status = obv_observe_pairs(&pair, 1, &point->kind, point,
                                               &options, handle, error);
    if (status != OBV_OK) {
        free(point);
    }
    return status;
}
