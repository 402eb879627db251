/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts: creation, end, counters, diagnostics.
 */
#include "model/context.h"

#include "base/escape.h"
#include "model/above.h"
#include "platform/exception.h"

#include <stdio.h>
#include <string.h>

/* Written at once. */
static void say_on_standard_error(void *context,
                                  const struct obv_diagnostic *diagnostic)
{
    struct obv__line line = {.length = 0};
    (void)context;
    obv__line_add_name(&line, ": ", diagnostic->path);
    obv__line_add_name(&line, " of ", diagnostic->label);
    obv__line_add_place(&line, diagnostic->file, diagnostic->line);
    fprintf(stderr, "observable: %s%s\n", diagnostic->text, line.text);
}

/* Of a context that asks for no other. */
#define IMMEDIATE_DEPTH 64

static void take_options(struct obv_context *context,
                         const struct obv_context_options *options)
{
    if (options) {
        context->diagnose = options->diagnose;
        context->diagnose_context = options->diagnose_context;
    }
    context->immediate_depth = options && options->immediate_depth
                                   ? options->immediate_depth
                                   : IMMEDIATE_DEPTH;
    if (!context->diagnose) {
        context->diagnose = say_on_standard_error;
    }
#ifdef OBV_CHECK_PATHS
    context->checks_paths = true;
#endif
    obv__lock_init(&context->paths);
    obv__lock_init(&context->lists);
    obv__domain_init(&context->retired, obv__above.free_retired, context,
                     options ? options->reclaim_batch : 0);
}

enum obv_status obv_context_create(const struct obv_context_options *options,
                                   struct obv_context **context)
{
    if (!context ||
        (options && (options->size != sizeof *options ||
                     options->immediate_depth > OBV_IMMEDIATE_DEPTH_MAX))) {
        return OBV_E_ARGUMENT;
    }
    struct obv_allocator allocator;
    obv__allocator_init(&allocator, options ? options->allocator : NULL);
    struct obv_context *made = obv__allocate(&allocator, sizeof *made);
    if (!made) {
        return OBV_E_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    take_options(made, options);
    enum obv_status status = obv__names_create(&allocator, &made->names);
    if (status == OBV_OK) {
        obv__path_cache_init(&made->recent, made->names);
        status = obv__above.begin(made);
        if (status == OBV_OK) {
            *context = made;
            return OBV_OK;
        }
        obv__names_destroy(made->names);
    }
    obv__domain_deinit(&made->retired);
    obv__free(&allocator, made, sizeof *made);
    return status;
}

static struct obv_context *default_context;

struct obv_context *obv_context_default(void)
{
    /* Acquire, pairs with the exchange below: its fields are seen. */
    struct obv_context *found = obv__load_acquire(&default_context);
    struct obv_context *made = NULL;
    if (found || obv_context_create(NULL, &made) != OBV_OK) {
        return found;
    }
    /* Release publishes it; two threads that meet keep the first. */
    if (obv__cas_acq_rel(&default_context, &found, made)) {
        return made;
    }
    (void)obv_context_destroy(made);
    return found;
}

struct obv_context *obv__context_or_default(struct obv_context *context)
{
    return context ? context : obv_context_default();
}

void obv__context_own(struct obv_context *context,
                      struct obv__owned_block *owned, void *block, size_t size)
{
    obv__lock_enter(&context->lists);
    *owned = (struct obv__owned_block){context->owned, block, size};
    context->owned = owned;
    obv__lock_leave(&context->lists);
}

enum obv_status obv_context_destroy(struct obv_context *context)
{
    if (!context || context == obv__load_acquire(&default_context)) {
        return OBV_E_ARGUMENT;
    }
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    obv__above.finalize_again(context);
    obv__epoch_leave(self);
    /* Relaxed: nobody else may use the context any more. */
    if (obv__load_relaxed(&context->live) != 0) {
        return OBV_E_IN_USE;
    }
    obv__above.let_go(context);
    obv__domain_deinit(&context->retired);
    obv__above.free(context);
    while (context->owned) {
        struct obv__owned_block *first = context->owned;
        context->owned = first->next;
        obv__context_free(context, first->block, first->size);
    }
    obv__path_cache_clear(&context->recent);
    obv__names_destroy(context->names);
    struct obv_allocator allocator = context->allocator;
    obv__free(&allocator, context, sizeof *context);
    return OBV_OK;
}

struct obv_names *obv_context_names(struct obv_context *context)
{
    return context->names;
}

struct obv_loop *obv_context_loop(struct obv_context *context)
{
    context = obv__context_or_default(context);
    return context ? context->loop : NULL;
}

void obv__diagnose(struct obv_context *context,
                   const struct obv_diagnostic *diagnostic)
{
    obv__fetch_add_relaxed(&context->diagnostics, 1);
    OBV__NO_EXCEPTION_LEAVES();
    context->diagnose(context->diagnose_context, diagnostic);
}

enum obv_status obv__fail(struct obv_error *error, enum obv_status status,
                          const char *message)
{
    if (error) {
        const struct obv_error filled = {.status = status, .message = message};
        *error = filled;
    }
    return status;
}
