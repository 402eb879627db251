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

static bool is_short_at(uint64_t at)
{
    return at != 0 && at != OBV__WAY_UNKNOWN;
}

/* Relaxed, here and below: an answer for this moment. */
bool obv__step_is_short(const struct obv__step *step)
{
    bool found = false;
    for (; step && !found; step = obv__step_parent(step)) {
        found = is_short_at(obv__load_relaxed(&step->own.short_at)) ||
                obv__load_relaxed(&step->short_ways) != 0 ||
                obv__load_relaxed(&step->has_no_room) ||
                obv__load_relaxed(&step->is_unwatched);
    }
    return found;
}

void obv__way_set_short(struct obv__step *step, struct obv__way *way,
                        uint64_t at)
{
    if (way && way != &step->own) {
        uint32_t ways = step->short_ways;
        ways += is_short_at(at);
        ways -= is_short_at(way->short_at);
        obv__store_relaxed(&step->short_ways, ways);
        obv__store_relaxed(&way->short_at, at);
        at = at == OBV__WAY_UNKNOWN ? at : 0;
    }
    obv__store_relaxed(&step->own.short_at, at);
}

bool obv__step_is_unknown(const struct obv__step *step)
{
    while (step && obv__load_relaxed(&step->own.short_at) != OBV__WAY_UNKNOWN) {
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
    if (way == &way->step->own || way->binding || is_short_at(way->short_at) ||
        way->lacks != 0 || !RB_EMPTY(&way->branches)) {
        return;
    }
    struct obv__branch *branch = branch_of(way);
    /* Another thread may have been here before. */
    if (find_branch(way->parent, way->step, way->key) == branch) {
        RB_REMOVE(obv__branches, &way->parent->branches, branch);
        obv__way_set_short(way->step, way, 0);
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

struct branch_search {
    struct obv__step *step;
    void (*each)(void *context, struct obv__way *way);
    void *context;
};

static void each_branch(void *context, struct obv__way *parent)
{
    struct branch_search *search = context;
    struct obv__branch like = {.way = {.step = search->step, .key = 0}};
    struct obv__branch *branch =
        RB_NFIND(obv__branches, &parent->branches, &like);
    while (branch && branch->way.step == search->step) {
        struct obv__branch *next =
            RB_NEXT(obv__branches, &parent->branches, branch);
        search->each(search->context, &branch->way);
        branch = next;
    }
}

void obv__each_way(struct obv__step *step,
                   void (*each)(void *context, struct obv__way *way),
                   void *context)
{
    struct branch_search search = {step, each, context};
    if (step->is_beneath) {
        obv__each_way(obv__step_parent(step), each_branch, &search);
    } else {
        each(context, &step->own);
    }
}

/* What a way lacks ---------------------------------------------------------- */

static uint32_t lack_of(const struct obv__step *step)
{
    return (uint32_t)1 << (uintptr_t)step / sizeof *step % 31;
}

void obv__way_lacks_below(struct obv__way *way, struct obv__step *step)
{
    bool is_only = !step->has_no_room || step->lacked_by == way;
    step->lacked_by = is_only ? way : NULL;
    obv__store_relaxed(&way->lacks, way->lacks | lack_of(step));
    obv__store_relaxed(&step->has_no_room, true);
}

void obv__way_lacks_watcher(struct obv__way *way)
{
    obv__store_relaxed(&way->lacks, way->lacks | OBV__LACKS_WATCHER);
    obv__store_relaxed(&way->step->is_unwatched, true);
}

struct lack_search {
    uint32_t lack;
    bool found;
};

static void find_lack(void *context, struct obv__way *way)
{
    struct lack_search *search = context;
    search->found = search->found || (way->lacks & search->lack);
}

/* Whether any way of a step lacks this. */
static bool is_lacked(struct obv__step *step, uint32_t lack)
{
    struct lack_search search = {lack, false};
    obv__each_way(step, find_lack, &search);
    return search.found;
}

uint32_t obv__way_take_lacks(struct obv__way *way, uint32_t of)
{
    uint32_t taken = way->lacks & of;
    obv__store_relaxed(&way->lacks, way->lacks & ~of);
    if (taken & OBV__LACKS_WATCHER) {
        obv__store_relaxed(&way->step->is_unwatched,
                           is_lacked(way->step, OBV__LACKS_WATCHER));
    }
    return taken;
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

/* Whether a way lacked a step, whose bit it had. Of several that did not, one
   that has the bit for another step counts as well. */
static bool was_lacked_by(const struct obv__step *step,
                          const struct obv__way *way)
{
    return step->has_no_room && (!step->lacked_by || step->lacked_by == way);
}

struct obv__step *obv__way_take_lacked(struct obv__way *way, uint32_t lacks,
                                       const struct obv__step *last)
{
    struct obv__step *taken = NULL;
    for (struct obv__step *child = obv__step_first_child(way->step); child;
         child = obv__step_next_sibling(child)) {
        if ((lacks & lack_of(child)) && was_lacked_by(child, way)) {
            taken = first_behind(last, taken, child);
        }
    }
    /* Not if it is lacked once more, since the bits were taken. */
    if (taken && !(way->lacks & lack_of(taken))) {
        bool is_left =
            !taken->lacked_by && is_lacked(way->step, lack_of(taken));
        taken->lacked_by = NULL;
        obv__store_relaxed(&taken->has_no_room, is_left);
    }
    return taken;
}

/* Names --------------------------------------------------------------------- */

size_t obv__way_keys(const struct obv__way *way, uint32_t last,
                     uint32_t keys[OBV_PATH_COUNT_MAX])
{
    size_t count = last != 0;
    for (const struct obv__way *at = way; at; at = at->parent) {
        count += at->key != 0;
    }
    size_t place = count;
    if (last != 0) {
        keys[--place] = last;
    }
    for (const struct obv__way *at = way; at; at = at->parent) {
        if (at->key != 0) {
            keys[--place] = at->key;
        }
    }
    return count;
}

void obv__branch_free(struct obv_context *context, struct obv__retired *block)
{
    obv__context_free(context, block, sizeof(struct obv__branch));
}
