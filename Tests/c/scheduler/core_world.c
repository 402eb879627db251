/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world of core_world.h: setup, handlers, check. What threads do in it is
 * in core_deeds.c.
 */
#include "path_check.h"
#include "core_model.h"
#include "threads_check.h"

#include "dispatch/loop.h"
#include "model/node.h"

#include <observable/allocator.h>
#include <observable/component.h>
#include <observable/detail.h>

#include <string.h>

struct core_world core;

static bool does(const struct deed *deed)
{
    return core.scenario->deeds[0] == deed || core.scenario->deeds[1] == deed ||
           core.scenario->deeds[2] == deed;
}

/* Objects ----------------------------------------------------------------- */

static void *allocate(size_t size)
{
    const struct obv_allocator *from = scheduler_allocator();
    void *block = from->allocate(from->context, size);
    SCHEDULER_CHECK(block);
    return memset(block, 0, size);
}

static void give_back(void *block, size_t size)
{
    const struct obv_allocator *to = scheduler_allocator();
    to->free(to->context, block, size);
}

static bool take(uint64_t *references)
{
    uint64_t seen = obv__load_relaxed(references);
    while (seen > 0 && !obv__cas_acq_rel(references, &seen, seen + 1)) {
    }
    return seen > 0;
}

static bool drop(uint64_t *references)
{
    return obv__fetch_add_acq_rel(references, (uint64_t)-1) == 1;
}

static bool item_retain(struct obv_object *object)
{
    return take(&((struct item *)object)->references);
}

void core_item_release(struct obv_object *object)
{
    if (drop(&((struct item *)object)->references)) {
        SCHEDULER_CHECK(obv_object_deinit(object) == OBV_OK);
        give_back(object, sizeof(struct item));
        core.items--;
    }
}

static bool probe_retain(void *observer)
{
    SCHEDULER_CHECK(!((struct probe *)observer)->gone);
    return take(&((struct probe *)observer)->references);
}

void core_probe_release(void *observer)
{
    struct probe *probe = observer;
    if (drop(&probe->references)) {
        SCHEDULER_CHECK(obv_object_deinit(&probe->object) == OBV_OK);
        probe->gone = true;
        /* What the library knows of it: a program would free it. */
        scheduler_forbid(probe, offsetof(struct probe, kind));
    }
}

static bool probe_object_retain(struct obv_object *object)
{
    return probe_retain(object);
}

static void probe_object_release(struct obv_object *object)
{
    core_probe_release(object);
}

/* What stands at the end of the path now, read without a step. */
static const struct item *end_now(void)
{
    const struct item *at = core.a;
    for (unsigned i = 0; at && i < core.scenario->depth; i++) {
        at = at->b;
    }
    return at;
}

static int64_t value_now(void)
{
    const struct item *at = end_now();
    return at ? at->x : -1;
}

void core_lock(void)
{
    if (core.scenario->locked) {
        obv__lock_enter(&core.guard);
    }
}

void core_unlock(void)
{
    if (core.scenario->locked) {
        obv__lock_leave(&core.guard);
    }
}

/* No set is lost, none told twice; each begins where the last one ended. */
static void keep_told(struct probe *probe, const struct obv_record *record)
{
    SCHEDULER_CHECK(record->missing == 0 && record->count <= 1);
    for (size_t i = 0; i < record->count; i++) {
        const struct obv_record_entry *entry = &record->entries[i];
        probe->changes += entry->changes;
        if (core.scenario->alone) {
            SCHEDULER_CHECK(entry->first.as.i64 == probe->told);
        }
        probe->told = entry->last.as.i64;
    }
}

/* The changes of x are a chain, whoever is told of which first. */
static void keep_values(struct probe *probe, const struct obv_call *call)
{
    SCHEDULER_CHECK(call->old->as.i64 != call->now->as.i64);
    probe->moved += call->now->as.i64 - call->old->as.i64;
}

/* Who has asked for it from the first is called before each store. */
static void check_before(struct probe *probe, bool is_prior)
{
    bool *is_before = &probe->is_before[scheduler_self()];
    SCHEDULER_CHECK(is_prior || *is_before || probe != core.first ||
                    !(core.scenario->flags & OBV_PRIOR));
    *is_before = is_prior;
}

