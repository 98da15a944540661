/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/builtin.c. */
#include "base/limits.h"
#include "tool/builtin.h"

#include "spec/load/load.h"
#include "test.h"
#include "tool_help.h"
#include "json/pointer.h"
#include "json/read.h"

/* The public contract: names, arguments ("x?" is optional), roles, traits. */
static const struct {
    const char *name, *arguments, *role, *cost;
    bool read_only, idempotent;
} wanted[] = {
    {"glob", "pattern path?", "data", "free", true, true},
    {"grep", "pattern path? glob? limit?", "data", "light", true, true},
    {"read", "path offset? limit?", "data", "heavy", true, true},
    {"search_schemas", "query limit?", "data", "light", true, true},
    {"execute_sql", "database? query parameters?", "data", "heavy", true, true},
    {"python_execution", "code", "data", "heavy", false, false},
    {"tool_search", "query limit?", "neutral", "free", true, true},
    {"read_result", "call offset? limit? grep?", "neutral", "free", true, true},
    {"request_user_input", "question choices? default?", "control", "heavy", false, false},
    {"complete_workflow", "summary?", "control", "free", false, true},
    {"store_artifact", "name content media_type?", "artifact", "light", false, true},
    {"write_todos", "todos", "control", "free", false, false},
};

static bool is_required(haft__json schema, haft_str name)
{
    const haft__json *required = haft__json_get(schema, HAFT__LIT("required"));
    for (uint32_t i = 0; required != NULL && i < required->count; i++) {
        if (haft__str_equal(haft__json_text(required->items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* The arguments of a schema as text, such as "pattern path?". */
static haft_str arguments_of(haft__json schema)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    const haft__json *properties = haft__json_get(schema, HAFT__LIT("properties"));
    for (uint32_t i = 0; properties != NULL && i < properties->count; i++) {
        haft_str name = haft__json_text(properties->members[i].key);
        haft__buf_addf(&buf, "%s%.*s%s", i > 0 ? " " : "", HAFT__ARG(name),
                       is_required(schema, name) ? "" : "?");
        const haft__json *what =
            haft__json_get(properties->members[i].value, HAFT__LIT("description"));
        CHECK(what != NULL && what->count > 10, "%.*s has no description", HAFT__ARG(name));
    }
    char *copy = test_alloc(buf.len + 1);
    memcpy(copy, buf.ptr, buf.len);
    haft_str text = {copy, buf.len};
    haft__buf_finish(&buf);
    return text;
}

TEST(builtins_follow_the_contract)
{
    size_t count = 0;
    const haft__builtin *builtins = haft__builtins(&count);
    CHECK_INT(count, COUNT(wanted), "number of built-ins");
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__tools tools;
    haft__tools_init(&tools, &arena, (haft__hash_key){1, 2});
    for (size_t i = 0; i < COUNT(wanted); i++) {
        const char *name = wanted[i].name;
        haft__tool tool = {0};
        haft_error err = {0};
        CHECK_STR(haft__str(builtins[i].name), haft__str(name), "built-in %zu", i);
        haft_status status = haft__builtin_tool(&arena, haft__str(name), &tool, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", name, err.where, err.message);
        CHECK_STR(arguments_of(tool.input_schema), haft__str(wanted[i].arguments), "%s", name);
        const haft__json *more =
            haft__json_get(tool.input_schema, HAFT__LIT("additionalProperties"));
        CHECK(more != NULL && more->kind == HAFT__JSON_FALSE, "%s accepts other arguments", name);
        CHECK_STR(haft__str(haft__tool_role_name(tool.role)), haft__str(wanted[i].role), "%s",
                  name);
        CHECK_STR(haft__str(haft__cost_name(tool.traits.cost)), haft__str(wanted[i].cost), "%s",
                  name);
        CHECK_INT(tool.traits.read_only, wanted[i].read_only, "%s", name);
        CHECK_INT(tool.traits.idempotent, wanted[i].idempotent, "%s", name);
        CHECK(tool.typed && tool.traits_given && tool.source == HAFT__TOOL_BUILTIN, "%s", name);
        status = haft__tools_add(&tools, &tool, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", name, err.where, err.message);
    }
    haft__arena_finish(&arena);
}

TEST(arguments_of_builtins_are_checked)
{
    static const struct {
        const char *name, *arguments, *error; /* error: NULL if they are valid */
    } cases[] = {
        {"glob", "{\"pattern\":\"**/*.md\"}", NULL},
        {"glob", "{\"path\":\"src\"}", "Missing required argument: pattern"},
        {"grep", "{\"pattern\":\"x\",\"limit\":0}", "limit"},
        {"read", "{\"path\":\"a\",\"offset\":0}", "offset"},
        {"read_result", "{\"call\":\"c1.1\",\"offset\":0,\"limit\":100,\"grep\":\"x\"}", NULL},
        {"store_artifact", "{\"name\":\"a.md\",\"content\":\"\"}", NULL},
        {"request_user_input", "{\"question\":\"Which?\",\"choices\":[\"a\",\"b\"]}", NULL},
        {"request_user_input", "{\"question\":\"Which?\",\"choices\":[1]}", "choices"},
        {"complete_workflow", "{}", NULL},
        {"write_todos", "{\"todos\":[{\"content\":\"a\",\"status\":\"pending\"}]}", NULL},
        {"write_todos", "{\"todos\":[{\"content\":\"a\",\"status\":\"maybe\"}]}", "status"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__checker *checker = haft__checker_create();
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__tool tool = {0};
        const haft__schema *schema = NULL;
        haft__schema_report report = {0};
        haft_status status = haft__builtin_tool(&arena, haft__str(cases[i].name), &tool, NULL);
        CHECK_INT(status, HAFT_OK, "%s", cases[i].name);
        status = haft__schema_compile(&arena, tool.input_schema, NULL, &schema, NULL);
        CHECK_INT(status, HAFT_OK, "%s", cases[i].name);
        haft__json arguments = help_json(&arena, cases[i].arguments);
        status = haft__schema_check(schema, checker, arguments, &arena, &report, NULL);
        CHECK_INT(status, HAFT_OK, "%s", cases[i].name);
        CHECK_INT(report.valid, cases[i].error == NULL, "%s", cases[i].arguments);
        if (cases[i].error != NULL && report.count > 0) {
            haft_str where = report.errors[0].where, message = report.errors[0].message;
            char text[256];
            (void)snprintf(text, sizeof(text), "%.*s %.*s", HAFT__ARG(where), HAFT__ARG(message));
            CHECK(strstr(text, cases[i].error) != NULL, "%s: %s", cases[i].arguments, text);
        }
    }
    haft__checker_destroy(checker);
    haft__arena_finish(&arena);
}

/* The descriptions that models read state the real limits. */
TEST(descriptions_have_the_numbers_of_the_limits)
{
    static const struct {
        const char *name;
        int numbers[2];
    } cases[] = {
        {"grep", {HAFT__LIMIT_FILES_GREP_DEFAULT, HAFT__LIMIT_FILES_GREP_LINES}},
        {"read", {HAFT__LIMIT_FILES_READ_DEFAULT, HAFT__LIMIT_FILES_READ_LINES}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__builtin *builtin = haft__builtin_find(haft__str(cases[i].name));
        size_t at = 0;
        while (strcmp(builtin->arguments[at].name, "limit") != 0) {
            at++;
        }
        char text[64];
        (void)snprintf(text, sizeof(text), ": %d when left out, %d at most", cases[i].numbers[0],
                       cases[i].numbers[1]);
        CHECK(strstr(builtin->arguments[at].what, text) != NULL, "%s: %s", cases[i].name,
              builtin->arguments[at].what);
    }
}

TEST(unknown_builtins_are_rejected)
{
    haft__tool tool = {0};
    haft_error err = {0};
    CHECK(haft__builtin_find(HAFT__LIT("grep")) != NULL, "a built-in is found");
    CHECK(haft__builtin_find(HAFT__LIT("gre")) == NULL, "a prefix of a name is not found");
    CHECK_INT(haft__builtin_tool(NULL, HAFT__LIT("raed"), &tool, &err), HAFT_NOT_FOUND,
              "make a tool with a misspelled name");
    CHECK_STR(help_error(&err),
              HAFT__LIT(" | there is no built-in tool 'raed' | did you mean 'read'?"),
              "a misspelled name gets a suggestion");
    CHECK_INT(haft__builtin_tool(NULL, HAFT__LIT("shell"), &tool, &err), HAFT_NOT_FOUND,
              "make a tool with an unknown name");
    CHECK_STR(help_error(&err), HAFT__LIT(" | there is no built-in tool 'shell' | "),
              "an unknown name gets no suggestion");
}

TEST(builtins_survive_every_failed_allocation)
{
    bool made = false;
    for (size_t left = 0; !made && left < 65536; left += 8) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__tool tool = {0};
        help_leave(&arena, left);
        haft_status status = haft__builtin_tool(&arena, HAFT__LIT("grep"), &tool, NULL);
        (void)test_allow_allocations();
        made = status == HAFT_OK;
        CHECK(made || status == HAFT_NO_MEMORY, "%zu bytes: status %d", left, (int)status);
        CHECK((tool.name.ptr != NULL) == made, "%zu bytes", left);
        CHECK(!made || left > 0, "the tool was made without memory");
        haft__arena_finish(&arena);
    }
    CHECK(made, "the tool was never made");
}

TEST(the_schema_of_specs_names_every_built_in)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = haft__json_null();
    CHECK_INT(haft__json_read(&arena, haft__spec_schema_text(), NULL, &schema, NULL, NULL), HAFT_OK,
              "the schema is JSON");
    const haft__json *names = haft__pointer_get(&schema, HAFT__LIT("/$defs/builtin_name/enum"));
    CHECK(names != NULL, "the schema has no list of built-ins");
    CHECK_INT(names->count, HAFT__BUILTIN_COUNT, "number of names");
    for (uint32_t i = 0; i < names->count; i++) {
        const haft__builtin *builtin = haft__builtin_find(haft__json_text(names->items[i]));
        CHECK(builtin != NULL, "%.*s", HAFT__ARG(haft__json_text(names->items[i])));
        CHECK(builtin == NULL || haft__builtin_get(haft__builtin_id_of(builtin)) == builtin, "%.*s",
              HAFT__ARG(haft__json_text(names->items[i])));
    }
    haft__arena_finish(&arena);
}

TEST(only_control_tools_have_a_guard_or_complete_a_workflow)
{
    size_t count, completing = 0;
    const haft__builtin *builtins = haft__builtins(&count);
    for (size_t i = 0; i < count; i++) {
        bool control = builtins[i].role == HAFT__ROLE_CONTROL;
        CHECK(control || builtins[i].guard == HAFT__BUILTIN_UNGUARDED, "%s", builtins[i].name);
        CHECK(control || !builtins[i].completes, "%s", builtins[i].name);
        completing += builtins[i].completes;
    }
    CHECK_INT(completing, 1, "number of tools that complete a workflow");
}
