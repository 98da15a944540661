/* SPDX-License-Identifier: Apache-2.0 */
/*
 * editor.c - the text, the cursor, and the effect of each key.
 *
 * A character is a grapheme of haft__grapheme_next: a key moves over or deletes a letter together
 * with its marks. Tests: tests/cli/terminal/editor_test.c.
 */
#include "cli/terminal/editor.h"

#include <stdarg.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/terminal/editor_int.h"
#include "cli/terminal/sanitize.h"

/* Maximum size of the text below the line: a note, or a list of completions. */
#define BELOW_BYTES (64U << 10)

void haft__editor_init(haft__editor *edit, const haft__line_history *history)
{
    *edit = (haft__editor){.history = history, .prompt = "> ", .columns = 80, .rows = 24};
    haft__keys_init(&edit->keys);
    haft__buf *bufs[] = {&edit->text, &edit->killed, &edit->scratch, &edit->draft, &edit->query};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_init(bufs[i], HAFT__LIMIT_LINE_BYTES);
    }
    haft__buf_init(&edit->below, BELOW_BYTES);
}

void haft__editor_finish(haft__editor *edit)
{
    haft__keys_finish(&edit->keys);
    haft__buf *bufs[] = {&edit->text,  &edit->killed, &edit->scratch,
                         &edit->draft, &edit->query,  &edit->below};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_finish(bufs[i]);
    }
}

void haft__editor_begin_line(haft__editor *edit)
{
    haft__buf_clear(&edit->text);
    haft__buf_clear(&edit->draft);
    haft__buf_clear(&edit->below);
    edit->cursor = 0;
    edit->history_index = edit->history->count;
    edit->searching = edit->last_was_kill = edit->clear = false;
    edit->keys.replaced = 0;
    haft__editor_reset_drawing(edit);
}

/* ---- the text ---- */

void haft__editor_set_note(haft__editor *edit, const char *format, ...)
{
    char note[200];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(note, sizeof(note), format, args);
    va_end(args);
    haft__buf_clear(&edit->below);
    haft__buf_add_str(&edit->below, haft__str(note));
    edit->needs_redraw = edit->beep = true;
}

static void note_insert_failure(haft__editor *edit, haft_status status)
{
    if (status == HAFT_TOO_BIG) {
        haft__editor_set_note(edit, "too long: a message has at most %d bytes (line.bytes)",
                              HAFT__LIMIT_LINE_BYTES);
    } else {
        haft__editor_set_note(edit, "out of memory");
    }
}

bool haft__editor_insert(haft__editor *edit, haft_str text)
{
    haft__buf *buf = &edit->text;
    if (text.len == 0) {
        return true;
    }
    char *room = haft__buf_reserve(buf, text.len);
    if (room == NULL) {
        note_insert_failure(edit, buf->status);
        buf->status = HAFT_OK; /* the text is unchanged and can still be edited */
        return false;
    }
    edit->needs_redraw = edit->needs_redraw || edit->cursor < buf->len;
    char *at = buf->ptr + edit->cursor;
    memmove(at + text.len, at, buf->len - edit->cursor);
    memcpy(at, text.ptr, text.len);
    haft__buf_advance(buf, text.len);
    edit->cursor += text.len;
    return true;
}

void haft__editor_remove(haft__editor *edit, size_t from, size_t to)
{
    haft__buf *buf = &edit->text;
    if (from < to) {
        memmove(buf->ptr + from, buf->ptr + to, buf->len - to);
        buf->len -= to - from;
        edit->needs_redraw = true;
    }
    edit->cursor = from;
}

void haft__editor_set(haft__editor *edit, haft_str text)
{
    haft__buf_clear(&edit->text);
    edit->cursor = 0;
    edit->needs_redraw = true;
    (void)haft__editor_insert(edit, text);
}

static void insert_sanitized(haft__editor *edit, haft_str text)
{
    haft__buf_clear(&edit->scratch);
    size_t replaced = haft__sanitize_text(text, &edit->scratch);
    if (edit->scratch.status != HAFT_OK) {
        note_insert_failure(edit, edit->scratch.status);
        return;
    }
    if (haft__editor_insert(edit, haft__buf_str(&edit->scratch)) && replaced > 0) {
        haft__editor_set_note(edit, "replaced bytes that are not text: %zu", replaced);
    }
}

