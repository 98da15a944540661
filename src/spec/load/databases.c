/* SPDX-License-Identifier: Apache-2.0 */
/*
 * databases.c - the databases of a spec, and the argument `database` of the tools that query them.
 * Tests: tests/spec/load/databases_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "spec/load/build_int.h"
#include "json/object.h"

/* ---- one database ---- */

/* PostgreSQL has rights for tables and columns: a second list could only promise less. */
static void check_filters(haft__loader *l, haft__json entry, haft_str pointer)
{
    static const char *const keys[] = {"tables", "columns"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        if (haft__object_get(entry, keys[i]).kind != HAFT__JSON_NULL) {
            haft__spec_problem *problem = haft__loader_error(
                l, haft__loader_pointer(l, "%.*s/%s", HAFT__ARG(pointer), keys[i]),
                HAFT__SUBJECT_KEY, "\"%s\" works only with SQLite", keys[i]);
            haft__loader_hint(l, problem,
                              "GRANT SELECT (COLUMN, ...) ON TABLE TO ROLE sets what the role of "
                              "this URL may read");
        }
    }
}

static void check_url(haft__loader *l, haft__json entry, haft_str pointer)
{
    haft__database_engine engine;
    haft_str url = haft__object_string(entry, "url"), place;
    haft_error err = {.status = HAFT_OK};
    haft_str at = haft__loader_pointer(l, "%.*s/url", HAFT__ARG(pointer));
    if (!haft__loader_keys_are_valid(l, "databases")
        || haft__str_starts_with(url, HAFT__LIT("${"))) {
        return; /* the schema has reported it; or the value is checked when it is used */
    }
    if (haft__database_read_url(url, &engine, &place, &err) != HAFT_OK) {
        haft__spec_problem *problem =
            haft__loader_error(l, at, HAFT__SUBJECT_VALUE, "%s", err.message);
        haft__loader_hint(l, problem, "%s", err.hint);
    } else if (engine == HAFT__DATABASE_POSTGRES) {
        check_filters(l, entry, pointer);
    }
}

static void check_read_only(haft__loader *l, haft__json entry, haft_str pointer)
{
    if (haft__object_get(entry, "read_only").kind == HAFT__JSON_FALSE) {
        haft__spec_problem *problem =
            haft__loader_error(l, haft__loader_pointer(l, "%.*s/read_only", HAFT__ARG(pointer)),
                               HAFT__SUBJECT_VALUE, "execute_sql only reads");
        haft__loader_hint(l, problem, "let a command with needs_approval change the database");
    }
}

static uint64_t read_timeout(haft__loader *l, haft__json entry, haft_str pointer)
{
    haft_str at = haft__loader_pointer(l, "%.*s/timeout", HAFT__ARG(pointer));
    uint64_t ms = haft__loader_read_duration(l, haft__object_get(entry, "timeout"), at,
                                             HAFT__LIMIT_SQL_TIMEOUT_DEFAULT_MS);
    if (ms == 0 || ms > HAFT__LIMIT_SQL_TIMEOUT_MS) {
        (void)haft__loader_error(l, at, HAFT__SUBJECT_VALUE,
                                 "expected a time above 0 and at most %d minutes, found %llu ms",
                                 HAFT__LIMIT_SQL_TIMEOUT_MS / 60000, (unsigned long long)ms);
        ms = HAFT__LIMIT_SQL_TIMEOUT_DEFAULT_MS;
    }
    return ms;
}

static haft__database_filter read_filter(haft__loader *l, haft__json entry, const char *key)
{
    haft__database_filter filter = {.patterns = NULL};
    filter.patterns = haft__loader_read_strings(l, haft__object_array(entry, key), &filter.count);
    return filter;
}

/* A larger number is an error of the schema. */
static uint32_t read_number(haft__json entry, const char *key, uint32_t fallback, uint32_t max)
{
    uint64_t number = haft__object_number(entry, key, fallback);
    return number < max ? (uint32_t)number : max;
}

