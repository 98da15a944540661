/* SPDX-License-Identifier: Apache-2.0 */
/* call_test.c - problems. */
#include "serve/api/call.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

TEST(the_longest_problem_fits_its_limit)
{
    haft__buf body;
    haft_error error = {.status = HAFT_BAD_INPUT};
    haft__buf_init(&body, HAFT__LIMIT_SERVE_PROBLEM_BYTES);
    memset(error.where, '\x01', sizeof(error.where) - 1); /* six bytes of JSON each */
    memset(error.message, '\x01', sizeof(error.message) - 1);
    memset(error.hint, '\x01', sizeof(error.hint) - 1);
    haft__api_problem_write(&body, 413, &error, HAFT__LIT("0123456789abcdef0123456789abcdef"));
    CHECK_INT(haft__buf_check(&body, NULL), HAFT_OK, "%zu bytes", body.len);
    haft__buf_finish(&body);
}

TEST(each_error_has_a_status)
{
    static const struct {
        haft_status status;
        uint32_t http;
    } cases[] = {{HAFT_BAD_INPUT, 400}, {HAFT_NOT_FOUND, 404},   {HAFT_BAD_STATE, 409},
                 {HAFT_TOO_BIG, 413},   {HAFT_UNSUPPORTED, 422}, {HAFT_IO, 503},
                 {HAFT_NO_MEMORY, 503}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CHECK_INT(haft__api_http_status(cases[i].status), cases[i].http, "case %zu", i);
        CHECK_INT(strcmp(haft__api_phrase(cases[i].http), "Error") != 0, true, "case %zu", i);
    }
}
