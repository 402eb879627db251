/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties (LL). Each keeps the reads of its last evaluation, with
 * the version of each source. A change marks the readers of a source, and in
 * turn theirs; the next read evaluates a property if a source has another
 * version.
 *
 * If a property becomes invalid, its delayed observations become pending, and
 * keep the ends that their paths had before. The drain that is about to deliver
 * one brings the path up to date, and calls it if the ends differ then.
 */
#include "model.h"

#include <string.h>

bool knows_mended, knows_computed, knows_extra, blocks_read;
struct invalid invalids[INVALIDS];
int invalid_count, validated;

/* The computed property whose reads are noted; NULL: none. */
static struct computed *reader;

struct computed *computed_at(int thing, int property)
{
    return &world.thing[thing].computed[property - SUM];
}

bool is_valid(int thing, int property)
{
    return computed_at(thing, property)->is_valid;
}

/* Invalidation ------------------------------------------------------------- */

static void mark(int thing, int property, bool is_dirty);

/* `is_again`: the source was invalid before. A reader that is valid all the
   same was set since then, and stays valid. */
static void mark_all_readers(int thing, int property, bool is_dirty,
                             bool is_again)
{
    for (int t = 0; t < world.things; t++) {
        for (int p = SUM; p <= FAR && world.thing[t].alive; p++) {
            const struct computed *self = computed_at(t, p);
            bool stays = is_again && self->is_valid;
            for (int r = 0; r < self->reads && !stays; r++) {
                if (self->read[r].thing == thing &&
                    self->read[r].property == property) {
                    mark(t, p, is_dirty);
                }
            }
        }
    }
}

/* Whether the property became invalid in a batch of the other thread that is
   still open, so that some observations have not been told of that. */
static bool is_told_by_another(const struct computed *self)
{
    const struct thread *other = &world.thread[1 - world.self];
    return self->told != 0 && other->batches > 0 && other->batch == self->told;
}

/* Whether an observation whose loop has ended may follow a property. Each
   telling would count as dropped (DR-10), and the number of tellings is
   open. */
static bool is_without_loop(int property)
{
    bool is = false;
    for (int w = 0; w < all_watches(); w++) {
        const struct watch *watch = &world.watch[w];
        for (int p = 0; p < PAIRS && watch->linked && !watch->immediate; p++) {
            const struct path *path = &watch->pair[p].path;
            for (int e = 0; e < path->length && watch->pair[p].linked; e++) {
                is = is || (path->element[e] == property &&
                            world.loop[watch->loop].ended);
            }
        }
    }
    return is;
}

static void mark(int thing, int property, bool is_dirty)
{
    const struct thread *batch = &world.thread[world.self];
    struct computed *self = computed_at(thing, property);
    bool is_again = !self->is_valid && is_told_by_another(self);
    if (!self->is_valid && batch->batches == 0 &&
        world.thread[1 - world.self].batches > 0 && is_without_loop(property)) {
        reject("told again beside a batch, and there is no loop");
    }
    self->is_dirty = self->is_dirty || (is_dirty && self->has_value);
    if (self->is_valid || is_again) {
        self->is_valid = false;
        self->told = is_again || batch->batches == 0 ? 0 : batch->batch;
        if (invalid_count == INVALIDS) {
            reject("too many are invalid");
        }
        invalids[invalid_count++] =
            (struct invalid){(int8_t)thing, (int8_t)property, is_again};
        mark_all_readers(thing, property, false, is_again);
    }
}

bool has_readers(int thing, int property)
{
    bool has = false;
    for (int t = 0; t < world.things; t++) {
        for (int p = SUM; p <= FAR && world.thing[t].alive; p++) {
            const struct computed *self = computed_at(t, p);
            for (int r = 0; r < self->reads; r++) {
                has = has || (self->read[r].thing == thing &&
                              self->read[r].property == property);
            }
        }
    }
    return has;
}

void mark_computed(int thing, int property)
{
    mark(thing, property, true);
}

void mark_readers(int thing, int property)
{
    mark_all_readers(thing, property, true, false);
}

/* Evaluation --------------------------------------------------------------- */

static uint32_t version_of(const struct read *read)
{
    return is_computed(read->property)
               ? computed_at(read->thing, read->property)->version
               : 0;
}

