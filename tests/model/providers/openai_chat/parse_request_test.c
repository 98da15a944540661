/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/parse_request.c, parse_check.c, parse_tools.c and
 * parse_messages.c. In the texts below a single quote stands for a double one. */
#include "model/providers/openai_chat/parse_request.h"

#include "base/limits.h"
#include "test.h"

#define MODEL "'model':'m',"
#define USER  "{'role':'user','content':'hi'}"
#define ASK   MODEL "'messages':[" USER "]"
#define LOOK  "{'type':'function','function':{'name':'look'}}"
#define FIND  "{'type':'function','function':{'name':'docs_-_find','description':'d'}}"
#define TOOLS ASK ",'tools':[" LOOK "," FIND "]"
#define CALL(id, name)                                                                             \
    "{'id':'" id "','type':'function','function':{'name':'" name "','arguments':'{}'}}"
#define CALLS(list)    "{'role':'assistant','content':null,'tool_calls':[" list "]}"
#define RESULT(id)     "{'role':'tool','tool_call_id':'" id "','content':'r'}"
#define MESSAGES(list) "{" MODEL "'messages':[" list "]}"

static haft_str quoted(const char *text)
{
    size_t length = strlen(text);
    char *copy = test_alloc(length + 1);
    for (size_t i = 0; i <= length; i++) {
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    return (haft_str){copy, length};
}

static const haft__hash_key key = {1, 2};

/* ---- invalid requests ---- */

static const struct {
    const char *body, *message, *param, *code;
} refused[] = {
    /* JSON */
    {"", "We could not parse the JSON body of your request: ", "", NULL},
    {"{", "We could not parse the JSON body of your request: ", "", NULL},
    {"[]", "expected an object, but got an array instead.", "", NULL},
    {"{" ASK ",'model':'m'}", "We could not parse", "", NULL},
    /* parameters */
    {"{}", "you must provide a model parameter", "", NULL},
    {"{'model':''}", "you must provide a model parameter", "", NULL},
    {"{'model':1}", "Invalid type for 'model': expected a string, but got an integer instead.",
     "model", "invalid_type"},
    {"{'model':'m'}", "Missing required parameter: 'messages'.", "messages",
     "missing_required_parameter"},
    {"{" MODEL "'messages':{}}",
     "Invalid type for 'messages': expected an array, but got an object instead.", "messages",
     "invalid_type"},
    {"{" MODEL "'messages':null}", "expected an array, but got null instead.", "messages",
     "invalid_type"},
    {"{" MODEL "'messages':[]}", "Invalid 'messages': empty array. Expected an array with minimum",
     "messages", "empty_array"},
    {"{" ASK ",'colour':1}", "Unrecognized request argument supplied: colour", "", NULL},
    {"{" ASK ",'':1}", "Unrecognized request argument supplied: ", "", NULL},
    {"{" ASK ",'functions':[]}", "'functions' is deprecated and not supported here. Use 'tools'",
     "functions", "unsupported_parameter"},
    {"{" ASK ",'function_call':'auto'}", "deprecated", "function_call", "unsupported_parameter"},
    {"{" ASK ",'stream':'yes'}",
     "Invalid type for 'stream': expected a boolean, but got a string instead.", "stream",
     "invalid_type"},
    {"{" ASK ",'stream_options':{'include_usage':true}}",
     "The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options",
     NULL},
    {"{" ASK ",'stream':true,'stream_options':{'usage':true}}",
     "Unknown parameter: 'stream_options.usage'.", "stream_options.usage", "unknown_parameter"},
    {"{" ASK ",'stream':true,'stream_options':{'include_usage':1}}",
     "Invalid type for 'stream_options.include_usage': expected a boolean, but got an integer",
     "stream_options.include_usage", "invalid_type"},
    {"{" ASK ",'stream':true,'stream_options':{'include_obfuscation':1}}", "expected a boolean",
     "stream_options.include_obfuscation", "invalid_type"},
    {"{" ASK ",'temperature':'hot'}", "expected a decimal, but got a string instead.",
     "temperature", "invalid_type"},
    {"{" ASK ",'temperature':2.01}",
     "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.01",
     "temperature", "decimal_above_max_value"},
    {"{" ASK ",'top_p':-1}",
     "Invalid 'top_p': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
     "top_p", "decimal_below_min_value"},
    {"{" ASK ",'frequency_penalty':-2.5}", "below minimum", "frequency_penalty",
     "decimal_below_min_value"},
    {"{" ASK ",'presence_penalty':3}", "above maximum", "presence_penalty",
     "decimal_above_max_value"},
    {"{" ASK ",'max_tokens':0}", "integer below minimum value. Expected a value >= 1", "max_tokens",
     "integer_below_min_value"},
    {"{" ASK ",'max_completion_tokens':1.5}", "expected an integer, but got a decimal instead.",
     "max_completion_tokens", "invalid_type"},
    {"{" ASK ",'top_logprobs':21}", "integer above maximum value. Expected a value <= 20",
     "top_logprobs", "integer_above_max_value"},
    {"{" ASK ",'n':0}", "below minimum", "n", "integer_below_min_value"},
    {"{" ASK ",'n':2}", "'n' does not support 2 here. Only 1 is supported.", "n",
     "unsupported_value"},
    {"{" ASK ",'stop':1}",
     "Invalid type for 'stop': expected one of a string or an array, but got an integer instead.",
     "stop", "invalid_type"},
    {"{" ASK ",'stop':['a',1]}", "Invalid type for 'stop[1]': expected a string", "stop[1]",
     "invalid_type"},
    {"{" ASK ",'stop':['1','2','3','4','5']}", "Expected at most 4, but got 5 instead.", "stop",
     "array_above_max_length"},
    {"{" ASK ",'metadata':{'a':'b','c':1}}", "Invalid type for 'metadata.c': expected a string",
     "metadata.c", "invalid_type"},
    {"{" ASK ",'reasoning_effort':'huge'}",
     "Invalid value: 'huge'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', "
     "'xhigh' and 'max'.",
     "reasoning_effort", "invalid_value"},
    {"{" ASK ",'service_tier':'gold'}", "Invalid value: 'gold'.", "service_tier", "invalid_value"},
    {"{" ASK ",'verbosity':''}", "Invalid value: ''.", "verbosity", "invalid_value"},
    {"{" ASK ",'response_format':'json'}", "expected an object", "response_format", "invalid_type"},
    {"{" ASK ",'response_format':{}}", "Missing required parameter: 'response_format.type'.",
     "response_format.type", "missing_required_parameter"},
    {"{" ASK ",'response_format':{'type':'xml'}}",
     "Invalid value: 'xml'. Supported values are: ", "response_format.type", "invalid_value"},
    {"{" ASK ",'response_format':{'type':'json_schema'}}",
     "Missing required parameter: 'response_format.json_schema'.", "response_format.json_schema",
     "missing_required_parameter"},
    {"{" ASK ",'response_format':{'type':'json_schema','json_schema':{}}}",
     "Missing required parameter: 'response_format.json_schema.name'.",
     "response_format.json_schema.name", "missing_required_parameter"},
    /* tools */
    {"{" ASK ",'tools':{}}", "expected an array", "tools", "invalid_type"},
    {"{" ASK ",'tools':[]}", "Invalid 'tools': empty array.", "tools", "empty_array"},
    {"{" ASK ",'tools':['look']}", "Invalid type for 'tools[0]': expected an object", "tools[0]",
     "invalid_type"},
    {"{" ASK ",'tools':[{}]}", "Missing required parameter: 'tools[0].type'.", "tools[0].type",
     "missing_required_parameter"},
    {"{" ASK ",'tools':[{'type':'web'}]}",
     "Invalid value: 'web'. Supported values are: 'function' and 'custom'.", "tools[0].type",
     "invalid_value"},
    {"{" ASK ",'tools':[{'type':'custom','custom':{'name':'x'}}]}",
     "Custom tools are not supported here.", "tools[0].type", "unsupported_value"},
    {"{" ASK ",'tools':[{'type':'function'}]}", "Missing required parameter: 'tools[0].function'.",
     "tools[0].function", "missing_required_parameter"},
    {"{" ASK ",'tools':[{'type':'function','function':{},'name':'x'}]}",
     "Unknown parameter: 'tools[0].name'.", "tools[0].name", "unknown_parameter"},
    {"{" ASK ",'tools':[{'type':'function','function':{}}]}",
     "Missing required parameter: 'tools[0].function.name'.", "tools[0].function.name",
     "missing_required_parameter"},
    {"{" ASK ",'tools':[" LOOK ",{'type':'function','function':{'name':1}}]}", "expected a string",
     "tools[1].function.name", "invalid_type"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':''}}]}", "empty string.",
     "tools[0].function.name", "empty_string"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a b'}}]}",
     "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that "
     "matches the pattern '^[a-zA-Z0-9_-]+$'.",
     "tools[0].function.name", "invalid_value"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'docs:find'}}]}",
     "does not match pattern", "tools[0].function.name", "invalid_value"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':"
     "'a123456789b123456789c123456789d123456789e123456789f123456789g1234'}}]}",
     "string too long. Expected a string with maximum length 64, but got a string with length 65",
     "tools[0].function.name", "string_above_max_length"},
    {"{" ASK ",'tools':[" LOOK "," LOOK "]}", "the name 'look' is that of 'tools[0]' too.",
     "tools[1].function.name", "invalid_value"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a','description':1}}]}",
     "expected a string", "tools[0].function.description", "invalid_type"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a','strict':'y'}}]}",
     "expected a boolean", "tools[0].function.strict", "invalid_type"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a','args':{}}}]}",
     "Unknown parameter: 'tools[0].function.args'.", "tools[0].function.args", "unknown_parameter"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a','parameters':[]}}]}",
     "expected an object", "tools[0].function.parameters", "invalid_type"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a','parameters':{}}}]}",
     "Invalid schema for function 'a': schema must be a JSON Schema of 'type: \"object\"'.",
     "tools[0].function.parameters", "invalid_function_parameters"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a','parameters':"
     "{'type':['object']}}}]}",
     "schema must be", "tools[0].function.parameters", "invalid_function_parameters"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a','parameters':"
     "{'type':'object','properties':{'q':{'type':'strin'}}}}}]}",
     "Invalid schema for function 'a': /properties/q/type: ", "tools[0].function.parameters",
     "invalid_function_parameters"},
    /* tool_choice */
    {"{" ASK ",'tool_choice':'auto'}",
     "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
     "tool_choice", NULL},
    {"{" ASK ",'parallel_tool_calls':true}",
     "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when",
     "parallel_tool_calls", NULL},
    {"{" TOOLS ",'tool_choice':1}", "expected one of a string or an object, but got an integer",
     "tool_choice", "invalid_type"},
    {"{" TOOLS ",'tool_choice':'any'}",
     "Invalid value: 'any'. Supported values are: 'none', 'auto' and 'required'.", "tool_choice",
     "invalid_value"},
    {"{" TOOLS ",'tool_choice':{}}", "Missing required parameter: 'tool_choice.type'.",
     "tool_choice.type", "missing_required_parameter"},
    {"{" TOOLS ",'tool_choice':{'type':'tool'}}", "Invalid value: 'tool'.", "tool_choice.type",
     "invalid_value"},
    {"{" TOOLS ",'tool_choice':{'type':'custom','custom':{'name':'look'}}}", "Custom tools",
     "tool_choice.type", "unsupported_value"},
    {"{" TOOLS ",'tool_choice':{'type':'function','name':'look'}}", "Unknown parameter",
     "tool_choice.name", "unknown_parameter"},
    {"{" TOOLS ",'tool_choice':{'type':'function'}}",
     "Missing required parameter: 'tool_choice.function'.", "tool_choice.function",
     "missing_required_parameter"},
    {"{" TOOLS ",'tool_choice':{'type':'function','function':{'name':'look','x':1}}}",
     "Unknown parameter: 'tool_choice.function.x'.", "tool_choice.function.x", "unknown_parameter"},
    {"{" TOOLS ",'tool_choice':{'type':'function','function':{'name':'lok'}}}",
     "Tool choice 'lok' not found in 'tools' parameter.", "tool_choice", NULL},
    {"{" TOOLS ",'tool_choice':{'type':'allowed_tools'}}",
     "Missing required parameter: 'tool_choice.allowed_tools'.", "tool_choice.allowed_tools",
     "missing_required_parameter"},
    {"{" TOOLS ",'tool_choice':{'type':'allowed_tools','mode':'auto','tools':[]}}",
     "Unknown parameter: 'tool_choice.mode'.", "tool_choice.mode", "unknown_parameter"},
    {"{" TOOLS ",'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'any',"
     "'tools':[" LOOK "]}}}",
     "Invalid value: 'any'. Supported values are: 'auto' and 'required'.",
     "tool_choice.allowed_tools.mode", "invalid_value"},
    {"{" TOOLS ",'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'auto'}}}",
     "Missing required parameter", "tool_choice.allowed_tools.tools", "missing_required_parameter"},
    {"{" TOOLS ",'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'auto',"
     "'tools':[]}}}",
     "empty array", "tool_choice.allowed_tools.tools", "empty_array"},
    {"{" TOOLS ",'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'auto',"
     "'tools':[" LOOK ",{'type':'function','function':{'name':'x'}}]}}}",
     "Tool choice 'x' not found", "tool_choice", NULL},
    {"{" TOOLS ",'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'auto',"
     "'tools':['look']}}}",
     "expected an object", "tool_choice.allowed_tools.tools[0]", "invalid_type"},
    /* messages */
    {MESSAGES("'hi'"), "Invalid type for 'messages[0]': expected an object", "messages[0]",
     "invalid_type"},
    {MESSAGES("{'content':'hi'}"), "Missing required parameter: 'messages[0].role'.",
     "messages[0].role", "missing_required_parameter"},
    {MESSAGES(USER ",{'role':'critic','content':'hi'}"),
     "Invalid value: 'critic'. Supported values are: 'system', 'developer', 'user', 'assistant' "
     "and 'tool'.",
     "messages[1].role", "invalid_value"},
    {MESSAGES("{'role':1,'content':'hi'}"), "expected a string", "messages[0].role",
     "invalid_type"},
    {MESSAGES("{'role':'function','name':'x','content':'hi'}"), "deprecated", "messages[0].role",
     "unsupported_value"},
    {MESSAGES("{'role':'user'}"), "Missing required parameter: 'messages[0].content'.",
     "messages[0].content", "missing_required_parameter"},
    {MESSAGES("{'role':'user','content':null}"),
     "expected one of a string or an array, but got null instead.", "messages[0].content",
     "invalid_type"},
    {MESSAGES("{'role':'user','content':{}}"), "but got an object instead.", "messages[0].content",
     "invalid_type"},
    {MESSAGES("{'role':'user','content':'a','id':'x'}"), "Unknown parameter: 'messages[0].id'.",
     "messages[0].id", "unknown_parameter"},
    {MESSAGES("{'role':'user','content':[]}"), "Invalid 'messages[0].content': empty array.",
     "messages[0].content", "empty_array"},
    {MESSAGES("{'role':'user','content':['a']}"), "expected an object", "messages[0].content[0]",
     "invalid_type"},
    {MESSAGES("{'role':'user','content':[{'text':'a'}]}"), "Missing required parameter",
     "messages[0].content[0].type", "missing_required_parameter"},
    {MESSAGES("{'role':'user','content':[{'type':'video'}]}"), "Invalid value: 'video'.",
     "messages[0].content[0].type", "invalid_value"},
    {MESSAGES("{'role':'system','content':[{'type':'image_url','image_url':{'url':'u'}}]}"),
     "Invalid value: 'image_url'. Supported values are: 'text'.", "messages[0].content[0].type",
     "invalid_value"},
    {MESSAGES("{'role':'user','content':[{'type':'text'}]}"), "Missing required parameter",
     "messages[0].content[0].text", "missing_required_parameter"},
    {MESSAGES("{'role':'user','content':[{'type':'text','text':1}]}"), "expected a string",
     "messages[0].content[0].text", "invalid_type"},
    {MESSAGES("{'role':'user','content':[{'type':'image_url','image_url':{}}]}"),
     "Missing required parameter: 'messages[0].content[0].image_url.url'.",
     "messages[0].content[0].image_url.url", "missing_required_parameter"},
    {MESSAGES("{'role':'assistant'}"), "Invalid value for 'content': expected a string, got null.",
     "messages[0].content", NULL},
    {MESSAGES("{'role':'assistant','content':null}"), "expected a string, got null",
     "messages[0].content", NULL},
    {MESSAGES("{'role':'assistant','content':'a','function_call':{}}"), "Unknown parameter",
     "messages[0].function_call", "unknown_parameter"},
    {MESSAGES("{'role':'assistant','content':'a','refusal':1}"), "expected a string",
     "messages[0].refusal", "invalid_type"},
    {MESSAGES("{'role':'assistant','content':'a','reasoning':1}"), "expected a string",
     "messages[0].reasoning", "invalid_type"},
    {MESSAGES("{'role':'assistant','tool_calls':{}}"), "expected an array",
     "messages[0].tool_calls", "invalid_type"},
    {MESSAGES(CALLS("")), "Invalid 'messages[0].tool_calls': empty array.",
     "messages[0].tool_calls", "empty_array"},
    {MESSAGES(CALLS("1")), "expected an object", "messages[0].tool_calls[0]", "invalid_type"},
    {MESSAGES(CALLS("{}")), "Missing required parameter: 'messages[0].tool_calls[0].id'.",
     "messages[0].tool_calls[0].id", "missing_required_parameter"},
    {MESSAGES(CALLS("{'id':'a','type':'custom'}")), "Invalid value: 'custom'.",
     "messages[0].tool_calls[0].type", "invalid_value"},
    {MESSAGES(CALLS("{'id':'a','type':'function'}")), "Missing required parameter",
     "messages[0].tool_calls[0].function", "missing_required_parameter"},
    {MESSAGES(CALLS("{'id':'a','type':'function','function':{'name':'x'}}")),
     "Missing required parameter", "messages[0].tool_calls[0].function.arguments",
     "missing_required_parameter"},
    {MESSAGES(CALLS("{'id':'a','type':'function','function':{'name':'x','arguments':{}}}")),
     "Invalid type for 'messages[0].tool_calls[0].function.arguments': expected a string, but got "
     "an object instead.",
     "messages[0].tool_calls[0].function.arguments", "invalid_type"},
    {MESSAGES(CALLS(CALL("a", "x y"))), "does not match pattern",
     "messages[0].tool_calls[0].function.name", "invalid_value"},
    {MESSAGES(CALLS(CALL("a", "x") "," CALL("a", "y"))), "an id that no other call",
     "messages[0].tool_calls[1].id", "invalid_value"},
    {MESSAGES(CALLS(CALL("", "x"))), "an id that no other call", "messages[0].tool_calls[0].id",
     "invalid_value"},
    {MESSAGES(USER "," CALLS(CALL("a", "x"))),
     "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
     "'tool_call_id'. The following tool_call_ids did not have response messages: a",
     "messages", NULL},
    {MESSAGES(CALLS(CALL("a", "x") "," CALL("b", "x") "," CALL("c", "x")) "," RESULT("b") "," USER),
     "did not have response messages: a, c", "messages[2].role", NULL},
    {MESSAGES(CALLS(CALL("a", "x")) "," CALLS(CALL("b", "x"))), "did not have response messages: a",
     "messages[1].role", NULL},
    {MESSAGES(RESULT("a")), "messages with role 'tool' must be a response to a preceding message",
     "messages[0].role", NULL},
    {MESSAGES(CALLS(CALL("a", "x")) "," RESULT("a") "," USER "," RESULT("a")),
     "messages with role 'tool' must be a response", "messages[3].role", NULL},
    {MESSAGES(CALLS(CALL("a", "x")) "," RESULT("b")),
     "'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
     "messages[1].tool_call_id", NULL},
    {MESSAGES(CALLS(CALL("a", "x")) "," RESULT("a") "," RESULT("a")),
     "Duplicate value for 'tool_call_id' of 'a'", "messages[2].tool_call_id", NULL},
    {MESSAGES(CALLS(CALL("a", "x")) ",{'role':'tool','content':'r'}"),
     "Missing required parameter: 'messages[1].tool_call_id'.", "messages[1].tool_call_id",
     "missing_required_parameter"},
    {MESSAGES(CALLS(CALL("a", "x")) ",{'role':'tool','tool_call_id':'a'}"),
     "Missing required parameter", "messages[1].content", "missing_required_parameter"},
    {MESSAGES(CALLS(CALL("a", "x")) ",{'role':'tool','tool_call_id':'a','content':"
                                    "[{'type':'image_url','image_url':{'url':'u'}}]}"),
     "Invalid value: 'image_url'.", "messages[1].content[0].type", "invalid_value"},
};

