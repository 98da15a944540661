/* SPDX-License-Identifier: Apache-2.0 */
/* template.c - {arg} in texts of a tool's definition. Tests: tests/tool/template_test.c. */
#include "tool/template.h"

#include "base/str.h"
#include "tool/args.h"
#include "json/write.h"

/* The name in the braces at the start of `text`; .ptr is NULL if it does not start with one. */
static haft_str read_name(haft_str text)
{
    const char *end = text.len > 0 && text.ptr[0] == '{' ? memchr(text.ptr, '}', text.len) : NULL;
    if (end == NULL) {
        return (haft_str){NULL, 0};
    }
    haft_str name = {text.ptr + 1, (size_t)(end - text.ptr) - 1};
    return haft__args_name_valid(name) ? name : (haft_str){NULL, 0};
}

/* The first {name} in the text. Names are short, so testing a literal brace is cheap. */
static haft_str find_name(haft_str text)
{
    size_t max = HAFT__ARGS_NAME_BYTES + 2;
    return read_name((haft_str){text.ptr, text.len < max ? text.len : max});
}

bool haft__template_next(haft_str *rest, haft__template_piece *ret_piece)
{
    haft_str text = *rest;
    size_t at = 0;
    haft_str name = find_name(text);
    while (at < text.len && name.ptr == NULL) {
        bool variable = haft__str_starts_with(haft__str_skip(text, at), HAFT__LIT("${"));
        at += variable ? 2 : 1; /* a variable in braces is not an argument */
        name = find_name(haft__str_skip(text, at));
    }
    if (at == 0 && name.ptr != NULL) {
        at = name.len + 2;
    } else {
        name = (haft_str){NULL, 0};
    }
    *ret_piece = (haft__template_piece){{text.ptr, at}, name};
    *rest = haft__str_skip(text, at);
    return at > 0;
}

bool haft__template_has_argument(haft__json input_schema, haft_str name)
{
    const haft__json *properties = haft__json_get(input_schema, HAFT__LIT("properties"));
    return properties != NULL && haft__json_get(*properties, name) != NULL;
}

void haft__template_add(haft__buf *buf, const haft__json *value)
{
    if (value != NULL && value->kind == HAFT__JSON_STRING) {
        haft__buf_add_str(buf, haft__json_text(*value));
    } else if (value != NULL) {
        haft__json_write(buf, *value);
    }
}
