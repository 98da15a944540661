/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_live.c - shows a run on a live terminal: symbols, colours, streamed text, an open line.
 *
 * Every line fits the terminal. Every colour has a symbol or a word with the same meaning; the
 * colours are readable on light and dark backgrounds. Tests: tests/cli/timeline/timeline_test.c.
 */
#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/width.h"
#include "cli/timeline/event_words.h"
#include "cli/timeline/timeline_int.h"
#include "run/pause/pause.h"
#include "json/object.h"

/* ---- the run ---- */

static void add_head(haft__timeline *t, haft_str run, haft_str task)
{
    haft_str name = t->spec->name;
    if (t->brief) {
        return;
    }
    haft__timeline_line l = haft__timeline_line_begin(t);
    haft__timeline_line_add_cut(&l, HAFT__STYLE_BOLD, name.len > 0 ? name : HAFT__LIT("run"), 0);
    haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, "  ");
    haft__timeline_line_add_cut(&l, HAFT__STYLE_PLAIN, task, 0);
    haft__timeline_line_end(&l);
    l = haft__timeline_line_begin(t);
    haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, run, 0);
    haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__symbol_text(t, HAFT__SYMBOL_DOT));
    haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, t->spec->model.provider, 0);
    if (t->spec->model.model.len > 0) {
        haft__timeline_line_add_text(&l, HAFT__STYLE_DIM, ":");
        haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, t->spec->model.model, 0);
    }
    haft__timeline_line_end(&l);
}

void haft__timeline_resume(haft__timeline *timeline, haft_str run, haft_str task)
{
    if (timeline->caps.live) {
        add_head(timeline, run, task);
    }
}

static void report_turn(haft__timeline *t, const haft__event *event)
{
    haft__buf details;
    haft__buf_init(&details, HAFT__TIMELINE_DETAILS_BYTES);
    haft__timeline_line l = haft__timeline_line_begin(t);
    haft__buf_addf(&details, " turn %llu/%u",
                   (unsigned long long)haft__timeline_event_number(event, "turn"),
                   t->spec->limits.turns);
    haft__timeline_line_add(&l, HAFT__STYLE_BOLD, haft__symbol_text(t, HAFT__SYMBOL_RULE));
    haft__timeline_line_add(&l, HAFT__STYLE_BOLD, haft__buf_str(&details));
    haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__symbol_text(t, HAFT__SYMBOL_DOT));
    haft__buf_finish(&details);
    haft__timeline_line_add_cut(&l, HAFT__STYLE_PLAIN, haft__timeline_choice(t, event), 0);
    if (t->verbose) {
        haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__symbol_text(t, HAFT__SYMBOL_DOT));
        haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, haft__timeline_event_text(event, "mode"),
                                    0);
        haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__symbol_text(t, HAFT__SYMBOL_DOT));
        haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, haft__timeline_event_text(event, "reason"),
                                    0);
    }
    haft__timeline_line_end(&l);
}

static void begin_turn(haft__timeline *t, const haft__event *event)
{
    haft__timeline_line_close(t);
    if (!t->brief) {
        report_turn(t, event);
    }
    haft__timeline_forget_calls(t);
    t->failure_shown = false;
    t->waiting_for_model = true;
    t->replied = t->reply_started = false;
    t->open_since_ms = event->at_ms;
    t->open_seconds = 0;
    haft__buf_clear(&t->reply_text);
}

/* Shows a committed step of a graph. Step 0 is the input. */
static void report_step(haft__timeline *t, const haft__event *event)
{
    haft__buf small, nodes;
    uint64_t step = haft__timeline_event_number(event, "step");
    haft__timeline_line_close(t);
    haft__timeline_forget_calls(t);
    if (t->brief || step == 0) {
        return;
    }
    haft__buf_init(&small, HAFT__TIMELINE_DETAILS_BYTES);
    haft__buf_init(&nodes, HAFT__LIMIT_RUN_BYTES);
    haft__timeline_line l = haft__timeline_line_begin(t);
    haft__buf_addf(&small, " step %llu", (unsigned long long)step);
    haft__event_words_nodes(&nodes, event);
    haft__timeline_line_add(&l, HAFT__STYLE_BOLD, haft__symbol_text(t, HAFT__SYMBOL_RULE));
    haft__timeline_line_add(&l, HAFT__STYLE_BOLD, haft__buf_str(&small));
    haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__symbol_text(t, HAFT__SYMBOL_DOT));
    haft__timeline_line_add_cut(&l, HAFT__STYLE_PLAIN, haft__buf_str(&nodes), 0);
    haft__timeline_line_end(&l);
    haft__buf_finish(&small);
    haft__buf_finish(&nodes);
}

