/* SPDX-License-Identifier: Apache-2.0 */
/* accept.c - what is remembered of MCP servers, and what of it has changed. Tests:
 * tests/mcp/hostile_test.py. */
#include "cli/accept.h"

#include <dirent.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/print.h"
#include "exec/mcp_record.h"
#include "io/random.h"

/* A server and what is known of it. */
typedef struct known {
    const haft__mcp_server *server;
    haft_str path; /* of its record; .ptr NULL: there is no place for it */
    haft__mcp_record record;
    haft_error error; /* of reading it */
} known;

typedef haft_status see(void *context, known *it, haft_error *err);

/* ---- each server ---- */

static haft_status look_at(haft__cli *cli, const haft__spec *spec, const haft__mcp_server *server,
                           see *then, void *context, haft_error *err)
{
    known it = {.server = server};
    haft_str place = haft__mcp_record_place(&cli->arena), directory = {NULL, 0};
    haft__mcp_record_init(&it.record);
    haft_status status = haft__mcp_record_directory(&cli->arena, spec->path, &directory, err);
    if (status == HAFT_OK && place.ptr != NULL) {
        it.path = haft__mcp_record_path(&cli->arena, place, server, directory);
        status = it.path.ptr != NULL ? HAFT_OK : haft__arena_fail(&cli->arena, err);
    }
    if (status == HAFT_OK && it.path.ptr != NULL) {
        haft_status found =
            haft__mcp_record_read(&it.record, it.path.ptr, haft__random_hash_key(), &it.error);
        it.error.status = found == HAFT_NOT_FOUND ? HAFT_OK : found;
    }
    status = status == HAFT_OK ? then(context, &it, err) : status;
    haft__mcp_record_finish(&it.record);
    return status;
}

static haft_status each(haft__cli *cli, const haft__spec *spec, see *then, void *context,
                        haft_error *err)
{
    haft__mcp_servers servers;
    haft_status status = haft__mcp_servers_read(&cli->arena, spec->mcp, &servers, err);
    for (size_t i = 0; status == HAFT_OK && i < servers.count; i++) {
        status = look_at(cli, spec, &servers.items[i], then, context, err);
    }
    return status;
}

static haft_str text_of(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL ? haft__json_text(*value) : HAFT__LIT("");
}

/* ---- what has changed ---- */

static haft_status print_one(void *context, known *it, haft_error *err)
{
    haft__cli *cli = context;
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && i < it->record.tools.count; i++) {
        haft__json tool = it->record.tools.items[i];
        haft_str name = text_of(tool, "name");
        const haft__json *pin = haft__mcp_record_pin(&it->record, name);
        bool same = true;
        status = pin != NULL ? haft__json_equal(*pin, tool, &same, err) : HAFT_OK;
        if (!same) {
            (void)fprintf(cli->out, "  ! %.*s:", HAFT__ARG(it->server->name));
            haft__print_text(cli->out, name);
            (void)fputs(" has changed since it was first used, and is not called until --accept\n",
                        cli->out);
        }
    }
    if (it->error.status != HAFT_OK) {
        (void)fprintf(cli->errors, "haft: warning: %s is not used: %s\n", it->error.where,
                      it->error.message);
    }
    return status;
}

haft_status haft__accept_print(haft__cli *cli, const haft__spec *spec, haft_error *err)
{
    return each(cli, spec, print_one, cli, err);
}

/* ---- accepting ---- */

typedef struct accepting {
    haft__cli *cli;
    haft_str name, server, tool;
    bool found;
} accepting;

static haft_status print_change(accepting *a, const haft__json *pin, haft__json tool,
                                haft_error *err)
{
    haft__buf diff;
    haft__buf_init(&diff, HAFT__LIMIT_MCP_DEFINITION_BYTES);
    haft_status status = pin != NULL ? haft__mcp_tool_diff(&diff, *pin, tool, err) : HAFT_OK;
    (void)fprintf(a->cli->out, "%.*s is accepted%s\n", HAFT__ARG(a->name),
                  diff.len > 0 ? ":" : " as it is");
    haft_str rest = haft__buf_str(&diff);
    while (rest.len > 0) {
        haft__print_text(a->cli->out, haft__str_split(&rest, '\n'));
        (void)fputc('\n', a->cli->out);
    }
    haft__buf_finish(&diff);
    return status;
}

static haft_status accept_one(void *context, known *it, haft_error *err)
{
    accepting *a = context;
    const haft__json *tool = haft__str_equal(it->server->name, a->server)
                                 ? haft__mcp_record_tool(&it->record, a->tool)
                                 : NULL;
    if (tool == NULL) {
        return HAFT_OK;
    }
    haft__mcp_tool pin = {.remote = a->tool, .definition = *tool};
    haft__mcp_change change = {.server = it->server->name, .pin = &pin};
    haft_status status = print_change(a, haft__mcp_record_pin(&it->record, a->tool), *tool, err);
    a->found = true;
    return status == HAFT_OK ? haft__mcp_record_change(&it->record, it->path.ptr, &change,
                                                       haft__random_hash_key(), err)
                             : status;
}

haft_status haft__accept(haft__cli *cli, const haft__spec *spec, haft_str name, haft_error *err)
{
    accepting a = {.cli = cli, .name = name, .tool = name};
    a.server = haft__str_split(&a.tool, ':');
    haft_status status = each(cli, spec, accept_one, &a, err);
    if (status == HAFT_OK && !a.found) {
        status =
            haft__fail(err, HAFT_NOT_FOUND, "--accept",
                       "no tool '%.*s' of an MCP server of this spec is known", HAFT__ARG(name));
        return haft__hint(err, status, "`haft tools SPEC` lists those that are");
    }
    return status;
}

/* ---- all of them ---- */

haft_status haft__accept_count(haft__cli *cli, haft_str *ret_place, size_t *ret_count,
                               size_t *ret_damaged, haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_place = haft__mcp_record_place(&cli->arena);
    *ret_count = *ret_damaged = 0;
    DIR *directory = ret_place->ptr != NULL ? opendir(ret_place->ptr) : NULL;
    const struct dirent *entry = directory != NULL ? readdir(directory) : NULL;
    for (; entry != NULL && status == HAFT_OK; entry = readdir(directory)) {
        haft__mcp_record record;
        if (!haft__str_ends(haft__str(entry->d_name), HAFT__LIT(".json"))) {
            continue;
        }
        haft_str path =
            haft__arena_format(&cli->arena, "%.*s/%s", HAFT__ARG(*ret_place), entry->d_name);
        status = path.ptr != NULL ? HAFT_OK : haft__arena_fail(&cli->arena, err);
        haft__mcp_record_init(&record);
        if (status == HAFT_OK) {
            bool good =
                haft__mcp_record_read(&record, path.ptr, haft__random_hash_key(), NULL) == HAFT_OK;
            *ret_count += good;
            *ret_damaged += !good;
        }
        haft__mcp_record_finish(&record);
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    return status;
}
