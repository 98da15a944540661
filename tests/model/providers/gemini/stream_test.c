/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/gemini/stream.c and stream_parts.c: whole replies, event streams,
 * arrays, and other bodies. */
#include "base/limits.h"
#include "model/providers/gemini/gemini.h"
#include "model/providers/gemini/stream.h"
#include "model/reply_help.h"

#define PARTS(parts) "{'candidates':[{'content':{'role':'model','parts':[" parts "]},'index':0}]}"
#define ENDED(parts, end)                                                                          \
    "{'candidates':[{'content':{'parts':[" parts "]},'finishReason':'" end "'}]}"
#define STOP "{'candidates':[{'finishReason':'STOP'}]}"
#define CALL "{'functionCall':{'name':'f','args':{'a':1.50}}}"
#define SIGNED_CALL                                                                                \
    "{'functionCall':{'id':'c1','name':'f','args':{'a':1}},'thoughtSignature':'Eq+/=='}"
#define SIGNED_ITEM                                                                                \
    "{\"functionCall\":{\"id\":\"c1\",\"name\":\"f\",\"args\":{\"a\":1}},"                         \
    "\"thoughtSignature\":\"Eq+/==\"}"

static const struct {
    const char *name, *body, *wanted;
} cases[] = {
    {"a text", ENDED("{'text':'Hi.'}", "STOP"), "Hi.||stop|0 0 0|"},
    {"a thought, a text and calls without ids",
     ENDED("{'text':'hm','thought':true},{'text':'Ok.'}," CALL ",{'functionCall':{'name':'g'}}",
           "STOP"),
     "Ok.|hm|tool_calls|0 0 0|| f {\"a\":1.50}| g "},
    {"arguments that are null", ENDED("{'functionCall':{'name':'g','args':null}}", "STOP"),
     "||tool_calls|0 0 0|| g "},
    {"signatures are kept with their parts",
     ENDED("{'text':'hm','thought':true},{'text':'a'}," SIGNED_CALL "," CALL, "STOP"),
     "a|hm|tool_calls|0 0 0||c1 f {\"a\":1}| f {\"a\":1.50}|items [{\"text\":\"a\"}," SIGNED_ITEM
     ",{\"functionCall\":{\"name\":\"f\",\"args\":{\"a\":1.50}}}]"},
    {"a call with an id", ENDED("{'functionCall':{'id':'x','name':'f','args':{}}}", "STOP"),
     "||tool_calls|0 0 0||x f {}|items "
     "[{\"functionCall\":{\"id\":\"x\",\"name\":\"f\",\"args\":{}}}]"},
    {"a signed thought", ENDED("{'text':'hm','thought':true,'thoughtSignature':'s'}", "STOP"),
     "|hm|stop|0 0 0||items [{\"text\":\"hm\",\"thought\":true,\"thoughtSignature\":\"s\"}]"},
    {"parts that only Gemini reads",
     ENDED("{'toolCall':{'id':'1','toolType':'search'}},{'text':'a'}", "STOP"),
     "a||stop|0 0 0||items "
     "[{\"toolCall\":{\"id\":\"1\",\"toolType\":\"search\"}},{\"text\":\"a\"}]"},
    {"usage",
     "{'candidates':[{'content':{'parts':[{'text':'a'}]},'finishReason':'STOP'}],'usageMetadata':"
     "{'promptTokenCount':100,'cachedContentTokenCount':60,'candidatesTokenCount':7,"
     "'thoughtsTokenCount':5,'toolUsePromptTokenCount':3,'totalTokenCount':115},"
     "'modelVersion':'g-3'}",
     "a||stop|103 12 60|g-3"},
    {"a reply at the token limit", ENDED("{'text':'a'}", "MAX_TOKENS"), "a||length|0 0 0|"},
    {"a refusal", "{'candidates':[{'finishReason':'SAFETY'}]}", "||refusal|0 0 0|"},
    {"another refusal", "{'candidates':[{'finishReason':'PROHIBITED_CONTENT'}]}",
     "||refusal|0 0 0|"},
    {"an unknown finish reason", ENDED("", "NEW"), "||stop|0 0 0|"},
    {"a malformed call", "{'candidates':[{'finishReason':'MALFORMED_FUNCTION_CALL'}]}",
     "transient 0 the model server aborted the reply (stop reason MALFORMED_FUNCTION_CALL)"},
    {"a call that was not allowed", "{'candidates':[{'finishReason':'UNEXPECTED_TOOL_CALL'}]}",
     "transient 0 the model server aborted the reply (stop reason UNEXPECTED_TOOL_CALL)"},
    {"a continuation that is not requested",
     "{'candidates':[{'finishReason':'CONTINUATION','continuationToken':'t'}]}",
     "other 0 the model server wants to continue its reply in more than 16 requests"},
    {"a continuation without a token", "{'candidates':[{'finishReason':'CONTINUATION'}]}",
     "other 0 the model server wants to continue its reply (stop reason CONTINUATION), but sent no "
     "continuationToken"},
    {"a blocked prompt", "{'promptFeedback':{'blockReason':'SAFETY'},'usageMetadata':{}}",
     "policy 0 the provider blocked the request: SAFETY"},
    {"a stream",
     PARTS("{'text':'h','thought':true}") "\n" PARTS("{'text':'m','thought':true}") "\n" PARTS(
         "{'text':'He'}") "\n{'usageMetadata':{'promptTokenCount':9,'thoughtsTokenCount':2}}"
                          "\n" PARTS("{'text':'y'}") "\n" PARTS(CALL) "\n"
                                                                      "{'candidates':[{'content':{'"
                                                                      "parts':[{'text':''}]},'"
                                                                      "finishReason':'STOP'}],"
                                                                      "'usageMetadata':{'"
                                                                      "promptTokenCount':9,'"
                                                                      "candidatesTokenCount':4},'"
                                                                      "modelVersion':'g'}\n",
     "Hey|hm|tool_calls|9 6 0|g| f {\"a\":1.50}"},
    {"a signature in a late chunk with an empty text",
     PARTS("{'text':'a'}") "\n" PARTS("{'text':'b'}") "\n" ENDED(
         "{'text':'','thoughtSignature':'late'}", "STOP") "\n",
     "ab||stop|0 0 0||items [{\"text\":\"ab\"},{\"text\":\"\",\"thoughtSignature\":\"late\"}]"},
    {"signed text is not merged",
     PARTS("{'text':'a'}") "\n" PARTS("{'text':'b','thoughtSignature':'s'}") "\n" PARTS(
         "{'text':'c'}") "\n" STOP "\n",
     "abc||stop|0 0 0||items [{\"text\":\"a\"},{\"text\":\"b\",\"thoughtSignature\":\"s\"},"
     "{\"text\":\"c\"}]"},
    {"parallel calls, of which the first is signed",
     PARTS(SIGNED_CALL) "\n" PARTS("{'functionCall':{'id':'c2','name':'g','args':{}}}") "\n" STOP
                                                                                        "\n",
     "||tool_calls|0 0 0||c1 f {\"a\":1}|c2 g {}|items [" SIGNED_ITEM
     ",{\"functionCall\":{\"id\":\"c2\",\"name\":\"g\",\"args\":{}}}]"},
    {"comments, and other words around the events",
     "!: a comment~~\n" PARTS("{'text':'a'}") "\n!event: x~data:~~\n" STOP "\n[DONE]",
     "a||stop|0 0 0|"},
    {"an invalid finish reason",
     PARTS("{'text':'a'}") "\n" ENDED("{'text':'b'}", "FINISH_REASON_UNSPECIFIED") "\n" STOP "\n",
     "ab||stop|0 0 0|"},
    {"a truncated stream", PARTS("{'text':'a'}") "\n{'candidates':[]}\n",
     "cut 0 the reply was cut off before its end"},
    {"an error after a part",
     PARTS("{'text':'a'}") "\n{'error':{'code':503,'message':'Busy','status':'UNAVAILABLE'}}\n",
     "transient 503 the model server reported an error: Busy (UNAVAILABLE, 503)"},
    {"an error for the key",
     "{'error':{'code':400,'message':'No','status':'INVALID_ARGUMENT','details':[{'@type':"
     "'type.googleapis.com/google.rpc.ErrorInfo','reason':'API_KEY_INVALID'}]}}",
     "auth 400 the model server reported an error: No (INVALID_ARGUMENT, 400, API_KEY_INVALID)"},
    {"an array of events", "[" PARTS("{'text':'a'}") "," PARTS(CALL) "," STOP "]",
     "a||tool_calls|0 0 0|| f {\"a\":1.50}"},
    {"a truncated array", "[" PARTS("{'text':'a'}") "]",
     "cut 0 the reply was cut off before its end"},
    {"an array with an error", "[" PARTS("{'text':'a'}") ",{'error':{'code':500,'message':'Oh'}}]",
     "transient 500 the model server reported an error: Oh (500)"},
    {"parts of unknown kinds", ENDED("5,null,'x',{},{'functionCall':7}", "STOP"), "||stop|0 0 0|"},
    {"a body that is not a reply", "{'object':'list'}",
     "garbled 0 expected a reply, found {\"object\":\"list\"}"},
    {"half a reply", "{'candidates':[{'content':", "cut 0 the reply was cut off before its end"},
};

