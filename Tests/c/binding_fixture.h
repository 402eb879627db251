/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small language binding for tests: reference counted structs with custom
 * properties. As in a binding of another language, an object gets its class
 * when the library first meets it, properties are set by offset, and components
 * and views follow them. It uses the public interface and
 * <observable/detail.h>.
 */
#ifndef OBV_BINDING_FIXTURE_H
#define OBV_BINDING_FIXTURE_H

#include "contract_fixture.h"

#include <observable/component.h>

struct thing;

/* A struct as the value of a property; its field `held` leads on to an
   object. */
struct spot {
    int32_t x, y;
    struct thing *held;
};

struct thing {
    struct obv_object object;
    size_t references;
    unsigned type; /* of thing_classes */
    int64_t value;
    struct thing *next;
    struct spot spot;
    int64_t shared;     /* any thread */
    struct thing *link; /* any thread, under `link_lock` */
    char link_lock;
    uint64_t links; /* counts the values of `link`, under the same lock */
    int64_t constant;
};

enum { THING_VALUE, THING_NEXT, THING_SPOT, THING_SHARED, THING_LINK };
enum { THING_PROPERTIES = 5, THING_CLASSES = 8 };

/* Counts the binding's answers, and says what they do beside answering. */
static struct {
    size_t equal, equals, child, resolve, differs, changed; /* how often */
    void (*then)(void);       /* runs in a comparison, once */
    void (*in_child)(void);   /* runs in each `child` */
    void (*in_resolve)(void); /* runs in each `resolve` */
    bool child_is_short;      /* there is no memory for a `child` */
    bool child_is_value;      /* the value is no object */
} asked;

static struct obv_class *thing_classes[THING_CLASSES];
static size_t things; /* that live */

static inline void count_one(size_t *count, void (*also)(void))
{
    __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    if (also) {
        also();
    }
}

static inline void compares(size_t *count)
{
    void (*then)(void) = asked.then;
    if (then) {
        asked.then = NULL;
    }
    count_one(count, then);
}

static inline struct thing *thing_of(const struct obv_object *object)
{
    return (struct thing *)(uintptr_t)object;
}

static inline struct thing *thing_create(unsigned type)
{
    struct thing *thing = calloc(1, sizeof *thing);
    CHECK(thing);
    thing->object.word = OBV_DETAIL_NO_NODE;
    thing->references = 1;
    thing->type = type;
    __atomic_add_fetch(&things, 1, __ATOMIC_RELAXED);
    return thing;
}

static inline bool thing_retain(struct obv_object *object)
{
    return references_try(&thing_of(object)->references);
}

