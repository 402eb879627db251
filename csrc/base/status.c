/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and texts of the status table. A number that is none of them has an
 * answer too: a newer library may have sent it.
 */
#include "base/status.h"

const char *obv_status_name(enum obv_status status)
{
    switch (status) {
#define OBV_STATUS_NAME(name, number, text)                                    \
    case name:                                                                 \
        return #name;
        OBV_STATUS_TABLE(OBV_STATUS_NAME)
#undef OBV_STATUS_NAME
    }
    return "OBV_E_?";
}

const char *obv_status_text(enum obv_status status)
{
    switch (status) {
#define OBV_STATUS_TEXT(name, number, text)                                    \
    case name:                                                                 \
        return text;
        OBV_STATUS_TABLE(OBV_STATUS_TEXT)
#undef OBV_STATUS_TEXT
    }
    return "an unknown status";
}

enum obv_status obv__fail(struct obv_error *error, enum obv_status status,
                          const char *message)
{
    if (error) {
        *error = (struct obv_error){.status = status, .message = message};
    }
    return status;
}
