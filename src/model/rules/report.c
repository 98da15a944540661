/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - the report: what was asked, what was found and where, what kinds of files
 * there are, how it was made. Every line it quotes stands in a result, with its path and number.
 * Tests: tests/model/rules/report_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/offline_int.h"

#define TITLE_CHARS   100U
#define TASK_CHARS    1000U
#define PATTERN_CHARS 100U
/* Lines of a file that are chosen for themselves, and how many around them come along. */
#define CHOSEN_LINES 5U
#define LINES_AROUND 2U
#define RESULT_LINES 20U
/* A line that scores so many times less than the best of its file is not chosen. */
#define MUCH_LESS 4U

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- what was asked ---- */

/* Whether files were looked at: otherwise no words were looked for. */
static bool has_searched(const haft__offline *o)
{
    static const char *const names[] = {"glob", "grep", "read"};
    for (size_t i = 0; i < COUNT(names) * o->past.count; i++) {
        const haft__offline_call *call = &o->past.calls[i / COUNT(names)];
        if (haft__str_equal(call->name, haft__str(names[i % COUNT(names)]))) {
            return true;
        }
    }
    return false;
}

/* That nothing was found out, and why. */
static void write_failure(haft__buf *buf, const haft__offline *o)
{
    size_t good = 0;
    for (size_t i = 0; i < o->past.count; i++) {
        good += o->past.calls[i].answered && !o->past.calls[i].failed ? 1 : 0;
    }
    if (good == 0) {
        haft__buf_addf(buf, "\nThe question was not answered: %s.\n",
                       o->past.count == 0 ? "no tool was called" : "every call failed");
    }
}

/* Tools that were left alone because nobody says what to give them. */
static void write_left_out(haft__buf *buf, const haft__offline *o)
{
    unsigned shown = 0;
    for (size_t i = 0; o->lacking != NULL && i < o->request->tool_count; i++) {
        const haft__tool *tool = o->request->tools[i];
        bool left = o->lacking[i].len > 0 && o->tallies[i].made == 0 && o->request->allowed[i]
                    && tool->role == HAFT__ROLE_DATA && !haft__offline_is_file_tool(o, i);
        if (left && shown < HAFT__LIMIT_OFFLINE_OTHERS) {
            haft__buf_add_str(buf, shown++ == 0 ? HAFT__LIT("\n## Not called\n\n") : HAFT__LIT(""));
            haft__buf_add_str(buf, HAFT__LIT("- "));
            haft__offline_add_code(buf, tool->name, HAFT__LIMIT_TOOL_NAME_BYTES);
            haft__buf_add_str(buf, HAFT__LIT(": no value was found for "));
            haft__offline_add_code(buf, o->lacking[i], HAFT__LIMIT_OFFLINE_LINE_CHARS);
            haft__buf_add_char(buf, '\n');
        }
    }
}

/* The task as a heading when it is one line, or else its beginning, and all of it below. */
static void write_title(haft__buf *buf, const haft__offline *o)
{
    haft_str task = haft__str_trim(o->past.task);
    bool fits = haft__utf8_offset(task, TITLE_CHARS) == task.len
                && (task.len == 0 || memchr(task.ptr, '\n', task.len) == NULL);
    haft__buf_add_str(buf, HAFT__LIT("# "));
    haft__offline_add_line(buf, task.len > 0 ? task : HAFT__LIT("Report"), TITLE_CHARS);
    haft__buf_addf(
        buf,
        "\n\n*Written by rules, not by a language model: haft's `offline` planner %s. It "
        "does not understand what it quotes.*\n",
        has_searched(o) ? "searched for the words of the task and quotes what it found"
                        : "calls tools with what the task says and quotes what they answer");
    if (!fits) {
        haft__buf_add_str(buf, HAFT__LIT("\n## What was asked\n\n"));
        haft_str shown = {task.ptr, haft__utf8_offset(task, TASK_CHARS)};
        size_t ticks = haft__offline_ticks(shown);
        haft__offline_add_fence(buf, ticks, "text");
        while (shown.len > 0) {
            haft__offline_add_line(buf, haft__str_split(&shown, '\n'), TASK_CHARS);
            haft__buf_add_char(buf, '\n');
        }
        haft__offline_add_fence(buf, ticks, "");
    }
}

/* ---- the best of it ---- */

