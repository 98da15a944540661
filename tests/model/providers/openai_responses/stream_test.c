/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_responses/stream.c and stream_items.c: streams and whole
 * responses, at every cut. */
#include "model/providers/openai_responses/openai_responses.h"
#include "model/providers/openai_responses/stream.h"
#include "model/reply_help.h"

#include "base/limits.h"

#define START                                                                                      \
    "{'type':'response.created','response':{'model':'m','status':'in_progress','error':null,"      \
    "'output':[]}}\n"
#define MESSAGE_ADDED                                                                              \
    "{'type':'response.output_item.added','output_index':0,'item':{'type':'message','id':'m1',"    \
    "'content':[]}}\n"
#define TEXT(piece)                                                                                \
    "{'type':'response.output_text.delta','item_id':'m1','output_index':0,'content_index':0,"      \
    "'delta':'" piece "','obfuscation':'xx'}\n"
#define MESSAGE      "{'type':'message','id':'m1','content':[{'type':'output_text','text':'Hi'}]}"
#define MESSAGE_DONE "{'type':'response.output_item.done','output_index':0,'item':" MESSAGE "}\n"
#define END          "{'type':'response.completed','response':{'usage':" USAGE "}}"
#define USAGE                                                                                      \
    "{'input_tokens':9,'input_tokens_details':{'cached_tokens':4,'cache_write_tokens':3},"         \
    "'output_tokens':5,'output_tokens_details':{'reasoning_tokens':2}}"
#define REASONING "{'type':'reasoning','id':'r1','summary':[],'encrypted_content':'x=='}"
#define CALL                                                                                       \
    "{'type':'function_call','id':'f1','call_id':'c1','name':'f','arguments':'{\\'a\\':1}'}"
#define CALL_ADDED                                                                                 \
    "{'type':'response.output_item.added','output_index':0,'item':{'type':'function_call','id':"   \
    "'f1','call_id':'c1','name':'f','arguments':''}}\n"
#define ARGUMENTS                                                                                  \
    "{'type':'response.function_call_arguments.delta','item_id':'f1','output_index':0,"            \
    "'delta':'{\\'a\\''}\n"
#define CALL_DONE "{'type':'response.output_item.done','output_index':0,'item':" CALL "}\n"
#define DONE_AT(index, item)                                                                       \
    "{'type':'response.output_item.done','output_index':" index ",'item':" item "}\n"
#define INCOMPLETE(reason)                                                                         \
    "{'type':'response.incomplete','response':{'incomplete_details':{'reason':'" reason "'}}}"
#define CUT  "cut 0 the reply was cut off before its end"
#define NOT  "garbled 0 the model server's reply cannot be used: "
#define GAVE "the model server reported an error: "

typedef struct reply_case {
    const char *name, *text, *wanted;
} reply_case;