/* Nothing is called there any more. */
static bool has_lost_loop(const struct probe *probe)
{
    return core.has_lost_loop && probe->loop != core.loop;
}

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    struct probe *probe = observer;
    SCHEDULER_CHECK(call->kind == &probe->kind);
    SCHEDULER_CHECK(root ? root == &core.a->object && core.a->references > 0
                         : core.scenario->of_class);
    SCHEDULER_CHECK(probe->references > 0 && probe->disposed == 0);
    bool by_hand = scheduler_self() >= 0 && core.executing[scheduler_self()];
    /* A call by hand or in a set that has looked before is running (G14). */
    SCHEDULER_CHECK(!(probe->stopped && probe->takes_back) ||
                    probe->immediate || by_hand);
    SCHEDULER_CHECK(!probe->waited);
    if (!probe->immediate && !by_hand) {
        SCHEDULER_CHECK(!has_lost_loop(probe));
    }
    /* Of a class each instance has its call, and what is called by hand. */
    if (!probe->immediate && !by_hand && root) {
        uint64_t cycle = probe->loop->set.cycle;
        SCHEDULER_CHECK(probe->called_in != cycle);
        probe->called_in = cycle;
    }
    if (call->record && core.scenario->depth == 0) {
        keep_told(probe, call->record);
    }
    if (call->old && probe->immediate && !call->is_prior) {
        keep_values(probe, call);
    }
    if (scheduler_self() >= 0) {
        probe->calls[scheduler_self()]++;
        check_before(probe, call->is_prior);
    }
    if (probe->all_calls++ == 0 && core.scenario->again) {
        obv_detail_schedule_called();
    }
    probe->running++;
    SCHEDULER_POINT("handler");
    core_lock();
    probe->seen = value_now();
    core_unlock();
    SCHEDULER_POINT("handler returns");
    SCHEDULER_CHECK(probe->disposed == 0 && !probe->waited);
    probe->running--;
}

static void root_did_deallocate(void *observer,
                                const struct obv_deallocation_notice *notice)
{
    struct probe *probe = observer;
    SCHEDULER_CHECK(notice->identity != 0 && notice->path[0] == 'x');
    SCHEDULER_CHECK(probe->references > 0 && !probe->gone && !probe->waited);
    SCHEDULER_CHECK(core.scenario->observer_is_held || probe->disposed == 0);
    if (core.scenario->by_loop && notice->is_immediate) {
        obv_detail_tell_by_loop(notice);
        return;
    }
    probe->deaths++;
    probe->running++;
    SCHEDULER_POINT("told");
    SCHEDULER_CHECK(probe->references > 0 && !probe->waited);
    probe->running--;
}

static void dispose(const struct obv_handler_kind *kind, void *observer)
{
    struct probe *probe = observer;
    SCHEDULER_CHECK(kind == &probe->kind);
    SCHEDULER_CHECK(probe->running == 0 || core.scenario->observer_is_held);
    SCHEDULER_CHECK(probe->disposed == 0);
    probe->disposed++;
}

static void observed_changed(struct obv_object *object, uint32_t property,
                             bool is_observed)
{
    struct item *item = (struct item *)object;
    SCHEDULER_CHECK(item->references > 0 && !item->is_telling);
    SCHEDULER_CHECK(property <= ITEM_B);
    SCHEDULER_CHECK(item->is_told[property] != is_observed);
    item->is_told[property] = is_observed;
    item->is_telling = true;
    SCHEDULER_POINT("telling");
    item->is_telling = false;
}

/* Setup ------------------------------------------------------------------- */

/* Of every leaf but c2 and c3. */
#define FIRST_VALUE 1

static struct item *make_item(int64_t x, struct item *b)
{
    struct item *item = allocate(sizeof *item);
    obv_object_init(&item->object, core.item_class);
    item->references = 1;
    item->x = x;
    item->b = b;
    core.items++;
    return item;
}

static void give_probe_back(struct probe *probe)
{
    scheduler_permit(probe, offsetof(struct probe, kind));
    give_back(probe, sizeof *probe);
}

static struct probe *make_probe(struct obv_loop *loop, uint32_t flags)
{
    struct probe *probe = allocate(sizeof *probe);
    obv_object_init(&probe->object, core.probe_class);
    probe->references = 1;
    probe->kind = (struct obv_handler_kind){.changed = changed,
                                            .retain = probe_retain,
                                            .release = core_probe_release,
                                            .dispose = dispose};
    if (core.scenario->constant) {
        probe->kind.dispose = NULL;
    }
    if (core.scenario->observer_is_held) {
        probe->kind.flags = OBV_OBSERVER_IS_OBJECT;
    }
    if (core.scenario->hears) {
        probe->kind.root_did_deallocate = root_did_deallocate;
    }
    if (core.scenario->plain) {
        probe->kind.retain = NULL;
        probe->kind.release = NULL;
    }
    probe->loop = loop;
    probe->immediate = (flags & OBV_IMMEDIATE) != 0;
    probe->takes_back = (flags & OBV_TOKEN) != 0;
    return probe;
}

