/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/schema against the official JSON Schema test suite (../shared/data, skipped when it
 * is not there): all required cases, a list of the optional ones, and for each case that the fast
 * pass and the explaining pass agree.
 */

#include "schema/schema_int.h"
#include "test.h"
#include "json/read.h"

#define SUITE "shared/data/json-schema-test-suite"

typedef struct suite {
    haft__arena arena; /* documents, for the whole run */
    haft__checker *checker;
    haft__schema_options options;
    unsigned passed, failed;
} suite;

static bool read_json(haft__arena *arena, const char *path, haft__json *ret_value)
{
    haft_str text = test_read_file(path);
    haft_error error;
    return text.ptr != NULL
           && haft__json_read(arena, text, NULL, ret_value, NULL, &error) == HAFT_OK;
}

static const haft__json *find_remote(void *context, haft_str uri)
{
    suite *s = context;
    haft_str host = HAFT__LIT("http://localhost:1234/");
    char path[512];
    haft__json *value = haft__arena_alloc(&s->arena, sizeof(*value));
    if (!haft__str_starts_with(uri, host) || value == NULL) {
        return NULL;
    }
    (void)snprintf(path, sizeof(path), SUITE "/remotes/%.*s",
                   HAFT__ARG(haft__str_skip(uri, host.len)));
    return read_json(&s->arena, path, value) ? value : NULL;
}

static haft_str text_of(const haft__json *object, const char *key)
{
    const haft__json *value = haft__json_get(*object, haft__str(key));
    return value != NULL ? haft__json_text(*value) : HAFT__LIT("");
}

/* The text of explain.c if it finds no reason. */
#define NO_REASON "Does not match the schema"

/* The two passes must agree: the explaining pass finds a reason if and only if the instance is not
 * valid. */
static void check_passes_agree(suite *s, const haft__schema *schema, const haft__json *data,
                               const haft__schema_report *report, haft__arena *arena)
{
    for (size_t i = 0; i < report->count; i++) {
        CHECK(!haft__str_equal(report->errors[i].message, HAFT__LIT(NO_REASON)),
              "an error without a reason");
    }
    CHECK(report->valid == (report->count == 0), "%zu reasons", report->count);
    if (report->valid) {
        haft__schema_report again = {0};
        haft__checker_begin(s->checker, schema);
        CHECK_INT(haft__schema_explain(schema, s->checker, data, arena, &again, NULL), HAFT_OK,
                  "explain the instance");
        CHECK(again.count == 1 && haft__str_equal(again.errors[0].message, HAFT__LIT(NO_REASON)),
              "valid, but with a reason: %s", again.count > 0 ? again.errors[0].message.ptr : "");
    }
}

static bool run_case(suite *s, const haft__schema *schema, const haft__json *test,
                     haft__arena *arena)
{
    const haft__json *data = haft__json_get(*test, HAFT__LIT("data"));
    const haft__json *valid = haft__json_get(*test, HAFT__LIT("valid"));
    haft__schema_report report;
    haft_error error = {0};
    haft_status status = haft__schema_check(schema, s->checker, *data, arena, &report, &error);
    CHECK(status == HAFT_OK, "%s", error.message);
    if (status != HAFT_OK) {
        return false;
    }
    check_passes_agree(s, schema, data, &report, arena);
    bool changed = true;
    haft__json made;
    status = haft__schema_coerce(schema, s->checker, *data, arena, &made, &changed, &error);
    CHECK(status == HAFT_OK && (!changed || !report.valid), "a valid instance was coerced");
    return report.valid == (valid->kind == HAFT__JSON_TRUE);
}

static void run_group(suite *s, const char *file, const haft__json *group, bool required)
{
    const haft__json *tests = haft__json_get(*group, HAFT__LIT("tests"));
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_error error = {0};
    const haft__schema *schema = NULL;
    haft_status status = haft__schema_compile(&arena, *haft__json_get(*group, HAFT__LIT("schema")),
                                              &s->options, &schema, &error);
    for (uint32_t i = 0; i < tests->count; i++) {
        const haft__json *test = &tests->items[i];
        bool good = status == HAFT_OK && run_case(s, schema, test, &arena);
        s->passed += good;
        s->failed += !good;
        CHECK(good || !required, "%s: %.*s: %.*s (%s %s)", file,
              HAFT__ARG(text_of(group, "description")), HAFT__ARG(text_of(test, "description")),
              error.message, error.where);
    }
    haft__arena_finish(&arena);
}

static void run_file(suite *s, const char *path, bool required)
{
    haft__json groups = {0};
    CHECK(read_json(&s->arena, path, &groups), "cannot read %s", path);
    for (uint32_t i = 0; i < groups.count; i++) {
        run_group(s, path, &groups.items[i], required);
    }
}

/* Runs every file of a folder; if `required`, each case has to pass; otherwise the totals are
 * printed. */
static void run_folder(suite *s, const char *folder, bool required)
{
    char **names, path[1024];
    size_t count = test_list_folder(folder, &names);
    for (size_t i = 0; i < count; i++) {
        unsigned passed = s->passed, failed = s->failed;
        (void)snprintf(path, sizeof(path), "%.200s/%.100s", folder, names[i]);
        run_file(s, path, required);
        if (!required) {
            printf("# %s: %u passed, %u failed\n", path + sizeof(SUITE "/tests"),
                   s->passed - passed, s->failed - failed);
        }
    }
}

static void run_suite(haft__schema_draft draft, const char *folder, bool required)
{
    suite s = {.options = {.draft = draft, .find = find_remote}};
    s.options.context = &s;
    haft__arena_init(&s.arena, 0);
    s.checker = haft__checker_create();
    run_folder(&s, folder, required);
    if (s.passed + s.failed == 0) {
        test_skip_suite(folder);
    } else {
        printf("# %s: %u passed, %u failed\n", folder, s.passed, s.failed);
    }
    haft__checker_destroy(s.checker);
    haft__arena_finish(&s.arena);
}

TEST(draft_2020_12_passes_all_required_cases)
{
    run_suite(HAFT__SCHEMA_2020_12, SUITE "/tests/draft2020-12", true);
}

TEST(draft_07_passes_all_required_cases)
{
    run_suite(HAFT__SCHEMA_07, SUITE "/tests/draft7", true);
}

TEST(draft_2020_12_optional_cases_are_listed)
{
    run_suite(HAFT__SCHEMA_2020_12, SUITE "/tests/draft2020-12/optional", false);
    run_suite(HAFT__SCHEMA_2020_12, SUITE "/tests/draft2020-12/optional/format", false);
}

TEST(draft_07_optional_cases_are_listed)
{
    run_suite(HAFT__SCHEMA_07, SUITE "/tests/draft7/optional", false);
    run_suite(HAFT__SCHEMA_07, SUITE "/tests/draft7/optional/format", false);
}
