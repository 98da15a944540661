/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry/content.h"
#include "telemetry/count.h"
#include "telemetry/log_line.h"
#include "telemetry/observe.h"
#include "test.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/vec.h"
#include "run/scenario_help.h"
#include "run/trace.h"
#include "json/read.h"

/* The spans of a run, whose texts are no longer valid, and a line for each. */
typedef struct spans {
    haft__span *items;
    size_t count, capacity;
    haft__buf lines, log;
    haft__metrics *metrics; /* that count the spans; or NULL */
} spans;

/* "chat m turn=1 mode=any ...": the name, then the attributes that do not repeat it. */
static void add_line(haft__buf *buf, const haft__span *span)
{
    static const haft__attribute_id shown[] = {HAFT__ATTRIBUTE_TURN,
                                               HAFT__ATTRIBUTE_MODE,
                                               HAFT__ATTRIBUTE_GATE,
                                               HAFT__ATTRIBUTE_INPUT_TOKENS,
                                               HAFT__ATTRIBUTE_TOOL_TYPE,
                                               HAFT__ATTRIBUTE_FINISH_REASONS,
                                               HAFT__ATTRIBUTE_CALL,
                                               HAFT__ATTRIBUTE_ATTEMPT,
                                               HAFT__ATTRIBUTE_ERROR_TYPE,
                                               HAFT__ATTRIBUTE_END,
                                               HAFT__ATTRIBUTE_COST,
                                               HAFT__ATTRIBUTE_INPUT_MESSAGES,
                                               HAFT__ATTRIBUTE_OUTPUT_MESSAGES,
                                               HAFT__ATTRIBUTE_TOOL_ARGUMENTS,
                                               HAFT__ATTRIBUTE_TOOL_RESULT};
    const haft__span_names *names = haft__span_names_of(span->kind);
    haft__buf_addf(buf, "%s %.*s", names->operation,
                   HAFT__ARG(haft__span_text(span, names->subject)));
    for (size_t i = 0; i < COUNT(shown); i++) {
        const haft__attribute *value = &span->values[shown[i]];
        const char *name = strrchr(haft__attribute_name(shown[i]), '.') + 1;
        if (value->kind == HAFT__ATTRIBUTE_TEXT || value->kind == HAFT__ATTRIBUTE_LIST) {
            haft__buf_addf(buf, " %s=%.*s", name, HAFT__ARG(value->text));
        } else if (value->kind != HAFT__ATTRIBUTE_UNSET) {
            haft__buf_addf(buf, " %s=%" PRId64, name, value->number);
        }
    }
    if (span->message.len > 0) {
        haft__buf_addf(buf, " message=%.*s", HAFT__ARG(span->message));
    }
    haft__buf_addf(buf, " ms=%" PRIu64 "%s\n", span->end_ms - span->start_ms,
                   span->link != 0 ? " linked" : "");
}

static void on_span(void *context, const haft__span *span)
{
    spans *all = context;
    all->items = haft__vec_reserve(all->items, &all->capacity, all->count + 1, sizeof(*span));
    all->items[all->count++] = *span;
    add_line(&all->lines, span);
    haft__log_line_write(&all->log, span);
    if (all->metrics != NULL) {
        haft__count_span(all->metrics, span);
    }
}

static void init_spans(spans *all)
{
    *all = (spans){0};
    haft__buf_init(&all->lines, 1 << 20);
    haft__buf_init(&all->log, 1 << 20);
}

static void finish_spans(spans *all)
{
    free(all->items);
    haft__buf_finish(&all->lines);
    haft__buf_finish(&all->log);
}

