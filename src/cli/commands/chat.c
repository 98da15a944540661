/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chat.c - `haft chat`: a conversation in the terminal, or line by line from a pipe.
 *
 * Each text is a run of one thread; repl.h lists the other files. Tests: tests/cli/chat_test.py.
 */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/chat/repl.h"
#include "cli/config/config.h"
#include "cli/models/model_hint.h"
#include "cli/terminal/print.h"
#include "cli/terminal/sanitize.h"
#include "engine/agent.h"
#include "run/redact/redact.h"

/* ---- reading ---- */

/* Reads lines from a pipe and joins those that end with a backslash; *ret_more is false at the
 * end. */
static haft_status read_plain(haft__repl *repl, haft__buf *text, bool *ret_more, haft_error *err)
{
    haft_status status = HAFT_OK;
    size_t replaced = 0;
    haft__buf_clear(text);
    for (bool joined = true; joined && status == HAFT_OK;) {
        haft_str line = {NULL, 0};
        status = haft__line_reader_next(&repl->lines, &line, ret_more, err);
        joined = status == HAFT_OK && *ret_more && haft__str_ends_with(line, HAFT__LIT("\\"));
        line.len -= joined;
        replaced += haft__sanitize_text(line, text);
        haft__buf_add_str(text, joined ? HAFT__LIT("\n") : HAFT__LIT(""));
        *ret_more = *ret_more || text->len > 0;
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(text, err);
    }
    if (replaced > 0) {
        haft__repl_print_note(repl, "line %zu: replaced bytes that are not text: %zu",
                              repl->lines.number, replaced);
    }
    return status;
}

/* Waits for input or a signal. The loop reports signals; a blocking read would not always return
 * when a signal arrives. */
static bool wait_for_line(haft__repl *repl)
{
    struct pollfd waits[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = haft_runtime_fd(repl->runtime), .events = POLLIN}};
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && waits[0].revents == 0
           && !haft__interrupts_pending(&repl->interrupts)) {
        (void)poll(waits, COUNT(waits), haft_runtime_timeout(repl->runtime));
        status = haft_runtime_step(repl->runtime, 0, NULL);
    }
    return waits[0].revents != 0;
}

/* Reads the next text. Reports and skips texts that are too long. */
static bool next_plain(haft__repl *repl, haft__buf *text)
{
    bool more = true;
    for (haft_status status = HAFT_TOO_BIG; status == HAFT_TOO_BIG;) {
        haft_error err = {0};
        if (isatty(STDIN_FILENO) && !repl->quiet) {
            (void)fputs("> ", repl->cli->errors);
            (void)fflush(repl->cli->errors);
        }
        bool readable = wait_for_line(repl);
        status = readable ? read_plain(repl, text, &more, &err) : HAFT_OK;
        if (haft__interrupts_pending(&repl->interrupts)) {
            repl->result = HAFT__EXIT_CANCELLED;
            return false;
        }
        if (status != HAFT_OK) {
            haft__repl_print_error(repl, &err);
        }
        if (!readable) { /* the loop failed */
            repl->result = HAFT__EXIT_FAILED;
            return false;
        }
        if (status != HAFT_OK && status != HAFT_TOO_BIG) {
            repl->result = HAFT__EXIT_FAILED;
            return false;
        }
    }
    return more;
}

static bool next_typed(haft__repl *repl, haft__buf *text)
{
    haft_error err = {0};
    haft__editor_input typed = HAFT__EDITOR_INPUT_EOF;
    haft_str line = {NULL, 0};
    haft_status status = haft__editor_tty_read(&repl->tty, &typed, &line, &err);
    haft__buf_clear(text);
    haft__buf_add_str(text, line);
    if (status == HAFT_OK) {
        status = haft__buf_check(text, &err);
    }
    if (status != HAFT_OK) {
        haft__repl_print_error(repl, &err);
        repl->result = HAFT__EXIT_FAILED;
    } else if (typed == HAFT__EDITOR_INPUT_SIGNAL) {
        repl->result = HAFT__EXIT_CANCELLED;
    }
    return status == HAFT_OK && typed == HAFT__EDITOR_INPUT_LINE;
}

