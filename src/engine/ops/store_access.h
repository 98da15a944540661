/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/store_access.h - executes store requests for operations on runs. */
#ifndef HAFT_ENGINE_OPS_STORE_ACCESS_H
#define HAFT_ENGINE_OPS_STORE_ACCESS_H

#include "engine/runtime.h"

/* Executes a request and waits for its result. Results live in `arena`. A damaged or unreadable
 * store file is reported as IO. */
HAFT_MUST_USE haft_status haft__store_access_execute(haft_runtime *runtime, haft__arena *arena,
                                                     haft__store_request *request, haft_error *err);

/* Changes BAD_INPUT and UNSUPPORTED to IO if the error names a location: such an error of a store
 * is a failure of the store, not of the caller's input. */
haft_status haft__store_access_as_io_error(haft_status status, haft_error *err);

/* Returns the path of the store's file if the file is missing, else NULL. Also NULL for a store
 * without a file. */
const char *haft__store_access_missing_file(const char *url);

/* Whether this user may create the missing file at `path`: checks the nearest existing directory of
 * the path. Creates nothing. */
bool haft__store_access_can_create(const char *path);

#endif
