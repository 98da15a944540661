/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/call.h - one call of a tool that is a C function: its memory, its facts, its reply.
 *
 * The host makes one for each attempt, on whatever thread, and keeps it until the reply has been
 * taken; a function that overran its time is left with its call until it returns.
 */
#ifndef HAFT_TOOL_CALL_H
#define HAFT_TOOL_CALL_H

#include "json/value.h"

struct haft_call {
    haft__arena arena; /* the arguments and every reply */
    size_t max_reply;  /* bytes; HAFT__LIMIT_TOOL_RESULT_BYTES */
    haft_call_facts facts;
    const haft_server_facts *server; /* borrowed; NULL outside a server */
    /* Set by the host after init, or left NULL; called on the thread of the function. */
    bool (*cancelled)(void *host);
    void (*emit)(void *host, haft_str json); /* `json` is borrowed for the call */
    void *host;
};

/* Takes no memory yet. `facts` may be NULL, and texts in it: then they are "". They are borrowed.
 */
void haft__call_init(haft_call *call, const haft_call_facts *facts);

/* Fine on a zeroed call. Replies are gone after it. */
void haft__call_finish(haft_call *call);

/* Decodes arguments that have been validated (tool/decode.h), or writes them as text if the tool
 * has an input_schema, and calls the function. Fails only before that: an error of the tool is a
 * reply. The tool is one with a function. */
HAFT_MUST_USE haft_status haft__call_run(haft_call *call, const haft_tool *tool,
                                         haft__json arguments, haft_reply *ret_reply,
                                         haft_error *err);

#endif
