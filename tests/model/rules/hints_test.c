/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/model/rules/hints.c: what a task says in so many letters goes to the arguments it
 * fits; and whole tool sets as people have them, and as nobody has them.
 */
#include "model/offline_help.h"
#include "model/rules/values.h"
#include "tool/registry.h"
#include "json/read.h"

typedef struct fixture {
    haft__arena arena;
    offline_request r;
    haft__tools tools;
    bool allowed[16];
    haft__reply reply;
} fixture;

static void begin(fixture *f, const char *task, haft__choice_mode mode)
{
    *f = (fixture){.reply = {.call_count = 0}};
    haft__arena_init(&f->arena, 0);
    offline_request_init(&f->r, &f->arena, task);
    haft__tools_init(&f->tools, &f->arena, OFFLINE_KEY);
    f->r.request.mode = mode;
}

static bool add_tool(fixture *f, const char *name, const char *schema)
{
    haft__json value = haft__json_null();
    haft_error err = {0};
    haft_str text = haft__arena_copy(&f->arena, haft__str(schema)); /* values borrow from it */
    CHECK_INT(haft__json_read(&f->arena, text, NULL, &value, NULL, &err), HAFT_OK, "%s: %s", schema,
              err.message);
    haft__tool tool = {.name = haft__str(name),
                       .description = HAFT__LIT("Does something."),
                       .input_schema = value,
                       .source = HAFT__TOOL_COMMAND,
                       .typed = true};
    bool good = haft__tools_add(&f->tools, &tool, &err) == HAFT_OK;
    if (good) {
        f->allowed[f->r.request.tool_count++] = true;
        f->r.request.tools = f->tools.items;
        f->r.request.allowed = f->allowed;
    }
    return good;
}

static void ask(fixture *f)
{
    CHECK_INT(haft__offline_ask(&f->r.request, &f->arena, &f->reply, NULL), HAFT_OK, "a reply");
}

#define TEXT      "{\"type\":\"string\"}"
#define WHOLE     "{\"type\":\"integer\"}"
#define FORMAT(x) "{\"type\":\"string\",\"format\":\"" x "\"}"
#define OBJECT(properties, required)                                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required                 \
    "],\"additionalProperties\":false}"