const char *core_path(void)
{
    static const char *const paths[][3] = {{"x", "b.x", "b.b.x"},
                                           {"*", "*.x", "*.*.x"}};
    return paths[core.scenario->star][core.scenario->depth];
}

/* A loop that was destroyed is refused. */
static void has_begun(struct probe *probe, enum obv_status status)
{
    bool is_refused = status == OBV_E_ENDED && probe->loop != core.loop &&
                      does(&deed_destroy_loop);
    SCHEDULER_CHECK(status == OBV_OK || is_refused);
    SCHEDULER_POINT("observed");
    probe->seen = probe->told = value_now();
    probe->begun = status == OBV_OK;
}

void core_begin(struct probe *probe, uint32_t flags)
{
    const struct obv_pair pair = {&core.a->object, core_path()};
    const struct obv_observe_options options = {
        .size = sizeof options, .loop = probe->loop, .flags = flags};
    has_begun(probe,
              core.scenario->of_class
                  ? obv_observe_class(core.item_class, pair.path, &probe->kind,
                                      probe, &options, &probe->handle, NULL)
                  : obv_observe_pairs(&pair, 1, &probe->kind, probe, &options,
                                      &probe->handle, NULL));
}

void core_begin_compiled(struct probe *probe, uint32_t flags)
{
    const struct obv_compiled_pair pair = {&core.a->object, core.path};
    const struct obv_observe_options options = {
        .size = sizeof options, .loop = probe->loop, .flags = flags};
    has_begun(probe,
              core.scenario->of_class
                  ? obv_observe_class_compiled(core.item_class, pair.path,
                                               &probe->kind, probe, &options,
                                               &probe->handle, NULL)
                  : obv_observe_compiled(&pair, 1, &probe->kind, probe,
                                         &options, &probe->handle, NULL));
}

static void make_classes(void)
{
    static const struct obv_property any_thread[] = {
        [ITEM_X] = OBV_FIELD_WITH(item, x, i64, OBV_ANY_THREAD, NULL),
        [ITEM_B] = OBV_FIELD_OBJECT(item, b, "item"),
    };
    static const struct obv_property guarded[] = {
        [ITEM_X] = OBV_FIELD(item, x, i64),
        [ITEM_B] = OBV_FIELD_OBJECT(item, b, "item"),
    };
    static struct obv_class_table item_table = {.size = sizeof item_table,
                                                .name = "item",
                                                .instance_size =
                                                    sizeof(struct item),
                                                .property_count = 2,
                                                .retain = item_retain,
                                                .release = core_item_release};
    static const struct obv_class_table probe_table = {
        .size = sizeof probe_table,
        .name = "probe",
        .instance_size = sizeof(struct probe),
        .retain = probe_object_retain,
        .release = probe_object_release};
    item_table.observed_changed = core.scenario->told ? observed_changed : NULL;
    item_table.properties =
        core.scenario->guarded || core.scenario->locked ? guarded : any_thread;
    SCHEDULER_CHECK(obv_class_create(core.context, &item_table,
                                     &core.item_class, NULL) == OBV_OK);
    SCHEDULER_CHECK(obv_class_create(core.context, &probe_table,
                                     &core.probe_class, NULL) == OBV_OK);
}

/* The chain: each object belongs to the property that holds it, a and the
   others to us. All leaves begin with the same value but c2. */
static void make_items(void)
{
    unsigned depth = core.scenario->depth;
    core.c1 = depth > 1 ? make_item(1, NULL) : NULL;
    core.c2 = depth > 1 ? make_item(2, NULL) : NULL;
    core.c3 = depth > 1 ? make_item(3, NULL) : NULL;
    core.b1 = depth > 0 ? make_item(1, core.c1) : NULL;
    core.b2 = depth > 0 ? make_item(1, core.c2) : NULL;
    core.a = make_item(1, core.b1);
    core.apart = does(&deed_identify) ? make_item(1, NULL) : NULL;
}

static struct obv_path *compile(const char *text)
{
    struct obv_path *path;
    SCHEDULER_CHECK(obv_path_parse(obv_context_names(core.context), text,
                                   strlen(text), &path, NULL) == OBV_OK);
    return path;
}

