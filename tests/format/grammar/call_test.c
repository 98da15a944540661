/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/format/grammar/call.c with random tools and arguments. The grammar accepts a call
 * in the dialect, and the parser reads it as that call; it rejects a call that violates the schema.
 */
#include "format/grammar_help.h"

#include "base/limits.h"
#include "test.h"
#include "json/read.h"
#include "json/write.h"

/* A schema and a value that it accepts, both as text. */
typedef struct pair {
    haft__buf schema, value;
    uint64_t state;
    unsigned depth;
} pair;

static unsigned pick(pair *p, unsigned below)
{
    p->state ^= p->state << 13;
    p->state ^= p->state >> 7;
    p->state ^= p->state << 17;
    return (unsigned)(p->state % below);
}

static void add_any(pair *p);

static void add_integer(pair *p)
{
    int min = (int)pick(p, 2000) - 1000, max = min + (int)pick(p, 3000);
    int value = min + (int)pick(p, (unsigned)(max - min + 1));
    haft__buf_addf(&p->schema, "{\"type\":\"integer\",");
    switch (pick(p, 4)) {
    case 0: haft__buf_addf(&p->schema, "\"minimum\":%d,\"maximum\":%d}", min, max); break;
    case 1: haft__buf_addf(&p->schema, "\"minimum\":%d}", min); break;
    case 2: haft__buf_addf(&p->schema, "\"exclusiveMaximum\":%d}", max + 1); break;
    default: haft__buf_addf(&p->schema, "\"multipleOf\":1}"); break;
    }
    haft__buf_addf(&p->value, "%d", value);
}

static void add_string(pair *p)
{
    static const char *const texts[] = {
        "",          "plain",    "it's \\\"quoted\\\"", "</tool_cal>",
        "a\\nb",     "\xC3\xA9", "\xF0\x9F\x98\x80",    "back\\\\slash",
        "{[(<'>)]}", "null"};
    const char *text = texts[pick(p, COUNT(texts))];
    switch (pick(p, 4)) {
    case 0:
        haft__buf_addf(&p->schema, "{\"type\":\"string\",\"enum\":[\"other\",\"%s\",\"last\"]}",
                       text);
        break;
    case 1: haft__buf_addf(&p->schema, "{\"type\":\"string\",\"maxLength\":20}"); break;
    case 2:
        haft__buf_addf(&p->schema, "{\"type\":\"string\",\"pattern\":\"^[a-z]+-\\\\d{1,3}$\"}");
        text = "ab-12";
        break;
    default: haft__buf_addf(&p->schema, "{\"type\":\"string\"}"); break;
    }
    haft__buf_addf(&p->value, "\"%s\"", text);
}

/* Adds no item or one item. */
static void add_array(pair *p)
{
    haft__buf_addf(&p->schema, "{\"type\":\"array\",\"maxItems\":%u,\"items\":", 1 + pick(p, 3));
    haft__buf_add_char(&p->value, '[');
    size_t before = p->value.len;
    add_any(p);
    p->value.len = pick(p, 3) == 0 ? before : p->value.len;
    haft__buf_addf(&p->schema, "}");
    haft__buf_add_char(&p->value, ']');
}

static void add_object(pair *p, const char *more_schema, const char *more_value)
{
    unsigned count = pick(p, 4);
    bool required[4] = {false};
    bool first = true;
    haft__buf_addf(&p->schema, "{\"type\":\"object\",\"properties\":{");
    haft__buf_add_char(&p->value, '{');
    for (unsigned i = 0; i < count; i++) {
        size_t before = p->value.len;
        haft__buf_addf(&p->schema, "%s\"key%u\":", i > 0 ? "," : "", i);
        haft__buf_addf(&p->value, "%s\"key%u\":", first ? "" : ",", i);
        add_any(p);
        required[i] = pick(p, 2) == 0;
        if (!required[i] && pick(p, 2) == 0) {
            p->value.len = before; /* the member is left out */
        } else {
            first = false;
        }
    }
    haft__buf_addf(&p->schema, "%s%s},\"required\":[", count > 0 && more_schema[0] ? "," : "",
                   more_schema);
    const char *comma = "";
    for (unsigned i = 0; i < count; i++) {
        if (required[i]) {
            haft__buf_addf(&p->schema, "%s\"key%u\"", comma, i);
            comma = ",";
        }
    }
    if (more_schema[0] != '\0') {
        haft__buf_addf(&p->schema, "%s\"z\"", comma);
        haft__buf_addf(&p->value, "%s%s", first ? "" : ",", more_value);
    }
    haft__buf_addf(&p->schema, "]}");
    haft__buf_add_char(&p->value, '}');
}

