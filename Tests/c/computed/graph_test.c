/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graphs of computed properties beside a naive evaluator, which keeps a
 * version of each value and compares versions: the same values, the same calls in
 * the same order, and as many evaluations, which are the fewest there can be.
 *
 * Cells stand in an order and read those before them, some only if another one's
 * value says so. Functions fail, set what others read, or stop observations, in
 * rounds of their own. One that was set and was never evaluated reads nothing. Who is
 * called acts in turn: sets, invalidates, reads, stops, observes.
 */
#include "test.h"

#include <observable/observable.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SOURCES = 6,
    CELLS = 120,
    INPUTS = 40,
    WATCHES = 16,
    ACTS = 4, /* by handlers, that change something, in a step */
    EVENTS = 4096,
    STEPS = 300,
    ROUNDS = 30 /* of each shape and variety */
};

/* The last is of classes for any thread only, in the place of the first. */
enum { CELL_STORED, CELL_VALUE, CELL_SHARED };

struct cell {
    struct obv_object object;
    int64_t stored, value, shared;
    unsigned number;
};

OBV_PROPERTY(cell, stored, i64, CELL_STORED)
OBV_COMPUTED(cell, value, i64, CELL_VALUE)
OBV_PROPERTY_ANY_THREAD(cell, shared, i64, CELL_SHARED)

/* What graphs look like. */
enum shape {
    MIXED, /* of few inputs each */
    DEEP,  /* each reads the one before */
    WIDE,  /* all read one source, and the last ones read them */
    SHAPES
};

/* A cell that was set reads perhaps other inputs when it is evaluated next than
   those that it is checked by; how many are evaluated for it depends then on the
   order in which those are that one change needs. */
enum variety {
    NOBODY_AT_ONCE,
    NO_CELL_SET,
    ALL, /* evaluations are not counted */
    VARIETIES
};

/* Side effects of functions. */
enum twist {
    PLAIN,
    FAILS, /* where the value is a multiple of `fails`; nobody observes */
    /* Of these nobody observes at once, since handlers would run inside of
       functions. */
    SETS,  /* the `stored` of its own cell, which others read with its value; no
              cell is set, so both are the same */
    STOPS, /* an observation, where the value is odd */
    TWISTS
};

/* What a cell reads: the first input says which of the others. */
struct formula {
    unsigned inputs[INPUTS]; /* below SOURCES: a source; else a cell */
    unsigned count;
    int64_t modulus; /* small, so that many values come out the same */
    int64_t fails;   /* or 0: never */
};

/* What a step does, and who is called. */
enum act_kind {
    SET_SOURCE,
    SET_CELL,
    INVALIDATE,
    READ,
    OBSERVE, /* unless that watch does already */
    STOP,
    DRAIN,
    NOTHING
};

struct act {
    enum act_kind kind;
    unsigned number; /* of the source, the cell or the watch */
    unsigned value;
};

enum mode { DELAYED, DEFERRING, IMMEDIATE, MODES };

/* Both sides keep what has happened. */
struct diary {
    uint64_t events[EVENTS];
    size_t count;
    unsigned acts;           /* that handlers may do yet in this step */
    unsigned calls[WATCHES]; /* so far: what is done in one depends on it */
};

/* The evaluator's idea of a cell. */
struct naive_cell {
    int64_t value, stored;
    uint64_t version; /* of the value */
    bool has_failed;  /* and has the value that it had before */
    bool has_value, is_valid, is_dirty;
    unsigned read[2 * INPUTS];
    uint64_t read_versions[2 * INPUTS];
    unsigned read_count;
    unsigned evaluations;
    bool has_first; /* somebody waits for a drain, which compares with it */
    int64_t first;
};

/* And of an observation. */
struct naive_watch {
    unsigned cell;
    enum mode mode;
    bool is_on, is_pending, is_sure;
    unsigned registered, pending_since, called_in;
};

static struct {
    struct obv_context *context;
    struct obv_class *cls;
    enum variety variety;
    enum twist twist;
    bool is_shared; /* any thread may set sources */
    unsigned count; /* of cells */
    struct cell sources[SOURCES], cells[CELLS];
    struct formula formulas[CELLS];
    unsigned evaluations[CELLS];
    struct obv_observation *handles[WATCHES];
    struct diary diary;
} graph;

