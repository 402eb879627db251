/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluation: values of computed properties are pulled, by reads, drains and
 * the ends of edits. (Marks are pushed: wiring/invalidation.c.)
 *
 * Pull. A dirty record is evaluated: the program's function runs. A record that
 * is only stale is checked: its sources are brought up to date one by one, in
 * the order in which the function read them last time. The first source that
 * has another value ends the check: the function may not read the later ones
 * any more, so it runs. If none has, the record is valid as it stands. `via` of
 * a record is the edge by which it was asked for, so a check needs no
 * recursion.
 *
 * The only recursion is the program's: its function may read another computed
 * property. If that is too deep, even a dirty record has its sources of last
 * time brought up to date first, though it may not read all of them this time.
 *
 * Edges. The reads of a function are compared with those of last time: the
 * thread's `cursor` points to the edge that is expected next. Mostly it is the
 * one, and nothing is linked or allocated. A read out of order looks for the
 * reader's edge among the newest of the source, and that edge changes places
 * with the expected one. No read searches further: n reads take O(n).
 *
 * A pull enters the graph (base/reclaim.h) when it begins, and leaves it around
 * calls of the program's code. If a function is called inside the graph and
 * leaves it meanwhile, its comment says so.
 */
#include "computed/evaluation.h"

#include "computed/dependencies.h"
#include "computed/dependency_check.h"
#include "dispatch/inbound_queue.h"
#include "dispatch/loop.h"
#include "computed/reading.h"
#include "edit/edit.h"
#include "model/context.h"
#include "model/owned.h"
#include "dispatch/trace.h"
#include "model/value.h"
#include "platform/exception.h"
#include "wiring/invalidation.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The number of nested pulls beyond which even a dirty record has its sources
   brought up to date before its function runs: this bounds the stack. */
enum { DEEP = 200 };

/* The flags taken off a record as its function is called. */
enum {
    TAKEN = OBV__STALE | OBV__DIRTY | OBV__CHECKS | OBV__WAS_SET | OBV__FAILED |
            OBV__SHORT | OBV__MOVED | OBV__HAS_RUN | OBV__HAPPENED
};

/* The flags that evaluate_plain() cannot do: evaluate_special() does. */
enum {
    SPECIAL = OBV__IS_OWNED | OBV__LAZY | OBV__DECLARES | OBV__NO_VALUE |
              OBV__ENDED | OBV__IS_WAITED | OBV__FOREIGN | OBV__FAILED
};

/* The flags that make a record invalid right after look_at_foreign(). */
enum { BAD = OBV__INVALID & ~OBV__FOREIGN };

/* The flags of a record that is to be brought up to date. FAILED is not among
   them: an error stands until a source changes. */
enum { TO_PULL = OBV__STALE | OBV__DIRTY | OBV__RUNS | OBV__CHECKS };

static inline bool is_to_pull(uint32_t flags)
{
    return (flags & TO_PULL) != 0;
}

/* Values that those who wait compare with ---------------------------------- */

static void drop_first(struct obv_context *context,
                       struct obv__computed *computed)
{
    union obv__raw first;
    if (obv__first_take(computed, &first)) {
        obv__raw_drop(context, computed->property, &first);
    }
}

void obv__first_answered(struct obv__thread *self,
                         struct obv__computed *computed)
{
    obv__graph_enter(self);
    obv__first_set(computed,
                   computed->flags & OBV__STALE ? OBV__FIRST_IS_NOW : 0);
    obv__graph_leave(self);
    drop_first(obv__computed_context(computed), computed);
}

/* The value before the one that is stored. */
struct displaced {
    union obv__raw value;
    bool is_kept;  /* there was memory for a copy */
    bool is_known; /* it was a value, and is kept */
};

/* The field was stored over. If observers that wait compare with the value
   before (OBV__FIRST_IS_NOW), `old` is lent to the record until
   give_displaced(); a value that the record held goes to `left`. False: nobody
   compares, or `old` is not known. */
static bool lend_displaced(struct obv__computed *computed,
                           const struct displaced *old, union obv__raw *left,
                           bool *has_left)
{
    if (obv__first_state(computed) != OBV__FIRST_IS_NOW) {
        return false;
    }
    struct obv__computed_more *more =
        old->is_known ? obv__computed_more(computed) : NULL;
    *has_left = obv__first_take(computed, left);
    obv__first_set(computed, more ? OBV__FIRST_KEPT : OBV__FIRST_UNKNOWN);
    if (more) {
        more->first = old->value;
        obv__store_release(&more->has_first, (uint8_t)OBV__FIRST_IS_LENT);
        more->first_until = obv__registration_epoch();
    }
    return more != NULL;
}

/* The record takes over the value that was lent to it, if an observer still
   waits to compare, unless a store within has put another there. False: the
   value is still the caller's. */
static bool give_displaced(struct obv__thread *self,
                           struct obv__computed *computed)
{
    struct obv__computed_more *more = computed->more;
    /* TELLS: the end of another object may have marked the record. Its
       observers are told of that later, and will wait then. */
    bool waits = obv__first_state(computed) >= OBV__FIRST_KEPT &&
                 ((obv__flags(computed) & OBV__TELLS) ||
                  obv__first_is_awaited(self, computed, NULL));
    if (obv__load_relaxed(&more->has_first) != OBV__FIRST_IS_LENT) {
        return false;
    }
    obv__store_release(&more->has_first, (uint8_t)(waits ? OBV__FIRST_IS_OWN
                                                         : OBV__FIRST_IS_NONE));
    return waits;
}

/* Telling of a value ------------------------------------------------------- */

/* The work list of the edit that the nested pulls of a thread join, which the
   outermost pull holds; NULL: there is none. */
static struct obv__work_list *work_of(const struct obv__thread *self)
{
    const struct obv__pull *pull = obv__pull_of(self);
    while (pull->outer) {
        pull = pull->outer;
    }
    return pull->work;
}

/* A source has another value: a stale reader becomes dirty. A reader that the
   program has set keeps that value, and is only noted as MOVED. */
static inline void note_moved(struct obv__computed *reader,
                              const struct obv__computed *source)
{
    if (obv__stamps_are_told()) {
        obv__computed_renew(reader, obv__computed_stamp(source));
    }
    obv__flags_add(reader, reader->flags & OBV__STALE     ? OBV__DIRTY
                           : reader->flags & OBV__WAS_SET ? OBV__MOVED
                                                          : 0u);
}

/* The property has another value: stale readers become dirty. Left out are the
   reader by the edge `but` (or NULL), whom the caller marks, and readers whose
   function runs, since that reads the value now. */
static void dirty_readers(const struct obv__computed *computed,
                          const struct obv__edge *but)
{
    for (struct obv__edge *edge = computed->readers; edge;
         edge = edge->next_there) {
        struct obv__computed *reader = edge->reader;
        if (edge != but && !(reader->flags & OBV__RUNS)) {
            note_moved(reader, computed);
        }
    }
}

/* Rewires the paths through the property and collects the immediate
   observations that are due, in the work list of the edit that has asked, or
   else in `own`. True: the caller is to deliver `own`. */
static bool announce(struct obv__thread *self, struct obv__computed *computed,
                     const void *old, struct obv__work_list *own)
{
    struct obv__work_list *outer = work_of(self);
    if (!outer) {
        obv__work_list_init(own, self, obv__computed_context(computed));
        own->edit.kind = OBV__EDIT_COMPUTED;
    }
    obv__edit_collect_computed(outer ? outer : own, computed->object,
                               computed->slot, old, OBV__EDIT_COMPUTED,
                               obv__registration_epoch());
    return !outer;
}

static void drop_displaced(struct obv__computed *computed,
                           union obv__raw *value, struct obv__work_list *work)
{
    if (work && obv__may_hold_object(computed->property)) {
        obv__work_list_keep_replaced(work, computed->property, value);
    } else {
        obv__raw_drop(obv__computed_context(computed), computed->property,
                      value);
    }
}

/* Tells watchers and waiting observers that another value is stored; `old`, the
   value before, is kept for them or dropped. Leaves the graph meanwhile. */
