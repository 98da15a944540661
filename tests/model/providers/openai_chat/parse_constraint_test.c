/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/parse_constraint.c. In the texts below a single quote
 * stands for a double one.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "format/grammar/grammar.h"
#include "model/providers/openai_chat/parse_request.h"
#include "test.h"
#include "json/read.h"

#define ASK "{'model':'m','messages':[{'role':'user','content':'hi'}]"
#define FORMAT(inside)                                                                             \
    ASK ",'response_format':{'type':'json_schema','json_schema':{'name':'reply'" inside "}}}"
#define STRICT(schema) FORMAT(",'strict':true,'schema':" schema)
#define CLOSED(properties, required)                                                               \
    "{'type':'object','additionalProperties':false,'properties':{" properties                      \
    "},'required':[" required "]}"
#define ONE(schema)  STRICT(CLOSED("'a':" schema, "'a'"))
#define RULE(reason) "Invalid schema for response_format 'reply': In context=(" reason

static const haft__hash_key key = {1, 2};

static haft_str quoted(const char *text)
{
    size_t length = strlen(text);
    char *copy = test_alloc(length + 1);
    for (size_t i = 0; i <= length; i++) {
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    return (haft_str){copy, length};
}

static const struct {
    haft__chat_server_kind like;
    const char *body, *wrong; /* wrong: NULL if it is valid */
    haft__constraint_kind kind;
} rows[] = {
    {HAFT__CHAT_SERVER_OPENAI, ASK "}", NULL, HAFT__CONSTRAINT_NONE},
    {HAFT__CHAT_SERVER_OPENAI, ASK ",'response_format':null}", NULL, HAFT__CONSTRAINT_NONE},
    {HAFT__CHAT_SERVER_OPENAI, ASK ",'response_format':{'type':'json_object'}}", NULL,
     HAFT__CONSTRAINT_NONE},
    {HAFT__CHAT_SERVER_OPENAI, FORMAT(""), NULL, HAFT__CONSTRAINT_NONE},
    {HAFT__CHAT_SERVER_OPENAI, FORMAT(",'schema':{'type':'object'}"), NULL,
     HAFT__CONSTRAINT_JSON_SCHEMA},
    {HAFT__CHAT_SERVER_OPENAI, FORMAT(",'schema':[]"), "expected", 0},
    {HAFT__CHAT_SERVER_OPENAI, FORMAT(",'strict':1"), "expected", 0},
    {HAFT__CHAT_SERVER_OPENAI, FORMAT(",'schema':{'type':'obj'}"),
     "Invalid schema for response_format: ", 0},
    {HAFT__CHAT_SERVER_OPENAI,
     ASK ",'response_format':{'type':'json_schema','json_schema':{'name':'a b'}}}",
     "expected at most 64 letters", 0},
    {HAFT__CHAT_SERVER_OPENAI,
     ASK ",'response_format':{'type':'json_schema','json_schema':{'name':''}}}",
     "expected at most 64 letters", 0},
    /* OpenAI's rules */
    {HAFT__CHAT_SERVER_OPENAI, STRICT(CLOSED("", "")), NULL, HAFT__CONSTRAINT_JSON_SCHEMA},
    {HAFT__CHAT_SERVER_OPENAI, ONE("{'type':['string','null'],'description':'d','pattern':'^a$'}"),
     NULL, HAFT__CONSTRAINT_JSON_SCHEMA},
    {HAFT__CHAT_SERVER_OPENAI, ONE("{'anyOf':[{'type':'string'},{'type':'null'}]}"), NULL,
     HAFT__CONSTRAINT_JSON_SCHEMA},
    {HAFT__CHAT_SERVER_OPENAI,
     ONE("{'type':'array','items':{'type':'string','enum':['x']},'minItems':1}"), NULL,
     HAFT__CONSTRAINT_JSON_SCHEMA},
    {HAFT__CHAT_SERVER_OPENAI,
     STRICT("{'type':'object','additionalProperties':false,'properties':{'a':{'$ref':"
            "'#/$defs/d'}},'required':['a'],'$defs':{'d':{'type':'integer','const':1}}}"),
     NULL, HAFT__CONSTRAINT_JSON_SCHEMA},
    {HAFT__CHAT_SERVER_OPENAI, STRICT("{'type':'array','items':{'type':'string'}}"),
     RULE("), the root must be of type 'object', and no 'anyOf'."), 0},
    {HAFT__CHAT_SERVER_OPENAI, STRICT("{'type':'object','anyOf':[{'type':'object'}]}"),
     RULE("), the root must be"), 0},
    {HAFT__CHAT_SERVER_OPENAI, STRICT("{'type':'object','properties':{}}"),
     RULE("), 'additionalProperties' is required to be supplied and to be false."), 0},
    {HAFT__CHAT_SERVER_OPENAI, STRICT("{'type':'object','additionalProperties':true}"),
     RULE("), 'additionalProperties'"), 0},
    {HAFT__CHAT_SERVER_OPENAI, STRICT(CLOSED("'a':{'type':'string'},'b':{'type':'string'}", "'a'")),
     "every key in properties. Missing 'b'.", 0},
    {HAFT__CHAT_SERVER_OPENAI, STRICT(CLOSED("'a':{'type':'string'}", "'a','z'")),
     "'required' has a key that is not in properties.", 0},
    {HAFT__CHAT_SERVER_OPENAI, ONE("{'type':['object','null']}"),
     RULE("'properties', 'a'), 'addit"), 0},
    {HAFT__CHAT_SERVER_OPENAI, ONE("{'type':'array'}"),
     RULE("'properties', 'a'), array schema missing"), 0},
    {HAFT__CHAT_SERVER_OPENAI, ONE("{'type':'array','items':{'type':'object'}}"),
     RULE("'properties', 'a', 'items'), 'additionalProperties'"), 0},
    {HAFT__CHAT_SERVER_OPENAI, ONE("{'anyOf':[{'type':'string'},{'type':'object'}]}"),
     RULE("'properties', 'a', 'anyOf', '1'), 'additionalProperties'"), 0},
    {HAFT__CHAT_SERVER_OPENAI, ONE("{}"),
     RULE("'properties', 'a'), schema must have a 'type' key."), 0},
    {HAFT__CHAT_SERVER_OPENAI, ONE("true"), RULE("'properties', 'a'), a schema must be an object."),
     0},
    {HAFT__CHAT_SERVER_OPENAI, ONE("{'type':'string','minLength':1}"),
     RULE("'properties', 'a'), 'minLength' is not permitted."), 0},
    {HAFT__CHAT_SERVER_OPENAI, ONE("{'type':'string','allOf':[{}]}"), "'allOf' is not permitted.",
     0},
    {HAFT__CHAT_SERVER_OPENAI,
     STRICT("{'type':'object','additionalProperties':false,'properties':{},'$defs':{'d':{}}}"),
     RULE("'$defs', 'd'), schema must have"), 0},
    {HAFT__CHAT_SERVER_OTHER, ONE("{'type':'string','minLength':1}"), NULL,
     HAFT__CONSTRAINT_JSON_SCHEMA},
    {HAFT__CHAT_SERVER_LLAMACPP, STRICT("{'type':'array'}"), NULL, HAFT__CONSTRAINT_JSON_SCHEMA},
    /* grammars */
    {HAFT__CHAT_SERVER_LLAMACPP, ASK ",'grammar':'root ::= [a]'}", NULL, HAFT__CONSTRAINT_GBNF},
    {HAFT__CHAT_SERVER_LLAMACPP, ASK ",'grammar':''}", NULL, HAFT__CONSTRAINT_NONE},
    {HAFT__CHAT_SERVER_LLAMACPP, ASK ",'grammar':null}", NULL, HAFT__CONSTRAINT_NONE},
    {HAFT__CHAT_SERVER_LLAMACPP, ASK ",'grammar':7}", "expected", 0},
    {HAFT__CHAT_SERVER_LLAMACPP, ASK ",'grammar':'root ::= x'}",
     "Failed to parse grammar: a rule is not defined", 0},
    {HAFT__CHAT_SERVER_LLAMACPP,
     FORMAT(",'schema':{}},'type':'json_schema'},'grammar':'root ::= [a]'"), "We could not parse",
     0},
    {HAFT__CHAT_SERVER_LLAMACPP,
     ASK ",'grammar':'root ::= [a]','response_format':{'type':'json_schema','json_schema':{'name':"
         "'n','schema':{}}}}",
     "Cannot use both json_schema and grammar", 0},
    {HAFT__CHAT_SERVER_LLAMACPP,
     ASK ",'grammar':'root ::= [a]','tools':[{'type':'function','function':{'name':'look'}}]}",
     "Cannot use custom grammar constraints with tools.", 0},
    {HAFT__CHAT_SERVER_LLAMACPP,
     ASK ",'grammar':'root ::= [a]','tool_choice':'none','tools':[{'type':'function','function':"
         "{'name':'look'}}]}",
     NULL, HAFT__CONSTRAINT_GBNF},
    {HAFT__CHAT_SERVER_OPENAI, ASK ",'grammar':'root ::= [a]'}",
     "Unrecognized request argument supplied: grammar", 0},
    {HAFT__CHAT_SERVER_OTHER, ASK ",'grammar':'root ::= [a]'}", "Unrecognized request argument", 0},
};

TEST(constraints_that_servers_accept_are_accepted)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__chat_parsed asked;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__chat_read_as(&arena, quoted(rows[i].body), rows[i].like, key, &asked, NULL),
                  HAFT_OK, "%s", rows[i].body);
        haft_str found = asked.problem.message;
        CHECK_INT(found.ptr != NULL, rows[i].wrong != NULL, "%s: %.*s", rows[i].body,
                  HAFT__ARG(found));
        if (rows[i].wrong != NULL && found.ptr != NULL) {
            CHECK(memmem(found.ptr, found.len, rows[i].wrong, strlen(rows[i].wrong)) != NULL,
                  "%s: %.*s", rows[i].body, HAFT__ARG(found));
        } else {
            CHECK_INT(asked.request.constraint.kind, rows[i].kind, "%s", rows[i].body);
        }
        haft__arena_finish(&arena);
    }
}

