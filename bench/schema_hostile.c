/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_hostile.c - how long hostile schemas and instances can keep the validator busy. Linear
 * work grows with the instance; exponential work stops when its budget is used up.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "bench.h"
#include "schema/schema.h"
#include "schema_bench.h"
#include "json/read.h"

#define MAX_BYTES ((size_t)1 << 26)

/* Each writes a schema and an instance. */
typedef void hostile_make(haft__buf *schema, haft__buf *instance);

static void different_items(haft__buf *schema, haft__buf *instance)
{
    haft__buf_addf(schema, "{\"uniqueItems\":true}");
    for (unsigned i = 0; i < 50000; i++) {
        haft__buf_addf(instance, "%c{\"id\":%u}", i == 0 ? '[' : ',', i);
    }
    haft__buf_addf(instance, "]");
}

static void unknown_names(haft__buf *schema, haft__buf *instance)
{
    for (unsigned i = 0; i < 1000; i++) {
        haft__buf_addf(schema, "%s\"one prefix %u\":{}", i == 0 ? "{\"properties\":{" : ",", i);
    }
    haft__buf_addf(schema, "}}");
    for (unsigned i = 0; i < 50000; i++) {
        haft__buf_addf(instance, "%c\"one prefix %u\":1", i == 0 ? '{' : ',', 1000 + i);
    }
    haft__buf_addf(instance, "}");
}

static void add_text(haft__buf *instance, char letter, const char *end)
{
    haft__buf_add_char(instance, '"');
    for (int i = 0; i < 100000; i++) {
        haft__buf_add_char(instance, letter);
    }
    haft__buf_addf(instance, "%s\"", end);
}

static void backtracking(haft__buf *schema, haft__buf *instance)
{
    haft__buf_addf(schema, "{\"pattern\":\"^(a+)+$\"}");
    add_text(instance, 'a', "!");
}

static void search_everywhere(haft__buf *schema, haft__buf *instance)
{
    haft__buf_addf(schema, "{\"pattern\":\"(a+a+)+[bc]\"}");
    add_text(instance, 'a', "");
}

static void doubling(haft__buf *schema, haft__buf *instance)
{
    haft__buf_addf(schema, "{\"$ref\":\"#/$defs/d40\",\"$defs\":{\"d0\":{\"maximum\":9}");
    for (unsigned i = 1; i <= 40; i++) {
        haft__buf_addf(
            schema, ",\"d%u\":{\"allOf\":[{\"$ref\":\"#/$defs/d%u\"},{\"$ref\":\"#/$defs/d%u\"}]}",
            i, i - 1, i - 1);
    }
    haft__buf_addf(schema, "}}");
    haft__buf_addf(instance, "1");
}

/* Three levels of `fan` references each, which lead to the leaf written before. */
static void add_references(haft__buf *schema, unsigned fan, const char *keyword)
{
    for (unsigned level = 1; level <= 3; level++) {
        haft__buf_addf(schema, ",\"l%u\":{\"%s\":[", level, keyword);
        for (unsigned i = 0; i < fan; i++) {
            haft__buf_addf(schema, "%s{\"$ref\":\"#/$defs/l%u\"}", i > 0 ? "," : "", level - 1);
        }
        haft__buf_addf(schema, "]}");
    }
    haft__buf_addf(schema, "}}");
}

static void plain_lists(haft__buf *schema, haft__buf *instance)
{
    haft__buf_addf(schema, "{\"$ref\":\"#/$defs/l3\",\"$defs\":{\"l0\":{\"allOf\":[true");
    for (unsigned i = 0; i < 200000; i++) {
        haft__buf_addf(schema, ",true");
    }
    haft__buf_addf(schema, "]}");
    add_references(schema, 30, "allOf");
    haft__buf_addf(instance, "1");
}

static void long_text(haft__buf *schema, haft__buf *instance)
{
    haft__buf_addf(schema, "{\"$ref\":\"#/$defs/l3\",\"$defs\":{\"l0\":{\"const\":");
    add_text(schema, 'x', "a");
    haft__buf_addf(schema, "}");
    add_references(schema, 60, "anyOf");
    add_text(instance, 'x', "b");
}

