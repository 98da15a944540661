/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal_show.c - prints questions and approvals for a person.
 *
 * Every line of a model's text is indented, so that it cannot imitate a prompt of haft. Tests:
 * tests/cli/terminal/terminal_show_test.c and terminal_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/time.h"
#include "base/utf8.h"
#include "cli/terminal/approval_reply.h"
#include "cli/terminal/form.h"
#include "cli/terminal/print.h"
#include "cli/terminal/terminal_int.h"
#include "cli/terminal/width.h"
#include "cli/terminal/word_wrap.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "exec/preview.h"
#include "run/pause/elicitation.h"
#include "run/redact/redact.h"
#include "json/write.h"

#define INDENT 4
/* Maximum length of a default in a prompt. Escaped it is at most six times as wide and still fits
 * on a line. */
#define PROMPT_BYTES 8

/* ---- output ---- */

static haft_status write_out(haft__terminal *t, haft__buf *text, haft_error *err)
{
    haft_status status = haft__buf_check(text, err);
    if (status == HAFT_OK) {
        (void)fwrite(text->ptr, 1, text->len, t->out);
        (void)fflush(t->out);
    }
    haft__buf_finish(text);
    return status;
}

static void add_bold(const haft__terminal *t, haft__buf *out, haft_str text)
{
    haft__buf_add_str(out, t->caps.colour ? HAFT__LIT("\x1b[1m") : HAFT__LIT(""));
    haft__escape_add(out, text);
    haft__buf_add_str(out, t->caps.colour ? HAFT__LIT("\x1b[0m") : HAFT__LIT(""));
}

/* Adds a text on separate lines. Adds only the beginning of a very long text, and the number of
 * missing bytes. Returns whether the text is complete. */
static bool add_text(const haft__terminal *t, haft__buf *out, haft_str text)
{
    size_t width = haft__terminal_caps_width(t->out) - 1, all = text.len;
    haft__word_wrap flow;
    haft__word_wrap_init(&flow);
    flow.indent = INDENT;
    flow.exact = true;
    text.len = haft__utf8_floor(
        text, all < HAFT__LIMIT_TERMINAL_TEXT_BYTES ? all : HAFT__LIMIT_TERMINAL_TEXT_BYTES);
    haft__word_wrap_add(&flow, out, width, text);
    haft__word_wrap_end(&flow, out, width);
    if (text.len < all) {
        haft__buf_addf(out, "    ... and %zu more bytes; `haft runs events` shows all of them\n",
                       all - text.len);
    }
    haft__word_wrap_finish(&flow);
    return text.len == all;
}

/* Adds lines, escaped and indented. Wraps long lines, because a line that the terminal wraps would
 * continue at the left edge, where a text of a model could look like a prompt of haft. */
static void add_lines(const haft__terminal *t, haft__buf *out, haft_str lines)
{
    size_t width = haft__terminal_caps_width(t->out) - 1;
    while (lines.len > 0) {
        haft__word_wrap flow;
        haft__word_wrap_init(&flow);
        flow.hang = INDENT;
        haft__word_wrap_add(&flow, out, width, haft__str_split(&lines, '\n'));
        haft__word_wrap_end(&flow, out, width);
        haft__word_wrap_finish(&flow);
    }
}

/* Adds the position, such as "(2/3)", if several calls are pending. */
static void add_position(const haft__terminal *t, haft__buf *out)
{
    if (t->answered_count + t->remaining > 1) {
        haft__buf_addf(out, " (%zu/%zu)", t->answered_count + 1, t->answered_count + t->remaining);
    }
}

static void add_deadline(haft__buf *out, const haft__run_call *call)
{
    char at[HAFT__TIME_SIZE];
    haft__buf then;
    if (call->deadline_ms > 0) {
        haft__time_format(call->deadline_ms, at);
        haft__buf_addf(out, "  until %s, then: ", at);
        haft__buf_init(&then, HAFT__LIMIT_RUN_BYTES);
        haft__json_write(&then, call->on_expire);
        haft__escape_add(out, haft__buf_str(&then));
        haft__buf_finish(&then);
        haft__buf_add_char(out, '\n');
    }
}

/* ---- questions ---- */

const haft__json *haft__terminal_question_choices(const haft__run_call *call)
{
    const haft__json *choices = haft__json_get(call->arguments, HAFT__LIT("choices"));
    return choices != NULL && choices->kind == HAFT__JSON_ARRAY && choices->count > 0 ? choices
                                                                                      : NULL;
}

