/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning to observe: the pairs of a request are checked, parsed and
 * registered; the first that is refused takes all before it back. Every
 * instance of a class is asked for as one pair without a root;
 * class_subscription.c makes the observations of the instances.
 */
#include "computed/evaluation.h"
#include "computed/settling.h"
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "dispatch/change_records.h"
#include "model/misuse.h"
#include "model/class.h"
#include "model/container.h"
#include "model/nearest.h"
#include "model/node.h"
#include "observe/class_subscription.h"
#include "observe/declared.h"
#include "observe/observation.h"
#include "path/path.h"
#include "wiring/matcher.h"
#include "model/path_node.h"
#include "computed/place.h"

#include <observable/component.h>

/* One pair of a request. */
struct pair {
    struct obv_object *root;
    const struct obv_class *cls; /* of its root, or all of whose instances */
    struct obv_path *path;       /* a reference; or NULL */
    uint32_t slot;   /* of its first element at the root, or OBV__NO_SLOT */
    bool is_nowhere; /* the class has not its first element (KP-12) */
};

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
    bool only_checks; /* nothing is registered */
    bool may_wait;    /* a pair may follow a computed property */
    bool is_checked;  /* what stands there is asked once (KP-20) */
    struct pair pair; /* the one that is at hand */
};

static const struct obv_observe_options defaults = {.size = sizeof defaults};

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

/* `first`: the path of the first pair, or NULL. */
static enum obv_status check_options(const struct obv_observe_options *options,
                                     const struct obv_path *first,
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
        : (flags & OBV_VALUES) &&
                (!first || ((first->kinds >> OBV_ELEMENT_ANY) & 1))
            ? "values are of one path without `*` or `each`: ask for a record"
            : NULL;
    return wrong ? obv__fail(error, OBV_E_OPTIONS, wrong) : OBV_OK;
}

/* Checks the root of the pair at hand: all roots of a request are of one
   context. */
