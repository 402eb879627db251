/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning to observe: what is asked is checked and parsed, then registered,
 * all of it or nothing.
 */
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "dispatch/notes.h"
#include "model/class.h"
#include "model/node.h"
#include "observe/declared.h"
#include "observe/observation.h"
#include "observe/observing.h"
#include "wiring/matcher.h"
#include "wiring/way.h"

#include <observable/component.h>

#include <string.h>

/* What is asked for: pairs by text, or compiled. */
struct asked {
    const struct obv_pair *texts;
    const struct obv_compiled_pair *compiled; /* if `texts` is NULL */
    size_t count;
};

/* One of them: `text` or `path`, or neither. */
struct asked_pair {
    struct obv_object *root;
    const char *text;
    const struct obv_path *path;
};

static struct asked_pair asked_at(const struct asked *asked, size_t i)
{
    if (asked->texts) {
        return (struct asked_pair){asked->texts[i].root, asked->texts[i].path,
                                   NULL};
    }
    return (struct asked_pair){asked->compiled[i].root, NULL,
                               asked->compiled[i].path};
}

static bool is_empty(const struct asked *asked)
{
    return (!asked->texts && !asked->compiled) || asked->count == 0;
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
    if (!kind || !kind->changed) {
        return obv__fail(error, OBV_E_ARGUMENT, "the handler kind is null");
    }
    if ((kind->retain == NULL) != (kind->release == NULL)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "retain and release come together");
    }
    if (kind->gone && !kind->retain) {
        return obv__fail(error, OBV_E_ARGUMENT, "gone comes with retain");
    }
    if (kind->flags &
        ~(uint32_t)(OBV_OBSERVER_IS_OBJECT | OBV_KIND_IS_OF_CALL)) {
        return obv__fail(error, OBV_E_ARGUMENT, "unknown flags of a kind");
    }
    if ((kind->flags & OBV_OBSERVER_IS_OBJECT) && !observer) {
        return obv__fail(error, OBV_E_ARGUMENT, "the observer is null");
    }
    if ((kind->flags & OBV_OBSERVER_IS_OBJECT) &&
        obv__object_is_ending(observer)) {
        return obv__fail(error, OBV_E_ENDED, "the observer has ended");
    }
    if ((kind->flags & OBV_OBSERVER_IS_OBJECT) &&
        !obv__class_or_null(observer)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "the observer has no class: obv_object_init() gives "
                         "it one");
    }
    return OBV_OK;
}

static enum obv_status check_options(const struct obv_observe_options *options,
                                     struct obv_error *error)
{
    const uint32_t known = OBV_IMMEDIATE | OBV_DEFER | OBV_TOKEN |
                           OBV_EXTENSIBLE | OBV_INITIAL | OBV_ANY_ELEMENT |
                           OBV_NET | OBV_VALUES | OBV_PRIOR | OBV_RECORDS |
                           OBV_ONCE;
    if (options->size != sizeof *options) {
        return obv__fail(error, OBV_E_ARGUMENT, "the options have no size");
    }
    if (options->flags & ~known) {
        return obv__fail(error, OBV_E_OPTIONS, "unknown flags");
    }
    if ((unsigned)options->compare > OBV_COMPARE_ALWAYS_DIFFERENT) {
        return obv__fail(error, OBV_E_OPTIONS, "unknown comparison");
    }
    if (options->equal && options->compare != OBV_COMPARE_DECLARED) {
        return obv__fail(error, OBV_E_OPTIONS, "two comparisons are given");
    }
    if ((options->flags & OBV_ONCE) && (options->flags & OBV_DEFER)) {
        return obv__fail(error, OBV_E_OPTIONS, "once drops what defer keeps");
    }
    if ((options->flags & OBV_PRIOR) && !(options->flags & OBV_IMMEDIATE)) {
        return obv__fail(error, OBV_E_OPTIONS,
                         "only an immediate observation is called before the "
                         "store");
    }
    return OBV_OK;
}

enum obv_status obv__check_manner(const struct obv_handler_kind *kind,
                                  const void *observer,
                                  const struct obv_observe_options *options,
                                  struct obv_error *error)
{
    enum obv_status status = check_kind(kind, observer, error);
    return status == OBV_OK ? check_options(options, error) : status;
}

