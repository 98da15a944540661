/* SPDX-License-Identifier: Apache-2.0 */
/* form.c - shows the fields of a form. Tests: tests/cli/terminal/form_test.c. */
#include "cli/terminal/form.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/terminal/width.h"
#include "run/pause/elicitation.h"
#include "json/object.h"
#include "json/write.h"

/* Maximum columns of a field; --json prints the whole field. */
#define FIELD_COLUMNS 400

/* Returns the choices of a field: an array of values or of {const, title}; null if any value is
 * allowed. */
static haft__json choices_of(haft__json field)
{
    static const char *const keys[] = {"enum", "oneOf", "anyOf"};
    haft__json holders[] = {field, haft__object_get(field, "items")};
    for (size_t i = 0; i < COUNT(holders) * COUNT(keys); i++) {
        haft__json list = haft__object_get(holders[i / COUNT(keys)], keys[i % COUNT(keys)]);
        if (list.kind == HAFT__JSON_ARRAY && list.count > 0) {
            return list;
        }
    }
    return haft__json_null();
}

static haft__json choice_of(haft__json listed)
{
    const haft__json *value = haft__json_get(listed, HAFT__LIT("const"));
    return value != NULL ? *value : listed;
}

static void add_choices(haft__buf *line, haft__json field)
{
    haft__json choices = choices_of(field);
    bool several = haft__object_get(field, "items").kind == HAFT__JSON_OBJECT;
    for (uint32_t i = 0; choices.kind == HAFT__JSON_ARRAY && i < choices.count; i++) {
        haft__json title = haft__object_get(choices.items[i], "title");
        haft__buf_add_str(line, i > 0
                                    ? HAFT__LIT(", ")
                                    : (several ? HAFT__LIT("; any of ") : HAFT__LIT("; one of ")));
        haft__json_write(line, choice_of(choices.items[i]));
        if (title.kind == HAFT__JSON_STRING) {
            haft__buf_addf(line, " (%.*s)", HAFT__ARG(haft__json_text(title)));
        }
    }
}

/* Adds the other constraints of the value. */
static void add_bounds(haft__buf *line, haft__json field)
{
    static const char *const keys[] = {"format",  "pattern", "minLength", "maxLength",
                                       "minimum", "maximum", "minItems",  "maxItems"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        haft__json value = haft__object_get(field, keys[i]);
        if (value.kind != HAFT__JSON_NULL) {
            haft__buf_addf(line, "; %s ", keys[i]);
            haft__json_write(line, value);
        }
    }
}

static void add_field(haft__buf *line, haft__json field, bool required)
{
    haft__json type = haft__object_get(field, "type"), title = haft__object_get(field, "title");
    haft__json about = haft__object_get(field, "description");
    const haft__json *preset = haft__json_get(field, HAFT__LIT("default"));
    haft__buf_add_str(line, type.kind == HAFT__JSON_STRING ? haft__json_text(type)
                                                           : HAFT__LIT("any value"));
    haft__buf_add_str(line, required ? HAFT__LIT(", required") : HAFT__LIT(", optional"));
    add_choices(line, field);
    add_bounds(line, field);
    if (preset != NULL) {
        haft__buf_add_str(line, HAFT__LIT("; default "));
        haft__json_write(line, *preset);
    }
    if (title.kind == HAFT__JSON_STRING) {
        haft__buf_addf(line, "; %.*s", HAFT__ARG(haft__json_text(title)));
    }
    if (about.kind == HAFT__JSON_STRING) {
        haft__buf_addf(line, "; %.*s", HAFT__ARG(haft__json_text(about)));
    }
}

