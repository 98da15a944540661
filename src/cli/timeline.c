/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.c - events as lines for people: each decision with its reason.
 *
 * Texts come from models and tools, and are shown so that a terminal obeys nothing in them.
 * Tests: tests/cli/run_test.py.
 */
#include "cli/timeline.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/print.h"
#include "json/write.h"

void haft__timeline_init(haft__timeline *timeline, FILE *out, const haft__spec *spec)
{
    *timeline = (haft__timeline){.out = out, .spec = spec};
    haft__arena_init(&timeline->arena, 0);
}

void haft__timeline_finish(haft__timeline *timeline)
{
    haft__arena_finish(&timeline->arena);
}

static haft_str text_of(const haft__event *event, const char *key)
{
    const haft__json *value = haft__event_field(event, key);
    haft_str text = value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
    return text.ptr != NULL ? text : HAFT__LIT("");
}

static void print_value(FILE *out, const haft__json *value)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    if (value != NULL) {
        haft__json_write(&text, *value);
    }
    haft__print_short(out, haft__buf_str(&text));
    haft__buf_finish(&text);
}

/* What the lines are headed with. */
static haft_str name_of(const haft__timeline *t)
{
    return t->spec->name.len > 0 ? t->spec->name : HAFT__LIT("run");
}

static void tell_turn(haft__timeline *t, const haft__event *event)
{
    haft_str mode = text_of(event, "mode"), tool = text_of(event, "tool");
    (void)fprintf(t->out, "[%.*s] turn %.*s/%u  %.*s%s%.*s  ", HAFT__ARG(name_of(t)),
                  HAFT__ARG(text_of(event, "turn")), t->spec->limits.turns, HAFT__ARG(mode),
                  tool.len > 0 ? " " : "", HAFT__ARG(tool));
    haft__print_short(t->out, text_of(event, "reason"));
    (void)putc('\n', t->out);
}

static void tell_finished(haft__timeline *t, const haft__event *event)
{
    bool ok = haft__event_flag(event, "ok");
    const haft__json *error = haft__event_field(event, "error");
    haft_str result = text_of(event, "result");
    const haft__json *message = error != NULL ? haft__json_get(*error, HAFT__LIT("message")) : NULL;
    (void)fprintf(t->out, "  %.*s %.*s: ", HAFT__ARG(text_of(event, "call")),
                  HAFT__ARG(text_of(event, "tool")));
    if (ok) {
        (void)fprintf(t->out, "ok, %zu bytes%s%s\n", result.len,
                      haft__event_flag(event, "cached") ? ", cached" : "",
                      haft__event_flag(event, "truncated") ? ", truncated for the model" : "");
        return;
    }
    (void)fputs("error: ", t->out);
    haft__print_short(t->out, message != NULL ? haft__json_text(*message) : (haft_str){NULL, 0});
    (void)putc('\n', t->out);
}

/* "  what about: text" */
static void tell_line(haft__timeline *t, const char *what, haft_str about, haft_str text)
{
    (void)fprintf(t->out, "  %s%s%.*s: ", what, about.len > 0 ? " " : "", HAFT__ARG(about));
    haft__print_short(t->out, text);
    (void)putc('\n', t->out);
}

static void tell_started(haft__timeline *t, const haft__event *event)
{
    (void)fprintf(t->out, "  %.*s %.*s ", HAFT__ARG(text_of(event, "call")),
                  HAFT__ARG(text_of(event, "tool")));
    print_value(t->out, haft__event_field(event, "arguments"));
    (void)putc('\n', t->out);
}

static void tell_paused(haft__timeline *t, const haft__event *event)
{
    haft_str question = text_of(event, "question");
    (void)fprintf(t->out, "  %.*s waits for %.*s: ", HAFT__ARG(text_of(event, "call")),
                  HAFT__ARG(text_of(event, "pause")));
    if (question.len > 0) {
        haft__print_short(t->out, question);
    } else {
        (void)fprintf(t->out, "%.*s ", HAFT__ARG(text_of(event, "tool")));
        print_value(t->out, haft__event_field(event, "arguments"));
    }
    (void)putc('\n', t->out);
}

static void tell_refused(haft__timeline *t, const haft__event *event)
{
    (void)fprintf(t->out, "  %.*s %.*s refused (%.*s): ", HAFT__ARG(text_of(event, "call")),
                  HAFT__ARG(text_of(event, "tool")), HAFT__ARG(text_of(event, "why")));
    haft__print_short(t->out, text_of(event, "text"));
    (void)putc('\n', t->out);
}

void haft__timeline_tell(haft__timeline *timeline, haft_str line)
{
    haft__timeline *t = timeline;
    haft__event event;
    haft__arena_reset(&t->arena);
    if (haft__event_read(&t->arena, line, (haft__hash_key){0, 0}, &event, NULL) != HAFT_OK) {
        return;
    }
    switch (event.kind) {
    case HAFT__EVENT_TURN_STARTED: tell_turn(t, &event); return;
    case HAFT__EVENT_GATE_OPENED:
        (void)fputs("  gate open after ", t->out);
        print_value(t->out, haft__event_field(&event, "called"));
        (void)putc('\n', t->out);
        return;
    case HAFT__EVENT_VIOLATION:
        tell_line(t, "asked again", text_of(&event, "came"), text_of(&event, "text"));
        return;
    case HAFT__EVENT_REMINDED:
        tell_line(t, "reminded", HAFT__LIT(""), text_of(&event, "text"));
        return;
    case HAFT__EVENT_CALL_STARTED: tell_started(t, &event); return;
    case HAFT__EVENT_CALL_FINISHED: tell_finished(t, &event); return;
    case HAFT__EVENT_CALL_REFUSED: tell_refused(t, &event); return;
    case HAFT__EVENT_PAUSED: tell_paused(t, &event); return;
    case HAFT__EVENT_ARTIFACT_STORED:
        tell_line(t, "stored", text_of(&event, "name"), text_of(&event, "sha256"));
        return;
    case HAFT__EVENT_MODEL_FAILED:
        tell_line(t, "the model failed", HAFT__LIT(""), text_of(&event, "message"));
        return;
    case HAFT__EVENT_RUN_FINISHED:
        (void)fprintf(t->out, "[%.*s] %.*s: %.*s\n", HAFT__ARG(name_of(t)),
                      HAFT__ARG(text_of(&event, "end")), HAFT__ARG(text_of(&event, "reason")));
        return;
    case HAFT__EVENT_RUN_STARTED:
    case HAFT__EVENT_MODEL_REPLIED:
    case HAFT__EVENT_TOOLS_REVEALED:
    case HAFT__EVENT_TOOLS_HIDDEN:
    case HAFT__EVENT_ANSWERED:
    case HAFT__EVENT_CHILD_STARTED:
    case HAFT__EVENT_CHILD_FINISHED:
    case HAFT__EVENT_GRAPH_STEP:
    case HAFT__EVENT_CANCEL_ASKED: return;
    }
}
