/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/anthropic/request.c, request_message.c, request_options.c and
 * items.c: requests byte for byte. */
#include "base/limits.h"
#include "base/str.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "model/reply_help.h"
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
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Go on.")},
};

#define MARK   "'cache_control':{'type':'ephemeral'}"
#define SYSTEM "{'model':'claude-opus-5','system':[{'type':'text','text':'Be brief.'," MARK "}],"
#define TOOLS                                                                                      \
    "'tools':[{'name':'docs_-_look','description':'Looks.','input_schema':{'type':'object'}},"     \
    "{'name':'find','description':'Finds.','input_schema':{'type':'object'}," MARK "}],"
#define TASK "'messages':[{'role':'user','content':[{'type':'text','text':'Find it.'"
#define TURN                                                                                       \
    "}]},{'role':'assistant','content':[{'type':'tool_use','id':'t1','name':'docs_-_look',"        \
    "'input':{'n':1.50}},{'type':'tool_use','id':'c1_-h2e2','name':'find',"                        \
    "'input':{'not_an_object':'oops'}}]},{'role':'user','content':["
#define RESULTS                                                                                    \
    "{'type':'tool_result','tool_use_id':'t1','content':'yes'},"                                   \
    "{'type':'tool_result','tool_use_id':'c1_-h2e2','content':'no','is_error':true"
#define AUTO "'tool_choice':{'type':'auto'},"
#define LAST "'max_tokens':16384}"

static const struct {
    const char *name;
    size_t count, tools;
    haft__choice_mode mode;
    const bool *allowed;
    bool serial;
    const char *correction, *options, *wanted;
} cases[] = {
    {"a task", 2, 2, HAFT__MODE_AUTO, both, false, "", "",
     SYSTEM TOOLS TASK "," MARK "}]}]," AUTO LAST},
    {"no tools", 2, 0, HAFT__MODE_ANY, both, false, "", "", SYSTEM TASK "," MARK "}]}]," LAST},
    {"a call is forced", 2, 2, HAFT__MODE_ANY, both, true, "", "",
     SYSTEM TOOLS TASK "," MARK
                       "}]}],'tool_choice':{'type':'any','disable_parallel_tool_use':true}," LAST},
    {"a call of one tool is forced", 2, 2, HAFT__MODE_TOOL, both, false, "", "",
     SYSTEM TOOLS TASK "," MARK "}]}],'tool_choice':{'type':'tool','name':'docs_-_look'}," LAST},
    {"a call of the only allowed tool is forced", 2, 2, HAFT__MODE_ANY, one, false, "", "",
     SYSTEM TOOLS TASK "," MARK "}]}],'tool_choice':{'type':'tool','name':'find'}," LAST},
    {"calls are forbidden", 2, 2, HAFT__MODE_NONE, both, true, "", "",
     SYSTEM TOOLS TASK "," MARK "}]}],'tool_choice':{'type':'none'}," LAST},
    {"no tool is allowed", 2, 2, HAFT__MODE_ANY, none, false, "", "",
     SYSTEM TOOLS TASK "," MARK "}]}],'tool_choice':{'type':'none'}," LAST},
    {"a call is not forced while thinking", 2, 2, HAFT__MODE_ANY, both, false, "",
     "{'thinking':{'type':'adaptive'},'system':'x','stream':null,'max_completion_tokens':9}",
     SYSTEM TOOLS TASK "," MARK "}]}]," AUTO "'thinking':{'type':'adaptive'},'max_tokens':9}"},
    {"a budget for thinking is below the limit of the reply", 2, 0, HAFT__MODE_AUTO, both, false,
     "", "{'thinking':{'type':'enabled','budget_tokens':20000}}",
     SYSTEM TASK "," MARK "}]}],'max_tokens':36384,'thinking':{'type':'enabled',"
                 "'budget_tokens':20000}}"},
    {"options in the words of Chat Completions", 2, 0, HAFT__MODE_AUTO, both, false, "",
     "{'temperature':0.2,'top_p':1,'stop':'END','reasoning_effort':'high','max_tokens':9,"
     "'parallel_tool_calls':false,'user':'u','response_format':{'type':'text'},'speed':'fast'}",
     SYSTEM TASK "," MARK "}]}],'output_config':{'effort':'high'},'stop_sequences':['END'],"
                 "'max_tokens':9,'speed':'fast'}"},
    {"options in its own words", 2, 0, HAFT__MODE_AUTO, both, false, "",
     "{'stop':'A','stop_sequences':['B'],'reasoning_effort':'minimal','output_config':{'effort':"
     "'max'},'max_completion_tokens':7,'max_tokens':9}",
     SYSTEM TASK "," MARK "}]}],'output_config':{'effort':'max'},'stop_sequences':['B'],"
                 "'max_tokens':9}"},
    {"the least effort", 2, 0, HAFT__MODE_AUTO, both, false, "",
     "{'reasoning_effort':'none','stop':['A','B'],'max_tokens':9}",
     SYSTEM TASK "," MARK "}]}],'output_config':{'effort':'low'},'stop_sequences':['A','B'],"
                 "'max_tokens':9}"},
    {"results in the order of the calls", 5, 2, HAFT__MODE_AUTO, both, false, "", "",
     SYSTEM TOOLS TASK TURN RESULTS "," MARK "}]}]," AUTO LAST},
    {"a correction follows the results", 5, 2, HAFT__MODE_AUTO, both, false, "Again.", "",
     SYSTEM TOOLS TASK TURN RESULTS "," MARK "},{'type':'text','text':'Again.'}]}]," AUTO LAST},
    {"text follows the results", 6, 2, HAFT__MODE_AUTO, both, false, "", "",
     SYSTEM TOOLS TASK TURN RESULTS "},{'type':'text','text':'Go on.'," MARK "}]}]," AUTO LAST},
};

