/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql.c - `haft sql`: the databases of a spec, the tables of one, or the rows of a query, with the
 * same guard as the tools of a model.
 *
 * docs/schemas/sql.schema.json describes the objects it prints. Tests: tests/cli/sql_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "exec/sql/call.h"
#include "store/store.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

typedef struct sql_command {
    haft__cli *cli;
    const haft__args *args;
    const haft__spec *spec;
    haft_error *err;
} sql_command;

static haft_status make_request(const sql_command *c, const haft__database *database,
                                haft__sql_request *ret_request)
{
    haft__spec_env env = haft__config_env(c->cli).env;
    *ret_request = (haft__sql_request){.stop = NULL};
    return haft__sql_request_init(&c->cli->arena, c->spec, &env, database, ret_request, c->err);
}

static haft_status print_object(const sql_command *c, haft__buf *text)
{
    haft_status status = haft__print_json_line(c->cli->out, text, c->err);
    c->cli->answered = status == HAFT_OK;
    return status;
}

/* ---- the databases ---- */

static haft_str engine_of(haft_str url)
{
    haft__database_engine engine;
    haft_str place;
    return haft__database_read_url(url, &engine, &place, NULL) == HAFT_OK
               ? haft__str(haft__database_engine_name(engine))
               : HAFT__LIT("");
}

static void write_database(haft__json_writer *w, const haft__database *database, haft_str engine,
                           haft_str url)
{
    haft__json_begin_object(w);
    haft__field_text(w, "name", database->name);
    haft__field_text_or_null(w, "engine", engine);
    haft__field_text(w, "url", url);
    haft__json_end_object(w);
}

/* The URL as the spec writes it: without the values of variables, and without a password. */
static haft_str display_url(const sql_command *c, haft_str url)
{
    haft_str copy = haft__arena_copy(&c->cli->arena, url);
    bool server = haft__str_starts_with(url, HAFT__LIT("postgres"));
    return server && copy.ptr != NULL ? haft__store_display_url(copy.ptr, &c->cli->arena) : url;
}

