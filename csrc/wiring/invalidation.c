/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invalidation: marking, and telling of it. A marked record stands in `first`
 * of the marks until its readers are marked, and in `told`, if it has watchers,
 * until they are told.
 */
#include "wiring/invalidation.h"

#include "dispatch/batch.h"
#include "dispatch/inbound_queue.h"
#include "dispatch/pull.h"
#include "model/above.h"
#include "model/node.h"
#include "wiring/leaves.h"
#include "model/path_node.h"
#include "wiring/wiring.h"
#include "wiring/class_watch.h"

/* Marking ------------------------------------------------------------------ */

void obv__marks_begin_unusually(struct obv__marks *marks)
{
    marks->is_again =
        obv__batches_are_open() && !obv__batch_of(marks->work->thread);
    marks->no_news = UINT32_MAX;
    if (marks->is_again || obv__class_subscriptions_exist()) {
        marks->unusual = UINT32_MAX;
    }
}

static inline void push_mark(struct obv__marks *marks,
                             struct obv__computed *computed)
{
    computed->next = marks->first;
    marks->first = computed;
}

/* Whether an observation of the class does not follow this instance yet (OS-3):
   then even a stale record is told of, since the observation has not heard of
   it. */
static bool class_has_come(const struct obv__computed *computed)
{
    return OBV__UNLIKELY(obv__class_subscriptions_exist()) &&
           obv__computed_has_value(computed) &&
           obv__class_subscriptions_await(computed->object, computed->slot);
}

OBV__INLINE void mark_edges(struct obv__marks *marks, struct obv__edge *edge,
                            uint32_t bits);

/* Whether an edge is there only for the check of a lazy property's declarations
   (dependency_check.h): such an edge is no dependency. */
static bool is_of_check(uint32_t flags, const struct obv__edge *edge)
{
    return (flags & OBV__LAZY) && edge &&
           !(obv__load_relaxed(&edge->source) & OBV__SOURCE_DECLARED);
}

/* Whether this thread is in the function of a record right now, and not in a
   handler that the function has set off. If so, the record is overtaken:
   something that it has read has changed. An `edge` (or NULL) of last time that
   the function has not come to yet is excepted. Inside the graph. */
static bool overtake(const struct obv__thread *self,
                     struct obv__computed *computed,
                     const struct obv__edge *edge)
{
    const struct obv__pull *at = obv__pulls_of(self);
    while (at && obv__computes_in(at) != computed) {
        at = at->outer;
    }
    const struct obv__edge *ahead = at && edge ? *at->cursor : NULL;
    while (ahead && ahead != edge) {
        ahead = ahead->next;
    }
    if (at && !ahead) {
        obv__flags_add(computed, OBV__OVERTAKEN);
    }
    return at != NULL;
}

OBV__NOINLINE static void mark_unusual(struct obv__marks *marks,
                                       struct obv__computed *computed,
                                       const struct obv__edge *edge,
                                       uint32_t bits)
{
    uint32_t flags = obv__flags(computed);
    if ((flags & OBV__ENDED) || is_of_check(flags, edge) ||
        ((flags & OBV__RUNS) && !marks->inbound &&
         overtake(obv__thread_self(), computed, edge))) {
        return;
    }
    bits |= flags & OBV__MOVED ? OBV__DIRTY : 0;
    if (flags & OBV__CHECKS) {
        /* If it is stale, it has told of that, and the walk that checks it
           looks at its sources again. If not, it was evaluated or set
           meanwhile. */
        obv__flags_set(computed,
                       flags | (flags & OBV__STALE ? bits : OBV__DIRTY));
        return;
    }
    bool was_stale = (flags & OBV__STALE) != 0;
    uint32_t now = (flags & ~(uint32_t)OBV__MOVED) | OBV__STALE | bits;
    obv__flags_set(computed, now);
    marks->work->thread->batch_marks = true;
    if (was_stale && !class_has_come(computed)) {
        if (!marks->is_again || (flags & (OBV__TELLS_AGAIN | OBV__TELLS))) {
            return;
        }
        now |= OBV__TELLS_AGAIN;
    }
    if (obv__computed_is_watched(computed) || (flags & OBV__EAGER) ||
        class_has_come(computed) || marks->is_again) {
        bool was_valid = !(flags & (uint32_t)(OBV__STALE | OBV__DIRTY));
        now |= OBV__TELLS | (was_valid ? OBV__WAS_VALID : 0);
    }
    obv__flags_set(computed, now);
    if (flags & (OBV__TELLS | OBV__TELLS_AGAIN)) {
        /* It stands in the list of other marks, which are about to tell of
           it. */
        if (!was_stale || !class_has_come(computed)) {
            mark_edges(marks, computed->readers, 0);
        }
    } else if (computed->readers || (now & (OBV__TELLS | OBV__TELLS_AGAIN))) {
        push_mark(marks, computed);
    }
}