static haft__request request_of(size_t i, const haft__messages *messages)
{
    return (haft__request){.model = HAFT__LIT("claude-opus-5"),
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

static const haft__provider *anthropic(void)
{
    haft__model_spec model = {.provider = HAFT__LIT("anthropic")};
    return haft__provider_for_model(&model);
}

static haft_status write_with(haft__provider_conversation *conversation,
                              const haft__request *request,
                              const haft__provider_request_options *options, haft__buf *buf)
{
    haft__buf_clear(buf);
    return haft__conversation_write(conversation, request, options, buf, NULL);
}

static haft_status write_case(size_t i, haft__json options, haft__buf *buf)
{
    haft__provider_conversation *conversation = NULL;
    haft__messages messages = {.items = items, .count = cases[i].count};
    haft__request request = request_of(i, &messages);
    haft__provider_request_options o = {.serial = cases[i].serial, .options = options};
    haft_status status = haft__conversation_create(anthropic(), &conversation, NULL);
    status = status == HAFT_OK ? write_with(conversation, &request, &o, buf) : status;
    haft__conversation_destroy(conversation);
    return status;
}

TEST(requests_of_anthropic_have_these_bytes)
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
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

TEST(requests_of_anthropic_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            haft__buf buf;
            haft__buf_init(&buf, 1 << 20);
            test_fail_allocation(n);
            haft_status status = write_case(i, haft__json_null(), &buf);
            bool failed = test_allow_allocations();
            haft__buf_finish(&buf);
            if (!failed) {
                CHECK_INT(status, HAFT_OK, "%s", cases[i].name);
                break;
            }
            CHECK_INT(status, HAFT_NO_MEMORY, "%s, allocation %u", cases[i].name, n);
        }
    }
}

static size_t common_start(haft_str a, haft_str b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i]) {
        i++;
    }
    return i;
}

