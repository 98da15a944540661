/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/decide/input.c: the input events of a host, byte for byte. */
#include "run/decide/decide.h"
#include "run/run_help.h"

static const haft__spec spec = {
    .name = HAFT__LIT("report"), .hash = HAFT__LIT("abc"), .limits = {.observation_chars = 3}};
static const haft__run run = {.spec = &spec, .turn = 2};

static void check(haft__buf *found, const char *wanted, const char *name)
{
    CHECK_STR(haft__buf_str(found), haft__str(wanted), "%s", name);
    haft__buf_clear(found);
}

TEST(inputs_have_the_expected_bytes)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft_str none = {NULL, 0};
    haft__input_run_started(&buf, &spec, HAFT__LIT("do \"it\""), HAFT__LIT("t1"), none, none);
    check(
        &buf,
        "\"kind\":\"run_started\",\"version\":1,\"spec\":\"abc\",\"name\":\"report\",\"task\":\"do "
        "\\\"it\\\"\",\"thread\":\"t1\",\"parent\":null,\"user\":null}",
        "a run");
    haft__input_run_started(&buf, &spec, none, HAFT__LIT("t1"), HAFT__LIT("r0"), HAFT__LIT("me"));
    check(
        &buf,
        "\"kind\":\"run_started\",\"version\":1,\"spec\":\"abc\",\"name\":\"report\",\"task\":\"\","
        "\"thread\":\"t1\",\"parent\":\"r0\",\"user\":\"me\"}",
        "a child");
    haft__model_failure failure = {.status = 503, .message = HAFT__LIT("busy\n")};
    haft__input_model_failed(&buf, &failure, 12);
    check(&buf,
          "\"kind\":\"model_failed\",\"status\":503,\"message\":\"busy\\n\",\"failure\":\"other\","
          "\"ms\":12}",
          "a failure");
    static const haft__optional_member member = {"grammar", HAFT__MEMBER_GRAMMAR, {NULL}};
    haft__input_option_refused(&buf, &member, &failure, true, 12);
    check(&buf,
          "\"kind\":\"option_refused\",\"member\":\"grammar\",\"status\":503,"
          "\"remembered\":true,\"message\":\"busy\\n\",\"ms\":12}",
          "a constraint");
    haft__input_answered(&buf, HAFT__LIT("c1.1"), HAFT__LIT("me"), HAFT__LIT("answer"),
                         haft__json_string(HAFT__LIT("yes")));
    check(&buf,
          "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"me\",\"verdict\":\"answer\",\"value\":"
          "\"yes\"}",
          "an answer");
    haft__input_cancel_asked(&buf, HAFT__LIT("me"), HAFT__LIT("enough"));
    check(&buf, "\"kind\":\"cancel_asked\",\"by\":\"me\",\"why\":\"enough\"}", "cancel");
    haft__buf_finish(&buf);
}

TEST(a_reply_becomes_an_event)
{
    static const haft__message_call calls[] = {
        {HAFT__LIT("a"), HAFT__LIT("look"), .arguments = HAFT__LIT("{}")},
        {HAFT__LIT("a"), HAFT__LIT("lo\0ok"), .arguments = HAFT__LIT("{\"\xFF\"")},
    };
    haft__reply reply = {.content = HAFT__LIT("t\xFFt"),
                         .reasoning = HAFT__LIT("r"),
                         .calls = calls,
                         .call_count = 2,
                         .usage = {1, 2, 3},
                         .stop = HAFT__STOP_LENGTH,
                         .model = HAFT__LIT("m")};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft__input_model_replied(&buf, &run, &reply, 5);
    check(
        &buf,
        "\"kind\":\"model_replied\",\"content\":\"t\xEF\xBF\xBDt\",\"reasoning\":\"r\",\"calls\":["
        "{\"call\":\"c2.1\",\"model_call\":\"a\",\"name\":\"look\",\"arguments\":\"{}\"},"
        "{\"call\":\"c2.2\",\"model_call\":\"c2.2\",\"name\":\"lo\\u0000ok\",\"arguments\":"
        "\"{\\\"\xEF\xBF\xBD\\\"\"}],\"usage\":{\"input_tokens\":1,\"output_tokens\":2,"
        "\"cached_tokens\":3},\"stop\":\"length\",\"model\":\"m\",\"ms\":5}",
        "a reply");
    haft__buf_finish(&buf);
}

