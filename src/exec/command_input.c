/* SPDX-License-Identifier: Apache-2.0 */
/* command_input.c - what a command reads. Tests: tests/exec/command_input_test.c. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/command_int.h"
#include "json/write.h"

/* Text as it is, everything else as JSON. */
static void add_value(haft__buf *buf, haft__json value)
{
    if (value.kind == HAFT__JSON_STRING) {
        haft__buf_add_str(buf, haft__json_text(value));
    } else {
        haft__json_write(buf, value);
    }
}

/* Whether the schema has such an argument, which was then left out. */
static bool is_declared(const haft__exec_job *job, haft_str name)
{
    const haft__json *properties =
        haft__json_get(job->call.tool->input_schema, HAFT__LIT("properties"));
    return properties != NULL && haft__json_get(*properties, name) != NULL;
}

/* How long the name is that `text` starts with, behind its '{'; text.len when no '}' follows. */
static size_t find_end(haft_str text)
{
    size_t end = 0;
    while (end < text.len && text.ptr[end] != '}' && text.ptr[end] != '{') {
        end++;
    }
    return end < text.len && text.ptr[end] == '}' ? end : text.len;
}

/* Replaces what is the name of an argument; other braces stay as they are. */
static void add_template(haft__buf *buf, const haft__exec_job *job, haft_str text)
{
    while (text.len > 0) {
        const char *brace = memchr(text.ptr, '{', text.len);
        size_t plain = brace != NULL ? (size_t)(brace - text.ptr) : text.len;
        haft__buf_add(buf, text.ptr, plain);
        text = haft__str_skip(text, plain);
        if (text.len == 0) {
            return;
        }
        haft_str behind = haft__str_skip(text, 1);
        haft_str name = {behind.ptr, find_end(behind)};
        bool closed = name.len < behind.len;
        const haft__json *value = closed ? haft__json_get(job->call.arguments, name) : NULL;
        if (value != NULL) {
            add_value(buf, *value);
        } else if (!closed || !is_declared(job, name)) {
            haft__buf_add_char(buf, '{');
            text = behind;
            continue;
        }
        text = haft__str_skip(behind, name.len + 1);
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
