/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/anthropic/stream.c and stream_block.c: whole replies, event
 * streams, and bodies that are neither. */
#include "model/providers/anthropic/anthropic.h"
#include "model/reply_help.h"

#define START(index, block)                                                                        \
    "{'type':'content_block_start','index':" #index ",'content_block':" block "}\n"
#define DELTA(index, delta) "{'type':'content_block_delta','index':" #index ",'delta':" delta "}\n"
#define STOP(index)         "{'type':'content_block_stop','index':" #index "}\n"
#define BEGIN                                                                                      \
    "{'type':'message_start','message':{'model':'c-1','content':[],'stop_reason':null,"            \
    "'usage':{'input_tokens':5,'cache_read_input_tokens':20,'cache_creation_input_tokens':3,"      \
    "'output_tokens':1}}}\n"
#define END(reason)                                                                                \
    "{'type':'message_delta','delta':{'stop_reason':'" reason "'},'usage':{'output_tokens':9,"     \
    "'output_tokens_details':{'thinking_tokens':4}}}\n{'type':'message_stop'}\n"
#define TEXT_BLOCK "{'type':'text','text':''}"
#define CALL_BLOCK "{'type':'tool_use','id':'t1','name':'f','input':{},'caller':{'type':'direct'}}"
#define SIGNED     "{'type':'thinking','thinking':'','signature':''}"

