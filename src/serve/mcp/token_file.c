/* SPDX-License-Identifier: Apache-2.0 */
/* token_file.c - see token_file.h. Tests: tests/serve/mcp/token_file_test.c. */
#include "serve/mcp/token_file.h"

#include <sys/stat.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/file.h"
#include "serve/mcp/access.h"

static haft_status warn(haft__arena *arena, const haft__service_host *host, const char *path,
                        const char *what, haft_error *err)
{
    haft_str text = haft__arena_format(arena, "%s: %s", path, what);
    if (text.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    host->warn(host->context, text);
    return HAFT_OK;
}

static haft_status check_mode(haft__arena *arena, const char *path, const haft__service_host *host,
                              haft_error *err)
{
    struct stat info;
    mode_t mode = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? info.st_mode : 0;
    if ((mode & (S_IWGRP | S_IWOTH)) != 0) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, path, "other users can write the token file");
        return haft__hint(err, status, "restrict it with chmod 600");
    }
    return (mode & (S_IRGRP | S_IROTH)) != 0
               ? warn(arena, host, path,
                      "other users can read the token file; restrict it with chmod 600", err)
               : HAFT_OK;
}

static haft_status check_length(haft__arena *arena, const char *path, bool loopback,
                                const haft__service_host *host, haft_str token, haft_error *err)
{
    if (!haft__mcp_access_is_weak_token(token)) {
        return HAFT_OK;
    }
    if (loopback) {
        return warn(arena, host, path, "the token is short; openssl rand -hex 32 makes a good one",
                    err);
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, path,
                                    "expected a token of at least %d bytes for an address that "
                                    "other machines can reach, found %zu",
                                    HAFT__LIMIT_MCP_TOKEN_MIN_BYTES, token.len);
    return haft__hint(err, status, "openssl rand -hex 32 makes one");
}

haft_status haft__mcp_token_file_read(haft__arena *arena, const char *path, bool loopback,
                                      const haft__service_host *host, haft_str *ret_token,
                                      haft_error *err)
{
    haft_str text = {NULL, 0};
    haft_status status =
        haft__file_read_arena(arena, path, HAFT__LIMIT_MCP_TOKEN_FILE_BYTES, &text, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str token = haft__str_trim(haft__str_split(&text, '\n'));
    if (token.len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, path, "expected a token in its first line");
    }
    status = check_mode(arena, path, host, err);
    if (status == HAFT_OK) {
        status = check_length(arena, path, loopback, host, token, err);
    }
    if (status == HAFT_OK) {
        *ret_token = token;
    }
    return status;
}
