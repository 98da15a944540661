/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_idle_arguments.c - warns about arguments of a tool that reach neither its program nor its
 * request: the model would write them for nothing. Tests:
 * tests/spec/load/check_idle_arguments_test.c.
 */
#include "base/str.h"
#include "spec/load/load_int.h"
#include "tool/template.h"
#include "json/object.h"

/* Whether the text has {name}. */
static bool text_has(haft_str text, haft_str name)
{
    haft__template_piece piece;
    while (haft__template_next(&text, &piece)) {
        if (piece.name.ptr != NULL && haft__str_equal(piece.name, name)) {
            return true;
        }
    }
    return false;
}

/* Whether a text of the value has {name}. Keys of objects are not replaced. The depth is that of
 * the spec, which the parser limits. */
static bool value_has(haft__json value, haft_str name)
{
    if (value.kind == HAFT__JSON_STRING) {
        return text_has(haft__json_text(value), name);
    }
    bool found = false;
    for (uint32_t i = 0; value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        found = found || value_has(value.items[i], name);
    }
    for (uint32_t i = 0; value.kind == HAFT__JSON_OBJECT && i < value.count; i++) {
        found = found || value_has(value.members[i].value, name);
    }
    return found;
}

/* Without `stdin` a program reads all arguments. */
static bool reaches_program(haft__json tool, haft_str name)
{
    return haft__json_get(tool, HAFT__LIT("stdin")) == NULL
           || value_has(haft__object_get(tool, "stdin"), name)
           || value_has(haft__object_get(tool, "command"), name);
}

/* Without `body`, POST, PUT and PATCH send all arguments. */
static bool reaches_request(haft__json http, haft_str name)
{
    haft_str method = haft__object_string(http, "method");
    bool sends_all = haft__str_equal(method, HAFT__LIT("POST"))
                     || haft__str_equal(method, HAFT__LIT("PUT"))
                     || haft__str_equal(method, HAFT__LIT("PATCH"));
    return (sends_all && haft__json_get(http, HAFT__LIT("body")) == NULL)
           || value_has(haft__object_get(http, "body"), name)
           || value_has(haft__object_get(http, "url"), name);
}

static void check_argument(haft__loader *l, haft__json tool, haft_str name, haft_str pointer)
{
    bool command = haft__json_get(tool, HAFT__LIT("command")) != NULL;
    haft__json http = haft__object_object(tool, "http");
    if (command ? reaches_program(tool, name) : reaches_request(http, name)) {
        return;
    }
    haft__spec_problem *problem = haft__loader_warning(
        l, pointer, HAFT__SUBJECT_VALUE, "the argument \"%.*s\" has no effect: %s", HAFT__ARG(name),
        command ? "neither command nor stdin has it" : "neither the url nor the body has it");
    haft__loader_hint(l, problem, "write {%.*s} where it belongs, or leave the argument out",
                      HAFT__ARG(name));
}

static void check_headers(haft__loader *l, haft__json headers, haft_str pointer)
{
    for (uint32_t i = 0; i < headers.count; i++) {
        haft_str text = haft__json_text(headers.members[i].value);
        haft__template_piece piece;
        while (haft__template_next(&text, &piece)) {
            if (piece.name.ptr != NULL) {
                haft_str at = haft__loader_pointer_to_key(
                    l, haft__loader_pointer(l, "%.*s/http/headers", HAFT__ARG(pointer)),
                    haft__json_text(headers.members[i].key));
                (void)haft__loader_warning(l, at, HAFT__SUBJECT_VALUE,
                                           "\"%.*s\" has no effect: headers have no arguments",
                                           HAFT__ARG(piece.text));
            }
        }
    }
}

static void check_tool(haft__loader *l, haft__json tool, haft_str pointer)
{
    haft__json args = haft__object_array(tool, "args");
    haft__json properties =
        haft__object_object(haft__object_object(tool, "input_schema"), "properties");
    for (uint32_t i = 0; i < args.count; i++) {
        check_argument(l, tool, haft__json_text(args.items[i]),
                       haft__loader_pointer(l, "%.*s/args/%u", HAFT__ARG(pointer), i));
    }
    for (uint32_t i = 0; i < properties.count; i++) {
        haft_str name = haft__json_text(properties.members[i].key);
        check_argument(
            l, tool, name,
            haft__loader_pointer_to_key(
                l, haft__loader_pointer(l, "%.*s/input_schema/properties", HAFT__ARG(pointer)),
                name));
    }
}

void haft__loader_check_idle_arguments(haft__loader *l)
{
    haft__json tools = haft__object_array(l->source, "tools");
    for (uint32_t i = 0; i < tools.count && haft__loader_keys_are_valid(l, "tools"); i++) {
        haft__json tool = tools.items[i];
        haft_str pointer = haft__loader_pointer(l, "/tools/%u", i);
        if (haft__json_get(tool, HAFT__LIT("command")) != NULL
            || haft__json_get(tool, HAFT__LIT("http")) != NULL) {
            check_tool(l, tool, pointer);
        }
        check_headers(l, haft__object_object(haft__object_object(tool, "http"), "headers"),
                      pointer);
    }
}
