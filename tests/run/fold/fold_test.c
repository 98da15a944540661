/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/fold/fold.c and src/run/fold/call.c: which events may follow which, and fields
 * that are missing or wrong. The results of folding are tested in decide_test.c and cut_test.c. */
#include "run/run.h"

#include "run/scenario_help.h"

#define HASH  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define WORDS "agent; tools=look,pick!headless,store_artifact"

/* One event of each kind; those about a call are about c1.1. */
#define STARTED                                                                                    \
    "\"kind\":\"run_started\",\"version\":1,\"spec\":\"" HASH                                      \
    "\",\"name\":\"test\",\"task\":\"t\","                                                         \
    "\"thread\":\"" HELP_THREAD "\",\"parent\":null,\"user\":null}"
#define TURN                                                                                       \
    "\"kind\":\"turn_started\",\"turn\":1,\"mode\":\"auto\",\"tool\":null,\"allowed\":[\"look\"]," \
    "\"declared\":[],\"format\":\"native\",\"reason\":\"\",\"gate\":null,\"final\":false}"
#define REPLIED                                                                                    \
    "\"kind\":\"model_replied\",\"content\":\"\",\"reasoning\":\"\",\"calls\":["                   \
    "{\"call\":\"c1.1\",\"model_call\":\"m1\",\"name\":\"look\",\"arguments\":\"{}\"},"            \
    "{\"call\":\"c1.2\",\"model_call\":\"m2\",\"name\":\"pick\",\"arguments\":\"{}\"},"            \
    "{\"call\":\"c1.3\",\"model_call\":\"m3\",\"name\":\"none\",\"arguments\":\"{}\"}],"           \
    "\"usage\":{\"input_tokens\":1,\"output_tokens\":1,\"cached_tokens\":0},"                      \
    "\"stop\":\"tool_calls\",\"model\":\"m\",\"ms\":1}"
#define INTERRUPTED                                                                                \
    "\"kind\":\"model_replied\",\"content\":\"So far\",\"reasoning\":\"\",\"calls\":[],"           \
    "\"usage\":{\"input_tokens\":1,\"output_tokens\":1,\"cached_tokens\":0},"                      \
    "\"stop\":\"pause\",\"model\":\"m\",\"ms\":1}"
#define CHANGED                                                                                    \
    "\"kind\":\"model_changed\",\"turn\":1,\"from\":\"a:b\",\"to\":\"c:d\",\"failure\":\"cut\","   \
    "\"format\":\"native\"}"
#define FAILED                                                                                     \
    "\"kind\":\"model_failed\",\"status\":500,\"message\":\"oops\",\"failure\":\"transient\","     \
    "\"ms\":1}"
#define HELD                                                                                       \
    "\"kind\":\"constrained\",\"turn\":1,\"format\":\"hermes\",\"constraint\":\"gbnf\","           \
    "\"bytes\":1,\"sha256\":\"\",\"relaxed\":[],\"relaxed_count\":0}"
#define UNHELD                                                                                     \
    "\"kind\":\"option_refused\",\"member\":\"grammar\",\"status\":400,"                           \
    "\"remembered\":false,\"message\":\"no\",\"ms\":1}"
#define VIOLATION "\"kind\":\"violation\",\"turn\":1,\"try\":1,\"text\":\"again\"}"
#define REMINDED  "\"kind\":\"reminded\",\"turn\":1,\"try\":1,\"text\":\"go on\"}"
#define CALL                                                                                       \
    "\"kind\":\"call_started\",\"call\":\"c1.1\",\"model_call\":\"m1\",\"tool\":\"look\","         \
    "\"arguments\":{\"n\":7},\"attempt\":1,\"idempotency_key\":\"k\",\"note\":null}"
#define FINISHED                                                                                   \
    "\"kind\":\"call_finished\",\"call\":\"c1.1\",\"tool\":\"look\",\"ok\":true,\"result\":\"r\"," \
    "\"error\":null,\"truncated\":false,\"cached\":false,\"ms\":1,\"arguments\":null,\"note\":"    \
    "null}"
#define REFUSED                                                                                    \
    "\"kind\":\"call_refused\",\"call\":\"c1.1\",\"model_call\":\"m1\",\"tool\":\"look\","         \
    "\"why\":\"guard\",\"text\":\"no\"}"
#define PAUSED                                                                                     \
    "\"kind\":\"paused\",\"call\":\"c1.1\",\"pause\":\"approval\",\"tool\":\"look\","              \
    "\"arguments\":{},\"question\":null,\"deadline\":null,\"on_expire\":null}"
#define ANSWERED                                                                                   \
    "\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"me\",\"verdict\":\"approve\",\"value\":"     \
    "null}"
