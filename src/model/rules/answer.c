/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - the answer: the best places as `path:line` with their lines, how much was found, and
 * what rules cannot say. If a report was stored, its name and its best places.
 *
 * Tests: tests/model/rules/answer_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

#define NAME_CHARS    200U
#define RESULT_CHARS  200U
#define COMMENT_LINES 10U

/* ---- places ---- */

/* Chosen lines, best first. */
typedef struct choice {
    const haft__offline_line
        *lines[HAFT__LIMIT_OFFLINE_REFERENCES + HAFT__LIMIT_OFFLINE_FURTHER_LINES];
    size_t count;
} choice;

static bool is_chosen(const choice *c, const haft__offline_line *line)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->lines[i] == line) {
            return true;
        }
    }
    return false;
}

/* The best line that is not chosen, in the files of the first `files` lines; NULL if there is
 * none. */
static const haft__offline_line *next_best(const choice *c, const haft__offline_findings *findings,
                                           size_t files)
{
    const haft__offline_line *best = NULL;
    for (size_t k = 0; k < files; k++) {
        const haft__offline_file *file = &findings->files[c->lines[k]->file];
        for (size_t i = file->first; i < file->first + file->count; i++) {
            const haft__offline_line *line = &findings->lines[i];
            bool better = line->score > (best != NULL ? best->score : 0);
            best = better && !is_chosen(c, line) ? line : best;
        }
    }
    return best;
}

/* One line of each of the best files, then further lines of these files. */
static void choose(choice *c, const haft__offline_findings *findings)
{
    for (size_t i = 0; i < findings->file_count && c->count < HAFT__LIMIT_OFFLINE_REFERENCES; i++) {
        const haft__offline_line *line = haft__offline_best_line(findings, findings->ranked[i]);
        if (line != NULL) {
            c->lines[c->count++] = line;
        }
    }
    size_t files = c->count;
    const haft__offline_line *best = next_best(c, findings, files);
    while (best != NULL && c->count < COUNT(c->lines)) {
        c->lines[c->count++] = best;
        best = next_best(c, findings, files);
    }
}

