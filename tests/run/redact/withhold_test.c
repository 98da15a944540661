/* SPDX-License-Identifier: Apache-2.0 */
#include "run/redact/withhold.h"

#include "run/pause/binding.h"
#include "run/replay/replay.h"
#include "run/run_help.h"

#define SECRET "cluster-eu1"

/* A redactor that knows SECRET and a number. */
static void init_redactor(haft__redactor *redactor, haft__arena *arena)
{
    bool added = false;
    haft__redactor_init(redactor, arena);
    CHECK_INT(haft__redactor_add(redactor, HAFT__LIT(SECRET), &added, NULL), HAFT_OK,
              "add the text secret");
    CHECK_INT(haft__redactor_add(redactor, HAFT__LIT("1234567890"), &added, NULL), HAFT_OK,
              "add the number secret");
    CHECK_INT(haft__redactor_seal(redactor, NULL), HAFT_OK, "seal the redactor");
}

/* A run, and the secrets that a process that opens it knows. */
typedef struct known_run {
    help_run r;
    haft__redactor redactor;
} known_run;

static void init(known_run *k, const char *spec, const char *calls)
{
    char script[1024];
    (void)snprintf(script, sizeof(script),
                   "{\"replies\":[{\"calls\":[%s]},{\"text\":\"good\"}],\"results\":{\"send\":"
                   "[\"sent\",\"sent\"],\"pick\":[\"picked\"]}}",
                   calls);
    help_run_init_str(&k->r, haft__str(spec), help_keep(haft__str(script)));
    init_redactor(&k->redactor, &k->r.arena);
}

/* From now on, another process owns the run and knows the secrets. */
static void change_owner(known_run *k)
{
    k->r.drive.options.redactor = &k->redactor;
}

static const haft__run_call *call_of(const known_run *k)
{
    return haft__run_find_call(&k->r.drive.run, HAFT__LIT("c1.1"));
}

static haft_str json_text(haft__json value)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    haft__json_write(&text, value);
    haft_str kept = help_keep(haft__buf_str(&text));
    haft__buf_finish(&text);
    return kept;
}

static void check_replay(known_run *k, const char *name)
{
    haft__arena arena;
    haft__replay found = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__replay_log(&arena, &k->r.spec.spec, haft__buf_str(&k->r.log), HELP_KEY, &found,
                               &k->r.err),
              HAFT_OK, "%s: %s", name, k->r.err.message);
    CHECK(found.identical, "%s differs at %llu: %.*s, now %.*s", name,
          (unsigned long long)found.differs_at, HAFT__ARG(found.recorded),
          HAFT__ARG(found.decided));
    haft__arena_finish(&arena);
}

static bool has(haft_str text, const char *part)
{
    return strstr(help_keep(text).ptr, part) != NULL;
}

/* The events after the byte `from` of the log. */
static haft_str since(const known_run *k, size_t from)
{
    return haft__str_skip(haft__buf_str(&k->r.log), from);
}

/* ---- bodies ---- */