static void add_any(pair *p)
{
    static const char *const numbers[] = {"0", "-1.5", "2e10", "3.25E-2", "7"};
    p->depth++;
    switch (pick(p, p->depth > 3 ? 6 : 8)) {
    case 0: add_integer(p); break;
    case 1:
    case 2: add_string(p); break;
    case 3:
        haft__buf_addf(&p->schema, "{\"type\":\"boolean\"}");
        haft__buf_addf(&p->value, "%s", pick(p, 2) == 0 ? "true" : "false");
        break;
    case 4:
        haft__buf_addf(&p->schema, "{\"type\":[\"null\",\"integer\"]}");
        haft__buf_addf(&p->value, "null");
        break;
    case 5:
        haft__buf_addf(&p->schema, "{\"anyOf\":[{\"type\":\"boolean\"},{\"type\":\"number\"}]}");
        haft__buf_addf(&p->value, "%s", numbers[pick(p, COUNT(numbers))]);
        break;
    case 6: add_array(p); break;
    default: add_object(p, "", ""); break;
    }
    p->depth--;
}

/* ---- the dialects ---- */

static void write_python_text(haft__buf *buf, haft_str s, char quote)
{
    haft__buf_add_char(buf, quote);
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == quote || s.ptr[i] == '\\') {
            haft__buf_add_char(buf, '\\');
        }
        haft__buf_add_char(buf, s.ptr[i] == '\n' ? '\\' : s.ptr[i]);
        haft__buf_add_str(buf, s.ptr[i] == '\n' ? HAFT__LIT("n") : HAFT__LIT(""));
    }
    haft__buf_add_char(buf, quote);
}

static void write_python(haft__buf *buf, haft__json v, char quote)
{
    if (v.kind == HAFT__JSON_STRING) {
        write_python_text(buf, haft__json_text(v), quote);
    } else if (v.kind == HAFT__JSON_ARRAY || v.kind == HAFT__JSON_OBJECT) {
        bool object = v.kind == HAFT__JSON_OBJECT;
        haft__buf_add_char(buf, object ? '{' : '[');
        for (uint32_t i = 0; i < v.count; i++) {
            haft__buf_addf(buf, "%s", i > 0 ? ", " : "");
            if (object) {
                write_python(buf, v.members[i].key, quote);
                haft__buf_addf(buf, ": ");
            }
            write_python(buf, object ? v.members[i].value : v.items[i], quote);
        }
        haft__buf_add_char(buf, object ? '}' : ']');
    } else {
        static const char *const words[] = {"None", "False", "True"};
        haft_str number = haft__json_text(v);
        haft__buf_addf(buf, "%.*s",
                       HAFT__ARG(v.kind < HAFT__JSON_NUMBER ? haft__str(words[v.kind]) : number));
    }
}

static void write_tags(haft__buf *buf, haft__json args)
{
    haft__buf_addf(buf, "<tool_call>\n<function=act>\n");
    for (uint32_t i = 0; i < args.count; i++) {
        haft__json value = args.members[i].value;
        haft__buf_addf(buf, "<parameter=%.*s>\n", HAFT__ARG(haft__json_text(args.members[i].key)));
        if (value.kind == HAFT__JSON_STRING) {
            haft__buf_add_str(buf, haft__json_text(value));
        } else {
            haft__json_write(buf, value);
        }
        haft__buf_addf(buf, "\n</parameter>\n");
    }
    haft__buf_addf(buf, "</function>\n</tool_call>");
}

static const struct {
    const char *format;
    uint8_t form;
    const char *before, *after; /* the text around the arguments; NULL: see write_call */
} dialects[] = {
    {"hermes", 0, "<tool_call>\n{\"name\": \"act\", \"arguments\": ", "}\n</tool_call>"},
    {"mistral", 1, "[TOOL_CALLS]act[ARGS]", ""},
    {"mistral", 0, "[TOOL_CALLS][{\"name\":\"act\",\"arguments\":", "}]"},
    {"purejson", 0, "{\"tool\": \"act\", \"args\": ", "}"},
    {"native", 0, "{\"name\": \"act\", \"arguments\": ", "}"},
    {"llama3", 0, "{\"name\": \"act\", \"parameters\": ", "}"},
    {"granite", 0, "<|tool_call|>[{\"name\": \"act\", \"arguments\": ", "}]"},
    {"pythonic", 0, NULL, NULL},
    {"qwen3coder", 0, NULL, NULL},
};

