/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads_test.c - threads may share a compiled schema and its patterns; each thread has its own
 * checker and arena. Most useful under `make tsan`.
 */
#include <pthread.h>

#include "base/arena.h"
#include "schema/schema.h"
#include "json/json_help.h"

#define THREADS 4
#define ROUNDS  200

/* A keyword of every sort that keeps something outside the tree: patterns, references, tables. */
static const char schema_text[] =
    "{\"type\":\"object\",\"required\":[\"name\",\"list\"],"
    "\"properties\":{"
    "\"name\":{\"type\":\"string\",\"pattern\":\"^(?<first>[a-z]+)-\\\\k<first>$\"},"
    "\"list\":{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"$ref\":\"#/$defs/item\"}},"
    "\"choice\":{\"enum\":[1,2.5,\"x\",{\"a\":[1]}]},"
    "\"tree\":{\"$ref\":\"#/$defs/tree\"}},"
    "\"patternProperties\":{\"^x-\":{\"type\":\"integer\",\"multipleOf\":3}},"
    "\"unevaluatedProperties\":false,"
    "\"$defs\":{\"item\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\",\"minLength\":2}]}"
    ","
    "\"tree\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/tree\"}}}}";

static const struct {
    const char *text, *coerced;
    bool valid;
} instances[] = {
    {"{\"name\":\"ab-ab\",\"list\":[1,\"xy\",2],\"choice\":{\"a\":[1]},\"tree\":[[],[[]]]}", NULL,
     true},
    {"{\"name\":\"ab-ac\",\"list\":[1,1.0,\"x\"],\"other\":1}", NULL, false},
    {"{\"name\":\"a-a\",\"list\":[],\"x-1\":\"9\"}", "9", false},
    {"{\"name\":\"a-a\",\"list\":[],\"x-1\":10}", NULL, false},
};

typedef struct job {
    pthread_t thread;
    const haft__schema *schema;
    haft__json values[COUNT(instances)]; /* shared too: values are never changed */
    unsigned wrong, done;
} job;

/* How many of the verdicts on instance `i` are wrong. */
static unsigned check_one(const job *j, haft__checker *checker, size_t i)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__schema_report report = {0};
    haft__json coerced = haft__json_null();
    bool changed = false;
    haft_status status =
        haft__schema_check(j->schema, checker, j->values[i], &arena, &report, NULL);
    unsigned wrong = status != HAFT_OK || report.valid != instances[i].valid
                     || (report.count == 0) != instances[i].valid;
    status =
        haft__schema_coerce(j->schema, checker, j->values[i], &arena, &coerced, &changed, NULL);
    wrong += status != HAFT_OK || changed != (instances[i].coerced != NULL);
    if (changed && instances[i].coerced != NULL) {
        const haft__json *member = haft__json_get(coerced, HAFT__LIT("x-1"));
        wrong += member == NULL || member->kind != HAFT__JSON_NUMBER
                 || !haft__str_equal(haft__json_text(*member), haft__str(instances[i].coerced));
    }
    haft__arena_finish(&arena);
    return wrong;
}

static void *work(void *context)
{
    job *j = context;
    haft__checker *checker = haft__checker_create();
    for (unsigned round = 0; checker != NULL && round < ROUNDS; round++) {
        for (size_t i = 0; i < COUNT(instances); i++) {
            j->wrong += check_one(j, checker, i);
            j->done++;
        }
    }
    haft__checker_destroy(checker);
    return NULL;
}

TEST(threads_share_a_compiled_schema)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__schema *schema = NULL;
    haft_error err = {0};
    haft__json value = help_read(&arena, schema_text);
    haft_status status = haft__schema_compile(&arena, value, NULL, &schema, &err);
    CHECK_INT(status, HAFT_OK, "%s: %s", err.where, err.message);
    job jobs[THREADS] = {0};
    for (size_t i = 0; i < COUNT(instances); i++) {
        jobs[0].values[i] = help_read(&arena, instances[i].text);
    }
    for (size_t i = 0; i < THREADS && status == HAFT_OK; i++) {
        memcpy(jobs[i].values, jobs[0].values, sizeof(jobs[0].values));
        jobs[i].schema = schema;
        CHECK_INT(pthread_create(&jobs[i].thread, NULL, work, &jobs[i]), 0, "starting thread %zu",
                  i);
    }
    for (size_t i = 0; i < THREADS && status == HAFT_OK; i++) {
        CHECK_INT(pthread_join(jobs[i].thread, NULL), 0, "joining thread %zu", i);
        CHECK_INT(jobs[i].done, ROUNDS * COUNT(instances), "checks of thread %zu", i);
        CHECK_INT(jobs[i].wrong, 0, "wrong verdicts of thread %zu", i);
    }
    haft__arena_finish(&arena);
}