enum obv_status obv__check_values(const struct obv_path *only,
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

/* A root and its place among the pairs. */
static enum obv_status check_root(const struct asked_pair *pair,
                                  const struct obv_context *context,
                                  struct obv_error *error)
{
    if (!pair->root) {
        return obv__fail(error, OBV_E_ARGUMENT, "a root is null");
    }
    if (obv__object_is_ending(pair->root)) {
        return obv__fail(error, OBV_E_ENDED, "a root has ended");
    }
    const struct obv_class *cls = obv__class_or_null(pair->root);
    if (!cls) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "a root has no class: obv_object_init() gives it one");
    }
    if (context && cls->context != context) {
        return obv__fail(error, OBV_E_OPTIONS, "roots of two contexts");
    }
    return OBV_OK;
}

enum obv_status obv__check_contexts(const struct obv__making *making,
                                    struct obv_error *error)
{
    if (making->loop->context != making->context) {
        return obv__fail(error, OBV_E_OPTIONS,
                         "the loop is of another context than the root");
    }
    if (obv__loop_has_ended(making->loop)) {
        return obv__fail(error, OBV_E_ENDED, "the loop has ended");
    }
    if ((making->kind->flags & OBV_OBSERVER_IS_OBJECT) &&
        obv__class_of(making->observer)->context != making->context) {
        return obv__fail(error, OBV_E_OPTIONS,
                         "the observer is of another context than the root");
    }
    return OBV_OK;
}

enum obv_status obv__parse_asked(struct obv_context *context, const char *text,
                                 const struct obv_path *compiled,
                                 struct obv_path **path,
                                 struct obv_error *error)
{
    return compiled ? obv_path_make(context->names, obv_path_elements(compiled),
                                    obv_path_count(compiled), path, error)
                    : obv_path_parse(context->names, text, strlen(text), path,
                                     error);
}

static enum obv_status parse(struct obv_context *context,
                             const struct asked_pair *pair,
                             struct obv_path **path, struct obv_error *error)
{
    return obv__parse_asked(context, pair->text, pair->path, path, error);
}

/* Whether some object may lack an element's very kind: none of models lacks a
   name. */
static bool may_misfit(const struct obv_path *path,
                       const struct obv_context *context)
{
    bool may = obv__load_relaxed(&context->containers) != NULL;
    for (size_t i = 0; !may && i < obv_path_count(path); i++) {
        may = obv_path_elements(path)[i].kind >= OBV_ELEMENT_POSITION &&
              obv_path_elements(path)[i].kind <= OBV_ELEMENT_MEMBER;
    }
    return may;
}

/* KP-20: an element that nothing here can have is refused where the container
   is there, reached by names. Below NULL and `*` it wires nothing. */
static enum obv_status check_fits(const struct asked_pair *pair,
                                  const struct obv_path *path,
                                  struct obv_error *error)
{
    const struct obv_class *misfit =
        may_misfit(path, obv__class_of(pair->root)->context)
            ? obv__misfit(pair->root, obv_path_elements(path),
                          obv_path_count(path))
            : NULL;
    return misfit ? obv__fail_misfit(misfit, error) : OBV_OK;
}

static bool has_path(const struct asked_pair *pair)
{
    return pair->text || pair->path;
}

/* Checks a pair and parses its path, if it has one. The first element learns
   what it is on the root; the others learn where the path is wired. */
static enum obv_status prepare(const struct asked_pair *pair,
                               struct obv_context *context,
                               struct obv_path **path, struct obv_error *error)
{
    enum obv_status status = check_root(pair, context, error);
    if (status != OBV_OK || !has_path(pair)) {
        return status;
    }
    status = parse(context, pair, path, error);
    if (status == OBV_OK) {
        status = check_fits(pair, *path, error);
        if (status != OBV_OK) {
            obv_path_destroy(*path);
            *path = NULL;
        }
    }
    if (status == OBV_OK) {
        const struct obv_element *first = obv_path_elements(*path);
        if (obv__matcher_must_learn(first, obv__class_of(pair->root))) {
            obv__matcher_learn(first, pair->root);
        }
    }
    return status;
}

/* Registering ------------------------------------------------------------- */

/* Whether this is the pair. */
static bool is_pair(const struct obv__watcher *pair,
                    const struct obv_object *root, const struct obv_path *path)
{
    return obv__root(pair) == root && obv__pair_follows(pair, path);
}

/* Whether the observation has this pair already, or this call has registered it
   (KP-16). */
static bool has_pair(struct obv__watcher *observation,
                     const struct obv__pairs *pairs,
                     const struct obv_object *root, const struct obv_path *path)
{
    bool found = false;
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    for (; pair && !found; pair = obv__pair_next(observation, pair)) {
        found = is_pair(pair, root, path);
    }
    for (pair = pairs->first; pair && !found; pair = pair->with.next_member) {
        found = is_pair(pair, root, path);
    }
    return found;
}

