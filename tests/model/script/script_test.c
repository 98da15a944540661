/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/script/script.c: every member of a script, and every error. */
#include "model/script/script.h"

#include "base/limits.h"
#include "test.h"
#include "json/read.h"

typedef struct script_case {
    haft__arena arena;
    haft__script script;
    haft_error err;
    haft_status status;
} script_case;

static void script_init(script_case *c, const char *text)
{
    *c = (script_case){0};
    haft__json document = haft__json_null();
    haft__arena_init(&c->arena, 0);
    c->status = haft__json_read(&c->arena, haft__str(text), NULL, &document, NULL, &c->err);
    CHECK_INT(c->status, HAFT_OK, "%s: %s", text, c->err.message);
    c->status = haft__script_init(&c->script, &c->arena, document, &c->err);
}

/* ---- the request that is asked ---- */

static const haft__tool look = {.name = HAFT__LIT("look")};
static const haft__tool find = {.name = HAFT__LIT("docs:find")};
static const haft__tool *const tools[] = {&look, &find};
static const bool allowed[] = {false, true};
static haft__message messages_items[] = {
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find the \"key\"")}};
static const haft__messages messages = {.items = messages_items, .count = 1};
static const haft__request request = {.messages = &messages,
                                      .correction = HAFT__LIT("once more"),
                                      .tools = tools,
                                      .allowed = allowed,
                                      .tool_count = 2,
                                      .mode = HAFT__MODE_TOOL,
                                      .tool = HAFT__LIT("docs:find")};

/* ---- shapes ---- */

static const struct {
    const char *script, *where;
} wrong_shapes[] = {
    {"[]", ""},
    {"{}", ""},
    {"{\"replies\":{}}", "/replies"},
    {"{\"replies\":[],\"reply\":1}", "/reply"},
    {"{\"replies\":[],\"results\":[]}", "/results"},
    {"{\"replies\":[1]}", "/replies/0"},
    {"{\"replies\":[{\"txt\":\"\"}]}", "/replies/0/txt"},
    {"{\"replies\":[{\"text\":1}]}", "/replies/0/text"},
    {"{\"replies\":[{\"reasoning\":[]}]}", "/replies/0/reasoning"},
    {"{\"replies\":[{},{\"calls\":{}}]}", "/replies/1/calls"},
    {"{\"replies\":[{\"calls\":[{}]}]}", "/replies/0/calls/0"},
    {"{\"replies\":[{\"calls\":[{\"name\":1}]}]}", "/replies/0/calls/0/name"},
    {"{\"replies\":[{\"calls\":[{\"name\":\"a\",\"raw\":{}}]}]}", "/replies/0/calls/0/raw"},
    {"{\"replies\":[{\"calls\":[{\"name\":\"a\",\"id\":1}]}]}", "/replies/0/calls/0/id"},
    {"{\"replies\":[{\"calls\":[{\"name\":\"a\",\"args\":{}}]}]}", "/replies/0/calls/0/args"},
    {"{\"replies\":[{\"usage\":{\"tokens\":1}}]}", "/replies/0/usage/tokens"},
    {"{\"replies\":[{\"usage\":{\"input_tokens\":-1}}]}", "/replies/0/usage/input_tokens"},
    {"{\"replies\":[{\"usage\":{\"output_tokens\":1.5}}]}", "/replies/0/usage/output_tokens"},
    {"{\"replies\":[{\"stop\":\"end\"}]}", "/replies/0/stop"},
    {"{\"replies\":[{\"delay\":-1}]}", "/replies/0/delay"},
    {"{\"replies\":[{\"delay\":86401}]}", "/replies/0/delay"},
    {"{\"replies\":[{\"error\":\"oops\"}]}", "/replies/0/error"},
    {"{\"replies\":[{\"error\":{\"code\":1}}]}", "/replies/0/error/code"},
    {"{\"replies\":[{\"error\":{\"status\":\"1\"}}]}", "/replies/0/error/status"},
    {"{\"replies\":[{\"error\":{\"status\":199}}]}", "/replies/0/error/status"},
    {"{\"replies\":[{\"error\":{\"status\":600}}]}", "/replies/0/error/status"},
    {"{\"replies\":[{\"error\":{\"headers\":[]}}]}", "/replies/0/error/headers"},
    {"{\"replies\":[{\"error\":{\"headers\":{\"a\":null}}}]}", "/replies/0/error/headers/a"},
    {"{\"replies\":[{\"error\":{\"headers\":{\"a b\":\"\"}}}]}", "/replies/0/error/headers"},
    {"{\"replies\":[{\"error\":{\"headers\":{\"a\":\"x\\r\\ny: z\"}}}]}",
     "/replies/0/error/headers/a"},
    {"{\"replies\":[{\"cut\":-1}]}", "/replies/0/cut"},
    {"{\"replies\":[{\"expect\":[]}]}", "/replies/0/expect"},
    {"{\"replies\":[{\"expect\":{\"mode\":\"must\"}}]}", "/replies/0/expect/mode"},
    {"{\"replies\":[{\"expect\":{\"constraint\":\"lark\"}}]}", "/replies/0/expect/constraint"},
    {"{\"replies\":[{\"when\":\"held\"}]}", "/replies/0/when"},
    {"{\"replies\":[{\"ignores_constraint\":1}]}", "/replies/0/ignores_constraint"},
    {"{\"replies\":[{\"expect\":{\"tool\":1}}]}", "/replies/0/expect/tool"},
    {"{\"replies\":[{\"expect\":{\"allowed\":\"a\"}}]}", "/replies/0/expect/allowed"},
    {"{\"replies\":[{\"expect\":{\"declared\":[1]}}]}", "/replies/0/expect/declared/0"},
    {"{\"replies\":[{\"expect\":{\"contains\":[1]}}]}", "/replies/0/expect/contains/0"},
    {"{\"replies\":[{\"expect\":{\"contains\":1}}]}", "/replies/0/expect/contains"},
    {"{\"replies\":[{\"expect\":{\"allow\":[]}}]}", "/replies/0/expect/allow"},
};

