/* SPDX-License-Identifier: Apache-2.0 */
/* parse_help.c - see parse_help.h. */
#include "parse_help.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "test.h"
#include "json/read.h"
#include "json/write.h"

void help_parsed_init(help_parsed *parsed)
{
    *parsed = (help_parsed){0};
    haft__buf *bufs[] = {&parsed->content, &parsed->reasoning, &parsed->code, &parsed->calls,
                         &parsed->errors,  &parsed->call,      &parsed->whys};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_init(bufs[i], HAFT__LIMIT_FORMAT_BYTES);
    }
}

void help_parsed_finish(help_parsed *parsed)
{
    haft__buf *bufs[] = {&parsed->content, &parsed->reasoning, &parsed->code, &parsed->calls,
                         &parsed->errors,  &parsed->call,      &parsed->whys};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_finish(bufs[i]);
    }
}

static void begin_call(help_parsed *parsed, const haft__parser_event *found)
{
    parsed->lost = parsed->lost || parsed->call.status != HAFT_OK;
    haft__buf_clear(&parsed->call);
    haft__buf_addf(&parsed->call, "%s{\"name\":", parsed->count > 0 ? "," : "");
    haft__json_write_string(&parsed->call, found->text);
    haft__buf_addf(&parsed->call, ",\"arguments\":");
    parsed->open = true;
    CHECK_INT(found->index, parsed->open_count, "the number of the call");
    parsed->open_count++;
}

/* The report of a malformed call has its text from its first byte. */
static void check_raw(const help_parsed *parsed, const haft__parser_event *found)
{
    bool inside =
        found->offset <= parsed->text.len && found->text.len <= parsed->text.len - found->offset;
    CHECK(inside, "%zu bytes at %zu", found->text.len, found->offset);
    if (inside) {
        CHECK_STR(found->text, ((haft_str){parsed->text.ptr + found->offset, found->text.len}),
                  "the reported text of the call at %zu", found->offset);
    }
}

static void add_error(help_parsed *parsed, const haft__parser_event *found)
{
    bool cut = found->kind == HAFT__PARSER_EVENT_TRUNCATED;
    if (!parsed->repair) {
        check_raw(parsed, found);
    }
    haft__buf_addf(&parsed->whys, "%s%s: %s", parsed->whys.len > 0 ? "\n" : "",
                   cut ? "truncated" : "malformed", found->why);
    parsed->truncated |= cut;
    parsed->malformed |= !cut;
    parsed->open = false;
    haft__buf_addf(&parsed->errors, "%s at %zu: %s: ", cut ? "truncated" : "malformed",
                   found->offset, found->why);
    haft__buf_add_str(&parsed->errors, found->text);
    haft__buf_add_char(&parsed->errors, '\n');
}

static haft_status take(void *context, const haft__parser_event *found, haft_error *err)
{
    (void)err;
    help_parsed *parsed = context;
    parsed->event_count++;
    if (parsed->utf8) {
        CHECK(haft__utf8_valid(found->text), "a piece with half a character: %.*s",
              HAFT__ARG(found->text));
    }
    switch (found->kind) {
    case HAFT__PARSER_EVENT_CONTENT: haft__buf_add_str(&parsed->content, found->text); break;
    case HAFT__PARSER_EVENT_REASONING: haft__buf_add_str(&parsed->reasoning, found->text); break;
    case HAFT__PARSER_EVENT_CODE: haft__buf_add_str(&parsed->code, found->text); break;
    case HAFT__PARSER_EVENT_CODE_END: haft__buf_add_str(&parsed->code, HAFT__LIT("\n\n")); break;
    case HAFT__PARSER_EVENT_CALL: begin_call(parsed, found); break;
    case HAFT__PARSER_EVENT_ARGUMENTS:
        CHECK(parsed->open, "arguments of a call that is not open");
        haft__buf_add_str(&parsed->call, found->text);
        break;
    case HAFT__PARSER_EVENT_CALL_END:
        CHECK(parsed->open, "the end of a call that is not open");
        haft__buf_add_str(&parsed->calls, haft__buf_str(&parsed->call));
        haft__buf_addf(&parsed->calls, ",\"id\":");
        haft__json_write_string(&parsed->calls, found->id);
        haft__buf_add_char(&parsed->calls, '}');
        parsed->repaired = parsed->repaired || found->repaired;
        parsed->count++;
        parsed->open = false;
        break;
    case HAFT__PARSER_EVENT_TRUNCATED:
    case HAFT__PARSER_EVENT_MALFORMED: add_error(parsed, found); break;
    }
    return HAFT_OK;
}