OBV__NOINLINE static void tell_stored(struct obv__thread *self,
                                      struct obv__computed *computed,
                                      struct displaced *old)
{
    struct obv__work_list own, *work = work_of(self);
    union obv__raw left;
    bool has_left = false, is_due = false;
    self->cursor = obv__no_cursor();
    /* Before announce(): a path that leaves in it compares with `old`. */
    bool is_first = lend_displaced(computed, old, &left, &has_left);
    obv__graph_leave(self);
    if (obv__computed_is_watched(computed)) {
        const void *before =
            old->is_known ? obv__raw_value(computed->property, &old->value)
                          : NULL;
        is_due = announce(self, computed, before, &own);
    }
    /* Before delivery: handlers may set the property there and back. */
    bool is_given = is_first && give_displaced(self, computed);
    if (is_due) {
        obv__work_list_deliver(&own);
    }
    if (has_left) {
        drop_displaced(computed, &left, work);
    }
    if (old->is_kept && !is_given) {
        drop_displaced(computed, &old->value, work);
    }
    obv__graph_enter(self);
}

/* Whether another value concerns anybody but the readers of the property. */
static inline bool tells_anybody(const struct obv__computed *computed)
{
    return obv__computed_is_watched(computed) ||
           obv__first_state(computed) != 0;
}

/* Reads. Edges change inside the graph. ---------------------------------------- */

static inline void pass_next(struct obv__thread *self, struct obv__edge *edge)
{
    self->cursor = &edge->next;
}

void obv__read_next(struct obv__thread *self)
{
    pass_next(self, *self->cursor);
}

/* Takes the next edge away. */
static void end_next(struct obv__thread *self)
{
    struct obv__edge *edge = *self->cursor;
    *self->cursor = edge->next;
    obv__edge_end(edge);
}

static void forget_unread(struct obv__thread *self)
{
    while (*self->cursor) {
        end_next(self);
    }
}

void obv__forget_unread(struct obv__thread *self)
{
    obv__graph_enter(self);
    forget_unread(self);
    obv__graph_leave(self);
}

/* Marks the edges that this evaluation has read so far: from the first read out
   of order on, the place of an edge does not tell whether it was read. */
static void mark_read(struct obv__thread *self)
{
    struct obv__pull *pull = obv__pull_of(self);
    if (!(pull->computes->flags & OBV__MARKS_READ)) {
        pull->marked = NULL;
        obv__flags_add(pull->computes, OBV__MARKS_READ);
    }
    struct obv__edge *edge =
        pull->marked ? pull->marked->next : pull->computes->sources;
    while (edge != *self->cursor) {
        edge->source |= edge->source ? OBV__SOURCE_READ : 0;
        pull->marked = edge;
        edge = edge->next;
    }
}

static void unmark_read(struct obv__computed *computed)
{
    struct obv__edge *edge =
        computed->flags & OBV__MARKS_READ ? computed->sources : NULL;
    obv__flags_remove(computed, OBV__MARKS_READ);
    for (; edge; edge = edge->next) {
        edge->source = obv__edge_source(edge);
    }
}

/* The number of a source's newest edges among which a reader looks for its
   own. */
enum { LOOKS = 4 };

/* The reader's edge to a source, which it may have read again already, if it is
   among the newest LOOKS; else NULL. */
static struct obv__edge *find_own(const struct obv__computed *reader,
                                  const struct obv__source *source)
{
    struct obv__edge *edge = *source->list;
    for (int i = 0; i < LOOKS && edge; i++) {
        if (edge->reader == reader &&
            obv__edge_source(edge) == source->address) {
            return edge;
        }
        edge = edge->next_there;
    }
    return NULL;
}

static void add_source(struct obv__thread *self,
                       const struct obv__source *source)
{
    struct obv__computed *reader = obv__computes(self);
    struct obv__edge *made = obv__edge_make(reader, source);
    if (!made) {
        obv__flags_add(reader, OBV__SHORT);
        return;
    }
    made->next = *self->cursor;
    *self->cursor = made;
    pass_next(self, made);
}

/* The function has read `found`, an edge of last time that is not the expected
   one: brings it to the cursor, in place of the expected edge. */
static void pull_forward(struct obv__thread *self, struct obv__edge *found,
                         const struct obv__source *source)
{
    struct obv__edge *next = *self->cursor;
    if (found == next->next) {
        end_next(self);
        next = found;
    } else if (found != next) {
        if (!source->is_alone && obv__edge_is_shared(next)) {
            add_source(self, source); /* the one that was found is not read */
            return;
        }
        obv__edges_swap(next, found);
    }
    pass_next(self, next);
}

/* The edge of the last read; NULL: there was none. */
static const struct obv__edge *last_read(const struct obv__thread *self)
{
    return self->cursor == &obv__computes(self)->sources
               ? NULL
               : (const struct obv__edge
                      *)(const void *)((const char *)self->cursor -
                                       offsetof(struct obv__edge, next));
}

static void record_source(struct obv__thread *self,
                          const struct obv__source *source)
{
    const struct obv__edge *last = last_read(self);
    while (*self->cursor && (*self->cursor)->source == 0) {
        end_next(self); /* its source has ended */
    }
    if (*self->cursor && (*self->cursor)->source == source->address) {
        pass_next(self, *self->cursor);
        return;
    }
    if (last && obv__edge_source(last) == source->address) {
        return;
    }
    struct obv__edge *found = find_own(obv__computes(self), source);
    if (!found) {
        add_source(self, source);
        return;
    }
    mark_read(self);
    if (!(found->source & OBV__SOURCE_READ)) {
        pull_forward(self, found, source);
    }
}

static void turn_foreign(struct obv__computed *computed, uint64_t looked_at);

/* Reads by the function of a lazy property are no dependencies. If its
   declarations are checked (dependency_check.h), a read gets an edge all the
   same, until the function has returned. */
uintptr_t obv__record_read(struct obv__thread *self, struct obv_object *object,
                           uint32_t slot)
{
    struct obv__computed *reader = obv__computes(self);
    uint32_t flags = obv__flags(reader);
    bool is_ignored = (flags & (OBV__LAZY | OBV__READS_DECLARED)) == OBV__LAZY;
    if ((is_ignored && !obv__dependencies_are_checked(reader)) ||
        (flags & OBV__ENDED)) {
        return 0;
    }
    uint64_t now = obv__load_seq_cst(&obv__inbound_sets);
    struct obv__source source = obv__source_enter(self, object, slot, reader);
    if (source.is_foreign && !is_ignored) {
        turn_foreign(reader, now);
    }
    if (source.address != 0) {
        source.address |=
            flags & OBV__READS_DECLARED ? OBV__SOURCE_DECLARED : 0;
        record_source(self, &source);
    } else if (source.is_short) {
        obv__flags_add(reader, OBV__SHORT);
    }
    obv__graph_leave_as(self, source.is_alone);
    return source.address;
}

void obv__reading_begin(struct obv__thread *self,
                        struct obv__computed *computed)
{
    obv__pull_of(self)->computes = computed;
    self->cursor = &computed->sources;
}

void obv__reading_end(struct obv__thread *self, struct obv__computed *computed)
{
    obv__graph_enter(self);
    unmark_read(computed);
    obv__graph_leave(self);
    self->cursor = obv__no_cursor();
}

void obv__forget_declared(struct obv__thread *self)
{
    obv__graph_enter(self);
    while (*self->cursor &&
           ((*self->cursor)->source == 0 ||
            ((*self->cursor)->source & OBV__SOURCE_DECLARED))) {
        end_next(self);
    }
    obv__graph_leave(self);
}

void obv__forget_own(struct obv__thread *self, struct obv__computed *computed)
{
    obv__reading_begin(self, computed);
    obv__graph_enter(self);
    while (*self->cursor) {
        if ((*self->cursor)->source & OBV__SOURCE_DECLARED) {
            pass_next(self, *self->cursor);
        } else {
            end_next(self);
        }
    }
    obv__graph_leave(self);
}

/* Sets by any thread. Inside the graph. ------------------------------------ */