TEST(invalid_scripts_are_rejected_with_their_place)
{
    for (size_t i = 0; i < COUNT(wrong_shapes); i++) {
        script_case c;
        script_init(&c, wrong_shapes[i].script);
        CHECK_INT(c.status, HAFT_BAD_INPUT, "%s", wrong_shapes[i].script);
        CHECK_STR(haft__str(c.err.where), haft__str(wrong_shapes[i].where), "%s",
                  wrong_shapes[i].script);
        CHECK(c.err.message[0] != '\0' && c.err.hint[0] != '\0', "%s", wrong_shapes[i].script);
        haft__arena_finish(&c.arena);
    }
}

TEST(replies_are_bounded)
{
    for (int past = 0; past <= 1; past++) {
        size_t count = HAFT__LIMIT_SCRIPT_REPLIES + (size_t)past;
        haft__json *replies = test_alloc(count * sizeof(*replies));
        for (size_t i = 0; i < count; i++) {
            replies[i] = haft__json_object(NULL, 0);
        }
        haft__json_member member = {haft__json_string(HAFT__LIT("replies")),
                                    haft__json_array(replies, count)};
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__script script;
        haft_error err = {0};
        CHECK_INT(haft__script_init(&script, &arena, haft__json_object(&member, 1), &err),
                  past ? HAFT_TOO_BIG : HAFT_OK, "%zu replies: %s", count, err.message);
        CHECK(!past || strstr(err.message, "100001") != NULL, "%s", err.message);
        haft__arena_finish(&arena);
    }
}

TEST(calls_of_a_reply_are_bounded)
{
    for (int past = 0; past <= 1; past++) {
        haft__buf text;
        haft__buf_init(&text, 1 << 20);
        haft__buf_addf(&text, "{\"replies\":[{},{\"calls\":[{\"name\":\"a\"}");
        for (int i = 1; i < HAFT__LIMIT_REPLY_CALLS + past; i++) {
            haft__buf_addf(&text, ",{\"name\":\"a\"}");
        }
        haft__buf_addf(&text, "]}]}%c", '\0');
        script_case c;
        script_init(&c, text.ptr);
        CHECK_INT(c.status, past ? HAFT_TOO_BIG : HAFT_OK, "%d past the limit: %s", past,
                  c.err.message);
        if (past) {
            CHECK_STR(haft__str(c.err.where), HAFT__LIT("/replies/1/calls"), "place of the error");
            CHECK_STR(haft__str(c.err.message),
                      HAFT__LIT("expected at most 1024 calls in a reply, found 1025"),
                      "error message");
        }
        haft__arena_finish(&c.arena);
        haft__buf_finish(&text);
    }
}

