/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/report.c: the report and its limits. */
#include "model/rules/offline_help.h"
#include "tool/builtin.h"
#include "json/read.h"

/* A planner that is asked for a text, with no tools. */
typedef struct fixture {
    haft__arena arena;
    offline_request r;
    haft__reply reply;
} fixture;

static void begin(fixture *f, const char *task)
{
    *f = (fixture){.reply = {.call_count = 0}};
    haft__arena_init(&f->arena, 0);
    offline_request_init(&f->r, &f->arena, task);
    f->r.request.mode = HAFT__MODE_NONE;
}

static haft_str answer(fixture *f)
{
    CHECK_INT(haft__offline_ask(&f->r.request, &f->arena, &f->reply, NULL), HAFT_OK,
              "ask the planner");
    CHECK_INT(f->reply.call_count, 0, "the reply has no calls");
    return f->reply.content;
}

/* The report that the planner would store. */
static haft_str report(fixture *f)
{
    haft__tool *tool = haft__arena_alloc(&f->arena, sizeof(*tool));
    const haft__tool *const tools[] = {tool};
    const bool allowed[] = {true};
    CHECK_INT(haft__builtin_tool(&f->arena, HAFT__LIT("store_artifact"), tool, NULL), HAFT_OK,
              "the built-in tool");
    f->r.request.tools = tools;
    f->r.request.allowed = allowed;
    f->r.request.tool_count = 1;
    f->r.request.mode = HAFT__MODE_TOOL;
    f->r.request.tool = HAFT__LIT("store_artifact");
    CHECK_INT(haft__offline_ask(&f->r.request, &f->arena, &f->reply, NULL), HAFT_OK,
              "ask the planner");
    CHECK_INT(f->reply.call_count, 1, "the reply has one call");
    haft__json arguments = haft__json_null();
    CHECK_INT(haft__json_read(&f->arena, f->reply.calls[0].arguments, NULL, &arguments, NULL, NULL),
              HAFT_OK, "arguments");
    const haft__json *content = haft__json_get(arguments, HAFT__LIT("content"));
    return content != NULL ? haft__json_text(*content) : HAFT__LIT("");
}

/* The number of lines that begin with `start`. */
static size_t count_lines(haft_str text, const char *start)
{
    size_t count = 0;
    while (text.len > 0) {
        count += haft__str_starts_with(haft__str_split(&text, '\n'), haft__str(start)) ? 1 : 0;
    }
    return count;
}

static haft_str lines(haft__arena *arena, const char *format, int count)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 22);
    for (int i = 1; i <= count; i++) {
        for (const char *c = format; *c != '\0'; c++) {
            if (*c == '#') {
                haft__buf_addf(&buf, "%d", i);
            } else {
                haft__buf_add_char(&buf, *c);
            }
        }
    }
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

TEST(a_report_has_this_text)
{
    fixture f;
    begin(&f, "When does the gate open?");
    offline_request_add(&f.r, "glob", "{\"pattern\":\"**/*\"}", "a.c\nb.md\nMakefile\n", false);
    offline_request_add(&f.r, "grep",
                        "{\"pattern\":\"(?:[Gg]ate|GATE)|(?:[Oo]pen|OPEN)\",\"limit\":400}",
                        "a.c:7:gate\nb.md:3:the gate opens\n", false);
    offline_request_add(
        &f.r, "read", "{\"path\":\"b.md\",\"offset\":1,\"limit\":48}",
        "     1\t# Gates\n     2\t\n     3\tthe gate opens\n     4\t\n     5\tmore\n", false);
    offline_request_add(&f.r, "read", "{\"path\":\"z.c\"}",
                        "Error: there is no file 'z.c'\nHint: x", true);
    CHECK_STR(
        report(&f),
        HAFT__LIT(
            "# When does the gate open?\n\n"
            "*Written by rules, not by a language model: haft's `offline` planner searched for "
            "the words of the task and quotes what it found. It does not understand what it "
            "quotes.*\n\n"
            "## Nearest to the question\n\n"
            "- `b.md:3`: `the gate opens`\n- `a.c:7`: `gate`\n\n"
            "## Findings\n\n"
            "### `b.md`\n\n2 lines with words of the task.\n\n"
            "```text\n     1  # Gates\n     2  \n     3  the gate opens\n     4  \n     5  "
            "more\n```\n\n"
            "### `a.c`\n\n1 line with words of the task.\n\n"
            "```text\n     7  gate\n```\n\n"
            "## How this was made\n\nWords searched for: `gate`, `open`.\n\n"
            "- `glob` `**/*`\n"
            "- `grep` `(?:[Gg]ate|GATE)|(?:[Oo]pen|OPEN)`\n"
            "- `read` `b.md`\n"
            "- `read` `z.c` failed: `Error: there is no file 'z.c'`\n"),
        "the report");
    haft__arena_finish(&f.arena);
}

