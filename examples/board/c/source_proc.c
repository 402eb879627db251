/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads this machine from /proc: loadavg, meminfo, net/dev and each PID/stat.
 * Every file is read whole, by one read() where it fits: that is what makes
 * its lines belong together. Nothing here waits.
 */
#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct source_proc {
    struct source source;
    DIR *folder;
    int64_t opened;
    int64_t page_size;
    int64_t ticks_a_second;
};

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads what fits of a file; errno says why it could not. */
static bool read_text(const struct source_proc *self, const char *path,
                      char *text, size_t size)
{
    int file = openat(dirfd(self->folder), path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    size_t length = 0;
    ssize_t got;
    while ((got = read(file, text + length, size - 1 - length)) > 0) {
        length += (size_t)got;
    }
    int reason = errno;
    close(file);
    errno = reason;
    text[length] = 0;
    return got == 0;
}

static void read_load(const struct source_proc *self, struct sample *sample)
{
    char text[128];
    if (read_text(self, "loadavg", text, sizeof text) &&
        sscanf(text, "%lf %lf %lf %" SCNd32 "/%" SCNd32, &sample->load[0],
               &sample->load[1], &sample->load[2], &sample->running,
               &sample->tasks) == 5) {
        sample->parts |= SAMPLE_LOAD;
    }
}

/* The number behind `label` in meminfo, in bytes. */
static bool memory_line(const char *text, const char *label, int64_t *bytes)
{
    const char *line = strstr(text, label);
    if (!line || sscanf(line + strlen(label), "%" SCNd64, bytes) != 1) {
        return false;
    }
    *bytes *= 1024;
    return true;
}

static void read_memory(const struct source_proc *self, struct sample *sample)
{
    char text[8192];
    if (read_text(self, "meminfo", text, sizeof text) &&
        memory_line(text, "MemTotal:", &sample->memory_total) &&
        (memory_line(text, "MemAvailable:", &sample->memory_available) ||
         memory_line(text, "MemFree:", &sample->memory_available))) {
        sample->parts |= SAMPLE_MEMORY;
    }
}

/* One line of net/dev: the name, a colon, eight counters in, eight out. */
static void read_interface(const char *line, struct sample *sample)
{
    int64_t received, sent;
    const char *colon = strchr(line, ':');
    if (!colon ||
        sscanf(colon + 1, "%" SCNd64 " %*s %*s %*s %*s %*s %*s %*s %" SCNd64,
               &received, &sent) != 2) {
        return;
    }
    struct sample_interface *interface = sample_add_interface(sample);
    if (!interface) {
        return;
    }
    line += strspn(line, " ");
    sample_set_name(interface->name, line, (size_t)(colon - line));
    interface->received = received;
    interface->sent = sent;
}

static void read_network(const struct source_proc *self, struct sample *sample)
{
    char text[8192];
    if (!read_text(self, "net/dev", text, sizeof text)) {
        return;
    }
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        read_interface(line, sample);
    }
    sample->parts |= SAMPLE_NETWORK;
}

/* A name may hold blanks and brackets: it ends at the last one. */
static bool parse_stat(const struct source_proc *self, const char *text,
                       struct sample_process *process)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    uint64_t user, system;
    int64_t pages;
    if (!open || !close || close < open ||
        sscanf(close + 1,
               " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64
               " %" SCNu64 " %*s %*s %*s %*s %" SCNd32 " %*s %" SCNu64
               " %*s %" SCNd64,
               &process->state, &user, &system, &process->threads,
               &process->start, &pages) != 6) {
        return false;
    }
    sample_set_name(process->name, open + 1, (size_t)(close - open - 1));
    process->memory = pages * self->page_size;
    process->cpu =
        (int64_t)((user + system) * 1000 / (uint64_t)self->ticks_a_second);
    return true;
}

static void read_process(const struct source_proc *self, int32_t pid,
                         struct sample *sample)
{
    char path[32], text[1024];
    struct sample_process process = {.pid = pid};
    snprintf(path, sizeof path, "%" PRId32 "/stat", pid);
    if (!read_text(self, path, text, sizeof text)) {
        bool gone = errno == ENOENT || errno == ESRCH;
        sample->vanished += gone;
        sample->unreadable += !gone;
    } else if (parse_stat(self, text, &process)) {
        *sample_add_process(sample) = process;
    } else {
        sample->unreadable++;
    }
}

/* The number that a folder's name is, or 0. */
static int32_t process_id(const char *name)
{
    char *end;
    if (name[0] < '1' || name[0] > '9') {
        return 0;
    }
    long number = strtol(name, &end, 10);
    return *end == 0 && number <= INT32_MAX ? (int32_t)number : 0;
}

static void read_processes(const struct source_proc *self,
                           struct sample *sample)
{
    const struct dirent *entry;
    rewinddir(self->folder);
    while ((entry = readdir(self->folder))) {
        int32_t pid = process_id(entry->d_name);
        if (pid) {
            read_process(self, pid, sample);
        }
    }
    if (sample->process_count > 0) {
        sample->parts |= SAMPLE_PROCESSES;
    }
    sample_sort(sample);
}

static bool read_proc(struct source *source, struct sample *sample)
{
    struct source_proc *self = (struct source_proc *)source;
    sample->time = milliseconds() - self->opened;
    read_load(self, sample);
    read_memory(self, sample);
    read_network(self, sample);
    read_processes(self, sample);
    return true;
}

static void close_proc(struct source *source)
{
    struct source_proc *self = (struct source_proc *)source;
    closedir(self->folder);
    free(self);
}

/* Whether there is anything to show: one process at least. */
static bool shows_processes(struct source_proc *self)
{
    struct sample sample = {0};
    read_processes(self, &sample);
    bool shown = sample.parts & SAMPLE_PROCESSES;
    sample_free(&sample);
    return shown;
}

struct source *source_proc_open(const char *proc)
{
    DIR *folder = opendir(proc);
    if (!folder) {
        return NULL;
    }
    struct source_proc *self = need_memory(NULL, 1, sizeof *self);
    *self = (struct source_proc){
        .source = {read_proc, close_proc},
        .folder = folder,
        .opened = milliseconds(),
        .page_size = sysconf(_SC_PAGESIZE),
        .ticks_a_second = sysconf(_SC_CLK_TCK),
    };
    if (!shows_processes(self)) {
        close_proc(&self->source);
        errno = ENOENT;
        return NULL;
    }
    return &self->source;
}
