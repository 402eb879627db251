/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning to observe: what is asked is checked and parsed, then registered,
 * all of it or nothing. Every instance of a class is asked for as one pair
 * without a root; what instances make of it is in class_subscription.c.
 */
#include "computed/settling.h"
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "dispatch/change_records.h"
#include "model/misuse.h"
#include "model/class.h"
#include "model/container.h"
#include "model/node.h"
#include "observe/class_subscription.h"
#include "observe/declared.h"
#include "observe/observation.h"
#include "observe/unresolved.h"
#include "path/path.h"
#include "wiring/matcher.h"
#include "wiring/path_instance.h"
#include "wiring/place.h"

#include <observable/component.h>

/* The request: pairs by text, or compiled. */
struct asked {
    const struct obv_pair *texts;
    const struct obv_compiled_pair *compiled; /* if `texts` is NULL */
    size_t count;
    struct obv_class *cls;      /* every instance, by one path; or NULL */
    struct obv__watcher *there; /* gets the pairs; NULL: one is to be made */
    bool only_checks;
};

/* One of them. */
struct asked_pair {
    struct obv_object *root;
    const char *text;
    const struct obv_path *compiled; /* if `text` is NULL; or none */
};

/* One of them, checked: with a reference of its path, if it has one. */
struct prepared_pair {
    struct obv_object *root;
    const struct obv_class *cls; /* of its root, or all of whose instances */
    struct obv_path *path;
    uint32_t slot; /* of its first element at the root, or OBV__NO_SLOT */
    bool is_of_container; /* an element is of a kind that models lack */
    bool is_computed;     /* it ends at a computed property of the root */
    bool may_wait;        /* it may follow a computed property */
    bool is_nowhere;      /* the class has not its first element (KP-12) */
    bool is_added;        /* to the observation, by this call */
};

enum { PREPARED_NEAR = 4 };

/* All of them, in their order. */
struct prepared {
    struct prepared_pair *pairs; /* `near`, or a block */
    size_t count;
    bool may_wait; /* one may follow a computed property */
    struct obv_context *context;
    struct prepared_pair near[PREPARED_NEAR];
};

static struct asked_pair asked_at(const struct asked *asked, size_t i)
{
    const struct obv_pair *texts = asked->texts;
    return texts ? (struct asked_pair){texts[i].root, texts[i].path, NULL}
                 : (struct asked_pair){asked->compiled[i].root, NULL,
                                       asked->compiled[i].path};
}

static const struct obv_observe_options defaults = {.size = sizeof defaults};

static enum obv_status fail_plain(struct obv_error *error,
                                  enum obv_status status)
{
    return obv__fail(error, status, obv_status_text(status));
}

/* Checking ---------------------------------------------------------------- */

static enum obv_status check_kind(const struct obv_handler_kind *kind,
                                  const void *observer, struct obv_error *error)
{
    const uint32_t known = OBV_OBSERVER_IS_OBJECT | OBV_KIND_IS_OF_CALL;
    const char *wrong = !kind || !kind->changed ? "the handler kind is null"
                        : (kind->retain == NULL) != (kind->release == NULL)
                            ? "retain and release come together"
                        : kind->gone && !kind->retain ? "gone comes with retain"
                        : kind->flags & ~known ? "unknown flags of a kind"
                                               : NULL;
    if (!wrong && (kind->flags & OBV_OBSERVER_IS_OBJECT)) {
        if (observer && obv__object_is_ending(observer)) {
            return obv__fail(error, OBV_E_ENDED, "the observer has ended");
        }
        wrong =
            !observer ? "the observer is null"
            : !obv__class_or_null(observer)
                ? "the observer has no class: obv_object_init() gives it one"
                : NULL;
    }
    return wrong ? obv__fail(error, OBV_E_ARGUMENT, wrong) : OBV_OK;
}