static bool contains(haft_str text, const char *part)
{
    for (; text.len >= strlen(part); text = haft__str_skip(text, 1)) {
        if (memcmp(text.ptr, part, strlen(part)) == 0) {
            return true;
        }
    }
    return false;
}

TEST(invalid_requests_are_rejected_with_their_place)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        const char *body = refused[i].body;
        haft__arena arena;
        haft__chat_parsed asked;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__chat_read(&arena, quoted(body), key, &asked, NULL), HAFT_OK, "%s", body);
        const haft__chat_rejection *problem = &asked.problem;
        CHECK(problem->message.ptr != NULL && contains(problem->message, refused[i].message),
              "%s: %.*s", body, HAFT__ARG(problem->message));
        CHECK_STR(problem->param, haft__str(refused[i].param), "%s", body);
        CHECK_STR(haft__str(problem->code != NULL ? problem->code : "-"),
                  haft__str(refused[i].code != NULL ? refused[i].code : "-"), "%s", body);
        haft__arena_finish(&arena);
    }
}

TEST(refusals_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(refused); i += 5) {
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__chat_parsed asked;
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status =
                haft__chat_read(&arena, quoted(refused[i].body), key, &asked, NULL);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u",
                      refused[i].body, n);
            CHECK(failed || asked.problem.message.ptr != NULL, "%s is accepted", refused[i].body);
            haft__arena_finish(&arena);
            if (!failed) {
                break;
            }
        }
    }
}

