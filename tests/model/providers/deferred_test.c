/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for deferred tools in src/model/providers/anthropic/request.c and request_message.c, and in
 * src/model/providers/openai_responses/request.c and request_message.c: a search that reveals tools
 * does not change the beginning of a request. */
#include "base/str.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "model/reply_help.h"
#include "json/json_help.h"

#define TOOL(wire)                                                                                 \
    {                                                                                              \
        .name = HAFT__LIT(wire), .description = HAFT__LIT("D."), .input_schema = {                 \
            .kind = HAFT__JSON_OBJECT                                                              \
        }                                                                                          \
    }

static const haft__tool search = TOOL("tool_search"), near = TOOL("near"), far = TOOL("docs:far"),
                        gone = TOOL("gone"), newer_near = TOOL("near");

static const haft__message_call calls[] = {
    {HAFT__LIT("c1"), HAFT__LIT("tool_search"), .arguments = HAFT__LIT("{}")},
    {HAFT__LIT("c2"), HAFT__LIT("tool_search"), .arguments = HAFT__LIT("{}")},
};

/* The second search reveals a tool of which the request has another definition, and one that the
 * request does not have. */
static const haft__tool *const first_found[] = {&far}, *const then_found[] = {&newer_near, &gone};

static haft__message items[] = {
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Go.")},
    {.role = HAFT__MESSAGE_ASSISTANT, .calls = calls, .call_count = 2},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("Found far."),
     .call_id = HAFT__LIT("c1"),
     .revealed = first_found,
     .revealed_count = 1},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("Found near."),
     .call_id = HAFT__LIT("c2"),
     .revealed = then_found,
     .revealed_count = 2},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("On.")},
};

static const haft__tool *const tools[] = {&search, &near, &far};
static const bool allowed[] = {true, true, true}, some[] = {true, false, true};

static const haft__provider *provider_of(const char *name)
{
    haft__model_spec model = {.provider = haft__str(name)};
    return haft__provider_for_model(&model);
}

static haft__request request_of(const haft__messages *messages, size_t declared, size_t deferred)
{
    return (haft__request){.model = HAFT__LIT("m"),
                           .messages = messages,
                           .tools = tools,
                           .allowed = allowed,
                           .tool_count = declared,
                           .deferred_count = deferred,
                           .appended_count = COUNT(tools) - declared,
                           .callable_count = COUNT(tools),
                           .mode = HAFT__MODE_AUTO,
                           .format = HAFT__LIT("native")};
}

static haft_str written(haft__provider_conversation *c, const haft__request *request,
                        haft__member_set without, haft__member_set *sent)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft__provider_request_options options = {.without = without};
    options.sent = sent;
    CHECK_INT(haft__conversation_write(c, request, &options, &buf, NULL), HAFT_OK, "write");
    haft_str text = help_keep(haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return text;
}

static haft_str write_once(const char *provider, size_t count, size_t declared, size_t deferred,
                           haft__member_set *sent)
{
    haft__provider_conversation *c = NULL;
    haft__messages messages = {.items = items, .count = count};
    haft__request request = request_of(&messages, declared, deferred);
    CHECK_INT(haft__conversation_create(provider_of(provider), &c, NULL), HAFT_OK, "create");
    haft_str text = written(c, &request, 0, sent);
    haft__conversation_destroy(c);
    return text;
}

/* ---- Anthropic ---- */

#define MARK     "'cache_control':{'type':'ephemeral'}"
#define BODY     "'description':'D.','input_schema':{'type':'object'}"
#define DEFERRED "{'name':'near'," BODY ",'defer_loading':true}"
#define TOOLS                                                                                      \
    "{'model':'m','tools':[{'name':'tool_search'," BODY "," MARK "}," DEFERRED                     \
    ",{'name':'docs_-_far'," BODY ",'defer_loading':true}],"
#define START "'messages':[{'role':'user','content':[{'type':'text','text':'Go.'"
#define CALLS                                                                                      \
    "}]},{'role':'assistant','content':[{'type':'tool_use','id':'c1','name':'tool_search',"        \
    "'input':{}},{'type':'tool_use','id':'c2','name':'tool_search','input':{}}]},"
#define RESULT(id, text, name)                                                                     \
    "{'type':'tool_result','tool_use_id':'" id "','content':[{'type':'text','text':'" text         \
    "'},{'type':'tool_reference','tool_name':'" name "'}]"
#define END "}]}],'tool_choice':{'type':'auto'},'max_tokens':16384}"

TEST(results_of_anthropic_refer_to_deferred_tools)
{
    haft__member_set sent = 0;
    CHECK_STR(write_once("anthropic", 1, 3, 2, &sent), help_quotes(TOOLS START "," MARK END),
              "before the search");
    CHECK((sent & HAFT__MEMBER_BIT(HAFT__MEMBER_DEFER)) != 0, "the member is reported");
    CHECK_STR(write_once("anthropic", 4, 3, 2, &sent),
              help_quotes(TOOLS START CALLS "{'role':'user','content':[" RESULT(
                  "c1", "Found far.", "docs_-_far") "}," RESULT("c2", "Found near.",
                                                                "near") "," MARK END),
              "after it");
}