TEST(a_request_begins_like_the_previous_one_up_to_the_cache_mark)
{
    static const size_t counts[] = {2, 5, 6};
    haft__provider_conversation *conversation = NULL;
    haft__provider_request_options options = {.stream = true};
    haft__buf before, now;
    haft__buf_init(&before, 1 << 20);
    haft__buf_init(&now, 1 << 20);
    CHECK_INT(haft__conversation_create(anthropic(), &conversation, NULL), HAFT_OK, "create");
    for (size_t i = 0; i < COUNT(counts); i++) {
        haft__messages messages = {.items = items, .count = counts[i]};
        haft__request request = request_of(0, &messages);
        CHECK_INT(write_with(conversation, &request, &options, &now), HAFT_OK, "turn %zu", i);
        size_t same = common_start(haft__buf_str(&before), haft__buf_str(&now));
        const char *mark = NULL, *end = ","
                                        "\"cache_control\":{\"type\":\"ephemeral\"}}]}]";
        if (before.len > 0) {
            mark = memmem(before.ptr, before.len, end, strlen(end));
            CHECK(mark != NULL && same >= (size_t)(mark - before.ptr), "turn %zu", i);
        }
        haft__buf_clear(&before);
        haft__buf_add_str(&before, haft__buf_str(&now));
    }
    haft__conversation_destroy(conversation);
    haft__buf_finish(&before);
    haft__buf_finish(&now);
}

/* ---- items ---- */

#define THINKING "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"s\"}"
#define USE      "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"docs_-_look\",\"input\":{}}"

/* Whether the second request repeats the thinking of the reply to the first one. */
static bool repeats_thinking(const char *model, const char *items_model, const char *id,
                             const char *correction, size_t later_tools)
{
    haft__message_call call = {haft__str(id), HAFT__LIT("docs:look"), .arguments = HAFT__LIT("{}")};
    haft__message list[] = {
        items[0],
        items[1],
        {.role = HAFT__MESSAGE_ASSISTANT,
         .items_provider = HAFT__LIT("anthropic"),
         .items_model = haft__str(items_model),
         .calls = &call,
         .call_count = 1},
        {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("yes"), .call_id = haft__str(id)},
    };
    haft__messages messages = {.items = list, .count = 2};
    haft__request request = request_of(0, &messages);
    haft__provider_request_options options = {.stream = true};
    haft__provider_conversation *conversation = NULL;
    char own[256];
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    request.model = haft__str(model);
    request.tool_count = 1;
    request.correction = haft__str(correction);
    CHECK_INT(haft__conversation_create(anthropic(), &conversation, NULL), HAFT_OK, "create");
    CHECK_INT(write_with(conversation, &request, &options, &buf), HAFT_OK, "%s", model);
    (void)snprintf(own, sizeof(own),
                   "[{\"type\":\"haft_prefix\",\"hash\":\"%016llx\"}," THINKING "," USE "]",
                   (unsigned long long)conversation->prefix);
    list[2].items = haft__str(own);
    messages.count = 4;
    request.correction = HAFT__LIT("");
    request.tool_count = later_tools;
    CHECK_INT(write_with(conversation, &request, &options, &buf), HAFT_OK, "%s", model);
    bool found =
        memmem(buf.ptr, buf.len, THINKING "," USE "]", strlen(THINKING "," USE "]")) != NULL;
    CHECK(memmem(buf.ptr, buf.len, "haft_prefix", 11) == NULL, "the hash is not sent");
    haft__conversation_destroy(conversation);
    haft__buf_finish(&buf);
    return found;
}