/* Records or inbound edits that look_at_foreign() has yet to go through. */
struct stack {
    struct obv_context *context;
    void **items;
    size_t count, room;
};

static bool push_item(struct stack *stack, void *item)
{
    if (stack->count == stack->room) {
        void **grown = obv__context_grown(stack->context, stack->items, NULL,
                                          &stack->room, sizeof *stack->items);
        if (!grown) {
            return false;
        }
        stack->items = grown;
    }
    stack->items[stack->count++] = item;
    return true;
}

static void free_stack(const struct stack *stack)
{
    if (stack->items) {
        obv__context_free(stack->context, stack->items,
                          stack->room * sizeof *stack->items);
    }
}

/* Makes a record FOREIGN: any thread may set something that it depends on. Its
   readers become FOREIGN when they are evaluated or checked (follow_foreign()).
   `looked_at`: obv__inbound_sets before the source was read. If memory is
   short, the record becomes dirty and SHORT instead: each read evaluates it. */
static void turn_foreign(struct obv__computed *computed, uint64_t looked_at)
{
    struct obv__computed_more *more = obv__computed_more(computed);
    if (more && !(computed->flags & OBV__FOREIGN)) {
        obv__store_relaxed(&more->inbound_sets, looked_at);
    }
    obv__flags_add(computed, more ? OBV__FOREIGN : OBV__SHORT | OBV__DIRTY);
}

static inline void follow_foreign(struct obv__computed *reader,
                                  const struct obv__computed *source)
{
    if (OBV__UNLIKELY((source->flags & ~reader->flags) & OBV__FOREIGN)) {
        turn_foreign(reader, obv__load_relaxed(&source->more->inbound_sets));
    }
}

void obv__follow_foreign(struct obv__thread *self, struct obv__computed *reader,
                         const struct obv__computed *source)
{
    if (OBV__UNLIKELY(obv__flags(source) & OBV__FOREIGN)) {
        obv__graph_enter(self);
        follow_foreign(reader, source);
        obv__graph_leave(self);
    }
}

/* Loops of inbound edits. If a record is observed by a loop, and any thread may
   set a property that it depends on, the edit of that set is made in the drain
   of this loop, which runs on the owner's thread (TH-1). */

static uint32_t loop_of_list(const uintptr_t *head)
{
    struct obv__watcher *w = head ? obv__first(head) : NULL;
    uint32_t id = 0;
    for (; w && id == 0; w = obv__next(w)) {
        id = obv__inbound_loop_of(w);
    }
    return id;
}

/* The state of look_at_foreign(). `good`: there was memory for both stacks. */
struct foreign_look {
    uint64_t now;
    struct stack records; /* to be looked at */
    struct stack inbound; /* what was set */
    bool good;
};

static void look_at_record(struct foreign_look *look,
                           const struct obv__computed *reader,
                           struct obv__computed *source)
{
    uint32_t loop =
        reader->more->loop ? reader->more->loop : source->more->loop;
    if (obv__load_relaxed(&source->more->inbound_sets) != look->now ||
        source->more->loop != loop) {
        obv__store_relaxed(&source->more->inbound_sets, look->now);
        source->more->loop = loop;
        look->good = look->good && push_item(&look->records, source);
    }
}

static void look_at_source(struct foreign_look *look,
                           struct obv__computed *reader,
                           const struct obv__edge *edge)
{
    struct obv__computed *source = obv__edge_record(edge);
    const struct obv__hub *hub =
        source ? NULL : obv__source_hub(obv__edge_source(edge));
    if (source && (source->flags & OBV__FOREIGN)) {
        look_at_record(look, reader, source);
    }
    if (!hub || !(hub->watcher.type & OBV__AT_ANY_THREAD)) {
        return;
    }
    if (reader->more->loop != 0) {
        obv__inbound_name(&hub->watcher, reader->more->loop);
    }
    if (!hub->inbound) {
        obv__flags_add(reader, OBV__DIRTY); /* of `*`: one was set, perhaps */
    } else if (hub->version != obv__load_acquire(&hub->inbound->version)) {
        look->good = look->good && push_item(&look->inbound, hub->inbound);
    }
}

/* Notes the loop by which a record is observed; look_at_foreign() hands it on
   to what the record depends on. */
static void name_loop(struct obv__computed *computed)
{
    if (obv__computed_is_watched(computed) && !(computed->flags & OBV__ENDED)) {
        struct obv_detail_node *node = obv__node(computed->object);
        uint32_t own = loop_of_list(obv__list(node, computed->slot));
        own = own ? own : loop_of_list(obv__list(node, OBV__SLOT_EVERY));
        computed->more->loop = own ? own : computed->more->loop;
    }
}

/* Looks below a FOREIGN record for properties that were set since they were
   read, and marks what depends on them: the owner reads the new values before
   the drain that tells of them (TH-1). */
OBV__NOINLINE static void look_at_foreign(struct obv__thread *self,
                                          struct obv__computed *computed)
{
    struct obv_context *context = obv__computed_context(computed);
    struct foreign_look look = {.now = obv__load_seq_cst(&obv__inbound_sets),
                                .records = {.context = context},
                                .inbound = {.context = context},
                                .good = true};
    struct obv__computed *at = computed;
    obv__epoch_enter(self);
    obv__graph_enter(self);
    obv__store_relaxed(&at->more->inbound_sets, look.now);
    name_loop(computed);
    while (at) {
        struct obv__edge *edge = at->sources;
        for (; edge; edge = edge->next) {
            look_at_source(&look, at, edge);
        }
        at = look.records.count ? look.records.items[--look.records.count]
                                : NULL;
    }
    obv__flags_add(computed, look.good ? 0 : OBV__DIRTY);
    obv__graph_leave(self);
    for (size_t i = 0; i < look.inbound.count; i++) {
        obv__inbound_mark(self, look.inbound.items[i]);
    }
    obv__epoch_leave(self);
    free_stack(&look.records);
    free_stack(&look.inbound);
}

/* Cycles ------------------------------------------------------------------- */

/* Writes the names of the properties in a cycle: of `first`, and of all whose
   functions run inside its own. */
static void write_names(const struct obv__pull *pull,
                        const struct obv__computed *first, char *text,
                        size_t room)
{
    const struct obv__computed *at = obv__computes_in(pull);
    size_t length = 0;
    if (at != first && pull->outer) {
        write_names(pull->outer, first, text, room);
        length = strlen(text);
    }
    if (at) {
        (void)snprintf(text + length, room - length, "%s%s", length ? ", " : "",
                       at->property->name);
    }
}

OBV__NOINLINE static enum obv_status
report_cycle(struct obv__thread *self, const struct obv__computed *computed)
{
    const struct obv__pull *pull = obv__pulls_of(self);
    char names[256] = "";
    unsigned depth = 0;
    bool is_end = false;
    obv__graph_enter(self);
    for (const struct obv__pull *at = pull; at && !is_end; at = at->outer) {
        struct obv__computed *failed = obv__computes_in(at);
        is_end = failed == computed;
        if (failed) {
            obv__flags_add(failed, OBV__SOURCE_FAILED);
            failed->status = OBV_E_CYCLE;
            depth++;
        }
    }
    obv__graph_leave(self);
    if (depth != 0 && depth <= 32) {
        write_names(pull, computed, names, sizeof names);
    }
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_CYCLE,
        .text = "computed properties need each other: none of them has a value",
        .path = names[0] ? names : computed->property->name};
    obv__diagnose(obv__computed_context(computed), &diagnostic);
    return OBV_E_CYCLE;
}

/* Evaluating --------------------------------------------------------------- */

/* The largest value, in bytes, for which evaluating allocates no memory. */
enum { NEAR = 64 };

union near {
    unsigned char bytes[NEAR];
    uint64_t word;
};

/* Room for a value, zeroed; NULL: no memory. */
static void *room_for(struct obv_context *context,
                      const struct obv_property *property, union near *near)
{
    void *room = property->size <= NEAR
                     ? near
                     : obv__context_allocate(context, property->size);
    return room ? memset(room, 0, property->size) : NULL;
}