void help_parse(const help_input *input, size_t first, size_t chunk, help_parsed *parsed)
{
    const haft__format *format = haft__format_find(haft__str(input->format));
    haft__parser_options options = {.tools = input->tools,
                                    .tool_count = input->tool_count,
                                    .repair = input->repair,
                                    .start_in_reasoning = input->start_in_reasoning,
                                    .take = take,
                                    .context = parsed};
    haft__parser *parser = NULL;
    haft_error err = {0};
    haft__buf_add_char(&parsed->calls, '[');
    haft_status status = haft__parser_create(format, &options, &parser, &err);
    haft_str rest = input->text;
    size_t length = first;
    parsed->text = input->text;
    parsed->repair = input->repair;
    parsed->utf8 = input->text.len < HAFT__LIMIT_FORMAT_RAW_BYTES && haft__utf8_valid(input->text);
    while (status == HAFT_OK && rest.len > 0) {
        length = length == 0 || length > rest.len ? rest.len : length;
        status = haft__parser_feed(parser, (haft_str){rest.ptr, length}, &err);
        rest = haft__str_skip(rest, length);
        length = chunk;
    }
    if (status == HAFT_OK) {
        status = haft__parser_end(parser, input->cut, &err);
    }
    parsed->status = status;
    if (!input->may_fail) {
        CHECK_INT(status, HAFT_OK, "%s", err.message);
    }
    haft__parser_destroy(parser);
    haft__buf_add_char(&parsed->calls, ']');
}

bool help_parsed_equal(const help_parsed *a, const help_parsed *b, const char *what)
{
    const struct {
        const char *name;
        const haft__buf *a, *b;
    } parts[] = {
        {"content", &a->content, &b->content}, {"reasoning", &a->reasoning, &b->reasoning},
        {"code", &a->code, &b->code},          {"calls", &a->calls, &b->calls},
        {"errors", &a->errors, &b->errors},
    };
    bool same = true;
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft_str x = haft__buf_str(parts[i].a), y = haft__buf_str(parts[i].b);
        CHECK_STR(x, y, "%s of %s", parts[i].name, what);
        same = same && haft__str_equal(x, y);
    }
    return same;
}

/* ---- cases ---- */

#define TYPE(name)                                                                                 \
    {                                                                                              \
        {.kind = HAFT__JSON_STRING, .count = 4, .text = "type"},                                   \
        {                                                                                          \
            .kind = HAFT__JSON_STRING, .count = sizeof(name) - 1, .text = (name)                   \
        }                                                                                          \
    }
#define PROPERTY(letter, type)                                                                     \
    {                                                                                              \
        {.kind = HAFT__JSON_STRING, .count = 1, .text = (letter)},                                 \
        {                                                                                          \
            .kind = HAFT__JSON_OBJECT, .count = 1, .members = (type)                               \
        }                                                                                          \
    }

static const haft__json or_null[] = {{.kind = HAFT__JSON_STRING, .count = 6, .text = "string"},
                                     {.kind = HAFT__JSON_STRING, .count = 4, .text = "null"}};
static const haft__json_member text[] = {TYPE("string")}, integer[] = {TYPE("integer")},
                               number[] = {TYPE("number")}, boolean[] = {TYPE("boolean")},
                               object[] = {TYPE("object")}, list[] = {TYPE("array")},
                               either[] = {
                                   {{.kind = HAFT__JSON_STRING, .count = 4, .text = "type"},
                                    {.kind = HAFT__JSON_ARRAY, .count = 2, .items = or_null}}};
