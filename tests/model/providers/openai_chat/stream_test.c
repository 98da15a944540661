/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/stream.c: streams that succeed, fail, or are not
 * streams. */
#include "model/providers/openai_chat/openai_chat.h"
#include "model/providers/openai_chat/stream.h"
#include "model/reply_help.h"

#include "base/limits.h"

#define HI   "{'model':'m','choices':[{'index':0,'delta':{'role':'assistant','content':'Hi'}}]}\n"
#define STOP "{'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}\n"
#define COST "{'choices':[],'usage':{'prompt_tokens':9,'completion_tokens':5}}\n"
#define CUT  "cut 0 the reply was cut off before its end"
#define NOT  "garbled 0 the model server's reply cannot be used: "
#define GAVE "the model server reported an error: "

static const struct {
    const char *name, *lines, *wanted;
} streams[] = {
    {"a complete stream", HI STOP COST "[DONE]", "Hi||stop|9 5 0|m"},
    {"no usage", HI STOP "[DONE]", "Hi||stop|0 0 0|m"},
    {"no [DONE]", HI STOP COST, "Hi||stop|9 5 0|m"},
    {"no [DONE] and no usage", HI STOP, "Hi||stop|0 0 0|m"},
    {"usage with the end",
     HI "{'choices':[{'delta':{},'finish_reason':'stop'}],'usage':{"
        "'prompt_tokens':1,'completion_tokens':2}}",
     "Hi||stop|1 2 0|m"},
    {"usage that grows",
     "{'choices':[],'usage':{'prompt_tokens':9,'completion_tokens':1}}\n" HI STOP COST,
     "Hi||stop|9 5 0|m"},
    {"a finish_reason with the text",
     "{'choices':[{'index':0,'delta':{'content':'Hi'},'finish_reason':'length'}]}\n[DONE]",
     "Hi||length|0 0 0|"},
    {"a message instead of a delta",
     "{'choices':[{'index':0,'message':{'content':'Hi'},'finish_reason':'stop'}]}",
     "Hi||stop|0 0 0|"},
    {"chunks without choices",
     "{'object':'ping'}\n{'choices':[],'prompt_filter_results':[]}\n"
     "{'choices':null}\n" HI STOP,
     "Hi||stop|0 0 0|m"},
    {"other choices",
     "{'choices':[{'index':1,'delta':{'content':'no'},'finish_reason':'length'}]}\n" HI
     "{'choices':[{'index':2,'delta':{'content':'no'}},{'index':0,'delta':{"
     "'content':'!'}}]}\n" STOP,
     "Hi!||stop|0 0 0|m"},
    {"keep-alive comments", "!: keep-alive~!^~^~\n!data:^~^~\n" HI "! ~: x~~\n" STOP,
     "Hi||stop|0 0 0|m"},
    {"names of events",
     "!event: message~data: {'choices':[{'delta':{'content':'Hi'},"
     "'finish_reason':'stop'}]}~~",
     "Hi||stop|0 0 0|"},
    {"data over several lines",
     "!data: {'choices':[~data:  {'delta':{'content':'Hi'},~data: "
     "'finish_reason':'stop'}]}~~",
     "Hi||stop|0 0 0|"},
    {"what comes after [DONE]", HI STOP "[DONE]\n{nonsense\n" HI, "Hi||stop|0 0 0|m"},
    {"[DONE] with space around", HI STOP "  [DONE]  ", "Hi||stop|0 0 0|m"},
    {"text after the finish_reason", HI STOP "{'choices':[{'delta':{'content':'!'}}]}",
     "Hi!||stop|0 0 0|m"},
    /* cut */
    {"cut", HI, CUT},
    {"cut in a call",
     "{'choices':[{'delta':{'tool_calls':[{'index':0,'id':'i','function':{'name':"
     "'f','arguments':'{'}}]}}]}",
     CUT},
    {"[DONE] but no finish_reason", HI "[DONE]", CUT},
    {"[DONE] alone", "[DONE]", CUT},
    {"usage but no finish_reason", HI COST, CUT},
    {"only comments", "!: keep-alive~~", CUT},
    {"cut in an event", HI "!data: {'choices':[{'index':0,'delta':{},'finish_rea", CUT},
    {"cut in the first field", "!dat", CUT},
    {"cut after the first field", "!data:", CUT},
    /* The last event lacks its empty line, but is whole. */
    {"no empty line", HI "!data: {'choices':[{'delta':{},'finish_reason':'stop'}]}~",
     "Hi||stop|0 0 0|m"},
    {"no line end", HI "!data: {'choices':[{'delta':{},'finish_reason':'stop'}]}",
     "Hi||stop|0 0 0|m"},
    {"cut after the finish_reason", HI STOP "!data: {'choices':[],'usage':{'prompt_tok",
     "Hi||stop|0 0 0|m"},
    {"cut in [DONE]", HI STOP "!data: [DO", "Hi||stop|0 0 0|m"},
    /* errors in a 200 */
    {"an error", HI "{'error':{'message':'Overloaded','type':'server_error','code':null}}\n[DONE]",
     "transient 0 " GAVE "Overloaded (server_error)"},
    {"an error before anything", "{'error':{'message':'Slow down','code':429}}",
     "transient 429 " GAVE "Slow down (429)"},
    {"an error as a text", HI "{'error':'out of memory'}", "other 0 " GAVE "out of memory"},
    {"an error by name",
     "!event: error~data: {'message':'bad key','type':'authentication_error'}~~",
     "auth 0 " GAVE "bad key (authentication_error)"},
    {"an error without a message", "{'error':{}}", "other 0 " GAVE "no message"},
    {"an error after the end", HI STOP "[DONE]\n{'error':'late'}", "Hi||stop|0 0 0|m"},
    /* nonsense */
    {"no JSON", HI "{nonsense}",
     NOT "expected a key in double quotes or '}', found 'n', at 1:2 (byte "
         "1)"},
    {"a value that is not an object", HI "7\n[]\nnull\n'x'\n" STOP, "Hi||stop|0 0 0|m"},
};