static const struct {
    const char *name, *body, *wanted;
} cases[] = {
    {"a text", "{'content':[{'type':'text','text':'Hi.'}],'stop_reason':'end_turn'}",
     "Hi.||stop|0 0 0|"},
    {"a plain text", "{'content':'Hi.','stop_reason':'end_turn'}", "Hi.||stop|0 0 0|"},
    {"nothing", "{'type':'message','content':[],'stop_reason':'end_turn'}", "||stop|0 0 0|"},
    {"a call with unchanged numbers",
     "{'model':'c','content':[{'type':'text','text':'a'},"
     "{'type':'tool_use','id':'t1','name':'f','input':{'n':9007199254740993}}],"
     "'stop_reason':'tool_use','usage':{'input_tokens':1,'cache_read_input_tokens':2,"
     "'output_tokens':3}}",
     "a||tool_calls|3 3 2|c|t1 f {\"n\":9007199254740993}"},
    {"signed thinking",
     "{'content':[{'type':'thinking','thinking':'hm','signature':'x'},"
     "{'type':'redacted_thinking','data':'zz'},{'type':'tool_use','id':'t','name':'f','input':{}}],"
     "'stop_reason':'tool_use'}",
     "|hm|tool_calls|0 0 0||t f {}|items "
     "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"x\"},"
     "{\"type\":\"redacted_thinking\",\"data\":\"zz\"},"
     "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}]"},
    {"white space between thinking and a call",
     "{'content':[{'type':'thinking','thinking':'hm','signature':'x'},"
     "{'type':'text','text':'\\n\\n'},{'type':'tool_use','id':'t','name':'f','input':{}}],"
     "'stop_reason':'tool_use'}",
     "\n\n|hm|tool_calls|0 0 0||t f {}|items "
     "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"x\"},"
     "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}]"},
    {"thinking without a signature",
     "{'content':[{'type':'thinking','thinking':'hm'},{'type':'text','text':'a'}],"
     "'stop_reason':'end_turn'}",
     "a|hm|stop|0 0 0|"},
    {"tools that the server runs",
     "{'content':[{'type':'server_tool_use','id':'s','name':'web','input':{'q':1}},"
     "{'type':'web_result','content':[{'x':1.50}]},{'type':'text','text':'a',"
     "'citations':[{'url':'u'}]}],'stop_reason':'end_turn'}",
     "a||stop|0 0 0||items "
     "[{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web\",\"input\":{\"q\":1}},"
     "{\"type\":\"web_result\",\"content\":[{\"x\":1.50}]},"
     "{\"type\":\"text\",\"text\":\"a\",\"citations\":[{\"url\":\"u\"}]}]"},
    {"no input", "{'content':[{'type':'tool_use','id':'t','name':'f'}],'stop_reason':'tool_use'}",
     "||tool_calls|0 0 0||t f "},
    {"a reply at the token limit",
     "{'content':[{'type':'text','text':'a'}],'stop_reason':'max_tokens'}", "a||length|0 0 0|"},
    {"an input that has not arrived before the token limit",
     "{'content':[{'type':'tool_use','id':'t','name':'f','input':{}}],'stop_reason':'max_tokens'}",
     "||length|0 0 0||t f "},
    {"an input that has arrived before it",
     "{'content':[{'type':'tool_use','id':'t','name':'f','input':{'a':1}}],"
     "'stop_reason':'max_tokens'}",
     "||length|0 0 0||t f {\"a\":1}"},
    {"a full context", "{'content':[],'stop_reason':'model_context_window_exceeded'}",
     "||length|0 0 0|"},
    {"a refusal", "{'content':[],'stop_reason':'refusal'}", "||refusal|0 0 0|"},
    {"an unknown stop reason", "{'content':[],'stop_reason':'new'}", "||stop|0 0 0|"},
    {"a stream",
     BEGIN START(0, TEXT_BLOCK) "{'type':'ping'}\n!: a comment~~\n" DELTA(
         0, "{'type':'text_delta','text':'He'}") "{'type':'news'}\n" DELTA(0, "{'type':'text_delta'"
                                                                              ",'text':'y'}")
         STOP(0) START(1, CALL_BLOCK) DELTA(1, "{'type':'input_json_delta','partial_json':''}")
             DELTA(1, "{'type':'input_json_delta','partial_json':'{}'}") STOP(1)
                 END("tool_use") "!rest",
     "Hey||tool_calls|28 9 20|c-1|t1 f {}"},
    {"a stream with thinking",
     BEGIN START(0, SIGNED) DELTA(0, "{'type':'thinking_delta','thinking':'h'}")
         DELTA(0, "{'type':'thinking_delta','thinking':'m'}")
             DELTA(0, "{'type':'signature_delta','signature':'Eq=='}") STOP(0) START(1, CALL_BLOCK)
                 DELTA(1, "{'type':'input_json_delta','partial_json':'{ '}") DELTA(
                     1, "{'type':'input_json_delta','partial_json':'}'}") STOP(1) END("tool_use"),
     "|hm|tool_calls|28 9 20|c-1|t1 f { }|items "
     "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"Eq==\"},"
     "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"caller\":{\"type\":\"direct\"},"
     "\"input\":{ }}]"},
    {"hidden thinking, and no input",
     BEGIN START(0, SIGNED) DELTA(0, "{'type':'signature_delta','signature':'x'}") STOP(0)
         START(1, CALL_BLOCK) STOP(1) END("tool_use"),
     "||tool_calls|28 9 20|c-1|t1 f |items "
     "[{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"x\"},"
     "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"caller\":{\"type\":\"direct\"},"
     "\"input\":{}}]"},
    {"a truncated input is wrapped, and the thinking before it is kept",
     BEGIN START(0, SIGNED) DELTA(0, "{'type':'signature_delta','signature':'x'}") STOP(0)
         START(1, CALL_BLOCK) DELTA(1, "{'type':'input_json_delta','partial_json':'{'}")
             END("max_tokens"),
     "||length|28 9 20|c-1|t1 f {|items "
     "[{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"x\"},"
     "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"caller\":{\"type\":\"direct\"},"
     "\"input\":{\"not_an_object\":\"{\"}}]"},
    {"an input that is no object",
     "{'content':[{'type':'thinking','thinking':'hm','signature':'x'},"
     "{'type':'tool_use','id':'t','name':'f','input':[1]}],'stop_reason':'tool_use'}",
     "|hm|tool_calls|0 0 0||t f [1]|items "
     "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"x\"},"
     "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"not_an_object\":\"[1]\"}}]"},
    {"a call of the server that the token limit cut is not kept",
     "{'content':[{'type':'thinking','thinking':'hm','signature':'x'},{'type':'text','text':'a'},"
     "{'type':'server_tool_use','id':'s','name':'web','input':{'q':1}}],"
     "'stop_reason':'max_tokens'}",
     "a|hm|length|0 0 0||items "
     "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"x\"},"
     "{\"type\":\"text\",\"text\":\"a\"}]"},
    {"only a call of the server that was cut",
     "{'content':[{'type':'server_tool_use','id':'s','name':'web','input':{'q':1}}],"
     "'stop_reason':'max_tokens'}",
     "||length|0 0 0|"},
    {"a pause keeps it",
     "{'content':[{'type':'server_tool_use','id':'s','name':'web','input':{'q':1}}],"
     "'stop_reason':'pause_turn'}",
     "||pause|0 0 0||items "
     "[{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web\",\"input\":{\"q\":1}}]"},
    {"blocks without their end",
     BEGIN START(0, TEXT_BLOCK) DELTA(0, "{'type':'text_delta','text':'a'}") START(1, CALL_BLOCK)
         END("tool_use"),
     "a||tool_calls|28 9 20|c-1|t1 f "},
    {"a truncated stream",
     BEGIN START(0, CALL_BLOCK) DELTA(0, "{'type':'input_json_delta','partial_json':'{'}"),
     "cut 0 the reply was cut off before its end"},
    {"an end without a reason", BEGIN "{'type':'message_stop'}\n",
     "cut 0 the reply was cut off before its end"},
    {"no message_stop", BEGIN "{'type':'message_delta','delta':{'stop_reason':'end_turn'}}\n",
     "||stop|28 1 20|c-1"},
    {"a delta without a block", BEGIN DELTA(0, "{'type':'text_delta','text':'a'}"),
     "garbled 0 the model server's reply cannot be used: a part of a block that is not open"},
    {"a delta of another block",
     BEGIN START(0, TEXT_BLOCK) DELTA(3, "{'type':'text_delta','text':'a'}"),
     "garbled 0 the model server's reply cannot be used: a part of a block that is not open"},
    {"an error after a delta",
     BEGIN "{'type':'error','error':{'type':'overloaded_error','message':'Busy'}}\n",
     "transient 0 the model server reported an error: Busy (overloaded_error)"},
    {"an error with a code",
     "{'type':'error','error':{'type':'rate_limit_error','message':'No','details':{"
     "'error_code':'enforced_spend_limit_reached'}}}",
     "quota 0 the model server reported an error: No (rate_limit_error, "
     "enforced_spend_limit_reached)"},
    {"a body that is not a reply", "{'object':'list'}",
     "garbled 0 expected a reply, found {\"object\":\"list\"}"},
    {"half a reply", "{'content':[{'type':'text',", "cut 0 the reply was cut off before its end"},
};

static haft_str body_of(size_t i)
{
    return strchr(cases[i].body, '\n') == NULL ? help_quotes(cases[i].body)
                                               : help_events(cases[i].body);
}

TEST(replies_of_anthropic_are_read_at_every_cut)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_check_answer(&haft__anthropic_api, body_of(i), NULL, cases[i].wanted, cases[i].name);
    }
}

TEST(replies_of_anthropic_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_check_memory(&haft__anthropic_api, body_of(i), NULL, cases[i].name);
    }
}