/* A call that fails has told nobody anything. */
void obv__report_unresolved(struct obv_context *context,
                            struct obv__watcher *observation)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__group *group = obv__group_or_null(observation);
    char near[OBV__NEAR_TEXT], *text;
    size_t size;
    while (group && (text = obv__unreported_take(group, near, &size)) != NULL) {
        obv__diagnose_of(
            self, context, observation,
            (struct obv_diagnostic){
                .kind = OBV_DIAGNOSTIC_UNRESOLVED,
                .text = "the root's class has no such observable property",
                .path = text});
        if (text != near) {
            obv__context_free(context, text, size);
        }
    }
}

/* Adds a pair that is prepared. */
static enum obv_status add_pair(struct obv__watcher *observation,
                                const struct asked_pair *pair,
                                const struct obv_path *path,
                                struct obv__due *due, struct obv__pairs *pairs,
                                struct obv_error *error)
{
    bool is_new = !path || obv__what(observation) == OBV__SOLO ||
                  !has_pair(observation, pairs, pair->root, path);
    if (!is_new) {
        return OBV_OK;
    }
    enum obv_status status = obv__pair_register(observation, pair->root, path,
                                                pair->text, due, pairs);
    return status == OBV_OK ? OBV_OK : fail_plain(error, status);
}

/* Notes which pair has failed. */
static enum obv_status failed_at(size_t index, enum obv_status status,
                                 struct obv_error *error)
{
    if (status != OBV_OK && error) {
        error->index = index;
    }
    return status;
}

/* Of several: what is wrong with one is known before another is registered, and
   may be called, where the observation is one already. */
static enum obv_status check_each(const struct asked *asked,
                                  struct obv_context *context,
                                  struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; asked->count > 1 && i < asked->count; i++) {
        const struct asked_pair pair = asked_at(asked, i);
        struct obv_path *path = NULL;
        status = failed_at(i, prepare(&pair, context, &path, error), error);
        if (status != OBV_OK) {
            break;
        }
        obv_path_destroy(path);
    }
    return status;
}

static enum obv_status fail_values(struct obv_error *error)
{
    return obv__fail(error, OBV_E_OPTIONS, "old and new value are of one path");
}

/* Old and new value are of one pair; the same again is no second one (KP-16). Of
   several: whether each is the first. */
static enum obv_status check_same(const struct asked *asked,
                                  struct obv_context *context,
                                  struct obv_error *error)
{
    const struct asked_pair first = asked_at(asked, 0);
    struct obv_path *only = NULL;
    enum obv_status status = prepare(&first, context, &only, error);
    if (status == OBV_OK) {
        status = obv__check_values(only, error);
    }
    for (size_t i = 1; status == OBV_OK && i < asked->count; i++) {
        const struct asked_pair pair = asked_at(asked, i);
        struct obv_path *path = NULL;
        status = prepare(&pair, context, &path, error);
        if (status == OBV_OK &&
            !(path && pair.root == first.root && obv__same_paths(only, path))) {
            status = failed_at(i, fail_values(error), error);
        }
        obv_path_destroy(path);
    }
    obv_path_destroy(only);
    return status;
}

/* Pairs that are added to an observation with values: whether it has each. */
static enum obv_status check_had(struct obv__watcher *observation,
                                 const struct asked *asked,
                                 struct obv_context *context,
                                 struct obv_error *error)
{
    const struct obv__pairs none = {0};
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < asked->count; i++) {
        const struct asked_pair pair = asked_at(asked, i);
        struct obv_path *path = NULL;
        status = prepare(&pair, context, &path, error);
        if (status == OBV_OK &&
            !has_pair(observation, &none, pair.root, path)) {
            status = fail_values(error);
        }
        obv_path_destroy(path);
        status = failed_at(i, status, error);
    }
    return status;
}

/* Every pair, or those before the first that failed. */
static enum obv_status add_pairs(struct obv__watcher *observation,
                                 const struct asked *asked,
                                 struct obv_context *context,
                                 struct obv__due *due, struct obv__pairs *pairs,
                                 struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < asked->count; i++) {
        const struct asked_pair pair = asked_at(asked, i);
        struct obv_path *path = NULL;
        status = prepare(&pair, context, &path, error);
        if (status == OBV_OK) {
            status = add_pair(observation, &pair, path, due, pairs, error);
            obv_path_destroy(path);
        }
        status = failed_at(i, status, error);
    }
    return status;
}

