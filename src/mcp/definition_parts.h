/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/definition_parts.h - what the parts of definition.c share. Private to src/mcp. */
#ifndef HAFT_MCP_DEFINITION_PARTS_H
#define HAFT_MCP_DEFINITION_PARTS_H

#include "mcp/definition.h"

/* definition_params.c: the arguments that an input schema wants as headers. BAD_INPUT for a wrong
 * "x-mcp-header", err->where a JSON Pointer into the schema. */
HAFT_MUST_USE haft_status haft__mcp_params_read(haft__arena *arena, haft__json schema,
                                                const haft__mcp_param **ret_params,
                                                size_t *ret_count, haft_error *err);

/* definition_schema.c: the schema with its texts made visible; `schema` itself where there is
 * nothing to do. BAD_INPUT when a name or a value that is compared has a hidden character. */
HAFT_MUST_USE haft_status haft__mcp_schema_make_visible(haft__arena *arena, haft__json schema,
                                                        const char *where, haft__json *ret_schema,
                                                        haft_error *err);

#endif
