/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/context/ and src/run/decide/context.c: runs of a thread, planner histories,
 * next models, summaries, crashes, and the cost of long runs. */
#include "run/context/context_view.h"

#include "base/str.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "run/context/context_help.h"
#include "run/context/context_size.h"

#define SMALL                                                                                      \
    "agent; tools=look,read_result; turns=90; calls=300; tokens=100000000; reserve=100; "          \
    "clear_at=75; clear_keep=2; replace_at=90; replace_keep=2; "

/* ---- bodies ---- */

typedef struct watch {
    help_run *run;
    const haft__provider *provider;
    haft__buf body; /* of the last request */
    size_t calls;
    bool changed; /* the request follows a change of the context */
    size_t changes;
} watch;

static void on_request(void *context, const haft__request *request)
{
    watch *w = context;
    const haft__run *run = &w->run->drive.run;
    haft__provider_request_options options = {.stream = true};
    haft__provider_conversation *fresh = NULL;
    CHECK(haft__context_tokens(run) <= haft__context_budget(run->spec), "it fits");
    haft__buf_clear(&w->body);
    CHECK_INT(haft__conversation_create(w->provider, &fresh, NULL), HAFT_OK, "create");
    CHECK_INT(haft__conversation_write(fresh, request, &options, &w->body, NULL), HAFT_OK, "write");
    w->calls += help_check_pairs(haft__buf_str(&w->body), w->provider->name, request->transcript);
    haft__conversation_destroy(fresh);
}

static const haft__provider *find_provider(const char *name)
{
    size_t count = 0, i = 0;
    const haft__provider *all = haft__providers(&count);
    while (i < count && strcmp(all[i].name, name) != 0) {
        i++;
    }
    CHECK(i < count, "the provider %s", name);
    return &all[i < count ? i : 0];
}

static void watch_run(watch *w, help_run *r, const char *provider)
{
    *w = (watch){.run = r, .provider = find_provider(provider)};
    haft__buf_init(&w->body, 1 << 22);
    r->drive.options.on_request = on_request;
    r->drive.options.request_context = w;
}

static size_t count_text(haft_str all, const char *text)
{
    size_t count = 0;
    haft_str word = haft__str(text);
    for (size_t i = 0; i + word.len <= all.len; i++) {
        count += memcmp(all.ptr + i, word.ptr, word.len) == 0;
    }
    return count;
}

/* ---- runs of a thread ---- */

/* `count` earlier runs with long answers. */
static void add_earlier(help_run *r, haft__messages *to, size_t count, size_t words)
{
    uint32_t seed = 5;
    haft__messages_init(to, &r->arena);
    for (size_t i = 0; i < count; i++) {
        haft__buf answer;
        haft__buf_init(&answer, 1 << 20);
        haft__buf_addf(&answer, "answer %zu:", i);
        help_add_words(&answer, &seed, words);
        haft_str task = haft__arena_format(&r->arena, "earlier task %zu", i);
        haft_str text = i == 1 ? HAFT__LIT("") : help_keep(haft__buf_str(&answer));
        CHECK_INT(haft__run_append_exchange(task, text, HAFT__LIT("done"), to, &r->err), HAFT_OK,
                  "append");
        haft__buf_finish(&answer);
    }
}

TEST(the_first_message_of_a_thread_is_of_the_user_after_each_cut)
{
    static const char *const providers[] = {"anthropic", "gemini", "openai", "ollama",
                                            "openai-responses"};
    static const struct {
        const char *instructions;
        size_t earlier, words;
    } cases[] = {{"", 12, 60}, {"instructions=Be brief.; ", 12, 60}, {"", 1, 900}, {"", 3, 500}};
    for (size_t i = 0; i < COUNT(providers); i++) {
        for (size_t k = 0; k < COUNT(cases); k++) {
            char words[512];
            help_run r;
            watch w;
            haft__messages earlier;
            (void)snprintf(words, sizeof(words), SMALL "context=1200; %sprovider=%s",
                           cases[k].instructions, providers[i]);
            help_run_init_str(&r, haft__str(words), help_write_script(12, 2, 40, 3));
            watch_run(&w, &r, providers[i]);
            add_earlier(&r, &earlier, cases[k].earlier, cases[k].words);
            haft__run_set_earlier(&r.drive.run, &earlier);
            CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
            CHECK_INT(r.drive.run.end, HAFT__END_DONE, "%s, case %zu: %.*s", providers[i], k,
                      HAFT__ARG(r.drive.run.end_reason));
            CHECK(r.drive.run.context.replaced > 0 && w.calls > 0, "%s: turns were replaced",
                  providers[i]);
            CHECK(r.drive.run.end != HAFT__END_DONE
                      || count_text(haft__buf_str(&w.body), "do it") == 1,
                  "%s: the task is there, once", providers[i]);
            haft__buf_finish(&w.body);
            help_run_finish(&r);
        }
    }
}