TEST(without_deferred_tools_results_of_anthropic_are_text)
{
    haft__member_set sent = 0;
    haft_str text = write_once("anthropic", 4, 3, 0, &sent);
    CHECK(memmem(text.ptr, text.len, "tool_reference", 14) == NULL
              && memmem(text.ptr, text.len, "defer_loading", 13) == NULL,
          "%.*s", HAFT__ARG(text));
    CHECK((sent & HAFT__MEMBER_BIT(HAFT__MEMBER_DEFER)) == 0, "the member is not reported");
}

/* ---- Responses ---- */

#define FUNCTION(wire)                                                                             \
    "{'type':'function','name':'" wire "','description':'D.','parameters':{'type':'object',"       \
    "'properties':{}},'strict':false}"
#define OPENAI "{'model':'m','store':false,'tools':[" FUNCTION("tool_search") "],'input':["
#define ASKED                                                                                      \
    "{'role':'user','content':'Go.'},{'type':'function_call','call_id':'c1','name':'tool_search'," \
    "'arguments':'{}'},{'type':'function_call','call_id':'c2','name':'tool_search',"               \
    "'arguments':'{}'},{'type':'function_call_output','call_id':'c1','output':'Found far.'},"      \
    "{'type':'function_call_output','call_id':'c2','output':'Found near.'}"
#define ADDED                                                                                      \
    ",{'type':'additional_tools','role':'developer','tools':[" FUNCTION(                           \
        "docs_-_far") "," FUNCTION("near") "]}"

TEST(definitions_follow_the_results_of_responses)
{
    haft__member_set sent = 0;
    CHECK_STR(write_once("openai-responses", 4, 1, 0, &sent),
              help_quotes(OPENAI ASKED ADDED "],'tool_choice':'auto'}"), "after the search");
    CHECK((sent & HAFT__MEMBER_BIT(HAFT__MEMBER_DEFER)) != 0, "the member is reported");
    CHECK_STR(
        write_once("openai-responses", 5, 1, 0, &sent),
        help_quotes(OPENAI ASKED ADDED ",{'role':'user','content':'On.'}],'tool_choice':'auto'}"),
        "one message later");
}

TEST(a_subset_names_tools_that_the_history_declares)
{
    haft__provider_conversation *c = NULL;
    haft__messages messages = {.items = items, .count = 4};
    haft__request request = request_of(&messages, 1, 0);
    request.allowed = some;
    CHECK_INT(haft__conversation_create(provider_of("openai-responses"), &c, NULL), HAFT_OK,
              "create");
    haft_str text = written(c, &request, 0, NULL);
    CHECK_STR(text,
              help_quotes(OPENAI ASKED ADDED
                          "],'tool_choice':{'type':'allowed_tools','mode':'auto','tools':["
                          "{'type':'function','name':'tool_search'},{'type':'function','name':"
                          "'docs_-_far'}]}}"),
              "the allowed tools");
    haft__conversation_destroy(c);
}

/* A server may reject the item, or `strict` in it: the kept messages are then written again. */
TEST(messages_are_written_again_if_the_server_rejects_their_form)
{
    haft__member_set sent = 0;
    haft__provider_conversation *c = NULL;
    haft__messages messages = {.items = items, .count = 4};
    haft__request request = request_of(&messages, 1, 0), plain = request_of(&messages, 3, 0);
    CHECK_INT(haft__conversation_create(provider_of("openai-responses"), &c, NULL), HAFT_OK,
              "create");
    haft_str first = written(c, &request, 0, NULL);
    CHECK_STR(written(c, &request, 0, NULL), first, "the same request again");
    haft_str lenient = written(c, &request, HAFT__MEMBER_BIT(HAFT__MEMBER_STRICT), NULL);
    CHECK(memmem(lenient.ptr, lenient.len, "strict", 6) == NULL
              && memmem(lenient.ptr, lenient.len, "additional_tools", 16) != NULL,
          "%.*s", HAFT__ARG(lenient));
    CHECK_STR(written(c, &plain, 0, NULL), write_once("openai-responses", 4, 3, 0, &sent),
              "without the item");
    haft__conversation_destroy(c);
}

TEST(requests_with_deferred_tools_survive_every_failed_allocation)
{
    static const struct {
        const char *provider;
        size_t declared, deferred;
    } rows[] = {{"anthropic", 3, 2}, {"openai-responses", 1, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__messages messages = {.items = items, .count = COUNT(items)};
        haft__request request = request_of(&messages, rows[i].declared, rows[i].deferred);
        haft__provider_request_options options = {.stream = true};
        for (unsigned n = 0;; n++) {
            haft__buf buf;
            haft__provider_conversation *c = NULL;
            haft__buf_init(&buf, 1 << 16);
            test_fail_allocation(n);
            haft_status status = haft__conversation_create(provider_of(rows[i].provider), &c, NULL);
            status = status == HAFT_OK ? haft__conversation_write(c, &request, &options, &buf, NULL)
                                       : status;
            bool failed = test_allow_allocations();
            haft__conversation_destroy(c);
            haft__buf_finish(&buf);
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u",
                      rows[i].provider, n);
            if (!failed) {
                break;
            }
        }
    }
}
