/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/cache_audit.c. */
#include "model/cache_audit.h"

#include "base/str.h"
#include "test.h"

static const haft__tool one = {.name = HAFT__LIT("one")}, two = {.name = HAFT__LIT("two")},
                        file = {.name = HAFT__LIT("file"), .role = HAFT__ROLE_ARTIFACT};

static haft__message items[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
};

typedef struct step {
    const char *body; /* '|' ends the part that the next request should begin with */
    const haft__tool *tools[3];
    const char *model;
    bool apart, transcript;
    uint64_t same, bytes;
    const char *where, *cause;
} step;

static haft_status compare(haft__cache_audit *audit, const step *s, bool earlier,
                           haft__cache_finding *ret_finding)
{
    haft__messages messages = {.items = items, .count = COUNT(items)};
    haft__request request = {.model = haft__str(s->model),
                             .messages = &messages,
                             .tools = s->tools,
                             .transcript = s->transcript};
    char body[256];
    haft_str text = haft__str(s->body);
    haft_str rest = text;
    size_t stable = haft__str_split(&rest, '|').len;
    while (request.tool_count < COUNT(s->tools) && s->tools[request.tool_count] != NULL) {
        request.tool_count++;
    }
    (void)snprintf(body, sizeof(body), "%.*s%.*s", (int)stable, text.ptr, HAFT__ARG(rest));
    haft__cache_request sent = {.request = &request,
                                .body = haft__str(body),
                                .stable = stable,
                                .apart = s->apart,
                                .has_earlier = earlier};
    return haft__cache_audit_compare(audit, &sent, ret_finding, NULL);
}

static void check(haft__cache_audit *audit, const step *s, const char *name)
{
    haft__cache_finding found;
    CHECK_INT(compare(audit, s, false, &found), HAFT_OK, "%s", name);
    CHECK_INT(found.same_bytes, s->same, "%s", name);
    CHECK_INT(found.bytes, s->bytes, "%s", name);
    CHECK_STR(haft__str(found.where), haft__str(s->where), "%s", name);
    CHECK_STR(haft__str(haft__cache_cause_name(found.cause)), haft__str(s->cause), "%s", name);
}

#define A "{\"model\":\"m\",\"tools\":[{\"a\":[1,2]}],\"messages\":[{\"s\":\"x,]\"}"

static const struct {
    const char *name;
    step first, second;
} cases[] = {
    {"the same start",
     {A "|],\"choice\":1}", {&one}, "m", false, false, 0, 0, "", "first"},
     {A ",{\"u\":1}|],\"choice\":2}", {&one}, "m", false, false, 58, 58, "", "none"}},
    {"one more tool",
     {A "|]}", {&one}, "m", false, false, 0, 0, "", "first"},
     {"{\"model\":\"m\",\"tools\":[{\"a\":[1,2]},{}],\"messages\":[|]}",
      {&one, &two},
      "m",
      false,
      false,
      33,
      58,
      "/tools/0",
      "tools_revealed"}},
    {"one more artifact tool",
     {A "|]}", {&one}, "m", false, false, 0, 0, "", "first"},
     {"{\"model\":\"m\",\"tools\":[{\"a\":[1,2]},{}],\"messages\":[|]}",
      {&one, &file},
      "m",
      false,
      false,
      33,
      58,
      "/tools/0",
      "gate_opened"}},
    {"another tool",
     {A "|]}", {&one}, "m", false, false, 0, 0, "", "first"},
     {"{\"model\":\"m\",\"tools\":[{\"b\":[1,2]}],\"messages\":[|]}",
      {&two},
      "m",
      false,
      false,
      24,
      58,
      "/tools/0",
      "tools_changed"}},
    {"one tool less",
     {A "|]}", {&one, &two}, "m", false, false, 0, 0, "", "first"},
     {"{\"model\":\"m\",\"tools\":[{\"b\":[1,2]}],\"messages\":[|]}",
      {&one},
      "m",
      false,
      false,
      24,
      58,
      "/tools/0",
      "tools_changed"}},
    {"only one tool",
     {A "|]}", {&one, &two}, "m", false, false, 0, 0, "", "first"},
     {"{\"model\":\"m\",\"tools\":[{\"b\":[1,2]}],\"messages\":[|]}",
      {&one, &two},
      "m",
      false,
      false,
      24,
      58,
      "/tools/0",
      "choice"}},
    {"another model",
     {A "|]}", {&one}, "m", false, false, 0, 0, "", "first"},
     {"{\"model\":\"n\",\"tools\":[|]}", {&one}, "n", false, false, 10, 58, "/model", "model"}},
    {"another system prompt",
     {A ",{\"u\":1}|]}", {NULL}, "m", false, false, 0, 0, "", "first"},
     {"{\"model\":\"m\",\"tools\":[{\"a\":[1,2]}],\"messages\":[{\"s\":\"y\"}|]}",
      {NULL},
      "m",
      false,
      false,
      53,
      66,
      "/messages/0",
      "system"}},
    {"a changed earlier message",
     {A ",{\"u\":1}|]}", {NULL}, "m", false, false, 0, 0, "", "first"},
     {A ",{\"u\":2}|]}", {NULL}, "m", false, false, 64, 66, "/messages/1", "history"}},
    {"a transcript",
     {A ",{\"u\":1}|]}", {NULL}, "m", false, true, 0, 0, "", "first"},
     {A ",{\"u\":2}|]}", {NULL}, "m", false, true, 64, 66, "/messages/1", "transcript"}},
    {"another format",
     {A "|]}", {&one}, "m", false, false, 0, 0, "", "first"},
     {"{\"model\":\"m\",\"x\":1|}", {&one}, "m", true, false, 14, 58, "/model", "format"}},
};

