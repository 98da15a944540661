/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs in small contexts: src/run/context/, src/run/decide/context.c, src/run/fold/context.c.
 * The scenarios context-*.txt show each decision; these tests check what holds for all requests. */
#include "base/str.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "prompt/history.h"
#include "run/context/context_help.h"
#include "run/context/context_size.h"
#include "run/context/context_view.h"

/* ---- every request ---- */

typedef struct watch {
    help_run *run;
    const haft__provider *provider;
    haft__provider_conversation *conversation;
    haft__buf body;
    size_t requests, rewrites, native_calls;
} watch;

/* The request fits, its calls and results are together, and the kept text gives the same bytes as
 * that of another process. */
static void on_request(void *context, const haft__request *request)
{
    watch *w = context;
    const haft__run *run = &w->run->drive.run;
    uint64_t tokens = haft__context_tokens(run), budget = haft__context_budget(run->spec);
    CHECK(run->context.summarising || tokens <= budget, "request %zu: %llu of %llu tokens",
          w->requests, (unsigned long long)tokens, (unsigned long long)budget);
    CHECK(haft__history_is_valid(request->messages), "request %zu: a call without its result",
          w->requests);
    w->requests++;
    w->rewrites = run->context.rewrites;
    if (w->provider == NULL) {
        return;
    }
    haft__provider_request_options options = {.stream = true};
    haft__provider_conversation *fresh = NULL;
    haft__buf body;
    haft__buf_init(&body, 1 << 22);
    haft__buf_clear(&w->body);
    CHECK_INT(haft__conversation_write(w->conversation, request, &options, &w->body, NULL), HAFT_OK,
              "%s", w->provider->name);
    CHECK_INT(haft__conversation_create(w->provider, &fresh, NULL), HAFT_OK, "create");
    fresh->context = w->conversation->context; /* what a server was asked for stays */
    CHECK_INT(haft__conversation_write(fresh, request, &options, &body, NULL), HAFT_OK, "write");
    CHECK_STR(haft__buf_str(&w->body), haft__buf_str(&body), "%s: request %zu", w->provider->name,
              w->requests);
    size_t calls = help_check_pairs(haft__buf_str(&body), w->provider->name, request->transcript);
    bool native = haft__str_equal(request->format, HAFT__LIT("native")) && !request->transcript;
    CHECK(native || calls == 0, "%s: calls of a text format are text", w->provider->name);
    w->native_calls += calls;
    haft__conversation_destroy(fresh);
    haft__buf_finish(&body);
}

static void play(watch *w, help_run *r, const char *words, haft_str script)
{
    help_run_init_str(r, haft__str(words), script);
    w->run = r;
    r->drive.options.on_request = on_request;
    r->drive.options.request_context = w;
    CHECK_INT(help_run_go(r), HAFT_OK, "%s %s", r->err.where, r->err.message);
}

#define LONG_RUN                                                                                   \
    "agent; tools=look,read_result; turns=600; calls=2000; tokens=100000000; wall_ms=100000000; "  \
    "context=8000; reserve=1000; "

TEST(five_hundred_turns_fit_into_eight_thousand_tokens)
{
    static const char *const rules[] = {
        "clear_at=75; clear_keep=3; replace_at=90; replace_keep=4",
        "replace_at=90; replace_keep=4",
    };
    haft_str script = help_write_script(500, 1, 300, 7);
    for (size_t i = 0; i < COUNT(rules); i++) {
        char words[512];
        help_run r;
        watch w = {.requests = 0};
        (void)snprintf(words, sizeof(words), LONG_RUN "%s", rules[i]);
        play(&w, &r, words, script);
        CHECK_INT(r.drive.run.end, HAFT__END_DONE, "%s: %.*s", rules[i],
                  HAFT__ARG(r.drive.run.end_reason));
        CHECK_STR(r.drive.run.answer, HAFT__LIT("Done."), "%s", rules[i]);
        CHECK(w.requests == 502 && w.rewrites > 5 && w.rewrites < 260, "%zu requests, %zu rewrites",
              w.requests, w.rewrites);
        CHECK(r.drive.run.call_count == 501
                  && haft__str_starts_with(r.drive.run.calls[500].shown, HAFT__LIT("fact 2:")),
              "the fact of turn 3 is still reachable");
        help_check_replay(&r);
        help_run_finish(&r);
    }
}

