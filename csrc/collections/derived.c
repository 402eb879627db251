/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a derived array follows: it is an immediate observer of its source, as
 * any, and an edit list says what has happened since it was called last. So
 * what the program edits while it is asked something is there the next time,
 * and a source is whatever tells of its edits.
 */
#include "collections/derived.h"

#include <observable/path.h>

#include <string.h>

static struct obv_context *
context_of_derivation(const struct obv_derivation *derivation)
{
    return derivation->owner->kind->context;
}

/* Following ---------------------------------------------------------------- */

static bool source_has_ended(const struct obv_derivation *derivation)
{
    return obv_has_ended(derivation->observation);
}

/* Whether the source can be read: what has been told is there. */
static enum obv_status check_source(const struct obv_derivation *derivation)
{
    if (source_has_ended(derivation)) {
        return OBV_E_ENDED;
    }
    return derivation->access->count(derivation->source) ==
                   derivation->source->count
               ? OBV_OK
               : OBV_E_ARGUMENT;
}

/* As if all had gone, and had come. */
static enum obv_status read_anew(struct obv_derivation *derivation)
{
    struct obv_edit_run runs[2];
    size_t count = 0;
    size_t before = obv__order_count(derivation->entries.root);
    enum obv_status status = check_source(derivation);
    if (status != OBV_OK) {
        return status;
    }
    if (obv__derived_has_keys(derivation)) {
        return obv__derived_read_all_keys(derivation);
    }
    if (before != 0) {
        runs[count++] = (struct obv_edit_run){0, OBV_NOWHERE, before, NULL};
    }
    if (derivation->source->count != 0) {
        runs[count++] = (struct obv_edit_run){OBV_NOWHERE, 0,
                                              derivation->source->count, NULL};
    }
    return obv__derived_follow_runs(derivation, runs, count, NULL);
}

/* The runs are of what the entries are, and lead to what the source is. */
static enum obv_status look(struct obv_derivation *derivation)
{
    struct obv_edits edits;
    enum obv_status status = obv_edit_list_take(derivation->list, &edits, NULL);
    derivation->is_behind = false;
    if (status == OBV_E_ENDED) {
        return OBV_OK;
    }
    derivation->is_lost = derivation->is_lost || status != OBV_OK;
    if (derivation->is_lost) {
        status = read_anew(derivation);
    } else if (edits.run_count != 0) {
        status = obv__derived_follow_runs(derivation, edits.runs,
                                          edits.run_count, NULL);
    } else if (edits.key_count != 0) {
        status = obv__derived_follow_keys(derivation, &edits);
    }
    derivation->is_lost = status != OBV_OK;
    obv_edits_deinit(&edits);
    return status;
}

/* Where the source has ended the array stays what it is. */
static enum obv_status refresh(struct obv_derivation *derivation)
{
    enum obv_status status = check_source(derivation);
    derivation->is_to_refresh = false;
    if (status == OBV_OK) {
        status = obv__derived_ask_all(derivation);
    }
    return status == OBV_E_ENDED ? OBV_OK : status;
}

static bool has_something_to_do(const struct obv_derivation *derivation)
{
    return derivation->is_lost || derivation->is_behind ||
           derivation->changed || derivation->is_to_refresh;
}

/* First what has happened to the source: only then the entries are its
   elements. */
static enum obv_status do_something(struct obv_derivation *derivation)
{
    if (derivation->is_lost || derivation->is_behind) {
        return look(derivation);
    }
    enum obv_status status = derivation->changed
                                 ? obv__derived_ask_changed(derivation)
                                 : refresh(derivation);
    derivation->is_to_refresh = derivation->is_to_refresh || status != OBV_OK;
    return status;
}

static void report_broken(struct obv_derivation *derivation)
{
    if (!derivation->is_reported) {
        derivation->is_reported = true;
        obv__diagnose(context_of_derivation(derivation),
                      &(const struct obv_diagnostic){
                          .kind = OBV_DIAGNOSTIC_DERIVED,
                          .text = derivation->broken == OBV_E_MEMORY
                                      ? "a derived array could not follow its "
                                        "source for want of memory"
                                      : "a derived array could not follow its "
                                        "source: an element could not be held "
                                        "or observed",
                          .label = derivation->kind->label});
    }
}

void obv__derived_follow(struct obv_derivation *derivation)
{
    struct obv_collection *owner = derivation->owner;
    enum obv_status status = OBV_OK;
    if (derivation->is_following || !obv__collection_hold(owner)) {
        return;
    }
    derivation->is_following = true;
    while (status == OBV_OK && has_something_to_do(derivation)) {
        status = do_something(derivation);
    }
    derivation->is_following = false;
    derivation->broken = status;
    if (status != OBV_OK) {
        report_broken(derivation);
    } else {
        derivation->is_reported = false;
    }
    obv__collection_release(owner);
}