static void leave_room(struct obv_context *context,
                       const struct obv_property *property, void *room,
                       const void *near)
{
    if (room && room != near) {
        obv__context_free(context, room, property->size);
    }
}

/* Leaves the graph meanwhile. */
static void report_computed(struct obv__thread *self,
                            const struct obv__computed *computed,
                            enum obv_diagnostic_kind kind, const char *text)
{
    const struct obv_diagnostic diagnostic = {
        .kind = kind, .text = text, .path = computed->property->name};
    obv__graph_leave(self);
    obv__diagnose(obv__computed_context(computed), &diagnostic);
    obv__graph_enter(self);
}

/* Memory was short, so the record may not have heard of the last change. It
   stays invalid, but not stale: a stale record would not pass the next mark on.
   Leaves the graph meanwhile. */
OBV__NOINLINE static void stay_armed(struct obv__thread *self,
                                     struct obv__computed *computed)
{
    obv__flags_set(computed,
                   (computed->flags & ~(uint32_t)OBV__STALE) | OBV__DIRTY);
    report_computed(
        self, computed, OBV_DIAGNOSTIC_MEMORY,
        "what a computed property depends on could not be recorded: it "
        "stays invalid");
}

/* Whether an error is the program's own, which stands until something changes. */
static bool is_error_of_program(enum obv_status status)
{
    return status != OBV_E_MEMORY && status != OBV_E_CYCLE &&
           status != OBV_E_ENDED && status != OBV_E_UNKNOWN;
}

/* An evaluation has failed; the last value stays. `before`: the error of the
   last evaluation, or OBV_OK. Answers whether this is another value to the
   readers: an error that stands, and is the same as before, is not. */
static bool set_failed(struct obv__computed *computed, enum obv_status status,
                       enum obv_status before)
{
    enum { SHAKEN = OBV__OVERTAKEN | OBV__STALE | OBV__SHORT | OBV__ENDED };
    bool stands = is_error_of_program(status) && !(computed->flags & SHAKEN);
    obv__flags_add(computed, OBV__FAILED | (stands ? 0u : OBV__DIRTY));
    obv__flags_add(computed, status == OBV_E_MEMORY ? OBV__SHORT : 0);
    computed->status = (int8_t)status;
    if (!stands || status != before) {
        dirty_readers(computed, NULL);
        return true;
    }
    return false;
}

/* The limit of repetitions in a row: of a function whose evaluation sets off a
   handler that sets what it has read, and of a check that is marked behind. */
enum { AGAIN = 64 };

/* A handler set off by the evaluation has made the record invalid, and an
   immediate observation needs it: the edit that has asked evaluates it again.
   If there is none, obv__tell_waiting() tells. Leaves the graph meanwhile. */
OBV__NOINLINE static void want_again(struct obv__thread *self,
                                     struct obv__computed *computed)
{
    struct obv__work_list *work = work_of(self);
    struct obv__computed_more *more = obv__computed_more(computed);
    if (!more || ++more->run_again > AGAIN) {
        if (more) {
            more->run_again = 0;
        }
        obv__flags_set(computed,
                       (computed->flags & ~(uint32_t)OBV__STALE) | OBV__DIRTY);
        report_computed(
            self, computed, OBV_DIAGNOSTIC_DEPTH,
            "handlers set what a computed property has read whenever it is "
            "computed: it stays invalid until the next change");
    } else if (work) {
        obv__work_list_add_invalid(work, computed);
    } else {
        obv__flags_add(computed, OBV__IS_WAITED);
    }
}

/* Disposes of a result that is not stored; leaves the graph meanwhile. */
static void let_go_of_result(struct obv__thread *self,
                             const struct obv__computed *computed, void *value)
{
    obv__graph_leave(self);
    obv__value_disown(obv__computed_context(computed), computed->property,
                      value);
    obv__graph_enter(self);
}

/* Compares two values; leaves the graph meanwhile. */
static bool is_equal_result(struct obv__thread *self,
                            const struct obv__computed *computed, const void *a,
                            const void *b)
{
    obv__graph_leave(self);
    bool equal = obv__value_equal(computed->property, a, b);
    obv__graph_enter(self);
    return equal;
}

/* Stores a result, unless the field has an equal value: then the result is
   disposed of. Answers whether another value is stored. Leaves the graph
   meanwhile. */
static bool store_result(struct obv__thread *self,
                         struct obv__computed *computed, void *result)
{
    const struct obv_property *property = computed->property;
    struct obv_context *context = obv__computed_context(computed);
    void *value = computed->field;
    bool had_value = obv__computed_has_value(computed);
    obv__flags_remove(computed, OBV__NO_VALUE);
    if (had_value && is_equal_result(self, computed, value, result)) {
        let_go_of_result(self, computed, result);
        return false;
    }
    struct displaced old;
    old.is_kept = obv__raw_keep(context, property, value, &old.value);
    old.is_known = old.is_kept && had_value;
    memcpy(value, result, property->size);
    dirty_readers(computed, NULL);
    if (tells_anybody(computed)) {
        tell_stored(self, computed, &old);
    } else if (old.is_kept) {
        obv__graph_leave(self);
        drop_displaced(computed, &old.value, work_of(self));
        obv__graph_enter(self);
    }
    return true;
}

/* The function of a property has ended the property's own object: there is no
   field to store a result in. Leaves the graph meanwhile, as the next two
   do. */
OBV__NOINLINE static void end_with_object(struct obv__thread *self,
                                          struct obv__computed *computed,
                                          void *result, enum obv_status status)
{
    if (status == OBV_OK) {
        let_go_of_result(self, computed, result);
    }
    obv__sources_end(computed);
    obv__flags_add(computed, OBV__NO_VALUE);
    (void)set_failed(computed, OBV_E_ENDED, OBV_OK);
}

/* A source that the function has read has failed, so the record fails, whatever
   the function answers. Answers the error of the source, unless the function
   has one of its own; a cycle comes first. */
static enum obv_status fail_with_source(struct obv__thread *self,
                                        const struct obv__computed *computed,
                                        enum obv_status status, void *result)
{
    enum obv_status of_source = (enum obv_status)computed->status;
    if (status == OBV_OK) {
        let_go_of_result(self, computed, result);
    }
    return status == OBV_OK || of_source == OBV_E_CYCLE ? of_source : status;
}

/* Stores the value that a function has answered; whether it is another. */
static bool end_with_value(struct obv__thread *self,
                           struct obv__computed *computed, void *result)
{
    /* A record marked meanwhile stays invalid. */
    if (computed->flags & (OBV__OVERTAKEN | OBV__STALE | OBV__SHORT)) {
        obv__flags_add(computed, OBV__DIRTY);
    }
    return store_result(self, computed, result);
}

/* Ends an evaluation whose function has returned, in every case that
   evaluate_plain() does not end itself. Answers whether the record has another
   value, or another error than `before`. Leaves the graph meanwhile. */
OBV__NOINLINE static bool end_evaluation(struct obv__thread *self,
                                         struct obv__computed *computed,
                                         enum obv_status before,
                                         enum obv_status status, void *result)
{
    bool is_another = false;
    obv__flags_remove(computed, OBV__RUNS);
    if (computed->flags & OBV__ENDED) {
        self->cursor = obv__no_cursor();
        end_with_object(self, computed, result, status);
        return false;
    }
    forget_unread(self);
    unmark_read(computed);
    if (OBV__UNLIKELY(computed->flags & OBV__DECLARES)) {
        obv__graph_leave(self);
        if (status == OBV_OK) {
            obv__dependency_check(computed);
        }
        obv__declared_run(self, computed);
        obv__graph_enter(self);
        unmark_read(computed);
    }
    self->cursor = obv__no_cursor();
    if (computed->flags & OBV__SET_MEANWHILE) {
        if (status == OBV_OK) {
            let_go_of_result(self, computed, result);
        }
    } else {
        if (computed->flags & OBV__SOURCE_FAILED) {
            status = fail_with_source(self, computed, status, result);
        }
        if (status == OBV_OK) {
            is_another = end_with_value(self, computed, result);
            if (before != OBV_OK && !is_another) {
                dirty_readers(computed, NULL);
                is_another = true;
            }
        } else {
            is_another = set_failed(computed, status, before);
        }
    }
    if (computed->flags & OBV__SHORT) {
        stay_armed(self, computed);
    }
    if (computed->flags & OBV__FOREIGN) {
        obv__graph_leave(self);
        look_at_foreign(self, computed);
        obv__graph_enter(self);
    }
    if (computed->flags & OBV__WANTED_AGAIN) {
        want_again(self, computed);
    } else if (computed->more) {
        computed->more->run_again = 0;
    }
    obv__flags_remove(computed, OBV__HAPPENED);
    if ((computed->flags & OBV__IS_WAITED) &&
        (computed->flags & (OBV__FAILED | OBV__STALE)) != OBV__FAILED) {
        obv__graph_leave(self);
        obv__tell_waiting(self, computed);
        obv__graph_enter(self);
    }
    return is_another;
}