static enum obv_status check_options(const struct obv_observe_options *options,
                                     struct obv_error *error)
{
    const uint32_t known = OBV_IMMEDIATE | OBV_DEFER | OBV_TOKEN |
                           OBV_EXTENSIBLE | OBV_INITIAL | OBV_ANY_ELEMENT |
                           OBV_NET | OBV_VALUES | OBV_PRIOR | OBV_RECORDS |
                           OBV_ONCE;
    uint32_t flags = options->flags;
    if (options->size != sizeof *options) {
        return obv__fail(error, OBV_E_ARGUMENT, "the options have no size");
    }
    const char *wrong =
        flags & ~known ? "unknown flags"
        : (unsigned)options->compare > OBV_COMPARE_ALWAYS_DIFFERENT
            ? "unknown comparison"
        : options->equal && options->compare != OBV_COMPARE_DECLARED
            ? "two comparisons are given"
        : (flags & OBV_ONCE) && (flags & OBV_DEFER)
            ? "once drops what defer keeps"
        : (flags & OBV_PRIOR) && !(flags & OBV_IMMEDIATE)
            ? "only an immediate observation is called before the store"
            : NULL;
    return wrong ? obv__fail(error, OBV_E_OPTIONS, wrong) : OBV_OK;
}

/* Checks that OBV_VALUES are asked of one path with one end; NULL: there is not
   one path. */
static enum obv_status check_values(const struct obv_path *only,
                                    struct obv_error *error)
{
    bool good = only != NULL;
    for (size_t i = 0; good && i < obv_path_count(only); i++) {
        good = obv_path_elements(only)[i].kind != OBV_ELEMENT_ANY;
    }
    return good ? OBV_OK
                : obv__fail(error, OBV_E_OPTIONS,
                            "old and new value are of one path without a "
                            "wildcard: ask for records");
}

/* `context`: of the roots before it; becomes its own if there is none. */
static enum obv_status check_root(const struct obv_object *root,
                                  struct obv_context **context,
                                  struct obv_error *error)
{
    if (!root) {
        return obv__fail(error, OBV_E_ARGUMENT, "a root is null");
    }
    if (obv__object_is_ending(root)) {
        return obv__fail(error, OBV_E_ENDED, "a root has ended");
    }
    const struct obv_class *cls = obv__class_or_null(root);
    if (!cls) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "a root has no class: obv_object_init() gives it one");
    }
    if (*context && cls->context != *context) {
        return obv__fail(error, OBV_E_OPTIONS, "roots of two contexts");
    }
    *context = cls->context;
    return OBV_OK;
}

/* Checks the pairs, before their paths are looked at. `context`: of the
   observation that they are added to; or NULL, and becomes that of the roots. */
static enum obv_status check_pairs(const struct asked *asked,
                                   struct obv_context **context,
                                   struct obv_error *error)
{
    bool needs_paths = *context || asked->count != 1;
    enum obv_status status = OBV_OK;
    if ((!asked->texts && !asked->compiled) || asked->count == 0) {
        return obv__fail(error, OBV_E_ARGUMENT, "no pair is given");
    }
    if (asked->cls) {
        *context = asked->cls->context;
        return OBV_OK;
    }
    for (size_t i = 0; status == OBV_OK && i < asked->count; i++) {
        const struct asked_pair pair = asked_at(asked, i);
        status =
            obv__failed_at(i,
                           needs_paths && !pair.text && !pair.compiled
                               ? obv__fail(error, OBV_E_ARGUMENT,
                                           "a pair without a path stands alone")
                               : check_root(pair.root, context, error),
                           error);
    }
    return status;
}

/* Checks that loop and observer are of the context, and that the loop lives. */
static enum obv_status check_contexts(const struct obv__making *making,
                                      struct obv_error *error)
{
    const char *wrong =
        making->loop->context != making->context
            ? "the loop is of another context than the root"
        : !obv__loop_has_ended(making->loop) &&
                (making->kind->flags & OBV_OBSERVER_IS_OBJECT) &&
                obv__class_of(making->observer)->context != making->context
            ? "the observer is of another context than the root"
            : NULL;
    return wrong ? obv__fail(error, OBV_E_OPTIONS, wrong)
           : obv__loop_has_ended(making->loop)
               ? obv__fail(error, OBV_E_ENDED, "the loop has ended")
               : OBV_OK;
}