/* Beginning ---------------------------------------------------------------- */

static void source_changed(void *observer, struct obv_object *root,
                           const struct obv_call *call)
{
    struct obv_derivation *derivation =
        ((struct obv_collection *)observer)->derivation;
    (void)root;
    (void)call;
    derivation->is_behind = true;
    obv__derived_follow(derivation);
}

static enum obv_status observe_source(struct obv_derivation *derivation,
                                      struct obv_error *error)
{
    static const struct obv_handler_kind kind = {
        .changed = source_changed,
        .retain = obv__derived_hold_observer,
        .release = obv__derived_release_observer,
        .label = "derived array",
        .flags = OBV_OBSERVER_IS_OBJECT};
    const struct obv_pair pair = {&derivation->source->object, "*"};
    const struct obv_observe_options options = {
        .size = sizeof options,
        .flags = OBV_IMMEDIATE,
        .compare = OBV_COMPARE_ALWAYS_DIFFERENT};
    return obv_observe_pairs(&pair, 1, &kind, derivation->owner, &options,
                             &derivation->observation, error);
}

static const struct obv_collection_kind own_kinds[] = {
    {.element = OBV_KIND_object},
    {.element = OBV_KIND_string},
    {.element = OBV_KIND_pointer}};

/* NULL: a derived array has no elements of this kind. */
static const struct obv_collection_kind *own_kind(enum obv_kind element)
{
    const struct obv_collection_kind *kind = NULL;
    for (size_t i = 0; i < sizeof own_kinds / sizeof *own_kinds; i++) {
        kind = own_kinds[i].element == element ? &own_kinds[i] : kind;
    }
    return kind;
}

/* An element that is shown is held as such while it is asked about. */
static void choose_input(struct obv_derivation *derivation)
{
    const struct obv_collection_class *source =
        obv__collection_class_or_null(derivation->source);
    const struct obv_collection_class *cls = derivation->output;
    derivation->own_input = (struct obv_collection_class){
        .kind = own_kind(derivation->access->element.kind), .cls = cls->cls};
    derivation->input = !obv__derived_maps(derivation) ? cls
                        : source                       ? source
                                                       : &derivation->own_input;
}

static size_t size_of_derivation(const struct obv_derived_kind *kind)
{
    return sizeof(struct obv_derivation) +
           kind->path_count * sizeof(struct obv_pair);
}

/* The array's from now on, which ends it. */
static struct obv_derivation *
make_derivation(struct obv_collection *owner, struct obv_container *source,
                const struct obv_derived_kind *kind, void *argument)
{
    struct obv_derivation *derivation = obv__context_allocate_zeroed(
        owner->kind->context, size_of_derivation(kind));
    if (!derivation) {
        return NULL;
    }
    derivation->owner = owner;
    derivation->access =
        obv_container_kind_of(obv_object_class(&source->object));
    derivation->kind = kind;
    derivation->argument = argument;
    derivation->last_changed = &derivation->changed;
    obv__order_init(&derivation->entries);
    obv__order_init(&derivation->ranks);
    obv__hash_table_init(&derivation->objects);
    obv__hash_table_init(&derivation->keys);
    obv__hash_table_init(&derivation->groups);
    for (size_t i = 0; i < kind->path_count; i++) {
        derivation->pairs[i].path = kind->paths[i];
    }
    owner->derivation = derivation;
    return derivation;
}

/* The program's code may edit the source, which is done behind what the array
   begins with. */
static enum obv_status begin_derivation(struct obv_derivation *derivation,
                                        struct obv_container *source,
                                        struct obv_error *error)
{
    enum obv_status status = obv__derived_hold_object(&source->object);
    if (status != OBV_OK) {
        return obv__fail(error, status, obv_status_text(status));
    }
    derivation->source = source;
    choose_input(derivation);
    status = obv_edit_list_create(NULL, source, &derivation->list, error);
    if (status == OBV_OK) {
        status = observe_source(derivation, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    derivation->is_following = true;
    status = read_anew(derivation);
    derivation->is_following = false;
    if (status != OBV_OK) {
        return obv__fail(error, status, obv_status_text(status));
    }
    derivation->is_begun = true;
    obv__derived_follow(derivation);
    return OBV_OK;
}

/* What is asked ------------------------------------------------------------ */

static enum obv_status check_paths(struct obv_context *context,
                                   const struct obv_derived_kind *kind,
                                   struct obv_error *error)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < kind->path_count; i++) {
        struct obv_path *path = NULL;
        status = obv_path_find(context->names, kind->paths[i],
                               kind->paths[i] ? strlen(kind->paths[i]) : 0,
                               &path, error);
        obv_path_destroy(path);
        if (status != OBV_OK && error) {
            error->index = i;
        }
    }
    return status;
}