/* ---- sizes ---- */

static void add_deep(haft__buf *body, int count)
{
    for (int i = 0; i < count; i++) {
        haft__buf_addf(body, "{'type':'array','items':");
    }
    haft__buf_addf(body, "{'type':'string'}");
    for (int i = 0; i < count; i++) {
        haft__buf_addf(body, "}");
    }
}

static void add_values(haft__buf *body, int count)
{
    haft__buf_addf(body, "{'type':'integer','enum':[");
    for (int i = 0; i < count; i++) {
        haft__buf_addf(body, "%s%d", i > 0 ? "," : "", i);
    }
    haft__buf_addf(body, "]}");
}

static void add_properties(haft__buf *body, int count)
{
    haft__buf_addf(body, "{'type':'object','additionalProperties':false,'properties':{");
    for (int i = 0; i < count; i++) {
        haft__buf_addf(body, "%s'p%d':{'type':'null'}", i > 0 ? "," : "", i);
    }
    haft__buf_addf(body, "},'required':[");
    for (int i = 0; i < count; i++) {
        haft__buf_addf(body, "%s'p%d'", i > 0 ? "," : "", i);
    }
    haft__buf_addf(body, "]}");
}

static const struct {
    void (*add)(haft__buf *body, int count);
    int max;
    const char *wrong;
} sizes[] = {
    {add_deep, 9, "it is nested more than 10 levels deep."},
    {add_values, 1000, "there are more than 1000 values of enums."},
    {add_properties, 4999, "there are more than 5000 properties."},
};

