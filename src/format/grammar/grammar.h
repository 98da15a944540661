/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/grammar/grammar.h - makes every other reply impossible: a grammar (GBNF, for llama.cpp) or
 * a JSON Schema (`response_format` and structured outputs) that only calls of the allowed tools
 * satisfy. docs/grammars.md shows them.
 *
 * Same input, same bytes. One schema that cannot be expressed relaxes itself alone, with a line in
 * the report. A reply is parsed and checked as if there were no grammar: it may be cut.
 */
#ifndef HAFT_FORMAT_GRAMMAR_GRAMMAR_H
#define HAFT_FORMAT_GRAMMAR_GRAMMAR_H

#include "base/buf.h"
#include "format/format.h"
#include "schema/downlevel/downlevel.h"
#include "schema/relax_report.h"
#include "spec/spec.h"

typedef struct haft__grammar_options {
    bool several;   /* more than one call may be made; else exactly one */
    bool answer;    /* {"answer": "..."} may stand there instead; formats that have it only */
    bool reasoning; /* of GBNF: the reply may begin with a block of reasoning */
    bool start_in_reasoning; /* of GBNF: it begins inside one, which the prompt has opened */
    uint8_t form;       /* of GBNF, where a format is written in several ways: 0 is the first, see
                           haft__grammar_forms; of mistral, 0 an array, as it is taught, 1
                           name[ARGS]{} */
    size_t max_bytes;   /* 0, or more than that: HAFT__LIMIT_GRAMMAR_BYTES */
    uint32_t max_chars; /* of GBNF: what a JSON string without maxLength may have; 0: any number */
} haft__grammar_options;

/* How many ways of writing calls a format has that a grammar can be made for; 0: none. */
size_t haft__grammar_forms(const haft__format *format);

/* Appends a grammar whose rule `root` is the whole reply. `format` NULL: one JSON object
 * {"name": ..., "arguments": {...}}, or an array of them, for servers that call natively. `allowed`
 * (NULL: all) says for each tool whether it may be called; `mode` is ANY or TOOL (then `tool` is
 * its name), and with `answer` AUTO too. `options` and `report` may be NULL.
 *
 * BAD_INPUT when no tool is left to call; UNSUPPORTED when the format or the mode has no grammar;
 * TOO_BIG when even the names alone do not fit. On failure `buf` holds what it held before. */
HAFT_MUST_USE haft_status haft__grammar_gbnf(haft__buf *buf, const haft__format *format,
                                             const haft__format_tool *tools, size_t tool_count,
                                             const bool *allowed, haft__choice_mode mode,
                                             haft_str tool, const haft__grammar_options *options,
                                             haft__relax_report *report, haft_error *err);

/* Appends a JSON Schema of the whole reply, in the words of the target. The reply is JSON and is
 * parsed as `purejson`, whatever the format of the conversation: {"name", "arguments"}, or the
 * members that `format` has (purejson: "tool" and "args"), several of them in an array; where the
 * root must be an object (OpenAI), in {"tool_call": ...} or {"tool_calls": [...]}. Else as above;
 * `answer` is UNSUPPORTED for OpenAI. Optional arguments may come as null
 * there, which the report says: leave those out before the call is checked. */
HAFT_MUST_USE haft_status haft__grammar_schema(haft__buf *buf, haft__schema_target target,
                                               const haft__format *format,
                                               const haft__format_tool *tools, size_t tool_count,
                                               const bool *allowed, haft__choice_mode mode,
                                               haft_str tool, const haft__grammar_options *options,
                                               haft__relax_report *report, haft_error *err);

#endif