static void write_call(haft__buf *buf, size_t dialect, haft__json args, char quote)
{
    haft__buf_clear(buf);
    if (dialects[dialect].before != NULL) {
        haft__buf_addf(buf, "%s", dialects[dialect].before);
        haft__json_write(buf, args);
        haft__buf_addf(buf, "%s", dialects[dialect].after);
    } else if (strcmp(dialects[dialect].format, "qwen3coder") == 0) {
        write_tags(buf, args);
    } else {
        haft__buf_addf(buf, "[act(");
        for (uint32_t i = 0; i < args.count; i++) {
            haft__buf_addf(buf, "%s%.*s=", i > 0 ? ", " : "",
                           HAFT__ARG(haft__json_text(args.members[i].key)));
            write_python(buf, args.members[i].value, quote);
        }
        haft__buf_addf(buf, ")]");
    }
    haft__buf_add_char(buf, '\0');
    buf->len--;
}

/* ---- the property ---- */

static void check_call(help_grammar *h, size_t dialect, const char *text, haft__json args)
{
    const char *format = dialects[dialect].format;
    help_parsed parsed;
    help_parsed_init(&parsed);
    help_input input = {.format = strcmp(format, "native") == 0 ? "purejson" : format,
                        .text = haft__str(text),
                        .tools = h->tools,
                        .tool_count = h->count};
    help_parse(&input, 0, 0, &parsed);
    haft__json calls = {0};
    haft_status status =
        haft__json_read(&h->arena, haft__buf_str(&parsed.calls), NULL, &calls, NULL, NULL);
    CHECK(status == HAFT_OK && calls.count == 1, "%s: no call in %s", format, text);
    if (status == HAFT_OK && calls.count == 1) {
        bool same = false;
        haft__json found = *haft__json_get(calls.items[0], HAFT__LIT("arguments"));
        CHECK(haft__json_equal(found, args, &same, NULL) == HAFT_OK && same, "%s: %.*s from %s",
              format, HAFT__ARG(haft__buf_str(&parsed.calls)), text);
    }
    help_parsed_finish(&parsed);
}

static haft__json read_value(help_grammar *h, const haft__buf *text)
{
    haft__json value = {0};
    haft_error err = {0};
    haft_status status = haft__json_read(&h->arena, haft__buf_str(text), NULL, &value, NULL, &err);
    CHECK(status == HAFT_OK, "%s: %.*s", err.message, HAFT__ARG(haft__buf_str(text)));
    return value;
}

static void check_dialect(const char *tools, const haft__buf *good, const haft__buf *bad,
                          size_t dialect)
{
    help_grammar h;
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    help_grammar_tools(&h, tools);
    haft__json args = read_value(&h, good), wrong = read_value(&h, bad);
    help_grammar_make(&h, dialects[dialect].format, "act",
                      &(haft__grammar_options){.form = dialects[dialect].form});
    CHECK_INT(h.status, HAFT_OK, "%s", h.err.message);
    for (const char *quote = "\"'"; *quote != '\0'; quote++) {
        write_call(&text, dialect, args, *quote);
        CHECK(gbnf_accepts(h.grammar, haft__buf_str(&text)), "%s rejects\n%s\nof %s\n%.*s",
              dialects[dialect].format, text.ptr, tools, HAFT__ARG(haft__buf_str(&h.text)));
        check_call(&h, dialect, text.ptr, args);
        write_call(&text, dialect, wrong, *quote);
        CHECK(!gbnf_accepts(h.grammar, haft__buf_str(&text)), "%s accepts\n%s\nof %s",
              dialects[dialect].format, text.ptr, tools);
    }
    CHECK(!gbnf_begins(h.grammar, HAFT__LIT("Sure, ")), "%s accepts prose",
          dialects[dialect].format);
    haft__buf_finish(&text);
    help_grammar_finish(&h);
}

