/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offline_count.c - how many there are, and which: files by their endings, what a file defines,
 * lines that have the words. All of it is counted in results; where a limit cut them, the number is
 * the least there can be, and the answer says so.
 *
 * Tests: tests/model/offline_short_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/offline_chars.h"
#include "model/offline_int.h"

/* ---- files ---- */

static const struct {
    const char *word, *pattern;
} kinds[] = {
    {"header", "**/*.h"},
    {"headers", "**/*.h"},
    {"markdown", "**/*.md"},
    {"python", "**/*.py"},
    {"documents", "**/*.md"},
    {"yaml", "**/*.yaml"},
    {"json", "**/*.json"},
    {".c", "**/*.c"},
    {".h", "**/*.h"},
    {".py", "**/*.py"},
    {".md", "**/*.md"},
    {".sh", "**/*.sh"},
    {"makefiles", "**/Makefile*"},
    {"readmes", "**/README*"},
};

/* Whether the task has the word, in any case. */
static bool has_word(haft_str task, const char *word)
{
    haft_str wanted = haft__str(word);
    for (size_t i = 0; i + wanted.len <= task.len; i++) {
        size_t k = 0, end = i + wanted.len;
        while (k < wanted.len && to_lower(task.ptr[i + k]) == wanted.ptr[k]) {
            k++;
        }
        bool starts = i == 0 || !is_of_name(task.ptr[i - 1]);
        bool ends = end == task.len || !is_of_name(task.ptr[end]);
        if (k == wanted.len && starts && ends) {
            return true;
        }
    }
    return false;
}

haft_str haft__offline_counted_files(const haft__offline_words *words)
{
    bool counts = words->aim == HAFT__OFFLINE_AIM_COUNT || words->aim == HAFT__OFFLINE_AIM_LIST;
    if (!counts || words->path_count > 0) {
        return HAFT__LIT("");
    }
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (has_word(words->task, kinds[i].word)) {
            return haft__str(kinds[i].pattern);
        }
    }
    bool only = words->count == 0 && has_word(words->task, "files");
    return only ? HAFT__LIT("**/*") : HAFT__LIT("");
}

/* The listing of the files that are counted; NULL when there is none. */
static const haft__offline_call *listing_of(const haft__offline *o)
{
    haft_str pattern = haft__offline_counted_files(&o->words);
    for (size_t i = 0; pattern.len > 0 && i < o->past.count; i++) {
        const haft__offline_call *call = &o->past.calls[i];
        bool good =
            haft__str_equal(call->name, HAFT__LIT("glob")) && call->answered && !call->failed;
        if (good && haft__str_equal(haft__offline_argument(call, "pattern"), pattern)) {
            return call;
        }
    }
    return NULL;
}

/* The number in "(12 more files match ...)" at the end of a listing; 0 when there is none. */
static uint64_t more_of(const haft__offline_call *call)
{
    haft_str text = haft__str_trim(call->result);
    size_t start = text.len;
    while (start > 0 && text.ptr[start - 1] != '\n') {
        start--;
    }
    haft_str last = haft__str_skip(text, start);
    uint64_t more = 0;
    if (haft__str_starts(last, HAFT__LIT("("))) {
        last = haft__str_skip(last, 1);
        haft_str number = haft__str_split(&last, ' ');
        bool counted = haft__str_starts(last, HAFT__LIT("more "));
        return counted && haft__str_to_u64(number, &more) ? more : 0;
    }
    return 0;
}

static void write_files(haft__buf *buf, const haft__offline_call *call, bool all)
{
    uint64_t more = more_of(call), count = haft__offline_count(call) + more;
    haft__buf_addf(buf, "%s%llu file%s match ",
                   haft__offline_is_partial(call) && more == 0 ? "At least " : "",
                   (unsigned long long)count, count == 1 ? "" : "s");
    haft__offline_add_code(buf, haft__offline_argument(call, "pattern"),
                           HAFT__LIMIT_OFFLINE_LINE_CHARS);
    haft__buf_add_str(buf, HAFT__LIT(".\n\n"));
    haft_str rest = call->result;
    uint64_t shown = 0, most = all ? HAFT__LIMIT_OFFLINE_LISTED : HAFT__LIMIT_OFFLINE_REFERENCES;
    for (; rest.len > 0 && shown < most && shown + more < count; shown++) {
        haft__buf_add_str(buf, HAFT__LIT("- "));
        haft__offline_add_code(buf, haft__str_split(&rest, '\n'), HAFT__LIMIT_OFFLINE_LINE_CHARS);
        haft__buf_add_char(buf, '\n');
    }
    if (count > shown) {
        haft__buf_addf(buf, "- and %llu more\n", (unsigned long long)(count - shown));
    }
    haft__buf_add_char(buf, '\n');
}

