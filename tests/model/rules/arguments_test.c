/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/arguments.c and task_values.c: arguments from a schema. */
#include "model/rules/offline_help.h"
#include "tool/registry.h"
#include "json/read.h"
#include "json/write.h"

/* A planner that is asked for arguments of one tool. */
typedef struct fixture {
    haft__arena arena;
    offline_request r;
    haft__tools tools;
    bool allowed[1];
    haft__offline o;
} fixture;

static haft__json json(fixture *f, const char *text)
{
    haft__json value = haft__json_null();
    haft_error err = {0};
    CHECK_INT(haft__json_read(&f->arena, haft__str(text), NULL, &value, NULL, &err), HAFT_OK,
              "%s: %s", text, err.message);
    return value;
}

static void begin(fixture *f, const char *task, const char *name, const char *schema)
{
    *f = (fixture){.allowed = {true}};
    haft__arena_init(&f->arena, 0);
    offline_request_init(&f->r, &f->arena, task);
    haft__tools_init(&f->tools, &f->arena, OFFLINE_KEY);
    haft__tool tool = {.name = haft__str(name),
                       .description = HAFT__LIT("Does something."),
                       .input_schema = json(f, schema),
                       .source = HAFT__TOOL_COMMAND,
                       .typed = true};
    haft_error err = {0};
    CHECK_INT(haft__tools_add(&f->tools, &tool, &err), HAFT_OK, "%s: %s", schema, err.message);
    f->r.request.tools = f->tools.items;
    f->r.request.allowed = f->allowed;
    f->r.request.tool_count = 1;
}

static haft_status read_request(fixture *f)
{
    haft__offline *o = &f->o;
    *o = (haft__offline){.request = &f->r.request, .arena = &f->arena, .text = ""};
    o->checker = haft__checker_create();
    haft_status status = o->checker != NULL ? HAFT_OK : HAFT_NO_MEMORY;
    if (status == HAFT_OK) {
        status = haft__offline_history_read(o->request, o->arena, &o->history, NULL);
    }
    if (status == HAFT_OK) {
        status = haft__offline_words_read(o->history.task, o->arena, &o->words, NULL);
    }
    if (status == HAFT_OK) {
        status = haft__offline_findings_read(&o->history, &o->words, o->arena, &o->findings, NULL);
    }
    return status == HAFT_OK ? haft__offline_tools_read(o) : status;
}

static void end(fixture *f)
{
    haft__checker_destroy(f->o.checker);
    haft__arena_finish(&f->arena);
}

