/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model: a machine and what belongs to it, as observable objects.
 *
 *     machine ---- load, memory, uplink      nil until first known
 *             `--- biggest, busiest          two of the processes, or nil
 *
 * Every object is counted: its creator holds one reference, each property that
 * leads to it and each pending call another. The last one to let go frees it.
 * The counts are plain integers, because this program has one thread.
 */
#ifndef BOARD_MODEL_H
#define BOARD_MODEL_H

#include <observable/observable.h>

/** What all objects of the model begin with. */
struct counted {
    struct obv_object object;
    unsigned references;
    /** Counts this object as long as it lives. */
    size_t *alive;
};

enum {
    PROCESS_PID,
    PROCESS_NAME,
    PROCESS_STATE,
    PROCESS_THREADS,
    PROCESS_MEMORY,
    PROCESS_CPU,
    PROCESS_PROPERTIES
};

/** A process. */
struct process {
    struct counted counted;
    int32_t pid;
    const char *name;
    /** The system's letter: R, S, D, Z, T, I. */
    int32_t state;
    int32_t threads;
    /** Resident, in bytes. */
    int64_t memory;
    /** Percent of one processor since the sample before. */
    double cpu;
    /* Not observable: whose pid this is, and what `cpu` is computed from. */
    uint64_t start;
    int64_t cpu_time;
};

OBV_PROPERTY(process, pid, i32, PROCESS_PID)
OBV_PROPERTY(process, name, string, PROCESS_NAME)
OBV_PROPERTY(process, state, i32, PROCESS_STATE)
OBV_PROPERTY(process, threads, i32, PROCESS_THREADS)
OBV_PROPERTY(process, memory, i64, PROCESS_MEMORY)
OBV_PROPERTY(process, cpu, f64, PROCESS_CPU)

enum {
    LOAD_ONE,
    LOAD_FIVE,
    LOAD_FIFTEEN,
    LOAD_RUNNING,
    LOAD_TASKS,
    LOAD_PROPERTIES
};

/** The load: means over 1, 5 and 15 minutes, and the tasks now. */
struct load {
    struct counted counted;
    double one;
    double five;
    double fifteen;
    int32_t running;
    int32_t tasks;
};

OBV_PROPERTY(load, one, f64, LOAD_ONE)
OBV_PROPERTY(load, five, f64, LOAD_FIVE)
OBV_PROPERTY(load, fifteen, f64, LOAD_FIFTEEN)
OBV_PROPERTY(load, running, i32, LOAD_RUNNING)
OBV_PROPERTY(load, tasks, i32, LOAD_TASKS)

enum { MEMORY_TOTAL, MEMORY_AVAILABLE, MEMORY_PROPERTIES };

/** The machine's memory, in bytes. */
struct memory {
    struct counted counted;
    int64_t total;
    int64_t available;
};

OBV_PROPERTY(memory, total, i64, MEMORY_TOTAL)
OBV_PROPERTY(memory, available, i64, MEMORY_AVAILABLE)

enum {
    INTERFACE_NAME,
    INTERFACE_RECEIVED,
    INTERFACE_SENT,
    INTERFACE_PROPERTIES
};

/** A network interface; counters in bytes since its start. */
struct interface {
    struct counted counted;
    const char *name;
    int64_t received;
    int64_t sent;
};

OBV_PROPERTY(interface, name, string, INTERFACE_NAME)
OBV_PROPERTY(interface, received, i64, INTERFACE_RECEIVED)
OBV_PROPERTY(interface, sent, i64, INTERFACE_SENT)

enum {
    MACHINE_LOAD,
    MACHINE_MEMORY,
    MACHINE_UPLINK,
    MACHINE_BIGGEST,
    MACHINE_BUSIEST,
    MACHINE_PROCESSES,
    MACHINE_VANISHED,
    MACHINE_UNREADABLE,
    MACHINE_MISSING,
    MACHINE_PROPERTIES
};

/** The machine. */
struct machine {
    struct counted counted;
    struct load *load;
    struct memory *memory;
    /** The interface that carried most so far, loopback left out. */
    struct interface *uplink;
    /** The process that uses most memory. */
    struct process *biggest;
    /** The process that used most processor time since the sample before. */
    struct process *busiest;
    /** How many processes there are. */
    int32_t processes;
    /** Processes that could not be read: ended meanwhile, or refused. */
    int32_t vanished;
    int32_t unreadable;
    /** Bits of sample_part that the source could not tell. */
    int32_t missing;
};

OBV_PROPERTY(machine, load, object, MACHINE_LOAD)
OBV_PROPERTY(machine, memory, object, MACHINE_MEMORY)
OBV_PROPERTY(machine, uplink, object, MACHINE_UPLINK)
OBV_PROPERTY(machine, biggest, object, MACHINE_BIGGEST)
OBV_PROPERTY(machine, busiest, object, MACHINE_BUSIEST)
OBV_PROPERTY(machine, processes, i32, MACHINE_PROCESSES)
OBV_PROPERTY(machine, vanished, i32, MACHINE_VANISHED)
OBV_PROPERTY(machine, unreadable, i32, MACHINE_UNREADABLE)
OBV_PROPERTY(machine, missing, i32, MACHINE_MISSING)

/** The classes, their context, and how many objects there are. */
struct model {
    struct obv_context *context;
    struct obv_class *load;
    struct obv_class *memory;
    struct obv_class *interface;
    struct obv_class *process;
    struct obv_class *machine;
    size_t made;
    size_t alive;
};

/** Makes a context and the classes in it. False: said on standard error. */
bool model_open(struct model *model);

/**
 * Ends the context. Every object must be released by then.
 *
 * @return false if objects or observations are left: said on standard error.
 */
bool model_close(struct model *model);

/**
 * Makes an object of a class, all its properties zero, with one reference
 * that is the caller's. Ends the program if there is no memory.
 *
 * @param size  of its struct, which begins with a struct counted.
 */
void *model_new(struct model *model, struct obv_class *cls, size_t size);

/** Gives a reference back; NULL is ignored. */
void model_release(void *object);

#endif
