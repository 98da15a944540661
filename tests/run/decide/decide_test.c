/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/decide/: what a run does, event by event. */
#include "run/decide/decide.h"

#include "base/utf8.h"
#include "model/conversation.h"
#include "run/scenario_help.h"

/* The file with the actual events. */
static haft_str with_events(const help_scenario *scenario, haft_str events)
{
    bool has = scenario->events.ptr != NULL;
    haft__buf all;
    haft__buf_init(&all, 1 << 26);
    haft__buf_add(&all, scenario->text.ptr,
                  has ? (size_t)(scenario->events.ptr - scenario->text.ptr) : scenario->text.len);
    haft__buf_add_str(&all, events);
    haft_str kept = help_keep(haft__buf_str(&all));
    haft__buf_finish(&all);
    return kept;
}

TEST(every_scenario_has_its_expected_events)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        help_run r;
        help_run_init_str(&r, scenarios[i].spec, scenarios[i].script);
        CHECK_INT(help_scenario_play(&scenarios[i], &r), HAFT_OK, "%s: %s %s", scenarios[i].path,
                  r.err.where, r.err.message);
        haft_str found = haft__buf_str(&r.summary);
        if (!help_renew(scenarios[i].path, with_events(&scenarios[i], found))) {
            CHECK_STR(found, scenarios[i].events, "%s", scenarios[i].path);
        }
        help_run_finish(&r);
    }
}

/* ---- runs that are too large for a scenario file ---- */

/* A reply of `count` calls, then an answer. */
static haft_str many_calls(size_t count)
{
    haft__buf script;
    haft__buf_init(&script, 1 << 24);
    haft__buf_addf(&script, "{\"replies\":[{\"calls\":[");
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&script, "%s{\"name\":\"look\",\"arguments\":{\"n\":%zu}}", i > 0 ? "," : "",
                       i);
    }
    haft__buf_addf(&script, "]},{\"text\":\"ok\"}],\"results\":{\"look\":\"seen\"}}");
    haft_str kept = help_keep(haft__buf_str(&script));
    haft__buf_finish(&script);
    return kept;
}

TEST(five_hundred_calls_in_one_reply_are_run_or_refused)
{
    static const struct {
        const char *spec;
        uint32_t run;
    } specs[] = {
        {"agent; tools=look; calls=1000", 500},
        {"agent; tools=look; calls=500", 500},
        {"agent; tools=look; calls=50", 50},
        {"agent; tools=look; calls=1000; truncate; parallel=7", 7},
    };
    for (size_t i = 0; i < COUNT(specs); i++) {
        help_run r;
        help_run_init_str(&r, haft__str(specs[i].spec), many_calls(500));
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
        const haft__run *run = &r.drive.run;
        CHECK_INT(run->call_count, 500, "%s", specs[i].spec);
        CHECK_INT(run->usage.calls, specs[i].run, "%s", specs[i].spec);
        CHECK_INT(run->end, HAFT__END_DONE, "%s", specs[i].spec);
        for (size_t k = 0; k < run->call_count; k++) {
            CHECK_INT(run->calls[k].stage,
                      k < specs[i].run ? HAFT__CALL_FINISHED : HAFT__CALL_REFUSED, "%s: call %zu",
                      specs[i].spec, k);
            CHECK(run->calls[k].shown.len > 0, "%s: call %zu has no observation", specs[i].spec, k);
        }
        /* task, calls, 500 results in their order, answer */
        CHECK_INT(run->messages.count, 503, "%s", specs[i].spec);
        CHECK_STR(run->messages.items[501].call_id, HAFT__LIT("c1.500"), "%s", specs[i].spec);
        help_run_finish(&r);
    }
}

