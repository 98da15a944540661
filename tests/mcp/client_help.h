/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_help.h - plays a client with steps, a line each, and logs its events, a line each.
 *
 * Steps, one a line:  start | probe-timeout | list | get JSON | on N JSON (received on exchange N)
 *                     call TOOL JSON | again TOOL ROUND STATE JSON | cancel N WHY
 *                     accept N JSON | decline N | dismiss N | session N ID | broken N HTTP BODY
 *                     cut N WHY | lost WHY | fail WHY
 * An event is a line that begins with "  "; _meta of a modern request is left out.
 * Cases use abbreviations for the texts that most of them have: $initialize(1) and others
 * (client_help.c).
 */
#ifndef HAFT_TESTS_MCP_CLIENT_HELP_H
#define HAFT_TESTS_MCP_CLIENT_HELP_H

#include "base/buf.h"
#include "mcp/client/client.h"

/* Options for a test: a server "docs". */
haft__mcp_client_options test_client_options(void);

/* Performs the steps and appends the output. Stops at a step that fails and returns its status. */
haft_status test_client_play(haft__mcp_client *client, haft_str steps, haft__buf *log);

/* The steps of a new client, and the wanted events. Options, a letter each: h HTTP; L and M the
 * era is known (legacy, modern); e questions are answered; r there are roots; l changes are
 * reported; i log messages of level info and above; s TEST_CANARY is a secret. */
typedef struct test_client_case {
    const char *options, *steps, *wanted;
} test_client_case;

/* 60 bytes; no eight bytes of it occur twice. */
#define TEST_CANARY "canary-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"

/* Redacts TEST_CANARY; see haft__cleaner. */
bool test_client_clean(const void *context, haft_str text, haft__lost lost, haft__buf *out);

/* The steps with abbreviations expanded; valid until the test ends. */
haft_str test_client_expand(const char *text);

haft__mcp_client_options test_client_options_of(const char *letters);
void test_client_check_all(const test_client_case *cases, size_t count);

/* Runs each case with every allocation failing in turn: a call may fail, but it ends once. */
void test_client_fail_allocations(const test_client_case *cases, size_t count);

#endif
