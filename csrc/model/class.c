/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes: checking a table, numbering, looking properties up by name.
 */
#include "model/class.h"

#include "model/class_dependencies.h"
#include "model/value.h"

#include <observable/computed.h>

#include <stdlib.h>
#include <string.h>

struct obv__numbering obv__classes;

/* As <observable/object.h> says. */
#define CLASSES_MAX 65533

/* Instances of classes with custom properties are at most so large. */
#define CUSTOM_SIZE_MAX ((size_t)1 << 20)

static size_t bytes_of(size_t property_count, size_t offset_count)
{
    return sizeof(struct obv_class) +
           property_count * (sizeof(struct obv_property *) +
                             sizeof(struct obv__named) + sizeof(uint32_t)) +
           offset_count * sizeof(uint16_t);
}

static bool has_custom(const struct obv_class_table *table)
{
    for (size_t i = 0; i < table->property_count; i++) {
        if (table->properties[i].custom) {
            return true;
        }
    }
    return table->superclass && obv__class_is_custom(table->superclass);
}

static int by_name(const void *a, const void *b)
{
    uint32_t left = ((const struct obv__named *)a)->name;
    uint32_t right = ((const struct obv__named *)b)->name;
    return (left > right) - (left < right);
}

/* The place of a property in a table; if it stands in another, their number. */
static size_t place_of_property(const struct obv_class_table *table,
                                const struct obv_property *property)
{
    size_t i = 0;
    while (i < table->property_count && &table->properties[i] != property) {
        i++;
    }
    return i;
}

enum obv_status obv__bad_layout(struct obv_error *error, const char *class_name,
                                const struct obv_property *property,
                                size_t place, const char *message)
{
    obv__fail(error, OBV_E_LAYOUT, message);
    if (error) {
        error->class_name = class_name;
        error->property = property ? property->name : NULL;
        error->position = place;
    }
    return OBV_E_LAYOUT;
}

/* `property`: of the table or inherited; NULL: the class as a whole. */
static enum obv_status bad_layout(struct obv_error *error,
                                  const struct obv_class_table *table,
                                  const struct obv_property *property,
                                  const char *message)
{
    size_t place = place_of_property(table, property);
    return obv__bad_layout(error, table->name, property,
                           place < table->property_count ? place : 0, message);
}

/* Whether a kind whose size the property says may have that, and its field is
   aligned for it. */
static bool has_size_of_kind(const struct obv_property *property)
{
    size_t size = obv__value_size(property->kind), own = property->size;
    return property->kind == OBV_KIND_enum
               ? own == 1 || own == 2 || own == 4 || own == 8
               : own != 0 && (size == 0 || own == size);
}

static bool is_aligned(const struct obv_property *property)
{
    bool has_alignment =
        property->kind == OBV_KIND_enum || obv__value_size(property->kind) != 0;
    return !has_alignment || property->size == 0 ||
           property->offset % property->size == 0;
}

/* Whether a computed property does not say how a record keeps its values. */
static bool is_kept_wrongly(const struct obv_property *property)
{
    if (property->computed->size != sizeof *property->computed) {
        return false; /* that is wrong already */
    }
    bool is_word = obv__keeps_word(property);
    return property->custom
               ? !property->computed->kept ||
                     (is_word && property->size != sizeof(uint64_t))
               : is_word;
}