static struct {
    int64_t stored[SOURCES];
    struct naive_cell cells[CELLS];
    struct naive_watch watches[WATCHES];
    unsigned registrations, changes, cycles;
    bool drains;
    const struct naive_watch *innermost; /* whose handler runs */
    struct diary diary;
} naive;

/* Both sides --------------------------------------------------------------- */

static unsigned below(unsigned limit)
{
    return (unsigned)(test_random() % limit);
}

enum { CALLED = 1, HAS_READ, HAS_DRAINED };

static void note(struct diary *diary, unsigned what, unsigned number,
                 int64_t value)
{
    CHECK(diary->count < EVENTS);
    diary->events[diary->count++] = (uint64_t)what << 56 |
                                    (uint64_t)number << 40 |
                                    ((uint64_t)value & 0xffff);
}

static struct act act_from(uint64_t random)
{
    static const enum act_kind kinds[] = {
        SET_SOURCE, SET_SOURCE, SET_SOURCE, SET_CELL, INVALIDATE, READ,
        READ,       DRAIN,      OBSERVE,    OBSERVE,  STOP};
    struct act act = {.kind = kinds[random % (sizeof kinds / sizeof *kinds)],
                      .value = random >> 32 & 0xffff};
    if (act.kind == SET_CELL &&
        (graph.variety == NO_CELL_SET || graph.twist == SETS)) {
        act.kind = SET_SOURCE;
    }
    if (act.kind == OBSERVE && graph.twist == FAILS) {
        act.kind = SET_SOURCE;
    }
    unsigned limit = act.kind == SET_SOURCE                    ? SOURCES
                     : act.kind == OBSERVE || act.kind == STOP ? WATCHES
                                                               : graph.count;
    act.number = (unsigned)(random >> 8 & 0xffff) % limit;
    return act;
}

/* What a watch does in its next call: the same on both sides. */
static struct act act_of_call(struct diary *diary, unsigned watch)
{
    uint64_t random = ((uint64_t)diary->calls[watch]++ * WATCHES + watch + 1) *
                      0x9e3779b97f4a7c15u;
    random ^= random >> 29;
    struct act act = act_from(random * 0xbf58476d1ce4e5b9u >> 3);
    bool is_free = act.kind == READ;
    note(diary, CALLED, watch, 0);
    if (act.kind == DRAIN || (!is_free && diary->acts == 0) ||
        /* The next drain tells of it. */
        (graph.is_shared && act.kind == SET_SOURCE)) {
        act.kind = NOTHING;
    } else if (!is_free) {
        diary->acts--;
    }
    return act;
}

static unsigned cell_of_watch(const struct act *act)
{
    return act->value / MODES % graph.count;
}

static enum mode mode_of_watch(const struct act *act)
{
    enum mode mode = (enum mode)(act->value % MODES);
    return mode == IMMEDIATE && graph.variety == NOBODY_AT_ONCE ? DELAYED
                                                                : mode;
}

/* The library's side ------------------------------------------------------- */
static int64_t source(struct cell *cell)
{
    return graph.is_shared ? cell_shared(cell) : cell_stored(cell);
}

/* What any thread may set is told by a drain. */
static void make_inbound_edits(void)
{
    CHECK_EQ(obv_loop_drain_some(obv_context_loop(graph.context), 0), 0);
}

static void set_source(struct cell *cell, int64_t value)
{
    if (graph.is_shared) {
        cell_set_shared(cell, value);
        make_inbound_edits();
    } else {
        cell_set_stored(cell, value);
    }
}

static int64_t read_input(unsigned input)
{
    if (input < SOURCES) {
        return source(&graph.sources[input]);
    }
    struct cell *cell = &graph.cells[input - SOURCES];
    int64_t value = cell_value(cell);
    return graph.twist == SETS ? cell_stored(cell) : value;
}

static void stop(unsigned watch);

static bool has_failed(const struct formula *formula, int64_t value)
{
    return formula->fails != 0 && value % formula->fails == 0;
}