TEST(an_event_stays_json_and_only_secrets_are_redacted)
{
    static const struct {
        const char *body, *wanted;
    } rows[] = {
        {"\"kind\":\"cancel_asked\",\"by\":\"ana\",\"why\":\"\"}", NULL},
        {"\"kind\":\"cancel_asked\",\"by\":\"ana\",\"why\":\"of " SECRET "\"}",
         "\"kind\":\"cancel_asked\",\"by\":\"ana\",\"why\":\"of [redacted]\"}"},
        {"\"kind\":\"answered\",\"value\":{\"n\":1234567890,\"m\":[1]}}",
         "\"kind\":\"answered\",\"value\":{\"n\":\"[redacted]\",\"m\":[1]}}"},
        {"\"kind\":\"model_replied\",\"content\":\"" SECRET "\",\"calls\":[{\"call\":\"c1.1\","
         "\"arguments\":\"{}\"}]}",
         "\"kind\":\"model_replied\",\"content\":\"[redacted]\",\"calls\":[{\"call\":\"c1.1\","
         "\"arguments\":\"{}\"}]}"},
        {"\"kind\":\"model_replied\",\"content\":\"\",\"calls\":[{\"arguments\":\"{\\\"q\\\":"
         "\\\"" SECRET "\\\"}\"},{\"arguments\":\"{}\"}]}",
         "\"kind\":\"model_replied\",\"content\":\"\",\"calls\":[{\"arguments\":\"{\\\"q\\\":"
         "\\\"[redacted]\\\"}\",\"redacted\":true},{\"arguments\":\"{}\"}]}"},
        {"\"kind\":\"model_replied\",\"content\":\"" SECRET "\",\"calls\":1}",
         "\"kind\":\"model_replied\",\"content\":\"[redacted]\",\"calls\":1}"},
        /* Its canonical form could contain the secret in another spelling. */
        {"\"kind\":\"model_replied\",\"content\":\"" SECRET "\",\"calls\":[],"
         "\"provider_items\":{\"json\":\"[]\"}}",
         "\"kind\":\"model_replied\",\"content\":\"[redacted]\",\"calls\":[],"
         "\"provider_items\":null}"},
        /* an event of an unknown call: fold reports it */
        {"\"kind\":\"call_started\",\"call\":\"c9.9\",\"arguments\":{\"q\":\"" SECRET "\"}}",
         "\"kind\":\"call_started\",\"call\":\"c9.9\",\"arguments\":{\"q\":\"[redacted]\"}}"},
    };
    known_run k;
    init(&k, "agent; tools=send", "{\"name\":\"send\"}");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf out;
        haft__buf_init(&out, 4096);
        haft_status status = haft__withhold_event(&k.r.drive.run, &k.redactor,
                                                  haft__str(rows[i].body), &out, &k.r.err);
        CHECK_INT(status, HAFT_OK, "%s: %s", rows[i].body, k.r.err.message);
        CHECK_STR(haft__buf_str(&out),
                  haft__str(rows[i].wanted != NULL ? rows[i].wanted : rows[i].body), "%s",
                  rows[i].body);
        haft__buf_finish(&out);
    }
    help_run_finish(&k.r);
}

/* A run whose secrets equal words of its events and names of its tools stays valid. */
TEST(words_of_haft_and_names_of_tools_are_not_redacted)
{
    static const char *const secrets[] = {"production",    "headless",         "approval",
                                          "answered",      "arguments",        "call_started",
                                          "run_finished",  "question",         "tool_calls",
                                          "model_replied", "deploy_production"};
    for (size_t i = 0; i < COUNT(secrets); i++) {
        help_run r;
        haft__redactor redactor;
        bool added = false;
        help_run_init(&r, "agent; tools=deploy_production!approval,pick!headless",
                      "{\"replies\":[{\"calls\":[{\"name\":\"deploy_production\"},{\"name\":"
                      "\"pick\"}]},{\"text\":\"good\"}],\"results\":{\"deploy_production\":"
                      "[\"sent\"]}}");
        haft__redactor_init(&redactor, &r.arena);
        CHECK_INT(haft__redactor_add(&redactor, haft__str(secrets[i]), &added, NULL), HAFT_OK,
                  "add the secret");
        CHECK_INT(haft__redactor_seal(&redactor, NULL), HAFT_OK, "seal the redactor");
        r.drive.options.redactor = &redactor;
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s: %s", secrets[i], r.err.message);
        CHECK_INT(help_run_answer(&r, "c1.1", "approve", "null"), HAFT_OK, "%s: %s", secrets[i],
                  r.err.message);
        CHECK_INT(help_run_answer(&r, "c1.2", "answer", "\"production\""), HAFT_OK, "%s: %s",
                  secrets[i], r.err.message);
        CHECK(has(haft__buf_str(&r.summary), "end=\"done\""), "%s: %.*s", secrets[i],
              HAFT__ARG(haft__buf_str(&r.summary)));
        CHECK_INT(has(haft__buf_str(&r.log), "\"value\":\"production\""), i > 0, "%s", secrets[i]);
        help_run_finish(&r);
    }
}

