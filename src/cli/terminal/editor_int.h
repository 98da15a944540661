/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/editor_int.h - what the files of the editor share. */
#ifndef HAFT_CLI_TERMINAL_EDITOR_INT_H
#define HAFT_CLI_TERMINAL_EDITOR_INT_H

#include "cli/terminal/editor.h"
#include "cli/terminal/grapheme.h"

/* Cells between two stops are not counted: a tab is as wide as this everywhere. */
#define HAFT__EDITOR_TAB_CELLS 4U

/* The first character of `text`, its bytes and how wide it is drawn. Marks without a letter before
 * them stand over a space. */
static inline size_t haft__editor_next_char(haft_str text, unsigned *ret_cells)
{
    unsigned cells;
    size_t length = haft__grapheme_next(text, &cells);
    bool tab = length > 0 && text.ptr[0] == '\t';
    *ret_cells = tab ? HAFT__EDITOR_TAB_CELLS : cells > 0 ? cells : 1;
    return length;
}

/* Puts a text in at the cursor, which then stands behind it. False, with a note, when it does not
 * fit. */
bool haft__editor_insert(haft__editor *edit, haft_str text);

/* Takes the bytes from `from` to `to` away; the cursor is at `from`. */
void haft__editor_remove(haft__editor *edit, size_t from, size_t to);

/* Another text, with the cursor at its end. */
void haft__editor_set(haft__editor *edit, haft_str text);

/* Says something under the text, until the next key. */
void haft__editor_set_note(haft__editor *edit, const char *format, ...) HAFT__PRINTF(2, 3);

static inline haft_str haft__editor_text(const haft__editor *edit)
{
    return haft__buf_str(&edit->text);
}

/* ---- editor_history.c ---- */

/* The line before the present one in the history, or the one behind it. */
void haft__editor_history_previous(haft__editor *edit);
void haft__editor_history_next(haft__editor *edit);

/* Starts to search. */
void haft__editor_search_begin(haft__editor *edit);

/* A key while searching; false when it ends the search and is yet to be obeyed. */
bool haft__editor_search_key(haft__editor *edit, haft__key key, haft_str text);

/* ---- editor_complete.c ---- */

void haft__editor_complete_word(haft__editor *edit);

#endif