static enum obv_status evaluate(struct obv_object *object,
                                const struct obv_property *property,
                                void *result)
{
    struct cell *cell = (struct cell *)object;
    const struct formula *formula = &graph.formulas[cell->number];
    int64_t first = read_input(formula->inputs[0]), value = first;
    (void)property;
    graph.evaluations[cell->number]++;
    for (unsigned i = 1; i < formula->count; i++) {
        if (first % 2 == 0 || i % 2 == 0) {
            value += read_input(formula->inputs[i]);
        }
    }
    value = value % formula->modulus;
    if (graph.twist == FAILS && has_failed(formula, value)) {
        return OBV_E_LIMIT;
    }
    if (graph.twist == SETS) {
        cell_set_stored(cell, value);
    }
    if (graph.twist == STOPS && value % 2 == 1) {
        stop(cell->number % WATCHES);
    }
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static const struct obv_computed computed = {.size = sizeof computed,
                                             .evaluate = evaluate};

static const struct obv_property properties[] = {
    [CELL_STORED] = OBV_FIELD(cell, stored, i64),
    [CELL_VALUE] = OBV_FIELD_COMPUTED(cell, value, i64, &computed),
    [CELL_SHARED] = OBV_FIELD_WITH(cell, shared, i64, OBV_ANY_THREAD, NULL),
};

static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "cell",
                                             .instance_size =
                                                 sizeof(struct cell),
                                             .properties = properties,
                                             .property_count = CELL_SHARED};

static void act_on_library(const struct act *act);

static void called(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    struct obv_observation **handle = observer;
    (void)root;
    (void)call;
    struct act act =
        act_of_call(&graph.diary, (unsigned)(handle - graph.handles));
    act_on_library(&act);
}

static const struct obv_handler_kind kind = {.changed = called,
                                             .label = "watch"};

static void observe(const struct act *act)
{
    static const uint32_t flags[MODES] = {
        [DEFERRING] = OBV_DEFER, [IMMEDIATE] = OBV_IMMEDIATE};
    const struct obv_observe_options options = {
        .size = sizeof options, .flags = flags[mode_of_watch(act)]};
    const struct obv_pair pair = {&graph.cells[cell_of_watch(act)].object,
                                  "value"};
    struct obv_observation **handle = &graph.handles[act->number];
    if (*handle) {
        return;
    }
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, handle, &options, handle, NULL),
             OBV_OK);
}

static void stop(unsigned watch)
{
    obv_stop(graph.handles[watch]);
    obv_release(graph.handles[watch]);
    graph.handles[watch] = NULL;
}

static void act_on_library(const struct act *act)
{
    int64_t value = act->value % 4;
    switch (act->kind) {
    case SET_SOURCE:
        set_source(&graph.sources[act->number], value);
        break;
    case SET_CELL:
        cell_set_value(&graph.cells[act->number], value);
        break;
    case INVALIDATE:
        CHECK_EQ(obv_invalidate(&graph.cells[act->number].object, CELL_VALUE),
                 OBV_OK);
        break;
    case READ:
        note(&graph.diary, HAS_READ, act->number,
             cell_value(&graph.cells[act->number]));
        break;
    case OBSERVE:
        observe(act);
        break;
    case STOP:
        stop(act->number);
        break;
    case DRAIN:
        note(&graph.diary, HAS_DRAINED, 0,
             obv_loop_drain(obv_context_loop(graph.context)));
        break;
    case NOTHING:
        break;
    }
}

/* The naive side: values --------------------------------------------------- */

static int64_t naive_read(unsigned number);

/* The `stored` of a cell is read under a number of its own. */
enum { STORED_OF = SOURCES + CELLS };

static bool is_cell(unsigned input)
{
    return input >= SOURCES && input < STORED_OF;
}

static void note_read(struct naive_cell *cell, unsigned input)
{
    bool is_new = true;
    for (unsigned k = 0; k < cell->read_count; k++) {
        is_new = is_new && cell->read[k] != input;
    }
    if (is_new) {
        cell->read[cell->read_count] = input;
        cell->read_versions[cell->read_count++] =
            is_cell(input) ? naive.cells[input - SOURCES].version : 0;
    }
}

static int64_t naive_input(struct naive_cell *cell, unsigned input)
{
    int64_t value =
        is_cell(input) ? naive_read(input - SOURCES) : naive.stored[input];
    note_read(cell, input);
    if (is_cell(input) && graph.twist == SETS) {
        note_read(cell, input + CELLS);
        value = naive.cells[input - SOURCES].stored;
    }
    return value;
}

