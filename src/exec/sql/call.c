/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - makes the request for a call. Tests: tests/exec/sql/executor_test.c. */
#include "exec/sql/call.h"

#include "base/error.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "json/object.h"

haft_status haft__sql_find_database(const haft__spec *spec, haft_str name,
                                    const haft__database **ret_database, haft_error *err)
{
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    if (name.len == 0 && spec->database_count == 1) {
        *ret_database = &spec->databases[0];
        return HAFT_OK;
    }
    for (size_t i = 0; i < spec->database_count; i++) {
        if (haft__str_equal(spec->databases[i].name, name)) {
            *ret_database = &spec->databases[i];
            return HAFT_OK;
        }
        haft__suggestion_offer(&near, spec->databases[i].name);
    }
    haft_status status = haft__fail(err, HAFT_NOT_FOUND, "/database",
                                    "there is no database '%.*s' in the spec", HAFT__ARG(name));
    return near.best.ptr != NULL
               ? haft__hint(err, status, "did you mean '%.*s'?", HAFT__ARG(near.best))
               : status;
}

static haft_status keep(haft__arena *arena, haft_str text, haft_str *ret_text, haft_error *err)
{
    *ret_text = haft__arena_copy(arena, text);
    return ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

static haft_status keep_filter(haft__arena *arena, haft__database_filter *filter, haft_error *err)
{
    haft_str *patterns = haft__arena_array(arena, filter->count, sizeof(*patterns));
    haft_status status = patterns != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (size_t i = 0; status == HAFT_OK && i < filter->count; i++) {
        status = keep(arena, filter->patterns[i], &patterns[i], err);
    }
    filter->patterns = patterns;
    return status;
}

static haft_status keep_database(haft__arena *arena, const haft__database *database,
                                 const haft__database **ret_database, haft_error *err)
{
    haft__database *copy = haft__arena_array(arena, 1, sizeof(*copy));
    if (copy == NULL) {
        return haft__arena_fail(arena, err);
    }
    *copy = *database;
    haft_status status = keep(arena, database->name, &copy->name, err);
    if (status == HAFT_OK) {
        status = keep(arena, database->url, &copy->url, err);
    }
    if (status == HAFT_OK) {
        status = keep_filter(arena, &copy->tables, err);
    }
    if (status == HAFT_OK) {
        status = keep_filter(arena, &copy->columns, err);
    }
    *ret_database = copy;
    return status;
}

haft_status haft__sql_request_init(haft__arena *arena, const haft__spec *spec,
                                   const haft__spec_env *env, const haft__database *database,
                                   haft__sql_request *request, haft_error *err)
{
    haft_status status = keep_database(arena, database, &request->database, err);
    if (status == HAFT_OK) {
        status = keep(arena, spec->path, &request->spec_path, err);
    }
    return status == HAFT_OK
               ? haft__spec_expand(arena, request->database->url, env, &request->url, err)
               : status;
}

haft_status haft__sql_call_prepare(haft__arena *arena, const haft__spec *spec,
                                   const haft__spec_env *env, haft__json arguments,
                                   haft__sql_request *request, haft_error *err)
{
    const haft__database *database = NULL;
    haft_status status =
        haft__sql_find_database(spec, haft__object_string(arguments, "database"), &database, err);
    if (status == HAFT_OK) {
        status = haft__sql_request_init(arena, spec, env, database, request, err);
    }
    if (status == HAFT_OK) {
        status = keep(arena, haft__object_string(arguments, "query"), &request->query, err);
    }
    return status == HAFT_OK ? haft__json_copy_deep(
               arena, haft__object_get(arguments, "parameters"), &request->parameters, err)
                             : status;
}
