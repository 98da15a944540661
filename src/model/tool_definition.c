/* SPDX-License-Identifier: Apache-2.0 */
/* tool_definition.c - see tool_definition.h. Tests: tests/model/tool_definition_test.c,
 * tests/cli/tools_test.py. */
#include "model/tool_definition.h"

#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "tool/wire_name.h"
#include "json/object.h"

static void write_openai(haft__json_writer *w, const haft__tool *tool, haft_str name)
{
    haft__json_begin_object(w);
    haft__field_text(w, "type", HAFT__LIT("function"));
    haft__json_key(w, "function");
    haft__json_begin_object(w);
    haft__field_text(w, "name", name);
    haft__field_text(w, "description", tool->description);
    haft__json_key(w, "parameters");
    haft__tool_schema_write(w, &haft__tool_schema_openai, tool->input_schema);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void write_flat(haft__json_writer *w, const haft__tool *tool, haft_str name,
                       const char *schema_key, const haft__tool_schema_rules *rules)
{
    haft__json_begin_object(w);
    haft__field_text(w, "name", name);
    haft__field_text(w, "description", tool->description);
    haft__json_key(w, schema_key);
    haft__tool_schema_write(w, rules, tool->input_schema);
    haft__json_end_object(w);
}

static void write_anthropic(haft__json_writer *w, const haft__tool *tool, haft_str name)
{
    write_flat(w, tool, name, "input_schema", &haft__tool_schema_anthropic);
}

static void write_gemini(haft__json_writer *w, const haft__tool *tool, haft_str name)
{
    write_flat(w, tool, name, "parametersJsonSchema", &haft__tool_schema_gemini);
}

static const haft__tool_definition_format formats[] = {
    {"openai", NULL, write_openai, &haft__tool_schema_openai},
    {"anthropic", NULL, write_anthropic, &haft__tool_schema_anthropic},
    {"gemini", "functionDeclarations", write_gemini, &haft__tool_schema_gemini},
};

const haft__tool_definition_format *haft__tool_definition_find(const char *name)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

void haft__tool_definition_begin(haft__json_writer *w, const haft__tool_definition_format *format)
{
    if (format->group != NULL) {
        haft__json_begin_object(w);
        haft__json_key(w, format->group);
    }
    haft__json_begin_array(w);
}

void haft__tool_definition_end(haft__json_writer *w, const haft__tool_definition_format *format)
{
    haft__json_end_array(w);
    if (format->group != NULL) {
        haft__json_end_object(w);
    }
}

void haft__tool_definition_write(haft__json_writer *w, const haft__tool_definition_format *format,
                                 const haft__tool *tool)
{
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    format->write(w, tool, haft__wire_name_str(&wire));
}
