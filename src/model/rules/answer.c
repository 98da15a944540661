/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - the final text, the summary of a workflow, and findings for a tool that
 * writes. Tests: tests/model/rules/report_test.c.
 */
#include "base/str.h"
#include "model/rules/offline_int.h"

#define FINDING_CHARS 200U
#define TASK_CHARS    100U

/* `path:line`: `text`, in code, so that nothing in it means anything. */
static void write_line(haft__buf *buf, const haft__offline *o, const haft__offline_line *line)
{
    haft__buf_add_str(buf, HAFT__LIT("- "));
    haft__offline_add_reference(buf, o, line);
    haft__buf_add_str(buf, HAFT__LIT(": "));
    haft__offline_add_code(buf, line->text, HAFT__LIMIT_OFFLINE_LINE_CHARS);
    haft__buf_add_char(buf, '\n');
}

/* One line of each of the best files. */
static unsigned write_references(haft__buf *buf, const haft__offline *o)
{
    unsigned shown = 0;
    for (size_t i = 0; i < o->found.file_count && shown < HAFT__LIMIT_OFFLINE_REFERENCES; i++) {
        const haft__offline_line *line = haft__offline_best_line(&o->found, o->found.ranked[i]);
        if (line != NULL) {
            write_line(buf, o, line);
            shown++;
        }
    }
    return shown;
}

/* The first line of each result that is no list of files. */
static unsigned write_results(haft__buf *buf, const haft__offline *o)
{
    unsigned shown = 0;
    for (size_t i = 0; i < o->past.count && shown < HAFT__LIMIT_OFFLINE_OTHERS; i++) {
        const haft__offline_call *call = &o->past.calls[i];
        if (haft__offline_is_result(call)) {
            haft_str rest = haft__str_trim(call->result);
            haft__buf_add_str(buf, HAFT__LIT("- "));
            haft__offline_add_line(buf, call->name, HAFT__LIMIT_TOOL_NAME_BYTES);
            haft__buf_add_str(buf, HAFT__LIT(": "));
            haft__offline_add_line(buf, haft__str_split(&rest, '\n'), FINDING_CHARS);
            haft__buf_add_char(buf, '\n');
            shown++;
        }
    }
    return shown;
}

void haft__offline_write_findings(haft__buf *buf, const haft__offline *o)
{
    haft__offline_add_line(buf, o->past.task, TASK_CHARS);
    haft__buf_add_char(buf, '\n');
    unsigned shown = write_references(buf, o);
    shown += write_results(buf, o);
    haft__buf_add_str(buf, shown == 0 ? HAFT__LIT("Nothing was found.\n") : HAFT__LIT(""));
    buf->len -= buf->status == HAFT_OK ? 1 : 0; /* the last end of a line */
}

/* It changes with every call, so that no two are the same. */
void haft__offline_write_summary(haft__buf *buf, const haft__offline *o)
{
    size_t files = 0;
    for (size_t i = 0; i < o->found.file_count; i++) {
        files += o->found.files[i].hits > 0 ? 1 : 0;
    }
    haft__buf_addf(
        buf,
        "After %zu calls: %u lines with words of the task, in %zu files. Found by rules, "
        "not by a language model.",
        o->past.count, o->found.hits, files);
}

/* What it is, for somebody who gave it nothing to work with. */
static void write_introduction(haft__buf *buf)
{
    haft__buf_add_str(
        buf,
        HAFT__LIT("I am haft's offline planner: rules, not a language model. With tools I can look "
                  "for the words of a task, read what I find and quote it. Here I have no tools, "
                  "and I know nothing myself: I cannot answer from knowledge, hold a conversation, "
                  "write or reason.\n\n"
                  "Give the spec tools (for example `tools: [{builtin: [glob, grep, read]}]`), or "
                  "a language model (`--model provider:model`)."));
}

void haft__offline_write_answer(haft__buf *buf, const haft__offline *o, haft_str stored)
{
    if (stored.len == 0 && o->words.task.len == 0 && o->past.count == 0) {
        haft__buf_add_str(buf, HAFT__LIT("There is no task: say what should be found out or done. "
                                         "(haft's offline planner: rules, not a language model.)"));
        return;
    }
    if (stored.len == 0 && o->past.count == 0 && o->request->tool_count == 0) {
        write_introduction(buf);
        return;
    }
    if (stored.len == 0 && o->found.file_count > 0) {
        haft__offline_write_short(buf, o);
        return;
    }
    if (stored.len == 0) {
        haft__offline_write_report(buf, o);
        return;
    }
    haft__buf_add_str(buf, HAFT__LIT("The report is stored as "));
    haft__offline_add_line(buf, stored, FINDING_CHARS);
    haft__buf_add_str(buf, HAFT__LIT(". Nearest to the question:\n"));
    unsigned shown = write_references(buf, o);
    shown += write_results(buf, o);
    if (shown == 0) {
        haft__buf_add_str(buf, HAFT__LIT("- nothing: no line with words of the task was found\n"));
    }
    haft__buf_add_str(buf, HAFT__LIT("Found and quoted by rules, not by a language model."));
}
