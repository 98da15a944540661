/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/stream_details.c: blocks of reasoning that a gateway
 * wants back. */
#include "base/limits.h"
#include "base/str.h"
#include "model/providers/openai_chat/openai_chat.h"
#include "model/reply_help.h"

#define DELTA(members) "{'model':'m','choices':[{'index':0,'delta':{" members "}}]}\n"
#define BLOCKS(list)   DELTA("'reasoning_details':[" list "]")
#define STOP           "{'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}\n[DONE]"

static const struct {
    const char *name, *lines, *wanted;
} streams[] = {
    {"pieces of a text become one block",
     DELTA("'reasoning':'a','reasoning_details':[{'type':'reasoning.text','text':'a',"
           "'signature':null,'format':'f','index':0}]")
         DELTA("'reasoning':'b','reasoning_details':[{'type':'reasoning.text','text':'b',"
               "'format':'f','index':0}]")
             BLOCKS("{'type':'reasoning.text','text':'','signature':'sig','index':0}") STOP,
     "|ab|stop|0 0 0|m|items [{'type':'reasoning.text','format':'f','index':0,'text':'ab',"
     "'signature':'sig'}]"},
    {"another index is another block",
     BLOCKS("{'type':'reasoning.text','text':'a','index':0}")
         BLOCKS("{'type':'reasoning.text','text':'b','index':1}") STOP,
     "|ab|stop|0 0 0|m|items [{'type':'reasoning.text','index':0,'text':'a'},"
     "{'type':'reasoning.text','index':1,'text':'b'}]"},
    {"another type is another block",
     BLOCKS("{'type':'reasoning.summary','summary':'a','id':'r'}")
         BLOCKS("{'type':'reasoning.summary','summary':'b'}")
             BLOCKS("{'type':'reasoning.encrypted','data':'x','id':'r'}")
                 BLOCKS("{'type':'reasoning.encrypted','data':'y','id':'s'}") STOP,
     "|ab|stop|0 0 0|m|items [{'type':'reasoning.summary','id':'r','summary':'ab'},"
     "{'type':'reasoning.encrypted','data':'x','id':'r'},"
     "{'type':'reasoning.encrypted','data':'y','id':'s'}]"},
    {"without an index, a signature ends a block",
     BLOCKS("{'type':'reasoning.text','text':'a'}") BLOCKS("{'type':'reasoning.text','text':'b'}")
         BLOCKS("{'type':'reasoning.text','signature':'s'}")
             BLOCKS("{'type':'reasoning.text','text':'c','signature':'t'}") STOP,
     "|abc|stop|0 0 0|m|items [{'type':'reasoning.text','text':'ab','signature':'s'},"
     "{'type':'reasoning.text','text':'c','signature':'t'}]"},
    {"without an index, another id is another block",
     BLOCKS("{'type':'reasoning.text','text':'a','id':'1'}")
         BLOCKS("{'type':'reasoning.text','text':'b','id':'1'}")
             BLOCKS("{'type':'reasoning.text','text':'c','id':'2','index':null}") STOP,
     "|abc|stop|0 0 0|m|items [{'type':'reasoning.text','id':'1','text':'ab'},"
     "{'type':'reasoning.text','id':'2','index':null,'text':'c'}]"},
    {"members that come later are kept",
     BLOCKS("{'type':'reasoning.text','text':'a'}")
         BLOCKS("{'type':'reasoning.text','signature':'s','format':'f'}") STOP,
     "|a|stop|0 0 0|m|items [{'type':'reasoning.text','format':'f','text':'a','signature':'s'}]"},
    {"several blocks in one event",
     BLOCKS("{'type':'reasoning.text','text':'a'},{'type':'other','n':1}") STOP,
     "|a|stop|0 0 0|m|items [{'type':'reasoning.text','text':'a'},{'type':'other','n':1}]"},
    {"characters that JSON escapes",
     BLOCKS("{'type':'reasoning.text','text':'a\\n\\'\\u00fc','signature':'\\\\'}") STOP,
     "|a\n'\xC3\xBC|stop|0 0 0|m|items [{'type':'reasoning.text','text':'a\\n\\'\xC3\xBC',"
     "'signature':'\\\\'}]"},
    {"nothing to keep", BLOCKS("") DELTA("'reasoning_details':null,'content':'x'") STOP,
     "x||stop|0 0 0|m"},
    {"values that are no blocks",
     BLOCKS("1,'x',null,[]") DELTA("'reasoning_details':{'type':'reasoning.text'}") STOP,
     "||stop|0 0 0|m"},
    {"a block without a type", BLOCKS("{'text':'a'},{}") STOP,
     "||stop|0 0 0|m|items [{'text':'a'},{}]"},
    {"comments, the name of a provider and a cost",
     "!: OPENROUTER PROCESSING~~\n{'provider':'P','model':'m','choices':[{'index':0,'delta':"
     "{'content':'a'},'native_finish_reason':null}]}\n!: OPENROUTER PROCESSING~~\n"
     "{'provider':'P','choices':[{'index':0,'delta':{'content':''},'finish_reason':'stop'}]}\n"
     "{'choices':[{'index':0,'delta':{'content':''},'finish_reason':null}],'usage':"
     "{'prompt_tokens':4,'completion_tokens':2,'cost':0.1,'cost_details':{}}}\n[DONE]",
     "a||stop|4 2 0|m"},
};

