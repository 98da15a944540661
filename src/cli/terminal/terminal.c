/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.c - asks the person at the terminal: reads lines while it steps the run.
 *
 * terminal_show.c prints the questions. Tests: tests/cli/terminal_test.py.
 */
#include "cli/terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/approval_reply.h"
#include "cli/terminal/external_editor.h"
#include "cli/terminal/print.h"
#include "cli/terminal/terminal_int.h"
#include "engine/run.h"
#include "run/pause/elicitation.h"

bool haft__terminal_open(haft__terminal *terminal)
{
    if (!isatty(STDERR_FILENO)) {
        return false;
    }
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        if (fd >= 0) {
            (void)close(fd);
        }
        return false;
    }
    *terminal =
        (haft__terminal){.out = out, .fd = fd, .caps = haft__terminal_caps_detect(out, false)};
    return true;
}

void haft__terminal_close(haft__terminal *terminal)
{
    (void)fclose(terminal->out);
}

/* ---- lines ---- */

typedef enum typed {
    TYPED_LINE,
    TYPED_NOTHING, /* no line yet */
    TYPED_EOF,     /* Ctrl-D */
    TYPED_HANGUP,  /* the terminal is closed */
} typed;

/* Reads a typed line. A line longer than the buffer is truncated. */
static typed read_line(haft__terminal *t, haft_str *ret_line)
{
    ssize_t got = read(t->fd, t->line + t->length, sizeof(t->line) - t->length);
    if (got < 0) {
        return errno == EINTR ? TYPED_NOTHING : TYPED_HANGUP;
    }
    if (got == 0) {
        return TYPED_EOF;
    }
    t->length += (size_t)got;
    bool full = t->length == sizeof(t->line);
    if (t->line[t->length - 1] != '\n' && !full) {
        return TYPED_NOTHING;
    }
    *ret_line = haft__str_trim((haft_str){t->line, t->length});
    t->length = 0;
    return TYPED_LINE;
}

static bool is_interrupted(const haft__terminal *t)
{
    return t->interrupts != NULL && haft__interrupts_pending(t->interrupts);
}

/* Whether the pause that was shown is still open. A question that is lost with this process stays
 * open while other calls run; any other one is withdrawn when the run continues. */
static bool is_open(const haft_run *run, haft_str id, uint64_t seq)
{
    const haft__run_call *call = haft__run_find_call(&run->state, id);
    haft_state state = haft_run_state(run);
    return call != NULL && call->stage == HAFT__CALL_PAUSED && call->paused_seq == seq
           && (state == HAFT_WAITING || (state == HAFT_RUNNING && call->pinned));
}

