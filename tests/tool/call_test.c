/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/call.c. */
#include "tool/call.h"

#include <wchar.h>

#include "base/limits.h"
#include "declare_help.h"
#include "test.h"

TEST(facts_have_no_null_texts)
{
    haft_call call;
    haft__call_init(&call, NULL);
    const haft_call_facts *facts = haft_call_info(&call);
    CHECK_INT(facts->struct_size, sizeof(*facts), "struct_size");
    CHECK(facts->call[0] == '\0' && facts->run[0] == '\0' && facts->thread[0] == '\0'
              && facts->user[0] == '\0' && facts->idempotency_key[0] == '\0',
          "texts without facts are empty");
    CHECK(facts->attempt == 1 && facts->remaining_turns == 0 && facts->context == NULL,
          "numbers without facts");
    haft__call_finish(&call);
    haft_call_facts given = {.call = "c3.1",
                             .run = "r",
                             .thread = "t",
                             .user = "u",
                             .idempotency_key = "k",
                             .attempt = 2,
                             .remaining_turns = 5};
    haft__call_init(&call, &given);
    facts = haft_call_info(&call);
    CHECK(strcmp(facts->call, "c3.1") == 0 && strcmp(facts->run, "r") == 0
              && strcmp(facts->thread, "t") == 0 && strcmp(facts->user, "u") == 0
              && strcmp(facts->idempotency_key, "k") == 0,
          "texts of the facts");
    CHECK(facts->attempt == 2 && facts->remaining_turns == 5, "numbers of the facts");
    haft__call_finish(&call);
    haft__call_finish(&(haft_call){.max_reply = 0});
}

TEST(replies_have_a_kind_and_a_text)
{
    haft_call call;
    haft__call_init(&call, NULL);
    haft_reply first = haft_replyf(&call, "%d of %s", 3, "4");
    haft_reply second = haft_replyf(&call, "<%.*s>", HAFT_STR(first.text));
    haft_reply error = haft_reply_error(&call, "no such %s", "city");
    haft_reply json = haft_reply_json(&call, " {\"a\": [1.50]} ");
    CHECK(first.kind == HAFT_REPLY_TEXT && second.kind == HAFT_REPLY_TEXT,
          "both replies are texts");
    CHECK_STR(first.text, HAFT__LIT("3 of 4"), "text of the first reply");
    CHECK_STR(second.text, HAFT__LIT("<3 of 4>"), "a reply made from the first");
    CHECK_INT(error.kind, HAFT_REPLY_ERROR, "kind of an error");
    CHECK_STR(error.text, HAFT__LIT("no such city"), "text of an error");
    CHECK_INT(json.kind, HAFT_REPLY_JSON, "kind of a JSON reply");
    CHECK_STR(json.text, HAFT__LIT(" {\"a\": [1.50]} "), "text of a JSON reply");
    CHECK_STR(haft_replyf(&call, "%s", "").text, HAFT__LIT(""), "an empty text");
    haft_reply bad = haft_reply_json(&call, "{\"a\":}");
    CHECK_INT(bad.kind, HAFT_REPLY_ERROR, "a JSON reply that is not JSON");
    CHECK(haft__str_starts_with(
              bad.text, HAFT__LIT("The tool's reply is not a valid JSON at 1:6 (byte 5): ")),
          "%.*s", HAFT_STR(bad.text));
    haft_str nothing = {NULL, 0};
    CHECK_STR(haft_replyf(&call, "[%.*s]", HAFT_STR(nothing)).text, HAFT__LIT("[]"),
              "a NULL string");
    haft__call_finish(&call);
}

#define SEND                                                                                       \
    "The tool's reply is not a valid command at /send: expected an array of {\"to\": the name of " \
    "a "                                                                                           \
    "node, \"arg\": an object that the node sees}"

