/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_plain.c - shows a run as plain lines, one for each event: for logs and screen readers.
 *
 * The lines have only words and ASCII punctuation, except for texts of models and tools. Tests:
 * tests/cli/timeline/timeline_test.c.
 */
#include "base/str.h"
#include "cli/terminal/width.h"
#include "cli/timeline/event_words.h"
#include "cli/timeline/timeline_int.h"
#include "json/object.h"

/* Maximum width of a text that haft did not write. */
#define MAX_COLUMNS 73

/* Adds a text that haft did not write, shortened. */
static void add_short(haft__timeline *t, haft_str text)
{
    (void)haft__escape_add_line(&t->out, text, MAX_COLUMNS, HAFT__LIT("..."));
}

/* Adds the complete reason of a failure. */
static void add_reason(haft__timeline *t, haft_str text)
{
    (void)haft__escape_add_line(&t->out, text, HAFT__REASON_COLUMNS, HAFT__LIT("..."));
}

static void add(haft__timeline *t, const char *text)
{
    haft__buf_add_str(&t->out, haft__str(text));
}

static void add_field(haft__timeline *t, const haft__event *event, const char *key)
{
    add_short(t, haft__timeline_event_text(event, key));
}

/* Adds "[name] ", the name of the agent. */
static void add_name(haft__timeline *t)
{
    add(t, "[");
    haft_str name = t->agent[0] != '\0' ? haft__str(t->agent) : t->spec->name;
    add_short(t, name.len > 0 ? name : HAFT__LIT("run"));
    add(t, "] ");
}

/* Adds "  tool argument", with the id of the call if verbose. */
static void add_call(haft__timeline *t, const haft__timeline_call *call)
{
    add(t, "  ");
    if (t->verbose) {
        add_short(t, call->id);
        add(t, " ");
    }
    add_short(t, call->tool);
    add(t, call->arguments.len > 0 ? " " : "");
    add_reason(t, call->arguments);
}

static void report_turn(haft__timeline *t, const haft__event *event)
{
    add_name(t);
    haft__buf_addf(&t->out,
                   "turn %llu/%u: ", (unsigned long long)haft__timeline_event_number(event, "turn"),
                   t->spec->limits.turns);
    add_reason(t, haft__timeline_choice(t, event));
    if (t->verbose) {
        add(t, " (");
        add_field(t, event, "mode");
        add(t, ", ");
        add_field(t, event, "reason");
        add(t, ")");
    }
    haft__timeline_forget_calls(t);
}

/* Adds a text such as "1500 tokens in, 0 cached, 20 out, 12 ms". */
static void add_usage(haft__timeline *t, const haft__event *event)
{
    haft__buf_addf(
        &t->out, "%llu token%s in, %llu cached, %llu out, %llu ms",
        (unsigned long long)haft__timeline_nested_number(event, "usage", "input_tokens"),
        haft__timeline_nested_number(event, "usage", "input_tokens") == 1 ? "" : "s",
        (unsigned long long)haft__timeline_nested_number(event, "usage", "cached_tokens"),
        (unsigned long long)haft__timeline_nested_number(event, "usage", "output_tokens"),
        (unsigned long long)haft__timeline_event_number(event, "ms"));
    haft__buf bar;
    haft__buf_init(&bar, HAFT__TIMELINE_DETAILS_BYTES);
    if (haft__event_words_context_of_reply(&bar, event, false)) {
        add(t, ", context ");
        haft__buf_add_str(&t->out, haft__buf_str(&bar));
    }
    haft__buf_finish(&bar);
}

static void report_context(haft__timeline *t, const haft__event *event)
{
    add(t, "  context ");
    haft__event_words_context(&t->out, event, false);
}

/* Shows the text of a reply with calls, and its usage if verbose. The text of a reply without calls
 * is the answer, which the caller prints. */
static void report_reply(haft__timeline *t, const haft__event *event)
{
    const haft__json *calls = haft__event_field(event, "calls");
    haft_str text = haft__timeline_event_text(event, "content");
    bool has_text = text.len > 0 && calls != NULL && calls->count > 0;
    bool has_usage = t->verbose
                     && haft__timeline_nested_number(event, "usage", "input_tokens")
                                + haft__timeline_nested_number(event, "usage", "output_tokens")
                            > 0;
    if (!has_text && !has_usage) {
        return;
    }
    add(t, "  model: ");
    if (has_usage) {
        add_usage(t, event);
        add(t, has_text ? "; " : "");
    }
    add_short(t, has_text ? text : HAFT__LIT(""));
}