TEST(schemas_have_size_limits)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (int more = 0; more < 2; more++) {
            haft__arena arena;
            haft__chat_parsed asked;
            haft__buf body;
            haft__arena_init(&arena, 0);
            haft__buf_init(&body, 1 << 20);
            haft__buf_addf(&body, "%s",
                           ASK ",'response_format':{'type':'json_schema','json_schema':{'name':'r',"
                               "'strict':true,'schema':{'type':'object','additionalProperties':"
                               "false,'required':['a'],'properties':{'a':");
            sizes[i].add(&body, sizes[i].max + more);
            haft__buf_addf(&body, "}}}}}");
            haft__buf_add_char(&body, '\0');
            CHECK_INT(haft__chat_read(&arena, quoted(body.ptr), key, &asked, NULL), HAFT_OK,
                      "case %zu", i);
            haft_str found = asked.problem.message;
            CHECK(more == 0 ? found.ptr == NULL
                            : found.ptr != NULL && strstr(found.ptr, sizes[i].wrong) != NULL,
                  "%zu, %d more: %.*s", i, more, HAFT__ARG(found));
            haft__buf_finish(&body);
            haft__arena_finish(&arena);
        }
    }
}

/* ---- replies ---- */

#define SCHEMA  FORMAT(",'schema':{'type':'object','required':['a']}")
#define GRAMMAR ASK ",'grammar':'root ::= [a] [b]'}"

