/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be equal in the library and in the model: what a handler is handed,
 * and everything that can be asked for after a command.
 */
#include "real.h"

#include <stdio.h>
#include <string.h>

/* What is handed over ----------------------------------------------------- */

static val integer_of(const struct obv_value *value)
{
    switch (value->kind) {
    case OBV_KIND_size:
        return (val)value->as.size;
    case OBV_KIND_i16:
        return value->as.i16;
    case OBV_KIND_u32:
        return (val)value->as.u32;
    case OBV_KIND_enum:
        return (val)value->as.enumeration;
    default:
        return (val)value->as.i64;
    }
}

static val value_of(int property, const struct obv_value *value)
{
    struct real_thing *thing;
    switch (kind_of(property)) {
    case INT:
        return integer_of(value);
    case DOUBLE:
        return double_value((double)value->as.f32);
    case BOOL:
        return value->as.boolean;
    case TEXT:
        return value->as.string ? text_value(value->as.string) : NIL;
    case ADDRESS:
        return address_of(value->as.pointer);
    case OBJECT:
        thing = (struct real_thing *)(void *)value->as.object;
        return thing ? thing->number : NIL;
    }
    return ANY;
}

static enum obv_kind kind_in_c(int property)
{
    static const enum obv_kind kinds[] = {
        [INT] = OBV_KIND_i64,       [DOUBLE] = OBV_KIND_f32,
        [BOOL] = OBV_KIND_bool,     [TEXT] = OBV_KIND_string,
        [OBJECT] = OBV_KIND_object, [ADDRESS] = OBV_KIND_pointer,
    };
    return property == COUNT     ? OBV_KIND_size
           : property == J       ? OBV_KIND_i16
           : property == K       ? OBV_KIND_u32
           : property == CLAMPED ? OBV_KIND_enum
                                 : kinds[kind_of(property)];
}

static bool is_element(int property)
{
    return is_position(property) || is_number(property) || is_key(property) ||
           is_hash(property);
}

/* Of a value that can be reached. */
static bool has_value(const struct obv_value *have, int property, val want)
{
    val value =
        obv_value_is_reachable(have) ? value_of(property, have) : UNREACHABLE;
    return want == ANY || value == want ||
           (value != UNREACHABLE && want != UNREACHABLE &&
            values_equal(property, value, want));
}

static void compare_value(const char *what, const char *whose,
                          const struct obv_value *have, int property, val want)
{
    char had[TEXT_OF_PATH], wanted[TEXT_OF_PATH];
    if (want == ANY) {
        return;
    }
    if (!have) {
        differ("%s is handed no %s value", whose, what);
    }
    val value = UNREACHABLE;
    if (obv_value_is_reachable(have)) {
        EXPECT_EQ("the kind of a value", have->kind, kind_in_c(property));
        const char *name =
            is_element(property) ? "element" : property_names[property];
        if (!have->property || strcmp(have->property->name, name) != 0) {
            differ("a value of another property than %s",
                   property_names[property]);
        }
        value = value_of(property, have);
    }
    if (!has_value(have, property, want)) {
        differ("%s's %s value is %s, not %s", whose, what,
               value_text(property, value, had),
               value_text(property, want, wanted));
    }
}

static bool has_values(const struct obv_record_entry *entry,
                       const struct entry *wanted)
{
    int property = last_property(wanted->way);
    return has_value(&entry->first, property, wanted->first) &&
           has_value(&entry->last, property, wanted->last) &&
           entry->changes == wanted->changes;
}

/* Of several that have one name, such as those of a `*` in a list, the
   one that is like it. */
