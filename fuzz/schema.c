/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of JSON Schema. The input is a schema, a newline and an instance, both JSON; other
 * input and schemas that do not compile are skipped.
 *   - compiling, validating and coercing terminate (the fuzzer's time limit checks that); each pass
 *     counts its steps, and stops and reports it when its budget is used up;
 *   - the memory of compiling and coercing is bounded, the latter by the number of steps;
 *   - the fast and the explaining pass agree: a valid instance has no failures, any other has at
 *     least one with a text;
 *   - a valid instance is not coerced; a coerced instance is well formed, nests no deeper than the
 *     reader allows, and differs from the original.
 */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "fuzz.h"
#include "schema/schema_int.h"
#include "json/read.h"
#include "json/write.h"

/* The text of explain.c if it finds no reason. */
#define NO_REASON "Does not match the schema"

/* Bytes that coercion may take for a step, and before the first: chunks of an arena double, and a
 * text of a few bytes becomes values of sixteen. */
#define BYTES_PER_STEP 64
#define FIRST_BYTES    ((size_t)64 << 10)

/* The steps of the last pass. A budget that is used up is -1. */
static size_t check_budget(const haft__checker *checker)
{
    long long left = checker->steps;
    REQUIREF(left >= -1 && left < HAFT__LIMIT_SCHEMA_STEPS, "%lld steps left", left);
    REQUIREF((left < 0) == (checker->stop != HAFT__EXCEEDED_NONE), "%lld steps left, stop %d", left,
             checker->stop);
    REQUIREF(checker->nesting == 0, "still %u deep", checker->nesting);
    REQUIREF(checker->word_count == 0, "%zu words left on the stack", checker->word_count);
    return (size_t)(HAFT__LIMIT_SCHEMA_STEPS - left);
}

static void check_report(const haft__schema *schema, haft__checker *checker, haft__json instance,
                         haft__arena *arena, bool *ret_valid)
{
    haft__schema_report report;
    haft_status status = haft__schema_check(schema, checker, instance, arena, &report, NULL);
    REQUIREF(status == HAFT_OK, "check fails: %d", status);
    (void)check_budget(checker);
    REQUIREF(report.valid == (report.count == 0), "%zu errors", report.count);
    REQUIREF(report.count <= HAFT__LIMIT_SCHEMA_ERRORS, "%zu errors", report.count);
    for (size_t i = 0; i < report.count; i++) {
        REQUIREF(!haft__str_equal(report.errors[i].message, HAFT__LIT(NO_REASON)),
                 "invalid, but the second pass finds nothing wrong");
    }
    *ret_valid = report.valid;
    if (!report.valid) {
        return;
    }
    haft__checker_begin(checker, schema);
    status = haft__schema_explain(schema, checker, &instance, arena, &report, NULL);
    REQUIREF(status == HAFT_OK, "explain fails: %d", status);
    REQUIREF(report.count == 1 && haft__str_equal(report.errors[0].message, HAFT__LIT(NO_REASON)),
             "valid, but the second pass says: %s", report.errors[0].message.ptr);
}

static void check_coercion(const haft__schema *schema, haft__checker *checker, haft__json instance,
                           bool valid)
{
    haft__json made;
    bool changed;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__schema_coerce(schema, checker, instance, &arena, &made, &changed, NULL);
    REQUIREF(status == HAFT_OK, "coerce fails: %d", status);
    size_t steps = check_budget(checker);
    REQUIREF(arena.total <= FIRST_BYTES + BYTES_PER_STEP * steps, "%zu bytes for %zu steps",
             arena.total, steps);
    REQUIREF(!changed || !valid, "a valid instance was changed");
    haft__buf before, after;
    haft__buf_init(&before, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&after, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&before, instance);
    haft__json_write(&after, made);
    REQUIREF(after.status == HAFT_OK, "the coerced value cannot be written: %d", after.status);
    REQUIREF(changed != haft__str_equal(haft__buf_str(&before), haft__buf_str(&after)),
             "changed is %d, but the text says otherwise", changed);
    haft__buf_finish(&before);
    haft__buf_finish(&after);
    haft__arena_finish(&arena);
}

static void check_pair(haft_str schema_text, haft_str instance_text, haft__arena *arena,
                       haft__schema_draft draft)
{
    haft__json schema, instance;
    const haft__schema *compiled;
    haft__schema_options options = {.draft = draft, .hash_key = {1, 2}};
    if (haft__json_read(arena, schema_text, NULL, &schema, NULL, NULL) != HAFT_OK
        || haft__json_read(arena, instance_text, NULL, &instance, NULL, NULL) != HAFT_OK) {
        return;
    }
    size_t before = arena->total;
    haft_status status = haft__schema_compile(arena, schema, &options, &compiled, NULL);
    REQUIREF(arena->total - before <= HAFT__LIMIT_SCHEMA_BYTES, "%zu bytes for a schema",
             arena->total - before);
    if (status != HAFT_OK) {
        return;
    }
    haft__checker *checker = haft__checker_create();
    REQUIRE(checker != NULL);
    bool valid;
    check_report(compiled, checker, instance, arena, &valid);
    check_coercion(compiled, checker, instance, valid);
    haft__checker_destroy(checker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str rest = {(const char *)data, size};
    haft_str schema = haft__str_split(&rest, '\n');
    for (haft__schema_draft draft = HAFT__SCHEMA_2020_12; draft <= HAFT__SCHEMA_07; draft++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        check_pair(schema, rest, &arena, draft);
        haft__arena_finish(&arena);
    }
    return 0;
}
