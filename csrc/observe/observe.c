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

/* One pair of a request, once it is prepared: with a reference of its path, if it
   has one. */
struct pair {
    struct obv_object *root;
    const struct obv_class *cls; /* of its root, or all of whose instances */
    struct obv_path *path;
    uint32_t slot; /* of its first element at the root, or OBV__NO_SLOT */
    bool is_of_container; /* an element is of a kind that models lack */
    bool is_computed;     /* it ends at a computed property of the root */
    bool is_nowhere;      /* the class has not its first element (KP-12) */
    bool is_added;        /* to the observation, by this call */
};

enum { PAIRS_NEAR = 4 };

/* All that is asked, and what becomes of it. */
struct request {
    const struct obv_pair *texts;
    const struct obv_compiled_pair *compiled; /* if `texts` is NULL */
    size_t count;
    struct obv__watcher *there; /* gets the pairs; NULL: one is to be made */
    /* Its kind, observer and options are asked for; so is its class, all of
       whose instances are observed by one path. */
    struct obv__making making;
    struct obv_observation **handle;
    struct obv_error *error;
    bool only_checks;
    bool may_wait;      /* a pair may follow a computed property */
    struct pair *pairs; /* in their order */
    size_t prepared;    /* how many of them are */
};

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
            ? "OBV_ONCE drops what OBV_DEFER keeps"
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

/* Of a root that is good the context is that of all. */
static enum obv_status check_root(struct request *request,
                                  const struct obv_object *root)
{
    struct obv_context **context = &request->making.context;
    if (!root) {
        return obv__fail(request->error, OBV_E_ARGUMENT, "a root is null");
    }
    if (obv__object_is_ending(root)) {
        return obv__fail(request->error, OBV_E_ENDED, "a root has ended");
    }
    const struct obv_class *cls = obv__class_or_null(root);
    if (!cls) {
        return obv__fail(request->error, OBV_E_ARGUMENT,
                         "a root has no class: obv_object_init() gives it one");
    }
    if (*context && cls->context != *context) {
        return obv__fail(request->error, OBV_E_OPTIONS,
                         "roots of two contexts");
    }
    *context = cls->context;
    return OBV_OK;
}

static struct obv_object *root_at(const struct request *request, size_t i)
{
    return request->texts ? request->texts[i].root : request->compiled[i].root;
}

static bool has_path_at(const struct request *request, size_t i)
{
    return request->texts ? request->texts[i].path != NULL
                          : request->compiled[i].path != NULL;
}

/* Checks the pairs, before their paths are looked at. */
static enum obv_status check_pairs(struct request *request)
{
    struct obv_error *error = request->error;
    bool needs_paths = request->there || request->count != 1;
    enum obv_status status = OBV_OK;
    if ((!request->texts && !request->compiled) || request->count == 0) {
        return obv__fail(error, OBV_E_ARGUMENT, "no pair is given");
    }
    if (request->making.cls) {
        request->making.context = request->making.cls->context;
        return OBV_OK;
    }
    for (size_t i = 0; status == OBV_OK && i < request->count; i++) {
        status = needs_paths && !has_path_at(request, i)
                     ? obv__fail(error, OBV_E_ARGUMENT,
                                 "a pair without a path stands alone")
                     : check_root(request, root_at(request, i));
        (void)obv__failed_at(i, status, error);
    }
    return status;
}

