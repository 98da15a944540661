/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - writes rows as a table, as CSV or as JSON. Tests: tests/database/rows_test.c. */
#include "database/rows.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/write.h"

/* The bytes of a BLOB that a table shows. */
#define BLOB_BYTES 16U

void haft__rows_init(haft__rows *rows, haft__rows_format format, haft__buf *buf, uint64_t max_rows,
                     size_t max_bytes)
{
    *rows =
        (haft__rows){.format = format, .buf = buf, .max_rows = max_rows, .max_bytes = max_bytes};
}

/* ---- a cell of a table ---- */

static size_t skip_digits(haft_str text, size_t at)
{
    while (at < text.len && haft__ascii_is_digit(text.ptr[at])) {
        at++;
    }
    return at;
}

/* Whether a reader could take the text for a number: 12, -0.5, 1e9. A date is not a number. */
static bool looks_like_number(haft_str text)
{
    size_t at = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+') ? 1 : 0;
    size_t end = skip_digits(text, at);
    bool digits = end > at;
    if (end < text.len && text.ptr[end] == '.') {
        size_t fraction = skip_digits(text, end + 1);
        digits |= fraction > end + 1;
        end = fraction;
    }
    if (digits && end < text.len && (text.ptr[end] == 'e' || text.ptr[end] == 'E')) {
        at = end + 1;
        at += at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+') ? 1 : 0;
        size_t exponent = skip_digits(text, at);
        end = exponent > at ? exponent : end;
    }
    return digits && end == text.len;
}

/* Words that are values, or that a number can be. */
static bool is_word_of_value(haft_str text)
{
    static const haft_str words[] = {HAFT__LIT("null"),     HAFT__LIT("true"),
                                     HAFT__LIT("false"),    HAFT__LIT("nan"),
                                     HAFT__LIT("infinity"), HAFT__LIT("-infinity")};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_equal_ignore_case(text, words[i])) {
            return true;
        }
    }
    return false;
}

/* Whether all characters of the text are visible and none separates cells. */
static bool is_plain(haft_str text)
{
    size_t at = 0;
    while (at < text.len) {
        uint32_t code = 0;
        size_t length = haft__utf8_decode(haft__str_skip(text, at), &code);
        if (length == 0 || code == '|' || haft__escape_is_hidden(code)) {
            return false;
        }
        at += length;
    }
    return true;
}

static bool needs_quotes(haft_str text)
{
    return text.len == 0 || text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' '
           || text.ptr[0] == '"' || haft__str_starts_with(text, HAFT__LIT("x'"))
           || text.ptr[0] == '(' || is_word_of_value(text) || looks_like_number(text)
           || !is_plain(text);
}

static void write_quoted(haft__buf *buf, haft_str text)
{
    haft__buf_add_char(buf, '"');
    while (text.len > 0) {
        char first[HAFT__ESCAPE_BYTES];
        size_t used = 0;
        char c = text.ptr[0];
        if (c == '"' || c == '\\') {
            haft__buf_add_char(buf, '\\');
        }
        size_t length = haft__escape_first(text, first, &used);
        if (c == '\n' || c == '\t') {
            haft__buf_add_str(buf, c == '\n' ? HAFT__LIT("\\n") : HAFT__LIT("\\t"));
        } else {
            haft__buf_add(buf, first, length);
        }
        text = haft__str_skip(text, used);
    }
    haft__buf_add_char(buf, '"');
}

bool haft__rows_write_text(haft__buf *buf, haft_str text)
{
    haft_str shown = text;
    bool cut = text.len > HAFT__LIMIT_SQL_CELL_BYTES;
    if (cut) {
        shown.len = haft__utf8_floor(text, HAFT__LIMIT_SQL_CELL_BYTES);
    }
    if (needs_quotes(shown)) {
        write_quoted(buf, shown);
    } else {
        haft__buf_add_str(buf, shown);
    }
    if (cut) {
        haft__buf_addf(buf, "... (%zu bytes)", text.len);
    }
    return cut;
}

static void write_hex(haft__buf *buf, haft_str bytes)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.len; i++) {
        haft__buf_add_char(buf, digits[(unsigned char)bytes.ptr[i] >> 4]);
        haft__buf_add_char(buf, digits[(unsigned char)bytes.ptr[i] & 15]);
    }
}

