/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/cli/terminal/editor.c, keys.c, editor_draw.c, editor_history.c and
 * editor_complete.c.
 *
 * The editor draws on a model of a terminal (grid, below). The test compares the content of the
 * grid with a plain layout of the text: the drawing is right if both are equal.
 */
#include "cli/terminal/editor.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "cli/terminal/grapheme.h"
#include "cli/terminal/width.h"
#include "test.h"

#define ROWS    40
#define COLUMNS 120

/* ---- a terminal ---- */

/* A cell has a character with its marks; the right half of a wide one is "". */
typedef struct grid {
    unsigned rows, columns, row, column;
    bool wraps; /* the last column has been written: the next character goes below */
    char cells[ROWS][COLUMNS][16];
    unsigned beeps, unknown;
} grid;

static void wipe(grid *g, unsigned row, unsigned column)
{
    for (unsigned r = row; r < g->rows; r++) {
        for (unsigned c = r == row ? column : 0; c < g->columns; c++) {
            (void)snprintf(g->cells[r][c], sizeof(g->cells[r][c]), " ");
        }
    }
}

static grid *make_grid(unsigned rows, unsigned columns)
{
    grid *g = test_alloc(sizeof(*g));
    *g = (grid){.rows = rows, .columns = columns};
    wipe(g, 0, 0);
    return g;
}

static void feed_line(grid *g)
{
    if (++g->row == g->rows) {
        g->row--;
        memmove(g->cells[0], g->cells[1], sizeof(g->cells[0]) * (g->rows - 1));
        wipe(g, g->row, 0);
    }
}

static void show_character(grid *g, haft_str text, unsigned cells)
{
    if (cells == 0) { /* a mark joins the character before it */
        unsigned column = g->wraps ? g->column : g->column - (g->column > 0);
        column -= column > 0 && g->cells[g->row][column][0] == '\0';
        char *cell = g->cells[g->row][column];
        size_t length = strlen(cell);
        (void)snprintf(cell + length, 16 - length, "%.*s", HAFT__ARG(text));
        return;
    }
    if (g->wraps || g->column + cells > g->columns) {
        g->column = 0;
        feed_line(g);
    }
    (void)snprintf(g->cells[g->row][g->column], 16, "%.*s", HAFT__ARG(text));
    if (cells == 2) {
        g->cells[g->row][g->column + 1][0] = '\0';
    }
    g->column += cells;
    g->wraps = g->column == g->columns;
    g->column -= g->wraps;
}

static haft_str obey_sequence(grid *g, haft_str text)
{
    unsigned number = 0, at = 2;
    for (; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++) {
        number = 10 * number + (unsigned)(text.ptr[at] - '0');
    }
    unsigned by = number > 0 ? number : 1;
    g->wraps = false;
    switch (at < text.len ? text.ptr[at] : 0) {
    case 'A': g->row -= by < g->row ? by : g->row; break;
    case 'C': g->column = g->column + by < g->columns ? g->column + by : g->columns - 1; break;
    case 'H': g->row = g->column = 0; break;
    case 'J': wipe(g, number == 2 ? 0 : g->row, number == 2 ? 0 : g->column); break;
    default: g->unknown++; break;
    }
    return haft__str_skip(text, at + 1);
}

static void show(grid *g, haft_str text)
{
    while (text.len > 0) {
        uint32_t code = 0;
        size_t length = haft__utf8_decode(text, &code);
        if (code == 0x1b) {
            text = obey_sequence(g, text);
            continue;
        }
        if (code == '\r') {
            g->column = 0;
            g->wraps = false;
        } else if (code == '\n') {
            feed_line(g);
        } else if (code == '\a') {
            g->beeps++;
        } else if (length == 0 || code < ' ' || code == 0x7f) {
            g->unknown++;
        } else {
            show_character(g, (haft_str){text.ptr, length}, haft__width_of_code(code));
        }
        text = haft__str_skip(text, length > 0 ? length : 1);
    }
}

/* The screen as text: rows end with '|', without the spaces at their ends; the last empty ones are
 * left out. The text is valid until the next call. */
static haft_str screen(const grid *g)
{
    static char text[ROWS * (COLUMNS * 16 + 2)];
    size_t length = 0, kept = 0;
    for (unsigned r = 0; r < g->rows; r++) {
        size_t row_kept = length;
        for (unsigned c = 0; c < g->columns; c++) {
            size_t size = strlen(g->cells[r][c]);
            memcpy(text + length, g->cells[r][c], size);
            length += size;
            row_kept = strcmp(g->cells[r][c], " ") != 0 ? length : row_kept;
        }
        kept = row_kept > (kept > 0 ? kept : 0) ? row_kept + 1 : kept;
        length = row_kept;
        text[length++] = '|';
        kept = r == 0 && kept == 0 ? 0 : kept;
    }
    while (length > 0 && text[length - 1] == '|' && (length == 1 || text[length - 2] == '|')) {
        length--;
    }
    return (haft_str){text, length};
}

