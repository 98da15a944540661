/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - the standard input of a command. Tests: tests/exec/command/input_test.c. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/command/command.h"
#include "tool/template.h"
#include "json/write.h"

/* Replaces {name} for each argument; other braces stay as they are. */
static void add_template(haft__buf *buf, const haft__exec_job *job, haft_str text)
{
    haft__template_piece piece;
    while (haft__template_next(&text, &piece)) {
        bool argument = piece.name.ptr != NULL;
        const haft__json *value = argument ? haft__json_get(job->call.arguments, piece.name) : NULL;
        if (value == NULL
            && (!argument
                || !haft__template_has_argument(job->call.tool->input_schema, piece.name))) {
            haft__buf_add_str(buf, piece.text);
        } else {
            haft__template_add(buf, value);
        }
    }
}

haft_status haft__command_input(haft__exec_job *job, haft_str *ret_input, haft_error *err)
{
    const haft__json *given = haft__exec_definition(job, "stdin");
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    if (given != NULL && given->kind == HAFT__JSON_STRING) {
        add_template(&buf, job, haft__json_text(*given));
    } else {
        haft__json_write(&buf, job->call.arguments);
        haft__buf_add_char(&buf, '\n');
    }
    haft_status status = haft__buf_check(&buf, err);
    if (status == HAFT_OK) {
        haft_str copy = haft__arena_copy(&job->arena, haft__buf_str(&buf));
        status = copy.ptr != NULL ? HAFT_OK : haft__arena_fail(&job->arena, err);
        *ret_input = copy;
    }
    haft__buf_finish(&buf);
    return status;
}
