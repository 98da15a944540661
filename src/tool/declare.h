/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/declare.h - tools that a C program declares: from haft_tool to a tool of the registry.
 *
 * The table of fields that HAFT_TOOL makes is the single source: the schema is made from it here,
 * and the decoder (tool/decode.h) walks it. A table may be written by hand or made by another
 * compiler, so it is checked like any input.
 */
#ifndef HAFT_TOOL_DECLARE_H
#define HAFT_TOOL_DECLARE_H

#include "tool/tool.h"

/* Returns the row `at` of a table. Programs built with an older header have shorter rows, with a
 * newer one longer rows: missing members are 0, additional ones are ignored. */
haft_field haft__field_at(const haft_object *object, size_t at);

/* The size in bytes of the member of the argument struct that the field describes. */
size_t haft__field_size(const haft_field *field);

/* Prepends "/step" to the JSON Pointer of an error; `step` has at most 64 bytes. Returns `status`.
 * When out of memory, leaves the pointer unchanged. */
haft_status haft__field_prepend_pointer(haft_status status, const char *step, haft_error *err);

/* Makes the JSON Schema of `object`, in `arena`. Names and texts are borrowed from `object`.
 * BAD_INPUT if the table is invalid, TOO_BIG past a limit; err->where is a JSON Pointer into the
 * arguments. */
HAFT_MUST_USE haft_status haft__declare_schema(haft__arena *arena, const haft_object *object,
                                               haft__json *ret_schema, haft_error *err);

/* Makes the tool for a registry. Texts are copied into `arena`, `arguments` is borrowed. err->where
 * is a JSON Pointer into the tool, such as "/input_schema/properties/path"; unlike that of
 * tool/registry.h it does not begin with the tool's name. */
HAFT_MUST_USE haft_status haft__declare_tool(haft__arena *arena, const haft_tool *tool,
                                             haft__tool *ret_tool, haft_error *err);

#endif
