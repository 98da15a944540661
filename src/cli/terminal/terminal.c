/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.c - asks the person at the terminal: reads lines and steps the run meanwhile.
 *
 * terminal_show.c prints the questions, terminal_approval.c asks for approvals, terminal_outcome.c
 * asks about unknown outcomes. Tests: tests/cli/terminal_test.py.
 */
#include "cli/terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/terminal/approval_reply.h"
#include "cli/terminal/print.h"
#include "cli/terminal/terminal_int.h"
#include "engine/run.h"
#include "run/host.h"
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

/* Reads a typed line. A line longer than the buffer is truncated. */
static haft__typed read_line(haft__terminal *t, haft_str *ret_line)
{
    ssize_t got = read(t->fd, t->line + t->length, sizeof(t->line) - t->length);
    if (got < 0) {
        return errno == EINTR ? HAFT__TYPED_NOTHING : HAFT__TYPED_HANGUP;
    }
    if (got == 0) {
        return HAFT__TYPED_EOF;
    }
    t->length += (size_t)got;
    bool full = t->length == sizeof(t->line);
    if (t->line[t->length - 1] != '\n' && !full) {
        return HAFT__TYPED_NOTHING;
    }
    *ret_line = haft__str_trim((haft_str){t->line, t->length});
    t->length = 0;
    return HAFT__TYPED_LINE;
}

static bool is_interrupted(const haft__terminal *t)
{
    return t->interrupts != NULL && haft__interrupts_pending(t->interrupts);
}

bool haft__terminal_is_open(const haft_run *run, haft_str id, uint64_t seq)
{
    const haft__run_call *call = haft__run_find_call(&run->state, id);
    haft_state state = haft_run_state(run);
    return call != NULL && call->stage == HAFT__CALL_PAUSED && call->paused_seq == seq
           && (state == HAFT_WAITING || (state == HAFT_RUNNING && call->pinned));
}

