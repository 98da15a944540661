/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog_hint.c - reads the unknown name from the error of an engine, and finds the nearest one.
 *
 * SQLite:     no such table: ordrs            no such column: o.totl
 * PostgreSQL: relation "ordrs" does not exist column o.totl does not exist
 *
 * Tests: tests/database/catalog_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "database/catalog.h"

/* The beginnings of the messages, and the kind of the name after them. */
static const struct {
    haft_str before;
    bool table;
} messages[] = {
    {HAFT__LIT("no such table: "), true},
    {HAFT__LIT("no such column: "), false},
    {HAFT__LIT("relation "), true},
    {HAFT__LIT("column "), false},
};

/* The name after `before`: between quotes, or up to a space or comma. */
static haft_str read_name(haft_str rest)
{
    haft_str name = rest;
    if (haft__str_starts_with(rest, HAFT__LIT("\""))) {
        rest = haft__str_skip(rest, 1);
        name = haft__str_split(&rest, '"');
    } else {
        name = haft__str_split(&rest, ' ');
        rest = name;
        name = haft__str_split(&rest, ',');
    }
    return name;
}

/* The part after the last dot, without quotes. */
static haft_str last_part(haft_str name)
{
    haft_str part = name, rest = name;
    while (rest.len > 0) {
        part = haft__str_split(&rest, '.');
    }
    if (part.len > 1 && part.ptr[0] == '"' && part.ptr[part.len - 1] == '"') {
        part = (haft_str){part.ptr + 1, part.len - 2};
    }
    return part;
}

/* Whether the message says that a name is unknown. */
static bool find_name(haft_str message, bool *ret_table, haft_str *ret_name)
{
    for (size_t i = 0; i < COUNT(messages); i++) {
        if (haft__str_starts_with(message, messages[i].before)) {
            *ret_table = messages[i].table;
            *ret_name = last_part(read_name(haft__str_skip(message, messages[i].before.len)));
            return ret_name->len > 0;
        }
    }
    return false;
}

static void hint_table(const haft__catalog *catalog, haft_str name, haft_error *err)
{
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    for (size_t i = 0; i < catalog->count; i++) {
        haft__suggestion_offer(&near, catalog->tables[i].name);
    }
    if (near.best.ptr != NULL) {
        (void)haft__hint(err, err->status, "did you mean the table '%.*s'?", HAFT__ARG(near.best));
    } else {
        (void)haft__hint(err, err->status, "find the tables with search_schemas");
    }
}

/* The column may be in any table: its table may have an alias. */
static void hint_column(const haft__catalog *catalog, haft_str name, haft_error *err)
{
    haft__suggestion near;
    haft_str owner = HAFT__LIT("");
    haft__suggestion_init(&near, name);
    for (size_t i = 0; i < catalog->count; i++) {
        const haft__catalog_table *table = &catalog->tables[i];
        for (size_t k = 0; k < table->column_count; k++) {
            haft_str before = near.best;
            haft__suggestion_offer(&near, table->columns[k].name);
            owner = before.ptr != near.best.ptr ? table->name : owner;
        }
    }
    if (near.best.ptr != NULL) {
        (void)haft__hint(err, err->status, "did you mean the column '%.*s' of %.*s?",
                         HAFT__ARG(near.best), HAFT__ARG(owner));
    } else {
        (void)haft__hint(err, err->status, "find the columns with search_schemas");
    }
}

void haft__catalog_hint(const haft__catalog *catalog, haft_error *err)
{
    bool table = false;
    haft_str name;
    if (err == NULL || !find_name(haft__str(err->message), &table, &name)) {
        return;
    }
    char kept[HAFT__LIMIT_SUGGESTION_BYTES];
    size_t length = name.len < sizeof(kept) ? name.len : sizeof(kept);
    memcpy(kept, name.ptr, length);
    (table ? hint_table : hint_column)(catalog, (haft_str){kept, length}, err);
}