static bool write_blob(haft__buf *buf, haft_str bytes)
{
    bool cut = bytes.len > BLOB_BYTES;
    haft__buf_add_str(buf, HAFT__LIT("x'"));
    write_hex(buf, (haft_str){bytes.ptr, cut ? BLOB_BYTES : bytes.len});
    if (cut) {
        haft__buf_addf(buf, "...' (%zu bytes)", bytes.len);
    } else {
        haft__buf_add_char(buf, '\'');
    }
    return cut;
}

/* Returns whether the value was shortened. */
static bool write_table_cell(haft__buf *buf, const haft__cell *cell)
{
    switch (cell->kind) {
    case HAFT__CELL_NULL: haft__buf_add_str(buf, HAFT__LIT("NULL")); return false;
    case HAFT__CELL_NUMBER:
    case HAFT__CELL_BOOLEAN: haft__buf_add_str(buf, cell->text); return false;
    case HAFT__CELL_TEXT: return haft__rows_write_text(buf, cell->text);
    case HAFT__CELL_BLOB: return write_blob(buf, cell->text);
    }
    HAFT__UNREACHABLE();
}

/* ---- a cell of CSV (RFC 4180) ---- */

static void write_csv_text(haft__buf *buf, haft_str text)
{
    bool quotes = text.len == 0 || text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ';
    for (size_t i = 0; i < text.len; i++) {
        quotes |= strchr(",\"\r\n", text.ptr[i]) != NULL; /* NUL, too */
    }
    if (!quotes) {
        haft__buf_add_str(buf, text);
        return;
    }
    haft__buf_add_char(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') {
            haft__buf_add_char(buf, '"');
        }
        haft__buf_add_char(buf, text.ptr[i]);
    }
    haft__buf_add_char(buf, '"');
}

/* NULL is an empty field, an empty text is "". */
static void write_csv_cell(haft__buf *buf, const haft__cell *cell)
{
    switch (cell->kind) {
    case HAFT__CELL_NULL: return;
    case HAFT__CELL_NUMBER:
    case HAFT__CELL_BOOLEAN: haft__buf_add_str(buf, cell->text); return;
    case HAFT__CELL_TEXT: write_csv_text(buf, cell->text); return;
    case HAFT__CELL_BLOB:
        haft__buf_add_str(buf, HAFT__LIT("\\x"));
        write_hex(buf, cell->text);
        return;
    }
    HAFT__UNREACHABLE();
}

/* ---- a cell of JSON ---- */

static void write_json_blob(haft__buf *buf, haft_str bytes)
{
    haft__buf_add_str(buf, HAFT__LIT("{\"base64\":\""));
    haft__base64_add(buf, bytes);
    haft__buf_add_str(buf, HAFT__LIT("\"}"));
}

/* False for NaN, Infinity and -Infinity. */
static bool is_json_number(haft_str text)
{
    haft_str digits = haft__str_skip(text, haft__str_starts_with(text, HAFT__LIT("-")));
    return digits.len > 0 && haft__ascii_is_digit(digits.ptr[0]);
}

static void write_json_cell(haft__buf *buf, const haft__cell *cell)
{
    switch (cell->kind) {
    case HAFT__CELL_NULL: haft__buf_add_str(buf, HAFT__LIT("null")); return;
    case HAFT__CELL_BOOLEAN: haft__buf_add_str(buf, cell->text); return;
    case HAFT__CELL_NUMBER:
        if (is_json_number(cell->text)) {
            haft__buf_add_str(buf, cell->text);
        } else {
            haft__json_write_string(buf, cell->text);
        }
        return;
    case HAFT__CELL_TEXT: haft__json_write_string(buf, cell->text); return;
    case HAFT__CELL_BLOB: write_json_blob(buf, cell->text); return;
    }
    HAFT__UNREACHABLE();
}

/* ---- the header ---- */

static void begin_table(haft__buf *buf, const haft__result_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT(" | ") : HAFT__LIT(""));
        (void)haft__rows_write_text(buf, columns[i].name);
        if (columns[i].type.len > 0) {
            haft__buf_add_char(buf, ' ');
            haft__escape_add(buf, columns[i].type);
        }
    }
    haft__buf_add_char(buf, '\n');
}

static void begin_csv(haft__buf *buf, const haft__result_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        write_csv_text(buf, columns[i].name);
    }
    haft__buf_add_str(buf, HAFT__LIT("\r\n"));
}