TEST(ten_megabytes_of_arguments_reach_the_tool)
{
    size_t length = 10 << 20;
    haft__buf raw;
    haft__buf_init(&raw, 1 << 25);
    haft__buf_addf(&raw, "{\"q\":\"");
    char *room = haft__buf_reserve(&raw, length);
    memset(room, 'x', length);
    haft__buf_advance(&raw, length);
    haft__buf_addf(&raw, "\"}");
    haft__message_call call = {HAFT__LIT("m"), HAFT__LIT("look"), .arguments = haft__buf_str(&raw)};
    haft__reply reply = {.calls = &call, .call_count = 1, .stop = HAFT__STOP_CALLS};
    help_run r;
    help_run_init(&r, "agent; tools=look", "{\"replies\":[],\"results\":{\"look\":\"seen\"}}");
    /* The script has no reply: the run stops at the model, and the test gives the reply. */
    CHECK_INT(haft__drive_start(&r.drive, HAFT__LIT(HELP_RUN), HAFT__LIT(HELP_THREAD),
                                HAFT__LIT("do it"), &r.err),
              HAFT_OK, "%s", r.err.message);
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    CHECK_INT(haft__decide(&r.drive.decider, &r.drive.run, 1, &effect, &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__drive_append(&r.drive, effect.body, &r.err), HAFT_OK, "%s", r.err.message);
    haft__buf body;
    haft__buf_init(&body, 1 << 26);
    haft__input_model_replied(&body, &r.drive.run, &reply, 1);
    CHECK_INT(haft__drive_append(&r.drive, haft__buf_str(&body), &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    const haft__json *q = haft__json_get(r.drive.run.calls[0].arguments, HAFT__LIT("q"));
    CHECK(q != NULL && haft__json_text(*q).len == length, "the argument is not whole");
    CHECK_STR(r.drive.run.calls[0].result, HAFT__LIT("seen"), "the result of the call");
    haft__buf_finish(&body);
    haft__buf_finish(&raw);
    help_run_finish(&r);
}

/* Invalid UTF-8 everywhere, which a script cannot contain. */
TEST(invalid_utf8_in_a_reply_is_replaced)
{
    haft__message_call calls[] = {
        {HAFT__LIT("\xFF"), HAFT__LIT("look"), .arguments = HAFT__LIT("{\"q\":\"\xC3\"}")},
        {HAFT__LIT("\xFF"), HAFT__LIT("l\xF0\x9Fok"), .arguments = HAFT__LIT("{}")},
        {HAFT__LIT(""), HAFT__LIT(""), .arguments = HAFT__LIT("\xFE\0")},
    };
    haft__reply reply = {.content = HAFT__LIT("a\xFF\0b"),
                         .reasoning = HAFT__LIT("\xED\xA0\x80"),
                         .calls = calls,
                         .call_count = COUNT(calls),
                         .stop = HAFT__STOP_CALLS};
    help_run r;
    help_run_init(
        &r, "agent; tools=look",
        "{\"replies\":[{\"text\":\"never said\"},{\"text\":\"ok\"}],\"results\":{\"look\":1}}");
    CHECK_INT(haft__drive_start(&r.drive, HAFT__LIT(HELP_RUN), HAFT__LIT(HELP_THREAD),
                                HAFT__LIT("do\xFFit"), &r.err),
              HAFT_OK, "%s", r.err.message);
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    CHECK_INT(haft__decide(&r.drive.decider, &r.drive.run, 1, &effect, &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__drive_append(&r.drive, effect.body, &r.err), HAFT_OK, "%s", r.err.message);
    haft__buf body;
    haft__buf_init(&body, 1 << 16);
    haft__input_model_replied(&body, &r.drive.run, &reply, 1);
    CHECK_INT(haft__drive_append(&r.drive, haft__buf_str(&body), &r.err), HAFT_OK, "%s",
              r.err.message);
    r.script.next = 1;
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK(haft__utf8_valid(haft__buf_str(&r.log)), "the log is not UTF-8");
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "the end of the run");
    haft__request request;
    haft__provider_conversation *chat = NULL;
    haft__buf bytes;
    CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
              "create");
    haft__buf_init(&bytes, 1 << 20);
    CHECK_INT(haft__decide_request(&r.drive.run, &r.arena, &request, &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__conversation_write(chat, &request,
                                       &(haft__provider_request_options){.stream = true}, &bytes,
                                       &r.err),
              HAFT_OK, "%s", r.err.message);
    CHECK(haft__utf8_valid(haft__buf_str(&bytes)), "the request is text");
    haft__conversation_destroy(chat);
    haft__buf_finish(&bytes);
    haft__buf_finish(&body);
    help_run_finish(&r);
}

/* ---- out of memory ---- */

/* Decides; the body lives until the test ends. */
static haft_status decide_once(const haft__run *run, haft__effect *ret_effect)
{
    haft__decider decider;
    haft_status status = haft__decider_init(&decider, NULL);
    if (status == HAFT_OK) {
        status = haft__decide(&decider, run, run->last_ms, ret_effect, NULL);
    }
    if (status == HAFT_OK) {
        ret_effect->body = help_keep(ret_effect->body);
    }
    haft__decider_finish(&decider);
    return status;
}

/* A failed allocation is an error, or it did not matter: then the decision is the same. */
static void check_without_memory(const help_scenario *scenario, const haft__run *run)
{
    haft__effect wanted = {.kind = HAFT__EFFECT_END}, found;
    CHECK_INT(decide_once(run, &wanted), HAFT_OK, "%s", scenario->path);
    for (unsigned n = 0;; n++) {
        found = (haft__effect){.kind = HAFT__EFFECT_END};
        test_fail_allocation(n);
        haft_status status = decide_once(run, &found);
        bool failed = test_allow_allocations();
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "%s, allocation %u: %d",
              scenario->path, n, status);
        if (status == HAFT_OK) {
            CHECK_INT(found.kind, wanted.kind, "%s, allocation %u", scenario->path, n);
            CHECK_STR(found.body, wanted.body, "%s, allocation %u", scenario->path, n);
        }
        if (!failed) {
            CHECK(n > 0, "no allocation was made");
            return;
        }
    }
}

/* Every decision of a log, made in the state before it. */
static void check_decisions(const help_scenario *scenario)
{
    haft_str log = help_scenario_log(scenario);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    help_spec spec;
    haft__run run;
    help_spec_init(&spec, &arena, scenario->spec);
    CHECK_INT(haft__run_init(&run, &arena, &spec.spec, HELP_KEY, NULL), HAFT_OK, "init");
    while (log.len > 0) {
        CHECK_INT(haft__run_fold(&run, haft__str_split(&log, '\n'), NULL), HAFT_OK,
                  "fold the event");
        check_without_memory(scenario, &run);
    }
    haft__arena_finish(&arena);
}

TEST(deciding_survives_every_failed_allocation)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        check_decisions(&scenarios[i]);
    }
}

