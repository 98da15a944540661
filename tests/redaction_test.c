/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/excerpt.c and the code that uses it.
 *
 * Errors show parts of texts from outside, and such a text may contain a secret. Wherever the text
 * is cut, HAFT__LIMIT_REDACT_MIN_BYTES or more bytes of the secret must never be shown. The tests
 * put a secret at every offset around every cut. */
#include "base/excerpt.h"

#include "base/error.h"
#include "base/limits.h"
#include "exec/command/command.h"
#include "exec/exec_help.h"
#include "exec/http/http.h"
#include "exec/mcp/mcp_int.h"
#include "model/providers/openai_chat/stream.h"
#include "run/redact/redact.h"

#define SECRET "k7#Qz-9vTf2&LmX4_wRb8.HsY1+cNj6~GdP3!oUe5=Aa0Ii"
#define MARGIN (sizeof(SECRET) + 12)

typedef struct fixture {
    haft__arena arena;
    haft__redactor redactor;
    haft__cleaner cleaner;
} fixture;

static void begin(fixture *f)
{
    bool added;
    haft__arena_init(&f->arena, 0);
    haft__redactor_init(&f->redactor, &f->arena);
    CHECK_INT(haft__redactor_add(&f->redactor, HAFT__LIT(SECRET), &added, NULL), HAFT_OK,
              "adding the secret");
    CHECK_INT(haft__redactor_seal(&f->redactor, NULL), HAFT_OK, "sealing the redactor");
    f->cleaner = haft__redactor_cleaner(&f->redactor);
}

static void end(fixture *f)
{
    haft__arena_finish(&f->arena);
}

/* The length of the longest part of the secret in the text. */
static size_t leaked(haft_str text)
{
    static const char secret[] = SECRET;
    size_t max = 0;
    for (size_t at = 0; at < text.len; at++) {
        for (size_t from = 0; from < sizeof(secret) - 1; from++) {
            size_t same = 0;
            while (at + same < text.len && from + same < sizeof(secret) - 1
                   && text.ptr[at + same] == secret[from + same]) {
                same++;
            }
            max = same > max ? same : max;
        }
    }
    return max;
}

static void check(haft_str shown, const char *what, size_t offset)
{
    size_t bytes = leaked(shown);
    CHECK(bytes < HAFT__LIMIT_REDACT_MIN_BYTES, "%s, secret at %zu: %zu bytes are shown", what,
          offset, bytes);
}

/* Makes a text of these parts: `head`, `offset` bytes of words, the secret, `more` bytes of words,
 * `tail`. */
static haft_str plant(haft__buf *buf, const char *head, size_t offset, size_t more,
                      const char *tail)
{
    static const char words[] = "la ";
    haft__buf_clear(buf);
    haft__buf_addf(buf, "%s", head);
    for (size_t i = 0; i < offset; i++) {
        haft__buf_add_char(buf, words[i % 3]);
    }
    haft__buf_add_str(buf, HAFT__LIT(SECRET));
    for (size_t i = 0; i < more; i++) {
        haft__buf_add_char(buf, words[i % 3]);
    }
    haft__buf_addf(buf, "%s", tail);
    return haft__buf_str(buf);
}

/* ---- excerpts ---- */

static void check_excerpt(const fixture *f, haft_str text, haft__lost lost, bool from_end,
                          size_t offset)
{
    haft__buf shown;
    haft__buf_init(&shown, 1 << 20);
    haft__excerpt excerpt = {.text = text, .lost = lost, .max_bytes = 64, .from_end = from_end};
    haft__excerpt_append(&shown, &excerpt, f->cleaner);
    CHECK(shown.len <= 64 && shown.status == HAFT_OK, "the excerpt has %zu bytes", shown.len);
    check(haft__buf_str(&shown), from_end ? "end" : "start", offset);
    haft__buf_finish(&shown);
}