/* ---- valid requests ---- */

static const char *const modes[] = {"auto", "any", "tool", "none"};
static const char *const roles[] = {"system", "user", "assistant", "tool"};

static void summarise_message(haft__buf *buf, const haft__message *m)
{
    haft__buf_addf(buf, " %s(%.*s", roles[m->role], HAFT__ARG(m->text));
    if (m->reasoning.len > 0) {
        haft__buf_addf(buf, " thought %.*s", HAFT__ARG(m->reasoning));
    }
    for (size_t i = 0; i < m->call_count; i++) {
        const haft__message_call *call = &m->calls[i];
        haft__buf_addf(buf, " %.*s=%.*s%.*s", HAFT__ARG(call->id), HAFT__ARG(call->name),
                       HAFT__ARG(call->arguments));
    }
    if (m->role == HAFT__MESSAGE_TOOL) {
        haft__buf_addf(buf, " of %.*s %.*s", HAFT__ARG(m->call_id), HAFT__ARG(m->call_name));
    }
    haft__buf_addf(buf, ")");
}

/* A request in one line. */
static void summarise(haft__buf *buf, const haft__chat_parsed *asked)
{
    const haft__request *request = &asked->request;
    haft__buf_addf(buf, "%.*s %s", HAFT__ARG(request->model), modes[request->mode]);
    haft__buf_addf(buf, "%s%.*s", request->tool.len > 0 ? " " : "", HAFT__ARG(request->tool));
    haft__buf_addf(buf, "%s%s%s", asked->stream ? " stream" : "",
                   asked->include_usage ? " usage" : "", asked->parallel ? "" : " one");
    for (size_t i = 0; i < request->tool_count; i++) {
        haft__buf_addf(buf, " %s%.*s/%.*s", request->allowed[i] ? "+" : "-",
                       HAFT__ARG(request->tools[i]->name), HAFT__ARG(asked->wire_names[i]));
    }
    for (size_t i = 0; i < request->messages->count; i++) {
        summarise_message(buf, &request->messages->items[i]);
    }
}