/* end_evaluation() for evaluate_plain(), whose result is a word. */
OBV__NOINLINE static bool end_otherwise(struct obv__thread *self,
                                        struct obv__computed *computed,
                                        enum obv_status status, uint64_t result)
{
    return end_evaluation(self, computed, OBV_OK, status, &result);
}

/* Calls the function of a property, outside of the graph; the object may have ended
   when it has returned. */
static enum obv_status call_function(const struct obv__computed *computed,
                                     void *result)
{
    struct obv__traced traced = {.kind = OBV_TRACE_EVALUATE,
                                 .object = computed->object,
                                 .slot = computed->slot};
    bool is_traced = obv__is_traced();
    if (is_traced) {
        obv__trace(&traced);
    }
    enum obv_status status = computed->property->computed->evaluate(
        traced.object, computed->property, result);
    if (is_traced) {
        traced = (struct obv__traced){.kind = OBV_TRACE_EVALUATED,
                                      .slot = OBV__SLOT_NONE};
        obv__trace(&traced);
    }
    return status;
}

/* Evaluates a record that has any SPECIAL flag, or is traced. Answers whether
   it has another value. Leaves the graph meanwhile. */
OBV__NOINLINE static bool evaluate_special(struct obv__thread *self,
                                           struct obv__computed *computed)
{
    const struct obv_property *property = computed->property;
    union near near;
    if (computed->flags & OBV__ENDED) {
        obv__flags_remove(computed, OBV__STALE | OBV__CHECKS);
        return false;
    }
    struct obv_context *context = obv__computed_context(computed);
    void *result = room_for(context, property, &near);
    enum obv_status before = computed->flags & OBV__FAILED
                                 ? (enum obv_status)computed->status
                                 : OBV_OK;
    obv__flags_remove(computed, TAKEN);
    if (!result) {
        (void)set_failed(computed, OBV_E_MEMORY, OBV_OK);
        stay_armed(self, computed);
        return false;
    }
    obv__flags_add(computed, OBV__RUNS);
    if (computed->flags & OBV__FOREIGN) {
        obv__store_relaxed(&computed->more->inbound_sets,
                           obv__load_seq_cst(&obv__inbound_sets));
    }
    obv__reading_begin(self, computed);
    if (computed->flags & OBV__DECLARES) {
        obv__graph_leave(self);
        obv__declared_read(self, computed);
        obv__graph_enter(self);
    }
    if (computed->flags & OBV__LAZY) {
        forget_unread(self);
    }
    enum obv_status status = OBV_E_ENDED;
    bool has_ended = (computed->flags & OBV__ENDED) != 0;
    obv__graph_leave(self);
    OBV__NO_EXCEPTION_LEAVES();
    if (!has_ended) {
        status = call_function(computed, result);
    }
    obv__graph_enter(self);
    bool is_another = end_evaluation(self, computed, before, status, result);
    leave_room(context, property, result, &near);
    return is_another;
}

/* The edge by which a walk asks for its first record, so that a `via` always
   has a reader. All threads share both, so nobody writes to either. */
static struct obv__computed asks_nothing = {.flags = OBV__HAS_RUN};
static struct obv__edge by_nobody = {.reader = &asks_nothing};

/* A word was stored over `before`: tells the readers, watchers and observers
   that compare. Leaves the graph meanwhile. */
OBV__NOINLINE static void tell_word(struct obv__thread *self,
                                    struct obv__computed *computed,
                                    const struct obv__edge *but,
                                    uint64_t before)
{
    struct displaced old = {{.scalar = before}, true, true};
    dirty_readers(computed, but);
    tell_stored(self, computed, &old);
}

/* Stores a word of eight bytes, or a double; whether it is another. */
OBV__NOINLINE static bool store_long_word(const struct obv__computed *computed,
                                          uint64_t now)
{
    uint64_t before;
    memcpy(&before, computed->field, sizeof before);
    if (before == now || (obv__computes_double(computed->property) &&
                          obv__doubles_equal(before, now))) {
        return false;
    }
    memcpy(computed->field, &now, sizeof now);
    return true;
}

/* Evaluates a record that is not SPECIAL and that `computes` of the pull names;
   `flags`: its word. Answers whether it has another value: then its readers are
   dirty, but not by the edge `but`, if the record `is_asked` for by that edge
   (a constant). `is_told`: set if more has happened than a store, by which the
   record may be invalid again. Leaves the graph meanwhile. */
OBV__INLINE bool evaluate_plain(struct obv__thread *self,
                                struct obv__computed *computed, uint32_t flags,
                                const struct obv__edge *but, bool is_asked,
                                bool *is_told)
{
    const struct obv_property *property = computed->property;
    uint64_t result = 0;
    flags = (flags & ~(uint32_t)TAKEN) | OBV__RUNS;
    obv__flags_set(computed, flags);
    self->cursor = &computed->sources;
    obv__graph_leave(self);
    OBV__NO_EXCEPTION_LEAVES();
    enum obv_status status =
        property->computed->evaluate(computed->object, property, &result);
    if (OBV__UNLIKELY(status != OBV_OK)) {
        obv__graph_enter(self);
        *is_told = true;
        return end_otherwise(self, computed, status, result);
    }
    obv__graph_enter(self);
    if (OBV__UNLIKELY(computed->flags != flags || *self->cursor)) {
        *is_told = true;
        return end_otherwise(self, computed, OBV_OK, result);
    }
    OBV__OPAQUE(flags); /* the compiler keeps no other form of it */
    flags ^= OBV__RUNS;
    obv__flags_set(computed, flags);
    uint64_t before;
    if (!OBV__UNLIKELY(!(flags & OBV__IS_SHORT_WORD))) {
        uint32_t word = *(const uint32_t *)computed->field;
        uint32_t now;
        memcpy(&now, &result, sizeof now);
        before = word;
        if (word == now) {
            return false;
        }
        memcpy(computed->field, &now, sizeof now);
    } else {
        memcpy(&before, computed->field, sizeof before);
        if (!store_long_word(computed, result)) {
            return false;
        }
    }
    if (OBV__UNLIKELY((flags & OBV__FIRST) |
                      obv__load_relaxed(&computed->watched))) {
        *is_told = true;
        tell_word(self, computed, but, before);
    } else if (OBV__UNLIKELY((computed->readers &&
                              !(is_asked && computed->readers == but)) ||
                             (is_asked && but->next_there))) {
        dirty_readers(computed, but);
    }
    return true;
}

/* Evaluates any record; the caller keeps its object. Only evaluate_special()
   writes the trace. */
OBV__NOINLINE static bool evaluate(struct obv__thread *self,
                                   struct obv__computed *computed,
                                   const struct obv__edge *but)
{
    if (OBV__UNLIKELY(computed->flags & SPECIAL) || obv__is_traced()) {
        return evaluate_special(self, computed);
    }
    bool is_told = false;
    obv__pull_of(self)->computes = computed;
    return evaluate_plain(self, computed, computed->flags, but, true, &is_told);
}

/* Pulling ------------------------------------------------------------------ */

/* Evaluates a record that another record has asked for, and holds its object,
   which nobody else keeps alive meanwhile. */