static const struct {
    const char *body, *reply;
    haft__stop_reason stop;
    bool keeps;
} replies[] = {
    {ASK "}", "anything", HAFT__STOP_END, true}, {SCHEMA, "{'a':1}", HAFT__STOP_END, true},
    {SCHEMA, "{'b':1}", HAFT__STOP_END, false},  {SCHEMA, "well", HAFT__STOP_END, false},
    {SCHEMA, "{'a", HAFT__STOP_LENGTH, true},    {SCHEMA, "I will not.", HAFT__STOP_REFUSAL, true},
    {GRAMMAR, "ab", HAFT__STOP_END, true},       {GRAMMAR, "a", HAFT__STOP_END, false},
    {GRAMMAR, "a", HAFT__STOP_LENGTH, true},     {GRAMMAR, "b", HAFT__STOP_LENGTH, false},
};

TEST(replies_are_checked_against_the_constraint)
{
    for (size_t i = 0; i < COUNT(replies); i++) {
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__chat_parsed asked;
            haft__arena_init(&arena, 0);
            haft_str body = quoted(replies[i].body);
            haft__reply reply = {.content = quoted(replies[i].reply), .stop = replies[i].stop};
            bool keeps = false;
            test_fail_allocation(n);
            haft_status status =
                haft__chat_read_as(&arena, body, HAFT__CHAT_SERVER_LLAMACPP, key, &asked, NULL);
            if (status == HAFT_OK) {
                status = haft__chat_reply_conforms(&asked, &reply, &arena, &keeps, NULL);
            }
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "case %zu, allocation %u", i, n);
            haft__arena_finish(&arena);
            if (!failed) {
                CHECK_INT(keeps, replies[i].keeps, "case %zu", i);
                break;
            }
        }
    }
}

TEST(reading_survives_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str body = quoted(rows[i].body);
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__chat_parsed asked;
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status = haft__chat_read_as(&arena, body, rows[i].like, key, &asked, NULL);
            bool failed = test_allow_allocations();
            CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "%s, allocation %u",
                  rows[i].body, n);
            haft__arena_finish(&arena);
            if (!failed) {
                break;
            }
        }
    }
}

/* ---- generated constraints ---- */

static const char *const odd[] = {
    "{}",
    "true",
    "{'type':'array'}",
    "{'type':['array','null']}",
    "{'minItems':2}",
    "{'items':{'type':'string'}}",
    "{'prefixItems':[{'type':'string'}]}",
    "{'type':'object'}",
    "{'properties':{'z':{}}}",
    "{'oneOf':[{'type':'string'},{}]}",
    "{'allOf':[{'type':'string'}]}",
    "{'not':{'type':'string'}}",
    "{'enum':['x',1,null]}",
    "{'const':1}",
    "{'description':'anything','default':3}",
    "{'type':'string','format':'date','minLength':2}",
    "{'$ref':'#'}",
    "{'pattern':'^a$'}",
};

TEST(schemas_for_openai_follow_its_rules)
{
    for (size_t i = 0; i < COUNT(odd); i++) {
        haft__arena arena;
        haft__buf text, body;
        haft__chat_parsed asked;
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, 1 << 20);
        haft__buf_init(&body, 1 << 20);
        haft__buf_addf(&text, "{'type':'object','properties':{'a':%s},'required':['a']}", odd[i]);
        haft__buf_add_char(&text, '\0');
        haft__format_tool tool = {.name = HAFT__LIT("look")};
        CHECK_INT(haft__json_read(&arena, quoted(text.ptr), NULL, &tool.parameters, NULL, NULL),
                  HAFT_OK, "%s", odd[i]);
        haft__buf_addf(&body, "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":"
                              "\"hi\"}],\"response_format\":{\"type\":\"json_schema\","
                              "\"json_schema\":{\"name\":\"reply\",\"strict\":true,\"schema\":");
        CHECK_INT(haft__grammar_schema(&body, HAFT__TARGET_OPENAI, NULL, &tool, 1, NULL,
                                       HAFT__MODE_ANY, HAFT__LIT(""), NULL, NULL, NULL),
                  HAFT_OK, "%s", odd[i]);
        haft__buf_addf(&body, "}}}");
        CHECK_INT(haft__chat_read(&arena, haft__buf_str(&body), key, &asked, NULL), HAFT_OK, "%s",
                  odd[i]);
        CHECK(asked.problem.message.ptr == NULL, "%s: %.*s: %.*s", odd[i],
              HAFT__ARG(asked.problem.message), HAFT__ARG(haft__buf_str(&body)));
        haft__buf_finish(&text);
        haft__buf_finish(&body);
        haft__arena_finish(&arena);
    }
}