#define STORED                                                                                     \
    "\"kind\":\"artifact_stored\",\"call\":\"c1.1\",\"name\":\"a\",\"media_type\":\"text/plain\"," \
    "\"bytes\":1,\"sha256\":\"" HASH "\"}"
/* A binary result with its content, "a". */
#define RESULT                                                                                     \
    "\"kind\":\"artifact_stored\",\"call\":\"c1.1\",\"name\":\"look-1.bin\",\"media_type\":"       \
    "\"application/octet-stream\",\"bytes\":1,\"sha256\":"                                         \
    "\"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\",\"encoding\":"           \
    "\"base64\","                                                                                  \
    "\"content\":\"YQ==\"}"
#define CANCEL "\"kind\":\"cancel_asked\",\"by\":\"me\",\"why\":\"enough\"}"
#define ENDED                                                                                      \
    "\"kind\":\"run_finished\",\"end\":\"done\",\"answer\":\"a\",\"exhausted\":false,"             \
    "\"forced_final\":false,\"turns\":1,\"calls\":0,\"usage\":{},\"reason\":\"r\",\"error\":null}"

/* The states that a run can be in, by their events. */
static const struct {
    const char *name, *bodies[8];
} places[] = {
    {"new", {0}},
    {"idle", {STARTED}},
    {"asking", {STARTED, TURN}},
    {"failed", {STARTED, TURN, FAILED}},
    {"judging", {STARTED, TURN, REPLIED}},
    {"started", {STARTED, TURN, REPLIED, CALL}},
    {"paused", {STARTED, TURN, REPLIED, PAUSED}},
    {"answered", {STARTED, TURN, REPLIED, PAUSED, ANSWERED}},
    {"finished", {STARTED, TURN, REPLIED, CALL, FINISHED}},
    {"refused", {STARTED, TURN, REPLIED, REFUSED}},
    {"ended", {STARTED, ENDED}},
};

typedef struct fold_case {
    haft__arena arena;
    help_spec spec;
    haft__run run;
    haft_error err;
} fold_case;

static void fold_init(fold_case *c)
{
    *c = (fold_case){0};
    haft__arena_init(&c->arena, 0);
    help_spec_init(&c->spec, &c->arena, HAFT__LIT(WORDS));
    CHECK_INT(haft__run_init(&c->run, &c->arena, &c->spec.spec, HELP_KEY, NULL), HAFT_OK, "init");
}

static haft_status fold_body(fold_case *c, const char *body)
{
    haft__buf line;
    haft__buf_init(&line, 1 << 20);
    haft__event_write(&line, c->run.seq + 1, 1000 * (c->run.seq + 1), HAFT__LIT(HELP_RUN),
                      haft__str(body));
    haft_status status = haft__run_fold(&c->run, haft__buf_str(&line), &c->err);
    haft__buf_finish(&line);
    return status;
}

static void fold_place(fold_case *c, size_t place)
{
    fold_init(c);
    for (size_t i = 0; places[place].bodies[i] != NULL; i++) {
        CHECK_INT(fold_body(c, places[place].bodies[i]), HAFT_OK, "%s: %s", places[place].name,
                  c->err.message);
    }
}

/* The reasons of errors, by a letter. */
static const struct {
    char letter;
    const char *reason;
} reasons[] = {
    {'s', "the run has already started"},
    {'n', "the run has not started"},
    {'f', "the model call has failed"},
    {'e', "the run has ended"},
    {'t', "the previous turn has not ended"},
    {'b', "a gate opens only between turns"},
    {'m', "no request is open"},
    {'j', "there is no reply to judge"},
    {'w', "the run has no open calls"},
    {'p', "the call is in a later stage"},
    {'r', "the call already has a result, or cannot have one"},
    {'q', "the call is not paused"},
    {'a', "the call is pending"},
    {'g', "the event has no arguments, or the run has no such tool"},
    {'o', "an approval comes before a call starts, every other pause after"},
    {'d', "the call is not running, or has already stored its artifact"},
    {'c', "calls have no result yet"},
    {'h', "the request has no constraint"},
    {'v', "tools are revealed only between turns or by a call"},
    {'k', "the call is not running, or already has a question"},
    {'i', "no call waits for this child"},
    {'x', "the run waits for no such child"},
    {'y', "the run has no graph"},
    {'z', "the run does not begin with the state of its thread"},
};

static char letter_of(const haft_error *err)
{
    const char *reason = strstr(err->message, " is not valid here: ");
    for (size_t i = 0; reason != NULL && i < COUNT(reasons); i++) {
        if (strcmp(reason + strlen(" is not valid here: "), reasons[i].reason) == 0) {
            return reasons[i].letter;
        }
    }
    return '?';
}

