/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/client/elicitation.h - questions of a server to a person, and their answers. */
#ifndef HAFT_MCP_CLIENT_ELICITATION_H
#define HAFT_MCP_CLIENT_ELICITATION_H

#include "mcp/client/client.h"

/* Reads the params of elicitation/create. Sets message, url, schema and address of the question;
 * texts live in `arena` or in the memory of `params`. Fails with BAD_INPUT if the question cannot
 * be shown: a form must be a flat object of primitive fields, an address must be http or https. */
HAFT_MUST_USE haft_status haft__mcp_elicitation_read(haft__arena *arena, haft__json params,
                                                     haft__mcp_elicitation *ret_question,
                                                     haft_error *err);

/* Appends {"action":"accept","content":{..}}. All versions of MCP use the same form. */
void haft__mcp_elicitation_write_answer(haft__json_writer *w, haft__mcp_action action,
                                        haft__json content);

#endif
