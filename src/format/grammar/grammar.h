/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/grammar/grammar.h - makes a grammar (GBNF, for llama.cpp) or a JSON Schema
 * (`response_format` and structured outputs) that only calls of the allowed tools satisfy.
 * docs/grammars.md shows examples.
 *
 * The same input gives the same bytes. If a tool's schema cannot be expressed, only that tool is
 * relaxed, with a line in the report. A reply is still parsed and checked: it may be cut.
 */
#ifndef HAFT_FORMAT_GRAMMAR_GRAMMAR_H
#define HAFT_FORMAT_GRAMMAR_GRAMMAR_H

#include "base/buf.h"
#include "format/format.h"
#include "schema/downlevel/downlevel.h"
#include "schema/relax_report.h"
#include "spec/spec.h"

typedef struct haft__grammar_options {
    bool several;   /* the reply may have several calls; else exactly one */
    bool answer;    /* {"answer": "..."} may replace the calls; only in formats that have it */
    bool reasoning; /* of GBNF: the reply may begin with a block of reasoning */
    bool start_in_reasoning; /* of GBNF: the reply begins inside a block that the prompt opened */
    uint8_t form; /* of GBNF: index of a syntax of the format; see haft__grammar_forms. For mistral
                     0 is the array in the prompt, 1 is name[ARGS]{} */
    size_t max_bytes;   /* 0: HAFT__LIMIT_GRAMMAR_BYTES, which is also the maximum */
    bool complete;      /* of a schema: fail if it would accept fewer arguments than a tool does */
    uint32_t max_chars; /* of GBNF: the maximum for a JSON string without maxLength; 0: unlimited */
} haft__grammar_options;

/* How many syntaxes of a format have a grammar; 0: none. */
size_t haft__grammar_forms(const haft__format *format);

/*
 * Appends a grammar whose rule `root` matches the whole reply. `format` NULL: one JSON object
 * {"name": ..., "arguments": {...}}, or an array of them, for servers that call natively. `allowed`
 * has for each tool whether it may be called; NULL: all may. `mode` is ANY or TOOL (then `tool` is
 * its name); with `answer` it may be AUTO. `options` and `report` may be NULL.
 *
 * BAD_INPUT if no tool may be called; UNSUPPORTED if the format or the mode has no grammar; TOO_BIG
 * if even the names alone do not fit. On failure `buf` is unchanged.
 */
HAFT_MUST_USE haft_status haft__grammar_gbnf(haft__buf *buf, const haft__format *format,
                                             const haft__format_tool *tools, size_t tool_count,
                                             const bool *allowed, haft__choice_mode mode,
                                             haft_str tool, const haft__grammar_options *options,
                                             haft__relax_report *report, haft_error *err);

/* Appends a JSON Schema of the whole reply, for the target. The reply is JSON and is parsed as
 * `purejson`, whatever the format of the conversation: {"name", "arguments"}, or the members that
 * `format` has (purejson: "tool" and "args"), several of them in an array; if the root must be an
 * object (OpenAI), in {"tool_call": ...} or {"tool_calls": [...]}. The other parameters are those
 * of haft__grammar_gbnf; `answer` is UNSUPPORTED for OpenAI. For OpenAI an optional argument may be
 * null; the report has a line for this, and the caller removes such arguments before it checks the
 * call. With `complete`, UNSUPPORTED with the location and the reason if the target cannot express
 * the arguments of a tool. */
HAFT_MUST_USE haft_status haft__grammar_schema(haft__buf *buf, haft__schema_target target,
                                               const haft__format *format,
                                               const haft__format_tool *tools, size_t tool_count,
                                               const bool *allowed, haft__choice_mode mode,
                                               haft_str tool, const haft__grammar_options *options,
                                               haft__relax_report *report, haft_error *err);

#endif