static enum obv_status check_root(struct request *request)
{
    struct obv_context **context = &request->making.context;
    struct pair *pair = &request->pair;
    if (!pair->root) {
        return obv__fail(request->error, OBV_E_ARGUMENT, "a root is null");
    }
    if (obv__object_is_ending(pair->root)) {
        return obv__fail(request->error, OBV_E_ENDED, "a root has ended");
    }
    pair->cls = obv__class_or_null(pair->root);
    if (!pair->cls) {
        return obv__fail(request->error, OBV_E_ARGUMENT,
                         "a root has no class: obv_object_init() gives it one");
    }
    if (*context && pair->cls->context != *context) {
        return obv__fail(request->error, OBV_E_OPTIONS,
                         "roots of two contexts");
    }
    *context = pair->cls->context;
    return OBV_OK;
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

/* AR-2: an element that means one occurrence is refused below an element that
   leads to several. IC-2: a constant container is refused as a root; it is a
   container, so its context has some, and this is called. */
static enum obv_status check_path_elements(struct obv_object *root,
                                           const struct obv_path *path,
                                           struct obv_error *error)
{
    const struct obv_element *elements = path->elements;
    size_t count = path->count;
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
    const struct obv_element *first = pair->path->elements;
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

/* KP-20: an element that its container cannot have is refused if the container
   is there now and reached by names. Below NULL and `*` such an element wires
   nothing. The first element learns what it is on the root; the others learn
   where the path is wired. */
static enum obv_status check_on_root(struct request *request)
{
    struct pair *pair = &request->pair;
    const struct obv_element *elements = pair->path->elements;
    const struct obv_class *cls = pair->cls;
    enum obv_status status = OBV_OK;
    if (!request->is_checked &&
        ((pair->path->kinds & OBV__KINDS_OF_CONTAINER) ||
         obv__load_relaxed(&cls->context->has_containers))) {
        status = check_path_elements(pair->root, pair->path, request->error);
    }
    if (status == OBV_OK && obv__matcher_must_learn(elements, cls)) {
        obv__matcher_learn(elements, pair->root);
    }
    if (status == OBV_OK) {
        pair->slot = obv__slot_on_class(elements, cls);
    }
    return status;
}

/* Takes a path from its text, or as it is; neither: the pair has none. */
static enum obv_status take_path(struct request *request, const char *text,
                                 const struct obv_path *path)
{
    struct obv_context *context = request->making.context;
    struct obv_path **taken = &request->pair.path;
    bool stands_alone = request->count == 1 && !request->there;
    return text   ? obv__path_cache_parse(&context->recent, text, taken,
                                          request->error)
           : path ? obv__path_share(context->names, path, taken, request->error)
           : stands_alone ? OBV_OK
                          : obv__fail(request->error, OBV_E_ARGUMENT,
                                      "a pair without a path stands alone");
}

/* Takes the i-th pair in hand, in place of the one before, and checks it. */
static enum obv_status prepare(struct request *request, size_t i)
{
    struct pair *pair = &request->pair;
    struct obv_object *root;
    const char *text = NULL;
    const struct obv_path *path = NULL;
    if (request->texts) {
        root = request->texts[i].root;
        text = request->texts[i].path;
    } else {
        root = request->compiled[i].root;
        path = request->compiled[i].path;
    }
    obv__path_release(pair->path);
    *pair = (struct pair){
        .root = root, .cls = request->making.cls, .slot = OBV__NO_SLOT};
    enum obv_status status = pair->cls ? OBV_OK : check_root(request);
    if (status == OBV_OK) {
        status = take_path(request, text, path);
    }
    if (status == OBV_OK && pair->path) {
        status = request->making.cls ? check_on_class(pair, request->error)
                                     : check_on_root(request);
    }
    return obv__failed_at(i, status, request->error);
}

/* Registering ------------------------------------------------------------- */

/* Evaluates a computed property of a root before it is observed: its first
   value is no change. In the middle of a path the wiring does so. False: memory
   was short, so changes would not be told. */
OBV__NOINLINE static bool compute_end(struct request *request)
{
    const struct pair *pair = &request->pair;
    if (!pair->path || pair->path->count != 1 || pair->slot > OBV__SLOT_LAST ||
        !obv__slot_is_computed(pair->cls, pair->slot)) {
        return true;
    }
    request->may_wait = true;
    if (!obv__slot_is_valid(pair->root, pair->slot)) {
        obv__bring_path_up_to_date(pair->root, pair->slot, NULL);
    }
    return !obv__computed_is_short(obv__computed_of(pair->root, pair->slot));
}

static enum obv_status fail_one_path(struct obv_error *error)
{
    return obv__fail(error, OBV_E_OPTIONS,
                     "a class-level observation follows one path");
}

/* Whether a group follows the pair at hand already, or this call has registered
   it (KP-16). Old and new values are those of one pair, so a second pair is
   refused with OBV_VALUES. */
static enum obv_status look_for_same(const struct request *request,
                                     struct obv__watcher *observation,
                                     struct obv__watcher *members,
                                     bool *is_there)
{
    const struct pair *pair = &request->pair;
    const struct obv__change_records *records =
        obv__change_records_of(observation);
    const struct obv__watcher *found =
        obv__pair_find(observation, pair->root, pair->path);
    struct obv__watcher *same = members;
    while (same && !obv__pair_is(same, pair->root, pair->path)) {
        same = same->with.next_member;
    }
    *is_there = same || (found && obv__path_end_of(found) < OBV__PATH_ENDS);
    return !*is_there && !found && records && (records->flags & OBV_VALUES) &&
                   (members || obv__pair_next(observation, NULL))
               ? obv__fail(request->error, OBV_E_OPTIONS,
                           "old and new value are of one path")
               : OBV_OK;
}

/* Adds the pair at hand, unless it is there. */
static enum obv_status add_pair(struct request *request,
                                struct obv__watcher *observation,
                                struct obv__work_list *work,
                                struct obv__watcher **members)
{
    const struct obv__making *making = &request->making;
    const struct pair *pair = &request->pair;
    bool is_there = false;
    enum obv_status status = OBV_OK;
    if (OBV__UNLIKELY(obv__load_relaxed(&making->context->checks_paths)) &&
        pair->path) {
        obv__check_declared(pair->cls, pair->path, request->there,
                            making->kind);
    }
    if (!obv__is_solo(observation) && !making->cls && pair->path) {
        status = look_for_same(request, observation, *members, &is_there);
    }
    if (status != OBV_OK || is_there) {
        return status;
    }
    if (making->cls) {
        obv__class_subscription_begin(obv__class_subscription(observation),
                                      making->cls, pair->path, pair->is_nowhere,
                                      making->options);
    } else {
        request->may_wait |= pair->path && pair->path->count > 1;
        status = obv__class_has_computed(pair->cls) && !compute_end(request)
                     ? OBV_E_MEMORY
                     : obv__pair_register(observation, pair->root, pair->path,
                                          pair->slot, work, members);
    }
    return obv__fail_as(request->error, status);
}

/* Adds all pairs or none; the first is in hand. A new observation that does not
   get its pairs is abandoned, and its kind is the caller's again: no thread has
   read that, nor will. */
static enum obv_status add_pairs(struct request *request,
                                 struct obv__watcher *observation,
                                 struct obv__work_list *work,
                                 struct obv__watcher **members)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < request->count; i++) {
        status = i == 0 ? OBV_OK : prepare(request, i);
        if (status == OBV_OK) {
            status =
                obv__failed_at(i, add_pair(request, observation, work, members),
                               request->error);
        }
    }
    if (status != OBV_OK) {
        obv__pairs_take_back(observation, members);
    }
    if (status != OBV_OK && !request->there) {
        obv__observation_abandon(request->making.context, observation);
    }
    return status;
}

