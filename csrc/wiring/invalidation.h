/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invalidation: marks are pushed along the edges of computed properties, phase
 * 2 of an edit, and reach whoever observes one of them. Nothing is recursive, and
 * unless memory is short nothing is computed and no code of the program runs.
 *
 * What hangs in the slot of a computed property is told
 *
 *     an edge                          the record behind it is marked too
 *     a delayed observation, at the
 *     end or anywhere below            is scheduled "perhaps" (LL-5)
 *     an immediate one                 the property is computed in phase 5, as
 *                                      an eager one is anyhow
 *     `*`                              is told that there was a change (WC-6)
 *     a declared dependency, at the
 *     end or anywhere below            is marked as an edge is
 *
 * once: a record that is marked already has told them. It tells again once it
 * was computed.
 */
#ifndef OBV_INVALIDATION_H
#define OBV_INVALIDATION_H

#include "dispatch/batch.h"
#include "dispatch/loop.h"
#include "dispatch/work_list.h"
#include "model/computed.h"
#include "wiring/path_instance.h"

/** Who tells of a change: OBV__TOLD_ALL; the number of a batch, which tells at its
    end; or that of a handler's edit, of which its observation may be left out
    (DR-3). Another thread that marks what such a one has told of, before that has
    ended, tells once more. */
uintptr_t obv__teller(struct obv__work_list *work);

/** Those of an edit. */
static inline void obv__marks_begin(struct obv__marks *marks,
                                    struct obv__work_list *work)
{
    uintptr_t number = (uintptr_t)work->thread->slots[OBV__THREAD_NUMBER];
    *marks = (struct obv__marks){.thread = number ? number : UINTPTR_MAX,
                                 .work = work};
    if (work->teller == 0) {
        work->is_for_others = false;
        bool is_usual = !obv__batch_of(work->thread) &&
                        !obv__load_relaxed(&work->context->any_thread);
        work->teller =
            OBV__UNLIKELY(!is_usual) ? obv__teller(work) : OBV__TOLD_ALL;
    }
}

/** Marks a record; `is_dirty`: it is surely to be evaluated; `edge`: the one that it
    comes by, or NULL. One that this very thread evaluates will be invalid, and
    tells nobody of what its own function has done; of what handlers do that this
    sets off it tells as of any change. In an epoch section. */
void obv__mark(struct obv__marks *marks, struct obv__computed *computed,
               const struct obv__watcher *edge, bool is_dirty);

/** Marks those that have read a slot, by its list; whether anything else hangs
    there. `is_dirty`, and in an epoch section, as above. */
bool obv__mark_dependents(struct obv__marks *marks, const uintptr_t *head,
                          bool is_dirty);

/** Marks the one that has declared a leaf of a path, which is due: with the work
    list, that is told before anything of it is delivered. */
void obv__mark_declared(struct obv__work_list *work, struct obv__watcher *leaf,
                        uint64_t since);

/** As `tell_marks` of model/above.h. */
void obv__work_list_tell_marks(struct obv__work_list *work);

/** Tells all that is marked, and what that marks. `since`: the registration
    epoch when the edit began. */
void obv__marks_tell(struct obv__marks *marks, struct obv__work_list *work,
                     uint64_t since);

/** Whether an observation waits for an answer: it was told of something that became
    invalid, and has not been called since. */
bool obv__waits(struct obv__watcher *observation);

/** A record that somebody has waited for has a value: those who observe it and have
    no answer yet get it, and who has read it without success is marked. In an
    epoch section, no lock held. */
void obv__tell_waiting(struct obv__thread *self,
                       struct obv__computed *computed);

/** A path has left a record by an edit, of which this is the work list: what its
    observations compare with there is forgotten, unless others wait there too, or
    will once this is scheduled. In an epoch section, no lock held. */
void obv__first_left(struct obv__work_list *work,
                     struct obv__computed *computed);

/** The same as a pair is about to end: unless the call of another one that
    observes the record is pending. */
void obv__first_of_ended(struct obv__thread *self,
                         struct obv__computed *computed,
                         const struct obv__watcher *pair);

/** Whether a delayed leaf at a path instance is told by the drain alone of what is
    there: it waits with nothing for a computed property that leads there. Where
    other threads may evaluate that, a leaf is told of what it may have missed. */
bool obv__waits_above(const struct obv__path_instance *instance,
                      struct obv__watcher *leaf);

/** Whether an edit of a computed property is for a pair that hangs there, or is
    a leaf there. */
bool obv__edit_is_for(const struct obv__edit *edit, struct obv__watcher *pair);

#endif