static void long_number(haft__buf *schema, haft__buf *instance)
{
    haft__buf_addf(schema, "{\"$ref\":\"#/$defs/l3\",\"$defs\":{\"l0\":{\"const\":");
    for (unsigned i = 0; i < 4090; i++) {
        haft__buf_add_char(schema, '1');
        haft__buf_add_char(instance, '1');
    }
    haft__buf_addf(schema, "1}");
    haft__buf_addf(instance, "2");
    add_references(schema, 100, "anyOf");
}

static void many_matches(haft__buf *schema, haft__buf *instance)
{
    for (unsigned i = 0; i < 5000; i++) {
        haft__buf_addf(schema, "%s\"^x%uy$\":true", i == 0 ? "{\"patternProperties\":{" : ",", i);
    }
    haft__buf_addf(schema, "}}");
    for (unsigned i = 0; i < 5000; i++) {
        haft__buf_addf(instance, "%c\"x%uz\":1", i == 0 ? '{' : ',', i);
    }
    haft__buf_addf(instance, "}");
}

static const struct {
    const char *name;
    hostile_make *make;
} cases[] = {
    {"`uniqueItems`, 50,000 objects that differ", different_items},
    {"50,000 members, none of 1,000 declared names", unknown_names},
    {"`^(a+)+$` against 100,000 letters", backtracking},
    {"`(a+a+)+[bc]` anywhere in 100,000 letters", search_everywhere},
    {"references that double 40 times", doubling},
    {"200,000 times `true` behind 27,000 ways", plain_lists},
    {"a `const` of 100,000 letters behind 216,000 ways", long_text},
    {"a `const` of 4,091 digits behind 1,000,000 ways", long_number},
    {"5,000 patterns for each of 5,000 names", many_matches},
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

typedef struct state {
    haft__buf schema_text, text;
    haft__arena compiled, scratch;
    haft__json value;
    const haft__schema *schema;
    haft__checker *checker;
    haft__schema_report report;
} state;

static bool do_check(void *context)
{
    state *s = context;
    haft__arena_reset(&s->scratch);
    return haft__schema_check(s->schema, s->checker, s->value, &s->scratch, &s->report, NULL)
           == HAFT_OK;
}

static void open_state(state *s, hostile_make *make)
{
    haft__buf_init(&s->schema_text, MAX_BYTES);
    haft__buf_init(&s->text, MAX_BYTES);
    haft__arena_init(&s->compiled, 0);
    haft__arena_init(&s->scratch, 0);
    s->checker = haft__checker_create();
    make(&s->schema_text, &s->text);
    haft__json schema;
    haft_str schema_text = haft__buf_str(&s->schema_text), text = haft__buf_str(&s->text);
    if (s->checker == NULL
        || haft__json_read(&s->compiled, schema_text, NULL, &schema, NULL, NULL) != HAFT_OK
        || haft__json_read(&s->compiled, text, NULL, &s->value, NULL, NULL) != HAFT_OK
        || haft__schema_compile(&s->compiled, schema, NULL, &s->schema, NULL) != HAFT_OK) {
        (void)fprintf(stderr, "bench: a hostile schema or its instance is not accepted\n");
        exit(1);
    }
}

static void close_state(state *s)
{
    haft__checker_destroy(s->checker);
    haft__arena_finish(&s->compiled);
    haft__arena_finish(&s->scratch);
    haft__buf_finish(&s->schema_text);
    haft__buf_finish(&s->text);
}

void bench_schema_hostile(void)
{
    static state states[CASES];
    bench_contender work[CASES];
    for (size_t i = 0; i < CASES; i++) {
        open_state(&states[i], cases[i].make);
        work[i] = (bench_contender){cases[i].name, do_check, &states[i], 0};
    }
    bench_compare(work, CASES, 0.02);
    printf("### Hostile schemas and instances (haft, validate)\n\n"
           "| what | bytes of instance | ms | verdict |\n|---|---:|---:|---|\n");
    for (size_t i = 0; i < CASES; i++) {
        const haft__schema_report *report = &states[i].report;
        printf("| %s | %zu | %.2f | ", cases[i].name, states[i].text.len, work[i].seconds * 1e3);
        printf("%.*s |\n",
               HAFT__ARG(report->valid ? HAFT__LIT("valid") : report->errors[0].message));
        close_state(&states[i]);
    }
    printf("\n");
}