void haft__form_add_fields(haft__buf *out, const haft__run_call *call)
{
    haft__json fields = haft__elicitation_fields(call);
    for (uint32_t i = 0; fields.kind == HAFT__JSON_OBJECT && i < fields.count; i++) {
        haft_str name = haft__json_text(fields.members[i].key);
        haft__buf line;
        haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
        add_field(&line, fields.members[i].value, haft__elicitation_requires(call, name));
        haft__buf_add_str(out, HAFT__LIT("  "));
        haft__escape_add(out, name);
        haft__buf_add_str(out, HAFT__LIT(": "));
        (void)haft__escape_add_line(out, haft__buf_str(&line), FIELD_COLUMNS, HAFT__LIT("..."));
        haft__buf_add_char(out, '\n');
        haft__buf_finish(&line);
    }
}

/* Finds the host like browsers do: a backslash ends the host like a slash, and the text before the
 * last @ is the user. */
haft_str haft__form_host(haft_str url)
{
    size_t start = 0;
    while (start + 2 < url.len && memcmp(url.ptr + start, "://", 3) != 0) {
        start++;
    }
    haft_str host = start + 2 < url.len ? haft__str_skip(url, start + 3) : HAFT__LIT("");
    for (size_t i = 0; i < host.len; i++) {
        if (memchr("/\\?#", host.ptr[i], 4) != NULL) {
            host.len = i;
        }
    }
    for (size_t i = host.len; i > 0; i--) {
        if (host.ptr[i - 1] == '@') {
            return haft__str_skip(host, i);
        }
    }
    return host;
}

/* ---- an answer ---- */

static void add_value(haft__buf *out, haft__json field)
{
    haft_str type = haft__json_text(haft__object_get(field, "type"));
    const haft__json *preset = haft__json_get(field, HAFT__LIT("default"));
    haft__json choices = choices_of(field);
    bool list = haft__str_equal(type, HAFT__LIT("array"));
    if (preset != NULL) {
        haft__json_write(out, *preset);
        return;
    }
    haft__buf_add_str(out, list ? HAFT__LIT("[") : HAFT__LIT(""));
    if (choices.kind == HAFT__JSON_ARRAY) {
        haft__json_write(out, choice_of(choices.items[0]));
    } else if (haft__str_equal(type, HAFT__LIT("boolean"))) {
        haft__buf_add_str(out, HAFT__LIT("true"));
    } else if (haft__str_equal(type, HAFT__LIT("integer"))
               || haft__str_equal(type, HAFT__LIT("number"))) {
        haft__buf_add_str(out, HAFT__LIT("0"));
    } else {
        haft__buf_add_str(out, HAFT__LIT("\"...\""));
    }
    haft__buf_add_str(out, list ? HAFT__LIT("]") : HAFT__LIT(""));
}

static void add_object(haft__buf *json, const haft__run_call *call)
{
    haft__json fields = haft__elicitation_fields(call);
    haft__buf_add_char(json, '{');
    for (uint32_t i = 0; fields.kind == HAFT__JSON_OBJECT && i < fields.count; i++) {
        haft__buf_add_str(json, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
        haft__json_write(json, fields.members[i].key);
        haft__buf_add_str(json, HAFT__LIT(": "));
        add_value(json, fields.members[i].value);
    }
    haft__buf_add_char(json, '}');
}

void haft__form_add_example(haft__buf *out, const haft__run_call *call)
{
    haft__buf json;
    if (haft__elicitation_is_url(call)) {
        haft__buf_add_str(out, HAFT__LIT("yes"));
        return;
    }
    haft__buf_init(&json, HAFT__LIMIT_RUN_BYTES);
    add_object(&json, call);
    haft__buf_add_char(out, '\'');
    for (size_t i = 0; i < json.len;) {
        haft__escaped_char shown;
        i += haft__escape_next((haft_str){json.ptr + i, json.len - i}, &shown);
        bool quote = shown.length == 1 && shown.bytes[0] == '\'';
        haft__buf_add_str(out,
                          quote ? HAFT__LIT("\\u0027") : (haft_str){shown.bytes, shown.length});
    }
    haft__buf_add_char(out, '\'');
    haft__buf_finish(&json);
}
