/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stdio_transport.c - a server that is a program: one message per line in each direction.
 *
 * libexec/haft/guard always starts it, so that none of its processes outlives it. Tests:
 * tests/exec/mcp/connection_test.c, tests/mcp/servers_test.py.
 */
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"

#define LAST_LINE_BYTES 120 /* bytes of its last output in an error */

/* Redacts the whole output before cutting it. The output may begin with the second part of a
 * secret, because earlier bytes were dropped, and end with the first part of one, because the
 * program was stopped. */
void haft__mcp_stdio_transport_keep_stderr(haft__mcp_connection *connection, haft_str errors)
{
    size_t safe_length =
        connection->redactor != NULL ? haft__redact_safe_length(connection->redactor, errors) : 0;
    haft__excerpt excerpt = {
        .text = errors,
        .lost = {.before = errors.len >= HAFT__LIMIT_CHILD_ERROR_BYTES,
                 .after = errors.len - safe_length >= HAFT__LIMIT_REDACT_MIN_BYTES},
        .max_bytes = HAFT__LIMIT_MCP_STDERR_BYTES,
        .max_lines = HAFT__LIMIT_MCP_STDERR_LINES,
        .from_end = true};
    haft__buf kept;
    haft__buf_init(&kept, HAFT__LIMIT_MCP_STDERR_BYTES);
    haft__buf_clear(&connection->stderr_lines);
    haft__excerpt_append(&kept, &excerpt, haft__redactor_cleaner(connection->redactor));
    haft_str rest = kept.status == HAFT_OK ? haft__buf_str(&kept) : HAFT__LIT("");
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        line.len -= haft__str_ends_with(line, HAFT__LIT("\r"));
        haft__escape_add_lines(&connection->stderr_lines, line);
        if (rest.len > 0) {
            haft__buf_add_char(&connection->stderr_lines, '\n');
        }
    }
    if (connection->stderr_lines.status != HAFT_OK) { /* out of memory */
        haft__buf_clear(&connection->stderr_lines);
    }
    haft__buf_finish(&kept);
}

static haft_str last_line(haft_str text)
{
    haft_str line = {text.ptr, 0};
    while (text.len > 0) {
        line = haft__str_split(&text, '\n');
    }
    return line;
}

/* The last line, or its last words if it is long. */
static haft_str last_words(haft_str lines)
{
    haft_str line = last_line(lines);
    if (line.len > LAST_LINE_BYTES) {
        line = haft__str_skip(line, line.len - LAST_LINE_BYTES);
        while (line.len > 0 && strchr(" \t", line.ptr[0]) == NULL) {
            line = haft__str_skip(line, 1);
        }
    }
    return haft__str_trim(line);
}

static void add_last_words(const haft__mcp_connection *connection, haft__buf *buf)
{
    haft_str words = last_words(haft__buf_str(&connection->stderr_lines));
    if (words.len > 0) {
        haft__buf_addf(buf, ": %.*s", HAFT__ARG(words));
    }
}

haft_str haft__mcp_stdio_transport_more_stderr(const haft__mcp_connection *connection)
{
    haft_str lines = haft__buf_str(&connection->stderr_lines);
    return haft__str_trim(lines).len > last_words(lines).len ? lines : HAFT__LIT("");
}

void haft__mcp_stdio_transport_add_stderr(haft__mcp_connection *connection, haft__buf *buf)
{
    if (connection->child != NULL) {
        haft__mcp_stdio_transport_keep_stderr(connection, haft__child_stderr(connection->child));
        add_last_words(connection, buf);
    }
}

static const struct {
    const char *line, *problem, *hint;
} reports[] = {
    {"exec ENOENT", "does not exist", "install it, or write its path"},
    {"exec ENOENT interpreter", "needs an interpreter that does not exist", "check its first line"},
    {"exec EACCES", "is not executable", "make it executable: chmod +x"},
    {"exec ENOEXEC", "is not in an executable format",
     "give a script a first line such as #!/bin/sh"},
};

/* Reports why the program did not start; `line` is the report of guard. Only some causes are
 * transient. */
static void report_not_started(haft__mcp_connection *connection, haft_str line)
{
    haft_error err = {0};
    size_t i = 0;
    while (i < COUNT(reports) && !haft__str_equal(line, haft__str(reports[i].line))) {
        i++;
    }
    bool lasting = i < COUNT(reports);
    haft__buf_clear(&connection->stderr_lines);
    (void)!haft__mcp_connection_fail(connection, &err, lasting ? HAFT_NOT_FOUND : HAFT_IO,
                                     "cannot be started: '%.*s' %s",
                                     HAFT__ARG(connection->server.command[0]),
                                     lasting ? reports[i].problem : "could not be run");
    (void)!haft__hint(&err, err.status, "%s", lasting ? reports[i].hint : "try again");
    haft__mcp_connection_broken(connection, &err, lasting);
}

