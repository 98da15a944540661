/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_live.c - a run on a terminal: symbols, colours, text that streams, and an open line.
 *
 * Every line fits the terminal. What a colour says, a haft__mark or a word says, too; the colours
 * are those that can be read on light and on dark. Tests: tests/cli/terminal/timeline_test.c.
 */
#include "base/str.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/timeline_int.h"
#include "cli/terminal/width.h"

/* ---- the run ---- */

static void add_head(haft__timeline *t, haft_str run, haft_str task)
{
    haft_str name = t->spec->name;
    haft__line l = haft__line_start(t);
    haft__line_cut(&l, HAFT__BOLD, name.len > 0 ? name : HAFT__LIT("run"), 0);
    haft__line_say(&l, HAFT__PLAIN, "  ");
    haft__line_cut(&l, HAFT__PLAIN, task, 0);
    haft__line_end(&l);
    l = haft__line_start(t);
    haft__line_cut(&l, HAFT__DIM, run, 0);
    haft__line_put(&l, HAFT__DIM, haft__mark_of(t, HAFT__MARK_DOT));
    haft__line_cut(&l, HAFT__DIM, t->spec->model.provider, 0);
    if (t->spec->model.model.len > 0) {
        haft__line_say(&l, HAFT__DIM, ":");
        haft__line_cut(&l, HAFT__DIM, t->spec->model.model, 0);
    }
    haft__line_end(&l);
}

void haft__timeline_resume(haft__timeline *timeline, haft_str run, haft_str task)
{
    if (timeline->look.live) {
        add_head(timeline, run, task);
    }
}

static void tell_turn(haft__timeline *t, const haft__event *event)
{
    haft__buf small;
    haft__buf_init(&small, HAFT__SMALL_BYTES);
    haft__line l = haft__line_start(t);
    haft__buf_addf(&small, " turn %llu/%u", (unsigned long long)haft__told_number(event, "turn"),
                   t->spec->limits.turns);
    haft__line_put(&l, HAFT__BOLD, haft__mark_of(t, HAFT__MARK_RULE));
    haft__line_put(&l, HAFT__BOLD, haft__buf_str(&small));
    haft__line_put(&l, HAFT__DIM, haft__mark_of(t, HAFT__MARK_DOT));
    haft__line_cut(&l, HAFT__PLAIN, haft__told_text(event, "mode"), 0);
    if (haft__event_field(event, "tool") != NULL) {
        haft__line_say(&l, HAFT__PLAIN, " ");
        haft__line_cut(&l, HAFT__PLAIN, haft__told_text(event, "tool"), 0);
    }
    haft__buf_clear(&small);
    haft__add_dot(t, &small);
    if (haft__told_gate(&small, event)) {
        haft__add_dot(t, &small);
    }
    haft__line_put_small(&l, &small);
    haft__line_cut(&l, HAFT__DIM, haft__told_text(event, "reason"), 0);
    haft__line_end(&l);
    t->running = 0;
    t->asking = true;
    t->replied = t->spoke = false;
    t->open_since_ms = event->at_ms;
    t->open_seconds = 0;
    haft__buf_clear(&t->said);
}

/* ---- the model ---- */

void haft__timeline_speak(haft__timeline *t, haft__speech speech, haft_str text)
{
    haft__line l = {t, 0};
    haft__style s = speech == HAFT__SPEECH_REASONING ? HAFT__DIM : HAFT__PLAIN;
    if (text.len == 0) {
        return;
    }
    if (speech == HAFT__SPEECH_TEXT) {
        haft__buf_add_str(&t->said, text);
    }
    t->asking = false;
    t->spoke = true;
    if (t->speech != speech) {
        haft__line_leave(t);
        t->speech = speech;
        /* Never at the beginning of a line, where our own lines and prompts begin. */
        t->flow.indent = speech == HAFT__SPEECH_REASONING ? 3 : 2;
    }
    haft__style_begin(&l, s);
    haft__flow_add(&t->flow, &t->out, t->look.width - 1, text);
    haft__style_end(&l, s);
}

