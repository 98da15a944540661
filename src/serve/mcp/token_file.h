/* SPDX-License-Identifier: Apache-2.0 */
/* serve/mcp/token_file.h - the token that clients must send, from a file. */
#ifndef HAFT_SERVE_MCP_TOKEN_FILE_H
#define HAFT_SERVE_MCP_TOKEN_FILE_H

#include "base/arena.h"
#include "engine/ops/service.h"

/* Reads the token, which is the first line of the file; it lives in `arena`. Warns if other users
 * can read the file, or the token is short. BAD_INPUT if the file has no token, if other users can
 * write it, or if the token is short and other machines can reach the server. */
HAFT_MUST_USE haft_status haft__mcp_token_file_read(haft__arena *arena, const char *path,
                                                    bool loopback, const haft__service_host *host,
                                                    haft_str *ret_token, haft_error *err);

#endif