/* Marks the reader of an edge, if nobody watches it and it has no unusual flag.
   False: it was not marked. */
OBV__INLINE bool mark_plainly(uint32_t unusual, const struct obv__edge *edge,
                              uint32_t bits)
{
    struct obv__computed *reader = edge->reader;
    uint32_t flags = obv__flags(reader);
    bool is_usual =
        ((flags & unusual) | obv__load_relaxed(&reader->watched)) == 0;
    if (is_usual) {
        obv__flags_set(reader, flags | bits);
    }
    return is_usual;
}

/* Goes on from a record that was marked, while other edges of the list wait.
   Its only reader is marked at once: if another edge leads there too, it stops
   there. */
OBV__INLINE void push_marked(struct obv__marks *marks, uint32_t unusual,
                             struct obv__computed *marked)
{
    const struct obv__edge *edge = marked->readers;
    struct obv__computed *reader = edge->reader;
    if (edge->next_there) {
        push_mark(marks, marked);
    } else if ((obv__flags(reader) & unusual) == marks->no_news) {
        return;
    } else if (!mark_plainly(unusual, edge, OBV__STALE)) {
        push_mark(marks, marked);
    } else if (reader->readers) {
        push_mark(marks, reader);
    }
}

/* Marks the readers in a list of edges. If the last one was marked plainly and
   has readers itself, answers their list, for the caller to go on with; else
   NULL. */
OBV__INLINE struct obv__edge *mark_list(struct obv__marks *marks,
                                        uint32_t unusual,
                                        struct obv__edge *edge, uint32_t bits)
{
    for (;;) {
        struct obv__computed *reader = edge->reader;
        struct obv__edge *next = edge->next_there;
        if (!mark_plainly(unusual, edge, bits)) {
            OBV__OPAQUE(reader); /* so that its address alone is at hand */
            uint32_t flags = obv__flags(reader);
            if ((flags & unusual) == marks->no_news) {
                obv__flags_set(reader, flags | bits);
            } else {
                mark_unusual(marks, reader, edge, bits);
            }
        } else if (reader->readers) {
            if (!next) {
                return reader->readers;
            }
            push_marked(marks, unusual, reader);
        }
        if (!next) {
            return NULL;
        }
        edge = next;
    }
}

OBV__INLINE void mark_edges(struct obv__marks *marks, struct obv__edge *edge,
                            uint32_t bits)
{
    const uint32_t unusual = marks->unusual;
    edge = edge ? mark_list(marks, unusual, edge, bits | OBV__STALE) : NULL;
    while (edge) {
        edge = mark_list(marks, unusual, edge, OBV__STALE);
    }
}

void obv__mark_edges(struct obv__marks *marks, struct obv__edge *edges,
                     uint32_t bits)
{
    if (bits && OBV__UNLIKELY(obv__stamps_are_told())) {
        /* Also of one that is marked already: the latest change counts. */
        uint64_t stamp = obv__stamp_of_change(&marks->work->stamp);
        for (struct obv__edge *edge = edges; edge; edge = edge->next_there) {
            obv__computed_renew(edge->reader, stamp);
        }
    }
    mark_edges(marks, edges, bits);
}

void obv__mark(struct obv__marks *marks, struct obv__computed *computed)
{
    obv__marks_enter(marks);
    if (OBV__UNLIKELY(obv__stamps_are_told())) {
        obv__computed_renew(computed,
                            obv__stamp_of_change(&marks->work->stamp));
    }
    mark_unusual(marks, computed, NULL, OBV__DIRTY);
}

