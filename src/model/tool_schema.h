/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/tool_schema.h - the schema of a tool's arguments in a declaration: the part of JSON Schema
 * that a server accepts there.
 *
 * A keyword that the server rejects or ignores is left out and reported. haft still checks it: the
 * arguments of a call are validated with the tool's own schema.
 */
#ifndef HAFT_MODEL_TOOL_SCHEMA_H
#define HAFT_MODEL_TOOL_SCHEMA_H

#include "schema/relax_report.h"
#include "tool/tool.h"
#include "json/write.h"

/* Lists end with NULL. */
typedef struct haft__tool_schema_rules {
    const char *const *keywords;    /* all keywords that the server reads; NULL: any */
    const char *const *not_at_root; /* keywords that the root must not have; NULL: none */
    bool needs_properties;          /* the root must have `properties` */
} haft__tool_schema_rules;

/* The rules of docs/providers.md. */
extern const haft__tool_schema_rules haft__tool_schema_openai;
extern const haft__tool_schema_rules haft__tool_schema_anthropic;
extern const haft__tool_schema_rules haft__tool_schema_gemini;
extern const haft__tool_schema_rules haft__tool_schema_ollama;

/* Writes a schema without the keywords that the rules do not allow. With rules, the root is always
 * an object that says so. `rules` may be NULL: the schema is written as it is. */
void haft__tool_schema_write(haft__json_writer *w, const haft__tool_schema_rules *rules,
                             haft__json schema);

/* Reports every keyword of the tool's schema that the rules do not allow; the rules may be NULL. */
HAFT_MUST_USE haft_status haft__tool_schema_report(const haft__tool_schema_rules *rules,
                                                   const haft__tool *tool,
                                                   haft__relax_report *report, haft_error *err);

#endif