TEST(tool_sets_as_people_have_them)
{
    static const struct {
        const char *tool, *schema, *task, *arguments;
    } cases[] = {
        {"disk_free", OBJECT("\"directory\":" TEXT, "\"directory\""),
         "How much space is left in /var/tmp?", "{\"directory\":\"/var/tmp\"}"},
        {"count", OBJECT("\"file\":" TEXT, "\"file\""), "Count the lines of ~/notes, please.",
         "{\"file\":\"~/notes\"}"},
        {"get_weather",
         OBJECT("\"city\":" TEXT ",\"unit\":{\"enum\":[\"celsius\",\"fahrenheit\"]}", "\"city\""),
         "What is the weather in New York, in Fahrenheit?",
         "{\"city\":\"New York\",\"unit\":\"fahrenheit\"}"},
        {"get_weather", OBJECT("\"city\":" TEXT ",\"unit\":{\"enum\":[\"c\",\"f\"]}", "\"city\""),
         "What is the weather in Paris?", "{\"city\":\"Paris\"}"},
        {"get_order",
         OBJECT("\"order_id\":{\"type\":\"string\",\"pattern\":\"^ORD-[0-9]+$\"}", "\"order_id\""),
         "Where is order ORD-1042?", "{\"order_id\":\"ORD-1042\"}"},
        {"get_order", OBJECT("\"order_id\":" WHOLE, "\"order_id\""), "Where is order 1042?",
         "{\"order_id\":1042}"},
        {"find_user", OBJECT("\"email\":" FORMAT("email"), "\"email\""),
         "Find ada@example.org, please.", "{\"email\":\"ada@example.org\"}"},
        {"fetch_page", OBJECT("\"url\":" FORMAT("uri"), "\"url\""),
         "Fetch (https://example.org/a?b=c).", "{\"url\":\"https://example.org/a?b=c\"}"},
        {"list_events",
         OBJECT("\"start_date\":" FORMAT("date") ",\"end_date\":" FORMAT("date"), "\"start_date\""),
         "What is on from 2026-01-05 to 2026-01-09?",
         "{\"start_date\":\"2026-01-05\",\"end_date\":\"2026-01-09\"}"},
        {"list_events", OBJECT("\"since\":" FORMAT("date-time"), "\"since\""),
         "Events since 2026-01-05", "{\"since\":\"2026-01-05T00:00:00Z\"}"},
        {"get_ticket",
         OBJECT("\"ticket\":" TEXT ",\"status\":{\"enum\":[\"open\",\"closed\"]}", "\"ticket\""),
         "Show ticket HD-77 if it was closed", "{\"ticket\":\"HD-77\",\"status\":\"closed\"}"},
        {"search_rows", OBJECT("\"table\":" TEXT ",\"limit\":" WHOLE, "\"limit\""),
         "the top rows, limit 5 of 90", "{\"limit\":5}"},
        {"look_up", OBJECT("\"phrase\":" TEXT, "\"phrase\""),
         "Look up \"no progress\" in the index", "{\"phrase\":\"no progress\"}"},
        {"get_session", OBJECT("\"id\":" FORMAT("uuid"), "\"id\""),
         "session 01234567-89ab-cdef-0123-456789abcdef",
         "{\"id\":\"01234567-89ab-cdef-0123-456789abcdef\"}"},
        {"find_room",
         OBJECT("\"booking\":" OBJECT("\"guests\":" WHOLE ",\"city\":" TEXT, "\"guests\",\"city\""),
                "\"booking\""),
         "a room in Rome for 3 guests", "{\"booking\":{\"guests\":3,\"city\":\"Rome\"}}"},
        {"check_stock", OBJECT("\"skus\":{\"type\":\"array\",\"items\":" TEXT "}", "\"skus\""),
         "Is A-17 in stock?", "{\"skus\":[\"A-17\"]}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        begin(&f, cases[i].task, HAFT__MODE_ANY);
        CHECK(add_tool(&f, cases[i].tool, cases[i].schema), "%s", cases[i].schema);
        ask(&f);
        CHECK_INT(f.reply.call_count, 1, "%s", cases[i].task);
        if (f.reply.call_count == 1) {
            CHECK_STR(f.reply.calls[0].arguments, haft__str(cases[i].arguments), "%s",
                      cases[i].task);
        }
        haft__arena_finish(&f.arena);
    }
}

TEST(texts_that_patterns_take)
{
    static const struct {
        const char *pattern, *text;
    } cases[] = {
        {"^[A-Z]{2}-\\d+$", "AA-0"},
        {"^(foo|bar)x?$", "foo"},
        {"^(?:a(b|c)){2}$", "abab"},
        {"[^a-b]z*", "c"},
        {"^\\w+\\.txt$", "a.txt"},
        {"^.{3}$", "aaa"},
        {"^a|b$", "a"},
        {"", ""},
        {"^[\\d]{4}-\\s\\n\\t", "0000- \n\t"},
        {"((((((((((a", "((a"},
        {"a{9999}", NULL},
        {"[", ""},
        {"\\", ""},
        {"a{", ""},
        {"(", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 16);
        haft__offline_sample(&buf, haft__str(cases[i].pattern));
        if (cases[i].text != NULL) {
            haft_str text = haft__buf_str(&buf);
            text.len = strlen(cases[i].text) < text.len ? strlen(cases[i].text) : text.len;
            CHECK_STR(text, haft__str(cases[i].text), "%s", cases[i].pattern);
        }
        CHECK(buf.len < 1000, "%s: %zu bytes", cases[i].pattern, buf.len);
        haft__buf_finish(&buf);
    }
}

TEST(results_go_to_the_next_tool)
{
    fixture f;
    begin(&f, "Where is the parcel of Ada?", HAFT__MODE_ANY);
    CHECK(add_tool(&f, "find_customer", OBJECT("\"name\":" TEXT, "\"name\"")), "a tool");
    CHECK(add_tool(&f, "find_parcel", OBJECT("\"customer_id\":" WHOLE, "\"customer_id\"")),
          "a tool");
    ask(&f);
    CHECK_STR(f.reply.calls[0].arguments, HAFT__LIT("{\"name\":\"Ada\"}"), "of the task");
    offline_request_add(&f.r, "find_customer", "{\"name\":\"Ada\"}", "{\"customerId\":17}", false);
    ask(&f);
    CHECK_STR(f.reply.calls[0].arguments, HAFT__LIT("{\"customer_id\":17}"), "of the result");
    haft__arena_finish(&f.arena);
}

/* ---- tool sets as nobody has them ---- */

static uint32_t below(uint64_t *seed, uint32_t bound)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*seed >> 33) % bound;
}