/* For each event and each state, in the order above: '.' if it is valid there, else the reason. */
static const struct {
    const char *body, *verdicts;
} rows[] = {
    {STARTED, ".ssssssssse"},
    {"\"kind\":\"tools_revealed\",\"tools\":[],\"query\":\"\",\"call\":null}", "n.vvvvvvvve"},
    {"\"kind\":\"tools_hidden\",\"tools\":[],\"cap\":2}", "n.........e"},
    {TURN, "n.tttttttte"},
    {"\"kind\":\"gate_opened\",\"called\":[],\"threshold\":0}", "n.bbbbbbbbe"},
    {HELD, "nm.fmmmmmme"},
    {UNHELD, "nmhfmmmmmme"},
    {REPLIED, "nm.fmmmmmme"},
    {FAILED, "nm.fmmmmmme"},
    {VIOLATION, "njjj.jjjjje"},
    {REMINDED, "njjj.jjjjje"},
    {CALL, "nwww.pp.ppe"},
    {"\"kind\":\"call_asked\",\"call\":\"c1.1\",\"question\":{},\"durable\":true,\"state\":null,"
     "\"within_ms\":null}",
     "nwwwkkkkkke"},
    {FINISHED, "nwwwg.agrre"},
    {REFUSED, "nwww.pa.ppe"},
    {PAUSED, "nwww.oppppe"},
    {ANSWERED, "nwwwqq.qqqe"},
    {STORED, "nwwwd.dddde"},
    {"\"kind\":\"child_started\",\"call\":\"c1.1\",\"child\":\"" HELP_RUN
     "\",\"agent\":\"a\",\"limits\":{}}",
     "niiiiiiiiie"},
    {"\"kind\":\"child_finished\",\"call\":\"c1.1\",\"child\":\"" HELP_RUN "\",\"end\":\"done\"}",
     "nxxxxxxxxxe"},
    {"\"kind\":\"graph_step\",\"step\":1,\"nodes\":[],\"updates\":{},\"remaining_steps\":1}",
     "nyyyyyyyyye"},
    {"\"kind\":\"thread_state\",\"from\":null,\"values\":{}}", "nzzzzzzzzze"},
    {CANCEL, "n.........e"},
    {ENDED, "n...cccccce"},
};

TEST(an_event_in_the_wrong_place_is_refused)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        char found[COUNT(places) + 1] = "";
        for (size_t place = 0; place < COUNT(places); place++) {
            fold_case c;
            fold_place(&c, place);
            haft_status status = fold_body(&c, rows[i].body);
            CHECK(status == HAFT_OK || status == HAFT_BAD_INPUT, "%s: status %d",
                  places[place].name, status);
            found[place] = status == HAFT_OK ? '.' : letter_of(&c.err);
            CHECK(found[place] != '?', "%s: %s", places[place].name, c.err.message);
            haft__arena_finish(&c.arena);
        }
        CHECK_STR(haft__str(found), haft__str(rows[i].verdicts), "%.30s", rows[i].body);
    }
}

TEST(an_event_with_a_wrong_seq_run_or_kind_is_refused)
{
    static const struct {
        const char *name, *line, *message;
        haft_status status;
    } lines[] = {
        {"a repeated seq",
         "{\"seq\":1,\"at\":\"1970-01-01T00:00:00.000Z\",\"run\":\"" HELP_RUN "\"," TURN,
         "turn_started is not valid here: expected seq 2, found 1", HAFT_BAD_INPUT},
        {"a missing seq",
         "{\"seq\":3,\"at\":\"1970-01-01T00:00:00.000Z\",\"run\":\"" HELP_RUN "\"," TURN,
         "turn_started is not valid here: expected seq 2, found 3", HAFT_BAD_INPUT},
        {"another run",
         "{\"seq\":2,\"at\":\"1970-01-01T00:00:00.000Z\",\"run\":\"" HELP_THREAD "\"," TURN,
         "turn_started is not valid here: the event belongs to another run", HAFT_BAD_INPUT},
        {"an unknown kind",
         "{\"seq\":2,\"at\":\"1970-01-01T00:00:00.000Z\",\"run\":\"" HELP_RUN
         "\",\"kind\":\"dreamt\"}",
         "expected a known kind of event, found \"dreamt\"", HAFT_UNSUPPORTED},
        {"half a line", "{\"seq\":2,\"at\":\"1970-01-01T00:00", NULL, HAFT_BAD_INPUT},
        {"nothing", "", NULL, HAFT_BAD_INPUT},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        fold_case c;
        fold_place(&c, 1);
        CHECK_INT(haft__run_fold(&c.run, haft__str(lines[i].line), &c.err), lines[i].status, "%s",
                  lines[i].name);
        CHECK(c.err.message[0] != '\0', "%s", lines[i].name);
        if (lines[i].message != NULL) {
            CHECK_STR(haft__str(c.err.message), haft__str(lines[i].message), "%s", lines[i].name);
        }
        haft__arena_finish(&c.arena);
    }
}

