/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.c - reads events and updates the open line, for the plain and the live timeline.
 *
 * Tests: tests/cli/timeline/timeline_test.c.
 */
#include "cli/timeline/timeline.h"

#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/width.h"
#include "cli/timeline/choice_words.h"
#include "cli/timeline/timeline_int.h"
#include "run/handoff/handoff.h"
#include "run/prices.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

/* The elapsed time is shown after this time, and updated at this interval. */
#define TICK_MS 1000

/* Maximum bytes of a call's progress text. */
#define PROGRESS_BYTES 400

void haft__timeline_init(haft__timeline *timeline, const haft__spec *spec, haft__terminal_caps caps)
{
    *timeline =
        (haft__timeline){.spec = spec, .active = spec, .price = spec->model.price, .caps = caps};
    haft__arena_init(&timeline->arena, 0);
    haft__arena_init(&timeline->call_arena, 0);
    haft__buf *const all[] = {&timeline->out, &timeline->progress, &timeline->reply_text,
                              &timeline->prices};
    for (size_t i = 0; i < COUNT(all); i++) {
        haft__buf_init(all[i], HAFT__LIMIT_RUN_BYTES);
    }
    haft__word_wrap_init(&timeline->wrap);
    haft__markdown_init(&timeline->markdown, caps.symbols);
}

void haft__timeline_finish(haft__timeline *timeline)
{
    haft__buf_finish(&timeline->out);
    haft__buf_finish(&timeline->progress);
    haft__buf_finish(&timeline->reply_text);
    haft__buf_finish(&timeline->prices);
    haft__word_wrap_finish(&timeline->wrap);
    haft__markdown_finish(&timeline->markdown);
    haft__arena_finish(&timeline->call_arena);
    haft__arena_finish(&timeline->arena);
}

/* ---- fields ---- */

haft_str haft__timeline_event_text(const haft__event *event, const char *key)
{
    return haft__object_text(event->object, key);
}

haft__json haft__timeline_event_array(const haft__event *event, const char *key)
{
    return haft__object_array(event->object, key);
}

uint64_t haft__timeline_event_number(const haft__event *event, const char *key)
{
    return haft__object_number(event->object, key, 0);
}

uint64_t haft__timeline_nested_number(const haft__event *event, const char *key, const char *part)
{
    return haft__object_number(haft__object_get(event->object, key), part, 0);
}

haft_str haft__timeline_event_error(const haft__event *event)
{
    return haft__object_text(haft__object_get(event->object, "error"), "message");
}

static haft_str without(haft_str text, haft_str prefix)
{
    return haft__str_starts_with(text, prefix) ? haft__str_skip(text, prefix.len) : text;
}

haft_str haft__timeline_event_refusal(const haft__event *event)
{
    haft_str text = without(haft__timeline_event_text(event, "text"), HAFT__LIT("Error: "));
    haft_str tool = haft__timeline_event_text(event, "tool"), middle = HAFT__LIT(" is refused: ");
    haft_str rest = without(text, tool);
    return tool.len > 0 && rest.len < text.len && haft__str_starts_with(rest, middle)
               ? haft__str_skip(rest, middle.len)
               : text;
}

bool haft__timeline_event_is_rejection(const haft__event *event, haft_str *ret_reason)
{
    haft_str text = haft__timeline_event_refusal(event), colon = HAFT__LIT(": ");
    haft_str rest = without(text, HAFT__LIT("A person rejected this call"));
    bool plain = haft__str_equal(rest, HAFT__LIT("."));
    *ret_reason = plain ? HAFT__LIT("") : without(rest, colon);
    return rest.len < text.len && (plain || haft__str_starts_with(rest, colon))
           && haft__str_equal(haft__timeline_event_text(event, "why"), HAFT__LIT("denied"));
}

haft_str haft__timeline_total_cost(const haft__event *event)
{
    const haft__json *usage = haft__event_field(event, "usage");
    const haft__json *cost = usage != NULL ? haft__json_get(*usage, HAFT__LIT("cost_usd")) : NULL;
    haft_str text = cost != NULL ? haft__json_text(*cost) : HAFT__LIT("");
    bool any = false;
    for (size_t i = 0; i < text.len; i++) {
        any = any || (text.ptr[i] >= '1' && text.ptr[i] <= '9');
    }
    return any ? text : HAFT__LIT("");
}