static const char *const parts[] = {
    TEXT,
    WHOLE,
    "{\"type\":\"boolean\"}",
    "{\"type\":\"number\",\"minimum\":2,\"maximum\":9}",
    FORMAT("date"),
    FORMAT("email"),
    "{\"type\":\"string\",\"pattern\":\"^[A-Z]{2}-[0-9]+$\"}",
    "{\"type\":\"string\",\"pattern\":\"^[a-z]$\"}",
    "{\"type\":\"string\",\"minLength\":3,\"maxLength\":12}",
    "{\"enum\":[\"open\",\"closed\",7]}",
    "{\"type\":\"array\",\"items\":" TEXT ",\"minItems\":2}",
    "{\"anyOf\":[" WHOLE "," FORMAT("uri") "]}",
    "{\"type\":[\"string\",\"null\"]}",
    OBJECT("\"city\":" TEXT ",\"n\":" WHOLE, "\"n\""),
};
static const char *const keys[] = {"city",   "order_id", "limit", "email", "date",
                                   "status", "query",    "x",     "path",  "tags"};
static const char *const tasks[] = {
    "Where is order AB-12 of ada@example.org since 2026-01-05?",
    "",
    "Count 'the words' in New York, limit 5, https://example.org/ and \"x",
    "\xff\xfe broken \x01 bytes ORD-1 \xe2\x80",
    "open",
};

static void add_random_tool(fixture *f, uint64_t *seed, unsigned number)
{
    haft__buf text;
    char name[16];
    haft__buf_init(&text, 1 << 16);
    haft__buf_add_str(&text, HAFT__LIT("{\"type\":\"object\",\"properties\":{"));
    uint32_t count = below(seed, 4), first = below(seed, COUNT(keys));
    for (uint32_t i = 0; i < count; i++) {
        haft__buf_addf(&text, "%s\"%s\":%s", i > 0 ? "," : "", keys[(first + i) % COUNT(keys)],
                       parts[below(seed, COUNT(parts))]);
    }
    haft__buf_addf(&text, "},\"additionalProperties\":false,\"required\":[");
    for (uint32_t i = 0; i < count && below(seed, 2) == 0; i++) {
        haft__buf_addf(&text, "%s\"%s\"", i > 0 ? "," : "", keys[(first + i) % COUNT(keys)]);
    }
    haft__buf_add_str(&text, HAFT__LIT("]}"));
    haft__buf_add_char(&text, '\0');
    (void)snprintf(name, sizeof(name), "tool_%u", number);
    CHECK(add_tool(f, haft__arena_format(&f->arena, "%s", name).ptr, text.ptr), "%s", text.ptr);
    haft__buf_finish(&text);
}

static void check_calls(const fixture *f, haft__arena *arena)
{
    offline_check_mode(&f->r.request, &f->reply);
    for (size_t i = 0; i < f->reply.call_count; i++) {
        for (size_t t = 0; t < f->r.request.tool_count; t++) {
            const haft__tool *tool = f->tools.items[t];
            haft__json arguments = haft__json_null();
            if (!haft__str_equal(tool->name, f->reply.calls[i].name)) {
                continue;
            }
            CHECK_INT(
                haft__json_read(arena, f->reply.calls[i].arguments, NULL, &arguments, NULL, NULL),
                HAFT_OK, "arguments are JSON");
            haft__checker *checker = haft__checker_create();
            haft__schema_report report = {.valid = false};
            CHECK_INT(haft__schema_check(tool->schema, checker, arguments, arena, &report, NULL),
                      HAFT_OK, "checked");
            CHECK(report.valid, "%.*s", HAFT__ARG(f->reply.calls[i].arguments));
            haft__checker_destroy(checker);
        }
    }
}

static const char *const results[] = {
    "{\"order_id\":\"AB-77\",\"city\":\"Rome\"}",
    "[{\"limit\":3},{\"limit\":4}]",
    "",
    "no",
    "{\"x\":",
};