/* Checks that loop and observer are of the context, and that the loop lives. */
static enum obv_status check_contexts(const struct request *request)
{
    const struct obv__making *making = &request->making;
    bool has_ended = obv__loop_has_ended(making->loop);
    const char *wrong =
        making->loop->context != making->context
            ? "the loop is of another context than the root"
        : !has_ended && (making->kind->flags & OBV_OBSERVER_IS_OBJECT) &&
                obv__class_of(making->observer)->context != making->context
            ? "the observer is of another context than the root"
            : NULL;
    return wrong ? obv__fail(request->error, OBV_E_OPTIONS, wrong)
           : has_ended
               ? obv__fail(request->error, OBV_E_ENDED, "the loop has ended")
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
static enum obv_status check_on_class(struct pair *pair,
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
static enum obv_status check_on_root(struct request *request, struct pair *pair)
{
    const struct obv_element *elements = obv_path_elements(pair->path);
    size_t count = obv_path_count(pair->path);
    const struct obv_class *cls = pair->cls;
    enum obv_status status = OBV_OK;
    for (size_t i = 0; i < count; i++) {
        pair->is_of_container = pair->is_of_container ||
                                obv__element_is_of_container(elements[i].kind);
    }
    if (pair->is_of_container ||
        obv__load_relaxed(&cls->context->has_containers)) {
        status = check_path_elements(pair->root, pair->path, request->error);
    }
    if (status == OBV_OK && obv__matcher_must_learn(elements, cls)) {
        obv__matcher_learn(elements, pair->root);
    }
    if (status == OBV_OK) {
        pair->slot = obv__slot_on_class(elements, cls);
        pair->is_computed = count == 1 && obv__class_has_computed(cls) &&
                            pair->slot <= OBV__SLOT_LAST &&
                            obv__slot_is_computed(cls, pair->slot);
        pair->is_nowhere = pair->slot == OBV__NO_SLOT;
        request->may_wait |= pair->is_computed || count > 1;
    }
    return status;
}

/* Checks the i-th pair, whose path it has then, if it asks for one; after an error
   too. */
static enum obv_status prepare(struct request *request, size_t i)
{
    struct obv_context *context = request->making.context;
    const struct obv_class *cls = request->making.cls;
    struct pair *pair = &request->pairs[i];
    enum obv_status status = OBV_OK;
    *pair = (struct pair){.root = root_at(request, i), .slot = OBV__NO_SLOT};
    pair->cls = cls ? cls : obv__class_of(pair->root);
    if (!has_path_at(request, i)) {
        return OBV_OK;
    }
    status =
        request->texts
            ? obv__path_cache_parse(&context->recent, request->texts[i].path,
                                    &pair->path, request->error)
            : obv__path_share(context->names, request->compiled[i].path,
                              &pair->path, request->error);
    return status != OBV_OK ? status
           : cls            ? check_on_class(pair, request->error)
                            : check_on_root(request, pair);
}

/* Prepares every pair, before any is registered and may be called. `near` has room
   for PAIRS_NEAR. After an error too they are to be released. */
static enum obv_status prepare_all(struct request *request, struct pair *near)
{
    enum obv_status status = OBV_OK;
    request->pairs =
        request->count <= PAIRS_NEAR
            ? near
            : obv__context_allocate(request->making.context,
                                    request->count * sizeof *request->pairs);
    if (!request->pairs) {
        return fail_plain(request->error, OBV_E_MEMORY);
    }
    while (status == OBV_OK && request->prepared < request->count) {
        size_t i = request->prepared++;
        status = obv__failed_at(i, prepare(request, i), request->error);
    }
    return status == OBV_OK && (request->making.flags & OBV_VALUES)
               ? check_values(request->pairs[0].path, request->error)
               : status;
}

static void release_pairs(struct request *request, const struct pair *near)
{
    for (size_t i = 0; i < request->prepared; i++) {
        obv_path_destroy(request->pairs[i].path);
    }
    if (request->pairs != near) {
        obv__context_free(request->making.context, request->pairs,
                          request->count * sizeof *request->pairs);
    }
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
                                struct pair *pair, struct obv__work_list *work,
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

/* Tells of what can lead nowhere by the declared types, if that is asked. Before
   anything is registered: what can be refused has been. */
static void check_all_declared(const struct request *request)
{
    for (size_t i = 0; i < request->prepared; i++) {
        const struct pair *pair = &request->pairs[i];
        if (pair->path) {
            obv__check_declared(pair->cls, pair->path, request->there,
                                request->making.kind);
        }
    }
}

/* Makes an observation that is asked for, and what it needs beside its pairs. */
static enum obv_status make(const struct request *request,
                            struct obv__watcher **observation)
{
    const struct obv__making *making = &request->making;
    struct pair *first = &request->pairs[0];
    enum obv_status status = obv__observation_create(making, observation);
    if (status != OBV_OK) {
        return fail_plain(request->error, status);
    }
    if (making->cls) {
        first->is_added = true;
        obv__class_subscription_begin(obv__class_subscription(*observation),
                                      making->cls, first->path,
                                      first->is_nowhere, making->options);
    }
    return OBV_OK;
}

/* Every pair, or none. One that is made and not given its pairs was never made,
   and its kind is the caller's again: nobody has read that, nor will. */
static enum obv_status add_pairs(const struct request *request,
                                 struct obv__watcher *observation,
                                 struct obv__work_list *work,
                                 struct obv__watcher **members)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < request->prepared; i++) {
        status = obv__failed_at(i,
                                add_pair(observation, &request->pairs[i], work,
                                         members, request->error),
                                request->error);
    }
    if (status != OBV_OK) {
        obv__pairs_take_back(observation, members);
    }
    if (status != OBV_OK && !request->there) {
        obv__observation_abandon(request->making.context, observation);
    }
    return status;
}

/* Gives a group its pairs: from now on it can be called. One that has ended as it
   was made was made, and stopped. */
static enum obv_status keep_all(const struct request *request,
                                struct obv__watcher *observation,
                                struct obv__watcher **members)
{
    struct obv_context *context = request->making.context;
    if (!obv__pairs_keep(context, observation, members) && request->there) {
        return obv__fail(request->error, OBV_E_ENDED,
                         "the observation has ended");
    }
    if (!request->there) {
        obv__observation_finish_creation(context, observation);
    }
    for (size_t i = 0; i < request->prepared; i++) {
        const struct pair *pair = &request->pairs[i];
        if (pair->is_nowhere && pair->is_added) {
            obv__unresolved_report(observation, pair->cls, pair->path);
        }
    }
    return OBV_OK;
}

/* Registers the pairs, all of them or none. */
static enum obv_status add_all(const struct request *request)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_context *context = request->making.context;
    uint64_t since = obv__registration_epoch();
    struct obv__watcher *members = NULL, *observation = request->there;
    struct obv__work_list work;
    obv__epoch_enter(self);
    obv__work_list_init(&work, self, context);
    enum obv_status status = observation ? OBV_OK : make(request, &observation);
    if (status == OBV_OK && !request->making.cls) {
        status = add_pairs(request, observation, &work, &members);
    }
    if (status == OBV_OK && request->handle) {
        *request->handle = (struct obv_observation *)(void *)observation;
    }
    if (status == OBV_OK && !obv__is_solo(observation)) {
        status = keep_all(request, observation, &members);
    }
    if (obv__work_list_is_empty(&work)) {
        /* Who is observed now hears of it before a handler runs. */
        obv__epoch_pay(self);
    } else {
        obv__work_list_deliver(&work);
    }
    if (status == OBV_OK && request->may_wait) {
        /* The properties it follows are kept valid from here on (LL-5). */
        obv__settle_added(self, observation, since);
    }
    struct obv__watcher *pair =
        status == OBV_OK && (request->making.flags & OBV_INITIAL)
            ? obv__pair_living(observation)
            : NULL;
    if (pair) {
        obv__tell_by_hand(self, context, pair);
    }
    obv__epoch_leave(self);
    return status;
}