/* A body in which `old` is replaced by `new`. */
static haft_str changed(const char *body, const char *old, const char *new)
{
    const char *at = strstr(body, old);
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    CHECK(at != NULL, "there is no %s in %s", old, body);
    if (at != NULL) {
        haft__buf_add(&buf, body, (size_t)(at - body));
        haft__buf_addf(&buf, "%s%s", new, at + strlen(old));
    }
    haft_str made = help_keep(haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return made;
}

/* The state in which the event would be valid without the change. NULL: it is valid despite the
 * change.
 */
static const struct {
    const char *place, *body, *old, *new, *message;
} wrong_fields[] = {
    {"new", STARTED, "\"version\":1", "\"version\":\"1\"",
     "expected a whole number in \"version\" of run_started, found none"},
    {"new", STARTED, "\"version\":1", "\"version\":2", "expected events of version 1, found 2"},
    {"new", STARTED, "\"spec\":\"0", "\"spec\":\"1",
     "run_started is not valid here: the run was started with another spec"},
    {"new", STARTED, "\"spec\":\"" HASH "\"", "\"spec\":\"\\u0061\"",
     "run_started is not valid here: the run was started with another spec"},
    {"new", STARTED, "\"spec\"", "\"sepc\"",
     "expected a text in \"spec\" of run_started, found none"},
    {"new", STARTED, "\"task\":\"t\"", "\"task\":null",
     "expected a text in \"task\" of run_started, found none"},
    {"new", STARTED, "\"thread\"", "\"thraed\"",
     "expected a text in \"thread\" of run_started, found none"},
    {"idle", TURN, "\"turn\":1", "\"turn\":2",
     "turn_started is not valid here: expected turn 1, found 2"},
    {"idle", TURN, "\"turn\":1", "\"turn\":4294967297",
     "turn_started is not valid here: expected turn 1, found 4294967297"},
    {"idle", TURN, "\"turn\":1", "\"turn\":-1",
     "expected a whole number in \"turn\" of turn_started, found none"},
    {"idle", TURN, "\"mode\":\"auto\"", "\"mode\":\"must\"",
     "turn_started is not valid here: the value of \"mode\" is not known"},
    {"idle", TURN, "\"mode\":\"auto\"", "\"mode\":1",
     "expected a text in \"mode\" of turn_started, found none"},
    {"idle", TURN, "\"allowed\":[\"look\"]", "\"allowed\":\"look\"",
     "turn_started is not valid here: \"allowed\" is not a list"},
    {"idle", TURN, "\"allowed\":[\"look\"]", "\"allowed\":[\"none\"]",
     "turn_started is not valid here: an allowed tool is not a tool of the run"},
    {"idle", TURN, "\"allowed\":[\"look\"]", "\"allowed\":[5]",
     "turn_started is not valid here: an allowed tool is not a tool of the run"},
    {"idle", TURN, "\"declared\":[]", "\"declared\":7", NULL},
    {"asking", REPLIED, "\"stop\":\"tool_calls\"", "\"stop\":\"tired\"",
     "model_replied is not valid here: the value of \"stop\" is not known"},
    {"asking", REPLIED, "\"stop\":\"tool_calls\"", "\"stop\":[]",
     "expected a text in \"stop\" of model_replied, found none"},
    {"asking", REPLIED, "\"call\":\"c1.2\"", "\"call\":\"c1.1\"",
     "model_replied is not valid here: the id of a call is not valid"},
    {"asking", REPLIED, "\"call\":\"c1.1\"", "\"call\":7",
     "model_replied is not valid here: the id of a call is not valid"},
    {"asking", REPLIED,
     "{\"call\":\"c1.1\",\"model_call\":\"m1\",\"name\":\"look\",\"arguments\":\"{}\"}", "[]",
     "model_replied is not valid here: the id of a call is not valid"},
    {"asking", REPLIED, "\"usage\":{", "\"usage\":[],\"more\":{", NULL},
    {"asking", REPLIED, "\"content\":\"\"", "\"content\":{}", NULL},
    {"asking", FAILED, "\"status\":500", "\"status\":0.5",
     "expected a whole number in \"status\" of model_failed, found none"},
    {"asking", FAILED, "\"message\"", "\"massage\"",
     "expected a text in \"message\" of model_failed, found none"},
    {"asking", FAILED, "\"transient\"", "\"bad\"",
     "model_failed is not valid here: the value of \"failure\" is not known"},
    {"asking", CHANGED, "\"turn\"", "\"turn\"",
     "model_changed is not valid here: no model has failed, or no further model exists"},
    {"asking", HELD, "\"gbnf\"", "\"lark\"",
     "constrained is not valid here: the value of \"constraint\" is not known"},
    {"asking", HELD, "\"gbnf\"", "\"none\"",
     "constrained is not valid here: the value of \"constraint\" is not known"},
    {"asking", HELD, "\"gbnf\"", "1",
     "expected a text in \"constraint\" of constrained, found none"},
    {"asking", HELD, "\"format\"", "\"form\"",
     "expected a text in \"format\" of constrained, found none"},
    {"judging", VIOLATION, "\"text\"", "\"test\"",
     "expected a text in \"text\" of violation, found none"},
    {"judging", REMINDED, "\"text\"", "\"test\"",
     "expected a text in \"text\" of reminded, found none"},
    {"judging", CALL, "\"call\":\"c1.1\"", "\"call\":1",
     "expected a text in \"call\" of call_started, found none"},
    {"judging", CALL, "\"c1.1\"", "\"c1.4\"",
     "call_started is not valid here: the last reply has no such call"},
    {"judging", CALL, "\"c1.1\"", "\"c1.3\"",
     "call_started is not valid here: the call has another tool"},
    {"judging", CALL, "\"attempt\":1", "\"attempt\":4294967296",
     "call_started is not valid here: its attempt number is not the next number"},
    {"judging", CALL, "\"arguments\":{\"n\":7}", "\"arguments\":[1]",
     "call_started is not valid here: the event has no arguments, or the run has no such tool"},
    {"judging", CALL, "\"attempt\":1", "\"attempt\":null",
     "expected a whole number in \"attempt\" of call_started, found none"},
    {"judging", CALL, "\"arguments\":{\"n\":7}", "\"arguments\":null",
     "call_started is not valid here: the event has no arguments, or the run has no such tool"},
    {"started", CALL, "\"attempt\":1", "\"attempt\":2", NULL},
    {"started", FINISHED, "\"result\":\"r\"", "\"result\":5",
     "expected a text in \"result\" of call_finished, found none"},
    {"started", FINISHED, "\"ok\":true", "\"ok\":false",
     "call_finished is not valid here: the call failed, but the event has no error"},
    {"started", FINISHED, "\"ok\":true", "\"ok\":\"yes\"",
     "call_finished is not valid here: the call failed, but the event has no error"},
    {"judging", FINISHED, "\"c1.1\"", "\"c1.3\"",
     "call_finished is not valid here: the call already has a result, or cannot have one"},
    {"judging", FINISHED, "\"arguments\":null", "\"arguments\":{}", NULL},
    {"judging", REFUSED, "\"why\":\"guard\"", "\"why\":3",
     "expected a text in \"why\" of call_refused, found none"},
    {"judging", REFUSED, "\"text\":\"no\"", "\"text\":3",
     "expected a text in \"text\" of call_refused, found none"},
    {"judging", PAUSED, "\"pause\":\"approval\"", "\"pause\":\"coffee\"",
     "paused is not valid here: its kind of pause is unknown"},
    {"judging", PAUSED, "\"pause\":\"approval\"", "\"pause\":{}",
     "expected a text in \"pause\" of paused, found none"},
    {"judging", PAUSED, "\"arguments\":{}", "\"arguments\":null",
     "paused is not valid here: the event has no arguments, or the run has no such tool"},
    {"judging", PAUSED, "\"deadline\":null", "\"deadline\":\"soon\"",
     "paused is not valid here: its deadline is not a time"},
    {"judging", PAUSED, "\"deadline\":null", "\"deadline\":5",
     "paused is not valid here: its deadline is not a time"},
    {"started", PAUSED, "\"pause\":\"approval\"", "\"pause\":\"headless\"", NULL},
    {"started", PAUSED, "\"pause\":\"approval\"", "\"pause\":\"unknown_outcome\"", NULL},
    {"judging", PAUSED, "\"pause\":\"approval\"", "\"pause\":\"question\"",
     "paused is not valid here: an approval comes before a call starts, every other pause after"},
    {"paused", ANSWERED, "\"verdict\":\"approve\"", "\"verdict\":\"maybe\"",
     "answered is not valid here: its verdict does not fit the pause"},
    {"paused", ANSWERED, "\"verdict\":\"approve\"", "\"verdict\":\"retry\"",
     "answered is not valid here: its verdict does not fit the pause"},
    {"paused", ANSWERED, "\"verdict\":\"approve\"", "\"verdict\":true",
     "expected a text in \"verdict\" of answered, found none"},
    {"paused", ANSWERED, "\"value\":null", "\"value\":[1]", NULL},
    {"started", STORED, "\"name\"", "\"mane\"",
     "expected a text in \"name\" of artifact_stored, found none"},
    {"started", STORED, "\"media_type\"", "\"type\"",
     "expected a text in \"media_type\" of artifact_stored, found none"},
    {"started", STORED, "\"sha256\"", "\"sha\"",
     "expected a text in \"sha256\" of artifact_stored, found none"},
    {"started", STORED, "\"bytes\":1", "\"bytes\":true",
     "expected a whole number in \"bytes\" of artifact_stored, found none"},
    {"started", RESULT, "", "", NULL},
    {"started", RESULT, "\"base64\"", "\"hex\"",
     "artifact_stored is not valid here: its content is not base64"},
    {"started", RESULT,
     "YQ==", "YQ=", "artifact_stored is not valid here: its content is not base64"},
    {"started", RESULT, "\"YQ==\"", "5",
     "expected a text in \"content\" of artifact_stored, found none"},
    {"started", RESULT,
     "YQ==", "Yg==", "artifact_stored is not valid here: its content has another size or hash"},
    {"started", RESULT, "\"bytes\":1", "\"bytes\":2",
     "artifact_stored is not valid here: its content has another size or hash"},
    {"idle", ENDED, "\"end\":\"done\"", "\"end\":\"over\"",
     "run_finished is not valid here: the value of \"end\" is not known"},
    {"idle", ENDED, "\"end\":\"done\"", "\"end\":null",
     "expected a text in \"end\" of run_finished, found none"},
};

TEST(fields_that_are_missing_or_wrong_are_refused)
{
    for (size_t i = 0; i < COUNT(wrong_fields); i++) {
        size_t place = 0;
        while (strcmp(places[place].name, wrong_fields[i].place) != 0) {
            place++;
        }
        fold_case c;
        fold_place(&c, place);
        haft_str body = changed(wrong_fields[i].body, wrong_fields[i].old, wrong_fields[i].new);
        haft_status status = fold_body(&c, body.ptr);
        bool good = wrong_fields[i].message == NULL;
        CHECK_INT(status == HAFT_OK, good, "%s: %s", body.ptr, c.err.message);
        CHECK_STR(haft__str(good ? "" : c.err.message),
                  haft__str(good ? "" : wrong_fields[i].message), "%s", body.ptr);
        haft__arena_finish(&c.arena);
    }
}

TEST(a_run_must_have_an_id)
{
    fold_case c;
    fold_init(&c);
    haft_str line =
        HAFT__LIT("{\"seq\":1,\"at\":\"1970-01-01T00:00:00.000Z\",\"run\":\"me\"," STARTED);
    CHECK_INT(haft__run_fold(&c.run, line, &c.err), HAFT_BAD_INPUT,
              "fold an event with an invalid run id");
    CHECK_STR(haft__str(c.err.message),
              HAFT__LIT("run_started is not valid here: the run id is not valid"), "error message");
    haft__arena_finish(&c.arena);
}

TEST(a_log_of_a_newer_version_is_refused_with_a_hint)
{
    fold_case c;
    fold_init(&c);
    CHECK_INT(fold_body(&c, changed(STARTED, "\"version\":1", "\"version\":2").ptr),
              HAFT_UNSUPPORTED, "fold an event of version 2");
    CHECK_STR(haft__str(c.err.hint),
              HAFT__LIT("a newer haft wrote this log; use that version to read it"),
              "hint of the error");
    haft__arena_finish(&c.arena);
}

TEST(usage_is_added_up_and_does_not_overflow)
{
    static const char huge[] = "\"input_tokens\":9223372036854775807,\"output_tokens\":"
                               "9223372036854775807,\"cached_tokens\":9";
    fold_case c;
    fold_place(&c, 2);
    c.spec.spec.model.price =
        (haft__price){.known = true, .input = 3000000, .output = 15000000, .cached = 300000};
    haft_str body =
        changed(REPLIED, "\"input_tokens\":1,\"output_tokens\":1,\"cached_tokens\":0", huge);
    for (int i = 0; i < 3; i++) {
        c.run.numbered_calls = 0; /* so that the same reply can come again */
        CHECK_INT(fold_body(&c, body.ptr), HAFT_OK, "%s", c.err.message);
        CHECK_INT(fold_body(&c, VIOLATION), HAFT_OK, "%s", c.err.message);
    }
    CHECK_INT(c.run.usage.input_tokens, INT64_MAX, "input tokens stop at the maximum");
    CHECK_INT(c.run.usage.output_tokens, INT64_MAX, "output tokens stop at the maximum");
    CHECK_INT(c.run.usage.cached_tokens, 27, "cached tokens");
    CHECK_INT(c.run.cost_parts, INT64_MAX, "the cost stops at the maximum");
    haft__arena_finish(&c.arena);
    fold_place(&c, 4);
    CHECK_INT(c.run.usage.input_tokens, 1, "input tokens after the reset");
    haft__arena_finish(&c.arena);
}

TEST(a_paused_reply_continues_in_its_turn_a_limited_number_of_times)
{
    for (int final = 0; final < 2; final++) {
        fold_case c;
        fold_place(&c, 2);
        c.run.forced_by_limit = final == 1;
        for (uint32_t i = 1; i <= HAFT__LIMIT_MODEL_CONTINUATIONS; i++) {
            CHECK_INT(fold_body(&c, INTERRUPTED), HAFT_OK, "%s", c.err.message);
            CHECK_INT(c.run.stage, HAFT__RUN_AWAITING_REPLY, "reply %u", i);
            CHECK_INT(c.run.continuations, i, "reply %u", i);
        }
        size_t messages = c.run.messages.count;
        CHECK_INT(fold_body(&c, INTERRUPTED), HAFT_OK, "%s", c.err.message);
        CHECK_INT(c.run.stage, final == 1 ? HAFT__RUN_JUDGING : HAFT__RUN_IDLE,
                  "one more, in the last turn: %d", final);
        CHECK_INT(c.run.messages.count, messages + (final == 1 ? 0 : 1), "messages");
        haft__arena_finish(&c.arena);
    }
}

TEST(a_correction_stays_before_a_paused_reply)
{
    fold_case c;
    fold_place(&c, 2);
    CHECK_INT(fold_body(&c, REPLIED), HAFT_OK, "%s", c.err.message);
    CHECK_INT(fold_body(&c, VIOLATION), HAFT_OK, "%s", c.err.message);
    size_t messages = c.run.messages.count;
    haft_str correction = c.run.correction;
    CHECK_INT(fold_body(&c, INTERRUPTED), HAFT_OK, "%s", c.err.message);
    CHECK_INT(c.run.messages.count, messages + 2, "the correction and the reply");
    CHECK_STR(c.run.messages.items[messages].text, correction, "the correction");
    CHECK_INT(c.run.messages.items[messages + 1].role, HAFT__MESSAGE_ASSISTANT, "the reply");
    CHECK_INT(c.run.correction.len, 0, "it is not sent a second time");
    haft__arena_finish(&c.arena);
}

TEST(each_kind_of_input_has_its_price)
{
    static const struct {
        const char *name, *usage;
        uint64_t micros;
    } cases[] = {
        {"plain", "\"input_tokens\":1000,\"output_tokens\":0,\"cached_tokens\":0", 5000},
        {"cached", "\"input_tokens\":1000,\"output_tokens\":0,\"cached_tokens\":400", 3200},
        {"written",
         "\"input_tokens\":1000,\"output_tokens\":0,\"cached_tokens\":400,"
         "\"cache_write_tokens\":500",
         3825},
        {"written for an hour",
         "\"input_tokens\":1000,\"output_tokens\":0,\"cached_tokens\":400,"
         "\"cache_write_tokens\":500,\"cache_write_1h_tokens\":100",
         4200},
        {"more than the input",
         "\"input_tokens\":10,\"output_tokens\":0,\"cached_tokens\":4,"
         "\"cache_write_tokens\":500,\"cache_write_1h_tokens\":900",
         62},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fold_case c;
        fold_place(&c, 2);
        c.spec.spec.model.price = (haft__price){.known = true,
                                                .input = 5000000,
                                                .output = 25000000,
                                                .cached = 500000,
                                                .cache_write = 6250000,
                                                .cache_write_1h = 10000000};
        haft_str body = changed(
            REPLIED, "\"input_tokens\":1,\"output_tokens\":1,\"cached_tokens\":0", cases[i].usage);
        CHECK_INT(fold_body(&c, body.ptr), HAFT_OK, "%s", c.err.message);
        CHECK_INT(c.run.usage.cost_micros, cases[i].micros, "%s", cases[i].name);
        haft__arena_finish(&c.arena);
    }
}

/* Folds a whole log. */
static haft_status fold_log(haft__run *run, haft_str log)
{
    haft_status status = HAFT_OK;
    while (log.len > 0 && status == HAFT_OK) {
        status = haft__run_fold(run, haft__str_split(&log, '\n'), NULL);
    }
    return status;
}

TEST(folding_survives_every_failed_allocation)
{
    static const char *const names[] = {"workflow", "approval-edited", "no-progress",
                                        "errors-of-tools"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const help_scenario *scenario = help_scenario_named(names[i]);
        haft_str log = help_scenario_log(scenario);
        haft__arena kept;
        haft__arena_init(&kept, 0);
        help_spec spec;
        help_spec_init(&spec, &kept, scenario->spec);
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__run run;
            haft__arena_init(&arena, 0);
            test_fail_allocation(n);
            haft_status status = haft__run_init(&run, &arena, &spec.spec, HELP_KEY, NULL);
            status = status == HAFT_OK ? fold_log(&run, log) : status;
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", names[i], n);
            haft__arena_finish(&arena);
            if (!failed) {
                CHECK(n > 2, "no allocation was made");
                break;
            }
        }
        haft__arena_finish(&kept);
    }
}