haft_str haft__terminal_question_text(const haft__run_call *call, const char *key)
{
    const haft__json *value = haft__json_get(call->arguments, haft__str(key));
    bool text = value != NULL && value->kind == HAFT__JSON_STRING;
    return text ? haft__json_text(*value) : HAFT__LIT("");
}

/* Adds a question of a running tool. The text names the server, which asks the question. */
static void add_tool_question(const haft__terminal *t, haft__buf *out, const haft__run_call *call)
{
    haft_str url = haft__elicitation_text(call, "url");
    haft__buf_add_str(out, HAFT__LIT("\n? "));
    add_bold(t, out, call->name);
    haft__buf_add_str(out, HAFT__LIT(" asks, from the server "));
    haft__escape_add(out, haft__elicitation_text(call, "server"));
    add_position(t, out);
    haft__buf_add_char(out, '\n');
    (void)add_text(t, out, haft__elicitation_text(call, "message"));
    if (haft__elicitation_is_url(call)) {
        haft__buf_add_str(out, HAFT__LIT("  page to visit, on the host "));
        haft__escape_add(out, haft__form_host(url));
        haft__buf_add_str(out, HAFT__LIT(":\n"));
        (void)add_text(t, out, url);
    } else {
        haft__buf fields;
        haft__buf_init(&fields, HAFT__LIMIT_RUN_BYTES);
        haft__form_add_fields(&fields, call);
        add_lines(t, out, haft__buf_str(&fields));
        haft__buf_finish(&fields);
    }
    add_deadline(out, call);
}

haft_status haft__terminal_print_tool_question(FILE *to, const haft__run_call *call,
                                               haft_error *err)
{
    haft__terminal t = {.out = to, .caps = haft__terminal_caps_detect(to, true)};
    haft__buf out;
    haft__buf_init(&out, HAFT__LIMIT_RUN_BYTES);
    add_tool_question(&t, &out, call);
    return write_out(&t, &out, err);
}

static haft_status show_tool_question(haft__terminal *t, const haft__run_call *call,
                                      haft_error *err)
{
    bool url = haft__elicitation_is_url(call);
    haft__buf out;
    haft__buf_init(&out, HAFT__LIMIT_RUN_BYTES);
    add_tool_question(t, &out, call);
    haft__buf_add_str(&out, url ? HAFT__LIT("agree? [y/N]> ")
                                : HAFT__LIT("answer, or {...}; Ctrl-D declines> "));
    return write_out(t, &out, err);
}

/* Whether the default is too long for the prompt and gets a separate line. */
static bool default_is_long(const haft__run_call *call)
{
    return haft__terminal_question_text(call, "default").len > PROMPT_BYTES;
}

