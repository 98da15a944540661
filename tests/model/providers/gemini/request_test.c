/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/gemini/request.c, request_message.c and
 * request_options.c: requests byte for byte, and that a strict server accepts them. */
#include "base/limits.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "model/reply_help.h"
#include "strict_help.h"
#include "json/read.h"

static const haft__tool look = {.name = HAFT__LIT("docs:look"),
                                .description = HAFT__LIT("Looks."),
                                .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool find = {.name = HAFT__LIT("find"),
                                .description = HAFT__LIT("Finds."),
                                .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool *const tools[] = {&look, &find};
static const bool both[] = {true, true}, one[] = {false, true}, none[] = {false, false};

static const haft__message_call calls[] = {
    {HAFT__LIT("t1"), HAFT__LIT("docs:look"), .arguments = HAFT__LIT("{\"n\":1.50}")},
    {HAFT__LIT("c1.2"), HAFT__LIT("find"), .arguments = HAFT__LIT("oops"),
     .malformed = HAFT__LIT("no JSON")},
};

static haft__message items[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find it.")},
    {.role = HAFT__MESSAGE_ASSISTANT,
     .reasoning = HAFT__LIT("hm"),
     .calls = calls,
     .call_count = 2},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("no"),
     .call_id = HAFT__LIT("c1.2"),
     .is_error = true},
    {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("yes"), .call_id = HAFT__LIT("t1")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT(" ")},
};

#define SYSTEM "{'systemInstruction':{'parts':[{'text':'Be brief.'}]},"
#define TOOLS                                                                                      \
    "'tools':[{'functionDeclarations':[{'name':'docs_-_look','description':'Looks.',"              \
    "'parametersJsonSchema':{'type':'object'}},{'name':'find','description':'Finds.',"             \
    "'parametersJsonSchema':{'type':'object'}}]}],"
#define TASK         "'contents':[{'role':'user','parts':[{'text':'Find it.'}]}"
#define CHOICE(rest) "'toolConfig':{'functionCallingConfig':{'mode':" rest "}}"
#define AUTO         "]," CHOICE("'AUTO'")
#define TURN                                                                                       \
    ",{'role':'model','parts':[{'functionCall':{'name':'docs_-_look','args':{'n':1.50}},"          \
    "'thoughtSignature':'skip_thought_signature_validator'},"                                      \
    "{'functionCall':{'name':'find','args':{'not_an_object':'oops'}}}]}"
#define RESULTS                                                                                    \
    ",{'role':'user','parts':[{'functionResponse':{'name':'docs_-_look','response':"               \
    "{'output':'yes'}}},{'functionResponse':{'name':'find','response':{'error':'no'}}}]}"

static const struct {
    const char *name;
    size_t count, tools;
    haft__choice_mode mode;
    const bool *allowed;
    const char *correction, *options, *wanted;
} cases[] = {
    {"a task", 2, 2, HAFT__MODE_AUTO, both, "", "", SYSTEM TOOLS TASK AUTO "}"},
    {"no tools", 2, 0, HAFT__MODE_ANY, both, "", "", SYSTEM TASK "]}"},
    {"a call is forced", 2, 2, HAFT__MODE_ANY, both, "", "",
     SYSTEM TOOLS TASK "]," CHOICE("'ANY'") "}"},
    {"a call of one tool is forced", 2, 2, HAFT__MODE_TOOL, both, "", "",
     SYSTEM TOOLS TASK "]," CHOICE("'ANY','allowedFunctionNames':['docs_-_look']") "}"},
    {"a call of a subset is forced", 2, 2, HAFT__MODE_ANY, one, "", "",
     SYSTEM TOOLS TASK "]," CHOICE("'ANY','allowedFunctionNames':['find']") "}"},
    {"calls of a subset are allowed", 2, 2, HAFT__MODE_AUTO, one, "", "",
     SYSTEM TOOLS TASK "]," CHOICE("'VALIDATED','allowedFunctionNames':['find']") "}"},
    {"calls are forbidden", 2, 2, HAFT__MODE_NONE, both, "", "",
     SYSTEM TOOLS TASK "]," CHOICE("'NONE'") "}"},
    {"no tool is allowed", 2, 2, HAFT__MODE_ANY, none, "", "",
     SYSTEM TOOLS TASK "]," CHOICE("'NONE'") "}"},
    {"results in the order of the calls", 5, 2, HAFT__MODE_AUTO, both, "", "",
     SYSTEM TOOLS TASK TURN RESULTS AUTO "}"},
    {"a missing result", 4, 2, HAFT__MODE_AUTO, both, "", "",
     SYSTEM TOOLS TASK TURN
     ",{'role':'user','parts':[{'functionResponse':{'name':'docs_-_look','response':"
     "{'error':'The call has no result.'}}},{'functionResponse':{'name':'find','response':"
     "{'error':'no'}}}]}" AUTO "}"},
    {"a correction follows the results", 5, 2, HAFT__MODE_AUTO, both, "Again.", "",
     SYSTEM TOOLS TASK TURN RESULTS ",{'role':'user','parts':[{'text':'Again.'}]}" AUTO "}"},
    {"an empty text", 6, 2, HAFT__MODE_AUTO, both, "", "",
     SYSTEM TOOLS TASK TURN RESULTS ",{'role':'user','parts':[{'text':'(empty)'}]}" AUTO "}"},
    {"options of other providers", 2, 0, HAFT__MODE_AUTO, both, "",
     "{'max_tokens':9,'max_completion_tokens':8,'temperature':0.20,'top_p':null,'stop':'x',"
     "'reasoning_effort':'low','contents':1,'stream':false,'serviceTier':'flex'}",
     SYSTEM TASK "],'generationConfig':{'maxOutputTokens':9,'temperature':0.20,"
                 "'stopSequences':['x'],'thinkingConfig':{'thinkingLevel':'LOW'}},"
                 "'serviceTier':'flex'}"},
    {"options of Gemini", 2, 0, HAFT__MODE_AUTO, both, "",
     "{'generationConfig':{'temperature':1,'thinkingConfig':{'includeThoughts':true}},"
     "'temperature':0,'reasoning_effort':'none','max_tokens':5}",
     SYSTEM TASK "],'generationConfig':{'temperature':1,'thinkingConfig':{'includeThoughts':true},"
                 "'maxOutputTokens':5}}"},
    {"no thinking", 2, 0, HAFT__MODE_AUTO, both, "", "{'reasoning_effort':'none'}",
     SYSTEM TASK "],'generationConfig':{'thinkingConfig':{'thinkingLevel':'MINIMAL'}}}"},
    {"more effort than there are levels", 2, 0, HAFT__MODE_AUTO, both, "",
     "{'reasoning_effort':'xhigh','seed':1,'n':2,'user':'u','parallel_tool_calls':false}",
     SYSTEM TASK "],'generationConfig':{'thinkingConfig':{'thinkingLevel':'HIGH'},'seed':1}}"},
};

static haft__request request_of(size_t i, const haft__messages *messages)
{
    return (haft__request){.model = HAFT__LIT("gemini-3-pro"),
                           .messages = messages,
                           .correction = haft__str(cases[i].correction),
                           .tools = tools,
                           .allowed = cases[i].allowed,
                           .tool_count = cases[i].tools,
                           .callable_count = cases[i].tools,
                           .mode = cases[i].mode,
                           .tool = HAFT__LIT("docs:look"),
                           .format = HAFT__LIT("native")};
}

static const haft__provider *gemini(void)
{
    haft__model_spec model = {.provider = HAFT__LIT("gemini")};
    return haft__provider_for_model(&model);
}

static haft_status write_with(haft__provider_conversation *conversation,
                              const haft__request *request,
                              const haft__provider_request_options *options, haft__buf *buf)
{
    haft__buf_clear(buf);
    return haft__conversation_write(conversation, request, options, buf, NULL);
}

static haft_status write_alone(const haft__request *request, haft__json options, haft__buf *buf)
{
    haft__provider_conversation *conversation = NULL;
    haft__provider_request_options o = {.options = options};
    haft_status status = haft__conversation_create(gemini(), &conversation, NULL);
    status = status == HAFT_OK ? write_with(conversation, request, &o, buf) : status;
    haft__conversation_destroy(conversation);
    return status;
}

static haft_status write_case(size_t i, haft__json options, haft__buf *buf)
{
    haft__messages messages = {.items = items, .count = cases[i].count};
    haft__request request = request_of(i, &messages);
    return write_alone(&request, options, buf);
}

static void check_strict(const haft__buf *body, bool signs, const char *name)
{
    haft__arena arena;
    haft__json value = haft__json_null();
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__json_read(&arena, haft__buf_str(body), NULL, &value, NULL, NULL), HAFT_OK,
              "%s is not JSON", name);
    const char *fault = gemini_find_fault(value, signs);
    CHECK(fault == NULL, "%s: the server rejects %s", name, fault != NULL ? fault : "");
    haft__arena_finish(&arena);
}

