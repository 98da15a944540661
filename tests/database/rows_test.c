/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/database/rows.c. */
#include "base/limits.h"
#include "database/rows.h"
#include "test.h"

#define TEXT(t)                                                                                    \
    {                                                                                              \
        HAFT__CELL_TEXT, HAFT__LIT(t)                                                              \
    }
#define NUMBER(t)                                                                                  \
    {                                                                                              \
        HAFT__CELL_NUMBER, HAFT__LIT(t)                                                            \
    }
#define NOTHING                                                                                    \
    {                                                                                              \
        HAFT__CELL_NULL,                                                                           \
        {                                                                                          \
            NULL, 0                                                                                \
        }                                                                                          \
    }

static const haft__result_column columns[] = {{HAFT__LIT("id"), HAFT__LIT("INTEGER")},
                                              {HAFT__LIT("a|b"), HAFT__LIT("")}};

/* The result of these rows of two cells; lives until the test ends. */
static haft_str write(haft__rows_format format, const haft__cell (*cells)[2], size_t count,
                      uint64_t max_rows, size_t max_bytes)
{
    haft__buf buf;
    haft__rows rows;
    haft__buf_init(&buf, 1 << 20);
    haft__rows_init(&rows, format, &buf, max_rows, max_bytes);
    haft__rows_begin(&rows, columns, COUNT(columns));
    for (size_t i = 0; i < count && haft__rows_add(&rows, cells[i]); i++) {
    }
    haft__rows_end(&rows);
    char *kept = test_alloc(buf.len + 1);
    memcpy(kept, buf.ptr, buf.len);
    haft_str text = {kept, buf.len};
    haft__buf_finish(&buf);
    return text;
}

static const haft__cell rows_of_all_kinds[][2] = {
    {NUMBER("1"), TEXT("Ann")},
    {NUMBER("-1.5e300"), NOTHING},
    {{HAFT__CELL_BOOLEAN, HAFT__LIT("true")}, TEXT("")},
    {NUMBER("Infinity"), {HAFT__CELL_BLOB, HAFT__LIT("\x00\xff")}},
    {NOTHING, TEXT("a,\"b\"\r\n")},
};

TEST(rows_are_written_as_a_table_as_csv_and_as_json)
{
    CHECK_STR(write(HAFT__ROWS_TABLE, rows_of_all_kinds, COUNT(rows_of_all_kinds), 10, 1000),
              HAFT__LIT("id INTEGER | \"a|b\"\n"
                        "1 | Ann\n"
                        "-1.5e300 | NULL\n"
                        "true | \"\"\n"
                        "Infinity | x'00ff'\n"
                        "NULL | \"a,\\\"b\\\"\\u000d\\n\"\n"
                        "(5 rows)"),
              "table");
    CHECK_STR(write(HAFT__ROWS_CSV, rows_of_all_kinds, COUNT(rows_of_all_kinds), 10, 1000),
              HAFT__LIT("id,a|b\r\n1,Ann\r\n-1.5e300,\r\ntrue,\"\"\r\nInfinity,\\x00ff\r\n"
                        ",\"a,\"\"b\"\"\r\n\"\r\n"),
              "CSV");
    CHECK_STR(write(HAFT__ROWS_JSON, rows_of_all_kinds, COUNT(rows_of_all_kinds), 10, 1000),
              HAFT__LIT("\"columns\":[{\"name\":\"id\",\"type\":\"INTEGER\"},{\"name\":\"a|b\","
                        "\"type\":null}],\"rows\":[[1,\"Ann\"],[-1.5e300,null],[true,\"\"],"
                        "[\"Infinity\",{\"base64\":\"AP8=\"}],[null,\"a,\\\"b\\\"\\r\\n\"]]"),
              "JSON");
}