TEST(quoted_files_have_a_limit)
{
    for (int count = HAFT__LIMIT_OFFLINE_QUOTED_FILES - 1;
         count <= HAFT__LIMIT_OFFLINE_QUOTED_FILES + 2; count++) {
        fixture f;
        begin(&f, "gate");
        offline_request_add(&f.r, "grep", "{}", lines(&f.arena, "f#.c:1:gate\n", count).ptr, false);
        haft_str text = report(&f);
        int max = HAFT__LIMIT_OFFLINE_QUOTED_FILES;
        CHECK_INT(count_lines(text, "### "), count < max ? count : max, "%d files", count);
        CHECK_INT(offline_has(text, "\n1 more file has such lines."), count == max + 1,
                  "one file past the limit");
        CHECK_INT(offline_has(text, "\n2 more files have such lines."), count == max + 2,
                  "two files past the limit");
        haft__arena_finish(&f.arena);
    }
}

TEST(quoted_lines_of_a_file_have_a_limit)
{
    for (int count = HAFT__LIMIT_OFFLINE_QUOTED_LINES - 1;
         count <= HAFT__LIMIT_OFFLINE_QUOTED_LINES + 1; count++) {
        fixture f;
        begin(&f, "gate");
        offline_request_add(&f.r, "read", "{\"path\":\"a.c\"}",
                            lines(&f.arena, "#\tgate\n", count).ptr, false);
        int max = HAFT__LIMIT_OFFLINE_QUOTED_LINES;
        CHECK_INT(count_lines(report(&f), "    "), count < max ? count : max, "%d lines", count);
        haft__arena_finish(&f.arena);
    }
}

TEST(a_long_line_is_truncated)
{
    for (int more = 0; more < 2; more++) {
        fixture f;
        begin(&f, "gate");
        size_t length = HAFT__LIMIT_OFFLINE_LINE_CHARS + (size_t)more;
        haft__buf line;
        haft__buf_init(&line, 4096);
        haft__buf_addf(&line, "a.c:1:gate ");
        for (size_t i = 5; i < length; i++) {
            haft__buf_add_char(&line, 'x');
        }
        offline_request_add(&f.r, "grep", "{}",
                            haft__arena_copy(&f.arena, haft__buf_str(&line)).ptr, false);
        haft__buf_finish(&line);
        CHECK_INT(offline_has(answer(&f), "\xE2\x80\xA6"), more > 0, "%zu characters", length);
        haft__arena_finish(&f.arena);
    }
}

TEST(a_long_result_of_another_tool_is_truncated)
{
    for (int more = 0; more < 2; more++) {
        fixture f;
        begin(&f, "gate");
        size_t length = HAFT__LIMIT_OFFLINE_RESULT_CHARS + (size_t)more;
        char *text = test_alloc(length + 1);
        memset(text, 'x', length);
        text[length] = '\0';
        offline_request_add(&f.r, "look", "{}", text, false);
        CHECK_INT(offline_has(answer(&f), "... (cut)"), more > 0, "%zu characters", length);
        haft__arena_finish(&f.arena);
    }
    fixture f;
    begin(&f, "gate");
    offline_request_add(&f.r, "look", "{}", lines(&f.arena, "line #\n", 30).ptr, false);
    CHECK_INT(count_lines(answer(&f), "line "), 20, "lines of the truncated result");
    CHECK(offline_has(answer(&f), "... (cut)"), "the truncated result is marked");
    haft__arena_finish(&f.arena);
}