/* Reports a path that leads nowhere (KP-12). Not inline, so that the text takes
   no stack of the calls that observe. */
OBV__NOINLINE static void report_leads_nowhere(struct obv__watcher *observation,
                                               const struct obv_class *cls,
                                               const struct obv_path *path)
{
    struct obv_context *context = cls->context;
    struct obv__printed printed;
    char text[OBV__REPORT_SIZE];
    obv__write_lack(text, "the root's class has no such observable property",
                    cls, path->elements);
    obv__diagnose_of(
        obv__thread_self(), context, observation,
        (struct obv_diagnostic){
            .kind = OBV_DIAGNOSTIC_UNRESOLVED,
            .text = text,
            .path = obv__path_print_now(&context->allocator, path, &printed)});
    obv__context_free(context, printed.block, printed.size);
}

/* Gives a group its pairs: from now on it can be called. A new group that has
   ended meanwhile is no failure: it was made, and then stopped. */
static enum obv_status keep_all(const struct request *request,
                                struct obv__watcher *observation,
                                struct obv__watcher **members)
{
    struct obv_context *context = request->making.context;
    struct obv__watcher *first = *members;
    size_t count = 0;
    for (const struct obv__watcher *at = first; at; at = at->with.next_member) {
        count++;
    }
    if (!obv__pairs_keep(context, observation, members) && request->there) {
        return obv__fail(request->error, OBV_E_ENDED,
                         "the observation has ended");
    }
    if (!request->there) {
        obv__observation_finish_creation(context, observation);
    }
    /* Once all is registered: a call that fails reports no path. */
    const struct obv_path *path = obv__unresolved_of(observation);
    if (request->making.cls && path) {
        report_leads_nowhere(observation, request->making.cls, path);
    }
    for (; first && count != 0; count--) {
        const struct obv_object *root = obv__root(first);
        path = obv__unresolved_of(first);
        if (root && path) {
            report_leads_nowhere(observation, obv__class_of(root), path);
        }
        first = obv__pair_next(observation, first);
    }
    return OBV_OK;
}

/* Makes the observation of a request, without pairs; reports a token without a
   handle, which may be a mistake. */
static enum obv_status make(struct request *request,
                            const struct obv__thread *self,
                            struct obv__watcher **observation)
{
    struct obv__making *making = &request->making;
    const struct pair *first = &request->pair;
    making->root = first->root;
    /* One pair is its own watcher, if it leads somewhere. */
    making->group = first->slot == OBV__NO_SLOT ||
                    (making->flags & (OBV_EXTENSIBLE | OBV_ONCE)) ||
                    obv__path_is_bound_once(first->path) ||
                    obv__source_of(self) || making->kind->root_did_deallocate ||
                    obv__change_records_are_needed(making->options);
    if (OBV__CHECKS_MISUSE && (making->flags & OBV_TOKEN) && !request->handle) {
        obv__tell_misuse(making->context, OBV__TOKEN_WITHOUT_HANDLE, first->cls,
                         NULL);
    }
    enum obv_status status = obv__observation_create(making, observation);
    return obv__fail_as(request->error, status);
}

