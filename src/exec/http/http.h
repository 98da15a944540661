/* SPDX-License-Identifier: Apache-2.0 */
/* exec/http/http.h - request and response of an HTTP tool. Private to src/exec. */
#ifndef HAFT_EXEC_HTTP_HTTP_H
#define HAFT_EXEC_HTTP_HTTP_H

#include "exec/executor.h"
#include "io/http/client.h"

/* ---- request.c ---- */

/* Builds the request of a call, in the job's arena. The model or the author of the spec can fix
 * every error. No message contains a value of the environment. */
HAFT_MUST_USE haft_status haft__http_tool_request(haft__exec_job *job,
                                                  haft__http_request *ret_request, haft_error *err);

/* A member of the tool's `http`, or NULL. */
const haft__json *haft__http_tool_definition(const haft__exec_job *job, const char *key);

/* ---- url.c ---- */

HAFT_MUST_USE haft_status haft__http_tool_url(haft__exec_job *job, haft_str *ret_url,
                                              haft_error *err);

/* ---- body.c ---- */

/* Write JSON text to the job's arena: of a template with the arguments filled in, and of a plain
 * value. */
HAFT_MUST_USE haft_status haft__http_tool_body(haft__exec_job *job, haft__json template,
                                               haft_str *ret_body, haft_error *err);
HAFT_MUST_USE haft_status haft__http_tool_write_json(haft__exec_job *job, haft__json value,
                                                     haft_str *ret_body, haft_error *err);

/* ---- result.c ---- */

/* The result for a response. Texts are in the job's arena or borrowed from `body`. */
void haft__http_tool_result(haft__exec_job *job, const haft__http_result *answer, haft_str body,
                            haft__exec_result *ret_result);

#endif
