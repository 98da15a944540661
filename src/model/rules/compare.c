/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - two things side by side, as far as lines can tell: two files by the names
 * they define, two names by the places that have both and those that have one.
 *
 * Which is better, and why they differ, is nothing that rules can say. Tests:
 * tests/model/rules/short_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

/* Names of a file that are compared: the work grows with their square. */
#define MOST_NAMES 400U

typedef struct names {
    haft_str names[MOST_NAMES];
    const haft__offline_line *lines[MOST_NAMES];
    size_t count;
} names;

static bool has(const names *list, haft_str name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (haft__str_equal(list->names[i], name)) {
            return true;
        }
    }
    return false;
}

static void collect(names *list, const haft__offline *o, size_t file)
{
    const haft__offline_file *f = &o->found.files[file];
    list->count = 0;
    for (size_t i = f->first; i < f->first + f->count && list->count < MOST_NAMES; i++) {
        const haft__offline_line *line = &o->found.lines[i];
        haft_str name;
        haft__offline_form form = haft__offline_form_of(f->path, line->text, &name);
        if (form >= HAFT__OFFLINE_DECLARES && name.len > 0 && !has(list, name)) {
            list->names[list->count] = name;
            list->lines[list->count++] = line;
        }
    }
}

/* Those of `a` that `b` has, or has not. */
static void write_part(haft__buf *buf, const haft__offline *o, const char *title, const names *a,
                       const names *b, bool common)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        count += has(b, a->names[i]) == common ? 1 : 0;
    }
    haft__buf_addf(buf, "\n%s: %zu name%s that %s defined or declared\n", title, count,
                   count == 1 ? "" : "s", count == 1 ? "is" : "are");
    size_t shown = 0;
    for (size_t i = 0; i < a->count && shown < HAFT__LIMIT_OFFLINE_ALSO; i++) {
        if (has(b, a->names[i]) == common) {
            haft__buf_add_str(buf, shown++ == 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
            haft__offline_write_place(buf, o, a->lines[i]);
        }
    }
    if (count > shown) {
        haft__buf_addf(buf, "- and %zu more\n", count - shown);
    }
}

static void write_file(haft__buf *buf, const haft__offline *o, size_t file)
{
    const haft__offline_file *f = &o->found.files[file];
    haft__buf_add_str(buf, HAFT__LIT("- "));
    haft__offline_add_code(buf, f->path, f->path.len);
    haft__buf_addf(buf, ": %zu line%s read\n", f->count, f->count == 1 ? "" : "s");
}

static bool write_files(haft__buf *buf, const haft__offline *o, size_t first, size_t second)
{
    names *lists = haft__arena_array(o->arena, 2, sizeof(*lists));
    if (lists == NULL) {
        return false;
    }
    collect(&lists[0], o, first);
    collect(&lists[1], o, second);
    write_file(buf, o, first);
    write_file(buf, o, second);
    write_part(buf, o, "In both", &lists[0], &lists[1], true);
    write_part(buf, o, "Only in the first", &lists[0], &lists[1], false);
    write_part(buf, o, "Only in the second", &lists[1], &lists[0], false);
    return true;
}

/* ---- two names ---- */

/* Which of the two a file has, a bit for each. */
static uint32_t bits_of(const haft__offline *o, size_t file)
{
    const haft__offline_file *f = &o->found.files[file];
    uint32_t bits = 0;
    for (size_t i = f->first; i < f->first + f->count; i++) {
        bits |= o->found.lines[i].words & 3U;
    }
    return bits;
}

/* The best line of the word in all files. */
static void write_best(haft__buf *buf, const haft__offline *o, uint32_t bit)
{
    const haft__offline_line *best = NULL;
    for (size_t i = 0; i < o->found.line_count; i++) {
        const haft__offline_line *line = &o->found.lines[i];
        bool better = line->score > (best != NULL ? best->score : 0);
        best = (line->words & 3U) == bit && better ? line : best;
    }
    if (best != NULL) {
        haft__offline_write_place(buf, o, best);
    }
}

static void write_where(haft__buf *buf, const haft__offline *o, const char *title, uint32_t bits)
{
    size_t count = 0;
    for (size_t i = 0; i < o->found.file_count; i++) {
        count += bits_of(o, i) == bits ? 1 : 0;
    }
    haft__buf_addf(buf, "\n%s: %zu file%s", title, count, count == 1 ? "" : "s");
    size_t shown = 0;
    for (size_t i = 0; i < o->found.file_count && shown < HAFT__LIMIT_OFFLINE_REFERENCES; i++) {
        size_t file = o->found.ranked[i];
        if (bits_of(o, file) == bits) {
            haft__buf_add_str(buf, shown++ == 0 ? HAFT__LIT(": ") : HAFT__LIT(", "));
            haft__offline_add_code(buf, o->found.files[file].path, HAFT__LIMIT_OFFLINE_LINE_CHARS);
        }
    }
    haft__buf_add_str(buf, count > shown ? HAFT__LIT(", ...\n") : HAFT__LIT("\n"));
}

void haft__offline_write_compare(haft__buf *buf, const haft__offline *o)
{
    size_t first = haft__offline_meant_file(o, 0), second = haft__offline_meant_file(o, 1);
    if (o->words.path_count >= 2 && second != HAFT__OFFLINE_NONE) {
        if (!write_files(buf, o, first, second)) {
            haft__buf_fail(buf, HAFT_NO_MEMORY, "out of memory");
        }
    } else if (o->words.count >= 2) {
        write_best(buf, o, 1);
        write_best(buf, o, 2);
        write_best(buf, o, 3);
        write_where(buf, o, "With both", 3);
        write_where(buf, o, "With the first only", 1);
        write_where(buf, o, "With the second only", 2);
    } else {
        haft__buf_add_str(buf, HAFT__LIT("Two files or two names are needed to compare them.\n"));
    }
    haft__buf_addf(buf, "\n%sWhich is better, and why they differ, rules cannot say. ",
                   haft__offline_was_cut(o, "grep") || haft__offline_was_cut(o, "read")
                       ? "Results were cut, so there may be more. "
                       : "");
}