static const haft__json_member properties[] = {
    PROPERTY("s", text),   PROPERTY("n", integer), PROPERTY("x", number), PROPERTY("b", boolean),
    PROPERTY("o", object), PROPERTY("l", list),    PROPERTY("u", either)};
static const haft__json_member parameters[] = {
    {{.kind = HAFT__JSON_STRING, .count = 10, .text = "properties"},
     {.kind = HAFT__JSON_OBJECT, .count = COUNT(properties), .members = properties}}};

const haft__format_tool help_tools[] = {
    {.name = {"f", 1},
     .parameters = {.kind = HAFT__JSON_OBJECT, .count = 1, .members = parameters}},
    {.name = {"g", 1}},
    {.name = {"a.b.f", 5}}};
const size_t help_tool_count = COUNT(help_tools);

const help_sample help_samples[] = {
    {"hermes", "<tool_call>{\"name\":\"f\",\"arguments\":{\"s\":\"", "\"}}</tool_call>", true},
    {"mistral", "[TOOL_CALLS]f[ARGS]{\"s\":\"", "\"}", true},
    {"pythonic", "[f(s='", "')]", false},
    {"purejson", "{\"tool\":\"f\",\"args\":{\"s\":\"", "\"}}", true},
    {"llama3", "<|python_tag|>{\"name\":\"f\",\"parameters\":{\"s\":\"", "\"}};", true},
    {"qwen3coder", "<tool_call><function=f><parameter=s>", "</parameter></function></tool_call>",
     false},
    {"glm", "<tool_call>f<arg_key>s</arg_key><arg_value>", "</arg_value></tool_call>", false},
    {"kimi_k2", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"s\":\"",
     "\"}<|tool_call_end|><|tool_calls_section_end|>", true},
    {"deepseek_v3", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"s\":\"",
     "\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", true},
    {"deepseek_v31", "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"s\":\"",
     "\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", true},
    {"deepseek_v32",
     "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"s\" "
     "string=\"true\">",
     "</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>", false},
    {"harmony", "<|channel|>commentary to=functions.f<|message|>{\"s\":\"", "\"}<|call|>", true},
    {"anthropic_xml", "<function_calls><invoke name=\"f\"><parameter name=\"s\">",
     "</parameter></invoke></function_calls>", false},
    {"granite", "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"s\":\"", "\"}}]", true},
    {"command_r", "<|START_ACTION|>[{\"tool_name\":\"f\",\"parameters\":{\"s\":\"",
     "\"}}]<|END_ACTION|>", true},
    {"functionary_v31", "<function=f>{\"s\":\"", "\"}</function>", true},
    {"functionary_v32", ">>>f\n{\"s\":\"", "\"}", true},
};
const size_t help_sample_count = COUNT(help_samples);

/* Writes "[id ]name arguments" for each call, in compact JSON and with the last of equal keys. */
static void describe_calls(const help_parsed *parsed, haft__buf *to)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json calls = haft__json_null();
    haft_error err = {0};
    haft_status status =
        haft__json_read(&arena, haft__buf_str(&parsed->calls), NULL, &calls, NULL, &err);
    CHECK_INT(status, HAFT_OK, "%s in %.*s", err.message, HAFT__ARG(haft__buf_str(&parsed->calls)));
    for (uint32_t i = 0; status == HAFT_OK && i < calls.count; i++) {
        haft_str id = haft__json_text(*haft__json_get(calls.items[i], HAFT__LIT("id")));
        haft__json arguments = *haft__json_get(calls.items[i], HAFT__LIT("arguments"));
        CHECK_INT(arguments.kind, HAFT__JSON_OBJECT, "the arguments are not an object");
        haft__buf_addf(to, "%s%.*s%s", i > 0 ? "\n" : "", HAFT__ARG(id), id.len > 0 ? " " : "");
        haft__buf_add_str(to, haft__json_text(*haft__json_get(calls.items[i], HAFT__LIT("name"))));
        haft__buf_add_char(to, ' ');
        haft__json_write(to, arguments);
    }
    haft__arena_finish(&arena);
}

static haft_str or_empty(const char *wanted)
{
    return haft__str(wanted != NULL ? wanted : "");
}

