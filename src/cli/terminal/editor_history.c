/* SPDX-License-Identifier: Apache-2.0 */
/* editor_history.c - moves through the line history, and searches it. Tests:
 * tests/cli/terminal/editor_test.c. */
#include "base/str.h"
#include "cli/terminal/editor_int.h"

static void show(haft__editor *edit, size_t at)
{
    if (edit->at == edit->history->count) {
        haft__buf_clear(&edit->draft);
        haft__buf_add_str(&edit->draft, haft__editor_text(edit));
    }
    edit->at = at;
    haft__editor_set(edit, at < edit->history->count ? edit->history->lines[at]
                                                     : haft__buf_str(&edit->draft));
}

void haft__editor_history_previous(haft__editor *edit)
{
    if (edit->at > 0) {
        show(edit, edit->at - 1);
    } else {
        edit->beep = true;
    }
}

void haft__editor_history_next(haft__editor *edit)
{
    if (edit->at < edit->history->count) {
        show(edit, edit->at + 1);
    } else {
        edit->beep = true;
    }
}

/* ---- search ---- */

void haft__editor_search_begin(haft__editor *edit)
{
    show(edit, edit->at); /* saves the draft */
    haft__buf_clear(&edit->query);
    edit->searching = true;
    edit->missing = false;
}

/* Finds the newest line that contains the query among the first `count`. */
static void find(haft__editor *edit, size_t count)
{
    haft_str query = haft__buf_str(&edit->query);
    edit->changed = true;
    edit->missing = query.len > 0;
    for (size_t i = count; i-- > 0 && query.len > 0;) {
        haft_str line = edit->history->lines[i];
        const char *place = memmem(line.ptr, line.len, query.ptr, query.len);
        if (place != NULL) {
            show(edit, i);
            edit->cursor = edit->text.len >= line.len ? (size_t)(place - line.ptr) : 0;
            edit->missing = false;
            return;
        }
    }
    edit->beep = edit->missing;
}

/* Searches again from the newest line. */
static void find_again(haft__editor *edit)
{
    if (edit->at < edit->history->count) {
        show(edit, edit->history->count);
    }
    find(edit, edit->history->count);
}

static void shorten(haft__editor *edit)
{
    haft_str query = haft__buf_str(&edit->query);
    size_t length = query.len;
    while (length > 0 && ((unsigned char)query.ptr[--length] & 0xc0) == 0x80) {
    }
    edit->query.len = length;
    find_again(edit);
}

static void stop(haft__editor *edit)
{
    edit->searching = false;
    edit->changed = true;
    if (edit->at < edit->history->count) {
        show(edit, edit->history->count);
    }
}

bool haft__editor_search_key(haft__editor *edit, haft__key key, haft_str text)
{
    size_t count = edit->history->count, at = edit->at;
    if (key == HAFT__KEY_TEXT) {
        haft__buf_add_str(&edit->query, text);
        find(edit, at < count ? at + 1 : count);
    } else if (key == HAFT__KEY_SEARCH) {
        find(edit, at);
    } else if (key == HAFT__KEY_BACKSPACE) {
        shorten(edit);
    } else if (key == HAFT__KEY_ESCAPE || key == HAFT__KEY_INTERRUPT) {
        stop(edit);
    } else {
        edit->searching = false; /* the found line becomes the text */
        edit->changed = true;
        return false;
    }
    return true;
}