static enum obv_status
check_derived_elements(const struct obv_container_kind *access,
                       const struct obv_derived_kind *kind,
                       const struct obv_collection_class *cls,
                       struct obv_error *error)
{
    const char *wrong = NULL;
    if (kind->map_pair && !access->key) {
        wrong = "the source is no dictionary";
    } else if (!own_kind(access->element.kind)) {
        wrong = "elements are derived that are objects, strings or pointers";
    } else if (!kind->map && !kind->map_pair &&
               access->element.kind != cls->kind->element) {
        wrong = "the elements of the class are of another kind than those of "
                "the source";
    } else if (kind->path_count != 0 &&
               access->element.kind != OBV_KIND_object) {
        wrong = "paths lead on from objects alone";
    }
    return wrong ? obv__fail(error, OBV_E_KIND, wrong) : OBV_OK;
}

static bool is_derived_kind(const struct obv_derived_kind *kind)
{
    return kind && kind->size == sizeof *kind &&
           (kind->path_count == 0 || kind->paths) &&
           !(kind->map && kind->map_pair);
}

/* An array of the class; NULL: of the source's. */
static enum obv_status make_output(const struct obv_container *source,
                                   struct obv_class *cls,
                                   struct obv_array **made,
                                   struct obv_error *error)
{
    const struct obv_array *array = obv__array_or_null(source);
    if (!cls && !array) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "the source is no array whose class would do");
    }
    return obv_array_create(cls ? cls : array->collection.kind->cls, made,
                            error);
}

/* What is asked of either, and of whose elements. */
static enum obv_status check_derived(const struct obv_container *source,
                                     const struct obv_derived_kind *kind,
                                     const struct obv_collection_class *cls,
                                     struct obv_error *error)
{
    enum obv_status status = check_derived_elements(
        obv_container_kind_of(obv_object_class(&source->object)), kind, cls,
        error);
    return status == OBV_OK ? check_paths(cls->context, kind, error) : status;
}

static bool is_container(const struct obv_container *source)
{
    return source && obv_container_kind_of(obv_object_class(&source->object));
}

/* What is made, of which one is NULL, and of what. */
struct derived_output {
    struct obv_array *array;
    struct obv_dictionary *dictionary;
    const struct obv_collection_class *arrays; /* of it, or of the groups */
    struct obv_class *group_class;             /* NULL: there are none */
};

static enum obv_status begin_output(const struct derived_output *output,
                                    struct obv_container *source,
                                    const struct obv_derived_kind *kind,
                                    void *argument, struct obv_error *error)
{
    enum obv_status status = check_derived(source, kind, output->arrays, error);
    if (status != OBV_OK) {
        return status;
    }
    struct obv_derivation *derivation =
        make_derivation(output->array ? &output->array->collection
                                      : &output->dictionary->collection,
                        source, kind, argument);
    if (!derivation) {
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    }
    derivation->output = output->arrays;
    derivation->group_class = output->group_class;
    derivation->array = output->array;
    derivation->dictionary = output->dictionary;
    return begin_derivation(derivation, source, error);
}

enum obv_status obv_derived_create(struct obv_container *source,
                                   const struct obv_derived_kind *kind,
                                   void *argument, struct obv_class *cls,
                                   struct obv_array **array,
                                   struct obv_error *error)
{
    struct obv_array *made = NULL;
    if (!is_container(source) || !is_derived_kind(kind) || kind->key ||
        !array) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null or wrong");
    }
    enum obv_status status = make_output(source, cls, &made, error);
    if (status == OBV_OK) {
        const struct derived_output output = {.array = made,
                                              .arrays = made->collection.kind};
        status = begin_output(&output, source, kind, argument, error);
    }
    if (status == OBV_OK) {
        *array = made;
    } else {
        obv_array_release(made);
    }
    return status;
}

/* The class of the arrays; NULL: that of the source. */
static struct obv_class *class_of_groups(const struct obv_container *source,
                                         struct obv_class *cls)
{
    const struct obv_array *array = obv__array_or_null(source);
    return cls || !array ? cls : array->collection.kind->cls;
}

