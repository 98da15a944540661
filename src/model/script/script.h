/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/script/script.h - a model that plays a script and checks its requests.
 *
 *     replies:
 *       - expect: {mode: any, allowed: [glob, grep], contains: "Find"}
 *         calls: [{name: glob, arguments: {pattern: "*.c"}}]
 *       - text: All done.
 *         usage: {input_tokens: 10, output_tokens: 3}
 *     results:
 *       glob: ["a.c\nb.c"]
 *
 * docs/script.md describes the document. It is borrowed and must outlive the script.
 */
#ifndef HAFT_MODEL_SCRIPT_SCRIPT_H
#define HAFT_MODEL_SCRIPT_SCRIPT_H

#include "base/map.h"
#include "model/model.h"

typedef struct haft__script {
    haft__json replies;     /* an array */
    haft__json results;     /* an object, or null */
    size_t next;            /* index of the next reply */
    uint32_t *results_used; /* for each member of `results` */
} haft__script;

/* Checks the document. BAD_INPUT with a JSON Pointer if it is not a script. */
HAFT_MUST_USE haft_status haft__script_init(haft__script *script, haft__arena *arena,
                                            haft__json document, haft_error *err);

/* The same script from its start, for another run; it borrows from the first. */
HAFT_MUST_USE haft_status haft__script_start(const haft__script *script, haft__arena *arena,
                                             haft__script *ret_script, haft_error *err);

/* The response of a script to a request. */
typedef struct haft__script_answer {
    bool failed; /* the model call fails with `failure`; else it returns `reply` */
    haft__reply reply;
    haft__model_failure failure;
    uint64_t delay_ms;
    /* For servers over HTTP. A reply with a `cut` is always complete here, failed or not. */
    haft__json headers; /* of an error: an object of texts and integers, or null */
    bool has_cut;
    uint64_t cut;
    bool ignores_constraint; /* the reply may violate the constraint of the request */
} haft__script_answer;

/* The next reply. BAD_STATE if the request does not match the expectation or no reply is left; the
 * message shows both. Texts live in `arena` or in the document. */
HAFT_MUST_USE haft_status haft__script_ask(haft__script *script, const haft__request *request,
                                           haft__arena *arena, haft__script_answer *ret_answer,
                                           haft_error *err);

/* Skips a reply that was already used, for a request without a constraint. */
void haft__script_skip_reply(haft__script *script);

/* The next result of a tool: text, or an error for the model. */
typedef struct haft__script_result {
    bool ok;
    haft_str text; /* the result, or the message of the error */
    haft_str hint; /* of an error; may be empty */
} haft__script_result;

/* False if the script has no `results` for the tool. A list that is used up gives an error result
 * that says so; any other value is the result of every call. */
bool haft__script_has_results(const haft__script *script, haft_str tool);
HAFT_MUST_USE haft_status haft__script_result_of(haft__script *script, haft_str tool,
                                                 haft__arena *arena,
                                                 haft__script_result *ret_result, haft_error *err);

/* Skips a result of the tool that was already used. */
void haft__script_skip_result(haft__script *script, haft_str tool);

#endif