void obv__mark_readers_of_set(struct obv__marks *marks,
                              struct obv__computed *set)
{
    obv__marks_enter(marks);
    marks->set = set;
    marks->flags_of_set = set->flags;
    obv__flags_set(set, OBV__STALE);
    obv__mark_edges(marks, set->readers, OBV__DIRTY);
}

bool obv__mark_dependents(struct obv__marks *marks, const uintptr_t *head)
{
    bool has_others = false;
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (obv__is_edge(w)) {
            obv__marks_enter(marks);
            obv__mark_edges(marks, ((struct obv__hub *)(void *)w)->edges,
                            OBV__DIRTY);
        } else {
            has_others = true;
        }
    }
    return has_others;
}

/* Telling ------------------------------------------------------------------ */

/* The telling of one record. */
struct told_mark {
    struct obv__computed *computed;
    struct obv_detail_node *node; /* of its watchers; NULL: they have ended */
    struct obv__work_list *work;
    uint64_t since;
    bool is_awaited;    /* by one of the observers already */
    bool is_needed;     /* at the end of the change */
    bool is_delayed;    /* one of the observers waits for a drain */
    bool is_watched;    /* there is one */
    bool compares;      /* with what is kept: the owner's telling */
    bool is_late;       /* the binding visited came after what is kept */
    bool has_latecomer; /* a delayed leaf hangs below such a binding */
    bool is_of_end;     /* as of the marks */
    const struct obv__watcher *but; /* is about to end; or NULL */
};

/* The telling of a record whose object may have ended, and its watchers with
   it. In an epoch section, in which the object's node stays. */
static struct told_mark telling_of(struct obv__computed *computed,
                                   struct obv__work_list *work)
{
    obv__graph_enter(work->thread);
    struct obv_detail_node *node =
        obv__flags(computed) & OBV__ENDED ? NULL : obv__node(computed->object);
    obv__graph_leave(work->thread);
    return (struct told_mark){.computed = computed,
                              .node = node,
                              .work = work,
                              .since = obv__registration_epoch()};
}

bool obv__waits(struct obv__watcher *observation)
{
    return obv__batches_have(observation, OBV__ASIDE_ASKS) ||
           (obv__asks(observation) && obv__is_pending(observation));
}

/* Whether a pair waits for an answer, or will once the edit is scheduled. */
static bool is_to_wait(const struct obv__work_list *work,
                       struct obv__watcher *pair)
{
    return obv__waits(obv__observation(pair)) ||
           obv__work_list_has_perhaps(work, pair);
}

/* Looks at a pair, or `tells` it: for an immediate one the property is
   computed, any other is scheduled "perhaps". So is an immediate one whose loop
   another thread drains, if an object has ended here (LT-6): that drain
   computes. */
static void visit_pair(struct told_mark *telling, struct obv__watcher *pair,
                       bool tells)
{
    struct obv__watcher *observation = obv__observation(pair);
    if (!tells) {
        bool is_delayed = !obv__is_immediate(observation);
        telling->is_delayed |= is_delayed;
        telling->has_latecomer |= is_delayed && telling->is_late;
        /* A walk of what is due, so only where something is kept to compare with. */
        telling->is_awaited =
            telling->is_awaited ||
            (pair != telling->but &&
             (telling->but || obv__first_state(telling->computed) != 0) &&
             is_to_wait(telling->work, pair));
    } else if (obv__came_since(pair, telling->since,
                               obv__registration_epoch())) {
        return;
    } else if (obv__is_immediate(observation) &&
               !(telling->is_of_end && (observation->type & OBV__HAS_ITEM) &&
                 obv__loop_is_elsewhere(observation, telling->work->thread))) {
        telling->is_needed = true;
    } else {
        obv__work_list_add_perhaps(telling->work, pair);
    }
}

/* The record above a path instance that leaves there wait for: it led nowhere,
   and its answer will be theirs, too (obv__rewire()). NULL: there is none. */
