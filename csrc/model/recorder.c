/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorders of a container.
 */
#include "model/recorder.h"

#include "model/container.h"

static struct obv__recorder **first_of(const struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    return elements ? &elements->recorders : NULL;
}

bool obv__recorders_prepare(struct obv_container *container)
{
    struct obv__lock *lock = &obv__container_context(container)->paths;
    obv__lock_enter(lock);
    const struct obv__elements *elements = obv__elements_ensure(container);
    obv__lock_leave(lock);
    return elements != NULL;
}

void obv__recorder_enter(struct obv_container *container,
                         struct obv__recorder *recorder)
{
    struct obv__recorder *unwanted = obv__recorders_tell(container, NULL, 0);
    struct obv__recorder **first = first_of(container);
    recorder->next = *first;
    *first = recorder;
    obv__recorders_let_go(unwanted);
}

void obv__recorder_leave(struct obv_container *container,
                         struct obv__recorder *recorder)
{
    struct obv__recorder **place = first_of(container);
    while (*place != recorder) {
        place = &(*place)->next;
    }
    *place = recorder->next;
}

struct obv__recorder *
obv__recorders_tell(struct obv_container *container,
                    const struct obv_container_edit *edits, size_t count)
{
    struct obv__recorder **place = first_of(container), *unwanted = NULL;
    while (place && *place) {
        struct obv__recorder *recorder = *place;
        if (recorder->edited(recorder, container, edits, count)) {
            place = &recorder->next;
        } else {
            *place = recorder->next;
            recorder->next = unwanted;
            unwanted = recorder;
        }
    }
    return unwanted;
}

struct obv__recorder *obv__recorders_end(struct obv_container *container)
{
    struct obv__recorder **first = first_of(container);
    struct obv__recorder *all = first ? *first : NULL;
    for (struct obv__recorder *at = all; at; at = at->next) {
        (void)at->edited(at, NULL, NULL, 0);
    }
    if (all) {
        *first = NULL;
    }
    return all;
}

void obv__recorders_let_go(struct obv__recorder *first)
{
    while (first) {
        struct obv__recorder *next = first->next;
        first->let_go(first);
        first = next;
    }
}

const struct obv_property *obv__element_property(const struct obv_class *cls)
{
    return &cls->container->element;
}
