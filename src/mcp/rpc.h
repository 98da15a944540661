/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/rpc.h - one JSON-RPC 2.0 message of MCP: parsed strictly, written compactly.
 *
 * Batches are not supported, ids are texts or integers and never null, parameters and results are
 * objects. For an invalid message, the parser returns a fault with the error code for the sender,
 * and with the id of the message if it was readable, so that an invalid response still ends its
 * call.
 */
#ifndef HAFT_MCP_RPC_H
#define HAFT_MCP_RPC_H

#include "json/write.h"

/* Error codes: JSON-RPC's own, then MCP's up to 2025-11-25, then those of 2026-07-28. */
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

/* The name of a code, such as "parse error"; NULL for an unknown code. */
const char *haft__rpc_code_name(int64_t code);

typedef enum haft__rpc_kind {
    HAFT__RPC_REQUEST,      /* id, method, params */
    HAFT__RPC_NOTIFICATION, /* method, params */
    HAFT__RPC_RESULT,       /* id, result */
    HAFT__RPC_ERROR, /* id (null if the sender could not read the id of the request), code, message,
                        data */
} haft__rpc_kind;

typedef struct haft__rpc_message {
    haft__rpc_kind kind;
    haft__json id; /* a text or an integer; null if missing */
    haft_str method;
    haft__json params; /* an object; null if missing */
    haft__json result; /* an object */
    haft__json exact;  /* the original `result`, if a client has redacted secrets; else null */
    int64_t code;
    haft_str message;
    haft__json data; /* null if missing */
    bool malformed;  /* an ERROR that the client has made from an invalid response */
} haft__rpc_message;

/* The error of a message, for its sender. */
typedef struct haft__rpc_fault {
    int64_t code;        /* HAFT__RPC_PARSE or HAFT__RPC_INVALID */
    haft__json id;       /* null if it could not be read */
    bool answer;         /* it is a result or an error, which gets no response */
    bool maybe_response; /* it has an id, and may be a response */
} haft__rpc_fault;

/* Parses one message. The result points into `arena` or `text`. BAD_INPUT if it is invalid and
 * TOO_BIG above HAFT__LIMIT_MCP_MESSAGE_BYTES, _MCP_DEPTH, _MCP_VALUES or _MCP_ID_BYTES; then sets
 * *ret_fault; it contains the id even if the id follows a part that is too big. Keys unknown to
 * JSON-RPC are ignored; a duplicate key anywhere is a fault. `"params": null` means no
 * parameters. */
HAFT_MUST_USE haft_status haft__rpc_read(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                         haft__rpc_message *ret_message, haft__rpc_fault *ret_fault,
                                         haft_error *err);

/* For a message that is too big to be parsed: sets the members of *io_fault that its top-level keys
 * determine, and the id if the message has exactly one. */
void haft__rpc_read_envelope(haft__arena *arena, haft_str text, haft__rpc_fault *io_fault);

/* Whether two ids are equal: 1 and "1" differ. */
bool haft__rpc_id_equal(haft__json a, haft__json b);

/* Whether haft__rpc_read accepts a value as an id. */
bool haft__rpc_id_valid(haft__json id);

/* Appends a message in pieces: begin, add one value (params or result, an object), end. Errors are
 * recorded in the buffer. The text has no line ends. */
void haft__rpc_begin_request(haft__json_writer *w, int64_t id, haft_str method);
void haft__rpc_begin_notification(haft__json_writer *w, haft_str method);
void haft__rpc_begin_result(haft__json_writer *w, haft__json id);
void haft__rpc_end(haft__json_writer *w);

/* Appends an error; `id` and `data` may be null. */
void haft__rpc_write_error(haft__buf *buf, haft__json id, int64_t code, haft_str message,
                           haft__json data);

#endif