TEST(a_run_that_has_not_started_decides_nothing)
{
    help_run r;
    help_run_init(&r, "agent", "{\"replies\":[]}");
    haft__effect effect;
    CHECK_INT(haft__decide(&r.drive.decider, &r.drive.run, 0, &effect, &r.err), HAFT_BAD_STATE,
              "a run without events");
    CHECK_STR(haft__str(r.err.message), HAFT__LIT("the run has not started"), "error message");
    help_run_finish(&r);
}

TEST(requests_survive_a_failed_allocation)
{
    help_run r;
    help_run_init(&r, "agent; tools=look", "{\"replies\":[]}");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__request request;
        test_fail_allocation(n);
        haft_status status = haft__decide_request(&r.drive.run, &arena, &request, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
    help_run_finish(&r);
}

TEST(a_decision_is_bounded_in_bytes)
{
    help_run r;
    help_run_init(&r, "agent", "{\"replies\":[{\"text\":\"a\"}]}");
    CHECK_INT(r.drive.decider.body.max, HAFT__LIMIT_RUN_BYTES, "the limit of a decision");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    size_t needed = r.drive.decider.body.cap;
    help_run_finish(&r);
    for (size_t max = 0; max <= needed; max += needed) {
        help_run_init(&r, "agent", "{\"replies\":[{\"text\":\"a\"}]}");
        r.drive.decider.body.max = max;
        CHECK_INT(help_run_go(&r), max < needed ? HAFT_TOO_BIG : HAFT_OK, "at most %zu bytes", max);
        help_run_finish(&r);
    }
}