static const struct obv_record_entry *entry_of(const struct obv_record *record,
                                               const struct entry *wanted)
{
    const struct obv_record_entry *found = NULL;
    char way[TEXT_OF_PATH], path[TEXT_OF_PATH];
    (void)way_text(&wanted->path, wanted->way, way);
    (void)path_text(&wanted->path, path);
    for (size_t e = 0; e < record->count; e++) {
        const struct obv_record_entry *entry = &record->entries[e];
        if (entry->index == wanted->pair && strcmp(entry->way, way) == 0 &&
            strcmp(entry->path, path) == 0 &&
            (!found || has_values(entry, wanted))) {
            found = entry;
        }
    }
    return found;
}

static void compare_entry(const struct event *event,
                          const struct obv_record_entry *have,
                          const struct entry *want)
{
    int property = last_property(want->way);
    compare_value("first", watch_name(event->watch), &have->first, property,
                  want->first);
    compare_value("last", watch_name(event->watch), &have->last, property,
                  want->last);
    EXPECT_EQ("the number of changes", have->changes, want->changes);
}

static void compare_record(const struct event *event,
                           const struct obv_record *record)
{
    const struct entry *wanted = recorded + event->entries;
    char way[TEXT_OF_PATH];
    if (!record) {
        differ("%s is handed no record", watch_name(event->watch));
    }
    bool whole = event->entry_count <= RECORDED;
    for (size_t e = 0; e < record->count && real_trace; e++) {
        fprintf(stderr, "      pair %u %s, %u changes\n",
                (unsigned)record->entries[e].index, record->entries[e].way,
                (unsigned)record->entries[e].changes);
    }
    EXPECT_EQ("the number of entries", record->count,
              whole ? event->entry_count : RECORDED);
    if (whole) {
        EXPECT_EQ("what is missing", record->missing, 0);
    } else if (!event->overflows) {
        EXPECT_EQ("what is missing", record->missing,
                  event->entry_count - RECORDED);
    }
    for (int e = 0; e < event->entry_count && whole; e++) {
        const struct obv_record_entry *entry = entry_of(record, &wanted[e]);
        if (!entry) {
            differ("%s has no entry for %s", watch_name(event->watch),
                   way_text(&wanted[e].path, wanted[e].way, way));
        }
        compare_entry(event, entry, &wanted[e]);
    }
}

void compare_call(const struct event *event, const struct obv_call *call)
{
    unsigned options = event->options;
    const struct obv_observation *handle = real.watch[event->watch].handle;
    if (handle && call->observation != handle) {
        differ("a call without its observation");
    }
    if (options & VALUES) {
        compare_value("old", watch_name(event->watch), call->old,
                      event->property, event->old);
        compare_value("new", watch_name(event->watch), call->now,
                      event->property, event->now);
    }
    if (options & RECORDS && !event->vague) {
        compare_record(event, call->record);
    }
}

/* What can be asked for --------------------------------------------------- */

static void compare_watch(int w)
{
    const struct watch *watch = &world.watch[w];
    const struct real_watch *own = &real.watch[w];
    if (!watch->used) {
        return;
    }
    if (own->disposed != is_done(watch)) {
        differ("the block of %s is %s", watch_name(w),
               own->disposed ? "released" : "held");
    }
    if (own->handle && obv_has_ended(own->handle) == watch->linked) {
        differ("%s has %sended", watch_name(w), watch->linked ? "" : "not ");
    }
}

static void compare_unresolved(int w)
{
    const struct watch *watch = &world.watch[w];
    const struct real_watch *own = &real.watch[w];
    int count = unresolved_of(watch);
    if (watch->used && own->handle) {
        int have = 0;
        while (obv_unresolved_path(own->handle, (size_t)have, NULL, 0) >= 0) {
            have++;
        }
        if (have != count) {
            differ("%s has %d unresolved paths, not %d", watch_name(w), have,
                   count);
        }
    }
}

static void note_observed(void *context, const char *name)
{
    uint64_t *observed = context;
    for (int p = 0; p < UNKNOWN; p++) {
        if (strcmp(property_names[p], name) == 0) {
            *observed |= UINT64_C(1) << p;
            return; /* a key may have the name of a property */
        }
    }
}