static bool ends_a(void)
{
    return does(&deed_end) || core.scenario->dead;
}

/* What the sets set. */
struct item *core_leaf(void)
{
    return core.scenario->depth == 0   ? core.a
           : core.scenario->depth == 1 ? core.b1
                                       : core.c1;
}

/* What a deed holds, if anything of it can end meanwhile. */
static void each_held(const struct deed *deed,
                      void (*each)(struct obv_object *object))
{
    struct item *items[] = {core.a, core.b1, core.b2, core_leaf(), core.c2};
    bool needed = core.scenario->depth > 0 || ends_a();
    for (unsigned i = 0; i < 5; i++) {
        if (needed && (deed->holds & 1u << i) && items[i]) {
            each(&items[i]->object);
        }
    }
}

static void keep_loop_for(const struct deed *deed)
{
    if (deed && (deed->holds & HOLDS_LOOP)) {
        SCHEDULER_CHECK(obv_loop_retain(core.second_loop) == core.second_loop);
    }
}

static void hold(struct obv_object *object)
{
    SCHEDULER_CHECK(item_retain(object));
}

/* Nothing goes wrong but what a scenario is about. */
static void diagnosed(void *context, const struct obv_diagnostic *diagnostic)
{
    (void)context;
    SCHEDULER_CHECK(diagnostic->kind == OBV_DIAGNOSTIC_LOOP_DESTROYED);
    SCHEDULER_CHECK(does(&deed_destroy_loop));
}

/* The number of the first thread, and of who checks, where a loop is bound. */
#define OWNER (UINTPTR_MAX / 2)

static void become_owner(void)
{
    if (core.scenario->bound) {
        obv__thread_self()->slots[OBV__THREAD_NUMBER] = (void *)OWNER;
    }
}

static void setup(void)
{
    const struct scenario *scenario = core.scenario;
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator =
                                                    scheduler_allocator(),
                                                .diagnose = diagnosed,
                                                .reclaim_batch = 1};
    memset(&core, 0, sizeof core);
    core.scenario = scenario;
    if (scenario->fenced) {
        scheduler_refuse_membarrier();
    }
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &core.context) == OBV_OK);
    SCHEDULER_CHECK(obv_loop_create(core.context, NULL, &core.second_loop) ==
                    OBV_OK);
    core.loop = obv_context_loop(core.context);
    core.loop->owner = scenario->bound ? OWNER : 0;
    make_classes();
    make_items();
    core.path = compile(core_path());
    core.path_of_b = compile("b");
    core.first = make_probe(core.loop, scenario->flags);
    core.second = make_probe(core.second_loop, 0);
    core.later[0] = make_probe(core.loop, scenario->flags);
    core.later[1] = make_probe(core.loop, scenario->flags);
    core.later[2] = make_probe(core.loop, scenario->flags);
    if (!scenario->unobserved) {
        core_begin(core.first, scenario->flags);
    }
    if (scenario->second) {
        core_begin(core.second, 0);
    }
    if (scenario->pending && scenario->of_class) {
        /* By hand it would be called for no instance. */
        item_set_x(core_leaf(), 2);
    } else if (scenario->set_back) {
        item_set_x(core_leaf(), 2);
        item_set_x(core_leaf(), 1);
    } else if (scenario->pending) {
        obv_schedule(core.first->handle);
        obv_schedule(core.second->handle);
    }
    keep_loop_for(scenario->deeds[0]);
    keep_loop_for(scenario->deeds[1]);
    keep_loop_for(scenario->deeds[2]);
    if (scenario->rings) {
        int descriptor;
        SCHEDULER_CHECK(obv_loop_descriptor(core.loop, &descriptor) == OBV_OK);
    }
    if (scenario->dead) {
        core_item_release(&core.a->object);
        core.a = NULL;
    } else {
        each_held(scenario->deeds[0], hold);
        each_held(scenario->deeds[1], hold);
        if (scenario->deeds[2]) {
            each_held(scenario->deeds[2], hold);
        }
        if (ends_a()) {
            core.a->references--;
        }
    }
    obv__thread_unlist(obv__thread_self());
}

static void perform(void)
{
    const struct deed *deed = core.scenario->deeds[scheduler_self()];
    if (scheduler_self() == 0) {
        become_owner();
    }
    deed->run();
    if (!core.scenario->dead) {
        each_held(deed, core_item_release);
    }
}

/* Check ------------------------------------------------------------------- */

static bool is_live(const struct probe *probe)
{
    return probe->begun && !probe->stopped && !ends_a();
}

