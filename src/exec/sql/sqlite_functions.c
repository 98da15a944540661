/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite_functions.c - the functions that a query may call, and replacements for the ones whose
 * time is quadratic. A deadline is checked between instructions, never inside of a function.
 * Tests: tests/exec/sql/sqlite_functions_test.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/sql/sqlite_int.h"

/* Every function without an effect outside of its result. Not in the list: load_extension,
 * fts3_tokenizer, and what an application or extension adds. */
static const char *const allowed[] = {
    /* core */
    "->", "->>", "abs", "changes", "char", "coalesce", "concat", "concat_ws", "format", "glob",
    "hex", "ifnull", "iif", "if", "instr", "last_insert_rowid", "length", "like", "likelihood",
    "likely", "lower", "ltrim", "match", "nullif", "octet_length", "printf", "quote", "random",
    "randomblob", "replace", "round", "rtrim", "sign", "soundex", "sqlite_version", "substr",
    "substring", "total_changes", "trim", "typeof", "unhex", "unicode", "unistr", "unlikely",
    "upper", "zeroblob",
    /* aggregates and windows */
    "avg", "count", "group_concat", "max", "median", "min", "string_agg", "sum", "total",
    "cume_dist", "dense_rank", "first_value", "lag", "last_value", "lead", "nth_value", "ntile",
    "percent_rank", "rank", "row_number",
    /* dates */
    "current_date", "current_time", "current_timestamp", "date", "datetime", "julianday",
    "strftime", "time", "timediff", "unixepoch",
    /* numbers */
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh",
    "degrees", "exp", "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians",
    "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
    /* JSON */
    "json", "json_array", "json_array_length", "json_error_position", "json_extract",
    "json_group_array", "json_group_object", "json_insert", "json_object", "json_patch",
    "json_pretty", "json_quote", "json_remove", "json_replace", "json_set", "json_type",
    "json_valid",
    /* full-text search */
    "bm25", "highlight", "matchinfo", "offsets", "snippet"};

bool haft__sqlite_allows_function(const char *name)
{
    for (size_t i = 0; i < COUNT(allowed); i++) {
        if (haft__str_equal_ignore_case(haft__str(name), haft__str(allowed[i]))) {
            return true;
        }
    }
    return false;
}

/* ---- replacements ---- */

static bool is_null(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL;
}

static haft_str text_of(sqlite3_value *value)
{
    bool blob = sqlite3_value_type(value) == SQLITE_BLOB;
    const char *bytes = blob ? sqlite3_value_blob(value) : (const char *)sqlite3_value_text(value);
    return (haft_str){bytes, bytes != NULL ? (size_t)sqlite3_value_bytes(value) : 0};
}

static haft_str text_as_text(sqlite3_value *value)
{
    const char *bytes = (const char *)sqlite3_value_text(value);
    return (haft_str){bytes, bytes != NULL ? (size_t)sqlite3_value_bytes(value) : 0};
}

/* The number of characters, as SQLite counts them: bytes that begin a character. */
static sqlite3_int64 count_characters(const char *text, size_t length)
{
    sqlite3_int64 count = 0;
    for (size_t i = 0; i < length; i++) {
        count += ((unsigned char)text[i] & 0xC0U) != 0x80U;
    }
    return count;
}

/* memmem of the C library takes linear time. */
static void call_instr(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (is_null(values[0]) || is_null(values[1])) {
        return;
    }
    bool blobs = sqlite3_value_type(values[0]) == SQLITE_BLOB
                 && sqlite3_value_type(values[1]) == SQLITE_BLOB;
    haft_str text = blobs ? text_of(values[0]) : text_as_text(values[0]);
    haft_str part = blobs ? text_of(values[1]) : text_as_text(values[1]);
    const char *at = part.len == 0 ? text.ptr : NULL;
    if (part.len > 0 && text.len > 0) {
        at = memmem(text.ptr, text.len, part.ptr, part.len);
    }
    sqlite3_int64 before = 0;
    if (at != NULL) {
        before = blobs ? at - text.ptr : count_characters(text.ptr, (size_t)(at - text.ptr));
    }
    sqlite3_result_int64(context, at != NULL || part.len == 0 ? before + 1 : 0);
}

/* Appends to a text whose length is limited. False if it is too long or out of memory; the error
 * of the function is set. */
typedef struct result_text {
    sqlite3_context *context;
    sqlite3_str *text;
    size_t length;
} result_text;

static bool append(result_text *result, const char *bytes, size_t length)
{
    result->length += length;
    if (result->length > HAFT__LIMIT_SQL_VALUE_BYTES) {
        sqlite3_result_error_toobig(result->context);
        return false;
    }
    sqlite3_str_append(result->text, bytes, (int)length);
    return true;
}

static void finish_text(result_text *result, bool good)
{
    int code = sqlite3_str_errcode(result->text);
    int length = sqlite3_str_length(result->text);
    char *bytes = sqlite3_str_finish(result->text);
    if (good && code != SQLITE_OK) {
        sqlite3_result_error_nomem(result->context);
    } else if (good) {
        sqlite3_result_text(result->context, bytes != NULL ? bytes : "", length, SQLITE_TRANSIENT);
    }
    sqlite3_free(bytes);
}

