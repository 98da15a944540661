/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.c - `haft search`: ranks the tools of a file for a query, like the tool search of an
 * agent.
 *
 * Answers one query, or one query from each line of a file (--queries).
 * docs/schemas/search.schema.json describes the objects it prints. Tests:
 * tests/cli/search_test.py.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/commands/search_embed.h"
#include "cli/input/batch.h"
#include "cli/input/search_file.h"
#include "cli/terminal/print.h"
#include "exec/embeddings/word_vectors.h"
#include "io/random.h"
#include "run/event_body.h"
#include "json/object.h"
#include "json/read.h"

#define DEFAULT_HITS 10U

typedef struct searcher {
    haft__search_index *search;
    haft__word_vectors vectors;
    haft__hash_key hash_key;
    size_t k;
    haft__search_embed embed;
    haft__search_docs docs; /* only with embeddings */
} searcher;

typedef struct answer {
    haft_str query; /* .ptr NULL: no query */
    haft__search_hit *hits;
    size_t count;
} answer;

/* ---- output ---- */

static void write_hit(haft__json_writer *w, const haft__search_hit *hit)
{
    char score[64];
    int length = snprintf(score, sizeof(score), "%.4f", hit->score);
    haft__json_begin_object(w);
    haft__field_text(w, "id", hit->id);
    haft__json_key(w, "score");
    haft__json_add(
        w, (haft__json){.kind = HAFT__JSON_NUMBER, .count = (uint32_t)length, .text = score});
    haft__field_string(w, "why", hit->why);
    haft__json_end_object(w);
}

/* Prints the hits or the error as one line of JSON. */
static haft_status print_object(FILE *out, const answer *found, const haft_error *failure,
                                haft_error *err)
{
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, 4 * (size_t)HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "query");
    if (found->query.ptr != NULL) {
        haft__json_add_str(&w, found->query);
    } else {
        haft__json_add_null(&w);
    }
    haft__json_key(&w, "hits");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < found->count; i++) {
        write_hit(&w, &found->hits[i]);
    }
    haft__json_end_array(&w);
    haft__field_error(&w, failure);
    haft__json_end_object(&w);
    haft_status status = haft__print_json_line(out, &text, err);
    haft__buf_finish(&text);
    return status;
}

static void print_words(FILE *out, const answer *found)
{
    for (size_t i = 0; i < found->count; i++) {
        (void)fprintf(out, "%8.4f  ", found->hits[i].score);
        haft__print_escaped(out, found->hits[i].id);
        if (found->hits[i].why[0] != '\0') {
            (void)fprintf(out, "  (%s)", found->hits[i].why);
        }
        (void)fputc('\n', out);
    }
}

/* ---- queries ---- */

static haft_status find(searcher *s, haft__arena *arena, haft_str query, answer *ret_answer,
                        haft_error *err)
{
    haft__search_embedding given;
    bool embeds = s->embed.embedder != NULL;
    ret_answer->query = query;
    haft_status status =
        embeds ? haft__search_embed_query(&s->embed, query, s->docs.items, s->docs.count, s->search,
                                          arena, &given, err)
               : HAFT_OK;
    return status == HAFT_OK
               ? haft__search_query_embedding(s->search, query, embeds ? &given : NULL, s->k, arena,
                                              &ret_answer->hits, &ret_answer->count, err)
               : status;
}

static haft_status read_query(const searcher *s, haft__arena *arena, haft_str line,
                              haft_str *ret_query, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = s->hash_key;
    haft__json object;
    haft_status status = haft__json_read(arena, line, &options, &object, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *query = haft__json_get(object, HAFT__LIT("query"));
    if (query == NULL || query->kind != HAFT__JSON_STRING) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "expected a string for \"query\", found %s",
                            query != NULL ? haft__json_kind_name(*query) : "none");
        return haft__hint(err, status, "a line is {\"query\": \"send a message to a channel\"}");
    }
    *ret_query = haft__json_text(*query);
    return HAFT_OK;
}