TEST(a_constraint_applies_to_one_request)
{
    fold_case c;
    fold_init(&c);
    static const char *const bodies[] = {STARTED, TURN, HELD};
    for (size_t i = 0; i < COUNT(bodies); i++) {
        CHECK_INT(fold_body(&c, bodies[i]), HAFT_OK, "%s", c.err.message);
    }
    CHECK_INT(c.run.constraint, HAFT__CONSTRAINT_GBNF, "the constraint of the request");
    CHECK_STR(c.run.constrained_format, HAFT__LIT("hermes"), "the format of the constraint");
    CHECK_INT(fold_body(&c, REPLIED), HAFT_OK, "%s", c.err.message);
    CHECK_INT(c.run.constraint, HAFT__CONSTRAINT_GBNF,
              "the constraint holds for the calls of the reply");
    CHECK_INT(fold_body(&c, VIOLATION), HAFT_OK, "%s", c.err.message);
    CHECK_INT(c.run.constraint, HAFT__CONSTRAINT_NONE, "the next request has no constraint");
    CHECK_INT(fold_body(&c, HELD), HAFT_OK, "%s", c.err.message);
    CHECK_INT(fold_body(&c, UNHELD), HAFT_OK, "%s", c.err.message);
    CHECK_INT(c.run.constraint, HAFT__CONSTRAINT_NONE, "a refused constraint is dropped");
    CHECK_INT(c.run.refused, HAFT__MEMBER_BIT(HAFT__MEMBER_GRAMMAR),
              "the refused member is recorded");
    CHECK_INT(c.run.refused_statuses[HAFT__MEMBER_GRAMMAR], 400, "the HTTP status of the refusal");
    haft__arena_finish(&c.arena);
    fold_init(&c);
    for (size_t i = 0; i < COUNT(bodies); i++) {
        CHECK_INT(fold_body(&c, bodies[i]), HAFT_OK, "%s", c.err.message);
    }
    CHECK_INT(fold_body(&c, HELD), HAFT_BAD_INPUT, "a second constraint of one request");
    CHECK(strstr(c.err.message, "the request already has a constraint") != NULL, "%s",
          c.err.message);
    haft__arena_finish(&c.arena);
}

