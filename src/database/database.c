/* SPDX-License-Identifier: Apache-2.0 */
/* database.c - URLs of databases, and the filters for tables and columns. Tests:
 * tests/database/database_test.c. */
#include "database/database.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/registry.h"

/* The longest text that haft__filter_matches compares. */
#define FILTER_BYTES HAFT__LIMIT_TOOL_NAME_BYTES

haft_status haft__database_read_url(haft_str url, haft__database_engine *ret_engine,
                                    haft_str *ret_rest, haft_error *err)
{
    static const haft_str file = HAFT__LIT("sqlite:");
    bool server = haft__str_starts_with(url, HAFT__LIT("postgres://"))
                  || haft__str_starts_with(url, HAFT__LIT("postgresql://"));
    bool has_file = haft__str_starts_with(url, file) && url.len > file.len;
    if (!server && !has_file) {
        haft_str rest = url, scheme = haft__str_split(&rest, ':');
        haft_status status =
            has_file || rest.len > 0
                ? haft__fail(err, HAFT_BAD_INPUT, "",
                             "expected the URL of a database, found '%.*s:'", HAFT__ARG(scheme))
                : haft__fail(err, HAFT_BAD_INPUT, "",
                             "expected the URL of a database, found a text without one");
        return haft__hint(err, status, "write sqlite:FILE or postgres://HOST/DATABASE");
    }
    *ret_engine = server ? HAFT__DATABASE_POSTGRES : HAFT__DATABASE_SQLITE;
    *ret_rest = server ? url : haft__str_skip(url, file.len);
    return HAFT_OK;
}

const char *haft__database_engine_name(haft__database_engine engine)
{
    switch (engine) {
    case HAFT__DATABASE_SQLITE: return "SQLite";
    case HAFT__DATABASE_POSTGRES: return "PostgreSQL";
    }
    HAFT__UNREACHABLE();
}

/* Writes the text in lower case. False if it is too long. */
static bool lower(haft_str text, char to[FILTER_BYTES], haft_str *ret_lower)
{
    if (text.len > FILTER_BYTES) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        to[i] = haft__ascii_lower(text.ptr[i]);
    }
    *ret_lower = (haft_str){to, text.len};
    return true;
}

bool haft__database_filter_passes(const haft__database_filter *filter, haft_str text)
{
    char name_bytes[FILTER_BYTES], pattern_bytes[FILTER_BYTES];
    haft_str name, pattern;
    bool included = false, includes = false, excluded = false;
    if (filter->count == 0) {
        return true;
    }
    if (!lower(text, name_bytes, &name)) {
        return false;
    }
    for (size_t i = 0; i < filter->count; i++) {
        bool excludes = haft__str_starts_with(filter->patterns[i], HAFT__LIT("!"));
        haft_str given = haft__str_skip(filter->patterns[i], excludes);
        bool matches = lower(given, pattern_bytes, &pattern) && haft__filter_matches(pattern, name);
        includes |= !excludes;
        included |= !excludes && matches;
        excluded |= excludes && matches;
    }
    return (included || !includes) && !excluded;
}

bool haft__database_shows_table(const haft__database *database, haft_str table)
{
    return haft__database_filter_passes(&database->tables, table);
}

bool haft__database_shows_column(const haft__database *database, haft_str table, haft_str column)
{
    char both[FILTER_BYTES];
    if (database->columns.count == 0) {
        return true;
    }
    if (table.len + 1 + column.len > sizeof(both)) {
        return false;
    }
    memcpy(both, table.ptr, table.len);
    both[table.len] = '.';
    memcpy(both + table.len + 1, column.ptr, column.len);
    return haft__database_filter_passes(&database->columns,
                                        (haft_str){both, table.len + 1 + column.len});
}
