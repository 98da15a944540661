/* SPDX-License-Identifier: Apache-2.0 */
/* catalog_build.c - builds a catalog. Tests: tests/database/catalog_test.c. */
#include "database/catalog_build.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

void haft__catalog_builder_init(haft__catalog_builder *builder, haft__arena *arena)
{
    *builder = (haft__catalog_builder){.arena = arena};
}

bool haft__catalog_is_full(const haft__catalog_builder *builder)
{
    return builder->cut;
}

/* Copies the text. False if out of memory. */
static bool keep(haft__arena *arena, haft_str *text)
{
    *text = haft__arena_copy(arena, *text);
    return text->ptr != NULL;
}

haft_status haft__catalog_add_table(haft__catalog_builder *builder, haft_str schema, haft_str name,
                                    const char *kind, haft_str comment, haft_error *err)
{
    haft__arena *arena = builder->arena;
    if (builder->cut || builder->table_count == HAFT__LIMIT_SQL_TABLES) {
        builder->cut = true;
        return HAFT_OK;
    }
    haft__catalog_table *tables =
        haft__vec_reserve_in(arena, builder->tables, builder->table_count, &builder->table_capacity,
                             builder->table_count + 1, sizeof(*tables));
    haft__catalog_table table = {.schema = schema, .name = name, .kind = kind, .comment = comment};
    if (tables == NULL || !keep(arena, &table.schema) || !keep(arena, &table.name)
        || !keep(arena, &table.comment)) {
        return haft__arena_fail(arena, err);
    }
    builder->tables = tables;
    builder->tables[builder->table_count++] = table;
    return HAFT_OK;
}

haft_status haft__catalog_add_column(haft__catalog_builder *builder,
                                     const haft__catalog_column *column, haft_error *err)
{
    haft__arena *arena = builder->arena;
    if (builder->cut || builder->column_count == HAFT__LIMIT_SQL_COLUMNS) {
        builder->cut = true;
        return HAFT_OK;
    }
    haft__catalog_column *columns = haft__vec_reserve_in(
        arena, builder->columns, builder->column_count, &builder->column_capacity,
        builder->column_count + 1, sizeof(*columns));
    haft__catalog_column copy = *column;
    if (columns == NULL || !keep(arena, &copy.name) || !keep(arena, &copy.type)
        || !keep(arena, &copy.comment) || !keep(arena, &copy.samples)) {
        return haft__arena_fail(arena, err);
    }
    builder->columns = columns;
    builder->columns[builder->column_count++] = copy;
    builder->tables[builder->table_count - 1].column_count++;
    return HAFT_OK;
}

/* Appends one name to a list of names in the arena. */
static bool add_name(haft__arena *arena, const haft_str **names, size_t count, haft_str name)
{
    haft_str *longer = haft__arena_array(arena, count + 1, sizeof(*longer));
    if (longer == NULL || !keep(arena, &name)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        longer[i] = (*names)[i];
    }
    longer[count] = name;
    *names = longer;
    return true;
}

haft_status haft__catalog_add_link(haft__catalog_builder *builder, bool first, haft_str schema,
                                   haft_str table, haft_str column, haft_str target,
                                   haft_error *err)
{
    haft__arena *arena = builder->arena;
    if (builder->cut) {
        return HAFT_OK;
    }
    if (first) {
        haft__catalog_link *links =
            haft__vec_reserve_in(arena, builder->links, builder->link_count,
                                 &builder->link_capacity, builder->link_count + 1, sizeof(*links));
        haft__catalog_link link = {.schema = schema, .table = table};
        if (links == NULL || !keep(arena, &link.schema) || !keep(arena, &link.table)) {
            return haft__arena_fail(arena, err);
        }
        builder->links = links;
        builder->links[builder->link_count++] = link;
        builder->tables[builder->table_count - 1].link_count++;
    }
    haft__catalog_link *link = &builder->links[builder->link_count - 1];
    if (!add_name(arena, &link->columns, link->count, column)
        || !add_name(arena, &link->targets, link->count, target)) {
        return haft__arena_fail(arena, err);
    }
    link->count++;
    return HAFT_OK;
}

void haft__catalog_set_rows(haft__catalog_builder *builder, uint64_t rows)
{
    if (!builder->cut) {
        builder->tables[builder->table_count - 1].has_rows = true;
        builder->tables[builder->table_count - 1].rows = rows;
    }
}

haft__catalog_column *haft__catalog_last_columns(haft__catalog_builder *builder, size_t *ret_count)
{
    *ret_count = 0;
    if (builder->cut || builder->table_count == 0) {
        return NULL;
    }
    *ret_count = builder->tables[builder->table_count - 1].column_count;
    return *ret_count > 0 ? builder->columns + builder->column_count - *ret_count : NULL;
}

/* The key of a table in a map: ASCII case is ignored. */
static haft_str map_key(haft__arena *arena, haft_str schema, haft_str name)
{
    haft_str key = haft__arena_format(arena, "%.*s.%.*s", HAFT__ARG(schema), HAFT__ARG(name));
    char *text = (char *)(uintptr_t)key.ptr;
    for (size_t i = 0; i < key.len; i++) {
        text[i] = haft__ascii_lower(text[i]);
    }
    return key;
}

static haft_status find_targets(haft__catalog_builder *builder, haft_error *err)
{
    haft__map tables;
    haft__arena scratch;
    haft_status status = HAFT_OK;
    haft__arena_init(&scratch, 0);
    haft__map_init(&tables, &scratch, (haft__hash_key){0, 0});
    for (size_t i = 0; status == HAFT_OK && builder->link_count > 0 && i < builder->table_count;
         i++) {
        haft__catalog_table *table = &builder->tables[i];
        haft_str key = map_key(&scratch, table->schema, table->name);
        status = key.ptr != NULL ? haft__map_put(&tables, key, table, err)
                                 : haft__arena_fail(&scratch, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < builder->link_count; i++) {
        haft__catalog_link *link = &builder->links[i];
        haft_str key = map_key(&scratch, link->schema, link->table);
        const haft__catalog_table *found = key.ptr != NULL ? haft__map_get(&tables, key) : NULL;
        link->to = found != NULL ? (size_t)(found - builder->tables) : builder->table_count;
        status = key.ptr != NULL ? HAFT_OK : haft__arena_fail(&scratch, err);
    }
    haft__arena_finish(&scratch);
    return status;
}

haft_status haft__catalog_build(haft__catalog_builder *builder, haft__catalog *ret_catalog,
                                haft_error *err)
{
    size_t column = 0, link = 0;
    for (size_t i = 0; i < builder->table_count; i++) {
        builder->tables[i].columns = builder->columns + column;
        builder->tables[i].links = builder->links + link;
        column += builder->tables[i].column_count;
        link += builder->tables[i].link_count;
    }
    *ret_catalog = (haft__catalog){.tables = builder->tables,
                                   .count = builder->table_count,
                                   .column_count = column,
                                   .cut = builder->cut};
    return find_targets(builder, err);
}
