/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/store_access.h - how operations on runs use the store of a runtime. */
#ifndef HAFT_ENGINE_OPS_STORE_ACCESS_H
#define HAFT_ENGINE_OPS_STORE_ACCESS_H

#include "engine/runtime.h"

/* Performs a request and waits for its answer. What is read lives in `arena`. A damaged or
 * unreadable store file is reported as IO. */
HAFT_MUST_USE haft_status haft__store_access_execute(haft_runtime *runtime, haft__arena *arena,
                                                     haft__store_request *request, haft_error *err);

/* An error of a store that names a place is a failure of the store and not of the caller's input:
 * turns BAD_INPUT and UNSUPPORTED into IO then. */
haft_status haft__store_access_as_io_error(haft_status status, haft_error *err);

/* The path of the store's file if that does not exist; NULL if it does, or no file is needed. */
const char *haft__store_access_missing_file(const char *url);

#endif
