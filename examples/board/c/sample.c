/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples: growing, sorting, harmless names.
 */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *need_memory(void *block, size_t count, size_t size)
{
    void *grown =
        count <= SIZE_MAX / size ? realloc(block, count * size) : NULL;
    if (!grown) {
        fputs("board: out of memory\n", stderr);
        exit(1);
    }
    return grown;
}

void sample_clear(struct sample *sample)
{
    struct sample_process *processes = sample->processes;
    size_t capacity = sample->process_capacity;
    *sample = (struct sample){0};
    sample->processes = processes;
    sample->process_capacity = capacity;
}

void sample_free(struct sample *sample)
{
    free(sample->processes);
    *sample = (struct sample){0};
}

struct sample_process *sample_add_process(struct sample *sample)
{
    if (sample->process_count == sample->process_capacity) {
        sample->process_capacity = sample->process_capacity * 2 + 64;
        sample->processes =
            need_memory(sample->processes, sample->process_capacity,
                        sizeof *sample->processes);
    }
    struct sample_process *process =
        &sample->processes[sample->process_count++];
    *process = (struct sample_process){0};
    return process;
}

struct sample_interface *sample_add_interface(struct sample *sample)
{
    if (sample->interface_count == SAMPLE_INTERFACES) {
        return NULL;
    }
    return &sample->interfaces[sample->interface_count++];
}

int sample_order(int32_t pid, uint64_t start, int32_t other_pid,
                 uint64_t other_start)
{
    if (pid != other_pid) {
        return pid < other_pid ? -1 : 1;
    }
    return (start > other_start) - (start < other_start);
}

static int compare_processes(const void *left, const void *right)
{
    const struct sample_process *a = left, *b = right;
    return sample_order(a->pid, a->start, b->pid, b->start);
}

void sample_sort(struct sample *sample)
{
    if (sample->process_count > 1) {
        qsort(sample->processes, sample->process_count,
              sizeof *sample->processes, compare_processes);
    }
}

void sample_set_name(char name[SAMPLE_NAME], const char *text, size_t length)
{
    if (length > SAMPLE_NAME - 1) {
        length = SAMPLE_NAME - 1;
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        name[i] = c < ' ' || c == 127 ? '?' : text[i];
    }
    name[length] = 0;
}
