/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/stream_content.c: thinking in the content, which the
 * server wants back. */
#include "base/str.h"
#include "model/providers/openai_chat/openai_chat.h"
#include "model/reply_help.h"

#define DELTA(content) "{'model':'m','choices':[{'index':0,'delta':{'content':" content "}}]}\n"
#define THINK(list)    DELTA("[{'type':'thinking','thinking':[" list "]}]")
#define TEXT(text)     "{'type':'text','text':'" text "'}"
#define CLOSED(seal)                                                                               \
    DELTA("[{'type':'thinking','thinking':[],'signature':'" seal "','closed':true}]")
#define STOP        "{'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}\n[DONE]"
#define ITEMS(list) "|items [{'content':[" list "]}]"

static const struct {
    const char *name, *lines, *wanted;
} streams[] = {
    {"pieces of signed thinking become one part",
     THINK(TEXT("a")) THINK(TEXT("b")) CLOSED("s") DELTA("'x'") DELTA("'y'") STOP,
     "xy|ab|stop|0 0 0|m" ITEMS("{'type':'thinking','thinking':[" TEXT(
         "ab") "],'signature':'s','closed':true}," TEXT("xy"))},
    {"thinking without a signature", THINK(TEXT("a")) DELTA("[" TEXT("x") "]") STOP,
     "x|a|stop|0 0 0|m" ITEMS("{'type':'thinking','thinking':[" TEXT("a") "]}," TEXT("x"))},
    {"a closed part ends", THINK(TEXT("a")) CLOSED("s") THINK(TEXT("b")) CLOSED("t") STOP,
     "|ab|stop|0 0 0|m" ITEMS("{'type':'thinking','thinking':[" TEXT(
         "a") "],'signature':'s','closed':true},"
              "{'type':'thinking','thinking':[" TEXT("b") "],'signature':'t','closed':true}")},
    {"text before thinking is a part, too", DELTA("'x'") THINK(TEXT("a")) DELTA("'y'") STOP,
     "xy|a|stop|0 0 0|m" ITEMS(
         TEXT("x") ",{'type':'thinking','thinking':[" TEXT("a") "]}," TEXT("y"))},
    {"chunks that are not text stay",
     THINK(TEXT("a") ",{'type':'reference','reference_ids':[1.0]}") THINK(TEXT("b")) STOP,
     "|ab|stop|0 0 0|m" ITEMS("{'type':'thinking','thinking':[" TEXT(
         "a") ",{'type':'reference','reference_ids':[1.0]}," TEXT("b") "]}")},
    {"thinking as a text", DELTA("[{'type':'thinking','thinking':'a'}]") STOP,
     "|a|stop|0 0 0|m" ITEMS("{'type':'thinking','thinking':[" TEXT("a") "]}")},
    {"values that are no thinking",
     DELTA("[{'type':'thinking','thinking':null},{'type':'thinking','thinking':7}]") STOP,
     "||stop|0 0 0|m" ITEMS("{'type':'thinking','thinking':[]}")},
    {"text alone has no item", DELTA("[" TEXT("x") "]") DELTA("'y'") STOP, "xy||stop|0 0 0|m"},
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

TEST(streamed_thinking_in_the_content_is_kept)
{
    const haft__provider_api *api = &haft__openai_chat_api;
    for (size_t i = 0; i < COUNT(streams); i++) {
        help_check_answer(api, help_events(streams[i].lines), NULL, quoted(streams[i].wanted),
                          streams[i].name);
    }
    help_check_memory(api, help_events(streams[0].lines), NULL, streams[0].name);
}

TEST(parts_of_a_whole_reply_stay_as_they_are)
{
    haft_str body = help_quotes(
        "{'model':'m','choices':[{'index':0,'message':{'role':'assistant','content':"
        "[{'signature':'s','type':'thinking','thinking':[{'text':'a','type':'text'}],'n':1.0},"
        "{'type':'text','text':'x'}]},'finish_reason':'stop'}]}");
    help_check_answer(
        &haft__openai_chat_api, body, NULL,
        quoted("x|a|stop|0 0 0|m|items [{'content':[{'signature':'s','type':'thinking','thinking':"
               "[{'text':'a','type':'text'}],'n':1.0},{'type':'text','text':'x'}]}]"),
        "a whole reply");
}
