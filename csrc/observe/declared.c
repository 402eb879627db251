/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths by the declared types.
 */
#include "observe/declared.h"

#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "model/class.h"
#include "model/nearest.h"
#include "path/path.h"
#include "wiring/matcher.h"

#include <stdio.h>

/* obv_validate() ---------------------------------------------------------- */

/* Why a path is none of a class: some declared class cannot have an element of
   its kind, or else what the message says. */
struct wrong {
    const struct obv_class *misfit;
    const char *message;
};

static bool check_from_class(const struct obv_class *cls,
                             const struct obv_element *elements, size_t count,
                             struct wrong *wrong);

/* Under a `*` it is enough that some property leads on. */
static bool some_property_leads_on(const struct obv_class *cls,
                                   const struct obv_element *elements,
                                   size_t count, struct wrong *wrong)
{
    bool known = false;
    for (uint32_t i = 0; !known && i < cls->property_count; i++) {
        const struct obv_class *behind = obv__class_behind(cls, i);
        known = behind && check_from_class(behind, elements, count, wrong);
    }
    wrong->message =
        "no property is declared to hold objects that have the rest";
    return known;
}

/* Checks that the elements can be followed from a class on; else says what is
   wrong. */
static bool check_from_class(const struct obv_class *cls,
                             const struct obv_element *elements, size_t count,
                             struct wrong *wrong)
{
    for (; count != 0; elements++, count--) {
        struct obv_class *behind = NULL;
        if (!cls) {
            wrong->message = "a property on the way is not declared to hold "
                             "objects of a class";
            return false;
        }
        if (obv__matcher_misfits(elements, cls)) {
            wrong->misfit = cls;
            return false;
        }
        if (elements->kind == OBV_ELEMENT_ANY && count > 1) {
            return some_property_leads_on(cls, elements + 1, count - 1, wrong);
        }
        if (!obv__matcher_declared(elements, cls, &behind)) {
            wrong->message = "the declared class has no such property";
            return false;
        }
        cls = behind;
    }
    return true;
}

static enum obv_status validate(const struct obv_class *cls,
                                const struct obv_path *path,
                                struct obv_error *error)
{
    struct wrong wrong = {NULL, NULL};
    return check_from_class(cls, path->elements, path->count, &wrong) ? OBV_OK
           : wrong.misfit ? obv__fail_misfit(wrong.misfit, error)
                          : obv__fail(error, OBV_E_UNKNOWN, wrong.message);
}

enum obv_status obv_validate(const struct obv_class *cls, const char *text,
                             struct obv_error *error)
{
    struct obv_path *path;
    if (!cls || !text) {
        return obv__fail(error, OBV_E_ARGUMENT, "class or path is null");
    }
    enum obv_status status =
        obv__path_cache_parse(&cls->context->recent, text, &path, error);
    if (status == OBV_OK) {
        status = validate(cls, path, error);
        obv_path_destroy(path);
    }
    return status;
}

/* Telling of what can lead nowhere ---------------------------------------- */

void obv_check_paths(struct obv_context *context, bool is_checked)
{
    context = obv__context_or_default(context);
    if (context) {
        obv__store_relaxed(&context->checks_paths, is_checked);
    }
}

/* The message for an element that a class has not, as a format for its number;
   NULL: nothing that is certain, or that is not told of already. */
static const char *wrong_with_element(const struct obv_class *cls,
                                      const struct obv_element *element,
                                      size_t number)
{
    if (cls->container) {
        return "the path can lead nowhere: its element %zu is none that the "
               "container declared there can have";
    }
    if (element->kind > OBV_ELEMENT_COUNT) {
        return "the path can lead nowhere: its element %zu is no property, and "
               "an object has nothing else";
    }
    return number > 1 && !obv__class_below_has(cls, element->name)
               ? "the path leads nowhere by the declared types: its element "
                 "%zu is no property of the class that is declared there, nor "
                 "of a subclass that is known"
               : NULL;
}

static void write_wrong(char text[OBV__REPORT_SIZE],
                        const struct obv_class *cls,
                        const struct obv_element *element, size_t number)
{
    const char *wrong = wrong_with_element(cls, element, number);
    char sentence[OBV__REPORT_SIZE];
    if (wrong) {
        (void)snprintf(sentence, sizeof sentence, wrong, number);
        obv__write_lack(text, sentence, cls, element);
    }
}

static bool may_go_on(const struct obv_element *element,
                      const struct obv_class *cls)
{
    uint32_t slot = obv__slot_on_class(element, cls);
    return slot == OBV__SLOT_ELEMENT
               ? obv__slot_may_hold_object(cls->container->cells, 0)
               : element->kind > OBV_ELEMENT_COUNT ||
                     obv__slot_may_hold_object(cls, slot);
}

/* The name of the place that cannot lead on. */
static const char *name_of(const struct obv_element *element,
                           const struct obv_class *cls)
{
    uint32_t slot = obv__slot_on_class(element, cls);
    return slot == OBV__SLOT_ELEMENT ? cls->container->cell_name
                                     : obv_class_property_name(cls, slot);
}

/* Goes along a path from a class until something is wrong, which is `text` then,
   or nothing more is known. */
static void look_along(const struct obv_class *cls, const struct obv_path *path,
                       char text[OBV__REPORT_SIZE])
{
    const struct obv_element *element = path->elements;
    size_t count = path->count;
    for (size_t at = 1; cls && at <= count; at++, element++) {
        struct obv_class *behind = NULL;
        if (element->kind == OBV_ELEMENT_ANY) {
            return;
        }
        if (!obv__matcher_declared(element, cls, &behind)) {
            write_wrong(text, cls, element, at);
            return;
        }
        if (at < count && !may_go_on(element, cls)) {
            (void)snprintf(text, OBV__REPORT_SIZE,
                           "the path can lead nowhere: property `%.64s`, its "
                           "element %zu, holds no object",
                           name_of(element, cls), at);
            return;
        }
        cls = behind;
    }
}

/* The kind's line, before there is an observation. */
static struct obv_diagnostic about(const struct obv_handler_kind *kind)
{
    const struct obv_source *source = obv__source_of(obv__thread_self());
    bool has_own = source && !(kind->flags & OBV_KIND_IS_OF_CALL);
    return (struct obv_diagnostic){.label = kind->label,
                                   .file = has_own ? source->file : kind->file,
                                   .line = has_own ? source->line : kind->line};
}

void obv__check_declared(const struct obv_class *cls,
                         const struct obv_path *path,
                         struct obv__watcher *observation,
                         const struct obv_handler_kind *kind)
{
    char text[OBV__REPORT_SIZE] = "";
    if (!cls->is_ahead) {
        look_along(cls, path, text);
    }
    if (text[0] != '\0') {
        size_t length;
        struct obv__thread *self = obv__thread_self();
        struct obv_diagnostic diagnostic =
            kind ? about(kind) : (struct obv_diagnostic){.label = NULL};
        diagnostic.kind = OBV_DIAGNOSTIC_DECLARED;
        diagnostic.text = text;
        diagnostic.path = obv__path_text(path, &length);
        obv__epoch_enter(self);
        obv__diagnose_of(self, cls->context, observation, diagnostic);
        obv__epoch_leave(self);
    }
}