/* Adds a line to the history, with the agent's secrets redacted. */
static void add_to_history(haft__repl *repl, haft_str text)
{
    haft_error err = {0};
    haft__buf clean;
    haft__buf_init(&clean, 16U * HAFT__LIMIT_LINE_BYTES);
    (void)haft__redact(repl->agent->redactor, text, &clean);
    haft_status status = haft__buf_check(&clean, &err);
    if (status == HAFT_OK) {
        status = haft__line_history_add(&repl->history, haft__buf_str(&clean), &err);
    }
    haft__buf_finish(&clean);
    if (status != HAFT_OK) {
        haft__repl_print_error(repl, &err);
        free(repl->history.path); /* warn only once */
        repl->history.path = NULL;
    }
}

/* ---- the conversation ---- */

static void handle_input(haft__repl *repl, haft_str text)
{
    if (haft__str_trim(text).len == 0) {
        return;
    }
    if (repl->interactive) {
        add_to_history(repl, text);
    }
    if (haft__str_starts_with(text, HAFT__LIT("//"))) {
        haft__repl_send(repl, haft__str_skip(text, 1));
    } else if (haft__str_starts_with(text, HAFT__LIT("/"))) {
        haft__repl_run_command(repl, text);
    } else {
        haft__repl_send(repl, text);
    }
}

/* Clears the count of interrupts: an interrupt only pauses a run. Any other signal ends the chat.
 */
static void reset_interrupts(haft__repl *repl)
{
    repl->interrupts.sigint_count = 0;
    if (repl->interrupts.sigterm_count > 0) {
        repl->quitting = true;
        repl->result = HAFT__EXIT_CANCELLED;
    }
}

static void run_loop(haft__repl *repl)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_LINE_BYTES);
    while (!repl->quitting
           && (repl->interactive ? next_typed(repl, &text) : next_plain(repl, &text))) {
        haft__arena_mark mark = haft__arena_save(&repl->cli->arena);
        const haft__spec *spec = repl->spec;
        handle_input(repl, haft__buf_str(&text));
        reset_interrupts(repl);
        if (spec == repl->spec) { /* a new spec lives in the arena */
            haft__arena_restore(&repl->cli->arena, mark);
        }
    }
    haft__buf_finish(&text);
}

static void print_greeting(haft__repl *repl)
{
    if (repl->interactive) {
        const haft__model_spec *model = &repl->spec->model;
        haft__repl_print_note(repl, "%.*s, %.*s%s%.*s. /help lists the commands, Ctrl-D leaves.",
                              HAFT__ARG(repl->spec->name), HAFT__ARG(model->provider),
                              model->model.len > 0 ? ":" : "", HAFT__ARG(model->model));
    }
}

/* Prints how to continue the thread, if it has runs. */
static void print_goodbye(haft__repl *repl)
{
    haft_error err = {0};
    haft__store_request list;
    if (repl->runtime->shared && haft__repl_list_runs(repl, &list, &err) == HAFT_OK
        && list.found_count > 0) {
        haft__repl_print_note(repl, "continue it: haft chat %s --thread %s", repl->args->words[0],
                              repl->thread);
    }
}

static haft_status open_history(haft__repl *repl)
{
    const char *path = NULL;
    haft_error err = {0};
    haft_status status = haft__line_history_path(&repl->cli->arena, &path, &err);
    if (status == HAFT_OK && path != NULL) {
        status = haft__line_history_open(&repl->history, path, &err);
    }
    if (status != HAFT_OK) {
        haft__repl_print_error(repl, &err); /* continue without a history */
    }
    return status == HAFT_NO_MEMORY ? status : HAFT_OK;
}

/* Called when the loop is readable. Returns true if a signal other than Ctrl-C arrived. */
static bool should_stop_reading(void *context)
{
    haft__repl *repl = context;
    haft_status status = haft_runtime_step(repl->runtime, 0, NULL);
    return status != HAFT_OK || repl->interrupts.sigterm_count > 0;
}

static haft_status open_input(haft__repl *repl, haft_error *err)
{
    bool plain = haft__config_is_plain(repl->cli, repl->args);
    if (plain || !haft__editor_tty_usable()) {
        (void)setvbuf(stdin, NULL, _IONBF, 0); /* poll() does not see buffered input */
        return haft__line_reader_open(&repl->lines, "-", HAFT__LIMIT_LINE_BYTES, err);
    }
    haft_status status = open_history(repl);
    if (status != HAFT_OK) {
        return haft__fail_no_memory(err);
    }
    haft__editor_tty_init(&repl->tty, &repl->history);
    repl->tty.edit.complete = haft__repl_complete;
    repl->tty.edit.context = repl;
    repl->tty.extra_fd = haft_runtime_fd(repl->runtime);
    repl->tty.should_stop = should_stop_reading;
    repl->tty.context = repl;
    repl->interactive = true;
    return HAFT_OK;
}