static bool reads_error(const struct naive_cell *cell)
{
    bool reads = false;
    for (unsigned k = 0; k < cell->read_count; k++) {
        reads = reads || (is_cell(cell->read[k]) &&
                          naive.cells[cell->read[k] - SOURCES].has_failed);
    }
    return reads;
}

static void naive_stop(unsigned number);
static void naive_set_stored(unsigned number, int64_t value);

static void naive_evaluate(unsigned number)
{
    struct naive_cell *cell = &naive.cells[number];
    const struct formula *formula = &graph.formulas[number];
    cell->read_count = 0;
    cell->evaluations++;
    int64_t first = naive_input(cell, formula->inputs[0]), value = first;
    for (unsigned i = 1; i < formula->count; i++) {
        if (first % 2 == 0 || i % 2 == 0) {
            value += naive_input(cell, formula->inputs[i]);
        }
    }
    value = value % formula->modulus;
    bool had_failed = cell->has_failed;
    cell->has_failed = graph.twist == FAILS &&
                       (has_failed(formula, value) || reads_error(cell));
    if (cell->has_failed) {
        cell->version += !had_failed;
        return;
    }
    if (graph.twist == SETS) {
        naive_set_stored(number, value);
    }
    if (graph.twist == STOPS && value % 2 == 1) {
        naive_stop(number % WATCHES);
    }
    cell->version += !cell->has_value || had_failed || value != cell->value;
    cell->value = value;
    cell->has_value = true;
}

/* Whether something that a cell has read is known to have another value. */
static bool has_moved(const struct naive_cell *cell)
{
    bool moved = false;
    for (unsigned k = 0; k < cell->read_count; k++) {
        moved = moved || (is_cell(cell->read[k]) &&
                          naive.cells[cell->read[k] - SOURCES].version !=
                              cell->read_versions[k]);
    }
    return moved;
}

static int64_t naive_read(unsigned number)
{
    struct naive_cell *cell = &naive.cells[number];
    if (cell->is_valid) {
        return cell->value;
    }
    bool must = (!cell->has_value && !cell->has_failed) || cell->is_dirty ||
                has_moved(cell);
    for (unsigned k = 0; !must && k < cell->read_count; k++) {
        if (is_cell(cell->read[k])) {
            (void)naive_read(cell->read[k] - SOURCES);
            must = cell->is_dirty || has_moved(cell);
        }
    }
    if (must) {
        naive_evaluate(number);
    }
    cell->is_valid = true;
    cell->is_dirty = false;
    return cell->value;
}

/* The naive side: changes -------------------------------------------------- */

/* A change, while it is under way. */
struct change {
    unsigned number;
    bool is_needed[CELLS];  /* somebody is to be called at once */
    int64_t before[CELLS];  /* of those */
    bool is_due[CELLS];     /* and is, since the value differs */
    bool is_settled[CELLS]; /* where a call was dropped */
};

static void act_on_naive(const struct act *act);

/* DR-3: a handler's own change, unless it joins a call that is to come. */
static bool is_dropped(const struct naive_watch *watch)
{
    return naive.drains && naive.innermost == watch && !watch->is_pending &&
           watch->called_in == naive.cycles && watch->mode == DELAYED;
}

static void schedule(const struct change *change, struct naive_watch *watch,
                     bool is_sure)
{
    if (!watch->is_pending) {
        watch->is_pending = true;
        watch->pending_since = change->number;
    }
    watch->is_sure = watch->is_sure || is_sure;
}

static void tell_invalid(struct change *change, unsigned number)
{
    struct naive_cell *cell = &naive.cells[number];
    for (unsigned i = 0; i < WATCHES; i++) {
        struct naive_watch *watch = &naive.watches[i];
        if (!watch->is_on || watch->cell != number) {
            continue;
        }
        if (watch->mode == IMMEDIATE) {
            change->is_needed[number] = true;
            change->before[number] = cell->value;
            continue;
        }
        if (!cell->has_first) {
            cell->has_first = true;
            cell->first = cell->value;
        }
        if (is_dropped(watch)) {
            change->is_settled[number] = true;
        } else {
            schedule(change, watch, false);
        }
    }
}

static void spoil(struct change *change, unsigned number);

/* Whoever has read an input may have to be evaluated. */
static void spoil_readers(struct change *change, unsigned input, bool is_dirty)
{
    for (unsigned i = 0; i < graph.count; i++) {
        struct naive_cell *reader = &naive.cells[i];
        bool reads = false;
        for (unsigned k = 0; k < reader->read_count; k++) {
            reads = reads || reader->read[k] == input;
        }
        if (reads) {
            reader->is_dirty = reader->is_dirty || is_dirty;
            spoil(change, i);
        }
    }
}

