/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where samples come from: this machine's /proc, or a recording of one.
 */
#ifndef BOARD_SOURCE_H
#define BOARD_SOURCE_H

#include "sample.h"

#include <stdbool.h>
#include <stdio.h>

/** A source, whichever it is. */
struct source {
    /** Fills an empty sample. False: the source is of no use any more, and a
        line on standard error has said why. */
    bool (*read)(struct source *self, struct sample *sample);
    void (*close)(struct source *self);
};

/**
 * This machine, read from the folder `proc`.
 *
 * What cannot be read is missing from the sample, and the next one tries it
 * again: reading never fails for good.
 *
 * @return the source, or NULL if the folder shows no process; errno says why.
 */
struct source *source_proc_open(const char *proc);

/**
 * A recording; behind its end it begins again.
 *
 * @return the source; NULL if the file cannot be read: said on standard error.
 */
struct source *source_recording_open(const char *file);

/** Writes the head of a recording. */
void recording_begin(FILE *file);

/** Appends a sample to a recording. */
void recording_write(FILE *file, const struct sample *sample);

#endif