OBV__NOINLINE static bool evaluate_held(struct obv__thread *self,
                                        struct obv__computed *computed,
                                        const struct obv__edge *but)
{
    bool held = false, is_another = false;
    struct obv_object *object = obv__computed_hold(computed, &held);
    if (object) {
        is_another = evaluate(self, computed, but);
    } else {
        obv__flags_remove(computed, OBV__CHECKS);
        is_another = set_failed(computed, OBV_E_ENDED, OBV_OK);
    }
    if (held) {
        self->cursor = obv__no_cursor(); /* `release` reads for nobody */
        obv__graph_leave(self);
        obv__class_of(object)->release(object);
        obv__graph_enter(self);
    }
    return is_another;
}

static bool evaluate_source(struct obv__thread *self,
                            struct obv__computed *computed,
                            const struct obv__edge *but)
{
    return OBV__UNLIKELY(computed->flags & (OBV__IS_HELD | OBV__ENDED))
               ? evaluate_held(self, computed, but)
               : evaluate(self, computed, but);
}

/* Whether the walk that checks `at` can do a source that is not simply valid or
   stale; `flags`: the source's word. If not, `at` becomes dirty, so that its
   function reads the source. */
OBV__NOINLINE static bool is_walked(struct obv__computed *at,
                                    const struct obv__computed *source,
                                    uint32_t flags)
{
    follow_foreign(at, source);
    if (flags & (OBV__RUNS | OBV__CHECKS | OBV__STANDS)) {
        obv__flags_add(at, OBV__DIRTY);
        return false;
    }
    return is_to_pull(flags);
}

/* A source that is not valid: its edge, or NULL, and its word. */
struct invalid {
    struct obv__edge *edge;
    struct obv__computed *source;
    uint32_t flags;
};

/* The first invalid source of a record that its walk can do, from `edge` on. */
OBV__INLINE struct invalid next_invalid(struct obv__computed *at,
                                        struct obv__edge *edge)
{
    struct invalid next = {edge, NULL, 0};
    for (; next.edge; next.edge = next.edge->next) {
        /* Relaxed: an end on another thread may clear it at the same time. */
        uintptr_t read = obv__load_relaxed(&next.edge->source);
        next.source = (struct obv__computed *)(read & ~OBV__SOURCE_BITS);
        if (!(read & OBV__SOURCE_COMPUTED)) {
            continue;
        }
        next.flags = obv__flags(next.source);
        if (!(next.flags & (TO_PULL | OBV__FOREIGN))) {
            continue;
        }
        if (!OBV__UNLIKELY(next.flags & (OBV__RUNS | OBV__CHECKS | OBV__STANDS |
                                         OBV__FOREIGN)) ||
            is_walked(at, next.source, next.flags)) {
            break;
        }
    }
    return next;
}

/* How often a walk has begun anew with the sources of a record: in a row with
   those of `of`, and in all with those of any record. */
struct again {
    const struct obv__computed *of;
    unsigned rounds, all;
};

/* The check of `at` is at its end: the first source that was marked again
   behind it. After too many rounds there is none and `at` is dirty instead; all
   rounds are counted together, too, since two records may take turns. */
static struct invalid next_again(struct obv__computed *at, struct again *again)
{
    static const struct invalid none;
    struct invalid invalid = none;
    if ((at->flags & (OBV__STALE | OBV__DIRTY)) == OBV__STALE) {
        invalid = next_invalid(at, at->sources);
    }
    if (!invalid.edge) {
        return none;
    }
    again->rounds = again->of == at ? again->rounds + 1 : 1;
    again->of = at;
    if (again->rounds > AGAIN || ++again->all > AGAIN * AGAIN) {
        obv__flags_add(at, OBV__DIRTY);
        return none;
    }
    return invalid;
}

/* Ends a check without an evaluation: no source has another value. */
OBV__INLINE void end_check(struct obv__computed *at)
{
    obv__flags_remove(at, OBV__STALE | OBV__CHECKS);
}

/* A function that read the record has evaluated it while it waited in the walk,
   or has set it since: either counts as the end of the check. */
OBV__NOINLINE static void end_check_of_run(struct obv__computed *at)
{
    obv__flags_remove(at, OBV__HAS_RUN | OBV__CHECKS);
}

/* The flags that keep a record from being evaluated as soon as a source has
   another value. One that waits in a walk and has none of them is stale. */
enum {
    WALKS_ON = SPECIAL | OBV__IS_HELD | OBV__WAS_SET | OBV__HAS_RUN | OBV__RUNS
};

/* A record that was evaluated, and the edge by which it was asked for. */
struct evaluated {
    struct obv__computed *record;
    struct obv__edge *via;
};

/* Evaluates a dirty record that waits in a walk. As long as each has another
   value, the record that has asked for it is evaluated next, without a mark in
   between. Answers the last one evaluated. */
OBV__NOINLINE static struct evaluated evaluate_askers(struct obv__thread *self,
                                                      struct obv__computed *at,
                                                      bool *is_another)
{
    struct obv__pull *pull = obv__pull_of(self);
    uint32_t flags = at->flags;
    bool is_told;
    for (;;) {
        struct obv__edge *via = at->via;
        struct obv__computed *asker = via->reader;
        pull->computes = at;
        bool has_another = evaluate_plain(self, at, flags, via, true, &is_told);
        flags = asker->flags;
        if (!has_another || (flags & WALKS_ON)) {
            *is_another = has_another;
            return (struct evaluated){at, via};
        }
        at = asker;
    }
}

/* Whether pulls are nested so deep that a pull within `outer` brings the
   sources up to date before it calls any function. */
static inline bool is_too_deep(const struct obv__thread *self,
                               const struct obv__pull *outer)
{
    return outer && OBV__UNLIKELY(self->pull_count > DEEP);
}

/* Brings `asked` up to date: goes down along invalid sources, and evaluates on
   the way back. `is_calm`: the answer of pull_begin(). */
OBV__NOINLINE static void walk_sources(struct obv__thread *self,
                                       struct obv__computed *asked,
                                       bool is_calm)
{
    bool is_deep = !is_calm && is_too_deep(self, obv__pull_of(self)->outer);
    struct invalid next = {&by_nobody, asked, asked->flags};
    struct again again = {.of = NULL};
    /* Whether an asker may be evaluated right after its source, unmarked. */
    bool is_plain = is_calm && !obv__stamps_are_told();
    for (;;) {
        struct obv__computed *at;
        do {
            at = next.source;
            at->via = next.edge;
            next.flags |= OBV__CHECKS;
            OBV__OPAQUE(next.flags); /* no other form is kept beside it */
            obv__flags_set(at, next.flags);
            if ((next.flags & OBV__DIRTY) && !is_deep) {
                break;
            }
            next = next_invalid(at, at->sources);
        } while (next.edge);
        do {
            struct obv__edge *via = at->via;
            bool is_another = false;
            uint32_t flags = at->flags;
            if (is_plain && (flags & (WALKS_ON | OBV__DIRTY)) == OBV__DIRTY) {
                struct evaluated last = evaluate_askers(self, at, &is_another);
                at = last.record;
                via = last.via;
            } else if (OBV__UNLIKELY(flags & OBV__HAS_RUN)) {
                end_check_of_run(at);
            } else if (flags & OBV__DIRTY) {
                is_another = via != &by_nobody ? evaluate_source(self, at, via)
                                               : evaluate(self, at, via);
            } else {
                end_check(at);
            }
            struct obv__computed *asker = via->reader;
            if (asker == &asks_nothing) {
                return;
            }
            obv__must_live(via); /* also if the object of `asker` has ended */
            if (is_another || is_to_pull(at->flags)) {
                note_moved(asker, at);
            }
            at = asker;
            /* If `at` is not stale, it was evaluated meanwhile, or set. */
            next.edge = at->flags & OBV__STALE ? via->next : NULL;
            if ((at->flags & OBV__DIRTY) && !is_deep) {
                next.edge = NULL;
            }
            next = next_invalid(at, next.edge);
            if (!next.edge) {
                next = next_again(at, &again);
            }
        } while (!next.edge);
    }
}

/* A record waits in a walk for a source, and the source's function reads the
   record, which it did not last time: the record is evaluated now, inside, and
   HAS_RUN tells the walk. */