/* ---- the history of a planner ---- */

TEST(a_planner_reads_what_replaced_old_turns_and_its_task_once)
{
    help_run r;
    watch w;
    help_run_init_str(&r, HAFT__LIT(SMALL "context=1500; transcript; provider=openai"),
                      help_write_script(30, 1, 60, 3));
    watch_run(&w, &r, "openai");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "%.*s", HAFT__ARG(r.drive.run.end_reason));
    CHECK(r.drive.run.context.replaced > 0, "turns were replaced");
    haft_str body = haft__buf_str(&w.body);
    CHECK_INT(count_text(body, "do it"), 1, "the task");
    CHECK_INT(count_text(body, "[Earlier turns were shortened"), 1, "the list");
    haft__buf_finish(&w.body);
    help_run_finish(&r);
}

/* ---- next models ---- */

static help_run *make_fallback(uint64_t tokens, haft_str script)
{
    help_run *r = test_alloc(sizeof(*r));
    help_run_init_str(r,
                      HAFT__LIT("agent; tools=look,read_result; provider=openai; model=small; "
                                "next=openai:other; context=700; reserve=100; clear_at=75; "
                                "clear_keep=1; replace_at=90; replace_keep=1"),
                      script);
    haft__spec *next = haft__arena_alloc(&r->arena, sizeof(*next));
    *next = *r->spec.spec.fallback;
    next->model.context_tokens = tokens;
    r->spec.spec.fallback = next;
    return r;
}

TEST(a_request_that_does_not_fit_goes_to_a_model_with_a_larger_context)
{
    static const struct {
        uint64_t tokens;
        haft__end end;
    } cases[] = {{4000, HAFT__END_DONE},
                 {0, HAFT__END_DONE},
                 {700, HAFT__END_FAILED},
                 {600, HAFT__END_FAILED}};
    haft__buf task;
    uint32_t seed = 9;
    haft__buf_init(&task, 1 << 20);
    help_add_words(&task, &seed, 700);
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_run *r = make_fallback(
            cases[i].tokens,
            HAFT__LIT("{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"Done.\"}],"
                      "\"results\":{\"look\":[\"a\"]}}"));
        CHECK_INT(haft__drive_start(&r->drive, HAFT__LIT(HELP_RUN), HAFT__LIT(HELP_THREAD),
                                    haft__buf_str(&task), &r->err),
                  HAFT_OK, "%s", r->err.message);
        CHECK_INT(haft__drive_on(&r->drive, &r->err), HAFT_OK, "%s", r->err.message);
        CHECK_INT(r->drive.run.end, cases[i].end, "%llu: %.*s", (unsigned long long)cases[i].tokens,
                  HAFT__ARG(r->drive.run.end_reason));
        CHECK_INT(r->drive.run.failed_models, cases[i].end == HAFT__END_DONE, "models");
        CHECK_INT(r->drive.run.failed, false, "nothing was sent to the small model");
        help_check_replay(r);
        help_run_finish(r);
    }
    haft__buf_finish(&task);
}

/* ---- summaries ---- */

#define SUMMARISED                                                                                 \
    "agent; tools=look,read_result; turns=30; context=1000; reserve=200; replace_at=60; "          \
    "replace_keep=1; summary_by=test:small"

/* Two long results, a summary and an answer. */
static haft_str write_summarised(void)
{
    haft__buf script;
    uint32_t seed = 2;
    haft__buf_init(&script, 1 << 20);
    haft__buf_addf(&script, "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"calls\":[{\"name\":"
                            "\"look\",\"arguments\":{\"n\":2}}]},{\"expect\":{\"contains\":"
                            "\"Summarise these turns\"},\"text\":\"Fact one.\"},{\"expect\":{"
                            "\"contains\":\"Fact one.\"},\"text\":\"Done.\"}],\"results\":{"
                            "\"look\":[\"");
    help_add_words(&script, &seed, 280);
    haft__buf_addf(&script, "\",\"");
    help_add_words(&script, &seed, 240);
    haft__buf_addf(&script, "\"]}}");
    haft_str kept = help_keep(haft__buf_str(&script));
    haft__buf_finish(&script);
    return kept;
}

