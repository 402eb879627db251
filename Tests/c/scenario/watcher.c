/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observer objects and blocks: hooks, birth and end.
 */
#include "watcher.h"

#include "scenario.h"
#include "thing.h"

#include <stdlib.h>

static bool retain_object(struct obv_object *object)
{
    return count_try(&((struct watcher *)object)->count);
}

static void release_object(struct obv_object *object)
{
    watcher_release((struct watcher *)object);
}

/* The library borrows it for as long as the class lives. */
static const struct obv_class_table table = {
    .size = sizeof table,
    .name = "Watcher",
    .instance_size = sizeof(struct watcher),
    .retain = retain_object,
    .release = release_object,
};

enum obv_status watcher_make_class(struct obv_context *context,
                                   struct obv_class **cls)
{
    return obv_class_create(context, &table, cls, NULL);
}

struct watcher *watcher_create(struct obv_class *cls, struct observer *observer)
{
    struct watcher *watcher = calloc(1, sizeof *watcher);
    if (!watcher) {
        abort();
    }
    watcher->observer = observer;
    count_init(&watcher->count);
    obv_object_init(&watcher->object, cls);
    world.watchers_alive++;
    return watcher;
}

void watcher_release(struct watcher *watcher)
{
    if (!count_drop(&watcher->count)) {
        return;
    }
    world_watcher_ends(watcher->observer);
    watcher->observer->watcher = NULL;
    obv_object_deinit(&watcher->object);
    free(watcher);
    world.watchers_alive--;
}

/* --- blocks -------------------------------------------------------------- */

static bool retain_observer(void *observer)
{
    return retain_object(observer);
}

static void release_observer(void *observer)
{
    watcher_release(observer);
}

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    world_block_called((struct block *)call->kind, observer,
                       root ? ((struct thing *)root)->named : NULL, call);
}

static void root_did_deallocate(void *observer,
                                const struct obv_deallocation_notice *notice)
{
    world_watcher_told(((struct watcher *)observer)->observer, notice);
}

static void dispose(const struct obv_handler_kind *kind, void *observer)
{
    (void)observer;
    block_release((struct block *)kind);
}

struct block *block_create(struct closure *closure, bool for_token,
                           const char *label)
{
    struct block *block = calloc(1, sizeof *block);
    if (!block) {
        abort();
    }
    block->kind.changed = changed;
    block->kind.dispose = dispose;
    block->kind.label = label;
    if (!for_token) {
        block->kind.retain = retain_observer;
        block->kind.release = release_observer;
        block->kind.flags = OBV_OBSERVER_IS_OBJECT;
        block->kind.root_did_deallocate =
            world.unaware ? NULL : root_did_deallocate;
    }
    block->closure = closure;
    block->next = closure->blocks;
    closure->blocks = block;
    world.blocks_alive++;
    return block;
}

void block_release(struct block *block)
{
    if (--block->references > 0) {
        return;
    }
    struct block **place = &block->closure->blocks;
    while (*place != block) {
        place = &(*place)->next;
    }
    *place = block->next;
    free(block);
    world.blocks_alive--;
}