static void on_done(void *context, const haft__child_result *result)
{
    haft__mcp_connection *connection = context;
    haft__buf text;
    haft_error err = {0};
    connection->child = NULL;
    haft_str report = haft__str_trim(result->report);
    if (report.len > 0) {
        report_not_started(connection, report);
        return;
    }
    haft__buf_init(&text, HAFT__LIMIT_MCP_LOG_BYTES);
    if (result->stdin_closed || result->stdout_closed) {
        haft__buf_addf(&text, "closed its %s, so it was stopped",
                       result->stdout_closed ? "output" : "input");
    } else if (result->killed) {
        haft__buf_addf(&text, "was killed together with its guard");
    } else if (result->signal != 0) {
        const char *name = sigabbrev_np(result->signal);
        haft__buf_addf(&text, "was ended by signal %d (SIG%s)", result->signal,
                       name != NULL ? name : "?");
    } else {
        haft__buf_addf(&text, "ended with exit status %d", result->status);
    }
    haft__mcp_stdio_transport_keep_stderr(connection, result->errors);
    add_last_words(connection, &text);
    (void)!haft__mcp_connection_fail(connection, &err, HAFT_IO, "%.*s",
                                     HAFT__ARG(haft__buf_str(&text)));
    (void)!haft__hint(&err, HAFT_IO, "check whether it runs on its own");
    haft__buf_finish(&text);
    haft__mcp_connection_broken(connection, &err, false);
}

/* The session counts lines that are not messages; an unterminated line ends the connection. */
static void on_output_line(void *context, haft_str bytes)
{
    haft__mcp_connection *connection = context;
    haft_str line;
    haft_error err = {0};
    while (connection->child != NULL
           && haft__line_splitter_next(&connection->lines, &bytes, &line)) {
        if (haft__str_trim(line).len > 0) {
            haft__mcp_connection_process_events(
                connection, haft__mcp_client_receive(connection->client, 0, line, NULL));
        }
    }
    haft_status status =
        connection->child != NULL ? haft__line_splitter_check(&connection->lines, &err) : HAFT_OK;
    if (status != HAFT_OK) {
        haft_error reported = {0};
        (void)!haft__mcp_connection_fail(connection, &reported, HAFT_IO,
                                         "sent a message of more than %d bytes",
                                         HAFT__LIMIT_MCP_MESSAGE_BYTES);
        (void)!haft__hint(&reported, HAFT_IO, "ask for less at once");
        haft__mcp_connection_broken(connection, &reported, false);
    }
}

static haft_status find_guard(const haft__exec *exec, haft_error *err)
{
    return exec->guard != NULL
               ? HAFT_OK
               : haft__fail(err, HAFT_NOT_FOUND, exec->guard_error.where,
                            "%s, and servers run only under guard", exec->guard_error.message);
}

haft_status haft__mcp_stdio_transport_open(haft__mcp_connection *connection, haft_error *err)
{
    const char **argv = NULL, **env = NULL, *cwd = NULL;
    haft_status status = find_guard(connection->exec, err);
    status = status == HAFT_OK ? haft__mcp_setup_argv(connection, &argv, err) : status;
    status = status == HAFT_OK ? haft__mcp_setup_env(connection, &env, err) : status;
    status = status == HAFT_OK ? haft__mcp_setup_cwd(connection, &cwd, err) : status;
    if (status != HAFT_OK) {
        return status;
    }
    haft__line_splitter_finish(&connection->lines);
    haft__line_splitter_init(&connection->lines, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__child_options options = {.group = &connection->exec->children,
                                   .argv = argv,
                                   .env = env,
                                   .cwd = cwd,
                                   .report = true,
                                   .grace = HAFT__LIMIT_MCP_TERM_MS + HAFT__LIMIT_EXEC_GRACE_MS,
                                   .on_output = on_output_line,
                                   .max_unread = HAFT__LIMIT_MCP_UNREAD_BYTES,
                                   .stdin_grace = HAFT__LIMIT_MCP_EXIT_MS,
                                   .done = on_done,
                                   .context = connection};
    return haft__child_start(connection->exec->options.loop, &options, &connection->child, err);
}

void haft__mcp_stdio_transport_send(haft__mcp_connection *connection, haft_str text)
{
    haft_error err = {0};
    if (connection->child == NULL) {
        return; /* the program is being ended, or its end was reported */
    }
    haft_status status = haft__child_write(connection->child, text, &err);
    if (status == HAFT_OK) {
        status = haft__child_write(connection->child, HAFT__LIT("\n"), &err);
    }
    if (status == HAFT_IO) {
        return; /* the connection is already being ended, with a more specific error */
    }
    if (status != HAFT_OK) {
        haft_error reported = {0};
        (void)!haft__mcp_connection_fail(connection, &reported, HAFT_IO,
                                         "does not read its input: %s", err.message);
        haft__mcp_connection_broken(connection, &reported, false);
    }
}

void haft__mcp_stdio_transport_close(haft__mcp_connection *connection)
{
    if (connection->child != NULL) {
        haft__child_kill(connection->child);
        connection->child = NULL;
    }
}