TEST(a_difference_has_its_place_and_its_cause)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__cache_audit audit;
        haft__cache_audit_init(&audit);
        check(&audit, &cases[i].first, cases[i].name);
        check(&audit, &cases[i].second, cases[i].name);
        haft__cache_audit_finish(&audit);
    }
}

/* A request in another format does not replace the one that the conversation continues. */
TEST(a_conversation_continues_after_a_request_in_another_format)
{
    static const step steps[] = {
        {"[1|]", {NULL}, "m", false, false, 0, 0, "", "first"},
        {"{}|", {NULL}, "m", true, false, 0, 2, "/", "format"},
        {"[1,2|]", {NULL}, "m", false, false, 2, 2, "", "none"},
    };
    haft__cache_audit audit;
    haft__cache_audit_init(&audit);
    for (size_t i = 0; i < COUNT(steps); i++) {
        check(&audit, &steps[i], "step");
    }
    haft__cache_audit_finish(&audit);
}

TEST(a_run_that_waited_is_compared_by_a_hash)
{
    static const step steps[] = {
        {"{\"s\":[1|]}", {NULL}, "m", false, false, 0, 0, "", "first"},
        {"{\"s\":[1,2|]}", {NULL}, "m", false, false, 7, 7, "", "none"},
        {"{\"s\":[1,3|]}", {NULL}, "m", false, false, 0, 9, "", "history"},
        {"{\"s\":[1,3,4|]}", {NULL}, "m", false, false, 9, 9, "", "none"},
    };
    haft__cache_audit audit;
    haft__cache_audit_init(&audit);
    for (size_t i = 0; i < COUNT(steps); i++) {
        check(&audit, &steps[i], "step");
        haft__cache_audit_shrink(&audit);
        haft__cache_audit_shrink(&audit);
        CHECK(audit.before.ptr == NULL, "the bytes are freed");
    }
    haft__cache_audit_finish(&audit);
}

TEST(a_resumed_run_has_no_request_to_compare_with)
{
    static const step only = {"[1|]", {NULL}, "m", false, false, 0, 0, "", ""};
    haft__cache_audit audit;
    haft__cache_finding found;
    haft__cache_audit_init(&audit);
    CHECK_INT(compare(&audit, &only, true, &found), HAFT_OK, "compare after a resume");
    CHECK_INT(found.cause, HAFT__CACHE_CAUSE_RESUMED, "cause after a resume");
    haft__cache_audit_finish(&audit);
    test_fail_allocation(0);
    haft_status status = compare(&audit, &only, false, &found);
    CHECK(test_allow_allocations(), "the failing allocation was not reached");
    CHECK_INT(status, HAFT_NO_MEMORY, "out of memory");
    haft__cache_audit_finish(&audit);
}