static void begin_json(haft__buf *buf, const haft__result_column *columns, size_t count)
{
    haft__buf_add_str(buf, HAFT__LIT("\"columns\":["));
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT(",{\"name\":") : HAFT__LIT("{\"name\":"));
        haft__json_write_string(buf, columns[i].name);
        haft__buf_add_str(buf, HAFT__LIT(",\"type\":"));
        if (columns[i].type.len > 0) {
            haft__json_write_string(buf, columns[i].type);
        } else {
            haft__buf_add_str(buf, HAFT__LIT("null"));
        }
        haft__buf_add_char(buf, '}');
    }
    haft__buf_add_str(buf, HAFT__LIT("],\"rows\":["));
}

void haft__rows_begin(haft__rows *rows, const haft__result_column *columns, size_t count)
{
    rows->columns = count;
    switch (rows->format) {
    case HAFT__ROWS_TABLE: begin_table(rows->buf, columns, count); return;
    case HAFT__ROWS_CSV: begin_csv(rows->buf, columns, count); return;
    case HAFT__ROWS_JSON: begin_json(rows->buf, columns, count); return;
    }
    HAFT__UNREACHABLE();
}

/* ---- rows ---- */

static uint64_t write_row(haft__rows *rows, const haft__cell *cells)
{
    static const haft_str separators[] = {[HAFT__ROWS_TABLE] = HAFT__LIT(" | "),
                                          [HAFT__ROWS_CSV] = HAFT__LIT(","),
                                          [HAFT__ROWS_JSON] = HAFT__LIT(",")};
    haft__buf *buf = rows->buf;
    uint64_t cut = 0;
    if (rows->format == HAFT__ROWS_JSON) {
        haft__buf_add_str(buf, rows->count > 0 ? HAFT__LIT(",[") : HAFT__LIT("["));
    }
    for (size_t i = 0; i < rows->columns; i++) {
        haft__buf_add_str(buf, i > 0 ? separators[rows->format] : HAFT__LIT(""));
        switch (rows->format) {
        case HAFT__ROWS_TABLE: cut += write_table_cell(buf, &cells[i]); break;
        case HAFT__ROWS_CSV: write_csv_cell(buf, &cells[i]); break;
        case HAFT__ROWS_JSON: write_json_cell(buf, &cells[i]); break;
        }
    }
    haft__buf_add_str(buf, rows->format == HAFT__ROWS_JSON  ? HAFT__LIT("]")
                           : rows->format == HAFT__ROWS_CSV ? HAFT__LIT("\r\n")
                                                            : HAFT__LIT("\n"));
    return cut;
}

bool haft__rows_add(haft__rows *rows, const haft__cell *cells)
{
    size_t before = rows->buf->len;
    if (rows->count >= rows->max_rows) {
        rows->more_rows = true;
        return false;
    }
    uint64_t cut = write_row(rows, cells);
    if (rows->buf->status == HAFT_OK && rows->buf->len > rows->max_bytes) {
        rows->buf->len = before;
        rows->more_bytes = true;
        return false;
    }
    rows->cut_cells += cut;
    rows->count++;
    return true;
}

static void end_table(const haft__rows *rows)
{
    haft__buf *buf = rows->buf;
    haft__buf_addf(buf, "(%s%llu row%s", rows->more_rows || rows->more_bytes ? "the first " : "",
                   (unsigned long long)rows->count, rows->count == 1 ? "" : "s");
    if (rows->more_rows) {
        haft__buf_addf(buf, "; there are more: narrow the query, or count and group in SQL");
    } else if (rows->more_bytes) {
        haft__buf_addf(buf,
                       "; the next one does not fit in %zu bytes: select fewer columns or rows",
                       rows->max_bytes);
    }
    if (rows->cut_cells > 0) {
        haft__buf_addf(buf, "; %llu value%s shortened: read a part with substr()",
                       (unsigned long long)rows->cut_cells, rows->cut_cells == 1 ? " is" : "s are");
    }
    haft__buf_add_char(buf, ')');
}

void haft__rows_end(haft__rows *rows)
{
    switch (rows->format) {
    case HAFT__ROWS_TABLE: end_table(rows); return;
    case HAFT__ROWS_CSV: return;
    case HAFT__ROWS_JSON: haft__buf_add_char(rows->buf, ']'); return;
    }
    HAFT__UNREACHABLE();
}