static enum obv_status check_pairs(const struct asked *asked,
                                   struct obv_error *error)
{
    if (is_empty(asked)) {
        return obv__fail(error, OBV_E_ARGUMENT, "no pair is given");
    }
    for (size_t i = 0; i < asked->count; i++) {
        const struct asked_pair pair = asked_at(asked, i);
        if (!has_path(&pair) && asked->count != 1) {
            return obv__fail(error, OBV_E_ARGUMENT,
                             "a pair without a path stands alone");
        }
    }
    const struct asked_pair first = asked_at(asked, 0);
    return check_root(&first, NULL, error);
}

/* Tells of what can lead nowhere by the declared types, in a debug build. Before
   anything is registered: what can be refused has been, but for one pair that is
   added, and the roots are surely alive. */
static void check_all_declared(const struct asked *asked,
                               struct obv__watcher *observation,
                               const struct obv_handler_kind *kind)
{
    size_t count = OBV__CHECKS_PATHS && asked->texts ? asked->count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct asked_pair pair = asked_at(asked, i);
        if (pair.text && check_root(&pair, NULL, NULL) == OBV_OK) {
            obv__check_declared(obv__class_of(pair.root), pair.text,
                                observation, kind);
        }
    }
}

void obv__begin_with_a_call(struct obv__thread *self,
                            const struct obv__making *making,
                            struct obv__watcher *observation)
{
    struct obv__watcher *pair = obv__pair_living(observation);
    if (!pair) {
        return;
    }
    if (!(making->flags & OBV_IMMEDIATE)) {
        obv__schedule_by_hand(self, pair);
    } else {
        obv__call_immediate(self, making->context, pair, NULL, NULL);
    }
}

/* It was never made, and its kind is the caller's again: since the pairs were not
   kept nobody has read that, nor will. */
static void abandon(struct obv_context *context,
                    struct obv__watcher *observation, struct obv__pairs *pairs)
{
    obv__pairs_take_back(context, observation, pairs);
    obv__observation_abandon(context, observation);
    obv__observation_is_made(context, observation);
}

/* `only`: the path of the only pair, prepared; NULL: prepare each. */
static enum obv_status make(struct obv__thread *self, const struct asked *asked,
                            const struct obv_path *only,
                            const struct obv__making *making,
                            struct obv_observation **handle,
                            struct obv_error *error)
{
    struct obv__watcher *observation = NULL;
    struct obv__pairs pairs = {0};
    struct obv__due due;
    obv__section_enter(self);
    obv__due_init(&due, self, making->context);
    enum obv_status status = obv__observation_create(making, &observation);
    if (status != OBV_OK) {
        fail_plain(error, status);
    } else {
        const struct asked_pair first = asked_at(asked, 0);
        status = only ? add_pair(observation, &first, only, &due, &pairs, error)
                      : add_pairs(observation, asked, making->context, &due,
                                  &pairs, error);
        if (status != OBV_OK) {
            abandon(making->context, observation, &pairs);
        } else {
            /* If it has ended meanwhile, it was made, and stopped. */
            (void)obv__pairs_keep(making->context, observation, &pairs);
            obv__observation_is_made(making->context, observation);
            obv__report_unresolved(making->context, observation);
        }
    }
    obv__due_deliver(&due);
    if (status == OBV_OK && handle) {
        *handle = (struct obv_observation *)(void *)observation;
    }
    if (status == OBV_OK && (making->flags & OBV_INITIAL)) {
        obv__begin_with_a_call(self, making, observation);
    }
    obv__section_leave(self);
    return status;
}

