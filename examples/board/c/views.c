/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One function a view: it reads what it shows from the machine, which it is
 * handed as the root of its paths. The table at the end says which paths call
 * which function.
 */
#include "views.h"
#include "sample.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT 32

/* Bytes in the unit that leaves one to four digits. */
static const char *bytes(char text[TEXT], int64_t number)
{
    static const char units[][4] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    double shown = (double)number;
    for (; shown >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++) {
        shown /= 1024;
    }
    snprintf(text, TEXT, unit < 2 ? "%.0f %s" : "%.1f %s", shown, units[unit]);
    return text;
}

static const char *state_word(int32_t state)
{
    switch (state) {
    case 'R':
        return "running";
    case 'S':
        return "sleeping";
    case 'D':
        return "waiting for a device";
    case 'Z':
        return "ended, not yet waited for";
    case 'T':
    case 't':
        return "stopped";
    case 'I':
        return "idle";
    default:
        return "in an unknown state";
    }
}

static const char *name_of(const struct process *process)
{
    const char *name = process_name(process);
    return name ? name : "?";
}

/* biggest.pid, biggest.name: another process uses most memory. */
static void biggest_changed(void *observer, struct obv_object *root,
                            const struct obv_call *call)
{
    const struct views *views = observer;
    const struct process *biggest = machine_biggest((struct machine *)root);
    (void)call;
    if (biggest) {
        display_say(views->display, ROW_BIGGEST,
                    "biggest: %s (pid %" PRId32 ")", name_of(biggest),
                    process_pid(biggest));
    }
}

/* biggest.state: of whichever process it is now. */
static void state_changed(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    const struct views *views = observer;
    const struct process *biggest = machine_biggest((struct machine *)root);
    (void)call;
    if (biggest) {
        display_say(views->display, ROW_STATE, "biggest is %s",
                    state_word(process_state(biggest)));
    }
}

/* biggest.memory */
static void memory_changed(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    const struct views *views = observer;
    const struct process *biggest = machine_biggest((struct machine *)root);
    char text[TEXT];
    (void)call;
    if (biggest) {
        display_say(views->display, ROW_MEMORY, "biggest uses %s",
                    bytes(text, process_memory(biggest)));
    }
}

/* busiest.pid, busiest.name, busiest.cpu */
static void busiest_changed(void *observer, struct obv_object *root,
                            const struct obv_call *call)
{
    const struct views *views = observer;
    const struct process *busiest = machine_busiest((struct machine *)root);
    (void)call;
    if (!busiest) {
        display_say(views->display, ROW_BUSIEST, "busiest: none, all rest");
        return;
    }
    display_say(views->display, ROW_BUSIEST,
                "busiest: %s (pid %" PRId32 "), %.0f %% of a processor",
                name_of(busiest), process_pid(busiest), process_cpu(busiest));
}

/* load.*: any property of the load, five changes or one. */
static void load_changed(void *observer, struct obv_object *root,
                         const struct obv_call *call)
{
    const struct views *views = observer;
    const struct load *load = machine_load((struct machine *)root);
    (void)call;
    if (load) {
        display_say(views->display, ROW_LOAD,
                    "load: %.2f %.2f %.2f, %" PRId32 " of %" PRId32
                    " tasks run",
                    load_one(load), load_five(load), load_fifteen(load),
                    load_running(load), load_tasks(load));
    }
}

/* memory.available */
static void available_changed(void *observer, struct obv_object *root,
                              const struct obv_call *call)
{
    const struct views *views = observer;
    const struct memory *memory = machine_memory((struct machine *)root);
    char available[TEXT], total[TEXT];
    (void)call;
    if (memory) {
        display_say(views->display, ROW_AVAILABLE, "memory: %s of %s available",
                    bytes(available, memory_available(memory)),
                    bytes(total, memory_total(memory)));
    }
}

/* Six paths, one line: one call a drain, whichever of them changed. */
static void status_changed(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    const struct views *views = observer;
    const struct machine *machine = (struct machine *)root;
    const struct load *load = machine_load(machine);
    const struct memory *memory = machine_memory(machine);
    const struct interface *uplink = machine_uplink(machine);
    char available[TEXT], received[TEXT], sent[TEXT];
    (void)call;
    display_say(views->display, ROW_STATUS,
                "status: %" PRId32 " processes, load %.2f, %s available, "
                "network %s in, %s out",
                machine_processes(machine), load ? load_one(load) : 0,
                bytes(available, memory ? memory_available(memory) : 0),
                bytes(received, uplink ? interface_received(uplink) : 0),
                bytes(sent, uplink ? interface_sent(uplink) : 0));
}

