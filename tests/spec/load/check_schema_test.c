/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/check_schema.c and haft.schema.json: messages and places of problems. */
#include "schema/schema.h"
#include "spec/spec_help.h"
#include "json/read.h"

static const problem_case cases[] = {
    {"haft: 2\n", "1:7: expected 1, found 2 (this version of haft reads version 1)"},
    {"limits:\n  trns: 5\n  parallel: many\n  overflow: queu\n",
     "2:3: there is no key \"trns\" here (did you mean turns?)\n"
     "3:13: expected integer, found string \"many\"\n"
     "4:13: expected one of \"queue\", \"truncate\", found \"queu\" (did you mean queue?)"},
    {"xyzzy: 1\n", "1:1: there is no key \"xyzzy\" here"},
    {"tools:\n  - {description: Does something useful.}\n  - name: x\n",
     "2:5: the key \"name\" is missing\n3:5: the key \"description\" is missing"},
    {"tools:\n  - {builtin: [glob, grop], name: x}\n",
     "2:22: expected one of \"glob\", \"grep\", \"read\", \"execute_sql\", \"search_schemas\", "
     "\"python_execution\", \"tool_search\", \"read_result\", \"request_user_input\", "
     "\"complete_workflow\", \"store_artifact\", \"write_todos\", found \"grop\" (did you mean "
     "grep?)\n"
     "2:29: there is no key \"name\" here"},
    {"tools:\n  - {name: x, description: Reads the weather., headless: true, retries: 1, xy: 1}\n",
     "2:64: there is no key \"retries\" here (it is a trait: write traits: {retries: ...})\n"
     "2:76: there is no key \"xy\" here"},
    {"approvals: [{tools: [\"f{a,b}\", \"x*\"]}]\nbuiltins: {deny: [\"glo?\"]}\nmcp: {allow: "
     "[\"a:b \"]}\n",
     "1:22: does not match the pattern ^[^\\s?\\[\\]{}]*$: found \"f{a,b}\" (* is the only "
     "wildcard; "
     "write a pattern for each name)\n"
     "2:19: does not match the pattern ^[^\\s?\\[\\]{}]*$: found \"glo?\" (* is the only wildcard; "
     "write a pattern for each name)\n"
     "3:15: does not match the pattern ^[^\\s?\\[\\]{}]*$: found \"a:b \" (* is the only wildcard; "
     "write a pattern for each name)"},
    {"limits: {wall: 5 minutes}\n", "1:16: does not match the pattern "
                                    "^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$: found \"5 minutes\" (write "
                                    "it like 250ms, 10s, 5m, 2h or 1d)"},
    {"choice: {schedule: [5]}\n", "1:21: expected string or object, found integer 5"},
    {"limits: 5\n", "1:9: expected object, found integer 5"},
    {"tools: {}\n", "1:8: expected array, found object {}"},
    {"instructions: ~\n", "1:15: expected string, found null"},
    /* texts that are not objects */
    {"just text\n", "1:1: expected object, found string \"just text\" (a spec is keys and values; "
                    "the smallest is: "
                    "model: offline)"},
    {"- a\n- b\n",
     "1:1: expected object, found array [\"a\",\"b\"] (a spec is keys and values; the smallest is: "
     "model: offline)"},
    {"~\n", "1:1: expected object, found null (a spec is keys and values; the smallest is: model: "
            "offline)"},
    {"databases: {\"a b\": {url: x}}\n",
     "1:12: bad key \"a b\": Does not match the pattern ^[A-Za-z_][A-Za-z0-9_-]*$: found "
     "\"a b\" (use letters, digits and _, no digit first)"},
};

TEST(schema_errors_have_locations_and_hints)
{
    check_problems(cases, COUNT(cases));
}

TEST(a_schema_that_was_compiled_before_finds_the_same_problems)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__spec_options options = {.hash_key = {1, 2}};
    CHECK_INT(haft__spec_schema_compile(&arena, options.hash_key, &options.schema, NULL), HAFT_OK,
              "compile");
    for (size_t i = 0; i < COUNT(cases); i++) {
        loaded own, shared;
        load(&own, cases[i].text);
        load_with(&shared, haft__str(cases[i].text), &options);
        CHECK_STR(shared.listing, own.listing, "%s", cases[i].text);
        unload(&own);
        unload(&shared);
    }
    haft__arena_finish(&arena);
}

TEST(number_of_reported_problems_is_limited)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    for (int i = 0; i < 300; i++) {
        haft__buf_addf(&text, "qqq%d: 1\n", i);
    }
    loaded f;
    haft_str whole = keep(&text);
    load(&f, whole.ptr);
    CHECK(f.report.count <= HAFT__LIMIT_SPEC_PROBLEMS, "%zu problems", f.report.count);
    CHECK_INT(f.report.errors, HAFT__LIMIT_SCHEMA_ERRORS + 1,
              "the last one says that there are more");
    CHECK_STR(f.report.problems[f.report.count - 1].message,
              HAFT__LIT("... and more problems of this kind"), "the last problem");
    unload(&f);
}

/* Checks that each property and each definition has a `description`. */
static void check_described(haft__json schema, const char *where)
{
    static const char *const holders[] = {"properties", "$defs"};
    for (size_t h = 0; h < COUNT(holders); h++) {
        const haft__json *group = haft__json_get(schema, haft__str(holders[h]));
        for (uint32_t i = 0; group != NULL && i < group->count; i++) {
            haft__json part = group->members[i].value;
            haft_str name = haft__json_text(group->members[i].key);
            CHECK(haft__json_get(part, HAFT__LIT("description")) != NULL
                      || haft__json_get(part, HAFT__LIT("$ref")) != NULL
                      || strcmp(where, "then") == 0,
                  "%s of %s has no description", name.ptr, where);
            check_described(part, "a part");
        }
    }
}

TEST(schema_is_valid_and_describes_each_key)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema;
    haft_error err = {.status = HAFT_OK};
    const haft__schema *compiled;
    haft_status status =
        haft__json_read(&arena, haft__spec_schema_text(), NULL, &schema, NULL, &err);
    CHECK(status == HAFT_OK, "%s", err.message);
    status = haft__schema_compile(&arena, schema, NULL, &compiled, &err);
    CHECK(status == HAFT_OK, "%s: %s", err.where, err.message);
    check_described(schema, "the whole");
    haft_str file = test_read_file("src/spec/load/haft.schema.json");
    CHECK_STR(haft__spec_schema_text(), file, "the library contains the same text as the file");
    haft__arena_finish(&arena);
}
