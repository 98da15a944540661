/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_responses/request.c, request_message.c and
 * request_tool.c: requests as bytes, and that bytes once made stay. */
#include "model/providers/openai_responses/request.h"

#include "model/reply_help.h"
#include "json/read.h"

static haft__json json_of(haft__arena *arena, const char *text)
{
    haft__json value = haft__json_null();
    CHECK_INT(haft__json_read(arena, help_quotes(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

static const haft__provider *provider(void)
{
    haft__model_spec model = {.provider = HAFT__LIT("openai-responses")};
    return haft__provider_for_model(&model);
}

/* ---- tools ---- */

#define TOOL(schema, strict)                                                                       \
    "{'type':'function','name':'docs_-_look','description':'Looks.','parameters':" schema          \
    ",'strict':" strict "}"

static const struct {
    const char *name, *schema, *wanted;
} tools_cases[] = {
    {"a strict schema",
     "{'type':'object','properties':{'q':{'type':'string'}},'required':['q'],"
     "'additionalProperties':false}",
     TOOL("{'type':'object','properties':{'q':{'type':'string'}},'required':['q'],"
          "'additionalProperties':false}",
          "true")},
    {"an optional property may be null",
     "{'type':'object','properties':{'q':{'type':'string'},'n':{'type':'integer'}},"
     "'required':['q']}",
     TOOL("{'type':'object','properties':{'q':{'type':'string'},'n':{'anyOf':[{'type':'integer'},"
          "{'type':'null'}]}},'required':['q','n'],'additionalProperties':false}",
          "true")},
    {"any members", "{'type':'object'}", TOOL("{'type':'object','properties':{}}", "false")},
    {"any value", "{}", TOOL("{'type':'object','properties':{}}", "false")},
    {"a keyword that strict mode does not know",
     "{'type':'object','properties':{'q':{'type':'string','minLength':1}},'required':['q']}",
     TOOL("{'type':'object','properties':{'q':{'type':'string','minLength':1}},'required':['q']}",
          "false")},
    {"a pattern that strict mode does not know",
     "{'type':'object','properties':{'q':{'type':'string','pattern':'(?=a)'}},'required':['q']}",
     TOOL("{'type':'object','properties':{'q':{'type':'string','pattern':'(?=a)'}},"
          "'required':['q']}",
          "false")},
};

static haft_status write_tool(size_t i, haft__arena *arena, haft__buf *buf)
{
    haft__tool tool = {.name = HAFT__LIT("docs:look"),
                       .description = HAFT__LIT("Looks."),
                       .input_schema = json_of(arena, tools_cases[i].schema)};
    haft__responses_write_tool(buf, &tool);
    return haft__buf_check(buf, NULL);
}

TEST(tools_are_strict_if_their_schema_allows_it)
{
    for (size_t i = 0; i < COUNT(tools_cases); i++) {
        haft__arena arena;
        haft__buf found;
        haft__arena_init(&arena, 0);
        haft__buf_init(&found, 1 << 16);
        CHECK_INT(write_tool(i, &arena, &found), HAFT_OK, "%s", tools_cases[i].name);
        CHECK_STR(haft__buf_str(&found), help_quotes(tools_cases[i].wanted), "%s",
                  tools_cases[i].name);
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}

/* ---- requests ---- */

static const haft__tool look = {.name = HAFT__LIT("look"),
                                .description = HAFT__LIT("Looks."),
                                .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool search = {.name = HAFT__LIT("docs:search"),
                                  .description = HAFT__LIT("Searches."),
                                  .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool *const tools[] = {&look, &search};

#define LONG_ID "0123456789012345678901234567890123456789012345678901234567890123456789"

static const haft__message_call calls[] = {
    {HAFT__LIT("c1"), HAFT__LIT("look"), .arguments = HAFT__LIT("{\"q\":1}")},
    {HAFT__LIT("c2"), HAFT__LIT("docs:search"), .arguments = HAFT__LIT("")},
};
static const haft__message_call foreign[] = {
    {HAFT__LIT(LONG_ID), HAFT__LIT(""), .arguments = HAFT__LIT("{broken")},
};

#define ITEMS                                                                                      \
    "{\"type\":\"reasoning\",\"encrypted_content\":\"x\"},{\"type\":\"function_call\","            \
    "\"call_id\":\"c1\",\"name\":\"look\",\"arguments\":\"{}\"},{\"type\":\"function_call\","      \
    "\"call_id\":\"c2\",\"name\":\"docs_-_search\",\"arguments\":\"\"}"

#define REPLY(provider_name, model_name, list)                                                     \
    {                                                                                              \
        .role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("See."),                                \
        .reasoning = HAFT__LIT("secret"), .items = HAFT__LIT(list),                                \
        .items_provider = HAFT__LIT(provider_name), .items_model = HAFT__LIT(model_name),          \
        .calls = calls, .call_count = 2                                                            \
    }

static haft__message conversation[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find\nit")},
    REPLY("openai-responses", "m", "[" ITEMS "]"),
    {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("a\0b \xFF"), .call_id = HAFT__LIT("c1")},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("Error: no"),
     .call_id = HAFT__LIT("c2"),
     .is_error = true},
    {.role = HAFT__MESSAGE_ASSISTANT, .calls = foreign, .call_count = 1},
    {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("ok"), .call_id = HAFT__LIT(LONG_ID)},
    {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("There.")},
};

#define NEUTRAL                                                                                    \
    "{'role':'assistant','content':'See.'},{'type':'function_call','call_id':'c1','name':'look',"  \
    "'arguments':'{\\'q\\':1}'},{'type':'function_call','call_id':'c2','name':'docs_-_search',"    \
    "'arguments':'{}'}"

static const struct {
    const char *name;
    haft__message message;
    const char *wanted;
} messages_cases[] = {
    {"items of the same model", REPLY("openai-responses", "m", "[" ITEMS "]"), ITEMS},
    {"items of another provider", REPLY("anthropic", "m", "[" ITEMS "]"), NEUTRAL},
    {"items of another model", REPLY("openai-responses", "n", "[" ITEMS "]"), NEUTRAL},
    {"items of another endpoint",
     {.role = HAFT__MESSAGE_ASSISTANT,
      .text = HAFT__LIT("Hi."),
      .items = HAFT__LIT("[{\"type\":\"reasoning\",\"encrypted_content\":\"x\"}]"),
      .items_provider = HAFT__LIT("openai-responses"),
      .items_model = HAFT__LIT("m"),
      .items_endpoint = HAFT__LIT("e")},
     "{'role':'assistant','content':'Hi.'}"},
    {"no JSON", REPLY("openai-responses", "m", "[{"), NEUTRAL},
    {"items that are not a list", REPLY("openai-responses", "m", "{}"), NEUTRAL},
    {"a call is missing",
     REPLY("openai-responses", "m", "[{\"type\":\"function_call\",\"call_id\":\"c1\"}]"), NEUTRAL},
    {"a call has another id",
     REPLY("openai-responses", "m",
           "[{\"type\":\"function_call\",\"call_id\":\"c1\"},{\"type\":\"function_call\","
           "\"call_id\":\"c1\"}]"),
     NEUTRAL},
    {"an empty reply",
     {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("")},
     "{'role':'assistant','content':''}"},
};

TEST(messages_are_input_items)
{
    for (size_t i = 0; i < COUNT(messages_cases); i++) {
        haft__buf found;
        haft__provider_conversation *text = NULL;
        haft__buf_init(&found, 1 << 16);
        CHECK_INT(haft__conversation_create(provider(), &text, NULL), HAFT_OK, "create");
        haft__buf_add_char(&text->model, 'm');
        haft__responses_write_message(text, &found, &messages_cases[i].message);
        CHECK_STR(haft__buf_str(&found), help_quotes(messages_cases[i].wanted), "%s",
                  messages_cases[i].name);
        haft__conversation_destroy(text);
        haft__buf_finish(&found);
    }
}

#define BEGIN "{'model':'m','store':false,"
#define DECLARED(name, text)                                                                       \
    "{'type':'function','name':'" name "','description':'" text                                    \
    "','parameters':{'type':'object','properties':{}},'strict':false}"
#define SEARCH DECLARED("docs_-_search", "Searches.")
#define TOOLS  "'tools':[" DECLARED("look", "Looks.") "," SEARCH "],"
#define SYSTEM "{'role':'system','content':'Be brief.'}"
#define TASK   "{'role':'user','content':'Find\\nit'}"
#define RESULTS                                                                                    \
    "{'type':'function_call_output','call_id':'c1','output':'a\\u0000b \xEF\xBF\xBD'},"            \
    "{'type':'function_call_output','call_id':'c2','output':'Error: no'}"
#define ALLOWED(mode)                                                                              \
    "{'type':'allowed_tools','mode':'" mode "','tools':[{'type':'function','name':'look'}]}"

static const struct {
    const char *name;
    haft__choice_mode mode;
    size_t messages, tools;
    bool both; /* both tools are allowed; else the first */
    bool serial, stream, strict;
    const char *schema, *options, *correction, *wanted;
} cases[] = {
    {"auto", HAFT__MODE_AUTO, 2, 2, true, false, false, false, "", "null", "",
     BEGIN TOOLS "'input':[" SYSTEM "," TASK "],'tool_choice':'auto'}"},
    {"mode auto, some tools", HAFT__MODE_AUTO, 1, 2, false, false, false, false, "", "null", "",
     BEGIN TOOLS "'input':[" SYSTEM "],'tool_choice':" ALLOWED("auto") "}"},
    {"any", HAFT__MODE_ANY, 1, 2, true, false, false, false, "", "null", "",
     BEGIN TOOLS "'input':[" SYSTEM "],'tool_choice':'required'}"},
    {"mode any, some tools", HAFT__MODE_ANY, 1, 2, false, true, true, false, "", "null", "",
     BEGIN TOOLS "'input':[" SYSTEM "],'tool_choice':" ALLOWED(
         "required") ",'parallel_tool_calls':false,'stream':true}"},
    {"one", HAFT__MODE_TOOL, 1, 2, true, false, false, false, "", "null", "",
     BEGIN TOOLS "'input':[" SYSTEM "],'tool_choice':{'type':'function','name':'docs_-_search'}}"},
    {"mode none, with items and results", HAFT__MODE_NONE, 5, 2, true, false, false, false, "",
     "null", "",
     BEGIN TOOLS "'input':[" SYSTEM "," TASK "," ITEMS "," RESULTS "],'tool_choice':'none'}"},
    {"a correction is last", HAFT__MODE_ANY, 2, 2, true, false, false, false, "", "null", "Call.",
     BEGIN TOOLS "'input':[" SYSTEM "," TASK
                 ",{'role':'user','content':'Call.'}],'tool_choice':'required'}"},
    {"no tools", HAFT__MODE_AUTO, 2, 0, true, true, false, false, "", "null", "",
     BEGIN "'input':[" SYSTEM "," TASK "]}"},
    {"options", HAFT__MODE_AUTO, 1, 0, true, false, true, false, "",
     "{'model':'x','store':true,'background':true,'previous_response_id':'r','max_tokens':7,"
     "'temperature':1,'top_p':null}",
     "", BEGIN "'input':[" SYSTEM "],'stream':true,'max_output_tokens':7,'temperature':1}"},
    {"an option under both names", HAFT__MODE_AUTO, 1, 0, true, false, false, false, "",
     "{'max_tokens':7,'max_completion_tokens':8,'max_output_tokens':9}", "",
     BEGIN "'input':[" SYSTEM "],'max_output_tokens':9}"},
    {"reasoning", HAFT__MODE_AUTO, 1, 0, true, false, false, false, "",
     "{'reasoning_effort':'low'}", "",
     BEGIN "'input':[" SYSTEM
           "],'include':['reasoning.encrypted_content'],'reasoning':{'effort':'low'}}"},
    {"options that it does not have", HAFT__MODE_AUTO, 1, 0, true, false, false, false, "",
     "{'stop':'x','seed':1,'frequency_penalty':1,'response_format':{},'verbosity':'low',"
     "'service_tier':'fast'}",
     "", BEGIN "'input':[" SYSTEM "],'text':{'verbosity':'low'},'service_tier':'fast'}"},
    {"include is removed", HAFT__MODE_AUTO, 1, 0, true, false, false, false, "",
     "{'reasoning':{'effort':'low'},'include':null}", "",
     BEGIN "'input':[" SYSTEM "],'reasoning':{'effort':'low'}}"},
    {"a schema, and another setting of the text", HAFT__MODE_AUTO, 1, 0, true, false, false, true,
     "{\"type\":\"object\"}", "{'text':{'verbosity':'low'}}", "",
     BEGIN "'input':[" SYSTEM
           "],'text':{'verbosity':'low','format':{'type':'json_schema','name':'reply',"
           "'strict':true,'schema':{'type':'object'}}}}"},
};

static haft_status write_with(haft__provider_conversation *text, size_t i, size_t count,
                              haft__arena *arena, haft__buf *buf)
{
    static const bool allowed[2][2] = {{true, false}, {true, true}};
    haft__messages messages = {.items = conversation, .count = count};
    haft__request request = {.model = HAFT__LIT("m"),
                             .messages = &messages,
                             .correction = haft__str(cases[i].correction),
                             .tools = tools,
                             .allowed = allowed[cases[i].both],
                             .tool_count = cases[i].tools,
                             .mode = cases[i].mode,
                             .tool = HAFT__LIT("docs:search"),
                             .format = HAFT__LIT("native")};
    if (cases[i].schema[0] != '\0') {
        request.constraint = (haft__constraint){.kind = HAFT__CONSTRAINT_JSON_SCHEMA,
                                                .strict = cases[i].strict,
                                                .text = haft__str(cases[i].schema)};
    }
    haft__provider_request_options options = {.stream = cases[i].stream,
                                              .serial = cases[i].serial,
                                              .options = json_of(arena, cases[i].options)};
    return haft__conversation_write(text, &request, &options, buf, NULL);
}

TEST(requests_have_the_expected_bytes)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__provider_conversation *text = NULL;
        haft__arena arena;
        haft__buf found;
        haft__arena_init(&arena, 0);
        haft__buf_init(&found, 1 << 20);
        CHECK_INT(haft__conversation_create(provider(), &text, NULL), HAFT_OK, "create");
        CHECK_INT(write_with(text, i, cases[i].messages, &arena, &found), HAFT_OK, "%s",
                  cases[i].name);
        CHECK_STR(haft__buf_str(&found), help_quotes(cases[i].wanted), "%s", cases[i].name);
        haft__conversation_destroy(text);
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}

TEST(a_request_begins_with_the_bytes_of_the_previous_one)
{
    haft__provider_conversation *text = NULL;
    haft__arena arena;
    haft__buf before, now;
    haft__arena_init(&arena, 0);
    haft__buf_init(&before, 1 << 20);
    haft__buf_init(&now, 1 << 20);
    CHECK_INT(haft__conversation_create(provider(), &text, NULL), HAFT_OK, "create");
    for (size_t count = 1; count <= COUNT(conversation); count++) {
        haft__buf_clear(&now);
        CHECK_INT(write_with(text, 0, count, &arena, &now), HAFT_OK, "%zu", count);
        haft_str end = HAFT__LIT("],\"tool_choice\":\"auto\"}"), last = haft__buf_str(&before);
        haft_str kept = {last.ptr, last.len > end.len ? last.len - end.len : 0};
        CHECK(haft__str_starts_with(haft__buf_str(&now), kept), "%zu: %.*s", count,
              HAFT__ARG(haft__buf_str(&now)));
        haft__buf_clear(&before);
        haft__buf_add_str(&before, haft__buf_str(&now));
    }
    CHECK(memmem(now.ptr, now.len, LONG_ID, strlen(LONG_ID)) == NULL, "ids are short enough");
    haft__conversation_destroy(text);
    haft__buf_finish(&before);
    haft__buf_finish(&now);
    haft__arena_finish(&arena);
}
