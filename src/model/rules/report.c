/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - the report: the best places, lines of the best files, other results, and the calls
 * that were made. Nothing is summarised; everything is quoted with its place.
 *
 * Tests: tests/model/rules/report_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

#define TITLE_CHARS   100U
#define PATTERN_CHARS 100U
#define RESULT_LINES  20U
/* Lines of an excerpt before the best line. */
#define LINES_BEFORE 3U

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- the start ---- */

static bool has_searched(const haft__offline *o)
{
    for (size_t i = 0; i < o->history.count; i++) {
        const haft__offline_call *call = &o->history.calls[i];
        if (haft__offline_is_call_of(call, "glob") || haft__offline_is_call_of(call, "grep")
            || haft__offline_is_call_of(call, "read")) {
            return true;
        }
    }
    return false;
}

static void write_title(haft__buf *buf, const haft__offline *o)
{
    haft_str task = haft__str_trim(o->history.task);
    haft__buf_add_str(buf, HAFT__LIT("# "));
    haft__offline_quote_line(buf, task.len > 0 ? task : HAFT__LIT("Report"), TITLE_CHARS);
    haft__buf_addf(
        buf,
        "\n\n*Written by rules, not by a language model: haft's `offline` planner %s. It "
        "does not understand what it quotes.*\n",
        has_searched(o) ? "searched for the words of the task and quotes what it found"
                        : "calls tools with values of the task and quotes their results");
    size_t succeeded = 0;
    for (size_t i = 0; i < o->history.count; i++) {
        succeeded += o->history.calls[i].answered && !o->history.calls[i].failed ? 1 : 0;
    }
    if (succeeded == 0) {
        haft__buf_addf(buf, "\nThe question was not answered: %s.\n",
                       o->history.count == 0 ? "no tool was called" : "every call failed");
    }
}

unsigned haft__offline_write_best(haft__buf *buf, const haft__offline *o)
{
    const haft__offline_findings *findings = &o->findings;
    unsigned shown = 0;
    for (size_t i = 0; i < findings->file_count && shown < HAFT__LIMIT_OFFLINE_REFERENCES; i++) {
        const haft__offline_line *line = haft__offline_best_line(findings, findings->ranked[i]);
        if (line != NULL) {
            haft__offline_write_place(buf, o, line);
            shown++;
        }
    }
    return shown;
}

/* ---- a file ---- */

/* Quotes the lines around the best line, as far as they are known. */
static void write_file(haft__buf *buf, const haft__offline *o, const haft__offline_file *file,
                       const haft__offline_line *best)
{
    const haft__offline_line *end = o->findings.lines + file->first + file->count;
    const haft__offline_line *first = o->findings.lines + file->first;
    uint32_t from = best->number > LINES_BEFORE ? best->number - LINES_BEFORE : 1;
    uint32_t to = from + HAFT__LIMIT_OFFLINE_QUOTED_LINES;
    size_t backquotes = 0;
    while (first->number < from) {
        first++;
    }
    for (const haft__offline_line *line = first; line < end && line->number < to; line++) {
        size_t found = haft__offline_backquotes(line->text);
        backquotes = found > backquotes ? found : backquotes;
    }
    haft__buf_add_str(buf, HAFT__LIT("\n### "));
    haft__offline_quote_code(buf, file->path, file->path.len);
    haft__buf_addf(buf, "\n\n%u line%s with words of the task.\n\n", file->matches,
                   plural(file->matches));
    haft__offline_add_fence(buf, backquotes, "text");
    for (; first < end && first->number < to; first++) {
        haft__buf_addf(buf, "%6u  ", first->number);
        haft__offline_quote_line(buf, first->text, HAFT__LIMIT_OFFLINE_LINE_CHARS);
        haft__buf_add_char(buf, '\n');
    }
    haft__offline_add_fence(buf, backquotes, "");
}

static void write_files(haft__buf *buf, const haft__offline *o)
{
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < o->findings.file_count; i++) {
        size_t file = o->findings.ranked[i];
        const haft__offline_line *best = haft__offline_best_line(&o->findings, file);
        more += best != NULL && shown == HAFT__LIMIT_OFFLINE_QUOTED_FILES ? 1 : 0;
        if (best != NULL && more == 0) {
            haft__buf_add_str(buf, shown++ == 0 ? HAFT__LIT("\n## Findings\n") : HAFT__LIT(""));
            write_file(buf, o, &o->findings.files[file], best);
        }
    }
    if (more > 0) {
        haft__buf_addf(buf, "\n%zu more file%s ha%s such lines.\n", more, plural(more),
                       more == 1 ? "s" : "ve");
    }
    if (shown == 0 && haft__offline_has_file_tools(o)) {
        haft__buf_add_str(buf, HAFT__LIT("\n## Findings\n\nNo line with words of the task was "
                                         "found.\n"));
    }
}

/* ---- other tools ---- */