static const char *wrong_with(const struct obv_class_table *table,
                              const struct obv_property *property,
                              bool is_foreign)
{
    const uint32_t flags = property->flags;
    const uint32_t of_library =
        is_foreign ? OBV__AFAR | OBV__AFAR_OBJECT : (uint32_t)0;
    const uint32_t known = OBV_UNOWNED | OBV_ANY_THREAD | OBV_WEAK |
                           OBV_ALWAYS_DIFFERENT | OBV_FOREIGN | OBV_UNSIGNED;
    const enum obv_kind kind = property->kind;
    const struct obv_value_kind *custom = property->custom;
    const struct obv_computed *computed = property->computed;
    bool has_name = property->name && property->name[0] != '\0';
    bool is_custom = kind == OBV_KIND_custom;
    const struct {
        bool is_so;
        const char *text;
    } wrong[] = {
        {!has_name, "a property has no name"},
        {has_name && strlen(property->name) > OBV_NAME_LENGTH_MAX,
         "a property's name is longer than 65,535 bytes"},
        {kind < OBV_KIND_bool || kind > OBV_KIND_custom,
         "a property has no kind"},
        {is_custom != (custom != NULL) ||
             (custom && custom->size != sizeof *custom),
         "a custom property, and no other, says how it is compared"},
        {!has_size_of_kind(property), "a field's size is not that of its kind"},
        {!is_aligned(property), "a field is not aligned for its kind"},
        {!is_foreign && property->offset < sizeof(struct obv_object),
         "a field overlaps the header word, which is the first member"},
        {(size_t)property->offset + property->size > table->instance_size,
         "a field lies past the end of the struct"},
        {flags & ~(known | of_library), "a property has an unknown flag"},
        {(flags & OBV_FOREIGN) && kind != OBV_KIND_pointer,
         "only a pointer property can lead to foreign objects"},
        {property->equal && (is_custom || (flags & OBV_ALWAYS_DIFFERENT)),
         "a property is compared in two ways"},
        {(flags & OBV_WEAK) && !is_custom,
         "only a custom property can be weak"},
        {computed &&
             (computed->size != sizeof *computed || !computed->evaluate),
         "a computed property does not say how it is computed"},
        {computed && (is_foreign || is_kept_wrongly(property)),
         "a property of this kind cannot be computed"},
        {computed && (flags & (OBV_ANY_THREAD | OBV_UNOWNED | OBV_FOREIGN)),
         "a computed property has a flag of a stored one"},
        {(flags & OBV_UNOWNED) && kind != OBV_KIND_object,
         "only an object property can be unowned"},
        {(flags & OBV_UNSIGNED) && kind != OBV_KIND_enum,
         "only an enum property says that it is unsigned"},
        {(flags & OBV_ANY_THREAD) && kind >= OBV_KIND_string && !is_custom,
         "a property of this kind cannot be set by any thread"}};
    size_t i = 0;
    while (i < sizeof wrong / sizeof *wrong && !wrong[i].is_so) {
        i++;
    }
    return i < sizeof wrong / sizeof *wrong ? wrong[i].text : NULL;
}

static enum obv_status check_table(const struct obv_class_table *table,
                                   bool is_foreign, struct obv_error *error)
{
    if ((table->retain == NULL) != (table->release == NULL)) {
        return bad_layout(error, table, NULL,
                          "retain and release come together");
    }
    if (table->instance_size < sizeof(struct obv_object) ||
        (table->superclass &&
         table->superclass->table->instance_size > table->instance_size)) {
        return bad_layout(error, table, NULL,
                          "the struct is smaller than what it begins with");
    }
    for (size_t i = 0; i < table->property_count; i++) {
        const struct obv_property *property = &table->properties[i];
        const char *wrong = wrong_with(table, property, is_foreign);
        if (wrong) {
            return bad_layout(error, table, property, wrong);
        }
    }
    if (has_custom(table) &&
        (table->instance_size > CUSTOM_SIZE_MAX ||
         (!table->retain &&
          !(table->superclass && table->superclass->retain)))) {
        return bad_layout(error, table, NULL,
                          "a class with custom properties has no hooks, or "
                          "its instances are larger than 2^20 bytes");
    }
    return OBV_OK;
}

/* `by_name` is scratch here: by offset. */
static enum obv_status check_overlap(struct obv_class *cls,
                                     struct obv_error *error)
{
    for (uint32_t i = 0; i < cls->property_count; i++) {
        cls->by_name[i] = (struct obv__named){cls->properties[i]->offset, i};
    }
    qsort(cls->by_name, cls->property_count, sizeof *cls->by_name, by_name);
    for (size_t i = 1; i < cls->property_count; i++) {
        const struct obv_property *left =
            cls->properties[cls->by_name[i - 1].index];
        const struct obv_property *right =
            cls->properties[cls->by_name[i].index];
        if (left->offset + left->size > right->offset) {
            /* One of the two at least is the class's own. */
            bool is_own = place_of_property(cls->table, right) <
                          cls->table->property_count;
            return bad_layout(error, cls->table, is_own ? right : left,
                              "two fields overlap");
        }
    }
    return OBV_OK;
}

/* Enters a property, and gathers in the class what any of them has. */
static enum obv_status enter_property(struct obv_class *cls, uint32_t index)
{
    const struct obv_property *property = cls->properties[index];
    enum obv_status status =
        obv_names_intern(cls->context->names, property->name,
                         strlen(property->name), &cls->names[index]);
    cls->by_name[index] = (struct obv__named){cls->names[index], index};
    cls->flags |= property->flags;
    cls->runs_code = cls->runs_code || cls->by_offset || property->equal;
    cls->has_computed = cls->has_computed || property->computed;
    if (cls->by_offset) {
        cls->by_offset[property->offset] = (uint16_t)(index + 1);
    }
    return status;
}