TEST(streams_are_read_at_every_cut)
{
    for (size_t i = 0; i < COUNT(streams); i++) {
        help_check_answer(&haft__openai_chat_api, help_events(streams[i].lines), NULL,
                          streams[i].wanted, streams[i].name);
    }
}

TEST(streams_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(streams); i++) {
        help_check_memory(&haft__openai_chat_api, help_events(streams[i].lines), NULL,
                          streams[i].name);
    }
}

/* A stream truncated anywhere is reported as cut or is the whole reply. */
TEST(a_stream_cut_anywhere_is_cut_or_whole)
{
    static const char lines[] =
        HI "{'choices':[{'delta':{'tool_calls':[{'index':0,'id':'i','function':{'name':'f',"
           "'arguments':'{}'}}]}}]}\n"
           "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}\n" COST "[DONE]";
    haft_str body = help_events(lines);
    unsigned whole = 0;
    for (size_t length = 1; length <= body.len; length++) {
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        CHECK_INT(
            help_answer(&haft__openai_chat_api, (haft_str){body.ptr, length}, 0, NULL, &found),
            HAFT_OK, "%zu", length);
        haft_str text = haft__buf_str(&found);
        bool is_whole = haft__str_equal(text, HAFT__LIT("Hi||tool_calls|9 5 0|m|i f {}"))
                        || haft__str_equal(text, HAFT__LIT("Hi||tool_calls|0 0 0|m|i f {}"));
        CHECK(is_whole || haft__str_equal(text, HAFT__LIT(CUT)), "%zu: %.*s", length,
              HAFT__ARG(text));
        whole += is_whole;
        haft__buf_finish(&found);
    }
    CHECK(whole > 50 && whole < body.len / 2, "%u of %zu are whole", whole, body.len);
}

/* ---- bodies that are not event streams ---- */