static haft_str body_of(size_t i)
{
    return strchr(cases[i].body, '\n') == NULL ? help_quotes(cases[i].body)
                                               : help_events(cases[i].body);
}

TEST(replies_of_gemini_are_read_at_every_cut)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_check_answer(&haft__gemini_api, body_of(i), NULL, cases[i].wanted, cases[i].name);
    }
}

TEST(replies_of_gemini_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_check_memory(&haft__gemini_api, body_of(i), NULL, cases[i].name);
    }
}

/* As many signed parts as a reply may have, or one more. */
static void check_parts(size_t count, const char *wanted)
{
    haft__buf body, found;
    haft__buf_init(&body, 1 << 22);
    haft__buf_init(&found, 1 << 22);
    haft__buf_addf(&body, "{\"candidates\":[{\"finishReason\":\"STOP\",\"content\":{\"parts\":[");
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&body, "%s{\"text\":\"\",\"thoughtSignature\":\"s\"}", i > 0 ? "," : "");
    }
    haft__buf_addf(&body, "]}}]}");
    CHECK_INT(help_answer(&haft__gemini_api, haft__buf_str(&body), 0, NULL, &found), HAFT_OK,
              "%zu parts", count);
    CHECK(haft__str_starts_with(haft__buf_str(&found), haft__str(wanted)), "%zu parts", count);
    haft__buf_finish(&body);
    haft__buf_finish(&found);
}