static const struct obv__computed *
waits_above(const struct obv__path_instance *instance)
{
    for (; instance->parent; instance = instance->parent) {
        const struct obv_element *element =
            obv__path_node_element(instance->node);
        const struct obv__watcher *above =
            obv__load_acquire(&instance->parent->binding);
        struct obv_object *object = above ? obv__binding_place(above) : NULL;
        if (obv__matcher_is_many(element) ||
            obv__matcher_is_bound_once(element)) {
            return NULL;
        }
        const struct obv__computed *computed =
            object && above->slot <= OBV__SLOT_LAST
                ? obv__computed_of(object, above->slot)
                : NULL;
        if (computed && !obv__computed_has_come_later(computed, above) &&
            obv__computed_waits(computed, NULL) == OBV__WAITS_WITH_NIL) {
            return computed;
        }
    }
    return NULL;
}

/* Each pair that observes the property, at its end or anywhere below. */
static void visit_observers(struct told_mark *telling, bool tells)
{
    const uintptr_t *head =
        telling->node ? obv__list(telling->node, telling->computed->slot)
                      : NULL;
    struct obv__watcher *w = head ? obv__first(head) : NULL;
    for (; w; w = obv__next(w)) {
        telling->is_watched = true;
        telling->is_late = false;
        if (!obv__is_binding(w)) {
            visit_pair(telling, w, tells);
            continue;
        }
        const struct obv__path_instance *instance = w->of;
        /* If the binding came after the kept value was stored over, its leaves
           compare with another value. */
        telling->is_late = telling->compares &&
                           obv__computed_has_come_later(telling->computed, w) &&
                           !waits_above(instance);
        struct obv__work_list below;
        obv__work_list_init(&below, telling->work->thread,
                            telling->work->context);
        obv__leaves_add_below(instance->node, &below, telling->since,
                              OBV__BELOW_PERHAPS);
        for (size_t i = 0; i < below.count; i++) {
            visit_pair(telling, obv__due_pair(below.items[i]), tells);
        }
        obv__work_list_forget(&below);
    }
}

/* Whether no observation that waits compares with the value that is kept. */
static bool is_of_nobody(const struct told_mark *telling)
{
    return !(obv__flags(telling->computed) & OBV__IS_WAITED) &&
           !telling->is_awaited;
}

/* Notes with which value those about to be told compare: with the one stored
   now, unless somebody waits already and compares with an earlier one. */
static void ask_first(const struct told_mark *telling, struct obv__marks *marks)
{
    struct obv__computed *computed = telling->computed;
    uint32_t state = obv__first_state(computed);
    bool is_now =
        state == 0 || (state > OBV__FIRST_IS_NOW && is_of_nobody(telling));
    bool is_unknown = !is_now && telling->has_latecomer;
    obv__marks_enter(marks);
    if (is_now) {
        obv__first_set(computed, OBV__FIRST_IS_NOW);
    }
    /* If the end of another object on another thread has marked it, the owner
       may have evaluated it already: the value before is not known then. */
    if (is_unknown ||
        (telling->is_of_end && !(obv__flags(computed) & OBV__STALE))) {
        obv__first_set(computed, OBV__FIRST_UNKNOWN);
    }
    obv__marks_leave(marks);
}

/* Marks the readers of every property of the object, but the property itself. */
static void mark_readers_of_every(const struct told_mark *telling,
                                  const uintptr_t *every,
                                  struct obv__marks *marks)
{
    for (struct obv__watcher *w = obv__first(every); w; w = obv__next(w)) {
        if (!obv__is_edge(w)) {
            continue;
        }
        obv__marks_enter(marks);
        struct obv__edge *edge = ((struct obv__hub *)(void *)w)->edges;
        for (; edge; edge = edge->next_there) {
            if (edge->reader != telling->computed) {
                mark_unusual(marks, edge->reader, edge, OBV__DIRTY);
            }
        }
        obv__marks_spread(marks);
    }
}

/* Tells the observers of every property of the object of a change. */
static void tell_every(const struct told_mark *telling, const uintptr_t *every)
{
    struct obv__work_list *work = telling->work;
    const struct obv__computed *computed = telling->computed;
    const struct obv__edit outer = work->edit;
    work->edit =
        (struct obv__edit){.at = {computed->object, computed->slot, NULL},
                           .kind = OBV__EDIT_INVALID};
    for (struct obv__watcher *w = obv__first(every); w; w = obv__next(w)) {
        if (obv__is_edge(w) ||
            obv__came_since(w, telling->since, obv__registration_epoch())) {
            continue;
        }
        if (obv__is_binding(w)) {
            obv__rewire(w, work, telling->since);
        } else {
            obv__work_list_add(work, w);
        }
    }
    work->edit = outer;
}