/* Copies the text of a buffer to the arena, and frees the buffer. */
static haft_str move_to_arena(haft__timeline *t, haft__buf *text)
{
    haft_str kept = haft__arena_copy(&t->arena, haft__buf_str(text));
    haft__buf_finish(text);
    return kept.ptr != NULL ? kept : HAFT__LIT("");
}

haft_str haft__timeline_event_json(haft__timeline *t, const haft__event *event, const char *key)
{
    const haft__json *value = haft__event_field(event, key);
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    if (value != NULL) {
        haft__json_write(&text, *value);
    }
    return move_to_arena(t, &text);
}

uint64_t haft__timeline_reply_cost(const haft__timeline *t, const haft__event *reply)
{
    const haft__price *price = &t->price;
    uint64_t input = haft__timeline_nested_number(reply, "usage", "input_tokens");
    uint64_t cached = haft__timeline_nested_number(reply, "usage", "cached_tokens");
    uint64_t output = haft__timeline_nested_number(reply, "usage", "output_tokens");
    uint64_t fresh = input > cached ? input - cached : 0;
    return price->known
               ? (fresh * price->input + cached * price->cached + output * price->output) / 1000000
               : 0;
}

bool haft__timeline_add_revealed(const haft__event *reveal, haft__buf *buf)
{
    unsigned long long deferred = haft__timeline_event_number(reveal, "deferred");
    if (deferred > 0 && buf != NULL) {
        haft__buf_addf(buf, "%llu tool%s, %u shown to the model (at most %llu)", deferred,
                       deferred == 1 ? "" : "s", haft__timeline_event_array(reveal, "tools").count,
                       (unsigned long long)haft__timeline_event_number(reveal, "cap"));
    }
    return deferred > 0;
}

haft_str haft__timeline_choice(haft__timeline *t, const haft__event *turn)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__choice_words_add(&text, turn);
    return move_to_arena(t, &text);
}

haft_str haft__timeline_gate(haft__timeline *t, const haft__event *event)
{
    haft__json called = haft__timeline_event_array(event, "called");
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    uint64_t threshold = haft__timeline_event_number(event, "threshold");
    if (threshold == 0 && called.count == 0) {
        return HAFT__LIT("no tool has to be used first");
    }
    haft__buf_addf(&text, "enough tools used (%u of %llu)", called.count,
                   (unsigned long long)threshold);
    for (uint32_t i = 0; i < called.count; i++) {
        haft__buf_add_str(&text, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(": "));
        haft__buf_add_str(&text, haft__json_text(called.items[i]));
    }
    return move_to_arena(t, &text);
}

haft_str haft__timeline_pause_words(const haft__event *event)
{
    haft_str pause = haft__object_text(event->object, "pause");
    bool unknown = haft__str_equal(pause, HAFT__LIT("unknown_outcome"));
    return unknown ? HAFT__LIT("a decision, its outcome is unknown") : pause;
}

haft_str haft__timeline_unknown_reason(haft__timeline *t, const haft__event *event)
{
    haft_str reason = haft__timeline_event_text(event, "reason");
    haft_str arguments = haft__timeline_arguments(t, event);
    haft_str text = reason.len > 0
                        ? haft__arena_format(&t->arena, "%.*s%s%.*s: %.*s",
                                             HAFT__ARG(haft__timeline_event_text(event, "tool")),
                                             arguments.len > 0 ? " " : "", HAFT__ARG(arguments),
                                             HAFT__ARG(reason))
                        : (haft_str){NULL, 0};
    return text.ptr != NULL ? text : HAFT__LIT("");
}

/* ---- progress events ---- */

static void report_progress(haft__timeline *t, const haft__event *event)
{
    if (t->open != HAFT__OPEN_LINE_CALLS
        || !haft__timeline_runs_alone(t, haft__timeline_event_text(event, "call"))) {
        return;
    }
    haft_str text = haft__timeline_event_text(event, "data");
    text = text.len > 0 ? text : haft__timeline_event_json(t, event, "data");
    text.len = text.len < PROGRESS_BYTES ? text.len : PROGRESS_BYTES;
    haft__buf_clear(&t->progress);
    haft__buf_add_str(&t->progress, text);
    haft__timeline_redraw_line(t, t->open_since_ms + t->open_seconds * TICK_MS);
}