TEST(results_of_other_tools_have_a_limit)
{
    for (int count = HAFT__LIMIT_OFFLINE_OTHERS; count <= HAFT__LIMIT_OFFLINE_OTHERS + 1; count++) {
        fixture f;
        begin(&f, "gate");
        for (int i = 0; i < count; i++) {
            haft_str arguments = haft__arena_format(&f.arena, "{\"n\":%d}", i);
            offline_request_add(&f.r, "look", arguments.ptr, "x", false);
        }
        CHECK_INT(count_lines(answer(&f), "### `look`"), HAFT__LIMIT_OFFLINE_OTHERS, "%d results",
                  count);
        haft__arena_finish(&f.arena);
    }
}

TEST(references_of_an_answer_have_a_limit)
{
    for (int count = HAFT__LIMIT_OFFLINE_REFERENCES - 1;
         count <= HAFT__LIMIT_OFFLINE_REFERENCES + 1; count++) {
        fixture f;
        begin(&f, "gate");
        offline_request_add(&f.r, "grep", "{}", lines(&f.arena, "f#.c:#:gate\n", count).ptr, false);
        offline_request_add(&f.r, "store_artifact", "{\"name\":\"r\\n.md\"}", "Stored.", false);
        int max = HAFT__LIMIT_OFFLINE_REFERENCES;
        haft_str text = answer(&f);
        CHECK_INT(count_lines(text, "- `f"), count < max ? count : max, "%d references", count);
        CHECK(offline_has(text, "The report is stored as r .md. "), "%.*s", HAFT__ARG(text));
        haft__arena_finish(&f.arena);
    }
}

TEST(listed_calls_have_a_limit)
{
    for (int count = HAFT__LIMIT_OFFLINE_STEPS - 1; count <= HAFT__LIMIT_OFFLINE_STEPS + 1;
         count++) {
        fixture f;
        begin(&f, "gate");
        for (int i = 0; i < count; i++) {
            haft_str arguments = haft__arena_format(&f.arena, "{\"n\":%d}", i);
            offline_request_add(&f.r, "look", arguments.ptr, "", false);
        }
        int max = HAFT__LIMIT_OFFLINE_STEPS;
        CHECK_INT(count_lines(answer(&f), "- `look`"), count < max ? count : max, "%d calls",
                  count);
        haft__arena_finish(&f.arena);
    }
}

TEST(omitted_results_are_mentioned)
{
    fixture f;
    begin(&f, "gate");
    offline_request_add(&f.r, "grep", "{}",
                        lines(&f.arena, "a.c:#:x\n", HAFT__LIMIT_OFFLINE_LINES + 1).ptr, false);
    CHECK(offline_has(report(&f), "larger than the planner's limits"),
          "the report mentions the limits");
    haft__arena_finish(&f.arena);
}

TEST(an_answer_without_findings_or_calls_says_so)
{
    fixture f;
    begin(&f, "gate");
    offline_request_add(&f.r, "store_artifact", "{\"name\":\"r.md\"}", "Stored.", false);
    CHECK_STR(
        answer(&f),
        HAFT__LIT("The report is stored as r.md. Nearest to the question:\n- nothing: no line "
                  "with words of the task was found\nFound and quoted by rules, not by a "
                  "language model."),
        "an answer without findings");
    haft__arena_finish(&f.arena);
    begin(&f, "gate");
    offline_request_add(&f.r, "grep", "{}", NULL, false);
    CHECK(offline_has(answer(&f), "No tool was called."), "an answer without calls");
    haft__arena_finish(&f.arena);
}