static void tell_usage(haft__timeline *t, const haft__event *event)
{
    uint64_t input = haft__told_part(event, "usage", "input_tokens"), cost;
    uint64_t cached = haft__told_part(event, "usage", "cached_tokens");
    uint64_t output = haft__told_part(event, "usage", "output_tokens");
    haft__buf small;
    if (input + output == 0) {
        return;
    }
    haft__buf_init(&small, HAFT__SMALL_BYTES);
    haft__line l = haft__line_start(t);
    haft__buf_add_str(&small, HAFT__LIT("   "));
    haft__add_count(&small, input);
    haft__buf_add_str(&small, HAFT__LIT(" tokens in"));
    if (cached > 0) {
        haft__buf_add_str(&small, HAFT__LIT(" ("));
        haft__add_count(&small, cached);
        haft__buf_add_str(&small, HAFT__LIT(" cached)"));
    }
    haft__add_dot(t, &small);
    haft__add_count(&small, output);
    haft__buf_add_str(&small, HAFT__LIT(" out"));
    if ((cost = haft__told_cost(t, event)) > 0) {
        haft__add_dot(t, &small);
        haft__add_dollars(&small, cost);
    }
    haft__add_dot(t, &small);
    haft__add_time(&small, haft__told_number(event, "ms"));
    haft__line_put_small(&l, &small);
    haft__line_end(&l);
}

static void tell_reply(haft__timeline *t, const haft__event *event)
{
    const haft__json *calls = haft__event_field(event, "calls");
    if (!t->spoke) { /* it was not told: an old event, or nobody listened then */
        haft__timeline_speak(t, HAFT__SPEECH_REASONING, haft__told_text(event, "reasoning"));
        haft__timeline_speak(t, HAFT__SPEECH_TEXT, haft__told_text(event, "content"));
    }
    haft__line_leave(t);
    t->asking = false;
    t->replied = true;
    if (t->said.len > 0 && (calls == NULL || calls->count == 0)) { /* perhaps the answer */
        haft__buf_add_char(&t->out, '\n');
    }
    tell_usage(t, event);
}

/* ---- the rest of a turn ---- */

static void tell_refused(haft__timeline *t, const haft__event *event)
{
    haft__line l = haft__line_item(t, HAFT__MARK_REFUSED, HAFT__HEED);
    haft__line_call(&l, haft__told_text(event, "call"), haft__told_text(event, "tool"),
                    HAFT__LIT(""), l.left / 2);
    haft__line_say(&l, HAFT__HEED, " refused (");
    haft__line_cut(&l, HAFT__HEED, haft__told_text(event, "why"), 0);
    haft__line_say(&l, HAFT__HEED, "): ");
    haft__line_cut(&l, HAFT__PLAIN, haft__told_refusal(event), 0);
    haft__line_end(&l);
}

static void tell_paused(haft__timeline *t, const haft__event *event)
{
    haft_str question = haft__told_text(event, "question");
    haft__line l = haft__line_item(t, HAFT__MARK_ASKS, HAFT__HEED);
    haft__line_cut(&l, HAFT__DIM, haft__told_text(event, "call"), 0);
    haft__line_say(&l, HAFT__HEED, " waits for ");
    haft__line_cut(&l, HAFT__HEED, haft__told_text(event, "pause"), 0);
    if (haft__event_field(event, "server") != NULL) {
        haft__line_say(&l, HAFT__HEED, " of ");
        haft__line_cut(&l, HAFT__HEED, haft__told_text(event, "server"), 0);
    }
    haft__line_say(&l, HAFT__HEED, ": ");
    if (question.len > 0) {
        haft__line_cut(&l, HAFT__PLAIN, question, 0);
    } else {
        haft__line_cut(&l, HAFT__BOLD, haft__told_text(event, "tool"), 0);
        haft__line_say(&l, HAFT__PLAIN, " ");
        haft__line_cut(&l, HAFT__PLAIN, haft__told_json(t, event, "arguments"), 0);
    }
    haft__line_end(&l);
}

