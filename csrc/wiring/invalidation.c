/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invalidation. Marks are set in this order: dirty, stale, queued. A record
 * that is found queued is told by who has queued it: that thread takes the flag
 * away, then walks the record's list. A record that is found stale has been
 * told, or is queued; but not everybody has been told if that was by a batch, or
 * by a handler whose own change it was.
 */
#include "wiring/invalidation.h"

#include "dispatch/batch.h"
#include "dispatch/delivery.h"
#include "model/above.h"
#include "model/node.h"
#include "wiring/claim.h"
#include "wiring/leaves.h"
#include "wiring/path_instance.h"
#include "wiring/wiring.h"

/* Who tells ---------------------------------------------------------------- */

static uint64_t edits_numbered;

/* Another edit of a handler's thread than before, unless it is part of one. */
static void announce_edit(struct obv__thread *self)
{
    uint32_t nested = self->nested & ~OBV__OWES;
    if (!self->telling || nested <= self->telling_nested) {
        uintptr_t number = obv__teller_number(&edits_numbered, 0);
        self->telling_nested = nested;
        obv__store_release(&self->telling, number);
    }
}

uintptr_t obv__teller(struct obv__work_list *work)
{
    struct obv__thread *self = work->thread;
    bool is_handlers = obv__load_relaxed(&work->context->any_thread) &&
                       obv__running_innermost(self);
    if (is_handlers) {
        announce_edit(self);
    }
    return obv__batch_of(self) ? self->batch
           : is_handlers       ? self->telling
                               : OBV__TOLD_ALL;
}

/* Acquire, all: who has seen a mark of it sees what the thread has announced before,
   or behind its end what it has done. */
static bool is_in_edit(const struct obv__thread *thread)
{
    return obv__load_acquire(&thread->epoch) != 0;
}

static bool is_telling(struct obv__thread *thread, uintptr_t number)
{
    return obv__load_acquire(&thread->telling) == number && is_in_edit(thread);
}

static bool is_in_batch(struct obv__thread *thread, uintptr_t number)
{
    return obv__load_acquire(&thread->batch) == number;
}

static bool is_in_batch_and_edits(struct obv__thread *thread, uintptr_t number)
{
    return is_in_batch(thread, number) &&
           obv__load_acquire(&thread->telling) != 0 && is_in_edit(thread);
}

/* Whether a thread has yet to tell somebody of a mark, or does not. */
static bool is_open(uintptr_t told)
{
    return obv__threads_find(told & OBV__TELLS_LATER ? is_in_batch : is_telling,
                             told);
}

static bool leaves_out(uintptr_t told)
{
    return !(told & OBV__TELLS_LATER) ||
           obv__threads_find(is_in_batch_and_edits, told);
}

/* Finds none, so that it comes to each. */
static bool share_batch(struct obv__thread *thread, uintptr_t number)
{
    if (is_in_batch(thread, number)) {
        obv__store_relaxed(&thread->batch_shares, true);
    }
    return false;
}

/* Marking ------------------------------------------------------------------ */

/* Sets a flag of a record, and answers what it was. Where other threads evaluate it
   meanwhile (`is_shared`), with a full fence, since another flag is looked at next;
   pairs with the fence of who takes the marks away (evaluation.c). */
OBV__INLINE uint8_t set_flag(uint8_t *flag, uint8_t value, bool is_shared)
{
    if (is_shared) {
        return obv__exchange_seq_cst(flag, value);
    }
    uint8_t before = obv__load_relaxed(flag);
    obv__store_relaxed(flag, value);
    return before;
}

/* Queues a record that other threads may queue; if one has, that tells whoever is to
   be told. */
OBV__NOINLINE static bool is_queued_by_another(struct obv__computed *computed,
                                               uintptr_t teller)
{
    uint8_t bits =
        teller == OBV__TOLD_ALL ? OBV__QUEUED | OBV__FOR_ALL : OBV__QUEUED;
    uint8_t before = obv__fetch_or_seq_cst(&computed->queued, bits);
    if ((before & OBV__QUEUED) && !((before | bits) & OBV__FOR_ALL)) {
        before = obv__fetch_or_seq_cst(&computed->queued,
                                       (uint8_t)(OBV__QUEUED | OBV__FOR_ALL));
    }
    return (before & OBV__QUEUED) != 0;
}