/* Whether somebody's path leads to x of an object: to its end, and by a `*` to
   that of each object above. */
static bool leads_to(const struct item *item)
{
    const struct item *at = core.a;
    for (unsigned i = 0; i < core.scenario->depth; i++) {
        if (core.scenario->star && at == item) {
            return true;
        }
        at = at ? at->b : NULL;
    }
    return at == item;
}

/* Each object of a chain is watched by those whose path ends there. */
static void check_watched(struct item *item)
{
    size_t live = (size_t)is_live(core.first) + is_live(core.second) +
                  is_live(core.later[0]) + is_live(core.later[1]) +
                  is_live(core.later[2]);
    live = core.scenario->of_class ? 0 : live;
    for (; item; item = item->b) {
        size_t count = obv_observer_count(&item->object, "x");
        SCHEDULER_CHECK(count == (leads_to(item) ? live : 0));
        if (core.scenario->told) {
            size_t through = obv_observer_count(&item->object, "b");
            SCHEDULER_CHECK(item->is_told[ITEM_X] == (count != 0));
            SCHEDULER_CHECK(item->is_told[ITEM_B] == (through != 0));
        }
    }
}

/* What a loop could not call before its end is counted. */
static bool is_dropped(const struct probe *probe)
{
    struct obv_counters counters;
    obv_context_counters(core.context, &counters);
    return has_lost_loop(probe) && counters.dropped != 0;
}

static void check_told(void)
{
    const struct probe *probes[] = {core.first, core.second, core.later[0],
                                    core.later[1], core.later[2]};
    for (unsigned i = 0; i < 5; i++) {
        const struct probe *probe = probes[i];
        SCHEDULER_CHECK(!is_live(probe) || probe->seen == value_now() ||
                        is_dropped(probe));
    }
}

/* Nobody counts who observes a class: one more set reaches them all. */
static void check_class_is_told(void)
{
    check_told();
    item_set_x(core.a, 99);
    (void)obv_loop_drain(core.loop);
    (void)obv_loop_drain(core.second_loop);
}

static void check_probe(struct probe *probe)
{
    if ((core.scenario->flags & OBV_RECORDS) && probe == core.first &&
        core.scenario->depth == 0 && is_live(probe)) {
        /* What any thread sets between two drains is one change (TH-1). */
        SCHEDULER_CHECK(probe->changes >= 1 && probe->changes <= core.sets);
        SCHEDULER_CHECK(probe->told == value_now());
    }
    /* On a path the leaf may have been taken away. */
    if (probe == core.first && is_live(probe) && core.scenario->depth == 0 &&
        !probe->immediate) {
        SCHEDULER_CHECK(probe->all_calls >= probe->owed);
    }
    if ((core.scenario->flags & OBV_VALUES) && probe == core.first &&
        probe->immediate && is_live(probe)) {
        SCHEDULER_CHECK(probe->moved == value_now() - FIRST_VALUE);
    }
    if (core.scenario->again && probe == core.first && is_live(probe)) {
        SCHEDULER_CHECK(probe->all_calls > 1);
    }
    if (probe->handle) {
        obv_stop(probe->handle);
        obv_release(probe->handle);
    }
    SCHEDULER_CHECK(probe->running == 0);
    SCHEDULER_CHECK(!probe->begun ||
                    probe->disposed == (probe->kind.dispose != NULL));
    bool has_ended = probe == core.first && does(&deed_end_observer);
    SCHEDULER_CHECK(probe->references == (has_ended ? 0 : 1));
    if (probe->references > 0) {
        core_probe_release(probe);
    }
}

/* The death of the root is told once, or was stopped before. */
static void check_deaths(const struct probe *probe)
{
    bool may_not = does(&deed_stop) || does(&deed_stop_and_release) ||
                   does(&deed_stop_and_wait) || does(&deed_end_observer);
    SCHEDULER_CHECK(probe->deaths <= 1);
    SCHEDULER_CHECK(probe->deaths == 1 || may_not || !ends_a());
    SCHEDULER_CHECK(probe->deaths == 1 || !core.scenario->dead ||
                    does(&deed_end_observer) || does(&deed_stop_and_wait) ||
                    core.scenario->plain);
}

/* A death that is yet to be told has woken the loop. */
static void check_rung(void)
{
    SCHEDULER_CHECK(!core.scenario->rings ||
                    !obv__loop_has_notices(core.loop) ||
                    (core.loop->turn & 3) == OBV__TURN_RUNG);
}

