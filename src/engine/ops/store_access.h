/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/store_access.h - how operations on runs use the store of a runtime. */
#ifndef HAFT_ENGINE_OPS_STORE_ACCESS_H
#define HAFT_ENGINE_OPS_STORE_ACCESS_H

#include "engine/runtime.h"

/* Executes a request and waits for its result. Results live in `arena`. A damaged or unreadable
 * store file is reported as IO. */
HAFT_MUST_USE haft_status haft__store_access_execute(haft_runtime *runtime, haft__arena *arena,
                                                     haft__store_request *request, haft_error *err);

/* An error of a store that names a location is a failure of the store, not of the caller's input:
 * turns BAD_INPUT and UNSUPPORTED into IO in that case. */
haft_status haft__store_access_as_io_error(haft_status status, haft_error *err);

/* The path of the store's file if it does not exist; NULL if it does, or the store needs no
 * file. */
const char *haft__store_access_missing_file(const char *url);

/* Whether this user may create the missing file in the nearest directory of its path that exists.
 * Creates nothing. */
bool haft__store_access_can_create(const char *path);

#endif
