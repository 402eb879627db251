/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps and path instances: finding, making and forgetting them.
 */
#include "wiring/path_instance.h"

#include "model/context.h"

#include <string.h>

bool obv__somebody_wants;

/* By step, whose address is good as long as the branch is, then by key. */
static int compare_branches(const struct obv__branch *a,
                            const struct obv__branch *b)
{
    uintptr_t left = (uintptr_t)a->instance.step,
              right = (uintptr_t)b->instance.step;
    if (left != right) {
        return left < right ? -1 : 1;
    }
    return (a->instance.key > b->instance.key) -
           (a->instance.key < b->instance.key);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(obv__branches, obv__branch, entry, compare_branches,
                     __attribute__((unused)) static)

static struct obv__branch *branch_of(struct obv__path_instance *instance)
{
    return (
        struct obv__branch *)(void *)((char *)instance -
                                      offsetof(struct obv__branch, instance));
}

/* Steps ------------------------------------------------------------------- */

size_t obv__step_elements(const struct obv__step *step,
                          struct obv_element elements[OBV_PATH_COUNT_MAX])
{
    size_t count = obv_trie_node_depth(obv__step_node(step));
    for (size_t i = count; i-- > 0; step = obv__step_parent(step)) {
        elements[i] = *obv__step_element(step);
    }
    return count;
}

/* Relaxed, here and below: an answer for this moment. */
bool obv__step_is_short(const struct obv__step *step)
{
    bool found = false;
    for (; step && !found; step = obv__step_parent(step)) {
        found = obv__load_relaxed(&step->unwatched_instances) != 0 ||
                obv__load_relaxed(&step->lacked_by);
    }
    return found;
}

bool obv__step_is_unknown(const struct obv__step *step)
{
    while (step && !obv__load_relaxed(&step->is_unknown)) {
        step = obv__step_parent(step);
    }
    return step != NULL;
}

void obv__ends_below_locked(const struct obv__step *step,
                            void (*each)(void *context,
                                         struct obv__watcher *end),
                            void *context)
{
    for (struct obv__watcher *w = obv__first(&step->ends); w; w = w->next) {
        each(context, w);
    }
    for (struct obv__step *child = obv__step_first_child(step); child;
         child = obv__step_next_sibling(child)) {
        obv__ends_below_locked(child, each, context);
    }
}

static void note_end(void *found, struct obv__watcher *end)
{
    (void)end;
    *(bool *)found = true;
}

bool obv__step_is_followed(const struct obv__step *step)
{
    bool found = false;
    obv__ends_below_locked(step, note_end, &found);
    return found;
}

/* Path instances ---------------------------------------------------------- */

static struct obv__branch *find_branch(struct obv__path_instance *instance,
                                       struct obv__step *step, uint32_t key)
{
    struct obv__branch like = {.instance = {.step = step, .key = key}};
    return RB_FIND(obv__branches, &instance->branches, &like);
}

struct obv__path_instance *
obv__path_instance_below(struct obv__path_instance *instance,
                         struct obv__step *step, uint32_t key)
{
    if (!step->is_beneath) {
        return &step->own;
    }
    struct obv__branch *found = find_branch(instance, step, key);
    return found ? &found->instance : NULL;
}

struct obv__path_instance *
obv__path_instance_make(struct obv__path_instance *instance,
                        struct obv__step *step, uint32_t key)
{
    struct obv__path_instance *found =
        obv__path_instance_below(instance, step, key);
    if (found) {
        return found;
    }
    struct obv__branch *made =
        obv__context_allocate(step->paths->context, sizeof *made);
    if (!made) {
        return NULL;
    }
    memset(made, 0, sizeof *made);
    made->instance.step = step;
    made->instance.parent = instance;
    made->instance.edits = 1;
    made->instance.key = key;
    RB_INSERT(obv__branches, &instance->branches, made);
    return &made->instance;
}

void obv__path_instance_forget_if_idle(struct obv__path_instance *instance)
{
    if (instance == &instance->step->own || instance->binding ||
        instance->lacks != 0 || !RB_EMPTY(&instance->branches)) {
        return;
    }
    struct obv__branch *branch = branch_of(instance);
    /* Another thread may have been here before. */
    if (find_branch(instance->parent, instance->step, instance->key) ==
        branch) {
        RB_REMOVE(obv__branches, &instance->parent->branches, branch);
        obv__retire(&instance->step->paths->context->retired, &branch->retired,
                    OBV__RETIRED_BRANCH);
    }
}

uint32_t obv__path_instance_next_key(const struct obv__path_instance *instance,
                                     uint32_t least)
{
    struct obv__branches *branches =
        (struct obv__branches *)(uintptr_t)&instance->branches;
    uint32_t next = 0;
    for (struct obv__step *child = obv__step_first_child(instance->step); child;
         child = obv__step_next_sibling(child)) {
        struct obv__branch like = {.instance = {.step = child, .key = least}};
        struct obv__branch *found = RB_NFIND(obv__branches, branches, &like);
        if (found && found->instance.step == child &&
            (next == 0 || found->instance.key < next)) {
            next = found->instance.key;
        }
    }
    return next;
}

struct obv__path_instance *
obv__path_instance_next(struct obv__step *step,
                        const struct obv__path_instance *instance)
{
    if (!step->is_beneath) {
        return instance ? NULL : &step->own;
    }
    struct obv__step *above = obv__step_parent(step);
    struct obv__path_instance *parent =
        instance ? instance->parent : obv__path_instance_next(above, NULL);
    struct obv__branch like = {.instance = {.step = step}};
    like.instance.key = instance ? instance->key + 1 : 0;
    for (; parent; parent = obv__path_instance_next(above, parent)) {
        struct obv__branch *found =
            RB_NFIND(obv__branches, &parent->branches, &like);
        if (found && found->instance.step == step) {
            return &found->instance;
        }
        like.instance.key = 0;
    }
    return NULL;
}

/* What a path instance lacks ------------------------------------------------ */

static uint32_t lack_of(const struct obv__step *step)
{
    return (uint32_t)1 << (uintptr_t)step / sizeof *step % 31;
}

void obv__path_instance_set_lacks(struct obv__path_instance *instance,
                                  uint32_t lacks)
{
    uint32_t instances = instance->step->unwatched_instances;
    instances += (lacks & OBV__LACKS_WATCHER) != 0;
    instances -= (instance->lacks & OBV__LACKS_WATCHER) != 0;
    obv__store_relaxed(&instance->step->unwatched_instances, instances);
    obv__store_relaxed(&instance->lacks, lacks);
}

void obv__path_instance_lacks_below(struct obv__path_instance *instance,
                                    struct obv__step *step)
{
    bool is_only = !step->lacked_by || step->lacked_by == instance;
    obv__store_relaxed(&step->lacked_by, is_only ? instance : &step->own);
    obv__path_instance_set_lacks(instance, instance->lacks | lack_of(step));
}

/* Whether any path instance of a step lacks this. */
static bool is_lacked(struct obv__step *step, uint32_t lack)
{
    struct obv__path_instance *instance = obv__path_instance_next(step, NULL);
    while (instance && !(instance->lacks & lack)) {
        instance = obv__path_instance_next(step, instance);
    }
    return instance != NULL;
}

/* Of several path instances that lacked a step below and one that did not, that
   one counts as well if it has the bit for another step. */
static bool lacked(const struct obv__path_instance *instance,
                   const struct obv__step *step, uint32_t lacks)
{
    return (lacks & lack_of(step)) &&
           (step->lacked_by == instance || step->lacked_by == &step->own);
}

bool obv__path_instance_lacked(const struct obv__path_instance *instance,
                               const struct obv__step *step, uint32_t lacks)
{
    while (obv__step_parent(step) != instance->step) {
        step = obv__step_parent(step);
    }
    return (lacks & OBV__LACKS_WATCHER) || lacked(instance, step, lacks);
}

void obv__path_instance_lacks_no_more(struct obv__path_instance *instance,
                                      uint32_t lacks)
{
    for (struct obv__step *child = obv__step_first_child(instance->step); child;
         child = obv__step_next_sibling(child)) {
        if (lacked(instance, child, lacks & ~instance->lacks)) {
            bool is_left = child->lacked_by != instance &&
                           is_lacked(instance->step, lack_of(child));
            obv__store_relaxed(&child->lacked_by, is_left ? &child->own : NULL);
        }
    }
}

/* The one of two steps that comes first behind `last`. */
static struct obv__step *first_behind(const struct obv__step *last,
                                      struct obv__step *a, struct obv__step *b)
{
    if (!b || (uintptr_t)b <= (uintptr_t)last) {
        return a;
    }
    return !a || (uintptr_t)b < (uintptr_t)a ? b : a;
}

struct obv__step *obv__step_next_below(const struct obv__step *step,
                                       const struct obv__step *last)
{
    struct obv__step *next = NULL;
    for (struct obv__step *child = obv__step_first_child(step); child;
         child = obv__step_next_sibling(child)) {
        next = first_behind(last, next, child);
        next = first_behind(last, next, obv__step_next_below(child, last));
    }
    return next;
}

/* Names --------------------------------------------------------------------- */

const uint32_t *
obv__path_instance_keys(const struct obv__path_instance *instance,
                        uint32_t last, uint32_t keys[OBV_PATH_COUNT_MAX],
                        size_t *count)
{
    size_t first = OBV_PATH_COUNT_MAX;
    if (last != 0) {
        keys[--first] = last;
    }
    for (; instance; instance = instance->parent) {
        if (instance->key != 0) {
            keys[--first] = instance->key;
        }
    }
    *count = OBV_PATH_COUNT_MAX - first;
    return &keys[first];
}

void obv__branch_free(struct obv_context *context, struct obv__retired *block)
{
    obv__context_free(context, block, sizeof(struct obv__branch));
}