haft_status haft__terminal_wait_for_line(haft__terminal *t, haft_run *run, haft_str id,
                                         uint64_t seq, haft__typed *ret_typed, haft_str *ret_line,
                                         haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_typed = HAFT__TYPED_NOTHING;
    while (status == HAFT_OK && *ret_typed == HAFT__TYPED_NOTHING && !is_interrupted(t)
           && haft__terminal_is_open(run, id, seq)) {
        struct pollfd wait[] = {{.fd = t->fd, .events = POLLIN},
                                {.fd = haft_runtime_fd(run->runtime), .events = POLLIN}};
        (void)poll(wait, 2, haft_runtime_timeout(run->runtime));
        if ((wait[0].revents & POLLIN) != 0) {
            *ret_typed = read_line(t, ret_line);
        } else if ((wait[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
            *ret_typed = HAFT__TYPED_HANGUP;
        }
        if (*ret_typed == HAFT__TYPED_NOTHING) {
            status = haft_runtime_step(run->runtime, 0, err);
        }
        if ((wait[0].revents & POLLHUP) != 0 && *ret_typed == HAFT__TYPED_EOF) {
            *ret_typed = HAFT__TYPED_HANGUP; /* a hangup is not an answer */
        }
    }
    return status;
}

/* ---- answers ---- */

/* Returns the answer for a line: a number selects a choice, an empty line selects the default. */
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

/* Whether the line is a number that is not the number of a choice and not a choice itself. */
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

static bool asks_about_outcome(const haft__run_call *call)
{
    return haft__pause_kind_of(call->pause)->prompt == HAFT__PAUSE_PROMPT_OUTCOME;
}

static bool is_question(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_PAUSED
           && haft__pause_kind_of(call->pause)->prompt != HAFT__PAUSE_PROMPT_NONE;
}

/* Finds the first pending call about which a person can decide, and counts these calls. A question
 * that would be lost at the end of this process comes first. */
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

bool haft__terminal_can_ask(const haft_run *run)
{
    size_t count;
    return haft__run_takes_answers(&run->state) && find_question(run, &count) != NULL;
}

/* Counts the questions of this pause that were answered here, for the position "(2/3)". */
static void count_answered(haft__terminal *t, size_t count)
{
    t->answered_count = t->remaining > 0 && count == t->remaining - 1 ? t->answered_count + 1 : 0;
    t->remaining = count;
}

void haft__terminal_discard_typed(haft__terminal *t)
{
    (void)tcflush(t->fd, TCIFLUSH);
    t->length = 0;
}

void haft__terminal_end_prompt(haft__terminal *t)
{
    (void)fputc('\n', t->out);
    (void)fflush(t->out);
}

static haft_status ask(haft__terminal *t, haft_run *run, haft_str id, haft__typed *ret_typed,
                       haft_str *ret_line, haft_error *err)
{
    bool again = true;
    haft_status status = HAFT_OK;
    while (again && status == HAFT_OK) {
        const haft__run_call *call = haft__run_find_call(&run->state, id);
        bool tool = call->elicitation.kind == HAFT__JSON_OBJECT;
        bool needs_text = !tool && haft__terminal_question_text(call, "default").len == 0;
        uint64_t seq = call->paused_seq;
        haft__terminal_discard_typed(t);
        status = haft__terminal_show_question(t, call, err);
        if (status == HAFT_OK) {
            status = haft__terminal_wait_for_line(t, run, id, seq, ret_typed, ret_line, err);
        }
        call = status == HAFT_OK ? haft__run_find_call(&run->state, id) : NULL;
        again = call != NULL && *ret_typed == HAFT__TYPED_LINE
                && ((needs_text && ret_line->len == 0) || is_invalid_choice(call, *ret_line));
    }
    return status;
}

haft_status haft__terminal_send_command(haft__terminal *t, haft_run *run,
                                        haft__run_command *command, bool object, haft_str line,
                                        bool *ret_answered, haft_error *err)
{
    haft__arena arena;
    haft_error why = {0};
    haft_status status = HAFT_OK;
    haft__arena_init(&arena, 0);
    if (object) {
        bool is_json = true; /* invalid JSON is an error; the person is asked again */
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

/* Answers the question of a tool. {...} is the whole form, an empty line selects its defaults, and
 * other text is the value of its single field. */
static haft_status answer_tool(haft__terminal *t, haft_run *run, haft__run_command *command,
                               bool no, haft_str line, bool *ret_answered, haft_error *err)
{
    command->kind = no ? HAFT__RUN_COMMAND_REJECT : HAFT__RUN_COMMAND_ANSWER;
    command->value = line.len > 0 ? haft__json_string(line) : haft__json_null();
    return haft__terminal_send_command(t, run, command, !no && is_object(line), line, ret_answered,
                                       err);
}

/* ---- any question ---- */

haft_status haft__terminal_ask(haft__terminal *terminal, haft_run *run, bool *ret_answered,
                               haft_error *err)
{
    size_t count;
    const haft__run_call *call = find_question(run, &count);
    haft__typed got = HAFT__TYPED_NOTHING;
    haft_str line = {NULL, 0};
    *ret_answered = false;
    if (call == NULL) {
        return HAFT_OK;
    }
    count_answered(terminal, count);
    if (asks_to_run(call)) {
        return haft__terminal_ask_approval(terminal, run, call, ret_answered, err);
    }
    if (asks_about_outcome(call)) {
        return haft__terminal_ask_outcome(terminal, run, call, ret_answered, err);
    }
    bool tool = call->elicitation.kind == HAFT__JSON_OBJECT,
         url = tool && haft__elicitation_is_url(call);
    haft_str id = call->id;
    haft_str pause = haft__str(haft__pause_name(call->pause)); /* the kind of pause that is shown */
    haft_status status = ask(terminal, run, id, &got, &line, err);
    if (status == HAFT_OK && got != HAFT__TYPED_LINE) {
        haft__terminal_end_prompt(terminal);
    }
    bool no = tool && got == HAFT__TYPED_EOF;
    if (status != HAFT_OK || (got != HAFT__TYPED_LINE && !no)) {
        *ret_answered = got == HAFT__TYPED_NOTHING; /* withdrawn, or an interrupt */
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
