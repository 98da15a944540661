/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/client/param_header.h - writes arguments of a call as HTTP headers, which MCP requires since
 * 2026-07-28 for arguments that the tool marks with x-mcp-header. */
#ifndef HAFT_MCP_CLIENT_PARAM_HEADER_H
#define HAFT_MCP_CLIENT_PARAM_HEADER_H

#include "base/buf.h"
#include "mcp/definition.h"
#include "json/value.h"

/* Appends a header value. It is written as =?base64?..?= if it contains other characters than
 * visible ASCII, begins or ends with a space, or looks like such an encoding; otherwise the value
 * is written unchanged. */
void haft__mcp_header_add(haft__buf *buf, haft_str value);

/* Appends "Mcp-Param-NAME: value" for an argument. Appends nothing and returns false if the
 * argument is missing, is null, or cannot be a header value. */
bool haft__mcp_header_param(haft__buf *buf, const haft__mcp_param *param, haft__json arguments);

#endif
