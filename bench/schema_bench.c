/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_bench.c - the cost of one tool call: its schema compiled once, its arguments parsed and
 * validated each time. The schema and the arguments are those of a search tool as agents use them.
 */
#include "schema_bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "bench.h"
#include "schema/schema.h"
#include "json/read.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"query\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":500,"
    "\"description\":\"Search terms to look for\"},"
    "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"default\":10},"
    "\"sort\":{\"type\":\"string\",\"enum\":[\"relevance\",\"date\",\"name\"]},"
    "\"include_archived\":{\"type\":\"boolean\"},"
    "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":10},"
    "\"filter\":{\"type\":\"object\",\"properties\":{"
    "\"country\":{\"type\":\"string\",\"minLength\":2,\"maxLength\":2},"
    "\"min_age\":{\"type\":\"integer\",\"minimum\":0},"
    "\"since\":{\"type\":\"string\",\"pattern\":\"^\\\\d{4}-\\\\d{2}-\\\\d{2}$\"}},"
    "\"additionalProperties\":false}},"
    "\"required\":[\"query\"],\"additionalProperties\":false}";

static const char plain_arguments[] =
    "{\"query\":\"customers in Berlin with open invoices\",\"limit\":10,\"sort\":\"date\","
    "\"filter\":{\"country\":\"DE\",\"min_age\":21}}";

static const char pattern_arguments[] =
    "{\"query\":\"customers in Berlin with open invoices\",\"limit\":10,\"sort\":\"date\","
    "\"filter\":{\"country\":\"DE\",\"since\":\"2026-03-01\"}}";

typedef struct state {
    haft__arena arena, compiled;
    haft__json parsed_schema, parsed;
    const haft__schema *schema;
    haft__checker *checker;
    haft_str text;
} state;

static bool do_compile(void *context)
{
    state *s = context;
    const haft__schema *schema;
    haft__arena_reset(&s->arena);
    return haft__schema_compile(&s->arena, s->parsed_schema, NULL, &schema, NULL) == HAFT_OK;
}

static bool do_validate(void *context)
{
    state *s = context;
    haft__schema_report report;
    return haft__schema_check(s->schema, s->checker, s->parsed, &s->arena, &report, NULL) == HAFT_OK
           && report.valid;
}

static bool do_parse(void *context)
{
    state *s = context;
    haft__arena_reset(&s->arena);
    return haft__json_read(&s->arena, s->text, NULL, &s->parsed, NULL, NULL) == HAFT_OK;
}

static bool do_both(void *context)
{
    return do_parse(context) && do_validate(context);
}

static void open_state(state *s, const char *arguments)
{
    haft_str text = haft__str(schema_text);
    haft__arena_init(&s->arena, 0);
    haft__arena_init(&s->compiled, 0);
    s->checker = haft__checker_create();
    s->text = haft__str(arguments);
    bool good =
        s->checker != NULL
        && haft__json_read(&s->compiled, text, NULL, &s->parsed_schema, NULL, NULL) == HAFT_OK
        && haft__schema_compile(&s->compiled, s->parsed_schema, NULL, &s->schema, NULL) == HAFT_OK
        && do_both(s);
    if (!good) {
        (void)fprintf(stderr, "bench: the schema or its arguments are not accepted\n");
        exit(1);
    }
}

static void close_state(state *s)
{
    haft__checker_destroy(s->checker);
    haft__arena_finish(&s->arena);
    haft__arena_finish(&s->compiled);
}

void bench_schema(void)
{
    static state states[4];
    open_state(&states[0], plain_arguments);
    open_state(&states[1], plain_arguments);
    open_state(&states[2], pattern_arguments);
    open_state(&states[3], plain_arguments);
    bench_contender work[] = {
        {"validate arguments", do_validate, &states[0], 0},
        {"parse and validate arguments", do_both, &states[1], 0},
        {"the same with a `pattern` to match", do_both, &states[2], 0},
        {"compile the schema (12 subschemas, one `pattern`)", do_compile, &states[3], 0},
    };
    bench_compare(work, 4, 0.02);
    printf("### Tool calls (%zu bytes of arguments, %zu bytes of schema)\n\n"
           "| what | ns | per second |\n|---|---:|---:|\n",
           states[0].text.len, sizeof(schema_text) - 1);
    for (size_t i = 0; i < 4; i++) {
        printf("| %s | %.0f | %.0f |\n", work[i].name, work[i].seconds * 1e9, 1 / work[i].seconds);
        close_state(&states[i]);
    }
    printf("\n");
}