/* ---- the model ---- */

void haft__timeline_add_reply(haft__timeline *t, haft__reply_part reply_part, haft_str text)
{
    haft__timeline_line l = {t, 0};
    haft__style s = reply_part == HAFT__REPLY_PART_REASONING ? HAFT__STYLE_DIM : HAFT__STYLE_PLAIN;
    if (text.len == 0) {
        return;
    }
    if (reply_part == HAFT__REPLY_PART_TEXT) {
        haft__buf_add_str(&t->reply_text, text);
    }
    t->waiting_for_model = false;
    t->reply_started = true;
    if (t->reply_part != reply_part) {
        haft__timeline_line_close(t);
        t->reply_part = reply_part;
        /* Indent the text of a model, because only lines and prompts of haft begin at the left. */
        t->wrap.indent = reply_part == HAFT__REPLY_PART_REASONING ? 3 : 2;
        t->markdown.wrap.indent = 2;
    }
    if (haft__timeline_renders(t)) {
        haft__markdown_add(&t->markdown, &t->out, t->caps.width - 1, text);
        return;
    }
    haft__style_begin(&l, s);
    haft__word_wrap_add(&t->wrap, &t->out, t->caps.width - 1, text);
    haft__style_end(&l, s);
}

static void report_usage(haft__timeline *t, const haft__event *event)
{
    uint64_t input = haft__timeline_nested_number(event, "usage", "input_tokens"), cost;
    uint64_t cached = haft__timeline_nested_number(event, "usage", "cached_tokens");
    uint64_t output = haft__timeline_nested_number(event, "usage", "output_tokens");
    haft__buf details;
    if (input + output == 0) {
        return;
    }
    haft__buf_init(&details, HAFT__TIMELINE_DETAILS_BYTES);
    haft__timeline_line l = haft__timeline_line_begin(t);
    haft__buf_add_str(&details, HAFT__LIT("   "));
    haft__amount_add_tokens(&details, input);
    haft__buf_add_str(&details, HAFT__LIT(" in"));
    if (cached > 0) {
        haft__buf_add_str(&details, HAFT__LIT(" ("));
        haft__amount_add_count(&details, cached);
        haft__buf_add_str(&details, HAFT__LIT(" cached)"));
    }
    haft__timeline_add_separator(t, &details);
    haft__amount_add_count(&details, output);
    haft__buf_add_str(&details, HAFT__LIT(" out"));
    haft__buf bar;
    haft__buf_init(&bar, HAFT__TIMELINE_DETAILS_BYTES);
    if (haft__event_words_context_of_reply(&bar, event, t->caps.symbols)) {
        haft__timeline_add_separator(t, &details);
        haft__buf_add_str(&details, haft__buf_str(&bar));
    }
    haft__buf_finish(&bar);
    if ((cost = haft__timeline_reply_cost(t, event)) > 0) {
        haft__timeline_add_separator(t, &details);
        haft__amount_add_dollars(&details, cost);
    }
    haft__timeline_add_separator(t, &details);
    haft__amount_add_duration(&details, haft__timeline_event_number(event, "ms"));
    haft__timeline_line_add_details(&l, &details);
    haft__timeline_line_end(&l);
}

static void report_reply(haft__timeline *t, const haft__event *event)
{
    const haft__json *calls = haft__event_field(event, "calls");
    if (!t->reply_started) { /* no progress events: an old event, or no reader was attached */
        haft__timeline_add_reply(t, HAFT__REPLY_PART_REASONING,
                                 haft__timeline_event_text(event, "reasoning"));
        haft__timeline_add_reply(t, HAFT__REPLY_PART_TEXT,
                                 haft__timeline_event_text(event, "content"));
    }
    haft__timeline_line_close(t);
    t->waiting_for_model = false;
    t->replied = true;
    if (t->reply_text.len > 0
        && (calls == NULL || calls->count == 0)) { /* the text may be the answer */
        haft__buf_add_char(&t->out, '\n');
    }
    if (t->verbose) {
        report_usage(t, event);
    }
}