OBV__INLINE void queue(struct obv__marks *marks, struct obv__computed *computed,
                       uint32_t version, bool was_sound, bool is_shared)
{
    /* Between the store of the mark and the look at what depends on it. */
    if (is_shared ? is_queued_by_another(computed, marks->work->teller)
                  : set_flag(&computed->queued, OBV__QUEUED, false)) {
        return;
    }
    computed->marked = NULL;
    computed->marked_version = version;
    computed->marked_sound = was_sound;
    if (marks->first) {
        marks->last->marked = computed;
    } else {
        marks->first = computed;
    }
    marks->last = computed;
}

/* Whether anybody may be told who does not hang in its list. Where other threads
   evaluate it somebody may come at any time. */
OBV__INLINE bool may_tell_others(const struct obv__computed *computed,
                                 bool is_shared)
{
    return is_shared || computed->is_eager ||
           obv__class_subscriptions_exist() || obv__more(computed->node);
}

/* Also one that is marked already: the latest change counts. */
OBV__NOINLINE static void renew(const struct obv__marks *marks,
                                struct obv__computed *computed)
{
    obv__computed_renew(computed, obv__stamp_of_change(&marks->work->stamp));
}

/* Before the look whether a record is told already: who takes the mark away sees
   that another thread marks. */
OBV__NOINLINE static void note_marker(struct obv_context *context)
{
    uintptr_t before = 0, self = obv__thread_number(obv__thread_self());
    if (!obv__cas_seq_cst(&context->marker, &before, self) && before != self) {
        (void)obv__exchange_seq_cst(&context->marker, OBV__MANY_MARKERS);
    }
}

/* Whether a mark is of another thread than all before it. */
OBV__INLINE bool is_of_another(const struct obv__marks *marks,
                               const struct obv_context *context)
{
    uintptr_t marker = obv__load_relaxed(&context->marker);
    return marker != marks->thread && marker != OBV__MANY_MARKERS;
}

/* Whether everybody has been told of what is marked, or is by this thread. */
static bool is_told_of(const struct obv__work_list *work, uintptr_t told)
{
    return told == OBV__TOLD_ALL || told == work->teller ||
           (told == work->thread->telling && !work->is_for_others);
}

/* Another thread has told of it, and has left somebody out, or tells later. */
static void tell_as_well(const struct obv__work_list *work,
                         struct obv__computed *computed, uintptr_t told)
{
    bool is_handlers =
        work->teller != OBV__TOLD_ALL && obv__running_innermost(work->thread);
    if (is_handlers || leaves_out(told)) {
        /* Who is left out has perhaps seen the other change. */
        obv__first_unknown(computed);
    }
}

/* A record that is marked, or that other threads may mark. */
OBV__NOINLINE static bool set_stale_again(const struct obv__work_list *work,
                                          struct obv__computed *computed)
{
    uintptr_t told = obv__load_acquire(&computed->stale);
    while (told == 0 || !is_told_of(work, told)) {
        /* Before it is looked at once more: it may have ended, and be evaluated. */
        bool has_ended = told != 0 && !is_open(told);
        uintptr_t before = told;
        if (before != 0) {
            (void)obv__threads_find(share_batch, before);
            (void)share_batch(work->thread, work->teller);
        }
        if (obv__cas_seq_cst(&computed->stale, &told,
                             before ? OBV__TOLD_ALL : work->teller)) {
            if (has_ended) {
                break;
            }
            if (before != 0) {
                tell_as_well(work, computed, before);
            }
            return true;
        }
    }
    (void)share_batch(work->thread, work->teller);
    return false;
}

/* Whether this is to be told. */
OBV__INLINE bool set_stale(const struct obv__work_list *work,
                           struct obv__computed *computed, bool is_shared)
{
    uintptr_t told = obv__load_acquire(&computed->stale);
    if (told == 0 && !is_shared) {
        obv__store_release(&computed->stale, work->teller);
        return true;
    }
    return told != work->teller && set_stale_again(work, computed);
}

/* Whether other threads may mark it meanwhile, or evaluate it. */
OBV__INLINE bool is_shared_with(const struct obv__marks *marks,
                                const struct obv__computed *computed)
{
    return OBV__UNLIKELY(marks->is_of_reader) ||
           obv__computed_is_shared(computed);
}