/* Folds a log, observes its events, and pauses before each `answered` if `pauses` is set. */
static void observe_log(const help_scenario *scenario, haft_str log, bool pauses,
                        const haft__observed_facts *facts, haft__metrics *metrics, spans *all)
{
    all->metrics = metrics;
    help_run r;
    haft__run_observer observer = {0};
    help_run_init_str(&r, scenario->spec, scenario->script);
    while (log.len > 0) {
        haft_str line = haft__str_split(&log, '\n');
        haft__event event;
        CHECK_INT(haft__event_read(&r.arena, line, HELP_KEY, &event, &r.err), HAFT_OK, "%s",
                  r.err.message);
        if (pauses && event.kind == HAFT__EVENT_ANSWERED) {
            haft__observe_pause(&observer, &r.drive.run, HAFT__LIT("waiting"), facts, on_span, all);
        }
        CHECK_INT(haft__run_fold(&r.drive.run, line, &r.err), HAFT_OK, "%s: %s", scenario->path,
                  r.err.message);
        if (metrics != NULL) {
            haft__count_event(metrics, &r.drive.run, facts->agent, &event);
        }
        haft__observe_event(&observer, &r.drive.run, &event, facts, on_span, all);
    }
    if (r.drive.run.stage != HAFT__RUN_ENDED) {
        haft__observe_pause(&observer, &r.drive.run, HAFT__LIT("waiting"), facts, on_span, all);
    }
    CHECK(!observer.open, "%s: the stretch is still open", scenario->path);
    help_run_finish(&r);
}

static const haft__observed_facts no_facts = {.agent = HAFT__LIT("test"), .server = HAFT__LIT("")};

static haft_str lines_of(const char *scenario, bool pauses, const haft__observed_facts *facts)
{
    const help_scenario *s = help_scenario_named(scenario);
    spans all;
    init_spans(&all);
    observe_log(s, help_scenario_log(s), pauses, facts, NULL, &all);
    haft_str lines = help_keep(haft__buf_str(&all.lines));
    finish_spans(&all);
    return lines;
}

/* ---- chosen runs ---- */

TEST(events_become_spans)
{
    static const struct {
        const char *scenario, *lines;
    } cases[] = {
        {"an-agent-answers", "chat m turn=1 mode=auto input_tokens=0 finish_reasons=stop ms=10\n"
                             "invoke_agent test turn=1 input_tokens=0 end=done ms=60\n"},
        {"a-headless-call-waits",
         "chat m turn=1 mode=auto input_tokens=0 finish_reasons=tool_calls ms=10\n"
         "invoke_agent test turn=1 input_tokens=0 end=waiting ms=70\n"},
        {"a-model-that-fails",
         "chat m turn=1 mode=auto type=transient ms=10\n"
         "invoke_agent test turn=1 input_tokens=0 type=failed end=failed ms=60\n"},
        {"approval-rejected",
         "chat m turn=1 mode=any gate=closed input_tokens=0 finish_reasons=tool_calls ms=10\n"
         "invoke_agent test turn=1 input_tokens=0 end=waiting ms=80\n"
         "invoke_agent test turn=1 input_tokens=0 end=waiting ms=10 linked\n"
         "execute_tool look turn=1 type=extension id=c1.2 attempt=1 ms=0\n"
         "invoke_agent test turn=1 input_tokens=0 end=waiting ms=30 linked\n"
         "chat m turn=2 mode=any gate=closed input_tokens=0 finish_reasons=tool_calls ms=10\n"
         "invoke_agent test turn=2 input_tokens=0 end=waiting ms=70 linked\n"
         "execute_tool tally turn=2 type=extension id=c2.1 attempt=1 ms=0\n"
         "chat m turn=3 mode=auto gate=open input_tokens=0 finish_reasons=stop ms=10\n"
         "invoke_agent test turn=3 input_tokens=0 end=done ms=100 linked\n"},
        {"completion-before-the-gate",
         "chat m turn=1 mode=any gate=closed input_tokens=0 finish_reasons=tool_calls ms=10\n"
         "execute_tool look turn=1 type=extension id=c1.1 attempt=1 ms=0\n"
         "chat m turn=2 mode=any gate=closed input_tokens=0 finish_reasons=stop ms=10\n"
         "invoke_agent test turn=2 input_tokens=0 type=violated end=violated ms=160\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(lines_of(cases[i].scenario, true, &no_facts), haft__str(cases[i].lines), "%s",
                  cases[i].scenario);
    }
}

/* ---- content ---- */