TEST(commands_for_a_graph_are_validated)
{
    static const struct {
        const char *json, *error;
    } cases[] = {
        {"{\"update\":{\"a\":1},\"goto\":\"next\"}", NULL},
        {"{\"update\":{}}", NULL},
        {"{\"goto\":[\"one\",\"two\"]}", NULL},
        {"{}",
         "The tool's reply is not a valid command: expected an object with \"update\", \"goto\" or "
         "\"send\""},
        {"[]",
         "The tool's reply is not a valid command: expected an object with \"update\", \"goto\" or "
         "\"send\""},
        {"{\"update\":[1]}",
         "The tool's reply is not a valid command at /update: expected an object, found array"},
        {"{\"goto\":\"\"}",
         "The tool's reply is not a valid command at /goto: expected the name of a node, "
         "or an array of names"},
        {"{\"goto\":[]}",
         "The tool's reply is not a valid command at /goto: expected the name of a node, or "
         "an array of names"},
        {"{\"goto\":[\"a\",1]}",
         "The tool's reply is not a valid command at /goto: expected the name of a "
         "node, or an array of names"},
        {"{\"goto\":\"a\",\"go\":1}", "The tool's reply is not a valid command: unknown key "
                                      "\"go\"; allowed are \"update\", \"goto\" and \"send\""},
        {"{\"send\":[{\"to\":\"a\",\"arg\":{}},{\"to\":\"b\",\"arg\":{\"x\":1}}]}", NULL},
        {"{\"send\":{\"to\":\"a\",\"arg\":{}}}", SEND},
        {"{\"send\":[{\"to\":\"a\"}]}", SEND},
        {"{\"send\":[{\"to\":\"a\",\"arg\":1}]}", SEND},
        {"{\"send\":[{\"to\":\"\",\"arg\":{}}]}", SEND},
        {"{\"send\":[{\"to\":\"a\",\"arg\":{},\"as\":1}]}", SEND},
        {NULL, "The tool's reply is not a valid command: the text is NULL"},
    };
    haft_call call;
    haft__call_init(&call, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_reply reply = haft_reply_command(&call, cases[i].json);
        bool good = cases[i].error == NULL;
        CHECK_INT(reply.kind, good ? HAFT_REPLY_COMMAND : HAFT_REPLY_ERROR, "case %zu", i);
        CHECK_STR(reply.text, haft__str(good ? cases[i].json : cases[i].error), "case %zu", i);
    }
    CHECK_INT(haft_reply_command(&call, "{").kind, HAFT_REPLY_ERROR, "a command that is not JSON");
    CHECK_INT(haft_reply_json(&call, NULL).kind, HAFT_REPLY_ERROR, "a NULL JSON reply");
    haft__call_finish(&call);
}

TEST(a_server_reports_its_facts)
{
    haft_server_facts facts = {.struct_size = sizeof(facts), .principal = "ada"};
    haft_call call;
    haft__call_init(&call, NULL);
    CHECK(haft_call_server(&call) == NULL, "a call without a server");
    call.server = &facts;
    CHECK(haft_call_server(&call) == &facts, "a call with a server");
    haft__call_finish(&call);
}

TEST(the_length_of_a_reply_is_limited)
{
    haft_call call;
    haft__call_init(&call, NULL);
    CHECK_INT(call.max_reply, HAFT__LIMIT_TOOL_RESULT_BYTES, "the default limit");
    call.max_reply = 5;
    CHECK_STR(haft_replyf(&call, "%s", "12345").text, HAFT__LIT("12345"), "a text at the limit");
    CHECK_INT(haft_reply_json(&call, "12345").kind, HAFT_REPLY_JSON, "JSON at the limit");
    haft_reply longer = haft_replyf(&call, "%s", "123456");
    CHECK_INT(longer.kind, HAFT_REPLY_ERROR, "a text past the limit");
    CHECK_STR(longer.text, HAFT__LIT("The tool's reply has 6 bytes, more than the limit of 5."),
              "error message");
    CHECK_INT(haft_reply_json(&call, "123456").kind, HAFT_REPLY_ERROR, "JSON past the limit");
    haft__call_finish(&call);
}

