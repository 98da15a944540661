/* SPDX-License-Identifier: Apache-2.0 */
/* mcp/client/elicitation.h - what a server asks a person, and what is answered. */
#ifndef HAFT_MCP_CLIENT_ELICITATION_H
#define HAFT_MCP_CLIENT_ELICITATION_H

#include "mcp/client/client.h"

/* Reads the params of elicitation/create. Fills message, url, schema and address of the question;
 * texts live in `arena` or where `params` does. BAD_INPUT when it is none that can be asked: a form
 * is an object of plain fields, an address http or https. */
HAFT_MUST_USE haft_status haft__mcp_elicitation_read(haft__arena *arena, haft__json params,
                                                     haft__mcp_elicitation *ret_question,
                                                     haft_error *err);

/* Appends {"action":"accept","content":{..}} as both eras have it. */
void haft__mcp_elicitation_write_answer(haft__json_writer *w, haft__mcp_action action,
                                        haft__json content);

#endif