TEST(no_request_splits_a_call_from_its_result_in_any_format_of_any_provider)
{
    static const char *const formats[] = {"native", "hermes", "purejson", "pythonic",
                                          "anthropic_xml"};
    size_t count = 0;
    const haft__provider *all = haft__providers(&count);
    uint32_t seed = 11;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < COUNT(formats) && strchr(all[i].name, ' ') == NULL; k++) {
            char words[512];
            help_run r;
            watch w = {.provider = &all[i]};
            haft__buf_init(&w.body, 1 << 22);
            CHECK_INT(haft__conversation_create(&all[i], &w.conversation, NULL), HAFT_OK, "create");
            (void)snprintf(words, sizeof(words),
                           "agent; tools=look,read_result; turns=60; calls=300; context=3000; "
                           "reserve=300; clear_at=70; clear_keep=2; replace_at=85; replace_keep=2; "
                           "provider=%s; format=%s%s",
                           all[i].name, formats[k], k % 2 == 1 ? "; transcript" : "");
            play(&w, &r, words, help_write_script(40, 4, 90, seed++));
            CHECK_INT(r.drive.run.end, HAFT__END_DONE, "%s %s: %.*s", all[i].name, formats[k],
                      HAFT__ARG(r.drive.run.end_reason));
            CHECK(w.rewrites > 0, "%s %s: nothing was shortened", all[i].name, formats[k]);
            CHECK(k > 0 || w.native_calls > 0, "%s: no native calls were seen", all[i].name);
            help_check_replay(&r);
            help_run_finish(&r);
            haft__conversation_destroy(w.conversation);
            haft__buf_finish(&w.body);
        }
    }
}

/* ---- the estimate ---- */

TEST(the_usage_that_a_model_reports_corrects_the_estimate)
{
    static const char script[] =
        "{\"replies\":[{\"calls\":[{\"name\":\"look\"}],\"usage\":{\"input_tokens\":150}},"
        "{\"text\":\"Done.\",\"usage\":{\"input_tokens\":180}}],\"results\":{\"look\":\"a b c\"}}";
    help_run r;
    help_run_init(&r, "agent; tools=look; context=4000; instructions=Look at everything.", script);
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    const haft__run_context *c = &r.drive.run.context;
    CHECK_INT(c->reported, 180, "the last report");
    CHECK(c->estimated >= 150 && c->estimated < 240, "%llu estimated after the first",
          (unsigned long long)c->estimated);
    CHECK(c->factor > HAFT__ESTIMATE_FACTOR, "the factor is %u", c->factor);
    help_run_finish(&r);
}

/* Each new message is measured once; the sum is that of all. */
TEST(the_size_of_the_history_is_kept_up_to_date)
{
    help_run r;
    watch w = {.requests = 0};
    play(&w, &r,
         "agent; tools=look,read_result; turns=60; context=3000; reserve=300; clear_at=70; "
         "clear_keep=2; replace_at=85; replace_keep=2",
         help_write_script(30, 1, 90, 3));
    uint64_t sum = 0, old = 0;
    size_t kept = 0;
    for (size_t i = r.drive.run.messages.count; i-- > 0;) {
        haft__message message = r.drive.run.messages.items[i];
        CHECK(message.tokens > 0, "message %zu is measured", i);
        message.tokens = 0;
        sum += haft__estimate_message(&message);
        bool observation = haft__context_is_observation(&r.drive.run, &message);
        kept += observation;
        old += observation && kept > 2 ? haft__context_saved_by_stub(&r.drive.run, &message) : 0;
    }
    CHECK_INT(r.drive.run.context.old, old, "what stubs of old observations save");
    CHECK_INT(r.drive.run.context.history, sum, "the history");
    CHECK_INT(r.drive.run.context.measured, r.drive.run.messages.count, "the messages");
    help_run_finish(&r);
}

