/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of loading a spec. The input is the text of one, YAML or JSON.
 *   - loading terminates and prints nothing on standard error (libfyaml is quiet);
 *   - the result is either a spec or errors;
 *   - every problem has a message and a place in the text;
 *   - loading again gives the same problems and the same hash;
 *   - a spec that was loaded loads again from its own source, written as JSON, to the same hash.
 */
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "spec/load/load.h"
#include "json/write.h"

static haft_str get(void *context, haft_str name)
{
    (void)context;
    bool known = haft__str_equal(name, HAFT__LIT("KNOWN"));
    return known ? HAFT__LIT("value") : (haft_str){NULL, 0};
}

typedef struct outcome {
    haft__arena arena;
    const haft__spec *spec;
    haft__spec_report report;
} outcome;

static void load(outcome *o, haft_str text, uint64_t key)
{
    haft__spec_options options = {.env = {get, NULL}, .hash_key = {key, key}};
    haft__arena_init(&o->arena, 0);
    haft_status status = haft__spec_load(&o->arena, text, &options, &o->spec, &o->report, NULL);
    REQUIREF(status == HAFT_OK, "loading fails: %d", status);
    REQUIREF((o->spec != NULL) == (o->report.errors == 0), "%zu errors", o->report.errors);
}

static void check_problem(const haft__spec_problem *problem, haft_str text)
{
    REQUIRE(problem->message.len > 0 && haft__utf8_valid(problem->message));
    REQUIRE(haft__utf8_valid(problem->hint));
    if (problem->line > 0) {
        haft_str line = haft__spec_line_text(text, problem->line);
        REQUIREF(problem->column >= 1 && problem->column <= haft__utf8_length(line) + 2,
                 "%u:%u is outside: %s", problem->line, problem->column, problem->message.ptr);
    }
}

static void check_source(const haft__spec *spec)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, spec->source);
    REQUIRE(text.status == HAFT_OK);
    if (text.len <= HAFT__LIMIT_SPEC_BYTES) { /* aliases may have made it longer */
        outcome again;
        load(&again, haft__buf_str(&text), 7);
        REQUIREF(again.spec != NULL, "its source does not load: %s",
                 again.report.problems[0].message.ptr);
        REQUIRE(haft__str_equal(spec->hash, again.spec->hash));
        haft__arena_finish(&again.arena);
    }
    haft__buf_finish(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str text = {(const char *)data, size};
    outcome first, second;
    load(&first, text, 1);
    load(&second, text, 2);
    REQUIREF(first.report.count == second.report.count, "%zu problems, then %zu",
             first.report.count, second.report.count);
    for (size_t i = 0; i < first.report.count; i++) {
        check_problem(&first.report.problems[i], text);
        REQUIRE(
            haft__str_equal(first.report.problems[i].message, second.report.problems[i].message));
    }
    if (first.spec != NULL) {
        REQUIRE(haft__str_equal(first.spec->hash, second.spec->hash));
        check_source(first.spec);
    }
    haft__arena_finish(&first.arena);
    haft__arena_finish(&second.arena);
    return 0;
}