static void check_case(const help_case *c, const help_parsed *parsed)
{
    haft__buf calls;
    haft__buf_init(&calls, 1 << 20);
    describe_calls(parsed, &calls);
    CHECK_STR(haft__buf_str(&calls), or_empty(c->calls), "calls of %s", c->name);
    CHECK_STR(haft__buf_str(&parsed->content), or_empty(c->content), "content of %s", c->name);
    CHECK_STR(haft__buf_str(&parsed->reasoning), or_empty(c->reasoning), "reasoning of %s",
              c->name);
    if (!parsed->truncated) {
        CHECK_STR(haft__str_trim(haft__buf_str(&parsed->code)), haft__str_trim(or_empty(c->code)),
                  "code of %s", c->name);
    }
    CHECK_STR(haft__buf_str(&parsed->whys), or_empty(c->errors), "errors of %s", c->name);
    haft__buf_finish(&calls);
}

/* Checks that every cut gives the same result as the whole text. */
static void check_cuts(const help_input *input, const help_parsed *whole, const char *name)
{
    for (size_t i = 0; i <= input->text.len; i++) {
        help_parsed parsed;
        help_parsed_init(&parsed);
        help_parse(input, i == 0 ? 1 : i, i == 0 ? 1 : 0, &parsed);
        bool same = help_parsed_equal(&parsed, whole, name);
        help_parsed_finish(&parsed);
        if (!same) {
            return;
        }
    }
}

void help_check_beginnings(const help_input *input, const help_parsed *whole, const char *name)
{
    for (size_t length = 0; length < input->text.len; length++) {
        help_input part = *input;
        part.text.len = length;
        part.cut = true;
        help_parsed parsed;
        help_parsed_init(&parsed);
        help_parse(&part, 0, 0, &parsed);
        haft_str calls = haft__buf_str(&parsed.calls);
        calls.len -= calls.len > 0 ? 1 : 0; /* without the closing bracket */
        CHECK(haft__str_starts_with(haft__buf_str(&whole->calls), calls), "%s, %zu bytes: %.*s",
              name, length, HAFT__ARG(calls));
        help_parsed_finish(&parsed);
    }
}

static bool has_failed(const help_parsed *parsed)
{
    const haft__buf *bufs[] = {&parsed->content, &parsed->reasoning, &parsed->code, &parsed->calls,
                               &parsed->errors,  &parsed->call,      &parsed->whys};
    bool failed = parsed->lost;
    for (size_t i = 0; i < COUNT(bufs); i++) {
        failed = failed || bufs[i]->status != HAFT_OK;
    }
    return failed;
}

/* Checks that a failed allocation is reported, or makes no difference. */
static void check_memory(const help_input *input, const help_parsed *whole, const char *name)
{
    help_input failing = *input;
    failing.may_fail = true;
    for (unsigned n = 0;; n++) {
        help_parsed parsed;
        help_parsed_init(&parsed);
        test_fail_allocation(n);
        help_parse(&failing, 0, 7, &parsed);
        bool happened = test_allow_allocations();
        bool reported = parsed.status == HAFT_NO_MEMORY || has_failed(&parsed);
        if (!reported) {
            (void)help_parsed_equal(&parsed, whole, name);
        }
        CHECK(happened || !reported, "%s: allocation %u: %d", name, n, parsed.status);
        help_parsed_finish(&parsed);
        if (!happened) {
            return;
        }
    }
}

void help_check_cases(const char *format, const help_case *cases, size_t count)
{
    for (size_t i = 0; i < 2 * count; i++) {
        const help_case *c = &cases[i / 2];
        help_input input = {.format = format,
                            .text = haft__str(c->text),
                            .tools = help_tools,
                            .tool_count = help_tool_count,
                            .repair = i % 2 != 0};
        help_parsed whole;
        help_parsed_init(&whole);
        help_parse(&input, 0, 0, &whole);
        if (!input.repair) {
            check_case(c, &whole);
        }
        check_cuts(&input, &whole, c->name);
        help_check_beginnings(&input, &whole, c->name);
        check_memory(&input, &whole, c->name);
        help_parsed_finish(&whole);
    }
}