/* If a secret spans several values, nothing of it is logged. */
TEST(a_secret_that_spans_several_values_is_rejected)
{
    static const struct {
        const char *secret, *body;
        haft_status wanted;
    } rows[] = {
        {"ana\",\"why\":\"late", "\"kind\":\"cancel_asked\",\"by\":\"ana\",\"why\":\"late\"}",
         HAFT_BAD_INPUT},
        {"c1.1\",\"arguments\":\"{}",
         "\"kind\":\"model_replied\",\"calls\":[{\"call\":\"c1.1\",\"arguments\":\"{}\"}]}",
         HAFT_BAD_INPUT},
        {"{\"q\":\"long enough\"}", "\"kind\":\"answered\",\"value\":{\"q\":\"long enough\"}}",
         HAFT_OK},
    };
    known_run k;
    init(&k, "agent; tools=send", "{\"name\":\"send\"}");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__redactor redactor;
        haft__buf out;
        bool added = false;
        haft__buf_init(&out, 4096);
        haft__redactor_init(&redactor, &k.r.arena);
        CHECK_INT(haft__redactor_add(&redactor, haft__str(rows[i].secret), &added, NULL), HAFT_OK,
                  "%s", rows[i].secret);
        CHECK_INT(haft__redactor_seal(&redactor, NULL), HAFT_OK, "seal the redactor");
        haft_status status = haft__withhold_event(&k.r.drive.run, &redactor,
                                                  haft__str(rows[i].body), &out, &k.r.err);
        CHECK_INT(status, rows[i].wanted, "%s: %.*s", rows[i].body, HAFT__ARG(haft__buf_str(&out)));
        CHECK(strstr(help_keep(haft__buf_str(&out)).ptr, rows[i].secret) == NULL, "%.*s",
              HAFT__ARG(haft__buf_str(&out)));
        haft__buf_finish(&out);
    }
    help_run_finish(&k.r);
}

/* ---- replies of the model ---- */

