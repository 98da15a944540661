/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query.c - questions for a database: first the tables are searched, then one query counts the rows
 * of a table or lists them, with a filter if the task names a column and a value.
 *
 * The table and the columns are read from the result of search_schemas. A value is always a
 * parameter, never a part of the query. Tests: tests/cli/sql_test.py.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

#define SEARCH "search_schemas"
#define QUERY  "execute_sql"

/* How much of the rows the answer shows. */
#define ANSWER_LINES 25U
#define ANSWER_CHARS 3000U

/* ---- tools and results ---- */

static size_t find_tool(const haft__offline *o, const char *name)
{
    for (size_t i = 0; i < o->request->tool_count; i++) {
        if (haft__str_equal(o->request->tools[i]->name, haft__str(name))) {
            return i;
        }
    }
    return HAFT__OFFLINE_NONE;
}

/* The last result of the tool; NULL without one. */
static const haft__offline_call *last_result(const haft__offline *o, const char *tool)
{
    for (size_t i = o->history.count; i > 0; i--) {
        const haft__offline_call *call = &o->history.calls[i - 1];
        if (haft__offline_is_call_of(call, tool) && call->answered && !call->failed) {
            return call;
        }
    }
    return NULL;
}

bool haft__offline_is_database_tool(const haft__offline *o, size_t tool)
{
    haft_str name = o->request->tools[tool]->name;
    return haft__str_equal(name, HAFT__LIT(SEARCH)) || haft__str_equal(name, HAFT__LIT(QUERY));
}

/* ---- the schema ---- */

/* The name at the start of a text, with its quotes. */
static haft_str name_at(haft_str text)
{
    size_t end = 0;
    bool quoted = false;
    while (end < text.len && (quoted || strchr(" ,", text.ptr[end]) == NULL)) {
        quoted ^= text.ptr[end] == '"';
        end++;
    }
    return (haft_str){text.ptr, end};
}

/* The line of a table without its kind: "orders, 12 rows"; "" for another line. */
static haft_str table_line(haft_str line)
{
    static const haft_str kinds[] = {HAFT__LIT("table "), HAFT__LIT("view "),
                                     HAFT__LIT("virtual table ")};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_starts_with(line, kinds[i])) {
            return haft__str_skip(line, kinds[i].len);
        }
    }
    return HAFT__LIT("");
}

/* A table and its lines of columns. */
typedef struct table {
    haft_str database, name, columns;
} table;

static unsigned count_bits(uint32_t bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* The table whose name has most words of the task, else the first one, which the search ranked
 * best. */
static bool choose_table(const haft__offline *o, haft_str schema, table *ret_table)
{
    haft_str rest = schema, database = HAFT__LIT("");
    unsigned most = 0;
    bool found = false;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n'), name = name_at(table_line(line));
        if (haft__str_starts_with(line, HAFT__LIT("database "))) {
            database = haft__str_skip(line, strlen("database "));
        }
        unsigned words = name.len > 0 ? count_bits(haft__offline_words_in(&o->words, name)) : 0;
        if (name.len > 0 && (!found || words > most)) {
            haft_str columns = rest;
            size_t length = 0;
            while (haft__str_starts_with(haft__str_skip(columns, length), HAFT__LIT("  "))) {
                haft_str from = haft__str_skip(columns, length);
                length += haft__str_split(&from, '\n').len + 1;
            }
            *ret_table =
                (table){database, name, {columns.ptr, length < rest.len ? length : rest.len}};
            most = words;
            found = true;
        }
    }
    return found;
}

/* ---- the filter ---- */

typedef struct filter {
    haft_str column;
    haft__json value;
} filter;

static bool is_in_word(char c)
{
    return haft__ascii_is_alphanumeric(c) || c == '_';
}

/* The offset after `word` in the task, as a whole word in any case; HAFT__OFFLINE_NONE if it is not
 * there. An underscore of the word is a space or an underscore. */
static size_t end_of_word(haft_str task, haft_str word)
{
    for (size_t at = 0; word.len > 0 && at + word.len <= task.len; at++) {
        size_t i = 0;
        while (i < word.len
               && (haft__ascii_lower(task.ptr[at + i]) == haft__ascii_lower(word.ptr[i])
                   || (word.ptr[i] == '_' && task.ptr[at + i] == ' '))) {
            i++;
        }
        bool starts = at == 0 || !is_in_word(task.ptr[at - 1]);
        bool ends = at + i == task.len || !is_in_word(task.ptr[at + i]);
        if (i == word.len && starts && ends) {
            return at + i;
        }
    }
    return HAFT__OFFLINE_NONE;
}

static haft_str unquote(haft_str name)
{
    bool quoted = name.len > 1 && name.ptr[0] == '"';
    return quoted ? (haft_str){name.ptr + 1, name.len - 2} : name;
}

/* The value after the column in the task: a quoted text, a number or a word, after "is", "=" and
 * such. */
static haft_str value_after(haft_str task, size_t at)
{
    haft_str rest = haft__str_skip(task, at);
    for (;;) {
        rest = haft__str_trim(rest);
        size_t quoted = rest.len > 0 ? haft__offline_quoted_length(rest, 0) : 0;
        if (quoted > 0) {
            return (haft_str){rest.ptr, quoted + 2};
        }
        haft_str after = rest, word = haft__str_split(&after, ' ');
        if (!haft__str_is_one_of(
                word, (const char *const[]){"is", "are", "=", "equals", "of", "was"}, 6)) {
            return haft__offline_trim_marks(word);
        }
        rest = after;
    }
}