TEST(a_format_that_cannot_be_written_is_an_error)
{
    haft_call call;
    haft__call_init(&call, NULL);
    const wchar_t no_character[] = {0x7fffffff, 0};
    haft_reply reply = haft_replyf(&call, "%ls", no_character);
    CHECK_INT(reply.kind, HAFT_REPLY_ERROR, "kind of the reply");
    CHECK_STR(reply.text, HAFT__LIT("The tool's reply cannot be formatted."), "text of the reply");
    haft__call_finish(&call);
}

/* ---- the host ---- */

typedef struct host {
    bool cancelled;
    unsigned emitted;
    char last[64];
} host;

static bool is_cancelled(void *context)
{
    return ((host *)context)->cancelled;
}

static void record_progress(void *context, haft_str json)
{
    host *to = context;
    to->emitted++;
    (void)snprintf(to->last, sizeof(to->last), "%.*s", HAFT_STR(json));
}

TEST(a_call_queries_and_notifies_its_host)
{
    host h = {.cancelled = false};
    haft_call call;
    haft__call_init(&call, NULL);
    CHECK(!haft_cancelled(&call), "a call without a host is not cancelled");
    haft_emit(&call, "{}");
    call.host = &h;
    call.cancelled = is_cancelled;
    call.emit = record_progress;
    CHECK(!haft_cancelled(&call), "before the cancellation");
    h.cancelled = true;
    CHECK(haft_cancelled(&call), "after the cancellation");
    haft_emit(&call, "{\"done\":0.5}");
    CHECK_STR(haft__str(h.last), HAFT__LIT("{\"done\":0.5}"), "emitted JSON");
    haft_emit(&call, NULL);
    haft_emit(&call, "half \"done\"");
    CHECK_STR(haft__str(h.last), HAFT__LIT("\"half \\\"done\\\"\""), "emitted text");
    CHECK_INT(h.emitted, 2, "number of progress events");
    size_t before = call.arena.total;
    for (unsigned i = 0; i < 1000; i++) {
        haft_emit(&call, "[1,2,3,4,5,6,7,8,9,10,11,12]");
    }
    CHECK_INT(call.arena.total, before, "many progress events need no more memory");
    haft__call_finish(&call);
}

/* ---- running ---- */

static haft_status run(haft_call *call, const haft_tool *tool, const char *json, haft_reply *reply,
                       haft_error *err)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status = haft__call_run(call, tool, help_json(&arena, json), reply, err);
    haft__arena_finish(&arena);
    return status;
}

static haft_reply echo(haft_call *call, const void *args)
{
    const haft_str *json = args;
    const int *number = haft_call_info(call)->context;
    return haft_replyf(call, "%d %.*s", *number, HAFT_STR(*json));
}