TEST(requests_of_gemini_have_these_bytes)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__json options = haft__json_null();
        haft__buf buf;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1 << 20);
        if (cases[i].options[0] != '\0') {
            CHECK_INT(
                haft__json_read(&arena, help_quotes(cases[i].options), NULL, &options, NULL, NULL),
                HAFT_OK, "%s", cases[i].name);
        }
        CHECK_INT(write_case(i, options, &buf), HAFT_OK, "%s", cases[i].name);
        CHECK_STR(haft__buf_str(&buf), help_quotes(cases[i].wanted), "%s", cases[i].name);
        check_strict(&buf, true, cases[i].name);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

TEST(requests_of_gemini_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            haft__buf buf;
            haft__buf_init(&buf, 1 << 20);
            test_fail_allocation(n);
            haft_status status = write_case(i, haft__json_null(), &buf);
            bool failed = test_allow_allocations();
            haft__buf_finish(&buf);
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", cases[i].name,
                      n);
            if (!failed) {
                break;
            }
        }
    }
}

TEST(a_request_to_gemini_begins_with_the_contents_of_the_previous_one)
{
    static const size_t counts[] = {2, 5, 6};
    haft__provider_conversation *conversation = NULL;
    haft__provider_request_options options = {.stream = true};
    haft__buf before, now;
    haft__buf_init(&before, 1 << 20);
    haft__buf_init(&now, 1 << 20);
    CHECK_INT(haft__conversation_create(gemini(), &conversation, NULL), HAFT_OK, "create");
    for (size_t i = 0; i < COUNT(counts); i++) {
        haft__messages messages = {.items = items, .count = counts[i]};
        haft__request request = request_of(0, &messages);
        CHECK_INT(write_with(conversation, &request, &options, &now), HAFT_OK, "turn %zu", i);
        if (before.len > 0) {
            const char *end = memmem(before.ptr, before.len, "],\"toolConfig\"", 14);
            size_t kept = end != NULL ? (size_t)(end - before.ptr) : before.len;
            CHECK(now.len > kept && memcmp(before.ptr, now.ptr, kept) == 0, "turn %zu", i);
        }
        haft__buf_clear(&before);
        haft__buf_add_str(&before, haft__buf_str(&now));
    }
    haft__conversation_destroy(conversation);
    haft__buf_finish(&before);
    haft__buf_finish(&now);
}