static bool is_number(haft_str text)
{
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++) {
        digits += haft__ascii_is_digit(text.ptr[i]);
    }
    return digits > 0 && digits == text.len && (text.len == 1 || text.ptr[0] != '0');
}

static haft__json value_of(haft_str text)
{
    bool quoted = text.len > 2 && haft__offline_quoted_length(text, 0) + 2 == text.len;
    haft_str inside = quoted ? (haft_str){text.ptr + 1, text.len - 2} : text;
    return is_number(inside) && !quoted ? (haft__json){.kind = HAFT__JSON_NUMBER,
                                                       .integer = 1,
                                                       .count = (uint32_t)inside.len,
                                                       .text = inside.ptr}
                                        : haft__json_string(inside);
}

/* The first column that the task names before a value. */
static bool find_filter(const haft__offline *o, const table *from, filter *ret_filter)
{
    haft_str rest = from->columns, task = o->words.task;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        haft_str name = name_at(haft__str_skip(line, 2));
        size_t end = end_of_word(task, unquote(name));
        haft_str value = end != HAFT__OFFLINE_NONE ? value_after(task, end) : HAFT__LIT("");
        if (value.len > 0) {
            *ret_filter = (filter){name, value_of(value)};
            return true;
        }
    }
    return false;
}

/* ---- the query ---- */

static bool is_count(const haft__offline *o)
{
    return o->words.question == HAFT__OFFLINE_QUESTION_COUNT
           || end_of_word(o->words.task, HAFT__LIT("count")) != HAFT__OFFLINE_NONE
           || end_of_word(o->words.task, HAFT__LIT("number_of")) != HAFT__OFFLINE_NONE;
}

static bool propose_query(haft__offline *o, size_t tool, const table *from)
{
    filter where;
    bool filtered = find_filter(o, from, &where), count = is_count(o);
    haft_str query = haft__arena_format(
        o->arena, "SELECT %s FROM %.*s%s%.*s%s%s", count ? "count(*)" : "*", HAFT__ARG(from->name),
        filtered ? " WHERE " : "", HAFT__ARG(filtered ? where.column : HAFT__LIT("")),
        filtered ? " = $1" : "", count ? "" : " LIMIT 20");
    haft__json *values = haft__arena_array(o->arena, 1, sizeof(*values));
    if (values == NULL) {
        return haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
    }
    values[0] = filtered ? where.value : haft__json_null();
    haft__offline_member members[] = {
        {from->database.len > 0 ? "database" : NULL, haft__json_string(from->database)},
        {"query", haft__json_string(haft__offline_check_text(o, query))},
        {filtered ? "parameters" : NULL, haft__json_array(values, 1)},
    };
    o->text = count ? "Counting the rows." : "Selecting the rows.";
    return haft__offline_propose(o, tool, haft__offline_object(o, members, COUNT(members)),
                                 HAFT__OFFLINE_OPTIONAL);
}

bool haft__offline_ask_database(haft__offline *o)
{
    size_t search = find_tool(o, SEARCH), query = find_tool(o, QUERY);
    const haft__offline_call *schema = last_result(o, SEARCH);
    table from = {.name = HAFT__LIT("")};
    if (query == HAFT__OFFLINE_NONE || o->words.task.len == 0) {
        return false;
    }
    if (schema == NULL) {
        haft__offline_member members[] = {{"query", haft__json_string(o->words.task)}};
        o->text = "Searching the tables for the words of the task.";
        return search != HAFT__OFFLINE_NONE
               && haft__offline_propose(o, search, haft__offline_object(o, members, COUNT(members)),
                                        HAFT__OFFLINE_OPTIONAL);
    }
    return o->tallies[query].succeeded == 0 && choose_table(o, schema->result, &from)
           && propose_query(o, query, &from);
}

/* ---- the answer ---- */

bool haft__offline_write_rows(haft__buf *buf, const haft__offline *o)
{
    const haft__offline_call *call = last_result(o, QUERY);
    if (call == NULL) {
        return false;
    }
    haft_str query = haft__offline_argument(call, "query");
    const haft__json *values = haft__json_get(call->arguments, HAFT__LIT("parameters"));
    haft__offline_quote_code(buf, query, query.len);
    for (uint32_t i = 0; values != NULL && values->kind == HAFT__JSON_ARRAY && i < values->count;
         i++) {
        haft_str value = haft__json_text(values->items[i]);
        haft__buf_addf(buf, "%s$%u = ", i == 0 ? " with " : ", ", i + 1);
        haft__offline_quote_code(buf, value, value.len);
    }
    haft__buf_add_str(buf, HAFT__LIT(" returned:\n\n"));
    haft__offline_quote_block(buf, call->result, ANSWER_CHARS, ANSWER_LINES);
    haft__buf_add_str(buf, HAFT__LIT("\nThe query was made by rules, not by a language model: it "
                                     "knows no joins, and compares for equality only."));
    return true;
}