TEST(functions_are_called_with_their_arguments)
{
    static const char arguments[] =
        "{\"text\":\"t\",\"count\":1,\"ratio\":1,\"flag\":true,\"unit\":\"mile\",\"words\":[],"
        "\"counts\":[],\"ratios\":[],\"flags\":[],\"units\":[],\"where\":{\"label\":\"l\","
        "\"at\":{\"x\":1},\"path\":[]}}";
    int number = 7;
    haft_tool by_hand = HAFT_TOOL_INIT;
    by_hand.input_schema = "{\"type\":\"object\"}";
    by_hand.run = echo;
    by_hand.context = &number;
    const struct {
        const haft_tool *tool;
        const char *json, *reply;
    } cases[] = {
        {&sixteen_tool, arguments, "t 10 strict"},        {&optional_tool, "{}", "not given"},
        {&optional_tool, "{\"text\":\"\"}", "given"},     {&nothing_tool, "{}", "nothing"},
        {&by_hand, "{ \"a\" : 1.50 }", "7 {\"a\":1.50}"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_call call;
        haft__call_init(&call, NULL);
        haft_reply reply = {0};
        haft_error err = {0};
        haft_status status = run(&call, cases[i].tool, cases[i].json, &reply, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s %s", cases[i].json, err.where, err.message);
        CHECK_STR(reply.text, haft__str(cases[i].reply), "%s", cases[i].json);
        haft__call_finish(&call);
    }
}

TEST(arguments_that_do_not_fit_do_not_reach_the_function)
{
    haft_call call;
    haft__call_init(&call, NULL);
    haft_reply reply = {.kind = HAFT_REPLY_JSON};
    haft_error err = {0};
    CHECK_INT(run(&call, &optional_tool, "{\"count\":1e30}", &reply, &err), HAFT_BAD_INPUT,
              "a number that is too large");
    CHECK_STR(haft__str(err.where), HAFT__LIT("/count"), "%s", err.message);
    CHECK(reply.kind == HAFT_REPLY_JSON && reply.text.ptr == NULL, "the output was written");
    haft__call_finish(&call);
}

/* ---- out of memory ---- */

static const haft_str no_memory = {"The tool ran out of memory while it replied.", 44};

TEST(replies_survive_every_failed_allocation)
{
    for (int kind = 0; kind < 4; kind++) {
        for (unsigned n = 0;; n++) {
            haft_call call;
            haft__call_init(&call, NULL);
            call.max_reply = 20;
            test_fail_allocation(n);
            haft_reply reply = kind == 0   ? haft_replyf(&call, "%s", "text")
                               : kind == 1 ? haft_reply_json(&call, "[1,2,3]")
                               : kind == 2 ? haft_reply_json(&call, "[1,2,")
                                           : haft_replyf(&call, "%30s", "long");
            bool failed = test_allow_allocations();
            if (failed) {
                CHECK_INT(reply.kind, HAFT_REPLY_ERROR, "kind %d, allocation %u", kind, n);
                CHECK_STR(reply.text, no_memory, "text of kind %d, allocation %u", kind, n);
            }
            haft__call_finish(&call);
            if (!failed) {
                CHECK(n > 0, "no allocation was made");
                break;
            }
        }
    }
}

TEST(progress_is_dropped_if_an_allocation_fails)
{
    static const char *const texts[] = {"[1,2,3]", "no JSON"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (unsigned n = 0;; n++) {
            host h = {.cancelled = false};
            haft_call call;
            haft__call_init(&call, NULL);
            call.host = &h;
            call.emit = record_progress;
            test_fail_allocation(n);
            haft_emit(&call, texts[i]);
            bool failed = test_allow_allocations();
            CHECK_INT(h.emitted, failed ? 0 : 1, "%s, allocation %u", texts[i], n);
            haft__call_finish(&call);
            if (!failed) {
                break;
            }
        }
    }
}

TEST(running_survives_every_failed_allocation)
{
    int number = 1;
    haft_tool by_hand = HAFT_TOOL_INIT;
    by_hand.run = echo;
    by_hand.context = &number;
    const haft_tool *const tools[] = {&nothing_tool, &by_hand};
    for (size_t i = 0; i < COUNT(tools); i++) {
        for (unsigned n = 0;; n++) {
            haft_call call;
            haft__call_init(&call, NULL);
            haft_reply reply = {0};
            test_fail_allocation(n);
            haft_status status =
                haft__call_run(&call, tools[i], haft__json_object(NULL, 0), &reply, NULL);
            bool failed = test_allow_allocations();
            bool reported =
                status == HAFT_NO_MEMORY
                || (reply.kind == HAFT_REPLY_ERROR && haft__str_equal(reply.text, no_memory));
            CHECK_INT(reported, failed, "tool %zu, allocation %u", i, n);
            haft__call_finish(&call);
            if (!failed) {
                CHECK(n > 0, "no allocation was made");
                break;
            }
        }
    }
}