/* A haft__mark, a phrase of ours, a text of theirs, and another of both. */
typedef struct phrase {
    haft__mark which;
    haft__style style;
    const char *before, *key, *between, *key2;
} phrase;

static void tell_phrase(haft__timeline *t, const haft__event *event, const phrase *p)
{
    haft__line l = haft__line_item(t, p->which, p->style);
    haft__line_say(&l, p->style, p->before);
    haft__line_cut(&l, p->style, haft__told_text(event, p->key), 0);
    haft__line_say(&l, p->style, p->between);
    haft__line_cut(&l, HAFT__PLAIN, haft__told_text(event, p->key2), 0);
    haft__line_end(&l);
    t->asking = event->kind == HAFT__EVENT_VIOLATION;
    t->replied = !t->asking;
    t->spoke = false;
    t->open_since_ms = event->at_ms;
    t->open_seconds = 0;
    haft__buf_clear(&t->said);
}

static void tell_gate(haft__timeline *t, const haft__event *event)
{
    const haft__json *called = haft__event_field(event, "called");
    haft__buf small;
    haft__buf_init(&small, HAFT__SMALL_BYTES);
    haft__buf_addf(&small, "gate open: %u/%llu data tools called  ",
                   called != NULL ? called->count : 0,
                   (unsigned long long)haft__told_number(event, "threshold"));
    haft__line l = haft__line_item(t, HAFT__MARK_DONE, HAFT__GOOD);
    haft__line_put(&l, HAFT__GOOD, haft__buf_str(&small));
    haft__buf_finish(&small);
    haft__line_cut(&l, HAFT__DIM, haft__told_json(t, event, "called"), 0);
    haft__line_end(&l);
}

static void tell_stored(haft__timeline *t, const haft__event *event)
{
    haft__buf small;
    haft__buf_init(&small, HAFT__SMALL_BYTES);
    haft__buf_add_str(&small, HAFT__LIT("  "));
    haft__add_size(&small, haft__told_number(event, "bytes"));
    haft__add_dot(t, &small);
    haft__line l = haft__line_item(t, HAFT__MARK_STORED, HAFT__GOOD);
    haft__line_say(&l, HAFT__PLAIN, "stored ");
    haft__line_cut(&l, HAFT__BOLD, haft__told_text(event, "name"), small.len + 12);
    haft__line_put_small(&l, &small);
    haft__line_cut(&l, HAFT__DIM, haft__told_text(event, "media_type"), 0);
    haft__line_end(&l);
}

static void tell_answered(haft__timeline *t, const haft__event *event)
{
    haft_str verdict = haft__told_text(event, "verdict");
    bool no = haft__str_equal(verdict, HAFT__LIT("reject"))
              || haft__str_equal(verdict, HAFT__LIT("expire"));
    haft__line l =
        haft__line_item(t, no ? HAFT__MARK_REFUSED : HAFT__MARK_DONE, no ? HAFT__HEED : HAFT__GOOD);
    haft__line_cut(&l, HAFT__DIM, haft__told_text(event, "call"), 0);
    haft__line_say(&l, HAFT__PLAIN, " ");
    haft__line_cut(&l, HAFT__PLAIN, verdict, 0);
    haft__line_say(&l, HAFT__DIM, " by ");
    haft__line_cut(&l, HAFT__DIM, haft__told_text(event, "by"), 0);
    haft__line_end(&l);
}

/* ---- the end ---- */