/* AR-2: an occurrence is one thing, which an element that leads to several has
   not below it. IC-2: who roots at a constant container comes here, since there
   are containers then. */
static enum obv_status check_path_elements(struct obv_object *root,
                                           const struct obv_path *path,
                                           struct obv_error *error)
{
    const struct obv_element *elements = obv_path_elements(path);
    size_t count = obv_path_count(path);
    bool is_beneath = false;
    if (obv__is_constant(root)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "a constant container is no root: observe from the "
                         "object that holds it");
    }
    for (size_t i = 0; i < count; i++) {
        if (is_beneath && obv__matcher_is_bound_once(&elements[i])) {
            return obv__fail(error, OBV_E_KIND,
                             "below `*` or `&` an element is told by its "
                             "position: `#n`");
        }
        is_beneath = is_beneath || elements[i].kind == OBV_ELEMENT_ANY ||
                     elements[i].kind == OBV_ELEMENT_MEMBER;
    }
    return obv__check_elements(root, elements, count, error);
}

/* The arguments that each instance will be made by must be good now. */
static enum obv_status check_on_class(struct prepared_pair *pair,
                                      struct obv_error *error)
{
    const struct obv_element *first = obv_path_elements(pair->path);
    uint32_t slot = obv__slot_on_class(first, pair->cls);
    if (obv__matcher_misfits(first, pair->cls)) {
        return obv__fail_misfit(pair->cls, error);
    }
    if (slot == OBV__SLOT_ELEMENT) {
        return obv__fail(error, OBV_E_KIND,
                         "a class is observed by its properties");
    }
    /* As far as that is known. */
    pair->is_nowhere = slot == OBV__NO_SLOT && !pair->cls->is_ahead &&
                       first->kind != OBV_ELEMENT_COMPONENT;
    return obv__path_is_bound_once(pair->path)
               ? obv__fail(error, OBV_E_KIND,
                           "of each instance an element is told by its "
                           "position: `#n`")
               : OBV_OK;
}

/* KP-20: an element that nothing here can have is refused where the container
   is there, reached by names. Below NULL and `*` it wires nothing. The first
   element learns what it is on the root; the others learn where the path is
   wired. */
static enum obv_status check_on_root(struct prepared_pair *pair,
                                     const struct obv_context *context,
                                     struct obv_error *error)
{
    const struct obv_element *elements = obv_path_elements(pair->path);
    size_t count = obv_path_count(pair->path);
    const struct obv_class *cls = pair->cls;
    enum obv_status status = OBV_OK;
    for (size_t i = 0; i < count; i++) {
        pair->is_of_container = pair->is_of_container ||
                                obv__element_is_of_container(elements[i].kind);
    }
    if (pair->is_of_container || obv__load_relaxed(&context->has_containers)) {
        status = check_path_elements(pair->root, pair->path, error);
    }
    if (status == OBV_OK && obv__matcher_must_learn(elements, cls)) {
        obv__matcher_learn(elements, pair->root);
    }
    if (status == OBV_OK) {
        pair->slot = obv__slot_on_class(elements, cls);
        pair->is_computed = count == 1 && obv__class_has_computed(cls) &&
                            pair->slot <= OBV__SLOT_LAST &&
                            obv__slot_is_computed(cls, pair->slot);
        pair->may_wait = pair->is_computed || count > 1;
        pair->is_nowhere = pair->slot == OBV__NO_SLOT;
    }
    return status;
}

/* Checks a pair, whose path it has then, if it asks for one; after an error
   too. */
