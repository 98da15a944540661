/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/call.h - one call of a tool that is a C function: its memory, its facts, its reply.
 *
 * The host makes a haft_call for each attempt, on any thread, and frees it after it has read the
 * reply. If a function exceeds its timeout, its haft_call exists until the function returns.
 */
#ifndef HAFT_TOOL_CALL_H
#define HAFT_TOOL_CALL_H

#include "json/value.h"

struct haft_call {
    haft__arena arena; /* the arguments and every reply */
    size_t max_reply;  /* bytes; HAFT__LIMIT_TOOL_RESULT_BYTES */
    haft_call_facts facts;
    haft__json arguments;            /* set by haft__call_run */
    const haft_server_facts *server; /* borrowed; NULL outside a server */
    /* Set by the host after init, or NULL. Called on the thread of the function. */
    bool (*cancelled)(void *host);
    void (*emit)(void *host, haft_str json); /* `json` is borrowed until it returns */
    void *host;
    struct haft__queued_call *queued; /* exec/queued.c; NULL: the call of a function */
};

/* Allocates nothing. `facts` is borrowed; it may be NULL, and its texts may be NULL, which means
 * "". */
void haft__call_init(haft_call *call, const haft_call_facts *facts);

/* Frees the replies. May be called with a zeroed call. */
void haft__call_finish(haft_call *call);

/* Decodes validated arguments (tool/decode.h), or writes them as text if the tool has an
 * input_schema, and calls the function. Fails only before the function is called: an error of the
 * tool is a reply. The tool must have a function. */
HAFT_MUST_USE haft_status haft__call_run(haft_call *call, const haft_tool *tool,
                                         haft__json arguments, haft_reply *ret_reply,
                                         haft_error *err);

/* Copies the texts of `facts` into `arena`. A text that is NULL becomes "". */
HAFT_MUST_USE haft_status haft__call_facts_copy(haft__arena *arena, haft_call_facts *facts,
                                                haft_error *err);

/* Writes validated arguments as JSON, in the memory of the call. */
HAFT_MUST_USE haft_status haft__call_write_arguments(haft_call *call, haft__json arguments,
                                                     haft_str *ret_text, haft_error *err);

/* Checks a reply that was not made by a function of haft.h, and copies it into the memory of the
 * call. BAD_INPUT or TOO_BIG; err->where is a JSON Pointer or line:column in `text`. */
HAFT_MUST_USE haft_status haft__call_make_reply(haft_call *call, haft_reply_kind kind,
                                                haft_str text, haft_reply *ret_reply,
                                                haft_error *err);

/* Checks the form of a command: {update, goto, send}. BAD_INPUT; err->where is a JSON Pointer. */
HAFT_MUST_USE haft_status haft__call_check_command(haft__json value, haft_error *err);

#endif
