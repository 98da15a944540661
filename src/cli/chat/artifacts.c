/* SPDX-License-Identifier: Apache-2.0 */
/* artifacts.c - artifacts that the runs of a thread have stored. Tests: tests/cli/chat_test.py. */
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/chat/repl.h"
#include "cli/terminal/print.h"
#include "run/event.h"

static void print_artifact_line(FILE *out, size_t number, const haft__event *event)
{
    haft_str name = {NULL, 0}, media_type = {NULL, 0};
    uint64_t bytes = 0;
    haft_error ignored;
    (void)!haft__event_text(event, "name", &name, &ignored);
    (void)!haft__event_text(event, "media_type", &media_type, &ignored);
    (void)!haft__event_number(event, "bytes", &bytes, &ignored);
    (void)fprintf(out, "%3zu %10llu  ", number, (unsigned long long)bytes);
    haft__print_escaped(out, media_type);
    (void)fputs("  ", out);
    haft__print_escaped(out, name);
    (void)fputc('\n', out);
}

/* Lists the artifacts of one run. */
static haft_status list_run_artifacts(haft__repl *repl, haft_str id, size_t number, size_t *count,
                                      haft_error *err)
{
    static const haft_str mark = {"\"kind\":\"artifact_stored\"", 24};
    haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS, .run.id = id};
    haft_status status = haft__repl_store_execute(repl, &read, err);
    for (haft_str rest = read.text; status == HAFT_OK && rest.len > 0;) {
        haft_str line = haft__str_split(&rest, '\n');
        haft__event event;
        if (memmem(line.ptr, line.len, mark.ptr, mark.len) == NULL) {
            continue;
        }
        status = haft__event_read(&repl->cli->arena, line, repl->runtime->hash_key, &event, err);
        if (status == HAFT_OK && event.kind == HAFT__EVENT_ARTIFACT_STORED) {
            print_artifact_line(repl->cli->out, number, &event);
            ++*count;
        }
    }
    return status;
}

static haft_status list_artifacts(haft__repl *repl, const haft__store_request *list,
                                  haft_error *err)
{
    haft_status status = HAFT_OK;
    size_t count = 0;
    for (size_t i = list->found_count; status == HAFT_OK && i-- > 0;) {
        haft__arena_mark mark = haft__arena_save(&repl->cli->arena);
        status = list_run_artifacts(repl, list->found[i].id, list->found_count - i, &count, err);
        haft__arena_restore(&repl->cli->arena, mark);
    }
    if (status == HAFT_OK && count == 0) {
        haft__repl_print_note(repl, "no artifacts in this thread");
    }
    return status;
}

/* Prints the content unchanged to a file or a pipe, escaped to a terminal. */
static void print_content(FILE *out, haft_str content)
{
    if (!isatty(fileno(out))) {
        (void)fwrite(content.ptr, 1, content.len, out);
        return;
    }
    while (content.len > 0) {
        haft__print_escaped(out, haft__str_split(&content, '\n'));
        (void)fputc('\n', out);
    }
}

/* Prints the newest artifact that is named `name`. */
static haft_status print_artifact(haft__repl *repl, const haft__store_request *list, haft_str name,
                                  haft_error *err)
{
    for (size_t i = 0; i < list->found_count; i++) {
        haft__store_request request = {
            .verb = HAFT__STORE_READ_ARTIFACT, .run.id = list->found[i].id, .name = name};
        haft_status status = haft__repl_store_execute(repl, &request, err);
        if (status == HAFT_OK) {
            print_content(repl->cli->out, request.artifact.content);
            return HAFT_OK;
        }
        if (status != HAFT_NOT_FOUND) {
            return status;
        }
    }
    haft_status status = haft__fail(err, HAFT_NOT_FOUND, "/artifacts",
                                    "no artifact '%.*s' in this thread", HAFT__ARG(name));
    return haft__hint(err, status, "/artifacts lists them");
}

void haft__repl_cmd_artifacts(haft__repl *repl, haft_str argument)
{
    haft_error err = {0};
    haft__store_request list;
    haft_status status = haft__repl_list_runs(repl, &list, &err);
    if (status == HAFT_OK) {
        status = argument.len > 0 ? print_artifact(repl, &list, argument, &err)
                                  : list_artifacts(repl, &list, &err);
    }
    if (status != HAFT_OK) {
        haft__repl_print_error(repl, &err);
    }
}
