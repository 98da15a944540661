/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry/otlp/retry.h"
#include "test.h"

#include "base/limits.h"

TEST(only_transient_failures_are_sent_again)
{
    static const struct {
        uint32_t status, made;
        bool has_after;
        uint64_t after_ms;
        uint32_t random;
        bool again;
        uint64_t wait_ms;
    } cases[] = {
        {503, 1, false, 0, 0, true, HAFT__LIMIT_TELEMETRY_RETRY_MS},
        {503, 1, false, 0, 500, true, HAFT__LIMIT_TELEMETRY_RETRY_MS - 500},
        {503, 1, false, 0, 501, true, HAFT__LIMIT_TELEMETRY_RETRY_MS}, /* at most the half */
        {503, 3, false, 0, 0, true, 4 * HAFT__LIMIT_TELEMETRY_RETRY_MS},
        {0, 2, false, 0, 0, true, 2 * HAFT__LIMIT_TELEMETRY_RETRY_MS},
        {429, 1, true, 7000, 9, true, 7000},
        {502, 1, true, 0, 9, true, 0},
        {504, 1, true, HAFT__LIMIT_TELEMETRY_RETRY_MAX_MS, 9, true,
         HAFT__LIMIT_TELEMETRY_RETRY_MAX_MS},
        {504, 1, true, HAFT__LIMIT_TELEMETRY_RETRY_MAX_MS + 1, 9, true,
         HAFT__LIMIT_TELEMETRY_RETRY_MAX_MS},
        {503, HAFT__LIMIT_TELEMETRY_ATTEMPTS - 1, true, 1, 0, true, 1},
        {503, HAFT__LIMIT_TELEMETRY_ATTEMPTS, true, 1, 0, false, 0},
        {500, 1, true, 1, 0, false, 0}, /* OTLP does not name 500 */
        {400, 1, true, 1, 0, false, 0},
        {401, 1, false, 0, 0, false, 0},
        {404, 1, false, 0, 0, false, 0},
        {413, 1, false, 0, 0, false, 0},
        {302, 1, false, 0, 0, false, 0},
        {505, 1, false, 0, 0, false, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__otlp_attempt attempt = {.status = cases[i].status,
                                      .made = cases[i].made,
                                      .has_retry_after = cases[i].has_after,
                                      .retry_after_ms = cases[i].after_ms,
                                      .random = cases[i].random};
        haft__otlp_retry retry = haft__otlp_retry_decide(&attempt);
        CHECK_INT(retry.again, cases[i].again, "row %zu", i);
        CHECK_INT(retry.wait_ms, cases[i].wait_ms, "row %zu", i);
    }
}
