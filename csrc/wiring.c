/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wiring: how paths follow replaced objects, on any thread, without running
 * anybody's code under a lock.
 *
 * To bring the steps below a step in line with the object behind its slot:
 *
 *   W1  note the step's edit number
 *   W2  read the object behind the slot, holding no lock; be done if the step
 *       hangs elsewhere by now. What a language binding reads (a custom
 *       property, a component) comes with a reference, given back after W7
 *   W3  enter the paths lock; if the number has moved, leave and begin at W1.
 *       If it is not known yet what a component below is on that object's
 *       class, leave as well, let it learn, and begin at W1
 *   W4  exchange bindings: the children's old ones are unlinked from the old
 *       object's slots, new ones are linked into the new object's
 *   W5  leave; raise the moment
 *   W6  compare what ends there in the old object and in the new, holding no
 *       lock; what differs is due
 *   W7  the same for each child that moved and has children
 *
 * An edit of a slot stores its value, then moves the number of each step bound
 * there, then does W1 to W7.
 *
 * The wiring that is left is that of the value stored last. Let value V be
 * stored last, by edit E. E moves the number after its store; whoever passes W3
 * later with a number noted after that move has read V in W2. Whoever noted an
 * earlier number and has not passed W3 finds that it moved and begins again;
 * whoever passed W3 earlier is overwritten by E, which passes W3 after its own
 * move. Each repetition is due to another edit that made progress.
 *
 * No change below is lost while a child moves. A binding is linked (W4) before
 * the value behind it is read (W6, and W2 of W7). An edit stores its value,
 * then looks for watchers. Either it finds the binding, or the link came after
 * its look, and then W6 or W2 read its value. (For values that any thread may
 * set, both sides are full fences: the setter's exchange, and the moment.)
 *
 * The old object lives through W6. It is found under the lock, where its end
 * would have had to take the binding away first; a try published there, before
 * the binding goes, makes its end wait until the comparison is over. Comparison
 * is the core's own and waits for nothing; but where a language binding
 * compares, whose code may do anything, the try covers only the `retain` of the
 * old object. One that is at its end already counts as different, and so does
 * one that has no hooks. The new object is then held by a reference as well.
 *
 * Only the object of the edit, and what its thread has reached from it, is read
 * in W2: where another thread has bound the step to an object of its own, that
 * object may end under our eyes, and that thread does W1 to W7 for it.
 *
 * Top down, each level linked before the next is read: an edit in the middle
 * meets either the old wiring or the new, and in both cases a number to move.
 */
#include "wiring.h"

#include "matcher.h"
#include "platform/pause_point.h"

#include <string.h>

static struct obv_trie_node *node_of(const struct obv__step *step)
{
    return obv_trie_node_of_payload(step);
}

static const struct obv_element *element_of(const struct obv__step *step)
{
    return obv_trie_node_element(node_of(step));
}

static struct obv__step *step_at(const struct obv_trie_node *node)
{
    return node ? obv_trie_node_payload(node) : NULL;
}

static struct obv__step *parent_of(const struct obv__step *step)
{
    return step_at(obv_trie_node_parent(node_of(step)));
}

static struct obv__step *first_child(const struct obv__step *step)
{
    return step_at(obv_trie_node_first_child(node_of(step)));
}

static struct obv__step *next_sibling(const struct obv__step *step)
{
    return step_at(obv_trie_node_next_sibling(node_of(step)));
}

static void move_on(struct obv__step *step)
{
    /* Seq_cst: after the store of the value, before W1; see the argument. */
    obv__fetch_add_seq_cst(&step->edits, 1);
}

/* The object that a step's element is looked up on now, or NULL. */
static struct obv_object *container_of(const struct obv__step *step)
{
    /* Acquire: the binding's fields are seen; it is readable in a section. */
    struct obv__watcher *binding = obv__load_acquire(&step->binding);
    return binding ? (struct obv_object *)obv__load_acquire(&binding->place)
                   : NULL;
}

/* Binding and letting go, under the paths lock ---------------------------- */

static void unhang_locked(struct obv__step *step, struct obv__watcher *watcher)
{
    struct obv__lock *stripe = obv__lock_stripe((void *)watcher->place);
    obv__lock_enter(stripe);
    obv__unlink_locked(watcher);
    obv__lock_leave(stripe);
    obv__watcher_retire(step->paths->context, watcher);
}

static void end_life_locked(struct obv__step *step)
{
    struct obv__watcher *life = step->life;
    if (life) {
        step->life = NULL;
        unhang_locked(step, life);
    }
}

static void unbind_locked(struct obv__step *step)
{
    struct obv__watcher *binding = step->binding;
    end_life_locked(step);
    if (!binding) {
        return;
    }
    /* Release: who reads NULL does not look for it. Its memory waits. */
    obv__store_release(&step->binding, NULL);
    unhang_locked(step, binding);
    move_on(step);
}

/* Whether a slot is that of a property whose object may end while it is there:
   who watches it has to learn of that end. */
static bool is_weak_slot(const struct obv_object *container, uint32_t slot)
{
    return slot <= OBV__SLOT_LAST &&
           (obv__class_of(container)->properties[slot]->flags & OBV_WEAK);
}

bool obv__is_weak_end(const struct obv_object *root,
                      const struct obv_element *element)
{
    uint32_t slot = obv__slot_on(element, root);
    return slot != OBV__NO_SLOT && is_weak_slot(root, slot);
}

/* The same of a binding, without a look at its object. */
static bool is_at_weak(const struct obv__watcher *binding)
{
    return binding && (binding->type & OBV__AT_WEAK);
}

/* Hangs a step into the slot of `container`; false: no memory. */
static bool bind_locked(struct obv__step *step, struct obv_object *container,
                        uint32_t slot)
{
    struct obv_context *context = step->paths->context;
    bool weak = is_weak_slot(container, slot);
    struct obv__watcher *binding =
        obv__watcher_allocate(context, sizeof(struct obv__watcher),
                              OBV__BINDING | (weak ? OBV__AT_WEAK : 0u));
    if (!binding) {
        return false;
    }
    if (!obv__list_prepare(container, slot)) {
        obv__context_free(context, binding, sizeof *binding);
        return false;
    }
    binding->of = step;
    struct obv__lock *stripe = obv__lock_stripe(container);
    obv__lock_enter(stripe);
    obv__link_locked(container, slot, binding);
    /* For a view the setter has to hand the old value over. */
    if (first_child(step) || obv__matcher_is_view(element_of(step)) || weak) {
        obv__mark_middle_locked(binding);
    }
    obv__lock_leave(stripe);
    /* Release: container_of() sees its place. */
    obv__store_release(&step->binding, binding);
    move_on(step);
    return true;
}

/* Of a step at a weak property: hangs its second watcher at the object that is
   there now; false: no memory, so its end will not be seen. */
static bool move_life_locked(struct obv__step *step, struct obv_object *fresh)
{
    struct obv_context *context = step->paths->context;
    const struct obv__watcher *binding = step->binding;
    struct obv_object *target =
        is_at_weak(binding) && fresh && obv__class_of(fresh)->context == context
            ? fresh
            : NULL;
    if (step->life && step->life->place == (uintptr_t)target) {
        return true;
    }
    end_life_locked(step);
    if (!target) {
        return true;
    }
    struct obv__watcher *life = obv__watcher_allocate(
        context, sizeof(struct obv__watcher), OBV__BINDING);
    if (!life || !obv__list_prepare(target, OBV__SLOT_NONE)) {
        obv__context_free(context, life, sizeof *life);
        return false;
    }
    life->of = step;
    struct obv__lock *stripe = obv__lock_stripe(target);
    obv__lock_enter(stripe);
    obv__link_locked(target, OBV__SLOT_NONE, life);
    obv__lock_leave(stripe);
    step->life = life;
    return true;
}

/* Where a child is to hang if its parent leads to `fresh`. */
static struct obv_object *target_of(const struct obv__step *child,
                                    struct obv_object *fresh, uint32_t *slot)
{
    bool known =
        fresh && obv__class_of(fresh)->context == child->paths->context;
    *slot = known ? obv__slot_on(element_of(child), fresh) : OBV__NO_SLOT;
    return *slot == OBV__NO_SLOT ? NULL : fresh;
}

/* Moving the children of a step ------------------------------------------- */

/* As many children as are moved in one stay in the lock. */
#define ROUND 8

struct moved {
    struct obv__step *child;
    struct obv__watcher *binding; /* its new one */
    bool was_short;               /* could not be bound: counts as changed */
    bool is_missed;               /* and somebody follows it */
};

struct round {
    struct obv__step *step;
    struct obv__due *due;
    struct obv_object *fresh;  /* behind the step's slot, at W2 */
    struct obv_object *before; /* where the children of this round hung */
    bool fresh_held;           /* with a reference */
    bool before_held;          /* with a reference */
    bool is_uncompared;        /* a binding would, but nothing holds them */
    uint64_t edits;
    struct obv__step *unknown; /* found to be no observable property */
    bool unknown_is_missed;    /* and somebody follows it */
    bool is_unwatched;         /* memory was short for the watcher of its end */
    bool all_changed; /* memory was short above: each child counts, in order */
    size_t done;      /* so many of them */
    size_t count;
    struct moved moved[ROUND];
};

static void note_end(void *found, struct obv__watcher *end)
{
    (void)end;
    *(bool *)found = true;
}

static bool is_followed(const struct obv__step *step)
{
    bool found = false;
    obv__ends_below_locked(step, note_end, &found);
    return found;
}

static bool is_known_here(const struct round *round)
{
    return round->fresh &&
           obv__class_of(round->fresh)->context == round->step->paths->context;
}

/* A child is where it belongs: notes that it is not short, and whether it is a
   component that is no observable property there (one of them a round is
   reported). Below nil it stays what it was. */
static void settle_child(struct round *round, struct obv__step *child)
{
    bool was_unknown = child->short_at == OBV__STEP_UNKNOWN;
    bool is_unknown = is_known_here(round)
                          ? obv__matcher_is_unknown(element_of(child),
                                                    obv__class_of(round->fresh))
                          : was_unknown;
    if (is_unknown && !was_unknown) {
        if (round->unknown) {
            return; /* in the next round */
        }
        round->unknown = child;
    }
    /* Relaxed, as in move_child(). */
    obv__store_relaxed(&child->short_at, is_unknown ? OBV__STEP_UNKNOWN : 0);
}

/* A child that could not be bound for want of memory is tried once an edit. */
static bool needs_move(struct round *round, struct obv__step *child)
{
    uint32_t slot;
    if (container_of(child) == target_of(child, round->fresh, &slot)) {
        settle_child(round, child);
        return false;
    }
    return slot == OBV__NO_SLOT || child->short_at != round->edits;
}

static void move_child(struct round *round, struct obv__step *child)
{
    struct moved *moved = &round->moved[round->count++];
    uint32_t slot;
    struct obv_object *target = target_of(child, round->fresh, &slot);
    unbind_locked(child);
    bool good = !target || bind_locked(child, target, slot);
    /* Relaxed: obv__step_is_short() looks from outside, at one word. */
    obv__store_relaxed(&child->short_at, good ? 0 : round->edits);
    moved->child = child;
    moved->binding = child->binding;
    moved->was_short = !good;
    moved->is_missed = !good && is_followed(child);
}

/* Whether a child, the `place`-th, has no part in this round. */
static bool is_passed(struct round *round, struct obv__step *child,
                      size_t place)
{
    return round->all_changed ? place < round->done : !needs_move(round, child);
}

/* Under the lock, and while the first child still hangs there: the end of
   `before` has to take it away first, so it has yet to wait for this try. */
static void begin_with(struct round *round, struct obv_object *before)
{
    round->before = before;
    if (before) {
        obv__try_begin(round->due->thread, before);
    }
}

/* The first child that has to learn what it is on the fresh object. */
static struct obv__step *first_to_learn(const struct round *round)
{
    if (!is_known_here(round)) {
        return NULL;
    }
    struct obv__step *child = first_child(round->step);
    while (child && !obv__matcher_must_learn(element_of(child),
                                             obv__class_of(round->fresh))) {
        child = next_sibling(child);
    }
    return child;
}

/* W3 and W4 for up to ROUND children that hung at the same object. Answers
   whether the number had not moved; if `learner` is set, W4 is still to do. */
static bool commit(struct round *round, struct obv__step **learner)
{
    struct obv__lock *lock = &round->step->paths->context->paths;
    round->count = 0;
    round->before = NULL;
    round->unknown = NULL;
    *learner = NULL;
    obv__lock_enter(lock);
    obv__pause_point("wiring: entered");
    if (obv__load_seq_cst(&round->step->edits) != round->edits) {
        round->done = 0;
        obv__lock_leave(lock);
        return false;
    }
    *learner = first_to_learn(round);
    if (*learner) {
        obv__lock_leave(lock);
        return true;
    }
    round->is_unwatched = !move_life_locked(round->step, round->fresh);
    size_t place = 0;
    for (struct obv__step *child = first_child(round->step);
         child && round->count < ROUND; child = next_sibling(child)) {
        if (is_passed(round, child, place++)) {
            continue;
        }
        struct obv_object *before = container_of(child);
        if (round->count == 0) {
            begin_with(round, before);
        }
        if (before == round->before) {
            move_child(round, child);
        } else if (round->all_changed) {
            break;
        }
    }
    round->done += round->count;
    round->unknown_is_missed = round->unknown && is_followed(round->unknown);
    obv__lock_leave(lock);
    return true;
}

/* Whether a child hung in the very slot that is edited (in a cyclic graph): the
   value that it had there is stored over, and cannot be compared any more. */
static bool hung_at_the_edit(const struct round *round,
                             const struct obv_element *element)
{
    const struct obv__due *due = round->due;
    if (!round->before || round->before != due->edited) {
        return false;
    }
    uint32_t slot = obv__slot_on(element, round->before);
    return slot == due->slot || slot == OBV__SLOT_EVERY;
}

/* Where only one of two containers has the element: whether it stands for
   anything there. What nothing holds is not asked. */
static bool reaches_one(const struct round *round,
                        const struct obv_element *element,
                        struct obv_object *now)
{
    const struct obv__matcher *matcher = obv__matcher(element);
    bool held = now ? round->fresh_held : round->before_held;
    return !matcher->reaches || !held ||
           matcher->reaches(element, now ? now : round->before);
}

/* W6 for one child: whether what ends at it differs. */
static bool end_differs(const struct round *round, const struct moved *moved)
{
    const struct obv_element *element = element_of(moved->child);
    uint32_t slot;
    struct obv_object *now = target_of(moved->child, round->fresh, &slot);
    if (moved->was_short || round->all_changed || round->is_uncompared ||
        hung_at_the_edit(round, element)) {
        return true;
    }
    if (!round->before || !now) {
        return round->before != now && reaches_one(round, element, now);
    }
    return obv__matcher(element)->differs(element, round->before, now);
}

static void sync_below(struct obv__step *step,
                       const struct obv__watcher *binding, struct obv__due *due,
                       bool all_changed);

/* A component is no observable property (KP-12). Its text does not stand on
   the stack at each level of a path. */
OBV__NOINLINE static void report_unknown(const struct obv__step *step)
{
    struct obv_element elements[OBV_PATH_COUNT_MAX];
    char text[256];
    size_t count = obv__step_elements(step, elements);
    (void)obv_path_print(step->paths->context->names, elements, count, text,
                         sizeof text);
    obv__diagnose(step->paths->context, OBV_DIAGNOSTIC_UNRESOLVED,
                  "a key path leads through what is no observable property",
                  text, NULL);
}

static void report_short(struct obv__step *step)
{
    obv__diagnose(step->paths->context, OBV_DIAGNOSTIC_MEMORY,
                  "a path could not be followed for want of memory", NULL,
                  NULL);
}

static bool hold_object(struct obv_object *object)
{
    const struct obv_class *cls = obv__class_of(object);
    return cls->retain && cls->retain(object);
}

static bool asks_binding(const struct round *round)
{
    bool asks = obv__class_is_custom(obv__class_of(round->before));
    for (size_t i = 0; !asks && i < round->count; i++) {
        asks = obv__matcher_asks_binding(element_of(round->moved[i].child));
    }
    return asks;
}

/* What a binding compares is held by references, not by a try: its code may
   begin tries of its own, and replace what it compares. What nothing can hold
   is not compared. */
static void hold_both(struct round *round)
{
    round->before_held = round->is_uncompared = false;
    if (!round->before || !asks_binding(round)) {
        return;
    }
    round->before_held = hold_object(round->before);
    obv__try_end(round->due->thread);
    if (round->fresh && !round->fresh_held) {
        round->fresh_held = hold_object(round->fresh);
    }
    round->is_uncompared =
        !round->before_held || (round->fresh && !round->fresh_held);
}

static void let_before_go(const struct round *round)
{
    if (round->before_held) {
        obv__class_of(round->before)->release(round->before);
    } else if (round->before && !round->is_uncompared) {
        obv__try_end(round->due->thread);
    }
}

/* W5 to W7. */
static void finish_round(struct round *round)
{
    bool changed[ROUND];
    bool is_missed = false;
    if (round->count != 0) {
        obv__moment_moves_on();
    }
    hold_both(round);
    for (size_t i = 0; i < round->count; i++) {
        changed[i] = end_differs(round, &round->moved[i]);
        is_missed = is_missed || round->moved[i].is_missed;
    }
    let_before_go(round);
    if (is_missed || round->is_unwatched) {
        report_short(round->step);
    }
    if (round->unknown_is_missed) {
        report_unknown(round->unknown);
    }
    for (size_t i = 0; i < round->count; i++) {
        struct obv__step *child = round->moved[i].child;
        if (changed[i]) {
            obv__due_add_list(round->due, &child->ends, obv__moment());
        }
        sync_below(child, round->moved[i].binding, round->due,
                   round->all_changed || round->moved[i].was_short);
    }
}

/* The object behind the slot that a step hangs in by `binding`, or NULL. */
static struct obv_object *behind(const struct obv__step *step,
                                 const struct obv__watcher *binding, bool *held)
{
    const struct obv__matcher *matcher = obv__matcher(element_of(step));
    *held = false;
    if (!binding || !matcher->child) {
        return NULL;
    }
    struct obv_object *container =
        (struct obv_object *)obv__load_acquire(&binding->place);
    return container ? matcher->child(element_of(step), container,
                                      binding->slot, held)
                     : NULL;
}

/* Gives back what behind() holds. */
static void let_fresh_go(struct round *round)
{
    if (round->fresh_held) {
        obv__class_of(round->fresh)->release(round->fresh);
        round->fresh_held = false;
    }
}

/* W1 to W4. Answers false once another thread has bound the step elsewhere:
   that thread brings in line what is below, and its object need not live for
   us. */
static bool begin_round(struct round *round, const struct obv__watcher *binding)
{
    struct obv__step *learner;
    for (;;) {
        let_fresh_go(round);
        /* Seq_cst: W1, before the reads of W2. */
        round->edits = obv__load_seq_cst(&round->step->edits);
        obv__pause_point("wiring: noted");
        /* Acquire, as in container_of(). */
        if (obv__load_acquire(&round->step->binding) != binding) {
            return false;
        }
        round->fresh = behind(round->step, binding, &round->fresh_held);
        obv__pause_point("wiring: read");
        if (commit(round, &learner) && !learner) {
            obv__pause_point("wiring: committed");
            return true;
        }
        if (learner) {
            obv__matcher_learn(element_of(learner), round->fresh);
        }
    }
}

/* Answers false as begin_round() does; else what is behind the step is still
   held. */
static bool sync_round(struct round *round, const struct obv__watcher *binding)
{
    do {
        if (!begin_round(round, binding)) {
            return false;
        }
        finish_round(round);
    } while (round->count != 0 || round->unknown);
    return true;
}

static void sync_below(struct obv__step *step,
                       const struct obv__watcher *binding, struct obv__due *due,
                       bool all_changed)
{
    struct round round = {.step = step, .due = due};
    round.all_changed = all_changed;
    if (sync_round(&round, binding)) {
        let_fresh_go(&round);
    }
}

void obv__rewire(struct obv__watcher *binding, struct obv__due *due,
                 uint64_t since)
{
    struct obv__step *step = binding->of;
    const struct obv_element *element = element_of(step);
    if (!obv__matcher_is_view(element) ||
        obv__matcher(element)->changed(element, due->edited, due->old)) {
        obv__due_add_list(due, &step->ends, since);
    }
    move_on(step);
    sync_below(step, binding, due, false);
}

void obv__let_go(struct obv__watcher *binding, struct obv_object *object,
                 struct obv__due *due)
{
    struct obv__step *step = binding->of;
    struct obv__lock *lock = &step->paths->context->paths;
    obv__lock_enter(lock);
    bool here = binding->place == (uintptr_t)object;
    bool bound = here && step->binding == binding;
    bool lost = here && step->life == binding; /* what is behind its slot */
    if (bound) {
        unbind_locked(step);
    } else if (lost) {
        end_life_locked(step);
    }
    obv__lock_leave(lock);
    if (lost) {
        obv__due_add_list(due, &step->ends, obv__moment());
    }
    if (bound) {
        obv__due_add_list(due, &step->ends, obv__moment());
        sync_below(step, NULL, due, false);
    }
}

/* Paths of a root --------------------------------------------------------- */

static void added(void *owner, struct obv_trie_node *node)
{
    struct obv__step *step = obv_trie_node_payload(node);
    struct obv__step *parent = parent_of(step);
    step->paths = owner;
    step->edits = 1;
    if (!parent) {
        return;
    }
    if (parent->binding) {
        struct obv__lock *stripe =
            obv__lock_stripe((void *)parent->binding->place);
        obv__lock_enter(stripe);
        obv__mark_middle_locked(parent->binding);
        obv__lock_leave(stripe);
    }
    move_on(parent);
}

static void removed(void *owner, struct obv_trie_node *node)
{
    struct obv__paths *paths = owner;
    struct obv__step *step = obv_trie_node_payload(node);
    struct obv__step *parent = parent_of(step);
    unbind_locked(step);
    if (parent) {
        move_on(parent);
    }
    obv__retire(&paths->context->retired, &step->retired, OBV__RETIRED_STEP);
}

void obv__step_free(struct obv_context *context, struct obv__retired *block)
{
    obv_trie_node_free(&context->allocator, obv_trie_node_of_payload(block));
}

void obv__paths_free(struct obv_context *context, struct obv__retired *block)
{
    obv__context_free(context, block, sizeof(struct obv__paths));
}

static struct obv__paths *make_paths(struct obv_object *root)
{
    struct obv_context *context = obv__class_of(root)->context;
    struct obv__paths *paths = obv__context_allocate(context, sizeof *paths);
    if (!paths) {
        return NULL;
    }
    memset(paths, 0, sizeof *paths);
    paths->root = root;
    paths->context = context;
    const struct obv_trie_options options = {.size = sizeof options,
                                             .allocator = &context->allocator,
                                             .payload_size =
                                                 sizeof(struct obv__step),
                                             .context = paths,
                                             .added = added,
                                             .removed = removed};
    if (obv_trie_create(&options, &paths->trie) != OBV_OK) {
        obv__context_free(context, paths, sizeof *paths);
        return NULL;
    }
    return paths;
}

/* The paths of a root, made if there are none; NULL: no memory. */
static struct obv__paths *paths_ensure(struct obv_object *root)
{
    struct obv__more *more = obv__more_ensure(root);
    /* Acquire, pairs with the exchange below: the paths are complete. */
    struct obv__paths *paths = more ? obv__load_acquire(&more->paths) : NULL;
    if (!more || paths) {
        return paths;
    }
    struct obv__paths *none = NULL;
    paths = make_paths(root);
    /* Release publishes them; two threads that race keep the first. */
    if (paths && !obv__cas_acq_rel(&more->paths, &none, paths)) {
        obv_trie_destroy(paths->trie);
        obv__context_free(paths->context, paths, sizeof *paths);
        return none;
    }
    return paths;
}

/* Binds the first step of a path to the root itself. */
static bool bind_first(struct obv__step *first, struct obv_object *root)
{
    struct obv__lock *lock = &first->paths->context->paths;
    if (obv__matcher_must_learn(element_of(first), obv__class_of(root))) {
        obv__matcher_learn(element_of(first), root);
    }
    obv__lock_enter(lock);
    uint32_t slot = obv__slot_on(element_of(first), root);
    bool good = first->binding || slot == OBV__NO_SLOT ||
                bind_locked(first, root, slot);
    obv__lock_leave(lock);
    obv__moment_moves_on();
    return good;
}

bool obv__step_is_short(const struct obv__step *step)
{
    for (; step; step = parent_of(step)) {
        /* Relaxed: an answer for this moment. */
        uint64_t at = obv__load_relaxed(&step->short_at);
        if (at != 0 && at != OBV__STEP_UNKNOWN) {
            return true;
        }
    }
    return false;
}

bool obv__step_is_unknown(const struct obv__step *step)
{
    /* Relaxed, as above. */
    while (step && obv__load_relaxed(&step->short_at) != OBV__STEP_UNKNOWN) {
        step = parent_of(step);
    }
    return step != NULL;
}

static size_t chain_of(struct obv__step *leaf,
                       struct obv__step *chain[OBV_PATH_COUNT_MAX])
{
    size_t count = obv_trie_node_depth(node_of(leaf));
    for (size_t i = count; i-- > 0; leaf = parent_of(leaf)) {
        chain[i] = leaf;
    }
    return count;
}

/* The binding of a step if it hangs at `container`, else NULL. */
static struct obv__watcher *binding_at(const struct obv__step *step,
                                       const struct obv_object *container)
{
    struct obv__watcher *binding = obv__load_acquire(&step->binding);
    return binding && container &&
                   obv__load_acquire(&binding->place) == (uintptr_t)container
               ? binding
               : NULL;
}

/* W1 to W7 down a path, as far as this thread reaches: each object is held, if
   it came with a reference, until the one behind it is read. Where another
   thread has bound a step to an object of its own, that thread goes on. */
static void sync_steps(struct obv__step *const *chain, size_t count,
                       struct obv_object *root, bool was_short,
                       struct obv__due *due)
{
    struct round above = {.fresh = root};
    for (size_t i = 0; i < count; i++) {
        struct round round = {.step = chain[i], .due = due};
        const struct obv__watcher *binding = binding_at(chain[i], above.fresh);
        if (i + 1 == count && !is_at_weak(binding)) {
            break; /* nothing hangs behind the end */
        }
        if (was_short) {
            move_on(chain[i]); /* tries again what had no memory */
        }
        bool good = binding && sync_round(&round, binding);
        let_fresh_go(&above);
        above.fresh = good ? round.fresh : NULL;
        above.fresh_held = good && round.fresh_held;
    }
    let_fresh_go(&above);
}

/* Brings every step from the root to `leaf` in line; false: no memory. */
static bool sync_chain(struct obv__step *leaf, struct obv_object *root,
                       struct obv__due *due)
{
    struct obv__step *chain[OBV_PATH_COUNT_MAX];
    size_t count = chain_of(leaf, chain);
    bool was_short = obv__step_is_short(leaf);
    if (!bind_first(chain[0], root)) {
        return false;
    }
    sync_steps(chain, count, root, was_short, due);
    return !obv__step_is_short(leaf);
}

static enum obv_status hang_end(struct obv__step *leaf,
                                struct obv__watcher *end)
{
    struct obv__lock *lock = &leaf->paths->context->paths;
    obv__lock_enter(lock);
    bool alive = obv__load_acquire(&leaf->paths->root) != NULL;
    if (alive) {
        end->serial = (uint32_t)(obv__moment() >> obv__serial_shift(end));
        obv__store_release(&end->place, (uintptr_t)leaf | OBV__STEP_TAG);
        obv__list_append(&leaf->ends, end);
    }
    obv__lock_leave(lock);
    obv__moment_registers();
    return alive ? OBV_OK : OBV_E_ENDED;
}

enum obv_status obv__wire(struct obv_object *root,
                          const struct obv_element *elements, size_t count,
                          struct obv__watcher *end, struct obv__due *due)
{
    struct obv__paths *paths = paths_ensure(root);
    if (!paths) {
        return OBV_E_MEMORY;
    }
    struct obv__lock *lock = &paths->context->paths;
    struct obv_trie_node *leaf;
    obv__lock_enter(lock);
    enum obv_status status =
        paths->trie ? obv_trie_add(paths->trie, elements, count, &leaf)
                    : OBV_E_ENDED;
    obv__lock_leave(lock);
    if (status != OBV_OK) {
        return status;
    }
    status = sync_chain(step_at(leaf), root, due) ? hang_end(step_at(leaf), end)
                                                  : OBV_E_MEMORY;
    if (status != OBV_OK) {
        obv__lock_enter(lock);
        if (paths->trie) {
            obv_trie_release(paths->trie, leaf);
        }
        obv__lock_leave(lock);
    } else if (obv__step_is_unknown(step_at(leaf))) {
        report_unknown(step_at(leaf));
    }
    return status;
}

void obv__unwire_locked(struct obv__watcher *end)
{
    struct obv__step *step = obv__step_of(end->place);
    struct obv_object *root = obv__load_acquire(&step->paths->root);
    obv__list_remove(&step->ends, end);
    /* After it is out, since who finds it cleared may settle and retire it;
       and before `place` names another lock. */
    obv__fetch_and_acq_rel(&end->state, (uint8_t)~OBV__LINKED);
    /* Release: who reads the root here does not look at the step. */
    obv__store_release(&end->place, (uintptr_t)root);
    obv_trie_release(step->paths->trie, node_of(step));
}

/* Some end of these paths, taken out; NULL: none is left. Steps that nobody
   needs any more go with it, so the first way down leads to one. */
static struct obv__watcher *take_end_locked(struct obv__paths *paths)
{
    struct obv_trie_node *node = obv_trie_first(paths->trie);
    while (node && !obv__first(&step_at(node)->ends)) {
        node = obv_trie_node_first_child(node);
    }
    if (!node) {
        return NULL;
    }
    struct obv__watcher *end = obv__first(&step_at(node)->ends);
    obv__list_remove(&step_at(node)->ends, end);
    obv__store_release(&end->place, (uintptr_t)0);
    obv__fetch_and_acq_rel(&end->state, (uint8_t)~OBV__LINKED);
    obv_trie_release(paths->trie, node);
    return end;
}

void obv__paths_end(struct obv__paths *paths,
                    void (*tell)(void *context, struct obv__watcher *end),
                    void *context)
{
    struct obv__lock *lock = &paths->context->paths;
    struct obv__watcher *end;
    /* Release, pairs with obv__root(): nobody begins to hold the root now. */
    obv__store_release(&paths->root, NULL);
    do {
        obv__lock_enter(lock);
        end = take_end_locked(paths);
        obv__lock_leave(lock);
        if (end) {
            tell(context, end);
        }
    } while (end);
    obv__lock_enter(lock);
    obv_trie_destroy(paths->trie);
    paths->trie = NULL;
    obv__lock_leave(lock);
    obv__retire(&paths->context->retired, &paths->retired, OBV__RETIRED_PATHS);
}

size_t obv__step_elements(const struct obv__step *step,
                          struct obv_element elements[OBV_PATH_COUNT_MAX])
{
    size_t count = obv_trie_node_depth(node_of(step));
    for (size_t i = count; i-- > 0; step = parent_of(step)) {
        elements[i] = *element_of(step);
    }
    return count;
}

void obv__ends_below_locked(const struct obv__step *step,
                            void (*each)(void *context,
                                         struct obv__watcher *end),
                            void *context)
{
    for (struct obv__watcher *w = obv__first(&step->ends); w; w = w->next) {
        each(context, w);
    }
    for (struct obv__step *child = first_child(step); child;
         child = next_sibling(child)) {
        obv__ends_below_locked(child, each, context);
    }
}

void obv__each_end_locked(const struct obv__paths *paths,
                          void (*each)(void *context, struct obv__watcher *end),
                          void *context)
{
    for (struct obv_trie_node *node = paths->trie ? obv_trie_first(paths->trie)
                                                  : NULL;
         node; node = obv_trie_node_next_sibling(node)) {
        obv__ends_below_locked(step_at(node), each, context);
    }
}
