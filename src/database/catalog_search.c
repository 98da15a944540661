/* SPDX-License-Identifier: Apache-2.0 */
/* catalog_search.c - the index of tables, and the result of a search. Tests:
 * tests/database/catalog_search_test.c. */
#include "database/catalog_search.h"

#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

/* ---- the index ---- */

/* A column as an argument of a tool: {type: "string", description}. The description has the comment
 * and the samples; types are the same in all tables. */
static haft_status column_schema(haft__arena *arena, const haft__catalog_column *column,
                                 haft__json *ret_schema, haft_error *err)
{
    haft__json_member *members = haft__arena_array(arena, 1, sizeof(*members));
    haft_str text = haft__arena_format(arena, "%.*s %.*s", HAFT__ARG(column->comment),
                                       HAFT__ARG(column->samples));
    if (members == NULL || text.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    members[0] =
        (haft__json_member){haft__json_string(HAFT__LIT("description")), haft__json_string(text)};
    *ret_schema = haft__json_object(members, 1);
    return HAFT_OK;
}

static haft_status table_schema(haft__arena *arena, const haft__catalog_table *table,
                                haft__json *ret_schema, haft_error *err)
{
    haft__json_member *columns = haft__arena_array(arena, table->column_count, sizeof(*columns));
    haft__json_member *members = haft__arena_array(arena, 1, sizeof(*members));
    haft_status status =
        columns != NULL && members != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (size_t i = 0; status == HAFT_OK && i < table->column_count; i++) {
        columns[i].key = haft__json_string(table->columns[i].name);
        status = column_schema(arena, &table->columns[i], &columns[i].value, err);
    }
    if (status == HAFT_OK) {
        members[0] = (haft__json_member){haft__json_string(HAFT__LIT("properties")),
                                         haft__json_object(columns, table->column_count)};
        *ret_schema = haft__json_object(members, 1);
    }
    return status;
}

static haft_status add_table(haft__search_index *index, haft__arena *arena, haft_str database,
                             const haft__catalog_table *table, const char *id, haft_error *err)
{
    haft__json schema;
    haft_status status = table_schema(arena, table, &schema, err);
    haft__search_doc doc = {.id = haft__str(id),
                            .name = table->name,
                            .group = table->schema.len > 0 ? table->schema : database,
                            .text = table->comment,
                            .schema = &schema};
    return status == HAFT_OK ? haft__search_add(index, &doc, err) : status;
}

haft_status haft__catalog_index(const haft__catalog_source *sources, size_t count,
                                haft__search_index *index, haft_error *err)
{
    haft__arena arena;
    haft_status status = HAFT_OK;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        for (size_t k = 0; status == HAFT_OK && k < sources[i].catalog.count; k++) {
            char id[48];
            (void)snprintf(id, sizeof(id), "%zu:%zu", i, k);
            status = add_table(index, &arena, sources[i].database, &sources[i].catalog.tables[k],
                               id, err);
            haft__arena_reset(&arena);
        }
    }
    haft__arena_finish(&arena);
    return status;
}

/* ---- a result ---- */

/* The tables that were found, in the order of their ranks. */
typedef struct found_tables {
    size_t source[HAFT__LIMIT_SQL_FOUND_TABLES], table[HAFT__LIMIT_SQL_FOUND_TABLES];
    size_t count;
} found_tables;

static size_t read_index(haft_str text)
{
    uint64_t number = 0;
    (void)haft__str_to_u64(text, &number);
    return (size_t)number;
}

static haft_status find(const haft__search_index *index, haft_str query, uint64_t limit,
                        found_tables *ret_found, haft_error *err)
{
    haft__arena arena;
    haft__search_hit *hits = NULL;
    haft__arena_init(&arena, 0);
    ret_found->count = 0;
    size_t most = limit == 0                             ? HAFT__LIMIT_SQL_FOUND_DEFAULT
                  : limit < HAFT__LIMIT_SQL_FOUND_TABLES ? (size_t)limit
                                                         : HAFT__LIMIT_SQL_FOUND_TABLES;
    haft_status status =
        haft__search_query(index, query, most, &arena, &hits, &ret_found->count, err);
    for (size_t i = 0; status == HAFT_OK && i < ret_found->count; i++) {
        haft_str rest = hits[i].id;
        ret_found->source[i] = read_index(haft__str_split(&rest, ':'));
        ret_found->table[i] = read_index(rest);
    }
    haft__arena_finish(&arena);
    return status;
}

/* Writes the tables of one database. False if one did not fit. */
static bool write_tables(const haft__catalog_source *sources, const found_tables *found,
                         size_t source, haft__buf *result)
{
    for (size_t i = 0; i < found->count; i++) {
        size_t before = result->len;
        if (found->source[i] != source) {
            continue;
        }
        haft__catalog_write_table(result, &sources[source].catalog.tables[found->table[i]],
                                  HAFT__LIMIT_SQL_FOUND_COLUMNS);
        if (result->status == HAFT_OK && result->len > HAFT__LIMIT_SQL_FOUND_BYTES && before > 0) {
            result->len = before;
            return false;
        }
    }
    return true;
}

static haft_status write_joins(const haft__catalog_source *source, const found_tables *found,
                               size_t index, haft__buf *result, haft_error *err)
{
    size_t tables[HAFT__LIMIT_SQL_FOUND_TABLES], count = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (found->source[i] == index) {
            tables[count++] = found->table[i];
        }
    }
    return haft__catalog_write_joins(&source->catalog, tables, count, result, err);
}

static size_t count_of(const found_tables *found, size_t source)
{
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++) {
        count += found->source[i] == source;
    }
    return count;
}

/* The last line: how many tables there are, and what could not be read. */
static void write_end(const haft__catalog_source *sources, size_t count, size_t shown,
                      haft__buf *result)
{
    size_t tables = 0;
    bool cut = false;
    for (size_t i = 0; i < count; i++) {
        tables += sources[i].catalog.count;
        cut |= sources[i].catalog.cut;
    }
    if (shown == 0) {
        haft__buf_addf(result, "(no table matches; there are %zu)", tables);
    } else if (shown < tables) {
        haft__buf_addf(result, "(%zu of %zu%s tables: search again with other words for more)",
                       shown, tables, cut ? " or more" : "");
    }
    for (size_t i = 0; i < count; i++) {
        if (sources[i].problem.len > 0) {
            haft__buf_addf(result, "\n(the database %.*s cannot be read: %.*s)",
                           HAFT__ARG(sources[i].database), HAFT__ARG(sources[i].problem));
        }
    }
}

haft_status haft__catalog_search(const haft__catalog_source *sources, size_t count,
                                 const haft__search_index *index, haft_str query, uint64_t limit,
                                 haft__buf *result, haft_error *err)
{
    found_tables found;
    size_t shown = 0;
    bool fits = true;
    haft_status status = find(index, query, limit, &found, err);
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        size_t here = count_of(&found, i);
        if (here == 0) {
            continue;
        }
        if (count > 1) {
            haft__buf_addf(result, "database %.*s\n", HAFT__ARG(sources[i].database));
        }
        fits = write_tables(sources, &found, i, result) && fits;
        status = write_joins(&sources[i], &found, i, result, err);
        shown += here;
    }
    if (status == HAFT_OK) {
        if (!fits) {
            haft__buf_add_str(result, HAFT__LIT("(not all found tables fit: ask for fewer)\n"));
        }
        write_end(sources, count, shown, result);
        status = haft__buf_check(result, err);
    }
    return status;
}