/* Whether an observation of all instances does not follow this one yet (OS-3). */
OBV__NOINLINE static bool class_awaits(struct obv__thread *self,
                                       const struct obv__computed *computed)
{
    bool held;
    struct obv_object *object = obv__computed_hold(self, computed, &held);
    bool awaits = object && obv__above.class_awaits(object, computed->slot);
    if (held) {
        obv__class_of(object)->release(object);
    }
    return awaits;
}

/* Who has come since it was told of is told as well. */
OBV__INLINE bool class_has_come(const struct obv__marks *marks,
                                const struct obv__computed *computed)
{
    return OBV__UNLIKELY(obv__class_subscriptions_exist()) &&
           obv__computed_has_value(computed) &&
           class_awaits(marks->work->thread, computed);
}

OBV__INLINE void mark_record(struct obv__marks *marks,
                             struct obv__computed *computed,
                             const struct obv__watcher *edge, bool is_dirty)
{
    if (OBV__UNLIKELY(computed == marks->set)) {
        return;
    }
    if (is_dirty && obv__stamps_are_told()) {
        renew(marks, computed);
    }
    if (OBV__UNLIKELY(obv__computed_runs(computed, marks->thread)) &&
        obv__above.overtake(obv__thread_self(), computed, edge)) {
        return;
    }
    bool is_shared = is_shared_with(marks, computed);
    /* Before any mark: who finds one may store another value at once. */
    uint32_t version = obv__load_acquire(&computed->version);
    bool was_sound = obv__computed_unsound(computed) == 0;
    if (is_dirty) {
        /* A change begins here: what follows from it is marked less surely. */
        if (is_shared && is_of_another(marks, computed->context)) {
            note_marker(computed->context);
        }
        (void)set_flag(&computed->is_dirty, 1, is_shared);
    }
    if ((set_stale(marks->work, computed, is_shared) ||
         class_has_come(marks, computed)) &&
        (obv__first(computed->head) || may_tell_others(computed, is_shared))) {
        queue(marks, computed, version, was_sound, is_shared);
    }
}

void obv__mark(struct obv__marks *marks, struct obv__computed *computed,
               const struct obv__watcher *edge, bool is_dirty)
{
    mark_record(marks, computed, edge, is_dirty);
}

OBV__INLINE bool mark_list(struct obv__marks *marks, const uintptr_t *head,
                           bool is_dirty)
{
    bool has_others = false;
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (obv__is_edge(w)) {
            mark_record(marks, w->of, w, is_dirty);
        } else {
            has_others = true;
        }
    }
    return has_others;
}

bool obv__mark_dependents(struct obv__marks *marks, const uintptr_t *head,
                          bool is_dirty)
{
    return mark_list(marks, head, is_dirty);
}

/* Whether an edit is one of the property that has declared the leaf: a `*` leads
   to that as well, and what is set there stands. */
static bool is_own_edit(const struct obv__edit *edit,
                        const struct obv__computed *computed)
{
    return edit->at.object == computed->object &&
           edit->at.slot == computed->slot;
}

void obv__mark_declared(struct obv__work_list *work, struct obv__watcher *leaf,
                        uint64_t since)
{
    const struct obv__edit *edit = &work->edit;
    struct obv__computed *reader = leaf->of;
    unsigned phase = obv__computed_phase(reader);
    if (is_own_edit(edit, reader) || edit->kind == OBV__EDIT_SETTLED) {
        return;
    }
    if (!work->marks.first) {
        obv__marks_begin(&work->marks, work);
        work->marks_since = since;
    }
    if ((edit->kind == OBV__EDIT_COMPUTED || edit->kind == OBV__EDIT_VALID) &&
        (phase == OBV__CHECKS || phase == OBV__RUNS)) {
        /* Somebody is at it, who has been told of the invalidation. */
        obv__computed_dirty(reader, work->marks.thread, work->stamp);
    } else {
        obv__mark(&work->marks, reader, NULL, edit->kind != OBV__EDIT_PERHAPS);
    }
}

void obv__work_list_tell_marks(struct obv__work_list *work)
{
    obv__marks_tell(&work->marks, work, work->marks_since);
}

/* Telling ------------------------------------------------------------------ */

