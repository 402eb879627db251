/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From samples to setter calls. Processes come and go: those of the model and
 * those of the sample, both in order, are walked side by side.
 */
#include "update.h"

#include <stdlib.h>
#include <string.h>

static void count(struct update *update, void *object, const char *property,
                  bool differs)
{
    update->tally.sets++;
    if (differs) {
        size_t observers = obv_observer_count(object, property);
        update->tally.changes++;
        update->tally.observed += observers > 0;
        update->tally.due += observers;
    }
}

/* One setter call, compared before and counted after. */
#define SET(update, type, self, field, value)                                  \
    do {                                                                       \
        bool differs = type##_##field(self) != (value);                        \
        type##_set_##field((self), (value));                                   \
        count((update), (self), #field, differs);                              \
    } while (0)

/* The same for a name. Copying it may fail: then the old one stands, and the
   next sample tries again. */
#define SET_NAME(update, type, self, text)                                     \
    do {                                                                       \
        const char *before = type##_name(self);                                \
        bool differs = !before || strcmp(before, (text)) != 0;                 \
        if (type##_set_name((self), (text)) == OBV_OK) {                       \
            count((update), (self), "name", differs);                          \
        }                                                                      \
    } while (0)

void update_open(struct update *update, struct model *model)
{
    *update = (struct update){.model = model, .time = -1};
    update->machine = model_new(model, model->machine, sizeof *update->machine);
}

static void apply_load(struct update *update, const struct sample *sample)
{
    struct machine *machine = update->machine;
    if (!machine_load(machine)) {
        struct load *load =
            model_new(update->model, update->model->load, sizeof *load);
        SET(update, machine, machine, load, load);
        model_release(load);
    }
    struct load *load = machine_load(machine);
    SET(update, load, load, one, sample->load[0]);
    SET(update, load, load, five, sample->load[1]);
    SET(update, load, load, fifteen, sample->load[2]);
    SET(update, load, load, running, sample->running);
    SET(update, load, load, tasks, sample->tasks);
}

static void apply_memory(struct update *update, const struct sample *sample)
{
    struct machine *machine = update->machine;
    if (!machine_memory(machine)) {
        struct memory *memory =
            model_new(update->model, update->model->memory, sizeof *memory);
        SET(update, machine, machine, memory, memory);
        model_release(memory);
    }
    struct memory *memory = machine_memory(machine);
    SET(update, memory, memory, total, sample->memory_total);
    SET(update, memory, memory, available, sample->memory_available);
}

static struct interface *interface_named(struct update *update,
                                         const char *name)
{
    for (size_t i = 0; i < update->interface_count; i++) {
        const char *known = interface_name(update->interfaces[i]);
        if (known && strcmp(known, name) == 0) {
            return update->interfaces[i];
        }
    }
    return NULL;
}

static struct interface *add_interface(struct update *update, const char *name)
{
    if (update->interface_count == SAMPLE_INTERFACES) {
        return NULL;
    }
    struct interface *interface =
        model_new(update->model, update->model->interface, sizeof *interface);
    SET_NAME(update, interface, interface, name);
    update->interfaces[update->interface_count++] = interface;
    return interface;
}

/* The interface that carried most, loopback left out; NULL: none did. */
static struct interface *find_uplink(const struct update *update)
{
    struct interface *best = NULL;
    int64_t most = 0;
    for (size_t i = 0; i < update->interface_count; i++) {
        struct interface *interface = update->interfaces[i];
        int64_t carried =
            interface_received(interface) + interface_sent(interface);
        const char *name = interface_name(interface);
        if (carried > most && name && strcmp(name, "lo") != 0) {
            best = interface;
            most = carried;
        }
    }
    return best;
}

static void apply_network(struct update *update, const struct sample *sample)
{
    for (size_t i = 0; i < sample->interface_count; i++) {
        const struct sample_interface *read = &sample->interfaces[i];
        struct interface *interface = interface_named(update, read->name);
        if (!interface && !(interface = add_interface(update, read->name))) {
            continue;
        }
        SET(update, interface, interface, received, read->received);
        SET(update, interface, interface, sent, read->sent);
    }
    struct interface *uplink = find_uplink(update);
    SET(update, machine, update->machine, uplink, uplink);
}

/* Percent of one processor since the sample before; 0 where there is none. */
static double cpu_percent(const struct process *process,
                          const struct sample_process *read, int64_t passed)
{
    if (process->cpu_time < 0 || passed <= 0 || read->cpu < process->cpu_time) {
        return 0;
    }
    return 100.0 * (double)(read->cpu - process->cpu_time) / (double)passed;
}

static void apply_process(struct update *update, struct process *process,
                          const struct sample_process *read, int64_t passed)
{
    double percent = cpu_percent(process, read, passed);
    SET_NAME(update, process, process, read->name);
    SET(update, process, process, state, read->state);
    SET(update, process, process, threads, read->threads);
    SET(update, process, process, memory, read->memory);
    SET(update, process, process, cpu, percent);
    process->cpu_time = read->cpu;
}

static struct process *add_process(struct update *update,
                                   const struct sample_process *read)
{
    struct process *process =
        model_new(update->model, update->model->process, sizeof *process);
    process->start = read->start;
    process->cpu_time = -1;
    SET(update, process, process, pid, read->pid);
    return process;
}

/* The model's process that `read` tells of, or a new one. The processes that
   come before it are no more: they are let go. */
static struct process *match(struct update *update, size_t *next,
                             const struct sample_process *read)
{
    while (*next < update->process_count) {
        struct process *process = update->processes[*next];
        int order =
            sample_order(process->pid, process->start, read->pid, read->start);
        if (order > 0) {
            break;
        }
        ++*next;
        if (order == 0) {
            return process;
        }
        model_release(process);
    }
    return add_process(update, read);
}

static void replace_processes(struct update *update, struct process **processes,
                              size_t process_count, size_t matched)
{
    while (matched < update->process_count) {
        model_release(update->processes[matched++]);
    }
    free(update->processes);
    update->processes = processes;
    update->process_count = process_count;
}

static void find_biggest(struct update *update)
{
    struct process *biggest = NULL, *busiest = NULL;
    for (size_t i = 0; i < update->process_count; i++) {
        struct process *process = update->processes[i];
        if (!biggest || process_memory(process) > process_memory(biggest)) {
            biggest = process;
        }
        if (process_cpu(process) > (busiest ? process_cpu(busiest) : 0)) {
            busiest = process;
        }
    }
    SET(update, machine, update->machine, biggest, biggest);
    SET(update, machine, update->machine, busiest, busiest);
}

static void apply_processes(struct update *update, const struct sample *sample)
{
    int64_t passed = update->time < 0 ? 0 : sample->time - update->time;
    size_t matched = 0, length = sample->process_count;
    struct process **processes =
        need_memory(NULL, length + 1, sizeof(struct process *));
    for (size_t i = 0; i < length; i++) {
        const struct sample_process *read = &sample->processes[i];
        processes[i] = match(update, &matched, read);
        apply_process(update, processes[i], read, passed);
    }
    replace_processes(update, processes, length, matched);
    update->time = sample->time;
    SET(update, machine, update->machine, processes, (int32_t)length);
    find_biggest(update);
}

void update_apply(struct update *update, const struct sample *sample)
{
    if (sample->parts & SAMPLE_LOAD) {
        apply_load(update, sample);
    }
    if (sample->parts & SAMPLE_MEMORY) {
        apply_memory(update, sample);
    }
    if (sample->parts & SAMPLE_NETWORK) {
        apply_network(update, sample);
    }
    if (sample->parts & SAMPLE_PROCESSES) {
        apply_processes(update, sample);
    }
    struct machine *machine = update->machine;
    SET(update, machine, machine, vanished, sample->vanished);
    SET(update, machine, machine, unreadable, sample->unreadable);
    SET(update, machine, machine, missing,
        (int32_t)(SAMPLE_ALL & ~sample->parts));
}

void update_close(struct update *update)
{
    replace_processes(update, NULL, 0, 0);
    for (size_t i = 0; i < update->interface_count; i++) {
        model_release(update->interfaces[i]);
    }
    model_release(update->machine);
}