/* ---- an editor with a terminal ---- */

typedef struct desk {
    haft__line_history history;
    haft__editor edit;
    grid *grid;
    haft__editor_result result;
} desk;

static void draw(desk *d)
{
    haft__buf out;
    haft__buf_init(&out, 16 << 20);
    haft__editor_draw(&d->edit, &out);
    show(d->grid, haft__buf_str(&out));
    CHECK_INT(out.status, HAFT_OK, "status of drawing");
    haft__buf_finish(&out);
}

static void open_desk(desk *d, unsigned rows, unsigned columns)
{
    haft__line_history_init(&d->history);
    haft__editor_init(&d->edit, &d->history);
    d->edit.rows = rows;
    d->edit.columns = columns;
    d->grid = make_grid(rows, columns);
    d->result = HAFT__EDITOR_MORE;
    haft__editor_begin_line(&d->edit);
    draw(d);
}

static void close_desk(desk *d)
{
    CHECK_INT(d->grid->unknown, 0, "sequences that the terminal does not know");
    haft__editor_finish(&d->edit);
    haft__line_history_finish(&d->history);
}

/* Types the keys. Draws after each key if `each`, otherwise once at the end. */
static void type(desk *d, haft_str keys, bool each)
{
    for (size_t i = 0; i < keys.len && d->result == HAFT__EDITOR_MORE; i++) {
        d->result = haft__editor_feed(&d->edit, keys.ptr[i]);
        if (each && !haft__keys_pending(&d->edit.keys)) {
            draw(d);
        }
    }
    draw(d);
}

static haft_str text_of(const desk *d)
{
    return haft__buf_str(&d->edit.text);
}

/* ---- keys ---- */

#define A       "\x01"
#define B       "\x02"
#define K       "\x0b"
#define E_ACUTE "e\xcc\x81"
#define WIDE    "\xe4\xb8\xad"