static void note_read(struct computed *self, int thing, int property)
{
    struct read read = {.thing = (int8_t)thing, .property = (int8_t)property};
    read.version = version_of(&read);
    for (int r = 0; r < self->reads; r++) {
        if (self->read[r].thing == thing &&
            self->read[r].property == property) {
            return;
        }
    }
    self->read[self->reads++] = read;
}

static val look(int thing, int property)
{
    if (is_computed(property)) {
        validate(thing, property);
    }
    if (reader) {
        note_read(reader, thing, property);
    }
    return world.thing[thing].value[property];
}

static val joined_text(val first, val second)
{
    char text[100];
    strcpy(text, first < 0 ? "" : text_at(first));
    strcat(text, second < 0 ? "" : text_at(second));
    val joined = text_value(text);
    if (joined == ANY) {
        reject("too many texts");
    }
    return joined;
}

static val value_of(int thing, int property)
{
    val other;
    switch (property) {
    case SUM:
        other = look(thing, I);
        return other + look(thing, J);
    case TWICE:
        return look(thing, SUM) * 2;
    case LABEL:
        other = look(thing, S);
        return joined_text(other, look(thing, T));
    case DEEP:
        other = look(thing, B);
        other = other < 0 ? NIL : look(other, C);
        return other < 0 ? -1 : look(other, I);
    case PICK:
        return look(thing, look(thing, FLAG) ? B : A);
    case TENFOLD:
        return look(thing, I) * 10;
    case OVER:
        other = look(thing, B);
        return other < 0 ? -1 : look(other, SUM);
    default:
        other = look(thing, PICK);
        return other < 0 ? NIL : look(other, PICK);
    }
}

static bool has_become_invalid(int thing, int property)
{
    bool has = false;
    for (int i = 0; i < invalid_count; i++) {
        has = has ||
              (invalids[i].thing == thing && invalids[i].property == property);
    }
    return has;
}

/* Whether an observation compares the value of a property later on, or will
   once the change is over. */
static bool is_awaited_by(const struct watch *watch, int thing, int property)
{
    static struct followed followed;
    bool waits = false;
    for (int p = 0; p < PAIRS && watch->linked && !watch->immediate; p++) {
        const struct pair *pair = &watch->pair[p];
        bool is_waiting =
            (pair->awaits || has_become_invalid(thing, property)) &&
            is_followed(pair);
        if (is_waiting) {
            follow(pair, &followed);
        }
        for (int e = 0; is_waiting && e < pair->path.length; e++) {
            waits = waits || (pair->path.element[e] == property &&
                              followed.at[e][thing]);
        }
    }
    return waits;
}

/* The property that a drain brings up to date; a thing of -1: none. */
static struct invalid settled = {.thing = -1, .property = -1};

/* Refuses a value that an observation compares with later: the contract leaves
   open how long the library holds it. */
static void reject_kept(int thing, int property)
{
    for (int w = 0; w < all_watches(); w++) {
        if (is_awaited_by(&world.watch[w], thing, property) &&
            !(settled.thing == thing && settled.property == property)) {
            reject("an object to compare with");
        }
    }
}

bool is_settling(void)
{
    return settled.thing >= 0;
}

static void evaluate(int thing, int property)
{
    struct computed *self = computed_at(thing, property), *outer = reader;
    val *slot = &world.thing[thing].value[property];
    self->reads = 0;
    self->evaluations++;
    reader = property == TENFOLD ? NULL : self;
    val value = value_of(thing, property);
    reader = outer;
    if (!self->has_value || !values_equal(property, value, *slot)) {
        self->version++;
        if (holds_thing(property) && *slot >= 0) {
            reject_kept(thing, property);
        }
        replace_computed(slot, property, value);
    }
    self->has_value = true;
}

static bool has_moved(const struct computed *self)
{
    bool moved = false;
    for (int r = 0; r < self->reads; r++) {
        moved = moved || version_of(&self->read[r]) != self->read[r].version;
    }
    return moved;
}

void validate(int thing, int property)
{
    struct computed *self = computed_at(thing, property);
    if (self->is_valid) {
        return;
    }
    bool must = !self->has_value || self->is_dirty || has_moved(self);
    for (int r = 0; r < self->reads && !must; r++) {
        const struct read *read = &self->read[r];
        if (is_computed(read->property)) {
            validate(read->thing, read->property);
            must = has_moved(self);
        }
    }
    if (must) {
        evaluate(thing, property);
    }
    self->is_valid = true;
    self->is_dirty = false;
    validated++;
}

