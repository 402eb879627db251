/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries samples into the model, one setter call after the other, and counts
 * them. It knows nothing of views: setting a property is all it does.
 */
#ifndef BOARD_UPDATE_H
#define BOARD_UPDATE_H

#include "model.h"
#include "sample.h"

/** What was set. */
struct tally {
    /** Setter calls. */
    uint64_t sets;
    /** Those that found another value: compared before each set. */
    uint64_t changes;
    /** Those of them whose property somebody observed at that moment, as a
        path's end or middle. */
    uint64_t observed;
    /** Observations of those properties, added up (obv_observer_count()): as
        many calls would be made if each change called for itself. */
    uint64_t due;
};

/** The machine's model as it is kept up. */
struct update {
    struct model *model;
    struct machine *machine;
    /** All processes, by pid and start; one reference each. */
    struct process **processes;
    size_t process_count;
    /** All interfaces; one reference each. */
    struct interface *interfaces[SAMPLE_INTERFACES];
    size_t interface_count;
    /** The sample before, in milliseconds; negative: there was none. */
    int64_t time;
    struct tally tally;
};

/** Makes an empty machine: nothing is known of it yet. */
void update_open(struct update *update, struct model *model);

/** Sets every property that the sample tells; the parts that it lacks keep
    what they had. */
void update_apply(struct update *update, const struct sample *sample);

/** Lets go of the machine and all that belongs to it. */
void update_close(struct update *update);

#endif