static const struct {
    const char *body, *summary;
} taken[] = {
    {"{" ASK "}", "m none user(hi)"},
    {"{" ASK ",'stream':true}", "m none stream user(hi)"},
    {"{" ASK ",'stream':false,'stream_options':null}", "m none user(hi)"},
    {"{" ASK ",'stream':true,'stream_options':{'include_usage':true,'include_obfuscation':false}}",
     "m none stream usage user(hi)"},
    {"{" TOOLS "}", "m auto +look/look +docs:find/docs_-_find user(hi)"},
    {"{" TOOLS ",'tool_choice':null,'parallel_tool_calls':null}",
     "m auto +look/look +docs:find/docs_-_find user(hi)"},
    {"{" TOOLS ",'tool_choice':'auto','parallel_tool_calls':false}",
     "m auto one +look/look +docs:find/docs_-_find user(hi)"},
    {"{" TOOLS ",'tool_choice':'required','parallel_tool_calls':true}",
     "m any +look/look +docs:find/docs_-_find user(hi)"},
    {"{" TOOLS ",'tool_choice':'none'}", "m none -look/look -docs:find/docs_-_find user(hi)"},
    {"{" TOOLS ",'tool_choice':{'type':'function','function':{'name':'docs_-_find'}}}",
     "m tool docs:find -look/look +docs:find/docs_-_find user(hi)"},
    {"{" TOOLS ",'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'auto',"
     "'tools':[" LOOK "]}}}",
     "m auto +look/look -docs:find/docs_-_find user(hi)"},
    {"{" TOOLS ",'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'required','tools':"
     "[{'type':'function','function':{'name':'docs_-_find'}}," LOOK "]}}}",
     "m any +look/look +docs:find/docs_-_find user(hi)"},
    /* names that look encoded but are not, and one whose decoded form is another tool's name */
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a_-zz'}},"
     "{'type':'function','function':{'name':'1tool'}},"
     "{'type':'function','function':{'name':'_-h31tool'}}]}",
     "m auto +a_-zz/a_-zz +1tool/1tool +_-h31tool/_-h31tool user(hi)"},
    {"{" ASK ",'tools':[{'type':'function','function':{'name':'a','description':null,"
     "'parameters':null,'strict':null}},{'type':'function','function':{'name':'b','parameters':"
     "{'type':'object','properties':{'q':{'type':'string'}},'required':['q'],"
     "'additionalProperties':false},'strict':true}}]}",
     "m auto +a/a +b/b user(hi)"},
    {"{" ASK ",'temperature':0.5,'top_p':1,'frequency_penalty':-2,'presence_penalty':2,'seed':-7,"
     "'stop':['a','b','c','d'],'max_completion_tokens':1,'max_tokens':10,'n':1,'user':'u',"
     "'metadata':{'k':'v'},'response_format':{'type':'json_schema','json_schema':{'name':'x'}},"
     "'reasoning_effort':'low','prompt_cache_key':'k','store':false,'service_tier':'auto',"
     "'logit_bias':{'50256':-100},'logprobs':true,'top_logprobs':20,'verbosity':'high',"
     "'safety_identifier':'s','prediction':null,'modalities':['text'],'audio':null,"
     "'web_search_options':{},'prompt_cache_retention':'24h','prompt_cache_options':{},"
     "'moderation':null}",
     "m none user(hi)"},
    {"{" ASK ",'temperature':2,'top_p':0,'n':null,'stop':'x','seed':null,'user':null}",
     "m none user(hi)"},
    {MESSAGES("{'role':'system','content':'s'},{'role':'developer','content':[{'type':'text',"
              "'text':'a'},{'type':'text','text':'b'}]},{'role':'user','name':'n','content':"
              "[{'type':'text','text':'see'},{'type':'image_url','image_url':{'url':'u'}},"
              "{'type':'input_audio','input_audio':{'data':'d','format':'wav'}},"
              "{'type':'file','file':{'file_id':'f'}},{'type':'text','text':''}]}"),
     "m none system(s) system(a\nb) user(see)"},
    {MESSAGES(USER ",{'role':'assistant','content':''},{'role':'assistant','content':null,"
                   "'refusal':'no'},{'role':'assistant','content':[{'type':'text','text':'t'},"
                   "{'type':'refusal','refusal':'r'}],'annotations':[],'audio':null}"),
     "m none user(hi) assistant() assistant(no) assistant(t\nr)"},
    {MESSAGES("{'role':'assistant','content':'a','reasoning_content':'r','reasoning':'s'},"
              "{'role':'assistant','content':'a','reasoning_content':null,'reasoning':'s'}"),
     "m none assistant(a thought r) assistant(a thought s)"},
    {MESSAGES(USER "," CALLS(CALL("a", "look") "," CALL("b", "docs_-_find")) "," RESULT(
         "b") "," RESULT("a") "," CALLS(CALL("a", "look")) "," RESULT("a") "," USER),
     "m none user(hi) assistant( a=look{} b=docs:find{}) tool(r of b docs:find) tool(r of a look) "
     "assistant( a=look{}) tool(r of a look) user(hi)"},
    {MESSAGES("{'role':'assistant','content':'both','tool_calls':[" CALL("a", "look") "]}," RESULT(
         "a") ",{'role':'assistant','content':null,'tool_calls':[{'index':0,'id':'x','type':"
              "'function','function':{'name':'look','arguments':'no "
              "JSON'}}]},{'role':'tool','name':"
              "'look','tool_call_id':'x','content':[{'type':'text','text':'part'}]}"),
     "m none assistant(both a=look{}) tool(r of a look) assistant( x=lookno JSON) "
     "tool(part of x look)"},
};