static enum obv_status fill_class(struct obv_class *cls,
                                  struct obv_error *error)
{
    const struct obv_class_table *table = cls->table;
    uint32_t count = cls->property_count;
    uint32_t inherited = cls->superclass ? cls->superclass->property_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        cls->properties[i] = i < inherited ? cls->superclass->properties[i]
                                           : &table->properties[i - inherited];
    }
    enum obv_status status = check_overlap(cls, error);
    if (status != OBV_OK) {
        return status;
    }
    status = obv_names_intern(cls->context->names, table->name,
                              strlen(table->name), &cls->name);
    for (uint32_t i = 0; status == OBV_OK && i < count; i++) {
        status = enter_property(cls, i);
    }
    if (status != OBV_OK) {
        return obv__fail_as(error, status);
    }
    cls->is_plain = !cls->runs_code && !cls->has_computed &&
                    !(cls->flags & (OBV_ALWAYS_DIFFERENT | OBV__AFAR));
    qsort(cls->by_name, count, sizeof *cls->by_name, by_name);
    for (size_t i = 1; i < count; i++) {
        if (cls->by_name[i].name == cls->by_name[i - 1].name) {
            return bad_layout(error, table,
                              cls->properties[cls->by_name[i].index],
                              "two properties have the same name");
        }
    }
    return OBV_OK;
}

static struct obv_class *named_locked(const struct obv_context *context,
                                      uint32_t name)
{
    struct obv_class *cls = context->classes;
    while (cls && cls->name != name) {
        cls = cls->next;
    }
    return cls;
}

static enum obv_status enlist_class(struct obv_class *cls,
                                    struct obv_error *error)
{
    enum obv_status status =
        obv__number_take(&obv__classes, CLASSES_MAX, cls, &cls->number);
    if (status != OBV_OK) {
        return obv__fail_as(error, status);
    }
    obv__lock_enter(&cls->context->lists);
    bool taken = named_locked(cls->context, cls->name) != NULL;
    if (!taken) {
        cls->next = cls->context->classes;
        cls->context->classes = cls;
    }
    obv__lock_leave(&cls->context->lists);
    if (taken) {
        obv__number_give_back(&obv__classes, cls->number);
        return bad_layout(error, cls->table, NULL,
                          "the context has a class of this name");
    }
    return OBV_OK;
}

static struct obv_class *allocate_class(struct obv_context *context,
                                        const struct obv_class_table *table,
                                        size_t count)
{
    size_t offsets = has_custom(table) ? table->instance_size : 0;
    size_t bytes = bytes_of(count, offsets);
    struct obv_class *cls = obv__context_allocate_zeroed(context, bytes);
    if (cls) {
        cls->context = context;
        cls->table = table;
        cls->superclass = table->superclass;
        const struct obv_class *above = table->superclass;
        bool inherits = above && !table->retain;
        cls->retain = inherits ? above->retain : table->retain;
        cls->release = inherits ? above->release : table->release;
        cls->observed_changed = above && !table->observed_changed
                                    ? above->observed_changed
                                    : table->observed_changed;
        cls->property_count = (uint16_t)count;
        cls->properties = (const struct obv_property **)(void *)(cls + 1);
        cls->by_name = (struct obv__named *)(void *)(cls->properties + count);
        cls->names = (uint32_t *)(void *)(cls->by_name + count);
        cls->by_offset_count = (uint32_t)offsets;
        if (offsets != 0) {
            cls->by_offset = (uint16_t *)(void *)(cls->names + count);
        }
    }
    return cls;
}

enum obv_status obv_class_create(struct obv_context *context,
                                 const struct obv_class_table *table,
                                 struct obv_class **made,
                                 struct obv_error *error)
{
    context = obv__context_or_default(context);
    if (!context) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    return obv__class_make(context, table, false, made, error);
}

enum obv_status obv__class_make(struct obv_context *context,
                                const struct obv_class_table *table,
                                bool is_foreign, struct obv_class **made,
                                struct obv_error *error)
{
    if (!table || !made || table->size != sizeof *table || !table->name ||
        table->name[0] == '\0' ||
        (table->property_count != 0 && !table->properties) ||
        (table->superclass && table->superclass->context != context)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "the table is null or incomplete, or its superclass "
                         "is of another context");
    }
    size_t count = table->property_count +
                   (table->superclass ? table->superclass->property_count : 0);
    if (count > 65000) {
        return obv__fail(error, OBV_E_LIMIT, "more than 65,000 properties");
    }
    enum obv_status status = check_table(table, is_foreign, error);
    if (status != OBV_OK) {
        return status;
    }
    struct obv_class *cls = allocate_class(context, table, count);
    if (!cls) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    status = fill_class(cls, error);
    if (status == OBV_OK) {
        cls->is_foreign = is_foreign;
        status = obv__dependencies_make(cls, error);
    }
    if (status == OBV_OK) {
        status = enlist_class(cls, error);
    }
    if (status != OBV_OK) {
        obv__dependencies_free(cls);
        obv__context_free(context, cls, bytes_of(count, cls->by_offset_count));
        return status;
    }
    if (cls->flags & OBV_ANY_THREAD) {
        /* Release, as obv__coalescing_init() asks for. */
        obv__store_release(&context->any_thread, true);
    }
    *made = cls;
    return OBV_OK;
}