void haft__offline_add_reference(haft__buf *buf, const haft__offline *o,
                                 const haft__offline_line *line)
{
    haft__buf place;
    haft__buf_init(&place, HAFT__LIMIT_REPLY_BYTES);
    haft__buf_add_str(&place, o->found.files[line->file].path);
    haft__buf_addf(&place, ":%u", line->number);
    haft__offline_add_code(buf, haft__buf_str(&place), place.len);
    buf->status = place.status != HAFT_OK ? place.status : buf->status;
    haft__buf_finish(&place);
}

static void write_best(haft__buf *buf, const haft__offline *o)
{
    unsigned shown = 0;
    for (size_t i = 0; i < o->found.file_count && shown < HAFT__LIMIT_OFFLINE_REFERENCES; i++) {
        const haft__offline_line *line = haft__offline_best_line(&o->found, o->found.ranked[i]);
        if (line == NULL) {
            continue;
        }
        if (shown++ == 0) {
            haft__buf_add_str(buf, HAFT__LIT("\n## Nearest to the question\n\n"));
        }
        haft__buf_addf(buf, "%u. ", shown);
        haft__offline_add_reference(buf, o, line);
        haft__buf_add_str(buf, HAFT__LIT(": "));
        haft__offline_add_code(buf, line->text, HAFT__LIMIT_OFFLINE_LINE_CHARS);
        haft__buf_add_char(buf, '\n');
    }
}

/* ---- a file ---- */

/* The lines of a file, and which of them are quoted. */
typedef struct excerpt {
    const haft__offline_line *lines;
    size_t count;
    bool *chosen;
    size_t best[CHOSEN_LINES], best_count;
} excerpt;

/* The line with the highest score that is not chosen; `count` when there is none left. */
static size_t best_left(const excerpt *e)
{
    size_t best = e->count;
    for (size_t i = 0; i < e->count; i++) {
        bool better = best == e->count || e->lines[i].score > e->lines[best].score;
        best = e->lines[i].score > 0 && !e->chosen[i] && better ? i : best;
    }
    return best;
}

static void choose_best(excerpt *e)
{
    while (e->best_count < CHOSEN_LINES) {
        size_t best = best_left(e);
        uint32_t first = e->best_count > 0 ? e->lines[e->best[0]].score : 0;
        if (best == e->count || e->lines[best].score < first / MUCH_LESS) {
            return;
        }
        e->chosen[best] = true;
        e->best[e->best_count++] = best;
    }
}

/* What stands beside them, the nearest first, as far as it was seen. */
static void choose_around(excerpt *e)
{
    size_t count = e->best_count;
    for (uint32_t away = 1; away <= LINES_AROUND; away++) {
        for (size_t k = 0; k < 2 * e->best_count; k++) {
            size_t centre = e->best[k / 2], at = k % 2 == 0 ? centre + away : centre - away;
            bool beside =
                at < e->count && e->lines[at].number - e->lines[centre].number + away <= 2 * away;
            if (beside && !e->chosen[at] && count < HAFT__LIMIT_OFFLINE_QUOTED_LINES) {
                e->chosen[at] = true;
                count++;
            }
        }
    }
}

static bool is_chosen(const excerpt *e, size_t at, uint32_t number)
{
    return at < e->count && e->chosen[at] && e->lines[at].number == number;
}

/* Blank lines are quoted between others only. */
static void drop_blank(excerpt *e)
{
    for (size_t k = 0; k < 2 * e->count; k++) {
        size_t i = k < e->count ? k : 2 * e->count - 1 - k; /* forth and back */
        uint32_t number = e->lines[i].number;
        bool between = is_chosen(e, i - 1, number - 1) && is_chosen(e, i + 1, number + 1);
        if (!between && haft__str_trim(e->lines[i].text).len == 0) {
            e->chosen[i] = false;
        }
    }
}

static void write_lines(haft__buf *buf, const excerpt *e)
{
    size_t ticks = 0;
    uint32_t last = 0;
    for (size_t i = 0; i < e->count; i++) {
        size_t found = e->chosen[i] ? haft__offline_ticks(e->lines[i].text) : 0;
        ticks = found > ticks ? found : ticks;
    }
    haft__offline_add_fence(buf, ticks, "text");
    for (size_t i = 0; i < e->count; i++) {
        if (!e->chosen[i]) {
            continue;
        }
        if (last > 0 && e->lines[i].number > last + 1) {
            haft__buf_add_str(buf, HAFT__LIT("       ...\n"));
        }
        last = e->lines[i].number;
        haft__buf_addf(buf, "%6u  ", last);
        haft__offline_add_line(buf, e->lines[i].text, HAFT__LIMIT_OFFLINE_LINE_CHARS);
        haft__buf_add_char(buf, '\n');
    }
    haft__offline_add_fence(buf, ticks, "");
}