TEST(valid_requests_are_accepted)
{
    for (size_t i = 0; i < COUNT(taken); i++) {
        haft__arena arena;
        haft__chat_parsed asked;
        haft__buf summary;
        haft__arena_init(&arena, 0);
        haft__buf_init(&summary, 1 << 20);
        CHECK_INT(haft__chat_read(&arena, quoted(taken[i].body), key, &asked, NULL), HAFT_OK, "%s",
                  taken[i].body);
        CHECK(asked.problem.message.ptr == NULL, "%s: %.*s", taken[i].body,
              HAFT__ARG(asked.problem.message));
        summarise(&summary, &asked);
        CHECK_STR(haft__buf_str(&summary), haft__str(taken[i].summary), "%s", taken[i].body);
        haft__buf_finish(&summary);
        haft__arena_finish(&arena);
    }
}

TEST(a_tool_has_its_description_and_schema)
{
    haft__arena arena;
    haft__chat_parsed asked;
    haft__arena_init(&arena, 0);
    haft_str body =
        quoted("{" ASK ",'tools':[" FIND ",{'type':'function','function':{'name':'b','parameters':"
               "{'type':'object','required':['q']}}}]}");
    CHECK_INT(haft__chat_read(&arena, body, key, &asked, NULL), HAFT_OK, "read the request");
    CHECK_INT(asked.request.tool_count, 2, "number of tools");
    const haft__tool *const *tools = asked.request.tools;
    CHECK_STR(tools[0]->description, HAFT__LIT("d"), "a description");
    CHECK_STR(tools[1]->description, HAFT__LIT(""), "no description");
    CHECK(!tools[0]->typed && tools[1]->typed, "only the second tool has a schema");
    CHECK(tools[0]->schema != NULL && tools[1]->schema != NULL, "both schemas are compiled");
    CHECK_INT(tools[0]->input_schema.count, 2, "members of the default schema");
    CHECK(haft__json_get(tools[1]->input_schema, HAFT__LIT("required")) != NULL,
          "the tool's own schema");
    CHECK(haft__json_get(asked.raw, HAFT__LIT("tools")) != NULL, "the request is kept as received");
    haft__arena_finish(&arena);
}