TEST(a_context_of_unknown_size_is_left_alone)
{
    help_run r;
    help_run_init_str(&r,
                      HAFT__LIT("agent; tools=look,read_result; turns=60; clear_at=1; "
                                "clear_keep=0; replace_at=1; replace_keep=1"),
                      help_write_script(30, 1, 200, 3));
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.context.rewrites, 0, "nothing was shortened");
    help_run_finish(&r);
}

/* ---- a model that says that a request is too long ---- */

/* The beginning of a log, up to and including the n-th turn_started. */
static haft_str log_to_turn(haft_str log, size_t turn)
{
    haft_str rest = log;
    while (rest.len > 0 && turn > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        bool starts = haft__str_contains_ignore_case(line, HAFT__LIT("\"turn_started\""));
        turn -= starts;
    }
    return (haft_str){log.ptr, log.len - rest.len};
}

/* One call with a result of 900 words. */
static haft_str write_long_result(void)
{
    haft__buf script;
    uint32_t seed = 1;
    haft__buf_init(&script, 1 << 20);
    haft__buf_addf(&script, "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},"
                            "{\"expect\":{\"contains\":\"result of call c1.1\"},"
                            "\"text\":\"Done.\"}],\"results\":{\"look\":[\"fact:");
    help_add_words(&script, &seed, 900);
    haft__buf_addf(&script, "\"]}}");
    haft_str kept = help_keep(haft__buf_str(&script));
    haft__buf_finish(&script);
    return kept;
}

TEST(a_request_that_the_model_calls_too_long_is_sent_again_with_less)
{
    static const char words[] = "agent; tools=look,read_result; turns=9; clear_at=80; clear_keep=0";
    haft_str script = write_long_result();
    haft__model_failure failure = {
        .status = 400, .message = HAFT__LIT("too long"), .kind = HAFT__FAILURE_CONTEXT};
    help_run first, r;
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    help_run_init_str(&first, haft__str(words), script);
    CHECK_INT(help_run_go(&first), HAFT_OK, "%s", first.err.message);
    help_run_init_str(&r, haft__str(words), script);
    haft_str log = log_to_turn(haft__buf_str(&first.log), 2);
    CHECK_INT(help_run_restore(&r, log), HAFT_OK, "%s", r.err.message);
    haft__input_model_failed(&body, &failure, 1);
    CHECK_INT(haft__drive_append(&r.drive, haft__buf_str(&body), &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "%.*s", HAFT__ARG(r.drive.run.end_reason));
    CHECK_INT(r.drive.run.context.cleared, 1, "the observation was cleared");
    help_check_replay(&r);
    help_run_finish(&first);
    help_run_finish(&r);
    haft__buf_finish(&body);
}

/* Nothing can be shortened: the run fails as before, with the message of the model. */
TEST(a_task_that_the_model_calls_too_long_ends_the_run)
{
    static const char words[] = "agent; tools=look; turns=9; clear_at=80; clear_keep=0";
    haft__model_failure failure = {
        .status = 400, .message = HAFT__LIT("too long"), .kind = HAFT__FAILURE_CONTEXT};
    help_run first, r;
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    help_run_init(&first, words, "{\"replies\":[{\"text\":\"Done.\"}]}");
    CHECK_INT(help_run_go(&first), HAFT_OK, "%s", first.err.message);
    help_run_init(&r, words, "{\"replies\":[{\"text\":\"Done.\"}]}");
    CHECK_INT(help_run_restore(&r, log_to_turn(haft__buf_str(&first.log), 1)), HAFT_OK, "%s",
              r.err.message);
    haft__input_model_failed(&body, &failure, 1);
    CHECK_INT(haft__drive_append(&r.drive, haft__buf_str(&body), &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_FAILED, "%.*s", HAFT__ARG(r.drive.run.end_reason));
    CHECK_STR(r.drive.run.end_reason, HAFT__LIT("the model call failed"), "the reason");
    help_run_finish(&first);
    help_run_finish(&r);
    haft__buf_finish(&body);
}