/* ---- the rest of a turn ---- */

static void report_rejected(haft__timeline *t, const haft__event *event)
{
    haft__timeline_call call = haft__timeline_note_stopped(t, event);
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, HAFT__SYMBOL_REJECTED, HAFT__STYLE_WARNING);
    call.arguments = HAFT__LIT("");
    haft__timeline_line_add_call(&l, &call, l.left / 2);
    haft_str reason, why = haft__timeline_event_text(event, "why");
    if (haft__timeline_event_is_rejection(event, &reason)) {
        haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING,
                                     reason.len > 0 ? " rejected: " : " rejected");
        haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN, reason);
        return;
    }
    haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, why.len > 0 ? " refused (" : " refused");
    haft__timeline_line_add_cut(&l, HAFT__STYLE_WARNING, why, 0);
    haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, why.len > 0 ? "): " : ": ");
    haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN, haft__timeline_event_refusal(event));
}

/* Whether a prompt follows the pause. The prompt shows the call and the reason of the pause. */
static bool prompt_follows(const haft__timeline *t, const haft__event *event)
{
    haft__pause pause;
    return t->asks && haft__pause_find(haft__timeline_event_text(event, "pause"), &pause)
           && haft__pause_kind_of(pause)->prompt != HAFT__PAUSE_PROMPT_NONE;
}

static void report_paused(haft__timeline *t, const haft__event *event)
{
    haft_str question = haft__timeline_event_text(event, "question");
    haft_str reason = haft__timeline_unknown_reason(t, event);
    haft__timeline_note_paused(t, event);
    if (prompt_follows(t, event)) {
        return;
    }
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, HAFT__SYMBOL_QUESTION, HAFT__STYLE_WARNING);
    haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, haft__timeline_event_text(event, "call"), 0);
    haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, " waits for ");
    haft__timeline_line_add_cut(&l, HAFT__STYLE_WARNING, haft__timeline_pause_words(event), 0);
    if (haft__event_field(event, "server") != NULL) {
        haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, " of ");
        haft__timeline_line_add_cut(&l, HAFT__STYLE_WARNING,
                                    haft__timeline_event_text(event, "server"), 0);
    }
    haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, ": ");
    if (reason.len > 0) {
        haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN, reason);
        return;
    }
    if (question.len > 0) {
        haft__timeline_line_add_cut(&l, HAFT__STYLE_PLAIN, question, 0);
    } else {
        haft__timeline_line_add_cut(&l, HAFT__STYLE_BOLD, haft__timeline_event_text(event, "tool"),
                                    0);
        haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, " ");
        haft__timeline_line_add_cut(&l, HAFT__STYLE_PLAIN, haft__timeline_arguments(t, event), 0);
    }
    haft__timeline_line_end(&l);
}

/* A line with a symbol, a fixed text and a field of the event, and maybe another text and field. */
typedef struct phrase {
    haft__symbol which;
    haft__style style;
    const char *before, *key, *between, *key2;
} phrase;

/* Resets the state of the reply after it was dropped or the model failed. `again`: the model is
 * called again. */
static void await_reply(haft__timeline *t, const haft__event *event, bool again)
{
    t->waiting_for_model = again;
    t->replied = !again;
    t->reply_started = false;
    t->open_since_ms = event->at_ms;
    t->open_seconds = 0;
    haft__buf_clear(&t->reply_text);
}

static void report_phrase(haft__timeline *t, const haft__event *event, const phrase *p)
{
    haft__timeline_line l = haft__timeline_line_begin_item(t, p->which, p->style);
    haft__timeline_line_add_text(&l, p->style, p->before);
    haft__timeline_line_add_cut(&l, p->style, haft__timeline_event_text(event, p->key), 0);
    haft__timeline_line_add_text(&l, p->style, p->between);
    haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN,
                                    haft__timeline_event_text(event, p->key2));
    await_reply(t, event, false);
}