static void spoil(struct change *change, unsigned number)
{
    struct naive_cell *cell = &naive.cells[number];
    if (cell->is_valid) {
        cell->is_valid = false;
        tell_invalid(change, number);
        spoil_readers(change, number + SOURCES, false);
    }
}

/* Whoever waits hears whether the value is another. */
static void answer(unsigned number)
{
    struct naive_cell *cell = &naive.cells[number];
    bool differs = cell->has_first && naive_read(number) != cell->first;
    for (unsigned i = 0; i < WATCHES; i++) {
        struct naive_watch *watch = &naive.watches[i];
        watch->is_sure = watch->is_sure || (differs && watch->is_pending &&
                                            watch->cell == number);
    }
    cell->has_first = false;
}

static void call(struct naive_watch *watch)
{
    const struct naive_watch *outer = naive.innermost;
    struct act act =
        act_of_call(&naive.diary, (unsigned)(watch - naive.watches));
    naive.innermost = watch;
    act_on_naive(&act);
    naive.innermost = outer;
}

/* The one that was registered first of those behind `last` that observe at once
   what is due; or NULL. */
static struct naive_watch *next_due(const struct change *change, unsigned last)
{
    struct naive_watch *next = NULL;
    for (unsigned i = 0; i < WATCHES; i++) {
        struct naive_watch *watch = &naive.watches[i];
        if (watch->is_on && watch->mode == IMMEDIATE &&
            change->is_due[watch->cell] && watch->registered > last &&
            (!next || watch->registered < next->registered)) {
            next = watch;
        }
    }
    return next;
}

static void begin(struct change *change)
{
    memset(change, 0, sizeof *change);
    change->number = ++naive.changes;
}

static void end(struct change *change)
{
    unsigned last = 0, registrations = naive.registrations;
    struct naive_watch *watch;
    for (unsigned i = 0; i < graph.count; i++) {
        if (change->is_needed[i]) {
            change->is_due[i] =
                change->is_due[i] || naive_read(i) != change->before[i];
        }
        if (change->is_settled[i]) {
            (void)naive_read(i);
            answer(i);
        }
    }
    /* Who comes meanwhile is not for this change (RE-1). */
    while ((watch = next_due(change, last)) != NULL &&
           watch->registered <= registrations) {
        last = watch->registered;
        call(watch);
    }
}

static void naive_set_source(unsigned source, int64_t value)
{
    struct change change;
    if (value != naive.stored[source]) {
        begin(&change);
        naive.stored[source] = value;
        spoil_readers(&change, source, true);
        end(&change);
    }
}

static void naive_set_stored(unsigned number, int64_t value)
{
    struct naive_cell *cell = &naive.cells[number];
    struct change change;
    if (value != cell->stored) {
        begin(&change);
        cell->stored = value;
        spoil_readers(&change, number + STORED_OF, true);
        end(&change);
    }
}

static void naive_invalidate(unsigned number)
{
    struct change change;
    begin(&change);
    naive.cells[number].is_dirty =
        naive.cells[number].has_value || naive.cells[number].has_failed;
    spoil(&change, number);
    end(&change);
}

static void tell_set(struct change *change, unsigned number)
{
    spoil_readers(change, number + SOURCES, true);
    change->is_due[number] = true;
    for (unsigned i = 0; i < WATCHES; i++) {
        struct naive_watch *watch = &naive.watches[i];
        if (watch->is_on && watch->cell == number && watch->mode != IMMEDIATE &&
            !is_dropped(watch)) {
            schedule(change, watch, true);
        }
    }
}

static void naive_set_cell(unsigned number, int64_t value)
{
    struct naive_cell *cell = &naive.cells[number];
    struct change change;
    bool differs = !cell->has_value || cell->has_failed || value != cell->value;
    bool tells = value != cell->value || cell->has_failed;
    begin(&change);
    cell->has_value = true;
    cell->has_failed = false;
    cell->is_valid = true;
    cell->is_dirty = false;
    cell->version += differs;
    cell->value = value;
    /* What it has read counts from here on. */
    for (unsigned k = 0; k < cell->read_count; k++) {
        cell->read_versions[k] =
            is_cell(cell->read[k])
                ? naive.cells[cell->read[k] - SOURCES].version
                : 0;
    }
    if (tells) {
        tell_set(&change, number);
    }
    end(&change);
}