/* ---- positions ---- */

static size_t next_of(const haft__editor *edit, size_t at)
{
    unsigned cells;
    return at + haft__editor_next_char(haft__str_skip(haft__editor_text(edit), at), &cells);
}

static size_t line_start(const haft__editor *edit, size_t at)
{
    while (at > 0 && edit->text.ptr[at - 1] != '\n') {
        at--;
    }
    return at;
}

static size_t line_end(const haft__editor *edit, size_t at)
{
    while (at < edit->text.len && edit->text.ptr[at] != '\n') {
        at++;
    }
    return at;
}

/* Returns the start of the previous character. */
static size_t previous_of(const haft__editor *edit, size_t at)
{
    size_t start = line_start(edit, at);
    if (start == at) {
        return at > 0 ? at - 1 : 0; /* the line feed */
    }
    for (size_t next; (next = next_of(edit, start)) < at;) {
        start = next;
    }
    return start;
}

static bool is_word(const haft__editor *edit, size_t at)
{
    unsigned char c = (unsigned char)edit->text.ptr[at];
    return c >= 0x80 || haft__ascii_is_alphanumeric(c) || c == '_';
}

static bool is_blank(const haft__editor *edit, size_t at)
{
    char c = edit->text.ptr[at];
    return c == ' ' || c == '\t' || c == '\n';
}

/* Returns the start of the word at or before the cursor. All bytes of a multibyte character belong
 * to a word, so single bytes are compared. */
static size_t word_left(const haft__editor *edit)
{
    size_t at = edit->cursor;
    while (at > 0 && !is_word(edit, at - 1)) {
        at--;
    }
    while (at > 0 && is_word(edit, at - 1)) {
        at--;
    }
    return at;
}

static size_t word_right(const haft__editor *edit)
{
    size_t at = edit->cursor;
    while (at < edit->text.len && !is_word(edit, at)) {
        at++;
    }
    while (at < edit->text.len && is_word(edit, at)) {
        at++;
    }
    return at;
}

/* Returns the start of the word before the cursor; only white space separates words here. */
static size_t blank_word_left(const haft__editor *edit)
{
    size_t at = edit->cursor;
    while (at > 0 && is_blank(edit, at - 1)) {
        at--;
    }
    while (at > 0 && !is_blank(edit, at - 1)) {
        at--;
    }
    return at;
}

static void move_cursor(haft__editor *edit, size_t to)
{
    edit->needs_redraw = edit->needs_redraw || to != edit->cursor;
    edit->cursor = to;
}

/* ---- moving ---- */

static void left(haft__editor *edit)
{
    move_cursor(edit, previous_of(edit, edit->cursor));
}

static void right(haft__editor *edit)
{
    move_cursor(edit, next_of(edit, edit->cursor));
}

static void home(haft__editor *edit)
{
    move_cursor(edit, line_start(edit, edit->cursor));
}

static void end(haft__editor *edit)
{
    move_cursor(edit, line_end(edit, edit->cursor));
}

static void move_word_left(haft__editor *edit)
{
    move_cursor(edit, word_left(edit));
}

static void move_word_right(haft__editor *edit)
{
    move_cursor(edit, word_right(edit));
}

static unsigned cells_between(const haft__editor *edit, size_t from, size_t to)
{
    unsigned sum = 0;
    while (from < to) {
        unsigned cells;
        haft_str rest = haft__str_skip(haft__editor_text(edit), from);
        from += haft__editor_next_char(rest, &cells);
        sum += cells;
    }
    return sum;
}

/* Moves to the line that starts at `start`, in the same column if the line is long enough. */
static void move_to_line(haft__editor *edit, size_t start)
{
    unsigned column = cells_between(edit, line_start(edit, edit->cursor), edit->cursor);
    size_t at = start, last = line_end(edit, start);
    while (at < last && cells_between(edit, start, next_of(edit, at)) <= column) {
        at = next_of(edit, at);
    }
    move_cursor(edit, at);
}

static void up(haft__editor *edit)
{
    size_t start = line_start(edit, edit->cursor);
    if (start > 0) {
        move_to_line(edit, line_start(edit, start - 1));
    } else {
        haft__editor_history_previous(edit);
    }
}

