/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c - asks who sits there. Tests: tests/cli/terminal_test.py. */
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/print.h"
#include "json/write.h"

/* How long the terminal is waited for before the run is looked after again. */
#define WAIT_MS 100

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
    *terminal = (haft__terminal){.out = out, .fd = fd};
    return true;
}

void haft__terminal_close(haft__terminal *terminal)
{
    (void)fclose(terminal->out);
}

/* ---- lines ---- */

typedef enum typed {
    TYPED_LINE,
    TYPED_NOTHING, /* yet */
    TYPED_END,
} typed;

/* A line, if one is there or comes soon. What is longer than the buffer is cut. */
static typed read_line(haft__terminal *t, haft_str *ret_line)
{
    struct pollfd wait = {.fd = t->fd, .events = POLLIN};
    if (poll(&wait, 1, WAIT_MS) <= 0) {
        return TYPED_NOTHING;
    }
    ssize_t got = read(t->fd, t->line + t->length, sizeof(t->line) - t->length);
    if (got <= 0) {
        return got < 0 && errno == EINTR ? TYPED_NOTHING : TYPED_END;
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
    return t->interrupts != NULL && haft__interrupted(t->interrupts);
}

/* Waits for a line while the run is looked after. */
static haft_status wait_line(haft__terminal *t, haft_run *run, typed *ret_typed, haft_str *ret_line,
                             haft_error *err)
{
    haft_status status = HAFT_OK;
    do {
        *ret_typed = read_line(t, ret_line);
        if (*ret_typed == TYPED_NOTHING) {
            status = haft_runtime_step(run->runtime, 0, err);
        }
    } while (status == HAFT_OK && *ret_typed == TYPED_NOTHING && !is_interrupted(t)
             && haft_run_state(run) == HAFT_WAITING);
    return status;
}

/* ---- questions ---- */

static void print_json(FILE *out, haft__json value)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, value);
    haft__print_text(out, haft__buf_str(&text));
    haft__buf_finish(&text);
}

static const haft__json *choices_of(const haft__run_call *call)
{
    const haft__json *choices = haft__json_get(call->arguments, HAFT__LIT("choices"));
    return choices != NULL && choices->kind == HAFT__JSON_ARRAY && choices->count > 0 ? choices
                                                                                      : NULL;
}

static haft_str text_of(const haft__run_call *call, const char *key)
{
    const haft__json *value = haft__json_get(call->arguments, haft__str(key));
    bool text = value != NULL && value->kind == HAFT__JSON_STRING;
    return text ? haft__json_text(*value) : HAFT__LIT("");
}

static void show_question(haft__terminal *t, const haft__run_call *call)
{
    const haft__json *choices = choices_of(call);
    haft_str otherwise = text_of(call, "default");
    (void)fputs("\n? ", t->out);
    haft__print_text(t->out, text_of(call, "question"));
    (void)fputc('\n', t->out);
    for (uint32_t i = 0; choices != NULL && i < choices->count; i++) {
        (void)fprintf(t->out, "  %u) ", i + 1);
        haft__print_text(t->out, haft__json_text(choices->items[i]));
        (void)fputc('\n', t->out);
    }
    (void)fputs("answer", t->out);
    if (otherwise.len > 0) {
        (void)fputs(" [", t->out);
        haft__print_text(t->out, otherwise);
        (void)fputc(']', t->out);
    }
    (void)fputs("> ", t->out);
    (void)fflush(t->out);
}

/* A number stands for a choice, nothing for the default. */
static haft_str answer_of(const haft__run_call *call, haft_str line)
{
    const haft__json *choices = choices_of(call);
    uint64_t number = 0;
    if (line.len == 0) {
        return text_of(call, "default");
    }
    if (choices != NULL && haft__str_to_u64(line, &number) && number >= 1
        && number <= choices->count) {
        return haft__json_text(choices->items[number - 1]);
    }
    return line;
}

static void show_approval(haft__terminal *t, const haft__run_call *call)
{
    const haft__json *command = haft__json_get(call->tool->definition, HAFT__LIT("command"));
    (void)fprintf(t->out, "\n! %.*s wants to run%s\n  arguments: ", HAFT__ARG(call->name),
                  call->tool->traits.destructive ? ", and what it does cannot be undone" : "");
    print_json(t->out, call->arguments);
    if (command != NULL) {
        (void)fputs("\n  command: ", t->out);
        print_json(t->out, *command);
    }
    (void)fputs("\nlet it run? [y/N]> ", t->out);
    (void)fflush(t->out);
}

static bool is_yes(haft_str line)
{
    return haft__str_equal(line, HAFT__LIT("y")) || haft__str_equal(line, HAFT__LIT("Y"))
           || haft__str_equal(line, HAFT__LIT("yes"));
}

/* ---- asking ---- */

/* The first pending call that a person can decide about. */
static const haft__run_call *find_question(const haft_run *run)
{
    const haft__run *state = &run->state;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        bool asks = call->pause == HAFT__PAUSE_QUESTION || call->pause == HAFT__PAUSE_APPROVAL;
        if (call->stage == HAFT__CALL_PAUSED && asks) {
            return call;
        }
    }
    return NULL;
}

haft_status haft__terminal_ask(haft__terminal *terminal, haft_run *run, bool *ret_answered,
                               haft_error *err)
{
    const haft__run_call *call = find_question(run);
    typed got = TYPED_NOTHING;
    haft_str line = {NULL, 0};
    *ret_answered = false;
    if (call == NULL) {
        return HAFT_OK;
    }
    bool approval = call->pause == HAFT__PAUSE_APPROVAL;
    haft_str id = call->id;
    if (approval) {
        show_approval(terminal, call);
    } else {
        show_question(terminal, call);
    }
    haft_status status = wait_line(terminal, run, &got, &line, err);
    if (status != HAFT_OK || got != TYPED_LINE) {
        *ret_answered = got == TYPED_NOTHING; /* somebody else was faster, or an interrupt came */
        return status;
    }
    call = haft__run_find_call(&run->state, id);
    haft__steer command = {.kind = HAFT__STEER_ANSWER,
                           .call = id,
                           .value = haft__json_null(),
                           .by = HAFT__LIT("terminal"),
                           .why = HAFT__LIT("")};
    if (approval) {
        command.kind = is_yes(line) ? HAFT__STEER_APPROVE : HAFT__STEER_REJECT;
    } else {
        command.value = haft__json_string(answer_of(call, line));
    }
    *ret_answered = true;
    return haft__live_command(run, &command, err);
}