/* ---- expectations ---- */

static const struct {
    const char *expect, *where, *message; /* where: NULL if the request is as expected */
} expectations[] = {
    {"{}", NULL, NULL},
    {"{\"mode\":\"tool\",\"tool\":\"docs:find\"}", NULL, NULL},
    {"{\"allowed\":[\"docs:find\"],\"declared\":[\"docs:find\",\"look\"]}", NULL, NULL},
    {"{\"contains\":\"the \\\"key\\\"\"}", NULL, NULL},
    {"{\"contains\":[\"Find\",\"once more\"]}", NULL, NULL},
    {"{\"contains\":[]}", NULL, NULL},
    {"{\"constraint\":\"none\"}", NULL, NULL},
    {"{\"constraint\":\"gbnf\"}", "constraint", "the script expects constraint gbnf, found none"},
    {"{\"mode\":\"any\"}", "mode", "the script expects mode any, found tool"},
    {"{\"tool\":\"look\"}", "tool", "the script expects tool look, found docs:find"},
    {"{\"allowed\":[]}", "allowed", "the script expects allowed [], found docs:find"},
    {"{\"allowed\":[\"look\"]}", "allowed",
     "the script expects allowed [\"look\"], found docs:find"},
    {"{\"allowed\":[\"docs:find\",\"look\"]}", "allowed",
     "the script expects allowed [\"docs:find\",\"look\"], found docs:find"},
    {"{\"declared\":[\"look\"]}", "declared",
     "the script expects declared [\"look\"], found look, docs:find"},
    {"{\"contains\":\"lock\"}", "contains",
     "the script expects contains lock, found nothing like it in the request"},
    {"{\"contains\":[\"Find\",\"lock\",\"Find\"]}", "contains",
     "the script expects contains lock, found nothing like it in the request"},
};

TEST(a_request_is_compared_with_the_expectations)
{
    for (size_t i = 0; i < COUNT(expectations); i++) {
        char text[512], where[64];
        script_case c;
        (void)snprintf(text, sizeof(text), "{\"replies\":[{},{\"expect\":%s,\"text\":\"x\"}]}",
                       expectations[i].expect);
        script_init(&c, text);
        haft__script_answer answer = {0};
        CHECK_INT(haft__script_ask(&c.script, &request, &c.arena, &answer, &c.err), HAFT_OK,
                  "a reply without expectations");
        haft_status status = haft__script_ask(&c.script, &request, &c.arena, &answer, &c.err);
        bool good = expectations[i].message == NULL;
        CHECK_INT(status, good ? HAFT_OK : HAFT_BAD_STATE, "%s: %s", expectations[i].expect,
                  c.err.message);
        CHECK_INT(c.script.next, good ? 2 : 1, "%s", expectations[i].expect);
        if (!good) {
            (void)snprintf(where, sizeof(where), "/replies/1/expect/%s", expectations[i].where);
            CHECK_STR(haft__str(c.err.message), haft__str(expectations[i].message), "%s",
                      expectations[i].expect);
            CHECK_STR(haft__str(c.err.where), haft__str(where), "%s", expectations[i].expect);
        }
        haft__arena_finish(&c.arena);
    }
}

/* ---- replies ---- */

/* A reply as one line. */
static void describe(haft__buf *buf, const haft__script_answer *answer)
{
    const haft__reply *reply = &answer->reply;
    if (answer->failed) {
        haft__buf_addf(buf, "failed %u %.*s", answer->failure.status,
                       HAFT__ARG(answer->failure.message));
    } else {
        haft__buf_addf(buf, "%.*s|%.*s|%s|%d %d %d|%.*s", HAFT__ARG(reply->content),
                       HAFT__ARG(reply->reasoning), haft__stop_reason_name(reply->stop),
                       (int)reply->usage.input, (int)reply->usage.output, (int)reply->usage.cached,
                       HAFT__ARG(reply->model));
    }
    for (size_t i = 0; !answer->failed && i < reply->call_count; i++) {
        haft__buf_addf(buf, "|%.*s %.*s %.*s", HAFT__ARG(reply->calls[i].id),
                       HAFT__ARG(reply->calls[i].name), HAFT__ARG(reply->calls[i].arguments));
    }
    if (answer->delay_ms > 0) {
        haft__buf_addf(buf, " after %d", (int)answer->delay_ms);
    }
}