static void report_finished(haft__timeline *t, const haft__event *event)
{
    haft__timeline_call call = haft__timeline_note_stopped(t, event);
    add_call(t, &call);
    if (!haft__event_flag(event, "ok")) {
        add(t, ": error: ");
        add_reason(t, haft__timeline_event_error(event));
        return;
    }
    size_t bytes = haft__timeline_event_text(event, "result").len;
    haft__buf_addf(&t->out, ": ok, %zu byte%s, %llu ms%s%s", bytes, bytes == 1 ? "" : "s",
                   (unsigned long long)haft__timeline_event_number(event, "ms"),
                   haft__event_flag(event, "cached") ? ", cached" : "",
                   haft__event_flag(event, "truncated") ? ", truncated for the model" : "");
}

static void report_rejected(haft__timeline *t, const haft__event *event)
{
    haft__timeline_call call = haft__timeline_note_stopped(t, event);
    call.arguments = HAFT__LIT("");
    add_call(t, &call);
    haft_str reason;
    if (haft__timeline_event_is_rejection(event, &reason)) {
        add(t, reason.len > 0 ? " rejected: " : " rejected");
        add_reason(t, reason);
        return;
    }
    add(t, " refused");
    if (haft__timeline_event_text(event, "why").len > 0) {
        add(t, " (");
        add_field(t, event, "why");
        add(t, ")");
    }
    add(t, ": ");
    add_reason(t, haft__timeline_event_refusal(event));
}

static void report_paused(haft__timeline *t, const haft__event *event)
{
    haft_str question = haft__timeline_event_text(event, "question");
    haft_str reason = haft__timeline_unknown_reason(t, event);
    add(t, "  ");
    add_field(t, event, "call");
    add(t, " waits for ");
    add_short(t, haft__timeline_pause_words(event));
    if (haft__event_field(event, "server") != NULL) {
        add(t, " of ");
        add_field(t, event, "server");
    }
    add(t, ": ");
    if (reason.len > 0) {
        add_reason(t, reason);
    } else if (question.len > 0) {
        add_short(t, question);
    } else {
        add_field(t, event, "tool");
        haft_str arguments = haft__timeline_arguments(t, event);
        add(t, arguments.len > 0 ? " " : "");
        add_short(t, arguments);
    }
}

/* Shows a line of a text, a field, another text and another field. `words` is {text, key, text,
 * key}. */
static void report_phrase(haft__timeline *t, const haft__event *event, const char *const words[4])
{
    add(t, words[0]);
    add_field(t, event, words[1]);
    add(t, words[2]);
    add_reason(t, haft__timeline_event_text(event, words[3]));
}

static void report_end(haft__timeline *t, const haft__event *event)
{
    haft_str cost = haft__timeline_total_cost(event);
    add_name(t);
    add_field(t, event, "end");
    unsigned long long turns = haft__timeline_event_number(event, "turns");
    unsigned long long calls = haft__timeline_event_number(event, "calls");
    add(t, ": ");
    add_reason(t, haft__timeline_event_text(event, "reason"));
    unsigned long long input = haft__timeline_nested_number(event, "usage", "input_tokens");
    haft__buf_addf(
        &t->out, "; %llu turn%s, %llu call%s, %llu token%s in, %llu out", turns,
        turns == 1 ? "" : "s", calls, calls == 1 ? "" : "s", input, input == 1 ? "" : "s",
        (unsigned long long)haft__timeline_nested_number(event, "usage", "output_tokens"));
    if (cost.len > 0) {
        add(t, ", ");
        add_short(t, cost);
        add(t, " USD");
    }
}

static void report_stored(haft__timeline *t, const haft__event *event)
{
    add(t, "  stored ");
    add_field(t, event, "name");
    unsigned long long bytes = haft__timeline_event_number(event, "bytes");
    haft__buf_addf(&t->out, ": %llu byte%s, ", bytes, bytes == 1 ? "" : "s");
    add_field(t, event, "media_type");
}

static void report_gate(haft__timeline *t, const haft__event *event)
{
    add(t, "  ");
    add_reason(t, haft__timeline_gate(t, event));
}

static void report_failed(haft__timeline *t, const haft__event *event)
{
    add(t, "  the model failed: ");
    add_reason(t, haft__timeline_event_text(event, "message"));
}

static void report_reminded(haft__timeline *t, const haft__event *event)
{
    add(t, "  reminded: ");
    add_reason(t, haft__timeline_event_text(event, "text"));
}

/* Adds a text such as "1 tool, 2 left out". */
static void report_tool_count(haft__timeline *t, haft__json server)
{
    haft_str tools = haft__object_text(server, "tools");
    haft_str left_out = haft__object_text(server, "left_out_all");
    add_short(t, tools);
    add(t, haft__str_equal(tools, HAFT__LIT("1")) ? " tool" : " tools");
    if (left_out.len > 0) {
        add(t, ", ");
        add_short(t, left_out);
        add(t, " left out");
    }
}