static enum obv_status prepare(const struct asked *asked, size_t i,
                               struct obv_context *context,
                               struct prepared_pair *pair,
                               struct obv_error *error)
{
    const struct asked_pair given = asked_at(asked, i);
    *pair = (struct prepared_pair){.root = given.root, .slot = OBV__NO_SLOT};
    pair->cls = asked->cls ? asked->cls : obv__class_of(given.root);
    enum obv_status status = OBV_OK;
    if (given.compiled) {
        status =
            obv__path_share(context->names, given.compiled, &pair->path, error);
    } else if (given.text) {
        status = obv__path_cache_parse(&context->recent, given.text,
                                       &pair->path, error);
    }
    return status != OBV_OK || !pair->path ? status
           : asked->cls                    ? check_on_class(pair, error)
                        : check_on_root(pair, context, error);
}

static void release_prepared(struct prepared *prepared, size_t room)
{
    for (size_t i = 0; i < prepared->count; i++) {
        obv_path_destroy(prepared->pairs[i].path);
    }
    if (prepared->pairs != prepared->near) {
        obv__context_free(prepared->context, prepared->pairs,
                          room * sizeof *prepared->pairs);
    }
}

/* Checks every pair, before any is registered and may be called. `flags`: of the
   observation that is to be made. */
static enum obv_status prepare_all(const struct asked *asked,
                                   struct obv_context *context, uint32_t flags,
                                   struct prepared *prepared,
                                   struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    prepared->count = 0;
    prepared->may_wait = false;
    prepared->context = context;
    prepared->pairs =
        asked->count <= PREPARED_NEAR
            ? prepared->near
            : obv__context_allocate(context,
                                    asked->count * sizeof *prepared->pairs);
    if (!prepared->pairs) {
        return fail_plain(error, OBV_E_MEMORY);
    }
    while (status == OBV_OK && prepared->count < asked->count) {
        size_t i = prepared->count++;
        struct prepared_pair *pair = &prepared->pairs[i];
        status =
            obv__failed_at(i, prepare(asked, i, context, pair, error), error);
        prepared->may_wait |= pair->may_wait;
    }
    if (status == OBV_OK && (flags & OBV_VALUES)) {
        status = check_values(prepared->pairs[0].path, error);
    }
    if (status != OBV_OK) {
        release_prepared(prepared, asked->count);
    }
    return status;
}

/* Registering ------------------------------------------------------------- */

/* A property of a root itself is computed before anybody is told of it: what it is
   at first is no change. In the middle the wiring does so. False: no memory, and
   it would not be heard of. */
static bool compute_end(struct obv_object *root, uint32_t slot)
{
    if (!obv__slot_is_valid(root, slot)) {
        obv__above.bring_up_to_date(root, slot, NULL);
    }
    return !obv__computed_is_short(obv__computed_of(root, slot));
}

/* Adds a pair that is prepared, unless the observation follows it already, or this
   call has registered it (KP-16). Old and new value are of one pair: no second one
   comes to those. */
static enum obv_status add_pair(struct obv__watcher *observation,
                                struct prepared_pair *pair,
                                struct obv__work_list *work,
                                struct obv__watcher **members,
                                struct obv_error *error)
{
    if (!obv__is_solo(observation) && pair->path) {
        const struct obv__change_records *records =
            obv__change_records_of(observation);
        const struct obv__watcher *found =
            obv__pair_find(observation, pair->root, pair->path);
        struct obv__watcher *same = *members;
        while (same && !obv__pair_is(same, pair->root, pair->path)) {
            same = same->with.next_member;
        }
        if (same || (found && !obv__pair_has_lost(found))) {
            return OBV_OK;
        }
        if (!found && records && (records->flags & OBV_VALUES) &&
            (*members || obv__pair_next(observation, NULL))) {
            return obv__fail(error, OBV_E_OPTIONS,
                             "old and new value are of one path");
        }
    }
    enum obv_status status =
        pair->is_computed && !compute_end(pair->root, pair->slot)
            ? OBV_E_MEMORY
            : obv__pair_register(observation, pair->root, pair->path,
                                 pair->slot, work, members);
    pair->is_added = status == OBV_OK;
    return pair->is_added ? OBV_OK : fail_plain(error, status);
}