static const struct {
    const char *reply, *answer;
} replies[] = {
    {"{}", "||stop|0 0 0|script"},
    {"{\"text\":\"hi\",\"reasoning\":\"hm\"}", "hi|hm|stop|0 0 0|script"},
    {"{\"text\":\"hi\",\"usage\":{\"input_tokens\":3,\"output_tokens\":2,\"cached_tokens\":1}}",
     "hi||stop|3 2 1|script"},
    {"{\"usage\":{\"output_tokens\":99999999999999999999}}", "||stop|0 0 0|script"},
    {"{\"calls\":[{\"name\":\"a\"},{\"name\":\"b\",\"arguments\":{\"x\":[1, 2]},\"id\":\"i\"},"
     "{\"name\":\"c\",\"raw\":\"{oops\"},{\"name\":\"d\",\"arguments\":\"text\"},{\"name\":\"e\","
     "\"arguments\":null}]}",
     "||tool_calls|0 0 0|script| a {}|i b {\"x\":[1,2]}| c {oops| d \"text\"| e null"},
    {"{\"calls\":[],\"text\":\"x\"}", "x||stop|0 0 0|script"},
    {"{\"text\":\"x\",\"stop\":\"length\"}", "x||length|0 0 0|script"},
    {"{\"calls\":[{\"name\":\"a\"}],\"stop\":\"refusal\"}", "||refusal|0 0 0|script| a {}"},
    {"{\"text\":\"x\",\"delay\":1.5}", "x||stop|0 0 0|script after 1500"},
    {"{\"error\":{}}", "failed 0 "},
    {"{\"error\":{\"status\":429,\"body\":\"slow down\"},\"delay\":2}",
     "failed 429 slow down after 2000"},
    {"{\"error\":{\"status\":500,\"body\":{\"a\":1}}}", "failed 500 {\"a\":1}"},
    {"{\"text\":\"12345\",\"cut\":4}", "failed 0 the reply was cut off before its end"},
    {"{\"text\":\"12345\",\"cut\":5}", "12345||stop|0 0 0|script"},
    {"{\"text\":\"12\",\"calls\":[{\"name\":\"a\",\"raw\":\"345\"}],\"cut\":4}",
     "failed 0 the reply was cut off before its end"},
    {"{\"text\":\"12\",\"calls\":[{\"name\":\"a\",\"raw\":\"345\"}],\"cut\":5}",
     "12||tool_calls|0 0 0|script| a 345"},
    {"{\"cut\":0}", "||stop|0 0 0|script"},
};

TEST(replies_are_those_of_the_script)
{
    for (size_t i = 0; i < COUNT(replies); i++) {
        char text[1024];
        script_case c;
        (void)snprintf(text, sizeof(text), "{\"replies\":[%s]}", replies[i].reply);
        script_init(&c, text);
        haft__script_answer answer = {0};
        haft__buf found;
        haft__buf_init(&found, 4096);
        CHECK_INT(haft__script_ask(&c.script, &request, &c.arena, &answer, &c.err), HAFT_OK,
                  "%s: %s", replies[i].reply, c.err.message);
        describe(&found, &answer);
        CHECK_STR(haft__buf_str(&found), haft__str(replies[i].answer), "%s", replies[i].reply);
        CHECK_INT(haft__script_ask(&c.script, &request, &c.arena, &answer, &c.err), HAFT_BAD_STATE,
                  "a second request finds no reply");
        CHECK_STR(haft__str(c.err.message),
                  HAFT__LIT("the script has 1 replies, found a request for one more"),
                  "error message");
        CHECK_STR(haft__str(c.err.where), HAFT__LIT("/replies"), "place of the error");
        haft__buf_finish(&found);
        haft__arena_finish(&c.arena);
    }
}