/* biggest.memory, immediate: called inside the set, before any drain. */
static void alarm_changed(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    struct views *views = observer;
    const struct process *biggest = machine_biggest((struct machine *)root);
    char text[TEXT];
    (void)call;
    views->immediate++;
    if (!biggest || process_memory(biggest) <= views->alarm) {
        display_over(views->display, ROW_ALARM, "alarm: over");
        return;
    }
    display_say(views->display, ROW_ALARM, "alarm: %s uses more than %s",
                name_of(biggest), bytes(text, views->alarm));
}

/* vanished: of no harm, and gone with the next sample. */
static void vanished_changed(void *observer, struct obv_object *root,
                             const struct obv_call *call)
{
    const struct views *views = observer;
    (void)call;
    if (machine_vanished((struct machine *)root) > 0) {
        display_say(views->display, ROW_VANISHED,
                    "note: processes end while they are read");
    } else {
        display_over(views->display, ROW_VANISHED,
                     "note over: no process ends while it is read");
    }
}

static void unreadable_changed(void *observer, struct obv_object *root,
                               const struct obv_call *call)
{
    const struct views *views = observer;
    (void)call;
    if (machine_unreadable((struct machine *)root) > 0) {
        display_say(views->display, ROW_UNREADABLE,
                    "note: there are processes whose files cannot be read");
    } else {
        display_over(views->display, ROW_UNREADABLE,
                     "note over: every process can be read");
    }
}

/* missing: a whole part of the sample. */
static void missing_changed(void *observer, struct obv_object *root,
                            const struct obv_call *call)
{
    const struct views *views = observer;
    int32_t missing = machine_missing((struct machine *)root);
    (void)call;
    if (missing == 0) {
        display_over(views->display, ROW_MISSING,
                     "note over: everything can be read");
        return;
    }
    display_say(views->display, ROW_MISSING,
                "note: cannot be read:%s%s%s%s; the last values stand",
                missing & SAMPLE_LOAD ? " load" : "",
                missing & SAMPLE_MEMORY ? " memory" : "",
                missing & SAMPLE_NETWORK ? " network" : "",
                missing & SAMPLE_PROCESSES ? " processes" : "");
}

#define PATHS_MAX 6

static const struct view {
    struct obv_handler_kind kind;
    const char *paths[PATHS_MAX];
    uint32_t flags;
} all_views[] = {
    {{.changed = status_changed, .label = "status"},
     {"processes", "load.one", "memory.available", "uplink.name",
      "uplink.received", "uplink.sent"},
     0},
    {{.changed = load_changed, .label = "load"}, {"load.*"}, 0},
    {{.changed = available_changed, .label = "available"},
     {"memory.available"},
     0},
    {{.changed = biggest_changed, .label = "biggest"},
     {"biggest.pid", "biggest.name"},
     0},
    {{.changed = state_changed, .label = "state"}, {"biggest.state"}, 0},
    {{.changed = memory_changed, .label = "memory"}, {"biggest.memory"}, 0},
    {{.changed = busiest_changed, .label = "busiest"},
     {"busiest.pid", "busiest.name", "busiest.cpu"},
     0},
    {{.changed = alarm_changed, .label = "alarm"},
     {"biggest.memory"},
     OBV_IMMEDIATE},
    {{.changed = vanished_changed, .label = "vanished"}, {"vanished"}, 0},
    {{.changed = unreadable_changed, .label = "unreadable"}, {"unreadable"}, 0},
    {{.changed = missing_changed, .label = "missing"}, {"missing"}, 0},
};

static bool open_view(struct views *views, const struct view *view,
                      struct machine *machine)
{
    struct obv_pair pairs[PATHS_MAX];
    struct obv_error error = {0};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = view->flags};
    size_t count = 0;
    for (; count < PATHS_MAX && view->paths[count]; count++) {
        pairs[count].root = &machine->counted.object;
        pairs[count].path = view->paths[count];
    }
    if (obv_observe_pairs(pairs, count, &view->kind, views, &options,
                          &views->handles[views->count], &error) != OBV_OK) {
        fprintf(stderr, "board: view %s, path %s: %s\n", view->kind.label,
                pairs[error.index].path, error.message);
        return false;
    }
    views->count++;
    return true;
}

bool views_open(struct views *views, struct machine *machine,
                struct display *display, int64_t alarm)
{
    *views = (struct views){.display = display, .alarm = alarm};
    for (size_t i = 0; i < sizeof all_views / sizeof *all_views; i++) {
        if (!open_view(views, &all_views[i], machine)) {
            return false;
        }
    }
    return true;
}

void views_close(struct views *views)
{
    for (size_t i = 0; i < views->count; i++) {
        obv_stop(views->handles[i]);
        obv_release(views->handles[i]);
    }
    views->count = 0;
}