static enum obv_status begin_groups(struct obv_dictionary *made,
                                    struct obv_container *source,
                                    const struct obv_derived_kind *kind,
                                    void *argument, struct obv_class *cls,
                                    struct obv_error *error)
{
    const struct obv_collection_class *arrays =
        cls ? obv__array_class_or_null(cls) : NULL;
    if (!arrays) {
        return obv__fail(
            error, OBV_E_ARGUMENT,
            "there is no class for the arrays, or it is of others");
    }
    if (made->collection.kind->kind->element != OBV_KIND_object) {
        return obv__fail(error, OBV_E_KIND,
                         "the elements of the dictionary are no objects");
    }
    if (arrays->context != made->collection.kind->context) {
        return obv__fail(error, OBV_E_OPTIONS,
                         "the two classes are of two contexts");
    }
    const struct derived_output output = {
        .dictionary = made, .arrays = arrays, .group_class = cls};
    return begin_output(&output, source, kind, argument, error);
}

enum obv_status obv_derived_group(struct obv_container *source,
                                  const struct obv_derived_kind *kind,
                                  void *argument, struct obv_class *cls,
                                  struct obv_class *array_cls,
                                  struct obv_dictionary **dictionary,
                                  struct obv_error *error)
{
    struct obv_dictionary *made = NULL;
    if (!is_container(source) || !is_derived_kind(kind) || !kind->key || !cls ||
        !dictionary) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null or wrong");
    }
    enum obv_status status = obv_dictionary_create(cls, &made, error);
    if (status == OBV_OK) {
        status = begin_groups(made, source, kind, argument,
                              class_of_groups(source, array_cls), error);
    }
    if (status == OBV_OK) {
        *dictionary = made;
    } else {
        obv_dictionary_release(made);
    }
    return status;
}

/* The end ------------------------------------------------------------------ */

/* No node's parent is read once it is freed. */
static void free_entries(struct obv_derivation *derivation)
{
    struct obv__derived_entry *leaving = NULL;
    struct obv__order_node *node = derivation->entries.root
                                       ? obv__order_at(&derivation->entries, 0)
                                       : NULL;
    for (; node; node = obv__order_next(node)) {
        struct obv__derived_entry *entry = obv__derived_entry_of(node);
        entry->object = NULL;
        entry->next_leaving = leaving;
        leaving = entry;
    }
    while (leaving) {
        struct obv__derived_entry *entry = leaving;
        leaving = entry->next_leaving;
        obv__derived_leave(derivation, entry);
    }
}

/* Its observations have ended with the array. */
void obv__derived_end(struct obv_collection *collection)
{
    struct obv_derivation *derivation = collection->derivation;
    if (derivation->owner != collection) { /* the array of a group */
        return;
    }
    const struct obv_derived_kind *kind = derivation->kind;
    struct obv_container *source = derivation->source;
    void *argument = derivation->argument;
    bool is_begun = derivation->is_begun;
    /* Else it may have ended. */
    bool is_held = source && derivation->access->retain;
    obv__derived_end_objects(derivation);
    free_entries(derivation);
    obv__derived_end_groups(derivation);
    obv__hash_table_deinit(&derivation->keys,
                           &context_of_derivation(derivation)->allocator);
    obv_edit_list_release(derivation->list);
    obv_release(derivation->observation);
    obv__context_free(collection->kind->context, derivation,
                      size_of_derivation(kind));
    if (is_held) {
        obv__derived_let_go_of_object(&source->object);
    }
    if (is_begun && kind->dispose) {
        kind->dispose(kind, argument);
    }
}

/* Asking a derived collection ---------------------------------------------- */

/* NULL: it is edited by the program, or is the array of a group. */
static struct obv_derivation *
derivation_of(const struct obv_container *container)
{
    struct obv_derivation *derivation =
        container && obv__collection_class_or_null(container)
            ? ((const struct obv_collection *)(const void *)container)
                  ->derivation
            : NULL;
    return derivation && derivation->owner ? derivation : NULL;
}

struct obv_container *obv_derived_source(const struct obv_container *derived)
{
    const struct obv_derivation *derivation = derivation_of(derived);
    return derivation ? derivation->source : NULL;
}

enum obv_status obv_derived_status(const struct obv_container *derived)
{
    const struct obv_derivation *derivation = derivation_of(derived);
    if (!derivation) {
        return OBV_E_ARGUMENT;
    }
    return derivation->broken == OBV_OK && source_has_ended(derivation)
               ? OBV_E_ENDED
               : derivation->broken;
}

enum obv_status obv_derived_refresh(struct obv_container *derived)
{
    struct obv_derivation *derivation = derivation_of(derived);
    if (!derivation) {
        return OBV_E_ARGUMENT;
    }
    enum obv_status status = check_source(derivation);
    if (status != OBV_OK) {
        return status;
    }
    struct obv_collection *owner = derivation->owner;
    derivation->is_to_refresh = true;
    if (obv__collection_hold(owner)) {
        obv__derived_follow(derivation);
        status = derivation->broken;
        obv__collection_release(owner);
    }
    return status;
}