/* The beginning of a log, up to and including the first event of this kind. */
static haft_str log_to(haft_str log, const char *kind)
{
    haft_str rest = log;
    bool found = false;
    while (rest.len > 0 && !found) {
        found = count_text(haft__str_split(&rest, '\n'), kind) > 0;
    }
    CHECK(found, "%s", kind);
    return (haft_str){log.ptr, log.len - rest.len};
}

/* Another process continues after each event of a run with a summary. */
TEST(a_run_continues_after_a_crash_during_a_summary)
{
    static const char *const kinds[] = {"\"summary_started\"", "\"summary\":true",
                                        "\"context_changed\""};
    haft_str script = write_summarised();
    help_run whole;
    help_run_init_str(&whole, HAFT__LIT(SUMMARISED), script);
    CHECK_INT(help_run_go(&whole), HAFT_OK, "%s", whole.err.message);
    CHECK_STR(whole.drive.run.answer, HAFT__LIT("Done."), "%.*s",
              HAFT__ARG(whole.drive.run.end_reason));
    for (size_t i = 0; i < COUNT(kinds); i++) {
        help_run r;
        help_run_init_str(&r, HAFT__LIT(SUMMARISED), script);
        CHECK_INT(help_run_restore(&r, log_to(haft__buf_str(&whole.log), kinds[i])), HAFT_OK, "%s",
                  r.err.message);
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
        CHECK_STR(r.drive.run.answer, HAFT__LIT("Done."), "after %s", kinds[i]);
        CHECK_INT(r.drive.run.context.rewrites, 1, "after %s", kinds[i]);
        CHECK_INT(r.drive.run.usage.input_tokens, whole.drive.run.usage.input_tokens, "after %s",
                  kinds[i]);
        help_check_replay(&r);
        help_run_finish(&r);
    }
    help_run_finish(&whole);
}

/* A summary is not needed any more if a person cancels. */
TEST(a_run_can_be_cancelled_during_a_summary)
{
    haft_str script = write_summarised();
    help_run whole, r;
    haft__buf body;
    haft__buf_init(&body, 1 << 16);
    help_run_init_str(&whole, HAFT__LIT(SUMMARISED), script);
    CHECK_INT(help_run_go(&whole), HAFT_OK, "%s", whole.err.message);
    help_run_init_str(&r, HAFT__LIT(SUMMARISED), script);
    CHECK_INT(help_run_restore(&r, log_to(haft__buf_str(&whole.log), "\"summary_started\"")),
              HAFT_OK, "%s", r.err.message);
    haft__input_cancel_asked(&body, HAFT__LIT("ann"), HAFT__LIT("enough"));
    CHECK_INT(haft__drive_append(&r.drive, haft__buf_str(&body), &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_CANCELLED, "%.*s", HAFT__ARG(r.drive.run.end_reason));
    help_check_replay(&r);
    help_run_finish(&whole);
    help_run_finish(&r);
    haft__buf_finish(&body);
}

typedef struct summary_watch {
    help_run *run;
    size_t summaries;
} summary_watch;

static void on_summary(void *context, const haft__request *request)
{
    summary_watch *w = context;
    const haft__run *run = &w->run->drive.run;
    if (run->context.summarising) {
        const haft__model_spec *model = &run->spec->context.summariser->model;
        uint64_t tokens = 0, room = model->context_tokens;
        for (size_t i = 0; i < request->messages->count; i++) {
            tokens += haft__estimate_message(&request->messages->items[i]);
        }
        CHECK(tokens <= room, "%llu tokens for a context of %llu", (unsigned long long)tokens,
              (unsigned long long)room);
        CHECK(tokens > room / 4, "%llu tokens for a context of %llu", (unsigned long long)tokens,
              (unsigned long long)room);
        w->summaries++;
    }
}

/* Texts with many tokens for each byte, in the task and in the results. */
TEST(the_request_for_a_summary_fits_the_model_that_writes_it)
{
    static const struct {
        const char *text;
        size_t count;
    } texts[] = {{"\xE6\x96\x87\xE4\xBB\xB6", 1200},
                 {".{", 2000},
                 {"0", 3900},
                 {"word ", 1500},
                 {"\xF0\x9F\x98\x80", 1200}};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__buf script, task;
        help_run r;
        summary_watch w = {.run = &r};
        haft__buf_init(&script, 1 << 22);
        haft__buf_init(&task, 1 << 22);
        haft__buf_addf(&script,
                       "{\"replies\":[{\"calls\":[{\"name\":\"look\"},{\"name\":\"look\"}]},"
                       "{\"calls\":[{\"name\":\"look\",\"arguments\":{\"n\":2}}]},"
                       "{\"text\":\"Short.\"},{\"text\":\"Done.\"}],\"results\":{\"look\":[\"");
        for (size_t k = 1; k <= 3 * texts[i].count; k++) {
            bool ends = k % texts[i].count == 0 && k < 3 * texts[i].count;
            haft__buf_addf(&script, "%s%s", texts[i].text, ends ? "\",\"" : "");
            haft__buf_addf(&task, "%s", k < 500 ? texts[i].text : "");
        }
        haft__buf_addf(&script, "\"]}}");
        help_run_init_str(
            &r,
            HAFT__LIT("agent; tools=look; context=9000; reserve=200; replace_at=5; "
                      "replace_keep=1; summary_by=test:small; observation_chars=100000"),
            haft__buf_str(&script));
        haft__spec *small = haft__arena_alloc(&r.arena, sizeof(*small));
        *small = *r.spec.spec.context.summariser;
        small->model.context_tokens = 1500;
        r.spec.spec.context.summariser = small;
        r.drive.options.on_request = on_summary;
        r.drive.options.request_context = &w;
        CHECK_INT(haft__drive_start(&r.drive, HAFT__LIT(HELP_RUN), HAFT__LIT(HELP_THREAD),
                                    haft__buf_str(&task), &r.err),
                  HAFT_OK, "%s", r.err.message);
        CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
        CHECK_INT(w.summaries, 1, "text %zu: summaries", i);
        help_run_finish(&r);
        haft__buf_finish(&script);
        haft__buf_finish(&task);
    }
}

