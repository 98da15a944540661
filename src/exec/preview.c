/* SPDX-License-Identifier: Apache-2.0 */
/* preview.c - previews of calls. Tests: tests/exec/preview_test.c. */
#include "exec/preview.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/command/command.h"
#include "exec/http/http.h"
#include "mcp/server_config.h"
#include "tool/argv.h"

static haft_status add_row(haft__preview *preview, haft__arena *arena, const char *label,
                           haft_str text, haft_error *err)
{
    haft_str copy = haft__arena_copy(arena, text);
    if (copy.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    preview->rows[preview->count].label = label;
    preview->rows[preview->count++].text = copy;
    return HAFT_OK;
}

/* ---- commands ---- */

/* Quoted as for a shell, for the reader; the program is started without a shell. */
static void add_word(haft__buf *buf, haft_str word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_@%+=:,./-";
    size_t good = 0;
    while (good < word.len && memchr(safe, word.ptr[good], sizeof(safe) - 1) != NULL) {
        good++;
    }
    haft__buf_add_str(buf, buf->len > 0 ? HAFT__LIT(" ") : HAFT__LIT(""));
    if (good == word.len && word.len > 0) {
        haft__buf_add_str(buf, word);
        return;
    }
    haft__buf_add_char(buf, '\'');
    for (size_t i = 0; i < word.len; i++) {
        haft__buf_add_str(buf,
                          word.ptr[i] == '\'' ? HAFT__LIT("'\\''") : (haft_str){word.ptr + i, 1});
    }
    haft__buf_add_char(buf, '\'');
}

static haft_status preview_command(haft__exec_job *job, haft__arena *arena, haft__preview *preview,
                                   haft_error *err)
{
    const haft__json *command = haft__exec_definition(job, "command");
    haft_str input = {NULL, 0};
    haft_str *words = NULL;
    size_t count = 0;
    haft__buf line;
    haft__buf_init(&line, HAFT__LIMIT_SPEC_BYTES);
    haft_status status = haft__argv_build(arena, *command, job->call.tool->input_schema,
                                          job->call.arguments, &words, &count, err);
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        add_word(&line, words[i]);
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(&line, err);
    }
    if (status == HAFT_OK) {
        status = add_row(preview, arena, "command", haft__buf_str(&line), err);
    }
    haft__buf_finish(&line);
    if (status == HAFT_OK) {
        status = haft__command_input(job, &input, err);
    }
    return status == HAFT_OK ? add_row(preview, arena, "input", haft__str_trim(input), err)
                             : status;
}

/* ---- requests ---- */

static haft_status preview_request(haft__exec_job *job, haft__arena *arena, haft__preview *preview,
                                   haft_error *err)
{
    haft__http_request request = {0};
    haft__buf line;
    haft_status status = haft__http_tool_request(job, &request, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf_init(&line, HAFT__LIMIT_SPEC_BYTES);
    haft__buf_add_str(&line, request.method);
    haft__buf_add_char(&line, ' ');
    haft__buf_add_str(&line, request.url);
    status = haft__buf_check(&line, err);
    if (status == HAFT_OK) {
        status = add_row(preview, arena, "request", haft__buf_str(&line), err);
    }
    haft__buf_finish(&line);
    return status == HAFT_OK && request.body.len > 0
               ? add_row(preview, arena, "body", request.body, err)
               : status;
}

/* ---- servers ---- */

/* The URL without user, password and query. */
static void add_url(haft__buf *line, haft_str url)
{
    haft_str rest = url, where = haft__str_split(&rest, '?');
    haft_str path = where, scheme = haft__str_split(&path, ':');
    haft_str host = haft__str_skip(path, strlen("//")), after_host = host;
    haft_str authority = haft__str_split(&after_host, '/'), user = authority, at = authority;
    while (at.len > 0) {
        user = at;
        (void)haft__str_split(&at, '@');
    }
    size_t hidden = authority.len - user.len;
    haft__buf_addf(line, "%.*s://", HAFT__ARG(scheme));
    haft__buf_add_str(line, haft__str_skip(host, hidden));
}

/* The server of the call: its command or its URL, as in the spec. */
static haft_status preview_server(haft__exec_job *job, haft__arena *arena, haft__preview *preview,
                                  haft_error *err)
{
    const haft__json *name = haft__exec_definition(job, "server");
    haft__mcp_server_configs servers;
    haft_status status = haft__mcp_server_configs_read(arena, job->call.spec->mcp, &servers, err);
    const haft__mcp_server_config *server =
        status == HAFT_OK && name != NULL
            ? haft__mcp_server_configs_find(&servers, haft__json_text(*name))
            : NULL;
    if (server == NULL) {
        return status;
    }
    haft__buf line;
    haft__buf_init(&line, HAFT__LIMIT_SPEC_BYTES);
    for (size_t i = 0; i < server->command_count; i++) {
        add_word(&line, server->command[i]);
    }
    if (server->url.len > 0) {
        add_url(&line, server->url);
    }
    status = haft__buf_check(&line, err);
    if (status == HAFT_OK) {
        status = add_row(preview, arena, "server", haft__buf_str(&line), err);
    }
    haft__buf_finish(&line);
    return status;
}

haft_status haft__exec_preview(haft__exec *exec, const haft__exec_call *call, haft__arena *arena,
                               haft__preview *ret_preview, haft_error *err)
{
    haft__exec_job job = {.exec = exec, .call = *call};
    haft__preview preview = {.count = 0};
    haft_error problem = {0};
    haft_status status = HAFT_OK;
    haft__arena_init(&job.arena, HAFT__LIMIT_RUN_BYTES);
    if (call->tool->source == HAFT__TOOL_COMMAND) {
        status = preview_command(&job, arena, &preview, &problem);
    } else if (call->tool->source == HAFT__TOOL_HTTP) {
        status = preview_request(&job, arena, &preview, &problem);
    } else if (call->tool->source == HAFT__TOOL_MCP) {
        status = preview_server(&job, arena, &preview, &problem);
    }
    haft__arena_finish(&job.arena);
    if (status != HAFT_OK && status != HAFT_NO_MEMORY) {
        status = add_row(&preview, arena, "problem", haft__str(problem.message), &problem);
    }
    if (status != HAFT_OK) {
        if (err != NULL) {
            *err = problem;
        }
        return status;
    }
    *ret_preview = preview;
    return HAFT_OK;
}