TEST(a_reply_of_gemini_has_a_limited_number_of_parts)
{
    check_parts(HAFT__LIMIT_REPLY_ITEMS, "||stop|0 0 0||items [");
    check_parts(HAFT__LIMIT_REPLY_ITEMS + 1,
                "garbled 0 the model server's reply cannot be used: expected at most 4096 parts");
}

/* ---- a reply in several responses ---- */

#define PART(text) "{'candidates':[{'content':{'parts':[{'text':'" text "'}]}"
#define USED(n)    "'usageMetadata':{'promptTokenCount':" n ",'candidatesTokenCount':" n "}}"

TEST(a_continued_reply_is_one_reply)
{
    static const struct {
        const char *name, *first, *second, *wanted;
    } continued[] = {
        {"whole", PART("a") ",'finishReason':'CONTINUATION','continuationToken':'t'}]," USED("2"),
         PART("b") ",'finishReason':'STOP'}]," USED("3"), "ab||stop|5 5 0|"},
        {"no end", PART("a") ",'finishReason':'CONTINUATION','continuationToken':'t'}]}", "",
         "cut 0 the model server ended its response before a reply began"},
        {"an error", PART("a") ",'finishReason':'CONTINUATION','continuationToken':'t'}]}",
         "{'error':{'code':503,'message':'Busy','status':'UNAVAILABLE'}}",
         "transient 503 the model server reported an error: Busy (UNAVAILABLE, 503)"},
    };
    for (size_t i = 0; i < 2 * COUNT(continued); i++) {
        bool streamed = i >= COUNT(continued), over = false;
        size_t c = i % COUNT(continued);
        haft__gemini_stream stream;
        haft__provider_stream *base = (haft__provider_stream *)&stream;
        haft__provider_stream_options options = {.hash_key = {1, 2}};
        haft__model_outcome outcome;
        haft__arena arena;
        haft__buf token, found;
        haft__arena_init(&arena, 0);
        haft__buf_init(&token, 100);
        haft__buf_init(&found, 1000);
        haft__gemini_stream_init(&stream, &options);
        const haft__provider_api *api = &haft__gemini_api;
        haft_str bodies[] = {help_quotes(continued[c].first), help_quotes(continued[c].second)};
        for (size_t k = 0; k < 2; k++) {
            haft_str body = streamed
                                ? help_events(k == 0 ? continued[c].first : continued[c].second)
                                : bodies[k];
            CHECK_INT(api->feed(base, body, &over, NULL), HAFT_OK, "%s", continued[c].name);
            CHECK_INT(api->continue_reply(base, &token, NULL), HAFT_OK, "%s", continued[c].name);
            CHECK_STR(haft__buf_str(&token), HAFT__LIT("t"), "%s", continued[c].name);
        }
        CHECK_INT(api->end(base, &arena, &outcome, NULL), HAFT_OK, "%s", continued[c].name);
        help_describe(&found, &outcome);
        CHECK_STR(haft__buf_str(&found), haft__str(continued[c].wanted), "%s", continued[c].name);
        api->finish_stream(base);
        haft__buf_finish(&token);
        haft__buf_finish(&found);
        haft__arena_finish(&arena);
    }
}