void compute(int thing, int property)
{
    if (!is_valid(thing, property)) {
        change_computed(thing, property, validate);
    }
}

void note_set(int thing, int property, bool is_another)
{
    struct computed *self = computed_at(thing, property);
    self->version += is_another || !self->has_value;
    self->has_value = self->is_valid = true;
    self->is_dirty = false;
    for (int r = 0; r < self->reads; r++) {
        self->read[r].version = version_of(&self->read[r]);
    }
}

/* The end of a thing invalidates the computed properties that have read it. */
static void forget_reads(int thing, int unused)
{
    (void)unused;
    memset(world.thing[thing].computed, 0, sizeof world.thing[thing].computed);
    for (int t = 0; t < world.things; t++) {
        for (int p = SUM; p <= FAR; p++) {
            struct computed *self = computed_at(t, p);
            int reads = 0;
            for (int r = 0; r < self->reads; r++) {
                if (self->read[r].thing != thing) {
                    self->read[reads++] = self->read[r];
                }
            }
            if (reads < self->reads) {
                self->reads = (uint8_t)reads;
                mark(t, p, true);
            }
        }
    }
}

void end_computed(int thing)
{
    change_computed(thing, 0, forget_reads);
}

/* What observations wait for ------------------------------------------------ */

/* Finds an invalid property that a pair follows; false: there is none. */
static bool find_invalid(const struct pair *pair, struct invalid *found)
{
    static struct followed followed;
    if (!is_followed(pair)) {
        return false;
    }
    follow(pair, &followed);
    for (int e = 0; e < pair->path.length; e++) {
        int property = pair->path.element[e];
        for (int t = 0; t < world.things && is_computed(property); t++) {
            if (followed.at[e][t] && !is_valid(t, property)) {
                *found = (struct invalid){.thing = (int8_t)t,
                                          .property = (int8_t)property};
                return true;
            }
        }
    }
    return false;
}

bool follows_invalid(const struct watch *watch)
{
    struct invalid found;
    for (int p = 0; p < PAIRS && watch->linked; p++) {
        if (find_invalid(&watch->pair[p], &found)) {
            return true;
        }
    }
    return false;
}

static bool is_awaited_by_another(const struct watch *but, int thing,
                                  int property)
{
    bool is = false;
    for (int w = 0; w < all_watches() && !is; w++) {
        is = &world.watch[w] != but &&
             is_awaited_by(&world.watch[w], thing, property);
    }
    return is;
}

bool follows_awaited(const struct watch *watch)
{
    static struct followed own;
    bool follows = false;
    for (int p = 0; p < PAIRS && watch->linked; p++) {
        const struct pair *pair = &watch->pair[p];
        if (!is_followed(pair)) {
            continue;
        }
        follow(pair, &own);
        for (int e = 0; e < pair->path.length; e++) {
            int property = pair->path.element[e];
            for (int t = 0; t < world.things && is_computed(property); t++) {
                follows =
                    follows ||
                    (own.at[e][t] && is_awaited_by_another(watch, t, property));
            }
        }
    }
    return follows;
}

bool is_waiting(const struct watch *watch)
{
    return (watch->pending && watch->perhaps) ||
           (watch->aside && watch->aside_perhaps);
}

bool pair_differs(const struct watch *watch, const struct pair *pair)
{
    static struct end ends[ENDS];
    int count = ends_of(pair, ends);
    bool differs = count != pair->firsts;
    for (int i = 0; i < count && !differs; i++) {
        differs = ends[i].way != pair->first[i].way ||
                  !are_alike(watch, last_property(ends[i].way), ends[i].value,
                             pair->first[i].value);
    }
    return differs;
}

bool differs_from_first(const struct watch *watch)
{
    bool differs = false;
    for (int p = 0; p < PAIRS; p++) {
        const struct pair *pair = &watch->pair[p];
        differs = differs ||
                  (pair->linked && pair->awaits && pair_differs(watch, pair));
    }
    return differs;
}

/* An observation that evaluates a property answers for all that wait for it
   (decision 0088): whether these are called is then open. */
static void answer_others(const struct watch *but)
{
    for (int w = 0; w < all_watches(); w++) {
        struct watch *watch = &world.watch[w];
        bool is_open = watch != but && (is_waiting(watch) || watch->aside);
        if (is_open && differs_from_first(watch)) {
            watch->may_be_called = true;
        }
        if (is_open && watch->may_be_called &&
            (world.loop[watch->loop].ended || watch->foreign)) {
            reject("an answer for who has no loop, or waits");
        }
    }
}