static void add_warning(haft__timeline *t, haft_str text)
{
    if (t->caps.live) {
        haft__timeline_line l =
            haft__timeline_line_begin_item(t, HAFT__SYMBOL_WARNING, HAFT__STYLE_WARNING);
        haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN, text);
    } else {
        haft__buf_add_str(&t->out, HAFT__LIT("  "));
        (void)haft__escape_add_line(&t->out, text, HAFT__REASON_COLUMNS, HAFT__LIT("..."));
        haft__buf_add_char(&t->out, '\n');
    }
}

/* Shows a log message of a tool's server, if it is a warning or worse. */
static bool report_log(haft__timeline *t, const haft__event *event)
{
    static const char *const levels[] = {"warning", "error", "critical", "alert", "emergency"};
    const haft__json *data = haft__event_field(event, "data");
    bool object = data != NULL && data->kind == HAFT__JSON_OBJECT;
    haft_str server = object ? haft__object_text(*data, "server") : HAFT__LIT("");
    haft_str level = object ? haft__object_text(*data, "level") : HAFT__LIT("");
    size_t i = 0;
    while (i < COUNT(levels) && !haft__str_equal(level, haft__str(levels[i]))) {
        i++;
    }
    if (server.len == 0 || i == COUNT(levels)) {
        return false;
    }
    haft_str text = haft__arena_format(&t->arena, "server %.*s: %s: %.*s", HAFT__ARG(server),
                                       levels[i], HAFT__ARG(haft__object_text(*data, "message")));
    add_warning(t, text);
    return true;
}

/* Shows a retry: "HTTP 503; attempt 2 in 2.0 s". */
static void report_retry(haft__timeline *t, const haft__event *event)
{
    haft_str tool = haft__timeline_call_tool(t, haft__timeline_event_text(event, "call"));
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&text, tool.len > 0 ? tool : HAFT__LIT("the model"));
    haft__buf_add_str(&text, HAFT__LIT(" failed: "));
    haft__buf_add_str(&text, haft__timeline_event_text(event, "reason"));
    haft__buf_addf(&text, "; attempt %llu",
                   (unsigned long long)haft__timeline_event_number(event, "attempt"));
    uint64_t wait = haft__timeline_event_number(event, "wait_ms");
    haft__buf_add_str(&text, wait > 0 ? HAFT__LIT(" in ") : HAFT__LIT(" now"));
    if (wait > 0) {
        haft__amount_add_duration(&text, wait);
    }
    add_warning(t, haft__buf_str(&text));
    haft__buf_finish(&text);
}

/* Parses a progress event, which has no sequence number and no event kind, and shows it. */
static void report_progress_event(haft__timeline *t, haft_str line)
{
    haft__event event = {0};
    if (haft__json_read(&t->arena, line, NULL, &event.object, NULL, NULL) != HAFT_OK
        || event.object.kind != HAFT__JSON_OBJECT) {
        return;
    }
    haft_str kind = haft__timeline_event_text(&event, "kind"),
             text = haft__timeline_event_text(&event, "text");
    bool progress = haft__str_equal(kind, HAFT__LIT("call_progress"));
    if (haft__str_equal(kind, HAFT__LIT("model_retry"))
        || haft__str_equal(kind, HAFT__LIT("call_retry"))) {
        report_retry(t, &event);
        return;
    }
    if ((progress && report_log(t, &event)) || !t->caps.live) {
        return;
    }
    if (progress) {
        report_progress(t, &event);
    } else if (!haft__str_equal(kind, HAFT__LIT("model_progress")) || t->replied) {
        return;
    } else if (text.len > 0) {
        haft__timeline_add_reply(t, HAFT__REPLY_PART_TEXT, text);
    } else {
        haft__timeline_add_reply(t, HAFT__REPLY_PART_REASONING,
                                 haft__timeline_event_text(&event, "reasoning"));
    }
}