/* Shows what an entry of the middleware did. */
static void report_intervention(haft__timeline *t, const haft__event *event)
{
    haft_str name = haft__timeline_event_text(event, "name");
    haft_str what = haft__timeline_event_text(event, "what");
    haft_str why = haft__timeline_event_text(event, "why");
    if (haft__event_words_is_quiet(event) && !t->verbose) {
        return;
    }
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, HAFT__SYMBOL_WARNING, HAFT__STYLE_WARNING);
    haft__timeline_line_add_cut(&l, HAFT__STYLE_WARNING, name, 0);
    haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, " ");
    haft__timeline_line_add_cut(&l, HAFT__STYLE_WARNING, what, 0);
    haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, why.len > 0 ? ": " : "");
    haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN, why);
}

/* Shows a todo list, a line for each step; the open line shows other calls. */
static void report_started(haft__timeline *t, const haft__event *event)
{
    haft__json todos = haft__event_words_todos(event);
    for (uint32_t i = 0; i < todos.count; i++) {
        haft__timeline_line l =
            haft__timeline_line_begin_item(t, HAFT__SYMBOL_STORED, HAFT__STYLE_DIM);
        haft_str status = haft__object_text(todos.items[i], "status");
        haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, haft__event_words_todo(status));
        haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, " ");
        haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN,
                                        haft__object_text(todos.items[i], "content"));
    }
    haft__timeline_note_started(t, event);
}

/* Shows a violation. The text of the correction is for the model; it is shown if verbose. */
static void report_violation(haft__timeline *t, const haft__event *event)
{
    haft_str words = haft__event_words_violation(haft__timeline_event_text(event, "came"));
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, HAFT__SYMBOL_WARNING, HAFT__STYLE_WARNING);
    haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, "reply dropped, asked again: ");
    haft_str text = t->verbose ? haft__timeline_event_text(event, "text") : HAFT__LIT("");
    haft_str all = haft__arena_format(&t->arena, "%.*s%s%.*s", HAFT__ARG(words),
                                      text.len > 0 ? ": " : "", HAFT__ARG(text));
    haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN, all.ptr != NULL ? all : words);
    await_reply(t, event, true);
}

static void report_gate(haft__timeline *t, const haft__event *event)
{
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, HAFT__SYMBOL_DONE, HAFT__STYLE_SUCCESS);
    haft__timeline_line_add_cut(&l, HAFT__STYLE_SUCCESS, haft__timeline_gate(t, event), 0);
    haft__timeline_line_end(&l);
}

static void report_stored(haft__timeline *t, const haft__event *event)
{
    haft__buf details;
    haft__buf_init(&details, HAFT__TIMELINE_DETAILS_BYTES);
    haft__buf_add_str(&details, HAFT__LIT("  "));
    haft__amount_add_bytes(&details, haft__timeline_event_number(event, "bytes"));
    haft__timeline_add_separator(t, &details);
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, HAFT__SYMBOL_STORED, HAFT__STYLE_SUCCESS);
    haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, "stored ");
    haft__timeline_line_add_cut(&l, HAFT__STYLE_BOLD, haft__timeline_event_text(event, "name"),
                                details.len + 12);
    haft__timeline_line_add_details(&l, &details);
    haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, haft__timeline_event_text(event, "media_type"),
                                0);
    haft__timeline_line_end(&l);
}

/* Shows the answer to a pause, unless the person at this terminal has just typed it. */
static void report_answered(haft__timeline *t, const haft__event *event)
{
    haft_str verdict = haft__timeline_event_text(event, "verdict");
    haft_str id = haft__timeline_event_text(event, "call"), tool = haft__timeline_call_tool(t, id);
    haft_str by = haft__timeline_event_text(event, "by");
    if (t->asks && !t->verbose && haft__str_equal(by, HAFT__LIT("terminal"))) {
        return;
    }
    bool no = haft__str_equal(verdict, HAFT__LIT("reject"))
              || haft__str_equal(verdict, HAFT__LIT("expire"));
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, no ? HAFT__SYMBOL_REJECTED : HAFT__SYMBOL_DONE,
                                       no ? HAFT__STYLE_WARNING : HAFT__STYLE_SUCCESS);
    if (t->verbose || tool.len == 0) {
        haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, id, 0);
        haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, " ");
    }
    if (tool.len > 0) {
        haft__timeline_line_add_cut(&l, HAFT__STYLE_BOLD, tool, 0);
        haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, " ");
    }
    haft__timeline_line_add_cut(&l, HAFT__STYLE_PLAIN, haft__event_words_verdict(verdict), 0);
    haft__timeline_line_add_text(&l, HAFT__STYLE_DIM, " by ");
    haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, by, 0);
    haft__timeline_line_end(&l);
}

