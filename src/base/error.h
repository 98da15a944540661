/* SPDX-License-Identifier: Apache-2.0 */
/* base/error.h - fills in a haft_error. If err is NULL, the functions only return the status, so
 * that callers can write `return haft__fail(err, ...)` without a check. */
#ifndef HAFT_BASE_ERROR_H
#define HAFT_BASE_ERROR_H

#include "base/macros.h"
#include "haft.h"

/* Fills `err` and clears its hint. `where` may be "". Returns `status`. */
haft_status haft__fail(haft_error *err, haft_status status, const char *where, const char *format,
                       ...) HAFT__PRINTF(4, 5);

/* Adds a hint to an error that has just been filled in. Returns err's status, or `status` when err
 * is NULL. */
haft_status haft__hint(haft_error *err, haft_status status, const char *format, ...)
    HAFT__PRINTF(3, 4);

haft_status haft__fail_no_memory(haft_error *err);

/* Prepends a location to the location of an error: "spec.yaml" + "3:4" = "spec.yaml:3:4". */
void haft__error_prepend_location(haft_error *err, const char *place);

#endif
