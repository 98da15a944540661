/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - how many there are, and which: files by their endings, what a file defines,
 * lines that have the words. All of it is counted in results; where a limit cut them, the number is
 * the least there can be, and the answer says so.
 *
 * Tests: tests/model/rules/short_test.c and offline_scope_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* ---- files ---- */

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
    if (haft__str_starts_with(last, HAFT__LIT("("))) {
        last = haft__str_skip(last, 1);
        haft_str number = haft__str_split(&last, ' ');
        bool counted = haft__str_starts_with(last, HAFT__LIT("more "));
        return counted && haft__str_to_u64(number, &more) ? more : 0;
    }
    return 0;
}

static void write_files(haft__buf *buf, const haft__offline_call *call, bool tests, bool all)
{
    uint64_t more = more_of(call), count = haft__offline_count(call) + more;
    haft__buf_addf(buf, "%s%llu file%s match%s ",
                   haft__offline_is_partial(call) && more == 0 ? "At least " : "",
                   (unsigned long long)count, count == 1 ? "" : "s", count == 1 ? "es" : "");
    haft__offline_add_code(buf, haft__offline_argument(call, "pattern"),
                           HAFT__LIMIT_OFFLINE_LINE_CHARS);
    haft__buf_addf(buf, ".%s\n\n",
                   tests ? " How many tests each of them has rules cannot count." : "");
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
    bool macro = haft__str_starts_with(text, HAFT__LIT("#")) && name.len > 0 && name.ptr[0] != '#';
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

/* #include, import, from: the line takes another file in, and does not speak of it. */
static bool includes(haft_str text)
{
    text = haft__str_trim(text);
    bool hash = haft__str_starts_with(text, HAFT__LIT("#")) && has_word(text, "include");
    return hash || haft__str_starts_with(text, HAFT__LIT("import "))
           || haft__str_starts_with(text, HAFT__LIT("from "))
           || haft__str_starts_with(text, HAFT__LIT("include "));
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
    bool held = !o->words.scope.includes || includes(line->text);
    held = held && haft__offline_is_of_kind(path, &o->words.scope);
    return line->words != 0 && held && (!calls || called);
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

/* How many lines a file has: the number of the last one that was read. */
static void write_length(haft__buf *buf, const haft__offline *o, size_t file)
{
    const haft__offline_file *f = &o->found.files[file];
    haft__offline_add_code(buf, f->path, f->path.len);
    haft__buf_addf(buf, " has %s%u line%s.\n\n",
                   haft__offline_was_cut(o, "read") ? "at least " : "", f->read_to,
                   f->read_to == 1 ? "" : "s");
}

/* The lines that count, at most `most` of them shown. */
typedef struct tally {
    size_t file; /* that the task names; or HAFT__OFFLINE_NONE */
    size_t most;
    bool by_file; /* one line of each */
    size_t lines, files;
} tally;

static void go_through(haft__buf *buf, const haft__offline *o, tally *t, bool show)
{
    bool one = t->file != HAFT__OFFLINE_NONE;
    size_t last = HAFT__OFFLINE_NONE, shown = 0;
    for (size_t i = 0; i < o->found.line_count; i++) {
        const haft__offline_line *line = &o->found.lines[i];
        if (!(one ? line->file == t->file && is_wanted(o, line) : has_all(o, line))) {
            continue;
        }
        bool first = line->file != last;
        last = line->file;
        if (show && (first || !t->by_file) && shown++ < t->most) {
            haft__offline_write_place(buf, o, line);
        }
        t->lines += show ? 0 : 1;
        t->files += show || !first ? 0 : 1;
    }
}

static void write_sum(haft__buf *buf, const haft__offline *o, const tally *t)
{
    bool one = t->file != HAFT__OFFLINE_NONE;
    bool cut = haft__offline_was_cut(o, one ? "read" : "grep") || o->found.cut;
    const char *least = cut ? "At least " : "";
    if (t->by_file) {
        haft__buf_addf(buf, "%s%zu file%s ha%s lines with all the words that matter", least,
                       t->files, t->files == 1 ? "" : "s", t->files == 1 ? "s" : "ve");
        for (size_t i = 0; i < o->words.count; i++) {
            haft__buf_add_str(buf, i == 0 ? HAFT__LIT(" (") : HAFT__LIT(", "));
            haft__offline_add_code(buf, o->words.items[i].shown, HAFT__LIMIT_OFFLINE_LINE_CHARS);
        }
        haft__buf_add_str(buf, HAFT__LIT("), the first of each:\n\n"));
        return;
    }
    haft__buf_addf(buf, "%s%zu line%s in %zu file%s: %s.\n\n", least, t->lines,
                   t->lines == 1 ? "" : "s", t->files, t->files == 1 ? "" : "s",
                   one ? "definitions and declarations, by their look"
                       : "those with all the words that matter");
}

/* Whether rules can tell what is counted: lines with words, or what a file defines. */
static bool can_count(const haft__offline *o, size_t file)
{
    const haft__offline_scope *scope = &o->words.scope;
    return file != HAFT__OFFLINE_NONE
           || (o->words.count > 0 && !o->words.only_cues && !scope->other);
}

static void write_lines(haft__buf *buf, const haft__offline *o, size_t most)
{
    size_t file = o->words.path_count > 0 ? haft__offline_meant_file(o, 0) : HAFT__OFFLINE_NONE;
    tally t = {.file = file, .most = most, .by_file = haft__offline_wants_files(&o->words)};
    if (!can_count(o, file)) {
        haft__offline_write_uncounted(buf, o);
        return;
    }
    if (file != HAFT__OFFLINE_NONE && o->words.scope.lines && o->words.count == 0) {
        write_length(buf, o, file);
        return;
    }
    go_through(buf, o, &t, false);
    write_sum(buf, o, &t);
    go_through(buf, o, &t, true);
    size_t count = t.by_file ? t.files : t.lines;
    if (count > most) {
        haft__buf_addf(buf, "- and %zu more\n", count - most);
    }
    haft__buf_add_char(buf, '\n');
}

void haft__offline_write_count(haft__buf *buf, const haft__offline *o)
{
    const haft__offline_call *call = listing_of(o);
    if (call != NULL) {
        write_files(buf, call, o->words.scope.tests, false);
    } else {
        write_lines(buf, o, HAFT__LIMIT_OFFLINE_REFERENCES);
    }
}

void haft__offline_write_list(haft__buf *buf, const haft__offline *o)
{
    const haft__offline_call *call = listing_of(o);
    if (call != NULL) {
        write_files(buf, call, o->words.scope.tests, true);
    } else {
        write_lines(buf, o, HAFT__LIMIT_OFFLINE_LISTED);
    }
}
