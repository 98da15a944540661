/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c - see telemetry/otlp/retry.h. Tests: tests/telemetry/retry_test.c. */
#include "telemetry/otlp/retry.h"

#include "base/limits.h"

static bool is_transient(uint32_t status)
{
    return status == 0 || status == 429 || (status >= 502 && status <= 504);
}

haft__otlp_retry haft__otlp_retry_decide(const haft__otlp_attempt *attempt)
{
    uint64_t wait = HAFT__LIMIT_TELEMETRY_RETRY_MS, most = HAFT__LIMIT_TELEMETRY_RETRY_MAX_MS;
    if (!is_transient(attempt->status) || attempt->made >= HAFT__LIMIT_TELEMETRY_ATTEMPTS) {
        return (haft__otlp_retry){false, 0};
    }
    if (attempt->has_retry_after) {
        wait = attempt->retry_after_ms;
        return (haft__otlp_retry){true, wait < most ? wait : most};
    }
    for (uint32_t i = 1; i < attempt->made; i++) {
        wait *= 2;
    }
    return (haft__otlp_retry){true, wait - attempt->random % (wait / 2 + 1)};
}