static void add_totals(const haft__timeline *t, const haft__event *event, haft__buf *small)
{
    unsigned long long turns = haft__told_number(event, "turns");
    unsigned long long calls = haft__told_number(event, "calls");
    haft__buf_addf(small, "%llu turn%s", turns, turns == 1 ? "" : "s");
    haft__add_dot(t, small);
    haft__buf_addf(small, "%llu call%s", calls, calls == 1 ? "" : "s");
    uint64_t input = haft__told_part(event, "usage", "input_tokens");
    uint64_t output = haft__told_part(event, "usage", "output_tokens");
    haft_str cost = haft__told_total_cost(t, event);
    if (input + output > 0) {
        haft__add_dot(t, small);
        haft__add_count(small, input);
        haft__buf_add_str(small, HAFT__LIT(" tokens in"));
        haft__add_dot(t, small);
        haft__add_count(small, output);
        haft__buf_add_str(small, HAFT__LIT(" out"));
    }
    if (cost.len > 0) {
        haft__add_dot(t, small);
        haft__buf_add_char(small, '$');
        haft__buf_add_str(small, cost);
    }
    if (t->started_ms > 0 && event->at_ms >= t->started_ms) {
        haft__add_dot(t, small);
        haft__add_time(small, event->at_ms - t->started_ms);
    }
}

static void tell_end(haft__timeline *t, const haft__event *event)
{
    haft_str end = haft__told_text(event, "end"), answer = haft__told_text(event, "answer");
    bool good =
        haft__str_equal(end, HAFT__LIT("done")) || haft__str_equal(end, HAFT__LIT("direct"));
    haft__buf small;
    haft__buf_init(&small, HAFT__SMALL_BYTES);
    t->answer_shown =
        answer.len > 0
        && haft__str_equal(haft__str_trim(answer), haft__str_trim(haft__buf_str(&t->said)));
    t->asking = false;
    haft__line l = haft__line_start(t);
    haft__line_put(&l, good ? HAFT__GOOD : HAFT__BAD,
                   haft__mark_of(t, good ? HAFT__MARK_DONE : HAFT__MARK_FAILED));
    haft__line_say(&l, HAFT__PLAIN, " ");
    haft__line_cut(&l, HAFT__BOLD, end, 0);
    haft__line_say(&l, HAFT__PLAIN, ": ");
    haft__line_cut(&l, HAFT__PLAIN, haft__told_text(event, "reason"), 0);
    haft__line_end(&l);
    if (haft__told_error(event).len > 0) {
        l = haft__line_start(t);
        haft__line_say(&l, HAFT__PLAIN, "  ");
        haft__line_cut(&l, HAFT__BAD, haft__told_error(event), 0);
        haft__line_end(&l);
    }
    add_totals(t, event, &small);
    l = haft__line_start(t);
    haft__line_say(&l, HAFT__PLAIN, "  ");
    haft__line_cut(&l, HAFT__DIM, haft__buf_str(&small), 0);
    haft__buf_finish(&small);
    haft__line_end(&l);
}

/* Servers of which nothing can be used; the others show by what is called. */
static void warn_of_server(haft__timeline *t, haft__json server, haft_str what, const char *more)
{
    if (what.len > 0) {
        haft__line l = haft__line_item(t, HAFT__MARK_WARNS, HAFT__HEED);
        haft__line_say(&l, HAFT__HEED, "server ");
        haft__line_cut(&l, HAFT__HEED, haft__told_member(server, "name"), 0);
        haft__line_say(&l, HAFT__HEED, ": ");
        haft__line_cut(&l, HAFT__PLAIN, what, 0);
        haft__line_say(&l, HAFT__PLAIN, more);
        haft__line_end(&l);
    }
}

static void tell_servers(haft__timeline *t, const haft__event *event)
{
    haft__json servers = haft__told_list(event, "servers");
    for (uint32_t i = 0; i < servers.count; i++) {
        haft_str left_out = haft__told_member(servers.items[i], "left_out_all");
        bool one = haft__str_equal(left_out, HAFT__LIT("1"));
        warn_of_server(t, servers.items[i], haft__told_member(servers.items[i], "error"), "");
        warn_of_server(t, servers.items[i], haft__told_member(servers.items[i], "warning"), "");
        warn_of_server(t, servers.items[i], left_out,
                       one ? " tool is left out" : " tools are left out");
    }
}

