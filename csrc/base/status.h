/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answering that a call has failed, and filling in its error.
 */
#ifndef OBV_STATUS_INTERNAL_H
#define OBV_STATUS_INTERNAL_H

#include <observable/status.h>

#include <stddef.h>

/** Fills in an error, if one is wanted, and answers its status. */
enum obv_status obv__fail(struct obv_error *error, enum obv_status status,
                          const char *message);

/** The same in the words of the status; OBV_OK is no error. */
static inline enum obv_status obv__fail_as(struct obv_error *error,
                                           enum obv_status status)
{
    return status == OBV_OK ? OBV_OK
                            : obv__fail(error, status, obv_status_text(status));
}

/** Notes which of several has failed, if one has; answers its status. */
static inline enum obv_status
obv__failed_at(size_t index, enum obv_status status, struct obv_error *error)
{
    if (status != OBV_OK && error) {
        error->index = index;
    }
    return status;
}

#endif