TEST(reading_survives_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(taken); i++) {
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__chat_parsed asked;
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status = haft__chat_read(&arena, quoted(taken[i].body), key, &asked, NULL);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", taken[i].body,
                      n);
            haft__arena_finish(&arena);
            if (!failed) {
                CHECK(n > 0, "no allocation was made");
                break;
            }
        }
    }
}

/* ---- sizes ---- */

static void add_tool(haft__buf *body, int i)
{
    haft__buf_addf(body, "%s{'type':'function','function':{'name':'t%d'}}", i > 0 ? "," : "", i);
}

static void add_call(haft__buf *body, int i)
{
    haft__buf_addf(body, "%s{'id':'c%d','type':'function','function':{'name':'a','arguments':''}}",
                   i > 0 ? "," : "", i);
}

/* Reads `before`, `count` items and `after`; returns the error code, "" if valid. */
static const char *read_many(const char *before, void (*add)(haft__buf *body, int i), int count,
                             const char *after)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    haft__buf_addf(&body, "%s", before);
    for (int i = 0; i < count; i++) {
        add(&body, i);
    }
    haft__buf_addf(&body, "%s%c", after, '\0');
    haft__arena arena;
    haft__chat_parsed asked;
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__chat_read(&arena, quoted(body.ptr), key, &asked, NULL), HAFT_OK,
              "out of memory");
    const char *code = asked.problem.code != NULL          ? asked.problem.code
                       : asked.problem.message.ptr != NULL ? "refused"
                                                           : "";
    haft__arena_finish(&arena);
    haft__buf_finish(&body);
    return code;
}