/* Registers the pairs, all of them or none. */
OBV__INLINE enum obv_status add_all(struct request *request)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_context *context = request->making.context;
    uint64_t since = obv__registration_epoch();
    struct obv__watcher *members = NULL, *observation = request->there;
    struct obv__work_list work;
    obv__epoch_enter(self);
    obv__work_list_init(&work, self, context);
    enum obv_status status =
        observation ? OBV_OK : make(request, self, &observation);
    if (status == OBV_OK) {
        status = add_pairs(request, observation, &work, &members);
    }
    if (status == OBV_OK) {
        if (request->handle) {
            *request->handle = (struct obv_observation *)(void *)observation;
        }
        if (!obv__is_solo(observation)) {
            status = keep_all(request, observation, &members);
        }
    }
    if (obv__work_list_is_empty(&work)) {
        /* Objects that are observed now hear of it before a handler runs. */
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
    if (pair && obv__is_immediate(observation)) {
        obv__call_immediate(self, context, pair, NULL, NULL);
    } else if (pair) {
        obv__schedule_by_hand(self, pair);
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
        status = check_options(options, request->pair.path, request->error);
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
    return check_contexts(request);
}

/* Checks a request and takes its first pair in hand, to be let go of after an
   error too. All pairs are checked before one is registered (FA-2). Of several,
   each is taken in hand twice, so that none needs to be kept. */
static enum obv_status check_request(struct request *request)
{
    if ((!request->texts && !request->compiled) || request->count == 0) {
        return obv__fail(request->error, OBV_E_ARGUMENT, "no pair is given");
    }
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < request->count; i++) {
        status = prepare(request, i);
    }
    request->is_checked = true;
    if (status == OBV_OK && request->count > 1) {
        status = prepare(request, 0);
    }
    return status != OBV_OK ? status
           : request->there ? check_grows(request)
                            : check_making(request);
}

/* The one way to observe, also for pairs that come to an observation. */
static enum obv_status observe(struct request *request)
{
    enum obv_status status = check_request(request);
    if (status == OBV_OK && !request->only_checks) {
        status = add_all(request);
    }
    obv__path_release(request->pair.path);
    return status;
}

/* Begins a request to make an observation, without its pairs. Fields that are
   decided on the way are not cleared here. */
static void begin_request(struct request *request,
                          const struct obv_handler_kind *kind, void *observer,
                          const struct obv_observe_options *options,
                          struct obv_observation **handle,
                          struct obv_error *error)
{
    struct obv__making *making = &request->making;
    making->context = NULL;
    making->cls = NULL;
    making->subscription = NULL;
    making->kind = kind;
    making->observer = observer;
    making->options = options ? options : &defaults;
    making->handle = handle != NULL;
    request->texts = NULL;
    request->compiled = NULL;
    request->there = NULL;
    request->handle = handle;
    request->error = error;
    request->only_checks = request->is_checked = request->may_wait = false;
    request->pair.path = NULL;
}

enum obv_status obv__observe_check(const struct obv_compiled_pair *pair,
                                   const struct obv_handler_kind *kind,
                                   void *observer,
                                   const struct obv_observe_options *options,
                                   struct obv_error *error)
{
    struct request request;
    begin_request(&request, kind, observer, options, NULL, error);
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
    struct request request;
    begin_request(&request, kind, observer, options, handle, error);
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
    struct request request;
    begin_request(&request, kind, observer, options, handle, error);
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

/* Observes every instance of a class, by the one path of the request. */
static enum obv_status observe_class(struct obv_class *cls, bool has_path,
                                     struct request *request)
{
    if (!cls || !has_path) {
        return obv__fail(request->error, OBV_E_ARGUMENT,
                         "class or path is null");
    }
    request->making.cls = cls;
    request->making.context = cls->context;
    request->count = 1;
    return observe(request);
}

enum obv_status obv_observe_class(struct obv_class *cls, const char *path,
                                  const struct obv_handler_kind *kind,
                                  void *observer,
                                  const struct obv_observe_options *options,
                                  struct obv_observation **handle,
                                  struct obv_error *error)
{
    const struct obv_pair pair = {NULL, path};
    struct request request;
    begin_request(&request, kind, observer, options, handle, error);
    request.texts = &pair;
    return observe_class(cls, path != NULL, &request);
}

enum obv_status
obv_observe_class_compiled(struct obv_class *cls, const struct obv_path *path,
                           const struct obv_handler_kind *kind, void *observer,
                           const struct obv_observe_options *options,
                           struct obv_observation **handle,
                           struct obv_error *error)
{
    const struct obv_compiled_pair pair = {NULL, path};
    struct request request;
    begin_request(&request, kind, observer, options, handle, error);
    request.compiled = &pair;
    return observe_class(cls, path != NULL, &request);
}

/* Adds the pairs of a request to an observation. */
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