/* What one record tells. */
struct told_mark {
    struct obv__computed *computed;
    struct obv__work_list *work;
    uint64_t since;
    uint32_t version;               /* before the mark */
    bool is_for_others;             /* another thread has marked it as well */
    bool is_awaited;                /* by one of the observers already */
    bool is_needed;                 /* at the end of the change */
    bool is_delayed;                /* one of the observers waits for a drain */
    const struct obv__watcher *but; /* is about to end; or NULL */
};

bool obv__waits(struct obv__watcher *observation)
{
    return obv__batches_await(observation) ||
           (obv__asks(observation) && obv__is_pending(observation));
}

static void tell_pair(struct told_mark *telling, struct obv__watcher *pair)
{
    struct obv__watcher *observation = obv__observation(pair);
    if (obv__came_since(pair, telling->since, obv__registration_epoch())) {
        return;
    }
    if (obv__is_immediate(observation)) {
        telling->is_needed = true;
        return;
    }
    if (OBV__UNLIKELY(telling->is_for_others)) {
        obv__schedule_for_another(telling->work->thread, pair);
        return;
    }
    obv__work_list_add_perhaps(telling->work, pair);
}

static void find_delayed(struct told_mark *telling, struct obv__watcher *pair)
{
    telling->is_delayed =
        telling->is_delayed ||
        (pair != telling->but && !obv__is_immediate(obv__observation(pair)));
}

static void find_awaiting(struct told_mark *telling, struct obv__watcher *pair)
{
    telling->is_awaited = telling->is_awaited ||
                          obv__waits(obv__observation(pair)) ||
                          obv__work_list_has_perhaps(telling->work, pair);
}

static bool is_of_dependencies(const struct obv__watcher *watcher)
{
    const struct obv__path_instance *instance =
        obv__is_binding(watcher) ? watcher->of : NULL;
    return instance && obv__paths_are_dependencies(instance->node->paths);
}

typedef void pair_visitor(struct told_mark *telling, struct obv__watcher *pair);

/* All that a path leads to through the property. */
static void each_below(struct told_mark *telling,
                       const struct obv__watcher *binding, pair_visitor *visit)
{
    const struct obv__path_instance *instance = binding->of;
    struct obv__work_list below;
    obv__work_list_init(&below, telling->work->thread, telling->work->context);
    obv__leaves_add_below(instance->node, &below, telling->since);
    for (size_t i = 0; i < below.count; i++) {
        visit(telling, below.items[i]);
    }
    obv__work_list_forget(&below);
}

/* Marks those that have declared a path which leads to, or through, the property;
   whether anything but these and edges hangs there. */
static bool mark_declared_below(struct told_mark *telling)
{
    struct obv__work_list *work = telling->work;
    const struct obv__edit outer = work->edit;
    bool has_observers = false;
    work->edit = (struct obv__edit){.kind = OBV__EDIT_PERHAPS};
    for (struct obv__watcher *w = obv__first(telling->computed->head); w;
         w = obv__next(w)) {
        if (is_of_dependencies(w)) {
            const struct obv__path_instance *instance = w->of;
            obv__leaves_add_below(instance->node, work, telling->since);
        } else {
            has_observers = has_observers || !obv__is_edge(w);
        }
    }
    work->edit = outer;
    return has_observers;
}

/* Each pair that observes the property, at its end or anywhere below. */
static void each_observer(struct told_mark *telling, pair_visitor *visit)
{
    const struct obv__computed *computed = telling->computed;
    for (struct obv__watcher *w = obv__first(computed->head); w;
         w = obv__next(w)) {
        if (is_of_dependencies(w)) {
            continue;
        } else if (obv__is_binding(w)) {
            each_below(telling, w, visit);
        } else if (!obv__is_edge(w)) {
            visit(telling, w);
        }
    }
}

/* Whether what is kept to compare with is of nobody who is still here. On several
   threads one may be about to schedule whom it is of: then it is not known. */
static bool is_of_nobody(struct told_mark *telling)
{
    if (obv__load_acquire(&telling->computed->is_waited)) {
        return false;
    }
    each_observer(telling, find_awaiting);
    return !telling->is_awaited;
}

static uint8_t first_of_nobody(const struct told_mark *telling, uint8_t alone)
{
    return obv__computed_is_shared(telling->computed) ? OBV__FIRST_UNKNOWN
                                                      : alone;
}