static void compare_computed(int t)
{
    struct real_thing *own = real.thing[t];
    for (int p = SUM; p <= FAR && !is_container(t); p++) {
        const struct computed *computed = computed_at(t, p);
        if (own->evaluations[p - SUM] != computed->evaluations) {
            differ("%s.%s was computed %d times, not %d", thing_name(t),
                   property_names[p], (int)own->evaluations[p - SUM],
                   (int)computed->evaluations);
        }
        if (obv_is_valid(&own->object, (uint32_t)p) != computed->is_valid) {
            differ("%s.%s is %svalid", thing_name(t), property_names[p],
                   computed->is_valid ? "in" : "");
        }
    }
}

static void compare_thing(int t)
{
    const struct thing *thing = &world.thing[t];
    struct real_thing *own = real.thing[t];
    uint64_t observed = 0;
    if (!thing->alive) {
        return;
    }
    compare_computed(t);
    obv_observed_properties(&own->object, note_observed, &observed);
    if (real.tells && !is_container(t) && real.told[t] != observed) {
        differ("%s was not told what of it is observed", thing_name(t));
    }
    for (int p = 0; p < UNKNOWN; p++) {
        if (has_slot(t, p) && p < STAR &&
            !values_equal(p, real_get(own, p), thing->value[p])) {
            differ("%s.%s has another value", thing_name(t), property_names[p]);
        }
        if (!has_property(t, p) || element_of(property_names[p]) != p) {
            continue;
        }
        size_t count = obv_observer_count(&own->object, property_names[p]);
        if ((int)count != count_of(t, p)) {
            differ("count %s %s is %d, not %d", thing_name(t),
                   property_names[p], (int)count, count_of(t, p));
        }
        if ((observed >> p & 1) != is_observed(t, p)) {
            differ("%s of %s is %sobserved", property_names[p], thing_name(t),
                   is_observed(t, p) ? "not " : "");
        }
    }
}

void compare_steady(void)
{
    size_t live = 0;
    struct obv_counters counters;
    for (int t = 0; t < world.things; t++) {
        if (world.thing[t].alive != (real.thing[t] != NULL)) {
            differ("%s is %s", thing_name(t), real.thing[t] ? "alive" : "dead");
        }
    }
    for (int o = 0; o < world.observers; o++) {
        if (world.observer[o].alive != (real.observer[o] != NULL)) {
            differ("an observer object is %s",
                   real.observer[o] ? "alive" : "dead");
        }
        if (real.hears) {
            EXPECT_EQ("told", real.deaths[o], world.observer[o].told);
        }
    }
    for (int w = 0; w < world.watches; w++) {
        const struct watch *watch = &world.watch[w];
        compare_watch(w);
        live += watch->used && (real.watch[w].handle || !is_free(watch));
    }
    obv_context_counters(real.context, &counters);
    EXPECT_EQ("dropped", counters.dropped - real.dropped_apart, world.dropped);
    EXPECT_EQ("called", counters.called - real.called_apart, world.called);
    EXPECT_EQ("observations", counters.observations, live);
    EXPECT_EQ("reports", real.reports, world.reports);
    for (int l = 0; l < world.loops; l++) {
        if (!world.loop[l].ended) {
            EXPECT_EQ("pending", obv_loop_pending(real.loop[l]), pending_in(l));
        }
    }
}