/* Remembers the present model of the run and its price, for the cost of replies. */
static void follow_model(haft__timeline *t, const haft__event *event)
{
    haft_str agent = haft__timeline_event_text(event, "agent");
    haft__json prices = haft__json_null();
    switch (event->kind) {
    case HAFT__EVENT_RUN_STARTED:
        haft__buf_clear(&t->prices);
        haft__json_write(&t->prices, haft__object_get(event->object, "prices"));
        t->active = t->spec;
        break;
    case HAFT__EVENT_HANDED_OFF:
        t->active = agent.len > 0 ? haft__spec_find_agent(t->spec, agent) : t->spec;
        break;
    case HAFT__EVENT_MODEL_CHANGED:
        t->active = t->active != NULL ? t->active->fallback : NULL;
        break;
    default: return;
    }
    t->price = t->active != NULL ? t->active->model.price : (haft__price){.known = false};
    if (t->active != NULL
        && haft__json_read(&t->arena, haft__buf_str(&t->prices), NULL, &prices, NULL, NULL)
               == HAFT_OK) {
        (void)haft__prices_find(prices, &t->active->model, &t->price);
    }
}

static void add_event(haft__timeline *t, haft_str line)
{
    haft__event event;
    if (haft__str_starts_with(line, HAFT__LIT("{\"after\":"))) {
        report_progress_event(t, line);
        return;
    }
    if (haft__event_read(&t->arena, line, (haft__hash_key){0, 0}, &event, NULL) != HAFT_OK) {
        return;
    }
    if (event.kind == HAFT__EVENT_RUN_STARTED) {
        t->started_ms = event.at_ms;
    }
    follow_model(t, &event);
    if (event.kind == HAFT__EVENT_HANDED_OFF) {
        (void)snprintf(t->agent, sizeof(t->agent), "%.*s",
                       HAFT__ARG(haft__timeline_event_text(&event, "to")));
    }
    if (t->caps.live) {
        haft__timeline_add_live(t, &event);
    } else {
        haft__timeline_add_plain(t, &event);
    }
}

void haft__timeline_add_event(haft__timeline *timeline, haft_str line)
{
    size_t before = haft__timeline_count_running(timeline);
    haft__arena_reset(&timeline->arena);
    add_event(timeline, line);
    size_t running = haft__timeline_count_running(timeline);
    bool outdated = timeline->open != HAFT__OPEN_LINE_CALLS || running != before;
    if (timeline->caps.live && !timeline->lines_only && running > 0 && outdated) {
        haft__timeline_redraw_line(timeline,
                                   timeline->open_since_ms + timeline->open_seconds * TICK_MS);
    }
}

void haft__timeline_add_nested(haft__timeline *timeline, haft_str prefix, haft_str lines)
{
    if (lines.len == 0) {
        return;
    }
    haft__timeline_line_close(timeline);
    while (lines.len > 0) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__buf_add_str(&timeline->out, line.len > 0 ? prefix : HAFT__LIT(""));
        haft__buf_add_str(&timeline->out, line);
        haft__buf_add_char(&timeline->out, '\n');
    }
    if (timeline->caps.live && !timeline->lines_only
        && haft__timeline_count_running(timeline) > 0) {
        haft__timeline_redraw_line(timeline,
                                   timeline->open_since_ms + timeline->open_seconds * TICK_MS);
    }
}

/* ---- time ---- */

int haft__timeline_next_tick_ms(const haft__timeline *timeline)
{
    bool under_way = haft__timeline_count_running(timeline) > 0 || timeline->waiting_for_model;
    return timeline->caps.live && !timeline->lines_only && under_way ? TICK_MS : -1;
}

void haft__timeline_tick(haft__timeline *timeline, uint64_t now_ms)
{
    uint64_t elapsed = now_ms > timeline->open_since_ms ? now_ms - timeline->open_since_ms : 0;
    bool changed = elapsed >= TICK_MS && elapsed / TICK_MS != timeline->open_seconds;
    if (haft__timeline_next_tick_ms(timeline) >= 0 && changed) {
        timeline->open_seconds = elapsed / TICK_MS;
        haft__timeline_redraw_line(timeline, now_ms);
    }
}
