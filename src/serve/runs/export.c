/* SPDX-License-Identifier: Apache-2.0 */
/* export.c - a run as a file: its events, or a page to read. Events have no secrets: they are
 * redacted before they are stored. Tests: tests/serve/api_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/event.h"
#include "serve/runs/runs_int.h"
#include "json/write.h"

static void send_file(haft__api_call *call, haft_str media_type, const char *extension,
                      haft_str text)
{
    char name[96];
    (void)snprintf(name, sizeof(name), "attachment; filename=\"%.*s.%s\"",
                   HAFT__ARG(haft__runs_loaded(call)->row.id), extension);
    haft__http_server_field field = {HAFT__LIT("Content-Disposition"), haft__str(name)};
    haft__api_reply reply = {
        .status = 200, .content_type = media_type, .fields = &field, .field_count = 1};
    haft__api_reply_with(call, &reply, text);
}

/* ---- Markdown ---- */

/* A fence that is longer than each run of backticks in the text. */
static void add_fenced(haft__buf *out, haft_str text)
{
    size_t longest = 2, length = 0;
    for (size_t i = 0; i < text.len; i++) {
        length = text.ptr[i] == '`' ? length + 1 : 0;
        longest = length > longest ? length : longest;
    }
    for (size_t i = 0; i <= longest; i++) {
        haft__buf_add_char(out, '`');
    }
    haft__buf_addf(out, "\n");
    haft__buf_add_str(out, text);
    haft__buf_add_str(out,
                      haft__str_ends_with(text, HAFT__LIT("\n")) ? HAFT__LIT("") : HAFT__LIT("\n"));
    for (size_t i = 0; i <= longest; i++) {
        haft__buf_add_char(out, '`');
    }
    haft__buf_addf(out, "\n\n");
}

static void add_value(haft__buf *out, haft__json value)
{
    haft__buf text;
    if (value.kind == HAFT__JSON_STRING) {
        add_fenced(out, haft__json_text(value));
        return;
    }
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write_pretty(&text, value, 2);
    add_fenced(out, haft__buf_str(&text));
    haft__buf_finish(&text);
}

static void add_member(haft__buf *out, const char *title, haft__json object, const char *key)
{
    const haft__json *value = haft__object_find(object, key);
    bool empty = value == NULL || value->kind == HAFT__JSON_NULL
                 || (value->kind == HAFT__JSON_STRING && value->count == 0);
    if (!empty) {
        haft__buf_addf(out, "%s\n\n", title);
        add_value(out, *value);
    }
}

/* Titles of events have only words of haft and ids, so texts of models cannot forge them. */
static void add_event(haft__buf *out, haft__json event)
{
    haft_str kind = haft__object_string(event, "kind"), call = haft__object_string(event, "call");
    if (haft__str_equal(kind, HAFT__LIT("turn_started"))) {
        haft__buf_addf(out, "## Turn %llu\n\n",
                       (unsigned long long)haft__object_number(event, "turn", 0));
        return;
    }
    haft__buf_addf(out, "### %llu %.*s %.*s\n\n",
                   (unsigned long long)haft__object_number(event, "seq", 0), HAFT__ARG(kind),
                   HAFT__ARG(call));
    static const struct {
        const char *title, *key;
    } members[] = {{"Task", "task"},
                   {"Tool", "tool"},
                   {"Reason", "reason"},
                   {"Content", "content"},
                   {"Arguments", "arguments"},
                   {"Result", "result"},
                   {"Error", "error"},
                   {"Text", "text"},
                   {"By", "by"},
                   {"Value", "value"},
                   {"End", "end"},
                   {"Answer", "answer"}};
    for (size_t i = 0; i < COUNT(members); i++) {
        add_member(out, members[i].title, event, members[i].key);
    }
}

static haft_status write_markdown(haft__api_call *call, haft__buf *out, haft_error *err)
{
    const haft__loaded_run *run = haft__runs_loaded(call);
    haft__arena scratch;
    haft_status status = HAFT_OK;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft__buf_addf(out, "# Run %.*s\n\n", HAFT__ARG(run->row.id));
    for (haft_str rest = run->lines; rest.len > 0 && status == HAFT_OK;) {
        haft__event event;
        haft__arena_reset(&scratch);
        status = haft__event_read(&scratch, haft__str_split(&rest, '\n'),
                                  haft__runs_of(call)->runtime->hash_key, &event, err);
        if (status == HAFT_OK) {
            add_event(out, event.object);
        }
    }
    haft__arena_finish(&scratch);
    return status == HAFT_OK ? haft__buf_check(out, err) : status;
}

static void export(haft__api_call *call)
{
    haft_str format = haft__api_query(call, "format");
    haft_error err = {0};
    haft__buf text;
    if (format.ptr == NULL || haft__str_equal(format, HAFT__LIT("jsonl"))) {
        send_file(call, HAFT__LIT("application/x-ndjson"), "jsonl", haft__runs_loaded(call)->lines);
        return;
    }
    if (!haft__str_equal(format, HAFT__LIT("markdown"))) {
        haft__api_reject(call, 400, HAFT_BAD_INPUT, "expected jsonl or markdown as `format`");
        return;
    }
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    if (write_markdown(call, &text, &err) == HAFT_OK) {
        send_file(call, HAFT__LIT("text/markdown; charset=utf-8"), "md", haft__buf_str(&text));
    } else {
        haft__api_fail(call, &err);
    }
    haft__buf_finish(&text);
}

void haft__runs_handle_run_export(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_EVENTS, export);
}
