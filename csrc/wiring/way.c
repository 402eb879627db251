/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps and ways: finding, making and forgetting them.
 */
#include "wiring/way.h"

#include "model/context.h"

#include <string.h>

bool obv__somebody_wants;

/* By step, whose address is good as long as the branch is, then by key. */
static int compare_branches(const struct obv__branch *a,
                            const struct obv__branch *b)
{
    uintptr_t left = (uintptr_t)a->way.step, right = (uintptr_t)b->way.step;
    if (left != right) {
        return left < right ? -1 : 1;
    }
    return (a->way.key > b->way.key) - (a->way.key < b->way.key);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(obv__branches, obv__branch, entry, compare_branches,
                     __attribute__((unused)) static)

static struct obv__branch *branch_of(struct obv__way *way)
{
    return (struct obv__branch *)(void *)((char *)way -
                                          offsetof(struct obv__branch, way));
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
        found = obv__load_relaxed(&step->unwatched_ways) != 0 ||
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

/* Ways -------------------------------------------------------------------- */

static struct obv__branch *find_branch(struct obv__way *way,
                                       struct obv__step *step, uint32_t key)
{
    struct obv__branch like = {.way = {.step = step, .key = key}};
    return RB_FIND(obv__branches, &way->branches, &like);
}

struct obv__way *obv__way_below(struct obv__way *way, struct obv__step *step,
                                uint32_t key)
{
    if (!step->is_beneath) {
        return &step->own;
    }
    struct obv__branch *found = find_branch(way, step, key);
    return found ? &found->way : NULL;
}

struct obv__way *obv__way_make(struct obv__way *way, struct obv__step *step,
                               uint32_t key)
{
    struct obv__way *found = obv__way_below(way, step, key);
    if (found) {
        return found;
    }
    struct obv__branch *made =
        obv__context_allocate(step->paths->context, sizeof *made);
    if (!made) {
        return NULL;
    }
    memset(made, 0, sizeof *made);
    made->way.step = step;
    made->way.parent = way;
    made->way.edits = 1;
    made->way.key = key;
    RB_INSERT(obv__branches, &way->branches, made);
    return &made->way;
}

void obv__way_forget_if_idle(struct obv__way *way)
{
    if (way == &way->step->own || way->binding || way->lacks != 0 ||
        !RB_EMPTY(&way->branches)) {
        return;
    }
    struct obv__branch *branch = branch_of(way);
    /* Another thread may have been here before. */
    if (find_branch(way->parent, way->step, way->key) == branch) {
        RB_REMOVE(obv__branches, &way->parent->branches, branch);
        obv__retire(&way->step->paths->context->retired, &branch->retired,
                    OBV__RETIRED_BRANCH);
    }
}

uint32_t obv__way_next_key(const struct obv__way *way, uint32_t least)
{
    struct obv__branches *branches =
        (struct obv__branches *)(uintptr_t)&way->branches;
    uint32_t next = 0;
    for (struct obv__step *child = obv__step_first_child(way->step); child;
         child = obv__step_next_sibling(child)) {
        struct obv__branch like = {.way = {.step = child, .key = least}};
        struct obv__branch *found = RB_NFIND(obv__branches, branches, &like);
        if (found && found->way.step == child &&
            (next == 0 || found->way.key < next)) {
            next = found->way.key;
        }
    }
    return next;
}

struct obv__way *obv__way_next(struct obv__step *step,
                               const struct obv__way *way)
{
    if (!step->is_beneath) {
        return way ? NULL : &step->own;
    }
    struct obv__step *above = obv__step_parent(step);
    struct obv__way *parent = way ? way->parent : obv__way_next(above, NULL);
    struct obv__branch like = {.way = {.step = step}};
    like.way.key = way ? way->key + 1 : 0;
    for (; parent; parent = obv__way_next(above, parent)) {
        struct obv__branch *found =
            RB_NFIND(obv__branches, &parent->branches, &like);
        if (found && found->way.step == step) {
            return &found->way;
        }
        like.way.key = 0;
    }
    return NULL;
}

/* What a way lacks ---------------------------------------------------------- */

static uint32_t lack_of(const struct obv__step *step)
{
    return (uint32_t)1 << (uintptr_t)step / sizeof *step % 31;
}

void obv__way_set_lacks(struct obv__way *way, uint32_t lacks)
{
    uint32_t ways = way->step->unwatched_ways;
    ways += (lacks & OBV__LACKS_WATCHER) != 0;
    ways -= (way->lacks & OBV__LACKS_WATCHER) != 0;
    obv__store_relaxed(&way->step->unwatched_ways, ways);
    obv__store_relaxed(&way->lacks, lacks);
}

void obv__way_lacks_below(struct obv__way *way, struct obv__step *step)
{
    bool is_only = !step->lacked_by || step->lacked_by == way;
    obv__store_relaxed(&step->lacked_by, is_only ? way : &step->own);
    obv__way_set_lacks(way, way->lacks | lack_of(step));
}

/* Whether any way of a step lacks this. */
static bool is_lacked(struct obv__step *step, uint32_t lack)
{
    struct obv__way *way = obv__way_next(step, NULL);
    while (way && !(way->lacks & lack)) {
        way = obv__way_next(step, way);
    }
    return way != NULL;
}

/* Of several ways that lacked a step below and one that did not, that one counts as
   well if it has the bit for another step. */
static bool lacked(const struct obv__way *way, const struct obv__step *step,
                   uint32_t lacks)
{
    return (lacks & lack_of(step)) &&
           (step->lacked_by == way || step->lacked_by == &step->own);
}

bool obv__way_lacked(const struct obv__way *way, const struct obv__step *step,
                     uint32_t lacks)
{
    while (obv__step_parent(step) != way->step) {
        step = obv__step_parent(step);
    }
    return (lacks & OBV__LACKS_WATCHER) || lacked(way, step, lacks);
}

void obv__way_lacks_no_more(struct obv__way *way, uint32_t lacks)
{
    for (struct obv__step *child = obv__step_first_child(way->step); child;
         child = obv__step_next_sibling(child)) {
        if (lacked(way, child, lacks & ~way->lacks)) {
            bool is_left =
                child->lacked_by != way && is_lacked(way->step, lack_of(child));
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

const uint32_t *obv__way_keys(const struct obv__way *way, uint32_t last,
                              uint32_t keys[OBV_PATH_COUNT_MAX], size_t *count)
{
    size_t first = OBV_PATH_COUNT_MAX;
    if (last != 0) {
        keys[--first] = last;
    }
    for (; way; way = way->parent) {
        if (way->key != 0) {
            keys[--first] = way->key;
        }
    }
    *count = OBV_PATH_COUNT_MAX - first;
    return &keys[first];
}

void obv__branch_free(struct obv_context *context, struct obv__retired *block)
{
    obv__context_free(context, block, sizeof(struct obv__branch));
}