/* Whether pairs may be added to what is there. */
static enum obv_status check_grows(const struct request *request)
{
    const struct obv__group *group = obv__group_or_null(request->there);
    if (obv__is_class_subscription(request->there)) {
        return fail_one_path(request->error);
    }
    if (!group || !group->is_extensible) {
        return obv__fail(request->error, OBV_E_OPTIONS,
                         "the observation was made without OBV_EXTENSIBLE");
    }
    return obv__has_state(request->there, OBV__LINKED)
               ? OBV_OK
               : obv__fail(request->error, OBV_E_ENDED,
                           "the observation has ended");
}

/* Checks the parts that an observation is to be made of. */
static enum obv_status check_making(struct request *request)
{
    struct obv__making *making = &request->making;
    const struct obv_observe_options *options = making->options;
    enum obv_status status =
        check_kind(making->kind, making->observer, request->error);
    if (status == OBV_OK) {
        status = check_options(options, request->error);
    }
    if (status != OBV_OK) {
        return status;
    }
    if (making->cls && (options->flags & OBV_EXTENSIBLE)) {
        return fail_one_path(request->error);
    }
    making->loop = options->loop ? options->loop : making->context->loop;
    making->flags =
        options->flags | (request->count != 1 ? (uint32_t)OBV_EXTENSIBLE : 0u);
    making->handle = request->handle != NULL;
    return check_contexts(request);
}

/* Decides what is made, and tells of what may be a mistake. */
static void decide_form(struct request *request)
{
    struct obv__making *making = &request->making;
    const struct pair *first = &request->pairs[0];
    if (OBV__UNLIKELY(obv__load_relaxed(&making->context->checks_paths))) {
        check_all_declared(request);
    }
    /* One pair is its own watcher, if it leads somewhere. */
    making->group =
        first->slot == OBV__NO_SLOT ||
        (making->flags & (OBV_EXTENSIBLE | OBV_ONCE)) ||
        (first->is_of_container && obv__path_is_bound_once(first->path)) ||
        obv__source_of(obv__thread_self());
    if (OBV__CHECKS_MISUSE && (making->flags & OBV_TOKEN) && !request->handle) {
        obv__tell_misuse(making->context, OBV__TOKEN_WITHOUT_HANDLE, first->cls,
                         NULL);
    }
}