static haft_status choose_thread(haft__repl *repl, haft_error *err)
{
    const char *name = haft__args_text(repl->args, "thread", NULL);
    haft_status status = name != NULL ? haft__repl_switch_thread(repl, haft__str(name), err)
                                      : haft__repl_start_thread(repl, err);
    if (status != HAFT_OK && name != NULL) {
        haft__error_prepend_location(err, "--thread");
    }
    return status;
}

static haft__exit_status open_and_run(haft__repl *repl, const haft__spec *spec, haft_error *err)
{
    haft_status status = haft__session_open(repl->cli, repl->args, &repl->runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    status = haft__repl_set_spec(repl, spec, err);
    if (status != HAFT_OK) {
        return haft__session_agent_exit_status(status);
    }
    status = choose_thread(repl, err);
    if (status == HAFT_OK) {
        status = open_input(repl, err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (haft__interrupts_watch(&repl->interrupts, repl->runtime->loop, err) != HAFT_OK) {
        return HAFT__EXIT_FAILED;
    }
    haft__model_hint_print(repl->cli, repl->args, spec);
    print_greeting(repl);
    run_loop(repl);
    print_goodbye(repl);
    haft__interrupts_release(&repl->interrupts);
    return repl->result;
}

static void finish(haft__repl *repl)
{
    if (repl->interactive) {
        haft__editor_tty_finish(&repl->tty);
    }
    haft__line_reader_close(&repl->lines);
    haft_agent_release(repl->agent);
    haft_runtime_destroy(repl->runtime);
    haft__line_history_finish(&repl->history);
    haft__buf_finish(&repl->inputs);
    haft__buf_finish(&repl->sent);
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__repl repl = {.cli = cli,
                       .args = args,
                       .quiet = haft__args_has(args, "quiet"),
                       .result = HAFT__EXIT_DONE};
    const haft__spec *spec = NULL;
    if (strcmp(args->words[0], "-") == 0) {
        (void)haft__fail(err, HAFT_BAD_INPUT, "chat",
                         "expected a spec file; standard input is used for typing");
        return HAFT__EXIT_USAGE;
    }
    haft_status status = haft__repl_read_spec(&repl, NULL, &spec, err);
    if (status != HAFT_OK) {
        return status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED : HAFT__EXIT_USAGE;
    }
    haft__buf_init(&repl.inputs, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&repl.sent, HAFT__LIMIT_RUN_BYTES);
    haft__line_history_init(&repl.history);
    haft__exit_status result = open_and_run(&repl, spec, err);
    finish(&repl);
    return result;
}

static const haft__option options[] = {
    {"model", 'm', HAFT__OPTION_TEXT, "M", "use this model instead of the spec's: provider:model"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "override a part of the spec; may be repeated"},
    {"thread", 0, HAFT__OPTION_TEXT, "THREAD",
     "continue an earlier conversation; `last`: the newest"},
    HAFT__OPTION_USER,
    HAFT__OPTION_STORE,
    {"yes", 'y', HAFT__OPTION_OPTIONAL_CHOICE, "all",
     "approve calls that are not destructive; =all: all calls"},
    {"plain", 0, HAFT__OPTION_FLAG, NULL, "no line editing, no redrawing, no rendered Markdown"},
    {"verbose", 'v', HAFT__OPTION_FLAG, NULL,
     "show the heading of each run, its turns, and the tokens of each reply"},
    {"quiet", 'q', HAFT__OPTION_FLAG, NULL, "print only the answers"},
    {0},
};

static const haft__example examples[] = {
    {"haft chat agent.yaml", "talk with an agent; Ctrl-D leaves"},
    {"echo 'Count the words of letter.txt' | haft chat agent.yaml --quiet",
     "each line is a message; print only the answers"},
    {0},
};

const haft__command haft__cmd_chat = {
    .name = "chat",
    .usage = "SPEC",
    .summary = "talk with an agent, turn by turn",
    .help = "Each message is a run of one thread, so the model sees the messages before it.\n"
            "Alt-Enter or a backslash at the end starts another line; /help lists the commands.\n"
            "Ctrl-C interrupts a run: the next message redirects the agent, /resume continues.\n"
            "At the prompt Ctrl-C clears the line, Ctrl-D leaves. If standard input is not a\n"
            "terminal, each line of it is a message. Answers go to standard output. The exit\n"
            "status is 0 when you leave the chat, even if runs failed.\n",
    .options = options,
    .examples = examples,
    .exits = "0 1 2 130",
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
