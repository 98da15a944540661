/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_waterfall.c - see tree_waterfall.h. Tests: tests/engine/ops/tree/tree_waterfall_test.c.
 *
 * All times are from the events, so the picture of a log is always the same.
 */
#include "engine/ops/tree/tree_waterfall.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/event.h"
#include "json/object.h"

#define WIDTH      960
#define LABELS     250 /* columns of names, in pixels */
#define ROW        22
#define TOP        48
#define BAR        14
#define NAME_CHARS 34U

/* The kinds of work in a span of time. */
typedef enum span_kind {
    SPAN_RUN, /* from the first event of a run to its last event */
    SPAN_MODEL,
    SPAN_CALL,
    SPAN_PAUSE,
} span_kind;

static const struct {
    const char *colour, *name;
} spans[] = {
    [SPAN_RUN] = {"#d8dee6", "run"},
    [SPAN_MODEL] = {"#4878b0", "model"},
    [SPAN_CALL] = {"#5a9a5a", "tool"},
    [SPAN_PAUSE] = {"#d0a030", "waits for a person"},
};

typedef struct picture {
    haft__buf *buf;
    haft__hash_key hash_key;
    uint64_t from_ms, to_ms; /* start and end of the whole tree */
    size_t row;
    haft_error *err;
} picture;

/* ---- text ---- */

static void add_escaped(haft__buf *buf, haft_str text)
{
    while (text.len > 0) {
        uint32_t code = '?';
        size_t length = haft__utf8_decode(text, &code);
        bool bad = length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe
                   || code == 0xffff;
        if (bad) {
            haft__buf_add_char(buf, '?');
        } else if (code == '&') {
            haft__buf_add_str(buf, HAFT__LIT("&amp;"));
        } else if (code == '<') {
            haft__buf_add_str(buf, HAFT__LIT("&lt;"));
        } else {
            haft__buf_add(buf, text.ptr, length);
        }
        text = haft__str_skip(text, length > 0 ? length : 1);
    }
}

static void add_duration(haft__buf *buf, uint64_t ms)
{
    if (ms < 10000) {
        haft__buf_addf(buf, "%" PRIu64 " ms", ms);
    } else {
        haft__buf_addf(buf, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms % 1000 / 100);
    }
}

/* ---- bars ---- */

/* The x coordinate of a time, in tenths of a pixel. */
static uint64_t x_of(const picture *p, uint64_t ms)
{
    if (ms <= p->from_ms || p->to_ms <= p->from_ms) {
        return LABELS * 10;
    }
    uint64_t length = p->to_ms - p->from_ms, at = ms - p->from_ms;
    at = at < length ? at : length;
    return LABELS * 10 + at * (WIDTH - LABELS - 10) * 10 / length;
}

static void add_bar(picture *p, span_kind kind, uint64_t from_ms, uint64_t to_ms, haft_str what)
{
    uint64_t x = x_of(p, from_ms), end = x_of(p, to_ms);
    uint64_t width = end > x + 10 ? end - x : 10; /* at least a pixel */
    size_t y = TOP + p->row * ROW + (kind == SPAN_RUN ? 3 : 5);
    haft__buf_addf(p->buf,
                   "<rect x=\"%" PRIu64 ".%" PRIu64 "\" y=\"%zu\" width=\"%" PRIu64 ".%" PRIu64
                   "\" height=\"%d\" fill=\"%s\"><title>",
                   x / 10, x % 10, y, width / 10, width % 10, kind == SPAN_RUN ? BAR : BAR - 4,
                   spans[kind].colour);
    add_escaped(p->buf, what.len > 0 ? what : haft__str(spans[kind].name));
    haft__buf_add_str(p->buf, HAFT__LIT(": "));
    add_duration(p->buf, to_ms > from_ms ? to_ms - from_ms : 0);
    haft__buf_add_str(p->buf, HAFT__LIT("</title></rect>\n"));
}

/* ---- events ---- */

typedef haft_status visitor(picture *p, void *context, const haft__event *event);

static haft_status each_event(picture *p, haft_str lines, visitor *visit, void *context)
{
    haft_status status = HAFT_OK;
    while (lines.len > 0 && status == HAFT_OK) {
        haft_str line = haft__str_split(&lines, '\n');
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        haft__arena arena;
        haft__event event;
        haft__arena_init(&arena, 0);
        status = haft__event_read(&arena, line, p->hash_key, &event, p->err);
        status = status == HAFT_OK ? visit(p, context, &event) : status;
        haft__arena_finish(&arena);
    }
    return status;
}

typedef struct extent {
    uint64_t from_ms, to_ms;
    bool ended;
} extent;

static haft_status extend(picture *p, void *context, const haft__event *event)
{
    extent *e = context;
    (void)p;
    e->from_ms = e->from_ms == 0 || event->at_ms < e->from_ms ? event->at_ms : e->from_ms;
    e->to_ms = event->at_ms > e->to_ms ? event->at_ms : e->to_ms;
    e->ended = e->ended || event->kind == HAFT__EVENT_RUN_FINISHED;
    return HAFT_OK;
}

/* Draws the span that ends with this event. The event contains the duration of the span, or the run
 * has the start of the pause. */
