/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/client/param_header.h - values of a request that travel as HTTP headers, too (2026-07-28). */
#ifndef HAFT_MCP_CLIENT_PARAM_HEADER_H
#define HAFT_MCP_CLIENT_PARAM_HEADER_H

#include "base/buf.h"
#include "mcp/definition.h"
#include "json/value.h"

/* Appends a value as a header may hold it: as it is, or as =?base64?..?= when it has characters
 * that are not visible ASCII, a blank at an end, or looks like that itself. */
void haft__mcp_header_add(haft__buf *buf, haft_str value);

/* Appends "Mcp-Param-NAME: value" for an argument that is to be a header; nothing (and false) when
 * it is not there, null, or nothing a header can hold. */
bool haft__mcp_header_param(haft__buf *buf, const haft__mcp_param *param, haft__json arguments);

#endif
