/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/seal_file.h - a file with the key that signs states (mcp/seal.h), and with the states
 * that were used. With it a client that starts a new server process for each session can present a
 * state of an earlier session.
 *
 * Each version of a spec has its own file: a state that another spec issued is invalid.
 */
#ifndef HAFT_SERVE_MCP_SEAL_FILE_H
#define HAFT_SERVE_MCP_SEAL_FILE_H

#include "mcp/server/server.h"
#include "spec/spec.h"

typedef struct haft__mcp_seal_file {
    haft_str path; /* .ptr is NULL: no state directory, the key is lost with the process */
    haft__seal_key key;
} haft__mcp_seal_file;

/* Reads the key of `spec` from its file in `directory` (.ptr may be NULL), or creates both. A file
 * that is damaged, or that others can read or write, is replaced. *ret_why is the reason if there
 * is no file; "" otherwise. Lives in `arena`. Fails when out of memory or randomness. */
HAFT_MUST_USE haft_status haft__mcp_seal_file_open(haft__arena *arena, haft_str directory,
                                                   const haft__spec *spec,
                                                   haft__mcp_seal_file *ret_file, haft_str *ret_why,
                                                   haft_error *err);

/* `share` of haft__mcp_server_options: `context` is a haft__mcp_seal_file with a path. */
bool haft__mcp_seal_file_update(void *context, haft__mcp_nonces_update *change, uint64_t *number);

#endif
