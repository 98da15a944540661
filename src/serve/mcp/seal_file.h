/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/seal_file.h - the key that seals what clients keep for us, and which of that was
 * answered, in a file: a client that starts its server for each sitting brings to the next what it
 * was given in the last.
 *
 * One file for each text of a spec: an answer to a question about another one is none.
 */
#ifndef HAFT_SERVE_MCP_SEAL_FILE_H
#define HAFT_SERVE_MCP_SEAL_FILE_H

#include "mcp/server/server.h"
#include "spec/spec.h"

typedef struct haft__mcp_seal_file {
    haft_str path; /* .ptr is NULL: there is no place, and the key goes with the process */
    haft__seal_key key;
} haft__mcp_seal_file;

/* Takes the key of `spec` from its file in `place` (.ptr may be NULL), or makes both. A file that
 * is damaged, or that others could read or write, is replaced. *ret_why is why there is none; ""
 * otherwise. Lives in `arena`. Fails for want of memory or randomness. */
HAFT_MUST_USE haft_status haft__mcp_seal_file_open(haft__arena *arena, haft_str place,
                                                   const haft__spec *spec,
                                                   haft__mcp_seal_file *ret_keep, haft_str *ret_why,
                                                   haft_error *err);

/* `share` of haft__mcp_server_options: `context` is a haft__mcp_seal_file with a path. */
bool haft__mcp_seal_file_update(void *context, haft__mcp_nonces_update *change, uint64_t *number);

#endif
