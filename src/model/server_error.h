/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/server_error.h - errors as model servers report them: their kind, which decides about a
 * retry, and their message. All wire formats share it.
 */
#ifndef HAFT_MODEL_SERVER_ERROR_H
#define HAFT_MODEL_SERVER_ERROR_H

#include "base/buf.h"
#include "base/excerpt.h"
#include "base/hash.h"
#include "model/model.h"
#include "json/value.h"

/* Texts are borrowed from the value. */
typedef struct haft__server_error {
    haft_str message, type, code, param;
    haft_str reason; /* of Google, more specific than type and code */
    bool is_text;    /* it has only a message, in the form {"error": TEXT} */
    bool has_wait;   /* it says how long to wait before a retry */
    uint64_t wait_ms;
} haft__server_error;

/* Finds an error in a value; false if it is not an error in a form that the function knows. */
typedef bool haft__server_error_finder(haft__json value, haft__server_error *ret_error);

/* {"error": TEXT or {..}}, alone or in a list. */
haft__server_error_finder haft__server_error_find_wrapped;

/* The same, and {"message":..} or {"detail":..} without choices: the forms of servers that speak
 * Chat Completions. */
haft__server_error_finder haft__server_error_find;

/* `status` is 0 if the error came inside a reply. */
haft__failure_kind haft__server_error_kind(uint32_t status, const haft__server_error *error);

/* The status inside the error object, which some servers set; else 0. */
uint32_t haft__server_error_status(const haft__server_error *error);

/* Appends the message and, in parentheses, the other known details, each redacted and then cut. */
void haft__server_error_write(haft__buf *buf, const haft__server_error *error, haft_str request_id,
                              haft__cleaner cleaner);

/* Appends the start of a text on one line: white space becomes one space, HTML tags are left out if
 * `html`, and invalid UTF-8 becomes '?'. Redacted before it is cut. */
void haft__server_error_add_excerpt(haft__buf *buf, haft_str text, bool html,
                                    haft__cleaner cleaner);

/* Appends the usual reason for a response that is not from a model server: a wrong URL. */
void haft__server_error_add_endpoint_hint(haft__buf *buf);

/* The failure of a response that is not 2xx: "HTTP 401 from the model server: Incorrect API key
 * (invalid_request_error, invalid_api_key)". `request_id` may be empty. The message lives in
 * `arena` and has at most HAFT__LIMIT_MODEL_ERROR_CHARS code points from the server. The first
 * HAFT__LIMIT_MODEL_ERROR_BYTES of the body are enough. */
HAFT_MUST_USE haft_status haft__server_error_read_failure(
    uint32_t status, haft_str body, haft_str request_id, haft__hash_key hash_key,
    haft__cleaner cleaner, haft__arena *arena, haft__model_failure *ret_failure, haft_error *err);

#endif