TEST(tools_are_bounded)
{
    for (int past = 0; past <= 1; past++) {
        const char *code =
            read_many("{" ASK ",'tools':[", add_tool, HAFT__LIMIT_CHAT_TOOLS + past, "]}");
        CHECK_STR(haft__str(code), haft__str(past ? "array_above_max_length" : ""),
                  "%d past the limit", past);
    }
}

TEST(calls_of_a_message_are_bounded)
{
    const char *start = "{" MODEL "'messages':[{'role':'assistant','tool_calls':[";
    CHECK_STR(haft__str(read_many(start, add_call, HAFT__LIMIT_CHAT_CALLS, "]}]}")),
              HAFT__LIT("refused"), "at the limit, but without results");
    CHECK_STR(haft__str(read_many(start, add_call, HAFT__LIMIT_CHAT_CALLS + 1, "]}]}")),
              HAFT__LIT("array_above_max_length"), "one past the limit");
}

TEST(a_message_may_have_calls_up_to_the_limit)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    haft__buf_addf(&body, "{'model':'m','messages':[{'role':'assistant','tool_calls':[");
    for (int i = 0; i < HAFT__LIMIT_CHAT_CALLS; i++) {
        add_call(&body, i);
    }
    haft__buf_addf(&body, "]}");
    for (int i = HAFT__LIMIT_CHAT_CALLS; i > 0; i--) {
        haft__buf_addf(&body, ",{'role':'tool','tool_call_id':'c%d','content':''}", i - 1);
    }
    haft__buf_addf(&body, "]}%c", '\0');
    haft__arena arena;
    haft__chat_parsed asked;
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__chat_read(&arena, quoted(body.ptr), key, &asked, NULL), HAFT_OK,
              "out of memory");
    CHECK(asked.problem.message.ptr == NULL, "%.*s", HAFT__ARG(asked.problem.message));
    CHECK_INT(asked.messages.count, HAFT__LIMIT_CHAT_CALLS + 1, "number of messages");
    haft__arena_finish(&arena);
    haft__buf_finish(&body);
}