static void call_replace(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    if (is_null(values[0]) || is_null(values[1]) || is_null(values[2])) {
        return;
    }
    haft_str text = text_as_text(values[0]), from = text_as_text(values[1]);
    haft_str to = text_as_text(values[2]);
    if (from.len == 0) {
        sqlite3_result_value(context, values[0]);
        return;
    }
    result_text result = {context, sqlite3_str_new(NULL), 0};
    const char *at = NULL;
    bool good = true;
    while (good && text.len > 0 && (at = memmem(text.ptr, text.len, from.ptr, from.len)) != NULL) {
        size_t before = (size_t)(at - text.ptr);
        good = append(&result, text.ptr, before) && append(&result, to.ptr, to.len);
        text = haft__str_skip(text, before + from.len);
    }
    good = good && append(&result, text.ptr, text.len);
    finish_text(&result, good);
}

/* ---- trim ---- */

/* The characters of the second argument. The search for one of them takes the same time for any
 * number: ASCII in a table, the others by binary search. */
typedef struct character_set {
    bool ascii[128];
    uint32_t *others;
    size_t count;
} character_set;

static int compare_codes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Reads a character; a byte that is not UTF-8 is a character of its own. */
static size_t read_character(haft_str text, uint32_t *ret_code)
{
    size_t length = haft__utf8_decode(text, ret_code);
    if (length == 0) {
        *ret_code = 0x110000U + (unsigned char)text.ptr[0];
        return 1;
    }
    return length;
}

static bool make_set(character_set *set, haft_str text)
{
    set->others = sqlite3_malloc64(4 * text.len + 4);
    if (set->others == NULL) {
        return false;
    }
    while (text.len > 0) {
        uint32_t code = 0;
        text = haft__str_skip(text, read_character(text, &code));
        if (code < COUNT(set->ascii)) {
            set->ascii[code] = true;
        } else {
            set->others[set->count++] = code;
        }
    }
    qsort(set->others, set->count, sizeof(*set->others), compare_codes);
    return true;
}

static bool has_code(const character_set *set, uint32_t code)
{
    return code < COUNT(set->ascii)
               ? set->ascii[code]
               : bsearch(&code, set->others, set->count, sizeof(code), compare_codes) != NULL;
}

static haft_str trim_start(haft_str text, const character_set *set)
{
    uint32_t code = 0;
    while (text.len > 0) {
        size_t length = read_character(text, &code);
        if (!has_code(set, code)) {
            break;
        }
        text = haft__str_skip(text, length);
    }
    return text;
}

static haft_str trim_end(haft_str text, const character_set *set)
{
    while (text.len > 0) {
        size_t start = text.len - 1;
        while (start > 0 && text.len - start < HAFT__UTF8_MAX_BYTES
               && ((unsigned char)text.ptr[start] & 0xC0U) == 0x80U) {
            start--;
        }
        uint32_t code = 0;
        haft_str last = haft__str_skip(text, start);
        if (read_character(last, &code) != last.len) {
            start = text.len - 1; /* not UTF-8: one byte */
            (void)read_character(haft__str_skip(text, start), &code);
        }
        if (!has_code(set, code)) {
            break;
        }
        text.len = start;
    }
    return text;
}

enum { AT_START = 1, AT_END = 2 };

static void call_trim(sqlite3_context *context, int count, sqlite3_value **values)
{
    int ends = (int)(intptr_t)sqlite3_user_data(context);
    character_set set = {.others = NULL};
    if (is_null(values[0]) || (count == 2 && is_null(values[1]))) {
        return;
    }
    haft_str text = text_as_text(values[0]);
    if (!make_set(&set, count == 2 ? text_as_text(values[1]) : HAFT__LIT(" "))) {
        sqlite3_result_error_nomem(context);
        return;
    }
    text = (ends & AT_START) != 0 ? trim_start(text, &set) : text;
    text = (ends & AT_END) != 0 ? trim_end(text, &set) : text;
    sqlite3_result_text(context, text.len > 0 ? text.ptr : "", (int)text.len, SQLITE_TRANSIENT);
    sqlite3_free(set.others);
}

int haft__sqlite_replace_functions(sqlite3 *db)
{
    static const struct {
        const char *name;
        int count;
        intptr_t data;
        void (*call)(sqlite3_context *context, int count, sqlite3_value **values);
    } rows[] = {
        {"instr", 2, 0, call_instr},
        {"replace", 3, 0, call_replace},
        {"trim", 1, AT_START | AT_END, call_trim},
        {"trim", 2, AT_START | AT_END, call_trim},
        {"ltrim", 1, AT_START, call_trim},
        {"ltrim", 2, AT_START, call_trim},
        {"rtrim", 1, AT_END, call_trim},
        {"rtrim", 2, AT_END, call_trim},
    };
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < COUNT(rows); i++) {
        code = sqlite3_create_function_v2(db, rows[i].name, rows[i].count,
                                          SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                          (void *)rows[i].data, rows[i].call, NULL, NULL, NULL);
    }
    return code;
}