/* False when there is no memory to choose with. */
static bool write_file(haft__buf *buf, const haft__offline *o, const haft__offline_file *file)
{
    bool *chosen = haft__arena_array(o->arena, file->count, sizeof(*chosen));
    if (chosen == NULL) {
        return false;
    }
    haft__buf_add_str(buf, HAFT__LIT("\n### "));
    haft__offline_add_code(buf, file->path, file->path.len);
    haft__buf_add_str(buf, HAFT__LIT("\n\n"));
    if (file->hits > 0) {
        haft__buf_addf(buf, "%u line%s with words of the task. ", file->hits, plural(file->hits));
    }
    if (file->read_from > 0) {
        haft__buf_addf(buf, "Read from line %u to %u.", file->read_from, file->read_to);
    }
    buf->len -= buf->len > 0 && buf->ptr[buf->len - 1] == ' ' ? 1 : 0;
    haft__buf_add_str(buf, HAFT__LIT("\n\n"));
    excerpt e = {.lines = o->found.lines + file->first, .count = file->count, .chosen = chosen};
    choose_best(&e);
    choose_around(&e);
    drop_blank(&e);
    write_lines(buf, &e);
    return true;
}

static void write_files(haft__buf *buf, const haft__offline *o)
{
    unsigned shown = 0;
    size_t more = 0;
    for (size_t i = 0; i < o->found.file_count; i++) {
        if (haft__offline_best_line(&o->found, o->found.ranked[i]) == NULL) {
            continue;
        }
        if (shown == HAFT__LIMIT_OFFLINE_QUOTED_FILES) {
            more++;
            continue;
        }
        if (shown++ == 0) {
            haft__buf_add_str(buf, HAFT__LIT("\n## Findings\n"));
        }
        if (!write_file(buf, o, &o->found.files[o->found.ranked[i]])) {
            haft__buf_fail(buf, HAFT_NO_MEMORY, "out of memory");
            return;
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

bool haft__offline_is_result(const haft__offline_call *call)
{
    static const char *const known[] = {
        "glob", "grep", "read", "store_artifact", "complete_workflow", "request_user_input"};
    for (size_t i = 0; i < COUNT(known); i++) {
        if (haft__str_equal(call->name, haft__str(known[i]))) {
            return false;
        }
    }
    return call->answered && !call->failed;
}

static void write_result(haft__buf *buf, const haft__offline_call *call)
{
    haft_str text = haft__str_trim(call->result);
    haft_str shown = {text.ptr, haft__utf8_offset(text, HAFT__LIMIT_OFFLINE_RESULT_CHARS)};
    bool cut = shown.len < text.len || call->cut;
    size_t ticks = haft__offline_ticks(shown);
    haft__buf_add_str(buf, HAFT__LIT("\n### "));
    haft__offline_add_code(buf, call->name, HAFT__LIMIT_TOOL_NAME_BYTES);
    haft__buf_add_str(buf, HAFT__LIT("\n\n"));
    haft__offline_add_fence(buf, ticks, "text");
    for (unsigned i = 0; shown.len > 0; i++) {
        if (i == RESULT_LINES) {
            cut = true;
            break;
        }
        haft__offline_add_line(buf, haft__str_split(&shown, '\n'),
                               HAFT__LIMIT_OFFLINE_RESULT_CHARS);
        haft__buf_add_char(buf, '\n');
    }
    haft__buf_add_str(buf, cut ? HAFT__LIT("... (cut)\n") : HAFT__LIT(""));
    haft__offline_add_fence(buf, ticks, "");
}

static void write_results(haft__buf *buf, const haft__offline *o)
{
    unsigned shown = 0;
    for (size_t i = 0; i < o->past.count && shown < HAFT__LIMIT_OFFLINE_OTHERS; i++) {
        if (haft__offline_is_result(&o->past.calls[i])) {
            if (shown++ == 0) {
                haft__buf_add_str(buf, HAFT__LIT("\n## What the tools said\n"));
            }
            write_result(buf, &o->past.calls[i]);
        }
    }
}

/* ---- kinds of files ---- */

static bool list_was_cut(const haft__offline *o)
{
    for (size_t i = 0; i < o->past.count; i++) {
        if (o->past.calls[i].cut && haft__str_equal(o->past.calls[i].name, HAFT__LIT("glob"))) {
            return true;
        }
    }
    return false;
}

static void write_kinds(haft__buf *buf, const haft__offline *o)
{
    const haft__offline_found *found = &o->found;
    if (found->kind_count == 0) {
        return;
    }
    haft__buf_addf(buf,
                   "\n## Files by kind\n\n%u file%s listed%s.\n\n| kind | files | for example |\n"
                   "|---|---:|---|\n",
                   found->listed, found->listed == 1 ? " was" : "s were",
                   list_was_cut(o) ? "; there are more" : "");
    uint32_t rest = found->listed;
    for (size_t i = 0; i < found->kind_count && i < HAFT__LIMIT_OFFLINE_KINDS; i++) {
        const haft__offline_kind *kind = &found->kinds[i];
        haft__buf_addf(buf, kind->ending.len > 0 ? "| `.%.*s` | %u | " : "| no ending%.*s | %u | ",
                       HAFT__ARG(kind->ending), kind->count);
        haft__offline_add_code(buf, kind->example, HAFT__LIMIT_OFFLINE_LINE_CHARS);
        haft__buf_add_str(buf, HAFT__LIT(" |\n"));
        rest -= kind->count;
    }
    if (rest > 0) {
        haft__buf_addf(buf, "| others | %u | |\n", rest);
    }
}

/* ---- how it was made ---- */

static void add_argument(haft__buf *buf, const haft__offline_call *call, const char *before,
                         const char *key)
{
    haft_str text = haft__offline_argument(call, key);
    if (text.len > 0) {
        haft__buf_addf(buf, "%s", before);
        haft__offline_add_code(buf, text, PATTERN_CHARS);
    }
}

static void write_step(haft__buf *buf, const haft__offline *o, const haft__offline_call *call)
{
    haft__buf_add_str(buf, HAFT__LIT("- "));
    haft__offline_add_code(buf, call->name, HAFT__LIMIT_TOOL_NAME_BYTES);
    if (!haft__offline_add_round(buf, &o->words, haft__offline_argument(call, "pattern"))) {
        add_argument(buf, call, " for ", "pattern");
    }
    add_argument(buf, call, " in ", "glob");
    add_argument(buf, call, " of ", "path");
    if (call->failed) {
        haft_str rest = call->result;
        haft__buf_add_str(buf, HAFT__LIT(" failed: "));
        haft__offline_add_code(buf, haft__str_split(&rest, '\n'), HAFT__LIMIT_OFFLINE_LINE_CHARS);
    } else {
        size_t count = haft__offline_count(call);
        bool files = haft__str_equal(call->name, HAFT__LIT("glob"));
        haft__buf_addf(buf, ": %zu %s%s%s", count, files ? "file" : "line", plural(count),
                       call->cut ? ", cut" : "");
    }
    haft__buf_add_char(buf, '\n');
}

static void write_steps(haft__buf *buf, const haft__offline *o)
{
    size_t shown = 0;
    haft__buf_add_str(buf, HAFT__LIT("\n## How this was made\n\n"));
    if (o->words.count > 0 && has_searched(o)) {
        haft__buf_addf(buf, "Taken for a question about %s.\n",
                       haft__offline_aim_name(o->words.aim));
        haft__buf_add_str(buf, HAFT__LIT("Words looked for: "));
        for (size_t i = 0; i < o->words.count; i++) {
            haft__buf_add_str(buf, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
            haft__offline_add_code(buf, o->words.items[i].shown, PATTERN_CHARS);
        }
        haft__buf_add_str(buf, HAFT__LIT(".\n\n"));
    }
    for (size_t i = 0; i < o->past.count && shown < HAFT__LIMIT_OFFLINE_STEPS; i++) {
        if (o->past.calls[i].answered) {
            write_step(buf, o, &o->past.calls[i]);
            shown++;
        }
    }
    haft__buf_add_str(buf, shown == 0 ? HAFT__LIT("No tool was called.\n") : HAFT__LIT(""));
    if (o->found.cut) {
        haft__buf_add_str(buf, HAFT__LIT("\nThere was more than could be kept in mind; the first "
                                         "of it was looked at.\n"));
    }
}

void haft__offline_write_report(haft__buf *buf, const haft__offline *o)
{
    write_title(buf, o);
    write_failure(buf, o);
    write_best(buf, o);
    write_files(buf, o);
    write_results(buf, o);
    write_left_out(buf, o);
    write_kinds(buf, o);
    write_steps(buf, o);
}
