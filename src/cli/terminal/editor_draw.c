/* SPDX-License-Identifier: Apache-2.0 */
/*
 * editor_draw.c - writes the bytes that make a terminal show the text.
 *
 * The editor redraws all rows of its text. If text was only appended at the end, the editor sends
 * only that text. It breaks rows itself, because terminals behave differently at the last column.
 * It sends only CR, LF, BEL and the sequences for up, right and erase below (CSI A, C, J); Ctrl-L
 * also sends home and erase all (CSI H, 2J). Tests: tests/cli/terminal/editor_test.c.
 */
#include "base/str.h"
#include "base/utf8.h"
#include "cli/terminal/editor_int.h"
#include "cli/terminal/width.h"

/* The size that is used if a terminal reports a smaller size, or no size. */
#define MIN_COLUMNS 8U
#define MIN_ROWS    2U

/* A position on the terminal; the first row of the text is 0. */
typedef struct place {
    unsigned row, column;
} place;

/* The state while the text is drawn. `out` is NULL if only positions are computed. */
typedef struct drawing {
    haft__buf *out;
    unsigned columns;
    unsigned first, last; /* visible rows */
    place at;
} drawing;

static bool is_shown(const drawing *d)
{
    return d->out != NULL && d->at.row >= d->first && d->at.row <= d->last;
}

static void next_row(drawing *d)
{
    d->at = (place){d->at.row + 1, 0};
    if (is_shown(d) && d->at.row > d->first) {
        haft__buf_add_str(d->out, HAFT__LIT("\r\n"));
    }
}

/* Starts a new row if the current one has less than `cells` free cells. */
static void make_room(drawing *d, unsigned cells)
{
    if (d->at.column + cells > d->columns) {
        next_row(d);
    }
}

static void put(drawing *d, haft_str text, unsigned cells)
{
    make_room(d, cells);
    if (is_shown(d)) {
        haft__buf_add_str(d->out, text);
    }
    d->at.column += cells;
}

static void put_text(drawing *d, haft_str text)
{
    while (text.len > 0) {
        unsigned cells;
        size_t length = haft__editor_next_char(text, &cells);
        put(d, (haft_str){text.ptr, length}, cells);
        text = haft__str_skip(text, length);
    }
}

/* A tab is drawn as spaces. The text contains no other control characters. */
static void put_character(drawing *d, haft_str character, unsigned cells, unsigned indent)
{
    uint32_t code = 0;
    (void)haft__utf8_decode(character, &code);
    if (code == '\n') {
        make_room(d, 1);
        next_row(d);
        put(d, (haft_str){"                ", indent}, indent);
    } else if (code == '\t') {
        put(d, HAFT__LIT("    "), cells);
    } else if (haft__width_of_code(code) == 0) {
        make_room(d, 1);
        put(d, HAFT__LIT(" "), 1);
        put(d, character, 0);
    } else {
        put(d, character, cells);
    }
}

static unsigned width_of(haft_str text)
{
    unsigned sum = 0;
    while (text.len > 0) {
        unsigned cells;
        text = haft__str_skip(text, haft__editor_next_char(text, &cells));
        sum += cells;
    }
    return sum;
}

/* ---- drawing ---- */

static void put_prompt(drawing *d, const haft__editor *edit)
{
    if (!edit->searching) {
        put_text(d, haft__str(edit->prompt));
        return;
    }
    put_text(d, edit->not_found ? HAFT__LIT("(not found '") : HAFT__LIT("(search '"));
    put_text(d, haft__buf_str(&edit->query));
    put_text(d, HAFT__LIT("') "));
}

/* Draws the prompt and the whole text. Returns the position of the cursor. */
static place draw_text(drawing *d, const haft__editor *edit)
{
    haft_str text = haft__editor_text(edit);
    unsigned indent = width_of(haft__str(edit->prompt));
    indent = indent <= d->columns / 2 && indent <= 16 ? indent : 0;
    place cursor = {0, 0};
    put_prompt(d, edit);
    for (size_t at = 0; at < text.len;) {
        unsigned cells;
        haft_str rest = haft__str_skip(text, at);
        size_t length = haft__editor_next_char(rest, &cells);
        if (at == edit->cursor) {
            make_room(d, cells);
            cursor = d->at;
        }
        put_character(d, (haft_str){rest.ptr, length}, cells, indent);
        at += length;
    }
    make_room(d, 1); /* the cursor also needs a cell */
    return edit->cursor < text.len ? cursor : d->at;
}