/* The naive side: observations --------------------------------------------- */

static void naive_observe(const struct act *act)
{
    struct naive_watch *watch = &naive.watches[act->number];
    if (watch->is_on) {
        return;
    }
    *watch = (struct naive_watch){.cell = cell_of_watch(act),
                                  .mode = mode_of_watch(act),
                                  .registered = ++naive.registrations};
    (void)naive_read(watch->cell);
    /* Of those before it. */
    answer(watch->cell);
    watch->is_on = true;
}

static void naive_stop(unsigned number)
{
    struct naive_watch *watch = &naive.watches[number];
    bool waits = false;
    watch->is_on = watch->is_pending = watch->is_sure = false;
    for (unsigned i = 0; i < WATCHES; i++) {
        waits = waits || (naive.watches[i].is_pending &&
                          naive.watches[i].cell == watch->cell);
    }
    naive.cells[watch->cell].has_first =
        naive.cells[watch->cell].has_first && waits;
}

/* The one that is called next (DR-4), or NULL: by the change that made it due,
   then by registration. */
static struct naive_watch *next_pending(void)
{
    struct naive_watch *next = NULL;
    for (unsigned i = 0; i < WATCHES; i++) {
        struct naive_watch *watch = &naive.watches[i];
        if (watch->is_pending && watch->called_in != naive.cycles &&
            (!next || watch->pending_since < next->pending_since ||
             (watch->pending_since == next->pending_since &&
              watch->registered < next->registered))) {
            next = watch;
        }
    }
    return next;
}

static void naive_drain(void)
{
    struct naive_watch *watch;
    unsigned calls = 0;
    naive.cycles++;
    naive.drains = true;
    while ((watch = next_pending()) != NULL) {
        (void)naive_read(watch->cell);
        answer(watch->cell);
        bool is_sure = watch->is_sure;
        watch->is_pending = watch->is_sure = false;
        if (is_sure) {
            watch->called_in = naive.cycles;
            calls++;
            call(watch);
        }
    }
    naive.drains = false;
    note(&naive.diary, HAS_DRAINED, 0, calls);
}

static void act_on_naive(const struct act *act)
{
    int64_t value = act->value % 4;
    switch (act->kind) {
    case SET_SOURCE:
        naive_set_source(act->number, value);
        break;
    case SET_CELL:
        naive_set_cell(act->number, value);
        break;
    case INVALIDATE:
        naive_invalidate(act->number);
        break;
    case READ:
        note(&naive.diary, HAS_READ, act->number, naive_read(act->number));
        break;
    case OBSERVE:
        naive_observe(act);
        break;
    case STOP:
        naive_stop(act->number);
        break;
    case DRAIN:
        naive_drain();
        break;
    case NOTHING:
        break;
    }
}

/* Steps -------------------------------------------------------------------- */

static unsigned random_input(enum shape shape, unsigned cell, unsigned k)
{
    switch (shape) {
    case DEEP:
        return k == 0 && cell > 0 ? SOURCES + cell - 1
                                  : below(cell < 8 ? SOURCES : SOURCES + cell);
    case WIDE:
        return cell + 4 < graph.count ? k == 0 ? 0 : below(SOURCES)
                                      : below(SOURCES + cell);
    default:
        return below(SOURCES + cell);
    }
}

static unsigned random_count(enum shape shape, unsigned cell)
{
    return shape == WIDE && cell + 4 >= graph.count ? 1 + below(INPUTS)
           : shape == MIXED                         ? 1 + below(4)
                                                    : 1 + below(2);
}

static void make_graph(enum shape shape)
{
    graph.count = shape == MIXED ? 24 : CELLS;
    for (unsigned i = 0; i < SOURCES; i++) {
        obv_object_init(&graph.sources[i].object, graph.cls);
    }
    for (unsigned i = 0; i < graph.count; i++) {
        struct formula *formula = &graph.formulas[i];
        formula->count = random_count(shape, i);
        formula->modulus = below(2) ? 2 + below(5) : 97;
        formula->fails = below(3) ? 0 : 2 + below(5);
        for (unsigned k = 0; k < formula->count; k++) {
            formula->inputs[k] = random_input(shape, i, k);
        }
        graph.cells[i].number = i;
        obv_object_init(&graph.cells[i].object, graph.cls);
    }
}