/* Whether a path that led nowhere meets, before its end, an invalid property
   other than the one that was nil. */
static bool is_invalid_below(const struct pair *pair)
{
    static struct followed followed;
    bool is_invalid = false;
    follow(pair, &followed);
    for (int e = 0; e < pair->path.length - 1; e++) {
        int property = pair->path.element[e];
        for (int t = 0; t < world.things && is_computed(property); t++) {
            bool is_nil =
                t == pair->nil_thing && property == pair->nil_property;
            is_invalid = is_invalid || (followed.at[e][t] && !is_nil &&
                                        !is_valid(t, property));
        }
    }
    return is_invalid;
}

void answer_below(int thing, int property)
{
    for (int w = 0; w < all_watches(); w++) {
        for (int p = 0; p < PAIRS && world.watch[w].linked; p++) {
            struct pair *pair = &world.watch[w].pair[p];
            if (!pair->awaits || pair->nil_thing != thing ||
                pair->nil_property != property || !is_followed(pair)) {
                continue;
            }
            if (is_invalid_below(pair)) {
                /* LL-5: "by the drain that is about to deliver it". */
                reject("whether who answers for all computes what lies below");
            }
            pair->is_answered = true;
        }
    }
}

/* Notes that all computed properties which a pair follows have been
   evaluated. */
static void answer_below_followed(const struct pair *pair)
{
    static struct followed followed;
    if (!is_followed(pair)) {
        return;
    }
    follow(pair, &followed);
    for (int e = 0; e < pair->path.length; e++) {
        int property = pair->path.element[e];
        for (int t = 0; t < world.things && is_computed(property); t++) {
            if (followed.at[e][t]) {
                answer_below(t, property);
            }
        }
    }
}

void settle_pair(struct pair *pair)
{
    struct invalid found;
    for (int tries = 0; find_invalid(pair, &found); tries++) {
        if (tries > 100) {
            reject("it never settles");
        }
        compute(found.thing, found.property);
    }
    answer_below_followed(pair);
    answer_others(NULL);
}

void settle(struct watch *watch)
{
    struct invalid found;
    for (int p = 0; p < PAIRS; p++) {
        while (watch->linked && find_invalid(&watch->pair[p], &found)) {
            settled = found;
            compute(found.thing, found.property);
            settled.thing = -1;
        }
    }
    for (int p = 0; p < PAIRS && watch->linked; p++) {
        answer_below_followed(&watch->pair[p]);
    }
    answer_others(watch);
}

void forget_firsts(struct watch *watch)
{
    for (int p = 0; p < PAIRS; p++) {
        watch->pair[p].awaits = false;
    }
    watch->may_be_called = false;
}

void make_sure(struct watch *watch)
{
    watch->by_hand = watch->by_hand || (watch->pending && watch->perhaps);
    watch->aside_by_hand =
        watch->aside_by_hand || (watch->aside && watch->aside_perhaps);
    watch->perhaps = watch->aside_perhaps = false;
}

void begin_computing(void)
{
    settled.thing = -1;
    reader = NULL;
}

/* Commands ----------------------------------------------------------------- */

val read_computed(int thing, int property)
{
    if (is_computed(property) && !is_container(thing)) {
        compute(thing, property);
    }
    return world.thing[thing].value[property];
}

val read_along(int root, const struct path *path)
{
    int at = root;
    for (int e = 0; e < path->length && at >= 0; e++) {
        int property = path->element[e];
        if (is_computed(property) && has_property(at, property) &&
            world.thing[at].alive && !world.thing[at].dying) {
            compute(at, property);
        }
        property = slot_at(at, property);
        at = property >= 0 && has_slot(at, property) ? child_of(at, property)
                                                     : -1;
    }
    return read_path(root, path);
}

static void mark_all(int thing, int unused)
{
    (void)unused;
    for (int p = SUM; p <= FAR; p++) {
        mark(thing, p, true);
    }
}

void invalidate_all(int thing)
{
    change_computed(thing, 0, mark_all);
}

void invalidate(int thing, int property)
{
    if (is_computed(property) && !is_container(thing)) {
        change_computed(thing, property, mark_computed);
    }
}

void force_all(int thing)
{
    for (int p = SUM; p <= FAR; p++) {
        if (p < OVER || knows_extra) {
            compute(thing, p);
        }
    }
}