/* Of a class that is in no list any more. */
static void free_class(struct obv_class *cls)
{
    while (cls->learned) {
        struct obv__learned *first = cls->learned;
        cls->learned = first->next;
        obv__context_free(cls->context, first, sizeof *first);
    }
    obv__dependencies_free(cls);
    obv__late_free(cls->context, cls->late);
    obv__number_give_back(&obv__classes, cls->number);
    obv__context_free(cls->context, cls,
                      bytes_of(cls->property_count, cls->by_offset_count));
}

void obv__class_unmake(struct obv_class *cls)
{
    struct obv_context *context = cls->context;
    obv__lock_enter(&context->lists);
    struct obv_class **at = &context->classes;
    while (*at != cls) {
        at = &(*at)->next;
    }
    *at = cls->next;
    obv__lock_leave(&context->lists);
    free_class(cls);
}

void obv__classes_free(struct obv_context *context)
{
    while (context->classes) {
        struct obv_class *cls = context->classes;
        context->classes = cls->next;
        free_class(cls);
    }
}

int32_t obv__class_find(const struct obv_class *cls, uint32_t name)
{
    const struct obv__named *by_name = cls->by_name;
    uint32_t first = 0, count = cls->property_count;
    while (count > 1) {
        uint32_t half = count / 2;
        first = by_name[first + half].name <= name ? first + half : first;
        count -= half;
    }
    if (count != 0 && by_name[first].name == name) {
        return (int32_t)by_name[first].index;
    }
    int32_t late = obv__late_find(obv__late_of(cls), name);
    return late < 0 ? -1 : (int32_t)cls->property_count + late;
}

struct obv_class *obv__class_named(struct obv_context *context,
                                   const char *name)
{
    uint32_t id = obv__names_find(context->names, name, strlen(name));
    obv__lock_enter(&context->lists);
    struct obv_class *cls = id ? named_locked(context, id) : NULL;
    obv__lock_leave(&context->lists);
    return cls;
}

static bool is_below(const struct obv_class *cls, const struct obv_class *other)
{
    while (cls && cls != other) {
        cls = cls->superclass;
    }
    return cls != NULL;
}

bool obv__class_below_has(const struct obv_class *cls, uint32_t name)
{
    struct obv_context *context = cls->context;
    bool found = false;
    obv__lock_enter(&context->lists);
    for (const struct obv_class *at = context->classes;
         at && !found && name != OBV_NAME_NONE; at = at->next) {
        found = is_below(at, cls) && obv__class_find(at, name) >= 0;
    }
    obv__lock_leave(&context->lists);
    return found;
}

void obv_class_come_after(struct obv_class *cls, struct obv_class *ahead)
{
    cls->ahead = ahead;
}

void obv_class_make_ahead(struct obv_class *ahead)
{
    ahead->is_ahead = true;
}

const struct obv_class_table *obv_class_table_of(const struct obv_class *cls)
{
    return cls->table;
}

enum obv_status obv_class_property_at(const struct obv_class *cls,
                                      uint32_t offset, uint32_t *index)
{
    if (!cls || !index) {
        return OBV_E_ARGUMENT;
    }
    if (offset >= OBV_LATE_OFFSET) {
        *index = offset - OBV_LATE_OFFSET;
        return obv__property_in(cls, *index) ? OBV_OK : OBV_E_UNKNOWN;
    }
    uint32_t found = obv__class_index_at(cls, offset);
    if (found != 0) {
        *index = found - 1;
    }
    return found != 0 ? OBV_OK : OBV_E_UNKNOWN;
}

enum obv_status obv_class_property(const struct obv_class *cls,
                                   const char *name, uint32_t *index)
{
    if (!cls || !name || !index) {
        return OBV_E_ARGUMENT;
    }
    uint32_t id = obv__names_find(cls->context->names, name, strlen(name));
    int32_t found = id ? obv__class_find(cls, id) : -1;
    if (found < 0) {
        return OBV_E_UNKNOWN;
    }
    *index = (uint32_t)found;
    return OBV_OK;
}