static enum obv_status fail_one_path(struct obv_error *error)
{
    return obv__fail(error, OBV_E_OPTIONS,
                     "a class-level observation follows one path");
}

/* Every pair, or those before the first that failed. */
static enum obv_status add_pairs(struct obv__watcher *observation,
                                 struct prepared *prepared,
                                 struct obv__work_list *work,
                                 struct obv__watcher **members,
                                 struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < prepared->count; i++) {
        status = obv__failed_at(
            i, add_pair(observation, &prepared->pairs[i], work, members, error),
            error);
    }
    return status;
}

/* Tells of what can lead nowhere by the declared types, if that is asked. Before
   anything is registered: what can be refused has been. */
static void check_all_declared(const struct asked *asked,
                               const struct prepared *prepared,
                               const struct obv_handler_kind *kind)
{
    if (OBV__UNLIKELY(obv__load_relaxed(&prepared->context->checks_paths))) {
        for (size_t i = 0; i < prepared->count; i++) {
            const struct prepared_pair *pair = &prepared->pairs[i];
            if (pair->path) {
                obv__check_declared(pair->cls, pair->path, asked->there, kind);
            }
        }
    }
}

/* Makes an observation, and what it needs beside its pairs. */
static enum obv_status make(const struct obv__making *making,
                            struct prepared *prepared,
                            struct obv__watcher **observation,
                            struct obv_error *error)
{
    enum obv_status status = obv__observation_create(making, observation);
    struct prepared_pair *first = &prepared->pairs[0];
    if (status != OBV_OK) {
        return fail_plain(error, status);
    }
    if (making->cls) {
        first->is_added = true;
        obv__class_subscription_begin(obv__class_subscription(*observation),
                                      making->cls, first->path,
                                      first->is_nowhere, making->options);
    }
    return OBV_OK;
}

/* Gives a group its pairs: from now on it can be called. One that has ended as it
   was made was made, and stopped. */
static enum obv_status keep_all(struct obv__watcher *observation,
                                const struct obv__making *making,
                                const struct prepared *prepared,
                                struct obv__watcher **members,
                                struct obv_error *error)
{
    if (!obv__pairs_keep(prepared->context, observation, members) && !making) {
        return obv__fail(error, OBV_E_ENDED, "the observation has ended");
    }
    if (making) {
        obv__observation_finish_creation(prepared->context, observation);
    }
    for (size_t i = 0; i < prepared->count; i++) {
        const struct prepared_pair *pair = &prepared->pairs[i];
        if (pair->is_nowhere && pair->is_added) {
            obv__unresolved_report(observation, pair->cls, pair->path);
        }
    }
    return OBV_OK;
}

/* Registers the pairs of an observation, all of them or none. `making`: by which
   it is made; NULL: it is there. */