TEST(random_calls_are_accepted_and_parsed)
{
    const char *rounds = getenv("HAFT_TEST_ROUNDS");
    unsigned count = rounds != NULL ? (unsigned)strtoul(rounds, NULL, 10) : 60;
    for (unsigned i = 0; i < count; i++) {
        pair p = {.state = 0x9E3779B97F4A7C15U + i * 7919U};
        haft__buf bad;
        haft__buf_init(&p.schema, 1 << 20);
        haft__buf_init(&p.value, 1 << 20);
        haft__buf_init(&bad, 1 << 20);
        haft__buf_addf(&p.schema, "{\"act\":");
        add_object(&p, "\"z\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":9}", "\"z\":5");
        haft__buf_addf(&p.schema, "}");
        haft__buf_add_char(&p.schema, '\0');
        haft__buf_add(&bad, p.value.ptr, p.value.len - 2);
        haft__buf_addf(&bad, "12}");
        for (size_t dialect = 0; dialect < COUNT(dialects); dialect++) {
            check_dialect(p.schema.ptr, &p.value, &bad, dialect);
        }
        haft__buf_finish(&p.schema);
        haft__buf_finish(&p.value);
        haft__buf_finish(&bad);
    }
}

/* Schemas of a tool that are more than a list of properties, and names that cannot be written. */
static const struct {
    const char *format, *schema, *text, *note;
    bool taken;
} odd[] = {
    {"pythonic",
     "{\"type\":\"object\",\"properties\":{\"a-b\":{},\"c\":{}},\"required\":[\"a-b\"]}",
     "[act(c=1)]", "/act/properties/a-b: a name that the format cannot write", true},
    {"pythonic",
     "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}},\"required\":[\"a\"]},"
     "{\"properties\":{\"b\":{}},\"required\":[\"b\"]}]}",
     "[act(b=[None])]", "", true},
    {"pythonic", "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}},\"required\":[\"a\"]}]}",
     "[act(a=1)]", "", false},
    {"pythonic", "true", "[act(x=1, y=\"z\")]", "", true},
    {"pythonic", "{\"additionalProperties\":true}", "[act()]",
     "members that the schema does not name", true},
    {"qwen3coder", "null",
     "<tool_call>\n<function=act>\n<parameter=k>\nv\n</parameter>\n"
     "</function>\n</tool_call>",
     "", true},
    {"qwen3coder", "{\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"^[a-z]+$\"}}}",
     "<tool_call>\n<function=act>\n<parameter=s>\nAB\n</parameter>\n</function>\n</tool_call>", "",
     false},
    {"qwen3coder", "{\"properties\":{\"s\":{\"type\":\"string\",\"pattern\":\"^.+$\"}}}",
     "<tool_call>\n<function=act>\n<parameter=s>\nA<B\n</parameter>\n</function>\n</tool_call>",
     "pattern", true},
    {"qwen3coder", "{\"properties\":{\"s\":{\"type\":[\"string\",\"null\"],\"maxLength\":1}}}",
     "<tool_call>\n<function=act>\n<parameter=s>\nnull\n</parameter>\n</function>\n</tool_call>",
     "maxLength 1", true},
    {"qwen3coder",
     "{\"properties\":{\"s\":{\"enum\":[\"x\",\"</function>\"],\"type\":\"string\"}}}",
     "<tool_call>\n<function=act>\n<parameter=s>\ny\n</parameter>\n</function>\n</tool_call>",
     "enum", true},
    {"hermes", "{\"type\":\"string\"}",
     "<tool_call>{\"name\":\"act\",\"arguments\":{\"a\":1}}"
     "</tool_call>",
     "a schema that is not for an object", true},
    {"hermes",
     "{\"$ref\":\"#/$defs/o\",\"$defs\":{\"o\":{\"properties\":{\"a\":{\"$ref\":"
     "\"#/$defs/o\"}}}}}",
     "<tool_call>{\"name\":\"act\",\"arguments\":{\"a\":{\"a\":{}}}}</tool_call>", "", true},
};