static const struct {
    const char *name, *body, *wanted;
} bodies[] = {
    {"nothing", "", "cut 0 the model server ended its response before a reply began"},
    {"white space", " \r\n\t\xEF\xBB\xBF\n",
     "cut 0 the model server ended its response before a reply began"},
    {"a whole reply", "{'model':'m','choices':[{'message':{'content':'Hi'}}]}", "Hi||stop|0 0 0|m"},
    {"a whole reply after white space",
     "\n\n\xEF\xBB\xBF {'choices':[{'message':{'content':'Hi'}}]}\n\n", "Hi||stop|0 0 0|"},
    {"a reply that was cut", "{'choices':[{'message':{'content':'H", CUT},
    {"a reply that was cut at its start", "{", CUT},
    {"a broken reply", "{'choices':[}",
     NOT "expected a value or ']', found '}', at 1:13 (byte 12)"},
    {"two replies", "{'choices':[{'message':{'content':'Hi'}}]}\n{}",
     NOT "expected nothing after the value, found '{', at 2:1 (byte 43)"},
    {"no choices", "{'object':'list','data':[]}",
     "garbled 0 expected a reply, found {\"object\":\"list\",\"data\":[]}"},
    {"choices without a message", "{'choices':[{}]}",
     "garbled 0 expected a reply, found {\"choices\":[{}]}"},
    {"an empty list", "[]", "garbled 0 expected a reply, found []"},
    {"an error", "{'error':{'message':'no','type':'insufficient_quota'}}",
     "quota 0 " GAVE "no (insufficient_quota)"},
    {"an error in a list", "[{'error':{'message':'no','code':401}}]", "auth 401 " GAVE "no (401)"},
    {"HTML",
     "<!DOCTYPE html><html><head><title>Sign in</title><style>p {color: red}</style></head>"
     "<body>\n<p>Please &amp; thank you</p></body></html>",
     "garbled 0 expected a reply, found HTML: Sign in Please & thank you"
     "; is base_url right? It usually ends in /v1"},
    {"HTML without text", "<html><script>x</script></html>",
     "garbled 0 expected a reply, found HTML: nothing to read"
     "; is base_url right? It usually ends in /v1"},
    {"plain text", "Internal Server\nError",
     "garbled 0 expected a reply, found Internal Server "
     "Error"},
    {"a number", "7", "garbled 0 expected a reply, found 7"},
    {"bytes", "\x01\xFF\xC3", "garbled 0 expected a reply, found ??"},
};

TEST(bodies_that_are_not_streams_are_read)
{
    for (size_t i = 0; i < COUNT(bodies); i++) {
        help_check_answer(&haft__openai_chat_api, help_quotes(bodies[i].body), NULL,
                          bodies[i].wanted, bodies[i].name);
    }
}

TEST(bodies_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(bodies); i++) {
        help_check_memory(&haft__openai_chat_api, help_quotes(bodies[i].body), NULL,
                          bodies[i].name);
    }
}

/* ---- limits ---- */

/* Reads `before`, `length` times 'x' and `after`; compares the first bytes of the outcome. */
static void check_long(const char *before, size_t length, const char *after, size_t size,
                       const char *wanted)
{
    size_t head = strlen(before), tail = strlen(after);
    char *text = test_alloc(head + length + tail);
    memcpy(text, before, head);
    memset(text + head, 'x', length);
    memcpy(text + head + length, after, tail);
    haft__buf found;
    haft__buf_init(&found, 1 << 20);
    CHECK_INT(help_answer(&haft__openai_chat_api, (haft_str){text, head + length + tail}, size,
                          NULL, &found),
              HAFT_OK, "%s", before);
    haft_str start = {found.ptr, found.len < strlen(wanted) ? found.len : strlen(wanted)};
    CHECK_STR(start, haft__str(wanted), "%zu bytes after %s", length, before);
    haft__buf_finish(&found);
}

TEST(an_event_of_a_stream_is_bounded)
{
    static const char before[] = "data: {\"choices\":[{\"delta\":{\"content\":\"";
    static const char after[] = "\"},\"finish_reason\":\"stop\"}]}\n\n";
    size_t room = HAFT__LIMIT_MODEL_EVENT_BYTES - (strlen(before) - 6) - (strlen(after) - 2);
    check_long(before, room, after, 65536, "xxx");
    check_long(before, room + 1, after, 65536,
               NOT "expected at most 8388608 bytes in an event, found more");
}