static enum obv_status add_all(struct obv__watcher *observation,
                               const struct obv__making *making,
                               struct prepared *prepared,
                               struct obv_observation **handle,
                               struct obv_error *error)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_context *context = prepared->context;
    uint64_t since = obv__registration_epoch();
    struct obv__watcher *members = NULL;
    struct obv__work_list work;
    obv__epoch_enter(self);
    obv__work_list_init(&work, self, context);
    enum obv_status status =
        making ? make(making, prepared, &observation, error) : OBV_OK;
    if (status == OBV_OK && (!making || !making->cls)) {
        status = add_pairs(observation, prepared, &work, &members, error);
        if (status != OBV_OK) {
            obv__pairs_take_back(observation, &members);
        }
        if (status != OBV_OK && making) {
            /* It was never made, and its kind is the caller's again: since the
               pairs were not kept nobody has read that, nor will. */
            obv__observation_abandon(context, observation);
        }
    }
    if (status == OBV_OK && handle) {
        *handle = (struct obv_observation *)(void *)observation;
    }
    if (status == OBV_OK && !obv__is_solo(observation)) {
        status = keep_all(observation, making, prepared, &members, error);
    }
    if (obv__work_list_is_empty(&work)) {
        /* Who is observed now hears of it before a handler runs. */
        obv__epoch_pay(self);
    } else {
        obv__work_list_deliver(&work);
    }
    if (status == OBV_OK && prepared->may_wait) {
        /* The properties it follows are kept valid from here on (LL-5). */
        obv__settle_added(self, observation, since);
    }
    struct obv__watcher *pair =
        status == OBV_OK && making && (making->flags & OBV_INITIAL)
            ? obv__pair_living(observation)
            : NULL;
    if (pair) {
        obv__tell_by_hand(self, context, pair);
    }
    obv__epoch_leave(self);
    return status;
}

/* Whether pairs may be added to it. */
static enum obv_status check_grows(struct obv__watcher *observation,
                                   struct obv_error *error)
{
    if (obv__is_class_subscription(observation)) {
        return fail_one_path(error);
    }
    const struct obv__group *group = obv__group_or_null(observation);
    if (!group || !group->is_extensible) {
        return obv__fail(error, OBV_E_OPTIONS,
                         "the observation was made without OBV_EXTENSIBLE");
    }
    return obv__has_state(observation, OBV__LINKED)
               ? OBV_OK
               : obv__fail(error, OBV_E_ENDED, "the observation has ended");
}