/* A call that searches has a line of its own. */
static void tell_revealed(haft__timeline *t, const haft__event *event)
{
    haft__buf small;
    haft__buf_init(&small, HAFT__SMALL_BYTES);
    if (haft__told_text(event, "call").len == 0) {
        tell_servers(t, event);
        if (haft__told_shown(event, &small)) {
            haft__line l = haft__line_item(t, HAFT__MARK_DONE, HAFT__DIM);
            haft__line_put(&l, HAFT__DIM, haft__buf_str(&small));
            haft__line_end(&l);
        }
    }
    haft__buf_finish(&small);
}

void haft__timeline_live(haft__timeline *t, const haft__event *event)
{
    static const phrase failed = {HAFT__MARK_FAILED, HAFT__BAD, "the model failed: ", "", "",
                                  "message"};
    static const phrase broken = {
        HAFT__MARK_FAILED, HAFT__BAD, "reply dropped, the model failed: ", "", "", "message"};
    static const phrase violation = {HAFT__MARK_WARNS, HAFT__HEED,         "reply dropped (",
                                     "came",           "), asked again: ", "text"};
    static const phrase unconstrained = {
        HAFT__MARK_WARNS, HAFT__HEED, "constraint refused, asked again without: ", "", "",
        "message"};
    static const phrase reminded = {HAFT__MARK_WARNS, HAFT__HEED, "reminded: ", "", "", "text"};
    static const phrase cancelled = {
        HAFT__MARK_WARNS, HAFT__HEED, "cancel asked by ", "by", ": ", "why"};
    static const phrase respec = {
        HAFT__MARK_WARNS, HAFT__HEED, "the spec has changed; accepted by ", "by", "", ""};
    switch (event->kind) {
    case HAFT__EVENT_RUN_STARTED: add_head(t, event->run, haft__told_text(event, "task")); return;
    case HAFT__EVENT_TURN_STARTED: tell_turn(t, event); return;
    case HAFT__EVENT_GATE_OPENED: tell_gate(t, event); return;
    case HAFT__EVENT_MODEL_REPLIED: tell_reply(t, event); return;
    case HAFT__EVENT_MODEL_FAILED: tell_phrase(t, event, t->spoke ? &broken : &failed); return;
    case HAFT__EVENT_CONSTRAINT_REFUSED: tell_phrase(t, event, &unconstrained); return;
    case HAFT__EVENT_VIOLATION: tell_phrase(t, event, &violation); return;
    case HAFT__EVENT_REMINDED: tell_phrase(t, event, &reminded); return;
    case HAFT__EVENT_CALL_STARTED: haft__timeline_call_started(t, event); return;
    case HAFT__EVENT_CALL_FINISHED: haft__timeline_call_finished(t, event); return;
    case HAFT__EVENT_CALL_REFUSED: tell_refused(t, event); return;
    case HAFT__EVENT_PAUSED: tell_paused(t, event); return;
    case HAFT__EVENT_ANSWERED: tell_answered(t, event); return;
    case HAFT__EVENT_ARTIFACT_STORED: tell_stored(t, event); return;
    case HAFT__EVENT_SPEC_CHANGED: tell_phrase(t, event, &respec); return;
    case HAFT__EVENT_CANCEL_ASKED: tell_phrase(t, event, &cancelled); return;
    case HAFT__EVENT_RUN_FINISHED: tell_end(t, event); return;
    case HAFT__EVENT_TOOLS_REVEALED: tell_revealed(t, event); return;
    case HAFT__EVENT_CONSTRAINED:
    case HAFT__EVENT_TOOLS_HIDDEN:
    case HAFT__EVENT_CALL_ASKED: /* paused says it */
    case HAFT__EVENT_CHILD_STARTED:
    case HAFT__EVENT_CHILD_FINISHED:
    case HAFT__EVENT_GRAPH_STEP: return;
    }
}

void haft__timeline_break(haft__timeline *timeline)
{
    haft__line_leave(timeline);
    timeline->asking = false;
}