/* Shows the last lines that a failed program wrote to standard error. */
static void report_stderr(haft__timeline *t, haft__json server)
{
    haft_str rest = haft__object_text(server, "stderr");
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        add(t, "\n    | ");
        haft__buf_add_str(&t->out, haft__timeline_indent(line));
        add_reason(t, line);
    }
}

/* Shows a line for each server: its number of tools, or the reason why no tool can be used, and a
 * warning about its cached list. */
static void report_servers(haft__timeline *t, const haft__event *event)
{
    haft__json servers = haft__timeline_event_array(event, "servers");
    haft_str reason = haft__timeline_event_text(event, "reason");
    for (uint32_t i = 0; i < servers.count; i++) {
        haft_str error = haft__object_text(servers.items[i], "error");
        haft_str warning = haft__object_text(servers.items[i], "warning");
        add(t, i > 0 ? "\n  server " : "  server ");
        add_short(t, haft__object_text(servers.items[i], "name"));
        add(t, ": ");
        if (error.len > 0) {
            add_reason(t, error);
        } else {
            report_tool_count(t, servers.items[i]);
        }
        if (reason.len > 0) {
            add(t, "; ");
            add_reason(t, reason);
        }
        if (warning.len > 0) {
            add(t, "\n    warning: ");
            add_reason(t, warning);
        }
        report_stderr(t, servers.items[i]);
    }
}

/* Adds the names of tools: the entries of a list, or their members `name`. */
static void add_names(haft__timeline *t, haft__json list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        bool text = list.items[i].kind == HAFT__JSON_STRING;
        add(t, i > 0 ? ", " : "");
        add_short(t,
                  text ? haft__json_text(list.items[i]) : haft__object_text(list.items[i], "name"));
    }
}

/* Shows the result of a search, and the number of tools. */
static void report_revealed(haft__timeline *t, const haft__event *event)
{
    size_t before = t->out.len;
    haft__json tools = haft__timeline_event_array(event, "tools"),
               listed = haft__timeline_event_array(event, "listed");
    bool call = haft__timeline_event_text(event, "call").len > 0;
    if (!call) {
        report_servers(t, event);
    }
    if (haft__timeline_add_revealed(event, NULL)) {
        add(t, t->out.len > before ? "\n  " : "  ");
        if (call) {
            haft__buf_addf(&t->out, "%u found, %u shown", tools.count + listed.count, tools.count);
        } else {
            (void)haft__timeline_add_revealed(event, &t->out);
        }
        add(t, tools.count > 0 ? ": " : "");
        add_names(t, tools);
    }
}

static void report_hidden(haft__timeline *t, const haft__event *event)
{
    haft__buf_addf(&t->out, "  hidden (at most %llu are shown): ",
                   (unsigned long long)haft__timeline_event_number(event, "cap"));
    add_names(t, haft__timeline_event_array(event, "tools"));
    unsigned long long tokens = haft__timeline_event_number(event, "cache_tokens");
    haft__buf_addf(&t->out, "; about %llu token%s of the prompt %s no longer cached", tokens,
                   tokens == 1 ? "" : "s", tokens == 1 ? "is" : "are");
}

/* Shows a violation. The text of the correction is for the model; it is shown if verbose. */
static void report_violation(haft__timeline *t, const haft__event *event)
{
    add(t, "  reply dropped, asked again: ");
    add_short(t, haft__event_words_violation(haft__timeline_event_text(event, "came")));
    if (t->verbose) {
        add(t, ": ");
        add_reason(t, haft__timeline_event_text(event, "text"));
    }
}

static void report_answered(haft__timeline *t, const haft__event *event)
{
    add(t, "  ");
    add_field(t, event, "call");
    add(t, ": ");
    add_short(t, haft__event_words_verdict(haft__timeline_event_text(event, "verdict")));
    add(t, " by ");
    add_field(t, event, "by");
}

/* Shows what an entry of the middleware did: "  redact: redacted: 2 email". */
static void report_intervention(haft__timeline *t, const haft__event *event)
{
    haft_str call = haft__timeline_event_text(event, "call");
    haft_str why = haft__timeline_event_text(event, "why");
    if (haft__event_words_is_quiet(event) && !t->verbose) {
        return;
    }
    add(t, "  ");
    add_field(t, event, "name");
    add(t, " (");
    add_field(t, event, "where");
    add(t, call.len > 0 ? " " : "");
    add_short(t, call);
    add(t, "): ");
    add_field(t, event, "what");
    add(t, why.len > 0 ? ": " : "");
    add_reason(t, why);
}