static void down(haft__editor *edit)
{
    size_t last = line_end(edit, edit->cursor);
    if (last < edit->text.len) {
        move_to_line(edit, last + 1);
    } else {
        haft__editor_history_next(edit);
    }
}

/* ---- deleting ---- */

static void backspace(haft__editor *edit)
{
    haft__editor_remove(edit, previous_of(edit, edit->cursor), edit->cursor);
}

static void delete_next(haft__editor *edit)
{
    haft__editor_remove(edit, edit->cursor, next_of(edit, edit->cursor));
}

/* Cuts text. Ctrl-Y inserts the text of consecutive cuts together. */
static void kill(haft__editor *edit, size_t from, size_t to)
{
    bool backward = to == edit->cursor && from < to;
    haft_str piece = haft__str_skip((haft_str){edit->text.ptr, to}, from);
    haft__buf *joined = &edit->scratch;
    haft__buf_clear(joined);
    haft_str before = edit->last_was_kill ? haft__buf_str(&edit->killed) : (haft_str){NULL, 0};
    haft__buf_add_str(joined, backward ? piece : before);
    haft__buf_add_str(joined, backward ? before : piece);
    if (from < to && joined->status == HAFT_OK) {
        haft__buf kept = edit->killed;
        edit->killed = *joined;
        *joined = kept;
    }
    haft__editor_remove(edit, from, to);
    edit->last_was_kill = true;
}

static void kill_end(haft__editor *edit)
{
    size_t to = line_end(edit, edit->cursor);
    bool at_end = to == edit->cursor && to < edit->text.len; /* then cut the line feed */
    kill(edit, edit->cursor, to + at_end);
}

static void kill_start(haft__editor *edit)
{
    kill(edit, line_start(edit, edit->cursor), edit->cursor);
}

static void kill_blank_word(haft__editor *edit)
{
    kill(edit, blank_word_left(edit), edit->cursor);
}

static void kill_word_left(haft__editor *edit)
{
    kill(edit, word_left(edit), edit->cursor);
}

static void kill_word_right(haft__editor *edit)
{
    kill(edit, edit->cursor, word_right(edit));
}

static void yank(haft__editor *edit)
{
    (void)haft__editor_insert(edit, haft__buf_str(&edit->killed));
}

/* Swaps the characters before and after the cursor; at the end of a line, its last two. */
static void transpose(haft__editor *edit)
{
    size_t middle = edit->cursor;
    if (middle == line_end(edit, middle)) {
        middle = previous_of(edit, middle);
    }
    size_t from = previous_of(edit, middle), to = next_of(edit, middle);
    if (middle == line_start(edit, middle) || middle >= edit->text.len) {
        return;
    }
    haft__buf_clear(&edit->scratch);
    haft__buf_add(&edit->scratch, edit->text.ptr + middle, to - middle);
    haft__buf_add(&edit->scratch, edit->text.ptr + from, middle - from);
    if (edit->scratch.status == HAFT_OK) {
        memcpy(edit->text.ptr + from, edit->scratch.ptr, to - from);
        edit->cursor = to;
        edit->needs_redraw = true;
    }
}

/* ---- other keys ---- */

static void newline(haft__editor *edit)
{
    (void)haft__editor_insert(edit, HAFT__LIT("\n"));
}

static void clear(haft__editor *edit)
{
    edit->clear = edit->needs_redraw = true;
}

void haft__editor_interrupt(haft__editor *edit)
{
    bool empty = edit->text.len == 0 && !edit->searching;
    edit->searching = false;
    edit->history_index = edit->history->count;
    haft__buf_clear(&edit->draft);
    haft__buf_clear(&edit->below);
    haft__editor_set(edit, (haft_str){NULL, 0});
    if (empty) {
        haft__editor_set_note(edit, "Ctrl-D or /quit leaves");
    }
}

