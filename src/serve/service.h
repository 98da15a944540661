/* SPDX-License-Identifier: Apache-2.0 */
/* serve/service.h - `haft serve`: the runs API, and what else is mounted beside it, until the host
 * stops it. */
#ifndef HAFT_SERVE_SERVICE_H
#define HAFT_SERVE_SERVICE_H

#include "engine/ops/service.h"

HAFT_MUST_USE haft_status haft__serve_service_run(const haft__serve_service_options *options,
                                                  haft_error *err);

#endif