/* Has this edit compute the property, if that `is_needed`, and tells the
   observers of `every` property (or NULL). */
static void tell_now(const struct told_mark *telling, bool is_needed,
                     const uintptr_t *every)
{
    if (is_needed) {
        obv__work_list_add_invalid(telling->work, telling->computed);
    }
    if (every) {
        tell_every(telling, every);
    }
}

/* Class-level observations begin to follow this instance, from the last value
   on, and are told of this invalidation. */
OBV__NOINLINE static void meet_class(struct told_mark *telling,
                                     struct obv__marks *marks)
{
    struct obv__computed *computed = telling->computed;
    if (obv__computed_has_value(computed) &&
        obv__class_subscriptions_await(computed->object, computed->slot)) {
        obv__marks_enter(marks);
        obv__flags_add(computed, OBV__STANDS);
        obv__marks_leave(marks);
        (void)obv__above.attach_class(computed->object, computed->slot, false,
                                      NULL);
        obv__marks_enter(marks);
        obv__flags_remove(computed, OBV__STANDS);
        obv__marks_leave(marks);
        telling->since = obv__registration_epoch();
    }
}

/* Tells the watchers of a marked record, and those of `*` on its object. */
OBV__NOINLINE static void tell_watchers(struct obv__computed *computed,
                                        struct obv__marks *marks,
                                        uint64_t since)
{
    struct obv__work_list *work = marks->work;
    struct told_mark telling = {.computed = computed,
                                .work = work,
                                .since = since,
                                .compares = true,
                                .is_of_end = marks->is_of_end};
    bool held;
    obv__marks_enter(marks);
    uint32_t flags = obv__flags(computed);
    obv__flags_set(
        computed,
        flags & ~(OBV__TELLS_AGAIN | (uint32_t)(OBV__TELLS | OBV__WAS_VALID)));
    /* A `retain` may be called inside. */
    struct obv_object *object = obv__computed_hold(computed, &held);
    telling.node = object ? obv__node(object) : NULL;
    obv__marks_leave(marks);
    if (object && (flags & OBV__TELLS)) {
        telling.is_needed = (flags & OBV__EAGER) != 0;
        if (OBV__UNLIKELY(obv__class_subscriptions_exist())) {
            meet_class(&telling, marks);
        }
        visit_observers(&telling, false);
        if (telling.is_delayed) {
            ask_first(&telling, marks);
        }
        if (telling.is_watched) {
            visit_observers(&telling, true);
        }
        const uintptr_t *every = obv__every(telling.node);
        bool has_every = every && obv__first(every);
        bool tells_every = has_every && (flags & OBV__WAS_VALID);
        if (tells_every) {
            mark_readers_of_every(&telling, every, marks);
        }
        if (marks->inbound) {
            obv__inbound_leave_record(marks->inbound, computed,
                                      telling.is_needed, tells_every);
        } else {
            tell_now(&telling, telling.is_needed, tells_every ? every : NULL);
        }
        if (!telling.is_watched && !has_every) {
            obv__computed_unwatched(computed);
        }
    }
    obv__object_let_go(object, held);
}

void obv__tell_late(struct obv__work_list *work, struct obv__inbound *record)
{
    const struct told_mark telling = telling_of(record->record, work);
    tell_now(&telling, record->computes,
             telling.node && record->tells_every ? obv__every(telling.node)
                                                 : NULL);
    record->computes = record->tells_every = false;
}