TEST(a_whole_reply_is_bounded)
{
    static const char before[] = "{\"choices\":[{\"message\":{\"content\":\"", after[] = "\"}}]}";
    size_t room = HAFT__LIMIT_REPLY_BYTES - strlen(before) - strlen(after);
    check_long(before, room, after, 1 << 20, "xxx");
    check_long(before, room + 1, after, 1 << 20, NOT "the text is longer than 33554432 bytes");
}

/* Only the beginning of an HTML page is read. */
TEST(an_html_page_is_bounded)
{
    check_long("<p>a</p><!--", HAFT__LIMIT_MODEL_ERROR_BYTES * 3, "--><p>b</p>", 1000,
               "garbled 0 expected a reply, found HTML: a");
    char wanted[1024];
    (void)snprintf(wanted, sizeof(wanted), "garbled 0 expected a reply, found %.*s...",
                   HAFT__LIMIT_MODEL_ERROR_CHARS - 1,
                   (const char *)memset(test_alloc(600), 'x', 600));
    check_long("", 2000, "", 100, wanted);
}

/* The reader rejects deep values. */
TEST(a_deep_event_is_refused)
{
    char text[1024] = "data: ";
    memset(text + 6, '[', 300);
    memset(text + 306, ']', 300);
    memcpy(text + 606, "\n\n", 2);
    haft__buf found;
    haft__buf_init(&found, 1 << 16);
    CHECK_INT(help_answer(&haft__openai_chat_api, (haft_str){text, 608}, 0, NULL, &found), HAFT_OK,
              "status");
    CHECK(strncmp(found.ptr, NOT "expected at most 256 levels", 75) == 0, "%.*s",
          HAFT__ARG(haft__buf_str(&found)));
    haft__buf_finish(&found);
}

/* ---- deltas ---- */

static void write_delta(void *context, const haft__delta *delta)
{
    static const char *const kinds[] = {"text", "think", "call", "args", "end", "usage", "stop"};
    haft__buf_addf(context, "%s %u %.*s %.*s\n", kinds[delta->kind], delta->index,
                   HAFT__ARG(delta->id), HAFT__ARG(delta->text));
}

TEST(deltas_are_emitted_as_they_arrive)
{
    haft_str body = help_events(
        HI "{'choices':[{'delta':{'reasoning':'hm','tool_calls':[{'index':0,'id':'i','function':{"
           "'name':'f','arguments':'{'}}]}}]}\n"
           "{'choices':[{'delta':{'tool_calls':[{'index':0,'function':{'arguments':'}'}}]}}]}\n"
           "{'choices':[{'delta':{'content':'','tool_calls':[]}}]}\n" STOP COST "[DONE]");
    haft__buf found;
    haft__buf_init(&found, 1 << 16);
    haft__provider_stream_options options = {.emit = write_delta, .context = &found};
    haft__openai_stream stream;
    haft__model_outcome answer;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__openai_stream_init(&stream, &options);
    CHECK(!stream.reader.over, "the stream is not over");
    CHECK_INT(haft__reply_reader_feed(&stream.reader, body, NULL), HAFT_OK, "feed the body");
    CHECK(stream.reader.over, "the stream is over");
    CHECK_STR(haft__buf_str(&found),
              HAFT__LIT("text 0  Hi\nthink 0  hm\ncall 0 i f\nargs 0  {\nargs 0  }\nusage 0  \n"),
              "deltas before the end");
    CHECK_INT(haft__reply_reader_end(&stream.reader, &arena, &answer, NULL), HAFT_OK,
              "end the stream");
    CHECK_STR(haft__buf_str(&found),
              HAFT__LIT("text 0  Hi\nthink 0  hm\ncall 0 i f\nargs 0  {\nargs 0  }\nusage 0  \n"
                        "end 0  \nstop 0  \n"),
              "deltas with the end");
    haft__reply_reader_finish(&stream.reader);
    haft__arena_finish(&arena);
    haft__buf_finish(&found);
}
