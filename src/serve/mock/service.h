/* SPDX-License-Identifier: Apache-2.0 */
/* serve/mock/service.h - runs a mock model server until its host stops it. */
#ifndef HAFT_SERVE_MOCK_SERVICE_H
#define HAFT_SERVE_MOCK_SERVICE_H

#include "engine/ops/service.h"

HAFT_MUST_USE haft_status haft__mock_service_run(const haft__mock_service_options *options,
                                                 haft_error *err);

#endif
