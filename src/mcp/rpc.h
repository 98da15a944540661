/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/rpc.h - one JSON-RPC 2.0 message as MCP has it: read strictly, written compactly.
 *
 * Batches do not exist, ids are texts or integers and never null, parameters and results are
 * objects. A message that is not as it should be is a fault with the code that its sender is told,
 * and with its id where that could be read: an answer that is spoilt still ends the call it is for.
 */
#ifndef HAFT_MCP_RPC_H
#define HAFT_MCP_RPC_H

#include "json/write.h"

/* Codes of errors: JSON-RPC's own, then MCP's until 2025-11-25, then those of 2026-07-28. */
#define HAFT__RPC_CODES(X)                                                                         \
    X(PARSE, -32700, "parse error")                                                                \
    X(INVALID, -32600, "invalid request")                                                          \
    X(METHOD, -32601, "method not found")                                                          \
    X(PARAMS, -32602, "invalid params")                                                            \
    X(INTERNAL, -32603, "internal error")                                                          \
    X(RESOURCE, -32002, "resource not found")                                                      \
    X(URL_ELICITATION, -32042, "url elicitation required")                                         \
    X(HEADER, -32020, "header mismatch")                                                           \
    X(CAPABILITY, -32021, "missing required client capability")                                    \
    X(VERSION, -32022, "unsupported protocol version")

enum {
#define X(name, code, text) HAFT__RPC_##name = (code),
    HAFT__RPC_CODES(X)
#undef X
};

/* "parse error"; NULL for a code that has no meaning here. */
const char *haft__rpc_code_name(int64_t code);

typedef enum haft__rpc_kind {
    HAFT__RPC_REQUEST,      /* id, method, params */
    HAFT__RPC_NOTIFICATION, /* method, params */
    HAFT__RPC_RESULT,       /* id, result */
    HAFT__RPC_ERROR,        /* id (null when its sender could not read ours), code, message, data */
} haft__rpc_kind;

typedef struct haft__rpc_message {
    haft__rpc_kind kind;
    haft__json id; /* a text or an integer; null where there is none */
    haft_str method;
    haft__json params; /* an object; null when there are none */
    haft__json result; /* an object */
    haft__json exact;  /* `result` as it came, where a client has taken secrets out; else null */
    int64_t code;
    haft_str message;
    haft__json data; /* null when there is none */
    bool malformed;  /* ERROR, for whoever waits: made here of an answer that is not valid */
} haft__rpc_message;

/* What is wrong with a message, for its sender. */
typedef struct haft__rpc_fault {
    int64_t code;        /* HAFT__RPC_PARSE or HAFT__RPC_INVALID */
    haft__json id;       /* null when it could not be read */
    bool answer;         /* it is a result or an error, which nobody answers */
    bool maybe_response; /* it has an id, and may have been meant as one */
} haft__rpc_fault;

/* Reads one message. What it points to lives in `arena` or in `text`. BAD_INPUT when it is none and
 * TOO_BIG past HAFT__LIMIT_MCP_MESSAGE_BYTES, _MCP_DEPTH, _MCP_VALUES or _MCP_ID_BYTES: *ret_fault
 * is filled then. Keys that JSON-RPC does not know are not looked at; a key that stands twice
 * anywhere is a fault. `"params": null` is no parameters. */
HAFT_MUST_USE haft_status haft__rpc_read(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                         haft__rpc_message *ret_message, haft__rpc_fault *ret_fault,
                                         haft_error *err);

/* The same id: 1 and "1" are two. */
bool haft__rpc_id_equal(haft__json a, haft__json b);

/* Whether a value can be an id: what haft__rpc_read takes for one. */
bool haft__rpc_id_valid(haft__json id);

/* Appends a message piece by piece: begin, add one value (params or result, an object), end.
 * Failure is the buffer's. No line ends are in it. */
void haft__rpc_begin_request(haft__json_writer *w, int64_t id, haft_str method);
void haft__rpc_begin_notification(haft__json_writer *w, haft_str method);
void haft__rpc_begin_result(haft__json_writer *w, haft__json id);
void haft__rpc_end(haft__json_writer *w);

/* Appends an error; `id` and `data` may be null. */
void haft__rpc_write_error(haft__buf *buf, haft__json id, int64_t code, haft_str message,
                           haft__json data);

#endif
