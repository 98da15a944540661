/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/schema/grammar/: a schema's grammar accepts exactly the valid instances, unless
 * a report says that it is relaxed.
 */
#include "schema/grammar/gbnf.h"

#include "base/limits.h"
#include "format/gbnf_help.h"
#include "schema/grammar/gbnf_writer.h"
#include "schema/schema_helpers.h"

typedef struct made {
    haft__arena arena;
    haft__relax_report report;
    haft__buf out, notes;
    gbnf *grammar;
    haft_status status;
} made;

static void make_bounded(made *m, haft_str schema, haft__notation notation, uint32_t max_chars)
{
    *m = (made){0};
    haft_error err = {0};
    haft__json value = {0};
    haft__gbnf_writer g;
    haft__arena_init(&m->arena, 0);
    haft__relax_report_init(&m->report, &m->arena);
    haft__buf_init(&m->out, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_init(&m->notes, 1 << 20);
    CHECK(haft__json_read(&m->arena, schema, NULL, &value, NULL, &err) == HAFT_OK, "%s: %.*s",
          err.message, HAFT__ARG(schema));
    haft__gbnf_init(&g, &m->out, &m->report);
    g.notation = notation;
    g.max_chars = max_chars;
    haft__gbnf_begin(&g, HAFT__LIT("/t"), value);
    haft__gbnf_rule_name name = haft__gbnf_schema_value(&g, value);
    haft__buf_addf(&m->out, "root ::= %s\n", name.text);
    haft__gbnf_close(&g);
    m->status = haft__gbnf_check(&g, &err);
    haft__gbnf_finish(&g);
    haft__relax_report_write(&m->notes, &m->report);
    haft__buf_add_char(&m->notes, '\0');
    const char *why = NULL;
    m->grammar = m->status == HAFT_OK ? gbnf_read(haft__buf_str(&m->out), &why) : NULL;
    CHECK(m->status != HAFT_OK || m->grammar != NULL, "%s in %.*s\n%.*s", why, HAFT__ARG(schema),
          HAFT__ARG(haft__buf_str(&m->out)));
}

static void make_from(made *m, haft_str schema, haft__notation notation)
{
    make_bounded(m, schema, notation, 0);
}

static void make(made *m, const char *schema)
{
    make_from(m, haft__str(schema), HAFT__NOTATION_JSON);
}

static void finish(made *m)
{
    gbnf_free(m->grammar);
    haft__buf_finish(&m->out);
    haft__buf_finish(&m->notes);
    haft__arena_finish(&m->arena);
}

static bool accepts(const made *m, const char *text)
{
    return m->grammar != NULL && gbnf_accepts(m->grammar, haft__str(text));
}

/* Exact schemas: the validator must agree. Instances that begin with "!" are rejected. */
static const struct {
    const char *schema;
    const char *instances[12];
} exact[] = {
    {"true", {"1", "[1, {\"a\": null}]", "\"x\"", "-0.5e+3", "{}"}},
    {"{\"type\": \"null\"}", {"null", "!0", "!\"null\""}},
    {"{\"type\": \"boolean\"}", {"true", "false", "!1"}},
    {"{\"type\": [\"string\", \"null\"]}", {"\"a\"", "null", "!1"}},
    {"{\"type\": \"integer\"}", {"0", "-7", "12345678901234567890", "!1.5", "!\"1\""}},
    {"{\"type\": \"integer\", \"minimum\": 3, \"maximum\": 120}",
     {"3", "9", "10", "99", "100", "119", "120", "!121", "!2", "!-3", "!200", "!0"}},
    {"{\"type\": \"integer\", \"minimum\": -15, \"maximum\": 4}",
     {"-15", "-9", "-1", "0", "4", "!5", "!-16", "!-20", "!10"}},
    {"{\"type\": \"integer\", \"exclusiveMinimum\": 9}", {"10", "19", "100", "!9", "!-10", "!0"}},
    {"{\"type\": \"integer\", \"exclusiveMaximum\": -9}", {"-10", "-100", "!-9", "!0", "!9"}},
    {"{\"type\": \"integer\", \"maximum\": 1000000}", {"1000000", "-5", "0", "!1000001"}},
    {"{\"type\": \"integer\", \"minimum\": 1234, \"maximum\": 5678}",
     {"1234", "1999", "2000", "5599", "5678", "!1233", "!5679", "!999", "!10000", "!123"}},
    {"{\"type\": \"number\", \"minimum\": 0}", {"0", "0.5", "1e3", "!-1", "!-0.5"}},
    {"{\"type\": \"string\", \"minLength\": 2, \"maxLength\": 3}",
     {"\"ab\"", "\"\\u00e9\\n\"", "\"\xF0\x9F\x98\x80\xC3\xA9z\"", "!\"a\"", "!\"abcd\"", "!\"\""}},
    {"{\"enum\": [\"a\", 1, null, {\"k\": [true]}, \"q\\\"\\\\\"]}",
     {"\"a\"", "1", "null", "{\"k\":[true]}", "\"q\\\"\\\\\"", "!\"b\"", "!2", "!{}"}},
    {"{\"const\": \"only\"}", {"\"only\"", "!\"other\"", "!null"}},
    {"{\"type\": \"string\", \"enum\": [\"a\", 5]}", {"\"a\"", "!5"}},
    {"{\"type\": \"string\", \"pattern\": \"^[a-c]{2,3}-\\\\d+$\"}",
     {"\"ab-1\"", "\"abc-99\"", "!\"a-1\"", "!\"abca-1\"", "!\"ab-\"", "!\"xab-1\""}},
    {"{\"type\": \"string\", \"pattern\": \"b+\"}", {"\"abc\"", "\"b\"", "!\"\"", "!\"xyz\""}},
    {"{\"type\": \"string\", \"pattern\": \"^(?:GET|POST)?$\"}",
     {"\"GET\"", "\"POST\"", "\"\"", "!\"PUT\""}},
    {"{\"type\": \"string\", \"pattern\": \"^[^\\\"a]\\\\\\\\$\"}",
     {"\"b\\\\\"", "\"\\n\\\\\"", "!\"\\\"\\\\\"", "!\"a\\\\\""}},
    {"{\"type\": \"string\", \"pattern\": \"^\\\\w+@x\\\\.(com|org)$|^none$\"}",
     {"\"me@x.com\"", "\"none\"", "!\"@x.com\"", "!\"me@x_com\"", "!\"nonee\""}},
    {"{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\"}, \"b\": true}, "
     "\"required\": [\"a\"], \"additionalProperties\": false}",
     {"{\"a\": 1}", "{\"a\":1,\"b\":[]}", "{\n  \"a\": 1,\n  \"b\": 2\n}", "!{}", "!{\"b\": 1}",
      "!{\"a\": 1, \"c\": 2}", "!{\"a\": \"1\"}", "![]"}},
    {"{\"type\": \"object\", \"properties\": {\"a\": {}, \"b\": {}, \"c\": {}}, "
     "\"additionalProperties\": false}",
     {"{}", "{ }", "{\"a\":1}", "{\"b\":1}", "{\"c\":1}", "{\"a\":1,\"c\":2}",
      "{\"a\":1,\"b\":2,\"c\":3}", "!{\"d\":1}", "!{\"a\":1,}", "!{,\"a\":1}"}},
    {"{\"type\": \"object\", \"properties\": {\"a\": {}, \"b\": {}, \"c\": {}}, "
     "\"required\": [\"b\"], \"additionalProperties\": false}",
     {"{\"b\":1}", "{\"a\":1,\"b\":1}", "{\"b\":1,\"c\":1}", "{\"a\":1,\"b\":1,\"c\":1}",
      "!{\"a\":1}", "!{\"a\":1,\"c\":1}"}},
    {"{\"type\": \"object\", \"properties\": {\"ab\": {\"type\": \"integer\"}, \"a\": true}, "
     "\"additionalProperties\": {\"type\": \"string\"}}",
     {"{\"ab\": 1}", "{\"ab\": 1, \"x\": \"y\", \"abc\": \"z\"}", "{\"x\": \"y\"}", "{\"\": \"y\"}",
      "{\"b\": \"y\"}", "!{\"x\": 1}", "!{\"ab\": \"y\"}", "!{\"x\": \"y\", \"ab\": \"z\"}"}},
    {"{\"type\": \"object\", \"additionalProperties\": {\"type\": \"integer\"}}",
     {"{}", "{\"k\": 1, \"\\\"\": 2}", "!{\"k\": \"1\"}"}},
    {"{\"type\": \"object\", \"required\": [\"x\"]}",
     {"{\"x\": 1}", "{\"x\": 1, \"y\": 2}", "!{}"}},
    {"{\"type\": \"object\", \"properties\": {\"a\": false, \"b\": true}, "
     "\"additionalProperties\": false}",
     {"{\"b\": 1}", "{}", "!{\"a\": 1}"}},
    {"{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}",
     {"[]", "[1]", "[1, 2,3]", "![\"1\"]", "!1", "![1,]"}},
    {"{\"type\": \"array\", \"items\": {\"type\": \"integer\"}, \"minItems\": 1, \"maxItems\": 2}",
     {"[1]", "[1, 2]", "![]", "![1, 2, 3]"}},
    {"{\"type\": \"array\", \"maxItems\": 0}", {"[]", "[ ]", "![1]"}},
    {"{\"type\": \"array\", \"minItems\": 2}", {"[1, 2]", "[1, 2, 3]", "![1]"}},
    {"{\"type\": \"array\", \"prefixItems\": [{\"type\": \"string\"}, {\"type\": \"integer\"}], "
     "\"items\": false, \"minItems\": 1}",
     {"[\"a\"]", "[\"a\", 1]", "![]", "![1]", "![\"a\", \"b\"]", "![\"a\", 1, 2]"}},
    {"{\"type\": \"array\", \"prefixItems\": [{\"type\": \"string\"}], "
     "\"items\": {\"type\": \"null\"}, \"maxItems\": 3}",
     {"[]", "[\"a\"]", "[\"a\", null, null]", "![null]", "![\"a\", null, null, null]"}},
    {"{\"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"string\", \"maxLength\": 1}]}",
     {"1", "\"a\"", "!\"ab\"", "!null"}},
    {"{\"oneOf\": [{\"type\": \"integer\"}, {\"type\": \"null\"}]}", {"1", "null", "!\"\""}},
    {"{\"allOf\": [{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\", "
     "\"minimum\": 1}}, \"required\": [\"a\"]}, {\"properties\": {\"a\": {\"maximum\": 5}, \"b\": "
     "{\"type\": \"boolean\"}}, \"required\": [\"b\"]}]}",
     {"{\"a\": 5, \"b\": true}", "!{\"a\": 6, \"b\": true}", "!{\"a\": 1}", "!{\"b\": true}"}},
    {"{\"type\": \"object\", \"properties\": {\"a\": {}, \"b\": {}}, \"additionalProperties\": "
     "false, \"anyOf\": [{\"required\": [\"a\"]}, {\"required\": [\"b\"]}]}",
     {"{\"a\": 1}", "{\"b\": 1}", "{\"a\": 1, \"b\": 2}", "!{}"}},
    {"{\"$ref\": \"#/$defs/n\", \"$defs\": {\"n\": {\"type\": \"integer\"}}}", {"1", "!\"1\""}},
    {"{\"$defs\": {\"tree\": {\"type\": \"object\", \"properties\": {\"v\": {\"type\": "
     "\"integer\"}, \"kids\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/tree\"}}}, "
     "\"required\": [\"v\"], \"additionalProperties\": false}}, \"$ref\": \"#/$defs/tree\"}",
     {"{\"v\": 1}", "{\"v\": 1, \"kids\": [{\"v\": 2, \"kids\": []}]}",
      "!{\"v\": 1, \"kids\": [{}]}"}},
    {"{\"$ref\": \"#/$defs/s\", \"maxLength\": 2, \"$defs\": {\"s\": {\"type\": \"string\"}}}",
     {"\"ab\"", "!\"abc\"", "!1"}},
};

TEST(a_grammar_agrees_with_the_validator)
{
    for (size_t i = 0; i < COUNT(exact); i++) {
        made m;
        make(&m, exact[i].schema);
        CHECK(m.report.count == 0, "%s: %s", exact[i].schema, m.notes.ptr);
        for (size_t j = 0; j < COUNT(exact[i].instances) && exact[i].instances[j] != NULL; j++) {
            const char *text = exact[i].instances[j];
            bool wanted = text[0] != '!';
            text += wanted ? 0 : 1;
            CHECK(accepts(&m, text) == wanted, "%s\nof %s\n%.*s", exact[i].instances[j],
                  exact[i].schema, HAFT__ARG(haft__buf_str(&m.out)));
            size_t length = strlen(text);
            if (length < 2
                || (text[length - 2] != ',' && text[1] != ',')) { /* otherwise it is not JSON */
                CHECK(is_valid(exact[i].schema, text) == wanted, "the validator: %s of %s",
                      exact[i].instances[j], exact[i].schema);
            }
        }
        finish(&m);
    }
}

/* A relaxed grammar accepts the instance and reports the relaxation. */
static const struct {
    const char *schema, *instance, *note;
} loose[] = {
    {"false", "1", "/t: a schema that no value satisfies became any value"},
    {"17", "1", "/t: a schema that is not valid became any value"},
    {"{\"type\": \"string\", \"format\": \"date\"}", "\"x\"", "/t: format \"date\" became any"},
    {"{\"type\": \"string\", \"pattern\": \"(?=a)b\"}", "\"x\"", "/t: pattern \"(?=a)b\" became"},
    {"{\"type\": \"string\", \"pattern\": \"^(a*)*$\"}", "\"x\"", "pattern"},
    {"{\"type\": \"string\", \"pattern\": \"\\\\bx\"}", "\"y\"", "pattern"},
    {"{\"type\": \"string\", \"pattern\": \"(a)\\\\1\"}", "\"y\"", "pattern"},
    {"{\"type\": \"string\", \"pattern\": \"\\\\p{L}\"}", "\"1\"", "pattern"},
    {"{\"type\": \"string\", \"pattern\": \"a$b\"}", "\"1\"", "pattern"},
    {"{\"type\": \"string\", \"pattern\": \"[z-a]\"}", "\"1\"", "pattern"},
    {"{\"type\": \"string\", \"pattern\": \"(\"}", "\"1\"", "pattern"},
    {"{\"type\": \"string\", \"pattern\": \"^a+$\", \"maxLength\": 2}", "\"aaa\"", "maxLength 2"},
    {"{\"type\": \"string\", \"minLength\": 3, \"maxLength\": 2}", "\"abc\"", "maxLength 2"},
    {"{\"type\": \"number\", \"maximum\": 3}", "4", "/t: maximum 3 became any number"},
    {"{\"type\": \"number\", \"minimum\": 3}", "1", "/t: minimum 3 became at least 0"},
    {"{\"type\": \"integer\", \"minimum\": 1.5}", "1", "minimum 1.5 became no bound"},
    {"{\"type\": \"integer\", \"minimum\": 3, \"maximum\": 2}", "9", "a minimum above"},
    {"{\"type\": \"integer\", \"multipleOf\": 5}", "3", "multipleOf 5"},
    {"{\"type\": \"array\", \"uniqueItems\": true}", "[1, 1]", "uniqueItems true"},
    {"{\"type\": \"array\", \"contains\": {}}", "[]", "contains"},
    {"{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 1}", "[]", "minItems above"},
    {"{\"type\": \"object\", \"minProperties\": 1}", "{}", "minProperties 1"},
    {"{\"type\": \"object\", \"patternProperties\": {\"a\": false}}", "{\"a\": 1}",
     "patternProperties"},
    {"{\"type\": \"object\", \"properties\": {\"deep\": {\"not\": {\"type\": \"null\"}}}}",
     "{\"deep\": null}", "/t/properties/deep: not became nothing"},
    {"{\"if\": {\"type\": \"null\"}, \"then\": false}", "null", "if became nothing"},
    {"{\"oneOf\": [{\"type\": \"integer\"}, {\"type\": \"number\"}]}", "1", "oneOf became anyOf"},
    {"{\"anyOf\": []}", "1", "an empty list of alternatives"},
    {"{\"anyOf\": [false]}", "1", "alternatives that no value satisfies"},
    {"{\"enum\": []}", "1", "enum became"},
    {"{\"type\": \"magic\"}", "1", "an unknown type"},
    {"{\"type\": []}", "1", "no type"},
    {"{\"$ref\": \"#/$defs/gone\"}", "1", "$ref \"#/$defs/gone\" became any value"},
    {"{\"$ref\": \"http://x/y\"}", "1", "$ref"},
    {"{\"$ref\": \"#\"}", "1", "a $ref that refers to itself"},
    {"{\"anyOf\": [{\"$ref\": \"#\"}, {\"type\": \"null\"}]}", "7", "refers to itself"},
    {"{\"anyOf\": [{\"type\": \"object\", \"properties\": {\"a\": {\"$ref\": \"#/$defs/b\"}}}, "
     "{\"$ref\": \"#/$defs/b\"}], \"$defs\": {\"b\": {\"$ref\": \"#\"}}}",
     "7", "refers to itself"},
    {"{\"allOf\": [{\"$ref\": \"#\"}]}", "7", "refer to each other"},
    {"{\"allOf\": [{\"pattern\": \"a\"}, {\"pattern\": \"b\"}]}", "\"a\"", "pattern twice"},
    {"{\"allOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}]}", "\"a\"", "type twice"},
};

TEST(inexpressible_schema_is_relaxed_and_reported)
{
    for (size_t i = 0; i < COUNT(loose); i++) {
        made m;
        make(&m, loose[i].schema);
        CHECK_INT(m.status, HAFT_OK, "%s", loose[i].schema);
        CHECK(accepts(&m, loose[i].instance), "%s of %s\n%.*s", loose[i].instance, loose[i].schema,
              HAFT__ARG(haft__buf_str(&m.out)));
        CHECK(strstr(m.notes.ptr, loose[i].note) != NULL, "%s: %s in %s", loose[i].schema,
              loose[i].note, m.notes.ptr);
        finish(&m);
    }
}

TEST(python_has_its_own_literals)
{
    made m;
    make_from(
        &m,
        HAFT__LIT("{\"type\": \"object\", \"properties\": {\"it's\": {\"type\": [\"boolean\", "
                  "\"null\"]}, \"s\": {\"type\": \"string\", \"maxLength\": 3}, \"e\": "
                  "{\"enum\": [\"a\", [1, null]]}, \"p\": {\"type\": \"string\", "
                  "\"pattern\": \"^['\\\"]$\"}}, \"additionalProperties\": true}"),
        HAFT__NOTATION_PYTHON);
    static const char *const good[] = {"{}",
                                       "{\"it's\": True}",
                                       "{'it\\'s': None, 's': 'a\"b'}",
                                       "{\"s\": \"\\u00e9\", 'e': 'a'}",
                                       "{'e': [1, None]}",
                                       "{'p': '\\''}",
                                       "{'p': '\"'}",
                                       "{'more': [False, {'a': 1.5}]}"};
    static const char *const bad[] = {"{\"it's\": true}", "{'s': 'abcd'}", "{'e': [1, null]}",
                                      "{'p': 'a'}", "{'e': 'b'}"};
    for (size_t i = 0; i < COUNT(good); i++) {
        CHECK(accepts(&m, good[i]), "%s\n%.*s", good[i], HAFT__ARG(haft__buf_str(&m.out)));
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        CHECK(!accepts(&m, bad[i]), "%s", bad[i]);
    }
    finish(&m);
}

TEST(white_space_is_bounded)
{
    made m;
    make(&m, "{\"type\": \"array\"}");
    CHECK(accepts(&m, "[\n                    ]"), "a line end and twenty spaces");
    CHECK(!accepts(&m, "[\n                     ]"), "a line end and twenty-one spaces");
    CHECK(!accepts(&m, "[  ]"), "two spaces");
    CHECK(!accepts(&m, " []"), "a space before the value");
    finish(&m);
}

/* ---- strings that must not use up a reply ---- */

TEST(strings_without_maxlength_can_be_limited)
{
    static const struct {
        const char *schema, *text;
        bool accepted;
    } rows[] = {
        {"{\"type\": \"string\"}", "\"abc\"", true},
        {"{\"type\": \"string\"}", "\"a\\n\\u00e9\"", true},
        {"{\"type\": \"string\"}", "\"abcd\"", false},
        {"{\"type\": \"string\", \"minLength\": 2}", "\"abc\"", true},
        {"{\"type\": \"string\", \"minLength\": 2}", "\"abcd\"", false},
        {"{\"type\": \"string\", \"minLength\": 4}", "\"abcdefgh\"", true},
        {"{\"type\": \"string\", \"maxLength\": 5}", "\"abcde\"", true},
        {"{\"type\": \"string\", \"pattern\": \"^a*$\"}", "\"aaaaaa\"", true},
        {"{\"enum\": [\"abcdef\"]}", "\"abcdef\"", true},
        {"{\"type\": \"array\", \"items\": {\"type\": \"string\"}}", "[\"abcd\"]", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        made m;
        make_bounded(&m, haft__str(rows[i].schema), HAFT__NOTATION_JSON, 3);
        CHECK(accepts(&m, rows[i].text) == rows[i].accepted, "%s of %s", rows[i].text,
              rows[i].schema);
        CHECK_INT(m.report.count, 0, "nothing is relaxed: %s", m.notes.ptr);
        finish(&m);
    }
    made m;
    make_bounded(&m, HAFT__LIT("{\"type\": \"string\"}"), HAFT__NOTATION_PYTHON, 3);
    CHECK(accepts(&m, "'abcd'"), "only JSON strings are limited");
    finish(&m);
}

/* All of them are one rule, which is counted once. */
TEST(any_number_of_strings_can_be_limited)
{
    haft__buf schema;
    haft__buf_init(&schema, 1 << 16);
    haft__buf_addf(&schema,
                   "{\"type\": \"object\", \"properties\": {\"k\": {\"type\": \"string\"}");
    for (unsigned i = 0; i < 2 * HAFT__LIMIT_GRAMMAR_REPEATS / HAFT__LIMIT_GRAMMAR_REPEAT; i++) {
        haft__buf_addf(&schema, ", \"k%u\": {\"type\": \"string\"}", i);
    }
    haft__buf_addf(&schema, "}}");
    made m;
    make_bounded(&m, haft__buf_str(&schema), HAFT__NOTATION_JSON, HAFT__LIMIT_GRAMMAR_REPEAT);
    CHECK_INT(m.report.count, 0, "%s", m.notes.ptr);
    haft_str out = haft__buf_str(&m.out);
    CHECK(memmem(out.ptr, out.len, "{0,500}", 7) != NULL, "%.*s", HAFT__ARG(out));
    finish(&m);
    haft__buf_finish(&schema);
}

/* ---- limits ---- */

static void make_sized(made *m, const char *before, unsigned long long number, const char *behind)
{
    char schema[256];
    (void)snprintf(schema, sizeof schema, "%s%llu%s", before, number, behind);
    make(m, schema);
}

TEST(repetitions_are_counted_up_to_a_limit)
{
    for (unsigned more = 0; more < 2; more++) {
        made m;
        make_sized(&m, "{\"type\": \"string\", \"maxLength\": ", HAFT__LIMIT_GRAMMAR_REPEAT + more,
                   "}");
        CHECK_INT(m.report.count, more, "maxLength: %s", m.notes.ptr);
        finish(&m);
        make_sized(
            &m, "{\"type\": \"array\", \"minItems\": ", HAFT__LIMIT_GRAMMAR_REPEAT + 1 + more, "}");
        CHECK_INT(m.report.count, more, "minItems: %s", m.notes.ptr);
        finish(&m);
    }
}

TEST(the_sum_of_all_repetitions_is_limited)
{
    haft__buf schema;
    haft__buf_init(&schema, 1 << 20);
    unsigned count = HAFT__LIMIT_GRAMMAR_REPEATS / HAFT__LIMIT_GRAMMAR_REPEAT;
    for (unsigned more = 0; more < 2; more++) {
        made m;
        haft__buf_clear(&schema);
        haft__buf_addf(&schema, "{\"anyOf\": [");
        for (unsigned i = 0; i < count + more; i++) {
            haft__buf_addf(&schema,
                           "%s{\"type\": \"string\", \"minLength\": %u, \"maxLength\": %d}",
                           i > 0 ? "," : "", i, HAFT__LIMIT_GRAMMAR_REPEAT);
        }
        haft__buf_addf(&schema, "]}");
        make_from(&m, haft__buf_str(&schema), HAFT__NOTATION_JSON);
        CHECK_INT(m.report.count > 0, more, "%s", m.notes.ptr);
        finish(&m);
    }
    haft__buf_finish(&schema);
}

TEST(enum_values_are_counted_up_to_a_limit)
{
    haft__buf schema;
    haft__buf_init(&schema, 1 << 20);
    for (unsigned more = 0; more < 2; more++) {
        made m;
        haft__buf_clear(&schema);
        haft__buf_addf(&schema, "{\"enum\": [0");
        for (unsigned i = 1; i < HAFT__LIMIT_GRAMMAR_ENUM + more; i++) {
            haft__buf_addf(&schema, ",%u", i);
        }
        haft__buf_addf(&schema, "]}");
        make_from(&m, haft__buf_str(&schema), HAFT__NOTATION_JSON);
        CHECK_INT(m.report.count, more, "%s", m.notes.ptr);
        finish(&m);
    }
    haft__buf_finish(&schema);
}

TEST(depth_is_counted_up_to_a_limit)
{
    haft__buf schema;
    haft__buf_init(&schema, 1 << 20);
    for (unsigned more = 0; more < 2; more++) {
        made m;
        haft__buf_clear(&schema);
        unsigned deep = HAFT__LIMIT_GRAMMAR_DEPTH - 1 + more;
        for (unsigned i = 0; i < deep; i++) {
            haft__buf_addf(&schema, "{\"items\": ");
        }
        haft__buf_addf(&schema, "{\"type\": \"null\"}");
        for (unsigned i = 0; i < deep; i++) {
            haft__buf_addf(&schema, "}");
        }
        make_from(&m, haft__buf_str(&schema), HAFT__NOTATION_JSON);
        CHECK_INT(m.report.count, more, "%s", m.notes.ptr);
        finish(&m);
    }
    haft__buf_finish(&schema);
}

TEST(lines_of_a_report_are_limited)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__relax_report report;
    haft__relax_report_init(&report, &arena);
    for (unsigned i = 0; i <= HAFT__LIMIT_GRAMMAR_RELAXED; i++) {
        char where[16];
        (void)snprintf(where, sizeof where, "/%u", i);
        CHECK_INT(report.left_off, 0, "line %u", i);
        haft__relax_report_add(&report, haft__str(where), HAFT__LIT("this"), "that");
        haft__relax_report_add(&report, haft__str(where), HAFT__LIT("this"), "that");
    }
    CHECK_INT(report.count, HAFT__LIMIT_GRAMMAR_RELAXED, "number of lines");
    CHECK_INT(report.left_off, 1, "one line is left out; a repeated line counts once");
    haft__relax_report_add(&report, HAFT__LIT("/last"), HAFT__LIT("this"), "that");
    CHECK_INT(report.left_off, 2, "two lines are left out");
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__relax_report_write(&buf, &report);
    CHECK(haft__str_ends_with(haft__buf_str(&buf), HAFT__LIT("\nand 2 more\n")),
          "the last line has the number of omitted lines");
    haft__relax_report_truncate(&report, HAFT__LIMIT_GRAMMAR_RELAXED + 1);
    CHECK(report.count == HAFT__LIMIT_GRAMMAR_RELAXED && report.left_off == 1, "undo one line");
    haft__relax_report_truncate(&report, 1);
    CHECK(report.count == 1 && report.left_off == 0, "undo all lines but one");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

/* Each level twice: 2^60 paths, but only a limited number is visited. */
TEST(exponential_growth_is_limited)
{
    static const char *const hostile[] = {
        "{\"$defs\": {\"a\": {\"type\": \"object\", \"properties\": {\"x\": {\"$ref\": "
        "\"#/$defs/a\", \"minProperties\": 0}, \"y\": {\"$ref\": \"#/$defs/a\", "
        "\"maxProperties\": 9}}}}, \"$ref\": \"#/$defs/a\"}",
        ("{\"anyOf\": [{\"allOf\": [{\"$ref\": \"#\"}, {\"$ref\": \"#\"}]}, {\"$ref\": \"#\", "
         "\"type\": \"null\"}]}"),
        "{\"type\": \"string\", \"pattern\": \"((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}\"}",
    };
    for (size_t i = 0; i < COUNT(hostile); i++) {
        made m;
        make(&m, hostile[i]);
        CHECK(m.status == HAFT_OK || m.status == HAFT_TOO_BIG, "%s", hostile[i]);
        finish(&m);
    }
    /* A wide schema that stays within the size limit. Its steps: the schema itself, each
     * alternative, and the contents of the first and the last. */
    haft__buf schema;
    haft__buf_init(&schema, 4 << 20);
    for (unsigned more = 0; more < 2; more++) {
        made m;
        haft__buf_clear(&schema);
        haft__buf_addf(&schema, "{\"anyOf\": [{\"type\": \"null\"}");
        for (unsigned i = 0; i < HAFT__LIMIT_GRAMMAR_STEPS - 5 + more; i++) {
            haft__buf_addf(&schema, ",false");
        }
        haft__buf_addf(&schema, ",{\"type\": \"boolean\"}]}");
        make_from(&m, haft__buf_str(&schema), HAFT__NOTATION_JSON);
        CHECK_INT(m.report.count, more, "%s", m.notes.ptr);
        CHECK(accepts(&m, "null") && accepts(&m, "true"),
              "the first alternatives, and the relaxed ones");
        finish(&m);
    }
    haft__buf_finish(&schema);
}

TEST(memory_is_bounded)
{
    haft__buf schema;
    haft__buf_init(&schema, 8 << 20);
    haft__buf_addf(&schema, "{\"required\": [\"0\"");
    for (unsigned i = 1; i < 200000; i++) {
        haft__buf_addf(&schema, ",\"%u\"", i);
    }
    haft__buf_addf(&schema, "]}");
    made m;
    make_from(&m, haft__buf_str(&schema), HAFT__NOTATION_JSON);
    CHECK_INT(m.status, HAFT_TOO_BIG, "200,000 members");
    finish(&m);
    haft__buf_finish(&schema);
}

/* The result for a grammar that has only a piece of this size. */
static haft_status use_memory(size_t size)
{
    haft__buf out;
    haft__gbnf_writer g;
    haft__buf_init(&out, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__gbnf_init(&g, &out, NULL);
    void *piece = haft__gbnf_alloc(&g, size, 1);
    haft_status status = haft__gbnf_check(&g, NULL);
    CHECK((piece != NULL) == (status == HAFT_OK), "%zu bytes", size);
    haft__gbnf_finish(&g);
    haft__buf_finish(&out);
    return status;
}

TEST(the_memory_limit_is_exact)
{
    CHECK_INT(use_memory(HAFT__LIMIT_GRAMMAR_MEMORY), HAFT_OK, "at the limit");
    CHECK_INT(use_memory((size_t)HAFT__LIMIT_GRAMMAR_MEMORY + 1), HAFT_TOO_BIG,
              "one byte past the limit");
}

TEST(grammars_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(exact); i++) {
        haft__arena arena, notes;
        haft__arena_init(&arena, 0);
        haft__json schema = parse(&arena, exact[i].schema);
        haft_status status = HAFT_NO_MEMORY;
        for (unsigned n = 0; status != HAFT_OK && n < 2000; n++) {
            haft__buf out;
            haft__buf_init(&out, HAFT__LIMIT_GRAMMAR_BYTES);
            haft__arena_init(&notes, 0);
            haft__relax_report report;
            haft__relax_report_init(&report, &notes);
            haft__gbnf_writer g;
            test_fail_allocation(n);
            haft__gbnf_init(&g, &out, &report);
            haft__gbnf_begin(&g, HAFT__LIT("/t"), schema);
            (void)haft__gbnf_schema_value(&g, schema);
            haft__gbnf_close(&g);
            status = haft__gbnf_check(&g, NULL);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u",
                      exact[i].schema, n);
            haft__gbnf_finish(&g);
            haft__buf_finish(&out);
            haft__arena_finish(&notes);
        }
        haft__arena_finish(&arena);
    }
}