static void compare(void)
{
    CHECK_EQ(graph.diary.count, naive.diary.count);
    for (size_t i = 0; i < naive.diary.count; i++) {
        CHECK_EQ(graph.diary.events[i], naive.diary.events[i]);
    }
    for (unsigned i = 0; graph.variety != ALL && i < graph.count; i++) {
        /* What may depend on a set of any thread has perhaps to be looked at
           (LL-8), and to be computed, where it was set meanwhile. */
        CHECK(graph.evaluations[i] == naive.cells[i].evaluations ||
              (graph.is_shared &&
               graph.evaluations[i] > naive.cells[i].evaluations));
        bool is_valid = obv_is_valid(&graph.cells[i].object, CELL_VALUE);
        CHECK(is_valid ==
                  (naive.cells[i].is_valid && !naive.cells[i].has_failed) ||
              (graph.is_shared && !is_valid));
    }
}

/* One act, or some in a batch, which changes nothing for who is called later. */
static void step(void)
{
    struct act acts[3];
    unsigned count = below(4) == 0 && !graph.is_shared ? 1 + below(3) : 1;
    struct obv_batch batch;
    graph.diary.count = naive.diary.count = 0;
    graph.diary.acts = naive.diary.acts = ACTS;
    for (unsigned i = 0; i < count; i++) {
        acts[i] = act_from(test_random());
        acts[i].kind = count > 1 && acts[i].kind == DRAIN ? READ : acts[i].kind;
        act_on_naive(&acts[i]);
    }
    if (count > 1) {
        obv_batch_begin(&batch);
    }
    for (unsigned i = 0; i < count; i++) {
        act_on_library(&acts[i]);
    }
    if (count > 1) {
        obv_batch_end(&batch);
        make_inbound_edits();
    }
    compare();
}

static void end_graph(void)
{
    graph.diary.acts = 0;
    for (unsigned i = 0; i < WATCHES; i++) {
        stop(i);
    }
    (void)obv_loop_drain(obv_context_loop(graph.context));
    for (unsigned i = graph.count; i-- > 0;) {
        CHECK_EQ(obv_object_deinit(&graph.cells[i].object), OBV_OK);
    }
    for (unsigned i = 0; i < SOURCES; i++) {
        CHECK_EQ(obv_object_deinit(&graph.sources[i].object), OBV_OK);
    }
}

static void run_round(enum shape shape, enum variety variety, enum twist twist,
                      bool is_shared)
{
    struct obv_class_table one = table;
    one.property_count += is_shared;
    memset(&graph, 0, sizeof graph);
    memset(&naive, 0, sizeof naive);
    graph.variety = variety;
    graph.twist = twist;
    graph.is_shared = is_shared;
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    CHECK_EQ(obv_context_create(&options, &graph.context), OBV_OK);
    CHECK_EQ(obv_class_create(graph.context, &one, &graph.cls, NULL), OBV_OK);
    make_graph(shape);
    for (unsigned i = 0; i < STEPS; i++) {
        step();
    }
    end_graph();
    CHECK_EQ(obv_context_destroy(graph.context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

static void run_rounds(enum twist twist, bool is_shared)
{
    for (unsigned round = 0; round < ROUNDS * SHAPES * VARIETIES; round++) {
        run_round((enum shape)(round % SHAPES),
                  twist > FAILS ? NOBODY_AT_ONCE
                                : (enum variety)(round / SHAPES % VARIETIES),
                  twist, is_shared);
    }
}

TEST(LL_3_LL_5_random_graphs_do_what_a_naive_evaluator_does)
{
    run_rounds(PLAIN, false);
}

TEST(LL_2_LL_3_functions_of_random_graphs_fail)
{
    run_rounds(FAILS, false);
}

TEST(LL_3_LL_5_functions_of_random_graphs_set)
{
    run_rounds(SETS, false);
}

TEST(LL_5_ST_5_functions_of_random_graphs_stop_observations)
{
    run_rounds(STOPS, false);
}

TEST(LL_5_one_thread_is_called_no_more_often_where_any_may_come)
{
    run_rounds(PLAIN, true);
}