/* A conversation in a mode: every call is valid, none is made twice while it may stop, and in auto
 * it does stop. */
static void check_conversation(uint64_t seed)
{
    fixture f;
    const char *task = tasks[below(&seed, COUNT(tasks))];
    begin(&f, task, (haft__choice_mode)below(&seed, 3) == 0 ? HAFT__MODE_ANY : HAFT__MODE_AUTO);
    uint32_t tools = 1 + below(&seed, 5), turns = 0;
    for (unsigned i = 0; i < tools; i++) {
        add_random_tool(&f, &seed, i);
    }
    bool over = false;
    for (; turns < 40 && !over; turns++) {
        ask(&f);
        haft_str first = f.reply.call_count > 0 ? f.reply.calls[0].arguments : f.reply.content;
        check_calls(&f, &f.arena);
        ask(&f);
        haft_str again = f.reply.call_count > 0 ? f.reply.calls[0].arguments : f.reply.content;
        CHECK_STR(again, first, "the same request, the same reply");
        over = f.reply.call_count == 0;
        for (size_t i = 0; i < f.reply.call_count; i++) {
            haft_str name = haft__arena_format(&f.arena, "%.*s", HAFT__ARG(f.reply.calls[i].name));
            haft_str made =
                haft__arena_format(&f.arena, "%.*s", HAFT__ARG(f.reply.calls[i].arguments));
            const char *result = results[below(&seed, COUNT(results))];
            bool failed = below(&seed, 4) == 0;
            CHECK(name.ptr != NULL && made.ptr != NULL, "memory");
            offline_request_add(&f.r, name.ptr, made.ptr, result, failed);
        }
        f.r.request.mode = turns > 10 ? HAFT__MODE_AUTO : f.r.request.mode;
    }
    CHECK(over, "seed %llu: it does not end", (unsigned long long)seed);
    haft__arena_finish(&f.arena);
}

TEST(any_tools_any_mode_any_results)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        check_conversation(seed * 7919);
    }
}