static haft_status draw_event(picture *p, void *context, const haft__event *event)
{
    uint64_t *paused_ms = context;
    uint64_t ms = haft__object_number(event->object, "ms", 0);
    uint64_t from = event->at_ms > ms ? event->at_ms - ms : 0;
    switch (event->kind) {
    case HAFT__EVENT_MODEL_REPLIED:
    case HAFT__EVENT_MODEL_FAILED:
        add_bar(p, SPAN_MODEL, from, event->at_ms, haft__object_text(event->object, "model"));
        break;
    case HAFT__EVENT_CALL_FINISHED:
        add_bar(p, SPAN_CALL, from, event->at_ms, haft__object_text(event->object, "tool"));
        break;
    case HAFT__EVENT_PAUSED: *paused_ms = *paused_ms == 0 ? event->at_ms : *paused_ms; break;
    case HAFT__EVENT_ANSWERED:
        add_bar(p, SPAN_PAUSE, *paused_ms, event->at_ms, HAFT__LIT(""));
        *paused_ms = 0;
        break;
    case HAFT__EVENT_RUN_STARTED:
    case HAFT__EVENT_TOOLS_REVEALED:
    case HAFT__EVENT_TOOLS_HIDDEN:
    case HAFT__EVENT_TURN_STARTED:
    case HAFT__EVENT_GATE_OPENED:
    case HAFT__EVENT_CONTEXT_CHANGED:
    case HAFT__EVENT_SUMMARY_STARTED:
    case HAFT__EVENT_CONSTRAINED:
    case HAFT__EVENT_OPTION_REFUSED:
    case HAFT__EVENT_MODEL_CHANGED:
    case HAFT__EVENT_VIOLATION:
    case HAFT__EVENT_REMINDED:
    case HAFT__EVENT_HOOK_STARTED:
    case HAFT__EVENT_INTERVENTION:
    case HAFT__EVENT_CALL_REQUESTED:
    case HAFT__EVENT_CALL_STARTED:
    case HAFT__EVENT_CALL_ASKED:
    case HAFT__EVENT_CALL_REFUSED:
    case HAFT__EVENT_ARTIFACT_STORED:
    case HAFT__EVENT_CHILD_STARTED:
    case HAFT__EVENT_CHILD_FINISHED:
    case HAFT__EVENT_HANDED_OFF:
    case HAFT__EVENT_THREAD_STATE:
    case HAFT__EVENT_GRAPH_STEP:
    case HAFT__EVENT_SPEC_CHANGED:
    case HAFT__EVENT_LIMIT_REACHED:
    case HAFT__EVENT_CANCEL_ASKED:
    case HAFT__EVENT_RUN_FINISHED: break;
    }
    return HAFT_OK;
}

/* ---- rows ---- */

static void add_label(picture *p, const haft__waterfall_run *run)
{
    haft_str path = run->log.path;
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/') {
        start--;
    }
    haft_str name = {run->name.ptr, haft__utf8_offset(run->name, NAME_CHARS)};
    haft__buf_addf(p->buf, "<text x=\"%u\" y=\"%zu\">", 8 + 14 * run->depth,
                   TOP + p->row * ROW + 15);
    add_escaped(p->buf, name);
    haft__buf_add_str(p->buf, HAFT__LIT(" <tspan fill=\"#808080\">"));
    add_escaped(p->buf, haft__str_skip(path, start));
    haft__buf_add_str(p->buf, HAFT__LIT("</tspan></text>\n"));
}

static haft_status add_row(picture *p, const haft__waterfall_run *run)
{
    extent own = {.ended = false};
    uint64_t paused_ms = 0;
    haft_status status = each_event(p, run->log.lines, extend, &own);
    if (status != HAFT_OK) {
        return status;
    }
    add_label(p, run);
    add_bar(p, SPAN_RUN, own.from_ms, own.ended ? own.to_ms : p->to_ms, run->name);
    status = each_event(p, run->log.lines, draw_event, &paused_ms);
    if (paused_ms > 0) {
        add_bar(p, SPAN_PAUSE, paused_ms, own.ended ? own.to_ms : p->to_ms, HAFT__LIT(""));
    }
    p->row++;
    return status;
}

static void add_head(picture *p, haft_str title, size_t rows)
{
    haft__buf_addf(p->buf,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%zu\" "
                   "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" "
                   "height=\"100%%\" fill=\"white\"/>\n<text x=\"8\" y=\"18\" "
                   "font-weight=\"bold\">",
                   WIDTH, TOP + rows * ROW + 8);
    add_escaped(p->buf, title);
    haft__buf_add_str(p->buf, HAFT__LIT(" <tspan font-weight=\"normal\">"));
    add_duration(p->buf, p->to_ms - p->from_ms);
    haft__buf_add_str(p->buf, HAFT__LIT("</tspan></text>\n"));
    for (size_t i = SPAN_MODEL; i < COUNT(spans); i++) {
        size_t x = LABELS + (i - SPAN_MODEL) * 90;
        haft__buf_addf(p->buf,
                       "<rect x=\"%zu\" y=\"30\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                       "<text x=\"%zu\" y=\"39\">%s</text>\n",
                       x, spans[i].colour, x + 14, spans[i].name);
    }
}

haft_status haft__tree_waterfall_write(haft__buf *buf, haft_str title,
                                       const haft__waterfall_run *runs, size_t count,
                                       haft__hash_key hash_key, haft_error *err)
{
    picture p = {.buf = buf, .hash_key = hash_key, .err = err};
    size_t shown = count < HAFT__LIMIT_WATERFALL_RUNS ? count : HAFT__LIMIT_WATERFALL_RUNS;
    extent all = {.ended = false};
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        status = each_event(&p, runs[i].log.lines, extend, &all);
    }
    p.from_ms = all.from_ms;
    p.to_ms = all.to_ms;
    add_head(&p, title, shown + (shown < count));
    for (size_t i = 0; i < shown && status == HAFT_OK; i++) {
        status = add_row(&p, &runs[i]);
    }
    if (shown < count) {
        haft__buf_addf(buf, "<text x=\"8\" y=\"%zu\">and %zu more run%s</text>\n",
                       TOP + p.row * ROW + 15, count - shown, count - shown == 1 ? "" : "s");
    }
    haft__buf_add_str(buf, HAFT__LIT("</svg>\n"));
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}
