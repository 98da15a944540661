/* SPDX-License-Identifier: Apache-2.0 */
/* editor_complete.c - completion with the Tab key. Tests: tests/cli/terminal/editor_test.c. */
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/terminal/editor_int.h"

/* Returns the common prefix of all candidates, in whole characters. */
static haft_str common_start(haft_str candidates, size_t *ret_count)
{
    haft_str first = {NULL, 0};
    *ret_count = 0;
    while (candidates.len > 0) {
        haft_str one = haft__str_split(&candidates, '\n');
        first = *ret_count == 0 ? one : first;
        size_t same = 0;
        while (same < one.len && same < first.len && one.ptr[same] == first.ptr[same]) {
            same++;
        }
        first.len = haft__utf8_floor(first, same);
        ++*ret_count;
    }
    return first;
}

static void list(haft__editor *edit, haft_str candidates, size_t count)
{
    haft__buf_clear(&edit->below);
    for (size_t i = 0; i < count && i < HAFT__LIMIT_LINE_COMPLETIONS; i++) {
        haft__buf_add_str(&edit->below, haft__str_split(&candidates, '\n'));
        haft__buf_add_str(&edit->below, HAFT__LIT("  "));
    }
    if (count > HAFT__LIMIT_LINE_COMPLETIONS) {
        haft__buf_addf(&edit->below, "... and %zu more", count - HAFT__LIMIT_LINE_COMPLETIONS);
    }
    edit->below.status = HAFT_OK; /* a truncated list is acceptable */
    edit->needs_redraw = true;
}

static void put(haft__editor *edit, size_t from, haft_str text, bool only)
{
    haft__editor_remove(edit, from, edit->cursor);
    bool fits = haft__editor_insert(edit, text);
    bool done = only && text.len > 0 && text.ptr[text.len - 1] != '/';
    if (fits && done && edit->cursor == edit->text.len) {
        (void)haft__editor_insert(edit, HAFT__LIT(" "));
    }
}

void haft__editor_complete_word(haft__editor *edit)
{
    haft__buf candidates;
    haft_str before = {edit->text.ptr, edit->cursor};
    size_t from = edit->cursor, count = 0;
    haft__buf_init(&candidates, HAFT__LIMIT_LINE_BYTES);
    if (edit->complete != NULL) {
        edit->complete(edit->context, before, &from, &candidates);
    }
    haft_str all = haft__buf_str(&candidates);
    haft_str common = common_start(all, &count);
    size_t there = edit->cursor - from;
    if (count == 0) {
        edit->beep = true;
    } else if (count == 1 || common.len > there) {
        put(edit, from, common, count == 1);
    } else {
        list(edit, all, count);
    }
    haft__buf_finish(&candidates);
}