/* ---- parts that are sent back to the model ---- */

#define OWN_PARTS                                                                                  \
    "[{\"text\":\"a\",\"thoughtSignature\":\"s+/=\"},{\"functionCall\":{\"id\":\"x1\",\"name\":"   \
    "\"docs_-_look\",\"args\":{\"n\":1.50}},\"thoughtSignature\":\"k==\"}]"

static const struct {
    const char *name, *model, *items_provider, *items_model, *parts;
    bool own;
} replies[] = {
    {"parts of the same model", "gemini-3-pro", "gemini", "gemini-3-pro", OWN_PARTS, true},
    {"parts of another model", "gemini-3-pro", "gemini", "gemini-3-flash", OWN_PARTS, false},
    {"parts of another provider", "gemini-3-pro", "anthropic", "gemini-3-pro", OWN_PARTS, false},
    {"parts with another number of calls", "gemini-3-pro", "gemini", "gemini-3-pro",
     "[{\"text\":\"a\"}]", false},
    {"a reply without parts", "gemini-3-pro", "gemini", "gemini-3-pro", "[]", false},
    {"not JSON", "gemini-3-pro", "gemini", "gemini-3-pro", "[{", false},
    {"parts of an older model", "gemini-2.5-pro", "gemini", "gemini-3-pro", OWN_PARTS, false},
};

static haft_status write_reply(size_t i, haft__buf *buf)
{
    /* The id that haft gives the call differs from the model's id. */
    haft__message_call call = {HAFT__LIT("c1"), HAFT__LIT("docs:look"),
                               .arguments = HAFT__LIT("{\"n\":1.50}")};
    haft__message list[] = {
        items[0],
        items[1],
        {.role = HAFT__MESSAGE_ASSISTANT,
         .text = HAFT__LIT("a"),
         .items = haft__str(replies[i].parts),
         .items_provider = haft__str(replies[i].items_provider),
         .items_model = haft__str(replies[i].items_model),
         .calls = &call,
         .call_count = 1},
        {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("yes"), .call_id = HAFT__LIT("c1")},
    };
    haft__messages messages = {.items = list, .count = COUNT(list)};
    haft__request request = request_of(0, &messages);
    request.model = haft__str(replies[i].model);
    return write_alone(&request, haft__json_null(), buf);
}

static bool has(const haft__buf *buf, const char *text)
{
    return memmem(buf->ptr, buf->len, text, strlen(text)) != NULL;
}

