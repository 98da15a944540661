/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/sql/sqlite_functions.c: the replacements give what SQLite's own functions
 * give. */
#include "exec/sql/sql_help.h"
#include "exec/sql/sqlite_int.h"

/* The value of the expression as SQLite quotes it; with the replacements or without. */
static haft_str evaluate(bool replaced, const char *expression)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    char text[512];
    (void)snprintf(text, sizeof(text), "SELECT quote(%s)", expression);
    CHECK_INT(sqlite3_open(":memory:", &db), SQLITE_OK, "open");
    CHECK(!replaced || haft__sqlite_replace_functions(db) == SQLITE_OK, "replace");
    CHECK_INT(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK, "%s", text);
    CHECK_INT(sqlite3_step(statement), SQLITE_ROW, "%s", text);
    const char *found = (const char *)sqlite3_column_text(statement, 0);
    char *kept = test_alloc(strlen(found) + 1);
    memcpy(kept, found, strlen(found) + 1);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return haft__str(kept);
}

TEST(replaced_functions_give_the_same_values)
{
    static const char *const cases[] = {
        "instr('hello', 'l')",
        "instr('hello', 'z')",
        "instr('hello', '')",
        "instr('', '')",
        "instr('', 'a')",
        "instr(NULL, 'a')",
        "instr('a', NULL)",
        "instr('h\xc3\xa9llo', 'l')",
        "instr(x'0102', x'02')",
        "instr(x'0102', '')",
        "instr(1234, 34)",
        "instr('a', 'abc')",
        "replace('hello', 'l', 'LL')",
        "replace('aaa', 'aa', 'b')",
        "replace('a', '', 'b')",
        "replace('', 'a', 'b')",
        "replace(NULL, 'a', 'b')",
        "replace('a', NULL, 'b')",
        "replace('a', 'a', NULL)",
        "replace('abc', 'b', '')",
        "replace(121, 2, 3)",
        "replace('abab', 'ab', '')",
        "trim('  a b  ')",
        "trim('xxaxx', 'x')",
        "trim('xyaxy', 'yx')",
        "trim('', 'x')",
        "trim('xx', 'x')",
        "trim(NULL)",
        "trim('a', NULL)",
        "trim('a', '')",
        "ltrim('xxaxx', 'x')",
        "rtrim('xxaxx', 'x')",
        "ltrim('  a ')",
        "rtrim(' a  ')",
        "trim('\xc3\xa9"
        "a\xc3\xa9', '\xc3\xa9')",
        "trim('\xe2\x82\xac\xc3\xa9"
        "a', "
        "'\xc3\xa9\xe2\x82\xac')",
        "rtrim('a\xe2\x82\xac', '\xc3\xa9\xe2\x82\xac')",
        "trim(1221, 1)",
        "trim('\xf0\x9f\x98\x80x\xf0\x9f\x98\x80', '\xf0\x9f\x98\x80')"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(evaluate(true, cases[i]), evaluate(false, cases[i]), "%s", cases[i]);
    }
}

TEST(functions_with_effects_are_not_allowed)
{
    static const struct {
        const char *name;
        bool allowed;
    } cases[] = {{"count", true},           {"COUNT", true},           {"json_extract", true},
                 {"load_extension", false}, {"fts3_tokenizer", false}, {"writefile", false},
                 {"readfile", false},       {"edit", false},           {"", false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__sqlite_allows_function(cases[i].name), cases[i].allowed, "%s",
                  cases[i].name);
    }
}