TEST(keys_edit_the_text)
{
    static const struct {
        const char *keys, *text;
        size_t cursor;
    } cases[] = {
        {"", "", 0},
        {"abc", "abc", 3},
        {"abc\x7f", "ab", 2},
        {"abc\b\b", "a", 1},
        {"\x7f", "", 0},
        {"abc" A "x", "xabc", 1},
        {"abc" A "\x05x", "abcx", 4},
        {"abc" B B "x", "axbc", 2},
        {"abc" A "\x06x", "axbc", 2},
        {"abc\x1b[D\x1b[Dx\x1b[Cy", "axbyc", 4},
        {"abc\x1bOD\x1bODx\x1bOCy", "axbyc", 4},
        {"abc\x1b[Hx\x1b[Fy", "xabcy", 5},
        {"abc\x1b[1~x\x1b[4~y", "xabcy", 5},
        {"abc\x1b[7~x\x1b[8~y", "xabcy", 5},
        {"abc\x1bOHx\x1bOFy", "xabcy", 5},
        {"abc" A "\x1b[3~", "bc", 0},
        {"abc" A "\x04", "bc", 0},
        {"abc\x1b[3~\x04", "abc", 3},
        {"one two\x1b"
         "b",
         "one two", 4},
        {"one two\x1b[1;5D\x1b[1;3D", "one two", 0},
        {"one two" A "\x1b"
         "f",
         "one two", 3},
        {"one two" A "\x1b[1;5C\x1b[1;3C", "one two", 7},
        {"one two" A "\x1b"
         "d",
         " two", 0},
        {"one two\x1b\x7f", "one ", 4},
        {"a-b c-d\x17", "a-b ", 4},
        {"a-b c-d\x1b\x7f", "a-b c-", 6},
        {"abc" B K, "ab", 2},
        {"abc" B "\x15", "c", 0},
        {"abc\x15"
         "x\x19",
         "xabc", 4},
        {"one two\x17\x17x\x19", "xone two", 8},
        {"one two" A "\x1b"
         "d\x1b"
         "dx\x19",
         "xone two", 8},
        {"one two" A K "x" A "\x1b[C\x19", "xone two", 8},
        {"\x19", "", 0},
        {"ab\x14", "ba", 2},
        {"abc" B "\x14", "acb", 3},
        {"a\x14", "a", 1},
        {"\x14", "", 0},
        {"ab" A "\x14", "ab", 0},
        {E_ACUTE "x" B B "y", "y" E_ACUTE "x", 1},
        {E_ACUTE "\x7f", "", 0},
        {"a" WIDE "b" B B "x", "ax" WIDE "b", 2},
        {WIDE WIDE "\x7f", WIDE, 3},
        {"a" E_ACUTE "\x14", E_ACUTE "a", 4},
        {"a\\\rb", "a\nb", 3},
        {"a\x1b\rb\x1b\nc", "a\nb\nc", 5},
        {"ab\x1b\rc" A "x", "ab\nxc", 4},
        {"ab\x1b\rc\x1b[A\x05x", "abx\nc", 3},
        {"abc\x1b\rd\x1b[Ax", "axbc\nd", 2},
        {"a\x1b\rbcd\x1b[A\x1b[Bx", "a\nbxcd", 4},
        {"a" WIDE "c\x1b\rdef\x1b[A\x02x", "ax" WIDE "c\ndef", 2},
        {"a\x1b\rb\x15\x7f", "a", 1},
        {"a\x1b\rb\x1b[A" A K K, "b", 0},
        {"\x1b[200~a\rb\x1b[C\n\x1b[201~c", "a\nb\xef\xbf\xbd[C\nc", 10},
        {"\x1b[200~a\tb\r\nc\x1b[201~", "a\tb\nc", 5},
        {"\x1b[200~\x1b[20\x1b[201~", "\xef\xbf\xbd[20", 6},
        {"\x1b[200~\x1b[201~x", "x", 1},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b",
         5},
        {"\xc3x", "\xef\xbf\xbdx", 4},
        {"\xc3\xff", "\xef\xbf\xbd\xef\xbf\xbd", 6},
        {"\xc3\x01x", "x", 1},
        {"\xe4\xc3\xa9", "\xef\xbf\xbd\xc3\xa9", 5},
        {"a\x1b[99;99Zb\x1b[1;2;3;4;5;6;7;8;9;10;11;12;13;14Cc", "abc", 3},
        {"a\x1bzb\x1b\xc3\xa9", "ab\xc3\xa9", 4},
        {"a\x1b\x1b[Db", "ba", 1},
        {"a\x1c\x1e"
         "bc",
         "abc", 3},
        {"abc\x03x", "x", 1},
        {"abc\x07x", "abcx", 4},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        desk d;
        open_desk(&d, 10, 40);
        type(&d, haft__str(cases[i].keys), true);
        CHECK_STR(text_of(&d), haft__str(cases[i].text), "case %zu: text", i);
        CHECK_INT(d.edit.cursor, cases[i].cursor, "case %zu: cursor", i);
        CHECK_INT(d.result, HAFT__EDITOR_MORE, "case %zu: result", i);
        close_desk(&d);
    }
}

TEST(some_keys_end_the_line)
{
    static const struct {
        const char *keys, *text;
        haft__editor_result result;
    } cases[] = {
        {"abc\r", "abc", HAFT__EDITOR_LINE},      {"abc\n", "abc", HAFT__EDITOR_LINE},
        {"abc" A "\r", "abc", HAFT__EDITOR_LINE}, {"\r", "", HAFT__EDITOR_LINE},
        {"\x04", "", HAFT__EDITOR_END},           {"a\x7f\x04", "", HAFT__EDITOR_END},
        {"ab\x1a", "ab", HAFT__EDITOR_SUSPEND},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        desk d;
        open_desk(&d, 10, 40);
        type(&d, haft__str(cases[i].keys), true);
        CHECK_INT(d.result, cases[i].result, "case %zu: result", i);
        CHECK_STR(text_of(&d), haft__str(cases[i].text), "case %zu: text", i);
        close_desk(&d);
    }
}

TEST(a_lone_escape_is_ignored)
{
    desk d;
    open_desk(&d, 10, 40);
    type(&d, HAFT__LIT("ab\x1b"), true);
    CHECK(haft__keys_pending(&d.edit.keys), "Escape may start a sequence");
    haft__editor_idle(&d.edit);
    CHECK(!haft__keys_pending(&d.edit.keys), "Escape is still pending after the timeout");
    haft__editor_idle(&d.edit);
    type(&d, HAFT__LIT("[Dc\x1b["), true);
    haft__editor_idle(&d.edit);
    type(&d, HAFT__LIT("d"), true);
    CHECK_STR(text_of(&d), HAFT__LIT("ab[Dcd"), "text");
    close_desk(&d);
}

