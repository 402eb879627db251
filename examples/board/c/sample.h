/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a machine looked like at one moment: plain data, observed by nobody. A
 * source fills a sample, update.c carries it into the model.
 */
#ifndef BOARD_SAMPLE_H
#define BOARD_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/** Longest name that is kept, with its NUL. */
#define SAMPLE_NAME 64
/** Network interfaces that are kept; further ones are left out. */
#define SAMPLE_INTERFACES 16

/** Which parts a sample has; what it lacks, the model keeps as it is. */
enum sample_part {
    SAMPLE_LOAD = 1,
    SAMPLE_MEMORY = 2,
    SAMPLE_NETWORK = 4,
    SAMPLE_PROCESSES = 8,
    SAMPLE_ALL = 15
};

/** One process. Process ids are used again: pid and start name it. */
struct sample_process {
    int32_t pid;
    /** When it began, in clock ticks since the machine's start. */
    uint64_t start;
    /** The system's letter: R, S, D, Z, T, I. */
    char state;
    int32_t threads;
    /** Resident memory, in bytes. */
    int64_t memory;
    /** Processor time since its start, in milliseconds. */
    int64_t cpu;
    char name[SAMPLE_NAME];
};

/** One network interface; both counters in bytes since its start. */
struct sample_interface {
    char name[SAMPLE_NAME];
    int64_t received;
    int64_t sent;
};

/** One moment. Zero it before its first use. */
struct sample {
    /** Milliseconds since the source was opened. */
    int64_t time;
    /** Bits of sample_part. */
    unsigned parts;
    /** Means over 1, 5 and 15 minutes. */
    double load[3];
    int32_t running;
    int32_t tasks;
    /** In bytes. */
    int64_t memory_total;
    int64_t memory_available;
    struct sample_interface interfaces[SAMPLE_INTERFACES];
    size_t interface_count;
    /** In the order of pid, then start. */
    struct sample_process *processes;
    size_t process_count;
    size_t process_capacity;
    /** Processes that ended while they were read. */
    int32_t vanished;
    /** Processes whose files are there and cannot be read. */
    int32_t unreadable;
};

/** Takes everything out of a sample; its memory stays for the next one. */
void sample_clear(struct sample *sample);

/** Gives the memory back. */
void sample_free(struct sample *sample);

/** A new, zeroed process at the end; valid until the next one is added. */
struct sample_process *sample_add_process(struct sample *sample);

/** A new, zeroed interface at the end; NULL past SAMPLE_INTERFACES. */
struct sample_interface *sample_add_interface(struct sample *sample);

/** Puts the processes into their order. */
void sample_sort(struct sample *sample);

/** Which of two processes comes first: negative, zero (the same), positive. */
int sample_order(int32_t pid, uint64_t start, int32_t other_pid,
                 uint64_t other_start);

/** Copies at most SAMPLE_NAME - 1 of `length` bytes. A name is whatever its
    process says: control characters, which a terminal would obey, become
    question marks. */
void sample_set_name(char name[SAMPLE_NAME], const char *text, size_t length);

/** realloc(), or one line on standard error and the program's end. */
void *need_memory(void *block, size_t count, size_t size);

#endif