static const reply_case streams[] = {
    {"a text", START MESSAGE_ADDED TEXT("H") TEXT("i") MESSAGE_DONE END, "Hi||stop|9 5 4|m"},
    {"a text without deltas", START MESSAGE_ADDED MESSAGE_DONE END, "Hi||stop|9 5 4|m"},
    {"the last part of a text without a delta", START TEXT("H") MESSAGE_DONE END,
     "Hi||stop|9 5 4|m"},
    {"deltas that differ from the text", START TEXT("No") MESSAGE_DONE END, "No||stop|9 5 4|m"},
    {"a delta after its item", START MESSAGE_DONE TEXT("!") END, "Hi||stop|9 5 4|m"},
    {"an item twice", START MESSAGE_DONE MESSAGE_DONE END, "Hi||stop|9 5 4|m"},
    {"all items in the last event",
     START "{'type':'response.completed','response':{'output':[" MESSAGE "," CALL "]}}",
     "Hi||tool_calls|0 0 0|m|c1 f {\"a\":1}"},
    {"missing items in the last event",
     START MESSAGE_ADDED TEXT("H") "{'type':'response.completed','response':{'output':[" MESSAGE
                                   "," CALL "]}}",
     "Hi||tool_calls|0 0 0|m|c1 f {\"a\":1}"},
    {"a last event that repeats all items with other ids",
     START MESSAGE_DONE
     "{'type':'response.completed','response':{'output':[{'type':'message','id':'other',"
     "'content':[{'type':'output_text','text':'Hi'}]}]}}",
     "Hi||stop|0 0 0|m"},
    {"unknown events",
     START "{'type':'response.new.thing','error':{'message':'x'},'output_index':7}\n{'a':1}\n[]\n7"
           "\n!: ping~~!event: ping~data: {}~~\n" MESSAGE_DONE END,
     "Hi||stop|9 5 4|m"},
    {"events that have only names",
     "!event: response.output_item.done~data: {'output_index':0,'item':" MESSAGE "}~~"
     "event: response.completed~data: {'response':{}}~~",
     "Hi||stop|0 0 0|"},
    {"events after the end", START MESSAGE_DONE END "\n{nonsense\n[DONE]", "Hi||stop|9 5 4|m"},
    {"no empty line at the end",
     START MESSAGE_DONE "!data: {'type':'response.completed',"
                        "'response':{}}",
     "Hi||stop|0 0 0|m"},
    {"two messages",
     START MESSAGE_DONE DONE_AT("1", "{'type':'message','id':'m2','content':[{'type':'output_text',"
                                     "'text':'Bye'}]}") END,
     "Hi\n\nBye||stop|9 5 4|m"},
    {"a refusal",
     START "{'type':'response.refusal.delta','output_index':0,'delta':'No.'}\n" DONE_AT(
         "0", "{'type':'message','content':[{'type':'refusal','refusal':'No.'}]}") END,
     "No.||refusal|9 5 4|m"},
    {"a summary in parts",
     START
     "{'type':'response.output_item.added','output_index':0,'item':{'type':'reasoning'}}\n"
     "{'type':'response.reasoning_summary_part.added','output_index':0,'summary_index':0}\n"
     "{'type':'response.reasoning_summary_text.delta','output_index':0,'delta':'On'}\n"
     "{'type':'response.reasoning_summary_text.delta','output_index':0,'delta':'e'}\n"
     "{'type':'response.reasoning_summary_part.added','output_index':0,'summary_index':1}\n"
     "{'type':'response.reasoning_summary_text.delta','output_index':0,'delta':'Two'}\n" DONE_AT(
         "0", "{'type':'reasoning','summary':[{'text':'One'},{'text':'Two'}]}")
         DONE_AT("1", MESSAGE) END,
     "Hi|One\n\nTwo|stop|9 5 4|m"},
    {"a summary without deltas",
     START DONE_AT("0", "{'type':'reasoning','summary':[{'text':'One'},{'text':'Two'}]}")
         DONE_AT("1", MESSAGE) END,
     "Hi|One\n\nTwo|stop|9 5 4|m"},
    /* calls */
    {"a call", START CALL_ADDED ARGUMENTS CALL_DONE END, "||tool_calls|9 5 4|m|c1 f {\"a\":1}"},
    {"a call that comes only as a finished item", START CALL_DONE END,
     "||tool_calls|9 5 4|m|c1 f {\"a\":1}"},
    {"arguments before their call", START ARGUMENTS CALL_ADDED CALL_DONE END,
     "||tool_calls|9 5 4|m|c1 f {\"a\":1}"},
    {"arguments as an object",
     START DONE_AT("0", "{'type':'function_call','call_id':'c','name':'f','arguments':{'a':1.50}}")
         END,
     "||tool_calls|9 5 4|m|c f {\"a\":1.50}"},
    {"calls with the same ids, and one without a name",
     START CALL_DONE DONE_AT("1", CALL) DONE_AT("2", "{'type':'function_call','arguments':''}") END,
     "||tool_calls|9 5 4|m|c1 f {\"a\":1}|c1 f {\"a\":1}|  "},
    {"one index for all items",
     START CALL_ADDED CALL_DONE
     "{'type':'response.output_item.added','output_index':0,'item':{'type':'function_call','id':"
     "'f2'}}\n"
     "{'type':'response.output_item.done','output_index':0,'item':{'type':'function_call','id':'f2'"
     ",'call_id':'c2','name':'g','arguments':'{}'}}\n" END,
     "||tool_calls|9 5 4|m|c1 f {\"a\":1}|c2 g {}"},
    {"items without indexes and ids",
     START
     "{'type':'response.output_item.added','item':{'type':'function_call'}}\n"
     "{'type':'response.function_call_arguments.delta','delta':'{}'}\n"
     "{'type':'response.output_item.done','item':{'type':'function_call','call_id':'c1','name':'f'}"
     "}"
     "\n"
     "{'type':'response.output_item.done','item':{'type':'function_call','call_id':'c2','name':'g',"
     "'arguments':'{}'}}\n" END,
     "||tool_calls|9 5 4|m|c1 f {}|c2 g {}"},
    {"a call without an end", START CALL_ADDED ARGUMENTS END, NOT "a call has no end"},
    {"a call that the limit cut", START CALL_ADDED ARGUMENTS INCOMPLETE("max_output_tokens"),
     "||length|0 0 0|m|c1 f {\"a\""},
    {"an unknown reason for an incomplete reply", START MESSAGE_DONE INCOMPLETE("max_messages"),
     "Hi||length|0 0 0|m"},
    {"a call that the filter cut", START CALL_ADDED ARGUMENTS INCOMPLETE("content_filter"),
     "||refusal|0 0 0|m"},
    /* items that are sent back */
    {"encrypted reasoning", START DONE_AT("0", REASONING) DONE_AT("1", CALL) END,
     "||tool_calls|9 5 4|m|c1 f {\"a\":1}|items [" REASONING "," CALL "]"},
    {"the finished reasoning item counts",
     START "{'type':'response.output_item.added','output_index':0,'item':{'type':'reasoning','id':"
           "'r1','encrypted_content':'part'}}\n" DONE_AT("0", REASONING) DONE_AT("1", MESSAGE) END,
     "Hi||stop|9 5 4|m|items [" REASONING "," MESSAGE "]"},
    {"reasoning that only the server's store has",
     START DONE_AT("0", "{'type':'reasoning','id':'r1','summary':[]}") DONE_AT("1", CALL) END,
     "||tool_calls|9 5 4|m|c1 f {\"a\":1}"},
    {"a phase",
     START DONE_AT("0", "{'type':'message','phase':'final_answer','content':[{'text':'Hi'}]}") END,
     "Hi||stop|9 5 4|m|items "
     "[{'type':'message','phase':'final_answer','content':[{'text':'Hi'}]}]"},
    {"a tool of the server",
     START DONE_AT("0", "{'type':'web_search_call','id':'w'}") DONE_AT("1", MESSAGE) END,
     "Hi||stop|9 5 4|m|items [{'type':'web_search_call','id':'w'}," MESSAGE "]"},
    {"a call of a namespace",
     START DONE_AT("0", "{'type':'function_call','call_id':'c','name':'f','arguments':'{}',"
                        "'namespace':'n'}") END,
     "||tool_calls|9 5 4|m|c f {}|items "
     "[{'type':'function_call','call_id':'c','name':'f','arguments':'{}','namespace':'n'}]"},
    {"reasoning without any output", START DONE_AT("0", REASONING) END, "||stop|9 5 4|m"},
    {"reasoning that the limit cut",
     START DONE_AT("0", REASONING) DONE_AT("1", MESSAGE) INCOMPLETE("max_output_tokens"),
     "Hi||length|0 0 0|m"},
    {"items out of order", START DONE_AT("1", MESSAGE) DONE_AT("0", REASONING) END,
     "Hi||stop|9 5 4|m"},
    /* cut */
    {"cut", START MESSAGE_ADDED TEXT("H"), CUT},
    {"cut in a call", START CALL_ADDED ARGUMENTS, CUT},
    {"cut after all items", START MESSAGE_DONE, CUT},
    {"cut, with [DONE]", START MESSAGE_DONE "[DONE]", CUT},
    {"an end without a response", START MESSAGE_DONE "{'type':'response.completed'}", CUT},
    {"only comments", "!: keep-alive~~", CUT},
    /* errors */
    {"an error event",
     START TEXT("H") "{'type':'error','code':'rate_limit_exceeded','message':'Slow','param':null}",
     "transient 0 " GAVE "Slow (rate_limit_exceeded)"},
    {"an error event with an object",
     "{'type':'error','error':{'type':'server_error','message':'Down'}}",
     "transient 0 " GAVE "Down (server_error)"},
    {"an error without its text", "{'type':'error'}", "other 0 " GAVE "no message"},
    {"a response that failed",
     START "{'type':'response.failed','response':{'status':'failed','error':{'code':'server_error',"
           "'message':'Oh'}}}",
     "transient 0 " GAVE "Oh (server_error)"},
    {"a failure because of a policy",
     "{'type':'response.failed','response':{'error':{'code':'misalignment_policy_violation',"
     "'message':'No'}}}",
     "policy 0 " GAVE "No (misalignment_policy_violation)"},
    {"a failure without an error", START "{'type':'response.failed','response':{'error':null}}",
     "transient 0 the model server aborted the reply (stop reason failed)"},
    {"a cancelled response", START "{'type':'response.cancelled','response':{}}",
     "transient 0 the model server aborted the reply (stop reason cancelled)"},
    {"no JSON", START "{nonsense",
     NOT "expected a key in double quotes or '}', found 'n', at 1:2 (byte 1)"},
};