static inline void thing_release(struct obv_object *object)
{
    struct thing *thing = thing_of(object);
    if (thing && references_drop(&thing->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        thing_release((struct obv_object *)thing->next);
        thing_release((struct obv_object *)thing->spot.held);
        thing_release((struct obv_object *)thing->link);
        free(thing);
        __atomic_sub_fetch(&things, 1, __ATOMIC_RELAXED);
    }
}

static inline void drop(struct thing *thing)
{
    thing_release((struct obv_object *)thing);
}

static inline struct thing *keep(struct thing *thing)
{
    CHECK(!thing || thing_retain(&thing->object));
    return thing;
}

/* Makes an object known to the library: it gets its class. */
static inline struct obv_object *met(struct thing *thing)
{
    obv_object_adopt(&thing->object, thing_classes[thing->type]);
    return &thing->object;
}

/* Makes an object known and retains it; NULL stays NULL. */
static inline struct obv_object *handed_over(struct thing *thing)
{
    return thing ? met(keep(thing)) : NULL;
}

static inline void lock_link(struct thing *thing)
{
    while (__atomic_test_and_set(&thing->link_lock, __ATOMIC_ACQUIRE)) {
    }
}

static inline void unlock_link(struct thing *thing)
{
    __atomic_clear(&thing->link_lock, __ATOMIC_RELEASE);
}

/* Answers for properties --------------------------------------------------- */

static inline struct thing *const *place_of(const struct obv_property *property,
                                            const struct obv_object *object)
{
    return (struct thing *const *)(const void *)((const char *)object +
                                                 property->offset);
}

static inline bool value_equal(const struct obv_property *property_a,
                               struct obv_object *a,
                               const struct obv_property *property_b,
                               struct obv_object *b)
{
    compares(&asked.equal);
    int64_t *left = (int64_t *)(void *)((char *)a + property_a->offset);
    int64_t *right = (int64_t *)(void *)((char *)b + property_b->offset);
    return __atomic_load_n(left, __ATOMIC_SEQ_CST) ==
           __atomic_load_n(right, __ATOMIC_SEQ_CST);
}

static inline bool value_equals(const struct obv_property *property,
                                struct obv_object *object, const void *value)
{
    compares(&asked.equals);
    int64_t *stored = (int64_t *)(void *)((char *)object + property->offset);
    return __atomic_load_n(stored, __ATOMIC_SEQ_CST) == *(const int64_t *)value;
}

static inline bool next_equal(const struct obv_property *property_a,
                              struct obv_object *a,
                              const struct obv_property *property_b,
                              struct obv_object *b)
{
    compares(&asked.equal);
    return *place_of(property_a, a) == *place_of(property_b, b);
}

static inline bool next_equals(const struct obv_property *property,
                               struct obv_object *object, const void *value)
{
    compares(&asked.equals);
    return *place_of(property, object) == *(struct thing *const *)value;
}

static inline struct obv_object *next_child(const struct obv_property *property,
                                            struct obv_object *object)
{
    count_one(&asked.child, asked.in_child);
    if (asked.child_is_short && *place_of(property, object)) {
        obv_detail_report_no_memory();
        return NULL;
    }
    if (asked.child_is_value && *place_of(property, object)) {
        obv_detail_report_value();
        return NULL;
    }
    return handed_over(*place_of(property, object));
}

static inline struct obv_class *
next_declared(const struct obv_property *property)
{
    (void)property;
    return thing_classes[0];
}

static inline bool spot_equal(const struct obv_property *property_a,
                              struct obv_object *a,
                              const struct obv_property *property_b,
                              struct obv_object *b)
{
    (void)property_a;
    (void)property_b;
    compares(&asked.equal);
    return memcmp(&thing_of(a)->spot, &thing_of(b)->spot,
                  sizeof(struct spot)) == 0;
}

static inline struct obv_object *link_child(const struct obv_property *property,
                                            struct obv_object *object)
{
    (void)property;
    count_one(&asked.child, NULL);
    lock_link(thing_of(object));
    struct obv_object *child = handed_over(thing_of(object)->link);
    unlock_link(thing_of(object));
    return child;
}

static inline bool link_equal(const struct obv_property *property_a,
                              struct obv_object *a,
                              const struct obv_property *property_b,
                              struct obv_object *b)
{
    compares(&asked.equal);
    struct obv_object *left = link_child(property_a, a);
    struct obv_object *right = link_child(property_b, b);
    thing_release(left);
    thing_release(right);
    return left == right;
}

static inline bool link_equals(const struct obv_property *property,
                               struct obv_object *object, const void *value)
{
    (void)property;
    lock_link(thing_of(object));
    bool equal = thing_of(object)->link == *(struct thing *const *)value;
    unlock_link(thing_of(object));
    return equal;
}

static const struct obv_value_kind value_kind = {
    .size = sizeof value_kind, .equal = value_equal, .equals = value_equals};
static const struct obv_value_kind next_kind = {.size = sizeof next_kind,
                                                .equal = next_equal,
                                                .child = next_child,
                                                .declared = next_declared,
                                                .equals = next_equals};
static const struct obv_value_kind spot_kind = {.size = sizeof spot_kind,
                                                .equal = spot_equal};
static const struct obv_value_kind link_kind = {.size = sizeof link_kind,
                                                .equal = link_equal,
                                                .child = link_child,
                                                .equals = link_equals};

#define THING_FIELD(field, field_flags, answers)                               \
    {                                                                          \
        .name = #field, .kind = OBV_KIND_custom,                               \
        .offset = (uint32_t)offsetof(struct thing, field),                     \
        .size = (uint32_t)sizeof(((struct thing *)0)->field),                  \
        .flags = (field_flags), .custom = &(answers)                           \
    }

/* Classes of odd type have their properties in another order. */
static const struct obv_property thing_properties[2][THING_PROPERTIES] = {
    {
        [THING_VALUE] = THING_FIELD(value, 0, value_kind),
        [THING_NEXT] = THING_FIELD(next, 0, next_kind),
        [THING_SPOT] = THING_FIELD(spot, 0, spot_kind),
        [THING_SHARED] = THING_FIELD(shared, OBV_ANY_THREAD, value_kind),
        [THING_LINK] = THING_FIELD(link, OBV_ANY_THREAD, link_kind),
    },
    {
        THING_FIELD(link, OBV_ANY_THREAD, link_kind),
        THING_FIELD(shared, OBV_ANY_THREAD, value_kind),
        THING_FIELD(spot, 0, spot_kind),
        THING_FIELD(next, 0, next_kind),
        THING_FIELD(value, 0, value_kind),
    },
};

/* Setters, by offset ------------------------------------------------------- */

/* Whether the node's filter says that nobody observes this property. */
static inline bool is_filtered(const struct thing *thing, uint32_t offset)
{
    uintptr_t word = __atomic_load_n(&thing->object.word, __ATOMIC_ACQUIRE);
    if (word & OBV_DETAIL_NO_NODE) {
        return true;
    }
    const struct obv_detail_node *node =
        (const void *)(word & ~OBV_DETAIL_HAS_SLOTS);
    return !(__atomic_load_n(&node->flags, __ATOMIC_RELAXED) &
             obv_detail_filter_bit(offset));
}

static inline uint32_t look_at(struct thing *thing, size_t offset,
                               uint32_t *property)
{
    return is_filtered(thing, (uint32_t)offset)
               ? 0
               : obv_detail_look(&thing->object, (uint32_t)offset, property);
}

static inline void thing_set_value(struct thing *thing, int64_t value)
{
    uint32_t property;
    uint32_t look = look_at(thing, offsetof(struct thing, value), &property);
    int64_t old = thing->value;
    thing->value = value;
    if ((look & OBV_DETAIL_LOOK_WATCHED) && old != value) {
        obv_detail_changed_from(&thing->object, property, &old);
    }
}

static inline void thing_set_spot(struct thing *thing, int32_t x, int32_t y)
{
    uint32_t property;
    uint32_t look = look_at(thing, offsetof(struct thing, spot), &property);
    struct spot old = thing->spot;
    thing->spot.x = x;
    thing->spot.y = y;
    if (look & OBV_DETAIL_LOOK_WATCHED) {
        obv_detail_changed_from(&thing->object, property, &old);
    }
}

/* Takes a reference of its own. */
static inline void thing_set_held(struct thing *thing, struct thing *held)
{
    uint32_t property;
    uint32_t look = look_at(thing, offsetof(struct thing, spot), &property);
    struct spot old = thing->spot;
    thing->spot.held = keep(held);
    if (look & OBV_DETAIL_LOOK_WATCHED) {
        obv_detail_changed_from(&thing->object, property, &old);
    }
    drop(old.held);
}

static inline void thing_set_next(struct thing *thing, struct thing *next)
{
    uint32_t property;
    uint32_t look = look_at(thing, offsetof(struct thing, next), &property);
    struct thing *old = thing->next;
    thing->next = keep(next);
    if ((look & OBV_DETAIL_LOOK_WATCHED) && old != next) {
        obv_detail_changed_from(&thing->object, property, &old);
    }
    drop(old);
}

static inline void thing_set_shared(struct thing *thing, int64_t value)
{
    uint32_t property;
    int64_t old = __atomic_exchange_n(&thing->shared, value, __ATOMIC_SEQ_CST);
    uint32_t look = obv_detail_look(
        &thing->object, (uint32_t)offsetof(struct thing, shared), &property);
    const struct obv_detail_set set = {.old = &old};
    if ((look & OBV_DETAIL_LOOK_WATCHED) && old != value) {
        obv_detail_was_set(&thing->object, property, &set);
    }
}

static inline void thing_set_link(struct thing *thing, struct thing *link)
{
    uint32_t property;
    lock_link(thing);
    struct thing *old = thing->link;
    thing->link = keep(link);
    thing->links++;
    unlock_link(thing);
    uint32_t look = obv_detail_look(
        &thing->object, (uint32_t)offsetof(struct thing, link), &property);
    if (look & OBV_DETAIL_LOOK_WATCHED) {
        obv_detail_changed_from(&thing->object, property, &old);
    }
    drop(old);
}

/* Components --------------------------------------------------------------- */

/* The value that a component reads. */
enum reads {
    READS_PROPERTY, /* the property of this name */
    READS_X,        /* spot.x */
    READS_HELD,     /* spot.held */
    READS_CONSTANT,
    READS_UNKNOWN,
    READS_ODD /* the property on odd classes, unknown on others */
};

struct reading {
    enum reads reads;
    const char *property;
};

static inline enum obv_component_place
thing_resolve(const struct obv_component *component, struct obv_object *object,
              uint32_t *property)
{
    const struct reading *reading = component->context;
    count_one(&asked.resolve, asked.in_resolve);
    if (reading->reads == READS_CONSTANT) {
        return OBV_COMPONENT_CONSTANT;
    }
    if (reading->reads == READS_UNKNOWN ||
        (reading->reads == READS_ODD && thing_of(object)->type % 2 == 0)) {
        return OBV_COMPONENT_UNKNOWN;
    }
    CHECK_EQ(obv_class_property(obv_object_class(object), reading->property,
                                property),
             OBV_OK);
    return OBV_COMPONENT_PROPERTY;
}

static inline struct obv_object *
thing_child(const struct obv_component *component, struct obv_object *object)
{
    const struct reading *reading = component->context;
    CHECK(reading->reads != READS_PROPERTY);
    count_one(&asked.child, asked.in_child);
    return reading->reads == READS_X ? NULL
                                     : handed_over(thing_of(object)->spot.held);
}

static inline bool thing_differs(const struct obv_component *component,
                                 struct obv_object *before,
                                 struct obv_object *after)
{
    const struct reading *reading = component->context;
    compares(&asked.differs);
    CHECK(reading->reads != READS_PROPERTY);
    if (reading->reads == READS_CONSTANT) {
        return thing_of(before)->constant != thing_of(after)->constant;
    }
    return reading->reads == READS_X
               ? thing_of(before)->spot.x != thing_of(after)->spot.x
               : thing_of(before)->spot.held != thing_of(after)->spot.held;
}

static inline bool thing_changed(const struct obv_component *component,
                                 struct obv_object *object, const void *old,
                                 const void *now)
{
    const struct reading *reading = component->context;
    const struct spot *before = old;
    const struct spot *after = now ? now : &thing_of(object)->spot;
    compares(&asked.changed);
    return reading->reads == READS_X ? before->x != after->x
                                     : before->held != after->held;
}

static const struct obv_component_kind thing_component = {
    .size = sizeof thing_component,
    .resolve = thing_resolve,
    .child = thing_child,
    .differs = thing_differs,
    .changed = thing_changed,
};

static struct reading reads_value = {READS_PROPERTY, "value"};
static struct reading reads_next = {READS_PROPERTY, "next"};
static struct reading reads_link = {READS_PROPERTY, "link"};
static struct reading reads_x = {READS_X, "spot"};
static struct reading reads_held = {READS_HELD, "spot"};
static struct reading reads_constant = {READS_CONSTANT, NULL};
static struct reading reads_unknown = {READS_UNKNOWN, NULL};
static struct reading reads_odd = {READS_ODD, "value"};

#define COMPONENT(printed, read, is_plain)                                     \
    {                                                                          \
        .text = (printed), .kind = &thing_component, .context = &(read),       \
        .plain = (is_plain)                                                    \
    }

/* One of each, of the running test's process. */
static struct obv_component c_value = COMPONENT("?value", reads_value, true);
static struct obv_component c_next = COMPONENT("?next", reads_next, true);
static struct obv_component c_link = COMPONENT("?link", reads_link, true);
static struct obv_component c_x = COMPONENT("spot.x", reads_x, false);
static struct obv_component c_held = COMPONENT("spot.held", reads_held, false);
static struct obv_component c_constant =
    COMPONENT("constant", reads_constant, false);
static struct obv_component c_unknown =
    COMPONENT("unknown", reads_unknown, true);
static struct obv_component c_odd = COMPONENT("odd", reads_odd, true);

/* The world ---------------------------------------------------------------- */

struct binding {
    struct fixture fixture;
    struct obv_class_table tables[THING_CLASSES];
    char names[THING_CLASSES][16];
};

static inline void binding_begin(struct binding *binding, uint32_t batch)
{
    memset(&asked, 0, sizeof asked);
    fixture_begin_with(&binding->fixture, test_allocator(), batch);
    for (unsigned type = 0; type < THING_CLASSES; type++) {
        memcpy(binding->names[type], "thing0", 7);
        binding->names[type][5] = (char)('0' + type);
        binding->tables[type] = (struct obv_class_table){
            .size = sizeof(struct obv_class_table),
            .name = binding->names[type],
            .instance_size = sizeof(struct thing),
            .properties = thing_properties[type % 2],
            .property_count = THING_PROPERTIES,
            .retain = thing_retain,
            .release = thing_release,
        };
        CHECK_EQ(obv_class_create(binding->fixture.context,
                                  &binding->tables[type], &thing_classes[type],
                                  NULL),
                 OBV_OK);
    }
}

static inline void forget_component(struct obv_component *component)
{
    component->name = 0;
    memset(component->known, 0, sizeof component->known);
}

static inline void binding_end(struct binding *binding)
{
    (void)drain(&binding->fixture);
    CHECK_EQ(things, 0);
    fixture_end(&binding->fixture);
    forget_component(&c_value);
    forget_component(&c_next);
    forget_component(&c_link);
    forget_component(&c_x);
    forget_component(&c_held);
    forget_component(&c_constant);
    forget_component(&c_unknown);
    forget_component(&c_odd);
}

/* A path of components and names; each argument a component, or NULL for `*`.
   To be destroyed. */
static inline struct obv_path *path_of(const struct binding *binding,
                                       struct obv_component *const *components,
                                       size_t count)
{
    struct obv_element elements[80];
    struct obv_path *path = NULL;
    CHECK(count <= 80);
    for (size_t i = 0; i < count; i++) {
        elements[i] = components[i]
                          ? obv_component_element(components[i])
                          : (struct obv_element){OBV_ELEMENT_ANY, 0, 0};
    }
    CHECK_EQ(obv_path_make(obv_context_names(binding->fixture.context),
                           elements, count, &path, NULL),
             OBV_OK);
    return path;
}

#define PATH(binding, ...)                                                     \
    path_of((binding), (struct obv_component *const[]){__VA_ARGS__},           \
            sizeof((struct obv_component *const[]){__VA_ARGS__}) /             \
                sizeof(struct obv_component *))

static inline struct obv_observation *
watch(struct thing *root, const char *path, struct probe *probe)
{
    struct obv_observation *handle = NULL;
    CHECK_EQ(obv_observe(met(root), path, &probe->kind, probe, &handle, NULL),
             OBV_OK);
    return handle;
}

/* The same by a compiled path, which is destroyed. */
static inline struct obv_observation *watch_compiled(struct thing *root,
                                                     struct obv_path *path,
                                                     struct probe *probe,
                                                     uint32_t flags)
{
    struct obv_observation *handle = NULL;
    const struct obv_compiled_pair pair = {met(root), path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    CHECK_EQ(obv_observe_compiled(&pair, 1, &probe->kind, probe, &options,
                                  &handle, NULL),
             OBV_OK);
    obv_path_destroy(path);
    return handle;
}

static inline void check_unresolved(struct obv_observation *handle,
                                    const char *text)
{
    char buffer[64] = "";
    ptrdiff_t length = obv_unresolved_path(handle, 0, buffer, sizeof buffer);
    CHECK_EQ(length, text ? (ptrdiff_t)strlen(text) : -1);
    CHECK_TEXT(buffer, text ? text : "");
}

#endif