/* Shows a todo list, a line for each step. */
static void report_started(haft__timeline *t, const haft__event *event)
{
    haft__json todos = haft__event_words_todos(event);
    for (uint32_t i = 0; i < todos.count; i++) {
        add(t, i > 0 ? "\n  " : "  ");
        add(t, haft__event_words_todo(haft__object_text(todos.items[i], "status")));
        add(t, " ");
        add_short(t, haft__object_text(todos.items[i], "content"));
    }
    haft__timeline_note_started(t, event);
}

/* Shows a step of a graph. Step 0 is the input. */
static void report_step(haft__timeline *t, const haft__event *event)
{
    uint64_t step = haft__timeline_event_number(event, "step");
    if (step > 0) {
        add_name(t);
        haft__buf_addf(&t->out, "step %llu: ", (unsigned long long)step);
        haft__event_words_nodes(&t->out, event);
    }
    haft__timeline_forget_calls(t);
}

static void report_event(haft__timeline *t, const haft__event *event)
{
    static const char *const refused[] = {"  the server refuses ", "member", ": ", "message"};
    static const char *const cancel[] = {"  cancel requested by ", "by", ": ", "why"};
    static const char *const alone[] = {"  cancel requested by ", "by", "", ""};
    switch (event->kind) {
    case HAFT__EVENT_TURN_STARTED: report_turn(t, event); return;
    case HAFT__EVENT_GATE_OPENED: report_gate(t, event); return;
    case HAFT__EVENT_CONTEXT_CHANGED: report_context(t, event); return;
    case HAFT__EVENT_SUMMARY_STARTED:
        report_phrase(t, event, (const char *const[]){"  context: a summary by ", "model", "", ""});
        return;
    case HAFT__EVENT_MODEL_REPLIED:
        if (!haft__event_flag(event, "summary")) {
            report_reply(t, event);
        }
        return;
    case HAFT__EVENT_MODEL_FAILED: report_failed(t, event); return;
    case HAFT__EVENT_OPTION_REFUSED: report_phrase(t, event, refused); return;
    case HAFT__EVENT_VIOLATION: report_violation(t, event); return;
    case HAFT__EVENT_REMINDED: report_reminded(t, event); return;
    case HAFT__EVENT_CALL_STARTED: report_started(t, event); return;
    case HAFT__EVENT_INTERVENTION: report_intervention(t, event); return;
    case HAFT__EVENT_CALL_FINISHED: report_finished(t, event); return;
    case HAFT__EVENT_CALL_REFUSED: report_rejected(t, event); return;
    case HAFT__EVENT_PAUSED: report_paused(t, event); return;
    case HAFT__EVENT_ANSWERED: report_answered(t, event); return;
    case HAFT__EVENT_ARTIFACT_STORED: report_stored(t, event); return;
    case HAFT__EVENT_SPEC_CHANGED:
        report_phrase(t, event,
                      (const char *const[]){"the spec has changed; accepted by ", "by", "", ""});
        return;
    case HAFT__EVENT_HANDED_OFF:
        report_phrase(t, event, (const char *const[]){"  handed from ", "from", " to ", "to"});
        return;
    case HAFT__EVENT_MODEL_CHANGED:
        report_phrase(t, event,
                      (const char *const[]){"  model changed from ", "from", " to ", "to"});
        return;
    case HAFT__EVENT_LIMIT_REACHED:
        report_phrase(t, event,
                      (const char *const[]){"cancelled: reached limits.", "limit", "", ""});
        return;
    case HAFT__EVENT_CANCEL_ASKED:
        report_phrase(t, event, haft__timeline_event_text(event, "why").len > 0 ? cancel : alone);
        return;
    case HAFT__EVENT_RUN_FINISHED: report_end(t, event); return;
    case HAFT__EVENT_TOOLS_REVEALED: report_revealed(t, event); return;
    case HAFT__EVENT_TOOLS_HIDDEN: report_hidden(t, event); return;
    case HAFT__EVENT_RUN_STARTED:
    case HAFT__EVENT_CONSTRAINED:
    case HAFT__EVENT_HOOK_STARTED:
    case HAFT__EVENT_CALL_REQUESTED: /* shown by call_started or call_refused */
    case HAFT__EVENT_CALL_ASKED:     /* shown by the event paused */
    case HAFT__EVENT_CHILD_STARTED:
    case HAFT__EVENT_THREAD_STATE:
    case HAFT__EVENT_CHILD_FINISHED: return;
    case HAFT__EVENT_GRAPH_STEP: report_step(t, event); return;
    }
}

void haft__timeline_add_plain(haft__timeline *t, const haft__event *event)
{
    size_t before = t->out.len;
    report_event(t, event);
    if (t->out.len > before) {
        haft__buf_add_char(&t->out, '\n');
    }
}