TEST(a_call_that_differs_from_the_reply_does_not_run)
{
    static const struct {
        const char *spec, *call, *wanted;
    } rows[] = {
        {"agent; tools=send", "{\"name\":\"send\",\"arguments\":{\"q\":\"to " SECRET "\"}}",
         "call_refused"},
        {"agent; tools=send", "{\"name\":\"send\",\"arguments\":{\"n\":1234567890}}",
         "call_refused"},
        {"agent; tools=send",
         "{\"name\":\"send\",\"raw\":\"{\\\"q\\\":\\\"clust\\\\u0065r-eu1\\\"}\"}",
         "call_refused"}, /* an encoding that is not searched for, until it is decoded */
        {"agent; tools=send!approval", "{\"name\":\"send\",\"arguments\":{\"q\":\"" SECRET "\"}}",
         "call_refused"},
        {"agent; tools=pick!headless", "{\"name\":\"pick\",\"arguments\":{\"q\":\"" SECRET "\"}}",
         "call_refused"},
        {"agent; tools=send", "{\"name\":\"send\",\"arguments\":{\"q\":\"[redacted]\"}}",
         "call_started"}, /* the model may have read the word [redacted] */
        {"agent; tools=store_artifact",
         "{\"name\":\"store_artifact\",\"arguments\":{\"name\":\"a\",\"content\":\"" SECRET "\"}}",
         "artifact_stored"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        known_run k;
        init(&k, rows[i].spec, rows[i].call);
        change_owner(&k);
        CHECK_INT(help_run_go(&k.r), HAFT_OK, "%s", k.r.err.message);
        haft_str log = haft__buf_str(&k.r.log), summary = haft__buf_str(&k.r.summary);
        bool refused = strcmp(rows[i].wanted, "call_refused") == 0;
        CHECK(has(summary, rows[i].wanted), "%s: %.*s", rows[i].call, HAFT__ARG(summary));
        CHECK_INT(has(summary, "why=\"secret\""), refused, "%s: %.*s", rows[i].call,
                  HAFT__ARG(summary));
        CHECK_INT(has(summary, "call_started"), !refused, "%s: %.*s", rows[i].call,
                  HAFT__ARG(summary));
        CHECK(!has(log, SECRET) && !has(log, "1234567890"), "%.*s", HAFT__ARG(log));
        CHECK(has(summary, "end=\"done\""), "%.*s", HAFT__ARG(summary));
        check_replay(&k, rows[i].call);
        help_run_finish(&k.r);
    }
}

/* ---- secrets that only a later process knows ---- */

TEST(an_approved_call_runs_exactly_as_approved)
{
    static const struct {
        const char *verdict, *value, *wanted; /* wanted: the arguments that run; NULL: none */
    } rows[] = {
        {"approve", "null", "{\"q\":\"" SECRET "\",\"n\":7}"},
        {"edit", "{\"q\":\"other\"}", "{\"q\":\"other\",\"n\":7}"},
        {"edit", "{\"q\":\"" SECRET "\",\"n\":1}",
         NULL}, /* recorded by a process that did not know it */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        known_run k;
        init(&k, "agent; tools=send!approval",
             "{\"name\":\"send\",\"arguments\":{\"q\":\"" SECRET "\"}}");
        CHECK_INT(help_run_go(&k.r), HAFT_OK, "%s", k.r.err.message);
        size_t before = k.r.log.len;
        haft__buf body;
        haft__buf_init(&body, 4096);
        haft__input_approved(&body, HAFT__LIT("c1.1"), HAFT__LIT("ana"), haft__str(rows[i].verdict),
                             help_json(&k.r.arena, rows[i].value), call_of(&k)->binding);
        CHECK_INT(haft__drive_append(&k.r.drive, haft__buf_str(&body), &k.r.err), HAFT_OK, "%s",
                  k.r.err.message);
        haft__buf_finish(&body);
        before = strcmp(rows[i].verdict, "edit") == 0 ? k.r.log.len : before;
        change_owner(&k);
        CHECK_INT(haft__drive_on(&k.r.drive, &k.r.err), HAFT_OK, "%s", k.r.err.message);
        CHECK_INT(call_of(&k)->started, rows[i].wanted != NULL, "%s %s", rows[i].verdict,
                  rows[i].value);
        if (rows[i].wanted != NULL) {
            CHECK_STR(json_text(call_of(&k)->arguments), haft__str(rows[i].wanted), "%s",
                      rows[i].verdict);
        } else {
            CHECK(has(haft__buf_str(&k.r.summary), "why=\"secret\""), "%s", rows[i].value);
        }
        CHECK(!has(since(&k, before), SECRET), "%.*s", HAFT__ARG(since(&k, before)));
        check_replay(&k, rows[i].verdict);
        help_run_finish(&k.r);
    }
}

/* The log up to and including the first event of that kind. */
static haft_str log_until(const known_run *k, const char *kind)
{
    haft_str log = haft__buf_str(&k->r.log), rest = log;
    while (rest.len > 0 && !has(haft__str_split(&rest, '\n'), kind)) {
    }
    return help_keep((haft_str){log.ptr, log.len - rest.len});
}

/* A run whose host was killed after its call had started. */
static void init_killed(known_run *k, const char *spec)
{
    known_run first;
    const char *call = "{\"name\":\"send\",\"arguments\":{\"q\":\"" SECRET "\"}}";
    init(&first, spec, call);
    CHECK_INT(help_run_go(&first.r), HAFT_OK, "%s", first.r.err.message);
    haft_str log = log_until(&first, "\"call_started\"");
    init(k, spec, call);
    CHECK_INT(help_run_restore(&k->r, log), HAFT_OK, "%s", k->r.err.message);
    help_run_finish(&first.r);
}

TEST(a_later_attempt_has_the_arguments_of_the_first)
{
    static const struct {
        const char *spec, *wanted;
    } rows[] = {
        {"agent; tools=send!read_only", "call_started"},
        {"agent; tools=send; on_unknown=ask", "paused"},
        {"agent; tools=send; on_unknown=retry", "call_started"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        known_run k;
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        init_killed(&k, rows[i].spec);
        size_t before = k.r.log.len;
        change_owner(&k);
        k.r.now_ms += 10;
        CHECK_INT(haft__decide_recovery(&k.r.drive.decider, &k.r.drive.run, call_of(&k),
                                        k.r.now_ms + 10, &effect, &k.r.err),
                  HAFT_OK, "%s", k.r.err.message);
        CHECK_INT(haft__drive_append(&k.r.drive, effect.body, &k.r.err), HAFT_OK, "%s",
                  k.r.err.message);
        CHECK_STR(json_text(call_of(&k)->arguments), HAFT__LIT("{\"q\":\"" SECRET "\",\"n\":7}"),
                  "%s", rows[i].spec);
        CHECK(has(since(&k, before), rows[i].wanted), "%.*s", HAFT__ARG(since(&k, before)));
        CHECK(has(since(&k, before), "\"arguments\":null"), "%.*s", HAFT__ARG(since(&k, before)));
        CHECK_INT(haft__drive_on(&k.r.drive, &k.r.err), HAFT_OK, "%s", k.r.err.message);
        CHECK(!has(since(&k, before), SECRET), "%.*s", HAFT__ARG(since(&k, before)));
        check_replay(&k, rows[i].spec);
        help_run_finish(&k.r);
    }
}

/* A call that had started, and would start again with other arguments. */
TEST(a_call_that_would_start_again_with_other_arguments_ends)
{
    static const char *const body =
        "\"kind\":\"call_started\",\"call\":\"c1.1\",\"arguments\":{\"q\":\"another " SECRET
        "\"},\"attempt\":2}";
    known_run k;
    haft__buf out;
    haft__buf_init(&out, 4096);
    init_killed(&k, "agent; tools=send!read_only");
    CHECK_INT(haft__withhold_event(&k.r.drive.run, &k.redactor, haft__str(body), &out, &k.r.err),
              HAFT_OK, "%s", k.r.err.message);
    CHECK(haft__str_starts_with(haft__buf_str(&out), HAFT__LIT("\"kind\":\"call_finished\"")),
          "%.*s", HAFT__ARG(haft__buf_str(&out)));
    CHECK(has(haft__buf_str(&out), "\"where\":\"secret\""), "%.*s", HAFT__ARG(haft__buf_str(&out)));
    CHECK_INT(haft__drive_append(&k.r.drive, haft__buf_str(&out), &k.r.err), HAFT_OK, "%s",
              k.r.err.message);
    haft__buf_finish(&out);
    help_run_finish(&k.r);
}

/* A tool that is called again with an answer gets back the state that it gave. */
TEST(a_tool_gets_back_the_state_that_it_gave)
{
    static const struct {
        const char *body, *wanted;
    } rows[] = {
        {"\"kind\":\"call_asked\",\"call\":\"c1.1\",\"durable\":true,\"state\":\"of " SECRET "\"}",
         "\"kind\":\"call_finished\",\"call\":\"c1.1\""},
        {"\"kind\":\"call_asked\",\"call\":\"c1.1\",\"durable\":true,\"state\":\"a\","
         "\"question\":\"" SECRET "?\"}",
         "\"kind\":\"call_asked\",\"call\":\"c1.1\",\"durable\":true,\"state\":\"a\","
         "\"question\":\"[redacted]?\"}"},
        {"\"kind\":\"call_asked\",\"call\":\"c1.1\",\"durable\":false,\"state\":\"" SECRET "\"}",
         "\"kind\":\"call_asked\",\"call\":\"c1.1\",\"durable\":false,\"state\":"
         "\"[redacted]\"}"},
    };
    known_run k;
    init_killed(&k, "agent; tools=send!read_only");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf out;
        haft__buf_init(&out, 4096);
        CHECK_INT(haft__withhold_event(&k.r.drive.run, &k.redactor, haft__str(rows[i].body), &out,
                                       &k.r.err),
                  HAFT_OK, "%s", k.r.err.message);
        CHECK(haft__str_starts_with(haft__buf_str(&out), haft__str(rows[i].wanted)), "%.*s",
              HAFT__ARG(haft__buf_str(&out)));
        haft__buf_finish(&out);
    }
    help_run_finish(&k.r);
}

TEST(the_rest_of_a_run_replays_if_a_later_process_knows_more)
{
    known_run k;
    char script[512];
    (void)snprintf(script, sizeof(script),
                   "{\"replies\":[{\"calls\":[{\"name\":\"pick\"}]},{\"text\":\"%s is up\"}]}",
                   SECRET);
    help_run_init(&k.r, "agent; tools=pick!headless", script);
    init_redactor(&k.redactor, &k.r.arena);
    CHECK_INT(help_run_go(&k.r), HAFT_OK, "%s", k.r.err.message);
    CHECK_INT(help_run_answer(&k.r, "c1.1", "answer", "1"), HAFT_OK, "%s", k.r.err.message);
    haft_str log = log_until(&k, "up\",\"reasoning\"");
    help_run other;
    help_run_init(&other, "agent; tools=pick!headless", script);
    CHECK_INT(help_run_restore(&other, log), HAFT_OK, "%s", other.err.message);
    other.drive.options.redactor = &k.redactor;
    CHECK_INT(haft__drive_on(&other.drive, &other.err), HAFT_OK, "%s", other.err.message);
    known_run seen = {.r = other};
    CHECK(has(since(&seen, log.len), "\"answer\":\"[redacted] is up\""), "%.*s",
          HAFT__ARG(since(&seen, log.len)));
    check_replay(&seen, "the answer");
    help_run_finish(&other);
    help_run_finish(&k.r);
}

/* ---- differences that replay accepts ---- */

TEST(only_redacted_parts_may_differ)
{
    static const struct {
        const char *recorded, *decided;
        bool same;
    } rows[] = {
        {"\"kind\":\"x\",\"a\":\"[redacted] b\"}", "\"kind\":\"x\",\"a\":\"secret b\"}", true},
        {"\"kind\":\"x\",\"a\":\"[redacted]\"}", "\"kind\":\"x\",\"a\":12}", true},
        {"\"kind\":\"x\",\"a\":\"[redacted]\"}", "\"kind\":\"x\",\"a\":{\"b\":1}}", true},
        {"\"kind\":\"x\",\"a\":[\"[redacted]\",1,\"[redacted]\"]}",
         "\"kind\":\"x\",\"a\":[2,1,\"s\"]}", true},
        {"\"kind\":\"x\",\"a\":[\"[redacted]\",1,\"[redacted]\"]}",
         "\"kind\":\"x\",\"a\":[2,3,\"s\"]}", false},
        {"\"kind\":\"x\",\"a\":\"[redacted] b\"}", "\"kind\":\"x\",\"a\":\" b\"}", false},
        {"\"kind\":\"x\",\"a\":\"[redacted] b\"}", "\"kind\":\"x\",\"a\":\"secret c\"}", false},
        {"\"kind\":\"x\",\"a\":\"[redacted] b\"}", "\"kind\":\"y\",\"a\":\"secret b\"}", false},
        {"\"kind\":\"x\",\"a\":\"b\"}", "\"kind\":\"x\",\"a\":\"c\"}", false},
        {"\"kind\":\"x\"}", "\"kind\":\"x\",\"a\":\"c\"}", false},
        {"[redacted]", "a", true},
        {"[redacted]", "", false},
        {"", "a", false},
    };
    known_run k;
    haft__event event = {.kind = HAFT__EVENT_RUN_FINISHED, .object = haft__json_null()};
    init(&k, "agent; tools=send", "{\"name\":\"send\"}");
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool same = !rows[i].same;
        CHECK_INT(haft__withhold_matches(&k.r.drive.run, &event, haft__str(rows[i].recorded),
                                         haft__str(rows[i].decided), &same, &k.r.err),
                  HAFT_OK, "%s", k.r.err.message);
        CHECK_INT(same, rows[i].same, "%s for %s", rows[i].recorded, rows[i].decided);
    }
    help_run_finish(&k.r);
}