/* Handles one line and prints an object, also if the line is invalid. Only output can fail here. */
static haft_status handle_line(haft__cli *cli, void *context, haft_str line, size_t number,
                               const haft_error *too_long, haft_error *err)
{
    searcher *s = context;
    answer found = {0};
    haft_error failure = {.status = HAFT_OK};
    haft_str query = {NULL, 0};
    if (too_long != NULL) {
        return print_object(cli->out, &found, too_long, err);
    }
    haft_status status = read_query(s, &cli->arena, line, &query, &failure);
    if (status == HAFT_OK) {
        status = find(s, &cli->arena, query, &found, &failure);
    }
    if (status != HAFT_OK) {
        haft__batch_prefix_error(&failure, number);
    }
    return print_object(cli->out, &found, status != HAFT_OK ? &failure : NULL, err);
}

/* Uses an arena that each line resets. The arena of the command has the options. */
static haft__exit_status handle_lines(const haft__cli *cli, searcher *s, const char *path,
                                      haft_error *err)
{
    haft__cli inner = *cli;
    haft__arena_init(&inner.arena, 0);
    haft__exit_status result = haft__batch_run(&inner, path, handle_line, s, err);
    haft__arena_finish(&inner.arena);
    return result;
}

/* Joins the words of the command line to one text. */
static haft_status join(haft__arena *arena, const haft__args *args, haft_str *ret_query,
                        haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    for (size_t i = 0; i < args->word_count; i++) {
        haft__buf_add_str(&text, haft__str(i > 0 ? " " : ""));
        haft__buf_add_str(&text, haft__str(args->words[i]));
    }
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_query = haft__arena_copy(arena, haft__buf_str(&text));
        status = ret_query->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

static haft__exit_status handle_words(haft__cli *cli, searcher *s, const haft__args *args,
                                      haft_error *err)
{
    answer found = {0};
    haft_str query = {NULL, 0};
    haft_status status = join(&cli->arena, args, &query, err);
    if (status == HAFT_OK) {
        status = find(s, &cli->arena, query, &found, err);
    }
    if (status == HAFT_OK && haft__args_has(args, "json")) {
        status = print_object(cli->out, &found, NULL, err);
        cli->answered = status == HAFT_OK;
    } else if (status == HAFT_OK) {
        print_words(cli->out, &found);
        (void)fputs(found.count == 0 ? "haft: no tool matches this query\n" : "", cli->errors);
    }
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

/* ---- the command ---- */

static haft_status check_words(const haft__args *args, haft_error *err)
{
    const char *queries = haft__args_text(args, "queries", NULL);
    const char *tools = haft__args_text(args, "tools", NULL);
    haft_status status = HAFT_OK;
    if (tools == NULL) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "expected --tools FILE, found none");
        return haft__hint(err, status,
                          "a line of FILE is {\"id\", \"name\", \"server\", "
                          "\"description\", \"input_schema\"}");
    }
    if ((queries != NULL) == (args->word_count > 0)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected QUERY or --queries FILE, found %s",
                          queries != NULL ? "both" : "neither");
    }
    if (queries != NULL && strcmp(queries, "-") == 0 && strcmp(tools, "-") == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "only one of --tools and --queries can be standard input");
    }
    if (haft__args_number(args, "hits", DEFAULT_HITS) == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected at least 1 for --hits, found 0");
    }
    if (queries != NULL && haft__args_has(args, "json")) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "--json and --queries cannot be combined");
        return haft__hint(err, status, "--queries prints a JSON object for each line anyway");
    }
    return status;
}

/* Uses a separate arena for lines, too. */
static haft_status read_tools(const haft__cli *cli, searcher *s, const char *path, haft_error *err)
{
    haft__arena scratch;
    haft__search_duplicates again;
    haft__arena_init(&scratch, 0);
    haft_status status =
        haft__search_file_read(path, s->hash_key, &scratch, s->search,
                               s->embed.embedder != NULL ? &s->docs : NULL, &again, err);
    haft__arena_finish(&scratch);
    if (status == HAFT_OK && again.count > 0) {
        (void)fputs("haft: warning: ", cli->errors);
        haft__print_escaped(cli->errors, haft__str(path));
        (void)fprintf(cli->errors, ":%zu: an earlier tool has the same id; the last one is used",
                      again.first);
        (void)fprintf(cli->errors, " (%zu such line%s)\n", again.count,
                      again.count == 1 ? "" : "s");
    }
    return status;
}

