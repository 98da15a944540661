/* SPDX-License-Identifier: Apache-2.0 */
/* samples.c - chooses sample values. Tests: tests/database/samples_test.c. */
#include "database/samples.h"

#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "base/utf8.h"
#include "database/rows.h"

/* Longer runs of digits can be numbers of accounts, longer words can be keys. */
#define DIGITS     5
#define WORD_BYTES 24

bool haft__samples_allow_column(haft_str name)
{
    static const haft_str words[] = {
        HAFT__LIT("pass"),    HAFT__LIT("pwd"),    HAFT__LIT("secret"),  HAFT__LIT("token"),
        HAFT__LIT("key"),     HAFT__LIT("hash"),   HAFT__LIT("salt"),    HAFT__LIT("pin"),
        HAFT__LIT("mail"),    HAFT__LIT("phone"),  HAFT__LIT("mobile"),  HAFT__LIT("fax"),
        HAFT__LIT("ssn"),     HAFT__LIT("iban"),   HAFT__LIT("card"),    HAFT__LIT("account"),
        HAFT__LIT("address"), HAFT__LIT("street"), HAFT__LIT("zip"),     HAFT__LIT("post"),
        HAFT__LIT("birth"),   HAFT__LIT("name"),   HAFT__LIT("login"),   HAFT__LIT("session"),
        HAFT__LIT("cookie"),  HAFT__LIT("auth"),   HAFT__LIT("license"), HAFT__LIT("tax"),
        HAFT__LIT("comment"), HAFT__LIT("note"),   HAFT__LIT("message"), HAFT__LIT("body")};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_contains_ignore_case(name, words[i])) {
            return false;
        }
    }
    return name.len > 0;
}

bool haft__samples_allow_value(haft_str value)
{
    size_t digits = 0, word = 0;
    bool allowed =
        value.len > 0 && value.len <= HAFT__LIMIT_SQL_SAMPLE_BYTES && haft__utf8_valid(value);
    for (size_t i = 0; allowed && i < value.len; i++) {
        char c = value.ptr[i];
        digits = haft__ascii_is_digit(c) ? digits + 1 : 0;
        word = c != ' ' ? word + 1 : 0;
        allowed = c != '@' && digits <= DIGITS && word <= WORD_BYTES;
    }
    return allowed;
}

static bool is_text(haft_str type)
{
    static const haft_str words[] = {HAFT__LIT("char"), HAFT__LIT("text"), HAFT__LIT("clob"),
                                     HAFT__LIT("string"), HAFT__LIT("enum")};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_contains_ignore_case(type, words[i])) {
            return true;
        }
    }
    return type.len == 0;
}

haft_status haft__samples_begin(haft__samples *samples, haft__catalog_builder *builder,
                                haft_str schema, haft_str table, haft__buf *query, haft_error *err)
{
    size_t count = 0;
    const haft__catalog_column *columns = haft__catalog_last_columns(builder, &count);
    *samples = (haft__samples){.builder = builder};
    samples->columns = haft__arena_array(builder->arena, count, sizeof(*samples->columns));
    samples->values = haft__arena_array(builder->arena, count, sizeof(*samples->values));
    if (samples->columns == NULL || samples->values == NULL) {
        return haft__arena_fail(builder->arena, err);
    }
    haft__buf_add_str(query, HAFT__LIT("SELECT "));
    for (size_t i = 0; i < count; i++) {
        if (is_text(columns[i].type) && haft__samples_allow_column(columns[i].name)) {
            haft__buf_add_str(query, samples->count > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
            /* A longer value is no sample: it need not be read. */
            haft__buf_add_str(query, HAFT__LIT("substr(CAST("));
            haft__catalog_write_name(query, columns[i].name);
            haft__buf_addf(query, " AS text), 1, %d)", HAFT__LIMIT_SQL_SAMPLE_BYTES + 1);
            samples->columns[samples->count++] = i;
        }
    }
    haft__buf_add_str(query, HAFT__LIT(" FROM "));
    haft__catalog_write_table_name(query, schema, table);
    haft__buf_addf(query, " LIMIT %d", HAFT__LIMIT_SQL_SAMPLE_ROWS);
    return haft__buf_check(query, err);
}

void haft__samples_add(haft__samples *samples, size_t column, haft_str value)
{
    haft_str *values = samples->values[column];
    size_t at = 0;
    if (!haft__samples_allow_value(value)) {
        return;
    }
    while (at < HAFT__LIMIT_SQL_SAMPLES && values[at].len > 0
           && !haft__str_equal(values[at], value)) {
        at++;
    }
    if (at < HAFT__LIMIT_SQL_SAMPLES && values[at].len == 0) {
        values[at] = haft__arena_copy(samples->builder->arena, value);
        samples->failed |= values[at].ptr == NULL;
    }
}

haft_status haft__samples_end(haft__samples *samples, haft_error *err)
{
    size_t count = 0;
    haft__catalog_column *columns = haft__catalog_last_columns(samples->builder, &count);
    haft__arena *arena = samples->builder->arena;
    haft__buf text;
    haft__buf_init(&text, 1 << 12);
    for (size_t i = 0; !samples->failed && i < samples->count; i++) {
        haft__buf_clear(&text);
        for (size_t k = 0; k < HAFT__LIMIT_SQL_SAMPLES && samples->values[i][k].len > 0; k++) {
            haft__buf_add_str(&text, k > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
            (void)haft__rows_write_text(&text, samples->values[i][k]);
        }
        haft_str kept = haft__arena_copy(arena, haft__buf_str(&text));
        samples->failed |= kept.ptr == NULL || text.status != HAFT_OK;
        columns[samples->columns[i]].samples = kept;
    }
    haft__buf_finish(&text);
    return samples->failed ? haft__arena_fail(arena, err) : HAFT_OK;
}
