/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/database/samples.c. */
#include "database/samples.h"
#include "test.h"

#define L(text) HAFT__LIT(text)

TEST(secret_and_personal_columns_and_values_have_no_samples)
{
    static const struct {
        const char *text;
        bool column, value;
    } cases[] = {
        {"status", true, true},
        {"password", false, true},
        {"API_Token", false, true},
        {"e_mail", false, true},
        {"customer_name", false, true},
        {"city", true, true},
        {"", false, false},
        {"a@b.c", true, false},
        {"12345", true, true},
        {"123456", true, false},
        {"in transit", true, true},
        {"\xff", true, false},
        {"abcdefghijklmnopqrstuvwx", true, true},
        {"abcdefghijklmnopqrstuvwxy", true, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__samples_allow_column(haft__str(cases[i].text)), cases[i].column, "%s",
                  cases[i].text);
        CHECK_INT(haft__samples_allow_value(haft__str(cases[i].text)), cases[i].value, "%s",
                  cases[i].text);
    }
    char value[HAFT__LIMIT_SQL_SAMPLE_BYTES + 1];
    memset(value, ' ', sizeof(value));
    CHECK(haft__samples_allow_value((haft_str){value, HAFT__LIMIT_SQL_SAMPLE_BYTES}),
          "the longest");
    CHECK(!haft__samples_allow_value((haft_str){value, sizeof(value)}), "a longer value");
}

TEST(a_column_has_a_few_different_values)
{
    haft__arena arena;
    haft__buf query;
    haft__samples samples;
    haft__catalog_builder b;
    haft__arena_init(&arena, 0);
    haft__buf_init(&query, 1000);
    haft__catalog_builder_init(&b, &arena);
    CHECK_INT(haft__catalog_add_table(&b, L(""), L("Orders"), "table", L(""), NULL), HAFT_OK,
              "table");
    const haft__catalog_column columns[] = {{.name = L("id"), .type = L("INTEGER")},
                                            {.name = L("status"), .type = L("TEXT")},
                                            {.name = L("password"), .type = L("TEXT")},
                                            {.name = L("kind"), .type = L("varchar(9)")}};
    for (size_t i = 0; i < COUNT(columns); i++) {
        CHECK_INT(haft__catalog_add_column(&b, &columns[i], NULL), HAFT_OK, "column");
    }
    CHECK_INT(haft__samples_begin(&samples, &b, L(""), L("Orders"), &query, NULL), HAFT_OK,
              "begin");
    CHECK_STR(
        haft__buf_str(&query),
        L("SELECT substr(CAST(status AS text), 1, 41), substr(CAST(kind AS text), 1, 41) FROM "
          "\"Orders\" LIMIT 100"),
        "query; %d rows", HAFT__LIMIT_SQL_SAMPLE_ROWS);
    static const char *const values[] = {"open", "open", "", "a@b", "shipped", "NULL", "fourth"};
    for (size_t i = 0; i < COUNT(values); i++) {
        haft__samples_add(&samples, 0, haft__str(values[i]));
    }
    CHECK_INT(haft__samples_end(&samples, NULL), HAFT_OK, "end");
    size_t count = 0;
    const haft__catalog_column *last = haft__catalog_last_columns(&b, &count);
    CHECK_INT(count, COUNT(columns), "columns");
    CHECK_STR(last[1].samples, L("open, shipped, \"NULL\""), "%d values", HAFT__LIMIT_SQL_SAMPLES);
    CHECK_STR(last[3].samples, L(""), "no values");
    haft__buf_finish(&query);
    haft__arena_finish(&arena);
}