/* Checks the parts that an observation is to be made of. */
static enum obv_status check_making(const struct asked *asked,
                                    struct obv__making *making,
                                    struct obv_error *error)
{
    const struct obv_observe_options *options = making->options;
    enum obv_status status = check_kind(making->kind, making->observer, error);
    if (status == OBV_OK) {
        status = check_options(options, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    if (asked->cls && (options->flags & OBV_EXTENSIBLE)) {
        return fail_one_path(error);
    }
    making->cls = asked->cls;
    making->loop = options->loop ? options->loop : making->context->loop;
    making->flags =
        options->flags | (asked->count != 1 ? (uint32_t)OBV_EXTENSIBLE : 0u);
    return check_contexts(making, error);
}

/* The one way to observe, also for pairs that come to an observation. Everything
   that can be refused but for want of memory is refused before anything is
   registered. */
static enum obv_status
observe(const struct asked *asked, const struct obv_handler_kind *kind,
        void *observer, const struct obv_observe_options *options,
        struct obv_observation **handle, struct obv_error *error)
{
    struct obv__watcher *there = asked->there;
    struct obv__making making = {
        .context = there ? obv__observation_context(there) : NULL,
        .kind = kind,
        .observer = observer,
        .options = options ? options : &defaults,
        .handle = handle != NULL};
    struct prepared prepared;
    enum obv_status status = check_pairs(asked, &making.context, error);
    if (status == OBV_OK) {
        status = there ? check_grows(there, error)
                       : check_making(asked, &making, error);
    }
    if (status == OBV_OK) {
        status =
            prepare_all(asked, making.context, making.flags, &prepared, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    if (!asked->only_checks) {
        check_all_declared(asked, &prepared, kind);
        const struct prepared_pair *first = &prepared.pairs[0];
        /* One pair is its own watcher, if it leads somewhere. */
        making.group =
            first->slot == OBV__NO_SLOT ||
            (making.flags & (OBV_EXTENSIBLE | OBV_ONCE)) ||
            (first->is_of_container && obv__path_is_bound_once(first->path)) ||
            obv__source_of(obv__thread_self());
        if (OBV__CHECKS_MISUSE && (making.flags & OBV_TOKEN) && !handle) {
            obv__tell_misuse(making.context, OBV__TOKEN_WITHOUT_HANDLE,
                             first->cls, NULL);
        }
        status =
            add_all(there, there ? NULL : &making, &prepared, handle, error);
    }
    release_prepared(&prepared, asked->count);
    return status;
}

enum obv_status obv__observe_check(const struct obv_compiled_pair *pair,
                                   const struct obv_handler_kind *kind,
                                   void *observer,
                                   const struct obv_observe_options *options,
                                   struct obv_error *error)
{
    const struct asked asked = {
        .compiled = pair, .count = 1, .only_checks = true};
    return observe(&asked, kind, observer, options, NULL, error);
}

enum obv_status obv_observe_pairs(const struct obv_pair *pairs, size_t count,
                                  const struct obv_handler_kind *kind,
                                  void *observer,
                                  const struct obv_observe_options *options,
                                  struct obv_observation **handle,
                                  struct obv_error *error)
{
    const struct asked asked = {.texts = pairs, .count = count};
    return observe(&asked, kind, observer, options, handle, error);
}

enum obv_status
obv_observe_compiled(const struct obv_compiled_pair *pairs, size_t count,
                     const struct obv_handler_kind *kind, void *observer,
                     const struct obv_observe_options *options,
                     struct obv_observation **handle, struct obv_error *error)
{
    const struct asked asked = {.compiled = pairs, .count = count};
    return observe(&asked, kind, observer, options, handle, error);
}

enum obv_status obv_observe(struct obv_object *root, const char *path,
                            const struct obv_handler_kind *kind, void *observer,
                            struct obv_observation **handle,
                            struct obv_error *error)
{
    const struct obv_pair pair = {root, path};
    return path ? obv_observe_pairs(&pair, 1, kind, observer, NULL, handle,
                                    error)
                : obv__fail(error, OBV_E_ARGUMENT, "the path is null");
}

enum obv_status obv_observe_class(struct obv_class *cls, const char *path,
                                  const struct obv_handler_kind *kind,
                                  void *observer,
                                  const struct obv_observe_options *options,
                                  struct obv_observation **handle,
                                  struct obv_error *error)
{
    const struct obv_pair pair = {NULL, path};
    const struct asked asked = {.texts = &pair, .count = 1, .cls = cls};
    return cls && path
               ? observe(&asked, kind, observer, options, handle, error)
               : obv__fail(error, OBV_E_ARGUMENT, "class or path is null");
}

enum obv_status
obv_observe_class_compiled(struct obv_class *cls, const struct obv_path *path,
                           const struct obv_handler_kind *kind, void *observer,
                           const struct obv_observe_options *options,
                           struct obv_observation **handle,
                           struct obv_error *error)
{
    const struct obv_compiled_pair pair = {NULL, path};
    const struct asked asked = {.compiled = &pair, .count = 1, .cls = cls};
    return cls && path
               ? observe(&asked, kind, observer, options, handle, error)
               : obv__fail(error, OBV_E_ARGUMENT, "class or path is null");
}

enum obv_status obv_observe_also(struct obv_observation *handle,
                                 const struct obv_pair *pairs, size_t count,
                                 struct obv_error *error)
{
    const struct asked asked = {.texts = pairs,
                                .count = count,
                                .there = (struct obv__watcher *)(void *)handle};
    return handle ? observe(&asked, NULL, NULL, NULL, NULL, error)
                  : obv__fail(error, OBV_E_ARGUMENT, "the handle is null");
}

enum obv_status obv_observe_compiled_also(struct obv_observation *handle,
                                          const struct obv_compiled_pair *pairs,
                                          size_t count, struct obv_error *error)
{
    const struct asked asked = {.compiled = pairs,
                                .count = count,
                                .there = (struct obv__watcher *)(void *)handle};
    return handle ? observe(&asked, NULL, NULL, NULL, NULL, error)
                  : obv__fail(error, OBV_E_ARGUMENT, "the handle is null");
}
