/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning to observe every instance of a class. What instances make of it is
 * in class_level.c.
 */
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "dispatch/notes.h"
#include "observe/class_level.h"
#include "observe/declared.h"
#include "observe/observing.h"
#include "observe/unresolved.h"
#include "path/path.h"
#include "wiring/matcher.h"

#include <observable/component.h>

static const struct obv_observe_options class_defaults = {
    .size = sizeof class_defaults};

/* A path as it was written; or compiled, and then `text` is NULL. */
struct asked_path {
    const char *text;
    const struct obv_path *compiled;
};

/* What each instance will be made by must be good now. */
static enum obv_status check_path(const struct obv_class *cls,
                                  const struct obv_path *path,
                                  const struct obv_observe_options *options,
                                  struct obv_error *error)
{
    const struct obv_element *first = obv_path_elements(path);
    if (obv__matcher_misfits(first, cls)) {
        return obv__fail_misfit(cls, error);
    }
    if (obv__matcher_is_placed(first)) {
        return obv__fail(error, OBV_E_KIND,
                         "a class is observed by its properties");
    }
    return options->flags & OBV_VALUES ? obv__check_values(path, error)
                                       : OBV_OK;
}

static enum obv_status
check_asked(const struct obv_class *cls, const struct asked_path *asked,
            const struct obv_handler_kind *kind, const void *observer,
            const struct obv_observe_options *options, struct obv_error *error)
{
    if (!cls || (!asked->text && !asked->compiled)) {
        return obv__fail(error, OBV_E_ARGUMENT, "class or path is null");
    }
    enum obv_status status = obv__check_manner(kind, observer, options, error);
    if (status == OBV_OK && (options->flags & OBV_EXTENSIBLE)) {
        status = obv__fail(error, OBV_E_OPTIONS,
                           "a class-level observation follows one path");
    }
    return status;
}

/* Whether the end of the path is compared by the observation itself, so that
   sets of equal values may be changes to it. */
static bool level_wants_same(const struct obv_path *path,
                             const struct obv_observe_options *options)
{
    return obv_path_count(path) == 1 &&
           (options->equal || options->compare != OBV_COMPARE_DECLARED);
}

/* Whether the class itself has the first element, as far as that is known. */
static bool begins_at_class(const struct obv_class *cls,
                            const struct obv_path *path)
{
    const struct obv_element *first = obv_path_elements(path);
    return first->kind == OBV_ELEMENT_COMPONENT || cls->is_ahead ||
           obv__matcher(first)->slot(first, cls) != OBV__NO_SLOT;
}

/* Gives a new level what it is to follow. */
static void fill(struct obv__class_level *level, struct obv_class *cls,
                 const struct obv_path *path,
                 const struct obv_observe_options *options)
{
    level->cls = cls;
    level->path = obv__path_retain(path);
    level->options = *options;
    level->options.flags &= ~(uint32_t)OBV_INITIAL;
    level->wants_same = level_wants_same(path, options);
    level->is_nowhere = !begins_at_class(cls, path);
}

static enum obv_status make_level(struct obv_class *cls,
                                  const struct obv_path *path,
                                  const struct obv__making *making,
                                  struct obv_observation **handle,
                                  struct obv_error *error)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__watcher *observation = NULL;
    obv__section_enter(self);
    enum obv_status status = obv__observation_create(making, &observation);
    if (status == OBV_OK) {
        struct obv__class_level *level = obv__class_level(observation);
        fill(level, cls, path, making->options);
        if (handle) {
            *handle = (struct obv_observation *)(void *)observation;
        }
        self->registered++;
        obv__class_level_enlist(level);
        obv__unresolved_report(cls->context, observation);
    }
    if (status != OBV_OK) {
        obv__fail(error, status, obv_status_text(status));
    } else if (making->flags & OBV_INITIAL) {
        obv__begin_with_a_call(self, making, observation);
    }
    obv__section_leave(self);
    return status;
}

static enum obv_status
observe_every(struct obv_class *cls, const struct asked_path *asked,
              const struct obv_handler_kind *kind, void *observer,
              const struct obv_observe_options *options,
              struct obv_observation **handle, struct obv_error *error)
{
    options = options ? options : &class_defaults;
    enum obv_status status =
        check_asked(cls, asked, kind, observer, options, error);
    if (status != OBV_OK) {
        return status;
    }
    struct obv_context *context = cls->context;
    /* Without notes: its instances have them. */
    const struct obv__making making = {.context = context,
                                       .loop = options->loop ? options->loop
                                                             : context->loop,
                                       .kind = kind,
                                       .observer = observer,
                                       .options = options,
                                       .flags = options->flags,
                                       .handle = handle != NULL,
                                       .group = true,
                                       .form = OBV__OF_CLASS};
    status = obv__check_contexts(&making, error);
    struct obv_path *path = NULL;
    if (status == OBV_OK) {
        status = obv__path_asked(context, asked->text, asked->compiled, &path,
                                 error);
    }
    if (status != OBV_OK) {
        return status;
    }
    status = check_path(cls, path, options, error);
    if (status == OBV_OK) {
        if (asked->text) {
            obv__check_declared(cls, path, NULL, kind);
        }
        status = make_level(cls, path, &making, handle, error);
    }
    obv_path_destroy(path);
    return status;
}

enum obv_status obv_observe_class(struct obv_class *cls, const char *path,
                                  const struct obv_handler_kind *kind,
                                  void *observer,
                                  const struct obv_observe_options *options,
                                  struct obv_observation **handle,
                                  struct obv_error *error)
{
    const struct asked_path asked = {.text = path};
    return observe_every(cls, &asked, kind, observer, options, handle, error);
}

enum obv_status
obv_observe_class_compiled(struct obv_class *cls, const struct obv_path *path,
                           const struct obv_handler_kind *kind, void *observer,
                           const struct obv_observe_options *options,
                           struct obv_observation **handle,
                           struct obv_error *error)
{
    const struct asked_path asked = {.compiled = path};
    return observe_every(cls, &asked, kind, observer, options, handle, error);
}