TEST(content_is_off_unless_it_is_requested)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        spans all;
        init_spans(&all);
        observe_log(&scenarios[i], help_scenario_log(&scenarios[i]), false, &no_facts, NULL, &all);
        for (size_t k = 0; k < all.count; k++) {
            for (size_t id = HAFT__ATTRIBUTE_INPUT_MESSAGES; id < HAFT__ATTRIBUTE_COUNT; id++) {
                CHECK(all.items[k].values[id].kind == HAFT__ATTRIBUTE_UNSET, "%s: %s",
                      scenarios[i].path, haft__attribute_name((haft__attribute_id)id));
            }
            CHECK_INT(all.items[k].message.len, 0, "%s", scenarios[i].path);
        }
        finish_spans(&all);
    }
}

TEST(content_has_no_secrets)
{
    haft__arena arena;
    haft__redactor redactor;
    bool added = false;
    haft__arena_init(&arena, 0);
    haft__redactor_init(&redactor, &arena);
    CHECK_INT(haft__redactor_add(&redactor, HAFT__LIT("do it now or never"), &added, NULL), HAFT_OK,
              "add");
    CHECK_INT(haft__redactor_seal(&redactor, NULL), HAFT_OK, "seal");
    haft__observed_facts facts = {
        .agent = HAFT__LIT("test"), .server = HAFT__LIT(""), .content = &redactor};
    CHECK_STR(
        lines_of("a-headless-call-waits", true, &facts),
        HAFT__LIT("chat m turn=1 mode=auto input_tokens=0 finish_reasons=tool_calls messages=[{"
                  "\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1.1\","
                  "\"name\":\"pick\",\"arguments\":\"{}\"}]}] ms=10\n"
                  "invoke_agent test turn=1 input_tokens=0 end=waiting messages=[{\"role\":"
                  "\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"do it\"}]}] ms=70\n"),
        "with content");
    haft__content content;
    haft__content_init(&content, &redactor);
    CHECK_STR(haft__content_text(&content, HAFT__LIT("say: do it now or never!")),
              HAFT__LIT("say: [redacted]!"), "a text");
    haft__content_finish(&content);
    haft__arena_finish(&arena);
}

TEST(long_content_is_cut_after_it_was_redacted)
{
    haft__arena arena;
    haft__redactor redactor;
    haft__content content;
    bool added = false;
    static char text[HAFT__LIMIT_TELEMETRY_CONTENT_BYTES + 9];
    haft__arena_init(&arena, 0);
    haft__redactor_init(&redactor, &arena);
    CHECK_INT(haft__redactor_add(&redactor, HAFT__LIT("abcdefghijklmnop"), &added, NULL), HAFT_OK,
              "add");
    CHECK_INT(haft__redactor_seal(&redactor, NULL), HAFT_OK, "seal");
    memset(text, 'x', sizeof(text));
    haft__content_init(&content, &redactor);
    haft_str whole = {text, HAFT__LIMIT_TELEMETRY_CONTENT_BYTES};
    CHECK_INT(haft__content_text(&content, whole).len, whole.len, "at the limit");
    whole.len++;
    haft_str cut = haft__content_text(&content, whole);
    CHECK(haft__str_ends_with(cut, HAFT__LIT("x... (truncated)")), "past the limit: %zu", cut.len);
    CHECK_INT(cut.len, HAFT__LIMIT_TELEMETRY_CONTENT_BYTES + 15, "past the limit");
    memcpy(text + sizeof(text) - 20, "abcdefghijklmnop", 16); /* across the limit */
    whole.len = sizeof(text);
    cut = haft__content_text(&content, whole);
    CHECK(memchr(cut.ptr, 'b', cut.len) == NULL, "a part of the secret is left");
    haft__content_finish(&content);
    haft__arena_finish(&arena);
}

/* ---- all runs ---- */

static size_t count_kind(haft_str log, const char *kind)
{
    char key[64];
    size_t count = 0;
    int length = snprintf(key, sizeof(key), "\"kind\":\"%s\"", kind);
    while (log.len > 0) {
        haft_str line = haft__str_split(&log, '\n');
        for (size_t i = 0; i + (size_t)length <= line.len; i++) {
            if (memcmp(line.ptr + i, key, (size_t)length) == 0) {
                count++;
                break;
            }
        }
    }
    return count;
}

static size_t count_spans(const spans *all, haft__span_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        count += all->items[i].kind == kind;
    }
    return count;
}