static void (*const actions[HAFT__KEY_COUNT])(haft__editor *edit) = {
    [HAFT__KEY_NEWLINE] = newline,
    [HAFT__KEY_TAB] = haft__editor_complete_word,
    [HAFT__KEY_LEFT] = left,
    [HAFT__KEY_RIGHT] = right,
    [HAFT__KEY_UP] = up,
    [HAFT__KEY_DOWN] = down,
    [HAFT__KEY_PREVIOUS] = haft__editor_history_previous,
    [HAFT__KEY_NEXT] = haft__editor_history_next,
    [HAFT__KEY_HOME] = home,
    [HAFT__KEY_END] = end,
    [HAFT__KEY_WORD_LEFT] = move_word_left,
    [HAFT__KEY_WORD_RIGHT] = move_word_right,
    [HAFT__KEY_BACKSPACE] = backspace,
    [HAFT__KEY_DELETE] = delete_next,
    [HAFT__KEY_EOF] = delete_next,
    [HAFT__KEY_KILL_END] = kill_end,
    [HAFT__KEY_KILL_START] = kill_start,
    [HAFT__KEY_KILL_BLANK_WORD] = kill_blank_word,
    [HAFT__KEY_KILL_WORD_LEFT] = kill_word_left,
    [HAFT__KEY_KILL_WORD_RIGHT] = kill_word_right,
    [HAFT__KEY_YANK] = yank,
    [HAFT__KEY_TRANSPOSE] = transpose,
    [HAFT__KEY_CLEAR] = clear,
    [HAFT__KEY_SEARCH] = haft__editor_search_begin,
    [HAFT__KEY_INTERRUPT] = haft__editor_interrupt,
};

/* Handles Enter. After a backslash at the end of the text it starts another line. */
static haft__editor_result enter(haft__editor *edit)
{
    if (edit->text.len > 0 && edit->text.ptr[edit->text.len - 1] == '\\') {
        haft__editor_remove(edit, edit->text.len - 1, edit->text.len);
        newline(edit);
        return HAFT__EDITOR_MORE;
    }
    return HAFT__EDITOR_LINE;
}

static haft__editor_result apply_key(haft__editor *edit, haft__key key, haft_str text)
{
    if (key == HAFT__KEY_TEXT) {
        (void)haft__editor_insert(edit, text);
    } else if (key == HAFT__KEY_PASTE) {
        insert_sanitized(edit, text);
    } else if (key == HAFT__KEY_TOO_LONG) {
        haft__editor_set_note(edit,
                              "the pasted text is too long: a message has at most %d bytes "
                              "(line.bytes)",
                              HAFT__LIMIT_LINE_BYTES);
    } else if (key == HAFT__KEY_ENTER) {
        return enter(edit);
    } else if (key == HAFT__KEY_EOF && edit->text.len == 0) {
        return HAFT__EDITOR_END;
    } else if (key == HAFT__KEY_SUSPEND) {
        return HAFT__EDITOR_SUSPEND;
    } else if (actions[key] != NULL) {
        actions[key](edit);
    }
    return HAFT__EDITOR_MORE;
}

static haft__editor_result handle_key(haft__editor *edit, haft__key key, haft_str text)
{
    if (key == HAFT__KEY_NONE) {
        return HAFT__EDITOR_MORE;
    }
    if (edit->below.len > 0) {
        haft__buf_clear(&edit->below);
        edit->needs_redraw = true;
    }
    bool handled = edit->searching && haft__editor_search_key(edit, key, text);
    bool last_was_kill = edit->last_was_kill;
    edit->last_was_kill = false;
    if (key >= HAFT__KEY_KILL_END && key <= HAFT__KEY_KILL_WORD_RIGHT) {
        edit->last_was_kill = last_was_kill;
    }
    haft__editor_result result = handled ? HAFT__EDITOR_MORE : apply_key(edit, key, text);
    edit->key = key;
    if (edit->keys.replaced > 0) {
        edit->keys.replaced = 0;
        haft__editor_set_note(edit, "replaced bytes that are not UTF-8");
    }
    return result;
}

haft__editor_result haft__editor_feed(haft__editor *edit, char byte)
{
    haft_str text;
    haft__key key = haft__keys_feed(&edit->keys, byte, &text);
    return handle_key(edit, key, text);
}

void haft__editor_idle(haft__editor *edit)
{
    (void)handle_key(edit, haft__keys_idle(&edit->keys), (haft_str){NULL, 0});
}
