/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_chat.c - `haft chat`: a conversation in the terminal, or line by line from a pipe.
 *
 * Each text is a run of one thread; what talk.h has does the rest. Tests: tests/cli/chat_test.py.
 */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/chat/repl.h"
#include "cli/config/config.h"
#include "cli/terminal/print.h"
#include "cli/terminal/sanitize.h"
#include "run/redact/redact.h"

/* ---- reading ---- */

/* Lines from a pipe, joined where one ends with a backslash; *ret_more is false at the end. */
static haft_status read_plain(haft__talk *talk, haft__buf *text, bool *ret_more, haft_error *err)
{
    haft_status status = HAFT_OK;
    size_t replaced = 0;
    haft__buf_clear(text);
    for (bool joined = true; joined && status == HAFT_OK;) {
        haft_str line = {NULL, 0};
        status = haft__lines_next(&talk->lines, &line, ret_more, err);
        joined = status == HAFT_OK && *ret_more && haft__str_ends_with(line, HAFT__LIT("\\"));
        line.len -= joined;
        replaced += haft__clean_text(line, text);
        haft__buf_add_str(text, joined ? HAFT__LIT("\n") : HAFT__LIT(""));
        *ret_more = *ret_more || text->len > 0;
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(text, err);
    }
    if (replaced > 0) {
        haft__talk_tell(talk, "line %zu: bytes that are no text were replaced: %zu",
                        talk->lines.number, replaced);
    }
    return status;
}

/* Waits for input or a signal, which comes by the loop: reading would not always end then. */
static bool wait_for_line(haft__talk *talk)
{
    struct pollfd waits[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = haft_runtime_fd(talk->runtime), .events = POLLIN}};
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && waits[0].revents == 0 && !haft__interrupted(&talk->interrupts)) {
        (void)poll(waits, COUNT(waits), haft_runtime_timeout(talk->runtime));
        status = haft_runtime_step(talk->runtime, 0, NULL);
    }
    return waits[0].revents != 0;
}

/* The next text; what cannot be taken is said, and passed over. */
static bool next_plain(haft__talk *talk, haft__buf *text)
{
    bool more = true;
    for (haft_status status = HAFT_TOO_BIG; status == HAFT_TOO_BIG;) {
        haft_error err = {0};
        if (isatty(STDIN_FILENO) && !talk->quiet) {
            (void)fputs("> ", talk->cli->errors);
            (void)fflush(talk->cli->errors);
        }
        bool there = wait_for_line(talk);
        status = there ? read_plain(talk, text, &more, &err) : HAFT_OK;
        if (haft__interrupted(&talk->interrupts)) {
            talk->result = HAFT__EXIT_CANCELLED;
            return false;
        }
        if (status != HAFT_OK) {
            haft__talk_tell_error(talk, &err);
        }
        if (status != HAFT_OK && status != HAFT_TOO_BIG) {
            talk->result = HAFT__EXIT_FAILED;
            return false;
        }
    }
    return more;
}

static bool next_typed(haft__talk *talk, haft__buf *text)
{
    haft_error err = {0};
    haft__typed typed = HAFT__TYPED_END;
    haft_str line = {NULL, 0};
    haft_status status = haft__editor_tty_read(&talk->tty, &typed, &line, &err);
    haft__buf_clear(text);
    haft__buf_add_str(text, line);
    if (status == HAFT_OK) {
        status = haft__buf_check(text, &err);
    }
    if (status != HAFT_OK) {
        haft__talk_tell_error(talk, &err);
        talk->result = HAFT__EXIT_FAILED;
    } else if (typed == HAFT__TYPED_KILLED) {
        talk->result = HAFT__EXIT_CANCELLED;
    }
    return status == HAFT_OK && typed == HAFT__TYPED_LINE;
}

/* Lines typed before are kept without the agent's secrets. */
static void remember(haft__talk *talk, haft_str text)
{
    haft_error err = {0};
    haft__buf clean;
    haft__buf_init(&clean, 16U * HAFT__LIMIT_LINE_BYTES);
    (void)haft__redact(talk->agent->redactor, text, &clean);
    haft_status status = haft__buf_check(&clean, &err);
    if (status == HAFT_OK) {
        status = haft__history_add(&talk->history, haft__buf_str(&clean), &err);
    }
    haft__buf_finish(&clean);
    if (status != HAFT_OK) {
        haft__talk_tell_error(talk, &err);
        free(talk->history.path); /* once is enough */
        talk->history.path = NULL;
    }
}