static enum obv_status
observe(const struct asked *asked, const struct obv_handler_kind *kind,
        void *observer, const struct obv_observe_options *options,
        struct obv_observation **handle, struct obv_error *error)
{
    options = options ? options : &defaults;
    enum obv_status status = check_pairs(asked, error);
    if (status == OBV_OK) {
        status = obv__check_manner(kind, observer, options, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    struct obv_context *context =
        obv__class_of(asked_at(asked, 0).root)->context;
    struct obv__making making = {
        .context = context,
        .loop = options->loop ? options->loop : context->loop,
        .kind = kind,
        .observer = observer,
        .options = options,
        .flags = options->flags |
                 (asked->count != 1 ? (uint32_t)OBV_EXTENSIBLE : 0u),
        .notes = obv__notes_are_needed(options),
        .form = kind->root_did_deallocate ? OBV__OF_HEARER : OBV__OF_PAIRS,
        .handle = handle != NULL};
    status = obv__check_contexts(&making, error);
    if (status == OBV_OK) {
        status = check_each(asked, context, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    struct obv_path *only = NULL;
    if (asked->count == 1) {
        const struct asked_pair pair = asked_at(asked, 0);
        status = prepare(&pair, context, &only, error);
        if (status != OBV_OK) {
            return status;
        }
    }
    if (making.flags & OBV_VALUES) {
        status = only || asked->count == 1 ? obv__check_values(only, error)
                                           : check_same(asked, context, error);
        if (status != OBV_OK) {
            obv_path_destroy(only);
            return status;
        }
    }
    struct obv__thread *self = obv__thread_self();
    /* An observation of one pair is its own watcher, if it leads somewhere. */
    making.group = !only || making.notes || making.form == OBV__OF_HEARER ||
                   (making.flags & (OBV_EXTENSIBLE | OBV_ONCE)) ||
                   obv__source_of(self) ||
                   !obv__path_begins_at(asked_at(asked, 0).root, only);
    check_all_declared(asked, NULL, kind);
    status = make(self, asked, only, &making, handle, error);
    obv_path_destroy(only);
    return status;
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
    if (!path) {
        return obv__fail(error, OBV_E_ARGUMENT, "the path is null");
    }
    return obv_observe_pairs(&pair, 1, kind, observer, NULL, handle, error);
}

/* Adding to an observation ------------------------------------------------ */

static enum obv_status add_more(struct obv__watcher *observation,
                                const struct asked *asked,
                                struct obv_error *error)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_context *context = obv__observation_context(observation);
    struct obv__pairs pairs = {0};
    struct obv__due due;
    obv__section_enter(self);
    obv__due_init(&due, self, context);
    enum obv_status status =
        add_pairs(observation, asked, context, &due, &pairs, error);
    if (status != OBV_OK) {
        obv__pairs_take_back(context, observation, &pairs);
    } else if (!obv__pairs_keep(context, observation, &pairs)) {
        status = obv__fail(error, OBV_E_ENDED, "the observation has ended");
    } else {
        obv__report_unresolved(context, observation);
    }
    obv__due_deliver(&due);
    obv__section_leave(self);
    return status;
}

static enum obv_status also(struct obv_observation *handle,
                            const struct asked *asked, struct obv_error *error)
{
    struct obv__watcher *observation = (struct obv__watcher *)(void *)handle;
    if (!handle || is_empty(asked)) {
        return obv__fail(error, OBV_E_ARGUMENT, "no pair is given");
    }
    for (size_t i = 0; i < asked->count; i++) {
        const struct asked_pair pair = asked_at(asked, i);
        if (!has_path(&pair)) {
            return obv__fail(error, OBV_E_ARGUMENT, "a path is null");
        }
    }
    if (obv__has_form(observation, OBV__OF_CLASS)) {
        return obv__fail(error, OBV_E_OPTIONS,
                         "a class-level observation follows one path");
    }
    const struct obv__group *group = obv__group_or_null(observation);
    if (!group || !group->is_extensible) {
        return obv__fail(error, OBV_E_OPTIONS,
                         "the observation was made without OBV_EXTENSIBLE");
    }
    if (!obv__has_state(observation, OBV__LINKED)) {
        return obv__fail(error, OBV_E_ENDED, "the observation has ended");
    }
    struct obv_context *context = obv__observation_context(observation);
    const struct obv__notes *notes = obv__notes_of(observation);
    if (notes && (notes->flags & OBV_VALUES)) {
        return check_had(observation, asked, context, error);
    }
    enum obv_status status = check_each(asked, context, error);
    if (status != OBV_OK) {
        return status;
    }
    check_all_declared(asked, observation, NULL);
    return add_more(observation, asked, error);
}

enum obv_status obv_observe_also(struct obv_observation *handle,
                                 const struct obv_pair *pairs, size_t count,
                                 struct obv_error *error)
{
    const struct asked asked = {.texts = pairs, .count = count};
    return also(handle, &asked, error);
}

enum obv_status obv_observe_compiled_also(struct obv_observation *handle,
                                          const struct obv_compiled_pair *pairs,
                                          size_t count, struct obv_error *error)
{
    const struct asked asked = {.compiled = pairs, .count = count};
    return also(handle, &asked, error);
}