/* Adds the question of the model or of a node of a graph, and its choices. */
static void add_question(const haft__terminal *t, haft__buf *out, const haft__run_call *call)
{
    const haft__json *choices = haft__terminal_question_choices(call);
    haft__buf lines;
    haft__buf_init(&lines, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(out, HAFT__LIT("\n? "));
    if (call->node != NULL) {
        haft__buf_add_str(&lines, HAFT__LIT("The node "));
        haft__escape_add(&lines, call->node->path);
        haft__buf_add_str(&lines, HAFT__LIT(" asks"));
    }
    add_bold(t, out, call->node != NULL ? haft__buf_str(&lines) : HAFT__LIT("The model asks"));
    haft__buf_clear(&lines);
    add_position(t, out);
    haft__buf_add_char(out, '\n');
    (void)add_text(t, out, haft__terminal_question_text(call, "question"));
    for (uint32_t i = 0; choices != NULL && i < choices->count; i++) {
        haft__buf_addf(&lines, "  %u) ", i + 1);
        haft__escape_add(&lines, haft__json_text(choices->items[i]));
        haft__buf_add_char(&lines, '\n');
    }
    if (default_is_long(call)) {
        haft__buf_add_str(&lines, HAFT__LIT("  default: "));
        haft__escape_add(&lines, haft__terminal_question_text(call, "default"));
        haft__buf_add_char(&lines, '\n');
    }
    add_lines(t, out, haft__buf_str(&lines));
    haft__buf_finish(&lines);
    add_deadline(out, call);
}

haft_status haft__terminal_print_question(FILE *to, const haft__run_call *call, haft_error *err)
{
    haft_str fallback = haft__terminal_question_text(call, "default");
    haft__terminal t = {.out = to, .caps = haft__terminal_caps_detect(to, true)};
    haft__buf out;
    haft__buf_init(&out, HAFT__LIMIT_RUN_BYTES);
    add_question(&t, &out, call);
    if (default_is_long(call)) {
        haft__buf_add_str(&out, HAFT__LIT("  '' selects the default\n"));
    } else if (fallback.len > 0) {
        haft__buf_add_str(&out, HAFT__LIT("  '' selects the default: "));
        haft__escape_add(&out, fallback);
        haft__buf_add_char(&out, '\n');
    }
    return write_out(&t, &out, err);
}

haft_status haft__terminal_show_question(haft__terminal *t, const haft__run_call *call,
                                         haft_error *err)
{
    if (call->elicitation.kind == HAFT__JSON_OBJECT) {
        return show_tool_question(t, call, err);
    }
    const haft__json *choices = haft__terminal_question_choices(call);
    haft_str fallback = haft__terminal_question_text(call, "default");
    haft__buf out;
    haft__buf_init(&out, HAFT__LIMIT_RUN_BYTES);
    add_question(t, &out, call);
    haft__buf_add_str(&out,
                      choices != NULL ? HAFT__LIT("answer, or its number") : HAFT__LIT("answer"));
    if (default_is_long(call)) {
        haft__buf_add_str(&out, HAFT__LIT(" [default]"));
    } else if (fallback.len > 0) {
        haft__buf_add_str(&out, HAFT__LIT(" ["));
        haft__escape_add(&out, fallback);
        haft__buf_add_char(&out, ']');
    }
    haft__buf_add_str(&out, HAFT__LIT("> "));
    return write_out(t, &out, err);
}

/* ---- approvals ---- */

/* Adds a label and a text. Returns whether the text is complete. */
static bool add_row(const haft__terminal *t, const haft_run *run, haft__buf *out, const char *label,
                    haft_str text)
{
    bool whole = false;
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    (void)haft__redact(run->agent->redactor, text, &clean);
    haft__buf_addf(out, "  %s:\n", label);
    if (clean.status == HAFT_OK) {
        whole = add_text(t, out, haft__buf_str(&clean));
    } else {
        haft__buf_fail(out, clean.status, clean.why);
    }
    haft__buf_finish(&clean);
    return whole;
}

/* Adds the rows of the preview, such as the command that would run. Replaces a row that equals the
 * arguments by a short text. */
static haft_status add_preview(const haft__terminal *t, const haft_run *run,
                               const haft__run_call *call, haft_str arguments, haft__buf *out,
                               bool *io_whole, haft_error *err)
{
    haft__exec_call exec = {.spec = run->agent->spec,
                            .tool = call->tool,
                            .arguments = call->arguments,
                            .facts = {.struct_size = sizeof(haft_call_facts),
                                      .call = "",
                                      .run = run->id,
                                      .thread = "",
                                      .user = "",
                                      .idempotency_key = ""}};
    haft__arena arena;
    haft__preview preview = {.count = 0};
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__exec_preview(run->runtime->exec, &exec, &arena, &preview, err);
    for (size_t i = 0; status == HAFT_OK && i < preview.count; i++) {
        const char *label = preview.rows[i].label;
        if (haft__str_equal(preview.rows[i].text, arguments)) {
            haft__buf_addf(out, "  %s: the arguments as one line of JSON\n", label);
        } else {
            *io_whole = add_row(t, run, out, label, preview.rows[i].text) && *io_whole;
        }
    }
    haft__arena_finish(&arena);
    return status;
}

static bool is_destructive(const haft__tool *tool)
{
    return tool->traits.destructive || tool->hinted_destructive;
}

/* Returns a warning about the tool's effects. */
static const char *warning_of(const haft__tool *tool)
{
    const haft__traits *traits = &tool->traits;
    if (is_destructive(tool)) {
        return "  destructive: its effect cannot be undone\n";
    }
    if (traits->read_only) {
        return "  read_only: it changes nothing\n";
    }
    return traits->idempotent ? "  idempotent: running it twice has the same effect as once\n" : "";
}

static haft_status add_call(const haft__terminal *t, const haft_run *run,
                            const haft__run_call *call, haft__buf *out, bool *ret_whole,
                            haft_error *err)
{
    haft__buf arguments, pretty;
    haft__buf_init(&arguments, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&pretty, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(out, HAFT__LIT("\n! "));
    add_bold(t, out, call->name);
    haft__buf_addf(out, " needs approval: %s tool", haft__tool_source_name(call->tool->source));
    add_position(t, out);
    haft__buf_add_char(out, '\n');
    haft__buf_add_str(out, haft__str(warning_of(call->tool)));
    haft__json_write(&arguments, call->arguments);
    haft__json_write_pretty(&pretty, call->arguments, 2);
    *ret_whole = add_row(t, run, out, "arguments", haft__buf_str(&pretty));
    haft_status status = haft__buf_check(&arguments, err);
    if (status == HAFT_OK) {
        status = haft__buf_check(&pretty, err);
    }
    if (status == HAFT_OK) {
        status = add_preview(t, run, call, haft__buf_str(&arguments), out, ret_whole, err);
    }
    haft__buf_finish(&arguments);
    haft__buf_finish(&pretty);
    add_deadline(out, call);
    return status;
}

haft_status haft__terminal_print_approval(FILE *to, const haft_run *run, const haft__run_call *call,
                                          haft_error *err)
{
    haft__terminal t = {.out = to, .caps = haft__terminal_caps_detect(to, true)};
    bool whole;
    haft__buf out;
    haft__buf_init(&out, HAFT__LIMIT_RUN_BYTES);
    haft_status status = add_call(&t, run, call, &out, &whole, err);
    if (status != HAFT_OK) {
        haft__buf_finish(&out);
        return status;
    }
    return write_out(&t, &out, err);
}

haft_status haft__terminal_show_approval(haft__terminal *t, const haft_run *run,
                                         const haft__run_call *call, bool *ret_whole,
                                         haft_error *err)
{
    bool covers_later = false;
    haft__buf out;
    haft__buf_init(&out, HAFT__LIMIT_RUN_BYTES);
    haft_status status = add_call(t, run, call, &out, ret_whole, err);
    if (status != HAFT_OK) {
        haft__buf_finish(&out);
        return status;
    }
    if (!*ret_whole) {
        haft__buf_add_str(&out, HAFT__LIT("The call is too long to show, so it cannot be approved "
                                          "here.\n"));
    } else if (is_destructive(call->tool)) {
        covers_later = true;
    }
    status = write_out(t, &out, err);
    if (status == HAFT_OK && covers_later) {
        (void)fputs("  ", t->out);
        haft__print_wrapped(t->out, 2, 2,
                            HAFT__LIT("a and A also approve later destructive calls of this tool, "
                                      "whatever their arguments"));
    }
    return status;
}

haft_status haft__terminal_add_editable(const haft_run *run, const haft__run_call *call,
                                        haft__buf *out, haft_error *err)
{
    haft__buf pretty, clean;
    haft__buf_init(&pretty, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    haft__json_write_pretty(&pretty, call->arguments, 2);
    haft_status status = haft__buf_check(&pretty, err);
    if (status == HAFT_OK) {
        (void)haft__redact(run->agent->redactor, haft__buf_str(&pretty), &clean);
        status = haft__buf_check(&clean, err);
    }
    if (status == HAFT_OK) {
        haft__escape_add_lines(out, haft__buf_str(&clean)); /* the escapes are those of JSON */
        haft__buf_add_char(out, '\n');
        status = haft__buf_check(out, err);
    }
    haft__buf_finish(&pretty);
    haft__buf_finish(&clean);
    return status;
}

void haft__terminal_show_help(haft__terminal *t, const char *text)
{
    (void)fputs("  ", t->out);
    haft__print_wrapped(t->out, 2, 2 + HAFT__REPLY_HELP_COLUMN, haft__str(text));
}

/* ---- unknown outcomes ---- */

haft_status haft__terminal_show_outcome(haft__terminal *t, const haft_run *run,
                                        const haft__run_call *call, haft_error *err)
{
    haft__buf out, arguments;
    haft__buf_init(&out, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&arguments, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&out, HAFT__LIT("\n! "));
    add_bold(t, &out, call->name);
    haft__buf_add_str(&out, HAFT__LIT(": its outcome is unknown"));
    add_position(t, &out);
    haft__buf_add_char(&out, '\n');
    (void)add_text(t, &out,
                   call->reason.len > 0 ? call->reason
                                        : HAFT__LIT("the process that ran it has ended"));
    haft__buf_add_str(&out, HAFT__LIT("  it may or may not have had its effect\n"));
    haft__buf_add_str(&out, haft__str(warning_of(call->tool)));
    haft__json_write_pretty(&arguments, call->arguments, 2);
    (void)add_row(t, run, &out, "arguments", haft__buf_str(&arguments));
    haft_status status = haft__buf_check(&arguments, err);
    haft__buf_finish(&arguments);
    if (status != HAFT_OK) {
        haft__buf_finish(&out);
        return status;
    }
    add_deadline(&out, call);
    return write_out(t, &out, err);
}
