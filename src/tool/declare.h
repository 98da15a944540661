/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/declare.h - tools that a C program declares: from haft_tool to a tool of the registry.
 *
 * The table of fields that HAFT_TOOL makes is the one source; the schema is made from it here, the
 * decoder (tool/decode.h) walks it. Tables may be written by hand or by another compiler, so they
 * are checked like any input.
 */
#ifndef HAFT_TOOL_DECLARE_H
#define HAFT_TOOL_DECLARE_H

#include "tool/tool.h"

/* The row `at` of a table. Programs that were built with an older header have shorter rows, newer
 * ones longer: what is missing is 0, what is more is not looked at. */
haft_field haft__field_at(const haft_object *object, size_t at);

/* Bytes of the member that a field says is at its offset. */
size_t haft__field_size(const haft_field *field);

/* Puts "/step" in front of the JSON Pointer an error has; `step` has at most 64 bytes. Returns
 * `status`; for want of memory nothing is put anywhere. */
haft_status haft__field_prepend_pointer(haft_status status, const char *step, haft_error *err);

/* The JSON Schema of `object`, in `arena`; names and texts are borrowed from it. BAD_INPUT when the
 * table makes no sense, TOO_BIG past a limit; err->where is a JSON Pointer into the arguments. */
HAFT_MUST_USE haft_status haft__declare_schema(haft__arena *arena, const haft_object *object,
                                               haft__json *ret_schema, haft_error *err);

/* The tool as a registry takes it. Texts are copied into `arena`, `arguments` is borrowed.
 * err->where is a JSON Pointer into {name, input_schema, ...} as in tool/registry.h, without the
 * name. */
HAFT_MUST_USE haft_status haft__declare_tool(haft__arena *arena, const haft_tool *tool,
                                             haft__tool *ret_tool, haft_error *err);

#endif