TEST(items_of_the_provider_are_part_of_the_message)
{
    static const char replied[] =
        "\"kind\":\"model_replied\",\"content\":\"hi\",\"reasoning\":\"\",\"calls\":[],"
        "\"usage\":{\"input_tokens\":1,\"output_tokens\":1,\"cached_tokens\":0},\"stop\":"
        "\"stop\",\"model\":\"m\",\"ms\":1,\"provider_items\":%s}";
    static const struct {
        const char *items, *json;
    } cases[] = {
        {"{\"provider\":\"p\",\"model\":\"m\",\"endpoint\":\"e\",\"json\":\"[1]\"}", "[1]"},
        {"null", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        fold_case c;
        char body[1024];
        fold_init(&c);
        (void)snprintf(body, sizeof(body), replied, cases[i].items);
        const char *const bodies[] = {STARTED, TURN, body, REMINDED};
        for (size_t k = 0; k < COUNT(bodies); k++) {
            CHECK_INT(fold_body(&c, bodies[k]), HAFT_OK, "%s", c.err.message);
        }
        const haft__message *message = &c.run.messages.items[c.run.messages.count - 2];
        CHECK_INT(message->role, HAFT__MESSAGE_ASSISTANT, "case %zu", i);
        CHECK_STR(message->items, haft__str(cases[i].json), "case %zu", i);
        CHECK_STR(message->items_provider, haft__str(i == 0 ? "p" : ""), "case %zu", i);
        CHECK_STR(message->items_model, haft__str(i == 0 ? "m" : ""), "case %zu", i);
        CHECK_STR(message->items_endpoint, haft__str(i == 0 ? "e" : ""), "case %zu", i);
        haft__arena_finish(&c.arena);
    }
}