bool haft__offline_is_quotable(const haft__offline_call *call)
{
    return call->answered && !call->failed
           && !haft__offline_in_list(
               call->name, "glob grep read store_artifact complete_workflow request_user_input");
}

static void write_results(haft__buf *buf, const haft__offline *o)
{
    unsigned shown = 0;
    for (size_t i = 0; i < o->history.count && shown < HAFT__LIMIT_OFFLINE_OTHERS; i++) {
        const haft__offline_call *call = &o->history.calls[i];
        if (haft__offline_is_quotable(call)) {
            haft__buf_add_str(buf, shown++ == 0 ? HAFT__LIT("\n## Results\n") : HAFT__LIT(""));
            haft__buf_add_str(buf, HAFT__LIT("\n### "));
            haft__offline_quote_code(buf, call->name, HAFT__LIMIT_TOOL_NAME_BYTES);
            haft__buf_add_str(buf, HAFT__LIT("\n\n"));
            haft__offline_quote_block(buf, haft__str_trim(call->result),
                                      HAFT__LIMIT_OFFLINE_RESULT_CHARS, RESULT_LINES);
        }
    }
}

/* Tools that were not called because a required argument is unknown. */
static void write_left_out(haft__buf *buf, const haft__offline *o)
{
    unsigned shown = 0;
    for (size_t i = 0; i < o->request->tool_count; i++) {
        const haft__tool *tool = o->request->tools[i];
        bool left_out = o->unknown[i].len > 0 && o->tallies[i].made == 0 && o->request->allowed[i]
                        && tool->role == HAFT__ROLE_DATA && !haft__offline_is_file_tool(o, i);
        if (left_out && shown < HAFT__LIMIT_OFFLINE_OTHERS) {
            haft__buf_add_str(buf, shown++ == 0 ? HAFT__LIT("\n## Not called\n\n") : HAFT__LIT(""));
            haft__buf_add_str(buf, HAFT__LIT("- "));
            haft__offline_quote_code(buf, tool->name, HAFT__LIMIT_TOOL_NAME_BYTES);
            haft__buf_add_str(buf, HAFT__LIT(": no value was found for "));
            haft__offline_quote_code(buf, o->unknown[i], HAFT__LIMIT_OFFLINE_LINE_CHARS);
            haft__buf_add_char(buf, '\n');
        }
    }
}

/* ---- the calls ---- */

static void write_step(haft__buf *buf, const haft__offline_call *call)
{
    haft__buf_add_str(buf, HAFT__LIT("- "));
    haft__offline_quote_code(buf, call->name, HAFT__LIMIT_TOOL_NAME_BYTES);
    haft_str pattern = haft__offline_argument(call, "pattern");
    haft_str subject = pattern.len > 0 ? pattern : haft__offline_argument(call, "path");
    if (subject.len > 0) {
        haft__buf_add_char(buf, ' ');
        haft__offline_quote_code(buf, subject, PATTERN_CHARS);
    }
    if (call->failed) {
        haft_str rest = call->result;
        haft__buf_add_str(buf, HAFT__LIT(" failed: "));
        haft__offline_quote_code(buf, haft__str_split(&rest, '\n'), HAFT__LIMIT_OFFLINE_LINE_CHARS);
    } else {
        haft__buf_addf(buf, "%s", haft__offline_is_partial(call) ? ": more than was returned" : "");
    }
    haft__buf_add_char(buf, '\n');
}

static void write_steps(haft__buf *buf, const haft__offline *o)
{
    size_t shown = 0;
    haft__buf_add_str(buf, HAFT__LIT("\n## How this was made\n\n"));
    if (o->words.count > 0 && has_searched(o)) {
        haft__buf_add_str(buf, HAFT__LIT("Words searched for: "));
        for (size_t i = 0; i < o->words.count; i++) {
            haft__buf_add_str(buf, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
            haft__offline_quote_code(buf, o->words.items[i].shown, PATTERN_CHARS);
        }
        haft__buf_add_str(buf, HAFT__LIT(".\n\n"));
    }
    for (size_t i = 0; i < o->history.count && shown < HAFT__LIMIT_OFFLINE_STEPS; i++) {
        if (o->history.calls[i].answered) {
            write_step(buf, &o->history.calls[i]);
            shown++;
        }
    }
    haft__buf_add_str(buf, shown == 0 ? HAFT__LIT("No tool was called.\n") : HAFT__LIT(""));
    if (o->findings.cut) {
        haft__buf_add_str(buf, HAFT__LIT("\nThe results were larger than the planner's limits; it "
                                         "used the first part.\n"));
    }
}

void haft__offline_write_report(haft__buf *buf, const haft__offline *o)
{
    write_title(buf, o);
    if (o->findings.matches > 0) {
        haft__buf_add_str(buf, HAFT__LIT("\n## Nearest to the question\n\n"));
        (void)haft__offline_write_best(buf, o);
    }
    write_files(buf, o);
    write_results(buf, o);
    write_left_out(buf, o);
    write_steps(buf, o);
}