static void add_reference(haft__buf *buf, const haft__offline *o, const haft__offline_line *line)
{
    haft__buf place;
    haft__buf_init(&place, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_add_str(&place, o->findings.files[line->file].path);
    haft__buf_addf(&place, ":%u", line->number);
    haft__offline_quote_code(buf, haft__buf_str(&place), place.len);
    buf->status = place.status != HAFT_OK ? place.status : buf->status;
    haft__buf_finish(&place);
}

void haft__offline_write_place(haft__buf *buf, const haft__offline *o,
                               const haft__offline_line *line)
{
    haft__buf_add_str(buf, HAFT__LIT("- "));
    add_reference(buf, o, line);
    haft__buf_add_str(buf, HAFT__LIT(": "));
    haft__offline_quote_code(buf, line->text, HAFT__LIMIT_OFFLINE_LINE_CHARS);
    haft__buf_add_char(buf, '\n');
}

/* Quotes the comment above the line, as far as it was read. False if there is none. */
static bool write_comment(haft__buf *buf, const haft__offline *o, const haft__offline_line *line)
{
    const haft__offline_line *first = line;
    const haft__offline_line *begin = o->findings.lines + o->findings.files[line->file].first;
    size_t backquotes = haft__offline_backquotes(line->text);
    while (first > begin && first[-1].number + 1 == first->number
           && first[-1].kind == HAFT__OFFLINE_LINE_COMMENT && line - first < COMMENT_LINES) {
        first--;
        size_t found = haft__offline_backquotes(first->text);
        backquotes = found > backquotes ? found : backquotes;
    }
    if (first == line) {
        return false;
    }
    haft__buf_add_str(buf, HAFT__LIT("\nThe comment above "));
    add_reference(buf, o, line);
    haft__buf_add_str(buf, HAFT__LIT(":\n\n"));
    haft__offline_add_fence(buf, backquotes, "text");
    for (; first <= line; first++) {
        haft__offline_quote_line(buf, first->text, HAFT__LIMIT_OFFLINE_LINE_CHARS);
        haft__buf_add_char(buf, '\n');
    }
    haft__offline_add_fence(buf, backquotes, "");
    return true;
}

/* ---- an answer about files ---- */

static bool was_search_cut(const haft__offline *o)
{
    bool cut = o->findings.cut;
    for (size_t i = 0; i < o->history.count; i++) {
        const haft__offline_call *call = &o->history.calls[i];
        cut = cut || (haft__offline_is_call_of(call, "grep") && haft__offline_is_partial(call));
    }
    return cut;
}

/* The part of the question that rules cannot answer. */
static const char *limitation(haft__offline_question question)
{
    switch (question) {
    case HAFT__OFFLINE_QUESTION_REASON:
        return " Rules cannot explain how or why: these are places that mention it.";
    case HAFT__OFFLINE_QUESTION_MEANING:
        return " Rules cannot explain what it means: they quote what is written.";
    case HAFT__OFFLINE_QUESTION_COUNT:
        return " Nothing was counted: these are places that mention it.";
    case HAFT__OFFLINE_QUESTION_PLACE:
    case HAFT__OFFLINE_QUESTION_DEFINITION:
    case HAFT__OFFLINE_QUESTION_DECLARATION:
    case HAFT__OFFLINE_QUESTION_CALLERS:
    case HAFT__OFFLINE_QUESTION_VALUE:
    case HAFT__OFFLINE_QUESTION_DOCUMENTATION: return "";
    }
    HAFT__UNREACHABLE();
}

/* The first line of the error of a search, if none has succeeded; "" otherwise. */
static haft_str search_error(const haft__offline *o)
{
    haft_str error = HAFT__LIT("");
    for (size_t i = 0; i < o->history.count; i++) {
        const haft__offline_call *call = &o->history.calls[i];
        bool search =
            haft__offline_is_call_of(call, "grep") || haft__offline_is_call_of(call, "glob");
        if (search && call->answered && !call->failed) {
            return HAFT__LIT("");
        }
        if (search && call->failed && !call->not_run) {
            haft_str rest = haft__str_trim(call->result);
            error = haft__str_split(&rest, '\n');
        }
    }
    haft_str mark = HAFT__LIT("Error: ");
    return haft__str_starts_with(error, mark) ? haft__str_skip(error, mark.len) : error;
}

/* No place was found, or the files could not be searched. */
static void write_none(haft__buf *buf, const haft__offline *o)
{
    haft_str error = search_error(o);
    if (error.len == 0) {
        haft__buf_add_str(buf, HAFT__LIT("No line with words of the question was found.\n"));
        return;
    }
    haft__buf_add_str(buf, HAFT__LIT(HAFT__OFFLINE_UNSEARCHED));
    haft__offline_quote_line(buf, error, RESULT_CHARS);
    haft__buf_add_char(buf, '\n');
}

static void write_places(haft__buf *buf, const haft__offline *o)
{
    const haft__offline_findings *findings = &o->findings;
    choice c = {.count = 0};
    choose(&c, findings);
    for (size_t i = 0; i < c.count; i++) {
        haft__buf_add_str(buf, i == HAFT__LIMIT_OFFLINE_REFERENCES ? HAFT__LIT("\nAlso:\n\n")
                                                                   : HAFT__LIT(""));
        haft__offline_write_place(buf, o, c.lines[i]);
    }
    if (c.count == 0) {
        write_none(buf, o);
    }
    bool explained = o->words.question != HAFT__OFFLINE_QUESTION_MEANING;
    for (size_t i = 0; i < c.count && i < HAFT__LIMIT_OFFLINE_REFERENCES && !explained; i++) {
        explained =
            c.lines[i]->kind >= HAFT__OFFLINE_LINE_DECLARATION && write_comment(buf, o, c.lines[i]);
    }
    haft__buf_addf(buf, "\n%u line%s in %u file%s ha%s words of the question%s. ",
                   findings->matches, findings->matches == 1 ? "" : "s", findings->matching_files,
                   findings->matching_files == 1 ? "" : "s", findings->matches == 1 ? "s" : "ve",
                   was_search_cut(o) ? "; searches were cut, so there may be more" : "");
    haft__buf_addf(buf, "Found by rules, not by a language model.%s",
                   limitation(o->words.question));
}

/* ---- a stored report ---- */

/* The name of the last stored report; "" if there is none. */
static haft_str stored_name(const haft__offline *o)
{
    for (size_t i = o->history.count; i > 0; i--) {
        const haft__offline_call *call = &o->history.calls[i - 1];
        if (haft__offline_is_call_of(call, "store_artifact") && call->answered && !call->failed) {
            return haft__offline_argument(call, "name");
        }
    }
    return HAFT__LIT("");
}

static void write_stored(haft__buf *buf, const haft__offline *o, haft_str name)
{
    haft__buf_add_str(buf, HAFT__LIT("The report is stored as "));
    haft__offline_quote_line(buf, name, NAME_CHARS);
    haft__buf_add_str(buf, HAFT__LIT(". Nearest to the question:\n"));
    unsigned shown = haft__offline_write_best(buf, o);
    for (size_t i = 0; i < o->history.count && shown < HAFT__LIMIT_OFFLINE_OTHERS; i++) {
        const haft__offline_call *call = &o->history.calls[i];
        if (haft__offline_is_quotable(call)) {
            haft_str rest = haft__str_trim(call->result);
            haft__buf_add_str(buf, HAFT__LIT("- "));
            haft__offline_quote_line(buf, call->name, HAFT__LIMIT_TOOL_NAME_BYTES);
            haft__buf_add_str(buf, HAFT__LIT(": "));
            haft__offline_quote_line(buf, haft__str_split(&rest, '\n'), RESULT_CHARS);
            haft__buf_add_char(buf, '\n');
            shown++;
        }
    }
    if (shown == 0) {
        haft__buf_add_str(buf, HAFT__LIT("- nothing: no line with words of the task was found\n"));
    }
    haft__buf_add_str(buf, HAFT__LIT("Found and quoted by rules, not by a language model."));
}

/* The summary of a workflow. It changes with every call, so that no two are the same. */
void haft__offline_write_summary(haft__buf *buf, const haft__offline *o)
{
    haft__buf_addf(buf,
                   "After %zu calls: %u lines with words of the task, in %u files. Found by rules, "
                   "not by a language model.",
                   o->history.count, o->findings.matches, o->findings.matching_files);
}

/* ---- the answer ---- */

void haft__offline_write_answer(haft__buf *buf, const haft__offline *o)
{
    haft_str stored = stored_name(o);
    if (stored.len > 0) {
        write_stored(buf, o, stored);
    } else if (haft__offline_duty_of(o->request) != HAFT__OFFLINE_DUTY_NONE) {
        haft__offline_write_duty(buf, o);
    } else if (o->words.task.len == 0 && o->history.count == 0) {
        haft__buf_add_str(buf, HAFT__LIT("There is no task: say what should be found out or done. "
                                         "(haft's offline planner: rules, not a language model.)"));
    } else if (o->history.count == 0 && o->request->tool_count == 0) {
        haft__buf_add_str(
            buf,
            HAFT__LIT("I am haft's offline planner: rules, not a language model. With tools I can "
                      "search for the words of a task, read what I find and quote it. Here I have "
                      "no tools, and I know nothing myself: I cannot answer from knowledge, hold "
                      "a conversation, write or reason.\n\n"
                      "Give the spec tools (for example `tools: [{builtin: [glob, grep, read]}]`), "
                      "or a language model (`--model provider:model`)."));
    } else if (o->findings.file_count > 0) {
        write_places(buf, o);
    } else if (!haft__offline_write_rows(buf, o)) {
        haft__offline_write_report(buf, o);
    }
}