TEST(no_cut_of_an_excerpt_shows_part_of_a_secret)
{
    fixture f;
    haft__buf buf;
    begin(&f);
    haft__buf_init(&buf, 1 << 20);
    for (size_t offset = 0; offset < 64 + MARGIN; offset++) {
        haft_str text = plant(&buf, "", offset, 64 + MARGIN - offset, "");
        for (size_t lost = 0; lost < text.len; lost++) {
            haft_str after = {text.ptr, text.len - lost}, before = haft__str_skip(text, lost);
            check_excerpt(&f, after, (haft__lost){.after = lost > 0}, false, offset);
            check_excerpt(&f, before, (haft__lost){.before = lost > 0}, true, offset);
        }
    }
    haft__buf_finish(&buf);
    end(&f);
}

TEST(text_without_secrets_is_only_cut)
{
    static const struct {
        const char *text, *wanted;
        haft__excerpt how;
    } rows[] = {
        {"abcdef", "abcd", {.max_bytes = 4}},
        {"abcdef", "cdef", {.max_bytes = 4, .from_end = true}},
        {" ab ", "ab", {.max_bytes = 4}},
        {"abc\xc3\xa9", "abc", {.max_bytes = 4}},
        {"\xc3\xa9 bc", "bc", {.max_bytes = 4, .from_end = true}},
        {"a\033\r\n\tb\x7f\xc2\x9b", "a??\n\tb???", {.max_bytes = 64, .plain = true}},
        {"a\033b", "a\033b", {.max_bytes = 64}},
        {"a\nb\nc\n", "b\nc", {.max_bytes = 64, .from_end = true, .max_lines = 2}},
        {"a\nb\nc\n", "a\nb\nc", {.max_bytes = 64, .from_end = true, .max_lines = 3}},
        {"abcd\nef", "abcd\nef", {.max_bytes = 7, .from_end = true, .max_lines = 9}},
        {"abcd\nef", "ef", {.max_bytes = 6, .from_end = true, .max_lines = 9}},
        {"abcdef", "def", {.max_bytes = 3, .from_end = true, .max_lines = 9}},
        {"word word", "word word", {.max_bytes = 64, .lost = {true, true}}},
        {"longtoken word", HAFT__REDACTED " word", {.max_bytes = 64, .lost = {.before = true}}},
    };
    fixture f;
    begin(&f);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf shown;
        haft__buf_init(&shown, 1024);
        haft__excerpt excerpt = rows[i].how;
        excerpt.text = haft__str(rows[i].text);
        haft__excerpt_append(&shown, &excerpt, f.cleaner);
        CHECK_STR(haft__buf_str(&shown), haft__str(rows[i].wanted), "row %zu", i);
        haft__buf_finish(&shown);
    }
    end(&f);
}

/* ---- errors of fixed size ---- */

static void check_redacted(const fixture *f, const char *text, const char *what, size_t offset)
{
    haft__buf shown;
    haft__buf_init(&shown, 1 << 20);
    (void)haft__redact(&f->redactor, haft__str(text), &shown);
    check(haft__buf_str(&shown), what, offset);
    haft__buf_finish(&shown);
}

/* An error is cut when it is made, and redacted later, when it is written to an event. */
TEST(no_cut_of_an_error_shows_part_of_a_secret)
{
    fixture f;
    haft__buf buf;
    begin(&f);
    haft__buf_init(&buf, 1 << 20);
    for (size_t offset = 0; offset < sizeof(((haft_error *)0)->message) + MARGIN; offset++) {
        haft_error err;
        haft_str text = plant(&buf, "", offset, 64, "");
        (void)!haft__fail(&err, HAFT_IO, "", "the server sent '%.*s'", HAFT__ARG(text));
        (void)!haft__hint(&err, HAFT_IO, "do not send %.*s", HAFT__ARG(text));
        check_redacted(&f, err.message, "message", offset);
        check_redacted(&f, err.hint, "hint", offset);
        haft__buf_add_char(&buf, '\0');
        haft__error_prepend_location(&err, buf.ptr);
        check_redacted(&f, err.where, "location", offset);
    }
    haft__buf_finish(&buf);
    end(&f);
}

/* ---- model servers ---- */

