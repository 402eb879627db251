/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings: a text file, one word and its fields a line, the name last
 * since it may hold blanks. A `sample` line begins the next moment:
 *
 *     # a remark
 *     sample MILLISECONDS
 *     load ONE FIVE FIFTEEN RUNNING TASKS
 *     memory TOTAL AVAILABLE
 *     interface RECEIVED SENT NAME
 *     process PID START STATE THREADS MEMORY CPU NAME
 *
 * Units are those of sample.h. The writer stands here as well: it is the other
 * half of the format.
 */
#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct source_recording {
    struct source source;
    FILE *file;
    char *name;
    unsigned long line;
    /* The moment whose `sample` line was read already, in milliseconds. */
    int64_t next;
    /* Time of the last sample that was given out, and what the passes before
       this one took. */
    int64_t last;
    int64_t passed;
};

void recording_begin(FILE *file)
{
    fputs("# SPDX-License-Identifier: Apache-2.0\n"
          "# A machine, twice a second; source_recording.c tells the format.\n",
          file);
}

void recording_write(FILE *file, const struct sample *sample)
{
    fprintf(file, "sample %" PRId64 "\n", sample->time);
    if (sample->parts & SAMPLE_LOAD) {
        fprintf(file, "load %.2f %.2f %.2f %" PRId32 " %" PRId32 "\n",
                sample->load[0], sample->load[1], sample->load[2],
                sample->running, sample->tasks);
    }
    if (sample->parts & SAMPLE_MEMORY) {
        fprintf(file, "memory %" PRId64 " %" PRId64 "\n", sample->memory_total,
                sample->memory_available);
    }
    for (size_t i = 0; i < sample->interface_count; i++) {
        const struct sample_interface *interface = &sample->interfaces[i];
        fprintf(file, "interface %" PRId64 " %" PRId64 " %s\n",
                interface->received, interface->sent, interface->name);
    }
    for (size_t i = 0; i < sample->process_count; i++) {
        const struct sample_process *process = &sample->processes[i];
        fprintf(file,
                "process %" PRId32 " %" PRIu64 " %c %" PRId32 " %" PRId64
                " %" PRId64 " %s\n",
                process->pid, process->start, process->state, process->threads,
                process->memory, process->cpu, process->name);
    }
}

/* What stands behind the fields: a blank, and the name to the line's end. */
static bool parse_name(const char *text, char name[SAMPLE_NAME])
{
    if (*text != ' ') {
        return false;
    }
    sample_set_name(name, text + 1, strcspn(text + 1, "\n"));
    return true;
}

static bool parse_load(const char *fields, struct sample *sample)
{
    sample->parts |= SAMPLE_LOAD;
    return sscanf(fields, "%lf %lf %lf %" SCNd32 " %" SCNd32, &sample->load[0],
                  &sample->load[1], &sample->load[2], &sample->running,
                  &sample->tasks) == 5;
}

static bool parse_memory(const char *fields, struct sample *sample)
{
    sample->parts |= SAMPLE_MEMORY;
    return sscanf(fields, "%" SCNd64 " %" SCNd64, &sample->memory_total,
                  &sample->memory_available) == 2;
}

static bool parse_interface(const char *fields, struct sample *sample)
{
    int end = 0;
    struct sample_interface *interface = sample_add_interface(sample);
    sample->parts |= SAMPLE_NETWORK;
    return interface &&
           sscanf(fields, "%" SCNd64 " %" SCNd64 "%n", &interface->received,
                  &interface->sent, &end) == 2 &&
           parse_name(fields + end, interface->name);
}

static bool parse_process(const char *fields, struct sample *sample)
{
    int end = 0;
    struct sample_process *process = sample_add_process(sample);
    sample->parts |= SAMPLE_PROCESSES;
    return sscanf(fields,
                  "%" SCNd32 " %" SCNu64 " %c %" SCNd32 " %" SCNd64 " %" SCNd64
                  "%n",
                  &process->pid, &process->start, &process->state,
                  &process->threads, &process->memory, &process->cpu,
                  &end) == 6 &&
           process->pid > 0 && parse_name(fields + end, process->name);
}

static bool parse_line(const char *line, struct sample *sample)
{
    static const struct {
        const char *word;
        bool (*parse)(const char *fields, struct sample *sample);
    } kinds[] = {
        {"load ", parse_load},
        {"memory ", parse_memory},
        {"interface ", parse_interface},
        {"process ", parse_process},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].word);
        if (strncmp(line, kinds[i].word, length) == 0) {
            return kinds[i].parse(line + length, sample);
        }
    }
    return false;
}

/* The next line that says something; false at the end. */
static bool next_line(struct source_recording *self, char *line, int size)
{
    do {
        if (!fgets(line, size, self->file)) {
            return false;
        }
        self->line++;
    } while (line[0] == '#' || line[0] == '\n');
    return true;
}

static bool refuse(const struct source_recording *self)
{
    fprintf(stderr, "board: %s:%lu: this line is not understood\n", self->name,
            self->line);
    return false;
}

static bool parse_sample_line(struct source_recording *self, const char *line)
{
    return sscanf(line, "sample %" SCNd64, &self->next) == 1;
}

/* To the first moment, which follows the last one after half a second. */
static bool start_again(struct source_recording *self)
{
    char line[256];
    self->passed = self->line > 0 ? self->last + 500 : 0;
    self->line = 0;
    rewind(self->file);
    return next_line(self, line, sizeof line) && parse_sample_line(self, line);
}

static bool read_recording(struct source *source, struct sample *sample)
{
    struct source_recording *self = (struct source_recording *)source;
    char line[256];
    sample->time = self->last = self->passed + self->next;
    while (next_line(self, line, sizeof line)) {
        if (parse_sample_line(self, line)) {
            sample_sort(sample);
            return true;
        }
        if (!parse_line(line, sample)) {
            return refuse(self);
        }
    }
    sample_sort(sample);
    return start_again(self) || refuse(self);
}

static void close_recording(struct source *source)
{
    struct source_recording *self = (struct source_recording *)source;
    fclose(self->file);
    free(self->name);
    free(self);
}

struct source *source_recording_open(const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file) {
        fprintf(stderr, "board: %s: %s\n", name, strerror(errno));
        return NULL;
    }
    struct source_recording *self = need_memory(NULL, 1, sizeof *self);
    *self = (struct source_recording){
        .source = {read_recording, close_recording},
        .file = file,
        .name = need_memory(NULL, strlen(name) + 1, 1),
    };
    memcpy(self->name, name, strlen(name) + 1);
    if (!start_again(self)) {
        refuse(self);
        close_recording(&self->source);
        return NULL;
    }
    return &self->source;
}