TEST(no_text_looks_like_another_value)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"NULL", "\"NULL\""},
        {"null", "\"null\""},
        {"True", "\"True\""},
        {"12", "\"12\""},
        {"-1.5E+9", "\"-1.5E+9\""},
        {".5", "\".5\""},
        {"1.", "\"1.\""},
        {"2024-01-02", "2024-01-02"},
        {"1e", "1e"},
        {"-", "-"},
        {"1 2", "1 2"},
        {" a", "\" a\""},
        {"a ", "\"a \""},
        {"a|b", "\"a|b\""},
        {"a\tb", "\"a\\tb\""},
        {"(5 rows)", "\"(5 rows)\""},
        {"x'00'", "\"x'00'\""},
        {"\"a\"", "\"\\\"a\\\"\""},
        {"a\"b", "a\"b"},
        {"NaN", "\"NaN\""},
        {"\xff", "\"\\xff\""},
        {"caf\xc3\xa9", "caf\xc3\xa9"},
        {"\xe2\x80\xae"
         "a",
         "\"\\u202ea\""},
        {"a\\b", "a\\b"},
        {"a\\\n", "\"a\\\\\\n\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1000);
        CHECK(!haft__rows_write_text(&buf, haft__str(cases[i].text)), "%s", cases[i].shown);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].shown), "case %zu", i);
        haft__buf_finish(&buf);
    }
}

TEST(long_values_are_shortened)
{
    static char bytes[HAFT__LIMIT_SQL_CELL_BYTES + 1];
    memset(bytes, 'a', sizeof(bytes));
    haft__cell cells[][2] = {{{HAFT__CELL_TEXT, {bytes, sizeof(bytes) - 1}}, NOTHING},
                             {{HAFT__CELL_TEXT, {bytes, sizeof(bytes)}}, NOTHING},
                             {{HAFT__CELL_BLOB, {bytes, 17}}, NOTHING}};
    haft_str whole = write(HAFT__ROWS_TABLE, (const haft__cell(*)[2])cells, 1, 10, 4000);
    haft_str cut = write(HAFT__ROWS_TABLE, (const haft__cell(*)[2])cells, 2, 10, 4000);
    haft_str blob = write(HAFT__ROWS_TABLE, (const haft__cell(*)[2]) & cells[2], 1, 10, 4000);
    CHECK(haft__str_ends_with(whole, HAFT__LIT("a | NULL\n(1 row)")), "%.*s", HAFT__ARG(whole));
    CHECK(haft__str_ends_with(cut, HAFT__LIT("a... (501 bytes) | NULL\n(2 rows; 1 value is "
                                             "shortened: read a part with substr())")),
          "%.*s", HAFT__ARG(cut));
    CHECK(strstr(blob.ptr, "x'61616161616161616161616161616161...' (17 bytes) | NULL") != NULL,
          "%.*s", HAFT__ARG(blob));
    /* A character is never split. */
    memcpy(bytes + sizeof(bytes) - 2, "\xc3\xa9", 2);
    cut = write(HAFT__ROWS_TABLE, (const haft__cell(*)[2]) & cells[1], 1, 10, 4000);
    CHECK(strstr(cut.ptr, "aa... (501 bytes)") != NULL, "%.*s", HAFT__ARG(cut));
}

TEST(a_result_ends_at_its_limits)
{
    static const haft__cell two[][2] = {{NUMBER("1"), TEXT("a")}, {NUMBER("2"), TEXT("b")}};
    CHECK(haft__str_ends_with(write(HAFT__ROWS_TABLE, two, 2, 2, 1000), HAFT__LIT("(2 rows)")),
          "at the limit of rows");
    CHECK(haft__str_ends_with(write(HAFT__ROWS_TABLE, two, 2, 1, 1000),
                              HAFT__LIT("\n1 | a\n(the first 1 row; there are more: narrow the "
                                        "query, or count and group in SQL)")),
          "past the limit of rows");
    size_t header = strlen("id INTEGER | \"a|b\"\n"), row = strlen("1 | a\n");
    CHECK(haft__str_ends_with(write(HAFT__ROWS_TABLE, two, 2, 9, header + 2 * row),
                              HAFT__LIT("(2 rows)")),
          "at the limit of bytes");
    CHECK(haft__str_ends_with(write(HAFT__ROWS_TABLE, two, 2, 9, header + 2 * row - 1),
                              HAFT__LIT("\n1 | a\n(the first 1 row; the next one does not fit in "
                                        "30 bytes: select fewer columns or rows)")),
          "past the limit of bytes");
    CHECK_STR(write(HAFT__ROWS_CSV, two, 2, 1, 1000), HAFT__LIT("id,a|b\r\n1,a\r\n"), "CSV");
}
