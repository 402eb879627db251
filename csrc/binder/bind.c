/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders of C: ends by text, values as they are or as a function makes them.
 */
#include "model/context.h"
#include "model/copy.h"
#include "model/node.h"
#include "platform/exception.h"
#include "wiring/place.h"

#include <observable/binder.h>
#include <observable/component.h>

#include <string.h>

/* What a source was set to, for as long as it may be carried: a drain inside of
   what is called meanwhile keeps another. */
struct kept_value {
    size_t users; /* the carrier, and each call */
    struct obv_value value;
};

/* What carries them. */
struct value_carrier {
    struct obv_carrier carrier; /* the first */
    struct obv_context *context;
    struct obv_path *paths[2];    /* of the source, and of the target */
    obv_transform *transforms[2]; /* to the source, and to the target */
    void *argument;
    void (*dispose)(void *argument);
    struct kept_value *last; /* NULL: none */
};

enum { TO_SOURCE, TO_TARGET };

/* Runs code of the program. */
static void leave_kept(struct obv_context *context, struct kept_value *kept)
{
    if (kept && --kept->users == 0) {
        obv__value_drop(context, &kept->value);
        obv__context_free(context, kept, sizeof *kept);
    }
}

static void free_carrier(struct value_carrier *carrier)
{
    leave_kept(carrier->context, carrier->last);
    obv_path_destroy(carrier->paths[TO_SOURCE]);
    obv_path_destroy(carrier->paths[TO_TARGET]);
    obv__context_free(carrier->context, carrier, sizeof *carrier);
}

static void dispose_values(struct obv_carrier *carrier, bool is_made)
{
    struct value_carrier *values = (struct value_carrier *)(void *)carrier;
    void (*dispose)(void *) = is_made ? values->dispose : NULL;
    void *argument = values->argument;
    free_carrier(values);
    if (dispose) {
        dispose(argument);
    }
}

/* Values ------------------------------------------------------------------- */

static enum obv_status store_bytes(const struct obv_place *place,
                                   const struct obv_value *value)
{
    bool fits = !value->property || value->property->size == place->line->size;
    return fits ? obv_set_bytes(place->object, place->property, value->as.bytes)
                : OBV_E_KIND;
}

static enum obv_status store_in(const struct obv_place *place,
                                const struct obv_value *value)
{
    struct obv_object *object = place->object;
    uint32_t property = place->property;
    switch (value->kind) {
#define STORE(kind_name, type)                                                 \
    case OBV_KIND_##kind_name:                                                 \
        return obv_set_##kind_name(object, property, value->as.kind_name);
        OBV_NUMBER_KINDS(STORE)
#undef STORE
    case OBV_KIND_bool:
        return obv_set_bool(object, property, value->as.boolean);
    case OBV_KIND_enum:
        return obv_set_enum(object, property, value->as.enumeration);
    case OBV_KIND_pointer:
        return obv_set_pointer(object, property, value->as.pointer);
    case OBV_KIND_string:
        return obv_set_string(object, property, value->as.string);
    case OBV_KIND_object:
        return obv_set_object(object, property, value->as.object);
    case OBV_KIND_bytes:
        return store_bytes(place, value);
    default:
        return OBV_E_KIND;
    }
}

/* Whether the property holds a value; where it could not be stored it does
   not. */
static enum obv_status compare_with(struct obv_context *context,
                                    const struct obv_place *place,
                                    struct obv_value *value)
{
    struct obv_value held;
    value->property = place->line;
    bool is_same =
        value->kind == place->line->kind &&
        obv__value_copy(context, place->object, place->line, NULL, &held);
    if (is_same) {
        is_same = obv_value_equal(&held, value);
        obv__value_drop(context, &held);
    }
    return is_same ? OBV_OK : OBV_E_KIND;
}

/* Carrying ----------------------------------------------------------------- */

static enum obv_status keep_last(struct obv_carrier *base, size_t source,
                                 struct obv_value *value)
{
    struct value_carrier *carrier = (struct value_carrier *)(void *)base;
    struct kept_value *before = carrier->last;
    struct kept_value *kept =
        obv__context_allocate(carrier->context, sizeof *kept);
    (void)source;
    if (!kept) {
        return OBV_E_MEMORY;
    }
    *kept = (struct kept_value){.users = 1, .value = *value};
    if (obv_value_is_reachable(value)) {
        value->kind = OBV_KIND_unreachable;
    }
    carrier->last = kept;
    leave_kept(carrier->context, before);
    return OBV_OK;
}

static enum obv_status put_value(struct value_carrier *carrier,
                                 struct obv_carrying *carrying,
                                 const struct obv_place *place,
                                 struct obv_value *made)
{
    switch (place->object ? obv_carry_decide(carrying) : OBV_CARRY_NOTHING) {
    case OBV_CARRY_SET:
        return store_in(place, made);
    case OBV_CARRY_AGAIN:
        return compare_with(carrier->context, place, made) == OBV_OK
                   ? OBV_OK
                   : store_in(place, made);
    case OBV_CARRY_COMPARE:
        return compare_with(carrier->context, place, made);
    default:
        return OBV_OK;
    }
}