TEST(a_model_gets_its_own_parts_back_byte_for_byte_and_no_other_model_does)
{
    for (size_t i = 0; i < COUNT(replies); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        CHECK_INT(write_reply(i, &buf), HAFT_OK, "%s", replies[i].name);
        CHECK_INT(has(&buf, "\"parts\":" OWN_PARTS "}"), replies[i].own, "%s", replies[i].name);
        CHECK_INT(has(&buf, "{\"functionResponse\":{\"id\":\"x1\",\"name\":\"docs_-_look\""),
                  replies[i].own, "%s: the id of its call", replies[i].name);
        CHECK(!has(&buf, "\"c1\""), "%s: an id that haft made", replies[i].name);
        bool signs = strcmp(replies[i].model, "gemini-2.5-pro") != 0;
        CHECK_INT(has(&buf, "skip_thought_signature_validator"), !replies[i].own && signs, "%s",
                  replies[i].name);
        check_strict(&buf, signs, replies[i].name);
        haft__buf_finish(&buf);
    }
}

TEST(own_parts_survive_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        test_fail_allocation(n);
        haft_status status = write_reply(0, &buf);
        bool failed = test_allow_allocations();
        haft__buf_finish(&buf);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}

TEST(a_result_without_its_call_is_text)
{
    haft__message list[] = {
        items[1],
        {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("left over"), .call_id = HAFT__LIT("q")},
    };
    haft__messages messages = {.items = list, .count = COUNT(list)};
    haft__request request = request_of(0, &messages);
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(write_alone(&request, haft__json_null(), &buf), HAFT_OK, "write the request");
    CHECK(has(&buf, "{\"role\":\"user\",\"parts\":[{\"text\":\"left over\"}]}"),
          "the result is sent as text");
    check_strict(&buf, true, "a result without its call");
    haft__buf_finish(&buf);
}

/* ---- the strict server ---- */

TEST(the_strict_server_rejects_what_gemini_rejects)
{
#define USER    "{'role':'user','parts':[{'text':'a'}]}"
#define CALLING "{'role':'model','parts':[{'functionCall':{'name':'f','args':{}}}]}"
#define RETURN                                                                                     \
    "{'role':'user','parts':[{'functionResponse':{'name':'f','response':{"                         \
    "'output':1}}}]}"
    static const struct {
        const char *body;
        bool signs, good;
    } rows[] = {
        {"{'contents':[" USER "]}", true, true},
        {"{'contents':[" USER "],'model':'m'}", true, false},
        {"{'contents':[]}", true, false},
        {"{'contents':[{'role':'user','parts':[{'text':''}]}]}", true, false},
        {"{'contents':[" USER "," CALLING "," RETURN "]}", false, true},
        {"{'contents':[" USER "," CALLING "," RETURN "]}", true, false},
        {"{'contents':[" USER "," CALLING "," USER "]}", false, false},
        {"{'contents':[" USER "," RETURN "]}", false, false},
        {"{'contents':[" CALLING "," RETURN "]}", false, false},
        {"{'contents':[" USER "],'toolConfig':{'functionCallingConfig':{'mode':'AUTO',"
         "'allowedFunctionNames':['f']}}}",
         true, false},
        {"{'contents':[" USER "],'tools':[{'functionDeclarations':[{'name':'f',"
         "'parametersJsonSchema':{'type':'object','allOf':[]}}]}]}",
         true, false},
        {"{'contents':[" USER "],'tools':[{'functionDeclarations':[{'name':'1f'}]}]}", true, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__json body = haft__json_null();
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__json_read(&arena, help_quotes(rows[i].body), NULL, &body, NULL, NULL),
                  HAFT_OK, "case %zu", i);
        CHECK_INT(gemini_find_fault(body, rows[i].signs) == NULL, rows[i].good, "row %zu", i);
        haft__arena_finish(&arena);
    }
}

#define SDK_REQUEST "shared/data/providers/gemini-request.json"

TEST(the_strict_server_accepts_a_request_of_the_official_client)
{
    haft_str file = test_read_file(SDK_REQUEST);
    haft__arena arena;
    haft__json value = haft__json_null();
    if (file.ptr == NULL) {
        test_skip_suite(SDK_REQUEST);
        return;
    }
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__json_read(&arena, file, NULL, &value, NULL, NULL), HAFT_OK, "the file is JSON");
    const haft__json *body = haft__json_get(value, HAFT__LIT("body"));
    const char *fault = body != NULL ? gemini_find_fault(*body, true) : "no body";
    CHECK(fault == NULL, "%s", fault != NULL ? fault : "");
    haft__arena_finish(&arena);
}
