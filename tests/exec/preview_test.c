/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/preview.c. */
#include "exec/preview.h"

#include "base/buf.h"
#include "exec_help.h"

typedef struct row {
    haft__tool_source source;
    const char *definition, *arguments, *shown; /* "label: text|label: text" */
} row;

static const row rows[] = {
    {HAFT__TOOL_COMMAND, "{\"command\":[\"./run\",\"--all\",\"a b\",\"it's\",\"\"]}", "{\"q\":1}",
     "command: ./run --all 'a b' 'it'\\''s' ''|input: {\"q\":1}"},
    {HAFT__TOOL_COMMAND, "{\"command\":[\"cat\"],\"stdin\":\"<{q}>\"}", "{\"q\":\"hi\"}",
     "command: cat|input: <hi>"},
    {HAFT__TOOL_HTTP, "{\"http\":{\"url\":\"https://h/users/{q}?t=${TOKEN}\"}}", "{\"q\":\"a b\"}",
     "request: GET https://h/users/a%20b?t=s3cr3t"},
    {HAFT__TOOL_HTTP, "{\"http\":{\"url\":\"https://h/\",\"method\":\"POST\"}}", "{\"q\":1}",
     "request: POST https://h/|body: {\"q\":1}"},
    {HAFT__TOOL_HTTP, "{\"http\":{\"url\":\"https://h/{q}\"}}", "{\"q\":\"..\"}",
     "problem: found only dots, which would lead to another path"},
    {HAFT__TOOL_MCP, "{\"server\":\"docs\"}", "{}", "server: serve --all 'a b'"},
    {HAFT__TOOL_MCP, "{\"server\":\"far\"}", "{}", "server: https://far.example:8443/mcp/x@y"},
    {HAFT__TOOL_MCP, "{\"server\":\"var\"}", "{}", "server: https://${HOST}/mcp"},
    {HAFT__TOOL_MCP, "{\"server\":\"gone\"}", "{}", ""},
    {HAFT__TOOL_FUNCTION, "{}", "{\"q\":1}", ""},
};

/* The call of a row; everything is in the arena of `f`. */
static void prepare(help_exec *f, const row *r, haft__tool *tool, haft__exec_call *call)
{
    *tool = (haft__tool){.name = HAFT__LIT("t"), .source = r->source};
    f->spec.mcp = help_read(
        &f->arena, "{\"servers\":{\"docs\":{\"command\":[\"serve\",\"--all\",\"a b\"]},"
                   "\"far\":{\"url\":\"https://me:hunter2@far.example:8443/mcp/x@y?key=k\"},"
                   "\"var\":{\"url\":\"https://${HOST}/mcp\"}}}");
    tool->definition = help_read(&f->arena, r->definition);
    tool->input_schema = help_read(&f->arena, "{\"properties\":{\"q\":{}}}");
    *call = (haft__exec_call){
        .spec = &f->spec,
        .tool = tool,
        .arguments = help_read(&f->arena, r->arguments),
        .facts = {
            .call = "c1.1", .run = "r", .thread = "", .user = "", .idempotency_key = "r:c1.1"}};
}

static haft_str join(haft__buf *buf, const haft__preview *p)
{
    haft__buf_clear(buf);
    for (size_t i = 0; i < p->count; i++) {
        haft__buf_addf(buf, "%s%s: %.*s", i > 0 ? "|" : "", p->rows[i].label,
                       HAFT__ARG(p->rows[i].text));
    }
    return haft__buf_str(buf);
}

TEST(previews_show_what_would_run)
{
    help_exec f;
    haft__buf buf;
    help_begin(&f);
    haft__buf_init(&buf, 4096);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__preview found = {.count = 9};
        haft__tool tool;
        haft__exec_call call;
        haft_error err = {0};
        prepare(&f, &rows[i], &tool, &call);
        CHECK_INT(haft__exec_preview(f.exec, &call, &f.arena, &found, &err), HAFT_OK, "case %zu",
                  i);
        CHECK_STR(join(&buf, &found), haft__str(rows[i].shown), "case %zu", i);
    }
    haft__buf_finish(&buf);
    help_end(&f);
}

TEST(a_preview_survives_every_failed_allocation)
{
    help_exec f;
    help_begin(&f);
    for (size_t i = 0; i < COUNT(rows) - 1; i++) {
        haft__tool tool;
        haft__exec_call call;
        prepare(&f, &rows[i], &tool, &call);
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft_error err = {0};
            haft__preview found = {.count = 0};
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status = haft__exec_preview(f.exec, &call, &arena, &found, &err);
            bool failed = test_allow_allocations();
            CHECK(!failed || status == HAFT_NO_MEMORY || status == HAFT_OK,
                  "case %zu, allocation %u", i, n);
            haft__arena_finish(&arena);
            if (!failed) {
                CHECK_INT(status, HAFT_OK, "case %zu", i);
                break;
            }
        }
    }
    help_end(&f);
}