static void check_failure(fixture *f, haft_str body, const char *what, size_t offset)
{
    haft__arena arena;
    haft__model_failure failure = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__server_error_read_failure(500, body, HAFT__LIT(""), (haft__hash_key){1, 2},
                                              f->cleaner, &arena, &failure, NULL),
              HAFT_OK, "%s", what);
    check(failure.message, what, offset);
    haft__arena_finish(&arena);
}

static void check_stream(fixture *f, haft_str body, const char *what, size_t offset)
{
    haft__arena arena;
    haft__model_outcome outcome = {0};
    haft__provider_stream_options options = {.cleaner = f->cleaner};
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__openai_read(&options, body, &arena, &outcome, NULL), HAFT_OK, "%s", what);
    CHECK(outcome.failed, "%s: the outcome is not a failure", what);
    check(outcome.failure.message, what, offset);
    haft__arena_finish(&arena);
}

TEST(no_cut_of_a_model_servers_error_shows_part_of_a_secret)
{
    static const struct {
        const char *head, *tail;
        size_t at; /* where the text between head and tail is cut */
    } forms[] = {
        {"{\"error\":{\"message\":\"", "\"}}", HAFT__LIMIT_MODEL_ERROR_CHARS},
        {"{\"error\":{\"message\":\"m\",\"type\":\"", "\"}}", 80},
        {"{\"error\":{\"message\":\"m\",\"code\":\"", "\"}}", 80},
        {"{\"error\":{\"message\":\"m\",\"param\":\"", "\"}}", 80},
        {"{\"error\":\"", "\"}", HAFT__LIMIT_MODEL_ERROR_CHARS},
        {"{\"detail\":\"", "\"}", HAFT__LIMIT_MODEL_ERROR_CHARS},
        {"not JSON: ", "", HAFT__LIMIT_MODEL_ERROR_CHARS - 10},
        {"<html>", "</html>", HAFT__LIMIT_MODEL_ERROR_CHARS},
    };
    fixture f;
    haft__buf buf;
    begin(&f);
    haft__buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < COUNT(forms); i++) {
        for (size_t offset = forms[i].at - MARGIN; offset < forms[i].at + MARGIN; offset++) {
            haft_str body = plant(&buf, forms[i].head, offset, 600, forms[i].tail);
            check_failure(&f, body, forms[i].head, offset);
            if (forms[i].head[0] != 'n') {
                check_stream(&f, body, forms[i].head, offset);
            }
        }
    }
    haft__buf_finish(&buf);
    end(&f);
}

/* Only the first bytes of a body are read. The script before the text uses up nearly all of them,
 * so the cut is near the start of the text that is shown. */
TEST(no_cut_of_a_long_page_shows_part_of_a_secret)
{
    fixture f;
    haft__buf buf, page;
    begin(&f);
    haft__buf_init(&buf, 1 << 20);
    haft__buf_init(&page, 1 << 20);
    for (size_t offset = 0; offset < MARGIN; offset++) {
        haft_str text = plant(&buf, "", offset, 64, "");
        haft__buf_clear(&page);
        haft__buf_addf(&page, "<script>");
        while (page.len < HAFT__LIMIT_MODEL_ERROR_BYTES - MARGIN - 9) {
            haft__buf_add_char(&page, 's');
        }
        haft__buf_addf(&page, "</script>");
        haft__buf_add_str(&page, text);
        check_failure(&f, haft__buf_str(&page), "page", offset);
        check_stream(&f, haft__buf_str(&page), "page", offset);
    }
    haft__buf_finish(&buf);
    haft__buf_finish(&page);
    end(&f);
}

/* ---- tools ---- */

static void begin_job(haft__exec_job *job, help_exec *exec, const fixture *f)
{
    static const haft__tool tool;
    *job = (haft__exec_job){
        .exec = exec->exec, .references = 2, .call = {.tool = &tool, .cleaner = f->cleaner}};
    haft__arena_init(&job->arena, 0);
}

