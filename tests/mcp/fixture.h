/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.h - the server that the official conformance suite expects: its fixed names of
 * tools, prompts and resources. Tests only; haft itself serves neither prompts nor resources.
 */
#ifndef HAFT_TESTS_MCP_FIXTURE_H
#define HAFT_TESTS_MCP_FIXTURE_H

#include "io/loop.h"
#include "mcp/server/server.h"

typedef struct fixture {
    haft__loop *loop;
    haft__mcp_server *server;
    haft__arena arena;
    struct fixture_job *jobs; /* calls that take some time */
} fixture;

extern const haft__mcp_server_handlers fixture_served; /* its context is a fixture */

/* Lists and single entries. */
size_t fixture_count(void *context, haft__mcp_list list);
void fixture_write(void *context, haft__mcp_list list, size_t index, bool modern, haft__buf *buf);
const haft__json *fixture_schema(void *context, haft_str tool);

/* Prompts, resources and completions are answered at once. */
void fixture_prompt(fixture *f, haft__mcp_request *mcp_request);
void fixture_resource(fixture *f, haft__mcp_request *mcp_request);

#define FIXTURE_PNG                                                                                \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg" \
    "gg=="
#define FIXTURE_WAV "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="

#endif