/* ---- the end ---- */

static void add_totals(const haft__timeline *t, const haft__event *event, haft__buf *details)
{
    unsigned long long turns = haft__timeline_event_number(event, "turns");
    unsigned long long calls = haft__timeline_event_number(event, "calls");
    haft__buf_addf(details, "%llu turn%s", turns, turns == 1 ? "" : "s");
    haft__timeline_add_separator(t, details);
    haft__buf_addf(details, "%llu call%s", calls, calls == 1 ? "" : "s");
    uint64_t input = haft__timeline_nested_number(event, "usage", "input_tokens");
    uint64_t output = haft__timeline_nested_number(event, "usage", "output_tokens");
    haft_str cost = haft__timeline_total_cost(event);
    if (input + output > 0) {
        haft__timeline_add_separator(t, details);
        haft__amount_add_tokens(details, input);
        haft__buf_add_str(details, HAFT__LIT(" in"));
        haft__timeline_add_separator(t, details);
        haft__amount_add_count(details, output);
        haft__buf_add_str(details, HAFT__LIT(" out"));
    }
    if (cost.len > 0) {
        haft__timeline_add_separator(t, details);
        haft__buf_add_char(details, '$');
        haft__buf_add_str(details, cost);
    }
    if (t->started_ms > 0 && event->at_ms >= t->started_ms) {
        haft__timeline_add_separator(t, details);
        haft__amount_add_duration(details, event->at_ms - t->started_ms);
    }
}

/* Shows how the run ended, and why. */
static void report_verdict(haft__timeline *t, const haft__event *event, bool good)
{
    haft_str end = haft__timeline_event_text(event, "end");
    haft__timeline_line l = haft__timeline_line_begin(t);
    haft__timeline_line_add(&l, good ? HAFT__STYLE_SUCCESS : HAFT__STYLE_ERROR,
                            haft__symbol_text(t, good ? HAFT__SYMBOL_DONE : HAFT__SYMBOL_FAILED));
    haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, " ");
    haft__timeline_line_add_cut(&l, HAFT__STYLE_BOLD, end, 0);
    haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, ": ");
    haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN,
                                    haft__timeline_event_text(event, "reason"));
    if (haft__timeline_event_error(event).len > 0 && !t->failure_shown) {
        l = haft__timeline_line_begin(t);
        haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, "  ");
        haft__timeline_line_end_wrapped(&l, HAFT__STYLE_ERROR, haft__timeline_event_error(event));
    }
}

static void report_end(haft__timeline *t, const haft__event *event)
{
    haft_str end = haft__timeline_event_text(event, "end"),
             answer = haft__timeline_event_text(event, "answer");
    bool good =
        haft__str_equal(end, HAFT__LIT("done")) || haft__str_equal(end, HAFT__LIT("direct"));
    haft__buf details;
    haft__buf_init(&details, HAFT__TIMELINE_DETAILS_BYTES);
    t->answer_shown =
        answer.len > 0
        && haft__str_equal(haft__str_trim(answer), haft__str_trim(haft__buf_str(&t->reply_text)));
    t->waiting_for_model = false;
    haft__timeline_forget_calls(t);
    if (!t->brief || !good) {
        report_verdict(t, event, good);
    }
    add_totals(t, event, &details);
    if (t->brief) {
        haft__timeline_add_separator(t, &details);
        haft__buf_add_str(&details, event->run);
    }
    haft__timeline_line l = haft__timeline_line_begin(t);
    haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, "  ");
    haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, haft__buf_str(&details), 0);
    haft__buf_finish(&details);
    haft__timeline_line_end(&l);
}