OBV__NOINLINE static void evaluate_inside(struct obv__thread *self,
                                          struct obv__computed *computed)
{
    struct obv__edge *via = computed->via;
    (void)evaluate(self, computed, &by_nobody);
    computed->via = via;
    obv__flags_add(computed, OBV__CHECKS | OBV__HAS_RUN);
}

static enum obv_status status_of(const struct obv__computed *computed)
{
    uint32_t flags = obv__flags(computed);
    return flags & OBV__ENDED    ? OBV_E_ENDED
           : flags & OBV__FAILED ? (enum obv_status)computed->status
                                 : OBV_OK;
}

/* The flags of a record that is not simply pulled. */
enum {
    USED = OBV__RUNS | OBV__STANDS | OBV__ENDED | OBV__CHECKS | OBV__FOREIGN
};

/* Whether a record's word says that it is to be evaluated, and nothing else.
   The word may be read outside the graph: others' objects that end can only
   mark it. */
static inline bool is_plainly_dirty(uint32_t flags)
{
    return (flags & (OBV__DIRTY | USED | SPECIAL)) == OBV__DIRTY;
}

/* Begins a pull within `outer` (or NULL) and enters the graph. `computes`: the
   record whose function is about to run, or NULL. False: a trace, perhaps, or
   the depth of the nesting keeps from calling it at once. */
OBV__INLINE bool pull_begin(struct obv__thread *self, struct obv__pull *pull,
                            struct obv__pull *outer,
                            struct obv__computed *computes)
{
    pull->outer = outer;
    pull->computes = computes;
    self->slots[OBV__THREAD_COMPUTES] = pull;
    self->pull_count++;
    return obv__graph_enter(self) && !is_too_deep(self, outer);
}

OBV__INLINE void pull_end(struct obv__thread *self, struct obv__pull *outer,
                          struct obv__edge **cursor)
{
    obv__graph_leave(self);
    self->pull_count--;
    self->cursor = cursor;
    self->slots[OBV__THREAD_COMPUTES] = outer;
}

/* Evaluates a plainly dirty record for the function that runs in `outer`, which
   reads it by the edge `by`; or for no function (both NULL, constants), in an
   epoch section. Answers whether the record may be invalid again. */
OBV__INLINE bool pull_dirty(struct obv__thread *self,
                            struct obv__computed *computed,
                            struct obv__pull *outer, struct obv__edge *by)
{
    struct obv__pull pull;
    bool is_told = false;
    if (!outer) {
        pull.work = NULL;
    }
    if (OBV__UNLIKELY(!pull_begin(self, &pull, outer, computed))) {
        pull.computes = NULL;
        walk_sources(self, computed, false);
        is_told = true;
    } else {
        (void)evaluate_plain(self, computed, computed->flags, by, outer != NULL,
                             &is_told);
    }
    OBV__OPAQUE(by);
    pull_end(self, outer ? pull.outer : NULL,
             outer ? &by->next : obv__no_cursor());
    return is_told;
}

/* Brings a record up to date that is neither valid nor in use (in_use()). */
static void pull_within(struct obv__thread *self,
                        struct obv__computed *computed, struct obv__pull *outer,
                        struct obv__work_list *work)
{
    struct obv__pull pull;
    struct obv__edge **cursor = self->cursor;
    pull.work = work;
    bool is_calm = pull_begin(self, &pull, outer, NULL);
    if (OBV__UNLIKELY(computed->flags & OBV__CHECKS)) {
        evaluate_inside(self, computed);
    } else {
        walk_sources(self, computed, is_calm);
    }
    pull_end(self, outer, cursor);
}

/* Begins recording and the epoch section around the outermost pull. The section
   is entered without a fence: entering the graph, right behind, has the one
   needed. */
OBV__INLINE void outermost_begin(struct obv__thread *self)
{
    obv__recording_begin(self);
    obv__section_enter_as(self, OBV__IS_PLAIN);
}

/* Pulls a record while no function runs. Consequences join `work`, if that is
   not NULL. */
OBV__NOINLINE static void pull_outermost(struct obv__thread *self,
                                         struct obv__computed *computed,
                                         struct obv__work_list *work)
{
    outermost_begin(self);
    pull_within(self, computed, NULL, work);
    obv__epoch_leave(self);
}

/* The same of a plainly dirty record, with no work list. */
OBV__NOINLINE static void pull_outermost_dirty(struct obv__thread *self,
                                               struct obv__computed *computed)
{
    outermost_begin(self);
    (void)pull_dirty(self, computed, NULL, NULL);
    obv__epoch_leave(self);
}

/* The status of a record that needs no pull (STANDS), or can have none: its
   function runs, or its object has ended. */
OBV__NOINLINE static enum obv_status in_use(struct obv__thread *self,
                                            struct obv__computed *computed)
{
    if (obv__flags(computed) & OBV__RUNS) {
        obv__flags_change(self, computed, 0, OBV__IS_WAITED);
        return report_cycle(self, computed);
    }
    return obv__flags(computed) & OBV__STANDS ? OBV_OK : OBV_E_ENDED;
}

static inline bool is_in_use(uint32_t flags)
{
    return (flags & (OBV__RUNS | OBV__STANDS | OBV__ENDED)) != 0;
}

enum obv_status obv__pull(struct obv__thread *self,
                          struct obv__computed *computed,
                          struct obv__work_list *work)
{
    uint32_t flags = obv__flags(computed);
    if (OBV__UNLIKELY(is_in_use(flags))) {
        return in_use(self, computed);
    }
    if (OBV__UNLIKELY(flags & OBV__FOREIGN) &&
        !obv__computed_is_looked_at(computed)) {
        look_at_foreign(self, computed);
        flags = obv__flags(computed);
    }
    if (!is_to_pull(flags)) {
        return status_of(computed);
    }
    if ((flags & BAD) == OBV__CHECKS) {
        return OBV_OK; /* it was evaluated, or set, while it waited in a walk */
    }
    if (obv__pull_of(self)) {
        pull_within(self, computed, obv__pulls_of(self), NULL);
    } else {
        pull_outermost(self, computed, work);
    }
    return status_of(computed);
}

/* A source that a function has read has no value, or is invalid again. */
OBV__NOINLINE static void tell_reader(struct obv__thread *self,
                                      struct obv__computed *reader,
                                      const struct obv__computed *computed,
                                      enum obv_status status)
{
    obv__graph_enter(self);
    obv__flags_add(reader, computed->flags & OBV__SHORT);
    if (status == OBV_OK) {
        /* The source's evaluation has made it invalid; so the reader is. */
        obv__flags_add(reader, OBV__OVERTAKEN);
    } else if (!(reader->flags & OBV__SOURCE_FAILED)) {
        obv__flags_add(reader, OBV__SOURCE_FAILED);
        reader->status = (int8_t)status;
    }
    obv__graph_leave(self);
}

/* Pulls a record that is read, and tells the reader, the record whose function
   runs (if one does), how that went. */
OBV__NOINLINE static enum obv_status pull_read(struct obv__thread *self,
                                               struct obv__computed *computed)
{
    struct obv__computed *reader = obv__computes(self);
    enum obv_status status = obv__pull(self, computed, NULL);
    if (reader) {
        obv__follow_foreign(self, reader, computed);
    }
    if (reader && (obv__flags(computed) & (BAD & ~(uint32_t)OBV__CHECKS))) {
        tell_reader(self, reader, computed, status);
    }
    return status;
}

/* A function has read a source that is invalid or FOREIGN after its
   evaluation. */
OBV__NOINLINE static void end_read(struct obv__thread *self,
                                   const struct obv__computed *computed)
{
    struct obv__computed *reader = obv__computes(self);
    obv__follow_foreign(self, reader, computed);
    if (obv__flags(computed) & BAD) {
        tell_reader(self, reader, computed, status_of(computed));
    }
}

/* The function that runs reads a plainly dirty record, next as it did last
   time, by `edge`: evaluates the record. */