TEST(items_of_the_provider_are_in_the_event_of_a_reply)
{
    haft__spec asked_spec = {.model = {.provider = HAFT__LIT("p"), .model = HAFT__LIT("alias")}};
    haft__run asked = run;
    haft__reply reply = {.content = HAFT__LIT(""),
                         .reasoning = HAFT__LIT(""),
                         .items = HAFT__LIT("[{\"s\":\"\\u0041\"}]"),
                         .endpoint = HAFT__LIT("0a"),
                         .usage = {.input = 9, .output = 5, .cache_write = 4, .reasoning = 3},
                         .model = HAFT__LIT("m")};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    asked.spec = &asked_spec;
    haft__input_model_replied(&buf, &asked, &reply, 5);
    check(&buf,
          "\"kind\":\"model_replied\",\"content\":\"\",\"reasoning\":\"\",\"calls\":[],"
          "\"usage\":{\"input_tokens\":9,\"output_tokens\":5,\"cached_tokens\":0,"
          "\"cache_write_tokens\":4,\"reasoning_tokens\":3},\"stop\":\"stop\",\"model\":\"m\","
          "\"ms\":5,\"provider_items\":{\"provider\":\"p\",\"model\":\"alias\",\"endpoint\":\"0a\","
          "\"json\":"
          "\"[{\\\"s\\\":\\\"\\\\u0041\\\"}]\"}}",
          "items");
    haft__buf_finish(&buf);
}

/* Ids from the model, and the ids that the model then gets back. */
static const struct {
    const char *name, *given[4], *known[4];
} ids[] = {
    {"an id of the model", {"a", "b"}, {"a", "b"}},
    {"none", {"", "", "x"}, {"c2.1", "c2.2", "x"}},
    {"the same id twice", {"a", "a", "b", "a"}, {"a", "c2.2", "b", "c2.4"}},
    {"the id that haft gives to another call", {"c2.2", ""}, {"c2.1", "c2.2"}},
    {"the id that haft gave in another turn", {"c1.1", "c99.100"}, {"c2.1", "c2.2"}},
    {"an id that looks like one of haft",
     {"c2", "c2.", "c2.1a", "d2.1"},
     {"c2", "c2.", "c2.1a", "d2.1"}},
};

TEST(every_call_has_an_id_of_its_own)
{
    for (size_t i = 0; i < COUNT(ids); i++) {
        haft__message_call calls[4];
        haft__reply reply = {.calls = calls};
        for (; reply.call_count < 4 && ids[i].given[reply.call_count] != NULL; reply.call_count++) {
            calls[reply.call_count] =
                (haft__message_call){haft__str(ids[i].given[reply.call_count]), HAFT__LIT("look"),
                                     .arguments = HAFT__LIT("{}")};
        }
        haft__buf buf;
        haft__buf_init(&buf, 1 << 16);
        haft__input_model_replied(&buf, &run, &reply, 5);
        const char *rest = help_keep(haft__buf_str(&buf)).ptr;
        for (size_t k = 0; k < reply.call_count; k++) {
            char wanted[64];
            (void)snprintf(wanted, sizeof(wanted), "\"model_call\":\"%s\",", ids[i].known[k]);
            const char *at = strstr(rest, "\"model_call\"");
            rest = at != NULL ? at : "";
            CHECK(strncmp(rest, wanted, strlen(wanted)) == 0, "%s: %.40s", ids[i].name, rest);
            rest += at != NULL;
        }
        haft__buf_finish(&buf);
    }
}

TEST(a_result_becomes_an_event)
{
    haft__run_call call = {.id = HAFT__LIT("c2.1"), .name = HAFT__LIT("look")};
    static const struct {
        const char *name;
        haft__outcome outcome;
        const char *body;
    } results[] = {
        {"good",
         {.ok = true, .text = HAFT__LIT("abc"), .ms = 4},
         "\"ok\":true,\"result\":\"abc\",\"error\":null,\"truncated\":false,\"cached\":false,"
         "\"ms\":4,"
         "\"arguments\":null,\"note\":null}"},
        {"three characters of several bytes",
         {.ok = true, .text = HAFT__LIT("\xC3\xA4\xE2\x82\xAC.")},
         "\"ok\":true,\"result\":\"\xC3\xA4\xE2\x82\xAC.\",\"error\":null,\"truncated\":false,"
         "\"cached\":false,\"ms\":0,\"arguments\":null,\"note\":null}"},
        {"one past the limit",
         {.ok = true, .text = HAFT__LIT("abcd")},
         "\"ok\":true,\"result\":\"abcd\",\"error\":null,\"truncated\":true,\"cached\":false,"
         "\"ms\":0,"
         "\"arguments\":null,\"note\":null}"},
        {"bad",
         {.ok = false,
          .text = HAFT__LIT("not there"),
          .where = HAFT__LIT("/q"),
          .hint = HAFT__LIT("look")},
         "\"ok\":false,\"result\":null,\"error\":{\"where\":\"/q\",\"message\":\"not "
         "there\",\"hint\":"
         "\"look\"},\"truncated\":false,\"cached\":false,\"ms\":0,\"arguments\":null,\"note\":"
         "null}"},
    };
    for (size_t i = 0; i < COUNT(results); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 16);
        haft__input_call_finished(&buf, &run, &call, &results[i].outcome);
        haft_str head =
            HAFT__LIT("\"kind\":\"call_finished\",\"call\":\"c2.1\",\"tool\":\"look\",");
        CHECK(haft__str_starts_with(haft__buf_str(&buf), head), "%s", results[i].name);
        CHECK_STR(haft__str_skip(haft__buf_str(&buf), head.len), haft__str(results[i].body), "%s",
                  results[i].name);
        haft__buf_finish(&buf);
    }
}