static haft_status begin(const haft__cli *cli, searcher *s, const haft__args *args, haft_error *err)
{
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft_status status =
        haft__word_vectors_load(haft__args_text(args, "vectors", NULL), &s->vectors, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__search_embed_open(&s->embed, args, s->hash_key, err);
    if (status != HAFT_OK) {
        return status;
    }
    s->docs.arena = &s->embed.arena;
    options.hash_key = s->hash_key;
    options.vectors = s->vectors.found ? &s->vectors.table : NULL;
    status = haft__search_create(&options, &s->search, err);
    return status == HAFT_OK ? read_tools(cli, s, haft__args_text(args, "tools", NULL), err)
                             : status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    searcher s = {.hash_key = haft__random_hash_key(),
                  .k = haft__args_number(args, "hits", DEFAULT_HITS)};
    if (check_words(args, err) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    haft_status status = begin(cli, &s, args, err);
    haft__exit_status result = status == HAFT_OK          ? HAFT__EXIT_DONE
                               : status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED
                                                          : HAFT__EXIT_USAGE;
    if (status == HAFT_OK) {
        const char *queries = haft__args_text(args, "queries", NULL);
        result = queries != NULL ? handle_lines(cli, &s, queries, err)
                                 : handle_words(cli, &s, args, err);
    }
    haft__search_embed_close(&s.embed);
    haft__search_destroy(s.search);
    haft__word_vectors_finish(&s.vectors);
    return result;
}

static const haft__option options[] = {
    {"tools", 0, HAFT__OPTION_TEXT, "FILE", "the tools, a JSON object a line"},
    {"hits", 'k', HAFT__OPTION_NUMBER, "N", "at most N tools; by default 10"},
    {"queries", 0, HAFT__OPTION_TEXT, "FILE", "answer each line {\"query\"} of FILE"},
    {"vectors", 0, HAFT__OPTION_TEXT, "FILE", "a table of word vectors, or none"},
    {"embeddings", 0, HAFT__OPTION_TEXT, "URL", "the base URL of a server with /v1/embeddings"},
    {"embeddings-model", 0, HAFT__OPTION_TEXT, "NAME", "the model of that server"},
    {"embeddings-key-env", 0, HAFT__OPTION_TEXT, "NAME",
     "the environment variable with the API key of that server"},
    {"query-prefix", 0, HAFT__OPTION_TEXT, "TEXT", "text that the model needs before a query"},
    {"document-prefix", 0, HAFT__OPTION_TEXT, "TEXT", "text that the model needs before a tool"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    {0},
};

static const haft__example examples[] = {
    {"haft search --tools tools.jsonl -k 2 'send a message to a channel'", "the two best matches"},
    {"haft search --tools tools.jsonl --queries queries.jsonl", "many queries; print JSON"},
    {0},
};

const haft__command haft__cmd_search = {
    .name = "search",
    .usage = "[QUERY]...",
    .summary = "find tools by what they do",
    .help =
        "Prints the tools of FILE that match QUERY, best first, each with its score and the\n"
        "main reason, as `tool_search` finds them for a model. A line of FILE is {\"id\", "
        "\"name\",\n"
        "\"server\", \"description\", \"input_schema\"}; \"server\" may be omitted, and "
        "\"params\":\n"
        "[{\"name\", \"description\"}] can replace the schema.\n\n"
        "    haft search --tools FILE --queries FILE\n\n"
        "reads lines {\"query\": ...} and prints for each {\"query\", \"hits\": [{\"id\", "
        "\"score\",\n"
        "\"why\"}], \"error\"}. When a line cannot be used, \"error\" has the reason and the "
        "line.\n"
        "The exit status is 0 when every line was answered, also with an error.\n\n"
        "A table of word vectors, which is installed with haft, finds words of similar meaning;\n"
        "--vectors none turns it off. --embeddings uses the vectors of a model instead; a query\n"
        "fails when the server fails.\n",
    .options = options,
    .examples = examples,
    .max_words = 1000,
    .run = run,
    .object = true,
};