static haft_str make(fixture *f, unsigned attempt, bool *ret_valid)
{
    haft__json arguments = haft__json_null();
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft_status status =
        haft__offline_arguments(&f->o, f->tools.items[0], attempt, &arguments, ret_valid);
    CHECK_INT(status, HAFT_OK, "make the arguments");
    haft__json_write(&buf, arguments);
    haft_str kept = haft__arena_copy(&f->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

#define OBJECT(properties, required)                                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required                 \
    "],\"additionalProperties\":false}"

TEST(values_fit_the_schema)
{
    static const struct {
        const char *schema, *arguments;
    } cases[] = {
        {OBJECT("", ""), "{}"},
        {OBJECT("\"query\":{\"type\":\"string\"}", "\"query\""), "{\"query\":\"gate opens\"}"},
        {OBJECT("\"searchQuery\":{\"type\":\"string\"}", "\"searchQuery\""),
         "{\"searchQuery\":\"gate opens\"}"},
        {OBJECT("\"question\":{\"type\":\"string\"}", "\"question\""),
         "{\"question\":\"When the gate opens 3\"}"},
        {OBJECT("\"anything\":{\"type\":\"string\"}", "\"anything\""),
         "{\"anything\":\"When the gate opens 3\"}"},
        {OBJECT("\"text\":{\"type\":\"string\"}", "\"text\""),
         "{\"text\":\"When the gate opens 3\"}"},
        {OBJECT("\"limit\":{\"type\":\"integer\"}", "\"limit\""), "{\"limit\":3}"},
        {OBJECT("\"x\":{\"type\":\"integer\",\"minimum\":5}", "\"x\""), "{\"x\":5}"},
        {OBJECT("\"x\":{\"type\":\"integer\",\"maximum\":2}", "\"x\""), "{\"x\":2}"},
        {OBJECT("\"x\":{\"type\":\"integer\",\"exclusiveMinimum\":5}", "\"x\""), "{\"x\":6}"},
        {OBJECT("\"x\":{\"type\":\"integer\",\"exclusiveMaximum\":2}", "\"x\""), "{\"x\":1}"},
        {OBJECT("\"x\":{\"type\":\"number\",\"minimum\":3.5}", "\"x\""), "{\"x\":3.5}"},
        {OBJECT("\"x\":{\"minimum\":4}", "\"x\""), "{\"x\":4}"},
        {OBJECT("\"x\":{\"type\":\"boolean\"}", "\"x\""), "{\"x\":false}"},
        {OBJECT("\"x\":{\"type\":\"null\"}", "\"x\""), "{\"x\":null}"},
        {OBJECT("\"x\":{\"type\":[\"null\",\"integer\"]}", "\"x\""), "{\"x\":3}"},
        {OBJECT("\"x\":{\"enum\":[\"red\",\"green\"]}", "\"x\""), "{\"x\":\"red\"}"},
        {OBJECT("\"x\":{\"const\":4}", "\"x\""), "{\"x\":4}"},
        {OBJECT("\"x\":{\"default\":\"d\",\"type\":\"string\"}", "\"x\""), "{\"x\":\"d\"}"},
        {OBJECT("\"x\":{\"type\":\"string\",\"maxLength\":4}", "\"x\""), "{\"x\":\"When\"}"},
        {OBJECT("\"q\":{\"type\":\"string\",\"minLength\":12}", "\"q\""),
         "{\"q\":\"gate opensxx\"}"},
        {OBJECT("\"d\":{\"type\":\"string\",\"pattern\":\"^\\\\d{4}-\\\\d\\\\d-\\\\d\\\\d$\"}",
                "\"d\""),
         "{\"d\":\"2025-01-01\"}"},
        {OBJECT("\"x\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", "\"x\""),
         "{\"x\":[3]}"},
        {OBJECT("\"x\":{\"type\":\"array\",\"minItems\":2,\"uniqueItems\":true,\"items\":"
                "{\"type\":\"integer\"}}",
                "\"x\""),
         "{\"x\":[3,4]}"},
        {OBJECT("\"x\":{\"type\":\"array\"}", "\"x\""), "{\"x\":[\"When the gate opens 3\"]}"},
        {OBJECT("\"o\":" OBJECT("\"query\":{\"type\":\"string\"},\"z\":{}", "\"query\""), "\"o\""),
         "{\"o\":{\"query\":\"gate opens\"}}"},
        {OBJECT("\"x\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}", "\"x\""),
         "{\"x\":3}"},
        {OBJECT("\"x\":{\"oneOf\":[{\"type\":\"integer\",\"not\":{}},{\"type\":\"boolean\"}]}",
                "\"x\""),
         "{\"x\":false}"},
        {OBJECT("\"query\":{\"type\":\"string\"},\"limit\":{\"type\":\"integer\"}", ""),
         "{\"query\":\"gate opens\"}"},
        {OBJECT("\"limit\":{\"type\":\"integer\"}", ""), "{}"},
        {"{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#/$defs/"
         "a\"}},\"required\":[\"x\"],"
         "\"$defs\":{\"a\":{\"type\":\"integer\"}}}",
         "{\"x\":3}"},
        {"{\"type\":\"object\"}", "{}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        bool valid = false;
        begin(&f, "When the gate opens 3", "look", cases[i].schema);
        f.r.request.mode = HAFT__MODE_ANY;
        CHECK_INT(read_request(&f), HAFT_OK, "read the request");
        CHECK_STR(make(&f, 0, &valid), haft__str(cases[i].arguments), "%s", cases[i].schema);
        CHECK(valid, "%s", cases[i].schema);
        end(&f);
    }
}

TEST(unsatisfiable_arguments_are_reported)
{
    static const char *const schemas[] = {
        OBJECT("\"x\":false", "\"x\""),
        OBJECT("\"x\":{\"type\":\"string\",\"pattern\":\"^(?=b)a$\"}", "\"x\""),
        OBJECT("\"x\":{\"type\":\"integer\",\"minimum\":5,\"maximum\":4}", "\"x\""),
        "{\"type\":\"object\",\"not\":{}}",
    };
    for (size_t i = 0; i < COUNT(schemas); i++) {
        fixture f;
        bool valid = true;
        begin(&f, "x", "look", schemas[i]);
        CHECK_INT(read_request(&f), HAFT_OK, "read the request");
        (void)make(&f, 0, &valid);
        CHECK(!valid, "%s", schemas[i]);
        end(&f);
    }
}

TEST(later_attempts_try_other_values_if_possible)
{
    static const struct {
        const char *schema;
        const char *attempts[4];
    } cases[] = {
        {OBJECT("\"query\":{\"type\":\"string\"}", "\"query\""),
         {"{\"query\":\"gate opens\"}", "{\"query\":\"gate\"}", "{\"query\":\"opens\"}",
          "{\"query\":\"the gate opens\"}"}},
        {OBJECT("\"x\":{\"type\":\"integer\"}", "\"x\""),
         {"{\"x\":1}", "{\"x\":2}", "{\"x\":3}", "{\"x\":4}"}},
        {OBJECT("\"x\":{\"enum\":[1,2,3]}", "\"x\""),
         {"{\"x\":1}", "{\"x\":2}", "{\"x\":3}", "{\"x\":1}"}},
        {OBJECT("\"x\":{\"type\":\"boolean\"}", "\"x\""),
         {"{\"x\":false}", "{\"x\":true}", "{\"x\":false}", "{\"x\":true}"}},
        {OBJECT("\"title\":{\"type\":\"string\"}", "\"title\""),
         {"{\"title\":\"the gate opens\"}", "{\"title\":\"gate opens\"}", "{\"title\":\"gate\"}",
          "{\"title\":\"opens\"}"}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        begin(&f, "the gate opens", "look", cases[i].schema);
        f.r.request.mode = HAFT__MODE_ANY;
        CHECK_INT(read_request(&f), HAFT_OK, "read the request");
        for (unsigned attempt = 0; attempt < 4; attempt++) {
            bool valid = false;
            CHECK_STR(make(&f, attempt, &valid), haft__str(cases[i].attempts[attempt]),
                      "attempt %u", attempt);
            CHECK(valid, "attempt %u is valid", attempt);
        }
        end(&f);
    }
}

TEST(paths_come_from_the_task_and_from_results)
{
    fixture f;
    bool valid = false;
    begin(&f, "read letter.txt", "look",
          OBJECT("\"path\":{\"type\":\"string\",\"minLength\":1}", "\"path\""));
    offline_request_add(&f.r, "glob", "{}", "b.txt\nc.txt", false);
    CHECK_INT(read_request(&f), HAFT_OK, "read the request");
    CHECK_STR(make(&f, 0, &valid), HAFT__LIT("{\"path\":\"letter.txt\"}"), "the path in the task");
    CHECK_STR(make(&f, 1, &valid), HAFT__LIT("{\"path\":\"b.txt\"}"), "a path in a result");
    CHECK_STR(make(&f, 3, &valid), HAFT__LIT("{\"path\":\"read letter.txt\"}"),
              "the task itself when no path is left");
    end(&f);
}

TEST(nested_and_recursive_schemas_get_values)
{
    static const char *const schemas[] = {
        "{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#\"}},\"required\":[\"x\"]}",
        "{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}},\"required\":[\"x\"],"
        "\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"type\":\"integer\"}]}}}",
        "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"array\",\"minItems\":1000000,"
        "\"items\":{\"type\":\"array\",\"minItems\":3}}},\"required\":[\"x\"]}",
        "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\",\"minLength\":1000000000}}"
        ","
        "\"required\":[\"x\"]}",
        "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\",\"minimum\":"
        "-9223372036854775808,\"maximum\":9223372036854775807,\"multipleOf\":9223372036854775807}},"
        "\"required\":[\"x\"]}",
        "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"number\",\"minimum\":1e400}},"
        "\"required\":[\"x\"]}",
    };
    for (size_t i = 0; i < COUNT(schemas); i++) {
        fixture f;
        bool valid = false;
        begin(&f, "x", "look", schemas[i]);
        CHECK_INT(read_request(&f), HAFT_OK, "read the request");
        for (unsigned attempt = 0; attempt < 3; attempt++) {
            CHECK(make(&f, attempt, &valid).len < 1 << 20, "%s", schemas[i]);
        }
        end(&f);
    }
}

TEST(a_long_task_is_truncated_in_arguments)
{
    fixture f;
    bool valid = false;
    char *task = test_alloc(10001);
    memset(task, 'w', 10000);
    task[10000] = '\0';
    begin(&f, task, "look", OBJECT("\"question\":{\"type\":\"string\"}", "\"question\""));
    CHECK_INT(read_request(&f), HAFT_OK, "read the request");
    CHECK(make(&f, 0, &valid).len < 600, "the task is truncated");
    end(&f);
}

TEST(arguments_survive_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        fixture f;
        bool valid = false;
        haft__json arguments;
        begin(&f, "the gate opens", "look",
              OBJECT("\"query\":{\"type\":\"string\",\"minLength\":90},\"l\":{\"type\":\"array\","
                     "\"items\":{"
                     "\"type\":\"integer\"}},\"d\":{\"type\":\"string\",\"pattern\":\"^A$\"}",
                     "\"query\",\"l\",\"d\""));
        f.r.request.mode = HAFT__MODE_ANY;
        test_fail_allocation(n);
        haft_status status = read_request(&f);
        if (status == HAFT_OK) {
            status = haft__offline_arguments(&f.o, f.tools.items[0], 1, &arguments, &valid);
        }
        bool failed = test_allow_allocations();
        end(&f);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            CHECK(valid, "the arguments are valid");
            break;
        }
    }
}
