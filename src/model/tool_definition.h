/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/tool_definition.h - the definition of a tool in the wire formats of providers, for programs
 * that call a model themselves (`haft tools --wire`). One row for each wire format.
 */
#ifndef HAFT_MODEL_TOOL_DEFINITION_H
#define HAFT_MODEL_TOOL_DEFINITION_H

#include "model/tool_schema.h"
#include "json/write.h"

typedef struct haft__tool_definition_format {
    const char *name;
    const char *group; /* the key of one object around all tools; NULL: an array of tools */
    void (*write)(haft__json_writer *w, const haft__tool *tool, haft_str wire_name);
    const haft__tool_schema_rules *rules; /* of the tools' schemas */
} haft__tool_definition_format;

/* The names of all rows, as the choices of an option. */
#define HAFT__TOOL_DEFINITION_FORMATS "openai|anthropic|gemini"

/* The row with a name of HAFT__TOOL_DEFINITION_FORMATS; NULL for any other. */
const haft__tool_definition_format *haft__tool_definition_find(const char *name);

/* Writes what encloses the definitions: between the two calls, write each tool. */
void haft__tool_definition_begin(haft__json_writer *w, const haft__tool_definition_format *format);
void haft__tool_definition_end(haft__json_writer *w, const haft__tool_definition_format *format);

/* Writes one definition, with the tool's wire name. */
void haft__tool_definition_write(haft__json_writer *w, const haft__tool_definition_format *format,
                                 const haft__tool *tool);

#endif
