/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts: the default one, what each owns, diagnostics. Each begins and ends
 * in observe/above.c, since that takes all rooms.
 */
#include "model/context.h"

#include "model/above.h"
#include "platform/exception.h"

static struct obv_context *default_context;

bool obv__context_is_default(const struct obv_context *context)
{
    return context == obv__load_acquire(&default_context);
}

struct obv_context *obv_context_default(void)
{
    /* Acquire, pairs with the exchange below: its fields are seen. */
    struct obv_context *found = obv__load_acquire(&default_context);
    struct obv_context *made = NULL;
    if (found || obv__above.create(NULL, &made) != OBV_OK) {
        return found;
    }
    /* Release publishes it; two threads that meet keep the first. */
    if (obv__cas_acq_rel(&default_context, &found, made)) {
        return made;
    }
    (void)obv__above.destroy(made);
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
