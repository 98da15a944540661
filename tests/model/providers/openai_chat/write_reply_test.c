/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/write_reply.c. In the texts below a single quote stands
 * for a double one. */
#include "model/providers/openai_chat/write_reply.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "test.h"
#include "json/read.h"

static haft_str quoted(const char *text)
{
    size_t length = strlen(text);
    char *copy = test_alloc(length + 1);
    for (size_t i = 0; i <= length; i++) {
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    return (haft_str){copy, length};
}

static const haft__chat_reply_header head = {
    .id = HAFT__LIT("chatcmpl-1"), .model = HAFT__LIT("m"), .created = 1700000000};
static const haft__chat_reply_header head_usage = {.id = HAFT__LIT("chatcmpl-1"),
                                                   .model = HAFT__LIT("m"),
                                                   .created = 1700000000,
                                                   .include_usage = true};
static const haft__message_call calls[] = {
    {HAFT__LIT("call_1"), HAFT__LIT("look"), .arguments = HAFT__LIT("{\"q\":\"x\"}")},
    {HAFT__LIT("call_2"), HAFT__LIT("docs_-_find"), .arguments = HAFT__LIT("")},
};
static const haft__reply text_reply = {.content = HAFT__LIT("Hello."),
                                       .usage = {.input = 9, .output = 5, .cached = 4},
                                       .stop = HAFT__STOP_END};
static const haft__reply call_reply = {
    .reasoning = HAFT__LIT("hm"), .calls = calls, .call_count = 2, .stop = HAFT__STOP_CALLS};

#define START "{'id':'chatcmpl-1','object':'chat.completion','created':1700000000,'model':'m',"
#define USAGE(in, out, all, cached)                                                                \
    "'usage':{'prompt_tokens':" in ",'completion_tokens':" out ",'total_tokens':" all              \
    ",'prompt_tokens_details':{'cached_tokens':" cached                                            \
    ",'audio_tokens':0},'completion_tokens_details':{'reasoning_tokens':0,'audio_tokens':0,"       \
    "'accepted_prediction_tokens':0,'rejected_prediction_tokens':0}}"
#define TAIL "'service_tier':'default','system_fingerprint':null"
static const struct {
    const char *name;
    haft__reply reply;
    const char *message, *finish;
} wholes[] = {
    {"text",
     {.content = HAFT__LIT("Hello."), .stop = HAFT__STOP_END},
     "'content':'Hello.','refusal':null,'annotations':[]",
     "'stop'"},
    {"nothing", {.stop = HAFT__STOP_END}, "'content':'','refusal':null,'annotations':[]", "'stop'"},
    {"cut by the limit",
     {.content = HAFT__LIT("He"), .stop = HAFT__STOP_LENGTH},
     "'content':'He','refusal':null,'annotations':[]",
     "'length'"},
    {"a refusal",
     {.content = HAFT__LIT("No."), .stop = HAFT__STOP_REFUSAL},
     "'content':null,'refusal':'No.','annotations':[]",
     "'stop'"},
    {"stopped by a content filter",
     {.stop = HAFT__STOP_REFUSAL},
     "'content':'','refusal':null,'annotations':[]",
     "'content_filter'"},
    {"calls",
     {.reasoning = HAFT__LIT("hm"), .calls = calls, .call_count = 2, .stop = HAFT__STOP_CALLS},
     "'content':null,'refusal':null,'annotations':[],'reasoning_content':'hm','tool_calls':["
     "{'id':'call_1','type':'function','function':{'name':'look','arguments':"
     "'{\\'q\\':\\'x\\'}'}},{'id':'call_2','type':'function','function':{'name':'docs_-_find',"
     "'arguments':''}}]",
     "'tool_calls'"},
    {"text and a call",
     {.content = HAFT__LIT("So:"), .calls = calls, .call_count = 1, .stop = HAFT__STOP_CALLS},
     "'content':'So:','refusal':null,'annotations':[],'tool_calls':[{'id':'call_1','type':"
     "'function','function':{'name':'look','arguments':'{\\'q\\':\\'x\\'}'}}]",
     "'tool_calls'"},
};

TEST(whole_replies_have_the_expected_bytes)
{
    for (size_t i = 0; i < COUNT(wholes); i++) {
        haft__buf found, wanted;
        haft__buf_init(&found, 1 << 20);
        haft__buf_init(&wanted, 1 << 20);
        haft__chat_write_reply(&found, &head, &wholes[i].reply);
        haft__buf_addf(&wanted,
                       START "'choices':[{'index':0,'message':{'role':'assistant',%s},'logprobs':"
                             "null,'finish_reason':%s}]," USAGE("0", "0", "0", "0") "," TAIL "}%c",
                       wholes[i].message, wholes[i].finish, '\0');
        CHECK_STR(haft__buf_str(&found), quoted(wanted.ptr), "%s", wholes[i].name);
        haft__buf_finish(&found);
        haft__buf_finish(&wanted);
    }
}

TEST(usage_is_reported)
{
    haft__buf found;
    haft__buf_init(&found, 1 << 20);
    haft__chat_write_reply(&found, &head, &text_reply);
    haft__buf_add_char(&found, '\0');
    CHECK(strstr(found.ptr, quoted(USAGE("9", "5", "14", "4")).ptr) != NULL, "%s", found.ptr);
    haft__buf_clear(&found);
    haft__reply max = {.usage = {UINT64_MAX, 0, UINT64_MAX}};
    haft__chat_write_reply(&found, &head, &max);
    haft__buf_add_char(&found, '\0');
    CHECK(strstr(found.ptr, "\"prompt_tokens\":9223372036854775807,") != NULL, "%s", found.ptr);
    haft__buf_finish(&found);
}

static void add_event(haft__buf *buf, const char *choices, const char *usage)
{
    haft__buf_addf(buf,
                   "data: {'id':'chatcmpl-1','object':'chat.completion.chunk','created':1700000000,"
                   "'model':'m'," TAIL ",'choices':[%s]%s}\n\n",
                   choices, usage);
}

static void add_delta(haft__buf *buf, const char *inside, const char *finish, bool usage)
{
    char choice[512];
    (void)snprintf(choice, sizeof(choice),
                   "{'index':0,'delta':{%s},'logprobs':null,'finish_reason':%s}", inside, finish);
    add_event(buf, choice, usage ? ",'usage':null" : "");
}

static const struct {
    const haft__reply *reply;
    const char *deltas[6]; /* after the role's; NULL ends them */
    const char *content, *finish;
} streams[] = {
    {&text_reply, {"'content':'Hello.'"}, "''", "'stop'"},
    {&call_reply,
     {"'reasoning_content':'hm'",
      "'tool_calls':[{'index':0,'id':'call_1','type':'function','function':{'name':'look',"
      "'arguments':''}}]",
      "'tool_calls':[{'index':0,'function':{'arguments':'{\\'q\\':\\'x\\'}'}}]",
      "'tool_calls':[{'index':1,'id':'call_2','type':'function','function':"
      "{'name':'docs_-_find','arguments':''}}]"},
     "null",
     "'tool_calls'"},
    {&wholes[3].reply, {"'refusal':'No.'"}, "''", "'stop'"},
    {&wholes[4].reply, {NULL}, "''", "'content_filter'"},
};

TEST(streams_have_the_expected_bytes)
{
    for (size_t i = 0; i < 2 * COUNT(streams); i++) {
        size_t row = i / 2;
        bool usage = i % 2 == 1;
        char role[128];
        haft__buf found, wanted;
        haft__buf_init(&found, 1 << 20);
        haft__buf_init(&wanted, 1 << 20);
        (void)snprintf(role, sizeof(role), "'role':'assistant','content':%s,'refusal':null",
                       streams[row].content);
        add_delta(&wanted, role, "null", usage);
        for (size_t n = 0; streams[row].deltas[n] != NULL; n++) {
            add_delta(&wanted, streams[row].deltas[n], "null", usage);
        }
        add_delta(&wanted, "", streams[row].finish, usage);
        if (usage) {
            add_event(&wanted, "",
                      row == 0 ? "," USAGE("9", "5", "14", "4") : "," USAGE("0", "0", "0", "0"));
        }
        haft__buf_addf(&wanted, "data: [DONE]\n\n%c", '\0');
        haft__chat_write_stream(&found, usage ? &head_usage : &head, streams[row].reply);
        CHECK_STR(haft__buf_str(&found), quoted(wanted.ptr), "stream %zu", i);
        haft__buf_finish(&found);
        haft__buf_finish(&wanted);
    }
}

TEST(the_end_of_a_call_writes_no_event)
{
    haft__buf found;
    haft__buf_init(&found, 1 << 20);
    haft__chat_write_chunk(&found, &head, &(haft__delta){.kind = HAFT__DELTA_CALL_END});
    haft__chat_write_chunk(&found, &head, &(haft__delta){.kind = HAFT__DELTA_USAGE});
    CHECK_INT(found.len, 0, "bytes that were written");
    haft__buf_finish(&found);
}

/* ---- pieces ---- */

/* Joins the content of a stream; returns the number of pieces. */
static size_t gather(haft_str stream, haft__buf *content)
{
    size_t pieces = 0;
    while (stream.len > 0) {
        haft_str line = haft__str_split(&stream, '\n');
        stream = haft__str_skip(stream, 1);
        haft__arena arena;
        haft__json value;
        haft__arena_init(&arena, 0);
        if (haft__json_read(&arena, haft__str_skip(line, 6), NULL, &value, NULL, NULL) == HAFT_OK) {
            haft__json choices = *haft__json_get(value, HAFT__LIT("choices"));
            haft__json delta = *haft__json_get(choices.items[0], HAFT__LIT("delta"));
            const haft__json *text = haft__json_get(delta, HAFT__LIT("content"));
            if (text != NULL && text->count > 0) {
                CHECK(haft__utf8_valid(haft__json_text(*text)),
                      "a piece ends in the middle of a character");
                haft__buf_add_str(content, haft__json_text(*text));
                pieces++;
            }
        }
        haft__arena_finish(&arena);
    }
    return pieces;
}

static void check_pieces(haft_str text, size_t min, size_t max)
{
    haft__buf stream, content;
    haft__buf_init(&stream, 16U << 20);
    haft__buf_init(&content, 16U << 20);
    haft__reply reply = {.content = text};
    haft__chat_write_stream(&stream, &head, &reply);
    size_t pieces = gather(haft__buf_str(&stream), &content);
    CHECK(pieces >= min && pieces <= max, "%zu bytes in %zu pieces", text.len, pieces);
    CHECK_STR(haft__buf_str(&content), text, "%zu bytes: the joined text", text.len);
    haft__buf_finish(&stream);
    haft__buf_finish(&content);
}

TEST(texts_come_in_pieces_of_whole_characters)
{
    check_pieces(HAFT__LIT(""), 0, 0);
    check_pieces(HAFT__LIT("0123456789abcdef"), 1, 1);
    check_pieces(HAFT__LIT("0123456789abcdefg"), 2, 2);
    check_pieces(HAFT__LIT("0123456789abcd\xF0\x9F\x98\x80!"), 2, 2);
    check_pieces(HAFT__LIT("0123456789abcd\xF0\x9F\x98\x80"), 1, 1);
    char *long_text = test_alloc(3 * 100000);
    for (size_t i = 0; i < 100000; i++) {
        memcpy(long_text + 3 * i, "\xE2\x82\xAC", 3);
    }
    for (size_t count = 5; count <= 100000; count = count * 3 + 1) {
        check_pieces((haft_str){long_text, 3 * count}, 1, HAFT__LIMIT_CHAT_PIECES);
    }
}

/* ASCII text can be cut anywhere, so it comes in exactly the maximum number of pieces. */
TEST(pieces_are_bounded)
{
    char *text = test_alloc(17 * HAFT__LIMIT_CHAT_PIECES);
    memset(text, 'x', 17 * HAFT__LIMIT_CHAT_PIECES);
    check_pieces((haft_str){text, 16 * HAFT__LIMIT_CHAT_PIECES}, HAFT__LIMIT_CHAT_PIECES,
                 HAFT__LIMIT_CHAT_PIECES);
    check_pieces((haft_str){text, 16 * HAFT__LIMIT_CHAT_PIECES + 1}, HAFT__LIMIT_CHAT_PIECES / 2,
                 HAFT__LIMIT_CHAT_PIECES);
    check_pieces((haft_str){text, 17 * HAFT__LIMIT_CHAT_PIECES}, HAFT__LIMIT_CHAT_PIECES,
                 HAFT__LIMIT_CHAT_PIECES);
}

TEST(content_that_is_not_utf8_is_repaired_and_sent)
{
    haft__buf stream;
    haft__buf_init(&stream, 1 << 20);
    char bad[100];
    memset(bad, 0x80, sizeof(bad));
    haft__chat_write_stream(&stream, &head, &(haft__reply){.content = {bad, sizeof(bad)}});
    CHECK(stream.status == HAFT_OK && haft__utf8_valid(haft__buf_str(&stream)),
          "the stream is not UTF-8");
    haft__buf_finish(&stream);
}

/* ---- names and ids ---- */

static const char request[] = "{'model':'m','messages':[{'role':'user','content':'hi'}],'tools':["
                              "{'type':'function','function':{'name':'docs_-_find'}},"
                              "{'type':'function','function':{'name':'a_-zz'}}]}";

static haft_status seal(haft__arena *arena, haft__reply *reply, uint64_t *counter)
{
    haft__chat_parsed *asked = test_alloc(sizeof(*asked));
    haft_status status = haft__chat_read(arena, quoted(request), (haft__hash_key){0}, asked, NULL);
    return status == HAFT_OK ? haft__chat_prepare_reply(arena, asked, counter, reply, NULL)
                             : status;
}

static const haft__message_call scripted[] = {
    {HAFT__LIT(""), HAFT__LIT("docs:find"), .arguments = HAFT__LIT("{}")},
    {HAFT__LIT("mine"), HAFT__LIT("a_-zz"), .arguments = HAFT__LIT("{}")},
    {HAFT__LIT("mine"), HAFT__LIT("nobody:has"), .arguments = HAFT__LIT("{}")},
    {HAFT__LIT("call_10"), HAFT__LIT("plain"), .arguments = HAFT__LIT("{}")},
    {{NULL, 0}, HAFT__LIT(""), .arguments = HAFT__LIT("{}")},
    {HAFT__LIT("call_9"), HAFT__LIT("a_-b"), .arguments = HAFT__LIT("{}")},
};

TEST(calls_get_names_and_ids)
{
    static const char *const wanted[] = {"call_8 docs_-_find", "mine a_-zz", "call_9 nobody_-_has",
                                         "call_10 plain",      "call_11 ",   "call_12 a_-ub"};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    uint64_t counter = 7;
    haft__reply reply = {.calls = scripted, .call_count = COUNT(scripted)};
    CHECK_INT(seal(&arena, &reply, &counter), HAFT_OK, "seal the reply");
    for (size_t i = 0; i < COUNT(wanted); i++) {
        char found[128];
        (void)snprintf(found, sizeof(found), "%.*s %.*s", HAFT__ARG(reply.calls[i].id),
                       HAFT__ARG(reply.calls[i].name));
        CHECK_STR(haft__str(found), haft__str(wanted[i]), "call %zu", i);
    }
    CHECK_INT(counter, 12, "ids are not used twice");
    haft__arena_finish(&arena);
}

TEST(sealing_survives_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        uint64_t counter = 0;
        haft__reply reply = {.calls = scripted, .call_count = COUNT(scripted)};
        test_fail_allocation(n);
        haft_status status = seal(&arena, &reply, &counter);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
    /* Arenas of every size, so that the memory ends at every point. */
    for (size_t size = 1; size < 9000; size += 100) {
        haft__arena arena;
        haft__arena_init(&arena, size);
        uint64_t counter = 0;
        haft__reply reply = {.calls = scripted, .call_count = COUNT(scripted)};
        haft_status status = seal(&arena, &reply, &counter);
        CHECK(status == HAFT_OK || status == HAFT_TOO_BIG, "%zu bytes: %d", size, status);
        haft__arena_finish(&arena);
    }
}

TEST(answers_survive_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        test_fail_allocation(n);
        haft__chat_write_reply(&buf, &head, &call_reply);
        haft__chat_write_stream(&buf, &head_usage, &call_reply);
        haft__chat_write_error(&buf, HAFT__LIT("m"), "t", HAFT__LIT("p"), "c");
        bool failed = test_allow_allocations();
        CHECK_INT(buf.status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__buf_finish(&buf);
        if (!failed) {
            break;
        }
    }
}

TEST(errors_have_the_shape_of_openai)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__chat_write_error(&buf, HAFT__LIT("what \"it\" is"), "invalid_request_error",
                           HAFT__LIT("a[0].b"), "invalid_value");
    haft__chat_write_error(&buf, HAFT__LIT(""), "server_error", HAFT__LIT(""), NULL);
    CHECK_STR(
        haft__buf_str(&buf),
        quoted("{'error':{'message':'what \\'it\\' is','type':'invalid_request_error','param':"
               "'a[0].b','code':'invalid_value'}}"
               "{'error':{'message':'','type':'server_error','param':null,'code':null}}"),
        "the error body");
    haft__buf_finish(&buf);
}
