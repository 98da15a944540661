/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overview.c - a file or a tree in short: its headings, the comment at its top, what it
 * defines, and how much of each there is. Nothing of it is understood; it is chosen by its look.
 *
 * Tests: tests/model/rules/short_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

/* Lines at the top of a file that may introduce it. */
#define TOP_LINES 12U

static bool is_heading(const haft__offline *o, const haft__offline_line *line)
{
    haft_str path = o->found.files[line->file].path, name;
    haft__offline_form form = haft__offline_form_of(path, line->text, &name);
    bool heading = name.len > 0 && name.ptr[0] == '#';
    bool docs = haft__offline_class_of(path) == HAFT__OFFLINE_DOCS;
    return form >= HAFT__OFFLINE_DECLARES && heading == docs && name.len > 1;
}

/* Something is said in it: letters, and no licence. */
static bool is_said(haft_str text)
{
    haft__offline_word licence = {.text = HAFT__LIT("SPDX"), .exact = true};
    size_t letters = 0;
    for (size_t i = 0; i < text.len; i++) {
        letters += (text.ptr[i] >= 'a' && text.ptr[i] <= 'z') ? 1 : 0;
    }
    return letters >= 8 && !haft__offline_word_in(&licence, text);
}

/* The first lines of a file that say something, then its headings or definitions. */
static void write_file(haft__buf *buf, const haft__offline *o, size_t file)
{
    const haft__offline_file *f = &o->found.files[file];
    const haft__offline_line *lines = o->found.lines + f->first;
    size_t shown = 0, headings = 0, comments = 0;
    for (size_t i = 0; i < f->count; i++) {
        bool top = lines[i].number <= TOP_LINES && is_said(lines[i].text);
        if (top && shown < HAFT__LIMIT_OFFLINE_REFERENCES) {
            haft__offline_write_place(buf, o, &lines[i]);
            shown++;
        }
        headings += is_heading(o, &lines[i]) ? 1 : 0;
        comments += lines[i].form == HAFT__OFFLINE_EXPLAINS ? 1 : 0;
    }
    bool docs = haft__offline_class_of(f->path) == HAFT__OFFLINE_DOCS;
    haft__buf_addf(buf, "\n%s%zu lines: %zu %s, %zu of comment.\n\n",
                   haft__offline_was_cut(o, "read") ? "At least " : "", f->count, headings,
                   docs ? "headings" : "definitions and declarations", comments);
    shown = 0;
    for (size_t i = 0; i < f->count && shown < HAFT__LIMIT_OFFLINE_LISTED; i++) {
        if (is_heading(o, &lines[i])) {
            haft__offline_write_place(buf, o, &lines[i]);
            shown++;
        }
    }
    if (headings > shown) {
        haft__buf_addf(buf, "- and %zu more\n", headings - shown);
    }
}

/* The directory at the beginning of a path, or of what is left of it below the place that is asked
 * for; "" for a file that is in none. */
static haft_str top_of(haft_str path, haft_str place)
{
    if (place.len > 0 && place.ptr[0] != '*' && haft__offline_is_below(path, place)) {
        path = haft__str_skip(path, place.len + 1);
    }
    haft_str rest = path, top = haft__str_split(&rest, '/');
    return top.len < path.len ? top : HAFT__LIT("");
}

/* How many files lie below each directory: glob lists them in order, so that they are together. */
static void write_directories(haft__buf *buf, const haft__offline *o)
{
    haft_str last = HAFT__LIT("");
    size_t count = 0, shown = 0;
    for (size_t i = 0; i <= o->found.file_count; i++) {
        const haft__offline_file *file = i < o->found.file_count ? &o->found.files[i] : NULL;
        haft_str top =
            file != NULL && file->listed ? top_of(file->path, o->words.scope.place) : HAFT__LIT("");
        if (count > 0 && !haft__str_equal(top, last) && shown < HAFT__LIMIT_OFFLINE_LISTED) {
            haft__buf_add_str(buf, shown++ == 0 ? HAFT__LIT("\nDirectories: ") : HAFT__LIT(", "));
            haft__offline_add_code(buf, last, HAFT__LIMIT_OFFLINE_LINE_CHARS);
            haft__buf_addf(buf, " %zu", count);
        }
        count = haft__str_equal(top, last) ? count : 0;
        count += top.len > 0 ? 1 : 0;
        last = top;
    }
    haft__buf_add_str(buf, shown > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
}

/* Of a place its own listing counts, whatever became of that of all files. */
static bool list_was_cut(const haft__offline *o)
{
    haft_str place = o->words.scope.place;
    for (size_t i = 0; place.len > 0 && i < o->past.count; i++) {
        const haft__offline_call *call = &o->past.calls[i];
        haft_str pattern = haft__offline_argument(call, "pattern");
        if (haft__str_equal(call->name, HAFT__LIT("glob")) && call->answered
            && haft__str_equal(pattern, o->words.scope.glob)) {
            return haft__offline_is_partial(call);
        }
    }
    return haft__offline_was_cut(o, "glob");
}

static void write_tree(haft__buf *buf, const haft__offline *o)
{
    const haft__offline_found *found = &o->found;
    haft__buf_addf(buf, "\n%s%u files", list_was_cut(o) ? "At least " : "", found->listed);
    for (size_t i = 0; i < found->kind_count && i < HAFT__LIMIT_OFFLINE_KINDS; i++) {
        haft_str ending = found->kinds[i].ending;
        haft__buf_addf(buf, "%s%u ", i == 0 ? ": " : ", ", found->kinds[i].count);
        if (ending.len > 0) {
            haft__buf_add_str(buf, HAFT__LIT("`."));
            haft__offline_add_line(buf, ending, ending.len);
            haft__buf_add_char(buf, '`');
        } else {
            haft__buf_add_str(buf, HAFT__LIT("without an ending"));
        }
    }
    haft__buf_add_str(buf, HAFT__LIT(".\n"));
    write_directories(buf, o);
}

void haft__offline_write_overview(haft__buf *buf, const haft__offline *o)
{
    size_t file = haft__offline_meant_file(o, 0);
    bool tree = o->words.path_count == 0;
    for (size_t i = 0; file != HAFT__OFFLINE_NONE && i < HAFT__OFFLINE_HINTS; i++) {
        write_file(buf, o, file);
        file = tree ? HAFT__OFFLINE_NONE : haft__offline_meant_file(o, i + 1);
    }
    if (tree) {
        write_tree(buf, o);
    }
    haft__buf_add_str(buf,
                      HAFT__LIT("\nWhat matters in it rules cannot judge: these are its headings "
                                "and first lines. "));
}