/* ---- the conversation ---- */

static void take(haft__talk *talk, haft_str text)
{
    if (haft__str_trim(text).len == 0) {
        return;
    }
    if (talk->interactive) {
        remember(talk, text);
    }
    if (haft__str_starts_with(text, HAFT__LIT("//"))) {
        haft__talk_send(talk, haft__str_skip(text, 1));
    } else if (haft__str_starts_with(text, HAFT__LIT("/"))) {
        haft__talk_obey(talk, text);
    } else {
        haft__talk_send(talk, text);
    }
}

/* An interrupt has paused a run, or nothing; any other signal asks for the end. */
static void settle_signals(haft__talk *talk)
{
    talk->interrupts.keys = 0;
    if (talk->interrupts.requests > 0) {
        talk->leaves = true;
        talk->result = HAFT__EXIT_CANCELLED;
    }
}

static void converse(haft__talk *talk)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_LINE_BYTES);
    while (!talk->leaves
           && (talk->interactive ? next_typed(talk, &text) : next_plain(talk, &text))) {
        haft__arena_mark mark = haft__arena_save(&talk->cli->arena);
        const haft__spec *spec = talk->spec;
        take(talk, haft__buf_str(&text));
        settle_signals(talk);
        if (spec == talk->spec) { /* else it lives in the arena */
            haft__arena_restore(&talk->cli->arena, mark);
        }
    }
    haft__buf_finish(&text);
}

static void greet(haft__talk *talk)
{
    if (talk->interactive) {
        const haft__model_spec *model = &talk->spec->model;
        haft__talk_tell(talk, "%.*s, %.*s%s%.*s. /help lists commands, Ctrl-D leaves.",
                        HAFT__ARG(talk->spec->name), HAFT__ARG(model->provider),
                        model->model.len > 0 ? ":" : "", HAFT__ARG(model->model));
    }
}

/* How to come back, if there is something to come back to. */
static void take_leave(haft__talk *talk)
{
    haft_error err = {0};
    haft__store_request list;
    if (talk->runtime->shared && haft__talk_list(talk, &list, &err) == HAFT_OK
        && list.found_count > 0) {
        haft__talk_tell(talk, "thread %s; haft chat %s --thread %s comes back", talk->thread,
                        talk->args->words[0], talk->thread);
    }
}

static haft_status open_history(haft__talk *talk)
{
    const char *path = NULL;
    haft_error err = {0};
    haft_status status = haft__history_path(&talk->cli->arena, &path, &err);
    if (status == HAFT_OK && path != NULL) {
        status = haft__history_open(&talk->history, path, &err);
    }
    if (status != HAFT_OK) {
        haft__talk_tell_error(talk, &err); /* the chat goes on without */
    }
    return status == HAFT_NO_MEMORY ? status : HAFT_OK;
}

/* The loop has something: a signal that came just before the editor waited, or nothing of note. */
static bool is_called_away(void *context)
{
    haft__talk *talk = context;
    haft_status status = haft_runtime_step(talk->runtime, 0, NULL);
    return status != HAFT_OK || talk->interrupts.requests > 0;
}

static haft_status open_input(haft__talk *talk, haft_error *err)
{
    bool plain = haft__config_plain(talk->cli, talk->args);
    if (plain || !haft__editor_tty_usable()) {
        (void)setvbuf(stdin, NULL, _IONBF, 0); /* what has been read would not be waited for */
        return haft__lines_open(&talk->lines, "-", HAFT__LIMIT_LINE_BYTES, err);
    }
    haft_status status = open_history(talk);
    if (status != HAFT_OK) {
        return haft__fail_no_memory(err);
    }
    haft__editor_tty_init(&talk->tty, &talk->history);
    talk->tty.edit.complete = haft__talk_complete;
    talk->tty.edit.context = talk;
    talk->tty.also = haft_runtime_fd(talk->runtime);
    talk->tty.ends = is_called_away;
    talk->tty.context = talk;
    talk->interactive = true;
    return HAFT_OK;
}