/* The record that led nowhere, for whose answer the leaves below a binding wait; or
   NULL. */
static const struct obv__computed *
waits_with_nil(const struct obv__watcher *binding)
{
    const struct obv_object *object =
        binding ? obv__binding_place(binding) : NULL;
    const struct obv__computed *computed =
        object && binding->slot <= OBV__SLOT_LAST
            ? obv__computed_of(object, binding->slot)
            : NULL;
    bool waits = computed && !obv__computed_has_come_later(computed, binding) &&
                 obv__computed_waits(computed, NULL) == OBV__WAITS_WITH_NIL;
    return waits ? computed : NULL;
}

/* The same of any record above a path instance: then that one's answer is theirs
   (tell_below_nil() in wiring.c). */
static const struct obv__computed *
waits_above(const struct obv__path_instance *instance)
{
    const struct obv__computed *found = NULL;
    for (; instance->parent && !found; instance = instance->parent) {
        const struct obv_element *element =
            obv__path_node_element(instance->node);
        if (obv__matcher_is_many(element) ||
            obv__matcher_is_bound_once(element)) {
            return NULL;
        }
        found = waits_with_nil(obv__load_acquire(&instance->parent->binding));
    }
    return found;
}

/* Whether a path has come to the record since what is kept was stored over, whose
   leaves compare with another value. */
static bool has_latecomers(const struct obv__computed *computed)
{
    bool has = false;
    for (struct obv__watcher *w = obv__first(computed->head); w && !has;
         w = obv__next(w)) {
        has = obv__is_binding(w) && !is_of_dependencies(w) &&
              obv__computed_has_come_later(computed, w) && !waits_above(w->of);
    }
    return has;
}

/* Whether what is told may be in a value already that a handler of another thread has
   seen to, and was not told of. Once: whoever is told of it waits then. */
static bool is_hidden(const struct told_mark *telling)
{
    uintptr_t by = obv__load_seq_cst(&telling->computed->hidden_by);
    bool is = by != 0 && by != obv__thread_number(telling->work->thread);
    return (is && obv__cas_seq_cst(&telling->computed->hidden_by, &by,
                                   (uintptr_t)0)) ||
           telling->is_for_others;
}

/*
 * What those compare with who are about to be told. If another thread has stored
 * a value since the mark it may have found that nobody waits, or has answered
 * those who did: what it has stored over is gone, and whatever there will be
 * counts as another. Pairs with keep_displaced() and obv__first_answered()
 * (computed/evaluation.c).
 */
static void ask_first(struct told_mark *telling)
{
    struct obv__computed *computed = telling->computed;
    uint8_t state = obv__load_seq_cst(&computed->first_state);
    bool is_kept = OBV__UNLIKELY(state > OBV__FIRST_IS_NOW);
    uint8_t now = is_kept ? first_of_nobody(telling, OBV__FIRST_IS_NOW)
                          : OBV__FIRST_IS_NOW;
    bool is_ours =
        (state == OBV__FIRST_NONE || (is_kept && is_of_nobody(telling))) &&
        obv__cas_seq_cst(&computed->first_state, &state, now);
    if ((is_ours || obv__computed_is_shared(computed)) &&
        obv__load_seq_cst(&computed->version) != telling->version) {
        obv__first_unknown(computed);
    }
    if (obv__computed_is_shared(computed) ? is_hidden(telling)
                                          : has_latecomers(computed)) {
        obv__first_unknown(computed);
    }
}

/* Who is told of all hears of a change. What leads on through the property lets
   go. */
static void tell_every(struct told_mark *telling, const uintptr_t *every)
{
    struct obv__work_list *work = telling->work;
    const struct obv__computed *computed = telling->computed;
    const struct obv__edit outer = work->edit;
    bool held;
    struct obv_object *object =
        obv__computed_hold(work->thread, computed, &held);
    if (!object) {
        return;
    }
    work->edit = (struct obv__edit){.at = {object, computed->slot, NULL},
                                    .kind = OBV__EDIT_INVALID};
    for (struct obv__watcher *w = obv__first(every); w; w = obv__next(w)) {
        if (obv__came_since(w, telling->since, obv__registration_epoch())) {
            continue;
        }
        if (obv__is_binding(w)) {
            obv__rewire(w, work, telling->since);
        } else {
            obv__work_list_add(work, w);
        }
    }
    work->edit = outer;
    if (held) {
        obv__class_of(object)->release(object);
    }
}

