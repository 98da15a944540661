/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition_params.c - the arguments of a tool that are also headers ("x-mcp-header").
 *
 * Proxies use these headers for routing, so one invalid header makes the whole tool unusable. The
 * argument must be a string, an integer or a boolean that is reachable through `properties` only,
 * and the name of the header must be unique. Tests: tests/mcp/definition_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/definition_parts.h"
#include "json/pointer.h"

#define KEY       HAFT__LIT("x-mcp-header")
#define MAX_DEPTH HAFT__LIMIT_MCP_DEPTH

typedef struct finder {
    haft__arena *arena;
    haft_str path[MAX_DEPTH]; /* argument keys, while the path has only properties */
    size_t depth;
    haft__mcp_param *params;
    size_t count;
    haft_error *err;
} finder;

static bool is_plain_type(haft__json type)
{
    static const char *const plain[] = {"string", "integer", "boolean"};
    for (size_t i = 0; i < COUNT(plain); i++) {
        if (haft__str_equal(haft__json_text(type), haft__str(plain[i]))) {
            return true;
        }
    }
    return false;
}

/* Whether the schema allows a header: a primitive type, or a list of a primitive type and null. */
static bool can_be_header(haft__json schema)
{
    const haft__json *type = haft__json_get(schema, HAFT__LIT("type"));
    if (type == NULL || type->kind != HAFT__JSON_ARRAY) {
        return type != NULL && is_plain_type(*type);
    }
    size_t plain = 0, nulls = 0;
    for (uint32_t i = 0; i < type->count; i++) {
        plain += is_plain_type(type->items[i]);
        nulls += haft__str_equal(haft__json_text(type->items[i]), HAFT__LIT("null"));
    }
    return plain == 1 && plain + nulls == type->count;
}

/* Fails with "the x-mcp-header 'Region' ...". */
static haft_status bad(finder *f, haft_str name, const char *what)
{
    haft__buf where;
    haft__buf_init(&where, sizeof(f->err->where) - 1);
    for (size_t i = 0; i < f->depth; i++) {
        haft__buf_add_str(&where, HAFT__LIT("/properties"));
        haft__pointer_add_key(&where, f->path[i]);
    }
    haft__buf_add_char(&where, '\0');
    bool fits = where.status == HAFT_OK;
    haft_status status = haft__fail(f->err, HAFT_BAD_INPUT, fits ? where.ptr : "",
                                    "the x-mcp-header '%.*s' %s", HAFT__ARG(name), what);
    haft__buf_finish(&where);
    haft__error_prepend_location(f->err, "/inputSchema");
    return status;
}

static haft_status add_param(finder *f, haft_str name)
{
    for (size_t i = 0; i < f->count; i++) {
        if (haft__str_equal_ignore_case(f->params[i].name, name)) {
            return bad(f, name, "is used for two arguments");
        }
    }
    if (f->count == HAFT__LIMIT_MCP_PARAMS) {
        return haft__fail(f->err, HAFT_TOO_BIG, "/inputSchema", "more than %d x-mcp-header",
                          HAFT__LIMIT_MCP_PARAMS);
    }
    haft_str *path = haft__arena_array(f->arena, f->depth, sizeof(*path));
    if (path == NULL) {
        return haft__arena_fail(f->arena, f->err);
    }
    memcpy(path, f->path, f->depth * sizeof(*path));
    f->params[f->count++] = (haft__mcp_param){.name = name, .path = path, .depth = f->depth};
    return HAFT_OK;
}

static haft_status check_param(finder *f, haft__json schema, haft__json header, bool reachable)
{
    haft_str name = haft__json_text(header);
    if (header.kind != HAFT__JSON_STRING || !haft__str_is_token(name)
        || name.len > HAFT__LIMIT_TOOL_NAME_BYTES) {
        return bad(f, name, "is not a valid header name");
    }
    if (!reachable || f->depth == 0) {
        return bad(f, name, "is not on an argument");
    }
    if (!can_be_header(schema)) {
        return bad(f, name, "is on an argument that is not a string, integer or boolean");
    }
    return add_param(f, name);
}

static haft_status walk(finder *f, haft__json schema, bool reachable);

static haft_status walk_properties(finder *f, haft__json properties, bool reachable)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < properties.count && status == HAFT_OK; i++) {
        bool room = f->depth < MAX_DEPTH;
        if (reachable && room) {
            f->path[f->depth++] = haft__json_text(properties.members[i].key);
        }
        status = walk(f, properties.members[i].value, reachable && room);
        f->depth -= reachable && room;
    }
    return status;
}

/* Visits the content of a keyword: a schema, a list of schemas, or schemas by name. */
static haft_status walk_keyword(finder *f, haft_str key, haft__json value, bool reachable)
{
    static const char *const data[] = {"default", "const", "enum", "examples"};
    static const char *const maps[] = {"$defs", "definitions", "patternProperties",
                                       "dependentSchemas"};
    bool list = value.kind == HAFT__JSON_ARRAY;
    bool map = value.kind == HAFT__JSON_OBJECT && haft__str_is_one_of(key, maps, COUNT(maps));
    haft_status status = HAFT_OK;
    if (haft__str_is_one_of(key, data, COUNT(data))) {
        return HAFT_OK;
    }
    if (value.kind == HAFT__JSON_OBJECT && haft__str_equal(key, HAFT__LIT("properties"))) {
        return walk_properties(f, value, reachable);
    }
    for (uint32_t i = 0; (list || map) && i < value.count && status == HAFT_OK; i++) {
        status = walk(f, list ? value.items[i] : value.members[i].value, false);
    }
    return list || map ? status : walk(f, value, false);
}

/* Recursion is bounded by the depth of the message (HAFT__LIMIT_MCP_DEPTH). */
static haft_status walk(finder *f, haft__json schema, bool reachable)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; schema.kind == HAFT__JSON_OBJECT && i < schema.count; i++) {
        haft_str key = haft__json_text(schema.members[i].key);
        status = haft__str_equal(key, KEY)
                     ? check_param(f, schema, schema.members[i].value, reachable)
                     : walk_keyword(f, key, schema.members[i].value, reachable);
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}

haft_status haft__mcp_params_read(haft__arena *arena, haft__json schema,
                                  const haft__mcp_param **ret_params, size_t *ret_count,
                                  haft_error *err)
{
    haft__mcp_param found[HAFT__LIMIT_MCP_PARAMS];
    haft_error own;
    finder f = {.arena = arena, .params = found, .err = err != NULL ? err : &own};
    haft_status status = walk(&f, schema, true);
    if (status != HAFT_OK || f.count == 0) {
        *ret_params = status == HAFT_OK ? NULL : *ret_params;
        *ret_count = status == HAFT_OK ? 0 : *ret_count;
        return status;
    }
    haft__mcp_param *params = haft__arena_array(arena, f.count, sizeof(*params));
    if (params == NULL) {
        return haft__arena_fail(arena, err);
    }
    memcpy(params, found, f.count * sizeof(*params));
    *ret_params = params;
    *ret_count = f.count;
    return HAFT_OK;
}