static haft_status choose_thread(haft__talk *talk, haft_error *err)
{
    const char *name = haft__args_text(talk->args, "thread", NULL);
    haft_status status = name != NULL ? haft__talk_enter(talk, haft__str(name), err)
                                      : haft__talk_start_thread(talk, err);
    if (status != HAFT_OK && name != NULL) {
        haft__error_prepend_location(err, "--thread");
    }
    return status;
}

static haft__exit open_and_converse(haft__talk *talk, const haft__spec *spec, haft_error *err)
{
    haft_status status = haft__session_open(talk->cli, talk->args, &talk->runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit(status);
    }
    status = haft__talk_adopt(talk, spec, err);
    if (status != HAFT_OK) {
        return haft__session_exit_agent(status);
    }
    status = choose_thread(talk, err);
    if (status == HAFT_OK) {
        status = open_input(talk, err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit(status);
    }
    if (haft__interrupts_catch(&talk->interrupts, talk->runtime->loop, err) != HAFT_OK) {
        return HAFT__EXIT_FAILED;
    }
    greet(talk);
    converse(talk);
    take_leave(talk);
    haft__interrupts_release(&talk->interrupts);
    return talk->result;
}

static void finish(haft__talk *talk)
{
    if (talk->interactive) {
        haft__editor_tty_finish(&talk->tty);
    }
    haft__lines_close(&talk->lines);
    haft_agent_release(talk->agent);
    haft_runtime_destroy(talk->runtime);
    haft__history_finish(&talk->history);
    haft__buf_finish(&talk->inputs);
    haft__buf_finish(&talk->sent);
}

static haft__exit run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__talk talk = {.cli = cli,
                       .args = args,
                       .quiet = haft__args_has(args, "quiet"),
                       .result = HAFT__EXIT_DONE};
    const haft__spec *spec = NULL;
    if (strcmp(args->words[0], "-") == 0) {
        (void)haft__fail(err, HAFT_BAD_INPUT, "chat",
                         "wanted the file of a spec; standard input is where you type");
        return HAFT__EXIT_USAGE;
    }
    haft_status status = haft__talk_read(&talk, NULL, &spec, err);
    if (status != HAFT_OK) {
        return status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED : HAFT__EXIT_USAGE;
    }
    haft__buf_init(&talk.inputs, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&talk.sent, HAFT__LIMIT_RUN_BYTES);
    haft__history_init(&talk.history);
    haft__exit result = open_and_converse(&talk, spec, err);
    finish(&talk);
    return result;
}

static const haft__option options[] = {
    {"model", 'm', HAFT__OPTION_TEXT, "M", "provider:model in the place of the spec's"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "override a part of the spec; may be repeated"},
    {"thread", 0, HAFT__OPTION_TEXT, "THREAD", "go on with an earlier conversation; or last"},
    HAFT__OPTION_STORE,
    {"yes", 'y', HAFT__OPTION_MAYBE, "all", "approve what is not destructive; =all: everything"},
    {"plain", 0, HAFT__OPTION_FLAG, NULL, "no line editing, nothing redrawn"},
    {"quiet", 'q', HAFT__OPTION_FLAG, NULL, "print the answers only"},
    {0},
};

static const haft__example examples[] = {
    {"haft chat agent.yaml", "talk with an agent; Ctrl-D leaves"},
    {"echo 'Count the words of letter.txt' | haft chat agent.yaml --quiet",
     "a text for each line; only the answers"},
    {0},
};

const haft__command haft__cmd_chat = {
    .name = "chat",
    .usage = "SPEC",
    .summary = "talk with an agent, turn by turn",
    .help = "Each text is a run of one thread: the model knows what was said before. Alt-Enter or\n"
            "a backslash at the end makes another line; /help lists the commands. Ctrl-C pauses\n"
            "a run or clears the line, Ctrl-D leaves. What does not come from a terminal is\n"
            "taken line by line; answers go to standard output. Ends with 0 when it was left,\n"
            "whatever became of the runs.\n",
    .options = options,
    .examples = examples,
    .exits = "0 1 2 130",
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
