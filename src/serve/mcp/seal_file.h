/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/seal_file.h - a file with the key that seals client states, and with the used states: a
 * client that starts its server for each session can present a state from an earlier one.
 *
 * Each text of a spec has its own file: an answer for another spec is invalid.
 */
#ifndef HAFT_SERVE_MCP_SEAL_FILE_H
#define HAFT_SERVE_MCP_SEAL_FILE_H

#include "mcp/server/server.h"
#include "spec/spec.h"

typedef struct haft__mcp_seal_file {
    haft_str path; /* .ptr is NULL: no state directory, the key is lost with the process */
    haft__seal_key key;
} haft__mcp_seal_file;

/* Reads the key of `spec` from its file in `place` (.ptr may be NULL), or creates both. A file that
 * is damaged, or that others can read or write, is replaced. *ret_why is the reason if there is no
 * file; "" otherwise. Lives in `arena`. Fails when out of memory or randomness. */
HAFT_MUST_USE haft_status haft__mcp_seal_file_open(haft__arena *arena, haft_str place,
                                                   const haft__spec *spec,
                                                   haft__mcp_seal_file *ret_keep, haft_str *ret_why,
                                                   haft_error *err);

/* `share` of haft__mcp_server_options: `context` is a haft__mcp_seal_file with a path. */
bool haft__mcp_seal_file_update(void *context, haft__mcp_nonces_update *change, uint64_t *number);

#endif
