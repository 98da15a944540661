/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/native.c, reply.c, _gemini.c and _responses.c: whole replies,
 * event streams, and bodies that are neither. */
#include "model/native.h"
#include "model/reply_help.h"

typedef struct native_case {
    const char *name, *body, *wanted;
} native_case;

static haft_status describe(haft__native_read *read, haft_str body, haft__buf *buf)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__model_outcome answer;
    haft_status status = read(body, (haft__hash_key){1, 2}, &arena, &answer, NULL);
    if (status == HAFT_OK) {
        help_describe(buf, &answer);
    }
    haft__arena_finish(&arena);
    return status;
}

static void check_memory(haft__native_read *read, haft_str body, const char *name)
{
    for (unsigned n = 0;; n++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 16);
        test_fail_allocation(n);
        haft_status status = describe(read, body, &buf);
        bool happened = test_allow_allocations();
        CHECK(status == (happened && buf.status == HAFT_OK ? HAFT_NO_MEMORY : HAFT_OK)
                  || buf.status == HAFT_NO_MEMORY,
              "%s: allocation %u: %d", name, n, status);
        haft__buf_finish(&buf);
        if (!happened) {
            return;
        }
    }
}

static void check_all(haft__native_read *read, const native_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft_str body = strchr(cases[i].body, '\n') == NULL ? help_quotes(cases[i].body)
                                                            : help_events(cases[i].body);
        haft__buf buf;
        haft__buf_init(&buf, 1 << 16);
        CHECK_INT(describe(read, body, &buf), HAFT_OK, "%s", cases[i].name);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].wanted), "%s", cases[i].name);
        haft__buf_finish(&buf);
        check_memory(read, body, cases[i].name);
    }
}

static const native_case gemini[] = {
    {"a text and a call",
     "{'candidates':[{'finishReason':'STOP','content':{'parts':[{'text':'hm','thought':true},"
     "{'text':'Ok.'},{'functionCall':{'name':'f','args':{'a':1.50}}},"
     "{'functionCall':{'id':'7','name':'g'}}]}}]}",
     "Ok.|hm|tool_calls|0 0 0|| f {\"a\":1.50}|7 g "},
    {"several values",
     "[{'candidates':[{'content':{'parts':[{'text':'a'}]}}]},"
     "{'candidates':[{'finishReason':'MAX_TOKENS'}]}]",
     "a||length|0 0 0|"},
    {"a stream",
     "{'candidates':[{'content':{'parts':[{'text':'a'}]}}]}\n"
     "{'candidates':[{'content':{'parts':[{'functionCall':{'name':'f','args':null}}]}}]}\n"
     "{'usageMetadata':{}}\n"
     "{'candidates':[{'finishReason':'STOP'}]}\n[DONE]",
     "a||tool_calls|0 0 0|| f "},
    {"a stream that breaks off",
     "{'candidates':[{'content':{'parts':[{'text':'a'}]}}]}\n"
     "{'candidates':[]}",
     "cut 0 the reply was cut off before its end"},
    {"what is not let pass", "{'candidates':[{'finishReason':'SAFETY'}]}", "||refusal|0 0 0|"},
    {"a call that went wrong", "{'candidates':[{'finishReason':'MALFORMED_FUNCTION_CALL'}]}",
     "garbled 0 the model wrote a malformed call"},
    {"no candidate", "{'promptFeedback':{'blockReason':'OTHER'}}",
     "garbled 0 expected a reply, found something else"},
    {"odd parts", "{'candidates':[{'content':{'parts':[5,null,'x',{'functionCall':7}]}}]}",
     "||stop|0 0 0|"},
};

/* Events as they come, but without anything around them. */
TEST(events_may_stand_on_lines)
{
    static const char two[] = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n"
                              "{\"candidates\":[{\"finishReason\":\"STOP\"}]}\n";
    static const struct {
        haft_str body;
        const char *wanted;
    } cases[] = {
        {{two, sizeof(two) - 1}, "a||stop|0 0 0|"},
        {{two, sizeof(two) - 5},
         "cut 0 expected ',' or '}' after the member, found the end of"
         " the text"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 16);
        CHECK_INT(describe(haft__gemini_read, cases[i].body, &buf), HAFT_OK, "%zu", i);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].wanted), "%zu", i);
        haft__buf_finish(&buf);
        check_memory(haft__gemini_read, cases[i].body, "lines");
    }
    CHECK(!haft__native_is_event_lines(HAFT__LIT("{\n\"a\":{}\n}")), "an object over lines");
    CHECK(!haft__native_is_event_lines(HAFT__LIT("{}")), "an object");
    CHECK(!haft__native_is_event_lines(HAFT__LIT("data: {}\n{}")), "events");
}

TEST(replies_of_gemini_are_read)
{
    check_all(haft__gemini_read, gemini, COUNT(gemini));
}