/* A log in which the arguments that run differ from the decided ones is a different log. */
TEST(arguments_that_were_redacted_are_not_the_same_call)
{
    known_run k;
    haft__replay found = {0};
    init(&k, "agent; tools=send", "{\"name\":\"send\",\"arguments\":{\"q\":\"" SECRET "\"}}");
    CHECK_INT(help_run_go(&k.r), HAFT_OK, "%s", k.r.err.message);
    haft_str log = help_keep(haft__buf_str(&k.r.log));
    char *at = strstr(log.ptr, "\"arguments\":{\"q\":\"" SECRET);
    CHECK(at != NULL, "%s", log.ptr);
    if (at != NULL) {
        memcpy(at + 18, "[redacted]\"", 11); /* as long as the secret, with one more quote: */
        haft__buf text;
        haft__buf_init(&text, 1 << 20);
        haft__buf_add(&text, log.ptr, (size_t)(at - log.ptr) + 29);
        haft__buf_add_str(&text, haft__str(at + 30));
        haft_status status = haft__replay_log(&k.r.arena, &k.r.spec.spec, haft__buf_str(&text),
                                              HELP_KEY, &found, &k.r.err);
        CHECK_INT(status, HAFT_OK, "%s", k.r.err.message);
        CHECK(!found.identical && has(found.recorded, "[redacted]"), "%.*s",
              HAFT__ARG(haft__buf_str(&text)));
        haft__buf_finish(&text);
    }
    help_run_finish(&k.r);
}