/* By what the program is told, and by what it can ask. */
static void compare_foreign(int t)
{
    struct real_foreign *own = &real.foreign[t - THINGS];
    struct obv_object *proxy = obv_foreign_find(real.context, own);
    if ((proxy != NULL) != world.thing[t].alive || proxy != own->proxy) {
        differ("%s is %sregistered", thing_name(t),
               world.thing[t].alive ? "not " : "");
    }
    uint64_t observed = 0;
    if (proxy) {
        obv_observed_properties(proxy, note_observed, &observed);
    }
    for (int p = 0; p <= STAR && proxy; p++) {
        if (!has_property(t, p)) {
            continue;
        }
        size_t count = obv_observer_count(proxy, property_names[p]);
        if ((int)count != count_of(t, p)) {
            differ("count %s %s is %d, not %d", thing_name(t),
                   property_names[p], (int)count, count_of(t, p));
        }
        if ((observed >> p & 1) != is_observed(t, p)) {
            differ("%s of %s is %sobserved", property_names[p], thing_name(t),
                   is_observed(t, p) ? "not " : "");
        }
        if (real.tells && (own->told >> p & 1) != is_observed(t, p)) {
            differ("%s was not told what of it is observed", thing_name(t));
        }
    }
}

static bool has_star(const struct path *path)
{
    return memchr(path->element, STAR, (size_t)path->length) != NULL;
}

/* Of two with one path one has lost what it followed. */
static val read_newest(const struct watch *watch, const struct pair *pair)
{
    const struct pair *newest = pair;
    for (int p = 0; p < PAIRS; p++) {
        const struct pair *other = &watch->pair[p];
        if (other->linked && other->root == pair->root &&
            same_path(&other->path, &pair->path) &&
            other->serial > newest->serial) {
            newest = other;
        }
    }
    return read_pair(newest);
}

/* What is not refused below a nil is once something stands there (KP-20). */
static enum obv_status status_of_read(const struct pair *pair)
{
    val at = pair->root;
    if (!is_resolved(pair)) {
        return OBV_E_UNKNOWN;
    }
    for (int8_t e = 0; e < pair->path.length && at >= 0; e++) {
        int element = pair->path.element[e];
        int property = slot_at(at, element);
        if (misfits(at, element)) {
            return OBV_E_KIND;
        }
        if (is_hash(element)) {
            at = only_member(members_of((int)at, element));
            continue;
        }
        at = property >= 0 && has_slot(at, property) ? child_of(at, property)
                                                     : -1;
    }
    return OBV_OK;
}

/* Compares the values of observed paths with those read by path. */
static void compare_read(int w, const struct pair *pair)
{
    char path[TEXT_OF_PATH];
    struct obv_value value;
    const struct obv_observation *handle = real.watch[w].handle;
    if (!pair->linked || pair->path.length == 0 || has_star(&pair->path) ||
        reads_invalid(pair->root, &pair->path)) {
        return; /* what is invalid would be computed */
    }
    if (has_hash(&pair->path) && read_pair(pair) == ANY) {
        return; /* which of several members is read */
    }
    int property = last_property(way_of_path(pair->root, &pair->path));
    struct obv_object *root = root_of(pair->root);
    enum obv_status status =
        obv_value_at(root, path_text(&pair->path, path), &value, NULL);
    EXPECT_EQ("the status of a read", status, status_of_read(pair));
    if (status == OBV_OK) {
        compare_value("read", thing_name(pair->root), &value, property,
                      read_path(pair->root, &pair->path));
        obv_value_deinit(real.context, &value);
    }
    if (handle && status == OBV_OK) {
        EXPECT_EQ("the status of what is observed",
                  obv_observed_value(handle, root, path, &value, NULL), OBV_OK);
        compare_value("observed", thing_name(pair->root), &value, property,
                      read_newest(&world.watch[w], pair));
        obv_value_deinit(real.context, &value);
    }
}

void compare_worlds(bool whole, unsigned turn)
{
    compare_steady();
    for (int t = 0; t < world.things; t++) {
        if (whole || (unsigned)t == turn % THINGS) {
            compare_thing(t);
        }
    }
    for (int a = THINGS; a < THINGS + ADDRESSES; a++) {
        compare_foreign(a);
    }
    for (int w = 0; w < world.watches && (whole || turn % 8 == 0); w++) {
        compare_unresolved(w);
        for (int p = 0; p < PAIRS && world.watch[w].used; p++) {
            compare_read(w, &world.watch[w].pair[p]);
        }
    }
}
