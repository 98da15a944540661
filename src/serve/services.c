/* SPDX-License-Identifier: Apache-2.0 */
/* services.c - the table of servers. Tests: tests/cli/mcp_test.py, tests/cli/mock_model_test.py. */
#include "serve/services.h"

#include "serve/mcp/service.h"
#include "serve/mock/service.h"
#include "serve/service.h"

const haft__services haft__services_all = {
    .run_mcp = haft__mcp_service_run,
    .run_serve = haft__serve_service_run,
    .run_mock_model = haft__mock_service_run,
};
