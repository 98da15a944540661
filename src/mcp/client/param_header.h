/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/client/param_header.h - request values that are also sent as HTTP headers (2026-07-28). */
#ifndef HAFT_MCP_CLIENT_PARAM_HEADER_H
#define HAFT_MCP_CLIENT_PARAM_HEADER_H

#include "base/buf.h"
#include "mcp/definition.h"
#include "json/value.h"

/* Appends a header value: literally, or as =?base64?..?= if it has characters outside of visible
 * ASCII, leading or trailing space, or looks encoded itself. */
void haft__mcp_header_add(haft__buf *buf, haft_str value);

/* Appends "Mcp-Param-NAME: value" for a header argument. False, and nothing appended, if it is
 * missing, null, or cannot be a header value. */
bool haft__mcp_header_param(haft__buf *buf, const haft__mcp_param *param, haft__json arguments);

#endif
