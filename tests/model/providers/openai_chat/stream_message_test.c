/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/stream.c: text of a message, stop reason, usage. */
#include "model/providers/openai_chat/openai_chat.h"
#include "model/providers/openai_chat/stream.h"
#include "model/reply_help.h"

/* A complete reply: members of the message, then of the choice, then of the reply. */
static haft_str body_of(const char *message, const char *choice, const char *reply)
{
    size_t room = strlen(message) + strlen(choice) + strlen(reply) + 128;
    char *text = test_alloc(room);
    (void)snprintf(text, room,
                   "{'id':'x','model':'m','choices':[{'index':0,'message':{'role':'assistant'%s}"
                   "%s}]%s}",
                   message, choice, reply);
    return help_quotes(text);
}

static const struct {
    const char *name, *message, *choice, *reply, *wanted;
} cases[] = {
    {"a text", ",'content':'Hi.'", ",'finish_reason':'stop'", "", "Hi.||stop|0 0 0|m"},
    {"nothing", "", "", "", "||stop|0 0 0|m"},
    {"null", ",'content':null,'refusal':null,'tool_calls':null", ",'finish_reason':null",
     ",'usage':null", "||stop|0 0 0|m"},
    {"parts", ",'content':[{'type':'text','text':'a'},'b',{'type':'text','text':'c'},{},5,null]",
     "", "", "abc||stop|0 0 0|m"},
    {"one part", ",'content':{'type':'text','text':'a'}", "", "", "a||stop|0 0 0|m"},
    {"thinking",
     ",'content':[{'type':'thinking','thinking':[{'type':'text','text':'hm'},7]},"
     "{'type':'text','text':'a'}]",
     "", "",
     "a|hm|stop|0 0 0|m|items [{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":"
     "\"text\",\"text\":\"hm\"},7]},{\"type\":\"text\",\"text\":\"a\"}]}]"},
    {"reasoning_content", ",'reasoning_content':'why','content':'a'", "", "", "a|why|stop|0 0 0|m"},
    {"reasoning", ",'reasoning':'why','content':'a'", "", "", "a|why|stop|0 0 0|m"},
    {"reasoning under both names", ",'reasoning':'why','reasoning_content':'why','content':'a'", "",
     "", "a|why|stop|0 0 0|m"},
    {"reasoning that is empty under one name", ",'reasoning':'why','reasoning_content':''", "", "",
     "|why|stop|0 0 0|m"},
    {"reasoning that is not a text", ",'reasoning':{'effort':'low'},'content':'a'", "", "",
     "a||stop|0 0 0|m"},
    {"a refusal", ",'content':null,'refusal':'I will not.'", ",'finish_reason':'stop'", "",
     "I will not.||refusal|0 0 0|m"},
    {"a refusal as a part", ",'content':[{'type':'refusal','refusal':'No.'}]", "", "",
     "No.||refusal|0 0 0|m"},
    {"a text and a refusal", ",'content':'Well: ','refusal':'no.'", "", "",
     "Well: no.||refusal|0 0 0|m"},
    {"an empty refusal is ignored", ",'content':'a','refusal':''", "", "", "a||stop|0 0 0|m"},
    {"stopped by a content filter", ",'content':'half'", ",'finish_reason':'content_filter'", "",
     "half||refusal|0 0 0|m"},
    {"stopped at the token limit", ",'content':'half'", ",'finish_reason':'length'", "",
     "half||length|0 0 0|m"},
    {"stopped at the length of the model", ",'content':'half'", ",'finish_reason':'model_length'",
     "", "half||length|0 0 0|m"},
    {"a call that is cut at the token limit",
     ",'tool_calls':[{'id':'i','function':{'name':'f','arguments':'{'}}]",
     ",'finish_reason':'length'", "", "||length|0 0 0|m|i f {"},
    {"a call that ended in stop",
     ",'tool_calls':[{'id':'i','function':{'name':'f',"
     "'arguments':'{}'}}]",
     ",'finish_reason':'stop'", "", "||tool_calls|0 0 0|m|i f {}"},
    {"no call that ended in tool_calls", ",'content':'a'", ",'finish_reason':'tool_calls'", "",
     "a||stop|0 0 0|m"},
    {"an unknown finish reason", ",'content':'a'", ",'finish_reason':'eos'", "", "a||stop|0 0 0|m"},
    {"a finish reason that is not a text", ",'content':'a'", ",'finish_reason':7", "",
     "a||stop|0 0 0|m"},
    {"the finish reason error", ",'content':'a'", ",'finish_reason':'error'", "",
     "transient 0 the model server aborted the reply (stop reason error)"},
    {"the finish reason insufficient resources", "",
     ",'finish_reason':'insufficient_system_resource'", "",
     "transient 0 the model server aborted the reply (stop reason "
     "insufficient_system_resource)"},
    {"the finish reason abort", "", ",'finish_reason':'abort'", "",
     "transient 0 the model server aborted the reply (stop reason abort)"},
    /* usage */
    {"usage", ",'content':'a'", "",
     ",'usage':{'prompt_tokens':9,'completion_tokens':5,'total_tokens':14,"
     "'prompt_tokens_details':{'cached_tokens':4}}",
     "a||stop|9 5 4|m"},
    {"usage of a cache", "", "",
     ",'usage':{'prompt_tokens':9,'completion_tokens':5,'prompt_cache_hit_tokens':3,"
     "'prompt_cache_miss_tokens':6}",
     "||stop|9 5 3|m"},
    {"usage without details", "", "",
     ",'usage':{'prompt_tokens':9,'completion_tokens':5,'prompt_tokens_details':null}",
     "||stop|9 5 0|m"},
    {"more cached tokens than input tokens", "", "",
     ",'usage':{'prompt_tokens':9,'prompt_tokens_details':{'cached_tokens':10}}", "||stop|9 0 9|m"},
    {"invalid usage", "", "",
     ",'usage':{'prompt_tokens':-1,'completion_tokens':1.5,'prompt_tokens_details':{"
     "'cached_tokens':'4'}}",
     "||stop|0 0 0|m"},
    {"usage that is too large", "", "",
     ",'usage':{'prompt_tokens':99999999999999999999,'completion_tokens':1e2}", "||stop|0 100 0|m"},
    /* if there are several choices, the first counts */
    {"another choice", ",'content':'a'", "},{'index':1,'message':{'content':'b'}", "",
     "a||stop|0 0 0|m"},
    {"another choice without an index", ",'content':'a'", "},{'message':{'content':'b'}", "",
     "a||stop|0 0 0|m"},
    {"nulls next to the text", ",'content':'a','audio':null", "", ",'error':null",
     "a||stop|0 0 0|m"},
};