/* ---- drawing ---- */

/* A simple layout, with the cursor as '_' in front of its character's cell. */
static haft_str layout(const haft__editor *edit, unsigned columns, unsigned *ret_row,
                       unsigned *ret_column)
{
    static char text[64 << 10];
    size_t length = 2;
    unsigned column = 2, row = 0;
    haft_str rest = haft__buf_str(&edit->text);
    memcpy(text, "> ", 2);
    for (size_t at = 0;;) {
        unsigned cells = 1;
        size_t size = haft__grapheme_next(rest, &cells);
        bool feed = rest.len > 0 && rest.ptr[0] == '\n', tab = rest.len > 0 && rest.ptr[0] == '\t';
        cells = rest.len == 0 ? 1 : tab ? 4 : cells;
        bool alone = cells == 0;
        cells += alone;
        if (column + cells > columns) {
            while (length > 0 && text[length - 1] == ' ') {
                length--;
            }
            text[length++] = '|';
            column = 0;
            row++;
        }
        if (at == edit->cursor) {
            *ret_row = row;
            *ret_column = column;
        }
        if (rest.len == 0) {
            break;
        }
        if (feed) {
            while (length > 0 && text[length - 1] == ' ') {
                length--;
            }
            memcpy(text + length, "|  ", 3);
            length += 3;
            column = 2;
            row++;
        } else {
            text[length] = ' ';
            length += alone;
            memcpy(text + length, tab ? "    " : rest.ptr, tab ? 4 : size);
            length += tab ? 4 : size;
            column += cells;
        }
        rest = haft__str_skip(rest, size);
        at += size;
    }
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    text[length++] = '|';
    while (length > 1 && text[length - 1] == '|' && text[length - 2] == '|') {
        length--;
    }
    return (haft_str){text, length};
}

static bool looks_right(desk *d, const char *what, unsigned long round)
{
    unsigned row = 0, column = 0;
    haft_str wanted = layout(&d->edit, d->edit.columns, &row, &column);
    haft_str found = screen(d->grid);
    bool same = haft__str_equal(found, wanted) && d->grid->row == row && d->grid->column == column;
    CHECK_STR(found, wanted, "%s %lu", what, round);
    CHECK_INT(d->grid->row, row, "%s %lu: row", what, round);
    CHECK_INT(d->grid->column, column, "%s %lu: column", what, round);
    return same;
}