/* help_quotes, with a NUL at the end. */
static const char *quoted(const char *text)
{
    haft_str made = help_quotes(text);
    char *copy = test_alloc(made.len + 1);
    memcpy(copy, made.ptr, made.len);
    copy[made.len] = '\0';
    return copy;
}

TEST(streamed_blocks_are_kept)
{
    const haft__provider_api *api = &haft__openai_chat_api;
    for (size_t i = 0; i < COUNT(streams); i++) {
        help_check_answer(api, help_events(streams[i].lines), NULL, quoted(streams[i].wanted),
                          streams[i].name);
    }
    help_check_memory(api, help_events(streams[0].lines), NULL, streams[0].name);
}

TEST(blocks_of_a_whole_reply_stay_as_they_are)
{
    haft_str body = help_quotes(
        "{'model':'m','choices':[{'index':0,'message':{'role':'assistant','content':'x',"
        "'reasoning':'ab','reasoning_details':[{'type':'reasoning.text','text':'a','signature':"
        "null},{'type':'reasoning.text','text':'b','signature':'s'}]},'finish_reason':'stop'}]}");
    help_check_answer(&haft__openai_chat_api, body, NULL,
                      quoted("x|ab|stop|0 0 0|m|items [{'type':'reasoning.text','text':'a',"
                             "'signature':null},{'type':'reasoning.text','text':'b',"
                             "'signature':'s'}]"),
                      "a whole reply");
}

/* ---- errors inside a 200 ---- */

TEST(an_error_event_of_a_gateway_is_a_failure)
{
    static const struct {
        const char *name, *lines, *wanted;
    } cases[] = {
        {"before output",
         "!: OPENROUTER PROCESSING~~\n{'id':'g','provider':'P','model':'m','error':{'code':502,"
         "'message':'The provider returned an error'},'choices':[{'index':0,'delta':{'content':''},"
         "'finish_reason':'error'}]}",
         "transient 502 the model server reported an error: The provider returned an error (502)"},
        {"a limit", "{'error':{'code':429,'message':'slow down','metadata':{'provider_name':'P'}}}",
         "transient 429 the model server reported an error: slow down (429)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_check_answer(&haft__openai_chat_api, help_events(cases[i].lines), NULL,
                          cases[i].wanted, cases[i].name);
    }
}

TEST(too_many_blocks_are_rejected)
{
    const haft__provider_api *api = &haft__openai_chat_api;
    static const char one[] = BLOCKS("{'type':'reasoning.encrypted'}");
    static const char *const wanted[] = {
        "||stop|0 0 0|m|items [",
        "garbled 0 the model server's reply cannot be used: expected at most 4096 blocks"};
    for (size_t over = 0; over < 2; over++) {
        size_t count = HAFT__LIMIT_REPLY_ITEMS + over, length = sizeof(one) - 1;
        char *lines = test_alloc(count * length + sizeof(STOP));
        for (size_t i = 0; i < count; i++) {
            memcpy(lines + i * length, one, length);
        }
        memcpy(lines + count * length, STOP, sizeof(STOP));
        haft__buf found;
        haft__buf_init(&found, 1 << 24);
        CHECK_INT(help_answer(api, help_events(lines), 0, NULL, &found), HAFT_OK, "%zu", count);
        CHECK(haft__str_starts_with(haft__buf_str(&found), haft__str(wanted[over])), "%zu blocks",
              count);
        haft__buf_finish(&found);
    }
}
