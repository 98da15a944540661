/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/editor_int.h - shared by the files of the editor. */
#ifndef HAFT_CLI_TERMINAL_EDITOR_INT_H
#define HAFT_CLI_TERMINAL_EDITOR_INT_H

#include "cli/terminal/editor.h"
#include "cli/terminal/grapheme.h"

/* Width of a tab. The editor has no tab stops. */
#define HAFT__EDITOR_TAB_CELLS 4U

/* Returns the bytes of the first character of `text`, and its width in cells. A combining mark
 * without a letter before it is drawn over a space. */
static inline size_t haft__editor_next_char(haft_str text, unsigned *ret_cells)
{
    unsigned cells;
    size_t length = haft__grapheme_next(text, &cells);
    bool tab = length > 0 && text.ptr[0] == '\t';
    *ret_cells = tab ? HAFT__EDITOR_TAB_CELLS : cells > 0 ? cells : 1;
    return length;
}

/* Inserts a text at the cursor and moves the cursor after it. If the text does not fit, shows a
 * note and returns false. */
bool haft__editor_insert(haft__editor *edit, haft_str text);

/* Removes the bytes from `from` to `to`; the cursor moves to `from`. */
void haft__editor_remove(haft__editor *edit, size_t from, size_t to);

/* Replaces the text; the cursor moves to its end. */
void haft__editor_set(haft__editor *edit, haft_str text);

/* Shows a note under the text until the next key. */
void haft__editor_set_note(haft__editor *edit, const char *format, ...) HAFT__PRINTF(2, 3);

static inline haft_str haft__editor_text(const haft__editor *edit)
{
    return haft__buf_str(&edit->text);
}

/* ---- editor_history.c ---- */

/* Shows the previous or the next line of the history. */
void haft__editor_history_previous(haft__editor *edit);
void haft__editor_history_next(haft__editor *edit);

/* Starts a search. */
void haft__editor_search_begin(haft__editor *edit);

/* Handles a key during a search. Returns false if the key ends the search and its usual effect must
 * follow. */
bool haft__editor_search_key(haft__editor *edit, haft__key key, haft_str text);

/* ---- editor_complete.c ---- */

void haft__editor_complete_word(haft__editor *edit);

#endif