TEST(a_failed_allocation_logs_no_secret)
{
    static const char *const bodies[] = {
        "\"kind\":\"call_started\",\"call\":\"c1.1\",\"arguments\":{\"q\":\"" SECRET "\",\"n\":7}}",
        "\"kind\":\"call_started\",\"call\":\"c1.1\",\"arguments\":{\"q\":\"a " SECRET "\"}}",
        "\"kind\":\"model_replied\",\"calls\":[{\"arguments\":\"" SECRET "\"}]}",
    };
    known_run k;
    init_killed(&k, "agent; tools=send!read_only");
    for (size_t i = 0; i < COUNT(bodies); i++) {
        for (unsigned n = 0;; n++) {
            haft__buf out;
            haft__buf_init(&out, 4096);
            test_fail_allocation(n);
            haft_status status = haft__withhold_event(&k.r.drive.run, &k.redactor,
                                                      haft__str(bodies[i]), &out, &k.r.err);
            bool failed = test_allow_allocations();
            haft_str text = haft__buf_str(&out);
            CHECK(failed || !has(text, SECRET), "%.*s", HAFT__ARG(text));
            haft__buf_finish(&out);
            if (!failed) {
                CHECK_INT(status, HAFT_OK, "%s", bodies[i]);
                break;
            }
            CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u of %s", n, bodies[i]);
        }
    }
    help_run_finish(&k.r);
}