/* Members that only an HTTP server uses. */
TEST(cuts_and_headers_are_reported)
{
    script_case c;
    script_init(&c, "{\"replies\":[{\"text\":\"12345\",\"cut\":4},{\"text\":\"12345\","
                    "\"cut\":99999999999999999999},{},{\"error\":{\"status\":599,\"headers\":"
                    "{\"retry-after\":7}}},{\"error\":{\"status\":200}}]}");
    haft__script_answer answers[5];
    for (size_t i = 0; i < COUNT(answers); i++) {
        CHECK_INT(haft__script_ask(&c.script, &request, &c.arena, &answers[i], &c.err), HAFT_OK,
                  "reply %zu", i);
    }
    CHECK(answers[0].failed && answers[0].has_cut && answers[0].cut == 4, "a cut");
    CHECK_STR(answers[0].reply.content, HAFT__LIT("12345"), "the text of a cut reply is complete");
    CHECK(!answers[1].failed && answers[1].has_cut && answers[1].cut == UINT64_MAX,
          "a cut after the end");
    CHECK(!answers[2].has_cut && answers[2].headers.kind == HAFT__JSON_NULL,
          "neither cut nor headers");
    const haft__json *retry = haft__json_get(answers[3].headers, HAFT__LIT("retry-after"));
    CHECK(retry != NULL && haft__str_equal(haft__json_text(*retry), HAFT__LIT("7")),
          "the header of the script");
    CHECK(answers[4].failed && answers[4].headers.kind == HAFT__JSON_NULL,
          "a failure without headers");
    haft__arena_finish(&c.arena);
}

/* ---- results ---- */

static const struct {
    const char *results;
    const char *texts[3]; /* of three calls; errors have "Error: " in front, hints after "|" */
} results[] = {
    {"\"always\"", {"always", "always", "always"}},
    {"[\"a\",\"b\"]", {"a", "b", "Error: the script has no more results for this tool"}},
    {"[]",
     {"Error: the script has no more results for this tool",
      "Error: the script has no more results for this tool",
      "Error: the script has no more results for this tool"}},
    {"[1,{\"x\":[true]},null]", {"1", "{\"x\":[true]}", "null"}},
    {"{\"x\":1}", {"{\"x\":1}", "{\"x\":1}", "{\"x\":1}"}},
    {"[[1,2],\"\",{\"error\":\"gone\"}]", {"[1,2]", "", "Error: gone"}},
    {"[{\"error\":{\"message\":\"no\",\"hint\":\"try b\"}},{\"error\":{}},{\"error\":5}]",
     {"Error: no|try b", "Error: ", "Error: 5"}},
    {"{\"error\":\"never\"}", {"Error: never", "Error: never", "Error: never"}},
};

TEST(results_are_those_of_the_script)
{
    for (size_t i = 0; i < COUNT(results); i++) {
        char text[512];
        script_case c;
        (void)snprintf(text, sizeof(text), "{\"replies\":[],\"results\":{\"a\":\"x\",\"look\":%s}}",
                       results[i].results);
        script_init(&c, text);
        CHECK(haft__script_has_results(&c.script, HAFT__LIT("look")), "%s", results[i].results);
        for (size_t k = 0; k < 3; k++) {
            haft__script_result result = {0};
            haft__buf found;
            haft__buf_init(&found, 4096);
            CHECK_INT(
                haft__script_result_of(&c.script, HAFT__LIT("look"), &c.arena, &result, &c.err),
                HAFT_OK, "%s: %s", results[i].results, c.err.message);
            haft__buf_addf(&found, "%s%.*s", result.ok ? "" : "Error: ", HAFT__ARG(result.text));
            haft__buf_addf(&found, "%s%.*s", result.hint.len > 0 ? "|" : "",
                           HAFT__ARG(result.hint));
            CHECK_STR(haft__buf_str(&found), haft__str(results[i].texts[k]), "%s, call %zu",
                      results[i].results, k);
            haft__buf_finish(&found);
        }
        haft__arena_finish(&c.arena);
    }
}

TEST(a_tool_without_results_has_none)
{
    static const char *const scripts[] = {"{\"replies\":[]}", "{\"replies\":[],\"results\":{}}",
                                          "{\"replies\":[],\"results\":{\"looks\":1}}"};
    for (size_t i = 0; i < COUNT(scripts); i++) {
        script_case c;
        haft__script_result result;
        script_init(&c, scripts[i]);
        CHECK(!haft__script_has_results(&c.script, HAFT__LIT("look")), "%s", scripts[i]);
        CHECK_INT(haft__script_result_of(&c.script, HAFT__LIT("look"), &c.arena, &result, &c.err),
                  HAFT_NOT_FOUND, "%s", scripts[i]);
        CHECK_STR(haft__str(c.err.message), HAFT__LIT("the script has no results for look"), "%s",
                  scripts[i]);
        haft__arena_finish(&c.arena);
    }
}