/* Nobody makes up a value, unless a call is forced. */
TEST(no_value_is_made_up)
{
    static const struct {
        const char *tool, *schema, *task, *arguments; /* NULL: no call */
    } cases[] = {
        {"weather", OBJECT("\"city\":" TEXT, "\"city\""), "What can you do?", NULL},
        {"weather", OBJECT("\"city\":" TEXT, "\"city\""), "Hello!", NULL},
        {"weather", OBJECT("\"city\":" TEXT, "\"city\""), "How is the weather in Rome?",
         "{\"city\":\"Rome\"}"},
        {"weather", OBJECT("\"city\":" TEXT, "\"city\""), "use weather for paris",
         "{\"city\":\"paris\"}"},
        {"weather", OBJECT("\"city\":" TEXT, "\"city\""), "Call `weather` with city=oslo.",
         "{\"city\":\"oslo\"}"},
        {"t2", OBJECT("\"query\":" TEXT, "\"query\""), "use t2 for foo", "{\"query\":\"foo\"}"},
        {"t2", OBJECT("\"text\":" TEXT, "\"text\""), "call t2 with 'foo bar'",
         "{\"text\":\"foo bar\"}"},
        {"t2", OBJECT("\"x\":" TEXT, "\"x\""), "use t2", NULL},
        {"find", OBJECT("\"query\":" TEXT, "\"query\""), "What can you do?", NULL},
        {"find", OBJECT("\"query\":" TEXT, "\"query\""), "overdue", "{\"query\":\"overdue\"}"},
        {"read_result", OBJECT("\"call\":" TEXT, "\"call\""), "overdue", NULL},
        {"order", OBJECT("\"id\":" WHOLE, "\"id\""), "what about my order", NULL},
        {"order", OBJECT("\"id\":" WHOLE, "\"id\""), "what about my order 7", "{\"id\":7}"},
        {"paint", OBJECT("\"colour\":{\"enum\":[\"red\",\"green\"]}", "\"colour\""), "nice", NULL},
        {"paint", OBJECT("\"colour\":{\"enum\":[\"red\",\"green\"]}", "\"colour\""), "green one",
         "{\"colour\":\"green\"}"},
        {"tags", OBJECT("\"words\":{\"type\":\"array\",\"items\":" TEXT "}", "\"words\""), "nice",
         NULL},
        {"list", OBJECT("\"x\":" TEXT, ""), "nice", "{}"},
        {"list", OBJECT("\"x\":" TEXT, ""), "  \n ", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fixture f;
        begin(&f, cases[i].task, HAFT__MODE_AUTO);
        CHECK(add_tool(&f, cases[i].tool, cases[i].schema), "%s", cases[i].schema);
        ask(&f);
        haft_str made = f.reply.call_count > 0 ? f.reply.calls[0].arguments : HAFT__LIT("none");
        CHECK_STR(made, haft__str(cases[i].arguments != NULL ? cases[i].arguments : "none"), "%s",
                  cases[i].task);
        haft__arena_finish(&f.arena);
    }
}

TEST(what_was_not_called_is_said)
{
    fixture f;
    begin(&f, "What can you do?", HAFT__MODE_AUTO);
    CHECK(add_tool(&f, "weather", OBJECT("\"city\":" TEXT, "\"city\"")), "a tool");
    ask(&f);
    haft_str text = f.reply.content;
    CHECK(offline_has(text, "The question was not answered: no tool was called.\n"), "%.*s",
          HAFT__ARG(text));
    CHECK(offline_has(text, "- `weather`: no value was found for `city`\n"), "%.*s",
          HAFT__ARG(text));
    CHECK(!offline_has(text, "searched") && !offline_has(text, "looked for")
              && !offline_has(text, "Taken for"),
          "%.*s", HAFT__ARG(text));
    haft__arena_finish(&f.arena);
    begin(&f, " \n", HAFT__MODE_AUTO);
    CHECK(add_tool(&f, "list", OBJECT("", "")), "a tool");
    ask(&f);
    CHECK(haft__str_starts_with(f.reply.content, HAFT__LIT("There is no task: ")), "%.*s",
          HAFT__ARG(f.reply.content));
    haft__arena_finish(&f.arena);
}

/* After a failure it says so, and does not try with something that nobody said. */
TEST(a_failure_is_said)
{
    fixture f;
    begin(&f, "How is the weather in Rome?", HAFT__MODE_AUTO);
    CHECK(add_tool(&f, "weather", OBJECT("\"city\":" TEXT, "\"city\"")), "a tool");
    offline_request_add(&f.r, "weather", "{\"city\":\"Rome\"}", "Error: no network", true);
    offline_request_add(&f.r, "weather", "{\"city\":\"Rome!\"}", "Error: no network", true);
    ask(&f);
    CHECK_INT(f.reply.call_count, 0, "no more calls");
    CHECK(offline_has(f.reply.content, "The question was not answered: every call failed.\n"),
          "%.*s", HAFT__ARG(f.reply.content));
    CHECK(offline_has(f.reply.content, "failed: `Error: no network`"), "%.*s",
          HAFT__ARG(f.reply.content));
    haft__arena_finish(&f.arena);
}

TEST(a_second_try_has_no_invented_value)
{
    fixture f;
    begin(&f, "How is the weather in Rome?", HAFT__MODE_AUTO);
    CHECK(add_tool(&f, "weather", OBJECT("\"city\":" TEXT, "\"city\"")), "a tool");
    offline_request_add(&f.r, "weather", "{\"city\":\"Rome\"}", "Error: no network", true);
    ask(&f);
    CHECK_INT(f.reply.call_count, 0, "%.*s",
              HAFT__ARG(f.reply.call_count > 0 ? f.reply.calls[0].arguments : f.reply.content));
    haft__arena_finish(&f.arena);
}

TEST(results_are_read_by_ids_that_there_were)
{
    fixture f;
    begin(&f, "use read_result", HAFT__MODE_AUTO);
    CHECK(add_tool(&f, "read_result", OBJECT("\"call\":" TEXT, "\"call\"")), "a tool");
    offline_request_add(&f.r, "find", "{}", "two customers", false);
    ask(&f);
    CHECK_INT(f.reply.call_count, 1, "a call");
    CHECK_STR(f.reply.call_count > 0 ? f.reply.calls[0].arguments : f.reply.content,
              HAFT__LIT("{\"call\":\"id_1\"}"), "its id");
    haft__arena_finish(&f.arena);
}
