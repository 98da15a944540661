/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/definition_parts.h - shared by definition.c and its parts. Private to src/mcp. */
#ifndef HAFT_MCP_DEFINITION_PARTS_H
#define HAFT_MCP_DEFINITION_PARTS_H

#include "mcp/definition.h"

/* definition_params.c: the arguments that an input schema requires as headers. BAD_INPUT for an
 * invalid "x-mcp-header"; err->where is a JSON Pointer into the schema. */
HAFT_MUST_USE haft_status haft__mcp_params_read(haft__arena *arena, haft__json schema,
                                                const haft__mcp_param **ret_params,
                                                size_t *ret_count, haft_error *err);

/* definition_schema.c: the schema with hidden characters in its texts made visible; `schema` itself
 * if it has none. BAD_INPUT if a name or a compared value has a hidden character. */
HAFT_MUST_USE haft_status haft__mcp_schema_make_visible(haft__arena *arena, haft__json schema,
                                                        const char *where, haft__json *ret_schema,
                                                        haft_error *err);

#endif