static haft__database build_database(haft__loader *l, haft_str name, haft__json entry)
{
    haft_str pointer = haft__loader_pointer_to_key(l, HAFT__LIT("/databases"), name);
    check_url(l, entry, pointer);
    check_read_only(l, entry, pointer);
    return (haft__database){
        .name = name,
        .url = haft__object_string(entry, "url"),
        .rows = read_number(entry, "rows", HAFT__LIMIT_SQL_ROWS_DEFAULT, HAFT__LIMIT_SQL_ROWS),
        .bytes = read_number(entry, "bytes", HAFT__LIMIT_SQL_BYTES_DEFAULT, HAFT__LIMIT_SQL_BYTES),
        .timeout_ms = read_timeout(l, entry, pointer),
        .samples = haft__object_flag(entry, "samples", false),
        .tables = read_filter(l, entry, "tables"),
        .columns = read_filter(l, entry, "columns"),
    };
}

void haft__loader_build_databases(haft__loader *l)
{
    haft__json source = haft__object_object(l->source, "databases");
    haft__database *databases = haft__loader_alloc(l, source.count, sizeof(*databases));
    if (databases == NULL) {
        return;
    }
    if (source.count > HAFT__LIMIT_SQL_DATABASES) {
        (void)haft__loader_error(l, HAFT__LIT("/databases"), HAFT__SUBJECT_KEY,
                                 "the spec has more than %d databases", HAFT__LIMIT_SQL_DATABASES);
    }
    for (uint32_t i = 0; i < source.count; i++) {
        databases[i] =
            build_database(l, haft__json_text(source.members[i].key), source.members[i].value);
    }
    l->spec->databases = databases;
    l->spec->database_count = source.count;
}

/* ---- the argument `database` ---- */

/* The schema of the argument, with the names that it can have. */
static haft__json with_names(haft__loader *l, haft__json schema)
{
    haft__json_member *members = haft__loader_alloc(l, schema.count + 1U, sizeof(*members));
    haft__json *names = haft__loader_alloc(l, l->spec->database_count, sizeof(*names));
    if (members == NULL || names == NULL) {
        return schema;
    }
    for (uint32_t i = 0; i < schema.count; i++) {
        members[i] = schema.members[i];
    }
    for (size_t i = 0; i < l->spec->database_count; i++) {
        names[i] = haft__json_string(l->spec->databases[i].name);
    }
    members[schema.count] = (haft__json_member){haft__json_string(HAFT__LIT("enum")),
                                                haft__json_array(names, l->spec->database_count)};
    return haft__json_object(members, schema.count + 1U);
}

static bool is_database(haft__json name)
{
    return haft__str_equal(haft__json_text(name), HAFT__LIT("database"));
}

/* With one database the argument is removed, with several it is required. */
static haft__json name_in_properties(haft__loader *l, haft__json properties)
{
    haft__json_member *members = haft__loader_alloc(l, properties.count, sizeof(*members));
    uint32_t count = 0;
    if (members == NULL) {
        return properties;
    }
    for (uint32_t i = 0; i < properties.count; i++) {
        bool named = is_database(properties.members[i].key);
        if (!named || l->spec->database_count != 1) {
            members[count] = properties.members[i];
            members[count].value =
                named ? with_names(l, members[count].value) : members[count].value;
            count++;
        }
    }
    return haft__json_object(members, count);
}

static haft__json name_in_required(haft__loader *l, haft__json required)
{
    haft__json *names = haft__loader_alloc(l, required.count + 1U, sizeof(*names));
    uint32_t count = 0;
    if (names == NULL) {
        return required;
    }
    if (l->spec->database_count > 1) {
        names[count++] = haft__json_string(HAFT__LIT("database"));
    }
    for (uint32_t i = 0; i < required.count; i++) {
        names[count++] = required.items[i];
    }
    return haft__json_array(names, count);
}

void haft__loader_name_databases(haft__loader *l, haft__tool *tool)
{
    haft__json schema = tool->input_schema;
    haft__json_member *members = haft__loader_alloc(l, schema.count, sizeof(*members));
    const haft__json *known =
        haft__json_get(haft__object_object(schema, "properties"), HAFT__LIT("database"));
    if (members == NULL || known == NULL || l->spec->database_count == 0) {
        return;
    }
    for (uint32_t i = 0; i < schema.count; i++) {
        haft_str key = haft__json_text(schema.members[i].key);
        members[i] = schema.members[i];
        if (haft__str_equal(key, HAFT__LIT("properties"))) {
            members[i].value = name_in_properties(l, members[i].value);
        } else if (haft__str_equal(key, HAFT__LIT("required"))) {
            members[i].value = name_in_required(l, members[i].value);
        }
    }
    tool->input_schema = haft__json_object(members, schema.count);
}