static const reply_case bodies[] = {
    {"a whole response",
     "{'object':'response','model':'m','status':'completed','error':null,'output':[" REASONING
     "," MESSAGE "," CALL "],'usage':" USAGE "}",
     "Hi||tool_calls|9 5 4|m|c1 f {\"a\":1}|items [" REASONING "," MESSAGE "," CALL "]"},
    {"plain items", "{'status':'completed','output':[" MESSAGE "," CALL "]}",
     "Hi||tool_calls|0 0 0||c1 f {\"a\":1}"},
    {"the limit",
     "{'status':'incomplete','incomplete_details':{'reason':'max_output_tokens'},'output':["
     "{'type':'function_call','call_id':'c','name':'f','arguments':'{'}]}",
     "||length|0 0 0||c f {"},
    {"the filter",
     "{'status':'incomplete','incomplete_details':{'reason':'content_filter'},'output':[]}",
     "||refusal|0 0 0|"},
    {"a refusal", "{'output':[{'type':'message','content':[{'refusal':'No.'}]}]}",
     "No.||refusal|0 0 0|"},
    {"a failure", "{'status':'failed','output':[]}",
     "transient 0 the model server aborted the reply (stop reason failed)"},
    {"a failure with an error",
     "{'status':'failed','error':{'code':'insufficient_quota','message':'Pay'},'output':[]}",
     "quota 0 " GAVE "Pay (insufficient_quota)"},
    {"a response that is not finished", "{'status':'queued','output':[]}",
     "garbled 0 expected a complete reply, found one that is queued"},
    {"items of unknown kinds",
     "{'output':[5,null,{'type':'message','content':7},{'type':'message'}]}", "||stop|0 0 0|"},
    {"content as a string", "{'output':[{'type':'message','content':'Hi'}]}", "Hi||stop|0 0 0|"},
    {"a body that is not a response", "{'status':'completed'}",
     "garbled 0 expected a reply, found {\"status\":\"completed\"}"},
    {"a chat completion", "{'choices':[]}", "garbled 0 expected a reply, found {\"choices\":[]}"},
    {"a reply that was cut", "{'output':[", CUT},
    {"an error", "{'error':{'message':'no','type':'invalid_request_error'}}",
     "other 0 " GAVE "no (invalid_request_error)"},
    {"nothing", "", "cut 0 the model server ended its response before a reply began"},
};