TEST(thinking_is_sent_back_only_to_its_model_after_its_prefix)
{
    static const struct {
        const char *name, *model, *items_model, *id, *correction;
        size_t later_tools;
        bool repeated;
    } replies[] = {
        {"the same model and id", "claude-opus-5-5", "claude-opus-5-5", "t1", "", 1, true},
        {"another model", "claude-opus-5-5", "claude-opus-5", "t1", "", 1, false},
        {"another id", "claude-opus-5-5", "claude-opus-5-5", "t2", "", 1, false},
        {"a correction", "claude-opus-5-5", "claude-opus-5-5", "t1", "Again.", 1, false},
        {"more tools", "claude-opus-5-5", "claude-opus-5-5", "t1", "", 2, false},
        {"a model that does not bind its thinking", "claude-opus-5", "claude-opus-5", "t1",
         "Again.", 2, true},
    };
    for (size_t i = 0; i < COUNT(replies); i++) {
        CHECK_INT(repeats_thinking(replies[i].model, replies[i].items_model, replies[i].id,
                                   replies[i].correction, replies[i].later_tools),
                  replies[i].repeated, "%s", replies[i].name);
    }
}

/* ---- marks for the cache ---- */

static size_t count_in(haft_str text, haft_str part)
{
    size_t count = 0;
    for (; text.len >= part.len; text = haft__str_skip(text, 1)) {
        count += haft__str_starts_with(text, part) ? 1 : 0;
    }
    return count;
}

#define MAX_CALLS 12

/* A request after one turn with so many calls; `own` is its reply as the model wrote it, or "". */
static size_t write_turn(size_t count, const char *own, haft__buf *buf)
{
    static char ids[MAX_CALLS][24];
    haft__message_call made[MAX_CALLS];
    haft__message list[2 + MAX_CALLS] = {items[1],
                                         {.role = HAFT__MESSAGE_ASSISTANT,
                                          .calls = made,
                                          .call_count = count,
                                          .items = haft__str(own),
                                          .items_provider = HAFT__LIT("anthropic"),
                                          .items_model = HAFT__LIT("claude-opus-5")}};
    haft__messages messages = {.items = list, .count = 2 + count};
    haft__request request = request_of(0, &messages);
    haft__provider_request_options options = {.stream = false};
    haft__provider_conversation *conversation = NULL;
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(ids[i], sizeof(ids[i]), "t%zu", i + 1);
        made[i] = (haft__message_call){
            .id = haft__str(ids[i]), .name = HAFT__LIT("find"), .arguments = HAFT__LIT("{}")};
        list[2 + i] = (haft__message){
            .role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("x"), .call_id = made[i].id};
    }
    CHECK_INT(haft__conversation_create(anthropic(), &conversation, NULL), HAFT_OK, "create");
    CHECK_INT(write_with(conversation, &request, &options, buf), HAFT_OK, "write");
    size_t stable = conversation->stable;
    haft__conversation_destroy(conversation);
    return stable;
}

/* The provider looks back 20 blocks from a mark. */
TEST(a_long_turn_repeats_the_mark_before_it)
{
    const haft_str mark = HAFT__LIT("\"cache_control\"");
    const haft_str task = HAFT__LIT("\"Find it.\",\"cache_control\":{\"type\":\"ephemeral\"}}]},"
                                    "{\"role\":\"assistant\"");
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    (void)write_turn(10, "", &buf);
    CHECK_INT(count_in(haft__buf_str(&buf), mark), 2, "20 blocks: the tools and the end");
    CHECK_INT(count_in(haft__buf_str(&buf), task), 0, "no mark before the turn");
    size_t stable = write_turn(11, "", &buf);
    CHECK_INT(count_in(haft__buf_str(&buf), mark), 3, "22 blocks: the end of the task, too");
    CHECK_INT(count_in(haft__buf_str(&buf), task), 1, "a mark before the turn");
    CHECK_INT(count_in((haft_str){buf.ptr, stable}, mark), 1,
              "the next request need not repeat the marks of messages");
    (void)write_turn(1,
                     "[{\"type\":\"thinking\",\"thinking\":\"a, [\\\"b\",\"signature\":\"s\"},"
                     "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"find\",\"input\":{}}]",
                     &buf);
    CHECK_INT(count_in(haft__buf_str(&buf), mark), 2, "a short turn with its own blocks");
    haft__buf_finish(&buf);
}