TEST(a_complete_reply_is_read)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str body = body_of(cases[i].message, cases[i].choice, cases[i].reply);
        help_check_answer(&haft__openai_chat_api, body, NULL, cases[i].wanted, cases[i].name);
    }
}

TEST(reasoning_and_cache_writes_are_counted)
{
    static const struct {
        const char *written, *thought;
        uint64_t cache_write, reasoning;
    } rows[] = {{"2", "3", 2, 3},
                {"6", "6", 5, 5}, /* at most the rest of the input, and the output */
                {"999999999999999999", "999999999999999999", 5, 5}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char body[512];
        (void)snprintf(
            body, sizeof(body),
            "{\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}],"
            "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":5,\"prompt_tokens_details\":{"
            "\"cached_tokens\":4,\"cache_write_tokens\":%s},\"completion_tokens_details\":{"
            "\"reasoning_tokens\":%s}}}",
            rows[i].written, rows[i].thought);
        haft__provider_stream_options options = {.hash_key = {1, 2}};
        haft__model_outcome outcome = {.failed = true};
        haft__arena arena;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__openai_read(&options, haft__str(body), &arena, &outcome, NULL), HAFT_OK,
                  "row %zu", i);
        const haft__token_usage *usage = &outcome.reply.usage;
        CHECK(!outcome.failed && usage->cached == 4, "row %zu", i);
        CHECK_INT(usage->cache_write, rows[i].cache_write, "row %zu", i);
        CHECK_INT(usage->reasoning, rows[i].reasoning, "row %zu", i);
        haft__arena_finish(&arena);
    }
}

/* In a stream an id or an index continues a call. In a whole reply each entry is a call. */
TEST(equal_ids_in_a_whole_reply_are_separate_calls)
{
    static const struct {
        const char *calls, *wanted;
    } rows[] = {
        {"{'id':'i','function':{'name':'f','arguments':'{}'}},"
         "{'id':'i','function':{'name':'g','arguments':'{}'}}",
         "||tool_calls|0 0 0|m|i f {}|i g {}"},
        {"{'index':0,'id':'i','function':{'name':'f','arguments':'{}'}},"
         "{'index':0,'id':'i','function':{'name':'f','arguments':'{}'}}",
         "||tool_calls|0 0 0|m|i f {}|i f {}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char message[512];
        (void)snprintf(message, sizeof(message), ",'tool_calls':[%s]", rows[i].calls);
        haft_str body = body_of(message, ",'finish_reason':'tool_calls'", "");
        help_check_answer(&haft__openai_chat_api, body, NULL, rows[i].wanted, rows[i].calls);
    }
}

TEST(whole_replies_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str body = body_of(cases[i].message, cases[i].choice, cases[i].reply);
        help_check_memory(&haft__openai_chat_api, body, NULL, cases[i].name);
    }
}

/* The same message as one delta, and with its texts cut into pieces of one character. */
TEST(a_streamed_reply_equals_the_complete_one)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        char lines[2048];
        bool fails = strstr(cases[i].wanted, "transient") != NULL;
        (void)snprintf(lines, sizeof(lines),
                       "{'model':'m','choices':[{'index':0,'delta':{'role':'assistant'%s}}]%s}\n"
                       "{'choices':[{'index':0,'delta':{}%s}]}\n"
                       "{'choices':[{'index':0,'delta':{},'finish_reason':%s}]}\n[DONE]",
                       cases[i].message, cases[i].reply,
                       strstr(cases[i].choice, "},") != NULL ? "" : cases[i].choice,
                       strstr(cases[i].choice, "'finish_reason':'") != NULL ? "null" : "'stop'");
        help_check_answer(&haft__openai_chat_api, help_events(lines), NULL, cases[i].wanted,
                          cases[i].name);
        CHECK(fails == (strncmp(cases[i].wanted, "transient", 9) == 0), "%s", cases[i].name);
    }
}

TEST(a_body_is_read_in_one_call)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__model_outcome answer = {.failed = true};
    haft__provider_stream_options options = {.hash_key = {1, 2}};
    haft_str body = body_of(",'content':'Hi.'", "", "");
    CHECK_INT(haft__openai_read(&options, body, &arena, &answer, NULL), HAFT_OK, "status");
    CHECK(!answer.failed, "the reply is not a failure");
    CHECK_STR(answer.reply.content, HAFT__LIT("Hi."), "content");
    test_fail_allocations_from(0);
    haft_status status = haft__openai_read(&options, body, &arena, &answer, NULL);
    (void)test_allow_allocations();
    CHECK_INT(status, HAFT_NO_MEMORY, "status");
    haft__arena_finish(&arena);
}
