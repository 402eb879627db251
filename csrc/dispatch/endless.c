/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers that call each other without end.
 */
#include "dispatch/endless.h"

#include "base/escape.h"
#include "dispatch/delivery.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Calls that do not fit are left out. */
static void append(void *context, const char *text, size_t length)
{
    struct obv__endless *endless = context;
    size_t room = sizeof endless->text - 1 - endless->length;
    length = length < room ? length : room;
    memcpy(endless->text + endless->length, text, length);
    endless->length += length;
    endless->text[endless->length] = '\0';
}

static void append_text(struct obv__endless *endless, const char *text)
{
    append(endless, text, strlen(text));
}

void obv__endless_begin(struct obv_loop *loop, struct obv__endless *endless)
{
    memset(endless, 0, sizeof *endless);
    int length = snprintf(endless->text, sizeof endless->text,
                          "handlers call each other without end: in %d cycles "
                          "nothing else has made a call due; called last:",
                          OBV__ENDLESS_CYCLES);
    endless->length = (size_t)length;
    loop->endless = endless;
}

void obv__endless_note(struct obv__endless *endless,
                       struct obv__watcher *observation)
{
    const char *label = observation->with.kind->label;
    char line[16];
    append_text(endless, " ");
    obv__escape(label ? label : "(no label)", append, endless);
    (void)snprintf(endless->label, sizeof endless->label, "%s",
                   label ? label : "");
    endless->file = obv__begun_at(observation, &endless->line);
    if (endless->file) {
        (void)snprintf(line, sizeof line, ":%" PRIu32 ")", endless->line);
        append_text(endless, " (");
        obv__escape(endless->file, append, endless);
        append_text(endless, line);
    }
}

void obv__endless_end(struct obv_loop *loop)
{
    const struct obv__endless *endless = loop->endless;
    const struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_ENDLESS,
        .text = endless->text,
        .label = endless->label[0] != '\0' ? endless->label : NULL,
        .file = endless->file,
        .line = endless->line};
    loop->endless = NULL;
    if (obv__endless_is_due(loop) && !obv__loop_has_ended(loop)) {
        /* Changes by the hook are no handler's: they are kept. */
        loop->between = true;
        obv__diagnose(loop->context, &diagnostic);
        loop->between = false;
    }
}