static haft_status list_databases(const sql_command *c)
{
    haft_status status = HAFT_OK;
    haft__buf text;
    haft__json_writer w;
    bool json = haft__args_has(c->args, "json");
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "databases");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < c->spec->database_count && status == HAFT_OK; i++) {
        const haft__database *database = &c->spec->databases[i];
        haft__sql_request request;
        status = make_request(c, database, &request);
        haft_str engine = status == HAFT_OK ? engine_of(request.url) : HAFT__LIT("");
        haft_str shown = display_url(c, database->url);
        write_database(&w, database, engine, shown);
        if (!json && status == HAFT_OK) {
            (void)fprintf(c->cli->out, "%.*s  %.*s  ", HAFT__ARG(database->name),
                          HAFT__ARG(engine));
            haft__print_escaped(c->cli->out, shown);
            (void)fputc('\n', c->cli->out);
        }
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
    if (status == HAFT_OK && json) {
        status = print_object(c, &text);
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- the tables of one ---- */

static void write_names(haft__json_writer *w, const char *key, const haft_str *names, size_t count)
{
    haft__json_key(w, key);
    haft__json_begin_array(w);
    for (size_t i = 0; i < count; i++) {
        haft__json_add_str(w, names[i]);
    }
    haft__json_end_array(w);
}

static void write_column(haft__json_writer *w, const haft__catalog_column *column)
{
    haft__json_begin_object(w);
    haft__field_text(w, "name", column->name);
    haft__field_text_or_null(w, "type", column->type);
    haft__field_flag(w, "not_null", column->not_null);
    haft__field_number(w, "key", column->key);
    haft__field_text_or_null(w, "comment", column->comment);
    haft__json_end_object(w);
}

static void write_link(haft__json_writer *w, const haft__catalog_link *link)
{
    haft__json_begin_object(w);
    write_names(w, "columns", link->columns, link->count);
    haft__field_text_or_null(w, "schema", link->schema);
    haft__field_text(w, "table", link->table);
    write_names(w, "targets", link->targets, link->count);
    haft__json_end_object(w);
}

static void write_table(haft__json_writer *w, const haft__catalog_table *table)
{
    haft__json_begin_object(w);
    haft__field_text_or_null(w, "schema", table->schema);
    haft__field_text(w, "name", table->name);
    haft__field_string(w, "kind", table->kind);
    haft__field_text_or_null(w, "comment", table->comment);
    if (table->has_rows) {
        haft__field_number(w, "rows", table->rows);
    } else {
        haft__field_null(w, "rows");
    }
    haft__json_key(w, "columns");
    haft__json_begin_array(w);
    for (size_t i = 0; i < table->column_count; i++) {
        write_column(w, &table->columns[i]);
    }
    haft__json_end_array(w);
    haft__json_key(w, "foreign_keys");
    haft__json_begin_array(w);
    for (size_t i = 0; i < table->link_count; i++) {
        write_link(w, &table->links[i]);
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
}

static void write_catalog(haft__buf *text, const haft__database *database,
                          const haft__catalog *catalog)
{
    haft__json_writer w;
    haft__json_writer_init(&w, text);
    haft__json_begin_object(&w);
    haft__field_text(&w, "database", database->name);
    haft__json_key(&w, "tables");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < catalog->count; i++) {
        write_table(&w, &catalog->tables[i]);
    }
    haft__json_end_array(&w);
    haft__field_flag(&w, "cut", catalog->cut);
    haft__json_end_object(&w);
}

static haft_status list_tables(const sql_command *c, const haft__database *database)
{
    haft__sql_request request;
    haft__catalog catalog;
    haft__buf text;
    haft_status status = make_request(c, database, &request);
    if (status == HAFT_OK) {
        status = haft__sql_read_catalog(&request, &c->cli->arena, &catalog, c->err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf_init(&text, HAFT__LIMIT_SQL_CATALOG_BYTES);
    if (haft__args_has(c->args, "json")) {
        write_catalog(&text, database, &catalog);
        status = print_object(c, &text);
    } else {
        for (size_t i = 0; i < catalog.count; i++) {
            haft__catalog_write_table(&text, &catalog.tables[i], SIZE_MAX);
        }
        status = haft__buf_check(&text, c->err);
        haft__print_content(c->cli->out, status == HAFT_OK ? haft__buf_str(&text) : HAFT__LIT(""));
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- a query ---- */

static haft_status read_parameters(const sql_command *c, haft__json *ret_values)
{
    const char *text = haft__args_text(c->args, "parameters", NULL);
    *ret_values = haft__json_null();
    if (text == NULL) {
        return HAFT_OK;
    }
    haft_status status =
        haft__json_read(&c->cli->arena, haft__str(text), NULL, ret_values, NULL, c->err);
    if (status == HAFT_OK && ret_values->kind != HAFT__JSON_ARRAY) {
        status =
            haft__fail(c->err, HAFT_BAD_INPUT, "--parameters",
                       "expected an array of values, found %s", haft__json_kind_name(*ret_values));
    }
    return status;
}

/* An object {database, columns, rows, row_count, cut}. */
static void begin_object(haft__buf *text, const haft__database *database)
{
    haft__buf_add_str(text, HAFT__LIT("{\"database\":"));
    haft__json_write_string(text, database->name);
    haft__buf_add_char(text, ',');
}

static haft_status print_rows(const sql_command *c, haft__buf *text, const haft__rows *rows)
{
    bool cut = rows->more_rows || rows->more_bytes;
    if (rows->format == HAFT__ROWS_JSON) {
        haft__buf_addf(text, ",\"row_count\":%llu,\"cut\":%s}", (unsigned long long)rows->count,
                       cut ? "true" : "false");
        return print_object(c, text);
    }
    haft__print_content(c->cli->out, haft__buf_str(text));
    if (rows->format == HAFT__ROWS_TABLE) {
        (void)fputc('\n', c->cli->out);
    } else if (cut) {
        (void)fprintf(c->cli->errors,
                      "haft: warning: these are the first %llu rows; `rows` and `bytes` of the "
                      "database set the limits\n",
                      (unsigned long long)rows->count);
    }
    return HAFT_OK;
}

static haft_status run_query(const sql_command *c, const haft__database *database)
{
    haft__sql_request request;
    haft__rows rows;
    haft__buf text;
    haft_status status = make_request(c, database, &request);
    if (status == HAFT_OK) {
        status = read_parameters(c, &request.parameters);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__rows_format format = haft__args_has(c->args, "json")  ? HAFT__ROWS_JSON
                               : haft__args_has(c->args, "csv") ? HAFT__ROWS_CSV
                                                                : HAFT__ROWS_TABLE;
    request.query = haft__str(c->args->words[2]);
    haft__buf_init(&text, database->bytes + HAFT__ROWS_BUFFER_BYTES);
    if (format == HAFT__ROWS_JSON) {
        begin_object(&text, database);
    }
    haft__rows_init(&rows, format, &text, database->rows, database->bytes);
    status = haft__sql_query(&request, &rows, c->err);
    if (status == HAFT_OK) {
        status = print_rows(c, &text, &rows);
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- the command ---- */

static haft_status check_words(const haft__args *args, haft_error *err)
{
    if (haft__args_has(args, "json") && haft__args_has(args, "csv")) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "--json and --csv cannot be combined");
    }
    if (args->word_count < 3 && haft__args_has(args, "csv")) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "--csv prints the rows of a query, found none");
    }
    return HAFT_OK;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__spec_file file;
    const haft__database *database = NULL;
    if (check_words(args, err) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    haft_status status = haft__spec_file_inspect(cli, args->words[0], args, &file, err);
    if (status != HAFT_OK) {
        return status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED : HAFT__EXIT_USAGE;
    }
    if (!haft__spec_file_usable(&file, cli)) {
        return HAFT__EXIT_USAGE;
    }
    sql_command c = {.cli = cli, .args = args, .spec = file.spec, .err = err};
    if (args->word_count == 1) {
        return list_databases(&c) == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
    }
    if (haft__sql_find_database(file.spec, haft__str(args->words[1]), &database, err) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    status = args->word_count == 2 ? list_tables(&c, database) : run_query(&c, database);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    {"parameters", 0, HAFT__OPTION_TEXT, "JSON",
     "an array with the values for the placeholders of QUERY"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    {"csv", 0, HAFT__OPTION_FLAG, NULL, "print the rows of QUERY as CSV"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE",
     "override a part of the spec: databases.shop.rows=1000; may be repeated"},
    HAFT__OPTION_NO_CONFIG,
    {0},
};

static const haft__example examples[] = {
    {"haft sql database.yaml", "list the databases of a spec"},
    {"haft sql database.yaml shop", "list the tables of one"},
    {"haft sql database.yaml shop 'SELECT count(*) FROM orders'", "run a query"},
    {0},
};

const haft__command haft__cmd_sql = {
    .name = "sql",
    .usage = "SPEC [NAME] [QUERY]",
    .summary = "query a database of a spec",
    .help = "Prints the databases of SPEC; with NAME, the tables of that database; with QUERY, "
            "the rows\n"
            "of one statement, which can only read: the guard is that of the tool `execute_sql`.\n"
            "In CSV, NULL is an empty field and an "
            "empty\n"
            "text is \"\".\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 3,
    .run = run,
    .object = true,
};