/* What observes every instance of the class begins to follow this one, from the
   last value on. */
static void attach_class(struct obv__thread *self, struct obv_object *object,
                         struct obv__computed *computed)
{
    bool is_claimed = obv__claim(self, computed);
    if (is_claimed) {
        obv__computed_set_phase(computed, OBV__STANDS);
    }
    (void)obv__above.attach_class(object, computed->slot, false, NULL);
    if (is_claimed) {
        obv__give_back(self, computed);
    }
}

/* It is told of this invalidation. */
OBV__NOINLINE static void meet_class(struct told_mark *telling)
{
    struct obv__thread *self = telling->work->thread;
    bool held;
    struct obv_object *object =
        obv__computed_hold(self, telling->computed, &held);
    if (object && obv__above.class_awaits(object, telling->computed->slot)) {
        attach_class(self, object, telling->computed);
        telling->since = obv__registration_epoch();
    }
    if (held) {
        obv__class_of(object)->release(object);
    }
}

/* The object may be at its end on another thread, which then waits for this
   hazard pointer before it lends the node's word to the reclaim. */
static const struct obv__more *
more_of_record(struct obv__thread *self, const struct obv__computed *computed)
{
    if (!obv__computed_is_shared(computed)) {
        return obv__more(computed->node);
    }
    obv__hazard_set(self, computed->object);
    const struct obv__more *more =
        obv__node_is_ending(computed->node) ? NULL : obv__more(computed->node);
    obv__hazard_clear(self);
    return more;
}

/* Whoever else than those who have read it. */
OBV__NOINLINE static void
tell_watchers(struct obv__computed *computed, uint32_t version, bool was_sound,
              bool is_for_others, struct obv__work_list *work, uint64_t since)
{
    const struct obv__more *more = more_of_record(work->thread, computed);
    struct told_mark telling = {.computed = computed,
                                .work = work,
                                .since = since,
                                .version = version,
                                .is_for_others = is_for_others,
                                .is_needed = computed->is_eager};
    if (OBV__UNLIKELY(obv__class_subscriptions_exist()) &&
        obv__computed_has_value(computed)) {
        meet_class(&telling);
    }
    if (mark_declared_below(&telling)) {
        each_observer(&telling, find_delayed);
        if (telling.is_delayed) {
            ask_first(&telling);
        }
        each_observer(&telling, tell_pair);
    }
    if (telling.is_needed) {
        obv__work_list_add_invalid(work, computed);
    }
    if (more && obv__first(&more->every) && was_sound) {
        tell_every(&telling, &more->every);
    }
}

void obv__marks_tell(struct obv__marks *marks, struct obv__work_list *work,
                     uint64_t since)
{
    struct obv__computed *computed;
    uintptr_t teller = work->teller;
    while ((computed = marks->first) != NULL) {
        marks->first = computed->marked;
        uint32_t version = computed->marked_version;
        bool was_sound = computed->marked_sound;
        bool is_shared = is_shared_with(marks, computed);
        bool is_for_others =
            (set_flag(&computed->queued, 0, is_shared) & OBV__FOR_ALL) &&
            teller != OBV__TOLD_ALL;
        work->teller = is_for_others ? OBV__TOLD_ALL : teller;
        work->is_for_others = is_for_others;
        if (mark_list(marks, computed->head, false) ||
            may_tell_others(computed, is_shared)) {
            /* Who has come before this look, and behind the change, has perhaps
               found it valid still. */
            tell_watchers(computed, version, was_sound, is_for_others, work,
                          is_shared ? obv__registration_epoch() : since);
        }
    }
    work->teller = teller;
    work->is_for_others = false;
}

/* Who waits ---------------------------------------------------------------- */

/* Who has read a record, or tried to, but those that this thread has claimed: it
   computes them with it right now. And not one that was set since: that stands. */
static void mark_readers(struct obv__marks *marks,
                         const struct obv__computed *computed)
{
    for (struct obv__watcher *w = obv__first(computed->head); w;
         w = obv__next(w)) {
        struct obv__computed *reader = obv__is_edge(w) ? w->of : NULL;
        if (reader && !obv__load_acquire(&reader->is_set) &&
            !obv__computed_is_of(reader, marks->thread)) {
            obv__mark(marks, reader, w, false);
        }
    }
}

