/* SPDX-License-Identifier: Apache-2.0 */
/* editor_history.c - moves through the line history and searches in it. Tests:
 * tests/cli/terminal/editor_test.c. */
#include "base/str.h"
#include "cli/terminal/editor_int.h"

/* Replaces the text with line `index` of the history, or with the draft. */
static void show(haft__editor *edit, size_t index)
{
    if (edit->history_index == edit->history->count) {
        haft__buf_clear(&edit->draft);
        haft__buf_add_str(&edit->draft, haft__editor_text(edit));
    }
    edit->history_index = index;
    haft__editor_set(edit, index < edit->history->count ? edit->history->lines[index]
                                                        : haft__buf_str(&edit->draft));
}

void haft__editor_history_previous(haft__editor *edit)
{
    if (edit->history_index > 0) {
        show(edit, edit->history_index - 1);
    } else {
        edit->beep = true;
    }
}

void haft__editor_history_next(haft__editor *edit)
{
    if (edit->history_index < edit->history->count) {
        show(edit, edit->history_index + 1);
    } else {
        edit->beep = true;
    }
}

/* ---- search ---- */

void haft__editor_search_begin(haft__editor *edit)
{
    show(edit, edit->history_index); /* saves the draft */
    haft__buf_clear(&edit->query);
    edit->searching = true;
    edit->not_found = false;
}

/* Shows the newest line that contains the query, among the oldest `count` lines. */
static void find(haft__editor *edit, size_t count)
{
    haft_str query = haft__buf_str(&edit->query);
    edit->needs_redraw = true;
    edit->not_found = query.len > 0;
    for (size_t i = count; i-- > 0 && query.len > 0;) {
        haft_str line = edit->history->lines[i];
        const char *place = memmem(line.ptr, line.len, query.ptr, query.len);
        if (place != NULL) {
            show(edit, i);
            edit->cursor = edit->text.len >= line.len ? (size_t)(place - line.ptr) : 0;
            edit->not_found = false;
            return;
        }
    }
    edit->beep = edit->not_found;
}

/* Searches again from the newest line. */
static void find_again(haft__editor *edit)
{
    if (edit->history_index < edit->history->count) {
        show(edit, edit->history->count);
    }
    find(edit, edit->history->count);
}

/* Removes the last character of the query. */
static void shorten(haft__editor *edit)
{
    haft_str query = haft__buf_str(&edit->query);
    size_t length = query.len;
    while (length > 0 && ((unsigned char)query.ptr[--length] & 0xc0) == 0x80) {
    }
    edit->query.len = length;
    find_again(edit);
}

/* Ends the search and restores the draft. */
static void stop(haft__editor *edit)
{
    edit->searching = false;
    edit->needs_redraw = true;
    if (edit->history_index < edit->history->count) {
        show(edit, edit->history->count);
    }
}

bool haft__editor_search_key(haft__editor *edit, haft__key key, haft_str text)
{
    size_t count = edit->history->count, index = edit->history_index;
    if (key == HAFT__KEY_TEXT) {
        haft__buf_add_str(&edit->query, text);
        find(edit, index < count ? index + 1 : count);
    } else if (key == HAFT__KEY_SEARCH) {
        find(edit, index);
    } else if (key == HAFT__KEY_BACKSPACE) {
        shorten(edit);
    } else if (key == HAFT__KEY_ESCAPE || key == HAFT__KEY_INTERRUPT) {
        stop(edit);
    } else {
        edit->searching = false; /* the found line becomes the text */
        edit->needs_redraw = true;
        return false;
    }
    return true;
}