/* `wanted` with the quotes of items as in the text. */
static const char *quoted_items(const char *wanted)
{
    haft_str text = help_quotes(wanted);
    const char *items = strstr(wanted, "|items ");
    char *copy = test_alloc(text.len * 2 + 1);
    size_t length = items != NULL ? (size_t)(items - wanted) : text.len;
    memcpy(copy, wanted, length);
    for (size_t i = length; i < text.len; i++) {
        copy[length++] = text.ptr[i];
    }
    copy[length] = '\0';
    return copy;
}

TEST(streams_are_read)
{
    for (size_t i = 0; i < COUNT(streams); i++) {
        help_check_answer(&haft__openai_responses_api, help_events(streams[i].text), NULL,
                          quoted_items(streams[i].wanted), streams[i].name);
    }
}

TEST(streams_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(streams); i++) {
        help_check_memory(&haft__openai_responses_api, help_events(streams[i].text), NULL,
                          streams[i].name);
    }
}

TEST(whole_responses_are_read)
{
    for (size_t i = 0; i < COUNT(bodies); i++) {
        help_check_answer(&haft__openai_responses_api, help_quotes(bodies[i].text), NULL,
                          quoted_items(bodies[i].wanted), bodies[i].name);
    }
}

TEST(whole_responses_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(bodies); i++) {
        help_check_memory(&haft__openai_responses_api, help_quotes(bodies[i].text), NULL,
                          bodies[i].name);
    }
}