/* A call that a stop has taken back goes with the next drain. */
static void check_taken_back(const struct probe *probe)
{
    if (probe->stopped && probe->takes_back) {
        SCHEDULER_CHECK(probe->references == 1);
        SCHEDULER_CHECK(probe->disposed == (probe->kind.dispose != NULL));
    }
}

/* What threads have found beside each other is one thing. */
static void check_found(const struct found *found)
{
    const struct obv_names *names = obv_context_names(core.context);
    uint32_t index = 1;
    if (found->names[0]) {
        SCHEDULER_CHECK(names_check(names));
        SCHEDULER_CHECK(obv__names_find(names, "new", 3) == found->names[0]);
        SCHEDULER_CHECK(obv__names_find(names, "newer", 5) == found->names[1]);
    }
    if (found->identity) {
        uint64_t of_apart = obv_object_identity(&core.apart->object);
        SCHEDULER_CHECK(found->of_apart == of_apart);
        SCHEDULER_CHECK(ends_a() || obv_object_identity(&core.a->object) ==
                                        found->identity);
        SCHEDULER_CHECK(found->identity != of_apart);
    }
    if (found->made) {
        struct obv_object object;
        obv_object_init(&object, found->made);
        SCHEDULER_CHECK(obv_object_identity(&object) != 0);
        SCHEDULER_CHECK(obv_object_class(&object) == found->made);
        SCHEDULER_CHECK(obv_object_deinit(&object) == OBV_OK);
        SCHEDULER_CHECK(obv_class_property(found->made, "n", &index) ==
                            OBV_OK &&
                        index == 0);
    }
}

static void release_if(struct item *item)
{
    if (item) {
        core_item_release(&item->object);
    }
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(threads_are_right());
    become_owner();
    check_rung();
    (void)obv_loop_drain(core.loop);
    check_taken_back(core.first);
    if (core.scenario->again) {
        (void)obv_loop_drain(core.loop);
    }
    if (!core.has_lost_loop) {
        (void)obv_loop_drain(core.second_loop);
    }
    check_found(&core.found[0]);
    check_found(&core.found[1]);
    if (core.scenario->hears) {
        check_deaths(core.first);
    }
    if (!ends_a()) {
        check_watched(core.a);
        check_watched(core.b2);
        check_watched(core.c3);
    }
    if (core.scenario->of_class && core.scenario->depth == 0 && !ends_a()) {
        check_class_is_told();
    }
    check_told();
    check_probe(core.first);
    check_probe(core.second);
    check_probe(core.later[0]);
    check_probe(core.later[1]);
    check_probe(core.later[2]);
    release_if(ends_a() ? NULL : core.a);
    release_if(core.b2);
    release_if(core.c3);
    release_if(core.apart);
    SCHEDULER_CHECK(core.items == 0);
    obv_path_destroy(core.path);
    obv_path_destroy(core.path_of_b);
    SCHEDULER_CHECK(core.has_lost_loop ||
                    obv_loop_destroy(core.second_loop) == OBV_OK);
    SCHEDULER_CHECK(obv_context_destroy(core.context) == OBV_OK);
    give_probe_back(core.first);
    give_probe_back(core.second);
    give_probe_back(core.later[0]);
    give_probe_back(core.later[1]);
    give_probe_back(core.later[2]);
    SCHEDULER_CHECK(scheduler_live_blocks() == 0);
}

/* TH-1: whoever replaces a middle, or begins to observe through one, owns what is
   joined there. */
static bool is_the_owners(const struct deed *deed)
{
    static const char *const names[] = {"put", "observe", "also"};
    bool found = false;
    for (size_t i = 0; deed && !found && i < sizeof names / sizeof *names;
         i++) {
        found = strncmp(deed->name, names[i], strlen(names[i])) == 0;
    }
    return found;
}

static bool has_two_owners(const struct scenario *scenario)
{
    int owners = 0;
    for (size_t i = 0; i < 3; i++) {
        owners += is_the_owners(scenario->deeds[i]);
    }
    return owners > 1 && scenario->depth > 0;
}

void core_run(const struct scenario *scenario, int argc, char **argv)
{
    if (has_two_owners(scenario)) {
        return;
    }
    const struct scheduler_program program = {
        .name = scenario->name,
        .setup = setup,
        .threads = {perform, perform, scenario->deeds[2] ? perform : NULL},
        .check = check,
        .preemptions = scenario->preemptions,
        .costly = scenario->costly};
    core.scenario = scenario;
    scheduler_run(&program, argc, argv);
}