void obv__marks_spread_on(struct obv__marks *marks)
{
    struct obv__computed *computed;
    struct obv__edge *edge;
    while ((computed = marks->first) != NULL) {
        marks->first = computed->next;
        if (OBV__UNLIKELY(obv__flags(computed) &
                          (OBV__TELLS | OBV__TELLS_AGAIN))) {
            computed->next = NULL;
            *marks->told_end = computed;
            marks->told_end = &computed->next;
        }
        if (OBV__UNLIKELY(obv__flags(computed) & OBV__TELLS_AGAIN)) {
            /* Its readers are told again. A reader that is not stale was set
               since. */
            for (edge = computed->readers; edge; edge = edge->next_there) {
                if (obv__flags(edge->reader) & OBV__STALE) {
                    mark_unusual(marks, edge->reader, edge, 0);
                }
            }
        } else {
            mark_edges(marks, computed->readers, 0);
        }
    }
    if (marks->set) {
        obv__flags_set(marks->set, marks->flags_of_set);
        marks->set = NULL;
    }
}

void obv__marks_tell(struct obv__marks *marks, uint64_t since)
{
    struct obv__computed *computed;
    obv__marks_spread(marks);
    while ((computed = marks->told) != NULL) {
        marks->told = computed->next;
        if (!marks->told) {
            marks->told_end = &marks->told;
        }
        tell_watchers(computed, marks, since);
    }
}

/* Those who wait ----------------------------------------------------------- */

void obv__tell_waiting(struct obv__thread *self, struct obv__computed *computed)
{
    struct obv__marks marks;
    struct obv__work_list work;
    obv__flags_change(self, computed, OBV__IS_WAITED, 0);
    obv__epoch_enter(self);
    obv__work_list_init(&work, self, obv__computed_context(computed));
    obv__marks_begin(&marks, &work);
    struct told_mark telling = telling_of(computed, &work);
    telling.is_needed = (obv__flags(computed) & OBV__EAGER) != 0;
    visit_observers(&telling, true);
    if (telling.is_needed) {
        obv__work_list_add_invalid(&work, computed);
    }
    obv__marks_enter(&marks);
    /* Marks its readers, also if their read has failed; but not a reader that
       runs or is checked right now, nor one that was set since. */
    for (struct obv__edge *edge = computed->readers; edge;
         edge = edge->next_there) {
        if (!(obv__flags(edge->reader) &
              (OBV__WAS_SET | OBV__RUNS | OBV__CHECKS))) {
            mark_unusual(&marks, edge->reader, edge, 0);
        }
    }
    obv__marks_tell(&marks, telling.since);
    obv__work_list_deliver(&work);
    obv__epoch_leave(self);
}

void obv__first_left(struct obv__work_list *work,
                     struct obv__computed *computed)
{
    struct told_mark telling = telling_of(computed, work);
    uint32_t state = obv__first_state(computed);
    if (state != 0) {
        visit_observers(&telling, false);
    }
    if (state != 0 && is_of_nobody(&telling)) {
        /* A delayed observation that is still there may be about to be told, of
           this change or one around it: it compares with what is stored now. */
        obv__graph_enter_alone(work->thread); /* perhaps of an end */
        obv__first_set(computed, !telling.is_delayed ? 0
                                 : state == OBV__FIRST_UNKNOWN
                                     ? OBV__FIRST_UNKNOWN
                                     : OBV__FIRST_IS_NOW);
        obv__graph_leave_alone();
    }
}

bool obv__first_is_awaited(struct obv__thread *self,
                           struct obv__computed *computed,
                           const struct obv__watcher *but)
{
    struct obv__work_list work;
    obv__work_list_init(&work, self, obv__class_of(computed->object)->context);
    struct told_mark telling = telling_of(computed, &work);
    telling.but = but;
    visit_observers(&telling, false);
    return but ? telling.is_awaited : telling.is_delayed;
}

bool obv__waits_above(const struct obv__work_list *work,
                      const struct obv__path_instance *instance,
                      struct obv__watcher *leaf)
{
    return !obv__is_immediate(obv__observation(leaf)) &&
           waits_above(instance) && is_to_wait(work, leaf);
}

/* Edits of computed properties --------------------------------------------- */

bool obv__edit_is_for(const struct obv__edit *edit, struct obv__watcher *pair)
{
    struct obv__watcher *observation = obv__observation(pair);
    switch (edit->kind) {
    case OBV__EDIT_COMPUTED:
        return obv__is_immediate(observation);
    case OBV__EDIT_SETTLED:
        return !obv__is_immediate(observation) && obv__waits(observation);
    default:
        return true;
    }
}