TEST(nesting_is_bounded)
{
    for (int past = 0; past <= 1; past++) {
        haft__buf body;
        haft__buf_init(&body, 1 << 20);
        haft__buf_addf(&body, "{'model':'m','messages':[{'role':'user','content':'hi'}],"
                              "'prediction':");
        for (int i = 2; i <= HAFT__LIMIT_JSON_DEPTH_STRICT + past; i++) {
            haft__buf_addf(&body, "{'a':");
        }
        haft__buf_addf(&body, "1");
        for (int i = 1; i <= HAFT__LIMIT_JSON_DEPTH_STRICT + past; i++) {
            haft__buf_addf(&body, "}");
        }
        haft__buf_add_char(&body, '\0');
        haft__arena arena;
        haft__chat_parsed asked;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__chat_read(&arena, quoted(body.ptr), key, &asked, NULL), HAFT_OK,
                  "out of memory");
        CHECK_INT(asked.problem.message.ptr != NULL, past, "%.*s",
                  HAFT__ARG(asked.problem.message));
        haft__arena_finish(&arena);
        haft__buf_finish(&body);
    }
}

TEST(a_full_arena_is_reported)
{
    haft__arena arena;
    haft__chat_parsed asked;
    haft__arena_init(&arena, 1024);
    haft_status status = haft__chat_read(&arena, quoted(taken[9].body), key, &asked, NULL);
    CHECK(status == HAFT_TOO_BIG || asked.problem.message.ptr != NULL, "status %d without an error",
          status);
    haft__arena_finish(&arena);
}