/* ---- out of memory ---- */

/* Calls each function of a script once. */
static haft_status play_all(haft__arena *arena, haft__json document)
{
    haft__script script;
    haft__script_answer answer;
    haft__script_result result;
    haft_status status = haft__script_init(&script, arena, document, NULL);
    while (status == HAFT_OK && script.next < script.replies.count) {
        status = haft__script_ask(&script, &request, arena, &answer, NULL);
    }
    if (status == HAFT_OK) {
        status = haft__script_result_of(&script, HAFT__LIT("look"), arena, &result, NULL);
    }
    return status;
}

TEST(scripts_survive_every_failed_allocation)
{
    static const char text[] =
        "{\"replies\":[{\"expect\":{\"mode\":\"tool\",\"allowed\":[\"docs:find\"]},\"text\":\"x\"},"
        "{\"calls\":[{\"name\":\"a\",\"arguments\":{\"b\":[1]}}]},"
        "{\"error\":{\"body\":{\"c\":1}}}],\"results\":{\"look\":{\"d\":1}}}";
    haft__arena kept;
    haft__arena_init(&kept, 0);
    haft__json document;
    CHECK_INT(haft__json_read(&kept, haft__str(text), NULL, &document, NULL, NULL), HAFT_OK,
              "read");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = play_all(&arena, document);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK(n > 3, "no allocation was made");
            break;
        }
    }
    haft__arena_finish(&kept);
}

/* If the message cannot be written in full, the status stays the same. */
TEST(an_expectation_that_fails_without_memory_still_fails)
{
    script_case c;
    script_init(&c, "{\"replies\":[{\"expect\":{\"allowed\":[\"look\"]}}]}");
    haft__script_answer answer;
    test_fail_allocations_from(0);
    haft_status status = haft__script_ask(&c.script, &request, &c.arena, &answer, &c.err);
    (void)test_allow_allocations();
    CHECK_INT(status, HAFT_BAD_STATE, "%s", c.err.message);
    haft__arena_finish(&c.arena);
}

/* ---- constraints ---- */

TEST(replies_for_the_other_kind_of_request_are_skipped)
{
    static const char text[] =
        "{\"replies\":[{\"when\":\"constrained\",\"text\":\"grammar\"},{\"when\":\"free\",\"text\":"
        "\"free\"},{\"text\":\"any\",\"ignores_constraint\":true},{\"when\":\"constrained\"}]}";
    haft__request constrained = request;
    constrained.constraint.kind = HAFT__CONSTRAINT_GBNF;
    static const struct {
        bool constrained[3];
        const char *texts[3]; /* NULL: the script has no more replies */
    } orders[] = {{{false, false, false}, {"free", "any", NULL}},
                  {{true, true, true}, {"grammar", "any", ""}},
                  {{true, false, false}, {"grammar", "free", "any"}}};
    for (size_t i = 0; i < COUNT(orders); i++) {
        script_case c;
        script_init(&c, text);
        for (size_t j = 0; j < 3; j++) {
            haft__script_answer answer = {0};
            haft_status status =
                haft__script_ask(&c.script, orders[i].constrained[j] ? &constrained : &request,
                                 &c.arena, &answer, &c.err);
            CHECK_INT(status, orders[i].texts[j] != NULL ? HAFT_OK : HAFT_BAD_STATE, "%zu %zu", i,
                      j);
            if (status == HAFT_OK && orders[i].texts[j] != NULL) {
                CHECK_STR(answer.reply.content, haft__str(orders[i].texts[j]), "%zu %zu", i, j);
                CHECK_INT(answer.ignores_constraint, strcmp(orders[i].texts[j], "any") == 0,
                          "case %zu", i);
            }
        }
        haft__arena_finish(&c.arena);
    }
}

TEST(replies_that_were_used_are_skipped)
{
    script_case c;
    script_init(&c, "{\"replies\":[{\"when\":\"constrained\"},{},{\"when\":\"free\"}]}");
    static const size_t wanted[] = {2, 3, 3};
    for (size_t i = 0; i < COUNT(wanted); i++) {
        haft__script_skip_reply(&c.script);
        CHECK_INT(c.script.next, wanted[i], "case %zu", i);
    }
    haft__arena_finish(&c.arena);
}
