/* SPDX-License-Identifier: Apache-2.0 */
/* cli/servers.h - what is known of a spec's MCP servers without asking any, for explanations. */
#ifndef HAFT_CLI_SERVERS_H
#define HAFT_CLI_SERVERS_H

#include <stdio.h>

#include "exec/mcp.h"
#include "json/write.h"

/* The verdict on every tool that is known, as a run would come to it. Lives in `arena`. */
HAFT_MUST_USE haft_status haft__servers_look(haft__arena *arena, const haft__spec *spec,
                                             haft__hash_key hash_key, haft__reveal *ret_reveal,
                                             haft_error *err);

/* A line for each server, and one for each tool that is known, as `haft explain` has them for the
 * tools of the spec. Only those whose names begin with `start`. Returns how many. */
size_t haft__servers_print(FILE *out, const haft__spec *spec, const haft__reveal *reveal,
                           haft_str start);

/* The servers as an array: {name, state, tools, reason}; the reason is null when they can be used.
 */
void haft__servers_write(haft__json_writer *w, const haft__spec *spec, const haft__reveal *reveal);

#endif