void obv__tell_waiting(struct obv__thread *self, struct obv__computed *computed)
{
    uint64_t since = obv__registration_epoch();
    struct obv__marks marks;
    struct obv__work_list work;
    /* Before anybody is scheduled: see is_to_be_told() (computed/settling.c). */
    (void)obv__exchange_seq_cst(&computed->is_waited, (uint8_t)0);
    obv__work_list_init(&work, self, computed->context);
    obv__marks_begin(&marks, &work);
    marks.is_of_reader = true;
    struct told_mark telling = {.computed = computed,
                                .work = &work,
                                .since = since,
                                .is_needed = computed->is_eager};
    each_observer(&telling, tell_pair);
    if (telling.is_needed) {
        obv__work_list_add_invalid(&work, computed);
    }
    mark_readers(&marks, computed);
    obv__marks_tell(&marks, &work, since);
    obv__work_list_deliver(&work);
}

/* Nobody waits any more. A delayed observation that is left may be about to be told,
   of this change or one around it: it compares with what is stored. */
static void leave_first(struct told_mark *telling, uint8_t state)
{
    each_observer(telling, find_delayed);
    uint8_t left = !telling->is_delayed          ? OBV__FIRST_NONE
                   : state == OBV__FIRST_UNKNOWN ? OBV__FIRST_UNKNOWN
                                                 : OBV__FIRST_IS_NOW;
    (void)obv__cas_seq_cst(&telling->computed->first_state, &state,
                           first_of_nobody(telling, left));
}

void obv__first_left(struct obv__work_list *work,
                     struct obv__computed *computed)
{
    struct told_mark telling = {
        .computed = computed, .work = work, .since = obv__registration_epoch()};
    uint8_t state = obv__load_acquire(&computed->first_state);
    if (state != OBV__FIRST_NONE && is_of_nobody(&telling)) {
        leave_first(&telling, state);
    }
}

static void find_pending(struct told_mark *telling, struct obv__watcher *pair)
{
    struct obv__watcher *observation = obv__observation(pair);
    telling->is_awaited = telling->is_awaited ||
                          (pair != telling->but && obv__waits(observation));
}

void obv__first_of_ended(struct obv__thread *self,
                         struct obv__computed *computed,
                         const struct obv__watcher *pair)
{
    struct obv__work_list work;
    obv__work_list_init(&work, self, computed->context);
    struct told_mark telling = {.computed = computed,
                                .work = &work,
                                .since = obv__registration_epoch(),
                                .is_awaited =
                                    obv__load_acquire(&computed->is_waited),
                                .but = pair};
    uint8_t state = obv__load_acquire(&computed->first_state);
    each_observer(&telling, find_pending);
    if (state != OBV__FIRST_NONE && !telling.is_awaited) {
        leave_first(&telling, state);
    }
}

bool obv__waits_above(const struct obv__path_instance *instance,
                      struct obv__watcher *leaf)
{
    struct obv__watcher *observation = obv__observation(leaf);
    /* Objects on the way are looked at that another thread may end. */
    const struct obv_context *context = instance->node->paths->context;
    const struct obv__computed *computed =
        !obv__load_relaxed(&context->any_thread) &&
                !obv__is_immediate(observation) && obv__waits(observation)
            ? waits_above(instance)
            : NULL;
    return computed && !obv__computed_is_shared(computed);
}

/* Edits of computed properties --------------------------------------------- */

bool obv__edit_is_for(const struct obv__edit *edit, struct obv__watcher *pair)
{
    struct obv__watcher *observation = obv__observation(pair);
    switch (edit->kind) {
    case OBV__EDIT_COMPUTED:
        return obv__is_immediate(observation);
    case OBV__EDIT_SETTLED:
        /* One that was turned immediate meanwhile waits on. Of others another
           thread may be about to schedule them. */
        return (observation->type & OBV__HAS_ITEM) &&
               (obv__is_pending(observation) ||
                obv__batches_await(observation) ||
                (!obv__is_immediate(observation) &&
                 obv__load_relaxed(
                     &obv__observation_context(observation)->any_thread)));
    default:
        return true;
    }
}
