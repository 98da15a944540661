/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/fold/nested.c and src/run/nested.c: calls that code makes. */
#include "base/str.h"
#include "run/fold/fold_int.h"
#include "run/host.h"
#include "run/nested.h"
#include "run/run_help.h"
#include "tool/builtin.h"

/* A run whose call c1.1 runs code. */
static void begin(help_run *r)
{
    help_run_init(r, "agent; tools=python_execution,send; format=codemode", "{\"replies\":[]}");
    haft__run *run = &r->drive.run;
    CHECK_INT(haft__fold_grow_calls(run, 2, NULL), HAFT_OK, "calls");
    run->calls[0] =
        (haft__run_call){.id = HAFT__LIT("c1.1"),
                         .name = HAFT__LIT("python_execution"),
                         .tool = haft__tools_find(run->tools, HAFT__LIT("python_execution")),
                         .stage = HAFT__CALL_STARTED,
                         .repeats = 2};
    run->calls[1] = (haft__run_call){.id = HAFT__LIT("c1.2"),
                                     .tool = haft__tools_find(run->tools, HAFT__LIT("send")),
                                     .stage = HAFT__CALL_STARTED};
    run->call_count = 2;
    run->stage = HAFT__RUN_CALLING;
}

static haft_status fold(help_run *r, const char *fields, haft_error *err)
{
    haft__event event;
    haft_str line =
        haft__arena_format(&r->arena,
                           "{\"seq\":9,\"at\":\"1970-01-01T00:16:40.130Z\",\"run\":\"" HELP_RUN
                           "\",\"kind\":\"call_requested\",%s}",
                           fields);
    CHECK_INT(haft__event_read(&r->arena, line, HELP_KEY, &event, err), HAFT_OK, "%s",
              err->message);
    return haft__fold_call_requested(&r->drive.run, &event, err);
}

#define REST "\"tool\":\"send\",\"arguments\":\"{}\",\"hash\":\"0123456789abcdef\""

TEST(a_call_of_code_joins_the_calls_of_its_turn)
{
    help_run r;
    haft_error err = {0};
    begin(&r);
    haft__run *run = &r.drive.run;
    CHECK(!haft__call_waits_for_nested(run, &run->calls[0]), "it waits");
    CHECK_INT(fold(&r, "\"call\":\"c1.1.1\",\"parent\":\"c1.1\"," REST, &err), HAFT_OK, "%s",
              err.message);
    CHECK_INT(fold(&r, "\"call\":\"c1.1.2\",\"parent\":\"c1.1\",\"redacted\":true," REST, &err),
              HAFT_OK, "%s", err.message);
    CHECK_INT(run->call_count, 4, "calls");
    const haft__run_call *first = haft__nested_find(run, 0, 1),
                         *second = haft__nested_find(run, 0, 2);
    CHECK(first == &run->calls[2] && second == &run->calls[3], "they are not found");
    CHECK(haft__nested_find(run, 0, 3) == NULL, "a third call");
    CHECK_STR(first->parent, HAFT__LIT("c1.1"), "parent");
    CHECK(first->asked == 0x0123456789abcdef && !first->redacted && second->redacted, "fields");
    CHECK_INT(run->calls[0].repeats, 0, "code that makes progress is not counted as crashing");
    CHECK(haft__call_waits_for_nested(run, &run->calls[0]), "the code does not wait");
    CHECK(!haft__call_waits_for_nested(run, &run->calls[1]), "another call waits");
    run->calls[2].stage = HAFT__CALL_FINISHED;
    CHECK(haft__call_waits_for_nested(run, &run->calls[0]), "one is still open");
    run->calls[3].stage = HAFT__CALL_REFUSED;
    CHECK(!haft__call_waits_for_nested(run, &run->calls[0]), "both are over");
    help_run_finish(&r);
}

TEST(a_bad_request_is_rejected)
{
    static const struct {
        const char *fields, *why;
    } cases[] = {
        {"\"call\":\"c1.1.2\",\"parent\":\"c1.1\"," REST, "not the next one"},
        {"\"call\":\"c1.1.1\",\"parent\":\"c9.1\"," REST, "no code is running"},
        {"\"call\":\"c1.2.1\",\"parent\":\"c1.2\"," REST, "no code is running"},
        {"\"call\":\"c1.1.1\"," REST, "no code is running"},
        {"\"call\":\"c1.1.1\",\"parent\":\"c1.1\",\"tool\":\"send\",\"arguments\":\"{}\","
         "\"hash\":\"x\"",
         "the hash is not valid"},
        {"\"call\":\"c1.1.1\",\"parent\":\"c1.1\",\"tool\":\"send\",\"arguments\":{}", "arguments"},
        {"\"parent\":\"c1.1\"," REST, "call"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_run r;
        haft_error err = {0};
        begin(&r);
        CHECK_INT(fold(&r, cases[i].fields, &err), HAFT_BAD_INPUT, "case %zu", i);
        CHECK(strstr(err.message, cases[i].why) != NULL, "%s", err.message);
        CHECK_INT(r.drive.run.call_count, 2, "case %zu", i);
        help_run_finish(&r);
    }
}

TEST(code_is_repeatable_and_its_calls_are_compared_by_hash)
{
    help_run r;
    haft__json one, other, differs;
    uint64_t hashes[4];
    begin(&r);
    CHECK(haft__call_is_repeatable(&r.drive.run.calls[0]), "code");
    CHECK(!haft__call_is_repeatable(&r.drive.run.calls[1]), "a tool with effects");
    CHECK(haft__call_runs_code(&r.drive.run.calls[0])
              && !haft__call_runs_code(&r.drive.run.calls[1]),
          "which call runs code");
    one = help_json(&r.arena, "{\"a\":1,\"b\":2}");
    other = help_json(&r.arena, "{\"b\":2,\"a\":1.0}");
    differs = help_json(&r.arena, "{\"a\":1,\"b\":3}");
    CHECK_INT(haft__nested_hash(HAFT__LIT("t"), one, &hashes[0], NULL), HAFT_OK, "hash");
    CHECK_INT(haft__nested_hash(HAFT__LIT("t"), other, &hashes[1], NULL), HAFT_OK, "hash");
    CHECK_INT(haft__nested_hash(HAFT__LIT("t"), differs, &hashes[2], NULL), HAFT_OK, "hash");
    CHECK_INT(haft__nested_hash(HAFT__LIT("u"), one, &hashes[3], NULL), HAFT_OK, "hash");
    CHECK(hashes[0] == hashes[1], "the order of members and the form of numbers do not count");
    CHECK(hashes[0] != hashes[2] && hashes[0] != hashes[3], "other arguments, another tool");
    haft_str id = haft__nested_id(&r.arena, &r.drive.run.calls[0]);
    CHECK_STR(id, HAFT__LIT("c1.1.1"), "id");
    help_run_finish(&r);
}