/* The one way to observe, also for pairs that come to an observation. Everything
   that can be refused but for want of memory is refused before anything is
   registered. */
static enum obv_status observe(struct request *request)
{
    struct pair near[PAIRS_NEAR];
    request->making.options =
        request->making.options ? request->making.options : &defaults;
    enum obv_status status = check_pairs(request);
    if (status == OBV_OK) {
        status = request->there ? check_grows(request) : check_making(request);
    }
    if (status != OBV_OK) {
        return status;
    }
    status = prepare_all(request, near);
    if (status == OBV_OK && !request->only_checks) {
        decide_form(request);
        status = add_all(request);
    }
    release_pairs(request, near);
    return status;
}

/* A request to make an observation. */
static struct request request_of(const struct obv_handler_kind *kind,
                                 void *observer,
                                 const struct obv_observe_options *options,
                                 struct obv_observation **handle,
                                 struct obv_error *error)
{
    return (struct request){
        .making = {.kind = kind, .observer = observer, .options = options},
        .handle = handle,
        .error = error};
}

enum obv_status obv__observe_check(const struct obv_compiled_pair *pair,
                                   const struct obv_handler_kind *kind,
                                   void *observer,
                                   const struct obv_observe_options *options,
                                   struct obv_error *error)
{
    struct request request = request_of(kind, observer, options, NULL, error);
    request.compiled = pair;
    request.count = 1;
    request.only_checks = true;
    return observe(&request);
}

enum obv_status obv_observe_pairs(const struct obv_pair *pairs, size_t count,
                                  const struct obv_handler_kind *kind,
                                  void *observer,
                                  const struct obv_observe_options *options,
                                  struct obv_observation **handle,
                                  struct obv_error *error)
{
    struct request request = request_of(kind, observer, options, handle, error);
    request.texts = pairs;
    request.count = count;
    return observe(&request);
}

enum obv_status
obv_observe_compiled(const struct obv_compiled_pair *pairs, size_t count,
                     const struct obv_handler_kind *kind, void *observer,
                     const struct obv_observe_options *options,
                     struct obv_observation **handle, struct obv_error *error)
{
    struct request request = request_of(kind, observer, options, handle, error);
    request.compiled = pairs;
    request.count = count;
    return observe(&request);
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

/* Of every instance of a class, by one path. */
static enum obv_status observe_class(struct obv_class *cls,
                                     const struct obv_pair *text,
                                     const struct obv_compiled_pair *compiled,
                                     struct request request)
{
    request.making.cls = cls;
    request.texts = text;
    request.compiled = compiled;
    request.count = 1;
    return cls && has_path_at(&request, 0)
               ? observe(&request)
               : obv__fail(request.error, OBV_E_ARGUMENT,
                           "class or path is null");
}

enum obv_status obv_observe_class(struct obv_class *cls, const char *path,
                                  const struct obv_handler_kind *kind,
                                  void *observer,
                                  const struct obv_observe_options *options,
                                  struct obv_observation **handle,
                                  struct obv_error *error)
{
    const struct obv_pair pair = {NULL, path};
    return observe_class(cls, &pair, NULL,
                         request_of(kind, observer, options, handle, error));
}

enum obv_status
obv_observe_class_compiled(struct obv_class *cls, const struct obv_path *path,
                           const struct obv_handler_kind *kind, void *observer,
                           const struct obv_observe_options *options,
                           struct obv_observation **handle,
                           struct obv_error *error)
{
    const struct obv_compiled_pair pair = {NULL, path};
    return observe_class(cls, NULL, &pair,
                         request_of(kind, observer, options, handle, error));
}

/* Pairs come to an observation. */
static enum obv_status observe_also(struct obv_observation *handle,
                                    struct request request)
{
    request.there = (struct obv__watcher *)(void *)handle;
    if (!handle) {
        return obv__fail(request.error, OBV_E_ARGUMENT, "the handle is null");
    }
    request.making.context = obv__observation_context(request.there);
    return observe(&request);
}

enum obv_status obv_observe_also(struct obv_observation *handle,
                                 const struct obv_pair *pairs, size_t count,
                                 struct obv_error *error)
{
    return observe_also(
        handle,
        (struct request){.texts = pairs, .count = count, .error = error});
}

enum obv_status obv_observe_compiled_also(struct obv_observation *handle,
                                          const struct obv_compiled_pair *pairs,
                                          size_t count, struct obv_error *error)
{
    return observe_also(
        handle,
        (struct request){.compiled = pairs, .count = count, .error = error});
}
