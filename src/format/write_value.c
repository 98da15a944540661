/* SPDX-License-Identifier: Apache-2.0 */
/* write_value.c - values and signatures as Python. Tests: tests/format/write_test.c. */
#include "base/limits.h"
#include "base/str.h"
#include "format/render.h"
#include "json/object.h"
#include "json/write.h"

/* ---- values ---- */

static const struct {
    const char *json, *python;
} words[] = {
    {"true", "True"},
    {"false", "False"},
    {"null", "None"},
};

/* The length of a string, including its quotes. */
static size_t string_length(haft_str text)
{
    size_t i = 1;
    while (i < text.len && text.ptr[i] != '"') {
        i += text.ptr[i] == '\\' ? 2 : 1;
    }
    return i < text.len ? i + 1 : text.len;
}

/* Writes JSON without white space as Python. Only three words differ; the escapes of strings are
 * the same. */
static void translate(haft__buf *buf, haft_str json)
{
    while (json.len > 0) {
        size_t used = json.ptr[0] == '"' ? string_length(json) : 1;
        haft_str piece = {json.ptr, used};
        for (size_t i = 0; i < COUNT(words); i++) {
            if (haft__str_starts_with(json, haft__str(words[i].json))) {
                piece = haft__str(words[i].python);
                used = strlen(words[i].json);
            }
        }
        haft__buf_add_str(buf, piece);
        json = haft__str_skip(json, used);
    }
}

void haft__format_write_python(haft__buf *buf, haft__json value)
{
    haft__buf text;
    haft__buf_init(&text, buf->max);
    haft__json_write(&text, value);
    translate(buf, haft__buf_str(&text));
    if (text.status != HAFT_OK) {
        haft__buf_fail(buf, text.status, text.why);
    }
    haft__buf_finish(&text);
}

void haft__format_write_keywords(haft__buf *buf, haft__json object)
{
    for (uint32_t i = 0; object.kind == HAFT__JSON_OBJECT && i < object.count; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
        haft__buf_add_str(buf, haft__json_text(object.members[i].key));
        haft__buf_add_char(buf, '=');
        haft__format_write_python(buf, object.members[i].value);
    }
}

/* ---- signatures ---- */

static const char *name_type(haft__json schema)
{
    static const struct {
        const char *type, *name;
    } types[] = {
        {"string", "str"}, {"integer", "int"}, {"number", "float"}, {"boolean", "bool"},
        {"array", "list"}, {"object", "dict"}, {"null", "None"},
    };
    haft_str type = haft__object_string(schema, "type");
    for (size_t i = 0; i < COUNT(types); i++) {
        if (haft__str_equal(type, haft__str(types[i].type))) {
            return types[i].name;
        }
    }
    return "object";
}

/* "Literal["a", "b"]", "list[str]", "int". */
static void add_type(haft__buf *buf, haft__json schema)
{
    const haft__json *values = haft__json_get(schema, HAFT__LIT("enum"));
    const haft__json *items = haft__json_get(schema, HAFT__LIT("items"));
    bool list = items != NULL && strcmp(name_type(schema), "list") == 0;
    if (values == NULL || values->kind != HAFT__JSON_ARRAY || values->count == 0) {
        const char *name = name_type(list ? *items : schema);
        haft__buf_addf(buf, "%s%s%s", list ? "list[" : "", name, list ? "]" : "");
        return;
    }
    haft__buf_add_str(buf, HAFT__LIT("Literal["));
    for (uint32_t i = 0; i < values->count; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
        haft__format_write_python(buf, values->items[i]);
    }
    haft__buf_add_char(buf, ']');
}

static haft__json properties_of(const haft__format_tool *tool)
{
    const haft__json *properties = haft__json_get(tool->parameters, HAFT__LIT("properties"));
    bool given = properties != NULL && properties->kind == HAFT__JSON_OBJECT;
    return given ? *properties : haft__json_object(NULL, 0);
}

/* The required parameters, or the optional ones. */
static void add_parameters(haft__buf *buf, const haft__format_tool *tool, bool required,
                           size_t *io_count)
{
    haft__json properties = properties_of(tool);
    for (uint32_t i = 0; i < properties.count; i++) {
        haft_str name = haft__json_text(properties.members[i].key);
        haft__json schema = properties.members[i].value;
        if (haft__array_has_text(haft__object_get(tool->parameters, "required"), name)
            != required) {
            continue;
        }
        const haft__json *fallback = haft__json_get(schema, HAFT__LIT("default"));
        haft__buf_addf(buf, "%s%.*s: ", (*io_count)++ > 0 ? ", " : "", HAFT__ARG(name));
        add_type(buf, schema);
        if (!required) {
            haft__buf_add_str(buf, HAFT__LIT(" = "));
            haft__format_write_python(buf, fallback != NULL ? *fallback : haft__json_null());
        }
    }
}

/* Adds untrusted words to a docstring in a fenced block. The words must not end the docstring or
 * the block. A line that is indented by four spaces is not a fence. */
static void add_words(haft__buf *buf, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool last = i + 1 == text.len;
        bool ends = haft__str_starts_with(haft__str_skip(text, i), HAFT__LIT("\"\"\""))
                    || (text.ptr[i] == '"' && last);
        haft__buf_add_char(buf, ends ? '\'' : text.ptr[i]);
        haft__buf_add_str(buf, text.ptr[i] == '\n'           ? HAFT__LIT("    ")
                               : text.ptr[i] == '\\' && last ? HAFT__LIT(" ")
                                                             : HAFT__LIT(""));
    }
}

static void add_docstring(haft__buf *buf, const haft__format_tool *tool)
{
    haft__json properties = properties_of(tool);
    haft__buf_add_str(buf, HAFT__LIT("    \"\"\""));
    add_words(buf, haft__str_trim(tool->description));
    for (uint32_t i = 0; i < properties.count; i++) {
        haft_str description =
            haft__str_trim(haft__object_string(properties.members[i].value, "description"));
        if (description.len > 0) {
            haft__buf_add_str(buf, HAFT__LIT("\n    "));
            add_words(buf, haft__json_text(properties.members[i].key));
            haft__buf_add_str(buf, HAFT__LIT(": "));
            add_words(buf, description);
        }
    }
    haft__buf_add_str(buf, HAFT__LIT("\"\"\""));
}

void haft__format_write_signature(haft__buf *buf, const haft__format_tool *tool)
{
    size_t count = 0;
    haft__buf_addf(buf, "def %.*s(", HAFT__ARG(tool->name));
    add_parameters(buf, tool, true, &count);
    add_parameters(buf, tool, false, &count);
    haft__buf_add_str(buf, HAFT__LIT(") -> str:\n"));
    add_docstring(buf, tool);
}