static enum obv_status carry_value(struct value_carrier *carrier,
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
            status = put_value(carrier, carrying, &place, &made);
            obv_place_leave(&place);
        }
    }
    return status;
}

static enum obv_status carry_last(struct value_carrier *carrier,
                                  struct obv_carrying *carrying,
                                  struct obv_object *root)
{
    struct kept_value *last = carrier->last;
    last->users++;
    enum obv_status status =
        carry_value(carrier, carrying, TO_TARGET, &last->value, root);
    leave_kept(carrier->context, last);
    return status;
}

static enum obv_status carry_values(struct obv_carrier *base,
                                    struct obv_carrying *carrying,
                                    bool is_reverse,
                                    const struct obv_value *value,
                                    struct obv_object *root)
{
    struct value_carrier *carrier = (struct value_carrier *)(void *)base;
    return value ? carry_value(carrier, carrying,
                               is_reverse ? TO_SOURCE : TO_TARGET, value, root)
                 : carry_last(carrier, carrying, root);
}

/* Beginning ---------------------------------------------------------------- */

static enum obv_status check_end(const struct obv_binder_end *end,
                                 struct obv_error *error)
{
    if (!end || !end->path) {
        return obv__fail(error, OBV_E_ARGUMENT, "an end of a binder is NULL");
    }
    return obv__check_object(end->object, error);
}

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
    parsed->object = end->object;
    parsed->path = *path;
    parsed->loop = end->loop ? end->loop : obv_context_loop(context);
    return status;
}

static enum obv_status parse_ends(const struct obv_binder_end *const ends[2],
                                  struct obv_compiled_end parsed[2],
                                  struct value_carrier *carrier,
                                  struct obv_error *error)
{
    for (int i = TO_SOURCE; i <= TO_TARGET; i++) {
        enum obv_status status =
            parse_end(ends[i], &parsed[i], &carrier->paths[i], error);
        if (status != OBV_OK) {
            if (error) {
                error->index = (size_t)i;
            }
            return status;
        }
    }
    if (parsed[0].object == parsed[1].object &&
        obv_path_equal(parsed[0].path, parsed[1].path)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "both ends of a binder are one property");
    }
    return OBV_OK;
}

static void set_options(struct value_carrier *carrier,
                        const struct obv_binder_options *options)
{
    carrier->carrier.is_two_way = options->is_two_way;
    carrier->carrier.label = options->label;
    carrier->carrier.file = options->file;
    carrier->carrier.line = options->line;
    carrier->transforms[TO_TARGET] = options->transform;
    carrier->transforms[TO_SOURCE] = options->reverse;
    carrier->argument = options->context;
    carrier->dispose = options->dispose;
}

static struct value_carrier *
carrier_create(struct obv_context *context,
               const struct obv_binder_options *options)
{
    struct value_carrier *carrier =
        obv__context_allocate_zeroed(context, sizeof *carrier);
    if (carrier) {
        carrier->context = context;
        carrier->carrier.carry = carry_values;
        carrier->carrier.keep = keep_last;
        carrier->carrier.dispose = dispose_values;
        if (options) {
            set_options(carrier, options);
        }
    }
    return carrier;
}

static enum obv_status check_bind(const struct obv_binder_end *const ends[2],
                                  const struct obv_binder_options *options,
                                  struct obv_binder **binder,
                                  struct obv_error *error)
{
    if (!binder || (options && options->size != sizeof *options)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "there is no room for the binder, or `size` is not "
                         "that of the options");
    }
    for (int i = TO_SOURCE; i <= TO_TARGET; i++) {
        enum obv_status status = check_end(ends[i], error);
        if (status != OBV_OK) {
            if (error) {
                error->index = (size_t)i;
            }
            return status;
        }
    }
    return OBV_OK;
}

enum obv_status obv_bind(const struct obv_binder_end *source,
                         const struct obv_binder_end *target,
                         const struct obv_binder_options *options,
                         struct obv_binder **binder, struct obv_error *error)
{
    const struct obv_binder_end *const ends[2] = {source, target};
    struct obv_compiled_end parsed[2];
    enum obv_status status = check_bind(ends, options, binder, error);
    if (status != OBV_OK) {
        return status;
    }
    struct value_carrier *carrier =
        carrier_create(obv__class_of(source->object)->context, options);
    if (!carrier) {
        return obv__fail(error, OBV_E_MEMORY, NULL);
    }
    status = parse_ends(ends, parsed, carrier, error);
    if (status != OBV_OK) {
        free_carrier(carrier);
        return status;
    }
    return obv_bind_compiled(&parsed[0], 1, &parsed[1], &carrier->carrier,
                             binder, error);
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
