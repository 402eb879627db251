/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders of C: ends by text, values as they are or as a function makes them.
 */
#include "model/context.h"
#include "model/node.h"
#include "platform/exception.h"

#include <observable/binder.h>
#include <observable/component.h>

#include <string.h>

/* The carrier that obv_bind() makes: it carries values along two paths. */
struct value_carrier {
    struct obv_carrier carrier; /* the first */
    struct obv_context *context;
    struct obv_path *paths[2];    /* of the source, and of the target */
    obv_transform *transforms[2]; /* to the source, and to the target */
    void *argument;
    void (*dispose)(void *argument);
};

enum { TO_SOURCE, TO_TARGET };

static void dispose_values(struct obv_carrier *base, bool is_made)
{
    struct value_carrier *carrier = (struct value_carrier *)(void *)base;
    void (*dispose)(void *) = is_made ? carrier->dispose : NULL;
    void *argument = carrier->argument;
    obv_path_destroy(carrier->paths[TO_SOURCE]);
    obv_path_destroy(carrier->paths[TO_TARGET]);
    obv__context_free(carrier->context, carrier, sizeof *carrier);
    if (dispose) {
        dispose(argument);
    }
}

/* Values ------------------------------------------------------------------- */

static enum obv_status store_in(const struct obv_place *place,
                                const struct obv_value *value)
{
    if (value->kind == OBV_KIND_bytes && value->property &&
        value->property->size != place->line->size) {
        return OBV_E_KIND;
    }
    return value->kind == OBV_KIND_custom
               ? OBV_E_KIND
               : obv_set_value(place->object, place->property, value->kind,
                               value->kind == OBV_KIND_bytes ? value->as.bytes
                                                             : &value->as);
}

/* Carrying ----------------------------------------------------------------- */

/* Stands in the place of a value that a call carries right now: the call keeps
   the value, even if a newer one is stored in that place meanwhile. */
static const struct obv_property on_its_way;

static enum obv_status make_and_store(struct value_carrier *carrier,
                                      struct obv_carrying *carrying, int to,
                                      const struct obv_value *value,
                                      struct obv_object *root)
{
    struct obv_value made = {.kind = OBV_KIND_unreachable};
    struct obv_place place;
    enum obv_status status = OBV_OK;
    if (carrier->transforms[to]) {
        OBV__NO_EXCEPTION_LEAVES();
        status = carrier->transforms[to](carrier->argument, value, &made);
    } else {
        made = *value;
    }
    if (status == OBV_OK && obv_value_is_reachable(&made)) {
        status = obv_place_find(root, carrier->paths[to], &place, NULL);
        if (status == OBV_OK) {
            if (place.object && obv_carry_decide(carrying)) {
                status = store_in(&place, &made);
            }
            obv_place_leave(&place);
        }
    }
    return status;
}

static enum obv_status carry_value(struct obv_carrier *base,
                                   struct obv_carrying *carrying,
                                   bool is_reverse, struct obv_value *values,
                                   struct obv_object *root)
{
    struct value_carrier *carrier = (struct value_carrier *)(void *)base;
    struct obv_value value = *values;
    if (value.property == &on_its_way) {
        return OBV_OK;
    }
    *values = (struct obv_value){.kind = OBV_KIND_unreachable,
                                 .property = &on_its_way};
    enum obv_status status = make_and_store(
        carrier, carrying, is_reverse ? TO_SOURCE : TO_TARGET, &value, root);
    if (values->property == &on_its_way) {
        *values = value;
    } else {
        obv_value_deinit(carrier->context, &value);
    }
    return status;
}

/* Beginning ---------------------------------------------------------------- */

/* Parses an end's path, which may consist of names only. */
static enum obv_status parse_end(const struct obv_binder_end *end,
                                 struct obv_compiled_end *parsed,
                                 struct obv_path **path,
                                 struct obv_error *error)
{
    struct obv_context *context = obv__class_of(end->object)->context;
    enum obv_status status = obv_path_parse(
        obv_context_names(context), end->path, strlen(end->path), path, error);
    for (size_t i = 0; status == OBV_OK && i < obv_path_count(*path); i++) {
        if (obv_path_elements(*path)[i].kind != OBV_ELEMENT_NAME) {
            status = obv__fail(error, OBV_E_KIND,
                               "an end of a binder is one property: it is "
                               "named by names alone");
        }
    }
    *parsed = (struct obv_compiled_end){
        end->object, *path, end->loop ? end->loop : obv_context_loop(context)};
    return status;
}

static enum obv_status check_end(const struct obv_binder_end *end,
                                 struct obv_error *error)
{
    return end && end->path
               ? obv__check_object(end->object, error)
               : obv__fail(error, OBV_E_ARGUMENT, "an end of a binder is NULL");
}

static enum obv_status carrier_create(const struct obv_binder_end *const *ends,
                                      const struct obv_binder_options *options,
                                      struct value_carrier **made,
                                      struct obv_error *error)
{
    if (options->size != sizeof *options) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "`size` is not that of the options");
    }
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < 2; i++) {
        status = obv__failed_at(i, check_end(ends[i], error), error);
    }
    if (status != OBV_OK) {
        return status;
    }
    struct obv_context *context = obv__class_of(ends[0]->object)->context;
    struct value_carrier *carrier =
        obv__context_allocate_zeroed(context, sizeof *carrier);
    if (!carrier) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    *carrier = (struct value_carrier){
        .carrier = {.carry = carry_value,
                    .dispose = dispose_values,
                    .is_two_way = options->is_two_way,
                    .label = options->label,
                    .file = options->file,
                    .line = options->line},
        .context = context,
        .transforms = {options->reverse, options->transform},
        .argument = options->context,
        .dispose = options->dispose};
    *made = carrier;
    return OBV_OK;
}

enum obv_status obv_bind(const struct obv_binder_end *source,
                         const struct obv_binder_end *target,
                         const struct obv_binder_options *options,
                         struct obv_binder **binder, struct obv_error *error)
{
    static const struct obv_binder_options defaults = {.size = sizeof defaults};
    const struct obv_binder_end *const ends[2] = {source, target};
    struct obv_compiled_end parsed[2];
    struct value_carrier *carrier = NULL;
    if (!binder) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "there is no room for the binder");
    }
    enum obv_status status =
        carrier_create(ends, options ? options : &defaults, &carrier, error);
    if (status != OBV_OK) {
        return status;
    }
    for (size_t i = 0; status == OBV_OK && i < 2; i++) {
        status = obv__failed_at(
            i, parse_end(ends[i], &parsed[i], &carrier->paths[i], error),
            error);
    }
    if (status == OBV_OK && parsed[0].object == parsed[1].object &&
        obv_path_equal(parsed[0].path, parsed[1].path)) {
        status = obv__fail(error, OBV_E_ARGUMENT,
                           "both ends of a binder are one property");
    }
    if (status != OBV_OK) {
        dispose_values(&carrier->carrier, false);
        return status;
    }
    return obv_bind_compiled(parsed, 1, &carrier->carrier, binder, error);
}

enum obv_status obv_cut_off(struct obv_object *object, const char *text,
                            const struct obv_object *source,
                            struct obv_error *error)
{
    struct obv_path *path = NULL;
    enum obv_status status = OBV_OK;
    if (!obv__class_or_null(object)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "the object is null, or has no class");
    }
    if (text) {
        status =
            obv_path_parse(obv_context_names(obv__class_of(object)->context),
                           text, strlen(text), &path, error);
    }
    if (status == OBV_OK) {
        status = obv_cut_off_compiled(object, path, source);
    }
    obv_path_destroy(path);
    return status;
}