/* Draws as many of the lines below the text as fit. Returns the number of rows. */
static unsigned put_below(const haft__editor *edit, unsigned columns, unsigned room, haft__buf *out)
{
    drawing d = {.out = out, .columns = columns, .last = room > 0 ? room - 1 : 0};
    haft_str rest = haft__buf_str(&edit->below);
    if (rest.len == 0 || room == 0) {
        return 0;
    }
    haft__buf_add_str(out, HAFT__LIT("\r\n"));
    while (rest.len > 0) { /* do not break words if possible */
        haft_str word = haft__str_split(&rest, ' ');
        unsigned width = width_of(word);
        if (d.at.column > 0 && d.at.column + 1 + width > columns) {
            next_row(&d);
        } else if (d.at.column > 0) {
            put(&d, HAFT__LIT(" "), 1);
        }
        put_text(&d, word);
    }
    return d.at.row < room ? d.at.row + 1 : room;
}

static void move(haft__buf *out, char how, unsigned by)
{
    if (by > 0) {
        haft__buf_addf(out, "\x1b[%u%c", by, how);
    }
}

static void draw_all(haft__editor *edit, unsigned columns, unsigned rows, haft__buf *out)
{
    drawing measure = {.columns = columns};
    place cursor = draw_text(&measure, edit);
    drawing d = {.out = out, .columns = columns};
    d.first = cursor.row >= rows ? cursor.row - rows + 1 : 0;
    d.last = d.first + rows - 1;
    if (edit->clear) {
        haft__buf_add_str(out, HAFT__LIT("\x1b[H\x1b[2J"));
    } else {
        haft__buf_add_char(out, '\r');
        move(out, 'A', edit->drawn_row);
        haft__buf_add_str(out, HAFT__LIT("\x1b[J"));
    }
    (void)draw_text(&d, edit);
    unsigned bottom = d.at.row < d.last ? d.at.row : d.last;
    unsigned below = put_below(edit, columns, rows - (bottom - d.first + 1), out);
    haft__buf_add_char(out, '\r');
    move(out, 'A', bottom + below - cursor.row);
    move(out, 'C', cursor.column);
    edit->drawn_row = cursor.row - d.first;
    edit->drawn_column = cursor.column;
}

/* Whether `text` can be appended unchanged: it has no line feed, no tab, and no mark that combines
 * with the previous character. */
static bool is_plain(haft_str text)
{
    uint32_t code = 'x';
    (void)haft__utf8_decode(text, &code);
    return haft__width_of_code(code) > 0
           && (text.len == 0
               || (memchr(text.ptr, '\n', text.len) == NULL
                   && memchr(text.ptr, '\t', text.len) == NULL));
}

/* Draws only the appended text. Returns false if the text does not fit into its row. */
static bool draw_appended(haft__editor *edit, unsigned columns, haft__buf *out)
{
    haft_str added = haft__str_skip(haft__editor_text(edit), edit->drawn);
    bool only_appended = !edit->needs_redraw && !edit->searching && edit->cursor == edit->text.len;
    unsigned cells = width_of(added);
    if (!only_appended || edit->drawn_column + cells >= columns || !is_plain(added)) {
        return false;
    }
    haft__buf_add_str(out, added);
    edit->drawn_column += cells;
    return true;
}

void haft__editor_draw(haft__editor *edit, haft__buf *out)
{
    unsigned columns = edit->columns > MIN_COLUMNS ? edit->columns : MIN_COLUMNS;
    unsigned rows = edit->rows > MIN_ROWS ? edit->rows : MIN_ROWS;
    if (!draw_appended(edit, columns, out)) {
        draw_all(edit, columns, rows, out);
    }
    if (edit->beep) {
        haft__buf_add_char(out, '\a');
    }
    edit->drawn = edit->text.len;
    edit->needs_redraw = edit->clear = edit->beep = false;
}

void haft__editor_draw_final(haft__editor *edit, haft__buf *out)
{
    edit->needs_redraw = edit->needs_redraw || edit->below.len > 0 || edit->searching
                         || edit->cursor < edit->text.len;
    haft__buf_clear(&edit->below);
    edit->searching = edit->beep = false;
    edit->cursor = edit->text.len;
    haft__editor_draw(edit, out);
    haft__buf_add_str(out, HAFT__LIT("\r\n"));
    haft__editor_reset_drawing(edit);
}

void haft__editor_reset_drawing(haft__editor *edit)
{
    edit->needs_redraw = true;
    edit->drawn = edit->drawn_row = edit->drawn_column = 0;
}