/* ---- lines ---- */

/* What is counted in a file that the task names: functions, macros, structs; all of it otherwise.
 */
static bool is_wanted(const haft__offline *o, const haft__offline_line *line)
{
    haft_str task = o->words.task, name, text = haft__str_trim(line->text);
    haft_str path = o->found.files[line->file].path;
    haft__offline_form form = haft__offline_form_of(path, line->text, &name);
    if (form < HAFT__OFFLINE_DECLARES) {
        return false;
    }
    bool macro = haft__str_starts(text, HAFT__LIT("#")) && name.len > 0 && name.ptr[0] != '#';
    bool type =
        haft__offline_names(text, HAFT__LIT("struct")) && memchr(text.ptr, '(', text.len) == NULL;
    bool call = memchr(text.ptr, '(', text.len) != NULL && !macro;
    if (has_word(task, "functions") || has_word(task, "function")) {
        return call;
    }
    if (has_word(task, "macros") || has_word(task, "macro")) {
        return macro;
    }
    return has_word(task, "structs") ? type : true;
}

/* Whether a line counts: one that uses the name, where a name is asked for, or one that has all the
 * words that matter. */
static bool has_all(const haft__offline *o, const haft__offline_line *line)
{
    haft_str path = o->found.files[line->file].path;
    bool calls = has_word(o->words.task, "called") || has_word(o->words.task, "calls");
    bool called = false;
    for (size_t i = 0; i < o->words.count; i++) {
        const haft__offline_word *word = &o->words.items[i];
        if ((line->words >> i & 1U) == 0 && !word->weak) {
            return false;
        }
        called =
            called || haft__offline_use_of(path, line->text, word->shown) == HAFT__OFFLINE_CALLS;
    }
    return line->words != 0 && (!calls || called);
}

size_t haft__offline_meant_file(const haft__offline *o, size_t nth)
{
    for (size_t i = 0; i < o->found.file_count; i++) {
        const haft__offline_file *file = &o->found.files[o->found.ranked[i]];
        if (file->read_from == 1 && nth-- == 0) {
            return o->found.ranked[i];
        }
    }
    return HAFT__OFFLINE_NONE;
}

/* The lines that count, at most `most` of them shown. */
static void write_lines(haft__buf *buf, const haft__offline *o, size_t most)
{
    size_t file = o->words.path_count > 0 ? haft__offline_meant_file(o, 0) : HAFT__OFFLINE_NONE;
    bool one = file != HAFT__OFFLINE_NONE;
    size_t count = 0, files = 0, last = HAFT__OFFLINE_NONE;
    for (size_t pass = 0; pass < 2; pass++) {
        size_t shown = 0;
        for (size_t i = 0; i < o->found.line_count; i++) {
            const haft__offline_line *line = &o->found.lines[i];
            bool counts = one ? line->file == file && is_wanted(o, line) : has_all(o, line);
            if (counts && pass == 0) {
                count++;
                files += line->file != last ? 1 : 0;
                last = line->file;
            } else if (counts && shown++ < most) {
                haft__offline_write_place(buf, o, line);
            }
        }
        if (pass == 0) {
            bool cut = one ? haft__offline_was_cut(o, "read") : haft__offline_was_cut(o, "grep");
            haft__buf_addf(buf, "%s%zu line%s in %zu file%s: %s.\n\n", cut ? "At least " : "",
                           count, count == 1 ? "" : "s", files, files == 1 ? "" : "s",
                           one ? "definitions and declarations, by their look"
                               : "those with all the words that matter");
        }
    }
    if (count > most) {
        haft__buf_addf(buf, "- and %zu more\n", count - most);
    }
    haft__buf_add_char(buf, '\n');
}

void haft__offline_write_count(haft__buf *buf, const haft__offline *o)
{
    const haft__offline_call *call = listing_of(o);
    if (call != NULL) {
        write_files(buf, call, false);
    } else {
        write_lines(buf, o, HAFT__LIMIT_OFFLINE_REFERENCES);
    }
}

void haft__offline_write_list(haft__buf *buf, const haft__offline *o)
{
    const haft__offline_call *call = listing_of(o);
    if (call != NULL) {
        write_files(buf, call, true);
    } else {
        write_lines(buf, o, HAFT__LIMIT_OFFLINE_LISTED);
    }
}