OBV__NOINLINE static void pull_next(struct obv__thread *self,
                                    struct obv__computed *computed,
                                    struct obv__edge *edge)
{
    struct obv__pull *outer = obv__pull_of(self);
    outer->cursor = &edge->next;
    if (OBV__UNLIKELY(pull_dirty(self, computed, outer, edge)) &&
        (obv__flags(computed) & OBV__INVALID)) {
        end_read(self, computed);
    }
}

/* Makes the record of a property that was never computed or set. */
OBV__NOINLINE static enum obv_status
make_computed(struct obv_object *object, uint32_t slot,
              struct obv__computed **computed)
{
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    *computed = obv__computed_make(object, slot);
    enum obv_status status = *computed                       ? OBV_OK
                             : obv__object_is_ending(object) ? OBV_E_ENDED
                                                             : OBV_E_MEMORY;
    obv__epoch_leave(self);
    if (status == OBV_E_MEMORY && obv__computes(self)) {
        obv__flags_change(self, obv__computes(self), 0, OBV__SHORT);
    }
    return status;
}

enum obv_status obv__compute(struct obv_object *object, uint32_t slot)
{
    struct obv__computed *computed = obv__computed_of(object, slot);
    if (!computed) {
        enum obv_status status =
            obv__slot_is_computed(obv__class_of(object), slot)
                ? make_computed(object, slot, &computed)
                : OBV_OK;
        if (!computed) {
            return status;
        }
    }
    return obv__computed_is_valid(computed)
               ? OBV_OK
               : pull_read(obv__thread_self(), computed);
}

/* The library reads the property here, and no function that runs further out:
   such a function neither depends on the property nor fails with it. */
void obv__bring_path_up_to_date(struct obv_object *object, uint32_t slot,
                                struct obv__work_list *work)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__computed *computed = obv__computed_of(object, slot);
    struct obv__evaluating suspended;
    if (computed && ((obv__flags(computed) & OBV__RUNS) ||
                     obv__computed_is_valid(computed))) {
        return;
    }
    obv__evaluating_suspend(self, &suspended);
    if (computed || make_computed(object, slot, &computed) == OBV_OK) {
        (void)obv__pull(self, computed, work);
    }
    obv__evaluating_resume(self, &suspended);
}

/* The end ------------------------------------------------------------------ */

static void end_record(void *context, struct obv__computed *computed)
{
    struct obv__marks *marks = context;
    obv__marks_enter(marks);
    struct obv_context *of = obv__computed_context(computed);
    obv__mark_edges(marks, computed->readers, OBV__DIRTY);
    obv__edges_orphan(&computed->readers);
    obv__store_relaxed(&computed->flags,
                       computed->flags | OBV__ENDED | OBV__DIRTY);
    /* Relaxed: read_near() of a reader only compares this word with an
       address. */
    obv__store_relaxed(&computed->context, of);
    if (!(computed->flags & OBV__RUNS)) {
        obv__sources_end(computed);
    }
}

void obv__computed_end(const struct obv_class *cls,
                       struct obv_detail_node *node, struct obv__marks *marks)
{
    obv__declared_end(cls, node);
    obv__each_computed(cls, node, end_record, marks);
    obv__marks_spread(marks);
}

static void end_values(void *context, struct obv__computed *computed)
{
    drop_first(context, computed);
    if (obv__keeps_boxes(computed->property)) {
        obv__value_disown(context, computed->property, computed->field);
        computed->kept.box = NULL;
    }
}

void obv__computed_values_end(const struct obv_class *cls,
                              struct obv_detail_node *node)
{
    obv__each_computed(cls, node, end_values, cls->context);
}

/* Getters ------------------------------------------------------------------ */

/* A read that read_near() cannot do: it is not the one expected next, or a
   reader of a binding's is told of it. */
OBV__NOINLINE static void compute_other(struct obv_object *object,
                                        uint32_t property)
{
    if (OBV__UNLIKELY(obv_detail_is_reading())) {
        obv_detail_read_property(object, property);
    }
    (void)obv__compute(object, property);
}

/* Whether reads of this thread are recorded. */
OBV__INLINE bool is_recorded(const struct obv__thread *self)
{
    return self->cursor != obv__no_cursor() ||
           obv__load_relaxed(&obv__reader_of_all);
}

/* The record of a computed property, or NULL. It is in the table, mostly. */
OBV__INLINE struct obv__computed *near_record(struct obv_object *object,
                                              uint32_t property)
{
    uintptr_t word = obv__word(object);
    const struct obv_detail_slot *slot = obv__table_slot(word, property);
    return !OBV__UNLIKELY(!slot)
               ? obv__computed_in_slot(slot)
               : obv__computed_in(obv__node(object), property);
}

/* How a property is numbered: by its index, or, a binding's, by its offset. */
enum numbered { BY_INDEX, BY_OFFSET };

OBV__INLINE bool has_number(const struct obv__computed *computed,
                            uint32_t number, enum numbered numbered)
{
    return (numbered == BY_INDEX ? computed->slot
                                 : computed->property->offset) == number;
}

OBV__INLINE struct obv__computed *record_by_number(struct obv_object *object,
                                                   uint32_t number,
                                                   enum numbered numbered)
{
    if (numbered == BY_INDEX) {
        return near_record(object, number);
    }
    const struct obv_class *cls = obv__class_or_null(object);
    uint32_t index = cls ? obv__class_index_at(cls, number) : 0;
    return index != 0 ? near_record(object, index - 1) : NULL;
}

/* The fast way of a read: the property is the one that the function which runs
   read next last time, or no reads are recorded. Brings it up to date, notes
   the read, and answers its record. NULL: neither is so, and nothing was
   done. */
OBV__INLINE struct obv__computed *
read_near(struct obv_object *object, uint32_t number, enum numbered numbered)
{
    struct obv__thread *self = obv__thread_or_new();
    struct obv__edge *edge = *self->cursor;
    struct obv__computed *computed = NULL;
    if (edge) {
        /* Relaxed: an end on another thread may clear it at the same time. */
        uintptr_t source = obv__load_relaxed(&edge->source);
        OBV__OPAQUE(source); /* the compiler keeps no copy of it */
        if (!(source & OBV__SOURCE_COMPUTED)) {
            return NULL;
        }
        computed = (struct obv__computed *)(source & ~OBV__SOURCE_BITS);
        if (!has_number(computed, number, numbered) ||
            obv__load_relaxed(&computed->object) != object) {
            return NULL;
        }
        pass_next(self, edge);
        uint32_t flags = obv__flags(computed);
        if (!(flags & OBV__INVALID)) {
            return computed;
        }
        if (is_plainly_dirty(flags)) {
            pull_next(self, computed, edge);
        } else {
            (void)pull_read(self, computed);
        }
    } else if (!OBV__UNLIKELY(is_recorded(self)) &&
               (computed = record_by_number(object, number, numbered)) !=
                   NULL) {
        uint32_t flags = obv__flags(computed);
        if (!(flags & OBV__INVALID)) {
            return computed;
        }
        if (OBV__UNLIKELY(obv__pull_of(self))) {
            (void)obv__pull(self, computed, NULL);
        } else if (is_plainly_dirty(flags)) {
            pull_outermost_dirty(self, computed);
        } else if (OBV__UNLIKELY(flags & USED)) {
            (void)obv__pull(self, computed, NULL);
        } else {
            pull_outermost(self, computed, NULL);
        }
    }
    return computed;
}

void obv_detail_compute(struct obv_object *object, uint32_t property)
{
    if (!read_near(object, property, BY_INDEX)) {
        compute_other(object, property);
    }
}

const void *obv_detail_kept_value_at(struct obv_object *object, uint32_t offset,
                                     enum obv_status *status)
{
    struct obv__computed *computed = read_near(object, offset, BY_OFFSET);
    *status = OBV_OK;
    if (!computed || !OBV__UNLIKELY(obv__flags(computed) & OBV__INVALID)) {
        return computed ? computed->field : NULL;
    }
    *status =
        obv__flags(computed) & OBV__RUNS ? OBV_E_CYCLE : status_of(computed);
    return *status == OBV_OK && obv__computed_has_value(computed)
               ? computed->field
               : NULL;
}