TEST(no_cut_of_an_http_tools_error_shows_part_of_a_secret)
{
    fixture f;
    help_exec exec;
    haft__buf buf;
    begin(&f);
    help_begin(&exec);
    haft__buf_init(&buf, 1 << 20);
    size_t at = HAFT__LIMIT_HTTP_ERROR_BYTES;
    for (size_t offset = at - MARGIN; offset < at + MARGIN; offset++) {
        haft__exec_job job;
        haft__exec_result result;
        haft__http_result answer = {.end = HAFT__HTTP_OK, .status = 500, .sent = true};
        begin_job(&job, &exec, &f);
        haft__http_tool_result(&job, &answer, plant(&buf, "", offset, 64, ""), &result);
        haft__exec_report(&job, &result);
        help_step(&exec, 0);
        check(job.result.text, "HTTP tool", offset);
        CHECK(job.result.text.len <= at + 20, "the result has %zu bytes", job.result.text.len);
        haft__arena_finish(&job.arena);
    }
    haft__buf_finish(&buf);
    help_end(&exec);
    end(&f);
}

TEST(no_cut_of_a_commands_output_shows_part_of_a_secret)
{
    fixture f;
    help_exec exec;
    haft__buf buf;
    begin(&f);
    help_begin(&exec);
    haft__buf_init(&buf, 1 << 20);
    size_t size = HAFT__LIMIT_CHILD_ERROR_BYTES;
    for (size_t more = size - 2 * MARGIN; more < size + MARGIN; more++) {
        haft_str text = plant(&buf, "", 2 * MARGIN, more, "");
        haft_str kept = haft__str_skip(text, text.len > size ? text.len - size : 0);
        haft__child_result ends[] = {{.status = 1, .errors = kept}, {.status = 1, .output = text}};
        for (size_t i = 0; i < COUNT(ends); i++) {
            haft__exec_job job;
            begin_job(&job, &exec, &f);
            haft__command_report(&job, HAFT__LIT("prog"), &ends[i]);
            help_step(&exec, 0);
            check(job.result.text, i == 0 ? "standard error" : "standard output", more);
            CHECK(job.result.text.len > size - 3 * MARGIN, "the result has %zu bytes",
                  job.result.text.len);
            haft__arena_finish(&job.arena);
        }
    }
    haft__buf_finish(&buf);
    help_end(&exec);
    end(&f);
}

/* ---- MCP servers ---- */

/* Checks the last lines of standard error, and the error that quotes them. */
static void check_lines(haft__mcp_connection *connection, haft_str text, size_t more)
{
    haft_error err;
    size_t size = HAFT__LIMIT_CHILD_ERROR_BYTES;
    haft_str read = haft__str_skip(text, text.len > size ? text.len - size : 0);
    haft__mcp_stdio_transport_keep_stderr(connection, read);
    haft_str lines = haft__buf_str(&connection->stderr_lines);
    check(lines, "standard error of a server", more);
    CHECK(lines.len <= HAFT__LIMIT_MCP_STDERR_BYTES, "%zu bytes of standard error are kept",
          lines.len);
    (void)!haft__mcp_connection_fail(connection, &err, HAFT_IO, "ended: %.*s", HAFT__ARG(text));
    check(haft__str(err.message), "error of a server", more);
}

TEST(no_cut_of_a_servers_standard_error_shows_part_of_a_secret)
{
    static const size_t cuts[] = {sizeof(((haft_error *)0)->message), HAFT__LIMIT_MCP_STDERR_BYTES,
                                  HAFT__LIMIT_CHILD_ERROR_BYTES};
    fixture f;
    haft__buf buf;
    haft__mcp_connection connection = {.redactor = NULL, .server.name = HAFT__LIT("a")};
    begin(&f);
    connection.redactor = &f.redactor;
    haft__buf_init(&connection.stderr_lines, 1 << 20);
    haft__buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < COUNT(cuts); i++) {
        for (size_t near = cuts[i] - 2 * MARGIN; near < cuts[i] + MARGIN; near++) {
            check_lines(&connection, plant(&buf, "", 2 * MARGIN, near, ""), near);
            check_lines(&connection, plant(&buf, "", near, 2 * MARGIN, ""), near);
        }
    }
    haft__buf_finish(&buf);
    haft__buf_finish(&connection.stderr_lines);
    end(&f);
}