/* ---- single values ---- */

static haft_status read_all(haft_str body, haft__arena *arena, haft__model_outcome *ret_outcome)
{
    haft__responses_stream stream;
    haft__provider_stream_options options = {.hash_key = {1, 2}};
    haft__responses_stream_init(&stream, &options);
    return haft__reply_reader_read(&stream.reader, body, arena, ret_outcome, NULL);
}

TEST(all_counts_of_tokens_are_read)
{
    haft__arena arena;
    haft__model_outcome outcome = {.failed = true};
    haft__arena_init(&arena, 0);
    CHECK_INT(read_all(help_events(START MESSAGE_DONE END), &arena, &outcome), HAFT_OK,
              "read the body");
    haft__token_usage usage = outcome.reply.usage;
    CHECK(usage.input == 9 && usage.cached == 4 && usage.cache_write == 3,
          "counts of input tokens");
    CHECK(usage.output == 5 && usage.reasoning == 2, "counts of output tokens");
    haft_str odd = help_quotes("{'output':[],'usage':{'input_tokens':1,'input_tokens_details':"
                               "{'cached_tokens':2},'output_tokens':3,'output_tokens_details':"
                               "{'reasoning_tokens':4}}}");
    CHECK_INT(read_all(odd, &arena, &outcome), HAFT_OK, "read the body with inconsistent counts");
    usage = outcome.reply.usage;
    CHECK(usage.cached == 1 && usage.reasoning == 3, "a part is not more than the whole");
    haft__arena_finish(&arena);
}

TEST(items_of_a_reply_are_bounded)
{
    for (size_t extra = 0; extra < 2; extra++) {
        haft__arena arena;
        haft__buf body;
        haft__model_outcome outcome = {.failed = true};
        haft__arena_init(&arena, 0);
        haft__buf_init(&body, 1 << 24);
        for (size_t i = 0; i < HAFT__LIMIT_REPLY_ITEMS + extra; i++) {
            haft__buf_addf(&body,
                           "data: {\"type\":\"response.output_item.done\",\"output_index\":%zu,"
                           "\"item\":{\"type\":\"x\"}}\n\n",
                           i);
        }
        haft__buf_addf(&body, "data: {\"type\":\"response.completed\",\"response\":{}}\n\n");
        CHECK_INT(read_all(haft__buf_str(&body), &arena, &outcome), HAFT_OK, "read the body");
        CHECK_INT(outcome.failed, extra == 1, "%zu more than the limit", extra);
        if (extra == 1) {
            CHECK_STR(outcome.failure.message,
                      HAFT__LIT("the model server's reply cannot be used: expected at most 4096 "
                                "items in a reply, found more"),
                      "error past the limit");
        }
        haft__buf_finish(&body);
        haft__arena_finish(&arena);
    }
}