TEST(the_terminal_shows_the_text)
{
    static const struct {
        const char *keys, *screen;
        unsigned row, column;
    } cases[] = {
        {"", ">|", 0, 2},
        {"abc", "> abc|", 0, 5},
        {"abcdefgh", "> abcdefgh|", 1, 0},
        {"abcdefghi", "> abcdefgh|i|", 1, 1},
        {"abcdefg" WIDE, "> abcdefg|" WIDE "|", 1, 2},
        {"abcdefg" E_ACUTE, "> abcdefg" E_ACUTE "|", 1, 0},
        {"abcdefghij" A, "> abcdefgh|ij|", 0, 2},
        {"abcdefghij" A "\x1b[3~", "> bcdefghi|j|", 0, 2},
        {"abcdefghijk\x7f\x7f\x7f", "> abcdefgh|", 1, 0},
        {"abcdefghijk\x7f\x7f\x7f\x7f", "> abcdefg|", 0, 9},
        {"ab\x1b\rcd", "> ab|  cd|", 1, 4},
        {"abcdefgh\x1b\rcd", "> abcdefgh||  cd|", 2, 4},
        {"\x1b[200~\ta\x1b[201~", ">     a|", 0, 7},
        {"a\x1b\rb\x1b\rc\x7f\x7f\x7f\x7f", "> a|", 0, 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        desk d;
        open_desk(&d, 10, 10);
        type(&d, haft__str(cases[i].keys), true);
        CHECK_STR(screen(d.grid), haft__str(cases[i].screen), "case %zu", i);
        CHECK_INT(d.grid->row, cases[i].row, "case %zu: row", i);
        CHECK_INT(d.grid->column, cases[i].column, "case %zu: column", i);
        close_desk(&d);
    }
}

/* A letter that is typed at the end of a row is sent alone. */
TEST(a_letter_at_the_end_is_drawn_alone)
{
    desk d;
    haft__buf out;
    haft__buf_init(&out, 1000);
    open_desk(&d, 10, 40);
    (void)haft__editor_feed(&d.edit, 'x');
    haft__editor_draw(&d.edit, &out);
    CHECK_STR(haft__buf_str(&out), HAFT__LIT("x"), "bytes that are sent");
    haft__buf_clear(&out);
    haft__editor_draw(&d.edit, &out);
    CHECK_INT(out.len, 0, "bytes that are sent without a change");
    haft__buf_finish(&out);
    close_desk(&d);
}

TEST(leaving_a_line_puts_the_cursor_below_it)
{
    desk d;
    haft__buf out;
    haft__buf_init(&out, 1000);
    open_desk(&d, 10, 10);
    type(&d, HAFT__LIT("abcdefghij" A), true);
    haft__editor_draw_final(&d.edit, &out);
    show(d.grid, haft__buf_str(&out));
    CHECK_STR(screen(d.grid), HAFT__LIT("> abcdefgh|ij|"), "screen");
    CHECK_INT(d.grid->row, 2, "row");
    CHECK_INT(d.grid->column, 0, "column");
    haft__editor_begin_line(&d.edit);
    type(&d, HAFT__LIT("x"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT("> abcdefgh|ij|> x|"), "the next line");
    type(&d, HAFT__LIT("\x0c"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT("> x|"), "screen after Ctrl-L");
    CHECK_INT(d.grid->row, 0, "row");
    haft__buf_finish(&out);
    close_desk(&d);
}

/* If a text has more rows than the terminal, the rows around the cursor are shown. */
TEST(a_text_taller_than_the_terminal_is_shown_in_part)
{
    desk d;
    open_desk(&d, 4, 10);
    type(&d, HAFT__LIT("1\x1b\r2\x1b\r3\x1b\r4\x1b\r5\x1b\r6"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT("  3|  4|  5|  6|"), "rows at the end");
    type(&d, HAFT__LIT("\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT("> 1|  2|  3|  4|"), "rows at the start");
    CHECK_INT(d.grid->row, 0, "row");
    type(&d, HAFT__LIT("\x1b[B\x1b[B\x1b[B\x1b[Bx"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT("  2|  3|  4|  5x|"), "rows in the middle");
    close_desk(&d);
}

TEST(notes_are_below_until_the_next_key)
{
    desk d;
    open_desk(&d, 10, 40);
    type(&d, HAFT__LIT("\x03"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT(">|Ctrl-D or /quit leaves|"), "the note");
    CHECK_INT(d.grid->row, 0, "row");
    CHECK_INT(d.grid->beeps, 1, "beeps");
    type(&d, HAFT__LIT("a"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT("> a|"), "the note is gone");
    type(&d, HAFT__LIT("\xff"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT("> a\xef\xbf\xbd|replaced bytes that are not UTF-8|"),
              "a note about replaced bytes");
    type(&d, HAFT__LIT("\x1b[200~\x01\x1b[201~"), true);
    CHECK_STR(screen(d.grid),
              HAFT__LIT("> a\xef\xbf\xbd\xef\xbf\xbd|replaced bytes that are not text: 1|"),
              "a note about pasted bytes");
    d.edit.columns = d.grid->columns = 12;
    type(&d, HAFT__LIT("\x03\x03"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT(">|Ctrl-D or|/quit leaves|"), "a note over two rows");
    close_desk(&d);
}

/* ---- random edits, against an oracle ---- */

static uint64_t chance(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

static const char *const pieces[] = {
    "a",
    "b",
    " ",
    "-",
    "\xc3\xa9",
    WIDE,
    E_ACUTE,
    "\xcc\x81",
    "\xf0\x9f\x98\x80",
    "\x7f",
    "\x1b[D",
    "\x1b[C",
    "\x1b[A",
    "\x1b[B",
    A,
    "\x05",
    K,
    "\x15",
    "\x17",
    "\x19",
    "\x14",
    "\033b",
    "\033f",
    "\033d",
    "\x1b\x7f",
    "\x1b[3~",
    "\x1b\r",
    "\x0c",
    "\x1b[200~x\ny\tz\x1b[201~",
    "words of text ",
    "\x10",
    "\x0e",
    "\x1b[1;5C",
    "\x04",
};

TEST(random_edits_are_drawn_correctly)
{
    static const unsigned widths[] = {8, 10, 13, 40, 80};
    for (size_t w = 0; w < COUNT(widths); w++) {
        uint64_t state = 42 + w;
        desk d;
        open_desk(&d, ROWS, widths[w]);
        bool good = true;
        for (unsigned long round = 0; round < 3000 && good; round++) {
            const char *piece = pieces[chance(&state) % COUNT(pieces)];
            bool end = piece[0] == '\x04' && d.edit.text.len == 0;
            type(&d, end ? HAFT__LIT("x") : haft__str(piece), chance(&state) % 2 == 0);
            CHECK(haft__utf8_valid(text_of(&d)), "width %u, round %lu: the text is not UTF-8",
                  widths[w], round);
            unsigned row, column;
            haft_str all = layout(&d.edit, widths[w], &row, &column);
            size_t rows = 0;
            for (size_t i = 0; i < all.len; i++) {
                rows += all.ptr[i] == '|';
            }
            if (rows > ROWS - 4 || round % 500 == 499) { /* almost full: start again */
                type(&d, HAFT__LIT("\x03\x0c"), true);
            }
            good = d.edit.below.len > 0 || looks_right(&d, "round", round);
            if (d.grid->row + 1 == ROWS) {
                type(&d, HAFT__LIT("\x0c"), true);
            }
        }
        close_desk(&d);
    }
}

/* The oracle: an array of letters and a cursor, for simple keys. */
typedef struct oracle {
    char text[4000], killed[4000];
    size_t length, at, kill;
    bool killing; /* the last key was a kill */
} oracle;

/* Kills to the end or from the start. Letters that consecutive keys kill are joined. */
static void kill_letters(oracle *o, bool to_end)
{
    size_t cut = to_end ? o->length - o->at : o->at, from = to_end ? o->at : 0;
    size_t keep = o->killing ? o->kill : 0;
    char was[sizeof(o->killed)];
    if (cut == 0) {
        return;
    }
    memcpy(was, o->killed, keep);
    memcpy(o->killed + (to_end ? keep : 0), o->text + from, cut);
    memcpy(o->killed + (to_end ? 0 : cut), was, keep);
    o->kill = keep + cut;
    memmove(o->text + from, o->text + from + cut, o->length - from - cut);
    o->length -= cut;
    o->at = from;
}

static void put_letters(oracle *o, const char *letters, size_t count)
{
    memmove(o->text + o->at + count, o->text + o->at, o->length - o->at);
    memcpy(o->text + o->at, letters, count);
    o->length += count;
    o->at += count;
}

static void take_letter(oracle *o, size_t at)
{
    memmove(o->text + at, o->text + at + 1, o->length - at - 1);
    o->length--;
    o->at = at;
}

static void oracle_take(oracle *o, char key)
{
    bool kills = key == 0x0b || key == 0x15;
    if (kills) {
        kill_letters(o, key == 0x0b);
    } else if (key == 0x7f && o->at > 0) {
        take_letter(o, o->at - 1);
    } else if (key == 4 && o->at < o->length) {
        take_letter(o, o->at);
    } else if (key == 0x19) {
        put_letters(o, o->killed, o->kill);
    } else if (key >= ' ' && key < 0x7f) {
        put_letters(o, &key, 1);
    } else {
        o->at = key == 1 ? 0 : key == 5 ? o->length : o->at;
        o->at -= key == 2 && o->at > 0;
        o->at += key == 6 && o->at < o->length;
    }
    o->killing = kills;
}

TEST(random_edits_match_a_model)
{
    static const char keys[] = "ab \x7f\x02\x06\x01\x05\x04\x0b\x15\x19";
    uint64_t state = 7;
    oracle o = {.length = 0};
    desk d;
    open_desk(&d, ROWS, 100);
    for (unsigned round = 0; round < 20000; round++) {
        char key = keys[chance(&state) % (sizeof(keys) - 1)];
        if ((key == 0x19 && o.length + o.kill > 300) || (key == 4 && o.length == 0)) {
            continue;
        }
        (void)haft__editor_feed(&d.edit, key);
        oracle_take(&o, key);
        CHECK_STR(text_of(&d), ((haft_str){o.text, o.length}), "round %u: text", round);
        CHECK_INT(d.edit.cursor, o.at, "round %u: cursor", round);
    }
    close_desk(&d);
}

/* ---- limits ---- */

static haft_str many(char c, size_t count)
{
    char *text = test_alloc(count);
    memset(text, c, count);
    return (haft_str){text, count};
}

static void paste(desk *d, haft_str text)
{
    type(d, HAFT__LIT("\x1b[200~"), false);
    type(d, text, false);
    type(d, HAFT__LIT("\x1b[201~"), false);
}

TEST(a_text_has_a_maximum_size)
{
    desk d;
    open_desk(&d, 10, 100);
    paste(&d, many('a', HAFT__LIMIT_LINE_BYTES + 1));
    CHECK_INT(d.edit.text.len, 0, "a paste that is too long is not added");
    CHECK(d.edit.below.len > 0, "a note is shown");
    paste(&d, many('a', HAFT__LIMIT_LINE_BYTES));
    CHECK_INT(d.edit.text.len, HAFT__LIMIT_LINE_BYTES, "the maximum is accepted");
    CHECK_INT(d.edit.below.len, 0, "no note is shown");
    type(&d, HAFT__LIT("b"), false);
    CHECK_INT(d.edit.text.len, HAFT__LIMIT_LINE_BYTES, "one more byte is not added");
    CHECK(d.edit.below.len > 0, "a note is shown");
    type(&d,
         HAFT__LIT("\x7f"
                   "b"),
         false);
    CHECK(d.edit.text.ptr[HAFT__LIMIT_LINE_BYTES - 1] == 'b', "a byte fits after one was removed");
    type(&d, HAFT__LIT("\x03"), false);
    paste(&d, many('\x01', HAFT__LIMIT_LINE_BYTES / 3 + 1));
    CHECK_INT(d.edit.text.len, 0, "the sanitized text does not fit");
    close_desk(&d);
}

/* ---- history ---- */

static void remember(desk *d, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK_INT(haft__line_history_add(&d->history, haft__str(lines[i]), NULL), HAFT_OK,
                  "adding a line");
    }
    haft__editor_begin_line(&d->edit);
}

TEST(earlier_lines_can_be_recalled)
{
    static const char *const lines[] = {"first", "se\ncond", "third one"};
    static const struct {
        const char *keys, *text;
    } cases[] = {
        {"\x1b[A", "third one"},
        {"\x10\x10", "se\ncond"},
        {"\x1b[A\x1b[A\x1b[A", "xse\ncond"},
        {"\x10\x10\x10", "first"},
        {"\x10\x10\x10\x10", "first"},
        {"new\x10\x10\x0e\x0e", "new"},
        {"new\x0e", "new"},
        {"\x10 more\x10\x0e", "third one"},
        {"\x12"
         "con",
         "se\ncond"},
        {"\x12"
         "ir",
         "third one"},
        {"\x12"
         "ir\x12",
         "first"},
        {"\x12"
         "ir\x12\x12",
         "first"},
        {"\x12"
         "irs",
         "first"},
        {"\x12"
         "ird\x7f\x7f\x7f"
         "fir",
         "first"},
        {"draft\x12"
         "irs\x07",
         "draft"},
        {"draft\x12"
         "irs\x03",
         "draft"},
        {"draft\x12"
         "zzz",
         "draft"},
        {"draft\x12\x7f\x07", "draft"},
        {"\x12"
         "one\x05!",
         "third one!"},
        {"\x12"
         "one\x1b[Dx",
         "thirdx one"},
        {"\x10\x12"
         "con\x07",
         ""},
        {"\x12\xc3\xa9\x7f"
         "fi",
         "first"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        desk d;
        open_desk(&d, 10, 40);
        remember(&d, lines, COUNT(lines));
        draw(&d);
        if (i == 2) { /* up moves through the lines of a text first */
            type(&d, HAFT__LIT("\x10\x10\x01\x1b[Ax"), true);
            CHECK_STR(text_of(&d), HAFT__LIT("xse\ncond"), "the cursor moved up in the text");
        } else {
            type(&d, haft__str(cases[i].keys), true);
            CHECK_STR(text_of(&d), haft__str(cases[i].text), "case %zu", i);
        }
        close_desk(&d);
    }
}

TEST(a_search_shows_its_pattern)
{
    static const char *const lines[] = {"first", "second"};
    desk d;
    open_desk(&d, 10, 40);
    remember(&d, lines, COUNT(lines));
    type(&d,
         HAFT__LIT("\x12"
                   "ir"),
         true);
    CHECK_STR(screen(d.grid), HAFT__LIT("(search 'ir') first|"), "found");
    CHECK_INT(d.grid->column, 15, "the cursor is at the match");
    type(&d, HAFT__LIT("x"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT("(not found 'irx') first|"), "not found");
    CHECK_INT(d.grid->beeps, 1, "beeps");
    type(&d, HAFT__LIT("\x7f\x05"), true);
    CHECK_STR(screen(d.grid), HAFT__LIT("> first|"), "the match becomes the text");
    type(&d, HAFT__LIT("\x12\x1b"), true);
    haft__editor_idle(&d.edit);
    draw(&d);
    CHECK_STR(screen(d.grid), HAFT__LIT(">|"), "Escape ends the search and restores the text");
    type(&d, HAFT__LIT("\x12se\r"), true);
    CHECK_INT(d.result, HAFT__EDITOR_LINE, "Enter sends the match");
    CHECK_STR(text_of(&d), HAFT__LIT("second"), "text");
    close_desk(&d);
}

/* ---- completion ---- */

static void complete(void *context, haft_str text, size_t *ret_from, haft__buf *candidates)
{
    const char *const *words = context;
    size_t from = text.len;
    while (from > 0 && text.ptr[from - 1] != ' ') {
        from--;
    }
    for (; *words != NULL; words++) {
        if (haft__str_starts_with(haft__str(*words), haft__str_skip(text, from))) {
            haft__buf_addf(candidates, "%s\n", *words);
        }
    }
    *ret_from = from;
}

TEST(tab_completes)
{
    static const char *words[] = {"/help",     "/history", "/tools", "dir/",
                                  "\303\251a", "\303\250", NULL};
    static const struct {
        const char *keys, *text, *below;
    } cases[] = {
        {"/t\t", "/tools ", ""},
        {"/t\tx", "/tools x", ""},
        {"/h\t", "/h", "/help  /history  "},
        {"/he\t", "/help ", ""},
        {"/hix\x02\t", "/historyx", ""},
        {"zzz\t", "zzz", ""},
        {"x d\t", "x dir/", ""},
        {"\xc3\xa9\t",
         "\xc3\xa9"
         "a ",
         ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        desk d;
        open_desk(&d, 10, 40);
        d.edit.complete = complete;
        d.edit.context = words;
        type(&d, haft__str(cases[i].keys), true);
        CHECK_STR(text_of(&d), haft__str(cases[i].text), "case %zu: text", i);
        CHECK_STR(haft__buf_str(&d.edit.below), haft__str(cases[i].below), "case %zu: list below",
                  i);
        close_desk(&d);
    }
    desk d;
    open_desk(&d, 10, 40);
    type(&d, HAFT__LIT("a\t"), true);
    CHECK_INT(d.grid->beeps, 1, "beeps without a completer");
    close_desk(&d);
}

static void complete_many(void *context, haft_str text, size_t *ret_from, haft__buf *candidates)
{
    (void)text;
    *ret_from = 0;
    for (size_t i = 0; i < *(size_t *)context; i++) {
        haft__buf_addf(candidates, "%zu\n", i);
    }
}

TEST(a_long_list_of_completions_is_cut)
{
    for (size_t count = HAFT__LIMIT_LINE_COMPLETIONS; count <= HAFT__LIMIT_LINE_COMPLETIONS + 1;
         count++) {
        desk d;
        size_t given = count;
        open_desk(&d, 10, 40);
        d.edit.complete = complete_many;
        d.edit.context = &given;
        type(&d, HAFT__LIT("\t"), true);
        bool cut = haft__str_ends_with(haft__buf_str(&d.edit.below), HAFT__LIT("... and 1 more"));
        CHECK_INT(cut, count > HAFT__LIMIT_LINE_COMPLETIONS,
                  "%zu candidates: whether the list is cut", count);
        CHECK_INT(d.grid->row, 0, "the text stays on the screen");
        close_desk(&d);
    }
}

/* ---- out of memory ---- */

TEST(out_of_memory_loses_no_text)
{
    for (unsigned n = 0;; n++) {
        desk d;
        open_desk(&d, 10, 40);
        d.edit.complete = complete;
        static const char *words[] = {"/help", NULL};
        d.edit.context = words;
        haft__buf out;
        haft__buf_init(&out, 100000);
        test_fail_allocation(n);
        static const char keys[] =
            "/h\tab\x17\x19\x1b[200~pasted\x1b[201~\x10\x0e\x14\x12x\x07\x03";
        for (size_t i = 0; i + 1 < sizeof(keys); i++) {
            (void)haft__editor_feed(&d.edit, keys[i]);
            haft__editor_draw(&d.edit, &out);
        }
        bool failed = test_allow_allocations();
        CHECK(haft__utf8_valid(text_of(&d)), "allocation %u", n);
        haft__buf_finish(&out);
        close_desk(&d);
        if (!failed) {
            break;
        }
    }
}

TEST(paste_without_memory_is_not_called_too_long)
{
    desk d;
    open_desk(&d, 10, 40);
    type(&d, HAFT__LIT("\x1b[200~pasted\x1b[201"), true);
    test_fail_allocation(0);
    (void)haft__editor_feed(&d.edit, '~');
    CHECK(test_allow_allocations(), "no allocation failed");
    CHECK_STR(haft__buf_str(&d.edit.below), HAFT__LIT("out of memory"), "the note");
    CHECK_INT(d.edit.text.len, 0, "text");
    close_desk(&d);
}
