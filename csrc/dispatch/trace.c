/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling the trace: makes an event of what the lower rooms say, with the
 * names, and hands it over with no lock held. A caller that tells of an
 * observation is in an epoch section. None is entered here, since leaving one
 * pays what the thread owes (OS-1), which would come between a change and its
 * schedules.
 */
#include "dispatch/trace.h"

#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "model/class.h"
#include "model/container.h"
#include "model/nearest.h"
#include "model/node.h"
#include "path/path.h"
#include "platform/exception.h"
#include "model/path_node.h"

#include <stdio.h>

obv_trace_receiver *obv__trace_receiver;

/* The texts of an event; each is cut if it does not fit. */
struct texts {
    char path[512];
    char class_name[48];
};

/* The path of a pair, as it was written or by its elements; of what hangs at a
   root, only of the root that the caller keeps. */
static const char *path_of(struct obv__watcher *pair,
                           const struct obv_object *root, struct texts *texts)
{
    struct obv_element elements[OBV_PATH_COUNT_MAX];
    const struct obv__recording_member *noting = obv__recording_member(pair);
    uintptr_t place = obv__load_acquire(&pair->place);
    if (noting && noting->path) {
        (void)obv__path_print(noting->path, texts->path, sizeof texts->path);
        return texts->path;
    }
    if (place & OBV__PATH_NODE_TAG) {
        const struct obv__path_node *node = obv__path_node_of(place);
        size_t count = obv__path_node_elements(node, elements);
        (void)obv_path_print(node->paths->context->names, elements, count,
                             texts->path, sizeof texts->path);
        return texts->path;
    }
    if (!root || (const struct obv_object *)place != root) {
        return NULL;
    }
    return pair->slot == OBV__SLOT_EVERY
               ? "*"
               : obv_class_property_name(obv__class_of(root), pair->slot);
}

static void fill_in_object(struct obv_trace_event *event,
                           const struct obv__traced *traced,
                           struct texts *texts)
{
    const struct obv_object *object = traced->object;
    const struct obv_class *cls = obv__class_of(object);
    if (cls->is_cell || cls->container) {
        object = &obv__container(object)->object;
        cls = obv__class_of(object);
    } else {
        event->property = obv_class_property_name(cls, traced->slot);
    }
    event->object = object;
    (void)snprintf(texts->class_name, sizeof texts->class_name, "%.*s",
                   obv__readable_name(cls), cls->table->name);
    event->class_name = texts->class_name;
}

/* Its kind can be read. */
static void fill_in_observation(struct obv_trace_event *event,
                                const struct obv__traced *traced,
                                struct texts *texts)
{
    struct obv__watcher *via = traced->via;
    struct obv__watcher *observation = obv__observation(via);
    struct obv__watcher *pair =
        via == observation ? obv__pair_next(via, NULL) : via;
    event->observation = observation->serial;
    event->label = observation->with.kind->label;
    event->begun_file = obv__begun_at(observation, &event->begun_line);
    event->is_immediate = obv__is_immediate(observation);
    event->path = pair ? path_of(pair, traced->object, texts) : NULL;
}

void obv__trace(const struct obv__traced *traced)
{
    struct obv__thread *self = obv__thread_self();
    /* Acquire: its function is there. */
    obv_trace_receiver *receiver = obv__load_acquire(&obv__trace_receiver);
    if (!receiver || self->is_in_trace || obv__running_is_full(self)) {
        return;
    }
    struct texts texts;
    const struct obv_source *source = obv__source_of(self);
    struct obv_trace_event event = {.kind = traced->kind,
                                    .thread = obv__thread_number(self),
                                    .file = source ? source->file : NULL,
                                    .line = source ? source->line : 0,
                                    .is_perhaps = traced->is_perhaps,
                                    .loop = traced->loop,
                                    .count = traced->count};
    struct obv__watcher *observation =
        traced->via ? obv__observation(traced->via) : NULL;
    bool is_known = true;
    if (traced->object && !obv__object_has_ended(traced->object)) {
        fill_in_object(&event, traced, &texts);
    }
    if (observation && traced->context) {
        obv__running_push(self, OBV__PINNED(observation));
        is_known = obv__has_state(observation, OBV__LINKED);
    }
    if (observation && is_known) {
        fill_in_observation(&event, traced, &texts);
    }
    if (is_known) {
        struct obv__evaluating evaluating;
        obv__evaluating_suspend(self, &evaluating);
        self->is_in_trace = true;
        OBV__NO_EXCEPTION_LEAVES();
        receiver(&event);
        self->is_in_trace = false;
        obv__evaluating_resume(self, &evaluating);
    }
    if (observation && traced->context) {
        obv__unpin(self, traced->context, observation);
    }
}

void obv_detail_trace(obv_trace_receiver *receiver)
{
    static struct obv__lock lock;
    obv__lock_enter(&lock);
    /* Release, pairs with obv__trace(). The first set that comes here finds
       it. */
    bool was = obv__exchange_acq_rel(&obv__trace_receiver, receiver) != NULL;
    obv__graph_set_told(receiver != NULL);
    obv__lock_leave(&lock);
    if (was != (receiver != NULL)) {
        obv__tell_of_all_sets(receiver ? 1 : (size_t)-1);
    }
}