/* Each span has its own id, its stretch as its parent, and lies within it. */
static void check_tree(const char *path, const spans *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const haft__span *span = &all->items[i], *parent = NULL;
        CHECK(span->id != 0 && span->start_ms <= span->end_ms, "%s: span %zu", path, i);
        for (size_t k = 0; k < all->count; k++) {
            CHECK(k == i || all->items[k].id != span->id, "%s: %zu and %zu have one id", path, i,
                  k);
            parent = all->items[k].id == span->parent ? &all->items[k] : parent;
        }
        if (span->kind == HAFT__SPAN_AGENT) {
            CHECK(span->parent == 0, "%s: a stretch has a parent", path);
            continue;
        }
        CHECK(parent != NULL && parent->kind == HAFT__SPAN_AGENT
                  && parent->start_ms <= span->start_ms && span->end_ms <= parent->end_ms,
              "%s: span %zu is not in its stretch", path, i);
    }
}

/* Each line of the log is one JSON object with the members of docs/telemetry.md. */
static void check_log(const char *path, const spans *all)
{
    haft_str rest = haft__buf_str(&all->log);
    size_t count = 0;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    while (rest.len > 0) {
        haft__json value;
        haft_str line = haft__str_split(&rest, '\n');
        CHECK_INT(haft__json_read(&arena, line, NULL, &value, NULL, NULL), HAFT_OK, "%s", path);
        CHECK(haft__json_get(value, HAFT__LIT("trace_id")) != NULL, "%s", path);
        count++;
    }
    CHECK_INT(count, all->count, "%s: lines", path);
    haft__arena_finish(&arena);
}

TEST(every_reply_and_call_of_every_run_has_one_span)
{
    size_t count = 0;
    const help_scenario *scenarios = help_scenarios(&count);
    CHECK(count > 50, "only %zu scenarios", count);
    for (size_t i = 0; i < count; i++) {
        const char *path = scenarios[i].path;
        haft_str log = help_scenario_log(&scenarios[i]);
        haft__metrics metrics;
        spans all;
        init_spans(&all);
        haft__metrics_init(&metrics, HELP_KEY, 0);
        observe_log(&scenarios[i], log, i % 2 == 0, &no_facts, &metrics, &all);
        CHECK_INT(count_spans(&all, HAFT__SPAN_CHAT),
                  count_kind(log, "model_replied") + count_kind(log, "model_failed"), "%s", path);
        CHECK_INT(count_spans(&all, HAFT__SPAN_TOOL), count_kind(log, "call_finished"), "%s", path);
        check_tree(path, &all);
        check_log(path, &all);
        CHECK(metrics.count > 0, "%s: nothing was counted", path);
        haft__metrics_finish(&metrics);
        finish_spans(&all);
    }
}

TEST(the_trace_context_of_a_call_is_its_span)
{
    const help_scenario *s = help_scenario_named("completion-before-the-gate");
    spans all;
    init_spans(&all);
    observe_log(s, help_scenario_log(s), false, &no_facts, NULL, &all);
    uint64_t wanted = haft__trace_span_of_call(HAFT__LIT(HELP_RUN ":c1.1"), 1);
    bool found = false;
    for (size_t i = 0; i < all.count; i++) {
        found = found || (all.items[i].kind == HAFT__SPAN_TOOL && all.items[i].id == wanted);
    }
    CHECK(found, "no span of the call");
    finish_spans(&all);
}

TEST(facts_of_the_host_are_attributes)
{
    const help_scenario *s = help_scenario_named("an-agent-answers");
    haft__observed_facts facts = {.agent = HAFT__LIT("test"),
                                  .server = HAFT__LIT("api.example.com"),
                                  .port = 443,
                                  .has_first_chunk = true,
                                  .first_chunk_ms = 7};
    spans all;
    init_spans(&all);
    observe_log(s, help_scenario_log(s), false, &facts, NULL, &all);
    const haft__span *chat = &all.items[0];
    CHECK_STR(haft__span_text(chat, HAFT__ATTRIBUTE_SERVER_ADDRESS), facts.server, "server");
    CHECK_INT(haft__span_number(chat, HAFT__ATTRIBUTE_SERVER_PORT), 443, "port");
    CHECK_INT(haft__span_number(chat, HAFT__ATTRIBUTE_FIRST_CHUNK), 7000, "first chunk");
    finish_spans(&all);
}