TEST(unusual_schemas_have_grammars)
{
    for (size_t i = 0; i < COUNT(odd); i++) {
        help_grammar h;
        char tools[512];
        (void)snprintf(tools, sizeof tools, "{\"act\": %s}", odd[i].schema);
        help_grammar_tools(&h, tools);
        help_grammar_make(&h, odd[i].format, NULL, NULL);
        CHECK_INT(h.status, HAFT_OK, "%s", h.err.message);
        help_grammar_check(&h, odd[i].format, odd[i].text, odd[i].taken);
        haft__buf_add_char(&h.notes, '\0');
        CHECK(strstr(h.notes.ptr, odd[i].note) != NULL, "%s: %s", odd[i].schema, h.notes.ptr);
        CHECK(odd[i].note[0] != '\0' || h.report.count == 0, "%s: %s", odd[i].schema, h.notes.ptr);
        help_grammar_finish(&h);
    }
}

/* The types of a parameter are those of all its alternatives, which may refer to each other. */
TEST(endless_alternatives_become_any_text)
{
    haft__buf tools;
    haft__buf_init(&tools, 1 << 20);
    haft__buf_addf(&tools, "{\"act\": {\"$defs\": {");
    for (unsigned i = 0; i < 60; i++) {
        haft__buf_addf(&tools, "%s\"d%u\": {\"anyOf\": [", i > 0 ? "," : "", i);
        for (unsigned k = 0; k < 60; k++) {
            haft__buf_addf(&tools, "%s{\"$ref\": \"#/$defs/d%u\"}", k > 0 ? "," : "", k);
        }
        haft__buf_addf(&tools, "]}");
    }
    haft__buf_addf(&tools, "}, \"properties\": {\"a\": {\"$ref\": \"#/$defs/d0\"}}}}");
    haft__buf_add_char(&tools, '\0');
    static const char *const formats[] = {"qwen3coder", "deepseek_v32"};
    for (size_t i = 0; i < COUNT(formats); i++) {
        help_grammar h;
        help_grammar_tools(&h, tools.ptr);
        help_grammar_make(&h, formats[i], NULL, NULL);
        CHECK(h.status == HAFT_OK || h.status == HAFT_TOO_BIG, "%s: %s", formats[i], h.err.message);
        help_grammar_finish(&h);
    }
    haft__buf_finish(&tools);
}

/* Each way to declare the type of a parameter, and how its value is written. */
static const struct {
    const char *schema, *value;
    bool taken;
} readings[] = {
    {"{\"enum\": [\"C\", \"12\", \"true\", 5]}", "C", true},
    {"{\"enum\": [\"C\", \"12\", \"true\", 5]}", "\nC\n", true},
    {"{\"enum\": [\"C\", \"12\", \"true\", 5]}", "\"C\"", true},
    {"{\"enum\": [\"C\", \"12\", \"true\", 5]}", "5", true},
    {"{\"enum\": [\"C\", \"12\", \"true\", 5]}", "\"12\"", true},
    {"{\"enum\": [\"C\", \"12\", \"true\", 5]}", "12", false}, /* the parser would read a number */
    {"{\"enum\": [\"C\", \"12\", \"true\", 5]}", "D", false},
    {"{\"const\": \"one\"}", "one", true},
    {"{\"const\": \"one\"}", "two", false},
    {"{\"type\": \"string\", \"enum\": [\"12\"]}", "12", true},
    {"{\"type\": [\"string\"]}", "any <text>", true},
    {"{\"type\": [\"integer\", \"string\"]}", "any text", true},
    {"{\"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"boolean\"}]}", "any text", false},
    {"{\"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"boolean\"}]}", "true", true},
    {"{\"anyOf\": [{\"type\": \"integer\"}, {\"const\": \"x\"}]}", "x", true},
    {"{\"oneOf\": [{\"type\": \"integer\"}, {\"type\": \"string\"}]}", "any text", true},
    {"{}", "any text", true},
    {"{\"type\": \"integer\"}", "any text", false},
};

TEST(values_in_tags_are_written_as_they_are_read)
{
    for (size_t i = 0; i < COUNT(readings); i++) {
        help_grammar h;
        char tools[512], text[512];
        (void)snprintf(tools, sizeof tools,
                       "{\"act\": {\"properties\": {\"a\": %s}, \"required\": [\"a\"]}}",
                       readings[i].schema);
        (void)snprintf(text, sizeof text,
                       "<tool_call>\n<function=act>\n<parameter=a>%s</parameter>\n</function>\n"
                       "</tool_call>",
                       readings[i].value);
        help_grammar_tools(&h, tools);
        help_grammar_make(&h, "qwen3coder", NULL, NULL);
        help_grammar_check(&h, "qwen3coder", text, readings[i].taken);
        help_grammar_finish(&h);
    }
}