/* Waits for the terminal and steps the run. `seq` is that of the question. */
static haft_status wait_for_line(haft__terminal *t, haft_run *run, haft_str id, uint64_t seq,
                                 typed *ret_typed, haft_str *ret_line, haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_typed = TYPED_NOTHING;
    while (status == HAFT_OK && *ret_typed == TYPED_NOTHING && !is_interrupted(t)
           && is_open(run, id, seq)) {
        struct pollfd wait[] = {{.fd = t->fd, .events = POLLIN},
                                {.fd = haft_runtime_fd(run->runtime), .events = POLLIN}};
        (void)poll(wait, 2, haft_runtime_timeout(run->runtime));
        if ((wait[0].revents & POLLIN) != 0) {
            *ret_typed = read_line(t, ret_line);
        } else if ((wait[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
            *ret_typed = TYPED_HANGUP;
        }
        if (*ret_typed == TYPED_NOTHING) {
            status = haft_runtime_step(run->runtime, 0, err);
        }
        if ((wait[0].revents & POLLHUP) != 0 && *ret_typed == TYPED_EOF) {
            *ret_typed = TYPED_HANGUP; /* a hangup is not an answer */
        }
    }
    return status;
}

/* ---- answers ---- */

/* A number selects a choice, an empty line the default. */
static haft_str answer_of(const haft__run_call *call, haft_str line)
{
    const haft__json *choices = haft__terminal_question_choices(call);
    uint64_t number = 0;
    if (line.len == 0) {
        return haft__terminal_question_text(call, "default");
    }
    if (choices != NULL && haft__str_to_u64(line, &number) && number >= 1
        && number <= choices->count) {
        return haft__json_text(choices->items[number - 1]);
    }
    return line;
}

/* Whether the line is a number that neither selects a choice nor is one. */
static bool is_invalid_choice(const haft__run_call *call, haft_str line)
{
    const haft__json *choices = haft__terminal_question_choices(call);
    uint64_t number = 0;
    if (choices == NULL || choices->count == 0 || !haft__str_to_u64(line, &number)
        || (number >= 1 && number <= choices->count)) {
        return false;
    }
    for (uint32_t i = 0; i < choices->count; i++) {
        if (haft__str_equal(haft__json_text(choices->items[i]), line)) {
            return false;
        }
    }
    return true;
}

/* ---- asking ---- */

static bool asks_to_run(const haft__run_call *call)
{
    return haft__pause_kind_of(call->pause)->prompt == HAFT__PAUSE_PROMPT_CALL;
}

static bool is_question(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_PAUSED
           && haft__pause_kind_of(call->pause)->prompt != HAFT__PAUSE_PROMPT_NONE;
}

/* The first pending call that a person can decide about, and how many there are. Questions that are
 * lost with this process come first. */
static const haft__run_call *find_question(const haft_run *run, size_t *ret_count)
{
    const haft__run *state = &run->state;
    const haft__run_call *first = NULL;
    *ret_count = 0;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        if (is_question(call)) {
            first = first == NULL || (call->pinned && !first->pinned) ? call : first;
            ++*ret_count;
        }
    }
    return first;
}

/* Counts the position of this question; includes those that were just answered here. */
static void count_answered(haft__terminal *t, size_t count)
{
    t->asked = t->left > 0 && count == t->left - 1 ? t->asked + 1 : 0;
    t->left = count;
}

/* Ignores what was typed before a prompt. */
static void discard_typed(haft__terminal *t)
{
    (void)tcflush(t->fd, TCIFLUSH);
    t->length = 0;
}

/* Ends the line of a prompt that got no line. */
static void end_prompt(haft__terminal *t)
{
    (void)fputc('\n', t->out);
    (void)fflush(t->out);
}

static haft_status ask(haft__terminal *t, haft_run *run, haft_str id, typed *ret_typed,
                       haft_str *ret_line, haft_error *err)
{
    bool again = true;
    haft_status status = HAFT_OK;
    while (again && status == HAFT_OK) {
        const haft__run_call *call = haft__run_find_call(&run->state, id);
        bool tool = call->elicitation.kind == HAFT__JSON_OBJECT;
        bool needs_text = !tool && haft__terminal_question_text(call, "default").len == 0;
        uint64_t seq = call->paused_seq;
        discard_typed(t);
        status = haft__terminal_show_question(t, call, err);
        if (status == HAFT_OK) {
            status = wait_for_line(t, run, id, seq, ret_typed, ret_line, err);
        }
        call = status == HAFT_OK ? haft__run_find_call(&run->state, id) : NULL;
        again = call != NULL && *ret_typed == TYPED_LINE
                && ((needs_text && ret_line->len == 0) || is_invalid_choice(call, *ret_line));
    }
    return status;
}

/* Sends the command, with the typed object if there is one. If it is rejected, prints why; the
 * person is asked again. */
static haft_status send_command(haft__terminal *t, haft_run *run, haft__run_command *command,
                                bool object, haft_str line, bool *ret_answered, haft_error *err)
{
    haft__arena arena;
    haft_error why = {0};
    haft_status status = HAFT_OK;
    haft__arena_init(&arena, 0);
    if (object) {
        bool is_json = true; /* otherwise the person is asked again, too */
        status = haft__run_command_read_value(&arena, line, run->runtime->hash_key, &command->value,
                                              &is_json, &why);
    }
    if (status == HAFT_OK) {
        status = haft__run_perform_command(run, command, &why);
    }
    haft__arena_finish(&arena);
    *ret_answered = true;
    if (status == HAFT_BAD_INPUT) {
        haft__print_escaped(t->out, haft__str(why.message));
        (void)fputc('\n', t->out);
        return HAFT_OK;
    }
    if (status != HAFT_OK && err != NULL) {
        *err = why;
    }
    return status;
}

static bool is_object(haft_str line)
{
    return haft__str_starts_with(line, HAFT__LIT("{"));
}

/* Answers a tool: {...} is the whole form, an empty line its defaults, anything else its single
 * field. */
static haft_status answer_tool(haft__terminal *t, haft_run *run, haft__run_command *command,
                               bool no, haft_str line, bool *ret_answered, haft_error *err)
{
    command->kind = no ? HAFT__RUN_COMMAND_REJECT : HAFT__RUN_COMMAND_ANSWER;
    command->value = line.len > 0 ? haft__json_string(line) : haft__json_null();
    return send_command(t, run, command, !no && is_object(line), line, ret_answered, err);
}

/* ---- approvals ---- */

/* The approval that a person is asked for. Texts are borrowed from the run. */
typedef struct approval {
    haft__terminal *terminal;
    haft_run *run;
    haft__run_command command; /* with the call, the pause and the binding that are shown */
    uint64_t seq;              /* of the pause */
    bool decided;              /* a command was sent and accepted */
    haft_error *err;
} approval;

static haft_status read_reply(approval *a, const char *prompt, typed *ret_typed, haft_str *ret_line)
{
    haft__terminal *t = a->terminal;
    discard_typed(t);
    (void)fputs(prompt, t->out);
    (void)fflush(t->out);
    haft_status status =
        wait_for_line(t, a->run, a->command.call, a->seq, ret_typed, ret_line, a->err);
    if (status == HAFT_OK && *ret_typed != TYPED_LINE) {
        end_prompt(t);
    }
    return status;
}

/* Prints a problem of the reply; the person is asked again. */
static void report_problem(approval *a, const haft_error *problem)
{
    haft__print_escaped(a->terminal->out, haft__str(problem->message));
    (void)fputc('\n', a->terminal->out);
}

/* Sends the command. If the run rejects its value, prints why. */
static haft_status send_verdict(approval *a, haft__run_command_kind kind)
{
    haft_error why = {0};
    a->command.kind = kind;
    haft_status status = haft__run_perform_command(a->run, &a->command, &why);
    a->decided = status == HAFT_OK;
    if (status == HAFT_BAD_INPUT) {
        report_problem(a, &why);
        return HAFT_OK;
    }
    if (status != HAFT_OK && a->err != NULL) {
        *a->err = why;
    }
    return status;
}

/* Approves the call with these arguments, JSON text. */
static haft_status send_arguments(approval *a, haft_str text, haft__arena *arena)
{
    haft_error why = {0};
    bool is_json = true;
    haft_status status = haft__run_command_read_value(arena, text, a->run->runtime->hash_key,
                                                      &a->command.value, &is_json, &why);
    if (status == HAFT_OK && a->command.value.kind != HAFT__JSON_OBJECT) {
        status = haft__fail(&why, HAFT_BAD_INPUT, "", "expected an object with the arguments");
    }
    if (status == HAFT_OK) {
        status = send_verdict(a, HAFT__RUN_COMMAND_APPROVE);
    } else {
        report_problem(a, &why);
        status = status == HAFT_NO_MEMORY ? status : HAFT_OK;
    }
    a->command.value = haft__json_null(); /* it lives only as long as the arena */
    return status;
}

/* Lets the person edit the arguments. A text that is unchanged approves nothing: leaving an editor
 * is no decision. */
static haft_status edit(approval *a, haft__arena *arena)
{
    const haft__run_call *call = haft__run_find_call(&a->run->state, a->command.call);
    haft__buf before;
    haft_str after = {NULL, 0};
    haft_error why = {0};
    haft__buf_init(&before, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__terminal_add_editable(a->run, call, &before, &why);
    if (status == HAFT_OK) {
        status = haft__external_editor_run(a->run->runtime, a->terminal->fd, haft__buf_str(&before),
                                           arena, &after, &why);
    }
    bool same = status == HAFT_OK && haft__str_equal(after, haft__buf_str(&before));
    haft__buf_finish(&before);
    if (status == HAFT_OK && same) {
        status = haft__fail(&why, HAFT_BAD_INPUT, "", "the arguments are unchanged");
    }
    if (status != HAFT_OK) {
        report_problem(a, &why);
        return status == HAFT_NO_MEMORY ? status : HAFT_OK;
    }
    return is_open(a->run, a->command.call, a->seq) ? send_arguments(a, after, arena) : HAFT_OK;
}

/* Rejects the call with the text as a message, if the person confirms that. */
static haft_status send_message(approval *a, haft_str text, haft__arena *arena)
{
    typed got = TYPED_NOTHING;
    haft_str line = {NULL, 0};
    haft_str kept = haft__arena_copy(arena, text); /* the next line replaces the text */
    if (kept.ptr == NULL) {
        return haft__arena_fail(arena, a->err);
    }
    haft_status status =
        read_reply(a, "do not run it, and send this text to the model? [y/N]> ", &got, &line);
    if (status != HAFT_OK || got != TYPED_LINE || !haft__approval_reply_is_yes(line)) {
        return status;
    }
    a->command.why = kept;
    status = send_verdict(a, HAFT__RUN_COMMAND_REJECT);
    a->command.why = HAFT__LIT("");
    return status;
}

/* Keeps the standing approval of the user, then approves this call. */
static haft_status approve_always(approval *a)
{
    const haft__run_call *call = haft__run_find_call(&a->run->state, a->command.call);
    haft_error why = {0};
    haft_status status =
        a->terminal->keep_approval != NULL
            ? a->terminal->keep_approval(a->terminal->keep_context, a->run, call, &why)
            : haft__fail(&why, HAFT_BAD_STATE, "", "no approval is kept here");
    if (status == HAFT_OK) {
        return send_verdict(a, HAFT__RUN_COMMAND_APPROVE);
    }
    report_problem(a, &why);
    return status == HAFT_NO_MEMORY ? status : HAFT_OK;
}

static void show_help(const approval *a)
{
    haft__buf help;
    haft__buf_init(&help, HAFT__LIMIT_RUN_BYTES);
    haft__approval_reply_add_help(&help);
    if (haft__buf_check(&help, NULL) == HAFT_OK) {
        (void)fwrite(help.ptr, 1, help.len, a->terminal->out);
    }
    haft__buf_finish(&help);
}

static haft_status apply_reply(approval *a, haft__approval_reply reply, haft__arena *arena)
{
    switch (reply.kind) {
    case HAFT__APPROVAL_REPLY_YES: return send_verdict(a, HAFT__RUN_COMMAND_APPROVE);
    case HAFT__APPROVAL_REPLY_NO:
        a->command.why = reply.text;
        return send_verdict(a, HAFT__RUN_COMMAND_REJECT);
    case HAFT__APPROVAL_REPLY_ALWAYS_IN_RUN:
        a->command.always = true;
        return send_verdict(a, HAFT__RUN_COMMAND_APPROVE);
    case HAFT__APPROVAL_REPLY_ALWAYS: return approve_always(a);
    case HAFT__APPROVAL_REPLY_EDIT: return edit(a, arena);
    case HAFT__APPROVAL_REPLY_ARGUMENTS: return send_arguments(a, reply.text, arena);
    case HAFT__APPROVAL_REPLY_HELP: show_help(a); return HAFT_OK;
    case HAFT__APPROVAL_REPLY_MESSAGE: return send_message(a, reply.text, arena);
    }
    HAFT__UNREACHABLE();
}

/* Asks until a decision is made or the approval is withdrawn. The end of input is a no. */
static haft_status decide_approval(approval *a, bool *ret_answered)
{
    haft_status status = HAFT_OK;
    *ret_answered = true;
    while (status == HAFT_OK && !a->decided) {
        typed got = TYPED_NOTHING;
        haft_str line = {NULL, 0};
        haft__arena arena;
        status = read_reply(a, "approve? [y/N/a/A/e/?]> ", &got, &line);
        if (status != HAFT_OK || got == TYPED_NOTHING || got == TYPED_HANGUP) {
            *ret_answered = got == TYPED_NOTHING; /* withdrawn, or an interrupt */
            return status;
        }
        haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
        haft__approval_reply reply =
            haft__approval_reply_read(got == TYPED_EOF ? HAFT__LIT("") : line);
        status = apply_reply(a, reply, &arena);
        haft__arena_finish(&arena);
    }
    return status;
}

static haft_status ask_approval(haft__terminal *t, haft_run *run, const haft__run_call *call,
                                bool *ret_answered, haft_error *err)
{
    approval a = {.terminal = t,
                  .run = run,
                  .command = {.call = call->id,
                              .value = haft__json_null(),
                              .by = HAFT__LIT("terminal"),
                              .why = HAFT__LIT(""),
                              .pause = haft__str(haft__pause_name(call->pause)),
                              .binding = call->binding},
                  .seq = call->paused_seq,
                  .err = err};
    bool whole = true;
    haft_status status = haft__terminal_show_approval(t, run, call, &whole, err);
    if (status == HAFT_OK && whole) {
        return decide_approval(&a, ret_answered);
    }
    end_prompt(t);
    return status;
}

/* ---- any question ---- */

haft_status haft__terminal_ask(haft__terminal *terminal, haft_run *run, bool *ret_answered,
                               haft_error *err)
{
    size_t count;
    const haft__run_call *call = find_question(run, &count);
    typed got = TYPED_NOTHING;
    haft_str line = {NULL, 0};
    *ret_answered = false;
    if (call == NULL) {
        return HAFT_OK;
    }
    count_answered(terminal, count);
    if (asks_to_run(call)) {
        return ask_approval(terminal, run, call, ret_answered, err);
    }
    bool tool = call->elicitation.kind == HAFT__JSON_OBJECT,
         url = tool && haft__elicitation_is_url(call);
    haft_str id = call->id;
    haft_str pause = haft__str(haft__pause_name(call->pause)); /* as it was shown */
    haft_status status = ask(terminal, run, id, &got, &line, err);
    if (status == HAFT_OK && got != TYPED_LINE) {
        end_prompt(terminal);
    }
    bool no = tool && got == TYPED_EOF;
    if (status != HAFT_OK || (got != TYPED_LINE && !no)) {
        *ret_answered = got == TYPED_NOTHING; /* withdrawn, or an interrupt */
        return status;
    }
    haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                 .call = id,
                                 .value = haft__json_null(),
                                 .by = HAFT__LIT("terminal"),
                                 .why = HAFT__LIT(""),
                                 .pause = pause};
    if (tool) {
        no = no || (url && !haft__approval_reply_is_yes(line));
        return answer_tool(terminal, run, &command, no, line, ret_answered, err);
    }
    call = haft__run_find_call(&run->state, id);
    command.value = haft__json_string(answer_of(call, line));
    *ret_answered = true;
    return haft__run_perform_command(run, &command, err);
}