/* ---- cost ---- */

typedef struct cost {
    uint64_t planned; /* messages that plans have read */
    size_t bytes;     /* of context_changed */
    uint32_t rewrites;
} cost;

static cost measure(const char *words, size_t turns)
{
    help_run r;
    cost found = {0};
    help_run_init_str(&r, haft__str(words), help_write_script(turns, 1, 60, 7));
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "%s: %.*s", words,
              HAFT__ARG(r.drive.run.end_reason));
    found.planned = r.drive.decider.planned;
    found.rewrites = r.drive.run.context.rewrites;
    for (haft_str rest = haft__buf_str(&r.log); rest.len > 0;) {
        haft_str line = haft__str_split(&rest, '\n');
        found.bytes += count_text(line, "\"context_changed\"") > 0 ? line.len : 0;
    }
    help_run_finish(&r);
    return found;
}

/* The work for the budget and the bytes of its events grow with the turns, not with their square;
 * and a larger context does not make a turn more expensive. */
TEST(the_cost_of_the_budget_is_linear_in_the_turns)
{
    static const char run[] = "agent; tools=look,read_result; turns=3000; calls=3000; "
                              "tokens=1000000000; wall_ms=1000000000; reserve=1000; ";
    static const char *const rules[] = {
        "clear_at=75; clear_keep=3; replace_at=90; replace_keep=4",
        "clear_at=75; clear_keep=3; replace_at=90; replace_keep=10000",
        "replace_at=90; replace_keep=4",
    };
    for (size_t i = 0; i < COUNT(rules); i++) {
        for (int tokens = 8000; tokens <= 32000; tokens *= 4) {
            char words[512];
            (void)snprintf(words, sizeof(words), "%scontext=%d; %s", run, tokens, rules[i]);
            cost half = measure(words, 1200), whole = measure(words, 2400);
            CHECK(half.rewrites > 0 && whole.planned <= half.planned * 5 / 2 + 60000,
                  "%s: %llu messages for 1,200 turns, %llu for 2,400", words,
                  (unsigned long long)half.planned, (unsigned long long)whole.planned);
            CHECK(whole.planned < 2400 * 60, "%s: %llu messages are read for 2,400 turns", words,
                  (unsigned long long)whole.planned);
            CHECK(whole.bytes < half.bytes * 3 + 20000,
                  "%s: %zu bytes for 1,200 turns, %zu for 2,400", words, half.bytes, whole.bytes);
        }
    }
}
