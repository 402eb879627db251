/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts: the default one, what each owns, diagnostics. Each begins and ends
 * in observe/above.c, since that takes all rooms.
 */
#include "model/context.h"

#include "model/above.h"
#include "platform/exception.h"

/* Guards the making of the default context. */
static struct obv__lock making_default;
static struct obv_context *default_context;

bool obv__context_is_default(const struct obv_context *context)
{
    return context == obv__load_acquire(&default_context);
}

struct obv_context *obv_context_default(void)
{
    /* Acquire, pairs with the release below: its fields are seen. */
    struct obv_context *found = obv__load_acquire(&default_context);
    if (!found) {
        obv__lock_enter(&making_default);
        found = default_context;
        if (!found && obv__above.create(NULL, &found) == OBV_OK) {
            obv__store_release(&default_context, found);
        }
        obv__lock_leave(&making_default);
    }
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