/* Warns about a server without usable tools. Servers without problems have no line. */
static void warn_of_server(haft__timeline *t, haft__json server, haft_str what, const char *more)
{
    if (what.len > 0) {
        haft__timeline_line l =
            haft__timeline_line_begin_item(t, HAFT__SYMBOL_WARNING, HAFT__STYLE_WARNING);
        haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, "server ");
        haft__timeline_line_add_cut(&l, HAFT__STYLE_WARNING, haft__object_text(server, "name"), 0);
        haft__timeline_line_add_text(&l, HAFT__STYLE_WARNING, ": ");
        if (more[0] == '\0') {
            haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN, what);
            return;
        }
        haft__timeline_line_add_cut(&l, HAFT__STYLE_PLAIN, what, 0);
        haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, more);
        haft__timeline_line_end(&l);
    }
}

/* Shows the last lines that a failed program wrote to standard error, with their indentation. */
static void report_stderr(haft__timeline *t, haft__json server)
{
    haft_str rest = haft__object_text(server, "stderr");
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        haft__timeline_line l = haft__timeline_line_begin(t);
        haft__timeline_line_add_text(&l, HAFT__STYLE_DIM, "     | ");
        haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__timeline_indent(line));
        haft__timeline_line_end_wrapped(&l, HAFT__STYLE_DIM, line);
    }
}

static void report_servers(haft__timeline *t, const haft__event *event)
{
    haft__json servers = haft__timeline_event_array(event, "servers");
    for (uint32_t i = 0; i < servers.count; i++) {
        haft_str left_out = haft__object_text(servers.items[i], "left_out_all");
        bool one = haft__str_equal(left_out, HAFT__LIT("1"));
        warn_of_server(t, servers.items[i], haft__object_text(servers.items[i], "error"), "");
        report_stderr(t, servers.items[i]);
        warn_of_server(t, servers.items[i], haft__object_text(servers.items[i], "warning"), "");
        warn_of_server(t, servers.items[i], left_out,
                       one ? " tool is left out" : " tools are left out");
    }
}

static void report_context(haft__timeline *t, const haft__event *event)
{
    haft__buf details;
    haft__buf_init(&details, HAFT__TIMELINE_DETAILS_BYTES);
    haft__timeline_line l = haft__timeline_line_begin_item(t, HAFT__SYMBOL_STORED, HAFT__STYLE_DIM);
    haft__buf_add_str(&details, HAFT__LIT("context: "));
    haft__event_words_context(&details, event, t->caps.symbols);
    haft__timeline_line_end_wrapped(&l, HAFT__STYLE_DIM, haft__buf_str(&details));
    haft__buf_finish(&details);
    await_reply(t, event, false);
}

/* Shows a search that haft started. A search by a call is shown on the line of the call. */
static void report_revealed(haft__timeline *t, const haft__event *event)
{
    haft__buf details;
    haft__buf_init(&details, HAFT__TIMELINE_DETAILS_BYTES);
    if (haft__timeline_event_text(event, "call").len == 0) {
        report_servers(t, event);
        if (haft__timeline_add_revealed(event, &details)) {
            haft__timeline_line l =
                haft__timeline_line_begin_item(t, HAFT__SYMBOL_DONE, HAFT__STYLE_DIM);
            haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__buf_str(&details));
            haft__timeline_line_end(&l);
        }
    }
    haft__buf_finish(&details);
}

void haft__timeline_add_live(haft__timeline *t, const haft__event *event)
{
    static const phrase failed = {
        HAFT__SYMBOL_FAILED, HAFT__STYLE_ERROR, "the model failed: ", "", "", "message"};
    static const phrase broken = {HAFT__SYMBOL_FAILED,
                                  HAFT__STYLE_ERROR,
                                  "reply dropped, the model failed: ",
                                  "",
                                  "",
                                  "message"};
    static const phrase refused = {HAFT__SYMBOL_WARNING,
                                   HAFT__STYLE_WARNING,
                                   "the server refuses ",
                                   "member",
                                   ": ",
                                   "message"};
    static const phrase reminded = {
        HAFT__SYMBOL_WARNING, HAFT__STYLE_WARNING, "reminded: ", "", "", "text"};
    static const phrase cancelled = {
        HAFT__SYMBOL_WARNING, HAFT__STYLE_WARNING, "cancel requested by ", "by", ": ", "why"};
    static const phrase limited = {
        HAFT__SYMBOL_WARNING, HAFT__STYLE_WARNING, "cancelled: reached limits.", "limit", "", ""};
    static const phrase respec = {HAFT__SYMBOL_WARNING,
                                  HAFT__STYLE_WARNING,
                                  "the spec has changed; accepted by ",
                                  "by",
                                  "",
                                  ""};
    static const phrase handed = {
        HAFT__SYMBOL_DONE, HAFT__STYLE_SUCCESS, "handed from ", "from", " to ", "to"};
    static const phrase other_model = {
        HAFT__SYMBOL_WARNING, HAFT__STYLE_WARNING, "model changed from ", "from", " to ", "to"};
    static const phrase summary = {HAFT__SYMBOL_STORED,
                                   HAFT__STYLE_DIM,
                                   "context: a summary of old turns by ",
                                   "model",
                                   "",
                                   ""};
    switch (event->kind) {
    case HAFT__EVENT_RUN_STARTED:
        add_head(t, event->run, haft__timeline_event_text(event, "task"));
        return;
    case HAFT__EVENT_TURN_STARTED: begin_turn(t, event); return;
    case HAFT__EVENT_GATE_OPENED: report_gate(t, event); return;
    case HAFT__EVENT_CONTEXT_CHANGED: report_context(t, event); return;
    case HAFT__EVENT_SUMMARY_STARTED: report_phrase(t, event, &summary); return;
    case HAFT__EVENT_MODEL_REPLIED:
        if (!haft__event_flag(event, "summary")) {
            report_reply(t, event);
        }
        return;
    case HAFT__EVENT_MODEL_FAILED:
        report_phrase(t, event, t->reply_started ? &broken : &failed);
        t->failure_shown = true;
        return;
    case HAFT__EVENT_OPTION_REFUSED: report_phrase(t, event, &refused); return;
    case HAFT__EVENT_VIOLATION: report_violation(t, event); return;
    case HAFT__EVENT_REMINDED: report_phrase(t, event, &reminded); return;
    case HAFT__EVENT_CALL_STARTED: report_started(t, event); return;
    case HAFT__EVENT_INTERVENTION: report_intervention(t, event); return;
    case HAFT__EVENT_CALL_FINISHED: haft__timeline_call_finished(t, event); return;
    case HAFT__EVENT_CALL_REFUSED: report_rejected(t, event); return;
    case HAFT__EVENT_PAUSED: report_paused(t, event); return;
    case HAFT__EVENT_ANSWERED: report_answered(t, event); return;
    case HAFT__EVENT_ARTIFACT_STORED: report_stored(t, event); return;
    case HAFT__EVENT_SPEC_CHANGED: report_phrase(t, event, &respec); return;
    case HAFT__EVENT_HANDED_OFF: report_phrase(t, event, &handed); return;
    case HAFT__EVENT_MODEL_CHANGED: report_phrase(t, event, &other_model); return;
    case HAFT__EVENT_LIMIT_REACHED: report_phrase(t, event, &limited); return;
    case HAFT__EVENT_CANCEL_ASKED: report_phrase(t, event, &cancelled); return;
    case HAFT__EVENT_RUN_FINISHED: report_end(t, event); return;
    case HAFT__EVENT_TOOLS_REVEALED: report_revealed(t, event); return;
    case HAFT__EVENT_CONSTRAINED:
    case HAFT__EVENT_HOOK_STARTED:
    case HAFT__EVENT_TOOLS_HIDDEN:
    case HAFT__EVENT_CALL_REQUESTED: /* shown by call_started or call_refused */
    case HAFT__EVENT_CALL_ASKED:     /* shown by the event paused */
    case HAFT__EVENT_CHILD_STARTED:
    case HAFT__EVENT_THREAD_STATE:
    case HAFT__EVENT_CHILD_FINISHED: return;
    case HAFT__EVENT_GRAPH_STEP: report_step(t, event); return;
    }
}

void haft__timeline_end_line(haft__timeline *timeline)
{
    haft__timeline_line_close(timeline);
    timeline->waiting_for_model = false;
}
